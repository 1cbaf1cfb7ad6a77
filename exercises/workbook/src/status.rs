//! The state of every exercise, as the terminal, the pages and other programs are told it.

use std::fs;
use std::path::Path;

use anyhow::Result;
use kit::{State, Verdict};
use serde::Serialize;

use crate::build::{self, Progress};
use crate::catalogue::{Catalogue, Chapter, Exercise};

/// How the diagnosis begins of every exercise in a chapter that does not compile.
pub(crate) const BROKEN: &str = "does not compile";

/// One line of `list --json`, and of what the pages are told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) title: String,
    /// The chapter's package.
    pub(crate) chapter: String,
    /// Relative to the repository.
    pub(crate) file: String,
    pub(crate) minutes: u32,
    pub(crate) state: State,
    pub(crate) diagnosis: Option<String>,
}

/// A row and the whole text for the learner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Report {
    #[serde(flatten)]
    pub(crate) row: Row,
    /// Empty unless failing. The compiler's own words when the chapter does not compile.
    pub(crate) message: String,
    /// The first check that fails.
    pub(crate) check: Option<String>,
    /// The known mistake that the answer behaves like.
    pub(crate) mistake: Option<String>,
}

/// What one look at a chapter gave.
pub(crate) struct Look {
    pub(crate) reports: Vec<Report>,
    /// The compiler's messages, once for the whole chapter.
    pub(crate) broken: Option<String>,
}

/// What an answer that is no longer the stub is told while each call of it ends in a `todo!()`: a test that accepts
/// everything so far looks like one that nobody has begun.
fn half_written(chapter: &Chapter, exercise: &Exercise, state: State) -> Option<String> {
    let changed =
        fs::read(chapter.answer(exercise)).ok()? != fs::read(chapter.stub(exercise)).ok()?;
    (state == State::NotStarted && changed)
        .then(|| "every call still ends in a `todo!()`, so nothing is judged yet".to_owned())
}

/// Builds a chapter and judges the named exercises in it.
pub(crate) fn look(
    catalogue: &Catalogue,
    chapter: &Chapter,
    names: &[String],
    progress: Progress,
    colour: bool,
) -> Result<Look> {
    let built = build::build(&catalogue.root, chapter, progress, colour)?;
    let (verdicts, failure) = match built {
        Ok(program) => (verdicts(&catalogue.root, &program, names), None),
        Err(failure) => (Ok(Vec::new()), Some(failure)),
    };
    let mut reports = Vec::new();
    for exercise in chapter.exercises.iter().filter(|e| names.contains(&e.name)) {
        let judged = verdicts
            .as_ref()
            .ok()
            .and_then(|all| all.iter().find(|v| v.name == exercise.name));
        let (state, diagnosis, message) = match (&verdicts, &failure) {
            (_, Some(failure)) => (
                State::Failing,
                Some(format!("{BROKEN}: {}", failure.first)),
                failure.rendered.clone(),
            ),
            (Err(error), None) => (
                State::Failing,
                Some(error.to_string()),
                format!("{error:#}"),
            ),
            (Ok(_), None) => match judged {
                Some(verdict) => (
                    verdict.state,
                    verdict
                        .diagnosis
                        .clone()
                        .or_else(|| half_written(chapter, exercise, verdict.state)),
                    verdict.message.clone(),
                ),
                None => (
                    State::Failing,
                    Some("it is in the manifest, but not in checks/main.rs".to_owned()),
                    String::new(),
                ),
            },
        };
        reports.push(Report {
            row: Row {
                name: exercise.name.clone(),
                title: exercise.title.clone(),
                chapter: chapter.package.clone(),
                file: catalogue.relative(&chapter.answer(exercise)),
                minutes: exercise.minutes,
                state,
                diagnosis,
            },
            message,
            check: judged.and_then(|verdict| verdict.check.clone()),
            mistake: judged.and_then(|verdict| verdict.mistake.clone()),
        });
    }
    Ok(Look {
        reports,
        broken: failure.map(|failure| failure.rendered),
    })
}

fn verdicts(root: &Path, program: &Path, names: &[String]) -> Result<Vec<Verdict>> {
    build::ask(root, program, kit::runner::REPORT_ARGUMENT, names)
}

/// What a page is told of an exercise.
#[derive(Serialize)]
#[serde(untagged)]
enum Told<'a> {
    Judged(&'a Row),
    /// The first build takes minutes: until it comes to this chapter, the page says that it is waited for.
    Waiting {
        name: &'a str,
        title: &'a str,
        chapter: &'a str,
        file: String,
        minutes: u32,
        state: &'static str,
    },
}

/// The JSON that pages read: every exercise of the catalogue, in its order, without messages.
pub(crate) fn told_json(catalogue: &Catalogue, reports: &[Report]) -> Result<String> {
    let mut told = Vec::new();
    for (chapter, exercise) in catalogue.exercises() {
        let judged = reports.iter().find(|r| r.row.name == exercise.name);
        told.push(match judged {
            Some(report) => Told::Judged(&report.row),
            None => Told::Waiting {
                name: &exercise.name,
                title: &exercise.title,
                chapter: &chapter.package,
                file: catalogue.relative(&chapter.answer(exercise)),
                minutes: exercise.minutes,
                state: "waiting",
            },
        });
    }
    Ok(serde_json::to_string(&told)?)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn exercise(name: &str) -> Exercise {
        Exercise {
            name: name.to_owned(),
            title: "A title".to_owned(),
            file: "src/it.rs".into(),
            minutes: 10,
        }
    }

    fn chapter(package: &str, exercises: &[&str]) -> Chapter {
        Chapter {
            package: package.to_owned(),
            folder: Path::new("/root/exercises").join(package),
            exercises: exercises.iter().map(|name| exercise(name)).collect(),
            engine: Vec::new(),
        }
    }

    #[test]
    fn a_page_is_told_of_exercises_that_are_not_judged_yet() {
        let catalogue = Catalogue {
            root: "/root".into(),
            folders: BTreeSet::new(),
            chapters: vec![chapter("ch1", &["one", "two"]), chapter("ch2", &["three"])],
        };
        let judged = Report {
            row: Row {
                name: "two".to_owned(),
                title: "A title".to_owned(),
                chapter: "ch1".to_owned(),
                file: "exercises/ch1/src/it.rs".to_owned(),
                minutes: 10,
                state: State::Passed,
                diagnosis: None,
            },
            message: String::new(),
            check: None,
            mistake: None,
        };

        let json = told_json(&catalogue, &[judged]).unwrap();
        let told: Vec<serde_json::Value> = serde_json::from_str(&json).unwrap();
        let fields = |name| -> Vec<&str> { told.iter().filter_map(|e| e[name].as_str()).collect() };
        assert_eq!(fields("name"), ["one", "two", "three"]);
        assert_eq!(fields("state"), ["waiting", "passed", "waiting"]);
        assert_eq!(told[2]["file"], "exercises/ch2/src/it.rs");
        assert_eq!(told[2]["chapter"], "ch2");
    }
}

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

impl Row {
    /// What the compiler says of the whole chapter, if it does not compile.
    pub(crate) fn compile_error(&self) -> Option<&str> {
        let diagnosis = self.diagnosis.as_deref()?;
        diagnosis.starts_with(BROKEN).then_some(diagnosis)
    }
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
    let asked = chapter.exercises.iter();
    let asked: Vec<&Exercise> = asked.filter(|of| names.contains(&of.name)).collect();
    let unjudged_for = |diagnosis: &str, message: &str| -> Vec<Verdict> {
        let all = asked.iter();
        all.map(|of| unjudged(of, diagnosis, message)).collect()
    };
    let (verdicts, broken) = match build::build(&catalogue.root, chapter, progress, colour)? {
        Ok(program) => match verdicts(&catalogue.root, &program, names) {
            Ok(verdicts) => (verdicts, None),
            Err(error) => {
                let message = format!("{error:#}");
                (unjudged_for(&error.to_string(), &message), None)
            }
        },
        Err(failure) => {
            let diagnosis = format!("{BROKEN}: {}", failure.first);
            let verdicts = unjudged_for(&diagnosis, &failure.rendered);
            (verdicts, Some(failure.rendered))
        }
    };
    let report = |exercise: &&Exercise| {
        let mut all = verdicts.iter();
        let verdict = all.find(|verdict| verdict.name == exercise.name).cloned();
        let missing = "it is in the manifest, but not in checks/main.rs";
        let verdict = verdict.unwrap_or_else(|| unjudged(exercise, missing, ""));
        Report::new(catalogue, chapter, exercise, verdict)
    };
    let reports = asked.iter().map(report).collect();
    Ok(Look { reports, broken })
}

fn verdicts(root: &Path, program: &Path, names: &[String]) -> Result<Vec<Verdict>> {
    build::ask(root, program, kit::runner::REPORT_ARGUMENT, names)
}

/// Stands for the verdict on an exercise that could not be judged.
fn unjudged(exercise: &Exercise, diagnosis: &str, message: &str) -> Verdict {
    Verdict {
        name: exercise.name.clone(),
        state: State::Failing,
        check: None,
        mistake: None,
        diagnosis: Some(diagnosis.to_owned()),
        message: message.to_owned(),
    }
}

impl Report {
    fn new(
        catalogue: &Catalogue,
        chapter: &Chapter,
        exercise: &Exercise,
        verdict: Verdict,
    ) -> Self {
        let half_written = || half_written(chapter, exercise, verdict.state);
        Self {
            row: Row {
                name: exercise.name.clone(),
                title: exercise.title.clone(),
                chapter: chapter.package.clone(),
                file: catalogue.relative(&chapter.answer(exercise)),
                minutes: exercise.minutes,
                state: verdict.state,
                diagnosis: verdict.diagnosis.or_else(half_written),
            },
            message: verdict.message,
            check: verdict.check,
            mistake: verdict.mistake,
        }
    }
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
pub(crate) mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// On an exercise of chapter `ch01`.
    pub(crate) fn report(name: &str, state: State, diagnosis: Option<&str>) -> Report {
        Report {
            row: Row {
                name: name.to_owned(),
                title: "A title".to_owned(),
                chapter: "ch01".to_owned(),
                file: format!("exercises/ch01/src/{name}.rs"),
                minutes: 10,
                state,
                diagnosis: diagnosis.map(str::to_owned),
            },
            message: String::new(),
            check: None,
            mistake: None,
        }
    }

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
            chapters: vec![
                chapter("ch01", &["one", "two"]),
                chapter("ch02", &["three"]),
            ],
        };

        let json = told_json(&catalogue, &[report("two", State::Passed, None)]).unwrap();
        let told: Vec<serde_json::Value> = serde_json::from_str(&json).unwrap();
        let fields = |name| -> Vec<&str> { told.iter().filter_map(|e| e[name].as_str()).collect() };
        assert_eq!(fields("name"), ["one", "two", "three"]);
        assert_eq!(fields("state"), ["waiting", "passed", "waiting"]);
        assert_eq!(told[2]["file"], "exercises/ch02/src/it.rs");
        assert_eq!(told[2]["chapter"], "ch02");
    }
}

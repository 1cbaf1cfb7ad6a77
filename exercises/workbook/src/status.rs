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

/// The JSON that pages and programs read: rows without messages.
pub(crate) fn rows_json<'a>(reports: impl Iterator<Item = &'a Report>) -> Result<String> {
    let rows: Vec<&Row> = reports.map(|report| &report.row).collect();
    Ok(serde_json::to_string(&rows)?)
}

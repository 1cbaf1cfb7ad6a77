//! The `main` of a chapter's test program.
//!
//! Run by `cargo test` it behaves like the built-in harness: one test an exercise, with filters and
//! `--list`. An exercise that is not started is *ignored*. Three private first arguments serve the
//! kit itself (a child that answers probes) and the workbook (verdicts and proofs, as JSON).

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Completion, Trial};
use serde::Serialize;

use crate::exercise::{Judged, Who};
use crate::isolate::{self, CHILD_ARGUMENT};
use crate::judge::{State, Verdict, judge};
use crate::known::Known;
use crate::message;
use crate::parallel::in_parallel;
use crate::prove;

/// The private argument that asks for verdicts on the learner's code, as a JSON array.
pub const REPORT_ARGUMENT: &str = "__report";
/// The private argument that asks for proofs, as a JSON array.
pub const PROVE_ARGUMENT: &str = "__prove";

/// Makes an exercise. Called only when the exercise is needed.
pub type Build = fn() -> Box<dyn Judged>;

/// A chapter's exercises.
pub struct Chapter {
    /// The chapter's folder: `env!("CARGO_MANIFEST_DIR")`.
    pub folder: &'static str,
    /// Name and maker of each exercise, in the order of the chapter.
    pub exercises: &'static [(&'static str, Build)],
}

impl Chapter {
    fn find(&self, name: &str) -> Option<Build> {
        self.exercises
            .iter()
            .find(|(n, _)| *n == name)
            .map(|(_, build)| *build)
    }

    /// The verdict on the learner's code. Where it is wrong and may come from another exercise that is wrong too, the
    /// learner reads that first.
    ///
    /// # Errors
    /// If the child that answers the probes cannot be started or understood.
    pub fn verdict(&self, exercise: &dyn Judged) -> io::Result<Verdict> {
        self.with_its_cause(by_itself(exercise)?, &exercise.sheet().rests_on, &[])
    }

    /// A verdict on an exercise that may call `others`. Those that are not among the `judged` ones are judged for it.
    fn with_its_cause(
        &self,
        mut verdict: Verdict,
        others: &[&'static str],
        judged: &[Verdict],
    ) -> io::Result<Verdict> {
        if verdict.state != State::Failing {
            return Ok(verdict);
        }
        for other in others {
            if !self.may_call(&verdict.name, other) {
                continue;
            }
            let known = judged.iter().find(|verdict| verdict.name == *other);
            let state = match (known, self.find(other)) {
                (Some(known), _) => known.state,
                (None, Some(build)) => by_itself(build().as_ref())?.state,
                (None, None) => continue,
            };
            if state == State::Failing {
                verdict.message = format!("{}\n{}", message::begin_there(other), verdict.message);
            }
        }
        Ok(verdict)
    }

    /// Whether the learner's file of one exercise names that of another. It may, if it cannot be read.
    fn may_call(&self, exercise: &str, other: &str) -> bool {
        let file = format!("{}.rs", module(exercise));
        let code = fs::read_to_string(Path::new(self.folder).join("src").join(file));
        code.map_or(true, |code| names(&code, &module(other)))
    }
}

/// The module in which an exercise is solved.
fn module(exercise: &str) -> String {
    exercise.replace('-', "_")
}

/// Whether code names a module. What a comment says does not count: the tasks themselves offer other modules.
fn names(code: &str, module: &str) -> bool {
    code.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .any(|line| line.contains(module))
}

/// Runs a chapter's test program.
pub fn main(chapter: &'static Chapter) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.first().map(String::as_str) {
        Some(CHILD_ARGUMENT) => return answer_probes(chapter),
        Some(REPORT_ARGUMENT) => report(chapter, &arguments[1..]).and_then(|v| print(&v)),
        Some(PROVE_ARGUMENT) => prove_all(chapter, &arguments[1..]).and_then(|v| print(&v)),
        _ => return run_tests(chapter),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The child's side of [`isolate::observe`], for test programs with a `main` of their own, which ends with this code.
pub fn answer_probes(chapter: &Chapter) -> ExitCode {
    isolate::answer_probes(|name| chapter.find(name).map(|build| build()))
}

/// Whether this process was started to answer probes.
pub fn is_child() -> bool {
    std::env::args().nth(1).is_some_and(|a| a == CHILD_ARGUMENT)
}

fn print(value: &impl Serialize) -> io::Result<()> {
    let mut out = io::stdout().lock();
    serde_json::to_writer(&mut out, value)?;
    writeln!(out)
}

fn run_tests(chapter: &'static Chapter) -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = chapter
        .exercises
        .iter()
        .map(|(name, build)| {
            Trial::ignorable_test(*name, move || {
                let verdict = chapter.verdict(build().as_ref())?;
                match verdict.state {
                    State::NotStarted => Ok(Completion::ignored_with("not started")),
                    State::Passed => Ok(Completion::Completed),
                    State::Failing => Err(verdict.message.into()),
                }
            })
        })
        .collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn by_itself(exercise: &dyn Judged) -> io::Result<Verdict> {
    Ok(judge(
        &Known::new(exercise),
        &isolate::observe(exercise, Who::Learner)?,
    ))
}

/// The chosen exercises, or all when none is named.
fn chosen(chapter: &'static Chapter, names: &[String]) -> Vec<&'static (&'static str, Build)> {
    chapter
        .exercises
        .iter()
        .filter(|(name, _)| names.is_empty() || names.iter().any(|n| n == name))
        .collect()
}

fn report(chapter: &'static Chapter, names: &[String]) -> io::Result<Vec<Verdict>> {
    let judged = in_parallel(&chosen(chapter, names), |(_, build)| {
        let exercise = build();
        Ok((
            by_itself(exercise.as_ref())?,
            exercise.sheet().rests_on.clone(),
        ))
    })?;
    let verdicts: Vec<Verdict> = judged.iter().map(|(verdict, _)| verdict.clone()).collect();
    judged
        .into_iter()
        .map(|(verdict, others)| chapter.with_its_cause(verdict, &others, &verdicts))
        .collect()
}

fn prove_all(chapter: &'static Chapter, names: &[String]) -> io::Result<Vec<prove::Proof>> {
    let update = std::env::var_os(prove::UPDATE_VARIABLE).is_some();
    let chosen = chosen(chapter, names);
    let exercises = in_parallel(&chosen, |(_, build)| Ok(build()))?;
    let exercises: Vec<&dyn Judged> = exercises.iter().map(AsRef::as_ref).collect();
    for sheet in exercises.iter().map(|exercise| exercise.sheet()) {
        let unknown = |name: &&&str| chapter.find(name).is_none();
        if let Some(unknown) = sheet.rests_on.iter().find(unknown) {
            let fault = format!(
                "`{}` rests on `{unknown}`, which its chapter lacks",
                sheet.name
            );
            return Err(io::Error::other(fault));
        }
    }
    prove::prove(&exercises, Path::new(chapter.folder), update)
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn code_names_a_module_and_a_comment_does_not() {
        let task = "//! Call it as `crate::order_f64::encode`.\n    // order_f64\n";
        assert!(!names(task, "order_f64"));
        assert!(names(
            &format!("{task}use crate::order_f64;\n"),
            "order_f64"
        ));
        assert!(names(
            "    Some(crate::order_f64::encode(value))\n",
            "order_f64"
        ));
    }
}

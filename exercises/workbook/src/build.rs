//! Builds one chapter's test program and runs it.
//!
//! The flags are those of `cargo test -p CHAPTER`, so both share every artefact.

use std::io::{BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::catalogue::{Chapter, cargo};

/// How loud a build is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Cargo's own lines go to standard error.
    Shown,
    /// Nothing is printed.
    Hidden,
}

/// Why a chapter has no test program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BuildFailure {
    /// The compiler's messages as the compiler prints them.
    pub(crate) rendered: String,
    /// The first error in one line, with file and line.
    pub(crate) first: String,
}

#[derive(Deserialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
enum Line {
    CompilerMessage {
        message: Message,
    },
    CompilerArtifact(Artifact),
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Message {
    message: String,
    level: String,
    rendered: Option<String>,
    spans: Vec<Span>,
}

#[derive(Deserialize)]
struct Span {
    file_name: String,
    line_start: u32,
    is_primary: bool,
}

#[derive(Deserialize)]
struct Artifact {
    target: Target,
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

/// What to do about an error in the checks, which the learner did not write. They are compiled after the answers; so the
/// answers compile, but lack a function that the checks call, or have it with another type.
const UNFIT: &str = "the checks call the functions that the tasks declare; in src/ these need the names, types and `pub` \
    that they have in stubs/";

/// The name of every chapter's test target.
const TARGET: &str = "exercises";

/// Builds a chapter's test program.
pub(crate) fn build(
    root: &Path,
    chapter: &Chapter,
    progress: Progress,
    colour: bool,
) -> Result<Result<PathBuf, BuildFailure>> {
    let mut child = start_cargo(root, chapter, colour)?;
    let said = child
        .stderr
        .take()
        .map(|stream| thread::spawn(move || copy_lines(stream, progress)));
    let mut program = None;
    let mut failure = BuildFailure {
        rendered: String::new(),
        first: String::new(),
    };
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines() {
            match serde_json::from_str(&line?) {
                Ok(Line::CompilerArtifact(artifact)) if artifact.target.name == TARGET => {
                    program = artifact.executable;
                }
                Ok(Line::CompilerMessage { message }) => failure.add(message),
                // Cargo may learn to say more than we know; what we need is above.
                Ok(Line::CompilerArtifact(_) | Line::Other) | Err(_) => {}
            }
        }
    }
    let status = child.wait()?;
    let said = said
        .and_then(|thread| thread.join().ok())
        .unwrap_or_default();
    if status.success() {
        let program = program
            .with_context(|| format!("{} has no test target called `{TARGET}`", chapter.package))?;
        return Ok(Ok(program));
    }
    if failure.first.is_empty() {
        failure.blame_cargo(said);
    }
    failure.name_missing_answer(chapter);
    Ok(Err(failure))
}

fn start_cargo(root: &Path, chapter: &Chapter, colour: bool) -> Result<Child> {
    let format = if colour {
        "--message-format=json-diagnostic-rendered-ansi"
    } else {
        "--message-format=json"
    };
    Command::new(cargo())
        .args(["test", "--package", &chapter.package, "--test", TARGET])
        .args(["--no-run", format])
        .current_dir(root)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("cannot run cargo")
}

impl BuildFailure {
    fn add(&mut self, message: Message) {
        if message.level != "error" {
            return;
        }
        self.rendered
            .push_str(&message.rendered.unwrap_or_default());
        if !self.first.is_empty() {
            return;
        }
        self.first = message.message;
        // A linker that is missing has no place in the source.
        if let Some(span) = message.spans.iter().find(|span| span.is_primary) {
            let file = span.file_name.replace('\\', "/");
            self.first
                .push_str(&format!(" ({file}:{})", span.line_start));
            if file.contains("/checks/") {
                self.first.push_str(": ");
                self.first.push_str(UNFIT);
            }
        }
    }

    /// It was not the compiler that failed: a manifest, a dependency, a lock.
    fn blame_cargo(&mut self, said: String) {
        let mut lines = said.lines();
        let error = lines.find_map(|line| line.strip_prefix("error: "));
        self.first = error.unwrap_or("cargo failed").to_owned();
        // What cargo could not do, then why: `Caused by:`, and the reason in a line of its own.
        let mut causes = lines.skip_while(|line| *line != "Caused by:").skip(1);
        if let Some(cause) = causes.next() {
            self.first.push_str(": ");
            self.first.push_str(cause.trim());
        }
        self.rendered = said;
    }

    /// Says so if the file of an answer is gone. The compiler calls it a module that was not found, and asks for a new
    /// file.
    fn name_missing_answer(&mut self, chapter: &Chapter) {
        let mut files = chapter.exercises.iter();
        if let Some(gone) = files.find(|exercise| !chapter.answer(exercise).exists()) {
            let file = gone.file.display();
            self.first = format!(
                "{file} is not there; `cargo workbook reset {}` brings it back, with the task",
                gone.name
            );
        }
    }
}

fn copy_lines(stream: impl Read, progress: Progress) -> String {
    let mut kept = String::new();
    for line in BufReader::new(stream).lines().map_while(Result::ok) {
        if progress == Progress::Shown {
            eprintln!("{line}");
        }
        kept.push_str(&line);
        kept.push('\n');
    }
    kept
}

/// Runs a test program with private arguments and reads the JSON it prints.
pub(crate) fn ask<T: DeserializeOwned>(
    root: &Path,
    program: &Path,
    question: &str,
    names: &[String],
) -> Result<T> {
    let output = Command::new(program)
        .arg(question)
        .args(names)
        .current_dir(root)
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot run {}", program.display()))?;
    if !output.status.success() {
        bail!(
            "{} ended with {}:\n{}",
            program.display(),
            output.status,
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    serde_json::from_slice(&output.stdout)
        .with_context(|| format!("{} does not use the kit's runner", program.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing_said() -> BuildFailure {
        BuildFailure {
            rendered: String::new(),
            first: String::new(),
        }
    }

    #[test]
    fn an_error_without_a_place_is_told_too() {
        let mut failure = nothing_said();
        for message in ["linker `cc` not found", "aborting due to 1 previous error"] {
            failure.add(Message {
                message: message.to_owned(),
                level: "error".to_owned(),
                rendered: Some(format!("error: {message}\n")),
                spans: Vec::new(),
            });
        }
        assert_eq!(failure.first, "linker `cc` not found");
        assert!(failure.rendered.starts_with("error: linker `cc` not found"));
    }

    #[test]
    fn what_cargo_could_not_do_is_told_with_its_reason() {
        let blamed = |said: &str| {
            let mut failure = nothing_said();
            failure.blame_cargo(said.to_owned());
            assert_eq!(failure.rendered, said);
            failure.first
        };
        let read_only = "error: failed to open: target/debug/.cargo-lock\n\nCaused by:\n  Read-only file system (os error 30)\n";
        assert_eq!(
            blamed(read_only),
            "failed to open: target/debug/.cargo-lock: Read-only file system (os error 30)"
        );
        let alone = "   Compiling a v0.1.0\nerror: package ID specification `b` did not match any packages\n";
        assert_eq!(
            blamed(alone),
            "package ID specification `b` did not match any packages"
        );
        assert_eq!(blamed(""), "cargo failed");
    }
}

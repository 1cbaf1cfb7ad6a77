//! The tool `lsm`: shows what is in the engine's files, and whether they are intact.
//!
//! ```text
//! dump        what a file says: entries, batches, edits
//! explain     what each byte means, up to the first that is wrong
//! stats       families, levels, tables
//! verify      all checksums, orders, counts of a closed database
//! repair      makes a damaged one open again
//! checkpoint  a copy made of hard links
//! ```
//!
//! The engine decodes everything; this crate only shows it. Commands print with colours; the
//! caller's writer removes them where they cannot be shown.
//!
//! Exit codes: 0 all is well, 1 damage was found, 2 the command could not be carried out.

mod args;
mod checkpoint;
mod dump;
mod explain;
mod repair;
mod stats;
mod style;
mod verify;

use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::path::Path;

use clap::Parser;
use engine::Error;

use crate::args::{Cli, Command};

/// All is well.
pub const FINE: u8 = 0;
/// Something is damaged.
pub const DAMAGED: u8 = 1;
/// The command could not be carried out.
pub const FAILED: u8 = 2;

/// What to do about damage, whichever command found it.
const WHAT_TO_DO: &str = "Copy the directory before anything else. `lsm explain FILE` shows the place; a backup or a checkpoint \
                          has the file whole; `lsm repair` makes the rest open again.";

/// Why a command failed.
#[derive(Debug)]
enum Failure {
    /// The engine returned an error.
    Engine(Error),
    /// The output could not be written.
    Output(std::io::Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Engine(error)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Failure::Output(error)
    }
}

/// What a command returns: an exit code.
type Outcome = Result<u8, Failure>;

/// Runs the tool with command-line arguments, the first of which is its own name, and returns the exit code.
pub fn run(
    args: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    let outcome = match Cli::try_parse_from(args) {
        Ok(cli) => carry_out(&cli.command, out),
        Err(error) => {
            let text = error.render().ansi().to_string();
            if error.use_stderr() {
                let _ = err.write_all(text.as_bytes());
                return FAILED;
            }
            out.write_all(text.as_bytes())
                .map(|()| FINE)
                .map_err(Failure::from)
        }
    };
    // What was written may still be in a buffer, and could be lost there.
    let flushed = out.flush();
    let outcome = outcome.and_then(|code| match flushed {
        // A reader such as `head` has gone; it has read all that it wanted.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::from(error)),
        _ => Ok(code),
    });
    match outcome {
        Ok(code) => code,
        Err(Failure::Output(error)) if error.kind() == ErrorKind::BrokenPipe => FINE,
        Err(Failure::Output(error)) => {
            let _ = writeln!(err, "lsm: cannot write the output: {error}");
            FAILED
        }
        Err(Failure::Engine(error)) => {
            let _ = writeln!(err, "lsm: {}.", message(&error));
            match error {
                Error::Corruption { .. } => DAMAGED,
                _ => FAILED,
            }
        }
    }
}

fn carry_out(command: &Command, out: &mut dyn Write) -> Outcome {
    match command {
        Command::Dump(args) => dump::run(args, out),
        Command::Explain(args) => explain::run(args, out),
        Command::Stats(args) => stats::run(args, out),
        Command::Verify(args) => verify::run(args, out),
        Command::Repair(args) => repair::run(args, out),
        Command::Checkpoint(args) => checkpoint::run(args, out),
    }
}

/// What an error of the engine says to whoever uses this tool. The engine's own words are for programs: they advise to
/// create a database, or to change options, which no command does.
fn message(error: &Error) -> String {
    match error {
        Error::NotADatabase { path, found } => format!(
            "{} is not a database of this engine: {found}. Give the directory that holds CURRENT, the manifest and the \
             tables. If it was a database, copy it before anything else, then restore it from a backup or a checkpoint",
            path.display()
        ),
        Error::Locked { path } => format!(
            "{} is locked: the database is open in another process. Close it there and try again. `lsm stats`, \
             `lsm dump` and `lsm explain` also work while it is open",
            path.display()
        ),
        Error::ComparatorMismatch { family, stored, .. } => format!(
            "column family {family:?} is in the order {stored:?}, which only the program that made it knows. Let that \
             program do it: `Db::checkpoint`, `engine::verify` and `engine::repair` do the same as this tool"
        ),
        other => other.to_string(),
    }
}

/// Checks that a path where a database's directory is asked for does not lead to a file.
fn check_no_file(dir: &Path) -> Result<(), Failure> {
    match dir.exists() && !dir.is_dir() {
        true => Err(Failure::Engine(Error::invalid(format!(
            "{} is a file, and this command takes the directory of a database. `lsm dump` and `lsm explain` take a file",
            dir.display()
        )))),
        false => Ok(()),
    }
}

/// The outcome of a command that has found out `code`, even if nobody reads to the end what it says: a script that shows
/// the first lines with `head` must still learn that there is damage.
fn told(code: u8, written: Result<(), Failure>) -> Outcome {
    match written {
        Err(Failure::Output(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(code),
        written => written.map(|()| code),
    }
}

/// The last part of a path, for people.
fn shown_name(path: &Path) -> String {
    style::name(&file_name(path))
}

/// The last part of a path, for programs.
fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned()
}

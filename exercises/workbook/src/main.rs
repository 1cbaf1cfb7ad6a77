//! The workbook command: serves the book with live exercises, judges, resets and proves them.
//!
//! ```text
//! serve             the book, and a verdict on whatever is saved; watch: what was saved
//! commands          what each subcommand prints
//!   hint, reset     for a learner
//!   report, room    for an instructor; scratch: where other people's answers are judged
//!   prove, imports  for an author: what CI holds the exercises to
//!   timing          how long a learner waits
//! catalogue         which exercises there are
//! build, status     builds a chapter's test program, and asks it how the exercises stand
//! table, say        how that is printed
//! ```

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow};
use clap::error::{ContextKind, ContextValue};
use clap::{Args, Parser, Subcommand};
use owo_colors::OwoColorize as _;

mod build;
mod catalogue;
mod commands;
mod hint;
mod imports;
mod prove;
mod report;
mod reset;
mod room;
mod say;
mod scratch;
mod serve;
mod status;
mod table;
mod timing;
mod watch;

use catalogue::Catalogue;

/// Serves the book with live exercises. Subcommands judge, reset and prove them in the terminal.
#[derive(Parser)]
#[command(name = "cargo workbook", bin_name = "cargo workbook", version)]
#[command(args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,

    #[command(flatten)]
    serve: Serve,
}

/// Where the book is served.
#[derive(Args)]
struct Serve {
    /// Port of the book; 0 takes a free one.
    #[arg(long, default_value_t = 3000)]
    port: u16,

    /// Address to listen on. The default can be reached from this machine alone.
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,

    /// Open the book in the browser.
    #[arg(long)]
    open: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Serve the book with live exercises, as without a command.
    Serve(Serve),
    /// Judge one exercise, one chapter, or everything.
    Check {
        /// An exercise or a chapter, as `list` names them.
        name: Option<String>,
        /// Print JSON: the rows of `list --json`, each with the whole message.
        #[arg(long)]
        json: bool,
    },
    /// List the exercises with their states.
    List {
        /// Print JSON: an array of objects.
        #[arg(long)]
        json: bool,
    },
    /// Show a hint; there are three for each exercise.
    Hint {
        /// The exercise.
        name: String,
        /// Which hint: 1, 2 or 3.
        #[arg(default_value_t = 1)]
        step: usize,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Put an exercise back to its stub; the answer is kept as a copy.
    Reset {
        /// The exercise.
        name: String,
        /// Do not ask.
        #[arg(long)]
        yes: bool,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Prove that every exercise tells right from wrong. CI runs this.
    Prove {
        /// An exercise or a chapter.
        name: Option<String>,
        /// Do not demand that `src` holds the stubs.
        #[arg(long)]
        with_answers: bool,
        /// Print JSON: an array of what was proved, each with its fault or null.
        #[arg(long)]
        json: bool,
    },
    /// Summarise who stands where: this copy, or a folder of learners' copies, judged by this one.
    Report {
        /// A folder that holds one copy of the repository, or one copy for each learner.
        folder: Option<PathBuf>,
        /// Judge one exercise or one chapter alone, as `list` names them.
        #[arg(long, value_name = "NAME")]
        only: Option<String>,
        /// For the projector: how many stand where in each exercise and what goes wrong, without names.
        #[arg(long, requires = "folder", conflicts_with = "json")]
        room: bool,
        /// With --room: look again every two seconds, and show what has changed, until Ctrl-C.
        #[arg(long, requires = "room")]
        watch: bool,
        /// Print JSON: an array of learners with their exercises.
        #[arg(long)]
        json: bool,
    },
    /// Measure the time from saving an exercise to its verdict.
    Time {
        /// The exercise.
        name: String,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
}

fn main() -> ExitCode {
    let answer = match Arguments::try_parse() {
        Ok(arguments) => run(arguments),
        Err(error) => match named_without_check(&error) {
            Some(name) => Err(anyhow!(
                "`{name}` is no command; did you mean `cargo workbook check {name}`?"
            )),
            None => error.exit(),
        },
    };
    match answer {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            anstream::eprintln!("{} {error:#}", "error:".red().bold());
            ExitCode::from(2)
        }
    }
}

/// The exercise or chapter that stands where a command should, as in `cargo workbook order-i64`.
fn named_without_check(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    let catalogue = Catalogue::load(&std::env::current_dir().ok()?).ok()?;
    catalogue.choose(Some(name)).ok()?;
    Some(name.clone())
}

/// Whether all is well: nothing that was asked about fails.
fn run(arguments: Arguments) -> Result<bool> {
    let here = std::env::current_dir().context("cannot tell the current folder")?;
    let catalogue = Catalogue::load(&here)?;
    let colour = anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never;
    let command = arguments.command.unwrap_or(Command::Serve(arguments.serve));
    match command {
        Command::Serve(Serve { host, port, open }) => {
            serve::serve(catalogue, host, port, open, colour)?;
            Ok(true)
        }
        Command::Check { name, json } => commands::check(&catalogue, name.as_deref(), json, colour),
        Command::List { json } => commands::list(&catalogue, json),
        Command::Hint { name, step, json } => commands::hint(&catalogue, &name, step, json),
        Command::Reset { name, yes, json } => commands::reset(&catalogue, &name, yes, json),
        Command::Prove {
            name,
            with_answers,
            json,
        } => commands::prove(&catalogue, name.as_deref(), with_answers, json, colour),
        Command::Report {
            folder: Some(folder),
            only,
            room: true,
            watch,
            ..
        } => room::show(&catalogue, &folder, only.as_deref(), watch),
        Command::Report {
            folder, only, json, ..
        } => commands::report(&catalogue, folder.as_deref(), only.as_deref(), json),
        Command::Time { name, json } => commands::time(&catalogue, &name, json),
    }
}

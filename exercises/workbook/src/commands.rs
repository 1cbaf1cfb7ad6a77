//! The subcommands: what each prints, for a person or as JSON.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;
use kit::State;
use owo_colors::OwoColorize as _;
use serde::Serialize;

use crate::build::Progress;
use crate::catalogue::Catalogue;
use crate::say::{say, say_line};
use crate::status::{self, Report, Row};
use crate::{hint, prove, report, reset, table, timing};

fn print_json(value: &impl Serialize) -> Result<()> {
    say_line!("{}", serde_json::to_string_pretty(value)?);
    Ok(())
}

/// Judges and prints whole messages. True unless something fails.
pub(crate) fn check(
    catalogue: &Catalogue,
    name: Option<&str>,
    json: bool,
    colour: bool,
) -> Result<bool> {
    let mut reports = Vec::new();
    for (chapter, names) in catalogue.choose(name)? {
        let look = status::look(catalogue, chapter, &names, Progress::Shown, colour && !json)?;
        if !json {
            say!("{}", told(&look));
        }
        reports.extend(look.reports);
    }
    if json {
        print_json(&reports)?;
    } else if reports.len() > 1 {
        say_line!("\n{}", table::summary(reports.iter().map(|r| &r.row)));
    }
    Ok(reports.iter().all(|r| r.row.state != State::Failing))
}

/// What is told of one look. What the compiler says of a chapter is said once of it.
fn told(look: &status::Look) -> String {
    let mut text = look.broken.clone().unwrap_or_default();
    for Report { row, message, .. } in &look.reports {
        let _ = writeln!(text, "{}  {}", row.name.bold(), table::state(row.state));
        match row.state {
            State::NotStarted => {
                let _ = writeln!(text, "The task is in {}.", row.file);
                if let Some(half_written) = &row.diagnosis {
                    let _ = writeln!(text, "Your file has changed, but {half_written}.");
                }
            }
            State::Failing if look.broken.is_none() => {
                let _ = write!(text, "\n{message}");
            }
            State::Failing | State::Passed => {}
        }
    }
    let mut rows = look.reports.iter().map(|report| &report.row);
    if let (Some(_), Some(error)) = (&look.broken, rows.find_map(Row::compile_error)) {
        let _ = writeln!(text, "{error}");
    }
    text
}

/// Prints the table.
pub(crate) fn list(catalogue: &Catalogue, json: bool) -> Result<bool> {
    let mut reports = Vec::new();
    for (chapter, names) in catalogue.choose(None)? {
        reports.extend(status::look(catalogue, chapter, &names, Progress::Shown, false)?.reports);
    }
    if json {
        print_json(&reports.iter().map(|r| &r.row).collect::<Vec<_>>())?;
    } else {
        say!("{}", table::table(&reports));
    }
    Ok(true)
}

/// Prints who stands where.
pub(crate) fn report(
    catalogue: &Catalogue,
    folder: Option<&Path>,
    only: Option<&str>,
    json: bool,
) -> Result<bool> {
    let learners = report::report(catalogue, folder, only)?;
    if json {
        print_json(&learners)?;
    } else {
        say!("{}", report::text(&learners));
    }
    Ok(true)
}

/// Prints one hint, and how to get the next.
pub(crate) fn hint(catalogue: &Catalogue, name: &str, step: usize, json: bool) -> Result<bool> {
    let hint = hint::hint(catalogue, name, step)?;
    if json {
        print_json(&hint)?;
        return Ok(true);
    }
    say_line!("{}", format!("Hint {step} of {}", hint.of).bold());
    say_line!("{}", hint.text);
    if step < hint.of {
        say_line!("\nThe next one: cargo workbook hint {name} {}", step + 1);
    }
    Ok(true)
}

/// Resets and says where the answer is kept.
pub(crate) fn reset(catalogue: &Catalogue, name: &str, yes: bool, json: bool) -> Result<bool> {
    let done = reset::reset(catalogue, name, yes)?;
    if json {
        print_json(&done)?;
    } else if done.changed {
        say_line!("{} holds the stub again.", done.file);
        if let Some(backup) = &done.backup {
            say_line!("Your answer is kept in {backup}.");
        }
    } else {
        say_line!("{} holds the stub already; nothing was changed.", done.file);
    }
    Ok(true)
}

/// Proves and prints what does not hold. True if all holds.
pub(crate) fn prove(
    catalogue: &Catalogue,
    name: Option<&str>,
    with_answers: bool,
    json: bool,
    colour: bool,
) -> Result<bool> {
    let proofs = prove::prove(catalogue, name, with_answers, colour && !json)?;
    let faults = proofs.iter().filter(|proof| proof.fault.is_some()).count();
    if json {
        print_json(&proofs)?;
        return Ok(faults == 0);
    }
    for proof in &proofs {
        let mark = match proof.fault {
            None => "ok    ".green().to_string(),
            Some(_) => "FAULT ".red().bold().to_string(),
        };
        say_line!("{mark}{}: {}", proof.exercise, proof.what);
        if let Some(fault) = &proof.fault {
            for line in fault.lines() {
                say_line!("        {line}");
            }
        }
    }
    say_line!("{} proved, {faults} not", proofs.len() - faults);
    Ok(faults == 0)
}

/// Measures and prints. Fails above the limit.
pub(crate) fn time(catalogue: &Catalogue, name: &str, json: bool) -> Result<bool> {
    let timing = timing::measure(catalogue, name)?;
    if json {
        print_json(&timing)?;
    } else {
        let shown: Vec<String> = timing.seconds.iter().map(|s| format!("{s:.2} s")).collect();
        say_line!(
            "from saving {} to the verdict: {}",
            timing.file,
            shown.join(", ")
        );
        say_line!("the limit is {:.1} s", timing.limit);
    }
    Ok(timing.within())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::BROKEN;
    use crate::status::tests::report;

    #[test]
    fn a_chapter_that_does_not_compile_is_told_once() {
        let error = format!("{BROKEN}: expected an expression (src/a.rs:28)");
        let failing = |name| report(name, State::Failing, Some(&error));
        let text = told(&status::Look {
            reports: vec![failing("a"), failing("b")],
            broken: Some("the compiler's words\n".to_owned()),
        });
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4, "{text}");
        assert_eq!((lines[0], lines[3]), ("the compiler's words", &*error));
        assert!(lines[1].contains('a') && lines[2].contains('b'), "{text}");
    }
}

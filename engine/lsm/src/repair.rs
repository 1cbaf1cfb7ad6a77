//! `lsm repair`: makes a damaged database open again, and says what it could not keep.

use std::io::{self, Write};
use std::path::Path;

use engine::{Options, RepairReport, repair};

use crate::args::RepairArgs;
use crate::{DAMAGED, FINE, Failure, Outcome, check_no_file, shown_name, style, told};

pub(crate) fn run(args: &RepairArgs, out: &mut dyn Write) -> Outcome {
    check_no_file(&args.dir)?;
    let report = repair(&args.dir, &Options::default())?;
    let code = match report.lost.is_empty() {
        true => FINE,
        false => DAMAGED,
    };
    let written = show(&report, &args.dir, out);
    told(code, written.map_err(Failure::from))
}

fn show(report: &RepairReport, dir: &Path, out: &mut dyn Write) -> io::Result<()> {
    let how = match report.rebuilt {
        true => "the manifest was made anew from the tables",
        false => "the manifest could be read and was believed",
    };
    writeln!(out, "{how}")?;
    for lost in &report.lost {
        writeln!(
            out,
            "{}  {} at byte {}: {}",
            style::wrong("lost"),
            shown_name(&lost.file),
            lost.offset,
            lost.what
        )?;
    }
    for (path, why) in &report.aside {
        writeln!(out, "{} {}: {why}", style::note("moved"), shown_name(path))?;
    }
    let families: Vec<_> = report
        .families
        .iter()
        .map(|name| style::name(name))
        .collect();
    writeln!(
        out,
        "kept  {} with {} in {}: {}",
        style::count(report.tables, "table"),
        style::count(report.entries, "entry"),
        style::count(families.len() as u64, "family"),
        families.join(", "),
    )?;
    if report.batches > 0 {
        writeln!(
            out,
            "      {} of the logs among them",
            style::count(report.batches, "batch")
        )?;
    }
    writeln!(out, "{}", style::good("it opens again"))?;
    if report.lost.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "What was in the lost places is gone, and so are deletions that were only there: older versions of their keys may show again. \
         What was moved is in {}.",
        dir.join("lost").display()
    )
}

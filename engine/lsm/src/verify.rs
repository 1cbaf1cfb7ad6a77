//! `lsm verify`: what is wrong with a database.

use std::io::{self, Write};

use engine::{Options, Severity, VerifyReport, verify};
use serde_json::json;

use crate::args::DirArgs;
use crate::{
    DAMAGED, FINE, Failure, Outcome, WHAT_TO_DO, check_no_file, file_name, shown_name, style, told,
};

pub(crate) fn run(args: &DirArgs, out: &mut dyn Write) -> Outcome {
    check_no_file(&args.dir)?;
    let report = verify(&args.dir, &Options::default())?;
    let code = if report.is_clean() { FINE } else { DAMAGED };
    let written = match args.json {
        true => writeln!(out, "{:#}", as_json(&report)),
        false => show(&report, out),
    };
    told(code, written.map_err(Failure::from))
}

fn show(report: &VerifyReport, out: &mut dyn Write) -> io::Result<()> {
    for finding in &report.findings {
        let place = format!("{} at byte {}:", shown_name(&finding.file), finding.offset);
        match finding.severity {
            Severity::Damage => {
                writeln!(out, "{} {place} {}", style::wrong("damage"), finding.what)?;
            }
            Severity::Note => writeln!(
                out,
                "{}   {}: {}",
                style::note("note"),
                shown_name(&finding.file),
                finding.what
            )?,
        }
    }
    writeln!(
        out,
        "read {} with {} ({}) and {} with {}",
        style::count(report.tables, "table"),
        style::count(report.entries, "entry"),
        style::size(report.table_bytes),
        style::count(report.logs, "log"),
        style::count(report.batches, "batch"),
    )?;
    match report.damage().count() {
        0 => writeln!(
            out,
            "{}",
            style::good("sound: every checksum, order and count is right")
        )?,
        findings => {
            let text = format!("{} of damage", style::count(findings as u64, "finding"));
            writeln!(out, "{}", style::wrong(&text))?;
            writeln!(out, "{WHAT_TO_DO}")?;
        }
    }
    Ok(())
}

fn as_json(report: &VerifyReport) -> serde_json::Value {
    let findings: Vec<_> = report
        .findings
        .iter()
        .map(|finding| {
            json!({
                "file": file_name(&finding.file),
                "offset": finding.offset,
                "damage": finding.severity == Severity::Damage,
                "what": finding.what,
            })
        })
        .collect();
    json!({
        "clean": report.is_clean(),
        "findings": findings,
        "families": report.families.iter().map(|family| json!({
            "name": family.name, "comparator": family.comparator,
        })).collect::<Vec<_>>(),
        "tables": report.tables,
        "table_bytes": report.table_bytes,
        "entries": report.entries,
        "logs": report.logs,
        "batches": report.batches,
    })
}

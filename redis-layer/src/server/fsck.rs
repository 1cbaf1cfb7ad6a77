//! `fsck`: checks whether the data in a directory is sound, from the bytes of the files up to the Redis types.
//!
//! First the engine reads every file and verifies the checksums, without writing anything. If the files are sound,
//! the store is opened as a server would open it, including what a crash left in the logs, and every row of every
//! type is compared with the others.
//!
//! Left out: repair. Damaged files are repaired by `lsm repair`. Rows that contradict one another are a bug of this
//! program, and it is unknown which of them is right.

use std::io::Write;
use std::path::Path;

use engine::Severity;

use crate::store::EngineStore;
use crate::types::{Report, check};

/// Why nothing can be said about a directory.
#[derive(Debug, thiserror::Error)]
pub enum FsckError {
    /// It cannot be read, or it is in use.
    #[error(transparent)]
    Engine(#[from] engine::Error),
    /// It cannot be opened as a store.
    #[error(transparent)]
    Store(#[from] crate::store::Error),
    /// The rows cannot be read.
    #[error(transparent)]
    Rows(#[from] crate::types::Error),
    /// The report cannot be written.
    #[error("cannot write the report: {0}")]
    Report(#[from] std::io::Error),
}

/// Checks the data in a directory and writes a report. Returns whether all of it is sound.
///
/// # Errors
/// See [`FsckError`]. If there is no data, nothing is created.
pub fn fsck(dir: &Path, out: &mut impl Write) -> Result<bool, FsckError> {
    let options = engine::Options {
        create_if_missing: false,
        ..engine::Options::default()
    };
    let files = engine::verify(dir, &options)?;
    writeln!(
        out,
        "files      tables: {}, their bytes: {}, logs: {}, their batches: {}",
        files.tables, files.table_bytes, files.logs, files.batches
    )?;
    for finding in &files.findings {
        let severity = match finding.severity {
            Severity::Note => "note",
            _ => "DAMAGE",
        };
        let (file, offset) = (finding.file.display(), finding.offset);
        writeln!(out, "  {severity}: {file} at {offset}: {}", finding.what)?;
    }
    if !files.is_clean() {
        writeln!(
            out,
            "the files are damaged, so the rows were not looked at; `lsm repair` may help"
        )?;
        return Ok(false);
    }
    let store = EngineStore::open_with(dir, options)?;
    let report = check(&store)?;
    write_report(&report, out)?;
    Ok(report.is_sound())
}

fn write_report(report: &Report, out: &mut impl Write) -> std::io::Result<()> {
    let kinds = report
        .kinds
        .iter()
        .map(|(name, count)| format!("{count} {name}"));
    let kinds = kinds.collect::<Vec<_>>().join(", ");
    let separator = if kinds.is_empty() { "" } else { ": " };
    writeln!(out, "keys       {}{separator}{kinds}", report.keys)?;
    writeln!(out, "elements   {}", report.elements)?;
    let orphans = report.orphans;
    writeln!(
        out,
        "orphans    {orphans} rows of removed keys, whose space the server gives back"
    )?;
    for fault in &report.faults {
        let (db, key) = (fault.db, fault.key.escape_ascii());
        writeln!(out, "  FAULT: database {db}, key \"{key}\": {}", fault.what)?;
    }
    let more = report.more_faults;
    if more > 0 {
        writeln!(out, "  and {more} more")?;
    }
    let faults = report.faults.len() as u64 + more;
    let verdict = if faults == 0 { "sound" } else { "NOT SOUND" };
    writeln!(out, "faults     {faults}\n{verdict}")
}

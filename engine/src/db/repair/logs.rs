//! Rows of the logs into tables of level 0.
//!
//! A log is kept as a table for each family, so that the database opens without it and what is damaged of it cannot
//! hinder. A damaged log is read up to the damage. If logs follow, they are read too: their rows were acknowledged.
//! Only where a log merely lost its end, as in a power cut, are later ones left out as at every opening.

use std::collections::BTreeMap;
use std::path::Path;

use super::Repair;
use crate::batch::{BatchView, FamilyId};
use crate::compaction;
use crate::db::survey::Finding;
use crate::error::Result;
use crate::internal_key::{MAX_SEQUENCE, ParsedKey};
use crate::log::{LogEnd, LogReader, RecoveryMode};
use crate::memtable::MemtableWriter;
use crate::version::{State, VersionEdit, file_name};

/// What was read of a log.
#[derive(Default)]
struct Rows {
    memtables: BTreeMap<FamilyId, MemtableWriter>,
    first_sequence: Option<u64>,
    last_sequence: u64,
    batches: u64,
    /// Records of families that nothing names.
    nameless: u64,
    torn: bool,
    damaged: bool,
}

impl Repair<'_> {
    pub(super) fn replay_logs(&mut self, state: &mut State) -> Result<()> {
        let numbers: Vec<u64> = self.names.logs.iter().copied().collect();
        let mut left_out = false;
        for number in numbers {
            let path = file_name::log(self.dir, number);
            if self.believed && number < self.survey.oldest_log {
                self.set_aside(path, "its rows are in tables");
                continue;
            }
            if left_out {
                self.set_aside(
                    path,
                    "a log before it lost its end: it was never acknowledged as durable",
                );
                continue;
            }
            let rows = self.read_log(number, &path, state)?;
            let gap = rows
                .first_sequence
                .is_some_and(|first| first > state.last_sequence + 1);
            if gap && !self.lost_rows() {
                left_out = true;
                self.set_aside(
                    path,
                    "a log before it lost its end: it was never acknowledged as durable",
                );
                continue;
            }
            if rows.last_sequence <= state.last_sequence {
                self.set_aside(path, "its rows are in tables");
                continue;
            }
            self.write_rows(state, &rows)?;
            if rows.nameless > 0 {
                let what = format!(
                    "{} records are of column families that no table and no manifest names",
                    rows.nameless
                );
                self.report.lost.push(Finding::damage(&path, 0, what));
            }
            self.report.batches += rows.batches;
            let how = match (rows.damaged, rows.torn) {
                (true, _) => "its rows up to the damage are in tables",
                (_, true) => "its rows up to its torn end are in tables",
                _ => "its rows are in tables",
            };
            self.set_aside(path, how);
        }
        if self.believed
            && self.survey.oldest_log > 0
            && !self.names.logs.contains(&self.survey.oldest_log)
        {
            let path = file_name::log(self.dir, self.survey.oldest_log);
            let what = "the file is missing, and the manifest needs it";
            self.report.lost.push(Finding::damage(&path, 0, what));
        }
        Ok(())
    }

    /// Whether something that came before may be missing, so that a gap in the numbers is no sign of a torn end.
    fn lost_rows(&self) -> bool {
        !self.believed || !self.report.lost.is_empty()
    }

    fn read_log(&mut self, number: u64, path: &Path, state: &State) -> Result<Rows> {
        let mut rows = Rows::default();
        let contents = match self.vfs.read(path) {
            Ok(contents) => contents,
            Err(error) => {
                self.report
                    .lost
                    .push(Finding::damage(path, 0, error.to_string()));
                rows.damaged = true;
                return Ok(rows);
            }
        };
        let mut reader = LogReader::new(&contents, path, number, RecoveryMode::PointInTime);
        loop {
            let read = match reader.next_record() {
                Ok(Some(record)) => self.read_batch(record, &mut rows, state),
                Ok(None) => break,
                Err(error) => {
                    self.report.lost.push(Finding::of_error(path, error));
                    rows.damaged = true;
                    return Ok(rows);
                }
            };
            if let Err(what) = read {
                self.report
                    .lost
                    .push(Finding::damage(path, reader.record_at(), what));
                rows.damaged = true;
                return Ok(rows);
            }
        }
        rows.torn = matches!(reader.end(), Some(LogEnd::Torn { .. }));
        Ok(rows)
    }

    fn read_batch(&self, record: &[u8], rows: &mut Rows, state: &State) -> Result<(), String> {
        let batch = BatchView::decode(record)?;
        let end = batch.sequence.checked_add(u64::from(batch.count));
        if end.is_none_or(|end| end > MAX_SEQUENCE) {
            return Err(format!(
                "the number {} is no sequence number",
                batch.sequence
            ));
        }
        if rows.first_sequence.is_some() && batch.sequence != rows.last_sequence + 1 {
            let (found, expected) = (batch.sequence, rows.last_sequence + 1);
            return Err(format!(
                "its sequence number is {found}, and {expected} follows"
            ));
        }
        rows.first_sequence.get_or_insert(batch.sequence);
        for (sequence, record) in (batch.sequence..).zip(batch.records()) {
            let record = record?;
            rows.last_sequence = sequence;
            let Some(family) = state.families.get(&record.family) else {
                let was_dropped = self.survey.dropped.contains(&record.family)
                    || (self.believed && record.family.0 < self.survey.next_family);
                rows.nameless += u64::from(!was_dropped);
                continue;
            };
            let options = self.options.of_family(&family.name);
            let memtable = rows
                .memtables
                .entry(record.family)
                .or_insert_with(|| options.new_memtable(&family.access.comparator));
            let key = ParsedKey {
                user_key: record.key,
                sequence,
                kind: record.kind,
            };
            memtable.insert(key, record.value);
        }
        for memtable in rows.memtables.values_mut() {
            memtable.end_batch();
        }
        rows.batches += 1;
        Ok(())
    }

    /// Makes tables of what a log held, and adds them to the state.
    fn write_rows(&mut self, state: &mut State, rows: &Rows) -> Result<()> {
        let mut edit = VersionEdit {
            last_sequence: Some(rows.last_sequence),
            ..VersionEdit::default()
        };
        for (id, memtable) in &rows.memtables {
            let version = &state.families[id].version;
            let record = &self.survey.families[id];
            let output = self.rewrite(record, Vec::new(), |environment| {
                compaction::flush(environment, &memtable.reader(), version)
            })?;
            let files = output.map(|output| output.files).unwrap_or_default();
            edit.files_added
                .extend(files.into_iter().map(|file| (*id, 0, file)));
        }
        *state = self.applied(state, &edit)?;
        Ok(())
    }
}

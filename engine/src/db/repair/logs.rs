//! Moves the rows of the logs into tables of level 0.
//!
//! A log is replaced by a table for each family, so that the database opens without the log, and damage
//! in it no longer matters. A log is read up to the first damage or bad sector in it. Later logs are read
//! too, because their rows were acknowledged. Only if a log merely lost its end, as in a power cut, are later ones
//! left out, as in every opening. A mark in the later one, or the manifest, says that it was not a power cut. A log whose
//! numbers begin within those of an earlier one is another database's, or an old copy: that is damage, and it gives no rows.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Repair;
use crate::annotate::count;
use crate::batch::{BatchView, FamilyId};
use crate::compaction;
use crate::db::recovery::{WrongBatch, begins_too_high, end_too_early, lost_its_durable_end};
use crate::db::survey::Finding;
use crate::error::Result;
use crate::internal_key::{MAX_SEQUENCE, ParsedKey};
use crate::log::{LogEnd, LogReader, RecoveryMode};
use crate::memtable::MemtableWriter;
use crate::sstable::TableNumbers;
use crate::version::{State, VersionEdit, file_name};
use crate::vfs::read_to_failure;

const IN_TABLES: &str = "its rows are in tables";
const ELSEWHERE: &str = "it does not continue the log before it";
const NEVER_DURABLE: &str = "a log before it lost its end: it was never acknowledged as durable";

/// What was read from a log.
#[derive(Default)]
struct Rows {
    /// The entries that no table of their family has yet.
    memtables: BTreeMap<FamilyId, MemtableWriter>,
    first_sequence: Option<u64>,
    last_sequence: u64,
    /// Batches with an entry that no table has.
    batches: u64,
    /// Records of families that neither a table nor the manifest names.
    nameless: u64,
    /// The offset up to which it could be read.
    end: u64,
    /// The offset before which a mark says that everything was durable, if there is a mark.
    durable: Option<u64>,
    torn: bool,
    damaged: bool,
}

/// What came before a log.
struct Before {
    /// The previous log, and up to which offset it could be read.
    log: Option<(PathBuf, u64)>,
    /// The last sequence number of all logs so far; 0 if they have none.
    last_sequence: u64,
    /// Where the last batch of all ends.
    last_batch: Option<(PathBuf, u64)>,
    /// Whether durable rows may be missing, so that a gap in the numbers does not indicate a torn end.
    may_lack: bool,
}

impl Repair<'_> {
    pub(super) fn replay_logs(&mut self, state: &mut State) -> Result<()> {
        let numbers: Vec<u64> = self.names.logs.iter().copied().collect();
        let mut before = Before {
            log: None,
            last_sequence: 0,
            last_batch: None,
            may_lack: !self.believed,
        };
        let mut left_out = false;
        for number in numbers {
            let path = file_name::log(self.dir, number);
            let how = match (self.believed && number < self.survey.oldest_log, left_out) {
                (true, _) => Some(IN_TABLES),
                (_, true) => None,
                _ => self.replay_log(number, &path, state, &mut before)?,
            };
            left_out |= how.is_none();
            self.set_aside(path, how.unwrap_or(NEVER_DURABLE));
        }
        self.report_lost_end(state, &before);
        self.report_missing_log();
        Ok(())
    }

    /// Moves the rows of a log into tables, and says how far that went. Returns `None` if the log
    /// comes after a lost end.
    fn replay_log(
        &mut self,
        number: u64,
        path: &Path,
        state: &mut State,
        before: &mut Before,
    ) -> Result<Option<&'static str>> {
        let mut rows = self.read_log(number, path, state)?;
        before.may_lack |= rows.damaged;
        let next = state.last_sequence + 1;
        // No two logs of a database have a number in common.
        if let Some(first) = rows.first_sequence.filter(|of| *of <= before.last_sequence) {
            let what = WrongBatch::Elsewhere { first, next }.to_string();
            self.report.lost.push(Finding::damage(path, 0, what));
            before.may_lack = true;
            return Ok(Some(ELSEWHERE));
        }
        before.last_sequence = rows.last_sequence.max(before.last_sequence);
        let gap = rows.first_sequence.filter(|first| *first > next);
        if let (Some(first), false) = (gap, before.may_lack) {
            let lack = match (&before.log, rows.durable) {
                (None, _) => Finding::damage(path, 0, begins_too_high(first, next)),
                (Some((log, end)), Some(upto)) => {
                    Finding::damage(log, *end, lost_its_durable_end(path, upto))
                }
                (Some((log, end)), None) if first <= self.durable() => {
                    Finding::damage(log, *end, end_too_early(next - 1, self.durable()))
                }
                (Some(_), None) => return Ok(None),
            };
            self.report.lost.push(lack);
            before.may_lack = true;
        }
        before.log = Some((path.to_path_buf(), rows.end));
        if rows.first_sequence.is_some() || before.last_batch.is_none() {
            before.last_batch.clone_from(&before.log);
        }
        self.write_rows(state, &mut rows)?;
        if rows.nameless > 0 {
            let what = format!(
                "{} in column families that no table and no manifest names",
                count(rows.nameless, "record")
            );
            self.report.lost.push(Finding::damage(path, 0, what));
        }
        self.report.batches += rows.batches;
        Ok(Some(match (rows.damaged, rows.torn) {
            (true, _) => "its rows up to the damage are in tables",
            (_, true) => "its rows up to its torn end are in tables",
            _ => IN_TABLES,
        }))
    }

    /// The sequence number up to which the manifest says that everything was durable.
    fn durable(&self) -> u64 {
        match self.believed {
            true => self.survey.durable_sequence,
            false => 0,
        }
    }

    /// Reports what the manifest says was durable, and no log holds.
    fn report_lost_end(&mut self, state: &State, before: &Before) {
        let (last, durable) = (state.last_sequence, self.durable());
        if let (true, Some((log, end))) = (last < durable && !before.may_lack, &before.last_batch) {
            let what = end_too_early(last, durable);
            self.report.lost.push(Finding::damage(log, *end, what));
        }
    }

    fn report_missing_log(&mut self) {
        let oldest = self.survey.oldest_log;
        if self.believed && oldest > 0 && !self.names.logs.contains(&oldest) {
            let path = file_name::log(self.dir, oldest);
            let what = "the file is missing, and the manifest needs it";
            self.report.lost.push(Finding::damage(&path, 0, what));
        }
    }

    fn read_log(&mut self, number: u64, path: &Path, state: &State) -> Result<Rows> {
        let mut rows = Rows::default();
        let (contents, failure) = read_to_failure(&**self.vfs, path)?;
        if let Some(error) = failure {
            let at = contents.len() as u64;
            self.report
                .lost
                .push(Finding::damage(path, at, error.to_string()));
            rows.damaged = true;
        }
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
        rows.end = reader.end().map_or(contents.len() as u64, LogEnd::at);
        rows.durable = reader.durable();
        Ok(rows)
    }

    fn read_batch(&self, record: &[u8], rows: &mut Rows, state: &State) -> Result<(), String> {
        let batch = BatchView::decode(record)?;
        let end = batch.sequence.checked_add(u64::from(batch.count));
        if end.is_none_or(|end| end > MAX_SEQUENCE + 1) {
            return Err(format!(
                "the number {} is no sequence number",
                batch.sequence
            ));
        }
        if rows.first_sequence.is_some() && batch.sequence != rows.last_sequence + 1 {
            let (first, next) = (batch.sequence, rows.last_sequence + 1);
            return Err(WrongBatch::Elsewhere { first, next }.to_string());
        }
        rows.first_sequence.get_or_insert(batch.sequence);
        let mut is_new = false;
        for (sequence, record) in (batch.sequence..).zip(batch.records()) {
            let record = record?;
            rows.last_sequence = sequence;
            let Some(family) = state.families.get(&record.family) else {
                rows.nameless += u64::from(!self.was_dropped(record.family));
                continue;
            };
            if sequence <= self.reached(record.family) {
                continue;
            }
            is_new = true;
            let memtable = rows.memtables.entry(record.family).or_insert_with(|| {
                let options = self.listed.of_family(&family.name);
                options.new_memtable(&family.access.comparator)
            });
            let key = ParsedKey {
                user_key: record.key,
                sequence,
                kind: record.kind,
            };
            memtable.insert(key, record.value);
        }
        rows.batches += u64::from(is_new);
        Ok(())
    }

    /// The sequence number up to which all rows of a family are in tables. A flush takes everything
    /// that a log holds of a family, and logs are flushed in order, so the greatest number in its
    /// tables says so for every row before.
    ///
    /// This is done for each family separately, because an interrupted flush may have left the
    /// tables of some families only.
    fn reached(&self, family: FamilyId) -> u64 {
        let own = self.reached.get(&family).copied();
        own.unwrap_or(0).max(self.survey.last_sequence)
    }

    /// Makes tables of the rows of a log, and adds them to the state. They are in level 0, above
    /// all other tables of their families, whose rows are older.
    fn write_rows(&mut self, state: &mut State, rows: &mut Rows) -> Result<()> {
        let mut edit = VersionEdit {
            last_sequence: Some(rows.last_sequence.max(state.last_sequence)),
            ..VersionEdit::default()
        };
        for (id, memtable) in std::mem::take(&mut rows.memtables) {
            let version = &state.families[&id].version;
            let record = &self.survey.families[&id];
            // As one batch, because nobody reads what was there between two of them.
            let memtable = memtable.end_replay();
            let output = self.rewrite(record, TableNumbers::default(), |environment| {
                compaction::flush(environment, &memtable, version)
            })?;
            let files = output.map(|output| output.files).unwrap_or_default();
            edit.files_added
                .extend(files.into_iter().map(|file| (id, 0, file)));
            self.reached.insert(id, rows.last_sequence);
        }
        *state = self.applied(state, &edit)?;
        Ok(())
    }
}

//! Reading the write-ahead logs back.
//!
//! Each log becomes a set of full memtables, which are flushed like any other. Logs hold consecutive
//! sequence numbers, also from one log to the next, and that is checked: if a log lost its end in a
//! power cut, the next one begins with a number that is too high, and everything from there on is left
//! out. It cannot have been acknowledged as durable, because a sync makes all older logs durable first.
//! So if a log after the gap holds a mark, which follows a sync, no power cut can have lost the end of
//! the older log: that is corruption. Thus what is recovered is always a prefix of what was written.
//! A power cut takes nothing of what the manifest says was durable, which it does at an opening and at a closing. If
//! the logs end before that, they were cut, emptied or exchanged.
//!
//! The entries of a log are sorted before they are inserted. A memtable takes sorted entries
//! several times faster than entries in the order of their writes, and that determines how long an
//! opening after a kill takes.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::batch::{BatchView, FamilyId};
use crate::db::core::FrozenSet;
use crate::db::recovery_order::{Entry, sorted};
use crate::error::{Error, Result};
use crate::internal_key::{MAX_SEQUENCE, ParsedKey};
use crate::log::{LogEnd, LogReader, RecoveryMode};
use crate::memtable::{Memtable, MemtableWriter};
use crate::version::{State, file_name};
use crate::vfs::Vfs;

/// A log that had lost its end when the database was opened: [`Db::torn_logs`](crate::Db::torn_logs).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TornLog {
    /// The log. It is removed when what it holds is in tables.
    pub path: PathBuf,
    /// Where the write begins that is not whole. It was left out, and so was everything that was written after it.
    pub at: u64,
}

/// What the logs hold.
#[derive(Debug)]
pub(super) struct Recovered {
    /// One for each log that is not empty, the oldest first.
    pub(super) sets: Vec<FrozenSet>,
    /// The sequence number of the last write.
    pub(super) last_sequence: u64,
    /// The logs that have lost their end.
    pub(super) torn: Vec<TornLog>,
    /// The logs after the first gap: they were never acknowledged as durable, and must be removed
    /// before anything is written.
    beyond_gap: Vec<u64>,
}

/// Reads the logs that are still needed.
///
/// # Errors
/// `Corruption` if a log is damaged before its end, if the logs lack what the manifest says was durable, or, in
/// [`RecoveryMode::Absolute`], if one lost its end; `Io`.
pub(super) fn replay_logs(
    vfs: &dyn Vfs,
    dir: &Path,
    logs: &BTreeSet<u64>,
    state: &State,
    mode: RecoveryMode,
    new_memtable: &mut dyn FnMut(FamilyId) -> MemtableWriter,
) -> Result<Recovered> {
    let mut recovered = Recovered {
        sets: Vec::new(),
        last_sequence: state.last_sequence,
        torn: Vec::new(),
        beyond_gap: Vec::new(),
    };
    check_oldest_log(dir, logs, state)?;
    // The last log that continues where the one before ends, and where it ends itself.
    let mut whole_until: Option<(PathBuf, u64)> = None;
    // Where the last batch of all ends.
    let mut last_batch = (file_name::log(dir, state.oldest_log), 0);
    for &number in logs.range(state.oldest_log..) {
        let path = file_name::log(dir, number);
        let contents = vfs.read(&path)?;
        let replay = Replay {
            path: &path,
            number,
            state,
            mode,
        };
        if recovered.beyond_gap.is_empty() {
            let is_first = whole_until.is_none();
            let records = replay.read(&contents, recovered.last_sequence + 1, is_first)?;
            if let Some(records) = records {
                if !records.batches.is_empty() {
                    last_batch = (path.clone(), records.end);
                }
                recovered.add(&replay, &records, new_memtable);
                whole_until = Some((path, records.end));
                continue;
            }
        }
        recovered.beyond_gap.push(number);
        let (before, end) = whole_until.as_ref().expect("the first log follows on");
        replay.check_not_durable(&contents, before, *end)?;
        // It may have lost its end where a record ends.
        recovered.note_torn(before, *end);
    }
    if recovered.last_sequence < state.durable_sequence {
        let what = end_too_early(recovered.last_sequence, state.durable_sequence);
        return Err(Error::corruption(last_batch.0, last_batch.1, what));
    }
    Ok(recovered)
}

/// The log that the manifest names is created and durable before the manifest names it, and removed only
/// after the manifest names another one. So if it is missing, more was lost than a power cut can lose.
fn check_oldest_log(dir: &Path, logs: &BTreeSet<u64>, state: &State) -> Result<()> {
    if state.oldest_log == 0 || logs.contains(&state.oldest_log) {
        return Ok(());
    }
    let path = file_name::log(dir, state.oldest_log);
    let what = "the file is missing, and the manifest needs it: the log is lost, or the manifest's last edit";
    Err(Error::corruption(path, 0, what))
}

impl Recovered {
    /// Adds a log that continues where the one before ends.
    fn add(
        &mut self,
        log: &Replay<'_>,
        records: &Records<'_>,
        new_memtable: &mut dyn FnMut(FamilyId) -> MemtableWriter,
    ) {
        if records.last_sequence > self.last_sequence {
            self.last_sequence = records.last_sequence;
            self.sets.push(FrozenSet {
                log_number: log.number,
                next_log: 0, // Known when the new log is: see `link`.
                last_sequence: records.last_sequence,
                memtables: log.memtables(records, new_memtable),
            });
        }
        if records.is_torn {
            self.note_torn(log.path, records.end);
        }
    }

    /// Notes that a log has lost its end, once for each log.
    fn note_torn(&mut self, path: &Path, at: u64) {
        if self.torn.last().is_none_or(|torn| torn.path != path) {
            self.torn.push(TornLog {
                path: path.to_path_buf(),
                at,
            });
        }
    }

    /// Sets, for each set, the log that continues where its own ends; `new_log` continues after the last one.
    pub(super) fn link(&mut self, new_log: u64) {
        let mut next_log = new_log;
        for set in self.sets.iter_mut().rev() {
            set.next_log = next_log;
            next_log = set.log_number;
        }
    }

    /// The oldest log that is needed, if any is.
    pub(super) fn oldest_log(&self) -> Option<u64> {
        self.sets.first().map(|set| set.log_number)
    }

    /// Makes durable what readers are about to see, and removes what was left out.
    ///
    /// The caller must sync the directory before anything new is written.
    pub(super) fn make_durable(&self, vfs: &dyn Vfs, dir: &Path) -> Result<()> {
        for set in &self.sets {
            vfs.open_append(&file_name::log(dir, set.log_number))?
                .sync()?;
        }
        for number in &self.beyond_gap {
            vfs.remove(&file_name::log(dir, *number))?;
        }
        Ok(())
    }
}

/// One log that is being read.
struct Replay<'a> {
    path: &'a Path,
    number: u64,
    state: &'a State,
    mode: RecoveryMode,
}

/// What a log holds.
struct Records<'a> {
    /// The batches, each with the sequence number of its first record.
    batches: Vec<(u64, Cow<'a, [u8]>)>,
    last_sequence: u64,
    /// How much of the log is valid.
    end: u64,
    /// Whether a record begins there and is not whole.
    is_torn: bool,
}

impl Replay<'_> {
    /// Reads and checks a log that should begin with `next_sequence`. Returns `None` if it begins
    /// with a greater number, after a gap. For the first log that is an error: it begins where the
    /// tables end, and no log before it can have lost its end.
    fn read<'c>(
        &self,
        contents: &'c [u8],
        mut next_sequence: u64,
        is_first: bool,
    ) -> Result<Option<Records<'c>>> {
        let mut reader = LogReader::new(contents, self.path, self.number, self.mode);
        let mut batches = Vec::new();
        while let Some(record) = reader.next_kept()? {
            match check_batch(&record, self.state.next_family, Some(next_sequence)) {
                Ok(after) => {
                    batches.push((next_sequence, record));
                    next_sequence = after;
                }
                Err(wrong) => {
                    let gap = wrong.begins_after_gap(batches.is_empty());
                    if gap.is_some() && !is_first {
                        return Ok(None);
                    }
                    let what = gap.unwrap_or_else(|| format!("record {}: {wrong}", batches.len()));
                    return Err(Error::corruption(self.path, reader.record_at(), what));
                }
            }
        }
        let end = reader.end();
        Ok(Some(Records {
            batches,
            last_sequence: next_sequence - 1,
            end: end.map_or(contents.len() as u64, LogEnd::at),
            is_torn: matches!(end, Some(LogEnd::Torn { .. })),
        }))
    }

    /// The entries of each family, in a memtable of its own. Those of dropped families are left out.
    fn memtables(
        &self,
        records: &Records<'_>,
        new_memtable: &mut dyn FnMut(FamilyId) -> MemtableWriter,
    ) -> Vec<(FamilyId, Memtable)> {
        let mut entries: BTreeMap<FamilyId, Vec<Entry<'_>>> = BTreeMap::new();
        for (sequence, batch) in &records.batches {
            let batch = BatchView::decode(batch).expect("checked by `read`");
            for (sequence, record) in (*sequence..).zip(batch.records()) {
                let record = record.expect("checked by `read`");
                if self.state.families.contains_key(&record.family) {
                    let key = ParsedKey {
                        user_key: record.key,
                        sequence,
                        kind: record.kind,
                    };
                    let of_family = entries.entry(record.family).or_default();
                    of_family.push((key, record.value));
                }
            }
        }
        let mut memtables = Vec::new();
        for (id, entries) in entries {
            let order = &self.state.families[&id].access.comparator;
            let mut memtable = new_memtable(id);
            for (key, value) in sorted(entries, order) {
                memtable.insert(key, value);
            }
            // As one batch: no snapshot is older than the opening, so of the range tombstones over
            // a key the newest is enough.
            memtables.push((id, memtable.end_replay()));
        }
        memtables
    }

    /// Checks that this log, which begins after a gap, may be left out.
    fn check_not_durable(&self, contents: &[u8], before: &Path, end: u64) -> Result<()> {
        let mut reader = LogReader::new(contents, self.path, self.number, self.mode);
        while reader.next_record()?.is_some() {}
        let what = match (reader.durable(), self.mode) {
            (Some(upto), _) => lost_its_durable_end(self.path, upto),
            (None, RecoveryMode::Absolute) => does_not_go_on(
                self.path,
                "the recovery mode is absolute; the mode point in time leaves out what follows",
            ),
            (None, RecoveryMode::PointInTime) => return Ok(()),
        };
        Err(Error::corruption(before, end, what))
    }
}

/// What is wrong with a batch of a log. Printed, it is part of a sentence.
#[derive(Debug, thiserror::Error)]
pub(super) enum WrongBatch {
    /// It contradicts itself, or the manifest.
    #[error("{0}")]
    Invalid(String),
    /// It does not continue what comes before.
    #[error("its sequence number is {first}, and {next} follows")]
    Elsewhere {
        /// Its sequence number.
        first: u64,
        /// The one that follows on what comes before.
        next: u64,
    },
}

impl WrongBatch {
    /// If it is the first batch of its log and numbers are missing before it: what is wrong with the log, if that is
    /// the first one, so that no log before it can have lost its end.
    pub(super) fn begins_after_gap(&self, is_first_batch: bool) -> Option<String> {
        match self {
            Self::Elsewhere { first, next } if is_first_batch && first > next => {
                Some(begins_too_high(*first, *next))
            }
            _ => None,
        }
    }
}

/// Checks a batch that should have the number `next`, if that is known. `next_family` is the number that no family has
/// reached. Returns the sequence number after the batch.
pub(super) fn check_batch(
    batch: &[u8],
    next_family: u32,
    next: Option<u64>,
) -> Result<u64, WrongBatch> {
    let batch = BatchView::decode(batch).map_err(WrongBatch::Invalid)?;
    let first = batch.sequence;
    if let Some(next) = next.filter(|next| *next != first) {
        return Err(WrongBatch::Elsewhere { first, next });
    }
    let after = first.saturating_add(u64::from(batch.count));
    if after > MAX_SEQUENCE + 1 {
        let what = format!("it runs past the last sequence number, {MAX_SEQUENCE}");
        return Err(WrongBatch::Invalid(what));
    }
    for record in batch.records() {
        let FamilyId(family) = record.map_err(WrongBatch::Invalid)?.family;
        if family >= next_family {
            let what = format!("it is for family {family}, which never was");
            return Err(WrongBatch::Invalid(what));
        }
    }
    Ok(after)
}

/// What is wrong with the first log if it begins with the number `first` and not with `next`, which
/// comes after the tables.
pub(super) fn begins_too_high(first: u64, next: u64) -> String {
    format!(
        "it begins with the sequence number {first}, and {next} follows on the tables: a log before it \
         is missing, or it was not written after this manifest, as where a checkpoint was copied over a database"
    )
}

/// What is wrong with a log if `next` does not continue it, although a mark in `next` says that it was durable.
pub(super) fn lost_its_durable_end(next: &Path, upto: u64) -> String {
    let says = format!("has a mark that everything before its byte {upto} was durable");
    does_not_go_on(next, &says)
}

/// What is wrong where the logs end with the number `last`, if the manifest says `durable`.
pub(super) fn end_too_early(last: u64, durable: u64) -> String {
    format!(
        "the logs end here, with the sequence number {last}, and the manifest says that all up to {durable} was \
         durable: this log or one after it was cut, emptied, exchanged or removed"
    )
}

fn does_not_go_on(next: &Path, says: &str) -> String {
    let next = next.display();
    format!("the log ends here, {next} does not go on where it ends, and {says}")
}

//! Reading the write-ahead logs back.
//!
//! Each log becomes a set of full memtables, to be flushed as any other. Logs hold consecutive sequence
//! numbers, also from one log to the next, and that is checked: if a log lost its end in a power cut, the
//! next one begins with a number too high, and everything from there on is left out. It cannot have been
//! acknowledged as durable, because a sync makes all older logs durable first. What is recovered is so
//! always a prefix of what was written.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::batch::{BatchView, FamilyId};
use crate::db::core::FrozenSet;
use crate::error::{Error, Result};
use crate::internal_key::{MAX_SEQUENCE, ParsedKey};
use crate::log::{LogReader, RecoveryMode};
use crate::memtable::MemtableWriter;
use crate::version::{State, file_name};
use crate::vfs::Vfs;

/// What the logs hold.
#[derive(Debug)]
pub(super) struct Recovered {
    /// One for each log that holds something, the oldest first.
    pub(super) sets: Vec<FrozenSet>,
    /// The last write.
    pub(super) last_sequence: u64,
    /// Logs from the first gap on: never acknowledged as durable, to be removed before anything is written.
    beyond_gap: Vec<u64>,
}

/// Reads the logs that are still needed.
///
/// # Errors
/// `Corruption` when a log is damaged before its end, `Io`.
pub(super) fn replay_logs(
    vfs: &dyn Vfs,
    dir: &Path,
    logs: &BTreeSet<u64>,
    state: &State,
    new_memtable: &mut dyn FnMut(FamilyId) -> MemtableWriter,
) -> Result<Recovered> {
    let mut recovered = Recovered {
        sets: Vec::new(),
        last_sequence: state.last_sequence,
        beyond_gap: Vec::new(),
    };
    check_oldest_log(dir, logs, state)?;
    for &number in logs.range(state.oldest_log..) {
        if !recovered.beyond_gap.is_empty() {
            recovered.beyond_gap.push(number);
            continue;
        }
        let path = file_name::log(dir, number);
        let contents = vfs.read(&path)?;
        let mut log = Replay {
            path: &path,
            state,
            memtables: BTreeMap::new(),
            next_sequence: recovered.last_sequence + 1,
        };
        let whole = log.read(&contents, number, new_memtable)?;
        let last_sequence = log.next_sequence - 1;
        if last_sequence > recovered.last_sequence {
            let readers = log
                .memtables
                .iter()
                .map(|(id, memtable)| (*id, memtable.reader()));
            recovered.sets.push(FrozenSet {
                log_number: number,
                next_log: 0, // Known when the new log is: see `link`.
                last_sequence,
                memtables: readers.collect(),
            });
            recovered.last_sequence = last_sequence;
        }
        if !whole {
            recovered.beyond_gap.push(number);
        }
    }
    Ok(recovered)
}

/// The log that the manifest names is created and its name made durable before the manifest names it, and removed after
/// the manifest names another. So if it is missing, the manifest has lost its end to more than a power cut.
fn check_oldest_log(dir: &Path, logs: &BTreeSet<u64>, state: &State) -> Result<()> {
    if state.oldest_log == 0 || logs.contains(&state.oldest_log) {
        return Ok(());
    }
    let path = file_name::log(dir, state.oldest_log);
    let what = "the file is missing, and the manifest needs it: the log is lost, or the manifest's last edit";
    Err(Error::corruption(path, 0, what))
}

impl Recovered {
    /// Says of each set which log goes on where it ends; `new_log` goes on after the last.
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

    /// Makes what readers are about to see durable, and what was left out gone.
    ///
    /// The caller syncs the directory before anything new is written.
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

struct Replay<'a> {
    path: &'a Path,
    state: &'a State,
    memtables: BTreeMap<FamilyId, MemtableWriter>,
    next_sequence: u64,
}

impl Replay<'_> {
    /// Reads a log into memtables; `false` if it does not follow what came before.
    fn read(
        &mut self,
        contents: &[u8],
        number: u64,
        new_memtable: &mut dyn FnMut(FamilyId) -> MemtableWriter,
    ) -> Result<bool> {
        let mut reader = LogReader::new(contents, self.path, number, RecoveryMode::PointInTime);
        let mut records = 0;
        let mut at = reader.next_record_at();
        while let Some(record) = reader.next_record()? {
            let wrong = |what: String| {
                Error::corruption(self.path, at, format!("record {records}: {what}"))
            };
            let batch = BatchView::decode(record).map_err(wrong)?;
            // The oldest log begins where the tables end. Only a later one can follow one that lost its end.
            if batch.sequence > self.next_sequence && records == 0 && number > self.state.oldest_log
            {
                return Ok(false);
            }
            if batch.sequence != self.next_sequence {
                let (found, expected) = (batch.sequence, self.next_sequence);
                let what = format!("its sequence number is {found}, and {expected} follows");
                return Err(wrong(what));
            }
            for record in batch.records() {
                let record = record.map_err(wrong)?;
                let sequence = self.next_sequence;
                if sequence > MAX_SEQUENCE {
                    return Err(wrong(format!(
                        "the number {sequence} is no sequence number"
                    )));
                }
                self.next_sequence += 1;
                if !self.state.families.contains_key(&record.family) {
                    if record.family.0 < self.state.next_family {
                        continue; // It was dropped.
                    }
                    return Err(wrong(format!(
                        "it is for family {}, which never was",
                        record.family.0
                    )));
                }
                let memtable = self
                    .memtables
                    .entry(record.family)
                    .or_insert_with(|| new_memtable(record.family));
                let key = ParsedKey {
                    user_key: record.key,
                    sequence,
                    kind: record.kind,
                };
                memtable.insert(key, record.value);
            }
            for memtable in self.memtables.values_mut() {
                memtable.end_batch();
            }
            records += 1;
            at = reader.next_record_at();
        }
        Ok(true)
    }
}

//! Flush: the oldest full memtables become tables of level 0, and their log is no longer needed.
//!
//! Closing flushes too. The log would have to be synced anyway, and writing a table of the same
//! rows takes hardly longer than replaying the log: `engine/docs/performance.md` has the figures.

use std::cell::RefCell;
use std::mem;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::compaction::{self, Output};
use crate::db::Background;
use crate::db::core::{Core, FrozenSet};
use crate::db::events::{Event, MemtableInfo, TableInfo};
use crate::db::family::FamilyCore;
use crate::db::jobs::{Counted, IfUnwinding, at_level, outcome_of, panicked, publish};
use crate::db::signals::{Piece, Work};
use crate::error::Result;
use crate::version::{VersionEdit, file_name};

/// A memtable up to this fraction of its buffer stays in the log when the database closes, until the next
/// close. Of the default 64 MiB that is 1 MiB, which is replayed faster than a table is written and synced.
const LEFT_TO_THE_LOG: usize = 64;

/// What a flush wrote for each family.
type Flushed = Vec<(Arc<FamilyCore>, Output)>;

impl Core {
    /// Writes the oldest full memtables to tables. Returns `false` if there are none.
    ///
    /// # Errors
    /// `Io` from a table: nothing has changed, and it may be tried again. `Io` from the manifest, or from a sync of the directory,
    /// poisons the database. `InvalidArgument` after closing.
    pub(super) fn flush_oldest(&self) -> Result<bool> {
        let working = self.begin_work(&self.flushing)?;
        let Some(set) = self.frozen.lock().front().cloned() else {
            return Ok(false);
        };
        let outcome = self.flush_and_tell(set);
        drop(working);
        self.signals.ended(Piece::Flush, &outcome, Duration::ZERO);
        outcome?;
        self.signals.request(Work::Compact);
        Ok(true)
    }

    /// Waits until the memtables of all logs before `log` are in tables; does that itself if background work is manual.
    ///
    /// # Errors
    /// See [`Db::flush`](crate::db::Db::flush).
    pub(super) fn flush_before(&self, log: u64) -> Result<()> {
        let flushed = || {
            let frozen = self.frozen.lock();
            frozen.front().is_none_or(|set| set.log_number >= log)
        };
        if self.background == Background::Manual {
            while !flushed() {
                self.flush_oldest()?;
            }
            return Ok(());
        }
        self.signals.request(Work::Flush);
        self.signals.wait_until(
            |piece| piece == Piece::Flush,
            || flushed() || self.poison.get().is_some(),
        )?;
        self.check_writable()
    }

    /// When the database closes: writes what is in memory to tables, if it is so much that the next
    /// opening would be slow. Returns whether all of it is now in tables and durable.
    ///
    /// # Errors
    /// As for [`flush_oldest`](Self::flush_oldest). The logs still hold what is not in tables.
    pub(super) fn flush_at_close(&self) -> Result<bool> {
        self.check_takes_writes()?;
        {
            // This waits for a leader to end its group. After that nobody writes.
            let mut writer = self.writer.lock();
            if !self.is_worth_a_flush() {
                return Ok(false);
            }
            if !writer.memtables.is_empty() {
                self.freeze_into_new_log(&mut writer)?;
            }
        }
        while self.flush_oldest()? {}
        Ok(true)
    }

    fn is_worth_a_flush(&self) -> bool {
        // Memtables recovered from logs of earlier openings. Such a log may have a torn end, and
        // without a flush there would be one more log for each opening.
        if !self.frozen.lock().is_empty() {
            return true;
        }
        self.families.load().iter().any(|family| {
            let little = family.options.write_buffer_bytes / LEFT_TO_THE_LOG;
            let view = family.view.load();
            view.memtables()
                .any(|memtable| memtable.reserved_bytes() > little)
        })
    }

    fn flush_and_tell(&self, set: Arc<FrozenSet>) -> Result<()> {
        let (job, begun) = (self.new_job(), Instant::now());
        self.tell(|| Event::FlushBegun {
            job,
            memtables: self.memtable_infos(&set),
        });
        let ended = |done: &[(Arc<FamilyCore>, Output)], outcome| {
            let infos = |(family, output): &(Arc<FamilyCore>, Output)| -> Vec<_> {
                let files = output.files.iter();
                files
                    .map(|file| TableInfo::new(&family.name, 0, file))
                    .collect()
            };
            Event::FlushEnded {
                job,
                outputs: done.iter().flat_map(infos).collect(),
                entries: done.iter().map(|(_, output)| output.counts()).sum(),
                took: begun.elapsed(),
                outcome,
            }
        };
        let unwinding = IfUnwinding(|| self.note(|| ended(&[], panicked())));
        let flushed = self.flush_set(set);
        mem::forget(unwinding);
        self.report_failure(&flushed);
        self.tell(|| {
            let done = flushed.as_deref().unwrap_or_default();
            ended(done, outcome_of(&flushed, false))
        });
        flushed.map(drop)
    }

    pub(super) fn memtable_infos(&self, set: &FrozenSet) -> Vec<MemtableInfo> {
        let info = |(id, memtable): &(_, crate::memtable::Memtable)| {
            Some(MemtableInfo {
                family: self.family(*id)?.name.clone(),
                entries: memtable.len() as u64,
                bytes: memtable.reserved_bytes() as u64,
            })
        };
        set.memtables.iter().filter_map(info).collect()
    }

    fn flush_set(&self, set: Arc<FrozenSet>) -> Result<Flushed> {
        let flushed = RefCell::new(Flushed::new());
        // Also where a comparator panics in a later family's flush.
        let unfinished = IfUnwinding(|| {
            self.discard_outputs(flushed.borrow().iter().map(|(_, output)| output));
        });
        let is_snapshot_held = self.snapshots.oldest().is_some();
        for (id, memtable) in &set.memtables {
            let Some(family) = self.family(*id) else {
                continue;
            };
            let version = Arc::clone(&family.view.load().version);
            let output = self.with_environment(&family, "flush", &[], |environment| {
                compaction::flush(environment, memtable, &version)
            })?;
            // There is none if the family was dropped meanwhile.
            flushed
                .borrow_mut()
                .extend(output.map(|output| (family, output)));
        }
        mem::forget(unfinished);
        let flushed = flushed.into_inner();
        // Even without tables: the manifest is about to name the next log, so that name must be durable.
        self.sync_names()?;
        let installed = self.install_flush(&set, &flushed);
        let outputs = flushed.iter().map(|(_, output)| output);
        installed.inspect_err(|_| self.discard_unless_poisoned(outputs))?;
        if is_snapshot_held {
            for (_, output) in &flushed {
                self.note_leftovers(&output.files);
            }
        }
        let log = file_name::log(&self.dir, set.log_number);
        // Readers use the tables from now on. The memtables are dropped before the log is removed,
        // because removing a long file takes a while.
        drop(set);
        // If this fails, the next open removes it.
        let _ = self.vfs.remove(&log);
        Ok(flushed)
    }

    fn install_flush(&self, set: &FrozenSet, flushed: &Flushed) -> Result<()> {
        let mut edit = VersionEdit {
            oldest_log: Some(set.next_log),
            last_sequence: Some(set.last_sequence),
            ..VersionEdit::default()
        };
        for (family, output) in flushed {
            edit.files_added.extend(at_level(family, 0, &output.files));
        }
        let mut unrecorded = Vec::new();
        self.install(edit, None, |state| {
            for (family, output) in flushed {
                publish(family, state, |view| {
                    let older = view.frozen.len().saturating_sub(1);
                    view.frozen[..older].to_vec()
                });
                if !state.families.contains_key(&family.id) {
                    unrecorded.push(output);
                }
            }
            self.frozen.lock().pop_front();
        })?;
        for (family, output) in flushed {
            family.counters.flushed(output);
        }
        self.discard_outputs(unrecorded);
        Ok(())
    }
}

//! The write path after a leader is chosen: room, log, sync, memtables, visible number.
//!
//! Order, and why
//! 1. The log before the memtable: what readers have seen must still be there after a restart.
//! 2. The sync before the memtable: then nothing has to be undone if the sync fails.
//! 3. The visible number last: a reader sees all of a batch or nothing of it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::batch::WriteBatch;
use crate::db::Background;
use crate::db::commit::Gathering;
use crate::db::core::{Core, FrozenSet};
use crate::db::events::{Event, Stall};
use crate::db::family::{FamilyCore, View};
use crate::db::jobs::IfUnwinding;
use crate::db::memtable_set::MemtableSet;
use crate::db::options::{LEVEL0_SLOW, LEVEL0_STOP};
use crate::db::signals::{Piece, Work};
use crate::error::{Error, Result};
use crate::internal_key::MAX_SEQUENCE;
use crate::log::{LogSync, LogWriter};
use crate::memtable::MemtableWriter;
use crate::version::file_name;
use crate::vfs::Vfs;

/// If this many full sets of memtables are waiting, writes wait too.
const FROZEN_SETS_MAX: usize = 2;
/// The most space that is reserved ahead of the log's end at a time.
const LOG_STEP_BYTES: u64 = 256 << 10;
/// While level 0 is slow, writers pause after this many bytes.
const SLOW_BYTES: usize = 64 << 10;
/// The pause, once for each table in level 0 beyond the limit.
const SLOW_PAUSE: Duration = Duration::from_millis(1);

/// What only the leader of a write group uses.
#[derive(Debug)]
pub(super) struct Writer {
    log: LogWriter,
    log_number: u64,
    /// Whether everything in the log is durable.
    log_synced: bool,
    /// Whether the log's name is durable.
    log_name_synced: bool,
    /// Logs of full memtables that are not synced yet. They must be synced before any later write
    /// counts as durable.
    closed_logs: Vec<(u64, LogWriter)>,
    pub(super) memtables: MemtableSet,
    last_sequence: u64,
    /// Bytes written since the last pause, while level 0 is slow.
    slow_bytes: usize,
    /// Reused: the batches of a group.
    group: Vec<WriteBatch>,
    /// How long a synced group waits for others.
    pub(super) gathering: Gathering,
}

impl Writer {
    /// A writer with a log that was just created and whose name is durable.
    pub(super) fn new(
        log: LogWriter,
        log_number: u64,
        memtables: MemtableSet,
        last_sequence: u64,
    ) -> Self {
        Self {
            log,
            log_number,
            log_synced: true,
            log_name_synced: true,
            closed_logs: Vec::new(),
            memtables,
            last_sequence,
            slow_bytes: 0,
            group: Vec::new(),
            gathering: Gathering::default(),
        }
    }

    pub(super) fn take_group(&mut self) -> Vec<WriteBatch> {
        std::mem::take(&mut self.group)
    }

    pub(super) const fn log_number(&self) -> u64 {
        self.log_number
    }

    /// Makes everything written durable: older logs first, so that no later write survives without them.
    fn sync(&mut self, core: &Core) -> Result<()> {
        for (_, log) in &mut self.closed_logs {
            counting(log, core, LogWriter::sync)?;
        }
        self.closed_logs.clear();
        if !self.log_name_synced {
            core.sync_names()?;
            self.log_name_synced = true;
        }
        if !self.log_synced {
            counting(&mut self.log, core, LogWriter::sync)?;
            self.log_synced = true;
        }
        Ok(())
    }

    /// Prepares what [`sync`](Self::sync) would do, to be run without the lead.
    fn begin_sync(&self) -> DueSync {
        let closed = self.closed_logs.iter();
        let mut logs: Vec<_> = closed
            .map(|(number, log)| (*number, log.begin_sync()))
            .collect();
        if !self.log_synced {
            logs.push((self.log_number, self.log.begin_sync()));
        }
        // The name of an empty log need not be durable. An older log with contents may not have a
        // durable name either; it gets one together with the newest, because they are in one directory.
        let name_is_due = !self.log_name_synced && !logs.is_empty();
        DueSync {
            logs,
            name_of: name_is_due.then_some(self.log_number),
        }
    }

    /// Records what became durable while others wrote.
    fn end_sync(&mut self, due: &DueSync, core: &Core) {
        if due.name_of == Some(self.log_number) {
            self.log_name_synced = true;
        }
        for (number, sync) in &due.logs {
            let mut noted = Ok(());
            if *number == self.log_number {
                self.log_synced |= sync.covers(&self.log);
                noted = counting(&mut self.log, core, |log| log.end_sync(sync, Ok(())));
            }
            self.closed_logs.retain_mut(|(closed, log)| {
                let is_durable = closed == number && sync.covers(log);
                if closed == number {
                    noted = counting(log, core, |log| log.end_sync(sync, Ok(())));
                }
                !is_durable
            });
            debug_assert!(noted.is_ok(), "only a failed sync is an error here");
        }
    }
}

/// A sync during which other threads may hold the lead.
struct DueSync {
    /// The logs to sync, the oldest first.
    logs: Vec<(u64, LogSync)>,
    /// The log whose name is not durable yet.
    name_of: Option<u64>,
}

impl DueSync {
    /// Syncs in the order of [`Writer::sync`], so that no later write survives without an earlier one.
    fn run(&self, core: &Core) -> Result<()> {
        let (current, closed) = match (self.name_of, self.logs.split_last()) {
            (Some(name), Some((last, closed))) if last.0 == name => (Some(last), closed),
            _ => (None, &self.logs[..]),
        };
        for (_, sync) in closed {
            sync.run()?;
        }
        if self.name_of.is_some() {
            core.sync_names()?;
        }
        current.map_or(Ok(()), |(_, sync)| sync.run())
    }
}

impl Core {
    /// Writes a group of batches. The caller must hold the lead.
    pub(super) fn commit(
        &self,
        writer: &mut Writer,
        group: Vec<WriteBatch>,
        sync: bool,
    ) -> Result<()> {
        let records: usize = group.iter().map(WriteBatch::len).sum();
        if writer.last_sequence + records as u64 > MAX_SEQUENCE {
            return Err(Error::invalid("all 2^56 sequence numbers are used up"));
        }
        if sync {
            // A synced write is there after a restart, so it must not be acknowledged without its directory.
            self.check_in_place()?;
        }
        // A comparator may panic within a memtable. The log then holds a batch whose numbers the writer does not count as
        // used, and a second batch with the same numbers would make the log unreadable.
        let unwinding = IfUnwinding(|| self.poison(&"a thread panicked while it wrote"));
        let committed = self.append_and_apply(writer, group, records, sync);
        std::mem::forget(unwinding);
        committed
    }

    /// Appends a group of batches, which have so many records, to the log, and applies them to the memtables.
    fn append_and_apply(
        &self,
        writer: &mut Writer,
        mut group: Vec<WriteBatch>,
        records: usize,
        sync: bool,
    ) -> Result<()> {
        let last_sequence = number_records(&mut group, writer.last_sequence);
        if records > 0 {
            self.append_to_log(writer, &group)?;
        }
        if sync {
            self.sync_group(writer)?;
        }
        writer.memtables.apply(&group);
        writer.last_sequence = last_sequence;
        self.visible.advance(last_sequence);
        let bytes = group.iter().map(WriteBatch::encoded_len).sum::<usize>();
        writer.slow_bytes += bytes;
        self.counters.group(group.len(), records, bytes, sync);
        self.note(|| Event::WriteGroup {
            batches: group.len(),
            records,
            bytes,
            synced: sync,
        });
        group.clear();
        writer.group = group;
        Ok(())
    }

    /// Appends the batches that are not empty to the log.
    ///
    /// # Errors
    /// `Io`. If space was missing, nothing was written: the sequence numbers are still free, and the
    /// next write tries again. Any other error poisons the database.
    fn append_to_log(&self, writer: &mut Writer, group: &[WriteBatch]) -> Result<()> {
        writer.log_synced = false;
        let filled = group.iter().filter(|batch| !batch.is_empty());
        let appended = counting(&mut writer.log, self, |log| {
            log.add_group(filled.map(WriteBatch::encoded))
        });
        appended.inspect_err(|error| {
            if writer.log.has_failed() {
                self.poison(error);
            }
        })
    }

    /// Syncs what the log holds, and measures how long that takes.
    fn sync_group(&self, writer: &mut Writer) -> Result<()> {
        let begun = Instant::now();
        let _alone = self.syncing.lock();
        self.check_takes_writes()?;
        writer.sync(self).inspect_err(|error| self.poison(error))?;
        writer.gathering.sync_took = begun.elapsed();
        Ok(())
    }

    /// Waits or makes room until the memtables can take a batch. The caller must hold the lead.
    pub(super) fn make_room(&self, writer: &mut Writer, batch: &WriteBatch) -> Result<()> {
        self.check_writable()?;
        self.hold_back(writer, batch)?;
        if writer.memtables.is_full() {
            self.rotate(writer)
        } else {
            Ok(())
        }
    }

    /// The stall ladder: slows a writer down while level 0 of a family that it writes to is long,
    /// and stops it while that is too long. Other families do not matter, because the write does
    /// not make their level 0 grow.
    fn hold_back(&self, writer: &mut Writer, batch: &WriteBatch) -> Result<()> {
        if self.level0_tables.load(Ordering::Relaxed) < LEVEL0_SLOW {
            writer.slow_bytes = 0;
            return Ok(());
        }
        if self.background == Background::Manual {
            return Ok(());
        }
        if self.is_stopped(batch) {
            return self.wait_for_level0(batch);
        }
        if writer.slow_bytes < SLOW_BYTES {
            return Ok(());
        }
        let tables = self.families_of(batch).map(|family| level0_of(&family));
        let tables = tables.max().unwrap_or(0);
        if tables >= LEVEL0_SLOW {
            writer.slow_bytes = 0;
            let beyond = tables + 1 - LEVEL0_SLOW;
            let pause = SLOW_PAUSE * beyond as u32;
            self.stall(Stall::Level0Slow, || self.signals.wait_at_most(pause));
        }
        Ok(())
    }

    /// Whether level 0 of any family is too long.
    pub(super) fn has_stopped(&self) -> bool {
        self.level0_tables.load(Ordering::Relaxed) >= LEVEL0_STOP
    }

    /// Whether level 0 of a family that a batch writes to is too long.
    pub(super) fn is_stopped(&self, batch: &WriteBatch) -> bool {
        self.has_stopped() && self.stopped_families(batch).next().is_some()
    }

    fn stopped_families(&self, batch: &WriteBatch) -> impl Iterator<Item = Arc<FamilyCore>> {
        let families = self.families_of(batch);
        families.filter(|family| level0_of(family) >= LEVEL0_STOP)
    }

    /// The families that a batch writes to. A family may occur more than once.
    fn families_of(&self, batch: &WriteBatch) -> impl Iterator<Item = Arc<FamilyCore>> {
        let mut before = None;
        let ids = batch.records().map(|record| record.family);
        let ids = ids.filter(move |id| before.replace(*id) != Some(*id));
        ids.filter_map(|id| self.family(id))
    }

    /// If background work is manual: makes the compactions that the write would have to wait for. The caller must not hold
    /// the writer's lock, because a compaction filter may close the database.
    pub(super) fn relieve_level0(&self, batch: &WriteBatch) -> Result<()> {
        if self.background == Background::Manual && self.is_stopped(batch) {
            self.check_writable()?;
            for family in self.stopped_families(batch) {
                while level0_of(&family) >= LEVEL0_STOP && self.compact_family(&family)? {}
            }
        }
        Ok(())
    }

    fn wait_for_level0(&self, batch: &WriteBatch) -> Result<()> {
        let is_of_stopped = |piece| {
            let mut stopped = self.stopped_families(batch);
            stopped.any(|family| piece == Piece::Compaction(family.id))
        };
        self.stall(Stall::Level0Stop, || {
            self.signals.wait_until(is_of_stopped, || {
                !self.is_stopped(batch) || self.poison.get().is_some()
            })
        })?;
        self.check_writable()
    }

    /// Freezes the memtables and starts new ones with a new log.
    ///
    /// # Errors
    /// `Io` if the new log cannot be created, or the error of the flush that this waits for.
    /// Nothing has changed then, and the next write tries again.
    pub(super) fn rotate(&self, writer: &mut Writer) -> Result<()> {
        if self.background == Background::Manual {
            while self.frozen.lock().len() >= FROZEN_SETS_MAX && self.flush_oldest()? {}
        } else {
            let room = || self.frozen.lock().len() < FROZEN_SETS_MAX || self.poison.get().is_some();
            if !room() {
                self.stall(Stall::Memtables, || {
                    self.signals.wait_until(|piece| piece == Piece::Flush, room)
                })?;
            }
            self.check_writable()?;
        }
        self.freeze_into_new_log(writer)?;
        self.signals.request(Work::Flush);
        Ok(())
    }

    /// Like [`rotate`](Self::rotate), but does not wait for full memtables to be flushed.
    pub(super) fn freeze_into_new_log(&self, writer: &mut Writer) -> Result<()> {
        self.check_in_place()?;
        let number = self.new_file_number();
        let log = new_log(&*self.vfs, &self.dir, number)?;
        let mut old_log = std::mem::replace(&mut writer.log, log);
        // If zeros remain after its end, they mean nothing.
        let _ = old_log.finish();
        let old_number = std::mem::replace(&mut writer.log_number, number);
        drop(self.take_flushed_logs(writer));
        if !writer.log_synced {
            writer.closed_logs.push((old_number, old_log));
        }
        writer.log_synced = true;
        writer.log_name_synced = false;
        self.freeze(writer, old_number);
        Ok(())
    }

    /// Drops full logs whose rows are in tables, because they need no sync any more. Their files
    /// are removed already, and dropping the last handle makes the system free their space, which
    /// takes milliseconds. So this must not happen under the writer's lock.
    ///
    /// Does nothing while another thread writes: a leader that waits for a flush holds the lock,
    /// and waiting for it here would be a deadlock. The next rotation drops the logs then.
    pub(super) fn let_go_of_flushed_logs(&self) {
        let flushed = self.writer.try_lock();
        drop(flushed.map(|mut writer| self.take_flushed_logs(&mut writer)));
    }

    fn take_flushed_logs(&self, writer: &mut Writer) -> Vec<(u64, LogWriter)> {
        let oldest = self.frozen.lock().front().map(|set| set.log_number);
        let oldest = oldest.unwrap_or(writer.log_number);
        let is_flushed = |(number, _): &mut (u64, LogWriter)| *number < oldest;
        writer.closed_logs.extract_if(.., is_flushed).collect()
    }

    fn freeze(&self, writer: &mut Writer, log_number: u64) {
        let families = self.families.load();
        let mut memtables = Vec::new();
        writer.memtables.renew(|id, memtable| {
            let at = families.binary_search_by_key(&id, |family| family.id);
            let Ok(at) = at else { return };
            if memtable.is_empty() {
                return;
            }
            let full = memtable.reader();
            let family = &families[at];
            *memtable = new_memtable(family);
            let fresh = memtable.reader();
            memtables.push((id, full.clone()));
            // The set is queued before the lead is released, so no flush can come before the change
            // of the view.
            family.change_view(|view| View {
                memtable: fresh.clone(),
                frozen: std::iter::once(&full)
                    .chain(&view.frozen)
                    .cloned()
                    .collect(),
                version: Arc::clone(&view.version),
            });
        });
        let set = FrozenSet {
            log_number,
            next_log: writer.log_number,
            last_sequence: writer.last_sequence,
            memtables,
        };
        self.note(|| Event::MemtablesFrozen {
            memtables: self.memtable_infos(&set),
        });
        self.frozen.lock().push_back(Arc::new(set));
    }

    /// Makes everything written so far durable. Others may write meanwhile.
    ///
    /// # Errors
    /// `Io` or `LockLost`, which poison the database.
    pub(super) fn sync_logs(&self) -> Result<()> {
        self.check_in_place()?;
        // This waits for a leader to end its group.
        let due = self.writer.lock().begin_sync();
        self.run_sync(&due)?;
        self.note_synced(&due);
        Ok(())
    }

    fn run_sync(&self, due: &DueSync) -> Result<()> {
        let _alone = self.syncing.lock();
        self.check_takes_writes()?;
        due.run(self).inspect_err(|error| self.poison(error))
    }

    /// Records and marks what a sync made durable, unless the database is closing: a closing syncs and marks by itself,
    /// and once it has unlocked the directory, nothing may be written there.
    fn note_synced(&self, due: &DueSync) {
        let mut writer = self.writer.lock();
        if !self.is_closing() {
            writer.end_sync(due, self);
        }
    }

    /// When the database closes: makes everything written durable, and says so in the manifest.
    ///
    /// # Errors
    /// As for [`sync_logs`](Self::sync_logs), and as for [`check_takes_writes`](Self::check_takes_writes).
    pub(super) fn sync_at_close(&self) -> Result<()> {
        self.check_in_place()?;
        let mut writer = self.writer.lock();
        let due = writer.begin_sync();
        self.run_sync(&due)?;
        writer.end_sync(&due, self);
        let last_sequence = writer.last_sequence;
        // Whoever creates a family holds the manifest's lock when it takes the writer's.
        drop(writer);
        self.note_durable(last_sequence);
        Ok(())
    }

    /// Frees the space that was reserved after the ends of log and manifest. Nothing may be written afterwards.
    pub(super) fn finish_logs(&self) {
        // If zeros remain after their ends, they mean nothing.
        let _ = self.writer.lock().log.finish();
        let _ = self.manifest.lock().manifest.finish();
    }
}

/// Gives the records of a group the sequence numbers after `last_sequence`. Returns the last number given.
fn number_records(group: &mut [WriteBatch], last_sequence: u64) -> u64 {
    let mut last_sequence = last_sequence;
    for batch in group {
        batch.set_sequence(last_sequence + 1);
        last_sequence += batch.len() as u64;
    }
    last_sequence
}

/// Counts the bytes that `append` adds to the log.
fn counting(
    log: &mut LogWriter,
    core: &Core,
    append: impl FnOnce(&mut LogWriter) -> Result<()>,
) -> Result<()> {
    let before = log.len();
    append(log)?;
    core.counters.logged(log.len() - before);
    Ok(())
}

/// Creates the log `number`.
pub(super) fn new_log(vfs: &dyn Vfs, dir: &Path, number: u64) -> Result<LogWriter> {
    let file = vfs.create(&file_name::log(dir, number))?;
    Ok(LogWriter::new(file, number).reserving(LOG_STEP_BYTES))
}

fn level0_of(family: &FamilyCore) -> usize {
    family.view.load().version.level(0).len()
}

pub(super) fn new_memtable(family: &FamilyCore) -> MemtableWriter {
    family.options.new_memtable(family.comparator())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::{Db, Options};
    use crate::vfs::MemoryVfs;

    /// By then another process may have the directory open.
    #[test]
    fn a_sync_that_outlasts_the_closing_marks_nothing_after_it() {
        let vfs = MemoryVfs::new();
        let options = Options {
            vfs: Arc::new(vfs.clone()),
            ..Options::default()
        };
        let db = Db::open("db", options).unwrap();
        db.put("key", "value").unwrap();
        let core = &db.handle.core;
        let due = core.writer.lock().begin_sync();
        due.run(core).unwrap();
        db.close().unwrap();
        let log = file_name::log(&core.dir, core.writer.lock().log_number());
        let closed = vfs.read(&log).unwrap();
        core.note_synced(&due);
        assert_eq!(vfs.read(&log).unwrap(), closed);
    }
}

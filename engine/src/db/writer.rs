//! The write path after a leader is chosen: room, log, sync, memtables, visible number.
//!
//! Order, and why
//! 1. The log before the memtable: what readers have seen must still be there after a restart.
//! 2. The sync before the memtable: then nothing has to be undone if the sync fails.
//! 3. The visible number last: a reader sees all of a batch or nothing of it.
//!
//! Before that, room is made: `stalls` holds writers back while level 0 is too long, and `rotation` replaces full memtables.

mod rotation;
mod stalls;

pub(super) use self::rotation::new_log;

use std::time::Instant;

use crate::batch::WriteBatch;
use crate::db::commit::Gathering;
use crate::db::core::Core;
use crate::db::events::Event;
use crate::db::jobs::IfUnwinding;
use crate::db::memtable_set::MemtableSet;
use crate::error::{Error, Result};
use crate::internal_key::MAX_SEQUENCE;
use crate::log::{LogSync, LogWriter};

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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::db::{Db, Options};
    use crate::version::file_name;
    use crate::vfs::{MemoryVfs, Vfs};

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

//! Rotation: full memtables are frozen, and new ones begin together with a new log.
//!
//! Frozen memtables and their log are one [`FrozenSet`], which is flushed as a whole; then its log is needed no more.

use std::path::Path;
use std::sync::Arc;

use super::Writer;
use crate::db::Background;
use crate::db::core::{Core, FrozenSet};
use crate::db::events::{Event, Stall};
use crate::db::family::{FamilyCore, View, find_family};
use crate::db::signals::{Piece, Work};
use crate::error::Result;
use crate::log::LogWriter;
use crate::memtable::MemtableWriter;
use crate::version::file_name;
use crate::vfs::Vfs;

/// If this many full sets of memtables are waiting, writes wait too.
const FROZEN_SETS_MAX: usize = 2;
/// The most space that is reserved ahead of the log's end at a time.
const LOG_STEP_BYTES: u64 = 256 << 10;

impl Core {
    /// Freezes the memtables and starts new ones with a new log.
    ///
    /// # Errors
    /// `Io` if the new log cannot be created, or the error of the flush that this waits for.
    /// Nothing has changed then, and the next write tries again.
    pub(in crate::db) fn rotate(&self, writer: &mut Writer) -> Result<()> {
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
    pub(in crate::db) fn freeze_into_new_log(&self, writer: &mut Writer) -> Result<()> {
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
    pub(in crate::db) fn let_go_of_flushed_logs(&self) {
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
            let Some(family) = find_family(&families, id) else {
                return;
            };
            if memtable.is_empty() {
                return;
            }
            let full = memtable.reader();
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
}

/// Creates the log `number`.
pub(in crate::db) fn new_log(vfs: &dyn Vfs, dir: &Path, number: u64) -> Result<LogWriter> {
    let file = vfs.create(&file_name::log(dir, number))?;
    Ok(LogWriter::new(file, number).reserving(LOG_STEP_BYTES))
}

fn new_memtable(family: &FamilyCore) -> MemtableWriter {
    family.options.new_memtable(family.comparator())
}

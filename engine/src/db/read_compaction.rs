//! Compactions for the sake of readers: a store that is often read and seldom written should not
//! merge the same runs for ever.
//!
//! Judging by the shape alone, a half-full memtable and up to three tables of level 0 would stay as
//! they are until more is written. Every cursor merges them, and gets look into one after another. What was deleted or
//! overwritten is passed again and again, too: without a flush a queue would be slower with each row that is taken.
//! No reader can know how many others will follow it. This is the problem of renting or buying
//! skis: if you buy once the rent paid equals the price, you pay at most twice what you would have
//! paid with hindsight (Karlin and others, 1988). So readers are charged what they lose
//! (`version::read_charge`), and when the charge equals the cost of merging, the runs are merged.
//!
//! The cost: flushing and merging take 2 ns a byte, measured. But a nanosecond of the worker is worth
//! less than one of a reader. The worker has nothing else to do then, and most of its work would only
//! be done later otherwise; a reader waits. On the other hand, a late merge takes a core from the
//! readers that have come meanwhile. One nanosecond of a reader counts as 32 of the worker, so a byte
//! costs a sixteenth of a reader's nanosecond. A seek over three runs, which loses 2 µs, thus pays for
//! 32 KiB. In LevelDB, where the idea is from (`allowed_seeks`), a seek pays for 16 KiB.
//!
//! Never while others write: what is merged for readers would soon be merged again, which is write
//! amplification.
//! 1. Each write takes back the charge of a hundred gets. So with a load of mostly writes a
//!    compaction is due only if each read passes thousands of entries that do not show.
//! 2. What moves down must be a fair part of what it is merged with in level 1: at least one to the multiplier
//!    of the levels, which is also the most that leveled compaction pays. So a trickle of writes
//!    does not rewrite a whole level again and again.
//! 3. Nothing is done while a writer is at work or a memtable is waiting to be flushed.
//!
//! Never in a loop: what remains is at most one run above the deeper levels, which costs readers no merging. A
//! failure spends the charge too, so it is tried again only when readers have lost as much again.
//!
//! Deeper levels are runs of their own, which the shape requires. But tombstones may gather there: a store that is
//! emptied from its first row on has them in front of all that is left, until the level is full. So a table is charged
//! for the tombstones that cursors pass in it, and merged with what it overlaps in the next level when that has become
//! as dear.
//! 1. As above, each write takes back a part of the charge.
//! 2. Of what is merged, one entry in so many as the multiplier of the levels says must go: the tombstones, and as many rows
//!    that they hide. So no more is written for each of them than leveled compaction writes for a row.
//! 3. What is in a table that is newer than a snapshot may not go: that may need what is deleted.
//!
//! Left out: tiered families, whose owner chose fewer writes; and old versions in deeper levels, which `leftovers` sees to.

use std::sync::Arc;

use crate::compaction;
use crate::cursor::InternalCursor as _;
use crate::db::core::Core;
use crate::db::family::{FamilyCore, View};
use crate::db::signals::closed;
use crate::error::Result;
use crate::internal_key;
use crate::memtable::MemtableCursor;
use crate::sstable::Table;
use crate::version::{TableFile, Version};

/// Merging this many bytes is worth one nanosecond of readers' time.
const BYTES_PER_NANO: u64 = 16;
/// By how much a write reduces the charge: about what a hundred gets lose over three runs.
const WRITE_NANOS: u64 = 25_000;

impl Core {
    /// Flushes and merges for the readers of a family, if those of any have lost enough. Returns
    /// `false` otherwise.
    ///
    /// # Errors
    /// As for [`Core::compact_once`].
    pub(super) fn compact_for_reads(&self) -> Result<bool> {
        // A flush makes new versions, whose charge begins at zero.
        if !self.read_compaction || !self.frozen.lock().is_empty() {
            return Ok(false);
        }
        let families = self.families.load_full();
        let due = families
            .iter()
            .find(|family| self.is_warranted(&families, family));
        if let Some(family) = due {
            return Ok(self.flush_for_reads(family)? && self.merge_for_reads(family)?);
        }
        let mut families = families.iter();
        let due = families.find_map(|family| Some((family, self.warranted_table(family)?)));
        match due {
            Some((family, table)) => self.rid_of_tombstones(family, &table),
            None => Ok(false),
        }
    }

    /// Whether readers of a family have lost more than it costs to merge its upper runs. If so,
    /// their charge is spent.
    fn is_warranted(&self, families: &[Arc<FamilyCore>], family: &FamilyCore) -> bool {
        let view = family.view.load();
        let charge = view.version.charge();
        if !charge.is_due() {
            return false;
        }
        // The memtables of all families share one log, so all are flushed.
        let memtables = families.iter().map(|family| memtable_bytes(family));
        let (level0, level1) = (view.version.level_bytes(0), overlapped_bytes(family, &view));
        let bytes = memtables.sum::<u64>() + level0 + level1;
        if !charge.outweighs(bytes / BYTES_PER_NANO, self.visible_sequence(), WRITE_NANOS) {
            return false;
        }
        let goes_down = memtable_bytes(family) + level0;
        goes_down.saturating_mul(family.options.level_multiplier) >= level1
    }

    /// A table on whose tombstones readers have lost more than it costs to merge it away.
    fn warranted_table(&self, family: &FamilyCore) -> Option<Arc<TableFile>> {
        let version = Arc::clone(&family.view.load().version);
        let mut deeper = version.tables().filter(|(level, _)| *level > 0);
        let due = deeper.find(|(_, table)| {
            table.charge().is_due() && self.is_table_warranted(family, &version, table)
        });
        due.map(|(_, table)| Arc::clone(table))
    }

    /// The same for one table. If so, its charge is spent.
    fn is_table_warranted(
        &self,
        family: &FamilyCore,
        version: &Version,
        table: &TableFile,
    ) -> bool {
        let shape = family.options.shape();
        let plan = compaction::pick_table_for_reads(version, family.comparator(), &shape, table);
        let Some(plan) = plan else { return false };
        let price = plan.bytes() / BYTES_PER_NANO;
        if !(table.charge()).outweighs(price, self.visible_sequence(), WRITE_NANOS) {
            return false;
        }
        let oldest_snapshot = self.snapshots.oldest();
        let may_go =
            |table: &Table| oldest_snapshot.is_none_or(|of| of >= table.properties().sequence_max);
        let tables = plan.uppermost().flat_map(|table| table.table());
        let to_go = tables.filter(|table| may_go(table));
        let tombstones: u64 = to_go.map(|table| table.properties().deletes).sum();
        let go = tombstones.saturating_mul(2);
        go.saturating_mul(shape.level_multiplier) >= plan.entries()
    }

    fn rid_of_tombstones(&self, family: &FamilyCore, table: &TableFile) -> Result<bool> {
        let done = self.compact_as_picked(family, |version| {
            let shape = family.options.shape();
            compaction::pick_table_for_reads(version, family.comparator(), &shape, table)
        })?;
        match !done && self.is_closing() {
            true => Err(closed()),
            false => Ok(true),
        }
    }

    /// Flushes what is in memory. Returns `false` if another thread is writing.
    fn flush_for_reads(&self, family: &FamilyCore) -> Result<bool> {
        if family.view.load().memtable.is_empty() {
            return Ok(true);
        }
        // This must not wait: a writer may hold the lock and wait for this very thread.
        let Some(mut writer) = self.writer.try_lock() else {
            return Ok(false);
        };
        self.check_writable()?;
        // Nor may it wait under the lock, where a listener could be called: that may drop the last handle, and closing
        // takes the lock.
        if !self.frozen.lock().is_empty() {
            return Ok(false);
        }
        self.rotate(&mut writer)?;
        let log = writer.log_number();
        drop(writer);
        // Left to the thread for flushes. Two threads that take turns would wait for each other if a listener closed
        // the database in one of them.
        self.flush_before(log)?;
        Ok(true)
    }

    fn merge_for_reads(&self, family: &FamilyCore) -> Result<bool> {
        self.as_compaction(|| {
            let tables = family.view.load().version.level(0).len();
            for _ in 0..tables {
                let version = Arc::clone(&family.view.load().version);
                let shape = family.options.shape();
                let plan = compaction::pick_for_reads(&version, family.comparator(), &shape);
                let Some(plan) = plan else { break };
                if !self.run_plan(family, &plan)? {
                    return if self.is_closing() {
                        Err(closed())
                    } else {
                        Ok(true)
                    };
                }
            }
            Ok(true)
        })
    }
}

/// The bytes of level 1 in tables that the memtable or level 0 overlaps: they are rewritten with what moves down.
fn overlapped_bytes(family: &FamilyCore, view: &View) -> u64 {
    let (version, comparator) = (&view.version, family.comparator());
    if view.memtable.range_tombstones().is_some() {
        return version.level_bytes(1);
    }
    let mut keys: Vec<Vec<u8>> = Vec::new();
    let mut entries = view.memtable.cursor();
    for seek in [MemtableCursor::seek_to_first, MemtableCursor::seek_to_last] {
        if seek(&mut entries).is_ok() && entries.valid() {
            keys.push(internal_key::user_key(entries.key()).to_vec());
        }
    }
    for table in version.level(0).iter() {
        keys.extend([table.smallest_user_key(), table.largest_user_key()].map(<[u8]>::to_vec));
    }
    keys.sort_by(|a, b| comparator.compare(a, b));
    match &keys[..] {
        [first, .., last] => {
            let tables = version.overlapping(comparator, 1, first, last);
            tables.iter().map(|table| table.bytes).sum()
        }
        _ => 0,
    }
}

fn memtable_bytes(family: &FamilyCore) -> u64 {
    let view = family.view.load();
    match view.memtable.is_empty() {
        true => 0,
        false => view.memtable.reserved_bytes() as u64,
    }
}

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
//! 2. What moves down must be a fair part of what it is merged with: at least one to the multiplier
//!    of the levels, which is also the most that leveled compaction pays. So a trickle of writes
//!    does not rewrite a whole level again and again.
//! 3. Nothing is done while a writer is at work or a memtable is waiting to be flushed.
//!
//! Never in a loop: what remains is at most one run above the deeper levels, which costs readers no merging. A
//! failure spends the charge too, so it is tried again only when readers have lost as much again.
//!
//! Left out: merging deeper levels, whose runs the shape requires; and tiered families, whose owner
//! chose fewer writes.

use std::sync::Arc;

use crate::compaction;
use crate::db::core::Core;
use crate::db::family::FamilyCore;
use crate::db::signals::closed;
use crate::error::Result;

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
        match due {
            Some(family) => Ok(self.flush_for_reads(family)? && self.merge_for_reads(family)?),
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
        let (level0, level1) = (view.version.level_bytes(0), view.version.level_bytes(1));
        let bytes = memtables.sum::<u64>() + level0 + level1;
        if !charge.outweighs(bytes / BYTES_PER_NANO, self.visible_sequence(), WRITE_NANOS) {
            return false;
        }
        let goes_down = memtable_bytes(family) + level0;
        goes_down.saturating_mul(family.options.level_multiplier) >= level1
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

fn memtable_bytes(family: &FamilyCore) -> u64 {
    let view = family.view.load();
    match view.memtable.is_empty() {
        true => 0,
        false => view.memtable.reserved_bytes() as u64,
    }
}

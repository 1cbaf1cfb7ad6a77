//! Compactions for the sake of readers: a store that is read much and written little does not go on merging runs for ever.
//!
//! The shape alone would leave a half-full memtable and up to three tables of level 0 as they are until more is written.
//! Every cursor merges them, and gets look into one after another. Each reader cannot know how many will follow it. That
//! is the question of who hires skis by the day and may buy them: whoever buys when the hire has come to the price
//! pays at most twice what hindsight would have paid (Karlin and others, 1988). So readers are charged what they
//! lose (`version::read_charge`), and when that has come to the price of merging, it is made.
//!
//! The price: a byte costs 2 ns to flush and merge, measured. But a nanosecond of the worker is not one of a reader. The
//! worker has nothing else to do then, and most of what it does would be done later anyway; a reader waits. And a merge that
//! begins late takes a core from the readers that have come meanwhile. One nanosecond of a reader counts for 32 of
//! the worker, so a byte costs a sixteenth of one. A seek over three runs, which loses 2 µs, then pays for 32 KiB. LevelDB,
//! where the idea is from (`allowed_seeks`), has a seek pay for 16 KiB.
//!
//! Never beside writers: what is merged for readers would soon be merged again, and be write amplification.
//! 1. Each write takes back the charge of a hundred gets. Under any load of mostly writes nothing is ever due.
//! 2. What goes down must be a fair part of what it drags along: one to the multiplier of the levels, the most
//!    that leveled compaction pays itself. So a trickle of writes does not have a whole level rewritten for each.
//! 3. Nothing is done while a writer is at work or a memtable waits to be flushed.
//!
//! Never in a loop: what is left is one run above the deeper levels, which loses nothing to merging. A failure spends
//! the charge too, so it is tried again when readers have lost as much again.
//!
//! Left out: merging deeper levels, whose runs the shape wants; and tiered families, whose owner chose fewer writes.

use std::sync::Arc;

use crate::compaction;
use crate::db::core::Core;
use crate::db::family::FamilyCore;
use crate::db::signals::closed;
use crate::error::Result;

/// So many bytes to be merged cost a nanosecond of readers' time.
const BYTES_PER_NANO: u64 = 16;
/// What a write takes back of the charge: about what a hundred gets lose over three runs.
const WRITE_NANOS: u64 = 25_000;

impl Core {
    /// Flushes and merges for the readers of a family, if any have lost enough; `false` if none have.
    ///
    /// # Errors
    /// As for [`Core::compact_once`].
    pub(super) fn compact_for_reads(&self) -> Result<bool> {
        // A flush makes other versions, so what is due now is void then.
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

    /// Whether readers of a family have lost more than it costs to merge what they merge. If so, their charge is spent.
    fn is_warranted(&self, families: &[Arc<FamilyCore>], family: &FamilyCore) -> bool {
        let view = family.view.load();
        let charge = view.version.charge();
        if !charge.is_due() {
            return false;
        }
        // The memtables of all families go with one log, so all are flushed.
        let memtables = families.iter().map(|family| memtable_bytes(family));
        let (level0, level1) = (view.version.level_bytes(0), view.version.level_bytes(1));
        let bytes = memtables.sum::<u64>() + level0 + level1;
        if !charge.outweighs(bytes / BYTES_PER_NANO, self.visible_sequence(), WRITE_NANOS) {
            return false;
        }
        let goes_down = memtable_bytes(family) + level0;
        goes_down.saturating_mul(family.options.level_multiplier) >= level1
    }

    /// `false` if somebody writes.
    fn flush_for_reads(&self, family: &FamilyCore) -> Result<bool> {
        if family.view.load().memtable.is_empty() {
            return Ok(true);
        }
        // Not waited for: a writer may hold it and wait for this very thread.
        let Some(mut writer) = self.writer.try_lock() else {
            return Ok(false);
        };
        self.check_writable()?;
        self.rotate(&mut writer)?;
        drop(writer);
        while self.flush_oldest()? {}
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

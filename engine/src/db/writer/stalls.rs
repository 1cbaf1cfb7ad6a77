//! Stalls: how writers are held back while level 0 is too long for compactions to keep up.
//!
//! It is a ladder. From [`LEVEL0_SLOW`] tables on, writers pause now and then, the longer the more tables there are; from
//! [`LEVEL0_STOP`] on, they wait for a compaction. Only the families that a batch writes to count, because the write does not
//! make the level 0 of others grow.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::Writer;
use crate::batch::WriteBatch;
use crate::db::Background;
use crate::db::core::Core;
use crate::db::events::Stall;
use crate::db::family::FamilyCore;
use crate::db::options::{LEVEL0_SLOW, LEVEL0_STOP};
use crate::db::signals::Piece;
use crate::error::Result;

/// While level 0 is slow, writers pause after this many bytes.
const SLOW_BYTES: usize = 64 << 10;
/// The pause, once for each table in level 0 beyond the limit.
const SLOW_PAUSE: Duration = Duration::from_millis(1);

impl Core {
    /// Slows a writer down while level 0 of a family that it writes to is long, and stops it while that is too long.
    /// The caller must hold the lead.
    pub(super) fn hold_back(&self, writer: &mut Writer, batch: &WriteBatch) -> Result<()> {
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
    pub(in crate::db) fn has_stopped(&self) -> bool {
        self.level0_tables.load(Ordering::Relaxed) >= LEVEL0_STOP
    }

    /// Whether level 0 of a family that a batch writes to is too long.
    pub(in crate::db) fn is_stopped(&self, batch: &WriteBatch) -> bool {
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
    pub(in crate::db) fn relieve_level0(&self, batch: &WriteBatch) -> Result<()> {
        if self.background == Background::Manual && self.is_stopped(batch) {
            self.check_writable()?;
            for family in self.stopped_families(batch) {
                while level0_of(&family) >= LEVEL0_STOP && self.compact_family(&family)? {}
            }
        }
        Ok(())
    }

    /// Waits until no family of a batch is stopped any more, or its compactions fail.
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
}

fn level0_of(family: &FamilyCore) -> usize {
    family.view.load().version.level(0).len()
}

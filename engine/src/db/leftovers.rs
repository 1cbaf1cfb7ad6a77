//! Gives back the space of what snapshots had kept, when they are gone.
//!
//! While a snapshot is held, flushes and compactions keep the versions and tombstones that it needs. When it is dropped, the
//! next compaction of their keys leaves them out. But in the deepest level there is no next one where nothing is written any more: a
//! store that was overwritten or emptied under a long snapshot would take the space for ever. So the tables that are
//! written while a snapshot is held are noted, and rewritten where they are when they hold much that nobody needs. RocksDB
//! does so with tables of its last level (`bottommost_files_marked_for_compaction`), LevelDB does not.
//!
//! 1. A table is looked at once no snapshot is older than what is in it: then all that snapshots had kept may go. A later
//!    snapshot does not matter, since it sees the newest versions.
//! 2. Of its entries at least one in so many as the multiplier of the levels says must go. So no more is written for each of
//!    them than leveled compaction writes for a row. Tombstones go only where no level below may hold their keys.
//! 3. What the shape needs is done first. A plan takes neighbours along, so that few small tables are left, but no more than a level 1
//!    of bytes: closing has to give up what it is at.
//! 4. A table of level 0 stays noted: the shape moves it down soon.
//!
//! A failure is reported, and not tried again: the entries stay until the next compaction of their keys. The same is true of
//! tables that are noted when the database closes.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::compaction;
use crate::db::core::Core;
use crate::db::family::FamilyCore;
use crate::db::signals::{Work, closed};
use crate::error::Result;
use crate::version::{FileMeta, TableFile, Version};

/// The tables that were written while a snapshot was held.
#[derive(Debug, Default)]
pub(super) struct Leftovers {
    noted: Mutex<Vec<Noted>>,
    /// Of what is in any table that was ever noted nothing is newer. Snapshots that are dropped look at it, and take no lock.
    newest: AtomicU64,
}

#[derive(Debug)]
struct Noted {
    /// The number of the table.
    table: u64,
    /// Of what is in it nothing is newer.
    sequence: u64,
}

impl Noted {
    /// Whether a snapshot is older than what is in the table.
    fn is_needed(&self, oldest_snapshot: Option<u64>) -> bool {
        oldest_snapshot.is_some_and(|oldest| oldest < self.sequence)
    }
}

impl Leftovers {
    /// Adds tables in which nothing is newer than `sequence`.
    fn note(&self, tables: &[FileMeta], sequence: u64) {
        let tables = tables.iter().map(|file| Noted {
            table: file.number,
            sequence,
        });
        self.noted.lock().extend(tables);
        self.newest.fetch_max(sequence, Ordering::SeqCst);
    }

    /// The numbers of the tables in which no snapshot needs what another one had kept.
    fn due(&self, oldest_snapshot: Option<u64>) -> BTreeSet<u64> {
        let noted = self.noted.lock();
        let due = noted.iter().filter(|of| !of.is_needed(oldest_snapshot));
        due.map(|of| of.table).collect()
    }

    /// Takes tables off that are gone, or hold nothing to give back.
    pub(super) fn forget(&self, tables: &BTreeSet<u64>) {
        self.noted.lock().retain(|of| !tables.contains(&of.table));
    }
}

impl Core {
    /// Notes the tables of a flush or compaction that began while a snapshot was held, once they are in force.
    pub(super) fn note_leftovers(&self, tables: &[FileMeta]) {
        self.leftovers.note(tables, self.visible_sequence());
        // The snapshot may be gone already.
        self.signals.request(Work::Compact);
    }

    /// Drops a snapshot of `sequence`.
    pub(super) fn release_snapshot(&self, sequence: u64) {
        let oldest = self.snapshots.release(sequence);
        let was_oldest = oldest.is_none_or(|oldest| oldest > sequence);
        if was_oldest && sequence < self.leftovers.newest.load(Ordering::SeqCst) {
            self.signals.request(Work::Compact);
        }
    }

    /// Rewrites tables of a family in which much is left over. Returns `false` if there are none.
    ///
    /// # Errors
    /// As for [`Core::compact_once`].
    pub(super) fn compact_leftovers(&self) -> Result<bool> {
        let oldest = self.snapshots.oldest();
        let due = self.leftovers.due(oldest);
        if due.is_empty() {
            return Ok(false);
        }
        self.as_compaction(|| {
            for family in self.families.load_full().iter() {
                let version = Arc::clone(&family.view.load().version);
                let is_worth_it = |level: usize, table: &TableFile| {
                    due.contains(&table.number)
                        && is_much_left_over(family, &version, level, table, oldest)
                };
                let plan =
                    compaction::pick_leftovers(&version, &family.options.shape(), is_worth_it);
                let Some(plan) = plan else { continue };
                self.leftovers.forget(&plan.numbers());
                return match self.run_plan(family, &plan)? {
                    false if self.is_closing() => Err(closed()),
                    _ => Ok(true),
                };
            }
            self.leftovers.forget(&self.not_in_level0(due));
            Ok(false)
        })
    }

    fn not_in_level0(&self, mut tables: BTreeSet<u64>) -> BTreeSet<u64> {
        for family in self.families.load().iter() {
            for table in family.view.load().version.level(0).iter() {
                tables.remove(&table.number);
            }
        }
        tables
    }
}

/// Whether rewriting a table would leave out a fair part of it. A table that cannot be read is left alone.
fn is_much_left_over(
    family: &FamilyCore,
    version: &Version,
    level: usize,
    table: &TableFile,
    oldest_snapshot: Option<u64>,
) -> bool {
    let Ok(open) = table.table() else {
        return false;
    };
    let of = open.properties();
    if oldest_snapshot.is_some_and(|oldest| oldest < of.sequence_max) {
        return false;
    }
    let mut goes = of.older_versions;
    if compaction::is_lowest(version, family.comparator(), level, table) {
        if of.range_deletes > 0 {
            return true;
        }
        goes += of.deletes;
    }
    goes > 0 && goes.saturating_mul(family.options.level_multiplier) >= of.entries
}

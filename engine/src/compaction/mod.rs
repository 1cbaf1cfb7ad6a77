//! Compaction: rewriting tables so that reads have to look into few of them and dead entries take no space.
//!
//! ```text
//! picker      what to do: a pure function of a version, for the strategy leveled or tiered
//! survivors   which versions outlive it
//! rewrite     merges the inputs into new tables; input: what it reads, outputs: the tables that it writes
//! ```
//!
//! A flush is the same rewrite with one memtable as its input.
//!
//! Nothing here knows the manifest: the outputs become part of a version only when `db` has
//! recorded them, and until then the old version serves reads.

mod input;
mod leveled;
mod outputs;
pub mod picker;
mod rewrite;
mod survivors;
#[cfg(test)]
mod tests;
mod tiered;

use std::ops::Add;

pub use self::picker::{
    Plan, Reason, Shape, Strategy, is_lowest, pick, pick_everything, pick_for_reads,
    pick_leftovers, pick_range, pick_table_for_reads,
};
pub use self::rewrite::{Cancellation, Environment, Output, compact, flush};

/// Drops or changes entries while a compaction rewrites them.
///
/// It is called while readers and writers continue, and may read the database or close it. All else is refused with an
/// error, because a writer may be waiting for this very compaction. It is shown an entry only if no snapshot sees it at that
/// moment. One that is taken later, while the compaction runs, sees the entry as it was, for as long as it
/// is held. Other readers see it until the compaction ends, so a filter should only drop what no later
/// reader needs, such as rows that nothing points to any more. It may be called several times for one
/// entry, or never: entries that no compaction reaches stay. So readers of a cache, say, must themselves
/// check whether a row has expired.
///
/// ```
/// # fn main() -> engine::Result<()> {
/// # let vfs = std::sync::Arc::new(engine::vfs::MemoryVfs::new());
/// # let options = engine::Options { vfs, ..engine::Options::default() };
/// use std::sync::Arc;
/// use engine::{CompactionFilter, Db, Decision, FamilyOptions};
///
/// /// Sessions begin with the hour in which they end.
/// struct Expired { hour: u8 }
///
/// impl CompactionFilter for Expired {
///     fn decide(&self, _key: &[u8], value: &[u8]) -> Decision {
///         match value.first() {
///             Some(end) if *end < self.hour => Decision::Remove,
///             _ => Decision::Keep,
///         }
///     }
/// }
///
/// let sessions = FamilyOptions {
///     compaction_filter: Some(Arc::new(Expired { hour: 12 })),
///     ..FamilyOptions::default()
/// };
/// let db = Db::open("db", options.family("sessions", sessions))?;
/// let sessions = db.family("sessions")?;
/// sessions.put("ada", [11, 7])?;
/// sessions.put("ben", [15, 7])?;
/// db.compact()?;
/// assert!(sessions.get("ada")?.is_none() && sessions.get("ben")?.is_some());
/// # Ok(())
/// # }
/// ```
pub trait CompactionFilter: Send + Sync {
    /// Decides about an entry that was put and, as far as the compaction can see, not deleted since.
    fn decide(&self, key: &[u8], value: &[u8]) -> Decision;
}

/// What a compaction filter decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Leave the entry as it is.
    Keep,
    /// Delete the key.
    Remove,
    /// Give the key this value.
    Change(Vec<u8>),
}

/// Why a rewrite leaves an entry out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// A newer version of its key hides it from every reader.
    Shadowed,
    /// A newer range tombstone over its key hides it from every reader.
    RangeDeleted,
    /// It is a tombstone, and no deeper level can hold its key.
    Tombstone,
    /// The compaction filter removed it.
    Filtered,
}

/// How many entries a rewrite left out, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Hidden by a newer version of the key.
    pub shadowed: u64,
    /// Hidden by a newer range tombstone over the key.
    pub range_deleted: u64,
    /// Tombstones with nothing left to hide.
    pub tombstones: u64,
    /// Removed by the compaction filter.
    pub filtered: u64,
}

impl Dropped {
    /// All of them.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.shadowed + self.range_deleted + self.tombstones + self.filtered
    }

    const fn count(&mut self, why: Why) {
        match why {
            Why::Shadowed => self.shadowed += 1,
            Why::RangeDeleted => self.range_deleted += 1,
            Why::Tombstone => self.tombstones += 1,
            Why::Filtered => self.filtered += 1,
        }
    }
}

impl Add for Dropped {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            shadowed: self.shadowed + other.shadowed,
            range_deleted: self.range_deleted + other.range_deleted,
            tombstones: self.tombstones + other.tombstones,
            filtered: self.filtered + other.filtered,
        }
    }
}

/// The sequence numbers that snapshots read at.
pub trait Snapshots: Sync {
    /// All of them, ascending, each once.
    fn ascending(&self) -> Vec<u64>;

    /// The greatest of them. Called for every entry that the filter may see, so it should be cheap.
    fn newest(&self) -> Option<u64>;
}

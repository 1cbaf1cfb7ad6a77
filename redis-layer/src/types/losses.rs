//! How many rows each collection has lost, so that a small one can be written anew before scans over it get slow.
//!
//! A removed row leaves a tombstone, and until a compaction a scan over the collection steps over it. In a small
//! collection whose elements come and go the tombstones soon outnumber the rows: after 100,000 jobs had come and gone in a
//! hash of ten fields, `HGETALL` took 5 ms. So a collection of up to [`SMALL`] elements that has lost [`TIMES`] times as
//! many is written anew under a new version. What is left under the old version are orphans, which no scan meets.
//!
//! The counts are in memory, in a table of fixed size. Two collections that share a slot forget each other's counts, and
//! a restart forgets all: then a collection is written anew later.
//!
//! Left out: large collections, because a single command would have to write all of their rows.

use std::sync::atomic::{AtomicU64, Ordering};

/// Up to this many elements are written anew.
const SMALL: u64 = 1024;
/// Up to this many bytes are written anew.
pub(crate) const BYTES_MOST: usize = 1 << 20;
/// Fewer lost rows than this slow nobody down.
const LOST_LEAST: u64 = 1024;
/// One row is written anew for at least this many that were lost.
const TIMES: u64 = 8;
const SLOTS: usize = 1 << 12;

/// The rows that collections have lost, by their versions.
#[derive(Debug)]
pub(crate) struct Losses {
    /// A slot holds `a part of the version: u32 | lost rows: u32`.
    slots: Box<[AtomicU64]>,
}

impl Default for Losses {
    fn default() -> Self {
        Self {
            slots: (0..SLOTS).map(|_| AtomicU64::default()).collect(),
        }
    }
}

impl Losses {
    /// Notes that a collection, which has `size` elements now, has lost rows that a scan over it meets. The caller holds
    /// the lock of its key. Returns whether it is to be written anew. Then it counts from the beginning.
    pub(crate) fn note(&self, version: u64, lost: u64, size: u64) -> bool {
        if lost == 0 {
            return false;
        }
        let slot = &self.slots[version as usize % SLOTS];
        let tag = u64::from((version / SLOTS as u64) as u32);
        let before = slot.load(Ordering::Relaxed);
        let before = if before >> 32 == tag {
            before & u64::from(u32::MAX)
        } else {
            0
        };
        let lost = before.saturating_add(lost).min(u32::MAX.into());
        let is_due = size <= SMALL && lost >= LOST_LEAST.max(size * TIMES);
        let left = if is_due { 0 } else { lost };
        slot.store(tag << 32 | left, Ordering::Relaxed);
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collection_is_written_anew_when_it_has_lost_many_times_its_size() {
        let losses = Losses::default();
        assert!(!losses.note(7, LOST_LEAST - 1, 10));
        assert!(!losses.note(7, 0, 10));
        // Another slot, and then another version in the same one.
        assert!(!losses.note(8, LOST_LEAST - 1, 10));
        assert!(losses.note(7, 1, 10));
        assert!(!losses.note(7 + SLOTS as u64, 1, 10));
        assert!(!losses.note(7, 1, 10));
        assert!(!losses.note(9, SMALL * TIMES - 1, SMALL));
        assert!(losses.note(9, 1, SMALL));
        assert!(!losses.note(9, 1, SMALL));
        assert!(!losses.note(9, u64::MAX, SMALL + 1));
        assert!(losses.note(9, u64::MAX, SMALL));
    }
}

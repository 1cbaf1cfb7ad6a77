//! Which versions of a key outlive a rewrite.
//!
//! Snapshots cut the line of sequence numbers into stripes: two versions are in one stripe if no
//! snapshot sees the older one without the newer one. Of each stripe the newest version stays and the
//! others are dropped.
//!
//! ```text
//! versions    9   8      6   5  4      2
//! snapshots         |7|           |3|        stripes: above 7, 4 to 7, up to 3
//! stays       9          6             2
//! ```
//!
//! A tombstone that would stay is dropped too if it has nothing left to hide: it is in the lowest
//! stripe, and no table below may hold its key. And the newest version of a key, if it is a put
//! that no snapshot sees, is shown to the compaction filter.
//!
//! A range tombstone of the inputs drops the older entries of its range that are in its stripe. It
//! is itself dropped if it is in the lowest stripe and no table below may hold a key of its range.
//!
//! A put that stays in the lowest stripe, and whose key no table below may hold, is *settled*: every
//! reader sees it, now and later, and nothing older is left to compare it with. It gets sequence number
//! 0, which takes fewer bytes than any other (as in RocksDB). There are two exceptions. If a range
//! tombstone of the inputs covers its key, that may have to stay for other keys, and would hide the
//! put. And in a flush nothing is settled, because the row may also be in a log, with its number.
//!
//! Invariant: entries come in internal order, so the newest version of a key comes first.

use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::compaction::{CompactionFilter, Decision, Snapshots, Why};
use crate::comparator::Comparator;
use crate::internal_key::{ParsedKey, ValueKind};
use crate::range_tombstone::{Fragment, Keep, RangeTombstones};
use crate::version::{TableFile, Tables};

/// Decides about the entries of one rewrite, one after another.
pub(super) struct Survivors<'a> {
    snapshots: &'a dyn Snapshots,
    /// The snapshots at the beginning, ascending. A snapshot taken later is newer than all of them,
    /// so it needs only the newest versions, which stay.
    stripes: Vec<u64>,
    filter: Option<&'a dyn CompactionFilter>,
    /// Whether puts are settled at all.
    settles: bool,
    below: Below,
    /// Of the inputs' range tombstones the newest of each stripe, and the first fragment that does
    /// not end before the last key.
    tombstones: RangeTombstones,
    fragment: usize,
    /// The key of the previous entry, and the stripe that it was in.
    key: Vec<u8>,
    stripe: Option<usize>,
}

/// The decision about an entry.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is written as it is.
    Stays,
    /// It is written with sequence number 0.
    Settles,
    /// It is not written.
    Goes(Why),
    /// It is written as a tombstone.
    BecomesTombstone,
    /// It is written with another value.
    Changes(Vec<u8>),
}

impl<'a> Survivors<'a> {
    pub(super) fn new(
        snapshots: &'a dyn Snapshots,
        filter: Option<&'a dyn CompactionFilter>,
        below: Below,
        tombstones: Vec<Fragment>,
    ) -> Self {
        let stripes = snapshots.ascending();
        let keep = Keep::NewestBetween(&stripes);
        let tombstones = RangeTombstones::new(&below.comparator, tombstones, keep);
        Self {
            snapshots,
            stripes,
            filter,
            settles: false,
            below,
            tombstones,
            fragment: 0,
            key: Vec::new(),
            stripe: None,
        }
    }

    /// The same, but settled puts get sequence number 0.
    pub(super) fn settling(self) -> Self {
        Self {
            settles: true,
            ..self
        }
    }

    /// Whether the next entry begins a new user key: only there may an output table end.
    pub(super) fn begins_key(&self, entry: &ParsedKey<'_>) -> bool {
        self.stripe.is_none() || entry.user_key != self.key
    }

    /// The stripe of a version, numbered by how many snapshots do not see it.
    fn stripe_of(&self, sequence: u64) -> usize {
        self.stripes
            .partition_point(|snapshot| *snapshot < sequence)
    }

    /// The range tombstones of the inputs over a key. Must be called with ascending keys.
    fn fragment_over(&mut self, user_key: &[u8]) -> Option<&Fragment> {
        let comparator = &self.below.comparator;
        let fragments = self.tombstones.fragments();
        while let Some(fragment) = fragments.get(self.fragment)
            && comparator.compare(&fragment.end, user_key).is_le()
        {
            self.fragment += 1;
        }
        fragments
            .get(self.fragment)
            .filter(|fragment| comparator.compare(&fragment.start, user_key).is_le())
    }

    /// Whether a newer range tombstone of the same stripe covers an entry.
    fn is_covered(&mut self, entry: &ParsedKey<'_>, stripe: usize) -> bool {
        let Some(fragment) = self.fragment_over(entry.user_key) else {
            return false;
        };
        let sequences = Arc::clone(&fragment.sequences);
        let mut newer = sequences.iter().filter(|of| **of > entry.sequence);
        newer.any(|of| self.stripe_of(*of) == stripe)
    }

    /// The decision about a put that is not dropped.
    fn kept(&mut self, entry: &ParsedKey<'_>, lowest: bool) -> Fate {
        let settles = self.settles
            && lowest
            && self.fragment_over(entry.user_key).is_none()
            && self.below.lacks(entry.user_key);
        if settles { Fate::Settles } else { Fate::Stays }
    }

    /// Whether all entries and tombstones of a table are dropped, because one newer range tombstone
    /// covers them all.
    pub(super) fn covers(&self, table: &TableFile, sequences: RangeInclusive<u64>) -> bool {
        let comparator = &self.below.comparator;
        let around = self
            .tombstones
            .around(comparator, table.smallest_user_key());
        around.fragment.is_some_and(|fragment| {
            // If the smallest and the largest number of the table are in one stripe, so are all between them.
            let hides = |of: &u64| {
                of > sequences.end() && self.stripe_of(*of) == self.stripe_of(*sequences.start())
            };
            table.ends_before(comparator, &fragment.end) && fragment.sequences.iter().any(hides)
        })
    }

    /// The range tombstones that still have something to hide.
    pub(super) fn tombstones(&self) -> RangeTombstones {
        let mut left = Vec::new();
        for fragment in self.tombstones.fragments() {
            let mut sequences = fragment.sequences.to_vec();
            if self.below.lacks_range(&fragment.start, &fragment.end) {
                sequences.retain(|sequence| self.stripe_of(*sequence) > 0);
            }
            if !sequences.is_empty() {
                left.push(Fragment {
                    sequences: sequences.into(),
                    ..fragment.clone()
                });
            }
        }
        RangeTombstones::new(&self.below.comparator, left, Keep::All)
    }

    pub(super) fn judge(&mut self, entry: &ParsedKey<'_>, value: &[u8]) -> Fate {
        let newest = self.begins_key(entry);
        if newest {
            self.key.clear();
            self.key.extend_from_slice(entry.user_key);
            self.stripe = None;
        }
        let stripe = self.stripe_of(entry.sequence);
        if self.stripe.replace(stripe) == Some(stripe) {
            return Fate::Goes(Why::Shadowed);
        }
        if self.is_covered(entry, stripe) {
            return Fate::Goes(Why::RangeDeleted);
        }
        let lowest = stripe == 0;
        if entry.kind != ValueKind::Put {
            return if lowest && self.below.lacks(entry.user_key) {
                Fate::Goes(Why::Tombstone)
            } else {
                Fate::Stays
            };
        }
        let Some(filter) = self.filter.filter(|_| newest) else {
            return self.kept(entry, lowest);
        };
        // Read again, because a snapshot may have been taken since the beginning.
        let held = self.snapshots.newest();
        if held.is_some_and(|held| held >= entry.sequence) {
            return self.kept(entry, lowest);
        }
        match filter.decide(entry.user_key, value) {
            Decision::Keep => self.kept(entry, lowest),
            Decision::Change(value) => Fate::Changes(value),
            // Only the newest version is removed, so a tombstone must keep older ones hidden.
            Decision::Remove if lowest && self.below.lacks(entry.user_key) => {
                Fate::Goes(Why::Filtered)
            }
            Decision::Remove => Fate::BecomesTombstone,
        }
    }
}

/// The tables below a rewrite, which may hold older versions. Must be called with ascending keys.
pub(super) struct Below {
    comparator: Comparator,
    /// Tables of level 0, of which any may hold the key.
    overlapping: Tables,
    /// Sorted levels, each with its first table that does not end before the last key asked for.
    sorted: Vec<(Tables, usize)>,
}

impl Below {
    pub(super) fn new(comparator: Comparator, overlapping: Tables, sorted: Vec<Tables>) -> Self {
        let sorted = sorted.into_iter().map(|tables| (tables, 0)).collect();
        Self {
            comparator,
            overlapping,
            sorted,
        }
    }

    /// Whether no table can hold `user_key`, judging by the tables' key ranges.
    fn lacks(&mut self, user_key: &[u8]) -> bool {
        let comparator = &self.comparator;
        let starts_by = |table: &TableFile| {
            comparator
                .compare(table.smallest_user_key(), user_key)
                .is_le()
        };
        let ends_before = |table: &TableFile| table.ends_before(comparator, user_key);
        if self
            .overlapping
            .iter()
            .any(|table| starts_by(table) && !ends_before(table))
        {
            return false;
        }
        self.sorted.iter_mut().all(|(tables, at)| {
            while tables.get(*at).is_some_and(|table| ends_before(table)) {
                *at += 1;
            }
            !tables.get(*at).is_some_and(|table| starts_by(table))
        })
    }

    /// Whether no table can hold a key from `start` up to `end`.
    fn lacks_range(&self, start: &[u8], end: &[u8]) -> bool {
        let comparator = &self.comparator;
        let ends_before = |table: &TableFile| table.ends_before(comparator, start);
        let starts_before =
            |table: &TableFile| comparator.compare(table.smallest_user_key(), end).is_lt();
        let meets = |table: &Arc<TableFile>| !ends_before(table) && starts_before(table);
        let level_meets = |tables: &Tables| {
            let first = tables.partition_point(|table| ends_before(table));
            tables.get(first).is_some_and(|table| starts_before(table))
        };
        let mut levels = self.sorted.iter().map(|(tables, _)| tables);
        !self.overlapping.iter().any(meets) && !levels.any(level_meets)
    }
}

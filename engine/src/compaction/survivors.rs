//! Which versions of a key outlive a rewrite.
//!
//! Snapshots cut the line of sequence numbers into stripes: two versions lie in one stripe if no snapshot can
//! see the older and not the newer. Of each stripe the newest version stays and the others go.
//!
//! ```text
//! versions    9   8      6   5  4      2
//! snapshots         |7|           |3|        stripes: above 7, 4 to 7, up to 3
//! stays       9          6             2
//! ```
//!
//! Of what stays, a tombstone goes too when it has nothing left to hide: it lies in the lowest stripe, and no
//! table below may hold its key. And the newest version, if it is a put that no snapshot sees, is shown to
//! the compaction filter.
//!
//! Invariant: entries come in internal order, so the newest version of a key comes first.

use crate::compaction::{CompactionFilter, Decision, Snapshots, Why};
use crate::comparator::Comparator;
use crate::internal_key::{ParsedKey, ValueKind};
use crate::version::{TableFile, Tables};

/// Judges the entries of one rewrite, one after another.
pub(super) struct Survivors<'a> {
    snapshots: &'a dyn Snapshots,
    /// Snapshots at the beginning, ascending. One taken later sees nothing older than what stays.
    stripes: Vec<u64>,
    filter: Option<&'a dyn CompactionFilter>,
    below: Below,
    /// The key of the entry before, and the stripe it lay in.
    key: Vec<u8>,
    stripe: Option<usize>,
}

/// What becomes of an entry.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is written as it is.
    Stays,
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
    ) -> Self {
        let stripes = snapshots.ascending();
        Self {
            snapshots,
            stripes,
            filter,
            below,
            key: Vec::new(),
            stripe: None,
        }
    }

    /// Whether the next entry begins a new user key: the only place where an output table may be cut.
    pub(super) fn begins_key(&self, entry: &ParsedKey<'_>) -> bool {
        self.stripe.is_none() || entry.user_key != self.key
    }

    pub(super) fn judge(&mut self, entry: &ParsedKey<'_>, value: &[u8]) -> Fate {
        let newest = self.begins_key(entry);
        if newest {
            self.key.clear();
            self.key.extend_from_slice(entry.user_key);
            self.stripe = None;
        }
        // The number of snapshots that do not see the entry names its stripe.
        let stripe = self
            .stripes
            .partition_point(|snapshot| *snapshot < entry.sequence);
        if self.stripe.replace(stripe) == Some(stripe) {
            return Fate::Goes(Why::Shadowed);
        }
        let lowest = stripe == 0;
        if entry.kind != ValueKind::Put {
            return if lowest && self.below.lacks(entry.user_key) {
                Fate::Goes(Why::Tombstone)
            } else {
                Fate::Stays
            };
        }
        // Asked anew, because a snapshot may have been taken since the beginning.
        if !newest
            || self
                .snapshots
                .newest()
                .is_some_and(|newest| newest >= entry.sequence)
        {
            return Fate::Stays;
        }
        match self
            .filter
            .map(|filter| filter.decide(entry.user_key, value))
        {
            None | Some(Decision::Keep) => Fate::Stays,
            Some(Decision::Change(value)) => Fate::Changes(value),
            // Only the newest version is removed, so older ones must stay hidden.
            Some(Decision::Remove) if lowest && self.below.lacks(entry.user_key) => {
                Fate::Goes(Why::Filtered)
            }
            Some(Decision::Remove) => Fate::BecomesTombstone,
        }
    }
}

/// The tables that lie under a rewrite and may hold older versions. Asked for ascending keys.
pub(super) struct Below {
    comparator: Comparator,
    /// Tables of level 0: any may hold the key.
    overlapping: Tables,
    /// Sorted levels, and in each the first table that does not end before the last key asked for.
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

    /// Whether none of the tables can hold `user_key`, by their key ranges.
    fn lacks(&mut self, user_key: &[u8]) -> bool {
        let comparator = &self.comparator;
        let starts_by = |table: &TableFile| {
            comparator
                .compare(table.smallest_user_key(), user_key)
                .is_le()
        };
        let ends_before = |table: &TableFile| {
            comparator
                .compare(table.largest_user_key(), user_key)
                .is_lt()
        };
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
}

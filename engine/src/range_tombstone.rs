//! Range tombstones: "all keys from `start` up to, not including, `end` are deleted as of this sequence number".
//!
//! Tombstones of one source (a memtable, a table, a level) may overlap, but a lookup needs the newest one over
//! a key quickly. So they are cut into *fragments* that do not overlap, each with all its sequence numbers:
//!
//! ```text
//! tombstones    a-------------m @5           fragments   a----f {5}
//!                    f------------t @9                        f----m {5, 9}
//!                                                                  m----t {9}
//! ```
//!
//! A binary search finds the fragment that covers a key. The tombstone that a reader sees is the
//! greatest of the fragment's numbers that is not above the reader's.
//!
//! Invariants
//! 1. Fragments are sorted, do not overlap, and none is empty. Neighbours that touch have different
//!    numbers, so a set of tombstones has exactly one form.
//! 2. A fragment has at least one number. Its numbers ascend without repeats.
//! 3. A set never changes, so readers need no lock.
//!
//! The fragments of `n` tombstones that all overlap hold up to `n * n` numbers. [`Keep`] says which of
//! them can still make a difference to a reader; keeping only those keeps the sum proportional to `n`.
//!
//! Source of the idea: RocksDB's `FragmentedRangeTombstoneList` (2018) and Pebble's `keyspan`.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::comparator::Comparator;

/// A range of keys and when it was deleted. A single tombstone is a fragment with one number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fragment {
    /// The first key that is deleted.
    pub start: Arc<[u8]>,
    /// The first key after it that is not deleted by it.
    pub end: Arc<[u8]>,
    /// The sequence numbers of the tombstones over it, ascending.
    pub sequences: Arc<[u64]>,
}

/// Range tombstones as fragments. See the module.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RangeTombstones {
    fragments: Vec<Fragment>,
}

/// Which of the tombstones over the same keys are kept.
#[derive(Debug, Clone, Copy)]
pub enum Keep<'a> {
    /// All of them: readers of any sequence number may come.
    All,
    /// Between each two of these ascending sequence numbers only the newest tombstone: no reader
    /// can tell the others apart from it.
    NewestBetween(&'a [u64]),
}

/// The fragment that holds a key, or the gap between two fragments.
#[derive(Debug, Clone, Copy)]
pub struct Stretch<'a> {
    /// Where it begins; `None` if it is not bounded.
    pub low: Option<&'a Arc<[u8]>>,
    /// Where it ends (exclusive); `None` if it is not bounded.
    pub high: Option<&'a Arc<[u8]>>,
    /// The fragment; `None` for a gap.
    pub fragment: Option<&'a Fragment>,
}

impl Fragment {
    /// A tombstone over `[start, end)`.
    #[must_use]
    pub fn tombstone(start: &[u8], end: &[u8], sequence: u64) -> Self {
        Self {
            start: start.into(),
            end: end.into(),
            sequences: [sequence].into(),
        }
    }

    /// The sequence number of the newest tombstone that a reader of `sequence` sees; 0 if it sees none.
    #[must_use]
    pub fn newest(&self, sequence: u64) -> u64 {
        let seen = self.sequences.partition_point(|of| *of <= sequence);
        seen.checked_sub(1).map_or(0, |at| self.sequences[at])
    }
}

impl RangeTombstones {
    /// Cuts tombstones, or fragments of several sets, into one set. Pieces that cover nothing are dropped.
    ///
    /// Cost: O(n log n) for `n` pieces, and what is kept.
    #[must_use]
    pub fn new(comparator: &Comparator, mut pieces: Vec<Fragment>, keep: Keep<'_>) -> Self {
        pieces.retain(|piece| comparator.compare(&piece.start, &piece.end).is_lt());
        Sweep::over(comparator, &pieces).run(keep)
    }

    /// This set and the tombstones of one more batch. Of the batch's tombstones over one key only
    /// the newest counts, because no reader sees a state between the records of a batch.
    ///
    /// Cost: the fragments are copied; only those that overlap the new tombstones are cut again.
    #[must_use]
    pub fn with_batch(&self, comparator: &Comparator, tombstones: Vec<Fragment>) -> Self {
        let mut new = Self::new(comparator, tombstones, Keep::NewestBetween(&[])).fragments;
        let (Some(first), Some(last)) = (new.first(), new.last()) else {
            return self.clone();
        };
        // Fragments that only touch the new ones are included, because they may merge with them.
        let old = &self.fragments;
        let from = old.partition_point(|old| comparator.compare(&old.end, &first.start).is_lt());
        let to = old.partition_point(|old| comparator.compare(&old.start, &last.end).is_le());
        // It never is, unless the comparator contradicts itself.
        let to = to.max(from);
        new.extend_from_slice(&old[from..to]);
        let middle = Self::new(comparator, new, Keep::All).fragments;
        let fragments = [&old[..from], &middle, &old[to..]].concat();
        Self { fragments }
    }

    /// A set from fragments that are already in order, such as those of a table, or of neighbouring
    /// tables one after another.
    ///
    /// # Errors
    /// The index of the first fragment that is out of order or has wrong numbers. Neighbours that
    /// could be merged into one fragment are accepted, because tables cut fragments.
    pub fn from_sorted(comparator: &Comparator, fragments: Vec<Fragment>) -> Result<Self, usize> {
        let covers = |of: &Fragment| comparator.compare(&of.start, &of.end).is_lt();
        let ascends = |of: &Fragment| of.sequences.is_sorted_by(|a, b| a < b);
        for (at, fragment) in fragments.iter().enumerate() {
            let after_previous = at == 0
                || comparator
                    .compare(&fragments[at - 1].end, &fragment.start)
                    .is_le();
            let whole = covers(fragment) && ascends(fragment) && !fragment.sequences.is_empty();
            if !after_previous || !whole {
                return Err(at);
            }
        }
        Ok(Self { fragments })
    }

    /// Whether nothing is deleted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.fragments.is_empty()
    }

    /// The fragments in order.
    #[must_use]
    pub fn fragments(&self) -> &[Fragment] {
        &self.fragments
    }

    /// How many tombstones there are; one that lies in several fragments counts once in each.
    #[must_use]
    pub fn len(&self) -> usize {
        self.fragments
            .iter()
            .map(|fragment| fragment.sequences.len())
            .sum()
    }

    /// The fragment or gap that `key` lies in. Cost: one binary search.
    #[must_use]
    pub fn around(&self, comparator: &Comparator, key: &[u8]) -> Stretch<'_> {
        let at = self
            .fragments
            .partition_point(|of| comparator.compare(&of.end, key).is_le());
        let before = at.checked_sub(1).map(|before| &self.fragments[before].end);
        match self.fragments.get(at) {
            Some(of) if comparator.compare(&of.start, key).is_le() => Stretch {
                low: Some(&of.start),
                high: Some(&of.end),
                fragment: Some(of),
            },
            next => Stretch {
                low: before,
                high: next.map(|next| &next.start),
                fragment: None,
            },
        }
    }

    /// The newest tombstone over `key` that a reader of `sequence` sees, by its number; 0 if there is none.
    #[must_use]
    pub fn newest_over(&self, comparator: &Comparator, key: &[u8], sequence: u64) -> u64 {
        let fragment = self.around(comparator, key).fragment;
        fragment.map_or(0, |fragment| fragment.newest(sequence))
    }

    /// The part of the set from `low` up to `high`; fragments that cross a bound are cut there.
    pub fn within<'a>(
        &'a self,
        comparator: &'a Comparator,
        low: Option<&'a [u8]>,
        high: Option<&'a [u8]>,
    ) -> impl Iterator<Item = Fragment> + 'a {
        let from = low.map_or(0, |low| {
            self.fragments
                .partition_point(|of| comparator.compare(&of.end, low).is_le())
        });
        self.fragments[from..].iter().map_while(move |of| {
            let mut cut = of.clone();
            if let Some(high) = high {
                if comparator.compare(&of.start, high).is_ge() {
                    return None;
                }
                if comparator.compare(&of.end, high).is_gt() {
                    cut.end = high.into();
                }
            }
            if let Some(low) = low.filter(|low| comparator.compare(&of.start, low).is_lt()) {
                cut.start = low.into();
            }
            Some(cut)
        })
    }
}

/// Sweeps over the bounds of all pieces in order and keeps track of the tombstones over the current key.
struct Sweep<'a> {
    comparator: &'a Comparator,
    pieces: &'a [Fragment],
    /// The pieces (by index) in the order of their starts, and in the order of their ends.
    starts: Vec<usize>,
    ends: Vec<usize>,
    /// The sequence numbers over the current key, and how many pieces have each.
    active: BTreeMap<u64, usize>,
    done: Vec<Fragment>,
}

impl<'a> Sweep<'a> {
    /// Requires that each piece ends after it starts.
    fn over(comparator: &'a Comparator, pieces: &'a [Fragment]) -> Self {
        let sorted_by = |bound: fn(&Fragment) -> &[u8]| {
            let mut order: Vec<usize> = (0..pieces.len()).collect();
            order.sort_by(|&a, &b| comparator.compare(bound(&pieces[a]), bound(&pieces[b])));
            order
        };
        Self {
            comparator,
            pieces,
            starts: sorted_by(|piece| &piece.start),
            ends: sorted_by(|piece| &piece.end),
            active: BTreeMap::new(),
            done: Vec::new(),
        }
    }

    fn run(mut self, keep: Keep<'_>) -> RangeTombstones {
        let (mut started, mut ended) = (0, 0);
        let mut low: Option<&Arc<[u8]>> = None;
        while let Some(&next_ending) = self.ends.get(ended) {
            let end = &self.pieces[next_ending].end;
            let start = self.starts.get(started).map(|at| &self.pieces[*at].start);
            let bound = start
                .filter(|start| self.comparator.compare(start, end).is_lt())
                .unwrap_or(end);
            if let Some(low) = low.filter(|_| !self.active.is_empty()) {
                self.emit(low, bound, keep);
            }
            while let Some(&at) = self.starts.get(started)
                && self.is_at(&self.pieces[at].start, bound)
            {
                for sequence in self.pieces[at].sequences.iter() {
                    *self.active.entry(*sequence).or_default() += 1;
                }
                started += 1;
            }
            while let Some(&at) = self.ends.get(ended)
                && self.is_at(&self.pieces[at].end, bound)
            {
                for sequence in self.pieces[at].sequences.iter() {
                    self.leave(*sequence);
                }
                ended += 1;
            }
            low = Some(bound);
        }
        RangeTombstones {
            fragments: self.done,
        }
    }

    /// Equal bytes are equal in every order. But one that contradicts itself may say otherwise, as of "not a number", and
    /// the sweep would stay at this bound for ever.
    fn is_at(&self, key: &[u8], bound: &[u8]) -> bool {
        key == bound || self.comparator.compare(key, bound) == Ordering::Equal
    }

    fn leave(&mut self, sequence: u64) {
        if let Some(count) = self.active.get_mut(&sequence) {
            *count -= 1;
            if *count == 0 {
                self.active.remove(&sequence);
            }
        }
    }

    fn emit(&mut self, low: &Arc<[u8]>, high: &Arc<[u8]>, keep: Keep<'_>) {
        let sequences = self.kept(keep);
        if let Some(last) = self.done.last_mut()
            && *last.sequences == *sequences
            && self.comparator.compare(&last.end, low) == Ordering::Equal
        {
            last.end = Arc::clone(high);
            return;
        }
        self.done.push(Fragment {
            start: Arc::clone(low),
            end: Arc::clone(high),
            sequences: sequences.into(),
        });
    }

    fn kept(&self, keep: Keep<'_>) -> Vec<u64> {
        match keep {
            Keep::All => self.active.keys().copied().collect(),
            Keep::NewestBetween(cuts) => {
                let mut kept: Vec<u64> = Vec::new();
                let newest = self.active.last_key_value().map(|(newest, _)| *newest);
                let up_to = |cut: &u64| self.active.range(..=*cut).next_back();
                let of_stripes = cuts.iter().filter_map(|cut| up_to(cut).map(|(of, _)| *of));
                for sequence in of_stripes.chain(newest) {
                    if kept.last() != Some(&sequence) {
                        kept.push(sequence);
                    }
                }
                kept
            }
        }
    }
}

#[cfg(test)]
mod tests;

//! The rank indexes that a server keeps in memory. What a command does to them is in its `journal`.
//!
//! An index ([`Counts`]) belongs to one version of one sorted set. It is built by one scan, at the
//! first question that needs it, and from then on every change of the set is noted in it at once,
//! before the batch is committed. That is safe because of the locks: only the command that holds
//! the lock of the key changes the index.
//!
//! A reader needs no lock if the index is *settled* for it: it is as the last commit left it, and that commit came
//! before the reader's snapshot. A counter decides that. Each commit that changed an index takes the next number and
//! stores it in the index; a reader notes the counter before it takes its snapshot, and uses the index as long as the
//! index has no later number. While an index includes uncommitted changes, it has the greatest number of all.
//!
//! Invariants
//! 1. Between two commands an index counts the rows that the store holds.
//! 2. Within a command that holds the lock of the key, an index counts the rows that the command
//!    sees: its snapshot with its own changes. If the command fails, its changes are undone (`Journal`).
//! 3. An index with a number up to the one that a reader noted counts the rows of the reader's snapshot.
//! 4. All indexes together take at most the budget. Those that were used longest ago are dropped first. Asking a
//!    dropped index costs a scan, but no answer becomes wrong.
//!
//! A version is never given to two collections, so the index of a removed set can only be useless, never wrong.

mod journal;

pub(crate) use self::journal::Journal;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use parking_lot::{MappedMutexGuard, Mutex, MutexGuard};

use crate::types::zset::counts::{Bucket, Counts};

/// How much memory the indexes of a server may take: enough for sets of 25 million members together.
pub const BUDGET_BYTES: usize = 64 << 20;

/// The index of one set. Locked only for single steps.
type SharedState = Arc<Mutex<State>>;

#[derive(Debug)]
struct State {
    counts: Counts,
    /// The number of the commit that left it as it is; [`UNSETTLED`] while it includes uncommitted changes.
    settled_at: u64,
}

/// No commit has this number.
const UNSETTLED: u64 = u64::MAX;

/// All rank indexes of a server.
#[derive(Debug)]
pub struct RankIndexes {
    budget: usize,
    table: Mutex<Table>,
    /// How many there are, so that writers skip the table when there are none.
    len: AtomicUsize,
    /// How many commits changed an index.
    commits: AtomicU64,
}

#[derive(Debug, Default)]
struct Table {
    by_version: HashMap<u64, Slot>,
    bytes: usize,
    /// Counts the uses, to find the index that was used longest ago.
    clock: u64,
    /// What the clock said at the last two calls of [`RankIndexes::forget_unused_heads`].
    looked_at: [u64; 2],
}

#[derive(Debug)]
struct Slot {
    state: SharedState,
    bytes: usize,
    used: u64,
}

impl Default for RankIndexes {
    fn default() -> Self {
        Self::new(BUDGET_BYTES)
    }
}

impl RankIndexes {
    /// No indexes yet, and room for `budget` bytes of them.
    #[must_use]
    pub fn new(budget: usize) -> Self {
        Self {
            budget,
            table: Mutex::default(),
            len: AtomicUsize::new(0),
            commits: AtomicU64::new(0),
        }
    }

    /// The number that a reader notes before it takes its snapshot.
    pub(crate) fn now(&self) -> u64 {
        self.commits.load(Ordering::SeqCst)
    }

    /// Says that an index counts exactly the rows of the store.
    pub(crate) fn settle(&self, index: &RankIndex) {
        let mut state = index.state.lock();
        state.settled_at = self.commits.fetch_add(1, Ordering::SeqCst) + 1;
    }

    /// How many indexes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// About how much memory they take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.table.lock().bytes
    }

    /// The index of a version, if there is one.
    #[must_use]
    pub(crate) fn get(&self, version: u64) -> Option<RankIndex> {
        if self.is_empty() {
            return None;
        }
        let mut table = self.table.lock();
        table.clock += 1;
        let clock = table.clock;
        let slot = table.by_version.get_mut(&version)?;
        slot.used = clock;
        Some(RankIndex {
            version,
            state: Arc::clone(&slot.state),
        })
    }

    /// Keeps an index, as far as the budget allows. It is not settled yet.
    pub(crate) fn insert(&self, version: u64, counts: Counts) -> RankIndex {
        let bytes = counts.bytes();
        let settled_at = UNSETTLED;
        let state = Arc::new(Mutex::new(State { counts, settled_at }));
        let mut table = self.table.lock();
        table.clock += 1;
        let slot = Slot {
            state: Arc::clone(&state),
            bytes,
            used: table.clock,
        };
        table.bytes += bytes;
        if let Some(old) = table.by_version.insert(version, slot) {
            table.bytes -= old.bytes;
        }
        self.fit(table);
        RankIndex { version, state }
    }

    /// Stores the heads of all rows of a bucket, if the index is settled for the caller. `noted` is what the caller
    /// noted before its snapshot, or `None` if it holds the lock of the key.
    pub(crate) fn remember(
        &self,
        index: &RankIndex,
        noted: Option<u64>,
        bucket: &Bucket,
        heads: Vec<u64>,
    ) {
        let Some(mut counts) = index.settled(noted) else {
            return;
        };
        let before = counts.bytes();
        counts.remember(bucket, heads);
        let after = counts.bytes();
        drop(counts);
        if before != after {
            self.resized(index.version, after);
        }
    }

    /// Forgets the heads in those indexes that were used between the last two calls of this, and not since. A caller
    /// that looks now and then so gives back what only helps those who ask again soon.
    pub fn forget_unused_heads(&self) {
        for index in self.unused() {
            let mut counts = index.counts();
            let had_some = counts.forget_heads();
            let bytes = counts.bytes();
            drop(counts);
            if had_some {
                self.resized(index.version, bytes);
            }
        }
    }

    /// The indexes that were used between the last two calls of this, and not since.
    fn unused(&self) -> Vec<RankIndex> {
        let mut table = self.table.lock();
        let [from, to] = table.looked_at;
        table.looked_at = [to, table.clock];
        let slots = table.by_version.iter();
        let unused = slots.filter(|(_, slot)| from < slot.used && slot.used <= to);
        let handle = |(version, slot): (&u64, &Slot)| RankIndex {
            version: *version,
            state: Arc::clone(&slot.state),
        };
        unused.map(handle).collect()
    }

    /// Says that a bucket of an index was split: that changes the size of the index, but not what it counts.
    pub(crate) fn has_split(&self, index: &RankIndex) {
        let bytes = index.counts().bytes();
        self.resized(index.version, bytes);
    }

    /// Says that an index takes another amount of memory now.
    fn resized(&self, version: u64, bytes: usize) {
        let mut table = self.table.lock();
        if let Some(slot) = table.by_version.get_mut(&version) {
            let old = std::mem::replace(&mut slot.bytes, bytes);
            table.bytes = table.bytes - old + bytes;
            self.fit(table);
        }
    }

    /// Drops indexes, those used longest ago first, until the rest fit and another eighth of the budget is free, so
    /// that the search for the oldest is not repeated for each new index.
    fn fit(&self, mut table: MutexGuard<'_, Table>) {
        if table.bytes > self.budget {
            let mut oldest: Vec<(u64, u64)> = table
                .by_version
                .iter()
                .map(|(version, slot)| (slot.used, *version))
                .collect();
            oldest.sort_unstable();
            for (_, version) in oldest {
                if table.bytes <= self.budget - self.budget / 8 {
                    break;
                }
                table.remove(version);
            }
        }
        self.len.store(table.by_version.len(), Ordering::Relaxed);
    }

    /// Drops all of them.
    pub fn clear(&self) {
        let mut table = self.table.lock();
        *table = Table::default();
        self.len.store(0, Ordering::Relaxed);
    }

    /// Drops the index of a set that is gone, if there is one.
    pub fn forget(&self, version: u64) {
        if self.is_empty() {
            return;
        }
        let mut table = self.table.lock();
        table.remove(version);
        self.len.store(table.by_version.len(), Ordering::Relaxed);
    }
}

impl Table {
    fn remove(&mut self, version: u64) {
        if let Some(slot) = self.by_version.remove(&version) {
            self.bytes -= slot.bytes;
        }
    }
}

/// A handle on the index of one set.
#[derive(Debug, Clone)]
pub(crate) struct RankIndex {
    version: u64,
    state: SharedState,
}

impl RankIndex {
    /// The counts, for a caller that holds the lock of the key. Nobody else can use them meanwhile.
    pub(crate) fn counts(&self) -> MappedMutexGuard<'_, Counts> {
        MutexGuard::map(self.state.lock(), |state| &mut state.counts)
    }

    /// The counts, for a reader that noted `noted` before its snapshot: `None` if they are not those of the snapshot.
    /// A caller that holds the lock of the key passes `None`.
    pub(crate) fn settled(&self, noted: Option<u64>) -> Option<MappedMutexGuard<'_, Counts>> {
        let state = self.state.lock();
        let is_settled = noted.is_none_or(|noted| state.settled_at <= noted);
        is_settled.then(|| MutexGuard::map(state, |state| &mut state.counts))
    }

    /// The counts, to be changed before the store is; the index is unsettled from now on.
    fn unsettled(&self) -> MappedMutexGuard<'_, Counts> {
        let mut state = self.state.lock();
        state.settled_at = UNSETTLED;
        MutexGuard::map(state, |state| &mut state.counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::zset::counts::Builder;

    /// The counts of so many rows.
    pub(super) fn counts(rows: u64) -> Counts {
        let mut builder = Builder::default();
        for row in 0..rows {
            builder.push(&row.to_be_bytes());
        }
        builder.finish()
    }

    #[test]
    fn the_budget_holds_and_the_longest_unused_go_first() {
        let bytes = counts(1000).bytes();
        let indexes = RankIndexes::new(10 * bytes);
        for version in 0..10 {
            indexes.insert(version, counts(1000));
        }
        assert_eq!((indexes.len(), indexes.bytes()), (10, 10 * bytes));
        assert!(indexes.get(0).is_some());
        indexes.insert(10, counts(1000));
        assert!(indexes.bytes() <= 10 * bytes);
        assert!(indexes.get(1).is_none() && indexes.get(2).is_none());
        assert!(indexes.get(0).is_some() && indexes.get(10).is_some());
        // An index that exceeds the whole budget is not kept, and pushes out the others.
        indexes.insert(11, counts(100_000));
        assert!(indexes.get(11).is_none());
        assert_eq!((indexes.len(), indexes.bytes()), (0, 0));
    }

    #[test]
    fn heads_are_forgotten_when_nobody_used_the_index_between_two_looks() {
        let indexes = RankIndexes::default();
        let rows = |bucket: &Bucket| (bucket.before..bucket.before + bucket.count).collect();
        for version in [1, 2] {
            let index = indexes.insert(version, counts(20));
            let bucket = index.counts().bucket_at(0);
            indexes.remember(&index, None, &bucket, rows(&bucket));
        }
        let has_heads = |version| {
            // Not `get`, which is a use.
            let state = Arc::clone(&indexes.table.lock().by_version[&version].state);
            let counts = &state.lock().counts;
            counts.heads_of(&counts.bucket_at(0)).is_some()
        };
        let full = indexes.bytes();
        indexes.forget_unused_heads();
        assert_eq!([1, 2].map(has_heads), [true, true], "just used");
        assert!(indexes.get(2).is_some());
        indexes.forget_unused_heads();
        assert_eq!([1, 2].map(has_heads), [false, true]);
        let less = indexes.bytes();
        assert!(less < full, "{less} {full}");
        indexes.forget_unused_heads();
        assert_eq!([1, 2].map(has_heads), [false, false]);
        assert!(indexes.bytes() < less);
        for version in [1, 2] {
            assert_eq!(indexes.get(version).unwrap().counts().check(), None);
        }
    }
}

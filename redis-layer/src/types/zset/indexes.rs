//! The rank indexes that a server has in memory, and what a command did to them.
//!
//! An index ([`Counts`]) belongs to one version of one sorted set. It is built by one scan, at the
//! first question that needs it, and from then on every change of the set is noted in it at once,
//! before the batch is committed. That is safe because of the locks: only the command that holds
//! the lock of the key looks at the index or changes it.
//!
//! Invariants
//! 1. Between two commands an index counts the rows that the store holds.
//! 2. Within a command that holds the lock of the key, an index counts the rows that the command
//!    sees: its snapshot with its own changes. What it did is undone (`Journal`) if it fails.
//! 3. All indexes together take at most the budget. Those that were used longest ago go first. An
//!    index that is gone costs a scan when it is asked for again, and no answer.
//!
//! A version is never given to two collections, so the index of a removed set can only be useless,
//! and never wrong.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::{Mutex, MutexGuard};

use crate::types::zset::counts::Counts;

/// How much memory the indexes of a server may take: enough for sets of 25 million members together.
pub const BUDGET_BYTES: usize = 64 << 20;

/// The index of one set. Locked for single steps only: the lock of the key keeps others away.
type Shared = Arc<Mutex<Counts>>;

/// All rank indexes of a server.
#[derive(Debug)]
pub struct RankIndexes {
    budget: usize,
    table: Mutex<Table>,
    /// How many there are, so that writers who meet none pay nothing.
    len: AtomicUsize,
}

#[derive(Debug, Default)]
struct Table {
    by_version: HashMap<u64, Slot>,
    bytes: usize,
    /// Counts the uses.
    clock: u64,
}

#[derive(Debug)]
struct Slot {
    counts: Shared,
    bytes: usize,
    used: u64,
}

impl Default for RankIndexes {
    fn default() -> Self {
        Self::new(BUDGET_BYTES)
    }
}

impl RankIndexes {
    /// No index yet, and `budget` bytes for those to come.
    #[must_use]
    pub fn new(budget: usize) -> Self {
        Self {
            budget,
            table: Mutex::default(),
            len: AtomicUsize::new(0),
        }
    }

    /// How many indexes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed)
    }

    /// Whether there is none.
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
    pub(crate) fn get(&self, version: u64) -> Option<Index> {
        if self.is_empty() {
            return None;
        }
        let mut table = self.table.lock();
        table.clock += 1;
        let clock = table.clock;
        let slot = table.by_version.get_mut(&version)?;
        slot.used = clock;
        Some(Index {
            version,
            counts: Arc::clone(&slot.counts),
        })
    }

    /// Keeps an index, as long as the budget allows.
    pub(crate) fn insert(&self, version: u64, counts: Counts) -> Index {
        let bytes = counts.bytes();
        let counts = Arc::new(Mutex::new(counts));
        let mut table = self.table.lock();
        table.clock += 1;
        let slot = Slot {
            counts: Arc::clone(&counts),
            bytes,
            used: table.clock,
        };
        table.bytes += bytes;
        if let Some(old) = table.by_version.insert(version, slot) {
            table.bytes -= old.bytes;
        }
        self.fit(table);
        Index { version, counts }
    }

    /// A bucket of an index was cut: that changes its size and not what it says.
    pub(crate) fn has_split(&self, index: &Index) {
        let bytes = index.counts().bytes();
        self.resized(index.version, bytes);
    }

    /// An index takes more or less memory than before.
    fn resized(&self, version: u64, bytes: usize) {
        let mut table = self.table.lock();
        if let Some(slot) = table.by_version.get_mut(&version) {
            let old = std::mem::replace(&mut slot.bytes, bytes);
            table.bytes = table.bytes - old + bytes;
            self.fit(table);
        }
    }

    /// Drops indexes, those used longest ago first, until all fit. An eighth more than that goes, so
    /// that the search for the oldest is not made for each new index.
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

/// The index of one set, at hand.
#[derive(Debug, Clone)]
pub(crate) struct Index {
    version: u64,
    counts: Shared,
}

impl Index {
    /// The counts. Nobody else may be asked for them meanwhile.
    pub(crate) fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock()
    }
}

/// Something that a command did to the index of a version.
#[derive(Debug)]
enum Step {
    Added(Vec<u8>),
    Removed(Vec<u8>),
    /// The index was built from rows that were not committed.
    Built,
    /// The set is gone, once this is committed.
    Dropped,
    /// All sets are. The caller holds all locks.
    AllDropped,
}

/// What one command, or one transaction of several, did to indexes. Undoes it when it is dropped.
#[derive(Debug)]
pub(crate) struct Journal<'s> {
    indexes: &'s RankIndexes,
    /// Each with the version of its set, oldest first.
    steps: Vec<(u64, Step)>,
}

impl<'s> Journal<'s> {
    pub(crate) const fn new(indexes: &'s RankIndexes) -> Self {
        Self {
            indexes,
            steps: Vec::new(),
        }
    }

    /// A row was added to the set of an index. Answers how many its bucket holds now.
    pub(crate) fn add(&mut self, index: &Index, row: &[u8]) -> u64 {
        let count = index.counts().add(row);
        self.steps.push((index.version, Step::Added(row.to_vec())));
        count
    }

    /// A row was removed.
    pub(crate) fn remove(&mut self, index: &Index, row: &[u8]) {
        let mut counts = index.counts();
        let before = counts.bytes();
        counts.remove(row);
        let after = counts.bytes();
        drop(counts);
        if before != after {
            self.indexes.resized(index.version, after);
        }
        let step = Step::Removed(row.to_vec());
        self.steps.push((index.version, step));
    }

    /// An index was built from rows of which some are not committed.
    pub(crate) fn built(&mut self, index: &Index) {
        self.steps.push((index.version, Step::Built));
    }

    /// A set was removed.
    pub(crate) fn dropped(&mut self, version: u64) {
        self.steps.push((version, Step::Dropped));
    }

    /// All sets of a database were removed. The indexes of other databases go with them, and are made again.
    pub(crate) fn dropped_all(&mut self) {
        self.steps.push((0, Step::AllDropped));
    }

    /// How far it has come, for [`Journal::undo_to`].
    pub(crate) const fn mark(&self) -> usize {
        self.steps.len()
    }

    /// Undoes what was done since the mark.
    pub(crate) fn undo_to(&mut self, mark: usize) {
        while self.steps.len() > mark
            && let Some((version, step)) = self.steps.pop()
        {
            // Gone for lack of memory, or of no version: then there is nothing to undo.
            let Some(index) = self.indexes.get(version) else {
                continue;
            };
            match step {
                Step::Added(row) => index.counts().remove(&row),
                Step::Removed(row) => {
                    index.counts().add(&row);
                }
                Step::Built => self.indexes.forget(version),
                Step::Dropped | Step::AllDropped => {}
            }
        }
    }

    /// What was done is committed.
    pub(crate) fn keep(&mut self) {
        for (version, step) in self.steps.drain(..) {
            match step {
                Step::Added(_) | Step::Removed(_) | Step::Built => {}
                Step::Dropped => self.indexes.forget(version),
                Step::AllDropped => self.indexes.clear(),
            }
        }
    }
}

impl Drop for Journal<'_> {
    fn drop(&mut self) {
        self.undo_to(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::zset::counts::Builder;

    fn counts(rows: u64) -> Counts {
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
        // One that is too large for all of it is not kept, and leaves.
        indexes.insert(11, counts(100_000));
        assert!(indexes.get(11).is_none());
        assert_eq!((indexes.len(), indexes.bytes()), (0, 0));
    }

    #[test]
    fn a_journal_takes_back_what_is_not_kept() {
        let indexes = RankIndexes::default();
        let index = indexes.insert(1, counts(200));
        let before = format!("{:?}", index.counts().buckets());
        let mut journal = Journal::new(&indexes);
        let (new, old) = (1000_u64.to_be_bytes(), 7_u64.to_be_bytes());
        journal.add(&index, &new);
        let mark = journal.mark();
        journal.remove(&index, &old);
        assert_eq!(index.counts().total(), 200);
        journal.undo_to(mark);
        assert_eq!(index.counts().total(), 201);
        drop(journal);
        assert_eq!(format!("{:?}", index.counts().buckets()), before);

        let mut journal = Journal::new(&indexes);
        journal.add(&index, &new);
        journal.keep();
        drop(journal);
        assert_eq!(index.counts().total(), 201);

        let mut journal = Journal::new(&indexes);
        journal.dropped(1);
        drop(journal);
        assert!(
            indexes.get(1).is_some(),
            "the set stays if the command fails"
        );
        let mut journal = Journal::new(&indexes);
        journal.dropped(1);
        let built = indexes.insert(2, counts(200));
        journal.built(&built);
        journal.undo_to(1);
        assert!(indexes.get(2).is_none(), "what it was built from is gone");
        journal.keep();
        assert!(indexes.is_empty());
    }
}

//! The journal of what a command did to the rank indexes, to undo it if the command fails.
//!
//! The indexes are changed at once, before the batch is committed, because later questions of the same command are about
//! the set as the command has left it. Only dropping the index of a removed set waits for the commit: if that fails, the set
//! stays, and building its index again would cost a scan.

use std::collections::HashSet;
use std::sync::Arc;

use super::{RankIndex, RankIndexes};

/// One change that a command made to the index of a version.
#[derive(Debug)]
enum Step {
    Added(Vec<u8>),
    Removed(Vec<u8>),
    /// The index was built from rows that were not committed yet.
    Built,
    /// The set is removed once this is committed.
    Dropped,
    /// All sets are removed. The caller holds the lock of everything.
    AllDropped,
}

/// How many steps a journal has at least before it is condensed.
const CONDENSED_FROM: usize = 1 << 16;

/// What one command, or one transaction of several commands, did to indexes. Undoes it when it is dropped.
#[derive(Debug)]
pub(crate) struct Journal<'s> {
    indexes: &'s RankIndexes,
    /// Each with the version of its set, oldest first.
    steps: Vec<(u64, Step)>,
    /// The indexes whose counts are not those of the store.
    unsettled: Vec<RankIndex>,
    /// With more steps than this it is condensed.
    steps_max: usize,
}

impl<'s> Journal<'s> {
    pub(crate) const fn new(indexes: &'s RankIndexes) -> Self {
        Self {
            indexes,
            steps: Vec::new(),
            unsettled: Vec::new(),
            steps_max: CONDENSED_FROM,
        }
    }

    /// Says that the steps so far will be undone together or not at all. If they are many, it is only remembered which
    /// indexes they changed, and undoing them drops these: a script may change one set millions of times.
    pub(crate) fn keep_together(&mut self) {
        if self.steps.len() <= self.steps_max {
            return;
        }
        let mut known = HashSet::new();
        self.steps.retain_mut(|(version, step)| match step {
            Step::Added(_) | Step::Removed(_) | Step::Built => {
                *step = Step::Built;
                known.insert(*version)
            }
            Step::Dropped | Step::AllDropped => true,
        });
        self.steps.shrink_to_fit();
        self.steps_max = CONDENSED_FROM.max(2 * self.steps.len());
    }

    fn note_unsettled(&mut self, index: &RankIndex) {
        let is_known = |known: &RankIndex| Arc::ptr_eq(&known.state, &index.state);
        if !self.unsettled.iter().any(is_known) {
            self.unsettled.push(index.clone());
        }
    }

    /// Notes that a row was added to the set of an index. Returns how many rows its bucket holds now.
    pub(crate) fn add(&mut self, index: &RankIndex, row: &[u8]) -> u64 {
        self.note_unsettled(index);
        let count = index.unsettled().add(row);
        self.steps.push((index.version, Step::Added(row.to_vec())));
        count
    }

    /// Notes that a row was removed.
    pub(crate) fn remove(&mut self, index: &RankIndex, row: &[u8]) {
        self.note_unsettled(index);
        let mut counts = index.unsettled();
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

    /// Notes that an index was built from rows of which some are not committed.
    pub(crate) fn built(&mut self, index: &RankIndex) {
        self.note_unsettled(index);
        self.steps.push((index.version, Step::Built));
    }

    /// Notes that a set was removed.
    pub(crate) fn dropped(&mut self, version: u64) {
        self.steps.push((version, Step::Dropped));
    }

    /// Notes that all sets of a database were removed. The indexes of other databases are dropped with them, and
    /// built again when needed.
    pub(crate) fn dropped_all(&mut self) {
        self.steps.push((0, Step::AllDropped));
    }

    /// How many steps there are, for [`Journal::undo_to`].
    pub(crate) const fn mark(&self) -> usize {
        self.steps.len()
    }

    /// Undoes the steps since the mark.
    pub(crate) fn undo_to(&mut self, mark: usize) {
        while self.steps.len() > mark
            && let Some((version, step)) = self.steps.pop()
        {
            // The index was dropped because the budget was full, or its set is gone: then there is nothing to undo.
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
        let (indexes, steps) = (self.indexes, &self.steps);
        self.unsettled.retain(|index| {
            let is_changed = steps.iter().any(|(version, _)| *version == index.version);
            if !is_changed {
                indexes.settle(index);
            }
            is_changed
        });
    }

    /// Says that everything was committed.
    pub(crate) fn keep(&mut self) {
        for index in self.unsettled.drain(..) {
            self.indexes.settle(&index);
        }
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
    use super::super::tests::counts;
    use super::*;

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

    #[test]
    fn a_journal_of_many_steps_drops_the_index_instead_of_taking_them_back() {
        let indexes = RankIndexes::default();
        let index = indexes.insert(1, counts(200));
        let row = 1000_u64.to_be_bytes();
        let mut journal = Journal::new(&indexes);
        for _ in 0..2 * CONDENSED_FROM {
            journal.add(&index, &row);
            journal.remove(&index, &row);
            journal.keep_together();
        }
        assert!(journal.mark() <= CONDENSED_FROM, "{}", journal.mark());
        // What comes later is still taken back alone.
        let mark = journal.mark();
        journal.add(&index, &row);
        journal.undo_to(mark);
        assert_eq!(indexes.get(1).unwrap().counts().total(), 200);
        journal.keep();
        drop(journal);
        assert_eq!(indexes.get(1).unwrap().counts().total(), 200);

        let mut journal = Journal::new(&indexes);
        for _ in 0..=CONDENSED_FROM {
            journal.add(&index, &row);
        }
        journal.keep_together();
        drop(journal);
        assert!(indexes.get(1).is_none());
    }
}

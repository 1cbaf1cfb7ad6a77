//! The changes that a transaction wants to make in one space.
//!
//! The rows are kept in the order of their first changes. Nearly all lookups ask for one row by its key, so a hash
//! table finds them. A scan needs the order of the keys: the first scan sorts the rows that are there, and from then
//! on every new row is put in its index in that order too. Most transactions never scan, and so never pay for
//! sorting.
//!
//! Invariants
//! 1. No two rows have one key.
//! 2. Only the last row is ever taken away ([`Changes::undo`]), so indices do not move.

use std::cell::OnceCell;
use std::collections::{BTreeMap, btree_map};
use std::hash::{BuildHasher, RandomState};
use std::ops::Bound;
use std::sync::LazyLock;

use bytes::Bytes;
use hashbrown::HashTable;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::store::{Change, KeyRange};

/// New values by key; `None` removes the row.
#[derive(Debug, Default)]
pub(super) struct Changes {
    rows: Vec<Change>,
    /// Where the rows are, by the hashes of their keys.
    by_key: HashTable<Place>,
    /// Indices of rows, by their keys, from the first scan on.
    in_order: OnceCell<BTreeMap<Vec<u8>, usize>>,
}

/// Where a row is.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// The hash of its key. Kept here, so that the table can grow without a look at the rows.
    hash: u64,
    index: usize,
}

/// What is needed to take a change back.
#[derive(Debug)]
pub(super) enum UndoRecord {
    /// The row was not among the changes.
    Inserted,
    /// The row at this index had this change.
    Replaced(usize, Option<Bytes>),
}

impl Changes {
    pub(super) const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Makes room for this many rows, so that the table does not grow step by step.
    pub(super) fn reserve(&mut self, rows: usize) {
        self.rows.reserve(rows);
        self.by_key.reserve(rows, |place| place.hash);
    }

    /// The change of a row, if it has one.
    #[inline]
    pub(super) fn get(&self, key: &[u8]) -> Option<&Option<Bytes>> {
        // Usual, because most commands read before they change anything.
        if self.rows.is_empty() {
            return None;
        }
        self.index_of(key, hash(key)).map(|at| &self.rows[at].value)
    }

    fn index_of(&self, key: &[u8], hash: u64) -> Option<usize> {
        let is_key = |place: &Place| place.hash == hash && self.rows[place.index].key == key;
        self.by_key.find(hash, is_key).map(|place| place.index)
    }

    /// Changes the row at an index. Returns how to take that back.
    pub(super) fn replace(&mut self, at: usize, value: Option<Bytes>) -> UndoRecord {
        let before = std::mem::replace(&mut self.rows[at].value, value);
        UndoRecord::Replaced(at, before)
    }

    /// Changes a row. Returns its index, and how to take the change back.
    pub(super) fn insert(&mut self, key: Vec<u8>, value: Option<Bytes>) -> (usize, UndoRecord) {
        let hash = hash(&key);
        if let Some(at) = self.index_of(&key, hash) {
            return (at, self.replace(at, value));
        }
        let at = self.rows.len();
        if let Some(in_order) = self.in_order.get_mut() {
            in_order.insert(key.clone(), at);
        }
        self.rows.push(Change { key, value });
        let place = Place { hash, index: at };
        self.by_key.insert_unique(hash, place, |place| place.hash);
        (at, UndoRecord::Inserted)
    }

    /// Takes back the latest change that was not taken back yet.
    pub(super) fn undo(&mut self, before: UndoRecord) {
        match before {
            UndoRecord::Replaced(at, value) => self.rows[at].value = value,
            UndoRecord::Inserted => {
                let Some(Change { key, .. }) = self.rows.pop() else {
                    return;
                };
                let at = self.rows.len();
                let is_last = |place: &Place| place.index == at;
                if let Ok(entry) = self.by_key.find_entry(hash(&key), is_last) {
                    entry.remove();
                }
                if let Some(in_order) = self.in_order.get_mut() {
                    in_order.remove(&key);
                }
            }
        }
    }

    /// All changes, in the order in which their rows were first changed.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&Vec<u8>, &Option<Bytes>)> {
        self.since(0)
    }

    /// As [`Changes::iter`], without the first `rows`.
    pub(super) fn since(&self, rows: usize) -> impl Iterator<Item = (&Vec<u8>, &Option<Bytes>)> {
        self.rows[rows..].iter().map(|row| (&row.key, &row.value))
    }

    /// The row at an index, and what it is changed to.
    pub(super) fn at(&self, index: usize) -> (&[u8], Option<&[u8]>) {
        let row = &self.rows[index];
        (&row.key, row.value.as_deref())
    }

    /// As [`Changes::iter`], but gives the rows away.
    pub(super) fn into_rows(self) -> Vec<Change> {
        self.rows
    }

    /// The changes of a range, in the order of their keys.
    ///
    /// Cost: for the first call, a sort of all changes; then O(log n) to begin.
    pub(super) fn range(&self, range: &KeyRange) -> Range<'_> {
        let in_order = self.in_order.get_or_init(|| {
            let rows = self.rows.iter().enumerate();
            rows.map(|(at, row)| (row.key.clone(), at)).collect()
        });
        let start = Bound::Included(range.start.as_slice());
        let end = match range.end.as_deref() {
            // A map panics on a range that ends before it starts.
            Some(end) => Bound::Excluded(end.max(&range.start)),
            None => Bound::Unbounded,
        };
        Range {
            rows: &self.rows,
            indices: in_order.range::<[u8], _>((start, end)),
        }
    }
}

/// Changes in the order of their keys, from both ends.
pub(super) struct Range<'c> {
    rows: &'c [Change],
    indices: btree_map::Range<'c, Vec<u8>, usize>,
}

impl<'c> Range<'c> {
    fn row(&self, index: usize) -> (&'c [u8], Option<&'c [u8]>) {
        let row = &self.rows[index];
        (&row.key, row.value.as_deref())
    }
}

impl<'c> Iterator for Range<'c> {
    type Item = (&'c [u8], Option<&'c [u8]>);

    fn next(&mut self) -> Option<Self::Item> {
        self.indices.next().map(|(_, &at)| self.row(at))
    }
}

impl DoubleEndedIterator for Range<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.indices.next_back().map(|(_, &at)| self.row(at))
    }
}

/// The seed is random, so that nobody can choose keys that all have one hash.
fn hash(key: &[u8]) -> u64 {
    static SEED: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(0));
    xxh3_64_with_seed(key, *SEED)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Model = BTreeMap<Vec<u8>, Option<Bytes>>;

    fn key() -> impl Strategy<Value = Vec<u8>> {
        proptest::collection::vec(0_u8..3, 0..3)
    }

    fn all(changes: &Changes) -> Model {
        let rows = changes.iter();
        rows.map(|(key, value)| (key.clone(), value.clone()))
            .collect()
    }

    proptest! {
        #[test]
        fn they_are_a_map_that_goes_back(
            before in proptest::collection::vec((key(), proptest::option::of(0_u8..9)), 0..20),
            after in proptest::collection::vec((key(), proptest::option::of(0_u8..9)), 0..20),
            ordered in any::<bool>(), start in key(), end in proptest::option::of(key()),
        ) {
            let bytes = |value: Option<u8>| value.map(|value| Bytes::from(vec![value]));
            let mut changes = Changes::default();
            let mut model = Model::new();
            for (key, value) in before {
                changes.insert(key.clone(), bytes(value));
                model.insert(key, bytes(value));
            }
            if ordered {
                changes.range(&KeyRange::all());
            }
            let kept = model.clone();
            let mut undo = Vec::new();
            for (key, value) in after {
                undo.push(changes.insert(key.clone(), bytes(value)).1);
                model.insert(key, bytes(value));
            }
            prop_assert_eq!(all(&changes), model.clone());
            prop_assert_eq!(changes.iter().count(), model.len());
            let range = KeyRange { start, end };
            let within = model.iter().filter(|(key, _)| range.contains(key));
            let within: Vec<_> = within.map(|(key, value)| (key.as_slice(), value.as_deref())).collect();
            prop_assert_eq!(changes.range(&range).collect::<Vec<_>>(), within.clone());
            let backward: Vec<_> = changes.range(&range).rev().collect();
            prop_assert!(backward.into_iter().rev().eq(within));
            undo.into_iter().rev().for_each(|before| changes.undo(before));
            prop_assert_eq!(all(&changes), kept.clone());
            for key in model.keys() {
                prop_assert_eq!(changes.get(key), kept.get(key));
            }
            let in_order: Vec<_> = changes.range(&KeyRange::all()).map(|(key, _)| key).collect();
            prop_assert!(in_order.into_iter().eq(kept.keys()));
        }
    }
}

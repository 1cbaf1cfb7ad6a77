//! Rows that were read ahead, for commands that run together.
//!
//! The commands use their keys in the order in which the rows were fetched, so the row that is wanted is nearly
//! always the last one found, or one shortly after it. The commit starts from the beginning and asks in the same
//! order. Only a caller that asks in another order needs the rows sorted.
//!
//! Metadata rows are read ahead for all commands. Rows of elements are read ahead for quick commands that name their
//! elements: `HGET`, `SADD`, `ZADD`. Which elements such a command will ask for is guessed from where names are among
//! its arguments. A wrong guess costs one useless lookup. The same is done for a command alone that names many.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};

use bytes::Bytes;

use crate::store::Space;
use crate::types::rows::{Kind, RowPrefix, is_metadata_key, metadata_key};
use crate::types::txn::Txn;
use crate::types::{Metadata, Result};

/// How many rows from the last one found on are looked at: not every command asks for the row that was guessed.
const NEAR: usize = 4;

/// Rows of the snapshot, in the order in which the commands name their keys. A row may be there twice.
#[derive(Debug, Default)]
pub(super) struct Prefetched {
    rows: Vec<Vec<u8>>,
    values: Vec<Option<Bytes>>,
    /// The index at which the last row was found.
    last: Cell<usize>,
    /// The indices, sorted by their rows.
    sorted: OnceCell<Vec<usize>>,
}

impl Prefetched {
    /// These rows with their values. Callers leave out a row that is the same as the one before it.
    pub(super) fn new(rows: Vec<Vec<u8>>, values: Vec<Option<Bytes>>) -> Self {
        Self {
            rows,
            values,
            ..Self::default()
        }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(super) const fn len(&self) -> usize {
        self.rows.len()
    }

    /// Says that the rows will be asked for once more from the beginning.
    pub(super) fn rewind(&self) {
        self.last.set(0);
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// What the snapshot holds under a row's key, if it was read ahead.
    ///
    /// Cost: a few comparisons for rows asked for in order; otherwise a binary search, and a sort the first time.
    #[inline]
    pub(super) fn get(&self, row: &[u8]) -> Option<&Option<Bytes>> {
        let near = self.index_near(|near| near == row);
        let at = near.or_else(|| self.find(row))?;
        self.last.set(at);
        self.values.get(at)
    }

    /// As [`get`](Self::get), for callers that also ask for rows that were not read ahead: only rows near the last
    /// one found are looked at.
    #[inline]
    pub(super) fn near(&self, row: &[u8]) -> Option<&Option<Bytes>> {
        let at = self.index_near(|near| near == row)?;
        self.last.set(at);
        self.values.get(at)
    }

    /// The key of a row: taken from the rows near the last one found, or else made.
    #[inline]
    fn row(&self, is_row: impl Fn(&[u8]) -> bool, make: impl FnOnce() -> Vec<u8>) -> Cow<'_, [u8]> {
        match self.index_near(is_row) {
            Some(at) => {
                self.last.set(at);
                Cow::Borrowed(&self.rows[at])
            }
            None => Cow::Owned(make()),
        }
    }

    fn index_near(&self, is_row: impl Fn(&[u8]) -> bool) -> Option<usize> {
        let last = self.last.get();
        let is_at = |at: &usize| self.rows.get(*at).is_some_and(|row| is_row(row));
        (last..last + NEAR).find(is_at)
    }

    fn find(&self, row: &[u8]) -> Option<usize> {
        if self.is_empty() {
            return None;
        }
        let sorted = self.sorted.get_or_init(|| {
            let mut indices: Vec<usize> = (0..self.rows.len()).collect();
            indices.sort_unstable_by(|&a, &b| self.rows[a].cmp(&self.rows[b]));
            indices
        });
        let found = sorted.binary_search_by(|&at| self.rows[at].as_slice().cmp(row));
        found.ok().map(|at| sorted[at])
    }
}

impl Txn<'_> {
    /// Reads the metadata of several keys together, for commands that are about to ask for them.
    ///
    /// # Errors
    /// Those of the store.
    pub fn prefetch<'a>(&mut self, keys: impl Iterator<Item = &'a Bytes>) -> Result<()> {
        let mut rows: Vec<Vec<u8>> = keys.map(|key| metadata_key(self.db(), key)).collect();
        // Several commands in a row often name the same key.
        rows.dedup();
        self.shared.accesses().prefetch(&rows);
        let values = self.snapshot.get_many(Space::Metadata, &rows)?;
        self.reads.metadata = Prefetched::new(rows, values);
        Ok(())
    }

    /// Reads the elements that commands are about to ask for by name, each given with its key. Only keys that
    /// [`prefetch`](Self::prefetch) has read are looked into.
    ///
    /// # Errors
    /// Those of the store.
    pub fn prefetch_elements<'a>(
        &mut self,
        asked: impl Iterator<Item = (&'a Bytes, &'a Bytes)>,
    ) -> Result<()> {
        let mut rows = Vec::with_capacity(asked.size_hint().1.unwrap_or_default());
        let mut of_key: Option<(&Bytes, Option<ElementRows>)> = None;
        let (mut last_name, mut times): (Option<&Bytes>, usize) = (None, 0);
        for (key, name) in asked {
            if of_key.as_ref().is_none_or(|(last, _)| *last != key) {
                of_key = Some((key, self.element_rows(key)));
                last_name = None;
            }
            if let Some((_, Some(rows_of_key))) = &of_key {
                times += 1;
                // Several commands in a row may name the same element, such as a counter.
                if last_name != Some(name) {
                    rows.push(rows_of_key.row(name));
                    last_name = Some(name);
                }
            }
        }
        if times > 1 {
            let values = self.snapshot.get_many(Space::Data, &rows)?;
            self.reads.elements = Prefetched::new(rows, values);
        }
        Ok(())
    }

    /// The key of the metadata row of a user key. If the row was read ahead, the key is not built again.
    pub(crate) fn metadata_row(&self, key: &[u8]) -> Cow<'_, [u8]> {
        let db = self.db();
        let is_row = |row: &[u8]| is_metadata_key(row, db, key);
        self.reads.metadata.row(is_row, || metadata_key(db, key))
    }

    /// The key of the row of a field, or of a member of a set, in the same way.
    pub(crate) fn name_row<'t>(&'t self, prefix: &RowPrefix, name: &[u8]) -> Cow<'t, [u8]> {
        let is_row = |row: &[u8]| prefix.is_name_key(row, name);
        self.reads.elements.row(is_row, || prefix.name_key(name))
    }

    /// The key of the data row of a member of a sorted set, in the same way.
    pub(crate) fn member_row<'t>(&'t self, prefix: &RowPrefix, member: &[u8]) -> Cow<'t, [u8]> {
        let is_row = |row: &[u8]| prefix.is_data_key(row, member);
        self.reads.elements.row(is_row, || prefix.data_key(member))
    }

    /// Where the elements of a key are, if they are found by name. Damage is left for the command to find.
    fn element_rows(&self, key: &[u8]) -> Option<ElementRows> {
        let row = metadata_key(self.db(), key);
        let value = self.reads.metadata.get(&row)?.as_ref()?;
        let metadata = Metadata::decode(&row, value).ok()?;
        let kind = metadata.content.kind();
        let has_names = matches!(kind, Kind::Hash | Kind::Set | Kind::SortedSet);
        let collection = metadata.content.collection().filter(|_| has_names)?;
        let prefix = self.row_prefix(metadata.home_of(key), collection.version);
        Some(ElementRows { kind, prefix })
    }
}

/// Where the rows of a collection's elements are.
struct ElementRows {
    kind: Kind,
    prefix: RowPrefix,
}

impl ElementRows {
    /// The key of the row of an element.
    fn row(&self, name: &[u8]) -> Vec<u8> {
        match self.kind {
            Kind::SortedSet => self.prefix.data_key(name),
            _ => self.prefix.name_key(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{BTreeStore, Batch};
    use crate::types::{Shared, Txn};

    #[test]
    fn a_commit_finds_rows_in_their_order_without_a_sort() {
        let (store, shared) = (BTreeStore::new(), Shared::default());
        let keys = ["b", "a", "d", "c"].map(Bytes::from);
        let mut txn = Txn::begin(&store, &shared, 0, 0).unwrap();
        txn.prefetch(keys.iter()).unwrap();
        for key in &keys {
            assert_eq!(txn.lookup(key).unwrap(), None);
            txn.set_string(key, b"1", None);
        }
        txn.follow_metadata(&mut Batch::default()).unwrap();
        assert!(txn.reads.metadata.sorted.get().is_none());
    }

    #[test]
    fn rows_are_found_in_any_order_and_as_often_as_they_are_asked_for() {
        let names = [&b"b"[..], b"a", b"c", b"a"];
        let rows = names.map(<[u8]>::to_vec).to_vec();
        let value = |name: &[u8]| (name != b"c").then(|| Bytes::copy_from_slice(name));
        let values = names.map(value).to_vec();
        let fetched = Prefetched::new(rows, values);
        for asked in ["baca", "abcc", "ccab", "aabbcc"] {
            for name in asked.bytes().map(|name| [name]) {
                assert_eq!(fetched.get(&name), Some(&value(&name)), "{asked}");
                assert_eq!(fetched.get(b"d"), None);
            }
        }
        assert_eq!(Prefetched::default().get(b"a"), None);
    }

    #[test]
    fn near_rows_are_found_and_others_are_not_looked_for() {
        let names = |range: std::ops::Range<u8>| range.map(|name| vec![name]).collect::<Vec<_>>();
        let values = names(0..10).into_iter().map(|name| Some(name.into()));
        let fetched = Prefetched::new(names(0..10), values.collect());
        let found = |name: u8| fetched.near(&[name]).is_some();
        let asked = [0, 0, 2, 1, 5, 9, 10, 8, 9];
        let near = [true, true, true, false, true, false, false, true, true];
        assert_eq!(asked.map(found), near);
        assert_eq!(fetched.near(&[9]), Some(&Some(Bytes::from(vec![9]))));
        assert_eq!(Prefetched::default().near(&[0]), None);
    }
}

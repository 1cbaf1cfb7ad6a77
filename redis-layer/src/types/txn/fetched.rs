//! Metadata rows that were read ahead, for commands that run together.
//!
//! Commands ask for their keys in the order in which they stand, so the row that is wanted is nearly always the last that was
//! found, or the one behind it. Only who asks in another order needs the rows sorted: the commit of commands that write.

use std::cell::{Cell, OnceCell};

use bytes::Bytes;

/// Rows of the snapshot, in the order in which their keys stand in the commands. A row may be there twice.
#[derive(Debug, Default)]
pub(super) struct Fetched {
    rows: Vec<Vec<u8>>,
    values: Vec<Option<Bytes>>,
    /// Where the last row was found.
    last: Cell<usize>,
    /// The places in the order of their rows.
    sorted: OnceCell<Vec<usize>>,
}

impl Fetched {
    /// These rows with their values. Who names one key again and again gives its row once.
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

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// What the snapshot holds under a row's key, if it was read ahead.
    ///
    /// Cost: two comparisons for who asks in order; else a binary search, the first time behind a sort.
    #[inline]
    pub(super) fn get(&self, row: &[u8]) -> Option<&Option<Bytes>> {
        let last = self.last.get();
        let is_at = |at: &usize| self.rows.get(*at).is_some_and(|expected| expected == row);
        let near = [last, last + 1].into_iter().find(is_at);
        let at = near.or_else(|| self.find(row))?;
        self.last.set(at);
        self.values.get(at)
    }

    fn find(&self, row: &[u8]) -> Option<usize> {
        if self.is_empty() {
            return None;
        }
        let sorted = self.sorted.get_or_init(|| {
            let mut places: Vec<usize> = (0..self.rows.len()).collect();
            places.sort_unstable_by(|&a, &b| self.rows[a].cmp(&self.rows[b]));
            places
        });
        let found = sorted.binary_search_by(|&at| self.rows[at].as_slice().cmp(row));
        found.ok().map(|at| sorted[at])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_in_any_order_and_as_often_as_they_are_asked_for() {
        let names = [&b"b"[..], b"a", b"c", b"a"];
        let rows = names.map(<[u8]>::to_vec).to_vec();
        let value = |name: &[u8]| (name != b"c").then(|| Bytes::copy_from_slice(name));
        let values = names.map(value).to_vec();
        let fetched = Fetched::new(rows, values);
        for asked in ["baca", "abcc", "ccab", "aabbcc"] {
            for name in asked.bytes().map(|name| [name]) {
                assert_eq!(fetched.get(&name), Some(&value(&name)), "{asked}");
                assert_eq!(fetched.get(b"d"), None);
            }
        }
        assert_eq!(Fetched::default().get(b"a"), None);
    }
}

//! A scan that sees a transaction's own changes: the rows of the snapshot, with the changes merged in.

use std::cmp::Ordering;

use super::changes::{Changes, Range};
use crate::store::{self, Cursor, Direction, KeyRange};

/// A scan of the snapshot with the changes laid over it.
pub(super) struct Merged<'a> {
    rows: Box<dyn Cursor + 'a>,
    changes: Range<'a>,
    /// The next change that the scan has not passed yet.
    change: Option<(&'a [u8], Option<&'a [u8]>)>,
    direction: Direction,
    at: At,
}

/// Where the row at a [`Merged`] cursor comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    Rows,
    Change,
    End,
}

impl<'a> Merged<'a> {
    /// Begins at the first row of the range, in this direction. `rows` is a cursor over that range.
    pub(super) fn over(
        rows: Box<dyn Cursor + 'a>,
        changes: &'a Changes,
        range: &KeyRange,
        direction: Direction,
    ) -> store::Result<Self> {
        let mut merged = Self {
            rows,
            changes: changes.range(range),
            change: None,
            direction,
            at: At::End,
        };
        merged.next_change();
        merged.settle()?;
        Ok(merged)
    }

    fn next_change(&mut self) {
        self.change = match self.direction {
            Direction::Forward => self.changes.next(),
            Direction::Backward => self.changes.next_back(),
        };
    }

    /// Finds the next row: the nearer of the two, or the change if both have the same key.
    fn settle(&mut self) -> store::Result<()> {
        loop {
            let Some((change_key, change)) = self.change else {
                self.at = self.rows.row().map_or(At::End, |_| At::Rows);
                return Ok(());
            };
            let order = match (self.rows.row(), self.direction) {
                (None, _) => Ordering::Greater,
                (Some((key, _)), Direction::Forward) => key.cmp(change_key),
                (Some((key, _)), Direction::Backward) => change_key.cmp(key),
            };
            if order == Ordering::Less {
                self.at = At::Rows;
                return Ok(());
            }
            if order == Ordering::Equal {
                self.rows.advance()?;
            }
            if change.is_some() {
                self.at = At::Change;
                return Ok(());
            }
            self.next_change();
        }
    }
}

impl Cursor for Merged<'_> {
    fn row(&self) -> Option<(&[u8], &[u8])> {
        match self.at {
            At::Rows => self.rows.row(),
            At::Change => self.change.and_then(|(key, value)| Some((key, value?))),
            At::End => None,
        }
    }

    fn advance(&mut self) -> store::Result<()> {
        match self.at {
            At::Rows => self.rows.advance()?,
            At::Change => self.next_change(),
            At::End => return Ok(()),
        }
        self.settle()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::store::{BTreeStore, Batch, Space, Store};
    use crate::types::{Shared, Txn};

    /// Few possible keys, so that changes and rows often have the same ones.
    fn key() -> impl Strategy<Value = Vec<u8>> {
        proptest::collection::vec(0_u8..3, 0..3)
    }

    fn collect(mut cursor: Box<dyn Cursor + '_>) -> Vec<(Vec<u8>, Vec<u8>)> {
        let mut rows = Vec::new();
        while let Some((key, value)) = cursor.row() {
            rows.push((key.to_vec(), value.to_vec()));
            cursor.advance().unwrap();
        }
        rows
    }

    proptest! {
        #[test]
        fn a_transaction_reads_like_the_map_that_it_would_leave(
            stored in proptest::collection::btree_map(key(), 0_u8..9, 0..8),
            changes in proptest::collection::vec((key(), proptest::option::of(0_u8..9)), 0..8),
            start in key(),
            end in proptest::option::of(key()),
        ) {
            let store = BTreeStore::new();
            let mut batch = Batch::default();
            let mut model = BTreeMap::new();
            for (key, value) in stored {
                batch.put(Space::Data, key.clone(), vec![value].into());
                model.insert(key, vec![value]);
            }
            store.write(batch).unwrap();
            let shared = Shared::default();
            let mut txn = Txn::begin(&store, &shared, 0, 0).unwrap();
            for (key, value) in changes {
                match value {
                    Some(value) => {
                        txn.put(Space::Data, key.clone(), vec![value].into());
                        model.insert(key, vec![value]);
                    }
                    None => {
                        txn.delete(Space::Data, key.clone());
                        model.remove(&key);
                    }
                }
            }
            let range = KeyRange { start, end };
            let mut expected: Vec<_> = model.clone().into_iter().collect();
            expected.retain(|(key, _)| range.contains(key));
            let forward = collect(txn.scan(Space::Data, &range, Direction::Forward).unwrap());
            prop_assert_eq!(&forward, &expected);
            let mut backward = collect(txn.scan(Space::Data, &range, Direction::Backward).unwrap());
            backward.reverse();
            prop_assert_eq!(&backward, &expected);
            for (key, value) in &model {
                let found = txn.get(Space::Data, key).unwrap();
                prop_assert_eq!(found.as_deref(), Some(value.as_slice()));
            }
            txn.commit().unwrap();
            let all = collect(store.snapshot().unwrap()
                .scan(Space::Data, &KeyRange::all(), Direction::Forward).unwrap());
            prop_assert_eq!(all, model.into_iter().collect::<Vec<_>>());
        }
    }
}

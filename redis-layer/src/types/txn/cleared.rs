//! Ranges of rows that a transaction removes without a look at each row.
//!
//! The snapshot still has these rows, so reads leave them out. The batch removes them before it makes the other
//! changes, so a row that is written later into such a range is there.
//!
//! Left out: removing a few rows like this. A range slows readers down a little until compactions have caught up.

use crate::store::{self, Cursor, Direction, KeyRange, Snapshot, Space};

/// The ranges, in the order in which they were removed.
#[derive(Debug, Default)]
pub(super) struct Cleared(Vec<(Space, KeyRange)>);

impl Cleared {
    #[inline]
    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn add(&mut self, space: Space, range: KeyRange) {
        self.0.push((space, range));
    }

    /// How many there are, for [`Cleared::go_back`].
    pub(super) const fn mark(&self) -> usize {
        self.0.len()
    }

    pub(super) fn go_back(&mut self, mark: usize) {
        self.0.truncate(mark);
    }

    pub(super) fn into_ranges(self) -> Vec<(Space, KeyRange)> {
        self.0
    }

    /// Whether a row of the snapshot is removed.
    #[inline]
    pub(super) fn contains(&self, space: Space, key: &[u8]) -> bool {
        self.of(space).any(|range| range.contains(key))
    }

    fn of(&self, space: Space) -> impl Iterator<Item = &KeyRange> {
        let of_space = self.0.iter().filter(move |(of, _)| *of == space);
        of_space.map(|(_, range)| range)
    }

    /// What is left of a range, in ascending order.
    fn rest_of(&self, space: Space, range: &KeyRange) -> Vec<KeyRange> {
        self.of(space).fold(vec![range.clone()], |rest, cleared| {
            let parts = rest.iter().flat_map(|part| without(part, cleared));
            parts.filter(|part| !part.is_empty()).collect()
        })
    }

    /// The rows of the snapshot that are left in a range.
    pub(super) fn scan<'a>(
        &self,
        snapshot: &'a dyn Snapshot,
        space: Space,
        range: &KeyRange,
        direction: Direction,
    ) -> store::Result<Box<dyn Cursor + 'a>> {
        let mut rest = self.rest_of(space, range);
        if direction == Direction::Forward {
            rest.reverse();
        }
        let nothing = KeyRange::between(Vec::new(), Vec::new());
        let first = rest.pop().unwrap_or(nothing);
        let mut parts = Parts {
            rows: snapshot.scan(space, &first, direction)?,
            rest,
            open: Box::new(move |part| snapshot.scan(space, part, direction)),
        };
        parts.settle()?;
        Ok(Box::new(parts))
    }
}

/// A range without another one: what comes before that, and what comes after it. Either may be empty.
fn without(range: &KeyRange, cleared: &KeyRange) -> [KeyRange; 2] {
    let (mut before, mut after) = (range.clone(), range.clone());
    let ends_later = |end: &Vec<u8>| *end > cleared.start;
    if before.end.as_ref().is_none_or(ends_later) {
        before.end = Some(cleared.start.clone());
    }
    match &cleared.end {
        Some(end) => after.start = after.start.max(end.clone()),
        None => after.end = Some(after.start.clone()),
    }
    [before, after]
}

type Open<'a> = Box<dyn Fn(&KeyRange) -> store::Result<Box<dyn Cursor + 'a>> + 'a>;

/// Several scans, one after the other.
struct Parts<'a> {
    rows: Box<dyn Cursor + 'a>,
    /// Where to go on, the next one last.
    rest: Vec<KeyRange>,
    open: Open<'a>,
}

impl Parts<'_> {
    /// Goes on to the next part that has rows, if this one has no more.
    fn settle(&mut self) -> store::Result<()> {
        while self.rows.row().is_none()
            && let Some(next) = self.rest.pop()
        {
            self.rows = (self.open)(&next)?;
        }
        Ok(())
    }
}

impl Cursor for Parts<'_> {
    fn row(&self) -> Option<(&[u8], &[u8])> {
        self.rows.row()
    }

    fn advance(&mut self) -> store::Result<()> {
        self.rows.advance()?;
        self.settle()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use bytes::Bytes;
    use proptest::prelude::*;

    use crate::store::{BTreeStore, Batch, Cursor, Direction, KeyRange, Space, Store};
    use crate::types::{Shared, Txn};

    type Model = BTreeMap<Vec<u8>, Bytes>;

    fn key() -> impl Strategy<Value = Vec<u8>> {
        proptest::collection::vec(0_u8..3, 0..3)
    }

    #[derive(Debug, Clone)]
    enum Step {
        Put(Vec<u8>, u8),
        Delete(Vec<u8>),
        Clear(Vec<u8>, Vec<u8>),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            (key(), 0_u8..9).prop_map(|(key, value)| Step::Put(key, value)),
            key().prop_map(Step::Delete),
            (key(), key()).prop_map(|(start, end)| Step::Clear(start, end)),
        ]
    }

    fn take(txn: &mut Txn<'_>, model: &mut Model, step: Step) {
        match step {
            Step::Put(key, value) => {
                txn.put(Space::Data, key.clone(), vec![value].into());
                model.insert(key, vec![value].into());
            }
            Step::Delete(key) => {
                txn.delete(Space::Data, key.clone());
                model.remove(&key);
            }
            Step::Clear(start, end) => {
                let range = KeyRange::between(start, end);
                model.retain(|key, _| !range.contains(key));
                txn.clear(Space::Data, range);
            }
        }
    }

    fn collect(mut cursor: Box<dyn Cursor + '_>) -> Vec<(Vec<u8>, Bytes)> {
        let mut rows = Vec::new();
        while let Some((key, value)) = cursor.row() {
            rows.push((key.to_vec(), Bytes::copy_from_slice(value)));
            cursor.advance().unwrap();
        }
        rows
    }

    fn compare(txn: &Txn<'_>, model: &Model, range: &KeyRange) -> Result<(), TestCaseError> {
        let within = model.iter().filter(|(key, _)| range.contains(key));
        let within: Vec<_> = within
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        let scan = |direction| collect(txn.scan(Space::Data, range, direction).unwrap());
        prop_assert_eq!(&scan(Direction::Forward), &within);
        let mut backward = scan(Direction::Backward);
        backward.reverse();
        prop_assert_eq!(&backward, &within);
        for length in 0..3 {
            for n in 0..3_u8.pow(length) {
                let key: Vec<u8> = (0..length).map(|digit| n / 3_u8.pow(digit) % 3).collect();
                prop_assert_eq!(
                    txn.get(Space::Data, &key).unwrap(),
                    model.get(&key).cloned()
                );
            }
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn a_transaction_that_clears_ranges_reads_like_the_map_that_it_would_leave(
            stored in proptest::collection::btree_map(key(), 0_u8..9, 0..9),
            before in proptest::collection::vec(step(), 0..6),
            undone in proptest::collection::vec(step(), 0..6),
            start in key(),
            end in proptest::option::of(key()),
        ) {
            let store = BTreeStore::new();
            let mut batch = Batch::default();
            let mut model = Model::new();
            for (key, value) in stored {
                batch.put(Space::Data, key.clone(), vec![value].into());
                model.insert(key, vec![value].into());
            }
            store.write(batch).unwrap();
            let shared = Shared::default();
            let mut txn = Txn::begin(&store, &shared, 0, 0).unwrap();
            let range = KeyRange { start, end };
            for step in before {
                take(&mut txn, &mut model, step);
            }
            let (savepoint, kept) = (txn.savepoint(), model.clone());
            for step in undone {
                take(&mut txn, &mut model, step);
            }
            compare(&txn, &model, &range)?;
            txn.roll_back(&savepoint);
            compare(&txn, &kept, &range)?;
            txn.commit().unwrap();
            let snapshot = store.snapshot().unwrap();
            let all = snapshot.scan(Space::Data, &KeyRange::all(), Direction::Forward).unwrap();
            prop_assert_eq!(collect(all), kept.into_iter().collect::<Vec<_>>());
        }
    }
}

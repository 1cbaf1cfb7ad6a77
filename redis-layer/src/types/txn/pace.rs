//! How much a transaction has done, so that one that does much does not keep its thread from other clients.
//!
//! Nothing says beforehand how long a command will take: `LRANGE` may ask for ten elements or for a million, and `DEL` may
//! name one key or a hundred thousand. So rows are counted as they are read and changed. When they have become many, the
//! transaction calls [`Shared::work_is_long`], and the server lets another thread serve the other clients.
//!
//! At most [`LONG_MOST`] transactions do so at a time. Of further ones each keeps its thread: what they collect for their
//! clients is in memory, and a hundred clients that ask for a hundred megabytes each must not get them all at once.
//!
//! Left out: what a command does with rows that it has read, such as sorting them. It takes long only after many rows.

use std::cell::Cell;

use crate::store::{self, Cursor};
use crate::types::Shared;

/// For how many bytes a row counts, beside its own. A row takes about as long as copying so many takes.
const ROW: usize = 64;
/// How many bytes are much: a command that has read or changed eight thousand rows has taken some milliseconds.
const MUCH: usize = 512 << 10;

/// How many transactions that take long go on beside the others.
pub(in crate::types) const LONG_MOST: usize = 2;

/// How much a transaction has done.
#[derive(Debug)]
pub(super) struct Pace<'s> {
    shared: &'s Shared,
    done: Cell<usize>,
    /// When it says so next.
    next: Cell<usize>,
    /// Whether it is one of those that may go on beside the others.
    is_long: Cell<bool>,
}

impl<'s> Pace<'s> {
    pub(super) const fn of(shared: &'s Shared) -> Self {
        Self {
            shared,
            done: Cell::new(0),
            next: Cell::new(MUCH),
            is_long: Cell::new(false),
        }
    }

    /// A row with a value of so many bytes was read or changed.
    #[inline]
    pub(super) fn step(&self, bytes: usize) {
        let done = self.done.get() + ROW + bytes;
        self.done.set(done);
        if done >= self.next.get() {
            self.is_much();
        }
    }

    #[cold]
    fn is_much(&self) {
        // Said once, it usually stays true. So it is said ever more seldom.
        self.next.set(2 * self.done.get());
        self.is_long
            .set(self.is_long.get() || self.shared.begin_long());
        if self.is_long.get() {
            self.shared.work_is_long();
        }
    }
}

impl Drop for Pace<'_> {
    fn drop(&mut self) {
        if self.is_long.get() {
            self.shared.end_long();
        }
    }
}

/// A scan that counts its rows.
pub(super) struct Paced<'a> {
    rows: Box<dyn Cursor + 'a>,
    pace: &'a Pace<'a>,
}

impl<'a> Paced<'a> {
    pub(super) fn over(rows: Box<dyn Cursor + 'a>, pace: &'a Pace<'a>) -> Self {
        Self { rows, pace }
    }
}

impl Cursor for Paced<'_> {
    #[inline]
    fn row(&self) -> Option<(&[u8], &[u8])> {
        self.rows.row()
    }

    #[inline]
    fn advance(&mut self) -> store::Result<()> {
        let bytes = self.rows.row().map_or(0, |(_, value)| value.len());
        self.pace.step(bytes);
        self.rows.advance()
    }

    fn visit(&mut self, visit: &mut dyn FnMut(&[u8], &[u8]) -> bool) -> store::Result<()> {
        self.rows.visit(&mut |key, value| {
            self.pace.step(value.len());
            visit(key, value)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use bytes::Bytes;

    use super::*;
    use crate::store::{BTreeStore, Direction, KeyRange, Space};
    use crate::types::{Result, Txn};

    #[test]
    fn only_a_transaction_of_many_rows_or_bytes_says_that_it_takes_long() {
        static SAID: AtomicUsize = AtomicUsize::new(0);
        let (store, shared) = (BTreeStore::new(), Shared::default());
        shared.when_work_is_long(|| {
            SAID.fetch_add(1, Ordering::Relaxed);
        });
        let said = |work: &dyn Fn(&mut Txn<'_>) -> Result<()>| {
            let mut txn = Txn::begin(&store, &shared, 0, 0).unwrap();
            work(&mut txn).unwrap();
            txn.commit().unwrap();
            SAID.swap(0, Ordering::Relaxed)
        };
        let row = |n: u16| n.to_be_bytes().to_vec();
        let put = |rows: u16, value: &'static [u8]| {
            said(&|txn| {
                (0..rows).for_each(|n| txn.put(Space::Data, row(n), Bytes::from_static(value)));
                Ok(())
            })
        };
        assert_eq!(put(1_000, b"v"), 0);
        assert_eq!(put(1, &[b'v'; MUCH]), 1);
        assert_eq!(put(20_000, b"v"), 2);
        let walk = |most: usize| {
            said(&|txn| {
                let mut cursor = txn.scan(Space::Data, &KeyRange::all(), Direction::Forward)?;
                (0..most).try_for_each(|_| Ok(cursor.advance()?))
            })
        };
        assert_eq!(walk(1_000), 0);
        assert_eq!(walk(20_000), 2);
        let look_up = |rows: u16| {
            said(&|txn| (0..rows).try_for_each(|n| txn.get(Space::Data, &row(n)).map(drop)))
        };
        assert_eq!(look_up(1_000), 0);
        assert_eq!(look_up(20_000), 2);
        let long = || {
            let txn = Txn::begin(&store, &shared, 0, 0).unwrap();
            (0..10_000).for_each(|n| drop(txn.get(Space::Data, &row(n)).unwrap()));
            (txn, SAID.swap(0, Ordering::Relaxed))
        };
        let mut beside: Vec<_> = (0..LONG_MOST + 1).map(|_| long()).collect();
        assert_eq!(beside.pop().unwrap().1, 0, "too many at a time");
        assert!(beside.iter().all(|(_, said)| *said == 1));
        beside.pop();
        assert_eq!(long().1, 1);
    }

    /// A cursor of a store that has a faster way than row by row.
    struct Visits(usize);

    impl Cursor for Visits {
        fn row(&self) -> Option<(&[u8], &[u8])> {
            unreachable!("row by row")
        }

        fn advance(&mut self) -> store::Result<()> {
            unreachable!("row by row")
        }

        fn visit(&mut self, visit: &mut dyn FnMut(&[u8], &[u8]) -> bool) -> store::Result<()> {
            (0..self.0).find(|_| !visit(b"key", b"value"));
            Ok(())
        }
    }

    #[test]
    fn rows_are_visited_as_the_store_does_it_and_counted() {
        static SAID: AtomicUsize = AtomicUsize::new(0);
        let shared = Shared::default();
        shared.when_work_is_long(|| {
            SAID.fetch_add(1, Ordering::Relaxed);
        });
        for (rows, said) in [(1_000, 0), (10_000, 1)] {
            let pace = Pace::of(&shared);
            let mut visited = 0;
            let mut cursor = Paced::over(Box::new(Visits(rows)), &pace);
            let visit = &mut |_: &[u8], _: &[u8]| {
                visited += 1;
                true
            };
            cursor.visit(visit).unwrap();
            assert_eq!(visited, rows);
            assert_eq!(SAID.swap(0, Ordering::Relaxed), said);
        }
    }
}

//! Walks over rows that stop and continue later: the basis of `SCAN` and its sister commands.
//!
//! A client gets a number for the position where a walk stopped, and a row is bytes of any length. So
//! the positions are kept here, and the number identifies one. What a walk promises is Redis's promise:
//! a row that is there from the first call to the last is visited at least once.
//!
//! Memory is bounded: there are `SLOTS` positions of at most `POSITION_BYTES` bytes. A walk keeps
//! one slot from call to call, so a busy client does not replace the position of a slow one; only
//! new walks do. A number that is unknown, forgotten or from before a restart begins the walk anew: then rows may
//! come twice, but none is left out. A position is a name: a collection that is written anew keeps it.
//!
//! Left out: walks over hashes and sets. Their rows are in the order of a hash, so the hash already is a number to
//! continue from.

use bytes::Bytes;
use parking_lot::Mutex;

use crate::store::{Direction, KeyRange, Space};
use crate::types::{Result, Txn};

/// How many walks may be under way at once without one of them being forgotten.
const SLOTS: usize = 1 << 14;
/// The longest part of a row's key that is remembered. Rows that share more than that come in one call.
const POSITION_BYTES: usize = 1024;
/// Numbers are below this, because some clients keep them in a double.
const NUMBERS: u64 = 1 << 53;
/// A number is composed of a turn and a slot; this is how many turns there are.
const TURNS: u64 = NUMBERS / SLOTS as u64;
/// A collection of more bytes than this is not returned whole.
const WHOLE_BYTES: usize = 64 * 1024;

/// Where walks stopped, by the number that their clients hold.
#[derive(Debug)]
pub struct Cursors(Mutex<SlotTable>);

#[derive(Debug)]
struct SlotTable {
    slots: Vec<Slot>,
    /// The slot that the next new walk takes, once all are in use.
    next: usize,
    /// A part of each number that changes with every number handed out.
    turn: u64,
}

#[derive(Debug)]
struct Slot {
    number: u64,
    /// The rows from here on have not been visited yet. Without what all rows of the range begin with.
    position: Bytes,
}

impl Default for Cursors {
    fn default() -> Self {
        Self(Mutex::new(SlotTable {
            slots: Vec::new(),
            next: 0,
            // Random, so that numbers from before a restart are not taken for new ones.
            turn: fastrand::u64(1..TURNS),
        }))
    }
}

impl Cursors {
    /// Where the walk with this number continues, if the number is known.
    fn position(&self, number: u64) -> Option<Bytes> {
        let table = self.0.lock();
        let slot = table.slots.get(slot_of(number))?;
        (slot.number == number).then(|| slot.position.clone())
    }

    /// Remembers where a walk stopped, in the slot of the number that it continued from.
    fn remember(&self, number: u64, position: Bytes) -> u64 {
        let mut table = self.0.lock();
        let known = table.slots.get(slot_of(number));
        let at = if known.is_some_and(|slot| slot.number == number) {
            slot_of(number)
        } else if table.slots.len() < SLOTS {
            table.slots.len()
        } else {
            table.next = (table.next + 1) % SLOTS;
            table.next
        };
        // The turn is never 0, so the number is not 0 either: a 0 begins every walk and ends it.
        table.turn = table.turn % (TURNS - 1) + 1;
        let number = table.turn * SLOTS as u64 + at as u64;
        let slot = Slot { number, position };
        match table.slots.get_mut(at) {
            Some(old) => *old = slot,
            None => table.slots.push(slot),
        }
        number
    }
}

fn slot_of(number: u64) -> usize {
    usize::try_from(number % SLOTS as u64).unwrap_or(0)
}

/// How much one call visits.
#[derive(Debug, Clone, Copy)]
pub struct Extent {
    /// A call may stop after this many rows.
    pub count: u64,
    /// Go on to the end as long as the collection is small: Redis returns what is small whole.
    pub whole: bool,
}

impl Extent {
    /// A collection that Redis would keep in its compact form is returned whole, whatever count the client asks for.
    /// That is a collection of `size` elements with `size` at most `most`.
    #[must_use]
    pub const fn new(count: u64, size: u64, most: u64) -> Self {
        let whole = size <= most;
        Self { count, whole }
    }

    /// Whether a call that visited this much may stop.
    #[must_use]
    pub const fn is_reached(&self, rows: u64, bytes: usize) -> bool {
        rows >= self.count && !(self.whole && bytes < WHOLE_BYTES)
    }
}

/// Visits the rows of a range, which all begin with its start, from where the walk with this number stopped. Returns
/// the number for the next call, 0 at the end.
///
/// Cost: one seek, and one step for each row of the extent. Rows that share their first
/// `POSITION_BYTES` bytes are visited in one call.
///
/// # Errors
/// Those of the store and of `visit`.
pub fn visit_page(
    txn: &Txn<'_>,
    space: Space,
    range: &KeyRange,
    number: u64,
    extent: Extent,
    mut visit: impl FnMut(&[u8], &[u8]) -> Result<()>,
) -> Result<u64> {
    let cursors = &txn.shared().cursors;
    let mut rest = range.clone();
    rest.start
        .extend(cursors.position(number).into_iter().flatten());
    let (mut rows, mut bytes) = (0, 0);
    let mut last = Vec::new();
    let mut cursor = txn.scan(space, &rest, Direction::Forward)?;
    while let Some((row, value)) = cursor.row() {
        let name = row.strip_prefix(&*range.start).unwrap_or(row);
        let position = &name[..name.len().min(POSITION_BYTES)];
        // A truncated position would lead back to all the rows that begin with it.
        let leads_back = position.len() < name.len() && last.starts_with(position);
        if extent.is_reached(rows, bytes) && !leads_back {
            let position = Bytes::copy_from_slice(position);
            return Ok(cursors.remember(number, position));
        }
        last.clear();
        last.extend_from_slice(name);
        visit(row, value)?;
        rows += 1;
        bytes += row.len() + value.len();
        cursor.advance()?;
    }
    Ok(0)
}

impl Txn<'_> {
    /// Passes the rows of a range to `visit`, in the order of `direction`, until it returns `false`.
    ///
    /// # Errors
    /// Those of the store and of `visit`.
    pub fn each_row(
        &self,
        space: Space,
        range: &KeyRange,
        direction: Direction,
        mut visit: impl FnMut(&[u8], &[u8]) -> Result<bool>,
    ) -> Result<()> {
        let mut failed = Ok(());
        let mut cursor = self.scan(space, range, direction)?;
        cursor.visit(&mut |key, value| {
            visit(key, value).unwrap_or_else(|error| {
                failed = Err(error);
                false
            })
        })?;
        failed
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::store::{BTreeStore, Batch, Store};
    use crate::types::Shared;

    fn store_with(rows: impl Iterator<Item = Vec<u8>>) -> BTreeStore {
        let store = BTreeStore::new();
        let mut batch = Batch::default();
        for row in rows {
            batch.put(Space::Data, row, Bytes::new());
        }
        store.write(batch).unwrap();
        store
    }

    fn page(txn: &Txn<'_>, number: u64, count: u64, seen: &mut Vec<Vec<u8>>) -> u64 {
        let extent = Extent::new(count, u64::MAX, 0);
        visit_page(
            txn,
            Space::Data,
            &KeyRange::all(),
            number,
            extent,
            |row, _| {
                seen.push(row.to_vec());
                Ok(())
            },
        )
        .unwrap()
    }

    #[test]
    fn a_walk_visits_what_stays_while_rows_come_and_go() {
        let store = store_with((0..100_u8).map(|i| vec![i]));
        let shared = Shared::default();
        let (mut seen, mut number) = (Vec::new(), 0);
        for step in 0..200_u8 {
            let txn = Txn::begin(&store, &shared, 0, 0).unwrap();
            number = page(&txn, number, 7, &mut seen);
            assert!(number < NUMBERS);
            if number == 0 {
                break;
            }
            // The row where the walk would continue is removed, and rows are added before and after it.
            let mut txn = Txn::begin(&store, &shared, 0, 0).unwrap();
            txn.delete(Space::Data, vec![(step + 1) * 7]);
            txn.put(Space::Data, vec![0, step], Bytes::new());
            txn.put(Space::Data, vec![99, step], Bytes::new());
            txn.commit().unwrap();
        }
        assert_eq!(number, 0, "the walk ends");
        let seen: BTreeSet<_> = seen.into_iter().collect();
        for i in (0..100_u8).filter(|i| i % 7 != 0) {
            assert!(seen.contains(&vec![i]), "{i}");
        }
    }

    #[test]
    fn rows_longer_than_a_position_do_not_stop_a_walk() {
        let long = |end: u8| [vec![b'x'; POSITION_BYTES], vec![end]].concat();
        let store = store_with((0..50).map(long).chain([vec![b'y'], vec![b'z']]));
        let shared = Shared::default();
        let txn = Txn::begin(&store, &shared, 0, 0).unwrap();
        let mut seen = Vec::new();
        let mut number = page(&txn, 0, 3, &mut seen);
        assert_eq!(seen.len(), 50, "all that share their start come at once");
        while number != 0 {
            number = page(&txn, number, 1, &mut seen);
        }
        assert_eq!(seen.len(), 52);
    }

    #[test]
    fn memory_is_bounded_and_a_busy_walk_pushes_nobody_out() {
        let store = store_with((0..10_u8).map(|i| vec![i]));
        let shared = Shared::default();
        let txn = Txn::begin(&store, &shared, 0, 0).unwrap();
        let slow = page(&txn, 0, 5, &mut Vec::new());
        let mut busy = page(&txn, 0, 1, &mut Vec::new());
        for _ in 0..3 * SLOTS {
            let cursors = &txn.shared().cursors;
            busy = cursors.remember(busy, Bytes::from_static(b"\x01"));
        }
        let mut seen = Vec::new();
        page(&txn, slow, 100, &mut seen);
        assert_eq!(seen.first(), Some(&vec![5]), "the slow one goes on");
        for _ in 0..2 * SLOTS {
            page(&txn, 0, 1, &mut seen);
        }
        assert_eq!(shared.cursors.0.lock().slots.len(), SLOTS);
        seen.clear();
        page(&txn, slow, 100, &mut seen);
        assert_eq!(seen.len(), 10, "a forgotten walk begins anew");
    }
}

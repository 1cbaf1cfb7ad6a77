//! Which rows a database has, and how many keys.
//!
//! `SELECT` names one of sixteen databases. The rows carry a number of their own, and this module knows which belongs
//! to which. So `SWAPDB` exchanges two numbers, and `FLUSHDB` of a large database gives it a number that was never used:
//! the old rows are out of sight at once, and go with one range deletion for each space.
//!
//! The mapping stands in a system row and in memory. A transaction takes it together with its snapshot: whoever changes
//! it makes the generation odd before the batch is written and even behind it, and a transaction that sees an odd one, or
//! another one after taking its snapshot, tries again. So no reader sees the rows of one mapping by the other.
//!
//! The counts follow each commit, under the locks of the keys. They stand in a row of their own from a clean close to the
//! next opening, which removes it before anything else is written: in the log the removal comes first, so whatever
//! survives a power cut, the row and a later write never survive together. Without the row, the first transaction walks
//! over all metadata rows once.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, Ordering, fence};

use bytes::Bytes;
use parking_lot::Mutex;

use crate::store::{Batch, Direction, KeyRange, Snapshot, Space, Store};
use crate::types::rows::{decode_metadata_key, stored_expiry};
use crate::types::{DbNumber, Error, Result};

/// How many databases `SELECT` reaches.
pub const DATABASES: u32 = 16;
const COUNT: usize = DATABASES as usize;
/// The system row of the mapping: a u32 for each database, big-endian, and the next number that is free.
const MAPPING_ROW: &[u8] = b"databases";
/// The system row of the counts: for each database its keys and those that expire, an i64 each, big-endian.
const COUNTS_ROW: &[u8] = b"key-counts";

/// The number in the rows of each database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mapping {
    rows: [DbNumber; COUNT],
    next: DbNumber,
}

impl Default for Mapping {
    /// As long as nothing was swapped or emptied, a database has its own number.
    fn default() -> Self {
        Self {
            rows: std::array::from_fn(|db| db as DbNumber),
            next: DATABASES,
        }
    }
}

impl Mapping {
    /// The number in the rows of a database.
    pub(crate) fn rows_of(&self, db: DbNumber) -> DbNumber {
        self.rows.get(db as usize).copied().unwrap_or(db)
    }

    /// The database that has this number in its rows now.
    pub(crate) fn database_of(&self, rows: DbNumber) -> Option<DbNumber> {
        let found = self.rows.iter().position(|&number| number == rows);
        found.map(|db| db as DbNumber)
    }

    pub(crate) fn swap(&mut self, a: DbNumber, b: DbNumber) {
        self.rows.swap(a as usize, b as usize);
    }

    /// Gives a database a number that was never used. Answers the old one.
    pub(crate) fn renew(&mut self, db: DbNumber) -> DbNumber {
        let next = self.next;
        self.next += 1;
        std::mem::replace(&mut self.rows[db as usize], next)
    }

    pub(crate) fn write_to(&self, batch: &mut Batch) {
        let numbers = self.rows.iter().chain([&self.next]);
        let value: Vec<u8> = numbers.flat_map(|number| number.to_be_bytes()).collect();
        batch.put(Space::System, MAPPING_ROW.to_vec(), value.into());
    }

    fn read(snapshot: &dyn Snapshot) -> Result<Self> {
        let Some(value) = snapshot.get(Space::System, MAPPING_ROW)? else {
            return Ok(Self::default());
        };
        let numbers = numbers_of::<4, { COUNT + 1 }>(&value, MAPPING_ROW)?;
        Ok(Self {
            rows: std::array::from_fn(|db| u32::from_be_bytes(numbers[db])),
            next: u32::from_be_bytes(numbers[COUNT]),
        })
    }
}

/// The numbers of a system row, `WIDTH` bytes each.
fn numbers_of<const WIDTH: usize, const N: usize>(
    value: &[u8],
    row: &[u8],
) -> Result<[[u8; WIDTH]; N]> {
    let (numbers, rest) = value.as_chunks::<WIDTH>();
    let numbers: Option<[[u8; WIDTH]; N]> = numbers.try_into().ok();
    numbers
        .filter(|_| rest.is_empty())
        .ok_or_else(|| Error::damaged(Space::System, row, "it has another length"))
}

/// How many keys there are, and how many of them expire. Rows, to be exact: what has expired and is not removed yet
/// is among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct KeyCount {
    pub(crate) keys: i64,
    pub(crate) expiring: i64,
}

/// What all transactions know about the databases.
#[derive(Debug, Default)]
pub(crate) struct Databases {
    is_loaded: AtomicBool,
    loading: Mutex<()>,
    /// Odd while the mapping changes.
    generation: AtomicU64,
    rows: [AtomicU32; COUNT],
    next: AtomicU32,
    keys: [AtomicI64; COUNT],
    expiring: [AtomicI64; COUNT],
}

impl Databases {
    /// A snapshot, and the mapping that belongs to it.
    pub(crate) fn snapshot(&self, store: &dyn Store) -> Result<(Box<dyn Snapshot>, Mapping)> {
        if !self.is_loaded.load(Ordering::Acquire) {
            self.load(store)?;
        }
        loop {
            let before = self.generation.load(Ordering::Acquire);
            if before.is_multiple_of(2) {
                let mapping = self.mapping();
                let snapshot = store.snapshot()?;
                fence(Ordering::Acquire);
                if self.generation.load(Ordering::Relaxed) == before {
                    return Ok((snapshot, mapping));
                }
            }
            std::thread::yield_now();
        }
    }

    fn mapping(&self) -> Mapping {
        Mapping {
            rows: std::array::from_fn(|db| self.rows[db].load(Ordering::Relaxed)),
            next: self.next.load(Ordering::Relaxed),
        }
    }

    /// Runs `write`, which changes the mapping in the store. The caller holds all locks.
    pub(crate) fn change(
        &self,
        old: &Mapping,
        new: &Mapping,
        write: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        self.generation.fetch_add(1, Ordering::SeqCst);
        let written = write();
        if written.is_ok() {
            let counts = self.counts();
            for (db, &rows) in new.rows.iter().enumerate() {
                self.rows[db].store(rows, Ordering::Relaxed);
                let moved = old.database_of(rows).map(|old| counts[old as usize]);
                self.set_count(db, moved.unwrap_or_default());
            }
            self.next.store(new.next, Ordering::Relaxed);
        }
        self.generation.fetch_add(1, Ordering::SeqCst);
        written
    }

    /// How many rows a database has.
    pub(crate) fn count(&self, db: DbNumber) -> KeyCount {
        let load = |counts: &[AtomicI64; COUNT]| {
            let count = counts.get(db as usize);
            count.map_or(0, |count| count.load(Ordering::Relaxed))
        };
        KeyCount {
            keys: load(&self.keys),
            expiring: load(&self.expiring),
        }
    }

    fn counts(&self) -> [KeyCount; COUNT] {
        std::array::from_fn(|db| self.count(db as DbNumber))
    }

    fn set_count(&self, db: usize, count: KeyCount) {
        self.keys[db].store(count.keys, Ordering::Relaxed);
        self.expiring[db].store(count.expiring, Ordering::Relaxed);
    }

    /// Keys of a database came or went.
    pub(crate) fn add(&self, db: DbNumber, change: KeyCount) {
        let db = db as usize;
        if let (true, Some(keys)) = (change.keys != 0, self.keys.get(db)) {
            keys.fetch_add(change.keys, Ordering::Relaxed);
        }
        if let (true, Some(expiring)) = (change.expiring != 0, self.expiring.get(db)) {
            expiring.fetch_add(change.expiring, Ordering::Relaxed);
        }
    }

    /// Reads mapping and counts, once. Nobody writes before that is done, because every transaction begins here.
    fn load(&self, store: &dyn Store) -> Result<()> {
        let _loading = self.loading.lock();
        if self.is_loaded.load(Ordering::Acquire) {
            return Ok(());
        }
        let snapshot = store.snapshot()?;
        let mapping = Mapping::read(&*snapshot)?;
        let counts = match snapshot.get(Space::System, COUNTS_ROW)? {
            Some(value) => {
                let numbers = numbers_of::<8, { 2 * COUNT }>(&value, COUNTS_ROW)?;
                let number = |at: usize| i64::from_be_bytes(numbers[at]);
                let counts = std::array::from_fn(|db| KeyCount {
                    keys: number(2 * db),
                    expiring: number(2 * db + 1),
                });
                let mut batch = Batch::default();
                batch.delete(Space::System, COUNTS_ROW.to_vec());
                store.write(batch)?;
                counts
            }
            None => count_all(&*snapshot, &mapping)?,
        };
        for (db, count) in counts.into_iter().enumerate() {
            self.rows[db].store(mapping.rows[db], Ordering::Relaxed);
            self.set_count(db, count);
        }
        self.next.store(mapping.next, Ordering::Relaxed);
        self.is_loaded.store(true, Ordering::Release);
        Ok(())
    }

    /// Leaves the counts for the next opening. Nothing may be written after this.
    pub(crate) fn close(&self, store: &dyn Store) -> Result<()> {
        if !self.is_loaded.load(Ordering::Acquire) {
            return Ok(());
        }
        let numbers = self.counts().into_iter().flat_map(|c| [c.keys, c.expiring]);
        let value: Vec<u8> = numbers.flat_map(i64::to_be_bytes).collect();
        let mut batch = Batch::default();
        batch.put(Space::System, COUNTS_ROW.to_vec(), Bytes::from(value));
        Ok(store.write(batch)?)
    }
}

/// Counts the metadata rows, by a walk over them.
fn count_all(snapshot: &dyn Snapshot, mapping: &Mapping) -> Result<[KeyCount; COUNT]> {
    let mut counts = [KeyCount::default(); COUNT];
    let mut cursor = snapshot.scan(Space::Metadata, &KeyRange::all(), Direction::Forward)?;
    while let Some((row, value)) = cursor.row() {
        let (rows, _) = decode_metadata_key(row)?;
        if let Some(db) = mapping.database_of(rows) {
            let count = &mut counts[db as usize];
            count.keys += 1;
            count.expiring += i64::from(stored_expiry(value).is_some());
        }
        cursor.advance()?;
    }
    Ok(counts)
}

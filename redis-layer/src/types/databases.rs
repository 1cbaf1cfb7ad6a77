//! Which rows belong to which database, and how many keys each database has.
//!
//! `SELECT` names one of sixteen databases. The rows carry a number of their own, and this module maps one to the
//! other. So `SWAPDB` exchanges two numbers, and `FLUSHDB` of a large database gives the database a number that was
//! never used: the old rows are out of sight at once, and one range deletion for each space removes them. Their bytes leave
//! the disk when a store compacts that range, so old numbers are noted for whoever has it do so.
//!
//! The mapping is kept in a system row and in memory. A transaction takes it together with its snapshot. A change of
//! the mapping makes the generation odd before its batch is written and even again afterwards. A transaction that
//! sees an odd generation, or another one after it took its snapshot than before, tries again. So no reader looks at
//! the rows of one mapping through another.
//!
//! The counts follow each commit, under the locks of the keys. From a clean close to the next opening they are kept
//! in a row of their own, which the opening removes before anything else is written. The log holds the removal before
//! every later write, so whatever survives a power cut, the row never survives together with a later write. Without
//! the row, or with a shorter one of an earlier version, the first transaction walks over all metadata rows once and counts.

use std::ops::{AddAssign, Sub, SubAssign};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, Ordering, fence};

use bytes::Bytes;
use parking_lot::Mutex;

use crate::store::{Batch, Direction, KeyRange, Snapshot, Space, Store};
use crate::types::rows::{decode_metadata_key, stored_expiry};
use crate::types::{DbNumber, Error, Result};

/// The spaces whose rows carry the number of a database.
pub(crate) const NUMBERED: [Space; 4] = [Space::Metadata, Space::Data, Space::Score, Space::Expiry];

/// The number of databases that `SELECT` can choose.
pub const DATABASES: u32 = 16;
const COUNT: usize = DATABASES as usize;
/// The system row of the mapping: a big-endian u32 for each database, then the next free number.
const MAPPING_ROW: &[u8] = b"databases";
/// The system row of the counts: for each database the number of its keys and of those that expire, each a big-endian
/// i64, and the sum of their times, a big-endian i128.
const COUNTS_ROW: &[u8] = b"key-counts";
const COUNT_BYTES: usize = 8 + 8 + 16;
/// How long the row was before the sums were in it.
const EARLIER_COUNTS: usize = COUNT * (8 + 8);

/// The number that the rows of each database carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mapping {
    rows: [DbNumber; COUNT],
    next: DbNumber,
}

impl Default for Mapping {
    /// Until a database is swapped or emptied, its rows carry its own number.
    fn default() -> Self {
        Self {
            rows: std::array::from_fn(|db| db as DbNumber),
            next: DATABASES,
        }
    }
}

impl Mapping {
    /// The number that the rows of a database carry.
    pub(crate) fn rows_of(&self, db: DbNumber) -> DbNumber {
        self.rows.get(db as usize).copied().unwrap_or(db)
    }

    /// The database whose rows carry this number now.
    pub(crate) fn database_of(&self, rows: DbNumber) -> Option<DbNumber> {
        let found = self.rows.iter().position(|&number| number == rows);
        found.map(|db| db as DbNumber)
    }

    pub(crate) fn swap(&mut self, a: DbNumber, b: DbNumber) {
        self.rows.swap(a as usize, b as usize);
    }

    /// Gives a database a number that was never used, and returns the old one.
    pub(crate) fn renew(&mut self, db: DbNumber) -> DbNumber {
        let next = self.next;
        self.next += 1;
        std::mem::replace(&mut self.rows[db as usize], next)
    }

    /// The numbers that no database has in the new mapping.
    pub(crate) fn given_up(&self, new: &Self) -> impl Iterator<Item = DbNumber> {
        let rows = self.rows.into_iter();
        rows.filter(|&rows| new.database_of(rows).is_none())
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

/// The numbers in a system row, `WIDTH` bytes each.
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

/// How many keys there are, how many of them have an expiry, and the sum of these times. Rows are counted, so keys that have
/// expired but are not removed yet are included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct KeyCount {
    pub(crate) keys: i64,
    pub(crate) expiring: i64,
    pub(crate) expiries_ms: i128,
}

impl KeyCount {
    /// One key.
    pub(crate) const fn one(expires_ms: Option<i64>) -> Self {
        Self {
            keys: 1,
            expiring: expires_ms.is_some() as i64,
            expiries_ms: match expires_ms {
                Some(expires_ms) => expires_ms as i128,
                None => 0,
            },
        }
    }

    fn to_bytes(self) -> [u8; COUNT_BYTES] {
        let [keys, expiring] = [self.keys, self.expiring].map(i64::to_be_bytes);
        let bytes = [&keys[..], &expiring, &self.expiries_ms.to_be_bytes()].concat();
        bytes
            .try_into()
            .expect("two numbers of eight bytes and one of sixteen")
    }

    fn from_bytes(bytes: [u8; COUNT_BYTES]) -> Self {
        let (counts, sum) = bytes.split_at(16);
        let (counts, _) = counts.as_chunks();
        Self {
            keys: i64::from_be_bytes(counts[0]),
            expiring: i64::from_be_bytes(counts[1]),
            expiries_ms: i128::from_be_bytes(sum.try_into().expect("sixteen bytes")),
        }
    }
}

impl AddAssign for KeyCount {
    fn add_assign(&mut self, other: Self) {
        self.keys += other.keys;
        self.expiring += other.expiring;
        self.expiries_ms += other.expiries_ms;
    }
}

impl SubAssign for KeyCount {
    fn sub_assign(&mut self, other: Self) {
        self.keys -= other.keys;
        self.expiring -= other.expiring;
        self.expiries_ms -= other.expiries_ms;
    }
}

impl Sub for KeyCount {
    type Output = Self;

    fn sub(mut self, other: Self) -> Self {
        self -= other;
        self
    }
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
    /// The numbers that no database has any more, since they were asked for.
    given_up: Mutex<Vec<DbNumber>>,
    /// How many keys have an expiry, and the sum of these times. A number that is read without its sum would spoil the mean.
    expiring: [Mutex<(i64, i128)>; COUNT],
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

    /// Runs `write`, which changes the mapping in the store. The caller holds the lock of everything.
    pub(crate) fn change(
        &self,
        old: &Mapping,
        new: &Mapping,
        write: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        self.generation.fetch_add(1, Ordering::SeqCst);
        // Whoever sees a part of the new mapping below sees the odd number too, by the fence in `snapshot`.
        fence(Ordering::Release);
        let written = write();
        if written.is_ok() {
            let counts = self.counts();
            for (db, &rows) in new.rows.iter().enumerate() {
                self.rows[db].store(rows, Ordering::Relaxed);
                let moved = old.database_of(rows).map(|old| counts[old as usize]);
                self.set_count(db, moved.unwrap_or_default());
            }
            self.next.store(new.next, Ordering::Relaxed);
            self.given_up.lock().extend(old.given_up(new));
        }
        self.generation.fetch_add(1, Ordering::SeqCst);
        written
    }

    /// The numbers of rows that were removed, with all of their database, since the last call.
    pub(crate) fn take_given_up(&self) -> Vec<DbNumber> {
        std::mem::take(&mut self.given_up.lock())
    }

    /// How many rows a database has.
    pub(crate) fn count(&self, db: DbNumber) -> KeyCount {
        let db = db as usize;
        let (Some(keys), Some(expiring)) = (self.keys.get(db), self.expiring.get(db)) else {
            return KeyCount::default();
        };
        let (expiring, expiries_ms) = *expiring.lock();
        KeyCount {
            keys: keys.load(Ordering::Relaxed),
            expiring,
            expiries_ms,
        }
    }

    fn counts(&self) -> [KeyCount; COUNT] {
        std::array::from_fn(|db| self.count(db as DbNumber))
    }

    fn set_count(&self, db: usize, count: KeyCount) {
        self.keys[db].store(count.keys, Ordering::Relaxed);
        *self.expiring[db].lock() = (count.expiring, count.expiries_ms);
    }

    /// Adds to the counts of a database.
    pub(crate) fn add(&self, db: DbNumber, change: KeyCount) {
        let db = db as usize;
        if let (true, Some(keys)) = (change.keys != 0, self.keys.get(db)) {
            keys.fetch_add(change.keys, Ordering::Relaxed);
        }
        let changes = change.expiring != 0 || change.expiries_ms != 0;
        if let (true, Some(expiring)) = (changes, self.expiring.get(db)) {
            let mut expiring = expiring.lock();
            expiring.0 += change.expiring;
            expiring.1 += change.expiries_ms;
        }
    }

    /// Reads mapping and counts, once. Nobody writes before that, because every transaction calls this first.
    fn load(&self, store: &dyn Store) -> Result<()> {
        let _loading = self.loading.lock();
        if self.is_loaded.load(Ordering::Acquire) {
            return Ok(());
        }
        let snapshot = store.snapshot()?;
        let mapping = Mapping::read(&*snapshot)?;
        let counts = match snapshot.get(Space::System, COUNTS_ROW)? {
            Some(value) => {
                let counts = if value.len() == EARLIER_COUNTS {
                    count_all(&*snapshot, &mapping)?
                } else {
                    numbers_of::<COUNT_BYTES, COUNT>(&value, COUNTS_ROW)?.map(KeyCount::from_bytes)
                };
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

    /// Stores the counts for the next opening. Nothing may be written after this.
    pub(crate) fn close(&self, store: &dyn Store) -> Result<()> {
        if !self.is_loaded.load(Ordering::Acquire) {
            return Ok(());
        }
        let counts = self.counts().into_iter();
        let value: Vec<u8> = counts.flat_map(KeyCount::to_bytes).collect();
        let mut batch = Batch::default();
        batch.put(Space::System, COUNTS_ROW.to_vec(), Bytes::from(value));
        Ok(store.write(batch)?)
    }
}

/// Counts the metadata rows by walking over them.
fn count_all(snapshot: &dyn Snapshot, mapping: &Mapping) -> Result<[KeyCount; COUNT]> {
    let mut counts = [KeyCount::default(); COUNT];
    let mut cursor = snapshot.scan(Space::Metadata, &KeyRange::all(), Direction::Forward)?;
    while let Some((row, value)) = cursor.row() {
        let (rows, _) = decode_metadata_key(row)?;
        if let Some(db) = mapping.database_of(rows) {
            counts[db as usize] += KeyCount::one(stored_expiry(value));
        }
        cursor.advance()?;
    }
    Ok(counts)
}

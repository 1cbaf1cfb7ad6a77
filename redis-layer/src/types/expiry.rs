//! Finds and removes the keys that are due, through the expire-time index.
//!
//! Every key with an expiry has a row in the expiry space, under database, time and name, which [`Txn::commit`]
//! maintains. So the keys that are due come first among the rows of their database, and the others are never looked
//! at.
//!
//! Where rows were removed, a store may have to step over what they leave until it has compacted. So whoever removes
//! many keys in small batches goes on behind the last batch ([`DueKeys`]): a look from the beginning for each of them
//! made the time grow with the square of the keys. And no look begins at the beginning of time, but where the last one
//! from there found the first row (`Floor`): half a million keys that had expired made each `DBSIZE` take 30 ms.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};

use parking_lot::{Mutex, MutexGuard, RwLock, RwLockReadGuard};

use crate::store::{Direction, KeyRange, Space, Store, next_key};
use crate::types::rows::{decode_expiry_key, expiry_rows, metadata_key};
use crate::types::{DATABASES, DbNumber, Metadata, Result, Shared, Txn};

/// A time before which no key expires: no row of the index, in any database, has an earlier one.
///
/// A look at the index raises it to the time of the first row that it finds. Rows with an earlier time may be written
/// meanwhile, and later: by a command that waited, or when the clock goes back. Whoever writes rows says so before
/// ([`Self::lower`]), and what was said while the look went on bounds what the look may raise it to. A write that had
/// been announced before the look began has ended by then, so that the look sees its rows.
#[derive(Debug)]
pub(crate) struct Floor {
    ms: AtomicI64,
    /// The earliest time that was announced since the last look began.
    announced_ms: AtomicI64,
    /// Shared by those who write rows. A look has it alone for its first moment and its last, and so has whoever counts.
    writing: RwLock<()>,
    /// One look at a time.
    looking: Mutex<()>,
}

impl Default for Floor {
    /// Nothing is known of the rows.
    fn default() -> Self {
        Self {
            ms: AtomicI64::new(i64::MIN),
            announced_ms: AtomicI64::new(i64::MAX),
            writing: RwLock::default(),
            looking: Mutex::default(),
        }
    }
}

impl Floor {
    /// The rows of the keys of a database that have expired at `now_ms`.
    pub(crate) fn expired_rows(&self, db: DbNumber, now_ms: i64) -> KeyRange {
        let from_ms = self.ms.load(Ordering::Acquire).min(now_ms);
        expiry_rows(db, from_ms..now_ms)
    }

    /// Announces a change of rows: that some go, and that some with this time and later ones come. To be held until they
    /// are written and their keys are counted.
    pub(crate) fn lower(&self, earliest_ms: Option<i64>) -> RwLockReadGuard<'_, ()> {
        let writing = self.writing.read();
        if let Some(earliest_ms) = earliest_ms {
            self.ms.fetch_min(earliest_ms, Ordering::AcqRel);
            self.announced_ms.fetch_min(earliest_ms, Ordering::AcqRel);
        }
        writing
    }

    /// What `look` sees while no row is being written: the rows, and the counts of keys that belong to them.
    pub(crate) fn between_writes<T>(&self, look: impl FnOnce() -> T) -> T {
        let _none_writes = self.writing.write();
        look()
    }

    /// Begins a look. Its snapshot must be taken afterwards.
    fn look(&self) -> Look<'_> {
        let alone = self.looking.lock();
        let _none_writes = self.writing.write();
        self.announced_ms.store(i64::MAX, Ordering::Release);
        Look {
            floor: self,
            _alone: alone,
        }
    }
}

/// A look at the index, from the floor on.
struct Look<'a> {
    floor: &'a Floor,
    _alone: MutexGuard<'a, ()>,
}

impl Look<'_> {
    /// Ends the look, which has found no row with an earlier time than this.
    fn found(self, first_ms: i64) {
        let _none_writes = self.floor.writing.write();
        let announced_ms = self.floor.announced_ms.load(Ordering::Acquire);
        let raised = first_ms.min(announced_ms);
        self.floor.ms.store(raised, Ordering::Release);
    }
}

/// Keys of one database that have expired.
#[derive(Debug)]
pub struct Due {
    /// The database, as clients name it.
    pub db: DbNumber,
    /// The keys, each with its time, in the order in which they expired.
    pub keys: Vec<(i64, Vec<u8>)>,
}

/// The keys that are due, one batch after the other.
#[derive(Debug, Default)]
pub struct DueKeys {
    /// For the number in the rows of a database, where the next batch begins. Empty at the beginning of the index.
    from: HashMap<DbNumber, Vec<u8>>,
}

impl DueKeys {
    /// At most `most` keys of each database that have expired at `now_ms`, behind those that were returned since the
    /// last [`restart`](Self::restart). The caller removes them, or restarts.
    ///
    /// Cost: a seek in each database that has keys with an expiry, and a step for each key that is returned.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn next(
        &mut self,
        store: &dyn Store,
        shared: &Shared,
        now_ms: i64,
        most: usize,
    ) -> Result<Vec<Due>> {
        let mut all = Vec::new();
        let look = self.from.is_empty().then(|| shared.expiry_floor().look());
        let mut first_ms = now_ms;
        let mut txn = Txn::begin(store, shared, 0, now_ms)?;
        for db in 0..DATABASES {
            if shared.databases().count(db).expiring == 0 {
                continue;
            }
            txn.set_db(db);
            let mut rows = shared.expiry_floor().expired_rows(txn.db(), now_ms);
            if let Some(from) = self.from.get(&txn.db()) {
                rows.start.clone_from(from);
            }
            let mut keys: Vec<(i64, Vec<u8>)> = Vec::new();
            let mut cursor = txn.scan(Space::Expiry, &rows, Direction::Forward)?;
            while let (Some((row, _)), true) = (cursor.row(), keys.len() < most) {
                let (_, expires_ms, key) = decode_expiry_key(row)?;
                keys.push((expires_ms, key));
                rows.start = next_key(row);
                cursor.advance()?;
            }
            if let Some((earliest_ms, _)) = keys.first() {
                first_ms = first_ms.min(*earliest_ms);
                self.from.insert(txn.db(), rows.start);
                all.push(Due { db, keys });
            }
        }
        if let Some(look) = look {
            look.found(first_ms);
        }
        Ok(all)
    }

    /// Begins with the first keys that are left again. Keys may have come in front of the last batch: those that were written with
    /// a time that had passed, or while the clock went back.
    pub fn restart(&mut self) {
        self.from.clear();
    }
}

impl Txn<'_> {
    /// Removes a key of the chosen database if it has expired. The caller holds its lock. The commit adds the event.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn remove_expired(&mut self, key: &[u8]) -> Result<bool> {
        let row = metadata_key(self.db(), key);
        let (Some(value), _) = self.get_metadata(&row)? else {
            return Ok(false);
        };
        if Metadata::decode(&row, &value)?.is_live(self.now_ms()) {
            return Ok(false);
        }
        self.remove_key(key)?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_look_raises_the_floor_to_what_it_found_or_to_what_was_announced_meanwhile() {
        let floor = Floor::default();
        let of = |floor: &Floor| floor.ms.load(Ordering::Acquire);
        assert_eq!(of(&floor), i64::MIN);
        drop(floor.lower(Some(3)));
        floor.look().found(10);
        assert_eq!(of(&floor), 10);
        let look = floor.look();
        drop(floor.lower(Some(7)));
        assert_eq!(of(&floor), 7);
        drop(floor.lower(Some(15)));
        look.found(12);
        assert_eq!(of(&floor), 7);
        // One that failed raises nothing.
        drop(floor.look());
        assert_eq!(of(&floor), 7);
        floor.look().found(12);
        assert_eq!(of(&floor), 12);
        assert_eq!(floor.expired_rows(0, 20), expiry_rows(0, 12..20));
        assert_eq!(floor.expired_rows(0, 5), expiry_rows(0, 5..5));
    }

    #[test]
    fn a_look_begins_when_announced_rows_are_written() {
        let floor = Floor::default();
        let is_written = AtomicBool::new(false);
        let writing = floor.lower(Some(5));
        thread::scope(|scope| {
            let look = scope.spawn(|| {
                let look = floor.look();
                assert!(is_written.load(Ordering::Acquire));
                look.found(5);
            });
            thread::sleep(Duration::from_millis(20));
            is_written.store(true, Ordering::Release);
            drop(writing);
            look.join().unwrap();
        });
        assert_eq!(floor.ms.load(Ordering::Acquire), 5);
    }
}

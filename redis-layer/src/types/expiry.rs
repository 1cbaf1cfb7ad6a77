//! Finds and removes the keys that are due, through the expire-time index.
//!
//! Every key with an expiry has a row in the expiry space, under database, time and name, which [`Txn::commit`]
//! maintains. So the keys that are due come first among the rows of their database, and the others are never looked
//! at.
//!
//! Where rows were removed, a store may have to step over what they leave until it has compacted. So whoever removes
//! many keys in small batches goes on behind the last batch ([`DueKeys`]): a look from the beginning for each of them
//! made the time grow with the square of the keys.

use std::collections::HashMap;

use crate::store::{Direction, Space, Store, next_key};
use crate::types::rows::{decode_expiry_key, expired_rows, metadata_key};
use crate::types::{DATABASES, DbNumber, Metadata, Result, Shared, Txn};

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
    /// For the number in the rows of a database, where the next batch begins.
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
        let mut txn = Txn::begin(store, shared, 0, now_ms)?;
        for db in 0..DATABASES {
            if shared.databases().count(db).expiring == 0 {
                continue;
            }
            txn.set_db(db);
            let mut rows = expired_rows(txn.db(), now_ms);
            if let Some(from) = self.from.get(&txn.db()) {
                rows.start.clone_from(from);
            }
            let mut keys = Vec::new();
            let mut cursor = txn.scan(Space::Expiry, &rows, Direction::Forward)?;
            while let (Some((row, _)), true) = (cursor.row(), keys.len() < most) {
                let (_, expires_ms, key) = decode_expiry_key(row)?;
                keys.push((expires_ms, key));
                rows.start = next_key(row);
                cursor.advance()?;
            }
            if !keys.is_empty() {
                self.from.insert(txn.db(), rows.start);
                all.push(Due { db, keys });
            }
        }
        Ok(all)
    }

    /// Begins with the first keys again. Keys may have come in front of the last batch: those that were written with
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

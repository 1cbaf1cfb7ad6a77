//! Finds and removes the keys that are due, through the expire-time index.
//!
//! Every key with an expiry has a row in the expiry space, under database, time and name, which [`Txn::commit`]
//! maintains. So the keys that are due come first among the rows of their database, and the others are never looked
//! at.

use crate::store::{Direction, Space, Store};
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

/// At most `most` keys of each database that have expired at `now_ms`.
///
/// Cost: a seek in each database that has keys with an expiry, and a step for each key that is returned.
///
/// # Errors
/// A damaged row; those of the store.
pub fn due(store: &dyn Store, shared: &Shared, now_ms: i64, most: usize) -> Result<Vec<Due>> {
    let mut all = Vec::new();
    let mut txn = Txn::begin(store, shared, 0, now_ms)?;
    for db in 0..DATABASES {
        if shared.databases().count(db).expiring == 0 {
            continue;
        }
        txn.set_db(db);
        let rows = expired_rows(txn.db(), now_ms);
        let mut keys = Vec::new();
        let mut cursor = txn.scan(Space::Expiry, &rows, Direction::Forward)?;
        while let (Some((row, _)), true) = (cursor.row(), keys.len() < most) {
            let (_, expires_ms, key) = decode_expiry_key(row)?;
            keys.push((expires_ms, key));
            cursor.advance()?;
        }
        if !keys.is_empty() {
            all.push(Due { db, keys });
        }
    }
    Ok(all)
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

//! Keys as such: whether they exist, when they expire, how many there are.
//!
//! Removing a key removes its metadata row. The rows of a collection stay behind as orphans that
//! nothing reads, because the next collection under the key has another version. A key whose
//! expiry has passed is treated as absent by every function here.

use crate::store::{Direction, KeyRange, Space, Store};
use crate::types::rows::{decode_metadata_key, metadata_key, metadata_rows};
use crate::types::{DbNumber, Metadata, Result, Txn};

impl Txn<'_> {
    /// The metadata of a key that exists.
    ///
    /// Cost: one point read.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn lookup(&self, key: &[u8]) -> Result<Option<Metadata>> {
        let row = metadata_key(self.db(), key);
        let Some(value) = self.get(Space::Metadata, &row)? else {
            return Ok(None);
        };
        let metadata = Metadata::decode(&row, &value)?;
        Ok(metadata.is_live(self.now_ms()).then_some(metadata))
    }

    /// Makes `metadata` the one of the key, whatever the key was before.
    pub fn set_metadata(&mut self, key: &[u8], metadata: &Metadata) {
        let row = metadata_key(self.db(), key);
        self.put(Space::Metadata, row, metadata.encode());
    }

    /// Removes a key. Answers whether it existed. An expired key is removed too, and is not
    /// counted.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn remove_key(&mut self, key: &[u8]) -> Result<bool> {
        let row = metadata_key(self.db(), key);
        let Some(value) = self.get(Space::Metadata, &row)? else {
            return Ok(false);
        };
        let metadata = Metadata::decode(&row, &value)?;
        let existed = metadata.is_live(self.now_ms());
        if let Some(collection) = metadata.content.collection() {
            self.rank_journal().dropped(collection.version);
        }
        self.delete(Space::Metadata, row);
        Ok(existed)
    }

    /// Changes when a key expires. Answers whether the key existed.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn set_expiry(&mut self, key: &[u8], expires_ms: Option<i64>) -> Result<bool> {
        let Some(mut metadata) = self.lookup(key)? else {
            return Ok(false);
        };
        metadata.expires_ms = expires_ms;
        self.set_metadata(key, &metadata);
        Ok(true)
    }
}

/// How many keys of a database exist, and how many of them expire one day.
///
/// Exact, and a walk over the metadata rows: O(keys). A counter would have to be written by every
/// command that creates or removes a key, and would be wrong between the moment when a key
/// expires and the moment when somebody notices. The expire-time index will change that.
///
/// # Errors
/// A damaged row; those of the store.
pub fn live_keys(txn: &Txn<'_>, db: DbNumber) -> Result<(u64, u64)> {
    let (mut keys, mut expiring) = (0, 0);
    let mut cursor = txn.scan(Space::Metadata, &metadata_rows(db), Direction::Forward)?;
    while let Some((key, value)) = cursor.row() {
        let metadata = Metadata::decode(key, &value.to_vec().into())?;
        if metadata.is_live(txn.now_ms()) {
            keys += 1;
            expiring += u64::from(metadata.expires_ms.is_some());
        }
        cursor.advance()?;
    }
    Ok((keys, expiring))
}

/// What [`flush`] empties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlushScope {
    /// The database of the transaction.
    OneDatabase,
    /// All of them.
    Everything,
}

/// Removes all keys of one database, or all there are. The caller holds all locks.
///
/// Cost: one delete for each key. The rows of collections become orphans.
///
/// # Errors
/// A damaged row; those of the store.
pub fn flush(txn: &mut Txn<'_>, scope: FlushScope) -> Result<()> {
    let range = match scope {
        FlushScope::OneDatabase => metadata_rows(txn.db()),
        FlushScope::Everything => KeyRange::all(),
    };
    txn.rank_journal().dropped_all();
    let mut keys = Vec::new();
    let mut cursor = txn.scan(Space::Metadata, &range, Direction::Forward)?;
    while let Some((key, _)) = cursor.row() {
        keys.push(key.to_vec());
        cursor.advance()?;
    }
    drop(cursor);
    for key in keys {
        txn.delete(Space::Metadata, key);
    }
    Ok(())
}

/// The keys of every database, live or not, with what is stored about them. For checks.
///
/// # Errors
/// A damaged row; those of the store.
pub(crate) fn all_keys(store: &dyn Store) -> Result<Vec<(DbNumber, Vec<u8>, Metadata)>> {
    let snapshot = store.snapshot()?;
    let mut cursor = snapshot.scan(Space::Metadata, &KeyRange::all(), Direction::Forward)?;
    let mut keys = Vec::new();
    while let Some((row, value)) = cursor.row() {
        let (db, key) = decode_metadata_key(row)?;
        keys.push((db, key, Metadata::decode(row, &value.to_vec().into())?));
        cursor.advance()?;
    }
    Ok(keys)
}

//! Keys regardless of their type: whether they exist, when they expire, how many there are.
//!
//! Removing a key removes its metadata row. The rows of a collection remain as orphans that
//! nothing reads, because the next collection under the key has another version. A key whose
//! expiry has passed is treated as absent by every function here.

use std::borrow::Cow;

use bytes::Bytes;

use crate::store::{Direction, KeyRange, Space, Store};
use crate::types::rows::{
    decode_metadata_key, encode_string, metadata_key, metadata_rows, stored_expiry,
};
use crate::types::{Class, DATABASES, DbNumber, Metadata, Result, Txn};

/// What was under a key that is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Removed {
    Nothing,
    Live,
    /// A key that had expired; whether it came from the snapshot, and not from the transaction itself.
    Expired {
        is_stored: bool,
    },
}

impl Txn<'_> {
    /// The metadata of a key that exists. Counts as a use of the key.
    ///
    /// Cost: one point read.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn lookup(&self, key: &[u8]) -> Result<Option<Metadata>> {
        self.look(key, true)
    }

    /// As [`Txn::lookup`], for commands that ask about a key without using it.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn peek(&self, key: &[u8]) -> Result<Option<Metadata>> {
        self.look(key, false)
    }

    fn look(&self, key: &[u8], is_use: bool) -> Result<Option<Metadata>> {
        if let Some(metadata) = self.seen_last(key, is_use) {
            self.note_lookup(key, true);
            return Ok(Some(metadata));
        }
        let row = self.metadata_row(key);
        let (value, is_stored) = self.get_metadata(&row)?;
        let metadata = value.as_ref().map(|value| Metadata::decode(&row, value));
        let metadata = metadata.transpose()?;
        let is_there = metadata.is_some();
        let metadata = metadata.filter(|metadata| metadata.is_live(self.now_ms()));
        if is_there && metadata.is_none() {
            self.note_expired(key, !is_stored);
        }
        let is_noted = is_use && metadata.is_some();
        if is_noted {
            self.shared().accesses().note(&row, self.now_ms());
        }
        if is_stored {
            self.remember(row, value.as_deref(), metadata.as_ref(), is_noted);
        }
        self.note_lookup(key, metadata.is_some());
        Ok(metadata)
    }

    /// Whether the key whose metadata row holds this value has not expired.
    #[must_use]
    pub fn is_live_row(&self, value: &[u8]) -> bool {
        stored_expiry(value).is_none_or(|expires_ms| self.now_ms() <= expires_ms)
    }

    /// Replaces the metadata of a key, or creates the key.
    pub fn set_metadata(&mut self, key: &[u8], metadata: &Metadata) {
        if !self.write_again(key, metadata) {
            self.set_row(key, metadata.encode(), Some(metadata));
        }
    }

    /// Stores a string, whatever the key held before.
    ///
    /// Cost: a copy of the string.
    pub fn set_string(&mut self, key: &[u8], text: &[u8], expires_ms: Option<i64>) {
        self.set_row(key, encode_string(text, expires_ms), None);
    }

    /// Writes the metadata row of a key. `metadata` is what the value says, unless that is a string.
    fn set_row(&mut self, key: &[u8], value: Bytes, metadata: Option<&Metadata>) {
        let row = metadata_key(self.db(), key);
        self.note_written(key, &row, &value);
        if self.shared().wants(Class::New) {
            // If the old row cannot be read, it still was there, so the key is not new.
            let old = self.get_metadata(&row).ok().map(|(old, _)| old);
            let is_new = old.is_some_and(|old| !old.is_some_and(|old| self.is_live_row(&old)));
            if is_new {
                self.note_created(&row, key);
            }
        }
        self.shared().accesses().note(&row, self.now_ms());
        self.write_metadata(key, row, value, metadata);
    }

    /// Removes a key. Returns whether it existed. An expired key is removed too, but not counted as existing.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn remove_key(&mut self, key: &[u8]) -> Result<bool> {
        let row = metadata_key(self.db(), key);
        let removed = self.remove_row(row)?;
        if let Removed::Expired { is_stored } = removed {
            self.note_expired(key, !is_stored);
        }
        Ok(removed == Removed::Live)
    }

    /// Removes a key without asking whether it has expired, as Redis's commands do that do not look up the key that
    /// they replace or empty. Returns whether there was one. If it had expired, that is no news any more: there is no
    /// event about it, and it is not counted.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn discard_key(&mut self, key: &[u8]) -> Result<bool> {
        let row = metadata_key(self.db(), key);
        Ok(match self.remove_row(row.clone())? {
            Removed::Nothing => false,
            Removed::Live => true,
            Removed::Expired { is_stored: true } if self.has_found_expired(key) => false,
            Removed::Expired { is_stored } => {
                if is_stored {
                    self.note_discarded(row);
                }
                true
            }
        })
    }

    /// Removes the metadata row of a key, by which the key is gone.
    fn remove_row(&mut self, row: Vec<u8>) -> Result<Removed> {
        let (value, is_stored) = self.get_metadata(&row)?;
        if is_stored {
            self.remember(Cow::Borrowed(&row), value.as_deref(), None, false);
        }
        let Some(value) = value else {
            return Ok(Removed::Nothing);
        };
        let metadata = Metadata::decode(&row, &value)?;
        let is_live = metadata.is_live(self.now_ms());
        if let Some(collection) = metadata.content.collection() {
            self.rank_journal().dropped(collection.version);
        }
        if is_live && self.shared().wants(Class::New) {
            self.note_removed(row.clone());
        }
        self.delete(Space::Metadata, row);
        Ok(match is_live {
            true => Removed::Live,
            false => Removed::Expired { is_stored },
        })
    }

    /// The metadata of a key, even if the key has expired. Is no use of the key, and is not counted as a lookup.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn peek_expired(&self, key: &[u8]) -> Result<Option<Metadata>> {
        let row = self.metadata_row(key);
        let (value, is_stored) = self.get_metadata(&row)?;
        let metadata = value.map(|value| Metadata::decode(&row, &value));
        let metadata = metadata.transpose()?;
        let is_gone = || is_stored && self.has_found_expired(key);
        Ok(metadata.filter(|found| found.is_live(self.now_ms()) || !is_gone()))
    }

    /// For how many seconds a key was not used, or a lower bound if the server knows no more: see
    /// [`Accesses`](crate::types::Accesses).
    #[must_use]
    pub fn idle_s(&self, key: &[u8]) -> u32 {
        let row = metadata_key(self.db(), key);
        self.shared().accesses().idle_s(&row, self.now_ms())
    }

    /// Says for how many seconds a key that was just written is to count as unused.
    pub fn set_idle(&self, key: &[u8], idle_s: i64) {
        self.note_again(key);
        let row = metadata_key(self.db(), key);
        self.shared()
            .accesses()
            .note_idle(&row, self.now_ms(), idle_s);
    }

    /// Changes when a key expires. Returns whether the key exists.
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

/// What [`flush`] empties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlushScope {
    /// The database of the transaction.
    OneDatabase,
    /// All of them.
    Everything,
}

/// A database of at most this many keys is emptied key by key. A larger one gets a new number for its rows, see
/// `databases`: that costs a few range deletions, however many keys there are.
const EMPTIED_ONE_BY_ONE: u64 = 1000;

/// Removes all keys of one database, or of all. The caller holds the lock of everything.
///
/// # Errors
/// A damaged row; those of the store.
pub fn flush(txn: &mut Txn<'_>, scope: FlushScope) -> Result<()> {
    let databases = match scope {
        FlushScope::OneDatabase => txn.selected_db()..txn.selected_db() + 1,
        FlushScope::Everything => 0..DATABASES,
    };
    let selected = txn.selected_db();
    for db in databases {
        txn.set_db(db);
        let rows = first_rows(txn, EMPTIED_ONE_BY_ONE + 1)?;
        if rows.len() as u64 > EMPTIED_ONE_BY_ONE {
            txn.renew_database(db);
        } else {
            for row in rows {
                let (_, key) = decode_metadata_key(&row)?;
                txn.discard_key(&key)?;
            }
        }
    }
    txn.set_db(selected);
    txn.rank_journal().dropped_all();
    Ok(())
}

/// Passes the keys of the chosen database that have not expired to `visit`.
///
/// # Errors
/// A damaged row; those of the store.
pub fn each_key(txn: &Txn<'_>, mut visit: impl FnMut(Vec<u8>)) -> Result<()> {
    let mut cursor = txn.scan(
        Space::Metadata,
        &metadata_rows(txn.db()),
        Direction::Forward,
    )?;
    while let Some((row, value)) = cursor.row() {
        if txn.is_live_row(value) {
            visit(decode_metadata_key(row)?.1);
        }
        cursor.advance()?;
    }
    Ok(())
}

/// The keys of the first `most` metadata rows of the chosen database.
fn first_rows(txn: &Txn<'_>, most: u64) -> Result<Vec<Vec<u8>>> {
    let mut rows = Vec::new();
    let mut cursor = txn.scan(
        Space::Metadata,
        &metadata_rows(txn.db()),
        Direction::Forward,
    )?;
    while let Some((row, _)) = cursor.row() {
        rows.push(row.to_vec());
        if rows.len() as u64 == most {
            break;
        }
        cursor.advance()?;
    }
    Ok(rows)
}

/// The keys of every database, expired or not, with their metadata. For checks.
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

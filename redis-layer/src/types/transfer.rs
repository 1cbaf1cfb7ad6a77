//! Moving or copying what a key holds to another name: `COPY`, `RENAME`, `MOVE`.
//!
//! The rows of a collection begin with the key under which it came into being, its *home*. `RENAME` leaves them there,
//! and so costs O(1), however many they are: the new metadata row names the home. Then a row no longer says by itself
//! which key owns it. So a *forward* does, one row for each renamed collection, from its home and version to its key.
//! Whoever finds a row whose home does not hold its version looks there before the row counts as an orphan.
//!
//! Invariants
//! 1. The metadata row of a collection names a home exactly if a forward leads from there to its key. Both change in
//!    one batch.
//! 2. A forward to a key that does not hold the collection is an orphan. It remains when the key is removed, like the
//!    rows of the elements, and nothing ever makes it true again.
//!
//! Left out: a forward to another database, for `MOVE`. When a large database is emptied, its rows are removed without
//! a look at them, so none of them may belong to another one.

use std::rc::Rc;

use bytes::Bytes;

use crate::store::{Direction, Space};
use crate::types::rows::{RowPrefix, forward_key, metadata_key};
use crate::types::{Content, DbNumber, Metadata, Result, Txn};

/// A key in a database, as clients name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DbKey<'k> {
    /// The database.
    pub db: DbNumber,
    /// The key.
    pub key: &'k [u8],
}

impl Txn<'_> {
    /// Replaces whatever `to` holds by a copy of what `from` holds, with its expiry. Returns whether there was
    /// something to copy. Leaves the database of `to` chosen.
    ///
    /// Cost: O(elements).
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn copy_key(&mut self, from: DbKey<'_>, to: DbKey<'_>) -> Result<bool> {
        self.set_db(from.db);
        let Some(metadata) = self.lookup(from.key)? else {
            return Ok(false);
        };
        self.put_copy(metadata, from, to)?;
        Ok(true)
    }

    /// Puts a copy of what `from` holds under `to`. It reads the rows of the elements, and they are there even if the
    /// metadata row is not any more.
    fn put_copy(&mut self, mut metadata: Metadata, from: DbKey<'_>, to: DbKey<'_>) -> Result<()> {
        self.set_db(from.db);
        let old_rows = self.db();
        self.set_db(to.db);
        self.remove_key(to.key)?;
        self.forget_removed();
        if let Some(collection) = metadata.content.collection() {
            let version = self.new_version()?;
            let home = metadata.home_of(from.key);
            let old = RowPrefix::new(old_rows, home, collection.version);
            let new = RowPrefix::new(self.db(), to.key, version);
            for space in [Space::Data, Space::Score] {
                self.copy_rows(space, (&old, &new), usize::MAX)?;
            }
            metadata.content.set_version(version);
            metadata.home = None;
        }
        self.set_metadata(to.key, &metadata);
        Ok(())
    }

    /// Writes copies of the rows that begin with one prefix under another, unless they have more bytes than `most`.
    /// Returns whether it did.
    pub(crate) fn copy_rows(
        &mut self,
        space: Space,
        (old, new): (&RowPrefix, &RowPrefix),
        most: usize,
    ) -> Result<bool> {
        let mut copies = Vec::new();
        let mut bytes = 0;
        let mut cursor = self.scan(space, &old.rows(), Direction::Forward)?;
        while let Some((row, value)) = cursor.row() {
            let row = new.data_key(old.mark_of(row));
            bytes += row.len() + value.len();
            if bytes > most {
                return Ok(false);
            }
            copies.push((row, Bytes::copy_from_slice(value)));
            cursor.advance()?;
        }
        drop(cursor);
        self.make_room(space, copies.len());
        for (row, value) in copies {
            self.put(space, row, value);
        }
        Ok(true)
    }

    /// Gives what a key of the chosen database holds, which `metadata` says, to another key of it.
    ///
    /// Cost: O(1).
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn rename_key(&mut self, from: &[u8], mut metadata: Metadata, to: &[u8]) -> Result<()> {
        // First, because clients that keep copies of keys are told of the changes in their order. The collection lives
        // on, so what is known of its ranks remains true.
        self.delete(Space::Metadata, metadata_key(self.db(), from));
        self.remove_key(to)?;
        self.forget_removed();
        if let Some(collection) = metadata.content.collection() {
            let home = metadata.home_of(from);
            let forward = forward_key(&self.row_prefix(home, collection.version));
            if home == to {
                metadata.home = None;
                self.delete(Space::System, forward);
            } else {
                metadata.home = Some(Rc::from(home));
                self.put(Space::System, forward, Bytes::copy_from_slice(to));
            }
        }
        self.set_metadata(to, &metadata);
        Ok(())
    }

    /// Moves what a key holds to a key of another database. Returns whether there was something to move.
    ///
    /// Cost: O(elements).
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn move_key(&mut self, from: DbKey<'_>, to: DbKey<'_>) -> Result<bool> {
        self.set_db(from.db);
        let Some(metadata) = self.lookup(from.key)? else {
            return Ok(false);
        };
        // First, because clients that keep copies of keys are told of the changes in their order.
        self.remove_key(from.key)?;
        self.put_copy(metadata, from, to)?;
        Ok(true)
    }
}

/// Makes the metadata of a copy: the same elements under another version.
impl Content {
    fn set_version(&mut self, version: u64) {
        match self {
            Self::String(_) => {}
            Self::Pieces(collection)
            | Self::Hash(collection)
            | Self::List(collection, _)
            | Self::Set(collection)
            | Self::SortedSet(collection, _) => collection.version = version,
        }
    }
}

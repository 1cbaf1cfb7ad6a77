//! Moving or copying what a key holds to another name: `COPY`, `RENAME`, `MOVE`.
//!
//! The rows of a collection begin with its key, so another name means other rows: O(elements), where Redis renames in
//! O(1). Rows could begin with an identifier instead, kept in the metadata row. But then a row would no longer say
//! whose it is, and finding orphans would need a second index. Renaming is rare enough.

use bytes::Bytes;

use crate::store::{Direction, Space};
use crate::types::rows::RowPrefix;
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
            let old = RowPrefix::new(old_rows, from.key, collection.version);
            let new = RowPrefix::new(self.db(), to.key, version);
            for space in [Space::Data, Space::Score] {
                self.copy_rows(space, &old, &new)?;
            }
            metadata.content.set_version(version);
        }
        self.set_metadata(to.key, &metadata);
        Ok(())
    }

    fn copy_rows(&mut self, space: Space, old: &RowPrefix, new: &RowPrefix) -> Result<()> {
        let mut copies = Vec::new();
        let mut cursor = self.scan(space, &old.rows(), Direction::Forward)?;
        while let Some((row, value)) = cursor.row() {
            let row = new.data_key(old.mark_of(row));
            copies.push((row, Bytes::copy_from_slice(value)));
            cursor.advance()?;
        }
        drop(cursor);
        self.make_room(space, copies.len());
        for (row, value) in copies {
            self.put(space, row, value);
        }
        Ok(())
    }

    /// Moves what a key holds to another key. Returns whether there was something to move.
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

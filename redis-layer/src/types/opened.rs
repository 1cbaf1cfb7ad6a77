//! What every open collection knows, whatever its type: how many elements it has, and where their rows are.
//!
//! A hash, a set, a list, a sorted set and a string in pieces differ in their rows. They agree in how they are opened
//! and in what goes back into the metadata row, which is here.

use std::mem;
use std::rc::Rc;

use crate::types::rows::{Collection, RowPrefix};
use crate::types::{Content, Metadata, Result, Txn};

/// A collection that a command has opened. Its size changes with the elements, and is stored by whoever writes
/// [`Opened::metadata`].
#[derive(Debug, Clone)]
pub(crate) struct Opened {
    /// When the key expires, in milliseconds since 1970.
    expires_ms: Option<i64>,
    /// The key that the rows begin with, if it is another one now: see [`Metadata::home`].
    home: Option<Rc<[u8]>>,
    /// A part of the key of each row. It alone identifies the collection.
    pub(crate) version: u64,
    /// The number of elements now, or of bytes of a string.
    pub(crate) size: u64,
    /// What the keys of the rows begin with.
    pub(crate) prefix: RowPrefix,
}

impl Opened {
    /// The collection under a key, taken from the parts of the key's metadata.
    #[inline]
    pub(crate) fn of(
        txn: &Txn<'_>,
        key: &[u8],
        Collection { version, size }: Collection,
        expires_ms: Option<i64>,
        home: Option<Rc<[u8]>>,
    ) -> Self {
        let prefix = txn.row_prefix(home.as_deref().unwrap_or(key), version);
        Self {
            expires_ms,
            home,
            version,
            size,
            prefix,
        }
    }

    /// A collection without elements, which may come into being under a key.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn empty(txn: &Txn<'_>, key: &[u8]) -> Result<Self> {
        let version = txn.new_version()?;
        let collection = Collection { version, size: 0 };
        Ok(Self::of(txn, key, collection, None, None))
    }

    /// Gives the collection a new version, under which the caller writes its rows anew. Returns what the old ones begin
    /// with: they are orphans then, and so is the forward to the key if it was renamed.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn renew(&mut self, txn: &Txn<'_>, key: &[u8]) -> Result<RowPrefix> {
        self.version = txn.new_version()?;
        self.home = None;
        let prefix = txn.row_prefix(key, self.version);
        Ok(mem::replace(&mut self.prefix, prefix))
    }

    /// When the key expires, in milliseconds since 1970.
    pub(crate) const fn expires_ms(&self) -> Option<i64> {
        self.expires_ms
    }

    /// Whether there are no elements.
    #[inline]
    pub(crate) const fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// The metadata of the key as it is now. `content` adds what only its type has.
    pub(crate) fn metadata(self, content: impl FnOnce(Collection) -> Content) -> Metadata {
        let Self { version, size, .. } = self;
        Metadata {
            expires_ms: self.expires_ms,
            home: self.home,
            content: content(Collection { version, size }),
        }
    }
}

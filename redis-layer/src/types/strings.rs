//! Byte strings: the value stands in the metadata row of its key.
//!
//! So `SET` writes one row and `GET` reads one. The price: whatever changes a part of a string, or its
//! expiry, writes the whole of it. `APPEND` to a string of a megabyte writes a megabyte.

use bytes::Bytes;

use crate::types::{Content, Error, Metadata, Result, Txn};

/// A string under a key, and when the key expires.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stored {
    /// The string.
    pub text: Bytes,
    /// When the key expires, in milliseconds since 1970.
    pub expires_ms: Option<i64>,
}

impl Txn<'_> {
    /// The string under a key, if the key exists.
    ///
    /// # Errors
    /// [`Error::WrongType`]; a damaged row; those of the store.
    pub fn get_string(&self, key: &[u8]) -> Result<Option<Bytes>> {
        Ok(self.stored_string(key)?.map(|stored| stored.text))
    }

    /// The string under a key with its expiry, if the key exists.
    ///
    /// # Errors
    /// [`Error::WrongType`]; a damaged row; those of the store.
    pub fn stored_string(&self, key: &[u8]) -> Result<Option<Stored>> {
        match self.lookup(key)? {
            None => Ok(None),
            Some(Metadata {
                content: Content::String(text),
                expires_ms,
            }) => Ok(Some(Stored { text, expires_ms })),
            Some(_) => Err(Error::WrongType),
        }
    }

    /// Stores a string, whatever the key held before.
    pub fn set_string(&mut self, key: &[u8], text: Bytes, expires_ms: Option<i64>) {
        let content = Content::String(text);
        let metadata = Metadata {
            expires_ms,
            content,
        };
        self.set_metadata(key, &metadata);
    }
}

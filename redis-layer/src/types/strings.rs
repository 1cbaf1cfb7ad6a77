//! Byte strings: the value stands in the metadata row of its key.
//!
//! So `SET` writes one row and `GET` reads one. The price: a new expiry rewrites the string.

use bytes::Bytes;

use crate::types::{Content, Error, Metadata, Result, Txn};

impl Txn<'_> {
    /// The string under a key, if the key exists.
    ///
    /// # Errors
    /// [`Error::WrongType`]; a damaged row; those of the store.
    pub fn get_string(&self, key: &[u8]) -> Result<Option<Bytes>> {
        match self.lookup(key)? {
            None => Ok(None),
            Some(Metadata {
                content: Content::String(text),
                ..
            }) => Ok(Some(text)),
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

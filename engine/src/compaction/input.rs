//! What a rewrite reads: a merge of tables, or a memtable.

use crate::cursor::InternalCursor;
use crate::error::{Error, Result};
use crate::iter::MergeCursor;
use crate::memtable::MemtableEntries;

/// The entries that a rewrite reads, from the first to the last.
pub(super) trait Input {
    /// The internal key and the value of the current entry; `None` after the last.
    fn here(&self) -> Option<(&[u8], &[u8])>;

    /// Moves to the next entry.
    fn advance(&mut self) -> Result<()>;

    /// An error that says `what` is wrong with the current entry.
    fn corruption(&self, what: String) -> Error;
}

impl Input for MergeCursor {
    #[inline]
    fn here(&self) -> Option<(&[u8], &[u8])> {
        self.valid().then(|| (self.key(), self.value()))
    }

    #[inline]
    fn advance(&mut self) -> Result<()> {
        self.next()
    }

    fn corruption(&self, what: String) -> Error {
        InternalCursor::corruption(self, what)
    }
}

impl Input for MemtableEntries<'_> {
    #[inline]
    fn here(&self) -> Option<(&[u8], &[u8])> {
        Self::here(self)
    }

    #[inline]
    fn advance(&mut self) -> Result<()> {
        Self::advance(self);
        Ok(())
    }

    fn corruption(&self, what: String) -> Error {
        Error::Memory { what }
    }
}

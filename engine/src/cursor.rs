//! The cursor that the engine's layers hand to each other: entries in order, both ways.
//!
//! Keys are *internal* keys: a user key and a trailer with sequence number and kind
//! (see [`internal_key`]). A memtable, a table, a level and a merge of them
//! all look like this; only the public cursor on top hides versions and tombstones.

use crate::error::{Error, Result};
use crate::internal_key::{self, TRAILER_BYTES, ValueKind};

/// Which way a cursor goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To greater keys.
    Forward,
    /// To lesser keys.
    Backward,
}

/// Which entries a source may show one after the other without asking anybody else, see `MergeCursor::run`.
///
/// An entry is such a row if it is a put that the reader sees and no version of the key before it. A source may go past
/// what it holds of keys that have no row, or end the run there.
#[derive(Debug, Clone, Copy)]
pub struct RowRun<'e> {
    /// Rows stand before this user key; `None` if all do.
    pub end: Option<&'e [u8]>,
    /// The reader's sequence number.
    pub sequence: u64,
}

/// What a reader sees in the first entry of a key that it may see something of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// A row.
    Row,
    /// That there is no row.
    Tombstone,
    /// Nothing: the entry is too new.
    Nothing,
    /// The entry is of an unknown kind.
    Unknown,
}

impl RowRun<'_> {
    /// What the reader sees in an entry with this trailer.
    #[inline]
    #[must_use]
    pub fn look(&self, trailer: [u8; TRAILER_BYTES]) -> Seen {
        match internal_key::parse_trailer(trailer) {
            Ok((sequence, _)) if sequence > self.sequence => Seen::Nothing,
            Ok((_, ValueKind::Put)) => Seen::Row,
            Ok((_, ValueKind::Delete)) => Seen::Tombstone,
            Ok((_, ValueKind::RangeDelete)) | Err(_) => Seen::Unknown,
        }
    }

    /// Whether the reader sees an entry with this trailer, and sees a put.
    #[inline]
    #[must_use]
    pub fn shows(&self, trailer: [u8; TRAILER_BYTES]) -> bool {
        self.look(trailer) == Seen::Row
    }
}

/// After this many hidden versions of one key in a row, or entries under range tombstones, a seek past the rest is
/// cheaper than steps.
pub(crate) const STEPS_BEFORE_SEEK: usize = 16;

/// Room for a key that is not long. A buffer that begins with it does not grow piece by piece: that was a tenth of a
/// short scan's instructions.
pub(crate) const KEY_BYTES_USUAL: usize = 64;

/// A position among sorted internal keys.
///
/// Invariants
/// 1. A cursor stands on an entry (`valid`) or nowhere. A new one stands nowhere.
/// 2. After an error the cursor stands nowhere; a later seek may be tried.
/// 3. What it shows does not change while it lives: it holds on to its file or memtable.
///
/// `key`, `value`, `next` and `prev` require `valid()`; calling them without it is a bug in the
/// caller and panics. Moving off either end leaves the cursor nowhere, from where only a seek leads back.
pub trait InternalCursor: Send {
    /// Whether the cursor stands on an entry.
    fn valid(&self) -> bool;

    /// The internal key under the cursor, until it moves.
    fn key(&self) -> &[u8];

    /// The value under the cursor, until it moves.
    fn value(&self) -> &[u8];

    /// That `what` is wrong with the entry under the cursor: an error that leads to its file and block.
    fn corruption(&self, what: String) -> Error {
        Error::corruption("memory", 0, what)
    }

    /// Positions on the first entry, or nowhere if there is none.
    ///
    /// # Errors
    /// `Corruption` or `Io` when the file under the cursor cannot be read.
    fn seek_to_first(&mut self) -> Result<()>;

    /// Positions on the last entry, or nowhere if there is none.
    ///
    /// # Errors
    /// As for [`seek_to_first`](Self::seek_to_first).
    fn seek_to_last(&mut self) -> Result<()>;

    /// Positions on the first entry whose internal key is >= `target`, an internal key too.
    ///
    /// # Errors
    /// As for [`seek_to_first`](Self::seek_to_first).
    fn seek(&mut self, target: &[u8]) -> Result<()>;

    /// Positions on the last entry whose internal key is <= `target`, an internal key too.
    ///
    /// # Errors
    /// As for [`seek_to_first`](Self::seek_to_first).
    fn seek_for_prev(&mut self, target: &[u8]) -> Result<()>;

    /// Moves to the following entry.
    ///
    /// # Errors
    /// As for [`seek_to_first`](Self::seek_to_first).
    fn next(&mut self) -> Result<()>;

    /// Moves to the preceding entry.
    ///
    /// # Errors
    /// As for [`seek_to_first`](Self::seek_to_first).
    fn prev(&mut self) -> Result<()>;
}

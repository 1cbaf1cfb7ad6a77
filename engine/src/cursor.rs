//! The interface that all sorted sources of entries share: a cursor that moves both ways.
//!
//! Keys are *internal* keys: a user key and a trailer with sequence number and kind
//! (see [`internal_key`]). A memtable, a table, a level and a merge of them
//! all implement it; only the public cursor on top hides versions and tombstones.

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

/// Which entries a source may return one after another without consulting the other sources, see
/// `MergeCursor::run`.
///
/// An entry is such a row if it is a put that the reader sees and the first entry of its key that
/// the reader sees. A source may skip keys that have no row, or end the run there.
#[derive(Debug, Clone, Copy)]
pub struct RowRun<'e> {
    /// The run ends before this user key; `None` if it has no end.
    pub end: Option<&'e [u8]>,
    /// The reader's sequence number.
    pub sequence: u64,
}

/// What an entry tells a reader about its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// A row.
    Row,
    /// That the key has no row.
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

/// Whether the internal key `key` is of a row that a reader of `sequence` sees, and the one `before` it, if there is one, of another
/// user key.
#[inline(always)]
#[must_use]
pub fn is_newest_row(key: &[u8], before: Option<&[u8]>, sequence: u64) -> bool {
    let Some((user_key, trailer)) = key.split_last_chunk() else {
        return false;
    };
    let is_other = |before| !internal_key::is_same(user_key, internal_key::user_key(before));
    let rows = RowRun {
        end: None,
        sequence,
    };
    rows.shows(*trailer) && before.is_none_or(is_other)
}

/// After this many steps in a row over hidden versions of one key, or over entries under range
/// tombstones, one seek past the rest is cheaper than more steps.
pub(crate) const STEPS_BEFORE_SEEK: usize = 16;

/// The capacity that a key buffer starts with: enough for most keys. Growing the buffer step by
/// step was a tenth of a short scan's instructions.
pub(crate) const KEY_BYTES_USUAL: usize = 64;

/// A position among sorted internal keys.
///
/// Invariants
/// 1. A cursor is at an entry (`valid`) or nowhere. A new one is nowhere.
/// 2. After an error the cursor is nowhere; a later seek may be tried.
/// 3. What it shows does not change while it lives: it keeps its file or memtable alive.
///
/// `key`, `value`, `next` and `prev` require `valid()`; calling them without it is a bug in the
/// caller and panics. Moving off either end leaves the cursor nowhere, from where only a seek leads back.
pub trait InternalCursor: Send {
    /// Whether the cursor is at an entry.
    fn valid(&self) -> bool;

    /// The internal key under the cursor, until it moves.
    fn key(&self) -> &[u8];

    /// The value under the cursor, until it moves.
    fn value(&self) -> &[u8];

    /// An error that says `what` is wrong with the current entry, and names its file and block if it is in one.
    fn corruption(&self, what: String) -> Error {
        Error::Memory { what }
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

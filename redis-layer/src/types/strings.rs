//! Byte strings, kept in one row or in pieces.
//!
//! A string is kept in the metadata row of its key, so `SET` writes one row and `GET` reads one. Changing a part of
//! such a string rewrites all of it, which is cheap as long as it is short. A string longer than [`WHOLE_BYTES`] is
//! cut into pieces when a part of it is changed for the first time; one that a command makes part by part may be in pieces at
//! once. Each piece is a row of the data space:
//!
//! ```text
//! metadata row   ... | version u64 | length u64
//! data rows      ... | version | number of the piece: u32    up to PIECE_BYTES bytes
//! ```
//!
//! After that, changing one bit of a bitmap of ten megabytes costs one piece, and so does an `APPEND`. Reading the
//! whole string puts the pieces together.
//!
//! Invariants, which [`check`](crate::types::check()) walks
//! 1. Piece n holds the bytes from n * [`PIECE_BYTES`] on. Where a piece is shorter than its place, or missing, the
//!    bytes are zeros. No piece holds bytes past the end of the string.
//! 2. A string in pieces has at most [`LONGEST_IN_PIECES`] bytes: a reader allocates the length that the row says.
//!
//! Left out: turning pieces back into one row. A string stays in pieces until it is overwritten as a whole.

use std::ops::Range;

use bytes::Bytes;
use engine::keys::{decode_u32, encode_u32};

use crate::store::{Direction, Space};
use crate::types::opened::Opened;
use crate::types::rows::{Collection, RowPrefix};
use crate::types::{Content, Error, Metadata, Result, Txn};

/// The longest string, in bytes: the default of Redis's `proto-max-bulk-len`.
pub const LONGEST: usize = 512 << 20;
/// The longest string in pieces. `BITFIELD` makes one a little longer than others: a number of 64 bits may begin at the
/// last bit of the longest.
pub const LONGEST_IN_PIECES: usize = LONGEST + 8;
/// A string up to this length is written whole when a part of it changes.
pub const WHOLE_BYTES: usize = 16 << 10;
/// The length of a piece.
pub const PIECE_BYTES: usize = 1 << 10;
/// A command puts together at most this many bytes of strings. The rows may be far fewer bytes, so their size sets no
/// limit.
const PUT_TOGETHER_MAX: usize = 1 << 30;
/// Up to this many pieces are looked up one by one; more are scanned.
const LOOKED_UP: usize = 2;

/// A string under a key, and when the key expires.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stored {
    /// The string.
    pub text: Bytes,
    /// When the key expires, in milliseconds since 1970.
    pub expires_ms: Option<i64>,
}

/// The string under a key, of which parts are read and written. Changes take effect only after [`Text::finish`].
///
/// The default is an empty string that replaces whatever the key holds.
#[derive(Debug, Default)]
pub struct Text {
    form: Form,
    is_there: bool,
}

#[derive(Debug)]
enum Form {
    Whole(Stored),
    /// Its size is its length, which is at most [`LONGEST_IN_PIECES`].
    Pieces(Opened),
}

impl Default for Form {
    fn default() -> Self {
        Self::Whole(Stored::default())
    }
}

impl Txn<'_> {
    /// The string under a key, if the key exists.
    ///
    /// # Errors
    /// [`Error::WrongType`]; [`Error::TooMuch`]; a damaged row; those of the store.
    pub fn get_string(&self, key: &[u8]) -> Result<Option<Bytes>> {
        Ok(self.stored_string(key)?.map(|stored| stored.text))
    }

    /// The string under a key with its expiry, if the key exists.
    ///
    /// # Errors
    /// As [`get_string`](Self::get_string).
    pub fn stored_string(&self, key: &[u8]) -> Result<Option<Stored>> {
        let metadata = match self.lookup(key)? {
            None => return Ok(None),
            // The usual case.
            Some(Metadata {
                content: Content::String(text),
                expires_ms,
                ..
            }) => return Ok(Some(Stored { text, expires_ms })),
            Some(metadata) => metadata,
        };
        let text = Text::stored(self, key, metadata).ok_or(Error::WrongType)?;
        Ok(Some(Stored {
            text: text.whole(self)?,
            expires_ms: text.expires_ms(),
        }))
    }

    /// The string under a key, for reading or changing parts of it; an empty one if the key does not exist.
    ///
    /// Cost: one point read.
    ///
    /// # Errors
    /// [`Error::WrongType`]; a damaged row; those of the store.
    pub fn open_text(&self, key: &[u8]) -> Result<Text> {
        match self.lookup(key)? {
            None => Ok(Text::default()),
            Some(metadata) => Text::stored(self, key, metadata).ok_or(Error::WrongType),
        }
    }
}

impl Text {
    /// The string under a key that has this metadata; `None` if it is of another type.
    #[must_use]
    pub fn stored(txn: &Txn<'_>, key: &[u8], metadata: Metadata) -> Option<Self> {
        let Metadata {
            expires_ms,
            home,
            content,
        } = metadata;
        let form = match content {
            Content::String(text) => Form::Whole(Stored { text, expires_ms }),
            Content::Pieces(pieces) => Form::Pieces(Opened::of(txn, key, pieces, expires_ms, home)),
            _ => return None,
        };
        Some(Self {
            form,
            is_there: true,
        })
    }

    const fn expires_ms(&self) -> Option<i64> {
        match &self.form {
            Form::Whole(stored) => stored.expires_ms,
            Form::Pieces(opened) => opened.expires_ms(),
        }
    }

    /// Its length in bytes. O(1).
    #[must_use]
    pub const fn len(&self) -> usize {
        match &self.form {
            Form::Whole(stored) => stored.text.len(),
            // It was bounded when the row was decoded.
            Form::Pieces(opened) => opened.size as usize,
        }
    }

    /// Whether it is empty.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the key exists.
    #[must_use]
    pub const fn is_there(&self) -> bool {
        self.is_there
    }

    /// The whole string.
    ///
    /// Cost: nothing if it is kept in one row; otherwise O(length).
    ///
    /// # Errors
    /// [`Error::TooMuch`]; those of the store.
    pub fn whole(&self, txn: &Txn<'_>) -> Result<Bytes> {
        if let Form::Whole(stored) = &self.form {
            return Ok(stored.text.clone());
        }
        txn.will_put_together(self.len())?;
        self.read(txn, 0..self.len())
    }

    /// The bytes of a range, as far as it lies within the string.
    ///
    /// Cost: nothing if it is kept in one row; otherwise O(the length of the range).
    ///
    /// # Errors
    /// Those of the store.
    pub fn read(&self, txn: &Txn<'_>, range: Range<usize>) -> Result<Bytes> {
        let range = range.start.min(self.len())..range.end.min(self.len());
        if range.is_empty() {
            return Ok(Bytes::new());
        }
        let Form::Pieces(Opened { prefix, .. }) = &self.form else {
            return Ok(self.whole(txn)?.slice(range));
        };
        let mut part = vec![0; range.len()];
        let numbers = range.start / PIECE_BYTES..(range.end - 1) / PIECE_BYTES + 1;
        if numbers.len() <= LOOKED_UP {
            for number in numbers {
                if let Some(piece) = txn.get(Space::Data, &piece_row(prefix, number))? {
                    copy_piece(&piece, number, &range, &mut part);
                }
            }
            return Ok(part.into());
        }
        let mut rows = prefix.rows();
        rows.start = piece_row(prefix, numbers.start);
        let mut cursor = txn.scan(Space::Data, &rows, Direction::Forward)?;
        while let Some((row, piece)) = cursor.row() {
            let number = piece_number(prefix, row)?;
            if number >= numbers.end {
                break;
            }
            copy_piece(piece, number, &range, &mut part);
            cursor.advance()?;
        }
        drop(cursor);
        Ok(part.into())
    }

    /// Writes bytes at an offset. Zeros fill the gap if the offset lies past the end.
    ///
    /// Cost: O(length) for a string in one row, O(the length of `part`) for one in pieces.
    ///
    /// # Errors
    /// Those of the store.
    pub fn write(&mut self, txn: &mut Txn<'_>, key: &[u8], at: usize, part: &[u8]) -> Result<()> {
        let end = at + part.len();
        self.grow(txn, key, end)?;
        match &mut self.form {
            Form::Whole(Stored { text, .. }) => {
                let mut bytes = Vec::from(std::mem::take(text));
                bytes[at..end].copy_from_slice(part);
                *text = bytes.into();
                Ok(())
            }
            Form::Pieces(opened) => {
                write_pieces(txn, &opened.prefix, at, Bytes::copy_from_slice(part))
            }
        }
    }

    /// Appends zeros until it has `to` bytes, if it has fewer. A long string is cut into pieces, because it is about
    /// to change.
    ///
    /// # Errors
    /// Those of the store.
    pub fn grow(&mut self, txn: &mut Txn<'_>, key: &[u8], to: usize) -> Result<()> {
        let to = to.max(self.len());
        match &mut self.form {
            Form::Pieces(opened) => opened.size = to as u64,
            Form::Whole(stored) if (WHOLE_BYTES + 1..=LONGEST_IN_PIECES).contains(&to) => {
                let pieces = Collection {
                    version: txn.new_version()?,
                    size: to as u64,
                };
                let opened = Opened::of(txn, key, pieces, stored.expires_ms, None);
                write_pieces(txn, &opened.prefix, 0, stored.text.clone())?;
                self.form = Form::Pieces(opened);
            }
            Form::Whole(Stored { text, .. }) if to > text.len() => {
                let mut bytes = Vec::from(std::mem::take(text));
                bytes.resize(to, 0);
                *text = bytes.into();
            }
            Form::Whole(_) => {}
        }
        Ok(())
    }

    /// Ends the changes.
    pub fn finish(self, txn: &mut Txn<'_>, key: &[u8]) {
        let metadata = match self.form {
            Form::Whole(Stored { text, expires_ms }) => Metadata {
                expires_ms,
                ..Metadata::new(Content::String(text))
            },
            Form::Pieces(opened) => opened.metadata(Content::Pieces),
        };
        txn.set_metadata(key, &metadata);
    }
}

impl Txn<'_> {
    /// Adds to what the command puts together, and refuses too much. The rows may be far fewer bytes.
    fn will_put_together(&self, bytes: usize) -> Result<()> {
        let all = self.put_together.get().saturating_add(bytes);
        if all > PUT_TOGETHER_MAX {
            return Err(Error::TooMuch);
        }
        self.put_together.set(all);
        Ok(())
    }
}

/// The key of the row of a piece.
fn piece_row(prefix: &RowPrefix, number: usize) -> Vec<u8> {
    // No string is long enough to exceed this.
    let number = u32::try_from(number).unwrap_or(u32::MAX);
    prefix.data_key(&encode_u32(number))
}

/// The number of the piece in the key of its row.
///
/// # Errors
/// [`Error::Damaged`] if the row belongs to another collection or holds no number.
pub(crate) fn piece_number(prefix: &RowPrefix, row: &[u8]) -> Result<usize> {
    let number = prefix.data_member(row)?.try_into().ok();
    let number = number.and_then(|number| usize::try_from(decode_u32(number)).ok());
    number.ok_or_else(|| Error::damaged(Space::Data, row, "it holds no number of a piece"))
}

/// Copies the part of a piece that lies in `range` to its place in `part`, which holds the range.
fn copy_piece(piece: &[u8], number: usize, range: &Range<usize>, part: &mut [u8]) {
    let at = number * PIECE_BYTES;
    let start = at.max(range.start);
    let end = (at + piece.len()).min(range.end);
    if start < end {
        part[start - range.start..end - range.start].copy_from_slice(&piece[start - at..end - at]);
    }
}

/// Writes bytes at an offset within the pieces. Whole pieces are parts of `part`, and not copied.
fn write_pieces(txn: &mut Txn<'_>, prefix: &RowPrefix, at: usize, part: Bytes) -> Result<()> {
    let mut at = at;
    let mut part = part;
    txn.make_room(Space::Data, part.len() / PIECE_BYTES);
    while !part.is_empty() {
        let (number, within) = (at / PIECE_BYTES, at % PIECE_BYTES);
        let now = part.split_to(part.len().min(PIECE_BYTES - within));
        at += now.len();
        let row = piece_row(prefix, number);
        let piece = if now.len() == PIECE_BYTES {
            now
        } else {
            let old = txn.get(Space::Data, &row)?;
            let mut piece = old.map_or_else(Vec::new, |old| old.to_vec());
            let end = within + now.len();
            piece.resize(piece.len().max(end), 0);
            piece[within..end].copy_from_slice(&now);
            piece.into()
        };
        txn.put(Space::Data, row, piece);
    }
    Ok(())
}

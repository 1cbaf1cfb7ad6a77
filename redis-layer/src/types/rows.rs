//! The bytes of every row. This module, with its parts, is the only one that knows them.
//!
//! ```text
//! metadata  db: u32 | user key                                      -> tag | expiry? | body
//! data      db: u32 | user key, escaped | version: u64 | position   -> elements of a list
//! data      db: u32 | user key, escaped | version: u64 | name hash: u48 | field  -> value, of a hash
//! data      db: u32 | user key, escaped | version: u64 | name hash: u48 | member -> (empty), of a set
//! data      db: u32 | user key, escaped | version: u64 | member     -> score: f64, of a sorted set
//! score     db: u32 | user key, escaped | version: u64 | score: f64 | member  -> (empty)
//! expiry    db: u32 | expires_ms: i64 | user key                    -> (empty)
//! system    "forward/" | db: u32 | home, escaped | version: u64     -> user key
//! ```
//!
//! All numbers are in the order-preserving forms of [`engine::keys`]. The user key is raw where it comes last, and
//! escaped where something follows it: otherwise the key `a` followed by a version could begin like another key that
//! contains the same bytes. The member always comes last, so it is raw, and rows with equal scores sort by member, as
//! Redis wants.
//!
//! This file has the keys, and the value of a data row that is a score. `rows/metadata.rs` has the value of a
//! metadata row, `rows/ends.rs` the part of it that lists have, `rows/position.rs` the position of an element of a list, and `rows/bundle.rs` how one row holds
//! several elements.
//!
//! The user key in a data or score row is the *home* of the collection, the key under which it came into being. A
//! collection that was renamed has a forward: see [`transfer`](crate::types::transfer).
//!
//! Invariants
//! 1. A version is a number of [`Store::unique`](crate::store::Store::unique), so no two
//!    collections ever share one, not even under one key.
//! 2. Data and score rows whose version is neither in the metadata row of their home nor in that of the key to which
//!    their forward leads are *orphans*: nothing reads them. Removing a key therefore removes one row.
//! 3. A score is never NaN and never -0.0 ([`Numeric`]), so a member has one possible score row
//!    for each score.

pub mod bundle;
mod ends;
mod metadata;
mod position;

use std::ops::Range;
use std::rc::Rc;

use bytes::Bytes;
use engine::keys::{
    DecodeKey, Numeric, OrderedKey, Raw, Reader, decode_f64, decode_u32, encode_bytes_into,
    encode_i64, encode_u32, encode_u64,
};

pub use ends::{End, EndRow, Ends};
pub use metadata::{
    Collection, Content, EXPIRES, Kind, MARK_BYTES, Mark, Marks, Metadata, encode_string,
    stored_expiry, stored_kind,
};
pub use position::{Lean, Position};

use crate::store::{KeyRange, Space, next_key};
use crate::types::name_hash::{
    NAME_HASH_END, NAME_HASH_LEN, decode_name_hash, encode_name_hash, name_hash,
};
use crate::types::{Error, Result};

/// The number of a database, the one that `SELECT` names.
pub type DbNumber = u32;

/// A score: a double that is neither NaN nor -0.0.
pub type Score = Numeric<f64>;

/// Length of an encoded number.
const U64_LEN: usize = 8;

/// The key of the metadata row of a user key.
#[must_use]
pub fn metadata_key(db: DbNumber, key: &[u8]) -> Vec<u8> {
    let mut row = Vec::with_capacity(4 + key.len());
    row.extend_from_slice(&encode_u32(db));
    row.extend_from_slice(key);
    row
}

/// Whether a row is the metadata row of a user key.
#[inline]
#[must_use]
pub fn is_metadata_key(row: &[u8], db: DbNumber, key: &[u8]) -> bool {
    row.split_first_chunk() == Some((&encode_u32(db), key))
}

/// The metadata rows of one database.
#[must_use]
pub fn metadata_rows(db: DbNumber) -> KeyRange {
    KeyRange::prefix(&encode_u32(db))
}

/// All rows of one database, in any space but the system's.
#[must_use]
pub fn rows_of_database(db: DbNumber) -> KeyRange {
    KeyRange::prefix(&encode_u32(db))
}

/// The key of the expiry row of a user key.
#[must_use]
pub fn expiry_key(db: DbNumber, expires_ms: i64, key: &[u8]) -> Vec<u8> {
    [&encode_u32(db)[..], &encode_i64(expires_ms), key].concat()
}

/// The expiry rows of a database with these times.
#[must_use]
pub fn expiry_rows(db: DbNumber, times_ms: Range<i64>) -> KeyRange {
    let [start, end] = [times_ms.start, times_ms.end].map(|ms| expiry_key(db, ms, b""));
    KeyRange::between(start, end)
}

/// The database, the expiry and the user key of an expiry row.
///
/// # Errors
/// [`Error::Damaged`].
pub fn decode_expiry_key(row: &[u8]) -> Result<(DbNumber, i64, Vec<u8>)> {
    let mut reader = Reader::new(row);
    <(u32, i64)>::decode_from(&mut reader)
        .and_then(|(db, expires_ms)| Ok((db, expires_ms, Raw::decode_from(&mut reader)?.0)))
        .map_err(|reason| Error::undecodable(Space::Expiry, row, &reason))
}

/// The database and the user key of a metadata row.
///
/// # Errors
/// [`Error::Damaged`].
pub fn decode_metadata_key(row: &[u8]) -> Result<(DbNumber, Vec<u8>)> {
    let mut reader = Reader::new(row);
    u32::decode_from(&mut reader)
        .and_then(|db| Ok((db, Raw::decode_from(&mut reader)?.0)))
        .map_err(|reason| Error::undecodable(Space::Metadata, row, &reason))
}

/// The database of a metadata row; 0 of what is none.
#[must_use]
pub fn database_of_metadata_key(row: &[u8]) -> DbNumber {
    let number = row.first_chunk().copied();
    number.map_or(0, decode_u32)
}

/// What the rows of one collection begin with, in the data space and in the score space. Cloning it is cheap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowPrefix(Rc<[u8]>);

impl RowPrefix {
    /// The prefix of the rows of a version of a user key.
    #[must_use]
    pub fn new(db: DbNumber, key: &[u8], version: u64) -> Self {
        let mut prefix = Vec::with_capacity(4 + key.len() + 2 + U64_LEN);
        prefix.extend_from_slice(&encode_u32(db));
        encode_bytes_into(key, &mut prefix);
        prefix.extend_from_slice(&encode_u64(version));
        Self(prefix.into())
    }

    /// What the score rows of one score begin with.
    #[must_use]
    pub fn of_score(&self, score: Score) -> Self {
        Self(self.score_key(score, b"").into())
    }

    /// Whether a row is one of the collection.
    #[must_use]
    pub fn is_of(&self, row: &[u8]) -> bool {
        row.starts_with(&self.0)
    }

    /// All rows of the collection.
    #[must_use]
    pub fn rows(&self) -> KeyRange {
        KeyRange::prefix(&self.0)
    }

    /// The key of the data row of a member.
    #[must_use]
    pub fn data_key(&self, member: &[u8]) -> Vec<u8> {
        self.followed_by(member)
    }

    /// Whether a row is the data row of this member.
    #[inline]
    #[must_use]
    pub fn is_data_key(&self, row: &[u8], member: &[u8]) -> bool {
        row.strip_prefix(&*self.0) == Some(member)
    }

    fn followed_by(&self, rest: &[u8]) -> Vec<u8> {
        let mut row = Vec::with_capacity(self.0.len() + rest.len());
        row.extend_from_slice(&self.0);
        row.extend_from_slice(rest);
        row
    }

    /// The key of the row of a field or of a member of a set.
    #[must_use]
    pub fn name_key(&self, name: &[u8]) -> Vec<u8> {
        let mut row = Vec::with_capacity(self.0.len() + NAME_HASH_LEN + name.len());
        row.extend_from_slice(&self.0);
        row.extend_from_slice(&encode_name_hash(name_hash(name)));
        row.extend_from_slice(name);
        row
    }

    /// Whether a row is the row of this field or member, given that it is the row of some name: its hash is not
    /// compared.
    #[inline]
    #[must_use]
    pub fn is_name_key(&self, row: &[u8], name: &[u8]) -> bool {
        let behind = row.strip_prefix(&*self.0);
        behind.and_then(|behind| behind.get(NAME_HASH_LEN..)) == Some(name)
    }

    /// The rows of the names from a hash on.
    #[must_use]
    pub fn from_name_hash(&self, hash: u64) -> KeyRange {
        let mut rows = self.rows();
        rows.start.extend_from_slice(&encode_name_hash(hash));
        rows
    }

    /// The rows of the names with a hash from `start` up to, but not including, `end`.
    #[must_use]
    pub fn name_hashes(&self, start: u64, end: u64) -> KeyRange {
        let mut rows = self.from_name_hash(start);
        if end < NAME_HASH_END {
            rows.end = Some(self.from_name_hash(end).start);
        }
        rows
    }

    /// The hash and the name in the key of the row of a field or of a member of a set.
    ///
    /// # Errors
    /// [`Error::Damaged`] if the row belongs to another collection or holds no hash.
    pub fn hash_and_name<'r>(&self, row: &'r [u8]) -> Result<(u64, &'r [u8])> {
        let (hash, name) = self
            .data_member(row)?
            .split_first_chunk()
            .ok_or_else(|| Error::damaged(Space::Data, row, "it holds no hash of its name"))?;
        Ok((decode_name_hash(*hash), name))
    }

    /// The key right after the data row of `member`, before the row of every greater member.
    #[must_use]
    pub fn behind_data_key(&self, member: &[u8]) -> Vec<u8> {
        next_key(&self.data_key(member))
    }

    /// The key of the data row of the element at a position.
    #[must_use]
    pub fn element_key(&self, position: &Position) -> Vec<u8> {
        let path = position.path.len() * U64_LEN;
        let mut row = Vec::with_capacity(self.0.len() + U64_LEN + path);
        row.extend_from_slice(&self.0);
        position.encode_into(&mut row);
        row
    }

    /// The position in the key of the data row of an element.
    ///
    /// # Errors
    /// [`Error::Damaged`] if the row belongs to another collection or holds no position.
    pub fn element_position(&self, row: &[u8]) -> Result<Position> {
        row.strip_prefix(&*self.0)
            .and_then(Position::decode)
            .ok_or_else(|| Error::damaged(Space::Data, row, "it holds no position"))
    }

    /// The key of the score row at a mark of this collection.
    #[must_use]
    pub fn score_key_at(&self, mark: &[u8]) -> Vec<u8> {
        self.followed_by(mark)
    }

    /// The part of a score row's key that marks are compared with: the key without the prefix that all rows of the
    /// collection share.
    #[inline]
    #[must_use]
    pub fn mark_of<'r>(&self, row: &'r [u8]) -> &'r [u8] {
        row.strip_prefix(&*self.0).unwrap_or(row)
    }

    /// The key of the score row of a member. With an empty member, it precedes the keys of all members that have this
    /// score.
    #[must_use]
    pub fn score_key(&self, score: Score, member: &[u8]) -> Vec<u8> {
        let mut row = Vec::with_capacity(self.0.len() + U64_LEN + member.len());
        row.extend_from_slice(&self.0);
        score.encode_into(&mut row);
        row.extend_from_slice(member);
        row
    }

    /// The member in the key of a data row.
    ///
    /// # Errors
    /// [`Error::Damaged`] if the row belongs to another collection.
    pub fn data_member<'r>(&self, row: &'r [u8]) -> Result<&'r [u8]> {
        row.strip_prefix(&*self.0)
            .ok_or_else(|| Error::damaged(Space::Data, row, "it is of another collection"))
    }

    /// The score and the member in the key of a score row that lies in a range of this collection. The prefix is not
    /// checked again, because this runs for each row of a scan.
    ///
    /// # Errors
    /// [`Error::Damaged`] if the row holds no score.
    #[inline]
    pub fn score_member<'r>(&self, row: &'r [u8]) -> Result<(Score, &'r [u8])> {
        let (score, member) = self.split_score(row)?;
        let value = decode_f64(*score);
        if value == 0.0 || value.is_nan() {
            // Only these two cases may be bytes that no score has: `from_key` tells.
            let score = Score::from_key(score)
                .map_err(|reason| Error::undecodable(Space::Score, row, &reason))?;
            return Ok((score, member));
        }
        let score = Score::new(value);
        let score = score.map_err(|_| Error::damaged(Space::Score, row, "it holds no score"))?;
        Ok((score, member))
    }

    /// As [`score_member`](Self::score_member), without decoding the score.
    ///
    /// # Errors
    /// [`Error::Damaged`] if the row has no room for a score.
    #[inline]
    pub fn member_of_score<'r>(&self, row: &'r [u8]) -> Result<&'r [u8]> {
        Ok(self.split_score(row)?.1)
    }

    #[inline]
    fn split_score<'r>(&self, row: &'r [u8]) -> Result<(&'r [u8; U64_LEN], &'r [u8])> {
        debug_assert!(row.len() < self.0.len() || row.starts_with(&self.0));
        let behind = row.get(self.0.len()..);
        behind
            .and_then(<[u8]>::split_first_chunk)
            .ok_or_else(|| Error::damaged(Space::Score, row, "it holds no score"))
    }
}

/// What the keys of all forwards begin with.
const FORWARD: &[u8] = b"forward/";

/// The key of the forward of a renamed collection. Its value is the user key that holds the collection now.
#[must_use]
pub fn forward_key(rows: &RowPrefix) -> Vec<u8> {
    [FORWARD, &rows.0].concat()
}

/// All forwards, in the system space.
#[must_use]
pub fn forwards() -> KeyRange {
    KeyRange::prefix(FORWARD)
}

/// The database, the home and the version of the collection of a forward.
///
/// # Errors
/// [`Error::Damaged`].
pub fn decode_forward_key(row: &[u8]) -> Result<(DbNumber, Vec<u8>, u64)> {
    let rows = row.strip_prefix(FORWARD).unwrap_or_default();
    decode_owner(Space::System, rows)
}

/// The value of a data row.
#[must_use]
pub fn encode_score(score: Score) -> Bytes {
    score.to_key().into()
}

/// The score in the value of the data row `row`.
///
/// # Errors
/// [`Error::Damaged`].
pub fn decode_score(row: &[u8], value: &[u8]) -> Result<Score> {
    Score::from_key(value).map_err(|reason| Error::undecodable(Space::Data, row, &reason))
}

/// The owner of a row: the database, the home and the version in a data or score row.
///
/// # Errors
/// [`Error::Damaged`].
pub fn decode_owner(space: Space, row: &[u8]) -> Result<(DbNumber, Vec<u8>, u64)> {
    let mut reader = Reader::new(row);
    <(u32, Vec<u8>, u64)>::decode_from(&mut reader)
        .map_err(|reason| Error::undecodable(space, row, &reason))
}

#[cfg(test)]
mod tests {
    use engine::keys::hex;

    use super::*;

    fn score(value: f64) -> Score {
        Score::new(value).unwrap()
    }

    #[test]
    fn the_bytes_of_keys_are_those_of_the_documentation() {
        let prefix = RowPrefix::new(1, b"k\x00", 7);
        assert_eq!(hex(&metadata_key(1, b"k\x00")), "000000016b00");
        assert_eq!(
            hex(&prefix.data_key(b"m")),
            "000000016b00ff000100000000000000076d"
        );
        assert_eq!(
            hex(&prefix.score_key(score(1.0), b"m")),
            "000000016b00ff00010000000000000007bff00000000000006d"
        );
        let element = Position {
            slot: 2,
            path: vec![3],
        };
        assert_eq!(
            hex(&prefix.element_key(&element)),
            "000000016b00ff0001000000000000000780000000000000020000000000000003"
        );
    }

    #[test]
    fn two_keys_never_share_a_row() {
        // Without the escape the second key's prefix would begin with the whole first row.
        let row = RowPrefix::new(0, b"a", 7).data_key(b"m");
        let longer_key = [b"a", &encode_u64(7)[..], b"m"].concat();
        let other = RowPrefix::new(0, &longer_key, 7);
        assert!(other.data_member(&row).is_err());
        assert!(!other.rows().contains(&row));
        assert_eq!(
            decode_owner(Space::Data, &row).unwrap(),
            (0, b"a".to_vec(), 7)
        );
    }

    #[test]
    fn foreign_bytes_are_an_error() {
        let prefix = RowPrefix::new(0, b"k", 1);
        assert!(prefix.score_member(b"\x00").is_err());
        assert!(decode_score(b"row", &[0xff; 8]).is_err());
    }
}

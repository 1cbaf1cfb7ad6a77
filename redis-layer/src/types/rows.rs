//! The bytes of every row. This is the only module that knows them.
//!
//! ```text
//! metadata  db: u32 | user key                                      -> tag | expiry? | body
//! data      db: u32 | user key, escaped | version: u64 | position   -> element of a list
//! data      db: u32 | user key, escaped | version: u64 | place: u48 | field  -> value, of a hash
//! data      db: u32 | user key, escaped | version: u64 | place: u48 | member -> (empty), of a set
//! data      db: u32 | user key, escaped | version: u64 | member     -> score: f64, of a sorted set
//! score     db: u32 | user key, escaped | version: u64 | score: f64 | member  -> (empty)
//! expiry    db: u32 | expires_ms: i64 | user key                    -> (empty)
//! ```
//!
//! All numbers are in the order-preserving forms of [`engine::keys`]. The user key stands raw
//! where it is last, and escaped where something follows it: otherwise the key `a` with a version
//! could begin like another key that holds the same bytes. The member is always last, so it
//! stays raw, and rows with equal scores sort by member, as Redis wants.
//!
//! `tag` is the type in the low four bits and [`EXPIRES`] in the top one. The expiry follows only
//! then: milliseconds since 1970, an i64. The body of a string is the string. The body of a
//! collection is its version and its number of elements, a u64 each; a sorted set adds its [`Marks`],
//! the low one escaped and the high one to the end; a list adds its [`Ends`].
//!
//! Invariants
//! 1. A version is a number of [`Store::unique`](crate::store::Store::unique), so no two
//!    collections ever share one, not even under one key.
//! 2. Data and score rows whose version is not the one in the metadata row of their key are
//!    *orphans*: nothing reads them. Removing a key therefore removes one row.
//! 3. A score is never NaN and never -0.0 ([`Numeric`]), so a member has one possible score row
//!    for each score.

mod position;

use bytes::Bytes;
use engine::keys::{
    DecodeError, DecodeKey, Numeric, OrderedKey, Raw, Reader, decode_i64, encode_bytes_into,
    encode_i64, encode_u32, encode_u64,
};

pub use position::{Lean, Position};

use crate::store::{KeyRange, Space, next_key};
use crate::types::place::{PLACE_LEN, decode_place, encode_place, place_of};
use crate::types::{Error, Result};

/// The number of a database, the one that `SELECT` names.
pub type DbNumber = u32;

/// A score: a double that is neither NaN nor -0.0.
pub type Score = Numeric<f64>;

/// In a tag: an expiry follows.
pub const EXPIRES: u8 = 0x80;
/// Length of an encoded number.
const U64_LEN: usize = 8;

/// The type of a key. The numbers are part of the row format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// A byte string.
    String = 1,
    /// Fields with values.
    Hash = 2,
    /// Elements in order.
    List = 3,
    /// Members without order.
    Set = 4,
    /// Members sorted by score.
    SortedSet = 5,
}

impl Kind {
    /// The name that Redis gives it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Hash => "hash",
            Self::List => "list",
            Self::Set => "set",
            Self::SortedSet => "zset",
        }
    }
}

/// What a metadata row says about a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metadata {
    /// When the key expires, in milliseconds since 1970.
    pub expires_ms: Option<i64>,
    /// What the key holds.
    pub content: Content,
}

/// What a key holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// The string itself.
    String(Bytes),
    /// Fields with values, in rows of their own.
    Hash(Collection),
    /// Elements in order, in rows of their own.
    List(Collection, Ends),
    /// Members, in rows of their own.
    Set(Collection),
    /// Members with scores, in rows of their own.
    SortedSet(Collection, Marks),
}

/// A collection whose elements stand in rows of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Collection {
    /// Part of the key of each of its rows.
    pub version: u64,
    /// How many elements there are.
    pub size: u64,
}

/// Between which score rows all members of a sorted set stand, as far as it is known.
///
/// A mark is compared with what follows the version in the key of a score row: score and member.
/// Why there are marks: [`zset::marks`](crate::types::zset::marks).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Marks {
    /// No member stands before this. Empty: nothing is known.
    pub low: Vec<u8>,
    /// No member stands here or behind. Empty: nothing is known.
    pub high: Vec<u8>,
}

/// Where a list begins and ends, and where it was changed in the middle.
///
/// Outside of `middle`, every slot from the first to the last holds exactly one element, without a path: so the
/// number of an element and its position follow from one another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ends {
    /// The position of the first element.
    pub first: Position,
    /// The position of the last element.
    pub last: Position,
    /// The first and the last slot where there may be no element, or several.
    pub middle: Option<(i64, i64)>,
}

impl Ends {
    /// Those of a list with `size` elements that was never changed in the middle.
    #[must_use]
    pub const fn regular(first: i64, size: u64) -> Self {
        Self {
            first: Position::slot(first),
            last: Position::slot(first.wrapping_add_unsigned(size).wrapping_sub(1)),
            middle: None,
        }
    }
}

impl Content {
    /// The type.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        match self {
            Self::String(_) => Kind::String,
            Self::Hash(_) => Kind::Hash,
            Self::List(..) => Kind::List,
            Self::Set(_) => Kind::Set,
            Self::SortedSet(..) => Kind::SortedSet,
        }
    }

    /// The collection, if the elements stand in rows of their own.
    #[must_use]
    pub const fn collection(&self) -> Option<Collection> {
        match self {
            Self::String(_) => None,
            Self::Hash(collection)
            | Self::List(collection, _)
            | Self::Set(collection)
            | Self::SortedSet(collection, _) => Some(*collection),
        }
    }
}

impl Metadata {
    /// Whether the key still exists at `now_ms`.
    #[must_use]
    pub fn is_live(&self, now_ms: i64) -> bool {
        self.expires_ms
            .is_none_or(|expires_ms| now_ms <= expires_ms)
    }

    /// The bytes of the row's value.
    #[must_use]
    pub fn encode(&self) -> Bytes {
        // Exact for strings, hashes and sets: a vector with room to spare costs `Bytes` an allocation more.
        let body = match &self.content {
            Content::String(text) => text.len(),
            Content::Hash(_) | Content::Set(_) => 2 * U64_LEN,
            Content::List(..) => 4 * U64_LEN,
            Content::SortedSet(_, marks) => 2 * U64_LEN + 2 + marks.low.len() + marks.high.len(),
        };
        let head = 1 + self.expires_ms.map_or(0, |_| U64_LEN);
        let mut value = Vec::with_capacity(head + body);
        let flags = self.expires_ms.map_or(0, |_| EXPIRES);
        value.push(self.content.kind() as u8 | flags);
        if let Some(expires_ms) = self.expires_ms {
            value.extend_from_slice(&encode_i64(expires_ms));
        }
        if let Some(collection) = self.content.collection() {
            value.extend_from_slice(&encode_u64(collection.version));
            value.extend_from_slice(&encode_u64(collection.size));
        }
        match &self.content {
            Content::String(text) => value.extend_from_slice(text),
            Content::Hash(_) | Content::Set(_) => {}
            Content::List(_, ends) => encode_ends(ends, &mut value),
            Content::SortedSet(_, marks) => {
                encode_bytes_into(&marks.low, &mut value);
                value.extend_from_slice(&marks.high);
            }
        }
        value.into()
    }

    /// What the value of a metadata row says. Shares the bytes of a string with `value`.
    ///
    /// # Errors
    /// [`Error::Damaged`]. `key` is for the error only.
    pub fn decode(key: &[u8], value: &Bytes) -> Result<Self> {
        let undecodable = |reason| Error::undecodable(Space::Metadata, key, &reason);
        let mut reader = Reader::new(value);
        let tag = reader.byte().map_err(undecodable)?;
        let expires_ms = (tag & EXPIRES != 0)
            .then(|| i64::decode_from(&mut reader))
            .transpose()
            .map_err(undecodable)?;
        let content = match tag & !EXPIRES {
            t if t == Kind::String as u8 => Content::String(value.slice(reader.offset()..)),
            t if t == Kind::Hash as u8 => {
                Content::Hash(decode_collection(&mut reader).map_err(undecodable)?)
            }
            t if t == Kind::List as u8 => {
                let collection = decode_collection(&mut reader).map_err(undecodable)?;
                let ends = decode_ends(&value[reader.offset()..], collection.size)
                    .ok_or_else(|| Error::damaged(Space::Metadata, key, "its ends are damaged"))?;
                Content::List(collection, ends)
            }
            t if t == Kind::Set as u8 => {
                Content::Set(decode_collection(&mut reader).map_err(undecodable)?)
            }
            t if t == Kind::SortedSet as u8 => {
                let (collection, marks) = decode_sorted_set(&mut reader).map_err(undecodable)?;
                Content::SortedSet(collection, marks)
            }
            _ => {
                let what = format!("tag {tag:02x} is unknown to this version");
                return Err(Error::damaged(Space::Metadata, key, &what));
            }
        };
        Ok(Self {
            expires_ms,
            content,
        })
    }
}

fn decode_collection(reader: &mut Reader<'_>) -> Result<Collection, DecodeError> {
    let (version, size) = <(u64, u64)>::decode_from(reader)?;
    Ok(Collection { version, size })
}

/// The first slot. If the list was changed in the middle, then the rest: the number of steps in the path of the
/// first element (a byte) and the steps, slot and path of the last one alike, and the middle.
fn encode_ends(ends: &Ends, value: &mut Vec<u8>) {
    let Ends {
        first,
        last,
        middle,
    } = ends;
    let Some((low, high)) = middle else {
        value.extend_from_slice(&encode_i64(first.slot));
        return;
    };
    for position in [first, last] {
        let start = value.len();
        position.encode_into(value);
        // Paths are far shorter than that: see `MAX_PATH` of lists.
        let steps = u8::try_from(position.path.len()).unwrap_or(u8::MAX);
        value.insert(start + U64_LEN, steps);
    }
    value.extend_from_slice(&encode_i64(*low));
    value.extend_from_slice(&encode_i64(*high));
}

fn decode_ends(bytes: &[u8], size: u64) -> Option<Ends> {
    if let Ok(slot) = bytes.try_into() {
        return Some(Ends::regular(decode_i64(slot), size));
    }
    let mut rest = bytes;
    let mut position = || {
        let steps = usize::from(*rest.get(U64_LEN)?);
        let (bytes, behind) = rest.split_at_checked((1 + steps) * U64_LEN + 1)?;
        rest = behind;
        Position::decode(&[&bytes[..U64_LEN], &bytes[U64_LEN + 1..]].concat())
    };
    let (first, last) = (position()?, position()?);
    let (low, high) = rest.split_first_chunk()?;
    let middle = (decode_i64(*low), decode_i64(high.try_into().ok()?));
    Some(Ends {
        first,
        last,
        middle: Some(middle),
    })
}

fn decode_sorted_set(reader: &mut Reader<'_>) -> Result<(Collection, Marks), DecodeError> {
    let (version, size, low, Raw(high)) = <(u64, u64, Vec<u8>, Raw<Vec<u8>>)>::decode_from(reader)?;
    Ok((Collection { version, size }, Marks { low, high }))
}

/// The key of the metadata row of a user key.
#[must_use]
pub fn metadata_key(db: DbNumber, key: &[u8]) -> Vec<u8> {
    let mut row = Vec::with_capacity(4 + key.len());
    row.extend_from_slice(&encode_u32(db));
    row.extend_from_slice(key);
    row
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

/// The expiry in the value of a metadata row.
#[must_use]
pub fn stored_expiry(value: &[u8]) -> Option<i64> {
    let (tag, rest) = value.split_first()?;
    let expires_ms = rest.first_chunk().filter(|_| tag & EXPIRES != 0)?;
    Some(decode_i64(*expires_ms))
}

/// The type in the value of a metadata row.
///
/// # Errors
/// [`Error::Damaged`]. `row` is for the error only.
pub fn stored_kind(row: &[u8], value: &[u8]) -> Result<Kind> {
    let tag = value.first().copied().unwrap_or_default();
    let kinds = [
        Kind::String,
        Kind::Hash,
        Kind::List,
        Kind::Set,
        Kind::SortedSet,
    ];
    let kind = kinds.into_iter().find(|kind| *kind as u8 == tag & !EXPIRES);
    kind.ok_or_else(|| {
        let what = format!("tag {tag:02x} is unknown to this version");
        Error::damaged(Space::Metadata, row, &what)
    })
}

/// The key of the expiry row of a user key.
#[must_use]
pub fn expiry_key(db: DbNumber, expires_ms: i64, key: &[u8]) -> Vec<u8> {
    [&encode_u32(db)[..], &encode_i64(expires_ms), key].concat()
}

/// The expiry rows of the keys of a database that do not live any more at `now_ms`.
#[must_use]
pub fn expired_rows(db: DbNumber, now_ms: i64) -> KeyRange {
    KeyRange::between(encode_u32(db).to_vec(), expiry_key(db, now_ms, b""))
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

/// What the rows of one collection begin with, in the data space and in the score space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowPrefix(Vec<u8>);

impl RowPrefix {
    /// The prefix of the rows of a version of a user key.
    #[must_use]
    pub fn new(db: DbNumber, key: &[u8], version: u64) -> Self {
        let mut prefix = Vec::with_capacity(4 + key.len() + 2 + U64_LEN);
        prefix.extend_from_slice(&encode_u32(db));
        encode_bytes_into(key, &mut prefix);
        prefix.extend_from_slice(&encode_u64(version));
        Self(prefix)
    }

    /// What the score rows of one score begin with.
    #[must_use]
    pub fn of_score(&self, score: Score) -> Self {
        Self(self.score_key(score, b""))
    }

    /// All rows of the collection.
    #[must_use]
    pub fn rows(&self) -> KeyRange {
        KeyRange::prefix(&self.0)
    }

    /// The key of the data row of a member.
    #[must_use]
    pub fn data_key(&self, member: &[u8]) -> Vec<u8> {
        [&self.0, member].concat()
    }

    /// The key of the row of a field or of a member of a set.
    #[must_use]
    pub fn name_key(&self, name: &[u8]) -> Vec<u8> {
        let mut row = Vec::with_capacity(self.0.len() + PLACE_LEN + name.len());
        row.extend_from_slice(&self.0);
        row.extend_from_slice(&encode_place(place_of(name)));
        row.extend_from_slice(name);
        row
    }

    /// The rows of the names from a place on.
    #[must_use]
    pub fn from_place(&self, place: u64) -> KeyRange {
        let mut rows = self.rows();
        rows.start.extend_from_slice(&encode_place(place));
        rows
    }

    /// The place and the name in the key of the row of a field or of a member of a set.
    ///
    /// # Errors
    /// [`Error::Damaged`] if the row belongs to another collection or holds no place.
    pub fn place_and_name<'r>(&self, row: &'r [u8]) -> Result<(u64, &'r [u8])> {
        let (place, name) = self
            .data_member(row)?
            .split_first_chunk()
            .ok_or_else(|| Error::damaged(Space::Data, row, "it holds no place"))?;
        Ok((decode_place(*place), name))
    }

    /// The key behind the data row of `member` and before that of every greater one.
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
        [&self.0, mark].concat()
    }

    /// What marks are compared with: the key of a score row without the part that all share.
    #[must_use]
    pub fn mark_of<'r>(&self, row: &'r [u8]) -> &'r [u8] {
        row.strip_prefix(&*self.0).unwrap_or(row)
    }

    /// The key of the score row of a member; with an empty member, the key before those of all
    /// members that have this score.
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

    /// The score and the member in the key of a score row.
    ///
    /// # Errors
    /// [`Error::Damaged`] if the row belongs to another collection or holds no score.
    pub fn score_member<'r>(&self, row: &'r [u8]) -> Result<(Score, &'r [u8])> {
        let (score, member) = row
            .strip_prefix(&*self.0)
            .and_then(<[u8]>::split_first_chunk::<U64_LEN>)
            .ok_or_else(|| Error::damaged(Space::Score, row, "it holds no score"))?;
        let score = Score::from_key(score)
            .map_err(|reason| Error::undecodable(Space::Score, row, &reason))?;
        Ok((score, member))
    }
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

/// Whose row this is: the database, the user key and the version in a data or score row.
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
    fn the_bytes_are_those_of_the_documentation() {
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
        let collection = Collection {
            version: 7,
            size: 2,
        };
        let marks = Marks {
            low: vec![0x40, 0x00],
            high: vec![0xbf],
        };
        let set = Content::SortedSet(collection, marks);
        let metadata = Metadata {
            expires_ms: Some(1),
            content: set,
        };
        assert_eq!(
            hex(&metadata.encode()),
            "858000000000000001000000000000000700000000000000024000ff0001bf"
        );
        let list = |ends| Metadata {
            expires_ms: None,
            content: Content::List(collection, ends),
        };
        let regular = list(Ends::regular(-1, 2));
        assert_eq!(
            hex(&regular.encode()),
            "03000000000000000700000000000000027fffffffffffffff"
        );
        let ends = Ends {
            first: Position::slot(0),
            last: Position {
                slot: 1,
                path: vec![5],
            },
            middle: Some((0, 1)),
        };
        let changed = list(ends);
        assert_eq!(
            hex(&changed.encode()),
            "0300000000000000070000000000000002\
             800000000000000000\
             8000000000000001010000000000000005\
             80000000000000008000000000000001"
        );
        for list in [regular, changed] {
            assert_eq!(Metadata::decode(b"", &list.encode()).unwrap(), list);
        }
        let element = Position {
            slot: 2,
            path: vec![3],
        };
        assert_eq!(
            hex(&prefix.element_key(&element)),
            "000000016b00ff0001000000000000000780000000000000020000000000000003"
        );
        let string = Metadata {
            expires_ms: None,
            content: Content::String("hi".into()),
        };
        assert_eq!(hex(&string.encode()), "016869");
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
    fn foreign_bytes_are_an_error_with_a_reason() {
        for (value, reason) in [
            (&b""[..], "short"),
            (b"\x06", "tag 06 is unknown"),
            (b"\x41", "tag 41 is unknown"),
            (b"\x05\x00", "short"),
            (b"\x85\x80\x00\x00\x00\x00\x00\x00\x01", "short"),
            (b"\x050000000011111111x", "short"),
            (b"\x050000000011111111\0x", "00 is followed by"),
            (b"\x030000000011111111x", "its ends"),
            (b"\x0300000000111111112222222233333333", "its ends"),
        ] {
            let value = Bytes::copy_from_slice(value);
            let error = Metadata::decode(b"\0\0\0\0k", &value).unwrap_err();
            assert!(error.to_string().contains(reason), "{value:?}: {error}");
        }
        let prefix = RowPrefix::new(0, b"k", 1);
        assert!(prefix.score_member(b"\x00").is_err());
        assert!(decode_score(b"row", &[0xff; 8]).is_err());
    }
}

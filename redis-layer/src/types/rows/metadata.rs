//! The value of a metadata row: what a key holds, and when it expires.
//!
//! ```text
//! tag: u8 | expires_ms: i64, if the tag says so | home, escaped, if the tag says so | body
//! ```
//!
//! `tag` is the type in the low four bits, [`EXPIRES`] in the highest one and [`MOVED`] in the next. Only with the
//! highest bit set the expiry follows: milliseconds since 1970, an i64. Only with the next one set the home follows: the
//! key under which the collection came into being. The body of a string is the string. The body of a collection is its
//! version and its number of elements, a u64 each. A string in pieces has a tag of its own ([`PIECES`]), and its body
//! is its version and its length. A sorted set adds its [`Marks`]: a byte with the length of the low mark,
//! [`FIRST_IS_KNOWN`] and [`LAST_IS_KNOWN`], then the low mark, and the high mark to the end. A list adds its [`Ends`].

use std::rc::Rc;

use bytes::Bytes;
use engine::keys::{
    DecodeError, DecodeKey, Reader, decode_i64, encode_bytes_into, encode_i64, encode_u64,
};

use super::{Ends, U64_LEN};
use crate::store::Space;
use crate::types::strings::LONGEST_IN_PIECES;
use crate::types::{Error, Result};

/// A bit of the tag: an expiry follows.
pub const EXPIRES: u8 = 0x80;
/// A bit of the tag: the collection was renamed, and its home follows.
const MOVED: u8 = 0x40;
/// All bits of the tag that are not the type.
const FLAGS: u8 = EXPIRES | MOVED;

/// The tag of a string in pieces. Its [`Kind`] is that of every string.
const PIECES: u8 = 9;

/// A bit in the byte with the length of the low mark: [`Marks::first_is_known`].
const FIRST_IS_KNOWN: u8 = 0x80;
/// A bit in the same byte: [`Marks::last_is_known`].
const LAST_IS_KNOWN: u8 = 0x40;
/// The longest mark: a score, and a member of a length that people commonly choose.
pub const MARK_BYTES: usize = 8 + 40;
const _: () = assert!(MARK_BYTES < LAST_IS_KNOWN as usize);

/// The type of a key. The numbers are part of the row format. Three numbers of older formats are refused: 2 was a
/// hash whose fields had no order, 3 a list with one row for each element, and 5 a sorted set whose marks were
/// escaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// A byte string.
    String = 1,
    /// Fields with values.
    Hash = 6,
    /// Elements in order.
    List = 8,
    /// Members without order.
    Set = 4,
    /// Members sorted by score.
    SortedSet = 7,
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
    /// The key that the rows of the collection begin with, if it was renamed since it came into being: see
    /// [`transfer`](crate::types::transfer).
    pub home: Option<Rc<[u8]>>,
    /// What the key holds.
    pub content: Content,
}

/// What a key holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// The string itself.
    String(Bytes),
    /// A string in pieces, in rows of their own: its size is its length in bytes.
    Pieces(Collection),
    /// Fields with values, in rows of their own.
    Hash(Collection),
    /// Elements in order, in rows of their own.
    List(Collection, Ends),
    /// Members, in rows of their own.
    Set(Collection),
    /// Members with scores, in rows of their own.
    SortedSet(Collection, Marks),
}

/// A collection, or a string in pieces: something whose elements or pieces have rows of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Collection {
    /// A part of the key of each of its rows.
    pub version: u64,
    /// The number of its elements, or of its bytes for a string.
    pub size: u64,
}

/// The range of score rows that holds all members of a sorted set, as far as it is known.
///
/// A mark is compared with what follows the version in the key of a score row: the score and the member.
/// [`zset::marks`](crate::types::zset::marks) explains what marks are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Marks {
    /// No member comes before this. Empty: nothing is known.
    pub low: Mark,
    /// No member comes at or after this. Empty: nothing is known.
    pub high: Mark,
    /// There is a row exactly at `low`, so it is the first one.
    pub first_is_known: bool,
    /// There is a row whose next key is `high`, so it is the last one.
    pub last_is_known: bool,
}

/// The first bytes of a place among the score rows. Kept inline, so that copying a set's metadata costs no
/// allocation.
#[derive(Clone, Copy)]
pub struct Mark {
    len: u8,
    bytes: [u8; MARK_BYTES],
}

impl Mark {
    /// The mark made of the first [`MARK_BYTES`] bytes of a place.
    #[must_use]
    pub fn start_of(place: &[u8]) -> Self {
        let place = &place[..place.len().min(MARK_BYTES)];
        let mut mark = Self {
            len: place.len() as u8,
            bytes: [0; MARK_BYTES],
        };
        mark.bytes[..place.len()].copy_from_slice(place);
        mark
    }
}

impl Default for Mark {
    fn default() -> Self {
        Self::start_of(b"")
    }
}

impl std::ops::Deref for Mark {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

impl PartialEq for Mark {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Mark {}

impl std::fmt::Debug for Mark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(f)
    }
}

impl Content {
    /// The type.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        match self {
            Self::String(_) | Self::Pieces(_) => Kind::String,
            Self::Hash(_) => Kind::Hash,
            Self::List(..) => Kind::List,
            Self::Set(_) => Kind::Set,
            Self::SortedSet(..) => Kind::SortedSet,
        }
    }

    /// The collection, if the elements or pieces have rows of their own.
    #[must_use]
    pub const fn collection(&self) -> Option<Collection> {
        match self {
            Self::String(_) => None,
            Self::Pieces(collection)
            | Self::Hash(collection)
            | Self::List(collection, _)
            | Self::Set(collection)
            | Self::SortedSet(collection, _) => Some(*collection),
        }
    }
}

impl Metadata {
    /// What a key holds that was just created: it does not expire.
    #[must_use]
    pub const fn new(content: Content) -> Self {
        Self {
            expires_ms: None,
            home: None,
            content,
        }
    }

    /// The key that the rows of the collection under `key` begin with.
    #[must_use]
    pub fn home_of<'k>(&'k self, key: &'k [u8]) -> &'k [u8] {
        self.home.as_deref().unwrap_or(key)
    }

    /// Whether the key still exists at `now_ms`.
    #[must_use]
    pub fn is_live(&self, now_ms: i64) -> bool {
        self.expires_ms
            .is_none_or(|expires_ms| now_ms <= expires_ms)
    }

    /// The bytes of the row's value.
    #[must_use]
    pub fn encode(&self) -> Bytes {
        // The exact length, except for lists with a middle: a vector with spare room would cost `Bytes` another
        // allocation.
        let body = match &self.content {
            Content::String(text) => return encode_string(text, self.expires_ms),
            Content::Pieces(_) | Content::Hash(_) | Content::Set(_) => 2 * U64_LEN,
            Content::List(_, ends) => 2 * U64_LEN + ends.room(),
            Content::SortedSet(_, Marks { low, high, .. }) => {
                2 * U64_LEN + 1 + low.len() + high.len()
            }
        };
        let tag = match self.content {
            Content::Pieces(_) => PIECES,
            _ => self.content.kind() as u8,
        };
        let mut value = match &self.home {
            None => begin(tag, self.expires_ms, body),
            Some(home) => {
                let mut value = begin(tag | MOVED, self.expires_ms, home.len() + 2 + body);
                encode_bytes_into(home, &mut value);
                value
            }
        };
        if let Some(collection) = self.content.collection() {
            value.extend_from_slice(&encode_u64(collection.version));
            value.extend_from_slice(&encode_u64(collection.size));
        }
        match &self.content {
            Content::String(_) | Content::Pieces(_) | Content::Hash(_) | Content::Set(_) => {}
            Content::List(_, ends) => ends.encode_into(&mut value),
            Content::SortedSet(_, marks) => {
                let flag_if = |known: bool, flag: u8| if known { flag } else { 0 };
                let flags = flag_if(marks.first_is_known, FIRST_IS_KNOWN)
                    | flag_if(marks.last_is_known, LAST_IS_KNOWN);
                value.push(marks.low.len | flags);
                value.extend_from_slice(&marks.low);
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
        let home = (tag & MOVED != 0)
            .then(|| Vec::decode_from(&mut reader).map(Rc::from))
            .transpose()
            .map_err(undecodable)?;
        let content = match tag & !FLAGS {
            t if t == Kind::String as u8 && home.is_none() => {
                Content::String(value.slice(reader.offset()..))
            }
            PIECES => {
                let text = decode_collection(&mut reader).map_err(undecodable)?;
                if text.size > LONGEST_IN_PIECES as u64 {
                    let what = "it is longer than a string in pieces may be";
                    return Err(Error::damaged(Space::Metadata, key, what));
                }
                Content::Pieces(text)
            }
            t if t == Kind::Hash as u8 => {
                Content::Hash(decode_collection(&mut reader).map_err(undecodable)?)
            }
            t if t == Kind::List as u8 => {
                let collection = decode_collection(&mut reader).map_err(undecodable)?;
                let ends = Ends::decode(&value[reader.offset()..], collection.size)
                    .ok_or_else(|| Error::damaged(Space::Metadata, key, "its ends are damaged"))?;
                Content::List(collection, ends)
            }
            t if t == Kind::Set as u8 => {
                Content::Set(decode_collection(&mut reader).map_err(undecodable)?)
            }
            t if t == Kind::SortedSet as u8 => {
                let collection = decode_collection(&mut reader).map_err(undecodable)?;
                let marks = decode_marks(&value[reader.offset()..])
                    .ok_or_else(|| Error::damaged(Space::Metadata, key, "its marks are damaged"))?;
                Content::SortedSet(collection, marks)
            }
            _ => {
                let what = format!("tag {tag:02x} is unknown to this version");
                return Err(Error::damaged(Space::Metadata, key, &what));
            }
        };
        Ok(Self {
            expires_ms,
            home,
            content,
        })
    }
}

/// The bytes of the row's value of a string.
#[must_use]
pub fn encode_string(text: &[u8], expires_ms: Option<i64>) -> Bytes {
    let mut value = begin(Kind::String as u8, expires_ms, text.len());
    value.extend_from_slice(text);
    value.into()
}

/// A row's value up to its body, with room for a body of `body` bytes.
fn begin(tag: u8, expires_ms: Option<i64>, body: usize) -> Vec<u8> {
    let (flags, expiry) = match expires_ms {
        Some(_) => (EXPIRES, U64_LEN),
        None => (0, 0),
    };
    let mut value = Vec::with_capacity(1 + expiry + body);
    value.push(tag | flags);
    if let Some(expires_ms) = expires_ms {
        value.extend_from_slice(&encode_i64(expires_ms));
    }
    value
}

fn decode_collection(reader: &mut Reader<'_>) -> Result<Collection, DecodeError> {
    let (version, size) = <(u64, u64)>::decode_from(reader)?;
    Ok(Collection { version, size })
}

fn decode_marks(bytes: &[u8]) -> Option<Marks> {
    let (&head, rest) = bytes.split_first()?;
    let len = usize::from(head & !(FIRST_IS_KNOWN | LAST_IS_KNOWN));
    let (low, high) = rest.split_at_checked(len)?;
    (low.len().max(high.len()) <= MARK_BYTES).then(|| Marks {
        low: Mark::start_of(low),
        high: Mark::start_of(high),
        first_is_known: head & FIRST_IS_KNOWN != 0,
        last_is_known: head & LAST_IS_KNOWN != 0,
    })
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
    if tag & !FLAGS == PIECES {
        return Ok(Kind::String);
    }
    let kinds = [
        Kind::String,
        Kind::Hash,
        Kind::List,
        Kind::Set,
        Kind::SortedSet,
    ];
    let kind = kinds.into_iter().find(|kind| *kind as u8 == tag & !FLAGS);
    kind.ok_or_else(|| {
        let what = format!("tag {tag:02x} is unknown to this version");
        Error::damaged(Space::Metadata, row, &what)
    })
}

#[cfg(test)]
mod tests {
    use engine::keys::hex;

    use super::super::{End, EndRow, Position};
    use super::*;

    #[test]
    fn the_bytes_of_values_are_those_of_the_documentation() {
        let collection = Collection {
            version: 7,
            size: 2,
        };
        let marks = Marks {
            low: Mark::start_of(&[0x40, 0x00]),
            high: Mark::start_of(&[0xbf]),
            first_is_known: true,
            last_is_known: false,
        };
        let set = Content::SortedSet(collection, marks);
        let mut metadata = Metadata {
            expires_ms: Some(1),
            ..Metadata::new(set)
        };
        assert_eq!(
            hex(&metadata.encode()),
            "87800000000000000100000000000000070000000000000002824000bf"
        );
        metadata.home = Some(Rc::from(&b"k\0"[..]));
        assert_eq!(
            hex(&metadata.encode()),
            "c780000000000000016b00ff0001\
             00000000000000070000000000000002824000bf"
        );
        assert_eq!(Metadata::decode(b"", &metadata.encode()).unwrap(), metadata);
        let list = |ends| Metadata::new(Content::List(collection, ends));
        let mut ends = Ends::regular(-1, 2);
        ends.last.row = EndRow::of(-2, 0, 3);
        let regular = list(ends);
        assert_eq!(
            hex(&regular.encode()),
            "0800000000000000070000000000000002000003fe7fffffffffffffff"
        );
        let ends = Ends {
            first: End::slot(0),
            last: End {
                position: Position {
                    slot: 1,
                    path: vec![5],
                },
                row: EndRow::default(),
            },
            middle: Some((0, 1)),
        };
        let changed = list(ends);
        assert_eq!(
            hex(&changed.encode()),
            "080000000000000007000000000000000200000000\
             800000000000000000\
             8000000000000001010000000000000005\
             80000000000000008000000000000001"
        );
        for list in [regular, changed] {
            assert_eq!(Metadata::decode(b"", &list.encode()).unwrap(), list);
        }
        let string = Metadata::new(Content::String("hi".into()));
        assert_eq!(hex(&string.encode()), "016869");
        let pieces = Metadata::new(Content::Pieces(collection));
        assert_eq!(hex(&pieces.encode()), "0900000000000000070000000000000002");
        assert_eq!(Metadata::decode(b"", &pieces.encode()).unwrap(), pieces);
    }

    #[test]
    fn foreign_bytes_are_an_error_with_a_reason() {
        for (value, reason) in [
            (&b""[..], "bytes missing"),
            (b"\x02", "tag 02 is unknown"),
            (b"\x03", "tag 03 is unknown"),
            (b"\x05", "tag 05 is unknown"),
            (b"\x21", "tag 21 is unknown"),
            (b"\x41k\x00\x01v", "tag 41 is unknown"),
            (b"\x47k", "bytes missing"),
            (b"\x07\x00", "bytes missing"),
            (b"\x87\x80\x00\x00\x00\x00\x00\x00\x01", "bytes missing"),
            (b"\x070000000011111111", "its marks"),
            (b"\x070000000011111111\x02x", "its marks"),
            (
                &[&b"\x070000000011111111\0"[..], &[0; 49]].concat(),
                "its marks",
            ),
            (
                b"\x0900000000\x00\x00\x00\x00\x20\x00\x00\x09",
                "longer than",
            ),
            (b"\x080000000011111111x", "its ends"),
            (b"\x0800000000111111110000222222223333333", "its ends"),
        ] {
            let value = Bytes::copy_from_slice(value);
            let error = Metadata::decode(b"\0\0\0\0k", &value).unwrap_err();
            assert!(error.to_string().contains(reason), "{value:?}: {error}");
        }
    }
}

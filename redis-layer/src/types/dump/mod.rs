//! Values as one string of bytes: the payload of `DUMP` and `RESTORE`, in the format of Redis's RDB files, version 10.
//!
//! ```text
//! payload  type: u8 | value | version: u16 little-endian | crc64 of all before: u64 little-endian
//! length   00xxxxxx | 01xxxxxx xxxxxxxx | 80 u32 big-endian | 81 u64 big-endian
//! string   length bytes | c0 i8 | c1 i16 | c2 i32 (little-endian, as decimal text) | c3 length length LZF
//! ```
//!
//! [`write()`] uses the plain form of each type, which every Redis from 3.2 on reads. [`read`] takes these and the compact ones
//! of all versions of Redis: integer sets, listpacks, ziplists, zipmaps, and quicklists of listpacks or ziplists.

mod compact;
mod crc64;
mod lzf;
mod ziplist;

use bytes::Bytes;

use crate::types::number::{parse_double, parse_integer};
use crate::types::value::Value;
use crate::types::zset::Element;

pub use crc64::crc64;

/// The newest version that is read, and the one that is written.
const VERSION: u16 = 10;
/// Version and checksum.
const FOOTER: usize = 2 + 8;
/// The most bytes that the compressed strings of a payload may have together. They take up to 264 times as much memory as
/// the payload.
const DECOMPRESSED_MAX: usize = 1 << 30;

const STRING: u8 = 0;
const LIST: u8 = 1;
const SET: u8 = 2;
const SORTED_SET_AS_TEXT: u8 = 3;
const HASH: u8 = 4;
const SORTED_SET: u8 = 5;
const HASH_ZIPMAP: u8 = 9;
const LIST_ZIPLIST: u8 = 10;
const SET_OF_INTEGERS: u8 = 11;
const SORTED_SET_ZIPLIST: u8 = 12;
const HASH_ZIPLIST: u8 = 13;
const LIST_QUICKLIST_OF_ZIPLISTS: u8 = 14;
const HASH_LISTPACK: u8 = 16;
const SORTED_SET_LISTPACK: u8 = 17;
const LIST_QUICKLIST: u8 = 18;
/// How a node of a quicklist is stored: as one plain element, or as a listpack.
const NODE_PLAIN: u64 = 1;
const NODE_PACKED: u64 = 2;

/// Why a payload was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadPayload {
    /// Its version is too new, or its checksum does not match.
    VersionOrChecksum,
    /// It is not a value.
    Format,
}

/// The payload of a value.
#[must_use]
pub fn write(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    match value {
        Value::String(text) => {
            out.push(STRING);
            write_string(&mut out, text);
        }
        Value::List(elements) => {
            out.push(LIST);
            write_strings(&mut out, elements);
        }
        Value::Set(members) => {
            out.push(SET);
            write_strings(&mut out, members);
        }
        Value::Hash(pairs) => {
            out.push(HASH);
            write_length(&mut out, pairs.len());
            for (field, value) in pairs {
                write_string(&mut out, field);
                write_string(&mut out, value);
            }
        }
        Value::SortedSet(elements) => {
            out.push(SORTED_SET);
            write_length(&mut out, elements.len());
            // Greatest score first, as Redis does: then Redis inserts each element at the head when it rebuilds its
            // list.
            for element in elements.iter().rev() {
                write_string(&mut out, &element.member);
                out.extend_from_slice(&element.score.to_le_bytes());
            }
        }
    }
    out.extend_from_slice(&VERSION.to_le_bytes());
    let checksum = crc64(&out);
    out.extend_from_slice(&checksum.to_le_bytes());
    out
}

fn write_length(out: &mut Vec<u8>, length: usize) {
    match (u8::try_from(length), u32::try_from(length)) {
        (Ok(short), _) if short < 1 << 6 => out.push(short),
        (_, Ok(length)) if length < 1 << 14 => {
            out.extend_from_slice(&(length as u16 | 1 << 14).to_be_bytes());
        }
        (_, Ok(length)) => {
            out.push(0x80);
            out.extend_from_slice(&length.to_be_bytes());
        }
        (_, Err(_)) => {
            out.push(0x81);
            out.extend_from_slice(&(length as u64).to_be_bytes());
        }
    }
}

/// Writes a short number as one, as Redis does, and everything else as it is.
fn write_string(out: &mut Vec<u8>, text: &[u8]) {
    let number = parse_integer(text).and_then(|number| i32::try_from(number).ok());
    match number {
        Some(number) => write_number(out, number),
        None => {
            write_length(out, text.len());
            out.extend_from_slice(text);
        }
    }
}

fn write_number(out: &mut Vec<u8>, number: i32) {
    if let Ok(number) = i8::try_from(number) {
        out.push(0xc0);
        out.extend_from_slice(&number.to_le_bytes());
    } else if let Ok(number) = i16::try_from(number) {
        out.push(0xc1);
        out.extend_from_slice(&number.to_le_bytes());
    } else {
        out.push(0xc2);
        out.extend_from_slice(&number.to_le_bytes());
    }
}

fn write_strings(out: &mut Vec<u8>, strings: &[Bytes]) {
    write_length(out, strings.len());
    for string in strings {
        write_string(out, string);
    }
}

/// The value of a payload.
///
/// Every length is bounded by what is left of the payload before anything is allocated for it, except for the lengths
/// of compressed strings, which have a bound of their own, 1 GiB together.
///
/// # Errors
/// See [`BadPayload`].
pub fn read(payload: &[u8]) -> Result<Value, BadPayload> {
    read_within(payload, DECOMPRESSED_MAX)
}

/// As [`read`], with another bound for the compressed strings.
fn read_within(payload: &[u8], decompressed_max: usize) -> Result<Value, BadPayload> {
    let (signed, checksum) = payload
        .split_last_chunk()
        .ok_or(BadPayload::VersionOrChecksum)?;
    let (body, version) = signed
        .split_last_chunk()
        .ok_or(BadPayload::VersionOrChecksum)?;
    debug_assert_eq!(payload.len(), body.len() + FOOTER);
    if u16::from_le_bytes(*version) > VERSION || u64::from_le_bytes(*checksum) != crc64(signed) {
        return Err(BadPayload::VersionOrChecksum);
    }
    let mut reader = Reader {
        rest: body,
        decompressed_left: decompressed_max,
    };
    let value = reader.value().ok_or(BadPayload::Format)?;
    let is_empty = match &value {
        Value::String(_) => false,
        Value::List(all) | Value::Set(all) => all.is_empty(),
        Value::Hash(all) => all.is_empty(),
        Value::SortedSet(all) => all.is_empty(),
    };
    // As in Redis, bytes behind the value do not matter.
    if is_empty {
        return Err(BadPayload::Format);
    }
    Ok(value)
}

/// The rest of a payload. Every function returns `None` where the bytes are not what they should be.
struct Reader<'p> {
    rest: &'p [u8],
    /// How many more bytes compressed strings may have.
    decompressed_left: usize,
}

/// A length, or the number of a special form.
enum Length {
    Bytes(u64),
    Special(u8),
}

impl<'p> Reader<'p> {
    fn take(&mut self, count: usize) -> Option<&'p [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn byte(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    fn length(&mut self) -> Option<Length> {
        let first = self.byte()?;
        let low = u64::from(first & 0x3f);
        Some(match first >> 6 {
            0 => Length::Bytes(low),
            1 => Length::Bytes(low << 8 | u64::from(self.byte()?)),
            3 => Length::Special(first & 0x3f),
            _ => match first {
                0x80 => Length::Bytes(u32::from_be_bytes(self.array()?).into()),
                0x81 => Length::Bytes(u64::from_be_bytes(self.array()?)),
                _ => return None,
            },
        })
    }

    /// A number of items. It is bounded because each item takes at least one byte.
    fn count(&mut self) -> Option<usize> {
        match self.length()? {
            Length::Bytes(count) => {
                let count = usize::try_from(count).ok()?;
                (count <= self.rest.len()).then_some(count)
            }
            Length::Special(_) => None,
        }
    }

    fn string(&mut self) -> Option<Bytes> {
        let text = |number: i64| Some(Bytes::from(number.to_string()));
        match self.length()? {
            Length::Bytes(length) => {
                let bytes = self.take(usize::try_from(length).ok()?)?;
                Some(Bytes::copy_from_slice(bytes))
            }
            Length::Special(0) => text(i8::from_le_bytes(self.array()?).into()),
            Length::Special(1) => text(i16::from_le_bytes(self.array()?).into()),
            Length::Special(2) => text(i32::from_le_bytes(self.array()?).into()),
            Length::Special(3) => {
                let compressed = self.count_of_bytes()?;
                let length = self.count_of_bytes()?;
                self.decompressed_left = self.decompressed_left.checked_sub(length)?;
                lzf::decompress(self.take(compressed)?, length).map(Bytes::from)
            }
            Length::Special(_) => None,
        }
    }

    fn count_of_bytes(&mut self) -> Option<usize> {
        match self.length()? {
            Length::Bytes(length) => usize::try_from(length).ok(),
            Length::Special(_) => None,
        }
    }

    fn strings(&mut self) -> Option<Vec<Bytes>> {
        let count = self.count()?;
        (0..count).map(|_| self.string()).collect()
    }

    fn value(&mut self) -> Option<Value> {
        Some(match self.byte()? {
            STRING => Value::String(self.string()?),
            LIST => Value::List(self.strings()?),
            SET => Value::Set(distinct(self.strings()?)?),
            HASH => {
                let count = self.count()?;
                let pairs = (0..count).map(|_| Some((self.string()?, self.string()?)));
                hash(pairs.collect::<Option<_>>()?)?
            }
            kind @ (SORTED_SET | SORTED_SET_AS_TEXT) => {
                let count = self.count()?;
                let pairs = (0..count).map(|_| {
                    let member = self.string()?;
                    let score = if kind == SORTED_SET {
                        f64::from_le_bytes(self.array()?)
                    } else {
                        self.score_as_text()?
                    };
                    Some(Element { member, score })
                });
                sorted_set(pairs.collect::<Option<_>>()?)?
            }
            SET_OF_INTEGERS => Value::Set(distinct(compact::intset(&self.string()?)?)?),
            HASH_LISTPACK => hash(pairs(&compact::listpack(&self.string()?)?)?)?,
            SORTED_SET_LISTPACK => with_scores(&compact::listpack(&self.string()?)?)?,
            HASH_ZIPMAP => hash(pairs(&ziplist::zipmap(&self.string()?)?)?)?,
            HASH_ZIPLIST => hash(pairs(&ziplist::ziplist(&self.string()?)?)?)?,
            SORTED_SET_ZIPLIST => with_scores(&ziplist::ziplist(&self.string()?)?)?,
            LIST_ZIPLIST => Value::List(ziplist::ziplist(&self.string()?)?),
            LIST_QUICKLIST_OF_ZIPLISTS => {
                let nodes = self.strings()?;
                let nodes = nodes.iter().map(|node| ziplist::ziplist(node));
                Value::List(nodes.collect::<Option<Vec<_>>>()?.concat())
            }
            LIST_QUICKLIST => {
                let nodes = self.count()?;
                let mut elements = Vec::new();
                for _ in 0..nodes {
                    let Length::Bytes(kind) = self.length()? else {
                        return None;
                    };
                    let node = self.string()?;
                    match kind {
                        // An element has a node of its own because it is large, so an empty one is wrong.
                        NODE_PLAIN if node.is_empty() => return None,
                        NODE_PLAIN => elements.push(node),
                        NODE_PACKED => elements.extend(compact::listpack(&node)?),
                        _ => return None,
                    }
                }
                Value::List(elements)
            }
            _ => return None,
        })
    }

    /// A score in the form of old versions of Redis: a length and the digits, or a special length for infinity and
    /// NaN.
    fn score_as_text(&mut self) -> Option<f64> {
        match self.byte()? {
            253 => None,
            254 => Some(f64::INFINITY),
            255 => Some(f64::NEG_INFINITY),
            length => parse_double(self.take(length.into())?),
        }
    }
}

fn distinct(members: Vec<Bytes>) -> Option<Vec<Bytes>> {
    let different: std::collections::HashSet<&Bytes> = members.iter().collect();
    (different.len() == members.len()).then_some(members)
}

fn pairs(strings: &[Bytes]) -> Option<Vec<(Bytes, Bytes)>> {
    let (pairs, rest) = strings.as_chunks();
    let pairs = pairs.iter().map(|[a, b]| (a.clone(), b.clone()));
    rest.is_empty().then(|| pairs.collect())
}

fn hash(pairs: Vec<(Bytes, Bytes)>) -> Option<Value> {
    distinct(pairs.iter().map(|(field, _)| field.clone()).collect())?;
    Some(Value::Hash(pairs))
}

/// Makes a sorted set of members that are each followed by the text of their score.
fn with_scores(strings: &[Bytes]) -> Option<Value> {
    let element = |(member, score): (Bytes, Bytes)| {
        let score = parse_double(&score)?;
        Some(Element { member, score })
    };
    let elements = pairs(strings)?.into_iter().map(element);
    sorted_set(elements.collect::<Option<_>>()?)
}

fn sorted_set(elements: Vec<Element>) -> Option<Value> {
    distinct(elements.iter().map(|e| e.member.clone()).collect())?;
    let is_number = elements.iter().all(|element| !element.score.is_nan());
    is_number.then_some(Value::SortedSet(elements))
}

#[test]
fn compressed_strings_are_bounded_together() {
    // Thirteen times an `a`, in six bytes.
    let string = b"\xc3\x05\x0d\x00a\xe0\x03\x00";
    let body = [&[LIST, 2], &string[..], &string[..], &VERSION.to_le_bytes()].concat();
    let payload = [&body[..], &crc64(&body).to_le_bytes()].concat();
    let element = Bytes::from("a".repeat(13));
    let list = Value::List(vec![element.clone(), element]);
    assert_eq!(read_within(&payload, 26), Ok(list));
    assert_eq!(read_within(&payload, 25), Err(BadPayload::Format));
}

//! The compact forms of Redis up to 6.2: ziplists, and the zipmaps of 2.4 and before.
//!
//! ```text
//! ziplist  bytes: u32 | offset of the last entry: u32 | count: u16, 65535 for unknown | entry* | ff
//! entry    bytes of the entry before: u8, or fe u32 | head | content           all numbers little-endian unless noted
//! head     00xxxxxx               a string of up to 63 bytes
//!          01xxxxxx xxxxxxxx      a string of up to 16383 bytes, big-endian
//!          80 u32                 a longer string, big-endian
//!          fe c0 f0 d0 e0         an integer of 1, 2, 3, 4, 8 bytes
//!          f1 .. fd               an integer from 0 to 12, without content
//! zipmap   count: u8, 254 and more for unknown | (length | field | length | free: u8 | value | unused bytes)* | ff
//! length   u8 below 254, or fe u32
//! ```
//!
//! Redis 7.0 checks all of this before it accepts such a payload. So a wrong offset is refused here too, even where
//! nothing needs it.

use bytes::Bytes;

use super::compact::{little_endian, text};

/// Bytes before the first entry of a ziplist.
const HEADER: usize = 4 + 4 + 2;
/// The byte that ends both forms.
const END: u8 = 0xff;
/// Says that a length of four bytes follows.
const BIG: u8 = 0xfe;

fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let four = bytes.get(at..)?.first_chunk()?;
    usize::try_from(u32::from_le_bytes(*four)).ok()
}

/// The entries of a ziplist; integers as texts.
pub(super) fn ziplist(bytes: &[u8]) -> Option<Vec<Bytes>> {
    if number(bytes, 0)? != bytes.len() {
        return None;
    }
    let last = number(bytes, 4)?;
    let count = u16::from_le_bytes(*bytes.get(8..)?.first_chunk()?);
    let mut entries = Vec::new();
    let (mut before, mut at) = (HEADER, HEADER);
    while *bytes.get(at)? != END {
        let (size_before, head) = match bytes[at] {
            BIG => (number(bytes, at + 1)?, at + 5),
            short => (short.into(), at + 1),
        };
        if size_before != at - before {
            return None;
        }
        let (entry, size) = content(bytes.get(head..)?)?;
        entries.push(entry);
        (before, at) = (at, head + size);
    }
    let is_whole = at + 1 == bytes.len();
    let is_last = if entries.is_empty() {
        last < bytes.len()
    } else {
        last == before
    };
    let is_right = count == u16::MAX || usize::from(count) == entries.len();
    (is_whole && is_last && is_right).then_some(entries)
}

/// What an entry holds, and how many bytes that takes, including its head.
fn content(bytes: &[u8]) -> Option<(Bytes, usize)> {
    let first = *bytes.first()?;
    let string = |head: usize, length: usize| {
        let end = head.checked_add(length)?;
        Some((Bytes::copy_from_slice(bytes.get(head..end)?), end))
    };
    let integer = |width: usize| Some((text(little_endian(bytes.get(1..=width)?)), 1 + width));
    match first {
        0..0x40 => string(1, first.into()),
        0x40..0x80 => {
            let low = usize::from(*bytes.get(1)?);
            string(2, usize::from(first & 0x3f) << 8 | low)
        }
        0x80 => {
            let length = u32::from_be_bytes(*bytes.get(1..)?.first_chunk()?);
            string(5, usize::try_from(length).ok()?)
        }
        0xfe => integer(1),
        0xc0 => integer(2),
        0xf0 => integer(3),
        0xd0 => integer(4),
        0xe0 => integer(8),
        0xf1..=0xfd => Some((text(i64::from(first) - 0xf1), 1)),
        _ => None,
    }
}

/// The fields and values of a zipmap, alternating. There must be at least one pair.
pub(super) fn zipmap(bytes: &[u8]) -> Option<Vec<Bytes>> {
    let (&count, mut rest) = bytes.split_first()?;
    let mut strings = Vec::new();
    while *rest.first()? != END {
        let (field_length, after) = length(rest)?;
        let (field, after) = after.split_at_checked(field_length)?;
        let (value_length, after) = length(after)?;
        let (&free, after) = after.split_first()?;
        let (value, after) = after.split_at_checked(value_length)?;
        rest = after.get(free.into()..)?;
        strings.extend([field, value].map(Bytes::copy_from_slice));
    }
    let is_right = count == BIG || usize::from(count) == strings.len() / 2;
    (is_right && rest.len() == 1 && !strings.is_empty()).then_some(strings)
}

/// A length of a zipmap and what follows it. The short form must be used wherever the length fits it.
fn length(bytes: &[u8]) -> Option<(usize, &[u8])> {
    match *bytes.first()? {
        END => None,
        BIG => {
            let length = number(bytes, 1)?;
            (length >= usize::from(BIG)).then(|| Some((length, bytes.get(5..)?)))?
        }
        short => Some((short.into(), &bytes[1..])),
    }
}

#[test]
fn every_form_of_an_entry_is_read() {
    let pack = |entry: &[u8]| {
        let total = HEADER + 1 + entry.len() + 1;
        let mut bytes = (total as u32).to_le_bytes().to_vec();
        bytes.extend_from_slice(&[HEADER as u8, 0, 0, 0, 1, 0, 0]);
        bytes.extend_from_slice(entry);
        bytes.push(END);
        bytes
    };
    for (entry, expected) in [
        (&b"\xf1"[..], "0"),
        (b"\xfd", "12"),
        (b"\xfe\x80", "-128"),
        (b"\xc0\x00\x80", "-32768"),
        (b"\xf0\x00\x00\x80", "-8388608"),
        (b"\xd0\xff\xff\xff\x7f", "2147483647"),
        (
            b"\xe0\x00\x00\x00\x00\x00\x00\x00\x80",
            "-9223372036854775808",
        ),
        (b"\x03abc", "abc"),
        (b"\x40\x03abc", "abc"),
        (b"\x80\x00\x00\x00\x03abc", "abc"),
    ] {
        assert_eq!(ziplist(&pack(entry)).unwrap(), [expected]);
        let mut wrong = pack(entry);
        wrong[8] = 2;
        assert_eq!(ziplist(&wrong), None, "another count");
        wrong = pack(entry);
        wrong[4] += 1;
        assert_eq!(ziplist(&wrong), None, "another last entry");
        wrong = pack(entry);
        wrong[HEADER] = 1;
        assert_eq!(ziplist(&wrong), None, "another entry before");
    }
    for unknown in [b"\xff", b"\x81", b"\xc1"] {
        assert_eq!(ziplist(&pack(unknown)), None);
    }
}

#[test]
fn free_bytes_in_a_zipmap_are_passed_over() {
    let map = b"\x02\x01a\x02\x03xy___\x00\x00\x00\xff";
    assert_eq!(zipmap(map).unwrap(), ["a", "xy", "", ""]);
    assert_eq!(zipmap(b"\x03\x01a\x02\x03xy___\x00\x00\x00\xff"), None);
    assert_eq!(zipmap(b"\x00\xff"), None);
    assert_eq!(zipmap(b"\x01\xfe\x01\x00\x00\x00a\x01\x00x\xff"), None);
}

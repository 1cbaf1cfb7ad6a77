//! The compact forms of Redis 7.0: integer sets and listpacks.
//!
//! ```text
//! intset    width: u32 | count: u32 | integers of 2, 4 or 8 bytes, all little-endian
//! listpack  bytes: u32 | count: u16 | entry* | ff
//! entry     0xxxxxxx                   7 bits, not negative
//!           10xxxxxx bytes             a string of up to 63 bytes
//!           110xxxxx xxxxxxxx          13 bits, signed
//!           1110xxxx xxxxxxxx bytes    a string of up to 4095 bytes
//!           f0 u32 bytes               a longer string
//!           f1 f2 f3 f4                an integer of 2, 3, 4, 8 bytes
//!           then the length of all that, for reading backwards: 1 to 5 bytes
//! ```

use bytes::Bytes;

/// An integer as the text that clients see.
pub(super) fn text(number: i64) -> Bytes {
    number.to_string().into()
}

/// A signed integer of up to eight bytes, little-endian.
pub(super) fn little_endian(bytes: &[u8]) -> i64 {
    let mut wide = [0; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    let unused = 64 - 8 * bytes.len() as u32;
    i64::from_le_bytes(wide) << unused >> unused
}

/// The integers of an intset, as texts.
pub(super) fn intset(bytes: &[u8]) -> Option<Vec<Bytes>> {
    let (width, rest) = bytes.split_first_chunk()?;
    let (count, integers) = rest.split_first_chunk()?;
    let width = usize::try_from(u32::from_le_bytes(*width)).ok()?;
    let count = usize::try_from(u32::from_le_bytes(*count)).ok()?;
    if !matches!(width, 2 | 4 | 8) || count.checked_mul(width)? != integers.len() {
        return None;
    }
    let integers = integers.chunks_exact(width).map(little_endian);
    Some(integers.map(text).collect())
}

/// The entries of a listpack; integers as texts.
pub(super) fn listpack(bytes: &[u8]) -> Option<Vec<Bytes>> {
    /// A count of this value means that the number of entries is not known.
    const MANY: u16 = u16::MAX;
    let (total, rest) = bytes.split_first_chunk()?;
    let (count, mut rest) = rest.split_first_chunk()?;
    if usize::try_from(u32::from_le_bytes(*total)).ok()? != bytes.len() {
        return None;
    }
    let mut entries = Vec::new();
    while *rest.first()? != 0xff {
        let (entry, length) = entry(rest)?;
        entries.push(entry);
        rest = rest.get(length + back_length(length)..)?;
    }
    let count = u16::from_le_bytes(*count);
    let is_right = count == MANY || usize::from(count) == entries.len();
    (is_right && rest.len() == 1).then_some(entries)
}

/// An entry and how many bytes it takes, without the length for reading backwards.
fn entry(bytes: &[u8]) -> Option<(Bytes, usize)> {
    let first = *bytes.first()?;
    let second = || bytes.get(1).copied().map(usize::from);
    let low = |bits: u32| usize::from(first) & ((1 << bits) - 1);
    let string = |head: usize, length: usize| {
        let end = head.checked_add(length)?;
        Some((Bytes::copy_from_slice(bytes.get(head..end)?), end))
    };
    let integer = |width: usize| Some((text(little_endian(bytes.get(1..=width)?)), 1 + width));
    match first {
        0..0x80 => Some((text(first.into()), 1)),
        0x80..0xc0 => string(1, low(6)),
        0xc0..0xe0 => {
            let number = low(5) << 8 | second()?;
            // 13 bits, of which the highest is the sign.
            Some((text((number as i64) << 51 >> 51), 2))
        }
        0xe0..0xf0 => string(2, low(4) << 8 | second()?),
        0xf0 => {
            let length = u32::from_le_bytes(*bytes.get(1..)?.first_chunk()?);
            string(5, usize::try_from(length).ok()?)
        }
        0xf1 => integer(2),
        0xf2 => integer(3),
        0xf3 => integer(4),
        0xf4 => integer(8),
        _ => None,
    }
}

/// How many bytes the length after an entry takes: seven bits of it in each.
const fn back_length(length: usize) -> usize {
    match length {
        0..=127 => 1,
        128..16_384 => 2,
        16_384..2_097_152 => 3,
        2_097_152..268_435_456 => 4,
        _ => 5,
    }
}

#[test]
fn every_width_of_an_integer_is_read() {
    let pack = |entries: &[u8], count: u16| {
        let total = 7 + entries.len() as u32;
        [
            &total.to_le_bytes(),
            &count.to_le_bytes()[..],
            entries,
            &[0xff],
        ]
        .concat()
    };
    for (entries, expected) in [
        (&b"\x05\x01"[..], "5"),
        (b"\xdf\xff\x02", "-1"),
        (b"\xc0\x80\x02", "128"),
        (b"\xf1\x00\x80\x03", "-32768"),
        (b"\xf2\xff\xff\xff\x04", "-1"),
        (b"\xf3\x00\x00\x00\x80\x05", "-2147483648"),
        (
            b"\xf4\xff\xff\xff\xff\xff\xff\xff\x7f\x09",
            "9223372036854775807",
        ),
        (b"\x81a\x02", "a"),
    ] {
        let read = listpack(&pack(entries, 1)).unwrap();
        assert_eq!(read, [Bytes::from_static(expected.as_bytes())]);
        assert_eq!(listpack(&pack(entries, 2)), None, "another count");
    }
    assert_eq!(listpack(b"\x07\0\0\0\0\0"), None);
    assert_eq!(intset(b"\x02\0\0\0\x01\0\0\0\xff\xff").unwrap(), ["-1"]);
    assert_eq!(intset(b"\x03\0\0\0\x01\0\0\0\xff\xff\xff"), None);
}

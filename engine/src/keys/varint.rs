//! A varint that sorts: the length first, in the leading one bits, then the number big-endian.
//!
//! Rule: a number takes the fewest bytes that hold it. The first byte starts with as many ones as
//! there are bytes to follow, then a zero, then the highest bits of the number. So `n` bytes carry
//! `7 n` bits, and nine bytes, of which the first is `ff`, carry all 64. A longer key has more
//! leading ones, hence a greater first byte. It is also the greater number, because no number is
//! written in more bytes than it needs. Keys of one length are big-endian numbers.
//!
//! ```
//! use engine::keys::{encode_varint, hex};
//! for (value, key) in [
//!     (0,             "00"),
//!     (1,             "01"),
//!     (127,           "7f"),
//!     (128,           "8080"),
//!     (255,           "80ff"),
//!     (256,           "8100"),
//!     (16_383,        "bfff"),
//!     (16_384,        "c04000"),
//!     ((1 << 56) - 1, "feffffffffffffff"),
//!     (1 << 56,       "ff0100000000000000"),
//!     (u64::MAX,      "ffffffffffffffffff"),
//! ] {
//!     assert_eq!(hex(&encode_varint(value)), key);
//! }
//! ```
//!
//! Why LEB128, the varint of file formats, does not sort: it puts the low seven bits first, as
//! little-endian does, and says "more follows" in each byte instead of "how many" in the first.
//! 255 becomes `ff 01` and 256 becomes `80 02`, so 256 sorts before 255.
//!
//! Invariants
//! 1. The first byte says how many follow, so a key is self-delimiting.
//! 2. A key is the shortest one for its number. The decoder refuses the others.
//!
//! Left out: signed numbers. Small negative ones would need a form that grows in both directions,
//! and no key of this project needs it.

use crate::keys::{DecodeError, DecodeKey, OrderedKey, Reader, SelfDelimiting, Why};

/// The greatest length of a varint key.
const LEN_MAX: usize = 9;

// ANCHOR: encode_varint
/// How many bytes the key of `value` takes: 1 to 9.
#[must_use]
pub const fn varint_len(value: u64) -> usize {
    let bits = (u64::BITS - value.leading_zeros()) as usize;
    match bits {
        0 => 1,
        1..=63 => bits.div_ceil(7),
        // The ninth byte needs no zero after the ones, because no key is longer.
        _ => LEN_MAX,
    }
}

/// Appends the varint key of `value` to `out`.
pub fn encode_varint_into(value: u64, out: &mut Vec<u8>) {
    let len = varint_len(value);
    let mut bytes = [0; LEN_MAX];
    bytes[1..].copy_from_slice(&value.to_be_bytes());
    let key = &mut bytes[LEN_MAX - len..];
    key[0] |= leading_ones(len - 1);
    out.extend_from_slice(key);
}
// ANCHOR_END: encode_varint

/// The varint key of `value`.
#[must_use]
pub fn encode_varint(value: u64) -> Vec<u8> {
    Varint(value).to_key()
}

/// The number of a key that [`encode_varint`] made. The key must hold nothing else.
///
/// # Errors
/// [`Why::OverlongVarint`], [`Why::Truncated`], [`Why::TrailingBytes`].
pub fn decode_varint(key: &[u8]) -> Result<u64, DecodeError> {
    Varint::from_key(key).map(|varint| varint.0)
}

/// A byte that starts with `count` ones, for counts up to 8.
const fn leading_ones(count: usize) -> u8 {
    let [_, byte] = (0xff00_u16 >> count).to_be_bytes();
    byte
}

/// A `u64` whose key is short when the number is small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Varint(pub u64);

impl OrderedKey for Varint {
    fn encode_into(&self, out: &mut Vec<u8>) {
        encode_varint_into(self.0, out);
    }
}

impl SelfDelimiting for Varint {}

impl DecodeKey for Varint {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let start = reader.offset();
        let first = reader.byte()?;
        let follow = first.leading_ones() as usize;
        let mut value = u64::from(first ^ leading_ones(follow));
        reader.need(follow)?;
        for _ in 0..follow {
            value = value << 8 | u64::from(reader.byte()?);
        }
        let (used, needed) = (follow + 1, varint_len(value));
        if used != needed {
            return Err(Why::OverlongVarint { used, needed }.at(start));
        }
        Ok(Self(value))
    }
}

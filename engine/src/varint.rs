//! The engine's one variable-length integer: seven bits a byte, the lowest first (LEB128).
//!
//! ```text
//! 0xxxxxxx                        up to 127
//! 1xxxxxxx 0xxxxxxx               up to 16,383
//! ...                             ten bytes for 2^64 - 1
//! ```
//!
//! Lengths and numbers in logs, tables, batches and the manifest use it. Keys do not, because its
//! bytes do not sort as the numbers do (`keys` has an encoding that does).
//!
//! Invariant: a number has exactly one encoding. A longer one than needed is refused, so two
//! different files never mean the same thing.

/// The most bytes that one number takes.
pub const MAX_BYTES: usize = 10;

/// Appends `value`.
#[inline]
pub fn append(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// How many bytes [`append`] writes for `value`.
#[must_use]
pub const fn len(value: u64) -> usize {
    let bits = u64::BITS - (value | 1).leading_zeros();
    bits.div_ceil(7) as usize
}

/// Takes a number off the front of `input`. Returns `None` and leaves `input` unchanged if the
/// number is cut off, does not fit in 64 bits, or is encoded in more bytes than it needs.
#[inline]
pub fn take(input: &mut &[u8]) -> Option<u64> {
    if let Some((&byte, rest)) = input.split_first()
        && byte < 0x80
    {
        *input = rest;
        return Some(u64::from(byte));
    }
    take_long(input)
}

#[inline]
fn take_long(input: &mut &[u8]) -> Option<u64> {
    if let Some((value, bytes)) = input.first_chunk().and_then(first_of_word) {
        *input = &input[bytes..];
        return Some(value);
    }
    take_byte_by_byte(input)
}

#[inline(never)]
fn take_byte_by_byte(input: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for (at, &byte) in input.iter().take(MAX_BYTES).enumerate() {
        let bits = u64::from(byte & 0x7f);
        let shift = 7 * at as u32;
        if bits << shift >> shift != bits {
            return None;
        }
        value |= bits << shift;
        if byte < 0x80 {
            if byte == 0 && at > 0 {
                return None;
            }
            *input = &input[at + 1..];
            return Some(value);
        }
    }
    None
}

/// Decodes the number at the front of eight bytes without a loop; returns it and its length. `None`
/// if the encoding continues past the eight bytes or is longer than needed. This matters because
/// sequence numbers in tables take three or four bytes and a search reads several of them.
#[inline(always)]
pub fn first_of_word(bytes: &[u8; 8]) -> Option<(u64, usize)> {
    let word = u64::from_le_bytes(*bytes);
    let ends = !word & 0x8080_8080_8080_8080;
    let bits = ends.trailing_zeros() + 1;
    if ends == 0 || (bits > 8 && word >> (bits - 8) & 0xff == 0) {
        return None;
    }
    // Close the gap of one bit between bytes, then between pairs of bytes, then between groups of
    // four.
    let sevens = word << (64 - bits) >> (64 - bits) & 0x7f7f_7f7f_7f7f_7f7f;
    let pairs = sevens & 0x007f_007f_007f_007f | (sevens & 0x7f00_7f00_7f00_7f00) >> 1;
    let fours = pairs & 0x0000_3fff_0000_3fff | (pairs & 0x3fff_0000_3fff_0000) >> 2;
    let value = fours & 0x0fff_ffff | (fours & 0x0fff_ffff_0000_0000) >> 4;
    Some((value, bits as usize / 8))
}

/// Takes a number that must fit in 32 bits; otherwise like [`take`].
#[inline]
pub fn take_u32(input: &mut &[u8]) -> Option<u32> {
    let mut rest = *input;
    let value = u32::try_from(take(&mut rest)?).ok()?;
    *input = rest;
    Some(value)
}

/// Takes a length and that many bytes. Returns `None` and leaves `input` unchanged if fewer remain.
#[inline]
pub fn take_bytes<'a>(input: &mut &'a [u8]) -> Option<&'a [u8]> {
    let mut rest = *input;
    let len = usize::try_from(take(&mut rest)?).ok()?;
    let (bytes, rest) = rest.split_at_checked(len)?;
    *input = rest;
    Some(bytes)
}

/// Appends the length of `bytes`, then `bytes`.
#[inline]
pub fn append_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    append(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bytes_are_as_documented() {
        for (value, bytes) in [
            (0, &[0][..]),
            (127, &[0x7f]),
            (128, &[0x80, 1]),
            (16_383, &[0xff, 0x7f]),
            (16_384, &[0x80, 0x80, 1]),
            (
                u64::MAX,
                &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
            ),
        ] {
            let mut out = Vec::new();
            append(&mut out, value);
            assert_eq!(out, bytes);
            assert_eq!(len(value), bytes.len());
        }
    }

    #[test]
    fn cut_long_and_large_ones_are_refused() {
        for bytes in [
            &[][..],
            &[0x80],
            &[0x80, 0],
            &[0xff, 0x80, 0],
            &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2],
            &[0xff; 11],
        ] {
            let mut input = bytes;
            assert_eq!(take(&mut input), None, "{bytes:?}");
            assert_eq!(input, bytes);
        }
        // The number itself is already bad, whatever bytes follow it.
        for bytes in [
            [0x80, 0, 1, 1, 1, 1, 1, 1, 1, 1],
            [0xff, 0x80, 0, 1, 1, 1, 1, 1, 1, 1],
        ] {
            assert_eq!(take(&mut &bytes[..]), None, "{bytes:?}");
        }
        let mut input = &[0x80, 0x80, 0x80, 0x80, 0x10][..];
        assert_eq!(take_u32(&mut input), None);
        assert_eq!(take(&mut input), Some(1 << 32));
    }

    #[test]
    fn a_length_beyond_the_input_takes_nothing() {
        let mut input = &[3, b'a', b'b'][..];
        assert_eq!(take_bytes(&mut input), None);
        assert_eq!(input, [3, b'a', b'b']);
    }

    proptest! {
        #[test]
        fn what_is_appended_is_taken(value in any::<u64>(), shift in 0u32..64, tail in prop::collection::vec(any::<u8>(), 0..12)) {
            let value = value >> shift;
            let mut out = Vec::new();
            append(&mut out, value);
            out.extend(&tail);
            let mut input = &out[..];
            prop_assert_eq!(take(&mut input), Some(value));
            prop_assert_eq!(input, tail);
        }
    }
}

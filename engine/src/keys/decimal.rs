//! Padded decimals: twenty digits, what `printf("%020u")` writes.
//!
//! Rule: write the number in decimal and fill with zeros to the left, up to the width of the
//! greatest one. Without the zeros, text sorts by the first digit: `10` before `9`. This form is
//! two and a half times as long as the big-endian bytes and says the same. It earns its place where
//! people read keys: a time series such as `cpu:00000001571819021259`.
//!
//! ```
//! use engine::keys::encode_decimal;
//! for (value, key) in [
//!     (0,                 b"00000000000000000000"),
//!     (9,                 b"00000000000000000009"),
//!     (10,                b"00000000000000000010"),
//!     (1_571_819_021_259, b"00000001571819021259"),
//!     (u64::MAX,          b"18446744073709551615"),
//! ] {
//!     assert_eq!(&encode_decimal(value), key);
//! }
//! assert!("10" < "9");
//! ```
//!
//! Invariants
//! 1. A key has exactly twenty bytes, so it is self-delimiting, and all are ASCII digits.
//! 2. The number fits in 64 bits. `18446744073709551616` is twenty digits, and no key.
//!
//! Left out: negative numbers. A minus sign sorts before the digits, which is right, but after it
//! the magnitudes sort backwards: `-05`, `-09`, `-10`, and without padding `-10`, `-5`, `-9`.

use crate::keys::{DecodeError, DecodeKey, OrderedKey, Reader, SelfDelimiting, Why};

/// The digits of `u64::MAX`.
const WIDTH: usize = 20;

// ANCHOR: encode_decimal
/// The key of a number as twenty decimal digits.
#[must_use]
pub const fn encode_decimal(mut value: u64) -> [u8; WIDTH] {
    let mut key = [b'0'; WIDTH];
    let mut index = WIDTH;
    while value > 0 {
        index -= 1;
        key[index] += (value % 10) as u8;
        value /= 10;
    }
    key
}
// ANCHOR_END: encode_decimal

/// The number of a key that [`encode_decimal`] made.
///
/// # Errors
/// [`Why::NotADigit`], [`Why::DecimalOverflow`].
pub fn decode_decimal(key: [u8; WIDTH]) -> Result<u64, DecodeError> {
    PaddedDecimal::from_key(&key).map(|decimal| decimal.0)
}

/// A `u64` whose key is its twenty decimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PaddedDecimal(pub u64);

impl OrderedKey for PaddedDecimal {
    fn encode_into(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&encode_decimal(self.0));
    }
}

impl SelfDelimiting for PaddedDecimal {}

impl DecodeKey for PaddedDecimal {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let start = reader.offset();
        let mut value = 0_u64;
        for (index, found) in reader.array::<WIDTH>()?.into_iter().enumerate() {
            if !found.is_ascii_digit() {
                return Err(Why::NotADigit { found }.at(start + index));
            }
            value = value
                .checked_mul(10)
                .and_then(|tens| tens.checked_add(u64::from(found - b'0')))
                .ok_or_else(|| Why::DecimalOverflow.at(start + index))?;
        }
        Ok(Self(value))
    }
}

//! The sign bit flipped, then big-endian.
//!
//! Two's complement already counts upwards within each sign. Only the two halves are the wrong way
//! round, and the sign bit, the first bit that is compared, decides between them.

const SIGN_BIT: u64 = 1 << 63;

/// The key of `value`.
pub fn encode(value: i64) -> [u8; 8] {
    (value.cast_unsigned() ^ SIGN_BIT).to_be_bytes()
}

/// The value whose key is `key`.
pub fn decode(key: [u8; 8]) -> i64 {
    (u64::from_be_bytes(key) ^ SIGN_BIT).cast_signed()
}

//! Signed integers: flip the sign bit, then big-endian bytes.
//!
//! Rule: two's complement already counts upwards within the negative numbers and within the others;
//! only the two halves are the wrong way round, because negative numbers have the top bit set.
//! Flipping that bit swaps the halves. It adds 2^63 modulo 2^64, so it moves `i64::MIN` to 0 and
//! keeps every distance.
//!
//! ```
//! use engine::keys::{encode_i64, hex};
//! for (value, key) in [
//!     (i64::MIN,       "0000000000000000"),
//!     (-300,           "7ffffffffffffed4"),
//!     (-200,           "7fffffffffffff38"),
//!     (-1,             "7fffffffffffffff"),
//!     (0,              "8000000000000000"),
//!     (1,              "8000000000000001"),
//!     (0xffff_0000,    "80000000ffff0000"),
//!     (i64::MAX,       "ffffffffffffffff"),
//! ] {
//!     assert_eq!(hex(&encode_i64(value)), key);
//! }
//! ```
//!
//! Invariants
//! 1. A key has exactly the size of its type, so it is self-delimiting.
//! 2. Every byte string of that size is a key.
//!
//! Proof for all pairs: `engine/proofs/right_i64.smt2`. LedisDB's marker byte solves the same
//! problem in nine bytes, see [`historical::ledis`](crate::keys::historical::ledis).

use crate::keys::{DecodeError, DecodeKey, OrderedKey, Reader, SelfDelimiting};

// ANCHOR: encode_i64
/// The key of an `i64`: the sign bit flipped, then big-endian bytes.
#[must_use]
pub const fn encode_i64(value: i64) -> [u8; 8] {
    (value ^ i64::MIN).to_be_bytes()
}

/// The `i64` of a key. Any eight bytes are a key.
#[must_use]
pub const fn decode_i64(key: [u8; 8]) -> i64 {
    i64::from_be_bytes(key) ^ i64::MIN
}
// ANCHOR_END: encode_i64

/// The other widths repeat the rule of `encode_i64`, which is spelled out above because it is
/// the one that people read. `MIN` is the number that has the sign bit and nothing else.
macro_rules! functions {
    ($($signed:ident $encode:ident $decode:ident)*) => {$(
        #[doc = concat!("The key of an `", stringify!($signed), "`: the sign bit flipped, then big-endian bytes.")]
        #[must_use]
        pub const fn $encode(value: $signed) -> [u8; size_of::<$signed>()] {
            (value ^ $signed::MIN).to_be_bytes()
        }

        #[doc = concat!("The `", stringify!($signed), "` of a key.")]
        #[must_use]
        pub const fn $decode(key: [u8; size_of::<$signed>()]) -> $signed {
            <$signed>::from_be_bytes(key) ^ $signed::MIN
        }
    )*};
}

functions! {
    i8 encode_i8 decode_i8
    i16 encode_i16 decode_i16
    i32 encode_i32 decode_i32
    i128 encode_i128 decode_i128
}

macro_rules! keys {
    ($($signed:ident $encode:ident $decode:ident)*) => {$(
        impl OrderedKey for $signed {
            fn encode_into(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&$encode(*self));
            }
        }

        impl SelfDelimiting for $signed {}

        impl DecodeKey for $signed {
            fn decode_from(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
                reader.array().map($decode)
            }
        }
    )*};
}

keys! {
    i8 encode_i8 decode_i8
    i16 encode_i16 decode_i16
    i32 encode_i32 decode_i32
    i64 encode_i64 decode_i64
    i128 encode_i128 decode_i128
}

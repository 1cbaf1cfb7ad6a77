//! Unsigned integers: their big-endian bytes.
//!
//! Rule: most significant byte first. Byte strings are compared from the left, numbers by their
//! highest digit that differs: big-endian puts the two in the same place.
//!
//! ```
//! use engine::keys::{encode_u64, hex};
//! for (value, key) in [
//!     (0,              "0000000000000000"),
//!     (1,              "0000000000000001"),
//!     (255,            "00000000000000ff"),
//!     (256,            "0000000000000100"),
//!     (0xffff_0000,    "00000000ffff0000"),
//!     (u64::MAX,       "ffffffffffffffff"),
//! ] {
//!     assert_eq!(hex(&encode_u64(value)), key);
//! }
//! ```
//!
//! Invariants
//! 1. A key has exactly the size of its type, so it is self-delimiting.
//! 2. Every byte string of that size is a key.
//!
//! Left out: a shorter form for small numbers, see [`Varint`](crate::keys::Varint).

use crate::keys::{DecodeError, DecodeKey, OrderedKey, Reader, SelfDelimiting};

// ANCHOR: encode_u64
/// The key of a `u64`: its big-endian bytes.
#[must_use]
pub const fn encode_u64(value: u64) -> [u8; 8] {
    value.to_be_bytes()
}

/// The `u64` of a key. Any eight bytes are a key.
#[must_use]
pub const fn decode_u64(key: [u8; 8]) -> u64 {
    u64::from_be_bytes(key)
}
// ANCHOR_END: encode_u64

/// The other widths repeat the rule of `encode_u64`, which is spelled out above because it is
/// the one that people read.
macro_rules! functions {
    ($($unsigned:ident $encode:ident $decode:ident)*) => {$(
        #[doc = concat!("The key of a `", stringify!($unsigned), "`: its big-endian bytes.")]
        #[must_use]
        pub const fn $encode(value: $unsigned) -> [u8; size_of::<$unsigned>()] {
            value.to_be_bytes()
        }

        #[doc = concat!("The `", stringify!($unsigned), "` of a key.")]
        #[must_use]
        pub const fn $decode(key: [u8; size_of::<$unsigned>()]) -> $unsigned {
            <$unsigned>::from_be_bytes(key)
        }
    )*};
}

functions! {
    u8 encode_u8 decode_u8
    u16 encode_u16 decode_u16
    u32 encode_u32 decode_u32
    u128 encode_u128 decode_u128
}

macro_rules! keys {
    ($($unsigned:ident $encode:ident $decode:ident)*) => {$(
        impl OrderedKey for $unsigned {
            fn encode_into(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&$encode(*self));
            }
        }

        impl SelfDelimiting for $unsigned {}

        impl DecodeKey for $unsigned {
            fn decode_from(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
                reader.array().map($decode)
            }
        }
    )*};
}

keys! {
    u8 encode_u8 decode_u8
    u16 encode_u16 decode_u16
    u32 encode_u32 decode_u32
    u64 encode_u64 decode_u64
    u128 encode_u128 decode_u128
}

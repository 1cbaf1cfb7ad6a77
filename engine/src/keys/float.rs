//! Floats: a set sign bit inverts everything, a clear one is set, then big-endian bytes.
//!
//! Rule: IEEE 754 is sign and magnitude. Without the sign bit, the bits of a float count upwards
//! with its magnitude: first the exponent, then the fraction. So positive floats already sort, but
//! negative ones sort backwards and after the positive ones. Setting the top bit of the positive
//! ones lifts them above the negative ones. Inverting the negative ones reverses their order and
//! clears their top bit.
//!
//! The total order tests the **sign bit**. It orders all bit patterns as [`f64::total_cmp`] does
//! and gives every one of them a key of its own, NaNs and both zeros included:
//!
//! ```
//! use engine::keys::{encode_f64, hex};
//! for (value, key) in [
//!     (f64::from_bits(u64::MAX), "0000000000000000"), // NaNs with the sign bit: below -inf
//!     (f64::NEG_INFINITY,        "000fffffffffffff"),
//!     (-2.0,                     "3fffffffffffffff"),
//!     (-1.0,                     "400fffffffffffff"),
//!     (-0.0,                     "7fffffffffffffff"),
//!     (0.0,                      "8000000000000000"),
//!     (1.0,                      "bff0000000000000"),
//!     (2.0,                      "c000000000000000"),
//!     (f64::INFINITY,            "fff0000000000000"),
//!     (f64::NAN,                 "fff8000000000000"), // NaNs without it: above +inf
//! ] {
//!     assert_eq!(hex(&encode_f64(value)), key);
//! }
//! ```
//!
//! The *numeric* variant is [`Numeric`](crate::keys::Numeric). It orders by `<` instead: one zero,
//! no NaN.
//!
//! Invariants
//! 1. A key has exactly the size of its type, so it is self-delimiting.
//! 2. Every byte string of that size is a key: NaN payloads come back bit for bit.
//! 3. NaNs with the sign bit sort below -inf, the others above +inf. Among NaNs of one sign the
//!    magnitude decides: a greater payload lies farther from the infinity.
//!
//! Proof for all pairs: `engine/proofs/right_f64_total.smt2` and `right_f64_numeric.smt2`.
//!
//! Left out: `f16` as a type, which stable Rust does not have yet. Its bits have functions.

use crate::keys::{DecodeError, DecodeKey, OrderedKey, Reader, SelfDelimiting};

// ANCHOR: encode_f64
/// The key of an `f64`, in total order: -0.0 before +0.0, NaNs at the ends.
#[must_use]
pub const fn encode_f64(value: f64) -> [u8; 8] {
    const SIGN: u64 = 1 << 63;
    let bits = value.to_bits();
    let ordered = if bits & SIGN != 0 { !bits } else { bits | SIGN };
    ordered.to_be_bytes()
}

/// The `f64` of a key. Any eight bytes are a key, NaN payloads included.
#[must_use]
#[inline]
pub const fn decode_f64(key: [u8; 8]) -> f64 {
    const SIGN: u64 = 1 << 63;
    let ordered = u64::from_be_bytes(key);
    let bits = if ordered & SIGN != 0 {
        ordered ^ SIGN
    } else {
        !ordered
    };
    f64::from_bits(bits)
}
// ANCHOR_END: encode_f64

/// The key of an `f32`, in total order. The rule of [`encode_f64`].
#[must_use]
pub const fn encode_f32(value: f32) -> [u8; 4] {
    const SIGN: u32 = 1 << 31;
    let bits = value.to_bits();
    let ordered = if bits & SIGN != 0 { !bits } else { bits | SIGN };
    ordered.to_be_bytes()
}

/// The `f32` of a key. Any four bytes are a key.
#[must_use]
pub const fn decode_f32(key: [u8; 4]) -> f32 {
    const SIGN: u32 = 1 << 31;
    let ordered = u32::from_be_bytes(key);
    let bits = if ordered & SIGN != 0 {
        ordered ^ SIGN
    } else {
        !ordered
    };
    f32::from_bits(bits)
}

/// The key of a binary16 float, given by its bits, in total order. The rule of [`encode_f64`].
#[must_use]
pub const fn encode_f16_bits(bits: u16) -> [u8; 2] {
    const SIGN: u16 = 1 << 15;
    let ordered = if bits & SIGN != 0 { !bits } else { bits | SIGN };
    ordered.to_be_bytes()
}

/// The bits of the binary16 float of a key. Any two bytes are a key.
#[must_use]
pub const fn decode_f16_bits(key: [u8; 2]) -> u16 {
    const SIGN: u16 = 1 << 15;
    let ordered = u16::from_be_bytes(key);
    if ordered & SIGN != 0 {
        ordered ^ SIGN
    } else {
        !ordered
    }
}

macro_rules! keys {
    ($($float:ident $encode:ident $decode:ident)*) => {$(
        impl OrderedKey for $float {
            fn encode_into(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&$encode(*self));
            }
        }

        impl SelfDelimiting for $float {}

        impl DecodeKey for $float {
            fn decode_from(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
                reader.array().map($decode)
            }
        }
    )*};
}

keys! {
    f32 encode_f32 decode_f32
    f64 encode_f64 decode_f64
}

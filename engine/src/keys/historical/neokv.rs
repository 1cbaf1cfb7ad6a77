//! NeoKV: an `f64` score in eight bytes, by the sign bit.
//!
//! Rule: if the sign bit is set, invert everything; otherwise flip the sign bit.
//!
//! ```
//! use engine::keys::{hex, historical::neokv};
//! for (score, key) in [
//!     (f64::NEG_INFINITY, "000fffffffffffff"),
//!     (-100.0,            "3fa6ffffffffffff"),
//!     (-1.0,              "400fffffffffffff"),
//!     (-0.0,              "7fffffffffffffff"),
//!     (0.0,               "8000000000000000"),
//!     (1.0,               "bff0000000000000"),
//!     (100.0,             "c059000000000000"),
//!     (f64::INFINITY,     "fff0000000000000"),
//! ] {
//!     assert_eq!(hex(&neokv::encode_f64(score)), key);
//! }
//! ```
//!
//! What follows
//! 1. It is the total order of [`encode_f64`](crate::keys::encode_f64), key for key. It is written
//!    out here a second time as its source has it, and a test compares the two.
//! 2. The zeros have different keys although they are equal as scores, so the range from +0.0 to
//!    +0.0 misses a member that was stored with -0.0.
//! 3. NaN is stored above +inf or below -inf, where Redis would have refused it.

// ANCHOR: neokv
/// The key of a score.
#[must_use]
pub const fn encode_f64(score: f64) -> [u8; 8] {
    const SIGN: u64 = 1 << 63;
    let bits = score.to_bits();
    let ordered = if bits & SIGN == SIGN {
        bits ^ u64::MAX
    } else {
        bits ^ SIGN
    };
    ordered.to_be_bytes()
}

/// The score of a key.
#[must_use]
pub const fn decode_f64(key: [u8; 8]) -> f64 {
    const SIGN: u64 = 1 << 63;
    let ordered = u64::from_be_bytes(key);
    let bits = if ordered & SIGN == SIGN {
        ordered ^ SIGN
    } else {
        ordered ^ u64::MAX
    };
    f64::from_bits(bits)
}
// ANCHOR_END: neokv

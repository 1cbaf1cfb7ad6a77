//! QDB: an `f64` score in eight bytes, by the value and not by the sign bit.
//!
//! Rule: if `score >= 0`, set the top bit; otherwise invert all bits. Decoding looks at the top bit.
//!
//! ```
//! use engine::keys::{hex, historical::qdb};
//! for (score, key) in [
//!     (f64::NEG_INFINITY, "000fffffffffffff"),
//!     (-1.0,              "400fffffffffffff"),
//!     (-0.0,              "8000000000000000"), // -0.0 >= 0 holds: one key for both zeros
//!     (0.0,               "8000000000000000"),
//!     (f64::NAN,          "8007ffffffffffff"), // NaN >= 0 fails: inverted
//!     (1.0,               "bff0000000000000"),
//!     (f64::INFINITY,     "fff0000000000000"),
//! ] {
//!     assert_eq!(hex(&qdb::encode_f64(score)), key);
//! }
//! let read_back = qdb::decode_f64(qdb::encode_f64(f64::NAN));
//! assert_eq!(read_back, f64::from_bits(0x0007_ffff_ffff_ffff)); // 1.1125369292536e-308
//! ```
//!
//! What follows
//! 1. -0.0 comes back as +0.0. For a score that is the better choice: the two are equal.
//! 2. A positive NaN sorts between +0.0 and every normal positive number, and comes back as a
//!    subnormal number. A negative NaN sorts below -inf. Nothing reports either.
//! 3. Without NaN it is the order of `<`, and the key of [`Numeric`](crate::keys::Numeric).
//!
//! Source: QDB, `float64ToUint64` in `pkg/store/util.go` (2015).

// ANCHOR: qdb
/// The key of a score.
#[must_use]
pub const fn encode_f64(score: f64) -> [u8; 8] {
    const TOP: u64 = 1 << 63;
    let bits = score.to_bits();
    let ordered = if score >= 0.0 { bits | TOP } else { !bits };
    ordered.to_be_bytes()
}

/// The score that a reader of the key gets, which is not always the one that was written.
#[must_use]
pub const fn decode_f64(key: [u8; 8]) -> f64 {
    const TOP: u64 = 1 << 63;
    let ordered = u64::from_be_bytes(key);
    let bits = if ordered & TOP != 0 {
        ordered & !TOP
    } else {
        !ordered
    };
    f64::from_bits(bits)
}
// ANCHOR_END: qdb

//! LedisDB: an `i64` score in nine bytes, a marker for the sign and the big-endian bytes.
//!
//! Rule: `<` (3c) precedes a negative number, `=` (3d) the others. The marker puts the negative
//! numbers first. Within each half, two's complement in big-endian bytes already sorts.
//!
//! ```
//! use engine::keys::{hex, historical::ledis};
//! for (score, key) in [
//!     (i64::MIN, "3c 8000000000000000"),
//!     (-300,     "3c fffffffffffffed4"),
//!     (-200,     "3c ffffffffffffff38"),
//!     (-1,       "3c ffffffffffffffff"),
//!     (0,        "3d 0000000000000000"),
//!     (1,        "3d 0000000000000001"),
//!     (i64::MAX, "3d 7fffffffffffffff"),
//! ] {
//!     assert_eq!(hex(&ledis::encode_i64(score)), key.replace(' ', ""));
//! }
//! ```
//!
//! The order is that of [`encode_i64`](crate::keys::encode_i64), which needs eight bytes: the
//! marker repeats what the sign bit says. Both claims are proved for all pairs in
//! `engine/proofs/right_ledis.smt2`.
//!
//! Invariant: the decoder refuses a marker that contradicts the number after it. Two keys for one
//! score would be two rows for one member.
//!
//! Source: LedisDB, `ledis/t_zset.go`, `zEncodeScoreKey`.

use crate::keys::{DecodeError, Reader, Why};

/// Marks a negative score.
pub const NEGATIVE: u8 = b'<';
/// Marks zero and the positive scores.
pub const NOT_NEGATIVE: u8 = b'=';

// ANCHOR: ledis
/// The nine-byte key of a score.
#[must_use]
pub const fn encode_i64(score: i64) -> [u8; 9] {
    let marker = if score < 0 { NEGATIVE } else { NOT_NEGATIVE };
    let [a, b, c, d, e, f, g, h] = score.to_be_bytes();
    [marker, a, b, c, d, e, f, g, h]
}
// ANCHOR_END: ledis

/// The score of a nine-byte key.
///
/// # Errors
/// [`Why::BadMarker`], [`Why::MarkerContradictsSign`].
pub fn decode_i64(key: [u8; 9]) -> Result<i64, DecodeError> {
    let mut reader = Reader::new(&key);
    let marker = reader.byte()?;
    let score = i64::from_be_bytes(reader.array()?);
    match (marker, score < 0) {
        (NEGATIVE, true) | (NOT_NEGATIVE, false) => Ok(score),
        (NEGATIVE | NOT_NEGATIVE, _) => Err(Why::MarkerContradictsSign { marker }.at(0)),
        (found, _) => Err(Why::BadMarker { found }.at(0)),
    }
}

// ANCHOR: ledis_as_published
/// The key as its author's article lists it: marker, then *little-endian* bytes.
///
/// Source: `siddontang/blog`, `double-lexicographic-comparison.md` (commit 3570535). Its text asks
/// for big-endian bytes, but its sample shows `<38ffffffffffffff` for -200. In this form -200 sorts
/// before -300, so the sample cannot come from a store that works.
#[must_use]
pub const fn encode_i64_as_published(score: i64) -> [u8; 9] {
    let marker = if score < 0 { NEGATIVE } else { NOT_NEGATIVE };
    let [a, b, c, d, e, f, g, h] = score.to_le_bytes();
    [marker, a, b, c, d, e, f, g, h]
}
// ANCHOR_END: ledis_as_published

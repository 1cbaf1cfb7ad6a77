//! The end of a score range as `encoded score ++ ff`, which is too small.
//!
//! Rule, as found: to read all rows `encoded score ++ member` of one score, scan from the encoded
//! score up to the encoded score followed by one `ff`.
//!
//! ```
//! use engine::keys::{historical::upper_bound, prefix_successor};
//! let score = [0xbf, 0xf0];                       // a prefix, as an encoded score is one
//! let row = |member: &[u8]| [&score, member].concat();
//! let end = upper_bound::with_ff(&score);
//! assert!(row(b"alice")    < end);
//! assert!(row(b"\xfe\xff") < end);
//! assert!(row(b"\xff\x00") > end);                // missed, and so is every longer one
//! let right = prefix_successor(&score).unwrap();
//! assert!(row(b"\xff\x00") < right && row(&[0xff; 100]) < right);
//! ```
//!
//! What follows: members from `ff` on, or from `ff 00` on if the end counts, are never found.
//! They are not UTF-8, so no test with names in it notices. The repair is
//! [`prefix_successor`](crate::keys::prefix_successor).
//!
//! Source: SSDB, `src/ssdb/t_zset.cpp` (2021); NeoKV, the listings in `12-ZSet类型.md` (commit 9797450).

// ANCHOR: with_ff
/// The upper bound that misses members.
#[must_use]
pub fn with_ff(prefix: &[u8]) -> Vec<u8> {
    [prefix, &[0xff]].concat()
}
// ANCHOR_END: with_ff

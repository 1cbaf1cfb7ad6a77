//! # score-range: the members from one score to another
//!
//! **Why.** It is `ZRANGEBYSCORE`. The keys are right already; what is left is to say in bytes where the
//! range begins and where it ends. Published systems got the end wrong.
//!
//! **Task.** A row is the key of a score, made by `key` below, and then the member. Return the members whose
//! scores are from `min` to `max`, both included, in the order of the rows. If `min > max` there are none.
//!
//! 1. Members are bytes, and any byte may be in them: a member may be `ff 00`, or empty. A row is a row: one member
//!    at two scores is returned twice.
//! 2. Either end may be infinite, and members may have infinite scores.
//! 3. -0.0 and 0.0 are the same score. No bound is a NaN.
//!
//! | rows                                   | `min` | `max` | answer                |
//! |----------------------------------------|-------|-------|-----------------------|
//! | 1 `ann`, 2 `bob`, 2 `\xff\x00`, 3 `cid`  | 1     | 2     | `ann` `bob` `\xff\x00`  |
//! | 1 `ann`, 2 `bob`, 2 `\xff\x00`, 3 `cid`  | 3     | inf   | `cid`                 |
//! | 1 `ann`, 2 `bob`, 2 `\xff\x00`, 3 `cid`  | 2     | 1     | nothing               |
//!
//! Only the answers are checked: walking all rows is right too, if slow. `rows.range(..)` is how a store
//! does it.
//!
//! **Check.** `cargo workbook check score-range`, or `cargo test -p ch04-ieee-754 score-range`.

use std::collections::BTreeSet;

/// The key of a score that is a number. Given; leave it as it is.
pub fn key(score: f64) -> [u8; 8] {
    // -0.0 + 0.0 is 0.0, and every other number stays what it is.
    let bits = (score + 0.0).to_bits();
    let sign = bits >> 63;
    let flip = if sign == 1 { u64::MAX } else { 1 << 63 };
    (bits ^ flip).to_be_bytes()
}

/// The members whose scores are from `min` to `max`, both included, in the order of the rows.
pub fn score_range(rows: &BTreeSet<Vec<u8>>, min: f64, max: f64) -> Vec<Vec<u8>> {
    todo!("the members from {min} to {max} among {} rows", rows.len())
}

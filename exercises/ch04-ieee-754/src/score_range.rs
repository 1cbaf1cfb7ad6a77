//! # score-range: the members from one score to another
//!
//! **Why.** It is `ZRANGEBYSCORE`. The keys are right already; what is left is to say in bytes where the
//! range begins and where it ends. Published systems got the end wrong.
//!
//! **Task.** A row is the key of a score, made by `key`, and then the member. Return the members whose
//! scores are from `min` to `max`, both included, in the order of the rows. If `min > max` there are none.
//!
//! 1. Members are bytes, and any byte may be in them: a member may be `ff 00`, or empty. A row is a row: one member
//!    at two scores is returned twice.
//! 2. Either end may be infinite, and members may have infinite scores.
//! 3. -0.0 and 0.0 are the same score. No bound is a NaN.
//!
//! `key` is given. Its eight bytes sort like the scores, and both zeros have one key. How it is made is no matter here: its
//! file holds the answers of `order-f64` and `numeric-f64`.
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

/// `fn key(score: f64) -> [u8; 8]`: the key of a score that is a number. Given; leave it as it is.
pub use crate::score_key::key;

/// The members whose scores are from `min` to `max`, both included, in the order of the rows.
pub fn score_range(rows: &BTreeSet<Vec<u8>>, min: f64, max: f64) -> Vec<Vec<u8>> {
    todo!("the members from {min} to {max} among {} rows", rows.len())
}

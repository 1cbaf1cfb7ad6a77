//! # scan-bounds: a range over signed numbers
//!
//! **Why.** The keys are right, and still the query can be wrong: a range needs its two bounds as *keys*,
//! and it needs to know whether each end belongs to it. Redis's `ZRANGEBYSCORE scores -3 7` includes both.
//!
//! **Task.** `rows` holds keys made by `key` below, in byte order, as a store keeps them. Write `scan`: all
//! numbers from `low` to `high`, both included, the smallest first. If `low > high` there are none.
//!
//! | rows                     | `low` | `high` | answer         |
//! |--------------------------|-------|--------|----------------|
//! | keys of -2, -1, 0, 1, 256 | -2    | 1      | `[-2, -1, 0, 1]` |
//! | keys of -2, -1, 0, 1, 256 | 0     | 0      | `[0]`          |
//! | keys of -2, -1, 0, 1, 256 | 1     | -1     | `[]`           |
//!
//! The bounds may be `i32::MIN` and `i32::MAX`. Only the answers count: walking all rows is right too, if
//! slow. `rows.range(..)` is how a store does it.
//!
//! **Check.** `cargo workbook check scan-bounds`, or `cargo test -p ch03-twos-complement scan-bounds`.

use std::collections::BTreeSet;

/// The key of a number: the sign bit flipped, the highest byte first. Given; leave it as it is.
/// `cast_unsigned` keeps every bit, as `as u32` does; `cast_signed` is the way back.
pub fn key(number: i32) -> [u8; 4] {
    (number.cast_unsigned() ^ 1 << 31).to_be_bytes()
}

/// The numbers from `low` to `high`, both included, the smallest first.
pub fn scan(rows: &BTreeSet<[u8; 4]>, low: i32, high: i32) -> Vec<i32> {
    todo!("the numbers from {low} to {high} among {} rows", rows.len())
}

//! # newest-first: a window in time, newest first
//!
//! **Why.** A feed, a log, a price: people ask for the newest. If the newest comes first in the store, the
//! answer is the first rows of one scan. But the bounds of a window turn round with the order, and most
//! people get them wrong.
//!
//! **Task.** A row is `key(time)`, then the name of what happened. The store is a sorted set of rows. Write
//!
//! 1. `key`: eight bytes, the greatest time first. The key of `time` is `u64::MAX - time`, big-endian.
//! 2. `newest`: the names of the events whose time is in `[from, to)`, `from` included and `to` not. The newest
//!    time comes first. Names of one time come in the order of their bytes, as they are in the store. At most
//!    `limit` names, so the newest ones. If `from` is not less than `to`, there are none.
//!
//! Names are bytes: a name may be empty, and it may begin with `ff`. Times run from 0 to `u64::MAX`. With a `limit` of 0
//! there are no names, and with `usize::MAX` all of the window.
//!
//! | time | key                       |
//! |------|---------------------------|
//! | 0    | `ff ff ff ff ff ff ff ff` |
//! | 20   | `ff ff ff ff ff ff ff eb` |
//! | 256  | `ff ff ff ff ff ff fe ff` |
//!
//! | events                               | `from` | `to` | `limit` | answer        |
//! |--------------------------------------|--------|------|---------|---------------|
//! | 10 `a`, 20 `b`, 20 `c`, 30 `d`, 40 `e` | 20     | 40   | 9       | `d`, `b`, `c` |
//! | 10 `a`, 20 `b`, 20 `c`, 30 `d`, 40 `e` | 20     | 40   | 2       | `d`, `b`      |
//! | 10 `a`, 20 `b`, 20 `c`, 30 `d`, 40 `e` | 40     | 20   | 9       | nothing       |
//!
//! `BTreeSet::range` takes `start..end` with two `Vec<u8>`, or a pair of `std::ops::Bound`s. It panics when its
//! start is greater than its end. Only the answers are checked, so walking all rows is right too.
//!
//! **Check.** `cargo workbook check newest-first`, or `cargo test -p ch06-key-patterns newest-first`.
//! It is *not started* while both functions are `todo!()`. You may begin with either.

use std::collections::BTreeSet;

/// Eight bytes for `time`, the greatest time first.
pub fn key(time: u64) -> [u8; 8] {
    todo!("eight bytes for {time}")
}

/// At most `limit` names of events in `[from, to)`, the newest first.
pub fn newest(rows: &BTreeSet<Vec<u8>>, from: u64, to: u64, limit: usize) -> Vec<Vec<u8>> {
    todo!(
        "{limit} names from {from} to {to} among {} rows",
        rows.len()
    )
}

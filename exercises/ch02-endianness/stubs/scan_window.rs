//! # scan-window: the times from one moment up to another
//!
//! **Why.** "Everything between noon and one" is a common question to a time series. The rows are in
//! order already. What is left is to say, in bytes, where to begin and where to end.
//!
//! **Task.** The keys of `rows` are times, as big-endian `u64`. Return the times from `from` up to, but
//! without, `to`, in order. If `from` is not less than `to`, there are none.
//!
//! | times in the store | `from` | `to` | answer   |
//! |--------------------|--------|------|----------|
//! | 4, 5, 6, 7         | 4      | 6    | `[4, 5]` |
//! | 4, 5, 6, 7         | 0      | 5    | `[4]`    |
//! | 4, 5, 6, 7         | 6      | 6    | `[]`     |
//! | 4, 5, 6, 7         | 7      | 4    | `[]`     |
//!
//! There may be no row at a bound, and the bounds may be 0 and `u64::MAX`. The values do not matter here.
//! Only the answers are checked: walking all rows is right too, if slow. `rows.range(..)` is how a store
//! does it.
//!
//! **Check.** `cargo workbook check scan-window`, or `cargo test -p ch02-endianness scan-window`.

use std::collections::BTreeMap;

/// The times in `rows` from `from` up to, but without, `to`, in order.
pub fn scan_window(rows: &BTreeMap<[u8; 8], String>, from: u64, to: u64) -> Vec<u64> {
    todo!("the times from {from} to {to} among {} rows", rows.len())
}

//! # numeric-comparator: numbers at the end of keys, in order
//!
//! **Why.** Keys such as `item:10` exist in many stores, and often nobody may rewrite them. Then only a
//! comparator makes the store sort them by their numbers.
//!
//! **Task.** Compare two keys by three rules; a later one counts only if the earlier ones say *equal*:
//!
//! 1. the prefix as bytes: the prefix is everything before the ASCII digits at the end of the key;
//! 2. the number that those digits make, of any length; a key without such digits has no number and comes before those
//!    with one;
//! 3. the whole key as bytes.
//!
//! | `a`           | `b`                    | answer  | because                       |
//! |---------------|------------------------|---------|-------------------------------|
//! | `item:9`      | `item:10`              | Less    | 9 < 10                        |
//! | `item:10`     | `user:2`               | Less    | `item:` < `user:`             |
//! | `item:01`     | `item:1`               | Less    | one number, so the bytes      |
//! | `item:`       | `item:0`               | Less    | no number                     |
//! | `item:9`      | `item:1x`              | Less    | `item:` < `item:1x`           |
//! | `item:2`      | `item:18446744073709551616` | Less | that does not fit into a `u64` |
//!
//! The prefix may hold any bytes, digits too, as in `a1b2`: its number is 2. Keys need not be text.
//!
//! **Check.** `cargo workbook check numeric-comparator`, or `cargo test -p ch07-comparators numeric-comparator`. The laws are
//! checked first, on all pairs and triples of about seventy keys, then the order.

use std::cmp::Ordering;

/// The order of `a` and `b`.
pub fn compare(a: &[u8], b: &[u8]) -> Ordering {
    todo!("the order of {a:?} and {b:?}")
}

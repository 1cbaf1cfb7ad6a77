//! # separator: a short key between two others
//!
//! **Why.** A table's index has one key for each block: at or after the last key of the block, and before the first key of
//! the next. It need not be a key that exists. Short ones make the index small; a wrong one loses a whole block's keys.
//!
//! **Task.** `compare` is the order of the exercise before. For `a` before `b` in that order, propose a key `s`
//!
//! 1. at or after `a`, and before `b`, in that order;
//! 2. shorter than `a`;
//! 3. no longer than the shortest *raised cut* that keeps 1 and 2. A raised cut is the first `n` bytes of `a`, with one added to
//!    the last of them. A byte `ff` cannot be raised.
//!
//! If no raised cut fits, answer `None`: the engine then takes `a` itself. (Another key that keeps 1 and 2 will do too.)
//! If `a` is not before `b`, answer `None`.
//!
//! | `a`         | `b`         | answer     |                                                        |
//! |-------------|-------------|------------|--------------------------------------------------------|
//! | `item:123`  | `user:1`    | `j`        | `j` comes between the prefixes                        |
//! | `abc:1`     | `abd`       | `abc;`     | `abd` itself is not before `b`                         |
//! | `item:177`  | `item:300`  | nothing    | `item:2` has the number 2, which is before 177         |
//!
//! Where several keys are equally short, any of them will do.
//!
//! **Check.** `cargo workbook check separator`, or `cargo test -p ch07-comparators separator`.

use std::cmp::Ordering;

use engine::comparator::{Compare, NumericSuffix};

/// The order of the keys. Given; leave it as it is.
pub fn compare(a: &[u8], b: &[u8]) -> Ordering {
    NumericSuffix.compare(a, b)
}

/// A key from `a` on, before `b`, shorter than `a`; nothing if no raised cut of `a` is one.
pub fn separator(a: &[u8], b: &[u8]) -> Option<Vec<u8>> {
    todo!("a key between {a:?} and {b:?}")
}

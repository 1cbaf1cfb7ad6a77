//! # tuple-prefix-scan: all rows of one user
//!
//! **Why.** The rows that share their first fields are next to each other. A scan needs the two bounds around
//! them, and the upper one is where rows get lost.
//!
//! **Task.** A row is the key of a user and an order number, made by `key` below. Write three functions:
//!
//! 1. `successor`: the smallest byte string above every string that starts with `prefix`, or `None` if there
//!    is no such string.
//! 2. `orders_of`: the order numbers of just this user, in the order of the rows.
//! 3. `orders_starting`: the order numbers of all users whose names start with `start`, in the order of the
//!    rows. Every name starts with `""`.
//!
//! | prefix        | successor  |
//! |---------------|------------|
//! | `61`          | `62`       |
//! | `61 00`       | `61 01`    |
//! | `61 fe ff ff` | `61 ff`    |
//! | `ff ff`       | `None`     |
//! | (empty)       | `None`     |
//!
//! | rows                          | call                    | answer         |
//! |-------------------------------|-------------------------|----------------|
//! | `ann` 1, `ann` 2, `anna` 7    | `orders_of("ann")`       | `[1, 2]`       |
//! | `ann` 1, `ann` 2, `anna` 7    | `orders_starting("ann")` | `[1, 2, 7]`    |
//!
//! A name may be any text, also with `\0` in it, and a number any `u64`. Only the answers are checked: walking
//! all rows is right too, if slow. A store does it by `rows.range(..)`:
//!
//! ```text
//! rows.range(start..end)      // both `Vec<u8>`, without `end`
//! rows.range(start..)         // to the last row
//! ```
//!
//! **Check.** `cargo workbook check tuple-prefix-scan`, or
//! `cargo test -p ch05-strings-and-tuples tuple-prefix-scan`.

use std::collections::BTreeSet;

/// The name with its zero bytes escaped, without an end: how the rows of all names that start with it begin.
/// Given; leave it as it is.
pub fn escape(name: &str) -> Vec<u8> {
    let bytes = name.bytes();
    bytes
        .flat_map(|byte| {
            if byte == 0 {
                vec![0x00, 0xff]
            } else {
                vec![byte]
            }
        })
        .collect()
}

/// The key of a row: the name, escaped and ended by `00 01`, then the number. Given; leave it as it is.
pub fn key(user: &str, number: u64) -> Vec<u8> {
    [&escape(user)[..], &[0x00, 0x01], &number.to_be_bytes()].concat()
}

/// The smallest byte string above every string that starts with `prefix`, if there is one.
pub fn successor(prefix: &[u8]) -> Option<Vec<u8>> {
    todo!("the successor of {prefix:?}")
}

/// The order numbers of this user.
pub fn orders_of(rows: &BTreeSet<Vec<u8>>, user: &str) -> Vec<u64> {
    todo!("the orders of {user:?} among {} rows", rows.len())
}

/// The order numbers of all users whose names start with `start`.
pub fn orders_starting(rows: &BTreeSet<Vec<u8>>, start: &str) -> Vec<u64> {
    todo!(
        "the orders of {start:?} and so on among {} rows",
        rows.len()
    )
}

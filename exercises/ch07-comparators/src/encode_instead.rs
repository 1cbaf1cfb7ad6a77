//! # encode-instead: the same order in the bytes
//!
//! **Why.** When you choose the keys yourself, you need no comparator: write bytes that sort as it would have sorted. Then every
//! engine and every tool knows the order.
//!
//! **Task.** The key of a row is a name and a number. As text it would be `name:number`, and the comparator of this chapter would
//! order it by name with its colon, then by number. Write `encode` so that plain byte order gives exactly that order, and
//! `decode` so that it gives the name and the number back.
//!
//! 1. Names are text without a colon; they may be empty, and may be the beginning of one another.
//! 2. Numbers are from 0 to `u64::MAX`.
//!
//! | text        | comes before     | because                                                    |
//! |-------------|------------------|------------------------------------------------------------|
//! | `item:9`    | `item:10`        | 9 < 10                                                     |
//! | `item1:7`   | `item:3`         | the names end in a colon, and `1` is less than `:`         |
//! | `item:5`    | `itemx:1`        | `:` is less than `x`                                       |
//!
//! Which bytes you choose is up to you, as long as the order is that of the comparator. The check gives `decode` only
//! keys that your `encode` wrote. `None` is there for other bytes.
//!
//! **Check.** `cargo workbook check encode-instead`, or `cargo test -p ch07-comparators encode-instead`.

/// The key of a row.
pub fn encode(name: &str, number: u64) -> Vec<u8> {
    todo!("the key of {name:?} and {number}")
}

/// The name and the number of a key that `encode` has written.
pub fn decode(key: &[u8]) -> Option<(String, u64)> {
    todo!("the row of {key:?}")
}

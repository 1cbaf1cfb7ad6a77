//! # padded-time: twenty digits, and back
//!
//! **Why.** Sometimes people must be able to read the keys. Then a time is decimal digits, and every time
//! has the same number of them.
//!
//! **Task.** Write `encode` and `decode` so that
//!
//! 1. `encode(time)` is twenty decimal digits, as ASCII bytes, zeros in front: keys sort as times do;
//! 2. `decode` gives the time back;
//! 3. `decode` gives `None` for what `encode` never writes: another width, a byte that is no digit, a number
//!    that is greater than `u64::MAX`. It never panics.
//!
//! | time            | `encode`               |
//! |-----------------|------------------------|
//! | `0`             | `00000000000000000000` |
//! | `10`            | `00000000000000000010` |
//! | `1571819021259` | `00000001571819021259` |
//! | `u64::MAX`      | `18446744073709551615` |
//!
//! | key                    | `decode` |
//! |------------------------|----------|
//! | `00000000000000000010` | `Some(10)` |
//! | `10`                   | `None`   |
//! | `+0000000000000000010` | `None`   |
//! | `18446744073709551616` | `None`   |
//!
//! **Check.** `cargo workbook check padded-time`, or `cargo test -p ch06-key-patterns padded-time`.
//! It is *not started* while both functions are `todo!()`. You may begin with either.

/// The key of `time`.
pub fn encode(time: u64) -> Vec<u8> {
    todo!("twenty digits for {time}")
}

/// The time whose key is `key`, if there is one.
pub fn decode(key: &[u8]) -> Option<u64> {
    todo!("the time of {key:?}, if there is one")
}

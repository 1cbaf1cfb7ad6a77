//! # order-i64: eight bytes that sort like an `i64`
//!
//! **Why.** A sorted store compares keys byte by byte and knows nothing of numbers. A score must
//! become bytes that compare as the scores do, or every range over scores is wrong.
//!
//! **Task.** Write `encode` and `decode` so that
//!
//! 1. `a < b` exactly when `encode(a)` comes before `encode(b)` byte by byte, for all pairs;
//! 2. `decode(encode(a)) == a` for all `a`.
//!
//! There are 2^64 numbers and 2^64 arrays of eight bytes, so there is just one right answer:
//!
//! | value      | key                       |
//! |------------|---------------------------|
//! | `i64::MIN` | `00 00 00 00 00 00 00 00` |
//! | -300       | `7f ff ff ff ff ff fe d4` |
//! | -1         | `7f ff ff ff ff ff ff ff` |
//! | 0          | `80 00 00 00 00 00 00 00` |
//! | 1          | `80 00 00 00 00 00 00 01` |
//! | `i64::MAX` | `ff ff ff ff ff ff ff ff` |
//!
//! **Check.** `cargo workbook check order-i64`, or `cargo test -p ch03-twos-complement order-i64`.
//! It is *not started* while both functions are `todo!()`. You may begin with either; the check then
//! judges that one, and tells you that the other is still open.

/// The key of `value`.
pub fn encode(value: i64) -> [u8; 8] {
    todo!("eight bytes for {value}")
}

/// The value whose key is `key`.
pub fn decode(key: [u8; 8]) -> i64 {
    todo!("the number whose key is {key:?}")
}

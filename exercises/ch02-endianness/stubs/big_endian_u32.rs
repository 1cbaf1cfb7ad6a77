//! # big-endian-u32: four bytes that sort like a `u32`
//!
//! **Why.** A store compares keys from the left and stops at the first difference. So the byte that counts
//! most has to come first. Every number key of this book starts from these four bytes.
//!
//! **Task.** Write `encode` and `decode` so that
//!
//! 1. `a < b` exactly when `encode(a)` comes before `encode(b)` byte by byte, for all pairs;
//! 2. `decode(encode(a)) == a` for all `a`.
//!
//! There are 2^32 numbers and 2^32 arrays of four bytes, so there is just one right answer:
//!
//! | value      | key           |
//! |------------|---------------|
//! | 1          | `00 00 00 01` |
//! | 255        | `00 00 00 ff` |
//! | 256        | `00 00 01 00` |
//! | 65536      | `00 01 00 00` |
//! | `u32::MAX` | `ff ff ff ff` |
//!
//! Do it with shifts once, before you use `to_be_bytes`.
//!
//! **Check.** `cargo workbook check big-endian-u32`, or `cargo test -p ch02-endianness big-endian-u32`.
//! It is *not started* while both functions are `todo!()`. You may begin with either.

/// The key of `value`.
pub fn encode(value: u32) -> [u8; 4] {
    todo!("four bytes for {value}")
}

/// The value whose key is `key`.
pub fn decode(key: [u8; 4]) -> u32 {
    todo!("the number whose key is {key:?}")
}

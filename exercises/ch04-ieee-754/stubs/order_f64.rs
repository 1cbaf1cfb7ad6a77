//! # order-f64: eight bytes that sort like an `f64`
//!
//! **Why.** It is the key of every stored double. Plain bytes put the negative numbers last and backwards.
//!
//! **Task.** Write `encode` and `decode` so that
//!
//! 1. `encode(a)` comes before `encode(b)` byte by byte exactly when `a` comes before `b` in the *total
//!    order*, which `f64::total_cmp` gives: NaNs with the sign bit, -inf, negative numbers, -0.0, 0.0,
//!    positive numbers, inf, other NaNs;
//! 2. `decode(encode(a))` is `a` bit for bit, for all `a`, NaNs too.
//!
//! There are 2^64 patterns and 2^64 arrays of eight bytes, so there is just one right answer:
//!
//! | value      | bits                      | key                       |
//! |------------|---------------------------|---------------------------|
//! | -inf       | `ff f0 00 00 00 00 00 00` | `00 0f ff ff ff ff ff ff` |
//! | -2         | `c0 00 00 00 00 00 00 00` | `3f ff ff ff ff ff ff ff` |
//! | -1         | `bf f0 00 00 00 00 00 00` | `40 0f ff ff ff ff ff ff` |
//! | -0.0       | `80 00 00 00 00 00 00 00` | `7f ff ff ff ff ff ff ff` |
//! | 0.0        | `00 00 00 00 00 00 00 00` | `80 00 00 00 00 00 00 00` |
//! | 1          | `3f f0 00 00 00 00 00 00` | `bf f0 00 00 00 00 00 00` |
//! | 2          | `40 00 00 00 00 00 00 00` | `c0 00 00 00 00 00 00 00` |
//!
//! `value.to_bits()` and `f64::from_bits(bits)` go from a number to its pattern and back.
//!
//! **Check.** `cargo workbook check order-f64`, or `cargo test -p ch04-ieee-754 order-f64`.
//! It is *not started* while both functions are `todo!()`. You may begin with either.

/// The key of `value`.
pub fn encode(value: f64) -> [u8; 8] {
    todo!("eight bytes for {value}")
}

/// The value whose key is `key`.
pub fn decode(key: [u8; 8]) -> f64 {
    todo!("the number whose key is {key:?}")
}

//! # numeric-f64: one zero, and no NaN
//!
//! **Why.** It is the key of a score. A score is a number: two zeros that are equal must not have two keys,
//! and what is not a number has no place in an order.
//!
//! **Task.** Write `encode` and `decode` so that
//!
//! 1. a number has the key that `order-f64` gives it, infinities included;
//! 2. -0.0 and 0.0 share the key of 0.0, `80 00 00 00 00 00 00 00`;
//! 3. a NaN has no key: `encode` gives `None`, with and without the sign bit;
//! 4. `decode` gives the number back, 0.0 for the key of the zeros, and `None` for a key that no number
//!    has: those that the total order gives to -0.0 and to NaNs.
//!
//! | value | `encode`                        |
//! |-------|---------------------------------|
//! | -inf  | `Some(00 0f ff ff ff ff ff ff)` |
//! | -1    | `Some(40 0f ff ff ff ff ff ff)` |
//! | -0.0  | `Some(80 00 00 00 00 00 00 00)` |
//! | 0.0   | `Some(80 00 00 00 00 00 00 00)` |
//! | 1     | `Some(bf f0 00 00 00 00 00 00)` |
//! | NaN   | `None`                          |
//!
//! You may start from your `order-f64`: copy it, or call it as `crate::order_f64::encode`.
//!
//! **Check.** `cargo workbook check numeric-f64`, or `cargo test -p ch04-ieee-754 numeric-f64`.
//! It is *not started* while both functions are `todo!()`. You may begin with either.

/// The key of `value`, if it is a number.
pub fn encode(value: f64) -> Option<[u8; 8]> {
    todo!("eight bytes for {value}, if it is a number")
}

/// The number whose key is `key`, if there is one.
pub fn decode(key: [u8; 8]) -> Option<f64> {
    todo!("the number whose key is {key:?}, if there is one")
}

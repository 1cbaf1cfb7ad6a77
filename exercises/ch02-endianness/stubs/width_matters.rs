//! # width-matters: one key space for numbers of three widths
//!
//! **Why.** A field began as a `u8`, became a `u16` and is a `u32` today. Old and new keys live side by
//! side in one store, and a scan has to see them as one list of numbers.
//!
//! **Task.** Write `encode` so that
//!
//! 1. keys sort by value: if `a` is less than `b`, the key of `a` comes before the key of `b`, whatever
//!    the types of `a` and `b` are;
//! 2. equal values have equal keys: 5 as a `u8`, as a `u16` and as a `u32`.
//!
//! How many bytes a key has is up to you. The order has to come out right.
//!
//! **Check.** `cargo workbook check width-matters`, or `cargo test -p ch02-endianness width-matters`.

/// A number of one of the three types. Given; leave it as it is.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    /// One byte wide.
    U8(u8),
    /// Two bytes wide.
    U16(u16),
    /// Four bytes wide.
    U32(u32),
}

/// The key of `number`.
pub fn encode(number: Number) -> Vec<u8> {
    todo!("the key of {number:?}")
}

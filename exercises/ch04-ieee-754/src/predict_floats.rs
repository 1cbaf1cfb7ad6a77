//! # predict-floats: eight bit patterns, two orders
//!
//! **Why.** If you can sort bit patterns by eye, you find the wrong one in a dump. No code here: think, write
//! down, check.
//!
//! **Task.** These are eight `f64`, as big-endian bytes. Put their letters in order, the smallest first,
//!
//! 1. by value, as `<` does;
//! 2. by bytes, as a scan over these plain patterns does.
//!
//! | letter | bytes                     |
//! |--------|---------------------------|
//! | a      | `bf f0 00 00 00 00 00 00` |
//! | b      | `3f f0 00 00 00 00 00 00` |
//! | c      | `c0 00 00 00 00 00 00 00` |
//! | d      | `00 00 00 00 00 00 00 01` |
//! | e      | `80 00 00 00 00 00 00 00` |
//! | f      | `7f f0 00 00 00 00 00 00` |
//! | g      | `ff f0 00 00 00 00 00 00` |
//! | h      | `3f f8 00 00 00 00 00 00` |
//!
//! `bf f0 00 00 00 00 00 00` is -1. Replace each `todo!()` by a list in your order, such as
//! `['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']`.
//!
//! **Check.** `cargo workbook check predict-floats`, or `cargo test -p ch04-ieee-754 predict-floats`.

/// The letters in the order of the values.
pub fn by_value() -> [char; 8] {
    todo!("a to h in the order of their values")
}

/// The letters in the order of the bytes.
pub fn by_bytes() -> [char; 8] {
    todo!("a to h in the order of their bytes")
}

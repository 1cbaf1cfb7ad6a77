//! # test-u32-keys: be the tester, with eight numbers
//!
//! **Why.** Nobody tests a key with all 2^32 numbers on every save. One chooses a few. Anyone who chooses 1, 2 and 3
//! misses even little-endian keys, like the chapter's test with ten small numbers. Which numbers find everything?
//!
//! **Task.** Write `numbers`: at most eight `u32`. Somebody's `encode` and `decode` are then tried on them:
//!
//! 1. for any two of your numbers `a < b`, `encode(a)` must come before `encode(b)` byte by byte;
//! 2. for each of them, `decode(encode(a))` must be `a`.
//!
//! Your numbers are tried on one right pair of functions and on fourteen wrong ones. They pass when the right one passes
//! and each wrong one fails somewhere among your numbers.
//!
//! The faults are those of the chapter and some of their relatives: bytes in a wrong order, bytes left out, a wrong bit, a number that
//! was held in a type too small for it. (An `f32` is one: it keeps 24 bits of a number, counted from its first 1, and rounds.)
//! Think of a fault, then of two numbers that show it. Good numbers show several.
//!
//! **Check.** `cargo workbook check test-u32-keys`, or `cargo test -p ch02-endianness test-u32-keys`.

/// At most eight numbers to try.
pub fn numbers() -> Vec<u32> {
    todo!("at most eight numbers, such as vec![1, 2, 3]")
}

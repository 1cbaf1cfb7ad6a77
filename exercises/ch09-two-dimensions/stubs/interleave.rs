//! # interleave: two coordinates in one number, and back
//!
//! **Why.** A sorted set has one order and a place has two coordinates. This number is the score that stands for the place.
//!
//! **Task.** Take the bits of `x` and of `y` in turn, the highest ones first, `x` before `y`.
//!
//! 1. Bit `i` of `y` becomes bit `2 i` of the number, bit `i` of `x` becomes bit `2 i + 1`. Bit 0 is the lowest.
//! 2. Both coordinates have 32 bits, and all of them count: the number has 64.
//! 3. `deinterleave` undoes it.
//!
//! | x             | y             | number            |
//! |---------------|---------------|-------------------|
//! | 0             | 1             | 1                 |
//! | 1             | 0             | 2                 |
//! | 5, bits 101   | 3, bits 011   | 39, bits 10 01 11 |
//! | 0             | `0xffff_ffff` | `0x5555555555555555` |
//!
//! A loop over the bits is right. Shifts and masks, half by half, are faster.
//!
//! **Check.** `cargo workbook check interleave`, or `cargo test -p ch09-two-dimensions interleave`.

/// The number of a point.
pub fn interleave(x: u32, y: u32) -> u64 {
    todo!("the number of the point {x}, {y}")
}

/// The point of a number: `x`, then `y`.
pub fn deinterleave(number: u64) -> (u32, u32) {
    todo!("the point of the number {number}")
}

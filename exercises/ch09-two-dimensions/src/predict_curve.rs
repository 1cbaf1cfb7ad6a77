//! # predict-curve: eight points, in the order of their numbers
//!
//! **Why.** If you can follow the curve by eye, you see at once why a search misses a place next door. No code
//! here: think, write down, check.
//!
//! **Task.** A map has eight columns and eight rows, numbered 0 to 7 from the west and from the south. The number of
//! a point has six bits: the bits of `x` and of `y` in turn, the highest ones first, `x` before `y`.
//!
//! | letter | x, y |
//! |--------|------|
//! | a      | 0, 7 |
//! | b      | 7, 0 |
//! | c      | 3, 3 |
//! | d      | 4, 4 |
//! | e      | 3, 4 |
//! | f      | 4, 3 |
//! | g      | 0, 0 |
//! | h      | 2, 2 |
//!
//! 1. `by_number`: put the letters in the order of their numbers, the smallest first.
//! 2. `shared_bits`: how many bits do the numbers of two points share *at the front*, before the first bit in which they
//!    differ? Answer for four pairs: c and h, c and e, c and f, g and h.
//!
//! For example, a has x = 000 and y = 111, so its number is 010101. a and g (000000) share one bit.
//!
//! Replace each `todo!()` by a list, such as `['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']` and `[6, 5, 4, 3]`.
//!
//! **Check.** `cargo workbook check predict-curve`, or `cargo test -p ch09-two-dimensions predict-curve`.

/// The letters in the order of their numbers.
pub fn by_number() -> [char; 8] {
    todo!("a to h in the order of their numbers")
}

/// How many bits these pairs share at the front: c and h, c and e, c and f, g and h.
pub fn shared_bits() -> [u32; 4] {
    todo!("four numbers from 0 to 6")
}

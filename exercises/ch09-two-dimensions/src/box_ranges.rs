//! # box-ranges: the ranges that a rectangle becomes
//!
//! **Why.** A user looks for places in a rectangle, and a store can only read from one number to another. One range from the
//! lowest corner to the highest reads strangers, often more of them than places that were wanted.
//!
//! **Task.** Return the ranges of numbers that hold the points with these columns and rows, and no other point.
//!
//! 1. The edges belong to the rectangle, and both ends belong to a range: `x` from 2 to 3 is `2..=3`.
//! 2. The ranges ascend, and no two of them touch: not `8..=9` and `10..=11` but `8..=11`.
//! 3. If a start lies after its end, there is nothing to return.
//! 4. Coordinates have 32 bits. Even four points in the middle of the map have more numbers between their corners than you
//!    can walk through. Cut the rectangle in two along the greatest border of the map in it,
//!    until a part is one range.
//!
//! | x      | y      | ranges                       |
//! |--------|--------|------------------------------|
//! | `1..=1` | `0..=0` | `2..=2`                      |
//! | `2..=3` | `2..=3` | `12..=15`                    |
//! | `0..=1` | `1..=2` | `1..=1`, `3..=4`, `6..=6`    |
//! | `2..=6` | `2..=3` | `12..=15`, `36..=39`, `44..=45` |
//!
//! `interleave` is given, and `*x.start()` and `*x.end()` are the edges of `x`. The lowest number of a rectangle is that of
//! its lower left corner, the highest one that of its upper right corner. Only the answers are checked, and the
//! rectangles here hold few points, wherever on the map they lie: to list the points and sort them passes too. For half
//! of the map it would not end.
//!
//! **Check.** `cargo workbook check box-ranges`, or `cargo test -p ch09-two-dimensions box-ranges`.

use std::ops::RangeInclusive;

/// The number of a point. Given; leave it as it is.
pub fn interleave(x: u32, y: u32) -> u64 {
    let spread = |coordinate: u32| (0..32).map(move |i| u64::from(coordinate >> i & 1) << (2 * i));
    2 * spread(x).sum::<u64>() + spread(y).sum::<u64>()
}

/// The ranges of numbers of the points with these columns and rows.
pub fn box_ranges(x: RangeInclusive<u32>, y: RangeInclusive<u32>) -> Vec<RangeInclusive<u64>> {
    todo!("the ranges of columns {x:?} and rows {y:?}")
}

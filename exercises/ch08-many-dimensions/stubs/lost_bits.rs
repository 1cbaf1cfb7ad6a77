//! # lost-bits: what a double cannot keep
//!
//! **Why.** Before you choose a layout, you want to know how far its top field may grow, and what you lose
//! when it grows further.
//!
//! **Task.** A packed score is `top << low_bits | low`: a top field, and `low_bits` bits below it. The server
//! keeps it as a double. Write
//!
//! 1. `largest_top(low_bits)`: the greatest top field that is safe. Safe means: no score with this top field
//!    or a smaller one shares its double with any other integer. `low_bits` is 0 to 53.
//! 2. `lost_bits(score)`: how many bits at the right end a double has no room for, for an integer of this size.
//!    Size alone counts: a number of 54 bits loses one bit, even if that bit happens to be 0.
//!
//! | call                         | answer    |
//! |------------------------------|-----------|
//! | `largest_top(30)`            | `8388607` |
//! | `lost_bits(8388607 << 30)`   | `0`       |
//! | `lost_bits(8388608 << 30)`   | `1`       |
//! | `lost_bits(16777216 << 30)`  | `2`       |
//!
//! **Check.** `cargo workbook check lost-bits`, or `cargo test -p ch08-many-dimensions lost-bits`.
//! It is *not started* while both functions are `todo!()`. You may begin with either.

/// The greatest top field that is safe above so many bits.
pub fn largest_top(low_bits: u32) -> u64 {
    todo!("the greatest top field above {low_bits} bits")
}

/// How many bits at the right end of an integer of this size a double has no room for.
pub fn lost_bits(score: u64) -> u32 {
    todo!("how many low bits of {score} are lost")
}

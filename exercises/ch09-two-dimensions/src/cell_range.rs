//! # cell-range: the numbers of a cell, and the cell of two numbers
//!
//! **Why.** A search reads cells, and a store reads ranges. A cell is a prefix of bits, so each cell is one range.
//!
//! **Task.** The number of a place has 52 bits here, as in Redis. A cell is made by cutting both coordinates in half, `cuts`
//! times each. So its prefix has `2 * cuts` bits. `cuts` is from 0 to 26.
//!
//! 1. `cell_range`: the numbers of all places in the cell, from the first one up to, but without, the end.
//! 2. `common_cell`: the smallest cell that holds two places, as its prefix and its cuts. Their numbers have 52 bits.
//!
//! | prefix | cuts | range                          |
//! |--------|------|--------------------------------|
//! | 0      | 0    | `0..1 << 52`, the whole map    |
//! | `0b01` | 1    | `1 << 50..2 << 50`             |
//! | `0b11` | 1    | `3 << 50..4 << 50`             |
//! | 5      | 26   | `5..6`                         |
//!
//! | numbers                        | smallest common cell           |
//! |--------------------------------|--------------------------------|
//! | `0b0110 << 48`, `0b0111 << 48` | prefix `0b01`, 1 cut           |
//! | `0b0110 << 48`, `0b1001 << 48` | prefix 0, no cut               |
//! | 5, 5                           | prefix 5, 26 cuts              |
//!
//! **Check.** `cargo workbook check cell-range`, or `cargo test -p ch09-two-dimensions cell-range`.

use std::ops::Range;

/// The numbers of all places in the cell with this prefix.
pub fn cell_range(prefix: u64, cuts: u32) -> Range<u64> {
    todo!("the numbers that begin with {prefix:b} after {cuts} cuts")
}

/// The prefix and the cuts of the smallest cell that holds the places of both numbers.
pub fn common_cell(a: u64, b: u64) -> (u64, u32) {
    todo!("the smallest cell with {a} and {b}")
}

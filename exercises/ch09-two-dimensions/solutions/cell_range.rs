//! A prefix followed by anything: from the prefix with zeros after it up to the next prefix with zeros after it.

use std::ops::Range;

/// The numbers of all places in the cell with this prefix.
pub fn cell_range(prefix: u64, cuts: u32) -> Range<u64> {
    let rest = 52 - 2 * cuts;
    prefix << rest..(prefix + 1) << rest
}

/// The prefix and the cuts of the smallest cell that holds the places of both numbers.
pub fn common_cell(a: u64, b: u64) -> (u64, u32) {
    // Twelve of the 64 bits are in front of the 52.
    let shared = (a ^ b).leading_zeros() - 12;
    // A cell has an even number of bits: a half cell is none.
    let cuts = shared / 2;
    (a >> (52 - 2 * cuts), cuts)
}

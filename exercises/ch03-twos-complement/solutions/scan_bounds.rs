//! Bounds become keys, and keys become numbers again.

use std::collections::BTreeSet;

const SIGN_BIT: u32 = 1 << 31;

/// The key of a number: the sign bit flipped, the highest byte first.
pub fn key(number: i32) -> [u8; 4] {
    (number.cast_unsigned() ^ SIGN_BIT).to_be_bytes()
}

/// The numbers from `low` to `high`, both included, the smallest first.
pub fn scan(rows: &BTreeSet<[u8; 4]>, low: i32, high: i32) -> Vec<i32> {
    // `range` panics when the bounds are crossed.
    if low > high {
        return Vec::new();
    }
    rows.range(key(low)..=key(high))
        .map(|key| (u32::from_be_bytes(*key) ^ SIGN_BIT).cast_signed())
        .collect()
}

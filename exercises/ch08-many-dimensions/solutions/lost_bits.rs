//! A double has room for 53 bits from an integer's first 1 bit on.

/// The bits of a double's significand: 52 that are stored, and the leading one that is not.
const DOUBLE_BITS: u32 = 53;

/// The greatest top field with which no two scores share a double.
pub fn largest_top(low_bits: u32) -> u64 {
    (1 << (DOUBLE_BITS - low_bits)) - 1
}

/// How many bits at the right end of an integer of this size a double has no room for.
pub fn lost_bits(score: u64) -> u32 {
    let size = u64::BITS - score.leading_zeros();
    size.saturating_sub(DOUBLE_BITS)
}

//! Bit by bit, as the task says it.

/// The number of a point.
pub fn interleave(x: u32, y: u32) -> u64 {
    let mut number = 0;
    for bit in 0..32 {
        // Widened before it is shifted: the highest bits go beyond 32.
        number |= u64::from(y >> bit & 1) << (2 * bit);
        number |= u64::from(x >> bit & 1) << (2 * bit + 1);
    }
    number
}

/// The point of a number: `x`, then `y`.
pub fn deinterleave(number: u64) -> (u32, u32) {
    let (mut x, mut y) = (0, 0);
    for bit in 0..32 {
        y |= ((number >> (2 * bit) & 1) as u32) << bit;
        x |= ((number >> (2 * bit + 1) & 1) as u32) << bit;
    }
    (x, y)
}

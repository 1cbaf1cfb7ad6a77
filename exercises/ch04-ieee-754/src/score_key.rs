//! The keys of the rows in `score-range`. Nothing to do here, and better not read before `order-f64` and `numeric-f64` are solved.

/// The key of a score that is a number: eight bytes that sort like the scores, the same for both zeros.
#[must_use]
pub fn key(score: f64) -> [u8; 8] {
    // -0.0 + 0.0 is 0.0, and every other number stays what it is.
    let bits = (score + 0.0).to_bits();
    let sign = bits >> 63;
    let flip = if sign == 1 { u64::MAX } else { 1 << 63 };
    (bits ^ flip).to_be_bytes()
}

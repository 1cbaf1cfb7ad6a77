//! What a binary16 float means, worked out by arithmetic: the model that the keys are compared with.
//!
//! It shares nothing with the encoder. Numbers are computed from sign, exponent and fraction and
//! compared as numbers.

use std::cmp::Ordering;

const SIGN: u16 = 1 << 15;
const FRACTION: u16 = (1 << 10) - 1;
const EXPONENT_MAX: u16 = 31;

/// The number that the bits mean. An `f64` holds every binary16 exactly.
pub(crate) fn value(bits: u16) -> f64 {
    let exponent = bits >> 10 & EXPONENT_MAX;
    let fraction = f64::from(bits & FRACTION);
    let magnitude = match exponent {
        0 => fraction * 2_f64.powi(-24),
        EXPONENT_MAX if fraction == 0.0 => f64::INFINITY,
        EXPONENT_MAX => f64::NAN,
        _ => (1024.0 + fraction) * 2_f64.powi(i32::from(exponent) - 25),
    };
    if bits & SIGN != 0 {
        -magnitude
    } else {
        magnitude
    }
}

/// The total order: numbers as numbers, -0.0 before +0.0, NaNs with the sign bit below all numbers
/// and the other NaNs above them, larger payloads farther out.
pub(crate) fn total_order(a: (u16, f64), b: (u16, f64)) -> Ordering {
    match a.1.partial_cmp(&b.1) {
        Some(Ordering::Equal) if a.0 != b.0 => {
            // Two bit patterns of one number: these are the zeros.
            if a.0 & SIGN != 0 {
                Ordering::Less
            } else {
                Ordering::Greater
            }
        }
        Some(order) => order,
        None => nan_rank(a).cmp(&nan_rank(b)),
    }
}

/// How far outside the numbers a value lies: 0 for numbers.
fn nan_rank((bits, value): (u16, f64)) -> i32 {
    let payload = i32::from(bits & FRACTION);
    match (value.is_nan(), bits & SIGN != 0) {
        (false, _) => 0,
        (true, true) => -payload,
        (true, false) => payload,
    }
}

//! Doubles as C prints them.

use bytes::Bytes;

/// The number as C's `%.17g` prints it, which is how Redis 7.0 prints a score.
#[must_use]
pub fn format_double(value: f64) -> Bytes {
    if !value.is_finite() {
        return Bytes::from_static(not_finite(value));
    }
    match whole(value) {
        Some(whole) => whole.to_string().into(),
        None => format_significant(value, 17).into(),
    }
}

/// NaN has a sign too. The processor chooses it where a NaN arises, so it is printed.
const fn not_finite(value: f64) -> &'static [u8] {
    match (value.is_nan(), value.is_sign_negative()) {
        (false, false) => b"inf",
        (false, true) => b"-inf",
        (true, false) => b"nan",
        (true, true) => b"-nan",
    }
}

/// The number as an integer, if it is one and 17 digits are enough for it. -0.0 is not one: its sign is printed.
#[must_use]
pub fn whole(value: f64) -> Option<i64> {
    let is_whole = value.abs() < 1e17 && value.trunc() == value;
    let is_printed_so = is_whole && (value != 0.0 || value.is_sign_positive());
    is_printed_so.then_some(value as i64)
}

/// The number as C's `%.<digits>g` prints it.
#[must_use]
pub fn format_significant(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    let decimals = digits.saturating_sub(1);
    let scientific = format!("{value:.decimals$e}");
    // Rust always writes the `e`, so there is something to split at.
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let mantissa = without_trailing_zeros(mantissa);
    let is_plain = exponent >= -4 && i32::try_from(decimals).is_ok_and(|most| exponent <= most);
    if is_plain {
        return plain(mantissa, exponent);
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs())
}

/// Writes a mantissa with one digit before the point, times a power of ten, without an exponent.
fn plain(mantissa: &str, exponent: i32) -> String {
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let digits = mantissa.replacen('.', "", 1);
    let Ok(exponent) = usize::try_from(exponent) else {
        let zeros = "0".repeat(exponent.unsigned_abs() as usize - 1);
        return format!("{sign}0.{zeros}{digits}");
    };
    match digits.split_at_checked(exponent + 1) {
        Some((whole, "")) => format!("{sign}{whole}"),
        Some((whole, fraction)) => format!("{sign}{whole}.{fraction}"),
        None => {
            let zeros = "0".repeat(exponent + 1 - digits.len());
            format!("{sign}{digits}{zeros}")
        }
    }
}

fn without_trailing_zeros(text: &str) -> &str {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The same by definition: as many decimals as give that many significant digits, without trailing zeros.
    fn by_definition(value: f64, digits: usize) -> String {
        let decimals = digits - 1;
        let scientific = format!("{value:.decimals$e}");
        let (mantissa, exponent) = scientific.split_once('e').unwrap();
        let exponent: i32 = exponent.parse().unwrap();
        if exponent < -4 || exponent > decimals as i32 {
            let sign = if exponent < 0 { '-' } else { '+' };
            let mantissa = without_trailing_zeros(mantissa);
            return format!("{mantissa}e{sign}{:02}", exponent.abs());
        }
        let places = (decimals as i32 - exponent) as usize;
        without_trailing_zeros(&format!("{value:.places$}")).to_owned()
    }

    fn check(value: f64) {
        if value.is_finite() {
            let expected = by_definition(value, 17);
            assert_eq!(format_double(value), expected.as_bytes(), "{value:e}");
            assert_eq!(
                format_significant(value, 14),
                by_definition(value, 14),
                "{value:e}"
            );
        }
    }

    #[test]
    fn doubles_print_as_c_prints_them() {
        for (value, expected) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (0.1, "0.10000000000000001"),
            (-2.5, "-2.5"),
            (200.129_007_217_9, "200.12900721790001"),
            (1e16, "10000000000000000"),
            (-99_999_999_999_999_984.0, "-99999999999999984"),
            (1e17, "1e+17"),
            (1_309_426_671_287_543_552.0, "1.3094266712875436e+18"),
            (0.0001, "0.0001"),
            (0.00001, "1.0000000000000001e-05"),
            (5e-324, "4.9406564584124654e-324"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN.copysign(1.0), "nan"),
            (f64::NAN.copysign(-1.0), "-nan"),
        ] {
            assert_eq!(format_double(value), expected.as_bytes());
            check(value);
        }
    }

    proptest! {
        #[test]
        fn any_double_prints_by_definition(bits in any::<u64>(), small in -100_000_000_i64..100_000_000, scale in 0..12_i32) {
            check(f64::from_bits(bits));
            check(small as f64);
            check(small as f64 / 10_f64.powi(scale));
            check(small as f64 * 10_f64.powi(scale));
        }
    }
}

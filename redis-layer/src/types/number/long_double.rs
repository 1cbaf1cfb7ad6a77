//! C's `long double` on x86, which `INCRBYFLOAT` adds with: a sign, 64 bits and an exponent.
//!
//! Rust has no access to the processor's own type. So the three operations that Redis needs are computed exactly,
//! with integers of any length, and then rounded once, half to even, as the hardware and the C library do: read
//! (`strtold`), add, and print (`%.17Lf` without trailing zeros).
//!
//! A double would not do: 64 bits hold every i64 exactly, and 3 + 0.00000000000000001 keeps its last digit.

use num_bigint::{BigInt, BigUint, Sign};

use super::{digits_with_point, exponent, is_space, word};

/// How many bits the mantissa has.
const MANTISSA_BITS: i64 = 64;
/// The exponent of the last bit of the least number above 0.
const LEAST_EXPONENT: i64 = -16445;
/// The exponent of the last bit of the greatest number.
const GREATEST_EXPONENT: i64 = 16320;
/// Redis refuses texts that are longer than this, including C's terminating zero byte.
const TEXT_BYTES: usize = 5 * 1024;
/// A power of ten that exceeds all numbers.
const DECIMAL_LIMIT: i64 = 5000;
/// How many digits are printed after the point.
const DECIMALS: u32 = 17;

/// A number: a finite `±mantissa * 2^exponent`, or an infinite one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LongDouble {
    is_negative: bool,
    /// `None` if it is infinite.
    magnitude: Option<Magnitude>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Magnitude {
    mantissa: u64,
    exponent: i64,
}

impl LongDouble {
    /// Reads a number as Redis takes it: the whole text must be the number, without white space before it, and the
    /// number neither NaN nor out of range. `inf` is allowed.
    #[must_use]
    pub fn parse(text: &[u8]) -> Option<Self> {
        if text.len() >= TEXT_BYTES || text.first().is_none_or(|&byte| is_space(byte)) {
            return None;
        }
        let (is_negative, digits) = match text {
            [b'-', digits @ ..] => (true, digits),
            [b'+', digits @ ..] => (false, digits),
            digits => (false, digits),
        };
        if let Some(word) = word(digits) {
            let is_infinite = word.length == digits.len() && word.value.is_infinite();
            return is_infinite.then_some(Self {
                is_negative,
                magnitude: None,
            });
        }
        let magnitude = hexadecimal(digits).or_else(|| decimal(digits))?;
        Some(Self {
            is_negative,
            magnitude: Some(magnitude),
        })
    }

    /// Whether it is infinite.
    #[must_use]
    pub const fn is_infinite(self) -> bool {
        self.magnitude.is_none()
    }

    /// A thousand times the number, rounded as a product and then up to an integer. `None` if it does not fit into an
    /// `i64`.
    #[must_use]
    pub fn thousandfold(self) -> Option<i64> {
        let Magnitude { mantissa, exponent } = self.magnitude?;
        let product = round(&(BigUint::from(mantissa) * 1000_u32), false, exponent)?;
        let mantissa = i128::from(product.mantissa);
        let signed = if self.is_negative {
            -mantissa
        } else {
            mantissa
        };
        let rounded = match u32::try_from(-product.exponent) {
            // A shift rounds down, so the negated shift of the negated number rounds up. The largest shift leaves
            // only the sign.
            Ok(cut) => -(-signed >> cut.min(i128::BITS - 1)),
            Err(_) if product.exponent < 63 => signed << product.exponent,
            Err(_) => return None,
        };
        i64::try_from(rounded).ok()
    }

    /// The sum, rounded once. `None` if it is infinite or NaN.
    #[must_use]
    pub fn checked_add(self, other: Self) -> Option<Self> {
        let (a, b) = (self.magnitude?, other.magnitude?);
        let last_place = a.exponent.min(b.exponent);
        let aligned = |number: Magnitude, is_negative| {
            let shift = usize::try_from(number.exponent - last_place).unwrap_or(0);
            let sign = if is_negative { Sign::Minus } else { Sign::Plus };
            BigInt::from_biguint(sign, BigUint::from(number.mantissa) << shift)
        };
        let sum = aligned(a, self.is_negative) + aligned(b, other.is_negative);
        let (sign, sum) = sum.into_parts();
        Some(Self {
            is_negative: sign == Sign::Minus,
            magnitude: Some(round(&sum, false, last_place)?),
        })
    }
}

impl std::fmt::Display for LongDouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if self.is_negative { "-" } else { "" };
        let Some(Magnitude { mantissa, exponent }) = self.magnitude else {
            return write!(f, "{sign}inf");
        };
        if let Ok(shift) = usize::try_from(exponent) {
            let whole = BigUint::from(mantissa) << shift;
            let sign = if mantissa == 0 { "" } else { sign };
            return write!(f, "{sign}{whole}");
        }
        // `scaled` is less than 2^121, so a shift by more than 127 bits leaves nothing, and nothing to round either.
        let scaled = u128::from(mantissa) * 10_u128.pow(DECIMALS);
        let cut = u32::try_from(-exponent).unwrap_or(u32::MAX);
        let rounded = half_to_even(scaled, cut, false);
        let (whole, fraction) = (
            rounded / 10_u128.pow(DECIMALS),
            rounded % 10_u128.pow(DECIMALS),
        );
        let sign = if rounded == 0 { "" } else { sign };
        let fraction = format!("{fraction:017}");
        match fraction.trim_end_matches('0') {
            "" => write!(f, "{sign}{whole}"),
            fraction => write!(f, "{sign}{whole}.{fraction}"),
        }
    }
}

/// `number / 2^cut`, rounded to an integer, half to even. `more` says that the true value is a little above `number`.
fn half_to_even(number: u128, cut: u32, more: bool) -> u128 {
    if cut == 0 {
        return number;
    }
    let Some(kept) = number.checked_shr(cut) else {
        return 0;
    };
    let half = 1_u128 << (cut - 1);
    let rest = number & (half | (half - 1));
    let up = rest > half || (rest == half && (more || kept & 1 == 1));
    kept + u128::from(up)
}

/// `number * 2^exponent`, rounded. `None` if it is too large, or is not 0 but rounds to 0. `more` says that the true
/// value is a little above `number`, which then has at least 66 bits.
fn round(number: &BigUint, more: bool, exponent: i64) -> Option<Magnitude> {
    const WORKING_BITS: u64 = 120;
    // Of these low bits it only matters whether any of them is set.
    let dropped = number.bits().saturating_sub(WORKING_BITS);
    let more = more || number.trailing_zeros().is_some_and(|zeros| zeros < dropped);
    let working = u128::try_from(number >> dropped).ok()?;
    let exponent = exponent + i64::try_from(dropped).ok()?;
    if working == 0 {
        return Some(Magnitude {
            mantissa: 0,
            exponent: 0,
        });
    }
    let bits = i64::from(u128::BITS - working.leading_zeros());
    let last_place = (exponent + bits - MANTISSA_BITS).max(LEAST_EXPONENT);
    let (mantissa, last_place) = if last_place >= exponent {
        let cut = u32::try_from(last_place - exponent).unwrap_or(u32::MAX);
        (half_to_even(working, cut, more), last_place)
    } else {
        // All bits fit. Bits above the mantissa's last place may be moved down.
        (working, exponent)
    };
    // Rounding up may have added a bit.
    let (mantissa, last_place) = match u64::try_from(mantissa) {
        Ok(mantissa) => (mantissa, last_place),
        Err(_) => (1 << 63, last_place + 1),
    };
    let top = last_place + i64::from(u64::BITS - mantissa.leading_zeros());
    let fits = mantissa != 0 && top <= GREATEST_EXPONENT + MANTISSA_BITS;
    fits.then_some(Magnitude {
        mantissa,
        exponent: last_place,
    })
}

/// The digits of a number with a point somewhere, as an integer, and how many of them follow the point.
fn integer_of(digits: &[u8], radix: u32) -> Option<(BigUint, i64)> {
    let point = digits.iter().position(|&byte| byte == b'.');
    let behind = point.map_or(0, |point| digits.len() - point - 1);
    let all: Vec<u8> = digits.iter().copied().filter(|&b| b != b'.').collect();
    Some((
        BigUint::parse_bytes(&all, radix)?,
        i64::try_from(behind).ok()?,
    ))
}

fn decimal(text: &[u8]) -> Option<Magnitude> {
    let length = digits_with_point(text, u8::is_ascii_digit)?;
    let (given, exponent_length) = exponent(&text[length..], b'e');
    if length + exponent_length != text.len() {
        return None;
    }
    let (digits, behind) = integer_of(&text[..length], 10)?;
    if digits == BigUint::ZERO {
        return round(&digits, false, 0);
    }
    let power = given - behind;
    let places = i64::try_from(length).ok()? + power;
    if !(-DECIMAL_LIMIT..=DECIMAL_LIMIT).contains(&places) {
        return None;
    }
    let scale = BigUint::from(10_u8).pow(u32::try_from(power.abs()).ok()?);
    if power >= 0 {
        return round(&(digits * scale), false, 0);
    }
    // Enough bits of the quotient to decide the rounding, and whether there is a remainder.
    let short = i64::try_from(scale.bits()).ok()? - i64::try_from(digits.bits()).ok()?;
    let shift = usize::try_from(short + MANTISSA_BITS + 2).unwrap_or(0);
    let shifted = digits << shift;
    let quotient = &shifted / &scale;
    let is_exact = &quotient * &scale == shifted;
    round(&quotient, !is_exact, -i64::try_from(shift).ok()?)
}

/// `0x`, hexadecimal digits with a point somewhere, and a binary exponent.
fn hexadecimal(text: &[u8]) -> Option<Magnitude> {
    let [b'0', b'x' | b'X', digits @ ..] = text else {
        return None;
    };
    let length = digits_with_point(digits, u8::is_ascii_hexdigit)?;
    let (given, exponent_length) = exponent(&digits[length..], b'p');
    if length + exponent_length != digits.len() {
        return None;
    }
    let (digits, behind) = integer_of(&digits[..length], 16)?;
    round(&digits, false, given - 4 * behind)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sum(a: &str, b: &str) -> Option<String> {
        let parse = |text: &str| LongDouble::parse(text.as_bytes());
        Some(parse(a)?.checked_add(parse(b)?)?.to_string())
    }

    /// The expected sums are the answers of redis-server 7.0.15 on x86-64.
    #[test]
    fn sums_are_those_of_the_hardware() {
        for (a, b, expected) in [
            ("3", "0.000000000000000005", "3"),
            ("3", "0.00000000000000001", "3.00000000000000001"),
            ("10.50", "0.1", "10.6"),
            ("5.0e3", "2.0e2", "5200"),
            ("0", "0.1", "0.1"),
            ("0.1", "0.2", "0.3"),
            ("1", "-1", "0"),
            ("-1e-30", "0", "0"),
            ("-0", "-0", "0"),
            ("9223372036854775807", "1", "9223372036854775808"),
            ("18446744073709551616", "1", "18446744073709551616"),
            ("18446744073709551615", "1", "18446744073709551616"),
            ("0x10", "0x.8p1", "17"),
            ("0x10", "0x0p-34294967296", "16"),
            ("1e20", "0.5", "100000000000000000000"),
            ("0.00000000000000001", "0", "0.00000000000000001"),
            ("3.6e-4951", "0", "0"),
        ] {
            assert_eq!(sum(a, b).as_deref(), Some(expected), "{a} + {b}");
        }
        assert_eq!(sum("1e4000", "1").map(|text| text.len()), Some(4000));
        for (a, b) in [("1e4932", "1e4932"), ("inf", "1"), ("inf", "-inf")] {
            assert_eq!(sum(a, b), None, "{a} + {b}");
        }
    }

    #[test]
    fn seconds_become_milliseconds() {
        let millis = |text: &str| LongDouble::parse(text.as_bytes()).unwrap().thousandfold();
        for (text, expected) in [
            ("0", Some(0)),
            ("-0", Some(0)),
            ("1", Some(1000)),
            ("0.003", Some(3)),
            ("0.0031", Some(4)),
            ("1e-400", Some(1)),
            ("-0.0001", Some(0)),
            ("-0.0011", Some(-1)),
            ("9223372036854775.807", Some(i64::MAX)),
            ("9223372036854775.808", None),
            ("-9223372036854775.808", Some(-i64::MAX)),
            ("1e400", None),
            ("-1e4932", None),
            ("inf", None),
        ] {
            assert_eq!(millis(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        let long = "1".repeat(TEXT_BYTES);
        for text in [
            "",
            " 1",
            "1 ",
            "x",
            "nan",
            "1e5000",
            "-1e5000",
            "1e-5000",
            "1e99999999999",
            "0x",
            "1e",
            "0x1p",
            "0x1p-20000",
            "-0x.8p-34294967296",
            "0x1p99999999999",
            ".",
            "1\0",
            "infx",
            &long,
        ] {
            assert_eq!(LongDouble::parse(text.as_bytes()), None, "{text:?}");
        }
        assert!(LongDouble::parse(b"-Infinity").unwrap().is_infinite());
    }

    proptest! {
        #[test]
        fn integers_of_64_bits_are_exact(number: u64) {
            let text = number.to_string();
            let parsed = LongDouble::parse(text.as_bytes()).unwrap();
            prop_assert_eq!(parsed.to_string(), text);
        }

        #[test]
        fn sums_of_integers_are_rounded_to_64_bits(a: i64, b: i64) {
            // The sum of two i64 has at most 64 bits and a sign, so it is exact.
            let exact = (i128::from(a) + i128::from(b)).to_string();
            prop_assert_eq!(sum(&a.to_string(), &b.to_string()), Some(exact));
        }

        #[test]
        fn few_decimals_come_back(whole in 0_u32..64, fraction in 0_u32..1_000_000) {
            let text = format!("{whole}.{fraction:06}");
            let shown = sum(&text, "0").unwrap();
            let expected = text.trim_end_matches('0').trim_end_matches('.');
            prop_assert_eq!(shown, expected);
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(text: Vec<u8>, power in -6000..6000) {
            let _ = LongDouble::parse(&text);
            let _ = sum(&format!("1.5e{power}"), "1");
        }
    }
}

//! Numbers as Redis reads and prints them.
//!
//! Redis reads scores with C's `strtod`, and prints them with `%.17g`. Both are rebuilt here, so
//! that the same texts are accepted and the same bytes come back:
//!
//! - a sign, then `inf`, `infinity` or `nan` in any case, hexadecimal digits after `0x` with a
//!   binary exponent after `p`, or decimal digits with an exponent after `e`;
//! - white space before the number is skipped by `strtod`; whether that is allowed is up to the
//!   caller, and so is what may follow;
//! - C text ends at its first zero byte. Range bounds are read that way, so `1\0x` is 1.

mod long_double;
mod print;

pub use long_double::LongDouble;
pub use print::{format_double, format_significant, whole};

/// What `strtod` made of the start of a text.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Parsed {
    value: f64,
    /// How many bytes belong to the number, including white space before it. 0 if there is no number.
    length: usize,
    /// The number is too large for a double, or so small that it was rounded to 0.
    out_of_range: bool,
}

/// A score or an increment as Redis takes it: the whole text must be the number, without white space before it, and
/// the number neither NaN nor out of range.
#[must_use]
pub fn parse_double(text: &[u8]) -> Option<f64> {
    if let Some(value) = short_integer(text) {
        return Some(value);
    }
    if text.first().is_none_or(|&byte| is_space(byte)) {
        return None;
    }
    let parsed = strtod(text);
    let whole = parsed.length == text.len();
    (whole && !parsed.out_of_range && !parsed.value.is_nan()).then_some(parsed.value)
}

/// The bound of a score range as Redis takes it: a C text, with white space before the number allowed but nothing
/// after it, and never NaN. An empty text is 0; a number out of range becomes infinite or 0.
#[must_use]
pub fn parse_bound(text: &[u8]) -> Option<f64> {
    short_integer(text).or_else(|| Some(whole_c_text(text)?.value))
}

/// A number that `SORT` compares by: as [`parse_bound`], but out of range is refused too.
#[must_use]
pub fn parse_weight(text: &[u8]) -> Option<f64> {
    short_integer(text).or_else(|| {
        let parsed = whole_c_text(text)?;
        (!parsed.out_of_range).then_some(parsed.value)
    })
}

/// A C text that is a number and nothing else, except for white space before it. NaN is refused.
fn whole_c_text(text: &[u8]) -> Option<Parsed> {
    let text = c_text(text);
    let parsed = strtod(text);
    (parsed.length == text.len() && !parsed.value.is_nan()).then_some(parsed)
}

/// A text of digits only, so few that a double holds the number exactly. Most scores are like that.
fn short_integer(text: &[u8]) -> Option<f64> {
    const DIGITS_EXACT: usize = 15;
    if text.is_empty() || text.len() > DIGITS_EXACT {
        return None;
    }
    let mut number = 0;
    for &byte in text {
        if !byte.is_ascii_digit() {
            return None;
        }
        number = 10 * number + u64::from(byte - b'0');
    }
    Some(number as f64)
}

/// The bytes before the first zero byte: what a C function sees of a text.
#[must_use]
pub fn c_text(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|&byte| byte == 0);
    &text[..end.unwrap_or(text.len())]
}

/// An integer as Redis takes it: an optional minus sign and digits, without leading zeros.
#[must_use]
pub fn parse_integer(text: &[u8]) -> Option<i64> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let canonical = match digits {
        [b'0'] => text.len() == 1,
        [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    if !canonical {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// The integer at the start of a text, as C's `atoi` reads it on a machine of 64 bits: 0 if there is none, the lower half of
/// what needs more than 32 bits, and of what does not fit 64 bits the lower half of the nearest that does.
#[must_use]
pub fn leading_integer(text: &[u8]) -> i32 {
    let begin = text.iter().take_while(|&&byte| is_space(byte)).count();
    let (is_negative, digits) = match &text[begin..] {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] | digits => (false, digits),
    };
    let digits = digits.iter().take_while(|byte| byte.is_ascii_digit());
    let whole = digits.fold(0_i64, |whole, digit| {
        let digit = i64::from(digit - b'0');
        let signed = if is_negative { -digit } else { digit };
        whole.saturating_mul(10).saturating_add(signed)
    });
    let [a, b, c, d, ..] = whole.to_le_bytes();
    i32::from_le_bytes([a, b, c, d])
}

/// The number at the start of a text, as C's `strtod` reads it, and how many bytes it takes; 0
/// bytes if there is none.
#[must_use]
pub fn number_prefix(text: &[u8]) -> (f64, usize) {
    let parsed = strtod(text);
    (parsed.value, parsed.length)
}

const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// C's `strtod`, in the "C" locale.
fn strtod(text: &[u8]) -> Parsed {
    let spaces = text.iter().take_while(|&&byte| is_space(byte)).count();
    let (negative, sign) = match text.get(spaces) {
        Some(b'-') => (true, 1),
        Some(b'+') => (false, 1),
        _ => (false, 0),
    };
    let start = spaces + sign;
    let magnitude = &text[start..];
    let parsed = word(magnitude)
        .or_else(|| hexadecimal(magnitude))
        .unwrap_or_else(|| decimal(magnitude));
    Parsed {
        value: if negative {
            -parsed.value
        } else {
            parsed.value
        },
        length: if parsed.length == 0 {
            0
        } else {
            start + parsed.length
        },
        ..parsed
    }
}

/// `inf`, `infinity`, `nan` or `nan(...)`.
fn word(text: &[u8]) -> Option<Parsed> {
    let starts_with = |word: &str| {
        let start = text.get(..word.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
    };
    let (value, length) = if starts_with("infinity") {
        (f64::INFINITY, "infinity".len())
    } else if starts_with("inf") {
        (f64::INFINITY, "inf".len())
    } else if starts_with("nan") {
        (f64::NAN, "nan".len() + nan_payload(&text["nan".len()..]))
    } else {
        return None;
    };
    Some(Parsed {
        value,
        length,
        out_of_range: false,
    })
}

/// How many bytes after `nan` belong to its payload in parentheses.
fn nan_payload(text: &[u8]) -> usize {
    let is_payload = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let Some(inside) = text.strip_prefix(b"(") else {
        return 0;
    };
    let length = inside.iter().take_while(|byte| is_payload(byte)).count();
    if inside.get(length) == Some(&b')') {
        length + 2
    } else {
        0
    }
}

/// Digits with a point somewhere, and how many bytes they take. `None` without any digit.
fn digits_with_point(text: &[u8], is_digit: fn(&u8) -> bool) -> Option<usize> {
    let run = |from: usize| {
        text[from..]
            .iter()
            .take_while(|&byte| is_digit(byte))
            .count()
    };
    let whole = run(0);
    if text.get(whole) != Some(&b'.') {
        return (whole > 0).then_some(whole);
    }
    let fraction = run(whole + 1);
    (whole + fraction > 0).then_some(whole + 1 + fraction)
}

/// An exponent after `mark`: its value and how many bytes it takes; 0 bytes if there is none.
fn exponent(text: &[u8], mark: u8) -> (i64, usize) {
    let Some((first, rest)) = text.split_first() else {
        return (0, 0);
    };
    let (negative, sign) = match rest.first() {
        Some(b'-') => (true, 1),
        Some(b'+') => (false, 1),
        _ => (false, 0),
    };
    let digits = rest[sign..].iter().take_while(|byte| byte.is_ascii_digit());
    let count = digits.clone().count();
    if !first.eq_ignore_ascii_case(&mark) || count == 0 {
        return (0, 0);
    }
    // The cap is far beyond the exponent of any double, and far from an overflow.
    let magnitude = digits.fold(0, |sum, byte| {
        (sum * 10 + i64::from(byte - b'0')).min(1 << 40)
    });
    let value = if negative { -magnitude } else { magnitude };
    (value, 1 + sign + count)
}

fn decimal(text: &[u8]) -> Parsed {
    let Some(mantissa) = digits_with_point(text, u8::is_ascii_digit) else {
        return Parsed {
            value: 0.0,
            length: 0,
            out_of_range: false,
        };
    };
    let (_, exponent_length) = exponent(&text[mantissa..], b'e');
    let length = mantissa + exponent_length;
    // An ASCII text of digits, a point and an exponent: Rust's parser takes all of that and rounds correctly.
    let number = std::str::from_utf8(&text[..length]).unwrap_or("0");
    let value: f64 = number.parse().unwrap_or(0.0);
    let is_zero = !text[..mantissa]
        .iter()
        .any(|byte| (b'1'..=b'9').contains(byte));
    Parsed {
        value,
        length,
        out_of_range: value.is_infinite() || (value == 0.0 && !is_zero),
    }
}

/// `0x`, hexadecimal digits with a point somewhere, and a binary exponent.
fn hexadecimal(text: &[u8]) -> Option<Parsed> {
    let [b'0', b'x' | b'X', digits @ ..] = text else {
        return None;
    };
    let mantissa = digits_with_point(digits, u8::is_ascii_hexdigit)?;
    let (binary_exponent, exponent_length) = exponent(&digits[mantissa..], b'p');
    let mut significand: u64 = 0;
    let mut scale = binary_exponent;
    let mut behind_point = false;
    for &byte in &digits[..mantissa] {
        let Some(digit) = char::from(byte).to_digit(16) else {
            behind_point = true;
            continue;
        };
        if significand >> 59 == 0 {
            significand = significand << 4 | u64::from(digit);
            scale -= if behind_point { 4 } else { 0 };
        } else {
            // For rounding it only matters whether any cut-off digit was not 0, and the lowest bit remembers that.
            significand |= u64::from(digit != 0);
            scale += if behind_point { 0 } else { 4 };
        }
    }
    let value = scale_by_power_of_two(significand, scale);
    Some(Parsed {
        value,
        length: 2 + mantissa + exponent_length,
        out_of_range: value.is_infinite() || (value == 0.0 && significand != 0),
    })
}

/// `significand * 2^exponent`, rounded once, half to even. The lowest bit of a significand of more than 55 bits may
/// represent everything that was cut off after it.
fn scale_by_power_of_two(significand: u64, exponent: i64) -> f64 {
    const MANTISSA_BITS: i64 = 53;
    const LEAST_EXPONENT: i64 = -1074;
    if significand == 0 {
        return 0.0;
    }
    let bits = i64::from(u64::BITS - significand.leading_zeros());
    if exponent + bits > 1024 {
        return f64::INFINITY;
    }
    // The exponent of the last bit that the result can hold. Subnormal numbers hold fewer bits.
    let last_place = (exponent + bits - MANTISSA_BITS).max(LEAST_EXPONENT);
    let cut = last_place - exponent;
    if cut <= 0 {
        // All bits fit, so both factors and the product are exact.
        return significand as f64 * power_of_two(exponent);
    }
    if cut > 64 {
        return 0.0;
    }
    let wide = u128::from(significand);
    let kept = wide >> cut;
    let half = 1_u128 << (cut - 1);
    let rest = wide & ((1_u128 << cut) - 1);
    let up = rest > half || (rest == half && kept & 1 == 1);
    (kept + u128::from(up)) as f64 * power_of_two(last_place)
}

/// `2^exponent` for the exponents of doubles, multiplied from factors that stay in range.
fn power_of_two(exponent: i64) -> f64 {
    let exponent = i32::try_from(exponent.clamp(-1074, 1023)).unwrap_or(0);
    if exponent < -1022 {
        return f64::from_bits(1 << (exponent + 1074));
    }
    f64::from_bits(u64::try_from(exponent + 1023).unwrap_or(0) << 52)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn scores_are_read_as_strtod_reads_them() {
        for (text, value) in [
            ("1", 1.0),
            ("-0", -0.0),
            ("+.5e+1", 5.0),
            ("5.", 5.0),
            ("1e308", 1e308),
            ("4.9e-324", 5e-324),
            ("inf", f64::INFINITY),
            ("-Infinity", f64::NEG_INFINITY),
            ("9007199254740993", 9_007_199_254_740_992.0),
            ("0x10", 16.0),
            ("0X1.8p1", 3.0),
            ("0x1p-1074", 5e-324),
            ("0x.1", 0.0625),
            ("0x1fffffffffffff8", 144_115_188_075_855_864.0),
            ("0x20000000000001", 9_007_199_254_740_992.0),
            ("0x20000000000001.0000000000001", 9_007_199_254_740_994.0),
            ("0x1.fffffffffffffp1023", f64::MAX),
        ] {
            let parsed = parse_double(text.as_bytes()).map(f64::to_bits);
            assert_eq!(parsed, Some(value.to_bits()), "{text}");
        }
        for text in [
            "",
            " 1",
            "1 ",
            "abc",
            "nan",
            "-nan(1)",
            "1e400",
            "-1e400",
            "1e-400",
            "0x",
            "0x1p",
            "1e",
            ".",
            "+",
            "infx",
            "0x1p1024",
            "0x1p-1080",
            "1\0",
        ] {
            assert_eq!(parse_double(text.as_bytes()), None, "{text:?}");
        }
    }

    #[test]
    fn bounds_are_c_text() {
        for (text, value) in [
            (&b""[..], 0.0),
            (b" 1", 1.0),
            (b"\t\x0b-2", -2.0),
            (b"1\x00zz", 1.0),
            (b"1e400", f64::INFINITY),
            (b"-1e-400", 0.0),
        ] {
            assert_eq!(parse_bound(text), Some(value), "{text:?}");
        }
        for text in [&b"nan"[..], b"1 ", b" ", b"x", b"0x1p"] {
            assert_eq!(parse_bound(text), None, "{text:?}");
        }
    }

    #[test]
    fn integers_have_one_spelling() {
        for (text, value) in [
            ("0", Some(0)),
            ("-1", Some(-1)),
            ("9223372036854775807", Some(i64::MAX)),
            ("-9223372036854775808", Some(i64::MIN)),
            ("9223372036854775808", None),
            ("+1", None),
            ("01", None),
            ("-0", None),
            ("", None),
            ("-", None),
            ("1 ", None),
        ] {
            assert_eq!(parse_integer(text.as_bytes()), value, "{text:?}");
        }
    }

    #[test]
    fn doubles_print_as_c_prints_them() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (-1.5, "-1.5"),
            (0.1, "0.10000000000000001"),
            (1e16, "10000000000000000"),
            (1e17, "1e+17"),
            (1.309_426_671_287_543_5e18, "1.3094266712875436e+18"),
            (9_007_199_254_740_993.0, "9007199254740992"),
            (0.0001, "0.0001"),
            (0.000_01, "1.0000000000000001e-05"),
            (5e-324, "4.9406564584124654e-324"),
            (f64::MAX, "1.7976931348623157e+308"),
            (99_999_999_999_999_984.0, "99999999999999984"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(format_double(value), text);
        }
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back_as_the_same_double(bits: u64) {
            let value = f64::from_bits(bits);
            prop_assume!(!value.is_nan());
            let text = format_double(value);
            prop_assert_eq!(parse_double(&text).map(f64::to_bits), Some(bits));
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(text: Vec<u8>) {
            let _ = (parse_double(&text), parse_bound(&text), parse_integer(&text));
        }

        #[test]
        fn hexadecimal_integers_are_rounded_like_decimal_ones(number: u128) {
            let hexadecimal = parse_double(format!("{number:#x}").as_bytes());
            prop_assert_eq!(hexadecimal, Some(number as f64));
        }

        #[test]
        fn decimal_integers_are_read_whatever_their_length(number: u64, shift in 0..64_u32) {
            let number = number >> shift;
            for text in [number.to_string(), format!("0{number}")] {
                prop_assert_eq!(parse_double(text.as_bytes()), Some(number as f64));
                prop_assert_eq!(parse_bound(text.as_bytes()), Some(number as f64));
            }
        }
    }
}

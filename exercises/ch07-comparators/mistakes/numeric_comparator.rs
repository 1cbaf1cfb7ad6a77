//! What goes wrong with numbers at the end of keys.

use std::cmp::Ordering::{self, Equal, Greater, Less};
use std::sync::Arc;

use kit::{Mistake, compose};

use crate::mistakes::numeric_comparator_steps::Step::{
    self, AsFloat, Atoi, Descending, DigitsAsBytes, FirstDigits, LastColon, MinusRead,
    MoreZerosFirst, NoNumberLast, NoTies, NoTiesNorNoNumber, NumberFirst, Padded, Padded32,
    ParseI64OrNone, ParseOrNone, ParseOrZero, ParseU128OrNone, ParseU128OrZero, PrefixAsText,
    PrefixCaseIgnored, PrefixIgnored, Saturated, SaturatedU128, Subtracted, TiesByLength, TiesLess,
    TiesReversed, Wrapped, ZerosCounted,
};
use crate::mistakes::numeric_comparator_steps::{APART, QUIRKS};
use crate::numeric_comparator::Order;
use crate::solutions::numeric_comparator::split;

const SCAN: &str = "a-scan-goes-wrong";
const PREDICT: &str = "predict";
const REPAIR: &str = "the-repair";
const BROKEN: &str = "what-a-broken-one-does";

fn fields<'a>(steps: &[Step], key: &'a [u8]) -> (&'a [u8], &'a [u8]) {
    if steps.contains(&FirstDigits) {
        let digit = |byte: &u8| byte.is_ascii_digit();
        let start = key.iter().position(digit).unwrap_or(key.len());
        let run = key[start..].iter().take_while(|byte| digit(byte)).count();
        (&key[..start], &key[start..start + run])
    } else if steps.contains(&LastColon) {
        let colon = key.iter().rposition(|byte| *byte == b':');
        let (prefix, rest) = key.split_at(colon.map_or(0, |at| at + 1));
        let number = rest.iter().all(u8::is_ascii_digit);
        if number { (prefix, rest) } else { (key, &[]) }
    } else {
        split(key)
    }
}

fn stripped(digits: &[u8]) -> &[u8] {
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    &digits[zeros..]
}

fn parsed(digits: &[u8]) -> Option<u64> {
    str::from_utf8(digits).ok()?.parse().ok()
}

/// Digits as a number of 64 bits, at most the greatest, cut to 32.
fn cut(digits: &[u8]) -> i32 {
    let number = digits.iter().fold(0i64, |n, digit| {
        n.saturating_mul(10).saturating_add(i64::from(digit - b'0'))
    });
    number as i32
}

fn numbers(steps: &[Step], a: &[u8], b: &[u8]) -> Ordering {
    let has = |step| steps.contains(&step);
    if has(DigitsAsBytes) {
        a.cmp(b)
    } else if has(ZerosCounted) {
        a.len().cmp(&b.len()).then(a.cmp(b))
    } else if has(Atoi) {
        cut(a).cmp(&cut(b))
    } else if has(ParseOrZero) {
        parsed(a).unwrap_or(0).cmp(&parsed(b).unwrap_or(0))
    } else if has(ParseU128OrZero) {
        let number =
            |digits| -> u128 { str::from_utf8(digits).map_or(0, |text| text.parse().unwrap_or(0)) };
        number(a).cmp(&number(b))
    } else if has(Wrapped) {
        let number = |digits: &[u8]| {
            let step =
                |n: u64, digit: &u8| n.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            digits.iter().fold(0, step)
        };
        number(a).cmp(&number(b))
    } else if has(Padded) || has(Padded32) {
        let width = if has(Padded) { 20_usize } else { 32 };
        let filled = |digits: &[u8]| {
            let zeros = width.saturating_sub(digits.len());
            [&vec![b'0'; zeros], digits].concat()
        };
        filled(a).cmp(&filled(b))
    } else if has(ParseOrNone) {
        parsed(a).cmp(&parsed(b))
    } else if has(ParseU128OrNone) {
        let number = |digits| -> Option<u128> { str::from_utf8(digits).ok()?.parse().ok() };
        number(a).cmp(&number(b))
    } else if has(ParseI64OrNone) {
        let number = |digits| -> Option<i64> { str::from_utf8(digits).ok()?.parse().ok() };
        number(a).cmp(&number(b))
    } else if has(SaturatedU128) {
        let number = |digits: &[u8]| {
            let most = if digits.is_empty() { 0 } else { u128::MAX };
            str::from_utf8(digits).map_or(most, |text| text.parse().unwrap_or(most))
        };
        number(a).cmp(&number(b))
    } else if has(Saturated) {
        let number = |digits: &[u8]| {
            let most = if digits.is_empty() { 0 } else { u64::MAX };
            parsed(digits).unwrap_or(most)
        };
        number(a).cmp(&number(b))
    } else if has(AsFloat) {
        let number =
            |digits| str::from_utf8(digits).map_or(0.0, |text| text.parse().unwrap_or(0.0));
        f64::total_cmp(&number(a), &number(b))
    } else if has(Subtracted) {
        cut(a).wrapping_sub(cut(b)).cmp(&0)
    } else {
        let (x, y) = (stripped(a), stripped(b));
        let value = x.len().cmp(&y.len()).then(x.cmp(y));
        if has(NoNumberLast) {
            a.is_empty().cmp(&b.is_empty()).then(value)
        } else {
            value
        }
    }
}

/// The order by the prefix without a hyphen at its end, and by the number with its sign.
fn signed(steps: &[Step], a: &[u8], b: &[u8]) -> Ordering {
    let fields = |key| {
        let (prefix, digits) = split(key);
        match prefix.strip_suffix(b"-") {
            Some(prefix) if !digits.is_empty() => (prefix, true, digits),
            _ => (prefix, false, digits),
        }
    };
    let ((a_prefix, a_minus, a_digits), (b_prefix, b_minus, b_digits)) = (fields(a), fields(b));
    let numbers = match (a_minus, b_minus) {
        (false, false) => numbers(steps, a_digits, b_digits),
        (true, true) => numbers(steps, b_digits, a_digits),
        (true, false) => Less,
        (false, true) => Greater,
    };
    a_prefix.cmp(b_prefix).then(numbers)
}

fn ties(steps: &[Step], a: &[u8], b: &[u8]) -> Ordering {
    let has = |step| steps.contains(&step);
    // The second rule is kept: a key without a number comes first.
    let numbered = |key| !fields(steps, key).1.is_empty();
    if has(NoTies) {
        numbered(a).cmp(&numbered(b))
    } else if has(MoreZerosFirst) {
        let zeros = b.len().cmp(&a.len());
        numbered(a).cmp(&numbered(b)).then(zeros).then(a.cmp(b))
    } else if has(NoTiesNorNoNumber) {
        Equal
    } else if has(TiesByLength) {
        a.len().cmp(&b.len()).then(a.cmp(b))
    } else if has(TiesReversed) {
        b.cmp(a)
    } else if has(TiesLess) {
        a.cmp(b).then(Less)
    } else {
        a.cmp(b)
    }
}

fn answer(steps: &[Step], a: &[u8], b: &[u8]) -> Ordering {
    let has = |step| steps.contains(&step);
    let ((a_prefix, a_digits), (b_prefix, b_digits)) = (fields(steps, a), fields(steps, b));
    let prefix = if has(PrefixCaseIgnored) {
        let small = <[u8]>::to_ascii_lowercase;
        small(a_prefix).cmp(&small(b_prefix))
    } else if has(PrefixAsText) {
        String::from_utf8_lossy(a_prefix).cmp(&String::from_utf8_lossy(b_prefix))
    } else {
        a_prefix.cmp(b_prefix)
    };
    let number = numbers(steps, a_digits, b_digits);
    let fields = if has(MinusRead) {
        signed(steps, a, b)
    } else if has(PrefixIgnored) {
        number
    } else if has(NumberFirst) {
        number.then(prefix)
    } else {
        prefix.then(number)
    };
    let order = fields.then(ties(steps, a, b));
    if has(Descending) {
        order.reverse()
    } else {
        order
    }
}

fn with(steps: &[Step]) -> Option<Order> {
    let both = |group: &&[Step]| steps.iter().filter(|s| group.contains(s)).count() > 1;
    if APART.iter().any(both) {
        return None;
    }
    let steps = steps.to_vec();
    Some(Arc::new(move |a, b| answer(&steps, a, b)))
}

/// Numbers count only between keys with the same prefix; all other pairs compare as bytes.
pub(crate) fn half_numeric(a: &[u8], b: &[u8]) -> Ordering {
    if split(a).0 == split(b).0 {
        answer(&[], a, b)
    } else {
        a.cmp(b)
    }
}

/// The number after the last colon by `atoi`, and nothing else.
fn atoi_alone(a: &[u8], b: &[u8]) -> Ordering {
    let number = |key: &[u8]| {
        let text = key.rsplit(|byte| *byte == b':').next().unwrap_or_default();
        let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        cut(&text[..digits])
    };
    number(a).cmp(&number(b))
}

/// The name and the number as text that is parsed, or nothing.
fn parsed_text(key: &[u8]) -> Option<(&str, u64)> {
    let (name, number) = str::from_utf8(key).ok()?.rsplit_once(':')?;
    Some((name, number.parse().ok()?))
}

/// The order by what is before the digits and points at the end, by these, and by the whole key.
fn decimal(a: &[u8], b: &[u8], numbers: impl Fn(&[u8], &[u8]) -> Ordering) -> Ordering {
    let fields = |key: &[u8]| {
        let read = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
        let start = key
            .iter()
            .rposition(|byte| !read(byte))
            .map_or(0, |at| at + 1);
        let (prefix, number) = key.split_at(start);
        (prefix.to_vec(), number.to_vec())
    };
    let ((p, x), (q, y)) = (fields(a), fields(b));
    p.cmp(&q).then_with(|| numbers(&x, &y)).then(a.cmp(b))
}

/// A stretch of digits, by its value, or of other bytes.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Stretch<'a> {
    Number(usize, &'a [u8]),
    Text(&'a [u8]),
}

/// The order that file managers call natural: every stretch of digits is a number.
fn natural(a: &[u8], b: &[u8]) -> Ordering {
    let stretches = |key| -> Vec<Stretch> {
        <[u8]>::chunk_by(key, |x, y| x.is_ascii_digit() == y.is_ascii_digit())
            .map(|part| {
                if part[0].is_ascii_digit() {
                    Stretch::Number(stripped(part).len(), stripped(part))
                } else {
                    Stretch::Text(part)
                }
            })
            .collect()
    };
    stretches(a).cmp(&stretches(b)).then(a.cmp(b))
}

/// The natural order as a loop over both keys.
fn natural_byte_by_byte(a: &[u8], b: &[u8]) -> Ordering {
    let run = |key: &[u8]| key.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (mut x, mut y) = (a, b);
    while let (Some(low), Some(high)) = (x.first(), y.first()) {
        let (m, n) = (run(x), run(y));
        let (order, m, n) = if m > 0 && n > 0 {
            (numbers(&[], &x[..m], &y[..n]), m, n)
        } else {
            (low.cmp(high), 1, 1)
        };
        if order.is_ne() {
            return order;
        }
        (x, y) = (&x[m..], &y[n..]);
    }
    x.len().cmp(&y.len()).then(a.cmp(b))
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Order>> {
    let mistake = |name, check, order: fn(&[u8], &[u8]) -> Ordering| {
        Mistake::<Order>::new(name, "compare", check, Arc::new(order))
    };
    let mut mistakes = vec![
        mistake("bytewise", "order", Ord::cmp)
            .says("plain byte order")
            .why("`1` is less than `9`, so `item:10` comes before `item:9`. This is what the comparator is to mend.")
            .link(SCAN),
        mistake("shorter_key_first", "order", |a, b| {
            a.len().cmp(&b.len()).then(a.cmp(b))
        })
        .says("a comparison by the length of the whole key, then by bytes")
        .why(
            "It is right as long as all prefixes are equally long and no number has leading zeros. `user:1` comes \
             before `item:10` otherwise. Compare the prefix first.",
        )
        .link(REPAIR),
        mistake("digits_of_any_script", "order", |a, b| {
            let fields = |key: &[u8]| {
                let text = str::from_utf8(key).ok()?;
                let prefix = text.trim_end_matches(char::is_numeric);
                // `parse` reads ASCII digits alone.
                let is_read = text[prefix.len()..].bytes().all(|byte| byte.is_ascii_digit());
                (!is_read).then(|| prefix.as_bytes().to_vec())
            };
            let split_at = |key: &[u8]| match fields(key) {
                Some(prefix) => (prefix, Vec::new()),
                None => {
                    let (prefix, digits) = split(key);
                    (prefix.to_vec(), digits.to_vec())
                }
            };
            let ((p, x), (q, y)) = (split_at(a), split_at(b));
            p.cmp(&q)
                .then_with(|| x.is_empty().cmp(&y.is_empty()).reverse())
                .then_with(|| {
                    let (x, y) = (stripped(&x), stripped(&y));
                    x.len().cmp(&y.len()).then(x.cmp(y))
                })
                .then_with(|| a.cmp(b))
        })
        .says("digits of any script taken out of the prefix")
        .why(
            "`is_numeric` knows the digits of many scripts, and fractions too. The rules say ASCII digits: `is_ascii_digit`. All other \
             bytes belong to the prefix.",
        )
        .link("numeric-comparator"),
        mistake("point_read", "order", |a, b| {
            let parts = |number: &[u8]| {
                let mut parts = number.split(|byte| *byte == b'.');
                let whole = parts.next().map(stripped).unwrap_or_default().to_vec();
                (number.is_empty(), whole, parts.next().unwrap_or_default().to_vec())
            };
            decimal(a, b, |x, y| {
                let ((no_x, x, after_x), (no_y, y, after_y)) = (parts(x), parts(y));
                let whole = x.len().cmp(&y.len()).then(x.cmp(&y));
                no_y.cmp(&no_x).then(whole).then(after_x.cmp(&after_y))
            })
        })
        .or(Arc::new(|a, b| {
            let double = |number: &[u8]| str::from_utf8(number).ok()?.parse().ok();
            decimal(a, b, |x, y| match (double(x), double(y)) {
                (Some(x), Some(y)) => f64::total_cmp(&x, &y),
                (x, y) => x.is_some().cmp(&y.is_some()),
            })
        }))
        .says("a point and what is before it taken for a part of the number, as in a decimal one")
        .why(
            "The number is what the ASCII digits at the end make, and a point is none: in `item:1.10` it is 10, and the prefix is `item:1.`. \
             So that key comes after `item:1.5`.",
        )
        .link(REPAIR),
        mistake("half_numeric", "transitive", half_numeric)
            .says("numbers compared between keys with one prefix, and all other pairs as bytes")
            .why(
                "Two rules for two kinds of pairs: a9 < a10 by the number, a10 < a1x and a1x < a9 by the bytes. One rule \
                 has to hold for all pairs: first the prefix, whatever it is, then the number.",
            )
            .link(PREDICT),
        mistake("every_stretch_of_digits", "order", natural)
            .says("numbers wherever digits are, as in the natural order of file managers")
            .why(
                "It is a good order, and another one: it puts `a1x` before `a9`. Here only the digits at the end are a \
                 number, and `a1x` is all prefix. Two programs with two orders must not share a store.",
            )
            .link(REPAIR),
        mistake("every_stretch_of_digits_byte_by_byte", "order", natural_byte_by_byte)
            .says("numbers wherever both keys have digits, and single bytes elsewhere")
            .why(
                "It is the natural order of many libraries: a good one, and another one. It puts `a1x` before `a9`. Here only the digits at the end are a \
                 number, and `a1x` is all prefix. Two programs with two orders must not share a store.",
            )
            .link(REPAIR),
        mistake("number_before_prefix_and_none_in_front", "order", |a, b| {
            let ((x, m), (y, n)) = (split(a), split(b));
            let none_first = m.is_empty().cmp(&n.is_empty()).reverse();
            none_first.then(numbers(&[], m, n)).then(x.cmp(y)).then(a.cmp(b))
        })
            .says("all keys without a number in front, then a comparison by the number first and the prefix second")
            .why(
                "All ones of all prefixes are together then, and `item:` is scattered. The prefix counts first; whether there is a number is asked only \
                 among keys of one prefix.",
            )
            .link(REPAIR),
        mistake("number_before_the_key", "order", |a, b| {
            let (m, n) = (split(a).1, split(b).1);
            n.is_empty().cmp(&m.is_empty()).then(numbers(&[], m, n)).then(a.cmp(b))
        })
            .says("a comparison by the number first, and by the whole key where the numbers are equal")
            .why(
                "All ones of all prefixes are together then, and a prefix is scattered. The prefix counts first, and the number only between keys \
                 of one prefix.",
            )
            .link(REPAIR),
        mistake("digits_without_zeros_compared_as_bytes", "order", |a, b| {
            let ((p, x), (q, y)) = (split(a), split(b));
            let none_first = y.is_empty().cmp(&x.is_empty());
            p.cmp(q).then(none_first).then(stripped(x).cmp(stripped(y))).then(a.cmp(b))
        })
            .says("digits compared as bytes when the zeros in front are gone")
            .why(
                "The zeros had to go. But `10` still comes before `9` as bytes. Of two numbers without zeros in front, the one with more digits is the greater one; \
                 their bytes decide only where they have equally many.",
            )
            .link(REPAIR),
        mistake("bytes_where_one_has_no_number", "transitive", |a, b| {
            let both = !split(a).1.is_empty() && !split(b).1.is_empty();
            if both { answer(&[], a, b) } else { a.cmp(b) }
        })
            .says("the rules where both keys have a number, and plain bytes elsewhere")
            .why(
                "Two orders in one are none: `a9` is before `a10` by the rules, `a10` before `a1x` by bytes, and `a1x` before `a9`. All pairs need the same \
                 rules: a key without digits has a prefix too.",
            )
            .link("invariants"),
        mistake("atoi_alone", "distinct", atoi_alone)
            .says("the number after the last colon, read by `atoi`, and nothing else")
            .why(
                "`item:1` and `user:1` are the same to it, and so are all keys whose number is text. What is equal hides \
                 each other. Compare the prefix first and the whole key last.",
            )
            .link(SCAN),
        mistake("parsed_or_nothing", "distinct", |a, b| {
            parsed_text(a).cmp(&parsed_text(b))
        })
        .says("name and number parsed at the colon, and one value for all keys that do not parse")
        .why(
            "`parse().ok()` makes all keys without a number equal, and those beyond 64 bits with them. Nothing says that \
             a store holds only keys that parse.",
        )
        .link(REPAIR),
        mistake("parsed_or_nothing_ties_by_bytes", "order", |a, b| {
            parsed_text(a).cmp(&parsed_text(b)).then(a.cmp(b))
        })
        .says("name and number parsed at the colon, with all keys that do not parse in front")
        .why(
            "It keeps every law, but `a9` and `item` have no colon, and numbers beyond 64 bits do not parse: they all \
             are in front of the rest. Take the digits at the end of the key, as bytes.",
        )
        .link(REPAIR),
        mistake("spaces_at_the_end_dropped", "distinct", |a, b| {
            answer(&[], a.trim_ascii_end(), b.trim_ascii_end())
        })
        .says("keys without the spaces at their end")
        .why(
            "`item:1` and the same key with a space behind it are two keys, and a store that takes them for one loses a row. A \
             space is a byte like any other: behind the digits it belongs to the prefix.",
        )
        .link(BROKEN),
        mistake("spaces_at_the_end_dropped_ties_by_bytes", "order", |a, b| {
            answer(&[], a.trim_ascii_end(), b.trim_ascii_end()).then(a.cmp(b))
        })
        .says("keys without the spaces at their end, and the whole keys where these are equal")
        .why(
            "It keeps every law, but it is another order. A key that ends in a space has no digits at its end, so all of it is \
             the prefix.",
        )
        .link(REPAIR),
        mistake("everything_after_the_colon_parsed", "order", |a, b| {
            after_the_colon(a).cmp(&after_the_colon(b)).then(a.cmp(b))
        })
        .or(Arc::new(|a: &[u8], b: &[u8]| {
            let narrowed = |key| {
                let (prefix, number) = after_the_colon(key);
                (prefix, number.and_then(|number| u64::try_from(number).ok()))
            };
            narrowed(a).cmp(&narrowed(b)).then(a.cmp(b))
        }))
        .says("all that follows the last colon read as a number, and no number where it is none")
        .why(
            "`a10` has no colon, and its number is 10. `item:1x` has one, and no number. The number is the digits at the end of the key, whatever stands \
             before them, and all else is the prefix.",
        )
        .link(REPAIR),
        mistake("minus_sign_taken_out_of_the_prefix", "order", |a, b| {
            let read = |key| {
                let (prefix, digits) = split(key);
                let number = str::from_utf8(digits).ok().and_then(|digits| digits.parse::<i128>().ok());
                match prefix.strip_suffix(b"-") {
                    Some(prefix) => (prefix, number.map(|number| -number)),
                    None => (prefix, number),
                }
            };
            read(a).cmp(&read(b)).then(a.cmp(b))
        })
        .says("a hyphen in front of the digits taken for a minus sign, and left out of the prefix")
        .why("The number is what the digits make, and has no sign. The hyphen in `item:-5` belongs to the prefix, as in `item-5`.")
        .link(REPAIR),
        mistake("so_many_digits_at_most", "order", |a, b| in_digits(20, a, b))
            .or(Arc::new(|a: &[u8], b: &[u8]| in_digits(19, a, b)))
            .or(Arc::new(|a: &[u8], b: &[u8]| in_digits(18, a, b)))
            .or(Arc::new(|a: &[u8], b: &[u8]| in_digits(10, a, b)))
            .or(Arc::new(|a: &[u8], b: &[u8]| in_digits(9, a, b)))
            .says("a number of the last 20 digits, or fewer, and the digits before them in the prefix")
            .why("The number is all of the digits at the end of the key, of any length. Compare how many there are without zeros in front, then the digits.")
            .link(REPAIR),
        mistake("prefixes_compared_up_to_the_shorter", "transitive", |a, b| {
            let ((p, x), (q, y)) = (split(a), split(b));
            let common = p.len().min(q.len());
            p[..common].cmp(&q[..common]).then(numbers(&[], x, y)).then(a.cmp(b))
        })
        .says("prefixes compared up to the end of the shorter one, and then the numbers")
        .why(
            "A prefix that is the beginning of another one comes before it. Taken for equal, `a1x` is before `a9` and `a9` before `a1b10`, by their \
             numbers, and that is before `a1x` by its prefix: a circle. `cmp` on slices looks at the lengths too.",
        )
        .link(BROKEN),
        mistake("prefix_cut_at_a_zero_byte", "order", |a, b| {
            let ((p, x), (q, y)) = (split(a), split(b));
            let cut = |prefix: &[u8]| prefix.split(|byte| *byte == 0).next().unwrap_or_default().to_vec();
            cut(p).cmp(&cut(q)).then(numbers(&[], x, y)).then(a.cmp(b))
        })
        .says("prefixes compared up to their first zero byte")
        .why("So it is with strings in C. A key is any bytes, and a zero byte may be in its prefix: what follows it counts before the number.")
        .link(REPAIR),
        mistake("cut_at_a_zero_byte", "order", |a, b| {
            let cut = |key: &[u8]| {
                let text = key.split(|byte| *byte == 0).next();
                text.unwrap_or_default().to_vec()
            };
            answer(&[], &cut(a), &cut(b)).then(a.cmp(b))
        })
        .says("keys up to their first zero byte, and the whole keys where these are equal")
        .why(
            "So it is with strings in C. A key is any bytes, and a zero byte may be in its prefix; the digits are at the end of \
             all of it.",
        )
        .link(REPAIR),
        mistake("lossy_text", "distinct", |a, b| {
            let text = String::from_utf8_lossy;
            answer(&[], text(a).as_bytes(), text(b).as_bytes())
        })
        .says("keys turned into text before they are compared")
        .why(
            "`from_utf8_lossy` makes one and the same sign of every byte that is not text, so different keys become \
             equal. Keys are bytes: compare bytes.",
        )
        .link(REPAIR),
        mistake("only_digits_are_numbers", "order", |a, b| {
            match (parsed(a), parsed(b)) {
                (Some(x), Some(y)) => x.cmp(&y).then(a.cmp(b)),
                (Some(_), None) => Less,
                (None, Some(_)) => Greater,
                (None, None) => a.cmp(b),
            }
        })
        .says("numbers only where the whole key is one")
        .why("The number of `item:10` is at its end. Take the digits off the end; what is left is the prefix.")
        .link(REPAIR),
        mistake("text_unwrapped", "returns", |a, b| {
            str::from_utf8(a).unwrap();
            str::from_utf8(b).unwrap();
            answer(&[], a, b)
        })
        .says("the right order, with a panic for keys that are not text")
        .why(
            "A comparator gets every key that anybody writes, and every bound that anybody asks for. It must have an \
             answer for all of them.",
        )
        .link(REPAIR),
        mistake("parse_unwrapped", "returns", |a, b| {
            for key in [a, b] {
                let digits = split(key).1;
                assert!(digits.is_empty() || parsed(digits).is_some(), "number too large");
            }
            answer(&[], a, b)
        })
        .says("the right order, with a panic for numbers that do not fit into a `u64`")
        .why("Compare the digits themselves: the longer number is the greater one, and nothing overflows.")
        .link(REPAIR),
        mistake("parse_of_128_bits_unwrapped", "returns", |a, b| {
            for key in [a, b] {
                let digits = split(key).1;
                let text = str::from_utf8(digits).unwrap_or_default();
                assert!(digits.is_empty() || text.parse::<u128>().is_ok(), "number too large");
            }
            answer(&[], a, b)
        })
        .says("the right order, with a panic for numbers that do not fit into a `u128`")
        .why(
            "A greater integer only moves the fault: from 2^128 on `parse` fails too, and numbers may have any length. Compare the digits themselves: without zeros in \
             front, the longer number is the greater one.",
        )
        .link(REPAIR),
        mistake("too_large_for_u64_panics_in_one_prefix", "returns", |a, b| {
            let ((p, x), (q, y)) = (split(a), split(b));
            let fits = |digits: &[u8]| digits.is_empty() || parsed(digits).is_some();
            assert!(p != q || fits(x) && fits(y), "number too large");
            answer(&[], a, b)
        })
        .says("the right order, with a panic for numbers after one prefix that do not fit into a `u64`")
        .why("Compare the digits themselves: the longer number is the greater one, and nothing overflows.")
        .link(REPAIR),
        mistake("digits_alone_have_no_number", "order", |a, b| {
            let is_number = |key: &[u8]| !key.is_empty() && key.iter().all(u8::is_ascii_digit);
            match (is_number(a), is_number(b)) {
                (false, false) => answer(&[], a, b),
                (true, true) => a.cmp(b),
                // One of them is all prefix, and begins with a digit.
                (true, false) => a.cmp(split(b).0).then(Less),
                (false, true) => split(a).0.cmp(b).then(Greater),
            }
        })
        .says("no number in a key that is digits and nothing else")
        .why(
            "You look for the last byte that is no digit, and here there is none. Then the prefix is empty and all of the key is \
             the number: `7` comes before `10`.",
        )
        .link(REPAIR),
        mistake("empty_key_panics", "returns", |a, b| {
            assert!(!a.is_empty() && !b.is_empty(), "index out of bounds");
            answer(&[], a, b)
        })
        .says("the right order, with a panic for the empty key")
        .why(
            "`key[0]` and `key.len() - 1` need a byte. The empty key is one like any other: no prefix, no number, and before all \
             others.",
        )
        .link(REPAIR),
        mistake("always_equal", "distinct", |_, _| Equal)
            .says("`Equal` for every pair")
            .why("All keys are one key then: each write hides all before it.")
            .link(SCAN),
    ];
    mistakes.extend(beside_the_rules());
    mistakes.extend(compose("compare", &QUIRKS, with));
    mistakes
}

/// Two prefixes by the sign of the first difference that is not 0, then by their lengths.
fn prefix_by_differences(a: &[u8], b: &[u8], difference: fn(u8, u8) -> i8) -> Ordering {
    let (p, q) = (split(a).0, split(b).0);
    let differences = p.iter().zip(q).map(|(x, y)| difference(*x, *y).cmp(&0));
    let first = differences.into_iter().find(|order| order.is_ne());
    first.unwrap_or_else(|| p.len().cmp(&q.len()))
}

/// The fields taken or compared in another way, or an answer exchanged for another.
fn beside_the_rules() -> Vec<Mistake<Order>> {
    let mistake = |name, check, order: fn(&[u8], &[u8]) -> Ordering| {
        Mistake::<Order>::new(name, "compare", check, Arc::new(order))
    };
    // The rules, over another split.
    fn by_fields(a: (&[u8], &[u8]), b: (&[u8], &[u8])) -> Ordering {
        let number = |digits| {
            (
                !<[u8]>::is_empty(digits),
                stripped(digits).len(),
                stripped(digits).to_vec(),
            )
        };
        a.0.cmp(b.0).then_with(|| number(a.1).cmp(&number(b.1)))
    }
    vec![
        mistake("both_parsed_or_bytes", "transitive", |a, b| {
            let ((p, x), (q, y)) = (split(a), split(b));
            match (parsed(x), parsed(y)) {
                (Some(x), Some(y)) => p.cmp(q).then(x.cmp(&y)).then(a.cmp(b)),
                _ => a.cmp(b),
            }
        })
        .says("the rules where both numbers parse, and plain bytes for all other pairs")
        .why(
            "Two rules for two kinds of pairs make circles. A number that does not fit into a `u64` is compared as text with \
             the others, which are compared as numbers with each other; so is a key without a number. One rule has to hold for all \
             pairs: compare the digits themselves.",
        )
        .link(PREDICT),
        mistake("digits_read_backwards", "order", |a, b| {
            let back = |key| split(key).1.iter().rev().copied().collect::<Vec<u8>>();
            by_fields((split(a).0, &back(a)), (split(b).0, &back(b))).then(a.cmp(b))
        })
        .says("digits that were taken from the end, and left in that order")
        .why("Taken from the end, 12 is 21. Turn the digits round again, or take only their count and cut the key there.")
        .link(REPAIR),
        mistake("cut_at_the_first_digit", "order", |a, b| {
            let fields = |key: &[u8]| key.iter().position(u8::is_ascii_digit).unwrap_or(key.len());
            by_fields(a.split_at(fields(a)), b.split_at(fields(b))).then(a.cmp(b))
        })
        .says("the key cut at its first digit, and all from there on as its number")
        .why(
            "`a1b2` has the prefix `a1b` and the number 2: after the first digit may come anything. Look from the end of the key. `rposition` finds \
             the last byte that is no digit.",
        )
        .link(REPAIR),
        mistake("one_digit_taken", "order", |a, b| {
            let fields = |key: &[u8]| key.len() - usize::from(key.last().is_some_and(u8::is_ascii_digit));
            by_fields(a.split_at(fields(a)), b.split_at(fields(b))).then(a.cmp(b))
        })
        .says("the last digit alone as the number")
        .why("The number is of any length: take digits as long as there are some. Here `item:1` is the prefix of `item:10`.")
        .link(REPAIR),
        mistake("prefix_bytes_with_a_sign", "order", |a, b| {
            let prefix = |key| split(key).0.iter().map(|byte| byte.cast_signed()).collect::<Vec<i8>>();
            prefix(a).cmp(&prefix(b)).then_with(|| answer(&[], a, b))
        })
        .says("the bytes of the prefix compared as numbers with a sign, those from 80 on as negative ones")
        .why(
            "An `i8` of the byte ff is -1, and comes before 00. So it is in Java, and in C where a `char` has a sign. A byte is a number \
             from 0 to 255: compare `u8`, as slices do.",
        )
        .link(REPAIR),
        mistake("prefix_bytes_subtracted", "transitive", |a, b| {
            prefix_by_differences(a, b, |x, y| x.wrapping_sub(y).cast_signed()).then_with(|| answer(&[], a, b))
        })
        .says("the prefix compared by differences of its bytes, as `i8`")
        .why(
            "Two bytes may be 255 apart, and an `i8` says no more than 127: ff less 01 is -2 there, and comes first. With such an order there are \
             circles. Compare the bytes, `x.cmp(&y)`, without a difference.",
        )
        .link(PREDICT),
        mistake("prefix_bytes_subtracted_panics", "returns", |a, b| {
            let difference = |x: u8, y: u8| {
                i8::from(x.checked_sub(y).expect("attempt to subtract with overflow") > 0)
            };
            prefix_by_differences(a, b, difference).then_with(|| answer(&[], a, b))
        })
        .says("the prefix compared by differences of its bytes, with a panic where one is negative")
        .why("A `u8` has no negative numbers, so the smaller byte less the greater one panics. Compare the bytes, `x.cmp(&y)`, without a difference.")
        .link(REPAIR),
        mistake("difference_of_u64_as_signed", "opposite", |a, b| {
            let ((p, x), (q, y)) = (split(a), split(b));
            let number = |digits: &[u8]| if digits.is_empty() { 0 } else { parsed(digits).unwrap_or(u64::MAX) };
            let difference = number(x).wrapping_sub(number(y)).cast_signed();
            let numbers = y.is_empty().cmp(&x.is_empty()).then(difference.cmp(&0));
            p.cmp(q).then(numbers).then(a.cmp(b))
        })
        .says("numbers compared by the sign of their difference in 64 bits, with `u64::MAX` for what is greater")
        .why(
            "Two numbers may be 2^64 - 1 apart, and an `i64` says no more than 2^63 - 1: 1 less `u64::MAX` is 2 there, so the greatest number comes \
             before 1. And numbers may have any length. Compare the digits, without a difference.",
        )
        .link(REPAIR),
        mistake("shorter_key_first_then_the_rules", "order", |a, b| {
            a.len().cmp(&b.len()).then_with(|| answer(&[], a, b))
        })
        .says("the shorter key first, and the rules between keys of one length")
        .why(
            "A longer key has a greater number only where the prefixes are the same and no zeros are in front. `user:1` comes \
             before `item:10` here. Compare the prefix first, as bytes.",
        )
        .link(REPAIR),
        mistake("ties_of_numbers_reversed", "order", |a, b| {
            by_fields(split(a), split(b)).then(b.cmp(a))
        })
        .says("equal numbers the wrong way round")
        .why("It is an order, but not this one: of `item:1` and `item:01` the smaller bytes come first, so `item:01`.")
        .link(REPAIR),
        mistake("numbers_backwards", "order", |a, b| {
            let ((p, x), (q, y)) = (split(a), split(b));
            by_fields((p, y), (q, x)).then_with(|| a.cmp(b))
        })
        .says("the greater number first")
        .why("The two numbers have changed places in the comparison, or its answer was reversed. `item:9` comes before `item:10`.")
        .link(REPAIR),
        mistake("prefix_backwards", "order", |a, b| {
            let ((p, x), (q, y)) = (split(a), split(b));
            by_fields((q, x), (p, y)).then_with(|| a.cmp(b))
        })
        .says("the greater prefix first")
        .why("The two prefixes have changed places in the comparison, or its answer was reversed. `item:10` comes before `user:2`.")
        .link(REPAIR),
        mistake("prefix_and_number_backwards", "order", |a, b| {
            let ((p, x), (q, y)) = (split(a), split(b));
            by_fields((q, y), (p, x)).then_with(|| a.cmp(b))
        })
        .or(Arc::new(|a: &[u8], b: &[u8]| {
            let ((p, x), (q, y)) = (split(a), split(b));
            let fields = q.cmp(p).then_with(|| numbers(&[], y, x));
            fields.then_with(|| a.cmp(b))
        }))
        .says("the greater prefix and the greater number first, and the last rule as it is")
        .why("`a` and `b` have changed places where they are split or compared, or the answer was reversed. `item:9` comes before `item:10`.")
        .link(REPAIR),
        mistake("shorter_prefix_first", "order", |a, b| {
            let length = |key| split(key).0.len();
            length(a).cmp(&length(b)).then_with(|| answer(&[], a, b))
        })
        .says("the shorter prefix first, then the rules")
        .why("A prefix is compared as bytes, from the front: `user:` is longer than `zoo`, and comes before it.")
        .link(REPAIR),
        mistake("greater_where_equal", "itself", |a, b| {
            if answer(&[], a, b).is_lt() { Less } else { Greater }
        })
        .says("`Greater` wherever the answer is not `Less`")
        .why(
            "A key compared with itself is `Equal`. With `if a < b { Less } else { Greater }` nothing ever is: no key is found again, \
             and each of two equal ones is greater than the other.",
        )
        .link(PREDICT),
        mistake("equal_where_greater", "opposite", |a, b| {
            if answer(&[], a, b).is_lt() { Less } else { Equal }
        })
        .says("`Equal` wherever the answer is not `Less`")
        .why(
            "`a` before `b` is one answer, and asked the other way round it has to be `Greater`. With `Equal` in its place two keys are \
             the same or not, as they are asked for.",
        )
        .link(PREDICT),
    ]
}

/// The key up to its last colon, and the rest as a number.
fn after_the_colon(key: &[u8]) -> (&[u8], Option<u128>) {
    let colon = key.iter().rposition(|byte| *byte == b':');
    let (prefix, rest) = key.split_at(colon.map_or(0, |at| at + 1));
    (
        prefix,
        str::from_utf8(rest).ok().and_then(|rest| rest.parse().ok()),
    )
}

/// The rules, with so many digits in a number at most.
fn in_digits(most: usize, a: &[u8], b: &[u8]) -> Ordering {
    let cut = |key| {
        let (prefix, digits) = split(key);
        key.split_at(prefix.len() + digits.len().saturating_sub(most))
    };
    let ((p, x), (q, y)) = (cut(a), cut(b));
    p.cmp(q).then(numbers(&[], x, y)).then(a.cmp(b))
}

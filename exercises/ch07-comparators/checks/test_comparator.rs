//! Tests of comparators, tried on orders and on what is none.

use std::cmp::Ordering::{self, Equal, Greater, Less};

use kit::tester::watch;
use kit::{Candidates, Cast, Exercise, Judged, Show, Tester, Wrong};

use crate::mistakes::numeric_comparator::half_numeric;
use crate::solutions::numeric_comparator::{compare as numeric, split};
use crate::{mistakes, solutions, stubs};
use ch07_comparators::test_comparator as learner;

/// Somebody's comparator.
pub(crate) type Compare = fn(&[u8], &[u8]) -> Ordering;

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(tester(learner::test)))
}

/// A function of the learner's type, as a tester.
pub(crate) fn tester(
    test: impl Fn(&dyn Fn(&[u8], &[u8]) -> Ordering) + Send + Sync + 'static,
) -> Tester<Compare> {
    Tester::new(move |compare: &Compare| {
        let quoted = |key: &[u8]| format!("\"{}\"", key.escape_ascii());
        let watched = |a: &[u8], b: &[u8]| {
            let (x, y) = (quoted(a), quoted(b));
            let call = move || format!("compare({x}, {y})");
            watch(call, || compare(a, b), Show::show)
        };
        test(&watched);
    })
}

/// The exercise with anybody's test in the learner's place.
pub(crate) fn exercise_of(learner: Tester<Compare>) -> Exercise<Tester<Compare>> {
    let cast = Cast {
        learner,
        stub: tester(stubs::test_comparator::test),
        solution: tester(solutions::test_comparator::test),
    };
    Exercise::new("test-comparator", "07-comparators", cast)
        .tester("test", |test| test, candidates())
        .mistakes(mistakes::test_comparator::all())
}

fn candidates() -> Candidates<Compare> {
    let mut all = orders();
    for wrong in unequal_to_themselves()
        .into_iter()
        .chain(too_equal())
        .chain(blind())
        .chain(circles())
    {
        all = all.wrong(wrong);
    }
    all
}

fn orders() -> Candidates<Compare> {
    let right: [(&str, &str, Compare); 6] = [
        ("bytewise", "It compares bytes.", |a, b| a.cmp(b)),
        (
            "numbers_at_the_end",
            "It is the numeric comparator of this chapter.",
            numeric,
        ),
        ("backwards", "It is byte order turned round.", |a, b| {
            b.cmp(a)
        }),
        (
            "shorter_first",
            "It puts shorter keys first, and compares bytes where lengths are equal.",
            |a, b| a.len().cmp(&b.len()).then(a.cmp(b)),
        ),
        (
            "signed_bytes",
            "It counts bytes from -128 to 127.",
            |a, b| {
                let signed =
                    |key: &[u8]| -> Vec<i8> { key.iter().map(|byte| byte.cast_signed()).collect() };
                signed(a).cmp(&signed(b))
            },
        ),
        (
            "case_decides_last",
            "It compares small letters, and the bytes themselves where those are equal.",
            |a, b| small(a).cmp(&small(b)).then(a.cmp(b)),
        ),
    ];
    let mut all = Candidates::new("comparator");
    for (name, says, compare) in right {
        all = all.right(name, says, compare);
    }
    all
}

fn small(key: &[u8]) -> Vec<u8> {
    key.to_ascii_lowercase()
}

fn wrong(
    name: &'static str,
    says: &'static str,
    shows: &'static str,
    compare: Compare,
    witness: fn(&Compare) -> bool,
) -> Wrong<Compare> {
    Wrong::new(name, compare).says(says).shows(shows, witness)
}

/// The name before the colon, and the number after it.
fn fields(key: &[u8]) -> (&[u8], &[u8]) {
    let colon = key.iter().rposition(|byte| *byte == b':');
    key.split_at(colon.map_or(0, |at| at + 1))
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

fn unequal_to_themselves() -> Vec<Wrong<Compare>> {
    vec![
        wrong(
            "less_for_a_tie",
            "It says `Less` where all bytes are the same.",
            "when a key is compared with itself",
            |a, b| a.cmp(b).then(Less),
            |compare| compare(b"a", b"a") == Equal,
        ),
        wrong(
            "always_less",
            "It says `Less` for any two different keys.",
            "when two keys change places",
            |a, b| if a == b { Equal } else { Less },
            |compare| compare(b"a", b"b") == compare(b"b", b"a").reverse(),
        ),
        wrong(
            "empty_key_panics",
            "It compares the first bytes first, and panics where there is none.",
            "with the empty key",
            |a, b| a[0].cmp(&b[0]).then(a.cmp(b)),
            |compare| compare(b"", b"a") != Equal,
        ),
    ]
}

/// They call keys equal that are not.
fn too_equal() -> Vec<Wrong<Compare>> {
    vec![
        wrong(
            "prefix_ignored",
            "It compares the numbers at the end, and nothing else.",
            "between two keys that end in the same number",
            |a, b| cut(split(a).1).cmp(&cut(split(b).1)),
            |compare| compare(b"item:1", b"user:1") != Equal,
        ),
        wrong(
            "zeros_ignored",
            "It compares the prefix and the number, and never the bytes.",
            "between numbers with and without zeros in front",
            |a, b| {
                let number = |key| {
                    let (prefix, digits) = split(key);
                    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
                    // A key without a number is kept apart from 0.
                    (
                        prefix,
                        digits.len() - zeros,
                        &digits[zeros..],
                        digits.is_empty(),
                    )
                };
                number(a).cmp(&number(b))
            },
            |compare| compare(b"a1", b"a01") != Equal,
        ),
        wrong(
            "numbers_cut",
            "It compares the prefix, then the number cut to 32 bits, then how many digits are zeros.",
            "between a small number and one beyond 32 bits",
            |a, b| {
                let key = |key| {
                    let (prefix, digits): (&[u8], &[u8]) = split(key);
                    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
                    (prefix, digits.is_empty(), cut(digits), zeros)
                };
                key(a).cmp(&key(b))
            },
            |compare| compare(b"item:1", b"item:4294967297") != Equal,
        ),
        wrong(
            "text_taken_for_zero",
            "It compares the name before the colon, then what is after it as a number: 0 if it is none. Ties between numbers \
             are broken by bytes.",
            "between keys with text after the colon",
            |a, b| {
                let ((a_name, a_rest), (b_name, b_rest)) = (fields(a), fields(b));
                let (x, y) = (parsed(a_rest), parsed(b_rest));
                let ties = if x.is_none()
                    && y.is_none()
                    && !a_name.is_empty()
                    && !a_rest.is_empty()
                    && !b_rest.is_empty()
                {
                    Equal
                } else {
                    a.cmp(b)
                };
                a_name
                    .cmp(b_name)
                    .then(x.unwrap_or(0).cmp(&y.unwrap_or(0)))
                    .then(ties)
            },
            |compare| compare(b"item:x", b"item:y") != Equal,
        ),
        wrong(
            "case_ignored",
            "It compares small letters.",
            "between small letters and capitals",
            |a, b| small(a).cmp(&small(b)),
            |compare| compare(b"a", b"A") != Equal,
        ),
        wrong(
            "spaces_ignored",
            "It leaves spaces at the end out.",
            "with a space at the end of a key",
            |a, b| {
                let trimmed = |key: &[u8]| {
                    let end = key.iter().rposition(|byte| *byte != b' ');
                    end.map_or(0, |at| at + 1)
                };
                a[..trimmed(a)].cmp(&b[..trimmed(b)])
            },
            |compare| compare(b"a", b"a ") != Equal,
        ),
    ]
}

/// They do not see all bytes.
fn blind() -> Vec<Wrong<Compare>> {
    vec![
        wrong(
            "ends_at_a_zero",
            "It stops at the first byte 00, as C does with text.",
            "between keys that differ after a byte 00",
            |a, b| {
                let text = |key: &[u8]| key.iter().take_while(|byte| **byte != 0).count();
                a[..text(a)].cmp(&b[..text(b)])
            },
            |compare| compare(b"a\0", b"a\0b") != Equal,
        ),
        wrong(
            "eight_bytes",
            "It compares the first eight bytes and the lengths.",
            "between long keys",
            |a, b| {
                let front = |key: &[u8]| key.len().min(8);
                a[..front(a)]
                    .cmp(&b[..front(b)])
                    .then(a.len().cmp(&b.len()))
            },
            |compare| compare(b"123456789", b"123456780") != Equal,
        ),
        wrong(
            "shorter_length_alone",
            "It compares as many bytes as the shorter key has.",
            "between a key and its beginning",
            |a, b| {
                let both = a.len().min(b.len());
                a[..both].cmp(&b[..both])
            },
            |compare| compare(b"a", b"ab") != Equal,
        ),
        wrong(
            "lossy_text",
            "It turns keys into text, and every byte that is not text into one and the same sign.",
            "between keys that are not text",
            |a, b| String::from_utf8_lossy(a).cmp(&String::from_utf8_lossy(b)),
            |compare| compare(b"\xfe", b"\xff") != Equal,
        ),
    ]
}

fn keeps_three(compare: &Compare, [a, b, c]: [&[u8]; 3]) -> bool {
    let circle =
        |a, b, c| compare(a, b) == Less && compare(b, c) == Less && compare(c, a) != Greater;
    !circle(a, b, c) && !circle(b, a, c)
}

/// Every pair is in order, and some three are not.
fn circles() -> Vec<Wrong<Compare>> {
    vec![
        wrong(
            "two_rules",
            "It compares numbers between keys with one prefix, and all other pairs as bytes.",
            "among three keys, two of which end in numbers with one prefix",
            half_numeric,
            |compare| keeps_three(compare, [b"a9", b"a10", b"a1x"]),
        ),
        wrong(
            "difference_of_numbers",
            "It compares the prefix, then takes the sign of a difference in 32 bits, and breaks ties by bytes.",
            "among three keys with one prefix, each number nearly 2^31 above the one before",
            |a, b| {
                let ((a_prefix, a_digits), (b_prefix, b_digits)) = (split(a), split(b));
                let difference = cut(a_digits).wrapping_sub(cut(b_digits));
                a_prefix
                    .cmp(b_prefix)
                    .then(difference.cmp(&0))
                    .then(a.cmp(b))
            },
            |compare| keeps_three(compare, [b"1", b"2000000000", b"3000000000"]),
        ),
        wrong(
            "difference_of_bytes",
            "It takes the sign of the difference of the first two bytes that differ, in eight bits.",
            "among three bytes that are far apart",
            |a, b| {
                let differ = a.iter().zip(b).find(|(x, y)| x != y);
                differ.map_or(a.len().cmp(&b.len()), |(x, y)| {
                    let difference = x.wrapping_sub(*y).cast_signed();
                    // At the one difference that is its own opposite, the bytes decide.
                    if difference == i8::MIN {
                        x.cmp(y)
                    } else {
                        difference.cmp(&0)
                    }
                })
            },
            |compare| keeps_three(compare, [b"\x00", b"\x60", b"\xc0"]),
        ),
    ]
}

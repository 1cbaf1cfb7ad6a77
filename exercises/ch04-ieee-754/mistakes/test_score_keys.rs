//! Tests that are too weak, or too strict.

use kit::{Mistake, Tester};

use crate::test_score_keys::{Keys, tester};

const TASK: &str = "test-score-keys";
const ZEROS: &str = "which-zero-which-nan";
const FIELDS: &str = "sign-exponent-fraction";
const RULES: &str = "invariants";

type Encode<'a> = &'a dyn Fn(f64) -> Option<Vec<u8>>;
type Decode<'a> = &'a dyn Fn(&[u8]) -> f64;

fn weak(
    name: &'static str,
    check: &'static str,
    test: impl Fn(Encode, Decode) + Send + Sync + 'static,
) -> Mistake<Tester<Keys>> {
    Mistake::new(name, "test", check, tester(test)).link(TASK)
}

/// Numbers with every corner, ascending.
fn numbers() -> Vec<f64> {
    let mut numbers = vec![0.0, 0.0001, 0.0002, 0.1, 0.1 + 0.2, 0.3, 0.5, 1.5, 1e300];
    numbers.extend((1..300).map(f64::from));
    numbers.extend([
        f64::from_bits(1),
        f64::from_bits(2),
        f64::MIN_POSITIVE,
        f64::MAX,
        f64::INFINITY,
    ]);
    numbers.extend(numbers.clone().into_iter().map(|number| -number));
    numbers.sort_by(f64::total_cmp);
    numbers
}

fn numbers_where(wanted: impl Fn(f64) -> bool) -> Vec<f64> {
    numbers().into_iter().filter(|n| wanted(*n)).collect()
}

fn nans() -> Vec<f64> {
    vec![f64::NAN, -f64::NAN, f64::from_bits(0x7ff0_0000_0000_0001)]
}

fn key(encode: Encode, number: f64) -> Vec<u8> {
    encode(number).expect("a number has a key")
}

#[expect(clippy::float_cmp, reason = "equal numbers are what it is about")]
fn in_order(encode: Encode, numbers: &[f64]) {
    for pair in numbers.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        let (x, y) = (key(encode, a), key(encode, b));
        assert_eq!((a < b, a == b), (x < y, x == y));
    }
}

#[expect(clippy::float_cmp, reason = "a round trip is exact")]
fn back_again(encode: Encode, decode: Decode, numbers: &[f64]) {
    for number in numbers {
        assert!(decode(&key(encode, *number)) == *number);
    }
}

fn refused(encode: Encode, nans: &[f64]) {
    for nan in nans {
        assert_eq!(encode(*nan), None);
    }
}

/// All rules, on these numbers and NaNs.
fn on(numbers: Vec<f64>, nans: Vec<f64>) -> impl Fn(Encode, Decode) + Send + Sync + 'static {
    move |encode, decode| {
        in_order(encode, &numbers);
        back_again(encode, decode, &numbers);
        refused(encode, &nans);
    }
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Tester<Keys>>> {
    let mut mistakes = too_strict();
    mistakes.extend(one_rule());
    mistakes.extend(corners_forgotten());
    mistakes
}

/// They refuse a right answer.
fn too_strict() -> Vec<Mistake<Tester<Keys>>> {
    vec![
        weak("total_order_demanded", "accepts-right", |encode, decode| {
            for pair in numbers().windows(2) {
                let (x, y) = (key(encode, pair[0]), key(encode, pair[1]));
                assert_eq!(pair[0].total_cmp(&pair[1]), x.cmp(&y));
            }
            back_again(encode, decode, &numbers());
            refused(encode, &nans());
        })
        .says("a test that tells the two zeros apart")
        .why(
            "`total_cmp` puts -0.0 before 0.0, and `to_bits` tells them apart. As scores they are equal and share a key, so only one of \
             them can come back. The total order is another choice, for other rows.",
        )
        .link(ZEROS),
        weak("refuses_everything", "accepts-right", |encode, decode| {
            in_order(encode, &numbers());
            for number in numbers() {
                assert_eq!(decode(&key(encode, number)).to_bits(), number.to_bits());
            }
            refused(encode, &nans());
        })
        .says("a test that wants each number back bit for bit")
        .why(
            "Encoders that keep all rules fail it too, so it demands too much. Common reasons: it wants each number back bit for bit, and of two zeros \
             that share a key only one can come back; or it compares a NaN by `==`, which is false even for a NaN and itself. A third one: \
             it asks `decode` for bytes that no `encode` has returned.",
        )
        .link(ZEROS),
        weak("nan_compared", "accepts-right", |encode, decode| {
            on(numbers(), Vec::new())(encode, decode);
            assert!(encode(f64::NAN).is_some());
        })
        .says("a test that wants a key for a NaN")
        .why("What is not a number has no place in an order of numbers. For a NaN the right answer is `None`.")
        .link(ZEROS),
        weak("a_length_demanded", "accepts-right", |encode, decode| {
            on(numbers(), nans())(encode, decode);
            assert_eq!(key(encode, 0.0).len(), 8);
        })
        .says("a test of all rules that also demands a length")
        .why(
            "All rules are tested well. That a key has eight bytes, or as many as any other, is one more, which nobody has set here.",
        ),
        weak("plus_zero_demanded", "accepts-right", |encode, decode| {
            on(numbers(), nans())(encode, decode);
            assert!(decode(&key(encode, 0.0)).is_sign_positive());
        })
        .says("a test of all rules that also demands 0.0 back for the zeros, and not -0.0")
        .why(
            "All rules are tested well. The two zeros are equal and share a key, so either of them may come back: rule 3 asks for an equal \
             number.",
        )
        .link(ZEROS),
    ]
}

/// They forget a rule.
fn one_rule() -> Vec<Mistake<Tester<Keys>>> {
    vec![
        weak("accepts_everything", "kills", |encode, decode| {
            for number in numbers() {
                let _ = encode(number).map(|key| decode(&key));
            }
        })
        .says("a test that accepts everything")
        .why(
            "Such a test compares nothing by `assert!`, or keeps what an `assert!` raises from its caller, or tries only what comes out right from a wrong encoder too. A test that has \
             never failed proves nothing.",
        ),
        weak("order_only", "kills", |encode, _| {
            in_order(encode, &numbers());
            refused(encode, &nans());
        })
        .says("a test that leaves `decode` out")
        .why("The keys are tested well. Such a test never asks `decode`, or asks it too little to see a wrong number come back.")
        .link(RULES),
        weak("round_trip_only", "kills", |encode, decode| {
            back_again(encode, decode, &numbers());
            refused(encode, &nans());
        })
        .says("a test of the round trip and of NaN alone")
        .why("Each number may come back from keys in any order. The plain bits come back best of all.")
        .link(RULES),
        weak("less_or_equal", "kills", |encode, decode| {
            for pair in numbers().windows(2) {
                assert!(key(encode, pair[0]) <= key(encode, pair[1]));
            }
            back_again(encode, decode, &numbers());
            refused(encode, &nans());
        })
        .says("a test that demands `<=` of the keys of neighbours")
        .why("Two zeros with two keys, -0.0 first, pass it. Rule 2 says *exactly* when: of equal numbers the keys must be equal.")
        .link(ZEROS),
        weak("strictly_ascending", "kills", |encode, decode| {
            on(numbers_where(|n| !is_minus_zero(n)), nans())(encode, decode);
        })
        .says("a test that never tries -0.0")
        .why("-0.0 is a pattern of its own and equal to 0.0. It comes from a product such as 0 times -1, and from users.")
        .link(ZEROS),
    ]
}

fn is_minus_zero(number: f64) -> bool {
    number.to_bits() == 1 << 63
}

/// All rules, and not the numbers on which they break.
fn corners_forgotten() -> Vec<Mistake<Tester<Keys>>> {
    let whole = |n: f64| n.is_finite() && n.fract() == 0.0 && n.abs() < 300.0;
    vec![
        weak("no_negatives", "kills", on(numbers_where(f64::is_sign_positive), nans()))
            .says("a test of zero and the numbers above it")
            .why("Above zero the plain bits are in order already. The work is below zero, where they run backwards.")
            .link(FIELDS),
        weak("no_nan", "kills", on(numbers(), Vec::new()))
            .says("a test of all rules but the one about NaN")
            .why("Rule 1 has two sentences. A NaN that gets a key comes out as some number in the middle of a range.")
            .link(ZEROS),
        weak("one_nan", "kills", on(numbers(), vec![f64::NAN]))
            .says("a test of all rules with a single NaN")
            .why("NaN has many patterns, with the sign bit and without. Try `-f64::NAN`, and one that you make by `from_bits`.")
            .link(ZEROS),
        weak("no_infinities", "kills", on(numbers_where(f64::is_finite), nans()))
            .says("a test without infinities")
            .why("+inf and -inf are scores that Redis accepts. They are numbers here, and have keys.")
            .link(RULES),
        weak("no_subnormals", "kills", on(numbers_where(|n| !n.is_subnormal()), nans()))
            .says("a test without subnormal numbers")
            .why("The least numbers above zero have an exponent of zeros. `f64::from_bits(1)` is the smallest.")
            .link(FIELDS),
        weak("whole_numbers", "kills", on(numbers_where(whole), nans()))
            .says("a test of whole numbers")
            .why("Anyone who cuts the fraction off passes. And whole numbers need few digits: try 0.1, and 0.1 + 0.2 beside 0.3.")
            .link(FIELDS),
        weak("coarse_fractions", "kills", {
            let coarse = |n: f64| whole(n) || [0.5, 1.5].contains(&n.abs()) || n.is_infinite();
            on(numbers_where(coarse), nans())
        })
        .says("a test whose fractions are halves and other short ones")
        .why("A half is exact in every float. 0.1 is exact in none: it needs all 52 bits, and shows when some of them are lost.")
        .link(FIELDS),
        weak("one_example", "kills", on(vec![-2.0, -1.0, 1.0, 2.0], Vec::new()))
            .says("a test of -2, -1, 1 and 2")
            .why(
                "These four find both faults of the chapter's first scans. Each corner needs its own number: both zeros, fractions, the ends, \
                 and what is not a number.",
            ),
    ]
}

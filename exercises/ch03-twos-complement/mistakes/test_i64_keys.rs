//! Tests that are too weak, or too strict.

use kit::{Mistake, Tester};

use crate::test_i64_keys::{Keys, tester};

const TESTER: &str = "test-i64-keys";
const RULES: &str = "invariants";
const REPAIRS: &str = "two-repairs";

type Encode<'a> = &'a dyn Fn(i64) -> Vec<u8>;
type Decode<'a> = &'a dyn Fn(&[u8]) -> i64;

fn weak(
    name: &'static str,
    check: &'static str,
    test: impl Fn(Encode, Decode) + Send + Sync + 'static,
) -> Mistake<Tester<Keys>> {
    Mistake::new(name, "test", check, tester(test)).link(TESTER)
}

/// Numbers of every size, ascending.
fn numbers() -> Vec<i64> {
    let mut numbers: Vec<i64> = (-300..=300).collect();
    for bit in 0..63 {
        let power = 1_i64 << bit;
        numbers.extend([power - 1, power, power + 1, -power - 1, -power, -power + 1]);
    }
    numbers.extend([i64::MIN, i64::MAX - 1, i64::MAX]);
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

fn numbers_where(wanted: impl Fn(i64) -> bool) -> Vec<i64> {
    numbers().into_iter().filter(|n| wanted(*n)).collect()
}

fn in_order(encode: Encode, numbers: &[i64]) {
    for pair in numbers.windows(2) {
        assert!(encode(pair[0]) < encode(pair[1]));
    }
}

fn back_again(encode: Encode, decode: Decode, numbers: &[i64]) {
    for &number in numbers {
        assert_eq!(decode(&encode(number)), number);
    }
}

/// Both rules, on these numbers.
fn on(numbers: Vec<i64>) -> impl Fn(Encode, Decode) + Send + Sync + 'static {
    move |encode, decode| {
        in_order(encode, &numbers);
        back_again(encode, decode, &numbers);
    }
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Tester<Keys>>> {
    let mut mistakes = too_strict();
    mistakes.extend(one_rule());
    mistakes.extend(too_few_numbers());
    mistakes
}

/// They refuse a right answer.
fn too_strict() -> Vec<Mistake<Tester<Keys>>> {
    vec![
        weak("wrong_copy", "accepts-right", |encode, _| {
            for number in numbers() {
                assert_eq!(encode(number), number.to_be_bytes());
            }
        })
        .says("a test that compares with `to_be_bytes`")
        .why(
            "Such a test holds a copy of an encoder, and the copy is wrong: it does not flip the sign bit. So it \
             asks for the fault. Test the rules, which are easier to get right than the code.",
        ),
        weak("exact_bytes", "accepts-right", |encode, _| {
            for number in numbers() {
                let bits = number.cast_unsigned() ^ 1 << 63;
                assert_eq!(encode(number), bits.to_be_bytes());
            }
        })
        .says("a test that demands the bytes of one right encoder, and never decodes")
        .why(
            "Those bytes are right, and others are right too: LedisDB writes nine. The task fixes an order, not \
             bytes. And `decode` is not asked at all.",
        ),
        weak("eight_bytes_demanded", "accepts-right", |encode, decode| {
            on(numbers())(encode, decode);
            assert_eq!(encode(0).len(), 8);
        })
        .says("a test of both rules that also demands eight bytes")
        .why("Both rules are tested well. That a key has eight bytes is a third rule, which nobody has set here."),
        weak("length_of_a_key_looked_at", "accepts-right", |encode, decode| {
            on(numbers())(encode, decode);
            for n in numbers() {
                assert_eq!(encode(n).len(), encode(0).len());
            }
        })
        .says("a test of both rules that also looks at how many bytes a key has: for one length of all, say")
        .why(
            "Both rules are tested well. How many bytes a key has is a third rule, which nobody has set here. A \
             small number may have a short key, and a large one a long key: digits after their number sort as \
             well.",
        ),
        weak("compared_as_signed_bytes", "accepts-right", |encode, decode| {
            let read = |key: Vec<u8>| key.iter().map(|byte| byte.cast_signed()).collect::<Vec<_>>();
            for pair in numbers().windows(2) {
                assert!(read(encode(pair[0])) < read(encode(pair[1])));
            }
            back_again(encode, decode, &numbers());
        })
        .says("a test that compares something else than the bytes: signed values, say")
        .why(
            "So does Java, whose bytes are signed: there ff is -1 and comes before 00. Text that bytes were printed to by `{:x}`, or made \
             into with losses, has another order too. A store compares bytes as unsigned values, from 00 to ff. In Rust that is \
             `encode(a) < encode(b)`.",
        )
        .link(RULES),
        weak("refuses_everything", "accepts-right", |encode, decode| {
            for pair in numbers().windows(2) {
                assert!(encode(pair[0]) > encode(pair[1]));
            }
            back_again(encode, decode, &numbers());
        })
        .says("a test with the two sides of its comparison exchanged")
        .why(
            "Encoders that keep both rules fail it too. A common reason: the two sides of a comparison are exchanged. The smaller number \
             must have the smaller key. Others: a list of numbers is taken to be in order, and is not; or `decode` is asked for bytes that \
             no `encode` has returned.",
        )
        .link(RULES),
    ]
}

/// They forget a rule.
fn one_rule() -> Vec<Mistake<Tester<Keys>>> {
    vec![
        weak("refuses_nothing", "kills", |_, _| ())
        .says("a test that calls nothing")
        .why(
            "Such a test compares nothing by `assert!`, or keeps what an `assert!` raises from its caller, or tries only what comes out right from a wrong encoder too. A test that has \
             never failed proves nothing.",
        ),
        weak("accepts_everything", "kills", |encode, decode| {
            for number in numbers() {
                // Somebody meant to compare the two, and printed them.
                let _ = (decode(&encode(number)), number);
            }
        })
        .says("a test that accepts everything except a panic")
        .why(
            "Such a test compares nothing by `assert!`, or keeps what an `assert!` raises from its caller, or tries only what comes out right from a wrong encoder too. A test that has \
             never failed proves nothing.",
        ),
        weak("round_trip_only", "kills", |encode, decode| {
            back_again(encode, decode, &numbers());
        })
        .says("a test of the round trip alone")
        .why(
            "Rule 2 says that no number is lost. It says nothing of the order: an encoder that writes the lowest byte \
             first passes with any number.",
        )
        .link(RULES),
        weak("order_only", "kills", |encode, _| in_order(encode, &numbers()))
        .says("a test of the order alone")
        .why("Such a test never asks `decode`, or asks it too little to see a wrong number come back. Rule 1 it tests well.")
        .link(RULES),
    ]
}

/// Both rules, and not the numbers on which they break.
fn too_few_numbers() -> Vec<Mistake<Tester<Keys>>> {
    vec![
        weak("one_example", "kills", on(vec![-1, 0]))
        .says("a test of -1 and 0 alone")
        .why(
            "This pair is this chapter's first fault, and the test finds it. It finds little else. An example guards \
             against the mistake that you have seen; a rule asks for many numbers.",
        ),
        weak("one_pair", "kills", |encode, _| in_order(encode, &[-1, 0]))
        .says("a test that the key of -1 comes before that of 0, and of nothing else")
        .why(
            "The pair shows this chapter's first fault, and such a test finds that and little else. An example guards against the mistake \
             that you have seen; a rule asks for many numbers, and rule 2 asks `decode` too.",
        ),
        weak("no_negatives", "kills", on(numbers_where(|n| n >= 0)))
        .says("a test of zero and positive numbers")
        .why("Signed keys go wrong where the sign changes, and below it. Half of the numbers are negative.")
        .link(REPAIRS),
        weak("no_positives", "kills", on(numbers_where(|n| n < 0)))
        .says("a test of negative numbers")
        .why("The negative numbers are in order among themselves. The fault shows beside zero and positive ones.")
        .link(REPAIRS),
        weak("halves_apart", "kills", |encode, decode| {
            on(numbers_where(|n| n < 0))(encode, decode);
            on(numbers_where(|n| n >= 0))(encode, decode);
        })
        .says("a test that compares negative numbers with each other, and the others with each other")
        .why(
            "Each half is in order by itself even in plain two's complement. No pair of this test has one number of \
             each half, and that is where the order breaks.",
        )
        .link(REPAIRS),
        weak("one_byte", "kills", on((-100..=100).collect()))
        .says("a test of numbers that fit into one byte")
        .why(
            "With one byte that changes there is no order of bytes to get wrong. Try 255 and 256, and their \
             neighbours in larger numbers.",
        ),
        weak("small_numbers", "kills", on((-1000..=1000).collect()))
        .says("a test of the numbers near zero")
        .why(
            "However many numbers near zero there are, their upper four bytes are all 00 or all ff: what is cut off or exchanged \
             there does not show. Try each power of two, with its neighbours.",
        ),
        weak("no_neighbours_far_from_zero", "kills", on(vec![i64::MIN, -1, 0, 1, i64::MAX]))
        .says("a test without neighbours beyond 2^53")
        .why(
            "A double has 53 bits, so from 2^53 on two neighbours may become one. Such a test compares no two of them there, and \
             asks for none back. Try numbers of every size, with the numbers before and after them.",
        ),
        weak("ends_forgotten", "kills", on(numbers_where(|n| n.unsigned_abs() < 1 << 62)))
        .says("a test that never comes to the ends of the type")
        .why(
            "i64::MIN has no positive counterpart, and nothing comes after i64::MAX. Sums and negations fail there \
             and nowhere else.",
        )
        .link(REPAIRS),
        weak("powers_of_two", "kills", on(numbers_where(|n| {
            n == 0 || n.unsigned_abs().is_power_of_two()
        })))
        .says("a test of the powers of two alone")
        .why(
            "Powers of two are far apart. What merges two neighbours does not show, and a power of two is exact in every \
             float. Add one to each, and take one off.",
        ),
    ]
}

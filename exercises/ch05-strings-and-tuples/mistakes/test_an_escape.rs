//! Tests that are too weak, or too strict.

use kit::{Mistake, Tester};

use crate::solutions::escape_bytes::encode as right;
use crate::test_an_escape::{Pair, tester};

const TESTER: &str = "test-an-escape";
const RULES: &str = "invariants";
const END: &str = "the-end-must-be-in-the-bytes";
const REPAIR: &str = "escape-and-terminate";
const WILD: &str = "in-the-wild";

type Encode<'a> = &'a dyn Fn(&[u8]) -> Vec<u8>;
type Decode<'a> = &'a dyn Fn(&[u8]) -> Option<Vec<u8>>;

fn weak(
    name: &'static str,
    check: &'static str,
    test: impl Fn(Encode, Decode) + Send + Sync + 'static,
) -> Mistake<Tester<Pair>> {
    Mistake::new(name, "test", check, tester(test)).link(TESTER)
}

/// All strings of up to three of these bytes, in order.
fn short(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut all = vec![Vec::new()];
    let mut shorter = all.clone();
    for _ in 0..3 {
        let longer = |string: &Vec<u8>| {
            let string = string.clone();
            bytes
                .iter()
                .map(move |&byte| [&string[..], &[byte]].concat())
        };
        shorter = shorter.iter().flat_map(longer).collect();
        all.extend(shorter.clone());
    }
    all.sort();
    all
}

/// Strings that show every fault.
fn strings() -> Vec<Vec<u8>> {
    let mut all = short(&[0x00, 0x01, b'a', 0xfe, 0xff]);
    all.extend([vec![b'a'; 60], [vec![b'a'; 60], vec![b'b']].concat()]);
    all.sort();
    all
}

fn in_order(encode: Encode, strings: &[Vec<u8>]) {
    for pair in strings.windows(2) {
        assert!(encode(&pair[0]) < encode(&pair[1]));
    }
}

fn end_by_themselves(encode: Encode, strings: &[Vec<u8>]) {
    let keys: Vec<Vec<u8>> = strings.iter().map(|string| encode(string)).collect();
    for (i, key) in keys.iter().enumerate() {
        let others = keys.iter().enumerate().filter(|(j, _)| *j != i);
        assert!(others.into_iter().all(|(_, other)| !key.starts_with(other)));
    }
}

fn back_again(encode: Encode, decode: Decode, strings: &[Vec<u8>]) {
    for string in strings {
        assert_eq!(decode(&encode(string)).as_ref(), Some(string));
    }
}

fn refused(encode: Encode, decode: Decode, strings: &[Vec<u8>]) {
    for string in strings {
        let mut key = encode(string);
        assert_eq!(decode(&[&key[..], b"b"].concat()), None);
        key.pop();
        assert_eq!(decode(&key), None);
    }
}

/// All four rules, on these strings.
fn on(strings: Vec<Vec<u8>>) -> impl Fn(Encode, Decode) + Send + Sync + 'static {
    move |encode, decode| {
        in_order(encode, &strings);
        end_by_themselves(encode, &strings);
        back_again(encode, decode, &strings);
        refused(encode, decode, &strings);
    }
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Tester<Pair>>> {
    let mut mistakes = too_strict();
    mistakes.extend(a_rule_forgotten());
    mistakes.extend(too_few_strings());
    mistakes
}

/// They refuse a right answer.
fn too_strict() -> Vec<Mistake<Tester<Pair>>> {
    vec![
        weak("exact_bytes", "accepts-right", |encode, decode| {
            on(strings())(encode, decode);
            for string in strings() {
                assert_eq!(encode(&string), right(&string));
            }
        })
        .says("a test that demands the bytes of one right escape")
        .why(
            "Those bytes are right, and others are right too: Tidis writes groups of eight. The task sets rules, not \
             bytes.",
        ),
        weak("string_demanded_in_the_key", "accepts-right", |encode, decode| {
            on(strings())(encode, decode);
            assert!(encode(b"abc").starts_with(b"abc"), "the string is not in its key");
        })
        .says(
            "a test of the four rules that also demands something of the bytes: the string's own in its key, \
             say, two at the end, or that some bytes are no key",
        )
        .why(
            "An escape may change every byte, and one byte may be its end, as long as the order comes out right. \
             The task sets rules, not bytes.",
        ),
        weak("longer_key_for_a_longer_string", "accepts-right", |encode, decode| {
            on(strings())(encode, decode);
            for length in 0..8 {
                assert!(encode(&vec![b'a'; length]).len() < encode(&vec![b'a'; length + 1]).len());
            }
        })
        .says(
            "a test of the four rules that also demands something that groups of eight do not have: a longer key for a longer \
             string, say, or one last byte for all keys",
        )
        .why(
            "Nobody has set such a rule. Groups of eight have nine bytes for every string of up to seven, and their last byte says how \
             many were filled in.",
        ),
        weak("refuses_everything", "accepts-right", |encode, _| {
            for pair in strings().windows(2) {
                assert!(encode(&pair[0]) > encode(&pair[1]));
            }
        })
        .says("a test that asks for the greater string first")
        .why(
            "Escapes that keep the four rules fail it too, so what failed above is none of them. Common reasons: the two sides of a \
             comparison are exchanged; a string is compared with itself, whose key does start with its own key; a list of strings is \
             taken to be in order, and is not; or a byte is forbidden that an escape may write.",
        )
        .link(RULES),
    ]
}

fn a_rule_forgotten() -> Vec<Mistake<Tester<Pair>>> {
    vec![
        weak("accepts_everything", "kills", |encode, decode| {
            for string in strings() {
                // Somebody meant to compare the two.
                let _ = (decode(&encode(&string)), string);
            }
        })
        .says("a test that accepts everything except a panic")
        .why(
            "Such a test compares nothing by `assert!`, or keeps what an `assert!` raises from its caller, or tries only what comes out right from a wrong escape too. A test that has \
             never failed proves nothing.",
        ),
        weak("round_trip_only", "kills", |encode, decode| back_again(encode, decode, &strings()))
            .says("a test of the round trip alone")
            .why("What comes back may still sort wrongly, or be the beginning of another key: raw bytes pass.")
            .link(RULES),
        weak("order_only", "kills", |encode, _| in_order(encode, &strings()))
            .says("a test of the order alone")
            .why("Raw bytes are in order, as long as nothing follows. Rule 2 is what lets another field follow.")
            .link(END),
        weak("different_keys_only", "kills", |encode, _| {
            let keys: std::collections::BTreeSet<_> = strings().iter().map(|s| encode(s)).collect();
            assert_eq!(keys.len(), strings().len());
        })
        .says("a test that different strings have different keys, and nothing else")
        .why("That no two keys are equal does not say in which order they are. A length in front passes.")
        .link(RULES),
        weak("end_not_tested", "kills", |encode, decode| {
            in_order(encode, &strings());
            back_again(encode, decode, &strings());
            refused(encode, decode, &strings());
        })
        .says("a test that does not ask of every two strings whether the key of one is the beginning of that of the other")
        .why(
            "An end of one zero byte passes: 61 00, the key of `a`, is the beginning of 61 00 ff 00, that of `a\\x00`. What goes on with a \
             zero byte shows it.",
        )
        .link(END),
        weak("refusal_not_tested", "kills", |encode, decode| {
            in_order(encode, &strings());
            end_by_themselves(encode, &strings());
            back_again(encode, decode, &strings());
        })
        .says("a test that gives `decode` nothing but right keys")
        .why("A decoder meets bytes that no encoder wrote. Cut a key, and put a byte after one.")
        .link(RULES),
        weak("order_not_tested", "kills", |encode, decode| {
            end_by_themselves(encode, &strings());
            back_again(encode, decode, &strings());
            refused(encode, decode, &strings());
        })
        .says("a test of everything but the order")
        .why("A length in front ends by itself, comes back and is refused when cut. Only its order is wrong.")
        .link(RULES),
    ]
}

/// All rules, and not the strings on which they break.
fn too_few_strings() -> Vec<Mistake<Tester<Pair>>> {
    let long = |mut strings: Vec<Vec<u8>>| {
        strings.extend([vec![b'a'; 60], [vec![b'a'; 60], vec![b'b']].concat()]);
        strings.sort();
        strings
    };
    vec![
        weak("two_examples", "kills", on(vec![b"a".to_vec(), b"b".to_vec()]))
            .says("a test of two letters")
            .why(
                "Two strings of one length without a zero byte: hardly any encoder gets them wrong. Rules ask for many \
                 strings.",
            ),
        weak("names_only", "kills", on(long(short(b"ab:"))))
            .says("a test of strings without a zero byte")
            .why("Most wrong escapes are right for names. The zero byte is what is escaped: it has to be tried.")
            .link(REPAIR),
        weak("text_only", "kills", on(long(short(b"\x00\x01a"))))
            .says("a test of strings that are UTF-8")
            .why("Bytes are not always text. A conversion that loses bytes shows with fe and ff.")
            .link(WILD),
        weak("zeros_at_the_end_only", "kills", on(long(
            short(&[0x00, 0x01, b'a', 0xfe, 0xff])
                .into_iter()
                .filter(|string| {
                    let first = string.iter().position(|&byte| byte == 0);
                    first.is_none_or(|at| string[at..].iter().all(|&byte| byte == 0))
                })
                .collect(),
        )))
        .says("a test of strings in which nothing comes after a zero byte")
        .why(
            "Zero bytes at the end find many faults. But Pika forgot what comes *after* the last one: try strings \
             that go on.",
        )
        .link(WILD),
        weak("one_zero_at_most", "kills", on(long(
            short(&[0x00, 0x01, b'a', 0xfe, 0xff])
                .into_iter()
                .filter(|string| string.iter().filter(|&&byte| byte == 0).count() < 2)
                .collect(),
        )))
        .says("a test of strings with one zero byte at most")
        .why("An escape may do the first zero byte right and forget the others. Try two in one string.")
        .link(REPAIR),
        weak("short_strings_only", "kills", on(short(&[0x00, 0x01, b'a', 0xfe, 0xff])))
            .says("a test without a long string")
            .why("Short strings find every wrong escape here but one: an encoder may cut what is long."),
    ]
}

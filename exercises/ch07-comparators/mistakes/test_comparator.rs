//! Tests that are too weak, or too strict.

use std::cmp::Ordering::{self, Equal, Greater, Less};

use kit::{Mistake, Tester};

use crate::solutions::numeric_comparator::compare as numeric;
use crate::test_comparator::{Compare, tester};

const TESTER: &str = "test-comparator";
const LAWS: &str = "invariants";
const PREDICT: &str = "predict";
const BROKEN: &str = "what-a-broken-one-does";

type Order<'a> = &'a dyn Fn(&[u8], &[u8]) -> Ordering;

fn weak(
    name: &'static str,
    check: &'static str,
    test: impl Fn(Order) + Send + Sync + 'static,
) -> Mistake<Tester<Compare>> {
    Mistake::new(name, "test", check, tester(test)).link(TESTER)
}

/// Keys that show every fault.
const KEYS: [&[u8]; 32] = [
    b"",
    b"\0",
    b"a",
    b"a\0",
    b"a\0b",
    b"A",
    b"a ",
    b"ab",
    b"a1",
    b"a01",
    b"a9",
    b"a10",
    b"a1x",
    b"item:",
    b"item:1",
    b"item:2",
    b"item:10",
    b"user:1",
    b"item:x",
    b"item:y",
    b"item:2000000000",
    b"item:3000000000",
    b"item:4294967297",
    b"1",
    b"10",
    b"9",
    b"\x60",
    b"\xc0",
    b"\xfe",
    b"\xff",
    b"123456789",
    b"123456780",
];

fn keys_where(wanted: impl Fn(&[u8]) -> bool) -> Vec<&'static [u8]> {
    KEYS.into_iter().filter(|key| wanted(key)).collect()
}

fn pairs(keys: &[&[u8]], test: impl Fn(&[u8], &[u8])) {
    for a in keys {
        for b in keys {
            test(a, b);
        }
    }
}

fn itself(compare: Order, keys: &[&[u8]]) {
    for key in keys {
        assert_eq!(compare(key, key), Equal);
    }
}

fn opposite(compare: Order, keys: &[&[u8]]) {
    pairs(keys, |a, b| {
        assert_eq!(compare(a, b), compare(b, a).reverse());
    });
}

fn distinct(compare: Order, keys: &[&[u8]]) {
    pairs(keys, |a, b| assert!(a == b || compare(a, b) != Equal));
}

fn transitive(compare: Order, keys: &[&[u8]]) {
    let less: Vec<Vec<bool>> = keys
        .iter()
        .map(|a| keys.iter().map(|b| compare(a, b) == Less).collect())
        .collect();
    let all = 0..keys.len();
    for a in all.clone() {
        for b in all.clone().filter(|b| less[a][*b]) {
            for c in all.clone().filter(|c| less[b][*c]) {
                assert!(less[a][c]);
            }
        }
    }
}

fn laws(compare: Order, keys: &[&[u8]]) {
    itself(compare, keys);
    opposite(compare, keys);
    distinct(compare, keys);
    transitive(compare, keys);
}

/// All laws, on these keys.
fn on(keys: Vec<&'static [u8]>) -> impl Fn(Order) + Send + Sync + 'static {
    move |compare| laws(compare, &keys)
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Tester<Compare>>> {
    let mut mistakes = too_strict();
    mistakes.extend(laws_forgotten());
    mistakes.extend(keys_forgotten());
    mistakes
}

fn too_strict() -> Vec<Mistake<Tester<Compare>>> {
    vec![
        weak("byte_order_demanded", "accepts-right", |compare| {
            pairs(&KEYS, |a, b| assert_eq!(compare(a, b), a.cmp(b)));
        })
        .says("a test that demands byte order")
        .why("Who wants byte order needs no comparator. The laws say what an order is, not which one.")
        .link(LAWS),
        weak("numeric_order_demanded", "accepts-right", |compare| {
            pairs(&KEYS, |a, b| assert_eq!(compare(a, b), numeric(a, b)));
        })
        .says("a test that demands the numeric order of this chapter")
        .why("That is one order out of many. The laws say what an order is, not which one.")
        .link(LAWS),
        weak("beginning_demanded_first", "accepts-right", |compare| {
            laws(compare, &KEYS);
            assert_eq!(compare(b"a", b"ab"), Less);
        })
        .says("a test that demands a key's beginning in front of it")
        .why("In byte order it is so. A comparator may turn the order round.")
        .link(LAWS),
        weak("circle_the_wrong_way", "accepts-right", |compare| {
            let [a, b, c]: [&[u8]; 3] = [b"a", b"b", b"c"];
            assert!(compare(a, b) != Less || compare(b, c) != Less || compare(c, a) == Less);
        })
        .says("a test that demands `c` before `a` when `a` is before `b` and `b` before `c`")
        .why("That would be the circle. The law says that `a` comes before `c`.")
        .link(PREDICT),
        weak("refuses_everything", "accepts-right", |_| panic!("no order is good enough"))
        .says("a test that refuses every comparator")
        .why(
            "Comparators that keep the laws fail it too, so what failed above is none of them. Common reasons: both ways round the same answer is \
             wanted, where the opposite one is right; of two different keys the first is taken to come before the second, whatever they are; or a \
             key is compared with itself where the law is about different ones.",
        )
        .link(LAWS),
    ]
}

fn laws_forgotten() -> Vec<Mistake<Tester<Compare>>> {
    vec![
        weak("accepts_everything", "kills", |compare| {
            pairs(&KEYS, |a, b| {
                let _ = compare(a, b);
            });
        })
        .says("a test that accepts everything except a panic")
        .why(
            "Such a test compares nothing by `assert!`, or keeps what an `assert!` raises from its caller, or tries only what comes out right from a wrong comparator too. A test that has \
             never failed proves nothing.",
        ),
        weak("itself_alone", "kills", |compare| itself(compare, &KEYS))
            .says("a test of law 1 alone")
            .why("Nearly every comparator calls a key equal to itself. The other laws are about two and three keys.")
            .link(LAWS),
        weak("opposite_alone", "kills", |compare| opposite(compare, &KEYS))
            .says("a test of the opposite answer alone")
            .why(
                "`Equal` is its own opposite, so such a test accepts comparators that call too much equal, and some that go \
                 in circles. Two laws are missing, or the keys that break them.",
            )
            .link(LAWS),
        weak("no_three_keys", "kills", |compare| {
            itself(compare, &KEYS);
            opposite(compare, &KEYS);
            distinct(compare, &KEYS);
        })
        .says("a test of pairs alone")
        .why("In a circle every pair is in order. Only three keys show it: `a9`, `a10` and `a1x` for one.")
        .link(PREDICT),
        weak("equals_allowed", "kills", |compare| {
            itself(compare, &KEYS);
            opposite(compare, &KEYS);
            transitive(compare, &KEYS);
        })
        .says("a test that lets different keys be equal")
        .why(
            "For sorting that would do. A store hashes the bytes of a key for its filter, so keys that are equal must be \
             the same bytes: law 4.",
        )
        .link(BROKEN),
        weak("itself_forgotten", "kills", |compare| {
            distinct(compare, &KEYS);
            transitive(compare, &KEYS);
        })
        .says("a test that never compares a key with itself")
        .why("A search compares the key that it looks for with itself, at the end. If that is not `Equal`, nothing is ever found: law 1.")
        .link(LAWS),
        weak("opposite_forgotten", "kills", |compare| {
            itself(compare, &KEYS);
            distinct(compare, &KEYS);
            for a in KEYS {
                pairs(&KEYS, |b, c| {
                    let after = |x, y| compare(x, y) == Greater;
                    assert!(after(a, b) || after(b, c) || !after(a, c));
                });
            }
        })
        .says("a test that does not hold the two answers to a pair together")
        .why(
            "Three laws it tests well, as far as the keys differ. But a comparator may say `Less` to any two different keys, and then nothing \
             ever comes after anything. Ask for each pair both ways, and demand opposite answers: law 2.",
        )
        .link(LAWS),
        weak("neighbours_after_sorting", "kills", |compare| {
            let mut sorted = KEYS;
            for end in 1..sorted.len() {
                let mut at = end;
                while at > 0 && compare(sorted[at], sorted[at - 1]) == Less {
                    sorted.swap(at, at - 1);
                    at -= 1;
                }
            }
            assert!(sorted.windows(2).all(|pair| compare(pair[0], pair[1]) == Less));
        })
        .says("a test that is content with one `Less` for each pair: one that sorts the keys and looks at neighbours, say")
        .why(
            "Whoever sorts has asked the comparator itself, so most neighbours agree by construction. Whoever finds one `Less` has not asked the \
             other way round. And a circle shows among three keys that are no neighbours. Compare all pairs both ways, and all triples.",
        )
        .link(PREDICT),
    ]
}

fn keys_forgotten() -> Vec<Mistake<Tester<Compare>>> {
    vec![
        weak("small_letters_alone", "kills", on(vec![b"a", b"b", b"c", b"ab", b"abc"]))
            .says("a test with a few small letters for keys")
            .why(
                "It accepts comparators that go wrong on great numbers, on ends and on bytes that are not text. Try keys of \
                 many kinds: the ones that break a law are not among those of such a test.",
            ),
        weak("keys_of_one_kind", "kills", on(vec![b"item:1", b"item:2", b"item:9", b"item:10"]))
            .says("a test with a few keys of one kind, such as `item:1` to `item:10`")
            .why("Keys of one kind are what a comparator was written for. Such a test misses what happens between kinds: two prefixes, text and numbers, great numbers, plain bytes."),
        weak("text_alone", "kills", on(keys_where(|key| str::from_utf8(key).is_ok())))
            .says("a test whose keys are all text")
            .why("Keys are bytes. Two that are not text become one as soon as somebody turns them into text.")
            ,
        weak("printable_alone", "kills", on(keys_where(|key| key.iter().all(|b| (32..127).contains(b)))))
            .says("a test whose keys can all be printed")
            .why("A byte 00 ends text in C, and bytes that are not text turn into one sign when somebody makes text of them. Put both into keys."),
        weak("no_empty_key", "kills", on(keys_where(|key| !key.is_empty())))
            .says("a test without the empty key")
            .why("The empty key is a key, and often a bound: a scan from the start asks for it."),
        weak("no_great_numbers", "kills", on(keys_where(|key| key.len() < 10 || key.starts_with(b"123"))))
            .says("a test without numbers beyond 32 bits")
            .why("Numbers that are cut, and differences that do not fit, are right for small numbers. Go beyond 32 and 64 bits."),
        weak("short_keys_alone", "kills", on(keys_where(|key| key.len() < 8)))
            .says("a test whose keys have fewer than eight bytes")
            .why("A comparator may look at the beginning alone. Try long keys that differ at the end, and long numbers."),
        weak("no_zeros_in_front", "kills", on(keys_where(|key| key != b"a01")))
            .says("a test without zeros in front of a number")
            .why("`a1` and `a01` have one number and are two keys. A comparator that compares the numbers alone calls them equal."),
    ]
}

//! Tests that are too weak, or too strict.

use kit::{Mistake, Tester};

use crate::prefix_scan::Scan;
use crate::stores::{Store, store};
use crate::test_prefix_scan::tester;

const TASK: &str = "test-prefix-scan";
const RULES: &str = "invariants";
const WRONG: &str = "wrong-answers-and-what-each-breaks";

type Asked<'a> = &'a dyn Fn(&Store, &[u8]) -> Vec<Vec<u8>>;

fn weak(
    name: &'static str,
    check: &'static str,
    test: impl Fn(Asked) + Send + Sync + 'static,
) -> Mistake<Tester<Scan>> {
    Mistake::new(name, "test", check, tester(test)).link(TASK)
}

/// All keys of one to three bytes out of these, and one with many ff.
fn world(alphabet: &[u8]) -> Vec<Vec<u8>> {
    let one: Vec<Vec<u8>> = alphabet.iter().map(|byte| vec![*byte]).collect();
    let longer = |keys: &[Vec<u8>]| -> Vec<Vec<u8>> {
        keys.iter()
            .flat_map(|key| alphabet.iter().map(|byte| [&key[..], &[*byte]].concat()))
            .collect()
    };
    let two = longer(&one);
    let three = longer(&two);
    let mut world = [one, two, three].concat();
    if alphabet.contains(&0xff) {
        world.push([vec![alphabet[1]], vec![0xff; 20]].concat());
    }
    world
}

const BYTES: [u8; 9] = [0x00, b'0', b':', b'A', b'a', b'b', b'~', 0x80, 0xff];

fn store_of(keys: impl IntoIterator<Item = Vec<u8>>) -> Store {
    keys.into_iter()
        .map(|key| (key, b"value".to_vec()))
        .collect()
}

fn with_prefix(store: &Store, prefix: &[u8]) -> Vec<Vec<u8>> {
    let found = store.keys().filter(|key| key.starts_with(prefix));
    found.cloned().collect()
}

/// Asks for each prefix and compares with a walk over all keys.
fn on(keys: &[Vec<u8>], prefixes: &[Vec<u8>]) -> impl Fn(Asked) + Send + Sync + 'static {
    let (store, prefixes) = (store_of(keys.iter().cloned()), prefixes.to_vec());
    move |scan| {
        for prefix in &prefixes {
            assert_eq!(scan(&store, prefix), with_prefix(&store, prefix));
        }
        assert!(scan(&Store::new(), b"a").is_empty());
    }
}

fn words(words: &[&str]) -> Vec<Vec<u8>> {
    words.iter().map(|word| word.as_bytes().to_vec()).collect()
}

fn all_but(alphabet: &[u8], left_out: &[u8]) -> Vec<u8> {
    let kept = alphabet.iter().filter(|byte| !left_out.contains(byte));
    kept.copied().collect()
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Tester<Scan>>> {
    let mut mistakes = too_strict();
    mistakes.extend(too_lenient());
    mistakes.extend(poor_data());
    mistakes
}

/// They refuse a right answer.
fn too_strict() -> Vec<Mistake<Tester<Scan>>> {
    vec![
        weak("prefix_as_a_field", "accepts-right", |scan| {
            let store = store(&[b"user:1", b"user:10", b"user:2"]);
            assert_eq!(scan(&store, b"user:1"), [b"user:1".to_vec()]);
        })
        .says("a test that takes a prefix for a whole field, and little else")
        .why("`user:10` starts with `user:1`, so it has to be found. Anyone who wants user 1 alone ends the field: `user:1:`.")
        .link(WRONG),
        weak("last_key_first", "accepts-right", |scan| {
            let world = world(&BYTES);
            let store = store_of(world.clone());
            for prefix in &world {
                let mut expected = with_prefix(&store, prefix);
                expected.reverse();
                assert_eq!(scan(&store, prefix), expected);
            }
        })
        .says("a test that expects the last key first")
        .why("A scan returns keys in the order of the store, by their bytes: the least comes first, and `10` before `9`.")
        .link(RULES),
        weak("refuses_everything", "accepts-right", |scan| {
            let store = store(&[b"a", b"aa", b"b"]);
            assert_eq!(scan(&store, b"a"), words(&["aa", "a"]));
            assert_eq!(scan(&store, b"b"), words(&["a"]));
        })
        .says("a test that refuses every scan")
        .why(
            "Scans that keep the four rules fail it too, so what failed above is none of them. Common reasons: the keys are expected in another \
             order than that of their bytes, the shortest first, say, or as text; the end of the range is worked out in the test, and wrong there; \
             or it asks for an empty prefix.",
        )
        .link(RULES),
    ]
}

/// The data is good, and the answers are not looked at closely.
fn too_lenient() -> Vec<Mistake<Tester<Scan>>> {
    let asking = |name, judge: fn(&Store, &[u8], Vec<Vec<u8>>)| {
        weak(name, "kills", move |scan| {
            let world = world(&BYTES);
            let store = store_of(world.clone());
            for prefix in &world {
                judge(&store, prefix, scan(&store, prefix));
            }
            judge(&Store::new(), b"a", scan(&Store::new(), b"a"));
        })
    };
    vec![
        weak("accepts_everything", "kills", |scan| {
            let world = world(&BYTES);
            let store = store_of(world.clone());
            for prefix in &world {
                let _ = scan(&store, prefix);
            }
        })
        .says("a test that accepts everything")
        .why(
            "Such a test compares nothing by `assert!`, or keeps what an `assert!` raises from its caller, or tries only what comes out right from a wrong scan too. A test that has \
             never failed proves nothing.",
        ),
        asking("counts_only", |store, prefix, found| {
            assert_eq!(found.len(), with_prefix(store, prefix).len());
        })
        .says("a test that counts the keys")
        .why("The right number of keys may come in a wrong order, or be other keys. Compare the lists.")
        .link(RULES),
        asking("order_forgotten", |store, prefix, mut found| {
            found.sort();
            assert_eq!(found, with_prefix(store, prefix));
        })
        .says("a test that compares the keys as a set")
        .why(
            "Which keys come is compared well, and their order is not: such a test sorts them or looks each one up, or it never \
             finds two keys at once. A scan promises both.",
        )
        .link(RULES),
        asking("only_what_is_found", |_, prefix, found| {
            assert!(found.iter().all(|key| key.starts_with(prefix)));
            assert!(found.is_sorted());
        })
        .says("a test that looks only at the keys that come")
        .why("Each key that comes has the prefix. A key that does *not* come is not missed, and an empty list passes."),
        asking("only_what_is_lost", |store, prefix, found| {
            for key in with_prefix(store, prefix) {
                assert!(found.contains(&key));
            }
        })
        .says("a test that looks only for lost keys")
        .why("No key is lost, and that is half of the promise. A scan that returns the whole store loses none either."),
    ]
}

/// The answers are compared in full, on stores in which little can go wrong.
fn poor_data() -> Vec<Mistake<Tester<Scan>>> {
    let users = words(&["user:1", "user:2", "user:3"]);
    let shop = words(&["item:1", "user:1", "user:2", "zone:1"]);
    let full = world(&BYTES);
    let without = |bytes: &[u8]| world(&all_but(&BYTES, bytes));
    let short: Vec<Vec<u8>> = full.iter().filter(|key| key.len() <= 2).cloned().collect();
    let no_ff_end: Vec<Vec<u8>> = full
        .iter()
        .filter(|key| key.last() != Some(&0xff))
        .cloned()
        .collect();
    let one_byte: Vec<Vec<u8>> = full.iter().filter(|key| key.len() == 1).cloned().collect();
    let few_ff: Vec<Vec<u8>> = full.iter().filter(|key| key.len() <= 3).cloned().collect();
    let printable = without(&[0x00, 0x80, 0xff]);
    vec![
        weak("empty_stores", "kills", on(&[], &full))
            .says("a test that never puts a key into a store")
            .why("In an empty store every scan finds nothing, the right ones and the wrong ones."),
        weak("one_example", "kills", on(&users, &words(&["user:"])))
            .says("a test of a few keys that all have the prefix")
            .why(
                "If all keys have the prefix, there is nothing to keep out: a scan without an end passes. Put keys before \
                 and after them, and one that holds the prefix in its middle.",
            ),
        weak("keys_around", "kills", on(&shop, &words(&["user:"])))
            .says("a test of one prefix among a few keys of text")
            .why(
                "Keys before and after are kept out, and that is good. But the prefix is not a key, nor is its successor, \
                 and no great byte follows it. Those are the places where scans go wrong.",
            ),
        weak("text_alone", "kills", on(&printable, &printable))
            .says("a test whose keys are all printable ASCII")
            .why(
                "Keys are bytes. Text never comes to the bytes from 80 to ff, and the ends of prefixes lie just there.",
            ),
        weak("no_ff", "kills", on(&without(&[0xff]), &without(&[0xff])))
            .says("a test without the byte ff")
            .why("ff is the greatest byte. After it there is nothing, so a wrong end shows there first.")
            .link(RULES),
        weak("no_prefix_ends_in_ff", "kills", on(&full, &no_ff_end))
            .says("a test whose prefixes never end in ff")
            .why(
                "A last byte ff cannot grow. The successor needs a carry, and that is a step of its own. Ask for such a prefix \
                 where a key starts with it.",
            )
            .link(RULES),
        weak("few_ff", "kills", on(&few_ff, &few_ff))
            .says("a test in which eight bytes ff never follow a prefix")
            .why("Anyone who appends eight bytes ff to find the end is right until eight of them follow.")
            .link(RULES),
        weak("one_case", "kills", on(&without(b"A"), &without(b"A")))
            .says("a test with letters of one case")
            .why("`A` is 41 and `a` is 61. To a store these are different bytes; put both into one store."),
        weak("short_keys", "kills", on(&short, &one_byte))
            .says("a test of keys with one byte after a prefix of one byte")
            .why("A prefix of one byte is its own first byte, and one byte after it is not yet a rest. Make both longer, and add a key \
                 after the prefix that has only its first byte."),
    ]
}

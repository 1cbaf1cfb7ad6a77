//! Tests of a prefix scan, tried on right scans and on wrong ones.

use std::ops::Bound::{Excluded, Included, Unbounded};

use kit::tester::watch;
use kit::{Answer, Candidates, Cast, Exercise, Judged, Tester, Wrong};

use crate::prefix_scan::Scan;
use crate::stores::{Store, list, quoted, store};
use crate::{mistakes, solutions, stubs};
use ch01_sorted_map::test_prefix_scan as learner;

/// In a message, longer lists are cut.
const SHOWN_MAX: usize = 6;

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(tester(learner::test)))
}

/// A function of the learner's type, as a tester.
pub(crate) fn tester(
    test: impl Fn(&dyn Fn(&Store, &[u8]) -> Vec<Vec<u8>>) + Send + Sync + 'static,
) -> Tester<Scan> {
    Tester::new(move |scan: &Scan| {
        test(&|store: &Store, prefix: &[u8]| {
            let count = store.len();
            let small = (count <= SHOWN_MAX).then(|| store.clone());
            let asked = prefix.to_vec();
            let call = move || {
                let keys = match &small {
                    Some(store) => list(store.keys()).text,
                    None => format!("[{count} keys]"),
                };
                format!("scan({keys}, {})", quoted(&asked))
            };
            let run = || {
                // Said here: some wrong scans would panic, and count as killed for no merit of the test.
                assert!(
                    !prefix.is_empty(),
                    "your test asks for an empty prefix, and the task says that there is none"
                );
                scan(store, prefix)
            };
            watch(call, run, shown)
        });
    })
}

fn shown(keys: &Vec<Vec<u8>>) -> Answer {
    if keys.len() <= SHOWN_MAX {
        list(keys)
    } else {
        Answer::text(format!("[{} keys]", keys.len()))
    }
}

/// The exercise with anybody's test in the learner's place.
pub(crate) fn exercise_of(learner: Tester<Scan>) -> Exercise<Tester<Scan>> {
    let cast = Cast {
        learner,
        stub: tester(stubs::test_prefix_scan::test),
        solution: tester(solutions::test_prefix_scan::test),
    };
    Exercise::new("test-prefix-scan", "01-sorted-map", cast)
        .tester("test", |test| test, candidates())
        .mistakes(mistakes::test_prefix_scan::all())
}

fn candidates() -> Candidates<Scan> {
    let mut all = Candidates::<Scan>::new("scan")
        .right(
            "one_range",
            "It scans from the prefix up to the prefix successor, carry included.",
            one_range,
        )
        .right(
            "walk",
            "It walks over all keys and keeps those that start with the prefix.",
            |store, prefix| {
                let keys = store.keys().filter(|key| key.starts_with(prefix));
                keys.cloned().collect()
            },
        )
        .right(
            "until_another_prefix",
            "It starts at the prefix and stops at the first key without it.",
            |store, prefix| {
                let keys = from(store, prefix).into_iter();
                keys.take_while(|key| key.starts_with(prefix)).collect()
            },
        );
    for wrong in wrong_ends().into_iter().chain(wrong_keys()) {
        all = all.wrong(wrong);
    }
    all
}

fn from(store: &Store, prefix: &[u8]) -> Vec<Vec<u8>> {
    let range = store.range::<[u8], _>((Included(prefix), Unbounded));
    range.map(|(key, _)| key.clone()).collect()
}

fn up_to(store: &Store, prefix: &[u8], end: &[u8]) -> Vec<Vec<u8>> {
    if prefix >= end {
        return Vec::new();
    }
    let range = store.range::<[u8], _>((Included(prefix), Excluded(end)));
    range.map(|(key, _)| key.clone()).collect()
}

/// The first key after all that start with the prefix, if there is one.
fn successor(prefix: &[u8]) -> Option<Vec<u8>> {
    let grows = prefix.iter().rposition(|byte| *byte < 0xff)?;
    let mut end = prefix[..=grows].to_vec();
    end[grows] += 1;
    Some(end)
}

fn one_range(store: &Store, prefix: &[u8]) -> Vec<Vec<u8>> {
    match successor(prefix) {
        Some(end) => up_to(store, prefix, &end),
        None => from(store, prefix),
    }
}

/// Whether these keys give these, in this order.
fn finds(scan: &Scan, keys: &[&[u8]], prefix: &[u8], found: &[&[u8]]) -> bool {
    scan(&store(keys), prefix) == found
}

fn wrong_ends() -> Vec<Wrong<Scan>> {
    let wrong = |name, scan: Scan| Wrong::new(name, scan);
    vec![
        wrong("no_end", from)
            .says("It starts at the prefix and runs to the end of the store.")
            .shows("when keys come after those with the prefix", |scan| {
                finds(scan, &[b"a", b"b"], b"a", &[b"a"])
            }),
        wrong("prefix_itself_left_out", |store, prefix| {
            let mut keys = one_range(store, prefix);
            keys.retain(|key| key != prefix);
            keys
        })
        .says("It starts after the prefix.")
        .shows("when the prefix is a key of the store", |scan| {
            finds(scan, &[b"a", b"ab"], b"a", &[b"a", b"ab"])
        }),
        wrong("successor_taken", |store, prefix| {
            let mut keys = one_range(store, prefix);
            keys.extend(successor(prefix).filter(|end| store.contains_key(end)));
            keys
        })
        .says("It takes the prefix successor too.")
        .shows("when the prefix successor is a key of the store", |scan| {
            finds(scan, &[b"a", b"b"], b"a", &[b"a"])
        }),
        wrong("ends_at_one_ff", |store, prefix| {
            up_to(store, prefix, &[prefix, b"\xff"].concat())
        })
        .says("It ends at the prefix followed by one byte ff.")
        .shows("when the prefix is followed by a great byte", |scan| {
            finds(scan, &[b"a\xff"], b"a", &[b"a\xff"])
        }),
        wrong("ends_at_many_ff", |store, prefix| {
            up_to(store, prefix, &[prefix, &[0xff; 8]].concat())
        })
        .says("It ends at the prefix followed by eight bytes ff.")
        .shows("when the prefix is followed by many great bytes", |scan| {
            finds(
                scan,
                &[b"a\xff\xff\xff\xff\xff\xff\xff\xff"],
                b"a",
                &[b"a\xff\xff\xff\xff\xff\xff\xff\xff"],
            )
        }),
        wrong("ends_at_a_letter", |store, prefix| {
            up_to(store, prefix, &[prefix, b"~"].concat())
        })
        .says("It ends at the prefix followed by `~`, the last character of ASCII that prints.")
        .shows(
            "when the prefix is followed by a byte that is no ASCII",
            |scan| finds(scan, &[b"a\x80"], b"a", &[b"a\x80"]),
        ),
        wrong("no_carry", |store, prefix| {
            let mut end = prefix.to_vec();
            if let Some(last) = end.last_mut() {
                *last = last.wrapping_add(1);
            }
            up_to(store, prefix, &end)
        })
        .says("It adds one to the last byte of the prefix, and ff becomes 00.")
        .shows("when the prefix ends in ff", |scan| {
            finds(scan, &[b"a\xff\x01"], b"a\xff", &[b"a\xff\x01"])
        }),
        wrong("first_byte_raised", |store, prefix| {
            match prefix[0].checked_add(1) {
                Some(end) => up_to(store, prefix, &[end]),
                None => from(store, prefix),
            }
        })
        .says("It ends where the first byte of the prefix ends.")
        .shows(
            "with a prefix of several bytes, and keys after it",
            |scan| finds(scan, &[b"ab", b"ac"], b"ab", &[b"ab"]),
        ),
    ]
}

fn wrong_keys() -> Vec<Wrong<Scan>> {
    let wrong = |name, scan: Scan| Wrong::new(name, scan);
    vec![
        wrong("contains", |store, prefix| {
            let inside = |key: &&Vec<u8>| key.windows(prefix.len()).any(|bytes| bytes == prefix);
            store.keys().filter(inside).cloned().collect()
        })
        .says("It finds keys that hold these bytes anywhere.")
        .shows(
            "when a key holds the bytes of the prefix, and not in front",
            |scan| finds(scan, &[b"a", b"ba"], b"a", &[b"a"]),
        ),
        wrong("backwards", |store, prefix| {
            let mut keys = one_range(store, prefix);
            keys.reverse();
            keys
        })
        .says("It returns the last key first.")
        .shows("when two keys or more are found", |scan| {
            finds(scan, &[b"a", b"ab"], b"a", &[b"a", b"ab"])
        }),
        wrong("prefix_cut_off", |store, prefix| {
            let keys = one_range(store, prefix).into_iter();
            keys.map(|key| key[prefix.len()..].to_vec()).collect()
        })
        .says("It returns what follows the prefix in each key.")
        .shows("as soon as a key is found", |scan| {
            finds(scan, &[b"ab"], b"a", &[b"ab"])
        }),
        wrong("empty_store_panics", |store, prefix| {
            assert!(!store.is_empty(), "the store has no first key");
            one_range(store, prefix)
        })
        .says("It looks at the first key of the store, and panics if there is none.")
        .shows("in an empty store", |scan| finds(scan, &[], b"a", &[])),
        wrong("one_more_byte", |store, prefix| {
            let mut keys = one_range(store, prefix);
            keys.retain(|key| key.len() <= prefix.len() + 1);
            keys
        })
        .says("It finds the prefix with at most one byte after it.")
        .shows("when more bytes follow the prefix", |scan| {
            finds(scan, &[b"abc"], b"a", &[b"abc"])
        }),
        wrong("whole_field", |store, prefix| {
            let mut keys = one_range(store, prefix);
            keys.retain(|key| !key.get(prefix.len()).is_some_and(u8::is_ascii_digit));
            keys
        })
        .says("It takes the prefix for a field: no digit may follow it.")
        .shows("when a digit follows the prefix", |scan| {
            finds(scan, &[b"a", b"a0"], b"a", &[b"a", b"a0"])
        }),
        wrong("letters_without_case", |store, prefix| {
            let same = |key: &&Vec<u8>| {
                let front = key.get(..prefix.len());
                front.is_some_and(|front| front.eq_ignore_ascii_case(prefix))
            };
            store.keys().filter(same).cloned().collect()
        })
        .says("It takes `A` and `a` for the same letter.")
        .shows("when two keys differ in the case of a letter", |scan| {
            finds(scan, &[b"A", b"a"], b"a", &[b"a"])
        }),
        wrong("only_text", |store, prefix| {
            let mut keys = one_range(store, prefix);
            keys.retain(|key| std::str::from_utf8(key).is_ok());
            keys
        })
        .says("It leaves out keys that are no valid UTF-8 text.")
        .shows("when a key is no text", |scan| {
            finds(scan, &[b"a\x80"], b"a", &[b"a\x80"])
        }),
    ]
}

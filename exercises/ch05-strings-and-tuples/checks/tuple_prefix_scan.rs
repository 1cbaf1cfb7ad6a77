//! Prefixes of tuples: the successor, the rows of one user, the rows of all users that start alike.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use kit::answer::{quoted, quoted_text};
use kit::values::{LENGTHS, bit_by_bit, long_texts, woven_bytes, woven_texts};
use kit::{Answer, Cast, Exercise, Judged, PartOf, Show as _, check, show_list};

use crate::{mistakes, solutions, stubs};
use ch05_strings_and_tuples::tuple_prefix_scan as learner;

/// The rows of a store.
pub(crate) type Rows = BTreeSet<Vec<u8>>;
/// Somebody's `successor`.
pub(crate) type Successor = Arc<dyn Fn(&[u8]) -> Option<Vec<u8>> + Send + Sync>;
/// Somebody's `orders_of` or `orders_starting`.
pub(crate) type Query = Arc<dyn Fn(&Rows, &str) -> Vec<u64> + Send + Sync>;

/// Somebody's three functions.
#[derive(Clone)]
pub(crate) struct Scans {
    pub(crate) successor: Successor,
    pub(crate) orders_of: Query,
    pub(crate) orders_starting: Query,
}

/// A user and an order.
type Row = (&'static str, u64);

/// The rows, the plainest stores first.
const STORES: [&[Row]; 12] = [
    &[("ann", 1), ("ann", 2), ("bob", 1)],
    &[("an", 5), ("ann", 1), ("ann", 2), ("anna", 7), ("bob", 3)],
    &[("ann", 1), ("ann:1", 4), ("ann!", 6), ("annb", 9)],
    &[
        ("ann", 0),
        ("ann", 1 << 32),
        ("ann", u64::MAX - 1),
        ("ann", u64::MAX),
        ("ao", 3),
    ],
    &[
        ("", 1),
        ("\0", 2),
        ("a", 3),
        ("a\0", 4),
        ("a\0b", 5),
        ("a\u{1}", 6),
        ("ab", 7),
    ],
    &[("zoe", 1), ("é", 2), ("\u{10ffff}", 3), ("\u{10ffff}b", 4)],
    &[],
    &[
        ("a", 1),
        ("a\0", 2),
        ("a\0\u{1}", 3),
        ("a\0\u{1}b", 4),
        ("a\0b", 5),
    ],
    &[
        (" ann", 1),
        ("Ann", 2),
        ("ann", 3),
        ("ann ", 4),
        ("ann\nbob", 7),
        ("a long name, longer than most buffers are, and one", 5),
        ("a long name, longer than most buffers are, and another", 6),
    ],
    // Above the letters of ASCII there are other signs, and other letters. In UTF-16 the last one takes two units.
    &[
        ("ann", 1),
        ("ann{", 2),
        ("ann\u{7f}", 3),
        ("anné", 4),
        ("ann\u{1f600}", 6),
        ("ao", 5),
    ],
    // Two users may have one number. And a number may be large without being one of the largest.
    &[
        ("ann", 1),
        ("ann", 1 << 31),
        ("ann", 1 << 63),
        ("anna", 1 << 63),
        ("annb", 1),
        ("bob", 1),
    ],
    // After U+D7FF comes no character but U+E000, and after the last one comes none.
    &[
        ("a\u{d7ff}", 1),
        ("a\u{d7ff}b", 2),
        ("a\u{e000}", 3),
        ("a\u{10ffff}", 4),
        ("b", 5),
    ],
];

/// More orders of one user than a large page has.
fn many() -> Vec<Row> {
    (0..5100).map(|number| ("ann", number)).collect()
}

/// The names that are asked for, the plainest first.
const NAMES: [&str; 22] = [
    "ann",
    "bob",
    "an",
    "anna",
    "a",
    "cid",
    "ann:",
    "a\0",
    "zoe",
    "é",
    "\u{10ffff}",
    "\0",
    "a\u{1}",
    "",
    "a\0b",
    "a\0\u{1}",
    "Ann",
    " ann",
    "ann\nbob",
    "a long name, longer than most buffers are, and one",
    "a\u{d7ff}",
    "a\u{10ffff}",
];

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(Scans {
        successor: Arc::new(learner::successor),
        orders_of: Arc::new(learner::orders_of),
        orders_starting: Arc::new(learner::orders_starting),
    }))
}

/// The reference solution.
pub(crate) fn right() -> Scans {
    Scans {
        successor: Arc::new(solutions::tuple_prefix_scan::successor),
        orders_of: Arc::new(solutions::tuple_prefix_scan::orders_of),
        orders_starting: Arc::new(solutions::tuple_prefix_scan::orders_starting),
    }
}

/// The exercise with anybody's code in the learner's place.
pub(crate) fn exercise_of(learner: Scans) -> Exercise<Scans> {
    let cast = Cast {
        learner,
        stub: Scans {
            successor: Arc::new(stubs::tuple_prefix_scan::successor),
            orders_of: Arc::new(stubs::tuple_prefix_scan::orders_of),
            orders_starting: Arc::new(stubs::tuple_prefix_scan::orders_starting),
        },
        solution: right(),
    };
    Exercise::new("tuple-prefix-scan", "05-strings-and-tuples", cast)
        .part(successors())
        .part(queries("orders_of", |scans| &scans.orders_of))
        .part(queries("orders_starting", |scans| &scans.orders_starting))
        .check(check::answers(
            "successor",
            "successor",
            "The smallest byte string above every string that starts with the prefix.",
        ))
        .check(check::answers(
            "orders_of",
            "one-user",
            "All orders of this user and of nobody else.",
        ))
        .check(check::answers(
            "orders_starting",
            "beginning",
            "All orders of all users whose names start like this, and of nobody else.",
        ))
        .mistakes(mistakes::tuple_prefix_scan::all())
}

fn prefixes() -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = [
        &b"a"[..],
        b"user:",
        b"a\x00",
        b"a\xff",
        b"a\xfe\xff\xff",
        b"\xff",
        // A byte has no sign: 7f is not the greatest one.
        b"a\x7f",
    ]
    .map(<[u8]>::to_vec)
    .to_vec();
    let mut shorter = vec![Vec::new()];
    for _ in 0..3 {
        all.extend(shorter.clone());
        shorter = shorter
            .iter()
            .flat_map(|s| [0x00, b'a', 0xfe, 0xff].map(|byte| [&s[..], &[byte]].concat()))
            .collect();
    }
    all.extend(shorter);
    all.push(vec![0xff; 9]);
    all.extend(woven_bytes().flatten());
    for length in LENGTHS {
        all.push(vec![b'a'; length]);
        all.push([&vec![b'a'; length][..], b"\xff\xff"].concat());
        all.push([&b"a"[..], &vec![0xff; length]].concat());
    }
    let mut seen = HashSet::new();
    all.retain(|prefix| seen.insert(prefix.clone()));
    all
}

fn successors() -> PartOf<Scans> {
    let mut part = PartOf::new("successor", "bound");
    for prefix in prefixes() {
        let text = format!("b{}", quoted(&prefix));
        let class = if prefix.iter().all(|&byte| byte == 0xff) {
            "prefixes without a successor"
        } else if prefix.ends_with(&[0xff]) {
            "prefixes that end in ff after another byte"
        } else {
            "prefixes that do not end in ff"
        };
        part = part.probe(
            format!("successor({text})"),
            Answer::text(text),
            &[class],
            move |scans: &Scans| (scans.successor)(&prefix).show(),
        );
    }
    part
}

fn queries(
    function: &'static str,
    query: impl Fn(&Scans) -> &Query + Copy + Send + Sync + 'static,
) -> PartOf<Scans> {
    let mut part = PartOf::new(function, "list").after("successor");
    let short = STORES.into_iter().map(|store| (store.to_vec(), &NAMES[..]));
    let long: Vec<&str> = long_texts().collect();
    let long = long.chunks(2).map(|names| {
        let store = names.iter().copied().zip(1..).collect();
        (store, names)
    });
    let woven: Vec<[&str; 7]> = woven_texts()
        .map(|[before, behind, between, twice, often, longer]| {
            [before, behind, between, twice, often, longer, "35"]
        })
        .collect();
    let woven = woven.iter().map(|names| {
        let store = names.iter().copied().zip(1..).collect();
        (store, &names[..4])
    });
    let bits = bit_by_bit(u64::MAX).into_iter();
    let bits = bits.map(|number| ("ann", number)).collect();
    let many = [(many(), &["ann", ""][..]), (bits, &["ann", ""][..])];
    for (store, names) in short.chain(woven).chain(long).chain(many) {
        for &name in names {
            let rows = store.clone();
            let row = |(user, number): &Row| format!("{} {number}", quoted_text(user));
            let shown = match &store[..] {
                [first, .., last] if store.len() > 100 => {
                    format!("{} to {}", row(first), row(last))
                }
                _ => store.iter().map(row).collect::<Vec<_>>().join(", "),
            };
            let call = format!("{function}({{{shown}}}, {})", quoted_text(name));
            let mut classes = vec![if store.iter().any(|(user, _)| *user == name) {
                "queries for a name that has rows"
            } else {
                "queries for a name without rows"
            }];
            if store
                .iter()
                .any(|(user, _)| *user != name && user.starts_with(name))
            {
                classes.push("queries for the beginning of another name");
            }
            if name.contains('\0') {
                classes.push("queries for a name with a zero byte");
            }
            part = part.probe(
                call.clone(),
                Answer::text(call),
                &classes,
                move |scans: &Scans| {
                    // The key that the task gives, not the learner's copy of it.
                    let key = |(user, number): &Row| stubs::tuple_prefix_scan::key(user, *number);
                    let rows: Rows = rows.iter().map(key).collect();
                    show_list(query(scans)(&rows, name))
                },
            );
        }
    }
    part
}

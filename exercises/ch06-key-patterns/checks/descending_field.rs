//! Keys whose bytes are open: only their order is judged.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::Arc;

use kit::answer::quoted_text;
use kit::exercise::Part;
use kit::fields::apart;
use kit::values::{bit_by_bit, long_texts, ranks};
use kit::{Answer, Cast, Exercise, Judged, Outcome, PartOf, Show as _, check};

use crate::{mistakes, solutions, stubs};
use ch06_key_patterns::descending_field as learner;

/// Somebody's `key`.
pub(crate) type Key = Arc<dyn Fn(&str, u64, &str) -> Vec<u8> + Send + Sync>;

/// A user, a time and a title.
type Play = (&'static str, u64, &'static str);

const USERS: [&str; 13] = [
    "ann",
    "anna",
    "bob",
    "",
    "a",
    "a\0",
    "a\0b",
    "Ann",
    " ann",
    "ann ",
    "\u{161}nn",
    "a long name, longer than most buffers are, and one",
    "a long name, longer than most buffers are, and another",
];
const TIMES: [u64; 13] = [
    20,
    10,
    9,
    0,
    1,
    255,
    256,
    1 << 32,
    1_571_819_021_259,
    i64::MAX.cast_unsigned(),
    1 << 63,
    u64::MAX - 1,
    u64::MAX,
];
const TITLES: [&str; 14] = [
    "jazz",
    "jazzy",
    "folk",
    "",
    "a",
    "a\0",
    "a\0b",
    "\u{ff}",
    "Jazz",
    " jazz",
    "jazz ",
    "\u{161}azz",
    "a long title, longer than most buffers are, and one",
    "a long title, longer than most buffers are, and another",
];

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(Arc::new(learner::key)))
}

/// The exercise with anybody's code in the learner's place.
pub(crate) fn exercise_of(learner: Key) -> Exercise<Key> {
    let cast: Cast<Key> = Cast {
        learner,
        stub: Arc::new(stubs::descending_field::key),
        solution: Arc::new(solutions::descending_field::key),
    };
    let plays = plays();
    let directed = |(user, time, title): &Play| (*user, Reverse(*time), Reverse(*title));
    let places = ranks(&plays, |a, b| directed(a).cmp(&directed(b)));
    let mut part = PartOf::new("key", "key").open().ranked(places).says(fields);
    for play in plays {
        let (user, time, title) = play;
        let text = format!("({}, {time}, {})", quoted_text(user), quoted_text(title));
        part = part.probe(
            format!("key{text}"),
            Answer::text(text),
            &classes(&play),
            move |key: &Key| key(user, time, title).show(),
        );
    }
    Exercise::new("descending-field", "06-key-patterns", cast)
        .part(part)
        .check(check::order_of(
            "key",
            "must come before",
            "Keys sort by user upwards, then by time downwards, then by title downwards.",
        ))
        .mistakes(mistakes::descending_field::all())
}

/// Which fields are in order, where they alone differ.
fn fields(part: &Part, outcomes: &[Outcome]) -> Vec<String> {
    let plays = plays();
    let fields = [
        ("user", ranks(&plays, |a, b| a.0.cmp(b.0))),
        ("time", ranks(&plays, |a, b| b.1.cmp(&a.1))),
        ("title", ranks(&plays, |a, b| b.2.cmp(a.2))),
    ];
    apart(part, outcomes, &fields)
}

/// Here a time, as it is or turned round, gets one hexadecimal digit more; and the first ones are 0 or negative in a smaller type.
const OTHER_TIMES: [u64; 11] = [
    1 << 15,
    1 << 16,
    1 << 31,
    (1 << 56) - 1,
    1 << 56,
    (1 << 60) - 1,
    1 << 60,
    u64::MAX - (1 << 60),
    u64::MAX - (1 << 60) + 1,
    u64::MAX - (1 << 56),
    u64::MAX - (1 << 56) + 1,
];

/// All plays, those first that differ in one field from one before, and then some whose time or text is seldom met.
fn plays() -> Vec<Play> {
    let mut plays = Vec::new();
    for (n, &user) in USERS.iter().enumerate() {
        for (m, &time) in TIMES.iter().enumerate() {
            for (l, &title) in TITLES.iter().enumerate() {
                plays.push((n.max(m).max(l), (user, time, title)));
            }
        }
    }
    plays.sort_by_key(|(size, _)| *size);
    // In hexadecimal a tab is one digit, unless somebody fills it up. The first byte of the last letter is f4: taken from
    // anything less than that it wraps around.
    // A letter whose bytes come before those of that one, and its code units of 16 bits after them.
    // Then two zero bytes, and what becomes the same without the end of a line, or in small letters.
    let texts = [
        "a\u{1}",
        "a\u{2}",
        "a\t",
        "\u{10ffff}",
        "\u{ff01}",
        "a\0\0",
        "a\0\0b",
        "two\nlines",
        "twolines",
        "two lines",
        "\u{c8}",
        "\u{e8}",
    ];
    let texts = texts.into_iter().chain(long_texts());
    let texts = texts.flat_map(|text| [(text, 20, "jazz"), ("ann", 20, text)]);
    let mut seen = HashSet::from(TIMES);
    let times = OTHER_TIMES.into_iter().chain(bit_by_bit(u64::MAX));
    let times = times.filter(|time| seen.insert(*time));
    let times = times.map(|time| ("ann", time, "jazz"));
    plays
        .into_iter()
        .map(|(_, play)| play)
        .chain(texts)
        .chain(times)
        .collect()
}

fn classes((user, time, title): &Play) -> Vec<&'static str> {
    let mut classes = vec![if user.contains('\0') || title.contains('\0') {
        "plays with a zero byte in a text"
    } else if user.is_empty() || title.is_empty() {
        "plays with an empty text"
    } else {
        "plays with plain texts"
    }];
    if *time > i64::MAX.cast_unsigned() {
        classes.push("plays at a time above i64::MAX");
    }
    classes
}

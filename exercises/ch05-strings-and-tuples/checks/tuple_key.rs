//! Keys of tuples of text, number and text: whatever the bytes are, they sort as the tuples do.

use std::collections::HashSet;
use std::sync::Arc;

use kit::answer::quoted_text;
use kit::exercise::Part;
use kit::fields::apart;
use kit::values::{bit_by_bit, long_texts, ranks, woven_texts};
use kit::{Answer, Cast, Exercise, Judged, Outcome, PartOf, Show as _, check};

use crate::{mistakes, solutions, stubs};
use ch05_strings_and_tuples::tuple_key as learner;

/// Somebody's `key`.
pub(crate) type Key = Arc<dyn Fn(&str, u64, &str) -> Vec<u8> + Send + Sync>;

/// A user, a number and a note.
pub(crate) type Tuple = (&'static str, u64, &'static str);

/// Names, the plainest first. `LONG` and its neighbour differ after the sixteenth byte.
const USERS: [&str; 23] = [
    "ann",
    "a",
    "aa",
    "b",
    "ab",
    "",
    "a:",
    "a:b",
    "a!",
    "ann:1",
    "a\0",
    "a\0b",
    "a\u{1}",
    "\0",
    "a\0\u{1}",
    "é",
    "nobody at all, 1",
    "nobody at all, 1 but 2",
    "Ann",
    " ann",
    "ann ",
    "a long name, longer than most buffers are, and one",
    "a long name, longer than most buffers are, and another",
];
/// 58 is `:` as a byte. From 2^63 on the first bit is set, and the last number is all `ff`.
const NUMBERS: [u64; 11] = [
    1,
    2,
    10,
    0,
    58,
    255,
    256,
    1 << 32,
    1 << 63,
    u64::MAX,
    u64::MAX - 1,
];
const NOTES: [&str; 10] = [
    "",
    "a",
    "b",
    ":",
    "\0",
    "A",
    " a",
    "a ",
    "a long note, longer than most buffers are, and one",
    "a long note, longer than most buffers are, and another",
];

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(Arc::new(learner::key)))
}

/// The exercise with anybody's code in the learner's place.
pub(crate) fn exercise_of(learner: Key) -> Exercise<Key> {
    let cast: Cast<Key> = Cast {
        learner,
        stub: Arc::new(stubs::tuple_key::key),
        solution: Arc::new(solutions::tuple_key::key),
    };
    Exercise::new("tuple-key", "05-strings-and-tuples", cast)
        .rests_on("escape-bytes")
        .part(keys())
        .check(check::order(
            "key",
            "Keys compare as the tuples do, and different tuples have different keys.",
        ))
        .mistakes(mistakes::tuple_key::all())
}

/// All combinations, those of plain fields first, and then more texts.
fn tuples() -> Vec<Tuple> {
    let mut all = Vec::new();
    for (i, user) in USERS.into_iter().enumerate() {
        for (j, number) in NUMBERS.into_iter().enumerate() {
            for (k, note) in NOTES.into_iter().enumerate() {
                all.push((i + j + k, (user, number, note)));
            }
        }
    }
    all.sort_by_key(|(effort, _)| *effort);
    // A digit lies between `/` and `:`. In UTF-16 the second of two characters comes first.
    // 7f is above every sign, and as two hexadecimal digits it begins below a colon.
    let texts = [
        "ann1",
        "a\u{7f}",
        "\u{ff5e}",
        "\u{1f600}",
        // One hexadecimal digit is enough for 7, and it is above the first one of `a`.
        "\u{7}",
        "two\nlines",
        "two\nwords",
        // What becomes the same without the end of a line, with a space for it, or in small letters.
        "twolines",
        "two lines",
        "\u{c8}",
        "\u{e8}",
        // Two zero bytes, and what may become the same when one of them is escaped by bytes that stay as they are.
        "a\0\0",
        "a\0\0b",
        "a\u{1}\u{1}",
        "a\u{1}\u{2}",
        // The last byte of its length is that of a longer text, which comes before it.
        "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy",
    ]
    .into_iter();
    let texts = texts.chain(long_texts());
    let more = texts.flat_map(|text| [(text, 1, ""), ("ann", 1, text)]);
    let numbers = numbers().map(|number| ("ann", number, ""));
    all.into_iter()
        .map(|(_, tuple)| tuple)
        .chain(more)
        .chain(woven())
        .chain(numbers)
        .collect()
}

/// Users and notes with every sign that somebody may treat in a way of his own.
fn woven() -> impl Iterator<Item = Tuple> {
    // None of the users is the beginning of another: what ends a user does not show. And all are short.
    let users = woven_texts().flat_map(|[_, behind, between, twice, ..]| {
        let all = [between, behind, twice];
        all.into_iter().take(if twice.is_ascii() { 3 } else { 2 })
    });
    // Those with a zero byte have been asked for, the plainest first.
    let users = users.filter(|user| !user.contains('\0'));
    let notes = woven_texts()
        .flat_map(|[before, behind, between, twice, ..]| [before, behind, between, twice]);
    let users = users.map(|user| (user, 1, ""));
    users.chain(notes.map(|note| ("ann", 1, note)))
}

/// Numbers of one bit more than a width has, or of one digit more, and large ones of which every bit counts.
///
/// Below 2^34 there are few: a number cut to ten digits or to fewer is one fault.
fn numbers() -> impl Iterator<Item = u64> {
    // From here on a double has no place for every whole number.
    let doubles = [1, 2].map(|n| (1 << 53) + n);
    let bits = [16].into_iter().chain(34..64).map(|bits| 1_u64 << bits);
    let digits = (11..20).map(|digits| 10_u64.pow(digits));
    let limits = bits.chain(digits).flat_map(|limit| [limit - 1, limit]);
    let mut seen = HashSet::from(NUMBERS);
    let all = doubles
        .into_iter()
        .chain(limits)
        .chain(bit_by_bit(u64::MAX));
    all.filter(move |number| seen.insert(*number))
}

fn keys() -> PartOf<Key> {
    let tuples = tuples();
    let mut sorted = tuples.clone();
    sorted.sort_unstable();
    let place = |tuple| sorted.binary_search(tuple).unwrap_or_default();
    let mut part = PartOf::new("key", "key")
        .open()
        .ranked(tuples.iter().map(place).collect())
        .says(fields);
    for (user, number, note) in tuples {
        let text = format!("({}, {number}, {})", quoted_text(user), quoted_text(note));
        part = part.probe(
            format!("key{text}"),
            Answer::text(text),
            &classes(user, number),
            move |key: &Key| key(user, number, note).show(),
        );
    }
    part
}

/// Which fields are in order, where they alone differ.
fn fields(part: &Part, outcomes: &[Outcome]) -> Vec<String> {
    let tuples = tuples();
    let fields = [
        ("user", ranks(&tuples, |a, b| a.0.cmp(b.0))),
        ("number", ranks(&tuples, |a, b| a.1.cmp(&b.1))),
        ("note", ranks(&tuples, |a, b| a.2.cmp(b.2))),
    ];
    apart(part, outcomes, &fields)
}

fn classes(user: &str, number: u64) -> Vec<&'static str> {
    let mut classes = vec![if user.contains("\0\0") {
        // Apart, so that one zero byte is shown where one is enough.
        "tuples whose user has two zero bytes"
    } else if user.contains('\0') {
        "tuples whose user has a zero byte"
    } else if user.contains(':') {
        "tuples whose user has a colon"
    } else {
        "tuples with a plain user"
    }];
    if number >= 1 << 63 {
        classes.push("tuples with a number from 2^63 on");
    }
    classes
}

//! Byte strings that end by themselves: in order, none the beginning of another, and in the task's bytes.

use std::collections::HashSet;
use std::sync::Arc;

use kit::check::{Check, Finding};
use kit::exercise::Sheet;
use kit::render::two_rows;
use kit::values::{LENGTHS, woven_bytes};
use kit::{Answer, Cast, Exercise, Judged, PartOf, Show as _, check};

use crate::{mistakes, solutions, stubs};
use ch05_strings_and_tuples::escape_bytes as learner;

type Encode = dyn Fn(&[u8]) -> Vec<u8> + Send + Sync;
type Decode = dyn Fn(&[u8]) -> Option<Vec<u8>> + Send + Sync;

/// Somebody's two functions.
#[derive(Clone)]
pub(crate) struct Escape {
    pub(crate) encode: Arc<Encode>,
    pub(crate) decode: Arc<Decode>,
}

impl Escape {
    pub(crate) fn new(
        encode: impl Fn(&[u8]) -> Vec<u8> + Send + Sync + 'static,
        decode: impl Fn(&[u8]) -> Option<Vec<u8>> + Send + Sync + 'static,
    ) -> Self {
        Self {
            encode: Arc::new(encode),
            decode: Arc::new(decode),
        }
    }
}

/// Strings that show most faults, the plainest first.
const PLAIN: [&[u8]; 24] = [
    b"",
    b"a",
    b"b",
    b"aa",
    b"ab",
    b"ba",
    b"abc",
    b"a:b",
    b"\x00",
    b"a\x00",
    b"\x00a",
    b"a\x00b",
    b"a\x00c",
    b"a\x00bc",
    b"\x00\x00",
    b"a\x00\x00b",
    b"\x01",
    b"a\x01",
    b"a\x00\x01",
    b"a\x00\xff",
    b"\xff",
    b"\xfe",
    b"a\xff",
    b"abcdefghijklmnopq",
];

const NO_KEY: &str = "bytes that are no key";
const ENDLESS: &str = "bytes without an end";
const FOLLOWED: &str = "keys with bytes after the end";
const UNKNOWN: &str = "bytes with a zero before neither ff nor 01";

/// What no string becomes.
const FOREIGN: [(&str, &[u8]); 22] = [
    (ENDLESS, b""),
    (ENDLESS, b"a"),
    (ENDLESS, b"a\x00"),
    (ENDLESS, b"\x00"),
    (ENDLESS, b"\x01"),
    (ENDLESS, b"a\x01"),
    (ENDLESS, b"a\x00\xff"),
    (ENDLESS, b"a\x00\xff\x00"),
    // With its pair undone, its last two bytes look like an end.
    (ENDLESS, b"a\x00\xff\x01"),
    (ENDLESS, b"ab\xff"),
    (FOLLOWED, b"a\x00\x01b"),
    (FOLLOWED, b"\x00\x01\x00"),
    (FOLLOWED, b"\x00\x01\x00\x01"),
    (FOLLOWED, b"a\x00\x01b\x00\x01"),
    (UNKNOWN, b"a\x00\x00"),
    (UNKNOWN, b"\x00\x00"),
    (UNKNOWN, b"a\x00\x02"),
    (UNKNOWN, b"\x00\x02\x00\x01"),
    (UNKNOWN, b"a\x00b\x00\x01"),
    (UNKNOWN, b"a\x00\x00\x01"),
    (UNKNOWN, b"a\x00\x00\x00\x01"),
    (UNKNOWN, b"a\x00\xfe\x00\x01"),
];

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(Escape::new(learner::encode, learner::decode)))
}

/// The exercise with anybody's code in the learner's place.
pub(crate) fn exercise_of(learner: Escape) -> Exercise<Escape> {
    let cast = Cast {
        learner,
        stub: Escape::new(stubs::escape_bytes::encode, stubs::escape_bytes::decode),
        solution: Escape::new(
            solutions::escape_bytes::encode,
            solutions::escape_bytes::decode,
        ),
    };
    Exercise::new("escape-bytes", "05-strings-and-tuples", cast)
        .part(encodings())
        .decoder(decodings(), round_trips())
        .check(check::order(
            "encode",
            "Keys compare as their strings do, and different strings have different keys.",
        ))
        .check(ends_by_itself)
        .check(check::answers(
            "encode",
            "bytes",
            "A zero byte becomes 00 ff, and 00 01 ends the key.",
        ))
        .check(check::answers(
            "decode",
            "round-trip",
            "A key gives its string back, and what is no key gives `None`.",
        ))
        .mistakes(mistakes::escape_bytes::all())
}

/// No key is the beginning of another one.
fn ends_by_itself(sheet: &Sheet) -> Check {
    let claim = "No key is the beginning of another key: then what follows a key cannot matter.";
    check::custom("encode", "ends-by-itself", claim, |part, outcomes| {
        let keys = || {
            let keyed = outcomes.iter().enumerate();
            keyed.filter_map(|(i, outcome)| Some((i, outcome.bytes()?)))
        };
        let (long, short) = keys().find_map(|(long, key)| {
            let mut others = keys().filter(|(i, other)| *i != long && key.starts_with(other));
            Some((long, others.next()?.0))
        })?;
        let [a, b] = [short, long].map(|i| &part.probes[i]);
        let [x, y] = [short, long].map(|i| outcomes[i].bytes().unwrap_or_default());
        Some(Finding {
            summary: format!(
                "{} is the beginning of {}: whatever comes after the first is compared with the second",
                a.call, b.call
            ),
            detail: two_rows((&a.input.text, x), (&b.input.text, y), "differs first"),
            calls: vec![a.call.clone(), b.call.clone()],
        })
    })(sheet)
}

/// The plain strings, all short ones over four bytes that matter, and a few long ones.
pub(crate) fn strings() -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = PLAIN.iter().map(|s| s.to_vec()).collect();
    let mut shorter = vec![Vec::new()];
    for _ in 0..3 {
        shorter = shorter
            .iter()
            .flat_map(|s| [0x00, 0x01, b'a', 0xff].map(|byte| [&s[..], &[byte]].concat()))
            .collect();
        all.extend(shorter.clone());
    }
    // Every byte: spaces, capitals and line ends are bytes like others, and the digit is no zero byte.
    all.extend((0..=255).map(|byte| vec![byte]));
    // As hexadecimal digits, these hold 00 and 00ff across the bounds of their bytes.
    all.extend([&b"p\x00"[..], b"p\x01", b"\x10\x0f\xf1"].map(<[u8]>::to_vec));
    all.extend(woven_bytes().flatten());
    all.extend([vec![b'a'; 255], vec![b'a'; 256], vec![b'b'; 257]]);
    for length in LENGTHS {
        let with = |end: &[u8]| [&vec![b'a'; length], end].concat();
        all.extend([with(b""), with(b"\x00b"), with(b"\x00c")]);
    }
    // Two bytes do not hold its length.
    all.push(vec![b'a'; 65_537]);
    let mut seen = HashSet::new();
    all.retain(|string| seen.insert(string.clone()));
    all
}

/// A string as its author would write it.
pub(crate) fn quoted(value: &[u8]) -> Answer {
    let text = match value {
        [first, rest @ ..] if rest.len() >= 32 && rest.iter().all(|byte| byte == first) => {
            format!("[b'{}'; {}]", char::from(*first), value.len())
        }
        _ => format!("b{}", kit::answer::quoted(value)),
    };
    Answer {
        bytes: Some(value.to_vec()),
        ..Answer::text(text)
    }
}

fn quoted_or_none(value: Option<Vec<u8>>) -> Answer {
    value.map_or(Answer::text("None"), |value| {
        let shown = quoted(&value);
        Answer {
            text: format!("Some({})", shown.text),
            ..shown
        }
    })
}

fn classes(value: &[u8]) -> Vec<&'static str> {
    let mut classes = vec![if value.contains(&0) {
        "strings with a zero byte"
    } else {
        "strings without a zero byte"
    }];
    if value.ends_with(&[0]) {
        classes.push("strings that end in a zero byte");
    } else if value.contains(&0) {
        classes.push("strings with bytes after their last zero byte");
    }
    if value.contains(&0xff) {
        classes.push("strings with a byte ff");
    }
    if value.len() > 255 {
        classes.push("strings of more than 255 bytes");
    }
    classes
}

fn encodings() -> PartOf<Escape> {
    let strings = strings();
    let mut sorted = strings.clone();
    sorted.sort();
    let place = |string| sorted.binary_search(string).unwrap_or_default();
    let ranks = strings.iter().map(place).collect();
    let mut part = PartOf::new("encode", "key").ranked(ranks);
    for value in strings {
        let input = quoted(&value);
        part = part.probe(
            format!("encode({})", input.text),
            input,
            &classes(&value),
            move |escape: &Escape| (escape.encode)(&value).show(),
        );
    }
    part
}

fn decodings() -> PartOf<Escape> {
    let mut part = PartOf::new("decode", "string");
    let foreign = FOREIGN.map(|(class, key)| (vec![NO_KEY, class], key.to_vec()));
    let own = strings()
        .into_iter()
        .map(|value| (classes(&value), solutions::escape_bytes::encode(&value)));
    for (classes, key) in own.chain(foreign) {
        let input = quoted(&key);
        part = part.probe(
            format!("decode({})", input.text),
            input,
            &classes,
            move |escape: &Escape| quoted_or_none((escape.decode)(&key)),
        );
    }
    part
}

fn round_trips() -> PartOf<Escape> {
    let mut part = PartOf::new("decode", "string");
    for value in strings() {
        let input = quoted(&value);
        let expected = quoted_or_none(Some(value.clone()));
        part = part
            .probe(
                format!("decode(encode({}))", input.text),
                input,
                &classes(&value),
                move |escape: &Escape| quoted_or_none((escape.decode)(&(escape.encode)(&value))),
            )
            .expect(expected);
    }
    part
}

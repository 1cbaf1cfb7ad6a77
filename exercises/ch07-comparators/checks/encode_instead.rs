//! Keys whose bytes sort as a comparator would sort the texts: any encoding will do.

use std::sync::Arc;

use engine::comparator::{Compare, NumericSuffix};
use kit::answer::quoted_text;
use kit::exercise::Part;
use kit::fields::apart;
use kit::values::{long_texts, ranks};
use kit::{Answer, Cast, Exercise, Judged, Outcome, PartOf, Show as _, check};

use crate::{mistakes, solutions, stubs};
use ch07_comparators::encode_instead as learner;

type Encode = dyn Fn(&str, u64) -> Vec<u8> + Send + Sync;
type Decode = dyn Fn(&[u8]) -> Option<(String, u64)> + Send + Sync;

/// Somebody's two functions.
#[derive(Clone)]
pub(crate) struct Keys {
    pub(crate) encode: Arc<Encode>,
    pub(crate) decode: Arc<Decode>,
}

impl Keys {
    pub(crate) fn new(
        encode: impl Fn(&str, u64) -> Vec<u8> + Send + Sync + 'static,
        decode: impl Fn(&[u8]) -> Option<(String, u64)> + Send + Sync + 'static,
    ) -> Self {
        Self {
            encode: Arc::new(encode),
            decode: Arc::new(decode),
        }
    }
}

/// The names, the plainest first.
const NAMES: [&str; 16] = [
    "item",
    "user",
    "item1",
    "a",
    "ab",
    "",
    "a!",
    "a\0",
    "größe",
    "\u{161}",
    "Item",
    " item",
    "item ",
    "item;",
    "a long name, longer than most buffers are, and one",
    "a long name, longer than most buffers are, and another",
];
/// The numbers, the plainest first.
const NUMBERS: [u64; 18] = [
    1,
    2,
    9,
    10,
    0,
    58,
    255,
    256,
    14_848,
    65_536,
    u32::MAX as u64,
    1 << 32,
    (1 << 53) + 1,
    1 << 53,
    i64::MAX as u64 + 1,
    u64::MAX,
    // The greatest power of two with fifteen hexadecimal digits, and the next one.
    1 << 59,
    1 << 60,
];

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(Keys::new(learner::encode, learner::decode)))
}

/// The exercise with anybody's code in the learner's place.
pub(crate) fn exercise_of(learner: Keys) -> Exercise<Keys> {
    let cast = Cast {
        learner,
        stub: Keys::new(stubs::encode_instead::encode, stubs::encode_instead::decode),
        solution: Keys::new(
            solutions::encode_instead::encode,
            solutions::encode_instead::decode,
        ),
    };
    Exercise::new("encode-instead", "07-comparators", cast)
        .part(encodings())
        .part(decodings())
        .check(check::order(
            "encode",
            "The keys compare, byte by byte, as the comparator compares the texts.",
        ))
        .check(check::answers(
            "decode",
            "round-trip",
            "`decode` gives back what `encode` was given.",
        ))
        .mistakes(mistakes::encode_instead::all())
}

/// Every name with the plainest numbers, and the plainest names with every number; then long names.
pub(crate) fn rows() -> Vec<(&'static str, u64)> {
    let all = NUMBERS.iter().enumerate().flat_map(|(n, &number)| {
        let names = NAMES.iter().enumerate();
        names
            .filter(move |(m, _)| *m < 2 || n < 8)
            .map(move |(m, &name)| (m.max(n), name, number))
    });
    let mut rows: Vec<_> = all.collect();
    rows.sort_by_key(|row| row.0);
    rows.into_iter()
        .map(|(_, name, number)| (name, number))
        .chain(
            [
                "two\nlines",
                "twolines",
                "two lines",
                "\u{c8}",
                "\u{e8}",
                "a\0\0",
                // As bytes the first of these comes first, as code units of 16 bits the second.
                "\u{ff01}",
                "\u{10ffff}",
            ]
            .map(|name| (name, 1)),
        )
        .chain(long_texts().map(|name| (name, 1)))
        // From here on there is one digit more.
        .chain((4..20).flat_map(|digits| {
            let power = 10_u64.pow(digits);
            [("item", power - 1), ("item", power)]
        }))
        .collect()
}

fn text((name, number): (&str, u64)) -> String {
    format!("{name}:{number}")
}

fn shown(row: (&str, u64)) -> String {
    quoted_text(&text(row))
}

fn classes((name, number): (&str, u64)) -> Vec<&'static str> {
    let mut classes = vec![match number {
        0..=9 => "numbers of one digit",
        10..=255 => "greater numbers of one byte",
        256..=0xffff_ffff => "numbers of two to four bytes",
        0x1_0000_0000..=0x7fff_ffff_ffff_ffff => "numbers of more than four bytes",
        _ => "numbers from 2^63 on",
    }];
    if number.to_be_bytes().contains(&b':') {
        classes.push("numbers with the byte 3a");
    }
    if name.is_empty() {
        classes.push("rows without a name");
    }
    classes
}

fn encodings() -> PartOf<Keys> {
    let rows = rows();
    let texts: Vec<String> = rows.iter().map(|&row| text(row)).collect();
    let places = ranks(&texts, |a, b| {
        NumericSuffix.compare(a.as_bytes(), b.as_bytes())
    });
    let mut part = PartOf::new("encode", "key")
        .ranked(places)
        .open()
        .says(fields);
    for row @ (name, number) in rows {
        part = part.probe(
            format!("encode({}, {number})", quoted_text(name)),
            Answer::text(shown(row)),
            &classes(row),
            move |keys: &Keys| (keys.encode)(name, number).show(),
        );
    }
    part
}

/// Which fields are in order, where they alone differ. A name is compared with its colon.
fn fields(part: &Part, outcomes: &[Outcome]) -> Vec<String> {
    let rows = rows();
    let name = |row: &(&str, u64)| format!("{}:", row.0);
    let fields = [
        ("name", ranks(&rows, |a, b| name(a).cmp(&name(b)))),
        ("number", ranks(&rows, |a, b| a.1.cmp(&b.1))),
    ];
    apart(part, outcomes, &fields)
}

fn decodings() -> PartOf<Keys> {
    let mut part = PartOf::new("decode", "row").after("encode");
    let answer = |row: Option<(String, u64)>| {
        Answer::text(row.map_or_else(
            || "None".to_owned(),
            |(name, number)| format!("Some(({}, {number}))", quoted_text(&name)),
        ))
    };
    for row @ (name, number) in rows() {
        part = part
            .probe(
                format!("decode(encode({}, {number}))", quoted_text(name)),
                Answer::text(shown(row)),
                &classes(row),
                move |keys: &Keys| answer((keys.decode)(&(keys.encode)(name, number))),
            )
            .expect(answer(Some((name.to_owned(), number))));
    }
    part
}

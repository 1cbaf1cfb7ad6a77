//! Keys of twenty digits, and back.

use std::cmp::Ordering;

use kit::values::Value;
use kit::values::ranks;
use kit::{Answer, Cast, Codec, Exercise, Judged, PartOf, Show, check, codec};

use crate::{mistakes, solutions, stubs};
use ch06_key_patterns::padded_time as learner;

/// A time that keys are made of. A `u64`, but its classes are digits.
#[derive(Clone, Copy)]
pub(crate) struct Time(pub(crate) u64);

/// Somebody's two functions.
pub(crate) type Padded = Codec<Time>;

pub(crate) fn padded(
    encode: impl Fn(u64) -> Vec<u8> + Send + Sync + 'static,
    decode: impl Fn(&[u8]) -> Option<u64> + Send + Sync + 'static,
) -> Padded {
    Codec::new(move |time: Time| encode(time.0), decode)
}

impl Show for Time {
    fn show(&self) -> Answer {
        self.0.show()
    }
}

impl Value for Time {
    fn probes() -> Vec<Self> {
        let known = [
            1,
            2,
            10,
            9,
            0,
            100,
            99,
            999_999_999_999,
            1_000_000_000_000,
            1_571_819_021_259,
            9_999_999_999_999,
            10_000_000_000_000,
            9_999_999_999_999_999_999,
            10_000_000_000_000_000_000,
        ];
        let mut times: Vec<u64> = known.to_vec();
        times.extend(u64::probes().iter().filter(|time| !known.contains(time)));
        times.into_iter().map(Self).collect()
    }

    fn order(&self, other: &Self) -> Ordering {
        self.0.cmp(&other.0)
    }

    fn classes(&self) -> Vec<&'static str> {
        vec![match self.0.checked_ilog10().unwrap_or(0) + 1 {
            1..=12 => "times of fewer than 13 digits",
            13 => "times of 13 digits",
            14..=19 => "times of 14 to 19 digits",
            _ => "times of 20 digits",
        }]
    }
}

const WIDTH: &str = "keys of another width";
const LETTER: &str = "keys with a byte that is no digit";
const HUGE: &str = "keys above the greatest time";

/// Keys that no time has.
const FOREIGN: [(&str, &[u8]); 36] = [
    (WIDTH, b"10"),
    (WIDTH, b"1"),
    (WIDTH, b""),
    (WIDTH, b"1571819021259"),
    (WIDTH, b"0000000000000000010"),
    (WIDTH, b"000000000000000000010"),
    (WIDTH, b"0000000000000000000000000000000000000010"),
    (WIDTH, b"+10"),
    // In 8 bits their count is 20, and in 16.
    (WIDTH, &[b'0'; 276]),
    (WIDTH, &[b'0'; 65_556]),
    // Twenty digits, and what somebody cuts off before the width is looked at.
    (WIDTH, b" 00000000000000000010"),
    (WIDTH, b"00000000000000000010\n"),
    (WIDTH, b"00000000000000000010\0"),
    (WIDTH, b"+00000000000000000010"),
    (WIDTH, b"0000_0000_0000_0000_0010"),
    (LETTER, b"+0000000000000000010"),
    (LETTER, b"-0000000000000000010"),
    (LETTER, b"                  10"),
    (LETTER, b"10                  "),
    (LETTER, b"0000000000000000001a"),
    (LETTER, b"0000000000000000_010"),
    (LETTER, b"0000000000000000.010"),
    (LETTER, b"000000000000000000\xff0"),
    // A digit in Latin-1, and no text in UTF-8.
    (LETTER, b"000000000000000000\xb20"),
    (LETTER, b"/////////////////:10"),
    // The neighbours of the digits in ASCII, each by itself.
    (LETTER, b"0000000000000000001:"),
    (LETTER, b"0000000000000000001/"),
    // The one number that is the same with this sign.
    (LETTER, b"-0000000000000000000"),
    (LETTER, b"0000000000000000010\n"),
    // Digits of another script: twenty bytes, then twenty letters. The last is twenty letters too, of several bytes.
    (LETTER, "٠٠٠٠٠٠٠٠١٠".as_bytes()),
    (LETTER, "٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠١٠".as_bytes()),
    (LETTER, "000000000000000000²0".as_bytes()),
    (HUGE, b"18446744073709551616"),
    (HUGE, b"20000000000000000000"),
    // In 64 bits a sum that wraps is most often less than before its last digit. Not this one.
    (HUGE, b"30000000000000000000"),
    (HUGE, b"99999999999999999999"),
];

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(padded(learner::encode, learner::decode)))
}

/// The exercise with anybody's code in the learner's place.
pub(crate) fn exercise_of(learner: Padded) -> Exercise<Padded> {
    let right = solutions::padded_time::encode;
    let cast = Cast {
        learner,
        stub: padded(stubs::padded_time::encode, stubs::padded_time::decode),
        solution: padded(right, solutions::padded_time::decode),
    };
    Exercise::new("padded-time", "06-key-patterns", cast)
        .part(encodings())
        .decoder(
            decodings(),
            codec::round_trip_part::<Time>(|time| Some(time.0).show()),
        )
        .check(check::order("encode", "Keys compare as the times do."))
        .check(check::length("encode", 20))
        .check(check::answers(
            "encode",
            "digits",
            "A key is the time in decimal, with zeros in front.",
        ))
        .check(check::answers(
            "decode",
            "round-trip",
            "A key gives its time back, and what is no key gives `None`.",
        ))
        .mistakes(mistakes::padded_time::all())
}

/// A key as people read it.
fn shown(key: &[u8]) -> Answer {
    let text = match key {
        [digit, ..] if key.len() > 100 => {
            format!("{} times b'{}'", key.len(), digit.escape_ascii())
        }
        _ => format!("b\"{}\"", key.escape_ascii()),
    };
    Answer { text, ..key.show() }
}

fn encodings() -> PartOf<Padded> {
    let times = Time::probes();
    let mut part = PartOf::new("encode", "key").ranked(ranks(&times, Time::order));
    for time in times {
        part = part.probe(
            format!("encode({})", time.0),
            time.show(),
            &time.classes(),
            move |padded: &Padded| shown(&padded.encode(time)),
        );
    }
    part
}

fn decodings() -> PartOf<Padded> {
    let own = Time::probes().into_iter().map(|time| {
        let key = solutions::padded_time::encode(time.0);
        (time.classes(), key)
    });
    let foreign = FOREIGN.map(|(class, key)| (vec![class], key.to_vec()));
    let mut part = PartOf::new("decode", "number");
    for (classes, key) in own.chain(foreign) {
        let input = shown(&key);
        let ask = move |padded: &Padded| padded.decode(&key);
        part = part.probe(format!("decode({})", input.text), input, &classes, ask);
    }
    part
}

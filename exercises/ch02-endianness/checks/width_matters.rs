//! Numbers of three types in one key space. Any bytes that sort are right.

use std::collections::HashSet;
use std::sync::Arc;

use kit::values::{Value as _, bit_by_bit, ranks};
use kit::{Answer, Cast, Exercise, Judged, PartOf, Show as _, check};

use crate::{mistakes, solutions, stubs};
use ch02_endianness::width_matters as learner;

/// A number of one of the three types.
#[derive(Clone, Copy)]
pub(crate) enum Number {
    U8(u8),
    U16(u16),
    U32(u32),
}

impl Number {
    pub(crate) fn value(self) -> u32 {
        match self {
            Self::U8(value) => value.into(),
            Self::U16(value) => value.into(),
            Self::U32(value) => value,
        }
    }
}

/// Somebody's `encode`.
pub(crate) type Encode = Arc<dyn Fn(Number) -> Vec<u8> + Send + Sync>;

/// A module's `encode`, which has an enum of its own.
macro_rules! encode_of {
    ($($module:ident)::+) => {
        Arc::new(|number| {
            use $($module)::+::{Number as Theirs, encode};
            encode(match number {
                Number::U8(value) => Theirs::U8(value),
                Number::U16(value) => Theirs::U16(value),
                Number::U32(value) => Theirs::U32(value),
            })
        })
    };
}

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(encode_of!(learner)))
}

/// The exercise with anybody's code in the learner's place.
pub(crate) fn exercise_of(learner: Encode) -> Exercise<Encode> {
    let cast: Cast<Encode> = Cast {
        learner,
        stub: encode_of!(stubs::width_matters),
        solution: encode_of!(solutions::width_matters),
    };
    Exercise::new("width-matters", "02-endianness", cast)
        .part(encodings())
        .check(check::order(
            "encode",
            "Keys compare as the values do, and equal values have equal keys.",
        ))
        .mistakes(mistakes::width_matters::all())
}

/// Every value in each type that holds it. 5 and 256 come first: two widths, two values.
fn numbers() -> Vec<Number> {
    let first = [Number::U8(5), Number::U16(256), Number::U32(7)];
    let mut numbers = first.to_vec();
    // Where the shortest form of SQLite's numbers grows by a byte: an end is soon one too far.
    let grown = [2287, 2288, 67_823, 67_824];
    // Whose key is cut or special at a limit of its type may be a neighbour's beginning.
    let limits = [65_534, u32::MAX - 1, u32::MAX - 255];
    // One digit more. Around 1000, the numbers are there.
    let digits = (4..10).map(|digits| 10_u32.pow(digits));
    let digits = digits.flat_map(|limit| [limit - 1, limit]);
    let bits = bit_by_bit(u32::MAX.into()).into_iter();
    let bits = bits.filter_map(|value| u32::try_from(value).ok());
    let values = u32::probes().into_iter().chain(grown).chain(limits);
    let mut seen = HashSet::new();
    for value in values
        .chain(digits)
        .chain(bits)
        .filter(|value| seen.insert(*value))
    {
        let in_each = [
            u8::try_from(value).map(Number::U8).ok(),
            u16::try_from(value).map(Number::U16).ok(),
            Some(Number::U32(value)),
        ];
        let new = in_each
            .into_iter()
            .flatten()
            .filter(|number| !first.iter().any(|f| text(*f) == text(*number)));
        numbers.extend(new);
    }
    numbers
}

/// The number as Rust writes it, with its type.
fn text(number: Number) -> String {
    let (value, bits) = (number.value(), 8 * width(number));
    format!("{value}_u{bits}")
}

/// How many bytes the number's type has.
pub(crate) fn width(number: Number) -> usize {
    match number {
        Number::U8(_) => 1,
        Number::U16(_) => 2,
        Number::U32(_) => 4,
    }
}

fn encodings() -> PartOf<Encode> {
    let numbers = numbers();
    let places = ranks(&numbers, |a, b| a.value().cmp(&b.value()));
    let mut part = PartOf::new("encode", "key").open().ranked(places);
    for number in numbers {
        let (class, name) = match number {
            Number::U8(_) => ("`u8` numbers", "U8"),
            Number::U16(_) => ("`u16` numbers", "U16"),
            Number::U32(_) => ("`u32` numbers", "U32"),
        };
        part = part.probe(
            format!("encode({name}({}))", number.value()),
            Answer {
                text: text(number),
                ..number.value().show()
            },
            &["numbers", class],
            move |encode: &Encode| encode(number).show(),
        );
    }
    part
}

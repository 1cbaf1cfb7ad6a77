//! Keys for numbers: the total order with one zero and without NaNs.

use std::sync::Arc;

use kit::check::has_key;
use kit::values::{Value as _, ranks};
use kit::{Cast, Exercise, Judged, PartOf, Show as _, check};

use crate::{mistakes, solutions, stubs};
use ch04_ieee_754::numeric_f64 as learner;

/// Somebody's two functions.
#[derive(Clone)]
pub(crate) struct Numeric {
    pub(crate) encode: Arc<dyn Fn(f64) -> Option<[u8; 8]> + Send + Sync>,
    pub(crate) decode: Arc<dyn Fn([u8; 8]) -> Option<f64> + Send + Sync>,
}

impl Numeric {
    pub(crate) fn new(
        encode: impl Fn(f64) -> Option<[u8; 8]> + Send + Sync + 'static,
        decode: impl Fn([u8; 8]) -> Option<f64> + Send + Sync + 'static,
    ) -> Self {
        Self {
            encode: Arc::new(encode),
            decode: Arc::new(decode),
        }
    }
}

/// Keys that the total order gives to what is no number of its own.
const FOREIGN: [(&str, [u8; 8]); 13] = [
    (MINUS_ZERO, [0x7f, 255, 255, 255, 255, 255, 255, 255]),
    (NAN, [0xff, 0xf8, 0, 0, 0, 0, 0, 0]),
    (NAN, [0xff, 0xf0, 0, 0, 0, 0, 0, 1]),
    (NAN, [0xff, 0xf8, 0, 0, 0, 0, 0, 1]),
    // Neither the first nor a late bit tells that it is none of the infinities.
    (NAN, [0xff, 0xf0, 1, 0, 0, 0, 0, 0]),
    (NAN_WITH_SIGN, [0x00, 0x0f, 254, 255, 255, 255, 255, 255]),
    (NAN, [0xff, 0xff, 255, 255, 255, 255, 255, 254]),
    (NAN, [0xff, 0xff, 255, 255, 255, 255, 255, 255]),
    (NAN_WITH_SIGN, [0x00, 0x07, 255, 255, 255, 255, 255, 255]),
    (NAN_WITH_SIGN, [0x00, 0x0f, 255, 255, 255, 255, 255, 254]),
    (NAN_WITH_SIGN, [0x00, 0x07, 255, 255, 255, 255, 255, 254]),
    (NAN_WITH_SIGN, [0, 0, 0, 0, 0, 0, 0, 1]),
    (NAN_WITH_SIGN, [0, 0, 0, 0, 0, 0, 0, 0]),
];
/// NaNs that only a bit in the middle tells from the infinities.
const MIDDLE_NANS: [u64; 2] = [0x7ff0_0100_0000_0000, 0xfff0_0100_0000_0000];
const NO_NUMBER: &str = "keys that no number has";
const MINUS_ZERO: &str = "keys of -0.0 alone";
const NAN: &str = "keys of NaNs without the sign bit";
const NAN_WITH_SIGN: &str = "keys of NaNs with the sign bit";

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(Numeric::new(learner::encode, learner::decode)))
}

/// The exercise with anybody's code in the learner's place.
pub(crate) fn exercise_of(learner: Numeric) -> Exercise<Numeric> {
    let cast = Cast {
        learner,
        stub: Numeric::new(stubs::numeric_f64::encode, stubs::numeric_f64::decode),
        solution: Numeric::new(
            solutions::numeric_f64::encode,
            solutions::numeric_f64::decode,
        ),
    };
    Exercise::new("numeric-f64", "04-ieee-754", cast)
        .rests_on("order-f64")
        .part(encodings())
        .decoder(decodings(), round_trips())
        .check(check::order(
            "encode",
            "Keys compare as their numbers do, and equal numbers have equal keys.",
        ))
        .check(check::answers_where(
            "encode",
            "refusal",
            "What is not a number has no key.",
            |part, probe| !has_key(part, probe),
        ))
        .check(check::answers_where(
            "encode",
            "bytes",
            "A number has the key of the total order, and both zeros that of 0.0.",
            has_key,
        ))
        .check(check::answers(
            "decode",
            "round-trip",
            "A key gives its number back, and a key that no number has gives `None`.",
        ))
        .mistakes(mistakes::numeric_f64::all())
}

fn encodings() -> PartOf<Numeric> {
    let mut values = f64::probes();
    values.extend(MIDDLE_NANS.map(f64::from_bits));
    // NaNs come last here, all in one place; they have no key to compare.
    let places = ranks(&values, |a, b| match (a.is_nan(), b.is_nan()) {
        (false, false) => (a + 0.0).total_cmp(&(b + 0.0)),
        (a, b) => a.cmp(&b),
    });
    let mut part = PartOf::new("encode", "key").ranked(places);
    for value in values {
        part = part.probe(
            format!("encode({})", value.show().text),
            value.show(),
            &value.classes(),
            move |numeric: &Numeric| (numeric.encode)(value).show(),
        );
    }
    part
}

/// The numbers, the zeros as one.
fn numbers() -> impl Iterator<Item = f64> {
    let minus_zero = (-0.0_f64).to_bits();
    f64::probes()
        .into_iter()
        .filter(move |value| !value.is_nan() && value.to_bits() != minus_zero)
}

fn decodings() -> PartOf<Numeric> {
    let mut part = PartOf::new("decode", "number");
    let foreign = FOREIGN.map(|(class, key)| (vec![NO_NUMBER, class], key));
    let own = numbers().filter_map(|value| {
        let key = solutions::numeric_f64::encode(value)?;
        Some((value.classes(), key))
    });
    for (classes, key) in own.chain(foreign) {
        part = part.probe(
            format!("decode({})", key.show().text),
            key.show(),
            &classes,
            move |numeric: &Numeric| (numeric.decode)(key).show(),
        );
    }
    part
}

fn round_trips() -> PartOf<Numeric> {
    let mut part = PartOf::new("decode", "number");
    for value in numbers() {
        let trip = move |numeric: &Numeric| match (numeric.encode)(value) {
            // A zero is a zero, and a number without a key is not this function's fault.
            Some(key) => (numeric.decode)(key).map(|read| read + 0.0).show(),
            None => Some(value).show(),
        };
        part = part
            .probe(
                format!("decode(encode({}))", value.show().text),
                value.show(),
                &value.classes(),
                trip,
            )
            .expect(Some(value).show());
    }
    part
}

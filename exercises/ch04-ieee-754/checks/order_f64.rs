//! Keys for `f64` in total order: the order forces the bytes, so there is one right key for each pattern.

use kit::{Cast, Codec, Exercise, Judged, Show as _, check, codec};

use crate::{mistakes, solutions, stubs};
use ch04_ieee_754::order_f64 as learner;

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(Codec::fixed(learner::encode, learner::decode)))
}

/// The exercise with anybody's code in the learner's place.
pub(crate) fn exercise_of(learner: Codec<f64>) -> Exercise<Codec<f64>> {
    let right = solutions::order_f64::encode;
    let cast = Cast {
        learner,
        stub: Codec::fixed(stubs::order_f64::encode, stubs::order_f64::decode),
        solution: Codec::fixed(right, solutions::order_f64::decode),
    };
    Exercise::new("order-f64", "04-ieee-754", cast)
        .part(codec::encode_part::<f64>())
        .decoder(
            codec::decode_part::<f64>(move |value| right(value).to_vec(), &[]),
            codec::round_trip_part::<f64>(|value| value.show()),
        )
        .check(check::order(
            "encode",
            "Keys compare as `total_cmp` compares the values.",
        ))
        .check(check::answers(
            "encode",
            "bytes",
            "There is just one right key for each value.",
        ))
        .check(check::answers(
            "decode",
            "round-trip",
            "A right key gives its value back, bit for bit.",
        ))
        .mistakes(mistakes::order_f64::all())
}

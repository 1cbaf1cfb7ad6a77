//! Keys for `i64`: the order forces the bytes, so there is one right key for each value.

use kit::{Cast, Codec, Exercise, Judged, Show as _, check, codec};

use crate::{mistakes, solutions, stubs};
use ch03_twos_complement::order_i64 as learner;

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(Codec::fixed(learner::encode, learner::decode)))
}

/// The exercise with anybody's code in the learner's place.
pub(crate) fn exercise_of(learner: Codec<i64>) -> Exercise<Codec<i64>> {
    let solution = Codec::fixed(solutions::order_i64::encode, solutions::order_i64::decode);
    let right = solution.clone();
    Exercise::new(
        "order-i64",
        "03-twos-complement",
        Cast {
            learner,
            stub: Codec::fixed(stubs::order_i64::encode, stubs::order_i64::decode),
            solution,
        },
    )
    .part(codec::encode_part::<i64>())
    .decoder(
        codec::decode_part::<i64>(move |value| right.encode(value), &[]),
        codec::round_trip_part::<i64>(|value| value.show()),
    )
    .check(check::order("encode", "Keys compare as their numbers do."))
    .check(check::answers(
        "encode",
        "bytes",
        "There is just one right key for each number.",
    ))
    .check(check::answers(
        "decode",
        "round-trip",
        "A right key gives its number back.",
    ))
    .mistakes(mistakes::order_i64::all())
}

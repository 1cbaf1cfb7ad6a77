//! Keys for `u32`: the order forces the bytes, so there is one right key for each value.

use kit::{Cast, Codec, Exercise, Judged, Show as _, check, codec};

use crate::{mistakes, solutions, stubs};
use ch02_endianness::big_endian_u32 as learner;

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(Codec::fixed(learner::encode, learner::decode)))
}

/// The exercise with anybody's code in the learner's place.
pub(crate) fn exercise_of(learner: Codec<u32>) -> Exercise<Codec<u32>> {
    let right = solutions::big_endian_u32::encode;
    let cast = Cast {
        learner,
        stub: Codec::fixed(stubs::big_endian_u32::encode, stubs::big_endian_u32::decode),
        solution: Codec::fixed(right, solutions::big_endian_u32::decode),
    };
    Exercise::new("big-endian-u32", "02-endianness", cast)
        .part(codec::encode_part::<u32>())
        .decoder(
            codec::decode_part::<u32>(move |value| right(value).to_vec(), &[]),
            codec::round_trip_part::<u32>(|value| value.show()),
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
        .mistakes(mistakes::big_endian_u32::all())
}

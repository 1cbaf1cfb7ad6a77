//! LedisDB's nine bytes: the order is the reason, and the exact bytes are the format.

use kit::{Cast, Codec, Exercise, Judged, Show as _, check, codec};

use crate::{mistakes, solutions, stubs};
use ch03_twos_complement::nine_bytes as learner;

/// Rows that no encoder writes.
const FOREIGN: [(&str, &[u8]); 25] = [
    (SHORT, &[]),
    (SHORT, b"="),
    (SHORT, b"<"),
    (SHORT, &[0x3d, 0, 0, 0, 0, 0, 0, 0]),
    (LONG, &[0x3d, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    (LONG, &[0x3c, 255, 255, 255, 255, 255, 255, 255, 255, 97]),
    // Two rows behind each other, and as many bytes as look like nine when one byte counts them, or two.
    (
        LONG,
        &[0x3d, 0, 0, 0, 0, 0, 0, 0, 1, 0x3d, 0, 0, 0, 0, 0, 0, 0, 2],
    ),
    (LONG, &zeros_after_the_marker::<{ (1 << 8) + 9 }>()),
    (LONG, &zeros_after_the_marker::<{ (1 << 16) + 9 }>()),
    (MARKER, &[0x3e, 0, 0, 0, 0, 0, 0, 0, 1]),
    (MARKER, &[0x2d, 255, 255, 255, 255, 255, 255, 255, 255]),
    (MARKER, &[0, 0, 0, 0, 0, 0, 0, 0, 0]),
    // One bit away from a marker.
    (MARKER, &[0x3f, 0, 0, 0, 0, 0, 0, 0, 1]),
    (MARKER, &[0x39, 0, 0, 0, 0, 0, 0, 0, 1]),
    (MARKER, &[0x35, 0, 0, 0, 0, 0, 0, 0, 1]),
    (MARKER, &[0x2d, 0, 0, 0, 0, 0, 0, 0, 1]),
    (MARKER, &[0x1d, 0, 0, 0, 0, 0, 0, 0, 1]),
    (MARKER, &[0x7d, 0, 0, 0, 0, 0, 0, 0, 1]),
    (MARKER, &[0xbd, 0, 0, 0, 0, 0, 0, 0, 1]),
    (MARKER, &[0xbc, 255, 255, 255, 255, 255, 255, 255, 255]),
    (CONTRADICTION, &[0x3c, 0, 0, 0, 0, 0, 0, 0, 0]),
    (CONTRADICTION, &[0x3c, 0, 0, 0, 0, 0, 0, 0, 1]),
    (
        CONTRADICTION,
        &[0x3d, 255, 255, 255, 255, 255, 255, 255, 255],
    ),
    // The sign is one bit, and the seven after it may be any.
    (
        CONTRADICTION,
        &[0x3c, 127, 255, 255, 255, 255, 255, 255, 255],
    ),
    (CONTRADICTION, &[0x3d, 128, 0, 0, 0, 0, 0, 0, 0]),
];
const SHORT: &str = "rows that are too short";
const LONG: &str = "rows that are too long";
const MARKER: &str = "rows with another marker";
const CONTRADICTION: &str = "rows whose marker contradicts the number";

const fn zeros_after_the_marker<const LENGTH: usize>() -> [u8; LENGTH] {
    let mut row = [0; LENGTH];
    row[0] = 0x3d;
    row
}

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(Codec::new(learner::encode, learner::decode)))
}

/// The exercise with anybody's code in the learner's place.
pub(crate) fn exercise_of(learner: Codec<i64>) -> Exercise<Codec<i64>> {
    let right = solutions::nine_bytes::encode;
    let cast = Cast {
        learner,
        stub: Codec::new(stubs::nine_bytes::encode, stubs::nine_bytes::decode),
        solution: Codec::new(right, solutions::nine_bytes::decode),
    };
    Exercise::new("nine-bytes", "03-twos-complement", cast)
        .part(codec::encode_part::<i64>())
        .decoder(
            codec::decode_part::<i64>(move |value| right(value).to_vec(), &FOREIGN),
            codec::round_trip_part::<i64>(|value| Some(value).show()),
        )
        .check(check::order("encode", "Keys compare as their numbers do."))
        .check(check::answers(
            "encode",
            "bytes",
            "The bytes are LedisDB's.",
        ))
        .check(check::answers(
            "decode",
            "round-trip",
            "A key gives its number back, and everything else is refused.",
        ))
        .mistakes(mistakes::nine_bytes::all())
}

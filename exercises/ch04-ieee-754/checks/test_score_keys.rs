//! Tests of keys for scores, tried on right keys and on wrong ones.

use kit::tester::{Written, watch, watch_decode};
use kit::{Candidates, Cast, Exercise, Judged, Show, Tester, Wrong};

use crate::{mistakes, solutions, stubs};
use ch04_ieee_754::test_score_keys as learner;

/// Somebody's pair of functions.
#[derive(Clone, Copy)]
pub(crate) struct Keys {
    encode: fn(f64) -> Option<Vec<u8>>,
    decode: fn(&[u8]) -> f64,
}

const SIGN_BIT: u64 = 1 << 63;

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(tester(learner::test)))
}

/// A function of the learner's type, as a tester.
pub(crate) fn tester(
    test: impl Fn(&dyn Fn(f64) -> Option<Vec<u8>>, &dyn Fn(&[u8]) -> f64) + Send + Sync + 'static,
) -> Tester<Keys> {
    Tester::new(move |keys: &Keys| {
        let written = Written::default();
        let encode = |number: f64| {
            let call = move || format!("encode({})", number.show().text);
            let key = watch(call, || (keys.encode)(number), Show::show);
            if let Some(key) = &key {
                written.remember(key);
            }
            key
        };
        let decode = |key: &[u8]| {
            written.expect(key, "decode", "encode");
            (keys.decode)(key)
        };
        test(&encode, &|key| watch_decode(decode, key));
    })
}

/// The exercise with anybody's test in the learner's place.
pub(crate) fn exercise_of(learner: Tester<Keys>) -> Exercise<Tester<Keys>> {
    let cast = Cast {
        learner,
        stub: tester(stubs::test_score_keys::test),
        solution: tester(solutions::test_score_keys::test),
    };
    Exercise::new("test-score-keys", "04-ieee-754", cast)
        .tester("test", |test| test, candidates())
        .mistakes(mistakes::test_score_keys::all())
}

fn candidates() -> Candidates<Keys> {
    let mut all = Candidates::new("encoder")
        .right(
            "by_the_sign_bit",
            "It makes 0.0 of -0.0, inverts all bits if the sign bit is set, and flips the sign bit otherwise.",
            Keys { encode, decode },
        )
        .right(
            "by_the_value",
            "It refuses NaN, then inverts all bits below zero, and sets the first bit otherwise. Both zeros come back as -0.0.",
            Keys {
                encode: |v| {
                    let bits = v.to_bits();
                    let key = if v >= 0.0 { bits | SIGN_BIT } else { !bits };
                    (!v.is_nan()).then(|| bytes(key))
                },
                decode: |key| match decode(key) {
                    0.0 => -0.0,
                    number => number,
                },
            },
        )
        .right(
            "marker_in_front",
            "It writes 00 or 01 for the sign, then the magnitude, inverted below zero, without the zero bytes at its end.",
            Keys {
                encode: |v| {
                    let (sign, magnitude) = (v < 0.0, v.abs().to_bits());
                    let rest = if sign { !magnitude } else { magnitude };
                    let zeros = rest.trailing_zeros() as usize / 8;
                    (!v.is_nan())
                        .then(|| [&[u8::from(!sign)], &bytes(rest)[..8 - zeros]].concat())
                },
                decode: |key| match number(&[&key[1..], &[0; 8]].concat()[..8]) {
                    rest if key[0] == 0 => -f64::from_bits(!rest),
                    rest => f64::from_bits(rest),
                },
            },
        );
    let wrong = wrong_halves().into_iter().chain(wrong_corners());
    for wrong in wrong.chain(wrong_values()).chain(wrong_decoders()) {
        all = all.wrong(wrong);
    }
    all
}

fn bytes(bits: u64) -> Vec<u8> {
    bits.to_be_bytes().to_vec()
}

/// Eight bytes, the highest first, as a number.
fn number(key: &[u8]) -> u64 {
    key.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

/// The total order: every pattern has a key.
fn total(v: f64) -> u64 {
    let bits = v.to_bits();
    if bits & SIGN_BIT == 0 {
        bits | SIGN_BIT
    } else {
        !bits
    }
}

fn encode(v: f64) -> Option<Vec<u8>> {
    (!v.is_nan()).then(|| bytes(total(v + 0.0)))
}

fn decode(key: &[u8]) -> f64 {
    let key = number(key);
    let bits = if key & SIGN_BIT == 0 {
        !key
    } else {
        key ^ SIGN_BIT
    };
    f64::from_bits(bits)
}

/// A number without a NaN to think of: the key of its bits.
fn made(v: f64, key: u64) -> Option<Vec<u8>> {
    (!v.is_nan()).then(|| bytes(key))
}

fn before(keys: &Keys, a: f64, b: f64) -> bool {
    match ((keys.encode)(a), (keys.encode)(b)) {
        (Some(a), Some(b)) => a < b,
        _ => false,
    }
}

#[expect(clippy::float_cmp, reason = "a round trip is exact")]
fn returns(keys: &Keys, number: f64) -> bool {
    (keys.encode)(number).is_some_and(|key| (keys.decode)(&key) == number)
}

/// Halves in the wrong place, or backwards.
fn wrong_halves() -> Vec<Wrong<Keys>> {
    let wrong = |name, encode, decode| Wrong::new(name, Keys { encode, decode });
    vec![
        wrong(
            "plain_bits",
            |v| made(v, (v + 0.0).to_bits()),
            |key| f64::from_bits(number(key)),
        )
        .says("It writes the bits as they are.")
        .shows("between a number below zero and any other", |keys| {
            before(keys, -1.0, 1.0)
        }),
        wrong(
            "sign_bit_flipped",
            |v| made(v, (v + 0.0).to_bits() ^ SIGN_BIT),
            |key| f64::from_bits(number(key) ^ SIGN_BIT),
        )
        .says("It flips the sign bit, as is right for integers.")
        .shows("among the numbers below zero", |keys| {
            before(keys, -2.0, -1.0)
        }),
        wrong(
            "every_bit_inverted",
            |v| made(v, !(v + 0.0).to_bits()),
            |key| f64::from_bits(!number(key)),
        )
        .says("It inverts every bit of every number.")
        .shows("among the numbers above zero", |keys| {
            before(keys, 1.0, 2.0)
        }),
        wrong(
            "lowest_byte_first",
            |v| made(v, total(v + 0.0).swap_bytes()),
            |key| decode(&bytes(number(key).swap_bytes())),
        )
        .says("It finds the right bits and writes the lowest byte first.")
        .shows("between most numbers", |keys| before(keys, 1.1, 2.0)),
    ]
}

/// Zeros, infinities, subnormal numbers, NaNs.
fn wrong_corners() -> Vec<Wrong<Keys>> {
    let wrong = |name, encode| Wrong::new(name, Keys { encode, decode });
    vec![
        wrong("zeros_apart", |v| made(v, total(v)))
            .says("It gives each bit pattern a key of its own.")
            .shows("between numbers that are equal", |keys| {
                (keys.encode)(-0.0) == (keys.encode)(0.0)
            }),
        wrong("minus_zero_below_all", |v| {
            let bits = v.to_bits();
            made(v, if v < 0.0 { !bits } else { bits ^ SIGN_BIT })
        })
        .says("It tests `v < 0.0`, and flips the sign bit where that is false.")
        .shows("at zero", |keys| before(keys, -1.0, -0.0)),
        wrong("nan_accepted", |v| {
            let bits = v.to_bits();
            Some(bytes(if v >= 0.0 { bits | SIGN_BIT } else { !bits }))
        })
        .says("It tests `v >= 0.0` and refuses nothing, as QDB does.")
        .shows("with what is not a number", |keys| {
            (keys.encode)(f64::NAN).is_none()
        }),
        wrong("one_nan_refused", |v| {
            (v.to_bits() != f64::NAN.to_bits()).then(|| bytes(total(v + 0.0)))
        })
        .says("It refuses the bits of `f64::NAN`.")
        .shows("with what is not a number and has other bits", |keys| {
            (keys.encode)(-f64::NAN).is_none()
        }),
        wrong("infinities_refused", |v| {
            v.is_finite().then(|| bytes(total(v + 0.0)))
        })
        .says("It refuses what is not finite.")
        .shows("at the ends of the numbers", |keys| {
            (keys.encode)(f64::INFINITY).is_some()
        }),
        wrong("infinity_as_the_largest", |v| {
            made(v, total(v.clamp(f64::MIN, f64::MAX) + 0.0))
        })
        .says("It takes an infinity for the largest number.")
        .shows("at the ends of the numbers", |keys| {
            before(keys, f64::MAX, f64::INFINITY)
        }),
        wrong("subnormals_lost", |v| {
            made(v, total(if v.is_subnormal() { 0.0 } else { v + 0.0 }))
        })
        .says("It takes a subnormal number for zero, as some processors do when asked to be fast.")
        .shows("close to zero", |keys| before(keys, 0.0, f64::from_bits(1))),
    ]
}

/// The number is made another one before it is written.
fn wrong_values() -> Vec<Wrong<Keys>> {
    let wrong = |name, encode, decode| Wrong::new(name, Keys { encode, decode });
    vec![
        wrong(
            "narrowed_to_f32",
            |v| made(v, total(narrow(v) + 0.0)),
            decode,
        )
        .says("It holds the number in a float of 32 bits.")
        .shows("between numbers with many digits", |keys| {
            before(keys, 0.3, 0.1 + 0.2)
        }),
        wrong(
            "thousandths",
            #[expect(clippy::cast_possible_truncation, reason = "this is the mistake")]
            |v| made(v, (v * 1000.0).round() as i64 as u64 ^ SIGN_BIT),
            #[expect(clippy::cast_precision_loss, reason = "this is the mistake")]
            |key| (number(key) ^ SIGN_BIT).cast_signed() as f64 / 1000.0,
        )
        .says("It writes thousandths as an integer.")
        .shows(
            "between numbers that differ by less than a thousandth",
            |keys| before(keys, 0.0001, 0.0002),
        ),
        wrong(
            "whole_numbers",
            #[expect(clippy::cast_possible_truncation, reason = "this is the mistake")]
            |v| made(v, v as i64 as u64 ^ SIGN_BIT),
            #[expect(clippy::cast_precision_loss, reason = "this is the mistake")]
            |key| (number(key) ^ SIGN_BIT).cast_signed() as f64,
        )
        .says("It cuts the fraction off.")
        .shows("between numbers with the same whole part", |keys| {
            before(keys, 1.0, 1.5)
        }),
    ]
}

#[expect(clippy::cast_possible_truncation, reason = "this is the mistake")]
fn narrow(v: f64) -> f64 {
    f64::from(v as f32)
}

/// The keys are right, and what is read from them is not.
fn wrong_decoders() -> Vec<Wrong<Keys>> {
    let wrong = |name, decode| Wrong::new(name, Keys { encode, decode });
    vec![
        wrong("decode_loses_the_sign", |key| decode(key).abs())
            .says("Its keys are right. Its `decode` loses the sign.")
            .shows("when a number below zero is read back", |keys| {
                returns(keys, -1.0)
            }),
        wrong("decode_narrowed", |key| narrow(decode(key)))
            .says("Its keys are right. Its `decode` returns a float of 32 bits.")
            .shows("when a number with many digits is read back", |keys| {
                returns(keys, 0.1)
            }),
    ]
}

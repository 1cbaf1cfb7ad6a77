//! Tests of `i64` keys, tried on right keys and on wrong ones.

use kit::tester::{Written, watch, watch_decode};
use kit::{Candidates, Cast, Exercise, Judged, Show, Tester, Wrong};

use crate::{mistakes, solutions, stubs};
use ch03_twos_complement::test_i64_keys as learner;

/// Somebody's pair of functions.
#[derive(Clone, Copy)]
pub(crate) struct Keys {
    pub(crate) encode: fn(i64) -> Vec<u8>,
    pub(crate) decode: fn(&[u8]) -> i64,
}

const SIGN_BIT: u64 = 1 << 63;

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(tester(learner::test)))
}

/// A function of the learner's type, as a tester.
pub(crate) fn tester(
    test: impl Fn(&dyn Fn(i64) -> Vec<u8>, &dyn Fn(&[u8]) -> i64) + Send + Sync + 'static,
) -> Tester<Keys> {
    Tester::new(move |keys: &Keys| {
        let written = Written::default();
        let encode = |number: i64| {
            let call = move || format!("encode({number})");
            let key = watch(call, || (keys.encode)(number), Show::show);
            written.remember(&key);
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
        stub: tester(stubs::test_i64_keys::test),
        solution: tester(solutions::test_i64_keys::test),
    };
    Exercise::new("test-i64-keys", "03-twos-complement", cast)
        .tester("test", |test| test, candidates())
        .mistakes(mistakes::test_i64_keys::all())
}

fn candidates() -> Candidates<Keys> {
    let mut all = Candidates::new("encoder")
        .right(
            "sign_bit_flipped",
            "It flips the sign bit and writes eight bytes, the highest first.",
            Keys {
                encode: |n| flipped(n).to_be_bytes().to_vec(),
                decode: |key| unflipped(number(key)),
            },
        )
        .right(
            "marker_in_front",
            "It writes nine bytes: 3c before negative numbers, 3d before others, then the number's own bytes, the \
             highest first.",
            Keys {
                encode: |n| {
                    let marker = if n < 0 { 0x3c } else { 0x3d };
                    [&[marker][..], &n.to_be_bytes()].concat()
                },
                decode: |key| number(&key[1..]).cast_signed(),
            },
        )
        .right(
            "counted_digits",
            "It writes `+`, the number of digits and the digits. Below zero it writes `!`, and each digit, also \
             of their number, is taken from 9.",
            Keys {
                encode: |n| {
                    let digits = n.unsigned_abs().to_string();
                    let counted = format!("{:02}{digits}", digits.len()).into_bytes();
                    if n < 0 {
                        [&b"!"[..], &from_nine(&counted)].concat()
                    } else {
                        [&b"+"[..], &counted].concat()
                    }
                },
                decode: |key| {
                    let number = |digits: &[u8]| {
                        let digits = digits.iter().map(|digit| u64::from(digit - b'0'));
                        digits.fold(0, |sum, digit| 10 * sum + digit).cast_signed()
                    };
                    if key[0] == b'!' {
                        number(&from_nine(&key[3..])).wrapping_neg()
                    } else {
                        number(&key[3..])
                    }
                },
            },
        );
    for wrong in wrong_bytes().into_iter().chain(wrong_numbers()) {
        all = all.wrong(wrong);
    }
    all
}

/// Eight bytes, the highest first, as a number.
fn number(key: &[u8]) -> u64 {
    key.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

/// Each digit's distance from 9.
fn from_nine(digits: &[u8]) -> Vec<u8> {
    digits.iter().map(|digit| b'0' + b'9' - digit).collect()
}

fn flipped(number: i64) -> u64 {
    number.cast_unsigned() ^ SIGN_BIT
}

fn unflipped(bits: u64) -> i64 {
    (bits ^ SIGN_BIT).cast_signed()
}

/// The bytes are in a wrong order, or hold the wrong bits.
fn wrong_bytes() -> Vec<Wrong<Keys>> {
    vec![
        Wrong::new(
            "sign_bit_not_flipped",
            Keys {
                encode: |n| n.to_be_bytes().to_vec(),
                decode: |key| number(key).cast_signed(),
            },
        )
        .says("It writes the number's own bytes, the highest first.")
        .shows("between a negative number and any other", |keys| {
            (keys.encode)(-1) < (keys.encode)(0)
        }),
        Wrong::new(
            "sorted_by_distance",
            Keys {
                encode: |n| {
                    let sign = u8::from(n >= 0);
                    [&n.unsigned_abs().to_be_bytes()[..], &[sign]].concat()
                },
                decode: |key| {
                    let distance = number(&key[..8]).cast_signed();
                    if key[8] == 0 {
                        distance.wrapping_neg()
                    } else {
                        distance
                    }
                },
            },
        )
        .says("It writes the absolute value, and the sign after it.")
        .shows(
            "between a negative number and one that is nearer to zero",
            |keys| (keys.encode)(-2) < (keys.encode)(1),
        ),
        Wrong::new(
            "lowest_byte_first",
            Keys {
                encode: |n| (n ^ 0x80).to_le_bytes().to_vec(),
                decode: |key| number(key).swap_bytes().cast_signed() ^ 0x80,
            },
        )
        .says("It writes the lowest byte first, and flips the top bit of that byte.")
        .shows("among numbers that need more than one byte", |keys| {
            (keys.encode)(1) < (keys.encode)(256)
        }),
        Wrong::new(
            "negatives_inverted",
            Keys {
                encode: |n| inverted(n).to_be_bytes().to_vec(),
                decode: |key| match number(key) {
                    bits if bits & SIGN_BIT == 0 => (!bits).cast_signed(),
                    bits => unflipped(bits),
                },
            },
        )
        .says("It inverts every bit of a negative number, as is right for floats.")
        .shows("among the negative numbers", |keys| {
            (keys.encode)(-2) < (keys.encode)(-1)
        }),
        Wrong::new(
            "halves_swapped",
            Keys {
                encode: |n| flipped(n.rotate_left(32)).to_be_bytes().to_vec(),
                decode: |key| unflipped(number(key)).rotate_left(32),
            },
        )
        .says("It writes the lower four bytes in front of the upper four.")
        .shows("among numbers of more than 31 bits", |keys| {
            (keys.encode)(1) < (keys.encode)(1 << 32)
        }),
        Wrong::new(
            "decode_clears_the_sign",
            Keys {
                encode: |n| flipped(n).to_be_bytes().to_vec(),
                decode: |key| (number(key) & !SIGN_BIT).cast_signed(),
            },
        )
        .says(
            "Its keys are right. Its `decode` clears the sign bit, where it ought to flip it back.",
        )
        .shows("when a negative number is read back", |keys| {
            (keys.decode)(&(keys.encode)(-1)) == -1
        }),
        Wrong::new(
            "decode_reads_four_bytes",
            Keys {
                encode: |n| flipped(n).to_be_bytes().to_vec(),
                #[expect(clippy::cast_possible_truncation, reason = "this is the mistake")]
                decode: |key| i64::from(number(key) as i32),
            },
        )
        .says("Its keys are right. Its `decode` reads the last four bytes alone.")
        .shows("when a number of more than 32 bits is read back", |keys| {
            (keys.decode)(&(keys.encode)(1 << 40)) == 1 << 40
        }),
    ]
}

fn inverted(number: i64) -> u64 {
    if number < 0 {
        !number.cast_unsigned()
    } else {
        flipped(number)
    }
}

/// Right for most numbers.
fn wrong_numbers() -> Vec<Wrong<Keys>> {
    vec![
        Wrong::new(
            "cut_to_32_bits",
            Keys {
                #[expect(clippy::cast_possible_truncation, reason = "this is the mistake")]
                encode: |n| flipped(i64::from(n as i32)).to_be_bytes().to_vec(),
                decode: |key| unflipped(number(key)),
            },
        )
        .says("It drops all but the lowest 32 bits.")
        .shows("among numbers of more than 31 bits", |keys| {
            (keys.encode)(0) < (keys.encode)(1 << 32)
        }),
        Wrong::new(
            "through_a_double",
            Keys {
                #[expect(clippy::cast_precision_loss, reason = "this is the mistake")]
                #[expect(clippy::cast_possible_truncation, reason = "this is the mistake")]
                encode: |n| flipped(n as f64 as i64).to_be_bytes().to_vec(),
                decode: |key| unflipped(number(key)),
            },
        )
        .says("It passes the number through a double, as JavaScript does.")
        .shows("between neighbours far from zero", |keys| {
            (keys.encode)(1 << 53) < (keys.encode)((1 << 53) + 1)
        }),
        Wrong::new(
            "offset_by_max",
            Keys {
                encode: |n| n.wrapping_add(i64::MAX).to_be_bytes().to_vec(),
                decode: |key| number(key).cast_signed().wrapping_sub(i64::MAX),
            },
        )
        .says("It adds i64::MAX, where 2^63 is right.")
        .shows("at the lower end of the type", |keys| {
            (keys.encode)(i64::MIN) < (keys.encode)(i64::MIN + 1)
        }),
        Wrong::new(
            "sum_saturated",
            Keys {
                encode: |n| flipped(n.saturating_add(1)).to_be_bytes().to_vec(),
                decode: |key| unflipped(number(key)).saturating_sub(1),
            },
        )
        .says("It adds 1 first, so that 0 is never written, and stops at the largest number.")
        .shows("at the upper end of the type", |keys| {
            (keys.encode)(i64::MAX - 1) < (keys.encode)(i64::MAX)
        }),
        Wrong::new(
            "negation_overflows",
            Keys {
                encode: |n| {
                    let bits = if n < 0 {
                        SIGN_BIT - n.checked_neg().expect("attempt to negate with overflow").cast_unsigned()
                    } else {
                        SIGN_BIT + n.cast_unsigned()
                    };
                    bits.to_be_bytes().to_vec()
                },
                decode: |key| unflipped(number(key)),
            },
        )
        .says("It takes the absolute value of a negative number, which one number does not have, and panics there.")
        .shows("at the lower end of the type", |keys| {
            (keys.encode)(i64::MIN) < (keys.encode)(0)
        }),
    ]
}

//! Numbers to test with, tried on right keys of a `u32` and on wrong ones.

use kit::tester::{watch, watch_decode};
use kit::{Candidates, Cast, Exercise, Judged, Show, Tester, Wrong};

use crate::{mistakes, solutions, stubs};
use ch02_endianness::test_u32_keys as learner;

/// Somebody's pair of functions.
#[derive(Clone, Copy)]
pub(crate) struct Keys {
    encode: fn(u32) -> Vec<u8>,
    decode: fn(&[u8]) -> u32,
}

const NUMBERS_MAX: usize = 8;

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(tester(learner::numbers)))
}

/// Numbers, and the test that is made with them.
pub(crate) fn tester(numbers: impl Fn() -> Vec<u32> + Send + Sync + 'static) -> Tester<Keys> {
    Tester::new(move |keys: &Keys| with_numbers(numbers(), keys))
}

fn with_numbers(mut numbers: Vec<u32>, keys: &Keys) -> Result<(), String> {
    if numbers.len() > NUMBERS_MAX {
        return Err(format!(
            "{} numbers, and {NUMBERS_MAX} are allowed",
            numbers.len()
        ));
    }
    numbers.sort_unstable();
    numbers.dedup();
    let encoded: Vec<Vec<u8>> = numbers.iter().map(|n| encode(keys, *n)).collect();
    for (i, a) in numbers.iter().enumerate() {
        for (j, b) in numbers.iter().enumerate().skip(i + 1) {
            if encoded[i] >= encoded[j] {
                return Err(format!("the key of {a} does not come before that of {b}"));
            }
        }
        let back = watch_decode(keys.decode, &encoded[i]);
        if back != *a {
            return Err(format!("{a} comes back as {back}"));
        }
    }
    Ok(())
}

fn encode(keys: &Keys, number: u32) -> Vec<u8> {
    let call = move || format!("encode({number})");
    watch(call, || (keys.encode)(number), Show::show)
}

/// The exercise with anybody's numbers in the learner's place.
pub(crate) fn exercise_of(learner: Tester<Keys>) -> Exercise<Tester<Keys>> {
    let cast = Cast {
        learner,
        stub: tester(stubs::test_u32_keys::numbers),
        solution: tester(solutions::test_u32_keys::numbers),
    };
    Exercise::new("test-u32-keys", "02-endianness", cast)
        .tester("numbers", |numbers| numbers, candidates())
        .mistakes(mistakes::test_u32_keys::all())
}

fn candidates() -> Candidates<Keys> {
    let mut all = Candidates::new("encoder").right(
        "big_endian",
        "It writes four bytes, the most significant first.",
        Keys {
            encode: |n| n.to_be_bytes().to_vec(),
            decode: read,
        },
    );
    for wrong in wrong_bytes()
        .into_iter()
        .chain(wrong_numbers())
        .chain(wrong_decoders())
    {
        all = all.wrong(wrong);
    }
    all
}

/// Big-endian bytes, however many.
fn read(key: &[u8]) -> u32 {
    key.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte))
}

/// The bytes of a key that has four.
fn four(key: &[u8]) -> [u8; 4] {
    key.try_into().unwrap_or_default()
}

/// Whether the key of one number comes before that of another.
fn before(keys: &Keys, a: u32, b: u32) -> bool {
    (keys.encode)(a) < (keys.encode)(b)
}

fn returns(keys: &Keys, number: u32) -> bool {
    (keys.decode)(&(keys.encode)(number)) == number
}

fn wrong_bytes() -> Vec<Wrong<Keys>> {
    let wrong = |name, encode, decode| Wrong::new(name, Keys { encode, decode });
    vec![
        wrong(
            "little_endian",
            |n| n.to_le_bytes().to_vec(),
            |key| u32::from_le_bytes(four(key)),
        )
        .says("It writes the least significant byte first.")
        .shows("where a number needs one byte more than another", |keys| {
            before(keys, 255, 256)
        }),
        wrong(
            "halves_swapped",
            |n| n.rotate_left(16).to_be_bytes().to_vec(),
            |key| read(key).rotate_left(16),
        )
        .says("It writes the lower two bytes before the upper two.")
        .shows("where a number needs three bytes", |keys| {
            before(keys, 65_535, 65_536)
        }),
        wrong(
            "middle_bytes_swapped",
            |n| middle_swapped(n).to_be_bytes().to_vec(),
            |key| middle_swapped(read(key)),
        )
        .says("It exchanges the two bytes in the middle.")
        .shows("between numbers of two bytes and of three", |keys| {
            before(keys, 256, 65_536)
        }),
        wrong(
            "bits_reversed",
            |n| n.reverse_bits().to_be_bytes().to_vec(),
            |key| read(key).reverse_bits(),
        )
        .says("It writes all 32 bits in the reverse order.")
        .shows("among the smallest numbers", |keys| before(keys, 1, 2)),
        wrong(
            "every_bit_inverted",
            |n| (!n).to_be_bytes().to_vec(),
            |key| !read(key),
        )
        .says("It inverts every bit.")
        .shows("between any two numbers", |keys| before(keys, 0, 1)),
        wrong(
            "top_bit_flipped",
            |n| (n ^ 1 << 31).to_be_bytes().to_vec(),
            |key| read(key) ^ 1 << 31,
        )
        .says("It flips the top bit, as is right for signed numbers.")
        .shows(
            "between numbers with the top bit and numbers without it",
            |keys| before(keys, 0, u32::MAX),
        ),
        wrong("leading_zeros_dropped", digits, read)
            .says("It writes only as many bytes as the number needs.")
            .shows(
                "where a number needs more bytes and begins with a smaller one",
                |keys| before(keys, 255, 256),
            ),
        wrong(
            "decimal_text",
            |n| n.to_string().into_bytes(),
            |key| {
                key.iter()
                    .fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0'))
            },
        )
        .says("It writes the number as decimal text.")
        .shows("where a number has one digit more than another", |keys| {
            before(keys, 9, 10)
        }),
    ]
}

fn middle_swapped(number: u32) -> u32 {
    number & 0xff00_00ff | number << 8 & 0x00ff_0000 | number >> 8 & 0x0000_ff00
}

fn digits(number: u32) -> Vec<u8> {
    let zeros = number.leading_zeros() / 8;
    number
        .to_be_bytes()
        .into_iter()
        .skip(zeros as usize)
        .collect()
}

/// Wrong for large numbers alone.
fn wrong_numbers() -> Vec<Wrong<Keys>> {
    let wrong = |name, encode: fn(u32) -> Vec<u8>| {
        Wrong::new(
            name,
            Keys {
                encode,
                decode: read,
            },
        )
    };
    vec![
        wrong("cut_to_two_bytes", |n| (n & 0xffff).to_be_bytes().to_vec())
            .says("It loses all but the lower two bytes.")
            .shows("where a number needs three bytes", |keys| {
                returns(keys, 65_536)
            }),
        wrong("cut_to_three_bytes", |n| {
            (n & 0x00ff_ffff).to_be_bytes().to_vec()
        })
        .says("It loses the most significant byte.")
        .shows("where a number needs four bytes", |keys| {
            returns(keys, 1 << 24)
        }),
        wrong("held_as_i32", |n| {
            n.min(i32::MAX.cast_unsigned()).to_be_bytes().to_vec()
        })
        .says("It holds the number in an i32 and stops at its largest.")
        .shows("in the upper half of the numbers", |keys| {
            returns(keys, u32::MAX)
        }),
        wrong("held_as_f32", |n| through_f32(n).to_be_bytes().to_vec())
            .says("It holds the number in a float of 32 bits, which has 24 bits for its digits.")
            .shows(
                "with a number that needs more than 24 bits from its first one to its last",
                |keys| returns(keys, (1 << 24) + 1),
            ),
    ]
}

#[expect(clippy::cast_precision_loss, reason = "this is the mistake")]
#[expect(
    clippy::cast_possible_truncation,
    reason = "a u32 again, and not above its maximum"
)]
#[expect(clippy::cast_sign_loss, reason = "it is not below zero")]
fn through_f32(number: u32) -> u32 {
    number as f32 as u32
}

/// The keys are right, and what is read from them is not.
fn wrong_decoders() -> Vec<Wrong<Keys>> {
    let wrong = |name, decode| {
        let encode = |n: u32| n.to_be_bytes().to_vec();
        Wrong::new(name, Keys { encode, decode })
    };
    vec![
        wrong("decode_two_bytes", |key| read(&key[2..]))
            .says("Its keys are right. Its `decode` reads the last two bytes alone.")
            .shows("when a number of three bytes is read back", |keys| {
                returns(keys, 65_536)
            }),
        wrong("decode_adds_the_bytes", |key| {
            key.iter().map(|byte| u32::from(*byte)).sum()
        })
        .says("Its keys are right. Its `decode` adds the four bytes.")
        .shows("when a number of two bytes is read back", |keys| {
            returns(keys, 256)
        }),
    ]
}

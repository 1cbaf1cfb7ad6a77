//! What goes wrong with the keys of an `i64`.

use kit::{Codec, Mistake, Quirk, compose};

use crate::mistakes::order_i64_decode;
use crate::solutions::order_i64::decode;

const SIGN_BIT: u64 = 1 << 63;
const WRONG: &str = "wrong-answers-and-what-each-breaks";
const REPAIRS: &str = "two-repairs";

/// Steps that can be wrong independently of each other.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    LittleEndian,
    NotFlipped,
    FlippedInLastByte,
    FlippedInFirstByteOfLittleEndian,
    NegativesInverted,
    AllInverted,
    SignAndMagnitude,
    Only32Bits,
}
use Step::{
    AllInverted, FlippedInFirstByteOfLittleEndian, FlippedInLastByte, LittleEndian,
    NegativesInverted, NotFlipped, Only32Bits, SignAndMagnitude,
};

const QUIRKS: [Quirk<Step>; 7] = [
    Quirk::new(NotFlipped, "sign_bit_not_flipped", "order")
        .says("plain big-endian, the sign bit left as it is")
        .why(
            "Within one sign this is right: that is what two's complement buys. But a negative \
              number has its sign bit set, and as an unsigned byte a set top bit is large. So every \
              negative number lands after every other one.",
        )
        .why_beside(
            "A negative number has its sign bit set, and as an unsigned byte a set top bit is large.",
        )
        .link(REPAIRS),
    Quirk::new(LittleEndian, "little_endian_flipped", "order")
        .says("the sign bit flipped, but the lowest byte first")
        .why(
            "The flip is right. The comparison, though, begins at byte 0, and in little-endian byte \
              0 counts the least: the key of 256 begins with 00, that of 1 with 01.",
        )
        .says_beside("the lowest byte first")
        .why_beside(
            "The comparison begins at byte 0, and in little-endian byte 0 counts the least: 256 begins with 00, and 1 with 01.",
        )
        .link(WRONG),
    Quirk::new(FlippedInLastByte, "flip_in_last_byte", "order")
        .says("big-endian with the top bit of the last byte flipped")
        .why(
            "The sign bit is the top bit of the number, and big-endian puts it into byte 0. Byte 7 \
              holds the ones: flipping its top bit moves 128 in front of 0 and leaves the signs as \
              they were.",
        )
        .link(WRONG),
    Quirk::new(NegativesInverted, "negatives_inverted", "order")
        .says("the rule for floats: invert all bits of a negative number")
        .why(
            "Floats are stored as sign and magnitude, so their negative half runs backwards and has \
              to be inverted. Two's complement already counts upwards there; inverted, it runs \
              backwards.",
        )
        .link(REPAIRS),
    Quirk::new(AllInverted, "every_bit_inverted", "order")
        .says("big-endian with every bit inverted")
        .why(
            "Inverting the sign bit puts the halves in their places. Inverting the other 63 bits too \
              makes each half run backwards.",
        )
        .says_beside("every bit inverted")
        .why_beside(
            "Only the sign bit is to be inverted. The other 63 count upwards below zero as well.",
        )
        .link(WRONG),
    Quirk::new(SignAndMagnitude, "sign_and_magnitude", "order")
        .says("a sign bit followed by the absolute value")
        .why(
            "The halves are in place, but the absolute value of -2 is larger than that of -1, so the \
              negative half runs backwards.",
        )
        .why_beside("Below zero the absolute value grows as the number falls: that of -2 is larger than that of -1.")
        .link(WRONG),
    Quirk::new(Only32Bits, "truncated_to_32_bits", "order")
        .says("a value cut to 32 bits by `as i32`")
        .why(
            "`as` between integers of different widths drops the high bits without a word. Numbers \
              that differ only above bit 31 get the same key.",
        )
        .link(WRONG),
];

fn with(steps: &[Step]) -> Option<Codec<i64>> {
    let steps = steps.to_vec();
    let sign = steps
        .iter()
        .filter(|step| !matches!(step, LittleEndian | Only32Bits))
        .count();
    if sign > 1 {
        return None;
    }
    let has = move |step| steps.contains(&step);
    let bits = {
        let has = has.clone();
        move |value: i64| {
            #[expect(clippy::cast_possible_truncation, reason = "this is the mistake")]
            let value = if has(Only32Bits) {
                i64::from(value as i32)
            } else {
                value
            };
            let plain = value.cast_unsigned();
            if has(NotFlipped) || has(FlippedInLastByte) || has(FlippedInFirstByteOfLittleEndian) {
                plain
            } else if has(NegativesInverted) && value < 0 || has(AllInverted) {
                !plain
            } else if has(SignAndMagnitude) {
                let sign = if value < 0 { 0 } else { SIGN_BIT };
                sign | value.unsigned_abs() & !SIGN_BIT
            } else {
                plain ^ SIGN_BIT
            }
        }
    };
    let wrong = move |value: i64| {
        let bits = bits(value);
        let mut key = if has(LittleEndian) || has(FlippedInFirstByteOfLittleEndian) {
            bits.to_le_bytes()
        } else {
            bits.to_be_bytes()
        };
        if has(FlippedInLastByte) {
            key[7] ^= 0x80;
        }
        if has(FlippedInFirstByteOfLittleEndian) {
            key[0] ^= 0x80;
        }
        key
    };
    Some(Codec::fixed(wrong, decode))
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Codec<i64>>> {
    let mut mistakes = in_encode();
    mistakes.extend(by_arithmetic());
    mistakes.extend(wrong_bit_operations());
    mistakes.extend(order_i64_decode::all());
    mistakes.extend(wrong_halves());
    mistakes.extend(too_narrow());
    mistakes.extend(compose("encode", &QUIRKS, with));
    mistakes
}

fn in_encode() -> Vec<Mistake<Codec<i64>>> {
    let in_encode = |name, check, codec| Mistake::new(name, "encode", check, codec);
    let mut mistakes = vec![
        in_encode(
            "little_endian",
            "order",
            Codec::fixed(i64::to_le_bytes, i64::from_le_bytes),
        )
        .says("plain little-endian")
        .why(
            "The lowest byte comes first and decides, although it counts the least. The sign bit \
             is in the last byte, where it is looked at only when all else is equal.",
        )
        .link("where-the-bytes-come-from"),
    ];
    if let Some(codec) = with(&[FlippedInFirstByteOfLittleEndian]) {
        mistakes.push(
            in_encode("little_endian_first_byte_flipped", "order", codec)
                .says("little-endian with the top bit of the first byte flipped")
                .why(
                    "Byte 0 is the right byte to flip once the sign bit is in it. In little-endian it \
                     holds the ones. Turn the bytes round first, then flip.",
                )
                .link(WRONG),
        );
    }
    mistakes
}

/// The sign bit handled, and not by flipping it; or flipped together with the wrong others.
fn wrong_bit_operations() -> Vec<Mistake<Codec<i64>>> {
    let in_encode = |name, encode: fn(i64) -> u64| {
        let codec = Codec::fixed(move |value| encode(value).to_be_bytes(), decode);
        Mistake::new(name, "encode", "order", codec)
    };
    vec![
        in_encode("all_flipped_but_the_sign_bit", |value| {
            value.cast_unsigned() ^ i64::MAX.cast_unsigned()
        })
        .says("every bit flipped except the sign bit")
        .why(
            "The greatest number comes first: these are the bytes of `i64::MAX - value`. An XOR with i64::MAX gives the same, \
             because it is all ones except the sign bit. i64::MIN is the sign bit alone.",
        )
        .link(REPAIRS),
        in_encode("magnitude_after_the_sign_bit", |value| {
            let sign = if value < 0 { SIGN_BIT } else { 0 };
            value.unsigned_abs() | sign
        })
        .says("the sign bit as it is, 1 below zero, and the absolute value after it")
        .why(
            "The sign bit of a negative number is 1, so it comes after all others. And -2 has the greater absolute value, so it \
             comes after -1. Two's complement has only the first of these faults: leave its other bits alone.",
        )
        .link(REPAIRS),
        in_encode("magnitude_inverted", |value| {
            let magnitude = value.unsigned_abs() | SIGN_BIT;
            if value < 0 { !magnitude } else { magnitude }
        })
        .says("the absolute value after a bit for the sign, all of it inverted below zero")
        .why(
            "That repairs floats, which have a sign and a magnitude, and two zeros. An i64 has one zero: the key below its own stays \
             free for a -0, and i64::MIN, whose absolute value needs all 64 bits, gets it and sorts after -1. Flip the sign bit and \
             no other.",
        )
        .link(REPAIRS),
        in_encode("zigzag", |value| ((value << 1) ^ (value >> 63)).cast_unsigned())
            .says("zigzag: 0, -1, 1, -2, 2 and so on as 0, 1, 2, 3, 4")
            .why(
                "Zigzag makes numbers near zero small, so that few bytes hold them. It sorts by the distance from zero: -2 \
                 comes after 1.",
            )
            .link(REPAIRS)
            .whole(),
        in_encode("sign_bit_set", |value| value.cast_unsigned() | SIGN_BIT)
            .says("the sign bit set, not flipped")
            .why(
                "The bit is 1 in every key then. The negative numbers had it already, so they keep their \
                 bytes, and two numbers share each key. `|` sets a bit. `^` flips it, and turns 1 into 0 as well.",
            )
            .link(REPAIRS),
        in_encode("sign_bit_cleared", |value| value.cast_unsigned() & !SIGN_BIT)
            .says("the sign bit cleared, not flipped")
            .why(
                "The bit is 0 in every key then. Zero and the positive numbers had a 0 there already, so \
                 two numbers share each key. `^` turns 0 into 1 as well.",
            )
            .link(REPAIRS),
    ]
}

/// Sums and signs where a flipped bit would do.
fn by_arithmetic() -> Vec<Mistake<Codec<i64>>> {
    let in_encode = |name, check, codec| Mistake::new(name, "encode", check, codec);
    vec![
        in_encode(
            "absolute_value",
            "order",
            Codec::fixed(
                |value: i64| (value.unsigned_abs() | SIGN_BIT).to_be_bytes(),
                decode,
            ),
        )
        .says("the key of the absolute value")
        .why("The sign is gone: -1 and 1 share a key, and no decoder can tell them apart.")
        .link(WRONG),
        in_encode(
            "absolute_value_not_flipped",
            "order",
            Codec::fixed(|value: i64| value.unsigned_abs().to_be_bytes(), decode),
        )
        .says("the absolute value in big-endian bytes")
        .why("The sign is gone: -1 and 1 share a key, and no decoder can tell them apart.")
        .link(WRONG),
        in_encode(
            "negatives_become_zero",
            "order",
            Codec::fixed(|value: i64| u64::try_from(value).unwrap_or(0).to_be_bytes(), decode),
        )
        .says("0 for every negative number, as `unwrap_or(0)` and `max(0)` give it")
        .why(
            "`u64::try_from` refuses negative numbers, and with 0 in their place they all share a key. `value as u64` keeps their bits, and then \
             the sign bit is left to flip.",
        )
        .link(REPAIRS),
        in_encode(
            "offset_by_max",
            "order",
            Codec::fixed(
                |value: i64| {
                    (value.cast_unsigned().wrapping_add(i64::MAX.cast_unsigned())).to_be_bytes()
                },
                |key| {
                    u64::from_be_bytes(key)
                        .wrapping_sub(i64::MAX.cast_unsigned())
                        .cast_signed()
                },
            ),
        )
        .says("adding i64::MAX")
        .why(
            "There is one negative number more than there are positive ones. Adding i64::MAX moves \
             all but the smallest into place; i64::MIN wraps round to the very end. Adding 2^63, \
             which is the same as flipping the sign bit, moves all of them.",
        )
        .link(REPAIRS),
        in_encode(
            "panics_below_zero",
            "returns",
            Codec::fixed(
                |value: i64| {
                    let sum = value.cast_unsigned().checked_add(SIGN_BIT);
                    sum.expect("attempt to add with overflow").to_be_bytes()
                },
                decode,
            ),
        )
        .says("the right keys of 0 and all positive numbers, and a panic for negative ones")
        .why(
            "A negative number has a key as well. If you added 2^63 by `+`: taken for a `u64`, a negative number is 2^63 or more \
             already, and the sum does not fit. The same happens to the first byte with `+= 0x80`. Let the carry fall away, by \
             `wrapping_add`, or flip the bit: `^` has no carry. If you asked `u64::try_from` and `unwrap`: it refuses what is below zero. \
             `cast_unsigned`, or `as u64`, keeps every bit.",
        )
        .link(REPAIRS),
        in_encode(
            "panics_from_zero_on",
            "returns",
            Codec::fixed(
                |value: i64| {
                    let difference = value.checked_sub(i64::MIN);
                    difference.expect("attempt to subtract with overflow").to_be_bytes()
                },
                decode,
            ),
        )
        .says("the right keys of negative numbers, and a panic for 0 and all positive ones")
        .why(
            "If you subtracted i64::MIN, or added i64::MAX and then 1: for 0 that makes 2^63, which is no i64, for the largest is \
             one less. `wrapping_sub` lets the carry fall away, `abs_diff` gives a u64, and `^` flips the bit without any sum.",
        )
        .link(REPAIRS),
        in_encode(
            "offset_by_max_overflows",
            "returns",
            Codec::fixed(
                |value: i64| {
                    let sum = value.checked_add(i64::MAX);
                    sum.expect("attempt to add with overflow").to_be_bytes()
                },
                decode,
            ),
        )
        .says("i64::MAX added by `+`, which panics for positive numbers")
        .why(
            "1 + i64::MAX does not fit. And i64::MAX is one too little: i64::MIN becomes -1, whose bytes are the greatest of \
             all. Adding 2^63 and letting the carry fall away is the same as flipping the sign bit.",
        )
        .link(REPAIRS),
        in_encode(
            "one_too_low_below_zero",
            "returns",
            Codec::fixed(
                |value: i64| {
                    let below = || (SIGN_BIT - 1).checked_sub(value.unsigned_abs());
                    let above = if value < 0 {
                        below().expect("attempt to subtract with overflow")
                    } else {
                        SIGN_BIT + value.cast_unsigned()
                    };
                    above.to_be_bytes()
                },
                decode,
            ),
        )
        .says("keys that are one too low below zero, and a panic for i64::MIN")
        .why(
            "7f ff .. ff is the key of -1, so count down from 2^63 and not from the number below it. i64::MIN has the key 00 .. 00, and \
             nothing is lower. The flip of the sign bit needs no counting.",
        )
        .link(REPAIRS),
        in_encode(
            "negation_overflows",
            "returns",
            Codec::fixed(
                |value: i64| {
                    let above = if value < 0 {
                        SIGN_BIT - (-value).cast_unsigned()
                    } else {
                        SIGN_BIT + value.cast_unsigned()
                    };
                    above.to_be_bytes()
                },
                decode,
            ),
        )
        .says("an encoder that negates negative numbers")
        .why(
            "i64::MIN has no positive counterpart: -i64::MIN does not fit. In a debug build the \
             negation panics, in a release build it gives i64::MIN again. The flip of the sign bit \
             needs no negation.",
        )
        .link(REPAIRS),
    ]
}

/// The halves in each other's place, or turned round, or one number in the wrong half; or a part of the bits flipped.
fn wrong_halves() -> Vec<Mistake<Codec<i64>>> {
    let in_encode = |name, encode: fn(i64) -> u64| {
        let codec = Codec::fixed(move |value| encode(value).to_be_bytes(), decode);
        Mistake::new(name, "encode", "order", codec)
    };
    vec![
        in_encode("negated_before_the_flip", |value| {
            value.wrapping_neg().cast_unsigned() ^ SIGN_BIT
        })
        .says("the key of `-value`")
        .why(
"The flip is right, and the minus turns the order round: 1 comes before 0. i64::MIN has no positive counterpart, so it \
 stays what it is. Flip the sign bit of the number itself.",
)
.link(REPAIRS),
        in_encode("zero_left_below", |value| {
            let bits = value.cast_unsigned();
            if value > 0 { bits | SIGN_BIT } else { bits & !SIGN_BIT }
        })
        .says("the right key of every number but zero, whose first bit stays clear")
        .why(
            "If you asked `value > 0`: zero has no sign bit either, so it belongs to the upper half, and its first bit has to be \
             set. As it is, 0 and i64::MIN share a key. `>= 0` would do, and `^` needs no question.",
        )
        .link(REPAIRS),
        in_encode("bit_62_flipped", |value| value.cast_unsigned() ^ 1 << 62)
            .says("bit 62 flipped")
            .why(
                "Bits are counted from 0, so the sign of 64 bits is bit 63: `1 << 63`. As it is, the negative numbers still come last. (If \
                 you wrote `1 << 63 - 1`: `-` comes before `<<`, so that is `1 << 62`.)",
            )
            .link(WRONG),
        in_encode("every_byte_flipped", |value| value.cast_unsigned() ^ 0x8080_8080_8080_8080)
            .says("the top bit of every byte flipped")
            .why(
                "A number has one sign, and it is the top bit of the first byte. In the other bytes the top bit counts 128 times its byte's \
                 worth, and flipped it puts 255 before 0.",
            )
            .link(WRONG),
        in_encode("sum_saturated", |value| value.saturating_add(i64::MAX).cast_unsigned())
            .says("i64::MAX added by `saturating_add`")
            .why(
                "The sum stays at i64::MAX from 0 on, so all these numbers share a key. Add 2^63 to the number as a `u64`, by `wrapping_add`, \
                 or flip the sign bit: that needs no room.",
            )
            .link(REPAIRS),
        in_encode("sign_and_magnitude_unmasked", |value| {
            if value < 0 { value.unsigned_abs() } else { value.cast_unsigned() | SIGN_BIT }
        })
        .says("the absolute value below zero, and the sign bit set from zero on")
        .why(
            "The halves are in place, but the absolute value of -2 is larger than that of -1, so the negative half runs backwards. And that \
             of i64::MIN is 2^63: it shares the key of 0.",
        )
        .link(WRONG),
        in_encode("first_byte_inverted", |value| value.cast_unsigned() ^ 0xff << 56)
            .says("all eight bits of the first byte inverted")
            .why(
                "Only the top bit of that byte is the sign. The other seven count, and inverted they count backwards: 2^56 comes \
                 before 0. In the first byte that is `^ 0x80`, not `^ 0xff`.",
            )
            .link(WRONG),
    ]
}

/// Right for `i32`, and for numbers that fit into one.
fn too_narrow() -> Vec<Mistake<Codec<i64>>> {
    let in_encode = |name, check, encode: fn(i64) -> u64| {
        let codec = Codec::fixed(move |value| encode(value).to_be_bytes(), decode);
        Mistake::new(name, "encode", check, codec)
    };
    vec![
        in_encode("bit_31_flipped", "order", |value| value.cast_unsigned() ^ 1 << 31)
            .says("bit 31 flipped")
            .why(
"Bit 31 is the sign bit of an `i32`. An `i64` has 64 bits, and its sign is bit 63: `1 << 63`. As it is, the negative \
 numbers still come last, and of each 2^32 numbers the upper half comes before the lower one.",
)
.link(WRONG),
        in_encode("bits_from_31_on_flipped", "order", |value| {
            (value ^ i64::from(i32::MIN)).cast_unsigned()
        })
        .says("all bits from bit 31 on flipped")
        .why(
            "If you flipped by `i32::MIN as i64`: the cast keeps the number, so it fills the upper half with ones, and all \
             of them are flipped. `i64::MIN` is the sign bit alone.",
        )
        .link(WRONG),
        #[expect(clippy::cast_possible_truncation, reason = "this is the mistake")]
        in_encode("four_bytes_of_an_i32", "order", |value| {
            u64::from((value as i32).cast_unsigned() ^ 1 << 31)
        })
        .says("the key of an `i32` in the last four bytes, with zeros in front")
        .why(
            "`as i32` drops the upper 32 bits without a word: numbers that differ there alone get the same key. An `i64` needs all \
             eight bytes, and its sign bit is in the first one.",
        )
        .link(WRONG),
        in_encode("wider_than_32_bits_panics", "returns", |value| {
            let value = i32::try_from(value).expect("out of range integral type conversion attempted");
            i64::from(value).cast_unsigned() ^ SIGN_BIT
        })
        .says("the right keys of numbers that fit into an `i32`, and a panic for all others")
        .why(
            "`i32::try_from` sees what `as i32` would cut off, and that is better. But every `i64` has a key here: the number needs \
             no smaller type.",
        )
        .link(WRONG),
        #[expect(clippy::cast_precision_loss, reason = "this is the mistake")]
        in_encode("through_a_double", "order", |value| {
            let bits = (value as f64).to_bits();
            if value < 0 { !bits } else { bits ^ SIGN_BIT }
        })
        .says("the key of the number as a double")
        .why(
"The rule is right for doubles. But a double has 53 bits for the digits of a number: from 2^53 on neighbours fall \
 together, and share a key. Flip the sign bit of the `i64` itself.",
)
.link(WRONG),
    ]
}

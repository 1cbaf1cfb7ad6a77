//! What goes wrong with the four bytes of a `u32`.

use kit::{Codec, Mistake, Quirk, compose};

use crate::solutions::big_endian_u32::{decode, encode};

const SCAN: &str = "a-scan-goes-wrong";
const LOOK: &str = "look";
const INVARIANTS: &str = "invariants";
const WRONG: &str = "wrong-answers-and-what-each-breaks";

/// Steps that can be wrong independently of each other.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    BytesReversed,
    HalvesSwapped,
    BitsReversed,
    AllInverted,
    TopBitFlipped,
    Only16Bits,
}
use Step::{AllInverted, BitsReversed, BytesReversed, HalvesSwapped, Only16Bits, TopBitFlipped};

const QUIRKS: [Quirk<Step>; 6] = [
    Quirk::new(BytesReversed, "little_endian", "order")
        .says("little-endian")
        .why(
            "The byte that counts least comes first and decides: the key of 256 begins with 00, that \
              of 1 with 01. Below 256 nothing shows, for one byte is enough. (If you wrote \
              `to_ne_bytes`: it gives the order of the machine that runs it, here this one.)",
        )
        .link(SCAN),
    Quirk::new(HalvesSwapped, "halves_swapped", "order")
        .says("the lower two bytes before the upper two")
        .why(
            "Each half is big-endian, but the half that counts less comes first. Below 65536 the upper \
              half is zero, so every test with small numbers passes.",
        )
        .link(WRONG),
    Quirk::new(BitsReversed, "bits_reversed", "order")
        .says("the 32 bits in the reverse order")
        .why(
            "Byte order moves whole bytes. The bits inside a byte stay where they are: 1 is 01, not 80.",
        )
        .link(LOOK),
    Quirk::new(AllInverted, "every_bit_inverted", "order")
        .says("big-endian with every bit inverted")
        .why(
            "The bytes are in the right order. Inverting them turns the whole order round: the largest \
              number comes first.",
        )
        .says_beside("every bit inverted")
        .why_beside("Inverting turns the order round: where a number grows, its key falls.")
        .link(INVARIANTS),
    Quirk::new(TopBitFlipped, "top_bit_flipped", "order")
        .says("big-endian with the top bit flipped")
        .says_beside("the top bit flipped")
        .why(
            "That is for signed numbers, in the next chapter. A `u32` has no sign: its top bit counts \
              2^31, and flipped it puts the larger half of the numbers first.",
        )
        .link(INVARIANTS),
    Quirk::new(Only16Bits, "truncated_to_16_bits", "order")
        .says("a value cut to 16 bits")
        .why(
            "`as u16` drops the upper half without a word. 0 and 65536 share a key then, and one \
              overwrites the other.",
        )
        .link(INVARIANTS),
];

fn with(steps: &[Step]) -> Option<Codec<u32>> {
    let quirks = steps.to_vec();
    let has = move |step| quirks.contains(&step);
    let wrong = move |value: u32| {
        let mut bits = value;
        if has(Only16Bits) {
            bits &= 0xffff;
        }
        if has(AllInverted) {
            bits = !bits;
        }
        if has(TopBitFlipped) {
            bits ^= 1 << 31;
        }
        if has(BitsReversed) {
            bits = bits.reverse_bits();
        }
        if has(HalvesSwapped) {
            bits = bits.rotate_left(16);
        }
        if has(BytesReversed) {
            bits.to_le_bytes()
        } else {
            bits.to_be_bytes()
        }
    };
    // The commonest wrong answer turns the bytes round in both functions: its round trip is right.
    Some(if steps == [BytesReversed] {
        Codec::fixed(wrong, u32::from_le_bytes)
    } else {
        Codec::fixed(wrong, decode)
    })
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Codec<u32>>> {
    let mut mistakes = in_encode();
    mistakes.extend(in_decode());
    mistakes.extend(compose("encode", &QUIRKS, with));
    mistakes
}

#[expect(clippy::cast_possible_truncation, reason = "these are the mistakes")]
fn in_encode() -> Vec<Mistake<Codec<u32>>> {
    let in_encode = |name, encode: fn(u32) -> [u8; 4]| {
        Mistake::new(name, "encode", "order", Codec::fixed(encode, decode))
    };
    vec![
        in_encode("no_shift", |value| [value as u8; 4])
            .says("the lowest byte four times")
            .why(
                "`value as u8` is the lowest byte, whatever the value is. The others have to be moved \
                 down first: `(value >> 8) as u8` is the one above it. (If you wrote `value & 0xff00 >> 8`: `>>` comes \
                 before `&`, so that is `value & 0xff`. Set parentheses.)",
            )
            .link("big-endian-u32"),
        in_encode("lowest_byte_only", |value| [0, 0, 0, value as u8])
            .says("the lowest byte after three zeros")
            .why(
                "From 256 on a number needs more than one byte. Cut to its lowest one, 256 becomes 0, \
                 and the two share a key.",
            )
            .link("big-endian-u32"),
        in_encode("shifts_count_bytes", |value| {
            [
                (value >> 3) as u8,
                (value >> 2) as u8,
                (value >> 1) as u8,
                value as u8,
            ]
        })
        .says("shifts by 3, 2 and 1")
        .why("A shift counts bits, and a byte has eight of them: 24, 16 and 8.")
        .link("big-endian-u32"),
        in_encode("shifts_count_digits", |value| {
            [
                (value >> 12) as u8,
                (value >> 8) as u8,
                (value >> 4) as u8,
                value as u8,
            ]
        })
        .says("shifts by 12, 8 and 4")
        .why("A shift by four moves one hexadecimal digit, and a byte has two of them: 24, 16 and 8.")
        .link("big-endian-u32"),
        in_encode("powers_by_xor", |value| {
            [(value / 259) as u8, (value / 258) as u8, (value / 256) as u8, value as u8]
        })
        .says("the quotients by 259, 258 and 256, cut to bytes")
        .why(
            "If you wrote `256 ^ 3` and `256 ^ 2`: `^` is no power in Rust but exclusive or, and they are 259 and 258. `256_u32.pow(3)` is the \
             power, and `>> 24` divides by it.",
        )
        .link("big-endian-u32"),
        in_encode("remainders_by_255", |value| {
            let digit = |weight: u32| (value / weight % 255) as u8;
            [(value / (1 << 24)) as u8, digit(1 << 16), digit(1 << 8), digit(1)]
        })
        .says("remainders by 255")
        .why(
            "A byte holds 256 values, 0 to 255. The remainder by 255 is never 255, so 255 becomes 0 and shares its key. Divide by \
             256 and take the remainder by 256.",
        )
        .link(SCAN),
        in_encode("digits_in_base_255", |value| {
            let digit = |weight: u32| (value / weight % 255) as u8;
            [(value / 255_u32.pow(3)) as u8, digit(255 * 255), digit(255), digit(1)]
        })
        .says("digits in base 255")
        .why(
            "A byte holds 256 values, 0 to 255, so the base is 256. With 255 the greatest numbers need a digit more than there is \
             room for, and the first one overflows.",
        )
        .link(SCAN),
        in_encode("last_four_digits_in_base_255", |value| {
            let digit = |weight: u32| (value / weight % 255) as u8;
            [digit(255_u32.pow(3)), digit(255 * 255), digit(255), digit(1)]
        })
        .says("the last four digits in base 255")
        .why(
            "A byte holds 256 values, 0 to 255, so the base is 256. With 255 the greatest numbers need five digits, and their first one is \
             lost.",
        )
        .link(SCAN),
        digits_in_a_smaller_base(),
        in_encode("hexadecimal_digits_from_the_left", |value| {
            let digits = format!("{value:x}");
            let mut key = [0; 4];
            for (byte, pair) in key.iter_mut().zip(digits.as_bytes().chunks(2)) {
                *byte = pair.iter().fold(0, |sum, digit| sum * 16 + char::from(*digit).to_digit(16).unwrap_or(0) as u8);
            }
            key
        })
        .says("the hexadecimal digits from the left, two to a byte, without zeros in front of them")
        .why(
            "256 is `100` and begins with the byte 10, 255 is `ff`. Every number needs eight digits, so that a digit counts the same in all of them: \
             `{:08x}`. Shifts need no digits at all.",
        )
        .link(SCAN),
        in_encode("top_bit_dropped", |value| (value & 0x7fff_ffff).to_be_bytes())
            .says("big-endian with the top bit left out")
            .why(
                "A `u32` has no sign, and all of its 32 bits count. Without the first of them, 0 and 2^31 share a key: a byte is cut by \
                 `& 0xff`, not by `& 0x7f`.",
            )
            .link(INVARIANTS),
        in_encode("four_bits_of_each_byte", |value| (value & 0x0f0f_0f0f).to_be_bytes())
            .says("the lower four bits of each byte alone")
            .why("A hexadecimal digit has four bits, and a byte two digits: a byte is cut by `& 0xff`, not by `& 0xf`. 0 and 16 share a key.")
            .link(INVARIANTS),
        Mistake::new(
            "bytes_unwrapped",
            "encode",
            "returns",
            Codec::fixed(
                |value: u32| [0, 0, 0, u8::try_from(value).expect("the byte")],
                decode,
            ),
        )
        .says("a panic for every number above 255, as `u8::try_from` and `unwrap` make it")
        .why(
            "`u8::try_from` refuses what does not fit into a byte, and `value >> 8` still holds the bytes above. `as u8` keeps the \
             lowest byte and drops the others, which is what is wanted here.",
        )
        .link("big-endian-u32"),
        in_encode("bytes_saturated", |value| {
            let byte = |shift: u32| (value >> shift).min(255) as u8;
            [byte(24), byte(16), byte(8), byte(0)]
        })
        .says("255 for whatever is more than a byte holds")
        .why(
            "A shifted number still holds the bytes above, and then it is more than 255. They have to be dropped: `as u8` does it. \
             With `min(255)`, 511 and 300 become 01 ff both.",
        )
        .link("big-endian-u32"),
        in_encode("bytes_swapped_in_pairs", |value| {
            let [a, b, c, d] = value.to_be_bytes();
            [b, a, d, c]
        })
        .says("each two bytes exchanged")
        .why(
            "The upper half comes first, and that is right. But within each half the byte that counts less comes first: 256 \
             is 00 00 00 01 and comes before 1, which is 00 00 01 00. The PDP-11 wrote long numbers with its halves like this.",
        )
        .link(SCAN),
        in_encode("zeros_after", |value| {
            let zeros = value.leading_zeros() / 8;
            (value.checked_shl(8 * zeros).unwrap_or(0)).to_be_bytes()
        })
        .says("leading zero bytes moved to the end")
        .why(
            "A zero in front is a digit like any other: it says that the number has no 2^24s. Moved \
             to the end, it makes 256 of 1, and both have one key.",
        )
        .link(WRONG),
    ]
}

fn in_decode() -> Vec<Mistake<Codec<u32>>> {
    let in_decode = |name, decode: fn([u8; 4]) -> u32| {
        Mistake::new(name, "decode", "round-trip", Codec::fixed(encode, decode))
    };
    vec![
        in_decode("decode_little_endian", u32::from_le_bytes)
            .says("reading the key as little-endian")
            .why(
                "The first byte of the key counts 2^24, and it is taken for the ones. Read a key in the \
                 order in which it was written.",
            )
            .link(INVARIANTS),
        in_decode("decode_bytes_with_a_sign", |key| {
            let digits = key.map(|byte| i32::from(byte.cast_signed()).cast_unsigned());
            digits[0] << 24 | digits[1] << 16 | digits[2] << 8 | digits[3]
        })
        .says("bytes from 80 on taken for negative numbers before they are shifted")
        .why(
            "That is how Java's bytes are. As a number of 32 bits, such a byte has ones in front of it, and they cover the \
             bytes that count more: 00 00 00 80 comes back as ff ff ff 80. In Java that takes `& 0xff`; in Rust a `u8` \
             has no sign.",
        )
        .link(INVARIANTS),
        Mistake::new(
            "decode_adds_before_it_shifts",
            "decode",
            "returns",
            Codec::fixed(encode, |key: [u8; 4]| {
                let [a, b, c, d] = key.map(u32::from);
                let shift = |number: u32, bits: u32| number.checked_shl(bits).expect("fewer than 32 bits");
                shift(shift(shift(a, 24 + b), 16 + c), 8 + d)
            }),
        )
        .says("`a << 24 + b << 16 + c << 8 + d` without parentheses")
        .why(
            "`+` comes before `<<`, so that is `a << (24 + b)` and so on: the second byte says how far the first is shifted, and \
             from 32 bits on a shift panics. Write `|` for `+`, which comes after `<<`, or set parentheses.",
        )
        .link("big-endian-u32"),
        Mistake::new(
            "decode_overflows_an_i32",
            "decode",
            "returns",
            Codec::fixed(encode, |key: [u8; 4]| {
                let number = u32::from_be_bytes(key);
                i32::try_from(number).expect("an `i32`").cast_unsigned()
            }),
        )
        .says("the right numbers below 2^31, and a panic above, as a sum in an `i32` makes it")
        .why(
            "An `i32` ends at 2^31 - 1: one of its bits is the sign. Half of all `u32` are above. Sum in a `u32`, and widen each \
             byte with `u32::from`.",
        )
        .link(INVARIANTS),
        in_decode("decode_shifts_after_the_last", |key| u32::from_be_bytes(key) << 8)
            .says("a shift by eight bits after every byte, the last one too")
            .why(
                "Three shifts are needed for four bytes. The fourth moves all of them one place too far: 1 becomes 256, and the \
                 first byte falls out. Shift before a byte is added.",
            )
            .link(SCAN),
        in_decode("decode_in_base_255", |key| {
            key.iter().fold(0, |number: u32, byte| number * 255 + u32::from(*byte))
        })
        .says("reading the bytes as digits in base 255")
        .why("A byte holds 256 values, 0 to 255, so a step to the left counts 256 times as much.")
        .link(SCAN),
        in_decode("decode_in_a_smaller_base", |key| key.iter().fold(0, |number, byte| number << 7 | u32::from(*byte)))
            .or(based(128))
            .or(based(127))
            .or(based(100))
            .or(based(16))
            .or(based(10))
            .says("reading the bytes as digits in a base below 256, such as 128 or 100")
            .why("A byte holds 256 values, 0 to 255, so a step to the left counts 256 times as much: eight bits.")
            .link(SCAN),
        in_decode("decode_joins_printed_bytes", |key| {
            let digits: String = key.iter().map(|byte| format!("{byte:x}")).collect();
            u32::from_str_radix(&digits, 16).unwrap_or(u32::MAX)
        })
        .or(Codec::fixed(encode, |key| {
            let digits: String = key.iter().map(u8::to_string).collect();
            digits.parse::<u64>().unwrap_or(u64::MAX) as u32
        }))
        .or(Codec::fixed(encode, |key| {
            let digits: String = key.iter().map(u8::to_string).collect();
            digits.parse::<u32>().unwrap()
        }))
        .or(Codec::fixed(encode, |key| {
            let digits: String = key.iter().map(u8::to_string).collect();
            digits.parse::<u32>().unwrap_or(0)
        }))
        .says("the bytes printed one after the other, some with fewer digits than others, and read as one number")
        .why(
            "01 00 printed is `10`, and that is 16, or ten. Each byte needs two hexadecimal digits, `{:02x}`: then it works, though shifts need no \
             digits. Decimal digits never fit, for 256 is no power of ten.",
        )
        .link(SCAN),
        in_decode("decode_multiplies_by_the_place", |key| {
            let [a, b, c, d] = key.map(u32::from);
            a * 256 * 3 + b * 256 * 2 + c * 256 + d
        })
        .says("a first byte that counts 256 * 3, and a second that counts 256 * 2")
        .why("Each step to the left counts 256 times as much, not 256 more: the bytes count 256^3, 256^2, 256 and 1.")
        .link(SCAN),
        in_decode("decode_takes_powers_by_xor", |key| {
            let [a, b, c, d] = key.map(u32::from);
            a * 259 + b * 258 + c * 256 + d
        })
        .says("a first byte that counts 259, and a second that counts 258")
        .why(
            "If you wrote `256 ^ 3` and `256 ^ 2`: `^` is no power in Rust but exclusive or, and they are 259 and 258. `256_u32.pow(3)` is the \
             power, and `<< 24` multiplies by it.",
        )
        .link("big-endian-u32"),
        in_decode("decode_adds_the_bytes", |key| {
            key.into_iter().map(u32::from).sum()
        })
        .says("a sum of the four bytes without shifts")
        .why("The bytes are digits in base 256. The third one counts 256 times its value.")
        .link(SCAN),
        in_decode("decode_joins_the_bytes_in_one_place", |key| {
            key.into_iter().fold(0, |joined, byte| joined | u32::from(byte))
        })
        .says("the four bytes joined by `|` without shifts")
        .why(
            "The bytes are digits in base 256, and each has a place of its own: the third one goes eight bits to the left. A byte has to become \
             a `u32` first. Shifted as a `u8`, it has no bits to go to.",
        )
        .link(SCAN),
        in_decode("decode_shifts_count_bytes", |key| {
            let [a, b, c, d] = key.map(u32::from);
            a << 3 | b << 2 | c << 1 | d
        })
        .says("shifts by 3, 2 and 1")
        .why("A shift counts bits, and a byte has eight of them: 24, 16 and 8.")
        .link("big-endian-u32"),
        in_decode("decode_shifts_count_digits", |key| {
            let [a, b, c, d] = key.map(u32::from);
            a << 12 | b << 8 | c << 4 | d
        })
        .says("shifts by 12, 8 and 4")
        .why("A shift by four moves one hexadecimal digit, and a byte has two of them: 24, 16 and 8.")
        .link("big-endian-u32"),
        in_decode("decode_two_bytes", |key| {
            u32::from(u16::from_be_bytes([key[2], key[3]]))
        })
        .says("reading the last two bytes alone")
        .why("The first two bytes hold everything from 65536 on.")
        .link(INVARIANTS),
        in_decode("decode_last_byte", |key| u32::from(key[3]))
            .says("reading the last byte alone")
            .why("The first three bytes hold everything from 256 on.")
            .link(INVARIANTS),
        in_decode("decode_halves_swapped", |key| {
            u32::from_be_bytes(key).rotate_left(16)
        })
        .says("taking the first two bytes for the lower half")
        .why("The half that counts more comes first in the key: 00 00 00 01 is 1, not 65536.")
        .link(WRONG),
        in_decode("decode_bits_reversed", |key| {
            u32::from_be_bytes(key).reverse_bits()
        })
        .says("reading the 32 bits in the reverse order")
        .why("Byte order moves whole bytes. The bits inside a byte stay where they are.")
        .link(LOOK),
    ]
}

/// The last four digits in some base, each in a byte.
fn digits_in_a_smaller_base() -> Mistake<Codec<u32>> {
    let digits = |base: u32| {
        let encode =
            move |value: u32| [3, 2, 1, 0].map(|place| (value / base.pow(place) % base) as u8);
        Codec::fixed(encode, decode)
    };
    let mistake = Mistake::new("last_four_digits_in_a_smaller_base", "encode", "order", digits(128))
        .says("the last four digits in a base below 255, such as 128 or 100")
        .why(
            "A byte holds 256 values, 0 to 255, so the base is 256: eight bits a byte. With a smaller one the greatest numbers need more than four digits, \
             and their first ones are lost.",
        )
        .link(SCAN);
    [127, 100, 16, 10, 250, 254]
        .into_iter()
        .fold(mistake, |mistake, base| mistake.or(digits(base)))
}

/// A decoder that takes a step to the left for so many times as much.
fn based(base: u32) -> Codec<u32> {
    Codec::fixed(encode, move |key: [u8; 4]| {
        let joined =
            |number: u32, byte: &u8| number.wrapping_mul(base).wrapping_add(u32::from(*byte));
        key.iter().fold(0, joined)
    })
}

//! What goes wrong when an `i64` is read from its key.

use kit::{Codec, Mistake};

use crate::solutions::order_i64::encode;

const SIGN_BIT: u64 = 1 << 63;
const WRONG: &str = "wrong-answers-and-what-each-breaks";
const REPAIRS: &str = "two-repairs";
const BYTES: &str = "where-the-bytes-come-from";

/// All mistakes in `decode`.
pub(crate) fn all() -> Vec<Mistake<Codec<i64>>> {
    let in_decode = |name, decode: fn([u8; 8]) -> i64| {
        Mistake::new(name, "decode", "round-trip", Codec::fixed(encode, decode))
    };
    vec![
        in_decode("decode_forgets_the_flip", i64::from_be_bytes)
            .says("reading the bytes as a big-endian i64, the sign bit still flipped")
            .why("What `encode` flips, `decode` has to flip back: 0 comes back as i64::MIN.")
            .link(REPAIRS),
        in_decode("decode_plain_little_endian", i64::from_le_bytes)
            .says("reading the lowest byte first, and the sign bit still flipped")
            .why(
                "The key has its highest byte first: read it in the order in which it was written. And what `encode` flips, `decode` has to flip back.",
            )
            .link("where-the-bytes-come-from"),
        in_decode("decode_little_endian_flipped", |key| {
            (u64::from_le_bytes(key) ^ SIGN_BIT).cast_signed()
        })
        .says("reading the lowest byte first")
        .why("The key has its highest byte first. Read it in the order in which it was written.")
        .link("where-the-bytes-come-from"),
        in_decode("decode_little_endian_after_the_flip", |mut key| {
            key[0] ^= 0x80;
            i64::from_le_bytes(key)
        })
        .says("the sign bit flipped back, and the lowest byte read first")
        .why("The key has its highest byte first, and the flip is right there. Read the rest in the order in which it was written.")
        .link("where-the-bytes-come-from"),
        in_decode("decode_inverts_every_bit", |key| !i64::from_be_bytes(key))
            .says("inverting every bit of the key")
            .why("`encode` flips the sign bit and no other: flip that one back. `!` turns round all 64, and 0 comes back as i64::MAX.")
            .link(REPAIRS),
        in_decode("decode_clears_the_sign_bit", |key| {
            (u64::from_be_bytes(key) & !SIGN_BIT).cast_signed()
        })
        .says("clearing the sign bit instead of flipping it back")
        .why("No number that comes back is negative: -1 becomes i64::MAX. Where the key has a 0, the number has a 1.")
        .link(REPAIRS),
        in_decode("decode_negatives_become_zero", |key| {
            u64::from_be_bytes(key).saturating_sub(SIGN_BIT).cast_signed()
        })
        .says("the right numbers from 0 on, and 0 for the keys of negative ones")
        .why(
            "If you subtracted 2^63 by `saturating_sub`: the key of a negative number is less than that, and the difference of two `u64` stops \
             at 0. `wrapping_sub`, or a flip of the bit, gives the number back.",
        )
        .link(REPAIRS),
        Mistake::new(
            "decode_panics_below_zero",
            "decode",
            "returns",
            Codec::fixed(encode, |key| {
                let difference = u64::from_be_bytes(key).checked_sub(SIGN_BIT);
                difference.expect("attempt to subtract with overflow").cast_signed()
            }),
        )
        .says("the right numbers from 0 on, and a panic for the keys of negative ones")
        .why(
            "If you subtracted 2^63 by `-`: the key of a negative number is less than that, so as a `u64` there is no difference. \
             The same happens to the first byte with `-= 0x80`. `wrapping_sub`, or a flip of the bit, gives the number back. If you asked `i64::try_from` and `unwrap`: it refuses \
             what is 2^63 or more, and `cast_signed`, or `as i64`, keeps every bit.",
        )
        .link(REPAIRS),
        Mistake::new(
            "decode_panics_from_zero_on",
            "decode",
            "returns",
            Codec::fixed(encode, |key| {
                let sum = i64::from_be_bytes(key).checked_add(i64::MIN);
                sum.expect("attempt to add with overflow")
            }),
        )
        .says("the right negative numbers, and a panic for the keys of all others")
        .why(
            "If you added i64::MIN by `+`: read as an i64, such a key is negative, for its first bit is set, and the sum of two \
             negative numbers does not fit here. `wrapping_add`, or a flip of the bit, gives the number back. If you asked `i64::try_from` \
             and `unwrap` before the flip: as a `u64` such a key is 2^63 or more, and it refuses that. `cast_signed`, or `as i64`, keeps every bit.",
        )
        .link(REPAIRS),
        in_decode("decode_offset_by_max", |key| {
            u64::from_be_bytes(key).wrapping_sub(i64::MAX.cast_unsigned()).cast_signed()
        })
        .says("subtracting i64::MAX")
        .why("Every number comes back greater by one, and i64::MAX as i64::MIN: the key of 0 is 2^63, and i64::MAX is one less. Flip the sign bit back.")
        .link(REPAIRS),
        in_decode("decode_inverts_negatives", |key| {
            let bits = u64::from_be_bytes(key);
            (if bits & SIGN_BIT == 0 { !bits } else { bits ^ SIGN_BIT }).cast_signed()
        })
        .says("the rule for floats: invert all bits of a key without its first bit")
        .why("An `encode` that flips the sign bit has inverted nothing else. Flip that bit back, in every key.")
        .link(REPAIRS),
        in_decode("decode_bytes_with_a_sign", |mut key| {
            key[0] ^= 0x80;
            key.into_iter().fold(0, |number, byte| number << 8 | i64::from(byte.cast_signed()))
        })
        .says("bytes from 80 on taken for negative numbers before they are put together")
        .why(
            "That is how Java's bytes are. As a number of 64 bits, such a byte has ones in front of it, and they cover the \
             bytes that count more. In Java that takes `& 0xff`; in Rust a `u8` has no sign.",
        )
        .link(BYTES),
        in_decode("decode_magnitude", |key| {
            let bits = u64::from_be_bytes(key);
            let number = (bits & !SIGN_BIT).cast_signed();
            if bits & SIGN_BIT == 0 { -number } else { number }
        })
        .says("the key without its first bit, negated where that bit is 0")
        .why(
            "That reads a sign and a magnitude. The key of -1 is 7f ff .. ff, because two's complement counts upwards below zero as well. \
             Flip the first bit back, and the bits are the number's own.",
        )
        .link(REPAIRS),
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            reason = "this is the mistake"
        )]
        in_decode("decode_through_a_double", |key| {
            (u64::from_be_bytes(key) as f64 - SIGN_BIT as f64) as i64
        })
        .says("subtracting 2^63 as a double")
        .why(
            "A double holds 53 binary digits, and every key near that of 0 has 64 of them: the last eleven are rounded off, and 1 comes back \
             as 0. Subtract in integers, by `wrapping_sub`, or flip the bit.",
        )
        .link(WRONG),
        in_decode("decode_32_bits", |key| {
            let [_, _, _, _, a, b, c, d] = key;
            i64::from(i32::from_be_bytes([a, b, c, d]))
        })
        .says("reading the last four bytes alone")
        .why("The upper four bytes hold the sign and everything from 2^32 on.")
        .link(WRONG),
        in_decode("decode_sign_lost", |key| {
            (u64::from_be_bytes(key) ^ SIGN_BIT).cast_signed().wrapping_abs()
        })
        .says("giving back the absolute value")
        .why(
            "If you measured how far the key is from 2^63: below it that is the absolute value, and the number is its negative. \
             A flip of the sign bit gives the number with its sign.",
        )
        .link(REPAIRS),
        in_decode("decode_one_more_below_zero", |key| {
            let bits = u64::from_be_bytes(key) ^ SIGN_BIT;
            let number = bits.cast_signed();
            if number < 0 { number + 1 } else { number }
        })
        .says("one too many for every negative number")
        .why(
            "If you counted down from 7f ff .. ff: that is the key of -1, not of 0. Two's complement has one negative number more than \
             it has positive ones, and a flip of the sign bit needs no counting.",
        )
        .link(REPAIRS),
        in_decode("decode_tests_byte_above_128", |key| {
            let bits = u64::from_be_bytes(key);
            if key[0] > 128 { bits ^ SIGN_BIT } else { bits | SIGN_BIT }.cast_signed()
        })
        .says("setting the sign bit unless the first byte is above 128")
        .why(
            "128 is the byte 80, which has the first bit set: the keys of all numbers from 0 to 2^56 - 1 begin with it, and their bit is to be cleared. Compare with \
             `>= 128`, or flip the bit of every key and compare nothing.",
        )
        .link(REPAIRS),
        in_decode("decode_sets_the_sign_bit", |key| {
            (u64::from_be_bytes(key) | SIGN_BIT).cast_signed()
        })
        .says("setting the sign bit instead of flipping it back")
        .why("Every number that comes back is negative: 0 becomes i64::MIN. Where the key has a 1, the number has a 0.")
        .link(REPAIRS),
    ]
}

//! What goes wrong with the keys of numbers.

use kit::{Mistake, Quirk, compose};

use crate::mistakes::numeric_f64_decode;
use crate::numeric_f64::Numeric;
use crate::solutions::numeric_f64::decode;
use crate::solutions::order_f64 as total;

const SIGN_BIT: u64 = 1 << 63;
const SCAN: &str = "a-scan-goes-wrong";
const WHY_NOT: &str = "why-not-invert-the-positive-numbers-too";
const CHOICE: &str = "which-zero-which-nan";
const TASK: &str = "numeric-f64";
const WRONG: &str = "wrong-answers-and-what-each-breaks";
const WILD: &str = "in-the-wild";

/// Steps that can be wrong independently of each other.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    // What becomes of -0.0, and of what is near it.
    ZerosApart,
    ZerosShareMinusZero,
    MinusZeroFlipped,
    MinusZeroRefused,
    ZerosRefused,
    TinyIsZero,
    SubnormalIsZero,
    // What becomes of NaNs.
    NanAccepted,
    NanSummed,
    NanInverted,
    NanSet,
    NanIsZero,
    SignedNanAccepted,
    OneNanRefused,
    // What else is refused, or becomes another number.
    InfinitiesClamped,
    InfinitiesRefused,
    NotNormalRefused,
    NegativesRefused,
    // The rule for the bits.
    PlainBits,
    SignFlipped,
    NegativesInvertedOnly,
    AllInverted,
    SignByteFlipped,
    SignByteSet,
    Absolute,
    LittleEndian,
    Narrowed,
}
use Step::{
    Absolute, AllInverted, InfinitiesClamped, InfinitiesRefused, LittleEndian, MinusZeroFlipped,
    MinusZeroRefused, NanAccepted, NanInverted, NanIsZero, NanSet, NanSummed, Narrowed,
    NegativesInvertedOnly, NegativesRefused, NotNormalRefused, OneNanRefused, PlainBits,
    SignByteFlipped, SignByteSet, SignFlipped, SignedNanAccepted, SubnormalIsZero, TinyIsZero,
    ZerosApart, ZerosRefused, ZerosShareMinusZero,
};

/// Of each group, an encoder takes one step at most.
const APART: [&[Step]; 6] = [
    &[
        ZerosApart,
        ZerosShareMinusZero,
        MinusZeroFlipped,
        MinusZeroRefused,
        ZerosRefused,
        TinyIsZero,
        SubnormalIsZero,
    ],
    // Nothing subnormal is left by the other one.
    &[SubnormalIsZero, NotNormalRefused],
    &[SubnormalIsZero, Narrowed],
    &[
        NanAccepted,
        NanSummed,
        NanInverted,
        NanSet,
        NanIsZero,
        SignedNanAccepted,
        OneNanRefused,
    ],
    &[
        InfinitiesClamped,
        InfinitiesRefused,
        NotNormalRefused,
        NegativesRefused,
    ],
    &[
        PlainBits,
        SignFlipped,
        NegativesInvertedOnly,
        AllInverted,
        SignByteFlipped,
        SignByteSet,
        Absolute,
    ],
];

const QUIRKS: [Quirk<Step>; 27] = [
    Quirk::new(ZerosApart, "zeros_apart", "order")
        .says("the total order for numbers with a key of its own for -0.0")
        .why(
            "-0.0 and 0.0 are equal as numbers. With two keys, a range from 0 to 0 misses the members that were \
         stored with -0.0.",
        )
        .link(CHOICE),
    Quirk::new(ZerosShareMinusZero, "zeros_share_the_key_of_minus_zero", "bytes")
        .says("the key of -0.0 for both zeros")
        .why(
            "One key is right, and the order holds. But the task fixes which one: 80 00 00 00 00 00 00 00, which \
         decodes as 0.0.",
        )
        .why_beside("The two are to share the key of 0.0, 80 00 00 00 00 00 00 00.")
        .link(TASK),
    Quirk::new(MinusZeroFlipped, "minus_zero_flipped_away", "order")
        .says("inverting where `value < 0.0` and flipping the first bit elsewhere")
        .why(
            "-0.0 is not below zero, so its sign bit is flipped away, and nothing remains: it sorts below -inf. \
         Set the bit there instead, or make 0.0 of -0.0 first.",
        )
        .link(WRONG),
    Quirk::new(MinusZeroRefused, "minus_zero_refused", "bytes")
        .says("a refusal of -0.0")
        .why(
            "-0.0 is a number, and arithmetic makes it, as from -1.0 * 0.0. It takes the key of 0.0. What is \
         refused is the other key, in `decode`.",
        )
        .link(CHOICE),
    Quirk::new(ZerosRefused, "zeros_refused", "bytes")
        .says("a refusal of both zeros")
        .why(
            "Zero is a number, and a common score. If you asked for `is_normal`: zeros and subnormal numbers are \
         not normal, and are numbers all the same.",
        )
        .link(TASK),
    Quirk::new(TinyIsZero, "tiny_numbers_taken_for_zero", "order")
        .says("numbers nearer to zero than `f64::EPSILON` taken for zero")
        .why(
            "`EPSILON` is the gap after 1, not the smallest number. About nineteen of twenty doubles between 0 and 1 \
         are smaller, and each needs a key.",
        )
        .link(CHOICE),
    Quirk::new(SubnormalIsZero, "subnormal_numbers_taken_for_zero", "order")
        .says("subnormal numbers taken for zero")
        .why(
            "They are the numbers nearest to zero, and none of them is zero: each needs a key. If you asked for `is_normal` or \
         compared with `f64::MIN_POSITIVE`: that is the least normal number, not the least one.",
        )
        .link("sign-exponent-fraction"),
    Quirk::new(InfinitiesClamped, "infinities_clamped", "order")
        .says("the greatest and the least finite number in place of the infinities")
        .why(
            "A member at +inf and one at `f64::MAX` share a score then. Infinities are numbers here: they compare with \
         every other one, and their keys sort by themselves.",
        )
        .link("invariants"),
    Quirk::new(NanAccepted, "nan_accepted", "refusal")
        .says("the total order's keys for NaNs")
        .why(
            "A NaN has no place among numbers: no range finds it, and a sum of scores may make one. If you \
         compared with `== f64::NAN`: a NaN equals nothing, not even itself. `is_nan` finds it.",
        )
        .link(CHOICE),
    Quirk::new(NanSummed, "nan_accepted_in_a_sum", "refusal")
        .says("the total order's keys of `value + 0.0`, NaNs too")
        .why(
            "The sum makes one zero of two, and a NaN stays a NaN. It has no place among numbers. If you compared \
         with `== f64::NAN`: a NaN equals nothing, not even itself. `is_nan` finds it.",
        )
        .link(CHOICE),
    Quirk::new(NanInverted, "nan_inverted", "refusal")
        .says("QDB's rule, setting the first bit where `value >= 0.0` and inverting elsewhere, NaNs too")
        .why(
            "The zeros come out right, at no cost. But a NaN fails the test although its sign bit is clear. \
         Inverted, it sorts just above 0.0 and decodes as a tiny number, and nothing reports that. If you \
         compared with `== f64::NAN`: a NaN equals nothing, not even itself. `is_nan` finds it.",
        )
        .why_beside(
            "A NaN fails the test although its sign bit is clear, and gets a key all the same. If you compared with `== f64::NAN`: a \
             NaN equals nothing, not even itself. `is_nan` finds it.",
        )
        .link(WILD),
    Quirk::new(NanSet, "nan_first_bit_set", "refusal")
        .says("inverting where `value < 0.0` and setting the first bit elsewhere, NaNs too")
        .why(
            "The zeros come out right, at no cost. But a NaN is below nothing and gets a key above +inf, the same \
         one with and without its sign bit. No range of numbers ends there. If you compared with `== f64::NAN`: \
         a NaN equals nothing, not even itself. `is_nan` finds it.",
        )
        .why_beside(
            "A NaN is below nothing, and gets a key all the same. If you compared with `== f64::NAN`: a NaN equals nothing, not even \
             itself. `is_nan` finds it.",
        )
        .link(CHOICE),
    Quirk::new(NanIsZero, "nan_taken_for_zero", "refusal")
        .says("the key of zero for NaNs")
        .why(
            "A default hides the fault: a score that could not be calculated is not a score of zero.",
        )
        .link(CHOICE),
    Quirk::new(SignedNanAccepted, "nan_with_sign_bit_accepted", "refusal")
        .says("a refusal of NaNs without the sign bit alone")
        .why(
            "NaNs with the sign bit exist, and Rust does not promise which sign a NaN has that arithmetic made. \
         `is_nan` finds both.",
        )
        .link(WILD),
    Quirk::new(OneNanRefused, "one_nan_refused", "refusal")
        .says("a refusal of the bits of `f64::NAN` alone")
        .why(
            "NaN has 2^53 - 2 patterns, and `f64::NAN` is one of them. -inf + inf may give another. If you compared the \
             bits: `is_nan` finds all of them.",
        )
        .link(CHOICE),
    Quirk::new(InfinitiesRefused, "infinities_refused", "bytes")
        .says("a refusal of infinities")
        .why(
            "Infinities are numbers here: they compare with every other one, and Redis takes them as scores. If \
         you asked for `is_finite`, ask for `is_nan`.",
        )
        .link("invariants"),
    Quirk::new(NotNormalRefused, "not_normal_refused", "bytes")
        .says("a refusal of infinities and of subnormal numbers, the ones nearest to zero")
        .why(
            "If you asked for `is_normal`: it is false for NaNs, but also for infinities, for numbers below \
         2^-1022 and for zeros. All of these are numbers, and each has a key. `is_nan` asks the right question.",
        )
        .link("invariants"),
    Quirk::new(NegativesRefused, "sign_bit_refused", "bytes")
        .says("a refusal of everything with the sign bit")
        .why(
            "If you compared the bits with those of +inf to find NaNs: every pattern with the sign bit is greater \
         as an integer. `is_nan` asks the right question.",
        )
        .link(CHOICE),
    Quirk::new(PlainBits, "plain_big_endian", "order")
        .says("the plain bits in big-endian")
        .why(
            "Negative numbers have the first bit set, so they come last, and they are stored by magnitude, so \
         they run backwards.",
        )
        .link(SCAN),
    Quirk::new(SignFlipped, "sign_bit_flipped", "order")
        .says("a flip of the sign bit alone")
        .why(
            "The negative half is in front now. But it still runs backwards: invert all its bits.",
        )
        .link(SCAN),
    Quirk::new(NegativesInvertedOnly, "negatives_inverted_only", "order")
        .says("inverted negative numbers and plain positive ones")
        .why(
            "Both halves begin with a 0 bit now, so they lie one over the other. Set the first bit of the \
         positive ones.",
        )
        .link(WRONG),
    Quirk::new(AllInverted, "every_bit_inverted", "order")
        .says("an inversion of all bits of every number")
        .why(
            "The halves change places, and that is right. But the positive half, which was in order, runs \
         backwards now.",
        )
        .why_beside("Of a positive number, only the sign bit is to be changed: its other bits count upwards.")
        .link(WHY_NOT),
    Quirk::new(SignByteFlipped, "sign_byte_above_128_flipped", "order")
        .says("inverting where the first byte is above 128 and flipping the first bit elsewhere, with one zero")
        .why(
            "128 is the byte 80, which has the first bit set: the negative numbers nearest to zero begin with it. They take the other branch, lose \
             their sign bit and land below -inf. Compare with `>= 128`, or ask for the bit: `bits >> 63`.",
        )
        .link("sign-exponent-fraction"),
    Quirk::new(SignByteSet, "sign_byte_above_128_set", "order")
        .says("inverting where the first byte is above 128 and setting the first bit elsewhere")
        .why(
            "128 is the byte 80, which has the first bit set: the negative numbers nearest to zero begin with it. They take the other branch, and each \
             shares the key of the same number without its sign. Compare with `>= 128`, or ask for the bit: `bits >> 63`.",
        )
        .link("sign-exponent-fraction"),
    Quirk::new(Absolute, "absolute_value", "order")
        .says("the key of the absolute value")
        .why(
            "It gives the zeros one key, and -1 and 1 as well.",
        )
        .link(CHOICE),
    Quirk::new(LittleEndian, "right_bits_little_endian", "order")
        .says("the right bits in little-endian")
        .why(
            "The rule is right, and its bytes are turned round. The store compares from the left.",
        )
        .says_beside("little-endian bytes")
        .why_beside("The store compares from the left, and the byte that counts least comes first.")
        .link(WRONG),
    Quirk::new(Narrowed, "narrowed_to_f32", "order")
        .says("a value narrowed by `as f32`")
        .why(
            "An `f32` has 23 bits of fraction, an `f64` has 52. Neighbours fall together, small numbers become \
         zero and large ones infinite, without a word.",
        )
        .link("sign-exponent-fraction"),
];

fn key(steps: &[Step], value: f64) -> Option<[u8; 8]> {
    let has = |step| steps.contains(&step);
    #[expect(clippy::cast_possible_truncation, reason = "this is the mistake")]
    let value = if has(Narrowed) {
        f64::from(value as f32)
    } else {
        value
    };
    if refused(steps, value) {
        return None;
    }
    let value = if has(InfinitiesClamped) {
        value.clamp(f64::MIN, f64::MAX)
    } else {
        value
    };
    let tiny = has(TinyIsZero) && value.abs() < f64::EPSILON
        || has(SubnormalIsZero) && value.is_subnormal();
    let value = if value == 0.0 || tiny {
        zero(steps, value)
    } else if value.is_nan() && has(NanIsZero) {
        0.0
    } else {
        value
    };
    // A sum makes a quiet NaN of a signalling one.
    let quiet = if value.is_nan() && has(NanSummed) {
        1 << 51
    } else {
        0
    };
    let bits = value.to_bits() | quiet;
    let negative = bits >> 63 == 1;
    let bits = if has(PlainBits) {
        bits
    } else if has(SignFlipped) {
        bits ^ SIGN_BIT
    } else if has(NegativesInvertedOnly) {
        if negative { !bits } else { bits }
    } else if has(AllInverted) {
        !bits
    } else if has(Absolute) {
        bits | SIGN_BIT
    } else if has(MinusZeroFlipped) && value == 0.0 {
        bits ^ SIGN_BIT
    } else if has(NanSet) && value.is_nan() {
        bits | SIGN_BIT
    } else if has(SignByteFlipped) && bits >> 56 <= 128 {
        bits ^ SIGN_BIT
    } else if has(SignByteSet) && bits >> 56 <= 128 {
        bits | SIGN_BIT
    } else if negative || has(NanInverted) && value.is_nan() {
        !bits
    } else {
        bits ^ SIGN_BIT
    };
    Some(if has(LittleEndian) {
        bits.to_le_bytes()
    } else {
        bits.to_be_bytes()
    })
}

fn refused(steps: &[Step], value: f64) -> bool {
    let has = |step| steps.contains(&step);
    let accepted = has(NanAccepted)
        || has(NanSummed)
        || has(NanInverted)
        || has(NanSet)
        || has(NanIsZero)
        || has(SignedNanAccepted) && value.is_sign_negative()
        || has(OneNanRefused) && value.to_bits() != f64::NAN.to_bits();
    let minus_zero = value == 0.0 && value.is_sign_negative();
    value.is_nan() && !accepted
        || value == 0.0 && has(ZerosRefused)
        || minus_zero && has(MinusZeroRefused)
        || value.is_infinite() && (has(InfinitiesRefused) || has(NotNormalRefused))
        || value.is_subnormal() && has(NotNormalRefused)
        || value.is_sign_negative() && has(NegativesRefused)
}

/// What is encoded in place of a zero.
fn zero(steps: &[Step], value: f64) -> f64 {
    let has = |step| steps.contains(&step);
    if has(ZerosApart) || has(MinusZeroFlipped) {
        value
    } else if has(ZerosShareMinusZero) {
        -0.0
    } else {
        0.0
    }
}

fn with(steps: &[Step]) -> Option<Numeric> {
    let both = |group: &&[Step]| steps.iter().filter(|s| group.contains(s)).count() > 1;
    if APART.iter().any(both) {
        return None;
    }
    let steps = steps.to_vec();
    Some(Numeric::new(move |value| key(&steps, value), decode))
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Numeric>> {
    let mut mistakes = vec![
        // Not two misconceptions but one: the exercise before this.
        Mistake::new(
            "total_order_as_it_is",
            "encode",
            "order",
            Numeric::new(
                |value| Some(total::encode(value)),
                |key| Some(total::decode(key)),
            ),
        )
        .says("the total order as it is")
        .why(
            "It gives every pattern its own key. For numbers, that is one zero too many, and NaNs besides: a \
             range from 0 to 0 misses the members that were stored with -0.0.",
        )
        .link(CHOICE),
    ];
    mistakes.push(
        Mistake::new(
            "nans_panic",
            "encode",
            "returns",
            Numeric::new(
                |value| {
                    assert!(!value.is_nan(), "not a number");
                    key(&[], value)
                },
                decode,
            ),
        )
        .says("the right key of every number, and a panic for NaNs")
        .why(
            "A NaN is no number, and so much is seen. But it comes from a sum of scores or from a user, and anyone who asks for \
             its key expects an answer: `None`.",
        )
        .link(TASK),
    );
    mistakes.push(
        Mistake::new(
            "at_most_zero_inverted",
            "encode",
            "order",
            Numeric::new(
                |value| match value {
                    0.0 => Some([0xff; 8]),
                    _ => key(&[], value),
                },
                decode,
            ),
        )
        .says("inverting where the number is at most zero")
        .why(
            "0.0 is at most zero and has no sign bit: inverted, its bits are all ones, the greatest key of all. Numbers below zero are inverted, and 0.0 \
             gets its first bit set like those above.",
        )
        .link(WRONG),
    );
    mistakes.extend(of_nans());
    mistakes.extend(numeric_f64_decode::all());
    mistakes.extend(compose("encode", &QUIRKS, with));
    mistakes
}

/// The key of an integer, for what `as i64` makes of a number.
fn cut_to_i64(value: f64) -> [u8; 8] {
    ((value as i64).cast_unsigned() ^ SIGN_BIT).to_be_bytes()
}

/// NaNs with a key that is none of theirs in the total order, and what is refused along with them.
fn of_nans() -> Vec<Mistake<Numeric>> {
    let in_encode = |name, check, encode: fn(f64) -> Option<[u8; 8]>| {
        Mistake::new(name, "encode", check, Numeric::new(encode, decode))
    };
    vec![
        in_encode("nan_has_the_least_key", "refusal", |value| {
            Some(if value.is_nan() { [0x00; 8] } else { key(&[], value)? })
        })
        .says("the least key of all for NaNs")
        .why("A key gives a NaN a place, here before -inf, and a scan from the first row on would find it. What is not a number has no key: `None`.")
        .link(TASK),
        in_encode("nan_has_the_greatest_key", "refusal", |value| {
            Some(if value.is_nan() { [0xff; 8] } else { key(&[], value)? })
        })
        .says("the greatest key of all for NaNs")
        .why("A key gives a NaN a place, here after inf, and a scan to the last row would find it. What is not a number has no key: `None`.")
        .link(TASK),
        in_encode("one_nan_refused_and_others_summed", "refusal", |value| {
            if value.to_bits() == f64::NAN.to_bits() { None } else { key(&[NanSummed], value) }
        })
        .says("a refusal of the bits of `f64::NAN` alone, and the key of `value + 0.0` for all others")
        .why(
            "The sum makes one zero of two. But NaN has 2^53 - 2 patterns, and `f64::NAN` is one of them. If you compared the bits: \
             `is_nan` finds all of them.",
        )
        .link(CHOICE),
        in_encode("nan_with_sign_bit_summed", "refusal", |value| {
            if value.is_nan() && value.is_sign_positive() { None } else { key(&[NanSummed], value) }
        })
        .says("a refusal of NaNs without the sign bit alone, and the key of `value + 0.0` for all others")
        .why(
            "The sum makes one zero of two. But NaNs with the sign bit exist, and Rust does not promise which sign a NaN has that arithmetic \
             made. `is_nan` finds both.",
        )
        .link(WILD),
        in_encode("subnormal_numbers_refused", "bytes", |value| {
            if value.is_subnormal() || value.is_nan() { None } else { key(&[], value) }
        })
        .says("a refusal of subnormal numbers and of NaNs")
        .why(
            "Subnormal numbers are the ones nearest to zero. They are numbers, compare with all others, and have a key. Only a NaN has none.",
        )
        .link(TASK),
        in_encode("negatives_become_zero", "order", |value| {
            if value < 0.0 { key(&[], 0.0) } else { key(&[], value) }
        })
        .says("the key of 0.0 for every negative number")
        .why(
            "-1 is a score like any other, and all that is below zero shares one key here. Of the two zeros, `-0.0` alone becomes the other \
             one, and `value + 0.0` does that.",
        )
        .link(TASK),
        in_encode("truncated_to_i64", "order", |value| {
            (!value.is_nan()).then(|| cut_to_i64(value))
        })
        .or(Numeric::new(|value| Some(cut_to_i64(value)), decode))
        .says("the key of `value as i64`, for all numbers")
        .why(
            "`as i64` drops the fraction: 1.5 becomes 1. From 2^63 on everything is `i64::MAX`. You need the bits of the number, not the number cut \
             off: `to_bits`.",
        )
        .link(WRONG),
        in_encode("only_normal_numbers", "bytes", |value| {
            if value.is_normal() { key(&[], value) } else { None }
        })
        .says("a refusal of everything but normal numbers")
        .why(
            "`is_normal` is false for NaNs, and also for zero, for infinities and for the subnormal numbers, which are nearest to zero. \
             All but the NaNs are numbers, and have a key. `is_nan` finds those.",
        )
        .link(TASK),
    ]
}

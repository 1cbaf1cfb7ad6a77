//! What goes wrong when an `f64` is read from its key in total order.

use kit::{Codec, Mistake, Quirk, compose};

use crate::solutions::order_f64::encode;

const SIGN_BIT: u64 = 1 << 63;
const FIELDS: &str = "sign-exponent-fraction";
const REPAIR: &str = "the-repair";
const CHOICE: &str = "which-zero-which-nan";

/// Steps that can be wrong independently of each other.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    Plain,
    AlwaysFlips,
    AlwaysInverts,
    BranchesExchanged,
    LeavesPositives,
    LeavesNegatives,
    TestsBelowZero,
    TestsAtLeastZero,
    TestsByteAbove128,
    TestsByteFrom127,
    LittleEndian,
    LosesTheSign,
    Narrowed,
    MergesZeros,
    MergesNans,
}
use Step::{
    AlwaysFlips, AlwaysInverts, BranchesExchanged, LeavesNegatives, LeavesPositives, LittleEndian,
    LosesTheSign, MergesNans, MergesZeros, Narrowed, Plain, TestsAtLeastZero, TestsBelowZero,
    TestsByteAbove128, TestsByteFrom127,
};

/// Steps that go along with any rule for the sign. Of the others a decoder has one at most.
const ASIDE: [Step; 5] = [
    LittleEndian,
    LosesTheSign,
    Narrowed,
    MergesZeros,
    MergesNans,
];

const QUIRKS: [Quirk<Step>; 15] = [
    Quirk::new(Plain, "decode_plain", "round-trip")
        .says("taking the key for the plain bits")
        .why(
            "What `encode` has done to the bits has to be undone: 1 comes back as -1, and a negative number as \
         something else altogether.",
        )
        .link(REPAIR),
    Quirk::new(AlwaysFlips, "decode_always_flips", "round-trip")
        .says("flipping the first bit and nothing else")
        .why(
            "That undoes the keys of positive numbers alone. The first bit of the key tells which branch was \
         taken: if it is clear, all bits were inverted.",
        )
        .link(REPAIR),
    Quirk::new(AlwaysInverts, "decode_always_inverts", "round-trip")
        .says("inverting all bits of every key")
        .why(
            "That undoes the keys of negative numbers alone. The first bit of the key tells which branch was \
         taken: if it is set, it alone was changed.",
        )
        .link(REPAIR),
    Quirk::new(BranchesExchanged, "decode_branches_exchanged", "round-trip")
        .says("exchanged branches that invert where the first bit is set")
        .why(
            "In a number the first bit is set if it is negative. In a key it is the other way round: a number \
         without the sign bit got it set.",
        )
        .link(REPAIR),
    Quirk::new(LeavesPositives, "decode_leaves_positives", "round-trip")
        .says("leaving a key alone when its first bit is set")
        .why(
            "That bit was set by `encode`, and has to be cleared again: 1 comes back as -1.",
        )
        .link(REPAIR),
    Quirk::new(LeavesNegatives, "decode_leaves_negatives", "round-trip")
        .says("leaving a key alone when its first bit is clear")
        .why(
            "A clear first bit in a key says that all bits were inverted. Invert them again.",
        )
        .link(REPAIR),
    Quirk::new(TestsBelowZero, "decode_tests_below_zero", "round-trip")
        .says("reading the key as a number and inverting unless that is below zero")
        .why(
            "A key is not a number. The key of 0.0 reads as -0.0, which is not below zero, and those of many \
         NaNs read as NaN. Look at the first bit of the key.",
        )
        .link(CHOICE),
    Quirk::new(TestsAtLeastZero, "decode_tests_at_least_zero", "round-trip")
        .says("reading the key as a number and inverting if that is at least zero")
        .why(
            "A key is not a number. The key of 0.0 reads as -0.0, which is at least zero, and that of -0.0 reads \
         as NaN, which is not. Look at the first bit of the key.",
        )
        .link(CHOICE),
    Quirk::new(TestsByteAbove128, "decode_tests_byte_above_128", "round-trip")
        .says("inverting unless the first byte is above 128")
        .why(
            "128 is the byte 80, which has the first bit set: the keys of 0.0 and of the positive numbers nearest to zero begin with it, and that \
             bit is to be cleared. Compare with `>= 128`, or ask for the bit.",
        )
        .link(REPAIR),
    Quirk::new(TestsByteFrom127, "decode_tests_byte_from_127", "round-trip")
        .says("flipping the first bit where the first byte is 127 or more")
        .why(
            "127 is the byte 7f, whose first bit is clear: the keys of -0.0 and of the negative numbers nearest to zero begin with it, and all their \
             bits were inverted. The first bit is set from 128 on.",
        )
        .link(REPAIR),
    Quirk::new(LittleEndian, "decode_little_endian", "round-trip")
        .says("reading the lowest byte first")
        .why(
            "The key has its highest byte first. Read it in the order in which it was written.",
        )
        .link(REPAIR),
    Quirk::new(LosesTheSign, "decode_loses_the_sign", "round-trip")
        .says("giving back the absolute value")
        .why(
            "The first bit of the key is the sign: where it is clear, the number had its sign bit set.",
        )
        .link(FIELDS),
    Quirk::new(Narrowed, "decode_narrowed_to_f32", "round-trip")
        .says("narrowing the number by `as f32`")
        .why(
            "An `f32` has 23 bits of fraction, an `f64` has 52. The others are lost: 0.1 comes back changed.",
        )
        .link(FIELDS),
    Quirk::new(MergesZeros, "decode_merges_zeros", "round-trip")
        .says("giving back 0.0 for -0.0")
        .why(
            "That is the numeric key, which is the next exercise. In the total order every pattern comes back bit \
         for bit.",
        )
        .link(CHOICE),
    Quirk::new(MergesNans, "decode_merges_nans", "round-trip")
        .says("giving back one NaN for all of them")
        .why(
            "A NaN has a sign bit and a payload. In the total order every pattern comes back bit for bit.",
        )
        .link(CHOICE),
];

fn read(steps: &[Step], key: [u8; 8]) -> f64 {
    let has = |step| steps.contains(&step);
    let bits = if has(LittleEndian) {
        u64::from_le_bytes(key)
    } else {
        u64::from_be_bytes(key)
    };
    let (plain, flipped, inverted) = (bits, bits ^ SIGN_BIT, !bits);
    let set = bits >> 63 == 1;
    let as_number = f64::from_bits(bits);
    let bits = if has(Plain) {
        plain
    } else if has(AlwaysFlips) {
        flipped
    } else if has(AlwaysInverts) {
        inverted
    } else if has(BranchesExchanged) {
        if set { inverted } else { flipped }
    } else if has(LeavesPositives) {
        if set { plain } else { inverted }
    } else if has(LeavesNegatives) {
        if set { flipped } else { plain }
    } else if has(TestsBelowZero) {
        if as_number < 0.0 { flipped } else { inverted }
    } else if has(TestsAtLeastZero) {
        if as_number >= 0.0 { inverted } else { flipped }
    } else if has(TestsByteAbove128) {
        if bits >> 56 > 128 { flipped } else { inverted }
    } else if has(TestsByteFrom127) {
        if bits >> 56 >= 127 { flipped } else { inverted }
    } else if set {
        flipped
    } else {
        inverted
    };
    lost(steps, f64::from_bits(bits))
}

/// What is left of a value that was read.
fn lost(steps: &[Step], value: f64) -> f64 {
    let has = |step| steps.contains(&step);
    if has(LosesTheSign) {
        value.abs()
    } else if has(Narrowed) {
        #[expect(clippy::cast_possible_truncation, reason = "this is the mistake")]
        f64::from(value as f32)
    } else if has(MergesZeros) {
        value + 0.0
    } else if has(MergesNans) && value.is_nan() {
        f64::NAN
    } else {
        value
    }
}

/// All mistakes in `decode`.
pub(crate) fn all() -> Vec<Mistake<Codec<f64>>> {
    // The two together are one slip, and have a sentence of their own.
    let cleared = [BranchesExchanged, LosesTheSign];
    let mut mistakes = compose("decode", &QUIRKS, |steps| {
        let rules = steps.iter().filter(|step| !ASIDE.contains(step)).count();
        let losses = steps.len() - rules - usize::from(steps.contains(&LittleEndian));
        let one_slip = cleared.iter().all(|step| steps.contains(step));
        let steps = steps.to_vec();
        (rules <= 1 && losses <= 1 && !one_slip)
            .then(|| Codec::fixed(encode, move |key| read(&steps, key)))
    });
    mistakes.push(
        Mistake::new(
            "decode_inverts_the_key_of_zero",
            "decode",
            "round-trip",
            Codec::fixed(encode, move |key| {
                let bits = u64::from_be_bytes(key);
                f64::from_bits(if bits > SIGN_BIT { bits ^ SIGN_BIT } else { !bits })
            }),
        )
        .says("inverting the key of 0.0 as well")
        .why(
            "The key of 0.0 is 80 00 .. 00: its first bit is set, so it is to be cleared. If you compared by `>`: the least key with \
             that bit belongs to the upper half too.",
        )
        .link(REPAIR),
    );
    mistakes.push(
        Mistake::new(
            "decode_little_endian_after_the_flip",
            "decode",
            "round-trip",
            Codec::fixed(encode, |key: [u8; 8]| {
                let mut bytes = key;
                if key[0] < 0x80 {
                    bytes = bytes.map(|byte| !byte);
                } else {
                    bytes[0] ^= 0x80;
                }
                f64::from_le_bytes(bytes)
            }),
        )
        .says("the bits turned back, and the lowest byte read first")
        .why(
            "The key has its highest byte first, and its bits are turned back rightly. If you wrote `from_ne_bytes`: that is the machine's order, \
             little-endian on nearly all of them. Read the bytes in the order in which they were written.",
        )
        .link(REPAIR),
    );
    mistakes.push(converted());
    mistakes.push(
        Mistake::new(
            "decode_branches_exchanged_and_cleared",
            "decode",
            "round-trip",
            Codec::fixed(encode, move |key| read(&cleared, key)),
        )
        .says("its two branches exchanged: inverting where the first bit is set, and clearing it where it is clear already")
        .why(
            "In a number the first bit is set if it is negative. In a key it is the other way round: a number \
             without the sign bit got it set. Where it is set, clear it; elsewhere invert.",
        )
        .link(REPAIR),
    );
    mistakes
}

/// The pattern, or the key, taken for an integer whose value is the double's.
#[expect(clippy::cast_precision_loss, reason = "this is the mistake")]
fn converted() -> Mistake<Codec<f64>> {
    fn pattern(key: u64) -> u64 {
        if key >> 63 == 1 { key ^ SIGN_BIT } else { !key }
    }
    let by =
        |convert: fn(u64) -> f64| Codec::fixed(encode, move |key| convert(u64::from_be_bytes(key)));
    Mistake::new(
        "decode_converts_the_pattern",
        "decode",
        "round-trip",
        by(|key| pattern(key) as f64),
    )
    .or(by(|key| pattern(key).cast_signed() as f64))
    .or(by(|key| (key ^ SIGN_BIT).cast_signed() as f64))
    .or(by(|key| key as f64))
    .or(by(|key| key.cast_signed() as f64))
    .says("bits that are converted to a double as an integer, as by `as f64`")
    .why(
        "The bits of 1.0 are the integer 4607182418800017408, and `as f64` gives the double with that value. Nothing is to be converted: \
         `f64::from_bits` takes the bits as they are.",
    )
    .link(FIELDS)
}

//! What goes wrong when a number is read from its key.

use kit::{Mistake, Quirk, compose_where};

use crate::numeric_f64::Numeric;
use crate::solutions::numeric_f64::encode;

const SIGN_BIT: u64 = 1 << 63;
const REPAIR: &str = "the-repair";
const CHOICE: &str = "which-zero-which-nan";
const TASK: &str = "numeric-f64";

/// Steps that can be wrong independently of each other.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    // What is refused.
    RefusesNothing,
    AcceptsMinusZero,
    TurnsMinusZero,
    AcceptsNan,
    AcceptsNanWithSign,
    RefusesOneNan,
    RefusesInfinities,
    RefusesZero,
    GivesMinusZero,
    // The rule for the bits.
    Plain,
    AlwaysFlips,
    AlwaysInverts,
    BranchesExchanged,
    TestsByteAbove128,
    LittleEndian,
}
use Step::{
    AcceptsMinusZero, AcceptsNan, AcceptsNanWithSign, AlwaysFlips, AlwaysInverts,
    BranchesExchanged, GivesMinusZero, LittleEndian, Plain, RefusesInfinities, RefusesNothing,
    RefusesOneNan, RefusesZero, TestsByteAbove128, TurnsMinusZero,
};

/// Of each group, a decoder takes one step at most.
const APART: [&[Step]; 3] = [
    &[RefusesNothing, AcceptsMinusZero, TurnsMinusZero],
    &[
        RefusesNothing,
        AcceptsNan,
        AcceptsNanWithSign,
        RefusesOneNan,
    ],
    &[
        Plain,
        AlwaysFlips,
        AlwaysInverts,
        BranchesExchanged,
        TestsByteAbove128,
    ],
];

const QUIRKS: [Quirk<Step>; 15] = [
    Quirk::new(RefusesNothing, "decode_refuses_nothing", "round-trip")
        .says("reading every key as in the total order")
        .why(
            "Not every eight bytes are a key here. Those of -0.0 alone and of NaNs come from no encoder: \
         something else was stored, or a byte was changed, and the reader should hear of it.",
        )
        .link(CHOICE),
    Quirk::new(AcceptsMinusZero, "decode_accepts_minus_zero", "round-trip")
        .says("refusing NaNs and reading 7f ff ff ff ff ff ff ff as -0.0")
        .why(
            "No encoder writes this key: both zeros have the key of 0.0. If it is accepted, zero has two keys \
         again.",
        )
        .link(CHOICE),
    Quirk::new(TurnsMinusZero, "decode_turns_minus_zero", "round-trip")
        .says("refusing NaNs and reading 7f ff ff ff ff ff ff ff as 0.0")
        .why(
            "No encoder writes this key: both zeros have the key of 0.0. To read it as 0.0 hides that something \
         else has written it.",
        )
        .link(CHOICE),
    Quirk::new(AcceptsNan, "decode_accepts_nan", "round-trip")
        .says("refusing the key of -0.0 and reading those of NaNs")
        .why(
            "`encode` refuses NaNs, so no key of theirs is in the store. `decode` has to refuse them as well.",
        )
        .link(CHOICE),
    Quirk::new(AcceptsNanWithSign, "decode_accepts_nan_with_sign", "round-trip")
        .says("refusing NaNs without the sign bit alone")
        .why(
            "The keys below that of -inf belong to NaNs with the sign bit. `is_nan` finds both kinds.",
        )
        .link(CHOICE),
    Quirk::new(RefusesOneNan, "decode_refuses_one_nan", "round-trip")
        .says("refusing the key of `f64::NAN` and reading those of other NaNs")
        .why("NaN has 2^53 - 2 patterns, and `f64::NAN` is one of them. If you compared the bits: `is_nan` finds all of them.")
        .link(CHOICE),
    Quirk::new(RefusesInfinities, "decode_refuses_infinities", "round-trip")
        .says("refusing infinities")
        .why(
            "Infinities are numbers here, and `encode` gives them keys. If you asked for `is_finite`, ask for \
         `is_nan`.",
        )
        .link("invariants"),
    Quirk::new(RefusesZero, "decode_refuses_zero", "round-trip")
        .says("refusing the key of the zeros")
        .why(
            "80 and seven zero bytes is 0.0, a number. The key that no number has is the one before it, 7f ff ff \
         ff ff ff ff ff. If you compared the value with -0.0: 0.0 is equal to it.",
        )
        .link(CHOICE),
    Quirk::new(GivesMinusZero, "decode_gives_minus_zero", "round-trip")
        .says("giving back -0.0 for the key of the zeros")
        .why(
            "Equal as a number, but the task fixes it: 80 00 00 00 00 00 00 00 is 0.0.",
        )
        .link(TASK),
    Quirk::new(Plain, "decode_plain", "round-trip")
        .says("taking the key for the plain bits")
        .why(
            "What `encode` has done to the bits has to be undone: 1 comes back as -1.",
        )
        .link(REPAIR),
    Quirk::new(AlwaysFlips, "decode_always_flips", "round-trip")
        .says("flipping the first bit and nothing else")
        .why(
            "That undoes the keys of positive numbers alone. If the first bit is clear, all bits were inverted.",
        )
        .link(REPAIR),
    Quirk::new(AlwaysInverts, "decode_always_inverts", "round-trip")
        .says("inverting all bits of every key")
        .why(
            "That undoes the keys of negative numbers alone. If the first bit is set, it alone was changed.",
        )
        .link(REPAIR),
    Quirk::new(BranchesExchanged, "decode_branches_exchanged", "round-trip")
        .says("exchanged branches that invert where the first bit is set")
        .why(
            "In a key a set first bit means that the number had no sign bit: clear it, and invert nothing.",
        )
        .link(REPAIR),
    Quirk::new(TestsByteAbove128, "decode_tests_byte_above_128", "round-trip")
        .says("inverting unless the first byte is above 128")
        .why(
            "128 is the byte 80, which has the first bit set: the keys of 0.0 and of the positive numbers nearest to zero begin with it, and that \
             bit is to be cleared. Compare with `>= 128`, or ask for the bit.",
        )
        .link(REPAIR),
    Quirk::new(LittleEndian, "decode_little_endian", "round-trip")
        .says("reading the lowest byte first")
        .why(
            "The key has its highest byte first. Read it in the order in which it was written.",
        )
        .link(REPAIR),
];

fn read(steps: &[Step], key: [u8; 8]) -> Option<f64> {
    let has = |step| steps.contains(&step);
    let bits = if has(LittleEndian) {
        u64::from_le_bytes(key)
    } else {
        u64::from_be_bytes(key)
    };
    let set = if has(TestsByteAbove128) {
        bits >> 56 > 128
    } else {
        bits >> 63 == 1
    };
    let value = f64::from_bits(if has(Plain) {
        bits
    } else if has(AlwaysFlips) || !has(AlwaysInverts) && set != has(BranchesExchanged) {
        bits ^ SIGN_BIT
    } else {
        !bits
    });
    let zero = value == 0.0;
    if value.is_nan() {
        let accepted = has(RefusesNothing)
            || has(AcceptsNan)
            || has(AcceptsNanWithSign) && value.is_sign_negative()
            || has(RefusesOneNan) && value.to_bits() != f64::NAN.to_bits();
        accepted.then_some(value)
    } else if zero && value.is_sign_negative() {
        let accepted = has(RefusesNothing) || has(AcceptsMinusZero);
        let turned = has(TurnsMinusZero).then_some(0.0);
        if accepted { Some(value) } else { turned }
    } else if zero && has(RefusesZero) || value.is_infinite() && has(RefusesInfinities) {
        None
    } else if zero && has(GivesMinusZero) {
        Some(-0.0)
    } else {
        Some(value)
    }
}

fn with(steps: &[Step]) -> Option<Numeric> {
    let both = |group: &&[Step]| steps.iter().filter(|s| group.contains(s)).count() > 1;
    let steps = steps.to_vec();
    let possible = !APART.iter().any(both);
    possible.then(|| Numeric::new(encode, move |key| read(&steps, key)))
}

/// Under most wrong rules another key becomes -0.0, and its own becomes a NaN: nobody is told that it is accepted.
fn shows([step, beside]: [Step; 2]) -> bool {
    let minus_zero = [0x7f, 255, 255, 255, 255, 255, 255, 255];
    ![AcceptsMinusZero, TurnsMinusZero].contains(&step)
        || read(&[step, beside], minus_zero) == read(&[step], minus_zero)
}

/// All mistakes in `decode`.
pub(crate) fn all() -> Vec<Mistake<Numeric>> {
    let mut mistakes = compose_where("decode", &QUIRKS, with, shows);
    mistakes.push(
        Mistake::new(
            "decode_tells_nans_by_some_bits",
            "decode",
            "round-trip",
            Numeric::new(encode, |key| {
                let value = read(&[RefusesNothing], key)?;
                let bits = value.to_bits();
                let told = bits & 1 << 51 != 0 || bits & 0xffff_ffff != 0;
                if value.is_nan() && !told {
                    Some(value)
                } else {
                    read(&[], key)
                }
            }),
        )
        .says("a look at the first and at the last 32 of the 52 bits that tell a NaN from an infinity")
        .why(
            "Each of the 52 bits makes a NaN. Those that one meets have the first one set; a damaged key may \
             have one in between. So ask `is_nan`, which looks at all of them.",
        )
        .link(TASK),
    );
    mistakes.push(
        Mistake::new(
            "decode_refuses_the_nearest_above_zero",
            "decode",
            "round-trip",
            Numeric::new(encode, |key| {
                let value = read(&[RefusesNothing, TestsByteAbove128], key)?;
                (encode(value) == Some(key)).then_some(value)
            }),
        )
        .says("`None` for the keys of 0.0 and of the positive numbers nearest to zero, which begin with the byte 80")
        .why(
            "The byte 80 is 128, and has the first bit set: these numbers had no sign. If you asked whether the first byte is above 128: ask `>= 128`, or \
             for the bit itself.",
        )
        .link(REPAIR),
    );
    mistakes.push(
        Mistake::new(
            "decode_gives_zero_for_what_is_no_key",
            "decode",
            "round-trip",
            Numeric::new(encode, |key| Some(read(&[], key).unwrap_or(0.0))),
        )
        .says("`Some(0.0)` for every key that no number has")
        .why(
            "Zero is a number like any other, and has a key of its own. Who reads it out of a damaged key cannot know that the key was damaged: the answer is \
             `None`. If you wrote `unwrap_or(0.0)` or `unwrap_or_default()`: `?` hands a `None` on.",
        )
        .link(TASK),
    );
    mistakes.push(
        Mistake::new(
            "decode_panics_on_nans",
            "decode",
            "returns",
            Numeric::new(encode, |key| {
                let value = read(&[RefusesNothing], key)?;
                assert!(!value.is_nan(), "not a number");
                read(&[], key)
            }),
        )
        .says("a panic for the keys of NaNs")
        .why(
            "No encoder writes such a key, but a store may hold other bytes, or damaged ones. The answer to them is `None`. \
             If you compared with `encode(value).unwrap()`: a NaN has no key to unwrap.",
        )
        .link(TASK),
    );
    mistakes
}

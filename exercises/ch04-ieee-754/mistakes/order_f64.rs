//! What goes wrong with the keys of an `f64` in total order.

use kit::{Codec, Mistake, Quirk, compose};

use crate::mistakes::order_f64_decode;
use crate::solutions::order_f64::decode;

const SIGN_BIT: u64 = 1 << 63;
const SCAN: &str = "a-scan-goes-wrong";
const FIELDS: &str = "sign-exponent-fraction";
const REPAIR: &str = "the-repair";
const WHY_NOT: &str = "why-not-invert-the-positive-numbers-too";
const CHOICE: &str = "which-zero-which-nan";
const WRONG: &str = "wrong-answers-and-what-each-breaks";
const WILD: &str = "in-the-wild";

/// Steps that can be wrong independently of each other.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    PlainBits,
    SignFlipped,
    NegativesInvertedOnly,
    AllInverted,
    InvertedThenFlipped,
    NegativesTurnedInPlace,
    BranchesExchanged,
    BranchesExchangedSet,
    Negated,
    QdbTest,
    AtLeastZeroFlipped,
    BelowZeroFlipped,
    BelowZeroSet,
    BelowZeroAlone,
    AboveZeroSet,
    LastByteTested,
    SignByteFlipped,
    SignByteSet,
    SignByteFrom127,
    FirstByteInverted,
    Absolute,
    AbsolutePlain,
    LittleEndian,
    Narrowed,
    ZerosMerged,
    NansMerged,
}
use Step::{
    AboveZeroSet, Absolute, AbsolutePlain, AllInverted, AtLeastZeroFlipped, BelowZeroAlone,
    BelowZeroFlipped, BelowZeroSet, BranchesExchanged, BranchesExchangedSet, FirstByteInverted,
    InvertedThenFlipped, LastByteTested, LittleEndian, NansMerged, Narrowed, Negated,
    NegativesInvertedOnly, NegativesTurnedInPlace, PlainBits, QdbTest, SignByteFlipped,
    SignByteFrom127, SignByteSet, SignFlipped, ZerosMerged,
};

/// Steps that go along with any rule for the sign. Of the others an encoder has one at most.
const ASIDE: [Step; 4] = [LittleEndian, Narrowed, ZerosMerged, NansMerged];

const QUIRKS: [Quirk<Step>; 26] = [
    // Before those that come to the same beside a third: what is said of it is true of them too.
    Quirk::new(ZerosMerged, "zeros_merged", "order")
        .says("the key of 0.0 for -0.0")
        .why(
            "That is the numeric key, which is the next exercise. In the total order every pattern has its own \
         place, and -0.0 comes just before 0.0. (If you compared the bits with the sign bit by `>`: those of -0.0 are the sign bit alone.)",
        )
        .link(CHOICE),
    Quirk::new(PlainBits, "plain_big_endian", "order")
        .says("the plain bits in big-endian")
        .why(
            "Positive numbers are in order like this. But negative numbers have the first bit set, so they come \
         last, and they are stored by magnitude, so they run backwards.",
        )
        .link(SCAN),
    Quirk::new(SignFlipped, "sign_bit_flipped", "order")
        .says("chapter 3's flip of the sign bit alone")
        .why(
            "The negative half is in front now. But it still runs backwards: in sign and magnitude the \
         larger pattern is farther from zero, and below zero that is the smaller number.",
        )
        .link(SCAN),
    Quirk::new(NegativesInvertedOnly, "negatives_inverted_only", "order")
        .says("inverted negative numbers and plain positive ones")
        .why(
            "Inverting turns the negative half round and clears its first bit. The positive half has a clear \
         first bit too, so the two lie one over the other. It has to be lifted: set that bit.",
        )
        .link(WRONG),
    Quirk::new(AllInverted, "every_bit_inverted", "order")
        .says("an inversion of all bits of every number")
        .why(
            "The halves change places, and that is right. But inverting turns a half round, and the positive \
         half was in order before.",
        )
        .why_beside("Of a positive number, only the sign bit is to be changed: its other bits count upwards.")
        .link(WHY_NOT),
    Quirk::new(InvertedThenFlipped, "inverted_then_flipped", "order")
        .says("an inversion of negative numbers and then a flip of the sign bit for all")
        .why(
            "Below zero the first bit of a key has to be clear, and here it is set: the negative half comes after zero once more. \
         Inverting all 64 bits clears it, and a flip after that, or 63 inverted bits alone, leave it set. Invert all 64 below zero, \
         and elsewhere set the first bit.",
        )
        .link(REPAIR),
    Quirk::new(NegativesTurnedInPlace, "negatives_turned_in_place", "order")
        .says("an inversion of negative numbers that leaves out the sign bit")
        .why(
            "Each half is in order by itself now. But a set first bit still means a negative number, so they \
         all come after the positive ones.",
        )
        .link(REPAIR),
    Quirk::new(BranchesExchanged, "branches_exchanged", "order")
        .says("exchanged branches that invert positive numbers and flip the sign bit of negative ones")
        .why(
            "A set sign bit is a negative number. Its half is the one to be turned round.",
        )
        .link(REPAIR),
    Quirk::new(BranchesExchangedSet, "branches_exchanged_and_set", "order")
        .says("exchanged branches that invert positive numbers and set the sign bit of negative ones, where it is set")
        .why(
            "A set sign bit is a negative number. Its half is the one to be turned round, and of the other one the first bit is to be set.",
        )
        .link(REPAIR),
    Quirk::new(Negated, "negated_like_an_integer", "order")
        .says("negative numbers negated as integers before the sign bit is flipped")
        .why(
            "Negating is inverting and adding one. The order of the numbers survives, but -0.0 lands on the key \
         of 0.0, and the total order gives each its own.",
        )
        .link(FIELDS),
    Quirk::new(QdbTest, "value_tested_at_least_zero", "order")
        .says("QDB's rule, setting the first bit where `value >= 0.0` and inverting elsewhere")
        .why(
            "-0.0 is equal to 0.0, so it passes the test and shares its key. A NaN fails every comparison: \
         without the sign bit it is inverted all the same, and lands among the smallest numbers. The total \
         order looks at the sign bit, not at the value.",
        )
        .link(WILD),
    Quirk::new(AtLeastZeroFlipped, "at_least_zero_flipped", "order")
        .says("flipping the first bit where `value >= 0.0` and inverting elsewhere")
        .why(
            "-0.0 passes the test, and its sign bit is flipped away: it lands below -inf. A NaN without the \
         sign bit fails the test and is inverted. The total order looks at the sign bit, not at the value.",
        )
        .link(WRONG),
    Quirk::new(BelowZeroFlipped, "below_zero_tested_flipped", "order")
        .says("inverting where `value < 0.0` and flipping the first bit elsewhere")
        .why(
            "-0.0 is not below zero, so it takes the other branch. Its sign bit is flipped away, and it sorts \
         below -inf. Look at the sign bit instead: `is_sign_negative`, or `bits >> 63`.",
        )
        .link(WRONG),
    Quirk::new(BelowZeroSet, "below_zero_tested_set", "order")
        .says("inverting where `value < 0.0` and setting the first bit elsewhere")
        .why(
            "-0.0 is not below zero, so it shares the key of 0.0. NaNs are below nothing, so a NaN with the \
         sign bit shares the key of the one without it. Look at the sign bit instead: `is_sign_negative`, \
         or `bits >> 63`.",
        )
        .link(WRONG),
    Quirk::new(BelowZeroAlone, "below_zero_inverted_alone", "order")
        .says("inverting where `value < 0.0` and leaving the plain bits elsewhere")
        .why(
            "The positive half has a clear first bit, like the inverted one, so the two lie one over the other: \
         set that bit. And -0.0 is not below zero; look at the sign bit instead of the value.",
        )
        .link(WRONG),
    Quirk::new(AboveZeroSet, "above_zero_tested", "order")
        .says("setting the first bit where `value > 0.0` and inverting elsewhere")
        .why(
            "0.0 is not above zero, so it is inverted, and all its bits become ones: the greatest key of all. \
         Look at the sign bit instead: `is_sign_negative`, or `bits >> 63`.",
        )
        .link(WRONG),
    Quirk::new(LastByteTested, "sign_looked_for_in_the_last_byte", "order")
        .says("the right rule with a look at the top bit of the last byte instead of the first")
        .says_beside("a look at the top bit of the last byte instead of the first")
        .why(
            "The sign is the first bit of the number, and big-endian puts it into byte 0. The top bit of byte 7 \
         belongs to the fraction.",
        )
        .link(FIELDS),
    Quirk::new(SignByteFlipped, "sign_byte_above_128_flipped", "order")
        .says("inverting where the first byte is above 128 and flipping the first bit elsewhere")
        .why(
            "128 is the byte 80, which has the first bit set: -0.0 and the negative numbers nearest to zero begin with it. They take the other \
             branch, lose their sign bit and land below -inf. Compare with `>= 128`, or ask for the bit: `bits >> 63`.",
        )
        .link(FIELDS),
    Quirk::new(SignByteSet, "sign_byte_above_128_set", "order")
        .says("inverting where the first byte is above 128 and setting the first bit elsewhere")
        .why(
            "128 is the byte 80, which has the first bit set: -0.0 and the negative numbers nearest to zero begin with it. They take the other \
             branch, and each shares the key of the same number without its sign. Compare with `>= 128`, or ask for the bit: `bits >> 63`.",
        )
        .link(FIELDS),
    Quirk::new(SignByteFrom127, "sign_byte_from_127_inverted", "order")
        .says("inverting where the first byte is 127 or more and flipping the first bit elsewhere")
        .why(
            "127 is the byte 7f, whose first bit is clear: the greatest positive numbers and +inf begin with it. Inverted, they land among the least \
             positive ones. The sign bit is set from 128 on.",
        )
        .link(FIELDS),
    Quirk::new(FirstByteInverted, "first_byte_inverted", "order")
        .says("an inversion of the first byte of negative numbers alone")
        .why(
            "All bits after the sign say how far from zero a number is, and they are in all eight bytes. \
         Numbers that agree in the first byte still run backwards.",
        )
        .link(REPAIR),
    Quirk::new(Absolute, "absolute_value", "order")
        .says("the key of the absolute value")
        .why(
            "The sign is gone: -1 and 1 share a key, and no decoder can tell them apart.",
        )
        .link(FIELDS),
    Quirk::new(AbsolutePlain, "absolute_value_not_flipped", "order")
        .says("the plain bits of the absolute value")
        .why(
            "The sign is gone: -1 and 1 share a key, and no decoder can tell them apart. The sign bit is needed, only not where it is: it has to \
         put the negative half below the other.",
        )
        .link(FIELDS),
    Quirk::new(LittleEndian, "right_bits_little_endian", "order")
        .says("the right bits in little-endian")
        .why(
            "The rule is right, and its bytes are turned round. The store compares from the left, and the \
         end of the fraction comes first now.",
        )
        .says_beside("little-endian bytes")
        .why_beside("The store compares from the left, and the end of the fraction comes first.")
        .link(WRONG),
    Quirk::new(Narrowed, "narrowed_to_f32", "order")
        .says("a value narrowed by `as f32`")
        .why(
            "An `f32` has 23 bits of fraction, an `f64` has 52. Neighbours fall together, small numbers become \
         zero and large ones infinite, without a word.",
        )
        .link(FIELDS),
    Quirk::new(NansMerged, "nans_merged", "order")
        .says("one key for all NaNs")
        .why(
            "A NaN has a sign bit and a payload, and the total order keeps both: each pattern has its own key \
         and comes back bit for bit.",
        )
        .link(CHOICE),
];

fn bits(steps: &[Step], value: f64) -> u64 {
    let has = |step| steps.contains(&step);
    #[expect(clippy::cast_possible_truncation, reason = "this is the mistake")]
    let value = if has(Narrowed) {
        f64::from(value as f32)
    } else {
        value
    };
    let value = if has(ZerosMerged) && value == 0.0 || has(NansMerged) && value.is_nan() {
        if value.is_nan() { f64::NAN } else { 0.0 }
    } else {
        value
    };
    let bits = value.to_bits();
    let negative = bits >> 63 == 1;
    let either = |invert: bool, other: u64| if invert { !bits } else { other };
    if has(PlainBits) {
        bits
    } else if has(SignFlipped) {
        bits ^ SIGN_BIT
    } else if has(NegativesInvertedOnly) {
        either(negative, bits)
    } else if has(AllInverted) {
        !bits
    } else if has(InvertedThenFlipped) {
        either(negative, bits) ^ SIGN_BIT
    } else if has(NegativesTurnedInPlace) {
        if negative { !bits ^ SIGN_BIT } else { bits }
    } else if has(BranchesExchanged) {
        either(!negative, bits ^ SIGN_BIT)
    } else if has(BranchesExchangedSet) {
        either(!negative, bits | SIGN_BIT)
    } else if has(Negated) {
        if negative {
            (bits & !SIGN_BIT).wrapping_neg() ^ SIGN_BIT
        } else {
            bits ^ SIGN_BIT
        }
    } else if has(QdbTest) {
        either(!at_least_zero(value), bits | SIGN_BIT)
    } else if has(AtLeastZeroFlipped) {
        either(!at_least_zero(value), bits ^ SIGN_BIT)
    } else if has(BelowZeroFlipped) {
        either(value < 0.0, bits ^ SIGN_BIT)
    } else if has(BelowZeroSet) {
        either(value < 0.0, bits | SIGN_BIT)
    } else if has(BelowZeroAlone) {
        either(value < 0.0, bits)
    } else if has(AboveZeroSet) {
        let above = value > 0.0;
        either(!above, bits | SIGN_BIT)
    } else if has(LastByteTested) {
        either(bits & 0x80 != 0, bits ^ SIGN_BIT)
    } else if has(SignByteFlipped) {
        either(bits >> 56 > 128, bits ^ SIGN_BIT)
    } else if has(SignByteSet) {
        either(bits >> 56 > 128, bits | SIGN_BIT)
    } else if has(SignByteFrom127) {
        either(bits >> 56 >= 127, bits ^ SIGN_BIT)
    } else if has(FirstByteInverted) {
        let flip = if negative { 0xff << 56 } else { SIGN_BIT };
        bits ^ flip
    } else if has(Absolute) {
        bits | SIGN_BIT
    } else if has(AbsolutePlain) {
        bits & !SIGN_BIT
    } else {
        either(negative, bits ^ SIGN_BIT)
    }
}

/// False for a NaN too.
fn at_least_zero(value: f64) -> bool {
    value >= 0.0
}

/// Whether these steps can be taken together.
fn compatible(steps: &[Step]) -> bool {
    steps.iter().filter(|step| !ASIDE.contains(step)).count() <= 1
}

/// The key with these steps, wrong or right.
fn key(steps: &[Step], value: f64) -> [u8; 8] {
    let bits = bits(steps, value);
    if steps.contains(&LittleEndian) {
        bits.to_le_bytes()
    } else {
        bits.to_be_bytes()
    }
}

fn with(steps: &[Step]) -> Option<Codec<f64>> {
    let steps = steps.to_vec();
    compatible(&steps).then(|| Codec::fixed(move |value| key(&steps, value), decode))
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Codec<f64>>> {
    let mut mistakes = in_encode();
    mistakes.extend(order_f64_decode::all());
    mistakes.extend(compose("encode", &QUIRKS, with));
    mistakes
}

/// So many parts of one are counted, cut or rounded.
#[expect(clippy::cast_possible_truncation, reason = "this is the mistake")]
fn scaled_to_an_integer() -> Mistake<Codec<f64>> {
    let counted = |parts: f64, whole: fn(f64) -> f64| {
        let encode = move |value: f64| {
            ((whole(value * parts) as i64).cast_unsigned() ^ SIGN_BIT).to_be_bytes()
        };
        Codec::fixed(encode, decode)
    };
    let mistake = Mistake::new("scaled_to_an_integer", "encode", "order", counted(100.0, f64::trunc))
        .or(counted(100.0, f64::round))
        .says("the key of an integer: the value times 100, or another power of ten")
        .why(
            "That keeps a few digits behind the point: what is nearer falls together, and what is far from zero no longer fits into an `i64`. A double \
             has numbers down to 5e-324 and up to 1.8e308. Its own bits are in order once they are turned: `to_bits`.",
        )
        .link(WRONG);
    let mistake = mistake.or(counted(1e3, f64::round));
    [1e1, 1e4, 1e6, 1e8, 1e9, 1e10]
        .into_iter()
        .fold(mistake, |mistake, parts| {
            mistake
                .or(counted(parts, f64::trunc))
                .or(counted(parts, f64::round))
        })
}

#[expect(clippy::cast_possible_truncation, reason = "these are the mistakes")]
fn in_encode() -> Vec<Mistake<Codec<f64>>> {
    let in_encode = |name, encode: fn(f64) -> [u8; 8]| {
        Mistake::new(name, "encode", "order", Codec::fixed(encode, decode))
    };
    vec![
        Mistake::new(
            "plain_little_endian",
            "encode",
            "order",
            Codec::fixed(f64::to_le_bytes, f64::from_le_bytes),
        )
        .says("the plain bits in little-endian")
        .why(
            "The store compares from the left, and the end of the fraction comes first. The sign and the \
             exponent, which say most about a number, are looked at last.",
        )
        .link(SCAN),
        in_encode("distance_below_zero", |value| {
            let bits = value.to_bits();
            (if value < 0.0 { bits & !SIGN_BIT } else { bits | SIGN_BIT }).to_be_bytes()
        })
        .says("the bits of the absolute value where `value < 0.0`, and the first bit set elsewhere")
        .why(
            "The halves are in place, but the absolute value grows as a negative number falls: -2 comes after -1. And -0.0 is not below zero, \
             so it shares the key of 0.0. Invert the bits of a negative number, and look at the sign bit instead of the value.",
        )
        .link(REPAIR),
        in_encode("nan_with_sign_bit_flipped", |value| {
            let bits = value.to_bits();
            let flipped = value.is_nan() || value.is_sign_positive();
            (if flipped { bits ^ SIGN_BIT } else { !bits }).to_be_bytes()
        })
        .says("an inversion of negative numbers and of -0.0, and the first bit flipped elsewhere")
        .why(
            "-0.0 is seen, and a NaN is not: it compares with nothing, so with the sign bit it takes the other branch, and lies among the \
             negative numbers. Look at the sign bit instead of the value: `is_sign_negative`, or `bits >> 63`.",
        )
        .link(WRONG),
        in_encode("nan_with_sign_bit_set", |value| {
            let bits = value.to_bits();
            let set = value.is_nan() || value.is_sign_positive();
            (if set { bits | SIGN_BIT } else { !bits }).to_be_bytes()
        })
        .says("an inversion of negative numbers and of -0.0, and the first bit set elsewhere")
        .why(
            "-0.0 is seen, and a NaN is not: it compares with nothing, and its `signum` is a NaN. So with the sign bit it takes the other branch, and shares \
             the key of the one without. Look at the sign bit instead of the value: `is_sign_negative`, or `bits >> 63`.",
        )
        .link(WRONG),
        scaled_to_an_integer(),
        in_encode("truncated_to_i64", |value| {
            ((value as i64).cast_unsigned() ^ SIGN_BIT).to_be_bytes()
        })
        .says("the key of `value as i64`")
        .why(
            "`as i64` drops the fraction: 1.5 becomes 1. From 2^63 on everything is `i64::MAX`, and a NaN \
             is 0. You need the bits of the number, not the number cut off: `to_bits`.",
        )
        .link(WRONG),
        in_encode("truncated_to_plain_i64", |value| {
            (value as i64).to_be_bytes()
        })
        .says("the big-endian bytes of `value as i64`")
        .why(
            "`as i64` drops the fraction: 1.5 becomes 1. And its sign bit is left as it is, so that the numbers from -1 down come \
             last. You need the bits of the number, not the number cut off: `to_bits`.",
        )
        .link(WRONG),
        in_encode("truncated_to_u64", |value| (value as u64).to_be_bytes())
        .says("the big-endian bytes of `value as u64`")
        .why(
            "`as u64` drops the fraction: 1.5 becomes 1. All that is below zero becomes 0, and so does a NaN. You need the bits of \
             the number, not the number cut off: `to_bits`.",
        )
        .link(WRONG),
        in_encode("thousandths_as_integer", |value| {
            (((value * 1000.0) as i64).cast_unsigned() ^ SIGN_BIT).to_be_bytes()
        })
        .says("the key of the thousandths as an integer")
        .why(
            "Numbers that differ by less than a thousandth fall together, and great ones stick at \
             `i64::MAX`. A double has no smallest step that is the same everywhere.",
        )
        .link(WRONG),
        in_encode("f32_key_filled_up", |value| {
            let bits = (value as f32).to_bits();
            let key = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
            let mut filled = [0; 8];
            filled[..4].copy_from_slice(&key.to_be_bytes());
            filled
        })
        .says("the key of `value as f32` with zeros after it")
        .why(
            "An `f32` has 23 bits of fraction, an `f64` has 52. Neighbours fall together, small numbers \
             become zero and large ones infinite, without a word.",
        )
        .link(FIELDS),
        in_encode("nans_taken_for_zero", |value| {
            key(&[], if value.is_nan() { 0.0 } else { value })
        })
        .says("the key of 0.0 for every NaN")
        .why(
            "A NaN is not zero, and it would come back as a number. In the total order each pattern has its own place: after +inf, or before -inf with the \
             sign bit. They need no case of their own.",
        )
        .link(CHOICE),
        in_encode("little_endian_turned_at_its_first_byte", |value| {
            let mut bytes = value.to_le_bytes();
            if value.is_sign_negative() {
                bytes = bytes.map(|byte| !byte);
            } else {
                bytes[0] ^= 0x80;
            }
            bytes
        })
        .says("little-endian bytes: all of them inverted below zero, and the top bit of the first one flipped elsewhere")
        .why(
            "Byte 0 is the right byte to flip once the sign bit is in it. In little-endian it holds the lowest bits of the fraction. If you wrote \
             `to_ne_bytes`: that is the machine's order, little-endian on nearly all of them. Turn the bytes round first, then flip.",
        )
        .link(WRONG),
        in_encode("nans_at_both_ends", |value| match value {
            _ if !value.is_nan() => key(&[], value),
            _ if value.is_sign_negative() => [0x00; 8],
            _ => [0xff; 8],
        })
        .says("one key for all NaNs with the sign bit, the least, and one for all others, the greatest")
        .why(
            "The two places are right. But a NaN has a payload as well, and the total order keeps it: each of these patterns has its own \
             key and comes back bit for bit. They need no case of their own.",
        )
        .link(CHOICE)
        .whole(),
        in_encode("at_most_zero_inverted", |value| {
            let bits = value.to_bits();
            (if value <= 0.0 { !bits } else { bits | SIGN_BIT }).to_be_bytes()
        })
        .says("inverting where `value <= 0.0` and setting the first bit elsewhere")
        .why(
            "0.0 is at most zero and has no sign bit: inverted, its bits are all ones, the greatest key of all. And no comparison \
             holds for a NaN, with the sign bit or without. Ask for the sign bit, not for the value.",
        )
        .link(WRONG),
        in_encode("zero_added", |value| {
            // A sum makes a quiet NaN of a signalling one.
            let quiet = if value.is_nan() { 1 << 51 } else { 0 };
            let sum = if value.is_nan() { value } else { value + 0.0 };
            key(&[], f64::from_bits(sum.to_bits() | quiet))
        })
        .says("the key of `value + 0.0`")
        .why(
            "-0.0 + 0.0 is 0.0, so the two zeros share a key, and a sum sets the first bit of a NaN's payload. Both are changes of the \
             value. In the total order every pattern has its own place; one zero is what the next exercise asks for.",
        )
        .link(CHOICE),
        in_encode("minus_zero_alone_flipped_away", |value| {
            let bits = value.to_bits();
            (if bits > SIGN_BIT { !bits } else { bits ^ SIGN_BIT }).to_be_bytes()
        })
        .says("an inversion of all that has the sign bit but -0.0, whose first bit is flipped away")
        .why(
            "The bits of -0.0 are the sign bit and nothing more, so they are not greater than it: flipped away, nothing remains, and -0.0 sorts \
             below -inf. Compare with `>=`, or ask for the bit: `bits >> 63`.",
        )
        .link(FIELDS),
        in_encode("greatest_first", |value| {
            let bits = u64::from_be_bytes(key(&[], value));
            (!bits).to_be_bytes()
        })
        .says("the right key with every bit inverted")
        .why(
            "The order is the right one turned round. If you have the two halves exchanged: where the sign bit is clear it is to \
             be set, and the rest stays; where it is set, all bits are inverted.",
        )
        .link(WRONG),
        in_encode("f32_bits_in_eight_bytes", |value| {
            (u64::from((value as f32).to_bits()) ^ SIGN_BIT).to_be_bytes()
        })
        .says("the four bytes of `value as f32` behind four of zeros, with bit 63 flipped")
        .why(
            "The sign bit of an `f32` is its bit 31, and bit 63 is none of its own. And an `f32` holds 24 binary digits of the 53: \
             neighbours fall together. `value.to_bits()` gives all 64 bits.",
        )
        .link(FIELDS),
        in_encode("sign_not_spread", |value| {
            let bits = value.to_bits();
            (bits ^ (bits >> 63 | SIGN_BIT)).to_be_bytes()
        })
        .says("an XOR with the first bit and, below zero, the last one")
        .why(
            "`>>` copies the sign bit only where the type has a sign. The 63 bits that it moves into an `i64` are copies, and the \
             result is all ones below zero; in a `u64` they are zeros, and a 1 is left. `(bits.cast_signed() >> 63).cast_unsigned()` \
             spreads the sign over all bits.",
        )
        .link(REPAIR),
        in_encode("nans_at_the_start", |value| {
            if value.is_nan() { [0x00; 8] } else { key(&[], value) }
        })
        .says("the least key of all for every NaN")
        .why(
            "A NaN has a sign bit and a payload, and the total order keeps both: each pattern has its own key \
             and comes back bit for bit. Those without the sign bit come after +inf.",
        )
        .link(CHOICE),
        in_encode("nans_at_the_end", |value| {
            if value.is_nan() { [0xff; 8] } else { key(&[], value) }
        })
        .says("the greatest key of all for every NaN")
        .why(
            "A NaN has a sign bit and a payload, and the total order keeps both: each pattern has its own key \
             and comes back bit for bit. Those with the sign bit come before -inf.",
        )
        .link(CHOICE),
        Mistake::new(
            "nans_panic",
            "encode",
            "returns",
            Codec::fixed(
                |value: f64| {
                    assert!(!value.is_nan(), "not a number");
                    key(&[], value)
                },
                decode,
            ),
        )
        .says("the right key of every number, and a panic for NaNs")
        .why(
            "In the total order a NaN has a place like every other pattern: after +inf, or before -inf with the sign bit. \
             To refuse it is a choice for numbers, and comes with the next exercise.",
        )
        .link(CHOICE),
        in_encode("decimal_text", |value| {
            let mut text = format!("{value}").into_bytes();
            text.resize(8, 0);
            text.try_into().unwrap_or_default()
        })
        .says("the first eight bytes of the number as text")
        .why(
            "Text is compared from the left, and the minus sign says nothing about digits: -1 comes before \
             -2, and 10 before 2. Most doubles do not even fit into eight letters.",
        )
        .link(WRONG),
    ]
}

//! What goes wrong with packing.

use kit::{Mistake, Quirk, compose};

use crate::mistakes::pack_score_unpack;
use crate::pack_score::{FIRST, Packer};
use crate::solutions::pack_score::{END, pack as right, unpack};

pub(super) const DIGITS: &str = "digits-that-are-not-the-number";
pub(super) const RULES: &str = "invariants";
pub(super) const LAYOUT: &str = "bit-fields-in-the-score";
pub(super) const BLEED: &str = "a-field-that-overflows";
pub(super) const BITS: &str = "fifty-three-bits";
pub(super) const WILD: &str = "in-the-wild";
const WRONG: &str = "wrong-answers-and-what-each-breaks";

/// Steps of packing that go wrong independently of each other.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    // The time field.
    TimeForward,
    TimeInMilliseconds,
    SecondRoundedUp,
    SecondRounded,
    // Where the fields are.
    GemsBy29,
    GemsBy31,
    GemsBy33,
    PaidBy28,
    PaidOnTop,
    TimeAbovePaid,
    // The bit.
    PaidInverted,
    PaidLeftOut,
    // What is refused.
    GemsUnchecked,
    GemsTo24Bits,
    GemsTo32Bits,
    GemsTo33Bits,
    GemsLimitTaken,
    GemsLimitShort,
    GemsClamped,
    GemsMasked,
    EndRefused,
    LateClamped,
    LateWrapped,
    LatePanics,
    LateMirrored,
    EarlyUnchecked,
    EarlyClamped,
    EarlyMasked,
    EarlyLimitTaken,
}
use Step::{
    EarlyClamped, EarlyLimitTaken, EarlyMasked, EarlyUnchecked, EndRefused, GemsBy29, GemsBy31,
    GemsBy33, GemsClamped, GemsLimitShort, GemsLimitTaken, GemsMasked, GemsTo24Bits, GemsTo32Bits,
    GemsTo33Bits, GemsUnchecked, LateClamped, LateMirrored, LatePanics, LateWrapped, PaidBy28,
    PaidInverted, PaidLeftOut, PaidOnTop, SecondRounded, SecondRoundedUp, TimeAbovePaid,
    TimeForward, TimeInMilliseconds,
};

/// Of each group, a packer takes one step at most.
const APART: [&[Step]; 11] = [
    &[LateClamped, LateWrapped, LatePanics, LateMirrored],
    // What is clamped or cut off is the reversed time.
    &[TimeForward, EarlyClamped],
    &[TimeForward, EarlyMasked],
    &[TimeForward, LateClamped],
    &[TimeForward, LateWrapped],
    &[TimeForward, TimeInMilliseconds],
    &[TimeInMilliseconds, SecondRoundedUp, SecondRounded],
    &[
        GemsBy29,
        GemsBy31,
        GemsBy33,
        PaidBy28,
        PaidOnTop,
        TimeAbovePaid,
    ],
    &[PaidInverted, PaidLeftOut],
    &[
        GemsUnchecked,
        GemsTo24Bits,
        GemsTo32Bits,
        GemsTo33Bits,
        GemsLimitTaken,
        GemsLimitShort,
        GemsClamped,
        GemsMasked,
    ],
    &[
        TimeInMilliseconds,
        EarlyUnchecked,
        EarlyClamped,
        EarlyMasked,
        EarlyLimitTaken,
    ],
];

const QUIRKS: [Quirk<Step>; 29] = [
    Quirk::of(
        TimeForward,
        "time_not_reversed",
        "order",
        "a time field that grows with the time",
        "The board is read from the greatest score down. Who comes earlier has to have the greater field, so the \
         field counts down: `END` minus the second.",
        LAYOUT,
    ),
    Quirk::of(
        TimeInMilliseconds,
        "milliseconds_in_the_field",
        "order",
        "a time field in milliseconds",
        "29 bits of milliseconds are six days. A greater difference flows over into the gems: somebody from last \
         month has more of them. Cut the milliseconds off before you subtract.",
        BLEED,
    ),
    Quirk::of(
        SecondRoundedUp,
        "second_rounded_up",
        "order",
        "a second that is rounded up",
        "The second is what is left when three digits are cut off, in Rust `at_ms / 1000`. Rounded up, a player at \
         .999 is taken for one at the next second. Do you divide by 1000 only after you subtract? That rounds the second up \
         as well: cut the milliseconds off first.",
        LAYOUT,
    ),
    Quirk::of(
        SecondRounded,
        "second_rounded_to_the_nearest",
        "order",
        "a second that is rounded to the nearest",
        "The second is what is left when three digits are cut off, in Rust `at_ms / 1000`. Rounded, a player at \
         .999 is taken for one at the next second.",
        LAYOUT,
    ),
    Quirk::of(
        GemsBy29,
        "gems_shifted_by_29",
        "order",
        "gems shifted by 29",
        "There they are on the bit of `paid`. Below the gems are 29 bits of time *and* one of paid, so they \
         move by 30.",
        WRONG,
    ),
    Quirk::of(
        GemsBy31,
        "gems_shifted_by_31",
        "layout",
        "gems shifted by 31",
        "One bit between the fields stays empty. It is missing below 2^53, and who reads by the layout reads twice \
         the gems.",
        LAYOUT,
    ),
    Quirk::of(
        GemsBy33,
        "gems_shifted_by_33",
        "layout",
        "gems shifted by 33",
        "33 is how many bits the gems would have in an integer of 63 bits. The shift is the number of bits *below* \
         them: 1 + 29.",
        LAYOUT,
    ),
    Quirk::of(
        PaidBy28,
        "paid_shifted_by_28",
        "order",
        "paid shifted by 28",
        "There it is on the highest bit of the time. 29 bits of time take the places 0 to 28, so the next \
         field begins at 29.",
        LAYOUT,
    ),
    Quirk::of(
        PaidOnTop,
        "paid_above_gems",
        "order",
        "`paid` above the gems",
        "The field that decides first comes first. As it is, `paid` decides before the gems do.",
        WRONG,
    ),
    Quirk::of(
        TimeAbovePaid,
        "time_above_paid",
        "order",
        "the time above `paid`",
        "Among equal gems now the time decides first, and `paid` only where the seconds are equal.",
        WRONG,
    ),
    Quirk::of(
        PaidInverted,
        "paid_inverted",
        "order",
        "`paid` inverted",
        "The greatest score is the best, so the better value of a field is the greater number: 1 for paid. Only the \
         time runs against its number, and only it is turned round.",
        WRONG,
    ),
    Quirk::of(
        PaidLeftOut,
        "paid_left_out",
        "order",
        "a score without `paid`",
        "`u64::from(paid)` is 1 or 0. Shift it to its place and add it.",
        LAYOUT,
    ),
    Quirk::of(
        GemsUnchecked,
        "gems_not_checked",
        "refusal",
        "gems of any size",
        "From 8388608 gems on a score of this layout is 2^53 or more. The server keeps it as a double, and players a second \
         apart become one.",
        BITS,
    ),
    Quirk::of(
        GemsTo24Bits,
        "gems_up_to_24_bits",
        "refusal",
        "gems of up to 24 bits",
        "A double has room for 53 bits, and below the gems are 29 of time *and* one of paid. That leaves 23: the greatest number of \
         gems is 2^23 - 1.",
        BITS,
    ),
    Quirk::of(
        GemsTo32Bits,
        "gems_up_to_32_bits",
        "refusal",
        "gems of up to 32 bits, as a `u32` holds them",
        "What fits into a `u32` need not fit into its field. The gems have 23 bits: compare them with the greatest number of 23 bits.",
        BITS,
    ),
    Quirk::of(
        GemsTo33Bits,
        "gems_up_to_33_bits",
        "refusal",
        "gems of up to 33 bits",
        "33 bits are left in an `i64`, and 23 in a double. A score is a double.",
        BITS,
    ),
    Quirk::of(
        GemsLimitTaken,
        "gems_limit_taken_in",
        "refusal",
        "gems up to 8388608, that one included",
        "8388608 is 2^23: it takes 24 bits. The greatest number of 23 bits is one less.",
        BITS,
    ),
    Quirk::of(
        GemsLimitShort,
        "gems_limit_one_short",
        "layout",
        "gems up to 8388606",
        "8388607 is 2^23 - 1, the greatest number of 23 bits. It fits.",
        BITS,
    ),
    Quirk::of(
        GemsClamped,
        "gems_at_the_top",
        "refusal",
        "8388607 gems for everybody who has more",
        "All of them tie, and `unpack` gives a number that nobody has. Refuse what does not fit.",
        BITS,
    ),
    Quirk::of(
        GemsMasked,
        "gems_cut_off",
        "refusal",
        "the low 23 bits of the gems",
        "8388608 gems become none: the best player comes last. Refuse what does not fit.",
        BLEED,
    ),
    Quirk::of(
        EndRefused,
        "end_refused",
        "layout",
        "a refusal of the last second",
        "At `END` the time field is 0, and 0 fits.",
        RULES,
    ),
    Quirk::of(
        LateClamped,
        "late_players_at_zero",
        "refusal",
        "0 in the time field for everybody after the end",
        "`saturating_sub` hides that the field is used up. All players from then on tie, and nobody is told.",
        RULES,
    ),
    Quirk::of(
        LateWrapped,
        "late_players_wrap_around",
        "refusal",
        "a time field that begins again at the top after the end",
        "A player after `END` now looks like the earliest one of all.",
        RULES,
    ),
    Quirk::of(
        LatePanics,
        "late_players_panic",
        "returns",
        "a panic for everybody after the end",
        "`END - second` does not fit below 0. Such a player has no score: `END.checked_sub(second)?` says so.",
        RULES,
    ),
    Quirk::of(
        LateMirrored,
        "late_players_mirrored",
        "refusal",
        "the distance from `END`, before it or after it",
        "`abs_diff` counts in both directions. A player a minute after `END` ties with one a minute before it.",
        RULES,
    ),
    Quirk::of(
        EarlyUnchecked,
        "early_time_flows_over",
        "refusal",
        "a time field of any size",
        "A difference of 2^29 s or more does not fit into 29 bits. What is too much goes on into `paid` and \
         the gems.",
        BLEED,
    ),
    Quirk::of(
        EarlyClamped,
        "early_players_at_the_top",
        "refusal",
        "the greatest time field for everybody who is too early",
        "All of them tie, and `unpack` gives a second that nobody sent. Refuse what does not fit.",
        RULES,
    ),
    Quirk::of(
        EarlyMasked,
        "early_time_cut_off",
        "refusal",
        "the low 29 bits of the difference",
        "The mask keeps the neighbours safe, but the field is wrong: the earliest players look like the latest. \
         Refuse what does not fit.",
        BLEED,
    ),
    Quirk::of(
        EarlyLimitTaken,
        "early_limit_taken_in",
        "refusal",
        "differences up to 2^29, that one included",
        "2^29 takes 30 bits. The greatest number of 29 bits is one less.",
        RULES,
    ),
];

/// What is in the bits of the time.
fn time_field(steps: &[Step], at_ms: u64) -> Option<u64> {
    let has = |step| steps.contains(&step);
    let mask = (1 << 29) - 1;
    let second = if has(SecondRoundedUp) {
        at_ms.div_ceil(1000)
    } else if has(SecondRounded) {
        at_ms / 1000 + u64::from(at_ms % 1000 >= 500)
    } else {
        at_ms / 1000
    };
    let left = if has(LateClamped) {
        END.saturating_sub(second)
    } else if has(LateWrapped) {
        END.wrapping_sub(second)
    } else if has(LateMirrored) {
        END.abs_diff(second)
    } else if has(LatePanics) {
        END - second
    } else {
        END.checked_sub(second)?
    };
    if has(EndRefused) && left == 0 {
        return None;
    }
    // A wrapped difference is far from the field; what is masked is its end.
    let left = if has(LateWrapped) && second > END {
        left & mask
    } else {
        left
    };
    let time = match left {
        _ if left <= mask || has(EarlyUnchecked) || has(TimeInMilliseconds) => left,
        _ if has(EarlyMasked) => left & mask,
        _ if has(EarlyClamped) => mask,
        _ if has(EarlyLimitTaken) && left == 1 << 29 => left,
        _ => return None,
    };
    Some(if has(TimeForward) {
        second.wrapping_sub(FIRST) & mask
    } else if has(TimeInMilliseconds) {
        (END * 1000).checked_sub(at_ms)?
    } else {
        time
    })
}

fn answer(steps: &[Step], gems: u64, paid: bool, at_ms: u64) -> Option<u64> {
    let has = |step| steps.contains(&step);
    let gems = match gems {
        gems if has(GemsClamped) => gems.min((1 << 23) - 1),
        gems if has(GemsMasked) => gems & ((1 << 23) - 1),
        gems => gems,
    };
    let gems_limit = if has(GemsLimitTaken) {
        1 << 23
    } else if has(GemsLimitShort) {
        (1 << 23) - 2
    } else if has(GemsTo24Bits) {
        (1 << 24) - 1
    } else if has(GemsTo32Bits) {
        u64::from(u32::MAX)
    } else if has(GemsTo33Bits) {
        (1 << 33) - 1
    } else {
        (1 << 23) - 1
    };
    if gems > gems_limit && !has(GemsUnchecked) {
        return None;
    }
    let time = time_field(steps, at_ms)?;
    let paid = match u64::from(paid) {
        _ if has(PaidLeftOut) => 0,
        bit if has(PaidInverted) => 1 - bit,
        bit => bit,
    };
    let sum = |gems: u64, paid: u64, time: u64| gems.wrapping_add(paid).wrapping_add(time);
    Some(if has(PaidOnTop) {
        sum(gems << 29, paid << 52, time)
    } else if has(TimeAbovePaid) {
        sum(gems << 30, paid, time << 1)
    } else if has(GemsBy29) {
        sum(gems << 29, paid << 29, time)
    } else if has(GemsBy31) {
        sum(gems << 31, paid << 29, time)
    } else if has(GemsBy33) {
        sum(gems << 33, paid << 29, time)
    } else if has(PaidBy28) {
        sum(gems << 30, paid << 28, time)
    } else {
        sum(gems << 30, paid << 29, time)
    })
}

fn with(steps: &[Step]) -> Option<Packer> {
    let both = |group: &&[Step]| steps.iter().filter(|s| group.contains(s)).count() > 1;
    if APART.iter().any(both) {
        return None;
    }
    let steps = steps.to_vec();
    let pack = move |gems, paid, at_ms| answer(&steps, gems, paid, at_ms);
    Some(Packer::new(pack, unpack))
}

const NOTHING_CHECKED: &str = "After `END` the subtraction panics. (In a release build it wraps around, and the score is nonsense.) Before \
    2011-12-27 the difference flows over into `paid`, and from 8388608 gems on the double loses bits. Hold each field \
    to its width before you shift it: `checked_sub`, and two comparisons.";

fn mistake(
    name: &'static str,
    check: &'static str,
    pack: fn(u64, bool, u64) -> Option<u64>,
) -> Mistake<Packer> {
    Mistake::new(name, "pack", check, Packer::new(pack, unpack))
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Packer>> {
    let mut mistakes = vec![
        mistake("fields_in_decimal", "layout", |gems, paid, at_ms| {
            let (_, _, second) = unpack(right(gems, paid, at_ms)?)?;
            Some(gems * 10_000_000_000 + u64::from(paid) * 1_000_000_000 + (END - second))
        })
        .says("fields of decimal digits")
        .why(
            "The order is right, and a person can read it. But ten digits take more room than 30 bits: the limit \
             comes at 900719 gems and not at 8388607. The task asks for bits.",
        )
        .link(LAYOUT),
        mistake("paid_shifted_by_30", "order", |gems, paid, at_ms| {
            let score = right(gems, false, at_ms)?;
            Some(score | u64::from(paid) << 30)
        })
        .or(Packer::new(|gems, paid, at_ms| {
            let score = right(gems, false, at_ms)?;
            Some(score + (u64::from(paid) << 30))
        }, unpack))
        .says("paid shifted by 30, where the gems begin")
        .why("Bits count from 0. 29 bits of time take the places 0 to 28, so `paid` is at 29 and the gems begin at 30: there it is one gem more.")
        .link(LAYOUT),
        mistake("upper_fields_one_bit_too_low", "order", |gems, paid, at_ms| {
            let time = right(gems, false, at_ms)? & ((1 << 29) - 1);
            Some(gems << 29 | u64::from(paid) << 28 | time)
        })
        .or(Packer::new(|gems, paid, at_ms| {
            let time = right(gems, false, at_ms)? & ((1 << 29) - 1);
            Some((gems << 29) + (u64::from(paid) << 28) + time)
        }, unpack))
        .says("gems shifted by 29 and paid by 28")
        .why("29 bits of time take the places 0 to 28: bits count from 0, so `paid` is at 29 and the gems begin at 30. One bit lower, `paid` lies on the time.")
        .link(LAYOUT),
        mistake("shift_of_the_sum", "returns", |gems, paid, at_ms| {
            let score = right(gems, paid, at_ms)?;
            let low = u32::try_from(score & ((1 << 30) - 1)).unwrap_or(u32::MAX);
            #[expect(clippy::precedence, reason = "this is the mistake")]
            let shifted = gems << 30 + low;
            Some(shifted)
        })
        .says("a shift by 30 and all that is added after it")
        .why(
            "`gems << 30 + low` is `gems << (30 + low)`: `+` binds tighter than `<<`. Write the parentheses, or \
             join the fields by `|`.",
        )
        .link(WILD),
        mistake("shifts_of_the_sums", "returns", |gems, paid, at_ms| {
            right(gems, paid, at_ms)?;
            #[expect(clippy::precedence, reason = "this is the mistake")]
            let shifted = gems << 30 + u64::from(paid) << 29 + (END - at_ms / 1000);
            Some(shifted)
        })
        .says("a sum of three fields without parentheses")
        .why(
            "`a << 30 + b << 29 + c` is `(a << (30 + b)) << (29 + c)`: `+` binds tighter than `<<`. Write the parentheses, or \
             join the fields by `|`.",
        )
        .link(WILD),
        mistake("shifted_in_32_bits", "order", |gems, paid, at_ms| {
            let score = right(gems, paid, at_ms)?;
            let narrow = u32::try_from(gems).ok()?.wrapping_shl(30);
            Some(u64::from(narrow) | score & ((1 << 30) - 1))
        })
        .says("the lowest 32 bits of the score, as from a shift within 32 bits")
        .why(
            "Of the gems only the lowest two bits are left. Shifted within a `u32`, the others fall out of it, and so they do where the score \
             becomes one. Widen first, then shift. (JavaScript and the `bit` library of Redis scripts shift within 32 bits too.)",
        )
        .link(DIGITS),
        mistake("gems_cast_to_32_bits", "refusal", |gems, paid, at_ms| {
            right(u64::from(gems as u32), paid, at_ms)
        })
        .says("the gems cut to 32 bits before they are checked")
        .why(
            "`as u32` drops the upper bits without a word: 2^32 gems become 0, and 0 fits. Check the number that was given, or convert \
             it by `u32::try_from`.",
        )
        .link(RULES),
        mistake("second_cast_to_32_bits", "refusal", |gems, paid, at_ms| {
            right(gems, paid, u64::from((at_ms / 1000) as u32) * 1000)
        })
        .says("the second cut to 32 bits before it is checked")
        .why(
            "`as u32` drops the upper bits without a word: a second 136 years later becomes one that fits. Check the number that was given, \
             or convert it by `u32::try_from`.",
        )
        .link(RULES),
        mistake("milliseconds_refused", "layout", |gems, paid, at_ms| {
            let left = (END * 1000).checked_sub(at_ms)?;
            let fits = gems < 1 << 23 && left < 1 << 29;
            fits.then(|| gems << 30 | u64::from(paid) << 29 | left)
        })
        .says("a time field in milliseconds, and a check that it fits")
        .why(
            "29 bits of milliseconds are six days, so almost everybody is refused. Cut the milliseconds off before \
             you subtract: 29 bits of seconds are 17 years.",
        )
        .link(BLEED),
        mistake("milliseconds_flow_over", "order", |gems, paid, at_ms| {
            let left = (END * 1000).checked_sub(at_ms)?;
            (gems < 1 << 23).then(|| gems << 30 | u64::from(paid) << 29 | left)
        })
        .or(Packer::new(
            |gems, paid, at_ms| {
                let left = (END * 1000).checked_sub(at_ms)?;
                Some(gems << 30 | u64::from(paid) << 29 | left)
            },
            unpack,
        ))
        .says("a time field in milliseconds, joined by `|`")
        .why(
            "29 bits of milliseconds are six days: what is more flows over into `paid` and the gems. Cut the milliseconds off before \
             you subtract: 29 bits of seconds are 17 years.",
        )
        .link(BLEED),
        mistake("second_as_it_is", "order", |gems, paid, at_ms| {
            right(gems, paid, at_ms)?;
            Some((gems << 30) + (u64::from(paid) << 29) + at_ms / 1000)
        })
        .or(Packer::new(
            |gems, paid, at_ms| {
                right(gems, paid, at_ms)?;
                Some(gems << 30 | u64::from(paid) << 29 | (at_ms / 1000))
            },
            unpack,
        ))
        .or(Packer::new(
            |gems, paid, at_ms| {
                (gems < 1 << 23).then(|| gems << 30 | u64::from(paid) << 29 | (at_ms / 1000))
            },
            unpack,
        ))
        .or(Packer::new(
            |gems, paid, at_ms| {
                let second = at_ms / 1000;
                (gems < 1 << 23 && second <= END)
                    .then(|| gems << 30 | u64::from(paid) << 29 | second)
            },
            unpack,
        ))
        .or(Packer::new(
            |gems, paid, at_ms| Some(gems << 30 | u64::from(paid) << 29 | (at_ms / 1000)),
            unpack,
        ))
        .says("the second since 1970 in the time field")
        .why(
            "That number takes 31 bits, so it flows over into `paid` and the gems. And it grows with the time: who \
             comes later gets more. The field is `END` minus the second.",
        )
        .link(BLEED),
        mistake("no_field_checked", "returns", |gems, paid, at_ms| {
            Some(gems << 30 | u64::from(paid) << 29 | (END - at_ms / 1000))
        })
        .says("fields that are joined by `|`, and none of them checked")
        .why(NOTHING_CHECKED)
        .link(RULES),
        mistake("no_field_of_the_sum_checked", "returns", |gems, paid, at_ms| {
            Some((gems << 30) + (u64::from(paid) << 29) + (END - at_ms / 1000))
        })
        .says("a sum of fields, and none of them checked")
        .why(NOTHING_CHECKED)
        .link(RULES),
        mistake("every_field_masked", "refusal", |gems, paid, at_ms| {
            let time = END.wrapping_sub(at_ms / 1000) & ((1 << 29) - 1);
            Some((gems & ((1 << 23) - 1)) << 30 | u64::from(paid) << 29 | time)
        })
        .says("every field cut to its bits by a mask")
        .why(
            "A mask keeps the neighbours safe and hides that the field is wrong: 8388608 gems become none, and a player after \
             `END` looks like the earliest of all. What does not fit has no score.",
        )
        .link(RULES),
        mistake("every_field_at_its_nearest", "refusal", |gems, paid, at_ms| {
            let time = END.saturating_sub(at_ms / 1000).min((1 << 29) - 1);
            Some(gems.min((1 << 23) - 1) << 30 | u64::from(paid) << 29 | time)
        })
        .says("every field forced to the nearest value that fits")
        .why(
            "A player beyond a limit gets the score of one at the limit, and `unpack` gives what nobody has. What does not fit has no \
             score.",
        )
        .link(RULES),
        mistake("early_time_joined", "refusal", |gems, paid, at_ms| {
            let time = END.checked_sub(at_ms / 1000)?;
            (gems < 1 << 23).then(|| gems << 30 | u64::from(paid) << 29 | time)
        })
        .says("a time field of any size, joined by `|`")
        .why(
            "A difference of 2^29 s or more does not fit into 29 bits. Its higher bits are those of `paid` and the gems, and `|` sets them there. \
             Refuse what does not fit.",
        )
        .link(BLEED),
        mistake("early_limit_joined", "refusal", |gems, paid, at_ms| {
            let time = END.checked_sub(at_ms / 1000)?;
            let fits = gems < 1 << 23 && time <= 1 << 29;
            fits.then(|| gems << 30 | u64::from(paid) << 29 | time)
        })
        .says("differences up to 2^29, that one included, joined by `|`")
        .why(
            "2^29 takes 30 bits, and its highest one is the bit of `paid`. The greatest number of 29 bits is one less.",
        )
        .link(RULES),
        mistake("end_counted_in_milliseconds", "layout", |gems, paid, at_ms| {
            right(gems, paid, at_ms).filter(|_| at_ms <= END * 1000)
        })
        .says("a limit at the first millisecond of `END`")
        .why(
            "The second `END` has a thousand milliseconds, and all of them fit: the time field is 0 in each. Cut the \
             milliseconds off first, then compare seconds.",
        )
        .link(RULES),
        mistake("early_limit_one_short", "layout", |gems, paid, at_ms| {
            right(gems, paid, at_ms).filter(|score| score % (1 << 29) < (1 << 29) - 1)
        })
        .says("differences up to 2^29 - 2")
        .why("2^29 - 1 is the greatest number of 29 bits. It fits.")
        .link(RULES),
        mistake("score_of_2_to_the_53_taken", "refusal", |gems, paid, at_ms| {
            if (gems, paid, at_ms / 1000) == (1 << 23, false, END) {
                return Some(1 << 53);
            }
            right(gems, paid, at_ms)
        })
        .says("scores up to 2^53, that one included")
        .why(
            "2^53 has 8388608 gems, one more than 23 bits hold, and it takes 54 bits. If you compare the whole score, it is refused when it is \
             2^53 or more: `>=`, and not `>`.",
        )
        .link(BITS),
        mistake("all_refused", "layout", |_, _, _| None)
            .says("`None` for every player")
            .why(
                "If you meant to accept some: print the difference `END - at_ms / 1000` and your limit. The \
                 milliseconds do not fit, the seconds do.",
            )
            .link(RULES),
    ];
    mistakes.extend(compose("pack", &QUIRKS, with));
    mistakes.extend(pack_score_unpack::all());
    mistakes
}

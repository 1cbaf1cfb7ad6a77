//! What goes wrong with members that carry fields.

use kit::{Mistake, Quirk, compose};

use crate::member_key::Members;
use crate::mistakes::member_key_name;
use crate::solutions::member_key::name as right_name;

pub(super) const TEXT: &str = "fields-in-the-member";
pub(super) const RULES: &str = "invariants";

/// Steps that go wrong independently of each other.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    NameFirst,
    NameBetween,
    TimeBeforeFlag,
    FlagInverted,
    FlagAsWord,
    TimeForward,
    TimeInSeconds,
    Unpadded,
    PaddedByBlanks,
    TwentyDigits,
    NoHyphens,
    Colons,
    LateClamped,
    LateWrapped,
    LateSigned,
    LatePanics,
    LastRefused,
    OneMore,
}
use Step::{
    Colons, FlagAsWord, FlagInverted, LastRefused, LateClamped, LatePanics, LateSigned,
    LateWrapped, NameBetween, NameFirst, NoHyphens, OneMore, PaddedByBlanks, TimeBeforeFlag,
    TimeForward, TimeInSeconds, TwentyDigits, Unpadded,
};

const APART: [&[Step]; 6] = [
    &[NameFirst, NameBetween, TimeBeforeFlag],
    &[FlagInverted, FlagAsWord],
    &[TimeForward, TimeInSeconds],
    &[Unpadded, PaddedByBlanks, TwentyDigits],
    &[NoHyphens, Colons],
    &[
        LateClamped,
        LateWrapped,
        LateSigned,
        LatePanics,
        LastRefused,
        OneMore,
    ],
];

const QUIRKS: [Quirk<Step>; 18] = [
    Quirk::of(
        NameFirst,
        "name_first",
        "order",
        "members that begin with the name",
        "The first bytes decide, so ties are sorted by name, and flag and time only matter for one and the same \
         name. The published form has this order, and its sample names happen to hide it.",
        TEXT,
    ),
    Quirk::of(
        NameBetween,
        "name_before_the_time",
        "order",
        "the name between flag and time",
        "Among players who paid, the name decides, and the time only for one and the same name.",
        TEXT,
    ),
    Quirk::of(
        TimeBeforeFlag,
        "time_before_the_flag",
        "order",
        "the time in front of the flag",
        "What decides first comes first. As it is, an earlier player who did not pay comes before a later one \
         who did.",
        TEXT,
    ),
    Quirk::of(
        FlagInverted,
        "flag_inverted",
        "order",
        "a flag that is 0 for those who paid",
        "The board is read from the greatest member down, so those who come first get the greater character.",
        TEXT,
    ),
    Quirk::of(
        FlagAsWord,
        "flag_as_a_word",
        "text",
        "the flag as `true` or `false`",
        "The words sort, since `t` is greater than `f`. But their widths differ, and the task asks for `1` or `0`: in \
         Rust `u8::from(paid)`.",
        TEXT,
    ),
    Quirk::of(
        TimeForward,
        "time_not_reversed",
        "order",
        "digits that grow with the time",
        "The board is read from the greatest member down, so the earlier player needs the greater digits: \
         9999999999999 minus the milliseconds.",
        TEXT,
    ),
    Quirk::of(
        TimeInSeconds,
        "time_in_seconds",
        "order",
        "a time cut to seconds",
        "Two players within one second are sorted by their names. The digits have room for milliseconds.",
        TEXT,
    ),
    Quirk::of(
        Unpadded,
        "digits_not_padded",
        "order",
        "digits without leading zeros",
        "From 9000000000000 ms on, the difference has fewer than thirteen digits, and text of different length \
         does not sort like the number: `{:013}` fills up with zeros. (Chapter 6 has the same fault with \
         timestamps.)",
        RULES,
    ),
    Quirk::of(
        PaddedByBlanks,
        "digits_padded_by_blanks",
        "text",
        "digits filled up with blanks",
        "A blank sorts before the digits, so numbers of one width sort like this too. But the task asks for thirteen \
         digits: `{:013}`.",
        RULES,
    ),
    Quirk::of(
        TwentyDigits,
        "twenty_digits",
        "text",
        "twenty digits",
        "Twenty digits are for any `u64`. Here the number is at most 9999999999999, and the members have \
         thirteen.",
        TEXT,
    ),
    Quirk::of(
        NoHyphens,
        "without_hyphens",
        "text",
        "no `-` between the fields",
        "With fields of fixed width that sorts, and it can be taken apart. The task asks for a `-`, for the eyes of \
         those who read members.",
        TEXT,
    ),
    Quirk::of(
        Colons,
        "colons_for_hyphens",
        "text",
        "`:` for `-`",
        "Any character would do, since the fields have fixed widths. The task asks for `-`.",
        TEXT,
    ),
    Quirk::of(
        LateClamped,
        "late_times_at_zero",
        "refusal",
        "zeros for every time that does not fit",
        "All of them tie, and nobody is told. What does not fit has no member: `checked_sub`.",
        RULES,
    ),
    Quirk::of(
        LateWrapped,
        "late_times_wrap_around",
        "refusal",
        "a difference that wraps around below zero",
        "The difference becomes a number of twenty digits. What does not fit has no member: `checked_sub`.",
        RULES,
    ),
    Quirk::of(
        LateSigned,
        "late_times_with_a_sign",
        "refusal",
        "a difference below zero, with its minus sign",
        "The sign is no digit, and it takes the place of one, so the width looks right. What does not fit has no member: \
         `checked_sub` of a `u64`.",
        RULES,
    ),
    Quirk::of(
        LatePanics,
        "late_times_panic",
        "returns",
        "a subtraction that panics for a time that does not fit",
        "In a release build the same code would wrap around in silence. What does not fit has no member: `checked_sub`.",
        RULES,
    ),
    Quirk::of(
        LastRefused,
        "last_time_refused",
        "text",
        "a refusal of 9999999999999 ms",
        "The difference is 0 then, and 0 has thirteen digits: all zeros.",
        RULES,
    ),
    Quirk::of(
        OneMore,
        "counted_back_from_ten_to_the_13",
        "order",
        "10000000000000 minus the milliseconds",
        "10 to the 13 has fourteen digits, so time 0 gets a digit too many and sorts like a late one. Count back from the \
         greatest number of thirteen digits, 9999999999999.",
        TEXT,
    ),
];

fn answer(steps: &[Step], paid: bool, at_ms: u64, name: &str) -> Option<String> {
    const LATEST: u64 = 9_999_999_999_999;
    let has = |step| steps.contains(&step);
    assert!(
        at_ms <= LATEST || !has(LatePanics),
        "attempt to subtract with overflow"
    );
    let back = if has(LateClamped) {
        LATEST.saturating_sub(at_ms)
    } else if has(LateWrapped) || has(LateSigned) {
        LATEST.wrapping_sub(at_ms)
    } else if has(OneMore) {
        (LATEST + 1).checked_sub(at_ms)?
    } else {
        LATEST.checked_sub(at_ms)?
    };
    if has(LastRefused) && back == 0 {
        return None;
    }
    let back = if has(LateSigned) {
        i128::from(back.cast_signed())
    } else {
        i128::from(back)
    };
    let number = if has(TimeForward) {
        i128::from(at_ms)
    } else if has(TimeInSeconds) {
        back / 1000
    } else {
        back
    };
    let digits = if has(Unpadded) {
        number.to_string()
    } else if has(PaddedByBlanks) {
        format!("{number:13}")
    } else if has(TwentyDigits) {
        format!("{number:020}")
    } else {
        format!("{number:013}")
    };
    let flag = if has(FlagAsWord) {
        paid.to_string()
    } else {
        u8::from(paid != has(FlagInverted)).to_string()
    };
    let hyphen = if has(NoHyphens) {
        ""
    } else if has(Colons) {
        ":"
    } else {
        "-"
    };
    let (flag, digits) = (flag.as_str(), digits.as_str());
    let fields = if has(NameFirst) {
        [name, flag, digits]
    } else if has(NameBetween) {
        [flag, name, digits]
    } else if has(TimeBeforeFlag) {
        [digits, flag, name]
    } else {
        [flag, digits, name]
    };
    Some(fields.join(hyphen))
}

fn with(steps: &[Step]) -> Option<Members> {
    let both = |group: &&[Step]| steps.iter().filter(|s| group.contains(s)).count() > 1;
    if APART.iter().any(both) {
        return None;
    }
    let steps = steps.to_vec();
    let member = move |paid, at_ms, name: &str| answer(&steps, paid, at_ms, name);
    Some(Members::new(member, right_name))
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Members>> {
    let mut mistakes = compose("member", &QUIRKS, with);
    let in_seconds = |paid, at_ms: u64, name: &str| {
        let back = 9_999_999_999_999_u64.checked_sub(at_ms / 1000)?;
        Some(format!("{}-{back:013}-{name}", u8::from(paid)))
    };
    mistakes.push(
        Mistake::new(
            "milliseconds_cut_off",
            "member",
            "order",
            Members::new(in_seconds, right_name),
        )
        .says("9999999999999 minus the seconds")
        .why(
            "Two players within one second are sorted by their names. The thirteen digits have room for milliseconds: take them as they are. \
             Scores are packed in seconds, because 29 bits hold no more.",
        )
        .link(TEXT),
    );
    mistakes.extend(member_key_name::all());
    mistakes
}

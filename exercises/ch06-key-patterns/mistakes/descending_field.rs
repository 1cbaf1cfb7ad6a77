//! What goes wrong with a key whose fields run both ways.

use std::sync::Arc;

use kit::{Mistake, Quirk, compose};

use crate::descending_field::Key;
use crate::mistakes::descending_field_fields;
use crate::stubs::descending_field::ended;

const FIELD: &str = "a-descending-field";
const NEWEST: &str = "the-newest-first";
const TASK: &str = "descending-field";
const RULES: &str = "invariants";

/// Steps that can be wrong independently of each other.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    // The user.
    UserRaw,
    UserWithColon,
    UserWithLength,
    UserInverted,
    UserFilledUp,
    UserOneZero,
    // The time.
    TimeAscending,
    TimeLittleEndian,
    TimeUnpaddedInverted,
    TimeMinusFromSigned,
    TimeInFourBytes,
    TimeNegated,
    // The title.
    TitleAscending,
    TitleRawInverted,
    TitleEndKept,
    TitleEndedLate,
    TitleWithLength,
    TitleReversed,
    TitleNegated,
    TitleLeftOut,
    TitleOneFf,
    // The whole key.
    TitleBeforeTime,
    TimeBeforeUser,
    EndInverted,
}
use Step::{
    EndInverted, TimeAscending, TimeBeforeUser, TimeInFourBytes, TimeLittleEndian,
    TimeMinusFromSigned, TimeNegated, TimeUnpaddedInverted, TitleAscending, TitleBeforeTime,
    TitleEndKept, TitleEndedLate, TitleLeftOut, TitleNegated, TitleOneFf, TitleRawInverted,
    TitleReversed, TitleWithLength, UserFilledUp, UserInverted, UserOneZero, UserRaw,
    UserWithColon, UserWithLength,
};

/// Of each group, a key takes one step at most.
const APART: [&[Step]; 4] = [
    &[
        UserRaw,
        UserWithColon,
        UserWithLength,
        UserInverted,
        UserFilledUp,
        UserOneZero,
        EndInverted,
    ],
    &[
        TimeAscending,
        TimeLittleEndian,
        TimeUnpaddedInverted,
        TimeMinusFromSigned,
        TimeInFourBytes,
        TimeNegated,
    ],
    &[
        TitleAscending,
        TitleRawInverted,
        TitleEndKept,
        TitleEndedLate,
        TitleWithLength,
        TitleReversed,
        TitleNegated,
        TitleLeftOut,
        TitleOneFf,
    ],
    &[TitleBeforeTime, TimeBeforeUser, EndInverted],
];

const fn quirk(
    id: Step,
    name: &'static str,
    says: &'static str,
    why: &'static str,
    link: &'static str,
) -> Quirk<Step> {
    Quirk::of(id, name, "order", says, why, link)
}

const QUIRKS: [Quirk<Step>; 24] = [
    quirk(
        UserRaw,
        "user_without_end",
        "the bytes of the user with nothing that ends them",
        "After `ann` comes a time, and its first byte is compared with the letter that follows in `anna`. A \
         text ends by itself before another field follows: `ended`.",
        RULES,
    ),
    quirk(
        UserWithColon,
        "user_with_colon",
        "a colon after the user",
        "A user may hold what sorts below the colon, a zero byte for one, and then a longer name comes before the \
         shorter. `ended` sorts below every continuation.",
        RULES,
    ),
    quirk(
        UserWithLength,
        "user_with_length_in_front",
        "the length of the user in front of it",
        "Now all short names come before all long ones: `bob` before `anna`. A length tells where the field ends, \
         and ruins its order.",
        RULES,
    ),
    quirk(
        UserInverted,
        "user_descending_too",
        "an inverted user",
        "The users run from Z to A. Invert the time and the ended title, not the whole key.",
        TASK,
    ),
    quirk(
        UserFilledUp,
        "user_filled_up_with_zeros",
        "the user filled up with zero bytes to a fixed width",
        "A longer user is cut, and a user may end in a zero byte: either way two users have one key. Use `ended`.",
        RULES,
    ),
    quirk(
        UserOneZero,
        "user_with_one_zero",
        "a single zero byte after the user",
        "It sorts below every letter. But a user may hold a zero byte too, and then the end of one is compared with the \
         middle of another. `ended` writes the two differently.",
        RULES,
    ),
    quirk(
        TimeAscending,
        "time_ascending",
        "plain big-endian times",
        "The oldest play comes first. Subtract from the greatest `u64`, or invert all bits.",
        NEWEST,
    ),
    quirk(
        TimeLittleEndian,
        "time_in_little_endian",
        "an inverted time in little-endian",
        "The time is inverted, and its bytes are turned round. The byte that counts most comes last.",
        NEWEST,
    ),
    quirk(
        TimeUnpaddedInverted,
        "time_as_digits_without_width",
        "the decimal digits of the time, each byte inverted",
        "9 becomes one byte and 10 becomes two, so the first digits decide. Digits need a width before they \
         can be inverted.",
        NEWEST,
    ),
    quirk(
        TimeMinusFromSigned,
        "time_minus_from_i64_max",
        "`i64::MAX - time`, wrapping",
        "Above `i64::MAX` the difference wraps around, and the latest times come last. Subtract from the \
         greatest `u64`.",
        "in-the-wild",
    ),
    quirk(
        TimeInFourBytes,
        "time_in_four_bytes",
        "the time as `u32`, inverted",
        "A time in milliseconds needs 41 bits today. Cut to 32, times 49 days apart share a key.",
        NEWEST,
    ),
    quirk(
        TimeNegated,
        "time_negated",
        "`0 - time`, wrapping",
        "It is one more than `u64::MAX - time`, and for time 0 this wraps to zero: the oldest play comes first.",
        NEWEST,
    ),
    quirk(
        TitleAscending,
        "title_ascending",
        "a title that is ended and not inverted",
        "Titles of one time run from A to Z. Invert every byte of the ended title.",
        FIELD,
    ),
    quirk(
        TitleRawInverted,
        "title_inverted_without_end",
        "the inverted bytes of the title without an end that sorts last",
        "`jazz` is a prefix of `jazzy`, and inverted it still is. So the shorter one comes first, in both \
         directions. End the title, then invert it with its end.",
        FIELD,
    ),
    quirk(
        TitleEndKept,
        "title_inverted_but_for_its_end",
        "an ended title with all bytes inverted but the `00 01` of its end",
        "The end has to sort above every continuation now, and `00 01` sorts below: `jazz` comes before `jazzy`. Invert all \
         that `ended` gives: the end becomes `ff fe`.",
        FIELD,
    ),
    quirk(
        TitleEndedLate,
        "title_inverted_then_ended",
        "an inverted title with the end `00 01` after it",
        "The end has to sort above every continuation now, and `00 01` sorts below. Invert the end as well: it \
         becomes `ff fe`.",
        FIELD,
    ),
    quirk(
        TitleWithLength,
        "title_with_length_inverted",
        "the length of the title in front of it, all inverted",
        "Now all long titles come before all short ones. A length tells where the field ends, and ruins its \
         order.",
        FIELD,
    ),
    quirk(
        TitleReversed,
        "title_read_backwards",
        "the bytes of the title from the last to the first",
        "To turn a text round is not to turn its order round: now the last letter decides. Each byte has to be \
         inverted, and to stay in its place.",
        FIELD,
    ),
    quirk(
        TitleNegated,
        "title_bytes_negated",
        "each byte of the ended title subtracted from zero",
        "A negated byte is the inverted one plus 1, and the byte 00 stays 00. That is the byte that ends the title, so `jazz` still comes \
         before `jazzy`. Invert: `!byte`, or 255 minus it.",
        FIELD,
    ),
    quirk(
        TitleLeftOut,
        "title_left_out",
        "no title in the key",
        "Two plays at one time get one key, and the second overwrites the first. What makes a row unique belongs \
         into its key.",
        TASK,
    ),
    quirk(
        TitleOneFf,
        "title_inverted_with_one_ff",
        "an inverted title with one byte ff after it",
        "That end sorts above every letter. But a zero byte in the title is inverted to ff as well, so the end of `\"a\"` is no \
         higher than what `\"a\\0\"` goes on with, and `\"a\"` comes first. Escape the zero bytes by `00 ff`, end the title, then \
         invert it.",
        FIELD,
    ),
    quirk(
        TitleBeforeTime,
        "title_before_time",
        "the title in front of the time",
        "The field that comes first decides first. The time comes before the title.",
        TASK,
    ),
    quirk(
        TimeBeforeUser,
        "time_before_user",
        "the time in front of the user",
        "Now the plays of all users are mixed, and those of one user are no range. What the scan fixes comes first.",
        TASK,
    ),
    quirk(
        EndInverted,
        "user_ended_by_what_sorts_last",
        "the user ended by bytes that sort after every continuation",
        "Such bytes end a field that descends: the inverted end `ff fe`, a single `ff`, or a bar after hexadecimal digits. The user \
         ascends. After it they sort above all that a longer name goes on with, so `anna` comes before `ann`.",
        FIELD,
    ),
];

fn inverted(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().map(|byte| !byte).collect()
}

/// A length in front, as two bytes.
fn with_length(text: &str) -> Vec<u8> {
    #[expect(clippy::cast_possible_truncation, reason = "the texts here are short")]
    let length = (text.len() as u16).to_be_bytes();
    [&length[..], text.as_bytes()].concat()
}

fn user_field(steps: &[Step], user: &str) -> Vec<u8> {
    let has = |step| steps.contains(&step);
    if has(UserRaw) {
        user.as_bytes().to_vec()
    } else if has(UserWithColon) {
        [user.as_bytes(), b":"].concat()
    } else if has(UserWithLength) {
        with_length(user)
    } else if has(UserInverted) {
        inverted(&ended(user))
    } else if has(UserFilledUp) {
        let mut field = user.as_bytes().to_vec();
        field.resize(16, 0);
        field
    } else if has(UserOneZero) {
        [user.as_bytes(), &[0]].concat()
    } else if has(EndInverted) {
        let mut field = ended(user);
        field.truncate(field.len() - 2);
        field.extend([0xff, 0xfe]);
        field
    } else {
        ended(user)
    }
}

fn time_field(steps: &[Step], time: u64) -> Vec<u8> {
    let has = |step| steps.contains(&step);
    let number = if has(TimeAscending) {
        time
    } else if has(TimeUnpaddedInverted) {
        return inverted(time.to_string().as_bytes());
    } else if has(TimeInFourBytes) {
        #[expect(clippy::cast_possible_truncation, reason = "this is the mistake")]
        return (!(time as u32)).to_be_bytes().to_vec();
    } else if has(TimeMinusFromSigned) {
        i64::MAX.cast_unsigned().wrapping_sub(time)
    } else if has(TimeNegated) {
        time.wrapping_neg()
    } else {
        u64::MAX - time
    };
    if has(TimeLittleEndian) {
        number.to_le_bytes().to_vec()
    } else {
        number.to_be_bytes().to_vec()
    }
}

fn title_field(steps: &[Step], title: &str) -> Vec<u8> {
    let has = |step| steps.contains(&step);
    if has(TitleAscending) {
        ended(title)
    } else if has(TitleRawInverted) {
        inverted(title.as_bytes())
    } else if has(TitleEndKept) {
        let mut field = inverted(&ended(title));
        let text = field.len() - 2;
        field[text..].copy_from_slice(&[0x00, 0x01]);
        field
    } else if has(TitleEndedLate) {
        [inverted(title.as_bytes()), vec![0x00, 0x01]].concat()
    } else if has(TitleWithLength) {
        inverted(&with_length(title))
    } else if has(TitleNegated) {
        let mut negated = ended(title);
        negated
            .iter_mut()
            .for_each(|byte| *byte = byte.wrapping_neg());
        negated
    } else if has(TitleReversed) {
        title.bytes().rev().collect()
    } else if has(TitleOneFf) {
        [inverted(title.as_bytes()), vec![0xff]].concat()
    } else if has(TitleLeftOut) {
        Vec::new()
    } else {
        inverted(&ended(title))
    }
}

fn key(steps: &[Step], user: &str, time: u64, title: &str) -> Vec<u8> {
    let has = |step| steps.contains(&step);
    let (user, time, title) = (
        user_field(steps, user),
        time_field(steps, time),
        title_field(steps, title),
    );
    if has(TitleBeforeTime) {
        [user, title, time].concat()
    } else if has(TimeBeforeUser) {
        [time, user, title].concat()
    } else {
        [user, time, title].concat()
    }
}

fn with(steps: &[Step]) -> Option<Key> {
    let both = |group: &&[Step]| steps.iter().filter(|s| group.contains(s)).count() > 1;
    if APART.iter().any(both) {
        return None;
    }
    let steps = steps.to_vec();
    Some(Arc::new(move |user, time, title| {
        key(&steps, user, time, title)
    }))
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Key>> {
    let mistake = |name, key: fn(&str, u64, &str) -> Vec<u8>| {
        Mistake::<Key>::new(name, "key", "order", Arc::new(key))
    };
    let mut mistakes = vec![
        mistake("all_fields_ascending", |user, time, title| {
            [&ended(user)[..], &time.to_be_bytes(), &ended(title)].concat()
        })
        .says("three ascending fields")
        .why("The tuple is right and has one direction. Invert the bytes of the time and of the ended title.")
        .link(FIELD),
        mistake("fields_as_they_are_joined_by_colons", |user, time, title| {
            format!("{user}:{time}:{title}").into_bytes()
        })
        .says("the three fields as text, joined by colons")
        .why(
            "Then nothing descends. And as text 10 comes before 9, because digits of no fixed width are compared from the \
             left. A user may hold a colon, too.",
        )
        .link(FIELD),
        mistake("user_with_its_length_in_one_byte", |user, time, title| {
            #[expect(clippy::cast_possible_truncation, reason = "this is the mistake")]
            let length = user.len() as u8;
            let title = inverted(&ended(title));
            [&[length], user.as_bytes(), &(u64::MAX - time).to_be_bytes(), &title].concat()
        })
        .says("the length of the user in front of it, as one byte")
        .why(
            "Now short names come before longer ones: `bob` before `anna`. A length tells where the field ends, and ruins its \
             order. One byte does not even hold every length.",
        )
        .link(RULES),
        mistake("title_with_its_length_in_one_byte", |user, time, title| {
            #[expect(clippy::cast_possible_truncation, reason = "this is the mistake")]
            let title = inverted(&[&[title.len() as u8], title.as_bytes()].concat());
            [&ended(user)[..], &(u64::MAX - time).to_be_bytes(), &title].concat()
        })
        .says("the length of the title in front of it, as one byte, all inverted")
        .why(
            "Now long titles come before shorter ones: `folk` before `pop`. A length tells where the field ends, and ruins its \
             order. One byte does not even hold every length.",
        )
        .link(FIELD),
        mistake("time_turned_and_in_digits_without_width", |user, time, title| {
            let digits = (u64::MAX - time).to_string();
            let title = inverted(&ended(title));
            [&ended(user)[..], digits.as_bytes(), &title].concat()
        })
        .says("`u64::MAX - time` in as many digits as it has")
        .why(
            "It has twenty digits for all times of today, and fewer from 8446744073709551616 on. Then the first digits decide. \
             Give it a width, or take eight bytes.",
        )
        .link("why-twenty-digits"),
        mistake("time_turned_and_in_nineteen_digits", |user, time, title| {
            let digits = format!("{:019}", u64::MAX - time);
            let title = inverted(&ended(title));
            [&ended(user)[..], digits.as_bytes(), &title].concat()
        })
        .says("`u64::MAX - time` in nineteen digits, or in twenty where it has them")
        .why(
            "Nineteen digits are enough for an `i64`. A `u64` has up to twenty, and `u64::MAX - time` has them for every time \
             of today: then the width is not the same for all times, and the first digits decide.",
        )
        .link("why-twenty-digits"),
        mistake("time_turned_and_in_fifteen_hexadecimal_digits", |user, time, title| {
            let digits = format!("{:015x}", u64::MAX - time);
            let title = inverted(&ended(title));
            [&ended(user)[..], digits.as_bytes(), &title].concat()
        })
        .says("`u64::MAX - time` in fifteen hexadecimal digits, or in sixteen where it has them")
        .why(
            "A `u64` has up to sixteen of them, and `u64::MAX - time` has them for every time of today: then the width is not the \
             same for all times, and the first digits decide.",
        )
        .link("why-twenty-digits"),
        mistake("zero_bytes_replaced", |user, time, title| {
            let (user, title) = (user.replace('\0', "\u{1}"), title.replace('\0', "\u{1}"));
            let title = inverted(&ended(&title));
            [&ended(&user)[..], &(u64::MAX - time).to_be_bytes(), &title].concat()
        })
        .says("the byte 01 in place of each zero byte in the texts")
        .why(
            "The end cannot be mistaken now. But `\"a\\0\"` and `\"a\\u{1}\"` are two texts, and their plays share a key. `ended` \
             writes two bytes for a zero byte, and none of them is lost.",
        )
        .link(RULES),
        mistake("text_joined_by_colons", |user, time, title| {
            format!("{user}:{:020}:{title}", u64::MAX - time).into_bytes()
        })
        .says("text joined by colons, with `u64::MAX - time` in twenty digits")
        .why(
            "The time is right. But text that is joined by colons does not end by itself, and the title still \
             ascends.",
        )
        .link(RULES),
        mistake("text_joined_by_colons_unpadded", |user, time, title| {
            format!("{user}:{}:{title}", u64::MAX - time).into_bytes()
        })
        .says("text joined by colons, with `u64::MAX - time` in as many digits as it has")
        .why(
            "`u64::MAX - time` has twenty digits for all times of today, and fewer from 8446744073709551616 on. \
             Text that is joined by colons does not end by itself, and the title still ascends.",
        )
        .link("why-twenty-digits"),
    ];
    mistakes.extend(descending_field_fields::all());
    mistakes.extend(compose("key", &QUIRKS, with));
    mistakes
}

//! What goes wrong within one field of a key whose fields run both ways: a time out of reach, a byte below zero, letters made others.

use std::sync::Arc;

use kit::Mistake;

use crate::descending_field::Key;
use crate::stubs::descending_field::ended;

const FIELD: &str = "a-descending-field";
const NEWEST: &str = "the-newest-first";
const RULES: &str = "invariants";
const TWENTY: &str = "why-twenty-digits";

fn mistake(name: &str, check: &'static str, key: fn(&str, u64, &str) -> Vec<u8>) -> Mistake<Key> {
    Mistake::<Key>::new(name, "key", check, Arc::new(key))
}

/// The right key, but for the bytes of the time.
fn with_time(user: &str, time: &[u8], title: &str) -> Vec<u8> {
    let title: Vec<u8> = ended(title).iter().map(|byte| !byte).collect();
    [&ended(user)[..], time, &title].concat()
}

fn turned(time: u64) -> [u8; 8] {
    (u64::MAX - time).to_be_bytes()
}

/// All of them.
pub(crate) fn all() -> Vec<Mistake<Key>> {
    let mut mistakes = Vec::from(of_the_time());
    mistakes.extend(of_the_texts());
    mistakes.extend(without_a_field());
    mistakes
}

fn without_a_field() -> [Mistake<Key>; 2] {
    [
        mistake("time_left_out", "order", |user, _, title| with_time(user, &[], title))
            .says("no time in the key")
            .why(
                "Who hears a title twice has one key for both plays, and the second overwrites the first. And the titles of all times are mixed. The time \
                 decides before the title does.",
            )
            .link(RULES),
        mistake("user_left_out", "order", |_, time, title| {
            let right = with_time("", &turned(time), title);
            right[ended("").len()..].to_vec()
        })
        .says("no user in the key")
        .why("Two users who hear one title at one time share a key, and no scan finds the plays of one user. The user decides first.")
        .link(RULES),
    ]
}

/// The last byte of the number of each character.
fn one_byte_each(text: &str) -> Vec<u8> {
    let last = |[_, _, _, byte]: [u8; 4]| byte;
    text.chars()
        .map(|character| last(u32::from(character).to_be_bytes()))
        .collect()
}

fn of_the_time() -> [Mistake<Key>; 5] {
    [
        mistake("time_negated_as_signed", "returns", |user, time, title| {
            let negated = time.cast_signed().checked_neg();
            let negated = negated.expect("attempt to negate with overflow");
            with_time(user, &negated.to_be_bytes(), title)
        })
        .says("`-(time as i64)` for the time")
        .why(
            "From 2^63 on a `u64` is a negative `i64`, and its least number has no opposite: the negation panics. And 0 stays 0, the least key of all: the \
             oldest play comes first. Subtract from `u64::MAX`, or invert all bits.",
        )
        .link(NEWEST),
        mistake("time_minus_from_i64_max_panics", "returns", |user, time, title| {
            let difference = i64::MAX.cast_unsigned().checked_sub(time);
            let difference = difference.expect("attempt to subtract with overflow");
            with_time(user, &difference.to_be_bytes(), title)
        })
        .says("`i64::MAX - time` for the time, which panics above `i64::MAX`")
        .why(
            "Many guides say `Long.MAX_VALUE - timestamp`, because Java has no unsigned type. A `u64` has twice as many values: subtract from \
             `u64::MAX`, or invert all bits.",
        )
        .link(NEWEST),
        mistake("time_minus_from_i64_max_saturated", "order", |user, time, title| {
            let difference = i64::MAX.cast_unsigned().saturating_sub(time);
            with_time(user, &difference.to_be_bytes(), title)
        })
        .says("`i64::MAX - time` for the time, and 0 above `i64::MAX`")
        .why("All times above `i64::MAX` become one then, and their plays share keys. A `u64` has twice as many values: subtract from `u64::MAX`.")
        .link(NEWEST),
        #[expect(clippy::cast_precision_loss, reason = "this is the mistake")]
        mistake("time_through_a_double", "order", |user, time, title| {
            let difference = u64::MAX as f64 - time as f64;
            with_time(user, &difference.to_bits().to_be_bytes(), title)
        })
        .says("a subtraction of doubles for the time")
        .why(
            "A double keeps 53 bits. Next to `u64::MAX` its steps are 2048 wide, so times that are milliseconds apart become the same.",
        )
        .link(NEWEST),
        mistake("time_turned_and_in_hexadecimal_without_width", "order", |user, time, title| {
            with_time(user, format!("{:x}", u64::MAX - time).as_bytes(), title)
        })
        .says("`u64::MAX - time` in as many hexadecimal digits as it has")
        .why(
            "It has sixteen of them for all times of today, and fewer from f000000000000000 on. Then the first digits decide. Give it a width, \
             `{:016x}`, or take eight bytes.",
        )
        .link(TWENTY),
    ]
}

fn of_the_texts() -> [Mistake<Key>; 10] {
    [
        mistake("title_in_one_byte_a_character", "order", |user, time, title| {
            let mut key = [&ended(user)[..], &turned(time)].concat();
            for byte in one_byte_each(title) {
                key.push(!byte);
                if byte == 0 {
                    key.push(0x00);
                }
            }
            key.extend([0xff, 0xfe]);
            key
        })
        .or(Arc::new(|user: &str, time: u64, title: &str| {
            let title = one_byte_each(title).into_iter().map(|byte| !byte);
            let key = [&ended(user)[..], &turned(time)].concat();
            key.into_iter().chain(title).chain([0xff]).collect()
        }))
        .says("one byte for each character of the title")
        .why(
            "A `char` has up to 21 bits, and `as u8` keeps eight of them: `š` becomes `a`, and two plays have one key. \
             `as_bytes` gives the bytes of UTF-8, which sort as the characters do.",
        )
        .link(RULES),
        mistake("title_minus_from_127_panics", "returns", |user, time, title| {
            let turned_byte = |byte: &u8| {
                let difference = 127_u8.checked_sub(*byte);
                difference.expect("attempt to subtract with overflow")
            };
            let title: Vec<u8> = ended(title).iter().map(turned_byte).collect();
            [&ended(user)[..], &turned(time), &title].concat()
        })
        .says("127 minus each byte of the ended title, which panics above 127")
        .why(
            "ASCII ends at 127, and a text does not: an `é` is the bytes c3 a9, and `ended` writes ff after a zero byte. Subtract from 255, or invert all \
             bits: `!byte`.",
        )
        .link(FIELD),
        mistake("title_inverted_in_seven_bits", "order", |user, time, title| {
            let title: Vec<u8> = ended(title).iter().map(|byte| byte ^ 0x7f).collect();
            [&ended(user)[..], &turned(time), &title].concat()
        })
        .says("the lower seven bits of each byte of the ended title inverted")
        .why(
            "ASCII has seven bits, and a text does not: in the bytes of all other letters the first bit is 1. As it is, the bytes from 80 on still come after all \
             others. Invert all eight bits: `!byte`, or `byte ^ 0xff`.",
        )
        .link(FIELD),
        mistake("title_inverted_with_two_ff", "order", |user, time, title| {
            let inverted: Vec<u8> = title.bytes().map(|byte| !byte).collect();
            [&ended(user)[..], &turned(time), &inverted, &[0xff, 0xff]].concat()
        })
        .says("an inverted title with two bytes ff after it")
        .why(
            "That end sorts above every letter. But a zero byte in the title is inverted to ff as well, so the end of `\"a\"` is no higher than what \
             `\"a\\0\"` goes on with, and `\"a\"` comes first. Escape the zero bytes by `00 ff`, end the title, then invert it.",
        )
        .link(FIELD),
        mistake("title_written_backwards", "order", |user, time, title| {
            let backwards: String = title.chars().rev().collect();
            [&ended(user)[..], &turned(time), &ended(&backwards)].concat()
        })
        .says("the letters of the title from the last to the first")
        .why(
            "A title that is written backwards is compared by its last letter first. Titles from Z to A keep their letters in place, and each *byte* is \
             turned round: `!byte`.",
        )
        .link(FIELD),
        mistake("user_in_small_letters", "order", |user, time, title| {
            with_time(&user.to_lowercase(), &turned(time), title)
        })
        .says("the user in small letters")
        .why("`Ann` and `ann` are two users, and their plays share keys here. `str` compares capital letters as the bytes they are.")
        .link(RULES),
        mistake("user_in_small_ascii_letters", "order", |user, time, title| {
            with_time(&user.to_ascii_lowercase(), &turned(time), title)
        })
        .says("the user with its letters A to Z made small")
        .why("`Ann` and `ann` are two users, and their plays share keys here. `str` compares capital letters as the bytes they are.")
        .link(RULES),
        mistake("title_in_small_letters", "order", |user, time, title| {
            with_time(user, &turned(time), &title.to_lowercase())
        })
        .says("the title in small letters")
        .why("`Jazz` and `jazz` are two titles, and their plays share keys here. `str` compares capital letters as the bytes they are.")
        .link(RULES),
        mistake("title_in_small_ascii_letters", "order", |user, time, title| {
            with_time(user, &turned(time), &title.to_ascii_lowercase())
        })
        .says("the title with its letters A to Z made small")
        .why("`Jazz` and `jazz` are two titles, and their plays share keys here. `str` compares capital letters as the bytes they are.")
        .link(RULES),
        mistake("zero_bytes_after_the_user_dropped", "order", |user, time, title| {
            with_time(user.trim_end_matches('\0'), &turned(time), title)
        })
        .says("the user without the zero bytes at its end")
        .why("`a` and `a\\0` are two users, and their plays share keys here. `ended` has a place for a zero byte: it writes two.")
        .link(RULES),
    ]
}

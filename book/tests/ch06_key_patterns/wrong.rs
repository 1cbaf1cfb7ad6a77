//! Wrong answers that people give, each with the two times that refute it.

use book::output;
use engine::keys::hex;

use crate::database::text;
use crate::store::date;

/// A time to a key.
type Key = fn(i64) -> Vec<u8>;

/// Which way the keys must run.
#[derive(Clone, Copy, PartialEq)]
enum Direction {
    Oldest,
    Newest,
}
use Direction::{Newest, Oldest};

// ANCHOR: wrong_keys
fn padded_to_13(time: i64) -> Vec<u8> {
    format!("{time:013}").into()
}

fn zeros_at_the_end(time: i64) -> Vec<u8> {
    format!("{time:0<20}").into()
}

fn signed_big_endian(time: i64) -> Vec<u8> {
    time.to_be_bytes().into()
}

fn sign_before_zeros(time: i64) -> Vec<u8> {
    format!("{time:020}").into()
}

fn thirteen_nines_minus(time: i64) -> Vec<u8> {
    (9_999_999_999_999 - time).to_string().into()
}

fn minus_sign(time: i64) -> Vec<u8> {
    format!("-{time:019}").into()
}

fn digits_inverted(time: i64) -> Vec<u8> {
    time.to_string().bytes().map(|byte| !byte).collect()
}

fn little_endian_inverted(time: i64) -> Vec<u8> {
    (!time).to_le_bytes().into()
}
// ANCHOR_END: wrong_keys

// ANCHOR: wrong_answers
#[test]
fn each_wrong_key_breaks_on_a_pair() {
    let gallery: [(&str, Direction, Key, [i64; 2]); 9] = [
        (
            "text",
            Oldest,
            |time| time.to_string().into(),
            [999_999_999_999, 1_000_000_000_000],
        ),
        (
            "padded to 13 digits",
            Oldest,
            padded_to_13,
            [9_999_999_999_999, 10_000_000_000_000],
        ),
        ("zeros at the end", Oldest, zeros_at_the_end, [1, 10]),
        ("signed, big-endian", Oldest, signed_big_endian, [-1, 0]),
        ("sign before zeros", Oldest, sign_before_zeros, [-10, -5]),
        (
            "9999999999999 - t",
            Newest,
            thirteen_nines_minus,
            [8_999_999_999_999, 9_000_000_000_000],
        ),
        ("a minus in front", Newest, minus_sign, [1, 2]),
        ("digits inverted", Newest, digits_inverted, [9, 10]),
        (
            "inverted little-endian",
            Newest,
            little_endian_inverted,
            [255, 256],
        ),
    ];
    let mut table = format!("{:<24}{:<8}{:>14}  key\n", "", "first", "time");
    for (name, direction, key, [a, b]) in gallery {
        let (earlier, later) = (key(a), key(b));
        let right = match direction {
            Oldest => earlier < later,
            Newest => earlier > later,
        };
        assert!(a < b && !right, "{name} sorts {a} and {b}");
        let first = if direction == Oldest {
            "oldest"
        } else {
            "newest"
        };
        let shown = |key: &[u8]| {
            let is_text = key
                .iter()
                .all(|byte| byte.is_ascii_digit() || *byte == b'-');
            if is_text { text(key) } else { hex(key) }
        };
        table += &format!("{name:<24}{first:<8}{a:>14}  {}\n", shown(&earlier));
        table += &format!("{:<32}{b:>14}  {}\n", "", shown(&later));
    }
    output::check("06-key-patterns/outputs/wrong-answers.txt", &table);
    assert_eq!(date(9_000_000_000_000), "2255-03-14");
}
// ANCHOR_END: wrong_answers

//! Wrong answers to chapter 2's tasks, each with numbers that give it away.

use std::cmp::Ordering;
use std::fmt::Write as _;

use book::output;
use engine::keys;

use crate::{Encode, Store, hex, little_endian};

// ANCHOR: wrong_encoders
fn halves_swapped(value: u32) -> Vec<u8> {
    value.rotate_left(16).to_be_bytes().to_vec()
}

fn bits_reversed(value: u32) -> Vec<u8> {
    value.reverse_bits().to_be_bytes().to_vec()
}

fn zeros_dropped(value: u32) -> Vec<u8> {
    let zeros = value.leading_zeros() / 8;
    value.to_be_bytes()[zeros as usize..].to_vec()
}

fn zeros_at_the_end(value: u32) -> Vec<u8> {
    let mut bytes = zeros_dropped(value);
    bytes.resize(4, 0);
    bytes
}

fn hex_text(value: u32) -> Vec<u8> {
    format!("{value:x}").into_bytes()
}
// ANCHOR_END: wrong_encoders

/// Each wrong encoding, and two numbers that it puts in the wrong order, or makes one.
const WRONG: [(&str, Encode, u32, u32); 6] = [
    ("little-endian", little_endian, 255, 256),
    ("halves swapped", halves_swapped, 65535, 65536),
    ("bits reversed", bits_reversed, 1, 2),
    ("leading zeros dropped", zeros_dropped, 2, 256),
    ("zeros at the end", zeros_at_the_end, 1, 256),
    ("hexadecimal, no padding", hex_text, 2, 16),
];

#[test]
fn each_wrong_encoding_has_a_counterexample() {
    let mut text = String::new();
    for (name, encode, smaller, larger) in WRONG {
        let (low, high) = (encode(smaller), encode(larger));
        let verdict = match low.cmp(&high) {
            Ordering::Less => panic!("{name} puts {smaller} and {larger} in order"),
            Ordering::Equal => "the same key",
            Ordering::Greater => "comes first",
        };
        let _ = writeln!(
            text,
            "{name}\n  {smaller:>6}  {}\n  {larger:>6}  {:<11}  {verdict}\n",
            hex(&low),
            hex(&high),
        );
    }
    output::check("02-endianness/outputs/wrong-answers.txt", &text);
}

/// The swapped halves pass every test with numbers below 65536.
#[test]
fn swapped_halves_are_in_order_below_65536() {
    for number in 0..65535 {
        assert!(halves_swapped(number) < halves_swapped(number + 1));
    }
}

/// Wrong bounds for a window over big-endian times, and what each returns.
#[test]
fn a_window_with_wrong_bounds_is_wrong() {
    let store = Store::new();
    for time in 0..10 {
        store.put(keys::encode_u64(time), &time.to_string());
    }
    let (from, to) = (4_u64, 7_u64);
    let right = store.scan(keys::encode_u64(from)..keys::encode_u64(to));
    let answers = [
        ("right", right.clone()),
        (
            "end included",
            store.scan(keys::encode_u64(from)..=keys::encode_u64(to)),
        ),
        (
            "bounds little-endian",
            store.scan(from.to_le_bytes()..to.to_le_bytes()),
        ),
        (
            "bounds as text",
            store.scan(from.to_string()..to.to_string()),
        ),
    ];

    let mut text = String::from("times 0 to 9, from 4 up to 7\n");
    for (name, times) in &answers {
        assert_eq!(*name == "right", *times == right);
        let times = if times.is_empty() {
            "nothing".to_owned()
        } else {
            times.join(" ")
        };
        let _ = writeln!(text, "  {name:<20}  {times}");
    }
    output::check("02-endianness/outputs/wrong-windows.txt", &text);
}

/// A guess that looks at zeros, and a count that misleads it.
#[test]
fn a_leading_zero_does_not_tell_the_order() {
    let guess = |count: [u8; 4]| {
        if count[0] == 0 {
            "big-endian"
        } else {
            "little-endian"
        }
    };
    assert_eq!(guess(258_u32.to_be_bytes()), "big-endian");
    assert_eq!(guess(258_u32.to_le_bytes()), "little-endian");

    let written = 16_777_216_u32.to_be_bytes();
    assert_eq!(guess(written), "little-endian");
    output::check(
        "02-endianness/outputs/wrong-guess.txt",
        &format!(
            "count 16777216, written big-endian: {}\n  guessed by a leading zero: {}",
            hex(&written),
            guess(written)
        ),
    );
}

//! What is said of twenty digits.

use std::sync::Mutex;

use kit::unseen::{named, observed};

use crate::{padded, solutions};

#[test]
fn a_zero_byte_ends_no_key() {
    let until_zero = |key: &[u8]| {
        let end = key.iter().position(|byte| *byte == 0);
        solutions::padded_time::decode(&key[..end.unwrap_or(key.len())])
    };
    named(
        &padded(solutions::padded_time::encode, until_zero),
        "decode_stops_at_a_zero_byte",
    );
}

#[test]
fn digits_that_nobody_foresaw() {
    use solutions::padded_time::{decode, encode};
    let grouped = |time: u64| {
        let digits = format!("{time:020}");
        [&digits[..10], "_", &digits[10..]].concat().into_bytes()
    };
    observed(
        &padded(grouped, decode),
        "length",
        &["encode(1) has 21 bytes, not 20", "The keys are in order."],
    );
    let seconds_for_small = |time: u64| {
        let milliseconds = if time < 10_000_000_000 {
            time * 1000
        } else {
            time
        };
        encode(milliseconds)
    };
    observed(&padded(seconds_for_small, decode), "order", &["order"]);
    let sixteen = |key: &[u8]| {
        let digits = std::str::from_utf8(key.get(4..20)?).ok()?;
        digits.parse().ok()
    };
    observed(
        &padded(encode, sixteen),
        "round-trip",
        &["`encode` is right."],
    );
    let octal = |time: u64| format!("{time:020o}").into_bytes();
    observed(&padded(octal, decode), "order", &["`decode` is right."]);
}

#[test]
fn the_same_key_twice_running() {
    use solutions::padded_time::{decode, encode};
    let last = Mutex::new(Vec::new());
    let refused_again = move |key: &[u8]| {
        let before = std::mem::replace(&mut *last.lock().unwrap(), key.to_vec());
        decode(key).filter(|_| before != key)
    };
    observed(
        &padded(encode, refused_again),
        "same-answer",
        &["gave Some(1) at first, and then None"],
    );
}

#[test]
fn the_digits_of_a_number_of_128_bits_are_named() {
    let wide = |time: u64| format!("{:039}", u128::from(time)).into_bytes();
    named(
        &padded(wide, solutions::padded_time::decode),
        "padded_to_39",
    );
}

#[test]
fn a_key_is_not_cleaned_up_before_its_width_is_looked_at() {
    use solutions::padded_time::{decode, encode};
    let trimmed = |key: &[u8]| {
        let text = str::from_utf8(key).ok()?.trim();
        decode(text.as_bytes())
    };
    named(&padded(encode, trimmed), "decode_trims_before_the_width");
    let signed = |key: &[u8]| decode(key.strip_prefix(b"+").unwrap_or(key));
    observed(
        &padded(encode, signed),
        "round-trip",
        &["It is wrong on decode(b\"+00000000000000000010\")"],
    );
}

#[test]
fn zero_has_no_sign_and_no_line_end() {
    let decoder = |change: fn(&str) -> &str| {
        padded(
            |time| format!("{time:020}").into_bytes(),
            move |key| {
                let text = str::from_utf8(key).ok().filter(|text| text.len() == 20)?;
                let digits = change(text);
                let only = digits.bytes().all(|byte| byte.is_ascii_digit());
                only.then(|| digits.parse().ok())?
            },
        )
    };
    let signed = padded(
        |time| format!("{time:020}").into_bytes(),
        |key| {
            let text = str::from_utf8(key).ok().filter(|text| text.len() == 20)?;
            let number: i128 = text
                .strip_prefix('+')
                .is_none()
                .then(|| text.parse().ok())??;
            number.try_into().ok()
        },
    );
    observed(
        &signed,
        "round-trip",
        &["decode(b\"-0000000000000000000\") must be None"],
    );
    let in_a_line = decoder(|text| text.trim_end_matches('\n'));
    observed(&in_a_line, "round-trip", &["must be None"]);
}

#[test]
fn digits_in_groups_are_no_key() {
    use solutions::padded_time::{decode, encode};
    let ungrouped = |key: &[u8]| {
        let digits: Vec<u8> = key.iter().copied().filter(|byte| *byte != b'_').collect();
        decode(&digits)
    };
    observed(
        &padded(encode, ungrouped),
        "round-trip",
        &["decode(b\"0000_0000_0000_0000_0010\") must be None, but it is Some(10)"],
    );
}

#[test]
fn a_sum_that_wraps_need_not_be_less_than_before() {
    let wraps_to_less = |key: &[u8]| {
        if key.len() != 20 || !key.iter().all(u8::is_ascii_digit) {
            return None;
        }
        key.iter().try_fold(0_u64, |time, digit| {
            let next = time.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            (next >= time).then_some(next)
        })
    };
    let verdict = padded(solutions::padded_time::encode, wraps_to_less);
    observed(&verdict, "round-trip", &["30000000000000000000"]);
}

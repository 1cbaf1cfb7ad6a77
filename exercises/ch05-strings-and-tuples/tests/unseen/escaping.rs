//! What is said of `encode` and `decode`.

use std::sync::Mutex;

use kit::State;
use kit::unseen::{named, observed};

use crate::escape;
use crate::solutions::escape_bytes::{decode, encode};

#[test]
fn right_escapes_pass_however_they_are_written() {
    let by_runs = |value: &[u8]| {
        let runs: Vec<&[u8]> = value.split(|&byte| byte == 0).collect();
        [runs.join(&b"\x00\xff"[..]), b"\x00\x01".to_vec()].concat()
    };
    // Read by looking for the end first: 00 01 stands nowhere else.
    let by_end = |key: &[u8]| {
        let end = key.windows(2).position(|pair| pair == [0, 1])?;
        let mut value = key[..end].to_vec();
        let mut index = 0;
        while let Some(at) = value[index..].iter().position(|&byte| byte == 0) {
            index += at + 1;
            (value.get(index) == Some(&0xff)).then(|| value.remove(index))?;
        }
        (end + 2 == key.len()).then_some(value)
    };
    assert_eq!(escape(by_runs, by_end).state, State::Passed);
}

#[test]
fn unknown_escapes_are_told_what_they_do() {
    let ended_by_02 = |value: &[u8]| {
        let mut key = encode(value);
        *key.last_mut().unwrap() = 2;
        key
    };
    observed(
        &escape(ended_by_02, decode),
        "bytes",
        &[
            "encode(b\"\") must be 00 01, but it is 00 02",
            "The keys are in order.",
        ],
    );
    let reversed = |value: &[u8]| encode(&value.iter().rev().copied().collect::<Vec<u8>>());
    observed(
        &escape(reversed, decode),
        "order",
        &["though", "`decode` is right."],
    );
    let upper_case = |value: &[u8]| encode(&value.to_ascii_uppercase());
    let verdict = escape(upper_case, decode);
    observed(&verdict, "order", &["both become 41 00 01"]);
    let short_only = |value: &[u8]| {
        assert!(value.len() < 256, "too long");
        encode(value)
    };
    observed(
        &escape(short_only, decode),
        "returns",
        &["It panics on the strings of more than 255 bytes, all of them and no others."],
    );
}

#[test]
fn unknown_decoders_are_told_where_they_are_wrong() {
    let trimmed = |key: &[u8]| {
        let value = decode(key)?;
        let last = value.iter().rposition(|&byte| byte != 0);
        Some(value[..last.map_or(0, |at| at + 1)].to_vec())
    };
    observed(
        &escape(encode, trimmed),
        "round-trip",
        &["It is wrong on the strings that end in a zero byte, all of them and no others."],
    );
    let never_none = |key: &[u8]| Some(decode(key).unwrap_or_default());
    named(
        &escape(encode, never_none),
        "decode_gives_the_empty_string_for_what_is_no_key",
    );
    let a_question = |key: &[u8]| Some(decode(key).unwrap_or(b"?".to_vec()));
    observed(
        &escape(encode, a_question),
        "round-trip",
        &["It is wrong on the bytes that are no key, all of them and no others."],
    );
}

#[test]
fn an_end_that_is_escaped_too_is_named() {
    let end_first = |value: &[u8]| {
        let ended = [value, &[0, 1]].concat();
        let runs: Vec<&[u8]> = ended.split(|&byte| byte == 0).collect();
        runs.join(&b"\x00\xff"[..])
    };
    named(&escape(end_first, decode), "end_escaped_too");
}

#[test]
fn strings_have_any_length() {
    for looked_at in [64, 255, 256, 300, 512, 1024, 4096] {
        let cut = move |value: &[u8]| encode(&value[..value.len().min(looked_at)]);
        observed(
            &escape(cut, decode),
            "order",
            &["are different, but both become"],
        );
        let left_bare = move |value: &[u8]| {
            let (start, rest) = value.split_at(value.len().min(looked_at));
            let escaped = encode(start);
            [&escaped[..escaped.len() - 2], rest, &[0x00, 0x01]].concat()
        };
        let verdict = escape(left_bare, decode);
        assert_eq!(verdict.check.as_deref(), Some("bytes"), "{looked_at}");
        let read = move |key: &[u8]| {
            let value = decode(key)?;
            Some(value[..value.len().min(looked_at)].to_vec())
        };
        observed(&escape(encode, read), "round-trip", &["must be Some("]);
    }
}

#[test]
fn digits_are_no_bytes() {
    fn digits(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }
    fn bytes(digits: &str) -> Option<Vec<u8>> {
        let pairs = digits.as_bytes().chunks(2);
        let byte = |pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        digits
            .len()
            .is_multiple_of(2)
            .then(|| pairs.map(byte).collect())?
    }
    let replaced =
        |value: &[u8]| bytes(&(digits(value).replace("00", "00ff") + "0001")).unwrap_or_default();
    named(&escape(replaced, decode), "hex_digits_replaced");
    let restored = |key: &[u8]| {
        let digits = digits(key);
        bytes(&digits.strip_suffix("0001")?.replace("00ff", "00"))
    };
    named(&escape(encode, restored), "decode_replaces_hex_digits");
    // The digit 0 is taken for the byte.
    let digit = |value: &[u8]| {
        let runs: Vec<&[u8]> = value.split(|&byte| byte == b'0').collect();
        [&runs.join(&b"\x00\xff"[..])[..], &[0, 1]].concat()
    };
    observed(&escape(digit, decode), "order", &["encode(b\"0\")"]);
}

#[test]
fn an_end_is_two_bytes() {
    let last_byte = |key: &[u8]| {
        let (end, rest) = key.split_last()?;
        let front = &rest[..rest.len().checked_sub(1)?];
        (*end == 1).then(|| decode(&[front, &[0, 1]].concat()))?
    };
    observed(&escape(encode, last_byte), "round-trip", &["must be None"]);
    let anything = |key: &[u8]| {
        let mut value = Vec::new();
        let mut bytes = key.iter();
        loop {
            match bytes.next()? {
                0 if *bytes.next()? == 0xff => value.push(0),
                0 => return bytes.next().is_none().then_some(value),
                byte => value.push(*byte),
            }
        }
    };
    named(
        &escape(encode, anything),
        "decode_takes_any_other_byte_for_the_end",
    );
}

#[test]
fn a_pair_that_is_cut_is_named_whatever_becomes_of_a_missing_end() {
    let read = |key: &[u8], missing: fn(Vec<u8>) -> Option<Vec<u8>>| {
        let (mut value, mut i) = (Vec::new(), 0);
        while i < key.len() {
            if key[i] != 0 {
                value.push(key[i]);
                i += 1;
            } else if key[i + 1] == 0xff {
                value.push(0);
                i += 2;
            } else {
                return (key[i + 1..] == [0x01]).then_some(value);
            }
        }
        missing(value)
    };
    named(
        &escape(encode, move |key| read(key, |_| None)),
        "decode_panics_at_a_cut_pair",
    );
    named(
        &escape(encode, move |key| read(key, Some)),
        "decode_accepts_a_missing_end+decode_panics_at_a_cut_pair",
    );
}

#[test]
fn a_string_of_a_fixed_width_is_named_by_its_width() {
    for (width, name) in [
        (8, "padded_to_eight_bytes"),
        (16, "padded_with_zeros"),
        (32, "padded_to_32_bytes"),
    ] {
        let padded = move |value: &[u8]| {
            let rest = std::iter::repeat(&0);
            value.iter().chain(rest).take(width).copied().collect()
        };
        named(&escape(padded, decode), name);
    }
    // A width that no mistake has is told by what it does.
    let of_ten = |value: &[u8]| {
        let mut key = value.to_vec();
        key.resize(10, 0);
        key
    };
    observed(
        &escape(of_ten, decode),
        "order",
        &["Different inputs share a key"],
    );
}

#[test]
fn spaces_capitals_line_ends_and_lengths_of_two_bytes_are_kept() {
    type Change = fn(&[u8]) -> Vec<u8>;
    let wrong: [Change; 4] = [
        |value| value.to_ascii_lowercase(),
        |value| value.trim_ascii().to_vec(),
        |value| {
            value
                .iter()
                .copied()
                .filter(|byte| *byte != b'\n')
                .collect()
        },
        |value| value[..value.len() % (1 << 16)].to_vec(),
    ];
    for change in wrong {
        let encoded = escape(move |value| encode(&change(value)), decode);
        observed(&encoded, "order", &["share a key"]);
        let decoded = escape(encode, move |key| decode(key).map(|value| change(&value)));
        observed(&decoded, "round-trip", &["must be Some("]);
    }
}

#[test]
fn an_end_is_not_looked_for_in_what_was_undone() {
    let undone_first = |key: &[u8]| {
        let mut value = Vec::new();
        let mut at = 0;
        while at < key.len() {
            value.push(key[at]);
            at += 1;
            match key.get(at) {
                Some(0xff) if key[at - 1] == 0 => at += 1,
                Some(0x01) if at + 1 == key.len() => {}
                _ if key[at - 1] == 0 => return None,
                _ => {}
            }
        }
        Some(value.strip_suffix(&[0, 1])?.to_vec())
    };
    observed(
        &escape(encode, undone_first),
        "round-trip",
        &[r#"decode(b"a\x00\xff\x01") must be None"#],
    );
}

#[test]
fn a_message_is_short_however_long_the_bytes_are() {
    let remembered = Mutex::new(Vec::new());
    let remembers = move |value: &[u8]| {
        let mut all = remembered.lock().unwrap();
        all.extend(value);
        encode(&all)
    };
    let panics = |value: &[u8]| {
        assert!(value.len() < 256, "too long: {value:?}");
        encode(value)
    };
    for verdict in [escape(remembers, decode), escape(panics, decode)] {
        let longest = verdict.message.lines().map(str::len).max();
        assert!(longest.is_some_and(|length| length < 1200), "{longest:?}");
    }
}

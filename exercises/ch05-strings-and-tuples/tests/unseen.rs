//! Wrong and right answers that no gallery holds: what is said of them must be true.

#[path = "../checks/escape_bytes.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod escape_bytes;
#[path = "../mistakes/mod.rs"]
#[expect(unreachable_pub, reason = "mistakes look like solutions")]
mod mistakes;
#[path = "../checks/predict_strings.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod predict_strings;
#[path = "../solutions/mod.rs"]
#[expect(unreachable_pub, reason = "solutions look like the library's files")]
mod solutions;
#[path = "../stubs/mod.rs"]
#[expect(unreachable_pub, reason = "stubs are copies of the library's files")]
mod stubs;
#[path = "../checks/test_an_escape.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod test_an_escape;
#[path = "../checks/tuple_key.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod tuple_key;
#[path = "../checks/tuple_prefix_scan.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod tuple_prefix_scan;

use std::sync::{Arc, Mutex};

use kit::unseen::{every_bit_counts, judged, named, observed, pairs_call_nothing_right};
use kit::{State, Verdict};

use escape_bytes::Escape;
use predict_strings::{Orders, RIGHT};
use solutions::escape_bytes::{decode, encode};
use tuple_prefix_scan::{Rows, Scans};

fn escape(
    encode: impl Fn(&[u8]) -> Vec<u8> + Send + Sync + 'static,
    decode: impl Fn(&[u8]) -> Option<Vec<u8>> + Send + Sync + 'static,
) -> Verdict {
    judged(&escape_bytes::exercise_of(Escape::new(encode, decode)))
}

fn tuple(key: impl Fn(&str, u64, &str) -> Vec<u8> + Send + Sync + 'static) -> Verdict {
    judged(&tuple_key::exercise_of(Arc::new(key)))
}

fn scan(scans: &Scans) -> Verdict {
    judged(&tuple_prefix_scan::exercise_of(scans.clone()))
}

fn tester(
    test: impl Fn(&dyn Fn(&[u8]) -> Vec<u8>, &dyn Fn(&[u8]) -> Option<Vec<u8>>) + Send + Sync + 'static,
) -> Verdict {
    let tester = test_an_escape::tester(test);
    judged(&test_an_escape::exercise_of(tester))
}

/// A text with its zero bytes escaped, and no end.
fn escaped(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let runs: Vec<&[u8]> = bytes.split(|&byte| byte == 0).collect();
    runs.join(&b"\x00\xff"[..])
}

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
fn right_tuple_keys_pass_whatever_their_bytes_are() {
    // Everything ended, and the number in twenty digits.
    let ended = |user: &str, number: u64, note: &str| {
        let digits = format!("{number:020}").into_bytes();
        [encode(user.as_bytes()), digits, encode(note.as_bytes())].concat()
    };
    assert_eq!(tuple(ended).state, State::Passed);
    // FoundationDB's: a type code in front of each field lets one zero be the end.
    let tagged = |user: &str, number: u64, note: &str| {
        let number = number.to_be_bytes();
        [
            &[2][..],
            &escaped(user),
            &[0, 0x1c],
            &number,
            &[2],
            &escaped(note),
            &[0],
        ]
        .concat()
    };
    assert_eq!(tuple(tagged).state, State::Passed);
    // Every byte plus one, as two of them where it does not fit: zero is free for the end.
    let raised = |user: &str, number: u64, note: &str| {
        let user = user
            .bytes()
            .flat_map(|byte| if byte < 2 { vec![1, byte] } else { vec![byte] });
        let user: Vec<u8> = user.chain([0]).collect();
        [&user, &number.to_be_bytes()[..], note.as_bytes()].concat()
    };
    assert_eq!(tuple(raised).state, State::Passed);
}

#[test]
fn right_scans_pass_however_they_are_written() {
    let scans = Scans {
        successor: Arc::new(|prefix| {
            let mut end = prefix.to_vec();
            while let Some(last) = end.pop() {
                if last < 0xff {
                    end.push(last + 1);
                    return Some(end);
                }
            }
            None
        }),
        // Between the keys of the smallest and the largest number.
        orders_of: Arc::new(|rows: &Rows, user: &str| {
            use solutions::tuple_prefix_scan::key;
            let found = rows.range(key(user, 0)..=key(user, u64::MAX));
            found
                .map(|row| u64::from_be_bytes(*row.last_chunk().unwrap()))
                .collect()
        }),
        // Text never holds ff, so here one ff is an end.
        orders_starting: Arc::new(|rows: &Rows, start: &str| {
            let prefix = escaped(start);
            let end = [&prefix[..], &[0xff]].concat();
            let found = rows.range(prefix..end);
            found
                .map(|row| u64::from_be_bytes(*row.last_chunk().unwrap()))
                .collect()
        }),
    };
    assert_eq!(
        judged(&tuple_prefix_scan::exercise_of(scans)).state,
        State::Passed
    );
}

#[test]
fn unknown_scans_are_told_where_they_are_wrong() {
    use solutions::tuple_prefix_scan::key;
    let scan = |scans: Scans| judged(&tuple_prefix_scan::exercise_of(scans));
    let right = tuple_prefix_scan::right;
    let numbers = |rows: &mut dyn Iterator<Item = &Vec<u8>>| {
        let number = |row: &Vec<u8>| u64::from_be_bytes(*row.last_chunk().unwrap());
        rows.map(number).collect::<Vec<u64>>()
    };

    let first_byte_raised = |prefix: &[u8]| {
        let (first, rest) = prefix.split_first()?;
        Some([&[first.checked_add(1)?], rest].concat())
    };
    observed(
        &scan(Scans {
            successor: Arc::new(first_byte_raised),
            ..right()
        }),
        "successor",
        &[
            "successor(b\"user:\") must be",
            "`orders_of` and `orders_starting` are right.",
        ],
    );
    // The rows of `anna` come before those of `ano`.
    let up_to_the_next_letter = move |rows: &Rows, user: &str| {
        let mut next = user.to_owned();
        let last = next
            .pop()
            .map_or('\0', |c| char::from_u32(c as u32 + 1).unwrap_or(c));
        next.push(last);
        let found = rows.range(key(user, 0)..key(&next, 0).max(key(user, 0)));
        numbers(&mut found.into_iter())
    };
    observed(
        &scan(Scans {
            orders_of: Arc::new(up_to_the_next_letter),
            ..right()
        }),
        "one-user",
        &[
            "\"an\") must be [], but it is [1, 2]",
            "`successor` and `orders_starting` are right.",
        ],
    );
    let sorted = move |rows: &Rows, start: &str| {
        let found = solutions::tuple_prefix_scan::orders_starting(rows, start);
        let sorted: std::collections::BTreeSet<u64> = found.into_iter().collect();
        sorted.into_iter().collect()
    };
    observed(
        &scan(Scans {
            orders_starting: Arc::new(sorted),
            ..right()
        }),
        "beginning",
        &[
            "must be [1, 2, 1], but it is [1, 2]",
            "`successor` and `orders_of` are right.",
        ],
    );
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
    observed(
        &escape(encode, never_none),
        "round-trip",
        &["It is wrong on the bytes that are no key, all of them and no others."],
    );
}

#[test]
fn unknown_tuple_keys_are_shown_the_pair_that_breaks() {
    // A space is a sign that names hold.
    let space = |user: &str, number: u64, note: &str| {
        [
            user.as_bytes(),
            b" ",
            &number.to_be_bytes(),
            note.as_bytes(),
        ]
        .concat()
    };
    named(&tuple(space), "user_ended_by_a_space");
    let without_zeros = |user: &str, number: u64, note: &str| {
        solutions::tuple_key::key(&user.replace('\0', ""), number, note)
    };
    named(&tuple(without_zeros), "zero_bytes_of_the_user_dropped");
    let one_based = |user: &str, number: u64, note: &str| {
        solutions::tuple_key::key(user, number.saturating_add(1), note)
    };
    observed(
        &tuple(one_based),
        "order",
        &[
            "(\"ann\", 18446744073709551614, \"\") and (\"ann\", 18446744073709551615, \"\") are different",
        ],
    );
}

#[test]
fn two_misconceptions_are_named_as_two() {
    let colon_and_decimal =
        |user: &str, number: u64, note: &str| format!("{user}:{number}{note}").into_bytes();
    named(
        &tuple(colon_and_decimal),
        "user_ended_by_a_colon+number_in_decimal",
    );
    let tail_and_end = |value: &[u8]| {
        let tail = value.iter().rposition(|&byte| byte == 0);
        let kept = &value[..tail.map_or(value.len(), |last| last + 1)];
        let key = encode(kept);
        key[..key.len() - 2].to_vec()
    };
    named(&escape(tail_and_end, decode), "tail_forgotten+no_end");
    // A pair of which nothing true could be said at once is not named.
    let doubled_and_one_zero = |value: &[u8]| {
        let doubled = |&byte: &u8| if byte == 0 { vec![0, 0] } else { vec![byte] };
        value.iter().flat_map(doubled).chain([0]).collect()
    };
    observed(
        &escape(doubled_and_one_zero, decode),
        "ends-by-itself",
        &["is the beginning of"],
    );
}

#[test]
fn tests_are_told_what_they_decide() {
    // A test of one rule for some strings: it decides like no weak test that we know.
    let zeros_only = |encode: &dyn Fn(&[u8]) -> Vec<u8>, _: &dyn Fn(&[u8]) -> Option<Vec<u8>>| {
        for count in 0..9_usize {
            assert!(encode(&vec![0; count]) < encode(&vec![0; count + 1]));
        }
    };
    observed(
        &tester(zeros_only),
        "kills",
        &["It accepts 3 of 3 right implementations"],
    );
    let no_zero_in_a_key = |encode: &dyn Fn(&[u8]) -> Vec<u8>,
                            _: &dyn Fn(&[u8]) -> Option<Vec<u8>>| {
        assert!(!encode(b"a").contains(&0));
    };
    observed(
        &tester(no_zero_in_a_key),
        "accepts-right",
        &["your test refuses a right answer, `end_of_00_01`"],
    );
}

#[test]
fn an_order_is_named_by_the_rule_that_gives_it() {
    fn sorted_by(key: fn(&[u8]) -> Vec<u8>) -> [char; 6] {
        let mut letters = ['a', 'b', 'c', 'd', 'e', 'f'];
        letters.sort_by_key(|letter| key(predict_strings::string(*letter).unwrap()));
        letters
    }
    let lengths = |length_first| {
        let orders = Orders {
            length_first,
            ..RIGHT
        };
        judged(&predict_strings::exercise_of(orders))
    };
    let behind =
        lengths(|| sorted_by(|string| [string, &[u8::try_from(string.len()).unwrap()]].concat()));
    named(&behind, "lengths_after");
    let colon = lengths(|| sorted_by(|string| [string, b":"].concat()));
    named(&colon, "lengths_like_joined");
}

#[test]
fn predictions_show_one_wrong_pair_and_not_the_answer() {
    let verdict = judged(&predict_strings::exercise_of(Orders {
        joined: || ['b', 'd', 'e', 'f', 'c', 'a'],
        bare: || ['x'; 6],
        ..RIGHT
    }));
    observed(
        &verdict,
        "colon",
        &[
            "you put c before a, but the key of a comes first",
            "'x' is none of the letters a to f",
        ],
    );
}

#[test]
fn texts_stay_as_they_are() {
    use solutions::tuple_key::key;
    for changed in [
        |text: &str| text.trim().to_owned(),
        |text: &str| text.replace('A', "a"),
        |text: &str| text.lines().next().unwrap_or_default().to_owned(),
        |text: &str| text.chars().take(40).collect::<String>(),
    ] {
        let users = move |user: &str, number, note: &str| key(&changed(user), number, note);
        let verdict = tuple(users);
        assert!(verdict.message.contains("are different, but both become"));
        let notes = move |user: &str, number, note: &str| key(user, number, &changed(note));
        let verdict = tuple(notes);
        assert!(verdict.message.contains("are different, but both become"));
        let name = match changed(" A ").as_str() {
            "A" => Some("note_trimmed"),
            " a " => Some("note_in_small_letters"),
            _ => None,
        };
        assert_eq!(verdict.mistake.as_deref(), name);
        let one = move |rows: &Rows, user: &str| {
            solutions::tuple_prefix_scan::orders_of(rows, &changed(user))
        };
        let all = Scans {
            orders_of: Arc::new(one),
            ..tuple_prefix_scan::right()
        };
        assert_eq!(scan(&all).state, State::Failing);
    }
}

#[test]
fn zero_bytes_of_a_name_are_compared_as_they_are_stored() {
    let number = |row: &Vec<u8>| u64::from_be_bytes(*row.last_chunk().unwrap());
    let raw = move |rows: &Rows, start: &str| {
        let names = rows.iter().filter(|row| {
            let name = &row[..row.len() - 10];
            name.starts_with(start.as_bytes())
        });
        names.map(number).collect()
    };
    let verdict = scan(&Scans {
        orders_starting: Arc::new(raw),
        ..tuple_prefix_scan::right()
    });
    observed(&verdict, "beginning", &["\"a\\0b\") must be"]);
    let unescaped = move |rows: &Rows, user: &str| {
        let prefix = [user.as_bytes(), &[0, 1]].concat();
        let plain = |row: &[u8]| {
            let mut bytes = Vec::new();
            for &byte in row {
                if byte != 0xff || bytes.last() != Some(&0) {
                    bytes.push(byte);
                }
            }
            bytes
        };
        let own = rows.iter().filter(|row| plain(row).starts_with(&prefix));
        own.map(number).collect()
    };
    let verdict = scan(&Scans {
        orders_of: Arc::new(unescaped),
        ..tuple_prefix_scan::right()
    });
    observed(&verdict, "one-user", &["\"a\") must be"]);
}

#[test]
fn a_query_over_a_wrong_successor_waits() {
    fn appended(prefix: &[u8]) -> Option<Vec<u8>> {
        Some([prefix, &[0]].concat())
    }
    fn found(rows: &Rows, prefix: Vec<u8>) -> Vec<u64> {
        let end = appended(&prefix).unwrap();
        let found = rows.range(prefix..end);
        found
            .map(|row| u64::from_be_bytes(*row.last_chunk().unwrap()))
            .collect()
    }
    let verdict = scan(&Scans {
        successor: Arc::new(appended),
        orders_of: Arc::new(|rows, user| found(rows, [&escaped(user)[..], &[0, 1]].concat())),
        orders_starting: Arc::new(|rows, start| found(rows, escaped(start))),
    });
    named(&verdict, "zero_appended");
    for function in ["orders_of", "orders_starting"] {
        let waits = format!(
            "`{function}` gives wrong answers too. If it calls `successor`, it may be right by itself"
        );
        assert!(verdict.message.contains(&waits), "{waits}");
    }
    assert_eq!(verdict.message.matches("Diagnosis:").count(), 1);
    assert_eq!(verdict.message.matches("fails the check").count(), 1);
}

#[test]
fn what_another_exercise_lacks_is_said_of_that_one() {
    let over_a_stub = |user: &str, number: u64, note: &str| {
        let mut key = ch05_strings_and_tuples::escape_bytes::encode(user.as_bytes());
        key.extend(number.to_be_bytes());
        key.extend(note.as_bytes());
        key
    };
    observed(
        &tuple(over_a_stub),
        "returns",
        &[
            "reaches a `todo!()` in another file, at exercises/ch05-strings-and-tuples/src/escape_bytes.rs:",
        ],
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
fn a_test_over_what_another_exercise_lacks_is_not_unwritten() {
    let over_a_stub = |encode: &dyn Fn(&[u8]) -> Vec<u8>, _: &dyn Fn(&[u8]) -> Option<Vec<u8>>| {
        assert_eq!(
            encode(b"a"),
            ch05_strings_and_tuples::escape_bytes::encode(b"a")
        );
    };
    observed(
        &tester(over_a_stub),
        "returns",
        &[
            "reaches a `todo!()` in another file, at exercises/ch05-strings-and-tuples/src/escape_bytes.rs:",
        ],
    );
}

#[test]
fn names_notes_and_prefixes_have_any_length() {
    let cut = |text: &str, length| text.chars().take(length).collect::<String>();
    for length in [64, 300, 1024, 4096, 6000, 16_384] {
        let right = solutions::tuple_key::key;
        let user = move |user: &str, number, note: &str| right(&cut(user, length), number, note);
        observed(&tuple(user), "order", &["are different, but both become"]);
        let note = move |user: &str, number, note: &str| right(user, number, &cut(note, length));
        observed(&tuple(note), "order", &["are different, but both become"]);

        let right = tuple_prefix_scan::right();
        let successor = right.successor.clone();
        let scans = Scans {
            successor: Arc::new(move |prefix| successor(&prefix[..prefix.len().min(length)])),
            ..right.clone()
        };
        observed(&scan(&scans), "successor", &["times}"]);
        let orders_of = right.orders_of.clone();
        let scans = Scans {
            orders_of: Arc::new(move |rows, user| {
                let found = |user: &str| orders_of(rows, user);
                if user.len() > length {
                    vec![]
                } else {
                    found(user)
                }
            }),
            ..right
        };
        observed(&scan(&scans), "one-user", &["must be [1], but it is []"]);
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
fn tuple_keys_are_known_by_their_order() {
    let joined = |by: &'static str| {
        tuple(move |user, number, note| format!("{user}{by}{number:020}{by}{note}").into_bytes())
    };
    let verdict = joined("/");
    named(&verdict, "user_ended_by_a_slash");
    let words: Vec<&str> = verdict.message.split_whitespace().collect();
    assert!(
        words
            .join(" ")
            .contains("in the very order that comes from a sign such as `/` or `#` after the user")
    );
    named(&joined("#"), "user_ended_by_a_slash");
    named(&joined("|"), "user_ended_by_a_bar");
    named(&joined("\t"), "user_ended_by_a_control_character");
    named(&joined(":"), "joined_by_colons_and_padded");
    for length in [2, 8] {
        let in_front = move |user: &str, number: u64, note: &str| {
            let width = &user.len().to_be_bytes()[8 - length..];
            [
                width,
                user.as_bytes(),
                &number.to_be_bytes(),
                note.as_bytes(),
            ]
            .concat()
        };
        named(&tuple(in_front), "length_of_the_user_in_front");
    }
    let units =
        |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_be_bytes).collect() };
    let utf_16 = move |user: &str, number: u64, note: &str| {
        [
            &encode(&units(user))[..],
            &number.to_be_bytes(),
            note.as_bytes(),
        ]
        .concat()
    };
    named(&tuple(utf_16), "user_in_utf_16");
}

#[test]
fn orders_may_have_any_number() {
    use solutions::tuple_prefix_scan::key;
    let first_thousand = |rows: &Rows, user: &str| {
        let numbers = 0..=1000;
        numbers.filter(|&n| rows.contains(&key(user, n))).collect()
    };
    let verdict = scan(&Scans {
        orders_of: Arc::new(first_thousand),
        ..tuple_prefix_scan::right()
    });
    observed(&verdict, "one-user", &["must be [0, 4294967296, "]);
}

#[test]
fn a_test_that_refuses_everything_is_told_no_cause_that_it_has_not() {
    // Every string is compared with itself too.
    let verdict = tester(|encode, _| {
        for a in [&b""[..], b"a"] {
            for b in [&b""[..], b"a"] {
                assert!(!encode(b).starts_with(&encode(a)));
            }
        }
    });
    named(&verdict, "refuses_everything");
    let words: Vec<&str> = verdict.message.split_whitespace().collect();
    assert!(words.join(" ").contains("a string is compared with itself"));
    // An escape could keep that, with 01 01 for a zero byte and 00 for the end.
    let verdict = tester(|encode, _| {
        let key = encode(b"a\x00b");
        assert!(!key[..key.len() - 1].contains(&0), "a zero byte inside");
    });
    named(&verdict, "refuses_everything");
    let words: Vec<&str> = verdict.message.split_whitespace().collect();
    let text = words.join(" ");
    assert!(text.contains("or a byte is forbidden that an escape may write"));
    assert!(!text.contains("No answer can pass it"), "{text}");
    // These are in no order.
    let verdict = tester(|encode, _| {
        for pair in [&b""[..], b"b", b"a", b"c"].windows(2) {
            assert!(encode(pair[0]) < encode(pair[1]));
        }
    });
    named(&verdict, "refuses_everything");
}

#[test]
fn there_may_be_more_orders_than_a_page_has() {
    for page in [10, 100, 5000] {
        let right = tuple_prefix_scan::right();
        let orders_of = right.orders_of.clone();
        let scans = Scans {
            orders_of: Arc::new(move |rows, user| {
                let found = orders_of(rows, user);
                found.into_iter().take(page).collect()
            }),
            ..right.clone()
        };
        observed(&scan(&scans), "one-user", &["{\"ann\" 0 to \"ann\" 5099}"]);
        let orders_starting = right.orders_starting.clone();
        let scans = Scans {
            orders_starting: Arc::new(move |rows, start| {
                let found = orders_starting(rows, start);
                found.into_iter().take(page).collect()
            }),
            ..right
        };
        observed(&scan(&scans), "beginning", &["{\"ann\" 0 to \"ann\" 5099}"]);
    }
    // The empty beginning is the one without a successor: a branch of its own.
    let right = tuple_prefix_scan::right();
    let orders_starting = right.orders_starting.clone();
    let scans = Scans {
        orders_starting: Arc::new(move |rows, start| {
            let page = if start.is_empty() { 100 } else { usize::MAX };
            let found = orders_starting(rows, start);
            found.into_iter().take(page).collect()
        }),
        ..right
    };
    observed(&scan(&scans), "beginning", &["5099}, \"\")"]);
}

/// Asked of stores that held no number twice, and none between 2^32 and the last two, these were right, or had another name.
#[test]
fn rows_with_one_number_are_rows() {
    use solutions::tuple_prefix_scan::{key, orders_of, orders_starting};
    let right = tuple_prefix_scan::right;
    let number = |row: &Vec<u8>| u64::from_be_bytes(*row.last_chunk().unwrap());
    let merged = Scans {
        orders_starting: Arc::new(|rows, start| {
            let mut numbers = orders_starting(rows, start);
            numbers.dedup();
            numbers
        }),
        ..right()
    };
    named(&scan(&merged), "equal_numbers_merged");
    let in_a_set = Scans {
        orders_starting: Arc::new(|rows, start| {
            let numbers = orders_starting(rows, start).into_iter();
            let set: std::collections::BTreeSet<u64> = numbers.collect();
            set.into_iter().collect()
        }),
        ..right()
    };
    observed(&scan(&in_a_set), "beginning", &["orders_starting("]);
    let signed = Scans {
        orders_of: Arc::new(move |rows: &Rows, user: &str| {
            let last = u64::try_from(i64::MAX).unwrap();
            let found = rows.range(key(user, 0)..=key(user, last));
            found.map(number).collect()
        }),
        ..right()
    };
    named(&scan(&signed), "numbers_up_to_i64_max");
    // Of one user, sorting and merging changes nothing.
    let sorted = Scans {
        orders_of: Arc::new(|rows, user| {
            let mut numbers = orders_of(rows, user);
            numbers.sort_unstable();
            numbers.dedup();
            numbers
        }),
        ..right()
    };
    assert_eq!(scan(&sorted).state, State::Passed);
}

#[test]
fn successors_in_other_words_are_named() {
    let successor = |successor: fn(&[u8]) -> Option<Vec<u8>>| {
        scan(&Scans {
            successor: Arc::new(successor),
            ..tuple_prefix_scan::right()
        })
    };
    let counted = |prefix: &[u8]| {
        if prefix.is_empty() {
            return None;
        }
        let mut end = prefix.to_vec();
        for byte in end.iter_mut().rev() {
            *byte = byte.wrapping_add(1);
            if *byte != 0 {
                return Some(end);
            }
        }
        end.insert(0, 1);
        Some(end)
    };
    named(&successor(counted), "a_byte_in_front_after_ff");
    let popped = |prefix: &[u8]| {
        let mut end = prefix.to_vec();
        while end.last() == Some(&0xff) {
            end.pop();
        }
        match end.last_mut() {
            Some(last) => *last += 1,
            None if prefix.is_empty() => return Some(end),
            None => return None,
        }
        Some(end)
    };
    named(&successor(popped), "empty_for_the_empty_prefix");
}

/// Answers in words of their own, each with the name of its mistake.
#[test]
fn keys_in_other_words_are_named() {
    let decoded = |decode: fn(&[u8]) -> Option<Vec<u8>>| escape(encode, decode);
    let skipped = |key: &[u8]| {
        let body = key.strip_suffix(&[0, 1])?;
        let (mut value, mut at) = (Vec::new(), 0);
        while at < body.len() {
            value.push(body[at]);
            at += if body[at] == 0 { 2 } else { 1 };
        }
        Some(value)
    };
    named(&decoded(skipped), "decode_skips_the_byte_after_a_zero");
    let nothing = |key: &[u8]| if key.len() < 3 { None } else { decode(key) };
    named(&decoded(nothing), "decode_refuses_the_empty_string");
    let text = |key: &[u8]| Some(String::from_utf8(decode(key)?).ok()?.into_bytes());
    named(&decoded(text), "decode_takes_text_alone");

    let narrow = |user: &str, number: u64, note: &str| {
        let number = u32::try_from(number).unwrap().to_be_bytes();
        [encode(user.as_bytes()), number.to_vec(), note.into()].concat()
    };
    named(&tuple(narrow), "number_must_fit_into_32_bits");
    let counted = |user: &str, number: u64, note: &str| {
        let length = note.len().to_be_bytes();
        [
            &encode(user.as_bytes())[..],
            &number.to_be_bytes(),
            &length,
            note.as_bytes(),
        ]
        .concat()
    };
    named(&tuple(counted), "length_of_the_note_in_front");
}

#[test]
fn a_test_that_asks_for_two_bytes_at_the_end_is_refused() {
    let verdict = tester(|encode, decode| {
        solutions::test_an_escape::test(encode, decode);
        assert!(encode(b"").len() >= 2, "too short");
    });
    named(&verdict, "string_demanded_in_the_key");
}

#[test]
fn escapes_that_people_read_and_ends_in_the_wrong_place_are_named() {
    let as_people_write = |value: &[u8]| {
        let runs: Vec<&[u8]> = value.split(|byte| *byte == 0).collect();
        [runs.join(&br"\0"[..]), vec![0, 1]].concat()
    };
    named(&escape(as_people_write, decode), "escaped_by_a_backslash");
    let first_end = |key: &[u8]| {
        let end = (0..key.len()).find(|at| key[*at..].starts_with(&[0, 1]))?;
        let mut value = Vec::new();
        let mut at = 0;
        while at < end {
            value.push(key[at]);
            at += if key[at] == 0 { 2 } else { 1 };
        }
        (key.len() == end + 2).then_some(value)
    };
    named(
        &escape(encode, first_end),
        "decode_skips_what_follows_a_zero_before_the_end",
    );
    named(
        &tuple(|user, number, note| {
            let ended = [escaped(note), vec![0, 1]].concat();
            [user.as_bytes(), &number.to_be_bytes(), &ended].concat()
        }),
        "note_ended_and_not_the_user",
    );
    named(
        &tuple(|user, number, note| {
            let letters: Vec<u8> = user.chars().map(|c| (u32::from(c) & 0xff) as u8).collect();
            [
                &encode(&letters)[..],
                &number.to_be_bytes(),
                note.as_bytes(),
            ]
            .concat()
        }),
        "letters_of_the_user_cut_to_bytes",
    );
    let another_ff = |prefix: &[u8]| {
        let mut end = prefix.to_vec();
        match end.last_mut()? {
            255 => end.push(255),
            last => *last += 1,
        }
        Some(end)
    };
    let right = tuple_prefix_scan::right();
    named(
        &scan(&Scans {
            successor: Arc::new(another_ff),
            ..right
        }),
        "ff_appended_to_ff",
    );
}

#[test]
fn a_user_of_any_width_is_named() {
    let padded = |width: usize| {
        move |user: &str, number: u64, note: &str| {
            let mut field = user.as_bytes().to_vec();
            field.resize(width, 0);
            [&field[..], &number.to_be_bytes(), note.as_bytes()].concat()
        }
    };
    for (width, name) in [
        (8, "user_of_a_fixed_width"),
        (16, "user_of_a_fixed_width"),
        (32, "user_of_a_larger_fixed_width"),
        (64, "user_of_a_very_large_fixed_width"),
    ] {
        named(&tuple(padded(width)), name);
    }
    for width in [20, 32] {
        let verdict = tuple(move |user, number, note| {
            format!("{user:<width$}{number:020}{note}").into_bytes()
        });
        named(&verdict, "user_filled_up_with_spaces");
    }
    for width in [6, 8, 10] {
        let verdict = tuple(move |user, number, note| {
            let number = format!("{number:0width$}");
            [
                &encode(user.as_bytes())[..],
                number.as_bytes(),
                note.as_bytes(),
            ]
            .concat()
        });
        named(&verdict, "number_with_ten_digits");
    }
}

#[test]
fn a_length_of_a_note_and_pairs_the_wrong_way_round_are_named() {
    let verdict = tuple(|user, number, note| {
        let length = note.len().to_be_bytes()[7];
        let front = [
            &encode(user.as_bytes())[..],
            &number.to_be_bytes(),
            &[length],
        ]
        .concat();
        [&front[..], note.as_bytes()].concat()
    });
    named(&verdict, "length_of_the_note_in_one_byte");
    let verdict = tuple(|user, number, note| {
        let mut key = Vec::new();
        for byte in user.bytes() {
            key.push(byte);
            if byte == 0 {
                key.push(1);
            }
        }
        key.extend([0x00, 0xff]);
        key.extend(number.to_be_bytes());
        key.extend(note.bytes());
        key
    });
    named(&verdict, "pairs_of_the_user_exchanged");
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
fn a_name_is_not_over_at_its_first_zero() {
    let up_to_a_zero = Scans {
        orders_of: Arc::new(|rows, user| {
            let name = |row: &[u8]| row[..row.iter().position(|byte| *byte == 0).unwrap()].to_vec();
            let own = rows.iter().filter(|row| name(row) == user.as_bytes());
            own.map(|row| u64::from_be_bytes(*row.last_chunk().unwrap()))
                .collect()
        }),
        ..tuple_prefix_scan::right()
    };
    named(&scan(&up_to_a_zero), "name_read_up_to_a_zero");
}

#[test]
fn strings_that_end_at_their_zero_are_named() {
    let orders = Orders {
        length_first: || kit::letters!(b f d c e a),
        ..RIGHT
    };
    named(
        &judged(&predict_strings::exercise_of(orders)),
        "lengths_up_to_the_zero",
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

/// Asked of fewer texts, these were right.
#[test]
fn texts_that_differ_in_little_have_other_keys() {
    let user = |change: fn(&str) -> Vec<u8>| {
        tuple(move |user, number, note| {
            [&change(user)[..], &number.to_be_bytes(), note.as_bytes()].concat()
        })
    };
    type Change = fn(&str) -> Vec<u8>;
    let wrong: [Change; 4] = [
        |user| [user.replacen('\0', "\0\u{ff}", 1).as_bytes(), &[0, 1]].concat(),
        |user| encode(user.replace("\0\0", "\0").as_bytes()),
        |user| encode(user.replace('\n', "").as_bytes()),
        |user| encode(user.replace('È', "è").as_bytes()),
    ];
    for change in wrong {
        observed(&user(change), "order", &["key("]);
    }
    let in_one_line = |user: &str, number: u64, note: &str| {
        let front = [encode(user.as_bytes()), number.to_be_bytes().to_vec()].concat();
        [&front[..], note.replace('\n', " ").as_bytes()].concat()
    };
    observed(&tuple(in_one_line), "order", &["two lines"]);
}

/// Each of these had the order of a mistake that it does not make.
#[test]
fn keys_that_resemble_a_mistake_do_not_get_its_name() {
    let of_16_bits = |user: &str, number: u64, note: &str| {
        let number = (number as u16).to_be_bytes();
        [encode(user.as_bytes()), number.to_vec(), note.into()].concat()
    };
    named(&tuple(of_16_bits), "number_narrowed_to_u16");
    let little_endian_length = |user: &str, number: u64, note: &str| {
        let length = u32::try_from(note.len()).unwrap().to_le_bytes();
        let front = [&encode(user.as_bytes())[..], &number.to_be_bytes(), &length].concat();
        [&front[..], note.as_bytes()].concat()
    };
    observed(&tuple(little_endian_length), "order", &["not in order"]);
    let two_ones = |user: &str, number: u64, note: &str| {
        let user = user.replace('\0', "\u{1}\u{1}") + "\0";
        [user.as_bytes(), &number.to_be_bytes(), note.as_bytes()].concat()
    };
    observed(&tuple(two_ones), "order", &["Different inputs share a key"]);
    let doubled_and_ended = |user: &str, number: u64, note: &str| {
        let user = user.replace('\0', "\0\0") + "\0\u{1}";
        [user.as_bytes(), &number.to_be_bytes(), note.as_bytes()].concat()
    };
    named(&tuple(doubled_and_ended), "pairs_of_the_user_exchanged");
    named(
        &tuple(|user, number, note| {
            solutions::tuple_key::key(&user.to_ascii_uppercase(), number, note)
        }),
        "user_in_small_ascii_letters",
    );
    named(
        &tuple(|user, number, note| format!("{user} {number:020} {note}").into_bytes()),
        "joined_by_spaces_and_padded",
    );
}

#[test]
fn a_name_goes_on_with_any_letter() {
    for last in ["z", "{", "~", "\u{7f}"] {
        let orders_starting = move |rows: &Rows, start: &str| {
            let number = |row: &Vec<u8>| u64::from_be_bytes(*row.last_chunk().unwrap());
            if start.is_empty() {
                return rows.iter().map(number).collect();
            }
            let end = escaped(&format!("{start}{last}"));
            rows.range(escaped(start)..end).map(number).collect()
        };
        let verdict = scan(&Scans {
            orders_starting: Arc::new(orders_starting),
            ..tuple_prefix_scan::right()
        });
        observed(
            &verdict,
            "beginning",
            &["orders_starting({\"ann\" 1, \"ann{\" 2,"],
        );
    }
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

#[test]
fn each_field_of_a_tuple_is_told_by_itself() {
    // The number is cut to a byte, and the note comes before it.
    let verdict = tuple(|user, number, note| {
        let number = vec![number.to_be_bytes()[7]];
        let ended = |text: &str| [escaped(text), vec![0, 1]].concat();
        [ended(user), ended(note), number].concat()
    });
    let parts = [
        "Where the user alone or the note alone differs, the keys are in order.",
        "Where the number alone differs, the keys are not in order, as those of",
        "The note decides before the number, and should come after it.",
    ];
    observed(&verdict, "order", &parts);
}

#[test]
fn a_byte_of_a_prefix_has_no_sign() {
    let mut signed = tuple_prefix_scan::right();
    signed.successor = Arc::new(|prefix| {
        let last = prefix.iter().rposition(|&byte| byte != 0xff)?;
        let raised = (prefix[last].cast_signed() + 1).cast_unsigned();
        Some([&prefix[..last], &[raised]].concat())
    });
    observed(
        &scan(&signed),
        "returns",
        &[
            "successor(b\"a\\x7f\") panics",
            "attempt to add with overflow",
        ],
    );
}

#[test]
fn the_next_character_is_no_end() {
    let mut next = tuple_prefix_scan::right();
    next.orders_starting = Arc::new(|rows, start| {
        let end = start.chars().last().and_then(|last| {
            let beginning = start.strip_suffix(last)?;
            let raised = char::from_u32(u32::from(last) + 1)?;
            Some(stubs::tuple_prefix_scan::escape(&format!(
                "{beginning}{raised}"
            )))
        });
        let inside = rows.iter().filter(|row| {
            **row >= stubs::tuple_prefix_scan::escape(start)
                && end.as_ref().is_none_or(|end| *row < end)
        });
        inside
            .filter_map(|row| Some(u64::from_be_bytes(*row.last_chunk()?)))
            .collect()
    });
    observed(
        &scan(&next),
        "beginning",
        &["\"a\\u{d7ff}\") must be [], but it is [1]."],
    );
}

#[test]
fn who_finds_nothing_is_told_nothing_of_names() {
    let mut nothing = tuple_prefix_scan::right();
    nothing.orders_starting = Arc::new(|_, _| Vec::new());
    let verdict = scan(&nothing);
    observed(
        &verdict,
        "beginning",
        &["Where the list is wrong, it is empty."],
    );
    assert!(!verdict.message.contains("whole name"));
}

#[test]
fn a_text_of_c_is_told_to_end_at_its_zero() {
    let verdict = tuple(|user, number, note| {
        let user = std::ffi::CString::new(user).unwrap();
        [
            user.as_bytes_with_nul(),
            &number.to_be_bytes(),
            note.as_bytes(),
        ]
        .concat()
    });
    observed(
        &verdict,
        "returns",
        &["bytes were made a text of C, which ends at its first zero byte"],
    );
}

#[test]
fn nothing_is_called_right_beside_a_mistake() {
    pairs_call_nothing_right(&escape_bytes::exercise_of(Escape::new(encode, decode)));
    pairs_call_nothing_right(&tuple_key::exercise_of(Arc::new(|_, _, _| Vec::new())));
    pairs_call_nothing_right(&tuple_prefix_scan::exercise_of(tuple_prefix_scan::right()));
}

#[test]
fn no_sign_of_a_text_is_read_in_a_way_of_its_own() {
    fn one_space(text: &str) -> String {
        text.replace("  ", " ")
    }
    fn without_slashes(text: &str) -> &str {
        text.trim_end_matches('/')
    }
    observed(
        &escape(
            |value| encode(value).into_iter().filter(|&b| b != b'\r').collect(),
            decode,
        ),
        "order",
        &["both become"],
    );
    observed(
        &tuple(|user, number, note| solutions::tuple_key::key(without_slashes(user), number, note)),
        "order",
        &["Where the user alone differs, the keys are not in order"],
    );
    observed(
        &tuple(|user, number, note| solutions::tuple_key::key(user, number, &one_space(note))),
        "order",
        &["both become"],
    );
    let scans = Scans {
        orders_of: Arc::new(|rows, user| {
            solutions::tuple_prefix_scan::orders_of(rows, without_slashes(user))
        }),
        ..tuple_prefix_scan::right()
    };
    observed(&scan(&scans), "one-user", &["must be"]);
    let scans = Scans {
        orders_starting: Arc::new(|rows, start| {
            solutions::tuple_prefix_scan::orders_starting(rows, &one_space(start))
        }),
        ..tuple_prefix_scan::right()
    };
    observed(&scan(&scans), "beginning", &["must be"]);
}

#[test]
#[expect(clippy::cast_possible_truncation, reason = "this is the mistake")]
#[expect(clippy::cast_precision_loss, reason = "this is the mistake")]
#[expect(
    clippy::cast_sign_loss,
    reason = "a logarithm of at least 1 is none below zero"
)]
fn digits_that_are_counted_by_a_float_are_miscounted() {
    // 999,999,999,999,999 and one more have the same logarithm as an `f64`.
    let counted = |user: &str, number: u64, note: &str| {
        let digits = (number.max(1) as f64).log10() as u8 + 1;
        let number = [&[digits][..], number.to_string().as_bytes()].concat();
        [encode(user.as_bytes()), number, encode(note.as_bytes())].concat()
    };
    observed(&tuple(counted), "order", &["999999999999999"]);
}

#[test]
fn a_test_that_asks_of_some_strings_alone_is_not_said_to_ask_of_none() {
    let bytes = [0x00, 0x01, b'a', 0xfe, 0xff];
    let mut strings: Vec<Vec<u8>> = vec![vec![], vec![b'a'; 60], [&[b'a'; 60][..], b"b"].concat()];
    for byte in bytes {
        strings.push(vec![byte]);
        strings.extend(bytes.map(|next| vec![byte, next]));
        strings.extend(bytes.map(|next| vec![byte, 0x00, next]));
    }
    strings.sort();
    strings.dedup();
    let verdict = tester(move |encode, decode| {
        for pair in strings.windows(2) {
            let [a, b] = [0, 1].map(|i| encode(&pair[i]));
            assert!(a < b);
            // The zero byte is what may come after an end of one.
            assert!(pair[1].contains(&0) || !b.starts_with(&a));
        }
        for string in &strings {
            let mut key = encode(string);
            assert_eq!(decode(&key).as_ref(), Some(string));
            assert_eq!(decode(&[&key[..], b"b"].concat()), None);
            key.pop();
            assert_eq!(decode(&key), None);
        }
    });
    named(&verdict, "end_not_tested");
    let words: Vec<&str> = verdict.message.split_whitespace().collect();
    assert!(
        words
            .join(" ")
            .contains("does not ask of every two strings")
    );
}

#[test]
fn every_bit_of_a_large_number_counts() {
    // Some bits, for an answer is judged in a tenth of a second. `bit_by_bit` has them all.
    every_bit_counts((0..64).step_by(9), 1 << 40, |astray| {
        tuple_key::exercise_of(Arc::new(move |user, number, note| {
            solutions::tuple_key::key(user, astray.of(number), note)
        }))
    });
    every_bit_counts((0..64).step_by(9), 1 << 40, |astray| {
        tuple_prefix_scan::exercise_of(Scans {
            orders_of: Arc::new(move |rows, user| {
                let found = solutions::tuple_prefix_scan::orders_of(rows, user);
                found.into_iter().map(|number| astray.of(number)).collect()
            }),
            ..tuple_prefix_scan::right()
        })
    });
}

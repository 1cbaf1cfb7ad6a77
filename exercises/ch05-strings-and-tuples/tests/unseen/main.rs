//! Wrong and right answers that no gallery holds: what is said of them must be true.

#[path = "../../checks/escape_bytes.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod escape_bytes;
#[path = "../../mistakes/mod.rs"]
#[expect(unreachable_pub, reason = "mistakes look like solutions")]
mod mistakes;
#[path = "../../checks/predict_strings.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod predict_strings;
#[path = "../../solutions/mod.rs"]
#[expect(unreachable_pub, reason = "solutions look like the library's files")]
mod solutions;
#[path = "../../stubs/mod.rs"]
#[expect(unreachable_pub, reason = "stubs are copies of the library's files")]
mod stubs;
#[path = "../../checks/test_an_escape.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod test_an_escape;
#[path = "../../checks/tuple_key.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod tuple_key;
#[path = "../../checks/tuple_prefix_scan.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod tuple_prefix_scan;

mod escaping;
mod keys;
mod predicting;
mod scanning;
mod testing;

use std::sync::Arc;

use kit::unseen::{every_bit_counts, judged, named, observed, pairs_call_nothing_right};
use kit::{State, Verdict};

use escape_bytes::Escape;
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

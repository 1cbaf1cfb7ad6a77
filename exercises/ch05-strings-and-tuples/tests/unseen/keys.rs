//! What is said of keys of tuples.

use kit::State;
use kit::unseen::{named, observed};

use crate::solutions::escape_bytes::encode;
use crate::{escaped, solutions, tuple};

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

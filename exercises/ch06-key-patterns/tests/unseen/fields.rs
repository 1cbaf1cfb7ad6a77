//! What is said of keys whose fields run both ways.

use kit::unseen::{named, observed};

use crate::stubs::descending_field::ended;
use crate::{field, inverted, solutions};

#[test]
fn fields_that_nobody_foresaw() {
    // A title without its zero bytes.
    let zeros_lost = |user: &str, time: u64, title: &str| {
        let title = title.replace('\0', "");
        let (user, title) = (ended(user), inverted(&ended(&title)));
        [&user[..], &(!time).to_be_bytes(), &title].concat()
    };
    observed(
        &field(zeros_lost),
        "order",
        &["are different, but both become"],
    );
    // Small and capital letters alike.
    let first_letter = |user: &str, time: u64, title: &str| {
        let first: String = title.chars().take(1).collect();
        [
            &ended(user)[..],
            &(!time).to_be_bytes(),
            &inverted(&ended(&first)),
        ]
        .concat()
    };
    observed(
        &field(first_letter),
        "order",
        &["(\"ann\", 20, \"jazzy\") and (\"ann\", 20, \"jazz\") are different"],
    );
    let empty_refused = |user: &str, time: u64, title: &str| {
        assert!(!title.is_empty(), "no title");
        [
            &ended(user)[..],
            &(!time).to_be_bytes(),
            &inverted(&ended(title)),
        ]
        .concat()
    };
    observed(&field(empty_refused), "returns", &["no title"]);
}

#[test]
fn texts_stay_as_they_are() {
    use solutions::descending_field::key;
    for changed in [
        |text: &str| text.trim().to_owned(),
        |text: &str| text.chars().take(40).collect::<String>(),
    ] {
        let users = move |user: &str, time, title: &str| key(&changed(user), time, title);
        observed(&field(users), "order", &["are different, but both become"]);
        let titles = move |user: &str, time, title: &str| key(user, time, &changed(title));
        observed(&field(titles), "order", &["are different, but both become"]);
    }
    let users = |user: &str, time, title: &str| key(&user.to_lowercase(), time, title);
    named(&field(users), "user_in_small_letters");
    // Other bytes, and the same order.
    let users = |user: &str, time, title: &str| key(&user.to_uppercase(), time, title);
    let verdict = field(users);
    named(&verdict, "user_in_small_letters");
    assert!(verdict.message.contains("your `key` writes other keys"));
    let titles = |user: &str, time, title: &str| key(user, time, &title.to_lowercase());
    named(&field(titles), "title_in_small_letters");
}

#[test]
fn the_least_time_stays_as_it_is() {
    let right = solutions::descending_field::key;
    let key = move |user: &str, time: u64, title: &str| right(user, time.max(1), title);
    observed(&field(key), "order", &["are different, but both become"]);
}

#[test]
fn bytes_of_one_hexadecimal_digit_do_not_sort() {
    let unpadded = |user: &str, time: u64, title: &str| {
        let user: String = user.bytes().map(|b| format!("{b:x}")).collect();
        let title: String = title.bytes().map(|b| format!("{:02x}", !b)).collect();
        format!("{user}!{:016x}{title}~", !time).into_bytes()
    };
    observed(&field(unpadded), "order", &["must come before"]);
}

#[test]
fn titles_hold_letters_of_any_first_byte() {
    // Right up to the byte db, and that is all of most alphabets.
    let from_db = |byte: u8| 0xdb_u8.wrapping_sub(byte);
    let key = move |user: &str, time: u64, title: &str| {
        let title = title.bytes().map(from_db).chain([0xff]).collect();
        [ended(user), (!time).to_be_bytes().to_vec(), title].concat()
    };
    observed(&field(key), "order", &["must come before"]);
}

#[test]
fn what_sorts_above_every_name_is_named_whatever_it_is() {
    let by_bar = |user: &str, time: u64, title: &str| {
        let user: String = user.bytes().map(|b| format!("{b:02x}")).collect();
        let title: String = title.bytes().map(|b| format!("{:02x}", !b)).collect();
        format!("{user}|{:016x}|{title}~", !time).into_bytes()
    };
    named(&field(by_bar), "user_ended_by_what_sorts_last");
    let by_ff = |user: &str, time: u64, title: &str| {
        let title = inverted(&ended(title));
        [user.as_bytes(), b"\xff", &(!time).to_be_bytes(), &title].concat()
    };
    named(&field(by_ff), "user_ended_by_what_sorts_last");
}

/// Asked of fewer texts, these were right.
#[test]
fn texts_that_differ_in_little_have_other_keys() {
    type Way = fn(&str) -> Vec<u8>;
    let ways: [Way; 4] = [
        |text| ended(&text.replace('\n', "")),
        |text| ended(&text.replace('\n', " ")),
        |text| ended(&text.replace('È', "è")),
        // The first zero byte alone.
        |text| {
            let mut escaped = text.as_bytes().to_vec();
            if let Some(zero) = text.find('\0') {
                escaped.insert(zero + 1, 0xff);
            }
            [&escaped[..], &[0, 1]].concat()
        },
    ];
    for way in ways {
        let user = field(move |user, time, title| {
            [
                way(user),
                inverted(&time.to_be_bytes()),
                inverted(&ended(title)),
            ]
            .concat()
        });
        observed(&user, "order", &["key("]);
        let title = field(move |user, time, title| {
            [
                ended(user),
                inverted(&time.to_be_bytes()),
                inverted(&way(title)),
            ]
            .concat()
        });
        observed(&title, "order", &["key("]);
    }
}

#[test]
fn texts_in_utf_16_sort_otherwise() {
    // No unit is 0, so that two zero bytes end the text.
    fn units(text: &str) -> Vec<u8> {
        let units = text.encode_utf16().map(|unit| unit + 1).chain([0]);
        units.flat_map(u16::to_be_bytes).collect()
    }
    let user = |user: &str, time: u64, title: &str| {
        let title = inverted(&ended(title));
        [units(user), inverted(&time.to_be_bytes()), title].concat()
    };
    observed(&field(user), "order", &["must come before"]);
    let title = |user: &str, time: u64, title: &str| {
        let title = inverted(&units(title));
        [ended(user), inverted(&time.to_be_bytes()), title].concat()
    };
    observed(&field(title), "order", &["must come before"]);
}

#[test]
fn each_field_of_a_play_is_told_by_itself() {
    let later = |time: u64| inverted(&time.to_be_bytes());
    let turned = |title: &str| inverted(&ended(title));
    let user_last = move |user: &str, time: u64, title: &str| {
        [later(time), turned(title), ended(user)].concat()
    };
    let parts = [
        "Where the user alone or the time alone or the title alone differs, the keys are in order.",
        "The time decides before the user, and should come after it.",
        "The title decides before the user, and should come after it.",
    ];
    observed(&field(user_last), "order", &parts);

    // The length keeps the direction that the title has lost.
    let counted = move |user: &str, time: u64, title: &str| {
        let title = [&title.len().to_be_bytes()[..], &inverted(title.as_bytes())].concat();
        [ended(user), later(time), title].concat()
    };
    let parts = [
        "Where the user alone or the time alone differs, the keys are in order.",
        "Where the title alone differs, the keys are not in order, as those of",
    ];
    observed(&field(counted), "order", &parts);

    let thirteen_digits = move |user: &str, time: u64, title: &str| {
        let digits = format!("{:013}", 9_999_999_999_999_u64.saturating_sub(time));
        [ended(user), digits.into_bytes(), turned(title)].concat()
    };
    let parts = ["Where the time alone differs, the keys are sometimes the same, as those of"];
    observed(&field(thirteen_digits), "order", &parts);

    // Three fields, each wrong in its own way.
    let all_wrong = |user: &str, time: u64, title: &str| {
        let time = [0, 0, 0, time.to_be_bytes()[7]];
        [inverted(&ended(user)), time.to_vec(), ended(title)].concat()
    };
    let parts = [
        "Where the user alone differs, all keys are in exactly the reverse order.",
        "Where the time alone differs, the keys are not in order, as those of",
        "Where the title alone differs, all keys are in exactly the reverse order.",
    ];
    observed(&field(all_wrong), "order", &parts);
}

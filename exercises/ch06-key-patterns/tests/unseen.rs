//! Wrong and right answers that no gallery holds: what is said of them must be true.

#[path = "../checks/descending_field.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod descending_field;
#[path = "../mistakes/mod.rs"]
#[expect(unreachable_pub, reason = "mistakes look like solutions")]
mod mistakes;
#[path = "../checks/newest_first.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod newest_first;
#[path = "../checks/padded_time.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod padded_time;
#[path = "../checks/reversed_domain.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod reversed_domain;
#[path = "../solutions/mod.rs"]
#[expect(unreachable_pub, reason = "solutions look like the library's files")]
mod solutions;
#[path = "../stubs/mod.rs"]
#[expect(unreachable_pub, reason = "stubs are copies of the library's files")]
mod stubs;
#[path = "../checks/test_newest.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod test_newest;

use std::ops::Bound::{self, Excluded, Included, Unbounded};
use std::sync::{Arc, Mutex};

use kit::unseen::{every_bit_counts, judged, named, observed, pairs_call_nothing_right};
use kit::{State, Verdict};

use newest_first::{Feed, Rows};
use stubs::descending_field::ended;

fn padded(
    encode: impl Fn(u64) -> Vec<u8> + Send + Sync + 'static,
    decode: impl Fn(&[u8]) -> Option<u64> + Send + Sync + 'static,
) -> Verdict {
    judged(&padded_time::exercise_of(padded_time::padded(
        encode, decode,
    )))
}

fn feed(
    key: impl Fn(u64) -> [u8; 8] + Send + Sync + 'static,
    newest: impl Fn(&Rows, u64, u64, usize) -> Vec<Vec<u8>> + Send + Sync + 'static,
) -> Verdict {
    judged(&newest_first::exercise_of(Feed::new(key, newest)))
}

fn field(key: impl Fn(&str, u64, &str) -> Vec<u8> + Send + Sync + 'static) -> Verdict {
    judged(&descending_field::exercise_of(Arc::new(key)))
}

fn hosts(
    key: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static,
    hosts_of: impl Fn(&Rows, &str) -> Vec<String> + Send + Sync + 'static,
) -> Verdict {
    judged(&reversed_domain::exercise_of(reversed_domain::Hosts::new(
        key, hosts_of,
    )))
}

/// The names of the rows in a range that may be crossed.
fn names(rows: &Rows, from: Vec<u8>, to: Vec<u8>, limit: usize) -> Vec<Vec<u8>> {
    if from >= to {
        return Vec::new();
    }
    let found = rows.range((Included(from), Excluded(to)));
    found.take(limit).map(|row| row[8..].to_vec()).collect()
}

fn inverted(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().map(|byte| !byte).collect()
}

#[test]
fn right_answers_pass_however_they_are_written() {
    // Digit by digit, from the last.
    let by_digits = |mut time: u64| {
        let mut key = vec![b'0'; 20];
        for place in (0..20).rev() {
            key[place] += u8::try_from(time % 10).unwrap();
            time /= 10;
        }
        key
    };
    let checked = |key: &[u8]| {
        let digits: &[u8; 20] = key.try_into().ok()?;
        digits.iter().try_fold(0_u64, |sum, digit| {
            let digit = digit.is_ascii_digit().then(|| u64::from(digit - b'0'))?;
            sum.checked_mul(10)?.checked_add(digit)
        })
    };
    assert_eq!(padded(by_digits, checked).state, State::Passed);

    // By walking over everything.
    let by_walking = |rows: &Rows, from: u64, to: u64, limit: usize| {
        let time = |row: &Vec<u8>| !u64::from_be_bytes(row[..8].try_into().unwrap());
        let inside = rows.iter().filter(|row| (from..to).contains(&time(row)));
        inside.map(|row| row[8..].to_vec()).take(limit).collect()
    };
    assert_eq!(
        feed(|time| (!time).to_be_bytes(), by_walking).state,
        State::Passed
    );

    // In decimal, with another end: ff, escaped, behind the inverted title.
    let other_form = |user: &str, time: u64, title: &str| {
        let mut key = ended(user);
        key.extend(format!("{:020}", u64::MAX - time).bytes());
        for byte in inverted(title.as_bytes()) {
            key.push(byte);
            if byte == 0xff {
                key.push(0x00);
            }
        }
        key.extend([0xff, 0xff]);
        key
    };
    assert_eq!(field(other_form).state, State::Passed);

    // By the successor of the dot.
    let by_range = |rows: &Rows, domain: &str| {
        let start = solutions::reversed_domain::key(domain);
        let end = [&start[..start.len() - 1], b"/"].concat();
        let found = rows.range(start..end);
        let text = found.map(|row| String::from_utf8(row.clone()).unwrap());
        text.map(|key| {
            let mut labels: Vec<&str> = key.split_terminator('.').collect();
            labels.reverse();
            labels.join(".")
        })
        .collect()
    };
    assert_eq!(
        hosts(solutions::reversed_domain::key, by_range).state,
        State::Passed
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
fn keys_of_times_that_nobody_foresaw() {
    use solutions::newest_first::{key, newest};
    let lowest_bit_kept = |time: u64| (!time ^ 1).to_be_bytes();
    observed(
        &feed(lowest_bit_kept, newest),
        "order",
        &[
            "though 1 must come before 0",
            "these bits inverted: 00 00 00 00 00 00 00 01",
        ],
    );
    let minus_two = |time: u64| (u64::MAX - 1).wrapping_sub(time).to_be_bytes();
    observed(
        &feed(minus_two, newest),
        "order",
        &["plus ff ff ff ff ff ff ff ff", "`newest` is right."],
    );
    let halves = |time: u64| (!time).rotate_left(32).to_be_bytes();
    observed(
        &feed(halves, newest),
        "order",
        &["its bytes in the order 4 5 6 7 0 1 2 3"],
    );
    // Written in other words, and the same misconception.
    let negative = |time: u64| (-i128::from(time)).to_be_bytes()[8..].try_into().unwrap();
    named(&feed(negative, newest), "negated");
    named(
        &feed(key, |rows, from, to, limit| {
            names(rows, key(from).to_vec(), key(to).to_vec(), limit)
        }),
        "not_exchanged_and_guarded",
    );
}

#[test]
fn windows_that_nobody_foresaw() {
    use solutions::newest_first::key;
    // The start is right, the end is the key of `from` itself.
    let half_mended = |rows: &Rows, from: u64, to: u64, limit: usize| {
        let Some(before) = to.checked_sub(1) else {
            return Vec::new();
        };
        names(rows, key(before).to_vec(), key(from).to_vec(), limit)
    };
    named(&feed(key, half_mended), "from_left_out");
    // Both ends one time too far.
    let one_too_far = |rows: &Rows, from: u64, to: u64, limit: usize| {
        if from >= to {
            return Vec::new();
        }
        let end = key(from.saturating_sub(2)).to_vec();
        names(rows, key(to - 1).to_vec(), end, limit)
    };
    observed(
        &feed(key, one_too_far),
        "window",
        &[
            "`key` is right.",
            "newest({0 \"a\", 0 \"b\", 1 \"c\", 2 \"d\"}",
        ],
    );
    // An answer for every window but those from 0.
    let from_one_on = |rows: &Rows, from: u64, to: u64, limit: usize| {
        if from == 0 {
            return Vec::new();
        }
        solutions::newest_first::newest(rows, from, to, limit)
    };
    named(&feed(key, from_one_on), "time_zero_finds_nothing");
    // Two steps at once.
    let twice_wrong = |rows: &Rows, from: u64, to: u64, _: usize| {
        if from > to {
            return Vec::new();
        }
        names(rows, key(to).to_vec(), key(from).to_vec(), usize::MAX)
    };
    named(
        &feed(key, twice_wrong),
        "exchanged_and_nothing_else+limit_ignored",
    );
}

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
fn domains_that_nobody_foresaw() {
    use solutions::reversed_domain::{hosts_of, key};
    let capitals = |host: &str| key(&host.to_uppercase());
    observed(
        &hosts(capitals, hosts_of),
        "bytes",
        &["must be \"com.example.\", but it is \"COM.EXAMPLE.\""],
    );
    let colons = |host: &str| {
        let labels: Vec<&str> = host.rsplit('.').collect();
        (labels.join(":") + ":").into_bytes()
    };
    observed(&hosts(colons, hosts_of), "bytes", &["`hosts_of` is right."]);
    let two_at_most = |rows: &Rows, domain: &str| {
        let mut found = hosts_of(rows, domain);
        found.truncate(2);
        found
    };
    observed(
        &hosts(key, two_at_most),
        "domain",
        &["`key` is right.", "all domains without a host."],
    );
    let without_hyphens = |rows: &Rows, domain: &str| {
        let mut found = hosts_of(rows, domain);
        found.retain(|host| !host.contains('-'));
        found
    };
    observed(
        &hosts(key, without_hyphens),
        "domain",
        &["\"com\") must be", "example-shop.com"],
    );
}

#[test]
fn tests_that_nobody_foresaw() {
    let no_test_above_2_to_40 = |ask: test_newest::Ask<'_>| {
        let times = [0, 1, 255, 256, 1 << 32, (1 << 32) + 1];
        let named: Vec<(u64, Vec<u8>)> = (0_u8..)
            .zip(times)
            .flat_map(|(n, time)| [(time, vec![0xff, 0, n]), (time, vec![b'a', n])])
            .collect();
        let events: Vec<_> = named
            .iter()
            .map(|(time, name)| (*time, &name[..]))
            .collect();
        let mut sorted = events.clone();
        sorted.sort_by_key(|(time, name)| (std::cmp::Reverse(*time), *name));
        for from in times {
            for to in times {
                for limit in [100, 3, 0] {
                    let inside = sorted.iter().filter(|(time, _)| (from..to).contains(time));
                    let right: Vec<_> = inside.take(limit).map(|(_, name)| name.to_vec()).collect();
                    assert_eq!(ask(&events, from, to, limit), right);
                }
            }
        }
    };
    observed(
        &judged(&test_newest::exercise_of(test_newest::tester(
            no_test_above_2_to_40,
        ))),
        "kills",
        &[
            "killed 18 of 24",
            "units_mixed",
            "thirteen_nines_as_text",
            "minus_from_i64_max",
            "through_a_double",
        ],
    );
    let limit_demanded = |ask: test_newest::Ask<'_>| {
        assert_eq!(ask(&[(1, b"a"), (2, b"b")], 0, 9, 1).len(), 2);
    };
    observed(
        &judged(&test_newest::exercise_of(test_newest::tester(
            limit_demanded,
        ))),
        "accepts-right",
        &["your test refuses a right answer, `inverted_keys`"],
    );
}

#[test]
fn any_limit_and_any_name_is_asked_for() {
    use solutions::newest_first::{key, newest};
    let one_more = |rows: &Rows, from, to, limit: usize| {
        let most = limit.checked_add(1).expect("attempt to add with overflow");
        let mut found = newest(rows, from, to, most);
        found.truncate(limit);
        found
    };
    named(&feed(key, one_more), "limit_and_one_overflows");
    for count in [8, 16, 64, 255, 1024, 4096] {
        let many_ff = move |rows: &Rows, from: u64, to: u64, limit: usize| {
            if from >= to {
                return Vec::new();
            }
            let start = key(to - 1).to_vec();
            let end = [&key(from)[..], &vec![0xff; count]].concat();
            let found = rows.range(start..=end).take(limit);
            found.map(|row| row[8..].to_vec()).collect()
        };
        named(&feed(key, many_ff), "ends_at_many_ff");
    }
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
fn a_query_over_a_wrong_key_waits() {
    fn plain(time: u64) -> [u8; 8] {
        time.to_be_bytes()
    }
    let verdict = feed(plain, |rows, from, to, limit| {
        if from >= to {
            return Vec::new();
        }
        let start = Included(plain(to - 1).to_vec());
        let end = match from.checked_sub(1) {
            Some(before) => Excluded(plain(before).to_vec()),
            None => Unbounded,
        };
        let found = rows.iter().filter(|row| {
            use std::ops::RangeBounds as _;
            (start.clone(), end.clone()).contains(*row)
        });
        found.take(limit).map(|row| row[8..].to_vec()).collect()
    });
    let waits = "`newest` gives wrong answers too. If it calls `key`, it may be right by itself";
    assert!(verdict.message.contains(waits), "{waits}");
    assert_eq!(verdict.message.matches("fails the check").count(), 1);

    let forward = |host: &str| host.as_bytes().to_vec();
    let verdict = hosts(forward, move |rows, domain| {
        let prefix = forward(domain);
        let found = rows.iter().filter(|row| row.starts_with(&prefix));
        found
            .map(|row| String::from_utf8(row.clone()).unwrap())
            .collect()
    });
    let waits = "`hosts_of` gives wrong answers too. If it calls `key`, it may be right by itself";
    assert!(verdict.message.contains(waits), "{waits}");
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
fn texts_and_hosts_have_any_length() {
    let cut = |text: &str, length| text.chars().take(length).collect::<String>();
    let right = solutions::descending_field::key;
    for length in [64, 300, 1024, 4096] {
        let user = move |user: &str, time, title: &str| right(&cut(user, length), time, title);
        observed(&field(user), "order", &["are different, but both become"]);
        let title = move |user: &str, time, title: &str| right(user, time, &cut(title, length));
        observed(&field(title), "order", &["are different, but both become"]);
    }
    for labels in [4, 8, 16, 32] {
        let key = move |host: &str| {
            let labels = host.rsplitn(labels, '.');
            labels
                .map(|label| format!("{label}."))
                .collect::<String>()
                .into_bytes()
        };
        observed(
            &hosts(key, solutions::reversed_domain::hosts_of),
            "bytes",
            &["must be"],
        );
    }
}

#[test]
fn keys_that_are_read_or_written_in_another_way() {
    use solutions::padded_time::{decode, encode};
    let through_text = |time: u64| format!("{:020}", time as f64).into_bytes();
    named(&padded(through_text, decode), "printed_as_a_double");
    let at_most = |key: &[u8]| match key.len() {
        0..=20 => {
            let text = str::from_utf8(key).ok()?;
            let digits = text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse().ok().filter(|_| digits)
        }
        _ => None,
    };
    named(&padded(encode, at_most), "decode_shorter_keys");
    let zero_is_missing = |key: &[u8]| decode(key).filter(|time| *time != 0);
    let verdict = padded(encode, zero_is_missing);
    named(&verdict, "decode_strips_all_zeros");
    assert!(verdict.message.contains("`None` for the key of 0"));
    let right = solutions::reversed_domain::key;
    let to_the_next_letter = move |rows: &Rows, domain: &str| {
        let mut end = right(domain);
        end.pop();
        *end.last_mut().unwrap() += 1;
        let found = rows.range(right(domain)..end);
        let text = found.map(|row| String::from_utf8(row.clone()).unwrap());
        text.map(|key| {
            key.split_terminator('.')
                .rev()
                .collect::<Vec<_>>()
                .join(".")
        })
        .collect()
    };
    named(&hosts(right, to_the_next_letter), "ends_at_the_next_letter");
    let to_many_z = move |rows: &Rows, domain: &str| {
        let end = [right(domain), vec![b'z'; 8]].concat();
        let within = rows
            .iter()
            .filter(|row| **row < end)
            .cloned()
            .collect::<Rows>();
        solutions::reversed_domain::hosts_of(&within, domain)
    };
    observed(&hosts(right, to_many_z), "domain", &["zzz.example.com"]);
}

#[test]
fn events_in_any_order_with_sorted_names_are_told_apart() {
    let newest_given_first = |ask: test_newest::Ask<'_>| {
        let times = [0, 1, 2, 255, 256, 1 << 32, 9_999_999_999, 10_000_000_000]
            .into_iter()
            .chain([8_999_999_999_999, 9_000_000_000_000, 1 << 53, (1 << 53) + 1])
            .chain([1 << 63, u64::MAX]);
        let times: Vec<u64> = times.collect();
        let mut named = vec![(5, Vec::new())];
        for (number, time) in (0_u8..).zip(&times) {
            named.extend([&b"a"[..], b"\xff\x00"].map(|name| (*time, [name, &[number]].concat())));
        }
        // The newest first, and the names of a time in order.
        named.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let events: Vec<_> = named
            .iter()
            .map(|(time, name)| (*time, &name[..]))
            .collect();
        for &from in &times {
            for &to in &times {
                for limit in [100, 3, 0] {
                    let inside = events.iter().filter(|(time, _)| (from..to).contains(time));
                    let right: Vec<_> = inside.take(limit).map(|(_, name)| name.to_vec()).collect();
                    assert_eq!(ask(&events, from, to, limit), right);
                }
            }
        }
    };
    named(
        &judged(&test_newest::exercise_of(test_newest::tester(
            newest_given_first,
        ))),
        "names_given_in_order",
    );
}

#[test]
fn a_window_may_hold_more_events_than_a_page() {
    use solutions::newest_first::{key, newest};
    for most in [10, 100, 1000] {
        let a_page =
            move |rows: &Rows, from, to, limit: usize| newest(rows, from, to, limit.min(most));
        observed(
            &feed(key, a_page),
            "window",
            &["It is wrong on newest({0 \"a\" to 1099 \"b\"}, 0, 1100, usize::MAX)"],
        );
    }
    let a_page_of_hosts = |rows: &Rows, domain: &str| {
        let mut found = solutions::reversed_domain::hosts_of(rows, domain);
        found.truncate(1000);
        found
    };
    let verdict = hosts(solutions::reversed_domain::key, a_page_of_hosts);
    assert_eq!(verdict.check.as_deref(), Some("domain"));
}

#[test]
fn a_limit_has_more_than_sixteen_bits() {
    use solutions::newest_first::{key, newest};
    let cut = |rows: &Rows, from, to, limit| newest(rows, from, to, usize::from(limit as u16));
    named(&feed(key, cut), "limit_cut_to_16_bits");
    let cut = |rows: &Rows, from, to, limit| newest(rows, from, to, limit as u32 as usize);
    named(&feed(key, cut), "limit_cut_to_32_bits");
}

#[test]
fn a_page_that_nobody_asked_for_ends_no_window() {
    use solutions::newest_first::{key, newest};
    for page in [2048, 5000] {
        let cut =
            move |rows: &Rows, from, to, limit: usize| newest(rows, from, to, limit.min(page));
        let verdict = feed(key, cut);
        observed(
            &verdict,
            "window",
            &[&format!("but it is [\"a\" {page} times]")],
        );
    }
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
fn a_loop_over_all_times_is_told_to_go_over_rows() {
    // What takes minutes in a debug build is not waited for.
    let every_time = |rows: &Rows, from: u64, to: u64, limit: usize| {
        if to.saturating_sub(from) > 1_000_000 {
            kit::unseen::never_returns();
        }
        solutions::newest_first::newest(rows, from, to, limit)
    };
    observed(
        &feed(solutions::newest_first::key, every_time),
        "returns",
        &[
            "Do you try every time from `from` to `to`?",
            "Go over the rows",
        ],
    );
}

#[test]
fn walks_and_ends_of_a_window_are_named() {
    let key = solutions::newest_first::key;
    let read = |row: &[u8]| u64::from_be_bytes(*row.first_chunk().unwrap());
    let time = move |row: &[u8]| !read(row);
    let name = |row: &Vec<u8>| row[8..].to_vec();
    named(
        &feed(key, move |rows, from, to, limit| {
            let inside = |row: &&Vec<u8>| from <= time(row) && time(row) < to;
            let found = rows.iter().take_while(inside);
            found.take(limit).map(name).collect()
        }),
        "walk_without_a_start",
    );
    named(
        &feed(key, move |rows, from, to, limit| {
            let inside = |row: &&Vec<u8>| from <= read(row) && read(row) < to;
            rows.iter().filter(inside).take(limit).map(name).collect()
        }),
        "keys_read_as_plain_times",
    );
    named(
        &feed(key, move |rows, from, to, limit| {
            let inside = |row: &&Vec<u8>| from <= time(row) && time(row) < to;
            let mut names: Vec<_> = rows.iter().filter(inside).map(name).collect();
            names.sort_unstable();
            names.into_iter().take(limit).collect()
        }),
        "sorted_by_name_before_the_limit",
    );
    named(
        &feed(key, move |rows, from, to, limit| {
            let newer = |row: &&Vec<u8>| to != u64::MAX && time(row) >= to;
            let found = rows.iter().skip_while(newer);
            let found = found.take_while(|row| from < to && time(row) >= from);
            found.take(limit).map(name).collect()
        }),
        "greatest_to_is_no_end",
    );
    let with_ff = move |time| [&key(time)[..], &[0xff]].concat();
    named(
        &feed(key, move |rows, from, to, limit| {
            if from >= to {
                return Vec::new();
            }
            names(rows, key(to - 1).to_vec(), with_ff(from), limit)
        }),
        "ends_before_one_ff",
    );
    named(
        &feed(key, move |rows, from, to, limit| {
            if from >= to {
                return Vec::new();
            }
            let found = rows.range(with_ff(to)..);
            let found = found.take_while(|row| time(row) >= from);
            found.take(limit).map(name).collect()
        }),
        "starts_at_one_ff",
    );
}

#[test]
fn fields_digits_and_labels_in_other_words_are_named() {
    let turned = |time: u64| (!time).to_be_bytes();
    named(
        &field(move |user, time, title| {
            let title = [inverted(title.as_bytes()), vec![255; 2]].concat();
            [&ended(user)[..], &turned(time), &title].concat()
        }),
        "title_inverted_with_two_ff",
    );
    named(
        &field(move |user, time, title| {
            let backwards = title.chars().rev().collect::<String>();
            [&ended(user)[..], &turned(time), &ended(&backwards)].concat()
        }),
        "title_written_backwards",
    );

    let encode = solutions::padded_time::encode;
    let is_twenty = |key: &[u8]| key.len() == 20 && key.iter().all(u8::is_ascii_digit);
    named(
        &padded(encode, move |key| {
            let mut time = 0_u64;
            for digit in is_twenty(key).then_some(key)? {
                time = time.checked_mul(10)?;
                time += u64::from(digit - b'0');
            }
            Some(time)
        }),
        "decode_overflows_in_the_last_digit",
    );
    named(
        &padded(encode, |key| match key.len() {
            20 => String::from_utf8(key.to_vec()).unwrap().parse().ok(),
            _ => None,
        }),
        "decode_unwraps_the_text",
    );
    named(
        &padded(encode, move |key| {
            let digits = is_twenty(key).then_some(key)?;
            let text = String::from_utf8_lossy(digits);
            Some(text.parse::<f64>().ok()? as u64)
        }),
        "decode_through_a_double",
    );

    let key = solutions::reversed_domain::key;
    named(
        &hosts(key, move |rows, domain| {
            let below = rows.iter().filter(|row| row.starts_with(&key(domain)));
            let letters = |row: &Vec<u8>| row[..row.len() - 1].iter().rev().copied().collect();
            below
                .map(|row| String::from_utf8(letters(row)).unwrap())
                .collect()
        }),
        "letters_turned_back",
    );
    named(
        &hosts(key, |rows, domain| {
            let start = domain.as_bytes();
            let found = rows.range(start.to_vec()..);
            let found = found.take_while(|row| row.starts_with(start));
            let text = |row: &Vec<u8>| String::from_utf8_lossy(row).into_owned();
            let host = |text: String| {
                let labels = text.trim_end_matches('.').rsplit('.');
                labels.collect::<Vec<_>>().join(".")
            };
            found.map(text).map(host).collect()
        }),
        "domain_as_written_without_a_dot",
    );
}

#[test]
fn a_test_that_four_wrong_feeds_survive_is_refused_and_told_where_they_show() {
    let plain = |ask: test_newest::Ask<'_>| {
        let times = [
            0,
            1,
            2,
            255,
            256,
            65_536,
            1 << 32,
            1 << 63,
            u64::MAX - 1,
            u64::MAX,
        ];
        let names: [&[u8]; 4] = [b"", b"a", b"\xff", b"\xff\x00"];
        let events: Vec<(u64, &[u8])> = times
            .iter()
            .flat_map(|time| names.map(|name| (*time, name)))
            .collect();
        for from in times {
            for to in times {
                for limit in [0, 1, 3, 100] {
                    let inside = events.iter().filter(|(time, _)| (from..to).contains(time));
                    let mut right: Vec<_> = inside.collect();
                    right.sort_by_key(|(time, name)| (std::cmp::Reverse(*time), *name));
                    let right: Vec<_> = right.iter().take(limit).map(|e| e.1.to_vec()).collect();
                    assert_eq!(ask(&events, from, to, limit), right);
                }
            }
        }
    };
    observed(
        &judged(&test_newest::exercise_of(test_newest::tester(plain))),
        "kills",
        &[
            "killed 20 of 24: your test accepts 4 wrong feeds.",
            "exchanged_and_nothing_else Its bounds have changed places",
            "It shows where an event is at `from` or at `to`.",
            "It shows with two events at one time that are given in another order.",
            "and 1 more: units_mixed",
        ],
    );
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

#[test]
fn labels_are_told_by_what_became_of_them() {
    use solutions::reversed_domain::{hosts_of, key};
    let told = |change: fn(Vec<&str>) -> Vec<u8>, says: &str| {
        let key = move |host: &str| change(host.rsplit('.').collect());
        observed(&hosts(key, hosts_of), "bytes", &[says]);
    };
    told(
        |labels| (labels.join("\0") + "\0").into_bytes(),
        "no dot in it. Each label is followed by one.",
    );
    told(
        |labels| (labels.join(".") + "..").into_bytes(),
        "the right key, and `.` after it.",
    );
    told(
        |labels| (".".to_owned() + &labels.join(".") + ".").into_bytes(),
        "the right key, and `.` in front of it.",
    );
    told(
        |labels| (labels.join("..") + ".").into_bytes(),
        "Only the dots are not as they should be.",
    );
    told(
        |mut labels| {
            labels.sort_unstable();
            (labels.join(".") + ".").into_bytes()
        },
        "Of key(\"a.www.example.com\"): the right labels in another order: a, com, example, www.",
    );
    told(
        |labels| (labels[..labels.len().min(3)].join(".") + ".").into_bytes(),
        "Of key(\"a.www.example.com\"): the label `a` is missing.",
    );
    let letters = |host: &str| {
        // The labels stay in their places.
        let turned = host
            .split('.')
            .map(|label| label.chars().rev().chain(['.']));
        turned.flatten().collect::<String>().into_bytes()
    };
    let says = "the letters of each label are turned round too.";
    observed(&hosts(letters, hosts_of), "bytes", &[says]);
    let hyphens = |host: &str| {
        let labels = host.rsplit(['.', '-']).map(|label| format!("{label}."));
        labels.collect::<String>().into_bytes()
    };
    let says = "Of key(\"example-shop.com\"): `shop` is none of the labels.";
    observed(&hosts(hyphens, hosts_of), "bytes", &[says]);
    told(
        |mut labels| {
            labels.dedup();
            (labels.join(".") + ".").into_bytes()
        },
        "the right labels, and not as often as in the host: arpa, ip6,",
    );

    // Hosts that do not belong into the list, and hosts that are missing.
    let found = |keep: fn(&str, &str) -> bool, says: &str| {
        let walk = move |rows: &Rows, domain: &str| -> Vec<String> {
            let all = rows.iter().map(|row| {
                let text = str::from_utf8(row).unwrap().trim_end_matches('.');
                text.rsplit('.').collect::<Vec<_>>().join(".")
            });
            all.filter(|host| keep(host, domain)).collect()
        };
        observed(&hosts(key, walk), "domain", &[says]);
    };
    found(
        |host, domain| host.rsplit('.').next() == domain.rsplit('.').next(),
        "`example.com` is in your list, and lies above `www.example.com`, not below.",
    );
    found(
        |host, domain| host.contains(&format!(".{domain}")) || host == domain,
        "`mail.example.com` is in your list, and holds the letters of `example.co`, and does not end in them.",
    );
    found(
        |host, domain| host.ends_with(&format!(".{domain}")) && host.split('.').count() == 3,
        "`example.com` itself is missing. It is there, so it belongs into the list.",
    );
    found(
        |host, domain| {
            let below = host.ends_with(&format!(".{domain}")) || host == domain;
            below && host.split('.').count() < 4
        },
        "`a.www.example.com` is missing. It lies 2 labels below `example.com`.",
    );
    let changed = |change: fn(&str, &str) -> String, says: &str| {
        let walk = move |rows: &Rows, domain: &str| -> Vec<String> {
            let whole = hosts_of(rows, domain);
            whole.iter().map(|host| change(host, domain)).collect()
        };
        observed(&hosts(key, walk), "domain", &[says]);
    };
    changed(
        |host, domain| host.replace(domain, ""),
        "An empty text is in your list.",
    );
    changed(
        |host, _| host.replace(".com", ""),
        "`example` is in your list, and is none of the hosts as people write them.",
    );
}

/// `range` as it stands, which looks at its bounds only where the set holds something.
#[test]
fn natural_windows_that_panic_are_named() {
    let key = solutions::newest_first::key;
    let ranged = |rows: &Rows, start: Vec<u8>, end: Bound<Vec<u8>>, limit| {
        let found = rows.range((Included(start), end)).take(limit);
        found.map(|row| row[8..].to_vec()).collect::<Vec<_>>()
    };
    let below = move |time| key(time).to_vec();
    named(
        &feed(key, move |rows, from, to, limit| {
            let end = from
                .checked_sub(1)
                .map_or(Unbounded, |t| Excluded(below(t)));
            ranged(rows, below(to - 1), end, limit)
        }),
        "crossed_and_empty_unguarded",
    );
    named(
        &feed(key, move |rows, from, to, limit| {
            ranged(rows, below(to - 1), Excluded(below(from - 1)), limit)
        }),
        "crossed_empty_and_zero_unguarded",
    );
    named(
        &feed(key, move |rows, from, to, limit| {
            if from >= to {
                return Vec::new();
            }
            ranged(rows, below(from), Excluded(below(to)), limit)
        }),
        "bounds_not_exchanged",
    );
    let exchanged =
        move |rows: &Rows, from, to, limit| ranged(rows, below(to), Excluded(below(from)), limit);
    named(
        &feed(key, exchanged),
        "exchanged_and_nothing_else+crossed_bounds_panic",
    );
}

#[test]
fn a_bound_without_its_carry_is_named() {
    use solutions::newest_first::key;
    let raised = |time: u64| {
        let mut key = key(time).to_vec();
        key[7] = key[7].wrapping_add(1);
        key
    };
    let both = move |rows: &Rows, from: u64, to: u64, limit: usize| {
        if from < to {
            names(rows, raised(to), raised(from), limit)
        } else {
            Vec::new()
        }
    };
    let end = move |rows: &Rows, from: u64, to: u64, limit: usize| {
        if from < to {
            names(rows, key(to - 1).to_vec(), raised(from), limit)
        } else {
            Vec::new()
        }
    };
    named(&feed(key, both), "last_byte_raised_without_carry");
    named(&feed(key, end), "last_byte_raised_without_carry");
}

#[test]
fn digits_are_labels_like_any_other() {
    let addresses_as_they_are = |host: &str| {
        if host.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
            format!("{host}.").into_bytes()
        } else {
            solutions::reversed_domain::key(host)
        }
    };
    let verdict = hosts(addresses_as_they_are, solutions::reversed_domain::hosts_of);
    observed(&verdict, "bytes", &["key(\"10.0.0.1\")"]);
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
fn of_two_mistakes_nothing_is_called_right() {
    use solutions::{newest_first, padded_time, reversed_domain};
    pairs_call_nothing_right(&crate::padded_time::exercise_of(
        crate::padded_time::padded(padded_time::encode, padded_time::decode),
    ));
    let feed = Feed::new(newest_first::key, newest_first::newest);
    pairs_call_nothing_right(&crate::newest_first::exercise_of(feed));
    let key = solutions::descending_field::key;
    pairs_call_nothing_right(&descending_field::exercise_of(Arc::new(key)));
    let hosts = crate::reversed_domain::Hosts::new(reversed_domain::key, reversed_domain::hosts_of);
    pairs_call_nothing_right(&crate::reversed_domain::exercise_of(hosts));
}

/// The last bits of a number.
fn cut(bits: u32) -> impl Fn(u64) -> u64 + Copy {
    move |number| number & ((1 << bits) - 1)
}

#[test]
fn numbers_and_counts_that_are_cut() {
    use solutions::newest_first::{key, newest};
    use solutions::padded_time::{decode, encode};
    for bits in [8, 16] {
        let counted = move |key: &[u8]| {
            let is_long = cut(bits)(key.len() as u64) == 20;
            let digits = key.iter().all(u8::is_ascii_digit).then_some(key)?;
            let text = std::str::from_utf8(digits).ok().filter(|_| is_long)?;
            text.parse().ok()
        };
        observed(
            &padded(encode, counted),
            "round-trip",
            &["`encode` is right."],
        );
        assert_eq!(decode(&[b'0'; 276]), None);
    }
    let sorted_by = |by: fn(u64) -> i64| {
        feed(key, move |rows, from, to, limit| {
            let time = |row: &[u8]| !u64::from_be_bytes(*row.first_chunk().unwrap());
            let mut found: Vec<_> = rows.iter().map(|row| (time(row), &row[8..])).collect();
            found.retain(|(time, _)| (from..to).contains(time));
            found.sort_by_key(|&(time, name)| (std::cmp::Reverse(by(time)), name));
            found
                .iter()
                .take(limit)
                .map(|(_, name)| name.to_vec())
                .collect()
        })
    };
    let cuts: [fn(u64) -> i64; 5] = [
        |time| cut(16)(time).cast_signed(),
        |time| cut(32)(time).cast_signed(),
        |time| i64::from(time as i16),
        |time| i64::from(time as i32),
        |time| (time as f64) as i64,
    ];
    for by in cuts {
        observed(&sorted_by(by), "window", &["`key` is right."]);
    }
    for bits in [16, 32] {
        let no_end = move |rows: &Rows, from, to, limit| {
            let to = if cut(bits)(to) == 0 { 0 } else { to };
            newest(rows, from, to, limit)
        };
        observed(&feed(key, no_end), "window", &["`key` is right."]);
    }
    let no_limit = |rows: &Rows, from, to, limit: usize| {
        let limit = if limit as u16 == 0 { 0 } else { limit };
        newest(rows, from, to, limit)
    };
    observed(&feed(key, no_limit), "window", &["`key` is right."]);
}

#[test]
fn bytes_and_labels_that_are_seldom_met() {
    // 02 is not escaped, and stands for a zero byte.
    let escaped = |user: &str, time: u64, title: &str| {
        let mut key = Vec::new();
        for byte in user.bytes() {
            key.extend(if byte < 2 {
                vec![2, byte + 1]
            } else {
                vec![byte]
            });
        }
        key.push(0);
        key.extend((!time).to_be_bytes());
        key.extend(inverted(&ended(title)));
        key
    };
    observed(&field(escaped), "order", &[]);
    // Cut to 16 bits, and not to the 32 of a known mistake.
    let time_cut = |user: &str, time: u64, title: &str| {
        solutions::descending_field::key(user, cut(16)(time), title)
    };
    observed(&field(time_cut), "order", &[]);
    let labels_in_a_byte = |rows: &Rows, domain: &str| {
        let depth = |host: &str| host.split('.').count();
        let mut hosts = solutions::reversed_domain::hosts_of(rows, domain);
        hosts.retain(|host| usize::from(depth(host) as u8) >= depth(domain));
        hosts
    };
    observed(
        &hosts(solutions::reversed_domain::key, labels_in_a_byte),
        "domain",
        &[],
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

#[test]
fn every_bit_of_a_large_time_counts() {
    use solutions::newest_first::{key, newest};
    // Some bits, for many answers are asked much. `bit_by_bit` has them all.
    let large = 1 << 40;
    every_bit_counts((0..64).step_by(7), large, |astray| {
        descending_field::exercise_of(Arc::new(move |user, time, title| {
            solutions::descending_field::key(user, astray.of(time), title)
        }))
    });
    every_bit_counts((0..64).step_by(7), large, |astray| {
        newest_first::exercise_of(Feed::new(move |time| key(astray.of(time)), newest))
    });
    every_bit_counts((0..64).step_by(7), large, |astray| {
        newest_first::exercise_of(Feed::new(key, move |rows, from, to, limit| {
            newest(rows, astray.of(from), to, limit)
        }))
    });
    every_bit_counts((0..64).step_by(7), large, |astray| {
        newest_first::exercise_of(Feed::new(key, move |rows, from, to, limit| {
            newest(rows, from, astray.of(to), limit)
        }))
    });
    every_bit_counts((0..64).step_by(7), large, |astray| {
        newest_first::exercise_of(Feed::new(key, move |rows, from, to, limit| {
            newest(rows, astray.of(from), astray.of(to), limit)
        }))
    });
    every_bit_counts((0..64).step_by(7), large, |astray| {
        newest_first::exercise_of(Feed::new(key, move |rows, from, to, limit| {
            let time = |row: &Vec<u8>| u64::MAX - u64::from_be_bytes(row[..8].try_into().unwrap());
            let inside = |row: &&Vec<u8>| (from..to).contains(&astray.of(time(row)));
            let found = rows.iter().filter(inside).take(limit);
            found.map(|row| row[8..].to_vec()).collect()
        }))
    });
    use solutions::padded_time::{decode, encode};
    every_bit_counts((0..64).step_by(7), large, |astray| {
        padded_time::exercise_of(padded_time::padded(
            move |time| encode(astray.of(time)),
            decode,
        ))
    });
    every_bit_counts((0..64).step_by(7), large, |astray| {
        padded_time::exercise_of(padded_time::padded(encode, move |key| {
            Some(astray.of(decode(key)?))
        }))
    });
}

#[test]
fn what_a_cut_bound_does_is_not_said_of_another_width() {
    use solutions::newest_first::{key, newest};
    let cut_to = |bits: u32| {
        feed(key, move |rows, from, to, limit| {
            newest(rows, cut(bits)(from), cut(bits)(to), limit)
        })
    };
    named(&cut_to(32), "bounds_cut_to_32_bits");
    let sixteen = cut_to(16);
    observed(&sixteen, "window", &["must be"]);
    assert!(!sixteen.message.contains("u32"), "16 bits are not 32");
}

#[test]
fn names_of_the_least_time_may_be_bytes_ff() {
    use solutions::newest_first::key;
    for ff in [9, 10, 32, 1000] {
        let verdict = feed(key, move |rows, from, to, limit| {
            let end = from
                .checked_sub(1)
                .map_or(vec![0xff; ff], |before| key(before).to_vec());
            let start = to
                .checked_sub(1)
                .map_or(end.clone(), |last| key(last).to_vec());
            names(rows, start, end, limit)
        });
        named(&verdict, "time_zero_ends_at_bytes_ff");
    }
}

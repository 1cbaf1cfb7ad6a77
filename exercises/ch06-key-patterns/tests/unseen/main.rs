//! Wrong and right answers that no gallery holds: what is said of them must be true.

#[path = "../../checks/descending_field.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod descending_field;
#[path = "../../mistakes/mod.rs"]
#[expect(unreachable_pub, reason = "mistakes look like solutions")]
mod mistakes;
#[path = "../../checks/newest_first.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod newest_first;
#[path = "../../checks/padded_time.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod padded_time;
#[path = "../../checks/reversed_domain.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod reversed_domain;
#[path = "../../solutions/mod.rs"]
#[expect(unreachable_pub, reason = "solutions look like the library's files")]
mod solutions;
#[path = "../../stubs/mod.rs"]
#[expect(unreachable_pub, reason = "stubs are copies of the library's files")]
mod stubs;
#[path = "../../checks/test_newest.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod test_newest;

mod digits;
mod domains;
mod feeds;
mod fields;
mod testing;

use std::ops::Bound::{Excluded, Included, Unbounded};
use std::sync::Arc;

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

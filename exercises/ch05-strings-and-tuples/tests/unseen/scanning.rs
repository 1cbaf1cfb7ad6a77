//! What is said of `successor` and the two queries.

use std::sync::Arc;

use kit::State;
use kit::unseen::{judged, named, observed};

use crate::tuple_prefix_scan::{Rows, Scans};
use crate::{escaped, scan, solutions, tuple_prefix_scan};

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
    let first_number_last = move |rows: &Rows, start: &str| {
        let mut found = solutions::tuple_prefix_scan::orders_starting(rows, start);
        let places = usize::from(!found.is_empty());
        found.rotate_left(places);
        found
    };
    observed(
        &scan(Scans {
            orders_starting: Arc::new(first_number_last),
            ..right()
        }),
        "beginning",
        &[
            "must be [1, 2], but it is [2, 1]",
            "`successor` and `orders_of` are right.",
        ],
    );
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
    named(&scan(&in_a_set), "collected_into_a_set");
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

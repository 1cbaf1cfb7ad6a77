//! What is said of windows, the newest first.

use std::ops::Bound;
use std::ops::Bound::{Excluded, Included, Unbounded};

use kit::unseen::{named, observed};

use crate::newest_first::Rows;
use crate::{cut, feed, names, solutions};

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

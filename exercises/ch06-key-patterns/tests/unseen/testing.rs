//! What is said of tests.

use kit::unseen::{judged, named, observed};

use crate::test_newest;

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

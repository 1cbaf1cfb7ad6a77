//! Tests of an index that are too weak, or too strict.

use std::cmp::Reverse;

use kit::{Mistake, Tester};

use crate::test_newest::{Ask, Event, Newest, tester};

const TASK: &str = "test-newest";
const WINDOW: &str = "a-window-turns-round";
const RULES: &str = "invariants";
const PREDICT: &str = "predict";

fn weak(
    name: &'static str,
    check: &'static str,
    test: impl Fn(Ask<'_>) + Send + Sync + 'static,
) -> Mistake<Tester<Newest>> {
    Mistake::new(name, "test", check, tester(test)).link(TASK)
}

const TIMES: [u64; 17] = [
    0,
    1,
    2,
    255,
    256,
    u32::MAX as u64,
    1 << 32,
    9_999_999_999,
    10_000_000_000,
    8_999_999_999_999,
    9_000_000_000_000,
    1 << 53,
    (1 << 53) + 1,
    i64::MAX as u64,
    1 << 63,
    u64::MAX - 1,
    u64::MAX,
];
/// Beginnings of names, the last in order first.
const NAMES: [&[u8]; 3] = [b"\xff\x00", b"b", b"a"];
const LIMITS: [usize; 3] = [1000, 4, 0];

/// Events at these times, with names that begin like this and end in a number of their time. The last name of the first
/// time is empty.
fn named(times: &[u64], names: &[&[u8]]) -> Vec<(u64, Vec<u8>)> {
    let mut events = never_empty(times, names);
    events[names.len() - 1].1.clear();
    events
}

/// The same, and no name is empty.
fn never_empty(times: &[u64], names: &[&[u8]]) -> Vec<(u64, Vec<u8>)> {
    let mut events = Vec::new();
    for (number, time) in (0_u8..).zip(times) {
        events.extend(
            names
                .iter()
                .map(|name| (*time, [name, &[number][..]].concat())),
        );
    }
    events
}

fn lent(named: &[(u64, Vec<u8>)]) -> Vec<Event<'_>> {
    named
        .iter()
        .map(|(time, name)| (*time, &name[..]))
        .collect()
}

/// Every time with every kind of name.
fn rich() -> Vec<(u64, Vec<u8>)> {
    named(&TIMES, &NAMES)
}

fn right(events: &[Event<'_>], from: u64, to: u64, limit: usize) -> Vec<Vec<u8>> {
    let mut rows = events.to_vec();
    rows.sort_by_key(|(time, name)| (Reverse(*time), *name));
    let inside = rows
        .into_iter()
        .filter(|(time, _)| (from..to).contains(time));
    inside.take(limit).map(|(_, name)| name.to_vec()).collect()
}

/// All windows between these bounds, with these limits.
fn compare(ask: Ask<'_>, events: &[Event<'_>], bounds: &[u64], limits: &[usize]) {
    for &from in bounds {
        for &to in bounds {
            for &limit in limits {
                assert_eq!(ask(events, from, to, limit), right(events, from, to, limit));
            }
        }
    }
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Tester<Newest>>> {
    let mut mistakes = too_strict();
    mistakes.extend(rules_forgotten());
    mistakes.extend(edges_forgotten());
    mistakes.extend(times_forgotten());
    mistakes
}

/// They refuse a right answer.
fn too_strict() -> Vec<Mistake<Tester<Newest>>> {
    vec![
        weak("to_demanded", "accepts-right", |ask| {
            let five: [Event<'_>; 3] = [(10, b"a"), (20, b"b"), (30, b"c")];
            assert_eq!(ask(&five, 10, 30, 9), [b"c", b"b", b"a"]);
        })
        .says("a test that demands the events at `to`")
        .why(
            "The window is `[from, to)`: an event at `to` belongs to the next one. Such a test asks for the very \
             fault that it should find.",
        )
        .link(RULES),
        weak("oldest_first_demanded", "accepts-right", |ask| {
            let two: [Event<'_>; 2] = [(10, b"a"), (20, b"b")];
            assert_eq!(ask(&two, 10, 30, 9), [b"a", b"b"]);
        })
        .says("a test that demands the oldest first")
        .why("Rule 2 says the newest first.")
        .link(TASK),
        weak("duplicates_merged", "accepts-right", |ask| {
            compare(ask, &lent(&rich()), &TIMES, &LIMITS);
            assert_eq!(ask(&[(20, b"a"), (20, b"a")], 10, 30, 9), [b"a"]);
        })
        .or(tester(|ask| {
            compare(ask, &lent(&rich()), &TIMES, &LIMITS);
            assert_eq!(ask(&[(20, b"a"), (20, b"a")], 10, 30, 9), [b"a", b"a"]);
        }))
        .says("a test that demands one answer for an event that is given twice")
        .why(
            "An index has one row for each key, a list may hold an event twice, and the task lays down neither. \
             A test may only ask for what was promised.",
        )
        .link(TASK),
        weak("refuses_everything", "accepts-right", |ask| {
            assert_eq!(ask(&[(20, b"a"), (30, b"b")], 10, 40, 1), [b"a"]);
            assert_eq!(ask(&[(20, b"a"), (30, b"b")], 10, 40, 9), [b"a"]);
        })
        .says("a test that refuses every feed")
        .why(
            "Feeds that keep the three rules fail it too, so what failed above is none of them. A common reason: the answer is worked out in the \
             test, with an edge of the window on the wrong side, in the wrong order, or cut before it is sorted.",
        )
        .link(RULES),
        weak("names_demanded_backwards", "accepts-right", |ask| {
            let two: [Event<'_>; 2] = [(20, b"b"), (20, b"c")];
            assert_eq!(ask(&two, 10, 30, 9), [b"c", b"b"]);
        })
        .says("a test that demands the names of one time backwards")
        .why("Only the times run backwards. Names of one time come in the order of their bytes, as rule 2 says.")
        .link(TASK),
    ]
}

/// They forget a rule, or a part of one.
fn rules_forgotten() -> Vec<Mistake<Tester<Newest>>> {
    vec![
        weak("accepts_everything", "kills", |ask| {
            for from in TIMES {
                for to in TIMES {
                    // Somebody meant to look at the answers.
                    let _ = ask(&lent(&rich()), from, to, 9);
                }
            }
        })
        .says("a test that accepts everything except a panic")
        .why(
            "Such a test compares nothing by `assert!`, or keeps what an `assert!` raises from its caller, or tries only what comes out right from a wrong feed too. A test that has \
             never failed proves nothing.",
        ),
        weak("one_example", "kills", |ask| {
            let three: [Event<'_>; 3] = [(10, b"a"), (20, b"b"), (30, b"c")];
            assert_eq!(ask(&three, 5, 35, 9), [b"c", b"b", b"a"]);
        })
        .says("a test of one window with three events in its middle")
        .why(
            "That is a demonstration. No event is at a bound, none shares its time, and the limit is never reached: \
             all that usually goes wrong stays outside.",
        )
        .link(PREDICT),
        weak("nothing_extra", "kills", |ask| {
            let named = rich();
            let events = lent(&named);
            for from in TIMES {
                for to in TIMES {
                    for limit in LIMITS {
                        let found = ask(&events, from, to, limit);
                        let wanted = right(&events, from, to, limit);
                        assert!(found.len() <= wanted.len());
                    }
                }
            }
        })
        .says("a test that there are not too many names")
        .why("Such a test is content with an empty answer. What is missing has to be asked for too."),
        weak("nothing_missing", "kills", |ask| {
            let named = rich();
            let events = lent(&named);
            for from in TIMES {
                for to in TIMES {
                    for limit in LIMITS {
                        let found = ask(&events, from, to, limit);
                        let wanted = right(&events, from, to, limit);
                        assert!(found.len() >= wanted.len());
                    }
                }
            }
        })
        .says("a test that there are enough names")
        .why("Such a test is content with everything that the store has. What should be out has to be asked for too."),
        weak("counted_only", "kills", |ask| {
            let named = rich();
            let events = lent(&named);
            for from in TIMES {
                for to in TIMES {
                    for limit in LIMITS {
                        let found = ask(&events, from, to, limit);
                        assert_eq!(found.len(), right(&events, from, to, limit).len());
                    }
                }
            }
        })
        .says("a test of how many names there are")
        .why(
            "The window that has changed places and nothing else has as many events as the right one, if as many \
             are at `from` as at `to`. And the order is not looked at.",
        )
        .link(WINDOW),
        weak("order_ignored", "kills", |ask| {
            let named = rich();
            let events = lent(&named);
            for from in TIMES {
                for to in TIMES {
                    let mut found = ask(&events, from, to, 1000);
                    let mut wanted = right(&events, from, to, 1000);
                    found.sort();
                    wanted.sort();
                    assert_eq!(found, wanted);
                }
            }
        })
        .says("a test that sorts the names before it compares them")
        .why("The order is rule 2. And without an order, a limit says nothing.")
        .link(TASK),
        weak("no_limit", "kills", |ask| {
            compare(ask, &lent(&rich()), &TIMES, &[1000]);
        })
        .says("a test that never reaches the limit")
        .why(
            "Rule 3 is forgotten. With a limit it matters where the walk begins: an index that collects the oldest \
             looks right without one.",
        )
        .link(TASK),
        weak("no_limit_of_zero", "kills", |ask| {
            compare(ask, &lent(&rich()), &TIMES, &[1000, 6]);
        })
        .says("a test without the limit 0")
        .why("0 is a number of names like any other, and the one that people give a second meaning.")
        .link(TASK),
    ]
}

/// They stay away from the edges.
fn edges_forgotten() -> Vec<Mistake<Tester<Newest>>> {
    /// Between any two times of the events.
    const BETWEEN: [u64; 5] = [5, 300, 5_000_000_000, 9_500_000_000_000, 1 << 62];
    vec![
        weak("no_event_at_a_bound", "kills", |ask| {
            compare(ask, &lent(&rich()), &BETWEEN, &LIMITS);
        })
        .says("a test whose bounds all lie between the events")
        .why(
            "Which end of a window is included shows only where an event is at it. Use the times of the \
             events as bounds.",
        )
        .link(WINDOW),
        weak("proper_windows_only", "kills", |ask| {
            let named = rich();
            let events = lent(&named);
            for from in TIMES {
                for to in TIMES.into_iter().filter(|to| from < *to) {
                    for limit in LIMITS {
                        assert_eq!(ask(&events, from, to, limit), right(&events, from, to, limit));
                    }
                }
            }
        })
        .says("a test of windows that start before they end")
        .why("Rule 1 says what the others hold: nothing. Somebody will ask for them.")
        .link(TASK),
        weak("no_time_twice", "kills", |ask| {
            let mut alone = named(&TIMES, &[b"\xff\x00"]);
            alone.reverse();
            compare(ask, &lent(&alone), &TIMES, &LIMITS);
        })
        .says("a test in which no two events share a time")
        .why(
            "Then the names never decide, and an index whose key is the time alone loses nothing. Two events in \
             one millisecond are common.",
        )
        .link(WINDOW),
        weak("same_names_everywhere", "kills", |ask| {
            let mut events: Vec<Event<'_>> = Vec::new();
            for time in TIMES {
                events.extend([NAMES[0], NAMES[1], NAMES[2], b""].map(|name| (time, name)));
            }
            compare(ask, &events, &TIMES, &LIMITS);
        })
        .says("a test in which every time has the same names")
        .why(
            "A window that takes `to` for `from` then holds the right names of the wrong events. Let a name tell \
             where it is.",
        )
        .link(WINDOW),
        weak("names_given_in_order", "kills", |ask| {
            let mut sorted = rich();
            sorted.sort_unstable();
            compare(ask, &lent(&sorted), &TIMES, &LIMITS);
        })
        .says("a test that gives the names of each time in order")
        .why("What is given in order comes back in order, even if nobody sorts it. Give the last name of a time first.")
        .link(TASK),
        weak("plain_names", "kills", |ask| {
            compare(ask, &lent(&never_empty(&TIMES, &[b"b", b"a"])), &TIMES, &LIMITS);
        })
        .says("a test whose names are all text, and none of them empty")
        .why(
            "Names are bytes. A bound that is made by adding one ff is right for all text and misses the name \
             `\\xff\\x00`. And a name may be empty.",
        )
        .link(WINDOW),
        weak("text_alone", "kills", |ask| {
            compare(ask, &lent(&named(&TIMES, &[b"b", b"a"])), &TIMES, &LIMITS);
        })
        .says("a test whose names are all text")
        .why("Names are bytes. A bound that is made by adding one ff is right for all text and misses the name `\\xff\\x00`.")
        .link(WINDOW),
        weak("no_empty_name", "kills", |ask| {
            compare(ask, &lent(&never_empty(&TIMES, &NAMES)), &TIMES, &LIMITS);
        })
        .says("a test without an empty name")
        .why(
            "The row of an event with an empty name ends after its time. It is an event like any other, and code that \
             asks whether anything is left loses it.",
        )
        .link(TASK),
    ]
}

/// They try too few times.
fn times_forgotten() -> Vec<Mistake<Tester<Newest>>> {
    fn on(times: &'static [u64]) -> impl Fn(Ask<'_>) + Send + Sync + 'static {
        move |ask| compare(ask, &lent(&named(times, &NAMES)), times, &LIMITS)
    }
    vec![
        weak("times_below_100", "kills", on(&[0, 1, 2, 10, 20, 30, 40]))
            .says("a test of times below 100")
            .why(
                "They fit into one byte, and into every type and text. Keys go wrong where a second byte, a digit or \
                 the sign bit comes in.",
            )
            .link(RULES),
        weak(
            "times_of_today",
            "kills",
            on(&[
                1_571_819_021_259,
                1_571_819_021_260,
                1_571_819_081_259,
                1_571_905_421_259,
            ]),
        )
        .says("a test of times within a day")
        .why(
            "All times of today have as many digits and the same upper bytes. TinaCMS was right for all of them, and \
             wrong for 2001.",
        )
        .link("a-scan-goes-wrong"),
        weak("no_time_zero", "kills", on(&TIMES[1..]))
            .says("a test without an event at time 0")
            .why(
                "Nothing comes before 0, so its rows end where the store ends. It is the one time that has no time \
                 before it.",
            )
            .link(WINDOW),
        weak("no_greatest_time", "kills", on(&TIMES[..16]))
            .says("a test without `u64::MAX`")
            .why(
                "Its window ends before `to`, also where `to` is the greatest time of all. A feed that takes `u64::MAX` for \
                 \"no end\" gives an event too many there, and only an event at `u64::MAX` shows it.",
            )
            .link(RULES),
        weak("signed_times_only", "kills", on(&TIMES[..14]))
            .says("a test of times up to `i64::MAX`")
            .why("A `u64` goes on for as much again, and there `i64::MAX - time` overflows.")
            .link("the-newest-first"),
        weak(
            "no_large_neighbours",
            "kills",
            on(&[0, 1, 2, 256, 1 << 16, 1 << 32, 1 << 53, 1 << 63]),
        )
        .says("a test without neighbours among large times")
        .why(
            "Powers of two, for one, are far apart, and exact in every double. What goes wrong between neighbours, or between \
             ten digits and eleven, does not show. Take one off each, and add one.",
        )
        .link(RULES),
    ]
}

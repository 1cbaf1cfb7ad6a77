//! Tests of a feed, the newest first, tried on right feeds and on wrong ones.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use kit::tester::watch;
use kit::{Answer, Candidates, Cast, Exercise, Judged, Tester, Wrong};

use crate::{mistakes, solutions, stubs};
use ch06_key_patterns::test_newest as learner;

/// An event: its time and its name.
pub(crate) type Event<'a> = (u64, &'a [u8]);
type Names = Vec<Vec<u8>>;
/// Somebody's index, filled with events and asked once.
pub(crate) type Newest = fn(&[Event<'_>], u64, u64, usize) -> Names;
/// What a test gets.
pub(crate) type Ask<'a> = &'a dyn Fn(&[Event<'_>], u64, u64, usize) -> Names;

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(tester(learner::test)))
}

/// A function of the learner's type, as a tester.
pub(crate) fn tester(test: impl Fn(Ask<'_>) + Send + Sync + 'static) -> Tester<Newest> {
    Tester::new(move |newest: &Newest| {
        let ask = |events: &[Event<'_>], from: u64, to: u64, limit: usize| {
            let shown = shown_events(events);
            let call = move || format!("newest({shown}, {from}, {to}, {limit})");
            watch(call, || newest(events, from, to, limit), show_names)
        };
        test(&ask);
    })
}

/// Some events are shown, of many only the number.
fn shown_events(events: &[Event<'_>]) -> String {
    if events.len() > 6 {
        return format!("&[{} events]", events.len());
    }
    let event = |(time, name): &Event<'_>| format!("({time}, {})", quoted(name));
    let shown: Vec<String> = events.iter().map(event).collect();
    format!("&[{}]", shown.join(", "))
}

fn show_names(names: &Names) -> Answer {
    let shown: Vec<String> = names.iter().take(8).map(|name| quoted(name)).collect();
    let more = if names.len() > 8 { ", ..." } else { "" };
    Answer::text(format!("[{}{more}]", shown.join(", ")))
}

fn quoted(name: &[u8]) -> String {
    format!("b\"{}\"", name.escape_ascii())
}

/// The exercise with anybody's test in the learner's place.
pub(crate) fn exercise_of(learner: Tester<Newest>) -> Exercise<Tester<Newest>> {
    let cast = Cast {
        learner,
        stub: tester(stubs::test_newest::test),
        solution: tester(solutions::test_newest::test),
    };
    Exercise::new("test-newest", "06-key-patterns", cast)
        .tester("test", |test| test, candidates())
        .mistakes(mistakes::test_newest::all())
}

fn candidates() -> Candidates<Newest> {
    let mut all = Candidates::<Newest>::new("feed")
        .right(
            "inverted_keys",
            "Its keys are `u64::MAX - time` and the name. A window starts after the rows of `to` and ends after \
             those of `from`.",
            |events, from, to, limit| keyed(events, from, to, limit, inverted),
        )
        .right(
            "ascending_and_walked_backwards",
            "Its keys ascend. It walks from the last time before `to` down to `from`, and through the names of each time \
             upwards.",
            |events, from, to, limit| {
                let mut times: BTreeMap<u64, BTreeSet<&[u8]>> = BTreeMap::new();
                for &(time, name) in events {
                    times.entry(time).or_default().insert(name);
                }
                let inside = times.into_iter().rev().filter(|(time, _)| (from..to).contains(time));
                let names = inside.flat_map(|(_, names)| names);
                names.take(limit).map(<[u8]>::to_vec).collect()
            },
        )
        .right(
            "a_list_that_is_sorted",
            "It keeps a list and sorts it. An event that is given twice is in it twice.",
            |events, from, to, limit| {
                let inside = |time: u64| (from..to).contains(&time);
                in_window(events, limit, inside)
            },
        );
    let wrong = wrong_windows()
        .into_iter()
        .chain(wrong_answers())
        .chain(wrong_keys());
    for wrong in wrong {
        all = all.wrong(wrong);
    }
    all
}

fn inverted(time: u64) -> Vec<u8> {
    (u64::MAX - time).to_be_bytes().to_vec()
}

/// An index with this key in front of the name, and bounds that are right for any key that runs backwards.
fn keyed(events: &[Event<'_>], from: u64, to: u64, limit: usize, key: fn(u64) -> Vec<u8>) -> Names {
    if from >= to {
        return Vec::new();
    }
    let rows = events.iter().map(|&(time, name)| (key(time), name));
    let rows: BTreeSet<(Vec<u8>, &[u8])> = rows.collect();
    let (to, from) = (key(to), key(from));
    let inside = rows
        .into_iter()
        .filter(|(key, _)| *key > to && *key <= from);
    inside.take(limit).map(|(_, name)| name.to_vec()).collect()
}

/// All events, the newest first.
fn sorted<'a>(events: &[Event<'a>]) -> Vec<Event<'a>> {
    let mut sorted = events.to_vec();
    sorted.sort_by_key(|(time, name)| (Reverse(*time), *name));
    sorted
}

fn in_window(events: &[Event<'_>], limit: usize, inside: impl Fn(u64) -> bool) -> Names {
    let rows = sorted(events).into_iter().filter(|(time, _)| inside(*time));
    rows.take(limit).map(|(_, name)| name.to_vec()).collect()
}

/// The events that the witnesses ask about.
const FIVE: [Event<'static>; 5] = [(10, b"a"), (20, b"b"), (20, b"c"), (30, b"d"), (40, b"e")];

fn answers(
    newest: &Newest,
    events: &[Event<'_>],
    window: (u64, u64, usize),
    right: &[&[u8]],
) -> bool {
    let (from, to, limit) = window;
    newest(events, from, to, limit) == right
}

/// Which events are in.
fn wrong_windows() -> Vec<Wrong<Newest>> {
    let wrong = |name, newest: Newest| Wrong::new(name, newest);
    vec![
        wrong("nothing_found", |_, _, _, _| Vec::new())
            .says("Its range goes from the key of `from` to the key of `to`, which lies in front, so it is empty.")
            .shows("in every window with an event", |newest| {
                answers(newest, &FIVE, (10, 50, 9), &[b"e", b"d", b"b", b"c", b"a"])
            }),
        wrong("exchanged_and_nothing_else", |events, from, to, limit| {
            in_window(events, limit, |time| from < time && time <= to)
        })
        .says("Its bounds have changed places, and which one is included has not.")
        .shows("where an event is at `from` or at `to`", |newest| {
            answers(newest, &FIVE, (20, 40, 9), &[b"d", b"b", b"c"])
        }),
        wrong("to_taken", |events, from, to, limit| {
            in_window(events, limit, |time| from <= time && time <= to)
        })
        .says("It takes the events at `to` too.")
        .shows("where an event is at `to`", |newest| {
            answers(newest, &FIVE, (15, 30, 9), &[b"b", b"c"])
        }),
        wrong("from_left_out", |events, from, to, limit| {
            in_window(events, limit, |time| from < time && time < to)
        })
        .says("It leaves out the events at `from`.")
        .shows("where an event is at `from`", |newest| {
            answers(newest, &FIVE, (20, 35, 9), &[b"d", b"b", b"c"])
        }),
        wrong("from_itself_to_itself", |events, from, to, limit| {
            in_window(events, limit, |time| {
                (from..to).contains(&time) || from == to && time == to
            })
        })
        .says("It takes the events at `from` when `from` and `to` are equal.")
        .shows("in a window from a time to itself", |newest| {
            answers(newest, &FIVE, (20, 20, 9), &[])
        }),
        wrong("crossed_bounds_swapped", |events, from, to, limit| {
            in_window(events, limit, |time| (from.min(to)..from.max(to)).contains(&time))
        })
        .says("It puts the bounds in order first.")
        .shows("where `from` is greater than `to`", |newest| {
            answers(newest, &FIVE, (40, 20, 9), &[])
        }),
        wrong("time_zero_missed", |events, from, to, limit| {
            in_window(events, limit, |time| (from..to).contains(&time) && time > 0)
        })
        .says("Its windows from 0 end at the key of 0 and not at the end of the store.")
        .shows("with an event at the earliest time of all", |newest| {
            answers(newest, &[(0, b"a")], (0, 10, 9), &[b"a"])
        }),
        wrong("greatest_time_is_no_end", |events, from, to, limit| {
            let open = from < to && to == u64::MAX;
            in_window(events, limit, |time| {
                (from..to).contains(&time) || open && time == to
            })
        })
        .says("It takes `u64::MAX` as `to` for a window without an end.")
        .shows("with an event at the greatest time of all", |newest| {
            answers(newest, &[(u64::MAX, b"a")], (10, u64::MAX, 9), &[])
        }),
        wrong("ends_at_one_ff", |events, from, to, limit| {
            let rows = sorted(events).into_iter().filter(|(time, name)| {
                (from..to).contains(time) && (*time > from || *name <= &b"\xff"[..])
            });
            rows.take(limit).map(|(_, name)| name.to_vec()).collect()
        })
        .says("Its windows end at the key of `from` and one byte ff.")
        .shows("with names of two bytes and more at `from`", |newest| {
            answers(newest, &[(20, b"\xff\x00")], (20, 30, 9), &[b"\xff\x00"])
        }),
    ]
}

/// The right events, given wrongly.
fn wrong_answers() -> Vec<Wrong<Newest>> {
    let wrong = |name, newest: Newest| Wrong::new(name, newest);
    vec![
        wrong("oldest_first", |events, from, to, limit| {
            let mut rows = sorted(events);
            rows.retain(|(time, _)| (from..to).contains(time));
            rows.truncate(limit);
            rows.sort_unstable();
            rows.into_iter().map(|(_, name)| name.to_vec()).collect()
        })
        .says("It gives the right events, the oldest first.")
        .shows("with two events in a window", |newest| {
            answers(newest, &FIVE, (30, 50, 9), &[b"e", b"d"])
        }),
        wrong("names_of_one_time_backwards", |events, from, to, limit| {
            let mut rows = sorted(events);
            rows.retain(|(time, _)| (from..to).contains(time));
            rows.sort_by(|a, b| b.cmp(a));
            rows.truncate(limit);
            rows.into_iter().map(|(_, name)| name.to_vec()).collect()
        })
        .says("It walks an ascending index backwards, so the names of one time run backwards too.")
        .shows("with two events at one time", |newest| {
            answers(newest, &FIVE, (20, 30, 9), &[b"b", b"c"])
        }),
        wrong("names_as_they_were_given", |events, from, to, limit| {
            let mut rows = events.to_vec();
            rows.retain(|(time, _)| (from..to).contains(time));
            rows.sort_by_key(|(time, _)| Reverse(*time));
            rows.truncate(limit);
            rows.into_iter().map(|(_, name)| name.to_vec()).collect()
        })
        .says("It sorts by time alone.")
        .shows(
            "with two events at one time that are given in another order",
            |newest| {
                answers(
                    newest,
                    &[(20, b"c"), (20, b"b")],
                    (20, 30, 9),
                    &[b"b", b"c"],
                )
            },
        ),
        wrong("one_event_a_time", |events, from, to, limit| {
            let times: BTreeMap<Reverse<u64>, &[u8]> = events
                .iter()
                .map(|&(time, name)| (Reverse(time), name))
                .collect();
            let inside = times
                .into_iter()
                .filter(|(time, _)| (from..to).contains(&time.0));
            inside.take(limit).map(|(_, name)| name.to_vec()).collect()
        })
        .says("Its key is the time alone, so a second event overwrites the first.")
        .shows("with two events at one time", |newest| {
            newest(&FIVE, 20, 30, 9).len() == 2
        }),
        wrong("empty_name_lost", |events, from, to, limit| {
            let mut named = events.to_vec();
            named.retain(|(_, name)| !name.is_empty());
            in_window(&named, limit, |time| (from..to).contains(&time))
        })
        .says("It takes a row that ends after its time for a row without an event.")
        .shows("with an event whose name is empty", |newest| {
            answers(newest, &[(20, b"")], (10, 30, 9), &[b""])
        }),
        wrong("limit_ignored", |events, from, to, _| {
            in_window(events, usize::MAX, |time| (from..to).contains(&time))
        })
        .says("It gives all events of the window.")
        .shows("where the window holds more than the limit", |newest| {
            answers(newest, &FIVE, (10, 50, 2), &[b"e", b"d"])
        }),
        wrong("limit_of_the_oldest", |events, from, to, limit| {
            let all = in_window(events, usize::MAX, |time| (from..to).contains(&time));
            all[all.len().saturating_sub(limit)..].to_vec()
        })
        .says("Where there are more than `limit`, it gives the oldest of them.")
        .shows("where the window holds more than the limit", |newest| {
            answers(newest, &FIVE, (10, 50, 1), &[b"e"])
        }),
        wrong("limit_before_the_window", |events, from, to, limit| {
            let first = sorted(events).into_iter().take(limit);
            let inside = first.filter(|(time, _)| (from..to).contains(time));
            inside.map(|(_, name)| name.to_vec()).collect()
        })
        .says("It looks at the first `limit` rows of the store, wherever the window is.")
        .shows("where newer events lie outside of the window", |newest| {
            answers(newest, &FIVE, (10, 20, 1), &[b"a"])
        }),
        wrong("limit_zero_is_no_limit", |events, from, to, limit| {
            let limit = if limit == 0 { usize::MAX } else { limit };
            in_window(events, limit, |time| (from..to).contains(&time))
        })
        .says("It takes a limit of 0 for no limit.")
        .shows("with the limit 0", |newest| {
            answers(newest, &FIVE, (10, 50, 0), &[])
        }),
    ]
}

/// Keys that do not run backwards everywhere.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "these are the mistakes"
)]
fn wrong_keys() -> Vec<Wrong<Newest>> {
    let wrong = |name, newest: Newest| Wrong::new(name, newest);
    vec![
        wrong("little_endian", |events, from, to, limit| {
            keyed(events, from, to, limit, |time| {
                (u64::MAX - time).to_le_bytes().to_vec()
            })
        })
        .says("Its keys are `u64::MAX - time` with the lowest byte first.")
        .shows(
            "between times that differ in more than one byte",
            |newest| {
                answers(
                    newest,
                    &[(255, b"a"), (256, b"b")],
                    (0, 1000, 9),
                    &[b"b", b"a"],
                )
            },
        ),
        wrong("cut_to_32_bits", |events, from, to, limit| {
            keyed(events, from, to, limit, |time| {
                (u32::MAX - time as u32).to_be_bytes().to_vec()
            })
        })
        .says("It keeps 32 bits of a time.")
        .shows("among times of more than 32 bits", |newest| {
            answers(
                newest,
                &[(1, b"a"), (1 << 32, b"b")],
                (1, 1 << 40, 9),
                &[b"b", b"a"],
            )
        }),
        wrong("units_mixed", |events, from, to, limit| {
            keyed(events, from, to, limit, |time| {
                let seconds = time < 10_000_000_000;
                inverted(if seconds { time * 1000 } else { time })
            })
        })
        .says("It takes a time of ten digits and fewer for seconds, and multiplies it by 1000.")
        .shows(
            "between times of ten digits and times of eleven",
            |newest| {
                let events: [Event<'_>; 2] = [(9_999_999_999, b"a"), (10_000_000_000, b"b")];
                answers(newest, &events, (1, 1 << 40, 9), &[b"b", b"a"])
            },
        ),
        wrong("thirteen_nines_as_text", |events, from, to, limit| {
            keyed(events, from, to, limit, |time| {
                let turned = 9_999_999_999_999_u64.saturating_sub(time);
                turned.to_string().into_bytes()
            })
        })
        .says("Its keys are `9999999999999 - time` as text without padding.")
        .shows("from nine million million on", |newest| {
            let events: [Event<'_>; 2] = [(8_999_999_999_999, b"a"), (9_000_000_000_000, b"b")];
            answers(
                newest,
                &events,
                (8_999_999_999_999, 9_000_000_000_001, 9),
                &[b"b", b"a"],
            )
        }),
        wrong("minus_from_i64_max", |events, from, to, limit| {
            keyed(events, from, to, limit, |time| {
                let turned = i64::MAX.cast_unsigned().wrapping_sub(time);
                turned.to_be_bytes().to_vec()
            })
        })
        .says("Its keys are `i64::MAX - time`, wrapping.")
        .shows("in the upper half of the type", |newest| {
            let events: [Event<'_>; 2] = [(1, b"a"), (1 << 63, b"b")];
            answers(newest, &events, (1, u64::MAX, 9), &[b"b", b"a"])
        }),
        wrong("through_a_double", |events, from, to, limit| {
            keyed(events, from, to, limit, |time| inverted(time as f64 as u64))
        })
        .says("It passes a time through a double, as JavaScript does.")
        .shows("between neighbours among large times", |newest| {
            let time = 1 << 53;
            let events: [Event<'_>; 2] = [(time, b"a"), (time + 1, b"b")];
            answers(newest, &events, (time, time + 2, 9), &[b"b", b"a"])
        }),
    ]
}

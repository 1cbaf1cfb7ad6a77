//! Windows over small sets of events, newest first: every pair of bounds, over every set.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use kit::answer::quoted;
use kit::values::{Value as _, bit_by_bit, ranks};
use kit::{Answer, Cast, Exercise, Judged, PartOf, Show as _, check};

use crate::{mistakes, solutions, stubs};
use ch06_key_patterns::newest_first as learner;

/// The store: keys of times, each with a name after it.
pub(crate) type Rows = BTreeSet<Vec<u8>>;

type Key = Arc<dyn Fn(u64) -> [u8; 8] + Send + Sync>;
type Newest = Arc<dyn Fn(&Rows, u64, u64, usize) -> Vec<Vec<u8>> + Send + Sync>;

/// Somebody's two functions.
#[derive(Clone)]
pub(crate) struct Feed {
    pub(crate) key: Key,
    pub(crate) newest: Newest,
}

impl Feed {
    pub(crate) fn new(
        key: impl Fn(u64) -> [u8; 8] + Send + Sync + 'static,
        newest: impl Fn(&Rows, u64, u64, usize) -> Vec<Vec<u8>> + Send + Sync + 'static,
    ) -> Self {
        Self {
            key: Arc::new(key),
            newest: Arc::new(newest),
        }
    }
}

/// An event: its time and its name.
type Event = (u64, &'static [u8]);

const MAX: u64 = u64::MAX;
const RACE: u64 = 1_571_819_021_259;

/// The events, the plainest stores first.
const STORES: [&[Event]; 7] = [
    &[(10, b"a"), (20, b"b"), (20, b"c"), (30, b"d"), (40, b"e")],
    &[(20, b""), (20, b"\x00"), (30, b"\xff"), (40, b"")],
    &[(0, b"a"), (0, b"b"), (1, b"c"), (2, b"d")],
    &[],
    &[
        (254, b"a"),
        (255, b"b"),
        (256, b"c"),
        (257, b"\xff\x00"),
        (257, &[0xff; 5000]),
    ],
    &[
        (1 << 32, b"z"),
        (RACE - 1, b"y"),
        (RACE, b"x"),
        (RACE, b"xx"),
        (RACE + 1, b"w"),
    ],
    &[(0, b""), (20, b"a"), (MAX - 1, b"b"), (MAX, b"c")],
];

/// The same at several times.
const TWICE: &[Event] = &[(10, b"a"), (20, b"a"), (30, b"b"), (40, b"b")];

/// At the least time, whose key is eight ff: a name that no number of bytes ff ends, and a short one of its kind.
const LEAST: &[Event] = &[(0, b"a"), (0, b"\xff"), (0, &[0xff; 5000]), (20, b"b")];

/// Cut to 16 or 32 bits, with a sign or without, their times are in another order, and as doubles the last two are one. Their
/// names go the other way.
const FAR: &[Event] = &[
    (5, b"g"),
    (1 << 15 | 4, b"f"),
    (1 << 16 | 3, b"e"),
    (1 << 31 | 2, b"d"),
    (1 << 32 | 1, b"c"),
    (1 << 53, b"a"),
    ((1 << 53) + 1, b"b"),
];

/// More events than a page has.
static MANY: LazyLock<Vec<Event>> = LazyLock::new(|| {
    let names: [&[u8]; 3] = [b"a", b"b", b"c"];
    (0..1100).zip(names.into_iter().cycle()).collect()
});

/// More events than a large page has. More of them make a diagnosis slow: every mistake is asked.
static MOST: LazyLock<Vec<Event>> = LazyLock::new(|| {
    let name: &[u8] = b"a";
    (0..5100).map(|time| (time, name)).collect()
});

/// The rows of [`MOST`], made once.
static MOST_ROWS: LazyLock<Rows> = LazyLock::new(|| rows_of(&MOST));

/// Large times, each bit of which counts, under names of their own.
static BITS: LazyLock<Vec<Event>> = LazyLock::new(|| {
    let times = bit_by_bit(MAX).into_iter();
    let event = |time: u64| -> Event { (time, format!("{time:x}").leak().as_bytes()) };
    times.map(event).collect()
});

/// Their rows, made once.
static BITS_ROWS: LazyLock<Rows> = LazyLock::new(|| rows_of(&BITS));

/// The bounds, the plainest first.
const BOUNDS: [u64; 17] = [
    20,
    40,
    10,
    30,
    0,
    1,
    2,
    25,
    45,
    255,
    256,
    257,
    258,
    RACE,
    RACE + 1,
    MAX,
    MAX - 1,
];

/// Windows that nobody walks through time by time in a second.
const LONG_WINDOWS: &str = "windows of more than a million times";

/// More than any store has.
const ALL: usize = 9;
/// More than any memory has room for.
const NO_LIMIT: usize = usize::MAX;
/// Whoever cuts it to 16 bits has 1, and of the one before 0.
const WIDE: usize = 65_537;
/// Whoever cuts it to 32 bits has 1.
const WIDER: usize = (1 << 32) + 1;

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(Feed::new(learner::key, learner::newest)))
}

/// The exercise with anybody's code in the learner's place.
pub(crate) fn exercise_of(learner: Feed) -> Exercise<Feed> {
    let cast = Cast {
        learner,
        stub: Feed::new(stubs::newest_first::key, stubs::newest_first::newest),
        solution: Feed::new(
            solutions::newest_first::key,
            solutions::newest_first::newest,
        ),
    };
    Exercise::new("newest-first", "06-key-patterns", cast)
        .part(keys())
        .part(windows())
        .check(check::order_of(
            "key",
            "must come before",
            "Keys compare as the times do, the other way round.",
        ))
        .check(check::answers(
            "key",
            "bytes",
            "A key is `u64::MAX - time` in eight big-endian bytes.",
        ))
        .check(check::answers(
            "newest",
            "window",
            "The names of the events in `[from, to)`, the newest first, at most `limit`.",
        ))
        .mistakes(mistakes::newest_first::all())
}

fn keys() -> PartOf<Feed> {
    let times = u64::probes();
    let places = ranks(&times, |a, b| b.cmp(a));
    let mut part = PartOf::new("key", "key").ranked(places);
    for time in times {
        part = part.probe(
            format!("key({time})"),
            time.show(),
            &time.classes(),
            move |feed: &Feed| (feed.key)(time).show(),
        );
    }
    part
}

fn windows() -> PartOf<Feed> {
    let mut part = PartOf::new("newest", "list").after("key").slow(
        LONG_WINDOWS,
        "Do you try every time from `from` to `to`? A window may be wider than any store, up to 2^64 times, and nearly none of them \
         has a row. Go over the rows that there are: ask for the range between two keys, or walk all rows and compare.",
    );
    for events in STORES {
        for (n, &bound) in BOUNDS.iter().enumerate() {
            for &other in &BOUNDS[..n] {
                let (from, to) = (bound.min(other), bound.max(other));
                part = probe(part, events, from, to, ALL);
                part = probe(part, events, to, from, ALL);
                for limit in [2, 1, 0] {
                    let found = events.iter().filter(|(time, _)| (from..to).contains(time));
                    if found.count() > limit {
                        part = probe(part, events, from, to, limit);
                    }
                }
            }
            part = probe(part, events, bound, bound, ALL);
        }
        for (from, to) in [(20, 40), (0, 2), (0, MAX), (40, 20)] {
            part = probe(part, events, from, to, NO_LIMIT);
        }
    }
    for bound in [0, 1 << 15, 1 << 16, 1 << 31, 1 << 32, 1 << 53] {
        part = probe(part, FAR, bound, MAX, ALL);
        part = probe(part, FAR, 0, bound, ALL);
    }
    for (time, _) in BITS.iter().filter(|(time, _)| *time < MAX) {
        part = probe(part, &BITS, *time, time + 1, ALL);
    }
    for to in [1, 20, MAX] {
        part = probe(part, LEAST, 0, to, ALL);
    }
    for limit in [WIDE, WIDE - 1] {
        part = probe(part, STORES[0], 0, MAX, limit);
    }
    for limit in [ALL, 2, 1] {
        part = probe(part, TWICE, 0, 40, limit);
    }
    for (from, to, limit) in [(0, 1100, NO_LIMIT), (100, 900, NO_LIMIT), (0, MAX, 1050)] {
        part = probe(part, &MANY, from, to, limit);
    }
    part = probe(part, &MOST, 0, MAX, NO_LIMIT);
    // Whoever asks for room for so many ends the process, so it comes last.
    probe(part, STORES[0], 0, MAX, WIDER)
}

/// Rows as the task says, not as the learner's `key` makes them.
fn rows_of(events: &[Event]) -> Rows {
    let row = |(time, name): &Event| [&(MAX - time).to_be_bytes()[..], name].concat();
    events.iter().map(row).collect()
}

fn time_text(time: u64) -> String {
    match time {
        MAX => "u64::MAX".to_owned(),
        time if time == MAX - 1 => "u64::MAX - 1".to_owned(),
        time => time.to_string(),
    }
}

fn probe(
    part: PartOf<Feed>,
    events: &'static [Event],
    from: u64,
    to: u64,
    limit: usize,
) -> PartOf<Feed> {
    let row = |(time, name): &Event| format!("{} {}", time_text(*time), quoted(name));
    let shown = match events {
        [first, .., last] if events.len() >= MANY.len() => {
            format!("{} to {}", row(first), row(last))
        }
        [first, ..] if events.len() == BITS.len() => {
            let more = events.len() - 1;
            format!("{} and {more} more at large times", row(first))
        }
        _ => events.iter().map(row).collect::<Vec<_>>().join(", "),
    };
    let call = format!(
        "newest({{{shown}}}, {}, {}, {})",
        time_text(from),
        time_text(to),
        match limit {
            NO_LIMIT => "usize::MAX".to_owned(),
            limit => limit.to_string(),
        }
    );
    part.probe(
        call.clone(),
        Answer::text(call),
        &classes(events, from, to, limit),
        move |feed: &Feed| {
            if events.len() == MOST.len() {
                return counted(&(feed.newest)(&MOST_ROWS, from, to, limit));
            }
            let found = if events.len() == BITS.len() {
                (feed.newest)(&BITS_ROWS, from, to, limit)
            } else {
                (feed.newest)(&rows_of(events), from, to, limit)
            };
            let found: Vec<String> = found.iter().map(|name| quoted(name)).collect();
            Answer::text(format!("[{}]", found.join(", ")))
        },
    )
}

/// A list that nobody reads to its end: equal names that follow each other are counted.
fn counted(names: &[Vec<u8>]) -> Answer {
    let runs = names.chunk_by(|a, b| a == b).map(|run| {
        let name = quoted(&run[0]);
        format!("{name} {} times", run.len())
    });
    Answer::text(format!("[{}]", runs.collect::<Vec<_>>().join(", ")))
}

fn classes(events: &[Event], from: u64, to: u64, limit: usize) -> Vec<&'static str> {
    let found = events.iter().filter(|(time, _)| (from..to).contains(time));
    let mut classes = vec![if from > to {
        "windows that end before they start"
    } else if found.clone().next().is_none() {
        "windows without an event"
    } else if limit < found.count() {
        "windows with more events than the limit"
    } else {
        "windows that fit into the limit"
    }];
    if from < to {
        if events.iter().any(|(time, _)| *time == from) {
            classes.push("windows with an event at `from`");
        }
        if events.iter().any(|(time, _)| *time == to) {
            classes.push("windows with an event at `to`");
        }
        if from == 0 {
            classes.push("windows from time 0");
        }
        if to - from > 1_000_000 {
            classes.push(LONG_WINDOWS);
        }
    }
    classes
}

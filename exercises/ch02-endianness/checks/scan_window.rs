//! Windows over small sets of times: every pair of bounds, over every set.

use std::collections::BTreeMap;
use std::sync::Arc;

use kit::{Answer, Cast, Exercise, Judged, PartOf, check, show_list};

use crate::{mistakes, solutions, stubs};
use ch02_endianness::scan_window as learner;

/// The store: what is stored under a time does not matter here.
pub(crate) type Rows = BTreeMap<[u8; 8], String>;

/// Somebody's `scan_window`.
pub(crate) type Scan = Arc<dyn Fn(&Rows, u64, u64) -> Vec<u64> + Send + Sync>;

/// The times in the store, the plainest first.
const TIMES: [&[u64]; 7] = [
    &[4, 5, 6, 7],
    &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    &[],
    &[5, (1 << 32) + 5],
    &[5, u64::MAX - 1, u64::MAX],
    &[1, 254, 255, 256, 257, 511, 512, 65_535, 65_536],
    &[
        0,
        258,
        1 << 24,
        u32::MAX as u64,
        1 << 32,
        (1 << 32) + 5,
        1_571_819_021_259,
        1_571_819_081_259,
        1 << 56,
        1 << 63,
        u64::MAX - 1,
        u64::MAX,
    ],
];

/// Those that nobody tries time by time. The smallest of them has 2^24 times less 65,536.
const WIDE: &str = "windows of more than a million times";

/// More rows than a large page has.
static MANY: [u64; 5100] = {
    let mut times = [0; 5100];
    let mut n = 1;
    while n < times.len() {
        times[n] = times[n - 1] + 1;
        n += 1;
    }
    times
};

/// The powers of two and the times after them: whichever bit is lost, two of them become one.
static POWERS: [u64; 2 * 64] = {
    let mut times = [0; 2 * 64];
    let mut bit = 0;
    while bit < 64 {
        times[2 * bit] = 1 << bit;
        times[2 * bit + 1] = (1 << bit) + 1;
        bit += 1;
    }
    times
};

/// The bounds, the plainest first.
const BOUNDS: [u64; 19] = [
    4,
    6,
    5,
    7,
    0,
    1,
    10,
    255,
    256,
    257,
    300,
    65_536,
    // Whoever tries every time never comes to the end of such a window. In one of 2^24 times it takes just under a second,
    // and with this bound first he would wait for ten of them until all together are too slow.
    1 << 32,
    1 << 24,
    (1 << 32) + 6,
    1_571_819_021_259,
    1_571_819_081_260,
    1 << 56,
    u64::MAX,
];

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(Arc::new(learner::scan_window)))
}

/// The exercise with anybody's code in the learner's place.
pub(crate) fn exercise_of(learner: Scan) -> Exercise<Scan> {
    let cast: Cast<Scan> = Cast {
        learner,
        stub: Arc::new(stubs::scan_window::scan_window),
        solution: Arc::new(solutions::scan_window::scan_window),
    };
    let mut part = PartOf::new("scan_window", "list").slow(
        WIDE,
        "Do you try every time from `from` to `to`? A window may be wider than any store, up to 2^64 times, and nearly none of them \
         has a row. Go over the rows that there are: ask for the range between the two keys, or walk all rows and compare.",
    );
    for times in TIMES {
        for (n, &bound) in BOUNDS.iter().enumerate() {
            for &other in &BOUNDS[..n] {
                part = probe(part, times, other, bound);
                part = probe(part, times, bound, other);
            }
        }
        for bound in BOUNDS {
            part = probe(part, times, bound, bound);
        }
    }
    for time in POWERS {
        part = probe(part, &POWERS, time, time + 1);
    }
    for (from, to) in [(0, 5100), (100, 900)] {
        part = probe(part, &MANY, from, to);
    }
    Exercise::new("scan-window", "02-endianness", cast)
        .part(part)
        .check(check::answers(
            "scan_window",
            "window",
            "The times from `from` up to, but without, `to`, in order.",
        ))
        .mistakes(mistakes::scan_window::all())
}

fn probe(part: PartOf<Scan>, times: &'static [u64], from: u64, to: u64) -> PartOf<Scan> {
    let shown: Vec<String> = times.iter().map(ToString::to_string).collect();
    let shown = match times {
        [first, .., last] if times.len() == MANY.len() => format!("{first} to {last}"),
        _ if times.len() == POWERS.len() => "2^n and 2^n + 1 for n from 0 to 63".to_owned(),
        _ => shown.join(", "),
    };
    let call = format!("scan_window({{{shown}}}, {from}, {to})");
    let in_window = times.iter().any(|time| (from..to).contains(time));
    let mut classes = vec![if from > to {
        "windows that end before they start"
    } else if from == to {
        "windows from a time to itself"
    } else if in_window {
        "windows with times in them"
    } else {
        "windows that no time falls into"
    }];
    if from < to && times.contains(&to) {
        classes.push("windows that end at a time of the store");
    }
    if from < to && times.contains(&from) {
        classes.push("windows that start at a time of the store");
    }
    if to.saturating_sub(from) > 1_000_000 {
        classes.push(WIDE);
    }
    if from.max(to) >= 1 << 32 {
        classes.push("windows with a bound of 2^32 or more");
    }
    part.probe(
        call.clone(),
        Answer::text(call),
        &classes,
        move |scan: &Scan| {
            // A value may be empty: a row is a row by its key.
            let value = |time: u64| {
                if time.is_multiple_of(2) {
                    "a reading"
                } else {
                    ""
                }
            };
            let row = |time: &u64| (time.to_be_bytes(), value(*time).to_owned());
            let rows: Rows = times.iter().map(row).collect();
            show_list(scan(&rows, from, to))
        },
    )
}

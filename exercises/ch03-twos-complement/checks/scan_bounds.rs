//! Ranges over small sets of rows: every pair of bounds, over every set.

use std::collections::BTreeSet;
use std::sync::Arc;

use kit::{Answer, Cast, Exercise, Judged, PartOf, check, show_list};

use crate::{mistakes, solutions, stubs};
use ch03_twos_complement::scan_bounds as learner;

/// Somebody's `scan`.
pub(crate) type Scan = Arc<dyn Fn(&BTreeSet<[u8; 4]>, i32, i32) -> Vec<i32> + Send + Sync>;

/// The rows, the fewest first.
const ROWS: [&[i32]; 7] = [
    &[],
    &[0],
    &[-1],
    &[-1, 0, 1],
    // Further apart than an `i32` can say.
    &[i32::MIN, i32::MAX],
    &[-300, -256, -2, -1, 0, 1, 2, 255, 256, 300],
    &[
        i32::MIN,
        -70000,
        -257,
        -128,
        0,
        127,
        128,
        65536,
        16_777_216,
        i32::MAX,
    ],
];

/// More rows than a large page has.
static MANY: [i32; 5100] = {
    let mut numbers = [-2550; 5100];
    let mut n = 1;
    while n < numbers.len() {
        numbers[n] = numbers[n - 1] + 1;
        n += 1;
    }
    numbers
};

/// Neighbours that an `f32` cannot tell apart.
const NEIGHBOURS: &[i32] = &[16_777_215, 16_777_216, 16_777_217, 16_777_218, 16_777_219];

/// The powers of two and the numbers after them, on both sides of zero: whichever bit is lost, two of them become one.
static POWERS: [i32; 4 * 31] = {
    let mut numbers = [0; 4 * 31];
    let mut bit = 0;
    while bit < 31 {
        let power = 1 << bit;
        numbers[4 * bit] = -power - 1;
        numbers[4 * bit + 1] = -power;
        numbers[4 * bit + 2] = power;
        numbers[4 * bit + 3] = power + 1;
        bit += 1;
    }
    numbers
};

/// The bounds, the plainest first.
const BOUNDS: [i32; 12] = [
    0,
    1,
    -1,
    2,
    -2,
    255,
    256,
    -256,
    -300,
    65536,
    i32::MAX,
    i32::MIN,
];

/// Ranges that nobody walks through number by number in a second.
const WIDE: &str = "ranges of more than a million numbers";

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(Arc::new(learner::scan)))
}

/// The exercise with anybody's code in the learner's place.
pub(crate) fn exercise_of(learner: Scan) -> Exercise<Scan> {
    let cast: Cast<Scan> = Cast {
        learner,
        stub: Arc::new(stubs::scan_bounds::scan),
        solution: Arc::new(solutions::scan_bounds::scan),
    };
    let mut part = PartOf::new("scan", "list").slow(
        WIDE,
        "Do you try every number from `low` to `high`? There are up to 2^32 of them, and nearly none of them has a row. Go over the \
         rows that there are: ask for the range between the two keys, or walk all rows and compare.",
    );
    for numbers in ROWS {
        for (n, &bound) in BOUNDS.iter().enumerate() {
            for &other in &BOUNDS[..=n] {
                part = probe(part, numbers, other, bound);
                if other != bound {
                    part = probe(part, numbers, bound, other);
                }
            }
        }
    }
    for (low, high) in [
        (16_777_217, 16_777_217),
        (16_777_215, 16_777_216),
        (16_777_219, 16_777_219),
    ] {
        part = probe(part, NEIGHBOURS, low, high);
    }
    for number in POWERS {
        part = probe(part, &POWERS, number, number);
    }
    for (low, high) in [(-2550, 2549), (-400, 400)] {
        part = probe(part, &MANY, low, high);
    }
    Exercise::new("scan-bounds", "03-twos-complement", cast)
        .part(part)
        .check(check::answers(
            "scan",
            "range",
            "All numbers from `low` to `high`, both included, the smallest first.",
        ))
        .mistakes(mistakes::scan_bounds::all())
}

fn probe(part: PartOf<Scan>, numbers: &'static [i32], low: i32, high: i32) -> PartOf<Scan> {
    let shown: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    let shown = match numbers {
        [first, .., last] if numbers.len() == MANY.len() => format!("{first} to {last}"),
        _ if numbers.len() == POWERS.len() => {
            "2^n, 2^n + 1, -2^n and -2^n - 1 for n from 0 to 30".to_owned()
        }
        _ => shown.join(", "),
    };
    let call = format!("scan({{{shown}}}, {low}, {high})");
    let mut classes = vec![if low > high {
        "ranges with crossed bounds"
    } else if low >= 0 {
        "ranges without negative bounds"
    } else if high < 0 {
        "ranges below zero"
    } else {
        "ranges across zero"
    }];
    if low == high {
        classes.push("ranges of one number");
    }
    if high == i32::MAX {
        classes.push("ranges up to i32::MAX");
    }
    if low == i32::MIN {
        classes.push("ranges from i32::MIN on");
    }
    if i64::from(high) - i64::from(low) > 1_000_000 {
        classes.push(WIDE);
    }
    part.probe(
        call.clone(),
        Answer::text(call),
        &classes,
        move |scan: &Scan| {
            // The function that the task gives, not the learner's copy of it.
            let rows = numbers
                .iter()
                .map(|n| stubs::scan_bounds::key(*n))
                .collect();
            show_list(scan(&rows, low, high))
        },
    )
}

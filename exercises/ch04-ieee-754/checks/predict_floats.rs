//! Predictions: the answer is never shown, only the first two patterns that are the wrong way round.

use std::cmp::Ordering;

use kit::check::Check;
use kit::exercise::Sheet;
use kit::predict::{in_order, prediction};
use kit::render::two_rows;
use kit::{Cast, Exercise, Judged};

use crate::{mistakes, solutions, stubs};
use ch04_ieee_754::predict_floats as learner;

/// Somebody's two predictions.
pub(crate) struct Orders {
    pub(crate) by_value: fn() -> [char; 8],
    pub(crate) by_bytes: fn() -> [char; 8],
}

/// The patterns that the task shows, by their letters.
const PATTERNS: [(char, u64); 8] = [
    ('a', 0xbff0_0000_0000_0000),
    ('b', 0x3ff0_0000_0000_0000),
    ('c', 0xc000_0000_0000_0000),
    ('d', 0x0000_0000_0000_0001),
    ('e', 0x8000_0000_0000_0000),
    ('f', 0x7ff0_0000_0000_0000),
    ('g', 0xfff0_0000_0000_0000),
    ('h', 0x3ff8_0000_0000_0000),
];

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(Orders {
        by_value: learner::by_value,
        by_bytes: learner::by_bytes,
    }))
}

/// The exercise with anybody's predictions in the learner's place.
pub(crate) fn exercise_of(learner: Orders) -> Exercise<Orders> {
    let cast = Cast {
        learner,
        stub: Orders {
            by_value: stubs::predict_floats::by_value,
            by_bytes: stubs::predict_floats::by_bytes,
        },
        solution: Orders {
            by_value: solutions::predict_floats::by_value,
            by_bytes: solutions::predict_floats::by_bytes,
        },
    };
    let values = |a: u64, b: u64| f64::from_bits(a).total_cmp(&f64::from_bits(b));
    Exercise::new("predict-floats", "04-ieee-754", cast)
        .part(prediction("by_value", "eight letters", |orders| {
            (orders.by_value)()
        }))
        .part(prediction("by_bytes", "eight letters", |orders| {
            (orders.by_bytes)()
        }))
        .check(sorted(
            "by_value",
            "values",
            "The smallest value comes first.",
            "is the greater value",
            values,
        ))
        .check(sorted(
            "by_bytes",
            "bytes",
            "A scan compares the patterns byte by byte.",
            "has the greater bytes",
            |a, b| a.cmp(&b),
        ))
        .mistakes(mistakes::predict_floats::all())
}

fn sorted(
    function: &'static str,
    name: &'static str,
    claim: &'static str,
    why: &'static str,
    order: fn(u64, u64) -> Ordering,
) -> impl FnOnce(&Sheet) -> Check {
    in_order(function, name, claim, 'h', move |a, b| {
        let (first, second) = (pattern(a)?, pattern(b)?);
        let detail = || {
            two_rows(
                (&a.to_string(), &first.to_be_bytes()),
                (&b.to_string(), &second.to_be_bytes()),
                "differs first",
            )
        };
        (order(first, second) == Ordering::Greater).then(|| (format!("{a} {why}"), detail()))
    })
}

pub(crate) fn pattern(letter: char) -> Option<u64> {
    let found = PATTERNS.iter().find(|(name, _)| *name == letter)?;
    Some(found.1)
}

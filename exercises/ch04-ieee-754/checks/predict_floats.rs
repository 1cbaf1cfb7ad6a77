//! Predictions: the answer is never shown, only the first two patterns that stand the wrong way round.

use std::cmp::Ordering;

use kit::check::Finding;
use kit::exercise::Sheet;
use kit::render::two_rows;
use kit::{Answer, Cast, Exercise, Judged, Outcome, PartOf, check};

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
        .part(prediction("by_value", |orders| (orders.by_value)()))
        .part(prediction("by_bytes", |orders| (orders.by_bytes)()))
        .check(sorted(
            "by_value",
            "values",
            "The smallest value stands first.",
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

fn prediction(function: &'static str, ask: fn(&Orders) -> [char; 8]) -> PartOf<Orders> {
    PartOf::new(function, "list").open().probe(
        format!("{function}()"),
        Answer::text("eight letters"),
        &["predictions"],
        move |orders| Answer::text(String::from_iter(ask(orders))),
    )
}

fn sorted(
    function: &'static str,
    name: &'static str,
    claim: &'static str,
    why: &'static str,
    order: fn(u64, u64) -> Ordering,
) -> impl FnOnce(&Sheet) -> check::Check {
    check::custom(function, name, claim, move |part, outcomes| {
        let letters = letters(&outcomes[0]);
        let finding = |summary: String, detail: String| Finding {
            summary,
            detail,
            calls: vec![part.probes[0].call.clone()],
        };
        if let Some(other) = letters.iter().find(|c| pattern(**c).is_none()) {
            let summary = format!("{other:?} is none of the letters a to h");
            return Some(finding(summary, String::new()));
        }
        for (letter, _) in PATTERNS {
            let times = letters.iter().filter(|c| **c == letter).count();
            if times != 1 {
                let summary = format!("{letter} stands {times} times in your list, not once");
                return Some(finding(summary, String::new()));
            }
        }
        letters.windows(2).find_map(|pair| {
            let (first, second) = (pattern(pair[0])?, pattern(pair[1])?);
            let wrong = order(first, second) == Ordering::Greater;
            wrong.then(|| {
                finding(
                    format!("you put {0} before {1}, but {0} {why}", pair[0], pair[1]),
                    two_rows(
                        (&pair[0].to_string(), &first.to_be_bytes()),
                        (&pair[1].to_string(), &second.to_be_bytes()),
                        "differs first",
                    ),
                )
            })
        })
    })
}

fn letters(outcome: &Outcome) -> Vec<char> {
    outcome
        .answer()
        .map_or_else(Vec::new, |answer| answer.text.chars().collect())
}

fn pattern(letter: char) -> Option<u64> {
    let found = PATTERNS.iter().find(|(name, _)| *name == letter)?;
    Some(found.1)
}

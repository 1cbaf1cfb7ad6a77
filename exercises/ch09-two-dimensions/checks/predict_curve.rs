//! Predictions: the answers are never shown, only the first place where they go wrong.

use kit::check::{Check, Finding};
use kit::exercise::Sheet;
use kit::predict::{in_order, prediction};
use kit::{Answer, Cast, Exercise, Judged, PartOf, check};

use crate::{mistakes, solutions, stubs};
use ch09_two_dimensions::predict_curve as learner;

/// Somebody's two predictions.
pub(crate) struct Predictions {
    pub(crate) by_number: fn() -> [char; 8],
    pub(crate) shared_bits: fn() -> [u32; 4],
}

/// The points that the task shows, by their letters.
const POINTS: [(char, u8, u8); 8] = [
    ('a', 0, 7),
    ('b', 7, 0),
    ('c', 3, 3),
    ('d', 4, 4),
    ('e', 3, 4),
    ('f', 4, 3),
    ('g', 0, 0),
    ('h', 2, 2),
];

/// The pairs that the task asks for.
const PAIRS: [(char, char); 4] = [('c', 'h'), ('c', 'e'), ('c', 'f'), ('g', 'h')];

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(Predictions {
        by_number: learner::by_number,
        shared_bits: learner::shared_bits,
    }))
}

/// The exercise with anybody's predictions in the learner's place.
pub(crate) fn exercise_of(learner: Predictions) -> Exercise<Predictions> {
    let cast = Cast {
        learner,
        stub: Predictions {
            by_number: stubs::predict_curve::by_number,
            shared_bits: stubs::predict_curve::shared_bits,
        },
        solution: Predictions {
            by_number: solutions::predict_curve::by_number,
            shared_bits: solutions::predict_curve::shared_bits,
        },
    };
    Exercise::new("predict-curve", "09-two-dimensions", cast)
        .part(prediction("by_number", "eight letters", |of| {
            (of.by_number)()
        }))
        .part(counts())
        .check(sorted())
        .check(shared())
        .mistakes(mistakes::predict_curve::all())
}

/// The four numbers, in one text.
fn counts() -> PartOf<Predictions> {
    PartOf::new("shared_bits", "list").open().probe(
        "shared_bits()",
        Answer::text("four numbers"),
        &["predictions"],
        |of: &Predictions| Answer::text((of.shared_bits)().map(|n| n.to_string()).join(" ")),
    )
}

/// The six bits of a point's number.
fn bits_of(letter: char) -> Option<String> {
    let (_, x, y) = POINTS.iter().find(|(name, ..)| *name == letter)?;
    let bit = |n: u8, place: u8| if n >> place & 1 == 1 { '1' } else { '0' };
    Some(
        (0..3)
            .rev()
            .flat_map(|i| [bit(*x, i), bit(*y, i)])
            .collect(),
    )
}

fn place(letter: char) -> String {
    let found = POINTS.iter().find(|(name, ..)| *name == letter);
    found.map_or_else(String::new, |(_, x, y)| format!("{letter} is at {x}, {y}"))
}

fn sorted() -> impl FnOnce(&Sheet) -> Check {
    let claim = "The smallest number comes first.";
    in_order("by_number", "numbers", claim, 'h', |a, b| {
        let (first, second) = (bits_of(a)?, bits_of(b)?);
        let detail = || format!("  {}: {first}\n  {}: {second}\n", place(a), place(b));
        (first > second).then(|| (format!("{a} has the greater number"), detail()))
    })
}

fn shared() -> impl FnOnce(&Sheet) -> Check {
    let claim = "The numbers of a pair share so many bits at the front.";
    check::custom("shared_bits", "shared", claim, |part, outcomes| {
        let answer = outcomes[0].answer()?;
        let counts = answer.text.split(' ').map(|n| n.parse::<usize>().ok());
        PAIRS.iter().zip(counts).find_map(|((a, b), given)| {
            let (first, second) = (bits_of(*a)?, bits_of(*b)?);
            let same = first
                .chars()
                .zip(second.chars())
                .take_while(|(p, q)| p == q);
            let (count, given) = (same.count(), given?);
            (count != given).then(|| Finding {
                summary: format!(
                    "of {a} and {b} you say that they share {given}, but they share {}",
                    if given > count { "fewer" } else { "more" }
                ),
                detail: format!("  {}\n  {}\n", place(*a), place(*b)),
                calls: vec![part.probes[0].call.clone()],
            })
        })
    })
}

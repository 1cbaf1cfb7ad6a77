//! Predictions: the answers are never shown, only the first place where they go wrong.

use kit::check::Finding;
use kit::exercise::Sheet;
use kit::{Answer, Cast, Exercise, Judged, Outcome, PartOf, check};

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
    let letters = |of: &Predictions| String::from_iter((of.by_number)());
    let counts = |of: &Predictions| (of.shared_bits)().map(|n| n.to_string()).join(" ");
    Exercise::new("predict-curve", "09-two-dimensions", cast)
        .part(prediction("by_number", "eight letters", letters))
        .part(prediction("shared_bits", "four numbers", counts))
        .check(sorted())
        .check(shared())
        .mistakes(mistakes::predict_curve::all())
}

fn prediction(
    function: &'static str,
    what: &'static str,
    ask: fn(&Predictions) -> String,
) -> PartOf<Predictions> {
    PartOf::new(function, "list").open().probe(
        format!("{function}()"),
        Answer::text(what),
        &["predictions"],
        move |of| Answer::text(ask(of)),
    )
}

fn text(outcomes: &[Outcome]) -> &str {
    outcomes[0].answer().map_or("", |answer| &answer.text)
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

fn sorted() -> impl FnOnce(&Sheet) -> check::Check {
    let claim = "The smallest number stands first.";
    check::custom("by_number", "numbers", claim, |part, outcomes| {
        let finding = |summary: String, detail: String| Finding {
            summary,
            detail,
            calls: vec![part.probes[0].call.clone()],
        };
        let letters: Vec<char> = text(outcomes).chars().collect();
        if let Some(other) = letters.iter().find(|c| bits_of(**c).is_none()) {
            let summary = format!("{other:?} is none of the letters a to h");
            return Some(finding(summary, String::new()));
        }
        for (letter, ..) in POINTS {
            let times = letters.iter().filter(|c| **c == letter).count();
            if times != 1 {
                let summary = format!("{letter} stands {times} times in your list, not once");
                return Some(finding(summary, String::new()));
            }
        }
        letters.windows(2).find_map(|pair| {
            let (first, second) = (bits_of(pair[0])?, bits_of(pair[1])?);
            (first > second).then(|| {
                finding(
                    format!(
                        "you put {0} before {1}, but {0} has the greater number",
                        pair[0], pair[1]
                    ),
                    format!(
                        "  {}: {first}\n  {}: {second}\n",
                        place(pair[0]),
                        place(pair[1])
                    ),
                )
            })
        })
    })
}

fn shared() -> impl FnOnce(&Sheet) -> check::Check {
    let claim = "The numbers of a pair share so many bits at the front.";
    check::custom("shared_bits", "shared", claim, |part, outcomes| {
        let counts = text(outcomes).split(' ').map(|n| n.parse::<usize>().ok());
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

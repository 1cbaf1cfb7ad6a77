//! Predictions: the answer is never shown, only the first two keys that stand the wrong way round.

use kit::check::Finding;
use kit::exercise::Sheet;
use kit::render::two_rows;
use kit::{Answer, Cast, Exercise, Judged, Outcome, PartOf, check};

use crate::{mistakes, solutions, stubs};
use ch05_strings_and_tuples::predict_strings as learner;

/// A list of the letters.
pub(crate) type Letters = fn() -> [char; 6];

/// Somebody's four predictions.
#[derive(Clone, Copy)]
pub(crate) struct Orders {
    pub(crate) joined: Letters,
    pub(crate) length_first: Letters,
    pub(crate) bare: Letters,
    pub(crate) escaped: Letters,
}

/// The reference solution.
pub(crate) const RIGHT: Orders = Orders {
    joined: solutions::predict_strings::joined,
    length_first: solutions::predict_strings::length_first,
    bare: solutions::predict_strings::bare,
    escaped: solutions::predict_strings::escaped,
};

/// The strings that the task shows, by their letters.
const STRINGS: [(char, &[u8]); 6] = [
    ('a', b"aa"),
    ('b', b""),
    ('c', b"b"),
    ('d', b"a\x00"),
    ('e', b"a!"),
    ('f', b"a"),
];

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(Orders {
        joined: learner::joined,
        length_first: learner::length_first,
        bare: learner::bare,
        escaped: learner::escaped,
    }))
}

/// The exercise with anybody's predictions in the learner's place.
pub(crate) fn exercise_of(learner: Orders) -> Exercise<Orders> {
    let cast = Cast {
        learner,
        stub: Orders {
            joined: stubs::predict_strings::joined,
            length_first: stubs::predict_strings::length_first,
            bare: stubs::predict_strings::bare,
            escaped: stubs::predict_strings::escaped,
        },
        solution: RIGHT,
    };
    Exercise::new("predict-strings", "05-strings-and-tuples", cast)
        .part(prediction("joined", |orders| orders.joined))
        .part(prediction("length_first", |orders| orders.length_first))
        .part(prediction("bare", |orders| orders.bare))
        .part(prediction("escaped", |orders| orders.escaped))
        .check(sorted("joined", "colon", |string| [string, b":"].concat()))
        .check(sorted("length_first", "length", |string| {
            let length = u8::try_from(string.len()).unwrap_or(u8::MAX);
            [&[length], string].concat()
        }))
        .check(sorted("bare", "next-field", |string| {
            [string, b"\xff"].concat()
        }))
        .check(sorted("escaped", "escape", solutions::escape_bytes::encode))
        .mistakes(mistakes::predict_strings::all())
}

fn prediction(function: &'static str, of: fn(&Orders) -> Letters) -> PartOf<Orders> {
    PartOf::new(function, "list").open().probe(
        format!("{function}()"),
        Answer::text("six letters"),
        &["predictions"],
        move |orders| Answer::text(String::from_iter(of(orders)())),
    )
}

fn sorted(
    function: &'static str,
    name: &'static str,
    key: fn(&[u8]) -> Vec<u8>,
) -> impl FnOnce(&Sheet) -> check::Check {
    let claim = "A scan returns the keys in the order of their bytes.";
    check::custom(function, name, claim, move |part, outcomes| {
        let letters = letters(&outcomes[0]);
        let finding = |summary: String, detail: String| Finding {
            summary,
            detail,
            calls: vec![part.probes[0].call.clone()],
        };
        if let Some(other) = letters.iter().find(|c| string(**c).is_none()) {
            let summary = format!("{other:?} is none of the letters a to f");
            return Some(finding(summary, String::new()));
        }
        for (letter, _) in STRINGS {
            let times = letters.iter().filter(|c| **c == letter).count();
            if times != 1 {
                let summary = format!("{letter} stands {times} times in your list, not once");
                return Some(finding(summary, String::new()));
            }
        }
        letters.windows(2).find_map(|pair| {
            let [first, second] = [string(pair[0])?, string(pair[1])?].map(key);
            (first > second).then(|| {
                finding(
                    format!(
                        "you put {0} before {1}, but the key of {1} comes first",
                        pair[0], pair[1]
                    ),
                    two_rows(
                        (&pair[0].to_string(), &first),
                        (&pair[1].to_string(), &second),
                        "decides",
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

fn string(letter: char) -> Option<&'static [u8]> {
    let found = STRINGS.iter().find(|(name, _)| *name == letter)?;
    Some(found.1)
}

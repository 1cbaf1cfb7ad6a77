//! Predictions: the answer is never shown, only the first two keys that are the wrong way round.

use kit::check::Check;
use kit::exercise::Sheet;
use kit::predict::{in_order, prediction};
use kit::render::two_rows;
use kit::{Cast, Exercise, Judged};

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
        .part(prediction("joined", "six letters", |orders| {
            (orders.joined)()
        }))
        .part(prediction("length_first", "six letters", |orders| {
            (orders.length_first)()
        }))
        .part(prediction("bare", "six letters", |orders| (orders.bare)()))
        .part(prediction("escaped", "six letters", |orders| {
            (orders.escaped)()
        }))
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

fn sorted(
    function: &'static str,
    name: &'static str,
    key: fn(&[u8]) -> Vec<u8>,
) -> impl FnOnce(&Sheet) -> Check {
    let claim = "A scan returns the keys in the order of their bytes.";
    in_order(function, name, claim, 'f', move |a, b| {
        let [first, second] = [string(a)?, string(b)?].map(key);
        let detail = || {
            two_rows(
                (&a.to_string(), &first),
                (&b.to_string(), &second),
                "decides",
            )
        };
        (first > second).then(|| (format!("the key of {b} comes first"), detail()))
    })
}

pub(crate) fn string(letter: char) -> Option<&'static [u8]> {
    let found = STRINGS.iter().find(|(name, _)| *name == letter)?;
    Some(found.1)
}

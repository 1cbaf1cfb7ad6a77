//! Predictions: the answer is never shown, only what is wrong with the one given.

use std::cmp::Ordering;

use kit::check::{Check, Finding};
use kit::exercise::Sheet;
use kit::predict::{letters, prediction};
use kit::{Cast, Exercise, Judged, check};

use crate::solutions::numeric_comparator::compare;
use crate::{mistakes, solutions, stubs};
use ch07_comparators::predict_broken as learner;

/// Somebody's three predictions.
#[derive(Clone, Copy)]
pub(crate) struct Predictions {
    pub(crate) order: fn() -> [char; 8],
    pub(crate) hidden: fn() -> Vec<char>,
    pub(crate) circle: fn() -> [char; 3],
}

const SORTED: [&str; 8] = [
    "item:10", "item:9", "item:", "item:09", "item1", "user:1", "item:1x", "item:100",
];
/// What `atoi` reads in each row, in the order of writing.
const NUMBERS: [(&str, u8); 8] = [
    ("item:1", 1),
    ("item:2", 2),
    ("user:1", 1),
    ("item:4294967298", 2),
    ("item:new", 0),
    ("item:0", 0),
    ("user:new", 0),
    ("item:3", 3),
];
const CIRCLE: [&str; 6] = ["k8", "k12", "kx", "j9", "k1:", "k"];

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(Predictions {
        order: learner::order,
        hidden: learner::hidden,
        circle: learner::circle,
    }))
}

/// The exercise with anybody's predictions in the learner's place.
pub(crate) fn exercise_of(learner: Predictions) -> Exercise<Predictions> {
    let cast = Cast {
        learner,
        stub: Predictions {
            order: stubs::predict_broken::order,
            hidden: stubs::predict_broken::hidden,
            circle: stubs::predict_broken::circle,
        },
        solution: Predictions {
            order: solutions::predict_broken::order,
            hidden: solutions::predict_broken::hidden,
            circle: solutions::predict_broken::circle,
        },
    };
    Exercise::new("predict-broken", "07-comparators", cast)
        .part(prediction("order", "letters", |p| (p.order)()))
        .part(prediction("hidden", "letters", |p| {
            let mut letters = (p.hidden)();
            letters.sort_unstable();
            letters
        }))
        .part(prediction("circle", "letters", |p| {
            from_the_least((p.circle)())
        }))
        .check(judged(
            "order",
            "sorted",
            "The smallest key comes first.",
            unsorted,
        ))
        .check(judged(
            "hidden",
            "newest",
            "Of keys that compare equal, the newest hides the others.",
            not_hidden,
        ))
        .check(judged(
            "circle",
            "circle",
            "Each key comes before the next, and the last before the first.",
            no_circle,
        ))
        .mistakes(mistakes::predict_broken::all())
}

/// The same circle, begun at its least letter: a learner may begin with any.
fn from_the_least(mut circle: [char; 3]) -> [char; 3] {
    let least = (0..circle.len()).min_by_key(|&place| circle[place]);
    circle.rotate_left(least.unwrap_or_default());
    circle
}

fn judged(
    function: &'static str,
    name: &'static str,
    claim: &'static str,
    wrong: fn(&[char]) -> Option<String>,
) -> impl FnOnce(&Sheet) -> Check {
    check::custom(function, name, claim, move |part, outcomes| {
        let given = letters(&outcomes[0]);
        Some(Finding {
            summary: wrong(&given)?,
            detail: String::new(),
            calls: vec![part.probes[0].call.clone()],
        })
    })
}

/// The place of a letter in a table of so many columns.
fn place(letter: char, columns: usize) -> Option<usize> {
    ('a'..='h').take(columns).position(|other| other == letter)
}

fn foreign(given: &[char], columns: usize) -> Option<String> {
    let other = given.iter().find(|c| place(**c, columns).is_none())?;
    Some(format!("{other:?} is none of the letters of this table"))
}

fn twice(given: &[char]) -> Option<String> {
    let again = given
        .iter()
        .find(|c| given.iter().filter(|d| d == c).count() > 1)?;
    Some(format!("{again} is in your list more than once"))
}

fn unsorted(given: &[char]) -> Option<String> {
    foreign(given, 8).or_else(|| twice(given)).or_else(|| {
        given.windows(2).find_map(|pair| {
            let [a, b] = [SORTED[place(pair[0], 8)?], SORTED[place(pair[1], 8)?]];
            let wrong = compare(a.as_bytes(), b.as_bytes()) == Ordering::Greater;
            wrong.then(|| {
                format!(
                    "you put {} before {}, but `{a}` comes after `{b}`",
                    pair[0], pair[1]
                )
            })
        })
    })
}

fn not_hidden(given: &[char]) -> Option<String> {
    let hidden = |n: usize| {
        NUMBERS[n + 1..]
            .iter()
            .any(|(_, later)| *later == NUMBERS[n].1)
    };
    foreign(given, 8).or_else(|| twice(given)).or_else(|| {
        ('a'..='h').enumerate().find_map(|(n, letter)| {
            let key = NUMBERS[n].0;
            match (hidden(n), given.contains(&letter)) {
                (true, false) => Some(format!(
                    "{letter} is missing from your list: a row after it compares equal to `{key}`"
                )),
                (false, true) => Some(format!(
                    "{letter} is in your list, but no later row compares equal to `{key}`"
                )),
                _ => None,
            }
        })
    })
}

fn no_circle(given: &[char]) -> Option<String> {
    foreign(given, 6).or_else(|| twice(given)).or_else(|| {
        let next = given.iter().cycle().skip(1);
        given.iter().zip(next).find_map(|(&a, &b)| {
            let [x, y] = [CIRCLE[place(a, 6)?], CIRCLE[place(b, 6)?]];
            let wrong = mistakes::numeric_comparator::half_numeric(x.as_bytes(), y.as_bytes());
            wrong.is_ge().then(|| {
                format!("`{x}` ({a}) does not come before `{y}` ({b}) under `half_numeric`")
            })
        })
    })
}

//! Predictions: the answer is never shown, only the first two rows that stand the wrong way round.

use kit::check::Finding;
use kit::exercise::Sheet;
use kit::render::two_rows;
use kit::{Answer, Cast, Exercise, Judged, Outcome, PartOf, check};

use crate::order::Status::{New, Shipped};
use crate::solutions::place_order::keys;
use crate::store::{Line, key_name, order};
use crate::{mistakes, solutions, stubs};
use ch10_order_store::predict_rows as learner;

/// Somebody's two predictions.
pub(crate) struct Predictions {
    pub(crate) scan: fn() -> [char; 8],
    pub(crate) touched: fn() -> Vec<char>,
}

const ORDERS: [Line; 2] = [(7, "ann", 500, Shipped), (258, "anna", 300, New)];

/// The rows that the task shows: their letters, with the order and the place among its four keys.
const ROWS: [(char, usize, usize); 8] = [
    ('a', 0, 2),
    ('b', 1, 0),
    ('c', 1, 1),
    ('d', 1, 3),
    ('e', 1, 2),
    ('f', 0, 3),
    ('g', 0, 1),
    ('h', 0, 0),
];

fn key(letter: char) -> Option<Vec<u8>> {
    let (_, of, place) = ROWS.into_iter().find(|(name, ..)| *name == letter)?;
    Some(keys(&order(&ORDERS[of]))[place].clone())
}

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(Predictions {
        scan: learner::scan,
        touched: learner::touched,
    }))
}

/// The exercise with anybody's predictions in the learner's place.
pub(crate) fn exercise_of(learner: Predictions) -> Exercise<Predictions> {
    let cast = Cast {
        learner,
        stub: Predictions {
            scan: stubs::predict_rows::scan,
            touched: stubs::predict_rows::touched,
        },
        solution: Predictions {
            scan: solutions::predict_rows::scan,
            touched: solutions::predict_rows::touched,
        },
    };
    let one = |function, makes| PartOf::new(function, makes).open();
    Exercise::new("predict-rows", "10-order-store", cast)
        .part(one("scan", "list").probe(
            "scan()",
            Answer::text("eight letters"),
            &["predictions"],
            |p: &Predictions| Answer::text(String::from_iter((p.scan)())),
        ))
        .part(one("touched", "list").probe(
            "touched()",
            Answer::text("some letters"),
            &["predictions"],
            |p: &Predictions| {
                let mut letters = (p.touched)();
                letters.sort_unstable();
                Answer::text(String::from_iter(letters))
            },
        ))
        .check(scanned())
        .check(touches())
        .mistakes(mistakes::predict_rows::all())
}

fn letters(outcome: &Outcome) -> Vec<char> {
    let answer = outcome.answer();
    answer.map_or_else(Vec::new, |answer| answer.text.chars().collect())
}

fn finding(call: &str, summary: String, detail: String) -> Option<Finding> {
    let calls = vec![call.to_owned()];
    Some(Finding {
        summary,
        detail,
        calls,
    })
}

fn scanned() -> impl FnOnce(&Sheet) -> check::Check {
    let claim = "A scan compares the keys byte by byte.";
    check::custom("scan", "key-order", claim, |_, outcomes| {
        let letters = letters(&outcomes[0]);
        let said = |summary, detail| finding("scan()", summary, detail);
        if let Some(other) = letters.iter().find(|c| key(**c).is_none()) {
            return said(
                format!("{other:?} is none of the letters a to h"),
                String::new(),
            );
        }
        for (letter, ..) in ROWS {
            let times = letters.iter().filter(|c| **c == letter).count();
            if times != 1 {
                return said(
                    format!("{letter} stands {times} times in your list, not once"),
                    String::new(),
                );
            }
        }
        letters.windows(2).find_map(|pair| {
            let (first, second) = (key(pair[0])?, key(pair[1])?);
            if first < second {
                return None;
            }
            said(
                format!(
                    "you put {0} before {1}, but the key of {0}, {2}, is greater than that of {1}, {3}",
                    pair[0],
                    pair[1],
                    key_name(&first),
                    key_name(&second)
                ),
                two_rows(
                    (&pair[0].to_string(), &first),
                    (&pair[1].to_string(), &second),
                    "differs first",
                ),
            )
        })
    })
}

fn touches() -> impl FnOnce(&Sheet) -> check::Check {
    let claim = "Every row that says something else afterwards, and no other.";
    check::custom("touched", "rows", claim, |_, outcomes| {
        let yours = letters(&outcomes[0]);
        let right = solutions::predict_rows::touched();
        let said = |summary| finding("touched()", summary, String::new());
        if let Some(other) = yours.iter().find(|c| key(**c).is_none()) {
            return said(format!("{other:?} is none of the letters a to h"));
        }
        if yours.windows(2).any(|pair| pair[0] == pair[1]) {
            return said("a letter stands twice in your list".to_owned());
        }
        // Whether too many or too few, and not which: that is the question.
        let extra = yours.iter().filter(|c| !right.contains(c)).count();
        let lacking = right.iter().filter(|c| !yours.contains(c)).count();
        let mut told = Vec::new();
        if extra > 0 {
            let verb = if extra == 1 { "needs" } else { "need" };
            told.push(format!(
                "{extra} of the rows that you name {verb} no change"
            ));
        }
        if lacking > 0 {
            let rows = match lacking {
                1 => "1 row that needs a change is".to_owned(),
                _ => format!("{lacking} rows that need a change are"),
            };
            told.push(format!("{rows} not in your list"));
        }
        (!told.is_empty()).then(|| said(told.join(", and ")))?
    })
}

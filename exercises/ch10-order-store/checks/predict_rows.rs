//! Predictions: the answer is never shown, only the first two rows that are the wrong way round.

use kit::check::{Check, Finding};
use kit::exercise::Sheet;
use kit::predict::{in_order, letters, prediction};
use kit::render::two_rows;
use kit::{Cast, Exercise, Judged, check};

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
    Exercise::new("predict-rows", "10-order-store", cast)
        .part(prediction("scan", "eight letters", |p| (p.scan)()))
        .part(prediction("touched", "some letters", |p| {
            let mut letters = (p.touched)();
            letters.sort_unstable();
            letters
        }))
        .check(scanned())
        .check(touches())
        .mistakes(mistakes::predict_rows::all())
}

fn scanned() -> impl FnOnce(&Sheet) -> Check {
    let claim = "A scan compares the keys byte by byte.";
    in_order("scan", "key-order", claim, 'h', |a, b| {
        let (first, second) = (key(a)?, key(b)?);
        let but = || {
            let (first, second) = (key_name(&first), key_name(&second));
            format!("the key of {a}, {first}, is greater than that of {b}, {second}")
        };
        let detail = || {
            two_rows(
                (&a.to_string(), &first),
                (&b.to_string(), &second),
                "differs first",
            )
        };
        (first >= second).then(|| (but(), detail()))
    })
}

fn touches() -> impl FnOnce(&Sheet) -> Check {
    let claim = "Every row that says something else afterwards, and no other.";
    check::custom("touched", "rows", claim, |part, outcomes| {
        let yours = letters(&outcomes[0]);
        let right = solutions::predict_rows::touched();
        let said = |summary| {
            Some(Finding {
                summary,
                detail: String::new(),
                calls: vec![part.probes[0].call.clone()],
            })
        };
        if let Some(other) = yours.iter().find(|c| key(**c).is_none()) {
            return said(format!("{other:?} is none of the letters a to h"));
        }
        if yours.windows(2).any(|pair| pair[0] == pair[1]) {
            return said("a letter is in your list twice".to_owned());
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

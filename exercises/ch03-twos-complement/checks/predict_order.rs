//! Predictions: the answer is never shown, only the first two rows that are the wrong way round.

use kit::check::Finding;
use kit::exercise::Sheet;
use kit::render::two_rows;
use kit::{Answer, Cast, Exercise, Judged, Outcome, PartOf, check, show_list};

use crate::{mistakes, solutions, stubs};
use ch03_twos_complement::predict_order as learner;

/// Somebody's three predictions.
pub(crate) struct Orders {
    pub(crate) big_endian: fn() -> [i64; 6],
    pub(crate) little_endian: fn() -> [i64; 6],
    pub(crate) text: fn() -> [i64; 6],
}

const NUMBERS: [i64; 6] = [-300, -200, -1, 0, 1, 256];

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(Orders {
        big_endian: learner::big_endian,
        little_endian: learner::little_endian,
        text: learner::text,
    }))
}

/// The exercise with anybody's predictions in the learner's place.
pub(crate) fn exercise_of(learner: Orders) -> Exercise<Orders> {
    let cast = Cast {
        learner,
        stub: Orders {
            big_endian: stubs::predict_order::big_endian,
            little_endian: stubs::predict_order::little_endian,
            text: stubs::predict_order::text,
        },
        solution: Orders {
            big_endian: solutions::predict_order::big_endian,
            little_endian: solutions::predict_order::little_endian,
            text: solutions::predict_order::text,
        },
    };
    Exercise::new("predict-order", "03-twos-complement", cast)
        .part(prediction("big_endian", |orders| (orders.big_endian)()))
        .part(prediction("little_endian", |orders| {
            (orders.little_endian)()
        }))
        .part(prediction("text", |orders| (orders.text)()))
        .check(rows("big_endian", "big-endian", |n| {
            n.to_be_bytes().to_vec()
        }))
        .check(rows("little_endian", "little-endian", |n| {
            n.to_le_bytes().to_vec()
        }))
        .check(rows("text", "text", |n| n.to_string().into_bytes()))
        .mistakes(mistakes::predict_order::all())
}

fn prediction(function: &'static str, ask: fn(&Orders) -> [i64; 6]) -> PartOf<Orders> {
    PartOf::new(function, "list").open().probe(
        format!("{function}()"),
        Answer::text("six rows"),
        &["predictions"],
        move |orders| show_list(ask(orders)),
    )
}

/// The rows are in the order of their bytes.
fn rows(
    function: &'static str,
    name: &'static str,
    bytes: fn(i64) -> Vec<u8>,
) -> impl FnOnce(&Sheet) -> check::Check {
    let claim = "A scan returns the rows in the order of their bytes.";
    check::custom(function, name, claim, move |part, outcomes| {
        let order = numbers(&outcomes[0]);
        let finding = |summary: String, detail: String| Finding {
            summary,
            detail,
            calls: vec![part.probes[0].call.clone()],
        };
        if let Some(summary) = not_the_six(&order) {
            return Some(finding(summary, String::new()));
        }
        let wrong = order
            .windows(2)
            .find(|pair| bytes(pair[0]) > bytes(pair[1]))?;
        let (first, second) = (wrong[0], wrong[1]);
        Some(finding(
            format!(
                "you put {first} before {second}, but the row of {first} comes after that of {second}"
            ),
            two_rows(
                (&first.to_string(), &bytes(first)),
                (&second.to_string(), &bytes(second)),
                "decides",
            ),
        ))
    })
}

/// What is wrong with a list that does not hold each of the six numbers once.
fn not_the_six(order: &[i64]) -> Option<String> {
    let missing = NUMBERS.iter().find(|number| !order.contains(number))?;
    let stranger = order.iter().find(|number| !NUMBERS.contains(number));
    Some(match stranger {
        Some(stranger) => {
            format!("{missing} is missing from your list, and {stranger} is none of the six")
        }
        None => {
            let (number, times) = repeated(order)?;
            let times = match times {
                2 => "twice".to_owned(),
                _ => format!("{times} times"),
            };
            format!("{missing} is missing from your list, and {number} is in it {times}")
        }
    })
}

/// The first number that is in a list more than once, and how often.
fn repeated(order: &[i64]) -> Option<(i64, usize)> {
    let mut counted = order.iter().map(|number| {
        let times = order.iter().filter(|other| *other == number).count();
        (*number, times)
    });
    counted.find(|(_, times)| *times > 1)
}

/// The numbers of an answer's list.
fn numbers(outcome: &Outcome) -> Vec<i64> {
    let text = outcome.answer().map_or("", |answer| answer.text.as_str());
    text.trim_matches(['[', ']'])
        .split(", ")
        .filter_map(|number| number.parse().ok())
        .collect()
}

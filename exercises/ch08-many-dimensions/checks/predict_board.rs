//! Predictions: the answer is never shown, only the first two members that are the wrong way round.

use kit::check::Check;
use kit::exercise::Sheet;
use kit::predict::{in_order, prediction};
use kit::{Cast, Exercise, Judged};

use crate::{mistakes, solutions, stubs};
use ch08_many_dimensions::predict_board as learner;

/// Somebody's three predictions.
pub(crate) struct Boards {
    pub(crate) by_gems: fn() -> [char; 6],
    pub(crate) by_score: fn() -> [char; 6],
    pub(crate) with_many_gems: fn() -> [char; 6],
}

/// Member, gems, paid, time field.
const PLAYERS: [(char, u64, u64, u64); 6] = [
    ('a', 300, 0, 21),
    ('b', 300, 1, 13),
    ('c', 500, 0, 16),
    ('d', 300, 1, 12),
    ('e', 100, 1, 40),
    ('f', 300, 0, 9),
];

const BY_GEMS: &str = "by_gems";
const BY_SCORE: &str = "by_score";
const WITH_MANY_GEMS: &str = "with_many_gems";
const LIST: &str = "six letters";

/// The score of a player on each of the boards.
type Score = fn(gems: u64, paid: u64, time: u64) -> f64;

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(Boards {
        by_gems: learner::by_gems,
        by_score: learner::by_score,
        with_many_gems: learner::with_many_gems,
    }))
}

/// The exercise with anybody's predictions in the learner's place.
pub(crate) fn exercise_of(learner: Boards) -> Exercise<Boards> {
    use solutions::predict_board as right;
    use stubs::predict_board as stub;
    let cast = Cast {
        learner,
        stub: Boards {
            by_gems: stub::by_gems,
            by_score: stub::by_score,
            with_many_gems: stub::with_many_gems,
        },
        solution: Boards {
            by_gems: right::by_gems,
            by_score: right::by_score,
            with_many_gems: right::with_many_gems,
        },
    };
    Exercise::new("predict-board", "08-many-dimensions", cast)
        .part(prediction(BY_GEMS, LIST, |boards| (boards.by_gems)()))
        .part(prediction(BY_SCORE, LIST, |boards| (boards.by_score)()))
        .part(prediction(WITH_MANY_GEMS, LIST, |boards| {
            (boards.with_many_gems)()
        }))
        .check(sorted(
            BY_GEMS,
            "gems",
            "The greatest score comes first, and of equal scores the greater member.",
            |gems, _, _| double(gems),
        ))
        .check(sorted(
            BY_SCORE,
            "packed",
            "The greatest packed score comes first.",
            |gems, paid, time| double(gems << 30 | paid << 29 | time),
        ))
        .check(sorted(
            WITH_MANY_GEMS,
            "doubles",
            "The greatest double comes first, and of equal doubles the greater member.",
            |gems, paid, time| double((gems + (1 << 24)) << 30 | paid << 29 | time),
        ))
        .mistakes(mistakes::predict_board::all())
}

#[expect(clippy::cast_precision_loss, reason = "the server does the same")]
fn double(score: u64) -> f64 {
    score as f64
}

fn sorted(
    function: &'static str,
    name: &'static str,
    claim: &'static str,
    score: Score,
) -> impl FnOnce(&Sheet) -> Check {
    let place =
        move |(member, gems, paid, time): (char, u64, u64, u64)| (score(gems, paid, time), member);
    in_order(function, name, claim, 'f', move |a, b| {
        let (first, second) = (player(a)?, player(b)?);
        let detail = || told(first) + &told(second);
        (place(first) < place(second)).then(|| (format!("{b} comes before {a}"), detail()))
    })
}

fn told((member, gems, paid, time): (char, u64, u64, u64)) -> String {
    format!("  {member}  gems {gems}  paid {paid}  time {time}\n")
}

fn player(letter: char) -> Option<(char, u64, u64, u64)> {
    PLAYERS.into_iter().find(|(member, ..)| *member == letter)
}

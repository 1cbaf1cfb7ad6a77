//! Predictions: the answer is never shown, only the first two members that stand the wrong way round.

use kit::check::Finding;
use kit::exercise::Sheet;
use kit::{Answer, Cast, Exercise, Judged, Outcome, PartOf, check};

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
        .part(prediction(BY_GEMS, |boards| (boards.by_gems)()))
        .part(prediction(BY_SCORE, |boards| (boards.by_score)()))
        .part(prediction(WITH_MANY_GEMS, |boards| {
            (boards.with_many_gems)()
        }))
        .check(sorted(
            BY_GEMS,
            "gems",
            "The greatest score stands first, and of equal scores the greater member.",
            |gems, _, _| double(gems),
        ))
        .check(sorted(
            BY_SCORE,
            "packed",
            "The greatest packed score stands first.",
            |gems, paid, time| double(gems << 30 | paid << 29 | time),
        ))
        .check(sorted(
            WITH_MANY_GEMS,
            "doubles",
            "The greatest double stands first, and of equal doubles the greater member.",
            |gems, paid, time| double((gems + (1 << 24)) << 30 | paid << 29 | time),
        ))
        .mistakes(mistakes::predict_board::all())
}

#[expect(clippy::cast_precision_loss, reason = "the server does the same")]
fn double(score: u64) -> f64 {
    score as f64
}

fn prediction(function: &'static str, ask: fn(&Boards) -> [char; 6]) -> PartOf<Boards> {
    PartOf::new(function, "list").open().probe(
        format!("{function}()"),
        Answer::text("six letters"),
        &["predictions"],
        move |boards| Answer::text(String::from_iter(ask(boards))),
    )
}

fn sorted(
    function: &'static str,
    name: &'static str,
    claim: &'static str,
    score: Score,
) -> impl FnOnce(&Sheet) -> check::Check {
    check::custom(function, name, claim, move |part, outcomes| {
        let letters = letters(&outcomes[0]);
        let finding = |summary: String, detail: String| Finding {
            summary,
            detail,
            calls: vec![part.probes[0].call.clone()],
        };
        if let Some(other) = letters.iter().find(|c| player(**c).is_none()) {
            let summary = format!("{other:?} is none of the letters a to f");
            return Some(finding(summary, String::new()));
        }
        for (letter, ..) in PLAYERS {
            let times = letters.iter().filter(|c| **c == letter).count();
            if times != 1 {
                let summary = format!("{letter} stands {times} times in your list, not once");
                return Some(finding(summary, String::new()));
            }
        }
        let place =
            |(member, gems, paid, time): (char, u64, u64, u64)| (score(gems, paid, time), member);
        letters.windows(2).find_map(|pair| {
            let (first, second) = (player(pair[0])?, player(pair[1])?);
            (place(first) < place(second)).then(|| {
                finding(
                    format!(
                        "you put {0} before {1}, but {1} stands before {0}",
                        first.0, second.0
                    ),
                    told(first) + &told(second),
                )
            })
        })
    })
}

fn told((member, gems, paid, time): (char, u64, u64, u64)) -> String {
    format!("  {member}  gems {gems}  paid {paid}  time {time}\n")
}

fn letters(outcome: &Outcome) -> Vec<char> {
    outcome
        .answer()
        .map_or_else(Vec::new, |answer| answer.text.chars().collect())
}

fn player(letter: char) -> Option<(char, u64, u64, u64)> {
    PLAYERS.into_iter().find(|(member, ..)| *member == letter)
}

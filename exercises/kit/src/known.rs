//! What the solution and the mistakes of an exercise answer, each asked once.
//!
//! A diagnosis compares an answer with every mistake, and a proof makes a diagnosis for each of them: as many
//! questions as the square of the mistakes. Their answers are kept, because they do not change.
//!
//! Left out: the learner's own answers. They may change, and are looked at for just that.

use std::sync::OnceLock;

use crate::answer::{Answer, Outcome};
use crate::exercise::{Judged, Sheet, Who};
use crate::guard;

/// An exercise that remembers.
pub(crate) struct Known<'a> {
    exercise: &'a dyn Judged,
    probes: usize,
    /// A row for the solution, and one for each mistake.
    outcomes: Vec<OnceLock<Outcome>>,
}

impl<'a> Known<'a> {
    /// Remembers nothing yet.
    pub(crate) fn new(exercise: &'a dyn Judged) -> Self {
        let sheet = exercise.sheet();
        let probes = sheet.probe_count();
        let rows = 1 + sheet.mistakes.len();
        Self {
            exercise,
            probes,
            outcomes: (0..rows * probes).map(|_| OnceLock::new()).collect(),
        }
    }
}

impl Judged for Known<'_> {
    fn sheet(&self) -> &Sheet {
        self.exercise.sheet()
    }

    fn ask(&self, who: Who, probe: usize) -> Answer {
        self.exercise.ask(who, probe)
    }

    fn behaves_like(&self, who: Who, probe: usize, outcome: &Outcome) -> bool {
        let ask = || guard::call(|| self.exercise.ask(who, probe));
        let row = match who {
            Who::Solution => 0,
            Who::Mistake(index) => 1 + index,
            Who::Learner | Who::Stub => return ask().behaves_like(outcome),
        };
        self.outcomes[row * self.probes + probe]
            .get_or_init(ask)
            .behaves_like(outcome)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::exercise::{Cast, Exercise, PartOf};

    #[test]
    fn the_solution_is_asked_once_and_the_learner_always() {
        static ASKED: AtomicUsize = AtomicUsize::new(0);
        let part = PartOf::new("f", "number").open().probe(
            "f(1)",
            Answer::text("1"),
            &["numbers"],
            |imp: &fn() -> &'static str| {
                ASKED.fetch_add(1, Ordering::Relaxed);
                Answer::text(imp())
            },
        );
        let cast: Cast<fn() -> &'static str> = Cast {
            learner: || "learner's",
            stub: || todo!(),
            solution: || "solution's",
        };
        let exercise = Exercise::new("e", "c", cast).part(part);
        let known = Known::new(&exercise);
        let says = |who, text| known.behaves_like(who, 0, &Outcome::Answer(Answer::text(text)));
        for _ in 0..3 {
            assert!(says(Who::Solution, "solution's"));
            assert!(!says(Who::Solution, "learner's"));
        }
        assert_eq!(ASKED.load(Ordering::Relaxed), 1);
        for _ in 0..3 {
            assert!(says(Who::Learner, "learner's"));
        }
        assert_eq!(ASKED.load(Ordering::Relaxed), 4);
    }
}

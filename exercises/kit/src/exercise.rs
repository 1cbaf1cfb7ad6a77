//! An exercise: what is asked, of whom, and what must hold of the answers.
//!
//! An exercise asks questions, called *probes*, of an *implementation*: a value of a type `I` that the
//! exercise chooses, most often a struct of functions. The learner's code, the untouched stub, the
//! reference solution and every mistake are such values, and all are asked the same probes.
//!
//! The probes fall into *parts*, one for each function that the learner writes. A part's probes are
//! ordered from the smallest to the largest; "the smallest counterexample" is the first in this order.
//!
//! A *check* is a function over the outcomes of one part. A *mistake* is an implementation that
//! embodies one misconception, in one part, and names the check that catches it.
//!
//! What an exercise is apart from `I`, its parts, probes, checks and mistakes, stands on its [`Sheet`].

use crate::answer::{Answer, Outcome};
use crate::check::Check;
use crate::gallery::Mistake;
use crate::guard;
pub use crate::sheet::{Fact, Kind, MistakeInfo, Part, Probe, Says, Sheet, Who};

/// The question put to an implementation.
pub type Ask<I> = Box<dyn Fn(&I) -> Answer + Send + Sync>;

/// An exercise whose implementation type is forgotten.
pub trait Judged: Send + Sync {
    /// What is asked and what must hold.
    fn sheet(&self) -> &Sheet;

    /// Puts one probe, counted over all parts, to an implementation. May panic, loop, or worse.
    fn ask(&self, who: Who, probe: usize) -> Answer;

    /// Whether an implementation that is known to return does the same on one probe. It may panic.
    fn behaves_like(&self, who: Who, probe: usize, outcome: &Outcome) -> bool {
        guard::call(|| self.ask(who, probe)).behaves_like(outcome)
    }
}

/// An exercise over implementations of type `I`.
pub struct Exercise<I> {
    sheet: Sheet,
    asks: Vec<Ask<I>>,
    learner: I,
    stub: I,
    solution: I,
    mistakes: Vec<I>,
}

impl<I: Send + Sync + 'static> Exercise<I> {
    /// An exercise without parts, checks or mistakes yet.
    pub fn new(name: &'static str, chapter: &'static str, cast: Cast<I>) -> Self {
        Self {
            sheet: Sheet {
                name,
                chapter,
                parts: Vec::new(),
                checks: Vec::new(),
                mistakes: Vec::new(),
                facts: Vec::new(),
                rests_on: Vec::new(),
            },
            asks: Vec::new(),
            learner: cast.learner,
            stub: cast.stub,
            solution: cast.solution,
            mistakes: Vec::new(),
        }
    }

    /// Adds a part, and fills in the expected answers from the solution where `fixed` asks for it.
    ///
    /// # Panics
    /// If a probe has no class, or some probes have a rank and others none.
    #[must_use]
    pub fn part(mut self, part: PartOf<I>) -> Self {
        let PartOf {
            mut part,
            asks,
            fixed,
        } = part;
        let of = format!("`{}` of the exercise `{}`", part.function, self.sheet.name);
        assert!(
            part.ranks.is_empty() || part.ranks.len() == part.probes.len(),
            "{of} has {} ranks for {} probes",
            part.ranks.len(),
            part.probes.len()
        );
        if let Some(probe) = part.probes.iter().find(|probe| probe.classes.is_empty()) {
            panic!("{of} has a probe without a class: {}", probe.call);
        }
        if fixed {
            for (probe, ask) in part.probes.iter_mut().zip(&asks) {
                // A solution that panics expects nothing; `prove` says that it is none.
                if probe.expected.is_none() {
                    probe.expected = guard::call(|| ask(&self.solution)).answer().cloned();
                }
            }
        }
        self.sheet.parts.push(part);
        self.asks.extend(asks);
        self
    }

    /// Adds a decoder, asked for given keys, and the same decoder asked for the keys of its own encoder.
    #[must_use]
    pub fn decoder(self, given: PartOf<I>, own: PartOf<I>) -> Self {
        let place = self.sheet.parts.len();
        let mut with = self.part(given).part(own.auxiliary());
        with.sheet.parts[place].own_keys = Some(place + 1);
        with
    }

    /// Adds a check.
    ///
    /// # Panics
    /// If the check names a function that no part has, or has the name of another one.
    #[must_use]
    pub fn check(mut self, check: impl FnOnce(&Sheet) -> Check) -> Self {
        let check = check(&self.sheet);
        let twin = self.sheet.checks.iter().any(|c| c.name == check.name);
        let (name, exercise) = (check.name, self.sheet.name);
        assert!(
            !twin,
            "the exercise `{exercise}` has two checks called `{name}`"
        );
        self.sheet.checks.push(check);
        self
    }

    /// Names another exercise of the chapter, whose functions this one may call.
    #[must_use]
    pub fn rests_on(mut self, exercise: &'static str) -> Self {
        self.sheet.rests_on.push(exercise);
        self
    }

    /// Adds something for `prove` to look into.
    #[must_use]
    pub(crate) fn fact(mut self, fact: Fact) -> Self {
        self.sheet.facts.push(fact);
        self
    }

    /// Adds mistakes.
    ///
    /// # Panics
    /// If a mistake names a function that no part has.
    #[must_use]
    pub fn mistakes(mut self, mistakes: Vec<Mistake<I>>) -> Self {
        for mistake in mistakes {
            let part = self.sheet.part_of(mistake.function);
            let info = mistake.info(part);
            for variant in mistake.variants {
                self.sheet.mistakes.push(MistakeInfo {
                    kind: Kind::Variant,
                    ..info.clone()
                });
                self.mistakes.push(variant);
            }
            self.sheet.mistakes.push(info);
            self.mistakes.push(mistake.imp);
        }
        self
    }
}

impl<I: Send + Sync + 'static> Judged for Exercise<I> {
    fn sheet(&self) -> &Sheet {
        &self.sheet
    }

    fn ask(&self, who: Who, probe: usize) -> Answer {
        let imp = match who {
            Who::Learner => &self.learner,
            Who::Stub => &self.stub,
            Who::Solution => &self.solution,
            Who::Mistake(index) => &self.mistakes[index],
        };
        self.asks[probe](imp)
    }
}

/// The three implementations that every exercise has.
pub struct Cast<I> {
    /// The code that the learner edits.
    pub learner: I,
    /// The stub as it was before any edit.
    pub stub: I,
    /// The reference solution.
    pub solution: I,
}

/// A part together with its questions.
pub struct PartOf<I> {
    part: Part,
    asks: Vec<Ask<I>>,
    fixed: bool,
}

impl<I> PartOf<I> {
    /// A part without probes, whose only right answers are those of the solution.
    pub fn new(function: &'static str, makes: &'static str) -> Self {
        Self {
            part: Part::new(function, makes),
            asks: Vec::new(),
            fixed: true,
        }
    }

    /// Leaves the answers open: the checks alone say what is right.
    #[must_use]
    pub fn open(mut self) -> Self {
        self.fixed = false;
        self
    }

    /// Adds a probe. Call it from the smallest to the largest.
    #[must_use]
    pub fn probe(
        mut self,
        call: impl Into<String>,
        input: Answer,
        classes: &[&'static str],
        ask: impl Fn(&I) -> Answer + Send + Sync + 'static,
    ) -> Self {
        self.push(call.into(), input, classes.to_vec(), Box::new(ask));
        self
    }

    /// Says in which order the answers must sort: one place for each probe, or none for all.
    #[must_use]
    pub fn ranked(mut self, ranks: Vec<usize>) -> Self {
        self.part.ranks = ranks;
        self
    }

    /// Says which function of the exercise this one is likely to call. It is judged when that one is right.
    #[must_use]
    pub fn after(mut self, function: &'static str) -> Self {
        self.part.after.push(function);
        self
    }

    /// Names a class on which a way that is right elsewhere takes for ever, and what to say of that way when a call of the
    /// class does not end. Ask for it in the sentence: the call may be endless for another reason.
    #[must_use]
    pub fn slow(mut self, class: &'static str, says: &'static str) -> Self {
        self.part.slow = Some((class, says));
        self
    }

    /// Adds what the exercise itself can tell of answers that no mistake matches: sentences that are computed from them, and
    /// so are true of them.
    #[must_use]
    pub fn says(mut self, says: Says) -> Self {
        self.part.says = Some(says);
        self
    }

    pub(crate) fn auxiliary(mut self) -> Self {
        self.part.auxiliary = true;
        self
    }

    pub(crate) fn judges(mut self, noun: &'static str) -> Self {
        self.part.judges = Some(noun);
        self
    }

    pub(crate) fn push(
        &mut self,
        call: String,
        input: Answer,
        classes: Vec<&'static str>,
        ask: Ask<I>,
    ) {
        self.part.probes.push(Probe {
            call,
            input,
            classes,
            expected: None,
        });
        self.asks.push(ask);
    }

    /// Says what the right answer to the last probe is, instead of what the solution gives.
    #[must_use]
    pub fn expect(mut self, answer: Answer) -> Self {
        if let Some(probe) = self.part.probes.last_mut() {
            probe.expected = Some(answer);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Show as _, check};

    fn exercise() -> Exercise<()> {
        let cast = Cast {
            learner: (),
            stub: (),
            solution: (),
        };
        Exercise::new("twice", "00-kit", cast)
    }

    fn part(classes: &[&'static str]) -> PartOf<()> {
        PartOf::new("twice", "number").probe("twice(1)", 1_i64.show(), classes, |()| 2_i64.show())
    }

    #[test]
    #[should_panic(expected = "`twice` of the exercise `twice` has 2 ranks for 1 probes")]
    fn a_part_has_a_rank_for_each_probe() {
        let _ = exercise().part(part(&["numbers"]).ranked(vec![0, 1]));
    }

    #[test]
    #[should_panic(
        expected = "`twice` of the exercise `twice` has a probe without a class: twice(1)"
    )]
    fn each_probe_has_a_class() {
        let _ = exercise().part(part(&[]));
    }

    #[test]
    #[should_panic(expected = "the exercise `twice` has two checks called `doubles`")]
    fn no_two_checks_have_one_name() {
        let doubles = || check::answers("twice", "doubles", "Twice the number.");
        let _ = exercise()
            .part(part(&["numbers"]))
            .check(doubles())
            .check(doubles());
    }
}

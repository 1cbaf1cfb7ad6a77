//! Exercises in which the learner writes the test, and the mistakes are what it is tried on.
//!
//! A *candidate* is somebody's code, right or wrong, of a type `C` that the exercise chooses: a
//! [`Codec`](crate::Codec), an `Arc<dyn Fn>`, a maker of stores. A *tester* is somebody's test of a candidate. It
//! refuses as any Rust test does, by a panic (`assert!`), or by `false`, or by `Err`.
//!
//! To the kit a tester is an implementation like any other, and each candidate is a probe. Its answer
//! is *accepted* or *refused*; the reason for a refusal travels beside it and is not compared. So all
//! that holds of other exercises holds here: a process of its own, the limits, the diagnosis by mistakes.
//! The mistakes of such an exercise are weak tests.
//!
//! Two checks follow from the candidates, in this order:
//! 1. `accepts-right`: no right candidate is refused;
//! 2. `kills`: every wrong one is.
//!
//! Left out: mutants made by a machine. Each wrong candidate is a mistake that somebody makes, with a
//! sentence on where it shows, and a *witness* that proves the sentence.

use std::fmt::{Display, Write as _};
use std::sync::Arc;

use crate::answer::{Answer, Death, Outcome, Show};
use crate::check::{self, Finding};
use crate::exercise::{Exercise, Fact, Part, PartOf};
use crate::guard;
use crate::panics;
use crate::render::{count, wrap};

mod heard;
mod written;

pub use heard::{watch, watch_decode};
pub use written::Written;

/// The check that no right candidate is refused.
pub const ACCEPTS_RIGHT: &str = "accepts-right";
/// The check that every wrong candidate is refused.
pub const KILLS: &str = "kills";

const ACCEPTED: &str = "accepted";
const REFUSED: &str = "refused";
/// Of a right candidate alone: the test broke down by itself, and neither accepted nor refused.
const BROKEN: &str = "the test panics by itself";
/// The classes of candidates.
const RIGHT: &str = "right implementations";
const WRONG: &str = "mistakes";

/// So many survivors are explained; of the others only the name is given.
const EXPLAINED_MAX: usize = 3;
/// Of a test that accepts nothing right, so many mistakes that it accepts are told.
const TAKEN_FOR_RIGHT_MAX: usize = 2;
/// A line of a panic's message is cut to so many characters.
const LINE_MAX: usize = 100;

/// What a test may return. A panic refuses, whatever the type.
pub trait Decision {
    /// The reason for which the candidate is refused, or nothing if it is accepted.
    fn refusal(self) -> Option<String>;
}

impl Decision for () {
    fn refusal(self) -> Option<String> {
        None
    }
}

impl Decision for bool {
    fn refusal(self) -> Option<String> {
        (!self).then(|| heard::FALSE.to_owned())
    }
}

impl<E: Display> Decision for Result<(), E> {
    fn refusal(self) -> Option<String> {
        self.err()
            .map(|reason| format!("It returns an error: {reason}."))
    }
}

/// Somebody's test of a candidate.
pub struct Tester<C>(Arc<Test<C>>);

type Test<C> = dyn Fn(&C) -> Option<String> + Send + Sync;
type Witness<C> = Arc<dyn Fn(&C) -> bool + Send + Sync>;

impl<C> Clone for Tester<C> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<C> Tester<C> {
    /// A tester from a function.
    pub fn new<D: Decision>(test: impl Fn(&C) -> D + Send + Sync + 'static) -> Self {
        Self(Arc::new(move |candidate| test(candidate).refusal()))
    }

    /// What the test says of a candidate. A `todo!()` in the test stays one.
    ///
    /// A test that stumbles over a wrong candidate, by an `unwrap` of what it returned, has refused it. A right candidate
    /// gives no cause to stumble.
    fn judge(&self, candidate: &C, right: bool) -> Answer {
        heard::take();
        let mut reason = None;
        let outcome = guard::call(|| {
            reason = (self.0)(candidate);
            Answer::text(if reason.is_none() { ACCEPTED } else { REFUSED })
        });
        let heard = heard::take();
        let calls = |reason: &str| {
            let earlier = if right {
                heard.earlier_calls(reason)
            } else {
                String::new()
            };
            heard.last_calls() + &earlier
        };
        match outcome {
            Outcome::Answer(answer) if reason.is_none() => answer.with_note(heard.summary()),
            Outcome::Answer(answer) => {
                let reason = reason.unwrap_or_default();
                let calls = calls(&reason);
                answer.with_note(reason + &calls)
            }
            Outcome::Panic { message, place }
                if right && !heard.is_in_a_call() && is_of_the_runtime(&message, &place) =>
            {
                let calls = heard.last_calls();
                Answer::text(BROKEN).with_note(format!(
                    "{place}: {}\n{}",
                    on_one_line(&message),
                    calls.trim()
                ))
            }
            Outcome::Panic { message, place } => Answer::text(REFUSED).with_note(format!(
                "It panics {place}: {}.{}",
                on_one_line(&message),
                calls(&message)
            )),
            Outcome::Todo { place } => guard::reach_todo(place),
            // A call that came back or unwound has not ended the process.
            Outcome::Died(_) | Outcome::NotAsked => unreachable!("the call was made here"),
        }
    }
}

/// How the panics begin that are no assertion, and that are laid to the line that made the call: those of sums, indexes,
/// `unwrap` and `unimplemented!()`. The standard library raises others in a line of its own, and no assertion is there.
const OF_THE_RUNTIME: [&str; 13] = [
    "attempt to ",
    "index out of bounds",
    "range start index",
    "range end index",
    "slice index starts",
    "byte index",
    "start byte index",
    "end byte index",
    "called `Option::unwrap()`",
    "called `Result::unwrap()`",
    "capacity overflow",
    "copy_from_slice",
    // Nobody refuses by `unimplemented!()`: the test ends where it is not written yet.
    "not implemented",
];

fn is_of_the_runtime(message: &str, place: &str) -> bool {
    place == guard::IN_THE_LIBRARY
        || OF_THE_RUNTIME
            .iter()
            .any(|beginning| message.starts_with(beginning))
}

/// `assert_eq!` writes three lines, and they may hold long lists.
fn on_one_line(message: &str) -> String {
    let alike = alike_at_first(message);
    let shortened = |line: &str| {
        let line = line.trim().trim_end_matches('.');
        let side = SIDES
            .iter()
            .find_map(|side| line.strip_prefix(side).map(|value| (side, value)));
        let line = match side {
            Some((side, value)) if alike > 0 => format!("{side}... {}", &value[alike..]),
            _ => line.to_owned(),
        };
        match line.char_indices().nth(LINE_MAX) {
            Some((end, _)) => format!("{} ...", &line[..end]),
            None => line,
        }
    };
    let lines: Vec<String> = message.lines().map(shortened).collect();
    lines.join("; ")
}

/// So many characters of the two sides of an `assert_eq!` are shown from where they differ, if there are so many.
const DIFFERING_MIN: usize = 20;

/// How the lines of an `assert_eq!` begin that hold its two sides.
const SIDES: [&str; 2] = ["left: ", "right: "];

/// How much of the two sides of an `assert_eq!` is left out in front: items that both begin with, where both would be cut
/// before they differ.
fn alike_at_first(message: &str) -> usize {
    let side = |beginning: &str| {
        let mut lines = message.lines();
        lines.find_map(|line| line.trim().strip_prefix(beginning))
    };
    let (Some(left), Some(right)) = (side(SIDES[0]), side(SIDES[1])) else {
        return 0;
    };
    let pairs = left.char_indices().zip(right.chars());
    let alike = pairs.take_while(|((_, a), b)| a == b).last();
    let end = alike.map_or(0, |((at, a), _)| at + a.len_utf8());
    // So much of a line is left for what differs.
    if left[..end].chars().count() + DIFFERING_MIN <= LINE_MAX {
        return 0;
    }
    // From the beginning of the item in which they differ: a list in a list, or a number.
    let item = ["], ", ", "].iter().find_map(|between| {
        let place = left[..end].rfind(between)?;
        Some(place + between.len())
    });
    item.unwrap_or_default()
}

struct Right<C> {
    name: &'static str,
    says: &'static str,
    candidate: C,
}

/// A wrong candidate.
pub struct Wrong<C> {
    name: &'static str,
    says: &'static str,
    shows: &'static str,
    candidate: C,
    witness: Option<Witness<C>>,
}

impl<C> Wrong<C> {
    /// A wrong candidate with its name, in `snake_case`.
    pub fn new(name: &'static str, candidate: C) -> Self {
        Self {
            name,
            says: "",
            shows: "",
            candidate,
            witness: None,
        }
    }

    /// What it does, as a sentence: "It leaves the sign bit as it is."
    #[must_use]
    pub fn says(mut self, says: &'static str) -> Self {
        self.says = says;
        self
    }

    /// Where it is wrong, to complete "It shows ...": "between a negative number and a positive one".
    ///
    /// The witness holds of every right candidate and not of this one; `prove` tries it.
    #[must_use]
    pub fn shows(
        mut self,
        shows: &'static str,
        witness: impl Fn(&C) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.shows = shows;
        self.witness = Some(Arc::new(witness));
        self
    }
}

/// What a test is tried on.
pub struct Candidates<C> {
    noun: &'static str,
    right: Vec<Right<C>>,
    wrong: Vec<Wrong<C>>,
}

impl<C> Candidates<C> {
    /// No candidates yet. The noun stands for one of them in sentences: `encoder`, `comparator`, `store`.
    pub fn new(noun: &'static str) -> Self {
        Self {
            noun,
            right: Vec::new(),
            wrong: Vec::new(),
        }
    }

    /// Adds a right candidate. The sentence says what it does.
    #[must_use]
    pub fn right(mut self, name: &'static str, says: &'static str, candidate: C) -> Self {
        self.right.push(Right {
            name,
            says,
            candidate,
        });
        self
    }

    /// Adds a wrong candidate. Begin with the plainest: survivors are shown in this order.
    #[must_use]
    pub fn wrong(mut self, wrong: Wrong<C>) -> Self {
        self.wrong.push(wrong);
        self
    }
}

impl<I: Send + Sync + 'static> Exercise<I> {
    /// Adds a test that the learner writes: a part with a probe for each candidate, and its two checks.
    ///
    /// `tester` finds the test in an implementation. Where the implementation *is* the test, that is `|t| t`.
    #[must_use]
    pub fn tester<C: Send + Sync + 'static>(
        self,
        function: &'static str,
        tester: fn(&I) -> &Tester<C>,
        candidates: Candidates<C>,
    ) -> Self {
        let candidates = Arc::new(candidates);
        let noun = candidates.noun;
        let mut part = PartOf::new(function, "decision").judges(noun);
        let right = candidates.right.iter().map(|c| (c.name, c.says, RIGHT));
        let wrong = candidates.wrong.iter().map(|c| (c.name, c.says, WRONG));
        for (index, (name, says, class)) in right.chain(wrong).enumerate() {
            let all = Arc::clone(&candidates);
            part = part
                .probe(
                    format!("{function}({name})"),
                    Answer::text(name).with_note(says),
                    &[class],
                    move |imp: &I| match index.checked_sub(all.right.len()) {
                        None => tester(imp).judge(&all.right[index].candidate, true),
                        Some(wrong) => tester(imp).judge(&all.wrong[wrong].candidate, false),
                    },
                )
                .expect(Answer::text(if class == RIGHT {
                    ACCEPTED
                } else {
                    REFUSED
                }));
        }
        let (for_right, for_wrong) = (Arc::clone(&candidates), Arc::clone(&candidates));
        self.part(part)
            .check(check::custom(
                function,
                ACCEPTS_RIGHT,
                format!("A right {noun} passes your test."),
                move |part, outcomes| refused_right(&for_right, part, outcomes),
            ))
            .check(check::custom(
                function,
                KILLS,
                format!("A wrong {noun} does not pass your test."),
                move |part, outcomes| survivors(&for_wrong, part, outcomes),
            ))
            .fact(Fact {
                what: format!(
                    "each of {} is wrong where it says",
                    count(candidates.wrong.len(), &format!("wrong {noun}"))
                ),
                fault: Box::new(move || false_witness(&candidates)),
            })
    }
}

/// The first right candidate that was refused.
fn refused_right<C>(
    candidates: &Candidates<C>,
    part: &Part,
    outcomes: &[Outcome],
) -> Option<Finding> {
    let index = (0..candidates.right.len()).find(|&i| !accepted(&outcomes[i]))?;
    let Right { name, says, .. } = &candidates.right[index];
    let answer = outcomes[index].answer();
    let note = answer.and_then(|a| a.note.clone()).unwrap_or_default();
    let (summary, rest) = match note.split_once('\n') {
        Some((panic, calls)) if answer.is_some_and(|a| a.text == BROKEN) => {
            let means: String = panics::meanings(&[panic])
                .into_iter()
                .map(|means| means + "\n")
                .collect();
            (
                format!("your test panics by itself {panic}"),
                format!(
                    "That is no failed assertion. {means}It was tried on a right {}, `{name}`: {says}\n{calls}",
                    candidates.noun
                ),
            )
        }
        _ => (
            format!("your test refuses a right answer, `{name}`"),
            format!("{says}\nYour test: {note}"),
        ),
    };
    Some(Finding {
        summary,
        detail: wrap(&rest, "  "),
        calls: vec![part.probes[index].call.clone()],
    })
}

/// The wrong candidates that were accepted.
fn survivors<C>(candidates: &Candidates<C>, part: &Part, outcomes: &[Outcome]) -> Option<Finding> {
    let (right, wrong) = outcomes.split_at(candidates.right.len());
    let alive: Vec<&Wrong<C>> = candidates
        .wrong
        .iter()
        .zip(wrong)
        .filter(|(_, outcome)| accepted(outcome))
        .map(|(wrong, _)| wrong)
        .collect();
    if alive.is_empty() {
        return None;
    }
    let mut detail = String::new();
    for Wrong {
        name, says, shows, ..
    } in alive.iter().take(EXPLAINED_MAX)
    {
        let _ = writeln!(detail, "  {name}");
        detail.push_str(&wrap(&format!("{says} It shows {shows}."), "    "));
    }
    if alive.len() > EXPLAINED_MAX {
        let names: Vec<&str> = alive[EXPLAINED_MAX..].iter().map(|w| w.name).collect();
        let more = format!("and {} more: {}", names.len(), names.join(", "));
        detail.push_str(&wrap(&more, "  "));
    }
    let note = right.first().and_then(|o| o.answer()?.note.clone());
    if let Some(note) = note {
        detail.push('\n');
        detail.push_str(&wrap(&format!("On a right one, your test {note}"), "  "));
    }
    Some(Finding {
        summary: format!(
            "killed {} of {}: your test accepts {}",
            wrong.len() - alive.len(),
            wrong.len(),
            count(alive.len(), &format!("wrong {}", candidates.noun))
        ),
        detail,
        calls: vec![part.probes[candidates.right.len()].call.clone()],
    })
}

fn accepted(outcome: &Outcome) -> bool {
    outcome.answer().is_some_and(|a| a.text == ACCEPTED)
}

/// Whether a test refused every candidate, right or wrong.
pub(crate) fn refuses_all(outcomes: &[Outcome]) -> bool {
    outcomes
        .iter()
        .all(|o| o.answer().is_some_and(|a| a.text == REFUSED))
}

/// Whether a test accepts every right candidate.
pub(crate) fn accepts_all_right(part: &Part, outcomes: &[Outcome]) -> bool {
    part.members(RIGHT).iter().all(|&i| accepted(&outcomes[i]))
}

/// How a test decides on all candidates, in a sentence that is true of it.
pub(crate) fn observe(part: &Part, outcomes: &[Outcome]) -> Vec<String> {
    if outcomes.iter().any(|o| o.answer().is_none()) {
        return Vec::from_iter(not_ended(part, outcomes));
    }
    let of = |class: &str| {
        let members = part.members(class);
        let yes = members.iter().filter(|&&i| accepted(&outcomes[i])).count();
        (yes, members.len())
    };
    let ((kept, right), (alive, wrong)) = (of(RIGHT), of(WRONG));
    let mut said = vec![format!(
        "It accepts {kept} of {}, and refuses {} of {}.",
        count(right, "right implementation"),
        wrong - alive,
        count(wrong, "mistake")
    )];
    // Two that keep the rules differ in what the rules leave free.
    let one = |text: &str| {
        let is = |i: &&usize| outcomes[**i].answer().is_some_and(|a| a.text == text);
        part.members(RIGHT).iter().find(is).copied()
    };
    if let (Some(kept), Some(lost)) = (one(ACCEPTED), one(REFUSED)) {
        let name = |i: usize| &part.probes[i].input.text;
        said.push(format!(
            "Of the right ones it accepts `{}` and refuses `{}`. Both keep the rules, so your test demands something that the \
             rules leave free.",
            name(kept),
            name(lost)
        ));
    }
    // Who refuses all that is right and keeps a mistake takes the mistake for the rule.
    if kept == 0 && (1..=TAKEN_FOR_RIGHT_MAX).contains(&alive) {
        let members = part.members(WRONG);
        for &i in members.iter().filter(|&&i| accepted(&outcomes[i])) {
            let Answer { text, note, .. } = &part.probes[i].input;
            let says = note.as_deref().unwrap_or_default();
            said.push(format!(
                "It accepts `{text}`, which is wrong: {says} What your test demands holds of that one, and of no right one."
            ));
        }
    }
    said
}

/// What is certain of a test that did not come back, by what it was tried on.
fn not_ended(part: &Part, outcomes: &[Outcome]) -> Option<String> {
    let noun = part.judges.unwrap_or_default();
    let dead = |(i, outcome): (usize, &Outcome)| match outcome {
        Outcome::Died(death) => Some((i, death.clone())),
        _ => None,
    };
    let (tried, death) = outcomes.iter().enumerate().find_map(dead)?;
    match death {
        Death::EndlessLoop { .. } if part.members(RIGHT).contains(&tried) => Some(format!(
            "It was tried on a right {noun}, whose calls all return. So your test itself has a loop without an end, or it makes too \
             many calls: that limit is for all calls of one test together."
        )),
        Death::EndlessLoop { .. } => {
            let Answer { text, note, .. } = &part.probes[tried].input;
            let says = note.as_deref().unwrap_or_default();
            Some(format!(
                "It was tried on a wrong {noun}, `{text}`, and came back from every right one. {says} A loop that waits for what a \
                 right one answers may never end there: count its turns, and refuse after too many."
            ))
        }
        // Whichever was tried last, it is not the one that took the time.
        Death::TooSlow { .. } => Some(format!(
            "It came back each time, and the limit is for all times together: it is tried on {}, and twice on each. Make fewer calls in it, \
             and do not wait.",
            count(part.probes.len(), noun)
        )),
        Death::Exit(_) => Some(format!(
            "A test refuses by a panic, as by `assert!`: whoever ends the process is not tried on the {noun}s that are left."
        )),
        _ => None,
    }
}

/// The wrong candidates whose witness does not hold what it promises.
fn false_witness<C>(candidates: &Candidates<C>) -> Option<String> {
    let holds = |witness: &Witness<C>, candidate: &C| {
        let outcome = guard::call(|| witness(candidate).show());
        outcome.answer().is_some_and(|a| a.text == "true")
    };
    let mut faults = Vec::new();
    for wrong in &candidates.wrong {
        let Some(witness) = &wrong.witness else {
            faults.push(format!("{} has no witness", wrong.name));
            continue;
        };
        if holds(witness, &wrong.candidate) {
            faults.push(format!("the witness of {} does not refuse it", wrong.name));
        }
        for right in &candidates.right {
            if !holds(witness, &right.candidate) {
                faults.push(format!(
                    "the witness of {} refuses {}, which is right",
                    wrong.name, right.name
                ));
            }
        }
    }
    (!faults.is_empty()).then(|| faults.join("; "))
}

#[cfg(test)]
mod tests;

//! Finds the mistake that an answer behaves like, or says what can be said without a name.

use crate::answer::Outcome;
use crate::exercise::{Judged, Sheet, Who};
use crate::observe::observe;
use crate::tester;

/// A class with fewer probes says too little for a comparison.
const CLASS_MIN: usize = 8;

/// What is known of one part's behaviour.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Diagnosis {
    /// The mistake that agrees on every probe: an index into the sheet's mistakes.
    pub(crate) named: Option<usize>,
    /// Sentences that are true of the behaviour; empty when there is a name.
    pub(crate) observations: Vec<String>,
    /// Of a test that the learner writes: it refuses every candidate. Many reasons lead there, so a name is
    /// an example and no more.
    pub(crate) refuses_all: bool,
}

impl Diagnosis {
    pub(crate) fn mistake(&self, sheet: &Sheet) -> Option<String> {
        Some(sheet.mistakes[self.named?].name.clone())
    }
}

/// Diagnoses one part.
pub(crate) fn diagnose(exercise: &dyn Judged, part: usize, outcomes: &[Outcome]) -> Diagnosis {
    let sheet = exercise.sheet();
    let all: Vec<usize> = (0..outcomes.len()).collect();
    let refuses_all = sheet.parts[part].judges.is_some() && tester::refuses_all(outcomes);
    if let Some(named) = agreeing(exercise, part, outcomes, &all).first() {
        return Diagnosis {
            named: Some(*named),
            observations: Vec::new(),
            refuses_all,
        };
    }
    let info = &sheet.parts[part];
    let mut observations = match info.judges {
        Some(_) => tester::observe(info, outcomes),
        None => observe(info, outcomes),
    };
    // Weak tests that let the same mistakes live may differ in all else, and in what they do to right ones.
    if info.judges.is_none() {
        observations.extend(nearest(exercise, part, outcomes));
    }
    Diagnosis {
        named: None,
        observations,
        refuses_all,
    }
}

/// The mistakes that behave like `outcomes` on the given probes: those that err in this part first,
/// written ones before composed ones.
fn agreeing(
    exercise: &dyn Judged,
    part: usize,
    outcomes: &[Outcome],
    members: &[usize],
) -> Vec<usize> {
    let sheet = exercise.sheet();
    let start = sheet.start(part);
    // Wrong answers first: most mistakes differ there, and are asked nothing more.
    let is_wrong = |i: &usize| {
        let expected = sheet.parts[part].probes[*i].expected.as_ref();
        expected.is_some_and(|expected| outcomes[*i].answer() != Some(expected))
    };
    let (mut members, right): (Vec<usize>, Vec<usize>) = members.iter().partition(|&i| is_wrong(i));
    members.extend(right);
    let mut found: Vec<usize> = (0..sheet.mistakes.len())
        .filter(|&mistake| {
            members
                .iter()
                .all(|&i| exercise.behaves_like(Who::Mistake(mistake), start + i, &outcomes[i]))
        })
        .collect();
    found.sort_by_key(|&i| (sheet.mistakes[i].part != part, sheet.mistakes[i].composed));
    found
}

/// Classes on which the answer is wrong and just one known mistake agrees with all of it.
///
/// Calls that gave no answer do not count for or against a mistake.
fn nearest(exercise: &dyn Judged, part: usize, outcomes: &[Outcome]) -> Vec<String> {
    let sheet = exercise.sheet();
    let info = &sheet.parts[part];
    let start = sheet.start(part);
    let right = |i: usize| exercise.behaves_like(Who::Solution, start + i, &outcomes[i]);
    let mut found: Vec<(usize, Vec<&str>)> = Vec::new();
    for class in info.groups() {
        let members: Vec<usize> = info
            .members(class)
            .into_iter()
            .filter(|&i| outcomes[i].answer().is_some())
            .collect();
        if members.len() < CLASS_MIN || members.iter().all(|&i| right(i)) {
            continue;
        }
        let agreeing: Vec<usize> = agreeing(exercise, part, outcomes, &members)
            .into_iter()
            .filter(|&m| !sheet.mistakes[m].composed)
            .collect();
        let [only] = agreeing[..] else { continue };
        match found.iter_mut().find(|(mistake, _)| *mistake == only) {
            Some((_, classes)) => classes.push(class),
            None => found.push((only, vec![class])),
        }
    }
    let complete = outcomes.iter().all(|o| o.answer().is_some());
    found
        .into_iter()
        .map(|(mistake, classes)| {
            format!(
                "On the {} it behaves like {}{}.",
                classes.join(" and on the "),
                sheet.mistakes[mistake].says,
                if complete {
                    ""
                } else {
                    ", wherever it answers"
                }
            )
        })
        .collect()
}

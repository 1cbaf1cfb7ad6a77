//! From behaviour to verdict: which check fails first, what the answer is, and what to read.

use serde::{Deserialize, Serialize};

use crate::answer::{Death, Outcome};
use crate::check::{Finding, wrong_answers};
use crate::diagnose::{Diagnosis, diagnose};
use crate::exercise::{Judged, Sheet, Who};
use crate::guard;
use crate::isolate::Behaviour;
use crate::message;
use crate::render::brief;

/// Where a learner stands with an exercise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Every function is still `todo!()`.
    NotStarted,
    /// Something is written, and not all of it is right.
    Failing,
    /// Every check passes.
    Passed,
}

/// The judgement on one implementation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// The exercise's name.
    pub name: String,
    /// Where the learner stands.
    pub state: State,
    /// The first check that fails.
    pub check: Option<String>,
    /// The known mistake that the answer behaves like on every probe.
    pub mistake: Option<String>,
    /// What is wrong, in one line.
    pub diagnosis: Option<String>,
    /// The whole text for the learner; empty unless failing.
    pub message: String,
}

/// The check that every part has before its own: each call returns.
pub(crate) const RETURNS: &str = "returns";
/// The second one: the same question gets the same answer.
pub(crate) const SAME_ANSWER: &str = "same-answer";

/// How one part stands.
pub(crate) enum Standing {
    /// Still `todo!()` everywhere.
    Unwritten,
    /// Not looked at, because an earlier part ended the process.
    NotReached,
    /// A check fails.
    Failed(Fault),
    /// A decoder that undoes the learner's own encoder on every probe, though the encoder is wrong.
    UndoesItsEncoder,
    /// It gives wrong answers, and so does the function that it is likely to call.
    Waits(&'static str),
    /// Asked only for the sake of another part.
    Auxiliary,
    /// All its checks pass.
    Right,
}

/// The first failing check of a part.
pub(crate) struct Fault {
    pub(crate) function: &'static str,
    pub(crate) check: &'static str,
    pub(crate) claim: String,
    pub(crate) finding: Finding,
    pub(crate) diagnosis: Diagnosis,
}

/// Judges what an implementation did.
pub fn judge(exercise: &dyn Judged, behaviour: &Behaviour) -> Verdict {
    let sheet = exercise.sheet();
    let mut standings: Vec<Standing> = (0..sheet.parts.len())
        .map(|part| stand(exercise, behaviour, part))
        .collect();
    excuse_decoders(sheet, behaviour, &mut standings);
    excuse_callers(sheet, &mut standings);
    let judged = || {
        let auxiliary = |s: &&Standing| matches!(s, Standing::Auxiliary);
        standings.iter().filter(move |s| !auxiliary(s))
    };
    let mut verdict = Verdict {
        name: sheet.name.to_owned(),
        state: State::Failing,
        check: None,
        mistake: None,
        diagnosis: None,
        message: String::new(),
    };
    if judged().all(|s| matches!(s, Standing::Unwritten)) {
        verdict.state = State::NotStarted;
        return verdict;
    }
    if judged().all(|s| matches!(s, Standing::Right)) {
        verdict.state = State::Passed;
        return verdict;
    }
    let fault = standings.iter().find_map(|standing| match standing {
        Standing::Failed(fault) => Some(fault),
        _ => None,
    });
    if let Some(fault) = fault {
        verdict.check = Some(fault.check.to_owned());
        verdict.mistake = fault.diagnosis.mistake(sheet);
    }
    verdict.diagnosis = Some(message::line(sheet, &standings));
    verdict.message = message::full(sheet, &standings, &behaviour.printed);
    verdict
}

fn stand(exercise: &dyn Judged, behaviour: &Behaviour, part: usize) -> Standing {
    let sheet = exercise.sheet();
    let outcomes = sheet.of_part(part, &behaviour.outcomes);
    if sheet.parts[part].auxiliary {
        return Standing::Auxiliary;
    }
    let own = file_of_stub(exercise, part, outcomes);
    let is_own = |place: &str| {
        // Answers of tests stand where no exercise does.
        let is_of_an_exercise = place.contains("/src/");
        !is_of_an_exercise || own.as_deref().is_none_or(|own| own == file_of(place))
    };
    let own_todo = |o: &Outcome| matches!(o, Outcome::Todo { place } if is_own(place));
    if outcomes.iter().all(own_todo) {
        return Standing::Unwritten;
    }
    if outcomes.iter().all(|o| matches!(o, Outcome::NotAsked)) {
        return Standing::NotReached;
    }
    // A decoder is asked in two places, and judged in one of them.
    let places = [Some(part), sheet.parts[part].own_keys];
    let unstable = behaviour.unstable.as_ref().filter(|(probe, _)| {
        places.iter().flatten().any(|&place| {
            let start = sheet.start(place);
            (start..start + sheet.parts[place].probes.len()).contains(probe)
        })
    });
    let fault = |check: &'static str, claim: String, finding: Finding| {
        // The answers may be right where the second round alone took too long. Then the mistakes of other parts agree with them.
        let is_late = check == RETURNS && outcomes.iter().all(|o| o.answer().is_some());
        let diagnosis = if check == SAME_ANSWER || is_late {
            Diagnosis::default()
        } else {
            diagnose(exercise, part, outcomes)
        };
        Standing::Failed(Fault {
            function: sheet.parts[part].function,
            check,
            claim,
            finding,
            diagnosis,
        })
    };
    let late = match unstable {
        // The first round was just in time: nothing is known of other answers.
        Some((probe, Outcome::Died(death @ Death::TooSlow { .. }))) => {
            Some(too_slow(sheet, *probe, death))
        }
        _ => None,
    };
    if let Some(finding) = returns(sheet, part, outcomes, is_own).or(late) {
        let claim = format!("Every call of `{}` returns.", sheet.parts[part].function);
        return fault(RETURNS, claim, finding);
    }
    if let Some((probe, again)) = unstable {
        let finding = same_answer(sheet, &behaviour.outcomes[*probe], *probe, again);
        let claim = "The same question gets the same answer.".to_owned();
        return fault(SAME_ANSWER, claim, finding);
    }
    for check in sheet.checks.iter().filter(|check| check.part == part) {
        if let Some(finding) = (check.test)(&sheet.parts[part], outcomes) {
            return fault(check.name, check.claim.clone(), finding);
        }
    }
    Standing::Right
}

/// Where an encoder is wrong, a decoder that fits it is not at fault by itself.
fn excuse_decoders(sheet: &Sheet, behaviour: &Behaviour, standings: &mut [Standing]) {
    for part in 0..standings.len() {
        let failed = |s: &Standing| matches!(s, Standing::Failed(_));
        let another_failed = standings
            .iter()
            .enumerate()
            .any(|(other, s)| other != part && failed(s));
        if another_failed
            && failed(&standings[part])
            && undoes_its_encoder(sheet, part, &behaviour.outcomes)
        {
            standings[part] = Standing::UndoesItsEncoder;
        }
    }
}

/// Where a function is wrong, one that calls it is not at fault by itself.
///
/// Left out: to try what the solution would answer over the learner's function. Solutions would have to be written
/// over any such function, and the learner mends the first one first anyway.
fn excuse_callers(sheet: &Sheet, standings: &mut [Standing]) {
    for part in 0..standings.len() {
        let wrong = |called: &&&'static str| {
            let standing = &standings[sheet.part_of(called)];
            matches!(standing, Standing::Failed(_) | Standing::Waits(_))
        };
        let called = sheet.parts[part].after.iter().find(wrong).copied();
        if let (Standing::Failed(_), Some(called)) = (&standings[part], called) {
            standings[part] = Standing::Waits(called);
        }
    }
}

/// Whether a decoder gives back every value that its own encoder has written.
fn undoes_its_encoder(sheet: &Sheet, part: usize, outcomes: &[Outcome]) -> bool {
    sheet.parts[part].own_keys.is_some_and(|own| {
        wrong_answers(&sheet.parts[own], sheet.of_part(own, outcomes)).is_empty()
    })
}

/// The file in which the stub of a function ends. A learner's file has the same name; a `todo!()` in another one is that
/// of another exercise, which this one calls. Nothing if no `todo!()` was reached.
fn file_of_stub(exercise: &dyn Judged, part: usize, outcomes: &[Outcome]) -> Option<String> {
    let reached = |o: &Outcome| matches!(o, Outcome::Todo { .. });
    let probe = exercise.sheet().start(part) + outcomes.iter().position(reached)?;
    match guard::call(|| exercise.ask(Who::Stub, probe)) {
        Outcome::Todo { place } => Some(file_of(&place).to_owned()),
        _ => None,
    }
}

/// The file's name, out of `at folder/file.rs:7`.
fn file_of(place: &str) -> &str {
    let name = place.rsplit('/').next().unwrap_or_default();
    name.split(':').next().unwrap_or_default()
}

fn returns(
    sheet: &Sheet,
    part: usize,
    outcomes: &[Outcome],
    is_own: impl Fn(&str) -> bool,
) -> Option<Finding> {
    let part = &sheet.parts[part];
    let first = outcomes.iter().position(|o| o.answer().is_none())?;
    let call = &part.probes[first].call;
    let summary = match &outcomes[first] {
        Outcome::Todo { place } if !is_own(place) => {
            format!("{call} reaches a `todo!()` in another file, {place}")
        }
        Outcome::Todo { .. } => format!("{call} reaches a `todo!()`"),
        Outcome::Panic { message, place } => {
            format!("{call} panics {place}: {}", brief(message))
        }
        other => format!("{call}: {}", brief(&other.brief())),
    };
    Some(Finding {
        summary,
        detail: String::new(),
        calls: vec![call.clone()],
    })
}

/// All answers came, and not soon enough to ask again for any of them.
fn too_slow(sheet: &Sheet, probe: usize, death: &Death) -> Finding {
    let call = sheet.call(probe);
    Finding {
        summary: format!("{call}, asked for the second time: {death}"),
        detail: "  Every question is put twice, and all calls share the time.\n".to_owned(),
        calls: vec![call.to_owned()],
    }
}

fn same_answer(sheet: &Sheet, before: &Outcome, probe: usize, again: &Outcome) -> Finding {
    let call = sheet.call(probe);
    Finding {
        summary: format!(
            "{call} gave {} at first, and then {}",
            brief(&before.brief()),
            brief(&again.brief())
        ),
        detail:
            "  The same call must give the same answer, whatever was called before, and when.\n"
                .to_owned(),
        calls: vec![call.to_owned()],
    }
}

//! Helpers for `tests/unseen.rs`: answers that no mistake matches are laid before an exercise, and what it says is read.

use std::io::{Write as _, stderr};
use std::process::exit;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::answer::{Death, Outcome};
use crate::check::Check;
use crate::exercise::{Judged, Part, Probe, Who};
use crate::guard;
use crate::isolate::{Behaviour, observe_here};
use crate::judge::{State, Verdict, judge};

/// How long one answer may take. A right one takes seconds, and a busy machine may give it little of its time.
const LIMIT: Duration = Duration::from_secs(900);

/// What a call of [`never_returns`] panics with.
const NEVER: &str = "this call never returns";

/// Stands in an answer for a loop that takes for ever: the call is judged as one that was ended by force.
///
/// # Panics
/// Always; [`judged`] knows it.
pub fn never_returns() -> ! {
    panic!("{NEVER}")
}

/// As it is in a process of its own: after a call that never returns nothing is asked.
fn ended_by_force(behaviour: &mut Behaviour) {
    let never = |o: &Outcome| matches!(o, Outcome::Panic { message, .. } if message == NEVER);
    if let Some(first) = behaviour.outcomes.iter().position(never) {
        behaviour.outcomes[first..].fill(Outcome::NotAsked);
        behaviour.outcomes[first] = Outcome::Died(Death::EndlessLoop { limit_ms: 1000 });
        behaviour.unstable = None;
    }
}

/// The verdict on the code in the learner's place, which is run in this process. Prints what a learner would read.
///
/// The answer is a closure and cannot be handed to another process, as a learner's is, and a thread that loops cannot be
/// ended. So an answer that takes minutes ends the whole program, with the name of the exercise.
pub fn judged(exercise: &dyn Judged) -> Verdict {
    let name = exercise.sheet().name;
    let late = move || {
        let seconds = LIMIT.as_secs();
        // Without a panic where nobody reads any more: the loop would go on.
        _ = writeln!(
            stderr(),
            "an answer to {name} has taken {seconds} s: it loops, or is too slow"
        );
        exit(101);
    };
    let mut behaviour = within(LIMIT, || observe_here(exercise, Who::Learner), late);
    ended_by_force(&mut behaviour);
    let verdict = judge(exercise, &behaviour);
    println!("{:?}\n{}", verdict.diagnosis, verdict.message);
    verdict
}

/// What `run` returns. If it has not by then, `late` is called in another thread.
fn within<T>(limit: Duration, run: impl FnOnce() -> T, late: impl FnOnce() + Send + 'static) -> T {
    let (done, ended) = mpsc::channel::<()>();
    thread::spawn(move || {
        // Nothing is ever sent: the channel closes when `run` has returned or panicked.
        if ended.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
            late();
        }
    });
    let result = run();
    drop(done);
    result
}

/// Whether the code in the learner's place passes, without a word on what is wrong where it does not: for answers by the hundred.
/// Each question is put once, the last one first, up to the first answer that is not the expected one.
pub fn passes(exercise: &dyn Judged) -> bool {
    let sheet = exercise.sheet();
    let mut probes: Vec<(&Part, &Probe)> = Vec::new();
    for part in &sheet.parts {
        probes.extend(part.probes.iter().map(|probe| (part, probe)));
    }
    let mut outcomes = vec![Outcome::NotAsked; probes.len()];
    for (place, (part, probe)) in probes.iter().enumerate().rev() {
        outcomes[place] = guard::call(|| exercise.ask(Who::Learner, place));
        let is_wrong = match (outcomes[place].answer(), &probe.expected) {
            (None, _) => true,
            (Some(answer), Some(expected)) => answer != expected,
            (Some(_), None) => false,
        };
        if is_wrong && !part.auxiliary {
            return false;
        }
    }
    let passes = |check: &Check| {
        let part = &sheet.parts[check.part];
        part.auxiliary || (check.test)(part, sheet.of_part(check.part, &outcomes)).is_none()
    };
    sheet.checks.iter().all(passes)
}

/// A fault in one bit of a number, wherever that number is large: for the code in the learner's place.
#[derive(Clone)]
pub struct Astray(Arc<Mutex<Fault>>);

#[derive(Clone, Copy, Debug)]
struct Fault {
    bit: u32,
    what: What,
    /// Smaller numbers stay as they are.
    from: u64,
}

#[derive(Clone, Copy, Debug)]
enum What {
    Lost,
    Set,
    TurnedRound,
}

impl Astray {
    /// What becomes of this number.
    #[must_use]
    pub fn of(&self, number: u64) -> u64 {
        let fault = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bit = 1 << fault.bit;
        match fault.what {
            _ if number < fault.from => number,
            What::Lost => number & !bit,
            What::Set => number | bit,
            What::TurnedRound => number ^ bit,
        }
    }
}

/// Asserts that every fault in one of `bits` is found, in all numbers and in those that are at least `large`, a quarter of the
/// greatest or less: some of them lack each bit. `with` gives the exercise with such a fault in the learner's place.
///
/// # Panics
/// If some answers pass, with the faults in them.
pub fn every_bit_counts<E: Judged>(
    bits: impl IntoIterator<Item = u32>,
    large: u64,
    with: impl FnOnce(Astray) -> E,
) {
    let none = Fault {
        bit: 0,
        what: What::Lost,
        from: u64::MAX,
    };
    let current = Arc::new(Mutex::new(none));
    let exercise = with(Astray(Arc::clone(&current)));
    let faults = bits.into_iter().flat_map(|bit| {
        let each = [What::Lost, What::Set, What::TurnedRound];
        each.into_iter()
            .flat_map(move |what| [0, large].map(|from| Fault { bit, what, from }))
    });
    let unseen = faults.filter(|fault| {
        *current.lock().unwrap_or_else(PoisonError::into_inner) = *fault;
        passes(&exercise)
    });
    let unseen: Vec<Fault> = unseen.collect();
    assert!(unseen.is_empty(), "these pass: {unseen:?}");
}

/// An answer that no mistake matches: it fails `check`, and the text says `parts` and names nothing.
///
/// # Panics
/// If it does not.
pub fn observed(verdict: &Verdict, check: &str, parts: &[&str]) {
    assert_eq!(verdict.state, State::Failing);
    assert_eq!(verdict.check.as_deref(), Some(check));
    assert_eq!(verdict.mistake, None, "a name was guessed");
    assert!(
        !verdict.message.contains("\n\n\n"),
        "a paragraph of the message is empty"
    );
    let words: Vec<&str> = verdict.message.split_whitespace().collect();
    let text = words.join(" ");
    for part in parts {
        assert!(text.contains(part), "{part:?} is missing");
    }
}

/// An answer that behaves like this mistake.
///
/// # Panics
/// If it is diagnosed as another one, or as none.
pub fn named(verdict: &Verdict, name: &str) {
    assert_eq!(verdict.mistake.as_deref(), Some(name));
}

/// What is said of two mistakes at once calls nothing right: beside the other one it is not.
///
/// # Panics
/// If it does.
pub fn pairs_call_nothing_right(exercise: &dyn Judged) {
    const WORDS: [&str; 9] = [
        "end is right",
        "flip is right",
        "order is right",
        "range is right",
        "rule is right",
        "window is right",
        "his is right",
        "come out right",
        "are in place",
    ];
    let pairs = exercise.sheet().mistakes.iter();
    for pair in pairs.filter(|mistake| mistake.name.contains('+')) {
        let (name, says, why) = (&pair.name, &pair.says, &pair.why);
        assert!(!says.contains("the right "), "{name}: {says}");
        for words in WORDS {
            assert!(!why.contains(words), "{name}: {words:?} in {why}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_too_long_is_told_and_what_does_not_is_not() {
        let (tell, told) = mpsc::channel();
        let late = move || tell.send("late").unwrap_or_default();
        let loops = || told.recv_timeout(Duration::from_secs(60));
        assert_eq!(within(Duration::from_millis(1), loops, late), Ok("late"));

        let (tell, told) = mpsc::channel();
        let late = move || tell.send("late").unwrap_or_default();
        assert_eq!(within(Duration::from_secs(60), || 7, late), 7);
        assert!(told.recv().is_err(), "the watch ends with the call");
    }
}

//! Helpers for `tests/unseen.rs`: answers that no mistake matches are laid before an exercise, and what it says is read.

use crate::exercise::{Judged, Who};
use crate::isolate::observe_here;
use crate::judge::{State, Verdict, judge};

/// The verdict on the code in the learner's place, which is run in this process. Prints what a learner would read.
pub fn judged(exercise: &dyn Judged) -> Verdict {
    let verdict = judge(exercise, &observe_here(exercise, Who::Learner));
    println!("{:?}\n{}", verdict.diagnosis, verdict.message);
    verdict
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

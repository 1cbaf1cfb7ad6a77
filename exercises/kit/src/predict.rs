//! Predictions: the learner says in which order rows come, before any code does.
//!
//! The task shows rows under the letters from `a` on, and a function returns letters. The right list is never shown, only
//! the first two neighbours that are the wrong way round.

use std::fmt::Write as _;

use crate::answer::{Answer, Outcome};
use crate::check::{self, Check, Finding};
use crate::exercise::{PartOf, Sheet};

/// A list of letters: `letters!(b a c)` is `['b', 'a', 'c']`.
#[macro_export]
macro_rules! letters {
    ($($letter:ident)*) => {
        [$(stringify!($letter).as_bytes()[0] as char),*]
    };
}

/// A function that is asked once, for a list of letters. `what` describes the list: "six letters".
pub fn prediction<I: 'static, L: IntoIterator<Item = char> + 'static>(
    function: &'static str,
    what: &'static str,
    ask: fn(&I) -> L,
) -> PartOf<I> {
    PartOf::new(function, "list").open().probe(
        format!("{function}()"),
        Answer::text(what),
        &["predictions"],
        move |predictions| Answer::text(String::from_iter(ask(predictions))),
    )
}

/// The letters that were predicted.
pub fn letters(outcome: &Outcome) -> Vec<char> {
    let answer = outcome.answer();
    answer.map_or_else(Vec::new, |answer| answer.text.chars().collect())
}

/// Each letter from `a` to `last` is in the list once, and every two neighbours are the right way round.
///
/// `wrong` says of two neighbours what is wrong with them, if anything is: what completes "you put x before y, but ...",
/// and the detail below it.
pub fn in_order(
    function: &'static str,
    name: &'static str,
    claim: &'static str,
    last: char,
    wrong: impl Fn(char, char) -> Option<(String, String)> + Send + Sync + 'static,
) -> impl FnOnce(&Sheet) -> Check {
    check::custom(function, name, claim, move |part, outcomes| {
        let list = letters(&outcomes[0]);
        let (summary, detail) = match not_each_once(&list, last) {
            Some(summary) => (summary, String::new()),
            None => list.windows(2).find_map(|pair| {
                let (a, b) = (pair[0], pair[1]);
                let (but, mut detail) = wrong(a, b)?;
                if let Some(letter) = astray(&list, |a, b| wrong(a, b).is_some()) {
                    let _ = writeln!(detail, "  Without {letter}, your list is in order.");
                }
                Some((format!("you put {a} before {b}, but {but}"), detail))
            })?,
        };
        Some(Finding {
            summary,
            detail,
            calls: vec![part.probes[0].call.clone()],
        })
    })
}

/// The one letter without which a list is in order. Of two neighbours that are exchanged either would do, and it is none.
fn astray(list: &[char], wrong: impl Fn(char, char) -> bool) -> Option<char> {
    let in_order = |without: char| {
        let rest: Vec<char> = list.iter().copied().filter(|c| *c != without).collect();
        !rest.windows(2).any(|pair| wrong(pair[0], pair[1]))
    };
    let mut found = list.iter().copied().filter(|letter| in_order(*letter));
    let only = found.next()?;
    found.next().is_none().then_some(only)
}

/// What is wrong with a list that does not hold each letter once.
fn not_each_once(list: &[char], last: char) -> Option<String> {
    if let Some(other) = list.iter().find(|letter| !('a'..=last).contains(*letter)) {
        return Some(format!("{other:?} is none of the letters a to {last}"));
    }
    ('a'..=last).find_map(|letter| {
        let times = list.iter().filter(|other| **other == letter).count();
        (times != 1).then(|| format!("{letter} occurs {times} times in your list, not once"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_letter_that_is_astray_is_found() {
        let astray = |list: &[char]| astray(list, |a, b| a > b);
        assert_eq!(astray(&letters!(b c d a e)), Some('a'));
        assert_eq!(astray(&letters!(d a b c e)), Some('d'));
        assert_eq!(astray(&letters!(a c b d e)), None, "either of two");
        assert_eq!(astray(&letters!(c d a b e)), None, "two of them");
    }

    #[test]
    fn a_list_holds_each_letter_once() {
        let fault = |list: &[char]| not_each_once(list, 'c').unwrap_or_default();
        assert_eq!(fault(&letters!(b a c)), "");
        assert_eq!(fault(&letters!(b a d)), "'d' is none of the letters a to c");
        assert_eq!(
            fault(&letters!(b a b)),
            "b occurs 2 times in your list, not once"
        );
        assert_eq!(
            fault(&letters!(b a)),
            "c occurs 0 times in your list, not once"
        );
    }
}

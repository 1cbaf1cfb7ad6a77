//! The room view: what a class sees of itself on the wall.
//!
//! It answers what is worth talking about now: of each exercise how many stand where, and which misconceptions they hold,
//! the commonest first. Nobody's name, file or code is shown, not even while copies are judged, nor of a copy that cannot
//! be: of an error the cause is shown, and no path.
//!
//! Left out: exercises that nobody has begun have no row of their own, since there is nothing to say of them. And what an
//! answer that behaves like no known mistake does: it would be one person's.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::Result;
use kit::State;
use owo_colors::OwoColorize as _;

use crate::catalogue::Catalogue;
use crate::report::{Class, Learner, Standing};
use crate::say::say;
use crate::scratch::LeftOut;
use crate::table;

/// How long a look rests before the next one. Each reads every copy, perhaps over a network.
const REST: Duration = Duration::from_secs(2);
/// Cursor to the corner, and the screen wiped. Left out by `anstream` where nobody looks at a screen.
const WIPE: &str = "\x1b[H\x1b[2J";

/// Judges the copies in a folder and prints the view; when it watches, again with every change, for ever.
pub(crate) fn show(
    catalogue: &Catalogue,
    folder: &Path,
    only: Option<&str>,
    watch: bool,
) -> Result<bool> {
    let say = |number, _: &str, left_out: &[LeftOut]| {
        eprintln!("judging copy {number}");
        if !left_out.is_empty() {
            eprintln!("copy {number}: not all of it is read; without --room the report says why");
        }
    };
    let mut class = Class::of(catalogue, folder, only)?;
    class.look(say)?;
    if !watch {
        class.not_empty()?;
        say!("{}", view(&class.learners));
        return Ok(true);
    }
    loop {
        say!("{WIPE}{}", view(&class.learners));
        loop {
            thread::sleep(REST);
            match class.look(say) {
                Ok(true) => break,
                Ok(false) => {}
                // Not of a copy: no cargo, no room on the disk, or the folder of them all is away.
                Err(error) => eprintln!("{error:#}; looking again"),
            }
        }
    }
}

/// What the wall shows.
fn view(learners: &[Learner]) -> String {
    let mut text = format!("{}\n", copies(learners.len()));
    let mut idle = Vec::new();
    let mut broken: BTreeMap<&str, usize> = BTreeMap::new();
    let mut not_judged: BTreeMap<&str, usize> = BTreeMap::new();
    for cause in learners.iter().filter_map(|l| l.cause.as_deref()) {
        *not_judged.entry(cause).or_default() += 1;
    }
    let judged = learners.iter().find(|learner| learner.error.is_none());
    let names = judged.map(|learner| &learner.exercises[..]);
    for first in names.into_iter().flatten() {
        let (unread, judged): (Vec<&Standing>, Vec<&Standing>) = learners
            .iter()
            .flat_map(|learner| &learner.exercises)
            .filter(|standing| standing.exercise == first.exercise)
            .partition(|standing| standing.is_unread());
        if !unread.is_empty() {
            broken.insert(&first.chapter, unread.len());
        }
        if judged.iter().all(|s| s.state == State::NotStarted) {
            idle.push(first.exercise.as_str());
            continue;
        }
        let count = table::count(judged.iter().map(|s| s.state));
        let _ = writeln!(text, "\n{}  {count}", first.exercise.bold());
        for (fault, (times, says)) in faults(&judged) {
            let _ = writeln!(text, "  {times:>3}  {fault}");
            if let Some(says) = says {
                let _ = writeln!(text, "       {}", common(says));
            }
        }
    }
    if !broken.is_empty() || !not_judged.is_empty() {
        text.push('\n');
    }
    for (cause, times) in not_judged {
        let _ = writeln!(text, "{} not judged: {cause}", copies(times));
    }
    for (chapter, times) in broken {
        let verb = if times == 1 { "does" } else { "do" };
        let _ = writeln!(text, "{chapter}: {} {verb} not compile", copies(times));
    }
    if !idle.is_empty() {
        let _ = writeln!(text, "\nNot begun by anyone: {}", idle.join(", "));
    }
    text
}

/// Of a diagnosis what holds for all who make the mistake: what the answer behaves like and, on a line of its own, the example.
/// Which functions are still to be written is one person's state.
fn common(says: &str) -> String {
    let says = match says.rsplit_once(". `") {
        Some((common, own)) if own.ends_with("still `todo!()`.") => format!("{common}."),
        _ => says.to_owned(),
    };
    says.replacen(": ", ":\n       ", 1)
}

fn copies(count: usize) -> String {
    format!("{count} {}", if count == 1 { "copy" } else { "copies" })
}

/// What goes wrong, the commonest first: the mistake, or else the check that fails; how many copies do it; and of a known
/// mistake the sentence that these learners read.
fn faults<'s>(standings: &[&'s Standing]) -> Vec<(String, (usize, Option<&'s str>))> {
    let mut faults: BTreeMap<String, (usize, Option<&str>)> = BTreeMap::new();
    for standing in standings.iter().filter(|s| s.state == State::Failing) {
        let (fault, says) = match (&standing.mistake, &standing.check) {
            (Some(mistake), _) => (mistake.clone(), standing.diagnosis.as_deref()),
            (None, Some(check)) => (format!("no known mistake; the check `{check}` fails"), None),
            (None, None) => ("the program ends before it is judged".to_owned(), None),
        };
        faults.entry(fault).or_insert((0, says)).0 += 1;
    }
    let mut faults: Vec<_> = faults.into_iter().collect();
    faults.sort_by_key(|(_, (times, _))| std::cmp::Reverse(*times));
    faults
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status;

    fn learner(name: &str, first: (State, Option<&str>, &str)) -> Learner {
        let (state, mistake, diagnosis) = first;
        let unread = diagnosis.starts_with(status::BROKEN);
        let standing =
            |exercise: &str, state, check: Option<&str>, mistake: Option<&str>| Standing {
                exercise: exercise.to_owned(),
                chapter: "ch01".to_owned(),
                state,
                check: check.map(str::to_owned),
                mistake: mistake.map(str::to_owned),
                diagnosis: (state == State::Failing).then(|| diagnosis.to_owned()),
            };
        let check = (state == State::Failing && !unread).then_some("order");
        let second = if unread { state } else { State::NotStarted };
        Learner {
            name: name.to_owned(),
            error: None,
            cause: None,
            exercises: vec![
                standing("first", state, check, mistake),
                standing("second", second, None, None),
            ],
        }
    }

    #[test]
    fn shows_what_is_common_and_nobodys_name() {
        let says = "your `encode` agrees with little-endian: 256 sorts before 1. `decode` is still `todo!()`.";
        let away = Learner {
            name: "amy".to_owned(),
            error: Some("cannot read amy/twice.rs: permission denied".to_owned()),
            cause: Some("permission denied".to_owned()),
            exercises: Vec::new(),
        };
        let text = view(&[
            away,
            learner("ann", (State::Failing, Some("inverted"), "upside down")),
            learner("bob", (State::Failing, Some("swapped"), says)),
            learner("cid", (State::Failing, Some("swapped"), says)),
            learner("dee", (State::Failing, None, "dee's bytes")),
            learner(
                "eve",
                (State::Failing, None, "does not compile: eve (eve.rs:1)"),
            ),
            learner("fay", (State::Passed, None, "")),
            learner("gil", (State::NotStarted, None, "")),
        ]);
        let text = anstream::adapter::strip_str(&text).to_string();
        assert_eq!(
            text,
            "8 copies

first  1 passed, 4 failing, 1 not started
    2  swapped
       your `encode` agrees with little-endian:
       256 sorts before 1.
    1  inverted
       upside down
    1  no known mistake; the check `order` fails

1 copy not judged: permission denied
ch01: 1 copy does not compile

Not begun by anyone: second
"
        );
    }

    #[test]
    fn an_empty_room_is_shown_as_one() {
        assert_eq!(view(&[]), "0 copies\n");
    }
}

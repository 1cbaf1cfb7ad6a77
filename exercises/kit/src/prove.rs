//! The proof of an exercise: what must hold before a learner sees it.
//!
//! - the stub is not started;
//! - the solution passes;
//! - each mistake fails the check it names, is diagnosed as itself, and its message is the golden one;
//! - each variant of a mistake gets its name;
//! - any two mistakes of one function differ on some probe, and any two of the exercise have different names;
//! - each mistake's link leads to a heading of the chapter.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::answer::Outcome;
use crate::exercise::{Judged, Kind, MistakeInfo, Sheet, Who};
use crate::isolate::observe;
use crate::judge::{State, Verdict, judge};
use crate::known::Known;
use crate::parallel::in_parallel;

/// Set to rewrite the golden messages.
pub const UPDATE_VARIABLE: &str = "UPDATE_GOLDEN";

/// One thing that was proved, or not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// The exercise.
    pub exercise: String,
    /// What was to be proved.
    pub what: String,
    /// Why it does not hold; nothing if it holds.
    pub fault: Option<String>,
}

/// Proves the exercises of a chapter's folder, or writes their golden messages anew.
///
/// Cost: each implementation is a job of its own, as many at a time as there are processors.
///
/// # Errors
/// If a child process cannot be run, or a golden message cannot be written.
pub fn prove(exercises: &[&dyn Judged], folder: &Path, update: bool) -> io::Result<Vec<Proof>> {
    let known: Vec<Known> = exercises.iter().map(|e| Known::new(*e)).collect();
    let jobs: Vec<(&Known, Who)> = known
        .iter()
        .flat_map(|exercise| cast(exercise.sheet()).map(move |who| (exercise, who)))
        .collect();
    let tried = in_parallel(&jobs, |(exercise, who)| {
        let behaviour = observe(*exercise, *who)?;
        Ok((judge(*exercise, &behaviour), behaviour.outcomes))
    })?;
    let mut tried = tried.into_iter();
    let mut proofs = Vec::new();
    for exercise in &known {
        let count = cast(exercise.sheet()).count();
        let own = tried.by_ref().take(count).collect();
        proofs.extend(prove_one(exercise, own, folder, update)?);
    }
    Ok(proofs)
}

/// Verdict and outcomes of one implementation.
type Tried = (Verdict, Vec<Outcome>);

/// The implementations that a proof tries, in its order.
fn cast(sheet: &Sheet) -> impl Iterator<Item = Who> {
    let mistakes = 0..sheet.mistakes.len();
    let coded = mistakes.filter(|&index| sheet.mistakes[index].kind != Kind::Composed);
    [Who::Stub, Who::Solution]
        .into_iter()
        .chain(coded.map(Who::Mistake))
}

fn prove_one(
    exercise: &dyn Judged,
    tried: Vec<Tried>,
    folder: &Path,
    update: bool,
) -> io::Result<Vec<Proof>> {
    let sheet = exercise.sheet();
    let golden = &folder.join("golden").join(sheet.name);
    let proof = |what: String, fault: Option<String>| Proof {
        exercise: sheet.name.to_owned(),
        what,
        fault,
    };
    let mut proofs = Vec::new();
    let mut rows: Vec<Vec<Outcome>> = Vec::new();
    for (who, (verdict, outcomes)) in cast(sheet).zip(tried) {
        let (what, fault) = match who {
            Who::Mistake(index) => {
                let mistake = &sheet.mistakes[index];
                rows.push(sheet.of_part(mistake.part, &outcomes).to_vec());
                if mistake.kind == Kind::Variant {
                    let what = format!("other code with {} gets this name", mistake.name);
                    proofs.push(proof(what, other_name(mistake, &verdict)));
                    continue;
                }
                let what = format!(
                    "{} fails `{}` with its golden message",
                    mistake.name, mistake.check
                );
                (what, misjudged(mistake, &verdict, golden, update)?)
            }
            Who::Stub => {
                let what = "the stub is not started".to_owned();
                (what, other_than(State::NotStarted, &verdict))
            }
            Who::Solution | Who::Learner => {
                let what = "the solution passes".to_owned();
                (what, other_than(State::Passed, &verdict))
            }
        };
        proofs.push(proof(what, fault));
    }
    proofs.push(proof(
        format!("{} mistakes are told apart, two by two", rows.len()),
        collisions(exercise, &rows),
    ));
    let written = |mistake: &&MistakeInfo| mistake.kind == Kind::Written;
    let names = sheet.mistakes.iter().filter(written);
    proofs.push(proof(
        "every mistake has a name of its own".to_owned(),
        given_twice(names.map(|mistake| mistake.name.as_str())),
    ));
    for fact in &sheet.facts {
        proofs.push(proof(fact.what.clone(), (fact.fault)()));
    }
    let chapters = folder.join("../../book/chapters");
    let page = chapters.join(sheet.chapter).join("index.md");
    proofs.push(proof(
        "every mistake links to a heading of the chapter".to_owned(),
        dead_links(exercise, &page),
    ));
    proofs.extend(orphans(exercise, golden)?.map(|fault| {
        proof(
            "every golden message belongs to a mistake".to_owned(),
            Some(fault),
        )
    }));
    Ok(proofs)
}

/// The state, if it is not the wanted one.
fn other_than(wanted: State, verdict: &Verdict) -> Option<String> {
    (verdict.state != wanted).then(|| format!("it is {:?}\n{}", verdict.state, verdict.message))
}

/// How the verdict on a mistake is not the one that its author promised.
fn misjudged(
    mistake: &MistakeInfo,
    verdict: &Verdict,
    golden: &Path,
    update: bool,
) -> io::Result<Option<String>> {
    if verdict.check.as_deref() != Some(mistake.check) {
        return Ok(Some(format!("it fails {:?} instead", verdict.check)));
    }
    if let Some(fault) = other_name(mistake, verdict) {
        return Ok(Some(fault));
    }
    compare_golden(golden, &mistake.name, &verdict.message, update)
}

/// The diagnosis, if it is not this mistake.
fn other_name(mistake: &MistakeInfo, verdict: &Verdict) -> Option<String> {
    (verdict.mistake.as_ref() != Some(&mistake.name)).then(|| {
        format!(
            "it is diagnosed as {:?}\n{}",
            verdict.mistake, verdict.message
        )
    })
}

/// Mistakes of the same function, or variants of them, that no probe tells apart.
fn collisions(exercise: &dyn Judged, rows: &[Vec<Outcome>]) -> Option<String> {
    let coded: Vec<_> = exercise
        .sheet()
        .mistakes
        .iter()
        .filter(|m| m.kind != Kind::Composed)
        .collect();
    let mut same = Vec::new();
    for (i, a) in coded.iter().enumerate() {
        for (j, b) in coded.iter().enumerate().skip(i + 1) {
            let alike =
                a.part == b.part && rows[i].iter().zip(&rows[j]).all(|(x, y)| x.behaves_like(y));
            if alike {
                same.push(format!("{} and {}", a.name, b.name));
            }
        }
    }
    (!same.is_empty()).then(|| format!("no probe tells apart {}", same.join("; ")))
}

/// Names that two mistakes have. Each is the name of a golden file, so the two would share it, whatever their parts.
fn given_twice<'a>(names: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut seen = HashSet::new();
    let twice: Vec<&str> = names.filter(|name| !seen.insert(*name)).collect();
    (!twice.is_empty()).then(|| format!("more than one mistake is named {}", twice.join(", ")))
}

/// Links of mistakes that no heading of the page answers to.
fn dead_links(exercise: &dyn Judged, page: &Path) -> Option<String> {
    let text = match fs::read_to_string(page) {
        Ok(text) => text,
        Err(error) => return Some(format!("cannot read {}: {error}", page.display())),
    };
    let headings = headings(&text);
    let mistakes = exercise.sheet().mistakes.iter();
    let dead: Vec<String> = mistakes
        .filter(|m| m.kind == Kind::Written && !headings.contains(&m.link))
        .map(|m| format!("{} links to #{}", m.name, m.link))
        .collect();
    (!dead.is_empty()).then(|| {
        format!(
            "{} has no such heading: {}",
            page.display(),
            dead.join("; ")
        )
    })
}

/// The names of a page's headings. In a code block, `#` begins a comment or an attribute.
fn headings(page: &str) -> Vec<String> {
    let mut in_code = false;
    page.lines()
        .filter(|line| {
            in_code ^= line.starts_with("```");
            !in_code && line.starts_with('#')
        })
        .map(|line| heading_id(line.trim_start_matches('#').trim()))
        .collect()
}

/// The name under which mdBook lets a heading be linked to.
fn heading_id(heading: &str) -> String {
    heading
        .chars()
        .filter_map(|c| match c {
            c if c.is_alphanumeric() || c == '_' || c == '-' => Some(c.to_ascii_lowercase()),
            c if c.is_whitespace() => Some('-'),
            _ => None,
        })
        .collect()
}

fn compare_golden(
    folder: &Path,
    name: &str,
    message: &str,
    update: bool,
) -> io::Result<Option<String>> {
    let path = folder.join(format!("{name}.txt"));
    let message = &without_lines(message);
    if update {
        fs::create_dir_all(folder)?;
        fs::write(&path, message)?;
        return Ok(None);
    }
    let stored = match fs::read_to_string(&path) {
        Ok(stored) => stored,
        Err(error) => {
            return Ok(Some(format!(
                "cannot read {}: {error}; {UPDATE_VARIABLE}=1 writes it",
                path.display()
            )));
        }
    };
    if stored == *message {
        return Ok(None);
    }
    let same = stored
        .lines()
        .zip(message.lines())
        .take_while(|(a, b)| a == b)
        .count();
    Ok(Some(format!(
        "{} differs from line {}\n  stored: {}\n  now:    {}\n{UPDATE_VARIABLE}=1 accepts it",
        path.display(),
        same + 1,
        stored.lines().nth(same).unwrap_or("(nothing)"),
        message.lines().nth(same).unwrap_or("(nothing)"),
    )))
}

/// The message without the lines at which a mistake panics: they move with every edit of its file.
fn without_lines(message: &str) -> String {
    let mut parts = message.split(".rs:");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push_str(".rs:LINE");
        text.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    text
}

/// Golden files without a mistake: left behind by a rename.
fn orphans(exercise: &dyn Judged, folder: &Path) -> io::Result<Option<String>> {
    if !folder.exists() {
        return Ok(None);
    }
    let mistakes = &exercise.sheet().mistakes;
    let mut left = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let known = name.strip_suffix(".txt").is_some_and(|stem| {
            mistakes
                .iter()
                .any(|m| m.name == stem && m.kind == Kind::Written)
        });
        if !known {
            left.push(name);
        }
    }
    Ok((!left.is_empty()).then(|| format!("no mistake has the name of {}", left.join(", "))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_have_the_names_that_pages_give_them() {
        assert_eq!(heading_id("Two's complement"), "twos-complement");
        assert_eq!(
            heading_id("Wrong answers and what each breaks"),
            "wrong-answers-and-what-each-breaks"
        );
        assert_eq!(heading_id("`encode`, IEEE 754"), "encode-ieee-754");
    }

    #[test]
    fn a_comment_in_a_code_block_is_no_heading() {
        let page = "# One\n```sh\n# a comment\n```\n## Two\n";
        assert_eq!(headings(page), ["one", "two"]);
    }

    #[test]
    fn a_name_is_given_once() {
        assert_eq!(given_twice(["a", "b"].into_iter()), None);
        let fault = given_twice(["a", "b", "a"].into_iter());
        assert_eq!(fault.as_deref(), Some("more than one mistake is named a"));
    }

    #[test]
    fn messages_lose_their_lines() {
        assert_eq!(
            without_lines("at a.rs:12: x, b.rs:3, c.rs"),
            "at a.rs:LINE: x, b.rs:LINE, c.rs"
        );
    }
}

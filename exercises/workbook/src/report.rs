//! An instructor's summary: who stands where, and what goes wrong.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Error, Result, bail};
use kit::State;
use owo_colors::OwoColorize as _;
use serde::Serialize;

use crate::build::Progress;
use crate::catalogue::Catalogue;
use crate::scratch::{Answers, LeftOut, Scratch};
use crate::status::{self, Report};
use crate::table;

/// One learner's answers.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Learner {
    /// The name of the folder.
    pub(crate) name: String,
    /// Why the copy was not judged; then it has no exercises here.
    pub(crate) error: Option<String>,
    /// The end of that: what went wrong, without the path that it went wrong with.
    #[serde(skip)]
    pub(crate) cause: Option<String>,
    pub(crate) exercises: Vec<Standing>,
}

impl Learner {
    fn not_judged(name: String, error: &Error) -> Self {
        Self {
            name,
            error: Some(format!("{error:#}")),
            cause: Some(error.root_cause().to_string()),
            exercises: Vec::new(),
        }
    }
}

/// How one exercise stands.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Standing {
    pub(crate) exercise: String,
    pub(crate) chapter: String,
    pub(crate) state: State,
    /// The first check that fails.
    pub(crate) check: Option<String>,
    /// The known mistake that the answer behaves like.
    pub(crate) mistake: Option<String>,
    /// What is wrong, in one line.
    pub(crate) diagnosis: Option<String>,
}

impl Standing {
    /// Whether nothing is known of the answer, because its chapter does not compile. One slip in one file is enough, and the
    /// chapter's other exercises are not wrong for that.
    pub(crate) fn is_unread(&self) -> bool {
        let diagnosis = self.diagnosis.as_deref();
        self.check.is_none() && diagnosis.is_some_and(|says| says.starts_with(status::BROKEN))
    }
}

impl From<Report> for Standing {
    fn from(report: Report) -> Self {
        Self {
            exercise: report.row.name,
            chapter: report.row.chapter,
            state: report.row.state,
            check: report.check,
            mistake: report.mistake,
            diagnosis: report.row.diagnosis,
        }
    }
}

/// Judges this copy, or the copies that lie in a folder: one exercise, one chapter, or everything.
pub(crate) fn report(
    catalogue: &Catalogue,
    folder: Option<&Path>,
    only: Option<&str>,
) -> Result<Vec<Learner>> {
    let Some(folder) = folder else {
        let name = catalogue.root.file_name().unwrap_or_default();
        let name = name.to_string_lossy().into_owned();
        return Ok(vec![learner(catalogue, name, only)?]);
    };
    let mut class = Class::of(catalogue, folder, only)?;
    class.look(|_, name, left_out| {
        eprintln!("judging {name}");
        for left_out in left_out {
            eprintln!("{name}: {left_out}");
        }
    })?;
    class.not_empty()?;
    Ok(class.learners)
}

fn learner(catalogue: &Catalogue, name: String, only: Option<&str>) -> Result<Learner> {
    let mut exercises = Vec::new();
    for (chapter, names) in catalogue.choose(only)? {
        let look = status::look(catalogue, chapter, &names, Progress::Hidden, false)?;
        exercises.extend(look.reports.into_iter().map(Standing::from));
    }
    Ok(Learner {
        name,
        error: None,
        cause: None,
        exercises,
    })
}

/// A folder of learners' copies, and how they stood at the last look.
pub(crate) struct Class<'a> {
    folder: &'a Path,
    only: Option<&'a str>,
    scratch: Scratch,
    /// What `learners` were judged by, one for one; nothing of a copy that was not judged.
    answers: Vec<Option<Answers>>,
    pub(crate) learners: Vec<Learner>,
}

impl<'a> Class<'a> {
    pub(crate) fn of(
        catalogue: &Catalogue,
        folder: &'a Path,
        only: Option<&'a str>,
    ) -> Result<Self> {
        // A wrong name is told before minutes are spent on building.
        catalogue.choose(only)?;
        copies(folder)?;
        Ok(Self {
            folder,
            only,
            scratch: Scratch::of(catalogue)?,
            answers: Vec::new(),
            learners: Vec::new(),
        })
    }

    /// Judges the copies that are new or have changed since the last look, and says so of each before it begins: which
    /// one it is, counted from 1, its name, and what of it is not read. Returns whether there were any, or whether a copy
    /// is gone.
    ///
    /// # Errors
    /// If no copy can be judged: none can be found or compiled. What is wrong with one copy is told of it, and nobody else
    /// has to wait for it to be mended.
    pub(crate) fn look(&mut self, say: impl Fn(usize, &str, &[LeftOut])) -> Result<bool> {
        let copies = copies(self.folder)?;
        let mut changed = copies.len() != self.learners.len();
        let (mut answers, mut learners) = (Vec::new(), Vec::new());
        let mut turn = None;
        for (at, (name, copy)) in copies.into_iter().enumerate() {
            let mut known = self.learners.iter().zip(&self.answers);
            let known = known.find(|(learner, _)| learner.name == name);
            let read = self.scratch.answers(&copy);
            if let (Ok((found, _)), Some((learner, Some(before)))) = (&read, known)
                && found == before
            {
                learners.push(learner.clone());
                answers.push(Some(before.clone()));
                continue;
            }
            let laid = match read {
                Ok((found, left_out)) => {
                    if turn.is_none() {
                        turn = Some(self.scratch.turn()?);
                    }
                    let laid = self.scratch.with_answers(&found);
                    laid.map(|catalogue| (catalogue, found, left_out))
                }
                Err(error) => Err(error),
            };
            match laid {
                Ok((catalogue, found, left_out)) => {
                    changed = true;
                    say(at + 1, &name, &left_out);
                    learners.push(learner(catalogue, name, self.only)?);
                    answers.push(Some(found));
                }
                Err(error) => {
                    let learner = Learner::not_judged(name, &error);
                    changed |= known.is_none_or(|(before, _)| before.error != learner.error);
                    learners.push(learner);
                    answers.push(None);
                }
            }
        }
        (self.answers, self.learners) = (answers, learners);
        Ok(changed)
    }

    /// # Errors
    /// If nobody's copy lies in the folder.
    pub(crate) fn not_empty(&self) -> Result<()> {
        if self.learners.is_empty() {
            bail!(
                "{} holds no folder with `exercises` in it",
                self.folder.display()
            );
        }
        Ok(())
    }
}

/// The copies in a folder, by name: each folder with exercises in it, or the folder itself if it is one.
fn copies(folder: &Path) -> Result<Vec<(String, PathBuf)>> {
    if folder.join("exercises").is_dir() {
        // `.` has no name of its own.
        let named = match folder.file_name() {
            Some(_) => folder.to_path_buf(),
            None => fs::canonicalize(folder).unwrap_or_default(),
        };
        let name = named.file_name().unwrap_or_default().to_string_lossy();
        return Ok(vec![(name.into_owned(), folder.to_path_buf())]);
    }
    let listed =
        fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut copies = Vec::new();
    for entry in listed {
        let entry = entry.with_context(|| format!("cannot list {}", folder.display()))?;
        // Its own name, also of a link: what that leads to may be called alike for all.
        let (name, path) = (entry.file_name(), entry.path());
        if path.join("exercises").is_dir() {
            copies.push((name.to_string_lossy().into_owned(), path));
        }
    }
    copies.sort();
    Ok(copies)
}

/// The summary for a terminal: every learner, then every exercise.
pub(crate) fn text(learners: &[Learner]) -> String {
    let mut text = String::new();
    for Learner {
        name,
        error,
        exercises,
        ..
    } in learners
    {
        if let Some(error) = error {
            let _ = writeln!(text, "{}  not judged: {error}", name.bold());
            continue;
        }
        let states = exercises.iter().map(|standing| standing.state);
        let _ = writeln!(text, "{}  {}", name.bold(), table::count(states));
        let width = exercises.iter().map(|s| s.exercise.chars().count()).max();
        let alone = learners.len() == 1;
        let mut unread = "";
        for standing in exercises
            .iter()
            .filter(|s| alone || s.state == State::Failing)
        {
            let mut name = &standing.exercise;
            if !alone && standing.is_unread() {
                // Said once of a chapter.
                if unread == standing.chapter {
                    continue;
                }
                unread = &standing.chapter;
                name = &standing.chapter;
            }
            let _ = writeln!(
                text,
                "  {name:<width$}  {}  {}",
                table::padded_state(standing.state),
                fault(standing),
                width = width.unwrap_or(0),
            );
        }
    }
    if learners.len() > 1 {
        text.push('\n');
        text.push_str(&by_exercise(learners));
    }
    text
}

/// The check and the mistake; without a check, as when nothing compiles, the diagnosis.
fn fault(standing: &Standing) -> String {
    match (&standing.check, &standing.mistake) {
        (Some(check), Some(mistake)) => format!("{check}: {mistake}"),
        (Some(check), None) => format!("{check}: no known mistake"),
        (None, _) => standing.diagnosis.clone().unwrap_or_default(),
    }
}

/// Of each exercise how many stand where, and which mistakes were made, the commonest first.
fn by_exercise(learners: &[Learner]) -> String {
    let mut text = String::new();
    let Some(first) = learners.iter().find(|learner| learner.error.is_none()) else {
        return text;
    };
    let names = first.exercises.iter().map(|s| s.exercise.as_str());
    let width = names
        .clone()
        .map(|name| name.chars().count())
        .max()
        .unwrap_or(0);
    for name in names {
        let all = || {
            learners
                .iter()
                .flat_map(|l| &l.exercises)
                .filter(|s| s.exercise == name)
        };
        let mut mistakes: BTreeMap<&str, usize> = BTreeMap::new();
        for mistake in all().filter_map(|s| s.mistake.as_deref()) {
            *mistakes.entry(mistake).or_default() += 1;
        }
        let mut mistakes: Vec<(&str, usize)> = mistakes.into_iter().collect();
        mistakes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let mistakes: Vec<String> = mistakes
            .iter()
            .map(|(name, n)| format!("{n} {name}"))
            .collect();
        let line = format!(
            "{name:<width$}  {}  {}",
            table::count(all().map(|s| s.state)),
            mistakes.join(", ")
        );
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;

    use super::*;

    fn standing(exercise: &str, state: State, mistake: Option<&str>) -> Standing {
        Standing {
            exercise: exercise.to_owned(),
            chapter: "ch01".to_owned(),
            state,
            check: (state == State::Failing).then(|| "order".to_owned()),
            mistake: mistake.map(str::to_owned),
            diagnosis: None,
        }
    }

    #[test]
    fn mistakes_are_counted_and_the_commonest_stands_first() {
        let learner = |name: &str, mistake| Learner {
            name: name.to_owned(),
            error: None,
            cause: None,
            exercises: vec![
                standing("first", State::Failing, mistake),
                standing("second-one", State::Passed, None),
            ],
        };
        let away = Error::msg("permission denied").context("cannot read twice.rs");
        let text = text(&[
            Learner::not_judged("amy".to_owned(), &away),
            learner("ann", Some("inverted")),
            learner("bob", Some("little_endian")),
            learner("cid", Some("little_endian")),
            learner("dee", None),
        ]);
        let last = "first       0 passed, 4 failing, 0 not started  2 little_endian, 1 inverted\n\
                    second-one  4 passed, 0 failing, 0 not started\n";
        assert!(text.ends_with(last), "{text}");
        let of_amy = "amy  not judged: cannot read twice.rs: permission denied\n";
        assert!(strip_str(&text).to_string().starts_with(of_amy), "{text}");
        assert!(text.contains("order: no known mistake\n"), "{text}");
        assert!(!text.contains("  second-one  passed"), "{text}");
    }
}

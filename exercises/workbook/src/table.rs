//! The table of exercises, for a terminal.

use std::fmt::Write as _;

use kit::State;
use owo_colors::OwoColorize as _;

use crate::status::{Report, Row};

/// Diagnoses are cut to this many characters in the table; `check` shows them whole.
const DIAGNOSIS_CHARS_MAX: usize = 100;

/// The word for a state, coloured.
pub(crate) fn state(state: State) -> String {
    coloured(word(state), state)
}

/// As [`state`], as wide as the longest of them.
pub(crate) fn padded_state(state: State) -> String {
    coloured(&format!("{:<11}", word(state)), state)
}

fn coloured(text: &str, state: State) -> String {
    match state {
        State::NotStarted => text.dimmed().to_string(),
        State::Failing => text.red().bold().to_string(),
        State::Passed => text.green().to_string(),
    }
}

fn word(state: State) -> &'static str {
    match state {
        State::NotStarted => "not started",
        State::Failing => "failing",
        State::Passed => "passed",
    }
}

/// All exercises by chapter, and how many are in each state.
pub(crate) fn table(reports: &[Report]) -> String {
    let summary = summary(reports.iter().map(|r| &r.row));
    format!("{}{summary}\n", rows(reports.iter()))
}

/// Exercises by chapter, each with its state, and its diagnosis beneath. Of a chapter that does not compile, what the
/// compiler says is said once.
pub(crate) fn rows<'a>(reports: impl Iterator<Item = &'a Report> + Clone) -> String {
    let mut text = String::new();
    let names = reports.clone().map(|r| r.row.name.chars().count());
    let width = names.max().unwrap_or(0);
    let mut chapter = "";
    for Report { row, .. } in reports {
        if row.chapter != chapter {
            chapter = &row.chapter;
            let _ = writeln!(text, "{}", chapter.bold());
            if let Some(error) = row.compile_error() {
                let _ = writeln!(text, "  {error}");
            }
        }
        let _ = writeln!(
            text,
            "  {:<width$}  {}  {:>3} min  {}",
            row.name,
            padded_state(row.state),
            row.minutes,
            row.title
        );
        if let (Some(diagnosis), None) = (&row.diagnosis, row.compile_error()) {
            let _ = writeln!(text, "  {:width$}  {}", "", shortened(diagnosis));
        }
    }
    text
}

/// How many exercises are in each state.
pub(crate) fn summary<'a>(rows: impl Iterator<Item = &'a Row>) -> String {
    count(rows.map(|row| row.state))
}

/// How many of each state there are.
pub(crate) fn count(states: impl Iterator<Item = State>) -> String {
    let (mut passed, mut failing, mut not_started) = (0, 0, 0);
    for state in states {
        match state {
            State::Passed => passed += 1,
            State::Failing => failing += 1,
            State::NotStarted => not_started += 1,
        }
    }
    format!("{passed} passed, {failing} failing, {not_started} not started")
}

fn shortened(diagnosis: &str) -> String {
    let line = diagnosis.lines().next().unwrap_or_default();
    if line.chars().count() <= DIAGNOSIS_CHARS_MAX {
        return line.to_owned();
    }
    let cut: String = line.chars().take(DIAGNOSIS_CHARS_MAX - 4).collect();
    format!("{cut} ...")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::BROKEN;
    use crate::status::tests::report;

    #[test]
    fn shows_the_chapter_once_and_counts_states() {
        let long = "x".repeat(300);
        let text = table(&[
            report("a", State::Passed, None),
            report("bcd", State::Failing, Some(&long)),
            report("e", State::NotStarted, None),
        ]);
        assert_eq!(text.matches("ch01").count(), 1, "{text}");
        assert!(
            text.contains("1 passed, 1 failing, 1 not started"),
            "{text}"
        );
        assert!(
            text.lines().all(|line| line.chars().count() < 130),
            "{text}"
        );
        assert!(text.contains(" ...\n"), "{text}");
    }

    /// It ends with the file and the line, so it is not cut.
    #[test]
    fn says_once_and_whole_what_the_compiler_says_of_a_chapter() {
        let error = format!("{BROKEN}: {} (src/a.rs:28)", "x".repeat(300));
        let text = table(&[
            report("a", State::Failing, Some(&error)),
            report("b", State::Failing, Some(&error)),
        ]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], format!("  {error}"), "{text}");
        assert_eq!(text.matches(BROKEN).count(), 1, "{text}");
        assert_eq!(text.matches("failing").count(), 3, "{text}");
    }
}

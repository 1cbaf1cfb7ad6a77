//! Hints: one file an exercise, three steps, the same text that the page shows.

use std::fs;

use anyhow::{Context as _, Result, bail};
use serde::Serialize;

use crate::catalogue::{Catalogue, Chapter, Exercise};

/// How many hints an exercise has.
pub(crate) const STEPS: usize = 3;

/// A hint, for other programs.
#[derive(Serialize)]
pub(crate) struct Hint {
    pub(crate) name: String,
    pub(crate) step: usize,
    pub(crate) of: usize,
    pub(crate) text: String,
}

/// The hint of one step, counted from 1.
pub(crate) fn hint(catalogue: &Catalogue, name: &str, step: usize) -> Result<Hint> {
    let (chapter, exercise) = catalogue.find(name)?;
    if !(1..=STEPS).contains(&step) {
        bail!("there are hints 1 to {STEPS}, not {step}");
    }
    Ok(Hint {
        name: exercise.name.clone(),
        step,
        of: STEPS,
        text: read(chapter, exercise, step)?,
    })
}

/// Reads one hint: the lines between its anchors.
pub(crate) fn read(chapter: &Chapter, exercise: &Exercise, step: usize) -> Result<String> {
    let path = chapter.hints(exercise);
    let text =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    between_anchors(&text, &format!("hint-{step}"))
        .with_context(|| format!("{} has no hint {step}", path.display()))
}

fn between_anchors(text: &str, anchor: &str) -> Option<String> {
    let hint = book::sources::anchored(text, anchor)?.trim().to_owned();
    (!hint.is_empty()).then_some(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_what_stands_between_the_anchors() {
        let text = "<!-- ANCHOR: hint-1 -->\nfirst\n<!-- ANCHOR_END: hint-1 -->\n\n<!-- ANCHOR: hint-2 -->\nsecond\nline\n<!-- ANCHOR_END: hint-2 -->\n";
        assert_eq!(between_anchors(text, "hint-1").as_deref(), Some("first"));
        assert_eq!(
            between_anchors(text, "hint-2").as_deref(),
            Some("second\nline")
        );
        assert_eq!(between_anchors(text, "hint-3"), None);
        let tenth = text.replace("hint-2", "hint-10");
        assert_eq!(between_anchors(&tenth, "hint-1").as_deref(), Some("first"));
        assert_eq!(
            between_anchors(&tenth.replace("hint-1 ", "hint-9 "), "hint-1"),
            None
        );
    }
}

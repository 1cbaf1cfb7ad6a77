//! The words of a verdict.

use std::fmt::Write as _;

use crate::diagnose::Diagnosis;
use crate::exercise::{MistakeInfo, Sheet};
use crate::judge::{Fault, Standing};
use crate::render::wrap;

/// How many lines of the code's own output are shown.
const PRINTED_LINES_MAX: usize = 8;

/// What is wrong, in one line.
pub(crate) fn line(sheet: &Sheet, standings: &[Standing]) -> String {
    let fault = standings.iter().find_map(|standing| match standing {
        Standing::Failed(fault) => Some(fault),
        _ => None,
    });
    let todo = unwritten(sheet, standings);
    match fault {
        None => format!("{}{todo}", right_so_far(sheet, standings)),
        Some(fault) => {
            let named = fault.diagnosis.named.map(|index| &sheet.mistakes[index]);
            let first = match named {
                Some(mistake) => format!(
                    "{}: {}",
                    agreement(sheet, fault, mistake),
                    fault.finding.summary
                ),
                None => fault.finding.summary.clone(),
            };
            format!("{first}.{}{todo}", if todo.is_empty() { "" } else { " " })
        }
    }
}

/// What to read before all else, where an exercise that this one may call is wrong as well.
pub(crate) fn begin_there(exercise: &str) -> String {
    let text = format!(
        "`{exercise}` is not right yet. If your code calls it, mend that one first: what follows may come from it."
    );
    wrap(&text, "")
}

fn right_so_far(sheet: &Sheet, standings: &[Standing]) -> String {
    let right: Vec<String> = sheet
        .parts
        .iter()
        .zip(standings)
        .filter(|(_, s)| matches!(s, Standing::Right))
        .map(|(part, _)| format!("`{}`", part.function))
        .collect();
    match right.len() {
        0 => String::new(),
        1 => format!("{} is right. ", right[0]),
        _ => format!("{} are right. ", listed(&right)),
    }
}

fn unwritten(sheet: &Sheet, standings: &[Standing]) -> String {
    let left: Vec<String> = sheet
        .parts
        .iter()
        .zip(standings)
        .filter(|(_, s)| matches!(s, Standing::Unwritten))
        .map(|(part, _)| format!("`{}`", part.function))
        .collect();
    match left.len() {
        0 => String::new(),
        1 => format!("{} is still `todo!()`.", left[0]),
        _ => format!("{} are still `todo!()`.", listed(&left)),
    }
}

/// Names for a sentence: `a`, `b` and `c`.
fn listed(names: &[String]) -> String {
    match names {
        [front @ .., last] if !front.is_empty() => format!("{} and {last}", front.join(", ")),
        _ => names.concat(),
    }
}

/// The whole text for the learner.
pub(crate) fn full(sheet: &Sheet, standings: &[Standing], printed: &str) -> String {
    let mut text = String::new();
    let mut told = 0;
    for standing in standings {
        if let Standing::Failed(fault) = standing {
            if told > 0 {
                text.push('\n');
            }
            tell(&mut text, sheet, fault);
            told += 1;
        }
    }
    let rest = format!(
        "{}{}{}{}{}",
        right_so_far(sheet, standings),
        consistent(sheet, standings),
        waiting(sheet, standings),
        unwritten(sheet, standings),
        not_reached(sheet, standings)
    );
    if !rest.trim().is_empty() {
        if told > 0 {
            text.push('\n');
        }
        let _ = writeln!(text, "{}", rest.trim());
    }
    if !printed.trim().is_empty() {
        text.push_str("\nYour code printed:\n");
        for line in printed.lines().take(PRINTED_LINES_MAX) {
            let _ = writeln!(text, "  | {line}");
        }
        if printed.lines().count() > PRINTED_LINES_MAX {
            text.push_str("  | ...\n");
        }
    }
    let _ = writeln!(text, "\nHints: cargo workbook hint {}", sheet.name);
    text
}

fn consistent(sheet: &Sheet, standings: &[Standing]) -> String {
    sheet
        .parts
        .iter()
        .zip(standings)
        .filter(|(_, s)| matches!(s, Standing::UndoesItsEncoder))
        .map(|(part, _)| {
            format!(
                "`{}` undoes what your code writes, on every probe. It is judged by the right keys once your code writes those. ",
                part.function
            )
        })
        .collect()
}

fn waiting(sheet: &Sheet, standings: &[Standing]) -> String {
    let mut text = String::new();
    for (part, standing) in sheet.parts.iter().zip(standings) {
        if let Standing::Waits(called) = standing {
            let _ = write!(
                text,
                "`{}` gives wrong answers too. If it calls `{called}`, it may be right by itself: that shows when `{called}` is right. ",
                part.function
            );
        }
    }
    text
}

fn not_reached(sheet: &Sheet, standings: &[Standing]) -> String {
    sheet
        .parts
        .iter()
        .zip(standings)
        .filter(|(_, s)| matches!(s, Standing::NotReached))
        .map(|(part, _)| format!(" `{}` has not been looked at yet.", part.function))
        .collect()
}

fn tell(text: &mut String, sheet: &Sheet, fault: &Fault) {
    let Fault {
        function,
        check,
        claim,
        finding,
        diagnosis,
    } = fault;
    let _ = writeln!(text, "`{function}` fails the check `{check}`. {claim}");
    text.push('\n');
    let _ = writeln!(text, "  {}.", finding.summary);
    if !finding.detail.is_empty() {
        text.push('\n');
        text.push_str(&finding.detail);
    }
    match diagnosis.named {
        Some(index) => name(text, sheet, fault, &sheet.mistakes[index]),
        None => observed(text, diagnosis),
    }
}

fn name(text: &mut String, sheet: &Sheet, fault: &Fault, mistake: &MistakeInfo) {
    let MistakeInfo { name, why, .. } = mistake;
    let agreement = agreement(sheet, fault, mistake);
    text.push('\n');
    text.push_str(&wrap(&format!("Diagnosis: {agreement} (`{name}`)."), ""));
    text.push_str(&wrap(why, "  "));
    let anchor = if mistake.link.is_empty() {
        String::new()
    } else {
        format!("#{}", mistake.link)
    };
    let _ = writeln!(text, "  Read: {}/index.html{anchor}", sheet.chapter);
}

/// What the diagnosis rests on. Where a function is called once, there is nothing to say of probes.
fn agreement(sheet: &Sheet, fault: &Fault, mistake: &MistakeInfo) -> String {
    let part = &sheet.parts[mistake.part];
    let function = fault.function;
    let says = &mistake.says;
    match (part.judges, part.probes.len()) {
        (Some(noun), n) if fault.diagnosis.refuses_all => {
            format!("your `{function}` refuses all {n} {noun}s, right or wrong, as does {says}")
        }
        (Some(noun), n) => {
            format!("of {n} {noun}s, your `{function}` lets the same ones pass as {says}")
        }
        (None, n) if fault.diagnosis.by_order => {
            let makes = part.makes;
            format!(
                "your `{function}` writes other {makes}s, and puts all {n} probes in the very order that comes from {says}"
            )
        }
        (None, 1) => format!("your `{function}` agrees with {says}"),
        (None, _) => format!("on every probe, your `{function}` agrees with {says}"),
    }
}

fn observed(text: &mut String, diagnosis: &Diagnosis) {
    if diagnosis.observations.is_empty() {
        return;
    }
    text.push_str("\nWhat your code does, as far as it was tried:\n");
    for observation in &diagnosis.observations {
        let wrapped = wrap(observation, "    ");
        text.push_str("  - ");
        text.push_str(wrapped.trim_start());
    }
}

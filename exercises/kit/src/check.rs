//! Checks: functions over the outcomes of one part.

use crate::answer::{Outcome, hex};
use crate::exercise::{Part, Sheet};
use crate::render::{brief, first_difference, two_rows};

/// What a check found wrong, at the smallest probe that shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// One line: what is wrong, with the values.
    pub summary: String,
    /// The table of values, hex and bits, or nothing.
    pub detail: String,
    /// The calls that show it.
    pub calls: Vec<String>,
}

/// The function that a check is.
pub type Test = Box<dyn Fn(&Part, &[Outcome]) -> Option<Finding> + Send + Sync>;

/// A named demand on the answers of one part.
pub struct Check {
    /// Its name, unique in the exercise.
    pub name: &'static str,
    /// The part it looks at.
    pub part: usize,
    /// What must hold, in a sentence.
    pub claim: String,
    /// Says what is wrong, if anything is.
    pub test: Test,
}

/// A check of the author's own. It sees only answers: a part that panics anywhere fails before.
pub fn custom(
    function: &'static str,
    name: &'static str,
    claim: impl Into<String>,
    test: impl Fn(&Part, &[Outcome]) -> Option<Finding> + Send + Sync + 'static,
) -> impl FnOnce(&Sheet) -> Check {
    let claim = claim.into();
    move |sheet| Check {
        name,
        part: sheet.part_of(function),
        claim,
        test: Box::new(test),
    }
}

/// Every answer is the expected one.
pub fn answers(
    function: &'static str,
    name: &'static str,
    claim: impl Into<String>,
) -> impl FnOnce(&Sheet) -> Check {
    answers_where(function, name, claim, |_, _| true)
}

/// Of the probes that it concerns, every answer is the expected one.
pub fn answers_where(
    function: &'static str,
    name: &'static str,
    claim: impl Into<String>,
    concerns: fn(&Part, usize) -> bool,
) -> impl FnOnce(&Sheet) -> Check {
    custom(function, name, claim, move |part, outcomes| {
        let wrong = wrong_answers(part, outcomes);
        let first = wrong.into_iter().find(|&i| concerns(part, i))?;
        let probe = &part.probes[first];
        let expected = probe.expected.as_ref()?;
        let given = outcomes[first].answer()?;
        let (right, yours) = (brief(&expected.text), brief(&given.text));
        let detail = match (&expected.bytes, &given.bytes) {
            (Some(right), Some(yours)) if first_difference(right, yours).is_some() => {
                two_rows(("expected", right), ("yours", yours), "differs first")
            }
            _ => format!("  expected  {right}\n     yours  {yours}\n"),
        };
        Some(Finding {
            summary: format!("{} must be {right}, but it is {yours}", probe.call),
            detail,
            calls: vec![probe.call.clone()],
        })
    })
}

/// The probes whose outcome is not the expected answer.
pub fn wrong_answers(part: &Part, outcomes: &[Outcome]) -> Vec<usize> {
    (0..part.probes.len())
        .filter(|&probe| is_wrong(part, outcomes, probe))
        .collect()
}

/// Whether one answer is expected of this probe, and another one was given.
pub(crate) fn is_wrong(part: &Part, outcomes: &[Outcome], probe: usize) -> bool {
    let expected = part.probes[probe].expected.as_ref();
    expected.is_some_and(|expected| outcomes[probe].answer() != Some(expected))
}

/// Every answer has this many bytes.
pub fn length(function: &'static str, bytes: usize) -> impl FnOnce(&Sheet) -> Check {
    let claim = format!("Every key has {bytes} bytes.");
    custom(function, "length", claim, move |part, outcomes| {
        let (probe, key) = part
            .probes
            .iter()
            .zip(outcomes)
            .filter_map(|(probe, outcome)| Some((probe, outcome.bytes()?)))
            .find(|(_, key)| key.len() != bytes)?;
        Some(Finding {
            summary: format!(
                "{} has {} bytes, not {bytes}: {}",
                probe.call,
                key.len(),
                brief(&hex(key))
            ),
            detail: String::new(),
            calls: vec![probe.call.clone()],
        })
    })
}

/// The answers sort, byte by byte, as the inputs do; equal inputs have equal answers.
pub fn order(function: &'static str, claim: impl Into<String>) -> impl FnOnce(&Sheet) -> Check {
    order_of(function, "<", claim)
}

/// As [`order`], where `<` would not say it: completes "though a ... b", as in "must come before".
pub fn order_of(
    function: &'static str,
    relation: &'static str,
    claim: impl Into<String>,
) -> impl FnOnce(&Sheet) -> Check {
    custom(function, "order", claim, move |part, outcomes| {
        let (low, high) = smallest_inversion(part, outcomes)?;
        let (a, b) = (&part.probes[low], &part.probes[high]);
        let (x, y) = (outcomes[low].bytes()?, outcomes[high].bytes()?);
        let equal = part.ranks[low] == part.ranks[high];
        let summary = if equal {
            format!(
                "{} and {} are equal, but {} and {} are different {}s",
                a.input.text, b.input.text, a.call, b.call, part.makes
            )
        } else if x == y {
            format!(
                "{} and {} are different, but both become {}",
                a.input.text,
                b.input.text,
                brief(&hex(x))
            )
        } else {
            format!(
                "{} = {} sorts before {} = {}, though {} {relation} {}",
                b.call,
                brief(&hex(y)),
                a.call,
                brief(&hex(x)),
                a.input.text,
                b.input.text
            )
        };
        Some(Finding {
            summary,
            detail: two_rows((&a.input.text, x), (&b.input.text, y), "decides"),
            calls: vec![a.call.clone(), b.call.clone()],
        })
    })
}

/// No two inputs have the same answer.
pub fn distinct(function: &'static str, claim: impl Into<String>) -> impl FnOnce(&Sheet) -> Check {
    custom(function, "distinct", claim, |part, outcomes| {
        let (a, b) = shared_answer(part, outcomes)?;
        Some(Finding {
            summary: format!(
                "{} and {} are both {}",
                part.probes[a].call,
                part.probes[b].call,
                brief(&outcomes[a].brief())
            ),
            detail: String::new(),
            calls: vec![part.probes[a].call.clone(), part.probes[b].call.clone()],
        })
    })
}

/// The smallest two probes with different inputs and the same answer.
pub fn shared_answer(part: &Part, outcomes: &[Outcome]) -> Option<(usize, usize)> {
    let mut seen = std::collections::HashMap::new();
    for (i, outcome) in outcomes.iter().enumerate() {
        let Some(answer) = outcome.answer() else {
            continue;
        };
        let key = answer.bytes.clone().ok_or(&answer.text);
        if let Some(&first) = seen.get(&key) {
            let differ = part.ranks.is_empty() || part.ranks[first] != part.ranks[i];
            if differ {
                return Some((first, i));
            }
        } else {
            seen.insert(key, i);
        }
    }
    None
}

/// How many probes open a part: the ones that a reader knows by heart.
const OPENING: usize = 64;

/// The smallest pair of probes whose answers are in the wrong order, the one with the lower rank first.
///
/// A pair of one class is preferred to a pair across two: it is the more basic fault. But a pair of the
/// opening probes is preferred to all others: -0.0 and 0.0 say more than two NaNs.
pub fn smallest_inversion(part: &Part, outcomes: &[Outcome]) -> Option<(usize, usize)> {
    [OPENING, part.probes.len()].into_iter().find_map(|end| {
        let of_class = |class: &str| part.members(class).into_iter().filter(|i| *i < end);
        let classes = part.divisions().into_iter();
        let divided = classes.map(|class| of_class(class).collect());
        let together = (0..part.probes.len().min(end)).collect();
        divided
            .chain([together])
            .find(|members: &Vec<usize>| !sorted(part, outcomes, members))
            .and_then(|members| smallest_pair(part, outcomes, &members))
    })
}

/// Whether these probes' keys sort as their ranks do. Probes without a key are passed over.
pub fn sorted(part: &Part, outcomes: &[Outcome], members: &[usize]) -> bool {
    let mut ranked: Vec<usize> = members
        .iter()
        .copied()
        .filter(|&i| key(part, outcomes, i).is_some())
        .collect();
    ranked.sort_by_key(|&i| part.ranks[i]);
    ranked
        .windows(2)
        .all(|pair| in_order(part, outcomes, pair[0], pair[1]))
}

/// The key that a probe was given. An input that has to be refused has no place in the order, and so no
/// key, whatever was answered.
pub fn key<'a>(part: &Part, outcomes: &'a [Outcome], probe: usize) -> Option<&'a [u8]> {
    has_key(part, probe).then(|| outcomes[probe].bytes())?
}

/// Whether a probe's input is to have a key, as far as the right answers are known.
pub fn has_key(part: &Part, probe: usize) -> bool {
    let expected = part.probes[probe].expected.as_ref();
    expected.is_none_or(|answer| answer.bytes.is_some())
}

/// Whether two probes' keys compare as their ranks do.
pub fn in_order(part: &Part, outcomes: &[Outcome], a: usize, b: usize) -> bool {
    match (key(part, outcomes, a), key(part, outcomes, b)) {
        (Some(x), Some(y)) => x.cmp(y) == part.ranks[a].cmp(&part.ranks[b]),
        _ => true,
    }
}

fn smallest_pair(part: &Part, outcomes: &[Outcome], members: &[usize]) -> Option<(usize, usize)> {
    for (n, &b) in members.iter().enumerate() {
        for &a in &members[..n] {
            if !in_order(part, outcomes, a, b) {
                let lower = part.ranks[a] <= part.ranks[b];
                return Some(if lower { (a, b) } else { (b, a) });
            }
        }
    }
    None
}

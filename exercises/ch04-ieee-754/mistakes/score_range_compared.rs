//! What goes wrong when one bound alone is made in another way than the keys, or when something else than the scores is compared.

use std::collections::BTreeSet;
use std::sync::Arc;

use kit::Mistake;

use crate::score_range::{Rows, Scan};
use crate::solutions::order_f64::decode;
use crate::solutions::score_range::{key, score_range as right};

const RANGE: &str = "a-range-of-scores";
const REPAIR: &str = "the-repair";
const TASK: &str = "score-range";

/// All of them.
pub(super) fn all() -> Vec<Mistake<Scan>> {
    let mut mistakes = one_bound();
    mistakes.extend(other_scores());
    mistakes.extend(other_lists());
    mistakes
}

fn mistake(name: &str, scan: fn(&Rows, f64, f64) -> Vec<Vec<u8>>) -> Mistake<Scan> {
    Mistake::<Scan>::new(name, "score_range", "range", Arc::new(scan))
}

fn score_key(row: &[u8]) -> [u8; 8] {
    row.first_chunk().copied().unwrap_or_default()
}

fn score(row: &[u8]) -> f64 {
    decode(score_key(row))
}

fn members<'a>(rows: impl Iterator<Item = &'a Vec<u8>>) -> Vec<Vec<u8>> {
    rows.map(|row| row[8..].to_vec()).collect()
}

/// The rows whose scores have keys between two bounds.
fn between(name: &str, [start, end]: [fn(f64) -> [u8; 8]; 2]) -> Mistake<Scan> {
    let scan: Scan = Arc::new(move |rows: &Rows, min, max| {
        let bounds = start(min)..=end(max);
        members(rows.iter().filter(|row| bounds.contains(&score_key(row))))
    });
    let guarded: Scan = Arc::new(move |rows: &Rows, min, max| {
        let bounds = start(min)..=end(max);
        let found = rows.iter().filter(|row| bounds.contains(&score_key(row)));
        members(found.filter(|_| min <= max))
    });
    Mistake::<Scan>::new(name, "score_range", "range", scan).or(guarded)
}

fn one_bound() -> Vec<Mistake<Scan>> {
    fn lowest_first(score: f64) -> [u8; 8] {
        let mut bytes = key(score);
        bytes.reverse();
        bytes
    }
    const OTHER: &str = "A bound is compared with rows, and they begin with keys: `key(min)` and `key(max)`. One of yours is made like that.";
    vec![
        between("min_as_plain_bits", [f64::to_be_bytes, key])
            .says("a start of plain bits, and the right end")
            .why(OTHER)
            .link(REPAIR),
        between("max_as_plain_bits", [key, f64::to_be_bytes])
            .says("an end of plain bits, and the right start")
            .why(OTHER)
            .link(REPAIR),
        between("min_in_little_endian", [lowest_first, key])
            .says("a start with the lowest byte first, and the right end")
            .why(OTHER)
            .link(REPAIR),
        between("max_in_little_endian", [key, lowest_first])
            .says("an end with the lowest byte first, and the right start")
            .why(OTHER)
            .link(REPAIR),
    ]
}

/// The members whose scores are from `min` to `max`, all of them compared as `seen` makes them.
fn compared<T: PartialOrd>(
    rows: &Rows,
    min: f64,
    max: f64,
    seen: impl Fn(f64) -> T,
) -> Vec<Vec<u8>> {
    let bounds = seen(min)..=seen(max);
    members(rows.iter().filter(|row| bounds.contains(&seen(score(row)))))
}

fn other_scores() -> Vec<Mistake<Scan>> {
    vec![
        mistake("scores_compared_by_distance_from_zero", |rows, min, max| {
            compared(rows, min, max, f64::abs)
        })
        .says("a comparison of scores without their signs")
        .why("-2 is less than -1, though it is farther from zero. Compare the scores with their signs, or their keys.")
        .link(RANGE),
        mistake("scores_compared_as_text", |rows, min, max| {
            compared(rows, min, max, |score| score.to_string())
        })
        .or(Arc::new(|rows: &Rows, min, max| {
            compared(rows, min, max, |score| format!("{score:?}"))
        }))
        .says("a comparison of scores as they are printed")
        .why("As text `10` comes before `2`, and `-1` before `-2`. Compare the doubles, or their keys.")
        .link(RANGE),
        mistake("scores_rounded", |rows, min, max| {
            compared(rows, min, max, f64::round)
        })
        .or(Arc::new(|rows: &Rows, min, max| {
            compared(rows, min, max, f64::floor)
        }))
        .says("a comparison of scores and bounds that are rounded to whole numbers")
        .why("From 1 to 1.5 there is no 2. A score may be any double: compare it as it is.")
        .link(RANGE),
    ]
}

fn other_lists() -> Vec<Mistake<Scan>> {
    vec![
        mistake("first_member_of_each_score", |rows, min, max| {
            let mut scores = BTreeSet::new();
            let found = rows.iter().filter(|row| (min..=max).contains(&score(row)));
            members(found.filter(|row| scores.insert(score_key(row))))
        })
        .says("the first member of each score")
        .why("Many members may have one score, and all of them are asked for. A map by the score, or a `dedup`, loses all but one.")
        .link(TASK),
        mistake("negatives_backwards", |rows, min, max| {
            let found: Vec<&Vec<u8>> = rows
                .iter()
                .filter(|row| (min..=max).contains(&score(row)))
                .collect();
            let negative = found.partition_point(|row| score(row) < 0.0);
            members(found[..negative].iter().rev().chain(&found[negative..]).copied())
        })
        .says("the right members, and those of negative scores among them from zero downwards")
        .why("-2 is less than -1, so it comes first. The rows are in that order already: nothing is to be turned round.")
        .link(TASK),
        mistake("nothing_below_zero", |rows, min, max| {
            if max < 0.0 {
                return Vec::new();
            }
            right(rows, min, max)
        })
        .says("no members where `max` is below zero, and the right ones elsewhere")
        .why("A score may be negative, and so may both bounds. No case of its own is needed: keys sort across zero.")
        .link(RANGE),
    ]
}

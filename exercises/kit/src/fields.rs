//! Keys of several fields: which of them are in order, and which one decides.
//!
//! Most mistakes in such a key lie in one field. Two keys that differ in that field alone show it, whatever the others do.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::answer::Outcome;
use crate::check::sorted;
use crate::exercise::Part;

/// A field, and each probe's place in the order that is asked for of this field.
pub type Field = (&'static str, Vec<usize>);

/// What the keys do where one field alone differs; then, of two fields that both differ, the one that decides against
/// the order that is asked for. The fields are in the order in which they should decide. Nothing of keys that are all in order.
pub fn apart(part: &Part, outcomes: &[Outcome], fields: &[Field]) -> Vec<String> {
    let all: Vec<usize> = (0..outcomes.len()).collect();
    if sorted(part, outcomes, &all) {
        return Vec::new();
    }
    let mut said = Vec::new();
    let mut in_order = Vec::new();
    for (field, (name, _)) in fields.iter().enumerate() {
        let pairs = pairs(outcomes, fields, &[field]);
        if pairs.is_empty() {
            continue;
        }
        let given = |wanted: Ordering| pairs.iter().filter(move |pair| pair.given == wanted);
        let how = if given(Ordering::Less).count() == pairs.len() {
            in_order.push(format!("the {name}"));
            continue;
        } else if given(Ordering::Greater).count() == pairs.len() {
            format!("all {}s are in exactly the reverse order", part.makes)
        } else if given(Ordering::Equal).count() == pairs.len() {
            format!("all {}s are the same", part.makes)
        } else {
            let (fault, pair) = match given(Ordering::Greater).min_by_key(|pair| pair.size()) {
                Some(pair) => ("are not in order", pair),
                None => (
                    "are sometimes the same",
                    pairs
                        .iter()
                        .filter(|pair| pair.given == Ordering::Equal)
                        .min_by_key(|pair| pair.size())
                        .unwrap_or(&pairs[0]),
                ),
            };
            let (first, second) = (&part.probes[pair.low].call, &part.probes[pair.high].call);
            format!(
                "the {}s {fault}, as those of {first} and {second}",
                part.makes
            )
        };
        said.push(format!("Where the {name} alone differs, {how}."));
    }
    if !in_order.is_empty() {
        let alone = in_order.join(" alone or ");
        let one = format!(
            "Where {alone} alone differs, the {}s are in order.",
            part.makes
        );
        said.insert(0, one);
    }
    for first in 0..fields.len() {
        let later = first + 1..fields.len();
        for later in later.filter(|&later| decides(outcomes, fields, first, later)) {
            let (first, later) = (fields[first].0, fields[later].0);
            said.push(format!(
                "The {later} decides before the {first}, and should come after it."
            ));
        }
    }
    said
}

/// Two probes, the one that should come first, and how their keys compare.
struct Pair {
    low: usize,
    high: usize,
    given: Ordering,
}

impl Pair {
    fn size(&self) -> (usize, usize) {
        (self.low.max(self.high), self.low.min(self.high))
    }
}

/// All pairs of probes with keys that differ in each of these fields and in no other.
fn pairs(outcomes: &[Outcome], fields: &[Field], differ: &[usize]) -> Vec<Pair> {
    let mut groups: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
    for probe in (0..outcomes.len()).filter(|&probe| outcomes[probe].bytes().is_some()) {
        let others = (0..fields.len()).filter(|field| !differ.contains(field));
        let same = others.map(|field| fields[field].1[probe]).collect();
        groups.entry(same).or_default().push(probe);
    }
    let place = |field: usize, probe: usize| fields[field].1[probe];
    let mut pairs = Vec::new();
    for group in groups.values() {
        for (n, &b) in group.iter().enumerate() {
            for &a in &group[..n] {
                if differ
                    .iter()
                    .all(|&field| place(field, a) != place(field, b))
                {
                    let low_first = place(differ[0], a) < place(differ[0], b);
                    let (low, high) = if low_first { (a, b) } else { (b, a) };
                    let given = outcomes[low].bytes().cmp(&outcomes[high].bytes());
                    pairs.push(Pair { low, high, given });
                }
            }
        }
    }
    pairs
}

/// Whether of two fields that both differ the later one decides, upwards or downwards, and the first one does not.
fn decides(outcomes: &[Outcome], fields: &[Field], first: usize, later: usize) -> bool {
    let pairs = pairs(outcomes, fields, &[first, later]);
    let place = |probe: usize| fields[later].1[probe];
    let by_later = |pair: &Pair| place(pair.low).cmp(&place(pair.high));
    let follows = |pair: &Pair| pair.given == by_later(pair);
    let opposes = |pair: &Pair| pair.given == by_later(pair).reverse();
    let by_first = |pair: &Pair| pair.given == pairs[0].given;
    (pairs.len() > 1)
        && (pairs.iter().all(follows) || pairs.iter().all(opposes))
        && !pairs.iter().all(by_first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Answer, Show as _};
    use crate::exercise::Probe;

    /// What is said of keys of a number from 0 to 2 and another one, both ascending.
    fn said(key: fn(u8, u8) -> Vec<u8>) -> Vec<String> {
        let rows: Vec<(u8, u8)> = (0..3).flat_map(|a| (0..3).map(move |b| (a, b))).collect();
        let probes = rows.iter().map(|(a, b)| Probe {
            call: format!("key({a}, {b})"),
            input: Answer::text(""),
            classes: Vec::new(),
            expected: None,
        });
        let part = Part {
            probes: probes.collect(),
            ranks: (0..rows.len()).collect(),
            ..Part::new("key", "key")
        };
        let outcomes: Vec<Outcome> = rows
            .iter()
            .map(|(a, b)| Outcome::Answer(key(*a, *b).show()))
            .collect();
        let places =
            |field: fn(&(u8, u8)) -> u8| rows.iter().map(|row| usize::from(field(row))).collect();
        let fields = [("day", places(|row| row.0)), ("hour", places(|row| row.1))];
        apart(&part, &outcomes, &fields)
    }

    #[test]
    fn each_field_is_told_by_itself() {
        let both = "Where the day alone or the hour alone differs, the keys are in order.";
        assert!(said(|a, b| vec![a, b]).is_empty());
        let last = "The hour decides before the day, and should come after it.";
        assert_eq!(said(|a, b| vec![b, a]), [both, last]);
        let day = "Where the day alone differs, the keys are in order.";
        let reverse = "Where the hour alone differs, all keys are in exactly the reverse order.";
        assert_eq!(said(|a, b| vec![a, !b]), [day, reverse]);
        let left_out = "Where the hour alone differs, all keys are the same.";
        assert_eq!(said(|a, _| vec![a]), [day, left_out]);
        let mixed = "Where the hour alone differs, the keys are not in order, as those of key(0, 1) and key(0, 2).";
        assert_eq!(said(|a, b| vec![a, 3 * b % 4]), [day, mixed]);
        let cut = "Where the hour alone differs, the keys are sometimes the same, as those of key(0, 0) and key(0, 1).";
        assert_eq!(said(|a, b| vec![a, b / 2]), [day, cut]);
    }
}

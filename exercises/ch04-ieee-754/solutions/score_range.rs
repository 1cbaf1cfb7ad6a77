//! From the key of `min` up to, but without, the first key after that of `max`: its prefix successor.

use std::collections::BTreeSet;

pub(crate) use crate::score_key::key;

/// The members whose scores are from `min` to `max`, both included, in the order of the rows.
pub fn score_range(rows: &BTreeSet<Vec<u8>>, min: f64, max: f64) -> Vec<Vec<u8>> {
    if min > max {
        return Vec::new();
    }
    // No number has the largest key of all, so one can be added.
    let end = u64::from_be_bytes(key(max)) + 1;
    rows.range(key(min).to_vec()..end.to_be_bytes().to_vec())
        .map(|row| row[8..].to_vec())
        .collect()
}

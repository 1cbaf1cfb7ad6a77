//! The window begins after the rows of `to` and ends after the rows of `from`.

use std::collections::BTreeSet;
use std::ops::Bound::{Excluded, Included, Unbounded};

/// Eight bytes for `time`, the greatest time first.
pub fn key(time: u64) -> [u8; 8] {
    (u64::MAX - time).to_be_bytes()
}

/// At most `limit` names of events in `[from, to)`, the newest first.
pub fn newest(rows: &BTreeSet<Vec<u8>>, from: u64, to: u64, limit: usize) -> Vec<Vec<u8>> {
    if from >= to {
        return Vec::new();
    }
    // The first key after all rows of a time is that of the time before. `to` is above `from`, so it has one.
    let start = Included(key(to - 1).to_vec());
    let end = match from.checked_sub(1) {
        Some(before) => Excluded(key(before).to_vec()),
        None => Unbounded, // the rows of time 0 are the last of all
    };
    rows.range((start, end))
        .take(limit)
        .map(|row| row[8..].to_vec())
        .collect()
}

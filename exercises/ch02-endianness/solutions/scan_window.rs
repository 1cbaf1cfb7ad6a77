//! The bounds are made by the function that makes the keys, and the end is left out.

use std::collections::BTreeMap;

/// The times in `rows` from `from` up to, but without, `to`, in order.
pub fn scan_window(rows: &BTreeMap<[u8; 8], String>, from: u64, to: u64) -> Vec<u64> {
    if from >= to {
        return Vec::new();
    }
    rows.range(from.to_be_bytes()..to.to_be_bytes())
        .map(|(key, _)| u64::from_be_bytes(*key))
        .collect()
}

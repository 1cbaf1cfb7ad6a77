//! One range. `BTreeMap::range` panics when its start is greater than its end, so that case goes first.

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Included};

/// The keys of `store` from `lo` (taken) up to `hi` (not taken), in order.
pub fn first_scan(store: &BTreeMap<Vec<u8>, Vec<u8>>, lo: &[u8], hi: &[u8]) -> Vec<Vec<u8>> {
    if lo >= hi {
        return Vec::new();
    }
    let range = store.range::<[u8], _>((Included(lo), Excluded(hi)));
    range.map(|(key, _)| key.clone()).collect()
}

//! From the prefix up to the first key after all that start with it: the prefix with one added to its
//! last byte. That byte is never `ff` here, so the sum fits.

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Included};

/// The keys of `store` that start with `prefix`, in order.
pub fn prefix_scan(store: &BTreeMap<Vec<u8>, Vec<u8>>, prefix: &[u8]) -> Vec<Vec<u8>> {
    let mut end = prefix.to_vec();
    if let Some(last) = end.last_mut() {
        *last += 1;
    }
    let range = store.range::<[u8], _>((Included(prefix), Excluded(&end[..])));
    range.map(|(key, _)| key.clone()).collect()
}

//! # first-scan: the keys from one bound up to another
//!
//! **Why.** A sorted store answers two questions: "what is stored under this key?" and "which keys lie
//! between these two?". Every query of this book that is not a lookup becomes the second one.
//!
//! **Task.** Collect the keys `k` with `lo <= k < hi`, in the order of the store.
//!
//! 1. `lo` is part of the range, `hi` is not: a *half-open* range. Two of them can meet at a key
//!    without counting it twice or losing it.
//! 2. Neither bound has to be a key of the store.
//! 3. If `lo` is not less than `hi`, there are no such keys.
//!
//! `store.range(lo..hi)` does not compile, because a slice has no fixed size. Make vectors of the bounds
//! (`lo.to_vec()..hi.to_vec()`), or walk the keys and compare.
//!
//! With the keys `a`, `aa`, `b` and `c`:
//!
//! | `lo` | `hi` | keys           |
//! |------|------|----------------|
//! | `a`  | `b`  | `a` `aa`       |
//! | `a0` | `cc` | `aa` `b` `c`   |
//! | `b`  | `b`  | none           |
//! | `c`  | `a`  | none           |
//!
//! **Check.** `cargo workbook check first-scan`, or `cargo test -p ch01-sorted-map first-scan`.
//! It is *not started* while the function is `todo!()`.

use std::collections::BTreeMap;

/// The keys of `store` from `lo` (taken) up to `hi` (not taken), in order.
pub fn first_scan(store: &BTreeMap<Vec<u8>, Vec<u8>>, lo: &[u8], hi: &[u8]) -> Vec<Vec<u8>> {
    todo!("the keys from {lo:?} up to {hi:?} of {store:?}")
}

//! # prefix-scan: the keys that start with a prefix
//!
//! **Why.** A user's orders, a set's members, a day's events: in a sorted store each of these is "all
//! keys that start with these bytes". They are next to each other, so one range finds them.
//!
//! **Task.** Collect the keys that start with `prefix`, in the order of the store.
//!
//! 1. The prefix itself is one of them, if it is a key.
//! 2. Any bytes may follow the prefix: none, `00`, `ff`, or several `ff`.
//! 3. The prefix is never empty and never ends in `ff`. (The chapter tells what to do then.)
//!
//! Read the store as one range with a start and an end, not as a walk over all keys: a store that
//! holds a million keys of other prefixes must not be slower. The check sees only your answers, so this
//! part is for you to keep.
//!
//! | keys                                     | prefix   | found                         |
//! |------------------------------------------|----------|-------------------------------|
//! | `user` `user:` `user:1` `user:2` `users` | `user:`  | `user:` `user:1` `user:2`     |
//! | `a` `a\xff` `a\xff\xff` `b`              | `a`      | `a` `a\xff` `a\xff\xff`       |
//!
//! **Check.** `cargo workbook check prefix-scan`, or `cargo test -p ch01-sorted-map prefix-scan`.
//! It is *not started* while the function is `todo!()`.

use std::collections::BTreeMap;

/// The keys of `store` that start with `prefix`, in order.
pub fn prefix_scan(store: &BTreeMap<Vec<u8>, Vec<u8>>, prefix: &[u8]) -> Vec<Vec<u8>> {
    todo!("the keys of {store:?} that start with {prefix:?}")
}

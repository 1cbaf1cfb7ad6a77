//! # test-prefix-scan: be the tester
//!
//! **Why.** A scan that loses a key reports nothing. It returns a list, and the list looks good. Only a test with the
//! right *data* finds the fault: it has to put the key that gets lost into the store.
//!
//! **Task.** Write `test`. It gets somebody's `scan`, and you cannot read its code. `scan(store, prefix)` is to return
//! the keys of the store that start with `prefix`, in the order of the store. Make stores, choose prefixes, and
//! panic, by `assert!` or `assert_eq!`, if an answer is wrong. Return if you find nothing.
//!
//! 1. The prefix itself is found if it is a key.
//! 2. Any bytes may follow the prefix.
//! 3. The prefix is never empty. It may end in `ff`: then the scan needs the carry of the chapter.
//! 4. A prefix is bytes and not a field: `user:1` is a prefix of `user:10`.
//!
//! Your test is tried on three right scans and on sixteen wrong ones. It passes when it accepts the three and refuses
//! the sixteen. A call of `test` has one second.
//!
//! The faults are those of the chapter and some of their relatives: an end that comes too early or too late, keys that hold the
//! prefix somewhere else, bytes taken for text, small letters taken for capitals, a wrong order, a store that nobody thought of.
//!
//! **Check.** `cargo workbook check test-prefix-scan`, or `cargo test -p ch01-sorted-map test-prefix-scan`.

use std::collections::BTreeMap;

/// Keys and values, in byte order.
pub type Store = BTreeMap<Vec<u8>, Vec<u8>>;

/// Keys, in the order in which a scan found them.
pub type Keys = Vec<Vec<u8>>;

/// Panics if the scan gives a wrong answer.
pub fn test(scan: &dyn Fn(&Store, &[u8]) -> Keys) {
    let store = Store::from([(b"user:1".to_vec(), b"ann".to_vec())]);
    todo!("say what is wrong with {:?}", scan(&store, b"user:"))
}

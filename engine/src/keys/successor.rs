//! The prefix successor: the smallest byte string above every string with a given prefix.
//!
//! Rule: drop the trailing `ff` bytes, add one to the last byte that is left. That is an addition
//! with carry, and the zeros that a carry leaves behind are not needed. A prefix of `ff` bytes
//! only has no successor: nothing bounds it from above.
//!
//! ```
//! use engine::keys::prefix_successor;
//! for (prefix, bound) in [
//!     (&b"a"[..],          Some(&b"b"[..])),
//!     (b"user:",           Some(b"user;")),
//!     (b"a\xff",           Some(b"b")),
//!     (b"a\xfe\xff\xff",   Some(b"a\xff")),
//!     (b"a\x00",           Some(b"a\x01")),
//!     (b"\xff\xff",        None),
//!     (b"",                None),
//! ] {
//!     assert_eq!(prefix_successor(prefix).as_deref(), bound);
//! }
//! ```
//!
//! Invariants
//! 1. `prefix <= key < successor` exactly when `key` starts with `prefix`.
//! 2. No other byte string has this property.
//!
//! The tempting shortcut, `prefix ++ ff`, misses the keys from `prefix ++ ff 00` on, see
//! [`historical::upper_bound`](crate::keys::historical::upper_bound).

// ANCHOR: prefix_successor
/// The exclusive upper bound of all keys that start with `prefix`. `None` if
/// there is none: then the range is open to the end.
#[must_use]
pub fn prefix_successor(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|&byte| byte != 0xff)?;
    let mut bound = prefix[..=last].to_vec();
    bound[last] += 1;
    Some(bound)
}
// ANCHOR_END: prefix_successor

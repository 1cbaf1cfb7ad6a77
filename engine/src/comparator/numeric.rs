//! An example of a custom order: trailing digits compare as a number, within the same prefix.
//!
//! A key is read as a prefix and the run of ASCII digits at its end: `item:10` is `item:` and `10`. The order
//! is by
//!
//! 1. the prefix, bytewise, so that `item:` and `user:` do not interleave;
//! 2. the number, of any length: without leading zeros the longer is the greater, and equal
//!    lengths compare as bytes, so nothing is parsed and nothing overflows;
//! 3. the whole key, bytewise, so that `item:1` and `item:01` are different keys.
//!
//! Each of the three is a total order, and so is comparing by one after another.
//!
//! Only prefixes that do not end in a digit have a range of their own. All keys that begin with
//! `item:` have a prefix part that begins with it, so rule 1 puts them side by side. Those that
//! begin with `item:1` are scattered: `item:2` lies between `item:1` and `item:10`.

use std::cmp::Ordering;
use std::ops::Bound::{Excluded, Included, Unbounded};

use super::{Compare, PrefixRange, after_prefix, bytewise_separator};

/// Orders `item:1, item:2, item:9, item:10`, and keeps prefixes apart.
#[derive(Debug, Clone, Copy, Default)]
pub struct NumericSuffix;

impl Compare for NumericSuffix {
    fn name(&self) -> &str {
        "numeric-suffix"
    }

    // ANCHOR: compare
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        let (a_prefix, a_digits) = split(a);
        let (b_prefix, b_digits) = split(b);
        a_prefix
            .cmp(b_prefix)
            .then(a_digits.len().cmp(&b_digits.len()))
            .then(a_digits.cmp(b_digits))
            .then(a.cmp(b))
    }
    // ANCHOR_END: compare

    /// If the prefix parts differ, a shorter prefix separates them, unless its end reads as a number.
    fn separator(&self, a: &[u8], b: &[u8]) -> Vec<u8> {
        let (a_prefix, _) = split(a);
        let (b_prefix, _) = split(b);
        if a_prefix < b_prefix {
            let between = bytewise_separator(a_prefix, b_prefix);
            if between != a_prefix && !ends_in_digit(&between) {
                return between;
            }
        }
        a.to_vec()
    }

    fn prefix_range(&self, prefix: &[u8]) -> Option<PrefixRange> {
        if ends_in_digit(prefix) {
            return None;
        }
        let end = after_prefix(prefix).map_or(Unbounded, |mut after| {
            // For example, the bound after `item/` would be `item0`, which ends in a digit and so reads
            // as a number. No prefix part ends in a digit, so `item0\0` bounds the same prefix parts.
            if ends_in_digit(&after) {
                after.push(0);
            }
            Excluded(after)
        });
        Some(PrefixRange {
            start: Included(prefix.to_vec()),
            end,
        })
    }
}

fn ends_in_digit(key: &[u8]) -> bool {
    key.last().is_some_and(u8::is_ascii_digit)
}

// ANCHOR: split
/// The prefix, and the digits at the end without their leading zeros.
fn split(key: &[u8]) -> (&[u8], &[u8]) {
    let digits_at = key
        .iter()
        .rposition(|byte| !byte.is_ascii_digit())
        .map_or(0, |at| at + 1);
    let (prefix, digits) = key.split_at(digits_at);
    let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
    (prefix, &digits[zeros..])
}
// ANCHOR_END: split

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparator::assert_comparator_laws;
    use proptest::prelude::*;

    #[test]
    fn numbers_by_value_prefixes_apart() {
        let mut keys = vec![
            "user:1",
            "item:10",
            "item:9",
            "item:1",
            "user:20",
            "item:2",
            "item:01",
            "item:",
            "item:18446744073709551616",
            "item:18446744073709551615",
        ];
        keys.sort_by(|a, b| NumericSuffix.compare(a.as_bytes(), b.as_bytes()));
        assert_eq!(
            keys,
            [
                "item:",
                "item:01",
                "item:1",
                "item:2",
                "item:9",
                "item:10",
                "item:18446744073709551615",
                "item:18446744073709551616",
                "user:1",
                "user:20",
            ]
        );
    }

    #[test]
    fn separators_are_short_where_prefixes_differ() {
        let separator = |a: &str, b: &str| {
            String::from_utf8(NumericSuffix.separator(a.as_bytes(), b.as_bytes())).unwrap()
        };
        assert_eq!(separator("item:123", "user:1"), "j");
        assert_eq!(separator("item:123", "item:124"), "item:123");
        // Only `0` lies between `/` and `1`, and `a0` would read as a number.
        assert_eq!(separator("a/1", "a1:1"), "a/1");
    }

    proptest! {
        #[test]
        fn the_laws_hold(keys in prop::collection::vec("[0-2a/:]{0,5}", 0..24)) {
            assert_comparator_laws(&NumericSuffix, &keys);
        }

        #[test]
        fn a_prefix_range_holds_exactly_the_prefix(
            prefix in "[0-1a/:]{0,3}", keys in prop::collection::vec("[0-1a/:]{0,5}", 1..16)
        ) {
            // The law is checked for every prefix that is a key.
            let keys: Vec<_> = keys.iter().map(|rest| format!("{prefix}{rest}")).chain(keys.clone()).chain([prefix.clone()]).collect();
            assert_comparator_laws(&NumericSuffix, &keys);
        }
    }
}

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
//! Each of the three is a total order, and comparing by one after another of total orders is one too.

use std::cmp::Ordering;

use super::Compare;

/// Orders `item:1, item:2, item:9, item:10`, and keeps prefixes apart.
#[derive(Debug, Clone, Copy, Default)]
pub struct NumericSuffix;

impl Compare for NumericSuffix {
    fn name(&self) -> &str {
        "numeric-suffix"
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        let (a_prefix, a_digits) = split(a);
        let (b_prefix, b_digits) = split(b);
        a_prefix
            .cmp(b_prefix)
            .then(a_digits.len().cmp(&b_digits.len()))
            .then(a_digits.cmp(b_digits))
            .then(a.cmp(b))
    }
}

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

    proptest! {
        #[test]
        fn the_laws_hold(keys in prop::collection::vec("[0-2a:]{0,5}", 0..24)) {
            assert_comparator_laws(&NumericSuffix, &keys);
        }
    }
}

//! Three total orders, one after the other.

use std::cmp::Ordering;

/// The order of `a` and `b`.
pub fn compare(a: &[u8], b: &[u8]) -> Ordering {
    let ((a_prefix, a_digits), (b_prefix, b_digits)) = (split(a), split(b));
    a_prefix
        .cmp(b_prefix)
        .then_with(|| number(a_digits).cmp(&number(b_digits)))
        // A key without a number is the beginning of all that have one, so it comes first here.
        .then(a.cmp(b))
}

/// How long the number is without leading zeros, and its digits: the longer one is the greater. Nothing is parsed, so
/// nothing overflows.
fn number(digits: &[u8]) -> (usize, &[u8]) {
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    (digits.len() - zeros, &digits[zeros..])
}

/// The prefix, and the digits at the end.
pub(crate) fn split(key: &[u8]) -> (&[u8], &[u8]) {
    let other = key.iter().rposition(|byte| !byte.is_ascii_digit());
    key.split_at(other.map_or(0, |at| at + 1))
}

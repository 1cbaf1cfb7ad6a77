//! # test-comparator: be the tester
//!
//! **Why.** A broken comparator reports nothing: only its test can. And a test of an order is as good as the keys that it
//! tries. So a test needs a test as well: does it refuse what is wrong?
//!
//! **Task.** Write `test`. It gets somebody's comparator, and you cannot read its code. Panic, by `assert!` or `assert_eq!`, if one
//! of the laws is broken:
//!
//! 1. a key equals itself;
//! 2. asked the other way round, it gives the opposite answer;
//! 3. if `a` comes before `b` and `b` before `c`, then `a` comes before `c`;
//! 4. different bytes are never equal.
//!
//! Return if you find nothing. *Which* order it is, is free: bytes, numbers, the longest first, backwards. Do not demand one.
//!
//! Your test is tried on six comparators that keep the laws and on sixteen that do not. It passes when it accepts the six and refuses the
//! sixteen. Keys are any bytes. A call of `test` has one second, and all calls together, two with each comparator, have eight: fifty keys in
//! all pairs and triples are no problem, if you ask for each pair once and keep the answer. Two hundred are.
//!
//! The faults are those of the chapter and some of their relatives: a part of the key that is not looked at, numbers that are cut or
//! subtracted, text taken for a number, bytes taken for text, two rules for two kinds of pairs, a key that makes it panic.
//!
//! **Check.** `cargo workbook check test-comparator`, or `cargo test -p ch07-comparators test-comparator`.

use std::cmp::Ordering;

/// Panics if the comparator breaks a law.
pub fn test(compare: &dyn Fn(&[u8], &[u8]) -> Ordering) {
    todo!("try {:?}", compare(b"a", b"b"))
}

//! # test-i64-keys: be the tester
//!
//! **Why.** A wrong key loses no row and reports no error. Only a test finds it, and only if the test tries the
//! numbers on which it is wrong. So a test needs a test as well: does it refuse what is wrong?
//!
//! **Task.** Write `test`. It gets somebody's `encode` and `decode` for `i64`, and you cannot read their code. Panic,
//! by `assert!` or `assert_eq!`, if one of these rules is broken:
//!
//! 1. `a < b` exactly when `encode(a)` comes before `encode(b)` byte by byte;
//! 2. `decode(&encode(a)) == a`.
//!
//! Return if you find nothing. How many bytes a key has, and which, is free: do not compare with the bytes that
//! *your* encoder would write. Vectors of bytes compare byte by byte: `encode(1) < encode(2)`.
//!
//! Your test is tried on three right pairs and on twelve wrong ones. It passes when it accepts the three and refuses the twelve.
//! It may ask some hundred thousand times, not 2^64 times: a call of `test` has one second.
//!
//! The faults are those of the chapter and some of their relatives: a half in the wrong place or backwards, bytes in a wrong order,
//! bits cut off or rounded away, sums that do not fit at the ends of the type, a `decode` that is wrong where `encode` is right.
//!
//! **Check.** `cargo workbook check test-i64-keys`, or `cargo test -p ch03-twos-complement test-i64-keys`.

/// Panics if the keys break a rule.
pub fn test(encode: &dyn Fn(i64) -> Vec<u8>, decode: &dyn Fn(&[u8]) -> i64) {
    todo!("try {} and {}", encode(0).len(), decode(&encode(0)))
}

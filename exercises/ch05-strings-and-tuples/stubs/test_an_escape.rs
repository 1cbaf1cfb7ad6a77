//! # test-an-escape: be the tester
//!
//! **Why.** An escape can be right for every name and wrong for other bytes, as Pika's was. An encoder is as good as the
//! test that it has passed, and a test is as good as the wrong encoders that it refuses.
//!
//! **Task.** Write `test`. It gets somebody's `encode` and `decode` for byte strings, and you cannot read their code. Panic, by
//! `assert!` or `assert_eq!`, if one of these rules is broken:
//!
//! 1. *Order.* `a < b` exactly when `encode(a) < encode(b)`.
//! 2. *It ends by itself.* If `a` and `b` are different, `encode(b)` does not start with `encode(a)`.
//! 3. *Round trip.* `decode(&encode(a))` is `Some(a)`.
//! 4. *Refusal.* If a byte is cut from the end of a key, or one is put after it, `decode` gives `None`.
//!
//! Return if you find nothing. How a string is escaped and ended is free: do not compare with the bytes that *your* encoder
//! would write.
//!
//! Your test is tried on three right pairs and on sixteen wrong ones. It passes when it accepts the three and refuses the sixteen.
//! It may ask some hundred thousand times: a call of `test` has one second.
//!
//! The faults are those of the chapter and some of their relatives: an end that is missing or sorts wrongly, zero bytes lost or taken
//! for the end, bytes taken for text, long strings cut, a `decode` that takes too much.
//!
//! **Check.** `cargo workbook check test-an-escape`, or `cargo test -p ch05-strings-and-tuples test-an-escape`.

/// Panics if the keys break a rule.
pub fn test(encode: &dyn Fn(&[u8]) -> Vec<u8>, decode: &dyn Fn(&[u8]) -> Option<Vec<u8>>) {
    todo!("try {} and {:?}", encode(b"a").len(), decode(&encode(b"a")))
}

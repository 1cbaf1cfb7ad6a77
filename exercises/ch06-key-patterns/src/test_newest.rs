//! # test-newest: be the tester
//!
//! **Why.** An index with the newest first goes wrong at its edges: where a window starts and ends, at time 0, at the
//! greatest time, where two events share a moment. Some faults show among large times alone. Everything else looks fine,
//! and so does a demonstration. Only a test that goes there sees it.
//!
//! **Task.** Write `test`. It gets somebody's feed as a function `newest`, and you cannot read its code.
//! `newest(events, from, to, limit)` puts the events, pairs of a time and a name, into an index of its own and asks it.
//! Panic, by `assert!` or `assert_eq!`, if one of these rules is broken:
//!
//! 1. The answer holds the names of the events with `from <= time < to`, and no others. If `from` is not less than
//!    `to`, there are none.
//! 2. The newest time comes first. Names of one time come in the order of their bytes.
//! 3. Only the first `limit` of these names are given.
//!
//! Return if you find nothing. Events may be given in any order. Names are bytes, and any bytes: `b"a"`, `b""`,
//! `b"\xff\x00"`. No rule says what happens to an event that is given twice: do not try it.
//!
//! Your test is tried on three right feeds and on twenty-four wrong ones. It passes when it accepts the three and refuses
//! the others. A call of `test` has one second: a thousand calls of `newest` with some dozen events are fine.
//!
//! The faults are those of the chapter and some of their relatives: an edge of a window on the wrong side, crossed bounds, times too
//! large for a type or a width, a unit guessed from the number of digits, names lost or in a wrong order, a limit that counts the wrong
//! events.
//!
//! **Check.** `cargo workbook check test-newest`, or `cargo test -p ch06-key-patterns test-newest`.

/// An event: its time and its name.
pub type Event<'a> = (u64, &'a [u8]);

/// Somebody's feed: `newest(events, from, to, limit)` gives names.
pub type Newest<'a> = &'a dyn Fn(&[Event<'_>], u64, u64, usize) -> Vec<Vec<u8>>;

/// Panics if `newest` breaks a rule.
pub fn test(newest: Newest<'_>) {
    todo!("try {}", newest(&[(20, b"b"), (10, b"a")], 10, 30, 9).len())
}

//! # test-packer: be the tester
//!
//! **Why.** A wrong layout is right for the five players of a sample. It is wrong for a player with many gems, or
//! for two who came within a second of each other. Only a test that tries those finds it.
//!
//! **Task.** Write `test`. It gets somebody's `pack` and `unpack`, and you cannot read their code. Panic, by `assert!` or
//! `assert_eq!`, if one of these rules is broken:
//!
//! 1. A player with 0 to 8388607 gems and a second from `FIRST` to `END`, both included, has a score. With one gem more, with a
//!    later second or an earlier one there is none: `None`.
//! 2. Of two players, the better one has the greater score: more gems, then paid, then the *earlier* second. Only players
//!    who are alike in all three have equal scores.
//! 3. `unpack` gives back the gems, paid and the second of every score that `pack` makes.
//!
//! Return if you find nothing. The layout is free, so do not demand certain numbers. A score is a double: it may be below
//! zero, and it need not be an integer.
//!
//! Your test is tried on three right packers and on seventeen wrong ones. It passes when it accepts the three and refuses the
//! seventeen. A call of `test` has one second: it may pack some hundred thousand players.
//!
//! The faults are those of the chapter and some of their relatives: fields in a wrong order or direction, fields that overlap, a time
//! that loses its seconds when there are many gems, limits that are off by one, an `unpack` that is wrong where `pack` is right.
//!
//! **Check.** `cargo workbook check test-packer`, or `cargo test -p ch08-many-dimensions test-packer`.

/// The first second that has to fit. Given; leave it as it is.
pub const FIRST: u64 = 1_325_020_289;
/// The last second that has to fit. Given; leave it as it is.
pub const END: u64 = 1_861_891_200;

/// Gems, paid, second, to a score.
pub type Pack<'a> = &'a dyn Fn(u64, bool, u64) -> Option<f64>;
/// A score, to gems, paid, second.
pub type Unpack<'a> = &'a dyn Fn(f64) -> (u64, bool, u64);

/// Panics if the packer breaks a rule.
pub fn test(pack: Pack, unpack: Unpack) {
    let score = pack(200, true, END - 1);
    todo!("try {score:?} and {:?}", score.map(unpack))
}

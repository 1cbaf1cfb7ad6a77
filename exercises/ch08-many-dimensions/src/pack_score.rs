//! # pack-score: three fields in one score, and back
//!
//! **Why.** A leaderboard sorts by one number, and you want three: more gems first, then players who paid,
//! then those who came earlier. The number has to stay below 2^53, or the low fields get lost.
//!
//! **Task.** Write `pack` and `unpack`. A score has three fields, most significant first:
//!
//! | field  | bits | holds                                                    |
//! |--------|------|----------------------------------------------------------|
//! | gems   | 23   | the gems, 0 to 8388607                                   |
//! | paid   | 1    | 1 for a player who paid                                  |
//! | time   | 29   | `END` minus the second, so that earlier players get more |
//!
//! 1. `at_ms` counts milliseconds since 1970. The second is what is left after the last three digits are
//!    cut off.
//! 2. What does not fit has no score: `pack` gives `None` for more gems than 23 bits hold, for a second
//!    after `END`, and for one so early that 29 bits do not hold the difference.
//! 3. `unpack` gives the gems, whether the player paid, and the second since 1970 (not the field). It gives
//!    `None` for a number that `pack` never makes: 2^53 and all above it.
//!
//! | call                              | answer                            |
//! |-----------------------------------|-----------------------------------|
//! | `pack(200, false, 1571819021259)` | `Some(215038436979)`              |
//! | `pack(200, true, 1571819021259)`  | `Some(215575307891)`              |
//! | `pack(8388608, true, 1571819021259)` | `None`                         |
//! | `unpack(215038436979)`            | `Some((200, false, 1571819021))`  |
//!
//! **Check.** `cargo workbook check pack-score`, or `cargo test -p ch08-many-dimensions pack-score`.
//! It is *not started* while both functions are `todo!()`. You may begin with either.

/// The second, since 1970, at which the time field is 0. Given; leave it as it is.
pub const END: u64 = 1_861_891_200;

/// The score of a player, if every field fits.
pub fn pack(gems: u64, paid: bool, at_ms: u64) -> Option<u64> {
    todo!("one number for {gems} gems, paid {paid}, at {at_ms} ms")
}

/// The gems, whether the player paid, and the second since 1970.
pub fn unpack(score: u64) -> Option<(u64, bool, u64)> {
    todo!("the three fields of {score}")
}

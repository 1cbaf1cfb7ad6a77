//! # compare-and-set: change a low field while others write
//!
//! **Why.** The top field takes one command. A low field takes two, a read and a write, and between the two
//! somebody else may write.
//!
//! **Task.** Scores are packed as in `pack-score`: gems, then one bit for paid, then 29 bits for the time.
//! Other clients write to the board between your calls, to your member too. They may also add it or remove it. Write
//!
//! 1. `add_gems(board, member, gems)`: adds the gems in one change, whatever else happens. A member that is not
//!    in the set begins at 0.
//! 2. `set_paid(board, member)`: sets the paid bit and leaves the rest as others left it. It returns whether
//!    the member is paid when it is done: `false` only if the member is not in the set. It never adds a member.
//! 3. `win(board, member, gems, time)`: adds the gems *and* puts `time` into the time field, in one step: at no
//!    moment may anybody see the one without the other. It returns `false`, and writes nothing, if the member
//!    is not in the set.
//!
//! The calls that you have are in `src/board.rs`. No gems reach 2^23 here, and `time` has 29 bits.
//!
//! **Check.** `cargo workbook check compare-and-set`, or `cargo test -p ch08-many-dimensions compare-and-set`.
//! It is *not started* while all functions are `todo!()`. You may begin with any.

use crate::board::Board;

/// Adds gems to a member.
pub fn add_gems(board: &mut dyn Board, member: &str, gems: u64) {
    let _ = board;
    todo!("{gems} gems more for {member}")
}

/// Marks a member as paid, if it is in the set.
pub fn set_paid(board: &mut dyn Board, member: &str) -> bool {
    let _ = board;
    todo!("{member} has paid")
}

/// Adds gems and sets the time, if the member is in the set.
pub fn win(board: &mut dyn Board, member: &str, gems: u64, time: u64) -> bool {
    let _ = board;
    todo!("{gems} gems more for {member}, at {time}")
}

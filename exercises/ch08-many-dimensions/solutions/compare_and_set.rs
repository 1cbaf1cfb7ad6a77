//! Read, compute, and write only if nobody wrote meanwhile. Otherwise read again.

use crate::board::Board;

const GEMS_SHIFT: u32 = 30;
const PAID: u64 = 1 << 29;
const TIME_MASK: u64 = PAID - 1;

/// Adds gems to a member.
pub fn add_gems(board: &mut dyn Board, member: &str, gems: u64) {
    board.add(member, gems << GEMS_SHIFT);
}

/// Marks a member as paid, if it is in the set.
pub fn set_paid(board: &mut dyn Board, member: &str) -> bool {
    while let Some(seen) = board.score(member) {
        if seen & PAID != 0 || board.compare_and_set(member, seen, seen | PAID) {
            return true;
        }
    }
    false
}

/// Adds gems and sets the time, if the member is in the set.
pub fn win(board: &mut dyn Board, member: &str, gems: u64, time: u64) -> bool {
    while let Some(seen) = board.score(member) {
        let new = ((seen & !TIME_MASK) + (gems << GEMS_SHIFT)) | time;
        if board.compare_and_set(member, seen, new) {
            return true;
        }
    }
    false
}

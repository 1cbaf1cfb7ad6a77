//! What goes wrong when two fields have to change together.

use kit::Mistake;

use crate::board::Board;
use crate::compare_and_set::Changes;
use crate::mistakes::compare_and_set::{
    CAS, LAYOUT, LOW, MAY_BE_ABSENT, MAY_LEAVE, PAID, set_within, until_set,
};
use crate::solutions::compare_and_set::{add_gems, set_paid, win};
use crate::solutions::pack_score::END;

const MASK: u64 = PAID - 1;

fn winning(
    name: &'static str,
    says: &'static str,
    why: &'static str,
    link: &'static str,
    function: fn(&mut dyn Board, &str, u64, u64) -> bool,
) -> Mistake<Changes> {
    let changes = Changes::new(add_gems, set_paid, function);
    Mistake::new(name, "win", "both", changes)
        .says(says)
        .why(why)
        .link(link)
}

/// Compare-and-set in a loop, with this for the new score.
fn win_with(new: fn(u64, u64, u64) -> u64) -> Changes {
    Changes::new(add_gems, set_paid, move |board, member, gems, time| {
        until_set(board, member, |seen| new(seen, gems, time))
    })
}

/// The mistakes of `win`.
pub(crate) fn all() -> Vec<Mistake<Changes>> {
    let mut mistakes = steps();
    mistakes.extend(values());
    mistakes.extend(without_return());
    mistakes
}

fn steps() -> Vec<Mistake<Changes>> {
    vec![
        winning(
            "win_gems_then_time",
            "an addition of the gems, and then a change of the time",
            "Each is right, and between the two the board shows the new gems with the old time. Compute both \
             fields, and set them by one compare-and-set.",
            CAS,
            |board, member, gems, time| {
                if board.score(member).is_none() {
                    return false;
                }
                board.add(member, gems << 30);
                until_set(board, member, |seen| seen & !MASK | time)
            },
        ),
        winning(
            "win_gems_then_time_of_the_sum",
            "an addition of the gems, and then a change of the time in the score that it returned",
            "Between the two the board shows the new gems with the old time. Compute both fields, and set them by one \
             compare-and-set.",
            CAS,
            |board, member, gems, time| {
                if board.score(member).is_none() {
                    return false;
                }
                let mut seen = board.add(member, gems << 30);
                while !board.compare_and_set(member, seen, seen & !MASK | time) {
                    let Some(score) = board.score(member) else {
                        return false;
                    };
                    seen = score;
                }
                true
            },
        )
        .or(Changes::new(add_gems, set_paid, |board, member, gems, time| {
            if board.score(member).is_none() {
                return false;
            }
            let sum = board.add(member, gems << 30);
            board.set(member, sum & !MASK | time);
            true
        })),
        winning(
            "win_written_at_the_second_try",
            "one attempt of compare-and-set, and a write without comparing if it fails",
            "That write may put back what somebody else has changed meanwhile, or bring back a member that has left. Try again in the same way, as often as it \
             takes.",
            CAS,
            |board, member, gems, time| {
                let Some(seen) = board.score(member) else {
                    return false;
                };
                let new = (seen & !MASK | time) + (gems << 30);
                if !board.compare_and_set(member, seen, new) {
                    board.set(member, new);
                }
                true
            },
        )
        .or(Changes::new(add_gems, set_paid, |board, member, gems, time| {
            for is_compared in [true, false] {
                let Some(seen) = board.score(member) else {
                    return false;
                };
                let new = (seen & !MASK | time) + (gems << 30);
                if is_compared && board.compare_and_set(member, seen, new) {
                    return true;
                }
                if !is_compared {
                    board.set(member, new);
                }
            }
            true
        })),
        winning(
            "win_time_then_gems",
            "a change of the time, and then an addition of the gems",
            "Each is right, and between the two the board shows the new time with the old gems. Compute both \
             fields, and set them by one compare-and-set.",
            CAS,
            |board, member, gems, time| {
                let set = until_set(board, member, |seen| seen & !MASK | time);
                if set {
                    board.add(member, gems << 30);
                }
                set
            },
        ),
        winning(
            "win_gems_then_time_each_compared",
            "a change of the gems, and then a change of the time",
            "Each is right, and between the two the board shows the new gems with the old time. Compute both \
             fields, and set them by one compare-and-set.",
            CAS,
            |board, member, gems, time| {
                until_set(board, member, |seen| seen + (gems << 30))
                    && until_set(board, member, |seen| seen & !MASK | time)
            },
        ),
        winning(
            "win_read_then_written",
            "a read, and a write of what was computed from it",
            "Between the two somebody added gems or paid, and the write puts the old fields back. The board has to \
             compare before it sets.",
            LOW,
            |board, member, gems, time| {
                let Some(seen) = board.score(member) else {
                    return false;
                };
                board.set(member, (seen & !MASK | time) + (gems << 30));
                true
            },
        ),
        winning(
            "win_tried_once",
            "a compare-and-set with the first read, and no second read",
            "`false` from the board means: somebody wrote since you read. Read again, compute again, try again.",
            CAS,
            |board, member, gems, time| {
                let seen = board.score(member);
                seen.is_some_and(|seen| {
                    board.compare_and_set(member, seen, (seen & !MASK | time) + (gems << 30))
                })
            },
        ),
        winning(
            "win_given_up_after_some",
            "a fixed number of attempts",
            "With many writers one more is needed, whatever the number. Each failed attempt means that somebody else \
             succeeded, so a loop without a count does not stand still.",
            CAS,
            |board, member, gems, time| {
                set_within(3, board, member, |seen| {
                    (seen & !MASK | time) + (gems << 30)
                })
            },
        )
        .or(Changes::new(
            add_gems,
            set_paid,
            |board, member, gems, time| {
                set_within(2, board, member, |seen| {
                    (seen & !MASK | time) + (gems << 30)
                })
            },
        )),
        winning(
            "win_computed_once",
            "attempts that all write what was computed from the first read",
            "You read again, and so the comparison holds at last. But the value is the old one. What you write has \
             to come from what you compared with.",
            CAS,
            |board, member, gems, time| {
                let Some(first) = board.score(member) else {
                    return false;
                };
                let new = (first & !MASK | time) + (gems << 30);
                let mut seen = first;
                while !board.compare_and_set(member, seen, new) {
                    let Some(now) = board.score(member) else {
                        return false;
                    };
                    seen = now;
                }
                true
            },
        ),
        winning(
            "win_computed_before_the_attempts",
            "a read of the score to compare with, and a write of what was computed before it",
            "You compare with what you have just read, and so the comparison holds. But the value comes from an older read. What you write has to \
             come from what you compared with.",
            CAS,
            |board, member, gems, time| {
                let Some(first) = board.score(member) else {
                    return false;
                };
                until_set(board, member, |_| (first & !MASK | time) + (gems << 30))
            },
        )
        .or(Changes::new(add_gems, set_paid, |board, member, gems, time| {
            while let Some(first) = board.score(member) {
                let new = (first & !MASK | time) + (gems << 30);
                let Some(seen) = board.score(member) else {
                    return false;
                };
                if board.compare_and_set(member, seen, new) {
                    return true;
                }
            }
            false
        })),
        winning(
            "win_read_twice_then_written",
            "a second read before the write",
            "The window is smaller, and it is still there: between the second read and the write. Comparing and setting have to be one step.",
            CAS,
            |board, member, gems, time| {
                loop {
                    let Some(seen) = board.score(member) else {
                        return false;
                    };
                    if board.score(member) == Some(seen) {
                        board.set(member, (seen & !MASK | time) + (gems << 30));
                        return true;
                    }
                }
            },
        ),
        winning(
            "win_by_the_difference",
            "an addition of the difference to the score that was read",
            "The gems of others are kept. But the difference of the times was computed from a score that may have \
             changed, and a member that left comes back.",
            LOW,
            |board, member, gems, time| {
                let Some(seen) = board.score(member) else {
                    return false;
                };
                let new = (seen & !MASK | time) + (gems << 30);
                board.add(member, new.wrapping_sub(seen));
                true
            },
        ),
    ]
}

fn values() -> Vec<Mistake<Changes>> {
    vec![
        winning(
            "win_time_joined_to_the_old",
            "the new time joined to the old one by `|`",
            "`|` only sets bits. Clear the field first, with a mask.",
            LAYOUT,
            |board, member, gems, time| {
                until_set(board, member, |seen| (seen | time) + (gems << 30))
            },
        ),
        winning(
            "win_time_added_to_the_old",
            "the new time added to the old one",
            "The sum flows over into `paid`. The new time takes the place of the old one: clear the field first, \
             with a mask.",
            LAYOUT,
            |board, member, gems, time| until_set(board, member, |seen| seen + time + (gems << 30)),
        ),
        winning(
            "win_clears_paid",
            "`paid` cleared together with the time",
            "`paid` comes between gems and time, and whoever set it is to find it there. A mask of 30 ones takes it away with the \
             time: 29 are enough. So does a score that is put together anew from gems and time.",
            LAYOUT,
            |board, member, gems, time| {
                until_set(board, member, |seen| {
                    (seen >> 30 << 30 | time) + (gems << 30)
                })
            },
        ),
        winning(
            "win_counts_the_time_down",
            "`END` minus `time` in place of `time`",
            "`time` is the field as it is in the score: it counts down from `END` already. Counted down again it becomes the second since 1970, \
             which takes 31 bits: two more than the field has.",
            LAYOUT,
            |board, member, gems, time| {
                until_set(board, member, |seen| {
                    (seen & !MASK) + (gems << 30) + (END - time)
                })
            },
        )
        .or(win_with(|seen, gems, time| {
            ((seen & !MASK) + (gems << 30)) | (END - time)
        }))
        .or(win_with(|seen, gems, time| {
            (seen & !MASK | (END - time)) + (gems << 30)
        }))
        .or(win_with(|seen, gems, time| {
            (seen & !MASK | (END - time) & MASK) + (gems << 30)
        })),
        winning(
            "win_keeps_the_time",
            "the gems alone",
            "The time field stays as it was. With the same gems, the player may come before those who had them \
             earlier.",
            LOW,
            |board, member, gems, _| until_set(board, member, |seen| seen + (gems << 30)),
        ),
        winning(
            "win_joins_the_gems",
            "the gems joined to the old ones by `|`",
            "`|` only sets bits: 1 and 3 would be 3. Add the gems, `seen + (gems << 30)`.",
            LAYOUT,
            |board, member, gems, time| {
                until_set(board, member, |seen| seen & !MASK | gems << 30 | time)
            },
        ),
        winning(
            "win_gems_at_29",
            "gems shifted by 29",
            "Bit 29 is `paid`. The gems begin at bit 30.",
            LAYOUT,
            |board, member, gems, time| {
                until_set(board, member, |seen| (seen & !MASK | time) + (gems << 29))
            },
        ),
        winning(
            "win_gems_shifted_in_32_bits",
            "gems shifted within 32 bits",
            "Of the gems only the lowest two bits are left: the others were shifted out of the `u32`. Widen first, then shift.",
            LAYOUT,
            |board, member, gems, time| {
                let narrow = u64::from((gems as u32) << 30);
                until_set(board, member, |seen| (seen & !MASK | time) + narrow)
            },
        ),
        winning(
            "win_mask_of_28_bits",
            "a time field of 28 bits cleared",
            "The mask for the time has 29 ones, `(1 << 29) - 1`. The highest bit of the old time stays as it was.",
            LAYOUT,
            |board, member, gems, time| {
                until_set(board, member, |seen| {
                    (seen & !(MASK >> 1) | time) + (gems << 30)
                })
            },
        ),
        winning(
            "win_sets_the_gems",
            "these gems in place of the old ones",
            "The gems are added to those that the member has.",
            LAYOUT,
            |board, member, gems, time| {
                until_set(board, member, |seen| gems << 30 | seen & PAID | time)
            },
        ),
        winning(
            "win_gems_not_shifted",
            "the gems added at the bottom of the score",
            "The gems begin at bit 30: add `gems << 30`.",
            LAYOUT,
            |board, member, gems, time| {
                until_set(board, member, |seen| (seen & !MASK | time) + gems)
            },
        ),
        winning(
            "win_adds_the_member",
            "a new member for one that is not in the set",
            "The task says: `false`, and nothing is written.",
            LOW,
            |board, member, gems, time| {
                if board.score(member).is_none() {
                    board.set(member, gems << 30 | time);
                    return true;
                }
                win(board, member, gems, time)
            },
        ),
        winning(
            "win_adds_whoever_is_missing",
            "a new member whenever there is none, also where it was removed meanwhile",
            "The task says: `false`, and nothing is written. Each time that you read, the member may be gone.",
            LOW,
            |board, member, gems, time| {
                if until_set(board, member, |seen| (seen & !MASK | time) + (gems << 30)) {
                    return true;
                }
                board.set(member, gems << 30 | time);
                true
            },
        ),
        winning(
            "win_of_a_missing_member_is_true",
            "`true` for a member that is not in the set",
            "Nobody has won here. Tell the caller.",
            LOW,
            |board, member, gems, time| {
                win(board, member, gems, time);
                true
            },
        ),
    ]
}

/// Gems and time, set in a member that has to be there.
fn attempt(board: &mut dyn Board, member: &str, gems: u64, time: u64) -> bool {
    let seen = board.score(member).unwrap();
    board.compare_and_set(member, seen, (seen & !MASK) + (gems << 30) + time)
}

/// Calls that do not come back.
fn without_return() -> Vec<Mistake<Changes>> {
    let winning = |name, function: fn(&mut dyn Board, &str, u64, u64) -> bool| {
        let changes = Changes::new(add_gems, set_paid, function);
        Mistake::new(name, "win", "returns", changes)
    };
    vec![
        winning("win_never_answers_without_the_member", |board, member, gems, time| {
            while !attempt(board, member, gems, time) {}
            true
        })
        .says("no answer for a member that is not in the set")
        .why(MAY_BE_ABSENT)
        .link(LOW),
        winning("win_never_answers_if_the_member_leaves", |board, member, gems, time| {
            if board.score(member).is_none() {
                return false;
            }
            while !attempt(board, member, gems, time) {}
            true
        })
        .says("a look whether the member is there, and no answer if it is gone at the next read")
        .why(MAY_LEAVE)
        .link(LOW),
        winning("win_never_read_again", |board, member, gems, time| {
            let Some(seen) = board.score(member) else {
                return false;
            };
            let new = (seen & !MASK) + (gems << 30) + time;
            while !board.compare_and_set(member, seen, new) {}
            true
        })
        .says("attempts that all compare with the first read")
        .why("Once somebody has written, the score is another one, and it will not come back. Read again before each attempt.")
        .link(CAS),
    ]
}

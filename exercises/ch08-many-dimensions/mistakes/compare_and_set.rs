//! What goes wrong when a score changes in two steps. The mistakes of `win` are in a file of their own.

use kit::Mistake;

use crate::board::Board;
use crate::compare_and_set::Changes;
use crate::mistakes::compare_and_set_win;
use crate::solutions::compare_and_set::{add_gems, set_paid, win};

pub(super) const TOP: &str = "changing-the-top-field";
pub(super) const LOW: &str = "changing-a-low-field";
pub(super) const CAS: &str = "compare-then-set";
pub(super) const LAYOUT: &str = "bit-fields-in-the-score";
pub(super) const PAID: u64 = 1 << 29;

fn adding(
    name: &'static str,
    says: &'static str,
    why: &'static str,
    link: &'static str,
    function: fn(&mut dyn Board, &str, u64),
) -> Mistake<Changes> {
    let changes = Changes::new(function, set_paid, win);
    Mistake::new(name, "add_gems", "gems", changes)
        .says(says)
        .why(why)
        .link(link)
}

/// Looks so many times, and sets the gems of a member that was never there.
fn newcomer_set(looks: usize) -> Changes {
    let function = move |board: &mut dyn Board, member: &str, gems: u64| {
        if (0..looks).any(|_| board.score(member).is_some()) {
            board.add(member, gems << 30);
        } else {
            board.set(member, gems << 30);
        }
    };
    Changes::new(function, set_paid, win)
}

fn paying(
    name: &'static str,
    says: &'static str,
    why: &'static str,
    link: &'static str,
    function: fn(&mut dyn Board, &str) -> bool,
) -> Mistake<Changes> {
    let changes = Changes::new(add_gems, function, win);
    Mistake::new(name, "set_paid", "paid", changes)
        .says(says)
        .why(why)
        .link(link)
}

/// Compare-and-set until it holds.
pub(super) fn until_set(board: &mut dyn Board, member: &str, new: impl Fn(u64) -> u64) -> bool {
    while let Some(seen) = board.score(member) {
        if board.compare_and_set(member, seen, new(seen)) {
            return true;
        }
    }
    false
}

/// Compare-and-set, and no more than so many attempts.
pub(super) fn set_within(
    tries: usize,
    board: &mut dyn Board,
    member: &str,
    new: impl Fn(u64) -> u64,
) -> bool {
    for _ in 0..tries {
        let Some(seen) = board.score(member) else {
            return false;
        };
        if board.compare_and_set(member, seen, new(seen)) {
            return true;
        }
    }
    false
}

/// The bit set in so many attempts, or found.
fn paid_within(tries: usize, board: &mut dyn Board, member: &str) -> bool {
    for _ in 0..tries {
        let Some(seen) = board.score(member) else {
            return false;
        };
        if seen & PAID != 0 || board.compare_and_set(member, seen, seen | PAID) {
            return true;
        }
    }
    false
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Changes>> {
    let mut mistakes = additions();
    mistakes.extend(attempted_once());
    mistakes.extend(repeated());
    mistakes.extend(flags());
    mistakes.extend(told());
    mistakes.extend(taken_for_granted());
    mistakes.extend(compare_and_set_win::all());
    mistakes
}

fn additions() -> Vec<Mistake<Changes>> {
    vec![
        adding(
            "gems_read_then_written",
            "a read, and a write of the sum",
            "Whatever came between the two is overwritten. The top field needs no read: one `add` does it.",
            TOP,
            |board, member, gems| {
                let seen = board.score(member).unwrap_or(0);
                board.set(member, seen + (gems << 30));
            },
        ),
        adding(
            "gems_not_shifted",
            "gems added at the bottom of the score",
            "The lowest bits are the time. The gems begin at bit 30: add `gems << 30`.",
            TOP,
            |board, member, gems| {
                board.add(member, gems);
            },
        ),
        adding(
            "gems_shifted_in_32_bits",
            "gems shifted within 32 bits",
            "Of the gems only the lowest two bits are left: the others were shifted out of the `u32`. Widen first, then shift.",
            TOP,
            |board, member, gems| {
                board.add(member, u64::from((gems as u32) << 30));
            },
        ),
        adding(
            "gems_added_at_29",
            "gems shifted by 29",
            "Bit 29 is `paid`. The gems begin at bit 30.",
            TOP,
            |board, member, gems| {
                board.add(member, gems << 29);
            },
        ),
        adding(
            "gems_one_by_one",
            "one addition for each gem",
            "The sum is right. But each addition is a change of its own, and others see the gems come in one by \
             one. Add `gems << 30` at once.",
            TOP,
            |board, member, gems| {
                for _ in 0..gems {
                    board.add(member, 1 << 30);
                }
            },
        ),
        adding(
            "gems_set",
            "a score of these gems alone",
            "That overwrites the gems that are there, and the other fields. `add` keeps them.",
            TOP,
            |board, member, gems| board.set(member, gems << 30),
        ),
        adding(
            "gems_joined",
            "compare-and-set in a loop, and gems that are joined to the old ones by `|`",
            "`|` joins bits, and carries nothing: 200 | 8 is 200. Gems are a number, so add them. `add` does it in one step.",
            TOP,
            |board, member, gems| {
                if !until_set(board, member, |seen| seen | gems << 30) {
                    board.add(member, gems << 30);
                }
            },
        ),
        adding(
            "gems_sum_shifted",
            "compare-and-set in a loop, and the sum shifted: `seen + gems << 30`",
            "`+` comes before `<<`, so the whole score is shifted, and its upper bits are lost. Set brackets: `seen + (gems << 30)`. \
             Or leave the sum to `add`.",
            TOP,
            |board, member, gems| {
                if !until_set(board, member, |seen| (seen + gems) << 30) {
                    board.add(member, gems << 30);
                }
            },
        ),
        adding(
            "gems_tried_once_from_0",
            "one attempt of compare-and-set, from 0 where the member is not in the set",
            "If somebody wrote since you read, it changes nothing, and the gems are gone. It changes nothing for a new member either: that has no score that could be \
             compared. The top field needs no compare-and-set at all: one `add` does it.",
            TOP,
            |board, member, gems| {
                let seen = board.score(member).unwrap_or(0);
                board.compare_and_set(member, seen, seen + (gems << 30));
            },
        ),
        adding(
            "gems_tried_once",
            "one attempt of compare-and-set",
            "If somebody wrote since you read, it changes nothing, and the gems are gone. The top field needs no \
             compare-and-set at all: one `add` does it.",
            TOP,
            |board, member, gems| match board.score(member) {
                Some(seen) => {
                    board.compare_and_set(member, seen, seen + (gems << 30));
                }
                None => {
                    board.add(member, gems << 30);
                }
            },
        ),
        [2, 3, 4].into_iter().fold(
            Mistake::new("gems_of_a_newcomer_set", "add_gems", "gems", newcomer_set(1)),
            |mistake, looks| mistake.or(newcomer_set(looks)),
        )
        .says("an addition to a member that is in the set, and `set` for one that is not")
        .why(
            "Between the read that finds nobody and the `set`, somebody else may add the member. The `set` overwrites \
             those gems. `add` begins at 0 by itself, in the same step.",
        )
        .link(TOP),
        adding(
            "gems_of_a_newcomer_after_a_0",
            "a 0 for a member that is not in the set, and then the addition",
            "That is two changes, and between the two others see a member with nothing. If somebody else adds the member after your look, the 0 overwrites \
             those gems. `add` begins at 0 by itself, in the same step.",
            TOP,
            |board, member, gems| {
                if board.score(member).is_none() {
                    board.set(member, 0);
                }
                board.add(member, gems << 30);
            },
        ),
        Mistake::new(
            "gems_of_a_newcomer_compared_with_0",
            "add_gems",
            "returns",
            Changes::new(
                |board, member, gems| {
                    loop {
                        let seen = board.score(member).unwrap_or(0);
                        if board.compare_and_set(member, seen, seen + (gems << 30)) {
                            return;
                        }
                    }
                },
                set_paid,
                win,
            ),
        )
        .says("compare-and-set in a loop, and 0 for a member that is not in the set")
        .why(
            "A member that is not in the set has no score, and no score is not 0: the comparison fails until somebody \
             else adds the member. `add` begins at 0 by itself.",
        )
        .link(TOP),
        adding(
            "gems_for_known_members_only",
            "nothing for a member that is not in the set",
            "A member that is not in the set begins at 0, as with ZINCRBY.",
            TOP,
            |board, member, gems| {
                if board.score(member).is_some() {
                    board.add(member, gems << 30);
                }
            },
        ),
    ]
}

/// One attempt: what somebody else wrote meanwhile is lost, or the change is.
fn attempted_once() -> Vec<Mistake<Changes>> {
    vec![
        paying(
            "paid_read_then_written",
            "a read, and a write of what was computed from it",
            "Between the two somebody added gems, and the write puts the old ones back. The board has to compare \
             before it sets.",
            LOW,
            |board, member| {
                let Some(seen) = board.score(member) else {
                    return false;
                };
                board.set(member, seen | PAID);
                true
            },
        ),
        paying(
            "paid_alone_written",
            "compare-and-set in a loop, and a score of the bit alone",
            "The comparison is right. But the new score is 2^29 and nothing else: gems and time are gone. Set the bit in what you \
             have read: `seen | 1 << 29`.",
            LOW,
            |board, member| until_set(board, member, |_| PAID),
        ),
        paying(
            "paid_adds_whoever_is_missing",
            "a member who is added with the bit, whenever there is none",
            "A member without gems that has paid is now on the board, also one that was removed meanwhile. `set` adds what it does not find, and `add` does, by \
             0 too. Read with `score`: where it is `None`, return `false` and write nothing.",
            LOW,
            |board, member| loop {
                let seen = board.add(member, 0);
                if seen & PAID != 0 || board.compare_and_set(member, seen, seen | PAID) {
                    return true;
                }
            },
        ),
        paying(
            "paid_written_at_the_second_try",
            "one attempt of compare-and-set, and a write without comparing if it fails",
            "That write may put back what somebody else has changed meanwhile, or bring back a member that has left. Try again in \
             the same way, as often as it takes.",
            CAS,
            |board, member| {
                let Some(seen) = board.score(member) else {
                    return false;
                };
                if board.compare_and_set(member, seen, seen | PAID) {
                    return true;
                }
                let Some(seen) = board.score(member) else {
                    return false;
                };
                board.set(member, seen | PAID);
                true
            },
        )
        .or(Changes::new(
            add_gems,
            |board, member| {
                let Some(seen) = board.score(member) else {
                    return false;
                };
                if !board.compare_and_set(member, seen, seen | PAID) {
                    board.set(member, seen | PAID);
                }
                true
            },
            win,
        )),
        paying(
            "paid_read_twice_then_written_but_for_the_bit",
            "a second read before the write, unless the bit was set at first",
            "The window is smaller, and it is still there: between the second read and the write. Comparing and \
             setting have to be one step.",
            CAS,
            |board, member| {
                while let Some(seen) = board.score(member) {
                    if seen & PAID != 0 {
                        return true;
                    }
                    if board.score(member) == Some(seen) {
                        board.set(member, seen | PAID);
                        return true;
                    }
                }
                false
            },
        ),
        paying(
            "paid_read_twice_then_written",
            "a second read before the write",
            "The window is smaller, and it is still there: between the second read and the write. Comparing and \
             setting have to be one step.",
            CAS,
            |board, member| {
                loop {
                    let Some(seen) = board.score(member) else {
                        return false;
                    };
                    if board.score(member) == Some(seen) {
                        board.set(member, seen | PAID);
                        return true;
                    }
                }
            },
        ),
        paying(
            "paid_tried_once",
            "a compare-and-set with the first read, and no second read",
            "`false` from the board means: somebody wrote since you read. Nothing is set then. Read again, compute \
             again, try again.",
            CAS,
            |board, member| {
                let seen = board.score(member);
                seen.is_some_and(|seen| board.compare_and_set(member, seen, seen | PAID))
            },
        ),
        paying(
            "paid_tried_once_and_trusted",
            "one attempt of compare-and-set, whose answer nobody reads",
            "The board said `false`: nothing is set. The caller hears `true`.",
            CAS,
            |board, member| {
                let Some(seen) = board.score(member) else {
                    return false;
                };
                board.compare_and_set(member, seen, seen | PAID);
                true
            },
        ),
    ]
}

/// Attempts in a loop that has a fault.
fn repeated() -> Vec<Mistake<Changes>> {
    vec![
        paying(
            "paid_computed_once",
            "attempts that all write what was computed from the first read",
            "You read again, and so the comparison holds at last. But the value is the old one, with the old gems. \
             What you write has to come from what you compared with.",
            CAS,
            |board, member| {
                let Some(first) = board.score(member) else {
                    return false;
                };
                if first & PAID != 0 {
                    return true;
                }
                let mut seen = first;
                while !board.compare_and_set(member, seen, first | PAID) {
                    let Some(now) = board.score(member) else {
                        return false;
                    };
                    seen = now;
                }
                true
            },
        ),
        paying(
            "paid_computed_before_the_attempts_but_for_the_bit",
            "attempts that each read the score to compare with, and write what was computed before them, unless the bit was set at first",
            "Each attempt compares with what it has just read, and so the comparison holds. But the value comes from an older read, and has the \
             old gems. What you write has to come from what you compared with.",
            CAS,
            |board, member| {
                let Some(first) = board.score(member) else {
                    return false;
                };
                if first & PAID != 0 {
                    return true;
                }
                until_set(board, member, |_| first | PAID)
            },
        ),
        paying(
            "paid_computed_before_the_attempts",
            "a read of the score to compare with, and a write of what was computed before it",
            "You compare with what you have just read, and so the comparison holds. But the value comes from an older read, and has the \
             old gems. What you write has to come from what you compared with.",
            CAS,
            |board, member| {
                let Some(first) = board.score(member) else {
                    return false;
                };
                until_set(board, member, |_| first | PAID)
            },
        )
        .or(Changes::new(
            add_gems,
            |board, member| {
                while let Some(first) = board.score(member) {
                    let Some(seen) = board.score(member) else {
                        return false;
                    };
                    if board.compare_and_set(member, seen, first | PAID) {
                        return true;
                    }
                }
                false
            },
            win,
        )),
        paying(
            "paid_computed_once_without_a_look",
            "attempts that all write what was computed from the first read, also where the bit is set",
            "You read again, and so the comparison holds at last. But the value is the old one, with the old gems. \
             What you write has to come from what you compared with.",
            CAS,
            |board, member| {
                let Some(first) = board.score(member) else {
                    return false;
                };
                let mut seen = first;
                while !board.compare_and_set(member, seen, first | PAID) {
                    let Some(now) = board.score(member) else {
                        return false;
                    };
                    seen = now;
                }
                true
            },
        ),
        Mistake::new(
            "paid_seen_and_new_exchanged",
            "set_paid",
            "returns",
            Changes::new(
                add_gems,
                |board, member| {
                    while let Some(seen) = board.score(member) {
                        if board.compare_and_set(member, seen | PAID, seen) {
                            return true;
                        }
                    }
                    false
                },
                win,
            ),
        )
        .says("a compare-and-set whose two scores have changed places")
        .why(
            "`compare_and_set` takes what you have seen, and then what is to be there. The other way round it fails at each \
             attempt as long as the member has not paid; and when somebody else sets the bit in between, it takes that away.",
        )
        .link(CAS),
        Mistake::new(
            "paid_never_read_again",
            "set_paid",
            "returns",
            Changes::new(
                add_gems,
                |board, member| {
                    let Some(seen) = board.score(member) else {
                        return false;
                    };
                    while !board.compare_and_set(member, seen, seen | PAID) {}
                    true
                },
                win,
            ),
        )
        .says("attempts that all compare with the first read")
        .why(
            "Once somebody has written, the score is another one, and it will not come back. Read again before \
             each attempt.",
        )
        .link(CAS),
        paying(
            "paid_given_up_after_some",
            "a fixed number of attempts",
            "With many writers one more is needed, whatever the number. Each failed attempt means that somebody else \
             succeeded, so a loop without a count does not stand still.",
            CAS,
            |board, member| paid_within(3, board, member),
        )
        .or(Changes::new(
            add_gems,
            |board, member| paid_within(2, board, member),
            win,
        )),
        paying(
            "paid_given_up_after_some_without_a_look",
            "a fixed number of attempts, also where the bit is set",
            "With many writers one more is needed, whatever the number. Each failed attempt means that somebody else \
             succeeded, so a loop without a count does not stand still.",
            CAS,
            |board, member| set_within(3, board, member, |seen| seen | PAID),
        )
        .or(Changes::new(
            add_gems,
            |board, member| set_within(2, board, member, |seen| seen | PAID),
            win,
        )),
    ]
}

/// The bit that says who paid, set wrongly.
fn flags() -> Vec<Mistake<Changes>> {
    vec![
        paying(
            "paid_added_blindly",
            "2^29 added, whatever was there",
            "If the bit is set already, the sum carries: the player has one gem more, and has not paid. And a \
             member that is not in the set is added.",
            LOW,
            |board, member| {
                board.add(member, PAID);
                true
            },
        ),
        paying(
            "paid_added_to_known_members",
            "2^29 added to any member that is in the set",
            "If the bit is set already, the sum carries: the player has one gem more, and has not paid.",
            LOW,
            |board, member| {
                let known = board.score(member).is_some();
                if known {
                    board.add(member, PAID);
                }
                known
            },
        ),
        paying(
            "paid_added_after_a_look",
            "a look at the bit, and 2^29 added if it is not set",
            "Between the look and the addition somebody else sets the bit. Then the sum carries into the gems.",
            LOW,
            |board, member| match board.score(member) {
                None => false,
                Some(seen) => {
                    if seen & PAID == 0 {
                        board.add(member, PAID);
                    }
                    true
                }
            },
        ),
        paying(
            "paid_sum_for_or",
            "compare-and-set with `seen + (1 << 29)`",
            "If the bit is set already, the sum carries into the gems. Set a bit by `|`.",
            LOW,
            |board, member| until_set(board, member, |seen| seen + PAID),
        ),
        paying(
            "paid_at_bit_30",
            "bit 30 set",
            "Bit 30 is the lowest one of the gems. Bits count from 0: the time takes 0 to 28, `paid` is 29.",
            LAYOUT,
            |board, member| until_set(board, member, |seen| seen | 1 << 30),
        ),
        paying(
            "paid_toggled",
            "the bit turned round",
            "A player who has paid already has not paid afterwards. Set the bit by `|`, not by `^`.",
            LOW,
            |board, member| until_set(board, member, |seen| seen ^ PAID),
        ),
        paying(
            "paid_and_the_time_cleared",
            "the bit set and the time cleared",
            "All other fields stay as they are: `seen | 1 << 29`.",
            LAYOUT,
            |board, member| {
                while let Some(seen) = board.score(member) {
                    let new = seen >> 30 << 30 | PAID;
                    if seen & PAID != 0 || board.compare_and_set(member, seen, new) {
                        return true;
                    }
                }
                false
            },
        ),
    ]
}

/// What the caller is told, and members that are not there.
fn told() -> Vec<Mistake<Changes>> {
    vec![
        paying(
            "paid_already_is_false",
            "`false` for a member that has paid already",
            "Asked is whether the member is paid in the end, and it is.",
            LOW,
            |board, member| match board.score(member) {
                Some(seen) if seen & PAID == 0 => set_paid(board, member),
                _ => false,
            },
        ),
        paying(
            "paid_already_or_meanwhile_is_false",
            "`false` for a member that has paid already, or that others mark while you try",
            "Asked is whether the member is paid in the end, not whether it was you who set the bit. Return `false` only if the member is \
             not in the set.",
            LOW,
            |board, member| {
                while let Some(seen) = board.score(member) {
                    if seen & PAID != 0 {
                        return false;
                    }
                    if board.compare_and_set(member, seen, seen | PAID) {
                        return true;
                    }
                }
                false
            },
        ),
        paying(
            "paid_0_taken_for_missing",
            "a score of 0 taken for no score",
            "A member may be in the set with 0 gems, as a newcomer is. `score` tells the two apart: `Some(0)` and `None`. `unwrap_or(0)` makes them one.",
            LOW,
            |board, member| {
                loop {
                    let seen = board.score(member).unwrap_or(0);
                    if seen == 0 {
                        return false;
                    }
                    if board.compare_and_set(member, seen, seen | PAID) {
                        return true;
                    }
                }
            },
        ),
        paying(
            "paid_adds_the_member",
            "a new member for one that is not in the set",
            "A member without gems that has paid is now on the board. ZADD and ZINCRBY add what they do not find; \
             look first, and leave it out.",
            LOW,
            |board, member| {
                if board.score(member).is_none() {
                    board.set(member, PAID);
                }
                set_paid(board, member)
            },
        ),
        paying(
            "missing_member_is_true",
            "`true` for a member that is not in the set",
            "Nobody has paid here. Tell the caller.",
            LOW,
            |board, member| {
                set_paid(board, member);
                true
            },
        ),
    ]
}

pub(super) const MAY_BE_ABSENT: &str = "`score` is `None` for a member that is not in the set. Who unwraps that panics, and who waits \
    for the member waits for ever. It is an answer: `false`.";
pub(super) const MAY_LEAVE: &str = "Somebody may remove the member between your look and the next read. A look is true of its own moment \
    alone. Take each `None` for the answer `false`, whenever it comes.";

/// A score that has to be there.
fn taken_for_granted() -> Vec<Mistake<Changes>> {
    let paying = |name, function: fn(&mut dyn Board, &str) -> bool| {
        let changes = Changes::new(add_gems, function, win);
        Mistake::new(name, "set_paid", "returns", changes).link(LOW)
    };
    vec![
        paying("paid_never_answers_without_the_member", |board, member| {
            loop {
                let seen = board.score(member).unwrap();
                if board.compare_and_set(member, seen, seen | PAID) {
                    return true;
                }
            }
        })
        .says("no answer for a member that is not in the set")
        .why(MAY_BE_ABSENT),
        paying(
            "paid_never_answers_if_the_member_leaves",
            |board, member| {
                if board.score(member).is_none() {
                    return false;
                }
                loop {
                    let seen = board.score(member).unwrap();
                    if board.compare_and_set(member, seen, seen | PAID) {
                        return true;
                    }
                }
            },
        )
        .says("a look whether the member is there, and no answer if it is gone at the next read")
        .why(MAY_LEAVE),
    ]
}

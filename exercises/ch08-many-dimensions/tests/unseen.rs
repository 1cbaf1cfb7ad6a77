//! Wrong and right answers that no gallery holds: what is said of them must be true.

pub(crate) use ch08_many_dimensions::board;

#[path = "../checks/compare_and_set.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod compare_and_set;
#[path = "../checks/lost_bits.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod lost_bits;
#[path = "../checks/member_key.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod member_key;
#[path = "../mistakes/mod.rs"]
#[expect(unreachable_pub, reason = "mistakes look like solutions")]
mod mistakes;
#[path = "../checks/pack_score.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod pack_score;
#[path = "../checks/predict_board.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod predict_board;
#[path = "../solutions/mod.rs"]
#[expect(unreachable_pub, reason = "solutions look like the library's files")]
mod solutions;
#[path = "../stubs/mod.rs"]
#[expect(unreachable_pub, reason = "stubs are copies of the library's files")]
mod stubs;
#[path = "../checks/test_packer.rs"]
#[expect(dead_code, reason = "the tests put other code in the learner's place")]
mod test_packer;

use std::sync::Mutex;

use kit::unseen::{every_bit_counts, judged, named, observed, pairs_call_nothing_right};
use kit::{State, Verdict};

use board::Board;
use compare_and_set::Changes;
use lost_bits::Limits;
use member_key::Members;
use pack_score::Packer;
use predict_board::Boards;
use solutions::compare_and_set::{add_gems, set_paid, win};
use solutions::member_key::{member, name};
use solutions::pack_score::{END, pack, unpack};
use stubs::test_packer::{Pack, Unpack};

type Fields = (u64, bool, u64);

fn packer(
    pack: impl Fn(u64, bool, u64) -> Option<u64> + Send + Sync + 'static,
    unpack: impl Fn(u64) -> Option<Fields> + Send + Sync + 'static,
) -> Verdict {
    judged(&pack_score::exercise_of(Packer::new(pack, unpack)))
}

fn limits(largest_top: fn(u32) -> u64, lost_bits: fn(u64) -> u32) -> Verdict {
    judged(&lost_bits::exercise_of(Limits {
        largest_top,
        lost_bits,
    }))
}

fn members(
    member: impl Fn(bool, u64, &str) -> Option<String> + Send + Sync + 'static,
    name: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
) -> Verdict {
    judged(&member_key::exercise_of(Members::new(member, name)))
}

fn paying(set_paid: impl Fn(&mut dyn Board, &str) -> bool + Send + Sync + 'static) -> Verdict {
    let changes = Changes::new(add_gems, set_paid, win);
    judged(&compare_and_set::exercise_of(changes))
}

fn winning(
    win: impl Fn(&mut dyn Board, &str, u64, u64) -> bool + Send + Sync + 'static,
) -> Verdict {
    let changes = Changes::new(add_gems, set_paid, win);
    judged(&compare_and_set::exercise_of(changes))
}

fn tested(test: impl Fn(Pack, Unpack) + Send + Sync + 'static) -> Verdict {
    judged(&test_packer::exercise_of(test_packer::tester(test)))
}

#[test]
fn right_packers_pass_however_they_are_written() {
    let by_products = |gems: u64, paid: bool, at_ms: u64| {
        let second = at_ms.div_euclid(1000);
        if gems > 8_388_607 || second > END || END - second > 536_870_911 {
            return None;
        }
        Some(gems * 1_073_741_824 + u64::from(paid) * 536_870_912 + END - second)
    };
    let by_division = |score: u64| {
        let gems = score / 1_073_741_824;
        let rest = score % 1_073_741_824;
        (gems <= 8_388_607).then(|| (gems, rest >= 536_870_912, END - rest % 536_870_912))
    };
    assert_eq!(packer(by_products, by_division).state, State::Passed);
    // Through the sum that the server keeps.
    let by_double = |gems: u64, paid: bool, at_ms: u64| {
        let score = pack(gems, paid, at_ms)?;
        #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
        let kept = score as f64;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "below 2^53"
        )]
        let whole = kept as u64;
        Some(whole)
    };
    assert_eq!(packer(by_double, unpack).state, State::Passed);
}

#[test]
fn other_right_answers_pass_however_they_are_written() {
    let by_shift = |bits: u32| 9_007_199_254_740_991 >> bits;
    let by_counting = |score: u64| {
        let mut lost = 0;
        let mut left = score;
        while left >= 1 << 53 {
            left >>= 1;
            lost += 1;
        }
        lost
    };
    assert_eq!(limits(by_shift, by_counting).state, State::Passed);

    let by_pushing = |paid: bool, at_ms: u64, name: &str| {
        if at_ms > 9_999_999_999_999 {
            return None;
        }
        let mut text = String::from(if paid { "1-" } else { "0-" });
        let digits = (9_999_999_999_999 - at_ms).to_string();
        text.push_str(&"0".repeat(13 - digits.len()));
        text.push_str(&digits);
        text.push('-');
        text.push_str(name);
        Some(text)
    };
    let by_trial = |text: &str| {
        let digits = text.get(2..15)?;
        let back = digits
            .bytes()
            .all(|b| b.is_ascii_digit())
            .then(|| digits.parse::<u64>())?;
        let at_ms = 9_999_999_999_999 - back.ok()?;
        let name = text.get(16..)?;
        let makes = |paid| member(paid, at_ms, name).is_some_and(|made| made == text);
        (makes(true) || makes(false)).then(|| name.to_owned())
    };
    assert_eq!(members(by_pushing, by_trial).state, State::Passed);
}

#[test]
fn right_changes_pass_however_many_calls_they_make() {
    let careful = |board: &mut dyn Board, member: &str| {
        if board.score(member).is_none() {
            return false;
        }
        loop {
            let Some(seen) = board.score(member) else {
                return false;
            };
            if board.compare_and_set(member, seen, seen | 1 << 29) {
                return true;
            }
        }
    };
    assert_eq!(paying(careful).state, State::Passed);
    let added_by_comparison = |board: &mut dyn Board, member: &str, gems: u64| loop {
        match board.score(member) {
            None => {
                // A `set` would overwrite what a newcomer brought in between.
                board.add(member, gems << 30);
                return;
            }
            Some(seen) => {
                if board.compare_and_set(member, seen, seen + (gems << 30)) {
                    return;
                }
            }
        }
    };
    let twice_read = |board: &mut dyn Board, member: &str, gems: u64, time: u64| {
        loop {
            if board.score(member).is_none() {
                return false;
            }
            let Some(seen) = board.score(member) else {
                return false;
            };
            let (old_gems, paid) = (seen >> 30, seen >> 29 & 1);
            let new = (old_gems + gems) << 30 | paid << 29 | time;
            if board.compare_and_set(member, seen, new) {
                return true;
            }
        }
    };
    let changes = Changes::new(added_by_comparison, set_paid, twice_read);
    let verdict = judged(&compare_and_set::exercise_of(changes));
    assert_eq!(verdict.state, State::Passed);
}

#[test]
fn a_millisecond_more_is_not_called_rounding() {
    let later = |gems, paid, at_ms: u64| pack(gems, paid, at_ms.wrapping_add(1));
    let verdict = packer(later, unpack);
    assert_eq!(verdict.state, State::Failing);
    assert_eq!(verdict.mistake, None);
}

#[test]
fn the_highest_bit_of_a_time_counts() {
    let signed = |gems, paid, at_ms: u64| pack(gems, paid, at_ms & (u64::MAX >> 1));
    observed(
        &packer(signed, unpack),
        "refusal",
        &["pack(200, false, 9223373608673797067) must be None"],
    );
}

#[test]
fn packers_that_no_mistake_matches() {
    let another_end = |gems, paid, at_ms| {
        let score = pack(gems, paid, at_ms)?;
        Some(score + 1)
    };
    observed(
        &packer(another_end, unpack),
        "layout",
        &[
            "pack(200, false, 1571819021259) must be Some(215038436979), but it is Some(215038436980)",
        ],
    );
    let paid_at_the_end = |gems: u64, paid, at_ms| {
        let score = pack(gems, paid, at_ms)?;
        let time = score & ((1 << 29) - 1);
        Some((score >> 30 << 30) | (time << 1 & ((1 << 30) - 1)) | (1 - u64::from(paid)))
    };
    named(
        &packer(paid_at_the_end, unpack),
        "time_above_paid+paid_inverted",
    );
    let panics = |gems, paid, at_ms| Some(pack(gems, paid, at_ms).expect("it fits"));
    observed(
        &packer(panics, unpack),
        "returns",
        &["It panics on", "players with too many gems"],
    );
    let early_alone = |gems, paid, at_ms: u64| pack(gems, paid, at_ms.max(1_325_020_289_000));
    named(&packer(early_alone, unpack), "early_players_at_the_top");
    let no_check_at_all = |gems: u64, paid: bool, at_ms: u64| {
        let time = END.saturating_sub(at_ms / 1000);
        Some(
            gems.wrapping_shl(30)
                .wrapping_add(u64::from(paid) << 29)
                .wrapping_add(time),
        )
    };
    observed(
        &packer(no_check_at_all, unpack),
        "refusal",
        &[
            "pack(8388608, false, 1861891200000) must be None",
            "Different inputs share a score: pack(0, false, 1571819021000) and pack(17179869184,",
        ],
    );
}

#[test]
fn two_misconceptions_are_named_as_two() {
    let forward_and_inverted = |gems, paid: bool, at_ms| {
        let score = pack(gems, !paid, at_ms)?;
        let time = score & ((1 << 29) - 1);
        Some(score - time + ((1 << 29) - 1 - time))
    };
    named(
        &packer(forward_and_inverted, unpack),
        "time_not_reversed+paid_inverted",
    );
    let name_first_unpadded = |paid, at_ms: u64, name: &str| {
        let back = 9_999_999_999_999_u64.checked_sub(at_ms)?;
        Some(format!("{name}-{}-{back}", u8::from(paid)))
    };
    named(
        &members(name_first_unpadded, name),
        "name_first+digits_not_padded",
    );
}

#[test]
fn unpackers_that_no_mistake_matches() {
    let late = |score| unpack(score).map(|(gems, paid, second)| (gems, paid, second + 1));
    observed(
        &packer(pack, late),
        "round-trip",
        &[
            "must be Some((200, false, 1571819021)), but it is Some((200, false, 1571819022))",
            "`pack` is right.",
        ],
    );
    let panics = |score: u64| {
        assert!(score < 1 << 53, "too large");
        unpack(score)
    };
    observed(
        &packer(pack, panics),
        "returns",
        &["numbers that are no score, all of them and no others"],
    );
}

#[test]
fn members_that_no_mistake_matches() {
    let spaced = |paid, at_ms, name: &str| Some(member(paid, at_ms, name)?.replacen('-', " - ", 2));
    observed(
        &members(spaced, name),
        "text",
        &["must be Some(\"1-8428189998740-E\"), but it is Some(\"1 - 8428189998740 - E\")"],
    );
    let lower_case = |paid, at_ms, name: &str| member(paid, at_ms, &name.to_lowercase());
    observed(&members(lower_case, name), "order", &["though"]);
    let trimmed = |text: &str| name(text).map(|name| name.trim_matches('-').to_owned());
    observed(
        &members(member, trimmed),
        "round-trip",
        &[
            "It is wrong on name(\"1-8428180978740--\")",
            "It is right on all texts that are no member",
            "`member` is right.",
        ],
    );
    let only_ascii = |text: &str| name(text).filter(|name| name.is_ascii());
    observed(&members(member, only_ascii), "round-trip", &["Zoë"]);
}

#[test]
fn limits_that_no_mistake_matches() {
    let three_less = |bits: u32| (1_u64 << (53 - bits)).saturating_sub(4);
    observed(
        &limits(three_less, solutions::lost_bits::lost_bits),
        "limit",
        &[
            "largest_top(30) must be 8388607, but it is 8388604",
            "`lost_bits` is right.",
        ],
    );
    let panics = |score: u64| {
        let lost = solutions::lost_bits::lost_bits(score);
        assert!(lost > 0, "nothing is lost");
        lost
    };
    observed(
        &limits(solutions::lost_bits::largest_top, panics),
        "returns",
        &["It panics on the numbers below 2^53, all of them and no others."],
    );
}

#[test]
fn changes_that_no_mistake_matches() {
    let cleared_first = |board: &mut dyn Board, member: &str| {
        while let Some(seen) = board.score(member) {
            if !board.compare_and_set(member, seen, seen & !(1 << 29)) {
                continue;
            }
            let cleared = seen & !(1 << 29);
            if board.compare_and_set(member, cleared, cleared | 1 << 29) {
                return true;
            }
            return false;
        }
        false
    };
    observed(
        &paying(cleared_first),
        "paid",
        &["set_paid(E) on", "`add_gems` and `win` are right."],
    );
    let a_gem_too_many = |board: &mut dyn Board, member: &str, gems: u64, time: u64| {
        win(board, member, gems + 1, time)
    };
    observed(
        &winning(a_gem_too_many),
        "both",
        &["must be true, 1 change, E 203 unpaid 290081199, but it is true, 1 change, E 204"],
    );
    let loops = |board: &mut dyn Board, member: &str| {
        while board.score(member).is_none_or(|seen| seen & 1 << 29 == 0) {
            set_paid(board, member);
        }
        true
    };
    let verdict = paying(loops);
    named(&verdict, "paid_never_answers_without_the_member");
    assert!(
        verdict
            .message
            .contains("the board was called more than 512 times")
    );
}

#[test]
fn tests_that_no_weak_one_matches() {
    let gems_alone = |pack: Pack, _: Unpack| {
        for gems in 0..1000 {
            assert!(pack(gems, false, END) < pack(gems + 1, false, END));
        }
    };
    observed(
        &tested(gems_alone),
        "kills",
        &["killed 1 of 17", "It accepts 3 of 3 right implementations"],
    );
    let below_2_to_the_53 = |pack: Pack, _: Unpack| {
        let score = pack(8_388_607, true, END).unwrap();
        assert!(score >= 4_503_599_627_370_496.0);
    };
    observed(
        &tested(below_2_to_the_53),
        "accepts-right",
        &["your test refuses a right answer"],
    );
}

#[test]
fn predictions_show_one_wrong_pair_and_not_the_answer() {
    let verdict = judged(&predict_board::exercise_of(Boards {
        by_gems: || ['c', 'f', 'b', 'd', 'a', 'e'],
        by_score: || ['c', 'b', 'd', 'f', 'a', 'e'],
        with_many_gems: || ['d', 'c', 'b', 'a', 'f', 'e'],
    }));
    observed(
        &verdict,
        "gems",
        &[
            "you put b before d, but d comes before b",
            "you put f before a, but a comes before f",
            "you put d before c, but c comes before d",
        ],
    );
    let verdict = judged(&predict_board::exercise_of(Boards {
        by_gems: || ['x'; 6],
        by_score: || ['a'; 6],
        with_many_gems: solutions::predict_board::with_many_gems,
    }));
    observed(
        &verdict,
        "gems",
        &[
            "'x' is none of the letters a to f",
            "a occurs 6 times in your list, not once",
        ],
    );
}

#[test]
fn names_stay_as_they_are() {
    for changed in [
        |text: &str| text.trim().to_owned(),
        |text: &str| text.to_lowercase(),
        |text: &str| text.chars().take(40).collect::<String>(),
    ] {
        let verdict = members(member, move |text| Some(changed(&name(text)?)));
        assert_eq!(verdict.check.as_deref(), Some("round-trip"));
        let verdict = members(move |paid, at, text| member(paid, at, &changed(text)), name);
        assert_eq!(verdict.state, State::Failing);
    }
}

#[test]
fn however_often_others_come_between() {
    for tries in [2, 5, 10, 30, 100] {
        let paid = move |board: &mut dyn Board, member: &str| {
            (0..tries).any(|_| {
                let seen = board.score(member);
                seen.is_some_and(|seen| board.compare_and_set(member, seen, seen | 1 << 29))
            })
        };
        named(&paying(paid), "paid_given_up_after_some_without_a_look");
        let won = move |board: &mut dyn Board, member: &str, gems: u64, time: u64| {
            (0..tries).any(|_| {
                let seen = board.score(member);
                seen.is_some_and(|seen| {
                    let new = (seen >> 29 << 29 | time) + (gems << 30);
                    board.compare_and_set(member, seen, new)
                })
            })
        };
        named(&winning(won), "win_given_up_after_some");
    }
}

#[test]
fn a_test_that_panics_by_itself_refuses_nobody() {
    let verdict = tested(|pack, unpack| {
        for step in 0..10 {
            let second = stubs::test_packer::FIRST - step * 1_000_000_000;
            let _ = pack(1, false, second).map(unpack);
        }
    });
    observed(
        &verdict,
        "accepts-right",
        &[
            "your test panics by itself at ",
            "attempt to subtract with overflow",
        ],
    );
}

#[test]
fn names_of_members_have_any_length() {
    for length in [64, 300, 1024, 4096] {
        let cut = move |text: &str| text.chars().take(length).collect::<String>();
        let written = move |paid, at_ms, name: &str| member(paid, at_ms, &cut(name));
        observed(
            &members(written, name),
            "order",
            &["are different, but both become"],
        );
        let read = move |member: &str| name(member).map(|name| cut(&name));
        observed(&members(member, read), "round-trip", &["must be Some("]);
    }
}

#[test]
fn what_was_seen_between_two_changes_is_told() {
    let gems_first = |board: &mut dyn Board, member: &str, gems: u64, time: u64| {
        let mut set = |new: &dyn Fn(u64) -> u64| {
            while let Some(seen) = board.score(member) {
                if board.compare_and_set(member, seen, new(seen)) {
                    return true;
                }
            }
            false
        };
        set(&|seen| seen + (gems << 30)) && set(&|seen| seen >> 29 << 29 | time)
    };
    let verdict = winning(gems_first);
    named(&verdict, "win_gems_then_time_each_compared");
    let between = "2 changes (203 unpaid 290072179, then 203 unpaid 290081199)";
    assert!(verdict.message.contains(between), "{between}");
}

#[test]
fn whoever_writes_blindly_at_a_late_call_overwrites() {
    // Looked for twice, and set then: somebody may still have come.
    let newcomer = |board: &mut dyn Board, member: &str, gems: u64| loop {
        let seen = board.score(member).unwrap_or(0);
        if board.compare_and_set(member, seen, seen + (gems << 30)) {
            return;
        }
        if board.score(member).is_none() {
            return board.set(member, gems << 30);
        }
    };
    let changes = Changes::new(newcomer, set_paid, win);
    let verdict = judged(&compare_and_set::exercise_of(changes));
    named(&verdict, "gems_of_a_newcomer_set");
    // Looked for three times.
    let patient = |board: &mut dyn Board, member: &str, gems: u64| {
        for _ in 0..3 {
            if board.score(member).is_some() {
                board.add(member, gems << 30);
                return;
            }
        }
        board.set(member, gems << 30);
    };
    let changes = Changes::new(patient, set_paid, win);
    let verdict = judged(&compare_and_set::exercise_of(changes));
    named(&verdict, "gems_of_a_newcomer_set");
    // Neither of them compares and sets as the other does: the words are true of both.
    assert!(!verdict.message.contains("compare-and-set in a loop"));
    // Read four times, and written then.
    let paid = |board: &mut dyn Board, member: &str| {
        for _ in 0..3 {
            board.score(member);
        }
        let Some(seen) = board.score(member) else {
            return false;
        };
        board.set(member, seen | 1 << 29);
        true
    };
    let verdict = paying(paid);
    let when = "before calls 2, 3, 4 and so on to 240 E gets 1 gem";
    observed(&verdict, "paid", &[when]);
}

#[test]
fn changes_have_any_bits() {
    let narrow = |board: &mut dyn Board, member: &str, gems: u64| {
        board.add(member, u64::from((gems as u32) << 30));
    };
    let changes = Changes::new(narrow, set_paid, win);
    named(
        &judged(&compare_and_set::exercise_of(changes)),
        "gems_shifted_in_32_bits",
    );
    let of_28_bits = |board: &mut dyn Board, member: &str, gems: u64, time: u64| {
        while let Some(seen) = board.score(member) {
            let new = (seen & !((1 << 28) - 1) | time) + (gems << 30);
            if board.compare_and_set(member, seen, new) {
                return true;
            }
        }
        false
    };
    named(&winning(of_28_bits), "win_mask_of_28_bits");
}

#[test]
fn a_bit_compared_with_one_is_named() {
    let never = |score: u64| {
        let (gems, _, second) = unpack(score)?;
        let bit = score & 1 << 29;
        Some((gems, bit == 1, second))
    };
    named(&packer(pack, never), "unpack_nobody_paid");
}

#[test]
fn a_win_without_gems_still_sets_the_time() {
    let nothing_to_do = |board: &mut dyn Board, member: &str, gems: u64, time: u64| {
        if gems == 0 {
            return board.score(member).is_some();
        }
        win(board, member, gems, time)
    };
    observed(&winning(nothing_to_do), "both", &["win(E, 0, 21645743) on"]);
}

#[test]
fn a_win_leaves_no_bit_of_the_old_time() {
    for bit in [0, 5, 27] {
        let kept = !((1_u64 << 29) - 1) | 1 << bit;
        let verdict = winning(move |board, member, gems, time| {
            while let Some(seen) = board.score(member) {
                let new = ((seen & kept) + (gems << 30)) | time;
                if board.compare_and_set(member, seen, new) {
                    return true;
                }
            }
            false
        });
        observed(
            &verdict,
            "both",
            &["none is ever wrong at the end but the time"],
        );
    }
}

#[test]
fn a_win_at_the_time_that_is_there_still_adds_the_gems() {
    let done_already =
        |board: &mut dyn Board, member: &str, gems: u64, time: u64| match board.score(member) {
            Some(seen) if seen & ((1 << 29) - 1) == time => true,
            _ => win(board, member, gems, time),
        };
    observed(&winning(done_already), "both", &["win(E, 3, 290072179) on"]);
}

#[test]
fn players_after_the_end_are_named() {
    let fits = |gems: u64, time: u64| gems < 1 << 23 && time < 1 << 29;
    let join = |gems, paid, time| gems << 30 | u64::from(paid) << 29 | time;
    let subtracted = move |gems, paid, at_ms: u64| {
        let time = END - at_ms / 1000;
        fits(gems, time).then(|| join(gems, paid, time))
    };
    named(&packer(subtracted, unpack), "late_players_panic");
    let narrow = move |gems, paid, at_ms: u64| {
        let time = END.checked_sub(u64::from((at_ms / 1000) as u32))?;
        fits(gems, time).then(|| join(gems, paid, time))
    };
    named(&packer(narrow, unpack), "second_cast_to_32_bits");
    let distance = move |gems, paid, at_ms: u64| {
        let time = END.abs_diff(at_ms / 1000);
        fits(gems, time).then(|| join(gems, paid, time))
    };
    named(&packer(distance, unpack), "late_players_mirrored");
}

#[test]
fn a_name_may_end_in_anything() {
    let first_line = |text: &str| name(text.lines().next()?);
    let says = ["ann\\nbob", "It is right on all texts that are no member"];
    observed(&members(member, first_line), "round-trip", &says);
    let without_zeros = |text: &str| name(text.trim_end_matches('\0'));
    observed(&members(member, without_zeros), "round-trip", &["ann\\0"]);
}

#[test]
fn digits_are_decimal_and_a_name_begins_at_a_character() {
    let hexadecimal = |text: &str| {
        let mut parts = text.splitn(3, '-');
        let (flag, digits, name) = (parts.next()?, parts.next()?, parts.next()?);
        let thirteen = digits.len() == 13 && digits.bytes().all(|c| c.is_ascii_hexdigit());
        (["0", "1"].contains(&flag) && thirteen).then(|| name.to_owned())
    };
    named(&members(member, hexadecimal), "hexadecimal_digits_taken");
    let split = |text: &str| {
        if text.len() < 16 {
            return None;
        }
        let (front, rest) = text.split_at(16);
        name(&format!("{front}{rest}"))
    };
    observed(&members(member, split), "returns", &["8428189998740é"]);
}

#[test]
fn a_win_in_two_steps_is_named_whatever_the_second_starts_from() {
    const TIME: u64 = (1 << 29) - 1;
    let from_the_sum = |board: &mut dyn Board, member: &str, gems: u64, time: u64| {
        if board.score(member).is_none() {
            return false;
        }
        let mut seen = Some(board.add(member, gems << 30));
        while let Some(score) = seen {
            if board.compare_and_set(member, score, score - (score & TIME) + time) {
                return true;
            }
            seen = board.score(member);
        }
        false
    };
    named(&winning(from_the_sum), "win_gems_then_time_of_the_sum");
}

#[test]
fn a_member_is_the_one_that_was_asked_for() {
    let adding = Changes::new(|board, _, gems| add_gems(board, "E", gems), set_paid, win);
    let verdict = judged(&compare_and_set::exercise_of(adding));
    observed(&verdict, "gems", &["add_gems(F, 3)"]);
    let verdict = paying(|board, _| set_paid(board, "E"));
    observed(&verdict, "paid", &["set_paid(F)"]);
    let verdict = winning(|board, _, gems, time| win(board, "E", gems, time));
    observed(&verdict, "both", &["win(F, 3, 290081199)"]);
}

#[test]
fn a_flag_and_a_time_are_digits_alone() {
    let changed = |change: fn(&str) -> String| members(member, move |text| name(&change(text)));
    for change in [
        |text: &str| text.trim_start().to_owned(),
        |text: &str| text.trim_start_matches('+').to_owned(),
        |text: &str| text.replacen(" -", "-", 1),
        |text: &str| text.replacen("1--", "1-0", 1),
    ] {
        observed(&changed(change), "round-trip", &["must be None"]);
    }
    let numeric = members(member, |text| {
        let (flag, rest) = text.split_once('-')?;
        let (digits, name) = rest.split_at_checked(13)?;
        let right = ["0", "1"].contains(&flag) && digits.chars().all(char::is_numeric);
        Some(name.strip_prefix('-').filter(|_| right)?.to_owned())
    });
    observed(&numeric, "round-trip", &["must be None"]);
}

/// All orders of the letters, for which somebody's list stands in turn.
fn lists(of: &[char]) -> Vec<Vec<char>> {
    if of.is_empty() {
        return vec![Vec::new()];
    }
    let begun_with = |first: &char| {
        let rest: Vec<char> = of
            .iter()
            .copied()
            .filter(|letter| letter != first)
            .collect();
        let ended = move |mut list: Vec<char>| {
            list.insert(0, *first);
            list
        };
        lists(&rest).into_iter().map(ended).collect::<Vec<_>>()
    };
    of.iter().flat_map(begun_with).collect()
}

#[test]
fn each_board_has_one_right_list() {
    static LISTS: Mutex<[[char; 6]; 3]> = Mutex::new([['a'; 6]; 3]);
    let right = {
        use solutions::predict_board as right;
        [right::by_gems(), right::by_score(), right::with_many_gems()]
    };
    let boards = || Boards {
        by_gems: || LISTS.lock().unwrap()[0],
        by_score: || LISTS.lock().unwrap()[1],
        with_many_gems: || LISTS.lock().unwrap()[2],
    };
    for board in 0..3 {
        for list in lists(&['a', 'b', 'c', 'd', 'e', 'f']) {
            let mut all = right;
            all[board] = list.try_into().unwrap();
            *LISTS.lock().unwrap() = all;
            let verdict = judged(&predict_board::exercise_of(boards()));
            let passed = verdict.state == State::Passed;
            assert_eq!(passed, all == right, "{all:?}");
            assert_eq!(verdict.message.contains("you put"), !passed);
        }
    }
}

#[test]
fn a_list_that_two_misconceptions_make_is_told_by_both() {
    // The members' names and their times fall in one order here.
    let smaller_time_first = || ['c', 'd', 'b', 'f', 'a', 'e'];
    let verdict = judged(&predict_board::exercise_of(Boards {
        by_gems: solutions::predict_board::by_gems,
        by_score: smaller_time_first,
        with_many_gems: smaller_time_first,
    }));
    named(&verdict, "score_later_first");
    let both = "an order without the time, or with the smaller time first";
    let text = verdict
        .message
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(text.contains(both), "{both}");
}

#[test]
fn a_test_that_wants_a_player_refused_who_fits_reads_so() {
    let verdict = tested(|pack, _| assert_eq!(pack(0, false, 1_571_819_021), None));
    named(&verdict, "refuses_everything");
    let words: Vec<&str> = verdict.message.split_whitespace().collect();
    let reason = "or a player who fits is to have none";
    assert!(words.join(" ").contains(reason), "{reason}");
}

#[test]
fn fields_that_are_never_wrong_are_told() {
    let of_28_bits = |board: &mut dyn Board, member: &str| {
        while let Some(seen) = board.score(member) {
            if board.compare_and_set(member, seen, seen | 1 << 28) {
                return true;
            }
        }
        false
    };
    let but = "none is ever wrong at the end but `paid` and the time.";
    observed(&paying(of_28_bits), "paid", &[but]);
    let never = |board: &mut dyn Board, member: &str| {
        set_paid(board, member);
        false
    };
    let returns = "Every board ends as it should. Wrong is what the function returns.";
    observed(&paying(never), "paid", &[returns]);
    let turned = |board: &mut dyn Board, member: &str, gems: u64, time: u64| {
        win(board, member, gems, (1 << 29) - 1 - time)
    };
    let but = "none is ever wrong at the end but the time.";
    observed(&winning(turned), "both", &[but]);
    let one_more = |board: &mut dyn Board, member: &str, gems: u64| {
        board.add(member, gems << 30);
        board.add(member, 1 << 30);
    };
    let changes = Changes::new(one_more, set_paid, win);
    let but = "none is ever wrong at the end but the gems.";
    observed(
        &judged(&compare_and_set::exercise_of(changes)),
        "gems",
        &[but],
    );
    let adds_nobody = |board: &mut dyn Board, member: &str, gems: u64| {
        if board.score(member).is_some_and(|seen| seen & 1 << 29 != 0) {
            add_gems(board, member, gems);
        }
    };
    let changes = Changes::new(adds_nobody, set_paid, win);
    let verdict = judged(&compare_and_set::exercise_of(changes));
    assert!(
        !verdict.message.contains("three fields"),
        "a member is missing"
    );
}

#[test]
fn sizes_that_are_not_counted_are_named() {
    let lost = |lost: fn(u64) -> u32| limits(solutions::lost_bits::largest_top, lost);
    // Half of the numbers loses nothing.
    let even = lost(|score| {
        if score % 2 == 0 {
            0
        } else {
            solutions::lost_bits::lost_bits(score)
        }
    });
    observed(
        &even,
        "size",
        &["It is right on all numbers below 2^53, all odd numbers above 2^53."],
    );
    // Each half is rounded up.
    let halved = lost(|score| {
        let (mut rest, mut count) = (score, 0);
        while rest >= 1 << 53 {
            rest = rest.div_ceil(2);
            count += 1;
        }
        count
    });
    observed(&halved, "size", &["It is wrong on"]);
    let signed = lost(|score| {
        let (mut rest, mut count) = (score.cast_signed(), 0);
        while rest >= 1 << 53 {
            rest >>= 1;
            count += 1;
        }
        count
    });
    named(&signed, "first_bit_taken_for_a_sign");
    let magnitude =
        lost(|score| 11_u32.saturating_sub(score.cast_signed().unsigned_abs().leading_zeros()));
    observed(
        &magnitude,
        "size",
        &["It is right on all numbers below 2^53"],
    );
    let tops = |top: fn(u32) -> u64| limits(top, solutions::lost_bits::lost_bits);
    named(&tops(|bits| !0 >> 11 & !0 << bits), "top_left_in_its_place");
    named(&tops(|bits| 2_u64.pow(bits) - 1), "greatest_low_field");
}

#[test]
fn each_sign_between_the_fields_is_looked_at() {
    for looked_at in [1, 15] {
        let one_sign = move |text: &str| {
            let (front, name) = (text.get(..16)?, text.get(16..)?);
            let digits = text.get(2..15)?.bytes().all(|b| b.is_ascii_digit());
            let sign = front.as_bytes()[looked_at] == b'-';
            let fits = front.starts_with(['0', '1']) && digits && sign;
            fits.then(|| name.to_owned())
        };
        let other = if looked_at == 15 {
            "1_8428189998740-E"
        } else {
            "1-8428189998740_E"
        };
        observed(&members(member, one_sign), "round-trip", &[other]);
    }
}

#[test]
fn of_two_mistakes_nothing_is_called_right() {
    pairs_call_nothing_right(&pack_score::exercise_of(Packer::new(pack, unpack)));
    pairs_call_nothing_right(&member_key::exercise_of(Members::new(member, name)));
}

#[test]
fn one_digit_is_not_thirteen() {
    let any_digit = |text: &str| {
        let (flag, rest) = text.split_once('-')?;
        let (digits, name) = rest.split_at_checked(13)?;
        let right = ["0", "1"].contains(&flag) && digits.bytes().any(|b| b.is_ascii_digit());
        Some(name.strip_prefix('-').filter(|_| right)?.to_owned())
    };
    observed(
        &members(member, any_digit),
        "round-trip",
        &["`member` is right."],
    );
}

#[test]
fn numbers_and_counts_that_are_cut() {
    let won_cut = |board: &mut dyn Board, member: &str, gems: u64, time: u64| {
        win(board, member, gems & 0xffff, time)
    };
    let changes = Changes::new(add_gems, set_paid, won_cut);
    observed(&judged(&compare_and_set::exercise_of(changes)), "both", &[]);
    let added_cut =
        |board: &mut dyn Board, member: &str, gems: u64| add_gems(board, member, gems & 0xffff);
    let changes = Changes::new(added_cut, set_paid, win);
    let verdict = judged(&compare_and_set::exercise_of(changes));
    observed(&verdict, "gems", &["add_gems(E, 70000)"]);
    for bits in [8, 16] {
        let cut = move |count: usize| count & ((1 << bits) - 1);
        let short = move |text: &str| name(text).filter(|_| cut(text.len()) >= 16);
        observed(
            &members(member, short),
            "round-trip",
            &["`member` is right."],
        );
        let digits_counted = move |text: &str| {
            let mut fields = text.splitn(3, '-');
            let (flag, digits, name) = (fields.next()?, fields.next()?, fields.next()?);
            let are_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
            let right = ["0", "1"].contains(&flag) && are_digits && cut(digits.len()) == 13;
            right.then(|| name.to_owned())
        };
        observed(
            &members(member, digits_counted),
            "round-trip",
            &["`member` is right."],
        );
    }
}

#[test]
fn every_bit_of_a_large_number_counts() {
    every_bit_counts(0..64, 1 << 17, |astray| {
        pack_score::exercise_of(Packer::new(
            move |gems, paid, at_ms| pack(astray.of(gems), paid, at_ms),
            unpack,
        ))
    });
    // Seconds, not milliseconds: some of their bits are cut off with the last three digits.
    every_bit_counts(0..54, 1 << 20, |astray| {
        pack_score::exercise_of(Packer::new(
            move |gems, paid, at_ms| pack(gems, paid, astray.of(at_ms / 1000).saturating_mul(1000)),
            unpack,
        ))
    });
    every_bit_counts(0..29, 1 << 20, |astray| {
        pack_score::exercise_of(Packer::new(
            move |gems, paid, at_ms| {
                let score = pack(gems, paid, at_ms)?;
                let field = (1 << 29) - 1;
                Some(score & !field | astray.of(score & field))
            },
            unpack,
        ))
    });
    every_bit_counts(0..64, 1 << 40, |astray| {
        pack_score::exercise_of(Packer::new(pack, move |score| unpack(astray.of(score))))
    });
    every_bit_counts(0..64, 1 << 40, |astray| {
        member_key::exercise_of(Members::new(
            move |paid, at_ms, name| member(paid, astray.of(at_ms), name),
            name,
        ))
    });
}

#[test]
fn one_bit_less_of_even_numbers_is_no_room_of_54_bits() {
    let verdict = limits(solutions::lost_bits::largest_top, |score| {
        let lost = solutions::lost_bits::lost_bits(score);
        lost.saturating_sub(u32::from(score % 2 == 0))
    });
    observed(&verdict, "size", &["It is right on"]);
    assert!(!verdict.message.contains("54 bits"));
}

#[test]
fn a_test_that_unpacks_what_nobody_packed_reads_so() {
    let of_nobody = tested(|pack, unpack| {
        solutions::test_packer::test(pack, unpack);
        unpack(0.1);
    });
    named(&of_nobody, "refuses_everything");
    let words: Vec<&str> = of_nobody.message.split_whitespace().collect();
    let asked = "your test asks `unpack` for what no `pack` has returned. Its last calls were";
    assert!(words.join(" ").contains(asked));

    // Every packer makes this score, and not for the same player.
    let of_the_least_player = tested(|pack, unpack| {
        solutions::test_packer::test(pack, unpack);
        assert_eq!(unpack(0.0), (0, false, END));
    });
    named(&of_the_least_player, "certain_scores_demanded");
}

//! What the public record says of packed scores.

use book::output;

use crate::board::{END, stored, whole};
use crate::servers::told_to_both;

// ANCHOR: odd_scores
/// redis#1071 (2013).
#[test]
fn the_first_odd_score_is_rounded() {
    told_to_both(|talk| {
        talk.quietly("game", "ZADD board 9007199254740993 bbb");
        let score = talk.quietly("game", "ZSCORE board bbb");
        assert_eq!(score.text(), "9007199254740992");
    });
}
// ANCHOR_END: odd_scores

// ANCHOR: int64_scores
/// redis#15824 (2026).
#[test]
fn three_packed_integers_are_one_score() {
    let told = told_to_both(|talk| {
        for (score, member) in [
            ("1009651914519660511", "me"),
            ("1009651914519660512", "rival"),
            ("1009651914519660544", "other"),
        ] {
            talk.quietly("game", &format!("ZADD board {score} {member}"));
        }
        let same = talk.say(
            "game",
            "ZCOUNT board 1009651914519660544 1009651914519660544",
        );
        assert_eq!(same.shown(), "(integer) 3");
        talk.say("game", "ZRANGE board 0 -1");
        let before = talk.quietly("game", "ZSCORE board me");
        let after = talk.quietly("game", "ZINCRBY board 64 me");
        assert_eq!(before, after, "an addition that does nothing");
    });
    output::check("08-many-dimensions/outputs/int64-scores.txt", &told);
}
// ANCHOR_END: int64_scores

// ANCHOR: shifted_by_32
/// `score << 32 | (Integer.MAX_VALUE - seconds)`, as published for Java.
#[test]
fn thirty_two_bits_for_the_time_leave_twenty_one() {
    let pack = |score: u64, second: u64| score << 32 | (0x7fff_ffff - second);
    let same = |a, b| stored(a) == stored(b);
    let shares = |n| (1000..1004).any(|s| same(pack(n, s), pack(n, s + 1)));
    assert!(!shares((1 << 21) - 1));
    assert!(shares(1 << 21));
}
// ANCHOR_END: shifted_by_32

// ANCHOR: precedence
/// `score << 26 + (end - now)`: the addition binds tighter than the shift.
#[test]
fn a_shift_binds_weaker_than_a_sum() {
    let (score, left): (u64, u32) = (10, 3);
    #[expect(clippy::precedence, reason = "this is the fault")]
    let as_written = score << 26 + left;
    let as_meant = (score << 26) + u64::from(left);
    assert_eq!(as_written, 10 << 29);
    assert_eq!(as_meant, (10 << 26) + 3);
}
// ANCHOR_END: precedence

/// The score of a prioritised job: the priority, and 32 bits of a counter.
fn by_priority(priority: u64, counter: u64) -> u64 {
    priority * 0x1_0000_0000 + counter % 0x1_0000_0000
}

// ANCHOR: bullmq_priority
/// BullMQ: priorities from 1 to 2^21, and 32 bits of counter: 53 bits in sum.
#[test]
fn twenty_one_bits_and_thirty_two_are_just_enough() {
    let score = by_priority;
    let kept = |priority, counter| whole(stored(score(priority, counter)));
    let last = (1 << 21) - 1;
    for counter in [0, 1, 2, 3, (1 << 32) - 1] {
        assert_eq!(kept(last, counter), score(last, counter));
    }
    // The last priority of the documented range is one too many.
    assert_eq!(kept(1 << 21, 3), kept(1 << 21, 4));
    assert_eq!(kept(1 << 21, 5), kept(1 << 21, 4));
}
// ANCHOR_END: bullmq_priority

// ANCHOR: bullmq_delay
/// BullMQ: milliseconds, and twelve bits of a counter.
#[test]
fn a_time_in_milliseconds_and_twelve_bits_last_until_2039() {
    let same = |ms: u64| stored(ms * 0x1000) == stored(ms * 0x1000 + 1);
    let first = (0..64).map(|power| 1 << power).find(|&ms| same(ms));
    assert_eq!(first, Some(1 << 41));
    assert!(!same((1 << 41) - 1));
    // 2^41 ms after 1970 is 2039-09-07, 15:47:35 UTC.
    assert_eq!(date(1 << 41), (2039, 9, 7));
    // The time field of the chapter.
    assert_eq!(date(END * 1000), (2028, 12, 31));
    assert_eq!(date((END - (1 << 29) + 1) * 1000), (2011, 12, 27));
}
// ANCHOR_END: bullmq_delay

/// Year, month and day of a time in milliseconds since 1970.
fn date(ms: u64) -> (u64, u64, u64) {
    let leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut days = ms / 86_400_000;
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let february = 28 + u64::from(leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

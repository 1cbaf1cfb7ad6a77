//! What goes wrong with a range of scores.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound::{self, Excluded, Included, Unbounded};
use std::sync::Arc;

use kit::{Mistake, compose};

use crate::mistakes::score_range_compared;
use crate::mistakes::score_range_steps::Step::{
    self, CrossedPanic, CrossedSwapped, FirstInfinityOnly, FirstOfMaxOnly, FirstOfMinSkipped,
    GreatestFirst, InfiniteRangeRefused, InfinitiesClamped, KeyOfMax, KeyOfMinExcluded,
    LastByteRaised, LastByteWrapped, LittleEndianBounds, ManyFf, MaxExcluded, MaxIgnored,
    MaxPlusEpsilon, MaxPlusOne, MinExcluded, MinIgnored, NextDouble, NoEndAfterFf, OneFf,
    OneFfExcluded, PlainBounds, RowsUncut, SignFlippedBounds, SortedByMember, SuccessorTaken,
    TotalOrderBounds,
};
use crate::mistakes::score_range_steps::{APART, QUIRKS};
use crate::score_range::{Rows, Scan};
use crate::solutions::order_f64 as total;
use crate::solutions::score_range::{key, score_range as right};

const RANGE: &str = "a-range-of-scores";
const REPAIR: &str = "the-repair";
const SCAN: &str = "a-scan-goes-wrong";
const TASK: &str = "score-range";

fn bound_key(steps: &[Step], score: f64) -> [u8; 8] {
    let has = |step| steps.contains(&step);
    if has(PlainBounds) {
        score.to_be_bytes()
    } else if has(SignFlippedBounds) {
        (score.to_bits() ^ 1 << 63).to_be_bytes()
    } else if has(LittleEndianBounds) {
        let mut bytes = key(score);
        bytes.reverse();
        bytes
    } else if has(TotalOrderBounds) {
        total::encode(score)
    } else {
        key(score)
    }
}

/// The first key after all rows that begin with this one.
fn successor(key: [u8; 8]) -> Bound<Vec<u8>> {
    match u64::from_be_bytes(key).checked_add(1) {
        Some(next) => Excluded(next.to_be_bytes().to_vec()),
        None => Unbounded,
    }
}

fn start(steps: &[Step], rows: &Rows, min: f64) -> Bound<Vec<u8>> {
    let has = |step| steps.contains(&step);
    let key = bound_key(steps, min);
    if has(MinIgnored) {
        Unbounded
    } else if has(KeyOfMinExcluded) {
        Excluded(key.to_vec())
    } else if has(MinExcluded) {
        match successor(key) {
            Excluded(next) => Included(next),
            other => other,
        }
    } else if has(FirstOfMinSkipped) {
        let first = rows.range(key.to_vec()..).next();
        let at_min = first.filter(|row| row.starts_with(&key));
        at_min.map_or(Included(key.to_vec()), |row| Excluded(row.clone()))
    } else {
        Included(key.to_vec())
    }
}

fn end(steps: &[Step], rows: &Rows, max: f64) -> Bound<Vec<u8>> {
    let has = |step| steps.contains(&step);
    let key = bound_key(steps, max);
    let before = |score| Excluded(bound_key(steps, score).to_vec());
    if has(OneFf) {
        Included([&key[..], b"\xff"].concat())
    } else if has(OneFfExcluded) {
        Excluded([&key[..], b"\xff"].concat())
    } else if has(ManyFf) {
        Included([&key[..], &[0xff; 8]].concat())
    } else if has(KeyOfMax) {
        Included(key.to_vec())
    } else if has(MaxExcluded) {
        before(max)
    } else if has(MaxPlusOne) {
        before(max + 1.0)
    } else if has(MaxPlusEpsilon) {
        before(max + f64::EPSILON)
    } else if has(NextDouble) {
        before(max.next_up())
    } else if has(SuccessorTaken) {
        match successor(key) {
            Excluded(next) => Included(next),
            other => other,
        }
    } else if has(NoEndAfterFf) && key[7] == 0xff {
        Unbounded
    } else if has(LastByteRaised) || has(LastByteWrapped) {
        let [front @ .., last] = key;
        assert!(
            last < 0xff || has(LastByteWrapped),
            "attempt to add with overflow"
        );
        Excluded([&front[..], &[last.wrapping_add(1)]].concat())
    } else if has(FirstOfMaxOnly) || has(FirstInfinityOnly) && max == f64::INFINITY {
        let first = rows.range(key.to_vec()..).next();
        first.map_or(Unbounded, |row| Included(row.clone()))
    } else if has(MaxIgnored) {
        Unbounded
    } else {
        successor(key)
    }
}

fn answer(steps: &[Step], rows: &Rows, min: f64, max: f64) -> Vec<Vec<u8>> {
    let has = |step| steps.contains(&step);
    let (mut min, mut max) = (min, max);
    if has(InfinitiesClamped) {
        (min, max) = (min.max(f64::MIN), max.min(f64::MAX));
    }
    if has(InfiniteRangeRefused) && (min == f64::INFINITY || max == f64::NEG_INFINITY) {
        return Vec::new();
    }
    if has(CrossedSwapped) && min > max {
        (min, max) = (max, min);
    }
    if min > max && !has(CrossedPanic) {
        return Vec::new();
    }
    let bounds = (start(steps, rows, min), end(steps, rows, max));
    // Wrong steps that meet in nothing are no crossed bounds of the learner's.
    if let (Included(low) | Excluded(low), Included(high) | Excluded(high)) = &bounds
        && (has(MinExcluded) || has(KeyOfMinExcluded) || has(FirstOfMinSkipped))
        && low >= high
        && !has(CrossedPanic)
    {
        return Vec::new();
    }
    let found = rows.range(bounds);
    let mut members: Vec<Vec<u8>> = found
        .map(|row| row[if has(RowsUncut) { 0 } else { 8 }..].to_vec())
        .collect();
    if has(GreatestFirst) {
        members.reverse();
    }
    if has(SortedByMember) {
        members.sort();
    }
    members
}

fn with(steps: &[Step]) -> Option<Scan> {
    let both = |group: &&[Step]| steps.iter().filter(|s| group.contains(s)).count() > 1;
    if APART.iter().any(both) {
        return None;
    }
    let steps = steps.to_vec();
    Some(Arc::new(move |rows, min, max| {
        answer(&steps, rows, min, max)
    }))
}

/// The right members, where the bounds are not crossed.
fn unguarded(rows: &Rows, min: f64, max: f64) -> Vec<Vec<u8>> {
    let found = rows.range((Included(key(min).to_vec()), successor(key(max))));
    found.map(|row| row[8..].to_vec()).collect()
}

/// The members of the rows whose scores are inside.
fn filtered(rows: &Rows, inside: impl Fn(f64) -> bool) -> Vec<Vec<u8>> {
    let score = |row: &[u8]| total::decode(row.first_chunk().copied().unwrap_or_default());
    let found = rows.iter().filter(|row| inside(score(row)));
    found.map(|row| row[8..].to_vec()).collect()
}

/// All mistakes of this exercise.
#[expect(clippy::cast_possible_truncation, reason = "these are the mistakes")]
pub fn all() -> Vec<Mistake<Scan>> {
    let mistake = |name, check, scan: fn(&Rows, f64, f64) -> Vec<Vec<u8>>| {
        Mistake::<Scan>::new(name, "score_range", check, Arc::new(scan))
    };
    let mut mistakes = vec![
        mistake("infinite_bounds_refused", "range", |rows, min, max| {
            if min.is_finite() && max.is_finite() {
                right(rows, min, max)
            } else {
                Vec::new()
            }
        })
        .says("an empty list for ranges with an infinite end")
        .why(
            "\"From 3 on\" is a range to inf, and a common one. Infinities are scores like any other: their \
             keys need no special case.",
        )
        .link(RANGE),
        mistake("last_byte_not_carried", "range", |rows, min, max| {
            let (start, mut end) = (key(min), key(max));
            end[7] = end[7].saturating_add(1);
            if min > max {
                return Vec::new();
            }
            let found = rows.range(start.to_vec()..end.to_vec());
            found.map(|row| row[8..].to_vec()).collect()
        })
        .says("an end that adds one to the last byte of the key of `max`, and loses `max` where that byte is ff")
        .why(
            "The keys of many negative scores end in ff: that of -1 is `40 0f ff ff ff ff ff ff`. Whether ff stays or becomes 00, the end is not \
             after the key without a carry. Add one to all eight bytes as one `u64`.",
        )
        .link(RANGE),
        mistake("ends_at_max_plus_min_positive", "range", |rows, min, max| {
            let (start, end) = (key(min), key(max + f64::MIN_POSITIVE));
            if min > max {
                return Vec::new();
            }
            let found = rows.range(start.to_vec()..end.to_vec());
            found.map(|row| row[8..].to_vec()).collect()
        })
        .says("an end before the key of `max + f64::MIN_POSITIVE`")
        .why(
            "`MIN_POSITIVE` is the least normal number, not a step. Added to any score that is not close to zero it changes nothing, and `max` is \
             missed. The next score is a matter of bytes: the successor of the key.",
        )
        .link(RANGE),
        mistake("ends_a_little_above_max", "range", |rows, min, max| {
            let (start, end) = (key(min), key(max + 1e-9));
            if min > max {
                return Vec::new();
            }
            let found = rows.range(start.to_vec()..end.to_vec());
            found.map(|row| row[8..].to_vec()).collect()
        })
        .says("an end before the key of `max + 1e-9`")
        .why(
            "The gaps between doubles grow with them: from 2^24 on, and at inf, adding 1e-9 changes nothing, and `max` is missed; near 1 it lets in \
             other scores. The next score is a matter of bytes: the successor of the key.",
        )
        .link(RANGE),
        mistake("guard_turned_round", "returns", |rows, min, max| {
            if min < max { Vec::new() } else { unguarded(rows, min, max) }
        })
        .or(Arc::new(|rows: &Rows, min: f64, max: f64| {
            if min <= max { Vec::new() } else { unguarded(rows, min, max) }
        }))
        .says("no members where `min` is less than `max`, and `range` where it is greater, which panics there")
        .why(
            "That guard is the wrong way round: between bounds in order there may be members, and it is the others that `range` refuses. \
             Return where `min` is greater than `max`.",
        )
        .link(RANGE),
        mistake("scores_compared_as_plain_bits", "range", |rows, min, max| {
            let score = |row: &[u8]| row[..8].to_vec();
            let inside = |row: &&Vec<u8>| {
                let score = score(row);
                score >= min.to_be_bytes().to_vec() && score <= max.to_be_bytes().to_vec()
            };
            rows.iter().filter(inside).map(|row| row[8..].to_vec()).collect()
        })
        .says("a comparison of rows with the plain bits of the bounds")
        .why("The rows begin with keys, and a bound is compared with rows: it has to be made by `key`.")
        .link(SCAN),
        mistake("keys_compared_as_signed", "range", |rows, min, max| {
            let signed = |key: [u8; 8]| i64::from_be_bytes(key);
            let inside = |row: &&Vec<u8>| {
                let score = row.first_chunk().map_or(0, |key| signed(*key));
                (signed(key(min))..=signed(key(max))).contains(&score)
            };
            rows.iter().filter(inside).map(|row| row[8..].to_vec()).collect()
        })
        .says("keys compared as signed numbers")
        .why(
            "`key` sets the first bit of scores from zero on, and an `i64` takes it for its sign: they come before all below zero then. Keys compare byte by byte. \
             Compare the arrays, or read each as a `u64`.",
        )
        .link(SCAN),
        mistake("keys_read_as_plain_bits", "range", |rows, min, max| {
            let score = |row: &[u8]| row.first_chunk().map_or(0.0, |key| f64::from_be_bytes(*key));
            let inside = |row: &&Vec<u8>| (min..=max).contains(&score(row));
            rows.iter().filter(inside).map(|row| row[8..].to_vec()).collect()
        })
        .says("a comparison of keys read as plain bits")
        .why(
            "A key is not the bits of its score. `key` inverted the negative ones and set the first bit of \
             the others: the key of 1 reads as -1.",
        )
        .link(REPAIR),
        mistake("ends_at_the_bits_plus_one", "returns", |rows, min, max| {
            if min > max {
                return Vec::new();
            }
            let next = f64::from_bits(max.to_bits() + 1);
            let found = rows.range(key(min).to_vec()..key(next).to_vec());
            found.map(|row| row[8..].to_vec()).collect()
        })
        .says("an end before the key of the double whose bits are one more than those of `max`")
        .why(
            "Above zero that is the next double. Below zero the bits count the distance from zero, so it is the one before: \
             `max` itself falls out, and from -1 to -1 the bounds cross and `range` panics. Add one to the key, not to the \
             score.",
        )
        .link(RANGE),
        mistake("max_not_looked_at", "range", |rows, min, _| {
            rows.range(key(min).to_vec()..).map(|row| row[8..].to_vec()).collect()
        })
        .says("all members from `min` on, whatever `max` is")
        .why("A range has two ends. Nothing stops the scan after `max`, not even when `max` is less than `min`.")
        .link(TASK),
        mistake("min_not_looked_at", "range", |rows, _, max| {
            let inside = rows.iter().filter(|row| row[..8] <= key(max)[..]);
            inside.map(|row| row[8..].to_vec()).collect()
        })
        .says("all members up to `max`, whatever `min` is")
        .why("A range has two ends. Nothing keeps out what lies before `min`.")
        .link(TASK),
        mistake("ends_at_a_letter", "range", |rows, min, max| {
            if min > max {
                return Vec::new();
            }
            let end = [&key(max)[..], b"~"].concat();
            let found = rows.range(key(min).to_vec()..end);
            found.map(|row| row[8..].to_vec()).collect()
        })
        .says("an end at the key of `max` followed by `~`")
        .why(
            "`~` is the last printable character, 7e, and members are bytes: those that begin with a byte from 7f to ff come \
             after it. End before the next key instead, the key of `max` plus one.",
        )
        .link(RANGE),
        mistake("keys_read_with_the_sign_bit_flipped", "range", |rows, min, max| {
            let score = |row: &[u8]| {
                let bits = row.first_chunk().map_or(0, |key| u64::from_be_bytes(*key));
                f64::from_bits(bits ^ 1 << 63)
            };
            let inside = rows.iter().filter(|row| (min..=max).contains(&score(row)));
            inside.map(|row| row[8..].to_vec()).collect()
        })
        .says("a comparison of scores that are read by flipping the first bit of each key")
        .why(
            "That undoes the keys of positive scores alone. `key` inverted all bits of the negative ones: where the first bit \
             is clear, invert them back.",
        )
        .link(REPAIR),
        mistake("members_made_text", "range", |rows, min, max| {
            let members = right(rows, min, max).into_iter();
            members.map(|member| String::from_utf8_lossy(&member).into_owned().into_bytes()).collect()
        })
        .says("the right members, made text by `from_utf8_lossy`")
        .why("Members are bytes. Each byte that is no text becomes a replacement character, and ff is none any more.")
        .link(TASK),
        mistake("members_that_are_no_text_left_out", "range", |rows, min, max| {
            let members = right(rows, min, max).into_iter();
            members.filter(|member| str::from_utf8(member).is_ok()).collect()
        })
        .says("the right members, without those that are no text")
        .why("Members are bytes: ff occurs in no UTF-8 text, and may be in a member. Return the bytes of the row as they are.")
        .link(TASK),
        mistake("members_made_text_or_panic", "returns", |rows, min, max| {
            let members = right(rows, min, max).into_iter();
            let text = |member| String::from_utf8(member).unwrap_or_else(|e| panic!("{e}"));
            members.map(|member| text(member).into_bytes()).collect()
        })
        .says("the right members, made text, and a panic where they are none")
        .why("Members are bytes: ff occurs in no UTF-8 text. Return the bytes of the row as they are.")
        .link(TASK),
        mistake("members_at_the_bounds_alone", "range", |rows, min, max| {
            let at = |row: &&Vec<u8>| row.starts_with(&key(min)) || row.starts_with(&key(max));
            let found = rows.iter().filter(|row| min <= max && at(row));
            found.map(|row| row[8..].to_vec()).collect()
        })
        .says("the members at `min` and `max` without those between")
        .why("A prefix finds one score. The scores between the bounds have other keys.")
        .link(RANGE),
        mistake("equal_bounds_empty", "range", |rows, min, max| {
            if min == max { Vec::new() } else { right(rows, min, max) }
        })
        .says("an empty list when `min` and `max` are equal")
        .why("From 2 to 2, both included, are the members with the score 2. Only `min > max` is empty for certain.")
        .link(TASK),
        mistake("crossed_bounds_panic_before_a_short_end", "returns", |rows, min, max| {
            // The successor of a prefix: what ends in ff is cut, and the byte before it grows.
            let mut end = key(max).to_vec();
            while end.last() == Some(&0xff) {
                end.pop();
            }
            if let Some(last) = end.last_mut() {
                *last += 1;
            }
            let found = rows.range((Included(key(min).to_vec()), Excluded(end)));
            found.map(|row| row[8..].to_vec()).collect()
        })
        .says("`range` asked with its bounds crossed, and the successor of a prefix as its end")
        .why(
            "The end is right. `BTreeSet::range` panics when the start lies after it. A user may ask for that; the answer is an empty list.",
        )
        .link(TASK),
        mistake("each_member_once", "range", |rows, min, max| {
            let mut seen = BTreeSet::new();
            let mut members = right(rows, min, max);
            members.retain(|member| seen.insert(member.clone()));
            members
        })
        .says("the right members, each of them once, at its least score")
        .why("A row is a row: here one member may have rows at two scores, and is returned for each. Nothing has to be remembered.")
        .link(TASK),
        mistake("crossed_bounds_refused", "returns", |rows, min, max| {
            assert!(min <= max, "min is greater than max");
            right(rows, min, max)
        })
        .says("the right members, and a panic for every range with crossed bounds, whatever the rows are")
        .why("A user may ask for that. It is a question like any other, and the answer is an empty list.")
        .link(TASK),
        mistake("scores_cut_to_integers", "range", |rows, min, max| {
            let score = |row: &[u8]| total::decode(row.first_chunk().copied().unwrap_or_default());
            let inside = |row: &&Vec<u8>| (min as i64..=max as i64).contains(&(score(row) as i64));
            rows.iter().filter(inside).map(|row| row[8..].to_vec()).collect()
        })
        .says("a comparison of scores and bounds cut by `as i64`")
        .why(
            "1.5 becomes 1, so it is found from 1 to 1; and beyond 2^63 all scores, infinities too, become one number. Compare the \
             doubles, or their keys.",
        )
        .link(RANGE),
        mistake("scores_compared_as_f32", "range", |rows, min, max| {
            let inside = |score: f64| (min as f32..=max as f32).contains(&(score as f32));
            filtered(rows, inside)
        })
        .says("a comparison of scores and bounds cut by `as f32`")
        .why(
            "An `f32` has 23 bits of fraction, an `f64` has 52. Neighbours fall together, so a range finds what lies beside it. Compare \
             the doubles, or their keys.",
        )
        .link(RANGE),
        mistake("scores_compared_with_a_tolerance", "range", |rows, min, max| {
            let tolerance = 1e-9;
            filtered(rows, |score| score >= min - tolerance && score <= max + tolerance)
        })
        .says("a comparison that lets scores pass which are a little beyond a bound")
        .why(
            "A tolerance is for results that a calculation has rounded. A range has sharp ends: the double after 1 is not 1, and \
             0.0 is not below 0. A score that was stored comes back bit for bit, so compare it as it is.",
        )
        .link(RANGE),
        mistake("infinite_bound_finds_all", "range", |rows, min, max| {
            if min.is_infinite() || max.is_infinite() {
                return filtered(rows, |_| true);
            }
            filtered(rows, |score| min <= score && score <= max)
        })
        .says("all members where one of the bounds is infinite")
        .why(
            "A range from 2 to inf has no end, and it has a beginning. Infinities are scores like any other: they \
             need no case of their own.",
        )
        .link(RANGE),
        mistake("infinite_bound_is_none", "range", |rows, min, max| {
            filtered(rows, |score| {
                (min.is_infinite() || min <= score) && (max.is_infinite() || score <= max)
            })
        })
        .says("an infinite bound taken for no bound, whatever its sign")
        .why(
            "`-inf` as the lower end and `inf` as the upper one leave out nobody. The other way round they do: at or above inf are \
             only the infinite scores. Infinities compare like other numbers and need no case of their own.",
        )
        .link(RANGE),
        mistake("equal_members_merged", "range", |rows, min, max| {
            let mut members = right(rows, min, max);
            members.dedup();
            members
        })
        .says("the right members, of equal ones in a row only the first")
        .why("One member may be at two scores. They are two rows, and each gives its member.")
        .link(TASK),
        mistake("collected_into_a_set", "range", |rows, min, max| {
            let members: BTreeSet<Vec<u8>> = right(rows, min, max).into_iter().collect();
            members.into_iter().collect()
        })
        .says("the right members as a set: sorted by their bytes, and each once")
        .why(
            "The scores come first, and the rows have that order already. A set forgets it, and of a member at two scores it keeps one. \
             Collect into a `Vec`.",
        )
        .link(TASK),
        mistake("one_member_a_score", "range", |rows, min, max| {
            let score = |row: &[u8]| total::decode(row.first_chunk().copied().unwrap_or_default());
            let inside = rows.iter().filter(|row| min <= score(row) && score(row) <= max);
            let by_score: BTreeMap<&[u8], &[u8]> = inside.map(|row| row.split_at(8)).collect();
            by_score.into_values().map(<[u8]>::to_vec).collect()
        })
        .says("one member of each score, the last")
        .why(
            "Several members may have one score, and the member tells their rows apart. A map by the score keeps one of them.",
        )
        .link(TASK),
        mistake("members_cut_by_one", "returns", |rows, min, max| {
            let members = right(rows, min, max).into_iter();
            let cut = |member: Vec<u8>| member.get(1..).expect("range start index 9 out of range").to_vec();
            members.map(cut).collect()
        })
        .or(Arc::new(|rows, min, max| {
            let cut = |member: Vec<u8>| member.into_iter().skip(1).collect();
            right(rows, min, max).into_iter().map(cut).collect()
        }))
        .says("the right members, each without its first byte")
        .why("The key of a score has eight bytes, 0 to 7, so the member begins at byte 8: `row[8..]`. The key of LedisDB had nine.")
        .link(TASK),
        mistake("empty_members_left_out", "range", |rows, min, max| {
            let members = right(rows, min, max).into_iter();
            members.filter(|member| !member.is_empty()).collect()
        })
        .says("the right members without the empty ones")
        .why("A member may be empty. Its row is the eight bytes of the score and nothing more, and it is a row.")
        .link(TASK),
        mistake("members_end_at_a_zero_byte", "range", |rows, min, max| {
            let members = right(rows, min, max).into_iter();
            let before = |byte: &u8| *byte != 0;
            members.map(|member| member.into_iter().take_while(before).collect()).collect()
        })
        .says("the right members, each only up to its first zero byte")
        .why("Texts of C end there. A member is bytes, and any byte may be in it: it goes on to the end of the row.")
        .link(TASK),
        mistake("zero_bytes_at_the_end_dropped", "range", |rows, min, max| {
            let members = right(rows, min, max).into_iter();
            let length = |member: &[u8]| member.iter().rposition(|byte| *byte != 0).map_or(0, |at| at + 1);
            members.map(|member| member[..length(&member)].to_vec()).collect()
        })
        .says("the right members without the zero bytes at their end")
        .why("A member is bytes, and any byte may be in it, also at its end: it goes on to the end of the row.")
        .link(TASK),
        mistake("nothing_found", "range", |_, _, _| Vec::new())
            .says("an empty list for every range")
            .why(
                "If you meant to find something: print the first row of the store and your bound, and \
                 compare their bytes.",
            )
            .link(RANGE),
    ];
    mistakes.extend(score_range_compared::all());
    mistakes.extend(compose("score_range", &QUIRKS, with));
    mistakes
}

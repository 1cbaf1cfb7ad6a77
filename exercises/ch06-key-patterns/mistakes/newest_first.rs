//! What goes wrong with a window, newest first.

use std::collections::BTreeSet;
use std::ops::Bound::{self, Excluded, Included, Unbounded};

use kit::{Mistake, compose};

use crate::mistakes::newest_first_key;
use crate::mistakes::newest_first_steps::Step::{
    self, CrossedPanic, CrossedSwapped, EndsAtKeyOfFrom, EndsAtManyFf, EndsAtOneFf, EqualTaken,
    ExchangedOnly, FromIgnored, FromLeftOut, KeyOfToExcluded, LimitAndOne, LimitIgnored,
    LimitOfTheOldest, LimitOfTimes, LimitZeroIsAll, LimitZeroIsOne, LittleEndianBounds,
    NamesBackwards, NotExchanged, OldestFirst, OtherEndOpen, PlainBounds, RowsUncut, SortedByName,
    TimeZeroMissed, TimeZeroPanics, ToIgnored, ToTaken,
};
use crate::mistakes::newest_first_steps::{APART, QUIRKS};
use crate::mistakes::newest_first_walks;
use crate::newest_first::{Feed, Rows};
use crate::solutions::newest_first::key;

fn bound_key(steps: &[Step], time: u64) -> Vec<u8> {
    if steps.contains(&PlainBounds) {
        time.to_be_bytes().to_vec()
    } else if steps.contains(&LittleEndianBounds) {
        (u64::MAX - time).to_le_bytes().to_vec()
    } else {
        key(time).to_vec()
    }
}

/// The first key after all rows of a time.
fn behind(steps: &[Step], time: u64) -> Bound<Vec<u8>> {
    match time.checked_sub(1) {
        Some(before) => Included(bound_key(steps, before)),
        None => Unbounded,
    }
}

fn start(steps: &[Step], from: u64, to: u64) -> Bound<Vec<u8>> {
    let has = |step| steps.contains(&step);
    if has(NotExchanged) {
        Included(bound_key(steps, from))
    } else if has(ExchangedOnly) || has(ToTaken) {
        Included(bound_key(steps, to))
    } else if has(OtherEndOpen) || has(KeyOfToExcluded) {
        Excluded(bound_key(steps, to))
    } else if has(ToIgnored) {
        Unbounded
    } else {
        // After the rows of time 0 nothing is left: a bound that no row reaches.
        match behind(steps, to) {
            Unbounded => Excluded(vec![0xff; 40]),
            start => start,
        }
    }
}

fn end(steps: &[Step], from: u64, to: u64) -> Bound<Vec<u8>> {
    let has = |step| steps.contains(&step);
    let key = bound_key(steps, from);
    if has(NotExchanged) {
        Excluded(bound_key(steps, to))
    } else if has(ExchangedOnly) || has(FromLeftOut) || has(TimeZeroMissed) && from == 0 {
        Excluded(key)
    } else if has(OtherEndOpen) || has(EndsAtKeyOfFrom) {
        Included(key)
    } else if has(EndsAtOneFf) {
        Included([&key[..], b"\xff"].concat())
    } else if has(EndsAtManyFf) {
        Included([&key[..], &[0xff; 8]].concat())
    } else if has(FromIgnored) {
        Unbounded
    } else {
        assert!(
            !has(TimeZeroPanics) || from > 0,
            "attempt to subtract with overflow"
        );
        match behind(steps, from) {
            Included(end) => Excluded(end),
            open => open,
        }
    }
}

fn inside(row: &Vec<u8>, start: &Bound<Vec<u8>>, end: &Bound<Vec<u8>>) -> bool {
    let after = match start {
        Included(start) => row >= start,
        Excluded(start) => row > start,
        Unbounded => true,
    };
    let before = match end {
        Included(end) => row <= end,
        Excluded(end) => row < end,
        Unbounded => true,
    };
    after && before
}

/// `range` panics at crossed bounds, but not in an empty set, where it looks at no bound.
fn answer(steps: &[Step], rows: &Rows, from: u64, to: u64, limit: usize) -> Vec<Vec<u8>> {
    let has = |step| steps.contains(&step);
    let (mut from, mut to) = (from, to);
    if has(CrossedSwapped) && from > to {
        (from, to) = (to, from);
    }
    if from > to || from == to && !has(EqualTaken) {
        assert!(
            !has(CrossedPanic) || from == to || rows.is_empty(),
            "range start is greater than range end in BTreeSet"
        );
        return Vec::new();
    }
    let (start, end) = if from == to {
        (Included(bound_key(steps, from)), end(steps, from, to))
    } else {
        (start(steps, from, to), end(steps, from, to))
    };
    assert!(
        !has(NotExchanged) || rows.is_empty(),
        "range start is greater than range end in BTreeSet"
    );
    let found = rows.iter().filter(|row| inside(row, &start, &end));
    arranged(steps, found.cloned().collect(), limit)
}

/// Nothing where `returned`, and elsewhere what `range` gives between bounds that are equal or crossed.
fn turned_round(rows: &Rows, from: u64, to: u64, returned: bool) -> Vec<Vec<u8>> {
    assert!(returned || to > 0, "attempt to subtract with overflow");
    assert!(
        returned || from <= to || rows.is_empty(),
        "range start is greater than range end in BTreeSet"
    );
    Vec::new()
}

/// The names out of the rows of a window.
fn arranged(steps: &[Step], mut rows: Vec<Vec<u8>>, limit: usize) -> Vec<Vec<u8>> {
    let has = |step| steps.contains(&step);
    let time = |row: &Vec<u8>| row[..8].to_vec();
    if has(NamesBackwards) {
        rows.reverse();
        rows.sort_by_key(time);
    }
    if has(LimitOfTheOldest) {
        rows = rows.split_off(rows.len().saturating_sub(limit));
    } else if has(LimitOfTimes) {
        let mut times: Vec<Vec<u8>> = rows.iter().map(time).collect();
        times.dedup();
        times.truncate(limit);
        rows.retain(|row| times.contains(&time(row)));
    } else if has(LimitAndOne) {
        rows.truncate(limit.saturating_add(1));
    } else if has(LimitZeroIsOne) {
        rows.truncate(limit.max(1));
    } else if !(has(LimitIgnored) || has(LimitZeroIsAll) && limit == 0) {
        rows.truncate(limit);
    }
    if has(OldestFirst) {
        rows.reverse();
    }
    let from = if has(RowsUncut) { 0 } else { 8 };
    let mut names: Vec<Vec<u8>> = rows.iter().map(|row| row[from..].to_vec()).collect();
    if has(SortedByName) {
        names.sort();
    }
    names
}

fn with(steps: &[Step]) -> Option<Feed> {
    let both = |group: &&[Step]| steps.iter().filter(|s| group.contains(s)).count() > 1;
    if APART.iter().any(both) {
        return None;
    }
    let steps = steps.to_vec();
    Some(Feed::new(key, move |rows, from, to, limit| {
        answer(&steps, rows, from, to, limit)
    }))
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Feed>> {
    let mistake = |name, scan: fn(&Rows, u64, u64, usize) -> Vec<Vec<u8>>| {
        Mistake::<Feed>::new(name, "newest", "window", Feed::new(key, scan))
    };
    let mut mistakes = newest_first_key::all();
    mistakes.extend(newest_first_walks::all());
    mistakes.extend([
        mistake("not_exchanged_and_nothing_found", |_, _, _, _| Vec::new())
            .says("an empty list for every window")
            .why(
                "Did you guard against a start after the end? Then every window is caught: the greater time has \
                 the smaller key. From and to have to change places.",
            )
            .link("a-window-turns-round"),
        mistake("not_exchanged_and_guarded", |rows, from, to, limit| {
            let (start, end) = (key(from).to_vec(), key(to).to_vec());
            if start >= end {
                return Vec::new();
            }
            let found = rows.range(start..end).take(limit);
            found.map(|row| row[8..].to_vec()).collect()
        })
        .says("a range from the key of `from` to the key of `to`, and nothing where these are crossed")
        .why(
            "The greater time has the smaller key, so the keys are crossed in every window that is not empty, and the \
             guard catches it. What gets through are the windows that end before they start. From and to change \
             places.",
        )
        .link("a-window-turns-round"),
        Mistake::<Feed>::new(
            "crossed_and_empty_unguarded",
            "newest",
            "returns",
            Feed::new(key, |rows, from, to, limit| {
                assert!(to > 0, "attempt to subtract with overflow");
                assert!(
                    from <= to || rows.is_empty(),
                    "range start is greater than range end in BTreeSet"
                );
                answer(&[], rows, from, to, limit)
            }),
        )
        .says("the right window where `from` is not above `to`, and a panic above it and for `to` 0")
        .why(
            "The bounds are right. But `range` panics when its start is greater than its end, and `to - 1` overflows \
             for 0. Answer windows that are empty by themselves first: `from >= to`.",
        )
        .link("newest-first"),
        Mistake::<Feed>::new(
            "crossed_empty_and_zero_unguarded",
            "newest",
            "returns",
            Feed::new(key, |rows, from, to, limit| {
                assert!(to > 0 && from > 0, "attempt to subtract with overflow");
                assert!(
                    from <= to || rows.is_empty(),
                    "range start is greater than range end in BTreeSet"
                );
                answer(&[], rows, from, to, limit)
            }),
        )
        .says("the right window from times above 0 where `from` is not above `to`, and a panic elsewhere")
        .why(
            "Between the ends of the times the bounds are right. But `range` panics when its start is greater than its end, and neither \
             `to - 1` nor `from - 1` exists for 0. Answer windows that are empty by themselves first, `from >= to`; after the rows of time 0 \
             nothing comes, so leave that end open.",
        )
        .link("newest-first"),
        Mistake::<Feed>::new(
            "guard_turned_round",
            "newest",
            "returns",
            Feed::new(key, |rows, from, to, _| turned_round(rows, from, to, from < to)),
        )
        .or(Feed::new(key, |rows, from, to, _| turned_round(rows, from, to, from <= to)))
        .says("no names where `from` is less than `to`, and `range` where it is greater, which panics there")
        .why(
            "That guard is the wrong way round: between bounds in order there may be events, and it is the others that `range` refuses. \
             Return where `from` is not less than `to`.",
        )
        .link("newest-first"),
        Mistake::<Feed>::new(
            "crossed_unguarded_but_for_to_0",
            "newest",
            "returns",
            Feed::new(key, |rows, from, to, limit| {
                assert!(
                    from <= to || to == 0 || rows.is_empty(),
                    "range start is greater than range end in BTreeSet"
                );
                answer(&[], rows, from, to, limit)
            }),
        )
        .says("the right window where `from` is not above `to`, nothing where `to` is 0, and a panic elsewhere")
        .why(
            "The bounds are right, and you saw that nothing comes before time 0. But `range` panics when its start is greater than its end. \
             Somebody will ask for that; return nothing where `from` is not less than `to`.",
        )
        .link("newest-first"),
        Mistake::<Feed>::new(
            "window_from_0_to_0_panics",
            "newest",
            "returns",
            Feed::new(key, |rows, from, to, limit| {
                assert!(from > to || to > 0, "attempt to subtract with overflow");
                answer(&[], rows, from, to, limit)
            }),
        )
        .says("the right events, with a panic for the window from 0 to 0")
        .why(
            "Your guard lets equal bounds through, and then `to - 1` overflows. `[0, 0)` is empty, as is every window from a time to \
             itself: return where `from >= to`.",
        )
        .link("newest-first"),
        mistake("time_zero_finds_nothing", |rows, from, to, limit| {
            if from == 0 {
                return Vec::new();
            }
            answer(&[], rows, from, to, limit)
        })
        .says("an empty list for windows from 0, and the right events otherwise")
        .why(
            "No time comes before 0: its key plus one wraps around to zeros, and the range ends before it starts. Nothing \
             lies after the rows of 0 but the end of the store, so leave this end open.",
        )
        .link("a-window-turns-round"),
        mistake("one_ff_after_both_keys", |rows, from, to, limit| {
            if from >= to {
                return Vec::new();
            }
            let ff = |time| [&key(time)[..], b"\xff"].concat();
            let found = rows.range(ff(to)..ff(from)).take(limit);
            found.map(|row| row[8..].to_vec()).collect()
        })
        .says("a range between the keys of `to` and `from`, each with one byte ff after it")
        .why(
            "You look for what comes after all rows of a time, and that is the right thought. But a name may begin \
             with ff, and its row does not come before that bound. The first key after all rows of a time is the key \
             of the time before it.",
        )
        .link("a-window-turns-round"),
        mistake("many_ff_after_both_keys", |rows, from, to, limit| {
            if from >= to {
                return Vec::new();
            }
            let many_ff = |time| [&key(time)[..], &[0xff; 8]].concat();
            let found = rows.range(many_ff(to)..many_ff(from)).take(limit);
            found.map(|row| row[8..].to_vec()).collect()
        })
        .says("a range between the keys of `to` and `from`, each with many bytes ff after it")
        .why(
            "It is rarer now that a name comes after its bound, not impossible: one with more ff than you appended does. Then it is \
             found at `to`, and missed at `from`. The first key after all rows of a time is the key of the time before it.",
        )
        .link("a-window-turns-round"),
        Mistake::<Feed>::new(
            "room_for_the_limit",
            "newest",
            "returns",
            Feed::new(key, |rows, from, to, limit| {
                assert!(limit <= u32::MAX as usize, "capacity overflow");
                answer(&[], rows, from, to, limit)
            }),
        )
        .says("the right window, and no answer for limits that no memory has room for")
        .why(
            "`Vec::with_capacity(limit)` asks for room before anything is found, and a caller who wants all asks for \
             `usize::MAX`. A limit bounds what is taken; it says nothing of what is there.",
        )
        .link("newest-first"),
        Mistake::<Feed>::new(
            "slice_up_to_the_limit",
            "newest",
            "returns",
            Feed::new(key, |rows, from, to, limit| {
                let found = answer(&[], rows, from, to, usize::MAX);
                found[..limit].to_vec()
            }),
        )
        .says("a slice of the window from its beginning up to `limit`")
        .why(
            "A slice has to be there in full: with fewer names than `limit` it panics. `take(limit)` and `truncate(limit)` take what there is.",
        )
        .link("newest-first"),
        Mistake::<Feed>::new(
            "limit_and_one_overflows",
            "newest",
            "returns",
            Feed::new(key, |rows, from, to, limit| {
                assert!(limit < usize::MAX, "attempt to add with overflow");
                answer(&[], rows, from, to, limit)
            }),
        )
        .says("the right window, with a panic for the limit `usize::MAX`")
        .why(
            "A caller who wants all asks for `usize::MAX`. There is no `limit + 1` then, and no memory has room for so many. Compare with \
             the limit itself, or `take` as many.",
        )
        .link("newest-first"),
        mistake("both_ends_taken", |rows, from, to, limit| {
            let steps = [ToTaken, EqualTaken];
            answer(&steps, rows, from, to, limit)
        })
        .says("a window that takes both its ends")
        .why(
            "Half-open windows fit together: what is at `to` belongs to the next one. Taken twice, an event \
             is shown twice.",
        )
        .link("invariants"),
        mistake("to_minus_one_saturated", |rows, from, to, limit| {
            match to.saturating_sub(1) {
                0 if from == 0 => answer(&[], rows, 0, 1, limit),
                _ => answer(&[], rows, from, to, limit),
            }
        })
        .says("the events up to and with `to.saturating_sub(1)`")
        .why(
            "Nothing lies below 0, so the difference stays 0, and a window from 0 to 0 holds an event at 0. Whether `from` is less than `to` has to be \
             asked first.",
        )
        .link("newest-first"),
        Mistake::<Feed>::new(
            "to_minus_one_panics",
            "newest",
            "returns",
            Feed::new(key, |rows, from, to, limit| {
                assert!(to > 0, "attempt to subtract with overflow");
                answer(&[], rows, from, to, limit)
            }),
        )
        .says("the right window, with a panic where `to` is 0")
        .why("Is there a `to - 1`? Nothing is less than 0. No window ends before 0, so ask first whether `from` is less than `to`.")
        .link("newest-first"),
        mistake("times_compared_as_signed", |rows, from, to, limit| {
            let inside = |row: &&Vec<u8>| {
                let time = u64::MAX - u64::from_be_bytes(row.first_chunk().copied().unwrap_or_default());
                (from.cast_signed()..to.cast_signed()).contains(&time.cast_signed())
            };
            let found = rows.iter().filter(inside).take(limit);
            found.map(|row| row[8..].to_vec()).collect()
        })
        .says("times compared as `i64`")
        .why(
            "From 2^63 on a `u64` is a negative `i64`: `u64::MAX` becomes -1, and no time lies between 0 and -1. Compare the times as they are.",
        )
        .link("before-1970"),
        mistake("first_name_of_each_time", |rows, from, to, limit| {
            let all: Vec<&Vec<u8>> = rows.iter().collect();
            let times = all.chunk_by(|a, b| a[..8] == b[..8]);
            let some = times.filter_map(|rows| rows.first().map(|row| row.to_vec())).collect();
            answer(&[], &some, from, to, limit)
        })
        .says("one name of each time, the first")
        .why("Several events may have one time, and the name tells their rows apart. A map or a `dedup` by the time loses all but one.")
        .link("newest-first"),
        mistake("to_taken_but_for_an_empty_name", |rows, from, to, limit| {
            if from > to {
                return Vec::new();
            }
            let found = answer(&[ToTaken, EqualTaken], rows, from, to, usize::MAX);
            let at_to = u64::MAX.wrapping_sub(to).to_be_bytes().to_vec();
            let skipped = usize::from(rows.contains(&at_to));
            found.into_iter().skip(skipped).take(limit).collect()
        })
        .says("a window that begins just after the bare key of `to`")
        .why(
            "A row is the key and a name, so the rows of `to` come after the bare key, all but one: that with an empty name. They are in the window then, \
             and `to` is not. The rows after those of `to` begin with the key of the time before it.",
        )
        .link("a-window-turns-round"),
        Mistake::<Feed>::new(
            "names_made_text",
            "newest",
            "returns",
            Feed::new(key, |rows, from, to, limit| {
                let names = answer(&[], rows, from, to, limit);
                let is_text = names.iter().all(|name| str::from_utf8(name).is_ok());
                assert!(is_text, "called `Result::unwrap()` on an `Err` value: FromUtf8Error");
                names
            }),
        )
        .says("the right names, and a panic for one that is no text")
        .why("Names are bytes, and any bytes: a name may begin with ff, and no text does. Give back the bytes of the row, `row[8..].to_vec()`.")
        .link("newest-first"),
        mistake("equal_names_merged", |rows, from, to, limit| {
            let mut names = answer(&[], rows, from, to, usize::MAX);
            names.dedup();
            names.truncate(limit);
            names
        })
        .says("one name where neighbouring events have the same")
        .why(
            "A song that is heard twice is two events: they share a name, and their rows differ in the time. `dedup` \
             throws one of them away.",
        )
        .link("newest-first"),
        mistake("equal_names_once", |rows, from, to, limit| {
            let mut seen = BTreeSet::new();
            let names = answer(&[], rows, from, to, usize::MAX).into_iter();
            let names = names.filter(|name| seen.insert(name.clone()));
            names.take(limit).collect()
        })
        .says("each name once, however many events have it")
        .why(
            "A song that is heard twice is two events: they share a name, and their rows differ in the time. A set throws one of \
             them away.",
        )
        .link("newest-first"),
        mistake("empty_names_left_out", |rows, from, to, limit| {
            let names = answer(&[], rows, from, to, usize::MAX).into_iter();
            names.filter(|name| !name.is_empty()).take(limit).collect()
        })
        .says("the right events without those whose name is empty")
        .why("A name may be empty. Its row is the eight bytes of the time and nothing more, and it is an event like the others.")
        .link("newest-first"),
        mistake("limit_for_each_time", |rows, from, to, limit| {
            let all: Vec<&Vec<u8>> = rows.iter().collect();
            let times = all.chunk_by(|a, b| a[..8] == b[..8]);
            let some = times.flat_map(|rows| rows.iter().take(limit).map(|row| row.to_vec())).collect();
            answer(&[], &some, from, to, usize::MAX)
        })
        .says("a limit that is counted anew for each time")
        .why("`limit` is for the whole answer. Counted for each time, a window of a thousand times has a thousand names at the least.")
        .link("newest-first"),
        mistake("limit_cut_to_32_bits", |rows, from, to, limit| {
            answer(&[], rows, from, to, limit as u32 as usize)
        })
        .says("a limit cut to 32 bits")
        .why("`as u32` drops the upper half without a word: 2^32 + 1 becomes 1. `take` takes a `usize` as it is.")
        .link("newest-first"),
        mistake("limit_cut_to_16_bits", |rows, from, to, limit| {
            answer(&[], rows, from, to, limit as u16 as usize)
        })
        .says("a limit cut to 16 bits")
        .why("`as u16` keeps the last 16 bits: 65537 becomes 1, and `usize::MAX` becomes 65535. `take` takes a `usize` as it is.")
        .link("newest-first"),
        mistake("limit_before_the_window", |rows, from, to, limit| {
            let time = |row: &[u8]| {
                let key = row.first_chunk().copied().unwrap_or_default();
                u64::MAX - u64::from_be_bytes(key)
            };
            let newest = rows.iter().take(limit);
            let inside = newest.filter(|row| (from..to).contains(&time(row)));
            inside.map(|row| row[8..].to_vec()).collect()
        })
        .says("a look at the first `limit` rows of the store")
        .why(
            "The newest rows of the store may all lie outside of the window. Seek to the window first, and count \
             there.",
        )
        .link("newest-first"),
    ]);
    mistakes.extend(compose("newest", &QUIRKS, with));
    mistakes
}

//! What goes wrong with the bounds of a window: at their ends, between rows, and where they are cut or subtracted.

use std::sync::Arc;

use kit::Mistake;

use crate::scan_window::{Rows, Scan};

const TASK: &str = "scan-window";

fn mistake(
    name: &str,
    check: &'static str,
    scan: fn(&Rows, u64, u64) -> Vec<u64>,
) -> Mistake<Scan> {
    Mistake::<Scan>::new(name, "scan_window", check, Arc::new(scan))
}

fn times(rows: &Rows) -> impl Iterator<Item = u64> {
    rows.keys().map(|key| u64::from_be_bytes(*key))
}

/// A time taken for a place in a list.
fn place(time: u64) -> usize {
    usize::try_from(time).unwrap_or(usize::MAX)
}

fn right(rows: &Rows, from: u64, to: u64) -> Vec<u64> {
    times(rows)
        .filter(|time| (from..to).contains(time))
        .collect()
}

fn cut(time: u64) -> u64 {
    time & u64::from(u32::MAX)
}

/// All of them.
pub(crate) fn all() -> Vec<Mistake<Scan>> {
    let mut mistakes = Vec::from(with_rows_at_the_bounds());
    mistakes.extend(one_in_little_endian());
    mistakes.extend(cut_to_16_bits());
    mistakes.extend(cut_to_32_bits());
    mistakes.extend(by_subtraction());
    mistakes
}

/// The keys between two bounds, compared one by one, or asked for with and without a look at the times first.
fn between(name: &str, [start, end]: [fn(u64) -> [u8; 8]; 2]) -> Mistake<Scan> {
    let asked = move |rows: &Rows, from: u64, to: u64| -> Vec<u64> {
        let found = rows.range(start(from)..end(to));
        found.map(|(key, _)| u64::from_be_bytes(*key)).collect()
    };
    let walked: Scan = Arc::new(move |rows: &Rows, from, to| {
        let bounds = start(from)..end(to);
        let found = rows.keys().filter(|key| bounds.contains(*key));
        found.map(|key| u64::from_be_bytes(*key)).collect()
    });
    let guarded = move |rows: &Rows, from, to| {
        if from >= to {
            Vec::new()
        } else {
            asked(rows, from, to)
        }
    };
    Mistake::<Scan>::new(name, "scan_window", "window", walked)
        .or(Arc::new(guarded))
        .or(Arc::new(asked))
}

fn one_in_little_endian() -> [Mistake<Scan>; 2] {
    const WHY: &str = "A bound is compared with keys from the front, so both need the keys' own byte order. That of the other bound is right.";
    [
        between(
            "start_in_little_endian",
            [u64::to_le_bytes, u64::to_be_bytes],
        )
        .says("a start with the lowest byte first, and the right end")
        .why(WHY)
        .link(TASK),
        between("end_in_little_endian", [u64::to_be_bytes, u64::to_le_bytes])
            .says("an end with the lowest byte first, and the right start")
            .why(WHY)
            .link(TASK),
    ]
}

#[expect(clippy::cast_possible_truncation, reason = "these are the mistakes")]
fn cut_to_16_bits() -> [Mistake<Scan>; 3] {
    [
        mistake("bounds_cut_to_16_bits", "window", |rows, from, to| {
            right(rows, u64::from(from as u16), u64::from(to as u16))
        })
        .says("bounds cut to 16 bits")
        .why("`as u16` keeps the last 16 bits: 65536 becomes 0, and 65540 becomes 4. A time has 64.")
        .link(TASK),
        mistake("times_compared_in_32_bits", "window", |rows, from, to| {
            let window = from as u32..to as u32;
            times(rows).filter(|time| window.contains(&(*time as u32))).collect()
        })
        .says("a comparison of the last 32 bits of times and bounds")
        .why("`as u32` keeps the last 32 bits: 2^32 becomes 0, and 2^32 + 5 becomes 5. A time has 64, and all of them count.")
        .link(TASK),
        mistake("times_compared_in_16_bits", "window", |rows, from, to| {
            let window = from as u16..to as u16;
            times(rows).filter(|time| window.contains(&(*time as u16))).collect()
        })
        .or(Arc::new(|rows: &Rows, from, to| {
            let window = from as u16..to as u16;
            let cut = times(rows).map(|time| time as u16);
            cut.filter(|time| window.contains(time)).map(u64::from).collect()
        }))
        .says("a comparison of the last 16 bits of times and bounds")
        .why("`as u16` keeps the last 16 bits: 65536 becomes 0, and 65540 becomes 4. A time has 64, and all of them count.")
        .link(TASK),
    ]
}

fn with_rows_at_the_bounds() -> [Mistake<Scan>; 11] {
    [
        mistake("zero_start_finds_nothing", "window", |rows, from, to| {
            if from == 0 { Vec::new() } else { right(rows, from, to) }
        })
        .says("no times where `from` is 0, and the right ones elsewhere")
        .why("0 is a time like any other, and the least of all: a window from it begins with the first row.")
        .link(TASK),
        mistake("start_must_exist", "window", |rows, from, to| {
            let found = times(rows).skip_while(|time| *time != from);
            found.take_while(|time| *time < to).collect()
        })
        .says("a walk that begins at the row of `from`")
        .why("There may be no row at `from`, and then this walk never begins. Begin at the first time that is not less: compare with `<`, not with `==`.")
        .link(TASK),
        mistake("end_must_exist", "window", |rows, from, to| {
            let found = times(rows).skip_while(|time| *time < from);
            let found: Vec<u64> = found.take_while(|time| *time != to).collect();
            if from < to { found } else { Vec::new() }
        })
        .says("a walk that ends at the row of `to`")
        .why("There may be no row at `to`, and then this walk never ends. End before the first time that is not less: compare with `<`, not with `==`.")
        .link(TASK),
        mistake("bounds_looked_up_and_unwrapped", "returns", |rows, from, to| {
            let sorted: Vec<u64> = times(rows).collect();
            let place = |bound: u64| sorted.iter().position(|time| *time == bound).unwrap();
            sorted[place(from)..place(to)].to_vec()
        })
        .or(Arc::new(|rows: &Rows, from, to| {
            if from >= to {
                return Vec::new();
            }
            let sorted: Vec<u64> = times(rows).collect();
            let place = |bound: u64| sorted.iter().position(|time| *time == bound).unwrap();
            sorted[place(from)..place(to)].to_vec()
        }))
        .says("a search for the two bounds among the times, and a panic where one of them is none")
        .why(
            "There may be no row at a bound, so the search may find nothing, and `unwrap` panics. Look for the first time that is not less: \
             `partition_point` finds its place, and `range` needs no row at its bounds. A slice \
             that ends before it starts is a panic as well.",
        )
        .link(TASK),
        mistake("guard_turned_round", "returns", |rows, from, to| {
            if from < to {
                return Vec::new();
            }
            let found = rows.range(from.to_be_bytes()..to.to_be_bytes());
            found.map(|(key, _)| u64::from_be_bytes(*key)).collect()
        })
        .says("no times where `from` is less than `to`, and `range` elsewhere, which panics there")
        .why(
            "That guard is the wrong way round: between bounds in order there may be times, and it is the others that `range` refuses. \
             Return where `from` is not less than `to`.",
        )
        .link(TASK),
        mistake("crossed_bounds_cut_a_slice", "returns", |rows, from, to| {
            let sorted: Vec<u64> = times(rows).collect();
            let place = |bound: u64| sorted.partition_point(|time| *time < bound);
            sorted[place(from)..place(to)].to_vec()
        })
        .says("a slice of the sorted times, from the place of `from` to that of `to`, also where these are crossed")
        .why("A slice that ends before it starts is a panic and not an empty list. If `from` is not less than `to`, there are no times: say so first.")
        .link(TASK),
        mistake("greatest_end_is_no_end", "window", |rows, from, to| {
            if to == u64::MAX && from < to {
                return times(rows).filter(|time| *time >= from).collect();
            }
            right(rows, from, to)
        })
        .or(Arc::new(|rows: &Rows, from, to| {
            let inside = |time: &u64| from <= *time && (*time < to || to == u64::MAX);
            times(rows).filter(inside).collect()
        }))
        .says("a window without an end where `to` is `u64::MAX`")
        .why("It is a time like any other, and the end is left out: a row at `u64::MAX` is not before it.")
        .link(TASK),
        mistake("bounds_as_places", "window", |rows, from, to| {
            let (first, count) = (place(from), place(to.saturating_sub(from)));
            times(rows).skip(first).take(count).collect()
        })
        .or(Arc::new(|rows, from, to| {
            let times: Vec<u64> = times(rows).collect();
            times.get(place(from)..place(to)).unwrap_or_default().to_vec()
        }))
        .says("the rows from place `from` up to place `to`, counted from the first one")
        .why(
            "The bounds are times, and so are the keys. Where the times are 4, 5, 6 and 7, the time 4 is at place 0. Compare the keys \
             with the bounds.",
        )
        .link(TASK),
        mistake("zero_end_is_no_end", "window", |rows, from, to| {
            if to == 0 {
                return times(rows).filter(|time| *time >= from).collect();
            }
            right(rows, from, to)
        })
        .says("a window without an end where `to` is 0")
        .why(
            "Many interfaces take 0 for \"no end\". Here it is a time like any other, and the least of all: nothing comes before it. (If you \
             compared with `to.wrapping_sub(1)`: 0 minus 1 wraps round to `u64::MAX`. `time < to` needs no subtraction.)",
        )
        .link(TASK),
        mistake("bounds_in_little_endian_when_in_order", "window", |rows, from, to| {
            let (start, end) = (from.to_le_bytes(), to.to_le_bytes());
            if from >= to || start > end {
                return Vec::new();
            }
            rows.range(start..end).map(|(key, _)| u64::from_be_bytes(*key)).collect()
        })
        .says("little-endian bounds given to `range`, and no times where these bytes change places")
        .why(
            "The keys are big-endian, and a bound is compared with keys. The little-endian bytes of 4 begin with 04 and lie after all small \
             times. Where the bounds change places, as those of 255 and 256 do, `range` panics, and a question before it only hides that. Encode \
             bounds with the function that encodes keys.",
        )
        .link("wrong-answers-and-what-each-breaks"),
        mistake("as_many_as_the_window_is_wide", "window", |rows, from, to| {
            let width = usize::try_from(to.saturating_sub(from)).unwrap_or(usize::MAX);
            times(rows).filter(|time| *time >= from).take(width).collect()
        })
        .says("as many rows from `from` on as there are times between the bounds")
        .why("Not every time has a row. From 0 to 4 are four times, and the first four rows may lie far after 4. Compare each time with `to`.")
        .link(TASK),
    ]
}

fn cut_to_32_bits() -> [Mistake<Scan>; 3] {
    const WHY: &str = "Milliseconds since 1970 need 41 bits today. `as u32` keeps the lower 32 without a word: 2^32 becomes 0, and times 49 days \
                       apart become the same.";
    [
        mistake("bounds_cut_to_32_bits", "window", |rows, from, to| {
            right(rows, cut(from), cut(to))
        })
        .says("a window between bounds that are cut by `as u32`")
        .why(WHY)
        .link(TASK),
        mistake("times_cut_to_32_bits", "window", |rows, from, to| {
            times(rows)
                .map(cut)
                .filter(|time| (from..to).contains(time))
                .collect()
        })
        .says("times that are cut to their lower 32 bits")
        .why(WHY)
        .link(TASK),
        mistake(
            "times_and_bounds_cut_to_32_bits",
            "window",
            |rows, from, to| {
                times(rows)
                    .map(cut)
                    .filter(|time| (cut(from)..cut(to)).contains(time))
                    .collect()
            },
        )
        .says("times and bounds that are cut to their lower 32 bits")
        .why(WHY)
        .link(TASK),
    ]
}

fn by_subtraction() -> [Mistake<Scan>; 5] {
    [
        mistake("width_of_crossed_bounds_panics", "returns", |rows, from, to| {
            assert!(from <= to, "attempt to subtract with overflow");
            right(rows, from, to)
        })
        .says("the right times, and a panic where `from` is greater than `to`")
        .why(
            "From 7 to 4 there is nothing, and somebody will ask for it: the answer is an empty list, and no panic. If it comes from a \
             `to - from`: a `u64` has no negative numbers, so compare the two first.",
        )
        .link(TASK),
        mistake("before_the_start_panics", "returns", |rows, from, to| {
            assert!(from > 0 || from >= to, "attempt to subtract with overflow");
            right(rows, from, to)
        })
        .says("the right times, and a panic where `from` is 0")
        .why("Is there a `from - 1`? Nothing is less than 0. A range includes its start by itself: `from.to_be_bytes()..`.")
        .link(TASK),
        mistake("before_the_end_panics", "returns", |rows, from, to| {
            assert!(to > 0, "attempt to subtract with overflow");
            right(rows, from, to)
        })
        .says("the right times, and a panic where `to` is 0")
        .why("Is there a `to - 1`? Nothing is less than 0. A range leaves out its end by itself: `..to.to_be_bytes()`.")
        .link(TASK),
        mistake("end_plus_one", "returns", |rows, from, to| {
            if from >= to {
                return Vec::new();
            }
            right(rows, from, to.checked_add(1).expect("attempt to add with overflow"))
        })
        .says("a window up to `to + 1`")
        .why("`..` leaves out its end, and so does the window: `..to.to_be_bytes()` fits as it is. With `to + 1` a row at `to` comes too, and after `u64::MAX` there is no time.")
        .link(TASK),
        mistake("time_zero_lost", "window", |rows, from, to| {
            let before = from.saturating_sub(1);
            if from < to { right(rows, before + 1, to) } else { Vec::new() }
        })
        .says("the right times without the time 0")
        .why("If you asked for the times after `from.saturating_sub(1)`: nothing lies below 0, so the difference stays 0, and a row at 0 is left out. A range includes its start by itself: `from.to_be_bytes()..`.")
        .link(TASK),
    ]
}

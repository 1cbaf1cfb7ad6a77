//! What goes wrong with a range over signed numbers.

use std::collections::BTreeSet;
use std::ops::Bound::{self, Excluded, Included, Unbounded};
use std::sync::Arc;

use kit::{Mistake, Quirk, compose};

use super::scan_bounds_compared;
use crate::scan_bounds::Scan;
use crate::solutions::scan_bounds::key;

const RANGE: &str = "a-range-of-scores";
const REPAIRS: &str = "two-repairs";
const BYTES: &str = "where-the-bytes-come-from";

/// Steps that can be wrong independently of each other.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    HighExcluded,
    LowExcluded,
    PlainBounds,
    LittleEndianBounds,
    NumbersNotFlippedBack,
    NumbersLowestByteFirst,
    LargestFirst,
    CrossedBoundsPanic,
    CrossedBoundsSwapped,
    HighPlusOne,
    NegativesLast,
    NegativesForgotten,
    EqualBoundsEmpty,
}
use Step::{
    CrossedBoundsPanic, CrossedBoundsSwapped, EqualBoundsEmpty, HighExcluded, HighPlusOne,
    LargestFirst, LittleEndianBounds, LowExcluded, NegativesForgotten, NegativesLast,
    NumbersLowestByteFirst, NumbersNotFlippedBack, PlainBounds,
};

/// Those that panic come first: of two at once, the first names the check.
const QUIRKS: [Quirk<Step>; 13] = [
    Quirk::new(CrossedBoundsPanic, "crossed_bounds_panic", "returns")
        .says("`range` asked with its bounds crossed")
        .why(
            "`BTreeSet::range` panics when the start lies after the end. A user may ask for that; the \
              answer is an empty list.",
        )
        .link(RANGE),
    Quirk::new(HighPlusOne, "high_plus_one", "returns")
        .says("the range up to `high + 1`")
        .why(
            "That works until `high` is i32::MAX, which has no successor. An inclusive bound needs none.",
        )
        .link(RANGE),
    Quirk::new(PlainBounds, "bounds_not_flipped", "returns")
        .says("bounds whose sign bit is not flipped")
        .why(
            "The rows are keys with a flipped sign bit, and a bound is compared with keys. A bound has to be \
              made the way the keys were: `key(low)`, not `low.to_be_bytes()`. Across zero the plain bounds \
              even cross, and `range` panics.",
        )
        .link(REPAIRS),
    Quirk::new(LittleEndianBounds, "bounds_in_little_endian", "returns")
        .says("bounds with the lowest byte first")
        .why(
            "A bound is compared with keys byte by byte from the front, so it needs the keys' own byte order. \
              Some of these bounds cross, and `range` panics.",
        )
        .link(BYTES),
    Quirk::new(HighExcluded, "high_excluded", "range")
        .says("a range that leaves out its upper end")
        .why(
            "`a..b` ends before `b`. The task includes it: `a..=b`.",
        )
        .link(RANGE),
    Quirk::new(LowExcluded, "low_excluded", "range")
        .says("a range that leaves out its lower end")
        .why(
            "The row at `low` belongs to the range. An exclusive lower bound is what `ZRANGEBYSCORE k (low high` asks for.",
        )
        .link(RANGE),
    Quirk::new(NumbersNotFlippedBack, "numbers_not_flipped_back", "range")
        .says("the right rows, read without flipping the sign bit back")
        .says_beside("rows read without flipping the sign bit back")
        .why_beside("What `key` flips has to be flipped back.")
        .why(
            "The range is right, and its numbers are not: what `key` flips has to be flipped back.",
        )
        .link(REPAIRS),
    Quirk::new(NumbersLowestByteFirst, "numbers_lowest_byte_first", "range")
        .says("the right rows, read with the lowest byte first")
        .says_beside("rows read with the lowest byte first")
        .why(
            "`key` writes the highest byte first. Read the row in the order in which it was written.",
        )
        .link(BYTES),
    Quirk::new(LargestFirst, "largest_first", "range")
        .says("the right numbers, the largest first")
        .says_beside("the largest number first")
        .why(
            "The rows come in ascending order by themselves. `rev()` is for ZREVRANGEBYSCORE.",
        )
        .link(RANGE),
    Quirk::new(CrossedBoundsSwapped, "crossed_bounds_swapped", "range")
        .says("crossed bounds that are put in order first")
        .why(
            "From 1 to -1 there is nothing. Exchanging the bounds answers a question that nobody asked.",
        )
        .link(RANGE),
    Quirk::new(NegativesLast, "negatives_last", "range")
        .says("the non-negative numbers first and the negative ones after them")
        .why(
            "This is the order of plain two's complement bytes. The keys here are already in number order: \
         one scan is enough.",
        )
        .link(REPAIRS),
    Quirk::new(NegativesForgotten, "negatives_forgotten", "range")
        .says("a range that never goes below zero")
        .why(
            "A score may be negative. Casting `low` to an unsigned number, or starting at 0, loses that half.",
        )
        .link(RANGE),
    Quirk::new(EqualBoundsEmpty, "equal_bounds_empty", "range")
        .says("no rows when `low` and `high` are equal")
        .why(
            "From 7 to 7, both included, is the row of 7. Only `low > high` is empty for certain.",
        )
        .link(RANGE),
];

/// A key, made right or wrong.
fn bound(steps: &[Step], number: i32) -> [u8; 4] {
    let mut bytes = key(number);
    if steps.contains(&PlainBounds) {
        bytes = number.to_be_bytes();
    } else if steps.contains(&LittleEndianBounds) {
        bytes.reverse();
    }
    bytes
}

/// A row's number, read right or wrong.
fn number(steps: &[Step], row: [u8; 4]) -> i32 {
    let bits = if steps.contains(&NumbersLowestByteFirst) {
        u32::from_le_bytes(row)
    } else {
        u32::from_be_bytes(row)
    };
    let flip = if steps.contains(&NumbersNotFlippedBack) {
        0
    } else {
        1 << 31
    };
    (bits ^ flip).cast_signed()
}

fn answer(steps: &[Step], rows: &BTreeSet<[u8; 4]>, low: i32, high: i32) -> Vec<i32> {
    let has = |step| steps.contains(&step);
    let (mut low, mut high) = (low, high);
    if low > high && has(CrossedBoundsSwapped) {
        (low, high) = (high, low);
    }
    if low > high && !has(CrossedBoundsPanic) || low == high && has(EqualBoundsEmpty) {
        return Vec::new();
    }
    if has(NegativesForgotten) {
        low = low.max(0);
        if low > high {
            return Vec::new();
        }
    }
    let (from, to) = (bound(steps, low), bound(steps, high));
    let end = if has(HighPlusOne) {
        assert!(high < i32::MAX, "attempt to add with overflow");
        Excluded(bound(steps, high + 1))
    } else {
        Included(to)
    };
    // As the learner's own call does, this panics when the bounds cross and there are rows.
    let mut numbers: Vec<i32> = rows
        .range((Included(from), end))
        .filter(|row| !(has(HighExcluded) && **row == to || has(LowExcluded) && **row == from))
        .map(|row| number(steps, *row))
        .collect();
    if has(LargestFirst) {
        numbers.reverse();
    }
    if has(NegativesLast) {
        numbers.sort_by_key(|number| *number < 0);
    }
    numbers
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Scan>> {
    let mut mistakes = wrong_ends();
    mistakes.extend(row_by_row());
    mistakes.extend(scan_bounds_compared::all());
    mistakes.extend(compose("scan", &QUIRKS, |steps| {
        let excluded = [
            [PlainBounds, LittleEndianBounds],
            [CrossedBoundsPanic, CrossedBoundsSwapped],
            [CrossedBoundsPanic, NegativesForgotten],
        ];
        if excluded
            .iter()
            .any(|pair| pair.iter().all(|s| steps.contains(s)))
        {
            return None;
        }
        let steps = steps.to_vec();
        let scan: Scan = Arc::new(move |rows, low, high| answer(&steps, rows, low, high));
        Some(scan)
    }));
    mistakes
}

fn numbers(rows: &BTreeSet<[u8; 4]>, from: i32, to: Bound<[u8; 4]>) -> Vec<i32> {
    let range = (Included(key(from)), to);
    rows.range(range).map(|row| number(&[], *row)).collect()
}

/// The key of a number, with one added to its last byte.
fn raised(number: i32, add: fn(u8, u8) -> u8) -> [u8; 4] {
    let mut end = key(number);
    end[3] = add(end[3], 1);
    end
}

/// The numbers from one on and before a key; none if that comes first.
fn up_to(rows: &BTreeSet<[u8; 4]>, from: i32, end: [u8; 4]) -> Vec<i32> {
    if key(from) > end {
        return Vec::new();
    }
    numbers(rows, from, Excluded(end))
}

/// Ends that are neither taken nor left out.
fn wrong_ends() -> Vec<Mistake<Scan>> {
    let in_scan = |name, check, scan: fn(&BTreeSet<[u8; 4]>, i32, i32) -> Vec<i32>| {
        Mistake::new(name, "scan", check, Arc::new(scan) as Scan)
    };
    vec![
        in_scan("no_upper_end", "range", |rows, low, _| numbers(rows, low, Unbounded))
        .says("a range that runs to the last row")
        .why("The start is right. Nothing stops the scan after the row of `high`.")
        .link(RANGE),
        in_scan("no_lower_end", "range", |rows, _, high| {
            rows.range(..=key(high)).map(|row| number(&[], *row)).collect()
        })
        .says("all rows up to `high`, whatever `low` is")
        .why("A range has two ends. Nothing keeps out what comes before the row of `low`.")
        .link(RANGE),
        in_scan("one_end_is_enough", "range", |rows, low, high| {
            let numbers = rows.iter().map(|row| number(&[], *row));
            numbers.filter(|n| *n >= low || *n <= high).collect()
        })
        .says("a filter that takes a number for one of the two ends: `||` in place of `&&`")
        .why("From -1 to 1 every number is either at least -1 or at most 1. It has to be both.")
        .link(RANGE),
        in_scan("no_end_looked_at", "range", |rows, _, _| rows.iter().map(|row| number(&[], *row)).collect())
        .says("the numbers of all rows, whatever `low` and `high` are")
        .why("A range has two ends, and neither is looked at. Rows before `low` and rows after `high` are not wanted, nor is any where `low` is the greater.")
        .link(RANGE),
        in_scan("crossed_bounds_panic_before_the_next_key", "returns", |rows, low, high| {
            numbers(rows, low, high.checked_add(1).map_or(Unbounded, |next| Excluded(key(next))))
        })
        .says("`range` asked with its bounds crossed, and the key of `high + 1` as its end")
        .why(
            "`BTreeSet::range` panics when the start lies after the end. A user may ask for that; the answer is an empty list. Only where `low` is \
             `high + 1` do the two keys meet, and there is no panic.",
        )
        .link(RANGE),
        in_scan("panics_at_the_least_low", "returns", |rows, low, high| {
            if low > high {
                return Vec::new();
            }
            let before = low.checked_sub(1).expect("attempt to subtract with overflow");
            let range = (Excluded(key(before)), Included(key(high)));
            rows.range(range).map(|row| number(&[], *row)).collect()
        })
        .says("the right numbers, and a panic when `low` is i32::MIN")
        .why(
            "If you asked for the rows after that of `low - 1`: i32::MIN has no predecessor. An inclusive bound needs none.",
        )
        .link(RANGE),
        in_scan("least_number_lost", "range", |rows, low, high| {
            if low > high {
                return Vec::new();
            }
            let range = (Excluded(key(low.saturating_sub(1))), Included(key(high)));
            rows.range(range).map(|row| number(&[], *row)).collect()
        })
        .says("the right numbers without i32::MIN")
        .why(
            "If you asked for the rows after that of `low.saturating_sub(1)`: when `low` is i32::MIN, the difference stays where it is, and the \
             row of i32::MIN is left out. An inclusive bound needs no difference.",
        )
        .link(RANGE),
        in_scan("end_raised_in_its_last_byte", "range", |rows, low, high| {
            up_to(rows, low, raised(high, u8::wrapping_add))
        })
        .or(Arc::new(|rows: &BTreeSet<[u8; 4]>, low, high| {
            up_to(rows, low, raised(high, u8::saturating_add))
        }))
        .says("a range up to the key of `high` with its last byte raised by one")
        .why(
            "ff is the greatest byte. Where the key of `high` ends in it, as that of -1 does, there is no room in this byte for one more: \
             a carry belongs into the byte before. An inclusive bound needs no greater key: `..=`.",
        )
        .link(RANGE),
        in_scan("bounds_looked_up_and_unwrapped", "returns", |rows, low, high| {
            let sorted: Vec<i32> = rows.iter().map(|row| number(&[], *row)).collect();
            let place = |bound: i32| sorted.iter().position(|n| *n == bound).unwrap();
            sorted[place(low)..=place(high)].to_vec()
        })
        .or(Arc::new(|rows: &BTreeSet<[u8; 4]>, low, high| {
            if low > high {
                return Vec::new();
            }
            let sorted: Vec<i32> = rows.iter().map(|row| number(&[], *row)).collect();
            let place = |bound: i32| sorted.iter().position(|n| *n == bound).unwrap();
            sorted[place(low)..=place(high)].to_vec()
        }))
        .says("a search for the two bounds among the rows, and a panic where one of them is none")
        .why(
            "There may be no row at a bound, so the search may find nothing, and `unwrap` panics. Look for the first row that is not less: \
             `partition_point` finds its place, and `range` needs no row at its bounds. A slice \
             that ends before it starts is a panic as well.",
        )
        .link(RANGE),
        in_scan("guard_turned_round", "returns", |rows, low, high| {
            if low < high {
                return Vec::new();
            }
            numbers(rows, low, Included(key(high)))
        })
        .or(Arc::new(|rows: &BTreeSet<[u8; 4]>, low, high| {
            if low <= high {
                return Vec::new();
            }
            numbers(rows, low, Included(key(high)))
        }))
        .says("no numbers where `low` is less than `high`, and `range` where it is greater, which panics there")
        .why(
            "That guard is the wrong way round: between bounds in order there may be numbers, and it is the others that `range` refuses. \
             Return where `low` is greater than `high`.",
        )
        .link(RANGE),
        in_scan("crossed_bounds_cut_a_slice", "returns", |rows, low, high| {
            let sorted: Vec<i32> = rows.iter().map(|row| number(&[], *row)).collect();
            let start = sorted.partition_point(|n| *n < low);
            sorted[start..sorted.partition_point(|n| *n <= high)].to_vec()
        })
        .says("a slice of the sorted numbers, from the place of `low` to that of `high`, also where these are crossed")
        .why("A slice that ends before it starts is a panic and not an empty list. If `low` is greater than `high`, there are no numbers: say so first.")
        .link(RANGE),
        in_scan("nothing_up_to_the_greatest", "range", |rows, low, high| {
            if low > high || high == i32::MAX {
                return Vec::new();
            }
            numbers(rows, low, Included(key(high)))
        })
        .says("no rows when `high` is i32::MAX")
        .why("i32::MAX has no successor, and still a range may end with it. An inclusive bound needs no successor: `..=`.")
        .link(RANGE),
        in_scan("all_rows_up_to_the_greatest", "range", |rows, low, high| {
            if low > high {
                return Vec::new();
            }
            numbers(rows, if high == i32::MAX { i32::MIN } else { low }, Included(key(high)))
        })
        .says("all rows when `high` is i32::MAX")
        .why("Nothing lies above i32::MAX, so the range needs no end there. It has a beginning still: `key(low)..`.")
        .link(RANGE),
        in_scan("width_panics", "returns", |rows, low, high| {
            let width = high.checked_sub(low).and_then(|width| width.checked_add(1));
            assert!(width.is_some(), "attempt to subtract with overflow");
            if low > high {
                return Vec::new();
            }
            numbers(rows, low, Included(key(high)))
        })
        .says("the right numbers, and a panic where `high - low + 1` does not fit")
        .why(
            "From i32::MIN to i32::MAX are 2^32 numbers, and an `i32` counts up to 2^31 - 1. A range needs its two ends and not its width.",
        )
        .link(RANGE),
        in_scan("rows_read_one_too_great", "range", |rows, low, high| {
            if low > high {
                return Vec::new();
            }
            let found = numbers(rows, low, Included(key(high)));
            found.into_iter().map(|n| n.wrapping_add(1)).collect()
        })
        .says("the right rows, and each of their numbers greater by one")
        .why(
            "If you subtracted i32::MAX: the key of 0 is 2^31, and i32::MAX is one less. Flip the sign bit back, as `key` has flipped it.",
        )
        .link(REPAIRS),
        in_scan("panics_on_rows_from_zero_on", "returns", |rows, low, high| {
            if low > high {
                return Vec::new();
            }
            let sum = |row: &[u8; 4]| i32::from_be_bytes(*row).checked_add(i32::MIN);
            let sum = |row| sum(row).expect("attempt to add with overflow");
            rows.range(key(low)..=key(high)).map(sum).collect()
        })
        .says("the right numbers, and a panic where one of them is not negative")
        .why(
            "If you added i32::MIN by `+`: read as an `i32`, the row of such a number is negative, for its first bit is set, and the sum of \
             two negative numbers does not fit here. `wrapping_add`, or a flip of the sign bit, gives the number back.",
        )
        .link(REPAIRS),
        in_scan("rows_compared_with_plain_bounds", "range", |rows, low, high| {
            let (low, high) = (low.to_be_bytes(), high.to_be_bytes());
            let inside = rows.iter().filter(|row| low <= **row && **row <= high);
            inside.map(|row| number(&[], *row)).collect()
        })
        .says("a comparison of rows with bounds whose sign bit is not flipped")
        .why(
            "The rows are keys with a flipped sign bit, and a bound is compared with keys. A bound has to be made the way \
             the keys were: `key(low)`, not `low.to_be_bytes()`.",
        )
        .link(REPAIRS),
        in_scan("rows_taken_for_plain_numbers", "range", |rows, low, high| {
            let (low, high) = (low.to_be_bytes(), high.to_be_bytes());
            let inside = rows.iter().filter(|row| low <= **row && **row <= high);
            inside.map(|row| i32::from_be_bytes(*row)).collect()
        })
        .says("a scan for plain bounds that reads plain numbers, as if no sign bit had been flipped")
        .why(
            "`key` made these rows, and it flips the sign bit. So it has to make the bounds as well, and in each row that is found the \
             bit has to be flipped back.",
        )
        .link(REPAIRS),
        in_scan("rows_read_without_flipping", "range", |rows, low, high| {
            let numbers = rows.iter().map(|row| i32::from_be_bytes(*row));
            numbers.filter(|n| (low..=high).contains(n)).collect()
        })
        .says("a comparison of rows that are read without flipping the sign bit back")
        .why("What `key` flips has to be flipped back before a row is a number: that of 0 reads as i32::MIN.")
        .link(REPAIRS),
        in_scan("panics_on_rows_below_zero", "returns", |rows, low, high| {
            let difference = |row: &[u8; 4]| {
                let difference = u32::from_be_bytes(*row).checked_sub(1 << 31);
                difference.expect("attempt to subtract with overflow").cast_signed()
            };
            if low > high {
                return Vec::new();
            }
            rows.range(key(low)..=key(high)).map(difference).collect()
        })
        .says("the right numbers, and a panic where one of them is negative")
        .why(
            "If you subtracted 2^31 by `-`: the row of a negative number is less than that, so as a `u32` there is no difference. \
             `wrapping_sub`, or a flip of the sign bit, gives the number back.",
        )
        .link(REPAIRS),
        in_scan("high_plus_one_saturated", "range", |rows, low, high| {
            if low > high {
                return Vec::new();
            }
            let end = key(high.saturating_add(1));
            numbers(rows, low, Excluded(end))
        })
        .says("the range up to, but without, `high.saturating_add(1)`")
        .why(
            "When `high` is i32::MAX, the sum stays where it is, and the row of i32::MAX is left out. An \
             inclusive bound needs no sum.",
        )
        .link(RANGE),
        in_scan("high_plus_one_wrapped", "returns", |rows, low, high| {
            if low > high {
                return Vec::new();
            }
            let end = key(high.wrapping_add(1));
            numbers(rows, low, Excluded(end))
        })
        .says("the range up to, but without, `high.wrapping_add(1)`")
        .why(
            "When `high` is i32::MAX, the sum wraps round to i32::MIN. The end then comes before the start, \
             and `range` panics. An inclusive bound needs no sum.",
        )
        .link(RANGE),
    ]
}

/// Rows that are walked, or a range in pieces.
fn row_by_row() -> Vec<Mistake<Scan>> {
    let in_scan = |name, check, scan: fn(&BTreeSet<[u8; 4]>, i32, i32) -> Vec<i32>| {
        Mistake::new(name, "scan", check, Arc::new(scan) as Scan)
    };
    vec![
        in_scan("high_plus_one_for_each_row", "returns", |rows, low, high| {
            let end = || high.checked_add(1).expect("attempt to add with overflow");
            let numbers = rows.iter().map(|row| number(&[], *row));
            numbers.filter(|n| (low..end()).contains(n)).collect()
        })
        .says("a filter that asks for less than `high + 1`")
        .why("That works until `high` is i32::MAX, which has no successor. `low..=high` needs none.")
        .link(RANGE),
        in_scan("crossed_bounds_refused", "returns", |rows, low, high| {
            assert!(low <= high, "low is greater than high");
            numbers(rows, low, Included(key(high)))
        })
        .says("the right numbers, and a panic for every range with crossed bounds, whatever the rows are")
        .why("A user may ask for that. It is a question like any other, and the answer is an empty list.")
        .link(RANGE),
        in_scan("stops_before_the_range", "range", |rows, low, high| {
            let numbers = rows.iter().map(|row| number(&[], *row));
            numbers.take_while(|n| (low..=high).contains(n)).collect()
        })
        .says("a walk from the first row that stops at the first number outside of the range")
        .why(
            "`take_while` stops for good: if the first row is below `low`, nothing is found. Skip the rows before `low` first, or \
             `filter` all of them. A store begins at `low`, by `range`.",
        )
        .link(RANGE),
        in_scan("low_must_exist", "range", |rows, low, high| {
            let numbers = rows.iter().map(|row| number(&[], *row));
            let up_to_high = numbers.take_while(|n| *n <= high);
            up_to_high.skip_while(|n| *n != low).collect()
        })
        .says("a walk that begins at the row of `low` itself, and finds nothing without it")
        .why("`low` need not be in a row. Skip the rows that are less, `*n < low`, and not those that are another number.")
        .link(RANGE),
        in_scan("high_must_exist", "range", |rows, low, high| {
            if low > high {
                return Vec::new();
            }
            let numbers = rows.iter().map(|row| number(&[], *row));
            let mut found: Vec<i32> = numbers.skip_while(|n| *n < low).collect();
            if let Some(last) = found.iter().position(|n| *n == high) {
                found.truncate(last + 1);
            }
            found
        })
        .says("a walk that ends with the row of `high` itself, and without it never")
        .why("`high` need not be in a row. Stop at the first row that is greater, `*n > high`, and do not wait for the one that is equal.")
        .link(RANGE),
        in_scan("crossed_bounds_backwards", "range", |rows, low, high| {
            if low > high {
                let backwards = numbers(rows, high, Included(key(low)));
                return backwards.into_iter().rev().collect();
            }
            numbers(rows, low, Included(key(high)))
        })
        .says("the numbers from `low` down to `high` where the bounds are crossed")
        .why("Some commands read a range backwards when its bounds are crossed. Here `low > high` asks for numbers that are at least 1 and at most -1: there are none.")
        .link(RANGE),
        in_scan("numbers_compared_as_unsigned", "range", |rows, low, high| {
            let numbers = rows.iter().map(|row| number(&[], *row));
            let inside = |n: &i32| {
                let bits = n.cast_unsigned();
                low.cast_unsigned() <= bits && bits <= high.cast_unsigned()
            };
            numbers.filter(inside).collect()
        })
        .says("a filter that compares numbers as `u32`")
        .why(
            "As an unsigned number -1 is the greatest of all. Within one sign that does no harm; from -1 to 1 it finds nothing, and \
             from 1 to -1 it finds what nobody asked for. Compare the numbers as `i32`.",
        )
        .link(REPAIRS),
        in_scan("numbers_compared_as_f32", "range", |rows, low, high| {
            #[expect(clippy::cast_precision_loss, reason = "this is the mistake")]
            let inside = |n: &i32| (low as f32..=high as f32).contains(&(*n as f32));
            let numbers = rows.iter().map(|row| number(&[], *row));
            numbers.filter(inside).collect()
        })
        .says("a filter that compares numbers as `f32`")
        .why(
            "An `f32` holds 24 binary digits. From 2^24 on neighbours become one number, so from 16777217 to itself 16777216 is \
             found too. Compare the numbers as `i32`.",
        )
        .link(RANGE),
        in_scan("sorted_by_differences", "range", |rows, low, high| {
            let mut found: Vec<i32> = rows.iter().map(|row| number(&[], *row)).collect();
            found.retain(|n| (low..=high).contains(n));
            found.sort_by(|a, b| a.wrapping_sub(*b).cmp(&0));
            found
        })
        .says("sorting by the sign of a difference")
        .why(
            "Two numbers may be further apart than an `i32` can say: i32::MIN less i32::MAX wraps round to 1, \
             and the smaller one comes last. `a.cmp(b)` compares without a difference. And the rows come in \
             order already.",
        )
        .link(REPAIRS),
        in_scan("numbers_compared_as_text", "range", |rows, low, high| {
            let inside = |n: &i32| (low.to_string()..=high.to_string()).contains(&n.to_string());
            let numbers = rows.iter().map(|row| number(&[], *row));
            numbers.filter(inside).collect()
        })
        .or(Arc::new(|rows: &BTreeSet<[u8; 4]>, low, high| {
            let digits = |n: i32| format!("{n:011}");
            let inside = |n: &i32| (digits(low)..=digits(high)).contains(&digits(*n));
            let numbers = rows.iter().map(|row| number(&[], *row));
            numbers.filter(inside).collect()
        }))
        .says("a filter that compares numbers as decimal text")
        .why(
            "Text is compared from the left, sign by sign. A `-` comes before all digits, but -1 comes before -2 there. Compare the numbers as `i32`.",
        )
        .link(RANGE),
        in_scan("zero_found_twice", "range", |rows, low, high| {
            if low > high {
                return Vec::new();
            }
            if low >= 0 || high < 0 {
                return numbers(rows, low, Included(key(high)));
            }
            let below = numbers(rows, low, Included(key(0)));
            [below, numbers(rows, 0, Included(key(high)))].concat()
        })
        .says("a range in two pieces that both hold zero")
        .why("The keys are in number order, also across zero: one range is enough. Of two, only one may include 0.")
        .link(REPAIRS),
    ]
}

//! What goes wrong with a range over signed numbers.

use std::collections::BTreeSet;
use std::sync::Arc;

use kit::{Mistake, Quirk, compose};

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
    LargestFirst,
    CrossedBoundsPanic,
    CrossedBoundsSwapped,
    HighPlusOne,
    NegativesLast,
    NegativesForgotten,
}
use Step::{
    CrossedBoundsPanic, CrossedBoundsSwapped, HighExcluded, HighPlusOne, LargestFirst,
    LittleEndianBounds, LowExcluded, NegativesForgotten, NegativesLast, NumbersNotFlippedBack,
    PlainBounds,
};

const fn quirk(
    id: Step,
    name: &'static str,
    says: &'static str,
    why: &'static str,
    link: &'static str,
) -> Quirk<Step> {
    Quirk {
        id,
        name,
        check: "range",
        says,
        why,
        link,
    }
}

const QUIRKS: [Quirk<Step>; 11] = [
    quirk(
        HighExcluded,
        "high_excluded",
        "a range that leaves out its upper end",
        "`a..b` ends before `b`. The task includes it: `a..=b`.",
        RANGE,
    ),
    quirk(
        LowExcluded,
        "low_excluded",
        "a range that leaves out its lower end",
        "The row at `low` belongs to the range. An exclusive lower bound is what `ZRANGEBYSCORE k (low high` asks for.",
        RANGE,
    ),
    quirk(
        PlainBounds,
        "bounds_not_flipped",
        "bounds whose sign bit is not flipped",
        "The rows are keys with a flipped sign bit, and a bound is compared with keys. A bound has to be \
         made the way the keys were: `key(low)`, not `low.to_be_bytes()`.",
        REPAIRS,
    ),
    quirk(
        LittleEndianBounds,
        "bounds_in_little_endian",
        "bounds with the lowest byte first",
        "A bound is compared with keys byte by byte from the front, so it needs the keys' own byte order.",
        BYTES,
    ),
    quirk(
        NumbersNotFlippedBack,
        "numbers_not_flipped_back",
        "the right rows, read without flipping the sign bit back",
        "The range is right, and its numbers are not: what `key` flips has to be flipped back.",
        REPAIRS,
    ),
    quirk(
        LargestFirst,
        "largest_first",
        "the right numbers, the largest first",
        "The rows come in ascending order by themselves. `rev()` is for ZREVRANGEBYSCORE.",
        RANGE,
    ),
    Quirk {
        id: CrossedBoundsPanic,
        name: "crossed_bounds_panic",
        check: "returns",
        says: "`range` asked with its bounds crossed",
        why: "`BTreeSet::range` panics when the start lies behind the end. A user may ask for that; the \
              answer is an empty list.",
        link: RANGE,
    },
    quirk(
        CrossedBoundsSwapped,
        "crossed_bounds_swapped",
        "crossed bounds that are put in order first",
        "From 1 to -1 there is nothing. Exchanging the bounds answers a question that nobody asked.",
        RANGE,
    ),
    Quirk {
        id: HighPlusOne,
        name: "high_plus_one",
        check: "returns",
        says: "the range up to `high + 1`",
        why: "That works until `high` is i32::MAX, which has no successor. An inclusive bound needs none.",
        link: RANGE,
    },
    quirk(
        NegativesLast,
        "negatives_last",
        "the non-negative numbers first and the negative ones behind them",
        "This is the order of plain two's complement bytes. The keys here are already in number order: \
         one scan is enough.",
        REPAIRS,
    ),
    quirk(
        NegativesForgotten,
        "negatives_forgotten",
        "a range that never goes below zero",
        "A score may be negative. Casting `low` to an unsigned number, or starting at 0, loses that half.",
        RANGE,
    ),
];

fn answer(steps: &[Step], rows: &BTreeSet<[u8; 4]>, low: i32, high: i32) -> Vec<i32> {
    let has = |step| steps.contains(&step);
    let (mut low, mut high) = (low, high);
    if low > high {
        if has(CrossedBoundsSwapped) {
            (low, high) = (high, low);
        } else {
            assert!(
                !has(CrossedBoundsPanic),
                "range start is greater than range end"
            );
            return Vec::new();
        }
    }
    if has(HighPlusOne) {
        assert!(high < i32::MAX, "attempt to add with overflow");
    }
    if has(NegativesForgotten) {
        low = low.max(0);
    }
    let bound = |number: i32| {
        if has(PlainBounds) {
            number.to_be_bytes()
        } else if has(LittleEndianBounds) {
            let mut bytes = key(number);
            bytes.reverse();
            bytes
        } else {
            key(number)
        }
    };
    let (from, to) = (bound(low), bound(high));
    let mut numbers: Vec<i32> = rows
        .iter()
        .filter(|row| **row >= from && **row <= to)
        .filter(|row| !(has(HighExcluded) && **row == to || has(LowExcluded) && **row == from))
        .map(|row| {
            let bits = u32::from_be_bytes(*row);
            let flip = if has(NumbersNotFlippedBack) {
                0
            } else {
                1 << 31
            };
            (bits ^ flip).cast_signed()
        })
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
    compose("scan", &QUIRKS, |steps| {
        let excluded = [
            [PlainBounds, LittleEndianBounds],
            [CrossedBoundsPanic, CrossedBoundsSwapped],
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
    })
}

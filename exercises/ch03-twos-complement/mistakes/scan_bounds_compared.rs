//! What goes wrong when one bound alone is made in another way than the keys, or when something else than the numbers is compared.

use std::collections::BTreeSet;
use std::sync::Arc;

use kit::Mistake;

use crate::scan_bounds::Scan;
use crate::solutions::scan_bounds::key;

const RANGE: &str = "a-range-of-scores";
const REPAIRS: &str = "two-repairs";
const BYTES: &str = "where-the-bytes-come-from";
const TASK: &str = "scan-bounds";

type Rows = BTreeSet<[u8; 4]>;

/// All of them.
pub(super) fn all() -> Vec<Mistake<Scan>> {
    let mut mistakes = one_bound();
    mistakes.extend(other_numbers());
    mistakes.extend(other_lists());
    mistakes
}

fn number(row: [u8; 4]) -> i32 {
    (u32::from_be_bytes(row) ^ 1 << 31).cast_signed()
}

/// The numbers between two bounds, compared one by one, or asked for with and without a look at the numbers first.
fn between(name: &str, [start, end]: [fn(i32) -> [u8; 4]; 2]) -> Mistake<Scan> {
    let asked = move |rows: &Rows, low: i32, high: i32| -> Vec<i32> {
        rows.range(start(low)..=end(high))
            .map(|row| number(*row))
            .collect()
    };
    let walked: Scan = Arc::new(move |rows: &Rows, low, high| {
        let bounds = start(low)..=end(high);
        let found = rows.iter().filter(|row| bounds.contains(*row));
        found.map(|row| number(*row)).collect()
    });
    let guarded = move |rows: &Rows, low, high| {
        if low > high {
            return Vec::new();
        }
        asked(rows, low, high)
    };
    Mistake::<Scan>::new(name, "scan", "range", walked)
        .or(Arc::new(guarded))
        .or(Arc::new(asked))
}

fn one_bound() -> Vec<Mistake<Scan>> {
    fn lowest_first(number: i32) -> [u8; 4] {
        let mut bytes = key(number);
        bytes.reverse();
        bytes
    }
    const BYTE_ORDER: &str = "A bound is compared with keys byte by byte from the front, so both need the keys' own byte order. The other bound is made as the keys are.";
    const SIGN_BIT: &str = "The rows are keys with a flipped sign bit, and both bounds are compared with them: `key(low)` and `key(high)`. One of yours is made like that.";
    vec![
        between("low_in_little_endian", [lowest_first, key])
            .says("a start with the lowest byte first, and the right end")
            .why(BYTE_ORDER)
            .link(BYTES),
        between("high_in_little_endian", [key, lowest_first])
            .says("an end with the lowest byte first, and the right start")
            .why(BYTE_ORDER)
            .link(BYTES),
        between("low_not_flipped", [i32::to_be_bytes, key])
            .says("a start whose sign bit is not flipped, and the right end")
            .why(SIGN_BIT)
            .link(REPAIRS),
        between("high_not_flipped", [key, i32::to_be_bytes])
            .says("an end whose sign bit is not flipped, and the right start")
            .why(SIGN_BIT)
            .link(REPAIRS),
    ]
}

fn mistake(name: &str, scan: fn(&Rows, i32, i32) -> Vec<i32>) -> Mistake<Scan> {
    Mistake::<Scan>::new(name, "scan", "range", Arc::new(scan))
}

/// The numbers from `low` to `high`, all of them compared as `seen` makes them.
fn compared<T: Ord>(rows: &Rows, low: i32, high: i32, seen: impl Fn(i32) -> T) -> Vec<i32> {
    let bounds = seen(low)..=seen(high);
    let numbers = rows.iter().map(|row| number(*row));
    numbers
        .filter(|number| bounds.contains(&seen(*number)))
        .collect()
}

#[expect(clippy::cast_possible_truncation, reason = "these are the mistakes")]
fn other_numbers() -> Vec<Mistake<Scan>> {
    vec![
        mistake("compared_by_distance_from_zero", |rows, low, high| {
            compared(rows, low, high, i32::unsigned_abs)
        })
        .says("a comparison of numbers without their signs")
        .why(
            "-2 is less than -1, though it is farther from zero. `abs` throws away the very bit that the keys are made for.",
        )
        .link(RANGE),
        mistake("compared_in_16_bits", |rows, low, high| {
            compared(rows, low, high, |number| number as i16)
        })
        .or(Arc::new(|rows: &Rows, low, high| {
            compared(rows, low, high, |number| number as u16)
        }))
        .says("a comparison of the last 16 bits of numbers and bounds")
        .why(
            "A cast to 16 bits drops the upper half without a word: 65536 becomes 0. All 32 bits count.",
        )
        .link(RANGE),
        mistake("bounds_cut_to_16_bits", |rows, low, high| {
            let bounds = i32::from(low as i16)..=i32::from(high as i16);
            let numbers = rows.iter().map(|row| number(*row));
            numbers.filter(|number| bounds.contains(number)).collect()
        })
        .says("bounds cut to 16 bits")
        .why("`as i16` drops the upper half without a word: 65536 becomes 0, and `i32::MAX` becomes -1. A bound has 32 bits, as the numbers have.")
        .link(RANGE),
    ]
}

fn other_lists() -> Vec<Mistake<Scan>> {
    fn right(rows: &Rows, low: i32, high: i32) -> Vec<i32> {
        compared(rows, low, high, |number| number)
    }
    vec![
        mistake("negatives_backwards", |rows, low, high| {
            let mut numbers = right(rows, low, high);
            let negative = numbers.partition_point(|number| *number < 0);
            numbers[..negative].reverse();
            numbers
        })
        .says("the right numbers, and the negative ones among them from -1 downwards")
        .why(
            "-2 is less than -1, so it comes first. The rows are in that order already: nothing is to be turned round.",
        )
        .link(TASK),
        mistake("sorted_as_text", |rows, low, high| {
            let mut numbers = right(rows, low, high);
            numbers.sort_by_key(i32::to_string);
            numbers
        })
        .says("the right numbers in the order of their decimal text")
        .why("As text `10` comes before `2`, and `-1` before `-2`. The rows are in the order of the numbers already: nothing is to be sorted.")
        .link(TASK),
        mistake("signs_lost", |rows, low, high| {
            right(rows, low, high)
                .into_iter()
                .map(i32::wrapping_abs)
                .collect()
        })
        .says("the right numbers without their signs")
        .why("A row of -1 is the number -1. Flipping the sign bit back gives it, sign and all.")
        .link(TASK),
        mistake("zero_left_out", |rows, low, high| {
            let mut numbers = right(rows, low, high);
            numbers.retain(|number| *number != 0);
            numbers
        })
        .says("the right numbers but 0")
        .why("0 is a number like any other, neither below nor above zero. A test by `< 0` here and by `> 0` there leaves it out.")
        .link(TASK),
    ]
}

//! Cells as ranges of numbers, and the smallest cell of two numbers.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use kit::values::bit_by_bit;
use kit::{Answer, Cast, Exercise, Judged, PartOf, check};

use crate::{mistakes, solutions, stubs};
use ch09_two_dimensions::cell_range as learner;

/// Somebody's two functions.
#[derive(Clone)]
pub(crate) struct Cells {
    pub(crate) range: Arc<dyn Fn(u64, u32) -> Range<u64> + Send + Sync>,
    pub(crate) common: Arc<dyn Fn(u64, u64) -> (u64, u32) + Send + Sync>,
}

impl Cells {
    pub(crate) fn new(
        range: impl Fn(u64, u32) -> Range<u64> + Send + Sync + 'static,
        common: impl Fn(u64, u64) -> (u64, u32) + Send + Sync + 'static,
    ) -> Self {
        Self {
            range: Arc::new(range),
            common: Arc::new(common),
        }
    }
}

/// Cells, the largest ones first: prefix and cuts.
const CELLS: [(u64, u32); 26] = [
    (0b00, 1),
    (0b01, 1),
    (0b10, 1),
    (0b11, 1),
    (0, 0),
    (0b0011, 2),
    (0b0100, 2),
    (0b0111, 2),
    (0b1101, 2),
    (0b1111, 2),
    (0b00_0000, 3),
    (0b01_1111, 3),
    (0b10_1010, 3),
    (0b11_0000, 3),
    (0b11_0001_0000, 5),
    (0b1101_0000_0100, 6),
    (0b0111_1010_1111, 6),
    ((1 << 24) - 1, 12),
    (1 << 25, 13),
    ((1 << 26) - 1, 13),
    (0x1_2345_6789, 20),
    ((1 << 50) - 1, 25),
    (0, 26),
    (5, 26),
    (3_479_099_956_230_698, 26),
    ((1 << 52) - 1, 26),
];

/// Numbers of places, taken in pairs.
const NUMBERS: [u64; 16] = [
    5,
    4,
    6,
    0,
    0b0110 << 48,
    0b0111 << 48,
    0b1001 << 48,
    0b0111 << 48 | 1,
    (1 << 50) - 1,
    1 << 50,
    (1 << 51) - 1,
    1 << 51,
    (1 << 52) - 1,
    3_479_099_956_230_698,
    3_479_447_370_796_909,
    3_663_832_801_828_718,
];

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(Cells::new(
        learner::cell_range,
        learner::common_cell,
    )))
}

/// The exercise with anybody's code in the learner's place.
pub(crate) fn exercise_of(learner: Cells) -> Exercise<Cells> {
    use solutions::cell_range::{cell_range, common_cell};
    let cast = Cast {
        learner,
        stub: Cells::new(
            stubs::cell_range::cell_range,
            stubs::cell_range::common_cell,
        ),
        solution: Cells::new(cell_range, common_cell),
    };
    let mut ranges = PartOf::new("cell_range", "range");
    for (prefix, cuts) in all_cells() {
        let call = format!("cell_range({}, {cuts})", binary(prefix, 2 * cuts));
        ranges = ranges.probe(
            call.clone(),
            Answer::text(call),
            &of_cell(prefix, cuts),
            move |c: &Cells| {
                let range = (c.range)(prefix, cuts);
                Answer::text(format!("{}..{}", shifted(range.start), shifted(range.end)))
            },
        );
    }
    let mut cells = PartOf::new("common_cell", "cell");
    for (a, b) in pairs() {
        let call = format!("common_cell({}, {})", shifted(a), shifted(b));
        cells = cells.probe(
            call.clone(),
            Answer::text(call),
            &of_pair(a, b),
            move |c: &Cells| {
                let (prefix, cuts) = (c.common)(a, b);
                let cut = if cuts == 1 { "cut" } else { "cuts" };
                Answer::text(format!(
                    "prefix {}, {cuts} {cut}",
                    binary(prefix, 2 * cuts.min(26))
                ))
            },
        );
    }
    Exercise::new("cell-range", "09-two-dimensions", cast)
        .part(ranges)
        .part(cells)
        .check(check::answers(
            "cell_range",
            "range",
            "A number lies in the range exactly when it begins with the prefix.",
        ))
        .check(check::answers(
            "common_cell",
            "common",
            "Both numbers begin with the prefix, and no longer prefix of whole cuts is common to them.",
        ))
        .mistakes(mistakes::cell_range::all())
}

/// The plainest cells, and of every count of cuts the first one, the last one and one in the middle.
fn all_cells() -> Vec<(u64, u32)> {
    let mut all = CELLS.to_vec();
    for cuts in 0..=26 {
        let last = (1 << (2 * cuts)) - 1;
        let more = [0, last / 3, last].map(|prefix| (prefix, cuts));
        all.extend(more.into_iter().filter(|cell| !CELLS.contains(cell)));
    }
    let places = bit_by_bit((1 << 52) - 1).into_iter();
    all.extend(places.map(|place| (place, 26)));
    let mut seen = HashSet::new();
    all.retain(|cell| seen.insert(*cell));
    all
}

/// The plainest numbers with each other, and one with those that differ from it first in each of its bits.
fn pairs() -> Vec<(u64, u64)> {
    let [.., place] = NUMBERS;
    let mut all = Vec::new();
    for (n, &a) in NUMBERS.iter().enumerate() {
        for &b in &NUMBERS[..n] {
            all.extend([(b, a), (a, b)]);
        }
        all.push((a, a));
    }
    for bit in 0..52 {
        let other = place ^ 1 << bit;
        all.extend([(place, other), (other, place)]);
    }
    all
}

/// A prefix with all its bits, if they can be counted at a glance.
fn binary(prefix: u64, bits: u32) -> String {
    if bits == 0 || bits > 12 {
        return shifted(prefix);
    }
    format!("0b{prefix:0width$b}", width = bits as usize)
}

/// A number, as a shift if it has many zeros at its end.
fn shifted(number: u64) -> String {
    let zeros = number.trailing_zeros();
    if number > 4096 && zeros >= 12 {
        format!("{} << {zeros}", number >> zeros)
    } else {
        number.to_string()
    }
}

fn of_cell(prefix: u64, cuts: u32) -> Vec<&'static str> {
    let mut classes = vec![match cuts {
        0 => "cells without a cut",
        26 => "smallest cells",
        _ => "cells of 1 to 25 cuts",
    }];
    if cuts > 0 && prefix + 1 == 1 << (2 * cuts) {
        classes.push("cells at the end of the curve");
    }
    if prefix % 2 == 1 {
        classes.push("prefixes that end in 1");
    }
    classes
}

fn of_pair(a: u64, b: u64) -> Vec<&'static str> {
    let shared = (a ^ b).leading_zeros() - 12;
    vec![match shared {
        52 => "equal numbers",
        0 | 1 => "numbers that share no cell but the map",
        _ if shared % 2 == 1 => "numbers that share an odd count of bits",
        _ => "numbers that share an even count of bits",
    }]
}

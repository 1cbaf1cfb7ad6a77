//! What goes wrong with the ranges of a rectangle.

use std::ops::RangeInclusive;
use std::sync::Arc;

use kit::{Mistake, Quirk, compose};

use crate::box_ranges::Ranges;
use crate::solutions::box_ranges::box_ranges;
use crate::stubs::box_ranges::interleave;

const TASK: &str = "box-ranges";
const RANGES: &str = "a-rectangle-becomes-ranges";
const BITS: &str = "interleaving";
const CELL: &str = "a-cell-is-a-prefix";

type Span = RangeInclusive<u32>;
type List = Vec<RangeInclusive<u64>>;

/// Steps that can be wrong independently of each other.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    // What is searched.
    UpperEdgesLeftOut,
    AxesExchanged,
    BackwardsPanics,
    BackwardsSwapped,
    // What is returned.
    Unmerged,
    EndsExcluded,
    GreatestFirst,
    GapOfOneFilled,
    FirstAlone,
}
use Step::{
    AxesExchanged, BackwardsPanics, BackwardsSwapped, EndsExcluded, FirstAlone, GapOfOneFilled,
    GreatestFirst, Unmerged, UpperEdgesLeftOut,
};

const APART: [&[Step]; 2] = [
    &[BackwardsPanics, BackwardsSwapped],
    &[
        Unmerged,
        EndsExcluded,
        GreatestFirst,
        GapOfOneFilled,
        FirstAlone,
    ],
];

/// The ranges of single cells of two by two points and of single points: never put together.
fn unmerged(range: RangeInclusive<u64>) -> List {
    let (mut start, end) = range.into_inner();
    let mut parts = Vec::new();
    loop {
        // The largest aligned cell that begins here and does not reach too far.
        let mut size = 1_u64;
        while start.is_multiple_of(size << 2) && size < 1 << 60 && start + ((size << 2) - 1) <= end
        {
            size <<= 2;
        }
        let last = start + (size - 1);
        parts.push(start..=last);
        if last >= end {
            return parts;
        }
        start = last + 1;
    }
}

/// Cuts a rectangle along the greatest border until each part is one range.
fn parts(x: Span, y: Span, list: &mut List) {
    let first = interleave(*x.start(), *y.start());
    let last = interleave(*x.end(), *y.end());
    let length = |span: &Span| u128::from(span.end() - span.start()) + 1;
    if u128::from(last - first) + 1 == length(&x) * length(&y) {
        list.push(first..=last);
        return;
    }
    let bit = (first ^ last).ilog2();
    let border = |span: &Span| span.end() & (u32::MAX << (bit / 2));
    if bit % 2 == 1 {
        let east = border(&x);
        parts(*x.start()..=east - 1, y.clone(), list);
        parts(east..=*x.end(), y, list);
    } else {
        let north = border(&y);
        parts(x.clone(), *y.start()..=north - 1, list);
        parts(x, north..=*y.end(), list);
    }
}

/// A span without its last column or row.
fn shortened(span: &Span) -> Span {
    match span.end().checked_sub(1) {
        Some(end) => *span.start()..=end,
        None => RangeInclusive::new(1, 0),
    }
}

fn answer(steps: &[Step], x: Span, y: Span) -> List {
    let has = |step| steps.contains(&step);
    let (mut x, mut y) = if has(AxesExchanged) { (y, x) } else { (x, y) };
    if has(UpperEdgesLeftOut) {
        // Of spans that ran backwards before, nothing is left either.
        (x, y) = (shortened(&x), shortened(&y));
    }
    for span in [&mut x, &mut y] {
        if span.is_empty() && !has(UpperEdgesLeftOut) {
            assert!(!has(BackwardsPanics), "attempt to subtract with overflow");
            if has(BackwardsSwapped) {
                *span = *span.end()..=*span.start();
            }
        }
    }
    let mut ranges = box_ranges(x, y);
    if has(Unmerged) {
        ranges = ranges.into_iter().flat_map(unmerged).collect();
    }
    if has(EndsExcluded) {
        ranges = ranges
            .into_iter()
            .map(|r| *r.start()..=r.end().saturating_add(1))
            .collect();
    }
    if has(GreatestFirst) {
        ranges.reverse();
    }
    if has(GapOfOneFilled) {
        let mut filled: List = Vec::new();
        for range in ranges {
            match filled.last_mut() {
                Some(last) if *last.end() + 2 >= *range.start() => {
                    *last = *last.start()..=*range.end();
                }
                _ => filled.push(range),
            }
        }
        return filled;
    }
    if has(FirstAlone) {
        ranges.truncate(1);
    }
    ranges
}

fn with(steps: &[Step]) -> Option<Ranges> {
    let both = |group: &&[Step]| steps.iter().filter(|s| group.contains(s)).count() > 1;
    if APART.iter().any(both) {
        return None;
    }
    let steps = steps.to_vec();
    Some(Arc::new(move |x, y| answer(&steps, x, y)))
}

const fn quirk(
    id: Step,
    name: &'static str,
    says: &'static str,
    why: &'static str,
    link: &'static str,
) -> Quirk<Step> {
    Quirk::of(id, name, "ranges", says, why, link)
}

const QUIRKS: [Quirk<Step>; 9] = [
    quirk(
        UpperEdgesLeftOut,
        "upper_edges_left_out",
        "rectangles without their last column and row",
        "Both edges belong to the rectangle: `x` from 2 to 3 has two columns. `..` leaves the last one out, `..=` does not.",
        TASK,
    ),
    quirk(
        AxesExchanged,
        "axes_exchanged",
        "columns taken for rows",
        "Ask `interleave` for x first, then y. Exchanged, you answer for the rectangle that is mirrored at the diagonal.",
        BITS,
    ),
    Quirk {
        check: "returns",
        ..quirk(
            BackwardsPanics,
            "backwards_panics",
            "a panic for spans that run backwards",
            "A user may ask from 2 to 1, and nothing lies there. Answer an empty list before you calculate.",
            TASK,
        )
    },
    quirk(
        BackwardsSwapped,
        "backwards_swapped",
        "spans that run backwards put in order",
        "From 2 to 1 there is nothing. Exchanging the ends answers a question that nobody asked.",
        TASK,
    ),
    quirk(
        Unmerged,
        "cells_not_joined",
        "a range for each cell",
        "Cells that follow each other on the curve are one range, and one scan instead of several. Join a range to the \
         last one if it begins with the number after its end.",
        RANGES,
    ),
    quirk(
        EndsExcluded,
        "ends_one_too_far",
        "ends one after the last number",
        "`..=` includes its end. One more, and the first stranger after each range comes in.",
        TASK,
    ),
    quirk(
        GreatestFirst,
        "greatest_first",
        "the right ranges, the greatest first",
        "A store is read upwards. Cut off the part with the greater numbers last, or sort at the end.",
        TASK,
    ).says_beside("the ranges with the greatest first"),
    quirk(
        GapOfOneFilled,
        "gap_of_one_filled",
        "ranges that are joined over a gap of one number",
        "To read one stranger is cheaper than another scan, and a real search may do so. Here it is asked that no other point comes \
         in.",
        RANGES,
    ),
    quirk(
        FirstAlone,
        "first_range_alone",
        "the first range alone",
        "The curve leaves the rectangle and comes back. After the first stranger, the search is not over.",
        RANGES,
    ),
];

fn corners(x: &Span, y: &Span) -> Option<RangeInclusive<u64>> {
    let first = interleave(*x.start(), *y.start());
    let full = !x.is_empty() && !y.is_empty();
    full.then(|| first..=interleave(*x.end(), *y.end()))
}

/// Cuts a rectangle as the solution does, but says itself when a part is done.
fn cut(x: Span, y: Span, done: fn(&Span, &Span) -> bool, ranges: &mut List) {
    let Some(range) = corners(&x, &y) else { return };
    let (first, last) = range.clone().into_inner();
    if first == last || done(&x, &y) {
        match ranges.last_mut() {
            Some(before) if *before.end() + 1 == first => *before = *before.start()..=last,
            _ => ranges.push(range),
        }
        return;
    }
    let bit = (first ^ last).ilog2();
    let kept = u32::MAX << (bit / 2);
    if bit % 2 == 1 {
        let middle = x.end() & kept;
        cut(*x.start()..=middle - 1, y.clone(), done, ranges);
        cut(middle..=*x.end(), y, done, ranges);
    } else {
        let middle = y.end() & kept;
        cut(x.clone(), *y.start()..=middle - 1, done, ranges);
        cut(x, middle..=*y.end(), done, ranges);
    }
}

fn size(span: &Span) -> u32 {
    (span.end() - span.start()).saturating_add(1)
}

/// The cells of a map of so many columns and rows, from the whole map down to the rectangle's own ones.
fn quarters(
    corner: [u64; 2],
    side: u64,
    x: &Span,
    y: &Span,
    order: [[u64; 2]; 4],
    list: &mut List,
) {
    let inside = |at: u64, span: &Span| {
        let (start, end) = (u64::from(*span.start()), u64::from(*span.end()));
        (
            at > end || at + side - 1 < start,
            start <= at && at + side - 1 <= end,
        )
    };
    let ((x_out, x_in), (y_out, y_in)) = (inside(corner[0], x), inside(corner[1], y));
    if x_out || y_out || x.is_empty() || y.is_empty() {
        return;
    }
    if x_in && y_in {
        let first = interleave(corner[0] as u32, corner[1] as u32);
        let last = first + (side * side - 1);
        match list.last_mut() {
            Some(before) if *before.end() + 1 == first => *before = *before.start()..=last,
            _ => list.push(first..=last),
        }
        return;
    }
    let half = side / 2;
    for [east, north] in order {
        let corner = [corner[0] + east * half, corner[1] + north * half];
        quarters(corner, half, x, y, order, list);
    }
}

/// One scan for each line of points.
fn lines(count: &Span, range: impl Fn(u32) -> Option<RangeInclusive<u64>>) -> List {
    if count.is_empty() {
        return Vec::new();
    }
    count.clone().filter_map(range).collect()
}

const NOT_SORTED: &str = "The curve jumps between columns and rows, so the numbers do not ascend as you list them, and some that follow \
                          each other do not meet. Sort all numbers first, then join them.";

/// Ranges of numbers in the order in which they come.
fn joined_as_they_come(numbers: impl Iterator<Item = u64>) -> List {
    let mut ranges = List::new();
    for number in numbers {
        match ranges.last_mut() {
            Some(last) if last.end().checked_add(1) == Some(number) => {
                *last = *last.start()..=number;
            }
            _ => ranges.push(number..=number),
        }
    }
    ranges
}

/// All mistakes of this exercise.
pub fn all() -> Vec<Mistake<Ranges>> {
    let mistake = |name, ranges: fn(Span, Span) -> List| {
        Mistake::<Ranges>::new(name, "box_ranges", "ranges", Arc::new(ranges))
    };
    let mut mistakes = vec![
        mistake("last_column_left_out", |x, y| box_ranges(shortened(&x), y))
            .says("rectangles without their last column")
            .why("Both edges belong to the rectangle: `x` from 2 to 3 has two columns. `..` leaves the last one out, `..=` does not.")
            .link(TASK),
        mistake("last_row_left_out", |x, y| box_ranges(x, shortened(&y)))
            .says("rectangles without their last row")
            .why("Both edges belong to the rectangle: `y` from 2 to 3 has two rows. `..` leaves the last one out, `..=` does not.")
            .link(TASK),
        Mistake::<Ranges>::new(
            "ends_one_too_far_panic",
            "box_ranges",
            "returns",
            Arc::new(|x, y| {
                let further = |end: &u64| end.checked_add(1).expect("attempt to add with overflow");
                let ranges = box_ranges(x, y).into_iter();
                ranges.map(|range| *range.start()..=further(range.end())).collect()
            }),
        )
        .says("ends one after the last number, and a panic where that is `u64::MAX`")
        .why("So a half-open range is written, `start..end`. Here a range includes both its ends: `12..=15` has four numbers.")
        .link(TASK),
        mistake("one_range", |x, y| corners(&x, &y).into_iter().collect())
            .says("one range from the lowest corner to the highest")
            .why(
                "All points of the rectangle lie in it, and so do strangers: the curve leaves the rectangle and comes back. In the \
                 middle of a map nearly all that is read is strangers.",
            )
            .link(RANGES),
        mistake("one_range_whatever_is_in_it", |x, y| {
            vec![interleave(*x.start(), *y.start())..=interleave(*x.end(), *y.end())]
        })
        .says("one range from the number of the starts to that of the ends, also where a start lies after its end")
        .why(
            "All points of the rectangle lie in it, and so do strangers: the curve leaves the rectangle and comes back. And where a \
             start lies after its end, there is no point, and no range to return.",
        )
        .link(RANGES),
        mistake("smallest_common_cell", |x, y| {
            let cell = |range: RangeInclusive<u64>| {
                let differing = u64::BITS - (range.start() ^ range.end()).leading_zeros();
                let inside = u64::MAX.checked_shr(64 - 2 * differing.div_ceil(2)).unwrap_or(0);
                range.start() & !inside..=range.end() | inside
            };
            corners(&x, &y).map(cell).into_iter().collect()
        })
        .says("all numbers of the smallest cell that holds the rectangle")
        .why(
            "All points of the rectangle lie in it, and so do strangers: a rectangle across the middle of the map has no smaller cell than the whole map. \
             Cut it at that border, and each part has a smaller one.",
        )
        .link(RANGES),
        mistake("a_range_for_each_row", |x, y| {
            lines(&y, |row| corners(&x, &(row..=row)))
        })
        .says("a range for each row, from its first point to its last")
        .why("The points of a row do not follow each other on the curve: between 0, 0 and 2, 0 lie 0, 1 and others.")
        .link(RANGES),
        mistake("a_range_for_each_column", |x, y| {
            lines(&x, |column| corners(&(column..=column), &y))
        })
        .says("a range for each column, from its first point to its last")
        .why("The points of a column do not follow each other on the curve: between 0, 1 and 0, 2 lie 1, 0 and 1, 1.")
        .link(RANGES),
        mistake("columns_not_sorted", |x, y| {
            let of_column = |x| y.clone().map(move |y| interleave(x, y));
            joined_as_they_come(x.flat_map(of_column))
        })
        .says("the points of one column after the other, joined where two numbers follow each other, and not sorted")
        .why(NOT_SORTED)
        .link(RANGES),
        mistake("rows_not_sorted", |x, y| {
            let of_row = |y| x.clone().map(move |x| interleave(x, y));
            joined_as_they_come(y.flat_map(of_row))
        })
        .says("the points of one row after the other, joined where two numbers follow each other, and not sorted")
        .why(NOT_SORTED)
        .link(RANGES),
        mistake("parts_not_joined", |x, y| {
            let mut list = List::new();
            if !x.is_empty() && !y.is_empty() {
                parts(x, y, &mut list);
            }
            list
        })
        .says("the parts that are left after cutting, not joined")
        .why(
            "Where one part ends and the next begins with the following number, one scan reads both. Join a range to the last \
             one in the list when it begins one after its end.",
        )
        .link(RANGES),
        mistake("cut_once", |x, y| {
            let mut parts = 0;
            let mut ranges = List::new();
            let Some(range) = corners(&x, &y) else { return ranges };
            let (first, last) = range.into_inner();
            if first == last {
                return vec![first..=last];
            }
            let bit = (first ^ last).ilog2();
            let kept = u32::MAX << (bit / 2);
            let halves = if bit % 2 == 1 {
                let middle = x.end() & kept;
                [(*x.start()..=middle - 1, y.clone()), (middle..=*x.end(), y)]
            } else {
                let middle = y.end() & kept;
                [(x.clone(), *y.start()..=middle - 1), (x, middle..=*y.end())]
            };
            for (x, y) in halves {
                parts += 1;
                cut(x, y, |_, _| true, &mut ranges);
            }
            assert_eq!(parts, 2);
            ranges
        })
        .says("a rectangle that is cut once")
        .why(
            "The curve leaves each of the halves too. Cut them in the same way, until a part has no stranger between its corners.",
        )
        .link(RANGES),
        mistake("every_square_a_cell", |x, y| {
            let mut ranges = List::new();
            cut(x, y, |x, y| size(x) == size(y), &mut ranges);
            ranges
        })
        .says("every square taken for a cell")
        .why(
            "A square is one range only if it is one of the cells: its side is a power of two and it begins at a multiple of it. \
             The four points in the middle of a map are a square, and the farthest apart of all.",
        )
        .link(CELL),
        mistake("every_power_of_two_a_cell", |x, y| {
            let mut ranges = List::new();
            let done = |x: &Span, y: &Span| size(x) == size(y) && size(x).is_power_of_two();
            cut(x, y, done, &mut ranges);
            ranges
        })
        .says("every square with a side of 1, 2, 4, 8 ... taken for a cell")
        .why(
            "The side is right, the place may not be. A cell of side 4 begins at a multiple of 4, in both directions.",
        )
        .link(CELL),
        mistake("quarters_row_by_row", |x, y| {
            let mut list = List::new();
            let order = [[0, 0], [1, 0], [0, 1], [1, 1]];
            quarters([0, 0], 1 << 32, &x, &y, order, &mut list);
            list
        })
        .says("the quarters of a cell one row after the other")
        .why(
            "The curve goes north first and then east: x has the higher bit. Take the two western quarters before the two eastern \
             ones, and the ranges ascend by themselves.",
        )
        .link(BITS),
        mistake("map_of_26_bits", |x, y| {
            let mut list = List::new();
            let order = [[0, 0], [0, 1], [1, 0], [1, 1]];
            quarters([0, 0], 1 << 26, &x, &y, order, &mut list);
            list
        })
        .says("a map of 2^26 columns and rows")
        .why("That is the map of a score that is kept in a double. Here coordinates have 32 bits, and numbers 64.")
        .link(TASK),
        mistake("a_range_for_each_point", |x, y| {
            let of_column = |x| y.clone().map(move |y| interleave(x, y));
            let mut numbers: Vec<u64> = x.flat_map(of_column).collect();
            numbers.sort_unstable();
            numbers.into_iter().map(|number| number..=number).collect()
        })
        // As they are listed, column by column or row by row.
        .or(Arc::new(|x: Span, y: Span| {
            let of_column = |x| y.clone().map(move |y| interleave(x, y));
            x.flat_map(of_column).map(|number| number..=number).collect()
        }))
        .or(Arc::new(|x: Span, y: Span| {
            let of_row = |y| x.clone().map(move |x| interleave(x, y));
            y.flat_map(of_row).map(|number| number..=number).collect()
        }))
        .says("a range for each point")
        .why(
            "Points whose numbers follow each other are one range, and one scan instead of several. Sort the numbers, and join \
             each to the last range if it begins right after its end.",
        )
        .link(RANGES),
        Mistake::<Ranges>::new(
            "edge_plus_one_overflows",
            "box_ranges",
            "returns",
            Arc::new(|x: Span, y: Span| {
                let edge = x.end().max(y.end());
                assert!(*edge < u32::MAX, "attempt to add with overflow");
                box_ranges(x, y)
            }),
        )
        .says("the right ranges, with a panic for the last column or row of the map")
        .why(
            "One after `u32::MAX` there is no number, so `end + 1` overflows. The edges belong to the rectangle: keep `..=`, or \
             count in `u64`.",
        )
        .link(TASK),
        mistake("last_range_lost", |x, y| {
            let mut ranges = box_ranges(x, y);
            ranges.pop();
            ranges
        })
        .says("the right ranges without the last one")
        .why(
            "A loop that puts a range down when the next one begins has one in its hands at the end. Put that down too, after the loop.",
        )
        .link(TASK),
        mistake("nothing_found", |_, _| List::new())
            .says("an empty list for every rectangle")
            .why("If you meant to find something: print the first and the last number of a rectangle of one point.")
            .link(TASK),
    ];
    mistakes.extend(compose("box_ranges", &QUIRKS, with));
    mistakes
}

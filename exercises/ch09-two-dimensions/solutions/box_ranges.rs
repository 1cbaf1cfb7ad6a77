//! Cut along the greatest border in the rectangle, until a part has no stranger between its corners.

use std::ops::RangeInclusive;

/// The number of a point. Given; leave it as it is.
pub fn interleave(x: u32, y: u32) -> u64 {
    let spread = |coordinate: u32| (0..32).map(move |i| u64::from(coordinate >> i & 1) << (2 * i));
    2 * spread(x).sum::<u64>() + spread(y).sum::<u64>()
}

/// The ranges of numbers of the points with these columns and rows.
pub fn box_ranges(x: RangeInclusive<u32>, y: RangeInclusive<u32>) -> Vec<RangeInclusive<u64>> {
    let mut ranges = Vec::new();
    if !x.is_empty() && !y.is_empty() {
        collect((*x.start(), *y.start()), (*x.end(), *y.end()), &mut ranges);
    }
    ranges
}

/// Adds the ranges of the rectangle between two corners, all of which come after those that are there.
fn collect(low: (u32, u32), high: (u32, u32), ranges: &mut Vec<RangeInclusive<u64>>) {
    let (first, last) = (interleave(low.0, low.1), interleave(high.0, high.1));
    let side = |low: u32, high: u32| u128::from(high - low) + 1;
    let points = side(low.0, high.0) * side(low.1, high.1);
    if points == u128::from(last - first) + 1 {
        match ranges.last_mut() {
            Some(before) if *before.end() + 1 == first => *before = *before.start()..=last,
            _ => ranges.push(first..=last),
        }
        return;
    }
    // The first bit in which the corners differ: one of x if it is odd.
    let bit = (first ^ last).ilog2();
    let kept = u32::MAX << (bit / 2);
    if bit % 2 == 1 {
        let middle = high.0 & kept;
        collect(low, (middle - 1, high.1), ranges);
        collect((middle, low.1), high, ranges);
    } else {
        let middle = high.1 & kept;
        collect(low, (high.0, middle - 1), ranges);
        collect((low.0, middle), high, ranges);
    }
}

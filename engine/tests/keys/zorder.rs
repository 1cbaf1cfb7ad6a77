//! The Z-order, compared with the simplest code that says the same.

use std::ops::RangeInclusive;

use engine::keys::{ZBox, deinterleave, interleave};
use proptest::prelude::*;

/// Interleaves bit by bit.
fn one_bit_after_the_other(x: u32, y: u32) -> u64 {
    let mut number = 0;
    for bit in (0..32).rev() {
        number = number << 2 | u64::from(x >> bit & 1) << 1 | u64::from(y >> bit & 1);
    }
    number
}

/// The stretches of the curve that lie in a rectangle, found by walking the whole curve.
fn walked(searched: ZBox, numbers: u64) -> Vec<RangeInclusive<u64>> {
    let inside: Vec<u64> = (0..numbers).filter(|&n| searched.contains(n)).collect();
    let stretches = inside.chunk_by(|a, b| a + 1 == *b);
    stretches.map(|s| s[0]..=s[s.len() - 1]).collect()
}

fn wasted(searched: ZBox, ranges: &[RangeInclusive<u64>]) -> u64 {
    let covered: u64 = ranges.iter().map(|r| r.end() - r.start() + 1).sum();
    covered - u64::try_from(searched.points()).unwrap()
}

/// All rectangles in a square with this many points on a side.
fn all_boxes(side: u32) -> impl Iterator<Item = ZBox> {
    let spans = move || (0..side).flat_map(move |low| (low..side).map(move |high| low..=high));
    spans().flat_map(move |x| spans().map(move |y| ZBox::new(x.clone(), y).unwrap()))
}

#[test]
fn all_points_of_eight_bits() {
    let mut seen = vec![false; 1 << 16];
    for x in 0..=255 {
        for y in 0..=255 {
            let number = interleave(x, y);
            assert_eq!(number, one_bit_after_the_other(x, y));
            assert_eq!(deinterleave(number), (x, y));
            assert!(!std::mem::replace(&mut seen[number as usize], true));
        }
    }
    assert!(
        seen.into_iter().all(|number| number),
        "no number is left out"
    );
}

#[test]
fn every_rectangle_of_eight_by_eight() {
    let mut count = 0;
    for searched in all_boxes(8) {
        count += 1;
        let exact = walked(searched, 64);
        assert_eq!(searched.ranges(usize::MAX), exact, "{searched:?}");
        assert_eq!(searched.first(), *exact[0].start());
        assert_eq!(searched.last(), *exact[exact.len() - 1].end());
        for number in 0..=64 {
            let next = (number..64).find(|&n| searched.contains(n));
            assert_eq!(searched.next(number), next, "{searched:?} {number}");
        }
        let mut last = u64::MAX;
        for limit in 1..=exact.len() {
            let ranges = searched.ranges(limit);
            assert!(ranges.len() <= limit);
            let held = |n: &u64| ranges.iter().any(|range| range.contains(n));
            assert!(exact.iter().cloned().flatten().all(|n| held(&n)));
            assert!(ranges.windows(2).all(|w| *w[0].end() + 1 < *w[1].start()));
            let waste = wasted(searched, &ranges);
            assert!(waste <= last, "more ranges waste no more");
            last = waste;
        }
        assert_eq!(last, 0);
    }
    assert_eq!(count, 36 * 36);
}

#[test]
fn the_parts_of_a_split_are_all_of_it_and_apart() {
    for searched in all_boxes(8) {
        let Some((lower, upper)) = searched.split() else {
            assert_eq!(searched.points(), 1);
            continue;
        };
        assert_eq!(lower.points() + upper.points(), searched.points());
        assert!(lower.last() < upper.first());
        assert_eq!(
            (lower.first(), upper.last()),
            (searched.first(), searched.last())
        );
    }
}

#[test]
fn a_rectangle_has_at_least_one_point() {
    let empty = RangeInclusive::new(3, 2);
    assert_eq!(ZBox::new(empty.clone(), 0..=9), None);
    assert_eq!(ZBox::new(0..=9, empty), None);
    assert_eq!(ZBox::new(2..=2, 3..=3).unwrap().ranges(0), [13..=13]);
}

#[test]
fn the_whole_plane_is_one_range() {
    let all = ZBox::new(0..=u32::MAX, 0..=u32::MAX).unwrap();
    assert_eq!(all.points(), 1 << 64);
    assert_eq!(all.ranges(usize::MAX), [0..=u64::MAX]);
    assert_eq!(all.next(u64::MAX), Some(u64::MAX));
    // A single column wastes most, and yet a limit ends the work.
    let column = ZBox::new(7..=7, 0..=u32::MAX).unwrap();
    assert_eq!(column.ranges(100).len(), 100);
    assert_eq!(column.next(u64::MAX), None);
}

proptest! {
    #[test]
    fn every_point_comes_back(x: u32, y: u32) {
        prop_assert_eq!(interleave(x, y), one_bit_after_the_other(x, y));
        prop_assert_eq!(deinterleave(interleave(x, y)), (x, y));
    }

    #[test]
    fn farther_in_both_directions_is_never_lower(x: u32, y: u32, u: u32, v: u32) {
        let (low, high) = (interleave(x.min(u), y.min(v)), interleave(x.max(u), y.max(v)));
        prop_assert!(low <= interleave(x, y) && interleave(x, y) <= high);
    }

    #[test]
    fn a_number_leads_to_the_next_one_inside(
        x: u32, y: u32, width in 0..1_u32 << 20, height in 0..1_u32 << 20, number: u64,
    ) {
        let searched = ZBox::new(x..=x.saturating_add(width), y..=y.saturating_add(height)).unwrap();
        match searched.next(number) {
            None => prop_assert!(number > searched.last()),
            Some(next) => {
                prop_assert!(number <= next && searched.contains(next));
                // There is nothing in between: each range ends before `next`, or begins with it.
                let skipped = searched.ranges(64).into_iter().filter(|r| *r.end() < next);
                for range in skipped {
                    prop_assert!(*range.end() < number || !searched.contains(*range.end()));
                }
                prop_assert_eq!(searched.next(next), Some(next));
            }
        }
    }
}

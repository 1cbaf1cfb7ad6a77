//! Z-order: two coordinates in one number, and the ranges of numbers that a rectangle becomes.
//!
//! Rule: take the bits of `x` and of `y` in turn, the highest ones first, `x` before `y`. Each bit halves the
//! area that the bits before it left, first from left to right, then from bottom to top. So the number is the
//! path to the point, and every *cell* of this repeated halving, of any size, is one prefix of numbers.
//!
//! ```
//! use engine::keys::{deinterleave, interleave};
//! assert_eq!(interleave(0b000, 0b111), 0b01_01_01);
//! assert_eq!(interleave(0b111, 0b000), 0b10_10_10);
//! assert_eq!(interleave(5, 3), 0b10_01_11);
//! assert_eq!(deinterleave(0b10_01_11), (5, 3));
//! assert_eq!(interleave(u32::MAX, u32::MAX), u64::MAX);
//! ```
//!
//! Coordinates with fewer bits use the low bits, and so does their number: 26 and 26 bits make 52.
//! As bytes of a key the number is big-endian, [`encode_u64`](crate::keys::encode_u64).
//!
//! No order in one dimension keeps all neighbours of two dimensions together. So the points of a [`ZBox`] lie
//! on several ranges of numbers, with the numbers of other points between them. There are two ways to read it:
//!
//! ```
//! use engine::keys::ZBox;
//! let searched = ZBox::new(2..=6, 2..=3).unwrap();
//! assert_eq!((searched.first(), searched.last()), (12, 45)); // one range, 34 numbers for 10 points
//! assert_eq!(searched.ranges(usize::MAX), [12..=15, 36..=39, 44..=45]);
//! assert_eq!(searched.ranges(2), [12..=15, 36..=45]);
//! assert_eq!(searched.next(19), Some(36)); // or walk, and jump when you meet a stranger
//! ```
//!
//! Invariants
//! 1. Every pair of coordinates has one number, and every number belongs to one pair.
//! 2. `x <= u` and `y <= v` imply `interleave(x, y) <= interleave(u, v)`. So the lowest corner of a
//!    rectangle has its lowest number, and the highest corner its highest. The converse does not hold.
//! 3. The ranges of a rectangle ascend, do not touch and cover all its points. With a large enough
//!    limit they cover nothing else. There are at most as many as the limit says.
//!
//! A solver proved the second one for all pairs of points (`engine/proofs/right_zorder.smt2`). The third
//! was tested with every rectangle of a small map (`cargo run --release -p engine --example exhaust_keys`).
//!
//! Sources: G. M. Morton (1966) for the order; H. Tropf and H. Herzog, "Multidimensional range search in dynamically
//! balanced trees" (1981) for `split` and `next`, there called LITMAX and BIGMIN.
//!
//! Left out: more than two dimensions, and the Hilbert curve. That gives somewhat fewer ranges, but
//! its bits are no longer those of the coordinates.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::RangeInclusive;

// ANCHOR: interleave
/// The number of a point: the bits of `x` in the odd places, those of `y` in the even ones.
#[inline]
#[must_use]
pub const fn interleave(x: u32, y: u32) -> u64 {
    spread(x) << 1 | spread(y)
}

/// The point of a number, the way back from [`interleave`].
#[inline]
#[must_use]
pub const fn deinterleave(number: u64) -> (u32, u32) {
    (gather(number >> 1), gather(number))
}

/// Puts a 0 before each bit: first the halves move apart, then the quarters, down to single bits.
#[inline]
const fn spread(coordinate: u32) -> u64 {
    let mut bits = coordinate as u64;
    bits = (bits | bits << 16) & 0x0000_ffff_0000_ffff;
    bits = (bits | bits << 8) & 0x00ff_00ff_00ff_00ff;
    bits = (bits | bits << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    bits = (bits | bits << 2) & 0x3333_3333_3333_3333;
    (bits | bits << 1) & 0x5555_5555_5555_5555
}

/// Every other bit, the lowest one first: the way back from [`spread`].
#[inline]
const fn gather(number: u64) -> u32 {
    let mut bits = number & 0x5555_5555_5555_5555;
    bits = (bits | bits >> 1) & 0x3333_3333_3333_3333;
    bits = (bits | bits >> 2) & 0x0f0f_0f0f_0f0f_0f0f;
    bits = (bits | bits >> 4) & 0x00ff_00ff_00ff_00ff;
    bits = (bits | bits >> 8) & 0x0000_ffff_0000_ffff;
    (bits | bits >> 16) as u32
}
// ANCHOR_END: interleave

/// A rectangle of points, its edges included. It has at least one point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ZBox {
    low: (u32, u32),
    high: (u32, u32),
}

impl ZBox {
    /// The rectangle of these columns and rows, if there are any.
    #[must_use]
    pub const fn new(x: RangeInclusive<u32>, y: RangeInclusive<u32>) -> Option<Self> {
        let (low, high) = ((*x.start(), *y.start()), (*x.end(), *y.end()));
        if low.0 <= high.0 && low.1 <= high.1 {
            Some(Self { low, high })
        } else {
            None
        }
    }

    /// The lowest number in the rectangle: that of its lowest corner.
    #[must_use]
    pub const fn first(self) -> u64 {
        interleave(self.low.0, self.low.1)
    }

    /// The highest number in the rectangle: that of its highest corner.
    #[must_use]
    pub const fn last(self) -> u64 {
        interleave(self.high.0, self.high.1)
    }

    /// Whether the point of a number lies in the rectangle.
    #[must_use]
    pub const fn contains(self, number: u64) -> bool {
        let (x, y) = deinterleave(number);
        self.low.0 <= x && x <= self.high.0 && self.low.1 <= y && y <= self.high.1
    }

    /// How many points the rectangle has.
    #[must_use]
    pub const fn points(self) -> u128 {
        let width = (self.high.0 - self.low.0) as u128 + 1;
        let height = (self.high.1 - self.low.1) as u128 + 1;
        width * height
    }

    // ANCHOR: split
    /// Cuts the rectangle in two along the greatest cell border that runs
    /// through it: every number of the first part is below every number of the
    /// second. `None` if it is a single point.
    ///
    /// The first bit in which the numbers of the corners differ says in which
    /// direction to cut, and where: just before the first coordinate that has
    /// this bit set and all lower bits clear.
    #[must_use]
    pub const fn split(self) -> Option<(Self, Self)> {
        let differing = self.first() ^ self.last();
        if differing == 0 {
            return None;
        }
        let place = differing.ilog2();
        // The same bit within its coordinate, and everything from it upwards.
        let kept = u32::MAX << (place / 2);
        let (mut lower, mut upper) = (self, self);
        if place % 2 == 1 {
            upper.low.0 = self.high.0 & kept;
            lower.high.0 = upper.low.0 - 1;
        } else {
            upper.low.1 = self.high.1 & kept;
            lower.high.1 = upper.low.1 - 1;
        }
        Some((lower, upper))
    }
    // ANCHOR_END: split

    // ANCHOR: next
    /// The lowest number in the rectangle that is at least `number`.
    ///
    /// Cost: at most one step for each bit, however large the rectangle.
    #[must_use]
    pub const fn next(self, number: u64) -> Option<u64> {
        let mut part = self;
        let mut behind = None;
        loop {
            if number <= part.first() {
                return Some(part.first());
            }
            if number > part.last() {
                return behind;
            }
            let Some((lower, upper)) = part.split() else {
                return Some(number);
            };
            if number <= lower.last() {
                behind = Some(upper.first());
                part = lower;
            } else {
                part = upper;
            }
        }
    }
    // ANCHOR_END: next

    // ANCHOR: ranges
    /// At most `limit` ascending ranges of numbers that together hold every point of the rectangle.
    /// A limit of 0 counts as 1.
    ///
    /// The rectangle is cut again and again, always the part whose range wastes most, until no
    /// range wastes anything or there are enough ranges. This is not always the best choice for so
    /// few ranges, but they always cover the rectangle.
    ///
    /// Cost: some 64 steps for each range. Without a limit there are about as many ranges as points along the edges.
    #[must_use]
    pub fn ranges(self, limit: usize) -> Vec<RangeInclusive<u64>> {
        let mut parts = BinaryHeap::from([Part(self)]);
        let mut exact = Vec::new();
        let mut ranges = 1;
        while ranges < limit {
            let Some(Part(part)) = parts.pop() else { break };
            match part.split() {
                Some((lower, upper)) if part.waste() > 0 => {
                    ranges += usize::from(lower.last() + 1 < upper.first());
                    parts.extend([Part(lower), Part(upper)]);
                }
                _ => exact.push(part),
            }
        }
        exact.extend(parts.into_iter().map(|Part(part)| part));
        exact.sort_unstable_by_key(|part| part.first());
        let mut ranges: Vec<RangeInclusive<u64>> = Vec::new();
        for part in exact {
            match ranges.last_mut() {
                Some(last) if *last.end() + 1 == part.first() => {
                    *last = *last.start()..=part.last();
                }
                _ => ranges.push(part.first()..=part.last()),
            }
        }
        ranges
    }
    // ANCHOR_END: ranges

    /// How many numbers between its first and its last belong to points outside the rectangle.
    const fn waste(self) -> u128 {
        (self.last() - self.first()) as u128 + 1 - self.points()
    }
}

/// A part of a rectangle, ordered by what its range wastes.
#[derive(PartialEq, Eq)]
struct Part(ZBox);

impl Ord for Part {
    fn cmp(&self, other: &Self) -> Ordering {
        // Of two that waste the same, the lower one first, so that the answer does not depend on
        // how the heap orders equal parts.
        let rank = |part: &Self| (part.0.waste(), !part.0.first());
        rank(self).cmp(&rank(other))
    }
}

impl PartialOrd for Part {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

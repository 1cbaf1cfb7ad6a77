//! Cells of the Z-order, and the way to a neighbouring cell. `engine::keys` interleaves the bits.
//!
//! A cell with `step` cuts of each coordinate has a number of `2 * step` bits. The odd bits are the longitude, the
//! even ones the latitude.

use std::ops::Range;

use engine::keys::{deinterleave, interleave};

use crate::types::geo::{LATITUDE_MAX, LONGITUDE_MAX, Point};

/// How often each coordinate is cut for a score.
pub const STEPS: u32 = 26;

/// The bits of the latitude.
const EVEN: u64 = 0x5555_5555_5555_5555;
/// The bits of the longitude.
const ODD: u64 = !EVEN;

/// A rectangle of the map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    bits: u64,
    step: u32,
}

/// The edges of a cell, in degrees.
#[derive(Debug, Clone, PartialEq)]
pub struct Bounds {
    /// From west to east.
    pub longitude: Range<f64>,
    /// From south to north.
    pub latitude: Range<f64>,
}

impl Cell {
    /// The cell that a place lies in. `step` is from 1 to [`STEPS`].
    #[must_use]
    pub fn around(point: Point, step: u32) -> Self {
        let bits = cut(point, LATITUDE_MAX, step);
        Self { bits, step }
    }

    /// The smallest cell whose number is this score.
    #[must_use]
    pub fn of_score(score: f64) -> Self {
        let bits = whole_bits(score);
        Self { bits, step: STEPS }
    }

    /// How often each coordinate was cut.
    #[must_use]
    pub const fn step(self) -> u32 {
        self.step
    }

    /// Its edges.
    #[must_use]
    pub fn bounds(self) -> Bounds {
        let cells = cells(self.step);
        let range = |index: u32, max: f64| {
            let edge = |index: u32| -max + f64::from(index) / cells * (2.0 * max);
            edge(index)..edge(index.wrapping_add(1))
        };
        let (longitude, latitude) = deinterleave(self.bits);
        Bounds {
            longitude: range(longitude, LONGITUDE_MAX),
            latitude: range(latitude, LATITUDE_MAX),
        }
    }

    /// The point in its middle.
    #[must_use]
    pub fn centre(self) -> Point {
        let middle = |edges: Range<f64>, max: f64| {
            let middle = f64::midpoint(edges.start, edges.end);
            middle.clamp(-max, max)
        };
        let Bounds {
            longitude,
            latitude,
        } = self.bounds();
        Point {
            longitude: middle(longitude, LONGITUDE_MAX),
            latitude: middle(latitude, LATITUDE_MAX),
        }
    }

    /// The neighbour of the same size that lies `east` cells to the east and `north` cells to the north, each -1, 0
    /// or 1. The map wraps around in both directions: after the last cell comes the first.
    #[must_use]
    pub const fn moved(self, east: i32, north: i32) -> Self {
        let bits = step_in(self.bits, ODD, self.step, east);
        let bits = step_in(bits, EVEN, self.step, north);
        Self { bits, ..self }
    }

    /// The scores of all places in the cell.
    #[must_use]
    pub fn scores(self) -> Range<f64> {
        // Both ends are below 2^54, and even except for the smallest cells, so a double holds them exactly.
        let score = |bits: u64| (bits << (2 * (STEPS - self.step))) as f64;
        score(self.bits)..score(self.bits + 1)
    }
}

/// How many cells there are from west to east after `step` cuts.
fn cells(step: u32) -> f64 {
    (1_u64 << step) as f64
}

/// The number of the cell of a place, if latitudes range from `-latitude_max` to `latitude_max`.
///
/// A place at the eastern or northern edge of the map lies past the last cell, and its number has one bit more.
#[must_use]
pub fn cut(point: Point, latitude_max: f64, step: u32) -> u64 {
    let index = |degrees: f64, max: f64| {
        let part = (degrees + max) / (max + max);
        // The value is between 0 and 2^26: the conversion drops the fraction.
        (part * cells(step)) as u32
    };
    let longitude = index(point.longitude, LONGITUDE_MAX);
    let latitude = index(point.latitude, latitude_max);
    interleave(longitude, latitude)
}

/// Moves one step along one coordinate, in the interleaved number.
///
/// The trick: the bits of the other coordinate lie between those of this one and would swallow the carry. Filled with
/// ones, they pass it on. A step back fills them too, and subtracts the fill and one more, so that the borrow passes
/// through them.
const fn step_in(bits: u64, coordinate: u64, step: u32, direction: i32) -> u64 {
    let below = 64 - 2 * step;
    let filled = !coordinate >> below;
    let moving = bits & coordinate;
    let moved = match direction {
        1 => moving.wrapping_add(filled + 1),
        -1 => (moving | filled).wrapping_sub(filled + 1),
        _ => return bits,
    };
    moved & (coordinate >> below) | bits & !coordinate
}

/// Converts a score to an unsigned integer, as a C compiler does on x86-64: negative numbers wrap around, and what
/// fits nowhere becomes 2^63.
fn whole_bits(score: f64) -> u64 {
    const HALF: f64 = 9_223_372_036_854_775_808.0;
    const NOWHERE: i64 = i64::MIN;
    let signed = |value: f64| {
        let fits = (-HALF..HALF).contains(&value);
        (if fits { value as i64 } else { NOWHERE }).cast_unsigned()
    };
    if score >= HALF {
        signed(score - HALF) ^ NOWHERE.cast_unsigned()
    } else {
        signed(score)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_quarters_have_the_numbers_of_the_picture() {
        let quarter = |longitude, latitude| {
            let point = Point::new(longitude, latitude).unwrap();
            Cell::around(point, 1).bits
        };
        assert_eq!(quarter(-90.0, -45.0), 0b00);
        assert_eq!(quarter(-90.0, 45.0), 0b01);
        assert_eq!(quarter(90.0, -45.0), 0b10);
        assert_eq!(quarter(90.0, 45.0), 0b11);
        let middle = Cell {
            bits: 0b0011,
            step: 2,
        };
        assert_eq!(middle.moved(1, 1).bits, 0b1100, "they touch at a corner");
    }

    #[test]
    fn the_map_is_round() {
        let corner = Cell { bits: 0, step: 3 };
        assert_eq!(corner.moved(-1, 0).bits, 0b10_1010);
        assert_eq!(corner.moved(0, -1).bits, 0b01_0101);
        assert_eq!(corner.moved(-1, -1).moved(1, 1), corner);
    }

    proptest! {
        /// The trick with the carry gives the same result as taking the number apart.
        #[test]
        fn a_step_changes_one_coordinate_by_one(
            bits: u64, step in 1..=STEPS, east in -1..=1, north in -1..=1,
        ) {
            let mask = (1 << (2 * step)) - 1;
            let cell = Cell { bits: bits & mask, step };
            let (x, y) = deinterleave(cell.bits);
            let around = |index: u32, by: i32| {
                index.wrapping_add_signed(by) & ((1 << step) - 1)
            };
            let expected = interleave(around(x, east), around(y, north));
            prop_assert_eq!(cell.moved(east, north).bits, expected);
        }

        /// The scores of a cell are one range.
        #[test]
        fn a_place_has_a_score_of_every_cell_around_it(
            longitude in -180.0_f64..180.0, latitude in -85.0_f64..85.0, step in 1..=STEPS,
        ) {
            let point = Point::new(longitude, latitude).unwrap();
            let cell = Cell::around(point, step);
            prop_assert!(cell.scores().contains(&point.score()));
            let bounds = cell.bounds();
            prop_assert!(bounds.longitude.start <= longitude && longitude <= bounds.longitude.end);
            prop_assert!(bounds.latitude.start <= latitude && latitude <= bounds.latitude.end);
            let beside = cell.moved(1, 0);
            prop_assert!(!beside.scores().contains(&point.score()));
        }
    }

    #[test]
    fn scores_that_are_no_places_are_converted_as_in_c() {
        for (score, bits) in [
            (0.0, 0),
            (1.9, 1),
            (-1.0, u64::MAX),
            (-1e300, 1 << 63),
            (1e300, 0),
            (f64::INFINITY, 0),
            (9_223_372_036_854_775_808.0, 1 << 63),
            (18_446_744_073_709_549_568.0, u64::MAX - 2047),
        ] {
            assert_eq!(whole_bits(score), bits, "{score}");
        }
    }
}

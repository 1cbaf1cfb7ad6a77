//! Places on the earth as scores of a sorted set: two dimensions in one number.
//!
//! # The curve
//!
//! A sorted set has one order, and a place has two coordinates. Sorted by longitude alone, a search around Paris
//! would read the whole meridian down to the pole. So both coordinates are cut in halves, in turn, and each cut
//! gives one bit: 0 for the western or southern half, 1 for the other.
//!
//! ```text
//!   the first two cuts              the next two, in each quarter
//!
//!        north                        0101 0111 | 1101 1111
//!     +----+----+                     0100 0110 | 1100 1110
//!     | 01 | 11 |                     ----------+----------
//!     +----+----+                     0001 0011 | 1001 1011
//!     | 00 | 10 |                     0000 0010 | 1000 1010
//!     +----+----+
//! ```
//!
//! Read the cells in the order of their numbers and the path draws a `Z` turned on its side, made of smaller ones: the
//! *Z-order*, by Morton (1966). The number is nothing but the bits of both coordinates, shuffled like
//! two halves of a deck: longitude in the odd bits, latitude in the even ones.
//!
//! # Why it works
//!
//! A cell of any size is a *prefix* of that number. All places in it have scores from the prefix followed by
//! zeros up to the next prefix, so a cell is one range of scores, and a range of scores is one scan.
//! A search takes cells that are just large enough for the circle or the box: the one with the centre, and
//! its eight neighbours. Nine scans find every candidate, however many places there are, and the
//! [distance](distance::between) of each candidate decides.
//!
//! Neighbours on the map may be far apart on the curve: in the middle of the picture above, `0011` and `1100` touch.
//! That is why one range is not enough, and why the neighbours are found on the map and not on the curve.
//!
//! # Why 52 bits
//!
//! A score is a double, and a double holds every integer up to 2^53. With [`STEPS`] cuts of each coordinate
//! a cell is about 0.6 m wide at the equator. A place is stored as the cell that it lies in, and comes
//! back as the centre of that cell.
//!
//! The numbers, the order of the nine cells and the arithmetic are those of Redis, down to
//! the rounding, because clients store the scores and compare the digits. The latitude ends at 85.05112878
//! degrees, where the Mercator projection of maps on the web is a square.
//!
//! | file | what |
//! |---|---|
//! | `engine::keys` | shuffling bits |
//! | [`curve`] | cells, neighbours |
//! | [`distance`] | metres on a sphere |
//! | [`area`] | which cells a search has to visit |

pub mod area;
pub mod curve;
pub mod distance;

pub use area::{Form, Shape};
pub use curve::{Cell, STEPS};

/// The greatest longitude; the least is its negative.
pub const LONGITUDE_MAX: f64 = 180.0;
/// The greatest latitude; the least is its negative.
pub const LATITUDE_MAX: f64 = 85.051_128_78;

/// A place on the earth, in degrees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Positive to the east.
    pub longitude: f64,
    /// Positive to the north.
    pub latitude: f64,
}

impl Point {
    /// The place, or `None` if it lies outside the range that can be stored.
    #[must_use]
    pub fn new(longitude: f64, latitude: f64) -> Option<Self> {
        let is_in = longitude.abs() <= LONGITUDE_MAX && latitude.abs() <= LATITUDE_MAX;
        is_in.then_some(Self {
            longitude,
            latitude,
        })
    }

    /// The score that encodes the place.
    #[must_use]
    pub fn score(self) -> f64 {
        Cell::around(self, STEPS).scores().start
    }

    /// The place that a score encodes: the centre of its cell.
    ///
    /// Any number is accepted. A score that never came from a place gives some place all the same.
    #[must_use]
    pub fn of_score(score: f64) -> Self {
        Cell::of_score(score).centre()
    }

    /// The place as eleven letters, as on <http://geohash.org>.
    ///
    /// On that site latitudes range from pole to pole, so the bits are not those of the score. Each letter is five of
    /// them. 52 bits are ten letters and two bits; the eleventh letter is always `0`.
    #[must_use]
    pub fn geohash(self) -> String {
        const LETTERS: &[u8; 32] = b"0123456789bcdefghjkmnpqrstuvwxyz";
        let bits = curve::cut(self, 90.0, STEPS);
        let letters = (1..=11).map(|letter| {
            let place = (2 * STEPS).checked_sub(5 * letter);
            let index = place.map_or(0, |place| bits >> place & 31);
            char::from(LETTERS[usize::try_from(index).unwrap_or(0)])
        });
        letters.collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_place_has_the_score_and_the_letters_that_redis_documents() {
        let palermo = Point::new(13.361_389, 38.115_556).unwrap();
        assert_eq!(palermo.score(), 3_479_099_956_230_698.0);
        let stored = Point::of_score(palermo.score());
        assert_eq!(stored.geohash(), "sqc8b49rny0");
        let catania = Point::of_score(Point::new(15.087_269, 37.502_669).unwrap().score());
        assert_eq!(catania.geohash(), "sqdtr74hyu0");
        let apart = distance::between(stored, catania);
        assert_eq!(format!("{apart:.4}"), "166274.1516");
    }

    #[test]
    fn places_outside_the_map_are_none() {
        for (longitude, latitude) in [
            (180.1, 0.0),
            (-180.1, 0.0),
            (0.0, 85.06),
            (0.0, -85.06),
            (f64::INFINITY, 0.0),
            (0.0, f64::NAN),
        ] {
            assert_eq!(Point::new(longitude, latitude), None);
        }
        assert!(Point::new(-180.0, -85.051_128_78).is_some());
    }

    proptest! {
        #[test]
        fn a_place_comes_back_within_its_cell(
            longitude in -180.0_f64..180.0,
            latitude in -85.0_f64..85.0,
        ) {
            let point = Point::new(longitude, latitude).unwrap();
            let score = point.score();
            let back = Point::of_score(score);
            prop_assert_eq!(back.score(), score);
            let cells = f64::from(1_u32 << STEPS);
            prop_assert!((back.longitude - longitude).abs() <= 360.0 / cells);
            prop_assert!((back.latitude - latitude).abs() <= 171.0 / cells);
        }
    }
}

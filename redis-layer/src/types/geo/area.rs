//! Which cells a geo search visits, and which places in them belong to its shape.
//!
//! The cells are nine of one size: the one that holds the centre of the search, and its eight neighbours. The size is
//! the smallest with which they cover the whole shape; cells that lie beside the shape are left out. They are visited
//! in Redis's order, because answers without `ASC` or `DESC` show it: the centre, north, south, east, west, then the
//! corners.
//!
//! Left out, as in Redis: a circle across a pole or the date line may miss places on the other side, when it is so
//! large that nine cells do not cover it.

use crate::types::geo::curve::Bounds;
use crate::types::geo::distance::{self, EARTH_RADIUS_M, degrees, radians};
use crate::types::geo::{Cell, Point, STEPS};

/// Half the length of the equator on a Mercator map, in metres.
const HALF_MAP_M: f64 = 20_037_726.37;

/// The steps from the centre's cell to each cell of a search, to the east and to the north.
const NINE: [(i32, i32); 9] = [
    (0, 0),
    (0, 1),
    (0, -1),
    (1, 0),
    (-1, 0),
    (1, 1),
    (-1, 1),
    (1, -1),
    (-1, -1),
];

/// What a search looks for, in the client's unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Form {
    /// Everything up to a distance.
    Circle {
        /// The distance.
        radius: f64,
    },
    /// Everything up to half the width and half the height from the centre.
    Box {
        /// The size from west to east.
        width: f64,
        /// The size from south to north.
        height: f64,
    },
}

/// A form placed on the map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shape {
    /// The centre of the form.
    pub centre: Point,
    /// The form.
    pub form: Form,
    /// The length of the client's unit in metres.
    pub unit_m: f64,
}

impl Shape {
    /// The distance of a place from the centre in metres, or `None` if it lies outside the shape.
    #[must_use]
    pub fn distance_within(&self, place: Point) -> Option<f64> {
        match self.form {
            Form::Circle { radius } => {
                let distance = distance::between(self.centre, place);
                // Rounding may make the distance of two opposite places NaN; such a place counts as near.
                let is_beyond = distance > radius * self.unit_m;
                (!is_beyond).then_some(distance)
            }
            Form::Box { width, height } => {
                let up = distance::along_meridian(place.latitude, self.centre.latitude);
                if up > height * self.unit_m / 2.0 {
                    return None;
                }
                // Along the parallel of the place, not that of the centre: the box narrows towards the pole.
                let below = Point {
                    longitude: self.centre.longitude,
                    ..place
                };
                if distance::between(place, below) > width * self.unit_m / 2.0 {
                    return None;
                }
                Some(distance::between(self.centre, place))
            }
        }
    }

    /// The cells to visit, in order.
    #[must_use]
    pub fn cells(&self) -> Vec<Cell> {
        let around = self.bounds();
        let mut step = self.estimate_step();
        if step > 1 && !neighbours_cover(Cell::around(self.centre, step), &around) {
            step -= 1;
        }
        let middle = Cell::around(self.centre, step);
        let bounds = middle.bounds();
        let is_beside = |east: i32, north: i32| {
            step >= 2
                && ((north < 0 && bounds.latitude.start < around.latitude.start)
                    || (north > 0 && bounds.latitude.end > around.latitude.end)
                    || (east < 0 && bounds.longitude.start < around.longitude.start)
                    || (east > 0 && bounds.longitude.end > around.longitude.end))
        };
        let mut cells = vec![middle];
        let mut last = None;
        for (east, north) in NINE.into_iter().skip(1) {
            let cell = middle.moved(east, north);
            // On a map that is two cells wide, the eastern neighbour is also the western one.
            if !is_beside(east, north) && last != Some(cell) {
                cells.push(cell);
                last = Some(cell);
            }
        }
        cells
    }

    /// The distance from the centre to the farthest point of the shape, in metres.
    fn reach_m(&self) -> f64 {
        let reach = match self.form {
            Form::Circle { radius } => radius,
            Form::Box { width, height } => {
                let (width, height) = (width / 2.0, height / 2.0);
                (width * width + height * height).sqrt()
            }
        };
        reach * self.unit_m
    }

    /// How often the map can be cut so that a cell is still as large as the reach: one cut fewer for each doubling of
    /// the reach that fits into the map.
    fn estimate_step(&self) -> u32 {
        let mut reach_m = self.reach_m();
        if reach_m == 0.0 {
            return STEPS;
        }
        let mut step: u32 = 1;
        while reach_m < HALF_MAP_M {
            reach_m *= 2.0;
            step += 1;
        }
        // One less because the centre may lie near an edge of its cell, and another one to be safe.
        step = step.saturating_sub(2);
        // Cells become narrow towards the poles.
        for limit in [66.0, 80.0] {
            if self.centre.latitude.abs() > limit {
                step = step.saturating_sub(1);
            }
        }
        step.clamp(1, STEPS)
    }

    /// The degrees that the shape covers. In the northern hemisphere the width in degrees is taken at the northern
    /// edge, in the southern hemisphere at the southern one: the edge that is nearer to the pole.
    fn bounds(&self) -> Bounds {
        let (half_width, half_height) = match self.form {
            Form::Circle { radius } => (radius, radius),
            Form::Box { width, height } => (width / 2.0, height / 2.0),
        };
        let Point {
            longitude,
            latitude,
        } = self.centre;
        let up = degrees(self.unit_m * half_height / EARTH_RADIUS_M);
        let edge = if latitude < 0.0 {
            latitude - up
        } else {
            latitude + up
        };
        let aside = degrees(self.unit_m * half_width / EARTH_RADIUS_M / radians(edge).cos());
        Bounds {
            longitude: longitude - aside..longitude + aside,
            latitude: latitude - up..latitude + up,
        }
    }
}

/// Whether a cell and its neighbours reach all ends of these bounds.
fn neighbours_cover(cell: Cell, around: &Bounds) -> bool {
    let falls_short = cell.moved(0, 1).bounds().latitude.end < around.latitude.end
        || cell.moved(0, -1).bounds().latitude.start > around.latitude.start
        || cell.moved(1, 0).bounds().longitude.end < around.longitude.end
        || cell.moved(-1, 0).bounds().longitude.start > around.longitude.start;
    !falls_short
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn circle(longitude: f64, latitude: f64, radius: f64) -> Shape {
        Shape {
            centre: Point::new(longitude, latitude).unwrap(),
            form: Form::Circle { radius },
            unit_m: 1.0,
        }
    }

    #[test]
    fn a_small_circle_needs_few_cells_and_the_world_four() {
        let cells = circle(13.0, 38.0, 100.0).cells();
        assert!(cells.len() <= 4, "{cells:?}");
        assert!(cells.iter().all(|cell| cell.step() >= 15), "{cells:?}");
        // The map is two cells wide and two high, and each is visited once.
        let cells = circle(13.0, 38.0, 1e8).cells();
        assert_eq!(cells.len(), 4, "{cells:?}");
        assert!(cells.iter().all(|cell| cell.step() == 1));
    }

    proptest! {
        /// Away from the poles and the date line, the cells hold every place of the shape.
        #[test]
        fn no_place_in_the_shape_is_outside_the_cells(
            longitude in -60.0_f64..60.0,
            latitude in -60.0_f64..60.0,
            east in -1.0_f64..1.0,
            north in -1.0_f64..1.0,
            kilometres in 0.001_f64..1000.0,
            is_box: bool,
        ) {
            let mut shape = circle(longitude, latitude, kilometres);
            shape.unit_m = 1000.0;
            if is_box {
                shape.form = Form::Box { width: kilometres, height: 2.0 * kilometres };
            }
            let around = shape.bounds();
            let place = Point::new(
                longitude + east * (around.longitude.end - longitude),
                latitude + north * (around.latitude.end - latitude),
            ).unwrap();
            let stored = Point::of_score(place.score());
            prop_assume!(shape.distance_within(stored).is_some());
            let score = place.score();
            let found = shape.cells().iter().filter(|cell| cell.scores().contains(&score)).count();
            prop_assert_eq!(found, 1);
        }
    }
}

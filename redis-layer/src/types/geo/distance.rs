//! How far apart two places are: on a sphere, by the haversine formula.
//!
//! The earth is flattened at the poles, so a distance is wrong by up to 0.6 %. Redis has the same error, and the
//! digits must be the same as its digits, so the arithmetic has its steps in the same order.

use crate::types::geo::Point;

/// The radius of the sphere, in metres.
pub const EARTH_RADIUS_M: f64 = 6_372_797.560_856;

/// Degrees to radians. Not `to_radians`, which may round differently.
#[must_use]
pub fn radians(degrees: f64) -> f64 {
    degrees * (std::f64::consts::PI / 180.0)
}

/// Radians to degrees.
#[must_use]
pub fn degrees(radians: f64) -> f64 {
    radians / (std::f64::consts::PI / 180.0)
}

/// The distance of two places in metres, along the surface.
#[must_use]
pub fn between(a: Point, b: Point) -> f64 {
    let half_longitude = ((radians(b.longitude) - radians(a.longitude)) / 2.0).sin();
    if half_longitude == 0.0 {
        return along_meridian(a.latitude, b.latitude);
    }
    let (from, to) = (radians(a.latitude), radians(b.latitude));
    let half_latitude = ((to - from) / 2.0).sin();
    let haversine =
        half_latitude * half_latitude + from.cos() * to.cos() * half_longitude * half_longitude;
    2.0 * EARTH_RADIUS_M * haversine.sqrt().asin()
}

/// The distance of two latitudes in metres, along a meridian.
#[must_use]
pub fn along_meridian(a: f64, b: f64) -> f64 {
    EARTH_RADIUS_M * (radians(b) - radians(a)).abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_of_the_equator_and_a_meridian_have_their_length() {
        let place = |longitude, latitude| Point::new(longitude, latitude).unwrap();
        let quarter = EARTH_RADIUS_M * std::f64::consts::FRAC_PI_2;
        let apart = |a, b| between(a, b);
        assert!((apart(place(0.0, 0.0), place(90.0, 0.0)) - quarter).abs() < 1e-6);
        let up = apart(place(7.0, 0.0), place(7.0, 45.0));
        assert!((up - quarter / 2.0).abs() < 1e-6);
        assert_eq!(apart(place(1.0, 2.0), place(1.0, 2.0)), 0.0);
        let (a, b) = (place(179.0, 10.0), place(-179.0, 10.0));
        assert!(apart(a, b) < 220_000.0, "across the date line");
    }
}

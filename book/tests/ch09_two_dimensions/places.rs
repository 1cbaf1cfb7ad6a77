//! Places: cities with their coordinates, and as many made-up places as a measurement needs.

use redis_layer::types::geo::{Point, distance};

/// A name and where it is.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) name: String,
    pub(crate) at: Point,
}

/// Longitude and latitude in degrees, to a hundredth.
const CITIES: [(&str, f64, f64); 48] = [
    ("Algiers", 3.06, 36.75),
    ("Amsterdam", 4.90, 52.37),
    ("Athens", 23.73, 37.98),
    ("Barcelona", 2.17, 41.39),
    ("Belgrade", 20.46, 44.79),
    ("Bergen", 5.32, 60.39),
    ("Berlin", 13.40, 52.52),
    ("Bilbao", -2.93, 43.26),
    ("Bordeaux", -0.58, 44.84),
    ("Brussels", 4.35, 50.85),
    ("Bucharest", 26.10, 44.43),
    ("Budapest", 19.04, 47.50),
    ("Cologne", 6.96, 50.94),
    ("Copenhagen", 12.57, 55.68),
    ("Dublin", -6.26, 53.35),
    ("Edinburgh", -3.19, 55.95),
    ("Hamburg", 9.99, 53.55),
    ("Helsinki", 24.94, 60.17),
    ("Istanbul", 28.98, 41.01),
    ("Krakow", 19.94, 50.06),
    ("Kyiv", 30.52, 50.45),
    ("Lille", 3.06, 50.63),
    ("Lisbon", -9.14, 38.72),
    ("London", -0.13, 51.51),
    ("Lyon", 4.84, 45.76),
    ("Madrid", -3.70, 40.42),
    ("Manchester", -2.24, 53.48),
    ("Marseille", 5.37, 43.30),
    ("Milan", 9.19, 45.46),
    ("Munich", 11.58, 48.14),
    ("Naples", 14.27, 40.85),
    ("Oslo", 10.75, 59.91),
    ("Palermo", 13.36, 38.12),
    ("Paris", 2.35, 48.86),
    ("Porto", -8.61, 41.15),
    ("Prague", 14.42, 50.09),
    ("Riga", 24.11, 56.95),
    ("Rome", 12.50, 41.90),
    ("Seville", -5.98, 37.39),
    ("Sofia", 23.32, 42.70),
    ("Stockholm", 18.07, 59.33),
    ("Tallinn", 24.75, 59.44),
    ("Toulouse", 1.44, 43.60),
    ("Vienna", 16.37, 48.21),
    ("Vilnius", 25.28, 54.69),
    ("Warsaw", 21.01, 52.23),
    ("Zagreb", 15.98, 45.81),
    ("Zurich", 8.54, 47.38),
];

pub(crate) fn at(longitude: f64, latitude: f64) -> Point {
    Point::new(longitude, latitude).expect("a place on the map")
}

/// The centre of the searches.
pub(crate) fn paris() -> Point {
    at(2.35, 48.86)
}

/// How far the searches reach.
pub(crate) const REACH_KM: f64 = 300.0;

pub(crate) fn cities() -> Vec<Place> {
    let place = |&(name, longitude, latitude): &(&str, f64, f64)| Place {
        name: name.to_owned(),
        at: at(longitude, latitude),
    };
    CITIES.iter().map(place).collect()
}

/// Places all over Europe, the same ones in each run.
pub(crate) fn strewn(count: usize) -> Vec<Place> {
    let mut state: u64 = 9;
    let mut part = move || {
        // The multiplier of Knuth's MMIX. The upper bits are random enough to strew places.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        f64::from((state >> 32) as u32) / f64::from(u32::MAX)
    };
    let mut place = |n| Place {
        name: format!("p{n}"),
        at: at(-10.0 + 40.0 * part(), 36.0 + 26.0 * part()),
    };
    (0..count).map(&mut place).collect()
}

/// Kilometres from Paris.
pub(crate) fn from_paris_km(place: Point) -> f64 {
    distance::between(paris(), place) / 1000.0
}

// ANCHOR: square
/// The lowest and the highest corner of the rectangle of degrees around a circle.
pub(crate) fn square(centre: Point, radius_m: f64) -> (Point, Point) {
    let angle = radius_m / distance::EARTH_RADIUS_M;
    let up = distance::degrees(angle);
    // A circle is widest a little nearer to the pole than its centre.
    let aside = (angle.sin() / distance::radians(centre.latitude).cos()).asin();
    let aside = distance::degrees(aside);
    (
        at(centre.longitude - aside, centre.latitude - up),
        at(centre.longitude + aside, centre.latitude + up),
    )
}
// ANCHOR_END: square

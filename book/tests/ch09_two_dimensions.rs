//! Chapter 9, run. Each test proves one claim of the chapter and prints what the page shows:
//!
//! ```text
//! cargo test -p book --test ch09_two_dimensions -- --nocapture
//! ```

#[path = "ch08_support/client.rs"]
#[expect(dead_code, reason = "chapter 8 says more to its servers")]
mod client;
#[path = "ch09_two_dimensions/counted.rs"]
mod counted;
#[path = "ch09_two_dimensions/curves.rs"]
mod curves;
#[path = "ch09_two_dimensions/faults.rs"]
mod faults;
#[path = "ch09_two_dimensions/map.rs"]
mod map;
#[path = "ch09_two_dimensions/places.rs"]
mod places;
#[path = "ch08_support/servers.rs"]
mod servers;

use std::ops::RangeInclusive;

use book::output;
use engine::keys::{ZBox, deinterleave, encode_f64_numeric, encode_u64, interleave};
use redis_layer::types::geo::{Cell, Point, distance};

use counted::{Counted, Found, box_between, number};
use places::{Place, REACH_KM, at, cities, from_paris_km, paris, square, strewn};
use servers::told_to_both;

// ANCHOR: by_longitude
/// The key of a place by longitude alone, as chapter 4 makes it.
fn by_longitude(place: Point) -> [u8; 8] {
    encode_f64_numeric(place.longitude).expect("a longitude is a number")
}
// ANCHOR_END: by_longitude

fn degrees(value: f64) -> [u8; 8] {
    encode_f64_numeric(value).expect("degrees are numbers")
}

/// Longitude, then latitude: a tuple of two numbers.
fn by_both(place: Point) -> [u8; 16] {
    let mut key = [0; 16];
    key[..8].copy_from_slice(&degrees(place.longitude));
    key[8..].copy_from_slice(&degrees(place.latitude));
    key
}

fn is_near(place: &Place) -> bool {
    from_paris_km(place.at) <= REACH_KM
}

// ANCHOR: broken_scan
#[test]
fn a_scan_by_longitude_reads_from_norway_to_africa() {
    let cities = cities();
    let store = Counted::new(&cities, by_longitude);
    let (low, high) = square(paris(), REACH_KM * 1000.0);
    let mut found = Found::default();
    store.scan(&by_longitude(low), &by_longitude(high), &mut found);

    let mut table = format!(
        "{:>9}  {:>8}  {:<10} {:>9}\n",
        "longitude", "latitude", "city", "km"
    );
    for city in &found.rows {
        let km = from_paris_km(city.at);
        let mark = if is_near(city) { " <" } else { "" };
        let Point {
            longitude,
            latitude,
        } = city.at;
        table += &format!(
            "{longitude:>9.2}  {latitude:>8.2}  {:<10} {km:>9.0}{mark}\n",
            city.name
        );
    }
    let near = found.rows.iter().filter(|city| is_near(city)).count();
    table += &format!(
        "rows read: {}, within {REACH_KM} km: {near}\n",
        found.rows.len()
    );
    output::check("09-two-dimensions/outputs/broken-scan.txt", &table);
    assert_eq!((found.rows.len(), near), (12, 3));
}
// ANCHOR_END: broken_scan

// ANCHOR: prediction
#[test]
fn four_points_in_the_middle_of_the_map() {
    let mut table = format!("{:>7}{:>6}{:>6}   number\n", "(x, y)", "x", "y");
    for (x, y) in [(3, 3), (3, 4), (4, 3), (4, 4)] {
        let number = interleave(x, y);
        table += &format!(
            "{:>7}   {x:03b}   {y:03b}   {number:06b} = {number}\n",
            format!("({x}, {y})")
        );
    }
    output::check("09-two-dimensions/outputs/prediction.txt", &table);
    assert_eq!(interleave(4, 3) - interleave(3, 3), 22);
}
// ANCHOR_END: prediction

// ANCHOR: halves
#[test]
fn each_bit_halves_what_the_bits_before_it_left() {
    let palermo = at(13.36, 38.12);
    let mut table = format!(
        "{:<12}{:<4}{:>18}{:>18}\n",
        "bits", "cuts", "longitude", "latitude"
    );
    for cuts in 1..=5 {
        let cell = Cell::around(palermo, cuts);
        let bits = number(palermo) >> (52 - 2 * cuts);
        let bounds = cell.bounds();
        let span = |low: f64, high: f64| format!("{low:.2} to {high:.2}");
        table += &format!(
            "{:<12}{cuts:<4}{:>18}{:>18}\n",
            format!("{bits:0width$b}", width = 2 * cuts as usize),
            span(bounds.longitude.start, bounds.longitude.end),
            span(bounds.latitude.start, bounds.latitude.end),
        );
        assert_eq!(cell.scores().start, (bits << (52 - 2 * cuts)) as f64);
    }
    output::check("09-two-dimensions/outputs/halves.txt", &table);
}
// ANCHOR_END: halves

// ANCHOR: prefixes
#[test]
fn a_prefix_is_a_range() {
    let mut table = format!(
        "{:<10}{:<16}{:<9}columns, rows\n",
        "prefix", "numbers", "count"
    );
    for (prefix, bits) in [(0b11, 2), (0b0011, 4), (0b1001, 4), (0b001111, 6)] {
        let rest = 6 - bits;
        let (first, end): (u64, u64) = (prefix << rest, (prefix + 1) << rest);
        let (low, high) = (deinterleave(first), deinterleave(end - 1));
        let cell = ZBox::new(low.0..=high.0, low.1..=high.1).unwrap();
        assert_eq!(cell.ranges(usize::MAX), [first..=end - 1]);
        table += &format!(
            "{:<10}{:<16}{:<9}{} to {}, {} to {}\n",
            format!("{prefix:0bits$b}"),
            format!("{first} to {}", end - 1),
            end - first,
            low.0,
            high.0,
            low.1,
            high.1,
        );
    }
    output::check("09-two-dimensions/outputs/prefixes.txt", &table);
}
// ANCHOR_END: prefixes

/// Metres from west to east and from south to north of the cell of a place.
fn size_m(place: Point, cuts: u32) -> (f64, f64) {
    let bounds = Cell::around(place, cuts).bounds();
    let corner = |longitude, latitude| Point {
        longitude,
        latitude,
    };
    let width = distance::between(
        corner(bounds.longitude.start, place.latitude),
        corner(bounds.longitude.end, place.latitude),
    );
    (
        width,
        distance::along_meridian(bounds.latitude.start, bounds.latitude.end),
    )
}

// ANCHOR: precision
#[test]
fn what_each_number_of_cuts_buys() {
    let metres = |m: f64| match m {
        m if m >= 10_000.0 => format!("{:.0} km", m / 1000.0),
        m if m >= 1000.0 => format!("{:.1} km", m / 1000.0),
        m if m >= 10.0 => format!("{m:.0} m"),
        m => format!("{m:.2} m"),
    };
    let mut table = format!(
        "{:>4}{:>6}{:>20}{:>16}{:>12}\n",
        "cuts", "bits", "wide at 0 degrees", "wide at Paris", "high"
    );
    for cuts in [5, 6, 10, 13, 16, 20, 26] {
        let (width, height) = size_m(at(0.0, 0.0), cuts);
        let (at_paris, _) = size_m(paris(), cuts);
        table += &format!(
            "{cuts:>4}{:>6}{:>20}{:>16}{:>12}\n",
            2 * cuts,
            metres(width),
            metres(at_paris),
            metres(height)
        );
    }
    output::check("09-two-dimensions/outputs/precision.txt", &table);
    // A double holds every number of 52 and 53 bits, and not every one of 54.
    let exact = |number: u64| (number as f64) as u64 == number;
    assert!(exact((1 << 52) - 1) && exact((1 << 53) - 1) && !exact((1 << 53) + 1));
}
// ANCHOR_END: precision

// ANCHOR: box_ranges
#[test]
fn a_rectangle_becomes_several_ranges() {
    let searched = ZBox::new(2..=5, 1..=4).unwrap();
    let mut table = format!(
        "{:<9}{:<50}{:>6}{:>8}\n",
        "at most", "ranges", "points", "wasted"
    );
    for limit in [1, 2, 3, 4, 6, 8] {
        let ranges = searched.ranges(limit);
        let texts: Vec<String> = ranges
            .iter()
            .map(|r| format!("{}-{}", r.start(), r.end()))
            .collect();
        let points: u64 = ranges.iter().map(|r| r.end() - r.start() + 1).sum();
        let wasted = u128::from(points) - searched.points();
        table += &format!("{limit:<9}{:<50}{points:>6}{wasted:>8}\n", texts.join(" "));
    }
    output::check("09-two-dimensions/outputs/box-ranges.txt", &table);
}
// ANCHOR_END: box_ranges

// ANCHOR: split
#[test]
fn the_greatest_border_in_the_rectangle() {
    let searched = ZBox::new(2..=5, 1..=4).unwrap();
    let (lower, upper) = searched.split().expect("more than one point");
    let lines = format!(
        "first  {:06b} = {:>2}\nlast   {:06b} = {:>2}   differs first in bit 5, a bit of x\n\
         lower part: {} to {}\nupper part: {} to {}\n",
        searched.first(),
        searched.first(),
        searched.last(),
        searched.last(),
        lower.first(),
        lower.last(),
        upper.first(),
        upper.last(),
    );
    output::check("09-two-dimensions/outputs/split.txt", &lines);
    assert_eq!((searched.first() ^ searched.last()).ilog2(), 5);
    assert_eq!(searched.next(lower.last() + 1), Some(upper.first()));
}
// ANCHOR_END: split

// ANCHOR: measured
const STREWN: usize = 50_000;

#[test]
fn rows_read_by_each_way_of_searching() {
    let places = strewn(STREWN);
    let near = places.iter().filter(|place| is_near(place)).count();
    let (low, high) = square(paris(), REACH_KM * 1000.0);
    let searched = box_between(low, high);

    let mut table = format!(
        "{:<26}{:>8}{:>12}{:>12}\n",
        "way", "seeks", "rows read", "near Paris"
    );
    let mut row = |way: &str, found: &Found<'_>| {
        let wanted = found.rows.iter().filter(|place| is_near(place)).count();
        assert_eq!(wanted, near, "{way} finds them all, and each once");
        table += &format!(
            "{way:<26}{:>8}{:>12}{wanted:>12}\n",
            found.seeks,
            found.rows.len()
        );
        found.rows.len()
    };
    let store = Counted::new(&places, by_longitude);
    let mut found = Found::default();
    store.scan(&by_longitude(low), &by_longitude(high), &mut found);
    let strip = row("by longitude", &found);
    let store = Counted::new(&places, by_both);
    let mut found = Found::default();
    store.scan(&by_both(low), &by_both(high), &mut found);
    row("longitude, then latitude", &found);

    let store = Counted::new(&places, |place| encode_u64(number(place)));
    let one = row("Z-order, 1 range", &store.scan_ranges(&searched.ranges(1)));
    let mut few = 0;
    for limit in [2, 4, 8, 16, 32, 64, 128] {
        let ranges = searched.ranges(limit);
        few = row(
            &format!("Z-order, {limit} ranges"),
            &store.scan_ranges(&ranges),
        );
    }
    let jumped = row("Z-order, walk and jump", &store.walk_and_jump(searched));
    let cells = nine_cells();
    row(
        &format!("Z-order, {} cells (GEO)", cells.len()),
        &store.scan_ranges(&cells),
    );
    output::check("09-two-dimensions/outputs/measured.txt", &table);
    assert!(few < strip / 4 && few < one && jumped < strip / 4);
}
// ANCHOR_END: measured

/// The ranges of numbers of the cells that a GEOSEARCH around Paris visits.
fn nine_cells() -> Vec<RangeInclusive<u64>> {
    let range = |cell: &Cell| {
        let scores = cell.scores();
        scores.start as u64..=scores.end as u64 - 1
    };
    map::search().cells().iter().map(range).collect()
}

// ANCHOR: cells
#[test]
fn the_cells_of_a_search_and_what_stands_in_them() {
    let cities = cities();
    let store = Counted::new(&cities, |place| encode_u64(number(place)));
    let mut table = format!("{:<14}{:<38}cities\n", "cell", "scores");
    let mut read = 0;
    for (cell, range) in map::search().cells().iter().zip(nine_cells()) {
        let bits = 2 * cell.step();
        let prefix = range.start() >> (52 - bits);
        let found = store.scan_ranges(std::slice::from_ref(&range));
        let names: Vec<&str> = found.rows.iter().map(|city| city.name.as_str()).collect();
        read += names.len();
        table += &format!(
            "{:<14}{:<38}{}\n",
            format!("{prefix:0width$b}", width = bits as usize),
            format!("{} to {}", range.start(), range.end()),
            names.join(", "),
        );
    }
    table += &format!("rows read: {read}\n");
    output::check("09-two-dimensions/outputs/cells.txt", &table);
}
// ANCHOR_END: cells

// ANCHOR: our_server
#[test]
fn a_server_searches_nine_cells() {
    let told = told_to_both(|talk| {
        for Place { name, at } in cities() {
            let add = format!("GEOADD cities {} {} {name}", at.longitude, at.latitude);
            talk.quietly("app", &add);
        }
        talk.say("app", "ZSCORE cities Paris");
        talk.say("app", "GEOPOS cities Paris");
        talk.say("app", "GEOHASH cities Paris");
        let search = "GEOSEARCH cities FROMLONLAT 2.35 48.86 BYRADIUS 300 km ASC";
        let near = talk.say("app", search);
        assert_eq!(near.texts(), ["Paris", "Lille", "Brussels"]);
    });
    output::check("09-two-dimensions/outputs/server.txt", &told);
}
// ANCHOR_END: our_server

// ANCHOR: edges
#[test]
fn at_the_date_line_and_at_the_pole() {
    let told = told_to_both(|talk| {
        talk.say("app", "GEOADD fiji 179.9 -17 west -179.9 -17 east");
        talk.say("app", "GEODIST fiji west east km");
        let near = talk.say("app", "GEOSEARCH fiji FROMMEMBER west BYRADIUS 50 km ASC");
        assert_eq!(near.texts(), ["west", "east"]);
        talk.say("app", "GEOADD pole 0 85 near 180 85 behind");
        talk.say("app", "GEODIST pole near behind km");
        let near = talk.say("app", "GEOSEARCH pole FROMMEMBER near BYRADIUS 1200 km ASC");
        assert_eq!(near.texts(), ["near"]);
        talk.say("app", "GEOADD pole 0 90 pole");
    });
    output::check("09-two-dimensions/outputs/edges.txt", &told);
    let [west, east] = [at(179.9, -17.0), at(-179.9, -17.0)].map(number);
    assert!(
        west.abs_diff(east) > 1 << 51,
        "more than half of all numbers lie between them"
    );
}
// ANCHOR_END: edges

/// How long a degree is on the ellipsoid of WGS 84, in metres: to the north, and to the east without the narrowing
/// towards the poles.
fn degree_on_the_ellipsoid(latitude: f64) -> [f64; 2] {
    const EQUATOR_M: f64 = 6_378_137.0;
    const FLATTENING: f64 = 1.0 / 298.257_223_563;
    let squared = FLATTENING * (2.0 - FLATTENING);
    let bent = 1.0 - squared * distance::radians(latitude).sin().powi(2);
    let north = EQUATOR_M * (1.0 - squared) / bent.powf(1.5);
    let east = EQUATOR_M / bent.sqrt();
    [north, east].map(distance::radians)
}

/// A degree is wrong by as much as the radius there, so no way, however it winds, is wrong by more than the worst degree.
#[test]
fn a_sphere_is_wrong_by_six_metres_in_a_kilometre_at_worst() {
    let sphere = distance::radians(distance::EARTH_RADIUS_M);
    let wrong = |metres: f64| (sphere / metres - 1.0).abs();
    let north_at = |latitude| wrong(degree_on_the_ellipsoid(latitude)[0]);
    for tenth in 0..=900 {
        let degrees = degree_on_the_ellipsoid(f64::from(tenth) / 10.0);
        assert!(degrees.map(wrong).iter().all(|wrong| *wrong < 0.006));
    }
    // To the north, near the equator, it is more than the 0.5 % of Redis's documentation.
    assert!(north_at(0.0) > 0.0058);
    assert!(north_at(15.0) > 0.005 && north_at(20.0) < 0.005);

    assert_eq!(
        format!("{:.2}", degree_on_the_ellipsoid(0.5)[0] / 1000.0),
        "110.57"
    );
    told_to_both(|talk| {
        talk.quietly("app", "GEOADD equator 0 0 south 0 1 north");
        talk.say("app", "GEODIST equator south north km");
        assert!(talk.transcript.contains("\"111.22"), "{}", talk.transcript);
    });
}

// ANCHOR: letters
#[test]
fn a_geohash_is_a_prefix_in_letters() {
    let mut table = format!("{:<10}{:<13}{:>18}\n", "city", "geohash", "score");
    for name in ["Brussels", "Lille", "Paris", "London", "Lyon"] {
        let city = cities().into_iter().find(|city| city.name == name).unwrap();
        table += &format!(
            "{name:<10}{:<13}{:>18}\n",
            city.at.geohash(),
            number(city.at)
        );
    }
    output::check("09-two-dimensions/outputs/letters.txt", &table);
    // The two neighbours differ in the first letter: the meridian of Greenwich runs between them.
    let (west, east) = (at(-0.001, 51.48).geohash(), at(0.001, 51.48).geohash());
    assert_eq!((&west[..1], &east[..1]), ("g", "u"));
    // The letters reach from pole to pole, the score only to 85 degrees: other bits.
    let first = |letters: &str| {
        "0123456789bcdefghjkmnpqrstuvwxyz"
            .find(&letters[..1])
            .unwrap() as u64
    };
    assert_eq!(first(&at(2.35, 86.0 - 1.0).geohash()), 0b11010);
    assert_eq!(number(at(2.35, 85.0)) >> 47, 0b11010);
    assert_ne!(
        first(&at(50.0, 44.0).geohash()),
        number(at(50.0, 44.0)) >> 47
    );
}
// ANCHOR_END: letters

//! What published searches for places got wrong, and wrong answers that people give.

use book::output;
use engine::keys::{deinterleave, interleave};
use redis_layer::types::geo::{Point, curve, distance};

use crate::counted::number;
use crate::places::{Place, at, strewn};
use crate::servers::told_to_both;

const LETTERS: &str = "0123456789bcdefghjkmnpqrstuvwxyz";

/// The number of a geohash, five bits a letter.
fn bits_of(letters: &str) -> u64 {
    letters.chars().fold(0, |bits, letter| {
        bits << 5 | LETTERS.find(letter).expect("a letter of a geohash") as u64
    })
}

// ANCHOR: cells_too_small
#[test]
fn neighbours_are_not_enough_when_cells_are_smaller_than_the_reach() {
    let (a, b) = (at(106.526_802, 10.952_859), at(106.528_055, 10.958_879));
    let [cell_a, cell_b] = [a, b].map(|place| place.geohash()[..6].to_owned());
    assert_eq!((&cell_a[..], &cell_b[..]), ("w3gy21", "w3gy25"));
    // Thirty bits, fifteen of each coordinate: the rows are two apart.
    let [(_, row_a), (_, row_b)] = [&cell_a, &cell_b].map(|cell| deinterleave(bits_of(cell)));
    assert_eq!(row_b - row_a, 2);
    let high_m = distance::along_meridian(0.0, 180.0 / f64::from(1 << 15));
    let apart_m = distance::between(a, b);
    assert!(
        high_m < apart_m,
        "a cell is {high_m} m high, the places are {apart_m} m apart"
    );
    output::check(
        "09-two-dimensions/outputs/cells-too-small.txt",
        &format!(
            "cells {cell_a} and {cell_b}, rows {row_a} and {row_b}\na cell is {high_m:.0} m high, the places are {apart_m:.0} m apart\n"
        ),
    );
}
// ANCHOR_END: cells_too_small

// ANCHOR: width_at_centre
#[test]
fn a_circle_is_wider_than_its_centre_says() {
    let (centre, radius_m) = (at(0.0, 60.0), 1_000_000.0);
    let angle = radius_m / distance::EARTH_RADIUS_M;
    let narrowing = distance::radians(centre.latitude).cos();
    let width_at_centre = distance::degrees(angle / narrowing);
    let place = at(18.1, 61.26);
    assert!(distance::between(centre, place) < radius_m);
    assert!(place.longitude > width_at_centre, "{width_at_centre}");

    // The example of the report, told to our server and to Redis 7.0.
    told_to_both(|talk| {
        let a = "-0.15307903289794921875 85 a";
        let b = "0.3515625 85.00019260486917005437 b";
        talk.quietly("app", &format!("GEOADD k {a} {b}"));
        let found = talk.quietly("app", "GEORADIUSBYMEMBER k a 4891.94 m");
        assert_eq!(found.texts(), ["a", "b"]);
    });
}
// ANCHOR_END: width_at_centre

// ANCHOR: date_line
#[test]
fn a_rectangle_across_the_date_line_is_two() {
    let within =
        |(west, east): (f64, f64), place: Point| west < place.longitude && place.longitude < east;
    // From 167 degrees east across the Pacific to 66 degrees west.
    let (west, east) = (167.0, -66.9);
    let los_angeles = at(-118.23, 34.01);
    assert!(!within((west, east), los_angeles));
    let both = |place| within((west, 180.1), place) || within((-180.1, east), place);
    assert!(both(los_angeles) && !both(at(2.35, 48.86)));
    // The second half written the wrong way round holds nothing.
    assert!(!within((east, -180.0), los_angeles));
}
// ANCHOR_END: date_line

// ANCHOR: thirteen_digits
/// The number that is left when a score is kept with thirteen decimal digits.
fn thirteen_digits(number: u64) -> u64 {
    let text = format!("{:.12e}", number as f64);
    text.parse::<f64>().expect("a number") as u64
}

#[test]
fn thirteen_digits_move_a_place() {
    let mut table = format!(
        "{:<22}{:>18}{:>18}{:>12}\n",
        "place", "score", "kept", "moved"
    );
    let mut moved_m = Vec::new();
    for (longitude, latitude) in [(13.361_389, 38.115_556), (-0.000_01, -0.000_01)] {
        let stored = number(at(longitude, latitude));
        let kept = thirteen_digits(stored);
        let [from, to] = [stored, kept].map(|n| Point::of_score(n as f64));
        let metres = distance::between(from, to);
        let moved = if metres < 10_000.0 {
            format!("{metres:.0} m")
        } else {
            format!("{:.0} km", metres / 1000.0)
        };
        table += &format!(
            "{:<22}{stored:>18}{kept:>18}{moved:>12}\n",
            format!("{longitude}, {latitude}")
        );
        moved_m.push(metres);
    }
    output::check("09-two-dimensions/outputs/thirteen-digits.txt", &table);
    assert!(moved_m[0] < 20.0 && moved_m[1] > 1e7);
}
// ANCHOR_END: thirteen_digits

// ANCHOR: signed
#[test]
fn a_number_of_64_bits_does_not_fit_into_a_signed_one() {
    let stopped = |x, y| i64::try_from(interleave(x, y)).unwrap_or(i64::MAX);
    let east = 1 << 31;
    assert_eq!(stopped(east, 7), stopped(u32::MAX, 12_345));
    assert_ne!(stopped(east - 1, 7), stopped(east - 1, 12_345));
}
// ANCHOR_END: signed

// ANCHOR: last_letter
#[test]
fn two_bits_are_left_for_an_eleventh_letter() {
    let palermo = at(13.361_389, 38.115_556);
    let stored = Point::of_score(palermo.score());
    assert_eq!(stored.geohash(), "sqc8b49rny0");
    // The two bits as they are left, in front of three zeros.
    let left = curve::cut(stored, 90.0, 26) & 3;
    let letter = LETTERS.chars().nth((left << 3) as usize);
    assert_eq!(letter, Some('s'));
}
// ANCHOR_END: last_letter

// ANCHOR: north_in_letters
#[test]
fn the_last_row_of_a_letter_grid_belongs_to_it() {
    // An even letter halves longitude twice and latitude three times, the next one the other way round:
    // the 32 cells of that one lie in four rows.
    let right = |row: u32| (0..=3).contains(&row);
    let wrong = |row: u32| (0..3).contains(&row);
    let north_of_row_2 = 2 + 1;
    assert!(right(north_of_row_2), "it is in the same cell");
    assert!(!wrong(north_of_row_2), "it is looked for in another");
}
// ANCHOR_END: north_in_letters

/// A way to number the points of a map with four bits for each coordinate.
type Numbering = fn(u32, u32) -> u64;

fn backwards(coordinate: u32) -> u32 {
    coordinate.reverse_bits() >> 28
}

const NUMBERINGS: [(&str, Numbering); 7] = [
    ("interleaved, x first", interleave),
    ("interleaved, y first", |x, y| interleave(y, x)),
    ("one after the other", |x, y| u64::from(x << 4 | y)),
    ("added", |x, y| u64::from(x + y)),
    ("lowest bits first", |x, y| {
        interleave(backwards(x), backwards(y))
    }),
    ("one axis reversed", |x, y| interleave(x, backwards(y))),
    ("three of four bits", |x, y| interleave(x >> 1, y >> 1)),
];

// ANCHOR: wrong_numbers
#[test]
fn wrong_numbers_and_which_rule_each_breaks() {
    let mut table = format!(
        "{:<24}{:<12}{:<12}{:<12}\n",
        "number", "one each", "corners", "cells"
    );
    let all = || (0..16).flat_map(|x| (0..16).map(move |y| (x, y)));
    let mut marks = Vec::new();
    for (name, number) in NUMBERINGS {
        let mut numbers: Vec<u64> = all().map(|(x, y)| number(x, y)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let unique = numbers.len() == 256;
        let corners =
            all().all(|(x, y)| all().all(|(u, v)| x > u || y > v || number(x, y) <= number(u, v)));
        // Every cell of four by four points has sixteen numbers without a stranger between.
        let cells = (0..16).all(|cell| {
            let (left, bottom) = (cell % 4 * 4, cell / 4 * 4);
            let inside =
                (left..left + 4).flat_map(|x| (bottom..bottom + 4).map(move |y| number(x, y)));
            let mut inside: Vec<u64> = inside.collect();
            inside.sort_unstable();
            inside.dedup();
            inside.len() == 16 && inside[15] - inside[0] == 15
        });
        let say = |holds| if holds { "holds" } else { "broken" };
        table += &format!(
            "{name:<24}{:<12}{:<12}{:<12}\n",
            say(unique),
            say(corners),
            say(cells)
        );
        marks.push((unique, corners, cells));
    }
    output::check("09-two-dimensions/outputs/wrong-numbers.txt", &table);
    assert_eq!(marks[..2], [(true, true, true); 2]);
    assert!(marks[2..].iter().all(|mark| *mark != (true, true, true)));
}
// ANCHOR_END: wrong_numbers

/// What a search leaves out that it should not.
#[derive(Clone, Copy, PartialEq)]
enum Wrong {
    Nothing,
    Neighbours,
    Corners,
    Size,
    DateLine,
    Distance,
}

/// The cells around a place, by column and row, of a search that is wrong in one way.
fn visited(centre: Point, cuts: u32, wrong: Wrong) -> Vec<(u32, u32)> {
    let cuts = if wrong == Wrong::Size { cuts + 2 } else { cuts };
    let shift = 26 - cuts;
    let (x, y) = deinterleave(number(centre));
    let (x, y) = (i64::from(x >> shift), i64::from(y >> shift));
    let side = 1_i64 << cuts;
    let mut cells = Vec::new();
    for (east, north) in (-1..=1).flat_map(|e| (-1..=1).map(move |n| (e, n))) {
        let skipped = match wrong {
            Wrong::Neighbours => (east, north) != (0, 0),
            Wrong::Corners => east != 0 && north != 0,
            Wrong::DateLine => !(0..side).contains(&(x + east)),
            _ => false,
        };
        if !skipped && (0..side).contains(&(y + north)) {
            cells.push(((x + east).rem_euclid(side) as u32, (y + north) as u32));
        }
    }
    cells
}

// ANCHOR: wrong_searches
#[test]
fn wrong_searches_and_what_each_misses() {
    const CUTS: u32 = 6;
    const REACH_M: f64 = 250_000.0;
    // Europe's places, and the same ones with the date line running through them.
    let mut places = strewn(4000);
    let moved = |place: &Place| {
        let longitude = place.at.longitude + 170.0;
        let around = if longitude > 180.0 { 360.0 } else { 0.0 };
        Place {
            name: format!("d{}", place.name),
            at: at(longitude - around, place.at.latitude - 45.0),
        }
    };
    let far: Vec<Place> = places.iter().map(moved).collect();
    places.extend(far);
    let searches: Vec<Point> = places.iter().step_by(80).map(|place| place.at).collect();
    let shift = 26 - CUTS;
    let cell = |place: Point, cuts_more: u32| {
        let (x, y) = deinterleave(number(place));
        (x >> (shift - cuts_more), y >> (shift - cuts_more))
    };
    let mut table = format!(
        "{:<26}{:>10}{:>10}{:>16}\n",
        "search", "missed", "too many", "searches wrong"
    );
    for (name, wrong) in [
        ("nine cells and distance", Wrong::Nothing),
        ("its own cell alone", Wrong::Neighbours),
        ("without the corners", Wrong::Corners),
        ("cells of a quarter", Wrong::Size),
        ("no step over 180", Wrong::DateLine),
        ("without the distance", Wrong::Distance),
    ] {
        let more = if wrong == Wrong::Size { 2 } else { 0 };
        let (mut missed, mut many, mut bad) = (0, 0, 0);
        for &centre in &searches {
            let cells = visited(centre, CUTS, wrong);
            let (mut lost, mut extra) = (0, 0);
            for place in &places {
                let is_near = distance::between(centre, place.at) <= REACH_M;
                let is_read = cells.contains(&cell(place.at, more));
                let is_found = is_read && (is_near || wrong == Wrong::Distance);
                lost += u32::from(is_near && !is_found);
                extra += u32::from(is_found && !is_near);
            }
            missed += lost;
            many += extra;
            bad += u32::from(lost + extra > 0);
        }
        assert_eq!(missed + many == 0, wrong == Wrong::Nothing, "{name}");
        table += &format!(
            "{name:<26}{missed:>10}{many:>10}{:>16}\n",
            format!("{bad} of {}", searches.len())
        );
    }
    output::check("09-two-dimensions/outputs/wrong-searches.txt", &table);
}
// ANCHOR_END: wrong_searches

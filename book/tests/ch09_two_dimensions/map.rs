//! The figures: a small curve with a rectangle, and Europe with cells, the curve and a search.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use book::output;
use engine::keys::{ZBox, deinterleave, interleave};
use redis_layer::types::geo::{Cell, Form, Point, Shape, distance};

use crate::places::{Place, REACH_KM, at, cities, paris, square};

/// Pixels for one degree, from west to east and from south to north.
const WIDE: f64 = 15.0;
const HIGH: f64 = 22.0;
/// The western and northern edge of the map.
const WEST: f64 = -11.25;
const NORTH: f64 = 63.79;
const EAST: f64 = 22.5;
const SOUTH: f64 = 34.55;

/// Names that would run into others when they stand to the right of their place.
const TO_THE_LEFT: [&str; 7] = [
    "Bilbao", "Bordeaux", "Dublin", "Lille", "London", "Prague", "Tallinn",
];

/// Around letters, so that they can be read where a line runs behind them.
const HALO: &str =
    "stroke=\"var(--bg)\" stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\"";

fn open(title: &str, width: f64, height: f64) -> String {
    format!(
        "<svg role=\"img\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" style=\"max-width:100%;height:auto\" \
         fill=\"currentColor\" stroke=\"none\" font-family=\"sans-serif\" font-size=\"11\">\n<title>{title}</title>\n"
    )
}

fn line(svg: &mut String, element: &str) {
    writeln!(svg, "{element}").expect("a string takes every line");
}

fn pixel(place: Point) -> (f64, f64) {
    (
        (place.longitude - WEST) * WIDE,
        (NORTH - place.latitude) * HIGH,
    )
}

/// A path through these pixels.
fn path(pixels: &[(f64, f64)], style: &str) -> String {
    let mut d = String::new();
    for (n, (x, y)) in pixels.iter().enumerate() {
        let _ = write!(d, "{}{x:.0} {y:.0}", if n == 0 { "M" } else { "L" });
    }
    format!("<path d=\"{d}\" fill=\"none\" stroke=\"currentColor\" {style}/>")
}

/// The left upper and the right lower pixel of a cell, cut off where the map ends.
fn corners(cell: Cell) -> ((f64, f64), (f64, f64)) {
    let bounds = cell.bounds();
    let corner = |longitude: f64, latitude: f64| {
        pixel(Point {
            longitude: longitude.clamp(WEST, EAST),
            latitude: latitude.clamp(SOUTH, NORTH),
        })
    };
    (
        corner(bounds.longitude.start, bounds.latitude.end),
        corner(bounds.longitude.end, bounds.latitude.start),
    )
}

/// The borders of these cells: each line once, from one end of the map to the other.
fn borders(cells: &[Cell]) -> String {
    let (mut across, mut down) = (BTreeSet::new(), BTreeSet::new());
    for cell in cells {
        let ((left, top), (right, bottom)) = corners(*cell);
        across.extend([top.round() as u32, bottom.round() as u32]);
        down.extend([left.round() as u32, right.round() as u32]);
    }
    let (width, height) = ((EAST - WEST) * WIDE, (NORTH - SOUTH) * HIGH);
    let across = across.iter().map(|y| format!("M0 {y}H{width:.0}"));
    let down = down.iter().map(|x| format!("M{x} 0V{height:.0}"));
    across.chain(down).collect()
}

/// The cells of one size whose middle is on the map, in the order of their numbers.
fn cells_on_the_map(step: u32) -> Vec<Cell> {
    let mut cells = Vec::new();
    let width = 360.0 / f64::from(1 << step);
    let height = 2.0 * 85.051_128_78 / f64::from(1 << step);
    let mut longitude = WEST + width / 2.0;
    while longitude < EAST {
        let mut latitude = SOUTH + height / 2.0;
        while latitude < NORTH {
            cells.push(Cell::around(at(longitude, latitude), step));
            latitude += height;
        }
        longitude += width;
    }
    cells.sort_by(|a, b| a.scores().start.total_cmp(&b.scores().start));
    cells.dedup();
    cells
}

/// The edge of the search, all around.
fn circle() -> Vec<(f64, f64)> {
    let (low, high) = square(paris(), REACH_KM * 1000.0);
    let up = (high.latitude - low.latitude) / 2.0;
    let angle = distance::radians(up);
    let (from_lat, from_lon) = (paris().latitude, paris().longitude);
    let sin = distance::radians(from_lat).sin();
    let cos = distance::radians(from_lat).cos();
    (0..=36)
        .map(|n| {
            let course = distance::radians(f64::from(n) * 10.0);
            let latitude = (sin * angle.cos() + cos * angle.sin() * course.cos()).asin();
            let east = (course.sin() * angle.sin() * cos).atan2(angle.cos() - sin * latitude.sin());
            pixel(at(
                from_lon + distance::degrees(east),
                distance::degrees(latitude),
            ))
        })
        .collect()
}

pub(crate) fn search() -> Shape {
    Shape {
        centre: paris(),
        form: Form::Circle { radius: REACH_KM },
        unit_m: 1000.0,
    }
}

/// A dot and a name for each city.
fn draw_cities(svg: &mut String) {
    let mut dots = String::new();
    let is_shown = |city: &Place| city.at.longitude < EAST - 4.0;
    // The curve runs behind the names.
    line(svg, &format!("<g {HALO}>"));
    for city in cities().into_iter().filter(is_shown) {
        let (x, y) = pixel(city.at);
        let (side, below, anchor) = match city.name.as_str() {
            "Brussels" => (x, -6.0, " text-anchor=\"middle\""),
            name if TO_THE_LEFT.contains(&name) => (x - 5.0, 3.5, " text-anchor=\"end\""),
            _ => (x + 5.0, 3.5, ""),
        };
        let _ = write!(dots, "M{x:.0} {y:.0}h0");
        line(
            svg,
            &format!(
                "<text x=\"{side:.0}\" y=\"{:.0}\"{anchor}>{}</text>",
                y + below,
                city.name
            ),
        );
    }
    line(svg, "</g>");
    line(
        svg,
        &format!(
            "<path d=\"{dots}\" stroke=\"currentColor\" stroke-width=\"6\" stroke-linecap=\"round\"/>"
        ),
    );
}

#[test]
fn europe_with_the_cells_of_a_search() {
    let visited = search().cells();
    let step = visited[0].step();
    let mut svg = open(
        &format!(
            "A map of cities with the Z-order curve through cells of {step} cuts. A circle around Paris lies in {} shaded cells.",
            visited.len()
        ),
        (EAST - WEST) * WIDE,
        (NORTH - SOUTH) * HIGH,
    );
    for cell in &visited {
        let ((left, top), (right, bottom)) = corners(*cell);
        line(
            &mut svg,
            &format!(
                "<rect x=\"{left:.0}\" y=\"{top:.0}\" width=\"{:.0}\" height=\"{:.0}\" fill-opacity=\"0.13\"/>",
                right - left,
                bottom - top
            ),
        );
    }
    let cells = cells_on_the_map(step);
    line(
        &mut svg,
        &format!(
            "<path d=\"{}\" stroke=\"currentColor\" stroke-opacity=\"0.2\"/>",
            borders(&cells)
        ),
    );
    let middles: Vec<(f64, f64)> = cells.iter().map(|cell| pixel(cell.centre())).collect();
    line(
        &mut svg,
        &path(&middles, "stroke-opacity=\"0.38\" stroke-width=\"1.2\""),
    );
    // The strip that a scan by longitude reads.
    let (low, high) = square(paris(), REACH_KM * 1000.0);
    for edge in [low, high] {
        let x = pixel(edge).0;
        let strip = [(x, 0.0), (x, (NORTH - SOUTH) * HIGH)];
        line(
            &mut svg,
            &path(&strip, "stroke-dasharray=\"5 5\" stroke-opacity=\"0.8\""),
        );
    }
    line(&mut svg, &path(&circle(), "stroke-width=\"2\""));
    draw_cities(&mut svg);
    output::check("09-two-dimensions/figures/europe.svg", &(svg + "</svg>"));
}

#[test]
fn eight_by_eight_with_a_rectangle() {
    const CELL: f64 = 52.0;
    let searched = ZBox::new(2..=5, 1..=4).unwrap();
    let ranges = searched.ranges(usize::MAX);
    let mut svg = open(
        "Eight by eight points with their numbers, the Z-order curve, and the rectangle of columns 2 to 5 and rows 1 to 4.",
        8.0 * CELL + 2.0,
        8.0 * CELL + 2.0,
    );
    let middle = |number: u64| {
        let (x, y) = deinterleave(number);
        (
            1.0 + (f64::from(x) + 0.5) * CELL,
            1.0 + (7.5 - f64::from(y)) * CELL,
        )
    };
    let lines: String = (0..=8)
        .map(|n| f64::from(n) * CELL + 1.0)
        .map(|at| format!("M1 {at}H{0}M{at} 1V{0}", 8.0 * CELL + 1.0))
        .collect();
    line(
        &mut svg,
        &format!("<path d=\"{lines}\" stroke=\"currentColor\" stroke-opacity=\"0.25\"/>"),
    );
    let (left, bottom) = middle(searched.first());
    line(
        &mut svg,
        &format!(
            "<rect x=\"{}\" y=\"{}\" width=\"{3}\" height=\"{3}\" fill-opacity=\"{2}\"/>",
            left - CELL / 2.0,
            bottom - 3.5 * CELL,
            0.16,
            4.0 * CELL
        ),
    );
    let all: Vec<(f64, f64)> = (0..64).map(middle).collect();
    line(&mut svg, &path(&all, "stroke-opacity=\"0.35\""));
    for range in &ranges {
        let part: Vec<(f64, f64)> = range.clone().map(middle).collect();
        line(&mut svg, &path(&part, "stroke-width=\"3\""));
        let (x, y) = part[0];
        line(
            &mut svg,
            &format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"4.5\"/>"),
        );
    }
    // The curve runs behind the numbers.
    line(
        &mut svg,
        &format!("<g font-size=\"13\" font-family=\"monospace\" {HALO}>"),
    );
    for number in 0..64 {
        let (x, y) = middle(number);
        let (x, y) = (x - CELL / 2.0 + 4.0, y - CELL / 2.0 + 14.0);
        line(
            &mut svg,
            &format!("<text x=\"{x}\" y=\"{y}\">{number}</text>"),
        );
    }
    line(&mut svg, "</g>");
    output::check(
        "09-two-dimensions/figures/eight-by-eight.svg",
        &(svg + "</svg>"),
    );
    assert_eq!(interleave(5, 4), searched.last());
}

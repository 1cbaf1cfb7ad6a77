//! Draws one batch and where its four rows lie, from a store that was written.

use std::fmt::Write as _;

use book::output;

use crate::orders::Status::{New, Paid};
use crate::orders::{changed, keys, name, order, place, rows};
use crate::three_orders;

const LINE: usize = 22;
const TOP: usize = 44;

#[test]
fn one_batch_four_places() {
    let db = three_orders();
    let new = order(9, "ann", 550, New);
    let own = keys(&new);
    place(&db, &new);
    let lines: Vec<(String, bool)> = rows(&db)
        .iter()
        .map(|(key, _)| (name(key), own.contains(key)))
        .collect();
    let height = TOP + LINE * lines.len() + 10;
    let mut svg = format!(
        concat!(
            "<figure>\n<svg role=\"img\" aria-label=\"One batch puts four rows of order 9 into four different places ",
            "of one sorted map\" viewBox=\"0 0 700 {0}\" width=\"100%\" fill=\"currentColor\" stroke=\"none\" ",
            "font-size=\"15\">\n<defs><marker id=\"os-tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" ",
            "markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\"/></marker></defs>\n",
        ),
        height
    );
    box_of(&mut svg, 10, TOP + 60, 190, 4 * LINE + 16);
    text(&mut svg, 20, TOP + 50, "one batch", true);
    box_of(&mut svg, 400, TOP - 20, 210, height - TOP + 14);
    text(&mut svg, 400, TOP - 28, "the store, in key order", true);
    for (n, key) in own.iter().enumerate() {
        let y = TOP + 82 + LINE * n;
        text(&mut svg, 20, y, &format!("put {}", name(key)), false);
        let to = lines
            .iter()
            .position(|(line, _)| *line == name(key))
            .unwrap();
        let end = TOP + LINE * to - 4;
        let _ = writeln!(
            svg,
            "<path d=\"M205 {} C300 {0} 300 {end} 396 {end}\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\" marker-end=\"url(#os-tip)\"/>",
            y - 5
        );
    }
    for (n, (line, own)) in lines.iter().enumerate() {
        text(&mut svg, 412, TOP + LINE * n, line, *own);
    }
    svg.push_str("</svg>\n</figure>");
    output::check("10-order-store/figures/four-rows.svg", &svg);
    assert_eq!(lines.iter().filter(|(_, own)| *own).count(), 4);
    // A change of the status touches two of the four, and adds one.
    assert_eq!(changed(&new, Paid).len(), 3);
}

fn box_of(svg: &mut String, x: usize, y: usize, width: usize, height: usize) {
    let _ = writeln!(
        svg,
        "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"6\" fill-opacity=\"0.06\" stroke=\"currentColor\" stroke-opacity=\"0.5\"/>"
    );
}

fn text(svg: &mut String, x: usize, y: usize, line: &str, bold: bool) {
    let weight = if bold { " font-weight=\"bold\"" } else { "" };
    let _ = writeln!(
        svg,
        "<text x=\"{x}\" y=\"{y}\" font-family=\"monospace\"{weight}>{line}</text>"
    );
}

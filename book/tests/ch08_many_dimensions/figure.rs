//! Draws which bits of a packed score a double keeps, from what a double does keep.

use std::fmt::Write as _;

use book::output;

use crate::board::{GEMS_SHIFT, TIME_BITS, packed, stored, whole};

/// Bits of the layout: 33 for the gems, 1 for paid, 29 for the time.
const BITS: u32 = 63;
const CELL: u32 = 9;
const LEFT: u32 = 96;

/// How many low bits of a score with so many gems a double cannot keep.
fn lost_bits(gems: u64) -> u32 {
    // The lowest power of two that still makes a difference.
    (0..TIME_BITS)
        .find(|&bit| whole(stored(packed(gems, 0, 1 << bit))) != whole(stored(packed(gems, 0, 0))))
        .filter(|&bit| whole(stored(packed(gems, 0, 1 << bit))) == packed(gems, 0, 1 << bit))
        .unwrap_or(TIME_BITS)
}

fn seconds(bits: u32) -> String {
    match 1u32 << bits {
        1 => "every second".to_owned(),
        step => format!("every {step} s"),
    }
}

#[test]
fn the_low_field_is_lost_bit_by_bit() {
    let rows: Vec<u32> = vec![8, 23, 24, 25, 26, 28, 30, 33];
    let height = 44 + 26 * rows.len();
    let mut svg = format!(
        "<svg role=\"img\" viewBox=\"0 0 810 {height}\" width=\"810\" style=\"max-width:100%;height:auto\" \
         fill=\"currentColor\" stroke=\"none\" font-family=\"monospace\" font-size=\"12\">\n\
         <title>A packed score of 63 bits: 33 for the gems, 1 for paid, 29 for the time. From 2 to the 23 gems on \
         the lowest bits of the time are lost, one more with each doubling.</title>\n"
    );
    let x = |bit: u32| LEFT + (BITS - bit) * CELL;
    for (text, from, to) in [
        ("gems, 33 bits", BITS, GEMS_SHIFT),
        ("time, 29 bits", TIME_BITS, 0),
    ] {
        let middle = x(from).midpoint(x(to));
        let _ = writeln!(
            svg,
            "<text x=\"{middle}\" y=\"14\" text-anchor=\"middle\">{text}</text>"
        );
    }
    let paid = x(GEMS_SHIFT);
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"28\" text-anchor=\"middle\">paid</text>",
        paid + 4
    );
    let _ = writeln!(svg, "<text x=\"0\" y=\"28\">gems</text>");
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"28\">times told apart</text>",
        x(0) + 10
    );
    for (row, &power) in rows.iter().enumerate() {
        // The smallest number of gems with this many bits, and one that fills the layout.
        let gems = if power == 8 {
            200
        } else {
            1 << (power - u32::from(power == 33))
        };
        let lost = lost_bits(gems);
        let label = if power == 8 {
            "200".to_owned()
        } else {
            format!("2^{}", gems.ilog2())
        };
        draw(&mut svg, u32::try_from(row).unwrap(), &label, gems, lost);
    }
    svg += "</svg>";
    assert_eq!(lost_bits((1 << 23) - 1), 0);
    assert_eq!(lost_bits(1 << 23), 1);
    assert_eq!(lost_bits((1 << 33) - 1), 10);
    output::check("08-many-dimensions/figures/lost-bits.svg", &svg);
}

fn draw(svg: &mut String, row: u32, label: &str, gems: u64, lost: u32) {
    let top = 36 + 26 * row;
    let used = gems.ilog2() + 1 + GEMS_SHIFT;
    let x = |bit: u32| LEFT + (BITS - bit) * CELL;
    let _ = writeln!(svg, "<text x=\"0\" y=\"{}\">{label}</text>", top + 14);
    // From the left: bits that are zero, gems, paid, time that is kept, time that is lost.
    let fills = [
        (BITS, used, 0.02),
        (used, GEMS_SHIFT, 0.3),
        (GEMS_SHIFT, TIME_BITS, 0.75),
        (TIME_BITS, lost, 0.15),
    ];
    for (from, to, fill) in fills {
        if from > to {
            let width = (from - to) * CELL;
            let _ = writeln!(
                svg,
                "<rect x=\"{}\" y=\"{top}\" width=\"{width}\" height=\"18\" fill-opacity=\"{fill}\" \
                 stroke=\"currentColor\" stroke-opacity=\"0.5\"/>",
                x(from)
            );
        }
    }
    if lost > 0 {
        let (left, width) = (x(lost), lost * CELL);
        let _ = writeln!(
            svg,
            "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"18\" fill=\"none\" \
             stroke=\"currentColor\" stroke-width=\"1.5\" stroke-dasharray=\"3 2\"/>\n\
             <path d=\"M{left} {} L{} {top}\" stroke=\"currentColor\"/>",
            top + 18,
            left + width
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\">{}</text>",
        x(0) + 10,
        top + 14,
        seconds(lost)
    );
}

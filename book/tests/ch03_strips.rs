//! The strips of chapters 3 and 4: the sixteen patterns of four bits, in byte order before and after
//! an encoding, drawn as SVG.
//!
//! ```text
//! cargo test -p book --test ch03_strips
//! ```

use std::fmt::Write as _;

use book::output;

const CELL: usize = 44;
const WIDTH: usize = 16 * CELL + 2;

/// Sixteen patterns in the order of their bits, each with the value that it stands for.
struct Strip {
    caption: &'static str,
    values: Vec<String>,
    /// First cell, last cell: along these cells the values rise. The last may stand left of the first.
    rises: Vec<(usize, usize)>,
}

fn draw(title: &str, strips: &[Strip]) -> String {
    let height = strips.len() * 110;
    let mut svg = format!(
        "<svg role=\"img\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" style=\"max-width:100%;height:auto\" \
         fill=\"currentColor\" stroke=\"none\" font-family=\"monospace\" font-size=\"12\" text-anchor=\"middle\">\n\
         <title>{title}</title>\n"
    );
    for (n, strip) in strips.iter().enumerate() {
        draw_strip(&mut svg, strip, 110 * n);
    }
    svg + "</svg>"
}

fn draw_strip(svg: &mut String, strip: &Strip, top: usize) {
    let caption = strip.caption;
    let row = top + 24;
    line(
        svg,
        &format!(
            "<text x=\"1\" y=\"{}\" text-anchor=\"start\" font-family=\"sans-serif\" font-size=\"13\">{caption}</text>",
            top + 15
        ),
    );
    for (n, value) in strip.values.iter().enumerate() {
        let (left, middle) = (1 + n * CELL, 1 + n * CELL + CELL / 2);
        let shade = if value.starts_with('-') { 0.16 } else { 0.04 };
        line(
            svg,
            &format!(
                "<rect x=\"{left}\" y=\"{row}\" width=\"{CELL}\" height=\"44\" fill-opacity=\"{shade}\" stroke=\"currentColor\" stroke-opacity=\"0.4\"/>"
            ),
        );
        line(
            svg,
            &format!(
                "<text x=\"{middle}\" y=\"{}\" fill-opacity=\"0.7\">{n:04b}</text>",
                row + 17
            ),
        );
        line(
            svg,
            &format!(
                "<text x=\"{middle}\" y=\"{}\" font-size=\"14\" font-weight=\"bold\">{value}</text>",
                row + 36
            ),
        );
    }
    for &(from, to) in &strip.rises {
        let (start, end) = (1 + from * CELL + CELL / 2, 1 + to * CELL + CELL / 2);
        let back = if end > start { -8 } else { 8 };
        let (y, tip) = (row + 58, end as isize + back);
        line(
            svg,
            &format!(
                "<path d=\"M{start} {y}H{end}M{tip} {}L{end} {y}L{tip} {}\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\"/>",
                y - 5,
                y + 5
            ),
        );
        line(svg, &format!("<circle cx=\"{start}\" cy=\"{y}\" r=\"3\"/>"));
    }
}

fn line(svg: &mut String, element: &str) {
    writeln!(svg, "{element}").expect("a string takes every line");
}

/// The patterns sorted by `key`, as values.
fn sorted(key: impl Fn(u8) -> u8, value: impl Fn(u8) -> String) -> Vec<String> {
    let mut patterns: Vec<u8> = (0..16).collect();
    patterns.sort_by_key(|&bits| key(bits));
    patterns.into_iter().map(value).collect()
}

#[test]
fn four_bits_as_twos_complement() {
    let value = |bits: u8| {
        if bits < 8 {
            bits.to_string()
        } else {
            format!("-{}", 16 - bits)
        }
    };
    let plain = Strip {
        caption: "Four bits of two's complement, as bytes sort. The arrows show where the values rise.",
        values: sorted(|bits| bits, value),
        rises: vec![(0, 7), (8, 15)],
    };
    let flipped = Strip {
        caption: "The same values under the keys of the sign flip.",
        values: sorted(|bits| bits ^ 0b1000, value),
        rises: vec![(0, 15)],
    };
    assert_eq!(plain.values[8], "-8");
    assert_eq!(flipped.values[0], "-8");
    let title = "Plain four-bit keys: 0 to 7, then -8 to -1. With the sign bit flipped: -8 to 7.";
    output::check(
        "03-twos-complement/figures/four-bits.svg",
        &draw(title, &[plain, flipped]),
    );
}

#[test]
fn four_bits_as_a_float() {
    let value = |bits: u8| {
        let magnitude = match bits & 0b111 {
            0b111 => "NaN".to_owned(),
            0b110 => "inf".to_owned(),
            0b000 => "0".to_owned(),
            0b001 => "0.5".to_owned(),
            rest => {
                let fraction = 1.0 + f64::from(rest & 1) / 2.0;
                (fraction * 2f64.powi(i32::from(rest >> 1) - 1)).to_string()
            }
        };
        if bits < 8 {
            magnitude
        } else {
            format!("-{magnitude}")
        }
    };
    let plain = Strip {
        caption: "A float of four bits (sign, two of exponent, one of fraction), as bytes sort.",
        values: sorted(|bits| bits, value),
        rises: vec![(0, 6), (14, 8)],
    };
    let ordered = Strip {
        caption: "The same values under the keys of the total order.",
        values: sorted(
            |bits| {
                if bits & 0b1000 == 0 {
                    bits | 0b1000
                } else {
                    !bits & 0b1111
                }
            },
            value,
        ),
        rises: vec![(1, 14)],
    };
    assert_eq!(plain.values[5], "3");
    assert_eq!(ordered.values[1], "-inf");
    let title = "Plain four-bit floats: 0 up to inf and NaN, then -0 down to -inf. In total order: -NaN, -inf up to inf, NaN.";
    output::check(
        "04-ieee-754/figures/four-bits.svg",
        &draw(title, &[plain, ordered]),
    );
}

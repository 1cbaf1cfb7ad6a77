//! A figure: the same three strings with a number behind them, without an end and with one.

use std::fmt::Write as _;

use book::output;
use engine::keys::encode_bytes;

/// The width and the height of a byte's box.
const BOX: usize = 34;
/// From one row to the next.
const ROW: usize = 46;

/// What a byte is.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    String,
    End,
    Next,
}

type Key = Vec<(u8, Part)>;

/// The string's own bytes, those that frame it, and the number 112, `70`.
fn key(string: &[u8], ended: bool) -> Key {
    let bytes = if ended {
        encode_bytes(string)
    } else {
        string.to_vec()
    };
    let own = bytes.len() - if ended { 2 } else { 0 };
    let mut key: Key = bytes
        .iter()
        .enumerate()
        .map(|(i, &byte)| (byte, if i < own { Part::String } else { Part::End }))
        .collect();
    key.push((0x70, Part::Next));
    key
}

fn bytes(key: &Key) -> Vec<u8> {
    key.iter().map(|(byte, _)| *byte).collect()
}

/// The keys of the three strings as a scan returns them, each with its string.
fn scan(ended: bool) -> Vec<(&'static [u8], Key)> {
    let mut rows = [&b"a"[..], b"a\x00", b"aa"].map(|string| (string, key(string, ended)));
    rows.sort_by_key(|(_, key)| bytes(key));
    rows.to_vec()
}

fn draw(svg: &mut String, left: usize, heading: &str, rows: &[(&[u8], Key)]) {
    let _ = writeln!(
        svg,
        r#"<text x="{left}" y="16" text-anchor="start" font-family="sans-serif" font-size="13">{heading}</text>"#
    );
    for (n, (string, key)) in rows.iter().enumerate() {
        let top = 30 + n * ROW;
        let _ = writeln!(
            svg,
            r#"<text x="{}" y="{}" text-anchor="end">"{}"</text>"#,
            left + 52,
            top + 22,
            string.escape_ascii()
        );
        // The byte that puts this row behind the one above.
        let decides = n.checked_sub(1).and_then(|above| {
            let pairs = bytes(&rows[above].1).into_iter().zip(bytes(key));
            pairs.into_iter().position(|(a, b)| a != b)
        });
        for (i, (byte, part)) in key.iter().enumerate() {
            let x = left + 62 + i * BOX;
            let opacity = match part {
                Part::String => "0.05",
                Part::End => "0.28",
                Part::Next => "0",
            };
            let dash = if *part == Part::Next {
                r#" stroke-dasharray="3 3""#
            } else {
                ""
            };
            let width = if decides == Some(i) { 3 } else { 1 };
            let _ = writeln!(
                svg,
                r#"<rect x="{x}" y="{top}" width="{BOX}" height="{BOX}" fill-opacity="{opacity}" stroke="currentColor" stroke-width="{width}"{dash}/><text x="{}" y="{}">{byte:02x}</text>"#,
                x + BOX / 2,
                top + 22
            );
        }
    }
}

#[test]
fn where_the_strings_end() {
    let (bare, ended) = (scan(false), scan(true));
    let strings = |rows: &[(&'static [u8], Key)]| rows.iter().map(|row| row.0).collect::<Vec<_>>();
    assert_eq!(strings(&bare), [&b"a\x00"[..], b"aa", b"a"]);
    assert_eq!(strings(&ended), [&b"a"[..], b"a\x00", b"aa"]);

    let mut svg = String::from(
        r#"<svg role="img" viewBox="0 0 570 172" width="570" style="max-width:100%;height:auto" fill="currentColor" font-family="monospace" font-size="14" text-anchor="middle">
<title>Nothing between: a with a zero byte, then aa, then a. Escaped and ended: a, a with a zero byte, aa.</title>
"#,
    );
    draw(&mut svg, 12, "Nothing between: a scan returns", &bare);
    draw(&mut svg, 262, "Escaped and ended: a scan returns", &ended);
    svg += "</svg>\n";
    output::check("05-strings-and-tuples/figures/ends.svg", &svg);
}

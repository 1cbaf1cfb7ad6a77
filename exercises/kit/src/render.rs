//! Tables of values, hex and bits, with a mark under the byte that decides.

use std::cmp::Ordering;
use std::fmt::Write as _;

use crate::answer::hex;

/// Rows longer than this are cut to a window around the byte that decides.
const WINDOW_BYTES: usize = 16;

/// The first place at which two byte strings differ. The end of the shorter one counts as a difference.
pub fn first_difference(a: &[u8], b: &[u8]) -> Option<usize> {
    let common = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    (common < a.len() || common < b.len()).then_some(common)
}

/// Two labelled byte strings under each other, as hex, with the bits of the byte that decides.
///
/// `decides` completes the line under the table: `decides`, or `differs first`.
pub fn two_rows(a: (&str, &[u8]), b: (&str, &[u8]), decides: &str) -> String {
    let at = first_difference(a.1, b.1);
    let focus = at.unwrap_or(0);
    let from = window_start(a.1.len().max(b.1.len()), focus);
    let width = a.0.chars().count().max(b.0.chars().count()).max(5);
    let cells = [window(a.1, from), window(b.1, from)];
    let hex_width = cells
        .iter()
        .map(|c| c.chars().count())
        .max()
        .unwrap_or(0)
        .max(3);
    let mut text = String::new();
    let _ = writeln!(
        text,
        "  {:>width$}   {:<hex_width$}   bits of byte {focus}",
        "", "hex"
    );
    for ((label, bytes), cells) in [a, b].into_iter().zip(&cells) {
        let bits = bytes
            .get(focus)
            .map_or_else(|| "(ended)".to_owned(), |byte| format!("{byte:08b}"));
        let _ = writeln!(text, "  {label:>width$}   {cells:<hex_width$}   {bits}");
    }
    let Some(at) = at else {
        let _ = writeln!(text, "  {:>width$}   the same bytes", "");
        return text;
    };
    let lead = if from > 0 { 3 } else { 0 } + (at - from) * 3;
    let verdict = match (a.1.get(at), b.1.get(at)) {
        (Some(x), Some(y)) => {
            let sign = if x.cmp(y) == Ordering::Less { '<' } else { '>' };
            format!("byte {at} {decides}: {x:02x} {sign} {y:02x}")
        }
        _ => format!("one ends before byte {at}; the shorter one sorts first"),
    };
    let _ = writeln!(text, "  {:>width$}   {:lead$}^^ {verdict}", "", "");
    text
}

fn window_start(length: usize, focus: usize) -> usize {
    if length <= WINDOW_BYTES {
        0
    } else {
        focus
            .saturating_sub(WINDOW_BYTES / 2)
            .min(length - WINDOW_BYTES)
    }
}

fn window(bytes: &[u8], from: usize) -> String {
    let to = bytes.len().min(from + WINDOW_BYTES);
    let mut text = String::new();
    if from > 0 {
        text.push_str(".. ");
    }
    text.push_str(&hex(bytes.get(from..to).unwrap_or(&[])));
    if to < bytes.len() {
        text.push_str(" ..");
    }
    text
}

/// A text with its middle left out if it is longer than a reader looks at.
pub fn brief(text: &str) -> String {
    const SHOWN: usize = 400;
    const START: usize = 96;
    const END: usize = 48;
    let length = text.chars().count();
    if length <= SHOWN {
        return text.to_owned();
    }
    let start: String = text.chars().take(START).collect();
    let end: String = text.chars().skip(length - END).collect();
    format!("{start} ... {end} ({length} characters)")
}

/// A count with its noun: `1 probe`, `12 probes`.
pub fn count(n: usize, noun: &str) -> String {
    if n == 1 {
        format!("1 {noun}")
    } else {
        format!("{n} {noun}s")
    }
}

/// At most four names, and how many more there are.
pub fn some_of<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    const SHOWN: usize = 4;
    let total = names.len();
    let mut text = names.take(SHOWN).collect::<Vec<_>>().join(", ");
    if total > SHOWN {
        let _ = write!(text, " and {} more", total - SHOWN);
    }
    text
}

/// Text wrapped at 88 columns, each line indented.
pub fn wrap(text: &str, indent: &str) -> String {
    const COLUMNS: usize = 88;
    let mut lines = String::new();
    for paragraph in text.split('\n') {
        let mut column = 0;
        for word in words(paragraph) {
            let length = word.chars().count();
            if column > 0 && column + 1 + length > COLUMNS - indent.len() {
                lines.push('\n');
                column = 0;
            }
            if column == 0 {
                lines.push_str(indent);
            } else {
                lines.push(' ');
                column += 1;
            }
            lines.push_str(&word);
            column += length;
        }
        lines.push('\n');
    }
    lines
}

/// What stands between single spaces: two in a row are those of a text that somebody asked for, and stay.
fn words(paragraph: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut spaces = 1;
    for piece in paragraph.trim().split(' ') {
        match words.last_mut() {
            _ if piece.is_empty() => spaces += 1,
            Some(last) if spaces > 1 => {
                last.push_str(&" ".repeat(spaces));
                last.push_str(piece);
                spaces = 1;
            }
            _ => words.push(piece.to_owned()),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_the_byte_that_decides() {
        let text = two_rows(("1", &[1, 0]), ("256", &[0, 1]), "decides");
        assert_eq!(
            text,
            "          hex     bits of byte 0\n      1   01 00   00000001\n    256   00 01   00000000\n          ^^ byte 0 decides: 01 > 00\n"
        );
        let text = two_rows(("1", &[7, 1]), ("2", &[7, 2]), "decides");
        assert!(
            text.ends_with("\n             ^^ byte 1 decides: 01 < 02\n"),
            "{text}"
        );
    }

    #[test]
    fn says_when_nothing_or_the_end_decides() {
        assert!(two_rows(("a", &[1]), ("b", &[1]), "decides").contains("the same bytes"));
        let text = two_rows(("a", &[1]), ("b", &[1, 2]), "decides");
        assert!(text.contains("one ends before byte 1"), "{text}");
        assert!(text.contains("(ended)"), "{text}");
        assert!(two_rows(("a", &[]), ("b", &[1]), "decides").contains("(no bytes)"));
    }

    #[test]
    fn long_texts_lose_their_middle() {
        let text = "ab".repeat(200);
        assert_eq!(brief(&text), text);
        let longer = text + "c";
        assert!(brief(&longer).ends_with("abc (401 characters)"));
        assert!(brief(&longer).len() < 200);
    }

    #[test]
    fn long_rows_show_a_window() {
        let mut a = vec![0; 100];
        let b = a.clone();
        a[60] = 9;
        let text = two_rows(("a", &a), ("b", &b), "decides");
        assert!(text.contains("byte 60 decides: 09 > 00"), "{text}");
        let mark = text.lines().last().and_then(|l| l.find("^^"));
        let row = text.lines().nth(1).and_then(|l| l.find("09"));
        assert_eq!(mark, row, "{text}");
    }

    #[test]
    fn wraps_words_and_keeps_paragraphs() {
        let text = wrap(&"word ".repeat(40), "  ");
        assert!(
            text.lines()
                .all(|l| l.len() <= 88 && l.starts_with("  word"))
        );
        assert_eq!(wrap("a\nb", ""), "a\nb\n");
        assert_eq!(wrap(" f(\"3  5\")  is  ", "  "), "  f(\"3  5\")  is\n");
    }
}

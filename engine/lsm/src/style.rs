//! Colours, and how bytes and sizes are formatted.

pub(crate) use engine::inspect::count;
use owo_colors::OwoColorize;

use crate::args::Keys;

/// The title of a part.
pub(crate) fn title(text: &str) -> String {
    text.bold().cyan().to_string()
}

/// Minor details.
pub(crate) fn dim(text: &str) -> String {
    text.dimmed().to_string()
}

/// Damage.
pub(crate) fn wrong(text: &str) -> String {
    text.bold().red().to_string()
}

/// Good news.
pub(crate) fn good(text: &str) -> String {
    text.green().to_string()
}

/// Something to note.
pub(crate) fn note(text: &str) -> String {
    text.yellow().to_string()
}

/// Formats bytes for people.
pub(crate) fn bytes(bytes: &[u8], keys: Keys) -> String {
    let text = std::str::from_utf8(bytes).ok();
    let printable = text.filter(|text| text.chars().all(is_printable));
    match (keys, printable) {
        (Keys::Auto, Some(text)) => format!("\"{text}\""),
        (Keys::Text, _) => format!("\"{}\"", bytes.escape_ascii()),
        (Keys::Auto | Keys::Hex, _) => hex(bytes),
    }
}

/// Whether a character shows as itself: it is no control code, ends no line, and does not turn around the order in which the
/// others are shown, so that a row would look like another.
fn is_printable(c: char) -> bool {
    let turns_or_ends = matches!(
        c,
        '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    !c.is_control() && !turns_or_ends
}

/// A name from a file. It may contain anything, and must not send control codes to the terminal.
pub(crate) fn name(name: &str) -> String {
    name.escape_debug().to_string()
}

/// Two digits for each byte, without separators.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::from("0x"), |mut hex, byte| {
        hex.push_str(&format!("{byte:02x}"));
        hex
    })
}

/// A size in the largest unit in which it is at least 1.
pub(crate) fn size(bytes: u64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut size = bytes as f64;
    let mut unit = 0;
    while size >= 1024.0 && unit + 1 < units.len() {
        size /= 1024.0;
        unit += 1;
    }
    match unit {
        0 => format!("{bytes} B"),
        _ => format!("{size:.1} {}", units[unit]),
    }
}

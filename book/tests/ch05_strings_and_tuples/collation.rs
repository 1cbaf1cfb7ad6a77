//! The order of text as bytes, and as people expect it.

use book::output;
use engine::keys::{OrderedKey, Raw};

use crate::shelf::Shelf;

/// Two of them look alike: the accent is part of the letter, or a letter of its own.
const NAMES: [&str; 5] = ["Émile", "E\u{301}mile", "ann", "eve", "Zoe"];

#[test]
fn bytes_put_accents_behind_and_capitals_in_front() {
    let shelf = Shelf::of_keys(NAMES.map(|name| (Raw(name).to_key(), name.to_owned())));
    assert_eq!(
        shelf.titles(),
        ["E\u{301}mile", "Zoe", "ann", "eve", "Émile"]
    );
    output::check(
        "05-strings-and-tuples/outputs/names.txt",
        &shelf.scan_in_hex(),
    );
}

// ANCHOR: sort_key
/// What counts first in a name: its letters, without capitals and accents.
/// A real one knows all letters, and the customs of a language.
fn sort_key(name: &str) -> String {
    let plain = name.replace('É', "E").replace('\u{301}', "");
    plain.to_lowercase()
}

fn as_people_sort(name: &str) -> Vec<u8> {
    (sort_key(name).as_str(), Raw(name)).to_key()
}
// ANCHOR_END: sort_key

#[test]
fn a_sort_key_in_front_gives_the_order_that_people_expect() {
    let shelf = Shelf::of_keys(NAMES.map(|name| (as_people_sort(name), name.to_owned())));
    let order = shelf.titles();
    assert_eq!(order, ["ann", "E\u{301}mile", "Émile", "eve", "Zoe"]);
    output::check(
        "05-strings-and-tuples/outputs/names-mended.txt",
        &order.join(", "),
    );
}

// ANCHOR: utf16
#[test]
fn utf8_keeps_the_order_of_code_points_and_utf16_does_not() {
    let (a, b) = ('ﬁ', '😀');
    assert!(a < b);
    assert!(a.to_string().as_bytes() < b.to_string().as_bytes());
    // In two bytes each, as in Java and JavaScript: fb01, and d83d with de00.
    let utf16 = |c: char| c.to_string().encode_utf16().collect::<Vec<u16>>();
    assert!(utf16(a) > utf16(b));
}
// ANCHOR_END: utf16

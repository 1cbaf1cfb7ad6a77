//! Chapter 5, run. Each test proves one claim of the chapter and prints what the page shows:
//!
//! ```text
//! cargo test -p book --test ch05_strings_and_tuples -- --nocapture
//! ```

#[path = "ch05_strings_and_tuples/collation.rs"]
mod collation;
#[path = "support/database.rs"]
mod database;
#[path = "ch05_strings_and_tuples/empty.rs"]
mod empty;
#[path = "ch05_strings_and_tuples/faults.rs"]
mod faults;
#[path = "ch05_strings_and_tuples/figure.rs"]
mod figure;
#[path = "ch05_strings_and_tuples/shelf.rs"]
mod shelf;
#[path = "ch05_strings_and_tuples/systems.rs"]
mod systems;
#[path = "ch05_strings_and_tuples/world.rs"]
mod world;

use book::output;
use engine::keys::{self, OrderedKey, Raw, hex};

use shelf::{Shelf, title};

/// A way to turn a pair of texts into a key, right or wrong.
type Scheme = fn(&[u8], &[u8]) -> Vec<u8>;

// ANCHOR: joined
fn joined(owner: &[u8], title: &[u8]) -> Vec<u8> {
    [owner, b":", title].concat()
}
// ANCHOR_END: joined

// ANCHOR: schemes
/// The length of the owner in two bytes, the owner, the title.
fn length_first(owner: &[u8], title: &[u8]) -> Vec<u8> {
    let length = u16::try_from(owner.len()).expect("a short name");
    [&length.to_be_bytes(), owner, title].concat()
}

/// The owner in eight bytes, filled with zeros or cut, and the title.
fn fixed(owner: &[u8], title: &[u8]) -> Vec<u8> {
    let mut key = owner.to_vec();
    key.resize(8, 0);
    [&key, title].concat()
}
// ANCHOR_END: schemes

/// This book's way.
fn escaped(owner: &[u8], title: &[u8]) -> Vec<u8> {
    (owner, Raw(title)).to_key()
}

// ANCHOR: books
const BOOKS: [(&str, &str); 4] = [
    ("ann", "zoo"),
    ("ann:b", "c"),
    ("ann", "b:c"),
    ("ann!", "fox"),
];
// ANCHOR_END: books

// ANCHOR: broken_scan
#[test]
fn a_colon_loses_a_row_and_puts_the_others_in_the_wrong_order() {
    let shelf = Shelf::new(&BOOKS, joined);
    let file = "05-strings-and-tuples/outputs/broken-scan.txt";
    output::check(file, &shelf.scan());
    assert_eq!(shelf.titles()[0], title("ann!", "fox"));
    assert_eq!(shelf.titles().len(), 3);
}
// ANCHOR_END: broken_scan

#[test]
fn a_prefix_with_a_colon_finds_somebody_elses_row() {
    let shelf = Shelf::new(&BOOKS[..2], joined);
    let found = shelf.with_prefix(b"ann:").join("\n");
    output::check("05-strings-and-tuples/outputs/broken-prefix.txt", &found);
    assert!(found.contains(&title("ann:b", "c")));
}

#[test]
fn escaped_keys_mend_the_scan() {
    let shelf = Shelf::new(&BOOKS, escaped);
    output::check(
        "05-strings-and-tuples/outputs/mended-scan.txt",
        &shelf.scan_in_hex(),
    );
    let mut sorted = BOOKS.to_vec();
    sorted.sort_unstable();
    let sorted: Vec<String> = sorted
        .iter()
        .map(|(owner, name)| title(owner, name))
        .collect();
    assert_eq!(shelf.titles(), sorted);
}

// ANCHOR: prediction
#[test]
fn the_next_field_sorts_the_strings() {
    let strings: [&[u8]; 4] = [b"", b"a", b"a\x00", b"aa"];
    let mut table = String::new();
    for number in [7_u8, 200] {
        let mut keys = strings.map(|string| ([string, &[number]].concat(), string));
        keys.sort();
        table += &format!("number {number}, in hex {number:02x}\n");
        for (key, string) in keys {
            table += &format!("  {:<8}\"{}\"\n", hex(&key), string.escape_ascii());
        }
    }
    output::check("05-strings-and-tuples/outputs/prediction.txt", &table);
}
// ANCHOR_END: prediction

/// Owners on which the schemes differ.
const OWNERS: [&[u8]; 7] = [b"", b"a", b"a\x00", b"a!", b"aa", b"b", b"\xff"];

#[test]
fn the_places_of_seven_owners() {
    let schemes: [Scheme; 4] = [joined, length_first, fixed, escaped];
    let columns = schemes.map(|scheme| {
        // A place is one more than the number of smaller keys; equal keys share it.
        let keys = OWNERS.map(|owner| scheme(owner, b"t"));
        keys.each_ref()
            .map(|key| 1 + keys.iter().filter(|other| *other < key).count())
    });
    let mut table = String::from(
        "| owner | joined by `:` | length first | eight bytes | escaped |\n|---|--:|--:|--:|--:|\n",
    );
    for (n, owner) in OWNERS.iter().enumerate() {
        table += &format!("| `\"{}\"` |", owner.escape_ascii());
        for column in &columns {
            let mark = if column[n] == n + 1 { "" } else { " ✗" };
            table += &format!(" {}{mark} |", column[n]);
        }
        table.push('\n');
    }
    output::check("05-strings-and-tuples/outputs/places.md", &table);
    assert_eq!(columns[3], [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(
        columns[2][1], columns[2][2],
        "eight bytes merge a and a\\x00"
    );
}

#[test]
fn the_tuple_builder_without_scripts() {
    let tuples = [("a", "b:c"), ("a:b", "c")];
    // As the widget does it: every field by the scheme, the last one as well.
    let both = |one: fn(&[u8]) -> Vec<u8>| move |a: &[u8], b: &[u8]| [one(a), one(b)].concat();
    let length = both(|text| length_first(text, b""));
    let eight = both(|text| fixed(text, b""));
    let ended = both(OrderedKey::to_key);
    type Pair<'a> = &'a dyn Fn(&[u8], &[u8]) -> Vec<u8>;
    let schemes: [(&str, Pair); 4] = [
        ("joined by `:`", &joined),
        ("length in front", &length),
        ("eight bytes", &eight),
        ("escaped and ended", &ended),
    ];
    let [first, second] = tuples.map(|(owner, name)| title(owner, name));
    let mut table = format!("| scheme | `{first}` | `{second}` |\n|---|---|---|\n");
    for (name, scheme) in schemes {
        let [a, b] = tuples.map(|(owner, name)| hex(&scheme(owner.as_bytes(), name.as_bytes())));
        assert_eq!(a == b, name.starts_with("joined"));
        table += &format!("| {name} | `{a}` | `{b}` |\n");
    }
    output::check("05-strings-and-tuples/outputs/builder.md", &table);
}

// ANCHOR: escape_table
#[test]
fn the_end_sorts_below_every_continuation() {
    let ordered: [&[u8]; 10] = [
        b"",
        b"\x00",
        b"\x00\x01",
        b"a",
        b"a\x00",
        b"a\x00\xff",
        b"a\x01",
        b"aa",
        b"b",
        b"\xff",
    ];
    let mut table = String::from("string         key\n");
    for string in ordered {
        let quoted = format!("\"{}\"", string.escape_ascii());
        table += &format!("{quoted:<13}  {}\n", hex(&keys::encode_bytes(string)));
    }
    output::check("05-strings-and-tuples/outputs/escape.txt", &table);
    assert!(ordered.is_sorted_by(|a, b| a < b));
    assert!(ordered.is_sorted_by(|a, b| keys::encode_bytes(a) < keys::encode_bytes(b)));
}
// ANCHOR_END: escape_table

// ANCHOR: tuples
#[test]
fn a_tuple_is_its_fields_one_after_another() {
    let tuples: [(&str, u32, &str); 6] = [
        ("", 9, ""),
        ("a", 2, "b"),
        ("a", 10, ""),
        ("a\0", 1, ""),
        ("a:", 1, ""),
        ("aa", 0, "z"),
    ];
    let mut table = String::from("tuple             owner       number    title\n");
    for (owner, number, name) in tuples {
        let fields = [owner.to_key(), number.to_key(), name.to_key()];
        assert_eq!(fields.concat(), (owner, number, name).to_key());
        let [owner_key, number_key, name_key] = fields.map(|key| hex(&key));
        let tuple = format!("({owner:?}, {number}, {name:?})");
        table += &format!("{tuple:<16}  {owner_key:<10}  {number_key}  {name_key}\n");
    }
    output::check("05-strings-and-tuples/outputs/tuples.txt", &table);
    assert!(tuples.is_sorted() && tuples.is_sorted_by_key(OrderedKey::to_key));
}
// ANCHOR_END: tuples

// ANCHOR: nested
#[test]
fn nesting_groups_fields_in_the_program_not_in_the_bytes() {
    assert_eq!(("a", ("b", "c")).to_key(), ("a", "b", "c").to_key());
    assert_eq!((("a", "b"), "c").to_key(), ("a", "b", "c").to_key());
}
// ANCHOR_END: nested

// ANCHOR: prefix
#[test]
fn a_prefix_is_a_range_if_it_ends_at_the_successor() {
    let shelf = Shelf::of_keys(
        [
            ("ann", 5_u16),
            ("ann", u16::MAX),
            ("ann:1", 2),
            ("anna", 1),
            ("bob", 3),
        ]
        .map(|row| (row.to_key(), format!("{row:?}"))),
    );
    let owner = "ann".to_key();
    let mut beginning = Vec::new();
    keys::escape_into(b"ann", &mut beginning);
    let successor = |prefix: &[u8]| keys::prefix_successor(prefix).expect("not all ff");

    let mut table = format!("{:<26}{:<12}{:<14}rows\n", "asked", "from", "up to");
    for (asked, from, to) in [
        ("ann", &owner, successor(&owner)),
        ("ann, up to one ff", &owner, [&owner[..], b"\xff"].concat()),
        (
            "names beginning with ann",
            &beginning,
            successor(&beginning),
        ),
    ] {
        let mut lead = format!("{asked:<26}{:<12}{:<14}", hex(from), hex(&to));
        for row in shelf.range(from, &to) {
            table += &format!("{lead:<52}{row}\n");
            lead.clear();
        }
    }
    output::check("05-strings-and-tuples/outputs/prefix.txt", &table);
    assert_eq!(shelf.range(&owner, &successor(&owner)).len(), 2);
    assert_eq!(
        shelf.range(&owner, &[&owner[..], b"\xff"].concat()).len(),
        1
    );
    assert_eq!(shelf.range(&beginning, &successor(&beginning)).len(), 4);
}
// ANCHOR_END: prefix

#[test]
fn the_successor_carries() {
    let prefixes: [&[u8]; 6] = [
        b"a",
        b"a\x00\x01",
        b"a\xff",
        b"a\xfe\xff\xff",
        b"\xff\xff",
        b"",
    ];
    let mut table = String::from("prefix    successor\n");
    for prefix in prefixes {
        let bound = keys::prefix_successor(prefix).map_or("none".to_owned(), |key| hex(&key));
        let shown = if prefix.is_empty() {
            "(empty)".to_owned()
        } else {
            hex(prefix)
        };
        table += &format!("{shown:<8}  {bound}\n");
    }
    output::check("05-strings-and-tuples/outputs/successors.txt", &table);
}

// ANCHOR: answers
#[test]
fn what_the_model_answers_say() {
    // Question 1: with `:` replaced by a byte that no name holds, `a!` still comes before `a`.
    assert!("a!" > "a" && b"a!|"[..] < b"a|"[..]);
    // Question 2: two ends of strings, and a string that goes on.
    assert!("a".to_key() < "a\0".to_key());
    // Question 3: a hash always has the same width, so plain bytes are right.
    let hashed = |hash: [u8; 32], n: u8| [&hash[..], &[n]].concat();
    assert!(hashed([1; 32], 1) < hashed([2; 32], 0));
    // One hash of 32 random bytes in eight or nine holds a zero byte.
    let with_a_zero = 1.0 - (255.0_f64 / 256.0).powi(32);
    assert!(with_a_zero > 1.0 / 9.0 && with_a_zero < 1.0 / 8.0);
    // Question 4: an escaped zero byte makes a row longer than its name.
    assert_eq!(("a\0", 4_u64).to_key().len(), 2 + 1 + 2 + 8);
    // Question 5: the last byte of the end is 01, so its successor is 02.
    assert_eq!(
        keys::prefix_successor(&"ann".to_key()),
        Some(b"ann\x00\x02".to_vec())
    );
}
// ANCHOR_END: answers

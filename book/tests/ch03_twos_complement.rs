//! Chapter 3, run. Each test proves one claim of the chapter and prints what the page shows:
//!
//! ```text
//! cargo test -p book --test ch03_twos_complement -- --nocapture
//! ```

use std::collections::BTreeMap;

use book::output;
use engine::keys::historical::ledis;
use engine::keys::{self, hex};

/// A way to turn a score into bytes, right or wrong.
type Encoding = fn(i64) -> Vec<u8>;

// ANCHOR: first-tries
fn little_endian(score: i64) -> Vec<u8> {
    score.to_le_bytes().to_vec()
}

fn big_endian(score: i64) -> Vec<u8> {
    score.to_be_bytes().to_vec()
}
// ANCHOR_END: first-tries

/// The eight-byte repair.
fn sign_flipped(score: i64) -> Vec<u8> {
    keys::encode_i64(score).to_vec()
}

/// LedisDB's repair.
fn nine_bytes(score: i64) -> Vec<u8> {
    ledis::encode_i64(score).to_vec()
}

// ANCHOR: wrong-encodings
fn flipped_in_the_last_byte(score: i64) -> Vec<u8> {
    let mut bytes = score.to_be_bytes();
    bytes[7] ^= 0x80;
    bytes.to_vec()
}

fn every_bit_flipped(score: i64) -> Vec<u8> {
    (!score).to_be_bytes().to_vec()
}

fn marker_and_magnitude(score: i64) -> Vec<u8> {
    let marker = if score < 0 { b'<' } else { b'=' };
    [&[marker][..], &score.unsigned_abs().to_be_bytes()].concat()
}

fn minus_and_plus_as_markers(score: i64) -> Vec<u8> {
    let marker = if score < 0 { b'-' } else { b'+' };
    [&[marker][..], &score.to_be_bytes()].concat()
}

fn padded_text(score: i64) -> Vec<u8> {
    format!("{:0>8}", score.to_string()).into_bytes()
}
// ANCHOR_END: wrong-encodings

// ANCHOR: scan
/// Stores one row `encoded score ++ name` for each player, then scans from the first key to the
/// last. Returns the line `score name` that each row holds as its value.
fn scan(players: &[(i64, &str)], encode: Encoding) -> Vec<(Vec<u8>, String)> {
    let mut db = BTreeMap::new();
    for (score, name) in players {
        let key = [&encode(*score), name.as_bytes()].concat();
        db.insert(key, format!("{score:>5} {name}"));
    }
    db.into_iter().collect()
}
// ANCHOR_END: scan

/// The rows of a scan as the page shows them: the eight bytes of the score, then the value.
fn rows(scanned: &[(Vec<u8>, String)]) -> String {
    let mut text = String::from("score bytes         row\n");
    for (key, row) in scanned {
        text += &format!("{}  {row}\n", hex(&key[..8]));
    }
    text
}

// ANCHOR: players
const PLAYERS: [(i64, &str); 5] = [
    (20, "ann"),
    (-3, "bob"),
    (0, "cid"),
    (-200, "dee"),
    (7, "eve"),
];
// ANCHOR_END: players

// ANCHOR: broken-scan
#[test]
fn big_endian_puts_the_negative_scores_last() {
    let scanned = scan(&PLAYERS, big_endian);
    output::check(
        "03-twos-complement/outputs/broken-scan.txt",
        &rows(&scanned),
    );

    let order: Vec<&str> = scanned.iter().map(|(_, row)| row.trim()).collect();
    assert_eq!(order, ["0 cid", "7 eve", "20 ann", "-200 dee", "-3 bob"]);
}
// ANCHOR_END: broken-scan

// ANCHOR: mended-scan
#[test]
fn the_sign_flip_mends_the_scan() {
    let scanned = scan(&PLAYERS, sign_flipped);
    output::check(
        "03-twos-complement/outputs/mended-scan.txt",
        &rows(&scanned),
    );

    let order: Vec<&str> = scanned.iter().map(|(_, row)| row.trim()).collect();
    assert_eq!(order, ["-200 dee", "-3 bob", "0 cid", "7 eve", "20 ann"]);
}
// ANCHOR_END: mended-scan

const NAMED: [(&str, i64); 8] = [
    ("0", 0),
    ("1", 1),
    ("0xFFFF0000", 0xFFFF_0000),
    ("i64::MAX", i64::MAX),
    ("-1", -1),
    ("-200", -200),
    ("-300", -300),
    ("i64::MIN", i64::MIN),
];

/// The names of `NAMED` in the order of their encoded bytes.
fn sorted_names(encode: Encoding) -> Vec<&'static str> {
    let mut named = NAMED.to_vec();
    named.sort_by_key(|(_, value)| encode(*value));
    named.iter().map(|(name, _)| *name).collect()
}

// ANCHOR: table
#[test]
fn the_eight_bytes_of_a_signed_number() {
    let mut table = format!("{:<12}{:<18}{}\n", "value", "little-endian", "big-endian");
    for (name, value) in NAMED {
        let (little, big) = (hex(&little_endian(value)), hex(&big_endian(value)));
        table += &format!("{name:<12}{little:<18}{big}\n");
    }
    output::check("03-twos-complement/outputs/table.txt", &table);
}
// ANCHOR_END: table

// ANCHOR: orders
#[test]
fn the_same_eight_values_in_three_orders() {
    let little = sorted_names(little_endian).join("  ");
    let big = sorted_names(big_endian).join("  ");
    let flipped = sorted_names(sign_flipped).join("  ");
    output::check(
        "03-twos-complement/outputs/orders.txt",
        &format!("little-endian  {little}\nbig-endian     {big}\nsign flipped   {flipped}\n"),
    );
    // Little-endian: 1 after 0xFFFF0000, and -200 before -300.
    assert!(little_endian(1) > little_endian(0xFFFF_0000));
    assert!(little_endian(-200) < little_endian(-300));
    // Big-endian mends both pairs and fails on the next one.
    assert!(big_endian(1) < big_endian(0xFFFF_0000));
    assert!(big_endian(-300) < big_endian(-200));
    assert!(big_endian(0) < big_endian(-1));
}
// ANCHOR_END: orders

// ANCHOR: halves
#[test]
fn big_endian_is_right_on_either_side_of_zero() {
    let rising = |low: i16, high: i16| {
        (low..high).all(|value| value.to_be_bytes() < (value + 1).to_be_bytes())
    };
    assert!(rising(i16::MIN, -1));
    assert!(rising(0, i16::MAX));
    // One step in the middle goes down: ff ff, then 00 00.
    assert!((-1i16).to_be_bytes() > 0i16.to_be_bytes());
}
// ANCHOR_END: halves

// ANCHOR: eight-bits
#[test]
fn flipping_the_top_bit_moves_every_value_up_by_the_same_amount() {
    let mut table = format!(
        "{:>5}  {:<8}  {:>5}  {:<8}  {:>7}\n",
        "value", "bits", "as u8", "flipped", "as u8"
    );
    for value in [i8::MIN, -127, -2, -1, 0, 1, 2, 126, i8::MAX] {
        let bits = value as u8;
        let flipped = bits ^ 0x80;
        table += &format!("{value:>5}  {bits:08b}  {bits:>5}  {flipped:08b}  {flipped:>7}\n");
    }
    output::check("03-twos-complement/outputs/eight-bits.txt", &table);

    for value in i8::MIN..=i8::MAX {
        assert_eq!(i32::from(value as u8 ^ 0x80), i32::from(value) + 128);
    }
    for value in i16::MIN..=i16::MAX {
        assert_eq!(i32::from(value as u16 ^ 0x8000), i32::from(value) + 32_768);
    }
}
// ANCHOR_END: eight-bits

// ANCHOR: two-repairs
#[test]
fn both_repairs_give_one_order() {
    let mut table = format!(
        "{:<12}{:<20}{}\n",
        "value", "marker, nine bytes", "sign flipped, eight bytes"
    );
    let mut named = NAMED.to_vec();
    named.sort_by_key(|(_, value)| *value);
    for (name, value) in named {
        let (nine, eight) = (hex(&nine_bytes(value)), hex(&sign_flipped(value)));
        table += &format!("{name:<12}{nine:<20}{eight}\n");
    }
    output::check("03-twos-complement/outputs/two-repairs.txt", &table);

    // Each step from one i16 to the next goes up under both. So every pair is right under both,
    // because "comes before" carries over from step to step.
    for value in i64::from(i16::MIN)..i64::from(i16::MAX) {
        assert!(nine_bytes(value) < nine_bytes(value + 1));
        assert!(sign_flipped(value) < sign_flipped(value + 1));
    }
}
// ANCHOR_END: two-repairs

// ANCHOR: cost
#[test]
fn the_marker_costs_one_byte_in_nine() {
    let scores = 1_000_000;
    let [eight, nine] = [sign_flipped(-200).len(), nine_bytes(-200).len()];
    output::check(
        "03-twos-complement/outputs/cost.txt",
        &format!(
            "sign flipped: {eight} bytes a score, {:>9} bytes for {scores} scores\n\
             marker:       {nine} bytes a score, {:>9} bytes for {scores} scores\n",
            eight * scores,
            nine * scores,
        ),
    );
    assert_eq!((eight, nine), (8, 9));
}
// ANCHOR_END: cost

// ANCHOR: published
#[test]
fn the_published_row_for_minus_200_holds_little_endian_bytes() {
    let row = |score_bytes: [u8; 9]| [&b"key"[..], &score_bytes].concat();
    let published = [-200, -300].map(|score| row(ledis::encode_i64_as_published(score)));
    let repaired = [-300, -200].map(|score| row(ledis::encode_i64(score)));

    let show = |row: &[u8]| format!("key<{}", hex(&row[4..]));
    output::check(
        "03-twos-complement/outputs/published.txt",
        &format!(
            "as published      {}  -200\nin the same way   {}  -300\n\nrepaired          {}  -300\nrepaired          {}  -200\n",
            show(&published[0]),
            show(&published[1]),
            show(&repaired[0]),
            show(&repaired[1]),
        ),
    );
    assert_eq!(show(&published[0]), "key<38ffffffffffffff");
    assert!(published[0] < published[1], "-200 sorts before -300: wrong");
    assert!(repaired[0] < repaired[1], "-300 sorts before -200: right");
}
// ANCHOR_END: published

// ANCHOR: wrong-answers
#[test]
fn each_wrong_answer_breaks_on_a_pair() {
    let gallery: [(&str, Encoding, [i64; 2]); 7] = [
        ("little-endian", little_endian, [1, 256]),
        ("sign bit not flipped", big_endian, [-1, 0]),
        (
            "flipped in the last byte",
            flipped_in_the_last_byte,
            [-1, 0],
        ),
        ("every bit flipped", every_bit_flipped, [0, 1]),
        ("marker and magnitude", marker_and_magnitude, [-2, -1]),
        ("- and + as markers", minus_and_plus_as_markers, [-1, 0]),
        ("zero-padded text", padded_text, [-9, -5]),
    ];
    let mut table = format!(
        "{:<26}{:>2} < {:<5}{:<20}{}\n",
        "encoding", "a", "b", "key of a", "key of b"
    );
    for (name, encode, [a, b]) in gallery {
        let (low, high) = (encode(a), encode(b));
        assert!(a < b && low > high, "{name}: {a} must sort after {b}");
        table += &format!("{name:<26}{a:>2} < {b:<5}{:<20}{}\n", hex(&low), hex(&high));
    }
    output::check("03-twos-complement/outputs/wrong-answers.txt", &table);
}
// ANCHOR_END: wrong-answers

// ANCHOR: padded-text
#[test]
fn padded_text_sorts_minus_ten_five_nine() {
    let mut scores = [-5, -9, -10];
    scores.sort_by_key(|&score| padded_text(score));
    assert_eq!(scores, [-10, -5, -9]);
    assert_eq!(padded_text(-10), b"00000-10");
}
// ANCHOR_END: padded-text

// ANCHOR: range
#[test]
fn a_score_range_ends_at_the_successor_of_its_last_score() {
    let db: BTreeMap<Vec<u8>, String> = scan(&PLAYERS, sign_flipped).into_iter().collect();
    let [low, high] = [-3, 7].map(sign_flipped);

    // A row is longer than the score it starts with, so it sorts after the bare score.
    let up_to_the_score: Vec<&str> = db
        .range(low.clone()..=high.clone())
        .map(|(_, row)| row.trim())
        .collect();
    assert_eq!(up_to_the_score, ["-3 bob", "0 cid"]);

    let bound = keys::prefix_successor(&high).expect("7 has a successor");
    let below_the_successor: Vec<&str> = db.range(low..bound).map(|(_, row)| row.trim()).collect();
    assert_eq!(below_the_successor, ["-3 bob", "0 cid", "7 eve"]);

    // Nothing sorts behind the greatest score: its range is open to the end.
    assert_eq!(keys::prefix_successor(&sign_flipped(i64::MAX)), None);
}
// ANCHOR_END: range

/// The place of each value, counted from 1, when all are sorted by `encode`.
fn places(values: &[i64], encode: Encoding) -> Vec<usize> {
    values
        .iter()
        .map(|&value| {
            1 + values
                .iter()
                .filter(|&&other| encode(other) < encode(value))
                .count()
        })
        .collect()
}

#[test]
fn the_explorer_without_scripts() {
    let values = [-300, -200, -1, 0, 1, 0xFFFF_0000];
    let encodings: [Encoding; 4] = [little_endian, big_endian, sign_flipped, nine_bytes];
    let columns = encodings.map(|encode| places(&values, encode));
    let mut table = String::from(
        "| value | big-endian bytes | little-endian | big-endian | sign flipped | LedisDB |\n|--:|---|--:|--:|--:|--:|\n",
    );
    for (n, value) in values.iter().enumerate() {
        let places: Vec<String> = columns.iter().map(|column| column[n].to_string()).collect();
        table += &format!(
            "| {value} | `{}` | {} |\n",
            hex(&big_endian(*value)),
            places.join(" | ")
        );
    }
    output::check("03-twos-complement/outputs/minus-one.md", &table);
    assert_eq!(columns[2], [1, 2, 3, 4, 5, 6]);
    assert_eq!(columns[3], columns[2]);
}

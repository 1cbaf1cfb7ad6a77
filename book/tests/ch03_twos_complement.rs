//! Chapter 3, run. Each test proves one claim of the chapter and prints what the page shows:
//!
//! ```text
//! cargo test -p book --test ch03_twos_complement -- --nocapture
//! ```

#[path = "support/database.rs"]
mod database;
#[path = "ch03_support/places.rs"]
mod places;
#[path = "support/solver.rs"]
mod solver;
#[path = "ch03_support/store.rs"]
mod store;

use book::output;
use engine::keys::historical::ledis;
use engine::keys::{self, hex};

use places::{cells, places};
use solver::Claim;
use store::Store;

/// A way to turn a score into bytes, right or wrong.
type Encoding = fn(i64) -> Vec<u8>;

// ANCHOR: first_tries
fn little_endian(score: i64) -> Vec<u8> {
    score.to_le_bytes().to_vec()
}

fn big_endian(score: i64) -> Vec<u8> {
    score.to_be_bytes().to_vec()
}
// ANCHOR_END: first_tries

/// The eight-byte repair.
fn sign_flipped(score: i64) -> Vec<u8> {
    keys::encode_i64(score).to_vec()
}

/// LedisDB's repair.
fn nine_bytes(score: i64) -> Vec<u8> {
    ledis::encode_i64(score).to_vec()
}

// ANCHOR: wrong_encodings
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
// ANCHOR_END: wrong_encodings

// ANCHOR: players
const PLAYERS: [(i64, &[u8]); 5] = [
    (20, b"ann"),
    (-3, b"bob"),
    (0, b"cid"),
    (-200, b"dee"),
    (7, b"eve"),
];
// ANCHOR_END: players

// ANCHOR: broken_scan
#[test]
fn big_endian_puts_the_negatives_last() {
    let store = Store::new(&PLAYERS, big_endian);
    output::check("03-twos-complement/outputs/broken-scan.txt", &store.scan());

    assert_eq!(
        store.order(),
        ["0 cid", "7 eve", "20 ann", "-200 dee", "-3 bob"]
    );
}
// ANCHOR_END: broken_scan

// ANCHOR: mended_scan
#[test]
fn the_sign_flip_mends_the_scan() {
    let store = Store::new(&PLAYERS, sign_flipped);
    output::check("03-twos-complement/outputs/mended-scan.txt", &store.scan());

    assert_eq!(
        store.order(),
        ["-200 dee", "-3 bob", "0 cid", "7 eve", "20 ann"]
    );
}
// ANCHOR_END: mended_scan

#[test]
fn four_scores_in_byte_order() {
    let mut scores = [
        ("1", 1),
        ("-1", -1),
        ("i64::MAX", i64::MAX),
        ("i64::MIN", i64::MIN),
    ];
    scores.sort_by_key(|(_, score)| big_endian(*score));
    let lines = scores.map(|(name, score)| format!("{}  {name}", hex(&big_endian(score))));
    output::check(
        "03-twos-complement/outputs/prediction.txt",
        &lines.join("\n"),
    );
}

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
    for n in i16::MIN..-1 {
        assert!(n.to_be_bytes() < (n + 1).to_be_bytes());
    }
    for n in 0..i16::MAX {
        assert!(n.to_be_bytes() < (n + 1).to_be_bytes());
    }
    // One step in the middle goes down: ff ff, then 00 00.
    assert!((-1i16).to_be_bytes() > 0i16.to_be_bytes());
}
// ANCHOR_END: halves

// ANCHOR: eight_bits
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
// ANCHOR_END: eight_bits

#[test]
fn the_keys_of_both_repairs() {
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
}

// ANCHOR: two_repairs
#[test]
fn both_repairs_give_one_order() {
    for value in i64::from(i16::MIN)..i64::from(i16::MAX) {
        assert!(ledis::encode_i64(value) < ledis::encode_i64(value + 1));
        assert!(keys::encode_i64(value) < keys::encode_i64(value + 1));
    }
    // In keys of two bytes, this walk meets every number there is.
    for value in i16::MIN..i16::MAX {
        assert!(keys::encode_i16(value) < keys::encode_i16(value + 1));
    }
}
// ANCHOR_END: two_repairs

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
    let row = |score: [u8; 9]| [&b"key"[..], &score].concat();

    let published = |score| row(ledis::encode_i64_as_published(score));
    assert_eq!(published(-200), b"key<\x38\xff\xff\xff\xff\xff\xff\xff");
    assert!(published(-200) < published(-300), "the wrong way round");

    let repaired = |score| row(ledis::encode_i64(score));
    assert!(repaired(-300) < repaired(-200));
}
// ANCHOR_END: published

#[test]
fn the_published_listing_and_its_repair() {
    let lines = |how: &str, encode: fn(i64) -> [u8; 9]| {
        let mut rows = [-200, -300].map(|score| (encode(score), score));
        rows.sort();
        rows.map(|(key, score)| format!("{how:<15}key<{}  {score}\n", hex(&key[1..])))
            .concat()
    };
    let published = lines("published way", ledis::encode_i64_as_published);
    let repaired = lines("repaired", ledis::encode_i64);
    output::check(
        "03-twos-complement/outputs/published.txt",
        &format!("{published}\n{repaired}"),
    );
}

// ANCHOR: wrong_answers
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
// ANCHOR_END: wrong_answers

// ANCHOR: padded_text
#[test]
fn padded_text_sorts_minus_ten_five_nine() {
    let mut keys = [-5, -9, -10].map(padded_text);
    keys.sort();
    let text = keys.map(|key| String::from_utf8(key).expect("digits and a sign"));
    output::check(
        "03-twos-complement/outputs/padded-text.txt",
        &text.join("\n"),
    );
    assert_eq!(text, ["00000-10", "000000-5", "000000-9"]);
}
// ANCHOR_END: padded_text

// ANCHOR: solver
#[test]
fn the_solver_finds_no_pair_against_the_right_key_and_one_against_the_wrong_key() {
    fn wrong_way_round(pair: &[u64]) -> bool {
        let (a, b) = (pair[0].cast_signed(), pair[1].cast_signed());
        (a < b) != (big_endian(a) < big_endian(b))
    }
    solver::check(
        "03-twos-complement/outputs/solver.txt",
        "engine/proofs",
        &[
            ("right_i64.smt2", Claim::Holds),
            (
                "wrong_i64_sign_not_flipped.smt2",
                Claim::BrokenBy(wrong_way_round),
            ),
        ],
    );
}
// ANCHOR_END: solver

// ANCHOR: answers
#[test]
fn what_the_model_answers_say() {
    // Question 2: adding the least number flips the sign bit, but only if the sum may wrap.
    for score in [i64::MIN, -1, 0, 1, i64::MAX] {
        assert_eq!(
            score.wrapping_add(i64::MIN).to_be_bytes(),
            keys::encode_i64(score)
        );
        assert_eq!(score.checked_add(i64::MIN).is_none(), score < 0);
    }
    // Question 3: a short key of 5 sorts after the long key of 70000.
    assert_eq!(keys::encode_i16(5), [0x80, 0x05]);
    assert_eq!(keys::encode_i64(70_000)[..2], [0x80, 0x00]);
    assert!(keys::encode_i16(5)[..] > keys::encode_i64(70_000)[..]);
    // Question 4: the marker says negative, the number says positive.
    let mut contradiction = ledis::encode_i64(7);
    contradiction[0] = b'<';
    assert_eq!(
        ledis::decode_i64(contradiction)
            .expect_err("two keys for 7")
            .offset,
        0
    );
}
// ANCHOR_END: answers

// ANCHOR: range
#[test]
fn a_score_range_ends_at_the_successor_of_its_last_score() {
    let store = Store::new(&PLAYERS, keys::encode_i64);
    let [low, high] = [-3, 7].map(keys::encode_i64);

    // A row is longer than its score, so it sorts after the bare key.
    assert_eq!(store.range(&low, &high), ["-3 bob", "0 cid"]);

    let bound = keys::prefix_successor(&high).expect("7 is not the last score");
    assert_eq!(store.range(&low, &bound), ["-3 bob", "0 cid", "7 eve"]);

    // Nothing sorts after the greatest score: its range is open to the end.
    assert_eq!(keys::prefix_successor(&keys::encode_i64(i64::MAX)), None);
}
// ANCHOR_END: range

#[test]
fn the_explorer_without_scripts() {
    let values = [-300, -200, -1, 0, 1, 0xFFFF_0000];
    let encodings: [Encoding; 4] = [little_endian, big_endian, sign_flipped, nine_bytes];
    let columns = encodings.map(|encode| places(&values, encode));
    let mut table = String::from(
        "| value | big-endian bytes | little-endian | big-endian | sign flipped | LedisDB |\n|--:|---|--:|--:|--:|--:|\n",
    );
    for (n, value) in values.iter().enumerate() {
        let bytes = hex(&big_endian(*value));
        table += &format!("| {value} | `{bytes}` |{}\n", cells(&columns, n));
    }
    output::check("03-twos-complement/outputs/minus-one.md", &table);
    assert_eq!(columns[2], [1, 2, 3, 4, 5, 6]);
    assert_eq!(columns[3], columns[2]);
}

//! Chapter 4, the faults: wrong answers, and what published systems do with doubles.
//!
//! ```text
//! cargo test -p book --test ch04_faults -- --nocapture
//! ```

use std::collections::BTreeMap;

use book::output;
use engine::keys::historical::{qdb, upper_bound};
use engine::keys::{self, hex};

type Encoding = fn(f64) -> [u8; 8];

const SIGN: u64 = 1 << 63;

/// The usual quiet NaN, with a clear sign bit.
const NAN: f64 = f64::from_bits(0x7ff8_0000_0000_0000);

// ANCHOR: qdb-faults
#[test]
fn testing_the_value_merges_the_zeros_and_loses_nan() {
    let mut table = format!("{:<6}{:<18}decoded\n", "score", "key");
    for score in [0.0, -0.0, NAN] {
        let key = qdb::encode_f64(score);
        table += &format!("{score:<6?}{:<18}{:?}\n", hex(&key), qdb::decode_f64(key));
    }
    output::check("04-ieee-754/outputs/qdb.txt", &table);

    assert_eq!(qdb::encode_f64(-0.0), qdb::encode_f64(0.0));
    assert_eq!(hex(&qdb::encode_f64(NAN)), "8007ffffffffffff");
    assert!(
        qdb::encode_f64(0.0) < qdb::encode_f64(NAN)
            && qdb::encode_f64(NAN) < qdb::encode_f64(f64::MIN_POSITIVE)
    );
    assert!(qdb::decode_f64(qdb::encode_f64(NAN)).is_subnormal());
}
// ANCHOR_END: qdb-faults

// ANCHOR: sign-bit-nan
#[test]
fn a_nan_with_the_sign_bit_lands_below_minus_infinity() {
    let negative_nan = NAN.copysign(-1.0);
    assert!(keys::encode_f64(negative_nan) < keys::encode_f64(f64::NEG_INFINITY));
    assert!(keys::encode_f64(NAN) > keys::encode_f64(f64::INFINITY));
    assert_eq!(keys::encode_f64_numeric(negative_nan), Err(keys::NanError));
}
// ANCHOR_END: sign-bit-nan

type Rows = BTreeMap<Vec<u8>, String>;

fn fill(members: &[(f64, &[u8])], encode: Encoding) -> Rows {
    let mut db = BTreeMap::new();
    for (score, member) in members {
        let key = [&encode(*score), *member].concat();
        db.insert(key, format!("{score:?} {}", member.escape_ascii()));
    }
    db
}

/// The rows from `low` on, up to `high`, which is left out.
fn range(db: &Rows, low: &[u8], high: &[u8]) -> Vec<String> {
    db.range(low.to_vec()..high.to_vec())
        .map(|(_, row)| row.clone())
        .collect()
}

// ANCHOR: positives-inverted
fn every_bit_inverted(score: f64) -> [u8; 8] {
    (!score.to_bits()).to_be_bytes()
}

#[test]
fn inverting_the_positive_numbers_too_turns_them_round() {
    let members = [
        (-2.0, &b"ann"[..]),
        (-1.0, b"bob"),
        (0.0, b"cid"),
        (1.0, b"dee"),
        (2.0, b"eve"),
    ];
    let db = fill(&members, every_bit_inverted);
    let order: Vec<&str> = db.values().map(String::as_str).collect();
    output::check(
        "04-ieee-754/outputs/positives-inverted.txt",
        &order.join("\n"),
    );

    assert_eq!(
        order,
        ["-2.0 ann", "-1.0 bob", "2.0 eve", "1.0 dee", "0.0 cid"]
    );
    // A range from 1 to 2 begins after it ends.
    assert!(every_bit_inverted(1.0) > every_bit_inverted(2.0));
}
// ANCHOR_END: positives-inverted

// ANCHOR: upper-bound
#[test]
fn one_ff_byte_is_not_an_upper_bound() {
    let members = [
        (1.0, &b"ann"[..]),
        (2.0, b"bob"),
        (2.0, b"\xff\x00"),
        (3.0, b"cid"),
    ];
    let db = fill(&members, keys::encode_f64);
    let low = keys::encode_f64(1.0);
    let published = upper_bound::with_ff(&keys::encode_f64(2.0));
    let repaired =
        keys::prefix_successor(&keys::encode_f64(2.0)).expect("a finite score has a successor");

    let [missed, found] = [range(&db, &low, &published), range(&db, &low, &repaired)];
    output::check(
        "04-ieee-754/outputs/upper-bound.txt",
        &format!(
            "scores 1 to 2, below {:<18}: {}\nscores 1 to 2, below {:<18}: {}\n",
            hex(&published),
            missed.join(", "),
            hex(&repaired),
            found.join(", "),
        ),
    );
    assert_eq!(missed, ["1.0 ann", "2.0 bob"]);
    assert_eq!(found, ["1.0 ann", "2.0 bob", r"2.0 \xff\x00"]);
}
// ANCHOR_END: upper-bound

// ANCHOR: two-zeros
#[test]
fn a_range_from_zero_to_zero_misses_minus_zero() {
    let zero_to_zero = |encode: Encoding| {
        let db = fill(&[(-0.0, b"ann"), (0.0, b"bob")], encode);
        let zero = encode(0.0);
        range(
            &db,
            &zero,
            &keys::prefix_successor(&zero).expect("zero has a successor"),
        )
    };
    let total = zero_to_zero(keys::encode_f64);
    let numeric = zero_to_zero(|score| keys::encode_f64_numeric(score).expect("no NaN here"));
    output::check(
        "04-ieee-754/outputs/two-zeros.txt",
        &format!(
            "total order: {}\nnumeric:     {}\n",
            total.join(", "),
            numeric.join(", ")
        ),
    );
    assert_eq!(total, ["0.0 bob"]);
    assert_eq!(numeric, ["-0.0 ann", "0.0 bob"]);
}
// ANCHOR_END: two-zeros

// ANCHOR: reversed
#[test]
fn a_reversed_scan_must_start_behind_the_last_infinity() {
    let members = [
        (1.0, &b"ann"[..]),
        (f64::INFINITY, b"bob"),
        (f64::INFINITY, b"cid"),
    ];
    let db = fill(&members, keys::encode_f64);
    let infinity = keys::encode_f64(f64::INFINITY);

    // Seek to the bytes of +inf, which are the prefix of its first member, then step back.
    let first = db
        .range(infinity.to_vec()..)
        .next()
        .expect("a member at +inf");
    let published: Vec<&String> = db
        .range(..=first.0.clone())
        .rev()
        .map(|(_, row)| row)
        .collect();

    // Seek to the last row below the successor of those bytes, then step back.
    let bound = keys::prefix_successor(&infinity).expect("NaNs lie above +inf");
    let repaired: Vec<&String> = db.range(..bound).rev().map(|(_, row)| row).collect();

    assert_eq!(published, ["inf bob", "1.0 ann"]);
    assert_eq!(repaired, ["inf cid", "inf bob", "1.0 ann"]);
}
// ANCHOR_END: reversed

// ANCHOR: plus-one
#[test]
fn adding_one_is_not_the_next_score() {
    let score = 2f64.powi(53);
    assert_eq!(score + 1.0, score);
    // The next key is the key of the next double.
    let key = u64::from_be_bytes(keys::encode_f64(score));
    assert_eq!(
        key + 1,
        u64::from_be_bytes(keys::encode_f64(score.next_up()))
    );
    assert_eq!(score.next_up(), score + 2.0);
}
// ANCHOR_END: plus-one

// ANCHOR: wrong-encodings
fn big_endian(score: f64) -> [u8; 8] {
    score.to_bits().to_be_bytes()
}

fn sign_bit_flipped_only(score: f64) -> [u8; 8] {
    (score.to_bits() ^ SIGN).to_be_bytes()
}

fn negatives_inverted_only(score: f64) -> [u8; 8] {
    let bits = score.to_bits();
    (if bits & SIGN != 0 { !bits } else { bits }).to_be_bytes()
}

fn below_zero_inverted_else_flipped(score: f64) -> [u8; 8] {
    let bits = score.to_bits();
    (if score < 0.0 { !bits } else { bits ^ SIGN }).to_be_bytes()
}

fn right_bits_little_endian(score: f64) -> [u8; 8] {
    let mut key = keys::encode_f64(score);
    key.reverse();
    key
}

fn thousandths_as_integer(score: f64) -> [u8; 8] {
    keys::encode_i64((score * 1000.0) as i64)
}
// ANCHOR_END: wrong-encodings

// ANCHOR: wrong-answers
#[test]
fn each_wrong_answer_breaks_on_a_pair() {
    let gallery: [(&str, Encoding, [f64; 2]); 7] = [
        ("big-endian", big_endian, [-1.0, 0.0]),
        ("sign bit flipped only", sign_bit_flipped_only, [-2.0, -1.0]),
        ("every bit inverted", every_bit_inverted, [1.0, 2.0]),
        (
            "negatives inverted only",
            negatives_inverted_only,
            [-1.0, 1.0],
        ),
        (
            "value < 0 tested, then flipped",
            below_zero_inverted_else_flipped,
            [-1.0, -0.0],
        ),
        (
            "right bits, little-endian",
            right_bits_little_endian,
            [1.0, 2.0],
        ),
        (
            "thousandths as an integer",
            thousandths_as_integer,
            [0.0001, 0.0002],
        ),
    ];
    let mut table = format!(
        "{:<32}{:>6} < {:<8}{:<18}{}\n",
        "encoding", "a", "b", "key of a", "key of b"
    );
    for (name, encode, [a, b]) in gallery {
        let (low, high) = (encode(a), encode(b));
        assert!(a < b && low >= high, "{name}: {a} must not sort before {b}");
        table += &format!("{name:<32}{a:>6} < {b:<8}{:<18}{}\n", hex(&low), hex(&high));
    }
    output::check("04-ieee-754/outputs/wrong-answers.txt", &table);
}
// ANCHOR_END: wrong-answers

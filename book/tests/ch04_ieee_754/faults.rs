//! What published systems do with doubles, and wrong answers that people give.

use book::output;
use engine::Cursor;
use engine::keys::historical::{qdb, upper_bound};
use engine::keys::{self, hex};

use crate::database::text;
use crate::store::Store;
use crate::{Encoding, MEMBERS, NAN, SIGN, big_endian, sign_flipped};

// ANCHOR: qdb_faults
#[test]
fn testing_the_value_merges_the_zeros_and_loses_nan() {
    let mut table = format!("{:<7}{:<18}decoded\n", "score", "key");
    for score in [0.0, -0.0, NAN] {
        let key = qdb::encode_f64(score);
        table += &format!("{score:<7?}{:<18}{:?}\n", hex(&key), qdb::decode_f64(key));
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
// ANCHOR_END: qdb_faults

// ANCHOR: sign_bit_nan
#[test]
fn a_nan_with_the_sign_bit_lands_below_minus_infinity() {
    let negative_nan = NAN.copysign(-1.0);
    assert!(keys::encode_f64(negative_nan) < keys::encode_f64(f64::NEG_INFINITY));
    assert!(keys::encode_f64(NAN) > keys::encode_f64(f64::INFINITY));
    assert_eq!(keys::encode_f64_numeric(negative_nan), Err(keys::NanError));
}
// ANCHOR_END: sign_bit_nan

// ANCHOR: positives_inverted
fn every_bit_inverted(score: f64) -> [u8; 8] {
    (!score.to_bits()).to_be_bytes()
}

#[test]
fn inverting_the_positive_numbers_too_turns_them_round() {
    let store = Store::new(&MEMBERS, every_bit_inverted);
    output::check("04-ieee-754/outputs/positives-inverted.txt", &store.scan());

    // A range from 1 to 2 begins after it ends.
    let [low, high] = [1.0, 2.0].map(every_bit_inverted);
    assert!(low > high);
}
// ANCHOR_END: positives_inverted

// ANCHOR: upper_bound
#[test]
fn one_ff_byte_is_not_an_upper_bound() {
    let members = [
        (1.0, &b"ann"[..]),
        (2.0, b"bob"),
        (2.0, b"\xff\x00"),
        (3.0, b"cid"),
    ];
    let store = Store::new(&members, keys::encode_f64);
    let [low, high] = [1.0, 2.0].map(keys::encode_f64);

    let shortcut = upper_bound::with_ff(&high);
    let successor = keys::prefix_successor(&high).expect("2.0 is not the last key");
    let [missed, found] = [&shortcut, &successor].map(|bound| store.range(&low, bound));
    assert_eq!(missed, ["1.0 ann", "2.0 bob"]);
    assert_eq!(found, ["1.0 ann", "2.0 bob", r"2.0 \xff\x00"]);

    let line = |bound: &[u8], rows: &[String]| format!("{:<18}  {}\n", hex(bound), rows.join(", "));
    let head = format!("{:<18}  scores 1 to 2\n", "up to");
    let lines = head + &line(&shortcut, &missed) + &line(&successor, &found);
    output::check("04-ieee-754/outputs/upper-bound.txt", &lines);
}
// ANCHOR_END: upper_bound

// ANCHOR: two_zeros
#[test]
fn a_range_from_zero_to_zero_misses_minus_zero() {
    let zero_to_zero = |encode: Encoding| {
        let store = Store::new(&[(-0.0, &b"ann"[..]), (0.0, b"bob")], encode);
        let zero = encode(0.0);
        let end = keys::prefix_successor(&zero).expect("zero is not the last key");
        store.range(&zero, &end).join(", ")
    };
    let total = zero_to_zero(keys::encode_f64);
    let numeric = zero_to_zero(|score| keys::encode_f64_numeric(score).expect("no NaN here"));
    assert_eq!(total, "0.0 bob");
    assert_eq!(numeric, "-0.0 ann, 0.0 bob");
    let lines = format!("total order: {total}\nnumeric:     {numeric}\n");
    output::check("04-ieee-754/outputs/two-zeros.txt", &lines);
}
// ANCHOR_END: two_zeros

// ANCHOR: reversed
/// The texts of the rows from the cursor's row down to the first.
fn backwards(mut cursor: Cursor) -> Vec<String> {
    let mut rows = Vec::new();
    while cursor.valid() {
        rows.push(text(cursor.value()));
        cursor.prev().unwrap();
    }
    rows
}

#[test]
fn a_reversed_scan_must_start_after_the_last_infinity() {
    let members = [
        (1.0, &b"ann"[..]),
        (f64::INFINITY, b"bob"),
        (f64::INFINITY, b"cid"),
    ];
    let store = Store::new(&members, keys::encode_f64);
    let infinity = keys::encode_f64(f64::INFINITY);

    // Seek to the bytes of +inf: the first member there. Then step back.
    let mut cursor = store.rows.cursor().unwrap();
    cursor.seek(infinity).unwrap();
    assert_eq!(backwards(cursor), ["inf bob", "1.0 ann"]);

    // Seek to the last row below their successor. Then step back.
    let bound = keys::prefix_successor(&infinity).unwrap();
    let mut cursor = store.rows.cursor().unwrap();
    cursor.seek_for_prev(&bound).unwrap();
    assert_eq!(backwards(cursor), ["inf cid", "inf bob", "1.0 ann"]);

    // The range +inf to +inf is a range like any other.
    assert_eq!(store.range(&infinity, &bound), ["inf bob", "inf cid"]);
}
// ANCHOR_END: reversed

// ANCHOR: plus_one
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
// ANCHOR_END: plus_one

// ANCHOR: wrong_encodings
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
// ANCHOR_END: wrong_encodings

// ANCHOR: wrong_answers
#[test]
fn each_wrong_answer_breaks_on_a_pair() {
    let gallery: [(&str, Encoding, [f64; 2]); 7] = [
        ("big-endian", big_endian, [-1.0, 0.0]),
        ("sign bit flipped only", sign_flipped, [-2.0, -1.0]),
        ("every bit inverted", every_bit_inverted, [1.0, 2.0]),
        (
            "negatives inverted only",
            negatives_inverted_only,
            [-1.0, 1.0],
        ),
        (
            "below zero tested, flipped",
            below_zero_inverted_else_flipped,
            [-1.0, -0.0],
        ),
        (
            "right bits, little-endian",
            right_bits_little_endian,
            [1.0, 2.0],
        ),
        (
            "thousandths as integer",
            thousandths_as_integer,
            [0.0001, 0.0002],
        ),
    ];
    let mut table = format!(
        "{:<26}{:>6} < {:<8}{:<18}{}\n",
        "encoding", "a", "b", "key of a", "key of b"
    );
    for (name, encode, [a, b]) in gallery {
        let (low, high) = (encode(a), encode(b));
        assert!(a < b && low >= high, "{name}: {a} must not sort before {b}");
        table += &format!(
            "{name:<26}{a:>6?} < {b:<8?}{:<18}{}\n",
            hex(&low),
            hex(&high)
        );
    }
    output::check("04-ieee-754/outputs/wrong-answers.txt", &table);
    assert_eq!(thousandths_as_integer(1e300), keys::encode_i64(i64::MAX));
}
// ANCHOR_END: wrong_answers

// ANCHOR: answers
#[test]
fn what_the_model_answers_say() {
    // Question 4: both are allowed as arguments, and their sum is not a number.
    assert!((f64::INFINITY + f64::NEG_INFINITY).is_nan());
    // Question 5: one more than a key is the key of the next double.
    for score in [-1.5, -1.0, 1.0, 2f64.next_down(), f64::MAX] {
        let key = u64::from_be_bytes(keys::encode_f64(score));
        assert_eq!((key + 1).to_be_bytes(), keys::encode_f64(score.next_up()));
    }
    assert!(keys::decode_f64([0xff; 8]).is_nan());
    assert!(keys::decode_f64_numeric([0xff; 8]).is_err());
}
// ANCHOR_END: answers

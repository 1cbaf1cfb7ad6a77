//! What published comparators do.

use std::cmp::Ordering;

use book::output;
use engine::comparator::{BrokenLaw, Law, check_comparator_laws};
use engine::{Comparator, Compare};

use crate::shop::{Order, Shop, by_subtraction};

// ANCHOR: pika
/// Pika's order of scores, without the user key and version that stand in front: a double in
/// little-endian bytes, then the member.
struct PikaScores;

fn score_and_member(key: &[u8]) -> (f64, &[u8]) {
    let (score, member) = key.split_first_chunk().expect("eight bytes of score");
    (f64::from_le_bytes(*score), member)
}

impl Compare for PikaScores {
    fn name(&self) -> &str {
        "pika-scores"
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        let ((a_score, a_member), (b_score, b_member)) = (score_and_member(a), score_and_member(b));
        if a_score != b_score {
            return if a_score < b_score {
                Ordering::Less
            } else {
                Ordering::Greater
            };
        }
        a_member.cmp(b_member)
    }

    /// Between two scores that are more than 1 apart, the lower one plus 1.
    fn separator(&self, a: &[u8], b: &[u8]) -> Vec<u8> {
        let (low, high) = (score_and_member(a).0, score_and_member(b).0);
        if low + 1.0 < high {
            (low + 1.0).to_le_bytes().to_vec()
        } else {
            a.to_vec()
        }
    }
}
// ANCHOR_END: pika

fn row(score: f64, member: &str) -> Vec<u8> {
    [&score.to_le_bytes()[..], member.as_bytes()].concat()
}

fn pika_breaks(keys: &[Vec<u8>]) -> BrokenLaw {
    check_comparator_laws(&PikaScores, keys).unwrap_err()
}

// ANCHOR: pika_faults
#[test]
fn pikas_order_breaks_three_laws() {
    // -0.0 and 0.0 are equal as numbers and different as bytes.
    let zeros = pika_breaks(&[row(-0.0, "m"), row(0.0, "m")]);
    assert_eq!(zeros.law, Law::DistinctKeysDiffer);

    // NaN differs from every number, and from itself.
    let nan = pika_breaks(&[row(f64::NAN, "m")]);
    assert_eq!(nan.law, Law::Reflexive);

    // 2^53 plus 1 is 2^53: the separator has lost its member and comes before `a`.
    let two_to_53 = 2f64.powi(53);
    let (a, b) = (row(two_to_53, "m"), row(two_to_53 + 4.0, "m"));
    let wrong = pika_breaks(&[a.clone(), b.clone()]);
    assert_eq!(wrong.law, Law::SeparatorInRange);
    // Our engine does not take it.
    assert_eq!(Comparator::custom(PikaScores).separator(&a, &b), a);

    let line = |what: &str, broken: &BrokenLaw| format!("{what:<14}{}\n", broken.law);
    output::check(
        "07-comparators/outputs/pika.txt",
        &(line("-0.0 and 0.0", &zeros) + &line("NaN", &nan) + &line("2^53, 2^53+4", &wrong)),
    );
}
// ANCHOR_END: pika_faults

// ANCHOR: pika_nan
#[test]
fn a_row_that_is_not_equal_to_itself_is_not_found_by_comparing() {
    let rows = [row(1.0, "m"), row(f64::NAN, "m")];
    let found = |key: &Vec<u8>| rows.binary_search_by(|row| PikaScores.compare(row, key));
    assert_eq!(found(&rows[0]), Ok(0));
    assert!(found(&rows[1]).is_err());
}
// ANCHOR_END: pika_nan

// ANCHOR: subtraction_faults
#[test]
fn a_difference_of_two_ints_is_no_order() {
    let order = Order("subtraction", by_subtraction);
    // With small numbers, as in LevelDB's test, it is one.
    let small = ["10", "20", "100", "1000"];
    assert!(check_comparator_laws(&order, &small).is_ok());
    let large = ["-2000000000", "0", "2000000000"];
    let broken = check_comparator_laws(&order, &large).unwrap_err();
    assert_eq!(broken.law, Law::Transitive);
}
// ANCHOR_END: subtraction_faults

// ANCHOR: mixed_numbers
/// A key such as `2.5 ann`.
fn number_and_name(key: &[u8]) -> (&str, &str) {
    let text = std::str::from_utf8(key).expect("text");
    text.split_once(' ').expect("a number and a name")
}

/// Two integers are compared as integers, all other pairs as doubles.
fn by_mixed_numbers(a: &[u8], b: &[u8]) -> Ordering {
    let ((a, a_name), (b, b_name)) = (number_and_name(a), number_and_name(b));
    let double = |number: &str| number.parse::<f64>().expect("a number");
    let numbers = match (a.parse::<i64>(), b.parse::<i64>()) {
        (Ok(a), Ok(b)) => a.cmp(&b),
        _ => double(a).total_cmp(&double(b)),
    };
    numbers.then(a_name.cmp(b_name))
}

#[test]
fn integers_among_doubles_go_in_a_circle() {
    let order = Order("mixed-numbers", by_mixed_numbers);
    let small = ["1 c", "2 a", "1.0 b"];
    assert!(check_comparator_laws(&order, &small).is_ok());
    // 2^53 and 2^53 + 1, and the double that is equal to both.
    let large = [
        "9007199254740992 c",
        "9007199254740993 a",
        "9007199254740992.0 b",
    ];
    let broken = check_comparator_laws(&order, &large).unwrap_err();
    assert_eq!(broken.law, Law::Transitive);
}
// ANCHOR_END: mixed_numbers

// ANCHOR: signed_bytes
#[test]
fn signed_bytes_are_another_order() {
    // Java's and, on many machines, C's plain char counts from -128 to 127.
    let signed = |a: &[u8], b: &[u8]| {
        let signed = |key: &[u8]| {
            key.iter()
                .map(|byte| byte.cast_signed())
                .collect::<Vec<i8>>()
        };
        signed(a).cmp(&signed(b))
    };
    // It keeps all laws: it is an order, only not the one that its name would say.
    let samples: [&[u8]; 3] = [b"\x0a\x0b", b"\x0a\xf5", b"\x0a"];
    assert!(check_comparator_laws(&Order("signed", signed), &samples).is_ok());
    assert_eq!(signed(b"\x0a\xf5", b"\x0a\x0b"), Ordering::Less);
    assert_eq!(b"\x0a\xf5".cmp(b"\x0a\x0b"), Ordering::Greater);
}
// ANCHOR_END: signed_bytes

// ANCHOR: bounds
#[test]
fn the_end_of_a_range_is_compared_by_the_family() {
    let rows = [
        ("item:2", ""),
        ("item:9", ""),
        ("item:10", ""),
        ("item:20", ""),
    ];
    let shop = Shop::new(Comparator::custom(engine::comparator::NumericSuffix)).filled(&rows);
    let keys: Vec<Vec<u8>> = shop
        .items
        .range("item:2".."item:20")
        .map(|row| row.unwrap().0)
        .collect();
    assert_eq!(keys, [&b"item:2"[..], b"item:9", b"item:10"]);
    // Compared as bytes, the range would have ended at its second row.
    assert!(b"item:9"[..] > b"item:20"[..]);
}
// ANCHOR_END: bounds

//! Chapter 4, run. Each test proves one claim of the chapter and prints what the page shows:
//!
//! ```text
//! cargo test -p book --test ch04_ieee_754 -- --nocapture
//! ```

#[path = "support/database.rs"]
mod database;
#[path = "ch04_ieee_754/faults.rs"]
mod faults;
#[path = "ch04_ieee_754/money.rs"]
mod money;
#[path = "ch03_support/places.rs"]
mod places;
#[path = "support/solver.rs"]
mod solver;
#[path = "ch03_support/store.rs"]
mod store;

use book::output;
use engine::keys::{self, hex};

use places::{cells, places};
use solver::Claim;
use store::Store;

/// A way to turn a score into bytes, right or wrong.
type Encoding = fn(f64) -> [u8; 8];

const SIGN: u64 = 1 << 63;

/// The usual quiet NaN. Rust promises no bit pattern for `f64::NAN`, so it is written out.
const NAN: f64 = f64::from_bits(0x7ff8_0000_0000_0000);

// ANCHOR: first_tries
fn big_endian(score: f64) -> [u8; 8] {
    score.to_bits().to_be_bytes()
}

/// The repair of chapter 3.
fn sign_flipped(score: f64) -> [u8; 8] {
    (score.to_bits() ^ SIGN).to_be_bytes()
}
// ANCHOR_END: first_tries

const MEMBERS: [(f64, &[u8]); 5] = [
    (1.0, b"ann"),
    (-2.0, b"bob"),
    (0.0, b"cid"),
    (2.0, b"dee"),
    (-1.0, b"eve"),
];

// ANCHOR: broken_scan
#[test]
fn big_endian_doubles_put_the_negatives_last_and_backwards() {
    let store = Store::new(&MEMBERS, big_endian);
    output::check("04-ieee-754/outputs/broken-scan.txt", &store.scan());
    assert_eq!(
        store.order(),
        ["0.0 cid", "1.0 ann", "2.0 dee", "-1.0 eve", "-2.0 bob"]
    );
}
// ANCHOR_END: broken_scan

// ANCHOR: half_repaired
#[test]
fn the_sign_flip_alone_leaves_the_negatives_backwards() {
    let store = Store::new(&MEMBERS, sign_flipped);
    output::check("04-ieee-754/outputs/half-repaired.txt", &store.scan());
    assert_eq!(
        store.order(),
        ["-1.0 eve", "-2.0 bob", "0.0 cid", "1.0 ann", "2.0 dee"]
    );
}
// ANCHOR_END: half_repaired

// ANCHOR: mended_scan
#[test]
fn the_total_order_mends_the_scan() {
    let store = Store::new(&MEMBERS, keys::encode_f64);
    output::check("04-ieee-754/outputs/mended-scan.txt", &store.scan());
    assert_eq!(
        store.order(),
        ["-2.0 bob", "-1.0 eve", "0.0 cid", "1.0 ann", "2.0 dee"]
    );
}
// ANCHOR_END: mended_scan

// ANCHOR: prediction
#[test]
fn six_patterns_in_byte_order() {
    let mut values = [1.5, -1.5, 0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY];
    values.sort_by_key(|&value| big_endian(value));
    let lines: Vec<String> = values
        .iter()
        .map(|&v| format!("{}  {v:?}", hex(&big_endian(v))))
        .collect();
    output::check("04-ieee-754/outputs/prediction.txt", &lines.join("\n"));
}
// ANCHOR_END: prediction

// ANCHOR: fields
#[test]
fn the_sixty_four_bits_of_small_numbers() {
    let mut table = format!(
        "{:>5}  {:<4}  {:<11}  fraction\n",
        "value", "sign", "exponent"
    );
    for value in [0.0, 1.0, 2.0, -1.0, -2.0f64] {
        let bits = value.to_bits();
        let (sign, exponent, fraction) = (bits >> 63, (bits >> 52) & 0x7ff, bits & ((1 << 52) - 1));
        table += &format!("{value:>5?}  {sign:<4}  {exponent:011b}  {fraction:052b}\n");
    }
    output::check("04-ieee-754/outputs/fields.txt", &table);
}
// ANCHOR_END: fields

#[test]
fn two_numbers_taken_apart_by_hand() {
    let [ends, repeats] = [by_hand(-6.5, 13, 2), by_hand(0.1, 1, 10)];
    output::check(
        "04-ieee-754/outputs/by-hand.txt",
        &[ends, repeats].join("\n\n"),
    );
}

/// How a pen makes the bits of a double whose magnitude is `over / under`. It counts in whole numbers, so that nothing is
/// rounded on the way.
fn by_hand(double: f64, mut over: u64, mut under: u64) -> String {
    let written = |over: u64, under: u64| (over as f64 / under as f64).to_string();
    let mut exponent = 0;
    let mut scaled = written(over, under);
    while over < under || over >= 2 * under {
        if over < under {
            over *= 2;
            exponent -= 1;
        } else {
            under *= 2;
            exponent += 1;
        }
        scaled += &format!("  {}", written(over, under));
    }
    let sign = u64::from(double.is_sign_negative());
    let stored = exponent + 1023;

    // Without the 1 in front. A digit is shown until nothing is left or the digits repeat.
    let first = over - under;
    let (mut rest, mut fraction, mut digits) = (first, 0, Vec::new());
    let mut end = None;
    for _ in 0..52 {
        let digit = 2 * rest / under;
        if end.is_none() {
            let step = format!(
                "{} * 2 = {}",
                written(rest, under),
                written(2 * rest, under)
            );
            digits.push(format!("{step:<20}{digit}"));
        }
        rest = 2 * rest % under;
        fraction = fraction << 1 | digit;
        if rest == 0 {
            end.get_or_insert("nothing is left: zeros follow".to_owned());
        } else if rest == first {
            let again = written(rest, under);
            end.get_or_insert(format!("{again} again: the same digits, without end"));
        }
    }
    digits.push(end.expect("the digits end, or repeat from the first on"));
    // What is left after 52 digits rounds the last one.
    fraction += u64::from(2 * rest > under);
    let bits = sign << 63 | (stored as u64) << 52 | fraction;
    assert_eq!(bits, double.to_bits(), "{double}");

    let how = if exponent < 0 { "doubled" } else { "halved" };
    let exponent = format!("{exponent} + 1023 = {stored}");
    [
        format!("{double}"),
        format!("sign      {:<20}{sign}", ""),
        format!("{how:<8}  {scaled}"),
        format!("exponent  {exponent:<20}{stored:011b}"),
        format!("fraction  {}", digits.join("\n          ")),
        format!("in hex    {bits:016x}"),
    ]
    .join("\n")
}

// ANCHOR: landmarks
#[test]
fn the_bits_of_positive_doubles_rise_with_their_values() {
    let landmarks = [
        ("zero", 0.0),
        ("smallest subnormal", f64::from_bits(1)),
        ("largest subnormal", f64::MIN_POSITIVE.next_down()),
        ("smallest normal", f64::MIN_POSITIVE),
        ("one", 1.0),
        ("next after one", 1.0f64.next_up()),
        ("last before two", 2.0f64.next_down()),
        ("two", 2.0),
        ("largest finite", f64::MAX),
        ("infinity", f64::INFINITY),
    ];
    let mut table = format!("{:<20}{:<18}value\n", "name", "bits");
    for (name, value) in landmarks {
        table += &format!("{name:<20}{:016x}  {value:?}\n", value.to_bits());
    }
    table += &format!(
        "{:<20}{:016x}  NaN, as are all patterns above infinity\n",
        "the usual NaN",
        NAN.to_bits()
    );
    output::check("04-ieee-754/outputs/landmarks.txt", &table);

    assert!(landmarks.is_sorted_by(|a, b| a.1 < b.1 && a.1.to_bits() < b.1.to_bits()));
    // The step to the next double is the step to the next integer, across a change of exponent too.
    assert_eq!(2.0f64.next_down().to_bits() + 1, 2.0f64.to_bits());
    assert_eq!(f64::MAX.to_bits() + 1, f64::INFINITY.to_bits());
}
// ANCHOR_END: landmarks

// ANCHOR: half
/// The value of a binary16 pattern: sign 1 bit, exponent 5, fraction 10.
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let exponent = i32::from(bits >> 10 & 0x1f);
    let fraction = f64::from(bits & 0x3ff) / 1024.0;
    match exponent {
        0 => sign * fraction * 2f64.powi(-14),
        31 if fraction == 0.0 => sign * f64::INFINITY,
        31 => f64::NAN,
        _ => sign * (1.0 + fraction) * 2f64.powi(exponent - 15),
    }
}
// ANCHOR_END: half

// ANCHOR: exhaustion
#[test]
fn every_pair_of_binary16_numbers_sorts() {
    let mut patterns: Vec<u16> = (0..=u16::MAX)
        .filter(|&bits| !half(bits).is_nan())
        .collect();
    patterns.sort_by_key(|&bits| keys::encode_f16_bits(bits));

    // Neighbours rise, so all pairs do. The only two that are equal are the two zeros.
    let mut equal = Vec::new();
    for pair in patterns.windows(2) {
        let [a, b] = [half(pair[0]), half(pair[1])];
        assert!(a <= b, "{a} stands before {b}");
        if a == b {
            equal.push((pair[0], pair[1]));
        }
    }
    assert_eq!(equal, [(0x8000, 0x0000)]);
    output::check(
        "04-ieee-754/outputs/exhaustion.txt",
        &format!(
            "patterns of binary16:      {}\nnumbers and infinities:    {}\n\
             steps in key order:        {}\nof these, between equals:  {} ({:04x} and {:04x}, the zeros)\n",
            1 << 16,
            patterns.len(),
            patterns.len() - 1,
            equal.len(),
            equal[0].0,
            equal[0].1,
        ),
    );
}
// ANCHOR_END: exhaustion

// ANCHOR: total_order
#[test]
fn the_total_order_from_one_nan_to_the_other() {
    let ordered = [
        ("-NaN", -NAN),
        ("-inf", f64::NEG_INFINITY),
        ("-100", -100.0),
        ("-1", -1.0),
        ("-0.0", -0.0),
        ("+0.0", 0.0),
        ("1", 1.0),
        ("100", 100.0),
        ("+inf", f64::INFINITY),
        ("NaN", NAN),
    ];
    let mut table = format!("{:<7}{:<18}key\n", "value", "bits");
    for (name, value) in ordered {
        table += &format!(
            "{name:<7}{:016x}  {}\n",
            value.to_bits(),
            hex(&keys::encode_f64(value))
        );
    }
    output::check("04-ieee-754/outputs/total-order.txt", &table);

    assert!(ordered.is_sorted_by_key(|(_, value)| keys::encode_f64(*value)));
    assert!(ordered.is_sorted_by(|a, b| a.1.total_cmp(&b.1).is_lt()));
}
// ANCHOR_END: total_order

// ANCHOR: decode
#[test]
fn the_total_order_gives_every_pattern_back() {
    for bits in [
        0,
        1,
        SIGN,
        SIGN | 1,
        NAN.to_bits(),
        (-NAN).to_bits(),
        u64::MAX,
    ] {
        let key = keys::encode_f64(f64::from_bits(bits));
        assert_eq!(keys::decode_f64(key).to_bits(), bits);
    }
    for bits in 0..=u16::MAX {
        assert_eq!(keys::decode_f16_bits(keys::encode_f16_bits(bits)), bits);
    }
}
// ANCHOR_END: decode

// ANCHOR: two_equalities
#[test]
fn numeric_and_total_order_answer_differently() {
    // As numbers the zeros are equal, and NaN is not even equal to itself.
    let [minus_zero, plus_zero, nan] = [-0.0, 0.0, NAN];
    assert_eq!(minus_zero, plus_zero);
    assert_ne!(nan, nan);
    assert_eq!(
        keys::encode_f64_numeric(-0.0),
        keys::encode_f64_numeric(0.0)
    );
    assert_eq!(keys::encode_f64_numeric(NAN), Err(keys::NanError));
    // In total order each bit pattern is equal to itself alone.
    assert!(keys::encode_f64(-0.0) < keys::encode_f64(0.0));
    assert_eq!(keys::encode_f64(NAN), keys::encode_f64(NAN));
}
// ANCHOR_END: two_equalities

// ANCHOR: refusal
#[test]
fn a_key_that_no_number_has_is_refused() {
    let refusal = |value| {
        let foreign = keys::encode_f64(value);
        keys::decode_f64_numeric(foreign).unwrap_err().to_string()
    };
    assert_eq!(
        refusal(-0.0),
        "at byte 0 of the key: -0.0 has no numeric key of its own, \
         it is written as +0.0"
    );
    assert_eq!(
        refusal(NAN),
        "at byte 0 of the key: a numeric key is never NaN"
    );
}
// ANCHOR_END: refusal

#[test]
fn the_explorer_without_scripts() {
    let values = [
        f64::NEG_INFINITY,
        -100.0,
        -1.0,
        -0.0,
        0.0,
        1.0,
        100.0,
        f64::INFINITY,
    ];
    let encodings: [Encoding; 5] = [
        big_endian,
        sign_flipped,
        |score| (!score.to_bits()).to_be_bytes(),
        keys::encode_f64,
        |score| keys::encode_f64_numeric(score).expect("no NaN here"),
    ];
    let columns = encodings.map(|encode| places(&values, encode));
    let mut table = String::from(
        "| value | bits | big-endian | sign flipped | all inverted | total order | numeric |\n|--:|---|--:|--:|--:|--:|--:|\n",
    );
    for (n, value) in values.iter().enumerate() {
        let bits = value.to_bits();
        table += &format!("| {value:?} | `{bits:016x}` |{}\n", cells(&columns, n));
    }
    output::check("04-ieee-754/outputs/explorer.md", &table);
    assert_eq!(columns[3], [1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(columns[4], [1, 2, 3, 4, 4, 6, 7, 8]);
}

// ANCHOR: solver
#[test]
fn the_solver_finds_no_pair_against_the_right_keys_and_one_against_each_wrong_key() {
    fn breaks(encode: Encoding, pair: &[u64]) -> bool {
        let (a, b) = (f64::from_bits(pair[0]), f64::from_bits(pair[1]));
        (a < b) != (encode(a) < encode(b))
    }
    solver::check(
        "04-ieee-754/outputs/solver.txt",
        "engine/proofs",
        &[
            ("right_f64_total.smt2", Claim::Holds),
            ("right_f64_numeric.smt2", Claim::Holds),
            (
                "wrong_f64_negatives_not_inverted.smt2",
                Claim::BrokenBy(|pair| breaks(sign_flipped, pair)),
            ),
            (
                "wrong_neokv_zeros.smt2",
                Claim::BrokenBy(|pair| breaks(keys::historical::neokv::encode_f64, pair)),
            ),
        ],
    );
}
// ANCHOR_END: solver

//! What LedisDB, QDB and NeoKV store, and where that goes wrong. One claim per test.

use engine::keys::{
    encode_f64, encode_f64_numeric, encode_i64, hex,
    historical::{ledis, neokv, qdb, upper_bound},
    prefix_successor,
};
use proptest::prelude::*;

use crate::generators::bits64;

/// Value, little-endian bytes, big-endian bytes.
const TWO_BYTE_ORDERS: [(i64, &str, &str); 8] = [
    (0, "0000000000000000", "0000000000000000"),
    (1, "0100000000000000", "0000000000000001"),
    (0xffff_0000, "0000ffff00000000", "00000000ffff0000"),
    (i64::MAX, "ffffffffffffff7f", "7fffffffffffffff"),
    (-1, "ffffffffffffffff", "ffffffffffffffff"),
    (-200, "38ffffffffffffff", "ffffffffffffff38"),
    (-300, "d4feffffffffffff", "fffffffffffffed4"),
    (i64::MIN, "0000000000000080", "8000000000000000"),
];

#[test]
fn an_i64_in_both_byte_orders() {
    for (value, little, big) in TWO_BYTE_ORDERS {
        assert_eq!(hex(&value.to_le_bytes()), little, "{value}");
        assert_eq!(hex(&value.to_be_bytes()), big, "{value}");
    }
}

#[test]
fn little_endian_puts_1_after_0xffff0000_and_minus_200_before_minus_300() {
    assert!(1_i64.to_le_bytes() > 0xffff_0000_i64.to_le_bytes());
    assert!((-200_i64).to_le_bytes() < (-300_i64).to_le_bytes());
}

#[test]
fn big_endian_sorts_each_half_and_puts_the_halves_the_wrong_way_round() {
    for (a, ..) in TWO_BYTE_ORDERS {
        for (b, ..) in TWO_BYTE_ORDERS {
            let by_bytes = a.to_be_bytes().cmp(&b.to_be_bytes());
            if (a < 0) == (b < 0) {
                assert_eq!(by_bytes, a.cmp(&b), "{a} {b}");
            } else {
                assert_eq!(by_bytes, b.cmp(&a), "{a} {b}");
            }
        }
    }
}

#[test]
fn the_published_ledis_sample_is_little_endian_and_sorts_the_wrong_way() {
    let published = ledis::encode_i64_as_published;
    assert_eq!(&published(-200), b"<\x38\xff\xff\xff\xff\xff\xff\xff");
    assert!(published(-200) < published(-300), "-200 comes before -300");
    assert!(
        ledis::encode_i64(-200) > ledis::encode_i64(-300),
        "the real form is right"
    );
}

#[test]
fn a_double_is_a_sign_an_exponent_and_a_fraction() {
    // sign, exponent, fraction
    let fields = |value: f64| {
        let bits = format!("{:064b}", value.to_bits());
        [
            bits[..1].to_owned(),
            bits[1..12].to_owned(),
            bits[12..].to_owned(),
        ]
    };
    let no_fraction = "0".repeat(52);
    for (value, sign, exponent) in [
        (0.0, "0", "00000000000"),
        (1.0, "0", "01111111111"),
        (2.0, "0", "10000000000"),
        (-1.0, "1", "01111111111"),
        (-2.0, "1", "10000000000"),
    ] {
        assert_eq!(fields(value), [sign, exponent, &no_fraction], "{value}");
    }
}

#[test]
fn big_endian_doubles_sort_when_positive_and_run_backwards_when_negative() {
    let bytes = |value: f64| value.to_be_bytes();
    assert!(bytes(0.0) < bytes(1.0) && bytes(1.0) < bytes(2.0));
    assert!(
        bytes(-1.0) < bytes(-2.0),
        "sign and magnitude, not two's complement"
    );
    assert!(bytes(2.0) < bytes(-1.0));
}

#[test]
fn qdb_stores_both_zeros_under_one_key() {
    assert_eq!(hex(&qdb::encode_f64(0.0)), "8000000000000000");
    assert_eq!(hex(&qdb::encode_f64(-0.0)), "8000000000000000");
    let read_back = qdb::decode_f64(qdb::encode_f64(-0.0));
    assert_eq!(
        read_back.to_bits(),
        0.0_f64.to_bits(),
        "-0.0 comes back as +0.0"
    );
}

#[test]
fn qdb_turns_a_positive_nan_into_a_tiny_number() {
    let nan = f64::from_bits(0x7ff8_0000_0000_0000);
    let key = qdb::encode_f64(nan);
    assert_eq!(hex(&key), "8007ffffffffffff");
    assert!(qdb::encode_f64(0.0) < key && key < qdb::encode_f64(f64::MIN_POSITIVE));
    let read_back = qdb::decode_f64(key);
    assert!(read_back.is_subnormal());
    assert_eq!(format!("{read_back:.13e}"), "1.1125369292536e-308");
}

#[test]
fn neokv_orders_the_scores_that_it_lists() {
    let listed = [
        f64::NEG_INFINITY,
        -100.0,
        -1.0,
        -0.0,
        0.0,
        1.0,
        100.0,
        f64::INFINITY,
    ];
    let keys = listed.map(neokv::encode_f64);
    assert!(keys.is_sorted_by(|a, b| a < b));
    for (score, key) in listed.into_iter().zip(keys) {
        assert_eq!(neokv::decode_f64(key).to_bits(), score.to_bits());
    }
}

#[test]
fn a_range_from_zero_to_zero_misses_a_member_stored_with_minus_zero() {
    let rows = |encode: fn(f64) -> [u8; 8]| {
        let row = |score, member: &[u8]| [&encode(score)[..], member].concat();
        let (start, end) = (
            encode(0.0),
            prefix_successor(&encode(0.0)).expect("zero is not ff.."),
        );
        [row(0.0, b"plus"), row(-0.0, b"minus")].map(|row| start[..] <= row[..] && row < end)
    };
    assert_eq!(rows(neokv::encode_f64), [true, false]);
    assert_eq!(rows(qdb::encode_f64), [true, true]);
    assert_eq!(
        rows(|score| encode_f64_numeric(score).expect("zeros")),
        [true, true]
    );
}

#[test]
fn one_ff_is_not_the_end_of_a_range() {
    let score = encode_f64(1.0);
    let row = |member: &[u8]| [&score[..], member].concat();
    let (short, right) = (
        upper_bound::with_ff(&score),
        prefix_successor(&score).expect("not ff.."),
    );
    for (member, found) in [
        (&b"alice"[..], true),
        (b"\xfe\xff\xff", true),
        (b"\xff", false), // found if the end counts
        (b"\xff\x00", false),
        (b"\xff\xff", false),
    ] {
        assert_eq!(row(member) < short, found, "{member:02x?}");
        assert!(row(member) < right, "{member:02x?}");
    }
    assert_eq!(row(b"\xff"), short);
}

#[test]
fn inverting_positive_numbers_too_turns_them_round() {
    let inverted = |value: f64| (!value.to_bits()).to_be_bytes();
    assert!(
        inverted(-2.0) < inverted(-1.0),
        "right among the negative ones"
    );
    assert!(
        inverted(2.0) < inverted(1.0),
        "wrong among the positive ones"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn ledis_orders_as_the_flipped_sign_bit_does(a in bits64(), b in bits64()) {
        let (a, b) = (a as i64, b as i64);
        prop_assert_eq!(ledis::encode_i64(a).cmp(&ledis::encode_i64(b)), a.cmp(&b));
        prop_assert_eq!(encode_i64(a).cmp(&encode_i64(b)), a.cmp(&b));
        prop_assert_eq!(ledis::decode_i64(ledis::encode_i64(a)), Ok(a));
    }

    #[test]
    fn qdb_without_nan_is_the_numeric_key(bits in bits64()) {
        let score = f64::from_bits(bits);
        match encode_f64_numeric(score) {
            Ok(key) => {
                prop_assert_eq!(qdb::encode_f64(score), key);
                prop_assert_eq!(qdb::decode_f64(key), score);
            }
            Err(_) => {
                let read_back = qdb::decode_f64(qdb::encode_f64(score));
                if score.is_sign_negative() {
                    prop_assert_eq!(read_back.to_bits(), bits, "a NaN below -inf");
                } else {
                    prop_assert!((0.0..f64::MIN_POSITIVE).contains(&read_back), "a tiny number");
                }
            }
        }
    }

    #[test]
    fn neokv_is_the_total_order_key_for_key(bits in bits64()) {
        let score = f64::from_bits(bits);
        prop_assert_eq!(neokv::encode_f64(score), encode_f64(score));
        prop_assert_eq!(neokv::decode_f64(neokv::encode_f64(score)).to_bits(), bits);
    }
}

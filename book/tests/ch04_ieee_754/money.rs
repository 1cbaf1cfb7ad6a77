//! Decimal fractions: why a price is no double, and a key for decimals of any length.

use book::output;
use engine::keys::{encode_f64, encode_i64, hex};

// ANCHOR: money
#[test]
fn a_sum_of_doubles_is_another_key() {
    let rows = [
        ("0.3", encode_f64(0.3)),
        ("0.1 + 0.2", encode_f64(0.1 + 0.2)),
        ("30 cents", encode_i64(30)),
        ("10 + 20 cents", encode_i64(10 + 20)),
    ];
    let line = |(what, key)| format!("{what:<15}{}\n", hex(key));
    let lines = rows.each_ref().map(|(what, key)| line((what, key)));
    output::check("04-ieee-754/outputs/money.txt", &lines.concat());
    assert_ne!(rows[0].1, rows[1].1);
    assert_eq!(rows[2].1, rows[3].1);
    // As text, the first digit decides.
    assert!("10.00" < "9.99");
}
// ANCHOR_END: money

// ANCHOR: decimal
/// CockroachDB, pkg/util/encoding/decimal.go at 0116efa, for numbers from 1 to below 10^20: how many pairs of digits are
/// before the point, then the pairs, without zeros at the end. Each pair is doubled, and all but the last get one more,
/// so that the end sorts below whatever goes on.
fn decimal(text: &str) -> Vec<u8> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let before = whole.len().div_ceil(2);
    let digits = format!("{whole:0>0$}{fraction}00", before * 2);
    let pairs = digits.as_bytes().chunks_exact(2);
    let mut pairs: Vec<u8> = pairs
        .map(|pair| 10 * (pair[0] - b'0') + (pair[1] - b'0'))
        .collect();
    while pairs.pop_if(|pair| *pair == 0).is_some() {}
    let mut key = vec![0x29 + u8::try_from(before).expect("below 10^20")];
    key.extend(pairs.iter().map(|pair| 2 * pair + 1));
    if let Some(last) = key.last_mut() {
        *last -= 1;
    }
    key.push(0x00);
    key
}
// ANCHOR_END: decimal

#[test]
fn decimals_of_any_length_sort() {
    let sorted = ["1", "9.99", "10", "10.5", "10.51", "99", "100", "100.01"];
    let mut table = String::new();
    for text in ["9.99", "10", "10.00", "10.5", "100"] {
        table += &format!("{text:<7}{}\n", hex(&decimal(text)));
    }
    output::check("04-ieee-754/outputs/decimals.txt", &table);
    assert!(sorted.map(decimal).is_sorted());
    assert_eq!(decimal("10"), decimal("10.00"));
}

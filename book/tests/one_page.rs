//! Part I on one page: the key of each kind of value, made by the engine, and the range of each kind of question.
//!
//! ```console
//! cargo test -p book --test one_page -- --nocapture
//! ```

use std::collections::BTreeSet;

use book::output;
use engine::keys::{
    self, Desc, OrderedKey as _, PaddedDecimal, Raw, encode_f64_numeric, encode_u64, hex,
    interleave, prefix_successor,
};

/// What you have, how its key is made, an example, its key, and where the book explains it.
type Line = (
    &'static str,
    &'static str,
    &'static str,
    String,
    &'static str,
);

fn lines() -> [Line; 17] {
    let numeric = encode_f64_numeric(-0.0).expect("a zero is a number");
    let host = "mail.example.com".rsplit('.');
    let host: String = host.map(|label| format!("{label}.")).collect();
    let score = 200_u64 << 30 | 1 << 29 | 290_072_179;
    [
        (
            "numbers from zero up",
            "big-endian, all of one width",
            "`256_u32`",
            hex(&256_u32.to_key()),
            "../02-endianness/index.md#invariants",
        ),
        (
            "numbers below zero too",
            "sign bit flipped, then big-endian",
            "`-1_i64`",
            hex(&(-1_i64).to_key()),
            "../03-twos-complement/index.md#two-repairs",
        ),
        (
            "floats, each to come back bit for bit",
            "sign bit set: invert all bits; else set it",
            "`-2.0_f64`",
            hex(&keys::encode_f64(-2.0)),
            "../04-ieee-754/index.md#the-repair",
        ),
        (
            "floats that are numbers, such as scores",
            "refuse NaN, make -0.0 to 0.0, then the same",
            "`-0.0_f64`",
            hex(&numeric),
            "../04-ieee-754/index.md#which-zero-which-nan",
        ),
        (
            "money",
            "the smallest unit counted, then as numbers below zero",
            "30 cents, `30_i64`",
            hex(&30_i64.to_key()),
            "../04-ieee-754/index.md#prices-and-other-decimals",
        ),
        (
            "text or bytes, and another field follows",
            "`00` becomes `00 ff`; `00 01` at the end",
            "`\"a\\0\"`",
            hex(&"a\0".to_key()),
            "../05-strings-and-tuples/index.md#escape-and-terminate",
        ),
        (
            "text or bytes, and nothing follows",
            "as they are",
            "`Raw(\"ab\")`",
            hex(&Raw("ab").to_key()),
            "../05-strings-and-tuples/index.md#one-field-after-another",
        ),
        (
            "several fields",
            "one after another; each but the last ends by itself",
            "`(\"ann\", 7_u32)`",
            hex(&("ann", 7_u32).to_key()),
            "../05-strings-and-tuples/index.md#one-field-after-another",
        ),
        (
            "a field that may be empty",
            "`00` if it is empty, `01` before each value",
            "5, `(1_u8, 5_u8)`",
            hex(&(1_u8, 5_u8).to_key()),
            "../05-strings-and-tuples/index.md#a-field-that-may-be-empty",
        ),
        (
            "a field that descends",
            "its key, the end too, with all bits inverted",
            "`Desc(\"a\")`",
            hex(&Desc("a").to_key()),
            "../06-key-patterns/index.md#a-descending-field",
        ),
        (
            "times that people read in the key",
            "twenty digits, one unit for all",
            "`PaddedDecimal(42)`",
            String::from_utf8(PaddedDecimal(42).to_key()).expect("digits"),
            "../06-key-patterns/index.md#why-twenty-digits",
        ),
        (
            "ids that sort by their time",
            "the 16 bytes of a UUID of version 7",
            "made on 2022-02-22",
            hex(&0x017f_22e2_79b0_7cc3_98c4_dc0c_0c07_398f_u128.to_key()),
            "../06-key-patterns/index.md#ids-that-sort",
        ),
        (
            "hosts and domains",
            "labels in reverse, a dot after each",
            "`mail.example.com`",
            host,
            "../06-key-patterns/index.md#reversed-domains",
        ),
        (
            "keys that others write and you may not change",
            "as they are, with a comparator",
            "`item:10`",
            "item:10".to_owned(),
            "../07-comparators/index.md#when-each-is-right",
        ),
        (
            "several numbers in one score of Redis",
            "bit fields, 53 bits at most",
            "200 gems, paid, time 290072179",
            score.to_string(),
            "../08-many-dimensions/index.md#bit-fields-in-the-score",
        ),
        (
            "a place on a map",
            "the bits of both coordinates in turn",
            "`interleave(5, 3)`",
            hex(&encode_u64(interleave(5, 3))),
            "../09-two-dimensions/index.md#interleaving",
        ),
        (
            "a row that is found in several ways",
            "its own row, and an index row for each question",
            "`(b's', 0_u8, 500_u64, 7_u32)`",
            hex(&(b's', 0_u8, 500_u64, 7_u32).to_key()),
            "../10-order-store/index.md#four-rows",
        ),
    ]
}

#[test]
fn every_kind_of_value_has_its_key() {
    let mut table = ["| you have | its key | for example |\n", "|---|---|---|\n"].concat();
    for (what, rule, example, key, place) in lines() {
        table += &format!("| [{what}]({place}) | {rule} | {example}<br>`{key}` |\n");
    }
    output::check("one-page/outputs/keys.md", &table);
}

/// Rows of a user, a number and a name.
fn rows() -> BTreeSet<Vec<u8>> {
    let mut rows = BTreeSet::new();
    for user in ["a", "a\0", "ab", "b"] {
        for number in [0, 1, 2, 3, u64::MAX] {
            for name in [&b""[..], b"\0", b"x", b"\xff\xff"] {
                rows.insert((user, number, Raw(name.to_vec())).to_key());
            }
        }
    }
    rows
}

/// The numbers in a range of rows, without repetition, in the order of the scan.
fn numbers(rows: &BTreeSet<Vec<u8>>, from: &[u8], until: &[u8]) -> Vec<u64> {
    let scan = rows.range(from.to_vec()..until.to_vec());
    let mut numbers: Vec<u64> = scan.map(|row| number_of(row)).collect();
    numbers.dedup();
    numbers
}

/// The number behind the user of a row, whichever way it is turned.
fn number_of(row: &[u8]) -> u64 {
    let end = row.windows(2).position(|pair| pair == [0, 1]).unwrap() + 2;
    u64::from_be_bytes(row[end..end + 8].try_into().unwrap())
}

/// The lines of the table of ranges that have no test in a chapter of their own: the bounds are a user and a number.
#[test]
fn a_range_takes_the_rows_that_the_page_says() {
    let rows = rows();
    let key = |number: u64| ("a", number).to_key();
    let after = |number: u64| prefix_successor(&key(number)).unwrap();
    assert_eq!(numbers(&rows, &key(1), &key(3)), [1, 2]);
    assert_eq!(numbers(&rows, &key(1), &after(3)), [1, 2, 3]);
    assert_eq!(numbers(&rows, &after(1), &after(3)), [2, 3]);
    let [user, end] = ["a".to_key(), prefix_successor(&"a".to_key()).unwrap()];
    assert_eq!(numbers(&rows, &user, &end), [0, 1, 2, 3, u64::MAX]);

    // The next page begins with the row behind the last one, whatever that is.
    let all: Vec<_> = rows.iter().collect();
    for pair in all.windows(2) {
        let next = [&pair[0][..], &[0]].concat();
        assert_eq!(rows.range(next..).next(), Some(pair[1]));
    }
}

#[test]
fn a_window_with_the_newest_first_begins_after_the_rows_of_its_end() {
    let turned = |time: u64| ("a", Desc(time)).to_key();
    let mut rows = BTreeSet::new();
    for time in [10_u64, 20, 30, 40] {
        for name in [&b""[..], b"x", b"\xff"] {
            rows.insert(("a", Desc(time), Raw(name.to_vec())).to_key());
        }
    }
    let [from, until] = [20, 40].map(turned);
    let start = prefix_successor(&until).unwrap();
    let end = prefix_successor(&from).unwrap();
    let times: Vec<u64> = numbers(&rows, &start, &end).iter().map(|n| !n).collect();
    assert_eq!(times, [30, 20]);
}

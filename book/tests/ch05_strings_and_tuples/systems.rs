//! How other systems write strings and tuples, from their public documents and sources.

use book::output;
use engine::keys::{OrderedKey as _, escape_into, hex};

// ANCHOR: foundation
/// FoundationDB, design/tuple.md at 04e614f: a type code, the text with 00 as 00 ff, one 00.
pub(crate) fn foundation_text(text: &[u8]) -> Vec<u8> {
    let mut key = vec![0x02];
    escape_into(text, &mut key);
    key.push(0x00);
    key
}

/// The type code says how many bytes follow, big-endian: none for zero, up to eight.
fn foundation_number(number: u64) -> Vec<u8> {
    let bytes = number.to_be_bytes();
    let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
    let width = u8::try_from(8 - zeros).expect("at most eight");
    [&[0x14 + width], &bytes[zeros..]].concat()
}
// ANCHOR_END: foundation

// ANCHOR: cockroach
/// CockroachDB, pkg/util/encoding/encoding.go at 0027730: a marker, 00 as 00 ff, then 00 01.
pub(crate) fn cockroach_bytes(value: &[u8]) -> Vec<u8> {
    let mut key = vec![0x12];
    escape_into(value, &mut key);
    key.extend([0x00, 0x01]);
    key
}

/// Numbers up to 109 are one byte, from 88 on; greater ones say their width in it.
fn cockroach_number(number: u64) -> Vec<u8> {
    match u8::try_from(number) {
        Ok(small) if small <= 109 => vec![0x88 + small],
        _ => {
            let bytes = number.to_be_bytes();
            let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
            let width = u8::try_from(8 - zeros).expect("at most eight");
            [&[0xf5 + width], &bytes[zeros..]].concat()
        }
    }
}
// ANCHOR_END: cockroach

// ANCHOR: cassandra
/// Cassandra, src/java/org/apache/cassandra/utils/bytecomparable/ByteComparable.md at 5c45033: a byte before each
/// field, then the text. Of a run of zeros only the last one is followed by ff, the others by fe, and the zeros
/// before the end by fe alone. A text that does not end in a zero is ended by one.
pub(crate) fn cassandra_text(text: &[u8]) -> Vec<u8> {
    let mut key = vec![0x40];
    let mut zeros = 0;
    for &byte in text {
        match (byte, zeros) {
            (0x00, 0) => key.push(0x00),
            (0x00, _) => key.push(0xfe),
            (_, 0) => key.push(byte),
            (_, _) => key.extend([0xff, byte]),
        }
        zeros = if byte == 0x00 { zeros + 1 } else { 0 };
    }
    key.push(if zeros == 0 { 0x00 } else { 0xfe });
    key
}

fn cassandra_number(number: i64) -> Vec<u8> {
    (0x40_u8, number).to_key()
}
// ANCHOR_END: cassandra

// ANCHOR: hbase
/// HBase, hbase-common/.../util/OrderedBytes.java at 07739e1: a header, the text, one 00. A text with a zero is refused.
fn hbase_text(text: &[u8]) -> Option<Vec<u8>> {
    (!text.contains(&0x00)).then(|| [&[0x34], text, &[0x00]].concat())
}

fn hbase_number(number: i64) -> Vec<u8> {
    (0x2c_u8, number).to_key()
}
// ANCHOR_END: hbase

// ANCHOR: groups
/// TiDB, pkg/util/codec/bytes.go at 07ed4d7, and Tidis, src/tikv/encoding/encode.rs at 06b93a8: groups of eight
/// bytes, the last one filled with zeros, each with a byte behind it: ff less the number of zeros filled in.
pub(crate) fn groups_of_eight(value: &[u8]) -> Vec<u8> {
    let mut key = Vec::new();
    let mut rest = value;
    loop {
        let (group, behind) = rest.split_at(rest.len().min(8));
        let filled = 8 - group.len();
        key.extend(group);
        key.resize(key.len() + filled, 0);
        // A full last group is followed by an empty one, so that it can be told from a middle one.
        key.push(0xff - u8::try_from(filled).expect("at most eight"));
        if filled > 0 {
            return key;
        }
        rest = behind;
    }
}
// ANCHOR_END: groups

/// A system, its key of a text if it takes that text, and its key of the number 7 if it was read.
type System = (&'static str, fn(&[u8]) -> Option<Vec<u8>>, Option<Vec<u8>>);

fn table(systems: &[System]) -> String {
    let shown = |key: Option<Vec<u8>>, without: &str| {
        key.map_or(without.to_owned(), |key| format!("`{}`", hex(&key)))
    };
    let mut table = String::from(
        "| system | `\"a\"` | `\"a\\x00\"` | the number 7 | bytes for a name of 20 |\n|---|---|---|---|--:|\n",
    );
    for (system, text, number) in systems {
        let [a, zero] = [&b"a"[..], b"a\x00"].map(|value| shown(text(value), "refused"));
        let number = shown(number.clone(), "–");
        let long = text(&[b'n'; 20]).map_or(0, |key| key.len());
        table += &format!("| {system} | {a} | {zero} | {number} | {long} |\n");
    }
    table
}

#[test]
fn three_other_systems_and_this_book() {
    let systems: [System; 4] = [
        (
            "FoundationDB",
            |text| Some(foundation_text(text)),
            Some(foundation_number(7)),
        ),
        (
            "CockroachDB",
            |text| Some(cockroach_bytes(text)),
            Some(cockroach_number(7)),
        ),
        (
            "groups of eight (TiDB, Tidis)",
            |text| Some(groups_of_eight(text)),
            None,
        ),
        (
            "this book",
            |text| Some(text.to_key()),
            Some(7_u64.to_key()),
        ),
    ];
    output::check("05-strings-and-tuples/outputs/systems.md", &table(&systems));
}

#[test]
fn cassandra_and_hbase() {
    let systems: [System; 2] = [
        (
            "Cassandra",
            |text| Some(cassandra_text(text)),
            Some(cassandra_number(7)),
        ),
        ("HBase", hbase_text, Some(hbase_number(7))),
    ];
    let file = "05-strings-and-tuples/outputs/more-systems.md";
    output::check(file, &table(&systems));
}

/// Bytes written in hexadecimal.
fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2);
    digits
        .map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

#[test]
fn the_documents_own_test_cases() {
    // design/tuple.md gives this pair as a test case.
    assert_eq!(
        foundation_text("F\u{d4}O\u{0}bar".as_bytes()),
        b"\x02F\xc3\x94O\x00\xffbar\x00"
    );
    // Its type codes: 14 is zero, 15 one byte, 16 two, 1c eight.
    assert_eq!(foundation_number(0), [0x14]);
    assert_eq!(foundation_number(255), [0x15, 0xff]);
    assert_eq!(foundation_number(256), [0x16, 0x01, 0x00]);
    assert_eq!(foundation_number(u64::MAX)[0], 0x1c);
    // ByteComparable.md: the examples of texts and of numbers, with the byte 40 before the field.
    for (text, key) in [
        ("2200", "2200fe"),
        ("22000033", "2200feff3300"),
        ("220011", "2200ff1100"),
        ("220000", "2200fefe"),
        ("22", "2200"),
    ] {
        assert_eq!(hex(&cassandra_text(&bytes(text))), format!("40{key}"));
    }
    assert_eq!(hex(&cassandra_number(i64::MIN)), "400000000000000000");
    // bytes.go: its four examples.
    for (text, key) in [
        ("", "0000000000000000f7"),
        ("010203", "0102030000000000fa"),
        ("01020300", "0102030000000000fb"),
        ("0102030405060708", "0102030405060708ff0000000000000000f7"),
    ] {
        assert_eq!(hex(&groups_of_eight(&bytes(text))), key);
    }
    // encoding.go: IntMin 80, width 8, so zero is 88; IntMax is fd, for eight bytes.
    assert_eq!(cockroach_number(109), [0xf5]);
    assert_eq!(cockroach_number(110), [0xf6, 110]);
    assert_eq!(cockroach_number(u64::MAX)[0], 0xfd);
    for (a, b) in [
        (0, 1),
        (109, 110),
        (255, 256),
        (65535, 65536),
        (u64::MAX - 1, u64::MAX),
    ] {
        assert!(foundation_number(a) < foundation_number(b));
        assert!(cockroach_number(a) < cockroach_number(b));
    }
}

// ANCHOR: one_zero
#[test]
fn one_zero_is_an_end_as_long_as_no_field_begins_with_ff() {
    let [a, a_zero] = [b"a".as_slice(), b"a\x00"].map(foundation_text);

    // Before FoundationDB's own numbers: a type code is never ff.
    let own = |text: &[u8], n| [text, &foundation_number(n)].concat();
    assert!(own(&a, u64::MAX) < own(&a_zero, 0));

    // Before a plain number: its ff reads as part of the text.
    let plain = |text: &[u8], n: u64| [text, &n.to_key()].concat();
    assert!(plain(&a, u64::MAX) > plain(&a_zero, 0));

    // An end of two bytes needs no promise.
    assert!(("a", u64::MAX).to_key() < ("a\0", 0_u64).to_key());
}
// ANCHOR_END: one_zero

// ANCHOR: nested_history
#[test]
fn the_first_nested_tuples_of_foundationdb_sorted_wrongly() {
    let nested = |front, items: &[u8], end| [&[front], items, &[end]].concat();
    // The old form: 03, the items, 04. A null is 00.
    assert!(nested(0x03, &[0x00], 0x04) < nested(0x03, &[], 0x04));
    // The new form: 05, the items, 00. A null is 00 ff.
    assert!(nested(0x05, &[0x00, 0xff], 0x00) > nested(0x05, &[], 0x00));
}
// ANCHOR_END: nested_history

//! Walking a prefix and a range: what is at the edges, in each order, from both ends.

use std::sync::Arc;

use engine::comparator::NumericSuffix;
use engine::vfs::MemoryVfs;
use engine::{Comparator, Db, Family, FamilyOptions, Options};

const KEYS: [&[u8]; 9] = [
    b"",
    b"a",
    b"ab",
    b"ab\x00",
    b"ab\xff",
    b"ab\xff\xff",
    b"ac",
    b"\xff",
    b"\xff\xff",
];

fn family(comparator: Comparator) -> Family {
    let options = Options {
        vfs: Arc::new(MemoryVfs::new()),
        ..Options::default()
    };
    let family = FamilyOptions {
        comparator,
        ..FamilyOptions::default()
    };
    let family = Db::open("db", options.family("f", family))
        .unwrap()
        .family("f")
        .unwrap();
    for key in KEYS {
        family.put(key, key).unwrap();
    }
    family
}

fn keys(rows: impl Iterator<Item = engine::Result<(Vec<u8>, Vec<u8>)>>) -> Vec<Vec<u8>> {
    rows.map(|row| row.unwrap().0).collect()
}

#[test]
fn a_prefix_holds_members_beyond_0xff() {
    for (order, reversed) in [
        (Comparator::Bytewise, false),
        (Comparator::reverse_bytewise(), true),
    ] {
        let family = family(order);
        for prefix in [&b"ab"[..], b"ab\xff", b"\xff", b"\xff\xff", b"", b"b"] {
            let mut expected: Vec<Vec<u8>> = KEYS
                .iter()
                .filter(|key| key.starts_with(prefix))
                .map(|key| key.to_vec())
                .collect();
            if reversed {
                expected.reverse();
            }
            assert_eq!(keys(family.prefix(prefix)), expected, "{prefix:?}");
            expected.reverse();
            assert_eq!(
                keys(family.prefix(prefix).rev()),
                expected,
                "{prefix:?} backward"
            );
        }
    }
}

#[test]
fn an_order_that_scatters_prefixes_says_so() {
    let family = family(Comparator::custom(NumericSuffix));
    let mut rows = family.prefix("item:1");
    let error = rows.next().unwrap().unwrap_err().to_string();
    assert!(
        error.contains("\"numeric-suffix\"") && error.contains("use range"),
        "{error}"
    );
    assert!(rows.next().is_none(), "after an error a range ends");
}

#[test]
fn bounds_hold_for_every_seek_of_a_cursor() {
    let family = family(Comparator::Bytewise);
    let mut cursor = family.cursor_in(&b"ab"[..]..&b"ac"[..]).unwrap();
    let at = |cursor: &engine::Cursor| cursor.valid().then(|| cursor.key().to_vec());
    cursor.seek("").unwrap();
    assert_eq!(
        at(&cursor).as_deref(),
        Some(&b"ab"[..]),
        "a seek before the range finds its start"
    );
    cursor.prev().unwrap();
    assert_eq!(at(&cursor), None);
    cursor.seek_for_prev(b"\xff").unwrap();
    assert_eq!(
        at(&cursor).as_deref(),
        Some(&b"ab\xff\xff"[..]),
        "and one behind it its end"
    );
    cursor.next().unwrap();
    assert_eq!(at(&cursor), None);
    cursor.seek("ac").unwrap();
    assert_eq!(at(&cursor), None);
    cursor.seek_for_prev("aa").unwrap();
    assert_eq!(at(&cursor), None);
    let excluded = (
        std::ops::Bound::Excluded("ab"),
        std::ops::Bound::Included("ac"),
    );
    assert_eq!(
        keys(family.range::<&str>(excluded)),
        KEYS[3..7]
            .iter()
            .map(|key| key.to_vec())
            .collect::<Vec<_>>()
    );
    assert!(keys(family.range("b".."b")).is_empty());
    assert!(
        keys(family.range("c".."b")).is_empty(),
        "a range the wrong way round is empty"
    );
}

//! Chapter 7, run. Each test proves one claim of the chapter and prints what the page shows:
//!
//! ```text
//! cargo test -p book --test ch07_comparators -- --nocapture
//! ```

#[path = "ch07_comparators/faults.rs"]
mod faults;
#[path = "ch07_comparators/race.rs"]
mod race;
#[path = "ch07_comparators/separators.rs"]
mod separators;
#[path = "ch07_comparators/shop.rs"]
mod shop;

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use book::output;
use engine::comparator::{NumericSuffix, assert_comparator_laws, check_comparator_laws};
use engine::cursor::InternalCursor;
use engine::internal_key::{self, ValueKind};
use engine::keys::hex;
use engine::sstable::{Table, TableBuilder, TableOptions};
use engine::vfs::{MemoryVfs, Vfs};
use engine::{Comparator, Compare, Db, FamilyOptions, Options, repair, verify};

use shop::{Order, Shop, Trusting, by_atoi, by_subtraction, half_numeric, text, without_spaces};

/// The shop's rows, in the order in which they are written.
const ROWS: [(&str, &str); 6] = [
    ("item:1", "apple"),
    ("item:2", "pear"),
    ("item:9", "fig"),
    ("item:10", "plum"),
    ("user:1", "ann"),
    ("item:4294967298", "kiwi"),
];

// ANCHOR: first_try
#[test]
fn the_first_try_loses_rows() {
    let plain = Shop::new(Comparator::Bytewise).filled(&ROWS[..4]);
    let atoi = || Comparator::custom(Order("atoi", by_atoi));
    let four = Shop::new(atoi()).filled(&ROWS[..4]);
    let six = Shop::new(atoi()).filled(&ROWS);
    let trusting = Trusting::new(by_atoi, &ROWS);
    let lookups = |get: &dyn Fn(&str) -> String| {
        let found = ROWS.map(|(key, _)| format!("  {key:<18}{}\n", get(key)));
        found.concat()
    };
    output::check(
        "07-comparators/outputs/first-try.txt",
        &format!(
            "bytewise  {}\natoi      {}\n",
            plain.keys().join(" "),
            four.keys().join(" ")
        ),
    );
    output::check(
        "07-comparators/outputs/broken-scan.txt",
        &format!(
            "this engine\n  scan: {}\n{}\nan engine that asks the comparator what is equal\n  scan: {}\n{}",
            six.keys().join(" "),
            lookups(&|key| six.get(key)),
            trusting.keys().join(" "),
            lookups(&|key| trusting.get(key).to_owned()),
        ),
    );
    assert_eq!(four.keys(), ["item:1", "item:2", "item:9", "item:10"]);
    assert_eq!(
        (six.get("item:1"), six.get("user:1")),
        ("-".into(), "ann".into())
    );
    assert_eq!((trusting.keys().len(), trusting.get("item:1")), (4, "ann"));
}
// ANCHOR_END: first_try

// ANCHOR: circle
#[test]
fn three_keys_in_a_circle() {
    let keys = ["a9", "a10", "a1x"];
    let mut table = String::new();
    for (a, b) in [("a9", "a10"), ("a10", "a1x"), ("a1x", "a9")] {
        let found = half_numeric(a.as_bytes(), b.as_bytes());
        assert_eq!(found, Ordering::Less);
        table += &format!("{a:<4} < {b}\n");
    }
    let broken = check_comparator_laws(&Order("half-numeric", half_numeric), &keys).unwrap_err();
    output::check(
        "07-comparators/outputs/circle.txt",
        &format!("{table}\n{broken}\n"),
    );
}
// ANCHOR_END: circle

// ANCHOR: laws
#[test]
fn the_laws_name_what_is_broken() {
    let samples = [
        "item:1", "item:2", "item:10", "user:1", "a9", "a10", "a1x", "item:1 ", "item:01",
    ];
    let mut report = String::new();
    for order in [
        Order("atoi", by_atoi),
        Order("half-numeric", half_numeric),
        Order("without-spaces", without_spaces),
    ] {
        let broken = check_comparator_laws(&order, &samples).unwrap_err();
        report += &format!("{broken}\n\n");
    }
    let numbers = ["-2000000000", "0", "2000000000"];
    let broken = check_comparator_laws(&Order("subtraction", by_subtraction), &numbers);
    report += &format!("{}\n", broken.unwrap_err());
    output::check("07-comparators/outputs/laws.txt", &report);
    assert_comparator_laws(&NumericSuffix, &samples);
}
// ANCHOR_END: laws

/// The bytes that give the same order without a comparator: the prefix, then the number in eight bytes.
fn encoded(key: &str) -> Vec<u8> {
    let (prefix, digits) = shop::split(key.as_bytes());
    let number: u64 = str::from_utf8(digits).unwrap().parse().unwrap();
    [prefix, &number.to_be_bytes()].concat()
}

// ANCHOR: both_ways
#[test]
fn the_same_rows_both_ways() {
    let by_code = Shop::new(Comparator::custom(NumericSuffix)).filled(&ROWS);
    let by_bytes = Shop::new(Comparator::Bytewise);
    for (key, _) in ROWS {
        by_bytes.items.put(encoded(key), key).unwrap();
    }
    let mut table = format!(
        "{:<19}{:<17}key in bytes\n",
        "with a comparator", "encoded, shown"
    );
    let mut shown = Vec::new();
    for (code, row) in by_code.keys().iter().zip(by_bytes.items.iter()) {
        let (key, value) = row.unwrap();
        table += &format!("{code:<19}{:<17}{}\n", text(&value), hex(&key));
        shown.push(text(&value));
    }
    output::check("07-comparators/outputs/both-ways.txt", &table);
    assert_eq!(by_code.keys(), shown);
    assert_eq!(by_code.keys()[3], "item:10");
    assert_eq!(by_code.keys().len(), ROWS.len());
}
// ANCHOR_END: both_ways

// ANCHOR: lost
/// Writes 3,000 keys, merges the tables, and counts what a lookup does not find.
fn lookups_lost(order: &Comparator) -> (usize, usize) {
    let shop = Shop::new(order.clone());
    let keys: Vec<String> = (0..3_000)
        .map(|n| match n % 3 {
            0 => format!("a{}", n / 3),
            1 => format!("a{}x", n / 3),
            _ => format!("a{}x{}", n / 3 % 50, n),
        })
        .collect();
    for (n, key) in keys.iter().enumerate() {
        shop.items.put(key, "").unwrap();
        if n % 700 == 699 {
            shop.db.flush().unwrap();
        }
    }
    let lost = keys.iter().filter(|key| shop.get(key) == "-").count();
    (keys.len(), lost)
}

#[test]
fn an_order_that_goes_in_circles_loses_lookups() {
    let mut table = String::new();
    for order in [
        Comparator::custom(NumericSuffix),
        Comparator::custom(Order("half-numeric", half_numeric)),
    ] {
        let (written, lost) = lookups_lost(&order);
        let lost = match lost {
            0 => "none".to_owned(),
            // How many depends on where each search begins; that there are many does not.
            31.. => "more than 30".to_owned(),
            few => panic!("only {few} lookups are lost"),
        };
        table += &format!(
            "{:<16}{written} keys written, not found: {lost}\n",
            order.name()
        );
    }
    assert_eq!(lookups_lost(&Comparator::custom(NumericSuffix)).1, 0);
    output::check("07-comparators/outputs/lost.txt", &table);
}
// ANCHOR_END: lost

// ANCHOR: filter_lies
/// A table with one row, under an order that ignores spaces at the end of a key.
fn table_of(key: &str, value: &str) -> Arc<Table> {
    let order = Comparator::custom(Order("without-spaces", without_spaces));
    let (vfs, path) = (MemoryVfs::new(), Path::new("1.sst"));
    let file = vfs.create(path).unwrap();
    let mut builder = TableBuilder::new(file, TableOptions::new(order.clone())).unwrap();
    let row = internal_key::encode(key.as_bytes(), 1, ValueKind::Put);
    builder.add(&row, value.as_bytes()).unwrap();
    builder.finish().unwrap();
    Arc::new(Table::open(vfs.open_random(path).unwrap(), order).unwrap())
}

/// The value of the row that compares equal to `key`.
fn search(table: &Arc<Table>, key: &str) -> Option<String> {
    let mut target = Vec::new();
    internal_key::append_first(&mut target, key.as_bytes());
    let mut cursor = table.cursor();
    cursor.seek(&target).unwrap();
    let equal = |found: &[u8]| without_spaces(found, key.as_bytes()).is_eq();
    (cursor.valid() && equal(internal_key::user_key(cursor.key()))).then(|| text(cursor.value()))
}

#[test]
fn a_filter_denies_a_key_that_compares_equal() {
    let table = table_of("pear", "green");
    let mut report = format!(
        "{:<10}{:<26}{}\n",
        "key", "the search alone", "the filter first"
    );
    for key in ["pear", "pear  "] {
        let searched = search(&table, key).unwrap_or_default();
        let filter = if table.may_contain(key.as_bytes()) {
            "perhaps here"
        } else {
            "not here"
        };
        report += &format!("{:<10}{searched:<26}{filter}\n", format!("{key:?}"));
    }
    output::check("07-comparators/outputs/filter.txt", &report);
    assert_eq!(search(&table, "pear  ").as_deref(), Some("green"));
    assert!(!table.may_contain(b"pear  "));
}
// ANCHOR_END: filter_lies

fn options(order: Comparator) -> Options {
    let items = FamilyOptions {
        comparator: order,
        ..FamilyOptions::default()
    };
    Options::default().family("items", items)
}

/// The files of a folder, byte for byte.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(folder).unwrap().map(|entry| {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        (name, fs::read(entry.path()).unwrap())
    });
    files.collect()
}

/// A folder with the shop's rows in a table, sorted by `order`, and closed.
fn closed_shop(order: Comparator) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let db = Db::open(folder.path(), options(order)).unwrap();
    let items = db.family("items").unwrap();
    for (key, value) in ROWS {
        items.put(key, value).unwrap();
    }
    db.flush().unwrap();
    db.close().unwrap();
    folder
}

// ANCHOR: refused
#[test]
fn another_name_is_refused_and_nothing_is_changed() {
    let folder = closed_shop(Comparator::custom(NumericSuffix));
    let before = contents(folder.path());
    let error = Db::open(folder.path(), options(Comparator::Bytewise)).unwrap_err();
    let unlisted = Db::open(folder.path(), Options::default()).unwrap_err();
    output::check(
        "07-comparators/outputs/refused.txt",
        &format!("{}\n\n{}\n", wrapped(&error), wrapped(&unlisted)),
    );
    assert!(matches!(error, engine::Error::ComparatorMismatch { .. }));
    assert_eq!(contents(folder.path()), before);
}
// ANCHOR_END: refused

/// A message in lines that fit the page.
fn wrapped(message: &impl ToString) -> String {
    let mut lines = vec![String::new()];
    for word in message.to_string().split_whitespace() {
        let last = lines.last_mut().unwrap();
        if last.len() + word.len() >= 76 {
            lines.push(word.to_owned());
        } else {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines.join("\n")
}

// ANCHOR: same_name
#[test]
fn a_new_order_under_the_old_name_is_not_noticed() {
    /// The next release of the program: bytewise now, and still called so.
    const CHANGED: Order = Order("numeric-suffix", Ord::cmp);
    let folder = closed_shop(Comparator::custom(NumericSuffix));
    let db = Db::open(folder.path(), options(Comparator::custom(CHANGED))).unwrap();
    let items = db.family("items").unwrap();
    let lost: Vec<&str> = ROWS
        .iter()
        .map(|(key, _)| *key)
        .filter(|key| items.get(key).unwrap().is_none())
        .collect();
    output::check(
        "07-comparators/outputs/same-name.txt",
        &format!("opened without an error\nnot found: {}\n", lost.join(" ")),
    );
    assert!(!lost.is_empty());
}
// ANCHOR_END: same_name

// ANCHOR: tools
#[test]
fn a_tool_that_does_not_know_the_order_can_do_less() {
    let by_number = Order("by-number", |a, b| NumericSuffix.compare(a, b));
    let custom = closed_shop(Comparator::custom(by_number));
    let plain = closed_shop(Comparator::Bytewise);
    let mut report = String::new();
    for (name, folder) in [("bytewise", &plain), ("by-number", &custom)] {
        let verified = verify(folder.path(), &Options::default()).unwrap();
        assert!(verified.is_clean());
        let notes: Vec<String> = verified.findings.iter().map(|f| f.what.clone()).collect();
        let notes = if notes.is_empty() {
            "all checked".to_owned()
        } else {
            notes.join("; ")
        };
        report += &format!("{name}, verify:\n{}\n", wrapped(&notes));
        let copied = match Db::open(folder.path(), Options::default()) {
            Ok(db) => {
                let copy = tempfile::tempdir().unwrap();
                db.checkpoint(copy.path().join("copy")).unwrap();
                "done"
            }
            Err(_) => "refused, as the store cannot be opened",
        };
        report += &format!("{name}, checkpoint:\n{copied}\n");
        let repaired = match repair(folder.path(), &Options::default()) {
            Ok(_) => "done".to_owned(),
            Err(error) => error.to_string(),
        };
        report += &format!("{name}, repair:\n{}\n\n", wrapped(&repaired));
    }
    output::check("07-comparators/outputs/tools.txt", &report);
}
// ANCHOR_END: tools

// ANCHOR: prefix_scattered
#[test]
fn a_prefix_is_not_always_a_range() {
    let shop = Shop::new(Comparator::custom(NumericSuffix)).filled(&ROWS);
    let walk = |prefix: &str| match shop.items.prefix(prefix).collect::<Result<Vec<_>, _>>() {
        Ok(rows) => {
            let keys: Vec<String> = rows.iter().map(|(key, _)| text(key)).collect();
            keys.join(" ")
        }
        Err(error) => error.to_string(),
    };
    output::check(
        "07-comparators/outputs/prefix.txt",
        &format!(
            "item:   {}\n\nitem:1\n{}\n",
            walk("item:"),
            wrapped(&walk("item:1"))
        ),
    );
    assert!(walk("item:1").contains("item:1"));
}
// ANCHOR_END: prefix_scattered

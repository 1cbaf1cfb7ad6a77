//! Chapter 1, "A sorted map of bytes": what the chapter claims, one claim a test.
//!
//! `cargo test -p book --test ch01_sorted_map -- --nocapture` prints what the chapter shows.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::ops::RangeBounds;
use std::path::Path;
use std::sync::Arc;

use book::output;
use engine::comparator::NumericSuffix;
use engine::keys::prefix_successor;
use engine::{Comparator, Db, Family, FamilyOptions, Options};
use tempfile::TempDir;

#[path = "ch01_sorted_map/wrong.rs"]
mod wrong;

// ANCHOR: store
type Key = Vec<u8>;

/// The engine in a temporary folder, which goes when the store goes.
struct Store {
    db: Db,
    rows: Family,
    folder: TempDir,
}

impl Store {
    /// A new store with `keys`, written in the given order.
    fn with(keys: impl IntoIterator<Item: AsRef<[u8]>>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let db = Db::open(folder.path(), Options::default()).unwrap();
        let rows = db.default_family();
        for key in keys {
            rows.put(key, "a value").unwrap();
        }
        Self { db, rows, folder }
    }

    /// Every key, in the order of the store.
    fn all(&self) -> Vec<Key> {
        self.rows.iter().map(|row| row.unwrap().0).collect()
    }

    /// The keys in `range`, in the order of the store.
    fn scan<K: AsRef<[u8]>>(&self, range: impl RangeBounds<K>) -> Vec<Key> {
        self.rows.range(range).map(|row| row.unwrap().0).collect()
    }
}
// ANCHOR_END: store

// ---------------------------------------------------------------- the scan that goes wrong

// ANCHOR: broken_scan
/// Orders 1, 2, 9 and 10 were written in this order. The scan has another.
#[test]
fn unpadded_numbers_scan_out_of_order() {
    let store = Store::with(["key:1", "key:2", "key:9", "key:10"]);

    let all = store.all();
    let one_to_eight = store.scan("key:1".."key:9");

    assert_eq!(all, keys(["key:1", "key:10", "key:2", "key:9"]));
    assert_eq!(one_to_eight, keys(["key:1", "key:10", "key:2"]));
    show(
        "broken-scan.txt",
        &[("every key", &all), ("key:1 up to key:9", &one_to_eight)],
    );
}
// ANCHOR_END: broken_scan

/// Where each pair of keys first differs, and which of the two comes first.
#[test]
fn the_first_difference_decides() {
    let pairs: [(&[u8], &[u8]); 6] = [
        (b"key:1", b"key:10"),
        (b"key:10", b"key:2"),
        (b"ab", b"abc"),
        (b"A", b"a"),
        (b"Z", b"a"),
        (b"a\x00", b"a\x01"),
    ];
    let mut text = String::new();
    for (first, second) in pairs {
        assert_eq!(
            Store::with([second, first]).all(),
            [first.to_vec(), second.to_vec()]
        );
        let at = first.iter().zip(second).position(|(a, b)| a != b);
        let decided = at.map_or_else(
            || "the first key ends here, so it comes first".to_owned(),
            |at| format!("{:02x} < {:02x}", first[at], second[at]),
        );
        let mark = " ".repeat(3 * at.unwrap_or(first.len()));
        for key in [first, second] {
            let _ = writeln!(text, "{:<8} {}", key.escape_ascii().to_string(), hex(key));
        }
        let _ = writeln!(text, "{:<8} {mark}^^ {decided}\n", "");
    }
    output::check("01-sorted-map/outputs/first-difference.txt", &text);
}

// ANCHOR: padded
/// Text of equal width sorts as numbers do. A wider number breaks the order.
#[test]
fn padded_numbers_scan_in_order_until_the_width_runs_out() {
    let padded = |order: u32| format!("key:{order:03}");

    let store = Store::with([1, 2, 9, 10].map(padded));
    assert_eq!(
        store.all(),
        keys(["key:001", "key:002", "key:009", "key:010"])
    );

    let store = Store::with([999, 1000].map(padded));
    assert_eq!(store.all(), keys(["key:1000", "key:999"]));
}
// ANCHOR_END: padded

/// What the byte sorter shows, for paper and for a page without scripts.
#[test]
fn the_sorter_without_scripts() {
    let mut table =
        "| place in the scan | decimal | padded to 20 digits |\n|--:|--:|--:|\n".to_owned();
    let plain = Store::with([1, 2, 9, 10].map(|n: u64| n.to_string())).all();
    let padded = Store::with([1, 2, 9, 10].map(|n: u64| format!("{n:020}"))).all();
    let text = |key: &[u8]| String::from_utf8(key.to_vec()).unwrap();
    for (place, (plain, padded)) in plain.iter().zip(&padded).enumerate() {
        let padded = text(padded);
        let number = padded.trim_start_matches('0');
        let _ = writeln!(table, "| {} | {} | {number} |", place + 1, text(plain));
    }
    output::check("01-sorted-map/outputs/sorter.md", &table);
}

/// The widest `u64` needs twenty decimal digits; in binary it takes eight bytes.
#[test]
fn padding_a_u64_takes_twenty_bytes() {
    let widths = [
        ("decimal, padded", u64::MAX.to_string().len()),
        ("binary", u64::MAX.to_be_bytes().len()),
    ];
    let lines: Vec<String> = widths
        .map(|(form, bytes)| format!("{form:<16} {bytes:>2} bytes"))
        .into();
    output::check("01-sorted-map/outputs/width.txt", &lines.join("\n"));
}

/// A comparator that reads digits sorts the orders. The store then wants it for ever.
#[test]
fn a_store_refuses_another_comparator() {
    let folder = tempfile::tempdir().unwrap();
    let open = |comparator: Comparator| {
        let orders = FamilyOptions {
            comparator,
            ..FamilyOptions::default()
        };
        Db::open(&folder, Options::default().family("orders", orders))
    };

    let db = open(Comparator::Custom(Arc::new(NumericSuffix))).unwrap();
    let orders = db.family("orders").unwrap();
    for key in ["key:10", "key:9", "key:2", "key:1"] {
        orders.put(key, "a value").unwrap();
    }
    let sorted: Vec<Key> = orders.iter().map(|row| row.unwrap().0).collect();
    assert_eq!(sorted, keys(["key:1", "key:2", "key:9", "key:10"]));
    drop((orders, db));

    let refused = open(Comparator::Bytewise).unwrap_err().to_string();
    assert!(refused.contains("numeric-suffix") && refused.contains("bytewise"));
    output::check("01-sorted-map/outputs/comparator.txt", &wrapped(&refused));
}

// ---------------------------------------------------------------- predict

/// The answer to the chapter's prediction.
#[test]
fn the_predicted_order() {
    let written: [&[u8]; 8] = [b"b", b"ab", b"Z", b"a", b"abc", b"10", b"9", b"a\x00"];
    let store = Store::with(written);

    let lines: Vec<String> = store
        .all()
        .iter()
        .map(|key| format!("{:<6} {}", key.escape_ascii().to_string(), hex(key)))
        .collect();
    output::check("01-sorted-map/outputs/predicted.txt", &lines.join("\n"));
}

/// Characters are numbers, and sort as these numbers do.
#[test]
fn characters_are_numbers() {
    let mut table = String::from("| character | number | bits | byte |\n|---|---|---|---|\n");
    let store = Store::with(b"zaZA;:90".map(|byte| [byte]));
    for key in store.all() {
        let [byte] = key[..] else {
            panic!("one character a key")
        };
        let _ = writeln!(
            table,
            "| `{}` | {byte} | `{byte:08b}` | `{byte:02x}` |",
            char::from(byte)
        );
    }
    output::check("01-sorted-map/outputs/characters.md", &table);
}

/// What lies in the folder while rows are in the memtable only, and after a flush.
#[test]
fn a_flush_makes_a_table() {
    let store = Store::with(["key:1", "key:2"]);
    let before = kinds_of_files(store.folder.path());
    store.db.flush().unwrap();
    let after = kinds_of_files(store.folder.path());

    let new: Vec<_> = after.difference(&before).copied().collect();
    assert_eq!(new, ["*.sst"]);
    assert_eq!(bytes_of_logs(store.folder.path()), 0);
    let list = |kinds: &BTreeSet<&str>| kinds.iter().copied().collect::<Vec<_>>().join("  ");
    output::check(
        "01-sorted-map/outputs/folder.txt",
        &format!(
            "written, not flushed  {}\nflushed               {}",
            list(&before),
            list(&after)
        ),
    );
}

/// How many bytes the logs in `folder` hold.
fn bytes_of_logs(folder: &Path) -> u64 {
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().extension().is_some_and(|kind| kind == "log"))
        .map(|entry| entry.metadata().unwrap().len())
        .sum()
}

/// The names of the engine's files in `folder`, a star for each number.
fn kinds_of_files(folder: &Path) -> BTreeSet<&'static str> {
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .map(|name| match name.as_str() {
            "CURRENT" => "CURRENT",
            "LOCK" => "LOCK",
            name if name.starts_with("MANIFEST-") => "MANIFEST-*",
            name if name.ends_with(".log") => "*.log",
            name if name.ends_with(".sst") => "*.sst",
            name => panic!("the chapter does not know of a file {name}"),
        })
        .collect()
}

// ---------------------------------------------------------------- the invariants

/// Invariant 3: forwards or backwards, in memory or in tables: the scan is the same.
#[test]
fn the_order_of_writing_leaves_no_trace() {
    let words = ["ab", "abc", "b", "a", "Z", "key:10", "key:2"];
    let mut backwards = words;
    backwards.reverse();

    let store = Store::with(words);
    let other = Store::with(backwards);
    other.db.flush().unwrap();

    let sorted = keys(["Z", "a", "ab", "abc", "b", "key:10", "key:2"]);
    assert_eq!(store.all(), sorted);
    assert_eq!(other.all(), sorted);
}

/// Invariant 2: writing a key again replaces its value and adds no row.
#[test]
fn a_key_has_one_row() {
    let store = Store::with(["key:1", "key:1", "key:1"]);
    store.db.flush().unwrap();
    store.rows.put("key:1", "the last value").unwrap();

    assert_eq!(store.all(), keys(["key:1"]));
    assert_eq!(
        store.rows.get("key:1").unwrap().as_deref(),
        Some(&b"the last value"[..])
    );
}

// ANCHOR: half_open
/// Invariant 4: `[a, b)` and `[b, c)` make `[a, c)`.
/// The store has every second key of a small world: half of the bounds are
/// not in it.
#[test]
fn half_open_ranges_fit_together() {
    let world = small_world();
    let store = Store::with(world.iter().step_by(2));
    let bounds: Vec<_> = world.iter().step_by(5).map(Vec::as_slice).collect();

    for (i, a) in bounds.iter().enumerate() {
        for (j, b) in bounds.iter().enumerate().skip(i) {
            for c in &bounds[j..] {
                let mut halves = store.scan(*a..*b);
                halves.extend(store.scan(*b..*c));
                assert_eq!(halves, store.scan(*a..*c));
            }
        }
    }
}
// ANCHOR_END: half_open

// ANCHOR: prefix_is_a_range
/// Invariant 5: the keys with prefix `p` are those in `[p, successor of p)`.
/// Tried with every prefix of a small world, those that end in ff included.
#[test]
fn a_prefix_is_a_range() {
    let world = small_world();
    let store = Store::with(&world);

    for prefix in world.iter().map(Vec::as_slice) {
        let by_range = match prefix_successor(prefix) {
            Some(end) => store.scan(prefix..end.as_slice()),
            None => store.scan(prefix..),
        };
        let mut by_looking = world.clone();
        by_looking.retain(|key| key.starts_with(prefix));
        assert_eq!(by_range, by_looking);
    }
}
// ANCHOR_END: prefix_is_a_range

/// Invariant 1: the order of the store is the order of unsigned bytes, shorter first.
#[test]
fn the_store_sorts_by_unsigned_bytes_shorter_first() {
    let world = small_world();
    let store = Store::with(world.iter().rev());

    assert_eq!(store.all(), world);
    for pair in world.windows(2) {
        assert_eq!(compare(&pair[0], &pair[1]), Ordering::Less);
    }
}

// ANCHOR: compare
/// The order of the store, written out.
fn compare(a: &[u8], b: &[u8]) -> Ordering {
    for (x, y) in a.iter().zip(b) {
        if x != y {
            return x.cmp(y); // the first difference decides
        }
    }
    a.len().cmp(&b.len()) // none: the shorter key comes first
}
// ANCHOR_END: compare

// ---------------------------------------------------------------- what the tasks show

/// The bytes of the first task: two bounds among five keys.
#[test]
fn bytes_of_first_scan() {
    let store = Store::with([&b"a"[..], b"b", b"b\x00", b"bb", b"c"]);
    let (lo, hi): (&[u8], &[u8]) = (b"b", b"bb");
    let inside = store.scan(lo..hi);

    let lines: Vec<String> = store
        .all()
        .iter()
        .map(|key| {
            let mark = match key.as_slice() {
                k if k == lo => "lo ->",
                k if k == hi => "hi ->",
                _ => "",
            };
            let verdict = if inside.contains(key) { "in" } else { "out" };
            let text = key.escape_ascii().to_string();
            format!("{mark:<6} {:<6} {text:<6} {verdict}", hex(key))
        })
        .collect();
    output::check("01-sorted-map/outputs/first-scan.txt", &lines.join("\n"));
}

/// The bytes of the second task: a prefix, and the first key after everything that has it.
#[test]
fn bytes_of_prefix_scan() {
    let mut lines = Vec::new();
    for prefix in [&b"user:"[..], b"a\xff", b"\xff\xff"] {
        let end = prefix_successor(prefix).map_or_else(
            || "none: scan to the end of the store".to_owned(),
            |end| format!("{:<16} {}", hex(&end), end.escape_ascii()),
        );
        let text = prefix.escape_ascii().to_string();
        lines.push(format!("prefix     {:<16} {text}", hex(prefix)));
        lines.push(format!("successor  {end}"));
    }
    output::check("01-sorted-map/outputs/prefix-scan.txt", &lines.join("\n"));
}

// ---------------------------------------------------------------- in the wild

// ANCHOR: ssdb_upper_bound
/// SSDB (2021) ends a range of scores at the last score and one byte ff.
/// A member that starts with ff 00 comes after that bound.
#[test]
fn one_ff_is_not_the_end_of_a_prefix() {
    let score = b"board:0200:";
    let members: [&[u8]; 3] = [b"ann", b"\xfe", b"\xff\x00"];
    let store = Store::with(members.map(|member| [score, member].concat()));

    let one_ff = [&score[..], b"\xff"].concat();
    let published = store.scan(&score[..]..=&one_ff);
    let repaired = store.scan(&score[..]..b"board:0200;");

    assert_eq!(published.len(), 2);
    assert_eq!(repaired.len(), 3);
    show(
        "ssdb.txt",
        &[("one ff", &published), ("successor", &repaired)],
    );
}
// ANCHOR_END: ssdb_upper_bound

// ---------------------------------------------------------------- helpers

/// Every key of one to three bytes out of 00, 01, fe and ff, in byte order: 84 keys.
fn small_world() -> Vec<Key> {
    let mut world: Vec<Key> = Vec::new();
    let mut longest: Vec<Key> = vec![Vec::new()];
    for _ in 0..3 {
        longest = longest
            .iter()
            .flat_map(|key| [0x00, 0x01, 0xfe, 0xff].map(|byte| [key.as_slice(), &[byte]].concat()))
            .collect();
        world.extend_from_slice(&longest);
    }
    world.sort_by(|a, b| compare(a, b));
    world
}

fn keys<const N: usize>(keys: [&str; N]) -> Vec<Key> {
    keys.map(|key| key.as_bytes().to_vec()).into()
}

/// The words of `text` in lines that fit the page.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().unwrap();
        if line.is_empty() {
            line.push_str(word);
        } else if line.len() + 1 + word.len() <= 76 {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines.join("\n")
}

fn hex(bytes: &[u8]) -> String {
    let pairs: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    pairs.join(" ")
}

/// Prints scans, one a line, and holds them to what the chapter shows.
fn show(file: &str, scans: &[(&str, &[Key])]) {
    let width = scans.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let lines: Vec<String> = scans
        .iter()
        .map(|(name, keys)| {
            let keys: Vec<String> = keys.iter().map(|k| k.escape_ascii().to_string()).collect();
            format!("{name:<width$}  {}", keys.join(", "))
        })
        .collect();
    output::check(&format!("01-sorted-map/outputs/{file}"), &lines.join("\n"));
}

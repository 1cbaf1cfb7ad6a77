//! Chapter 6, run. Each test proves one claim of the chapter and prints what the page shows:
//!
//! ```text
//! cargo test -p book --test ch06_key_patterns -- --nocapture
//! ```

#[path = "support/database.rs"]
mod database;
#[path = "ch06_key_patterns/direction.rs"]
mod direction;
#[path = "ch06_key_patterns/domains.rs"]
mod domains;
#[path = "ch06_key_patterns/figure.rs"]
mod figure;
#[path = "ch06_key_patterns/ids.rs"]
mod ids;
#[path = "ch06_key_patterns/patterns.rs"]
mod patterns;
#[path = "ch06_key_patterns/store.rs"]
mod store;
#[path = "ch06_key_patterns/wild.rs"]
mod wild;
#[path = "ch06_key_patterns/wrong.rs"]
mod wrong;
#[path = "ch06_key_patterns/zones.rs"]
mod zones;

use book::output;
use engine::keys;

use store::{Store, date};

/// Posts of a site: milliseconds since 1970, and what happened.
const POSTS: [(i64, &str); 5] = [
    (1_571_819_021_259, "a race"),
    (1_000_080_000_000, "a wedding"),
    (999_993_600_000, "a farewell"),
    (-1_000, "new year"),
    (-14_182_940_000, "on the moon"),
];

// ANCHOR: posts
/// A store with a row for each post.
fn posts(key: fn(i64) -> Vec<u8>) -> Store {
    let store = Store::new();
    for (time, title) in POSTS {
        store.put(key(time), &format!("{}  {title}", date(time)));
    }
    store
}
// ANCHOR_END: posts

/// The dates of the posts, in the order of the store.
fn dates(store: &Store) -> Vec<String> {
    let mut rows = store.all();
    rows.iter_mut().for_each(|row| row.truncate(10));
    rows
}

// ANCHOR: broken_scan
#[test]
fn times_as_plain_text_put_old_posts_after_new_ones() {
    let store = posts(|time| format!("post:{time}").into_bytes());
    output::check("06-key-patterns/outputs/broken-scan.txt", &store.shown());
    let order = dates(&store).join(" ");
    let shown = "1969-12-31 1969-07-20 2001-09-10 2019-10-23 2001-09-09";
    assert_eq!(order, shown);
}
// ANCHOR_END: broken_scan

// ANCHOR: hidden
#[test]
fn thirteen_digits_hide_the_fault_for_285_years() {
    let first: u64 = 1_000_000_000_000;
    let last: u64 = 9_999_999_999_999;
    let dates = [first, last].map(|time| date(time.cast_signed()));
    assert_eq!(dates, ["2001-09-09", "2286-11-20"]);
    assert!((first - 1).to_string() > first.to_string());
    assert!(last.to_string() > (last + 1).to_string());
}
// ANCHOR_END: hidden

// ANCHOR: widths
#[test]
fn twenty_digits_hold_every_u64() {
    let rows: [(&str, u64); 6] = [
        ("2019-10-23 in seconds", 1_571_819_021),
        ("in milliseconds", 1_571_819_021_259),
        ("in microseconds", 1_571_819_021_259_000),
        ("in nanoseconds", 1_571_819_021_259_000_000),
        ("i64::MAX", i64::MAX.cast_unsigned()),
        ("u64::MAX", u64::MAX),
    ];
    let mut table = format!("{:<23}{:>20}  digits\n", "number", "");
    for (name, number) in rows {
        let digits = number.to_string().len();
        table += &format!("{name:<23}{number:>20}  {digits}\n");
    }
    output::check("06-key-patterns/outputs/widths.txt", &table);

    // One digit short, and the greatest times come first.
    let short = |time: u64| format!("{time:019}");
    let (a, b) = (9_999_999_999_999_999_999, 10_000_000_000_000_000_000);
    assert!(a < b && short(a) > short(b));
    let full = |time: u64| format!("{time:020}");
    assert!(full(a) < full(b));
    assert_eq!(full(a).as_bytes(), keys::encode_decimal(a));
}
// ANCHOR_END: widths

/// A way to write a time that may be negative.
type Signed = fn(i64) -> Vec<u8>;

// ANCHOR: signed
#[test]
fn only_a_shift_of_zero_makes_padding_right_before_1970() {
    let encodings: [(&str, Signed); 4] = [
        ("zeros, then the sign", |t| {
            format!("{:0>6}", t.to_string()).into()
        }),
        ("the sign, then zeros", |t| format!("{t:06}").into()),
        ("2^63 added, 20 digits", |t| {
            let shifted = t.cast_unsigned() ^ 1 << 63;
            format!("{shifted:020}").into()
        }),
        ("sign bit flipped, 8 bytes", |t| {
            keys::encode_i64(t).to_vec()
        }),
    ];
    let mut table = String::new();
    let mut orders = Vec::new();
    for (name, encode) in encodings {
        let store = Store::new();
        for time in [0, 7, -5, -9, -10] {
            store.put(encode(time), &time.to_string());
        }
        orders.push(store.all());
        let example = match encode(-9) {
            text if text.is_ascii() => String::from_utf8(text).unwrap(),
            bytes => keys::hex(&bytes),
        };
        let order = store.all().join(", ");
        table += &format!("{name:<27}{example:<22}{order}\n");
    }
    let head = format!("{:<27}{:<22}scan\n", "encoding", "-9 becomes");
    output::check("06-key-patterns/outputs/signed.txt", &(head + &table));
    assert_eq!(orders[0], ["-10", "-5", "-9", "0", "7"]);
    assert_eq!(orders[1], ["-5", "-9", "-10", "0", "7"]);
    for right in &orders[2..] {
        assert_eq!(right, &["-10", "-9", "-5", "0", "7"]);
    }
}
// ANCHOR_END: signed

// ANCHOR: mended_scan
#[test]
fn flipped_big_endian_times_mend_the_scan() {
    let store = posts(|time| [&b"post:"[..], &keys::encode_i64(time)].concat());
    output::check("06-key-patterns/outputs/mended-scan.txt", &store.shown());
    let dates = dates(&store);
    assert!(dates.is_sorted(), "{dates:?}");
}
// ANCHOR_END: mended_scan

#[test]
fn the_sorter_without_scripts() {
    let values = [
        9,
        10,
        999_999_999_999,
        1_000_000_000_000,
        1_571_819_021_259,
        u64::MAX,
    ];
    let encodings: [fn(u64) -> Vec<u8>; 4] = [
        |v| v.to_string().into_bytes(),
        |v| keys::encode_decimal(v).to_vec(),
        |v| keys::encode_u64(v).to_vec(),
        |v| keys::descending(keys::encode_u64(v)).to_vec(),
    ];
    let columns = encodings.map(|encode| {
        let mut sorted = values;
        sorted.sort_by_key(|&value| encode(value));
        sorted
    });
    let mut table = String::from(
        "| place in the scan | decimal | padded to 20 digits | big-endian | inverted |\n\
         |--:|--:|--:|--:|--:|\n",
    );
    for place in 0..values.len() {
        table += &format!("| {} |", place + 1);
        for column in &columns {
            table += &format!(" {} |", column[place]);
        }
        table += "\n";
    }
    output::check("06-key-patterns/outputs/sorter.md", &table);
    assert_eq!(columns[1], values);
    assert_eq!(columns[2], values);
    assert!(columns[3].is_sorted_by(|a, b| a > b));
}

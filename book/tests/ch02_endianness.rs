//! Chapter 2, "Endianness": what the chapter claims, one claim a test.
//!
//! `cargo test -p book --test ch02_endianness -- --nocapture` prints what the chapter shows.

use std::fmt::Write as _;
use std::ops::RangeBounds;

use book::output;
use engine::{Family, keys};
use tempfile::TempDir;

#[path = "support/database.rs"]
mod database;
#[path = "ch02_endianness/wrong.rs"]
mod wrong;

use database::{database, text, texts};

/// The engine in a temporary folder, which goes when the store goes.
struct Store {
    rows: Family,
    _folder: TempDir,
}

impl Store {
    fn new() -> Self {
        let (rows, folder) = database();
        Self {
            rows,
            _folder: folder,
        }
    }

    fn put(&self, key: impl AsRef<[u8]>, value: &str) {
        self.rows.put(key, value).unwrap();
    }

    /// The values whose keys lie in `range`, in the order of the store.
    fn scan<K: AsRef<[u8]>>(&self, range: impl RangeBounds<K>) -> Vec<String> {
        texts(self.rows.range(range))
    }

    /// All values, in the order of the store.
    fn all(&self) -> Vec<String> {
        texts(self.rows.iter())
    }
}

/// A way to turn a number into a key.
type Encode = fn(u32) -> Vec<u8>;

// ANCHOR: encoders
fn little_endian(value: u32) -> Vec<u8> {
    value.to_le_bytes().to_vec()
}

fn big_endian(value: u32) -> Vec<u8> {
    value.to_be_bytes().to_vec()
}
// ANCHOR_END: encoders

/// A store with one row a number, in the given order; the value is the number as text.
fn readings(encode: Encode, numbers: &[u32]) -> Store {
    let store = Store::new();
    for &number in numbers {
        store.put(encode(number), &number.to_string());
    }
    store
}

// ---------------------------------------------------------------- the scan that goes wrong

const READINGS: [u32; 6] = [1, 2, 255, 256, 257, 65536];

// ANCHOR: broken_scan
/// Little-endian keys: the scan is out of order, the range is short.
#[test]
fn little_endian_keys_scan_out_of_order() {
    let store = readings(little_endian, &[1, 2, 255, 256, 257, 65536]);

    let up_to_257 = store.scan(little_endian(1)..little_endian(257));

    assert_eq!(store.all(), ["65536", "256", "1", "257", "2", "255"]);
    assert_eq!(up_to_257, ["1"]);
    show("broken-scan.txt", &store, &up_to_257);
}
// ANCHOR_END: broken_scan

/// Big-endian keys: the scan is in order, the range is whole.
#[test]
fn big_endian_keys_scan_in_order() {
    let store = readings(big_endian, &[1, 2, 255, 256, 257, 65536]);

    let up_to_257 = store.scan(big_endian(1)..big_endian(257));

    assert_eq!(up_to_257, ["1", "2", "255", "256"]);
    show("repaired-scan.txt", &store, &up_to_257);
}

// ANCHOR: small_numbers
/// Up to 255 both orders agree. One number more, and they do not.
#[test]
fn small_numbers_hide_the_fault() {
    let scan = |encode: Encode, up_to: u32| {
        let numbers: Vec<u32> = (0..=up_to).collect();
        readings(encode, &numbers).all()
    };

    assert_eq!(scan(little_endian, 255), scan(big_endian, 255));
    assert_ne!(scan(little_endian, 256), scan(big_endian, 256));
}
// ANCHOR_END: small_numbers

// ---------------------------------------------------------------- predict and look

/// The answer to the chapter's prediction.
#[test]
fn the_predicted_orders() {
    let numbers = [0xffff_0000, 1, 16_777_216, 256];
    let mut text = String::new();
    for (name, encode) in [
        ("little-endian", little_endian as Encode),
        ("big-endian", big_endian),
    ] {
        let _ = writeln!(text, "{name}\n{}\n", table_of(&readings(encode, &numbers)));
    }
    output::check("02-endianness/outputs/predicted.txt", &text);
}

/// What the page shows where the bits explorer cannot run.
#[test]
fn the_bytes_of_256_and_its_neighbours() {
    let mut table =
        String::from("| number | bits | little-endian | big-endian |\n|---|---|---|---|\n");
    for number in [1, 255, 256, 257, 65536] {
        let _ = writeln!(
            table,
            "| {number} | `{}` | `{}` | `{}` |",
            grouped_bits(number),
            hex(&little_endian(number)),
            hex(&big_endian(number)),
        );
    }
    output::check("02-endianness/outputs/u32-256.md", &table);
}

/// Each byte of 0x01020304, its weight, and where the two orders put it.
#[test]
fn each_byte_has_a_weight() {
    let number: u32 = 0x0102_0304;
    let mut table = String::from(
        "| byte | counts | place in little-endian | place in big-endian |\n|---|---|---|---|\n",
    );
    for byte in number.to_be_bytes() {
        let weight = 256_u32.pow(4 - u32::from(byte));
        let place = |bytes: Vec<u8>| bytes.iter().position(|b| *b == byte).unwrap();
        let _ = writeln!(
            table,
            "| `{byte:02x}` | {weight} each | {} | {} |",
            place(little_endian(number)),
            place(big_endian(number)),
        );
    }
    output::check("02-endianness/outputs/weights.md", &table);
}

// ---------------------------------------------------------------- the invariants

// ANCHOR: all_neighbours
/// Every `u16` and the next one: 65,535 pairs. If each is in order, all are,
/// because "comes before" passes along a chain.
#[test]
fn big_endian_orders_every_pair_of_neighbours() {
    let wrong = |encode: fn(u16) -> [u8; 2]| {
        (0..u16::MAX)
            .filter(|&n| encode(n) >= encode(n + 1))
            .collect::<Vec<u16>>()
    };

    let little = wrong(u16::to_le_bytes);
    assert!(wrong(u16::to_be_bytes).is_empty());
    assert!(wrong(keys::encode_u16).is_empty());
    assert_eq!(little.len(), 255);
    show_neighbours(&little);
}
// ANCHOR_END: all_neighbours

fn show_neighbours(little: &[u16]) {
    output::check(
        "02-endianness/outputs/neighbours.txt",
        &format!(
            "pairs of neighbours: {}\nbig-endian:          0 in the wrong order\nlittle-endian:     {} in the wrong order, the first is {} and {}",
            u16::MAX,
            little.len(),
            little[0],
            little[0] + 1,
        ),
    );
}

// ANCHOR: round_trip
/// The order that wrote a number reads it back. The other order reads another
/// number, and reports no error.
#[test]
fn the_wrong_order_reads_another_number() {
    for number in READINGS {
        assert_eq!(keys::decode_u32(keys::encode_u32(number)), number);
    }

    let misread = u32::from_le_bytes(256_u32.to_be_bytes());
    assert_eq!(misread, 65536);
}
// ANCHOR_END: round_trip

/// The eight numbers of LedisDB's description, both ways. The names stand for the values.
const LEDIS: [(&str, i64); 8] = [
    ("0", 0),
    ("1", 1),
    ("0xFFFF0000", 0xffff_0000),
    ("i64::MAX", i64::MAX),
    ("-1", -1),
    ("-200", -200),
    ("-300", -300),
    ("i64::MIN", i64::MIN),
];

/// LedisDB's table of eight scores in both byte orders.
#[test]
fn the_published_table_of_ledisdb() {
    let mut table = String::from("| value | little-endian | big-endian |\n|---|---|---|\n");
    for (name, value) in LEDIS {
        let little = keys::hex(&value.to_le_bytes());
        let big = keys::hex(&value.to_be_bytes());
        let _ = writeln!(table, "| {name} | `{little}` | `{big}` |");
    }
    output::check("02-endianness/outputs/ledis.md", &table);
}

// ANCHOR: ledis_table
/// What LedisDB's table of eight scores shows.
#[test]
fn big_endian_mends_half_of_the_published_table() {
    let (little, big) = (i64::to_le_bytes, i64::to_be_bytes);

    assert!(little(1) > little(0xffff_0000)); // the wrong way round
    assert!(little(-200) < little(-300)); // the wrong way round
    assert!(big(1) < big(0xffff_0000));
    assert!(big(-300) < big(-200));
    assert!(big(i64::MIN) > big(i64::MAX)); // still the wrong way round
}
// ANCHOR_END: ledis_table

// ---------------------------------------------------------------- what the tasks show

/// A number, and its big-endian bytes in the width of its own type.
struct Mixed {
    kind: &'static str,
    value: u32,
    own_width: Vec<u8>,
}

impl Mixed {
    fn new(kind: &'static str, value: u32, own_width: impl Into<Vec<u8>>) -> Self {
        Self {
            kind,
            value,
            own_width: own_width.into(),
        }
    }
}

/// The bytes of the task `width-matters`: one number space, three widths.
#[test]
fn mixed_widths_need_one_width() {
    let mut numbers = [
        Mixed::new("u8", 5, 5_u8.to_be_bytes()),
        Mixed::new("u16", 5, 5_u16.to_be_bytes()),
        Mixed::new("u16", 256, 256_u16.to_be_bytes()),
        Mixed::new("u32", 7, 7_u32.to_be_bytes()),
    ];
    let mut table = String::from("| number | its own width | four bytes |\n|---|---|---|\n");
    for number in &numbers {
        let _ = writeln!(
            table,
            "| {} as `{}` | `{}` | `{}` |",
            number.value,
            number.kind,
            hex(&number.own_width),
            hex(&keys::encode_u32(number.value)),
        );
    }
    output::check("02-endianness/outputs/widths.md", &table);

    numbers.sort_by_key(|number| number.own_width.clone());
    assert_eq!(numbers.each_ref().map(|n| n.value), [7, 5, 256, 5]);
    numbers.sort_by_key(|number| keys::encode_u32(number.value));
    assert_eq!(numbers.each_ref().map(|n| n.value), [5, 5, 7, 256]);
    // Old keys of two bytes beside new ones of four: 256 sorts after 65536.
    assert!(keys::encode_u16(256)[..] > keys::encode_u32(65536)[..]);
}

const MINUTE_MS: u64 = 60_000;
const START_MS: u64 = 1_571_819_021_259;

/// One event a minute for ten minutes; the window takes three of them.
#[test]
fn a_time_window_is_a_range() {
    let store = Store::new();
    for minute in 0..10 {
        let at = START_MS + minute * MINUTE_MS;
        store.put(keys::encode_u64(at), &format!("minute {minute}"));
    }

    let from = keys::encode_u64(START_MS + 4 * MINUTE_MS);
    let to = keys::encode_u64(START_MS + 7 * MINUTE_MS);
    assert_eq!(store.scan(from..to), ["minute 4", "minute 5", "minute 6"]);
    output::check(
        "02-endianness/outputs/window.txt",
        &format!(
            "from    {}\nto      {}\nreturns {}",
            hex(&from),
            hex(&to),
            store.scan(from..to).join(", ")
        ),
    );
}

/// The bytes of the task `which-endian`: one magic number, written by two machines.
#[test]
fn a_magic_number_tells_the_order() {
    let magic: u32 = 0x4b65_7973;
    let mut lines = Vec::new();
    for (name, header) in [
        (
            "big-endian",
            [magic.to_be_bytes(), 258_u32.to_be_bytes()].concat(),
        ),
        (
            "little-endian",
            [magic.to_le_bytes(), 258_u32.to_le_bytes()].concat(),
        ),
    ] {
        let (magic, count) = header.split_at(4);
        lines.push(format!(
            "{name:<14} {}   {}   {}",
            hex(magic),
            hex(count),
            magic.escape_ascii()
        ));
    }
    output::check("02-endianness/outputs/header.txt", &lines.join("\n"));
}

// ---------------------------------------------------------------- in the wild

// ANCHOR: separator
/// A time in nanoseconds and a name, joined as interchain-security did (2022).
fn joined(time: u64, name: &str) -> Vec<u8> {
    [&keys::encode_u64(time)[..], b"/", name.as_bytes()].concat()
}

/// The bytes before the first separator.
fn time_of(key: &[u8]) -> &[u8] {
    key.split(|byte| *byte == b'/').next().unwrap()
}

#[test]
fn a_separator_between_binary_fields_is_found_too_early() {
    let [reported, a_second_later] = [83_000_000_070, 84_000_000_070];
    assert_eq!(
        time_of(&joined(a_second_later, "foowiz")),
        keys::encode_u64(a_second_later)
    );
    assert_eq!(time_of(&joined(reported, "foowiz")).len(), 5);
    show_joined(&[a_second_later, reported]);
}
// ANCHOR_END: separator

fn show_joined(times: &[u64]) {
    let mut text = String::new();
    for &time in times {
        let key = joined(time, "foowiz");
        let cut = hex(time_of(&key));
        let key = hex(&key);
        let _ = writeln!(text, "{time}  {key}\n  up to the first 2f:  {cut}");
    }
    output::check("02-endianness/outputs/separator.txt", &text);
}

// ANCHOR: stream_id
/// Redis's name of an entry in a stream: a time, and a count within it.
fn stream_id(ms: u64, count: u64) -> Vec<u8> {
    [ms, count].map(u64::to_be_bytes).concat()
}

#[test]
fn sixteen_bytes_sort_as_their_two_numbers() {
    let ids = [(5, 9), (5, 10), (5, 256), (6, 0), (256, 1)];
    assert!(ids.map(|(ms, count)| stream_id(ms, count)).is_sorted());
    // As Redis prints them, they are in another order.
    let printed = ids.map(|(ms, count)| format!("{ms}-{count}"));
    assert!(printed[1] < printed[0]); // 5-10 before 5-9
    assert!(printed[4] < printed[0]); // 256-1 before 5-9
}
// ANCHOR_END: stream_id

// ---------------------------------------------------------------- helpers

/// Prints the rows of a store and one range of it, and holds them to what the chapter shows.
fn show(file: &str, store: &Store, up_to_257: &[String]) {
    output::check(
        &format!("02-endianness/outputs/{file}"),
        &format!(
            "{}\n\nfrom 1 up to 257: {}",
            table_of(store),
            up_to_257.join(", ")
        ),
    );
}

/// The rows of a store, one a line: key bytes, number.
fn table_of(store: &Store) -> String {
    let lines: Vec<String> = store
        .rows
        .iter()
        .map(|row| {
            let (key, value) = row.unwrap();
            format!("{}   {}", hex(&key), text(&value))
        })
        .collect();
    lines.join("\n")
}

fn hex(bytes: &[u8]) -> String {
    let pairs: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    pairs.join(" ")
}

/// The bits of a number, a space between its bytes.
fn grouped_bits(value: u32) -> String {
    let bytes: Vec<String> = value
        .to_be_bytes()
        .iter()
        .map(|byte| format!("{byte:08b}"))
        .collect();
    bytes.join(" ")
}

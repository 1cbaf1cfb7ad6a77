//! The six key patterns, all in one store, each with the scan that it is made for.

use book::output;
use engine::keys::{self, Desc, OrderedKey as _, Raw, hex};

use crate::store::{Store, key_text};

/// The prefix of a pattern, and a key after it.
fn under(prefix: &str, key: impl AsRef<[u8]>) -> Vec<u8> {
    [prefix.as_bytes(), key.as_ref()].concat()
}

const MINUTE: u64 = 60_000;
const START: u64 = 1_571_819_021_259;

// ANCHOR: six_keys
/// Rows of all six patterns, in one sorted map.
fn filled() -> Store {
    let store = Store::new();
    store.put("config", "theme=dark");

    for (key, value) in [
        ("user:1001:email", "ann@example.com"),
        ("user:1001:name", "Ann"),
        ("user:10012:name", "Bob"),
    ] {
        store.put(key, value);
    }
    for minute in 0..5 {
        let time = START + minute * MINUTE;
        store.put(format!("cpu:{time:020}"), &format!("minute {minute}"));
        let newest_first = (Desc(time), Raw("post")).to_key();
        store.put(under("feed:", newest_first), &format!("post {minute}"));
    }
    for (user, minute) in [(57_u32, 0), (58, 1), (58, 3), (58, 4), (59, 2)] {
        let fields = (user, START + minute * MINUTE).to_key();
        store.put(
            under("order:", fields),
            &format!("user {user} minute {minute}"),
        );
    }
    for host in [
        "com.example.",
        "com.example.www.",
        "com.example2.",
        "org.example.",
    ] {
        store.put(format!("host:{host}"), host);
    }
    store
}
// ANCHOR_END: six_keys

// ANCHOR: six_scans
/// One scan for each pattern.
fn six_scans(store: &Store) -> [Vec<String>; 6] {
    let at = |minute: u64| START + minute * MINUTE;
    let cpu = |minute| format!("cpu:{:020}", at(minute));
    let order = |user: u32, m| under("order:", (user, at(m)).to_key());
    [
        store.get("config"),
        store.prefix("user:1001:"),
        store.range(cpu(1)..cpu(3)),
        store.first(2, "feed:"),
        store.range(order(58, 1)..order(58, 4)),
        store.prefix("host:com.example."),
    ]
}
// ANCHOR_END: six_scans

#[test]
fn six_patterns_and_their_scans() {
    let found = six_scans(&filled());
    let asked = [
        ("single key", "get config"),
        ("type:id:attr", "prefix user:1001:"),
        ("time series", "minutes 1 to 3"),
        ("newest first", "the first 2 of feed:"),
        ("composite index", "user 58, minutes 1 to 4"),
        ("reversed domain", "prefix host:com.example."),
    ];
    let mut table = format!("{:<17}{:<26}found\n", "pattern", "asked");
    for ((pattern, asked), found) in asked.iter().zip(&found) {
        table += &format!("{pattern:<17}{asked:<26}{}\n", found.join(", "));
    }
    output::check("06-key-patterns/outputs/six-scans.txt", &table);
    assert_eq!(found[0], ["theme=dark"]);
    assert_eq!(found[1], ["ann@example.com", "Ann"]);
    assert_eq!(found[2], ["minute 1", "minute 2"]);
    assert_eq!(found[3], ["post 4", "post 3"]);
    assert_eq!(found[4], ["user 58 minute 1", "user 58 minute 3"]);
    assert_eq!(found[5], ["com.example.", "com.example.www."]);
}

#[test]
fn one_key_of_each_pattern() {
    let store = filled();
    let mut table = String::new();
    for prefix in ["config", "user:", "cpu:", "feed:", "order:", "host:"] {
        let (key, _) = store.rows.prefix(prefix).next().unwrap().unwrap();
        table += &format!("{}\n", key_text(&key));
    }
    output::check("06-key-patterns/outputs/six-keys.txt", &table);
}

// ANCHOR: units
#[test]
fn seconds_and_milliseconds_in_one_index() {
    let store = Store::new();
    let rows = [
        (1_571_819_021_259_u64, "in milliseconds"),
        (1_571_819_081_u64, "a minute later, in seconds"),
        (
            1_571_819_141_259_u64,
            "another minute later, in milliseconds",
        ),
    ];
    for (time, title) in rows {
        let date = crate::store::date(time.cast_signed());
        store.put(format!("{time:020}"), &format!("{date}  {title}"));
    }
    output::check("06-key-patterns/outputs/units.txt", &store.shown());
    assert!(store.all()[0].starts_with("1970-01-19"));
    let since_2000 = store.range(format!("{:020}", 946_684_800_000_u64)..);
    assert_eq!(since_2000.len(), 2);
}
// ANCHOR_END: units

// ANCHOR: separator
#[test]
fn a_colon_between_short_binary_fields_makes_two_rows_one() {
    /// Without leading zeros, joined by `:`.
    fn joined(user: u32, time: u32) -> Vec<u8> {
        let short = |number: u32| {
            let bytes = number.to_be_bytes();
            bytes[bytes.iter().take_while(|byte| **byte == 0).count()..].to_vec()
        };
        [short(user), vec![b':'], short(time)].concat()
    }
    let pairs = [(0x01, 0x3a05), (0x013a, 0x05)];
    let mut table = format!(
        "{:>6}{:>8}  {:<13}fixed width\n",
        "user", "time", "joined by :"
    );
    for (user, time) in pairs {
        let fixed = [keys::encode_u32(user), keys::encode_u32(time)].concat();
        table += &format!(
            "{user:>6}{time:>8}  {:<13}{}\n",
            hex(&joined(user, time)),
            hex(&fixed)
        );
    }
    output::check("06-key-patterns/outputs/separator.txt", &table);

    let store = Store::new();
    for (user, time) in pairs {
        store.put(joined(user, time), &format!("user {user}"));
    }
    assert_eq!(store.all(), ["user 314"]);
}
// ANCHOR_END: separator

// ANCHOR: spare_bytes
#[test]
fn a_buffer_longer_than_its_fields_is_another_key() {
    let (user, time) = (7_u32, 20_u64);
    let fields = (user, time).to_key();
    let mut buffer = [0; 16];
    buffer[..fields.len()].copy_from_slice(&fields);

    let store = Store::new();
    store.put(buffer, "by the program with the buffer");
    assert!(
        store.rows.get(&fields).unwrap().is_none(),
        "a lookup misses it"
    );
    store.put(&fields, "by the program without");
    output::check("06-key-patterns/outputs/spare-bytes.txt", &store.shown());
    assert_eq!(store.all().len(), 2);
}
// ANCHOR_END: spare_bytes

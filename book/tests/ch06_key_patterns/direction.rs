//! Newest first: two rules that are one, a window in time, and text that runs backwards.

use std::ops::Bound::{self, Excluded, Included};

use book::output;
use engine::keys::{self, DecodeKey as _, Desc, OrderedKey as _, Raw, hex};

use crate::store::Store;

// ANCHOR: two_rules
#[test]
fn subtracting_from_the_greatest_inverts_every_bit() {
    let mut table = format!(
        "{:>20}  {:<18}all bits inverted\n",
        "time", "u64::MAX - time"
    );
    for time in [0, 1, 256, 1_571_819_021_259, u64::MAX] {
        let subtracted = (u64::MAX - time).to_be_bytes();
        let inverted = keys::descending(keys::encode_u64(time));
        assert_eq!(subtracted, inverted);
        table += &format!("{time:>20}  {:<18}{}\n", hex(&subtracted), hex(&inverted));
    }
    output::check("06-key-patterns/outputs/newest.txt", &table);
    for time in 0..=u16::MAX {
        assert_eq!(u16::MAX - time, !time);
    }
}
// ANCHOR_END: two_rules

// ANCHOR: signed_subtraction
#[test]
fn a_signed_subtraction_overflows_before_1970_and_its_bytes_are_right() {
    assert_eq!(i64::MAX.checked_sub(-1), None);
    for time in [i64::MIN, -14_182_940_000, -1, 0, 1, i64::MAX] {
        let wrapped = i64::MAX.wrapping_sub(time).to_be_bytes();
        assert_eq!(wrapped, keys::descending(keys::encode_i64(time)));
    }
    for time in i16::MIN..=i16::MAX {
        let wrapped = i16::MAX.wrapping_sub(time).to_be_bytes();
        assert_eq!(wrapped, keys::descending(keys::encode_i16(time)));
    }
}
// ANCHOR_END: signed_subtraction

// ANCHOR: prediction
#[test]
fn a_window_of_two_digits() {
    let key = |time: u32| 99 - time;
    let mut rows: Vec<(u32, u32)> = [10, 20, 30, 40].map(|time| (key(time), time)).into();
    rows.sort_unstable();
    let line = |(key, time): &(u32, u32)| format!("{key}  time {time}\n");
    let scan: String = rows.iter().map(line).collect();

    let wanted = 20..40;
    let range = key(40) + 1..key(20) + 1;
    assert!(
        rows.iter()
            .all(|(key, time)| wanted.contains(time) == range.contains(key))
    );
    let answer = format!(
        "{scan}\nkeys from {} up to, but without, {}\n",
        range.start, range.end
    );
    output::check("06-key-patterns/outputs/prediction.txt", &answer);
}
// ANCHOR_END: prediction

/// Events: a time, then a name.
pub(crate) const EVENTS: [(u64, &str); 5] = [(10, "a"), (20, "b"), (20, "c"), (30, "d"), (40, "e")];

/// An end of a range of keys.
type End = Bound<Vec<u8>>;

// ANCHOR: window
#[test]
fn a_window_newest_first_lies_between_the_ends_of_two_times() {
    let store = Store::new();
    for (time, name) in EVENTS {
        store.put((Desc(time), Raw(name)).to_key(), &format!("{time} {name}"));
    }
    let key = |time: u64| Desc(time).to_key();
    let after = |time: u64| keys::prefix_successor(&key(time)).expect("no time here is 0");

    // Wanted: from 20 up to, but without, 40.
    let tries: [(&str, End, End); 4] = [
        ("key(20) .. key(40)", Included(key(20)), Excluded(key(40))),
        ("key(40) .. key(20)", Included(key(40)), Excluded(key(20))),
        (
            "after key(40) ..= key(20)",
            Excluded(key(40)),
            Included(key(20)),
        ),
        (
            "after 40's rows .. after 20's rows",
            Included(after(40)),
            Excluded(after(20)),
        ),
    ];
    let mut table = format!("{:<38}found\n", "range of keys");
    let mut found = Vec::new();
    for (name, start, end) in tries {
        let rows = store.range((start, end));
        let shown = if rows.is_empty() {
            "nothing".to_owned()
        } else {
            rows.join(", ")
        };
        table += &format!("{name:<38}{shown}\n");
        found.push(rows);
    }
    output::check("06-key-patterns/outputs/window.txt", &table);
    assert!(found[0].is_empty());
    assert_eq!(found[1], ["40 e", "30 d"]);
    assert_eq!(found[2], ["40 e", "30 d"]);
    assert_eq!(found[3], ["30 d", "20 b", "20 c"]);
}
// ANCHOR_END: window

// ANCHOR: meeting_windows
#[test]
fn windows_that_meet_lose_nothing_and_repeat_nothing() {
    // The five events, one at time 0, and one whose name begins with ff.
    let mut events = EVENTS.map(|(time, name)| (time, name.as_bytes())).to_vec();
    events.extend([(0, &b"z"[..]), (20, b"\xff\x00")]);
    let store = Store::new();
    for &(time, name) in &events {
        let value = format!("{time} {}", name.escape_ascii());
        store.put((Desc(time), Raw(name)).to_key(), &value);
    }
    let after = |time: u64| keys::prefix_successor(&Desc(time).to_key());
    let window = |from: u64, to: u64| {
        let (Some(start), end) = (after(to), after(from)) else {
            return Vec::new(); // nothing comes after time 0
        };
        store.range((Included(start), end.map_or(Bound::Unbounded, Excluded)))
    };
    for from in 0..=45 {
        for to in from..=45 {
            let inside = |(time, _): &&(u64, &[u8])| (from..to).contains(time);
            assert_eq!(window(from, to).len(), events.iter().filter(inside).count());
            for middle in from..=to {
                let parts = [window(middle, to), window(from, middle)].concat();
                assert_eq!(parts, window(from, to));
            }
        }
    }
}
// ANCHOR_END: meeting_windows

/// A word to a key.
type Encode = fn(&str) -> Vec<u8>;

// ANCHOR: inverted_text
#[test]
fn text_is_ended_first_and_inverted_then() {
    fn inverted(bytes: &[u8]) -> Vec<u8> {
        bytes.iter().map(|byte| !byte).collect()
    }
    let encodings: [(&str, Encode); 3] = [
        ("inverted", |word| inverted(word.as_bytes())),
        ("inverted, then ended", |word| {
            [inverted(word.as_bytes()), vec![0x00, 0x01]].concat()
        }),
        ("ended, then inverted", |word| Desc(word).to_key()),
    ];
    let words = ["a", "ab", "b"];
    let mut table = format!("{:<22}{:<12}{:<12}{:<12}scan\n", "", "a", "ab", "b");
    let mut orders = Vec::new();
    for (name, encode) in encodings {
        let mut scan = words;
        scan.sort_by_key(|word| encode(word));
        table += &format!("{name:<22}");
        for word in words {
            table += &format!("{:<12}", hex(&encode(word)));
        }
        table += &format!("{}\n", scan.join(", "));
        orders.push(scan);
    }
    output::check("06-key-patterns/outputs/inverted-text.txt", &table);
    assert_eq!(
        orders,
        [["b", "a", "ab"], ["b", "a", "ab"], ["b", "ab", "a"]]
    );
}
// ANCHOR_END: inverted_text

// ANCHOR: mixed
#[test]
fn each_field_has_its_own_direction() {
    let plays = [
        ("ann", 10, "folk"),
        ("ann", 20, "jazz"),
        ("ann", 20, "jazzy"),
        ("anna", 30, "soul"),
        ("bob", 5, "punk"),
    ];
    let mut rows: Vec<(Vec<u8>, [Vec<u8>; 3])> = plays
        .iter()
        .map(|&(user, time, title)| {
            let fields = [
                user.to_key(),
                Desc(time as u64).to_key(),
                Desc(title).to_key(),
            ];
            (fields.concat(), fields)
        })
        .collect();
    rows.sort_unstable();
    let mut table = format!("{:<6}{:>4}  {:<7}key\n", "user", "time", "title");
    let mut titles = Vec::new();
    for (key, fields) in &rows {
        type Play = (String, Desc<u64>, Desc<String>);
        let (user, Desc(time), Desc(title)) = Play::from_key(key).unwrap();
        let fields = fields.each_ref().map(|field| hex(field));
        table += &format!("{user:<6}{time:>4}  {title:<7}{}\n", fields.join(" "));
        titles.push(title);
    }
    output::check("06-key-patterns/outputs/mixed.txt", &table);
    assert_eq!(titles, ["jazzy", "jazz", "folk", "soul", "punk"]);
}
// ANCHOR_END: mixed

//! The index against what the list holds: nothing that is published may be missed.

use super::*;
use crate::comparator::Comparator;
use crate::internal_key::{self, MAX_SEQUENCE, ParsedKey, ValueKind};
use crate::memtable::{Memtable, MemtableWriter};

const BUFFER_BYTES: usize = 1 << 20;

fn put(user_key: &[u8], sequence: u64) -> ParsedKey<'_> {
    let kind = ValueKind::Put;
    ParsedKey {
        user_key,
        sequence,
        kind,
    }
}

fn insert(writer: &mut MemtableWriter, key: u64, sequence: u64) {
    writer.insert(put(&key.to_be_bytes(), sequence), b"");
    writer.end_batch();
}

fn newest_in_index(table: &Memtable, key: u64) -> Option<u64> {
    let key = key.to_be_bytes();
    match table.index.find(&key, KeyHash::of(&key)) {
        Known::Newest(node, _) => {
            // SAFETY: `table` keeps the list.
            let key = unsafe { node.key() };
            Some(internal_key::parse(key).unwrap().sequence)
        }
        Known::Absent(_) => None,
        Known::Unknown => panic!("there is room for all"),
    }
}

#[test]
fn it_leads_to_the_newest_entry_of_each_key_and_grows_with_them() {
    let mut writer = MemtableWriter::new(Comparator::Bytewise, BUFFER_BYTES);
    let table = writer.reader();
    let keys = 2_000;
    for sequence in 1..=3 * keys {
        insert(&mut writer, sequence * 7 % keys, sequence);
        let tables = table.index.count.load(Ordering::Relaxed);
        assert_eq!(
            tables == 0,
            sequence < 8,
            "{tables} with {sequence} entries"
        );
    }
    for key in 0..keys {
        let newest = (1..=3 * keys).rfind(|sequence| sequence * 7 % keys == key);
        assert_eq!(newest_in_index(&table, key), newest);
    }
    assert!((keys..2 * keys).all(|key| newest_in_index(&table, key).is_none()));
    let slots = |table: &OnceLock<Table>| table.get().map(|table| table.buckets.len() * SLOTS);
    let slots: Vec<usize> = table.index.tables.iter().filter_map(slots).collect();
    assert_eq!(slots, [28, 112, 448, 1792, 7168]);
}

/// Keys come and come again while a table is made, now and then with their versions in the wrong order, as they do
/// in a replay.
#[test]
fn a_table_that_is_made_in_steps_misses_no_key_and_no_version() {
    const GROUP: u64 = 8;
    let mut writer = MemtableWriter::new(Comparator::Bytewise, 64 << 20);
    let table = writer.reader();
    let mut newest = std::collections::HashMap::new();
    let (mut tables, mut steps, mut checked) = (0, 0, 0);
    let mut random = 1_u64;
    for group in 0..20_000 {
        let first = group * GROUP + 1;
        let mut entries: Vec<(u64, u64)> = (first..first + GROUP)
            .map(|sequence| {
                random = random
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let key = match random >> 61 {
                    0 => sequence,
                    1 => (random >> 33) % 10,
                    _ => (random >> 33) % 50_000,
                };
                (key, sequence)
            })
            .collect();
        if group % 3 == 0 {
            entries.reverse();
        }
        let keys: Vec<_> = entries.iter().map(|(key, _)| key.to_be_bytes()).collect();
        let records = entries.iter().zip(&keys);
        writer.insert_all(records.map(|((_, sequence), key)| (put(key, *sequence), &b""[..])));
        writer.end_batch();
        for (key, sequence) in entries {
            let known = newest.entry(key).or_insert(sequence);
            *known = sequence.max(*known);
        }
        steps += usize::from(writer.growth.is_some());
        let now = table.index.count.load(Ordering::Relaxed);
        if now > tables {
            tables = now;
            for (&key, &sequence) in &newest {
                assert_eq!(newest_in_index(&table, key), Some(sequence), "{key}");
            }
            checked = newest.len();
        }
    }
    assert!(
        steps > 300 && checked > 20_000,
        "{steps} steps, {checked} keys"
    );
}

#[test]
fn the_last_table_has_room_for_the_keys_that_will_come_and_little_more() {
    for (value_bytes, buffer_bytes) in [(100, 4 << 20), (100, 5 << 20), (1_000, 16 << 20)] {
        let mut writer = MemtableWriter::new(Comparator::Bytewise, buffer_bytes);
        let table = writer.reader();
        let value = vec![0; value_bytes];
        let mut keys = 0_u64;
        while writer.used_bytes() < buffer_bytes {
            keys += 1;
            let key = keys.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes();
            writer.insert(put(&key, keys), &value);
            writer.end_batch();
        }
        let index = &table.index;
        let slots = index.table().unwrap().buckets.len() * SLOTS;
        let taken = index.table().unwrap().taken.load(Ordering::Relaxed);
        assert!(taken as u64 > keys * 99 / 100, "{taken} of {keys}");
        assert!(taken * 2 > slots, "{taken} of {slots} slots");
        assert!(index.bytes() < taken * 28, "{} for {taken}", index.bytes());
    }
}

#[test]
fn what_came_in_the_order_of_the_list_is_led_to_as_well() {
    // Replay sorts what it inserts: newer versions come first.
    let mut writer = MemtableWriter::new(Comparator::Bytewise, BUFFER_BYTES);
    for key in 0..500 {
        for sequence in [2 * key + 2, 2 * key + 1] {
            insert(&mut writer, key, sequence);
        }
    }
    let table = writer.reader();
    assert!((0..500).all(|key| newest_in_index(&table, key) == Some(2 * key + 2)));
}

#[test]
fn what_is_replayed_is_found_without_an_index() {
    let mut writer = MemtableWriter::new(Comparator::Bytewise, BUFFER_BYTES);
    for user_key in (0..500_u64).map(u64::to_be_bytes) {
        writer.insert(put(&user_key, 1), b"");
    }
    let table = writer.end_replay();
    assert_eq!(table.index.count.load(Ordering::Relaxed), 0);
    let is_there = |key: u64| table.get(&key.to_be_bytes(), 1).is_some();
    assert!((0..500).all(is_there) && !is_there(500));
}

#[test]
fn a_table_that_cannot_grow_says_so_and_the_list_is_searched() {
    let mut writer = MemtableWriter::new(Comparator::Bytewise, 1 << 12);
    let table = writer.reader();
    let keys = 5_000;
    (0..2 * keys).for_each(|n| insert(&mut writer, n % keys, n + 1));
    let is_unknown = |key: &u64| {
        let key = key.to_be_bytes();
        matches!(table.index.find(&key, KeyHash::of(&key)), Known::Unknown)
    };
    let unknown = (0..keys).filter(is_unknown).count();
    assert!(unknown as u64 > keys / 2, "{unknown} of {keys} had no room");
    for key in 0..keys {
        let found = |sequence| {
            let found = table.get(&key.to_be_bytes(), sequence);
            found.map(|found| found.sequence)
        };
        assert_eq!(found(MAX_SEQUENCE), Some(key + keys + 1));
        assert_eq!(found(key + keys), Some(key + 1));
        assert_eq!(found(key), None);
    }
    assert!(table.get(&keys.to_be_bytes(), MAX_SEQUENCE).is_none());
}

#[test]
fn an_old_version_is_found_behind_many_newer_ones() {
    let mut writer = MemtableWriter::new(Comparator::Bytewise, BUFFER_BYTES);
    for key in 0..50 {
        insert(&mut writer, key, key + 1);
    }
    (51..=1_000).for_each(|sequence| insert(&mut writer, 7, sequence));
    let table = writer.reader();
    for sequence in [8, 50, 51, 600, 992, 999, 1_000] {
        let found = table.get(&7u64.to_be_bytes(), sequence).unwrap();
        let expected = if sequence < 51 { 8 } else { sequence };
        assert_eq!(found.sequence, expected);
    }
    assert!(table.get(&7u64.to_be_bytes(), 7).is_none());
}

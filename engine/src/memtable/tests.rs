//! The memtable compared with a `BTreeMap`, and readers running beside a writer.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering as Memory};

use proptest::prelude::*;

use super::*;
use crate::comparator::{Comparator, Compare};
use crate::cursor::{InternalCursor, RowRun};
use crate::internal_key::{MAX_SEQUENCE, ParsedKey};

mod far;

type Model = BTreeMap<(Vec<u8>, std::cmp::Reverse<u64>), (ValueKind, Vec<u8>)>;

fn user_key() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(vec![0u8, b'a', b'b', 0xff]), 0..5)
}

/// A write to a key: a value, or nothing for a deletion.
fn writes() -> impl Strategy<Value = Vec<(Vec<u8>, Option<Vec<u8>>)>> {
    // Values of 512 bytes or more are stored apart from their keys.
    let length = prop_oneof![6 => 0..40_usize, 1 => 510..515_usize];
    let value = length.prop_flat_map(|length| prop::collection::vec(any::<u8>(), length));
    prop::collection::vec((user_key(), prop::option::of(value)), 0..200)
}

/// A memtable and a model with these writes, `together` at a time.
fn filled(writes: &[(Vec<u8>, Option<Vec<u8>>)], together: usize) -> (MemtableWriter, Model) {
    let mut writer = MemtableWriter::new(Comparator::Bytewise, 4096);
    let mut model = Model::new();
    let numbered: Vec<_> = (1..).zip(writes).collect();
    for group in numbered.chunks(together) {
        let entries = group.iter().map(|(sequence, (user_key, value))| {
            let kind = value.as_ref().map_or(ValueKind::Delete, |_| ValueKind::Put);
            let key = ParsedKey {
                user_key,
                sequence: *sequence,
                kind,
            };
            (key, value.as_deref().unwrap_or_default())
        });
        for (key, value) in entries.clone() {
            let versioned = (key.user_key.to_vec(), std::cmp::Reverse(key.sequence));
            model.insert(versioned, (key.kind, value.to_vec()));
        }
        match together {
            1 => entries.for_each(|(key, value)| writer.insert(key, value)),
            _ => writer.insert_all(entries),
        }
        // The buffer is small, so that an index is made after a few entries and soon becomes too small.
        writer.end_batch();
    }
    (writer, model)
}

/// The model's entries as internal keys, in order.
fn entries(model: &Model) -> Vec<(Vec<u8>, Vec<u8>)> {
    model
        .iter()
        .map(|((user_key, sequence), (kind, value))| {
            (
                internal_key::encode(user_key, sequence.0, *kind),
                value.clone(),
            )
        })
        .collect()
}

fn here(cursor: &MemtableCursor) -> Option<(Vec<u8>, Vec<u8>)> {
    cursor
        .valid()
        .then(|| (cursor.key().to_vec(), cursor.value().to_vec()))
}

/// All entries, as a flush sees them.
fn walked(table: &Memtable) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut entries = table.entries();
    let mut walked = Vec::new();
    while let Some((key, value)) = entries.here() {
        walked.push((key.to_vec(), value.to_vec()));
        entries.advance();
    }
    walked
}

proptest! {
    #[test]
    fn scans_agree_with_a_map(writes in writes(), together in 1usize..40) {
        let (writer, model) = filled(&writes, together);
        let expected = entries(&model);
        let table = writer.reader();
        prop_assert_eq!(table.len(), expected.len());
        prop_assert!(writer.used_bytes() <= table.reserved_bytes());

        let mut cursor = table.cursor();
        cursor.seek_to_first().unwrap();
        for entry in &expected {
            prop_assert_eq!(here(&cursor), Some(entry.clone()));
            cursor.next().unwrap();
        }
        prop_assert!(!cursor.valid());
        prop_assert_eq!(walked(&table), expected.clone());

        cursor.seek_to_last().unwrap();
        for entry in expected.iter().rev() {
            prop_assert_eq!(here(&cursor), Some(entry.clone()));
            cursor.prev().unwrap();
        }
        prop_assert!(!cursor.valid());
    }

    /// A run shows what a reader sees, nothing twice. It may end early only where a key has very many versions.
    #[test]
    fn a_run_shows_what_a_map_without_hidden_versions_has(
        writes in writes(), start in any::<prop::sample::Index>(), age in 0u64..200,
        end in prop::option::of(user_key()), most in 1usize..60,
    ) {
        prop_assume!(!writes.is_empty());
        let (writer, model) = filled(&writes, 1);
        let sequence = (writes.len() as u64).saturating_sub(age);
        let mut newest = BTreeMap::new();
        let mut versions = BTreeMap::new();
        for ((user_key, version), (kind, value)) in &model {
            *versions.entry(user_key).or_insert(0) += 1;
            if version.0 <= sequence {
                newest.entry(user_key).or_insert((*kind, value));
            }
        }
        let from = start.index(model.len());
        let (first, _) = model.keys().nth(from).unwrap();
        let expected: Vec<_> = newest
            .iter()
            .filter(|(key, (kind, _))| **key > first && *kind == ValueKind::Put && end.as_ref().is_none_or(|end| **key < end))
            .map(|(key, (_, value))| ((*key).clone(), (*value).clone()))
            .collect();
        let table = writer.reader();
        let mut cursor = table.cursor();
        cursor.seek_to_first().unwrap();
        (0..from).for_each(|_| cursor.next().unwrap());
        let stood = here(&cursor);
        let mut shown = Vec::new();
        let rows = RowRun { end: end.as_deref(), sequence };
        let goes_on = cursor.run(&rows, |key, value| {
            shown.push((key.to_vec(), value.to_vec()));
            shown.len() < most
        });
        prop_assert_eq!(goes_on, shown.len() < most);
        prop_assert!(shown.len() <= expected.len() && shown[..] == expected[..shown.len()]);
        if versions.values().all(|&versions| versions <= 16) {
            prop_assert_eq!(shown.len(), expected.len().min(most));
        }
        match shown.last() {
            Some((key, _)) => prop_assert_eq!(internal_key::user_key(cursor.key()), &key[..]),
            None => prop_assert_eq!(here(&cursor), stood),
        }
    }

    #[test]
    fn a_cursor_wanders_as_in_a_list(
        writes in writes(), together in 1usize..40, begin in any::<prop::sample::Index>(),
        steps in prop::collection::vec(prop::bool::weighted(0.6), 1..200),
    ) {
        let (writer, model) = filled(&writes, together);
        let expected = entries(&model);
        prop_assume!(!expected.is_empty());
        let mut at = begin.index(expected.len());
        let mut cursor = writer.reader().cursor();
        cursor.seek_for_prev(&expected[at].0).unwrap();
        for back in steps {
            prop_assert_eq!(here(&cursor), Some(expected[at].clone()));
            if back && at > 0 {
                cursor.prev().unwrap();
                at -= 1;
            } else if !back && at + 1 < expected.len() {
                cursor.next().unwrap();
                at += 1;
            }
        }
    }

    #[test]
    fn seeks_and_gets_agree_with_a_map(
        writes in writes(), together in 1usize..40, target in user_key(), sequence in 0u64..200
    ) {
        let (writer, model) = filled(&writes, together);
        let expected = entries(&model);
        let table = writer.reader();
        let order = |a: &[u8], b: &[u8]| internal_key::compare(&Comparator::Bytewise, a, b);

        let mut probes = vec![internal_key::encode(&target, sequence, ValueKind::Put)];
        probes.extend(expected.first().map(|(key, _)| key.clone()));
        probes.extend(expected.last().map(|(key, _)| key.clone()));
        let mut cursor = table.cursor();
        for probe in &probes {
            cursor.seek(probe).unwrap();
            let after = expected.iter().find(|(key, _)| order(key, probe) != Ordering::Less);
            prop_assert_eq!(here(&cursor), after.cloned());
            cursor.seek_for_prev(probe).unwrap();
            let before = expected.iter().rfind(|(key, _)| order(key, probe) != Ordering::Greater);
            prop_assert_eq!(here(&cursor), before.cloned());
        }

        let visible = model
            .iter()
            .find(|((user_key, version), _)| *user_key == target && version.0 <= sequence);
        let found = table.get(&target, sequence);
        prop_assert_eq!(
            found.map(|found| (found.sequence, found.kind, found.value.to_vec())),
            visible.map(|((_, version), (kind, value))| (version.0, *kind, value.clone()))
        );
    }
}

#[test]
fn any_insertion_order_gives_the_same_list() {
    // Sequential, backwards, alternating between two ends, two interleaved runs, backwards run by
    // run, and from the middle to both sides. The insert hint helps, fails or misleads; searches
    // that run together find the same place, or places that other insertions of their group change.
    let count = 3000u64;
    let orders: [Vec<u64>; 6] = [
        (0..count).collect(),
        (0..count).rev().collect(),
        (0..count)
            .map(|n| if n % 2 == 0 { n / 2 } else { count - 1 - n / 2 })
            .collect(),
        (0..count).map(|n| n % 50 * (count / 50) + n / 50).collect(),
        (0..count).map(|n| n / 50 * 50 + 49 - n % 50).collect(),
        (0..count)
            .map(|n| {
                if n % 2 == 0 {
                    count / 2 + n / 2
                } else {
                    count / 2 - 1 - n / 2
                }
            })
            .collect(),
    ];
    for order in orders {
        for together in [1, 2, TOGETHER, 100] {
            let mut writer = MemtableWriter::new(Comparator::Bytewise, 1 << 16);
            let keys: Vec<_> = order.iter().map(|key| key.to_be_bytes()).collect();
            let numbered: Vec<_> = (1..).zip(&keys).collect();
            for group in numbered.chunks(together) {
                writer.insert_all(group.iter().map(|(sequence, user_key)| {
                    let kind = ValueKind::Put;
                    let (user_key, sequence) = (&user_key[..], *sequence);
                    (
                        ParsedKey {
                            user_key,
                            sequence,
                            kind,
                        },
                        &b"v"[..],
                    )
                }));
            }
            let table = writer.reader();
            let mut cursor = table.cursor();
            cursor.seek_to_first().unwrap();
            for key in 0..count {
                assert_eq!(internal_key::user_key(cursor.key()), key.to_be_bytes());
                // By a search on all levels, without the index.
                assert!(table.search(&key.to_be_bytes(), count).is_some());
                cursor.next().unwrap();
            }
            assert!(!cursor.valid());
        }
    }
}

/// The bytewise order, counting its comparisons.
struct Counted(AtomicU64);

impl Compare for Counted {
    fn name(&self) -> &str {
        "counted"
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        self.0.fetch_add(1, Memory::Relaxed);
        a.cmp(b)
    }
}

#[test]
fn a_key_beside_the_last_one_takes_no_search() {
    let count = 2000u64;
    let orders: [Vec<u64>; 2] = [(0..count).collect(), (0..count).rev().collect()];
    for order in orders {
        let counted = Arc::new(Counted(AtomicU64::new(0)));
        let mut writer = MemtableWriter::new(Comparator::Custom(counted.clone()), 1 << 20);
        // Other keys lie around them.
        let around = [0u64, count, 2 * count].map(u64::to_be_bytes);
        let keys: Vec<_> = order
            .iter()
            .map(|key| key + count)
            .map(u64::to_be_bytes)
            .collect();
        let numbered: Vec<_> = (1..).zip(around.iter().chain(&keys[1..])).collect();
        let entries = numbered.iter().map(|(sequence, user_key)| {
            let (user_key, sequence, kind) = (&user_key[..], *sequence, ValueKind::Put);
            (
                ParsedKey {
                    user_key,
                    sequence,
                    kind,
                },
                &b""[..],
            )
        });
        writer.insert_all(entries);
        let asked = counted.0.load(Memory::Relaxed);
        assert!(asked <= 3 * count, "{asked} comparisons for {count} keys");
    }
}

#[test]
fn an_old_version_of_a_hot_key_is_found_in_few_steps() {
    let counted = Arc::new(Counted(AtomicU64::new(0)));
    let mut writer = MemtableWriter::new(Comparator::Custom(counted.clone()), 1 << 20);
    let put = |user_key, sequence| ParsedKey {
        user_key,
        sequence,
        kind: ValueKind::Put,
    };
    let versions = 10_000;
    for sequence in 1..=versions {
        writer.insert(put(b"hot", sequence), b"");
        // This makes an index, which leads to the newest version.
        writer.end_batch();
    }
    let before = counted.0.load(Memory::Relaxed);
    let found = writer.reader().get(b"hot", versions / 2).unwrap();
    assert_eq!(found.sequence, versions / 2);
    let asked = counted.0.load(Memory::Relaxed) - before;
    assert!(asked < 500, "{asked} comparisons among {versions} versions");
}

/// Lists of many lengths in which one key has a quarter of all versions, in one long stretch.
#[test]
fn a_walk_over_all_passes_over_nothing() {
    const MOST: u64 = if cfg!(miri) { 100 } else { 20_000 };
    let mut writer = MemtableWriter::new(Comparator::Bytewise, 4 << 20);
    let mut keys = Vec::new();
    for sequence in 0..MOST {
        if sequence < 400 || sequence.is_multiple_of(5_000) || sequence + 1 == MOST {
            let mut expected: Vec<Vec<u8>> = keys.clone();
            expected.sort();
            let walked = walked(&writer.reader());
            let walked: Vec<_> = walked.into_iter().map(|(key, _)| key).collect();
            assert!(walked == expected, "{sequence} entries");
        }
        let chance = (sequence + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let number = if chance >> 62 == 0 {
            500
        } else {
            (chance >> 20) % MOST
        };
        let key = ParsedKey {
            user_key: &number.to_be_bytes(),
            sequence,
            kind: ValueKind::Put,
        };
        writer.insert(key, b"value");
        writer.end_batch();
        keys.push(internal_key::encode(
            &number.to_be_bytes(),
            sequence,
            ValueKind::Put,
        ));
    }
}

#[test]
fn an_empty_or_small_memtable_takes_little_memory() {
    let mut writer = MemtableWriter::new(Comparator::Bytewise, 64 << 20);
    assert!(writer.reader().reserved_bytes() <= 1 << 10);
    for sequence in 1..=100_000 {
        let key = ParsedKey {
            user_key: b"k",
            sequence,
            kind: ValueKind::Put,
        };
        // From the middle on some values are long enough to be stored apart.
        let is_long = sequence > 50_000 && sequence.is_multiple_of(3);
        let value = if is_long { &[7; 600][..] } else { b"value" };
        writer.insert(key, value);
        let (used, reserved) = (writer.used_bytes(), writer.reader().reserved_bytes());
        assert!(reserved <= 2 * used + (2 << 10), "{reserved} for {used}");
    }
}

#[test]
fn a_value_outlives_the_memtable_that_it_came_from() {
    let mut writer = MemtableWriter::new(Comparator::Bytewise, 4096);
    writer.insert(
        ParsedKey {
            user_key: b"k",
            sequence: 1,
            kind: ValueKind::Put,
        },
        &[7; 5000],
    );
    let value = writer.reader().get(b"k", 1).unwrap().value;
    drop(writer);
    assert_eq!(&*value, &[7; 5000]);
}

/// Every value is derived from its key and sequence number, so that a reader notices a torn one.
fn value_of(key: u64, sequence: u64) -> Vec<u8> {
    let seed = key.wrapping_mul(31).wrapping_add(sequence);
    // A long one is stored apart from its key.
    let words = if seed.is_multiple_of(11) {
        1_000
    } else {
        1 + seed % 7
    };
    seed.to_le_bytes().repeat(words as usize)
}

#[test]
fn readers_beside_the_writer_see_whole_entries_in_order() {
    const ENTRIES: u64 = if cfg!(miri) { 200 } else { 30_000 };
    const KEYS: u64 = if cfg!(miri) { 97 } else { 1_999 };
    let mut writer = MemtableWriter::new(Comparator::Bytewise, 1 << 20);
    let table = writer.reader();
    let published = AtomicU64::new(0);
    let done = AtomicBool::new(false);
    let made = [const { AtomicU64::new(0) }; 2];
    std::thread::scope(|scope| {
        let read = |reader: usize| {
            let (table, published, done, made) = (&table, &published, &done, &made[reader]);
            scope.spawn(move || {
                let mut rounds = 0;
                while !done.load(Memory::Acquire) {
                    let visible = published.load(Memory::Acquire);
                    check_one_key(table, (rounds + reader as u64) % KEYS, visible);
                    assert!(count_in_order(table, visible) >= visible);
                    assert!(count_backward(table, visible) >= visible);
                    let last = visible.wrapping_mul(0x9e37_79b9) % KEYS;
                    let found = table.get(&last.to_be_bytes(), visible);
                    assert!(visible == 0 || found.is_some_and(|found| found.sequence == visible));
                    rounds += 1;
                    made.store(rounds, Memory::Release);
                }
            })
        };
        let readers = [read(0), read(1)];
        for sequence in 1..=ENTRIES {
            let key = sequence.wrapping_mul(0x9e37_79b9) % KEYS;
            let parsed = ParsedKey {
                user_key: &key.to_be_bytes(),
                sequence,
                kind: ValueKind::Put,
            };
            writer.insert(parsed, &value_of(key, sequence));
            writer.end_batch();
            published.store(sequence, Memory::Release);
            // On a busy machine the writer might otherwise finish before a reader has begun.
            let round = sequence / (ENTRIES / 4);
            let lags = |reader: usize| {
                !readers[reader].is_finished() && made[reader].load(Memory::Acquire) < round
            };
            while lags(0) || lags(1) {
                std::thread::yield_now();
            }
        }
        done.store(true, Memory::Release);
    });
    assert_eq!(count_in_order(&table, MAX_SEQUENCE), ENTRIES);
    // So for most of the time it was large enough for scans in several places at once.
    assert!(cfg!(miri) || table.reserved_bytes() > 2 * ahead::WALK_BYTES_MIN);
}

/// Like [`count_in_order`], from the end.
fn count_backward(table: &Memtable, visible: u64) -> u64 {
    let mut cursor = table.cursor();
    let mut after: Option<Vec<u8>> = None;
    let mut seen = 0;
    cursor.seek_to_last().unwrap();
    while cursor.valid() {
        if let Some(after) = &after {
            let order = internal_key::compare(&Comparator::Bytewise, cursor.key(), after);
            assert_eq!(order, Ordering::Less);
        }
        after = Some(cursor.key().to_vec());
        seen += u64::from(internal_key::sequence(cursor.key()) <= visible);
        cursor.prev().unwrap();
    }
    seen
}

fn check_one_key(table: &Memtable, key: u64, visible: u64) {
    if let Some(found) = table.get(&key.to_be_bytes(), visible) {
        assert!(found.sequence <= visible);
        assert_eq!(&*found.value, value_of(key, found.sequence));
    }
}

/// Scans the whole list: every entry must be intact, and keys strictly increasing. Returns how many
/// entries are visible.
fn count_in_order(table: &Memtable, visible: u64) -> u64 {
    let mut cursor = table.cursor();
    let mut before: Option<Vec<u8>> = None;
    let mut seen = 0;
    cursor.seek_to_first().unwrap();
    while cursor.valid() {
        let parsed = internal_key::parse(cursor.key()).unwrap();
        let key = u64::from_be_bytes(parsed.user_key.try_into().unwrap());
        assert_eq!(cursor.value(), value_of(key, parsed.sequence));
        if let Some(before) = &before {
            let order = internal_key::compare(&Comparator::Bytewise, before, cursor.key());
            assert_eq!(order, Ordering::Less);
        }
        before = Some(cursor.key().to_vec());
        seen += u64::from(parsed.sequence <= visible);
        cursor.next().unwrap();
    }
    seen
}

#[test]
fn a_hot_key_is_read_at_exactly_its_moment() {
    // Every new version is linked right before the one that the reader is about to find.
    const VERSIONS: u64 = if cfg!(miri) { 200 } else { 100_000 };
    let mut writer = MemtableWriter::new(Comparator::Bytewise, 1 << 20);
    let table = writer.reader();
    let published = AtomicU64::new(0);
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut cursor = table.cursor();
            let mut visible = 0;
            while visible < VERSIONS {
                visible = published.load(Memory::Acquire);
                let found = table.get(b"hot", visible).map_or(0, |found| found.sequence);
                assert_eq!(found, visible);
                let mut target = Vec::new();
                internal_key::append_seek(&mut target, b"hot", visible);
                cursor.seek(&target).unwrap();
                let seen = cursor
                    .valid()
                    .then(|| internal_key::parse(cursor.key()).unwrap());
                assert_eq!(seen.map_or(0, |seen| seen.sequence), visible);
            }
        });
        for sequence in 1..=VERSIONS {
            let key = ParsedKey {
                user_key: b"hot",
                sequence,
                kind: ValueKind::Put,
            };
            writer.insert(key, b"value");
            published.store(sequence, Memory::Release);
            if reader.is_finished() {
                break; // It failed, and its panic is reported below.
            }
        }
    });
}

/// Queues that are trimmed again and again: each trim covers the range of all trims before it, so
/// the set grows with the square of their number.
#[test]
fn range_tombstones_over_one_another_fill_a_memtable() {
    const QUEUES: u64 = 20;
    let mut writer = MemtableWriter::new(Comparator::Bytewise, 1 << 20);
    let mut trims = 0;
    while !writer.is_full() {
        trims += 1;
        for queue in 0..QUEUES {
            let start = format!("queue{queue:03}:");
            let end = format!("queue{queue:03}:{trims:010}");
            let key = ParsedKey {
                user_key: start.as_bytes(),
                sequence: trims * QUEUES + queue,
                kind: ValueKind::RangeDelete,
            };
            writer.insert(key, end.as_bytes());
        }
        writer.end_batch();
    }
    let numbers = writer.reader().range_tombstones().unwrap().len();
    assert!(trims > 20 && numbers < 10_000, "{trims} {numbers}");
}

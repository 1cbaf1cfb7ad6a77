//! What does a write into memory cost, and what does the skip list in an arena save?
//!
//! ```text
//! cargo bench -p benches -- memtable/            all
//! cargo bench -p benches -- memtable/insert      one question
//! ```
//!
//! Keys have 16 bytes, values 100. Inserting is for 20,000 entries, searching for one among 100,000.

use std::collections::BTreeMap;
use std::hint::black_box;

use benches::{OpaqueBytewise, shuffled, user_key};
use criterion::{BatchSize, Criterion, Throughput};
use engine::comparator::Comparator;
use engine::cursor::InternalCursor;
use engine::internal_key::{ParsedKey, ValueKind};
use engine::memtable::MemtableWriter;

const INSERTED: usize = 20_000;
const SEARCHED: usize = 100_000;
const BUFFER_BYTES: usize = 64 << 20;
const VALUE: [u8; 100] = [b'v'; 100];

fn filled(comparator: Comparator, keys: &[Vec<u8>]) -> MemtableWriter {
    let mut memtable = MemtableWriter::new(comparator, BUFFER_BYTES);
    for (sequence, key) in (1..).zip(keys) {
        let key = ParsedKey {
            user_key: key,
            sequence,
            kind: ValueKind::Put,
        };
        memtable.insert(key, &VALUE);
        memtable.end_batch();
    }
    memtable
}

/// What do keys in order gain from the insert hint, and keys that come again from the index; what do an opaque comparator and
/// a `BTreeMap` cost?
fn insert(c: &mut Criterion) {
    let ascending: Vec<_> = (0..INSERTED as u64).map(user_key).collect();
    let random: Vec<_> = shuffled(INSERTED, 1).into_iter().map(user_key).collect();
    let few = &random[..INSERTED / 10];
    let again: Vec<_> = few.iter().cycle().take(INSERTED).cloned().collect();
    let mut group = c.benchmark_group("memtable/insert");
    group.throughput(Throughput::Elements(INSERTED as u64));
    let opaque = || Comparator::custom(OpaqueBytewise);
    type Order = fn() -> Comparator;
    let cases: [(&str, Order, &[Vec<u8>]); 4] = [
        ("ascending", || Comparator::Bytewise, &ascending),
        ("random", || Comparator::Bytewise, &random),
        ("again", || Comparator::Bytewise, &again),
        ("random-opaque-comparator", opaque, &random),
    ];
    for (name, order, keys) in cases {
        group.bench_function(name, |b| {
            b.iter_batched(
                order,
                |order| filled(order, black_box(keys)),
                BatchSize::PerIteration,
            );
        });
    }
    for (name, keys) in [
        ("btree-map/ascending", &ascending),
        ("btree-map/random", &random),
    ] {
        group.bench_function(name, |b| {
            b.iter_batched(
                BTreeMap::new,
                |mut map| {
                    for key in black_box(keys) {
                        map.insert(key.clone(), VALUE.to_vec());
                    }
                    map
                },
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

/// How long does a search take, for keys that are there and keys that are not?
fn search(c: &mut Criterion) {
    let keys: Vec<_> = shuffled(SEARCHED, 2)
        .into_iter()
        .map(|number| user_key(2 * number))
        .collect();
    let absent: Vec<_> = shuffled(SEARCHED, 3)
        .into_iter()
        .map(|number| user_key(2 * number + 1))
        .collect();
    let mut group = c.benchmark_group("memtable/search");
    for (name, order) in [
        ("bytewise", Comparator::Bytewise),
        ("opaque-comparator", Comparator::custom(OpaqueBytewise)),
    ] {
        let memtable = filled(order, &keys).reader();
        for (kind, targets) in [("present", &keys), ("absent", &absent)] {
            let mut next = targets.iter().cycle();
            group.bench_function(format!("{name}/{kind}"), |b| {
                b.iter(|| {
                    memtable
                        .get(black_box(next.next().unwrap()), u64::MAX >> 8)
                        .is_some()
                });
            });
        }
    }
    let map: BTreeMap<_, _> = keys
        .iter()
        .map(|key| (key.clone(), VALUE.to_vec()))
        .collect();
    let mut next = keys.iter().cycle();
    group.bench_function("btree-map/present", |b| {
        b.iter(|| map.contains_key(black_box(next.next().unwrap())));
    });
    group.finish();
}

/// How many entries a second does a scan pass, both ways?
fn scan(c: &mut Criterion) {
    let keys: Vec<_> = shuffled(INSERTED, 4).into_iter().map(user_key).collect();
    let memtable = filled(Comparator::Bytewise, &keys).reader();
    let mut group = c.benchmark_group("memtable/scan");
    group.throughput(Throughput::Elements(INSERTED as u64));
    group.bench_function("forward", |b| {
        b.iter(|| {
            let (mut cursor, mut bytes) = (memtable.cursor(), 0);
            cursor.seek_to_first().unwrap();
            while cursor.valid() {
                bytes += cursor.key().len() + cursor.value().len();
                cursor.next().unwrap();
            }
            bytes
        });
    });
    group.bench_function("backward", |b| {
        b.iter(|| {
            let (mut cursor, mut bytes) = (memtable.cursor(), 0);
            cursor.seek_to_last().unwrap();
            while cursor.valid() {
                bytes += cursor.key().len() + cursor.value().len();
                cursor.prev().unwrap();
            }
            bytes
        });
    });
    group.finish();
}

pub(crate) fn all(c: &mut Criterion) {
    insert(c);
    search(c);
    scan(c);
}

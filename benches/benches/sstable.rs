//! What does a lookup in a sorted table cost, and which part of the format pays for itself?
//!
//! ```text
//! cargo bench -p benches -- sstable/            all
//! cargo bench -p benches -- sstable/get         one question
//! ```
//!
//! Keys have 16 bytes, values 100. Tables lie in a temporary directory, read from the page cache.

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use benches::{OpaqueBytewise, arbitrary, user_key};
use criterion::{BatchSize, Criterion, Throughput};
use engine::comparator::Comparator;
use engine::cursor::InternalCursor;
use engine::internal_key::{self, ValueKind};
use engine::sstable::{Compression, Table, TableBuilder, TableOptions};
use engine::vfs::{StdVfs, Vfs};

const ENTRIES: u64 = 200_000;

/// Even numbers are in the table, odd ones are not.
fn build(path: &Path, entries: u64, options: TableOptions) {
    let mut builder = TableBuilder::new(StdVfs.create(path).unwrap(), options).unwrap();
    // Half of each value is the same everywhere, so that LZ4 finds something to do.
    let mut value = [b'v'; 100];
    for i in 0..entries {
        value[..50].fill((i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8);
        value[..8].copy_from_slice(&i.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes());
        let key = internal_key::encode(&user_key(2 * i), i + 1, ValueKind::Put);
        builder.add(&key, &value).unwrap();
    }
    builder.finish().unwrap();
}

fn open(path: &Path, comparator: Comparator) -> Arc<Table> {
    Arc::new(Table::open(StdVfs.open_mapped(path).unwrap(), comparator).unwrap())
}

/// Keys to look for, in an order that no cache foresees: those in the table, or those between them.
fn targets(entries: u64, between: u64) -> Vec<Vec<u8>> {
    arbitrary(10_000, 1)
        .into_iter()
        .map(|bits| {
            let mut key = Vec::new();
            internal_key::append_first(&mut key, &user_key(2 * (bits % entries) + between));
            key
        })
        .collect()
}

/// How dense should restarts be? One block of 4 KiB, so that the index and the filter are out of the way.
fn block_seek(c: &mut Criterion) {
    let dir = tempfile::tempdir().unwrap();
    let mut group = c.benchmark_group("sstable/block-seek/restart-interval");
    for restart_interval in [1, 2, 4, 8, 16, 32] {
        let path = dir.path().join(format!("{restart_interval}.sst"));
        let options = TableOptions {
            block_bytes: 1 << 20,
            restart_interval,
            filter_bits_per_key: 0,
            ..TableOptions::new(Comparator::Bytewise)
        };
        build(&path, 35, options);
        let table = open(&path, Comparator::Bytewise);
        let targets = targets(35, 0);
        let mut next = targets.iter().cycle();
        group.bench_function(restart_interval.to_string(), |b| {
            b.iter(|| {
                table
                    .get(black_box(next.next().unwrap()))
                    .unwrap()
                    .is_some()
            });
        });
    }
    group.finish();
}

/// What does asking the filter cost, for keys that are there and keys that are not?
fn bloom_probe(c: &mut Criterion) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("1.sst");
    build(&path, ENTRIES, TableOptions::new(Comparator::Bytewise));
    let table = open(&path, Comparator::Bytewise);
    let mut group = c.benchmark_group("sstable/bloom");
    for (name, between) in [("present", 0), ("absent", 1)] {
        let targets = targets(ENTRIES, between);
        let mut next = targets.iter().cycle();
        group.bench_function(name, |b| {
            b.iter(|| table.may_contain(internal_key::user_key(black_box(next.next().unwrap()))));
        });
    }
    group.finish();
}

/// What does a point lookup cost, and what do an opaque comparator, `pread`, LZ4 and a missing filter add?
fn get(c: &mut Criterion) {
    let dir = tempfile::tempdir().unwrap();
    let mut group = c.benchmark_group("sstable/get");
    let bytewise = || TableOptions::new(Comparator::Bytewise);
    let cases = [
        ("mapped", bytewise(), true),
        (
            "opaque-comparator",
            TableOptions::new(Comparator::custom(OpaqueBytewise)),
            true,
        ),
        (
            "no-filter",
            TableOptions {
                filter_bits_per_key: 0,
                ..bytewise()
            },
            true,
        ),
        ("pread", bytewise(), false),
        (
            "lz4",
            TableOptions {
                compression: Compression::Lz4,
                ..bytewise()
            },
            true,
        ),
    ];
    for (name, options, mapped) in cases {
        let path = dir.path().join(format!("{name}.sst"));
        let comparator = options.comparator.clone();
        build(&path, ENTRIES, options);
        let file = if mapped {
            StdVfs.open_mapped(&path)
        } else {
            StdVfs.open_random(&path)
        };
        let table = Table::open(file.unwrap(), comparator).unwrap();
        for (kind, between) in [("present", 0), ("absent", 1)] {
            let targets = targets(ENTRIES, between);
            let mut next = targets.iter().cycle();
            group.bench_function(format!("{name}/{kind}"), |b| {
                b.iter(|| {
                    table
                        .get(black_box(next.next().unwrap()))
                        .unwrap()
                        .is_some()
                });
            });
        }
    }
    group.finish();
}

fn scan_forward(table: &Arc<Table>) -> usize {
    let mut cursor = table.cursor();
    let mut bytes = 0;
    cursor.seek_to_first().unwrap();
    while cursor.valid() {
        bytes += cursor.key().len() + cursor.value().len();
        cursor.next().unwrap();
    }
    bytes
}

fn scan_backward(table: &Arc<Table>) -> usize {
    let mut cursor = table.cursor();
    let mut bytes = 0;
    cursor.seek_to_last().unwrap();
    while cursor.valid() {
        bytes += cursor.key().len() + cursor.value().len();
        cursor.prev().unwrap();
    }
    bytes
}

/// How many entries a second does a cursor pass, both ways, and what does the checksum add to the first pass?
fn scan(c: &mut Criterion) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("1.sst");
    build(&path, ENTRIES, TableOptions::new(Comparator::Bytewise));
    let table = open(&path, Comparator::Bytewise);
    let mut group = c.benchmark_group("sstable/scan");
    group.throughput(Throughput::Elements(ENTRIES));
    group.bench_function("forward", |b| b.iter(|| scan_forward(&table)));
    group.bench_function("backward", |b| b.iter(|| scan_backward(&table)));
    group.bench_function("forward-and-verify", |b| {
        b.iter_batched(
            || open(&path, Comparator::Bytewise),
            |table| scan_forward(&table),
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

/// How fast are tables written?
fn write(c: &mut Criterion) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("1.sst");
    let mut group = c.benchmark_group("sstable/build");
    group.throughput(Throughput::Elements(ENTRIES));
    for (name, compression) in [("plain", Compression::None), ("lz4", Compression::Lz4)] {
        let options = TableOptions {
            compression,
            ..TableOptions::new(Comparator::Bytewise)
        };
        group.bench_function(name, |b| b.iter(|| build(&path, ENTRIES, options.clone())));
    }
    group.finish();
}

pub(crate) fn all(c: &mut Criterion) {
    block_seek(c);
    bloom_probe(c);
    get(c);
    scan(c);
    write(c);
}

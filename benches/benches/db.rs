//! What does the whole engine take for a read, a scan and a write that survives a power cut?
//!
//! ```text
//! cargo bench -p benches -- db/             all
//! cargo bench -p benches -- db/get          one question
//! ```
//!
//! Keys have 16 bytes, values 100; 100,000 rows, read from the page cache. Other engines on the same work are in
//! `benches/peers`.

use std::hint::black_box;
use std::time::{Duration, Instant};

use benches::{open, shuffled, user_key};
use criterion::{BenchmarkId, Criterion, Throughput};
use engine::{Background, Cursor, Db, Family, FamilyOptions, Options, WriteBatch, WriteOptions};

const ROWS: usize = 100_000;
const SYNCED_WRITES: usize = 8;
const VALUE: [u8; 100] = [b'v'; 100];

/// Even rows, in random order.
fn fill(db: &Db) {
    for number in shuffled(ROWS, 1) {
        db.put(user_key(2 * number), VALUE).unwrap();
    }
}

/// What does a lookup cost where the newest data is, where the rest is, and for keys that are nowhere?
fn get(c: &mut Criterion) {
    let present: Vec<_> = shuffled(ROWS, 2)
        .into_iter()
        .map(|number| user_key(2 * number))
        .collect();
    let missing: Vec<_> = shuffled(ROWS, 3)
        .into_iter()
        .map(|number| user_key(2 * number + 1))
        .collect();
    let mut group = c.benchmark_group("db/get");
    let unfiltered = FamilyOptions {
        filter_bits_per_key: 0,
        ..FamilyOptions::default()
    };
    for (name, family, compacted) in [
        ("memtable", FamilyOptions::default(), false),
        ("table", FamilyOptions::default(), true),
        ("table-no-filter", unfiltered, true),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let db = open(dir.path(), Background::Manual, family);
        fill(&db);
        if compacted {
            db.compact().unwrap();
        }
        for (kind, keys) in [("present", &present), ("missing", &missing)] {
            let mut next = keys.iter().cycle();
            group.bench_function(format!("{name}/{kind}"), |b| {
                b.iter(|| db.get(black_box(next.next().unwrap())).unwrap().is_some());
            });
        }
    }
    group.finish();
}

/// What does a key of a table cost when many are asked for together?
fn get_many(c: &mut Criterion) {
    let dir = tempfile::tempdir().unwrap();
    let db = open(dir.path(), Background::Manual, FamilyOptions::default());
    fill(&db);
    db.compact().unwrap();
    let family = db.default_family();
    let keys: Vec<_> = shuffled(ROWS, 6)
        .into_iter()
        .map(|number| user_key(2 * number))
        .collect();
    let mut group = c.benchmark_group("db/get-many");
    for size in [1, 10, 100] {
        let mut next = keys.chunks_exact(size).cycle();
        group.throughput(Throughput::Elements(size as u64));
        group.bench_function(BenchmarkId::from_parameter(size), |b| {
            b.iter(|| {
                family
                    .get_many(black_box(next.next().unwrap()))
                    .unwrap()
                    .len()
            });
        });
    }
    group.finish();
}

fn walk(mut cursor: Cursor, backward: bool) -> usize {
    let mut bytes = 0;
    if backward {
        cursor.seek_to_last().unwrap();
    } else {
        cursor.seek_to_first().unwrap();
    }
    while cursor.valid() {
        bytes += cursor.key().len() + cursor.value().len();
        if backward {
            cursor.prev().unwrap();
        } else {
            cursor.next().unwrap();
        }
    }
    bytes
}

/// How many rows a second does a cursor pass, what does an iterator that copies them add, and what does a seek cost?
fn scan(c: &mut Criterion) {
    let dir = tempfile::tempdir().unwrap();
    let db = open(dir.path(), Background::Manual, FamilyOptions::default());
    fill(&db);
    db.compact().unwrap();
    let family = db.default_family();
    let mut group = c.benchmark_group("db/scan");
    group.throughput(Throughput::Elements(ROWS as u64));
    group.bench_function("cursor-forward", |b| {
        b.iter(|| walk(family.cursor().unwrap(), false));
    });
    group.bench_function("cursor-backward", |b| {
        b.iter(|| walk(family.cursor().unwrap(), true));
    });
    group.bench_function("iterator", |b| {
        b.iter(|| family.iter().map(|row| row.unwrap().1.len()).sum::<usize>());
    });
    group.finish();

    let keys: Vec<_> = shuffled(ROWS, 4)
        .into_iter()
        .map(|number| user_key(2 * number))
        .collect();
    let mut group = c.benchmark_group("db/seek");
    let mut cursor = family.cursor().unwrap();
    for (name, steps, backward) in [
        ("alone", 0, false),
        ("10-forward", 10, false),
        ("10-backward", 10, true),
    ] {
        let mut next = keys.iter().cycle();
        group.bench_function(name, |b| {
            b.iter(|| {
                cursor.seek(black_box(next.next().unwrap())).unwrap();
                for _ in 0..steps {
                    if !cursor.valid() {
                        break;
                    }
                    if backward {
                        cursor.prev().unwrap();
                    } else {
                        cursor.next().unwrap();
                    }
                }
                cursor.valid()
            });
        });
    }
    group.finish();
}

/// What does a write cost alone, and how much of that does a batch share?
fn write(c: &mut Criterion) {
    let mut group = c.benchmark_group("db/write");
    let keys: Vec<_> = shuffled(1_000, 5).into_iter().map(user_key).collect();
    group.throughput(Throughput::Elements(keys.len() as u64));
    for size in [1, 10, 100] {
        let dir = tempfile::tempdir().unwrap();
        let db = open(dir.path(), Background::Threads, FamilyOptions::default());
        let family = db.default_family();
        group.bench_function(BenchmarkId::new("batches-of", size), |b| {
            b.iter(|| {
                for keys in keys.chunks(size) {
                    let mut batch = WriteBatch::new();
                    for key in keys {
                        batch.put(&family, key, VALUE);
                    }
                    db.write(batch, WriteOptions::default()).unwrap();
                }
            });
        });
    }
    group.finish();
}

/// So many threads write with `sync`, each a number of rows; the time until all are done.
fn synced_writes(db: &Db, threads: usize) -> Duration {
    let family = db.default_family();
    let began = Instant::now();
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let family = &family;
            scope.spawn(move || {
                for at in 0..SYNCED_WRITES {
                    let mut batch = WriteBatch::new();
                    batch.put(
                        family,
                        user_key((thread * SYNCED_WRITES + at) as u64),
                        VALUE,
                    );
                    db.write(batch, WriteOptions { sync: true }).unwrap();
                }
            });
        }
    });
    began.elapsed()
}

/// Does one sync serve all who wait? Then the writes per second grow with the threads.
fn group_commit(c: &mut Criterion) {
    // Below target/, because /tmp may be memory, where a sync costs nothing.
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let db = open(dir.path(), Background::Threads, FamilyOptions::default());
    let mut group = c.benchmark_group("db/group-commit");
    for threads in [1, 2, 8] {
        group.throughput(Throughput::Elements((threads * SYNCED_WRITES) as u64));
        group.bench_function(BenchmarkId::new("threads", threads), |b| {
            b.iter_custom(|rounds| (0..rounds).map(|_| synced_writes(&db, threads)).sum());
        });
    }
    group.finish();
}

/// Looks at the first row, which must be this one, and deletes it.
fn take_first(family: &Family, row: u64) {
    let mut cursor = family.cursor().unwrap();
    cursor.seek_to_first().unwrap();
    assert_eq!(cursor.key(), user_key(row));
    family.delete(user_key(row)).unwrap();
}

/// Writes a row at the end of a queue, looks at the first row and deletes it, so many times.
fn queue_turns(read_compaction: bool, turns: usize) -> Duration {
    let dir = tempfile::tempdir().unwrap();
    let options = Options {
        read_compaction,
        ..Options::default()
    };
    let db = Db::open(dir.path(), options).unwrap();
    let family = db.default_family();
    let began = Instant::now();
    for turn in 0..turns as u64 {
        family.put(user_key(turn), VALUE).unwrap();
        take_first(&family, turn);
    }
    began.elapsed()
}

/// Does a queue become slower with each row that was taken? The first row lies behind all of them until they are merged
/// for its readers.
fn queue(c: &mut Criterion) {
    by_turns(c, "db/queue", [1_000, 4_000, 16_000], queue_turns);
}

/// Looks at the first row of a store whose rows lie in a deeper level, and deletes it, so many times.
fn drain_turns(read_compaction: bool, turns: usize) -> Duration {
    let dir = tempfile::tempdir().unwrap();
    let options = Options {
        read_compaction,
        ..Options::default()
    };
    // Levels and tables are small, as beside more rows than a benchmark can fill them with each time.
    let family = FamilyOptions {
        level_base_bytes: 1 << 20,
        target_file_bytes: 1 << 20,
        ..FamilyOptions::default()
    };
    let db = Db::open(dir.path(), options.family("default", family)).unwrap();
    let family = db.default_family();
    // Two tables that lie across each other: one alone would only be moved, as large as it is.
    for parity in 0..2 {
        let rows = (parity..ROWS as u64).step_by(2);
        rows.for_each(|row| family.put(user_key(row), VALUE).unwrap());
        db.flush().unwrap();
    }
    db.compact().unwrap();
    let began = Instant::now();
    for turn in 0..turns as u64 {
        take_first(&family, turn);
    }
    began.elapsed()
}

/// Does a store become slower with each row that is taken from its beginning? The next one lies behind the tombstones of all
/// of them, and behind the rows below that those hide.
fn drain(c: &mut Criterion) {
    by_turns(c, "db/drain", [1_000, 4_000, 8_000], drain_turns);
}

/// Turns a second, with and without compactions for readers.
fn by_turns(
    c: &mut Criterion,
    name: &str,
    all_turns: [usize; 3],
    take: fn(bool, usize) -> Duration,
) {
    let mut group = c.benchmark_group(name);
    group.sample_size(10);
    for (name, read_compaction) in [("merged", true), ("not-merged", false)] {
        for turns in all_turns {
            group.throughput(Throughput::Elements(turns as u64));
            group.bench_function(BenchmarkId::new(name, turns), |b| {
                b.iter_custom(|rounds| (0..rounds).map(|_| take(read_compaction, turns)).sum());
            });
        }
    }
    group.finish();
}

pub(crate) fn all(c: &mut Criterion) {
    get(c);
    get_many(c);
    scan(c);
    write(c);
    group_commit(c);
    queue(c);
    drain(c);
}

//! What does a record in the log cost, and how much of that does a group share?
//!
//! ```text
//! cargo bench -p benches -- log/
//! ```
//!
//! Records have 116 bytes: a key of 16 and a value of 100; large ones 1,016. Figures are for 1,000 records (16 with syncs).

use std::hint::black_box;
use std::path::Path;

use criterion::{BatchSize, Criterion, Throughput};
use engine::log::{LogReader, LogWriter, RecoveryMode};
use engine::vfs::{StdVfs, Vfs};

const RECORDS: usize = 1000;
const SYNCED: usize = 16;

/// How much space the engine takes ahead of its log at a time.
const RESERVED_BYTES: u64 = 256 << 10;

fn create(path: &Path) -> LogWriter {
    LogWriter::new(StdVfs.create(path).unwrap(), 1)
}

fn create_reserving(path: &Path) -> LogWriter {
    create(path).reserving(RESERVED_BYTES)
}

/// How a log is made.
type Create = fn(&Path) -> LogWriter;

const WAYS: [(&str, Create); 2] = [("plain", create), ("reserved", create_reserving)];

/// One system call a record, one a group, or a copy into space that was taken before?
fn append(c: &mut Criterion) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("1.log");
    let mut group = c.benchmark_group("log/append");
    group.throughput(Throughput::Elements(RECORDS as u64));
    // A hundred of the large ones are a group that gets blocks without zeros.
    let sizes = [
        (1, 116, ""),
        (10, 116, ""),
        (100, 116, ""),
        (100, 1016, "-large"),
    ];
    for ((size, bytes, of), (way, create)) in sizes
        .into_iter()
        .flat_map(|size| WAYS.map(|way| (size, way)))
    {
        let record = vec![b'r'; bytes];
        group.bench_function(format!("{way}/groups-of-{size}{of}"), |b| {
            b.iter_batched(
                || create(&path),
                |mut log| {
                    for _ in 0..RECORDS / size {
                        log.add_group((0..size).map(|_| black_box(&record[..])))
                            .unwrap();
                    }
                    log.len()
                },
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

/// What does durability cost, and what does a group commit save?
fn sync(c: &mut Criterion) {
    // Below target/, because /tmp may be memory, where a sync costs nothing.
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = dir.path().join("1.log");
    let record = [b'r'; 116];
    let mut group = c.benchmark_group("log/sync");
    group.throughput(Throughput::Elements(SYNCED as u64));
    for (size, (way, create)) in [1, 8]
        .into_iter()
        .flat_map(|size| WAYS.map(|way| (size, way)))
    {
        group.bench_function(format!("{way}/groups-of-{size}"), |b| {
            b.iter_batched(
                || create(&path),
                |mut log| {
                    for _ in 0..SYNCED / size {
                        log.add_group((0..size).map(|_| black_box(&record[..])))
                            .unwrap();
                        log.sync().unwrap();
                    }
                    log.len()
                },
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

/// How long does recovery read?
fn read(c: &mut Criterion) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("1.log");
    let record = [b'r'; 116];
    let mut log = create(&path);
    log.add_group((0..RECORDS).map(|_| &record[..])).unwrap();
    let bytes = StdVfs.read(&path).unwrap();
    let mut group = c.benchmark_group("log/read");
    group.throughput(Throughput::Elements(RECORDS as u64));
    group.bench_function("records", |b| {
        b.iter(|| {
            let mut reader = LogReader::new(black_box(&bytes), &path, 1, RecoveryMode::PointInTime);
            let mut read = 0;
            while let Some(record) = reader.next_record().unwrap() {
                read += record.len();
            }
            read
        });
    });
    group.finish();
}

pub(crate) fn all(c: &mut Criterion) {
    append(c);
    sync(c);
    read(c);
}

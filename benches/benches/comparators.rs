//! What does an order in code cost against an order in the bytes, on the real engine?
//!
//! ```text
//! cargo bench -p benches -- comparators/            all
//! cargo run --release -p benches --example comparator_race    the same, lane by lane in turn, as chapter 7 shows it
//! ```
//!
//! The lanes are those of `benches::orders`: the same rows by a comparator, padded, and in big-endian bytes.

use std::hint::black_box;

use benches::orders::LANES;
use criterion::{BatchSize, Criterion, Throughput};
use tempfile::tempdir;

const ROWS: usize = 20_000;

fn put(c: &mut Criterion) {
    let mut group = c.benchmark_group("comparators/put");
    group.throughput(Throughput::Elements(ROWS as u64));
    for lane in &LANES {
        let keys = lane.keys(ROWS);
        group.bench_function(lane.name, |bencher| {
            bencher.iter_batched_ref(
                || {
                    let dir = tempdir().unwrap();
                    (lane.open(dir.path()), dir)
                },
                |(db, _)| {
                    for key in &keys {
                        db.put(key, b"value").unwrap();
                    }
                },
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

fn get(c: &mut Criterion) {
    let mut group = c.benchmark_group("comparators/get");
    for lane in &LANES {
        let keys = lane.keys(ROWS);
        let dir = tempdir().unwrap();
        let db = lane.open(dir.path());
        for key in &keys {
            db.put(key, b"value").unwrap();
        }
        db.compact().unwrap();
        let mut next = keys.iter().cycle();
        group.bench_function(lane.name, |bencher| {
            bencher.iter(|| db.get(black_box(next.next().unwrap())).unwrap().is_some());
        });
    }
    group.finish();
}

pub(crate) fn all(c: &mut Criterion) {
    put(c);
    get(c);
}

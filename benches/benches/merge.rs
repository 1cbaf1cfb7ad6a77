//! What does a scan pay for each further source that it merges?
//!
//! ```text
//! cargo bench -p benches -- merge/
//! ```
//!
//! 32,768 entries in all, spread over 1 to 16 memtables. *Interleaved*: neighbours lie in different sources, so the heap
//! turns at every step. *Apart*: each source holds a stretch of its own, as levels of old data do, and the top stays.

use benches::user_key;
use criterion::{BenchmarkId, Criterion, Throughput};
use engine::comparator::Comparator;
use engine::cursor::InternalCursor;
use engine::internal_key::{ParsedKey, ValueKind};
use engine::iter::{MergeCursor, Source};
use engine::memtable::{Memtable, MemtableWriter};

const ENTRIES: u64 = 32_768;

/// Memtables that hold the entries, each in the one that `place` says.
fn spread(sources: u64, place: impl Fn(u64) -> u64) -> Vec<Memtable> {
    let mut writers: Vec<_> = (0..sources)
        .map(|_| MemtableWriter::new(Comparator::Bytewise, 1 << 20))
        .collect();
    for number in 0..ENTRIES {
        let key = ParsedKey {
            user_key: &user_key(number),
            sequence: number + 1,
            kind: ValueKind::Put,
        };
        writers[place(number) as usize].insert(key, &[b'v'; 100]);
    }
    writers.iter().map(MemtableWriter::reader).collect()
}

fn merge(c: &mut Criterion) {
    let mut group = c.benchmark_group("merge");
    group.throughput(Throughput::Elements(ENTRIES));
    for sources in [1, 2, 4, 8, 16] {
        let interleaved = spread(sources, |number| number % sources);
        let apart = spread(sources, |number| number * sources / ENTRIES);
        for (name, memtables) in [("interleaved", interleaved), ("apart", apart)] {
            group.bench_function(BenchmarkId::new(name, sources), |b| {
                b.iter(|| {
                    let cursors = memtables
                        .iter()
                        .map(|memtable| Source::Memtable(memtable.cursor()));
                    let mut merge = MergeCursor::new(Comparator::Bytewise, cursors.collect());
                    let mut bytes = 0;
                    merge.seek_to_first().unwrap();
                    while merge.valid() {
                        bytes += merge.key().len() + merge.value().len();
                        merge.next().unwrap();
                    }
                    bytes
                });
            });
        }
    }
    group.finish();
}

pub(crate) fn all(c: &mut Criterion) {
    merge(c);
}

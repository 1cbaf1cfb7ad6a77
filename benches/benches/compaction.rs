//! How many entries a second does a compaction rewrite, and what do a filter and compression add?
//!
//! ```text
//! cargo bench -p benches -- compaction/
//! ```
//!
//! 40,000 entries of 116 bytes in 4 tables of level 0, which overlap, become one sorted level: 17,500 of them are older
//! versions and go. Reading, merging, writing and syncing are all in the figure. The values compress well, so LZ4 has little
//! to write and sync.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use benches::{arbitrary, open, user_key};
use criterion::{Criterion, Throughput};
use engine::{Background, CompactionFilter, Compression, Decision, FamilyOptions, Strategy};

const TABLES: u64 = 4;
const ENTRIES_PER_TABLE: u64 = 10_000;
const OVERWRITES: usize = 20_000;
const OVERWRITTEN_KEYS: u64 = 10_000;

/// Looks at each row and keeps it: what asking costs.
struct KeepAll;

impl CompactionFilter for KeepAll {
    fn decide(&self, _key: &[u8], value: &[u8]) -> Decision {
        if value.is_empty() {
            Decision::Remove
        } else {
            Decision::Keep
        }
    }
}

/// A database with overlapping tables in level 0; the time that one compaction of all takes.
fn compact_once(dir: &Path, family: &FamilyOptions) -> Duration {
    let dir = tempfile::tempdir_in(dir).unwrap();
    let db = open(dir.path(), Background::Manual, family.clone());
    let mut value = [b'v'; 100];
    for table in 0..TABLES {
        // Half of each table's keys are in every table.
        for (at, bits) in (0..).zip(arbitrary(ENTRIES_PER_TABLE as usize, table)) {
            value[..8].copy_from_slice(&bits.to_le_bytes());
            let number = if at % 2 == 0 { at } else { at * TABLES + table };
            db.put(user_key(number), value).unwrap();
        }
        db.flush().unwrap();
    }
    let began = Instant::now();
    db.compact().unwrap();
    began.elapsed()
}

fn compaction(c: &mut Criterion) {
    let dir = tempfile::tempdir().unwrap();
    let mut group = c.benchmark_group("compaction");
    group.throughput(Throughput::Elements(TABLES * ENTRIES_PER_TABLE));
    let default = FamilyOptions::default;
    for (name, family) in [
        ("plain", default()),
        (
            "filter",
            FamilyOptions {
                compaction_filter: Some(Arc::new(KeepAll)),
                ..default()
            },
        ),
        (
            "lz4",
            FamilyOptions {
                compression: Compression::Lz4,
                ..default()
            },
        ),
    ] {
        group.bench_function(name, |b| {
            b.iter_custom(|rounds| (0..rounds).map(|_| compact_once(dir.path(), &family)).sum());
        });
    }
    group.finish();
}

/// Random overwrites into a tree of small tables, with every flush and compaction that they call for.
fn overwrite(dir: &Path, strategy: Strategy) -> Duration {
    let dir = tempfile::tempdir_in(dir).unwrap();
    let family = FamilyOptions {
        strategy,
        write_buffer_bytes: 64 << 10,
        target_file_bytes: 64 << 10,
        level_base_bytes: 256 << 10,
        ..FamilyOptions::default()
    };
    let db = open(dir.path(), Background::Manual, family);
    let began = Instant::now();
    for (at, bits) in arbitrary(OVERWRITES, 9).into_iter().enumerate() {
        db.put(user_key(bits % OVERWRITTEN_KEYS), [bits as u8; 100])
            .unwrap();
        while at % 500 == 499 && db.step().unwrap() {}
    }
    began.elapsed()
}

/// Which strategy takes a stream of overwrites faster? Tiered rewrites each row less often. What it costs, more runs for
/// a read and more space, `docs/compaction.md` says.
fn strategies(c: &mut Criterion) {
    let dir = tempfile::tempdir().unwrap();
    let mut group = c.benchmark_group("compaction/overwrite");
    group.throughput(Throughput::Elements(OVERWRITES as u64));
    for (name, strategy) in [("leveled", Strategy::Leveled), ("tiered", Strategy::Tiered)] {
        group.bench_function(name, |b| {
            b.iter_custom(|rounds| (0..rounds).map(|_| overwrite(dir.path(), strategy)).sum());
        });
    }
    group.finish();
}

pub(crate) fn all(c: &mut Criterion) {
    compaction(c);
    strategies(c);
}

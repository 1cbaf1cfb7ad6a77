//! Blocks that took work to read are cached and found again. Mapped blocks that need no work never
//! enter the cache. Reads are counted.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::sstable::ReadCounts;
use engine::vfs::{FaultVfs, MemoryVfs, Vfs};
use engine::{Background, Compression, Db, FamilyOptions, Options, TableReads};

const ROWS: usize = 2000;

fn open(
    vfs: &(impl Vfs + Clone + 'static),
    reads: TableReads,
    compression: Compression,
    cache: usize,
) -> Db {
    let family = FamilyOptions {
        compression,
        ..FamilyOptions::default()
    };
    let options = Options {
        vfs: Arc::new(vfs.clone()),
        background: Background::Manual,
        table_reads: reads,
        block_cache_bytes: cache,
        ..Options::default()
    };
    Db::open("db", options.family("default", family)).unwrap()
}

fn key(number: usize) -> String {
    format!("user:{number:06}")
}

fn fill(db: &Db) {
    for number in 0..ROWS {
        db.put(key(number), format!("value {number} ").repeat(5))
            .unwrap();
    }
    db.flush().unwrap();
}

fn read_all(db: &Db) {
    for number in 0..ROWS {
        let value = db.get(key(number)).unwrap().unwrap();
        assert_eq!(value, format!("value {number} ").repeat(5));
    }
}

fn counts(db: &Db) -> ReadCounts {
    db.statistics().reads
}

fn tables(vfs: &MemoryVfs) -> Vec<PathBuf> {
    let names = vfs.list(Path::new("db")).unwrap();
    let names = names.iter().filter_map(|name| name.to_str());
    names
        .filter(|name| name.ends_with(".sst"))
        .map(|name| Path::new("db").join(name))
        .collect()
}

#[test]
fn what_took_work_is_done_once() {
    for (reads, compression) in [
        (TableReads::Mapped, Compression::Lz4),
        (TableReads::Pread, Compression::None),
        (TableReads::Pread, Compression::Lz4),
    ] {
        let vfs = MemoryVfs::new();
        let db = open(&vfs, reads, compression, 8 << 20);
        fill(&db);
        read_all(&db);
        let first = counts(&db);
        assert!(
            first.cache_misses > 10,
            "{reads:?} {compression:?}: {first:?}"
        );
        assert!(first.cache_bytes > 10_000, "{first:?}");
        read_all(&db);
        let second = counts(&db);
        assert_eq!(
            second.cache_misses, first.cache_misses,
            "{reads:?} {compression:?}"
        );
        assert_eq!(second.cache_hits - first.cache_hits, ROWS as u64);
    }
}

#[test]
fn a_mapped_block_that_is_not_compressed_never_enters() {
    let db = open(
        &MemoryVfs::new(),
        TableReads::Mapped,
        Compression::None,
        8 << 20,
    );
    fill(&db);
    read_all(&db);
    let counts = counts(&db);
    assert_eq!(
        (counts.cache_hits, counts.cache_misses, counts.cache_bytes),
        (0, 0, 0)
    );
}

#[test]
fn a_cached_block_is_not_read_again_and_without_a_cache_it_is() {
    for (cache, reads_again) in [(8 << 20, 0), (0, ROWS as u64)] {
        let vfs = FaultVfs::new(Arc::new(MemoryVfs::new()));
        let db = open(&vfs, TableReads::Pread, Compression::None, cache);
        fill(&db);
        read_all(&db);
        let before = vfs.operations();
        read_all(&db);
        let reads = vfs.operations() - before;
        assert_eq!(reads, reads_again, "{cache} bytes of cache");
    }
}

#[test]
fn blocks_of_removed_tables_leave() {
    let vfs = MemoryVfs::new();
    let db = open(&vfs, TableReads::Pread, Compression::Lz4, 8 << 20);
    fill(&db);
    read_all(&db);
    let held = db.get(key(7)).unwrap().unwrap();
    assert!(counts(&db).cache_bytes > 0);
    let before = tables(&vfs);
    for number in 0..ROWS {
        db.delete(key(number)).unwrap();
    }
    db.compact().unwrap();
    assert!(tables(&vfs).iter().all(|table| !before.contains(table)));
    assert_eq!(counts(&db).cache_bytes, 0);
    assert_eq!(held, "value 7 ".repeat(5), "a value that is held stays");
}

#[test]
fn filters_count_what_they_saved() {
    let db = open(&MemoryVfs::new(), TableReads::Mapped, Compression::None, 0);
    fill(&db);
    read_all(&db);
    let there = counts(&db);
    assert_eq!((there.filter_useful, there.filter_false_positives), (0, 0));
    for number in 0..ROWS {
        assert!(db.get(key(number) + "x").unwrap().is_none());
    }
    let missing = counts(&db);
    // The last key is greater than the table's last key, so no filter is consulted.
    assert_eq!(
        missing.filter_useful + missing.filter_false_positives,
        ROWS as u64 - 1
    );
    assert!(missing.filter_useful > ROWS as u64 * 9 / 10, "{missing:?}");
    let shown = db.statistics().to_string();
    let line = format!(
        "filters {} useful, {} false positives",
        missing.filter_useful, missing.filter_false_positives
    );
    assert!(shown.contains(&line), "{shown}");
}

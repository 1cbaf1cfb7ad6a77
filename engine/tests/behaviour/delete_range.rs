//! Deleting a range is one write: all its keys are gone, and no others.
//!
//! A small database is driven through every place where a range tombstone can be (memtable, log, level 0,
//! deeper levels, several tables of one level). In each, it is read by gets and by cursors both ways.

use std::path::Path;
use std::sync::Arc;

use engine::internal_key::{self, ValueKind};
use engine::range_tombstone::Fragment;
use engine::sstable::{Table, TableBuilder, TableOptions};
use engine::vfs::{MemoryVfs, Vfs};
use engine::{
    Background, Comparator, Db, Error, Family, FamilyOptions, Options, Snapshot, TableReads,
    WriteBatch, WriteOptions,
};

use crate::support::{OptionSet, scan, tiny};

fn open(vfs: &MemoryVfs, family: FamilyOptions) -> Db {
    let set = OptionSet {
        name: "delete_range",
        family,
        reads: TableReads::Mapped,
        background: Background::Manual,
    };
    Db::open("db", set.options(vfs)).unwrap()
}

fn key(number: u32) -> String {
    format!("key:{number:05}")
}

fn fill(family: &Family, numbers: std::ops::Range<u32>) {
    for number in numbers {
        family.put(key(number), format!("value {number}")).unwrap();
    }
}

/// Reads the rows in every way, and compares them with the expected numbers out of the first `all`.
fn assert_rows(db: &Db, snapshot: Option<&Snapshot>, all: u32, expected: &[u32]) {
    let family = db.default_family();
    let name = |number: &u32| key(*number).into_bytes();
    let mut wanted: Vec<_> = expected.iter().map(name).collect();
    wanted.sort_by(|a, b| family.comparator().compare(a, b));
    let rows = || match snapshot {
        Some(snapshot) => snapshot.iter(&family),
        None => family.iter(),
    };
    let forward: Vec<_> = rows().map(|row| row.unwrap().0).collect();
    assert_eq!(forward, wanted, "forward");
    let mut backward: Vec<_> = rows().rev().map(|row| row.unwrap().0).collect();
    backward.reverse();
    assert_eq!(backward, wanted, "backward");
    for number in 0..all {
        let found = match snapshot {
            Some(snapshot) => snapshot.get(&family, key(number)),
            None => family.get(key(number)),
        };
        let is_there = found.unwrap().is_some();
        assert_eq!(is_there, expected.contains(&number), "get {number}");
    }
}

fn all_but(all: u32, gone: std::ops::Range<u32>) -> Vec<u32> {
    (0..all).filter(|number| !gone.contains(number)).collect()
}

#[test]
fn a_range_is_half_open_and_gone_wherever_it_is_kept() {
    let vfs = MemoryVfs::new();
    let mut db = open(&vfs, tiny());
    fill(&db.default_family(), 0..100);
    db.flush().unwrap();
    db.delete_range(key(20)..key(60)).unwrap();
    let expected = all_but(100, 20..60);
    assert_rows(&db, None, 100, &expected);
    // From the log.
    drop(db);
    db = open(&vfs, tiny());
    assert_rows(&db, None, 100, &expected);
    // In level 0, above older tables of level 0 with the rows.
    db.flush().unwrap();
    assert_rows(&db, None, 100, &expected);
    drop(db);
    db = open(&vfs, tiny());
    assert_rows(&db, None, 100, &expected);
    db.compact().unwrap();
    assert_rows(&db, None, 100, &expected);
    // A row written again is there again.
    fill(&db.default_family(), 30..31);
    let mut expected = expected;
    expected.push(30);
    assert_rows(&db, None, 100, &expected);
    db.compact().unwrap();
    assert_rows(&db, None, 100, &expected);
}

#[test]
fn within_a_batch_the_order_of_the_records_counts() {
    let vfs = MemoryVfs::new();
    let db = open(&vfs, tiny());
    let family = db.default_family();
    let mut batch = WriteBatch::new();
    batch.put(&family, key(1), "before");
    batch.put(&family, key(2), "before");
    batch.delete_range(&family, key(0), key(9));
    batch.put(&family, key(2), "after");
    batch.delete_range(&family, key(4), key(6));
    assert_eq!(batch.len(), 5);
    db.write(batch, WriteOptions { sync: true }).unwrap();
    for _ in 0..2 {
        assert_rows(&db, None, 10, &[2]);
        db.flush().unwrap();
    }
}

#[test]
fn an_empty_range_does_nothing_and_an_inverted_one_refuses_the_batch() {
    let vfs = MemoryVfs::new();
    let reverse = FamilyOptions {
        comparator: Comparator::reverse_bytewise(),
        ..tiny()
    };
    for (options, low, high) in [(tiny(), 2, 5), (reverse, 5, 2)] {
        let db = Db::open(format!("db {low}"), {
            let set = OptionSet {
                name: "empty and inverted",
                family: options,
                reads: TableReads::Pread,
                background: Background::Manual,
            };
            set.options(&vfs)
        })
        .unwrap();
        let family = db.default_family();
        fill(&family, 0..8);
        family.delete_range(key(low)..key(low)).unwrap();
        let mut batch = WriteBatch::new();
        batch.put(&family, key(9), "");
        batch.delete_range(&family, key(high), key(low));
        let error = db.write(batch, WriteOptions::default()).unwrap_err();
        let message = error.to_string();
        assert!(matches!(error, Error::InvalidArgument { .. }), "{message}");
        assert!(
            message.contains("ends before it begins") && message.contains(&key(high)),
            "{message}"
        );
        assert_rows(&db, None, 10, &all_but(8, 0..0));
        family.delete_range(key(low)..key(high)).unwrap();
        let gone = if low < high { 2..5 } else { 3..6 };
        assert_rows(&db, None, 10, &all_but(8, gone.clone()));
        db.compact().unwrap();
        assert_rows(&db, None, 10, &all_but(8, gone));
    }
}

#[test]
fn a_snapshot_sees_what_was_there_through_flush_and_compaction() {
    let vfs = MemoryVfs::new();
    let db = open(&vfs, tiny());
    fill(&db.default_family(), 0..200);
    let before = db.snapshot();
    db.delete_range(key(50)..key(150)).unwrap();
    let between = db.snapshot();
    fill(&db.default_family(), 100..110);
    db.delete_range(key(105)..key(170)).unwrap();
    let everything = all_but(200, 0..0);
    let after_first = all_but(200, 50..150);
    let mut now = all_but(200, 50..170);
    now.extend(100..105);
    for round in 0..3 {
        assert_rows(&db, Some(&before), 200, &everything);
        assert_rows(&db, Some(&between), 200, &after_first);
        assert_rows(&db, None, 200, &now);
        match round {
            0 => db.flush().unwrap(),
            _ => db.compact().unwrap(),
        }
    }
    // An old cursor continues too.
    let mut cursor = before.cursor(&db.default_family()).unwrap();
    cursor.seek(key(60)).unwrap();
    drop((before, between));
    db.compact().unwrap();
    assert_eq!(cursor.key(), key(60).as_bytes());
    cursor.prev().unwrap();
    assert_eq!(cursor.key(), key(59).as_bytes());
    assert_rows(&db, None, 200, &now);
}

#[test]
fn a_family_of_another_order_deletes_what_lies_between_in_its_order() {
    let vfs = MemoryVfs::new();
    let options = Options {
        vfs: Arc::new(vfs),
        background: Background::Manual,
        ..Options::default()
    };
    let reverse = FamilyOptions {
        comparator: Comparator::reverse_bytewise(),
        ..tiny()
    };
    let db = Db::open(
        "db",
        options.family("default", tiny()).family("down", reverse),
    )
    .unwrap();
    let (up, down) = (db.default_family(), db.family("down").unwrap());
    fill(&up, 0..10);
    fill(&down, 0..10);
    let mut batch = WriteBatch::new();
    batch.delete_range(&up, key(2), key(5));
    batch.delete_range(&down, key(5), key(2));
    db.write(batch, WriteOptions::default()).unwrap();
    for _ in 0..3 {
        let left = |family: &Family| -> Vec<_> {
            (0..10u32)
                .filter(|number| family.get(key(*number)).unwrap().is_some())
                .collect()
        };
        assert_eq!(left(&up), [0, 1, 5, 6, 7, 8, 9]);
        assert_eq!(left(&down), [0, 1, 2, 6, 7, 8, 9]);
        assert_eq!(scan(&db, "default").len(), 7);
        assert_eq!(scan(&db, "down").len(), 7);
        db.compact().unwrap();
    }
}

/// The tables of a directory, opened.
fn tables(vfs: &MemoryVfs) -> Vec<Arc<Table>> {
    let names = vfs.list(Path::new("db")).unwrap();
    let mut paths: Vec<_> = names
        .into_iter()
        .map(|name| Path::new("db").join(name))
        .filter(|path| path.extension().is_some_and(|end| end == "sst"))
        .collect();
    paths.sort();
    let open = |path: &std::path::PathBuf| {
        let file = vfs.open_mapped(path).unwrap();
        Arc::new(Table::open(file, Comparator::Bytewise).unwrap())
    };
    paths.iter().map(open).collect()
}

fn range_tombstones(vfs: &MemoryVfs) -> u64 {
    tables(vfs)
        .iter()
        .map(|table| table.properties().range_deletes)
        .sum()
}

#[test]
fn a_full_compaction_leaves_no_range_tombstone_and_gives_the_space_back() {
    let vfs = MemoryVfs::new();
    let db = open(&vfs, tiny());
    fill(&db.default_family(), 0..2000);
    db.compact().unwrap();
    let bytes = |vfs: &MemoryVfs| -> u64 { tables(vfs).iter().map(|of| of.file_bytes()).sum() };
    let before = bytes(&vfs);
    db.delete_range(key(100)..key(1900)).unwrap();
    db.flush().unwrap();
    assert!(range_tombstones(&vfs) > 0, "the rows below are still there");
    let snapshot = db.snapshot();
    db.compact().unwrap();
    assert_eq!(range_tombstones(&vfs), 0);
    assert!(
        bytes(&vfs) * 5 < before,
        "{} of {before} bytes are left",
        bytes(&vfs)
    );
    assert_rows(&db, Some(&snapshot), 2000, &all_but(2000, 100..1900));
}

#[test]
fn a_range_of_nothing_leaves_no_trace() {
    let vfs = MemoryVfs::new();
    let db = open(&vfs, tiny());
    fill(&db.default_family(), 0..50);
    db.flush().unwrap();
    db.delete_range("m".."n").unwrap();
    fill(&db.default_family(), 50..51);
    db.flush().unwrap();
    assert_eq!(range_tombstones(&vfs), 0, "there is nothing to hide below");
    assert_rows(&db, None, 51, &all_but(51, 0..0));
}

#[test]
fn a_table_of_nothing_but_range_tombstones_is_read_and_compacted() {
    let vfs = MemoryVfs::new();
    let mut db = open(&vfs, tiny());
    fill(&db.default_family(), 0..400);
    db.compact().unwrap();
    // A snapshot keeps the rows, so the tombstones move down without them.
    let snapshot = db.snapshot();
    db.delete_range(key(100)..key(300)).unwrap();
    db.flush().unwrap();
    let only_ranges = |vfs: &MemoryVfs| {
        let empty = |table: &&Arc<Table>| {
            table.properties().entries == 0 && table.properties().range_deletes > 0
        };
        tables(vfs).iter().filter(empty).count()
    };
    assert_eq!(only_ranges(&vfs), 1);
    assert_rows(&db, None, 400, &all_but(400, 100..300));
    db.compact().unwrap();
    assert_rows(&db, None, 400, &all_but(400, 100..300));
    assert_rows(&db, Some(&snapshot), 400, &all_but(400, 0..0));
    assert!(
        tables(&vfs).len() > 3,
        "the range is cut at the ends of tables"
    );
    drop(snapshot);
    drop(db);
    db = open(&vfs, tiny());
    assert_rows(&db, None, 400, &all_but(400, 100..300));
    db.compact().unwrap();
    assert_eq!(range_tombstones(&vfs), 0);
    assert_rows(&db, None, 400, &all_but(400, 100..300));
}

#[test]
fn many_overlapping_ranges_in_one_batch_are_one_delete() {
    let vfs = MemoryVfs::new();
    let db = open(&vfs, tiny());
    let family = db.default_family();
    fill(&family, 0..500);
    let mut batch = WriteBatch::new();
    for at in 0..5000 {
        batch.delete_range(&family, key(at % 250), key(at % 250 + 100));
    }
    db.write(batch, WriteOptions::default()).unwrap();
    for _ in 0..3 {
        assert_rows(&db, None, 500, &(349..500).collect::<Vec<_>>());
        db.compact().unwrap();
    }
}

#[test]
fn range_deletes_fill_the_memtable_though_they_are_short_or_cover_nothing() {
    let logs = |vfs: &MemoryVfs| {
        let names = vfs.list(Path::new("db")).unwrap().into_iter();
        let name = |name: std::ffi::OsString| name.to_string_lossy().ends_with(".log");
        names.map(name).filter(|is_log| *is_log).count()
    };
    for (len, left) in [(1, 0..0), (0, 0..10)] {
        let vfs = MemoryVfs::new();
        let db = open(&vfs, FamilyOptions::default());
        fill(&db.default_family(), 0..10);
        db.flush().unwrap();
        for at in 0..1030 {
            db.delete_range(key(at)..key(at + len)).unwrap();
        }
        assert_eq!(logs(&vfs), 2, "another memtable took over");
        while db.step().unwrap() {}
        assert_eq!(logs(&vfs), 1, "and the first log is not needed any more");
        assert_rows(&db, None, 1100, &left.collect::<Vec<_>>());
    }
}

#[test]
fn verify_reads_the_ranges_too() {
    let vfs = MemoryVfs::new();
    let db = open(&vfs, tiny());
    fill(&db.default_family(), 0..400);
    db.compact().unwrap();
    let snapshot = db.snapshot();
    db.delete_range(key(100)..key(300)).unwrap();
    db.flush().unwrap();
    let check = |vfs: &MemoryVfs| {
        let options = Options {
            vfs: Arc::new(vfs.crash(1)),
            ..Options::default()
        };
        engine::verify("db", &options).unwrap()
    };
    assert_eq!(check(&vfs).findings, [], "a table of ranges alone");
    db.compact().unwrap();
    drop(snapshot);
    db.close().unwrap();
    assert!(range_tombstones(&vfs) > 1);
    assert_eq!(check(&vfs).findings, [], "tables that end in ranges");
    let table = tables(&vfs)
        .into_iter()
        .find(|table| table.properties().range_deletes > 0)
        .unwrap();
    let good = vfs.read(table.path()).unwrap();
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 0x20;
        vfs.damage(table.path(), bad).unwrap();
        assert!(!check(&vfs).is_clean(), "byte {at}");
    }
}

const TABLE: &str = "db/000009.sst";

/// A table of entries and ranges, and what it answers.
fn table_with_ranges() -> (MemoryVfs, Vec<u8>) {
    let vfs = MemoryVfs::new();
    vfs.create_dir_all(Path::new("db")).unwrap();
    let options = TableOptions {
        block_bytes: 100,
        ..TableOptions::new(Comparator::Bytewise)
    };
    let file = vfs.create(Path::new(TABLE)).unwrap();
    let mut builder = TableBuilder::new(file, options).unwrap();
    for number in 0..20 {
        let entry = internal_key::encode(key(number).as_bytes(), 10, ValueKind::Put);
        builder.add(&entry, b"value").unwrap();
    }
    let ranges: [(u32, u32, &[u64]); 3] = [(2, 5, &[12]), (5, 9, &[3, 12, 20]), (30, 40, &[11])];
    for (start, end, sequences) in ranges {
        let fragment = Fragment {
            sequences: sequences.into(),
            ..Fragment::tombstone(key(start).as_bytes(), key(end).as_bytes(), 0)
        };
        builder.add_range_tombstone(&fragment).unwrap();
    }
    let properties = builder.finish().unwrap().properties;
    assert_eq!((properties.entries, properties.range_deletes), (20, 5));
    assert_eq!(
        properties.largest,
        internal_key::range_end(key(40).as_bytes())
    );
    let bytes = vfs.read(Path::new(TABLE)).unwrap();
    (vfs, bytes)
}

fn answers(table: &Table) -> engine::Result<Vec<Option<(u64, ValueKind)>>> {
    let mut answers = Vec::new();
    for number in 0..45 {
        for reader in [2, 3, 10, 11, 12, 19, 20, 21] {
            let mut target = Vec::new();
            internal_key::append_seek(&mut target, key(number).as_bytes(), reader);
            let found = table.get(&target)?;
            answers.push(found.map(|found| (found.sequence, found.kind)));
        }
    }
    Ok(answers)
}

#[test]
fn a_table_answers_with_the_newest_of_entry_and_range() {
    let (vfs, _) = table_with_ranges();
    let file = vfs.open_mapped(Path::new(TABLE)).unwrap();
    let table = Table::open(file, Comparator::Bytewise).unwrap();
    let at = |number: u32, reader| {
        let mut target = Vec::new();
        internal_key::append_seek(&mut target, key(number).as_bytes(), reader);
        let found = table.get(&target).unwrap();
        found.map(|found| (found.sequence, found.kind))
    };
    assert_eq!(at(1, 20), Some((10, ValueKind::Put)));
    assert_eq!(at(2, 20), Some((12, ValueKind::RangeDelete)));
    assert_eq!(at(2, 11), Some((10, ValueKind::Put)));
    assert_eq!(at(5, 9), Some((3, ValueKind::RangeDelete)));
    assert_eq!(at(5, 2), None);
    assert_eq!(at(8, 19), Some((12, ValueKind::RangeDelete)));
    assert_eq!(at(9, 20), Some((10, ValueKind::Put)));
    assert_eq!(at(35, 20), Some((11, ValueKind::RangeDelete)));
    assert_eq!(at(40, 20), None);
}

#[test]
fn every_changed_byte_of_a_table_with_ranges_is_noticed() {
    let (vfs, good) = table_with_ranges();
    let ask = |vfs: &MemoryVfs, mapped: bool| {
        let path = Path::new(TABLE);
        let file = if mapped {
            vfs.open_mapped(path)
        } else {
            vfs.open_random(path)
        };
        Table::open(file?, Comparator::Bytewise).and_then(|table| answers(&table))
    };
    let right = ask(&vfs, true).unwrap();
    let mut unnoticed = 0;
    for at in 0..good.len() {
        for change in [0x01, 0x80, 0xff] {
            let mut bad = good.clone();
            bad[at] ^= change;
            vfs.damage(TABLE, bad).unwrap();
            for mapped in [true, false] {
                match ask(&vfs, mapped) {
                    Ok(given) => {
                        assert_eq!(given, right, "byte {at}");
                        unnoticed += 1;
                    }
                    Err(error) => assert!(matches!(error, Error::Corruption { .. }), "{error}"),
                }
            }
        }
    }
    // The padding zeros before the filter mean nothing.
    assert!(
        unnoticed < 2 * 3 * 64,
        "{unnoticed} changes made no difference"
    );
}

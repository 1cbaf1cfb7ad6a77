//! Claim: a lookup in a mapped table or a memtable allocates nothing, whether it finds the key or
//! not, and neither does one through the database. A scan allocates only while it starts.

use engine::comparator::Comparator;
use engine::cursor::InternalCursor;
use engine::internal_key::{self, ValueKind};
use engine::sstable::{Table, TableBuilder, TableOptions};
use engine::vfs::{StdVfs, Vfs};
use engine::{Background, Db, Options};
use std::sync::Arc;

use crate::support::counting::taken_by;

fn allocations(work: impl FnOnce()) -> usize {
    taken_by(work).1.count
}

fn key(i: u64) -> Vec<u8> {
    internal_key::encode(format!("key{i:08}").as_bytes(), 1, ValueKind::Put)
}

#[test]
fn lookups_and_long_scans_do_not_allocate() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("1.sst");
    let options = TableOptions::new(Comparator::Bytewise);
    let mut builder = TableBuilder::new(StdVfs.create(&path).unwrap(), options).unwrap();
    for i in 0..10_000 {
        builder.add(&key(2 * i), &[7; 100]).unwrap();
    }
    builder.finish().unwrap();
    let table =
        Arc::new(Table::open(StdVfs.open_mapped(&path).unwrap(), Comparator::Bytewise).unwrap());

    let targets: Vec<Vec<u8>> = (0..20_000).map(key).collect();
    assert!(allocations(|| drop(key(1))) > 0, "the counter counts");
    let lookups = allocations(|| {
        for (i, target) in targets.iter().enumerate() {
            assert_eq!(table.get(target).unwrap().is_some(), i % 2 == 0);
        }
    });
    assert_eq!(lookups, 0);

    let mut cursor = table.cursor();
    let scans = allocations(|| {
        cursor.seek_to_first().unwrap();
        while cursor.valid() {
            cursor.next().unwrap();
        }
        cursor.seek_to_last().unwrap();
        while cursor.valid() {
            cursor.prev().unwrap();
        }
        for target in &targets {
            cursor.seek(target).unwrap();
        }
    });
    assert!(
        scans < 40,
        "{scans} allocations for 40,000 steps: buffers are to be reused"
    );
}

#[test]
fn gets_of_an_open_database_do_not_allocate() {
    let dir = tempfile::tempdir().unwrap();
    let options = Options {
        background: Background::Manual,
        ..Options::default()
    };
    let db = Db::open(dir.path(), options).unwrap();
    let family = db.default_family();
    let user_key = |i: u64| format!("key{i:08}").into_bytes();
    for i in 0..10_000 {
        family.put(user_key(2 * i), [7; 100]).unwrap();
        if i == 4_000 {
            db.compact().unwrap();
        } else if i == 7_000 {
            db.flush().unwrap();
        }
    }
    // In a deep level, in level 0 and in the memtable; every second key is missing.
    let keys: Vec<_> = (0..20_000).map(user_key).collect();
    let read_all = || {
        for (i, key) in keys.iter().enumerate() {
            let value = family.get(key).unwrap();
            assert_eq!(value.is_some(), i % 2 == 0);
            assert!(value.is_none_or(|value| *value == [7; 100]));
        }
    };
    // The first look opens the tables.
    read_all();
    assert_eq!(allocations(read_all), 0);
}

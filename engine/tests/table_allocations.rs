//! Claim: a lookup in a mapped table allocates nothing, found or not; a scan only while it gets going.

mod support;

use engine::comparator::Comparator;
use engine::cursor::InternalCursor;
use engine::internal_key::{self, ValueKind};
use engine::sstable::{Table, TableBuilder, TableOptions};
use engine::vfs::{StdVfs, Vfs};
use std::sync::Arc;
use support::counting::{Counting, taken_by};

#[global_allocator]
static COUNTING: Counting = Counting;

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

//! Claim: a lookup in a mapped table allocates nothing, found or not; a scan only while it gets going.

#![expect(
    unsafe_code,
    reason = "counting allocations takes an allocator, and that trait is unsafe"
)]

use engine::comparator::Comparator;
use engine::cursor::InternalCursor;
use engine::internal_key::{self, ValueKind};
use engine::sstable::{Table, TableBuilder, TableOptions};
use engine::vfs::{StdVfs, Vfs};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call is passed on to the system's allocator as it came; counting touches only a
// thread-local number, which needs no allocation.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `alloc`, which is the system's too.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above; the pointer came from the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn allocations(work: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.with(Cell::get);
    work();
    ALLOCATIONS.with(Cell::get) - before
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

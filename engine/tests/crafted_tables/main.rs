//! Tables with right checksums that say what the engine would never write. Opening, reading and `check_table`
//! neither panic nor take more time and memory than the length of the file explains.

#[path = "../support/mod.rs"]
mod support;

mod craft;

use std::path::Path;
use std::sync::Arc;

use engine::sstable::{Table, check_table};
use engine::vfs::{MemoryVfs, RandomFile, Vfs};
use engine::{Comparator, Result};

use crate::craft::{Craft, Properties, Restarts, block, put};
use crate::support::counting::{Counting, taken_by};

#[global_allocator]
static COUNTING: Counting = Counting;

/// The order of all tables here: their blocks have no heads.
fn order() -> Comparator {
    Comparator::reverse_bytewise()
}

fn file(bytes: &[u8]) -> Arc<dyn RandomFile> {
    let (vfs, path) = (MemoryVfs::new(), Path::new("000001.sst"));
    vfs.create(path).unwrap().append(bytes).unwrap();
    vfs.open_mapped(path).unwrap()
}

fn open(bytes: &[u8]) -> Result<Arc<Table>> {
    Table::open(file(bytes), order()).map(Arc::new)
}

/// What a check of the whole table reports.
fn checked(bytes: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    check_table(&*file(bytes), Some(&order()), &mut |_, what| {
        found.push(what)
    });
    found
}

#[track_caller]
fn assert_found(bytes: &[u8], words: &str) {
    let found = checked(bytes);
    assert!(
        found.iter().any(|what| what.contains(words)),
        "{words:?} is not in: {found:#?}"
    );
}

#[track_caller]
fn assert_refused(bytes: &[u8], words: &str) {
    let error = open(bytes).unwrap_err().to_string();
    assert!(error.contains(words), "{words:?} is not in: {error}");
}

#[test]
fn a_right_table_is_taken_for_one() {
    let entries = [put("b", 3, b"new"), put("b", 2, b"old"), put("a", 1, b"x")];
    let mut craft = Craft {
        properties: Properties::of(&entries, 2),
        ..Craft::default()
    };
    let first = craft.store(&block(&entries[..2], Restarts::All));
    let second = craft.store_lz4(&block(&entries[2..], Restarts::All));
    let bytes = craft.finish(&[(b"b", 2, first), (b"a", 1, second)]);
    assert_eq!(checked(&bytes), [""; 0]);
    open(&bytes).unwrap();
}

/// The index leads a thousand times to one block, which LZ4 makes a hundred times longer.
#[test]
fn many_entries_of_an_index_that_lead_to_one_block_take_no_time() {
    const ENTRIES: usize = 1000;
    let value = vec![b'v'; 200_000];
    let entries = [put("a", 1, &value)];
    let mut craft = Craft {
        properties: Properties::of(&entries, ENTRIES as u64),
        ..Craft::default()
    };
    let handle = craft.store_lz4(&block(&entries, Restarts::All));
    let bytes = craft.finish(&vec![(&b"a"[..], 1, handle); ENTRIES]);
    let (found, taken) = taken_by(|| checked(&bytes));
    let words =
        "data block 1 should begin here, where the one before ends; the index leads to byte 0";
    assert!(found.iter().any(|what| what.contains(words)), "{found:#?}");
    assert!(taken.bytes < 10 * value.len(), "{taken:?}");
    let (_, taken) = taken_by(|| {
        assert_refused(&bytes, "does not begin where the one before ends");
    });
    assert!(taken.bytes < 10 * value.len(), "{taken:?}");
}

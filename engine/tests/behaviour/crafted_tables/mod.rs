//! Tables with right checksums that say what the engine would never write. Opening, reading and `check_table`
//! neither panic nor take more time and memory than the length of the file explains.

mod craft;

use std::path::Path;
use std::sync::Arc;

use engine::cursor::InternalCursor;
use engine::internal_key::{self, ValueKind};
use engine::sstable::{ExplainOptions, Table, check_table, explain_table};
use engine::vfs::{MemoryVfs, RandomFile, Vfs};
use engine::{Comparator, Result};

use craft::{Craft, Entry, Handle, Properties, Restarts, block, put};

use crate::support::counting::taken_by;

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
        found.push(what);
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

/// A table that is being written, with one block of these entries.
fn craft_of(entries: &[Entry<'_>]) -> (Craft, Handle) {
    let mut craft = Craft {
        properties: Properties::of(entries, 1),
        ..Craft::default()
    };
    let handle = craft.store(&block(entries, Restarts::All));
    (craft, handle)
}

/// A table with one block.
fn one_block(entries: &[Entry<'_>], restarts: Restarts<'_>) -> Vec<u8> {
    let mut craft = Craft {
        properties: Properties::of(entries, 1),
        ..Craft::default()
    };
    let handle = craft.store(&block(entries, restarts));
    let (last, sequence, ..) = entries[entries.len() - 1];
    craft.finish(&[(last, sequence, handle)])
}

/// Walks both ways and looks up every key; returns how many rows the walks met. What is read may be wrong,
/// but each walk ends.
fn ask(bytes: &[u8], keys: &[Entry<'_>]) -> usize {
    let Ok(table) = open(bytes) else { return 0 };
    let mut met = 0;
    let mut cursor = table.cursor();
    let mut moved = cursor.seek_to_first();
    while moved.is_ok() && cursor.valid() {
        met += 1;
        moved = cursor.next();
    }
    let mut moved = cursor.seek_to_last();
    while moved.is_ok() && cursor.valid() {
        met += 1;
        moved = cursor.prev();
    }
    for (key, sequence, kind, _) in keys {
        let target = internal_key::encode(key, *sequence, *kind);
        let _ = table.get(&target);
        let _ = cursor.seek(&target).and_then(|()| match cursor.valid() {
            true => cursor.prev(),
            false => Ok(()),
        });
    }
    met
}

#[test]
fn restarts_that_point_anywhere_are_found_and_every_walk_ends() {
    let names: Vec<String> = (0..2000).rev().map(|at| format!("{at:04}")).collect();
    let entries: Vec<Entry<'_>> = names.iter().map(|name| put(name, 1, b"v")).collect();
    // An entry has 4 bytes before its key of 4 and its value of 1.
    let entry = 9;
    let sound: Vec<u32> = (0..2000).map(|at| at * entry).collect();
    let cases: [(&str, Vec<u32>); 6] = [
        ("outside", vec![0, 1_000_000]),
        ("in the middle of an entry", vec![0, entry + 3]),
        ("backward", sound.iter().rev().copied().collect()),
        ("not at the first entry", sound[1..].to_vec()),
        ("all at the first entry", vec![0; 2000]),
        (
            "all at the last entry",
            [&[0][..], &[1999 * entry; 1999]].concat(),
        ),
    ];
    assert_eq!(checked(&one_block(&entries, Restarts::At(&sound))), [""; 0]);
    for (case, restarts) in cases {
        let bytes = one_block(&entries, Restarts::At(&restarts));
        let found = checked(&bytes);
        let met = ask(&bytes, &entries[..100]);
        assert!(!found.is_empty(), "{case}");
        assert!(met <= 4 * entries.len(), "{case}: {met}");
    }
}

/// The entries before it are in no walk. Only the number of entries, which another property may agree with, told.
#[test]
fn a_first_restart_that_passes_over_entries_is_found() {
    let entries = [put("c", 1, b"x"), put("b", 1, b"y"), put("a", 1, b"z")];
    let mut craft = Craft {
        properties: Properties::of(&entries[1..], 1),
        ..Craft::default()
    };
    let length_of_entry = 6;
    let restarts = [length_of_entry, 2 * length_of_entry];
    let handle = craft.store(&block(&entries, Restarts::At(&restarts)));
    let bytes = craft.finish(&[(b"a", 1, handle)]);
    assert_found(&bytes, "the first restart is not at the first entry");
}

#[test]
fn entries_out_of_order_and_repeated_ones_are_found() {
    for entries in [
        [put("a", 1, b"x"), put("b", 1, b"y")],
        [put("a", 1, b"x"), put("a", 2, b"y")],
        [put("a", 1, b"x"), put("a", 1, b"y")],
    ] {
        let bytes = one_block(&entries, Restarts::All);
        assert_found(&bytes, "does not come after the one before");
        ask(&bytes, &entries);
    }
}

#[test]
fn properties_that_lie_are_found() {
    const MAX: u64 = internal_key::MAX_SEQUENCE;
    type Lie = fn(&mut Properties);
    let lies: [(&str, Lie); 9] = [
        ("entries, and the entries give 2", |of| of.entries = MAX),
        ("tombstones, and the entries give 0", |of| of.deletes = 2),
        ("as the smallest sequence number", |of| of.sequences.0 = 0),
        ("as the largest sequence number", |of| of.sequences.1 = MAX),
        ("bytes of keys, and", |of| of.key_bytes = MAX),
        ("bytes of values, and", |of| of.value_bytes = 0),
        ("older versions, and", |of| of.older_versions = 1),
        ("state the smallest key", |of| {
            of.smallest = internal_key::encode(b"z", 9, ValueKind::Put);
        }),
        ("state the largest key", |of| {
            of.largest = internal_key::encode(b"", 9, ValueKind::Put);
        }),
    ];
    let entries = [put("b", 2, b"x"), put("a", 1, b"y")];
    for (words, lie) in lies {
        let mut craft = Craft {
            properties: Properties::of(&entries, 1),
            ..Craft::default()
        };
        lie(&mut craft.properties);
        let handle = craft.store(&block(&entries, Restarts::All));
        let bytes = craft.finish(&[(b"a", 1, handle)]);
        assert_found(&bytes, words);
        ask(&bytes, &entries);
    }
}

#[test]
fn range_tombstones_that_cover_nothing_or_are_miscounted_are_refused() {
    let tombstone = |start: &'static str, sequence, end: &'static str| {
        let kind = ValueKind::RangeDelete;
        (start.as_bytes(), sequence, kind, end.as_bytes())
    };
    let entries = [put("b", 2, b"x")];
    // In this order a greater key comes first.
    let cases: [(&str, u64, &[Entry<'_>]); 6] = [
        (
            "covers nothing or comes out of order",
            1,
            &[tombstone("a", 3, "b")],
        ),
        (
            "covers nothing or comes out of order",
            1,
            &[tombstone("a", 3, "a")],
        ),
        (
            "covers nothing or comes out of order",
            2,
            &[tombstone("c", 3, "b"), tombstone("c", 4, "b")],
        ),
        (
            "covers nothing or comes out of order",
            2,
            &[tombstone("d", 3, "b"), tombstone("c", 3, "a")],
        ),
        ("is not a range tombstone", 1, &[put("b", 3, b"a")]),
        (
            "has 1 entry, the properties state 72057594037927935",
            internal_key::MAX_SEQUENCE,
            &[tombstone("b", 3, "a")],
        ),
    ];
    for (words, count, tombstones) in cases {
        let mut craft = Craft {
            properties: Properties::of(&entries, 1),
            ..Craft::default()
        };
        let handle = craft.store(&block(&entries, Restarts::All));
        let ranges = craft.store(&block(tombstones, Restarts::All));
        craft.properties.range_deletes = Some((count, ranges));
        let bytes = craft.finish(&[(b"b", 2, handle)]);
        assert_found(&bytes, words);
        assert_refused(&bytes, words);
    }
}

/// Bytes that belong to no part may hide anything, and an explanation that passes over them says that all is well.
#[test]
fn gaps_between_parts_are_found_by_a_check_and_by_an_explanation() {
    let entries = [put("b", 2, b"x")];
    let tombstone = (&b"b"[..], 3, ValueKind::RangeDelete, &b"a"[..]);
    let gap = [0; 70];
    let index = |handle| [(&b"b"[..], 2, handle)];

    let (mut before_properties, handle) = craft_of(&entries);
    before_properties.store(&gap);
    let before_properties = before_properties.finish(&index(handle));

    let (mut before_filter, handle) = craft_of(&entries);
    before_filter.store(&gap);
    let filter = before_filter.store(&[[0xff; 64].as_slice(), &[6]].concat());
    let before_filter = before_filter.finish_with(filter, &index(handle));

    let (mut before_ranges, handle) = craft_of(&entries);
    before_ranges.store(&gap);
    let ranges = before_ranges.store(&block(&[tombstone], Restarts::All));
    before_ranges.properties.range_deletes = Some((1, ranges));
    before_ranges.properties.sequences.1 = 3;
    let before_ranges = before_ranges.finish(&index(handle));

    let options = ExplainOptions {
        block: None,
        limit: usize::MAX,
    };
    for (bytes, name) in [
        (before_properties, "properties"),
        (before_filter, "filter"),
        (before_ranges, "range deletes"),
    ] {
        let words = format!("the {name} should begin here");
        assert_found(&bytes, &words);
        let wrong = explain_table(&*file(&bytes), options, &mut |_| ()).unwrap_err();
        assert!(wrong.what.contains(&words), "{name}: {wrong:?}");
        assert_eq!(wrong.range.start, handle.1 + 5, "{name}: {wrong:?}");
    }
}

#[test]
fn handles_that_lead_anywhere_are_refused_or_found() {
    let entries = [put("b", 2, b"x")];
    let craft = || craft_of(&entries);
    // Filters: of an odd length, beyond the file, the data block itself.
    let (mut odd, handle) = craft();
    let filter = odd.store(&[0xff; 70]);
    let bytes = odd.finish_with(filter, &[(b"b", 2, handle)]);
    assert_refused(&bytes, "the filter is of an unknown kind");
    assert_found(&bytes, "the filter is of an unknown kind");
    for filter in [(1 << 40, 65), (u64::MAX, 65), (0, u64::MAX), handle] {
        let (craft, handle) = craft();
        let bytes = craft.finish_with(filter, &[(b"b", 2, handle)]);
        assert!(open(&bytes).is_err(), "{filter:?}");
        assert!(!checked(&bytes).is_empty(), "{filter:?}");
    }
    // Data blocks and range tombstones beyond the file; a filter that overlaps a data block.
    for wrong in [(0, 1 << 40), (0, u64::MAX), (0, u64::MAX - 5), (1 << 40, 9)] {
        let (craft, _) = craft();
        let bytes = craft.finish(&[(b"b", 2, wrong)]);
        assert!(!checked(&bytes).is_empty(), "{wrong:?}");
        let read = open(&bytes)
            .and_then(|table| table.get(&internal_key::encode(b"b", 9, ValueKind::Put)));
        assert!(read.is_err(), "{wrong:?}");
        let (mut craft, handle) = craft_of(&entries);
        craft.properties.range_deletes = Some((1, wrong));
        let bytes = craft.finish(&[(b"b", 2, handle)]);
        let words = format!(
            "the properties lead to {} bytes at byte {}, outside",
            wrong.1, wrong.0
        );
        assert_refused(&bytes, &words);
        assert_found(&bytes, &words);
    }
}

/// What LZ4 would have to make of a few bytes is refused before it is allocated.
#[test]
fn a_block_that_states_a_great_length_allocates_nothing() {
    let entries = [put("b", 2, b"x")];
    let (mut craft, _) = craft_of(&entries);
    craft.bytes.clear();
    let mut stored = u32::MAX.to_le_bytes().to_vec();
    stored.extend([0x11; 40]);
    let handle = craft.store_as_lz4(&stored);
    let bytes = craft.finish(&[(b"b", 2, handle)]);
    let (found, taken) = taken_by(|| checked(&bytes));
    assert!(
        found[0].contains("cannot make the 4294967295 that a block states"),
        "{found:#?}"
    );
    assert!(taken.largest < 100_000, "{taken:?}");
}

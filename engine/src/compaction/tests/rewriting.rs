//! Survivors compared with what every snapshot must still see, and the check of a rewrite's counts.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use proptest::prelude::{any, prop, prop_assert, prop_assert_eq, proptest};

use super::{Held, SHAPE, version, version_of};
use crate::compaction::survivors::{Below, Fate, Survivors};
use crate::compaction::{Cancellation, Environment, Output, Why, compact, flush, pick_everything};
use crate::comparator::Comparator;
use crate::cursor::InternalCursor;
use crate::error::{Error, Result};
use crate::internal_key::{self, ParsedKey, ValueKind};
use crate::memtable::MemtableWriter;
use crate::range_tombstone::Fragment;
use crate::sstable::{TableBuilder, TableOptions};
use crate::version::{FileMeta, Tables, Version, file_name};
use crate::vfs::{MemoryVfs, Vfs};

type Versions = BTreeMap<(u8, std::cmp::Reverse<u64>), Option<u8>>;

/// What a reader of `sequence` sees of a key in the versions.
fn seen(versions: &Versions, key: u8, sequence: u64) -> Option<u8> {
    let from = (key, std::cmp::Reverse(sequence));
    let newest = versions
        .range(from..)
        .next()
        .filter(|((of, _), _)| *of == key);
    newest.and_then(|(_, value)| *value)
}

fn rewritten(versions: &Versions, held: &Held, below: Below) -> Versions {
    let mut survivors = Survivors::new(held, None, below, Vec::new()).settling();
    let mut left = Versions::new();
    for (&(key, sequence), value) in versions {
        let kind = if value.is_some() {
            ValueKind::Put
        } else {
            ValueKind::Delete
        };
        let entry = ParsedKey {
            user_key: &[key],
            sequence: sequence.0,
            kind,
        };
        match survivors.judge(&entry, &[]) {
            Fate::Stays => _ = left.insert((key, sequence), *value),
            Fate::Settles => _ = left.insert((key, std::cmp::Reverse(0)), *value),
            Fate::Goes(_) => {}
            fate => panic!("{fate:?} without a filter"),
        }
    }
    left
}

proptest! {
    #[test]
    fn every_reader_sees_the_same_after_a_rewrite(
        writes in prop::collection::vec((0u8..4, prop::option::weighted(0.7, any::<u8>())), 0..40),
        held in prop::collection::btree_set(0u64..45, 0..5),
        older in prop::collection::vec((0u8..4, any::<u8>()), 0..4),
    ) {
        // The older versions are in a table below: in the middle of the key range, or there are none.
        let mut below = Versions::new();
        for (sequence, (key, value)) in (1..).zip(&older) {
            below.insert((*key, std::cmp::Reverse(sequence)), Some(*value));
        }
        let first = older.len() as u64 + 1;
        let mut versions = Versions::new();
        for (sequence, (key, value)) in (first..).zip(&writes) {
            versions.insert((*key, std::cmp::Reverse(sequence)), *value);
        }
        let table_below = below.keys().map(|(key, _)| *key);
        let range = table_below.clone().min().zip(table_below.max());
        let tables: Tables = match range {
            None => Tables::default(),
            Some((low, high)) => {
                let (low, high) = (char::from(low).to_string(), char::from(high).to_string());
                Arc::clone(version(&[(3, 1, &low, &high, 10)]).level(3))
            }
        };
        let held = Held(held.into_iter().collect());
        let sources = Below::new(Comparator::Bytewise, Tables::default(), vec![tables]);
        let left = rewritten(&versions, &held, sources);
        let is_unchanged = |(place, value): (&_, &_)| versions.get(place) == Some(value);
        prop_assert!(left.iter().all(|entry| entry.0.1.0 == 0 || is_unchanged(entry)));

        let now = first + writes.len() as u64;
        let readers = held.0.iter().copied().chain([now]);
        let merged = |upper: &Versions| -> Versions {
            upper.iter().chain(&below).map(|(place, value)| (*place, *value)).collect()
        };
        for reader in readers {
            for key in 0..4 {
                prop_assert_eq!(
                    seen(&merged(&left), key, reader),
                    seen(&merged(&versions), key, reader),
                    "key {} at {}", key, reader
                );
            }
        }
        // And nothing superfluous stays: one version for each stripe and key.
        for key in 0..4u8 {
            let count = left.keys().filter(|(of, _)| *of == key).count();
            prop_assert!(count <= held.0.len() + 1);
        }
        if older.is_empty() && held.0.is_empty() {
            prop_assert!(left.values().all(Option::is_some), "no tombstone hides nothing");
            prop_assert!(left.keys().all(|(_, sequence)| sequence.0 == 0), "all is settled");
        }
    }
}

/// The fate of one put at sequence number 9, with range tombstones in the inputs and tables in level 3.
fn fate_of_put(
    key: &str,
    held: &[u64],
    tombstones: &[Fragment],
    below: &[(usize, u64, &str, &str, u64)],
) -> Fate {
    let tables = Arc::clone(version(below).level(3));
    let below = Below::new(Comparator::Bytewise, Tables::default(), vec![tables]);
    let held = Held(held.to_vec());
    let mut survivors = Survivors::new(&held, None, below, tombstones.to_vec()).settling();
    let entry = ParsedKey {
        user_key: key.as_bytes(),
        sequence: 9,
        kind: ValueKind::Put,
    };
    survivors.judge(&entry, b"value")
}

#[test]
fn a_put_is_settled_where_no_reader_can_tell() {
    let below = [(3, 1, "g", "m", 10)];
    let range = |sequence| [Fragment::tombstone(b"a", b"h", sequence)];
    for (what, key, held, tombstones, expected) in [
        (
            "nothing is in the way",
            "b",
            &[][..],
            &[][..],
            Fate::Settles,
        ),
        ("a snapshot that sees it", "b", &[9, 12], &[], Fate::Settles),
        ("one that does not", "b", &[8, 12], &[], Fate::Stays),
        ("a table below", "g", &[], &[], Fate::Stays),
        // The tombstone must stay for `g`, and would hide a `b` with number 0.
        ("an older range tombstone", "b", &[], &range(5), Fate::Stays),
        ("its end", "n", &[], &range(5), Fate::Settles),
        (
            "a newer one",
            "b",
            &[],
            &range(10),
            Fate::Goes(Why::RangeDeleted),
        ),
        (
            "a newer one that a snapshot does not see",
            "b",
            &[9],
            &range(10),
            Fate::Stays,
        ),
    ] {
        assert_eq!(
            fate_of_put(key, held, tombstones, &below),
            expected,
            "{what}"
        );
    }
}

/// A version with one real table of three entries; the manifest says that it holds `said`.
fn table_of_three(vfs: &MemoryVfs, said: u64) -> Arc<Version> {
    let path = file_name::table(Path::new("db"), 1);
    vfs.create_dir_all(Path::new("db")).unwrap();
    let options = TableOptions::new(Comparator::Bytewise);
    let mut builder = TableBuilder::new(vfs.create(&path).unwrap(), options).unwrap();
    for key in ["a", "b", "c"] {
        let key = internal_key::encode(key.as_bytes(), 1, ValueKind::Put);
        builder.add(&key, b"value").unwrap();
    }
    let written = builder.finish().unwrap();
    let meta = FileMeta {
        number: 1,
        bytes: written.file_bytes,
        entries: said,
        range_deletes: 0,
        smallest: written.properties.smallest,
        largest: written.properties.largest,
    };
    version_of(vfs, [(0, meta)].into_iter())
}

#[test]
fn a_rewrite_whose_counts_do_not_add_up_is_an_error_and_leaves_nothing() {
    for said in [2, 3, 4] {
        let vfs = MemoryVfs::new();
        let version = table_of_three(&vfs, said);
        let output = Path::new("db/000002.sst");
        let no = AtomicBool::new(false);
        let environment = Environment {
            table_options: TableOptions::new(Comparator::Bytewise),
            target_file_bytes: 1 << 20,
            overlap_bytes_max: u64::MAX,
            snapshots: &Held(Vec::new()),
            filter: None,
            create: &|| Ok((2, vfs.create(output)?)),
            discard: &|path| vfs.remove(path).unwrap(),
            cancellation: Cancellation {
                closing: &no,
                dropped: &no,
            },
        };
        let plan = pick_everything(&version, &SHAPE).unwrap();
        let outcome = compact(&environment, &plan, &version);
        if said == 3 {
            assert_eq!(outcome.unwrap().unwrap().entries_out(), 3);
            continue;
        }
        let error = outcome.unwrap_err().to_string();
        let what = format!("a rewrite of {said} entries, this file's among them, read 3, wrote 3");
        assert!(
            error.contains("000001.sst") && error.contains(&what),
            "{error}"
        );
        assert!(!vfs.exists(output).unwrap(), "the output is removed");
    }
}

/// The tables that `run` writes with blocks of one entry and an index up to this length, numbered from `first` on.
fn written(
    vfs: &MemoryVfs,
    first: u64,
    index_bytes_max: usize,
    held: &[u64],
    run: impl FnOnce(&Environment<'_>) -> Result<Option<Output>>,
) -> Result<Vec<FileMeta>> {
    let (no, next) = (AtomicBool::new(false), AtomicU64::new(first));
    let environment = Environment {
        table_options: TableOptions {
            block_bytes: 1,
            index_bytes_max,
            ..TableOptions::new(Comparator::Bytewise)
        },
        target_file_bytes: u64::MAX,
        overlap_bytes_max: u64::MAX,
        snapshots: &Held(held.to_vec()),
        filter: None,
        create: &|| {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let path = file_name::table(Path::new("db"), number);
            Ok((number, vfs.create(&path)?))
        },
        discard: &|path| vfs.remove(path).unwrap(),
        cancellation: Cancellation {
            closing: &no,
            dropped: &no,
        },
    };
    let output = run(&environment)?.expect("nothing cancels it");
    Ok(output.files)
}

/// Checks that the tables hold the keys 0 to 39 in order, and the range tombstone from 10 to 30 in parts; returns the version
/// that they make in level 0.
fn check_forty(vfs: &MemoryVfs, files: &[FileMeta]) -> Arc<Version> {
    assert!(files.len() >= 4, "{files:?}");
    let of_level0 = files.iter().map(|file| (0, file.clone()));
    let version = version_of(vfs, of_level0);
    let mut keys = 0..40;
    // The newest is the first, and was written last.
    for file in version.level(0).iter().rev() {
        let table = file.table().unwrap();
        let mut cursor = table.cursor();
        cursor.seek_to_first().unwrap();
        while cursor.valid() {
            let (key, at) = (internal_key::user_key(cursor.key()), keys.next().unwrap());
            assert_eq!(key, forty(at));
            let over = table.range_tombstones().map_or(0, |tombstones| {
                tombstones.newest_over(&Comparator::Bytewise, key, 100)
            });
            assert_eq!(over, if (10..30).contains(&at) { 41 } else { 0 }, "{at}");
            cursor.next().unwrap();
        }
    }
    assert_eq!(keys.next(), None);
    version
}

fn forty(at: u64) -> Vec<u8> {
    format!("key {at:02}").into_bytes()
}

#[test]
fn a_table_ends_before_its_index_is_too_long() {
    let vfs = MemoryVfs::new();
    vfs.create_dir_all(Path::new("db")).unwrap();
    let mut memtable = MemtableWriter::new(Comparator::Bytewise, 1 << 20);
    let mut insert = |at, sequence, kind, value: &[u8]| {
        let user_key = &forty(at);
        memtable.insert(
            ParsedKey {
                user_key,
                sequence,
                kind,
            },
            value,
        );
    };
    for at in 0..40 {
        insert(at, at + 1, ValueKind::Put, b"value");
    }
    // The snapshot needs what this hides.
    insert(10, 41, ValueKind::RangeDelete, &forty(30));
    memtable.end_batch();
    let held = [40];

    let flushed = written(&vfs, 1, 400, &held, |environment| {
        flush(environment, &memtable.reader(), &Version::default())
    });
    let version = check_forty(&vfs, &flushed.unwrap());
    let plan = pick_everything(&version, &SHAPE).unwrap();
    let compacted = written(&vfs, 100, 400, &held, |environment| {
        compact(environment, &plan, &version)
    });
    check_forty(&vfs, &compacted.unwrap());
}

#[test]
fn a_key_whose_versions_fill_an_index_is_no_damage_and_needs_snapshots_released() {
    let vfs = MemoryVfs::new();
    vfs.create_dir_all(Path::new("db")).unwrap();
    let mut memtable = MemtableWriter::new(Comparator::Bytewise, 1 << 20);
    for sequence in 1..=40 {
        let key = ParsedKey {
            user_key: b"key",
            sequence,
            kind: ValueKind::Put,
        };
        memtable.insert(key, b"value");
    }
    memtable.end_batch();
    let flushed = |held: &[u64]| {
        written(&vfs, 1, 400, held, |environment| {
            flush(environment, &memtable.reader(), &Version::default())
        })
    };
    let held: Vec<u64> = (1..=40).collect();
    let error = flushed(&held).unwrap_err();
    assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
    assert!(error.to_string().contains("release snapshots"), "{error}");
    assert_eq!(
        vfs.list(Path::new("db")).unwrap().len(),
        0,
        "nothing is left"
    );
    let files = flushed(&[]).unwrap();
    assert_eq!(files.iter().map(|file| file.entries).sum::<u64>(), 1);
}

//! Claim: a table answers every get, seek and step as a sorted list of its entries would.
//!
//! Whatever the options are: tiny blocks, any restart interval, another order, LZ4, mapped or read
//! block by block.

use engine::comparator::Comparator;
use engine::cursor::InternalCursor;
use engine::internal_key::{self, MAX_SEQUENCE, ValueKind};
use engine::sstable::{
    Compression, Table, TableBuilder, TableNumbers, TableOptions, read_properties,
};
use engine::vfs::{MemoryVfs, StdVfs, Vfs};
use proptest::prelude::*;
use std::cmp::Ordering;
use std::path::Path;
use std::sync::Arc;

type Entry = (Vec<u8>, Vec<u8>);

#[derive(Clone, Copy, Debug)]
enum Access {
    Mapped,
    BlockByBlock,
}

fn build(vfs: &dyn Vfs, path: &Path, entries: &[Entry], options: TableOptions) {
    let mut builder = TableBuilder::new(vfs.create(path).unwrap(), options).unwrap();
    for (key, value) in entries {
        builder.add(key, value).unwrap();
    }
    let summary = builder.finish().unwrap();
    assert_eq!(summary.file_bytes, vfs.len(path).unwrap());
}

fn open(vfs: &dyn Vfs, path: &Path, access: Access, comparator: Comparator) -> Arc<Table> {
    let file = match access {
        Access::Mapped => vfs.open_mapped(path).unwrap(),
        Access::BlockByBlock => vfs.open_random(path).unwrap(),
    };
    Arc::new(Table::open(file, comparator).unwrap())
}

/// A cursor over a sorted list, written as simply as possible.
struct Model<'a> {
    entries: &'a [Entry],
    comparator: &'a Comparator,
    at: Option<usize>,
}

impl Model<'_> {
    fn first_at_or_after(&self, target: &[u8]) -> usize {
        self.entries
            .iter()
            .position(|(key, _)| {
                internal_key::compare(self.comparator, key, target) != Ordering::Less
            })
            .unwrap_or(self.entries.len())
    }

    fn count_up_to(&self, target: &[u8]) -> usize {
        self.entries
            .iter()
            .filter(|(key, _)| {
                internal_key::compare(self.comparator, key, target) != Ordering::Greater
            })
            .count()
    }

    fn step(&mut self, step: &Step) {
        let last = self.entries.len().checked_sub(1);
        self.at = match step {
            Step::First => last.map(|_| 0),
            Step::Last => last,
            Step::Seek(target) => Some(self.first_at_or_after(target)),
            Step::SeekForPrev(target) => self.count_up_to(target).checked_sub(1),
            Step::Next(count) => self.at.and_then(|at| at.checked_add(*count)),
            Step::Prev(count) => self.at.and_then(|at| at.checked_sub(*count)),
        }
        .filter(|at| *at < self.entries.len());
    }
}

#[derive(Clone, Debug)]
enum Step {
    First,
    Last,
    Seek(Vec<u8>),
    SeekForPrev(Vec<u8>),
    Next(usize),
    Prev(usize),
}

fn take_step(cursor: &mut dyn InternalCursor, step: &Step) {
    match step {
        Step::First => cursor.seek_to_first().unwrap(),
        Step::Last => cursor.seek_to_last().unwrap(),
        Step::Seek(target) => cursor.seek(target).unwrap(),
        Step::SeekForPrev(target) => cursor.seek_for_prev(target).unwrap(),
        Step::Next(count) => (0..*count).for_each(|_| {
            if cursor.valid() {
                cursor.next().unwrap();
            }
        }),
        Step::Prev(count) => (0..*count).for_each(|_| {
            if cursor.valid() {
                cursor.prev().unwrap();
            }
        }),
    }
}

/// Few letters, so that keys are prefixes of each other and share prefixes; and some bytes that
/// resemble trailers.
fn user_key() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(
            prop::sample::select(&[0u8, b'a', b'b', 0xfe, 0xff][..]),
            0..12
        ),
        (0u32..200).prop_map(|n| format!("item:{n:06}").into_bytes()),
        prop::collection::vec(Just(b'x'), 120..140),
    ]
}

fn internal() -> impl Strategy<Value = Vec<u8>> {
    let kind = prop::sample::select(&[ValueKind::Put, ValueKind::Delete][..]);
    let sequence = prop_oneof![0..4u64, Just(MAX_SEQUENCE)];
    (user_key(), sequence, kind)
        .prop_map(|(key, sequence, kind)| internal_key::encode(&key, sequence, kind))
}

fn value() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => prop::collection::vec(any::<u8>(), 0..20),
        1 => prop::collection::vec(Just(b'v'), 100..300),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        Just(Step::First),
        Just(Step::Last),
        internal().prop_map(Step::Seek),
        internal().prop_map(Step::SeekForPrev),
        (1usize..20).prop_map(Step::Next),
        (1usize..20).prop_map(Step::Prev),
    ]
}

fn options() -> impl Strategy<Value = TableOptions> {
    let comparator =
        prop::sample::select(vec![Comparator::Bytewise, Comparator::reverse_bytewise()]);
    let compression = prop::sample::select(&[Compression::None, Compression::Lz4][..]);
    let block_bytes = prop::sample::select(&[1usize, 64, 300, 4096][..]);
    let filter_bits_per_key = prop::sample::select(&[0usize, 2, 10][..]);
    (
        comparator,
        compression,
        block_bytes,
        filter_bits_per_key,
        1usize..=16,
    )
        .prop_map(
            |(comparator, compression, block_bytes, filter_bits_per_key, restart_interval)| {
                TableOptions {
                    block_bytes,
                    restart_interval,
                    filter_bits_per_key,
                    compression,
                    ..TableOptions::new(comparator)
                }
            },
        )
}

proptest! {
    #[test]
    fn a_table_answers_as_a_sorted_list(
        mut entries in prop::collection::vec((internal(), value()), 1..120),
        // A table whose keys have one version each is searched in a different way.
        single_versions in any::<bool>(),
        options in options(),
        access in prop::sample::select(&[Access::Mapped, Access::BlockByBlock][..]),
        steps in prop::collection::vec(step(), 1..60),
        lookups in prop::collection::vec(internal(), 1..60),
    ) {
        let comparator = options.comparator.clone();
        entries.sort_by(|(a, _), (b, _)| internal_key::compare(&comparator, a, b));
        entries.dedup_by(|(a, _), (b, _)| {
            a == b || single_versions && internal_key::user_key(a) == internal_key::user_key(b)
        });
        let vfs = MemoryVfs::new();
        let path = Path::new("1.sst");
        build(&vfs, path, &entries, options);
        let table = open(&vfs, path, access, comparator.clone());

        let mut model = Model { entries: &entries, comparator: &comparator, at: None };
        let mut cursor = table.cursor();
        for step in &steps {
            take_step(&mut cursor, step);
            model.step(step);
            prop_assert_eq!(cursor.valid(), model.at.is_some(), "{:?}", step);
            if let Some(at) = model.at {
                prop_assert_eq!(cursor.key(), &entries[at].0[..], "{:?}", step);
                prop_assert_eq!(cursor.value(), &entries[at].1[..], "{:?}", step);
                prop_assert_eq!(&*cursor.pinned_value(), &entries[at].1[..]);
            }
        }

        for target in lookups.iter().chain(entries.iter().map(|(key, _)| key)) {
            let expected = entries.get(model.first_at_or_after(target)).filter(|(key, _)| {
                internal_key::user_key(key) == internal_key::user_key(target)
            });
            let found = table.get(target).unwrap();
            let found = found.map(|found| {
                let key = internal_key::encode(internal_key::user_key(target), found.sequence, found.kind);
                (key, found.value.to_vec())
            });
            prop_assert_eq!(found.as_ref(), expected);
        }
    }
}

fn numbered(count: u64) -> Vec<Entry> {
    let entry = |i: u64| {
        let kind = if i % 10 == 3 {
            ValueKind::Delete
        } else {
            ValueKind::Put
        };
        let value = if kind == ValueKind::Put {
            format!("value {i}")
        } else {
            String::new()
        };
        (
            internal_key::encode(format!("key{i:08}").as_bytes(), i + 1, kind),
            value.into_bytes(),
        )
    };
    (0..count).map(entry).collect()
}

#[test]
fn a_real_file_mapped_or_not_holds_what_was_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("1.sst");
    // More than the builder appends at once.
    let entries = numbered(20_000);
    let options = TableOptions {
        origin: "test".to_owned(),
        ..TableOptions::new(Comparator::Bytewise)
    };
    build(&StdVfs, &path, &entries, options);
    for access in [Access::Mapped, Access::BlockByBlock] {
        let table = open(&StdVfs, &path, access, Comparator::Bytewise);
        let properties = table.properties();
        assert_eq!((properties.entries, properties.deletes), (20_000, 2_000));
        assert_eq!(
            (properties.sequence_min, properties.sequence_max),
            (1, 20_000)
        );
        assert_eq!(
            (&properties.smallest, &properties.largest),
            (&entries[0].0, &entries[19_999].0)
        );
        assert_eq!(properties.key_bytes, 20_000 * 19);
        assert_eq!(
            properties.value_bytes,
            entries
                .iter()
                .map(|(_, value)| value.len() as u64)
                .sum::<u64>()
        );
        assert_eq!(
            (properties.comparator.as_str(), properties.origin.as_str()),
            ("bytewise", "test")
        );
        let mut cursor = table.cursor();
        cursor.seek_to_first().unwrap();
        for (key, value) in &entries {
            assert_eq!((cursor.key(), cursor.value()), (&key[..], &value[..]));
            cursor.next().unwrap();
        }
        assert!(!cursor.valid());
        cursor.seek_to_last().unwrap();
        for (key, value) in entries.iter().rev() {
            assert_eq!((cursor.key(), cursor.value()), (&key[..], &value[..]));
            cursor.prev().unwrap();
        }
        assert!(!cursor.valid());
    }
}

/// All outputs of a compaction list all of its inputs, so memory for the lists would grow with the square of the number
/// of tables.
#[test]
fn an_open_table_does_not_keep_the_list_of_its_inputs() {
    let (vfs, path) = (MemoryVfs::new(), Path::new("1.sst"));
    let inputs: TableNumbers = [1, 9, 1_000].into_iter().collect();
    let options = TableOptions {
        inputs: inputs.clone(),
        ..TableOptions::new(Comparator::Bytewise)
    };
    build(&vfs, path, &numbered(10), options);
    let table = open(&vfs, path, Access::Mapped, Comparator::Bytewise);
    assert_eq!(table.properties().inputs, TableNumbers::default());
    let stated = read_properties(&*vfs.open_random(path).unwrap()).unwrap();
    assert_eq!(stated.inputs, inputs, "the file has the list");
}

#[test]
fn a_value_outlives_its_table_and_its_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("1.sst");
    let entries = numbered(100);
    build(
        &StdVfs,
        &path,
        &entries,
        TableOptions::new(Comparator::Bytewise),
    );
    let table = open(&StdVfs, &path, Access::Mapped, Comparator::Bytewise);
    let found = table.get(&entries[42].0).unwrap().unwrap();
    drop(table);
    StdVfs.remove(&path).unwrap();
    build(
        &StdVfs,
        &path,
        &numbered(3),
        TableOptions::new(Comparator::Bytewise),
    );
    assert_eq!(&*found.value, b"value 42");
}

#[test]
fn the_same_entries_give_the_same_bytes() {
    let vfs = MemoryVfs::new();
    for path in ["1.sst", "2.sst"] {
        build(
            &vfs,
            Path::new(path),
            &numbered(1000),
            TableOptions::new(Comparator::Bytewise),
        );
    }
    assert_eq!(
        vfs.read(Path::new("1.sst")).unwrap(),
        vfs.read(Path::new("2.sst")).unwrap()
    );
}

#[test]
fn a_reader_sees_the_newest_version_up_to_its_sequence_number() {
    let versions: Vec<Entry> = [9, 5, 2]
        .iter()
        .map(|sequence| {
            (
                internal_key::encode(b"key", *sequence, ValueKind::Put),
                format!("{sequence}").into_bytes(),
            )
        })
        .collect();
    let vfs = MemoryVfs::new();
    // One version per block, so that the search has to find the right block among equal user keys.
    let options = TableOptions {
        block_bytes: 1,
        ..TableOptions::new(Comparator::Bytewise)
    };
    build(&vfs, Path::new("1.sst"), &versions, options);
    let table = open(
        &vfs,
        Path::new("1.sst"),
        Access::Mapped,
        Comparator::Bytewise,
    );
    let seen_at = |sequence| {
        let mut target = Vec::new();
        internal_key::append_seek(&mut target, b"key", sequence);
        table.get(&target).unwrap().map(|found| found.sequence)
    };
    let expected = [
        (1, None),
        (2, Some(2)),
        (4, Some(2)),
        (5, Some(5)),
        (8, Some(5)),
        (9, Some(9)),
        (100, Some(9)),
    ];
    for (sequence, version) in expected {
        assert_eq!(seen_at(sequence), version, "at {sequence}");
    }
}

#[test]
fn keys_out_of_order_and_options_out_of_range_are_refused() {
    let vfs = MemoryVfs::new();
    let create = || vfs.create(Path::new("1.sst")).unwrap();
    let mut builder = TableBuilder::new(create(), TableOptions::new(Comparator::Bytewise)).unwrap();
    let key = internal_key::encode(b"b", 5, ValueKind::Put);
    builder.add(&key, b"").unwrap();
    let earlier = internal_key::encode(b"a", 5, ValueKind::Put);
    let newer = internal_key::encode(b"b", 6, ValueKind::Put);
    for late in [&key, &earlier, &newer] {
        let error = builder.add(late, b"").unwrap_err().to_string();
        assert!(error.contains("does not come after"), "{error}");
    }
    assert!(
        builder
            .add(b"short", b"")
            .unwrap_err()
            .to_string()
            .contains("no room")
    );
    builder
        .add(&internal_key::encode(b"b", 4, ValueKind::Put), b"")
        .unwrap();
    assert_eq!(builder.finish().unwrap().properties.entries, 2);

    let good = TableOptions::new(Comparator::Bytewise);
    for bad in [
        TableOptions {
            restart_interval: 0,
            ..good.clone()
        },
        TableOptions {
            block_bytes: 0,
            ..good.clone()
        },
        TableOptions {
            filter_bits_per_key: 65,
            ..good.clone()
        },
    ] {
        let error = TableBuilder::new(create(), bad).unwrap_err().to_string();
        assert!(error.contains("it takes"), "{error}");
    }
    let empty = TableBuilder::new(create(), good)
        .unwrap()
        .finish()
        .unwrap_err()
        .to_string();
    assert!(empty.contains("at least one entry"), "{empty}");
}

#[test]
fn a_filter_keeps_most_absent_keys_from_the_blocks() {
    let vfs = MemoryVfs::new();
    build(
        &vfs,
        Path::new("1.sst"),
        &numbered(10_000),
        TableOptions::new(Comparator::Bytewise),
    );
    let table = open(
        &vfs,
        Path::new("1.sst"),
        Access::Mapped,
        Comparator::Bytewise,
    );
    let passing = (10_000..110_000)
        .filter(|i| table.may_contain(format!("key{i:08}").as_bytes()))
        .count();
    assert!(
        passing < 1_200,
        "{passing} of 100,000 absent keys pass a filter of 10 bits a key"
    );
    assert!((0..10_000).all(|i| table.may_contain(format!("key{i:08}").as_bytes())));
}

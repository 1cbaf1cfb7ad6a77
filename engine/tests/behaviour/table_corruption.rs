//! Claim: whatever happens to a table's bytes, its answers are right, or an error that names the file.
//!
//! Small tables are tried exhaustively: every byte changed, every truncation, all gets and scans compared.

use engine::comparator::Comparator;
use engine::cursor::InternalCursor;
use engine::error::{Error, Result};
use engine::internal_key::{self, ValueKind};
use engine::sstable::{Compression, Table, TableBuilder, TableOptions};
use engine::vfs::{MemoryVfs, Vfs};
use proptest::prelude::*;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use crate::support::checksum::checksum;

const PATH: &str = "db/000005.sst";

type Entry = (Vec<u8>, Vec<u8>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    Mapped,
    BlockByBlock,
}

fn entries() -> Vec<Entry> {
    (0..60u64)
        .map(|i| {
            let kind = if i % 7 == 3 {
                ValueKind::Delete
            } else {
                ValueKind::Put
            };
            let key = internal_key::encode(format!("user:{:04}", i * 3).as_bytes(), i + 1, kind);
            (key, "value ".repeat(i as usize % 5).into_bytes())
        })
        .collect()
}

/// Several blocks, with several restarts in each.
fn build(compression: Compression) -> (MemoryVfs, Vec<u8>) {
    let vfs = MemoryVfs::new();
    vfs.create_dir_all(Path::new("db")).unwrap();
    let options = TableOptions {
        block_bytes: 256,
        restart_interval: 4,
        compression,
        ..TableOptions::new(Comparator::Bytewise)
    };
    let mut builder = TableBuilder::new(vfs.create(Path::new(PATH)).unwrap(), options).unwrap();
    for (key, value) in entries() {
        builder.add(&key, &value).unwrap();
    }
    assert!(builder.finish().unwrap().properties.data_blocks > 4);
    let bytes = vfs.read(Path::new(PATH)).unwrap();
    (vfs, bytes)
}

fn open(vfs: &MemoryVfs, access: Access) -> Result<Arc<Table>> {
    let file = match access {
        Access::Mapped => vfs.open_mapped(Path::new(PATH))?,
        Access::BlockByBlock => vfs.open_random(Path::new(PATH))?,
    };
    Table::open(file, Comparator::Bytewise).map(Arc::new)
}

fn assert_is_corruption(error: &Error, len: u64) {
    match error {
        Error::Corruption { file, offset, .. } => {
            assert_eq!(file, Path::new(PATH));
            assert!(*offset <= len, "{error}");
        }
        other => panic!("expected corruption, got {other:?}"),
    }
}

/// Reads everything from the table. Every answer must be right or `Corruption`; returns how many were errors.
fn ask_everything(table: &Arc<Table>, entries: &[Entry]) -> usize {
    let len = table.file_bytes();
    let mut errors = 0;
    for (key, value) in entries {
        match table.get(key) {
            Ok(found) => assert_eq!(&*found.expect("a key was lost").value, &value[..]),
            Err(error) => {
                assert_is_corruption(&error, len);
                errors += 1;
            }
        }
    }
    let absent = internal_key::encode(b"user:0001", 1, ValueKind::Put);
    assert!(matches!(
        table.get(&absent),
        Ok(None) | Err(Error::Corruption { .. })
    ));

    let mut cursor = table.cursor();
    let mut step = cursor.seek_to_first();
    for (key, value) in entries {
        if step.is_err() {
            break;
        }
        assert_eq!((cursor.key(), cursor.value()), (&key[..], &value[..]));
        step = cursor.next();
    }
    errors += finish_scan(step, &cursor, len);

    let mut step = cursor.seek_to_last();
    for (key, value) in entries.iter().rev() {
        if step.is_err() {
            break;
        }
        assert_eq!((cursor.key(), cursor.value()), (&key[..], &value[..]));
        step = cursor.prev();
    }
    errors + finish_scan(step, &cursor, len)
}

fn finish_scan(step: Result<()>, cursor: &impl InternalCursor, len: u64) -> usize {
    assert!(
        !cursor.valid(),
        "past the end, or after an error, a cursor is on no entry"
    );
    match step {
        Ok(()) => 0,
        Err(error) => {
            assert_is_corruption(&error, len);
            1
        }
    }
}

fn every_changed_byte_is_noticed(compression: Compression, access: Access) {
    let (vfs, good) = build(compression);
    let entries = entries();
    assert_eq!(ask_everything(&open(&vfs, access).unwrap(), &entries), 0);
    let mut unnoticed = 0;
    for at in 0..good.len() {
        for change in [0x01, 0x80, 0xff] {
            let mut bad = good.clone();
            bad[at] ^= change;
            vfs.damage(PATH, bad).unwrap();
            match open(&vfs, access) {
                Err(error) => assert_is_corruption(&error, good.len() as u64),
                Ok(table) => unnoticed += usize::from(ask_everything(&table, &entries) == 0),
            }
        }
    }
    // The padding zeros before the filter are under no checksum and mean nothing.
    assert!(unnoticed < 3 * 64, "{unnoticed} changes made no difference");
}

#[test]
fn every_changed_byte_is_noticed_in_a_mapped_table() {
    every_changed_byte_is_noticed(Compression::None, Access::Mapped);
}

#[test]
fn every_changed_byte_is_noticed_in_a_table_read_block_by_block() {
    every_changed_byte_is_noticed(Compression::None, Access::BlockByBlock);
}

#[test]
fn every_changed_byte_is_noticed_in_a_compressed_table() {
    every_changed_byte_is_noticed(Compression::Lz4, Access::Mapped);
    every_changed_byte_is_noticed(Compression::Lz4, Access::BlockByBlock);
}

#[test]
fn every_truncation_is_refused_at_opening() {
    let (vfs, good) = build(Compression::None);
    for len in 0..good.len() {
        vfs.damage(PATH, good[..len].to_vec()).unwrap();
        for access in [Access::Mapped, Access::BlockByBlock] {
            assert_is_corruption(&open(&vfs, access).unwrap_err(), len as u64);
        }
    }
}

#[test]
fn other_files_are_refused_with_what_was_found() {
    let (vfs, good) = build(Compression::None);
    let cases = [
        (Vec::new(), "this file has 0 bytes in all"),
        (
            vec![0; 1000],
            "a table ends in \"KeysTbl\\n\", this file in \"\\x00\\x00",
        ),
        ([&good[..], b"more"].concat(), "\"Tbl\\nmore\""),
        (good[..good.len() - 64].repeat(2), "a table ends in"),
    ];
    for (bytes, expected) in cases {
        vfs.damage(PATH, bytes).unwrap();
        let message = open(&vfs, Access::Mapped).unwrap_err().to_string();
        assert!(
            message.contains(expected) && message.contains(PATH),
            "{message}"
        );
    }
}

#[test]
fn a_table_of_another_order_is_refused_naming_both() {
    let (vfs, _) = build(Compression::None);
    let file = vfs.open_mapped(Path::new(PATH)).unwrap();
    let message = Table::open(file, Comparator::reverse_bytewise())
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("\"bytewise\"") && message.contains("\"reverse-bytewise\""),
        "{message}"
    );
}

/// Where the data blocks are, each with its compression byte: found by their checksums.
fn data_blocks(table: &[u8]) -> Vec<Range<usize>> {
    let mut blocks: Vec<Range<usize>> = Vec::new();
    loop {
        let start = blocks.last().map_or(0, |block| block.end + 4);
        let ends = start + 5..(start + 600).min(table.len() - 4);
        let is_end = |end: &usize| table[*end..*end + 4] == checksum(start, &table[start..*end]);
        let Some(end) = ends.into_iter().find(is_end) else {
            return blocks;
        };
        blocks.push(start..end);
    }
}

/// What a disk leaves that writes to the wrong place: two copies of a block that is right in itself.
#[test]
fn a_block_in_the_place_of_another_is_noticed() {
    let vfs = MemoryVfs::new();
    vfs.create_dir_all(Path::new("db")).unwrap();
    let options = TableOptions {
        block_bytes: 256,
        ..TableOptions::new(Comparator::Bytewise)
    };
    let mut builder = TableBuilder::new(vfs.create(Path::new(PATH)).unwrap(), options).unwrap();
    let entries: Vec<Entry> = (100..300)
        .map(|i| {
            let key = format!("user:{i}");
            let key = internal_key::encode(key.as_bytes(), 1, ValueKind::Put);
            (key, b"value".to_vec())
        })
        .collect();
    for (key, value) in &entries {
        builder.add(key, value).unwrap();
    }
    builder.finish().unwrap();
    let good = vfs.read(Path::new(PATH)).unwrap();
    let blocks = data_blocks(&good);
    let mut tried = 0;
    for from in &blocks {
        for to in &blocks {
            if from == to || from.len() != to.len() {
                continue;
            }
            let mut bad = good.clone();
            bad.copy_within(from.start..from.end + 4, to.start);
            vfs.damage(PATH, bad).unwrap();
            for access in [Access::Mapped, Access::BlockByBlock] {
                let errors = ask_everything(&open(&vfs, access).unwrap(), &entries);
                assert!(errors > 0, "the block at {} is at {}", from.start, to.start);
            }
            tried += 1;
        }
    }
    assert!(tried > 30, "{tried} pairs of equal length");
}

#[test]
fn a_damaged_block_is_named_when_it_is_read_and_the_others_still_answer() {
    let (vfs, good) = build(Compression::None);
    let entries = entries();
    let mut bad = good;
    bad[20] ^= 1;
    vfs.damage(PATH, bad).unwrap();
    for access in [Access::Mapped, Access::BlockByBlock] {
        let table = open(&vfs, access).unwrap();
        // Twice: a check that failed must not be remembered as one that passed.
        for _ in 0..2 {
            let error = table.get(&entries[0].0).unwrap_err();
            assert!(
                error.to_string().contains("the checksum of a block is"),
                "{error}"
            );
            assert!(matches!(error, Error::Corruption { offset: 0, .. }));
        }
        let (key, value) = entries.last().unwrap();
        assert_eq!(&*table.get(key).unwrap().unwrap().value, &value[..]);
    }
}

/// The bytes of a table with a block changed and its checksum made right again, which only malice
/// or a bug does.
fn with_right_checksum(good: &[u8], at: usize, change: u8, block: Range<usize>) -> Vec<u8> {
    let mut bad = good.to_vec();
    bad[at] ^= change;
    let checksum = checksum(block.start, &bad[block.clone()]);
    bad[block.end..block.end + 4].copy_from_slice(&checksum);
    bad
}

#[test]
fn a_changed_block_with_a_right_checksum_gives_no_panic() {
    for compression in [Compression::None, Compression::Lz4] {
        let (vfs, good) = build(compression);
        let footer = &good[good.len() - 64..];
        let field = |at: usize| u64::from_le_bytes(footer[at..at + 8].try_into().unwrap()) as usize;
        // The index, the filter and the properties, each with its compression byte.
        let parts = [0, 16, 32].map(|at| field(at)..field(at) + field(at + 8) + 1);
        // The first data block, up to where its checksum fits.
        let first_end = (5..1000).find(|end| good[*end..*end + 4] == checksum(0, &good[..*end]));
        for block in parts
            .into_iter()
            .chain(std::iter::once(0..first_end.unwrap()))
        {
            for at in block.clone() {
                for change in [0x01, 0x08, 0x80, 0xff] {
                    vfs.damage(PATH, with_right_checksum(&good, at, change, block.clone()))
                        .unwrap();
                    for access in [Access::Mapped, Access::BlockByBlock] {
                        wander(&vfs, access);
                    }
                }
            }
        }
    }
}

/// Opens and reads whatever there is. Answers may be wrong, but they end, and errors are reported as errors.
fn wander(vfs: &MemoryVfs, access: Access) {
    let Ok(table) = open(vfs, access) else { return };
    for (key, _) in entries().iter().step_by(5) {
        let _ = table.get(key);
    }
    let mut cursor = table.cursor();
    let _ = cursor.seek_to_first();
    let steps = 1000;
    for _ in 0..steps {
        if !cursor.valid() {
            break;
        }
        let _ = (cursor.key().len(), cursor.value().len());
        let _ = cursor.next();
    }
    let _ = cursor.seek_to_last();
    for _ in 0..steps {
        if !cursor.valid() {
            break;
        }
        let _ = cursor.prev();
    }
    for (key, _) in entries().iter().step_by(9) {
        let _ = cursor.seek(key);
        let _ = cursor.seek_for_prev(key);
        if cursor.valid() {
            let _ = cursor.prev();
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_before_a_right_footer_give_no_panic(
        body in prop::collection::vec(any::<u8>(), 0..300),
        fields in prop::collection::vec(prop_oneof![0u64..400, any::<u64>()], 6),
    ) {
        let (vfs, _) = build(Compression::None);
        let mut bytes = body;
        let start = bytes.len();
        for field in fields {
            bytes.extend_from_slice(&field.to_le_bytes());
        }
        bytes.extend_from_slice(&1u32.to_le_bytes());
        let checksum = crc32fast::hash(&bytes[start..]);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes.extend_from_slice(b"KeysTbl\n");
        let len = bytes.len() as u64;
        vfs.damage(PATH, bytes).unwrap();
        for access in [Access::Mapped, Access::BlockByBlock] {
            assert_is_corruption(&open(&vfs, access).unwrap_err(), len);
        }
    }
}

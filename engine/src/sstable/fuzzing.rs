//! Malformed tables and blocks for the fuzz targets; see [`crate::fuzzing`].

use super::block::{Block, BlockCursor, Damage};
use super::footer::FOOTER_BYTES;
use super::stored::{self, Handle};
use super::table::Table;
use crate::checksum::checksum;
use crate::comparator::{Comparator, NumericSuffix};
use crate::cursor::InternalCursor;
use crate::internal_key;
use crate::vfs::{FileSlice, MemoryVfs, Vfs};
use std::path::Path;
use std::sync::Arc;

/// The offset in a footer of its checksum, which does not cover what follows; and the magic bytes at the end.
const CHECKSUM_AT: usize = 52;
const END: &[u8; 8] = b"KeysTbl\n";

fn orders() -> [Comparator; 3] {
    [
        Comparator::Bytewise,
        Comparator::reverse_bytewise(),
        Comparator::custom(NumericSuffix),
    ]
}

/// Walks and searches a block. Returns how many entries the first walk forward met.
///
/// # Panics
/// If a cursor goes in circles, or the order matters where it must not.
pub fn block(input: &[u8]) -> usize {
    let Ok(block) = Block::new(FileSlice::from(input.to_vec())) else {
        return 0;
    };
    let mut keys = Vec::new();
    let _ = walk(&block, &mut keys);
    for order in orders() {
        let mut cursor = BlockCursor::new(block.clone());
        for key in keys.iter().map(Vec::as_slice).chain([input]) {
            let _ = cursor.seek(&order, key);
            if cursor.valid() {
                let _ = cursor.prev();
            }
            let _ = cursor.seek_for_prev(&order, key);
            if cursor.valid() {
                let _ = cursor.next();
            }
        }
    }
    keys.len()
}

/// Walks forward, then backward. An entry takes at least its header, so the number of steps is bounded.
fn walk(block: &Block, keys: &mut Vec<Vec<u8>>) -> Result<(), Damage> {
    let most = block.contents().len();
    let mut cursor = BlockCursor::new(block.clone());
    let outcome = cursor.seek_to_first().and_then(|()| {
        while cursor.valid() {
            assert!(cursor.value().len() < most);
            keys.push(cursor.key().to_vec());
            assert!(keys.len() <= most, "a walk forward has no end");
            cursor.next()?;
        }
        Ok(())
    });
    cursor.seek_to_last()?;
    let mut steps = 0;
    while cursor.valid() {
        let _ = (cursor.key(), cursor.value());
        steps += 1;
        assert!(steps <= most, "a walk backward has no end");
        cursor.prev()?;
    }
    outcome
}

/// Opens a table as it is, and once more with all checksums corrected, and tries every kind of
/// read, mapped and read block by block. Returns how many entries were met.
///
/// # Panics
/// If a cursor goes in circles, or an error is not one that malformed bytes may cause.
pub fn table(input: &[u8]) -> usize {
    let mut mended = input.to_vec();
    mend(&mut mended);
    ask_file(input) + ask_file(&mended)
}

fn ask_file(bytes: &[u8]) -> usize {
    let (vfs, path) = (MemoryVfs::new(), Path::new("1.sst"));
    let written = vfs.create(path).and_then(|mut file| file.append(bytes));
    written.expect("memory takes every file");
    let mut met = 0;
    for order in orders() {
        for file in [vfs.open_mapped(path), vfs.open_random(path)] {
            let file = file.expect("it was just written");
            if let Ok(table) = Table::open(file, order.clone()) {
                met += ask(&Arc::new(table), bytes);
            }
        }
    }
    met
}

fn ask(table: &Arc<Table>, bytes: &[u8]) -> usize {
    // Blocks may be compressed, so the bound is greater than the file's length.
    let most = 4 * bytes.len().max(1 << 10);
    let mut cursor = table.cursor();
    let mut keys = Vec::new();
    let mut steps = 0;
    let mut step = cursor.seek_to_first();
    while step.is_ok() && cursor.valid() && steps < most {
        if keys.len() < 32 {
            keys.push(cursor.key().to_vec());
        }
        let _ = cursor.pinned_value();
        steps += 1;
        step = cursor.next();
    }
    let met = steps;
    let mut step = cursor.seek_to_last();
    while step.is_ok() && cursor.valid() && steps < 2 * most {
        let _ = (cursor.key(), cursor.value());
        steps += 1;
        step = cursor.prev();
    }
    keys.push(internal_key::encode(b"", 0, internal_key::ValueKind::Put));
    for key in &keys {
        let _ = table.get(key);
        let _ = cursor.seek(key);
        let _ = cursor.seek_for_prev(key);
    }
    met
}

/// Corrects the checksums of those parts of a table that lie within the file.
pub(crate) fn mend(file: &mut [u8]) {
    let Some(footer_at) = file.len().checked_sub(FOOTER_BYTES) else {
        return;
    };
    let footer = &mut file[footer_at..];
    footer[CHECKSUM_AT + 4..].copy_from_slice(END);
    footer[CHECKSUM_AT - 4..CHECKSUM_AT].copy_from_slice(&super::FORMAT_VERSION.to_le_bytes());
    let checksum = crc32fast::hash(&footer[..CHECKSUM_AT]);
    footer[CHECKSUM_AT..CHECKSUM_AT + 4].copy_from_slice(&checksum.to_le_bytes());
    let handles: Vec<Handle> = footer[..CHECKSUM_AT - 4]
        .as_chunks::<16>()
        .0
        .iter()
        .map(|field| Handle {
            offset: u64_of(&field[..8]),
            length: u64_of(&field[8..]),
        })
        .collect();
    for handle in data_blocks(file, handles.first()) {
        mend_part(file, handle);
    }
    for handle in handles {
        mend_part(file, handle);
    }
}

fn u64_of(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.try_into().expect("eight bytes"))
}

fn mend_part(file: &mut [u8], handle: Handle) {
    let parts_end = (file.len() - FOOTER_BYTES) as u64;
    if let Some(range) = handle.range_within(parts_end) {
        let covered = range.start..range.end + 1;
        let checksum = checksum(handle.offset, &file[covered.clone()]);
        file[covered.end..covered.end + 4].copy_from_slice(&checksum.to_le_bytes());
    }
}

/// The handles of the data blocks in an index.
fn data_blocks(file: &[u8], index: Option<&Handle>) -> Vec<Handle> {
    let parts_end = (file.len() - FOOTER_BYTES) as u64;
    let Some(range) = index.and_then(|index| index.range_within(parts_end)) else {
        return Vec::new();
    };
    let Ok(block) = Block::new(FileSlice::from(file[range].to_vec())) else {
        return Vec::new();
    };
    let mut cursor = BlockCursor::new(block);
    let mut handles = Vec::new();
    let mut step = cursor.seek_to_first();
    while step.is_ok() && cursor.valid() && handles.len() < 1000 {
        handles.extend(Handle::from_varints(cursor.value()));
        step = cursor.next();
    }
    handles
}

/// The contents of all blocks of a table, including the index: seeds for the target `block`.
///
/// # Panics
/// If the table is damaged.
pub fn blocks_of(file: &[u8]) -> Vec<Vec<u8>> {
    let footer_at = file.len() - FOOTER_BYTES;
    let index = Handle {
        offset: u64_of(&file[footer_at..footer_at + 8]),
        length: u64_of(&file[footer_at + 8..footer_at + 16]),
    };
    let mut handles = data_blocks(file, Some(&index));
    handles.push(index);
    let contents = |handle: Handle| {
        let range = handle
            .range_within(footer_at as u64)
            .expect("a whole table");
        let stored = &file[range.start..range.end + stored::TRAILER_BYTES];
        match stored::compression(stored).expect("a known compression") {
            stored::Compression::None => file[range].to_vec(),
            stored::Compression::Lz4 => stored::decompress(&file[range]).expect("a whole block"),
        }
    };
    handles.into_iter().map(contents).collect()
}

//! The range-delete block: the range tombstones of a table, all read when the table is opened.
//!
//! It has the format of a data block, with one entry for each tombstone of each fragment:
//!
//! ```text
//! key    the internal key of the first key that is deleted, with the tombstone's number and kind 2
//! value  the first key that is not deleted
//! ```
//!
//! Invariants
//! 1. Fragments follow each other without overlap. The entries of one fragment have the same two
//!    keys and descending sequence numbers, which is the order of internal keys.
//! 2. The table's properties say where the block is and how many entries it has. A table without
//!    range tombstones has no such block.
//! 3. The keys at which fragments begin, with shared prefixes restored, take no more than
//!    [`starts_bytes_max`]. All of them are in memory while the table is open, and a forged block
//!    could have thousands that share a long prefix.
//!
//! Under the bytewise order, and any other that keeps the keys of each prefix together, the third follows
//! from the first: between two keys that share a prefix lies the end of the first fragment, which therefore
//! has the prefix too, and is stored whole. For other orders the writer enforces the limit.

use std::sync::Arc;

use super::block::{Block, BlockBuilder, BlockCursor};
use super::stored::{self, Compression, Handle};
use crate::annotate::count;
use crate::comparator::Comparator;
use crate::internal_key::{self, ValueKind};
use crate::range_tombstone::{Fragment, RangeTombstones};
use crate::vfs::FileSlice;

/// A block's offsets have 32 bits.
const BLOCK_BYTES_MAX: usize = u32::MAX as usize;
/// The most that an entry takes besides its keys.
const ENTRY_BYTES: usize = 64;

/// How many bytes the keys at which fragments begin may take for each byte of the block.
const STARTS_PER_BYTE_MAX: usize = 16;
/// How many bytes they may take however short the block is.
const STARTS_BYTES_MIN: usize = 1 << 20;

/// How many bytes of memory the keys at which fragments begin may take, for a block of this length.
const fn starts_bytes_max(block_bytes: usize) -> usize {
    STARTS_BYTES_MIN.saturating_add(block_bytes.saturating_mul(STARTS_PER_BYTE_MAX))
}

/// The internal key at which a fragment begins.
pub(super) fn start_key(fragment: &Fragment) -> Vec<u8> {
    let newest = fragment.newest(internal_key::MAX_SEQUENCE);
    internal_key::encode(&fragment.start, newest, ValueKind::RangeDelete)
}

/// The internal key at which a fragment ends (exclusive).
pub(super) fn end_key(fragment: &Fragment) -> Vec<u8> {
    internal_key::range_end(&fragment.end)
}

/// Collects the range tombstones of a table.
#[derive(Debug)]
pub(super) struct RangeBlockBuilder {
    block: BlockBuilder,
    count: u64,
    /// The bytes of all keys at which fragments begin.
    starts_bytes: usize,
    /// The first and the last fragment.
    ends: Option<(Fragment, Fragment)>,
    key: Vec<u8>,
}

impl RangeBlockBuilder {
    pub(super) fn new(comparator: &Comparator, restart_interval: usize) -> Self {
        Self {
            block: BlockBuilder::new(comparator, restart_interval),
            count: 0,
            starts_bytes: 0,
            ends: None,
            key: Vec::new(),
        }
    }

    /// How many tombstones were added.
    pub(super) const fn count(&self) -> u64 {
        self.count
    }

    /// The first and the last fragment.
    pub(super) const fn ends(&self) -> Option<&(Fragment, Fragment)> {
        self.ends.as_ref()
    }

    /// Appends a fragment.
    ///
    /// # Errors
    /// What is wrong with it, or with its place, as part of a sentence.
    pub(super) fn add(
        &mut self,
        comparator: &Comparator,
        fragment: &Fragment,
    ) -> Result<(), String> {
        let pair: Vec<Fragment> = match &self.ends {
            Some((_, last)) => vec![last.clone(), fragment.clone()],
            None => vec![fragment.clone()],
        };
        if RangeTombstones::from_sorted(comparator, pair).is_err() {
            return Err(format!(
                "the range tombstone from \"{}\" to \"{}\" covers nothing or comes out of order{}",
                fragment.start.escape_ascii(),
                fragment.end.escape_ascii(),
                comparator.suspicion()
            ));
        }
        let entry_bytes = fragment.start.len() + fragment.end.len() + ENTRY_BYTES;
        let bytes = entry_bytes.saturating_mul(fragment.sequences.len());
        if self.block.size().saturating_add(bytes) > BLOCK_BYTES_MAX {
            return Err(
                "the range tombstones of one table take more than 4 GiB; release snapshots, for which they are kept"
                    .to_owned(),
            );
        }
        self.starts_bytes += fragment.start.len();
        if self.starts_bytes > starts_bytes_max(self.block.size()) {
            // At a restart the whole key is stored, so the block grows along with the keys.
            self.block.restart();
        }
        for sequence in fragment.sequences.iter().rev() {
            self.key.clear();
            internal_key::append(
                &mut self.key,
                &fragment.start,
                *sequence,
                ValueKind::RangeDelete,
            );
            self.block.add(&self.key, &fragment.end);
            self.count += 1;
        }
        self.ends = Some(match self.ends.take() {
            Some((first, _)) => (first, fragment.clone()),
            None => (fragment.clone(), fragment.clone()),
        });
        Ok(())
    }

    /// Appends the block to `buffer`, which is the part of a file from `offset` on. Appends nothing
    /// if there are no tombstones.
    pub(super) fn finish(&mut self, buffer: &mut Vec<u8>, offset: u64) -> Option<Handle> {
        if self.block.is_empty() {
            return None;
        }
        let stored = self
            .block
            .finish(|contents| stored::append(buffer, offset, contents, Compression::None));
        Some(stored)
    }
}

/// Reads a block of `count` entries.
///
/// # Errors
/// What is wrong with it, as part of a sentence.
pub(super) fn decode(
    contents: FileSlice,
    comparator: &Comparator,
    count: u64,
) -> Result<RangeTombstones, String> {
    in_order(comparator, fragments_of(contents, count)?)
}

/// Makes a set of the fragments of a block.
///
/// # Errors
/// As for [`decode`].
pub(super) fn in_order(
    comparator: &Comparator,
    fragments: Vec<Fragment>,
) -> Result<RangeTombstones, String> {
    RangeTombstones::from_sorted(comparator, fragments).map_err(|at| {
        let suspicion = comparator.suspicion();
        format!("range tombstone {at} covers nothing or comes out of order{suspicion}")
    })
}

/// The fragments of a block of `stated` entries, in the order in which they are stored.
///
/// # Errors
/// As for [`decode`].
pub(super) fn fragments_of(contents: FileSlice, stated: u64) -> Result<Vec<Fragment>, String> {
    let starts_bytes_max = starts_bytes_max(contents.len());
    let block = Block::new(contents).map_err(|damage| damage.to_string())?;
    let mut cursor = BlockCursor::new(block);
    let mut fragments: Vec<Fragment> = Vec::new();
    // Descending, as they are stored in the block.
    let mut sequences: Vec<u64> = Vec::new();
    cursor
        .seek_to_first()
        .map_err(|damage| damage.to_string())?;
    let (mut found, mut starts_bytes) = (0, 0);
    while cursor.valid() {
        let key = internal_key::parse(cursor.key())?;
        if key.kind != ValueKind::RangeDelete {
            return Err("an entry of the range-delete block is not a range tombstone".to_owned());
        }
        found += 1;
        match fragments.last() {
            Some(last) if *last.start == *key.user_key && *last.end == *cursor.value() => {}
            _ => {
                end_fragment(&mut fragments, &mut sequences);
                starts_bytes += key.user_key.len();
                if starts_bytes > starts_bytes_max {
                    return Err(format!(
                        "the range tombstones up to number {found} begin with keys of {starts_bytes} bytes together; those of a \
                         block of this length take {starts_bytes_max} at most"
                    ));
                }
                fragments.push(Fragment::tombstone(key.user_key, cursor.value(), 0));
            }
        }
        sequences.push(key.sequence);
        cursor.next().map_err(|damage| damage.to_string())?;
    }
    end_fragment(&mut fragments, &mut sequences);
    if found != stated {
        return Err(format!(
            "the range-delete block has {}, the properties state {stated}",
            count(found, "entry")
        ));
    }
    Ok(fragments)
}

fn end_fragment(fragments: &mut [Fragment], sequences: &mut Vec<u64>) {
    if let Some(last) = fragments.last_mut() {
        sequences.reverse();
        last.sequences = Arc::from(&**sequences);
        sequences.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fragment(start: &str, end: &str, sequences: &[u64]) -> Fragment {
        Fragment {
            sequences: sequences.into(),
            ..Fragment::tombstone(start.as_bytes(), end.as_bytes(), 0)
        }
    }

    fn write(fragments: &[Fragment]) -> Result<(Vec<u8>, u64), String> {
        let mut builder = RangeBlockBuilder::new(&Comparator::Bytewise, 2);
        for fragment in fragments {
            builder.add(&Comparator::Bytewise, fragment)?;
        }
        let mut file = Vec::new();
        let handle = builder.finish(&mut file, 0).expect("something was added");
        file.truncate(handle.length as usize);
        Ok((file, builder.count()))
    }

    fn sample() -> Vec<Fragment> {
        vec![
            fragment("apple", "fig", &[3, 9, 12]),
            fragment("fig", "kiwi", &[9]),
            fragment("lemon", "lime", &[1, 2]),
        ]
    }

    #[test]
    fn what_is_written_is_read() {
        let (block, count) = write(&sample()).unwrap();
        assert_eq!(count, 6);
        let read = decode(block.into(), &Comparator::Bytewise, count).unwrap();
        assert_eq!(read.fragments(), sample());
        assert!(
            RangeBlockBuilder::new(&Comparator::Bytewise, 1)
                .finish(&mut Vec::new(), 0)
                .is_none()
        );
    }

    #[test]
    fn what_is_out_of_order_is_not_written() {
        let wrong = [
            vec![fragment("b", "a", &[1])],
            vec![fragment("a", "a", &[1])],
            vec![fragment("a", "c", &[1]), fragment("b", "d", &[2])],
            vec![fragment("a", "c", &[2, 1])],
        ];
        for fragments in wrong {
            let why = write(&fragments).unwrap_err();
            assert!(
                why.contains("covers nothing or comes out of order"),
                "{why}"
            );
        }
    }

    #[test]
    fn a_foreign_block_is_refused_with_what_is_wrong() {
        let (block, count) = write(&sample()).unwrap();
        let refused =
            |block: Vec<u8>, count| decode(block.into(), &Comparator::Bytewise, count).unwrap_err();
        assert_eq!(
            refused(block.clone(), count + 1),
            "the range-delete block has 6 entries, the properties state 7"
        );
        let why = decode(block.into(), &Comparator::reverse_bytewise(), count).unwrap_err();
        assert_eq!(
            why,
            "range tombstone 0 covers nothing or comes out of order"
        );

        let mut entries = BlockBuilder::new(&Comparator::Bytewise, 1);
        entries.add(&internal_key::encode(b"a", 1, ValueKind::Put), b"b");
        let block = entries.finish(<[u8]>::to_vec);
        assert_eq!(
            refused(block, 1),
            "an entry of the range-delete block is not a range tombstone"
        );
    }

    /// A key of a mebibyte and thousands of keys that share it: a file of two mebibytes that would
    /// take gibibytes of memory.
    #[test]
    fn keys_that_take_far_more_memory_than_the_block_are_refused() {
        let mut entries = BlockBuilder::new(&Comparator::Bytewise, usize::MAX);
        let mut start = vec![b'p'; 1 << 20];
        let count = 4_000_u32;
        for number in 0..count {
            start.truncate(1 << 20);
            start.extend_from_slice(&number.to_be_bytes());
            // The keys are out of order, but a reader that does not know the order cannot tell.
            entries.add(
                &internal_key::encode(&start, 1, ValueKind::RangeDelete),
                b"q",
            );
        }
        let block = entries.finish(<[u8]>::to_vec);
        assert!(block.len() < 2 << 20, "{}", block.len());
        let why = fragments_of(block.into(), u64::from(count)).unwrap_err();
        assert!(why.contains("begin with keys of"), "{why}");
    }

    /// An order that does not keep prefixes together: ends differ in their last byte, and starts
    /// share prefixes.
    #[test]
    fn what_the_writer_makes_of_long_keys_is_read() {
        struct ByLastByte;
        impl crate::comparator::Compare for ByLastByte {
            fn name(&self) -> &str {
                "by last byte"
            }
            fn compare(&self, a: &[u8], b: &[u8]) -> std::cmp::Ordering {
                a.last().cmp(&b.last())
            }
        }
        let order = Comparator::custom(ByLastByte);
        let mut builder = RangeBlockBuilder::new(&order, 1_000);
        let prefix = vec![b'p'; 64 << 10];
        for last in (0..200_u8).step_by(2) {
            let start = [&prefix[..], &[last]].concat();
            let fragment = Fragment::tombstone(&start, &[last + 1], 1);
            builder.add(&order, &fragment).unwrap();
        }
        let mut file = Vec::new();
        let handle = builder.finish(&mut file, 0).unwrap();
        file.truncate(handle.length as usize);
        let read = decode(file.into(), &order, builder.count()).unwrap();
        assert_eq!(read.fragments().len(), 100);
    }

    #[test]
    fn a_changed_byte_never_panics() {
        let (good, count) = write(&sample()).unwrap();
        for at in 0..good.len() {
            for change in [0x01, 0x08, 0x80, 0xff] {
                let mut bad = good.clone();
                bad[at] ^= change;
                let _ = decode(bad.into(), &Comparator::Bytewise, count);
            }
        }
    }
}

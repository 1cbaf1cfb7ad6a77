//! Loads data blocks: in place, from the cache, or from the file.

use super::Table;
use crate::disk_waits;
use crate::error::Result;
use crate::sstable::block::{BYTES_PER_RESTART, Block, FRAME_BYTES};
use crate::sstable::footer::FOOTER_BYTES;
use crate::sstable::index::DataBlock;
use crate::sstable::properties::Properties;
use crate::sstable::stored::{self, Compression};
use crate::vfs::FileSlice;
use std::ops::Range;

/// How much of a block's end is prefetched at most. A core does not fetch more cache lines at once anyway.
const END_BYTES_MAX: usize = 512;

/// A block of this length is asked for before it is verified, whether or not this thread waits for the disk: it has
/// many pages, and next to their checksum the call costs little.
const LONG_BLOCK_BYTES: usize = 32 << 10;

/// The contents of a data block.
pub(super) enum Contents<'t> {
    /// A range of the mapped file.
    InPlace(&'t FileSlice, Range<usize>),
    /// Bytes in memory of their own: read or decompressed.
    Own(FileSlice),
}

impl Contents<'_> {
    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Contents::InPlace(file, range) => &file[range.clone()],
            Contents::Own(contents) => contents,
        }
    }

    /// A part of the contents, pinned.
    #[inline]
    pub(super) fn slice(&self, part: Range<usize>) -> FileSlice {
        match self {
            Contents::InPlace(file, range) => {
                file.slice(range.start + part.start..range.start + part.end)
            }
            Contents::Own(contents) => contents.slice(part),
        }
    }
}

impl Table {
    /// The contents of a data block, with their checksum verified. All reads of blocks go through here.
    #[inline]
    pub(super) fn load(&self, block: DataBlock) -> Result<Contents<'_>> {
        let wrong = |what| self.corruption(block.handle.offset, what);
        let Some(range) = block.handle.range_within(self.parts_end()) else {
            let what = format!("the index leads to {}, outside the file", block.handle);
            return Err(self.corruption(self.index_handle.offset, what));
        };
        let stored_len = range.len() + stored::TRAILER_BYTES;
        let Some(mapped) = &self.mapped else {
            let contents = self.shared.block(self.number, block.number, || {
                let stored = self.file.read_at(block.handle.offset, stored_len)?;
                stored::contents(&stored, block.handle.offset).map_err(wrong)
            });
            return contents.map(Contents::Own);
        };
        let stored = &mapped[range.start..range.start + stored_len];
        self.verified
            .once(block.number, || {
                if stored_len >= LONG_BLOCK_BYTES {
                    self.ask_for(block, block);
                }
                stored::verify(stored, block.handle.offset)
            })
            .map_err(wrong)?;
        match stored::compression(stored).map_err(wrong)? {
            Compression::None => Ok(Contents::InPlace(mapped, range)),
            Compression::Lz4 => {
                let contents = self.shared.block(self.number, block.number, || {
                    let contents = stored::decompress(&stored[..range.len()]);
                    contents.map(FileSlice::from).map_err(wrong)
                });
                contents.map(Contents::Own)
            }
        }
    }

    /// Like [`load`](Self::load), as a block that can be kept.
    pub(in crate::sstable) fn load_block(&self, block: DataBlock) -> Result<Block> {
        let contents = self.load(block)?;
        let len = contents.bytes().len();
        Block::new(contents.slice(0..len)).map_err(|damage| self.damaged(block.handle, &damage))
    }

    /// Has what is read next fetched ahead: the end of a block, from memory; or all of the block, where this thread waits
    /// for the disk.
    #[inline]
    pub(in crate::sstable) fn fetch(&self, block: DataBlock) {
        if self.waits_for_disk() {
            self.ask_for(block, block);
        } else {
            self.prefetch_end(block);
        }
    }

    /// Whether this thread lately waited for the disk, and may wait here again. To be asked once for each block.
    #[inline]
    pub(in crate::sstable) fn waits_for_disk(&self) -> bool {
        self.mapped.is_some() && disk_waits::likely()
    }

    /// Asks the system for all blocks from the first to the last.
    pub(in crate::sstable) fn ask_for(&self, first: DataBlock, last: DataBlock) {
        let start = first.handle.offset;
        let end = last.handle.offset.saturating_add(last.handle.length);
        let end = end.saturating_add(stored::TRAILER_BYTES as u64);
        self.file.will_read(start, end.saturating_sub(start));
    }

    /// How many data blocks there are in `bytes` of the file, about, and at least one.
    pub(in crate::sstable) fn blocks_in(&self, bytes: u64) -> usize {
        let blocks = self.index.blocks() as u64;
        let in_bytes = bytes.saturating_mul(blocks) / self.parts_end().max(1);
        usize::try_from(in_bytes).unwrap_or(usize::MAX).max(1)
    }

    /// Prefetches a block's end, which [`load`](Self::load) and the search for a restart read.
    #[inline]
    pub(in crate::sstable) fn prefetch_end(&self, block: DataBlock) {
        self.prefetch(block, |contents| {
            contents.end.saturating_sub(self.end_bytes)..contents.end + stored::TRAILER_BYTES
        });
    }

    /// Prefetches the beginning of a block's entries.
    #[inline]
    pub(in crate::sstable) fn prefetch_start(&self, block: DataBlock) {
        self.prefetch(block, |contents| contents.start..contents.start + 1);
    }

    /// Prefetches a part of the file, chosen from the range of a block's contents.
    #[inline]
    fn prefetch(&self, block: DataBlock, part: impl FnOnce(Range<usize>) -> Range<usize>) {
        if let Some(mapped) = &self.mapped
            && let Some(contents) = block.handle.range_within(self.parts_end())
        {
            let Range { start, end } = part(contents);
            mapped.prefetch(start, end);
        }
    }

    pub(super) fn parts_end(&self) -> u64 {
        self.file.len() - FOOTER_BYTES as u64
    }
}

/// About how many bytes the heads and restarts of a data block take, with the default of a restart
/// every four entries.
pub(super) fn end_bytes(properties: &Properties) -> usize {
    let entries = properties.entries / properties.data_blocks.max(1);
    let restarts = usize::try_from(entries / 4).unwrap_or(usize::MAX);
    let bytes = restarts.saturating_add(1).saturating_mul(BYTES_PER_RESTART);
    bytes.saturating_add(FRAME_BYTES).min(END_BYTES_MAX)
}

//! A block: sorted entries that share prefixes, the unit of reading and checksumming.
//!
//! Format (integers little-endian):
//!
//! ```text
//! entry*    shared: varint | unshared: varint | value_len: varint | version: varint | key tail | value
//! heads     8 bytes * n    of the user keys at the restarts, after the shared prefix; see heads
//! restarts  u32 * n        offsets of entries with shared = 0
//! skip      u32            length of the prefix that all user keys share; 0xffffffff: there are no heads
//! n         u32
//! ```
//!
//! A user key is the first `shared` bytes of the previous user key followed by the entry's
//! `unshared` bytes of tail. With the entry's version, `sequence << 2 | kind`, it makes an internal
//! key. Data blocks, range deletes and the index use the same format.
//!
//! Invariants
//! 1. Entries are strictly increasing under the column family's comparator.
//! 2. Every restart offset points at an entry whose `shared` is 0; the first one is 0. A block without
//!    entries has no restarts.
//! 3. Only bytes of user keys are shared. Every entry has its own version.
//! 4. Heads belong to the keys at the restarts. A block that is not in bytewise order has none.
//!
//! A reader relies on 2 and 3 only after checking them, because a block may be damaged or forged. It does
//! not check 1 and 4: a wrong order or a wrong head gives wrong answers, but no invalid memory access.
//!
//! The version is short because small numbers are, and most sequence numbers become 0 (see
//! `compaction::survivors`). A fixed trailer of 8 bytes took 6 % of a table of small rows.
//!
//! Left out: a hash index in the block. At most it could save a part of the 200 ns of a lookup.

mod builder;
mod cursor;
mod frame;
mod heads;
mod search;
#[cfg(test)]
mod tests;
mod view;
mod waypoints;

pub(super) use builder::BlockBuilder;
pub(super) use cursor::BlockCursor;
pub(super) use frame::{BYTES_PER_RESTART, FRAME_BYTES, Frame};
pub(crate) use heads::head;
pub(super) use search::Found;
pub(super) use view::{BlockView, Entry};

use crate::vfs::FileSlice;
use std::fmt;

/// What a walk reports for an entry whose key cannot be built.
const SHARES_TOO_MUCH: &str = "an entry shares more than its predecessor's user key";

/// What is wrong with a block. The reader of the table adds the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Damage {
    /// Where, in the block's contents.
    pub(super) at: usize,
    /// What was found there.
    pub(super) what: &'static str,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}, at byte {} of the block's contents",
            self.what, self.at
        )
    }
}

/// A block that owns a reference to its bytes.
#[derive(Clone, Debug)]
pub(super) struct Block {
    contents: FileSlice,
    frame: Frame,
}

impl Block {
    /// Checks the frame of a block; its entries are checked only as they are read.
    pub(super) fn new(contents: FileSlice) -> Result<Block, Damage> {
        let frame = Frame::read(&contents)?;
        Ok(Block { contents, frame })
    }

    /// A block without entries.
    pub(super) fn empty() -> Block {
        Block {
            contents: FileSlice::empty(),
            frame: Frame::default(),
        }
    }

    #[inline]
    pub(super) fn view(&self) -> BlockView<'_> {
        BlockView::of_checked(&self.contents, self.frame)
    }

    #[inline]
    pub(super) fn contents(&self) -> &FileSlice {
        &self.contents
    }
}

//! Reads a table: opens it, and finds single keys.
//!
//! ```text
//! open    reads and verifies all but the data blocks
//! lookup  finds a key, in steps that may be taken for several keys in turn
//! load    brings a data block to memory, verified, and prefetches
//! ```

mod load;
mod lookup;
mod open;

pub(super) use lookup::Interval;
pub use lookup::TableEntry;

use super::block::Damage;
use super::cache::SharedReads;
use super::cursor::TableCursor;
use super::filter::Filter;
use super::index::Index;
use super::properties::Properties;
use super::stored::Handle;
use super::verified::Verified;
use crate::bloom::KeyHash;
use crate::comparator::Comparator;
use crate::error::Error;
use crate::range_tombstone::RangeTombstones;
use crate::vfs::{FileSlice, RandomFile};
use std::path::Path;
use std::sync::Arc;

/// An open table. Any number of threads read it at once, without locks.
///
/// A mapped file (see [`Vfs::open_mapped`](crate::vfs::Vfs::open_mapped)) is read in place. Any
/// other file is read block by block into memory, and each block is verified whenever it is read.
/// Such blocks, and decompressed ones, stay in the cache of [`SharedReads`].
#[derive(Debug)]
pub struct Table {
    file: Arc<dyn RandomFile>,
    /// The whole file, if it can be read in place.
    mapped: Option<FileSlice>,
    comparator: Comparator,
    index: Index,
    index_handle: Handle,
    filter: Option<Filter>,
    range_tombstones: Option<Arc<RangeTombstones>>,
    properties: Properties,
    /// About how many bytes the heads and restarts of a data block take.
    end_bytes: usize,
    /// Whether every user key has a single version here, and the order is bytewise.
    single_versions: bool,
    verified: Verified,
    shared: Arc<SharedReads>,
    /// The number of this table among those that share.
    number: u64,
}

impl Table {
    /// Whether the table may hold entries of this key. `false` is certain. Range tombstones do not
    /// count as entries.
    #[inline]
    pub fn may_contain(&self, user_key: &[u8]) -> bool {
        self.may_contain_hashed(KeyHash::of(user_key))
    }

    #[inline]
    fn may_contain_hashed(&self, hash: KeyHash) -> bool {
        let filter = self.filter.as_ref();
        filter.is_none_or(|filter| filter.may_contain(hash))
    }

    /// A cursor over all entries, which keeps the table open.
    pub fn cursor(self: &Arc<Self>) -> TableCursor {
        TableCursor::new(Arc::clone(self))
    }

    /// The range tombstones, if there are any.
    pub fn range_tombstones(&self) -> Option<&Arc<RangeTombstones>> {
        self.range_tombstones.as_ref()
    }

    /// What the table says about itself, without its `inputs`, which
    /// [`read_properties`](super::read_properties) reads. Each output of a compaction lists all inputs, so if
    /// every open table kept them, and their numbers were scattered, the memory would grow with the square of the number
    /// of tables.
    pub fn properties(&self) -> &Properties {
        &self.properties
    }

    /// The table's file.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// See [`RandomFile::leave_to_system`].
    pub fn leave_to_system(&self) {
        self.file.leave_to_system();
    }

    /// The length of the file.
    pub fn file_bytes(&self) -> u64 {
        self.file.len()
    }

    pub(super) fn comparator(&self) -> &Comparator {
        &self.comparator
    }

    pub(super) fn index(&self) -> &Index {
        &self.index
    }

    pub(super) fn damaged(&self, handle: Handle, damage: &Damage) -> Error {
        self.corruption(handle.offset, damage.to_string())
    }

    pub(super) fn index_damaged(&self, damage: &Damage) -> Error {
        self.damaged(self.index_handle, damage)
    }

    pub(super) fn corruption(&self, offset: u64, what: String) -> Error {
        Error::corruption(self.file.path(), offset, what)
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        self.shared.forget(self.number, self.index.blocks());
    }
}

//! Finds a single key, in steps.
//!
//! Each step prefetches the memory that the next one reads. So a caller with several keys can take the first step for all
//! of them, then the second, and the waits for memory overlap.

use super::Table;
use super::load::Contents;
use crate::bloom::KeyHash;
use crate::error::Result;
use crate::internal_key::{self, ValueKind};
use crate::sstable::block::{BlockView, Found, Frame};
use crate::sstable::index::DataBlock;
use crate::vfs::FileSlice;

/// What a lookup found: the newest version at or below the sequence number that was asked for.
#[derive(Clone, Debug)]
pub struct TableEntry {
    /// When it was written.
    pub sequence: u64,
    /// Whether it is a value, a tombstone, or deleted by a range tombstone.
    pub kind: ValueKind,
    /// The value, held in place.
    pub value: FileSlice,
}

/// The restart interval of a data block in which a search continues. If the entry is not in it, it
/// is the first one after it.
pub(in crate::sstable) struct Interval<'t> {
    block: DataBlock,
    contents: Contents<'t>,
    frame: Frame,
    restart: usize,
}

impl Table {
    /// Finds the first entry at or after `target`, if it has the same user key. With the internal
    /// key of [`internal_key::append_seek`], that is the newest version that a reader sees. If the
    /// reader sees a newer range tombstone over the key, the result is that tombstone.
    ///
    /// Cost: one cache line of filter, two binary searches. In a mapped table under the bytewise order nothing is
    /// allocated.
    ///
    /// # Errors
    /// `Corruption` or `Io`, when a block cannot be read.
    pub fn get(&self, target: &[u8]) -> Result<Option<TableEntry>> {
        self.get_hashed(target, KeyHash::of(internal_key::user_key(target)))
    }

    /// Like [`get`](Self::get), for a caller that already has the hash of the target's user key.
    ///
    /// # Errors
    /// As for [`get`](Self::get).
    pub fn get_hashed(&self, target: &[u8], hash: KeyHash) -> Result<Option<TableEntry>> {
        let mut key = Vec::new();
        let entry = match self.find_block(target, hash, &mut key)? {
            None => None,
            Some(block) => {
                let interval = self.find_interval(block, target)?;
                self.find_entry(interval, target, &mut key)?
            }
        };
        Ok(self.beside_tombstones(entry, target))
    }

    /// Where the data block begins that holds the first entry at or after `target`; `None` if there is none. No block is read.
    ///
    /// # Errors
    /// `Corruption` from the index.
    pub fn offset_of(&self, target: &[u8]) -> Result<Option<u64>> {
        let block = self.index.find(&self.comparator, target, &mut Vec::new());
        let block = block.map_err(|damage| self.index_damaged(&damage))?;
        Ok(block.map(|block| block.handle.offset))
    }

    /// Prefetches the memory that [`find_block`](Self::find_block) reads first.
    #[inline]
    pub(in crate::sstable) fn prefetch_filter(&self, hash: KeyHash) {
        if let Some(filter) = &self.filter {
            filter.prefetch(hash);
        }
    }

    /// First step of a lookup: the data block that holds the first entry at or after `target`, unless the
    /// filter rules its user key out. Prefetches what the second step reads. `key` is a scratch buffer.
    #[inline]
    pub(in crate::sstable) fn find_block(
        &self,
        target: &[u8],
        hash: KeyHash,
        key: &mut Vec<u8>,
    ) -> Result<Option<DataBlock>> {
        if !self.may_contain_hashed(hash) {
            self.shared.filter_was_useful();
            return Ok(None);
        }
        let block = self
            .index
            .find(&self.comparator, target, key)
            .map_err(|damage| self.index_damaged(&damage))?;
        match block {
            Some(block) => self.fetch(block),
            None => self.filter_was_false(),
        }
        Ok(block)
    }

    /// Second step of a lookup: where in the block the search begins. Prefetches what the third step reads.
    ///
    /// A search for the first entry at or after the target normally begins in the interval before a
    /// restart that has the target's user key, because a newer version may be at the end of that
    /// interval. If every key has a single version, it can begin at that restart, which is shorter
    /// for one lookup in each restart interval's worth of keys.
    #[inline]
    pub(in crate::sstable) fn find_interval(
        &self,
        block: DataBlock,
        target: &[u8],
    ) -> Result<Interval<'_>> {
        let contents = self.load(block)?;
        let user_key = internal_key::user_key(target);
        let trailer = if self.single_versions {
            &internal_key::LAST_TRAILER
        } else {
            &target[user_key.len()..]
        };
        let (frame, restart) = BlockView::new(contents.bytes())
            .and_then(|view| {
                let restart = view.interval_of(&self.comparator, user_key, trailer)?;
                Ok((view.frame(), restart))
            })
            .map_err(|damage| self.damaged(block.handle, &damage))?;
        Ok(Interval {
            block,
            contents,
            frame,
            restart,
        })
    }

    /// Third step of a lookup: the first entry at or after `target`, if it has the same user key.
    /// `key` is a scratch buffer.
    #[inline]
    pub(in crate::sstable) fn find_entry(
        &self,
        interval: Interval<'_>,
        target: &[u8],
        key: &mut Vec<u8>,
    ) -> Result<Option<TableEntry>> {
        let Interval {
            block,
            contents,
            frame,
            restart,
        } = interval;
        let found = BlockView::of_checked(contents.bytes(), frame)
            .first_from(restart, &self.comparator, target, key)
            .map_err(|damage| self.damaged(block.handle, &damage))?;
        let Some(Found { entry, .. }) = found.filter(|found| found.same_user_key) else {
            self.filter_was_false();
            return Ok(None);
        };
        Ok(Some(TableEntry {
            sequence: entry.version.sequence(),
            kind: entry.version.kind(),
            value: contents.slice(entry.value),
        }))
    }

    /// Last step of a lookup: combines the entry, if there is one, with the range tombstones that
    /// the reader sees. The filter does not know range tombstones.
    #[inline]
    pub(in crate::sstable) fn beside_tombstones(
        &self,
        entry: Option<TableEntry>,
        target: &[u8],
    ) -> Option<TableEntry> {
        let Some(tombstones) = &self.range_tombstones else {
            return entry;
        };
        let (user_key, reader) = (
            internal_key::user_key(target),
            internal_key::sequence(target),
        );
        let sequence = tombstones.newest_over(&self.comparator, user_key, reader);
        if sequence == 0
            || entry
                .as_ref()
                .is_some_and(|entry| entry.sequence > sequence)
        {
            return entry;
        }
        Some(TableEntry {
            sequence,
            kind: ValueKind::RangeDelete,
            value: Vec::new().into(),
        })
    }

    fn filter_was_false(&self) {
        if self.filter.is_some() {
            self.shared.filter_was_false();
        }
    }
}

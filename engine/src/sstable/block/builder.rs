//! Writes a block.

use super::BlockView;
use super::frame::{FRAME_BYTES, Frame};
use super::heads::{HEAD_BYTES, NO_HEADS, head};
use crate::comparator::{Comparator, common_prefix_len};
use crate::internal_key::StoredVersion;
use crate::varint;

/// Collects the entries of one block; reused for the next block.
#[derive(Debug)]
pub(in crate::sstable) struct BlockBuilder {
    buffer: Vec<u8>,
    restarts: Vec<u32>,
    restart_interval: usize,
    /// Entries since the last restart, including the one there.
    since_restart: usize,
    /// The user key of the last entry.
    last_key: Vec<u8>,
    /// Whether the entries are in bytewise order, so that heads can be searched.
    has_heads: bool,
}

impl BlockBuilder {
    /// Puts a restart at every `restart_interval`-th entry; under the bytewise order also its head.
    pub(in crate::sstable) fn new(
        comparator: &Comparator,
        restart_interval: usize,
    ) -> BlockBuilder {
        assert!(restart_interval > 0, "a block needs restarts");
        BlockBuilder {
            buffer: Vec::new(),
            restarts: Vec::new(),
            restart_interval,
            since_restart: restart_interval,
            last_key: Vec::new(),
            has_heads: comparator.is_bytewise(),
        }
    }

    /// Appends an entry. The caller must keep the order.
    ///
    /// # Panics
    /// If `key` is not an internal key of a known kind.
    ///
    /// If the block grows beyond the 4 GiB that a restart offset can express. The table builder ends
    /// blocks long before that, and the limits on keys and values keep a single entry well below it.
    pub(in crate::sstable) fn add(&mut self, key: &[u8], value: &[u8]) {
        let (user_key, trailer) = key
            .split_last_chunk()
            .expect("an internal key ends in a trailer");
        let version =
            StoredVersion::of_trailer(*trailer).expect("a key to be stored has a known kind");
        let shared = if self.since_restart >= self.restart_interval {
            let offset = u32::try_from(self.buffer.len()).expect("a block is shorter than 4 GiB");
            self.restarts.push(offset);
            self.since_restart = 0;
            0
        } else {
            common_prefix_len(&self.last_key, user_key)
        };
        self.since_restart += 1;
        varint::append(&mut self.buffer, shared as u64);
        varint::append(&mut self.buffer, (user_key.len() - shared) as u64);
        varint::append(&mut self.buffer, value.len() as u64);
        varint::append(&mut self.buffer, version.number());
        self.buffer.extend_from_slice(&user_key[shared..]);
        self.buffer.extend_from_slice(value);
        self.last_key.truncate(shared);
        self.last_key.extend_from_slice(&user_key[shared..]);
    }

    /// Makes the next entry a restart, which shares nothing.
    pub(in crate::sstable) const fn restart(&mut self) {
        self.since_restart = self.restart_interval;
    }

    /// The length that the block would have if it were finished now.
    pub(in crate::sstable) fn size(&self) -> usize {
        let restart_bytes = if self.has_heads { 4 + HEAD_BYTES } else { 4 };
        self.buffer.len() + restart_bytes * self.restarts.len() + FRAME_BYTES
    }

    pub(in crate::sstable) fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// Hands the finished block to `store` and begins the next one.
    pub(in crate::sstable) fn finish<T>(&mut self, store: impl FnOnce(&[u8]) -> T) -> T {
        // No more than that: a few bytes behind an entry of half a GiB would double the buffer.
        self.buffer.reserve_exact(self.size() - self.buffer.len());
        let skip = self.append_heads();
        for restart in &self.restarts {
            self.buffer.extend_from_slice(&restart.to_le_bytes());
        }
        let restarts = u32::try_from(self.restarts.len()).expect("no more restarts than bytes");
        self.buffer
            .extend_from_slice(&Frame::encode(skip, restarts));
        let stored = store(&self.buffer);
        self.buffer.clear();
        self.restarts.clear();
        self.since_restart = self.restart_interval;
        self.last_key.clear();
        stored
    }

    /// Appends the heads of the restarts, and returns how long a prefix they leave out.
    fn append_heads(&mut self) -> u32 {
        if !self.has_heads || self.restarts.is_empty() {
            return NO_HEADS;
        }
        let entries_end = self.buffer.len();
        let mut skip = 0;
        for (number, &offset) in self.restarts.iter().enumerate() {
            let view = BlockView::of_entries(&self.buffer[..entries_end]);
            let entry = view.entry(offset as usize).expect("add wrote an entry");
            let user_key = view.bytes(&entry.tail);
            if number == 0 {
                // A prefix that the first and the last key share is shared by all keys between them.
                skip = common_prefix_len(user_key, &self.last_key);
            }
            let head = head(user_key, skip);
            self.buffer.extend_from_slice(&head.to_be_bytes());
        }
        u32::try_from(skip).expect("a key is shorter than 64 MiB")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::internal_key::{self, ValueKind};

    #[test]
    fn a_large_entry_is_not_given_room_twice() {
        let mut builder = BlockBuilder::new(&Comparator::Bytewise, 8);
        let key = internal_key::encode(b"key", 1, ValueKind::Put);
        builder.add(&key, &vec![0; 1 << 20]);
        builder.finish(|_| ());
        let room = builder.buffer.capacity();
        assert!(room < (1 << 20) + 1_000, "{room} bytes");
    }
}

//! Writes a block.

use super::common_prefix_len;
use crate::internal_key;
use crate::varint;

/// Gathers the entries of one block; reused for the next.
#[derive(Debug)]
pub(in crate::sstable) struct BlockBuilder {
    buffer: Vec<u8>,
    restarts: Vec<u32>,
    restart_interval: usize,
    /// Entries since the last restart, that one included.
    since_restart: usize,
    last_key: Vec<u8>,
}

impl BlockBuilder {
    /// Puts a restart at every `restart_interval`-th entry.
    pub(in crate::sstable) fn new(restart_interval: usize) -> BlockBuilder {
        assert!(restart_interval > 0, "a block needs restarts");
        BlockBuilder {
            buffer: Vec::new(),
            restarts: Vec::new(),
            restart_interval,
            since_restart: restart_interval,
            last_key: Vec::new(),
        }
    }

    /// Appends an entry. The caller keeps the order.
    ///
    /// # Panics
    /// If the block grows beyond what a restart offset can say, 4 GiB. The builder of tables cuts blocks long
    /// before, and the limits on keys and values keep one entry well below.
    pub(in crate::sstable) fn add(&mut self, key: &[u8], value: &[u8]) {
        let shared = if self.since_restart >= self.restart_interval {
            let offset = u32::try_from(self.buffer.len()).expect("a block is shorter than 4 GiB");
            self.restarts.push(offset);
            self.since_restart = 0;
            0
        } else {
            common_prefix_len(
                internal_key::user_key(&self.last_key),
                internal_key::user_key(key),
            )
        };
        self.since_restart += 1;
        varint::append(&mut self.buffer, shared as u64);
        varint::append(&mut self.buffer, (key.len() - shared) as u64);
        varint::append(&mut self.buffer, value.len() as u64);
        self.buffer.extend_from_slice(&key[shared..]);
        self.buffer.extend_from_slice(value);
        self.last_key.truncate(shared);
        self.last_key.extend_from_slice(&key[shared..]);
    }

    /// The length that the block would have if it were finished now.
    pub(in crate::sstable) fn size(&self) -> usize {
        self.buffer.len() + 4 * (self.restarts.len() + 1)
    }

    pub(in crate::sstable) fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// Hands the finished block to `store` and begins the next one.
    pub(in crate::sstable) fn finish<T>(&mut self, store: impl FnOnce(&[u8]) -> T) -> T {
        for restart in &self.restarts {
            self.buffer.extend_from_slice(&restart.to_le_bytes());
        }
        let restarts = u32::try_from(self.restarts.len()).expect("no more restarts than bytes");
        self.buffer.extend_from_slice(&restarts.to_le_bytes());
        let stored = store(&self.buffer);
        self.buffer.clear();
        self.restarts.clear();
        self.since_restart = self.restart_interval;
        self.last_key.clear();
        stored
    }
}

//! What can be chosen when a database is opened, with the defaults and their reasons.

use std::fmt;
use std::sync::Arc;

use crate::comparator::Comparator;
use crate::vfs::{StdVfs, Vfs};

/// Choices for a whole database.
#[derive(Debug, Clone)]
pub struct Options {
    /// Create the database if the directory is missing or empty. Default: yes.
    pub create_if_missing: bool,
    /// Refuse to open a database that is already there. Default: no.
    pub error_if_exists: bool,
    /// The file system. Default: the real one.
    pub vfs: Arc<dyn Vfs>,
    /// Who flushes and compacts. Default: threads of the database.
    pub background: Background,
    /// The families to open, and to create where missing, by name. `default` is always there.
    pub families: Vec<(String, FamilyOptions)>,
}

/// Who does the work that no caller waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Background {
    /// Threads that the database starts and stops.
    #[default]
    Threads,
    /// Nobody, until `Db::step` is called. For tests that must come out the same each time.
    Manual,
}

/// Choices for one column family.
#[derive(Clone)]
pub struct FamilyOptions {
    /// The order of the keys. Its name is stored; a family is never opened under another.
    pub comparator: Comparator,
    /// How large a memtable grows before it is written out. Default: 64 MiB.
    pub write_buffer_bytes: usize,
    /// The size of a table's blocks before compression. Default: 4 KiB.
    pub block_bytes: usize,
    /// Every how many entries a block stores a whole key. Default: 8.
    pub restart_interval: usize,
    /// Bits of bloom filter for each key; 0 for no filter. Default: 10, about one false positive in 100.
    pub filter_bits_per_key: usize,
    /// Where a compaction starts a new table. Default: 16 MiB.
    pub target_file_bytes: u64,
    /// Bytes that level 1 holds before it is compacted into level 2. Default: 128 MiB.
    pub level_base_bytes: u64,
    /// How many times larger each level is than the one above. Default: 10.
    pub level_multiplier: u64,
    /// Asked about each entry that a compaction rewrites. Default: none.
    pub compaction_filter: Option<Arc<dyn CompactionFilter>>,
}

/// Drops or changes entries while a compaction rewrites them.
///
/// It is called without locks, and only for a version that no snapshot sees. It may be called more than once
/// for an entry, or never: an entry that no compaction reaches stays.
pub trait CompactionFilter: Send + Sync {
    /// What becomes of this entry, which was put and not deleted since, as far as the compaction can see.
    fn decide(&self, key: &[u8], value: &[u8]) -> Decision;
}

/// What a compaction filter decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Leave the entry as it is.
    Keep,
    /// Delete the key.
    Remove,
    /// Give the key this value.
    Change(Vec<u8>),
}

/// How a write is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WriteOptions {
    /// Return only when the write would survive a power cut. Without it a write survives the end of the
    /// process, and a power cut loses at most the last writes, never an earlier one only.
    pub sync: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            create_if_missing: true,
            error_if_exists: false,
            vfs: Arc::new(StdVfs),
            background: Background::Threads,
            families: Vec::new(),
        }
    }
}

impl Options {
    /// Opens the family `name` with these options, and creates it if it is missing. Named twice, the later counts.
    #[must_use]
    pub fn family(mut self, name: impl Into<String>, options: FamilyOptions) -> Self {
        let name = name.into();
        self.families.retain(|(earlier, _)| *earlier != name);
        self.families.push((name, options));
        self
    }
}

impl Default for FamilyOptions {
    fn default() -> Self {
        Self {
            comparator: Comparator::Bytewise,
            write_buffer_bytes: 64 << 20,
            block_bytes: 4 << 10,
            restart_interval: 8,
            filter_bits_per_key: 10,
            target_file_bytes: 16 << 20,
            level_base_bytes: 128 << 20,
            level_multiplier: 10,
            compaction_filter: None,
        }
    }
}

impl fmt::Debug for FamilyOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FamilyOptions")
            .field("comparator", &self.comparator)
            .field("write_buffer_bytes", &self.write_buffer_bytes)
            .field("block_bytes", &self.block_bytes)
            .field("restart_interval", &self.restart_interval)
            .field("filter_bits_per_key", &self.filter_bits_per_key)
            .field("target_file_bytes", &self.target_file_bytes)
            .field("level_base_bytes", &self.level_base_bytes)
            .field("level_multiplier", &self.level_multiplier)
            .field("compaction_filter", &self.compaction_filter.is_some())
            .finish()
    }
}

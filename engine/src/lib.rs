//! A log-structured storage engine: ordered bytes, kept safe.
//!
//! Layers, each using only those below it (a test reads the imports):
//!
//! ```text
//! db                            open, write, read, flush, compaction, snapshots
//! version, compaction, iter     what the database is made of at one moment, and how it changes
//! memtable, log, sstable        one noun, one format
//! vfs, comparator, keys, error  keys depends on nothing
//! ```

pub mod batch;
pub mod compaction;
pub mod comparator;
pub mod cursor;
pub mod db;
pub mod error;
pub mod internal_key;
pub mod iter;
pub mod keys;
pub mod log;
pub mod memtable;
pub mod sstable;
pub mod varint;
pub mod version;
pub mod vfs;

pub use crate::batch::{FamilyId, WriteBatch};
pub use crate::comparator::{Comparator, Compare};
pub use crate::db::{
    Background, CompactionFilter, Compression, Cursor, DEFAULT_FAMILY, Db, Decision, Family,
    FamilyOptions, Options, Range, Snapshot, TableReads, Unlisted, Value, WriteOptions,
};
pub use crate::error::{Error, Result};

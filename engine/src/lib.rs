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
pub mod comparator;
pub mod cursor;
pub mod db;
pub mod error;
pub mod internal_key;
pub mod keys;
pub mod log;
pub mod memtable;
pub mod sstable;
pub mod varint;
pub mod vfs;

pub use crate::batch::{FamilyId, WriteBatch};
pub use crate::comparator::{Comparator, Compare};
pub use crate::db::{
    Background, CompactionFilter, Cursor, Db, Decision, Family, FamilyOptions, Options, Range,
    Snapshot, Value, WriteOptions,
};
pub use crate::error::{Error, Result};

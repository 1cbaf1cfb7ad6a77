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

pub mod comparator;
pub mod cursor;
pub mod error;
pub mod internal_key;
pub mod keys;
pub mod memtable;
pub mod varint;
pub mod vfs;

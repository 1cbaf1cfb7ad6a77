//! A log-structured storage engine: ordered bytes, kept safe.
//!
//! A database maps byte keys to byte values. It keeps them in column families, each sorted in an
//! order of its own. A write batch is atomic: all of it happens or none, in all families at once.
//! Readers never wait: they take a value, a snapshot or a cursor, and what they see does not change
//! under them.
//!
//! ```
//! use std::sync::Arc;
//! use engine::vfs::MemoryVfs;
//! use engine::{Db, Options, WriteBatch, WriteOptions};
//!
//! # fn main() -> engine::Result<()> {
//! // In memory here; without the `vfs` line it is a directory on disk.
//! let options = Options { vfs: Arc::new(MemoryVfs::new()), ..Options::default() };
//! let db = Db::open("accounts", options)?;
//! let accounts = db.default_family();
//!
//! let mut transfer = WriteBatch::new();
//! transfer.put(&accounts, "alice", "70");
//! transfer.put(&accounts, "bob", "30");
//! db.write(transfer, WriteOptions { sync: true })?;
//!
//! let before = db.snapshot();
//! db.delete("bob")?;
//! assert_eq!(before.get(&accounts, "bob")?.as_deref(), Some(&b"30"[..]));
//! assert!(db.get("bob")?.is_none());
//!
//! for row in accounts.range("a".."c") {
//!     let (key, value) = row?;
//!     assert_eq!((&*key, &*value), (&b"alice"[..], &b"70"[..]));
//! }
//! # Ok(())
//! # }
//! ```
//!
//! `examples/quick_tour.rs` continues from here. `docs/README.md` lists the documents (options,
//! families, comparators, reading, compaction, what survives a power cut, the file formats) and
//! says which test shows what.
//!
//! Layers, each using only those below it (`ARCHITECTURE.md` lists all modules; a test checks the
//! imports):
//!
//! ```text
//! db, inspect                   open, write, read, flush; what each byte of a file means
//! compaction                    which tables are merged, and how
//! iter                          one row for each key, out of all its sources
//! version                       which tables make up a family at one moment, and the manifest that says so
//! memtable, log, batch, sstable one noun, one format
//! cursor, range_tombstone       what they hand to each other; internal_key: what a key becomes inside
//! vfs, comparator               files, orders
//! keys, error                   keys depends on nothing
//! ```
//!
//! `checksum`, `disk_waits`, `prefetch`, `sync`, [`varint`], [`bloom`] and [`annotate`] are small helpers that all layers share.

pub mod annotate;
pub mod batch;
pub mod bloom;
mod checksum;
pub mod compaction;
pub mod comparator;
pub mod cursor;
pub mod db;
mod disk_waits;
pub mod error;
#[cfg(any(test, fuzzing))]
#[doc(hidden)]
pub mod fuzzing;
pub mod inspect;
pub mod internal_key;
pub mod iter;
pub mod keys;
pub mod log;
pub mod memtable;
mod prefetch;
pub mod range_tombstone;
pub mod sstable;
mod sync;
pub mod varint;
pub mod version;
pub mod vfs;

pub use crate::batch::{FamilyId, FamilyRef, WriteBatch};
pub use crate::comparator::{Comparator, Compare};
pub use crate::db::{
    Background, CompactionFilter, Compression, Cursor, DEFAULT_FAMILY, Db, Decision, Dropped,
    EntryCounts, Event, EventListener, Family, FamilyOptions, FamilyOverview, FamilyStatistics,
    Finding, LevelStatistics, ListedFamily, MemtableInfo, Options, Outcome, Overview, Range,
    Reason, RecoveryMode, RepairReport, Severity, Snapshot, Stall, StallStatistics, Statistics,
    Strategy, TableInfo, TableOverview, TableReads, TornLog, Unlisted, Value, VerifyReport,
    WriteOptions, WriteStatistics, overview, repair, verify,
};
pub use crate::error::{Error, Result};

/// The program in `docs/README.md`, so that it compiles as long as the page shows it.
#[cfg(doctest)]
#[doc = include_str!("../docs/README.md")]
struct DocsIndex;

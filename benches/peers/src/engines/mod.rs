//! The engines under test, each behind the same small interface and set up alike:
//! 64 MiB write buffer, 256 MiB cache, bloom filters of 10 bits a key, compression only where the work says so.
//!
//! A setting that an engine does not have is left at its default. Nothing else is tuned.

mod fjall;
mod leveldb;
mod ours;
mod redb;
mod rocksdb;

use crate::work::KEY_BYTES;
use anyhow::Result;
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Bytes gathered in memory before they are written as a table.
pub const WRITE_BUFFER_BYTES: usize = 64 << 20;
/// Bytes of blocks that an engine with a cache of its own may keep.
pub const CACHE_BYTES: usize = 256 << 20;
/// Bits of bloom filter for each key.
pub const FILTER_BITS_PER_KEY: i32 = 10;

/// How an engine stores the blocks of its tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks {
    Plain,
    /// By LZ4; by Snappy in LevelDB, which has no other. Plain all the same in redb, which compresses nothing, and in
    /// RocksDB, which is built without compression here.
    Compressed,
}

/// Which way a scan goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Forward,
    Backward,
}

/// What a scan saw: every key and value is looked at, so that no engine may skip reading it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scanned {
    pub entries: usize,
    pub bytes: usize,
}

impl Scanned {
    /// Looks at one entry: its lengths and a byte of each.
    pub fn see(&mut self, key: &[u8], value: &[u8]) {
        let touched = key.last().copied().unwrap_or(0) ^ value.last().copied().unwrap_or(0);
        std::hint::black_box(touched);
        self.entries += 1;
        self.bytes += key.len() + value.len();
    }
}

/// An ordered store that many threads may use at once.
pub trait Engine: Send + Sync {
    /// Writes one entry. It survives the end of the process, not necessarily a power cut.
    fn put(&self, key: &[u8], value: &[u8]) -> Result<()>;
    /// Writes one entry that survives a power cut.
    fn put_synced(&self, key: &[u8], value: &[u8]) -> Result<()>;
    /// Writes all entries or none.
    fn put_batch(&self, entries: &[(&[u8], &[u8])]) -> Result<()>;
    /// Deletes one entry, as durably as `put` writes one.
    fn delete(&self, key: &[u8]) -> Result<()>;
    /// Whatever an engine opens once for many reads: a transaction, or nothing.
    fn reader(&self) -> Result<Box<dyn Reader + '_>>;
    /// Merges everything into the engine's final shape and waits until it is done.
    fn compact(&self) -> Result<()>;
}

/// Reads, of everything that was written before it was made.
pub trait Reader {
    /// The length of the value, which is looked at.
    fn get(&self, key: &[u8]) -> Result<Option<usize>>;
    /// How many of these keys have a value; each value is looked at.
    fn get_many(&self, keys: &[[u8; KEY_BYTES]]) -> Result<usize> {
        keys.iter().try_fold(0, |found, key| {
            Ok(found + usize::from(self.get(key)?.is_some()))
        })
    }
    /// Opens a cursor at the first key at or beyond `from` in the direction of the scan (without it, at
    /// the end where the scan begins) and steps through at most `limit` entries.
    fn scan(&self, direction: Direction, from: Option<&[u8]>, limit: usize) -> Result<Scanned>;
}

impl<R: Reader + ?Sized> Reader for &R {
    fn get(&self, key: &[u8]) -> Result<Option<usize>> {
        (**self).get(key)
    }

    fn get_many(&self, keys: &[[u8; KEY_BYTES]]) -> Result<usize> {
        (**self).get_many(keys)
    }

    fn scan(&self, direction: Direction, from: Option<&[u8]>, limit: usize) -> Result<Scanned> {
        (**self).scan(direction, from, limit)
    }
}

/// The engines by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Ours,
    Leveldb,
    /// LevelDB that checks the checksum of each block when it reads it, as the others but redb do. Not measured unless it is
    /// asked for.
    LeveldbChecked,
    Rocksdb,
    Fjall,
    Redb,
}

impl Kind {
    /// Opens or creates a database in `dir`.
    pub fn open(self, dir: &Path, blocks: Blocks) -> Result<Box<dyn Engine>> {
        Ok(match self {
            Kind::Ours => Box::new(ours::Ours::open(dir, blocks)?),
            Kind::Leveldb => Box::new(leveldb::LevelDb::open(dir, blocks, false)?),
            Kind::LeveldbChecked => Box::new(leveldb::LevelDb::open(dir, blocks, true)?),
            Kind::Rocksdb => Box::new(rocksdb::RocksDb::open(dir)?),
            Kind::Fjall => Box::new(fjall::Fjall::open(dir, blocks)?),
            Kind::Redb => Box::new(redb::Redb::open(dir)?),
        })
    }

    /// As it is called on the command line and in the table.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Ours => "ours",
            Kind::Leveldb => "leveldb",
            Kind::LeveldbChecked => "leveldb-checked",
            Kind::Rocksdb => "rocksdb",
            Kind::Fjall => "fjall",
            Kind::Redb => "redb",
        }
    }

    /// Whether disk use, memory and reopening are compared with it: a B-tree trades them otherwise.
    pub fn is_lsm(self) -> bool {
        self != Kind::Redb
    }
}

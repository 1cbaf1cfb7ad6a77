//! fjall 3. Its writes go to the operating system one by one, as in the others.

use super::{Blocks, CACHE_BYTES, Direction, Engine, Reader, Scanned, WRITE_BUFFER_BYTES};
use anyhow::Result;
use fjall::config::CompressionPolicy;
use fjall::{CompressionType, Database, Guard, Keyspace, KeyspaceCreateOptions, PersistMode};
use std::ops::Bound;
use std::path::Path;

pub struct Fjall {
    database: Database,
    keyspace: Keyspace,
}

impl Fjall {
    pub fn open(dir: &Path, blocks: Blocks) -> Result<Self> {
        let database = Database::builder(dir)
            .cache_size(CACHE_BYTES as u64)
            .journal_compression(CompressionType::None)
            .open()?;
        let keyspace = database.keyspace("default", || {
            KeyspaceCreateOptions::default()
                .max_memtable_size(WRITE_BUFFER_BYTES as u64)
                .data_block_compression_policy(match blocks {
                    Blocks::Plain => CompressionPolicy::disabled(),
                    Blocks::Compressed => CompressionPolicy::all(CompressionType::Lz4),
                })
        })?;
        Ok(Self { database, keyspace })
    }
}

fn see(scanned: &mut Scanned, entries: impl Iterator<Item = Guard>, limit: usize) -> Result<()> {
    for entry in entries.take(limit) {
        let (key, value) = entry.into_inner()?;
        scanned.see(&key, &value);
    }
    Ok(())
}

impl Engine for Fjall {
    fn put(&self, key: &[u8], value: &[u8]) -> Result<()> {
        Ok(self.keyspace.insert(key, value)?)
    }

    fn put_synced(&self, key: &[u8], value: &[u8]) -> Result<()> {
        let mut batch = self
            .database
            .batch()
            .durability(Some(PersistMode::SyncData));
        batch.insert(&self.keyspace, key, value);
        Ok(batch.commit()?)
    }

    fn put_batch(&self, entries: &[(&[u8], &[u8])]) -> Result<()> {
        let mut batch = self.database.batch();
        for (key, value) in entries {
            batch.insert(&self.keyspace, *key, *value);
        }
        Ok(batch.commit()?)
    }

    fn delete(&self, key: &[u8]) -> Result<()> {
        Ok(self.keyspace.remove(key)?)
    }

    fn reader(&self) -> Result<Box<dyn Reader + '_>> {
        Ok(Box::new(self))
    }

    fn compact(&self) -> Result<()> {
        self.keyspace.rotate_memtable_and_wait()?;
        Ok(self.keyspace.major_compact()?)
    }
}

impl Reader for Fjall {
    fn get(&self, key: &[u8]) -> Result<Option<usize>> {
        Ok(self
            .keyspace
            .get(key)?
            .map(|value| std::hint::black_box(&value).len()))
    }

    fn scan(&self, direction: Direction, from: Option<&[u8]>, limit: usize) -> Result<Scanned> {
        let mut scanned = Scanned::default();
        let edge = from.map_or(Bound::Unbounded, Bound::Included);
        match direction {
            Direction::Forward => {
                let range = self.keyspace.range::<&[u8], _>((edge, Bound::Unbounded));
                see(&mut scanned, range, limit)?;
            }
            Direction::Backward => {
                let range = self.keyspace.range::<&[u8], _>((Bound::Unbounded, edge));
                see(&mut scanned, range.rev(), limit)?;
            }
        }
        Ok(scanned)
    }
}

//! This project's engine, with the defaults that a user gets but for what all engines are given.

use super::{
    Blocks, CACHE_BYTES, Direction, Engine, FILTER_BITS_PER_KEY, Reader, Scanned,
    WRITE_BUFFER_BYTES,
};
use crate::work::KEY_BYTES;
use anyhow::Result;
use engine::{Compression, Db, Family, FamilyOptions, Options, WriteBatch, WriteOptions};
use std::path::Path;

pub struct Ours {
    db: Db,
    family: Family,
}

impl Ours {
    pub fn open(dir: &Path, blocks: Blocks) -> Result<Self> {
        let family = FamilyOptions {
            write_buffer_bytes: WRITE_BUFFER_BYTES,
            filter_bits_per_key: FILTER_BITS_PER_KEY as _,
            compression: match blocks {
                Blocks::Plain => Compression::None,
                Blocks::Compressed => Compression::Lz4,
            },
            ..FamilyOptions::default()
        };
        let options = Options {
            block_cache_bytes: CACHE_BYTES,
            ..Options::default()
        };
        let db = Db::open(dir, options.family("default", family))?;
        let family = db.family("default")?;
        Ok(Self { db, family })
    }
}

impl Engine for Ours {
    fn put(&self, key: &[u8], value: &[u8]) -> Result<()> {
        Ok(self.family.put(key, value)?)
    }

    fn put_synced(&self, key: &[u8], value: &[u8]) -> Result<()> {
        let mut batch = WriteBatch::new();
        batch.put(&self.family, key, value);
        Ok(self.db.write(batch, WriteOptions { sync: true })?)
    }

    fn put_batch(&self, entries: &[(&[u8], &[u8])]) -> Result<()> {
        let mut batch = WriteBatch::new();
        for (key, value) in entries {
            batch.put(&self.family, key, value);
        }
        Ok(self.db.write(batch, WriteOptions::default())?)
    }

    fn delete(&self, key: &[u8]) -> Result<()> {
        Ok(self.family.delete(key)?)
    }

    fn reader(&self) -> Result<Box<dyn Reader + '_>> {
        Ok(Box::new(self))
    }

    fn compact(&self) -> Result<()> {
        Ok(self.db.compact()?)
    }
}

impl Reader for Ours {
    fn get(&self, key: &[u8]) -> Result<Option<usize>> {
        Ok(self
            .family
            .get(key)?
            .map(|value| std::hint::black_box(&value).len()))
    }

    fn get_many(&self, keys: &[[u8; KEY_BYTES]]) -> Result<usize> {
        let values = self.family.get_many(keys)?;
        let found = values.iter().flatten();
        Ok(found
            .inspect(|value| _ = std::hint::black_box(value))
            .count())
    }

    fn scan(&self, direction: Direction, from: Option<&[u8]>, limit: usize) -> Result<Scanned> {
        let mut scanned = Scanned::default();
        let mut cursor = self.family.cursor()?;
        match (direction, from) {
            (Direction::Forward, None) => cursor.seek_to_first()?,
            (Direction::Forward, Some(from)) => cursor.seek(from)?,
            (Direction::Backward, None) => cursor.seek_to_last()?,
            (Direction::Backward, Some(from)) => cursor.seek_for_prev(from)?,
        }
        while scanned.entries < limit && cursor.valid() {
            scanned.see(cursor.key(), cursor.value());
            match direction {
                Direction::Forward => cursor.next()?,
                Direction::Backward => cursor.prev()?,
            }
        }
        Ok(scanned)
    }
}

//! RocksDB 11, built from source by its crate.

use super::{
    CACHE_BYTES, Direction, Engine, FILTER_BITS_PER_KEY, Reader, Scanned, WRITE_BUFFER_BYTES,
};
use crate::work::KEY_BYTES;
use anyhow::{Context, Result};
use rocksdb::{
    BlockBasedOptions, BottommostLevelCompaction, Cache, ColumnFamilyDescriptor, CompactOptions,
    DB, DBCompressionType, DBRawIterator, DEFAULT_COLUMN_FAMILY_NAME, Options, WriteBatch,
    WriteOptions,
};
use std::path::Path;

pub struct RocksDb {
    database: DB,
}

impl RocksDb {
    pub fn open(dir: &Path) -> Result<Self> {
        let mut blocks = BlockBasedOptions::default();
        blocks.set_block_cache(&Cache::new_lru_cache(CACHE_BYTES));
        blocks.set_bloom_filter(f64::from(FILTER_BITS_PER_KEY), false);
        let mut options = Options::default();
        options.create_if_missing(true);
        options.set_write_buffer_size(WRITE_BUFFER_BYTES);
        options.set_compression_type(DBCompressionType::None);
        options.set_block_based_table_factory(&blocks);
        Ok(Self {
            database: DB::open_cf_descriptors(
                &options,
                dir,
                [ColumnFamilyDescriptor::new(
                    DEFAULT_COLUMN_FAMILY_NAME,
                    options.clone(),
                )],
            )?,
        })
    }
}

impl Engine for RocksDb {
    fn put(&self, key: &[u8], value: &[u8]) -> Result<()> {
        Ok(self.database.put(key, value)?)
    }

    fn put_synced(&self, key: &[u8], value: &[u8]) -> Result<()> {
        let mut options = WriteOptions::default();
        options.set_sync(true);
        Ok(self.database.put_opt(key, value, &options)?)
    }

    fn put_batch(&self, entries: &[(&[u8], &[u8])]) -> Result<()> {
        let mut batch = WriteBatch::default();
        for (key, value) in entries {
            batch.put(key, value);
        }
        Ok(self.database.write(batch)?)
    }

    fn delete(&self, key: &[u8]) -> Result<()> {
        Ok(self.database.delete(key)?)
    }

    fn reader(&self) -> Result<Box<dyn Reader + '_>> {
        Ok(Box::new(self))
    }

    fn compact(&self) -> Result<()> {
        let mut options = CompactOptions::default();
        options.set_bottommost_level_compaction(BottommostLevelCompaction::Force);
        self.database
            .compact_range_opt(None::<&[u8]>, None::<&[u8]>, &options);
        Ok(())
    }
}

impl Reader for RocksDb {
    fn get(&self, key: &[u8]) -> Result<Option<usize>> {
        Ok(self
            .database
            .get_pinned(key)?
            .map(|value| std::hint::black_box(&value).len()))
    }

    fn get_many(&self, keys: &[[u8; KEY_BYTES]]) -> Result<usize> {
        let family = self.database.cf_handle(DEFAULT_COLUMN_FAMILY_NAME);
        let family = family.context("the default family is not open")?;
        let mut found = 0;
        for value in self.database.batched_multi_get_cf(family, keys, false) {
            found += usize::from(std::hint::black_box(value?).is_some());
        }
        Ok(found)
    }

    fn scan(&self, direction: Direction, from: Option<&[u8]>, limit: usize) -> Result<Scanned> {
        let mut scanned = Scanned::default();
        let mut cursor: DBRawIterator = self.database.raw_iterator();
        match (direction, from) {
            (Direction::Forward, None) => cursor.seek_to_first(),
            (Direction::Forward, Some(from)) => cursor.seek(from),
            (Direction::Backward, None) => cursor.seek_to_last(),
            (Direction::Backward, Some(from)) => cursor.seek_for_prev(from),
        }
        while scanned.entries < limit
            && let Some((key, value)) = cursor.item()
        {
            scanned.see(key, value);
            match direction {
                Direction::Forward => cursor.next(),
                Direction::Backward => cursor.prev(),
            }
        }
        Ok(cursor.status().map(|()| scanned)?)
    }
}

//! redb 4, a copy-on-write B-tree. A plain write is a transaction with `Durability::None`.

use super::{CACHE_BYTES, Direction, Engine, Reader, Scanned};
use anyhow::Result;
use redb::{Database, Durability, ReadOnlyTable, ReadableDatabase, ReadableTable, TableDefinition};
use std::path::Path;

const TABLE: TableDefinition<&[u8], &[u8]> = TableDefinition::new("default");

pub struct Redb {
    database: Database,
}

impl Redb {
    pub fn open(dir: &Path) -> Result<Self> {
        let database = Database::builder()
            .set_cache_size(CACHE_BYTES)
            .create(dir.join("redb"))?;
        let begin = database.begin_write()?;
        begin.open_table(TABLE)?;
        begin.commit()?;
        Ok(Self { database })
    }

    fn write<'a>(
        &self,
        durability: Durability,
        entries: impl Iterator<Item = (&'a [u8], &'a [u8])>,
    ) -> Result<()> {
        let mut transaction = self.database.begin_write()?;
        transaction.set_durability(durability)?;
        {
            let mut table = transaction.open_table(TABLE)?;
            for (key, value) in entries {
                table.insert(key, value)?;
            }
        }
        Ok(transaction.commit()?)
    }
}

impl Engine for Redb {
    fn put(&self, key: &[u8], value: &[u8]) -> Result<()> {
        self.write(Durability::None, std::iter::once((key, value)))
    }

    fn put_synced(&self, key: &[u8], value: &[u8]) -> Result<()> {
        self.write(Durability::Immediate, std::iter::once((key, value)))
    }

    fn put_batch(&self, entries: &[(&[u8], &[u8])]) -> Result<()> {
        self.write(Durability::None, entries.iter().copied())
    }

    fn delete(&self, key: &[u8]) -> Result<()> {
        let mut transaction = self.database.begin_write()?;
        transaction.set_durability(Durability::None)?;
        transaction.open_table(TABLE)?.remove(key)?;
        Ok(transaction.commit()?)
    }

    fn reader(&self) -> Result<Box<dyn Reader + '_>> {
        Ok(Box::new(Reading {
            table: self.database.begin_read()?.open_table(TABLE)?,
        }))
    }

    /// Makes what was written durable. redb's `compact` needs the database to itself; a B-tree has no
    /// tables to merge, so that there is nothing else to do before a reading.
    fn compact(&self) -> Result<()> {
        self.write(Durability::Immediate, std::iter::empty())
    }
}

/// A read transaction, opened once for many reads.
struct Reading {
    table: ReadOnlyTable<&'static [u8], &'static [u8]>,
}

impl Reader for Reading {
    fn get(&self, key: &[u8]) -> Result<Option<usize>> {
        Ok(self
            .table
            .get(key)?
            .map(|value| std::hint::black_box(value.value()).len()))
    }

    fn scan(&self, direction: Direction, from: Option<&[u8]>, limit: usize) -> Result<Scanned> {
        let mut scanned = Scanned::default();
        let mut range = match (direction, from) {
            (_, None) => self.table.iter()?,
            (Direction::Forward, Some(from)) => self.table.range(from..)?,
            (Direction::Backward, Some(from)) => self.table.range(..=from)?,
        };
        while scanned.entries < limit {
            let entry = match direction {
                Direction::Forward => range.next(),
                Direction::Backward => range.next_back(),
            };
            let Some(entry) = entry else { break };
            let (key, value) = entry?;
            scanned.see(key.value(), value.value());
        }
        Ok(scanned)
    }
}

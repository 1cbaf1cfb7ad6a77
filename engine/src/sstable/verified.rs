//! Which data blocks of an open table have had their checksums verified.
//!
//! A block of a mapped file is verified when it is first read, and trusted from then on. A block
//! that failed is verified again each time.

use std::sync::atomic::{AtomicU64, Ordering};

/// One bit for each data block: whether its checksum was verified.
#[derive(Debug)]
pub(super) struct Verified {
    words: Box<[AtomicU64]>,
}

impl Verified {
    pub(super) fn new(blocks: usize) -> Verified {
        Verified {
            words: (0..blocks.div_ceil(64))
                .map(|_| AtomicU64::new(0))
                .collect(),
        }
    }

    /// Runs `verify` unless it succeeded for this block before.
    ///
    /// Relaxed order is enough, because the bit says something about bytes that never change. Two
    /// threads may both verify a block.
    #[inline]
    pub(super) fn once(
        &self,
        block: usize,
        verify: impl FnOnce() -> Result<(), String>,
    ) -> Result<(), String> {
        let (word, bit) = (&self.words[block / 64], 1 << (block % 64));
        if word.load(Ordering::Relaxed) & bit != 0 {
            return Ok(());
        }
        verify()?;
        word.fetch_or(bit, Ordering::Relaxed);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::comparator::Comparator;
    use crate::cursor::InternalCursor;
    use crate::error::{Error, Result};
    use crate::internal_key::{self, ValueKind};
    use crate::sstable::cache::SharedReads;
    use crate::sstable::stored::COMPARED;
    use crate::sstable::{Compression, Table, TableBuilder, TableOptions};
    use crate::vfs::{MemoryVfs, Vfs};
    use std::path::Path;
    use std::sync::Arc;

    const PATH: &str = "000005.sst";
    const KEYS: usize = 400;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Access {
        Mapped,
        Pread,
    }

    fn key(number: usize) -> Vec<u8> {
        internal_key::encode(format!("user:{number:04}").as_bytes(), 1, ValueKind::Put)
    }

    fn built(compression: Compression) -> MemoryVfs {
        let vfs = MemoryVfs::new();
        let options = TableOptions {
            block_bytes: 256,
            compression,
            ..TableOptions::new(Comparator::Bytewise)
        };
        let mut table = TableBuilder::new(vfs.create(Path::new(PATH)).unwrap(), options).unwrap();
        for number in 0..KEYS {
            table.add(&key(number), &[b'v'; 40]).unwrap();
        }
        table.finish().unwrap();
        vfs
    }

    fn opened(vfs: &MemoryVfs, access: Access, cache_bytes: usize) -> Arc<Table> {
        let path = Path::new(PATH);
        let file = match access {
            Access::Mapped => vfs.open_mapped(path).unwrap(),
            Access::Pread => vfs.open_random(path).unwrap(),
        };
        let shared = Arc::new(SharedReads::new(cache_bytes));
        Arc::new(Table::open_sharing(file, Comparator::Bytewise, shared).unwrap())
    }

    fn counted<T>(work: impl FnOnce() -> T) -> (T, usize) {
        let before = COMPARED.get();
        let done = work();
        (done, COMPARED.get() - before)
    }

    fn get_all(table: &Table) {
        for number in 0..KEYS {
            assert!(table.get(&key(number)).unwrap().is_some());
        }
    }

    fn walk_both_ways(table: &Arc<Table>) -> Result<()> {
        let mut cursor = table.cursor();
        cursor.seek_to_first()?;
        while cursor.valid() {
            cursor.next()?;
        }
        cursor.seek_to_last()?;
        while cursor.valid() {
            cursor.prev()?;
        }
        Ok(())
    }

    #[test]
    fn a_mapped_block_is_verified_once_however_often_it_is_read() {
        // Compressed blocks are decompressed again each time without a cache, but not verified again.
        for compression in [Compression::None, Compression::Lz4] {
            let vfs = built(compression);
            let table = opened(&vfs, Access::Mapped, 0);
            let blocks = table.index().blocks();
            assert!(blocks > 20, "{blocks}");
            let ((), walk) = counted(|| walk_both_ways(&table).unwrap());
            assert_eq!(walk, blocks, "each block, by the first walk");
            let again = || {
                get_all(&table);
                walk_both_ways(&table).unwrap();
            };
            assert_eq!(counted(again).1, 0, "{compression:?}");
            // Another opening trusts nothing.
            let table = opened(&vfs, Access::Mapped, 0);
            assert_eq!(counted(|| get_all(&table)).1, blocks, "{compression:?}");
        }
    }

    #[test]
    fn a_block_is_verified_each_time_that_it_comes_from_the_disk() {
        for compression in [Compression::None, Compression::Lz4] {
            let vfs = built(compression);
            let table = opened(&vfs, Access::Pread, 0);
            for _ in 0..2 {
                assert_eq!(counted(|| get_all(&table)).1, KEYS, "no cache keeps it");
            }
            let table = opened(&vfs, Access::Pread, 1 << 20);
            let blocks = table.index().blocks();
            assert_eq!(counted(|| get_all(&table)).1, blocks, "the cache keeps it");
            assert_eq!(counted(|| get_all(&table)).1, 0, "{compression:?}");
        }
    }

    #[test]
    fn a_block_that_failed_is_never_trusted() {
        let vfs = built(Compression::None);
        let mut bytes = vfs.read(Path::new(PATH)).unwrap();
        bytes[40] ^= 1;
        vfs.damage(PATH, bytes).unwrap();
        for (access, cache_bytes) in [(Access::Mapped, 0), (Access::Pread, 1 << 20)] {
            let table = opened(&vfs, access, cache_bytes);
            for _ in 0..3 {
                let (read, compared) = counted(|| table.get(&key(0)));
                assert!(
                    matches!(read, Err(Error::Corruption { offset: 0, .. })),
                    "{access:?}: {read:?}"
                );
                assert_eq!(compared, 1, "{access:?}");
            }
        }
    }
}

//! What the tables of a database share for reading: a cache of blocks, and counters.
//!
//! The cache holds blocks that had to be decompressed or read by a system call. Their checksums are
//! verified once, and reads find them in the cache while they stay. An uncompressed block of a mapped file
//! never enters: it can be read in place, and the operating system decides whether it stays in memory.
//!
//! Invariants
//! 1. A block in the cache had the right checksum when it was read.
//! 2. The number of an open table is used only once, so a block is never mistaken for one of another file.
//! 3. When a table is closed, its blocks are removed.
//!
//! A block that is evicted while it is being read stays in memory until the last value in it is dropped.
//!
//! The cache itself is the `quick_cache` crate: sharded, and one long scan does not evict everything else.

use crate::vfs::FileSlice;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Roughly what the cache itself uses for each block.
const BOOKKEEPING_BYTES: usize = 96;

/// For estimating how many blocks the cache will hold, because it remembers the keys of a share of as many evicted ones.
const BLOCK_BYTES_USUAL: usize = 16 << 10;

/// This many threads can count without sharing a cache line.
const STRIPES: usize = 16;

/// The table's number, and the block's number in the table.
type BlockKey = (u64, usize);

type Blocks = quick_cache::sync::Cache<BlockKey, FileSlice, Weigh>;

#[derive(Clone)]
struct Weigh;

impl quick_cache::Weighter<BlockKey, FileSlice> for Weigh {
    fn weight(&self, _: &BlockKey, block: &FileSlice) -> u64 {
        (block.len() + BOOKKEEPING_BYTES) as u64
    }
}

/// What the tables of a database share for reading.
pub struct SharedReads {
    blocks: Option<Blocks>,
    tables: AtomicU64,
    cache_hits: Counter,
    cache_misses: Counter,
    filter_useful: Counter,
    filter_false: Counter,
}

/// What was counted while reading, up to now.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReadCounts {
    /// Blocks that were found in the block cache.
    pub cache_hits: u64,
    /// Blocks that had to be read or decompressed.
    pub cache_misses: u64,
    /// Bytes in the block cache now.
    pub cache_bytes: u64,
    /// Lookups that a filter ended: the key is certainly not in the table.
    pub filter_useful: u64,
    /// Lookups that a filter let pass although the key was not there.
    pub filter_false_positives: u64,
}

impl SharedReads {
    /// With a cache of this many bytes; 0 for no cache.
    #[must_use]
    pub fn new(cache_bytes: usize) -> SharedReads {
        let usual_blocks = cache_bytes / BLOCK_BYTES_USUAL;
        let blocks = (cache_bytes > 0)
            .then(|| Blocks::with_weighter(usual_blocks, cache_bytes as u64, Weigh));
        SharedReads {
            blocks,
            tables: AtomicU64::new(0),
            cache_hits: Counter::default(),
            cache_misses: Counter::default(),
            filter_useful: Counter::default(),
            filter_false: Counter::default(),
        }
    }

    /// What was counted so far.
    #[must_use]
    pub fn counts(&self) -> ReadCounts {
        ReadCounts {
            cache_hits: self.cache_hits.sum(),
            cache_misses: self.cache_misses.sum(),
            cache_bytes: self.blocks.as_ref().map_or(0, Blocks::weight),
            filter_useful: self.filter_useful.sum(),
            filter_false_positives: self.filter_false.sum(),
        }
    }

    /// A new number for a table that is being opened.
    pub(super) fn new_table(&self) -> u64 {
        self.tables.fetch_add(1, Ordering::Relaxed)
    }

    /// The block, if it is cached; otherwise what `make` returns, which is then cached.
    pub(super) fn block<E>(
        &self,
        table: u64,
        block: usize,
        make: impl FnOnce() -> Result<FileSlice, E>,
    ) -> Result<FileSlice, E> {
        let Some(blocks) = &self.blocks else {
            return make();
        };
        if let Some(found) = blocks.get(&(table, block)) {
            self.cache_hits.add_one();
            return Ok(found);
        }
        self.cache_misses.add_one();
        let made = make()?;
        blocks.insert((table, block), made.clone());
        Ok(made)
    }

    /// Removes the blocks of a table that is being closed.
    pub(super) fn forget(&self, table: u64, blocks: usize) {
        if let Some(cache) = &self.blocks
            && !cache.is_empty()
        {
            for block in 0..blocks {
                cache.remove(&(table, block));
            }
        }
    }

    /// Counts a lookup that a filter ended.
    #[inline]
    pub(super) fn filter_was_useful(&self) {
        self.filter_useful.add_one();
    }

    /// Counts a lookup that a filter let pass although the key was not there.
    #[cold]
    pub(super) fn filter_was_false(&self) {
        self.filter_false.add_one();
    }
}

impl std::fmt::Debug for SharedReads {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.counts().fmt(f)
    }
}

/// A sum that many threads add to at once, each mostly in a cache line of its own.
#[derive(Debug, Default)]
struct Counter {
    stripes: [Stripe; STRIPES],
}

#[derive(Debug, Default)]
#[repr(align(128))]
struct Stripe(AtomicU64);

impl Counter {
    #[inline]
    fn add_one(&self) {
        self.stripes[stripe()].0.fetch_add(1, Ordering::Relaxed);
    }

    fn sum(&self) -> u64 {
        let counts = self.stripes.iter();
        counts.map(|stripe| stripe.0.load(Ordering::Relaxed)).sum()
    }
}

/// The stripe of this thread.
#[inline]
fn stripe() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static OWN: Cell<usize> = const { Cell::new(usize::MAX) };
    }
    OWN.with(|own| {
        if own.get() == usize::MAX {
            own.set(NEXT.fetch_add(1, Ordering::Relaxed) % STRIPES);
        }
        own.get()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(shared: &SharedReads, table: u64, number: usize, bytes: usize) -> usize {
        let made: Result<_, ()> =
            shared.block(table, number, || Ok(FileSlice::from(vec![7; bytes])));
        made.unwrap().len()
    }

    #[test]
    fn a_block_is_made_once_while_it_stays() {
        let shared = SharedReads::new(1 << 20);
        for _ in 0..3 {
            assert_eq!(block(&shared, 1, 5, 100), 100);
        }
        assert_eq!(block(&shared, 2, 5, 50), 50, "a block of another table");
        let counts = shared.counts();
        assert_eq!((counts.cache_hits, counts.cache_misses), (2, 2));
        let unreadable = shared.block(1, 6, || Err("unreadable"));
        assert_eq!(unreadable.unwrap_err(), "unreadable");
        assert_eq!(block(&shared, 1, 6, 10), 10, "an error is not kept");
    }

    #[test]
    fn the_cache_keeps_within_its_size_and_forgets_closed_tables() {
        let shared = SharedReads::new(100_000);
        for number in 0..1000 {
            block(&shared, 1, number, 1000);
            assert!(shared.counts().cache_bytes <= 100_000);
        }
        assert!(shared.counts().cache_bytes > 10_000);
        shared.forget(1, 1000);
        assert_eq!(shared.counts().cache_bytes, 0);
    }

    #[test]
    fn threads_count_together() {
        let shared = SharedReads::new(0);
        std::thread::scope(|scope| {
            for _ in 0..20 {
                scope.spawn(|| (0..1000).for_each(|_| shared.filter_was_useful()));
            }
        });
        assert_eq!(shared.counts().filter_useful, 20_000);
        assert_eq!(block(&shared, 1, 1, 10), 10);
        assert_eq!(shared.counts().cache_misses, 0, "there is no cache");
    }
}

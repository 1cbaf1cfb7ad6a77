//! The range tombstones of a memtable: an immutable set that its writer replaces.
//!
//! A batch with range tombstones makes a new set out of the old one, which takes time in proportion to the
//! old one. So the cost falls on range deletes: a read is a binary search, or a single check of a flag if
//! there are no range tombstones. To keep the sum of all the copying small, such a batch counts in
//! [`used_bytes`](super::MemtableWriter::used_bytes) as at least a fraction of the write buffer: a memtable
//! is full after [`BATCHES_MAX`] of them. Where tombstones overlap, the set grows by more than the batch,
//! because each fragment has a number for every tombstone over it. Then this growth is counted.
//!
//! Left out: a structure to which a tombstone can be added without copying. Where range tombstones
//! are frequent, they are the wrong means.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arc_swap::ArcSwap;

use crate::comparator::Comparator;
use crate::range_tombstone::{Fragment, RangeTombstones};

/// This many batches with range tombstones fill a memtable.
const BATCHES_MAX: usize = 1024;
/// About what a fragment takes besides its keys. Each number in it counts as much, because copying
/// it takes time too.
const FRAGMENT_BYTES: usize = 128;

/// The part that readers share.
#[derive(Debug, Default)]
pub(super) struct Ranges {
    /// Set with the first tombstone. A reader that sees a batch's sequence number sees everything
    /// stored before it.
    any: AtomicBool,
    set: ArcSwap<RangeTombstones>,
}

/// The right to add range tombstones.
#[derive(Debug)]
pub(super) struct RangesWriter {
    ranges: Arc<Ranges>,
    /// The tombstones of the batch that is being applied.
    batch: Vec<Fragment>,
    batch_bytes: usize,
    batch_bytes_min: usize,
    used_bytes: usize,
}

impl Ranges {
    /// The tombstones so far; `None` if there are none.
    #[inline]
    pub(super) fn load(&self) -> Option<Arc<RangeTombstones>> {
        self.any
            .load(Ordering::Acquire)
            .then(|| self.set.load_full())
    }

    pub(super) fn is_empty(&self) -> bool {
        !self.any.load(Ordering::Acquire)
    }

    /// The number of the newest tombstone over `key` that a reader of `sequence` sees; 0 if there is none.
    #[inline]
    pub(super) fn newest_over(&self, comparator: &Comparator, key: &[u8], sequence: u64) -> u64 {
        if self.is_empty() {
            return 0;
        }
        self.set.load().newest_over(comparator, key, sequence)
    }
}

impl RangesWriter {
    pub(super) fn new(buffer_bytes: usize) -> Self {
        Self {
            ranges: Arc::default(),
            batch: Vec::new(),
            batch_bytes: 0,
            batch_bytes_min: buffer_bytes / BATCHES_MAX,
            used_bytes: 0,
        }
    }

    pub(super) const fn ranges(&self) -> &Arc<Ranges> {
        &self.ranges
    }

    pub(super) const fn used_bytes(&self) -> usize {
        self.used_bytes
    }

    /// Adds a tombstone. Readers see it after [`end_batch`](Self::end_batch).
    #[cold]
    pub(super) fn add(&mut self, start: &[u8], end: &[u8], sequence: u64) {
        self.batch.push(Fragment::tombstone(start, end, sequence));
        self.batch_bytes += start.len() + end.len() + FRAGMENT_BYTES;
    }

    #[inline]
    pub(super) fn end_batch(&mut self, comparator: &Comparator) {
        if !self.batch.is_empty() {
            self.publish(comparator);
        }
    }

    #[cold]
    fn publish(&mut self, comparator: &Comparator) {
        let batch = std::mem::take(&mut self.batch);
        let old = self.ranges.set.load();
        let set = old.with_batch(comparator, batch);
        let grown = set.len().saturating_sub(old.len()) * FRAGMENT_BYTES;
        self.used_bytes += self.batch_bytes.max(self.batch_bytes_min).max(grown);
        self.batch_bytes = 0;
        if !set.is_empty() {
            self.ranges.set.store(Arc::new(set));
            self.ranges.any.store(true, Ordering::Release);
        }
    }
}

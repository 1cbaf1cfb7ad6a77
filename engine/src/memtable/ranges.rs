//! The range tombstones of a memtable: an immutable set that its writer replaces.
//!
//! A batch with range tombstones makes a new set out of the old one, which takes time in proportion to the
//! old one. So the cost falls on range deletes: a read is a binary search, or a single check of a flag if
//! there are no range tombstones. To keep the sum of all the copying small, such a batch counts in
//! [`used_bytes`](super::MemtableWriter::used_bytes) as at least a fraction of the write buffer: a memtable
//! is full after [`BATCHES_MAX`] of them. Where tombstones overlap, the set grows by more than the batch,
//! because each fragment has a number for every tombstone over it. Then this growth is counted.
//!
//! Most deleted ranges are never written to again. Where that is so, all entries under a tombstone are older than it, and a
//! cursor may pass them with one seek. So the writer notes the number of the last entry that came under a tombstone: a
//! tombstone with a greater number has no newer entry under it.
//!
//! Left out: a structure to which a tombstone can be added without copying. Where range tombstones
//! are frequent, they are the wrong means.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use arc_swap::ArcSwap;

use crate::comparator::Comparator;
use crate::range_tombstone::{Fragment, RangeTombstones};

/// This many batches with range tombstones fill a memtable.
const BATCHES_MAX: usize = 1024;
/// About what a fragment takes besides its keys. Each number in it counts as much, because copying
/// it takes time too.
const FRAGMENT_BYTES: usize = 128;
/// The tombstones of a batch are not sorted yet. If there are more than this, each of the batch's entries is taken to be
/// under one of them.
const BATCH_SEARCHED_MAX: usize = 16;

/// The part that readers share.
#[derive(Debug, Default)]
pub(super) struct Ranges {
    /// Set with the first tombstone. A reader that sees a batch's sequence number sees everything
    /// stored before it.
    any: AtomicBool,
    set: ArcSwap<RangeTombstones>,
    /// The number of the last entry that was written under an older tombstone. Stored before its number is visible.
    written_under: AtomicU64,
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
    /// The number of the newest tombstone, and of the last entry under one.
    newest: u64,
    written_under: u64,
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

    /// A reader sees no entry under a tombstone with a greater number than this that is newer than the tombstone.
    pub(super) fn written_under(&self) -> u64 {
        self.written_under.load(Ordering::Relaxed)
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
            newest: 0,
            written_under: 0,
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
        self.newest = self.newest.max(sequence);
    }

    /// Must be called for each entry. Its number must be greater than those of all entries and tombstones before it; if
    /// some are not, call [`know_no_order`](Self::know_no_order).
    #[inline]
    pub(super) fn note_entry(&mut self, comparator: &Comparator, key: &[u8], sequence: u64) {
        // Otherwise there are no tombstones, or none of them can be passed anyway.
        if self.newest > self.written_under {
            self.note_if_under(comparator, key, sequence);
        }
    }

    #[inline(never)]
    fn note_if_under(&mut self, comparator: &Comparator, key: &[u8], sequence: u64) {
        let is_under = |of: &Fragment| {
            comparator.compare(&of.start, key).is_le() && comparator.compare(key, &of.end).is_lt()
        };
        if self.batch.len() > BATCH_SEARCHED_MAX
            || self.batch.iter().any(is_under)
            || self.ranges.newest_over(comparator, key, u64::MAX) > 0
        {
            self.note(sequence);
        }
    }

    /// Says that entries may be newer than tombstones that came after them.
    pub(super) fn know_no_order(&mut self) {
        self.note(u64::MAX);
    }

    fn note(&mut self, sequence: u64) {
        self.written_under = sequence;
        self.ranges.written_under.store(sequence, Ordering::Relaxed);
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

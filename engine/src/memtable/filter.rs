//! A bloom filter over a memtable that has grown: most keys that are looked up are not in it, and a search that finds
//! nothing costs as much as one that finds.
//!
//! A small memtable lies in the processor's cache and is searched faster than it is filtered, so the filter is made when
//! the memtable has used as much as [`Filter::begins_at`]. Then the entries so far are gone through once. Which bits of which
//! line a key sets, [`crate::bloom`] says. The size follows from the write buffer, because the number of keys is not known
//! before; very small rows fill it beyond what is good, and then it denies fewer keys.
//!
//! Invariants
//! 1. A key's bits are set before its entry is in the list. So who may see an entry, because they read a sequence number
//!    that was published after it, sees its bits too, although bits are loaded and stored without order.
//! 2. Who finds the filter finds the bits of all entries before it was made: it is published complete, by release.
//! 3. One writer sets bits, so that reading and storing a word need not be one step.
//! 4. Range tombstones are no entries, and not in it.

use crate::bloom::{KeyHash, LINE_BYTES};
use crate::sync::{AtomicU64, Ordering};

/// The filter is this part of the write buffer: ten bits for each entry of 128 bytes, within a bound.
const PART_OF_BUFFER: usize = 128;
const FILTER_BYTES_MAX: usize = 4 << 20;
/// It begins when this part of the write buffer is used: then the filter is at most half as large as the entries.
const BEGINS_AT_PART: usize = 64;
/// The best number for ten bits a key.
const PROBES: u32 = 6;

/// One cache line.
#[derive(Debug)]
#[repr(align(64))]
struct Line([AtomicU64; LINE_BYTES / 8]);

#[derive(Debug)]
pub(super) struct Filter {
    lines: Box<[Line]>,
}

impl Filter {
    /// For a memtable that will grow to about `buffer_bytes`.
    pub(super) fn new(buffer_bytes: usize) -> Self {
        let bytes = (buffer_bytes / PART_OF_BUFFER).clamp(LINE_BYTES, FILTER_BYTES_MAX);
        Self {
            lines: (0..bytes / LINE_BYTES).map(|_| Line::new()).collect(),
        }
    }

    /// How many used bytes make a filter worth its while.
    pub(super) const fn begins_at(buffer_bytes: usize) -> usize {
        buffer_bytes / BEGINS_AT_PART
    }

    /// Bytes that it takes.
    pub(super) const fn bytes(&self) -> usize {
        self.lines.len() * LINE_BYTES
    }

    #[inline]
    fn line(&self, hash: KeyHash) -> &Line {
        &self.lines[hash.line(self.lines.len() as u32)]
    }

    /// Only the one writer calls this.
    #[inline]
    pub(super) fn add(&self, hash: KeyHash) {
        let line = self.line(hash);
        for bit in hash.bits(PROBES) {
            let (word, mask) = line.place(bit);
            word.store(word.load(Ordering::Relaxed) | mask, Ordering::Relaxed);
        }
    }

    /// Whether an entry of such a key may be there. `false` is certain.
    #[inline]
    pub(super) fn may_contain(&self, hash: KeyHash) -> bool {
        let line = self.line(hash);
        hash.bits(PROBES).all(|bit| {
            let (word, mask) = line.place(bit);
            word.load(Ordering::Relaxed) & mask != 0
        })
    }
}

impl Line {
    fn new() -> Self {
        Self(std::array::from_fn(|_| AtomicU64::new(0)))
    }

    #[inline]
    fn place(&self, bit: usize) -> (&AtomicU64, u64) {
        (&self.0[bit / 64], 1 << (bit % 64))
    }
}

// Outside loom, whose atomics live in its models only.
#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn hash(key: u64) -> KeyHash {
        KeyHash::of(&key.to_be_bytes())
    }

    #[test]
    fn no_added_key_is_denied_and_few_others_pass() {
        let entries = 420_000_u64;
        let filter = Filter::new(64 << 20);
        (0..entries).for_each(|key| filter.add(hash(key)));
        assert!((0..entries).all(|key| filter.may_contain(hash(key))));
        let others = entries..2 * entries;
        let passed = others.filter(|&key| filter.may_contain(hash(key))).count();
        // 1.0 % measured.
        assert!(passed as u64 <= entries / 80, "{passed} of {entries} pass");
    }

    #[test]
    fn the_smallest_has_a_line_and_the_largest_a_bound() {
        let filter = Filter::new(0);
        assert_eq!(filter.bytes(), LINE_BYTES);
        assert!(!filter.may_contain(hash(1)));
        filter.add(hash(1));
        assert!(filter.may_contain(hash(1)));
        assert_eq!(Filter::new(1 << 40).bytes(), FILTER_BYTES_MAX);
        assert_eq!(align_of::<Line>(), LINE_BYTES);
    }
}

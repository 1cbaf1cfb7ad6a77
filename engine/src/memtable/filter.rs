//! A bloom filter over a memtable that has grown: most keys that are looked up are not in it, and a search that finds
//! nothing costs as much as one that finds.
//!
//! ```text
//! filter   line: 64 bytes *  one 128th of the write buffer
//! key      its hash chooses a line, and four bits in it
//! ```
//!
//! A small memtable lies in the processor's cache and is searched faster than it is filtered, so the filter is made when
//! the memtable has used as much as [`Filter::begins_at`]. Then the entries so far are gone through once.
//!
//! Invariants
//! 1. A key's bits are set before its entry is in the list. So who may see an entry, because they read a sequence number
//!    that was published after it, sees its bits too, although bits are stored without order.
//! 2. One writer sets bits, so that reading and storing a word need not be one step.
//! 3. Range tombstones are no entries, and not in it.

use std::sync::atomic::{AtomicU64, Ordering};

use xxhash_rust::xxh3::xxh3_64;

/// The filter is this part of the write buffer: ten bits for each entry of 128 bytes.
const PART_OF_BUFFER: usize = 128;
/// It begins when this part of the write buffer is used: then the filter is at most half as large as the entries.
const BEGINS_AT_PART: usize = 64;
const LINE_BITS: u64 = 512;
const PROBES: u32 = 4;

/// The words of a line.
type Line = [AtomicU64; (LINE_BITS / 64) as usize];

#[derive(Debug)]
pub(super) struct Filter {
    lines: Box<[Line]>,
}

impl Filter {
    /// For a memtable that will grow to about `buffer_bytes`.
    pub(super) fn new(buffer_bytes: usize) -> Self {
        let lines = (buffer_bytes / PART_OF_BUFFER).div_ceil(size_of::<Line>());
        Self {
            lines: (0..lines.max(1)).map(|_| Line::default()).collect(),
        }
    }

    /// How many used bytes make a filter worth its while.
    pub(super) const fn begins_at(buffer_bytes: usize) -> usize {
        buffer_bytes / BEGINS_AT_PART
    }

    #[inline]
    fn line(&self, hash: u64) -> &Line {
        let at = ((hash >> 32) * self.lines.len() as u64) >> 32;
        &self.lines[at as usize]
    }

    #[inline]
    pub(super) fn add(&self, user_key: &[u8]) {
        let hash = xxh3_64(user_key);
        let line = self.line(hash);
        for (word, bit) in bits_of(hash) {
            let word = &line[word];
            word.store(word.load(Ordering::Relaxed) | bit, Ordering::Relaxed);
        }
    }

    /// Whether an entry of this key may be there. `false` is certain.
    #[inline]
    pub(super) fn may_contain(&self, user_key: &[u8]) -> bool {
        let hash = xxh3_64(user_key);
        let line = self.line(hash);
        bits_of(hash).all(|(word, bit)| line[word].load(Ordering::Relaxed) & bit != 0)
    }
}

/// The bits of a hash within its line, each as a word and a mask. The lower half of the hash chooses them, the upper half
/// the line; four bits take part in both.
#[inline]
fn bits_of(hash: u64) -> impl Iterator<Item = (usize, u64)> {
    (0..PROBES).map(move |probe| {
        let bit = (hash >> (9 * probe)) % LINE_BITS;
        ((bit / 64) as usize, 1 << (bit % 64))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_added_key_is_denied_and_few_others_pass() {
        let entries = 420_000_u64;
        let filter = Filter::new(64 << 20);
        (0..entries).for_each(|key| filter.add(&key.to_be_bytes()));
        assert!((0..entries).all(|key| filter.may_contain(&key.to_be_bytes())));
        let others = entries..2 * entries;
        let passed = others
            .filter(|key| filter.may_contain(&key.to_be_bytes()))
            .count();
        // 1.9 % measured.
        assert!(passed as u64 <= entries / 40, "{passed} of {entries} pass");
    }

    #[test]
    fn the_smallest_has_a_line() {
        let filter = Filter::new(0);
        assert!(!filter.may_contain(b"key"));
        filter.add(b"key");
        assert!(filter.may_contain(b"key"));
    }
}

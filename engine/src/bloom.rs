//! What all bloom filters share: the hash of a key, and which bits of which line belong to it.
//!
//! A filter is an array of lines of [`LINE_BYTES`] bytes, the size of a cache line. All bits of a
//! key are in one line, so a query costs one cache miss. The upper half of the hash (XXH3, 64 bits)
//! chooses the line: `(upper * lines) >> 32`. The lower half makes the probes: its top 9 bits
//! choose a bit of the line; multiplying it by 0x9e3779b9 gives the next probe.
//!
//! A table keeps its filter in its file (`sstable::filter`). A memtable, which still changes, has an
//! index by the same hash instead (`memtable::index`). A lookup hashes its key once for all of them.
//!
//! Rejected: probes spread over the whole filter. At 10 bits a key, 0.8 % of absent keys pass such
//! a filter and about 1 % pass this one, but there each probe is a cache miss of its own.
//!
//! Sources: Bloom, 1970; Putze, Sanders and Singler, 2007, for one line a key; RocksDB's `FastLocalBloom` for the
//! way to derive probes.

use xxhash_rust::xxh3::xxh3_64;

/// Bytes in a line.
pub const LINE_BYTES: usize = 64;

/// More probes than this make a filter slower and no better.
pub const PROBES_MAX: u32 = 16;

/// The hash of a user key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyHash(u64);

impl KeyHash {
    /// Hashes a user key.
    #[inline]
    #[must_use]
    pub fn of(user_key: &[u8]) -> Self {
        Self(xxh3_64(user_key))
    }

    /// Which of `lines` lines the key is in.
    #[inline]
    #[must_use]
    pub fn line(self, lines: u32) -> usize {
        (((self.0 >> 32) * u64::from(lines)) >> 32) as usize
    }

    /// Eight bits of the hash. They overlap the half that makes the key's bits, not the half that
    /// chooses its line.
    #[inline]
    #[must_use]
    pub const fn byte(self) -> u8 {
        self.0 as u8
    }

    /// The key's bits within its line.
    #[inline]
    pub fn bits(self, probes: u32) -> impl Iterator<Item = usize> {
        let mut state = self.0 as u32;
        (0..probes).map(move |_| {
            let bit = state >> 23;
            state = state.wrapping_mul(0x9e37_79b9);
            bit as usize
        })
    }
}

/// The best number of probes for a filter in lines: a little below the textbook's ln 2 times the
/// bits per key, because keys are spread unevenly over the lines.
#[must_use]
pub fn probes(bits_per_key: usize) -> u32 {
    ((bits_per_key * 3 / 5) as u32).clamp(1, PROBES_MAX)
}

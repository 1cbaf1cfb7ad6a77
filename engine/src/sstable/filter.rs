//! A bloom filter over all user keys of a table: at the cost of one cache line it can say that a
//! key is certainly absent.
//!
//! ```text
//! line*   64 bytes each, at least one
//! probes  u8    bits set for a key, all in one line
//! ```
//!
//! [`crate::bloom`] defines which bits of which line a key sets. Bit b of a line is bit `b % 8` of
//! byte `b / 8`.
//!
//! Invariants
//! 1. A key that was added always passes.
//! 2. In the file, lines begin at a multiple of 64, so that each is one cache line of the mapping.

use crate::bloom::{KeyHash, LINE_BYTES, PROBES_MAX, probes};
use crate::vfs::FileSlice;

/// Collects the hashes of a table's user keys.
#[derive(Debug)]
pub(super) struct FilterBuilder {
    bits_per_key: usize,
    hashes: Vec<KeyHash>,
}

impl FilterBuilder {
    /// With 0 bits a key there is no filter.
    pub(super) fn new(bits_per_key: usize) -> FilterBuilder {
        FilterBuilder {
            bits_per_key,
            hashes: Vec::new(),
        }
    }

    /// Adds a key. Versions of one key must be added one after another, and count once.
    pub(super) fn add(&mut self, user_key: &[u8]) {
        if self.bits_per_key == 0 {
            return;
        }
        let hash = KeyHash::of(user_key);
        if self.hashes.last() != Some(&hash) {
            self.hashes.push(hash);
        }
    }

    /// The filter's bytes, or `None` if there is none.
    pub(super) fn finish(&self) -> Option<Vec<u8>> {
        if self.hashes.is_empty() {
            return None;
        }
        let lines = (self.hashes.len() * self.bits_per_key).div_ceil(8 * LINE_BYTES);
        // Beyond 2^32 lines (256 GiB of filter) the hash could not choose a line; no table is that large.
        let lines = u32::try_from(lines).unwrap_or(u32::MAX);
        let probes = probes(self.bits_per_key);
        let mut bytes = vec![0; lines as usize * LINE_BYTES];
        for &hash in &self.hashes {
            let line = hash.line(lines) * LINE_BYTES;
            for bit in hash.bits(probes) {
                bytes[line + bit / 8] |= 1 << (bit % 8);
            }
        }
        bytes.push(probes as u8);
        Some(bytes)
    }
}

/// Reads a filter in place.
#[derive(Clone, Debug)]
pub(super) struct Filter {
    bytes: FileSlice,
    lines: u32,
    probes: u32,
}

impl Filter {
    /// Checks the shape of a filter. `None` if it is not a filter of this kind.
    pub(super) fn new(bytes: FileSlice) -> Option<Filter> {
        let (probes, lines) = bytes.split_last()?;
        let (lines, rest) = lines.as_chunks::<LINE_BYTES>();
        let probes = u32::from(*probes);
        let lines = u32::try_from(lines.len()).ok()?;
        let sound = rest.is_empty() && lines > 0 && (1..=PROBES_MAX).contains(&probes);
        sound.then_some(Filter {
            bytes,
            lines,
            probes,
        })
    }

    /// Prefetches the line that a key of this hash would be in.
    #[inline]
    pub(super) fn prefetch(&self, hash: KeyHash) {
        let start = hash.line(self.lines) * LINE_BYTES;
        self.bytes.prefetch(start, start + LINE_BYTES);
    }

    /// Whether a key of this hash may have been added. `false` is certain.
    #[inline]
    pub(super) fn may_contain(&self, hash: KeyHash) -> bool {
        let start = hash.line(self.lines) * LINE_BYTES;
        let line = &self.bytes[start..start + LINE_BYTES];
        let line = line.first_chunk::<LINE_BYTES>().expect("a whole line");
        // All probes are made: a branch that stops at the first clear bit would be mispredicted as
        // often as not.
        hash.bits(self.probes)
            .fold(1, |set, bit| set & line[bit / 8] >> (bit % 8))
            == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(keys: impl Iterator<Item = u64>, bits_per_key: usize) -> Vec<u8> {
        let mut builder = FilterBuilder::new(bits_per_key);
        keys.for_each(|key| builder.add(&key.to_be_bytes()));
        builder.finish().unwrap()
    }

    fn passing(filter: &[u8], keys: impl Iterator<Item = u64>) -> usize {
        let filter = Filter::new(filter.to_vec().into()).unwrap();
        keys.filter(|key| filter.may_contain(KeyHash::of(&key.to_be_bytes())))
            .count()
    }

    #[test]
    fn no_added_key_is_denied() {
        for count in [1, 2, 50, 51, 52, 1000] {
            for bits_per_key in [1, 5, 10, 20, 40] {
                let filter = build(0..count, bits_per_key);
                assert_eq!(
                    passing(&filter, 0..count),
                    count as usize,
                    "{count} keys, {bits_per_key} bits"
                );
            }
        }
    }

    #[test]
    fn few_absent_keys_pass() {
        // How many of 10,000 absent keys pass, measured here; the bounds leave a margin of a tenth.
        for (bits_per_key, passing_max) in [(5, 1200), (10, 115), (16, 20)] {
            let filter = build(0..100_000, bits_per_key);
            let passed = passing(&filter, 1_000_000..2_000_000);
            assert!(
                passed <= passing_max * 100,
                "{bits_per_key} bits a key: {passed} of 1,000,000 absent keys pass"
            );
            assert!(filter.len() <= 100_000 * bits_per_key / 8 + LINE_BYTES + 1);
        }
    }

    #[test]
    fn versions_of_a_key_count_once_and_no_bits_mean_no_filter() {
        let mut builder = FilterBuilder::new(10);
        (0..1000).for_each(|_| builder.add(b"the same key"));
        assert_eq!(builder.finish().unwrap().len(), LINE_BYTES + 1);
        let mut builder = FilterBuilder::new(0);
        builder.add(b"key");
        assert_eq!(builder.finish(), None);
        assert_eq!(FilterBuilder::new(10).finish(), None);
    }

    #[test]
    fn other_shapes_are_refused() {
        let filter = |bytes: &[u8]| Filter::new(bytes.to_vec().into());
        let sound = build(0..100, 10);
        assert!(filter(&sound).is_some());
        assert!(filter(&sound[1..]).is_none());
        assert!(filter(&[]).is_none());
        assert!(filter(&[6]).is_none());
        for probes in [0, 17, 255] {
            let mut other = sound.clone();
            *other.last_mut().unwrap() = probes;
            assert!(filter(&other).is_none(), "{probes} probes");
        }
    }
}

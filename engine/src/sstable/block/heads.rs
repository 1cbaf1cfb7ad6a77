//! Heads: eight bytes of each restart's user key, those that distinguish it from the others, side by side.
//!
//! A binary search over restarts that reads the keys themselves waits for memory at each step, because
//! every key is in another cache line. The heads of a data block fill one or two lines; those of an index
//! stay in the processor's cache. So the search uses the heads, and reads keys only if heads are equal.
//!
//! A head begins after the prefix that all user keys of the block share, which takes `skip` bytes.
//! A key that ends early is padded with zeros. Heads are compared as big-endian numbers.
//!
//! Invariants
//! 1. If a user key with the shared prefix comes before another in byte order, its head is not greater.
//! 2. Heads say nothing about a key without the prefix. Such a key comes before all keys of the
//!    block or after all of them, and comparing it with any one of them tells which.
//! 3. There are heads only under the bytewise order.

use crate::prefetch::prefetch;
use std::ops::Range;

/// Bytes in a head.
pub(super) const HEAD_BYTES: usize = 8;

/// How many heads of an index are prefetched together before a search reads them.
const GROUP_HEADS: usize = 64;

/// Stored instead of `skip` if the block has no heads.
pub(super) const NO_HEADS: u32 = u32::MAX;

/// The heads of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heads<'a> {
    pub(super) heads: &'a [[u8; HEAD_BYTES]],
    /// Length of the prefix that all user keys of the block share.
    pub(super) skip: usize,
}

/// The head of a user key.
#[inline]
pub(crate) fn head(user_key: &[u8], skip: usize) -> u64 {
    let rest = user_key.get(skip..).unwrap_or_default();
    if let Some(head) = rest.first_chunk() {
        return u64::from_be_bytes(*head);
    }
    let missing = HEAD_BYTES - rest.len();
    match user_key.last_chunk() {
        // The key's last eight bytes end with what is left: shifted to the front, it is followed by
        // zeros. Copying so few bytes would cost more.
        Some(last) => u64::from_be_bytes(*last).unbounded_shl(8 * missing as u32),
        None => {
            let mut filled = [0; HEAD_BYTES];
            filled[..rest.len()].copy_from_slice(rest);
            u64::from_be_bytes(filled)
        }
    }
}

impl Heads<'_> {
    /// How many restarts come before `user_key`, if the heads alone can tell; `None` if one of them
    /// equals that of the key. The key must have the shared prefix.
    #[inline]
    pub(super) fn count_before(&self, user_key: &[u8]) -> Option<usize> {
        let wanted = head(user_key, self.skip);
        let is_before = |head: &[u8; HEAD_BYTES]| u64::from_be_bytes(*head) < wanted;
        // First find the group. It is determined by heads that every search reads, so they are in
        // the cache. The heads within one group mostly are not, but they are fetched all at once.
        let groups = self.heads.as_chunks::<GROUP_HEADS>().0;
        let group = groups.partition_point(|group| is_before(&group[0]));
        let start = GROUP_HEADS * group.saturating_sub(1);
        let end = if group < groups.len() {
            GROUP_HEADS * group
        } else {
            self.heads.len()
        };
        let heads = &self.heads[start..end];
        prefetch(heads.as_flattened());
        let before = start + heads.partition_point(is_before);
        let next = self.heads.get(before);
        let is_told = next.is_none_or(|head| u64::from_be_bytes(*head) != wanted);
        is_told.then_some(before)
    }

    /// The restarts among which the last one before `user_key` is, or the first restart if there is none.
    /// The key must have the shared prefix. The range is never empty, and usually has one element.
    #[inline]
    pub(super) fn narrow(&self, user_key: &[u8]) -> Range<usize> {
        let wanted = head(user_key, self.skip);
        let before = self
            .heads
            .partition_point(|head| u64::from_be_bytes(*head) < wanted);
        let is_wanted = |head: &[u8; HEAD_BYTES]| u64::from_be_bytes(*head) == wanted;
        let after = match self.heads.get(before) {
            Some(head) if is_wanted(head) => {
                before + self.heads[before..].partition_point(is_wanted)
            }
            _ => before,
        };
        before.saturating_sub(1)..after.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn heads_are_as_documented() {
        assert_eq!(head(b"apple", 0), 0x6170_706c_6500_0000);
        assert_eq!(head(b"apple pie tomorrow", 6), 0x7069_6520_746f_6d6f);
        assert_eq!(head(b"apple", 5), 0);
        assert_eq!(head(b"app", 5), 0);
    }

    proptest! {
        #[test]
        fn a_head_is_eight_bytes_filled_up_with_zeros(
            user_key in prop::collection::vec(any::<u8>(), 0..20),
            skip in 0..24_usize,
        ) {
            let bytes = user_key.iter().skip(skip).copied().chain([0; HEAD_BYTES]);
            let expected: Vec<u8> = bytes.take(HEAD_BYTES).collect();
            prop_assert_eq!(head(&user_key, skip).to_be_bytes().to_vec(), expected);
        }

        #[test]
        fn a_narrowed_search_keeps_the_answer(
            keys in prop::collection::btree_set(prop::collection::vec(0u8..3, 0..12), 1..40),
            target in prop::collection::vec(0u8..3, 0..12),
        ) {
            let heads: Vec<_> = keys.iter().map(|key| head(key, 0).to_be_bytes()).collect();
            let range = Heads { heads: &heads, skip: 0 }.narrow(&target);
            let before = keys.iter().filter(|key| **key < target).count();
            prop_assert!(range.contains(&before.saturating_sub(1)), "{before} {range:?}");
        }
    }
}

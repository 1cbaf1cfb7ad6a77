//! Looks ahead for several keys at once, so that their look-ups need not wait for memory one after another.
//!
//! A look-up in a large table waits three times, for a line of the filter, the end of a data block and an entry in it, and
//! each address comes out of what was read before. One key can do nothing about that. But the waits of
//! *different* keys overlap, if the processor meets them close together: so this does one step for all keys, then
//! the next. What it reads it throws away; the look-ups that follow find it in the cache.
//!
//! Nothing depends on it. It gives no answer and no error.

use super::block::BlockView;
use super::table::Table;
use crate::bloom::KeyHash;
use crate::internal_key;
use std::hint::black_box;
use std::ops::Range;

/// So many keys at once: more than a processor has loads under way, few enough to be in the cache still when they
/// are asked for.
pub(crate) const WARM_KEYS_MAX: usize = 32;

impl Table {
    /// Brings into the processor's cache what [`get`](Table::get) will look at for these user keys.
    ///
    /// Only a mapped table under the bytewise order is worth it: otherwise reading is work and not waiting.
    pub fn warm(&self, user_keys: &[&[u8]]) {
        if !self.comparator().is_bytewise() {
            return;
        }
        let Some(mapped) = self.mapped() else {
            return;
        };
        let mut target = Vec::new();
        for keys in user_keys.chunks(WARM_KEYS_MAX) {
            self.warm_filter(keys);
            let mut blocks = [const { None }; WARM_KEYS_MAX];
            for (key, block) in keys.iter().zip(&mut blocks) {
                *block = self.block_of(key, &mut target);
            }
            let ends = blocks.iter().flatten().map(|block| mapped[block.end - 1]);
            black_box(ends.fold(0, |sum, byte| sum ^ byte));
            let mut touched = 0;
            for (key, block) in keys.iter().zip(blocks) {
                if let Some(view) = block.and_then(|block| BlockView::new(&mapped[block]).ok()) {
                    internal_key_of(key, &mut target);
                    touched ^= view.touch(self.comparator(), &target);
                }
            }
            black_box(touched);
        }
    }

    fn warm_filter(&self, keys: &[&[u8]]) {
        if let Some(filter) = self.filter() {
            let lines = keys.iter().map(|key| filter.touch(KeyHash::of(key)));
            black_box(lines.fold(0, |sum, byte| sum ^ byte));
        }
    }

    /// Where in the file the key's block stands, if it has one and the filter does not deny it.
    fn block_of(&self, user_key: &[u8], target: &mut Vec<u8>) -> Option<Range<usize>> {
        if !self.may_contain(user_key) {
            return None;
        }
        internal_key_of(user_key, target);
        let mut scratch = Vec::new();
        let block = self
            .index()
            .find(self.comparator(), target, &mut scratch)
            .ok()??;
        block
            .handle
            .range_within(self.parts_end())
            .filter(|range| !range.is_empty())
    }
}

fn internal_key_of(user_key: &[u8], target: &mut Vec<u8>) {
    target.clear();
    internal_key::append_first(target, user_key);
}

//! The making of a larger table.
//!
//! The writer makes it step by step between insertions. First it touches the table's memory, a huge page at a time,
//! because getting one that was not in use for long takes milliseconds. Then it walks over the list and enters the
//! newest version of each key. Meanwhile readers use the table before.
//!
//! The walk does not see all nodes that are inserted while it is under way. They are noted in both tables.
//!
//! Invariants
//! 1. Only the writer sees the table until it is complete.
//! 2. Each key whose newest version is at or before the place that the walk has reached, and each key that was inserted
//!    since the walk began, is in the table with its newest version, unless there was no room for it. So at the end of
//!    the list every key is.

use std::array;

use super::buckets::Bucket;
use super::{Known, Table, target_of, user_key_of};
use crate::bloom::KeyHash;
use crate::memtable::skiplist::{Node, SkipList, Walk};

/// Lists with at most this many entries are walked over at once, which takes less than a millisecond.
const ENTRIES_AT_ONCE: usize = 8 << 10;
/// The walk passes this many entries for each one that is inserted. The table before is then seldom so full that keys
/// have no room there, although a key may have several versions.
const ENTRIES_A_STEP: usize = 8;
/// So many nodes are looked at together, because the place of each in the table is a cache miss.
const TOGETHER: usize = 32;
/// The buckets in a huge page.
const TOUCHED_A_STEP: usize = (2 << 20) / size_of::<Bucket>();

/// A table that does not have all keys yet.
#[derive(Debug)]
pub(in crate::memtable) struct Growth {
    table: Table,
    /// How many of its buckets have got memory.
    touched: usize,
    nodes: Walk,
    /// The last node that the walk has reached.
    reached: Option<Node>,
    /// How many entries the list had at the last step.
    entries: usize,
}

impl Growth {
    #[cold]
    pub(super) fn new(list: &SkipList, buckets: usize) -> Self {
        Self {
            table: Table::new(buckets),
            touched: 0,
            nodes: Walk::new(list),
            reached: None,
            entries: list.len(),
        }
    }

    /// Notes a node that was just inserted.
    pub(in crate::memtable) fn note(&self, list: &SkipList, node: Node, hash: KeyHash) {
        // The walk will come to it. Entered now, some keys would need all of the table's memory at once.
        if self.is_touched() {
            self.enter(list, node, hash);
        }
    }

    /// Whether all of the table has memory, so that the walk may begin.
    fn is_touched(&self) -> bool {
        self.touched >= self.table.buckets.len()
    }

    /// Enters a node, if the table has no newer version of its key.
    fn enter(&self, list: &SkipList, node: Node, hash: KeyHash) {
        let target = target_of(&node);
        match self.table.find(target.user_key, hash) {
            Known::Absent(slot) => slot.fill(node),
            Known::Newest(newest, slot) if list.is_older(newest, target) => slot.renew(node),
            Known::Newest(..) | Known::Unknown => {}
        }
    }

    /// Goes on with the work, as far as the entries inserted since the last step pay for it. Returns whether all is
    /// done.
    pub(super) fn go_on(&mut self, list: &SkipList) -> bool {
        let entries = list.len();
        if entries <= ENTRIES_AT_ONCE {
            return self.walk(list, usize::MAX);
        }
        if !self.is_touched() {
            self.table.buckets[self.touched].touch();
            self.touched += TOUCHED_A_STEP;
            return false;
        }
        let inserted = entries - self.entries;
        self.entries = entries;
        self.walk(list, inserted * ENTRIES_A_STEP)
    }

    /// Enters the keys of the next nodes, about `most` of them. Returns whether the end of the list is reached.
    fn walk(&mut self, list: &SkipList, most: usize) -> bool {
        let mut walked = 0;
        while walked < most {
            let nodes: [_; TOGETHER] = array::from_fn(|_| self.nodes.next(list));
            let newest = nodes.map(|node| {
                let node = node?;
                let before = self.reached.replace(node);
                let user_key = user_key_of(&node);
                let is_older = before.is_some_and(|before| user_key_of(&before) == user_key);
                let hash = (!is_older).then(|| KeyHash::of(user_key))?;
                self.table.home(hash).1.prefetch();
                Some((node, hash))
            });
            for (node, hash) in newest.into_iter().flatten() {
                self.enter(list, node, hash);
            }
            if nodes.contains(&None) {
                return true;
            }
            walked += TOGETHER;
        }
        false
    }

    pub(super) fn into_table(self) -> Table {
        self.table
    }
}

//! The making of a larger table.
//!
//! The writer makes it step by step between insertions. First it touches the table's memory, a huge page at a time,
//! because getting one that was not in use for long takes milliseconds. Then it walks over the list and enters the
//! newest version of each key. Meanwhile readers use the table before.
//!
//! A walk from node to node waits for memory at each. So a stretch of the list is divided into parts, at nodes that are
//! taller than most, and several parts are walked over in turns, a node each: while one waits, the others' nodes are on
//! their way.
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
use crate::memtable::skiplist::{Node, SkipList};

/// Lists with at most this many entries are walked over at once, which takes less than a millisecond.
const ENTRIES_AT_ONCE: usize = 8 << 10;
/// The walk passes this many entries for each one that is inserted. The table before is then seldom so full that keys
/// have no room there, although a key may have several versions.
const ENTRIES_A_STEP: usize = 8;
/// So many parts of the list are walked over in turns.
const TOGETHER: usize = 16;
/// So many parts make a stretch: enough that few walks wait alone at its end.
const PARTS: usize = 32;
/// A part ends at a node of this level: some twenty nodes on.
const PART_LEVEL: usize = 3;
/// The buckets in a huge page.
const TOUCHED_A_STEP: usize = (2 << 20) / size_of::<Bucket>();

/// A table that does not have all keys yet.
#[derive(Debug)]
pub(in crate::memtable) struct Growth {
    table: Table,
    /// How many of its buckets have got memory.
    touched: usize,
    /// The last node that the walk has reached; the list's head at first.
    reached: Node,
    /// How many entries the list had at the last step.
    entries: usize,
    /// How many entries the insertions have paid for that the walk has not passed. Less than none after a stretch
    /// that was longer.
    due: isize,
}

/// A walk over a part of the list.
#[derive(Debug, Clone, Copy)]
struct PartWalk {
    /// The node before `next`, unless that is the list's head.
    before: Option<Node>,
    /// The node to look at; `None` after the last one.
    next: Option<Node>,
    /// The part's last node; `None` for the end of the list.
    end: Option<Node>,
}

impl Growth {
    #[cold]
    pub(super) fn new(list: &SkipList, buckets: usize) -> Self {
        Self {
            table: Table::new(buckets),
            touched: 0,
            reached: list.head(),
            entries: list.len(),
            due: 0,
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
            while !self.walk(list) {}
            return true;
        }
        if !self.is_touched() {
            self.table.buckets[self.touched].touch();
            self.touched += TOUCHED_A_STEP;
            return false;
        }
        self.due += ((entries - self.entries) * ENTRIES_A_STEP).cast_signed();
        self.entries = entries;
        while self.due > 0 {
            if self.walk(list) {
                return true;
            }
        }
        false
    }

    /// Enters the keys of the next stretch of the list. Returns whether that is the last one.
    fn walk(&mut self, list: &SkipList) -> bool {
        let mut ends = [self.reached; PARTS];
        let count = list.nodes_after(self.reached, PART_LEVEL, &mut ends);
        let (begin, is_last) = (self.reached, count < PARTS);
        // The last stretch has one part more, to the end of the list.
        let mut parts = (0..count + usize::from(is_last)).map(|part| {
            let begin = part.checked_sub(1).map_or(begin, |part| ends[part]);
            PartWalk::new(list, begin, ends[..count].get(part).copied())
        });
        let mut walks: [_; TOGETHER] = array::from_fn(|_| parts.next());
        loop {
            let mut newest = [(begin, KeyHash::default()); TOGETHER];
            let (mut looked, mut keys) = (0, 0);
            for walk in &mut walks {
                let Some(walking) = walk else { continue };
                let Some((node, is_newest)) = walking.step(list) else {
                    *walk = parts.next();
                    continue;
                };
                looked += 1;
                if is_newest {
                    let hash = KeyHash::of(user_key_of(&node));
                    self.table.home(hash).1.prefetch();
                    newest[keys] = (node, hash);
                    keys += 1;
                }
            }
            for &(node, hash) in &newest[..keys] {
                self.enter(list, node, hash);
            }
            self.due -= looked;
            if walks.iter().all(Option::is_none) {
                break;
            }
        }
        if let Some(&end) = ends[..count].last() {
            self.reached = end;
        }
        is_last
    }

    pub(super) fn into_table(self) -> Table {
        self.table
    }
}

impl PartWalk {
    /// Over the nodes after `begin` up to `end`.
    fn new(list: &SkipList, begin: Node, end: Option<Node>) -> Self {
        let next = list.after(begin, 0);
        if let Some(next) = next {
            next.prefetch();
        }
        Self {
            before: (begin != list.head()).then_some(begin),
            next,
            end,
        }
    }

    /// The next node, and whether it is the newest version of its key; `None` after the last.
    fn step(&mut self, list: &SkipList) -> Option<(Node, bool)> {
        let node = self.next?;
        self.next = match Some(node) == self.end {
            true => None,
            false => list.after(node, 0),
        };
        if let Some(next) = self.next {
            next.prefetch();
        }
        let before = self.before.replace(node);
        let is_newest = before.is_none_or(|before| user_key_of(&before) != user_key_of(&node));
        Some((node, is_newest))
    }
}

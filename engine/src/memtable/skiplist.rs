//! A skip list (Pugh, 1990) with its keys inside the nodes: one writer, readers without locks.
//!
//! A node is one allocation. The pointer to it points at `next[0]`; the upper links lie before it, so that
//! the link followed most often and the key compared next share a cache line (the layout is RocksDB's):
//!
//! ```text
//! -8 * (height - 1)   next[height - 1] ... next[1]      only as many as the node is high
//! 0                   next[0]
//! 8                   the node before, on level 0
//! 16                  key_len: 27 bits, run: 5 bits | value_len: u32
//! 24                  user key | trailer: 8 bytes big-endian | value, or its address if it is long
//! ```
//!
//! `run` counts, in eighths or so, the low versions of the same key that follow the node.
//!
//! Order: by user key under the family's comparator, then by ascending trailer, which puts the
//! newest first. No two nodes are equal, because a sequence number is used only once.
//!
//! Invariants
//! 1. Everything but the links is written before a node is published and never changes afterwards.
//! 2. A node is published from the bottom up by release stores; a reader follows links with acquire
//!    loads. So a thread that sees a node sees all of it.
//! 3. A node is never unlinked. A pointer to one stays valid for as long as the arena.
//! 4. The list at level `n + 1` is a subsequence of the list at level `n`.
//! 5. A list has exactly one [`Writer`], and inserting needs exclusive access (`&mut`) to it.
//! 6. The link back of a node leads to a node before it. No third node lies between them, except
//!    one that was being inserted while the link was followed.
//!
//! Pugh's heights depend on chance alone; here a long way to a place raises the node as well: see `writer`.
//!
//! Left out: links back on the upper levels. A scan backward searches for a place before it instead, once in some hundred
//! nodes: see `walk`.

#![expect(
    unsafe_code,
    reason = "nodes of differing length, read while the list grows"
)]

mod node;
mod walk;
mod writer;

use std::cmp::Ordering as Order;
use std::ops::Range;

pub(super) use self::node::Node;
use self::node::{HEIGHT_MAX, Room};
pub(super) use self::walk::{Walk, WalkBack};
pub(super) use self::writer::{TOGETHER, Writer};
use super::arena::Arena;
use super::split;
use crate::comparator::Comparator;
use crate::internal_key::TRAILER_BYTES;
use crate::sync::{AtomicUsize, Ordering};

/// The list as readers share it.
#[derive(Debug)]
pub(super) struct SkipList {
    arena: Arena,
    head: Node,
    comparator: Comparator,
    /// How many levels are in use. A hint only: a reader that sees an old value starts a level lower.
    height: AtomicUsize,
    len: AtomicUsize,
}

/// A key to search for: the parts of an internal key, not yet joined.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Target<'a> {
    pub(super) user_key: &'a [u8],
    /// The last eight bytes of an internal key, read as a big-endian number.
    pub(super) trailer: u64,
}

impl SkipList {
    pub(super) fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed)
    }

    pub(super) fn reserved(&self) -> usize {
        self.arena.reserved()
    }

    pub(super) const fn comparator(&self) -> &Comparator {
        &self.comparator
    }

    /// The link from `node` at `level`. `node` must be of this list and higher than `level`.
    #[inline]
    fn after(&self, node: Node, level: usize) -> Option<Node> {
        // SAFETY: nodes are only made by this module, and `&self` keeps the arena alive. A node is reached at
        // `level` through a link of that level or as the head, so it is high enough.
        unsafe { node.next(level) }
    }

    pub(super) fn first(&self) -> Option<Node> {
        self.after(self.head, 0)
    }

    /// The node after `node`. Also prefetches the one after that, because a walk over the list will
    /// want it next.
    #[inline]
    pub(super) fn next(&self, node: Node) -> Option<Node> {
        let next = self.after(node, 0)?;
        if let Some(after) = self.after(next, 0) {
            after.prefetch();
        }
        Some(next)
    }

    /// The first node on `level` after `node`, which may be lower. `level` is at most [`top_level`](Self::top_level), and
    /// `node` is not the head.
    ///
    /// Cost: that of a search.
    fn next_on(&self, node: Node, level: usize) -> Option<Node> {
        // SAFETY: not the head by contract, and the arena lives as long as `&self`.
        let target = split(unsafe { node.key() });
        let found = self.descend_through(level..self.height(), Found::start(self.head), target);
        match found.after {
            Some(after) if after == node => self.after(node, level),
            after => after,
        }
    }

    /// The last nodes before `node` on `level` and on the level `below`; the head where there is none. `node` is not the head.
    ///
    /// Cost: that of a search.
    fn last_before(&self, node: Node, level: usize, below: usize) -> (Node, Node) {
        // SAFETY: as in `next_on`.
        let target = split(unsafe { node.key() });
        let found = self.descend_through(level..self.height(), Found::start(self.head), target);
        let found_below = self.descend_through(below..level.min(self.height()), found, target);
        (found.before, found_below.before)
    }

    /// How many levels are in use, or fewer if there was one more just now.
    fn height(&self) -> usize {
        self.height.load(Ordering::Relaxed)
    }

    /// The highest level in use, as [`height`](Self::height) tells it.
    fn top_level(&self) -> usize {
        self.height() - 1
    }

    /// Stores the nodes after `node` in `nodes`, as many as there is room for, and prefetches them.
    /// Returns how many there are.
    #[inline]
    pub(super) fn nodes_after(&self, node: Node, nodes: &mut [Node]) -> usize {
        let mut at = node;
        for (count, place) in nodes.iter_mut().enumerate() {
            let Some(next) = self.after(at, 0) else {
                return count;
            };
            next.prefetch();
            (at, *place) = (next, next);
        }
        nodes.len()
    }

    /// The node before `node`, unless `node` is the first. Also prefetches the one before that, as
    /// [`next`](Self::next) does.
    #[inline]
    pub(super) fn before(&self, node: Node) -> Option<Node> {
        // SAFETY: `&self` keeps the arena alive.
        let before = unsafe { node.before() }.filter(|&before| before != self.head)?;
        self.prefetch_before(before);
        Some(before)
    }

    /// Prefetches the node before `node`, which must be of this list.
    #[inline]
    pub(super) fn prefetch_before(&self, node: Node) {
        // SAFETY: `&self` keeps the arena alive.
        if let Some(before) = unsafe { node.before() } {
            before.prefetch();
        }
    }

    /// Prefetches the part of an entry that lies farthest from its node's beginning, which should have arrived already.
    #[inline]
    fn prefetch_value(&self, node: Node) {
        if node != self.head {
            // SAFETY: not the head, and the arena lives as long as `&self`.
            unsafe { node.prefetch_value() };
        }
    }

    /// The last node.
    pub(super) fn last(&self) -> Option<Node> {
        let mut at = self.head;
        for level in (0..self.height()).rev() {
            while let Some(next) = self.after(at, level) {
                at = next;
            }
        }
        (at != self.head).then_some(at)
    }

    /// The last node at or before `target`.
    pub(super) fn seek_back(&self, target: Target<'_>) -> Option<Node> {
        let (before, after) = self.around(target);
        after
            .filter(|&node| self.compare(node, target).is_eq())
            .or_else(|| (before != self.head).then_some(before))
    }

    /// `node` must be of this list and not its head.
    #[inline]
    fn compare(&self, node: Node, target: Target<'_>) -> Order {
        // SAFETY: not the head by contract, and the arena lives as long as `&self`.
        let key = unsafe { node.key() };
        let (user_key, trailer) = key
            .split_last_chunk::<TRAILER_BYTES>()
            .expect("every node's key ends in a trailer");
        self.comparator
            .compare(user_key, target.user_key)
            .then_with(|| u64::from_be_bytes(*trailer).cmp(&target.trailer))
    }

    /// Whether `node` holds an older version than `target`, which must have the same user key.
    #[inline]
    pub(super) fn is_older(&self, node: Node, target: Target<'_>) -> bool {
        // SAFETY: a node of this list that was found by its key is not the head, and `&self` keeps the arena.
        let key = unsafe { node.key() };
        let trailer = key.last_chunk::<TRAILER_BYTES>();
        trailer.is_some_and(|trailer| u64::from_be_bytes(*trailer) > target.trailer)
    }

    /// The first node at or after `target`.
    pub(super) fn seek(&self, target: Target<'_>) -> Option<Node> {
        self.around(target).1
    }

    /// Like [`seek`](Self::seek) for each of at most [`TOGETHER`] targets, into `found`. The
    /// searches take one step each in turn, so that the waits for memory overlap.
    pub(super) fn seek_together(&self, targets: &[Target<'_>], found: &mut [Option<Node>]) {
        let start = Seek {
            at: self.head,
            after: None,
            level: self.top_level(),
            done: false,
        };
        let mut seeks = [start; TOGETHER];
        let seeks = &mut seeks[..targets.len()];
        let mut under_way = seeks.len();
        while under_way > 0 {
            for (seek, target) in seeks.iter_mut().zip(targets) {
                if !seek.done {
                    seek.step(self, *target);
                    under_way -= usize::from(seek.done);
                }
            }
        }
        for (seek, found) in seeks.iter().zip(found) {
            *found = seek.after;
        }
    }

    /// The last node before `target`, and the first one at or after it, which was the former's
    /// successor when the search read the link.
    ///
    /// Callers must not read the successor from the link again: the writer may meanwhile have
    /// inserted a node between the two, and that node may come before `target`.
    fn around(&self, target: Target<'_>) -> (Node, Option<Node>) {
        let found = self.descend_through(0..self.height(), Found::start(self.head), target);
        (found.before, found.after)
    }

    /// Like [`around`](Self::around), on the lowest of `levels`, given what was found on the level above them.
    #[inline]
    fn descend_through(&self, levels: Range<usize>, above: Found, target: Target<'_>) -> Found {
        levels
            .rev()
            .fold(above, |above, level| self.descend(above, level, target))
    }

    /// Like [`around`](Self::around), among the nodes on `level`, given what was found on the level above.
    #[inline]
    fn descend(&self, above: Found, level: usize, target: Target<'_>) -> Found {
        let (mut at, mut steps) = (above.before, 0);
        loop {
            let next = self.after(at, level);
            if level > 0
                && let Some(below) = self.after(at, level - 1)
            {
                // A search is a chain of cache misses. While the next node on this level is
                // compared, the next node on the level below is fetched, because the search goes
                // there if the first one is too great.
                below.prefetch();
            }
            match next {
                // A node that was too great on the level above is often the next one here, and is
                // not compared again.
                Some(node) if next != above.after && self.compare(node, target).is_lt() => {
                    at = node;
                    steps += 1;
                }
                _ => {
                    return Found {
                        before: at,
                        after: next,
                        steps,
                    };
                }
            }
        }
    }
}

/// Where a key belongs on one level.
#[derive(Debug, Clone, Copy)]
struct Found {
    /// The last node before it.
    before: Node,
    /// The first node at or after it.
    after: Option<Node>,
    /// How many nodes the search passed on this level.
    steps: usize,
}

impl Found {
    /// The state before the search.
    const fn start(head: Node) -> Self {
        Self {
            before: head,
            after: None,
            steps: 0,
        }
    }
}

/// One of several searches that take turns.
#[derive(Debug, Clone, Copy)]
struct Seek {
    /// The last node passed.
    at: Node,
    /// The first node that was found to be at or after the target.
    after: Option<Node>,
    level: usize,
    done: bool,
}

impl Seek {
    /// Compares one node, moves onto it or a level down, and prefetches the node to compare next.
    #[inline]
    fn step(&mut self, list: &SkipList, target: Target<'_>) {
        let next = list.after(self.at, self.level);
        match next {
            // A node that was too great on the level above is often the next one here, and is not
            // compared again.
            Some(node) if next != self.after && list.compare(node, target).is_lt() => {
                self.at = node;
            }
            _ => {
                self.after = next;
                self.done = self.level == 0;
                self.level = self.level.saturating_sub(1);
            }
        }
        if let Some(next) = list.after(self.at, self.level) {
            next.prefetch();
        }
    }
}

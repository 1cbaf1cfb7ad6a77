//! Walks a memtable: both ways, or all of it once.

#![expect(
    unsafe_code,
    reason = "nodes live in an arena that the type system cannot see"
)]

use std::sync::Arc;

use super::skiplist::{Node, SkipList, Walk};
use super::split;
use crate::cursor::{InternalCursor, RowRun, STEPS_BEFORE_SEEK, Seen};
use crate::error::Result;
use crate::internal_key;

/// How many nodes a run fetches at once: few at first, because many runs are short.
const NODES_AHEAD_MIN: usize = 4;
const NODES_AHEAD_MAX: usize = 16;
/// After this many nodes a run walks several stretches of the list in turns, which are then some two hundred nodes ahead.
pub(super) const NODES_BEFORE_WALK: usize = 256;
/// A list that may be in the processor's caches is walked from node to node: there is nothing to wait for.
pub(super) const WALK_BYTES_MIN: usize = 8 << 20;
/// A value is prefetched this many entries before it is returned, in a walk over all entries.
const VALUES_AHEAD: usize = 3;

/// A cursor over a memtable. It may or may not see entries inserted after it was made. For a
/// consistent view, ignore those with a greater sequence number than was current at the start.
#[derive(Debug)]
pub struct MemtableCursor {
    list: Arc<SkipList>,
    node: Option<Node>,
}

impl MemtableCursor {
    pub(super) const fn new(list: Arc<SkipList>) -> Self {
        Self { list, node: None }
    }

    fn here(&self) -> Node {
        self.node.expect("the cursor is on an entry")
    }

    /// Moves to the next entry, if that is a row of another key that a reader of `sequence` sees. Returns whether it did.
    ///
    /// # Panics
    /// If the cursor is nowhere.
    #[inline]
    pub fn next_row(&mut self, sequence: u64) -> bool {
        let here = self.here();
        let Some(next) = self.list.next(here) else {
            return false;
        };
        // SAFETY: both nodes are of `self.list`, which lives as long as the borrow of `self`.
        let (here, key) = unsafe { (here.key(), next.key()) };
        let Some((user_key, trailer)) = key.split_last_chunk() else {
            return false;
        };
        let rows = RowRun {
            end: None,
            sequence,
        };
        let is_other = !internal_key::is_same(user_key, internal_key::user_key(here));
        let is_row = is_other && rows.shows(*trailer);
        if is_row {
            self.node = Some(next);
        }
        is_row
    }

    /// Passes the rows that follow to `visit`, within the bounds of `rows`, until `visit` returns
    /// `false`. Afterwards the cursor is at the last row that was passed, or where it was if there
    /// was none. Returns what `visit` returned last. Only for the bytewise order.
    ///
    /// Nodes are fetched several at a time. If the last of them comes before the end, so do the
    /// others, and one comparison is enough for all. Each node's address is in the node before, so a run waits for
    /// memory at each of them; a long one goes on in several places at once.
    pub fn run(&mut self, rows: &RowRun<'_>, mut visit: impl FnMut(&[u8], &[u8]) -> bool) -> bool {
        let mut here = self.here();
        // SAFETY: here and below, the nodes are of `self.list`, which lives as long as the borrow of `self`.
        let mut last_key = internal_key::user_key(unsafe { here.key() });
        let mut nodes = [here; NODES_AHEAD_MAX];
        let (mut wanted, mut hidden) = (NODES_AHEAD_MIN, 0);
        let is_long = self.list.reserved() >= WALK_BYTES_MIN;
        let (mut passed, mut walk) = (0, None::<Walk>);
        loop {
            let found = match &mut walk {
                Some(walk) => walk.fill(&self.list, &mut nodes[..wanted]),
                None => self.list.nodes_after(here, &mut nodes[..wanted]),
            };
            let nodes = &nodes[..found];
            let is_before_end = |node: &Node| {
                // SAFETY: as above.
                let key = internal_key::user_key(unsafe { node.key() });
                rows.end.is_none_or(|end| key < end)
            };
            let within = match nodes.last() {
                Some(last) if !is_before_end(last) => nodes.partition_point(is_before_end),
                _ => found,
            };
            for &node in &nodes[..within] {
                // SAFETY: as above.
                let (key, value) = unsafe { (node.key(), node.value()) };
                let Some((user_key, trailer)) = key.split_last_chunk() else {
                    return true;
                };
                if internal_key::is_same(user_key, last_key) {
                    hidden += 1;
                    if hidden > STEPS_BEFORE_SEEK {
                        return true;
                    }
                    continue;
                }
                match rows.look(*trailer) {
                    Seen::Row => {}
                    Seen::Nothing => continue,
                    Seen::Tombstone => {
                        (last_key, hidden) = (user_key, 0);
                        continue;
                    }
                    Seen::Unknown => return true,
                }
                (last_key, hidden) = (user_key, 0);
                // Set before the visit, so that a visitor that panics leaves the cursor at the row
                // it was given.
                self.node = Some(node);
                if !visit(user_key, value) {
                    return false;
                }
            }
            if within < wanted {
                return true;
            }
            here = nodes[within - 1];
            wanted = NODES_AHEAD_MAX.min(2 * wanted);
            passed += within;
            if passed >= NODES_BEFORE_WALK && walk.is_none() && is_long {
                walk = Some(Walk::after(&self.list, here));
            }
        }
    }
}

/// All entries of a memtable that is no longer written to, from the first to the last.
///
/// Cost: one cache miss for about a dozen entries, where a cursor has one for each.
#[derive(Debug)]
pub struct MemtableEntries<'m> {
    list: &'m SkipList,
    nodes: Walk,
    here: Option<Node>,
}

impl<'m> MemtableEntries<'m> {
    pub(super) fn new(list: &'m SkipList) -> Self {
        let mut nodes = Walk::new(list);
        let here = nodes.next(list);
        Self { list, nodes, here }
    }

    /// The internal key and the value of the current entry; `None` after the last.
    #[inline]
    pub fn here(&self) -> Option<(&'m [u8], &'m [u8])> {
        // SAFETY: the node is of `self.list`, which is borrowed for as long as the answer.
        self.here.map(|node| unsafe { (node.key(), node.value()) })
    }

    /// Moves to the next entry.
    #[inline]
    pub fn advance(&mut self) {
        if let Some(coming) = self.nodes.coming(VALUES_AHEAD) {
            // SAFETY: as in `here`.
            unsafe { coming.prefetch_value() };
        }
        self.here = self.nodes.next(self.list);
    }
}

impl InternalCursor for MemtableCursor {
    #[inline]
    fn valid(&self) -> bool {
        self.node.is_some()
    }

    #[inline]
    fn key(&self) -> &[u8] {
        // SAFETY: the node is of `self.list`, which lives as long as the borrow of `self`.
        unsafe { self.here().key() }
    }

    #[inline]
    fn value(&self) -> &[u8] {
        // SAFETY: as in `key`.
        unsafe { self.here().value() }
    }

    fn seek_to_first(&mut self) -> Result<()> {
        self.node = self.list.first();
        Ok(())
    }

    fn seek_to_last(&mut self) -> Result<()> {
        self.node = self.list.last();
        Ok(())
    }

    fn seek(&mut self, target: &[u8]) -> Result<()> {
        self.node = self.list.seek(split(target));
        Ok(())
    }

    fn seek_for_prev(&mut self, target: &[u8]) -> Result<()> {
        self.node = self.list.seek_back(split(target));
        Ok(())
    }

    #[inline]
    fn next(&mut self) -> Result<()> {
        self.node = self.list.next(self.here());
        Ok(())
    }

    fn prev(&mut self) -> Result<()> {
        self.node = self.list.before(self.here());
        Ok(())
    }
}

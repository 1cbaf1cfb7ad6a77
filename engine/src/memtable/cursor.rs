//! Walks a memtable: both ways, or all of it once.

#![expect(
    unsafe_code,
    reason = "nodes live in an arena that the type system cannot see"
)]

use std::sync::Arc;

use super::ahead::Ahead;
use super::skiplist::{Node, SkipList, Walk};
use super::split;
use crate::cursor::{Direction, InternalCursor, RowRun, STEPS_BEFORE_SEEK, Seen, is_newest_row};
use crate::error::Result;
use crate::internal_key;

/// How many nodes a run fetches at once: few at first, because many runs are short.
const NODES_AHEAD_MIN: usize = 4;
const NODES_AHEAD_MAX: usize = 16;
/// A value is prefetched this many entries before it is returned, in a walk over all entries.
const VALUES_AHEAD: usize = 3;

/// A cursor over a memtable. It may or may not see entries inserted after it was made. For a
/// consistent view, ignore those with a greater sequence number than was current at the start.
#[derive(Debug)]
pub struct MemtableCursor {
    list: Arc<SkipList>,
    node: Option<Node>,
    /// The way from `node`.
    ahead: Ahead,
}

impl MemtableCursor {
    pub(super) const fn new(list: Arc<SkipList>) -> Self {
        Self {
            list,
            node: None,
            ahead: Ahead::nothing(),
        }
    }

    fn stand_on(&mut self, node: Option<Node>) {
        self.node = node;
        self.ahead = Ahead::nothing();
    }

    /// Moves to the node beside the current one.
    #[inline]
    fn step(&mut self, direction: Direction, node: Option<Node>) {
        self.node = node;
        if let Some(node) = node {
            self.ahead.step(&self.list, direction, node);
        }
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
        let next = self.ahead.next(&self.list, here);
        let is_row = next.is_some_and(|next| self.is_row(next, Some(here), sequence));
        if is_row {
            self.step(Direction::Forward, next);
        }
        is_row
    }

    /// Whether the entry is a row that a reader of `sequence` sees, and no newer version of its key comes before it.
    ///
    /// # Panics
    /// If the cursor is nowhere.
    #[inline]
    pub fn is_newest_row(&mut self, sequence: u64) -> bool {
        let here = self.here();
        let before = self.ahead.before(&self.list, here);
        self.is_row(here, before, sequence)
    }

    /// Moves back if the entry there is [the newest row](Self::is_newest_row) of its key. Returns whether it did.
    ///
    /// # Panics
    /// If the cursor is nowhere.
    #[inline]
    pub fn prev_row(&mut self, sequence: u64) -> bool {
        let here = self.here();
        let Some(row) = self.ahead.before(&self.list, here) else {
            return false;
        };
        let before = self.ahead.second_before(&self.list, row);
        let is_row = self.is_row(row, before, sequence);
        if is_row {
            self.step(Direction::Backward, Some(row));
        }
        is_row
    }

    /// Whether `node` is a row that a reader of `sequence` sees, and the node `before` it, if there is one, of another key.
    #[inline]
    fn is_row(&self, node: Node, before: Option<Node>, sequence: u64) -> bool {
        // SAFETY: both nodes are of `self.list`, which lives as long as the borrow of `self`.
        let (key, before) = unsafe { (node.key(), before.map(|before| before.key())) };
        is_newest_row(key, before, sequence)
    }

    /// Passes the rows that follow to `visit`, within the bounds of `rows`, until `visit` returns
    /// `false`. Afterwards the cursor is at the last row that was passed, or where it was if there
    /// was none. Returns what `visit` returned last. Only for the bytewise order.
    ///
    /// Nodes are fetched several at a time. If the last of them comes before the end, so do the
    /// others, and one comparison is enough for all.
    pub fn run(&mut self, rows: &RowRun<'_>, mut visit: impl FnMut(&[u8], &[u8]) -> bool) -> bool {
        let mut here = self.here();
        // SAFETY: here and below, the nodes are of `self.list`, which lives as long as the borrow of `self`.
        let mut last_key = internal_key::user_key(unsafe { here.key() });
        let mut nodes = [here; NODES_AHEAD_MAX];
        let (mut wanted, mut hidden) = (NODES_AHEAD_MIN, 0);
        // Taken out, so that a visitor that panics leaves a cursor that knows nothing of its way.
        let mut ahead = std::mem::replace(&mut self.ahead, Ahead::nothing());
        // How many nodes were fetched that come after the cursor's.
        let mut beyond = 0;
        let goes_on = 'run: loop {
            let found = ahead.fetch(&self.list, here, &mut nodes[..wanted]);
            beyond += found;
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
            for (at, &node) in nodes[..within].iter().enumerate() {
                // SAFETY: as above.
                let (key, value) = unsafe { (node.key(), node.value()) };
                let Some((user_key, trailer)) = key.split_last_chunk() else {
                    break 'run true;
                };
                if internal_key::is_same(user_key, last_key) {
                    hidden += 1;
                    if hidden > STEPS_BEFORE_SEEK {
                        break 'run true;
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
                    Seen::Unknown => break 'run true,
                }
                (last_key, hidden) = (user_key, 0);
                // Set before the visit, so that a visitor that panics leaves the cursor at the row
                // it was given.
                self.node = Some(node);
                beyond = found - (at + 1);
                if !visit(user_key, value) {
                    break 'run false;
                }
            }
            if within < wanted {
                break true;
            }
            here = nodes[within - 1];
            ahead.fetched(&self.list, within, here);
            wanted = NODES_AHEAD_MAX.min(2 * wanted);
        };
        ahead.take_back(beyond);
        self.ahead = ahead;
        goes_on
    }
}

/// All entries of a memtable that is no longer written to, from the first to the last.
///
/// Cost: one cache miss for about a dozen entries, where a cursor has one for each until it has gone far.
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
        self.stand_on(self.list.first());
        Ok(())
    }

    fn seek_to_last(&mut self) -> Result<()> {
        self.stand_on(self.list.last());
        Ok(())
    }

    fn seek(&mut self, target: &[u8]) -> Result<()> {
        self.stand_on(self.list.seek(split(target)));
        Ok(())
    }

    fn seek_for_prev(&mut self, target: &[u8]) -> Result<()> {
        self.stand_on(self.list.seek_back(split(target)));
        Ok(())
    }

    #[inline]
    fn next(&mut self) -> Result<()> {
        let next = self.ahead.next(&self.list, self.here());
        self.step(Direction::Forward, next);
        Ok(())
    }

    fn prev(&mut self) -> Result<()> {
        let before = self.ahead.before(&self.list, self.here());
        self.step(Direction::Backward, before);
        Ok(())
    }
}

//! Walks a memtable both ways.

#![expect(
    unsafe_code,
    reason = "nodes live in an arena that the type system cannot see"
)]

use std::sync::Arc;

use super::skiplist::{Node, SkipList};
use super::split;
use crate::cursor::{InternalCursor, RowRun};
use crate::error::Result;
use crate::internal_key;

/// A cursor over a memtable. It sees entries inserted after it was made, or not: whoever needs a
/// consistent view ignores those with a greater sequence number than it read at the start.
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
        self.node.expect("the cursor stands on an entry")
    }

    /// Shows the rows that follow, as far as `rows` says, until `visit` answers `false`. Stands on the last one that was shown,
    /// or where it stood. Answers what `visit` said last. Only under the bytewise order.
    pub fn run(&mut self, rows: &RowRun<'_>, mut visit: impl FnMut(&[u8], &[u8]) -> bool) -> bool {
        let mut here = self.here();
        let mut goes_on = true;
        while goes_on && let Some(next) = self.list.next(here) {
            // SAFETY: both nodes are of `self.list`, which lives as long as the borrow of `self`.
            let (last, key, value) = unsafe { (here.key(), next.key(), next.value()) };
            let Some((user_key, trailer)) = key.split_last_chunk() else {
                break;
            };
            let is_version_of_last = user_key == internal_key::user_key(last);
            let is_beyond = rows.end.is_some_and(|end| user_key >= end);
            if is_version_of_last || is_beyond || !rows.shows(*trailer) {
                break;
            }
            here = next;
            // Before the visit, so that a visitor that panics leaves the cursor on what it saw.
            self.node = Some(here);
            goes_on = visit(user_key, value);
        }
        goes_on
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

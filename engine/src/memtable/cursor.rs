//! Walks a memtable both ways.

#![expect(
    unsafe_code,
    reason = "nodes live in an arena that the type system cannot see"
)]

use std::sync::Arc;

use super::skiplist::{Node, SkipList};
use super::split;
use crate::cursor::InternalCursor;
use crate::error::Result;

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

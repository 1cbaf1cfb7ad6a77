//! Walks a memtable both ways.

#![expect(
    unsafe_code,
    reason = "nodes live in an arena that the type system cannot see"
)]

use std::sync::Arc;

use super::skiplist::{Node, Path, SkipList};
use super::split;
use crate::cursor::InternalCursor;
use crate::error::Result;

/// A cursor over a memtable. It sees entries inserted after it was made, or not: whoever needs a
/// consistent view ignores those with a greater sequence number than it read at the start.
#[derive(Debug)]
pub struct MemtableCursor {
    list: Arc<SkipList>,
    node: Option<Node>,
    /// The way to `node`, if the cursor came backward.
    path: Option<Path>,
}

impl MemtableCursor {
    pub(super) const fn new(list: Arc<SkipList>) -> Self {
        Self {
            list,
            node: None,
            path: None,
        }
    }

    fn here(&self) -> Node {
        self.node.expect("the cursor stands on an entry")
    }

    fn step_back(&mut self, mut path: Path) {
        self.node = self.list.step_back(&mut path);
        self.path = Some(path);
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
        (self.node, self.path) = (self.list.first(), None);
        Ok(())
    }

    fn seek_to_last(&mut self) -> Result<()> {
        self.step_back(self.list.path_to_end());
        Ok(())
    }

    fn seek(&mut self, target: &[u8]) -> Result<()> {
        (self.node, self.path) = (self.list.seek(split(target)), None);
        Ok(())
    }

    fn seek_for_prev(&mut self, target: &[u8]) -> Result<()> {
        let target = split(target);
        let (path, after) = self.list.path(target);
        match after {
            Some(node) if self.list.is(node, target) => {
                (self.node, self.path) = (after, Some(path));
            }
            _ => self.step_back(path),
        }
        Ok(())
    }

    #[inline]
    fn next(&mut self) -> Result<()> {
        (self.node, self.path) = (self.list.next(self.here()), None);
        Ok(())
    }

    fn prev(&mut self) -> Result<()> {
        match &mut self.path {
            Some(path) => self.node = self.list.step_back(path),
            None => self.step_back(self.list.path(split(self.key())).0),
        }
        Ok(())
    }
}

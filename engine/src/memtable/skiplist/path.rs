//! Going back in a list whose links lead forward.
//!
//! A search for a node comes down past the nodes before it, one on each level. They are kept: the node before the one that
//! was found is the lowest of them. For the node before *that*, a new search would go the same way. So it begins where
//! the kept nodes part from it, which is mostly a level or two up, and follows links until they lead to it.
//! No key is compared on the way, so none has to come from memory.
//!
//! ```text
//! level 2   A ----------------------> E         to go back from D, found with the path A, C, C:
//! level 1   A ----------> C --------> E         C is before it. To go back from C, A on level 2 is the lowest that is
//! level 0   A --> B --> C --> D --> E           not C: from A along level 1 to C, and along level 0 to C. B is before it.
//! ```

use super::{HEIGHT_MAX, Node, SkipList, Target};
use crate::sync::Ordering;

/// The way to a node: on each level the last node before it.
///
/// Invariant: a node that stands on a level of the path was seen in the list of that level, and stands at or after the node
/// on the level above.
#[derive(Debug, Clone, Copy)]
pub(in crate::memtable) struct Path {
    before: [Node; HEIGHT_MAX],
}

impl SkipList {
    /// The way to the first node at or after `target`, and that node.
    pub(in crate::memtable) fn path(&self, target: Target<'_>) -> (Path, Option<Node>) {
        let mut path = self.new_path();
        let mut found = super::Found::start(self.head);
        for level in (0..self.height.load(Ordering::Relaxed)).rev() {
            found = self.descend(found, level, target);
            path.before[level] = found.before;
        }
        (path, found.after)
    }

    /// The way to the end of the list.
    pub(in crate::memtable) fn path_to_end(&self) -> Path {
        let mut path = self.new_path();
        let mut at = self.head;
        for level in (0..self.height.load(Ordering::Relaxed)).rev() {
            while let Some(next) = self.after(at, level) {
                at = next;
            }
            path.before[level] = at;
        }
        path
    }

    const fn new_path(&self) -> Path {
        Path {
            before: [self.head; HEIGHT_MAX],
        }
    }

    /// The last node on the path, `None` if it leads from the head to the first node. The path then leads to the
    /// node that is returned.
    pub(in crate::memtable) fn step_back(&self, path: &mut Path) -> Option<Node> {
        let node = path.before[0];
        if node == self.head {
            return None;
        }
        let levels = path.before.iter().take_while(|before| **before == node);
        let height = levels.count();
        let mut at = path.before.get(height).copied().unwrap_or(self.head);
        for level in (0..height).rev() {
            while let Some(next) = self.after(at, level).filter(|next| *next != node) {
                at = next;
            }
            path.before[level] = at;
        }
        Some(node)
    }
}

//! A walk over all nodes, in several places at once.
//!
//! A plain walk finds each node's address only in the node before: in a list larger than the caches
//! that is a cache miss for each node. So the nodes on an upper level divide the list into
//! stretches, and [`STRETCHES`] of them are walked in turns, a step each. While one waits for its
//! cache line, the others' lines are on their way.
//!
//! Of nodes that are inserted during the walk, it sees some. Whoever inserts them has to tell, or not to care.

use super::{Node, SkipList};

/// This many stretches are walked at once. A processor core handles about a dozen cache misses at a time.
const STRETCHES: usize = 12;
/// The nodes on this level begin stretches: about one in sixteen, fewer where a key has many versions.
const LEVEL: usize = 2;

/// Shows nodes of a list in their order, each once. The list is named in each call, so that it may be written to
/// between them; it must be the same one.
#[derive(Debug)]
pub(in crate::memtable) struct Walk {
    level: usize,
    /// Where the next stretches begin, and, if already known, where the last of them ends. All are on the level, but
    /// the node that the walk begins at.
    marks: Vec<Node>,
    /// Whether no node on the level follows the last mark.
    at_last_mark: bool,
    /// The stretches being walked, each with its nodes so far.
    stretches: [Stretch; STRETCHES],
    /// The stretch whose nodes are being returned, and how many of them have been.
    shown: (usize, usize),
}

#[derive(Debug, Default)]
struct Stretch {
    nodes: Vec<Node>,
    /// The last node of the stretch.
    end: Option<Node>,
    /// The node last reached; `None` once the stretch has ended.
    at: Option<Node>,
}

impl Walk {
    /// Over all nodes.
    pub(in crate::memtable) fn new(list: &SkipList) -> Self {
        Self::from(vec![list.head], LEVEL.min(list.top_level()), false)
    }

    /// Over the nodes after `node`. Cost: a search, and then that of a few hundred nodes, which are walked at once.
    pub(in crate::memtable) fn after(list: &SkipList, node: Node) -> Self {
        let level = LEVEL.min(list.top_level());
        let mut marks = vec![node];
        marks.extend(list.next_on(node, level));
        let at_last_mark = marks.len() == 1;
        Self::from(marks, level, at_last_mark)
    }

    fn from(marks: Vec<Node>, level: usize, at_last_mark: bool) -> Self {
        Self {
            level,
            marks,
            at_last_mark,
            stretches: Default::default(),
            shown: (0, 0),
        }
    }

    /// The next node; `None` after the last.
    #[inline]
    pub(in crate::memtable) fn next(&mut self, list: &SkipList) -> Option<Node> {
        loop {
            let (stretch, node) = self.shown;
            if stretch == STRETCHES {
                if !self.walk_on(list) {
                    return None;
                }
            } else if let Some(&node) = self.stretches[stretch].nodes.get(node) {
                self.shown.1 += 1;
                return Some(node);
            } else {
                self.shown = (stretch + 1, 0);
            }
        }
    }

    /// Stores the next nodes in `nodes`, as many as there is room for. Returns how many there are.
    pub(in crate::memtable) fn fill(&mut self, list: &SkipList, nodes: &mut [Node]) -> usize {
        let mut filled = 0;
        while filled < nodes.len() {
            let (stretch, from) = self.shown;
            let Some(stretch) = self.stretches.get(stretch) else {
                if self.walk_on(list) {
                    continue;
                }
                break;
            };
            let left = &stretch.nodes[from..];
            let count = left.len().min(nodes.len() - filled);
            nodes[filled..filled + count].copy_from_slice(&left[..count]);
            filled += count;
            self.shown = match count < left.len() {
                true => (self.shown.0, from + count),
                false => (self.shown.0 + 1, 0),
            };
        }
        filled
    }

    /// The node `ahead` places after the next one, unless another stretch begins before it.
    #[inline]
    pub(in crate::memtable) fn coming(&self, ahead: usize) -> Option<Node> {
        let (stretch, node) = self.shown;
        self.stretches
            .get(stretch)?
            .nodes
            .get(node + ahead)
            .copied()
    }

    /// Walks the next stretches. Returns whether there was a node.
    fn walk_on(&mut self, list: &SkipList) -> bool {
        self.shown = (0, 0);
        while self.marks.len() <= STRETCHES && self.find_mark(list) {}
        for (at, stretch) in self.stretches.iter_mut().enumerate() {
            stretch.nodes.clear();
            stretch.at = self.marks.get(at).copied();
            stretch.end = self.marks.get(at + 1).copied();
        }
        // The next stretches begin where the last one ends. The very last one has no end, and no
        // stretch begins after it.
        self.marks.drain(..self.marks.len().min(STRETCHES));
        loop {
            let mut is_done = true;
            for stretch in &mut self.stretches {
                is_done &= !stretch.step(list);
            }
            if is_done {
                break;
            }
            if self.marks.len() <= STRETCHES {
                self.find_mark(list);
            }
        }
        !self.stretches[0].nodes.is_empty()
    }

    /// Finds one more node that begins a stretch, if there is one.
    fn find_mark(&mut self, list: &SkipList) -> bool {
        let last = self.marks.last().filter(|_| !self.at_last_mark);
        let next = last.and_then(|&last| list.after(last, self.level));
        self.at_last_mark = next.is_none();
        if let Some(next) = next {
            next.prefetch();
            self.marks.push(next);
        }
        next.is_some()
    }
}

impl Stretch {
    /// Takes a node, if the stretch has not ended. Returns whether it continues.
    #[inline]
    fn step(&mut self, list: &SkipList) -> bool {
        let Some(at) = self.at else {
            return false;
        };
        let next = list.after(at, 0);
        if let Some(next) = next {
            next.prefetch();
            self.nodes.push(next);
        }
        self.at = next.filter(|_| next != self.end);
        self.at.is_some()
    }
}

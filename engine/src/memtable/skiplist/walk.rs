//! A walk over many nodes, in several places at once.
//!
//! A plain walk finds each node's address only in the node before: in a list larger than the caches
//! that is a cache miss for each node. So the nodes on an upper level divide the list into
//! stretches, and [`STRETCHES`] of them are walked in turns, a step each. While one waits for its
//! cache line, the others' lines are on their way.
//!
//! Upper levels have no links back. So a walk backward takes pieces of the list, each from a node on a level still higher:
//! it walks a piece forward and shows it from its end.
//!
//! Of nodes that are inserted during the walk, it sees some. Whoever inserts them has to tell, or not to care.

use super::{Node, SkipList};

/// This many stretches are walked at once. A processor core handles about a dozen cache misses at a time.
const STRETCHES: usize = 12;
/// The nodes on this level begin stretches: about one in seven, fewer where a key has many versions.
const LEVEL: usize = 2;
/// The nodes on this level begin the pieces of a walk backward: about one in five hundred.
const PIECE_LEVEL: usize = 6;

/// Shows nodes of a list in their order, each once. The list is named in each call, so that it may be written to
/// between them; it must be the same one.
#[derive(Debug)]
pub(in crate::memtable) struct Walk {
    level: usize,
    /// Where the next stretches begin, and, if already known, where the last of them ends. All are on the level, but
    /// the nodes that the walk begins and ends at.
    marks: Vec<Node>,
    /// Whether all marks were found.
    at_last_mark: bool,
    /// The last node to show; `None` if that is the list's last.
    end: Option<Node>,
    stretches: [Stretch; STRETCHES],
    /// The nodes that were walked last, and how many of them have been shown.
    nodes: Vec<Node>,
    shown: usize,
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
        Self {
            level: LEVEL.min(list.top_level()),
            marks: vec![list.head],
            at_last_mark: false,
            end: None,
            stretches: Default::default(),
            nodes: Vec::new(),
            shown: 0,
        }
    }

    /// Over the nodes after `node`. Cost: a search, and then that of a few hundred nodes, which are walked at once.
    pub(in crate::memtable) fn after(list: &SkipList, node: Node) -> Self {
        let mut walk = Self::new(list);
        walk.marks = vec![node];
        walk.marks.extend(list.next_on(node, walk.level));
        walk.at_last_mark = walk.marks.len() == 1;
        walk
    }

    /// The next node; `None` after the last.
    #[inline]
    pub(in crate::memtable) fn next(&mut self, list: &SkipList) -> Option<Node> {
        let next = self.peek(list)?;
        self.pass();
        Some(next)
    }

    /// The next node, which is shown again next time.
    #[inline]
    pub(in crate::memtable) fn peek(&mut self, list: &SkipList) -> Option<Node> {
        if self.shown == self.nodes.len() {
            self.nodes.clear();
            self.shown = 0;
            self.walk_on(list);
        }
        self.coming(0)
    }

    /// Shows the node that was [peeked](Self::peek) at.
    #[inline]
    pub(in crate::memtable) const fn pass(&mut self) {
        self.shown += 1;
    }

    /// Takes back that the last `count` nodes were shown. Returns whether they are still known.
    pub(in crate::memtable) const fn take_back(&mut self, count: usize) -> bool {
        let is_known = count <= self.shown;
        if is_known {
            self.shown -= count;
        }
        is_known
    }

    /// Stores the next nodes in `nodes`, as many as there is room for. Returns how many there are.
    pub(in crate::memtable) fn fill(&mut self, list: &SkipList, nodes: &mut [Node]) -> usize {
        let mut filled = 0;
        while filled < nodes.len() && self.peek(list).is_some() {
            let left = &self.nodes[self.shown..];
            let count = left.len().min(nodes.len() - filled);
            nodes[filled..filled + count].copy_from_slice(&left[..count]);
            filled += count;
            self.shown += count;
        }
        filled
    }

    /// The node `ahead` places after the next one, if it was walked already.
    #[inline]
    pub(in crate::memtable) fn coming(&self, ahead: usize) -> Option<Node> {
        self.nodes.get(self.shown + ahead).copied()
    }

    /// Walks the next stretches, and adds their nodes to `nodes`. Returns whether there was one.
    fn walk_on(&mut self, list: &SkipList) -> bool {
        while self.marks.len() <= STRETCHES && self.find_mark(list) {}
        for (at, stretch) in self.stretches.iter_mut().enumerate() {
            stretch.nodes.clear();
            let mark = self.marks.get(at).copied();
            stretch.at = mark.filter(|_| mark != self.end);
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
        let walked = self.stretches.iter().flat_map(|stretch| &stretch.nodes);
        self.nodes.extend(walked);
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

/// Shows the nodes before one, from the last to the first, each once. For lists in the bytewise order, in which a search
/// is certain to find a node before.
#[derive(Debug)]
pub(in crate::memtable) struct WalkBack {
    /// Over the piece that was walked last.
    piece: Walk,
    /// What is left to show of it, in the list's order.
    nodes: Vec<Node>,
    /// The last node that was not walked over; `None` if that was the list's first.
    last: Option<Node>,
}

impl WalkBack {
    /// Over the nodes before `node`. Cost: as for [`Walk::after`].
    pub(in crate::memtable) fn before(list: &SkipList, node: Node) -> Self {
        let mut walk = Self {
            piece: Walk::new(list),
            nodes: Vec::new(),
            last: Some(node),
        };
        // The first piece ends with the node itself.
        walk.walk_on(list);
        walk.pass();
        walk
    }

    /// The node `back` places before the next one, which is at 0.
    #[inline]
    pub(in crate::memtable) fn peek(&mut self, list: &SkipList, back: usize) -> Option<Node> {
        while self.nodes.len() <= back && self.walk_on(list) {}
        let at = self.nodes.len().checked_sub(back + 1)?;
        self.nodes.get(at).copied()
    }

    /// Shows the next node, if there is one.
    #[inline]
    pub(in crate::memtable) fn pass(&mut self) {
        self.nodes.pop();
    }

    /// Walks over the next piece. Returns whether there was one.
    fn walk_on(&mut self, list: &SkipList) -> bool {
        let Some(end) = self.last else {
            return false;
        };
        let (begin, last_mark) = list.last_before(end, PIECE_LEVEL, self.piece.level);
        self.last = (begin != list.head).then_some(begin);
        let piece = &mut self.piece;
        (piece.at_last_mark, piece.end) = (false, Some(end));
        piece.marks.clear();
        piece.marks.push(begin);
        while piece.marks.last() != Some(&last_mark) && piece.find_mark(list) {}
        piece.marks.push(end);
        piece.at_last_mark = true;
        while piece.walk_on(list) {}
        // What is left comes after the piece.
        self.piece.nodes.append(&mut self.nodes);
        std::mem::swap(&mut self.piece.nodes, &mut self.nodes);
        true
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
        list.prefetch_value(at);
        if let Some(next) = next {
            next.prefetch();
            self.nodes.push(next);
        }
        self.at = next.filter(|_| next != self.end);
        self.at.is_some()
    }
}

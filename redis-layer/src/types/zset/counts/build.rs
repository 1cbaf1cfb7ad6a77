//! Builds the counts of a set from its rows in order, visiting each once.

use super::{BUCKET_BUILT, Counts, ENTRY_BYTES, NODE_MAX, Node, Separator, separator_between};

/// Builds the counts of a set from its rows in order.
#[derive(Debug, Default)]
pub struct Builder {
    leaf: Node,
    previous: Vec<u8>,
    rest_bytes: usize,
}

impl Builder {
    /// The next row.
    pub fn push(&mut self, row: &[u8]) {
        match self.leaf.counts.last_mut() {
            Some(count) if *count < BUCKET_BUILT => *count += 1,
            last => {
                let separator = match last {
                    None => Separator::of(b""),
                    Some(_) => separator_between(&self.previous, row),
                };
                self.rest_bytes += separator.rest.len();
                self.leaf.separators.push(separator);
                self.leaf.counts.push(1);
            }
        }
        self.previous.clear();
        self.previous.extend_from_slice(row);
    }

    /// About how much memory the counts take so far.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.leaf.counts.len() * ENTRY_BYTES + self.rest_bytes
    }

    /// The counts of all rows that were pushed.
    #[must_use]
    pub fn finish(mut self) -> Counts {
        if self.leaf.separators.is_empty() {
            self.leaf.separators.push(Separator::of(b""));
            self.leaf.counts.push(0);
        }
        let (buckets, total) = (self.leaf.separators.len(), self.leaf.sum());
        let mut level = self.leaf;
        while level.separators.len() > NODE_MAX {
            level = level.grouped();
        }
        Counts {
            root: level,
            total,
            buckets,
            rest_bytes: self.rest_bytes,
            remembered: 0,
        }
    }
}

impl Node {
    /// Puts a level of nodes above one that is too long, with each node as full as nodes are after some splits.
    fn grouped(self) -> Self {
        let size = NODE_MAX * 3 / 4;
        let mut above = Self::default();
        let mut separators = self.separators.into_iter().peekable();
        let mut counts = self.counts.into_iter();
        let mut children = self.children.into_iter();
        while separators.peek().is_some() {
            let node = Self {
                separators: separators.by_ref().take(size).collect(),
                counts: counts.by_ref().take(size).collect(),
                children: children.by_ref().take(size).collect(),
                heads: Vec::new(),
            };
            above.separators.push(node.separators[0].clone());
            above.counts.push(node.sum());
            above.children.push(node);
        }
        above
    }
}

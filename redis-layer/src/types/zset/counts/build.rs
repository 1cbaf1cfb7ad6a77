//! Builds the counts of a set from its rows in order, visiting each once.

use super::{BUCKET_BUILT, Counts, ENTRY_BYTES, NODE_MAX, Node, Place, place_between};

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
                let place = match last {
                    None => Place::of(b""),
                    Some(_) => place_between(&self.previous, row),
                };
                self.rest_bytes += place.rest.len();
                self.leaf.places.push(place);
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
        if self.leaf.places.is_empty() {
            self.leaf.places.push(Place::of(b""));
            self.leaf.counts.push(0);
        }
        let (buckets, total) = (self.leaf.places.len(), self.leaf.sum());
        let mut level = self.leaf;
        while level.places.len() > NODE_MAX {
            level = level.grouped();
        }
        Counts {
            root: level,
            total,
            buckets,
            rest_bytes: self.rest_bytes,
            heads_bytes: 0,
        }
    }
}

impl Node {
    /// Puts a level of nodes above one that is too long, with each node as full as nodes are after some splits.
    fn grouped(self) -> Self {
        let size = NODE_MAX * 3 / 4;
        let mut above = Self::default();
        let mut places = self.places.into_iter().peekable();
        let mut counts = self.counts.into_iter();
        let mut children = self.children.into_iter();
        while places.peek().is_some() {
            let node = Self {
                places: places.by_ref().take(size).collect(),
                counts: counts.by_ref().take(size).collect(),
                children: children.by_ref().take(size).collect(),
                heads: Vec::new(),
            };
            above.places.push(node.places[0].clone());
            above.counts.push(node.sum());
            above.children.push(node);
        }
        above
    }
}

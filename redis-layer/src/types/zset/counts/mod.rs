//! How many members of a sorted set come before a key, without visiting each of them.
//!
//! The score rows of a set are cut into *buckets* of some dozens. A B-tree over the buckets knows
//! where each one starts and how many rows it holds, and every node knows the sum of each child:
//!
//! ```text
//! root     | from the first: 31    | from 3.0: 58          |
//!              /                         \
//! leaf     | first: 20 | 2.0: 11 |    | 3.0: 32 | 3.5 "m": 26 |
//! ```
//!
//! The number of rows before `x` is the sum of the counts to the left on the way down, plus a walk inside one bucket.
//! The caller does that walk, because the rows are in the store. The same way down, led by counts instead of keys,
//! finds the member with a given rank.
//!
//! A bucket starts at a *separator*, which need not be an existing row: it is what follows the version in the key of a
//! score row, cut after the first byte that distinguishes it from the row before. So most separators are the eight bytes
//! of a score, and removing the row at a separator changes nothing.
//!
//! Invariants, which [`Counts::check`] walks
//! 1. Separators ascend. The first is empty: no row comes before it.
//! 2. A node holds at most `NODE_MAX` entries; all leaves have the same depth.
//! 3. The count of an entry is the sum of the node below it.
//!
//! A bucket that has become small is joined with a neighbour in its leaf, and a small node with a neighbouring node,
//! so the tree shrinks with the set.
//!
//! A caller that walks over a bucket may leave the first bytes of its rows here ([`heads`]). Then no later question
//! about that bucket needs a walk, and neither does its split.
//!
//! Cost: O(log n) for each function except [`Builder`], which is O(n); less than three bytes of memory for a member.
//! The heads take memory beyond that, up to the limit in [`heads`].

mod build;
pub mod heads;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;

pub use build::Builder;
use heads::{BUCKETS_MAX, HEADS_TOLD_BYTES, Heads};

/// A bucket with more rows should be split.
pub const BUCKET_MAX: u64 = 32;
/// How many rows a bucket gets when the tree is built: it may grow by a third before it is split.
const BUCKET_BUILT: u64 = BUCKET_MAX * 3 / 4;
/// How many entries a node has at most.
const NODE_MAX: usize = 32;
/// A node with fewer entries is joined with a neighbour, if both fit into one.
const NODE_MIN: usize = NODE_MAX / 4;
/// How many bytes of a separator are kept in the node itself.
const HEAD: usize = 8;
/// The memory of an entry, including its share of the nodes above and of unused room.
const ENTRY_BYTES: usize = 2 * (size_of::<Separator>() + size_of::<u64>());

/// Where a bucket starts. The first bytes are compared as a number; most separators have no further bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Separator {
    head: u64,
    rest: Box<[u8]>,
}

impl Separator {
    /// The separator with these bytes. Fewer than [`HEAD`] bytes are padded with zeros: no row lies between, since every
    /// row begins with the [`HEAD`] bytes of a score.
    fn of(bytes: &[u8]) -> Self {
        Self {
            head: head_of(bytes),
            rest: bytes.get(HEAD..).unwrap_or_default().into(),
        }
    }

    /// How the separator compares with a key that may be shorter than [`HEAD`] bytes.
    fn compare(&self, head: u64, key: &[u8]) -> Ordering {
        self.head.cmp(&head).then_with(|| {
            match key.get(HEAD..) {
                Some(rest) => (*self.rest).cmp(rest),
                // The separator is the key followed by zero bytes, so it sorts after the key.
                None => Ordering::Greater,
            }
        })
    }

    fn bytes(&self) -> Vec<u8> {
        [&self.head.to_be_bytes(), &*self.rest].concat()
    }
}

/// The first bytes as a number that sorts as they do.
fn head_of(bytes: &[u8]) -> u64 {
    let mut head = [0; HEAD];
    let len = bytes.len().min(HEAD);
    head[..len].copy_from_slice(&bytes[..len]);
    u64::from_be_bytes(head)
}

/// The entries of a node. The entries of a leaf are buckets, and it has no children.
#[derive(Debug, Default)]
struct Node {
    separators: Vec<Separator>,
    counts: Vec<u64>,
    children: Vec<Node>,
    /// In a leaf, the remembered heads of each bucket. Empty if there are none, or one for each bucket.
    heads: Vec<Option<Heads>>,
}

/// The number of rows in each part of a sorted set.
#[derive(Debug)]
pub struct Counts {
    root: Node,
    total: u64,
    buckets: usize,
    /// Bytes of separators beyond what the nodes hold.
    rest_bytes: usize,
    /// Of how many buckets the heads are remembered.
    remembered: usize,
}

/// A bucket, and how many rows come before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bucket {
    /// Every row of the bucket is at or after this. Empty for the first one.
    pub start: Vec<u8>,
    /// How many rows come before it.
    pub before: u64,
    /// How many rows it holds.
    pub count: u64,
}

impl Default for Counts {
    /// The counts of a set without members.
    fn default() -> Self {
        Builder::default().finish()
    }
}

impl Counts {
    /// How many rows there are.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// About how much memory it takes.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        // The heads of another bucket are remembered often, so their bytes are reported in coarse steps.
        let heads = heads::bytes_of(self.remembered).next_multiple_of(HEADS_TOLD_BYTES);
        size_of::<Self>() + self.buckets * ENTRY_BYTES + self.rest_bytes + heads
    }

    /// The bucket to which a row belongs, whether the row exists or not.
    #[must_use]
    pub fn bucket_of(&self, row: &[u8]) -> Bucket {
        let (leaf, at, before) = self.leaf_of(row);
        leaf.bucket(at, before)
    }

    /// The leaf to which a row belongs, the index of its bucket in the leaf, and how many rows come before that
    /// bucket.
    fn leaf_of(&self, row: &[u8]) -> (&Node, usize, u64) {
        let head = head_of(row);
        let (mut node, mut before) = (&self.root, 0);
        loop {
            let at = node.position(head, row);
            before += node.counts[..at].iter().sum::<u64>();
            match node.children.get(at) {
                Some(child) => node = child,
                None => return (node, at, before),
            }
        }
    }

    /// The bucket of the row with this rank, or the last bucket if there are not that many rows.
    #[must_use]
    pub fn bucket_at(&self, rank: u64) -> Bucket {
        let (leaf, at, before) = self.leaf_at(rank);
        leaf.bucket(at, before)
    }

    /// As [`leaf_of`](Self::leaf_of), for the row of a rank.
    fn leaf_at(&self, rank: u64) -> (&Node, usize, u64) {
        let (mut node, mut before) = (&self.root, 0);
        loop {
            let mut at = 0;
            while at + 1 < node.counts.len() && before + node.counts[at] <= rank {
                before += node.counts[at];
                at += 1;
            }
            match node.children.get(at) {
                Some(child) => node = child,
                None => return (node, at, before),
            }
        }
    }

    /// Notes that a row was added. Returns how many rows its bucket holds now.
    pub fn add(&mut self, row: &[u8]) -> u64 {
        self.total += 1;
        let head = head_of(row);
        let mut node = &mut self.root;
        loop {
            let at = node.position(head, row);
            node.counts[at] += 1;
            if node.children.is_empty() {
                node.add_head(at, head);
                return node.counts[at];
            }
            node = &mut node.children[at];
        }
    }

    /// Notes that a row was removed.
    pub fn remove(&mut self, row: &[u8]) {
        self.total = self.total.saturating_sub(1);
        let removed = self.root.remove(head_of(row), row);
        self.buckets -= removed.buckets;
        self.rest_bytes -= removed.rest_bytes;
        self.remembered -= removed.remembered;
        while self.root.children.len() == 1 {
            self.root = self.root.children.remove(0);
        }
    }

    /// Splits the bucket of `row` in two: `row` and what follows it become the second one. The first one keeps
    /// `before` rows; `previous` is the last of them.
    pub fn split(&mut self, previous: &[u8], row: &[u8], before: u64) {
        self.split_at(row, separator_between(previous, row), before);
    }

    /// Splits the bucket of `row` at a separator that comes after `before` of its rows.
    fn split_at(&mut self, row: &[u8], separator: Separator, before: u64) {
        let rest_bytes = separator.rest.len();
        let is_remembered = self.make_room_to_split(row);
        let Some(second) = self.root.split(head_of(row), row, (separator, before)) else {
            return;
        };
        self.remembered += usize::from(is_remembered);
        self.buckets += 1;
        self.rest_bytes += rest_bytes;
        if let Some((separator, node)) = second {
            let first = std::mem::take(&mut self.root);
            self.root = Node {
                separators: vec![first.separators[0].clone(), separator],
                counts: vec![first.sum(), node.sum()],
                children: vec![first, node],
                heads: Vec::new(),
            };
        }
    }

    /// All buckets, in order.
    #[must_use]
    pub fn buckets(&self) -> Vec<Bucket> {
        let mut buckets = Vec::with_capacity(self.buckets);
        self.root.collect(&mut buckets);
        buckets
    }

    /// What contradicts the invariants, if anything does.
    #[must_use]
    pub fn check(&self) -> Option<String> {
        let buckets = self.buckets();
        let separators: Vec<&[u8]> = buckets.iter().map(|bucket| &*bucket.start).collect();
        if !separators.is_sorted_by(|a, b| a < b) || !separators[0].is_empty() {
            return Some(format!(
                "the separators do not ascend from the first: {separators:02x?}"
            ));
        }
        let rest_bytes = separators
            .iter()
            .map(|p| p.len().saturating_sub(HEAD))
            .sum();
        if (self.buckets, self.rest_bytes, self.total)
            != (buckets.len(), rest_bytes, self.root.sum())
            || self.remembered != self.root.remembered()
            || self.remembered > BUCKETS_MAX
        {
            return Some("the sums are not those of the tree".to_owned());
        }
        self.root.check().err()
    }
}

/// What a removal took out of the tree.
#[derive(Debug, Default)]
struct Removed {
    buckets: usize,
    rest_bytes: usize,
    /// Of how many buckets the heads are not remembered any more.
    remembered: usize,
}

impl Node {
    fn sum(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The last entry that does not start after the key. The first entry counts as starting before every key.
    fn position(&self, head: u64, key: &[u8]) -> usize {
        let is_after = |separator: &Separator| separator.compare(head, key).is_gt();
        self.separators
            .partition_point(|separator| !is_after(separator))
            .max(1)
            - 1
    }

    fn bucket(&self, at: usize, before: u64) -> Bucket {
        let separator = &self.separators[at];
        let is_first = separator.head == 0 && separator.rest.is_empty();
        Bucket {
            start: if is_first {
                Vec::new()
            } else {
                separator.bytes()
            },
            before,
            count: self.counts[at],
        }
    }

    fn remove(&mut self, head: u64, row: &[u8]) -> Removed {
        let at = self.position(head, row);
        self.counts[at] = self.counts[at].saturating_sub(1);
        if let Some(child) = self.children.get_mut(at) {
            let removed = child.remove(head, row);
            if child.separators.len() < NODE_MIN {
                self.join_nodes(at);
            }
            return removed;
        }
        let forgotten = self.remove_head(at, head);
        let mut removed = self.join_buckets(at);
        removed.remembered += forgotten;
        removed
    }

    /// Joins a bucket with a neighbour if both have become small.
    fn join_buckets(&mut self, at: usize) -> Removed {
        for first in [at, at.wrapping_sub(1)] {
            let second = first.wrapping_add(1);
            let Some(both) = self.counts.get(first).zip(self.counts.get(second)) else {
                continue;
            };
            if both.0 + both.1 > BUCKET_MAX / 2 {
                continue;
            }
            let remembered = self.join_heads(first);
            self.counts[first] += self.counts.remove(second);
            let separator = self.separators.remove(second);
            return Removed {
                buckets: 1,
                rest_bytes: separator.rest.len(),
                remembered,
            };
        }
        Removed::default()
    }

    /// Joins a small child with a neighbour if both fit into one node.
    fn join_nodes(&mut self, at: usize) {
        for first in [at, at.wrapping_sub(1)] {
            let second = first.wrapping_add(1);
            let Some(both) = self.children.get(first).zip(self.children.get(second)) else {
                continue;
            };
            if both.0.separators.len() + both.1.separators.len() > NODE_MAX {
                continue;
            }
            let mut from = self.children.remove(second);
            self.separators.remove(second);
            self.counts[first] += self.counts.remove(second);
            let into = &mut self.children[first];
            if !from.heads.is_empty() || !into.heads.is_empty() {
                from.make_places();
                into.make_places();
                into.heads.append(&mut from.heads);
            }
            into.separators.append(&mut from.separators);
            into.counts.append(&mut from.counts);
            into.children.append(&mut from.children);
            return;
        }
    }

    /// Splits a bucket. Returns `None` if there is nothing to split, otherwise the second half of this node if it has
    /// become too large.
    fn split(
        &mut self,
        head: u64,
        row: &[u8],
        cut: (Separator, u64),
    ) -> Option<Option<(Separator, Node)>> {
        let at = self.position(head, row);
        if let Some(child) = self.children.get_mut(at) {
            if let Some((separator, node)) = child.split(head, row, cut)? {
                self.counts[at] -= node.sum();
                self.counts.insert(at + 1, node.sum());
                self.separators.insert(at + 1, separator);
                self.children.insert(at + 1, node);
            }
        } else {
            let (separator, before) = cut;
            let count = self.counts[at];
            if before == 0 || before >= count {
                return None;
            }
            self.counts[at] = before;
            self.counts.insert(at + 1, count - before);
            self.separators.insert(at + 1, separator);
            self.split_heads(at, before);
        }
        if self.separators.len() <= NODE_MAX {
            return Some(None);
        }
        let half = self.separators.len() / 2;
        let node = Self {
            separators: self.separators.split_off(half),
            counts: self.counts.split_off(half),
            children: self.children.split_off(half.min(self.children.len())),
            heads: self.heads.split_off(half.min(self.heads.len())),
        };
        Some(Some((node.separators[0].clone(), node)))
    }

    fn collect(&self, buckets: &mut Vec<Bucket>) {
        for at in 0..self.separators.len() {
            if let Some(child) = self.children.get(at) {
                child.collect(buckets);
            } else {
                let before = buckets.last().map_or(0, |last| last.before + last.count);
                buckets.push(self.bucket(at, before));
            }
        }
    }

    /// The depth, or what is wrong.
    fn check(&self) -> Result<usize, String> {
        let entries = self.separators.len();
        if entries == 0 || entries > NODE_MAX || self.counts.len() != entries {
            return Err(format!("a node has {entries} entries"));
        }
        if self.children.is_empty() {
            return Ok(1);
        }
        let mut depths = Vec::new();
        for (at, child) in self.children.iter().enumerate() {
            if child.separators[0] != self.separators[at] || child.sum() != self.counts[at] {
                let separators = (&self.separators[at], &child.separators[0]);
                let counts = (self.counts[at], child.sum());
                return Err(format!(
                    "a node and its child differ: {separators:02x?} {counts:?}"
                ));
            }
            depths.push(child.check()?);
        }
        if self.children.len() != entries || depths.iter().any(|depth| *depth != depths[0]) {
            return Err(format!("the leaves have several depths: {depths:?}"));
        }
        Ok(depths[0] + 1)
    }
}

/// The shortest separator that comes after `previous` and not after `row`.
fn separator_between(previous: &[u8], row: &[u8]) -> Separator {
    let shared = previous.iter().zip(row).take_while(|(a, b)| a == b).count();
    Separator::of(&row[..row.len().min((shared + 1).max(HEAD))])
}

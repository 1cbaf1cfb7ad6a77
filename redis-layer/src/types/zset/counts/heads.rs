//! What is remembered of the rows of a bucket: the first bytes of each (its *head*), in order.
//!
//! To find the rank of a key, the caller has to walk over a part of a bucket, in the store. The walk sees every row
//! of the bucket, so it leaves their heads here, and until the bucket changes the next question is a binary search in
//! memory. The head of a score row is its score, so a walk is needed again only where several members have one score
//! and the member decides.
//!
//! Invariants
//! 1. The heads of a bucket are those of all its rows: a change of the bucket forgets them.
//! 2. The heads of an index take at most [`HEADS_BYTES_MAX`]. Heads that would exceed that replace those of randomly
//!    chosen leaves, or are not remembered.
//!
//! A leaf probe buckets are split or joined forgets all its heads. That happens at most once in a dozen changes.

use super::{Bucket, Counts, Node, head_of};

/// How much memory the heads of one index may take: enough for a million members.
pub const HEADS_BYTES_MAX: usize = 12 << 20;
/// How many leaves are tried to make room: in a much larger set, most leaves have no heads to forget.
const FORGOTTEN_LEAVES: usize = 2;
/// The memory budget is told of changes in steps of this size.
pub(super) const HEADS_TOLD_BYTES: usize = 1 << 18;
/// What an allocation takes besides its bytes, including the pointer to it.
const BESIDE_BYTES: usize = 24;

/// The heads of the rows of one bucket.
pub(super) type Heads = Box<[u64]>;

const fn bytes_of(heads: &Heads) -> usize {
    size_of_val::<[u64]>(&**heads) + BESIDE_BYTES
}

/// How many rows come before a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowsBefore {
    /// This many.
    Known(u64),
    /// A walk over the rows of this bucket has to find out.
    Within(Bucket),
}

/// What is known of a key that is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Probe {
    /// There is a row with this key.
    ExistingRow,
    /// There may be no row with this key.
    AnyKey,
}

/// The bytes of a row that are remembered: the first eight, as a number.
#[must_use]
pub fn head(row: &[u8]) -> u64 {
    head_of(row)
}

impl Counts {
    /// How many rows come before a key, as far as that is known.
    #[must_use]
    pub fn rows_before(&self, key: &[u8], probe: Probe) -> RowsBefore {
        let (leaf, at, before) = self.leaf_of(key);
        let known = leaf
            .heads_at(at)
            .and_then(|heads| within(heads, key, probe));
        match known {
            Some(within) => RowsBefore::Known(before + within),
            None => RowsBefore::Within(leaf.bucket(at, before)),
        }
    }

    /// The best bucket to begin a walk to the row with this rank. It may be only the last part of a real bucket.
    #[must_use]
    pub fn near(&self, rank: u64) -> Bucket {
        let (leaf, at, before) = self.leaf_at(rank);
        let mut bucket = leaf.bucket(at, before);
        let skip = usize::try_from(rank - before.min(rank)).unwrap_or(usize::MAX);
        if let Some(heads) = leaf.heads_at(at)
            && let Some(head) = heads.get(skip)
        {
            // Other rows with this head may come before it; if this head is the first of the bucket, even in the
            // bucket before.
            let first = heads.partition_point(|other| other < head) as u64;
            if first > 0 {
                bucket.start = head.to_be_bytes().to_vec();
                bucket.before += first;
                bucket.count -= first;
            }
        }
        bucket
    }

    /// Remembers the heads of all rows of a bucket, in order.
    pub fn remember(&mut self, bucket: &Bucket, heads: Vec<u64>) {
        let heads = heads.into_boxed_slice();
        let fits = |taken: usize| taken + bytes_of(&heads) <= HEADS_BYTES_MAX;
        for _ in 0..FORGOTTEN_LEAVES {
            if fits(self.heads_bytes) {
                break;
            }
            self.heads_bytes -= self.root.forget_a_leaf();
        }
        if !fits(self.heads_bytes) {
            return;
        }
        let head = head_of(&bucket.start);
        let mut node = &mut self.root;
        while !node.children.is_empty() {
            let at = node.position(head, &bucket.start);
            node = &mut node.children[at];
        }
        let at = node.position(head, &bucket.start);
        if node.counts[at] != heads.len() as u64 {
            return;
        }
        self.heads_bytes += bytes_of(&heads);
        self.heads_bytes -= node.forget_heads(at);
        node.heads.resize_with(node.separators.len(), || None);
        node.heads[at] = Some(heads);
    }

    /// Forgets the heads of the leaf to which a row belongs.
    pub(super) fn forget_leaf(&mut self, row: &[u8]) {
        let head = head_of(row);
        let mut node = &mut self.root;
        while !node.children.is_empty() {
            let at = node.position(head, row);
            node = &mut node.children[at];
        }
        self.heads_bytes -= node.forget_all_heads();
    }
}

/// How many of the rows with these heads come before a key, if the heads are enough to tell.
fn within(heads: &[u64], key: &[u8], probe: Probe) -> Option<u64> {
    let head = head_of(key);
    let before = heads.partition_point(|other| *other < head);
    let alike = heads[before..].partition_point(|other| *other == head);
    // A key with no more bytes than a head comes before all rows that begin with it. And if the key is that of a row
    // and only one row has its head, that row is it.
    let is_told =
        alike == 0 || key.len() <= size_of::<u64>() || (alike == 1 && probe == Probe::ExistingRow);
    is_told.then_some(before as u64)
}

impl Node {
    fn heads_at(&self, at: usize) -> Option<&Heads> {
        self.heads.get(at)?.as_ref()
    }

    /// Forgets the heads of a bucket. Returns how many bytes they took.
    pub(super) fn forget_heads(&mut self, at: usize) -> usize {
        let heads = self.heads.get_mut(at).and_then(Option::take);
        heads.map_or(0, |heads| bytes_of(&heads))
    }

    /// Forgets the heads of all buckets of a leaf. Returns how many bytes they took.
    pub(super) fn forget_all_heads(&mut self) -> usize {
        let heads = std::mem::take(&mut self.heads);
        heads.iter().flatten().map(bytes_of).sum()
    }

    /// Forgets the heads of a randomly chosen leaf. Returns how many bytes they took.
    fn forget_a_leaf(&mut self) -> usize {
        let mut node = self;
        while !node.children.is_empty() {
            let at = fastrand::usize(..node.children.len());
            node = &mut node.children[at];
        }
        node.forget_all_heads()
    }

    /// The bytes of all heads below this node, by counting.
    pub(super) fn heads_bytes(&self) -> usize {
        let own = self.heads.iter().flatten().map(bytes_of).sum::<usize>();
        own + self.children.iter().map(Self::heads_bytes).sum::<usize>()
    }
}

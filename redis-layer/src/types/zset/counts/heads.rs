//! What is remembered of the rows of a bucket: the first bytes of each (its *head*), in order.
//!
//! To find the rank of a key, the caller has to walk over a part of a bucket, in the store. The walk sees every row
//! of the bucket, so it leaves their heads here. From then on they follow each change of the bucket, and a question
//! about it is a binary search in memory; so is the place where the bucket is split in two. The head of a score row is
//! its score, so a walk is needed again only where several members have one score and the member decides.
//!
//! Why that matters most in a small set whose members get new scores all the time: between two of its rows the store
//! has hundreds that are gone, until a compaction, and a walk steps over them.
//!
//! Heads take several times as much memory as the counts, and a set that grows gets them for all its rows. So those of a
//! set that nobody uses are forgotten after a second or two (`RankIndexes::forget_unused_heads`).
//!
//! Invariants
//! 1. The heads of a bucket are those of all its rows, in order.
//! 2. The heads of an index take at most [`HEADS_BYTES_MAX`]. Heads that would exceed that replace those of randomly
//!    chosen leaves, or are not remembered.

use super::{BUCKET_MAX, Bucket, Counts, Node, Separator, head_of};

/// How much memory the heads of one index may take: enough for a million members.
pub const HEADS_BYTES_MAX: usize = 20 << 20;
/// How many leaves are tried to make room: in a much larger set, most leaves have no heads to forget.
const FORGOTTEN_LEAVES: usize = 2;
/// The memory budget is told of changes in steps of this size.
pub(super) const HEADS_TOLD_BYTES: usize = 1 << 18;

/// The heads of the rows of one bucket, with room for all that it can have, so that no change moves them.
pub(super) type Heads = Vec<u64>;
/// The most rows that a bucket has, in the moment before it is split.
const ROWS_MAX: usize = BUCKET_MAX as usize + 1;
/// What the heads of a bucket take, however many rows it has: as much as the allocator gives for them, and the place
/// where the leaf holds them.
const BYTES: usize = (ROWS_MAX * size_of::<u64>()).next_multiple_of(64) + size_of::<Heads>();
/// The heads of so many buckets are remembered.
pub(super) const BUCKETS_MAX: usize = HEADS_BYTES_MAX / BYTES;

/// What the heads of so many buckets take.
pub(super) const fn bytes_of(buckets: usize) -> usize {
    buckets * BYTES
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

    /// The heads of a bucket, if they are remembered.
    #[must_use]
    pub fn heads_of(&self, bucket: &Bucket) -> Option<&[u64]> {
        let (leaf, at, _) = self.leaf_of(&bucket.start);
        leaf.heads_at(at).map(Vec::as_slice)
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
    pub fn remember(&mut self, bucket: &Bucket, mut heads: Vec<u64>) {
        if heads.len() > ROWS_MAX {
            return;
        }
        if !self.make_room() {
            return;
        }
        let (node, at) = self.root.leaf_of_mut(&bucket.start);
        if node.counts[at] != heads.len() as u64 {
            return;
        }
        heads.reserve_exact(ROWS_MAX - heads.len());
        node.make_places();
        self.remembered += usize::from(node.heads[at].replace(heads).is_none());
    }

    /// Forgets the heads of all buckets. Returns whether there were any.
    pub fn forget_heads(&mut self) -> bool {
        let had_some = self.remembered > 0;
        if had_some {
            self.root.forget_heads();
            self.remembered = 0;
        }
        had_some
    }

    /// Splits the bucket of `row` in two about equal halves, if its heads are remembered and tell where. Returns
    /// whether it did.
    pub fn split_by_heads(&mut self, row: &[u8]) -> bool {
        let (leaf, at, _) = self.leaf_of(row);
        let Some((before, separator)) = leaf.heads_at(at).and_then(|heads| middle(heads)) else {
            return false;
        };
        self.split_at(row, separator, before);
        true
    }

    /// Forgets heads until there is room for those of one more bucket, if it is found soon. Returns whether there is.
    fn make_room(&mut self) -> bool {
        for _ in 0..FORGOTTEN_LEAVES {
            if self.remembered < BUCKETS_MAX {
                break;
            }
            self.remembered -= self.root.forget_a_leaf();
        }
        self.remembered < BUCKETS_MAX
    }

    /// Before the bucket of a row is split: whether its heads are remembered, and will be those of two buckets.
    pub(super) fn make_room_to_split(&mut self, row: &[u8]) -> bool {
        let has_room = self.make_room();
        let (leaf, at) = self.root.leaf_of_mut(row);
        if !has_room && let Some(place) = leaf.heads.get_mut(at) {
            self.remembered -= usize::from(place.take().is_some());
        }
        leaf.heads_at(at).is_some()
    }
}

/// Where the heads of a bucket can be cut: the first place from the middle on that separates two different heads. The
/// number of heads before it, and the head after it.
fn middle(heads: &[u64]) -> Option<(u64, Separator)> {
    let half = heads.len() / 2;
    let last = *heads.get(half.checked_sub(1)?)?;
    let before = heads.partition_point(|head| *head <= last);
    let head = *heads.get(before)?;
    Some((
        before as u64,
        Separator {
            head,
            rest: Box::default(),
        },
    ))
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
    /// The leaf to which a row belongs, and the index of its bucket in the leaf.
    fn leaf_of_mut(&mut self, row: &[u8]) -> (&mut Self, usize) {
        let head = head_of(row);
        let mut node = self;
        loop {
            let at = node.position(head, row);
            if node.children.is_empty() {
                return (node, at);
            }
            node = &mut node.children[at];
        }
    }

    fn heads_at(&self, at: usize) -> Option<&Heads> {
        self.heads.get(at)?.as_ref()
    }

    fn heads_at_mut(&mut self, at: usize) -> Option<&mut Heads> {
        self.heads.get_mut(at)?.as_mut()
    }

    /// Notes the head of a row that was added to a bucket of this leaf.
    pub(super) fn add_head(&mut self, at: usize, head: u64) {
        if let Some(heads) = self.heads_at_mut(at) {
            heads.insert(heads.partition_point(|other| *other < head), head);
        }
    }

    /// Notes that a row with this head was removed from a bucket of this leaf. Forgets the heads if it is not among them,
    /// which happens only with damaged rows. Returns of how many buckets they were forgotten.
    pub(super) fn remove_head(&mut self, at: usize, head: u64) -> usize {
        let Some(heads) = self.heads_at_mut(at) else {
            return 0;
        };
        let place = heads.partition_point(|other| *other < head);
        if heads.get(place) == Some(&head) {
            heads.remove(place);
            return 0;
        }
        self.heads[at] = None;
        1
    }

    /// Splits the heads of a bucket of this leaf: so many stay in the first half.
    pub(super) fn split_heads(&mut self, at: usize, before: u64) {
        if self.heads.is_empty() {
            return;
        }
        let before = usize::try_from(before).unwrap_or(usize::MAX);
        let second = self.heads_at_mut(at).map(|first| {
            let mut second = Heads::with_capacity(ROWS_MAX);
            second.extend(first.drain(before..));
            second
        });
        self.heads.insert(at + 1, second);
    }

    /// Joins the heads of a bucket with those of the one after it. If those of one are unknown, forgets the other's.
    /// Returns how many buckets have been forgotten or are one with another.
    pub(super) fn join_heads(&mut self, first: usize) -> usize {
        if self.heads.is_empty() {
            return 0;
        }
        let second = self.heads.remove(first + 1);
        match (&mut self.heads[first], second) {
            (Some(first), Some(second)) => first.extend(second),
            (None, None) => return 0,
            (first, _) => *first = None,
        }
        1
    }

    /// Gives each bucket of this leaf a place for its heads.
    pub(super) fn make_places(&mut self) {
        self.heads.resize_with(self.separators.len(), || None);
    }

    /// Forgets the heads of a randomly chosen leaf. Returns of how many buckets they were.
    fn forget_a_leaf(&mut self) -> usize {
        let mut node = self;
        while !node.children.is_empty() {
            let at = fastrand::usize(..node.children.len());
            node = &mut node.children[at];
        }
        std::mem::take(&mut node.heads)
            .into_iter()
            .flatten()
            .count()
    }

    /// Forgets the heads of all leaves below this node, and their places.
    fn forget_heads(&mut self) {
        self.heads = Vec::new();
        self.children.iter_mut().for_each(Self::forget_heads);
    }

    /// Of how many buckets below this node the heads are remembered, by counting.
    pub(super) fn remembered(&self) -> usize {
        let own = self.heads.iter().flatten().count();
        own + self.children.iter().map(Self::remembered).sum::<usize>()
    }
}

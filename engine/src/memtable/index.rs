//! A hash index over a memtable that has grown: from a user key to its newest entry.
//!
//! A search descends through the list in a dozen steps, each a cache miss. The index answers with
//! one miss, or two where the key is present, and it answers the two most frequent questions: is
//! the key here at all, and where is its newest entry. The writer uses it too: a key that is
//! written again belongs right before its newest entry, so no search is needed. Only the list is
//! sorted, so walks, seeks and lookups of older entries use the list.
//!
//! ```text
//! bucket     tags: 7 bytes and one of 0 | 7 addresses of nodes       one cache line, filled from the first slot to the last
//! tag        a byte of the key's hash, 1 to 255; 0: nothing yet
//! ```
//!
//! A key's hash chooses a bucket, and a tag that saves looking at the nodes of most other keys. If
//! a bucket is full, the next one is used, up to [`BUCKETS_A_KEY`] in all. A key for which all of
//! these are full is not in the index; then the answer is "unknown", and the list is searched. So a
//! table that is too small makes searches slower, never wrong.
//!
//! A small memtable fits in the processor's cache and is searched fast, so the first table is made only at
//! some hundred entries. Each further one is filled by a walk over the list: in steps, of which each insertion pays for
//! a few, because a walk over a large list takes as long as thousands of insertions ([`Growth`]). It has four times the
//! buckets of the one before. If it is to be the last, it has as many as will be needed when the write
//! buffer is full, estimated from the keys so far. All tables are kept as long as the memtable, since a
//! reader may still look into an old one; together the old ones are mostly less than a third of the last.
//!
//! Invariants
//! 1. An entry is in the list before the index leads to it.
//! 2. Take a reader that may see an entry, because it read a sequence number that was published after the
//!    entry. The table then in use gives it this entry or a newer one of the same key, or says "unknown".
//! 3. One writer changes slots. Once filled, a slot keeps its key; only the node changes, to a newer one.
//! 4. Range tombstones are not entries and not in the index.
//!
//! Left out: older versions, which are rarely asked for. They follow the newest one in the list.

#![expect(
    unsafe_code,
    reason = "nodes live in an arena that the type system cannot see"
)]

mod buckets;
mod growth;

use self::buckets::{Bucket, Buckets, SLOTS};
pub(super) use self::growth::Growth;
use super::skiplist::{Node, SkipList, Target};
use super::split;
use crate::bloom::KeyHash;
use crate::sync::{AtomicUsize, OnceLock, Ordering};

/// The index starts to pay off once there is one entry for each so many bytes of the write buffer,
/// within these bounds.
const BYTES_AN_ENTRY_MIN: usize = 128 << 10;
const ENTRIES_MIN: [usize; 2] = [8, 512];
/// A key may be in any of this many consecutive buckets.
const BUCKETS_A_KEY: usize = 4;
/// The first table has at least about this many slots for each entry that exists when it is made.
const SLOTS_AN_ENTRY: usize = 3;
/// How many times larger each table is than the one before, unless it is the last.
const GROWTH: usize = 4;
/// The last table may be up to this many times larger than the one before.
const LAST_GROWTH: usize = 16;
/// The last table has one bucket for this many expected keys, which leaves some of its slots free.
const KEYS_A_BUCKET: usize = 4;
/// The largest table has one bucket for this many bytes of the write buffer, up to a bound.
const BYTES_A_BUCKET: usize = 512;
const BUCKETS_MAX: usize = 1 << 22;
/// Enough to get from 219 buckets to 2^22, multiplying by four at least, if so many are needed.
const TABLES_MAX: usize = 16;
/// A larger table is made when this many eighths of the slots are taken.
const FULL_EIGHTHS: usize = 6;

/// What readers and the writer share.
#[derive(Debug)]
pub(super) struct Index {
    tables: [OnceLock<Table>; TABLES_MAX],
    /// How many tables there are. The last one is in use.
    count: AtomicUsize,
    buffer_bytes: usize,
    entries_min: usize,
    buckets_max: usize,
}

#[derive(Debug)]
struct Table {
    buckets: Buckets,
    /// How many slots are taken. Only the writer reads it.
    taken: AtomicUsize,
}

/// What the index knows of a key.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum Known<'a> {
    /// Its newest entry.
    Newest(Node, Slot<'a>),
    /// The key has no entry.
    Absent(Slot<'a>),
    /// Only a search can tell.
    #[default]
    Unknown,
}

/// The slot that a key has, or should take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot<'a> {
    table: &'a Table,
    bucket: &'a Bucket,
    at: usize,
    tag: u8,
}

impl Index {
    /// For a memtable that will grow to about `buffer_bytes`.
    pub(super) fn new(buffer_bytes: usize) -> Self {
        Self {
            tables: Default::default(),
            count: AtomicUsize::new(0),
            buffer_bytes,
            entries_min: (buffer_bytes / BYTES_AN_ENTRY_MIN).clamp(ENTRIES_MIN[0], ENTRIES_MIN[1]),
            buckets_max: (buffer_bytes / BYTES_A_BUCKET).clamp(BUCKETS_A_KEY, BUCKETS_MAX),
        }
    }

    /// Bytes that the tables take.
    pub(super) fn bytes(&self) -> usize {
        let tables = self.tables.iter().filter_map(OnceLock::get);
        tables.map(|table| size_of_val(&*table.buckets)).sum()
    }

    /// How many tables there are.
    #[cfg(all(test, loom))]
    pub(super) fn tables_made(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    #[inline]
    fn table(&self) -> Option<&Table> {
        let last = self.count.load(Ordering::Acquire).checked_sub(1)?;
        self.tables[last].get()
    }

    /// What is known of a key.
    ///
    /// Cost: a cache line or two, and the node's if there is one.
    #[inline]
    pub(super) fn find(&self, user_key: &[u8], hash: KeyHash) -> Known<'_> {
        match self.table() {
            Some(table) => table.find(user_key, hash),
            None => Known::Unknown,
        }
    }

    /// Prefetches the memory that [`find`](Self::find) will look at first.
    #[inline]
    pub(super) fn prefetch(&self, hash: KeyHash) {
        if let Some(table) = self.table() {
            table.home(hash).1.prefetch();
        }
    }

    /// Prefetches and returns the node that [`find`](Self::find) will compare first, if there seems to be one.
    #[inline]
    pub(super) fn prefetch_node(&self, hash: KeyHash) -> Option<Node> {
        let (_, bucket) = self.table()?.home(hash);
        let tags = bucket.tags();
        let at = tags.iter().position(|&tag| tag == tag_of(hash))?;
        let node = bucket.node(at)?;
        node.prefetch();
        Some(node)
    }

    /// Makes the next table if it is time, or a part of it. The writer calls it between insertions; entries take `used`
    /// bytes.
    #[inline]
    pub(super) fn keep_up(&self, growth: &mut Option<Growth>, list: &SkipList, used: usize) {
        if growth.is_none() {
            let due = match self.table() {
                Some(table) => table.is_full(),
                None => list.len() >= self.entries_min,
            };
            if due && let Some(buckets) = self.next_buckets(used) {
                *growth = Some(Growth::new(list, buckets));
            }
        }
        if let Some(growing) = growth
            && growing.go_on(list)
            && let Some(grown) = growth.take()
        {
            self.publish(grown.into_table());
        }
    }

    /// Lets readers find a table that has all keys so far.
    #[cold]
    fn publish(&self, table: Table) {
        let count = self.count.load(Ordering::Relaxed);
        self.tables[count].set(table).expect("it is made once");
        self.count.store(count + 1, Ordering::Release);
    }

    /// How many buckets the next table has; `None` if the one in use will do.
    #[cold]
    fn next_buckets(&self, used: usize) -> Option<usize> {
        let Some(table) = self.table() else {
            let first = (self.entries_min * SLOTS_AN_ENTRY).div_ceil(SLOTS);
            return Some(first.min(self.buckets_max));
        };
        let buckets = table.buckets.len();
        // An estimate of the keys when the write buffer is full.
        let taken = table.taken.load(Ordering::Relaxed);
        let keys = (taken as u128 * self.buffer_bytes as u128 / used.max(1) as u128) as usize;
        if buckets == self.buckets_max || keys <= buckets * SLOTS {
            return None;
        }
        let needed = (keys / KEYS_A_BUCKET).max(2 * buckets);
        let next = match needed <= LAST_GROWTH * buckets {
            true => needed,
            false => GROWTH * buckets,
        };
        Some(next.min(self.buckets_max))
    }
}

impl Table {
    fn new(buckets: usize) -> Self {
        Self {
            buckets: Buckets::new(buckets),
            taken: AtomicUsize::new(0),
        }
    }

    fn is_full(&self) -> bool {
        let slots = self.buckets.len() * SLOTS;
        self.taken.load(Ordering::Relaxed) * 8 >= slots * FULL_EIGHTHS
    }

    /// Where the search for a key begins: the number of a bucket, and the bucket.
    #[inline]
    fn home(&self, hash: KeyHash) -> (usize, &Bucket) {
        let at = hash.line(self.buckets.len() as u32);
        (at, &self.buckets[at])
    }

    #[inline]
    fn find(&self, user_key: &[u8], hash: KeyHash) -> Known<'_> {
        let wanted = tag_of(hash);
        let (mut number, mut bucket) = self.home(hash);
        for _ in 0..BUCKETS_A_KEY {
            for (at, tag) in bucket.tags().into_iter().enumerate() {
                let slot = Slot {
                    table: self,
                    bucket,
                    at,
                    tag: wanted,
                };
                if tag == 0 {
                    return Known::Absent(slot);
                }
                if tag == wanted
                    && let Some(node) = bucket.node(at)
                    && user_key_of(&node) == user_key
                {
                    return Known::Newest(node, slot);
                }
            }
            number = (number + 1) % self.buckets.len();
            bucket = &self.buckets[number];
        }
        Known::Unknown
    }
}

impl Slot<'_> {
    /// Whether no key has taken the slot yet. While that is so, the key it was returned for has no
    /// other slot, because keys take the first free one.
    #[inline]
    pub(super) fn is_free(&self) -> bool {
        self.bucket.tags()[self.at] == 0
    }

    /// Makes the slot lead to the first entry of the key.
    pub(super) fn fill(self, node: Node) {
        self.renew(node);
        self.bucket.add_tag(self.at, self.tag);
        let taken = self.table.taken.load(Ordering::Relaxed);
        self.table.taken.store(taken + 1, Ordering::Relaxed);
    }

    /// Makes the slot lead to a newer entry of the key.
    pub(super) fn renew(self, node: Node) {
        self.bucket.lead_to(self.at, node);
    }
}

/// The user key of a node in the index.
#[inline]
fn user_key_of(node: &Node) -> &[u8] {
    target_of(node).user_key
}

/// The place of a node in the index.
#[inline]
fn target_of(node: &Node) -> Target<'_> {
    // SAFETY: a head is never in the index, and the arena of the list, which lives as long as the
    // index, keeps the node.
    split(unsafe { node.key() })
}

/// The bucket comes from the upper half of the hash, the tag from the lower.
fn tag_of(hash: KeyHash) -> u8 {
    hash.byte().max(1)
}

// Not under loom, whose atomics exist only inside its models.
#[cfg(all(test, not(loom)))]
mod tests;

//! Inserts: one version, or several whose places are searched for together.

use std::sync::Arc;

use super::Memtable;
use super::index::{Growth, Index, Known};
use super::ranges::RangesWriter;
use super::skiplist::{Node, SkipList, TOGETHER, Target, Writer};
use crate::bloom::KeyHash;
use crate::comparator::Comparator;
use crate::internal_key::{self, ParsedKey, ValueKind};

/// The largest chunk is this fraction of the write buffer, with an upper bound. The unused part of
/// the last chunk costs address space and at most one huge page of memory.
const CHUNKS_PER_BUFFER: usize = 8;
const CHUNK_BYTES_MAX: usize = 16 << 20;

/// A version to insert: its place, its value, its key's hash.
type Entry<'a> = (Target<'a>, &'a [u8], KeyHash);

/// The right to insert into a memtable.
#[derive(Debug)]
pub struct MemtableWriter {
    buffer_bytes: usize,
    list: Writer,
    ranges: RangesWriter,
    index: Arc<Index>,
    /// The index's next table, while it is made.
    pub(super) growth: Option<Growth>,
}

impl MemtableWriter {
    /// A new memtable, which is full when it has grown to `buffer_bytes`.
    #[must_use]
    pub fn new(comparator: Comparator, buffer_bytes: usize) -> Self {
        let chunk_bytes_max = (buffer_bytes / CHUNKS_PER_BUFFER).min(CHUNK_BYTES_MAX);
        Self {
            buffer_bytes,
            list: Writer::new(comparator, chunk_bytes_max),
            ranges: RangesWriter::new(buffer_bytes),
            index: Arc::new(Index::new(buffer_bytes)),
            growth: None,
        }
    }

    /// Gets pages of the usual size, also where it would ask for huge ones.
    #[must_use]
    pub const fn with_small_pages(mut self) -> Self {
        self.list.use_small_pages();
        self
    }

    /// The memtable for readers.
    #[must_use]
    pub fn reader(&self) -> Memtable {
        Memtable {
            list: Arc::clone(self.list.list()),
            ranges: Arc::clone(self.ranges.ranges()),
            index: Arc::clone(&self.index),
        }
    }

    /// Inserts a version, or a range tombstone whose end is `value`. The pair of user key and
    /// sequence number must be new. The lengths have been checked with the batch.
    ///
    /// Readers see a range tombstone only after [`end_batch`](Self::end_batch). If there are any, sequence numbers must
    /// ascend, unless [`end_replay`](Self::end_replay) follows.
    ///
    /// # Panics
    /// If key or value is longer than a batch may hold.
    pub fn insert(&mut self, key: ParsedKey<'_>, value: &[u8]) {
        if key.kind == ValueKind::RangeDelete {
            return self.ranges.add(key.user_key, value, key.sequence);
        }
        let hash = KeyHash::of(key.user_key);
        self.index.prefetch(hash);
        let target = target_of(key);
        let Self {
            list,
            ranges,
            index,
            growth,
            ..
        } = self;
        ranges.note_entry(list.list().comparator(), key.user_key, key.sequence);
        let known = match list.follows_last(target) {
            true => Known::Unknown,
            false => index.find(target.user_key, hash),
        };
        let node = insert_known(list, known, target, value).unwrap_or_else(|| {
            let node = list.insert(target, value);
            note(index, list.list(), known, (node, target, hash));
            node
        });
        note_in_next(growth.as_ref(), list.list(), node, hash);
    }

    /// Inserts several versions. The result is the same as calling [`insert`](Self::insert) for
    /// each in turn, but it is faster, because their places are searched for together.
    ///
    /// # Panics
    /// As for [`insert`](Self::insert).
    pub fn insert_all<'a>(&mut self, entries: impl IntoIterator<Item = (ParsedKey<'a>, &'a [u8])>) {
        let Self {
            list,
            ranges,
            index,
            growth,
            ..
        } = self;
        let growth = growth.as_ref();
        let mut entries = entries.into_iter();
        let mut together: [Entry<'_>; TOGETHER] = Default::default();
        let mut unknown = ToSearch::default();
        loop {
            let mut len = 0;
            for (key, value) in entries.by_ref() {
                if key.kind == ValueKind::RangeDelete {
                    ranges.add(key.user_key, value, key.sequence);
                    continue;
                }
                let hash = KeyHash::of(key.user_key);
                index.prefetch(hash);
                ranges.note_entry(list.list().comparator(), key.user_key, key.sequence);
                together[len] = (target_of(key), value, hash);
                len += 1;
                if len == TOGETHER {
                    break;
                }
            }
            prefetch_known(index, list.list(), &together[..len]);
            for &(target, value, hash) in &together[..len] {
                let known = index.find(target.user_key, hash);
                if let Some(node) = insert_known(list, known, target, value) {
                    note_in_next(growth, list.list(), node, hash);
                    continue;
                }
                unknown.add((target, value, hash), known);
                if unknown.len == TOGETHER {
                    unknown.insert(list, index, growth);
                }
            }
            if len < TOGETHER {
                return unknown.insert(list, index, growth);
            }
        }
    }

    /// Whether nothing was inserted yet. Even a range tombstone that covers nothing counts, because
    /// it takes space in the log.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.list().len() == 0 && self.ranges.used_bytes() == 0
    }

    /// Whether it is time for a new one. An empty one is never full, however small its buffer.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.used_bytes() >= self.buffer_bytes && !self.is_empty()
    }

    /// Makes the batch's range tombstones visible. Must be called after the last record of a batch.
    #[inline]
    pub fn end_batch(&mut self) {
        self.ranges.end_batch(self.list.list().comparator());
        self.index
            .keep_up(&mut self.growth, self.list.list(), self.list.used());
    }

    /// Like [`end_batch`](Self::end_batch), for a memtable that holds one batch only and is flushed
    /// soon. It makes no index: indexing all entries at once is not worth a walk over them. They may have come in any order.
    pub fn end_replay(mut self) -> Memtable {
        self.ranges.end_batch(self.list.list().comparator());
        self.ranges.know_no_order();
        self.reader()
    }

    /// Bytes of entries so far, including links, and of range tombstones. This is compared with the
    /// size of the write buffer. The index, at most a sixth of that size, is not counted.
    #[must_use]
    pub fn used_bytes(&self) -> usize {
        self.list.used() + self.ranges.used_bytes()
    }
}

/// Entries whose places must be searched for. They are gathered until there are enough of them to search for
/// all places at once, because any part of a group may be new versions of known keys, which need no search.
#[derive(Default)]
struct ToSearch<'a, 'i> {
    entries: [(Target<'a>, &'a [u8]); TOGETHER],
    known: [(Known<'i>, KeyHash); TOGETHER],
    len: usize,
}

impl<'a, 'i> ToSearch<'a, 'i> {
    /// Adds an entry that has not been added yet. `known` is what the index says about its key.
    fn add(&mut self, (target, value, hash): Entry<'a>, known: Known<'i>) {
        self.entries[self.len] = (target, value);
        self.known[self.len] = (known, hash);
        self.len += 1;
    }

    /// Inserts all gathered entries and empties the collection.
    fn insert(&mut self, list: &mut Writer, index: &Index, growth: Option<&Growth>) {
        let entries = &self.entries[..self.len];
        let mut nodes = [None; TOGETHER];
        list.insert_all(entries, &mut nodes);
        for (((target, _), (known, hash)), node) in entries.iter().zip(self.known).zip(nodes) {
            let Some(node) = node else { continue };
            note(index, list.list(), known, (node, *target, hash));
            note_in_next(growth, list.list(), node, hash);
        }
        self.len = 0;
    }
}

/// Prefetches the nodes that the index knows for the entries' keys, and the nodes before them.
fn prefetch_known(index: &Index, list: &SkipList, entries: &[Entry<'_>]) {
    let mut known = [None; TOGETHER];
    for (known, (_, _, hash)) in known.iter_mut().zip(entries) {
        *known = index.prefetch_node(*hash);
    }
    // A new version is linked after the node before the newest one, so both are needed.
    for node in known.into_iter().flatten() {
        list.prefetch_before(node);
    }
}

/// Inserts a version if the newest version of its key is known and this one is newer.
#[inline]
fn insert_known(
    list: &mut Writer,
    known: Known<'_>,
    target: Target<'_>,
    value: &[u8],
) -> Option<Node> {
    match known {
        Known::Newest(newest, slot) if list.list().is_older(newest, target) => {
            let node = list.insert_newer(newest, target, value);
            slot.renew(node);
            Some(node)
        }
        _ => None,
    }
}

/// Points the index at a new node, if it is the newest of its key. `known` is what the index knew
/// of the key before.
#[inline]
fn note(
    index: &Index,
    list: &SkipList,
    known: Known<'_>,
    (node, target, hash): (Node, Target<'_>, KeyHash),
) {
    if let Known::Absent(slot) = known
        && slot.is_free()
    {
        return slot.fill(node);
    }
    match index.find(target.user_key, hash) {
        Known::Newest(newest, slot) if list.is_older(newest, target) => slot.renew(node),
        Known::Absent(slot) => slot.fill(node),
        Known::Newest(..) | Known::Unknown => {}
    }
}

/// Notes a new node for the index's next table, while that is made.
#[inline]
fn note_in_next(growth: Option<&Growth>, list: &SkipList, node: Node, hash: KeyHash) {
    if let Some(growth) = growth {
        growth.note(list, node, hash);
    }
}

fn target_of(key: ParsedKey<'_>) -> Target<'_> {
    Target {
        user_key: key.user_key,
        trailer: u64::from_be_bytes(internal_key::trailer(key.sequence, key.kind)),
    }
}

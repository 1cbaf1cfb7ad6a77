//! The memtable: the newest writes of one family, sorted, in memory, until they are written to a table.
//!
//! Every write goes to the log first and then here. When a memtable is full it is frozen (its
//! [`MemtableWriter`] is dropped) and written out as a level-0 table, while a new one takes over.
//! Readers hold an [`Arc`] on it and continue undisturbed.
//!
//! Invariants
//! 1. An entry is an internal key and a value; it is never changed or removed. Deleting a key inserts a
//!    tombstone.
//! 2. One writer, any number of readers, and no reader ever waits.
//! 3. What a reader has found is neither moved nor freed for as long as anyone holds the memtable.
//! 4. Range tombstones are not entries; they are kept apart, in `ranges`.
//! 5. The list is authoritative. The index, if there is one, only leads to entries of the list.

#![expect(
    unsafe_code,
    reason = "nodes live in an arena that the type system cannot see"
)]

mod arena;
mod cursor;
mod index;
mod ranges;
mod skiplist;

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

pub use self::cursor::{MemtableCursor, MemtableEntries};
use self::index::{Growth, Index, Known};
use self::ranges::{Ranges, RangesWriter};
use self::skiplist::{Node, SkipList, TOGETHER, Target, Writer};
use crate::bloom::KeyHash;
use crate::comparator::Comparator;
use crate::internal_key::{self, ParsedKey, TRAILER_BYTES, ValueKind};
use crate::range_tombstone::RangeTombstones;

/// The largest chunk is this fraction of the write buffer, with an upper bound. The unused part of
/// the last chunk costs address space and at most one huge page of memory.
const CHUNKS_PER_BUFFER: usize = 8;
const CHUNK_BYTES_MAX: usize = 16 << 20;

/// Older versions are reached by walking from a key's newest version, up to this many steps; beyond
/// that, a search is faster.
const OLDER_VERSIONS_WALKED: usize = 8;

/// A version to insert: its place, its value, its key's hash.
type Entry<'a> = (Target<'a>, &'a [u8], KeyHash);

/// Entries whose places must be searched for. They are gathered until there are enough of them to search for
/// all places at once, because any part of a group may be new versions of known keys, which need no search.
#[derive(Default)]
struct ToSearch<'a, 'i> {
    entries: [(Target<'a>, &'a [u8]); TOGETHER],
    known: [(Known<'i>, KeyHash); TOGETHER],
    len: usize,
}

/// The part of a memtable that readers share.
#[derive(Clone)]
pub struct Memtable {
    list: Arc<SkipList>,
    ranges: Arc<Ranges>,
    /// An index of the keys in the list, made once the list is large.
    index: Arc<Index>,
}

/// The right to insert into a memtable.
#[derive(Debug)]
pub struct MemtableWriter {
    buffer_bytes: usize,
    list: Writer,
    ranges: RangesWriter,
    index: Arc<Index>,
    /// The index's next table, while it is made.
    growth: Option<Growth>,
}

/// The version of a key that a lookup found.
#[derive(Debug)]
pub struct Found {
    /// When it was written.
    pub sequence: u64,
    /// Whether it was put or deleted.
    pub kind: ValueKind,
    /// The value; empty for a tombstone.
    pub value: MemtableValue,
}

/// A value within a memtable. It keeps the memtable alive.
#[derive(Clone)]
pub struct MemtableValue {
    node: Node,
    /// Keeps the arena alive that `node` points into.
    _list: Arc<SkipList>,
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
    /// Readers see a range tombstone only after [`end_batch`](Self::end_batch).
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
            index,
            growth,
            ..
        } = self;
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
    /// soon. It makes no index: indexing all entries at once is not worth a walk over them.
    pub fn end_replay(mut self) -> Memtable {
        self.ranges.end_batch(self.list.list().comparator());
        self.reader()
    }

    /// Bytes of entries so far, including links, and of range tombstones. This is compared with the
    /// size of the write buffer. The index, at most a sixth of that size, is not counted.
    #[must_use]
    pub fn used_bytes(&self) -> usize {
        self.list.used() + self.ranges.used_bytes()
    }
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

impl Memtable {
    /// Number of entries, including all versions and tombstones, but no range tombstones.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether nothing was inserted yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0 && self.ranges.is_empty()
    }

    /// Bytes taken from the system for entries and index.
    #[must_use]
    pub fn reserved_bytes(&self) -> usize {
        self.list.reserved() + self.index.bytes()
    }

    /// The newest version of `user_key` that a reader of `sequence` sees.
    ///
    /// Cost: two or three cache misses, or one if the key is absent. A search, O(log n), while the memtable is
    /// small, or for an old version of a key that has been written often since. Nothing is allocated or copied.
    #[must_use]
    pub fn get(&self, user_key: &[u8], sequence: u64) -> Option<Found> {
        self.get_hashed(user_key, KeyHash::of(user_key), sequence)
    }

    /// Like [`get`](Self::get), for a caller that already has the key's hash.
    #[inline]
    #[must_use]
    pub fn get_hashed(&self, user_key: &[u8], hash: KeyHash, sequence: u64) -> Option<Found> {
        match self.index.find(user_key, hash) {
            Known::Absent(_) => None,
            Known::Newest(newest, _) => self.version_from(newest, user_key, sequence),
            Known::Unknown => self.search(user_key, sequence),
        }
    }

    /// The newest version at or below `sequence`, given the newest version of the key.
    #[inline]
    fn version_from(&self, newest: Node, user_key: &[u8], sequence: u64) -> Option<Found> {
        let mut node = newest;
        for _ in 0..OLDER_VERSIONS_WALKED {
            let found = self.found_at(node, user_key)?;
            if found.sequence <= sequence {
                return Some(found);
            }
            node = self.list.next(node)?;
        }
        self.search(user_key, sequence)
    }

    /// Like [`get`](Self::get), without the index.
    fn search(&self, user_key: &[u8], sequence: u64) -> Option<Found> {
        let trailer = u64::from_be_bytes(internal_key::seek_trailer(sequence));
        let node = self.list.seek(Target { user_key, trailer })?;
        self.found_at(node, user_key)
    }

    /// The version in `node`, which a search led to, if it belongs to `user_key`.
    fn found_at(&self, node: Node, user_key: &[u8]) -> Option<Found> {
        // SAFETY: `node` is of this list, which `self` keeps.
        let found = internal_key::parse(unsafe { node.key() }).ok()?;
        if found.user_key != user_key {
            return None;
        }
        let value = MemtableValue {
            node,
            _list: Arc::clone(&self.list),
        };
        Some(Found {
            sequence: found.sequence,
            kind: found.kind,
            value,
        })
    }

    /// Like [`get_hashed`](Self::get_hashed) for each of several keys, into `found`.
    ///
    /// Cost: that of a `get` for each, but the waits for memory overlap.
    pub fn get_together(
        &self,
        keys: &[(&[u8], KeyHash)],
        sequence: u64,
        found: &mut [Option<Found>],
    ) {
        let trailer = u64::from_be_bytes(internal_key::seek_trailer(sequence));
        for (keys, found) in keys.chunks(TOGETHER).zip(found.chunks_mut(TOGETHER)) {
            keys.iter().for_each(|(_, hash)| self.index.prefetch(*hash));
            for (_, hash) in keys {
                self.index.prefetch_node(*hash);
            }
            let mut targets = [Target::default(); TOGETHER];
            let mut of_target = [0; TOGETHER];
            let mut count = 0;
            for (place, &(user_key, hash)) in keys.iter().enumerate() {
                match self.index.find(user_key, hash) {
                    Known::Absent(_) => {}
                    Known::Newest(newest, _) => {
                        found[place] = self.version_from(newest, user_key, sequence);
                    }
                    Known::Unknown => {
                        targets[count] = Target { user_key, trailer };
                        of_target[count] = place;
                        count += 1;
                    }
                }
            }
            let mut nodes = [None; TOGETHER];
            self.list
                .seek_together(&targets[..count], &mut nodes[..count]);
            for (node, place) in nodes.into_iter().zip(of_target).take(count) {
                found[place] = node.and_then(|node| self.found_at(node, keys[place].0));
            }
        }
    }

    /// The range tombstones so far; `None` if there are none.
    #[must_use]
    pub fn range_tombstones(&self) -> Option<Arc<RangeTombstones>> {
        self.ranges.load()
    }

    /// The sequence number of the newest range tombstone over `user_key` that a reader of
    /// `sequence` sees; 0 if there is none.
    ///
    /// Cost: one check of a flag if there are no range tombstones, otherwise a binary search.
    #[inline]
    #[must_use]
    pub fn newest_range_delete(&self, user_key: &[u8], sequence: u64) -> u64 {
        let comparator = self.list.comparator();
        self.ranges.newest_over(comparator, user_key, sequence)
    }

    /// All entries in order, for writing them out.
    #[must_use]
    pub fn entries(&self) -> MemtableEntries<'_> {
        MemtableEntries::new(&self.list)
    }

    /// A cursor over the entries, which keeps this memtable alive.
    #[must_use]
    pub fn cursor(&self) -> MemtableCursor {
        MemtableCursor::new(Arc::clone(&self.list))
    }
}

impl fmt::Debug for Memtable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memtable")
            .field("comparator", self.list.comparator())
            .field("len", &self.len())
            .field("reserved_bytes", &self.reserved_bytes())
            .finish()
    }
}

impl Deref for MemtableValue {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: `_list` keeps the arena for as long as `self` lives.
        unsafe { self.node.value() }
    }
}

impl fmt::Debug for MemtableValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b\"{}\"", self.escape_ascii())
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

/// Splits an internal key for the list. A key too short for a trailer sorts before its versions.
fn split(internal: &[u8]) -> Target<'_> {
    match internal.split_last_chunk::<TRAILER_BYTES>() {
        Some((user_key, trailer)) => Target {
            user_key,
            trailer: u64::from_be_bytes(*trailer),
        },
        None => Target {
            user_key: internal,
            trailer: 0,
        },
    }
}

#[cfg(all(test, loom))]
mod model;
#[cfg(test)]
mod tests;

//! The memtable: the newest writes of one family, sorted, in memory, until a table holds them.
//!
//! Every write goes to the log first and then here. When a memtable is full it is frozen (its
//! [`MemtableWriter`] is dropped) and written out as a level-0 table, while a new one takes over.
//! Readers hold an [`Arc`] on it and go on undisturbed.
//!
//! Invariants
//! 1. An entry is an internal key and a value; it is never changed or removed. Deleting a key inserts a
//!    tombstone.
//! 2. One writer, any number of readers, and no reader ever waits.
//! 3. What a reader has found stays where it is for as long as anyone holds the memtable.
//! 4. Range tombstones stand beside the entries, in `ranges`, and are no entries.
//! 5. A filter, once there is one, knows the key of every entry.
//!
//! Left out: a hash index, which would be a second place for each key.

#![expect(
    unsafe_code,
    reason = "nodes live in an arena that the type system cannot see"
)]

mod arena;
mod cursor;
mod filter;
mod ranges;
mod skiplist;

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

pub use self::cursor::MemtableCursor;
use self::filter::Filter;
use self::ranges::{Ranges, RangesWriter};
use self::skiplist::{Node, SkipList, TOGETHER, Target, Writer};
use crate::bloom::KeyHash;
use crate::comparator::Comparator;
use crate::internal_key::{self, ParsedKey, TRAILER_BYTES, ValueKind};
use crate::range_tombstone::RangeTombstones;
use crate::sync::OnceLock;

/// The largest chunk is this part of the write buffer, within a bound: what the last one does not use is
/// address space, and at most a huge page of memory.
const CHUNKS_PER_BUFFER: usize = 8;
const CHUNK_BYTES_MAX: usize = 16 << 20;

/// What readers share.
#[derive(Clone)]
pub struct Memtable {
    list: Arc<SkipList>,
    ranges: Arc<Ranges>,
    /// Of the keys in the list, once it is large.
    filter: Arc<OnceLock<Filter>>,
}

/// The right to insert into a memtable.
#[derive(Debug)]
pub struct MemtableWriter {
    list: Writer,
    ranges: RangesWriter,
    filter: Arc<OnceLock<Filter>>,
    /// When so much is used, the filter is made.
    filter_begins_at: usize,
    buffer_bytes: usize,
}

/// What a memtable knows of a key.
#[derive(Debug)]
pub struct Found {
    /// When it was written.
    pub sequence: u64,
    /// Whether it was put or deleted.
    pub kind: ValueKind,
    /// The value; empty for a tombstone.
    pub value: MemtableValue,
}

/// A value within a memtable, which it keeps alive.
#[derive(Clone)]
pub struct MemtableValue {
    node: Node,
    /// Keeps the arena that `node` points into.
    _list: Arc<SkipList>,
}

impl MemtableWriter {
    /// A new memtable, which is expected to grow to about `buffer_bytes`.
    #[must_use]
    pub fn new(comparator: Comparator, buffer_bytes: usize) -> Self {
        let chunk_bytes_max = (buffer_bytes / CHUNKS_PER_BUFFER).min(CHUNK_BYTES_MAX);
        Self {
            list: Writer::new(comparator, chunk_bytes_max),
            ranges: RangesWriter::new(buffer_bytes),
            filter: Arc::default(),
            filter_begins_at: Filter::begins_at(buffer_bytes),
            buffer_bytes,
        }
    }

    /// The same, still empty, and never with a filter.
    #[must_use]
    pub fn unfiltered(self) -> Self {
        Self {
            filter_begins_at: usize::MAX,
            ..self
        }
    }

    /// What readers hold.
    #[must_use]
    pub fn reader(&self) -> Memtable {
        Memtable {
            list: Arc::clone(self.list.list()),
            ranges: Arc::clone(self.ranges.ranges()),
            filter: Arc::clone(&self.filter),
        }
    }

    /// Inserts a version, or a range tombstone whose end is `value`. The pair of user key and sequence must be new;
    /// lengths are bounded by the batch.
    ///
    /// A range tombstone is seen only after [`end_batch`](Self::end_batch).
    ///
    /// # Panics
    /// If key or value are longer than a batch admits.
    pub fn insert(&mut self, key: ParsedKey<'_>, value: &[u8]) {
        if key.kind == ValueKind::RangeDelete {
            return self.ranges.add(key.user_key, value, key.sequence);
        }
        if let Some(filter) = self.filter.get() {
            filter.add(KeyHash::of(key.user_key));
        }
        self.list.insert(target_of(key), value);
    }

    /// Inserts several versions, as [`insert`](Self::insert) would one after the other, and faster: their
    /// places are searched together.
    ///
    /// # Panics
    /// As for [`insert`](Self::insert).
    pub fn insert_all<'a>(&mut self, entries: impl IntoIterator<Item = (ParsedKey<'a>, &'a [u8])>) {
        let ranges = &mut self.ranges;
        let filter = self.filter.get();
        let mut entries = entries.into_iter().filter_map(|(key, value)| {
            if key.kind == ValueKind::RangeDelete {
                ranges.add(key.user_key, value, key.sequence);
                return None;
            }
            if let Some(filter) = filter {
                filter.add(KeyHash::of(key.user_key));
            }
            Some((target_of(key), value))
        });
        let mut together = [(Target::default(), &[][..]); TOGETHER];
        loop {
            let mut len = 0;
            for (slot, entry) in together.iter_mut().zip(&mut entries) {
                *slot = entry;
                len += 1;
            }
            self.list.insert_all(&together[..len]);
            if len < TOGETHER {
                return;
            }
        }
    }

    /// Whether nothing was inserted yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.list().len() == 0 && self.ranges.ranges().is_empty()
    }

    /// Makes the batch's range tombstones seen. Called after the last record of a batch.
    #[inline]
    pub fn end_batch(&mut self) {
        self.ranges.end_batch(self.list.list().comparator());
        if self.list.used() > self.filter_begins_at && self.filter.get().is_none() {
            self.begin_filter();
        }
    }

    /// Makes the filter, with the keys so far. Readers find it when it is complete.
    #[cold]
    fn begin_filter(&mut self) {
        let filter = Filter::new(self.buffer_bytes);
        let list = self.list.list();
        let mut at = list.first();
        while let Some(node) = at {
            // SAFETY: `node` is of this list, which `self` keeps.
            let user_key = internal_key::user_key(unsafe { node.key() });
            filter.add(KeyHash::of(user_key));
            at = list.next(node);
        }
        self.filter.set(filter).expect("it is made once");
    }

    /// Bytes of entries so far, their links included, and of range tombstones: what the write buffer's size is held
    /// against. The filter, less than a hundredth of that size, is not counted.
    #[must_use]
    pub fn used_bytes(&self) -> usize {
        self.list.used() + self.ranges.used_bytes()
    }
}

impl Memtable {
    /// Number of entries, all versions and tombstones counted, but not range tombstones.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether nothing was inserted yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0 && self.ranges.is_empty()
    }

    /// Bytes taken from the system for entries and filter.
    #[must_use]
    pub fn reserved_bytes(&self) -> usize {
        self.list.reserved() + self.filter.get().map_or(0, Filter::bytes)
    }

    /// The newest version of `user_key` that a reader of `sequence` sees.
    ///
    /// Cost: a look at the filter, and mostly nothing more if the key is not there; else one search, O(log n). Nothing is
    /// allocated or copied.
    #[must_use]
    pub fn get(&self, user_key: &[u8], sequence: u64) -> Option<Found> {
        self.get_hashed(user_key, KeyHash::of(user_key), sequence)
    }

    /// As [`get`](Self::get), for one who knows the key's hash.
    #[inline]
    #[must_use]
    pub fn get_hashed(&self, user_key: &[u8], hash: KeyHash, sequence: u64) -> Option<Found> {
        let filter = self.filter.get();
        if filter.is_some_and(|filter| !filter.may_contain(hash)) {
            return None;
        }
        self.find(user_key, sequence)
    }

    /// As [`get`](Self::get), without asking the filter.
    fn find(&self, user_key: &[u8], sequence: u64) -> Option<Found> {
        let trailer = u64::from_be_bytes(internal_key::seek_trailer(sequence));
        let node = self.list.seek(Target { user_key, trailer })?;
        self.found_at(node, user_key)
    }

    /// What a search for `user_key` found, if the node it led to is of this key.
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

    /// As [`get_hashed`](Self::get_hashed) for each of several keys, into `found`.
    ///
    /// Cost: that of a `get` for each, but the memory's delays overlap.
    pub fn get_together(
        &self,
        keys: &[(&[u8], KeyHash)],
        sequence: u64,
        found: &mut [Option<Found>],
    ) {
        let filter = self.filter.get();
        let trailer = u64::from_be_bytes(internal_key::seek_trailer(sequence));
        let may_be_here = |hash| filter.is_none_or(|filter| filter.may_contain(hash));
        let mut places = (0..keys.len()).filter(|&at| may_be_here(keys[at].1));
        loop {
            let mut targets = [Target::default(); TOGETHER];
            let mut of_target = [0; TOGETHER];
            let mut nodes = [None; TOGETHER];
            let mut count = 0;
            for place in places.by_ref().take(TOGETHER) {
                let user_key = keys[place].0;
                targets[count] = Target { user_key, trailer };
                of_target[count] = place;
                count += 1;
            }
            if count == 0 {
                return;
            }
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

    /// The newest range tombstone over `user_key` that a reader of `sequence` sees, by its number; 0 if there is none.
    ///
    /// Cost: a look at a flag if there are no range tombstones, else a binary search.
    #[inline]
    #[must_use]
    pub fn newest_range_delete(&self, user_key: &[u8], sequence: u64) -> u64 {
        let comparator = self.list.comparator();
        self.ranges.newest_over(comparator, user_key, sequence)
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

fn target_of(key: ParsedKey<'_>) -> Target<'_> {
    Target {
        user_key: key.user_key,
        trailer: u64::from_be_bytes(internal_key::trailer(key.sequence, key.kind)),
    }
}

/// An internal key as the list wants it. A key too short for a trailer stands before its versions.
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

//! The memtable: the newest writes of one family, sorted, in memory, until they are written to a table.
//!
//! Every write goes to the log first and then here. When a memtable is full it is frozen (its
//! [`MemtableWriter`] is dropped) and written out as a level-0 table, while a new one takes over.
//! Readers hold an [`Arc`] on it and continue undisturbed.
//!
//! ```text
//! writer           inserts
//! skiplist, arena  the sorted entries, and their memory
//! index            from a key to its newest entry
//! cursor, ahead    walks over the entries, and what a long walk finds in advance
//! ranges           range tombstones
//! ```
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

mod ahead;
mod arena;
mod cursor;
mod index;
mod ranges;
mod skiplist;
mod writer;

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

pub use self::cursor::{MemtableCursor, MemtableEntries};
use self::index::{Index, Known};
use self::ranges::Ranges;
use self::skiplist::{Node, SkipList, TOGETHER, Target};
pub use self::writer::MemtableWriter;
use crate::bloom::KeyHash;
use crate::internal_key::{self, TRAILER_BYTES, ValueKind};
use crate::range_tombstone::RangeTombstones;

/// Older versions are reached by walking from a key's newest version, up to this many steps; beyond
/// that, a search is faster.
const OLDER_VERSIONS_WALKED: usize = 8;

/// The part of a memtable that readers share.
#[derive(Clone)]
pub struct Memtable {
    list: Arc<SkipList>,
    ranges: Arc<Ranges>,
    /// An index of the keys in the list, made once the list is large.
    index: Arc<Index>,
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
    pub fn get_many(&self, keys: &[(&[u8], KeyHash)], sequence: u64, found: &mut [Option<Found>]) {
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

    /// The number of the last entry that was written under an older range tombstone; 0 if there is none. Of the range of
    /// a tombstone with a greater number, a reader sees no entry that is newer than the tombstone. To be asked
    /// after the reader's sequence number is known.
    #[must_use]
    pub fn written_under_ranges(&self) -> u64 {
        self.ranges.written_under()
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

//! The index: a block with one entry for each data block, from a key at or after its last key to its handle.
//!
//! ```text
//! key    an internal key >= all keys of the data block and < all keys of the next one
//! value  offset: varint | length: varint    the handle of the data block
//! ```
//!
//! The key need not exist in the table. Between blocks that end in `apple` and begin with `bridge`,
//! the comparator may propose `b`; the [`Comparator`] uses that only if it lies in `[a, b)` and is
//! shorter. Short keys keep the index small, which matters because every lookup searches it.
//!
//! Invariants
//! 1. Every entry is a restart. So a search is nothing but a binary search (over heads, under the
//!    bytewise order), and an entry's restart number is the number of its data block.
//! 2. The first data block begins where the file does, and each further one where the one before ends. An
//!    opening refuses an index that says otherwise: if entries led to the same block again, the time to
//!    read a table would grow with the square of its length.
//! 3. A shortened user key gets the version that takes the least space. No table entry has that
//!    user key, so any version would do.

use super::block::{Block, BlockBuilder, BlockCursor, Damage};
use super::stored::{self, Handle};
use crate::comparator::Comparator;
use crate::internal_key;
use std::cmp::Ordering;

/// The number of bytes between the contents of two consecutive data blocks.
const BETWEEN_BLOCKS: u64 = stored::TRAILER_BYTES as u64;

/// Writes the index while the data blocks are written.
#[derive(Debug)]
pub(super) struct IndexBuilder {
    block: BlockBuilder,
    /// The data block that ended last; its index key is chosen when the next block begins.
    pending: Option<(Vec<u8>, Handle)>,
    entry: Vec<u8>,
}

impl IndexBuilder {
    pub(super) fn new(comparator: &Comparator) -> IndexBuilder {
        IndexBuilder {
            block: BlockBuilder::new(comparator, 1),
            pending: None,
            entry: Vec::new(),
        }
    }

    /// The length of the index so far, without the entry of the block that ended last.
    pub(super) fn size(&self) -> usize {
        self.block.size()
    }

    /// Records that a data block was written to `handle` and ended with `last_key`.
    pub(super) fn block_ended(&mut self, last_key: Vec<u8>, handle: Handle) {
        debug_assert!(self.pending.is_none(), "the next block has not begun");
        self.pending = Some((last_key, handle));
    }

    /// Records that the next data block begins with `first_key`.
    pub(super) fn block_begins(&mut self, comparator: &Comparator, first_key: &[u8]) {
        if let Some((last_key, handle)) = self.pending.take() {
            self.push(&separator(comparator, &last_key, first_key), handle);
        }
    }

    /// Completes the index after the last block and passes it to `store`.
    pub(super) fn finish<T>(
        &mut self,
        comparator: &Comparator,
        store: impl FnOnce(&[u8]) -> T,
    ) -> T {
        if let Some((last_key, handle)) = self.pending.take() {
            // A successor shares little with the keys before it, so heads could not leave out a common prefix.
            let key = if comparator.is_bytewise() {
                last_key
            } else {
                successor(comparator, &last_key)
            };
            self.push(&key, handle);
        }
        self.block.finish(store)
    }

    fn push(&mut self, key: &[u8], handle: Handle) {
        self.entry.clear();
        handle.append_varints(&mut self.entry);
        self.block.add(key, &self.entry);
    }
}

/// A key in `[a, b)`, preferably short, for internal keys `a < b`.
fn separator(comparator: &Comparator, a: &[u8], b: &[u8]) -> Vec<u8> {
    let (a_user, b_user) = (internal_key::user_key(a), internal_key::user_key(b));
    if a_user == b_user {
        return a.to_vec();
    }
    shortened(comparator, a, &comparator.separator(a_user, b_user))
}

/// A key >= `a`, preferably short.
fn successor(comparator: &Comparator, a: &[u8]) -> Vec<u8> {
    shortened(
        comparator,
        a,
        &comparator.successor(internal_key::user_key(a)),
    )
}

/// An internal key of `user_key` if it is shorter than `a`'s user key and comes after it; otherwise `a`.
fn shortened(comparator: &Comparator, a: &[u8], user_key: &[u8]) -> Vec<u8> {
    let a_user = internal_key::user_key(a);
    if user_key.len() >= a_user.len() || comparator.compare(a_user, user_key) != Ordering::Less {
        return a.to_vec();
    }
    let mut key = Vec::with_capacity(user_key.len() + internal_key::TRAILER_BYTES);
    internal_key::append_last(&mut key, user_key);
    key
}

/// A data block as its index entry describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DataBlock {
    /// Its place among the data blocks.
    pub(super) number: usize,
    pub(super) handle: Handle,
}

/// The index of an open table.
#[derive(Debug)]
pub(super) struct Index {
    block: Block,
    /// `None` if the index is only walked.
    shortcut: Option<Shortcut>,
}

/// Where data blocks are and which prefix heads leave out: all that a lookup needs besides the
/// heads, which nearly always determine the block. It is collected from the entries when the table
/// is opened. The lookup then does not read the entries, which saves fetching two cache lines.
#[derive(Debug)]
struct Shortcut {
    /// The prefix that heads leave out, if there are heads.
    prefix: Option<Box<[u8]>>,
    /// Where each data block begins, which is where the one before ends; and where the last one ends.
    starts: Box<[u64]>,
}

impl Shortcut {
    /// # Errors
    /// Which entry breaks an invariant, and how.
    fn new(index: &Index) -> Result<Shortcut, Damage> {
        let view = index.block.view();
        let blocks = view.restarts();
        let prefix = match view.skip().filter(|_| blocks > 0) {
            Some(skip) => {
                let first = view.restart_entry(0)?;
                let prefix = view.bytes(&first.tail).get(..skip).ok_or(Damage {
                    at: view.entries_end(),
                    what: "the heads leave out more than the first key has",
                })?;
                Some(prefix.into())
            }
            None => None,
        };
        let mut starts = Vec::with_capacity(blocks + 1);
        let mut end = 0;
        for number in 0..blocks {
            let entry = view.restart_offset(number);
            let block = index.block_at(number)?.map(|block| block.handle);
            let Some(Handle { offset, length }) = block.filter(|handle| handle.offset == end)
            else {
                return Err(Damage {
                    at: entry,
                    what: "an index entry leads to a data block that does not begin where the one before ends",
                });
            };
            starts.push(offset);
            let stored = length.checked_add(BETWEEN_BLOCKS);
            end = stored
                .and_then(|stored| offset.checked_add(stored))
                .ok_or(Damage {
                    at: entry,
                    what: "an index entry leads to a data block that is too long for any file",
                })?;
        }
        starts.push(end);
        Ok(Shortcut {
            prefix,
            starts: starts.into(),
        })
    }

    /// Like [`Index::block_at`].
    #[inline]
    fn block_at(&self, number: usize) -> Option<DataBlock> {
        let [start, next] = self.starts.get(number..)?.first_chunk().copied()?;
        let handle = Handle {
            offset: start,
            length: next - start - BETWEEN_BLOCKS,
        };
        Some(DataBlock { number, handle })
    }
}

impl Index {
    /// The index of a table that is to be read.
    ///
    /// # Errors
    /// Which entry breaks an invariant, and how.
    pub(super) fn new(block: Block) -> Result<Index, Damage> {
        let mut index = Index::to_walk(block);
        index.shortcut = Some(Shortcut::new(&index)?);
        Ok(index)
    }

    /// An unchecked index, for a caller that walks over its entries and checks each of them.
    pub(super) fn to_walk(block: Block) -> Index {
        Index {
            block,
            shortcut: None,
        }
    }

    /// Like [`find`](Self::find) under the bytewise order, using only heads; `None` if they do not
    /// determine the block.
    #[inline]
    fn find_by_head(&self, target: &[u8]) -> Option<Option<DataBlock>> {
        let shortcut = self.shortcut.as_ref()?;
        let user_key = internal_key::user_key(target);
        if !user_key.starts_with(shortcut.prefix.as_ref()?) {
            return None;
        }
        let number = self.block.view().restarts_before(user_key)?;
        Some(shortcut.block_at(number))
    }

    /// How many data blocks there are.
    pub(super) fn blocks(&self) -> usize {
        self.block.view().restarts()
    }

    /// The data block that holds the first key >= `target`, if any does.
    pub(super) fn find(
        &self,
        comparator: &Comparator,
        target: &[u8],
        key: &mut Vec<u8>,
    ) -> Result<Option<DataBlock>, Damage> {
        if comparator.is_bytewise()
            && let Some(found) = self.find_by_head(target)
        {
            return Ok(found);
        }
        let view = self.block.view();
        let Some(found) = view.lower_bound(comparator, target, key)? else {
            return Ok(None);
        };
        let is_restart = view.restart_offset(found.restart) == found.entry.at;
        data_block(
            found.restart,
            is_restart,
            found.entry.at,
            view.bytes(&found.entry.value),
        )
        .map(Some)
    }

    /// The data block of this number, if it exists.
    pub(super) fn block_at(&self, number: usize) -> Result<Option<DataBlock>, Damage> {
        if let Some(shortcut) = &self.shortcut {
            return Ok(shortcut.block_at(number));
        }
        let view = self.block.view();
        if number >= view.restarts() {
            return Ok(None);
        }
        let entry = view.restart_entry(number)?;
        let is_restart = entry.end() == view.offset_after(number);
        data_block(number, is_restart, entry.at, view.bytes(&entry.value)).map(Some)
    }

    /// See [`BlockView::check_heads`](super::block::BlockView::check_heads).
    pub(super) fn check_heads(&self, last_user_key: &[u8]) -> Result<(), Damage> {
        self.block.view().check_heads(last_user_key)
    }

    pub(super) fn cursor(&self) -> IndexCursor {
        IndexCursor {
            entries: BlockCursor::new(self.block.clone()),
        }
    }
}

fn data_block(
    number: usize,
    is_restart: bool,
    at: usize,
    value: &[u8],
) -> Result<DataBlock, Damage> {
    if !is_restart {
        return Err(Damage {
            at,
            what: "an index entry is no restart",
        });
    }
    let handle = Handle::from_varints(value).ok_or(Damage {
        at,
        what: "an index entry holds no handle",
    })?;
    Ok(DataBlock { number, handle })
}

/// A position among the data blocks.
#[derive(Debug)]
pub(super) struct IndexCursor {
    entries: BlockCursor,
}

impl IndexCursor {
    /// The data block under the cursor, or `None` if the cursor is nowhere.
    pub(super) fn current(&self) -> Result<Option<DataBlock>, Damage> {
        if !self.entries.valid() {
            return Ok(None);
        }
        let (number, at) = (self.entries.restart(), self.entries.position());
        let is_restart = self.entries.block().view().restart_offset(number) == at;
        data_block(number, is_restart, at, self.entries.value()).map(Some)
    }

    /// The underlying block cursor, for moving.
    pub(super) fn entries(&mut self) -> &mut BlockCursor {
        &mut self.entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparator::Compare;
    use crate::internal_key::ValueKind;
    use proptest::prelude::*;

    fn key(user_key: &[u8], sequence: u64) -> Vec<u8> {
        internal_key::encode(user_key, sequence, ValueKind::Put)
    }

    #[test]
    fn separators_are_short_and_in_between() {
        let comparator = Comparator::Bytewise;
        for (a, b, expected) in [
            (&b"apple"[..], &b"bridge"[..], &b"aq"[..]),
            (b"apple", b"crow", b"b"),
            (b"a", b"b", b"a"),
        ] {
            let (a, b) = (key(a, 5), key(b, 9));
            let separator = separator(&comparator, &a, &b);
            assert_eq!(internal_key::user_key(&separator), expected);
            assert!(internal_key::compare(&comparator, &a, &separator).is_le());
            assert!(internal_key::compare(&comparator, &separator, &b).is_lt());
        }
        let versions = separator(&comparator, &key(b"apple", 9), &key(b"apple", 5));
        assert_eq!(
            versions,
            key(b"apple", 9),
            "versions of one key cannot be told apart by a user key"
        );
        assert_eq!(
            internal_key::user_key(&successor(&comparator, &key(b"apple", 9))),
            b"b"
        );
    }

    #[test]
    fn blocks_are_found_by_number_and_an_entry_between_restarts_is_refused() {
        let index = |restart_interval| {
            let mut block = BlockBuilder::new(&Comparator::Bytewise, restart_interval);
            for at in 0..4_u8 {
                let mut handle = Vec::new();
                let (offset, length) = (55 * u64::from(at), 50);
                Handle { offset, length }.append_varints(&mut handle);
                block.add(&key(&[at], 9), &handle);
            }
            Index::new(
                block
                    .finish(|bytes| Block::new(bytes.to_vec().into()))
                    .unwrap(),
            )
        };
        let sound = index(1).unwrap();
        let offset_at = |number| sound.block_at(number).unwrap().map(|of| of.handle.offset);
        let offsets = [0, 3, 4].map(offset_at);
        assert_eq!(offsets, [Some(0), Some(165), None]);
        let damage = index(2).unwrap_err();
        assert_eq!(damage.what, "an index entry is no restart");
    }

    proptest! {
        #[test]
        fn the_shortcut_leads_where_the_entries_lead(
            keys in prop::collection::btree_set(prop::collection::vec(0u8..3, 0..14), 1..30),
            prefix in prop::collection::vec(0u8..3, 0..4),
            targets in prop::collection::vec(prop::collection::vec(0u8..3, 0..16), 20),
        ) {
            let with_prefix = |key: &[u8]| [&prefix, key].concat();
            let mut block = BlockBuilder::new(&Comparator::Bytewise, 1);
            let mut handle = Handle { offset: 0, length: 0 };
            for user_key in &keys {
                handle.length = 10 + user_key.len() as u64;
                let mut entry = Vec::new();
                handle.append_varints(&mut entry);
                block.add(&key(&with_prefix(user_key), 9), &entry);
                handle.offset += handle.length + BETWEEN_BLOCKS;
            }
            let index =
                block.finish(|bytes| Index::new(Block::new(bytes.to_vec().into()).unwrap()).unwrap());
            let without = Index::to_walk(index.block.clone());
            let present = keys.iter().map(|key| with_prefix(key));
            let absent = targets.iter().flat_map(|target| [target.clone(), with_prefix(target)]);
            for user_key in present.chain(absent) {
                for sequence in [0, 9, 20] {
                    let target = key(&user_key, sequence);
                    let found = |index: &Index| {
                        index.find(&Comparator::Bytewise, &target, &mut Vec::new())
                    };
                    prop_assert_eq!(found(&index), found(&without), "{:?}", target);
                }
            }
        }
    }

    #[test]
    fn blocks_that_do_not_follow_one_another_are_refused() {
        let index = |first: u64, second: u64| {
            let mut block = BlockBuilder::new(&Comparator::Bytewise, 1);
            for (user_key, offset) in [(b"a", first), (b"b", second)] {
                let (mut entry, length) = (Vec::new(), 50);
                Handle { offset, length }.append_varints(&mut entry);
                block.add(&key(user_key, 9), &entry);
            }
            block.finish(|bytes| Index::new(Block::new(bytes.to_vec().into()).unwrap()))
        };
        assert!(index(0, 55).is_ok());
        for (first, second) in [(0, 0), (0, 54), (0, 56), (0, u64::MAX), (1, 56)] {
            let damage = index(first, second).unwrap_err();
            assert!(damage.what.contains("does not begin"), "{first} {second}");
        }
    }

    /// Proposes keys that are short and wrong.
    struct Careless(&'static [u8]);

    impl Compare for Careless {
        fn name(&self) -> &str {
            "careless"
        }
        fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
            a.cmp(b)
        }
        fn separator(&self, _: &[u8], _: &[u8]) -> Vec<u8> {
            self.0.to_vec()
        }
        fn successor(&self, _: &[u8]) -> Vec<u8> {
            self.0.to_vec()
        }
    }

    #[test]
    fn wrong_proposals_are_not_taken() {
        for proposal in [&b""[..], b"a", b"n", b"z", b"mango!", b"mango"] {
            let comparator = Comparator::custom(Careless(proposal));
            let (a, b) = (key(b"mango", 5), key(b"melon", 5));
            assert_eq!(separator(&comparator, &a, &b), a, "{proposal:?}");
        }
        let comparator = Comparator::custom(Careless(b"a"));
        assert_eq!(successor(&comparator, &key(b"mango", 5)), key(b"mango", 5));
        let comparator = Comparator::custom(Careless(b"mb"));
        assert_eq!(
            internal_key::user_key(&separator(
                &comparator,
                &key(b"mango", 5),
                &key(b"melon", 5)
            )),
            b"mb"
        );
    }
}

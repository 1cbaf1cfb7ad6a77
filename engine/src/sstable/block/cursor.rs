//! Walks a block both ways.
//!
//! Forward, a key is made from the one before in the same buffer. Backward there is no way to do that:
//! an entry says what it takes from its predecessor, not from its successor. So the first step back
//! into a restart interval decodes all of it up to the cursor, and the following steps take from that. Decoding
//! from the restart again at each step, as LevelDB does, costs half an interval a step.
//!
//! A block from a foreign hand may have one restart and thousands of entries that share a long prefix. Their keys together
//! would take far more memory than the block. So of a long interval only the last keys are kept, and when the cursor has
//! stepped back over those, it decodes from the [waypoint](Waypoints) before them. A walk back takes time in
//! proportion to the keys that it shows, however the block is made; a seek, to the interval that it ends in.
//!
//! Invariant: `keys` holds the current key where `key` says and, behind it or before it, those of `behind`. A step back
//! changes `key` and copies nothing; a step forward cuts off what stands behind the key's shared part.

use super::waypoints::Waypoints;
use super::{Block, Damage, Entry, SHARES_TOO_MUCH};
use crate::comparator::{Comparator, common_prefix_len};
use crate::cursor::{Direction, KEY_BYTES_USUAL, RowRun};
use crate::internal_key::{self, TRAILER_BYTES, ValueKind};
use std::cmp::Ordering;
use std::ops::Range;

mod backward;
#[cfg(test)]
mod tests;

/// So many bytes ahead of an entry that it stands on, a cursor asks for memory; a processor guesses it by itself only
/// after some steps.
const AHEAD_BYTES: usize = 512;
/// At each step it asks for as many bytes more as the step went over, but no more than these.
const AHEAD_STEP_BYTES_MAX: usize = 256;

/// Keys of an interval are kept up to so many bytes, and one more. No interval that is usual has as many.
const KEPT_BYTES_MAX: usize = 1 << 20;

/// A position in a block. Buffers are kept when it moves to another block.
#[derive(Debug)]
pub(in crate::sstable) struct BlockCursor {
    block: Block,
    /// Where the current entry stands; `None` when the cursor stands nowhere.
    current: Option<Place>,
    /// Where in `keys` the current key stands.
    key: Range<usize>,
    /// The restart that the current entry stands behind, or is.
    restart: usize,
    /// Entries of one interval, decoded for going back: the last one stands right before the current entry. If their keys
    /// are long, the first ones are left out.
    behind: Vec<Decoded>,
    /// The restart of that interval.
    behind_restart: usize,
    /// The current key and those of `behind`.
    keys: Vec<u8>,
    /// Where to go on decoding when `behind` is used up; only in an interval that is too long for it.
    waypoints: Waypoints,
    /// [`KEPT_BYTES_MAX`], or less in tests.
    kept_bytes_max: usize,
    /// How many entries were decoded for going back.
    #[cfg(test)]
    decoded: usize,
}

#[derive(Clone, Debug)]
struct Place {
    at: usize,
    value: Range<usize>,
}

#[derive(Debug)]
struct Decoded {
    place: Place,
    key: Range<usize>,
}

impl BlockCursor {
    /// A cursor that stands nowhere.
    pub(in crate::sstable) fn new(block: Block) -> BlockCursor {
        BlockCursor {
            block,
            current: None,
            key: 0..0,
            restart: 0,
            behind: Vec::new(),
            behind_restart: 0,
            keys: Vec::with_capacity(KEY_BYTES_USUAL),
            waypoints: Waypoints::default(),
            kept_bytes_max: KEPT_BYTES_MAX,
            #[cfg(test)]
            decoded: 0,
        }
    }

    /// Moves to another block, and stands nowhere in it.
    pub(in crate::sstable) fn set_block(&mut self, block: Block) {
        self.block = block;
        self.leave();
    }

    /// Stands nowhere from now on.
    pub(in crate::sstable) fn leave(&mut self) {
        self.current = None;
        self.behind.clear();
        self.waypoints.clear();
        self.keys.clear();
        self.key = 0..0;
    }

    #[inline]
    pub(in crate::sstable) fn valid(&self) -> bool {
        self.current.is_some()
    }

    #[inline]
    pub(in crate::sstable) fn key(&self) -> &[u8] {
        assert!(self.valid(), "the cursor stands nowhere");
        &self.keys[self.key.clone()]
    }

    #[inline]
    pub(in crate::sstable) fn value(&self) -> &[u8] {
        &self.block.contents()[self.value_range()]
    }

    /// Where in the block's contents the value stands.
    #[inline]
    pub(in crate::sstable) fn value_range(&self) -> Range<usize> {
        self.current
            .as_ref()
            .expect("the cursor stands nowhere")
            .value
            .clone()
    }

    pub(in crate::sstable) fn block(&self) -> &Block {
        &self.block
    }

    /// Where in the block the current entry begins.
    pub(in crate::sstable) fn position(&self) -> usize {
        self.current.as_ref().expect("the cursor stands nowhere").at
    }

    /// The restart that the current entry stands behind, or is.
    pub(in crate::sstable) fn restart(&self) -> usize {
        self.restart
    }

    pub(in crate::sstable) fn seek_to_first(&mut self) -> Result<(), Damage> {
        self.leave();
        let view = self.block.view();
        if view.restarts() == 0 {
            return Ok(());
        }
        let entry = view.restart_entry(0)?;
        self.restart = 0;
        self.stand_on(&entry);
        Ok(())
    }

    pub(in crate::sstable) fn seek_to_last(&mut self) -> Result<(), Damage> {
        self.leave();
        let view = self.block.view();
        let Some(last) = view.restarts().checked_sub(1) else {
            return Ok(());
        };
        let end = view.entries_end();
        self.decode_interval(last, end, |_| false)?;
        self.step_back();
        Ok(())
    }

    /// Positions on the first entry whose key is >= `target`.
    ///
    /// Cost: one binary search over the restarts, then at most a restart interval of steps.
    pub(in crate::sstable) fn seek(
        &mut self,
        comparator: &Comparator,
        target: &[u8],
    ) -> Result<(), Damage> {
        self.leave();
        let found = self
            .block
            .view()
            .lower_bound(comparator, target, &mut self.keys)?;
        let Some(found) = found else {
            return Ok(());
        };
        if comparator.is_bytewise() {
            // What the entry shares with its predecessor it shares with the target, or it would not be the first.
            self.keys.extend_from_slice(&target[..found.entry.shared]);
        }
        self.restart = found.restart;
        self.stand_on(&found.entry);
        Ok(())
    }

    /// Asks for the memory that a seek to `target` and the steps after it will read.
    pub(in crate::sstable) fn prefetch(
        &self,
        comparator: &Comparator,
        target: &[u8],
        direction: Direction,
    ) {
        if comparator.is_bytewise() {
            let at = self.block.view().search_start(comparator, target);
            let start = match direction {
                Direction::Forward => at,
                Direction::Backward => at.saturating_sub(AHEAD_BYTES),
            };
            self.block.contents().prefetch(start, at + AHEAD_BYTES);
        }
    }

    /// Positions on the last entry whose key is <= `target`.
    ///
    /// Cost: one binary search over the restarts; then the entries of an interval are decoded up to the target, mostly once.
    pub(in crate::sstable) fn seek_for_prev(
        &mut self,
        comparator: &Comparator,
        target: &[u8],
    ) -> Result<(), Damage> {
        if self.seek_back_in_interval(comparator, target)? {
            return Ok(());
        }
        self.seek(comparator, target)?;
        if !self.valid() {
            self.seek_to_last()
        } else if internal_key::compare(comparator, self.key(), target) == Ordering::Greater {
            self.prev()
        } else {
            Ok(())
        }
    }

    /// As [`seek_for_prev`](Self::seek_for_prev), if the interval where the search begins has the answer; `false` if not.
    fn seek_back_in_interval(
        &mut self,
        comparator: &Comparator,
        target: &[u8],
    ) -> Result<bool, Damage> {
        self.leave();
        let view = self.block.view();
        if view.restarts() == 0 {
            return Ok(true);
        }
        let restart = view.last_restart_before(comparator, target)?;
        let (end, entries_end) = (view.offset_after(restart), view.entries_end());
        let is_beyond = |key: &[u8]| internal_key::compare(comparator, key, target).is_gt();
        let is_told = self.decode_interval(restart, end, is_beyond)? || end == entries_end || {
            let next = self.block.view().entry(end)?;
            let view = self.block.view();
            let user_key =
                comparator.compare(view.bytes(&next.tail), internal_key::user_key(target));
            next.shared == 0 && user_key.is_gt()
        };
        if is_told && !self.behind.is_empty() {
            self.step_back();
            return Ok(true);
        }
        self.behind.clear();
        Ok(false)
    }

    /// Whether the current entry is a put that a reader of `sequence` sees, and no newer version of its key stands before it.
    /// `false` too if the block does not tell, because it begins here.
    #[inline]
    pub(in crate::sstable) fn is_newest_row(&mut self, sequence: u64) -> Result<bool, Damage> {
        self.decode_behind()?;
        let before = self.behind.last();
        Ok(before.is_some_and(|before| self.is_newest(self.key(), before, sequence)))
    }

    /// Whether `key` is of a put that a reader of `sequence` sees, and the entry `before` it of another user key.
    #[inline(always)]
    fn is_newest(&self, key: &[u8], before: &Decoded, sequence: u64) -> bool {
        let before = internal_key::user_key(&self.keys[before.key.clone()]);
        internal_key::parse(key).is_ok_and(|entry| {
            entry.sequence <= sequence
                && entry.kind == ValueKind::Put
                && !internal_key::is_same(before, entry.user_key)
        })
    }

    #[inline]
    pub(in crate::sstable) fn next(&mut self) -> Result<(), Damage> {
        let current = self.current.take();
        let at = current.expect("the cursor stands nowhere").value.end;
        let view = self.block.view();
        if at >= view.entries_end() {
            self.behind.clear();
            return Ok(());
        }
        let entry = view.entry(at)?;
        if entry.shared > self.key.len() - TRAILER_BYTES {
            return Err(Damage {
                at,
                what: SHARES_TOO_MUCH,
            });
        }
        self.step_forward(&entry);
        Ok(())
    }

    /// Shows the rows that follow, as far as `rows` says, until `visit` answers `false`. Stands on the last one that was shown,
    /// or where it stood. Answers what `visit` said last. With an end, only under the bytewise order.
    #[inline]
    pub(in crate::sstable) fn run(
        &mut self,
        rows: &RowRun<'_>,
        mut visit: impl FnMut(&[u8], &[u8]) -> bool,
    ) -> bool {
        let mut matched = rows.end.map_or(0, |end| {
            common_prefix_len(internal_key::user_key(self.key()), end)
        });
        let mut goes_on = true;
        while goes_on && let Some(entry) = self.following_row(rows, &mut matched) {
            self.step_forward(&entry);
            // Last, so that key and value belong together even if it panics.
            goes_on = visit(internal_key::user_key(self.key()), self.value());
        }
        goes_on
    }

    /// The next entry, if it is a row that `rows` shows. If it is damaged, the next step says what is wrong.
    ///
    /// No key is compared that need not be: `matched` is how many bytes the current key, which comes before the end, has in common
    /// with it. A key that shares more than that with the current one differs from the end in the same byte, so it comes before it
    /// too.
    #[inline(always)]
    fn following_row(&self, rows: &RowRun<'_>, matched: &mut usize) -> Option<Entry> {
        let at = self.current.as_ref()?.value.end;
        let view = self.block.view();
        if at >= view.entries_end() {
            return None;
        }
        let entry = view.entry(at).ok()?;
        let tail = view.bytes(&entry.tail);
        let rest = internal_key::user_key(self.key()).get(entry.shared..)?;
        // At a restart even an older version of the key shares nothing.
        let is_version_of_current = tail.first() == rest.first() && tail == rest;
        if is_version_of_current || !rows.shows(entry.trailer()) {
            return None;
        }
        if let Some(end) = rows.end
            && entry.shared <= *matched
        {
            let rest = &end[entry.shared..];
            let common = common_prefix_len(tail, rest);
            match (tail.get(common), rest.get(common)) {
                (Some(ours), Some(theirs)) if ours < theirs => {}
                (None, Some(_)) => {}
                _ => return None,
            }
            *matched = entry.shared + common;
        }
        Some(entry)
    }

    /// Stands on the entry that follows the current one.
    #[inline(always)]
    fn step_forward(&mut self, entry: &Entry) {
        if entry.at == self.block.view().offset_after(self.restart) {
            self.restart += 1;
        }
        let ahead = entry.end() + AHEAD_BYTES;
        let step = (entry.end() - entry.at).min(AHEAD_STEP_BYTES_MAX);
        self.block.contents().prefetch(ahead, ahead + step);
        self.behind.clear();
        self.stand_on(entry);
    }

    /// Moves back if the entry there is decoded and [the newest row](Self::is_newest_row) of its key. Says whether it did.
    #[inline]
    pub(in crate::sstable) fn prev_row(&mut self, sequence: u64) -> bool {
        let [.., before, row] = &self.behind[..] else {
            return false;
        };
        let is_row = self.is_newest(&self.keys[row.key.clone()], before, sequence);
        if is_row {
            self.step_back();
        }
        is_row
    }

    pub(in crate::sstable) fn prev(&mut self) -> Result<(), Damage> {
        assert!(self.valid(), "the cursor stands nowhere");
        self.decode_behind()?;
        self.step_back();
        Ok(())
    }

    /// Takes tail and trailer over behind what the entry shares with the current key.
    #[inline]
    fn stand_on(&mut self, entry: &Entry) {
        self.keys.truncate(self.key.start + entry.shared);
        self.keys
            .extend_from_slice(&self.block.contents()[entry.tail.clone()]);
        self.keys.extend_from_slice(&entry.trailer());
        self.key.end = self.keys.len();
        self.current = Some(Place {
            at: entry.at,
            value: entry.value.clone(),
        });
    }

    /// Takes the last of the decoded entries; stands nowhere if there is none.
    #[inline]
    fn step_back(&mut self) {
        self.current = self.behind.pop().map(|decoded| {
            self.key = decoded.key;
            self.restart = self.behind_restart;
            decoded.place
        });
    }
}

//! A position in a block that moves both ways.
//!
//! Forward, a key is built from the one before it in the same buffer. Backward that is impossible, because
//! an entry says what it shares with its predecessor, not with its successor. So the first step back into a
//! restart interval decodes all of it up to the cursor, and the following steps use the decoded keys.
//! Decoding from the restart again at each step, as LevelDB does, costs half an interval a step.
//!
//! A damaged or forged block may have one restart and thousands of entries that share a long
//! prefix. All their keys together would take far more memory than the block. So only the last keys
//! of a long interval are kept, and when the cursor has stepped back over those, it decodes from
//! the [waypoint](Waypoints) before them. A walk back takes time in proportion to the keys that it
//! passes, whatever the block looks like; a seek, in proportion to the interval that it ends in.
//!
//! Invariant: `keys` holds the current key, in the range `key`, and before or after it the keys of
//! `behind`. A step back changes `key` and copies nothing; a step forward truncates `keys` after
//! the shared part of the current key.

use super::waypoints::Waypoints;
use super::{Block, Damage, Entry, SHARES_TOO_MUCH};
use crate::comparator::{Comparator, common_prefix_len};
use crate::cursor::{Direction, KEY_BYTES_USUAL, RowRun, is_newest_row};
use crate::internal_key::{self, TRAILER_BYTES};
use std::cmp::Ordering;
use std::ops::Range;

mod backward;
#[cfg(test)]
mod tests;

/// How far a cursor prefetches ahead of its entry when it starts to move; the processor itself
/// notices the pattern only after some steps.
const AHEAD_BYTES: usize = 512;
/// Each step prefetches as many bytes more as it passed, but at most this many.
const AHEAD_STEP_BYTES_MAX: usize = 256;

/// The decoded keys of an interval are kept up to this many bytes, and one more key. Ordinary
/// intervals are far smaller.
const KEPT_BYTES_MAX: usize = 1 << 20;

/// A position in a block. Buffers are kept when it moves to another block.
#[derive(Debug)]
pub(in crate::sstable) struct BlockCursor {
    block: Block,
    /// Where the current entry is; `None` if the cursor is nowhere.
    current: Option<Place>,
    /// Where in `keys` the current key is.
    key: Range<usize>,
    /// The last restart at or before the current entry.
    restart: usize,
    /// Entries of one interval, decoded for going back: the last one is right before the current
    /// entry. If their keys are long, the first ones are left out.
    behind: Vec<Decoded>,
    /// The restart of that interval.
    behind_restart: usize,
    /// The current key and the keys of `behind`.
    keys: Vec<u8>,
    /// Where to continue decoding when `behind` is used up. Only used in an interval that is too long to keep.
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
    /// A cursor that is nowhere.
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

    /// Switches to another block; the cursor is then nowhere.
    pub(in crate::sstable) fn set_block(&mut self, block: Block) {
        self.block = block;
        self.leave();
    }

    /// Leaves the current entry; the cursor is then nowhere.
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
        assert!(self.valid(), "the cursor is on no entry");
        &self.keys[self.key.clone()]
    }

    #[inline]
    pub(in crate::sstable) fn value(&self) -> &[u8] {
        &self.block.contents()[self.value_range()]
    }

    /// Where in the block's contents the value is.
    #[inline]
    pub(in crate::sstable) fn value_range(&self) -> Range<usize> {
        self.current
            .as_ref()
            .expect("the cursor is on no entry")
            .value
            .clone()
    }

    pub(in crate::sstable) fn block(&self) -> &Block {
        &self.block
    }

    /// Where in the block the current entry begins.
    pub(in crate::sstable) fn position(&self) -> usize {
        self.current.as_ref().expect("the cursor is on no entry").at
    }

    /// The last restart at or before the current entry.
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
    /// Cost: one binary search over the restarts, then at most as many steps as the restart interval.
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
            // The target agrees with the previous key in all bytes that the found entry shares with it.
            self.keys.extend_from_slice(&target[..found.entry.shared]);
        }
        self.restart = found.restart;
        self.stand_on(&found.entry);
        Ok(())
    }

    /// Prefetches what a seek to `target` and the steps after it will read.
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
    /// Cost: one binary search over the restarts, then the entries of an interval are decoded up to
    /// the target, usually once.
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

    /// Like [`seek_for_prev`](Self::seek_for_prev), if the answer is in the interval where the
    /// search begins. Returns `false` if it is not.
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

    /// Whether the current entry is a put that a reader of `sequence` sees, and no newer version of its
    /// key comes before it. Also `false` if the block cannot tell, because it begins with this entry.
    #[inline]
    pub(in crate::sstable) fn is_newest_row(&mut self, sequence: u64) -> Result<bool, Damage> {
        self.decode_behind()?;
        let before = self.behind.last();
        Ok(before.is_some_and(|before| self.is_row(self.key(), before, sequence)))
    }

    /// Whether `row` is a row that a reader of `sequence` sees, and the entry `before` it of another key.
    #[inline(always)]
    fn is_row(&self, row: &[u8], before: &Decoded, sequence: u64) -> bool {
        is_newest_row(row, Some(&self.keys[before.key.clone()]), sequence)
    }

    #[inline]
    pub(in crate::sstable) fn next(&mut self) -> Result<(), Damage> {
        let current = self.current.take();
        let at = current.expect("the cursor is on no entry").value.end;
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

    /// Passes the rows that follow to `visit`, within the bounds of `rows`, until `visit` returns
    /// `false`. Afterwards the cursor is at the last row that was passed, or where it was if there was
    /// none. Returns what `visit` returned last. If `rows` has an end, only for the bytewise order.
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
            // Called last, so that key and value match even if it panics.
            goes_on = visit(internal_key::user_key(self.key()), self.value());
        }
        goes_on
    }

    /// The next entry, if it is a row within `rows`. If the entry is damaged, the next step reports
    /// what is wrong.
    ///
    /// Saves comparisons: `matched` is the number of bytes that the current key, which comes before
    /// the end, has in common with the end. A key that shares more than that with the current one
    /// differs from the end in the same byte, so it comes before the end too.
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
        // This needs a comparison, because at a restart even an older version of the key shares nothing.
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

    /// Moves to the entry that follows the current one.
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

    /// Moves back if the entry there is decoded and is [the newest row](Self::is_newest_row) of its
    /// key. Returns whether it did.
    #[inline]
    pub(in crate::sstable) fn prev_row(&mut self, sequence: u64) -> bool {
        let [.., before, row] = &self.behind[..] else {
            return false;
        };
        let is_row = self.is_row(&self.keys[row.key.clone()], before, sequence);
        if is_row {
            self.step_back();
        }
        is_row
    }

    pub(in crate::sstable) fn prev(&mut self) -> Result<(), Damage> {
        assert!(self.valid(), "the cursor is on no entry");
        self.decode_behind()?;
        self.step_back();
        Ok(())
    }

    /// Appends tail and trailer of the entry after the part that it shares with the current key.
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

    /// Moves to the last of the decoded entries, or nowhere if there is none.
    #[inline]
    fn step_back(&mut self) {
        self.current = self.behind.pop().map(|decoded| {
            self.key = decoded.key;
            self.restart = self.behind_restart;
            decoded.place
        });
    }
}

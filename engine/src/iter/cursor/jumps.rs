//! Seeks past what a cursor does not show, where many steps would be dearer.

use std::cmp::Ordering;

use super::{Cursor, is_covered, parse, user_key};
use crate::cursor::{Direction, InternalCursor, STEPS_BEFORE_SEEK};
use crate::error::{Error, Result};
use crate::internal_key::{self, ValueKind};

/// After this many steps in a row, the key is noted, to see whether it is still the same when a seek is due.
const STEPS_BEFORE_NOTE: usize = STEPS_BEFORE_SEEK / 2;

impl Cursor {
    /// Counts a step over the merge's entry. Returns whether so many steps in a row passed versions of its key that seeking
    /// is cheaper; its user key is then in `seek_key`.
    #[inline]
    pub(super) fn are_versions_of_one_key(&mut self, steps: &mut usize) -> bool {
        *steps += 1;
        // Most keys have few versions, so no key is noted at first.
        if *steps == STEPS_BEFORE_NOTE {
            self.seek_key.clear();
            self.seek_key.extend_from_slice(user_key(&self.merge));
        }
        if *steps <= STEPS_BEFORE_SEEK {
            return false;
        }
        *steps = 0;
        internal_key::is_same(user_key(&self.merge), &self.seek_key)
    }

    /// Seeks the newest version that the reader sees of the merge's key, which goes to `key`. Returns whether it is a row;
    /// its value is then in `value`.
    pub(super) fn seek_newest_version(&mut self) -> Result<bool> {
        self.key.clear();
        self.key.extend_from_slice(user_key(&self.merge));
        self.seek_key.clear();
        internal_key::append_seek(&mut self.seek_key, &self.key, self.sequence);
        self.jump(Direction::Forward)?;
        if !self.merge.valid() {
            return Ok(false);
        }
        let entry = parse(&self.merge)?;
        let is_row = entry.user_key == self.key
            && entry.kind == ValueKind::Put
            && !is_covered(&mut self.coverage, &entry);
        if is_row {
            self.value.clear();
            self.value.extend_from_slice(self.merge.value());
        }
        Ok(is_row)
    }

    /// Moves the merge past all versions of `key`.
    pub(super) fn leave_key_forward(&mut self) -> Result<()> {
        self.seek_key.clear();
        internal_key::append_last(&mut self.seek_key, &self.key);
        self.jump(Direction::Forward)?;
        // Only the version with the greatest possible trailer can still be here.
        if self.merge.valid() && user_key(&self.merge) == self.key {
            self.merge.next()?;
        }
        Ok(())
    }

    /// Moves the merge before all versions of `key`.
    pub(super) fn leave_key_backward(&mut self) -> Result<()> {
        self.seek_key.clear();
        internal_key::append_first(&mut self.seek_key, &self.key);
        self.jump(Direction::Backward)
    }

    /// Moves the merge to `seek_key`, or to the entry next to it in this direction.
    ///
    /// # Errors
    /// From the merge; and `Corruption` if it does not get there because the keys are not in order. Otherwise the caller
    /// would come back to where it jumped from for ever.
    pub(super) fn jump(&mut self, direction: Direction) -> Result<()> {
        let wrong_side = match direction {
            Direction::Forward => {
                self.merge.seek(&self.seek_key)?;
                Ordering::Less
            }
            Direction::Backward => {
                self.merge.seek_for_prev(&self.seek_key)?;
                Ordering::Greater
            }
        };
        let is_there = !self.merge.valid()
            || internal_key::compare(&self.comparator, self.merge.key(), &self.seek_key)
                != wrong_side;
        if is_there {
            Ok(())
        } else {
            Err(self.not_in_order())
        }
    }

    /// Seeks, in the source of the merge's entry, past all entries that a range tombstone hides. Returns `false` if there
    /// is none that hides them all: then only the source's own tombstones cover the entry, and entries newer than
    /// those may follow. `skips` counts how often this was done since the last
    /// seek of all sources.
    ///
    /// # Errors
    /// From the merge; and `Corruption` where the way goes in a circle.
    pub(super) fn skip_covered(&mut self, forward: bool, skips: &mut usize) -> Result<bool> {
        let source = self.merge.source();
        let Some(coverage) = &self.coverage else {
            return Ok(false);
        };
        let Some(end) = coverage.end_of_hidden(source, forward) else {
            return Ok(false);
        };
        *skips += 1;
        // Until all sources are sought anew, each of them leaves each fragment once.
        if *skips > coverage.fragments() * self.merge.sources() {
            return Err(self.not_in_order());
        }
        self.seek_key.clear();
        internal_key::append_first(&mut self.seek_key, &end);
        self.merge.skip_to(&self.seek_key)?;
        Ok(true)
    }

    #[cold]
    fn not_in_order(&self) -> Error {
        let suspicion = self.comparator.suspicion();
        let what = format!("its keys are not in order{suspicion}");
        self.merge.corruption(what)
    }
}

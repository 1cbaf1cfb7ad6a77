//! Which position has the n-th element, and where arithmetic ends.
//!
//! ```text
//! slots      -2  -1   0   1   2   3   4   5   6
//! elements    a   b   c   d       e f     g   h
//!             left run    |  middle   |   right run
//! ```
//!
//! The left run, the middle and the right run may each be empty. Whoever changes something in the middle widens it.
//! When an end comes closer, by pops or a trim, the middle shrinks with it; when it is gone, the list is as good as
//! one that was never changed.

use crate::store::{KeyRange, Space};
use crate::types::list::held::Stretch;
use crate::types::list::{List, Side};
use crate::types::rows::{EndRow, Position};
use crate::types::zset::rank::WALKED;
use crate::types::{Error, Result};

/// A list of at most so many elements takes its rows with it when it is emptied. The rows of a longer one become
/// orphans, so that the command is over at once.
const REMOVED_AT_ONCE: u64 = 64;

impl List<'_, '_> {
    /// How many elements stand before the middle. Without a middle, all.
    fn left_run(&self) -> u64 {
        match self.ends.middle {
            None => self.size,
            Some((low, _)) => distance(self.ends.first.slot, low),
        }
    }

    /// How many elements stand behind the middle.
    fn right_run(&self) -> u64 {
        match self.ends.middle {
            None => 0,
            Some((_, high)) => distance(high, self.ends.last.slot),
        }
    }

    /// The position of an element. The caller knows that there is one with this number.
    ///
    /// Cost: arithmetic in the runs. Within the middle O(log n) if the list was opened by [`List::open_counted`], or the
    /// lock of the key is held; else, and near the ends of the middle, a walk from the nearer one.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn position_of(&self, index: u64) -> Result<Position> {
        let (left, right) = (self.left_run(), self.right_run());
        if index < left {
            let slot = self.ends.first.slot.wrapping_add_unsigned(index);
            return Ok(Position::slot(slot));
        }
        let from_right = self.size - 1 - index;
        if from_right < right {
            let slot = self.ends.last.slot.wrapping_sub_unsigned(from_right);
            return Ok(Position::slot(slot));
        }
        let (skip, side) = if index - left <= from_right - right {
            (index - left, Side::Left)
        } else {
            (from_right - right, Side::Right)
        };
        if skip > WALKED
            && let Some(position) = self.counted_position(index)?
        {
            return Ok(position);
        }
        let found = self.positions(&self.middle(), side.inwards(), skip, 1)?;
        let found = found.into_iter().next();
        found.ok_or_else(|| self.too_few_elements())
    }

    /// The middle; of a list without one, all.
    fn middle(&self) -> Stretch {
        let mut stretch = self.whole();
        if let Some((low, high)) = self.ends.middle {
            // Nothing before this slot shares a row with what stands behind it: it was changed, or was an end.
            if self.ends.first.slot < low {
                stretch.rows.start = self.prefix.element_key(&Position::slot(low));
                stretch.low = low;
            }
            if self.ends.last.slot > high {
                let behind = Position::slot(high.wrapping_add(1));
                stretch.rows.end = Some(self.prefix.element_key(&behind));
                stretch.high = high;
            }
        }
        stretch
    }

    /// Removes so many elements at an end. The caller knows that there are so many. After the last one is gone,
    /// nothing may be added to this [`List`] but by one who removed no more than one.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub(super) fn remove_at_end(&mut self, side: Side, count: u64) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        if count == self.size && count > REMOVED_AT_ONCE {
            self.size = 0;
            return Ok(());
        }
        if !self.txn.rank_indexes().is_empty() {
            for position in self.positions(&self.whole(), side.inwards(), 0, count)? {
                self.note_removed(&position);
            }
        }
        self.remove_rows_at_end(side, count)?;
        self.clip_middle();
        Ok(())
    }

    /// The slot does not hold exactly one element any more.
    pub(super) fn widen_middle(&mut self, slot: i64) {
        let (low, high) = self.ends.middle.unwrap_or((slot, slot));
        self.ends.middle = Some((low.min(slot), high.max(slot)));
    }

    /// The middle is not longer than the list.
    pub(super) fn clip_middle(&mut self) {
        if let Some((low, high)) = self.ends.middle {
            let low = low.max(self.ends.first.slot);
            let high = high.min(self.ends.last.slot);
            self.ends.middle = (self.size > 0 && low <= high).then_some((low, high));
        }
    }

    /// The elements at the ends were removed, or were not: finds out which ones stand there now.
    pub(super) fn find_ends(&mut self) -> Result<()> {
        if self.size == 0 {
            return Ok(());
        }
        for side in [Side::Left, Side::Right] {
            let found = self.positions(&self.whole(), side.inwards(), 0, 1)?;
            let found = found.into_iter().next();
            let found = found.ok_or_else(|| self.too_few_elements())?;
            let (end, end_row) = self.end_mut(side);
            if *end != found {
                (*end, *end_row) = (found, EndRow::default());
            }
        }
        self.clip_middle();
        Ok(())
    }

    /// All elements with this slot, which is in no bundle.
    pub(super) fn of_slot(&self, slot: i64) -> Stretch {
        let rows = KeyRange::between(
            self.prefix.element_key(&Position::slot(slot)),
            self.prefix
                .element_key(&Position::slot(slot.wrapping_add(1))),
        );
        let (low, high) = (slot, slot);
        Stretch { rows, low, high }
    }

    pub(super) fn too_few_elements(&self) -> Error {
        let row = self.prefix.element_key(&self.ends.first);
        Error::damaged(
            Space::Data,
            &row,
            "the list has fewer elements than its size",
        )
    }
}

/// How many slots from one to another, if that one is not before it.
fn distance(from: i64, to: i64) -> u64 {
    if from < to { to.abs_diff(from) } else { 0 }
}

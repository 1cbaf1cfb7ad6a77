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
use crate::types::list::{List, Side};
use crate::types::rows::Position;
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
        let found = self.positions(&self.middle_rows(), side.inwards(), skip, 1)?;
        let found = found.into_iter().next();
        found.ok_or_else(|| self.too_few_elements())
    }

    /// The rows of the middle; of a list without one, all.
    fn middle_rows(&self) -> KeyRange {
        let mut rows = self.rows();
        if let Some((low, high)) = self.ends.middle {
            if self.ends.first.slot < low {
                rows.start = self.prefix.element_key(&Position::slot(low));
            }
            if self.ends.last.slot > high {
                let behind = Position::slot(high.wrapping_add(1));
                rows.end = Some(self.prefix.element_key(&behind));
            }
        }
        rows
    }

    /// The positions of the elements at an end, that end's first, at most `count`.
    fn positions_at_end(&self, side: Side, count: u64) -> Result<Vec<Position>> {
        let count = count.min(self.size);
        let run = match (side, self.ends.middle) {
            (_, None) => self.size,
            (Side::Left, _) => self.left_run(),
            (Side::Right, _) => self.right_run(),
        };
        let by_arithmetic = (0..run.min(count)).map(|i| {
            Position::slot(match side {
                Side::Left => self.ends.first.slot.wrapping_add_unsigned(i),
                Side::Right => self.ends.last.slot.wrapping_sub_unsigned(i),
            })
        });
        let mut positions: Vec<Position> = by_arithmetic.collect();
        if count > run {
            let mut rows = self.rows();
            if let (Some((low, high)), true) = (self.ends.middle, run > 0) {
                match side {
                    Side::Left => rows.start = self.prefix.element_key(&Position::slot(low)),
                    Side::Right => {
                        let behind = Position::slot(high.wrapping_add(1));
                        rows.end = Some(self.prefix.element_key(&behind));
                    }
                }
            }
            positions.extend(self.positions(&rows, side.inwards(), 0, count - run)?);
        }
        if positions.len() as u64 == count {
            Ok(positions)
        } else {
            Err(self.too_few_elements())
        }
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
        // With the one that comes then.
        let mut positions = self.positions_at_end(side, count.saturating_add(1))?;
        if count < self.size
            && let Some(end) = positions.pop()
        {
            match side {
                Side::Left => self.ends.first = end,
                Side::Right => self.ends.last = end,
            }
        }
        for position in positions {
            self.remove_row(&position);
        }
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
        let rows = self.rows();
        let end = |side: Side| {
            let found = self.positions(&rows, side.inwards(), 0, 1)?;
            let found = found.into_iter().next();
            found.ok_or_else(|| self.too_few_elements())
        };
        let (first, last) = (end(Side::Left)?, end(Side::Right)?);
        (self.ends.first, self.ends.last) = (first, last);
        self.clip_middle();
        Ok(())
    }

    /// All rows with this slot.
    pub(super) fn rows_of_slot(&self, slot: i64) -> KeyRange {
        KeyRange::between(
            self.prefix.element_key(&Position::slot(slot)),
            self.prefix
                .element_key(&Position::slot(slot.wrapping_add(1))),
        )
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

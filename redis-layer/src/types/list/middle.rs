//! Finds the position of the n-th element: by arithmetic, except in the middle.
//!
//! ```text
//! slots      -2  -1   0   1   2   3   4   5   6
//! elements    a   b   c   d       e f     g   h
//!             left run    |  middle   |   right run
//! ```
//!
//! Each of the left run, the middle and the right run may be empty. A change inside the list widens the middle. When
//! pops or a trim move an end into the middle, the middle shrinks; when nothing is left of it, the list is as good as
//! one that was never changed inside.

use crate::store::{KeyRange, Space};
use crate::types::list::held::Stretch;
use crate::types::list::{List, Side};
use crate::types::rows::{End, EndRow, Position};
use crate::types::zset::rank::WALKED;
use crate::types::{Error, Result};

/// A list of at most this many elements is emptied together with its rows. The rows of a longer one become orphans,
/// so that the command ends at once.
const REMOVED_AT_ONCE: u64 = 64;

/// From this many elements on, rows are removed as a range and not one by one. Fewer would leave ranges behind faster than
/// compactions remove them, where a queue is emptied by parts.
const CLEARED_FROM: u64 = 4096;

impl List<'_, '_> {
    /// How many elements come before the middle. Without a middle, all.
    fn left_run(&self) -> u64 {
        match self.ends.middle {
            None => self.opened.size,
            Some((low, _)) => distance(self.ends.first.position.slot, low),
        }
    }

    /// How many elements come after the middle.
    fn right_run(&self) -> u64 {
        match self.ends.middle {
            None => 0,
            Some((_, high)) => distance(high, self.ends.last.position.slot),
        }
    }

    /// The position of an element. The caller knows that the list has an element of this number.
    ///
    /// Cost: arithmetic in the runs. Within the middle O(log n) if the list was opened by [`List::open_counted`], or
    /// if the lock of the key is held; otherwise, and near the ends of the middle, a walk from its nearer end.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn position_of(&self, index: u64) -> Result<Position> {
        self.find_position(index, true)
    }

    /// As [`List::position_of`]. Counts are made if there are none and `makes_counts` says that they are worth it.
    pub(super) fn find_position(&self, index: u64, makes_counts: bool) -> Result<Position> {
        let (left, right) = (self.left_run(), self.right_run());
        if index < left {
            let slot = self.ends.first.position.slot.wrapping_add_unsigned(index);
            return Ok(Position::slot(slot));
        }
        let from_right = self.opened.size - 1 - index;
        if from_right < right {
            let slot = self
                .ends
                .last
                .position
                .slot
                .wrapping_sub_unsigned(from_right);
            return Ok(Position::slot(slot));
        }
        let (skip, side) = if index - left <= from_right - right {
            (index - left, Side::Left)
        } else {
            (from_right - right, Side::Right)
        };
        if skip > WALKED
            && (makes_counts || self.has_counts())
            && let Some(position) = self.counted_position(index)?
        {
            return Ok(position);
        }
        let found = self.positions(&self.middle(), side.inwards(), skip, 1)?;
        let found = found.into_iter().next();
        found.ok_or_else(|| self.too_few_elements())
    }

    /// The middle, or the whole list if there is none.
    fn middle(&self) -> Stretch {
        let mut stretch = self.whole();
        if let Some((low, high)) = self.ends.middle {
            // No bundle crosses the edge of the middle: the edge slot was changed, or was an end, so its row was
            // split there.
            if self.ends.first.position.slot < low {
                stretch.rows.start = self.opened.prefix.element_key(&Position::slot(low));
                stretch.low = low;
            }
            if self.ends.last.position.slot > high {
                let behind = Position::slot(high.wrapping_add(1));
                stretch.rows.end = Some(self.opened.prefix.element_key(&behind));
                stretch.high = high;
            }
        }
        stretch
    }

    /// Removes `count` elements at an end. The caller knows that there are at least that many. Once the last one is
    /// removed, nothing may be added to this [`List`], unless a single element was removed.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub(super) fn remove_at_end(&mut self, side: Side, count: u64) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        if count == self.opened.size && count > REMOVED_AT_ONCE {
            self.opened.size = 0;
            return Ok(());
        }
        if count >= CLEARED_FROM {
            self.clear_rows_at_end(side, count)?;
            self.clip_middle();
            return Ok(());
        }
        if self.has_counts() {
            for position in self.positions(&self.whole(), side.inwards(), 0, count)? {
                self.note_removed(&position);
            }
        }
        self.remove_rows_at_end(side, count)?;
        self.clip_middle();
        Ok(())
    }

    /// Whether the slot may hold no element, or several.
    pub(super) fn is_in_middle(&self, slot: i64) -> bool {
        let middle = self.ends.middle;
        middle.is_some_and(|(low, high)| (low..=high).contains(&slot))
    }

    /// Says that the slot does not hold exactly one element any more.
    pub(super) fn widen_middle(&mut self, slot: i64) {
        let (low, high) = self.ends.middle.unwrap_or((slot, slot));
        self.ends.middle = Some((low.min(slot), high.max(slot)));
    }

    /// Cuts the middle to the extent of the list.
    pub(super) fn clip_middle(&mut self) {
        if let Some((low, high)) = self.ends.middle {
            let low = low.max(self.ends.first.position.slot);
            let high = high.min(self.ends.last.position.slot);
            self.ends.middle = (self.opened.size > 0 && low <= high).then_some((low, high));
        }
    }

    /// Elements were removed, perhaps at the ends: finds out which elements are at the ends now.
    pub(super) fn find_ends(&mut self) -> Result<()> {
        if self.opened.size == 0 {
            return Ok(());
        }
        for side in [Side::Left, Side::Right] {
            let found = self.positions(&self.whole(), side.inwards(), 0, 1)?;
            let found = found.into_iter().next();
            let found = found.ok_or_else(|| self.too_few_elements())?;
            let end = self.end_mut(side);
            if end.position != found {
                let row = EndRow::default();
                *end = End {
                    position: found,
                    row,
                };
            }
        }
        self.clip_middle();
        Ok(())
    }

    /// All elements in this slot, which no bundle holds.
    pub(super) fn of_slot(&self, slot: i64) -> Stretch {
        let rows = KeyRange::between(
            self.opened.prefix.element_key(&Position::slot(slot)),
            self.opened
                .prefix
                .element_key(&Position::slot(slot.wrapping_add(1))),
        );
        let (low, high) = (slot, slot);
        Stretch { rows, low, high }
    }

    pub(super) fn too_few_elements(&self) -> Error {
        let row = self.opened.prefix.element_key(&self.ends.first.position);
        Error::damaged(
            Space::Data,
            &row,
            "the list has fewer elements than its size",
        )
    }
}

/// The number of slots from one to another, or 0 if the second one comes first.
fn distance(from: i64, to: i64) -> u64 {
    if from < to { to.abs_diff(from) } else { 0 }
}

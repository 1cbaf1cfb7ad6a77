//! How elements lie in rows: which row holds an element, what a walk shows, and how a row is cut.
//!
//! ```text
//! slots        -2   -1    0    1    2    3
//! elements      f    e    d    a    b    c
//! rows                   [d]                  pushed alone
//!             [ f    e ]                      pushed together at the left: its key has slot -1
//!                              [a    b    c]  pushed together at the right: its key has slot 1
//! ```
//!
//! Removing an element at an end moves the end and leaves the row as it is, until all elements of the row are
//! removed. So a row at an end may hold some elements that are not in the list any more. [`EndRow::gone`] counts
//! them, and everything here skips them. A push to that end would reuse their slots, so it cuts them off first.

use bytes::Bytes;

use crate::store::{Direction, KeyRange, Space, next_key};
use crate::types::list::{List, Side};
use crate::types::rows::bundle::{Growth, ListRow, is_bundle, one};
use crate::types::rows::{End, EndRow, Ends, Position, RowPrefix};
use crate::types::{Error, Result, Txn};

/// A row that was found, with the slot in its key.
pub(super) struct Held {
    slot: i64,
    key: Vec<u8>,
    value: Bytes,
}

impl Held {
    fn row(&self) -> Result<ListRow<'_>> {
        ListRow::decode(&self.key, self.slot, &self.value)
    }

    /// The element of a slot, sharing the memory of the row.
    fn element(&self, slot: i64) -> Result<Bytes> {
        let place = self.row()?.place(slot);
        let place = place.ok_or_else(|| damaged(&self.key))?;
        Ok(self.value.slice(place))
    }
}

/// A part of a list: a range of rows, and the slots at which the bundles at its two ends are cut off.
pub(super) struct Stretch {
    pub(super) rows: KeyRange,
    pub(super) low: i64,
    pub(super) high: i64,
}

/// Where an element that a walk visits is stored.
pub(super) enum Place<'r> {
    /// It is the only one in the row with this key.
    Row(&'r [u8]),
    /// It is in a bundle, at this slot.
    Slot(i64),
}

impl Stretch {
    /// The whole list with these ends, but none of the tombstones before and after it.
    pub(super) fn whole(prefix: &RowPrefix, ends: &Ends) -> Self {
        let (mut first, mut last) = (ends.first.position.clone(), ends.last.position.clone());
        // The key of a row at an end may have the slot of an element that is gone, so the range begins before those,
        // and ends after them.
        first.slot = first.slot.wrapping_sub(i64::from(ends.first.row.gone));
        last.slot = last.slot.wrapping_add(i64::from(ends.last.row.gone));
        let end = next_key(&prefix.element_key(&last));
        Self {
            rows: KeyRange::between(prefix.element_key(&first), end),
            low: ends.first.position.slot,
            high: ends.last.position.slot,
        }
    }

    /// Passes its elements to `visit` until that returns `false`.
    pub(super) fn each(
        &self,
        txn: &Txn<'_>,
        prefix: &RowPrefix,
        direction: Direction,
        mut visit: impl FnMut(Place<'_>, &[u8]) -> Result<bool>,
    ) -> Result<()> {
        txn.each_row(Space::Data, &self.rows, direction, |key, value| {
            if !is_bundle(value) {
                let row = ListRow::decode(key, 0, value)?;
                return visit(Place::Row(key), row.element(0).unwrap_or_default());
            }
            let row = ListRow::decode(key, prefix.element_position(key)?.slot, value)?;
            let (low, high) = row.slots();
            let mut slots = low.max(self.low)..=high.min(self.high);
            while let Some(slot) = match direction {
                Direction::Forward => slots.next(),
                Direction::Backward => slots.next_back(),
            } {
                let element = row.element(slot).ok_or_else(|| damaged(key))?;
                if !visit(Place::Slot(slot), element)? {
                    return Ok(false);
                }
            }
            Ok(true)
        })
    }
}

impl Place<'_> {
    pub(super) fn position(&self, prefix: &RowPrefix) -> Result<Position> {
        match self {
            Self::Row(key) => prefix.element_position(key),
            Self::Slot(slot) => Ok(Position::slot(*slot)),
        }
    }

    /// Replaces `mark` by the bytes of the position.
    pub(super) fn write_mark(&self, prefix: &RowPrefix, mark: &mut Vec<u8>) {
        mark.clear();
        match self {
            Self::Row(key) => mark.extend_from_slice(prefix.mark_of(key)),
            Self::Slot(slot) => Position::slot(*slot).encode_into(mark),
        }
    }
}

impl List<'_, '_> {
    /// The whole list.
    pub(super) fn whole(&self) -> Stretch {
        Stretch::whole(&self.opened.prefix, &self.ends)
    }

    /// The list from a mark on. A mark is the bytes of a position, or bytes that lie between two positions.
    pub(super) fn stretch_from(&self, mark: &[u8]) -> Result<Stretch> {
        let mut stretch = self.whole();
        let key = self.opened.prefix.score_key_at(mark);
        if key <= stretch.rows.start {
            return Ok(stretch);
        }
        let low = Position::first_slot_from(mark);
        stretch.low = stretch.low.max(low);
        // A scan from here would miss elements only if a bundle with an earlier key holds them.
        let is_here = self.txn.get(Space::Data, &key)?.is_some();
        let before = KeyRange::between(stretch.rows.start, key.clone());
        stretch.rows.start = key;
        if !is_here && let Some(held) = self.neighbour(low, &before, Direction::Backward)? {
            stretch.rows.start = held.key;
        }
        Ok(stretch)
    }

    /// Passes the elements of a stretch to `visit` until that returns `false`.
    pub(super) fn each_element(
        &self,
        stretch: &Stretch,
        direction: Direction,
        visit: impl FnMut(Place<'_>, &[u8]) -> Result<bool>,
    ) -> Result<()> {
        stretch.each(self.txn, &self.opened.prefix, direction, visit)
    }

    fn decode<'v>(&self, key: &[u8], value: &'v [u8]) -> Result<ListRow<'v>> {
        ListRow::decode(key, self.opened.prefix.element_position(key)?.slot, value)
    }

    /// The row that holds the element of a slot; the element must have no path. `guess` is the slot that the row's
    /// key probably has.
    ///
    /// Cost: a point read if the guess is right or the row's key has the slot itself; otherwise up to two more seeks.
    fn holder(&self, slot: i64, guess: i64) -> Result<Held> {
        let alone = (guess != slot).then_some(slot);
        for slot_of_row in std::iter::once(guess).chain(alone) {
            let key = self.opened.prefix.element_key(&Position::slot(slot_of_row));
            if let Some(value) = self.txn.get_again(Space::Data, &key)?
                && ListRow::decode(&key, slot_of_row, &value)?.holds(slot)
            {
                let slot = slot_of_row;
                return Ok(Held { slot, key, value });
            }
        }
        let key = self.opened.prefix.element_key(&Position::slot(slot));
        let KeyRange { start, end } = self.whole().rows;
        let behind = KeyRange {
            start: key.clone(),
            end,
        };
        if let Some(held) = self.neighbour(slot, &behind, Direction::Forward)? {
            return Ok(held);
        }
        let before = KeyRange::between(start, key.clone());
        let held = self.neighbour(slot, &before, Direction::Backward)?;
        held.ok_or_else(|| damaged(&key))
    }

    /// The first row of a range, if it is a bundle that holds a slot.
    fn neighbour(&self, slot: i64, rows: &KeyRange, direction: Direction) -> Result<Option<Held>> {
        let mut found = None;
        self.txn
            .each_row(Space::Data, rows, direction, |key, value| {
                if is_bundle(value) && self.decode(key, value)?.holds(slot) {
                    found = Some(Held {
                        slot: self.opened.prefix.element_position(key)?.slot,
                        key: key.to_vec(),
                        value: Bytes::copy_from_slice(value),
                    });
                }
                Ok(false)
            })?;
        Ok(found)
    }

    /// The element at a position.
    pub(super) fn element_at(&self, position: &Position) -> Result<Bytes> {
        if position.path.is_empty() {
            let slot = position.slot;
            return self.holder(slot, slot)?.element(slot);
        }
        let key = self.opened.prefix.element_key(position);
        let value = self.txn.get(Space::Data, &key)?;
        let value = value.ok_or_else(|| damaged(&key))?;
        let slot = position.slot;
        Held { slot, key, value }.element(slot)
    }

    /// Takes the element at an end out of the list. There must be no middle at that end, so that the next end is the
    /// next slot.
    pub(super) fn take_end(&mut self, side: Side) -> Result<Bytes> {
        let end = self.end(side);
        let (slot, gone) = (end.position.slot, end.row.gone.saturating_add(1));
        let held = self.holder(slot, end.row_slot())?;
        let element = held.element(slot)?;
        let next = slot.wrapping_add(side.step_inwards());
        let stays = self.opened.size > 1 && held.row()?.holds(next);
        self.note_removed(&Position::slot(slot));
        self.opened.size -= 1;
        let is_empty = self.opened.size == 0;
        let end = self.end_mut(side);
        if !is_empty {
            end.position.slot = next;
        }
        if stays {
            end.row = EndRow::of(held.slot, next, gone);
        } else {
            end.row = EndRow::default();
            self.txn.delete(Space::Data, held.key);
        }
        Ok(element)
    }

    /// Writes a new element beyond an end: into the row at that end if this transaction wrote that row, otherwise
    /// into a row of its own.
    pub(super) fn put_beyond(&mut self, side: Side, element: Bytes) -> Result<()> {
        let end = self.end(side);
        let position = Position::slot(end.position.slot.wrapping_sub(side.step_inwards()));
        let row = match end.row.gone {
            0 => self.with_another(side, &element)?,
            _ => {
                self.cut(side)?;
                None
            }
        };
        let (slot, value) = row.unwrap_or_else(|| (position.slot, one(element)));
        let key = self.opened.prefix.element_key(&Position::slot(slot));
        self.txn.put(Space::Data, key, value);
        let end = self.end_mut(side);
        end.row = EndRow::of(slot, position.slot, 0);
        end.position.clone_from(&position);
        self.opened.size += 1;
        self.note_added(&position)
    }

    /// The row at an end with one more element, if this transaction wrote the row and it has room.
    fn with_another(&self, side: Side, element: &[u8]) -> Result<Option<(i64, Bytes)>> {
        let end = self.end(side);
        // In the middle, elements with paths may follow in the slot of the end.
        let is_regular = end.position.path.is_empty() && !self.is_in_middle(end.position.slot);
        if !is_regular || !self.txn.has_changed(Space::Data) {
            return Ok(None);
        }
        let slot = end.row_slot();
        let key = self.opened.prefix.element_key(&Position::slot(slot));
        let Some(value) = self.txn.changed(Space::Data, &key) else {
            return Ok(None);
        };
        let row = ListRow::decode(&key, slot, value)?;
        let (low, high) = row.slots();
        let (outermost, growth) = match side {
            Side::Left => (low, Growth::Leftwards),
            Side::Right => (high, Growth::Rightwards),
        };
        let with = (outermost == end.position.slot)
            .then(|| row.with(growth, element))
            .flatten();
        Ok(with.map(|value| (slot, value)))
    }

    /// The slots of a row that still belong to the list.
    fn live(&self, row: &ListRow<'_>) -> (i64, i64) {
        let (low, high) = row.slots();
        (
            low.max(self.ends.first.position.slot),
            high.min(self.ends.last.position.slot),
        )
    }

    /// Rewrites the row at an end without the elements that are gone.
    fn cut(&mut self, side: Side) -> Result<()> {
        let end = self.end(side);
        let held = self.holder(end.position.slot, end.row_slot())?;
        if self.rewrite(&held, None)? {
            Ok(())
        } else {
            Err(damaged(&held.key))
        }
    }

    /// Rewrites a row without the elements that are gone, and with another element in the slot that `replaced` names.
    /// Returns whether the elements fit into one row.
    fn rewrite(&mut self, held: &Held, replaced: Option<(i64, &[u8])>) -> Result<bool> {
        let row = held.row()?;
        let (low, high) = self.live(&row);
        let Some((slot, value)) = row.part(low, high, replaced) else {
            return Ok(false);
        };
        if slot != held.slot {
            self.txn.delete(Space::Data, held.key.clone());
        }
        let key = self.opened.prefix.element_key(&Position::slot(slot));
        self.txn.put(Space::Data, key, value);
        self.end_rows_are(low, high, |end| EndRow::of(slot, end, 0));
        Ok(true)
    }

    /// Splits the row that holds the element at a position: each of its elements gets a row of its own.
    pub(super) fn unbundle(&mut self, position: &Position) -> Result<()> {
        if !position.path.is_empty() {
            return Ok(());
        }
        let held = self.holder(position.slot, position.slot)?;
        let row = held.row()?;
        if !row.is_bundle() {
            return Ok(());
        }
        let (low, high) = self.live(&row);
        self.txn.delete(Space::Data, held.key.clone());
        for slot in low..=high {
            let key = self.opened.prefix.element_key(&Position::slot(slot));
            self.txn.put(Space::Data, key, one(held.element(slot)?));
        }
        self.end_rows_are(low, high, |_| EndRow::default());
        Ok(())
    }

    /// Removes the first of these elements, and with it the following ones that share its row. Returns how many they
    /// were. What is left of the row stays together.
    pub(super) fn remove_from_row(&mut self, positions: &[Position]) -> Result<usize> {
        let Some(position) = positions.first() else {
            return Ok(0);
        };
        if !position.path.is_empty() {
            self.remove_row(position);
            return Ok(1);
        }
        let held = self.holder(position.slot, position.slot)?;
        let row = held.row()?;
        if !row.is_bundle() {
            self.remove_row(position);
            return Ok(1);
        }
        let (low, high) = self.live(&row);
        let is_here = |other: &&Position| other.path.is_empty() && row.holds(other.slot);
        let here = positions.iter().take_while(is_here);
        let mut slots: Vec<i64> = here.map(|position| position.slot).collect();
        for position in &positions[..slots.len()] {
            self.note_removed(position);
        }
        self.opened.size -= slots.len() as u64;
        self.txn.delete(Space::Data, held.key.clone());
        slots.sort_unstable();
        let removed = slots.len();
        let mut from = low;
        for slot in slots.into_iter().chain([high.wrapping_add(1)]) {
            if from < slot {
                self.put_part(&held, from, slot.wrapping_sub(1))?;
            }
            from = slot.wrapping_add(1);
        }
        Ok(removed)
    }

    /// Writes the elements of a row from one slot to another as a row of its own.
    fn put_part(&mut self, held: &Held, low: i64, high: i64) -> Result<()> {
        let part = held.row()?.part(low, high, None);
        let (slot, value) = part.ok_or_else(|| damaged(&held.key))?;
        let key = self.opened.prefix.element_key(&Position::slot(slot));
        self.txn.put(Space::Data, key, value);
        self.end_rows_are(low, high, |end| EndRow::of(slot, end, 0));
        Ok(())
    }

    /// Replaces the element at a position.
    pub(super) fn replace(&mut self, position: &Position, element: Bytes) -> Result<()> {
        if position.path.is_empty() {
            let slot = position.slot;
            let held = self.holder(slot, slot)?;
            if held.row()?.is_bundle() {
                if self.rewrite(&held, Some((slot, &element)))? {
                    return Ok(());
                }
                self.unbundle(position)?;
            }
        }
        let key = self.opened.prefix.element_key(position);
        self.txn.put(Space::Data, key, one(element));
        Ok(())
    }

    /// Says that the ends that lie between two slots have other rows now.
    fn end_rows_are(&mut self, low: i64, high: i64, row: impl Fn(i64) -> EndRow) {
        for side in [Side::Left, Side::Right] {
            let end = self.end_mut(side);
            if (low..=high).contains(&end.position.slot) {
                end.row = row(end.position.slot);
            }
        }
    }

    /// Moves an end inwards by `count` elements, which may be all of them. Rows that have no elements left are
    /// removed.
    pub(super) fn remove_rows_at_end(&mut self, side: Side, count: u64) -> Result<()> {
        let (mut left, mut end) = (count, None);
        let mut gone = self.end(side).row.gone;
        let mut rows = Vec::new();
        self.txn.each_row(
            Space::Data,
            &self.whole().rows,
            side.inwards(),
            |key, value| {
                let position = self.opened.prefix.element_position(key)?;
                let row = ListRow::decode(key, position.slot, value)?;
                let (low, high) = self.live(&row);
                let here = match row.is_bundle() {
                    true => high.abs_diff(low) + 1,
                    false => 1,
                };
                if left >= here {
                    left -= here;
                    gone = 0;
                    rows.push(key.to_vec());
                    return Ok(true);
                }
                let next = match (row.is_bundle(), side) {
                    (false, _) => position.clone(),
                    (true, Side::Left) => Position::slot(low.wrapping_add_unsigned(left)),
                    (true, Side::Right) => Position::slot(high.wrapping_sub_unsigned(left)),
                };
                // The number is less than one row holds, so it fits.
                let gone = gone.saturating_add(u8::try_from(left).unwrap_or(u8::MAX));
                end = Some((next.clone(), EndRow::of(position.slot, next.slot, gone)));
                Ok(false)
            },
        )?;
        for row in rows {
            self.txn.delete(Space::Data, row);
        }
        self.opened.size -= count;
        if self.opened.size > 0 {
            let (position, row) = end.ok_or_else(|| self.too_few_elements())?;
            *self.end_mut(side) = End { position, row };
        }
        Ok(())
    }

    /// As [`List::remove_rows_at_end`], for many elements of which others are left: their rows are removed as a range.
    ///
    /// Cost: O(1), and a walk if the new end is in the middle.
    pub(super) fn clear_rows_at_end(&mut self, side: Side, count: u64) -> Result<()> {
        let index = match side {
            Side::Left => count,
            Side::Right => self.opened.size - 1 - count,
        };
        let position = self.find_position(index, false)?;
        let (key, row) = if position.path.is_empty() {
            let slot = position.slot;
            let held = self.holder(slot, slot)?;
            let (low, high) = held.row()?.slots();
            let gone = match side {
                Side::Left => slot.abs_diff(low),
                Side::Right => high.abs_diff(slot),
            };
            // A row holds fewer elements than that.
            let gone = u8::try_from(gone).unwrap_or(u8::MAX);
            let row = EndRow::of(held.slot, slot, gone);
            (held.key, row)
        } else {
            let key = self.opened.prefix.element_key(&position);
            (key, EndRow::default())
        };
        let mut rows = self.whole().rows;
        match side {
            Side::Left => rows.end = Some(key),
            Side::Right => rows.start = next_key(&key),
        }
        self.forget_counts();
        self.txn.clear(Space::Data, rows);
        self.opened.size -= count;
        *self.end_mut(side) = End { position, row };
        Ok(())
    }
}

fn damaged(row: &[u8]) -> Error {
    Error::damaged(Space::Data, row, "the list has no element here")
}

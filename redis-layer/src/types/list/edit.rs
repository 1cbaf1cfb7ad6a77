//! Changes in the middle of a list: insertion beside an element, removal by value, trimming.

use bytes::Bytes;

use crate::store::Direction;
use crate::types::Result;
use crate::types::list::{List, Side};
use crate::types::rows::{Lean, Position};

/// How many steps a path may have. If one would be longer, the elements of its slot are spread, see [`List::insert`].
pub(super) const MAX_PATH: usize = 8;

/// Where a new element goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beside {
    /// Before the pivot.
    Before,
    /// After the pivot.
    After,
}

impl List<'_, '_> {
    /// Inserts an element before or after the first one that equals `pivot`. Returns whether there is one.
    ///
    /// Cost: a walk to the pivot, as in Redis. Then O(1), because no element moves, with one exception: if somebody
    /// bisects a gap until a path is longer than `MAX_PATH` (which takes at least some 250 insertions of the worst
    /// kind), the elements of that one slot are spread evenly, so that all of them have paths of one step again.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn insert(&mut self, pivot: &[u8], beside: Beside, element: Bytes) -> Result<bool> {
        let Some((mut low, mut high)) = self.neighbours(pivot, beside)? else {
            return Ok(false);
        };
        if let (Some(low), Some(high)) = (&low, &high) {
            self.unbundle(low)?;
            self.unbundle(high)?;
        }
        loop {
            let (Some(before), Some(behind)) = (&low, &high) else {
                let side = if low.is_none() {
                    Side::Left
                } else {
                    Side::Right
                };
                self.push(side, element)?;
                return Ok(true);
            };
            let lean = match beside {
                Beside::Before => Lean::Low,
                Beside::After => Lean::High,
            };
            let position = Position::between(before, behind, lean);
            if position.path.len() <= MAX_PATH {
                self.widen_middle(position.slot);
                self.add_row(&position, element)?;
                return Ok(true);
            }
            self.spread(before.slot)?;
            let found = self.neighbours(pivot, beside)?;
            (low, high) = found.unwrap_or_default();
        }
    }

    /// The positions between which an element before or after the pivot goes, if the pivot exists.
    fn neighbours(&self, pivot: &[u8], beside: Beside) -> Result<Option<Neighbours>> {
        let (mut before, mut found, mut behind) = (None, None, None);
        self.each_element(&self.whole(), Direction::Forward, |place, element| {
            let position = place.position(&self.opened.prefix)?;
            if found.is_some() {
                behind = Some(position);
                return Ok(false);
            }
            if element == pivot {
                found = Some(position);
                return Ok(beside == Beside::After);
            }
            before = Some(position);
            Ok(true)
        })?;
        Ok(found.map(|found| match beside {
            Beside::Before => (before, Some(found)),
            Beside::After => (Some(found), behind),
        }))
    }

    /// Gives the elements of one slot evenly spread paths of one step.
    fn spread(&mut self, slot: i64) -> Result<()> {
        let mut elements = Vec::new();
        self.each_element(&self.of_slot(slot), Direction::Forward, |place, element| {
            let position = place.position(&self.opened.prefix)?;
            elements.push((position, Bytes::copy_from_slice(element)));
            Ok(true)
        })?;
        let distance = u64::MAX / (elements.len() as u64 + 1);
        // Before any of them moves: one may get the position that another had.
        let [first, last] = [Side::Left, Side::Right].map(|side| {
            let end = &self.end(side).position;
            elements.iter().position(|(position, _)| position == end)
        });
        for (position, _) in &elements {
            self.remove_row(position);
        }
        let mut step = 0;
        for (at, (_, element)) in elements.into_iter().enumerate() {
            step += distance;
            let path = vec![step];
            let new = Position { slot, path };
            for (side, end) in [(Side::Left, first), (Side::Right, last)] {
                if end == Some(at) {
                    self.end_mut(side).position.clone_from(&new);
                }
            }
            self.add_row(&new, element)?;
        }
        self.widen_middle(slot);
        Ok(())
    }

    /// Removes at most `most` elements that equal `element`, beginning at the end `from`. Returns how many were
    /// removed.
    ///
    /// Cost: a walk until `most` are found.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn remove_equal(&mut self, element: &[u8], from: Side, most: u64) -> Result<u64> {
        let mut found = Vec::new();
        self.each_element(&self.whole(), from.inwards(), |place, value| {
            if value == element {
                found.push(place.position(&self.opened.prefix)?);
            }
            Ok((found.len() as u64) < most)
        })?;
        let mut rest = &found[..];
        while !rest.is_empty() {
            let removed = self.remove_from_row(rest)?;
            rest = &rest[removed..];
        }
        for position in &found {
            self.widen_middle(position.slot);
        }
        if !found.is_empty() {
            self.find_ends()?;
        }
        Ok(found.len() as u64)
    }

    /// Keeps only `count` elements, beginning with number `start`.
    ///
    /// Cost: O(1) for each element that is removed. If none is kept, O(1) altogether.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn trim(&mut self, start: u64, count: u64) -> Result<()> {
        let start = start.min(self.opened.size);
        let count = count.min(self.opened.size - start);
        if count == 0 {
            return self.remove_at_end(Side::Left, self.opened.size);
        }
        let behind = self.opened.size - start - count;
        self.remove_at_end(Side::Left, start)?;
        self.remove_at_end(Side::Right, behind)
    }
}

/// The positions before and after a place, where there are elements.
type Neighbours = (Option<Position>, Option<Position>);

//! Lists: elements under positions that sort in the order of the list, in rows that hold one or several.
//!
//! The metadata row knows the positions of the first and the last element. A push takes the next slot at its end, and
//! a pop reads the row at its end, so both take O(1). No scan begins before the first element, so the tombstones that
//! a queue leaves are outside of every scan. Elements that one transaction pushes at one end share rows
//! (`list/held.rs`). Between two neighbours there is always a free [`Position`], so an insertion moves nothing.
//! `docs/lists.md` explains the design with figures.
//!
//! Invariants, which [`check`](crate::types::check()) walks
//! 1. The size in the metadata row is the number of elements in the rows, not counting those that are gone at the
//!    ends. It is never 0: an empty list does not exist as a key.
//! 2. `first` and `last` are the positions of elements, and all other elements are between them.
//! 3. Outside of `middle` every slot holds exactly one element, without a path. So the n-th element is found by
//!    arithmetic there, and by counting only within the middle.
//! 4. No position is in two rows, not even one whose element is gone. A slot with a path is in no bundle.

mod counted;
mod edit;
mod held;
mod middle;

pub use edit::Beside;

use bytes::Bytes;

use crate::store::{Direction, Space};
use crate::types::opened::Opened;
use crate::types::packed::Strings;
use crate::types::rows::bundle::one;
use crate::types::rows::{End, Ends, Position, RowPrefix};
use crate::types::{Content, Error, Metadata, Result, Txn};
use held::Stretch;

/// The answer to a range is allocated for at most this many elements at first.
const ELEMENTS_RESERVED: u64 = 128;
const ELEMENT_BYTES: usize = 16;

/// An end of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Where the first element is.
    Left,
    /// Where the last element is.
    Right,
}

impl Side {
    /// The direction from this end through the list.
    const fn inwards(self) -> Direction {
        match self {
            Self::Left => Direction::Forward,
            Self::Right => Direction::Backward,
        }
    }

    /// What to add to the slot at this end to get the next slot inwards.
    const fn step_inwards(self) -> i64 {
        match self {
            Self::Left => 1,
            Self::Right => -1,
        }
    }
}

/// Passes the elements of a stored list to `visit`, in order. For callers that ask about the key without using it.
///
/// # Errors
/// A damaged row; those of the store.
pub fn each_stored(
    txn: &Txn<'_>,
    prefix: &RowPrefix,
    ends: &Ends,
    mut visit: impl FnMut(&[u8]),
) -> Result<()> {
    let whole = Stretch::whole(prefix, ends);
    whole.each(txn, prefix, Direction::Forward, |_, element| {
        visit(element);
        Ok(true)
    })
}

/// One list inside a command. Changes take effect only after [`List::finish`].
pub struct List<'t, 's> {
    txn: &'t mut Txn<'s>,
    key: &'t [u8],
    opened: Opened,
    ends: Ends,
}

impl<'t, 's> List<'t, 's> {
    /// The list under a key, or `None` if the key does not exist.
    ///
    /// # Errors
    /// [`Error::WrongType`]; a damaged row; those of the store.
    pub fn open(txn: &'t mut Txn<'s>, key: &'t [u8]) -> Result<Option<Self>> {
        let metadata = txn.lookup(key)?;
        metadata
            .map(|metadata| Self::stored(txn, key, metadata))
            .transpose()
    }

    /// The list under a key, or an empty one if the key does not exist. The key comes into being with its first
    /// element.
    ///
    /// # Errors
    /// [`Error::WrongType`]; a damaged row; those of the store.
    pub fn open_or_create(txn: &'t mut Txn<'s>, key: &'t [u8]) -> Result<Self> {
        match txn.lookup(key)? {
            Some(metadata) => Self::stored(txn, key, metadata),
            None => Self::create(txn, key),
        }
    }

    /// An empty list that replaces whatever the key holds.
    ///
    /// # Errors
    /// Those of the store.
    pub fn create(txn: &'t mut Txn<'s>, key: &'t [u8]) -> Result<Self> {
        let opened = Opened::empty(txn, key)?;
        Ok(Self {
            txn,
            key,
            opened,
            ends: Ends::regular(0, 0),
        })
    }

    fn stored(txn: &'t mut Txn<'s>, key: &'t [u8], metadata: Metadata) -> Result<Self> {
        let Content::List(collection, ends) = metadata.content else {
            return Err(Error::WrongType);
        };
        let opened = Opened::of(txn, key, collection, metadata.expires_ms, metadata.home);
        Ok(Self {
            txn,
            key,
            opened,
            ends,
        })
    }

    /// How many elements there are. O(1).
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.opened.size
    }

    /// Whether there are no elements.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.opened.is_empty()
    }

    /// Adds an element at an end. O(1).
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn push(&mut self, side: Side, element: Bytes) -> Result<()> {
        if self.opened.size > 0 {
            return self.put_beyond(side, element);
        }
        self.ends = Ends::regular(self.ends.first.position.slot, 1);
        let position = self.ends.first.position.clone();
        self.add_row(&position, element)
    }

    /// Writes the row of a new element.
    fn add_row(&mut self, position: &Position, element: Bytes) -> Result<()> {
        self.opened.size += 1;
        let row = self.opened.prefix.element_key(position);
        self.txn.put(Space::Data, row, one(element));
        self.note_added(position)
    }

    /// Removes the row of an element that has a row of its own.
    fn remove_row(&mut self, position: &Position) {
        self.opened.size -= 1;
        self.note_removed(position);
        let row = self.opened.prefix.element_key(position);
        self.txn.delete(Space::Data, row);
    }

    /// Removes and returns at most `count` elements at an end, the outermost first.
    ///
    /// Cost: O(1) for each of them.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn pop(&mut self, side: Side, count: u64) -> Result<Vec<Bytes>> {
        let count = count.min(self.opened.size);
        let popped = match count {
            0 => return Ok(Vec::new()),
            1 if self.ends.middle.is_none() => return Ok(vec![self.take_end(side)?]),
            1 => vec![self.element_at(&self.end(side).position)?],
            _ => {
                let elements = self.elements(&self.whole(), side.inwards(), count)?;
                elements.into_parts()
            }
        };
        self.remove_at_end(side, count)?;
        Ok(popped)
    }

    /// The element with this number.
    ///
    /// Cost: see [`List::position_of`], and one point read; up to two seeks more if the element shares a row.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn get(&self, index: u64) -> Result<Option<Bytes>> {
        if index >= self.opened.size {
            return Ok(None);
        }
        let position = self.position_of(index)?;
        self.element_at(&position).map(Some)
    }

    /// Replaces the element with this number. Returns whether there is one.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn set(&mut self, index: u64, element: Bytes) -> Result<bool> {
        if index >= self.opened.size {
            return Ok(false);
        }
        let position = self.position_of(index)?;
        self.replace(&position, element)?;
        Ok(true)
    }

    /// The elements from a number on, at most `count`.
    ///
    /// Cost: see [`List::position_of`], one seek, and a step for each of them.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn range(&self, start: u64, count: u64) -> Result<Strings> {
        if start >= self.opened.size || count == 0 {
            return Ok(Strings::default());
        }
        let stretch = match start {
            0 => self.whole(),
            _ => {
                let mut mark = Vec::new();
                self.position_of(start)?.encode_into(&mut mark);
                self.stretch_from(&mark)?
            }
        };
        self.elements(
            &stretch,
            Direction::Forward,
            count.min(self.opened.size - start),
        )
    }

    /// Passes elements to `visit`, from one end to the other, until that returns `false`.
    ///
    /// # Errors
    /// Those of the store.
    pub fn walk(&self, from: Side, mut visit: impl FnMut(&[u8]) -> bool) -> Result<()> {
        self.each_element(&self.whole(), from.inwards(), |_, element| {
            Ok(visit(element))
        })
    }

    /// Writes size and ends, or removes the key if no element is left. Returns the transaction.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn finish(self) -> Result<&'t mut Txn<'s>> {
        if self.is_empty() {
            self.txn.remove_key(self.key)?;
            return Ok(self.txn);
        }
        let ends = self.ends;
        let metadata = self
            .opened
            .metadata(|collection| Content::List(collection, ends));
        self.txn.set_metadata(self.key, &metadata);
        Ok(self.txn)
    }

    const fn end(&self, side: Side) -> &End {
        match side {
            Side::Left => &self.ends.first,
            Side::Right => &self.ends.last,
        }
    }

    const fn end_mut(&mut self, side: Side) -> &mut End {
        match side {
            Side::Left => &mut self.ends.first,
            Side::Right => &mut self.ends.last,
        }
    }

    /// The first elements of a stretch.
    fn elements(&self, stretch: &Stretch, direction: Direction, count: u64) -> Result<Strings> {
        let most =
            usize::try_from(count.min(self.opened.size).min(ELEMENTS_RESERVED)).unwrap_or_default();
        let mut elements = Strings::with_capacity(most, ELEMENT_BYTES);
        self.each_element(stretch, direction, |_, element| {
            elements.push(element);
            Ok((elements.len() as u64) < count)
        })?;
        Ok(elements)
    }

    /// The positions of some elements.
    fn positions(
        &self,
        stretch: &Stretch,
        direction: Direction,
        skip: u64,
        count: u64,
    ) -> Result<Vec<Position>> {
        let (mut positions, mut skipped) = (Vec::new(), 0);
        self.each_element(stretch, direction, |place, _| {
            if skipped < skip {
                skipped += 1;
            } else {
                positions.push(place.position(&self.opened.prefix)?);
            }
            Ok((positions.len() as u64) < count)
        })?;
        Ok(positions)
    }
}

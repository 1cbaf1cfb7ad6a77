//! Lists: one row for each element, under a position that sorts as the elements do.
//!
//! The metadata row knows the positions of the first and of the last element. A push takes the next slot at its end,
//! a pop reads the row at its end, so both take O(1), and no scan begins before the first element: the tombstones of a
//! queue lie outside. Between two neighbours there is always a free [`Position`], so an insertion moves nothing.
//! `docs/lists.md` tells the design with its figures.
//!
//! Invariants, which [`check`](crate::types::check) walks
//! 1. The size in the metadata row is the number of rows. It is never 0: an empty list is no key.
//! 2. `first` and `last` are the positions of rows, and all others lie between.
//! 3. Outside of `middle` every slot holds exactly one element, without a path. So the n-th element is found by
//!    arithmetic there, and by counting only within the middle.

mod counted;
mod edit;
mod middle;

pub use edit::Beside;

use bytes::Bytes;

use crate::store::{Direction, KeyRange, Space, next_key};
use crate::types::packed::Strings;
use crate::types::rows::{Collection, Ends, Position, RowPrefix};
use crate::types::{Content, Error, Metadata, Result, Txn};

/// A range gets room for so many elements at once, each of about so many bytes.
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
    /// The way from this end through the list.
    const fn inwards(self) -> Direction {
        match self {
            Self::Left => Direction::Forward,
            Self::Right => Direction::Backward,
        }
    }
}

/// One list inside a command. Changes count only after [`List::finish`].
pub struct List<'t, 's> {
    txn: &'t mut Txn<'s>,
    key: &'t [u8],
    expires_ms: Option<i64>,
    version: u64,
    size: u64,
    ends: Ends,
    prefix: RowPrefix,
}

impl<'t, 's> List<'t, 's> {
    /// The list under a key, if the key exists.
    ///
    /// # Errors
    /// [`Error::WrongType`]; a damaged row; those of the store.
    pub fn open(txn: &'t mut Txn<'s>, key: &'t [u8]) -> Result<Option<Self>> {
        let metadata = txn.lookup(key)?;
        metadata
            .map(|metadata| Self::stored(txn, key, metadata))
            .transpose()
    }

    /// The list under a key, or an empty one if the key does not exist. It is a key once it has an element.
    ///
    /// # Errors
    /// [`Error::WrongType`]; a damaged row; those of the store.
    pub fn open_or_create(txn: &'t mut Txn<'s>, key: &'t [u8]) -> Result<Self> {
        match txn.lookup(key)? {
            Some(metadata) => Self::stored(txn, key, metadata),
            None => Self::create(txn, key),
        }
    }

    /// An empty list, whatever the key holds now.
    ///
    /// # Errors
    /// Those of the store.
    pub fn create(txn: &'t mut Txn<'s>, key: &'t [u8]) -> Result<Self> {
        let version = txn.new_version()?;
        let content = Content::List(Collection { version, size: 0 }, Ends::regular(0, 0));
        let metadata = Metadata {
            expires_ms: None,
            content,
        };
        Self::stored(txn, key, metadata)
    }

    fn stored(txn: &'t mut Txn<'s>, key: &'t [u8], metadata: Metadata) -> Result<Self> {
        let Content::List(Collection { version, size }, ends) = metadata.content else {
            return Err(Error::WrongType);
        };
        let prefix = RowPrefix::new(txn.db(), key, version);
        Ok(Self {
            txn,
            key,
            expires_ms: metadata.expires_ms,
            version,
            size,
            ends,
            prefix,
        })
    }

    /// How many elements there are. O(1).
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.size
    }

    /// Whether there is no element.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// Adds an element at an end. O(1).
    ///
    /// # Errors
    /// Those of the store.
    pub fn push(&mut self, side: Side, element: Bytes) -> Result<()> {
        let position = match side {
            _ if self.size == 0 => {
                self.ends = Ends::regular(self.ends.first.slot, 1);
                self.ends.first.clone()
            }
            Side::Left => Position::slot(self.ends.first.slot.wrapping_sub(1)),
            Side::Right => Position::slot(self.ends.last.slot.wrapping_add(1)),
        };
        match side {
            Side::Left => self.ends.first.clone_from(&position),
            Side::Right => self.ends.last.clone_from(&position),
        }
        self.add_row(&position, element)
    }

    /// Writes the row of a new element.
    fn add_row(&mut self, position: &Position, element: Bytes) -> Result<()> {
        self.size += 1;
        let row = self.prefix.element_key(position);
        if self.txn.rank_indexes().is_empty() {
            self.txn.put(Space::Data, row, element);
            return Ok(());
        }
        self.txn.put(Space::Data, row.clone(), element);
        self.note_added(&row)
    }

    /// Removes the row of an element.
    fn remove_row(&mut self, position: &Position) {
        self.size -= 1;
        let row = self.prefix.element_key(position);
        self.note_removed(&row);
        self.txn.delete(Space::Data, row);
    }

    /// Removes and returns elements at an end, that end's first, at most `count`.
    ///
    /// Cost: O(1) for each of them.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn pop(&mut self, side: Side, count: u64) -> Result<Vec<Bytes>> {
        let count = count.min(self.size);
        let popped = match count {
            0 => return Ok(Vec::new()),
            1 if self.ends.middle.is_none() => return Ok(vec![self.pop_one(side)?]),
            1 => vec![self.element_at(match side {
                Side::Left => &self.ends.first,
                Side::Right => &self.ends.last,
            })?],
            _ => {
                let elements = self.elements(&self.rows(), side.inwards(), count)?;
                elements.into_parts()
            }
        };
        self.remove_at_end(side, count)?;
        Ok(popped)
    }

    /// Removes and returns the element at an end of a list without a middle: the next end is the next slot.
    fn pop_one(&mut self, side: Side) -> Result<Bytes> {
        let (end, inwards) = match side {
            Side::Left => (&mut self.ends.first, 1),
            Side::Right => (&mut self.ends.last, -1),
        };
        let row = self.prefix.element_key(end);
        self.size -= 1;
        if self.size > 0 {
            end.slot = end.slot.wrapping_add(inwards);
        }
        let element = self.element_in(&row)?;
        self.note_removed(&row);
        self.txn.delete(Space::Data, row);
        Ok(element)
    }

    /// The element with this number.
    ///
    /// Cost: see [`List::position_of`], and one point read.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn get(&self, index: u64) -> Result<Option<Bytes>> {
        if index >= self.size {
            return Ok(None);
        }
        let position = self.position_of(index)?;
        self.element_at(&position).map(Some)
    }

    /// Puts another element in the place of the one with this number. Answers whether there is one.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn set(&mut self, index: u64, element: Bytes) -> Result<bool> {
        if index >= self.size {
            return Ok(false);
        }
        let position = self.position_of(index)?;
        let row = self.prefix.element_key(&position);
        self.txn.put(Space::Data, row, element);
        Ok(true)
    }

    /// The elements from a number on, at most `count`.
    ///
    /// Cost: see [`List::position_of`], one seek, and a step for each of them.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn range(&self, start: u64, count: u64) -> Result<Strings> {
        if start >= self.size || count == 0 {
            return Ok(Strings::default());
        }
        let mut rows = self.rows();
        if start > 0 {
            rows.start = self.prefix.element_key(&self.position_of(start)?);
        }
        self.elements(&rows, Direction::Forward, count.min(self.size - start))
    }

    /// Shows elements to `visit`, from one end to the other, until it answers `false`.
    ///
    /// # Errors
    /// Those of the store.
    pub fn walk(&self, from: Side, mut visit: impl FnMut(&[u8]) -> bool) -> Result<()> {
        let rows = self.rows();
        let inwards = from.inwards();
        self.txn
            .each_row(Space::Data, &rows, inwards, |_, element| Ok(visit(element)))
    }

    /// Writes size and ends, or removes the key if no element is left. Gives back the transaction.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub fn finish(self) -> Result<&'t mut Txn<'s>> {
        if self.size == 0 {
            self.txn.remove_key(self.key)?;
            return Ok(self.txn);
        }
        let collection = Collection {
            version: self.version,
            size: self.size,
        };
        let metadata = Metadata {
            expires_ms: self.expires_ms,
            content: Content::List(collection, self.ends),
        };
        self.txn.set_metadata(self.key, &metadata);
        Ok(self.txn)
    }

    /// All rows of the list, and no tombstone in front of them or behind.
    fn rows(&self) -> KeyRange {
        KeyRange::between(
            self.prefix.element_key(&self.ends.first),
            next_key(&self.prefix.element_key(&self.ends.last)),
        )
    }

    fn element_at(&self, position: &Position) -> Result<Bytes> {
        self.element_in(&self.prefix.element_key(position))
    }

    fn element_in(&self, row: &[u8]) -> Result<Bytes> {
        let element = self.txn.get(Space::Data, row)?;
        element.ok_or_else(|| Error::damaged(Space::Data, row, "the list has no element here"))
    }

    /// The first elements of some rows.
    fn elements(&self, rows: &KeyRange, direction: Direction, count: u64) -> Result<Strings> {
        let most = usize::try_from(count.min(self.size).min(ELEMENTS_RESERVED)).unwrap_or_default();
        let mut elements = Strings::with_capacity(most, ELEMENT_BYTES);
        self.txn
            .each_row(Space::Data, rows, direction, |_, element| {
                elements.push(element);
                Ok((elements.len() as u64) < count)
            })?;
        Ok(elements)
    }

    /// The positions of some rows.
    fn positions(
        &self,
        rows: &KeyRange,
        direction: Direction,
        skip: u64,
        count: u64,
    ) -> Result<Vec<Position>> {
        let mut positions = Vec::new();
        let mut cursor = self.txn.scan(Space::Data, rows, direction)?;
        let mut skipped = 0;
        while let Some((row, _)) = cursor.row() {
            if skipped < skip {
                skipped += 1;
            } else if (positions.len() as u64) < count {
                positions.push(self.prefix.element_position(row)?);
            } else {
                break;
            }
            cursor.advance()?;
        }
        Ok(positions)
    }
}

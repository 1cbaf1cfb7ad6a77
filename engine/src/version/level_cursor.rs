//! A cursor over a sorted level: goes through the tables one after another, and opens each when it gets there.

use std::cmp::Ordering;

use crate::comparator::Comparator;
use crate::cursor::{Direction, InternalCursor};
use crate::error::{Error, Result};
use crate::internal_key;
use crate::sstable::TableCursor;
use crate::version::{TableFile, Tables};

/// A cursor over tables that are sorted and do not overlap.
///
/// Invariant: if there is a `cursor`, it is over `tables[at]`, and this cursor is wherever that one is.
#[derive(Debug)]
pub struct LevelCursor {
    comparator: Comparator,
    tables: Tables,
    at: usize,
    cursor: Option<TableCursor>,
    through_all: bool,
}

impl LevelCursor {
    /// A cursor over the tables of a level deeper than 0.
    #[must_use]
    pub const fn new(comparator: Comparator, tables: Tables) -> Self {
        Self {
            comparator,
            tables,
            at: 0,
            cursor: None,
            through_all: false,
        }
    }

    /// This cursor will go through the whole level, like [`TableCursor::through_all`].
    #[must_use]
    pub fn through_all(mut self) -> Self {
        self.through_all = true;
        self
    }

    /// Opens a cursor over `tables[at]`, or keeps the one that is open; `None` beyond either end.
    fn open(&mut self, at: Option<usize>) -> Result<Option<&mut TableCursor>> {
        let Some(at) = at.filter(|at| *at < self.tables.len()) else {
            self.cursor = None;
            return Ok(None);
        };
        if self.cursor.is_none() || self.at != at {
            self.cursor = None;
            let cursor = self.tables[at].table()?.cursor();
            self.cursor = Some(if self.through_all {
                cursor.through_all()
            } else {
                cursor
            });
            self.at = at;
        }
        Ok(self.cursor.as_mut())
    }

    /// The first step of a seek, like [`TableCursor::approach`].
    ///
    /// # Errors
    /// `Io` or `Corruption` from the table, or from opening it.
    pub fn approach(&mut self, target: &[u8], direction: Direction) -> Result<()> {
        let comparator = &self.comparator;
        let at = match direction {
            // The first table that does not end before the target holds the answer, unless its end
            // comes from a range tombstone.
            Direction::Forward => Some(self.tables.partition_point(|table| {
                internal_key::compare(comparator, &table.largest, target) == Ordering::Less
            })),
            // The last table that does not begin after the target, unless it begins with a range tombstone.
            Direction::Backward => {
                let after = self.tables.partition_point(|table| {
                    internal_key::compare(comparator, &table.smallest, target) != Ordering::Greater
                });
                after.checked_sub(1)
            }
        };
        match self.open(at)? {
            Some(cursor) => cursor.approach(target),
            None => Ok(()),
        }
    }

    /// The second step, like [`TableCursor::narrow`].
    ///
    /// # Errors
    /// `Io` or `Corruption` from the table.
    pub fn narrow(&mut self, target: &[u8], direction: Direction) -> Result<()> {
        match &mut self.cursor {
            Some(cursor) => cursor.narrow(target, direction),
            None => Ok(()),
        }
    }

    /// The last step, like [`TableCursor::arrive`].
    ///
    /// # Errors
    /// As for [`approach`](Self::approach).
    pub fn arrive(&mut self, target: &[u8], direction: Direction) -> Result<()> {
        if let Some(cursor) = &mut self.cursor {
            cursor.arrive(target, direction)?;
        }
        match direction {
            Direction::Forward => self.skip_forward(),
            Direction::Backward => self.skip_backward(),
        }
    }

    fn seek_towards(&mut self, target: &[u8], direction: Direction) -> Result<()> {
        self.approach(target, direction)?;
        self.narrow(target, direction)?;
        self.arrive(target, direction)
    }

    /// The current table.
    ///
    /// # Panics
    /// If the cursor is nowhere.
    #[must_use]
    pub fn table(&self) -> &TableFile {
        &self.tables[self.at]
    }

    /// The cursor over the current table, for moves that stay within the table.
    ///
    /// # Panics
    /// If the cursor is nowhere.
    #[inline]
    pub fn in_table(&mut self) -> &mut TableCursor {
        self.cursor.as_mut().expect("the cursor is on an entry")
    }

    #[inline]
    fn here(&self) -> &TableCursor {
        self.cursor.as_ref().expect("the cursor is on an entry")
    }

    /// Moves to the next table that has entries, if this one is used up or has only range tombstones.
    #[inline]
    fn skip_forward(&mut self) -> Result<()> {
        if self.ended() {
            return self.go_forward();
        }
        Ok(())
    }

    #[cold]
    fn go_forward(&mut self) -> Result<()> {
        while self.ended() {
            if let Some(cursor) = self.open(self.at.checked_add(1))? {
                cursor.seek_to_first()?;
            }
        }
        Ok(())
    }

    /// Moves back to the previous table that has entries, if this one is used up.
    #[inline]
    fn skip_backward(&mut self) -> Result<()> {
        if self.ended() {
            return self.go_backward();
        }
        Ok(())
    }

    #[cold]
    fn go_backward(&mut self) -> Result<()> {
        while self.ended() {
            if let Some(cursor) = self.open(self.at.checked_sub(1))? {
                cursor.seek_to_last()?;
            }
        }
        Ok(())
    }

    #[inline]
    fn ended(&self) -> bool {
        self.cursor.as_ref().is_some_and(|cursor| !cursor.valid())
    }
}

impl InternalCursor for LevelCursor {
    #[inline]
    fn valid(&self) -> bool {
        self.cursor.as_ref().is_some_and(InternalCursor::valid)
    }

    #[inline]
    fn key(&self) -> &[u8] {
        self.here().key()
    }

    #[inline]
    fn value(&self) -> &[u8] {
        self.here().value()
    }

    fn corruption(&self, what: String) -> Error {
        self.here().corruption(what)
    }

    fn seek_to_first(&mut self) -> Result<()> {
        if let Some(cursor) = self.open(Some(0))? {
            cursor.seek_to_first()?;
        }
        self.skip_forward()
    }

    fn seek_to_last(&mut self) -> Result<()> {
        if let Some(cursor) = self.open(self.tables.len().checked_sub(1))? {
            cursor.seek_to_last()?;
        }
        self.skip_backward()
    }

    fn seek(&mut self, target: &[u8]) -> Result<()> {
        self.seek_towards(target, Direction::Forward)
    }

    fn seek_for_prev(&mut self, target: &[u8]) -> Result<()> {
        self.seek_towards(target, Direction::Backward)
    }

    #[inline]
    fn next(&mut self) -> Result<()> {
        self.in_table().next()?;
        self.skip_forward()
    }

    #[inline]
    fn prev(&mut self) -> Result<()> {
        self.in_table().prev()?;
        self.skip_backward()
    }
}

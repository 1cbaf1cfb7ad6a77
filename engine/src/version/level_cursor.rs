//! A cursor over a sorted level: the tables one after another, opened when it comes to them.

use std::cmp::Ordering;

use crate::comparator::Comparator;
use crate::cursor::InternalCursor;
use crate::error::Result;
use crate::internal_key;
use crate::sstable::TableCursor;
use crate::version::Tables;

/// A cursor over tables that are sorted and do not overlap.
///
/// Invariant: if `cursor` is there, it is over `tables[at]`; and if it stands nowhere, so does this.
#[derive(Debug)]
pub struct LevelCursor {
    comparator: Comparator,
    tables: Tables,
    at: usize,
    cursor: Option<TableCursor>,
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
        }
    }

    /// Opens a cursor over `tables[at]`, or keeps the one that is open; `None` beyond either end.
    fn open(&mut self, at: Option<usize>) -> Result<Option<&mut TableCursor>> {
        let Some(at) = at.filter(|at| *at < self.tables.len()) else {
            self.cursor = None;
            return Ok(None);
        };
        if self.cursor.is_none() || self.at != at {
            self.cursor = None;
            self.cursor = Some(self.tables[at].table()?.cursor());
            self.at = at;
        }
        Ok(self.cursor.as_mut())
    }

    fn here(&self) -> &TableCursor {
        self.cursor.as_ref().expect("the cursor stands on an entry")
    }

    /// The table after the one that ended.
    fn enter_next(&mut self) -> Result<()> {
        let next = self.at.checked_add(1);
        match self.open(next)? {
            Some(cursor) => cursor.seek_to_first(),
            None => Ok(()),
        }
    }

    /// The table before the one that ended.
    fn enter_previous(&mut self) -> Result<()> {
        let previous = self.at.checked_sub(1);
        match self.open(previous)? {
            Some(cursor) => cursor.seek_to_last(),
            None => Ok(()),
        }
    }

    fn ended(&self) -> bool {
        self.cursor.as_ref().is_some_and(|cursor| !cursor.valid())
    }
}

impl InternalCursor for LevelCursor {
    fn valid(&self) -> bool {
        self.cursor.as_ref().is_some_and(InternalCursor::valid)
    }

    fn key(&self) -> &[u8] {
        self.here().key()
    }

    fn value(&self) -> &[u8] {
        self.here().value()
    }

    fn seek_to_first(&mut self) -> Result<()> {
        match self.open(Some(0))? {
            Some(cursor) => cursor.seek_to_first(),
            None => Ok(()),
        }
    }

    fn seek_to_last(&mut self) -> Result<()> {
        match self.open(self.tables.len().checked_sub(1))? {
            Some(cursor) => cursor.seek_to_last(),
            None => Ok(()),
        }
    }

    fn seek(&mut self, target: &[u8]) -> Result<()> {
        // The first table whose last entry is not before the target holds the answer.
        let at = self.tables.partition_point(|table| {
            internal_key::compare(&self.comparator, &table.largest, target) == Ordering::Less
        });
        match self.open(Some(at))? {
            Some(cursor) => cursor.seek(target),
            None => Ok(()),
        }
    }

    fn seek_for_prev(&mut self, target: &[u8]) -> Result<()> {
        // The last table whose first entry is not after the target.
        let after = self.tables.partition_point(|table| {
            internal_key::compare(&self.comparator, &table.smallest, target) != Ordering::Greater
        });
        match self.open(after.checked_sub(1))? {
            Some(cursor) => cursor.seek_for_prev(target),
            None => Ok(()),
        }
    }

    fn next(&mut self) -> Result<()> {
        self.cursor
            .as_mut()
            .expect("the cursor stands on an entry")
            .next()?;
        if self.ended() {
            self.enter_next()
        } else {
            Ok(())
        }
    }

    fn prev(&mut self) -> Result<()> {
        self.cursor
            .as_mut()
            .expect("the cursor stands on an entry")
            .prev()?;
        if self.ended() {
            self.enter_previous()
        } else {
            Ok(())
        }
    }
}

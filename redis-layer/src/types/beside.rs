//! Walks over collections side by side: which rows of one do the others have?
//!
//! The rows of all sets are in the order of the hashes of their members, and the data rows of all sorted sets are in
//! that of their members. So whoever walks over one of them asks the others for rows in their own order, and a step of
//! a walk is several times cheaper than a point read.

use std::cmp::Ordering;

use bytes::Bytes;

use crate::store::{Cursor, Direction, Space};
use crate::types::rows::RowPrefix;
use crate::types::{Result, Txn};

/// About how many steps of a walk cost as much as a point read.
const STEPS_A_READ: u64 = 8;

/// A collection that is asked for rows, in their order.
pub(crate) struct Beside<'t> {
    prefix: RowPrefix,
    /// `None` if a point read for each row is cheaper.
    cursor: Option<Box<dyn Cursor + 't>>,
    /// What was read last.
    read: Option<Bytes>,
}

impl<'t> Beside<'t> {
    /// A collection of `size` rows that is about to be asked for `times` rows.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn open(
        txn: &'t Txn<'_>,
        prefix: &RowPrefix,
        size: u64,
        times: u64,
    ) -> Result<Self> {
        let walks = size <= times.saturating_mul(STEPS_A_READ);
        let rows = prefix.rows();
        let scan = || txn.scan(Space::Data, &rows, Direction::Forward);
        Ok(Self {
            prefix: prefix.clone(),
            cursor: walks.then(scan).transpose()?,
            read: None,
        })
    }

    /// The value of the row at a mark: see [`RowPrefix::mark_of`]. No mark may come before the one asked for last.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn find(&mut self, txn: &Txn<'_>, mark: &[u8]) -> Result<Option<&[u8]>> {
        let Some(cursor) = &mut self.cursor else {
            let row = self.prefix.data_key(mark);
            self.read = txn.get(Space::Data, &row)?;
            return Ok(self.read.as_deref());
        };
        let order = loop {
            let order = match cursor.row() {
                Some((row, _)) => self.prefix.mark_of(row).cmp(mark),
                None => Ordering::Greater,
            };
            if order.is_ge() {
                break order;
            }
            cursor.advance()?;
        };
        let found = cursor.row().filter(|_| order.is_eq());
        Ok(found.map(|(_, value)| value))
    }
}

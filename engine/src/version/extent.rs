//! About how many bytes of a version's tables lie before a key. The size of a range is the difference of two such sums, so the
//! sizes of ranges that lie side by side add up to the size of all tables.
//!
//! Only indexes are read. A data block lies before a key if all that it holds does, so it counts for the range that its last key
//! is in. The filter and the index of a table count for the range that its last key is in.

use std::cmp::Ordering;

use crate::comparator::Comparator;
use crate::error::Result;
use crate::internal_key;
use crate::version::{TableFile, Version};

impl Version {
    /// The bytes of all tables.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.tables().map(|(_, table)| table.bytes).sum()
    }

    /// About how many bytes lie before an internal key.
    ///
    /// Cost: two comparisons for each table, and a search in the index of each that begins before the key and ends after it.
    ///
    /// # Errors
    /// `Io` or `Corruption` if such a table cannot be opened.
    pub fn bytes_before(&self, comparator: &Comparator, key: &[u8]) -> Result<u64> {
        let tables = self.tables();
        tables
            .map(|(_, table)| table.bytes_before(comparator, key))
            .sum()
    }
}

impl TableFile {
    fn bytes_before(&self, comparator: &Comparator, key: &[u8]) -> Result<u64> {
        let is_after = |limit| internal_key::compare(comparator, key, limit) == Ordering::Greater;
        if !is_after(&self.smallest) {
            return Ok(0);
        }
        if is_after(&self.largest) {
            return Ok(self.bytes);
        }
        let offset = self.table()?.offset_of(key)?;
        Ok(offset.unwrap_or(self.bytes))
    }
}

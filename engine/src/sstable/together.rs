//! Finds several keys at once, so that their look-ups need not wait for memory one after another.
//!
//! A look-up in a large table waits three times, for a line of the filter, the end of a data block and an entry in it, and
//! each address comes out of what was read before. One key can do nothing about that. But the waits of
//! *different* keys overlap, if the processor meets them close together: so this takes one step for all keys, then
//! the next. At the end of each step it asks for the memory that the next one reads.
//!
//! The steps are those of [`Table::get`]. So there is one truth about what a table holds of a key.

use super::table::{Interval, Table, TableEntry};
use crate::bloom::KeyHash;
use crate::error::Result;
use crate::internal_key;
use std::array;

/// So many keys at once: more than a processor has loads under way, few enough to be in the cache still when the next step
/// reaches them.
pub const TOGETHER_MAX: usize = 32;

/// One of several keys that are looked up together.
#[derive(Debug)]
pub struct Asked<'k> {
    /// The user key, and what the reader sees of it: as for [`Table::get`].
    pub seek_key: &'k [u8],
    /// The user key's.
    pub hash: KeyHash,
    /// The answer, once there is one.
    pub found: Option<TableEntry>,
}

impl<'k> Asked<'k> {
    /// The key that is looked for.
    #[must_use]
    pub fn user_key(&self) -> &'k [u8] {
        internal_key::user_key(self.seek_key)
    }
}

/// As [`Table::get_hashed`], for several keys: each of `places` is a place in `asked`, whose answer it takes, and the table to look into.
///
/// # Errors
/// As for [`Table::get`], for whichever key; then some have answers and some have none.
///
/// # Panics
/// For more than [`TOGETHER_MAX`] places.
pub fn get_together(asked: &mut [Asked<'_>], places: &[(usize, &Table)]) -> Result<()> {
    assert!(places.len() <= TOGETHER_MAX, "they come in groups");
    for &(at, table) in places {
        table.prefetch_filter(asked[at].hash);
    }
    let mut key = Vec::new();
    let mut blocks = [None; TOGETHER_MAX];
    for (&(at, table), block) in places.iter().zip(&mut blocks) {
        let Asked { seek_key, hash, .. } = asked[at];
        *block = table.find_block(seek_key, hash, &mut key)?;
    }
    let mut intervals: [Option<Interval<'_>>; TOGETHER_MAX] = array::from_fn(|_| None);
    for ((&(at, table), block), interval) in places.iter().zip(blocks).zip(&mut intervals) {
        if let Some(block) = block {
            *interval = Some(table.find_interval(block, asked[at].seek_key)?);
        }
    }
    for (&(at, table), interval) in places.iter().zip(intervals) {
        let Asked { seek_key, .. } = asked[at];
        let entry = match interval {
            None => None,
            Some(interval) => table.find_entry(interval, seek_key, &mut key)?,
        };
        asked[at].found = table.beside_tombstones(entry, seek_key);
    }
    Ok(())
}

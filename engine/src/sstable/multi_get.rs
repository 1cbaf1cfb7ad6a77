//! Multi-get in tables: finds several keys at once, so that their lookups do not wait for memory one after another.
//!
//! A lookup in a large table waits three times, for a line of the filter, the end of a data block and an entry
//! in it, and each address comes out of what was read before. For a single key that cannot be avoided. But the
//! waits for *different* keys overlap if the processor meets them close together. So this module takes one step
//! for all keys, then the next. Each step ends by prefetching what the next one reads.
//!
//! The steps are those of [`Table::get`], so both ways of looking up a key give the same answer.

use super::table::{Interval, Table, TableEntry};
use crate::bloom::KeyHash;
use crate::error::Result;
use crate::internal_key;
use std::array;

/// The most keys looked up at once: more than the loads that a processor has under way, but few
/// enough that all are still in the cache when the next step reaches them.
pub const GET_MANY_MAX: usize = 32;

/// One of several keys that are looked up together.
#[derive(Debug)]
pub struct Asked<'k> {
    /// The internal key to seek: the user key at the reader's sequence number, as for [`Table::get`].
    pub seek_key: &'k [u8],
    /// The hash of the user key.
    pub hash: KeyHash,
    /// The answer, if there is one.
    pub found: Option<TableEntry>,
}

impl<'k> Asked<'k> {
    /// The key that is looked for.
    #[must_use]
    pub fn user_key(&self) -> &'k [u8] {
        internal_key::user_key(self.seek_key)
    }
}

/// Like [`Table::get_hashed`], for several keys. Each element of `places` is an index into `asked`,
/// where the answer is stored, and the table to search.
///
/// # Errors
/// As for [`Table::get`], for any of the keys; some of the others may then have no answer yet.
///
/// # Panics
/// For more than [`GET_MANY_MAX`] places.
pub fn get_many(asked: &mut [Asked<'_>], places: &[(usize, &Table)]) -> Result<()> {
    assert!(places.len() <= GET_MANY_MAX, "they come in groups");
    for &(at, table) in places {
        table.prefetch_filter(asked[at].hash);
    }
    let mut key = Vec::new();
    let mut blocks = [None; GET_MANY_MAX];
    for (&(at, table), block) in places.iter().zip(&mut blocks) {
        let Asked { seek_key, hash, .. } = asked[at];
        *block = table.find_block(seek_key, hash, &mut key)?;
    }
    let mut intervals: [Option<Interval<'_>>; GET_MANY_MAX] = array::from_fn(|_| None);
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

//! Looks several keys up in one version.
//!
//! It goes from run to run as [`Version::get`] does, a run being a table of level 0 or a deeper level, and asks each for
//! all keys that no run above it knows. They may lie in as many tables of a level: the waits for these overlap too.

use crate::comparator::Comparator;
use crate::error::Result;
use crate::sstable::{Asked, TOGETHER_MAX, Table, get_together};

use super::{Version, covers};

impl Version {
    /// As [`get`](Self::get) for up to [`TOGETHER_MAX`] user keys, which take their answers.
    ///
    /// # Errors
    /// `Io` or `Corruption` from a table, for whichever key; then some have answers and some have none.
    pub fn get_together(
        &self,
        comparator: &Comparator,
        asked: &mut [Asked<'_>],
        in_vain: &mut u64,
    ) -> Result<()> {
        let mut places: Vec<(usize, &Table)> = Vec::with_capacity(TOGETHER_MAX);
        for table in self.levels[0].iter() {
            places.clear();
            for (at, key) in asked.iter().enumerate() {
                if key.found.is_none() && covers(comparator, table, key.user_key()) {
                    places.push((at, table.table()?));
                }
            }
            get_together(asked, &places)?;
            let in_vain_here = places.iter().filter(|(at, _)| asked[*at].found.is_none());
            *in_vain += in_vain_here.count() as u64;
        }
        for level in 1..=self.deepest_level().unwrap_or(0) {
            places.clear();
            for (at, key) in asked.iter().enumerate() {
                if key.found.is_none()
                    && let Some(table) = self.covering(comparator, level, key.user_key())
                {
                    places.push((at, table.table()?));
                }
            }
            get_together(asked, &places)?;
        }
        Ok(())
    }
}

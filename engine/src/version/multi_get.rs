//! Multi-get in one version.
//!
//! It goes from run to run as [`Version::get`] does (a run is a table of level 0 or a deeper
//! level), and looks up in each all keys that no run above it has. In a level the keys may be in
//! several tables; the waits for these overlap too.

use crate::comparator::Comparator;
use crate::error::Result;
use crate::sstable::{Asked, GET_MANY_MAX, Table, get_many};

use super::{Version, covers};

impl Version {
    /// Like [`get`](Self::get), for up to [`GET_MANY_MAX`] user keys; the answers are stored in `asked`.
    ///
    /// # Errors
    /// `Io` or `Corruption` from a table, for any of the keys; some of the others may then have no answer yet.
    pub fn get_many(
        &self,
        comparator: &Comparator,
        asked: &mut [Asked<'_>],
        in_vain: &mut u64,
    ) -> Result<()> {
        let mut places: Vec<(usize, &Table)> = Vec::with_capacity(GET_MANY_MAX);
        for table in self.levels[0].iter() {
            places.clear();
            for (at, key) in asked.iter().enumerate() {
                if key.found.is_none() && covers(comparator, table, key.user_key()) {
                    places.push((at, table.table()?));
                }
            }
            get_many(asked, &places)?;
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
            get_many(asked, &places)?;
        }
        Ok(())
    }
}

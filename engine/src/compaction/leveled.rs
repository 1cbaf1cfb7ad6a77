//! Leveled: each level holds several times the bytes of the one above, and is one sorted run.
//!
//! Level 0 holds the tables of flushes, which may overlap. The level that exceeds its limit the most is
//! compacted first. Level 0 is measured by its number of tables, because each one makes every read slower,
//! or, if they are large, by its bytes, because they take space and memory for rows that have newer
//! versions. The other levels are measured by their bytes. RocksDB measures level 0 in the same way.
//!
//! From level 0 the compaction takes the oldest table, with all that overlap it. From a deeper
//! level it takes the table that overlaps the fewest bytes of the next level for its own size
//! (RocksDB's `kMinOverlappingRatio`). This choice needs no memory of past choices, and measured
//! less rewriting than taking the tables in turn.
//!
//! Left out: more than one compaction at a time, and dynamic level sizes.

use std::sync::Arc;

use crate::compaction::picker::{Plan, Reason, Shape, is_lowest, user_key_range, widen_level0};
use crate::comparator::Comparator;
use crate::version::{LEVELS, TableFile, Version};

impl Shape {
    /// The bytes that a level may hold. Level 0, which is mainly measured in tables, may hold as
    /// many as level 1: merging the two then rewrites about one byte for each that moves down.
    #[must_use]
    pub fn level_bytes_max(&self, level: usize) -> u64 {
        let steps = u32::try_from(level.saturating_sub(1)).unwrap_or(u32::MAX);
        self.level_base_bytes
            .saturating_mul(self.level_multiplier.saturating_pow(steps))
    }

    /// How full a level is: at 1.0 or more it should be compacted. The last level has nowhere to go.
    #[must_use]
    pub fn score(&self, version: &Version, level: usize) -> f64 {
        match level {
            // A single table does not slow reads down, however large it is.
            0 if version.level(0).len() < 2 => self.level0_score(version),
            0 => self.level0_score(version).max(self.bytes_score(version, 0)),
            _ if level + 1 < LEVELS => self.bytes_score(version, level),
            _ => 0.0,
        }
    }

    fn bytes_score(&self, version: &Version, level: usize) -> f64 {
        version.level_bytes(level) as f64 / self.level_bytes_max(level).max(1) as f64
    }

    /// The fullest level and its score.
    #[must_use]
    pub fn fullest(&self, version: &Version) -> (usize, f64) {
        (0..LEVELS)
            .map(|level| (level, self.score(version, level)))
            .fold(
                (0, 0.0),
                |best, next| if next.1 > best.1 { next } else { best },
            )
    }
}

pub(super) fn pick(version: &Version, comparator: &Comparator, shape: &Shape) -> Option<Plan> {
    let (level, score) = shape.fullest(version);
    if score < 1.0 {
        return None;
    }
    match level {
        0 => pick_level0(version, comparator, Reason::Shape),
        _ => {
            let from = cheapest_of_level(version, comparator, level)?;
            one_level_down(version, comparator, level, &[from], Reason::Shape)
        }
    }
}

/// A plan for the oldest tables of level 0 to move into level 1, however few there are; `None` if
/// there are none.
pub(super) fn pick_level0(
    version: &Version,
    comparator: &Comparator,
    reason: Reason,
) -> Option<Plan> {
    let from = oldest_of_level0(version, comparator);
    one_level_down(version, comparator, 0, &from, reason)
}

/// A plan after which a table of a deeper level has fewer tombstones, or is one level nearer to that.
///
/// Its neighbours come along if they add nothing to what is rewritten below: a store that is emptied from
/// its first row on leaves many small tables of tombstones above a large one.
pub(super) fn rid_of_tombstones(
    version: &Version,
    comparator: &Comparator,
    level: usize,
    table: &Arc<TableFile>,
) -> Option<Plan> {
    if is_lowest(version, comparator, level, table) {
        return Some(Plan {
            inputs: vec![(level, Arc::clone(table))],
            output_level: level,
            reason: Reason::Reads,
        });
    }
    let (smallest, largest) = (table.smallest_user_key(), table.largest_user_key());
    let mut rewritten = version.overlapping(comparator, level + 1, smallest, largest);
    rewritten.push(Arc::clone(table));
    let (first, last) = user_key_range(comparator, &rewritten)?;
    let is_within = |of: &&Arc<TableFile>| {
        comparator.compare(of.smallest_user_key(), first).is_ge()
            && comparator.compare(of.largest_user_key(), last).is_le()
    };
    let tables = version.level(level).iter().filter(is_within);
    let from: Vec<_> = tables.cloned().collect();
    one_level_down(version, comparator, level, &from, Reason::Reads)
}

/// A plan that merges tables of a level with those that they overlap in the next level, into that one.
fn one_level_down(
    version: &Version,
    comparator: &Comparator,
    level: usize,
    from: &[Arc<TableFile>],
    reason: Reason,
) -> Option<Plan> {
    let (smallest, largest) = user_key_range(comparator, from)?;
    let below = version.overlapping(comparator, level + 1, smallest, largest);
    let inputs = from.iter().map(|table| (level, Arc::clone(table)));
    let inputs = inputs
        .chain(below.into_iter().map(|table| (level + 1, table)))
        .collect();
    Some(Plan {
        inputs,
        output_level: level + 1,
        reason,
    })
}

/// The oldest table of level 0 and, repeatedly, all that overlap the tables chosen so far.
///
/// A table that is older than a chosen one stays only if it does not overlap it. So for any key,
/// what stays is never older than what moves down (invariant 3 of a version).
fn oldest_of_level0(version: &Version, comparator: &Comparator) -> Vec<Arc<TableFile>> {
    let oldest = version.level(0).last().cloned();
    widen_level0(version, comparator, oldest.into_iter().collect())
}

/// The table of a deeper level that overlaps the fewest bytes of the next level for its own size.
///
/// A table with range tombstones comes before all others, because it deletes most of what it overlaps below.
fn cheapest_of_level(
    version: &Version,
    comparator: &Comparator,
    level: usize,
) -> Option<Arc<TableFile>> {
    let below = version.level(level + 1);
    let cost = |table: &TableFile| {
        // Searched for, because this is asked for each table of the level.
        let first =
            below.partition_point(|of| of.ends_before(comparator, table.smallest_user_key()));
        let begins_by_its_end = |of: &&Arc<TableFile>| {
            comparator
                .compare(of.smallest_user_key(), table.largest_user_key())
                .is_le()
        };
        let overlapped = below[first..].iter().take_while(begins_by_its_end);
        let dragged: u64 = overlapped.map(|of| of.bytes).sum();
        let share = u128::from(dragged) * 1024 / u128::from(table.bytes.max(1));
        (table.range_deletes == 0, share)
    };
    version
        .level(level)
        .iter()
        .min_by_key(|table| cost(table))
        .cloned()
}

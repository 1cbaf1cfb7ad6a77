//! What to compact next: a pure function of a version and the options.
//!
//! Leveled: level 0 holds the tables of flushes, which may overlap. Level `n + 1` may hold several times as many
//! bytes as level `n`. The level that exceeds its share the most is relieved first: level 0 by its number
//! of tables (each one costs every read), the others by their bytes.
//!
//! From level 0 the oldest table goes, with all that overlap it. From a deeper level goes the table
//! that drags along the fewest bytes of the next level for its own size (RocksDB's `kMinOverlappingRatio`):
//! the choice needs no memory of past choices, and measured less rewriting than going round in turn.
//!
//! Left out: more than one compaction at a time, and dynamic level sizes.

use std::sync::Arc;

use crate::comparator::Comparator;
use crate::version::{LEVELS, TableFile, Version};

/// The shape that compaction works towards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// So many tables in level 0 call for a compaction.
    pub level0_trigger: usize,
    /// Bytes that level 1 may hold.
    pub level_base_bytes: u64,
    /// How many times more each deeper level may hold.
    pub level_multiplier: u64,
    /// Length at which an output table is ended.
    pub target_file_bytes: u64,
}

/// A compaction to be made.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The tables to merge, with their levels.
    pub inputs: Vec<(usize, Arc<TableFile>)>,
    /// Where the outputs go.
    pub output_level: usize,
    /// Why, for people: part of what is recorded of the outputs.
    pub reason: Reason,
}

/// Why a compaction is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// A level is over its share.
    Shape,
    /// The user asked for it.
    Manual,
}

impl Plan {
    /// Whether the inputs can be handed down as they are: one table that meets nothing where it goes.
    #[must_use]
    pub fn is_trivial_move(&self) -> bool {
        self.reason == Reason::Shape && self.inputs.len() == 1
    }

    /// The bytes to read.
    #[must_use]
    pub fn input_bytes(&self) -> u64 {
        self.inputs.iter().map(|(_, table)| table.bytes).sum()
    }
}

impl Shape {
    /// The bytes that a level may hold; level 0 is measured in tables instead.
    #[must_use]
    pub fn level_bytes_max(&self, level: usize) -> u64 {
        let steps = u32::try_from(level.saturating_sub(1)).unwrap_or(u32::MAX);
        self.level_base_bytes
            .saturating_mul(self.level_multiplier.saturating_pow(steps))
    }

    /// How full a level is: at 1.0 and above it is to be relieved. The last level has nowhere to go.
    #[must_use]
    pub fn score(&self, version: &Version, level: usize) -> f64 {
        match level {
            0 => version.level(0).len() as f64 / self.level0_trigger.max(1) as f64,
            _ if level + 1 < LEVELS => {
                version.level_bytes(level) as f64 / self.level_bytes_max(level).max(1) as f64
            }
            _ => 0.0,
        }
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

/// The compaction that the version needs most, if it needs one.
#[must_use]
pub fn pick(version: &Version, comparator: &Comparator, shape: &Shape) -> Option<Plan> {
    let (level, score) = shape.fullest(version);
    if score < 1.0 {
        return None;
    }
    let from = match level {
        0 => oldest_of_level0(version, comparator),
        _ => vec![cheapest_of_level(version, comparator, level)?],
    };
    let (smallest, largest) = user_key_range(comparator, &from)?;
    let below = version.overlapping(comparator, level + 1, smallest, largest);
    let inputs = from.iter().map(|table| (level, Arc::clone(table)));
    let inputs = inputs
        .chain(below.into_iter().map(|table| (level + 1, table)))
        .collect();
    Some(Plan {
        inputs,
        output_level: level + 1,
        reason: Reason::Shape,
    })
}

/// Everything into one sorted level, the shallowest that may hold it.
#[must_use]
pub fn pick_everything(version: &Version, shape: &Shape) -> Option<Plan> {
    let deepest = version.deepest_level()?;
    let inputs: Vec<_> = version
        .tables()
        .map(|(level, table)| (level, Arc::clone(table)))
        .collect();
    let bytes = inputs.iter().map(|(_, table)| table.bytes).sum::<u64>();
    let roomy = (1..LEVELS - 1).find(|&level| bytes <= shape.level_bytes_max(level));
    let output_level = roomy.unwrap_or(LEVELS - 1).max(deepest);
    Some(Plan {
        inputs,
        output_level,
        reason: Reason::Manual,
    })
}

/// The oldest table of level 0 and, again and again, all that overlap what is chosen.
///
/// Older tables than those chosen stay only if they do not overlap them, so what stays is never older than
/// what goes down (invariant 3 of a version).
fn oldest_of_level0(version: &Version, comparator: &Comparator) -> Vec<Arc<TableFile>> {
    let Some(oldest) = version.level(0).last() else {
        return Vec::new();
    };
    let mut chosen = vec![Arc::clone(oldest)];
    while let Some((smallest, largest)) = user_key_range(comparator, &chosen) {
        let wider = version.overlapping(comparator, 0, smallest, largest);
        if wider.len() == chosen.len() {
            break;
        }
        chosen = wider;
    }
    chosen
}

/// The table of a deeper level that overlaps the fewest bytes of the next level for its own size.
fn cheapest_of_level(
    version: &Version,
    comparator: &Comparator,
    level: usize,
) -> Option<Arc<TableFile>> {
    let cost = |table: &TableFile| {
        let (smallest, largest) = (table.smallest_user_key(), table.largest_user_key());
        let below = version.overlapping(comparator, level + 1, smallest, largest);
        let dragged: u64 = below.iter().map(|table| table.bytes).sum();
        u128::from(dragged) * 1024 / u128::from(table.bytes.max(1))
    };
    version
        .level(level)
        .iter()
        .min_by_key(|table| cost(table))
        .cloned()
}

/// The first and the last user key of some tables; `None` if there are none.
pub(super) fn user_key_range<'a>(
    comparator: &Comparator,
    tables: &'a [Arc<TableFile>],
) -> Option<(&'a [u8], &'a [u8])> {
    let smallest = tables
        .iter()
        .map(|table| table.smallest_user_key())
        .min_by(|a, b| comparator.compare(a, b))?;
    let largest = tables
        .iter()
        .map(|table| table.largest_user_key())
        .max_by(|a, b| comparator.compare(a, b))?;
    Some((smallest, largest))
}

//! What to compact next: a pure function of a version and the options.
//!
//! A [`Strategy`] decides which tables are compacted, and when. What the user asks for is the same under both.

use std::collections::BTreeSet;
use std::ops::Bound;
use std::sync::Arc;

use crate::compaction::{leveled, tiered};
use crate::comparator::Comparator;
use crate::version::{LEVELS, TableFile, Version};

/// How compaction keeps a family in shape. It may differ from opening to opening: both strategies
/// keep the same invariants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strategy {
    /// Few sorted runs, so reads are cheap and little space is wasted, but each row is rewritten often.
    #[default]
    Leveled,
    /// Rows are rewritten seldom, but there are more sorted runs to read, and up to twice the space is used.
    Tiered,
}

/// The shape that compaction works towards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// How the shape is kept.
    pub strategy: Strategy,
    /// The number of tables in level 0 from which on a compaction is due.
    pub level0_trigger: usize,
    /// Bytes that level 1 may hold.
    pub level_base_bytes: u64,
    /// How many times more bytes each deeper level may hold.
    pub level_multiplier: u64,
    /// The length at which an output table ends.
    pub target_file_bytes: u64,
}

/// A compaction to perform.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The tables to merge, with their levels.
    pub inputs: Vec<(usize, Arc<TableFile>)>,
    /// The level of the outputs.
    pub output_level: usize,
    /// Why, for people: it is recorded in the outputs.
    pub reason: Reason,
}

/// Why a compaction is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// A level exceeds its limit.
    Shape,
    /// Readers lost more time than the compaction costs.
    Reads,
    /// Snapshots that are gone had kept what nobody needs any more.
    Snapshots,
    /// The user asked for it.
    Manual,
}

impl Plan {
    /// Whether the inputs can be moved as they are: a single table that overlaps nothing in a new level.
    ///
    /// A table with range tombstones is not moved, because rewriting it may drop those that have
    /// nothing left to hide.
    #[must_use]
    pub fn is_trivial_move(&self) -> bool {
        self.reason != Reason::Manual
            && self.inputs.len() == 1
            && self
                .inputs
                .iter()
                .all(|(level, table)| *level != self.output_level && table.range_deletes == 0)
    }

    /// The numbers of the inputs.
    #[must_use]
    pub fn numbers(&self) -> BTreeSet<u64> {
        self.inputs.iter().map(|(_, table)| table.number).collect()
    }

    /// The bytes of the inputs.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.inputs.iter().map(|(_, table)| table.bytes).sum()
    }

    /// The entries of the inputs.
    #[must_use]
    pub fn entries(&self) -> u64 {
        self.inputs.iter().map(|(_, table)| table.entries).sum()
    }

    /// The inputs of the shallowest level.
    pub fn uppermost(&self) -> impl Iterator<Item = &Arc<TableFile>> {
        let shallowest = self.inputs.iter().map(|(level, _)| *level).min();
        let inputs = self.inputs.iter();
        inputs
            .filter(move |(level, _)| Some(*level) == shallowest)
            .map(|(_, table)| table)
    }

    /// Whether the inputs already are one sorted run, in which no user key is in two tables.
    #[must_use]
    pub fn is_one_run(&self, comparator: &Comparator) -> bool {
        let mut tables: Vec<_> = self.inputs.iter().map(|(_, table)| table).collect();
        tables.sort_by(|a, b| comparator.compare(a.smallest_user_key(), b.smallest_user_key()));
        let mut pairs = tables.windows(2);
        pairs.all(|pair| pair[0].ends_before(comparator, pair[1].smallest_user_key()))
    }
}

impl Shape {
    /// How much the version needs a compaction: at 1.0 or more one is due.
    #[must_use]
    pub fn urgency(&self, version: &Version) -> f64 {
        match self.strategy {
            Strategy::Leveled => self.fullest(version).1,
            Strategy::Tiered => self.level0_score(version),
        }
    }

    pub(super) fn level0_score(&self, version: &Version) -> f64 {
        version.level(0).len() as f64 / self.level0_trigger.max(1) as f64
    }
}

/// The compaction that the version needs most, if it needs one.
#[must_use]
pub fn pick(version: &Version, comparator: &Comparator, shape: &Shape) -> Option<Plan> {
    match shape.strategy {
        Strategy::Leveled => leveled::pick(version, comparator, shape),
        Strategy::Tiered => tiered::pick(version, shape),
    }
}

/// A compaction that moves tables of level 0 down although the shape does not require it, so that
/// readers have fewer runs to look into; `None` if level 0 is empty. A tiered family keeps its runs.
#[must_use]
pub fn pick_for_reads(version: &Version, comparator: &Comparator, shape: &Shape) -> Option<Plan> {
    match shape.strategy {
        Strategy::Leveled => leveled::pick_level0(version, comparator, Reason::Reads),
        Strategy::Tiered => None,
    }
}

/// A compaction that rids readers of the tombstones of a table of a deeper level: it and its neighbours are merged with what it overlaps in
/// the next level, or it is rewritten where it is if nothing below may hold one of its keys. `None` if the version
/// does not have it, or the family is tiered.
#[must_use]
pub fn pick_table_for_reads(
    version: &Version,
    comparator: &Comparator,
    shape: &Shape,
    table: &TableFile,
) -> Option<Plan> {
    let mut tables = version.tables();
    let (level, table) = tables.find(|(_, of)| of.number == table.number)?;
    match shape.strategy {
        Strategy::Leveled if level > 0 => {
            leveled::rid_of_tombstones(version, comparator, level, table)
        }
        _ => None,
    }
}

/// A compaction that rewrites tables of a deeper level where they are: the first for which `is_worth_it` says so, which is given
/// the table's level too, and its neighbours for which it says the same, up to a level 1 of bytes; `None` if there is none.
#[must_use]
pub fn pick_leftovers(
    version: &Version,
    shape: &Shape,
    is_worth_it: impl Fn(usize, &TableFile) -> bool,
) -> Option<Plan> {
    (1..LEVELS).find_map(|level| {
        let tables = version.level(level);
        let first = tables.iter().position(|table| is_worth_it(level, table))?;
        let mut bytes = 0;
        let run = tables[first..].iter().take_while(|table| {
            let is_first = bytes == 0;
            bytes += table.bytes;
            is_first || (bytes <= shape.level_base_bytes && is_worth_it(level, table))
        });
        Some(Plan {
            inputs: run.map(|table| (level, Arc::clone(table))).collect(),
            output_level: level,
            reason: Reason::Snapshots,
        })
    })
}

/// Whether no level below a table's can hold one of its keys.
#[must_use]
pub fn is_lowest(
    version: &Version,
    comparator: &Comparator,
    level: usize,
    table: &TableFile,
) -> bool {
    let (smallest, largest) = (table.smallest_user_key(), table.largest_user_key());
    let overlapped = |below| version.overlapping(comparator, below, smallest, largest);
    (level + 1..LEVELS).all(|below| overlapped(below).is_empty())
}

/// Merges everything into one sorted level: the shallowest that may hold it, or the last one under
/// the tiered strategy.
#[must_use]
pub fn pick_everything(version: &Version, shape: &Shape) -> Option<Plan> {
    let deepest = version.deepest_level()?;
    let inputs: Vec<_> = version
        .tables()
        .map(|(level, table)| (level, Arc::clone(table)))
        .collect();
    let bytes = inputs.iter().map(|(_, table)| table.bytes).sum::<u64>();
    let roomy = match shape.strategy {
        Strategy::Leveled => (1..LEVELS - 1).find(|&level| bytes <= shape.level_bytes_max(level)),
        Strategy::Tiered => None,
    };
    let output_level = roomy.unwrap_or(LEVELS - 1).max(deepest);
    Some(Plan {
        inputs,
        output_level,
        reason: Reason::Manual,
    })
}

/// Merges all tables that may hold a user key of a range into the deepest level that has one;
/// `None` if there are none.
///
/// Tables are compacted as a whole, together with the tables that they overlap in the levels below: if those
/// stayed where they are, they would be above newer versions of their keys (invariant 3 of a version).
#[must_use]
pub fn pick_range(
    version: &Version,
    comparator: &Comparator,
    lower: Bound<&[u8]>,
    upper: Bound<&[u8]>,
) -> Option<Plan> {
    use Bound::{Excluded, Included};
    if let (Included(first) | Excluded(first), Included(last) | Excluded(last)) = (lower, upper)
        && comparator.compare(first, last).is_gt()
    {
        return None;
    }
    let in_range = |table: &TableFile| {
        !ends_before(comparator, table, lower) && !starts_after(comparator, table, upper)
    };
    let level0 = version.level(0).iter().filter(|table| in_range(table));
    let mut chosen = widen_level0(version, comparator, level0.cloned().collect());
    let mut inputs: Vec<_> = chosen.iter().map(|table| (0, Arc::clone(table))).collect();
    for level in 1..LEVELS {
        let (wide, tables) = (user_key_range(comparator, &chosen), version.level(level));
        let overlaps = |table: &TableFile| {
            wide.is_some_and(|(smallest, largest)| {
                !ends_before(comparator, table, Included(smallest))
                    && !starts_after(comparator, table, Included(largest))
            })
        };
        let dragged = tables
            .iter()
            .filter(|table| in_range(table) || overlaps(table));
        let dragged: Vec<_> = dragged.cloned().collect();
        inputs.extend(dragged.iter().map(|table| (level, Arc::clone(table))));
        chosen.extend(dragged);
    }
    let (deepest, _) = inputs.last()?;
    Some(Plan {
        output_level: (*deepest).max(1),
        inputs,
        reason: Reason::Manual,
    })
}

fn ends_before(comparator: &Comparator, table: &TableFile, lower: Bound<&[u8]>) -> bool {
    match lower {
        Bound::Included(key) => table.ends_before(comparator, key),
        Bound::Excluded(key) => comparator.compare(table.largest_user_key(), key).is_le(),
        Bound::Unbounded => false,
    }
}

fn starts_after(comparator: &Comparator, table: &TableFile, upper: Bound<&[u8]>) -> bool {
    match upper {
        Bound::Included(key) => comparator.compare(table.smallest_user_key(), key).is_gt(),
        Bound::Excluded(key) => comparator.compare(table.smallest_user_key(), key).is_ge(),
        Bound::Unbounded => false,
    }
}

/// The given tables of level 0 and, repeatedly, all of level 0 that overlap the tables chosen so
/// far, the newest first.
pub(super) fn widen_level0(
    version: &Version,
    comparator: &Comparator,
    mut chosen: Vec<Arc<TableFile>>,
) -> Vec<Arc<TableFile>> {
    while let Some((smallest, largest)) = user_key_range(comparator, &chosen) {
        let wider = version.overlapping(comparator, 0, smallest, largest);
        if wider.len() == chosen.len() {
            break;
        }
        chosen = wider;
    }
    chosen
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

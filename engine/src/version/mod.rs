//! Versions: which tables make up a family at one moment.
//!
//! A version never changes. A flush or a compaction makes a new one from an edit; readers keep the
//! one that they began with, and so its files, until they are done.
//!
//! ```text
//! Version, multi_get  the tables of one family: finds a key, or several
//!   fences            which table of a deeper level may have it
//!   level_cursor      a scan of a deeper level
//!   extent            how many bytes lie before a key
//!   table_file        one table: what the manifest says of it, and the open file
//!   read_charge       what readers lose because of several sorted runs, and of tombstones
//! state               all families with their versions, and the counters
//!   edit, edit_fields one step from a state to the next
//!   manifest          the log of edits, and CURRENT
//! file_name, traces   the names of files; whether a directory holds files of this engine
//! ```
//!
//! Invariants of a version; the first two are checked whenever one is made
//! 1. In level 0 tables may overlap. They are ordered newest first, by descending file number: a flush
//!    takes its number when it begins, and flushes run one after another in the order of the writes.
//! 2. In every deeper level tables are sorted, and no user key is in two of them.
//! 3. If two tables hold the same user key, the one in the upper level (or before it in level 0)
//!    holds the newer versions. This one is not checked here, because the manifest does not say it: it takes
//!    a walk over all entries, and `verify` makes that.
//!
//! The keys that a table's range tombstones delete count as keys that it holds.
//!
//! Left out: a limit on the number of open tables. A mapped table costs an index, a filter and no
//! file descriptor; a `pread` table costs a file descriptor, so the system's limit on those must
//! allow for all tables.

pub mod edit;
mod edit_fields;
mod extent;
mod fences;
pub mod file_name;
mod level_cursor;
mod manifest;
mod multi_get;
pub mod read_charge;
mod state;
mod table_file;
mod traces;

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use crate::bloom::KeyHash;
use crate::comparator::Comparator;
use crate::error::{Error, Result};
use crate::internal_key;
use crate::range_tombstone::RangeTombstones;
use crate::sstable::TableEntry;

pub use self::edit::{FamilyRecord, FileMeta, LEVELS, VersionEdit};
pub use self::edit_fields::{Shown, Shows};
use self::fences::Fences;
pub use self::file_name::FileName;
pub use self::level_cursor::LevelCursor;
pub use self::manifest::{
    Manifest, begins_as_manifest, current_manifest, named_manifest, read_contents, read_in_force,
    read_manifest, where_no_current,
};
pub use self::read_charge::{CursorLoss, ReadCharge};
pub use self::state::{Change, FamilyState, State, check_families_counted, check_rises};
pub use self::table_file::{TableAccess, TableFile};
pub use self::traces::holds_files_of_ours;

/// The tables of one family at one moment.
#[derive(Clone, Default)]
pub struct Version {
    levels: [Tables; LEVELS],
    /// One for each deeper level; level 0 has none.
    fences: [Fences; LEVELS],
    tombstones: [LevelTombstones; LEVELS],
    charge: Arc<ReadCharge>,
}

/// The range tombstones of a deeper level.
#[derive(Clone, Default)]
struct LevelTombstones {
    any: bool,
    /// Those of all its tables one after another, made at the first use.
    set: OnceLock<Arc<RangeTombstones>>,
}

/// The tables of a level. Shared, so that a cursor can take over a level in one step.
pub type Tables = Arc<Vec<Arc<TableFile>>>;

impl Version {
    /// The tables of a level, in the order of the invariants.
    #[must_use]
    pub const fn level(&self, level: usize) -> &Tables {
        &self.levels[level]
    }

    /// All tables, with their levels.
    pub fn tables(&self) -> impl Iterator<Item = (usize, &Arc<TableFile>)> {
        self.levels
            .iter()
            .enumerate()
            .flat_map(|(level, tables)| tables.iter().map(move |table| (level, table)))
    }

    /// The bytes of a level.
    #[must_use]
    pub fn level_bytes(&self, level: usize) -> u64 {
        self.levels[level].iter().map(|table| table.bytes).sum()
    }

    /// What readers of this version lost because it has several sorted runs.
    #[must_use]
    pub const fn charge(&self) -> &Arc<ReadCharge> {
        &self.charge
    }

    /// The deepest level that holds a table.
    #[must_use]
    pub fn deepest_level(&self) -> Option<usize> {
        self.levels.iter().rposition(|tables| !tables.is_empty())
    }

    /// The newest version of a user key that a reader sees. [`internal_key::append_seek`] makes
    /// `seek_key` from the user key and the reader's sequence number; `hash` is that of the user key.
    ///
    /// Cost: one filter lookup for each table of level 0 and each deeper level, and usually one block search.
    /// `in_vain` is increased by the number of level-0 tables that were searched without finding the key.
    ///
    /// # Errors
    /// `Io` or `Corruption` from a table.
    pub fn get(
        &self,
        comparator: &Comparator,
        seek_key: &[u8],
        hash: KeyHash,
        in_vain: &mut u64,
    ) -> Result<Option<TableEntry>> {
        let user_key = internal_key::user_key(seek_key);
        for table in self.levels[0].iter() {
            if covers(comparator, table, user_key) {
                if let Some(found) = table.table()?.get_hashed(seek_key, hash)? {
                    return Ok(Some(found));
                }
                *in_vain += 1;
            }
        }
        for level in 1..LEVELS {
            if let Some(table) = self.covering(comparator, level, user_key)
                && let Some(found) = table.table()?.get_hashed(seek_key, hash)?
            {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The table of a level deeper than 0 whose key range includes `user_key`.
    #[inline]
    fn covering(
        &self,
        comparator: &Comparator,
        level: usize,
        user_key: &[u8],
    ) -> Option<&Arc<TableFile>> {
        let tables = &self.levels[level];
        if tables.is_empty() {
            return None;
        }
        let at = self.fences[level]
            .ending_before(user_key)
            .unwrap_or_else(|| first_ending_at_or_after(comparator, tables, user_key));
        let begins_before = |table: &&Arc<TableFile>| {
            comparator.compare(table.smallest_user_key(), user_key) != Ordering::Greater
        };
        tables.get(at).filter(begins_before)
    }

    /// The range tombstones of a level deeper than 0; those of different tables do not overlap.
    /// `None` if there are none.
    ///
    /// # Errors
    /// `Io` or `Corruption` if a table that has some cannot be opened.
    pub fn level_tombstones(
        &self,
        comparator: &Comparator,
        level: usize,
    ) -> Result<Option<&Arc<RangeTombstones>>> {
        let LevelTombstones { any, set } = &self.tombstones[level];
        if !any {
            return Ok(None);
        }
        if let Some(known) = set.get() {
            return Ok(Some(known));
        }
        let mut fragments = Vec::new();
        for table in self.levels[level].iter().filter(|of| of.range_deletes > 0) {
            if let Some(of_table) = table.table()?.range_tombstones() {
                fragments.extend_from_slice(of_table.fragments());
            }
        }
        let side_by_side = RangeTombstones::from_sorted(comparator, fragments);
        let side_by_side = side_by_side.map_err(|at| {
            let what = format!(
                "range tombstone {at} of level {level} lies outside its table, which this is or follows on this{}",
                comparator.suspicion()
            );
            let first = self.levels[level].iter().find(|of| of.range_deletes > 0);
            Error::corruption(first.map_or_else(PathBuf::new, |table| table.path()), 0, what)
        })?;
        Ok(Some(set.get_or_init(|| Arc::new(side_by_side))))
    }

    /// The tables of a level that may hold a user key in `smallest..=largest`.
    #[must_use]
    pub fn overlapping(
        &self,
        comparator: &Comparator,
        level: usize,
        smallest: &[u8],
        largest: &[u8],
    ) -> Vec<Arc<TableFile>> {
        let tables = &self.levels[level];
        let overlaps = |table: &&Arc<TableFile>| {
            !table.ends_before(comparator, smallest)
                && comparator.compare(table.smallest_user_key(), largest) != Ordering::Greater
        };
        tables.iter().filter(overlaps).cloned().collect()
    }

    /// The version that these files make, each in its level.
    ///
    /// # Errors
    /// Which invariant they break, as part of a sentence.
    pub fn of_files(
        access: &Arc<TableAccess>,
        files: Vec<(usize, FileMeta)>,
    ) -> Result<Self, String> {
        let added = files
            .into_iter()
            .map(|(level, file)| (level, Arc::new(TableFile::new(file, Arc::clone(access)))));
        Self::default().changed(&access.comparator, &[], added.collect())
    }

    /// The version that results from applying an edit's changes to this family.
    ///
    /// # Errors
    /// Which invariant the edit breaks, as part of a sentence.
    fn changed(
        &self,
        comparator: &Comparator,
        removed: &[(usize, u64)],
        added: Vec<(usize, Arc<TableFile>)>,
    ) -> Result<Self, String> {
        let mut next = Self {
            charge: Arc::default(),
            ..self.clone()
        };
        let is_not_there = |level, number| {
            format!("table {number} is removed from level {level}, where it is not")
        };
        let mut gone: [BTreeSet<u64>; LEVELS] = Default::default();
        for &(level, number) in removed {
            if !gone[level].insert(number) {
                return Err(is_not_there(level, number));
            }
        }
        for (level, mut numbers) in gone.into_iter().enumerate() {
            if numbers.is_empty() {
                continue;
            }
            Arc::make_mut(&mut next.levels[level]).retain(|table| !numbers.remove(&table.number));
            if let Some(number) = numbers.first() {
                return Err(is_not_there(level, *number));
            }
        }
        let mut numbers: HashSet<u64> = next.tables().map(|(_, table)| table.number).collect();
        for (level, table) in added {
            if !numbers.insert(table.number) {
                return Err(format!("table {} is added twice", table.number));
            }
            Arc::make_mut(&mut next.levels[level]).push(table);
        }
        Arc::make_mut(&mut next.levels[0]).sort_by_key(|table| std::cmp::Reverse(table.number));
        for tables in next.levels[1..]
            .iter_mut()
            .filter(|tables| !tables.is_empty())
        {
            Arc::make_mut(tables)
                .sort_by(|a, b| comparator.compare(a.smallest_user_key(), b.smallest_user_key()));
        }
        next.check(comparator)?;
        for (level, tables) in next.levels.iter().enumerate() {
            if !Arc::ptr_eq(tables, &self.levels[level]) {
                next.tombstones[level] = LevelTombstones {
                    any: tables.iter().any(|table| table.range_deletes > 0),
                    set: OnceLock::new(),
                };
                if level > 0 {
                    next.fences[level] = Fences::new(comparator, tables);
                }
            }
        }
        Ok(next)
    }

    /// Checks the invariants.
    ///
    /// # Errors
    /// Which one is broken, by which tables, as part of a sentence.
    pub fn check(&self, comparator: &Comparator) -> Result<(), String> {
        for (level, table) in self.tables() {
            for key in [&table.smallest, &table.largest] {
                internal_key::parse(key)
                    .map_err(|what| format!("table {}: {what}", table.number))?;
            }
            if internal_key::compare(comparator, &table.smallest, &table.largest)
                == Ordering::Greater
            {
                return Err(format!(
                    "table {} in level {level} ends before it begins{}",
                    table.number,
                    comparator.suspicion()
                ));
            }
        }
        for (level, tables) in self.levels.iter().enumerate().skip(1) {
            for pair in tables.windows(2) {
                let (left, right) = (&pair[0], &pair[1]);
                if !left.ends_before(comparator, right.smallest_user_key()) {
                    return Err(format!(
                        "tables {} and {} overlap in level {level}{}",
                        left.number,
                        right.number,
                        comparator.suspicion()
                    ));
                }
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (level, tables) in self
            .levels
            .iter()
            .enumerate()
            .filter(|(_, tables)| !tables.is_empty())
        {
            write!(f, "L{level}:")?;
            for table in tables.iter() {
                write!(
                    f,
                    " {}[{}..{}]",
                    table.number,
                    table.smallest_user_key().escape_ascii(),
                    table.largest_user_key().escape_ascii()
                )?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

fn covers(comparator: &Comparator, table: &TableFile, user_key: &[u8]) -> bool {
    comparator.compare(table.smallest_user_key(), user_key) != Ordering::Greater
        && !table.ends_before(comparator, user_key)
}

/// The first table of a sorted level whose last key is not before `user_key`.
fn first_ending_at_or_after(
    comparator: &Comparator,
    tables: &[Arc<TableFile>],
    user_key: &[u8],
) -> usize {
    tables.partition_point(|table| table.ends_before(comparator, user_key))
}

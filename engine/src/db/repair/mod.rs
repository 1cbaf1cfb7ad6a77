//! Repair: makes a database that opens again out of what its files still hold.
//!
//! ```text
//! mod       what is kept, and the order of the steps
//! manifest  the old one, as far as it is trusted, and the new one
//! tables    which tables are kept, and in which level
//! logs      moves the rows of the logs into tables
//! lost      moves files aside
//! ```
//!
//! If the manifest can be read to its end, it is trusted: the tables that it names stay in their
//! levels, and damaged ones are taken out; but if the levels of a family contradict the sequence numbers of
//! its entries, all its tables are merged into new ones by those. Otherwise it is rebuilt from what each table says about
//! itself: its family, its order, its keys, and the tables that it replaced. Tables of a family
//! whose keys overlap are then merged into new ones, because without the manifest nothing says
//! which table holds the newer version of a key; only the sequence numbers of the entries do.
//!
//! Nothing is deleted. Files that cannot be read or are no longer needed are moved to the folder `lost`.
//!
//! Order, and why
//! 1. Check, and refuse before anything is touched: a family whose comparator is not given, a file
//!    of a later release.
//! 2. Write new tables, sync them, sync the directory. Nothing refers to them yet.
//! 3. Move files aside, sync both directories: first what nothing refers to, then what the old
//!    manifest names. A repair that is repeated in between either trusts the manifest again, or
//!    finds no stray tables left that it could mistake for live ones. From here on the database
//!    does not open under the old manifest, so no opening can remove files that it does not know.
//! 4. Write the new manifest and `CURRENT`. Now the database opens.
//!
//! If a repair is interrupted, repeat it: what it has made already is treated like all other files.
//!
//! What cannot be known
//! - Rows that were only in a damaged block, table or log are gone, and so is a deletion that was
//!   only there: an older version of its key in another table becomes visible again. The report
//!   names every file that may cause this.
//! - A table that a compaction replaced may still be there, because somebody was reading it, or the process
//!   ended. Its rows may have been deleted since. If the manifest can be read, it says so. Otherwise the
//!   tables that replaced it say so, unless they have been replaced in turn and are gone. Then its rows
//!   come back, and may even hide newer ones that have been given the sequence number 0 since.
//! - Without a manifest, a dropped family whose tables are still there comes back, and a family without any
//!   table is unknown. Its rows in a log cannot be kept, because a log has family numbers but no names.

mod logs;
mod lost;
mod manifest;
mod tables;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::batch::FamilyId;
use crate::compaction::{Cancellation, Environment, Snapshots};
use crate::comparator::Comparator;
use crate::db::options::Listed;
use crate::db::reopening_vfs::ReopeningVfs;
use crate::db::survey::{Finding, Names, Survey, comparator_named};
use crate::db::{DEFAULT_FAMILY, Options};
use crate::error::{Error, Result};
use crate::sstable::{TableNumbers, TableOptions};
use crate::version::file_name;
use crate::version::{FamilyRecord, TableAccess, holds_files_of_ours};
use crate::vfs::{Vfs, WritableFile};

/// What [`repair`] did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RepairReport {
    /// Whether the manifest was rebuilt from the tables. Otherwise the old one was trusted.
    pub rebuilt: bool,
    /// The names of the families after the repair.
    pub families: Vec<String>,
    /// How many tables there are after the repair.
    pub tables: u64,
    /// Their entries.
    pub entries: u64,
    /// How many tables were merged into others, because their keys overlapped.
    pub merged: u64,
    /// How many batches of the logs are now in tables.
    pub batches: u64,
    /// What is lost or may be lost: each thing that could not be read.
    pub lost: Vec<Finding>,
    /// The files that were moved to the folder `lost`, and why.
    pub aside: Vec<(PathBuf, String)>,
}

/// Makes the database in `dir` open again, and says what it could not keep.
///
/// `options` must give the comparator of every family whose order is not built in. What is kept and
/// what cannot be known is described at the beginning of `db/repair/mod.rs`. Copy the directory
/// first: a repair makes decisions, and the folder `lost` only has what it did not use.
///
/// # Errors
/// Nothing is changed after `Locked`; after `NotADatabase`, if no file there can be recognized as the engine's;
/// after `UnsupportedVersion`, if a later release wrote one; after `InvalidArgument`, if a
/// comparator is missing. After `Io` it may be tried again. A sector that the disk cannot read is damage and no
/// error; a file that this process may not read, or has no memory or descriptor for, is an error and no damage.
pub fn repair(dir: impl AsRef<Path>, options: &Options) -> Result<RepairReport> {
    let (dir, vfs) = (dir.as_ref(), &options.vfs);
    let names = Names::read(&**vfs, dir)?;
    if names.highest() == 0 {
        return Err(Error::NotADatabase {
            path: dir.to_path_buf(),
            found: "there is no manifest, no log and no table in it".to_owned(),
        });
    }
    // What another program keeps under such names would be moved away.
    if !holds_files_of_ours(&**vfs, dir)? {
        return Err(Error::NotADatabase {
            path: dir.to_path_buf(),
            found: "nothing in it can be recognized as written by this engine".to_owned(),
        });
    }
    let _lock = vfs.lock(&dir.join(file_name::LOCK))?;
    let mut repair = Repair::new(dir, options)?;
    repair.run()?;
    Ok(repair.report)
}

struct Repair<'r> {
    vfs: &'r Arc<dyn Vfs>,
    dir: &'r Path,
    /// The options of the families, as far as they are given.
    listed: Listed<'r>,
    names: Names,
    survey: Survey,
    /// Whether the manifest, as surveyed, is trusted to its end.
    believed: bool,
    orders: BTreeMap<FamilyId, Comparator>,
    /// The greatest sequence number in each family's tables, for a manifest that does not say what
    /// is in tables.
    reached: BTreeMap<FamilyId, u64>,
    next_file: AtomicU64,
    never: AtomicBool,
    report: RepairReport,
}

impl<'r> Repair<'r> {
    fn new(dir: &'r Path, options: &'r Options) -> Result<Self> {
        let names = Names::read(&*options.vfs, dir)?;
        Ok(Self {
            vfs: &options.vfs,
            dir,
            listed: options.listed(),
            names,
            survey: Survey::default(),
            believed: false,
            orders: BTreeMap::new(),
            reached: BTreeMap::new(),
            // Set when the manifest has been read.
            next_file: AtomicU64::new(0),
            never: AtomicBool::new(false),
            report: RepairReport::default(),
        })
    }

    fn run(&mut self) -> Result<()> {
        self.clear_the_way();
        self.read_manifest()?;
        let found = self.find_tables()?;
        self.find_orders()?;
        let mut state = self.place(found)?;
        self.replay_logs(&mut state)?;
        self.vfs.sync_dir(self.dir)?;
        self.move_aside()?;
        self.write_manifest(state)
    }

    /// Finds the comparators of all families, or fails before anything is changed.
    fn find_orders(&mut self) -> Result<()> {
        for record in self.survey.families.values() {
            let order = comparator_named(&record.name, &record.comparator, &self.listed);
            let order = order.ok_or_else(|| {
                Error::invalid(format!(
                    "column family {:?} is sorted by the comparator {:?}, and the options do not give it; a repair needs \
                     it to put rows in order, so call engine::repair from a program that has it",
                    record.name, record.comparator
                ))
            })?;
            self.orders.insert(record.id, order);
        }
        Ok(())
    }

    fn access(&self, id: FamilyId) -> Arc<TableAccess> {
        // All tables of a family may be open at once.
        let vfs = Arc::new(ReopeningVfs(Arc::clone(self.vfs)));
        let order = self.orders[&id].clone();
        Arc::new(TableAccess::new(vfs, self.dir, order, false).of_family(id))
    }

    fn new_number(&self) -> u64 {
        self.next_file.fetch_add(1, Ordering::Relaxed)
    }

    /// Runs a rewrite that makes tables of the family `record`.
    fn rewrite<T>(
        &self,
        record: &FamilyRecord,
        inputs: TableNumbers,
        run: impl FnOnce(&Environment<'_>) -> T,
    ) -> T {
        let create = || -> Result<(u64, Box<dyn WritableFile>)> {
            let number = self.new_number();
            Ok((
                number,
                self.vfs.create(&file_name::table(self.dir, number))?,
            ))
        };
        let discard = |path: &PathBuf| {
            // If this fails, the next repair finds the file unfinished.
            let _ = self.vfs.remove(path);
        };
        let family = self.listed.of_family(&record.name);
        run(&Environment {
            table_options: TableOptions {
                comparator: self.orders[&record.id].clone(),
                family: record.id.0,
                family_name: record.name.clone(),
                inputs,
                ..family.table_options("repair")
            },
            target_file_bytes: family.target_file_bytes,
            overlap_bytes_max: family.overlap_bytes_max(),
            snapshots: &NoSnapshots,
            filter: None,
            create: &create,
            discard: &discard,
            cancellation: Cancellation {
                closing: &self.never,
                dropped: &self.never,
            },
        })
    }

    /// Adds the family that every database has, even if no table mentions it.
    fn add_default_family(&mut self) {
        let id = FamilyId(0);
        if self.survey.number_of(DEFAULT_FAMILY).is_some() || self.survey.families.contains_key(&id)
        {
            return;
        }
        let comparator = self
            .listed
            .of_family(DEFAULT_FAMILY)
            .comparator
            .name()
            .to_owned();
        self.survey.add_family(FamilyRecord {
            id,
            name: DEFAULT_FAMILY.to_owned(),
            comparator,
        });
    }
}

/// A closed database has no snapshots.
#[derive(Debug)]
struct NoSnapshots;

impl Snapshots for NoSnapshots {
    fn ascending(&self) -> Vec<u64> {
        Vec::new()
    }

    fn newest(&self) -> Option<u64> {
        None
    }
}

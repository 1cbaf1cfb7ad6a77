//! Repair: makes a database that opens again out of what its files still hold.
//!
//! ```text
//! mod     what is kept, and the order of the steps
//! tables  which tables are kept, and in which level
//! logs    moves the rows of the logs into tables
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
mod tables;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::batch::FamilyId;
use crate::compaction::{Cancellation, Environment, Snapshots};
use crate::comparator::Comparator;
use crate::db::survey::{Finding, Names, Severity, Survey, comparator_named};
use crate::db::{DEFAULT_FAMILY, Options};
use crate::error::{Error, Result};
use crate::log::LogEnd;
use crate::sstable::{TableNumbers, TableOptions};
use crate::version::file_name::{self, MAX_FILE_NUMBER};
use crate::version::{
    FamilyRecord, FileName, Manifest, State, TableAccess, VersionEdit, current_manifest,
};
use crate::vfs::{Vfs, WritableFile};

/// The folder for files that are moved aside.
const LOST: &str = "lost";
const NO_FILE: &str = "it is no file, and the name is needed for one";

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
/// Nothing is changed after `Locked`; after `NotADatabase`, if there are no files of a database;
/// after `UnsupportedVersion`, if a later release wrote one; after `InvalidArgument`, if a
/// comparator is missing. After `Io` it may be tried again.
pub fn repair(dir: impl AsRef<Path>, options: &Options) -> Result<RepairReport> {
    let (dir, vfs) = (dir.as_ref(), &options.vfs);
    let names = Names::read(&**vfs, dir)?;
    if names.highest() == 0 {
        return Err(Error::NotADatabase {
            path: dir.to_path_buf(),
            found: "there is no manifest, no log and no table in it".to_owned(),
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
    options: &'r Options,
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
            options,
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

    /// Sets aside what has the name of `CURRENT` or of the next one and is no file, so that a new file can
    /// get that name.
    fn clear_the_way(&mut self) {
        let in_the_way = [
            (self.names.current, file_name::CURRENT),
            (self.names.current_temporary, file_name::CURRENT_TEMPORARY),
        ];
        for (is_there, name) in in_the_way {
            let path = self.dir.join(name);
            let opened = self.vfs.open_random(&path);
            if is_there && opened.is_err_and(|error| error.is_no_file()) {
                self.set_aside(path, NO_FILE);
            }
        }
    }

    /// Reads the manifest in force, or the newest one with a readable beginning, as far as possible.
    fn read_manifest(&mut self) -> Result<()> {
        let Some((number, mut findings)) = self.choose_manifest()? else {
            self.report.rebuilt = true;
            let what = "there is no manifest, so which tables are in force is not known";
            let current = self.dir.join(file_name::CURRENT);
            self.report.lost.push(Finding::damage(&current, 0, what));
            self.leave_out_strays();
            return Ok(());
        };
        self.leave_out_strays();
        let path = file_name::manifest(self.dir, number);
        let overlaps = self
            .survey
            .overlaps(|record| comparator_named(&record.name, &record.comparator, self.options));
        findings.extend(
            overlaps
                .into_iter()
                .map(|what| Finding::damage(&path, 0, what)),
        );
        let sound = findings
            .iter()
            .all(|finding| finding.severity == Severity::Note);
        self.report.lost.append(&mut findings);
        self.believed = sound && self.is_in_force();
        if sound && !self.believed {
            let what =
                "its end is torn, and a file that it names is missing: its last edits are lost";
            self.report.lost.push(Finding::damage(&path, 0, what));
        }
        self.report.rebuilt = !self.believed;
        Ok(())
    }

    /// Surveys the manifest that `CURRENT` names. Without `CURRENT`, the newest one whose first
    /// record is complete; an interrupted opening may leave one without. Returns its number and
    /// what is wrong with it, and with newer ones that were skipped.
    fn choose_manifest(&mut self) -> Result<Option<(u64, Vec<Finding>)>> {
        let in_force = current_manifest(&**self.vfs, self.dir);
        if let Err(error) = &in_force {
            let current = self.dir.join(file_name::CURRENT);
            self.report
                .lost
                .push(Finding::damage(&current, 0, error.to_string()));
        }
        let in_force = in_force
            .ok()
            .filter(|number| self.names.manifests.contains(number));
        let candidates: Vec<u64> = match in_force {
            Some(number) => vec![number],
            None => {
                let numbers = self.names.manifests.range(..=MAX_FILE_NUMBER);
                numbers.rev().copied().collect()
            }
        };
        let mut findings = Vec::new();
        for &number in &candidates {
            let survey = Survey::read(&**self.vfs, self.dir, number, &mut |finding| {
                findings.push(finding);
            });
            let survey = match survey {
                Err(error) if error.is_no_file() => {
                    let path = file_name::manifest(self.dir, number);
                    findings.push(Finding::damage(&path, 0, error.to_string()));
                    continue;
                }
                read => read?,
            };
            if survey.edits > 0 {
                self.survey = survey;
                let newer = candidates.iter().take_while(|newer| **newer > number);
                findings.extend(newer.map(|newer| {
                    let path = file_name::manifest(self.dir, *newer);
                    Finding::note(&path, format!("it was passed over for manifest {number}"))
                }));
                return Ok(Some((number, findings)));
            }
        }
        let newest = candidates.first();
        Ok(newest.map(|newest| (*newest, findings)))
    }

    /// Sets aside files with numbers that no file of this database can have. If counting continued
    /// from those, the database would not open again.
    fn leave_out_strays(&mut self) {
        let last = match self.survey.next_file {
            0 => MAX_FILE_NUMBER,
            _ => self.survey.last_file(),
        };
        for path in self.names.take_beyond(last, self.dir) {
            self.set_aside(
                path,
                "its number is beyond all that this database can have come to",
            );
        }
        self.next_file = AtomicU64::new(self.names.highest() + 1);
    }

    /// Whether the manifest, which is valid as far as it can be read, is complete.
    ///
    /// It may have been cut off between two edits, or damage may have torn its last edit. Then a file is
    /// missing that the lost edit released: the log of a flush, or the inputs of a compaction. But if only a
    /// table is missing, and no other table could have replaced it, then the table is lost and not the edit.
    fn is_in_force(&self) -> bool {
        let log = self.survey.oldest_log;
        let log_is_there = log == 0 || self.names.logs.contains(&log);
        let listed: BTreeSet<u64> = self
            .survey
            .tables
            .keys()
            .map(|(_, number)| *number)
            .collect();
        let torn = !matches!(self.survey.end, Some(LogEnd::Clean { .. }));
        let complete = listed.is_subset(&self.names.tables);
        let strays = !self.names.tables.is_subset(&listed);
        self.survey.end.is_some() && log_is_there && (complete || !(torn || strays))
    }

    /// Whether the manifest, as far as it was read, says that this family existed and was dropped.
    /// Its first record names all families of that time, and the number of the next one.
    fn was_dropped(&self, id: FamilyId) -> bool {
        let is_known = self.survey.families.contains_key(&id);
        self.survey.dropped.contains(&id) || (id.0 < self.survey.next_family && !is_known)
    }

    /// Finds the comparators of all families, or fails before anything is changed.
    fn find_orders(&mut self) -> Result<()> {
        for record in self.survey.families.values() {
            let order = comparator_named(&record.name, &record.comparator, self.options);
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
        let (vfs, order) = (Arc::clone(self.vfs), self.orders[&id].clone());
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
        let family = self.options.of_family(&record.name);
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

    fn set_aside(&mut self, path: PathBuf, why: impl Into<String>) {
        self.report.aside.push((path, why.into()));
    }

    fn move_aside(&mut self) -> Result<()> {
        if self.report.aside.is_empty() && self.names.manifests.is_empty() {
            return Ok(());
        }
        self.vfs.create_dir_all(&self.dir.join(LOST))?;
        self.vfs.sync_dir(self.dir)?;
        for are_named in [false, true] {
            let paths = self.report.aside.iter().map(|(path, _)| path);
            for path in paths.filter(|path| self.is_named(path) == are_named) {
                self.move_to_lost(path)?;
            }
            self.vfs.sync_dir(&self.dir.join(LOST))?;
            self.vfs.sync_dir(self.dir)?;
        }
        Ok(())
    }

    /// Whether the manifest, as far as it could be read, needs this file.
    fn is_named(&self, path: &Path) -> bool {
        match path.file_name().and_then(FileName::parse) {
            Some(FileName::Table(number)) => self.is_listed(number),
            Some(FileName::Log(number)) => number >= self.survey.oldest_log,
            _ => false,
        }
    }

    fn move_to_lost(&self, path: &Path) -> Result<()> {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let mut target = self.dir.join(LOST).join(&name);
        for again in 1.. {
            if !self.vfs.exists(&target)? {
                break;
            }
            target = self.dir.join(LOST).join(format!("{name}.{again}"));
        }
        self.vfs.rename(path, &target)
    }

    fn write_manifest(&mut self, mut state: State) -> Result<()> {
        let number = self.new_number();
        state.next_file = number + 1;
        Manifest::create(Arc::clone(self.vfs), self.dir, number, &state)?;
        let old: Vec<u64> = self.names.manifests.iter().copied().collect();
        for number in old {
            let path = file_name::manifest(self.dir, number);
            self.move_to_lost(&path)?;
            self.set_aside(path, "the new manifest has taken its place");
        }
        self.report.families = state
            .families
            .values()
            .map(|family| family.name.clone())
            .collect();
        for family in state.families.values() {
            for (_, table) in family.version.tables() {
                self.report.tables += 1;
                self.report.entries += table.entries;
            }
        }
        self.vfs
            .sync_dir(&self.dir.join(LOST))
            .or_else(|error| match error.is_not_found() {
                true => Ok(()),
                false => Err(error),
            })?;
        self.vfs.sync_dir(self.dir)
    }

    /// A state with all families, but without tables.
    fn empty_state(&self) -> Result<State> {
        let highest = self
            .survey
            .families
            .keys()
            .next_back()
            .map_or(0, |id| id.0 + 1);
        let edit = VersionEdit {
            families_added: self.survey.families.values().cloned().collect(),
            last_sequence: self
                .reached
                .values()
                .copied()
                .chain([self.survey.last_sequence])
                .max(),
            next_family: Some(self.survey.next_family.max(highest)),
            ..VersionEdit::default()
        };
        self.applied(&State::default(), &edit)
    }

    fn applied(&self, state: &State, edit: &VersionEdit) -> Result<State> {
        let applied = state.apply(edit, |record| self.access(record.id));
        applied.map_err(|what| {
            let path = self.dir.join(file_name::CURRENT);
            Error::corruption(
                path,
                0,
                format!("what was found does not fit together: {what}"),
            )
        })
    }

    /// Adds the family that every database has, even if no table mentions it.
    fn add_default_family(&mut self) {
        if self
            .survey
            .families
            .values()
            .any(|record| record.name == DEFAULT_FAMILY)
        {
            return;
        }
        let id = FamilyId(0);
        let comparator = self
            .options
            .of_family(DEFAULT_FAMILY)
            .comparator
            .name()
            .to_owned();
        self.survey.families.entry(id).or_insert(FamilyRecord {
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

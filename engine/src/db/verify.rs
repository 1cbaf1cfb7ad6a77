//! Verify: reads every byte of a closed database and compares everything that can be compared.
//!
//! Reads and openings only check what they touch. This checks everything, so a bad sector in a
//! table that is rarely read is found while a backup that still has the data exists.
//!
//! What is compared
//! 1. `CURRENT`, and every record of the manifest: checksums, fields, and that no edit contradicts
//!    those before it.
//! 2. That the files of all tables exist, with the length, keys and counts that the manifest states.
//! 3. Every table as a whole: see [`check_table`](crate::sstable::check_table).
//! 4. The levels: below level 0 no user key is in two tables; and of two tables with one user key the upper
//!    one holds the newer versions: see `version_order`.
//! 5. The logs: checksums, batches, that sequence numbers continue without a gap, that each family exists.
//! 6. File names that nothing refers to.
//!
//! This file checks the manifest and the names; points 2 to 4 are in `verify/tables.rs`, point 5 is
//! in `verify/logs.rs`.
//!
//! Memory: the manifest, one log, and the index, the filter and a block of each table of one family. Findings
//! beyond `FINDINGS_PER_FILE_MAX` for a file are only counted.

mod logs;
mod tables;

use std::collections::BTreeMap;
use std::path::Path;

use crate::batch::FamilyId;
use crate::comparator::Comparator;
use crate::db::Options;
use crate::db::directory::lock_for_reading;
use crate::db::family_set::ListedFamily;
use crate::db::survey::{Finding, Names, Severity, Survey, comparator_named};
use crate::error::{Error, Result};
use crate::log::LogEnd;
use crate::version::{current_manifest, file_name, read_contents};
use crate::vfs::Vfs;

/// What [`verify`] found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct VerifyReport {
    /// All findings, file by file.
    pub findings: Vec<Finding>,
    /// The families, in the order of their creation.
    pub families: Vec<ListedFamily>,
    /// How many tables were read.
    pub tables: u64,
    /// Their length in bytes.
    pub table_bytes: u64,
    /// Their entries, according to their properties.
    pub entries: u64,
    /// How many logs were read.
    pub logs: u64,
    /// How many batches they hold.
    pub batches: u64,
}

impl VerifyReport {
    /// Whether nothing is damaged.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.damage().next().is_none()
    }

    /// The findings that are damage.
    pub fn damage(&self) -> impl Iterator<Item = &Finding> {
        self.findings
            .iter()
            .filter(|finding| finding.severity == Severity::Damage)
    }
}

/// Checks the database in `dir`, which must not be open for writing. Nothing is written, and
/// everything that is wrong is reported, not only the first thing.
///
/// The comparators in `options` are used for the families that they belong to. If a family has a
/// custom one that is not given, the order of its keys is not checked, and a note says so.
///
/// # Errors
/// `Locked` if it is open; `NotADatabase` if there is no `CURRENT` and no other file of a database, or all is another
/// program's; `Io` if the directory cannot be read. Files that cannot be read are reported as findings.
pub fn verify(dir: impl AsRef<Path>, options: &Options) -> Result<VerifyReport> {
    let (dir, vfs) = (dir.as_ref(), &*options.vfs);
    let names = Names::read(vfs, dir)?;
    if !names.current && names.highest() == 0 {
        return Err(Error::NotADatabase {
            path: dir.to_path_buf(),
            found: "there is no CURRENT in it, no manifest, no log and no table".to_owned(),
        });
    }
    let _lock = lock_for_reading(vfs, dir)?;
    let manifest = current_manifest(vfs, dir).and_then(|number| read_contents(vfs, dir, number));
    if let Err(error @ Error::NotADatabase { .. }) = manifest {
        return Err(error);
    }
    // List again: files may have been removed before the lock was taken.
    let mut verifier = Verifier {
        names: Names::read(vfs, dir)?,
        vfs,
        dir,
        options,
        report: VerifyReport::default(),
    };
    verifier.run();
    Ok(verifier.report)
}

struct Verifier<'v> {
    names: Names,
    vfs: &'v dyn Vfs,
    dir: &'v Path,
    options: &'v Options,
    report: VerifyReport,
}

impl Verifier<'_> {
    fn damage(&mut self, file: &Path, offset: u64, what: impl Into<String>) {
        self.report
            .findings
            .push(Finding::damage(file, offset, what));
    }

    fn note(&mut self, file: &Path, what: impl Into<String>) {
        self.report.findings.push(Finding::note(file, what));
    }

    fn run(&mut self) {
        let Some((number, survey)) = self.manifest() else {
            self.unlisted(None, None);
            return;
        };
        self.report.families = survey
            .families
            .values()
            .map(|record| ListedFamily {
                name: record.name.clone(),
                comparator: record.comparator.clone(),
            })
            .collect();
        let orders = self.orders(number, &survey);
        for ((family, _), (level, meta)) in &survey.tables {
            let order = orders.get(family);
            self.table(survey.families.get(family), *level, meta, order, &survey);
        }
        self.levels(number, &survey, &orders);
        self.version_orders(number, &survey, &orders);
        if survey.end.is_none() {
            // It is unknown what the rest of the manifest would say about logs and other tables.
            self.unlisted(Some(number), None);
            return;
        }
        self.beyond_all(&survey);
        self.logs(&survey);
        self.unlisted(Some(number), Some(&survey));
    }

    /// The manifest in force, as far as it can be read.
    fn manifest(&mut self) -> Option<(u64, Survey)> {
        let current = self.dir.join(file_name::CURRENT);
        let number = match current_manifest(self.vfs, self.dir) {
            Ok(number) => number,
            Err(Error::Corruption { offset, what, .. }) => {
                self.damage(&current, offset, what);
                return None;
            }
            Err(error) => {
                let what = format!(
                    "{error}. Without it, nothing says which manifest is in force: see repair"
                );
                self.damage(&current, 0, what);
                return None;
            }
        };
        let path = file_name::manifest(self.dir, number);
        let mut findings = Vec::new();
        let survey = Survey::read(self.vfs, self.dir, number, &mut |finding| {
            findings.push(finding);
        });
        self.report.findings.append(&mut findings);
        match survey {
            Ok(survey) => {
                if let Some(LogEnd::Torn { at }) = survey.end {
                    let what = format!(
                        "the edit at byte {at} is torn: it was never in force, or its end is damaged"
                    );
                    self.note(&path, what);
                }
                Some((number, survey))
            }
            Err(error) => {
                let what = match error {
                    Error::Corruption { what, .. } => what,
                    other => other.to_string(),
                };
                self.damage(&current, 0, format!("it names {}: {what}", path.display()));
                None
            }
        }
    }

    /// The comparators that are available, by family.
    fn orders(&mut self, manifest: u64, survey: &Survey) -> BTreeMap<FamilyId, Comparator> {
        let listed = self.options.listed();
        let mut orders = BTreeMap::new();
        for record in survey.families.values() {
            match comparator_named(&record.name, &record.comparator, &listed) {
                Some(order) => drop(orders.insert(record.id, order)),
                None => {
                    let what = format!(
                        "family {:?} is sorted by the comparator {:?}, which is not given: the order of its keys is \
                         not checked",
                        record.name, record.comparator
                    );
                    self.note(&file_name::manifest(self.dir, manifest), what);
                }
            }
        }
        orders
    }

    /// Reports files with numbers so great that no database can have made them: the next opening refuses them.
    fn beyond_all(&mut self, survey: &Survey) {
        for path in self.names.take_beyond(survey.last_file(), self.dir) {
            let what = format!(
                "its number is beyond all that this database can have come to, about {}, so an opening refuses it; move it elsewhere",
                survey.next_file
            );
            self.damage(&path, 0, what);
        }
    }

    fn unlisted(&mut self, manifest: Option<u64>, survey: Option<&Survey>) {
        let gone = "nothing refers to it; the next opening removes it";
        let mut notes = Vec::new();
        if let Some(survey) = survey {
            for &number in self.names.tables.difference(&survey.table_numbers()) {
                notes.push((file_name::table(self.dir, number), gone));
            }
            for &number in self.names.logs.range(..survey.oldest_log) {
                notes.push((file_name::log(self.dir, number), gone));
            }
        }
        for &number in self
            .names
            .manifests
            .iter()
            .filter(|number| Some(**number) != manifest)
        {
            let what = if manifest.is_some() {
                gone
            } else {
                "whether it is in force is not known"
            };
            notes.push((file_name::manifest(self.dir, number), what));
        }
        if self.names.current_temporary {
            notes.push((self.dir.join(file_name::CURRENT_TEMPORARY), gone));
        }
        for name in &self.names.foreign {
            let what = if name == file_name::CHECKPOINT {
                "a checkpoint that was interrupted left it, and nothing needs it"
            } else {
                "it is none of the engine's names, and is left alone"
            };
            notes.push((self.dir.join(name), what));
        }
        for (path, what) in notes {
            self.note(&path, what);
        }
    }
}

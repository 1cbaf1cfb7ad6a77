//! Compares the tables with the manifest and with each other: points 2 to 4 of what `verify` compares.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Verifier;
use crate::annotate::count;
use crate::batch::FamilyId;
use crate::comparator::Comparator;
use crate::db::reopening_vfs::ReopeningVfs;
use crate::db::survey::{Finding, Survey};
use crate::db::version_order::check_version_order;
use crate::error::Error;
use crate::sstable::{Properties, check_table};
use crate::version::{FamilyRecord, FileMeta, TableAccess, Version, file_name};

/// Further findings about one file are only counted: a wrong comparator would cause one for each key.
const FINDINGS_PER_FILE_MAX: usize = 20;

impl Verifier<'_> {
    /// Checks one table: the manifest's entry, the file and its contents.
    pub(super) fn table(
        &mut self,
        family: Option<&FamilyRecord>,
        level: usize,
        meta: &FileMeta,
        order: Option<&Comparator>,
        survey: &Survey,
    ) {
        let path = file_name::table(self.dir, meta.number);
        let file = match self.vfs.open_random(&path) {
            Ok(file) => file,
            Err(error) => {
                let name = family.map_or("", |family| &family.name);
                let what =
                    format!("the manifest lists it in level {level} of family {name:?}: {error}");
                self.damage(&path, 0, what);
                return;
            }
        };
        self.report.tables += 1;
        self.report.table_bytes += file.len();
        let mut found = Capped::new(&path);
        if file.len() != meta.bytes {
            let what = format!(
                "the manifest says {} and the file has {}",
                count(meta.bytes, "byte"),
                file.len()
            );
            found.push(file.len().min(meta.bytes), what);
        }
        let properties = check_table(&*file, order, &mut |at, what| found.push(at, what));
        if let Some(properties) = properties {
            self.report.entries += properties.entries;
            compare(meta, family, &properties, survey, &mut found);
        }
        found.end_into(&mut self.report.findings);
    }

    /// Checks that below level 0 no user key is in two tables.
    pub(super) fn levels(
        &mut self,
        manifest: u64,
        survey: &Survey,
        orders: &BTreeMap<FamilyId, Comparator>,
    ) {
        for what in survey.overlaps(|record| orders.get(&record.id).cloned()) {
            self.damage(&file_name::manifest(self.dir, manifest), 0, what);
        }
    }

    /// Checks that upper tables hold the newer versions of a key. Families with a damaged table are left out:
    /// their tables cannot be read to the end.
    pub(super) fn version_orders(
        &mut self,
        manifest: u64,
        survey: &Survey,
        orders: &BTreeMap<FamilyId, Comparator>,
    ) {
        let manifest = file_name::manifest(self.dir, manifest);
        let damaged: BTreeSet<PathBuf> = self.report.damage().map(|of| of.file.clone()).collect();
        for (id, order) in orders {
            let dir = self.dir;
            // All of them are open at once.
            let vfs = Arc::new(ReopeningVfs(Arc::clone(&self.options.vfs)));
            let access = TableAccess::new(vfs, dir, order.clone(), false).of_family(*id);
            let tables = survey.tables.range((*id, 0)..=(*id, u64::MAX));
            let files: Vec<(usize, FileMeta)> = tables.map(|(_, file)| file.clone()).collect();
            let is_damaged = |(_, meta): &(usize, FileMeta)| {
                damaged.contains(&file_name::table(dir, meta.number))
            };
            if damaged.contains(&manifest) || files.iter().any(is_damaged) {
                continue;
            }
            let mut found = Capped::new(&manifest);
            let checked = Version::of_files(&Arc::new(access), files)
                .map_err(|what| Error::corruption(&manifest, 0, what))
                .and_then(|version| {
                    check_version_order(&version, order, &mut |wrong| found.push_error(wrong))
                });
            if let Err(error) = checked {
                found.push_error(error);
            }
            found.end_into(&mut self.report.findings);
        }
    }
}

/// Compares what the manifest says about a table with what the table says.
fn compare(
    meta: &FileMeta,
    family: Option<&FamilyRecord>,
    properties: &Properties,
    survey: &Survey,
    found: &mut Capped<'_>,
) {
    if meta.entries != properties.entries {
        found.push(
            0,
            format!(
                "the manifest says {}, the table {}",
                count(meta.entries, "entry"),
                properties.entries
            ),
        );
    }
    if meta.range_deletes != properties.range_deletes {
        found.push(
            0,
            format!(
                "the manifest says {}, the table {}",
                count(meta.range_deletes, "range tombstone"),
                properties.range_deletes
            ),
        );
    }
    for what in meta.other_ends(properties) {
        found.push(0, what);
    }
    if properties.sequence_max > survey.last_sequence {
        found.push(
            0,
            format!(
                "it holds the sequence number {}, and the manifest says that tables go up to {}",
                properties.sequence_max, survey.last_sequence
            ),
        );
    }
    if let Some(family) = family
        && (properties.family, &properties.family_name) != (family.id.0, &family.name)
    {
        found.push(
            0,
            format!(
                "it belongs to family {} {:?}, and the manifest lists it in {} {:?}",
                properties.family, properties.family_name, family.id.0, family.name
            ),
        );
    }
}

/// The findings about one file: the first ones in full, the others only counted.
struct Capped<'f> {
    file: &'f Path,
    findings: Vec<Finding>,
    more: u64,
}

impl<'f> Capped<'f> {
    fn new(file: &'f Path) -> Self {
        Self {
            file,
            findings: Vec::new(),
            more: 0,
        }
    }

    fn push(&mut self, offset: u64, what: String) {
        self.keep(Finding::damage(self.file, offset, what));
    }

    /// The finding may be about another file.
    fn push_error(&mut self, error: Error) {
        self.keep(Finding::of_error(self.file, error));
    }

    fn keep(&mut self, finding: Finding) {
        if self.findings.len() < FINDINGS_PER_FILE_MAX {
            self.findings.push(finding);
        } else {
            self.more += 1;
        }
    }

    fn end_into(mut self, findings: &mut Vec<Finding>) {
        if self.more > 0 {
            let what = format!("and {} in this file", count(self.more, "more finding"));
            self.findings.push(Finding::damage(self.file, 0, what));
        }
        findings.append(&mut self.findings);
    }
}

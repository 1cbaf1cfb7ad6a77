//! Compares the tables with the manifest and with each other: points 2 to 4 of what `verify` compares.

use std::collections::BTreeMap;
use std::path::Path;

use super::Verifier;
use crate::batch::FamilyId;
use crate::comparator::Comparator;
use crate::db::survey::{Finding, Survey};
use crate::sstable::{Properties, check_table};
use crate::version::{FamilyRecord, FileMeta, file_name};

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
                "the manifest says {} bytes and the file has {}",
                meta.bytes,
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
                "the manifest says {} entries, the table {}",
                meta.entries, properties.entries
            ),
        );
    }
    if meta.range_deletes != properties.range_deletes {
        found.push(
            0,
            format!(
                "the manifest says {} range tombstones, the table {}",
                meta.range_deletes, properties.range_deletes
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
        if self.findings.len() < FINDINGS_PER_FILE_MAX {
            self.findings.push(Finding::damage(self.file, offset, what));
        } else {
            self.more += 1;
        }
    }

    fn end_into(mut self, findings: &mut Vec<Finding>) {
        if self.more > 0 {
            let what = format!("and {} more findings in this file", self.more);
            self.findings.push(Finding::damage(self.file, 0, what));
        }
        findings.append(&mut self.findings);
    }
}

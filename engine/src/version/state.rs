//! The durable state of a database: families, their versions, and the counters.
//!
//! Everything here can be rebuilt from the manifest's edits, and nothing else is in the manifest.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::batch::FamilyId;
use crate::comparator::Comparator;
use crate::version::edit::{FamilyRecord, FileMeta, MANIFEST_FORMAT, VersionEdit};
use crate::version::{TableAccess, TableFile, Version};
use crate::vfs::Vfs;

/// A family and its tables.
#[derive(Debug, Clone)]
pub struct FamilyState {
    /// The name.
    pub name: String,
    /// The name of the comparator that the files are sorted by.
    pub comparator: String,
    /// How its tables are opened.
    pub access: Arc<TableAccess>,
    /// Its tables.
    pub version: Arc<Version>,
}

/// What the manifest says.
#[derive(Debug, Clone)]
pub struct State {
    /// The families by number.
    pub families: BTreeMap<FamilyId, FamilyState>,
    /// No file has this number or a greater one.
    pub next_file: u64,
    /// Logs with smaller numbers are not needed.
    pub oldest_log: u64,
    /// Every write up to this one is in tables.
    pub last_sequence: u64,
    /// No family has this number or a greater one.
    pub next_family: u32,
}

impl Default for State {
    fn default() -> Self {
        Self {
            families: BTreeMap::new(),
            next_file: 1,
            oldest_log: 0,
            last_sequence: 0,
            next_family: 0,
        }
    }
}

impl State {
    /// The state after an edit. `access_for` says how the tables of a new family are opened.
    ///
    /// # Errors
    /// What in the edit contradicts the state, as part of a sentence.
    pub fn apply(
        &self,
        edit: &VersionEdit,
        mut access_for: impl FnMut(&FamilyRecord) -> Arc<TableAccess>,
    ) -> Result<Self, String> {
        let mut next = self.clone();
        for record in &edit.families_added {
            let family = FamilyState {
                name: record.name.clone(),
                comparator: record.comparator.clone(),
                access: access_for(record),
                version: Arc::default(),
            };
            if next
                .families
                .values()
                .any(|other| other.name == record.name)
            {
                return Err(format!("two families are named {:?}", record.name));
            }
            if next.families.insert(record.id, family).is_some() {
                return Err(format!("family {} is created twice", record.id.0));
            }
        }
        next.change_files(edit)?;
        for id in &edit.families_dropped {
            if next.families.remove(id).is_none() {
                return Err(format!("family {} is dropped and does not exist", id.0));
            }
        }
        next.next_file = edit.next_file.unwrap_or(self.next_file);
        next.oldest_log = edit.oldest_log.unwrap_or(self.oldest_log);
        next.last_sequence = edit.last_sequence.unwrap_or(self.last_sequence);
        next.next_family = edit.next_family.unwrap_or(self.next_family);
        if next.next_file < self.next_file
            || next.oldest_log < self.oldest_log
            || next.last_sequence < self.last_sequence
            || next.next_family < self.next_family
        {
            return Err("a counter runs backwards".to_owned());
        }
        Ok(next)
    }

    fn change_files(&mut self, edit: &VersionEdit) -> Result<(), String> {
        type Changes = (Vec<(usize, u64)>, Vec<(usize, FileMeta)>);
        let mut changes: BTreeMap<FamilyId, Changes> = BTreeMap::new();
        for (id, level, number) in &edit.files_removed {
            changes.entry(*id).or_default().0.push((*level, *number));
        }
        for (id, level, file) in &edit.files_added {
            changes
                .entry(*id)
                .or_default()
                .1
                .push((*level, file.clone()));
        }
        for (id, (removed, added)) in changes {
            let family = self.families.get_mut(&id).ok_or_else(|| {
                format!("tables of family {} change, and it does not exist", id.0)
            })?;
            let access = &family.access;
            // A table that only moves between levels stays the same open file.
            let moved = |number: u64| {
                family
                    .version
                    .tables()
                    .find(|(_, table)| table.number == number)
                    .map(|(_, table)| table)
            };
            let added = added
                .into_iter()
                .map(|(level, file)| {
                    let table = match moved(file.number) {
                        Some(table) => Arc::clone(table),
                        None => Arc::new(TableFile::new(file, Arc::clone(access))),
                    };
                    (level, table)
                })
                .collect();
            let changed = family.version.changed(&access.comparator, &removed, added);
            let changed = changed.map_err(|what| format!("family {:?}: {what}", family.name))?;
            family.version = Arc::new(changed);
        }
        Ok(())
    }

    /// The edit that makes this state out of nothing: what a new manifest begins with.
    #[must_use]
    pub fn as_edit(&self) -> VersionEdit {
        let mut edit = VersionEdit {
            format: Some(MANIFEST_FORMAT),
            next_file: Some(self.next_file),
            oldest_log: Some(self.oldest_log),
            last_sequence: Some(self.last_sequence),
            next_family: Some(self.next_family),
            ..VersionEdit::default()
        };
        for (&id, family) in &self.families {
            edit.families_added.push(FamilyRecord {
                id,
                name: family.name.clone(),
                comparator: family.comparator.clone(),
            });
            for (level, table) in family.version.tables() {
                edit.files_added.push((id, level, FileMeta::clone(table)));
            }
        }
        edit
    }

    /// Whether a version names the table `number`.
    #[must_use]
    pub fn has_table(&self, number: u64) -> bool {
        self.families.values().any(|family| {
            family
                .version
                .tables()
                .any(|(_, table)| table.number == number)
        })
    }
}

impl TableAccess {
    /// How tables are opened when only the manifest is read, and not yet a comparator known.
    #[must_use]
    pub fn new(vfs: Arc<dyn Vfs>, dir: &Path, comparator: Comparator, mapped: bool) -> Self {
        Self {
            vfs,
            dir: dir.to_path_buf(),
            comparator,
            mapped,
        }
    }
}

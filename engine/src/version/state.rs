//! The durable state of a database: families, their versions, and the counters.
//!
//! Everything here can be rebuilt from the manifest's edits, and the manifest holds nothing else.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::mem;
use std::sync::Arc;

use crate::batch::FamilyId;
use crate::internal_key::MAX_SEQUENCE;
use crate::version::edit::{FAMILY_ID_MAX, FamilyRecord, FileMeta, MANIFEST_FORMAT, VersionEdit};
use crate::version::{TableAccess, TableFile, Version};

/// The tables of a family while edits are replayed: for each number its level and what the manifest
/// says about it.
type Replayed = BTreeMap<u64, (usize, FileMeta)>;

/// What an edit makes of a state.
#[derive(Debug)]
pub struct Change {
    /// The families that the edit names.
    touched: BTreeSet<FamilyId>,
    /// The state after it, but of the other families nothing.
    after: State,
}

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

/// The state that the manifest describes.
#[derive(Debug, Clone)]
pub struct State {
    /// The families by number.
    pub families: BTreeMap<FamilyId, FamilyState>,
    /// No file has this number or a greater one yet.
    pub next_file: u64,
    /// Logs with smaller numbers are no longer needed.
    pub oldest_log: u64,
    /// Every write up to this sequence number is in tables.
    pub last_sequence: u64,
    /// Every write up to this sequence number is durable, in tables or logs. What tables hold may have gone beyond it.
    pub durable_sequence: u64,
    /// No family has this number or a greater one yet.
    pub next_family: u32,
    /// The names of the families.
    names: HashSet<String>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            families: BTreeMap::new(),
            next_file: 1,
            oldest_log: 0,
            last_sequence: 0,
            durable_sequence: 0,
            next_family: 0,
            names: HashSet::new(),
        }
    }
}

impl State {
    /// Whether a family has this name.
    #[must_use]
    pub fn has_family(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// What an edit makes of this state. `access_for` says how the tables of a new family are opened.
    ///
    /// Cost: a pass over all tables of the families whose tables change, however many others there are. For many
    /// edits use [`State::replay`].
    ///
    /// # Errors
    /// What in the edit contradicts the state, as part of a sentence.
    pub fn change(
        &self,
        edit: &VersionEdit,
        access_for: impl FnMut(&FamilyRecord) -> Arc<TableAccess>,
    ) -> Result<Change, String> {
        let touched = touched_by(edit);
        let known = touched
            .iter()
            .filter_map(|id| self.families.get_key_value(id));
        let families: BTreeMap<_, _> = known.map(|(id, family)| (*id, family.clone())).collect();
        // The names that the edit could take or give back.
        let mut names: HashSet<_> = families
            .values()
            .map(|family| family.name.clone())
            .collect();
        let added = edit.families_added.iter().map(|record| &record.name);
        names.extend(added.filter(|name| self.has_family(name)).cloned());
        let mut after = Self {
            families,
            names,
            ..*self
        };
        after.add_families(edit, access_for)?;
        after.change_files(edit)?;
        after.drop_families(edit)?;
        after.count(edit)?;
        Ok(Change { touched, after })
    }

    /// Makes a change of this very state. Returns the families that it touches, as they were.
    pub fn make(&mut self, change: Change) -> BTreeMap<FamilyId, FamilyState> {
        let Change { touched, after } = change;
        let (mut families, mut names) = (mem::take(&mut self.families), mem::take(&mut self.names));
        let mut before = BTreeMap::new();
        for id in touched {
            if let Some(family) = families.remove(&id) {
                names.remove(&family.name);
                before.insert(id, family);
            }
        }
        names.extend(after.families.values().map(|family| family.name.clone()));
        families.extend(after.families);
        *self = Self {
            families,
            names,
            ..after
        };
        before
    }

    /// The state after an edit: see [`State::change`].
    ///
    /// # Errors
    /// As for [`State::change`].
    pub fn apply(
        &self,
        edit: &VersionEdit,
        access_for: impl FnMut(&FamilyRecord) -> Arc<TableAccess>,
    ) -> Result<Self, String> {
        let change = self.change(edit, access_for)?;
        let mut next = self.clone();
        next.make(change);
        Ok(next)
    }

    /// The state that all edits of a manifest make. Versions are only made at the end, so the cost
    /// is linear in the size of the edits, up to a logarithm.
    ///
    /// # Errors
    /// Which edit contradicts those before it, and how, as part of a sentence. An error in the
    /// tables as a whole is attributed to the last edit.
    pub fn replay<'e>(
        edits: impl IntoIterator<Item = &'e VersionEdit>,
        mut access_for: impl FnMut(&FamilyRecord) -> Arc<TableAccess>,
    ) -> Result<Self, (usize, String)> {
        let mut state = Self::default();
        let mut tables: BTreeMap<FamilyId, Replayed> = BTreeMap::new();
        let mut last = 0;
        for (at, edit) in edits.into_iter().enumerate() {
            last = at;
            state
                .add_families(edit, &mut access_for)
                .and_then(|()| replay_files(&mut tables, edit, &state))
                .and_then(|()| state.drop_families(edit))
                .and_then(|()| state.count(edit))
                .map_err(|what| (at, what))?;
            for id in &edit.families_dropped {
                tables.remove(id);
            }
        }
        for (id, files) in tables {
            // `replay_files` accepted tables of known families only.
            let Some(family) = state.families.get_mut(&id) else {
                return Err((last, format!("tables of an unknown family {}", id.0)));
            };
            let version = Version::of_files(&family.access, files.into_values().collect());
            let version =
                version.map_err(|what| (last, format!("family {:?}: {what}", family.name)))?;
            family.version = Arc::new(version);
        }
        Ok(state)
    }

    fn add_families(
        &mut self,
        edit: &VersionEdit,
        mut access_for: impl FnMut(&FamilyRecord) -> Arc<TableAccess>,
    ) -> Result<(), String> {
        for record in &edit.families_added {
            let family = FamilyState {
                name: record.name.clone(),
                comparator: record.comparator.clone(),
                access: access_for(record),
                version: Arc::default(),
            };
            if !self.names.insert(record.name.clone()) {
                return Err(format!("two families are named {:?}", record.name));
            }
            if self.families.insert(record.id, family).is_some() {
                return Err(format!("family {} is created twice", record.id.0));
            }
        }
        Ok(())
    }

    fn drop_families(&mut self, edit: &VersionEdit) -> Result<(), String> {
        for id in &edit.families_dropped {
            let Some(dropped) = self.families.remove(id) else {
                return Err(format!("family {} is dropped and does not exist", id.0));
            };
            self.names.remove(&dropped.name);
        }
        Ok(())
    }

    fn count(&mut self, edit: &VersionEdit) -> Result<(), String> {
        fn rise<T: Into<u64> + Copy>(
            name: &str,
            counter: &mut T,
            to: Option<T>,
        ) -> Result<(), String> {
            let next = to.unwrap_or(*counter);
            check_rises(name, (*counter).into(), next.into())?;
            *counter = next;
            Ok(())
        }
        rise("next file number", &mut self.next_file, edit.next_file)?;
        rise("oldest log", &mut self.oldest_log, edit.oldest_log)?;
        rise(
            "last sequence number",
            &mut self.last_sequence,
            edit.last_sequence,
        )?;
        rise(
            "durable sequence number",
            &mut self.durable_sequence,
            edit.durable_sequence,
        )?;
        rise(
            "next family number",
            &mut self.next_family,
            edit.next_family,
        )?;
        check_families_counted(edit, self.next_family)?;
        self.check_countable()
    }

    /// Checks that a manifest may state the counters. A reader would refuse greater ones.
    ///
    /// # Errors
    /// Which counter is at its end, as part of a sentence.
    pub fn check_countable(&self) -> Result<(), String> {
        let counters = [
            ("next file number", self.next_file, MAX_SEQUENCE),
            (
                "next family number",
                u64::from(self.next_family),
                u64::from(FAMILY_ID_MAX) + 1,
            ),
        ];
        match counters.iter().find(|(_, counter, max)| counter > max) {
            Some((name, counter, max)) => Err(format!(
                "the {name} would become {counter}, and {max} is the last one"
            )),
            None => Ok(()),
        }
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
            let family = self
                .families
                .get_mut(&id)
                .ok_or_else(|| no_such_family(id))?;
            let access = &family.access;
            let tables = family.version.tables();
            let open: HashMap<u64, &Arc<TableFile>> =
                tables.map(|(_, table)| (table.number, table)).collect();
            let added = added
                .into_iter()
                .map(|(level, file)| {
                    // A table that only moves between levels stays the same open file.
                    let table = match open.get(&file.number) {
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

    /// The edit that makes this state from nothing: a new manifest begins with it.
    #[must_use]
    pub fn as_edit(&self) -> VersionEdit {
        let mut edit = VersionEdit {
            format: Some(MANIFEST_FORMAT),
            next_file: Some(self.next_file),
            oldest_log: Some(self.oldest_log),
            last_sequence: Some(self.last_sequence),
            durable_sequence: (self.durable_sequence > self.last_sequence)
                .then_some(self.durable_sequence),
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

    /// The numbers of all tables in all versions.
    #[must_use]
    pub fn table_numbers(&self) -> BTreeSet<u64> {
        let versions = self.families.values().map(|family| &family.version);
        versions
            .flat_map(|version| version.tables())
            .map(|(_, table)| table.number)
            .collect()
    }
}

/// Checks a counter, which never decreases.
///
/// # Errors
/// Which counter decreases, and its two values, as part of a sentence.
pub fn check_rises(name: &str, from: u64, to: u64) -> Result<(), String> {
    match to < from {
        true => Err(format!("the {name} runs backwards, from {from} to {to}")),
        false => Ok(()),
    }
}

/// Checks that the families of an edit have numbers below `next_family`, the counter after it. Otherwise
/// a family created later could get the same number.
///
/// # Errors
/// Which family it is, as part of a sentence.
pub fn check_families_counted(edit: &VersionEdit, next_family: u32) -> Result<(), String> {
    let mut added = edit.families_added.iter();
    match added.find(|record| record.id.0 >= next_family) {
        Some(FamilyRecord { id, name, .. }) => Err(format!(
            "family {name:?} has the number {}, and the next family number is {next_family}, so a new family \
             could get the same number",
            id.0
        )),
        None => Ok(()),
    }
}

/// The families that an edit names.
fn touched_by(edit: &VersionEdit) -> BTreeSet<FamilyId> {
    let added = edit.families_added.iter().map(|record| record.id);
    let files_added = edit.files_added.iter().map(|(id, ..)| *id);
    let files_removed = edit.files_removed.iter().map(|(id, ..)| *id);
    let dropped = edit.families_dropped.iter().copied();
    let files = files_added.chain(files_removed);
    added.chain(files).chain(dropped).collect()
}

fn no_such_family(id: FamilyId) -> String {
    format!("tables of family {} change, and it does not exist", id.0)
}

fn replay_files(
    tables: &mut BTreeMap<FamilyId, Replayed>,
    edit: &VersionEdit,
    state: &State,
) -> Result<(), String> {
    let name_of = |id: FamilyId| match state.families.get(&id) {
        Some(family) => Ok(&family.name),
        None => Err(no_such_family(id)),
    };
    for (id, level, number) in &edit.files_removed {
        let (name, files) = (name_of(*id)?, tables.entry(*id).or_default());
        if files.remove(number).is_none_or(|(was, _)| was != *level) {
            return Err(format!(
                "family {name:?}: table {number} is removed from level {level}, where it is not"
            ));
        }
    }
    for (id, level, file) in &edit.files_added {
        let (name, files) = (name_of(*id)?, tables.entry(*id).or_default());
        match files.entry(file.number) {
            Entry::Vacant(place) => place.insert((*level, file.clone())),
            Entry::Occupied(_) => {
                return Err(format!(
                    "family {name:?}: table {} is added twice",
                    file.number
                ));
            }
        };
    }
    Ok(())
}

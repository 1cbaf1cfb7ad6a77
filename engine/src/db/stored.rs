//! What the files of a database say when it is opened: the manifest, then the logs that are still
//! needed. Changes nothing.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;
use std::sync::Arc;

use crate::batch::FamilyId;
use crate::comparator::Comparator;
use crate::db::DEFAULT_FAMILY;
use crate::db::directory::Listing;
use crate::db::options::{Listed, Options, TableReads, Unlisted};
use crate::db::recovery::{self, Recovered};
use crate::error::{Error, Result};
use crate::sstable::SharedReads;
use crate::version::file_name::{self, FILES_UNRECORDED_MAX, FileName};
use crate::version::{
    FamilyRecord, State, TableAccess, VersionEdit, current_manifest, read_manifest,
};
use crate::vfs::LockGuard;

/// Where a database is, and how to read it.
pub(super) struct Stored<'a> {
    pub(super) dir: &'a Path,
    pub(super) options: &'a Options,
    /// What `options` list.
    pub(super) listed: Listed<'a>,
    /// The lock under which tables may be removed; `None` if the database is only read.
    pub(super) lock: Option<&'a Arc<dyn LockGuard>>,
    /// The cache that all tables share.
    pub(super) reads: Arc<SharedReads>,
}

impl Stored<'_> {
    /// The state that the manifest describes, or an empty one if there is no manifest, and what the
    /// logs add to it.
    ///
    /// # Errors
    /// See [`Db::open`](crate::db::Db::open).
    pub(super) fn read(&self, listing: &Listing) -> Result<(State, Recovered)> {
        let (dir, options) = (self.dir, self.options);
        let exists = listing.files.contains(&FileName::Current);
        let mut state = if exists {
            self.read_state()?
        } else {
            State::default()
        };
        check_tables(dir, listing, &state)?;
        let recovered = recovery::replay_logs(
            &*options.vfs,
            dir,
            &listing.logs(),
            &state,
            options.recovery,
            &mut |id| {
                let family = &state.families[&id];
                let options = self.listed.of_family(&family.name);
                options.new_memtable(&family.access.comparator)
            },
        )?;
        let numbers = listing.files.iter().filter_map(|file| file.number());
        let highest = numbers.max().unwrap_or(0);
        if highest > state.next_file.saturating_add(FILES_UNRECORDED_MAX) {
            return Err(Error::invalid(format!(
                "{} holds a file numbered {highest}, which the engine did not make; move it elsewhere",
                dir.display()
            )));
        }
        state.next_file = state.next_file.max(highest + 1);
        Ok((state, recovered))
    }

    /// The state that the manifest in force describes, once the comparators of its families have
    /// been matched with the options.
    fn read_state(&self) -> Result<State> {
        let (dir, vfs) = (self.dir, &self.options.vfs);
        let number = current_manifest(&**vfs, dir)?;
        let mut edits = read_manifest(&**vfs, dir, number)?;
        let dropped: BTreeSet<FamilyId> = edits
            .iter()
            .flat_map(|(_, edit)| edit.families_dropped.iter().copied())
            .collect();
        let mut access = BTreeMap::new();
        for record in edits.iter().flat_map(|(_, edit)| &edit.families_added) {
            if !dropped.contains(&record.id) {
                let comparator = self.comparator_for(record)?;
                let of_family = self.table_access(comparator);
                access.insert(record.id, Arc::new(of_family.of_family(record.id)));
            }
        }
        for (_, edit) in &mut edits {
            // A dropped family does not matter any more, and its comparator may not be available.
            edit.families_added
                .retain(|record| !dropped.contains(&record.id));
            edit.files_added.retain(|(id, ..)| !dropped.contains(id));
            edit.files_removed.retain(|(id, ..)| !dropped.contains(id));
            edit.families_dropped.clear();
        }
        let in_order = edits.iter().map(|(_, edit)| edit);
        State::replay(in_order, |record| Arc::clone(&access[&record.id])).map_err(|(at, what)| {
            let offset = edits.get(at).map_or(0, |(offset, _)| *offset);
            Error::corruption(file_name::manifest(dir, number), offset, what)
        })
    }

    /// Adds the families that the options name and the database does not have yet.
    pub(super) fn add_missing_families(&self, state: &mut State) -> Result<()> {
        let listed = self.options.families.iter().map(|(name, _)| &**name);
        let mut edit = VersionEdit::default();
        let mut access = BTreeMap::new();
        let mut next_family = state.next_family;
        let mut seen = HashSet::new();
        for name in std::iter::once(DEFAULT_FAMILY).chain(listed) {
            if seen.insert(name) && !state.has_family(name) {
                let id = FamilyId(next_family);
                next_family += 1;
                let comparator = self.listed.of_family(name).comparator;
                edit.families_added.push(FamilyRecord {
                    id,
                    name: name.to_owned(),
                    comparator: comparator.name().to_owned(),
                });
                let of_family = self.table_access(comparator).of_family(id);
                access.insert(id, Arc::new(of_family));
            }
        }
        edit.next_family = Some(next_family);
        let applied = state.apply(&edit, |record| Arc::clone(&access[&record.id]));
        *state = applied.map_err(Error::invalid)?;
        Ok(())
    }

    /// The comparator of a stored family: the given one, if it has the stored name. For a family that
    /// is not listed, the stored one, if it is built in.
    fn comparator_for(&self, record: &FamilyRecord) -> Result<Comparator> {
        let listed = self.listed.get(&record.name);
        let may_be_unlisted = self.options.unlisted == Unlisted::Open;
        if listed.is_none() && !may_be_unlisted && record.name != DEFAULT_FAMILY {
            return Err(Error::invalid(format!(
                "the database has a column family {:?}, which the options do not list",
                record.name
            )));
        }
        let given = self.listed.of_family(&record.name).comparator;
        if given.name() == record.comparator {
            return Ok(given);
        }
        match Comparator::built_in(&record.comparator) {
            Some(stored) if listed.is_none() => Ok(stored),
            _ => Err(Error::ComparatorMismatch {
                family: record.name.clone(),
                stored: record.comparator.clone(),
                given: given.name().to_owned(),
                listed: listed.is_some(),
            }),
        }
    }

    fn table_access(&self, comparator: Comparator) -> TableAccess {
        let mapped = self.options.table_reads == TableReads::Mapped;
        let vfs = Arc::clone(&self.options.vfs);
        let access = TableAccess::new(vfs, self.dir, comparator, mapped).sharing(&self.reads);
        match self.lock {
            Some(lock) => access.under(lock),
            None => access,
        }
    }
}

fn check_tables(dir: &Path, listing: &Listing, state: &State) -> Result<()> {
    let there: BTreeSet<u64> = listing
        .files
        .iter()
        .filter_map(|file| match file {
            FileName::Table(number) => Some(*number),
            _ => None,
        })
        .collect();
    for family in state.families.values() {
        for (level, table) in family.version.tables() {
            if !there.contains(&table.number) {
                let what = format!(
                    "the file is missing, and the manifest lists it in level {level} of family {:?}",
                    family.name
                );
                return Err(Error::corruption(
                    file_name::table(dir, table.number),
                    0,
                    what,
                ));
            }
        }
    }
    Ok(())
}

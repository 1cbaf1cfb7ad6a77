//! Opening: look, lock, recover, and only then change anything.
//!
//! Steps
//! 1. Look at the directory. If it is not a database, or not one that these options fit, say so and touch nothing.
//! 2. Lock it.
//! 3. Read the manifest and the logs that are still needed into memory.
//! 4. Make what was recovered durable, start a new log and a new manifest, and put that in force.
//! 5. Remove what nothing refers to any more.
//!
//! An error before step 4 leaves every byte as it was. An error in step 4 leaves the old manifest in
//! force, or the new one, which says the same.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};

use arc_swap::ArcSwap;
use parking_lot::{Mutex, ReentrantMutex};

use crate::batch::{DatabaseId, FamilyId};
use crate::comparator::Comparator;
use crate::db::commit::CommitQueue;
use crate::db::core::{Core, FrozenSet, ManifestInForce, most_in_level0};
use crate::db::directory::{Listing, admit, create_directory, list, look};
use crate::db::events::{Event, Events, TableInfo};
use crate::db::family::{FamilyCore, View};
use crate::db::memtable_set::MemtableSet;
use crate::db::options::{FamilyOptions, Options, TableReads, Unlisted};
use crate::db::recovery::{self, Recovered};
use crate::db::signals::Signals;
use crate::db::snapshot::SnapshotList;
use crate::db::statistics::Counters;
use crate::db::visible::Visible;
use crate::db::writer::{Writer, new_log};
use crate::db::{DEFAULT_FAMILY, Db};
use crate::error::{Error, Result};
use crate::memtable::Memtable;
use crate::sstable::SharedReads;
use crate::version::file_name::{self, FILES_UNRECORDED_MAX, FileName};
use crate::version::{
    FamilyRecord, Manifest, State, TableAccess, VersionEdit, current_manifest, read_manifest,
};
use crate::vfs::{LockGuard, Vfs};

pub(super) fn open(dir: &Path, options: &Options) -> Result<Db> {
    options.check()?;
    let vfs = Arc::clone(&options.vfs);
    // Files are opened for as long as the database is open, and the process may go elsewhere meanwhile.
    let dir = &*vfs.absolute(dir)?;
    look(dir, options)?;
    create_directory(&*vfs, dir)?;
    let lock: Arc<dyn LockGuard> = vfs.lock(&dir.join(file_name::LOCK))?.into();
    // Once more, now that nobody else can change it. Somebody may have created or removed a database since.
    let listing = list(&*vfs, dir)?;
    admit(dir, options, &listing)?;
    let exists = listing.files.contains(&FileName::Current);
    let reads = Arc::new(SharedReads::new(options.block_cache_bytes));
    let mut state = if exists {
        recover_state(dir, options, (&lock, &reads))?
    } else {
        State::default()
    };
    check_tables(dir, &listing, &state)?;
    let recovered = recovery::replay_logs(
        &*vfs,
        dir,
        &listing.logs(),
        &state,
        options.recovery,
        &mut |id| {
            let family = &state.families[&id];
            let options = options.of_family(&family.name);
            options.new_memtable(&family.access.comparator)
        },
    )?;
    let highest = listing
        .files
        .iter()
        .filter_map(|file| file.number())
        .max()
        .unwrap_or(0);
    if highest > state.next_file.saturating_add(FILES_UNRECORDED_MAX) {
        return Err(Error::invalid(format!(
            "{} holds a file numbered {highest}, which the engine did not make; move it elsewhere",
            dir.display()
        )));
    }
    state.next_file = state.next_file.max(highest + 1);
    add_missing_families(&mut state, dir, options, (&lock, &reads))?;
    let core = Core::start(dir, options, state, recovered, lock, reads)?;
    core.remove_unneeded(&listing);
    core.tell_opened();
    Db::from_core(core)
}

/// The state as the manifest in force says, for families whose comparators are the ones given.
fn recover_state(dir: &Path, options: &Options, shared: Shared<'_>) -> Result<State> {
    let vfs = &options.vfs;
    let number = current_manifest(&**vfs, dir)?;
    let mut edits = read_manifest(&**vfs, dir, number)?;
    let dropped: BTreeSet<FamilyId> = edits
        .iter()
        .flat_map(|(_, edit)| edit.families_dropped.iter().copied())
        .collect();
    let mut access = BTreeMap::new();
    for record in edits.iter().flat_map(|(_, edit)| &edit.families_added) {
        if !dropped.contains(&record.id) {
            let comparator = comparator_for(record, options)?;
            let of_family = table_access(dir, options, comparator, shared);
            access.insert(record.id, Arc::new(of_family.of_family(record.id)));
        }
    }
    for (_, edit) in &mut edits {
        // What became of a family that is gone is of no interest, and its order is not known.
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

/// What all tables of the database have: the lock under which they may be removed, and the cache.
type Shared<'a> = (&'a Arc<dyn LockGuard>, &'a Arc<SharedReads>);

fn table_access(
    dir: &Path,
    options: &Options,
    comparator: Comparator,
    (lock, reads): Shared<'_>,
) -> TableAccess {
    let mapped = options.table_access == TableReads::Mapped;
    let access = TableAccess::new(Arc::clone(&options.vfs), dir, comparator, mapped);
    access.under(lock).sharing(reads)
}

/// The comparator of a stored family: the one given, if it has the stored name; for a family that is not listed,
/// the stored one, if the engine has it.
fn comparator_for(record: &FamilyRecord, options: &Options) -> Result<Comparator> {
    let listed = options
        .families
        .iter()
        .any(|(name, _)| *name == record.name);
    if !listed && options.unlisted == Unlisted::Refuse && record.name != DEFAULT_FAMILY {
        return Err(Error::invalid(format!(
            "the database has a column family {:?}, which the options do not list",
            record.name
        )));
    }
    let given = options.of_family(&record.name).comparator;
    if given.name() == record.comparator {
        return Ok(given);
    }
    match Comparator::built_in(&record.comparator) {
        Some(stored) if !listed => Ok(stored),
        _ => Err(Error::ComparatorMismatch {
            family: record.name.clone(),
            stored: record.comparator.clone(),
            given: given.name().to_owned(),
            listed,
        }),
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

/// Adds the families that the options name and the database does not have yet.
fn add_missing_families(
    state: &mut State,
    dir: &Path,
    options: &Options,
    shared: Shared<'_>,
) -> Result<()> {
    let listed = options
        .families
        .iter()
        .map(|(name, options)| (name.as_str(), options.clone()));
    let default = (DEFAULT_FAMILY, options.of_family(DEFAULT_FAMILY));
    let mut edit = VersionEdit::default();
    let mut access = BTreeMap::new();
    let mut next_family = state.next_family;
    for (name, family) in std::iter::once(default).chain(listed) {
        let known = state.families.values().any(|known| known.name == name)
            || edit.families_added.iter().any(|added| added.name == name);
        if !known {
            let id = FamilyId(next_family);
            next_family += 1;
            let comparator = family.comparator.clone();
            let of_family = table_access(dir, options, comparator, shared);
            access.insert(id, Arc::new(of_family.of_family(id)));
            let comparator = family.comparator.name().to_owned();
            edit.families_added.push(FamilyRecord {
                id,
                name: name.to_owned(),
                comparator,
            });
        }
    }
    edit.next_family = Some(next_family);
    let applied = state.apply(&edit, |record| Arc::clone(&access[&record.id]));
    *state = applied.map_err(Error::invalid)?;
    Ok(())
}

impl Core {
    /// Puts the recovered state in force and starts a new log.
    fn start(
        dir: &Path,
        options: &Options,
        mut state: State,
        mut recovered: Recovered,
        lock: Arc<dyn LockGuard>,
        reads: Arc<SharedReads>,
    ) -> Result<Arc<Self>> {
        let vfs = &options.vfs;
        recovered.make_durable(&**vfs, dir)?;
        let log_number = state.next_file;
        let manifest_number = log_number + 1;
        state.next_file = manifest_number + 1;
        recovered.link(log_number);
        state.oldest_log = recovered.oldest_log().unwrap_or(log_number);
        let log = new_log(&**vfs, dir, log_number)?;
        // This syncs the directory, so the new log's name is durable too.
        let manifest = Manifest::create(Arc::clone(vfs), dir, manifest_number, &state)
            .inspect_err(|_| take_back(&**vfs, dir, log_number, manifest_number))?;
        let signals = Arc::new(Signals::default());
        let mut memtables = Vec::new();
        let mut families = Vec::new();
        for (&id, of_state) in &state.families {
            let family_options = FamilyOptions {
                comparator: of_state.access.comparator.clone(),
                ..options.of_family(&of_state.name)
            };
            let fresh = family_options.new_memtable(&family_options.comparator);
            let view = View {
                memtable: fresh.reader(),
                frozen: frozen_of(&recovered.sets, id),
                version: Arc::clone(&of_state.version),
            };
            memtables.push((id, fresh));
            let family = FamilyCore::new(id, &of_state.name, family_options, view);
            let asks = options.read_compaction.then(|| Arc::clone(&signals));
            families.push(Arc::new(family.asking(asks)));
        }
        let memtables = MemtableSet::new(memtables, options.total_bytes());
        let last_sequence = recovered.last_sequence;
        Ok(Arc::new(Self {
            id: DatabaseId::next(),
            dir: dir.to_path_buf(),
            vfs: Arc::clone(vfs),
            background: options.background,
            mapped: options.table_access == TableReads::Mapped,
            reads,
            families: ArcSwap::from_pointee(families),
            level0_tables: AtomicUsize::new(most_in_level0(&state)),
            visible: Visible::new(last_sequence),
            next_file: AtomicU64::new(state.next_file),
            snapshots: SnapshotList::default(),
            queue: CommitQueue::default(),
            writer: Mutex::new(Writer::new(log, log_number, memtables, last_sequence)),
            syncing: Mutex::default(),
            manifest: Mutex::new(ManifestInForce { manifest, state }),
            frozen: Mutex::new(
                recovered
                    .sets
                    .into_iter()
                    .map(Arc::new)
                    .collect::<VecDeque<_>>(),
            ),
            flushing: ReentrantMutex::default(),
            compacting: ReentrantMutex::default(),
            signals,
            read_compaction: options.read_compaction,
            poison: OnceLock::new(),
            events: options.listener.clone().map(Events::new),
            next_job: AtomicU64::new(1),
            counters: Counters::default(),
            closing: AtomicBool::new(false),
            lock: Mutex::new(Some(lock)),
        }))
    }

    /// Tells what lies in the levels, before anything can change it.
    fn tell_opened(&self) {
        self.tell(|| {
            let families = self.families.load();
            let tables_of = |family: &Arc<FamilyCore>| -> Vec<_> {
                let view = family.view.load();
                let tables = view.version.tables();
                tables
                    .map(|(level, table)| TableInfo::new(&family.name, level, table))
                    .collect()
            };
            Event::Opened {
                families: families.iter().map(|family| family.name.clone()).collect(),
                tables: families.iter().flat_map(tables_of).collect(),
            }
        });
    }

    /// Removes what an earlier life left: nothing refers to it, now that the new manifest is in force.
    fn remove_unneeded(&self, listing: &Listing) {
        let in_force = self.manifest.lock();
        let tables = in_force.state.table_numbers();
        for file in &listing.files {
            let path = match *file {
                FileName::Table(number) if !tables.contains(&number) => {
                    file_name::table(&self.dir, number)
                }
                FileName::Log(number) if number < in_force.state.oldest_log => {
                    file_name::log(&self.dir, number)
                }
                FileName::Manifest(number) => file_name::manifest(&self.dir, number),
                FileName::CurrentTemporary => self.dir.join(file_name::CURRENT_TEMPORARY),
                _ => continue,
            };
            // What cannot be removed now is found again at the next open.
            let _ = self.vfs.remove(&path);
        }
    }
}

/// Removes what an opening that failed has created, unless it is in force: on a full disk, where each try
/// fails, files would else pile up.
fn take_back(vfs: &dyn Vfs, dir: &Path, log_number: u64, manifest_number: u64) {
    let in_force = match current_manifest(vfs, dir) {
        Ok(number) => number == manifest_number,
        Err(error) => !error.is_not_found(),
    };
    // A power cut may still show another `CURRENT` than is seen now, if the rename failed halfway; not after this sync.
    if in_force || vfs.sync_dir(dir).is_err() {
        return;
    }
    let temporary = dir.join(file_name::CURRENT_TEMPORARY);
    let manifest = file_name::manifest(dir, manifest_number);
    for path in [file_name::log(dir, log_number), manifest, temporary] {
        // What stays is swept by the next opening that succeeds.
        let _ = vfs.remove(&path);
    }
}

/// The memtables of a family in the recovered sets, the newest first.
fn frozen_of(sets: &[FrozenSet], id: FamilyId) -> Vec<Memtable> {
    let of_set = |set: &FrozenSet| {
        set.memtables
            .iter()
            .find(|(of, _)| *of == id)
            .map(|(_, memtable)| memtable.clone())
    };
    sets.iter().rev().filter_map(of_set).collect()
}

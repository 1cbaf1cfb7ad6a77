//! Opening: look at the directory, lock it, recover, and only then change anything.
//!
//! Steps
//! 1. Look at the directory. If it is not a database, or does not fit the options, report that and
//!    touch nothing.
//! 2. Lock it.
//! 3. Read the manifest and the logs that are still needed into memory: see `stored`.
//! 4. Make what was recovered durable, start a new log and a new manifest, and put the manifest in force.
//! 5. Remove files that nothing refers to any more.
//!
//! An error before step 4 leaves every byte as it was. After an error in step 4 the old manifest is
//! in force, or the new one, which says the same.
//!
//! An opening for reading only ends with step 3: see `read_only`.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};

use arc_swap::ArcSwap;
use parking_lot::{Mutex, ReentrantMutex};

use crate::batch::{DatabaseId, FamilyId};
use crate::db::Db;
use crate::db::commit::CommitQueue;
use crate::db::core::{Core, FrozenSet, ManifestInForce, most_in_level0};
use crate::db::directory::{Listing, admit, create_directory, list, look};
use crate::db::events::{Event, Events, TableInfo};
use crate::db::family::{FamilyCore, View};
use crate::db::leftovers::Leftovers;
use crate::db::memtable_set::MemtableSet;
use crate::db::options::{FamilyOptions, Options};
use crate::db::recovery::Recovered;
use crate::db::signals::Signals;
use crate::db::snapshot::SnapshotList;
use crate::db::statistics::Counters;
use crate::db::stored::Stored;
use crate::db::visible::Visible;
use crate::db::writer::{Writer, new_log};
use crate::error::{Error, Result};
use crate::log::LogWriter;
use crate::memtable::{Memtable, MemtableWriter};
use crate::sstable::SharedReads;
use crate::version::file_name::{self, FileName};
use crate::version::{Manifest, State, current_manifest};
use crate::vfs::{LockGuard, SealedFile, Vfs};

pub(super) fn open(dir: &Path, options: &Options) -> Result<Db> {
    options.check()?;
    let vfs = Arc::clone(&options.vfs);
    // Files are opened for as long as the database is open, and the process may change its working
    // directory meanwhile.
    let dir = &*vfs.absolute(dir)?;
    look(dir, options)?;
    create_directory(&*vfs, dir)?;
    let lock: Arc<dyn LockGuard> = vfs.lock(&dir.join(file_name::LOCK))?.into();
    // Check again, now that no other process can change it: a database may have been created or
    // removed in the meantime.
    let listing = list(&*vfs, dir)?;
    admit(dir, options, &listing)?;
    let stored = Stored {
        dir,
        options,
        listed: options.listed(),
        lock: Some(&lock),
        reads: Arc::new(SharedReads::new(options.block_cache_bytes)),
    };
    let (mut state, mut recovered) = stored.read(&listing)?;
    stored.add_missing_families(&mut state)?;
    let started = Started::start(&stored, &mut state, &mut recovered)?;
    let core = Core::new(
        &stored,
        state,
        recovered,
        Some(started),
        Some(Arc::clone(&lock)),
    );
    core.remove_unneeded(&listing);
    core.tell_opened();
    Db::from_core(Arc::new(core))
}

/// The files that an opening creates for later writes.
pub(super) struct Started {
    log: LogWriter,
    log_number: u64,
    manifest: Manifest,
}

impl Started {
    /// Makes durable what was recovered, starts a new log and a new manifest, and puts the manifest in force.
    fn start(stored: &Stored<'_>, state: &mut State, recovered: &mut Recovered) -> Result<Self> {
        let (dir, vfs) = (stored.dir, &stored.options.vfs);
        recovered.make_durable(&**vfs, dir)?;
        let log_number = state.next_file;
        let manifest_number = log_number + 1;
        state.next_file = manifest_number + 1;
        recovered.link(log_number);
        state.oldest_log = recovered.oldest_log().unwrap_or(log_number);
        state.durable_sequence = recovered.last_sequence;
        state
            .check_countable()
            .map_err(|what| Error::corruption(dir.join(file_name::CURRENT), 0, what))?;
        let log = new_log(&**vfs, dir, log_number)?;
        // This syncs the directory, so the new log's name is durable too.
        let manifest = Manifest::create(Arc::clone(vfs), dir, manifest_number, state)
            .inspect_err(|_| take_back(&**vfs, dir, log_number, manifest_number))?;
        Ok(Self {
            log,
            log_number,
            manifest,
        })
    }

    /// Files that accept no writes.
    fn sealed(stored: &Stored<'_>) -> Self {
        Self {
            log: LogWriter::new(Box::new(SealedFile::of(stored.dir)), 0),
            log_number: 0,
            manifest: Manifest::sealed(Arc::clone(&stored.options.vfs), stored.dir),
        }
    }
}

impl Core {
    /// A database with this state. If nothing was `started` that accepts writes, it is for reading only.
    pub(super) fn new(
        stored: &Stored<'_>,
        state: State,
        recovered: Recovered,
        started: Option<Started>,
        lock: Option<Arc<dyn LockGuard>>,
    ) -> Self {
        let options = stored.options;
        let read_only = started.is_none();
        let files = started.unwrap_or_else(|| Started::sealed(stored));
        let signals = Arc::new(Signals::default());
        let (memtables, families) = families_of(stored, &state, &recovered.sets, &signals);
        let memtables = MemtableSet::new(memtables, options.total_bytes());
        let last_sequence = recovered.last_sequence;
        Self {
            id: DatabaseId::next(),
            dir: stored.dir.to_path_buf(),
            vfs: Arc::clone(&options.vfs),
            background: options.background,
            reads: Arc::clone(&stored.reads),
            families: ArcSwap::from_pointee(families),
            level0_tables: AtomicUsize::new(most_in_level0(&state)),
            visible: Visible::new(last_sequence),
            next_file: AtomicU64::new(state.next_file),
            snapshots: SnapshotList::default(),
            leftovers: Leftovers::default(),
            queue: CommitQueue::default(),
            writer: Mutex::new(Writer::new(
                files.log,
                files.log_number,
                memtables,
                last_sequence,
            )),
            syncing: Mutex::default(),
            naming: Mutex::default(),
            manifest: Mutex::new(ManifestInForce {
                manifest: files.manifest,
                state,
            }),
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
            read_only,
            torn_logs: recovered.torn,
            poison: OnceLock::new(),
            events: options.listener.clone().map(Events::new),
            next_job: AtomicU64::new(1),
            counters: Counters::default(),
            closing: AtomicBool::new(false),
            lock: Mutex::new(lock),
        }
    }

    /// Reports which tables are in the levels, before anything can change that.
    pub(super) fn tell_opened(&self) {
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

    /// Removes files of earlier openings that nothing refers to, now that the new manifest is in force.
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
            // What cannot be removed now is found again by the next opening.
            let _ = self.vfs.remove(&path);
        }
    }
}

/// Removes what a failed opening has created, unless it is in force. Otherwise files would pile up
/// on a full disk, where each try fails.
fn take_back(vfs: &dyn Vfs, dir: &Path, log_number: u64, manifest_number: u64) {
    let in_force = match current_manifest(vfs, dir) {
        Ok(number) => number == manifest_number,
        Err(error) => !error.is_not_found(),
    };
    // If the rename failed halfway, a power cut might still show another `CURRENT` than is seen
    // now. After this sync it cannot.
    if in_force || vfs.sync_dir(dir).is_err() {
        return;
    }
    let temporary = dir.join(file_name::CURRENT_TEMPORARY);
    let manifest = file_name::manifest(dir, manifest_number);
    for path in [file_name::log(dir, log_number), manifest, temporary] {
        // What cannot be removed now, the next successful opening removes.
        let _ = vfs.remove(&path);
    }
}

/// The families of a state, each with a fresh memtable before those that were recovered. The writers
/// of the fresh memtables are returned apart, because only the leader of a write group may use them.
fn families_of(
    stored: &Stored<'_>,
    state: &State,
    recovered: &[FrozenSet],
    signals: &Arc<Signals>,
) -> (Vec<(FamilyId, MemtableWriter)>, Vec<Arc<FamilyCore>>) {
    let mut memtables = Vec::new();
    let mut families = Vec::new();
    for (&id, of_state) in &state.families {
        let family_options = FamilyOptions {
            comparator: of_state.access.comparator.clone(),
            ..stored.listed.of_family(&of_state.name)
        };
        let fresh = family_options.new_memtable(&family_options.comparator);
        let view = View {
            memtable: fresh.reader(),
            frozen: frozen_of(recovered, id),
            version: Arc::clone(&of_state.version),
        };
        memtables.push((id, fresh));
        let family = FamilyCore::new(id, &of_state.name, family_options, view);
        let asks = stored.options.read_compaction.then(|| Arc::clone(signals));
        families.push(Arc::new(family.asking(asks)));
    }
    (memtables, families)
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

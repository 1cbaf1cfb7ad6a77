//! What all handles and threads of an open database share, and its locks.
//!
//! Locks, in the order in which they may be taken: no thread holds a later one while it waits for
//! an earlier one.
//!
//! 1. `writer`: for the leader of a write group, and to rotate memtables or change the set of families.
//! 2. `flushing`, `compacting`: one flush and one compaction at a time, whichever thread does them.
//! 3. `manifest`: an edit is applied, written, synced and published under it, so all see one order of edits.
//! 4. `syncing`, then `naming`: to sync a log or the directory. A failure poisons the database
//!    before the lock is released, so before any other thread syncs.
//! 5. `signals`, then `frozen`; the queue of writers; the snapshots; what they left over; `lock`; the queue of events: held for a few
//!    instructions.
//!
//! Readers take none of them: they load a family's view, then the visible sequence number. They ignore
//! writes in the view that are newer than the number. If the memtable is rotated between the two loads, the
//! view lacks what was written since, and shows the family as it was at the rotation, which is also one
//! consistent state. In the other order a compaction might already have dropped a version that the number
//! needs. For a snapshot the number is taken first, because compactions keep what a snapshot sees: see
//! `snapshot` for what a compaction filter had already removed.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::fmt;
use std::mem;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use arc_swap::ArcSwap;
use parking_lot::{Mutex, MutexGuard, ReentrantMutex, ReentrantMutexGuard};

use crate::batch::{DatabaseId, FamilyId};
use crate::db::Background;
use crate::db::commit::CommitQueue;
use crate::db::events::{Event, Events, TableInfo};
use crate::db::family::{FamilyCore, find_family};
use crate::db::jobs::IfUnwinding;
use crate::db::leftovers::Leftovers;
use crate::db::recovery::TornLog;
use crate::db::signals::{Signals, closed};
use crate::db::snapshot::SnapshotList;
use crate::db::statistics::Counters;
use crate::db::visible::Visible;
use crate::db::writer::Writer;
use crate::error::{Error, Result};
use crate::memtable::Memtable;
use crate::sstable::SharedReads;
use crate::version::{FamilyRecord, FamilyState, Manifest, State, VersionEdit, file_name};
use crate::vfs::{LockGuard, Vfs};

/// What all handles and threads of an open database share.
pub(super) struct Core {
    /// Distinguishes its families from those of other open databases.
    pub(super) id: DatabaseId,
    pub(super) dir: PathBuf,
    pub(super) vfs: Arc<dyn Vfs>,
    pub(super) background: Background,
    /// The block cache, and the counters of reads.
    pub(super) reads: Arc<SharedReads>,
    /// The open families, by ascending number.
    pub(super) families: ArcSwap<Vec<Arc<FamilyCore>>>,
    /// The most tables that any family has in level 0, for writers to check cheaply.
    pub(super) level0_tables: AtomicUsize,
    /// The sequence number of the last write that readers see.
    pub(super) visible: Visible,
    /// Numbers below this one are already used.
    pub(super) next_file: AtomicU64,
    pub(super) snapshots: SnapshotList,
    pub(super) leftovers: Leftovers,
    pub(super) queue: CommitQueue,
    pub(super) writer: Mutex<Writer>,
    /// Held while a log is synced, until a failure has poisoned the database. The system reports a
    /// failed sync only once, and a second sync would succeed. A thread with the writer's lock may
    /// take it, but not the other way round.
    pub(super) syncing: Mutex<()>,
    /// The same for syncing the directory. It is a separate lock because otherwise flushes would
    /// wait for the writers' syncs.
    pub(super) naming: Mutex<()>,
    pub(super) manifest: Mutex<ManifestInForce>,
    /// Full memtables that are waiting to be flushed, the oldest first.
    pub(super) frozen: Mutex<VecDeque<Arc<FrozenSet>>>,
    /// Reentrant only so that a compaction filter can close the database.
    pub(super) flushing: ReentrantMutex<()>,
    pub(super) compacting: ReentrantMutex<()>,
    pub(super) signals: Arc<Signals>,
    /// Whether reads request compactions.
    pub(super) read_compaction: bool,
    /// Whether it was opened for reading only. It then refuses writes in the same places where a
    /// poisoned database does, but from the beginning.
    pub(super) read_only: bool,
    /// The logs that had lost their end at the opening.
    pub(super) torn_logs: Vec<TornLog>,
    /// The message of the first failed write to log or manifest.
    pub(super) poison: OnceLock<String>,
    /// Delivers events to the listener, if there is one.
    pub(super) events: Option<Events>,
    /// Numbers flushes and compactions.
    pub(super) next_job: AtomicU64,
    /// Counts what was written and how long writers waited.
    pub(super) counters: Counters,
    /// Set when closing begins; background work then stops.
    pub(super) closing: AtomicBool,
    /// The lock of the directory; `None` after closing, or for a reader if there is no lock file.
    /// Work that is still running holds it too.
    pub(super) lock: Mutex<Option<Arc<dyn LockGuard>>>,
}

/// The right to do a piece of work in the directory. Its fields are dropped in this order.
pub(super) struct Working<'a> {
    _directory: Arc<dyn LockGuard>,
    _turn: Turn<'a>,
}

/// The lock for a kind of work. At its end the thread that waits for it gets it: the background thread asks again at
/// once, and would otherwise do all that is due before anyone else.
struct Turn<'a>(Option<ReentrantMutexGuard<'a, ()>>);

impl<'a> Turn<'a> {
    fn wait(kind: &'a ReentrantMutex<()>) -> Self {
        Self(Some(kind.lock()))
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if let Some(guard) = self.0.take() {
            ReentrantMutexGuard::unlock_fair(guard);
        }
    }
}

/// The manifest and what it says.
#[derive(Debug)]
pub(super) struct ManifestInForce {
    pub(super) manifest: Manifest,
    pub(super) state: State,
}

/// The memtables that one log covers, full and waiting to be flushed.
///
/// A log and its memtables are rotated and flushed together. So a batch over several families gets
/// into tables as a whole or not at all, and a log is needed exactly as long as its set.
#[derive(Debug)]
pub(super) struct FrozenSet {
    pub(super) log_number: u64,
    /// The log that continues where this set's log ends.
    pub(super) next_log: u64,
    pub(super) last_sequence: u64,
    pub(super) memtables: Vec<(FamilyId, Memtable)>,
}

impl Core {
    pub(super) fn visible_sequence(&self) -> u64 {
        self.visible.now()
    }

    /// Where the reads of a family request compactions, if they may.
    pub(super) fn asks(&self) -> Option<Arc<Signals>> {
        self.read_compaction.then(|| Arc::clone(&self.signals))
    }

    pub(super) fn new_file_number(&self) -> u64 {
        self.next_file.fetch_add(1, Ordering::Relaxed)
    }

    pub(super) fn family(&self, id: FamilyId) -> Option<Arc<FamilyCore>> {
        find_family(&self.families.load(), id).cloned()
    }

    pub(super) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// # Errors
    /// As for [`check_takes_writes`](Self::check_takes_writes), and `InvalidArgument` after closing, or if the event
    /// listener or a compaction filter calls.
    pub(super) fn check_writable(&self) -> Result<()> {
        self.check_takes_writes()?;
        if self.is_closing() {
            return Err(closed());
        }
        self.check_caller()?;
        // Whoever leads the writers may be waiting for this very compaction.
        if self.compacting.is_owned_by_current_thread() {
            return Err(Error::invalid(
                "a compaction filter can only read, because anything else might wait for its own compaction. Let \
                 another thread do it, and do not wait for that thread in the filter",
            ));
        }
        Ok(())
    }

    /// Refuses a call that the event listener makes. The thread that it is called by may hold the writer's lock, or do
    /// the flush or the compaction that a writer waits for.
    ///
    /// # Errors
    /// `InvalidArgument`.
    pub(super) fn check_caller(&self) -> Result<()> {
        let events = self.events.as_ref();
        if events.is_some_and(Events::is_call_of_listener) {
            return Err(Error::invalid(
                "an event listener can only read, because anything else might wait for the thread that calls the \
                 listener. Let another thread do it, and do not wait for that thread in the listener",
            ));
        }
        Ok(())
    }

    /// Takes the lead of the writers without a batch, to change what they write to.
    ///
    /// # Errors
    /// As for [`check_writable`](Self::check_writable).
    pub(super) fn take_lead(&self) -> Result<MutexGuard<'_, Writer>> {
        // Before it waits, for the sake of a listener that is called under this lock, and of a compaction filter.
        self.check_writable()?;
        let writer = self.writer.lock();
        self.check_writable()?;
        Ok(writer)
    }

    /// Waits for its turn to flush or compact; `kind` is the lock for that kind of work.
    ///
    /// # Errors
    /// `InvalidArgument` after closing, or if called from within work of the same kind.
    pub(super) fn begin_work<'a>(&self, kind: &'a ReentrantMutex<()>) -> Result<Working<'a>> {
        if kind.is_owned_by_current_thread() {
            return Err(Error::invalid(
                "a flush or a compaction cannot ask for another one",
            ));
        }
        let turn = Turn::wait(kind);
        Ok(Working {
            _directory: self.lock.lock().clone().ok_or_else(closed)?,
            _turn: turn,
        })
    }

    /// # Errors
    /// `ReadOnly` if it was opened for reading only, `Poisoned` after a failed write to log or manifest.
    pub(super) fn check_takes_writes(&self) -> Result<()> {
        if self.read_only {
            return Err(Error::ReadOnly {
                dir: self.dir.clone(),
            });
        }
        match self.poison.get() {
            Some(first) => Err(Error::Poisoned {
                first: first.clone(),
            }),
            None => Ok(()),
        }
    }

    /// Checks that the directory is still the one that was opened. Where it is not, files of this database may belong
    /// to another one by now: none may be created, replaced or removed there.
    ///
    /// # Errors
    /// `LockLost`, or `Io` if it cannot be determined. Both poison the database.
    pub(super) fn check_in_place(&self) -> Result<()> {
        // Not by a clone, with which a `sync` beside a closing would keep the directory locked after it.
        let checked = match &*self.lock.lock() {
            Some(lock) => lock.check(),
            None => Ok(()),
        };
        checked.inspect_err(|error| self.poison(error))
    }

    /// Refuses all writes from now on. After `cause`, it is unknown what is on disk, and trying
    /// again could report lost data as durable.
    pub(super) fn poison(&self, cause: &impl fmt::Display) {
        if self.poison.set(cause.to_string()).is_ok() {
            // Delivered by the caller after it has released its locks.
            self.note(|| Event::BackgroundError {
                error: cause.to_string(),
                poisoned: true,
            });
        }
        self.signals.progress();
    }

    /// Records an edit durably and puts it in force: first for readers by `publish`, then for the files.
    ///
    /// # Errors
    /// `Io` from the manifest, which poisons the database unless the disk is full; `Poisoned` if it
    /// already was; `LockLost`; `Corruption` if the edit contradicts the state, in which case nothing was written: a
    /// table holds other keys than the manifest says, or a comparator contradicts itself.
    pub(super) fn install(
        &self,
        mut edit: VersionEdit,
        new_family: Option<&Arc<FamilyCore>>,
        publish: impl FnOnce(&State),
    ) -> Result<()> {
        let mut guard = self.manifest.lock();
        let in_force = &mut *guard;
        self.check_takes_writes()?;
        self.check_in_place()?;
        let known = &in_force.state.families;
        // A family may have been dropped while its flush or compaction was running.
        edit.files_added.retain(|(id, ..)| known.contains_key(id));
        edit.files_removed.retain(|(id, ..)| known.contains_key(id));
        edit.next_file = Some(self.next_file.load(Ordering::Relaxed));
        let access = |record: &FamilyRecord| {
            let family = new_family.expect("an edit adds a family only with its core");
            debug_assert_eq!(family.id, record.id);
            let sibling = known.values().next();
            let sibling = sibling.expect("the default family is never dropped");
            let comparator = family.comparator().clone();
            Arc::new(sibling.access.for_sibling(family.id, comparator))
        };
        // A comparator may panic. Nothing is written then, so nothing will ever name the new tables.
        let unwinding = IfUnwinding(|| self.discard_new(&edit));
        let changed = in_force.state.change(&edit, access);
        mem::forget(unwinding);
        let change = changed.map_err(|what| {
            let path = file_name::manifest(&self.dir, in_force.manifest.number());
            Error::corruption(path, 0, format!("an edit was not written, because {what}"))
        })?;
        if let Err(error) = in_force.manifest.append(&edit) {
            if in_force.manifest.has_failed() {
                self.poison(&error);
            }
            return Err(error);
        }
        let before = in_force.state.make(change);
        publish(&in_force.state);
        // Under the manifest's lock, so that the last store has the latest count.
        self.level0_tables
            .store(most_in_level0(&in_force.state), Ordering::Relaxed);
        self.note_tables(&before, &edit);
        mark_obsolete(&before, &edit);
        if in_force.manifest.is_long() {
            let number = self.new_file_number();
            in_force.state.next_file = number + 1;
            let _alone = self.naming.lock();
            let replaced = in_force.manifest.replace(number, &in_force.state);
            replaced.inspect_err(|error| self.poison(error))?;
        }
        Ok(())
    }

    /// Says in the manifest that every write up to this one is durable. If that fails, only the statement is lost: the
    /// next opening then cannot distinguish logs that were cut from logs that a power cut tore.
    pub(super) fn note_durable(&self, sequence: u64) {
        let in_force = &mut *self.manifest.lock();
        let state = &mut in_force.state;
        if sequence > state.durable_sequence.max(state.last_sequence) {
            let edit = VersionEdit {
                durable_sequence: Some(sequence),
                ..VersionEdit::default()
            };
            if in_force.manifest.append(&edit).is_ok() {
                state.durable_sequence = sequence;
            }
        }
    }

    /// Records how an edit changes the levels, removals first. Called under the manifest's lock, so
    /// the events are in the order of the edits.
    fn note_tables(&self, before: &BTreeMap<FamilyId, FamilyState>, edit: &VersionEdit) {
        let Some(events) = &self.events else { return };
        let removed = edit.files_removed.iter();
        let removed: HashSet<_> = removed.map(|(of, _, number)| (*of, *number)).collect();
        let added = edit.files_added.iter();
        let added: HashMap<_, _> = added
            .map(|(of, level, file)| ((*of, file.number), *level))
            .collect();
        for (id, family) in before {
            let dropped = edit.families_dropped.contains(id);
            for (level, table) in family.version.tables() {
                let of_table = (*id, table.number);
                if !dropped && !removed.contains(&of_table) {
                    continue;
                }
                let info = |level| TableInfo::new(&family.name, level, table);
                events.push(match added.get(&of_table) {
                    Some(to) => Event::TableMoved {
                        table: info(*to),
                        from: level,
                    },
                    None => Event::TableRemoved { table: info(level) },
                });
            }
        }
        for (of, level, file) in &edit.files_added {
            if let Some(family) = before.get(of)
                && !removed.contains(&(*of, file.number))
            {
                let table = TableInfo::new(&family.name, *level, file);
                events.push(Event::TableWritten { table });
            }
        }
    }

    /// Queues an event, to be delivered later: the caller may hold locks.
    pub(super) fn note(&self, event: impl FnOnce() -> Event) {
        if let Some(events) = &self.events {
            events.push(event());
        }
    }

    /// Delivers the queued events to the listener.
    pub(super) fn deliver_events(&self) {
        if let Some(events) = &self.events {
            events.deliver();
        }
    }
}

/// The most tables that any family has in level 0.
pub(super) fn most_in_level0(state: &State) -> usize {
    let families = state.families.values();
    let tables = families.map(|family| family.version.level(0).len());
    tables.max().unwrap_or(0)
}

impl fmt::Debug for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Core")
            .field("dir", &self.dir)
            .finish_non_exhaustive()
    }
}

/// Marks the files obsolete that the edit removed from `before`. Their removal must be durable.
fn mark_obsolete(before: &BTreeMap<FamilyId, FamilyState>, edit: &VersionEdit) {
    let removed = edit
        .files_removed
        .iter()
        .map(|(of, _, number)| (*of, *number));
    let mut gone: HashSet<(FamilyId, u64)> = removed.collect();
    for (of, _, file) in &edit.files_added {
        // This table was only moved.
        gone.remove(&(*of, file.number));
    }
    let dropped: HashSet<&FamilyId> = edit.families_dropped.iter().collect();
    if gone.is_empty() && dropped.is_empty() {
        return;
    }
    for (id, family) in before {
        for (_, table) in family.version.tables() {
            if dropped.contains(id) || gone.contains(&(*id, table.number)) {
                table.mark_obsolete();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;
    use std::time::Duration;

    /// The background thread is like the one here that ends a turn and asks for the next.
    #[test]
    fn who_asks_again_at_once_comes_after_who_waits() {
        let (kind, had_a_turn) = (ReentrantMutex::default(), AtomicBool::new(false));
        let mut turns = 0;
        thread::scope(|scope| {
            let mut turn = Turn::wait(&kind);
            scope.spawn(|| {
                let _turn = Turn::wait(&kind);
                had_a_turn.store(true, Ordering::Release);
            });
            while !had_a_turn.load(Ordering::Acquire) && turns < 1_000 {
                // Enough for the other to ask, on a busy machine after some of these.
                thread::sleep(Duration::from_millis(2));
                drop(turn);
                turn = Turn::wait(&kind);
                turns += 1;
            }
        });
        assert!(turns < 1_000, "the other one never had a turn");
    }
}

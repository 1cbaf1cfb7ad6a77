//! What flush and compaction share: the background work, one piece at a time.
//!
//! Both end the same way: tables written and synced, the directory synced, the edit in the manifest
//! and synced, the new version published, and only then the inputs released.
//!
//! A piece that fails leaves the old version serving reads. Its outputs are removed, the failure is
//! reported as an event, and the thread tries again after a pause (see `signals`).

use std::iter::Sum;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::batch::FamilyId;
use crate::compaction::{Cancellation, Environment, Output};
use crate::db::core::Core;
use crate::db::events::{EntryCounts, Event, Outcome, Stall};
use crate::db::family::{FamilyCore, View};
use crate::error::Result;
use crate::memtable::Memtable;
use crate::sstable::TableOptions;
use crate::version::{FileMeta, State, TableFile, VersionEdit, file_name};
use crate::vfs::WritableFile;

impl Core {
    /// A number for a flush or compaction, counted since opening.
    pub(super) fn new_job(&self) -> u64 {
        self.next_job.fetch_add(1, Ordering::Relaxed)
    }

    /// Queues an event for the listener, if there is one, and delivers it.
    pub(super) fn tell(&self, event: impl FnOnce() -> Event) {
        self.note(event);
        self.deliver_events();
    }

    /// Waits by calling `wait`, and reports and counts that. The caller must hold the lead of the writers.
    pub(super) fn stall<T>(&self, stall: Stall, wait: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        self.tell(|| Event::StallBegun { stall });
        let outcome = wait();
        let took = begun.elapsed();
        self.counters.stalled(stall, took);
        self.note(|| Event::StallEnded { stall, took });
        outcome
    }

    /// Reports a failure that leaves the old version serving reads. Stopping because of a close is
    /// not a failure, and if the database is poisoned, that has been reported already.
    pub(super) fn report_failure<T>(&self, outcome: &Result<T>) {
        if let Err(error) = outcome
            && !self.is_closing()
            && self.poison.get().is_none()
        {
            self.tell(|| Event::BackgroundError {
                error: error.to_string(),
                poisoned: false,
            });
        }
    }

    pub(super) fn with_environment<T>(
        &self,
        family: &FamilyCore,
        origin: &str,
        inputs: &[(usize, Arc<TableFile>)],
        run: impl FnOnce(&Environment<'_>) -> T,
    ) -> T {
        let create = || -> Result<(u64, Box<dyn WritableFile>)> {
            self.check_in_place()?;
            let number = self.new_file_number();
            Ok((
                number,
                self.vfs.create(&file_name::table(&self.dir, number))?,
            ))
        };
        let discard = |path: &PathBuf| self.discard(path);
        run(&Environment {
            table_options: TableOptions {
                family: family.id.0,
                family_name: family.name.clone(),
                inputs: inputs.iter().map(|(_, table)| table.number).collect(),
                ..family.options.table_options(origin)
            },
            target_file_bytes: family.options.target_file_bytes,
            overlap_bytes_max: family.options.overlap_bytes_max(),
            snapshots: &self.snapshots,
            filter: family.options.compaction_filter.as_deref(),
            create: &create,
            discard: &discard,
            cancellation: Cancellation {
                closing: &self.closing,
                dropped: &family.dropped,
            },
        })
    }

    /// Makes the names of new files durable.
    ///
    /// # Errors
    /// `Io`, which poisons the database: those names may be lost for good, and another sync would
    /// report success.
    pub(super) fn sync_names(&self) -> Result<()> {
        let _alone = self.naming.lock();
        self.check_takes_writes()?;
        let synced = self.vfs.sync_dir(&self.dir);
        synced.inspect_err(|error| self.poison(error))
    }

    /// After an edit that could not be installed. If the database was poisoned, the edit may still
    /// turn out to be in the manifest, so its outputs are kept. Otherwise, as on a full disk, it is
    /// not there, and they are removed.
    pub(super) fn discard_unless_poisoned<'a>(
        &self,
        outputs: impl IntoIterator<Item = &'a Output>,
    ) {
        if self.poison.get().is_none() {
            self.discard_outputs(outputs);
        }
    }

    pub(super) fn discard_outputs<'a>(&self, outputs: impl IntoIterator<Item = &'a Output>) {
        for file in outputs.into_iter().flat_map(|output| &output.files) {
            self.discard(&file_name::table(&self.dir, file.number));
        }
    }

    /// Removes the tables that an edit adds, which was not written. Those that it only moves are still in force.
    pub(super) fn discard_new(&self, edit: &VersionEdit) {
        let is_moved = |of: FamilyId, number| {
            let mut removed = edit.files_removed.iter();
            removed.any(|(from, _, table)| (*from, *table) == (of, number))
        };
        for (of, _, file) in &edit.files_added {
            if !is_moved(*of, file.number) {
                self.discard(&file_name::table(&self.dir, file.number));
            }
        }
    }

    /// Removes a file that no version names.
    fn discard(&self, path: &Path) {
        if self.check_in_place().is_ok() {
            // If this fails, the next open finds that no version names it, and removes it.
            let _ = self.vfs.remove(path);
        }
    }
}

/// Does something if it is dropped, which only a panic or an early return does where [`mem::forget`] follows.
pub(super) struct IfUnwinding<F: Fn()>(pub(super) F);

impl<F: Fn()> Drop for IfUnwinding<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// How a piece of work ended that panicked.
pub(super) fn panicked() -> Outcome {
    Outcome::Failed("a thread panicked while it worked on this".to_owned())
}

/// Says what became of the entries of a piece of work.
pub(super) trait Counted {
    fn counts(&self) -> EntryCounts;
}

impl Counted for Output {
    fn counts(&self) -> EntryCounts {
        EntryCounts {
            read: self.entries_in,
            written: self.entries_out(),
            dropped: self.dropped,
        }
    }
}

impl Sum for EntryCounts {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, next| Self {
            read: sum.read + next.read,
            written: sum.written + next.written,
            dropped: sum.dropped + next.dropped,
        })
    }
}

/// How a piece of work ended, as events report it.
pub(super) fn outcome_of<T>(outcome: &Result<T>, cancelled: bool) -> Outcome {
    match outcome {
        _ if cancelled => Outcome::Cancelled,
        Ok(_) => Outcome::Done,
        Err(error) => Outcome::Failed(error.to_string()),
    }
}

/// The files as additions to a level of a family, for an edit.
pub(super) fn at_level(
    family: &FamilyCore,
    level: usize,
    files: &[FileMeta],
) -> impl Iterator<Item = (FamilyId, usize, FileMeta)> {
    files
        .iter()
        .map(move |file| (family.id, level, file.clone()))
}

/// Makes a family's readers see the tables of `state`, and the frozen memtables that remain.
pub(super) fn publish(family: &FamilyCore, state: &State, frozen: impl Fn(&View) -> Vec<Memtable>) {
    let Some(of_state) = state.families.get(&family.id) else {
        return;
    };
    family.change_view(|view| View {
        memtable: view.memtable.clone(),
        frozen: frozen(view),
        version: Arc::clone(&of_state.version),
    });
}

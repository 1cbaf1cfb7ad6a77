//! What flush and compaction share: the work that no caller waits for, one piece at a time.
//!
//! Both end the same way: tables written and synced, the directory synced, the edit in the manifest and synced,
//! the new version published, and only then the inputs let go.
//!
//! A piece that fails leaves the old version serving. Its outputs are removed, listeners are told, and the thread
//! tries again after a pause (see `signals`).

use std::iter::Sum;
use std::path::PathBuf;
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
use crate::version::{FileMeta, State, TableFile, file_name};
use crate::vfs::WritableFile;

impl Core {
    /// A number for a flush or compaction, counted from this opening.
    pub(super) fn new_job(&self) -> u64 {
        self.next_job.fetch_add(1, Ordering::Relaxed)
    }

    /// Tells the listener, if there is one, and delivers.
    pub(super) fn tell(&self, event: impl FnOnce() -> Event) {
        self.note(event);
        self.deliver_events();
    }

    /// Waits in `wait`, and tells of it. The caller holds the lead of the writers.
    pub(super) fn stall<T>(&self, stall: Stall, wait: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        self.tell(|| Event::StallBegun { stall });
        let outcome = wait();
        let took = begun.elapsed();
        self.counters.stalled(stall, took);
        self.note(|| Event::StallEnded { stall, took });
        outcome
    }

    /// Tells of a failure that leaves the old version serving. Giving up at close is none, and of a poisoned database
    /// the poison was told.
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
            let number = self.new_file_number();
            Ok((
                number,
                self.vfs.create(&file_name::table(&self.dir, number))?,
            ))
        };
        let discard = |path: &PathBuf| {
            // If it stays, the next open finds it in no version and removes it.
            let _ = self.vfs.remove(path);
        };
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
    /// `Io`, which poisons the database: those names may be lost for good, and the next sync would say that they are not.
    pub(super) fn sync_names(&self) -> Result<()> {
        let _alone = self.naming.lock();
        self.check_takes_writes()?;
        let synced = self.vfs.sync_dir(&self.dir);
        synced.inspect_err(|error| self.poison(error))
    }

    /// After an edit that could not be installed: its outputs are kept if it may yet be found in the manifest, which
    /// poisons the database. Else, as on a full disk, it is not there.
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
            let _ = self.vfs.remove(&file_name::table(&self.dir, file.number));
        }
    }
}

/// What became of the entries of a piece of work.
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

/// How a piece of work is told to have ended.
pub(super) fn outcome_of<T>(outcome: &Result<T>, cancelled: bool) -> Outcome {
    match outcome {
        _ if cancelled => Outcome::Cancelled,
        Ok(_) => Outcome::Done,
        Err(error) => Outcome::Failed(error.to_string()),
    }
}

pub(super) fn at_level(
    family: &FamilyCore,
    level: usize,
    files: &[FileMeta],
) -> impl Iterator<Item = (FamilyId, usize, FileMeta)> {
    let id = family.id;
    files
        .iter()
        .cloned()
        .map(move |file| (id, level, file))
        .collect::<Vec<_>>()
        .into_iter()
}

/// Shows a family's readers the tables of `state`, and the frozen memtables that remain.
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

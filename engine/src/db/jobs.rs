//! Flush and compaction: the work that no caller waits for, one piece at a time.
//!
//! Both end the same way: tables written and synced, the directory synced, the edit in the manifest and synced,
//! the new version published, and only then the inputs let go.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::batch::FamilyId;
use crate::compaction::{self, Environment, Output, Plan};
use crate::db::core::{Core, FrozenSet};
use crate::db::family::{FamilyCore, View};
use crate::db::signals::{Work, copy_of};
use crate::error::Result;
use crate::memtable::Memtable;
use crate::sstable::TableOptions;
use crate::version::{FileMeta, State, TableFile, VersionEdit, file_name};
use crate::vfs::WritableFile;

impl Core {
    /// Writes the oldest full memtables to tables; `false` if there are none.
    ///
    /// # Errors
    /// `Io` from a table: nothing has changed, and it may be tried again. `Io` from the manifest
    /// poisons the database.
    pub(super) fn flush_oldest(&self) -> Result<bool> {
        let _working = self.begin_work(&self.flushing)?;
        let Some(set) = self.frozen.lock().front().cloned() else {
            return Ok(false);
        };
        let outcome = self.flush_set(&set);
        self.signals.ended(Work::Flush, &outcome);
        outcome?;
        self.signals.request(Work::Compact);
        Ok(true)
    }

    fn flush_set(&self, set: &FrozenSet) -> Result<()> {
        let mut flushed = Vec::new();
        for (id, memtable) in &set.memtables {
            let Some(family) = self.family(*id) else {
                continue;
            };
            let version = Arc::clone(&family.view.load().version);
            let output = self.with_environment(&family, "flush", &[], |environment| {
                compaction::flush(environment, memtable, &version)
            });
            match output {
                Ok(output) => flushed.push((family, output)),
                Err(error) => {
                    self.discard_outputs(flushed.iter().map(|(_, output)| output));
                    return Err(error);
                }
            }
        }
        // Also without tables: the manifest is about to name the next log, so that name must be durable.
        let synced = self.vfs.sync_dir(&self.dir);
        synced.inspect_err(|_| self.discard_outputs(flushed.iter().map(|(_, output)| output)))?;
        self.install_flush(set, &flushed)?;
        // If it stays, the next open removes it.
        let _ = self.vfs.remove(&file_name::log(&self.dir, set.log_number));
        Ok(())
    }

    fn install_flush(&self, set: &FrozenSet, flushed: &[(Arc<FamilyCore>, Output)]) -> Result<()> {
        let mut edit = VersionEdit {
            oldest_log: Some(set.next_log),
            last_sequence: Some(set.last_sequence),
            ..VersionEdit::default()
        };
        for (family, output) in flushed {
            edit.files_added.extend(at_level(family, 0, &output.files));
        }
        let mut unrecorded = Vec::new();
        self.install(edit, None, |state| {
            for (family, output) in flushed {
                publish(family, state, |view| {
                    let older = view.frozen.len().saturating_sub(1);
                    view.frozen[..older].to_vec()
                });
                if !state.families.contains_key(&family.id) {
                    unrecorded.push(output);
                }
            }
            self.frozen.lock().pop_front();
        })?;
        self.discard_outputs(unrecorded);
        Ok(())
    }

    /// Makes the compaction that is needed most; `false` if none is needed.
    ///
    /// # Errors
    /// As for [`Core::flush_oldest`], and `Corruption` or `Io` from an input.
    pub(super) fn compact_once(&self) -> Result<bool> {
        let _working = self.begin_work(&self.compacting)?;
        let outcome = self.compact_neediest();
        let ended = outcome.as_ref().map(|_| ()).map_err(copy_of);
        self.signals.ended(Work::Compact, &ended);
        outcome
    }

    fn compact_neediest(&self) -> Result<bool> {
        let families = self.families.load_full();
        let neediest = families
            .iter()
            .map(|family| {
                let shape = family.options.shape();
                (family, shape.fullest(&family.view.load().version).1)
            })
            .max_by(|a, b| a.1.total_cmp(&b.1));
        let Some((family, _)) = neediest else {
            return Ok(false);
        };
        let version = Arc::clone(&family.view.load().version);
        let Some(plan) = compaction::pick(&version, family.comparator(), &family.options.shape())
        else {
            return Ok(false);
        };
        self.run_plan(family, &plan)?;
        Ok(true)
    }

    /// Rewrites all tables of a family into one sorted level.
    ///
    /// # Errors
    /// As for [`Core::compact_once`].
    pub(super) fn compact_everything(&self, family: &FamilyCore) -> Result<()> {
        let _working = self.begin_work(&self.compacting)?;
        let version = Arc::clone(&family.view.load().version);
        let outcome = match compaction::pick_everything(&version, &family.options.shape()) {
            Some(plan) => self.run_plan(family, &plan),
            None => Ok(()),
        };
        self.signals.progress();
        outcome
    }

    /// The caller holds `compacting`, so no input disappears.
    fn run_plan(&self, family: &FamilyCore, plan: &Plan) -> Result<()> {
        let version = Arc::clone(&family.view.load().version);
        let mut edit = VersionEdit::default();
        for (level, table) in &plan.inputs {
            edit.files_removed.push((family.id, *level, table.number));
        }
        if plan.is_trivial_move() {
            let moved: Vec<_> = plan
                .inputs
                .iter()
                .map(|(_, table)| FileMeta::clone(table))
                .collect();
            edit.files_added
                .extend(at_level(family, plan.output_level, &moved));
            return self.install_compaction(family, edit, &Output::default());
        }
        let origin = format!("compaction to level {}", plan.output_level);
        let output = self.with_environment(family, &origin, &plan.inputs, |environment| {
            compaction::compact(environment, plan, &version)
        })?;
        if !output.files.is_empty() {
            let synced = self.vfs.sync_dir(&self.dir);
            synced.inspect_err(|_| self.discard_outputs([&output]))?;
        }
        edit.files_added
            .extend(at_level(family, plan.output_level, &output.files));
        self.install_compaction(family, edit, &output)
    }

    fn install_compaction(
        &self,
        family: &FamilyCore,
        edit: VersionEdit,
        output: &Output,
    ) -> Result<()> {
        let mut recorded = false;
        self.install(edit, None, |state| {
            recorded = state.families.contains_key(&family.id);
            publish(family, state, |view| view.frozen.clone());
        })?;
        if !recorded {
            // The family was dropped while this ran: nobody needs the outputs.
            self.discard_outputs([output]);
        }
        Ok(())
    }

    fn with_environment<T>(
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
            snapshots: &self.snapshots,
            filter: family.options.compaction_filter.as_deref(),
            create: &create,
            discard: &discard,
            cancelled: &self.closing,
        })
    }

    fn discard_outputs<'a>(&self, outputs: impl IntoIterator<Item = &'a Output>) {
        for file in outputs.into_iter().flat_map(|output| &output.files) {
            let _ = self.vfs.remove(&file_name::table(&self.dir, file.number));
        }
    }
}

fn at_level(
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
fn publish(family: &FamilyCore, state: &State, frozen: impl Fn(&View) -> Vec<Memtable>) {
    let Some(of_state) = state.families.get(&family.id) else {
        return;
    };
    family.change_view(|view| View {
        memtable: view.memtable.clone(),
        frozen: frozen(view),
        version: Arc::clone(&of_state.version),
    });
    // Here and not in `change_view`: the manifest's lock puts the counts in order, so the last one stays.
    let level0_tables = of_state.version.level(0).len();
    family.level0_tables.store(level0_tables, Ordering::Relaxed);
}

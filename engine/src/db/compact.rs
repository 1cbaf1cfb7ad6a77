//! Compactions of an open database: which one is made, and how its result comes into force.
//!
//! There is one at a time over all families, whichever thread does it: the background thread, a
//! caller of `Db::step`, or a caller that wants a range compacted. `read_compaction` decides when
//! one is made for the sake of readers, `leftovers` when one is made because snapshots are gone.

use std::mem;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::compaction::{self, Output, Plan, Reason};
use crate::comparator::Comparator;
use crate::db::Background;
use crate::db::core::Core;
use crate::db::events::{Event, TableInfo};
use crate::db::family::FamilyCore;
use crate::db::jobs::{Counted, IfUnwinding, at_level, outcome_of, panicked, publish};
use crate::db::signals::{Piece, Work, closed};
use crate::error::{Error, Result};
use crate::internal_key;
use crate::iter::Bounds;
use crate::version::{FileMeta, TableFile, Version, VersionEdit};

impl Core {
    /// Does the compaction that is needed most. Returns `false` if none is needed, or only by
    /// families that are pausing after a failure.
    ///
    /// # Errors
    /// As for [`Core::flush_oldest`], and `Corruption` or `Io` from an input.
    pub(super) fn compact_once(&self) -> Result<bool> {
        self.as_compaction(|| {
            let families = self.families.load_full();
            match self.neediest(&families) {
                Some(family) => self.compact_by_shape(family),
                None => Ok(false),
            }
        })
    }

    /// Does the compaction that a family needs most. Returns `false` if it needs none.
    ///
    /// # Errors
    /// As for [`compact_once`](Self::compact_once).
    pub(super) fn compact_family(&self, family: &FamilyCore) -> Result<bool> {
        self.as_compaction(|| self.compact_by_shape(family))
    }

    /// Does the next compaction: one that the shape needs, otherwise one that is due because of reads, or of snapshots
    /// that are gone.
    ///
    /// # Errors
    /// As for [`compact_once`](Self::compact_once).
    pub(super) fn compact_next(&self) -> Result<bool> {
        Ok(self.compact_once()? || self.compact_for_reads()? || self.compact_leftovers()?)
    }

    /// Waits for its turn, does a piece of compaction work, and wakes those that wait for its end.
    pub(super) fn as_compaction(&self, work: impl FnOnce() -> Result<bool>) -> Result<bool> {
        let working = self.begin_work(&self.compacting)?;
        let outcome = work();
        drop(working);
        self.signals.progress();
        outcome
    }

    /// The family that needs a compaction most. One whose last compaction failed pauses first, so
    /// that the others are served meanwhile. If the caller steps by hand, there are no pauses; then
    /// it comes after all others.
    fn neediest<'f>(&self, families: &'f [Arc<FamilyCore>]) -> Option<&'f Arc<FamilyCore>> {
        let urgency = |family: &FamilyCore| {
            let shape = family.options.shape();
            shape.urgency(&family.view.load().version)
        };
        let all = families.iter().map(|family| (family, urgency(family)));
        let needy: Vec<_> = all.filter(|(_, urgency)| *urgency >= 1.0).collect();
        self.signals
            .retain_compactions(|id| needy.iter().any(|(family, _)| family.id == id));
        let by_hand = self.background == Background::Manual;
        let ranked = needy.into_iter().filter_map(|(family, urgency)| {
            let rank = match self.signals.rest_of(family.id) {
                Some((ago, _)) if by_hand => (false, ago.as_secs_f64()),
                Some((_, pause)) if !pause.is_zero() => return None,
                Some(_) | None => (true, urgency),
            };
            Some((family, rank))
        });
        let (family, _) =
            ranked.max_by(|(_, a), (_, b)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)))?;
        Some(family)
    }

    fn compact_by_shape(&self, family: &FamilyCore) -> Result<bool> {
        let version = Arc::clone(&family.view.load().version);
        let Some(plan) = compaction::pick(&version, family.comparator(), &family.options.shape())
        else {
            return Ok(false);
        };
        let begun = Instant::now();
        let outcome = self.run_plan(family, &plan);
        let piece = Piece::Compaction(family.id);
        self.signals.ended(piece, &outcome, begun.elapsed());
        if !outcome? && self.is_closing() {
            return Err(closed());
        }
        // Also if the family was dropped meanwhile, because another one may be next.
        Ok(true)
    }

    /// Rewrites all tables of a family into one sorted level.
    ///
    /// # Errors
    /// As for [`Core::compact_once`].
    pub(super) fn compact_everything(&self, family: &FamilyCore) -> Result<()> {
        let done = self.compact_as_picked(family, |version| {
            compaction::pick_everything(version, &family.options.shape())
        });
        // If the family was dropped meanwhile, nothing is left to compact.
        if !done? && self.is_closing() {
            return Err(closed());
        }
        Ok(())
    }

    /// Rewrites the tables that a family has in a range.
    ///
    /// # Errors
    /// As for [`Core::compact_once`], and `InvalidArgument` if the family is dropped.
    pub(super) fn compact_range(&self, family: &FamilyCore, range: &Bounds) -> Result<()> {
        let (lower, upper) = (range.lower.as_ref(), range.upper.as_ref());
        let done = self.compact_as_picked(family, |version| {
            compaction::pick_range(
                version,
                family.comparator(),
                lower.map(Vec::as_slice),
                upper.map(Vec::as_slice),
            )
        });
        self.signals.request(Work::Compact);
        match done? {
            true => Ok(()),
            false if self.is_closing() => Err(closed()),
            false => Err(Error::invalid(format!(
                "the column family {:?} was dropped",
                family.name
            ))),
        }
    }

    /// Waits for its turn, and does the compaction that `pick` chooses, if it chooses one. Returns `false` if that
    /// was cancelled, or the family is dropped by then.
    pub(super) fn compact_as_picked(
        &self,
        family: &FamilyCore,
        pick: impl FnOnce(&Version) -> Option<Plan>,
    ) -> Result<bool> {
        self.as_compaction(|| {
            if family.dropped.load(Ordering::Relaxed) {
                return Ok(false);
            }
            let version = Arc::clone(&family.view.load().version);
            pick(&version).map_or(Ok(true), |plan| self.run_plan(family, &plan))
        })
    }

    /// Carries out a compaction. Returns `false` if it was cancelled. The caller must hold
    /// `compacting`, so no input disappears.
    pub(super) fn run_plan(&self, family: &FamilyCore, plan: &Plan) -> Result<bool> {
        let as_it_is = plan.is_trivial_move()
            || (plan.reason == Reason::Manual && has_nothing_to_drop(family, plan)?);
        let is_there = plan
            .inputs
            .iter()
            .all(|(level, _)| *level == plan.output_level);
        if as_it_is && is_there {
            return Ok(true);
        }
        let (job, begun) = (self.new_job(), Instant::now());
        let inputs = || -> Vec<TableInfo> {
            let tables = plan.inputs.iter();
            tables
                .map(|(level, table)| TableInfo::new(&family.name, *level, table))
                .collect()
        };
        self.tell(|| Event::CompactionBegun {
            job,
            family: family.name.clone(),
            reason: plan.reason,
            inputs: inputs(),
            output_level: plan.output_level,
        });
        let ended = |output: Option<&Output>, outcome| {
            let info = |file| TableInfo::new(&family.name, plan.output_level, file);
            let files = output.iter().flat_map(|output| &output.files);
            Event::CompactionEnded {
                job,
                family: family.name.clone(),
                inputs: inputs(),
                outputs: files.map(info).collect(),
                moved: as_it_is,
                entries: output.map(Output::counts).unwrap_or_default(),
                took: begun.elapsed(),
                outcome,
            }
        };
        let unwinding = IfUnwinding(|| self.note(|| ended(None, panicked())));
        let outcome = if as_it_is {
            self.move_down(family, plan)
        } else {
            self.rewrite(family, plan)
        };
        mem::forget(unwinding);
        self.report_failure(&outcome);
        if let Ok(Some(output)) = &outcome {
            family.counters.compacted(plan, output, as_it_is);
        }
        self.tell(|| {
            let output = outcome.as_ref().ok().and_then(Option::as_ref);
            ended(output, outcome_of(&outcome, matches!(outcome, Ok(None))))
        });
        outcome.map(|output| output.is_some())
    }

    /// Moves the inputs down without rewriting them.
    fn move_down(&self, family: &FamilyCore, plan: &Plan) -> Result<Option<Output>> {
        let inputs = plan.inputs.iter();
        let above = inputs.filter(|(level, _)| *level != plan.output_level);
        let moved: Vec<_> = above.map(|(_, table)| FileMeta::clone(table)).collect();
        let mut edit = removal_of_inputs(family, plan);
        edit.files_removed
            .retain(|(_, level, _)| *level != plan.output_level);
        edit.files_added
            .extend(at_level(family, plan.output_level, &moved));
        let recorded = self.install_compaction(family, edit);
        debug_assert!(
            !matches!(recorded, Err(Error::Corruption { .. }))
                || !family.comparator().is_built_in(),
            "the tables are as the manifest says, and yet: {recorded:?}"
        );
        Ok(recorded?.then(Output::default))
    }

    fn rewrite(&self, family: &FamilyCore, plan: &Plan) -> Result<Option<Output>> {
        let filter = family.options.compaction_filter.as_ref();
        let _filtering = filter.map(|_| self.snapshots.filtering(family.id));
        let is_snapshot_held = self.snapshots.oldest().is_some();
        let version = Arc::clone(&family.view.load().version);
        let origin = format!("compaction to level {}", plan.output_level);
        let output = self.with_environment(family, &origin, &plan.inputs, |environment| {
            compaction::compact(environment, plan, &version)
        })?;
        let Some(output) = output else {
            return Ok(None);
        };
        if !output.files.is_empty() {
            self.sync_names()?;
        }
        let mut edit = removal_of_inputs(family, plan);
        edit.files_added
            .extend(at_level(family, plan.output_level, &output.files));
        let installed = self.install_compaction(family, edit);
        debug_assert!(
            !matches!(installed, Err(Error::Corruption { .. }))
                || !family.comparator().is_built_in()
                || !is_within(family.comparator(), &plan.inputs, &output.files),
            "the outputs are where the inputs were, and yet: {installed:?}"
        );
        if installed.inspect_err(|_| self.discard_unless_poisoned([&output]))? {
            self.leftovers.forget(&plan.numbers());
            if is_snapshot_held {
                self.note_leftovers(&output.files);
            }
            // New readers use the outputs from now on. Dropping the inputs, whose files are then
            // removed one after another, takes longer than this hint for all of them, and a reader
            // with a cursor or a snapshot may keep them for long.
            for (_, table) in &plan.inputs {
                table.leave_to_system();
            }
            return Ok(Some(output));
        }
        // The family was dropped while this ran, so the outputs are not needed.
        self.discard_outputs([&output]);
        Ok(None)
    }

    /// Returns whether the edit was recorded, which it is not if the family is gone.
    fn install_compaction(&self, family: &FamilyCore, edit: VersionEdit) -> Result<bool> {
        let mut recorded = false;
        self.install(edit, None, |state| {
            recorded = state.families.contains_key(&family.id);
            publish(family, state, |view| view.frozen.clone());
        })?;
        Ok(recorded)
    }
}

/// Whether a rewrite would only write what is there already: one sorted run of puts, the newest of
/// each key, and no filter that must see them. The tables' properties are enough to know it.
///
/// # Errors
/// `Io` or `Corruption` if a table cannot be opened.
fn has_nothing_to_drop(family: &FamilyCore, plan: &Plan) -> Result<bool> {
    if family.options.compaction_filter.is_some() || !plan.is_one_run(family.comparator()) {
        return Ok(false);
    }
    for (_, table) in &plan.inputs {
        let of_table = table.table()?.properties();
        if of_table.deletes + of_table.range_deletes + of_table.older_versions > 0 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether no output reaches beyond the keys that the manifest states for the inputs. If one does, an input does not
/// hold what the manifest says.
fn is_within(order: &Comparator, inputs: &[(usize, Arc<TableFile>)], outputs: &[FileMeta]) -> bool {
    outputs.iter().all(|output| {
        let begins = |table: &TableFile| {
            order.compare(
                table.smallest_user_key(),
                internal_key::user_key(&output.smallest),
            )
        };
        let ends = |table: &TableFile| {
            order.compare(
                internal_key::user_key(&output.largest),
                table.largest_user_key(),
            )
        };
        inputs.iter().any(|(_, table)| begins(table).is_le())
            && inputs.iter().any(|(_, table)| ends(table).is_le())
    })
}

fn removal_of_inputs(family: &FamilyCore, plan: &Plan) -> VersionEdit {
    let inputs = plan.inputs.iter();
    VersionEdit {
        files_removed: inputs
            .map(|(level, table)| (family.id, *level, table.number))
            .collect(),
        ..VersionEdit::default()
    }
}

//! The old manifest, as far as it can be read and trusted, and the new one.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::Repair;
use super::lost::LOST;
use crate::batch::FamilyId;
use crate::db::survey::{Finding, Severity, Survey, comparator_named};
use crate::error::{Error, Result};
use crate::log::LogEnd;
use crate::version::file_name::{self, MAX_FILE_NUMBER};
use crate::version::{Manifest, State, VersionEdit, current_manifest};

impl Repair<'_> {
    /// Reads the manifest in force, or the newest one with a readable beginning, as far as possible.
    pub(super) fn read_manifest(&mut self) -> Result<()> {
        let Some((number, mut findings)) = self.choose_manifest()? else {
            self.report.rebuilt = true;
            let what = "there is no manifest, so which tables are in force is not known";
            let current = self.dir.join(file_name::CURRENT);
            self.report.lost.push(Finding::damage(&current, 0, what));
            self.leave_out_strays();
            return Ok(());
        };
        self.leave_out_strays();
        let path = file_name::manifest(self.dir, number);
        let overlaps = self
            .survey
            .overlaps(|record| comparator_named(&record.name, &record.comparator, &self.listed));
        findings.extend(
            overlaps
                .into_iter()
                .map(|what| Finding::damage(&path, 0, what)),
        );
        let sound = findings
            .iter()
            .all(|finding| finding.severity == Severity::Note);
        self.report.lost.append(&mut findings);
        self.believed = sound && self.is_in_force();
        if sound && !self.believed {
            let what =
                "its end is torn, and a file that it names is missing: its last edits are lost";
            self.report.lost.push(Finding::damage(&path, 0, what));
        }
        self.report.rebuilt = !self.believed;
        Ok(())
    }

    /// Surveys the manifest that `CURRENT` names. Without `CURRENT`, the newest one whose first
    /// record is complete; an interrupted opening may leave one without. Returns its number and
    /// what is wrong with it, and with newer ones that were skipped.
    fn choose_manifest(&mut self) -> Result<Option<(u64, Vec<Finding>)>> {
        let in_force = match current_manifest(&**self.vfs, self.dir) {
            Err(error) if error.is_of_process() => return Err(error),
            read => read,
        };
        if let Err(error) = &in_force {
            let current = self.dir.join(file_name::CURRENT);
            self.report.lost.push(match error {
                Error::Corruption { offset, what, .. } => Finding::damage(&current, *offset, what),
                other => Finding::damage(&current, 0, other.to_string()),
            });
        }
        let is_there = |number: &u64| self.names.manifests.contains(number);
        if let Ok(number) = in_force
            && !is_there(&number)
        {
            let named = file_name::manifest_name(number);
            let what = format!("it names {named}, which is not here");
            let current = self.dir.join(file_name::CURRENT);
            self.report.lost.push(Finding::damage(&current, 0, what));
        }
        let in_force = in_force.ok().filter(is_there);
        let candidates: Vec<u64> = match in_force {
            Some(number) => vec![number],
            None => {
                let numbers = self.names.manifests.range(..=MAX_FILE_NUMBER);
                numbers.rev().copied().collect()
            }
        };
        let mut findings = Vec::new();
        for &number in &candidates {
            let survey = Survey::read(&**self.vfs, self.dir, number, &mut |finding| {
                findings.push(finding);
            });
            let survey = match survey {
                Err(error @ Error::Corruption { .. }) => {
                    let path = file_name::manifest(self.dir, number);
                    findings.push(Finding::of_error(&path, error));
                    continue;
                }
                Err(error) if error.is_no_file() => {
                    let path = file_name::manifest(self.dir, number);
                    findings.push(Finding::damage(&path, 0, error.to_string()));
                    continue;
                }
                read => read?,
            };
            if survey.edits > 0 {
                self.survey = survey;
                let newer = candidates.iter().take_while(|newer| **newer > number);
                findings.extend(newer.map(|newer| {
                    let path = file_name::manifest(self.dir, *newer);
                    Finding::note(&path, format!("it was passed over for manifest {number}"))
                }));
                return Ok(Some((number, findings)));
            }
        }
        let newest = candidates.first();
        Ok(newest.map(|newest| (*newest, findings)))
    }

    /// Sets aside files with numbers that no file of this database can have. If counting continued
    /// from those, the database would not open again.
    fn leave_out_strays(&mut self) {
        let last = match self.survey.next_file {
            0 => MAX_FILE_NUMBER,
            _ => self.survey.last_file(),
        };
        for path in self.names.take_beyond(last, self.dir) {
            self.set_aside(
                path,
                "its number is beyond all that this database can have come to",
            );
        }
        self.next_file = AtomicU64::new(self.names.highest() + 1);
    }

    /// Whether the manifest, which is valid as far as it can be read, is complete.
    ///
    /// It may have been cut off between two edits, or damage may have torn its last edit. Then a file is
    /// missing that the lost edit released: the log of a flush, or the inputs of a compaction. But if only a
    /// table is missing, and no other table could have replaced it, then the table is lost and not the edit.
    fn is_in_force(&self) -> bool {
        let log = self.survey.oldest_log;
        let log_is_there = log == 0 || self.names.logs.contains(&log);
        let listed = self.survey.table_numbers();
        let torn = !matches!(self.survey.end, Some(LogEnd::Clean { .. }));
        let complete = listed.is_subset(&self.names.tables);
        let strays = !self.names.tables.is_subset(&listed);
        self.survey.end.is_some() && log_is_there && (complete || !(torn || strays))
    }

    /// Whether the manifest, as far as it was read, says that this family existed and was dropped.
    /// Its first record names all families of that time, and the number of the next one.
    pub(super) fn was_dropped(&self, id: FamilyId) -> bool {
        let is_known = self.survey.families.contains_key(&id);
        self.survey.dropped.contains(&id) || (id.0 < self.survey.next_family && !is_known)
    }

    /// Writes the new manifest, and moves the old ones aside. Now the database opens.
    pub(super) fn write_manifest(&mut self, mut state: State) -> Result<()> {
        let number = self.new_number();
        state.next_file = number + 1;
        Manifest::create(Arc::clone(self.vfs), self.dir, number, &state)?;
        let old: Vec<u64> = self.names.manifests.iter().copied().collect();
        for number in old {
            let path = file_name::manifest(self.dir, number);
            self.move_to_lost(&path)?;
            self.set_aside(path, "the new manifest has taken its place");
        }
        self.report.families = state
            .families
            .values()
            .map(|family| family.name.clone())
            .collect();
        for family in state.families.values() {
            for (_, table) in family.version.tables() {
                self.report.tables += 1;
                self.report.entries += table.entries;
            }
        }
        self.vfs
            .sync_dir(&self.dir.join(LOST))
            .or_else(|error| match error.is_not_found() {
                true => Ok(()),
                false => Err(error),
            })?;
        self.vfs.sync_dir(self.dir)
    }

    /// A state with all families, but without tables.
    pub(super) fn empty_state(&self) -> Result<State> {
        let highest = self
            .survey
            .families
            .keys()
            .next_back()
            .map_or(0, |id| id.0 + 1);
        let edit = VersionEdit {
            families_added: self.survey.families.values().cloned().collect(),
            last_sequence: self
                .reached
                .values()
                .copied()
                .chain([self.survey.last_sequence])
                .max(),
            next_family: Some(self.survey.next_family.max(highest)),
            ..VersionEdit::default()
        };
        self.applied(&State::default(), &edit)
    }

    pub(super) fn applied(&self, state: &State, edit: &VersionEdit) -> Result<State> {
        let applied = state.apply(edit, |record| self.access(record.id));
        applied.map_err(|what| {
            let path = self.dir.join(file_name::CURRENT);
            Error::corruption(
                path,
                0,
                format!("what was found does not fit together: {what}"),
            )
        })
    }
}

//! What the files of a closed database say, as far as they can be read. `verify` and `repair` begin with this.
//!
//! Opening stops at the first contradiction. Here each one is reported, and reading continues.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use crate::batch::FamilyId;
use crate::comparator::{Comparator, NumericSuffix};
use crate::db::options::Listed;
use crate::error::{Error, Result};
use crate::internal_key;
use crate::log::{LogEnd, LogReader, RecoveryMode};
use crate::version::edit::MANIFEST_FORMAT;
use crate::version::file_name::FILES_UNRECORDED_MAX;
use crate::version::{
    FamilyRecord, FileMeta, FileName, VersionEdit, check_families_counted, check_rises, file_name,
    read_contents,
};
use crate::vfs::{Vfs, read_to_failure};

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing, but nothing is wrong: what a power cut or a crash leaves behind, and the next
    /// opening removes.
    Note,
    /// Bytes, counts or orders differ from what the engine wrote.
    Damage,
}

/// One thing that was found in the files of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The file in which it was found.
    pub file: PathBuf,
    /// The offset in the file.
    pub offset: u64,
    /// How bad it is.
    pub severity: Severity,
    /// What was expected there and what was found.
    pub what: String,
}

impl Finding {
    pub(super) fn damage(file: &Path, offset: u64, what: impl Into<String>) -> Self {
        Self::new(file, offset, Severity::Damage, what)
    }

    pub(super) fn note(file: &Path, what: impl Into<String>) -> Self {
        Self::new(file, 0, Severity::Note, what)
    }

    fn new(file: &Path, offset: u64, severity: Severity, what: impl Into<String>) -> Self {
        Self {
            file: file.to_path_buf(),
            offset,
            severity,
            what: what.into(),
        }
    }

    /// Turns an error into a finding about `file`.
    pub(super) fn of_error(file: &Path, error: Error) -> Self {
        match error {
            Error::Corruption { file, offset, what } => Self::damage(&file, offset, what),
            other => Self::damage(file, 0, other.to_string()),
        }
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} at byte {}: {}",
            self.file.display(),
            self.offset,
            self.what
        )
    }
}

/// The names in the directory, by kind.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) tables: BTreeSet<u64>,
    pub(super) logs: BTreeSet<u64>,
    pub(super) manifests: BTreeSet<u64>,
    pub(super) current: bool,
    pub(super) current_temporary: bool,
    pub(super) foreign: Vec<String>,
}

impl Names {
    pub(super) fn read(vfs: &dyn Vfs, dir: &Path) -> Result<Self> {
        let mut names = Self::default();
        for name in vfs.list(dir)? {
            match FileName::parse(&name) {
                Some(FileName::Table(number)) => drop(names.tables.insert(number)),
                Some(FileName::Log(number)) => drop(names.logs.insert(number)),
                Some(FileName::Manifest(number)) => drop(names.manifests.insert(number)),
                Some(FileName::Current) => names.current = true,
                Some(FileName::CurrentTemporary) => names.current_temporary = true,
                Some(FileName::Lock) => {}
                None => names.foreign.push(name.to_string_lossy().into_owned()),
            }
        }
        Ok(names)
    }

    /// Removes the files with numbers greater than `last`, and returns their paths.
    pub(super) fn take_beyond(&mut self, last: u64, dir: &Path) -> Vec<PathBuf> {
        type Named = fn(&Path, u64) -> PathBuf;
        let kinds = [
            (&mut self.tables, file_name::table as Named),
            (&mut self.logs, file_name::log),
            (&mut self.manifests, file_name::manifest),
        ];
        let mut taken = Vec::new();
        for (numbers, named) in kinds {
            let beyond = numbers.split_off(&last.saturating_add(1));
            taken.extend(beyond.into_iter().map(|number| named(dir, number)));
        }
        taken
    }

    /// The greatest number in any name.
    pub(super) fn highest(&self) -> u64 {
        let all = [&self.tables, &self.logs, &self.manifests];
        all.into_iter()
            .filter_map(|numbers| numbers.last())
            .max()
            .copied()
            .unwrap_or(0)
    }
}

/// What a manifest says, leaving out what contradicts earlier edits.
#[derive(Debug, Clone, Default)]
pub(super) struct Survey {
    pub(super) families: BTreeMap<FamilyId, FamilyRecord>,
    /// The number of each family by its name.
    numbers: HashMap<String, FamilyId>,
    pub(super) dropped: BTreeSet<FamilyId>,
    /// The tables by family and number, each with its level.
    pub(super) tables: BTreeMap<(FamilyId, u64), (usize, FileMeta)>,
    pub(super) removed: BTreeSet<u64>,
    pub(super) next_file: u64,
    pub(super) oldest_log: u64,
    pub(super) last_sequence: u64,
    pub(super) durable_sequence: u64,
    pub(super) next_family: u32,
    /// How reading ended; `None` if damage ended it.
    pub(super) end: Option<LogEnd>,
    pub(super) edits: usize,
}

impl Survey {
    /// No file of the database can have a greater number. An opening refuses a file that has,
    /// because counting on from it would lead to numbers that no later opening accepts.
    pub(super) fn last_file(&self) -> u64 {
        self.next_file.saturating_add(FILES_UNRECORDED_MAX)
    }

    /// The number of the family with this name.
    pub(super) fn number_of(&self, name: &str) -> Option<FamilyId> {
        self.numbers.get(name).copied()
    }

    /// Adds a family, whose number and name must be free.
    pub(super) fn add_family(&mut self, record: FamilyRecord) {
        self.numbers.insert(record.name.clone(), record.id);
        self.families.insert(record.id, record);
    }

    /// Removes a family, if it is there.
    pub(super) fn remove_family(&mut self, id: FamilyId) -> Option<FamilyRecord> {
        let removed = self.families.remove(&id)?;
        self.numbers.remove(&removed.name);
        Some(removed)
    }

    /// The numbers of the tables.
    pub(super) fn table_numbers(&self) -> BTreeSet<u64> {
        self.tables.keys().map(|(_, number)| *number).collect()
    }

    /// Describes the tables that have keys in common although they are in one level below level 0.
    /// Families whose comparator is not available are left out.
    pub(super) fn overlaps(
        &self,
        order_of: impl Fn(&FamilyRecord) -> Option<Comparator>,
    ) -> Vec<String> {
        let mut levels: BTreeMap<(FamilyId, usize), Vec<&FileMeta>> = BTreeMap::new();
        for ((family, _), (level, meta)) in self.tables.iter().filter(|(_, (level, _))| *level > 0)
        {
            levels.entry((*family, *level)).or_default().push(meta);
        }
        let first = |meta: &FileMeta| internal_key::user_key(&meta.smallest).to_vec();
        let last = |meta: &FileMeta| internal_key::user_key(&meta.largest).to_vec();
        let mut found = Vec::new();
        for ((family, level), mut tables) in levels {
            let Some(order) = self.families.get(&family).and_then(&order_of) else {
                continue;
            };
            tables.sort_by(|a, b| order.compare(&first(a), &first(b)));
            for pair in tables.windows(2) {
                let apart = order.compare(&last(pair[0]), &first(pair[1]));
                // The end of a range tombstone is not part of the table.
                let touch = apart.is_eq() && internal_key::is_range_end(&pair[0].largest);
                if apart.is_ge() && !touch {
                    found.push(format!(
                        "tables {} and {} overlap in level {level} of family {}{}",
                        pair[0].number,
                        pair[1].number,
                        family.0,
                        order.suspicion()
                    ));
                }
            }
        }
        found
    }

    /// Reads manifest `number` as far as possible, and calls `found` for each thing that is wrong. If the disk fails
    /// somewhere in it, what comes before is read.
    ///
    /// # Errors
    /// Those of [`read_contents`], but `Io` only if it is no file or this process may not read it; and
    /// `UnsupportedVersion`.
    pub(super) fn read(
        vfs: &dyn Vfs,
        dir: &Path,
        number: u64,
        found: &mut dyn FnMut(Finding),
    ) -> Result<Self> {
        let path = file_name::manifest(dir, number);
        let (contents, failure) = match read_contents(vfs, dir, number) {
            Err(error @ Error::Io { .. }) if !error.is_no_file() => read_to_failure(vfs, &path)?,
            read => (read?, None),
        };
        let is_cut = failure.is_some();
        if let Some(error) = failure {
            found(Finding::damage(
                &path,
                contents.len() as u64,
                error.to_string(),
            ));
        }
        let mut reader = LogReader::new(&contents, &path, number, RecoveryMode::PointInTime);
        let mut survey = Self::default();
        loop {
            let decoded = match reader.next_record() {
                Ok(Some(record)) => VersionEdit::decode(record),
                Ok(None) => break,
                Err(error) => {
                    found(Finding::of_error(&path, error));
                    return Ok(survey);
                }
            };
            let at = reader.record_at();
            match decoded {
                Ok(edit) => {
                    refuse_newer(&edit, &path)?;
                    survey.apply(&edit, &mut |what| found(Finding::damage(&path, at, what)));
                }
                Err(what) => {
                    found(Finding::damage(&path, at, what));
                    return Ok(survey);
                }
            }
            survey.edits += 1;
        }
        survey.end = reader.end().filter(|_| !is_cut);
        if survey.edits == 0 {
            let what = "the first record, which holds the whole state, is not whole";
            found(Finding::damage(&path, 0, what));
            survey.end = None;
        }
        Ok(survey)
    }

    fn apply(&mut self, edit: &VersionEdit, wrong: &mut dyn FnMut(String)) {
        if self.edits == 0 && edit.format != Some(MANIFEST_FORMAT) {
            wrong(format!(
                "the first record states the format {:?}, and this release knows {MANIFEST_FORMAT}",
                edit.format
            ));
        }
        for record in &edit.families_added {
            if self.number_of(&record.name).is_some() {
                wrong(format!("two families are named {:?}", record.name));
            } else if self.families.contains_key(&record.id) {
                wrong(format!("family {} is created twice", record.id.0));
            } else {
                self.add_family(record.clone());
            }
        }
        let of_family = |id| match self.families.get(id) {
            Some(record) => format!("family {:?}: ", record.name),
            None => String::new(),
        };
        for (family, level, number) in &edit.files_removed {
            let known = self.tables.remove(&(*family, *number));
            if known.is_none_or(|(at, _)| at != *level) {
                wrong(format!(
                    "{}table {number} is removed from level {level}, where it is not",
                    of_family(family)
                ));
            }
            self.removed.insert(*number);
        }
        for (family, level, file) in &edit.files_added {
            if !self.families.contains_key(family) {
                wrong(format!(
                    "table {} is of family {}, which does not exist",
                    file.number, family.0
                ));
            }
            let place = (*level, file.clone());
            if self.tables.insert((*family, file.number), place).is_some() {
                wrong(format!(
                    "{}table {} is added twice",
                    of_family(family),
                    file.number
                ));
            }
            self.removed.remove(&file.number);
        }
        for id in &edit.families_dropped {
            if self.remove_family(*id).is_none() {
                wrong(format!("family {} is dropped and does not exist", id.0));
            }
            self.dropped.insert(*id);
            let of_family = (*id, 0)..=(*id, u64::MAX);
            self.tables
                .extract_if(of_family, |_, _| true)
                .for_each(drop);
        }
        self.count(edit, wrong);
    }

    fn count(&mut self, edit: &VersionEdit, wrong: &mut dyn FnMut(String)) {
        let mut next_family = u64::from(self.next_family);
        let counters = [
            ("next file number", &mut self.next_file, edit.next_file),
            ("oldest log", &mut self.oldest_log, edit.oldest_log),
            (
                "last sequence number",
                &mut self.last_sequence,
                edit.last_sequence,
            ),
            (
                "durable sequence number",
                &mut self.durable_sequence,
                edit.durable_sequence,
            ),
            (
                "next family number",
                &mut next_family,
                edit.next_family.map(u64::from),
            ),
        ];
        for (name, counter, next) in counters {
            if let Some(next) = next {
                if let Err(what) = check_rises(name, *counter, next) {
                    wrong(what);
                }
                *counter = next;
            }
        }
        self.next_family = edit.next_family.unwrap_or(self.next_family);
        if let Err(what) = check_families_counted(edit, self.next_family) {
            wrong(what);
        }
    }
}

/// What a newer release wrote may mean something else, so nothing of it is believed.
fn refuse_newer(edit: &VersionEdit, manifest: &Path) -> Result<()> {
    match edit.format {
        Some(found) if found > MANIFEST_FORMAT => Err(Error::UnsupportedVersion {
            file: manifest.to_owned(),
            found,
            newest: MANIFEST_FORMAT,
        }),
        _ => Ok(()),
    }
}

/// A comparator with the name `stored` for the family `name`: the one given for it, one given for
/// another family, or a built-in one.
pub(super) fn comparator_named(
    name: &str,
    stored: &str,
    listed: &Listed<'_>,
) -> Option<Comparator> {
    let of_family = listed.get(name).into_iter();
    of_family
        .chain(listed.all())
        .map(|family| &family.comparator)
        .find(|comparator| comparator.name() == stored)
        .cloned()
        .or_else(|| Comparator::built_in(stored))
        .or_else(|| Some(Comparator::custom(NumericSuffix)).filter(|own| own.name() == stored))
}

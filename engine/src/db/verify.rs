//! Verify: reads every byte of a closed database and compares everything that can be compared.
//!
//! Reading and opening check what they touch. This checks what nobody has touched for long: a bad sector in a table that no
//! read meets is found here, while a backup that still has it is at hand.
//!
//! What is compared
//! 1. `CURRENT`, and every record of the manifest: checksums, fields, that no edit contradicts the ones before.
//! 2. That the files of all tables are there, as long as the manifest says, with the keys and numbers that it says.
//! 3. Every table whole: see [`check_table`].
//! 4. The levels: below level 0 no user key is in two tables.
//! 5. The logs: checksums, batches, that sequence numbers go on without a gap, that each family exists.
//! 6. Names that nothing refers to.
//!
//! Memory: the manifest, one log, and of one table the index, the filter and a block. What is found is counted beyond
//! `FINDINGS_PER_FILE_MAX` for a file.
//!
//! Left out: that of two tables with one user key the upper one holds the newer versions. It would take a merge of
//! all tables. What breaks it is a fault of the engine, not of the disk, and the tests of the engine look for that.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::batch::{BatchView, FamilyId};
use crate::comparator::Comparator;
use crate::db::Options;
use crate::db::family_set::ListedFamily;
use crate::db::survey::{self, Finding, Names, Severity, Survey, comparator_named};
use crate::error::{Error, Result};
use crate::internal_key;
use crate::log::{LogEnd, LogReader, RecoveryMode};
use crate::sstable::{Properties, check_table};
use crate::version::{FamilyRecord, FileMeta, current_manifest, file_name};
use crate::vfs::Vfs;

/// More findings than this about one file are only counted: a wrong comparator would give one for each key.
const FINDINGS_PER_FILE_MAX: usize = 20;

/// What [`verify`] found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct VerifyReport {
    /// All findings, file by file.
    pub findings: Vec<Finding>,
    /// The families, in the order of their creation.
    pub families: Vec<ListedFamily>,
    /// How many tables were read.
    pub tables: u64,
    /// Their bytes.
    pub table_bytes: u64,
    /// Their entries, as they state.
    pub entries: u64,
    /// How many logs were read.
    pub logs: u64,
    /// How many batches they hold.
    pub batches: u64,
}

impl VerifyReport {
    /// Whether nothing is damaged.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.damage().next().is_none()
    }

    /// The findings that are damage.
    pub fn damage(&self) -> impl Iterator<Item = &Finding> {
        self.findings
            .iter()
            .filter(|finding| finding.severity == Severity::Damage)
    }
}

/// Checks the database in `dir`, which nobody may have open. Nothing is written, and all that is wrong is told, not only
/// the first.
///
/// The comparators of `options` are used for the families that they are named for. Where a family has a custom one that is not given, the
/// order of its keys is not checked, and a note says so.
///
/// # Errors
/// `Locked` if it is open; `NotADatabase` if there is no `CURRENT` and nothing else of a database; `Io` when the directory cannot be read.
/// Files that cannot be read are findings.
pub fn verify(dir: impl AsRef<Path>, options: &Options) -> Result<VerifyReport> {
    let (dir, vfs) = (dir.as_ref(), &*options.vfs);
    let names = Names::read(vfs, dir)?;
    if !names.current && names.highest() == 0 {
        return Err(Error::NotADatabase {
            path: dir.to_path_buf(),
            found: "there is no CURRENT in it, no manifest, no log and no table".to_owned(),
        });
    }
    let _lock = survey::lock(vfs, dir, &names)?;
    // Once more: what was listed may have gone before the lock was had.
    let mut verifier = Verifier {
        names: Names::read(vfs, dir)?,
        vfs,
        dir,
        options,
        report: VerifyReport::default(),
    };
    verifier.run();
    Ok(verifier.report)
}

struct Verifier<'v> {
    names: Names,
    vfs: &'v dyn Vfs,
    dir: &'v Path,
    options: &'v Options,
    report: VerifyReport,
}

impl Verifier<'_> {
    fn damage(&mut self, file: &Path, offset: u64, what: impl Into<String>) {
        self.report
            .findings
            .push(Finding::damage(file, offset, what));
    }

    fn note(&mut self, file: &Path, what: impl Into<String>) {
        self.report.findings.push(Finding::note(file, what));
    }

    fn run(&mut self) {
        let Some((number, survey)) = self.manifest() else {
            self.unlisted(None, None);
            return;
        };
        self.report.families = survey
            .families
            .values()
            .map(|record| ListedFamily {
                name: record.name.clone(),
                comparator: record.comparator.clone(),
            })
            .collect();
        let orders = self.orders(number, &survey);
        for ((family, _), (level, meta)) in &survey.tables {
            let order = orders.get(family);
            self.table(survey.families.get(family), *level, meta, order, &survey);
        }
        self.levels(number, &survey, &orders);
        if survey.end.is_none() {
            // What the rest of the manifest would say of logs and other tables is not known.
            self.unlisted(Some(number), None);
            return;
        }
        self.logs(&survey);
        self.unlisted(Some(number), Some(&survey));
    }

    /// The manifest in force, as far as it can be read.
    fn manifest(&mut self) -> Option<(u64, Survey)> {
        let current = self.dir.join(file_name::CURRENT);
        let number = match current_manifest(self.vfs, self.dir) {
            Ok(number) => number,
            Err(Error::NotADatabase { found, .. }) => {
                self.damage(&current, 0, found);
                return None;
            }
            Err(error) => {
                let what = format!(
                    "{error}. Without it, nothing says which manifest is in force: see repair"
                );
                self.damage(&current, 0, what);
                return None;
            }
        };
        let path = file_name::manifest(self.dir, number);
        let mut findings = Vec::new();
        let survey = Survey::read(self.vfs, self.dir, number, &mut |finding| {
            findings.push(finding);
        });
        self.report.findings.append(&mut findings);
        match survey {
            Ok(survey) => {
                if let Some(LogEnd::Torn { at }) = survey.end {
                    let what = format!(
                        "the edit at byte {at} is torn: it was never in force, or its end is damaged"
                    );
                    self.note(&path, what);
                }
                Some((number, survey))
            }
            Err(error) => {
                self.damage(&current, 0, format!("it names {}: {error}", path.display()));
                None
            }
        }
    }

    /// The comparators that are at hand.
    fn orders(&mut self, manifest: u64, survey: &Survey) -> BTreeMap<FamilyId, Comparator> {
        let mut orders = BTreeMap::new();
        for record in survey.families.values() {
            match comparator_named(&record.name, &record.comparator, self.options) {
                Some(order) => drop(orders.insert(record.id, order)),
                None => {
                    let what = format!(
                        "family {:?} is sorted by the comparator {:?}, which is not given: the order of its keys is \
                         not checked",
                        record.name, record.comparator
                    );
                    self.note(&file_name::manifest(self.dir, manifest), what);
                }
            }
        }
        orders
    }

    fn table(
        &mut self,
        family: Option<&FamilyRecord>,
        level: usize,
        meta: &FileMeta,
        order: Option<&Comparator>,
        survey: &Survey,
    ) {
        let path = file_name::table(self.dir, meta.number);
        let file = match self.vfs.open_random(&path) {
            Ok(file) => file,
            Err(error) => {
                let name = family.map_or("", |family| &family.name);
                let what =
                    format!("the manifest lists it in level {level} of family {name:?}: {error}");
                self.damage(&path, 0, what);
                return;
            }
        };
        self.report.tables += 1;
        self.report.table_bytes += file.len();
        let mut found = Capped::new(&path);
        if file.len() != meta.bytes {
            let what = format!(
                "the manifest says {} bytes and the file has {}",
                meta.bytes,
                file.len()
            );
            found.push(file.len().min(meta.bytes), what);
        }
        let properties = check_table(&*file, order, &mut |at, what| found.push(at, what));
        if let Some(properties) = properties {
            self.report.entries += properties.entries;
            compare(meta, family, &properties, survey, &mut found);
        }
        found.end_into(&mut self.report.findings);
    }

    /// Below level 0, no user key is in two tables.
    fn levels(&mut self, manifest: u64, survey: &Survey, orders: &BTreeMap<FamilyId, Comparator>) {
        let mut levels: BTreeMap<(FamilyId, usize), Vec<&FileMeta>> = BTreeMap::new();
        for ((family, _), (level, meta)) in
            survey.tables.iter().filter(|(_, (level, _))| *level > 0)
        {
            levels.entry((*family, *level)).or_default().push(meta);
        }
        for ((family, level), mut tables) in levels {
            let Some(order) = orders.get(&family) else {
                continue;
            };
            let first = |meta: &FileMeta| internal_key::user_key(&meta.smallest).to_vec();
            let last = |meta: &FileMeta| internal_key::user_key(&meta.largest).to_vec();
            tables.sort_by(|a, b| order.compare(&first(a), &first(b)));
            for pair in tables.windows(2) {
                let apart = order.compare(&last(pair[0]), &first(pair[1]));
                // The end of a range tombstone is not in the table.
                let touch = apart.is_eq() && internal_key::is_range_end(&pair[0].largest);
                if apart.is_ge() && !touch {
                    let what = format!(
                        "tables {} and {} overlap in level {level} of family {}",
                        pair[0].number, pair[1].number, family.0
                    );
                    self.damage(&file_name::manifest(self.dir, manifest), 0, what);
                }
            }
        }
    }

    fn logs(&mut self, survey: &Survey) {
        if survey.oldest_log > 0 && !self.names.logs.contains(&survey.oldest_log) {
            let path = file_name::log(self.dir, survey.oldest_log);
            self.damage(&path, 0, "the file is missing, and the manifest needs it");
        }
        let numbers: Vec<u64> = self
            .names
            .logs
            .range(survey.oldest_log..)
            .copied()
            .collect();
        let mut next_sequence = survey.last_sequence + 1;
        for number in numbers {
            self.report.logs += 1;
            let path = file_name::log(self.dir, number);
            match self.log(number, &path, survey, next_sequence) {
                Ok(Some(next)) => next_sequence = next,
                Ok(None) => return,
                Err(error) => {
                    self.report.findings.push(Finding::of_error(&path, error));
                    return;
                }
            }
        }
    }

    /// Checks a log and returns the sequence number that follows it; `None` if what comes after is left out at opening.
    fn log(
        &mut self,
        number: u64,
        path: &PathBuf,
        survey: &Survey,
        mut next_sequence: u64,
    ) -> Result<Option<u64>> {
        let contents = self.vfs.read(path)?;
        let mut reader = LogReader::new(&contents, path, number, RecoveryMode::PointInTime);
        let mut batches = 0;
        while let Some(record) = reader.next_record()? {
            let checked = check_batch(record, survey, next_sequence);
            let at = reader.record_at();
            match checked {
                Ok(next) => next_sequence = next,
                Err(Batch::Wrong(what)) => {
                    self.damage(path, at, what);
                    return Ok(None);
                }
                Err(Batch::Beyond(first)) if batches == 0 && number > survey.oldest_log => {
                    let what = format!(
                        "it begins with the sequence number {first}, and {next_sequence} follows: a log before it lost its \
                         end in a power cut, so this one is left out at opening"
                    );
                    self.note(path, what);
                    return Ok(None);
                }
                Err(Batch::Beyond(first)) => {
                    let what =
                        format!("its sequence number is {first}, and {next_sequence} follows");
                    self.damage(path, at, what);
                    return Ok(None);
                }
            }
            batches += 1;
        }
        self.report.batches += batches;
        if let Some(LogEnd::Torn { at }) = reader.end() {
            let what = format!(
                "the record at byte {at} is torn: its write was never acknowledged as durable"
            );
            self.note(path, what);
        }
        Ok(Some(next_sequence))
    }

    fn unlisted(&mut self, manifest: Option<u64>, survey: Option<&Survey>) {
        let gone = "nothing refers to it; the next opening removes it";
        let mut notes = Vec::new();
        if let Some(survey) = survey {
            for &number in &self.names.tables {
                if !survey.tables.keys().any(|(_, listed)| *listed == number) {
                    notes.push((file_name::table(self.dir, number), gone));
                }
            }
            for &number in self.names.logs.range(..survey.oldest_log) {
                notes.push((file_name::log(self.dir, number), gone));
            }
        }
        for &number in self
            .names
            .manifests
            .iter()
            .filter(|number| Some(**number) != manifest)
        {
            let what = if manifest.is_some() {
                gone
            } else {
                "whether it is in force is not known"
            };
            notes.push((file_name::manifest(self.dir, number), what));
        }
        if self.names.current_temporary {
            notes.push((self.dir.join(file_name::CURRENT_TEMPORARY), gone));
        }
        for name in &self.names.foreign {
            notes.push((
                self.dir.join(name),
                "it is none of the engine's names, and is left alone",
            ));
        }
        for (path, what) in notes {
            self.note(&path, what);
        }
    }
}

/// What is wrong with a batch.
enum Batch {
    Wrong(String),
    /// It does not follow what came before; it begins with this number.
    Beyond(u64),
}

fn check_batch(record: &[u8], survey: &Survey, next_sequence: u64) -> Result<u64, Batch> {
    let batch = BatchView::decode(record).map_err(Batch::Wrong)?;
    if batch.sequence != next_sequence {
        return Err(Batch::Beyond(batch.sequence));
    }
    for record in batch.records() {
        let record = record.map_err(Batch::Wrong)?;
        if record.family.0 >= survey.next_family {
            return Err(Batch::Wrong(format!(
                "it is for family {}, which never was",
                record.family.0
            )));
        }
    }
    Ok(batch.sequence + u64::from(batch.count))
}

/// What the manifest says of a table against what the table says.
fn compare(
    meta: &FileMeta,
    family: Option<&FamilyRecord>,
    properties: &Properties,
    survey: &Survey,
    found: &mut Capped<'_>,
) {
    if meta.entries != properties.entries {
        found.push(
            0,
            format!(
                "the manifest says {} entries, the table {}",
                meta.entries, properties.entries
            ),
        );
    }
    if meta.range_deletes != properties.range_deletes {
        found.push(
            0,
            format!(
                "the manifest says {} range tombstones, the table {}",
                meta.range_deletes, properties.range_deletes
            ),
        );
    }
    let keys = [
        ("smallest", &meta.smallest, &properties.smallest),
        ("largest", &meta.largest, &properties.largest),
    ];
    for (which, listed, stated) in keys {
        if listed != stated {
            let (listed, stated) = (
                internal_key::describe(listed),
                internal_key::describe(stated),
            );
            found.push(
                0,
                format!("the manifest has {listed} for its {which} key, the table {stated}"),
            );
        }
    }
    if properties.sequence_max > survey.last_sequence {
        found.push(
            0,
            format!(
                "it holds the sequence number {}, and the manifest says that tables go up to {}",
                properties.sequence_max, survey.last_sequence
            ),
        );
    }
    if let Some(family) = family
        && (properties.family, &properties.family_name) != (family.id.0, &family.name)
    {
        found.push(
            0,
            format!(
                "it belongs to family {} {:?}, and the manifest lists it in {} {:?}",
                properties.family, properties.family_name, family.id.0, family.name
            ),
        );
    }
}

/// The findings about one file: the first ones whole, the rest counted.
struct Capped<'f> {
    file: &'f Path,
    findings: Vec<Finding>,
    more: u64,
}

impl<'f> Capped<'f> {
    fn new(file: &'f Path) -> Self {
        Self {
            file,
            findings: Vec::new(),
            more: 0,
        }
    }

    fn push(&mut self, offset: u64, what: String) {
        if self.findings.len() < FINDINGS_PER_FILE_MAX {
            self.findings.push(Finding::damage(self.file, offset, what));
        } else {
            self.more += 1;
        }
    }

    fn end_into(mut self, findings: &mut Vec<Finding>) {
        if self.more > 0 {
            let what = format!("and {} more findings in this file", self.more);
            self.findings.push(Finding::damage(self.file, 0, what));
        }
        findings.append(&mut self.findings);
    }
}

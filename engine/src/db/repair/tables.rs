//! Which tables are kept, and in which level.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use super::Repair;
use crate::batch::FamilyId;
use crate::compaction::{self, Plan, Reason};
use crate::comparator::Comparator;
use crate::db::survey::{Finding, comparator_named};
use crate::db::version_order::check_version_order;
use crate::error::{Error, Result};
use crate::internal_key;
use crate::sstable::{Properties, Table, check_table};
use crate::version::edit::FAMILY_ID_MAX;
use crate::version::{
    FamilyRecord, FileMeta, LEVELS, State, TableFile, Version, VersionEdit, file_name,
};

/// An intact table that is kept.
pub(super) struct Found {
    meta: FileMeta,
    family: FamilyId,
    /// The level in which the manifest has it, if the manifest is trusted.
    level: Option<usize>,
}

impl Repair<'_> {
    /// Reads every table, and sorts out those that are damaged, replaced or unknown.
    pub(super) fn find_tables(&mut self) -> Result<Vec<Found>> {
        let numbers: Vec<u64> = self.names.tables.iter().copied().collect();
        let listed = self.survey.table_numbers();
        let mut read = Vec::new();
        for number in numbers {
            if self.believed && !listed.contains(&number) {
                // Not read: half a table is no loss here, because a flush or a compaction leaves it
                // behind if its process ends.
                let path = file_name::table(self.dir, number);
                self.set_aside(
                    path,
                    "the manifest does not name it: it was replaced, or never finished",
                );
            } else if let Some((properties, bytes)) = self.read_table(number)? {
                read.push((number, properties, bytes));
            }
        }
        self.report_missing();
        let found = match self.believed {
            true => self.listed(read),
            false => self.by_their_own_word(read),
        };
        self.add_default_family();
        Ok(found)
    }

    /// A table's properties and length, if every byte of it is valid.
    fn read_table(&mut self, number: u64) -> Result<Option<(Properties, u64)>> {
        let path = file_name::table(self.dir, number);
        let file = match self.vfs.open_random(&path) {
            Ok(file) => file,
            Err(error) if error.is_of_process() => return Err(error),
            Err(error) => {
                self.report
                    .lost
                    .push(Finding::damage(&path, 0, error.to_string()));
                self.set_aside(path, "it cannot be read");
                return Ok(None);
            }
        };
        // A later release's table is intact, and moving it aside would lose it.
        if let Err(error @ Error::UnsupportedVersion { .. }) =
            Table::open(Arc::clone(&file), Comparator::Bytewise)
        {
            return Err(error);
        }
        // First without a comparator to get the properties, then again with the comparator that they name.
        let stated = check_table(&*file, None, &mut |_, _| ());
        let order = stated.as_ref().and_then(|stated| {
            comparator_named(&stated.family_name, &stated.comparator, &self.listed)
        });
        let mut first = None;
        let stated = check_table(&*file, order.as_ref(), &mut |at, what| {
            first.get_or_insert((at, what));
        });
        let wrong = first.or_else(|| {
            let family = stated.as_ref()?.family;
            let what = format!("it is of family {family}, and no database has come to that number");
            (family > FAMILY_ID_MAX).then_some((0, what))
        });
        match (stated, wrong) {
            (Some(stated), None) => Ok(Some((stated, file.len()))),
            (_, wrong) => {
                let (at, what) = wrong.unwrap_or_default();
                self.report.lost.push(Finding::damage(&path, at, what));
                self.set_aside(path, "it is damaged");
                Ok(None)
            }
        }
    }

    fn report_missing(&mut self) {
        for (_, number) in self.survey.tables.keys() {
            if !self.names.tables.contains(number) {
                let path = file_name::table(self.dir, *number);
                let what = "the file is missing, and the manifest names it";
                self.report.lost.push(Finding::damage(&path, 0, what));
            }
        }
    }

    /// The tables that match what the manifest says about them; it must name all of them.
    fn listed(&mut self, read: Vec<(u64, Properties, u64)>) -> Vec<Found> {
        // If the manifest names a number in several families, the first counts.
        let mut places: BTreeMap<u64, (FamilyId, usize, FileMeta)> = BTreeMap::new();
        for ((family, number), (level, meta)) in &self.survey.tables {
            let place = || (*family, *level, meta.clone());
            places.entry(*number).or_insert_with(place);
        }
        let mut found = Vec::new();
        for (number, stated, bytes) in read {
            let is_meant = |(family, _, meta): &(FamilyId, usize, FileMeta)| {
                let counts = (meta.bytes, meta.entries, meta.range_deletes);
                let known = self.survey.families.get(family);
                counts == (bytes, stated.entries, stated.range_deletes)
                    && meta.other_ends(&stated).next().is_none()
                    && known.is_some_and(|family| is_of(&stated, family))
            };
            if let Some((family, level, meta)) = places.remove(&number).filter(is_meant) {
                found.push(Found {
                    meta,
                    family,
                    level: Some(level),
                });
            } else {
                let path = file_name::table(self.dir, number);
                let what = "it is another file than the manifest means";
                self.report.lost.push(Finding::damage(&path, 0, what));
                self.set_aside(path, what);
            }
        }
        found
    }

    /// All tables that were not replaced, each in the family that its properties name.
    fn by_their_own_word(&mut self, read: Vec<(u64, Properties, u64)>) -> Vec<Found> {
        let replaced = self.replaced(&read);
        let mut found = Vec::new();
        // Families first; of those with the same name the newest last, so that it is the one that stays.
        let mut read = read;
        read.sort_by_key(|(number, properties, _)| (properties.family, *number));
        for (_, properties, _) in &read {
            self.add_family(properties);
        }
        for (number, properties, bytes) in read {
            let path = file_name::table(self.dir, number);
            let id = FamilyId(properties.family);
            let known = self.survey.families.get(&id);
            if replaced.contains(&number) {
                self.set_aside(path, "a compaction replaced it");
            } else if known.is_none_or(|family| family.comparator != properties.comparator) {
                self.set_aside(path, "its column family was dropped");
            } else {
                let reached = self.reached.entry(id).or_default();
                *reached = properties.sequence_max.max(*reached);
                found.push(Found {
                    meta: meta_of(number, bytes, properties),
                    family: id,
                    level: None,
                });
            }
        }
        found
    }

    /// The tables that are known to be replaced: according to what could be read of the manifest,
    /// or because a table made from them exists while another of its inputs does not. Inputs are
    /// only removed after their outputs are in force.
    fn replaced(&self, read: &[(u64, Properties, u64)]) -> BTreeSet<u64> {
        let mut replaced = self.survey.removed.clone();
        // All tables that one compaction wrote name the same inputs.
        let mut counted = HashSet::new();
        let inputs = read.iter().map(|(_, properties, _)| &properties.inputs);
        for inputs in inputs.filter(|inputs| counted.insert(inputs.runs())) {
            // A run may claim more numbers than there can be tables, so it is counted, not walked.
            let are_all_here = inputs.runs().iter().all(|run| {
                let others = run.end() - run.start();
                self.names.tables.range(run.clone()).count() as u64 > others
            });
            if !are_all_here {
                let here = self.names.tables.iter().copied();
                replaced.extend(here.filter(|number| inputs.contains(*number)));
            }
        }
        replaced
    }

    fn add_family(&mut self, properties: &Properties) {
        let id = FamilyId(properties.family);
        if self.survey.families.contains_key(&id) || self.was_dropped(id) {
            return;
        }
        // A name is reused only after a drop, and family numbers ascend.
        if let Some(namesake) = self.survey.number_of(&properties.family_name) {
            if namesake > id {
                return;
            }
            self.survey.remove_family(namesake);
        }
        self.survey.add_family(FamilyRecord {
            id,
            name: properties.family_name.clone(),
            comparator: properties.comparator.clone(),
        });
    }

    /// The state with all tables that are kept, merged if they overlap and nothing says which is newer.
    pub(super) fn place(&mut self, mut found: Vec<Found>) -> Result<State> {
        self.doubt_wrong_orders(&mut found)?;
        let mut edit = VersionEdit::default();
        let mut loose: BTreeMap<FamilyId, Vec<FileMeta>> = BTreeMap::new();
        for table in found {
            match table.level {
                Some(level) => edit.files_added.push((table.family, level, table.meta)),
                None => loose.entry(table.family).or_default().push(table.meta),
            }
        }
        let families: Vec<FamilyRecord> = self.survey.families.values().cloned().collect();
        for record in &families {
            let tables = loose.remove(&record.id).unwrap_or_default();
            let level = self.level_for(record, &tables);
            for group in self.groups(record, tables) {
                for meta in self.one_table_a_key(record, group, level)? {
                    edit.files_added.push((record.id, level, meta));
                }
            }
        }
        self.applied(&self.empty_state()?, &edit)
    }

    /// Takes all tables of a family out of their levels if one of them holds an older version of a key that
    /// is also in a table below it. Then only the sequence numbers say which version is the newest.
    ///
    /// # Errors
    /// `Io` from a table.
    fn doubt_wrong_orders(&mut self, found: &mut [Found]) -> Result<()> {
        found.sort_by_key(|table| table.family);
        for tables in found.chunk_by_mut(|one, next| one.family == next.family) {
            let id = tables[0].family;
            let order = &self.orders[&id];
            let placed = tables
                .iter()
                .filter_map(|table| Some((table.level?, table.meta.clone())));
            let version = Version::of_files(&self.access(id), placed.collect());
            let mut wrong = None;
            let current = self.dir.join(file_name::CURRENT);
            let checked = version
                .map_err(|what| Error::corruption(current, 0, what))
                .and_then(|version| {
                    check_version_order(&version, order, &mut |error| {
                        wrong.get_or_insert(error);
                    })
                });
            match wrong.map_or(checked, Err) {
                Ok(()) => {}
                // All of it could be read a moment ago.
                Err(error @ Error::Io { .. }) => return Err(error),
                Err(error) => {
                    self.report.lost.push(Finding::of_error(self.dir, error));
                    for table in tables {
                        table.level = None;
                    }
                }
            }
        }
        Ok(())
    }

    /// The shallowest level that may hold all these tables.
    fn level_for(&self, record: &FamilyRecord, tables: &[FileMeta]) -> usize {
        let shape = self.listed.of_family(&record.name).shape();
        let bytes: u64 = tables.iter().map(|table| table.bytes).sum();
        let roomy = (1..LEVELS - 1).find(|&level| bytes <= shape.level_bytes_max(level));
        roomy.unwrap_or(LEVELS - 1)
    }

    /// Groups of tables whose keys overlap, each with all that overlap it.
    fn groups(&self, record: &FamilyRecord, mut tables: Vec<FileMeta>) -> Vec<Vec<FileMeta>> {
        let order = &self.orders[&record.id];
        tables.sort_by(|a, b| order.compare(first(a), first(b)));
        let mut groups: Vec<Vec<FileMeta>> = Vec::new();
        let mut end: Vec<u8> = Vec::new();
        for table in tables {
            let next_end = last(&table).to_vec();
            match groups.last_mut() {
                Some(group) if order.compare(first(&table), &end).is_le() => group.push(table),
                _ => {
                    groups.push(vec![table]);
                    end.clone_from(&next_end);
                }
            }
            if order.compare(&next_end, &end).is_gt() {
                end = next_end;
            }
        }
        groups
    }

    fn one_table_a_key(
        &mut self,
        record: &FamilyRecord,
        group: Vec<FileMeta>,
        level: usize,
    ) -> Result<Vec<FileMeta>> {
        if group.len() == 1 {
            return Ok(group);
        }
        let access = self.access(record.id);
        let numbers: Vec<u64> = group.iter().map(|meta| meta.number).collect();
        let inputs = group
            .into_iter()
            .map(|meta| (0, Arc::new(TableFile::new(meta, Arc::clone(&access)))));
        let plan = Plan {
            inputs: inputs.collect(),
            output_level: level,
            reason: Reason::Manual,
        };
        let merged = self.rewrite(record, numbers.iter().copied().collect(), |environment| {
            compaction::compact(environment, &plan, &Version::default())
        })?;
        self.report.merged += numbers.len() as u64;
        for number in numbers {
            let path = file_name::table(self.dir, number);
            self.set_aside(path, "its rows are merged into a new table");
        }
        Ok(merged.map(|output| output.files).unwrap_or_default())
    }
}

/// Whether a table says that it is this family's, and in its order.
fn is_of(stated: &Properties, family: &FamilyRecord) -> bool {
    let says = (stated.family, &stated.family_name, &stated.comparator);
    says == (family.id.0, &family.name, &family.comparator)
}

fn meta_of(number: u64, bytes: u64, properties: Properties) -> FileMeta {
    FileMeta {
        number,
        bytes,
        entries: properties.entries,
        range_deletes: properties.range_deletes,
        smallest: properties.smallest,
        largest: properties.largest,
    }
}

fn first(meta: &FileMeta) -> &[u8] {
    internal_key::user_key(&meta.smallest)
}

fn last(meta: &FileMeta) -> &[u8] {
    internal_key::user_key(&meta.largest)
}

//! Walks every row and compares what the rows say with one another.
//!
//! For each key: the metadata row can be read; a sorted set has one score row for each data row
//! and the reverse, with the same score; its size is their number and not 0. For each row of a
//! collection: its owner exists, or it is an orphan and is counted as one.

use std::collections::BTreeMap;

use crate::store::{Direction, KeyRange, Space, Store};
use crate::types::keyspace::all_keys;
use crate::types::orphans::{OWNED, OrphanFinder};
use crate::types::rows::{Collection, Marks, RowPrefix, Score, decode_score};
use crate::types::{Content, DbNumber, Result};

/// What [`check`] found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// How many metadata rows there are, expired ones included.
    pub keys: u64,
    /// How many elements the collections have together.
    pub elements: u64,
    /// How many rows nobody owns.
    pub orphans: u64,
    /// What must not be.
    pub faults: Vec<Fault>,
}

/// A contradiction between rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The database of the key.
    pub db: DbNumber,
    /// The key.
    pub key: Vec<u8>,
    /// What is wrong with it.
    pub what: String,
}

/// Checks all rows. Nobody may write meanwhile.
///
/// Cost: memory for the largest collection, two walks over all rows.
///
/// # Errors
/// A damaged row; those of the store.
pub fn check(store: &dyn Store) -> Result<Report> {
    let mut report = Report::default();
    for (db, key, metadata) in all_keys(store)? {
        report.keys += 1;
        if let Content::SortedSet(set, marks) = metadata.content {
            report.elements += set.size;
            for what in sorted_set_faults(store, db, &key, set, &marks)? {
                let key = key.clone();
                report.faults.push(Fault { db, key, what });
            }
        }
    }
    let snapshot = store.snapshot()?;
    for space in OWNED {
        let mut finder = OrphanFinder::default();
        let mut cursor = snapshot.scan(space, &KeyRange::all(), Direction::Forward)?;
        while let Some((row, _)) = cursor.row() {
            report.orphans += u64::from(finder.is_orphan(&*snapshot, space, row)?);
            cursor.advance()?;
        }
    }
    Ok(report)
}

fn sorted_set_faults(
    store: &dyn Store,
    db: DbNumber,
    key: &[u8],
    set: Collection,
    marks: &Marks,
) -> Result<Vec<String>> {
    let snapshot = store.snapshot()?;
    let prefix = RowPrefix::new(db, key, set.version);
    // The score of each member by its data row, and whether a score row says the same.
    let mut scores: BTreeMap<Vec<u8>, (Score, bool)> = BTreeMap::new();
    let mut cursor = snapshot.scan(Space::Data, &prefix.rows(), Direction::Forward)?;
    while let Some((row, value)) = cursor.row() {
        let member = prefix.data_member(row)?.to_vec();
        scores.insert(member, (decode_score(row, value)?, false));
        cursor.advance()?;
    }
    let mut faults = Vec::new();
    if set.size == 0 || set.size != scores.len() as u64 {
        let found = scores.len();
        faults.push(format!(
            "its size is {}, it has {found} data rows",
            set.size
        ));
    }
    let mut cursor = snapshot.scan(Space::Score, &prefix.rows(), Direction::Forward)?;
    while let Some((row, _)) = cursor.row() {
        let (score, member) = prefix.score_member(row)?;
        if !marks.contain(prefix.mark_of(row)) {
            let member = String::from_utf8_lossy(member);
            faults.push(format!("{member:?} stands outside the marks {marks:02x?}"));
        }
        match scores.get_mut(member) {
            Some((by_member, is_indexed)) if *by_member == score => *is_indexed = true,
            other => faults.push(format!(
                "{:?} has a score row for {}, its data row says {:?}",
                String::from_utf8_lossy(member),
                score.get(),
                other.map(|(by_member, _)| by_member.get())
            )),
        }
        cursor.advance()?;
    }
    for (member, (score, _)) in scores.iter().filter(|(_, (_, is_indexed))| !is_indexed) {
        faults.push(format!(
            "{:?} has no score row for {}",
            String::from_utf8_lossy(member),
            score.get()
        ));
    }
    Ok(faults)
}

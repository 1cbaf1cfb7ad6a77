//! Walks every row and compares what the rows say with one another.
//!
//! For each key: the metadata row can be read, and what its type promises holds. Each type has a function
//! here, which finds what contradicts its invariants. For each row of a collection: its owner exists, or it
//! is an orphan and is counted as one.
//!
//! To check a new type, or a new invariant, add to [`faults_of`].

mod lists;
mod names;
mod sorted_sets;

use crate::store::{Direction, KeyRange, Snapshot, Space, Store};
use crate::types::keyspace::all_keys;
use crate::types::orphans::{OWNED, OrphanFinder};
use crate::types::rows::{
    RowPrefix, decode_expiry_key, decode_metadata_key, expiry_key, metadata_key, stored_expiry,
};
use crate::types::zset::indexes::RankIndexes;
use crate::types::{Content, DbNumber, Metadata, Result};

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
    let snapshot = store.snapshot()?;
    for (db, key, metadata) in all_keys(store)? {
        report.keys += 1;
        let collection = metadata.content.collection();
        report.elements += collection.map_or(0, |collection| collection.size);
        for what in faults_of(&*snapshot, db, &key, &metadata)? {
            let key = key.clone();
            report.faults.push(Fault { db, key, what });
        }
    }
    expiry_faults(&*snapshot, &mut report)?;
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

/// The expire-time index has a row for each key that expires, and no other.
fn expiry_faults(snapshot: &dyn Snapshot, report: &mut Report) -> Result<()> {
    let mut fault = |db, key, what: &str| {
        let what = what.to_owned();
        report.faults.push(Fault { db, key, what });
    };
    let mut cursor = snapshot.scan(Space::Metadata, &KeyRange::all(), Direction::Forward)?;
    while let Some((row, value)) = cursor.row() {
        if let Some(expires_ms) = stored_expiry(value) {
            let (db, key) = decode_metadata_key(row)?;
            let index = expiry_key(db, expires_ms, &key);
            if snapshot.get(Space::Expiry, &index)?.is_none() {
                fault(db, key, "it expires, and the index by time does not say so");
            }
        }
        cursor.advance()?;
    }
    let mut cursor = snapshot.scan(Space::Expiry, &KeyRange::all(), Direction::Forward)?;
    while let Some((row, _)) = cursor.row() {
        let (db, expires_ms, key) = decode_expiry_key(row)?;
        let stored = snapshot.get(Space::Metadata, &metadata_key(db, &key))?;
        if stored.and_then(|value| stored_expiry(&value)) != Some(expires_ms) {
            fault(db, key, "the index says that it expires, and it does not");
        }
        cursor.advance()?;
    }
    Ok(())
}

/// What is wrong with one key.
fn faults_of(
    snapshot: &dyn Snapshot,
    db: DbNumber,
    key: &[u8],
    metadata: &Metadata,
) -> Result<Vec<String>> {
    let prefix = |version| RowPrefix::new(db, key, version);
    match &metadata.content {
        Content::String(_) => Ok(Vec::new()),
        Content::Hash(collection) | Content::Set(collection) => {
            let kind = metadata.content.kind();
            names::faults(snapshot, &prefix(collection.version), collection.size, kind)
        }
        Content::List(collection, ends) => {
            lists::faults(snapshot, &prefix(collection.version), collection.size, ends)
        }
        Content::SortedSet(collection, marks) => {
            let prefix = prefix(collection.version);
            sorted_sets::faults(snapshot, &prefix, collection.size, marks)
        }
    }
}

/// Compares the rank indexes of a server with walks over the sets. Nobody may write meanwhile.
///
/// # Errors
/// A damaged row; those of the store.
pub fn check_ranks(store: &dyn Store, indexes: &RankIndexes) -> Result<Vec<Fault>> {
    let mut faults = Vec::new();
    let snapshot = store.snapshot()?;
    for (db, key, metadata) in all_keys(store)? {
        // Sorted sets are counted by score, lists by position.
        let space = match metadata.content {
            Content::SortedSet(..) => Space::Score,
            Content::List(..) => Space::Data,
            _ => continue,
        };
        let version = metadata.content.collection().map_or(0, |c| c.version);
        if let Some(index) = indexes.get(version) {
            let prefix = RowPrefix::new(db, &key, version);
            let counts = index.counts();
            if let Some(what) = sorted_sets::rank_fault(&*snapshot, space, &prefix, &counts)? {
                faults.push(Fault { db, key, what });
            }
        }
    }
    Ok(faults)
}

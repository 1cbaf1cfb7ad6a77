//! Walks every row and compares what the rows say with one another.
//!
//! For each key: the metadata row can be read, and the invariants of its type hold. Each type has a function
//! here, which finds what contradicts its invariants. For each row of a collection: its owner exists, or it
//! is an orphan and is counted as one.
//!
//! To check a new type, or a new invariant, add to [`faults_of`].

mod lists;
mod names;
mod pieces;
mod sorted_sets;

use std::collections::BTreeMap;

use crate::store::{Direction, KeyRange, Snapshot, Space, Store};
use crate::types::keyspace::all_keys;
use crate::types::orphans::{OWNED, OrphanFinder, is_stale};
use crate::types::rows::{
    RowPrefix, decode_expiry_key, decode_forward_key, decode_metadata_key, decode_owner,
    expiry_key, forward_key, forwards, metadata_key, stored_expiry,
};
use crate::types::zset::indexes::RankIndexes;
use crate::types::{Content, DbNumber, Error, Kind, Metadata, Result};

/// At most this many faults are described; the others are only counted.
const DESCRIBED_MAX: usize = 1000;

/// What [`check`] found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// How many metadata rows there are, expired ones included.
    pub keys: u64,
    /// How many keys there are of each type, by the type's name.
    pub kinds: BTreeMap<&'static str, u64>,
    /// How many elements all collections have together.
    pub elements: u64,
    /// How many rows have no owner.
    pub orphans: u64,
    /// The faults that are described.
    pub faults: Vec<Fault>,
    /// How many more faults there are.
    pub more_faults: u64,
}

/// A contradiction between rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The database of the key.
    pub db: DbNumber,
    /// The key. For a row that cannot be read, the bytes of the row's key.
    pub key: Vec<u8>,
    /// What is wrong with it.
    pub what: String,
}

impl Report {
    /// Whether all rows agree.
    #[must_use]
    pub const fn is_sound(&self) -> bool {
        self.faults.is_empty()
    }

    fn add(&mut self, db: DbNumber, key: &[u8], what: String) {
        if self.faults.len() >= DESCRIBED_MAX {
            self.more_faults += 1;
            return;
        }
        let key = key.to_vec();
        self.faults.push(Fault { db, key, what });
    }
}

/// Checks all rows, as they are at one moment. A damaged row is a fault like any other.
///
/// Cost: two walks over all rows, and a point read for each member of a sorted set and each key that expires. Memory
/// does not grow with the number of keys; for a list the positions of all its elements are held at once, for a hash the
/// orders of all its fields.
///
/// # Errors
/// Those of the store.
pub fn check(store: &dyn Store) -> Result<Report> {
    let mut report = Report::default();
    let snapshot = store.snapshot()?;
    let mut cursor = snapshot.scan(Space::Metadata, &KeyRange::all(), Direction::Forward)?;
    while let Some((row, value)) = cursor.row() {
        report.keys += 1;
        check_key(&*snapshot, row, value, &mut report)?;
        cursor.advance()?;
    }
    expiry_faults(&*snapshot, &mut report)?;
    for space in OWNED {
        let mut finder = OrphanFinder::default();
        let mut cursor = snapshot.scan(space, &KeyRange::all(), Direction::Forward)?;
        while let Some((row, _)) = cursor.row() {
            match finder.is_orphan(&*snapshot, space, row) {
                Ok(is_orphan) => report.orphans += u64::from(is_orphan),
                // If the damaged row is the metadata row, it was reported already.
                Err(Error::Damaged(_)) if decode_owner(space, row).is_ok() => {}
                Err(Error::Damaged(damage)) => report.add(0, row, damage.to_string()),
                Err(error) => return Err(error),
            }
            cursor.advance()?;
        }
    }
    let mut cursor = snapshot.scan(Space::System, &forwards(), Direction::Forward)?;
    while let Some((forward, key)) = cursor.row() {
        match is_stale(&*snapshot, forward, key) {
            Ok(is_stale) => report.orphans += u64::from(is_stale),
            Err(Error::Damaged(_)) if decode_forward_key(forward).is_ok() => {}
            Err(Error::Damaged(damage)) => report.add(0, forward, damage.to_string()),
            Err(error) => return Err(error),
        }
        cursor.advance()?;
    }
    Ok(report)
}

fn check_key(snapshot: &dyn Snapshot, row: &[u8], value: &[u8], report: &mut Report) -> Result<()> {
    let decoded = decode_metadata_key(row)
        .and_then(|owner| Ok((owner, Metadata::decode(row, &value.to_vec().into())?)));
    let ((db, key), metadata) = match decoded {
        Ok(decoded) => decoded,
        Err(Error::Damaged(damage)) => {
            report.add(0, row, damage.to_string());
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    *report
        .kinds
        .entry(metadata.content.kind().name())
        .or_default() += 1;
    let collection = metadata.content.collection();
    if metadata.content.kind() != Kind::String {
        report.elements += collection.map_or(0, |collection| collection.size);
    }
    match faults_of(snapshot, db, &key, &metadata) {
        Ok(faults) => faults
            .into_iter()
            .for_each(|what| report.add(db, &key, what)),
        Err(Error::Damaged(damage)) => report.add(db, &key, damage.to_string()),
        Err(error) => return Err(error),
    }
    Ok(())
}

/// Checks that the expire-time index has a row for each key that expires, and no other row.
fn expiry_faults(snapshot: &dyn Snapshot, report: &mut Report) -> Result<()> {
    let mut cursor = snapshot.scan(Space::Metadata, &KeyRange::all(), Direction::Forward)?;
    while let Some((row, value)) = cursor.row() {
        // A damaged row was reported already.
        if let Some(expires_ms) = stored_expiry(value)
            && let Ok((db, key)) = decode_metadata_key(row)
        {
            let index = expiry_key(db, expires_ms, &key);
            if snapshot.get(Space::Expiry, &index)?.is_none() {
                let what = "it expires, and the index by time does not say so";
                report.add(db, &key, what.to_owned());
            }
        }
        cursor.advance()?;
    }
    let mut cursor = snapshot.scan(Space::Expiry, &KeyRange::all(), Direction::Forward)?;
    while let Some((row, _)) = cursor.row() {
        match decode_expiry_key(row) {
            Ok((db, expires_ms, key)) => {
                let stored = snapshot.get(Space::Metadata, &metadata_key(db, &key))?;
                if stored.and_then(|value| stored_expiry(&value)) != Some(expires_ms) {
                    let what = "the index says that it expires, and it does not";
                    report.add(db, &key, what.to_owned());
                }
            }
            Err(Error::Damaged(damage)) => report.add(0, row, damage.to_string()),
            Err(error) => return Err(error),
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
    let prefix = |version| RowPrefix::new(db, metadata.home_of(key), version);
    if let (Some(_), Some(collection)) = (&metadata.home, metadata.content.collection()) {
        let forward = snapshot.get(Space::System, &forward_key(&prefix(collection.version)))?;
        if forward.is_none_or(|to| to != key) {
            let what = "its rows begin with another key, and no forward leads from there to it";
            return Ok(vec![what.to_owned()]);
        }
    }
    match &metadata.content {
        Content::String(_) => Ok(Vec::new()),
        Content::Pieces(text) => pieces::faults(snapshot, &prefix(text.version), text.size),
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
        let version = metadata.content.collection().map_or(0, |c| c.version);
        if let Some(index) = indexes.get(version) {
            let prefix = RowPrefix::new(db, metadata.home_of(&key), version);
            let counts = index.counts();
            // Sorted sets are counted by score, lists by position.
            let fault = sorted_sets::rank_fault(&counts, |show| match &metadata.content {
                Content::List(_, ends) => lists::each_mark(&*snapshot, &prefix, ends, show),
                _ => sorted_sets::each_mark(&*snapshot, &prefix, show),
            });
            if let Some(what) = fault? {
                faults.push(Fault { db, key, what });
            }
        }
    }
    Ok(faults)
}

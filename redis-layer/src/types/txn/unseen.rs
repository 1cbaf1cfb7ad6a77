//! The rows of new collections, written before the batch that shows them.
//!
//! A store writes one batch after the other, each as a whole. So `SUNIONSTORE` of a million members in one batch would hold
//! up all that others write until the last row is in place. But nobody reads the rows of a new collection before the
//! metadata row of its key names their version. So many of them are written in parts, and others have their turn
//! between these. The batch that shows them all comes last, and is small.
//!
//! This is as atomic and as durable as one batch:
//! 1. Until the last batch, no command can tell that the parts are there; after it, all of them are.
//! 2. A log keeps the order in which batches were written. If a power cut keeps the last one, it keeps the parts.
//! 3. If a part or the last batch cannot be written, or a power cut comes before the last one, the parts are orphans, which a
//!    [`Sweeper`](crate::types::Sweeper) removes. It must not take them for orphans before: it asks [`Unseen`].
//!
//! Left out: rows of a collection that others see. Its changes must come together, in one batch.

use std::collections::HashSet;

use parking_lot::Mutex;

use crate::store::{self, Batch, Change, KeyRange, Snapshot, Space, Store};
use crate::types::Result;
use crate::types::orphans::OWNED;
use crate::types::rows::{RowPrefix, decode_owner};
use crate::types::txn::pending::change_bytes;

/// About how many bytes are written at a time: less than a millisecond's work.
const PART_BYTES: usize = 256 << 10;

/// The collections whose rows are being written although no key holds them yet, by their versions.
#[derive(Debug, Default)]
pub(crate) struct Unseen(Mutex<HashSet<u64>>);

/// Some of them, until this is dropped.
#[derive(Debug)]
pub(super) struct Noted<'s> {
    unseen: &'s Unseen,
    /// In ascending order.
    versions: Vec<u64>,
}

impl Unseen {
    fn note(&self, versions: Vec<u64>) -> Noted<'_> {
        self.0.lock().extend(&versions);
        Noted {
            unseen: self,
            versions,
        }
    }

    /// The rows as they are now, and the versions that no key holds in them but that one may still get.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn snapshot(
        &self,
        store: &dyn Store,
    ) -> store::Result<(Box<dyn Snapshot>, HashSet<u64>)> {
        // Under the lock: a version leaves the list only after the batch that shows its rows.
        let versions = self.0.lock();
        Ok((store.snapshot()?, versions.clone()))
    }
}

impl Noted<'_> {
    /// Leaves out the ranges of these collections: the batch must not remove what a part has written.
    pub(super) fn retain_seen(&self, cleared: &mut Vec<(Space, KeyRange)>) -> Result<()> {
        let mut finder = self.finder();
        let mut failed = Ok(());
        cleared.retain(|(space, range)| {
            let is_unseen = finder.is_unseen(*space, &range.start);
            is_unseen.map_or_else(
                |error| {
                    failed = Err(error);
                    true
                },
                |is_unseen| !is_unseen,
            )
        });
        failed
    }

    fn finder(&self) -> Finder<'_> {
        Finder {
            versions: &self.versions,
            last: None,
        }
    }
}

impl Drop for Noted<'_> {
    fn drop(&mut self) {
        let mut unseen = self.unseen.0.lock();
        for version in &self.versions {
            unseen.remove(version);
        }
    }
}

/// Writes the rows of the collections with these versions, which are in ascending order, in parts, and leaves the others in
/// `changes`. The versions stay noted as long as the caller keeps what this returns.
///
/// # Errors
/// Those of the store. Then nobody will ever see what was written.
pub(super) fn write_unseen<'s>(
    (store, unseen): (&dyn Store, &'s Unseen),
    versions: Vec<u64>,
    changes: &mut [Vec<Change>; Space::ALL.len()],
) -> Result<Noted<'s>> {
    let noted = unseen.note(versions);
    for space in OWNED {
        let mut part = Part::default();
        let mut finder = noted.finder();
        let mut seen = Vec::new();
        for change in std::mem::take(&mut changes[space.index()]) {
            if !finder.is_unseen(space, &change.key)? {
                seen.push(change);
                continue;
            }
            part.add(space, change);
            if part.bytes >= PART_BYTES {
                store.write(std::mem::take(&mut part).batch)?;
            }
        }
        if part.bytes > 0 {
            store.write(part.batch)?;
        }
        changes[space.index()] = seen;
    }
    Ok(noted)
}

/// Rows that are written together.
#[derive(Debug, Default)]
struct Part {
    batch: Batch,
    bytes: usize,
}

impl Part {
    fn add(&mut self, space: Space, change: Change) {
        self.bytes += change_bytes(&change);
        let Change { key, value } = change;
        match value {
            Some(value) => self.batch.put(space, key, value),
            None => self.batch.delete(space, key),
        }
    }
}

/// Tells rows of new collections from others. Those of one collection are next to each other, so the owner is decoded once
/// for all.
#[derive(Debug)]
struct Finder<'v> {
    /// In ascending order.
    versions: &'v [u64],
    last: Option<(RowPrefix, bool)>,
}

impl Finder<'_> {
    fn is_unseen(&mut self, space: Space, row: &[u8]) -> Result<bool> {
        if let Some((prefix, is_unseen)) = &self.last
            && prefix.is_of(row)
        {
            return Ok(*is_unseen);
        }
        let (db, key, version) = decode_owner(space, row)?;
        let is_unseen = self.versions.binary_search(&version).is_ok();
        self.last = Some((RowPrefix::new(db, &key, version), is_unseen));
        Ok(is_unseen)
    }
}

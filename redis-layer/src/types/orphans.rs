//! Rows that no key owns any more, and how their space comes back.
//!
//! A row of the data or score space is an orphan when the metadata row of its key is absent, of
//! another type, or of another version. An orphan can never be owned again, because versions are
//! never handed out twice. So the question may be asked at any time, without a lock, and the
//! answer "orphan" stays true as long as the store runs. A power cut can make it untrue again:
//! that is why [`Sweeper`] syncs before it removes.

use crate::store::{Batch, Direction, KeyRange, Snapshot, Space, Store, next_key};
use crate::types::rows::{RowPrefix, decode_owner, metadata_key};
use crate::types::{DbNumber, Metadata, Result};

/// The spaces whose rows have owners.
pub(crate) const OWNED: [Space; 2] = [Space::Data, Space::Score];
/// How many orphans [`sweep`] removes with one batch.
const SWEEP_BATCH: usize = 1024;

/// Answers for row after row, in the order of the space, whether it is an orphan. Rows of one
/// owner stand together, so the metadata is read once for each owner.
#[derive(Debug, Default)]
pub(crate) struct OrphanFinder {
    owner: Option<(DbNumber, Vec<u8>, u64)>,
    owner_is_gone: bool,
}

impl OrphanFinder {
    pub(crate) fn is_orphan(
        &mut self,
        snapshot: &dyn Snapshot,
        space: Space,
        row: &[u8],
    ) -> Result<bool> {
        let owner = decode_owner(space, row)?;
        if self.owner.as_ref() != Some(&owner) {
            let (db, key, version) = &owner;
            let metadata_row = metadata_key(*db, key);
            let metadata = snapshot.get(Space::Metadata, &metadata_row)?;
            self.owner_is_gone = match metadata {
                None => true,
                Some(value) => Metadata::decode(&metadata_row, &value)?
                    .content
                    .collection()
                    .is_none_or(|collection| collection.version != *version),
            };
            self.owner = Some(owner);
        }
        Ok(self.owner_is_gone)
    }
}

/// How far one step of a [`Sweeper`] came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// How many orphans it removed.
    pub removed: u64,
    /// Whether it was the last one of a walk. The next one begins a new walk.
    pub is_last: bool,
}

/// Walks over the owned spaces in small steps and removes the orphans. One at a time is enough
/// for a store; it may run beside any command.
///
/// Invariant: a row is removed only after a sync that began when the row was an orphan already. A
/// power cut can therefore not bring back the metadata of a row that is gone, whatever the store
/// keeps and loses of what was not synced.
#[derive(Debug, Default)]
pub struct Sweeper {
    /// The position in [`OWNED`] of the space that is walked over.
    space: usize,
    /// The least key that this walk has not looked at.
    from: Vec<u8>,
}

impl Sweeper {
    /// Looks at no more than `most` orphans and collections, and removes the orphans.
    ///
    /// Cost: one seek for each collection that is alive, however large, and one row for each
    /// orphan; a sync and a batch if there are orphans.
    ///
    /// # Errors
    /// A damaged row; those of the store. The next step tries again from the same place.
    pub fn step(&mut self, store: &dyn Store, most: usize) -> Result<Step> {
        let space = OWNED[self.space];
        let mut orphans = Batch::default();
        let reached = self.find(store, space, most, &mut orphans)?;
        let removed = orphans.changes().len() as u64;
        if removed > 0 {
            store.sync()?;
            store.write(orphans)?;
        }
        let is_last = reached.is_none() && self.space + 1 == OWNED.len();
        if reached.is_none() {
            self.space = (self.space + 1) % OWNED.len();
        }
        self.from = reached.unwrap_or_default();
        Ok(Step { removed, is_last })
    }

    /// Collects orphans. Answers where to go on, or `None` at the end of the space.
    fn find(
        &self,
        store: &dyn Store,
        space: Space,
        most: usize,
        orphans: &mut Batch,
    ) -> Result<Option<Vec<u8>>> {
        let snapshot = store.snapshot()?;
        let mut finder = OrphanFinder::default();
        let mut rest = KeyRange::all();
        rest.start.clone_from(&self.from);
        let mut cursor = snapshot.scan(space, &rest, Direction::Forward)?;
        for _ in 0..most {
            let Some((row, _)) = cursor.row() else {
                return Ok(None);
            };
            if finder.is_orphan(&*snapshot, space, row)? {
                rest.start = next_key(row);
                orphans.delete(space, row.to_vec());
                cursor.advance()?;
                continue;
            }
            let (db, key, version) = decode_owner(space, row)?;
            let Some(behind) = RowPrefix::new(db, &key, version).rows().end else {
                return Ok(None);
            };
            rest.start = behind;
            cursor = snapshot.scan(space, &rest, Direction::Forward)?;
        }
        Ok(Some(rest.start))
    }
}

/// Removes all orphans and answers how many there were.
///
/// Cost: see [`Sweeper::step`].
///
/// # Errors
/// A damaged row; those of the store.
pub fn sweep(store: &dyn Store) -> Result<u64> {
    let mut sweeper = Sweeper::default();
    let mut removed = 0;
    loop {
        let step = sweeper.step(store, SWEEP_BATCH)?;
        removed += step.removed;
        if step.is_last {
            return Ok(removed);
        }
    }
}

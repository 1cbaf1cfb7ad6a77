//! Rows that no key owns any more, and how their space comes back.
//!
//! A row of the data or score space is an orphan when the metadata row of its key is absent, of
//! another type, or of another version. An orphan can never be owned again, because versions are
//! never handed out twice. So the question may be asked at any time, without a lock, and the
//! answer "orphan" stays true. That makes it fit for a compaction filter.

use crate::store::{Batch, Direction, KeyRange, Snapshot, Space, Store};
use crate::types::rows::{decode_owner, metadata_key};
use crate::types::{Content, DbNumber, Metadata, Result};

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
                Some(value) => match Metadata::decode(&metadata_row, &value)?.content {
                    Content::String(_) => true,
                    Content::SortedSet(collection, _) => collection.version != *version,
                },
            };
            self.owner = Some(owner);
        }
        Ok(self.owner_is_gone)
    }
}

/// Removes all orphans and answers how many there were. May run beside any command.
///
/// Cost: a walk over all rows of the data and score spaces. A store that can ask
/// this question while it compacts needs no sweep.
///
/// # Errors
/// A damaged row; those of the store.
pub fn sweep(store: &dyn Store) -> Result<u64> {
    let snapshot = store.snapshot()?;
    let mut removed = 0;
    for space in OWNED {
        let mut finder = OrphanFinder::default();
        let mut batch = Batch::default();
        let mut cursor = snapshot.scan(space, &KeyRange::all(), Direction::Forward)?;
        while let Some((row, _)) = cursor.row() {
            if finder.is_orphan(&*snapshot, space, row)? {
                batch.delete(space, row.to_vec());
                removed += 1;
            }
            if batch.changes().len() == SWEEP_BATCH {
                store.write(std::mem::take(&mut batch))?;
            }
            cursor.advance()?;
        }
        store.write(batch)?;
    }
    Ok(removed)
}

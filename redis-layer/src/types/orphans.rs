//! Rows that no key owns any more, and how their space comes back.
//!
//! A row of the data or score space is an orphan when the metadata row of its key is absent, of
//! another type, or of another version, and no forward leads to another key that holds the version. A forward is an
//! orphan when its key does not hold it. An orphan can never be owned again, because versions are
//! never handed out twice. So whether a row is an orphan may be asked at any time, without a lock, and the
//! answer "orphan" stays true as long as the store runs. A power cut can make it untrue again:
//! this is why [`Sweeper`] syncs before it removes.

use crate::store::{Batch, Cursor, Direction, KeyRange, Snapshot, Space, Store, next_key};
use crate::types::rows::{
    RowPrefix, decode_forward_key, decode_owner, forward_key, forwards, metadata_key,
};
use crate::types::{DbNumber, Metadata, Result, Shared};

/// The spaces whose rows have owners.
pub(crate) const OWNED: [Space; 2] = [Space::Data, Space::Score];
/// How many orphans are removed with one batch, about: other writers wait for the whole of it.
const BATCH_ROWS: usize = 1024;
/// From this many rows on, the rows of a removed collection are removed as one range. A range slows readers down a
/// little until compactions have caught up; fewer rows are cheaper to remove one by one.
pub(crate) const CLEARED_FROM: u64 = 256;
/// From this many bytes on, removed rows are worth a compaction of their own.
const LARGE_BYTES: usize = 8 << 20;

/// Says of one row after the other, in the order of the space, whether it is an orphan. Rows of one owner are next to
/// each other, so the metadata is read once for each owner.
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
            let (db, home, version) = &owner;
            self.owner_is_gone = !holds(snapshot, *db, home, *version)? && {
                let forward = forward_key(&RowPrefix::new(*db, home, *version));
                match snapshot.get(Space::System, &forward)? {
                    None => true,
                    Some(key) => !holds(snapshot, *db, &key, *version)?,
                }
            };
            self.owner = Some(owner);
        }
        Ok(self.owner_is_gone)
    }
}

/// Whether a key holds the collection with this version.
fn holds(snapshot: &dyn Snapshot, db: DbNumber, key: &[u8], version: u64) -> Result<bool> {
    let row = metadata_key(db, key);
    let Some(value) = snapshot.get(Space::Metadata, &row)? else {
        return Ok(false);
    };
    let collection = Metadata::decode(&row, &value)?.content.collection();
    Ok(collection.is_some_and(|collection| collection.version == version))
}

/// Whether a forward is an orphan.
pub(crate) fn is_stale(snapshot: &dyn Snapshot, forward: &[u8], key: &[u8]) -> Result<bool> {
    let (db, _, version) = decode_forward_key(forward)?;
    Ok(!holds(snapshot, db, key, version)?)
}

/// What one step of a [`Sweeper`] did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Step {
    /// How many orphans it removed: a lower bound, because those of a large collection are not all counted.
    pub removed: u64,
    /// Ranges of removed rows that are worth a call of [`Store::reclaim`].
    pub large: Vec<(Space, KeyRange)>,
    /// Whether the step ended its walk. The next step begins a new one.
    pub is_last: bool,
}

/// What a step found.
#[derive(Debug, Default)]
struct Found {
    /// How they are removed, in batches of [`BATCH_ROWS`] at most.
    removals: Vec<Batch>,
    /// How many changes the last of them has.
    in_last: usize,
    step: Step,
    /// Where to continue, or `None` at the end of the space.
    rest: Option<Vec<u8>>,
}

impl Found {
    /// The batch for one more change.
    fn removal(&mut self) -> &mut Batch {
        if self.removals.is_empty() || self.in_last == BATCH_ROWS {
            self.removals.push(Batch::default());
            self.in_last = 0;
        }
        self.in_last += 1;
        let last = self.removals.len() - 1;
        &mut self.removals[last]
    }
}

/// Walks over the owned spaces, and over the forwards, in small steps and removes the orphans. One sweeper is enough
/// for a store; it may run at the same time as any command.
///
/// Invariant: a row is removed only after a sync that began when the row already was an orphan. So a power cut cannot
/// bring back the metadata of a row that is gone, whichever unsynced writes the store keeps or loses.
#[derive(Debug, Default)]
pub struct Sweeper {
    /// The index in [`OWNED`] of the space that is being walked over. Behind the last one come the forwards.
    space: usize,
    /// The least key that this walk has not looked at yet.
    from: Vec<u8>,
}

impl Sweeper {
    /// Looks at about `most` orphans and collections, and removes the orphans. The orphans of a large collection are
    /// removed at once, as a range. `shared` is what the transactions share that may run at the same time.
    ///
    /// Cost: one seek for each live collection, however large; one row for each orphan, up to 8 MiB of them in a
    /// collection; a sync if there are orphans, and a batch for about a thousand of them.
    ///
    /// # Errors
    /// A damaged row; those of the store. The next step tries again from the same place.
    pub fn step(&mut self, store: &dyn Store, shared: &Shared, most: usize) -> Result<Step> {
        let found = match OWNED.get(self.space) {
            Some(&space) => self.find((store, shared), space, most),
            None => self.find_forwards(store, most),
        };
        let Found {
            removals,
            mut step,
            rest,
            ..
        } = found?;
        if !removals.is_empty() {
            store.sync()?;
        }
        for batch in removals {
            store.write(batch)?;
        }
        step.is_last = rest.is_none() && self.space == OWNED.len();
        if rest.is_none() {
            self.space = (self.space + 1) % (OWNED.len() + 1);
        }
        self.from = rest.unwrap_or_default();
        Ok(step)
    }

    /// Collects the next orphans of a space.
    fn find(
        &self,
        (store, shared): (&dyn Store, &Shared),
        space: Space,
        most: usize,
    ) -> Result<Found> {
        let (snapshot, unseen) = shared.unseen().snapshot(store)?;
        let mut finder = OrphanFinder::default();
        let mut found = Found::default();
        let mut rest = KeyRange::all();
        rest.start.clone_from(&self.from);
        let mut cursor = snapshot.scan(space, &rest, Direction::Forward)?;
        let mut looked_at = 0;
        while looked_at < most as u64 {
            let Some((row, _)) = cursor.row() else {
                return Ok(found);
            };
            let (db, key, version) = decode_owner(space, row)?;
            let rows = RowPrefix::new(db, &key, version).rows();
            if finder.is_orphan(&*snapshot, space, row)? && !unseen.contains(&version) {
                let left = most as u64 - looked_at;
                rest.start = gather(&mut *cursor, (space, &rows), left, &mut found)?;
                looked_at = found.step.removed.max(looked_at + 1);
                continue;
            }
            looked_at += 1;
            let Some(behind) = rows.end else {
                return Ok(found);
            };
            rest.start = behind;
            cursor = snapshot.scan(space, &rest, Direction::Forward)?;
        }
        found.rest = Some(rest.start);
        Ok(found)
    }

    /// Collects the next forwards that are orphans.
    fn find_forwards(&self, store: &dyn Store, most: usize) -> Result<Found> {
        let snapshot = store.snapshot()?;
        let mut found = Found::default();
        let mut rest = forwards();
        rest.start = rest.start.max(self.from.clone());
        let mut cursor = snapshot.scan(Space::System, &rest, Direction::Forward)?;
        for _ in 0..most {
            let Some((forward, key)) = cursor.row() else {
                return Ok(found);
            };
            if is_stale(&*snapshot, forward, key)? {
                found.removal().delete(Space::System, forward.to_vec());
                found.step.removed += 1;
            }
            rest.start = next_key(forward);
            cursor.advance()?;
        }
        found.rest = Some(rest.start);
        Ok(found)
    }
}

/// Gathers the orphans of one collection; the cursor is at the first of them. If there are many, one entry of the
/// batch removes them all. Returns where to continue.
fn gather(
    cursor: &mut (dyn Cursor + '_),
    (space, rows): (Space, &KeyRange),
    most: u64,
    found: &mut Found,
) -> Result<Vec<u8>> {
    let mut few = Vec::new();
    let (mut count, mut bytes) = (0, 0);
    let mut behind = Vec::new();
    while let Some((row, value)) = cursor.row()
        && rows.contains(row)
    {
        count += 1;
        bytes += row.len() + value.len();
        if count <= CLEARED_FROM {
            few.push(row.to_vec());
        }
        behind = next_key(row);
        cursor.advance()?;
        let decided = count >= CLEARED_FROM && bytes >= LARGE_BYTES;
        if decided || (count == most && count < CLEARED_FROM) {
            break;
        }
    }
    found.step.removed += count;
    if count < CLEARED_FROM {
        few.into_iter()
            .for_each(|row| found.removal().delete(space, row));
        return Ok(behind);
    }
    found.removal().clear(space, rows.clone());
    if bytes >= LARGE_BYTES {
        found.step.large.push((space, rows.clone()));
    }
    Ok(rows.end.clone().unwrap_or(behind))
}

/// Removes all orphans and returns how many there were.
///
/// Cost: see [`Sweeper::step`].
///
/// # Errors
/// A damaged row; those of the store.
pub fn sweep(store: &dyn Store, shared: &Shared) -> Result<u64> {
    let mut sweeper = Sweeper::default();
    let mut removed = 0;
    loop {
        let step = sweeper.step(store, shared, BATCH_ROWS)?;
        removed += step.removed;
        if step.is_last {
            return Ok(removed);
        }
    }
}

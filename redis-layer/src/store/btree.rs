//! A store in memory: one ordered map for each space. For tests and for teaching.
//!
//! A snapshot shares the maps. A write while a snapshot is held copies the map that it touches
//! first (`Arc::make_mut`), so a snapshot costs nothing to take and a copy only when somebody
//! writes during its life. Commands drop their snapshot before they write, so a single client
//! never pays.
//!
//! Left out: keeping anything after the process ends. `sync` has nothing to do.

use std::collections::{BTreeMap, btree_map};
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use parking_lot::RwLock;

use crate::store::{
    Batch, Change, Cursor, Direction, Guard, KeyRange, Result, Scope, Snapshot, Space, Store,
    StripedLocks,
};

type Map = BTreeMap<Vec<u8>, Bytes>;

/// The maps by [`Space::index`].
type Maps = [Arc<Map>; Space::ALL.len()];

/// A store in memory.
#[derive(Debug, Default)]
pub struct BTreeStore {
    maps: RwLock<Maps>,
    locks: StripedLocks,
    handed_out: AtomicU64,
}

impl BTreeStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl Store for BTreeStore {
    fn snapshot(&self) -> Result<Box<dyn Snapshot>> {
        Ok(Box::new(BTreeSnapshot(self.maps.read().clone())))
    }

    fn write(&self, batch: Batch) -> Result<()> {
        let mut maps = self.maps.write();
        for (space, range) in batch.cleared {
            let map = Arc::make_mut(&mut maps[space.index()]);
            map.retain(|key, _| !range.contains(key));
        }
        for (map, changes) in maps.iter_mut().zip(batch.changes) {
            if changes.is_empty() {
                continue;
            }
            let map = Arc::make_mut(map);
            for Change { key, value } in changes {
                match value {
                    // The value may be a slice of a network buffer, which must not stay alive for it.
                    Some(value) => map.insert(key, Bytes::copy_from_slice(&value)),
                    None => map.remove(&key),
                };
            }
        }
        Ok(())
    }

    fn lock<'a>(&'a self, scope: Scope<'_>) -> Result<Box<dyn Guard + 'a>> {
        Ok(self.locks.lock(scope))
    }

    fn stripes(&self) -> Option<&StripedLocks> {
        Some(&self.locks)
    }

    fn unique(&self) -> Result<u64> {
        Ok(self.handed_out.fetch_add(1, Ordering::Relaxed) + 1)
    }

    fn sync(&self) -> Result<()> {
        Ok(())
    }
}

struct BTreeSnapshot(Maps);

impl Snapshot for BTreeSnapshot {
    fn get(&self, space: Space, key: &[u8]) -> Result<Option<Bytes>> {
        Ok(self.0[space.index()].get(key).cloned())
    }

    fn scan<'a>(
        &'a self,
        space: Space,
        range: &KeyRange,
        direction: Direction,
    ) -> Result<Box<dyn Cursor + 'a>> {
        let rows = (!range.is_empty()).then(|| {
            let end = match &range.end {
                Some(end) => Bound::Excluded(end.as_slice()),
                None => Bound::Unbounded,
            };
            let start = Bound::Included(range.start.as_slice());
            self.0[space.index()].range::<[u8], _>((start, end))
        });
        let mut cursor = BTreeCursor {
            rows: rows.unwrap_or_default(),
            direction,
            row: None,
        };
        cursor.advance()?;
        Ok(Box::new(cursor))
    }
}

struct BTreeCursor<'a> {
    rows: btree_map::Range<'a, Vec<u8>, Bytes>,
    direction: Direction,
    row: Option<(&'a Vec<u8>, &'a Bytes)>,
}

impl Cursor for BTreeCursor<'_> {
    fn row(&self) -> Option<(&[u8], &[u8])> {
        self.row.map(|(key, value)| (&**key, &**value))
    }

    fn advance(&mut self) -> Result<()> {
        self.row = match self.direction {
            Direction::Forward => self.rows.next(),
            Direction::Backward => self.rows.next_back(),
        };
        Ok(())
    }
}

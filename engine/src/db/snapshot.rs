//! Snapshots: reading the database as it was at one moment.

use std::collections::BTreeMap;
use std::ops::RangeBounds;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::compaction::Snapshots;
use crate::db::family::bounds_of;
use crate::db::handle::Handle;
use crate::db::{Family, Value};
use crate::error::Result;
use crate::iter::{Bounds, Cursor, Range};

/// The sequence numbers of all snapshots, and how many snapshots hold each.
#[derive(Debug, Default)]
pub(super) struct SnapshotList {
    held: Mutex<BTreeMap<u64, usize>>,
    /// One more than the greatest of them; 0 if there are none.
    newest_end: AtomicU64,
}

impl SnapshotList {
    /// Adds the number that `visible` returns. A compaction that begins later knows it. One that began
    /// earlier keeps what the snapshot needs anyway, because all that it reads was visible by then.
    fn acquire(&self, visible: impl FnOnce() -> u64) -> u64 {
        let mut held = self.held.lock();
        let sequence = visible();
        *held.entry(sequence).or_default() += 1;
        self.remember_newest(&held);
        sequence
    }

    fn release(&self, sequence: u64) {
        let mut held = self.held.lock();
        if let Some(count) = held.get_mut(&sequence) {
            *count -= 1;
            if *count == 0 {
                held.remove(&sequence);
            }
        }
        self.remember_newest(&held);
    }

    fn remember_newest(&self, held: &BTreeMap<u64, usize>) {
        let end = held.last_key_value().map_or(0, |(newest, _)| newest + 1);
        self.newest_end.store(end, Ordering::SeqCst);
    }
}

impl Snapshots for SnapshotList {
    fn ascending(&self) -> Vec<u64> {
        self.held.lock().keys().copied().collect()
    }

    fn newest(&self) -> Option<u64> {
        self.newest_end.load(Ordering::SeqCst).checked_sub(1)
    }
}

/// The database as it was when the snapshot was taken, for as long as it is held.
///
/// It costs next to nothing to take. While it is held, compactions keep the versions that it sees.
/// A clone holds the same moment.
#[derive(Debug, Clone)]
pub struct Snapshot {
    held: Arc<Held>,
}

#[derive(Debug)]
struct Held {
    handle: Arc<Handle>,
    sequence: u64,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.handle.core.snapshots.release(self.sequence);
    }
}

impl Snapshot {
    pub(super) fn take(handle: Arc<Handle>) -> Self {
        let core = &handle.core;
        let sequence = core.snapshots.acquire(|| core.visible_sequence());
        Self {
            held: Arc::new(Held { handle, sequence }),
        }
    }

    /// The sequence number of the last write that it sees.
    #[must_use]
    pub fn sequence(&self) -> u64 {
        self.held.sequence
    }

    /// Refuses families of another database, where the sequence number would mean another moment.
    pub(super) fn check(&self, family: &Family) -> Result<()> {
        family.check_is_of(&self.held.handle)
    }

    /// The value that `key` had.
    ///
    /// # Errors
    /// `InvalidArgument` if the family belongs to another database; `Io` or `Corruption` from a table.
    pub fn get(&self, family: &Family, key: impl AsRef<[u8]>) -> Result<Option<Value>> {
        self.check(family)?;
        family
            .core
            .get(&family.core.view.load(), key.as_ref(), self.sequence())
    }

    /// A cursor over all rows as they were. It is nowhere at first, and may outlive the snapshot.
    ///
    /// # Errors
    /// `InvalidArgument` if the family belongs to another database; `Io` or `Corruption` if a table
    /// cannot be opened.
    pub fn cursor(&self, family: &Family) -> Result<Cursor> {
        self.check(family)?;
        family
            .core
            .cursor(&family.core.view.load(), self.sequence(), Bounds::default())
    }

    /// A cursor over the rows of a range as they were.
    ///
    /// # Errors
    /// As for [`cursor`](Self::cursor).
    pub fn cursor_in<K: AsRef<[u8]>>(
        &self,
        family: &Family,
        range: impl RangeBounds<K>,
    ) -> Result<Cursor> {
        self.check(family)?;
        family
            .core
            .cursor(&family.core.view.load(), self.sequence(), bounds_of(&range))
    }

    /// All rows as they were, from either end.
    pub fn iter(&self, family: &Family) -> Range {
        family.rows(self.check(family).map(|()| Bounds::default()), Some(self))
    }

    /// The rows of a range as they were, from either end.
    pub fn range<K: AsRef<[u8]>>(&self, family: &Family, range: impl RangeBounds<K>) -> Range {
        family.rows(self.check(family).map(|()| bounds_of(&range)), Some(self))
    }

    /// The rows whose keys begin with `prefix` as they were, from either end.
    pub fn prefix(&self, family: &Family, prefix: impl AsRef<[u8]>) -> Range {
        let bounds = self
            .check(family)
            .and_then(|()| family.core.prefix_bounds(prefix.as_ref()));
        family.rows(bounds, Some(self))
    }
}

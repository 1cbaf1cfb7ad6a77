//! Snapshots: reading the database as it was at one moment.

use std::collections::BTreeMap;
use std::ops::RangeBounds;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arc_swap::Guard;
use parking_lot::Mutex;

use crate::batch::FamilyId;
use crate::compaction::Snapshots;
use crate::db::core::Core;
use crate::db::family::{View, bounds_of};
use crate::db::handle::Handle;
use crate::db::{Family, Value};
use crate::error::Result;
use crate::iter::{Bounds, Cursor, Range};

/// The sequence numbers of all snapshots.
#[derive(Debug, Default)]
pub(super) struct SnapshotList {
    list: Mutex<List>,
    /// One more than the greatest of them; 0 if there are none.
    newest_end: AtomicU64,
}

#[derive(Debug, Default)]
struct List {
    /// How many snapshots hold each number.
    held: BTreeMap<u64, usize>,
    /// The family that a compaction with a filter is rewriting.
    filtering: Option<FamilyId>,
}

/// Says that a compaction filter is at work, until it is dropped.
pub(super) struct Filtering<'a>(&'a SnapshotList);

impl Drop for Filtering<'_> {
    fn drop(&mut self) {
        self.0.list.lock().filtering = None;
    }
}

impl SnapshotList {
    /// Adds the number that `visible` returns. A compaction that begins later knows it. One that began
    /// earlier keeps what the snapshot needs anyway, because all that it reads was visible by then, with
    /// one exception: what a filter has already removed or changed. So this also returns the family
    /// with which that may have happened.
    fn acquire(&self, visible: impl FnOnce() -> u64) -> (u64, Option<FamilyId>) {
        let mut list = self.list.lock();
        let sequence = visible();
        *list.held.entry(sequence).or_default() += 1;
        self.remember_newest(&list.held);
        (sequence, list.filtering)
    }

    /// Returns the oldest one that is left.
    pub(super) fn release(&self, sequence: u64) -> Option<u64> {
        let mut list = self.list.lock();
        if let Some(count) = list.held.get_mut(&sequence) {
            *count -= 1;
            if *count == 0 {
                list.held.remove(&sequence);
            }
        }
        self.remember_newest(&list.held);
        list.held.keys().next().copied()
    }

    /// The least of the numbers.
    pub(super) fn oldest(&self) -> Option<u64> {
        self.list.lock().held.keys().next().copied()
    }

    fn remember_newest(&self, held: &BTreeMap<u64, usize>) {
        let end = held.last_key_value().map_or(0, |(newest, _)| newest + 1);
        self.newest_end.store(end, Ordering::SeqCst);
    }

    /// Must be held from before a compaction filter is first asked until the result is published.
    /// There is one compaction at a time, so there is never a second one to remember.
    pub(super) fn filtering(&self, family: FamilyId) -> Filtering<'_> {
        self.list.lock().filtering = Some(family);
        Filtering(self)
    }
}

impl Snapshots for SnapshotList {
    fn ascending(&self) -> Vec<u64> {
        self.list.lock().held.keys().copied().collect()
    }

    fn newest(&self) -> Option<u64> {
        self.newest_end.load(Ordering::SeqCst).checked_sub(1)
    }
}

/// The database as it was when the snapshot was taken, for as long as it is held.
///
/// It costs next to nothing to take. While it is held, compactions keep the versions that it sees.
/// One that is taken while a compaction filter is at work also keeps the memtables and tables of that
/// family as they were. A clone holds the same moment.
#[derive(Debug, Clone)]
pub struct Snapshot {
    held: Arc<Held>,
}

#[derive(Debug)]
struct Held {
    /// The family that a compaction filter was at work on, with its rows as they were: the filter had
    /// seen some of them before this snapshot was there to keep them. Dropped before the handle, because
    /// only an open database removes files.
    pinned: Option<(FamilyId, Arc<View>)>,
    handle: Arc<Handle>,
    sequence: u64,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.handle.core.release_snapshot(self.sequence);
    }
}

impl Snapshot {
    pub(super) fn take(handle: Arc<Handle>) -> Self {
        let core = &handle.core;
        let (sequence, filtering) = core.snapshots.acquire(|| core.visible_sequence());
        let pinned = filtering.and_then(|family| pin(core, family));
        Self {
            held: Arc::new(Held {
                pinned,
                handle,
                sequence,
            }),
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

    /// Where the rows of a family are that it sees.
    pub(super) fn view(&self, family: &Family) -> Guard<Arc<View>> {
        match &self.held.pinned {
            Some((pinned, view)) if *pinned == family.id() => Guard::from_inner(Arc::clone(view)),
            Some(_) | None => family.core.view.load(),
        }
    }

    /// The value that `key` had.
    ///
    /// # Errors
    /// `InvalidArgument` if the family belongs to another database; `Io` or `Corruption` from a table.
    pub fn get(&self, family: &Family, key: impl AsRef<[u8]>) -> Result<Option<Value>> {
        self.check(family)?;
        family
            .core
            .get(&self.view(family), key.as_ref(), self.sequence())
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
            .cursor(&self.view(family), self.sequence(), Bounds::default())
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
            .cursor(&self.view(family), self.sequence(), bounds_of(&range))
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

/// The view of a family, before or after its compaction is published: either never changes.
fn pin(core: &Core, family: FamilyId) -> Option<(FamilyId, Arc<View>)> {
    let families = core.families.load();
    let of_number = families.iter().find(|of| of.id == family)?;
    Some((family, of_number.view.load_full()))
}

//! A column family of an open database: the handle, and what all handles share.

use std::fmt;
use std::ops::{Bound, RangeBounds};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use arc_swap::{ArcSwap, Guard};

use crate::batch::{FamilyId, FamilyRef};
use crate::bloom::KeyHash;
use crate::compaction::Strategy;
use crate::comparator::Comparator;
use crate::db::handle::Handle;
use crate::db::signals::{Signals, Work};
use crate::db::statistics::FamilyCounters;
use crate::db::{FamilyOptions, Snapshot, Value};
use crate::error::{Error, Result};
use crate::internal_key::{self, ValueKind};
use crate::iter::{Bounds, Coverage, Cursor, MergeCursor, OfSource, Range, Source};
use crate::memtable::{Found, Memtable};
use crate::sstable::TableEntry;
use crate::version::read_charge::{GET_NANOS, gather};
use crate::version::{CursorLoss, LEVELS, LevelCursor, ReadCharge, Version};

/// Keys up to this length are looked up without allocating.
const STACK_KEY_BYTES: usize = 128;

/// Where a family's rows are at one moment. A view never changes: a flush or a rotation replaces it.
#[derive(Debug, Clone)]
pub(super) struct View {
    /// The memtable that takes writes.
    pub(super) memtable: Memtable,
    /// Full memtables that are not in tables yet, the newest first.
    pub(super) frozen: Vec<Memtable>,
    /// The tables.
    pub(super) version: Arc<Version>,
}

impl View {
    /// All memtables, the newest first.
    #[inline]
    pub(super) fn memtables(&self) -> impl Iterator<Item = &Memtable> {
        std::iter::once(&self.memtable).chain(&self.frozen)
    }
}

/// What all handles of a family share.
pub(super) struct FamilyCore {
    pub(super) id: FamilyId,
    pub(super) name: String,
    pub(super) options: FamilyOptions,
    pub(super) view: ArcSwap<View>,
    /// Set when the family is dropped: work on it then stops.
    pub(super) dropped: AtomicBool,
    /// Counts what its flushes and compactions did.
    pub(super) counters: FamilyCounters,
    /// Where reads request a compaction; `None` if they must not.
    pub(super) asks: Option<Arc<Signals>>,
}

/// A column family of an open database: rows sorted by their keys.
///
/// Cheap to clone, usable from any thread; it keeps the database open. After the family has been
/// dropped, writes fail, but reads still show what was there.
#[derive(Debug, Clone)]
pub struct Family {
    pub(super) handle: Arc<Handle>,
    pub(super) core: Arc<FamilyCore>,
}

/// The family `id` among `families`, which are sorted by their numbers.
#[inline]
pub(super) fn find_family(families: &[Arc<FamilyCore>], id: FamilyId) -> Option<&Arc<FamilyCore>> {
    let at = families.binary_search_by_key(&id, |family| family.id);
    families.get(at.ok()?)
}

impl FamilyCore {
    pub(super) fn new(id: FamilyId, name: &str, options: FamilyOptions, view: View) -> Self {
        Self {
            id,
            name: name.to_owned(),
            options,
            view: ArcSwap::from_pointee(view),
            dropped: AtomicBool::new(false),
            counters: FamilyCounters::default(),
            asks: None,
        }
    }

    /// The same, but reads request a compaction through `signals` if they lose too much time
    /// without it. Not for a tiered family, which has several runs on purpose.
    pub(super) fn asking(self, signals: Option<Arc<Signals>>) -> Self {
        let leveled = self.options.strategy == Strategy::Leveled;
        Self {
            asks: signals.filter(|_| leveled),
            ..self
        }
    }

    pub(super) const fn comparator(&self) -> &Comparator {
        &self.options.comparator
    }

    /// Replaces the view, also if other threads replace it at the same time.
    pub(super) fn change_view(&self, change: impl Fn(&View) -> View) {
        self.view.rcu(|view| change(view));
    }

    /// The newest version of `key` at or below `sequence`, if it is a put.
    ///
    /// The view must be loaded before the sequence number, unless the number is a snapshot's: see `core`.
    pub(super) fn get(&self, view: &View, key: &[u8], sequence: u64) -> Result<Option<Value>> {
        let mut in_vain = 0;
        let found = self.look_up(view, key, sequence, &mut in_vain);
        self.looked_in_vain(view, 1, in_vain);
        found
    }

    /// Like [`get`](Self::get). `in_vain` is increased by the number of memtables and level-0
    /// tables that did not have the key.
    #[inline]
    fn look_up(
        &self,
        view: &View,
        key: &[u8],
        sequence: u64,
        in_vain: &mut u64,
    ) -> Result<Option<Value>> {
        let hash = KeyHash::of(key);
        for memtable in view.memtables() {
            let found = memtable.get_hashed(key, hash, sequence);
            if let Some(value) = settled(memtable, key, sequence, found) {
                return Ok(value);
            }
            *in_vain += 1;
        }
        with_seek_key(key, sequence, |seek_key| {
            let version = &view.version;
            let found = version.get(self.comparator(), seek_key, hash, in_vain)?;
            Ok(found.and_then(value_of))
        })
    }

    /// Must be called after gets, with their number and how many memtables and level-0 tables they
    /// searched in vain.
    #[inline]
    pub(super) fn looked_in_vain(&self, view: &View, gets: u64, in_vain: u64) {
        if in_vain > 0
            && let Some(nanos) = gather(in_vain * GET_NANOS)
        {
            self.charge_gets(view, nanos, gets, in_vain);
        }
    }

    /// Charges what gets lost. The present gets, which searched `in_vain` runs, are taken as
    /// typical for all that were gathered. An empty memtable is not a run. It is subtracted only
    /// here, because checking its length would slow down every get.
    #[cold]
    fn charge_gets(&self, view: &View, nanos: u64, gets: u64, in_vain: u64) {
        let Some(signals) = &self.asks else { return };
        let empty = view.memtables().filter(|memtable| memtable.is_empty());
        let runs = in_vain.saturating_sub(gets * empty.count() as u64);
        let charge = view.version.charge();
        charge.add(nanos * runs / in_vain);
        if charge.is_to_be_asked() {
            signals.request(Work::Compact);
        }
    }

    pub(super) fn cursor(&self, view: &View, sequence: u64, bounds: Bounds) -> Result<Cursor> {
        let comparator = self.comparator();
        let level0 = view.version.level(0);
        let deeper = (1..LEVELS).filter(|level| !view.version.level(*level).is_empty());
        let mut sources: Vec<Source> =
            Vec::with_capacity(1 + view.frozen.len() + level0.len() + deeper.count());
        let mut tombstones = Vec::new();
        for memtable in view.memtables().filter(|memtable| !memtable.is_empty()) {
            tombstones.extend(OfSource::memtable(sources.len(), memtable));
            sources.push(Source::Memtable(memtable.cursor()));
        }
        for table in level0.iter() {
            let table = table.table()?;
            let of_table = table.range_tombstones();
            tombstones.extend(of_table.map(|set| OfSource::tables(sources.len(), set)));
            sources.push(Source::Table(table.cursor()));
        }
        let upper_runs = sources.len();
        for level in 1..LEVELS {
            let tables = view.version.level(level);
            if !tables.is_empty() {
                let of_level = view.version.level_tombstones(comparator, level)?;
                tombstones.extend(of_level.map(|set| OfSource::tables(sources.len(), set)));
                let cursor = LevelCursor::new(comparator.clone(), Arc::clone(tables));
                sources.push(Source::Level(cursor));
            }
        }
        let loss = self.loss_by(upper_runs, sources.len(), view.version.charge());
        let coverage = Coverage::new(comparator.clone(), sequence, tombstones);
        let merge = MergeCursor::new(comparator.clone(), sources);
        let version = Arc::clone(&view.version);
        let cursor = Cursor::new(
            comparator.clone(),
            merge,
            version,
            sequence,
            coverage,
            bounds,
        );
        Ok(cursor.losing(loss))
    }

    /// What a cursor loses over `runs` runs, of which the first `upper_runs` are memtables and tables of level 0. What
    /// earlier cursors lost, here or on the tombstones of a deeper level, may already make a compaction due.
    fn loss_by(
        &self,
        upper_runs: usize,
        runs: usize,
        charge: &Arc<ReadCharge>,
    ) -> Option<CursorLoss> {
        let signals = self.asks.as_ref()?;
        let loss = CursorLoss::of(charge, upper_runs, runs);
        let asks = loss.is_some() && charge.is_to_be_asked();
        if asks || charge.takes_table_asked() {
            signals.request(Work::Compact);
        }
        loss
    }

    pub(super) fn prefix_bounds(&self, prefix: &[u8]) -> Result<Bounds> {
        let range = self.comparator().prefix_range(prefix).ok_or_else(|| {
            Error::invalid(format!(
                "the comparator {:?} of column family {:?} does not keep the keys that begin with \
                 \"{}\" together, so they cannot be walked as one range; use range or a cursor",
                self.comparator().name(),
                self.name,
                prefix.escape_ascii()
            ))
        })?;
        Ok(range.into())
    }
}

impl fmt::Debug for FamilyCore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FamilyCore")
            .field("id", &self.id)
            .field("name", &self.name)
            .field("comparator", self.comparator())
            .finish_non_exhaustive()
    }
}

/// What a memtable alone can say about a key, given what was found in it: its value, or that it has
/// none; `None` if older runs must be searched.
#[inline]
pub(super) fn settled(
    memtable: &Memtable,
    key: &[u8],
    sequence: u64,
    found: Option<Found>,
) -> Option<Option<Value>> {
    let deleted = memtable.newest_range_delete(key, sequence);
    match found {
        Some(found) => {
            let there = found.kind == ValueKind::Put && found.sequence > deleted;
            Some(there.then(|| found.value.into()))
        }
        // All versions in older runs are older than the range tombstone.
        None => (deleted > 0).then_some(None),
    }
}

/// The value of what was found in a table, if it is a put.
#[inline]
pub(super) fn value_of(found: TableEntry) -> Option<Value> {
    (found.kind == ValueKind::Put).then(|| found.value.into())
}

/// Passes the internal key for a reader of `sequence` to `then`; a short key is built on the stack.
fn with_seek_key<T>(key: &[u8], sequence: u64, then: impl FnOnce(&[u8]) -> T) -> T {
    let trailer = internal_key::seek_trailer(sequence);
    let len = key.len() + trailer.len();
    let mut on_stack = [0; STACK_KEY_BYTES];
    if let Some(seek_key) = on_stack.get_mut(..len) {
        let (user_key, end) = seek_key.split_at_mut(key.len());
        user_key.copy_from_slice(key);
        end.copy_from_slice(&trailer);
        then(seek_key)
    } else {
        then(&[key, &trailer].concat())
    }
}

pub(super) fn bounds_of<K: AsRef<[u8]>>(range: &impl RangeBounds<K>) -> Bounds {
    let owned = |bound: Bound<&K>| bound.map(|key| key.as_ref().to_vec());
    Bounds {
        lower: owned(range.start_bound()),
        upper: owned(range.end_bound()),
    }
}

impl Family {
    /// # Errors
    /// `InvalidArgument` if the family belongs to another database than `handle`.
    pub(super) fn check_is_of(&self, handle: &Arc<Handle>) -> Result<()> {
        if Arc::ptr_eq(handle, &self.handle) {
            return Ok(());
        }
        let name = self.name();
        Err(Error::invalid(format!(
            "the column family {name:?} is of another database"
        )))
    }

    /// The number of this family in batches.
    #[must_use]
    pub fn id(&self) -> FamilyId {
        self.core.id
    }

    /// The family's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.core.name
    }

    /// The family's order.
    #[must_use]
    pub fn comparator(&self) -> &Comparator {
        self.core.comparator()
    }

    /// The value of `key`, if it has one.
    ///
    /// Nothing is copied. Nothing is allocated either if the value is in a memtable or a mapped,
    /// uncompressed block and the key is short.
    ///
    /// # Errors
    /// `Io` or `Corruption` from a table.
    pub fn get(&self, key: impl AsRef<[u8]>) -> Result<Option<Value>> {
        let view = self.core.view.load();
        let sequence = self.handle.core.visible_sequence();
        self.core.get(&view, key.as_ref(), sequence)
    }

    /// Sets `key` to `value`.
    ///
    /// # Errors
    /// As for [`Db::write`](crate::db::Db::write).
    pub fn put(&self, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Result<()> {
        self.handle
            .core
            .put(self.id(), key.as_ref(), value.as_ref())
    }

    /// Removes `key`, if it exists.
    ///
    /// # Errors
    /// As for [`Db::write`](crate::db::Db::write).
    pub fn delete(&self, key: impl AsRef<[u8]>) -> Result<()> {
        self.handle.core.delete(self.id(), key.as_ref())
    }

    /// Removes all keys of a range, however many they are, in one write: `family.delete_range("a".."b")`.
    ///
    /// Until compactions have caught up, reads pay a little for each deleted range, and the space
    /// is not free yet: see `docs/range-deletes.md`. For a few keys, single deletes are better.
    ///
    /// # Errors
    /// `InvalidArgument` if the range ends before it begins in the family's order; otherwise as for
    /// [`Db::write`](crate::db::Db::write).
    pub fn delete_range<K: AsRef<[u8]>>(&self, range: std::ops::Range<K>) -> Result<()> {
        let (start, end) = (range.start.as_ref(), range.end.as_ref());
        self.handle.core.delete_range(self.id(), start, end)
    }

    /// A cursor over all rows as they are now. It is nowhere at first.
    ///
    /// # Errors
    /// `Io` or `Corruption` if a table cannot be opened.
    pub fn cursor(&self) -> Result<Cursor> {
        self.cursor_now(Bounds::default())
    }

    /// A cursor over the rows of a range, as they are now. It is nowhere at first, and never outside the range.
    ///
    /// # Errors
    /// As for [`cursor`](Self::cursor).
    pub fn cursor_in<K: AsRef<[u8]>>(&self, range: impl RangeBounds<K>) -> Result<Cursor> {
        self.cursor_now(bounds_of(&range))
    }

    fn cursor_now(&self, bounds: Bounds) -> Result<Cursor> {
        let view = self.core.view.load();
        let sequence = self.handle.core.visible_sequence();
        self.core.cursor(&view, sequence, bounds)
    }

    /// All rows, as they are now, from either end.
    pub fn iter(&self) -> Range {
        self.rows(Ok(Bounds::default()), None)
    }

    /// The rows of a range, as they are now, from either end: `family.range("a".."b")`.
    pub fn range<K: AsRef<[u8]>>(&self, range: impl RangeBounds<K>) -> Range {
        self.rows(Ok(bounds_of(&range)), None)
    }

    /// The rows whose keys begin with `prefix`, as they are now, from either end.
    ///
    /// Under a comparator that does not keep them together, the only item is an `InvalidArgument`.
    pub fn prefix(&self, prefix: impl AsRef<[u8]>) -> Range {
        self.rows(self.core.prefix_bounds(prefix.as_ref()), None)
    }

    /// About how many bytes of the disk the rows of a range take.
    ///
    /// It counts tables, and in them whole blocks: each for the range that its last key is in. So sizes of ranges
    /// that lie side by side add up, a range within a block has none, and what is deleted or overwritten counts until
    /// a compaction removes it. Rows that are only in memtables do not count, at most a few write buffers.
    ///
    /// Cost: some comparisons for each table, and two searches in the indexes of those that the range cuts. No row is read.
    ///
    /// # Errors
    /// `Io` or `Corruption` if a table that the range cuts cannot be opened.
    pub fn approximate_bytes<K: AsRef<[u8]>>(&self, range: impl RangeBounds<K>) -> Result<u64> {
        let version = Arc::clone(&self.core.view.load().version);
        let before = |append: fn(&mut Vec<u8>, &[u8]), key: &K| {
            let mut limit = Vec::new();
            append(&mut limit, key.as_ref());
            version.bytes_before(self.comparator(), &limit)
        };
        let begin = match range.start_bound() {
            Bound::Unbounded => 0,
            Bound::Included(key) => before(internal_key::append_first, key)?,
            Bound::Excluded(key) => before(internal_key::append_last, key)?,
        };
        let end = match range.end_bound() {
            Bound::Unbounded => version.bytes(),
            Bound::Included(key) => before(internal_key::append_last, key)?,
            Bound::Excluded(key) => before(internal_key::append_first, key)?,
        };
        // A range that ends before it begins is empty.
        Ok(end.saturating_sub(begin))
    }

    /// Rows as of a snapshot, or as they are now.
    pub(super) fn rows(&self, bounds: Result<Bounds>, snapshot: Option<&Snapshot>) -> Range {
        let (view, sequence) = match snapshot {
            Some(snapshot) => (Guard::into_inner(snapshot.view(self)), snapshot.sequence()),
            None => {
                let view = self.core.view.load_full();
                (view, self.handle.core.visible_sequence())
            }
        };
        let core = Arc::clone(&self.core);
        let make = bounds.map(|bounds| -> Box<dyn Fn() -> Result<Cursor> + Send> {
            Box::new(move || core.cursor(&view, sequence, bounds.clone()))
        });
        Range::new(self.comparator().clone(), make)
    }
}

impl From<&Family> for FamilyRef {
    fn from(family: &Family) -> Self {
        Self {
            id: family.id(),
            database: Some(family.handle.core.id),
        }
    }
}

impl From<&Family> for FamilyId {
    fn from(family: &Family) -> Self {
        family.id()
    }
}

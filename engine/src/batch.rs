//! A write batch: changes to any families that happen together or not at all.
//!
//! A batch is encoded as it is filled, in the form that the log stores, so that writing it copies it once:
//!
//! ```text
//! sequence  u64      of the first record; the following ones take the following numbers
//! count     u32      number of records
//! record*   kind: u8 | family: varint | key_len: varint | key | (not delete: value_len: varint | value)
//! ```
//!
//! `sequence` and `count` are little-endian. Kind 0 deletes, kind 1 puts, kind 2 deletes the keys from `key` up to
//! `value`, which is not among them.
//!
//! Invariants
//! 1. The order of the records counts: of two records for one key, the later one wins.
//! 2. A decoder may be given arbitrary bytes. It checks every length before using it, and no part
//!    of a batch is applied before all of it is checked.

mod decode;
#[cfg(test)]
mod tests;

use crate::comparator::Comparator;
use crate::error::{Error, Result};
use crate::internal_key::{MAX_USER_KEY_BYTES, MAX_VALUE_BYTES, ValueKind};
use crate::varint;
use std::sync::atomic::{AtomicU64, Ordering};

pub use decode::{BatchView, Record, Records};

/// Bytes before the first record.
const HEADER_BYTES: usize = 12;
const COUNT_AT: usize = 8;

/// The largest batch that a database accepts, in encoded bytes: one put of the longest key with the
/// longest value fits.
pub const MAX_BATCH_BYTES: usize = MAX_USER_KEY_BYTES + MAX_VALUE_BYTES + (1 << 10);

/// The number of a family in logs and in the manifest. It is never used again after the family is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FamilyId(pub u32);

/// Identifies one open database in this process. The same family number may mean another family in
/// another database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DatabaseId(u64);

impl DatabaseId {
    /// A number that no other open database has.
    pub(crate) fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// What a change names: a family, and the open database that its handle came from. A plain
/// [`FamilyId`] names no database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FamilyRef {
    pub(crate) id: FamilyId,
    pub(crate) database: Option<DatabaseId>,
}

impl From<FamilyId> for FamilyRef {
    fn from(id: FamilyId) -> Self {
        Self { id, database: None }
    }
}

/// Changes to be made together.
///
/// ```
/// # fn main() -> engine::Result<()> {
/// # let vfs = std::sync::Arc::new(engine::vfs::MemoryVfs::new());
/// # let options = engine::Options { vfs, ..engine::Options::default() };
/// use engine::{Db, FamilyOptions, WriteBatch, WriteOptions};
///
/// let db = Db::open("shop", options.family("by price", FamilyOptions::default()))?;
/// let (items, by_price) = (db.default_family(), db.family("by price")?);
/// let mut batch = WriteBatch::new();
/// batch.put(&items, "lamp", "40 EUR");
/// batch.put(&by_price, "040 lamp", ""); // the index never disagrees with the row
/// batch.delete(&by_price, "035 lamp");
/// db.write(batch, WriteOptions { sync: true })?; // back when it would survive a power cut
/// assert!(by_price.get("040 lamp")?.is_some());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct WriteBatch {
    bytes: Vec<u8>,
    /// The database of the last handle added, if any record came from a handle.
    database: Option<DatabaseId>,
    /// Whether the handles belong to more than one database.
    is_mixed: bool,
    /// The family of the first record.
    first: FamilyId,
    /// Whether all records are puts and deletes in that family, none longer than allowed. So are most batches, and
    /// their records need not be decoded to be checked.
    is_plain: bool,
}

impl PartialEq for WriteBatch {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for WriteBatch {}

impl Default for WriteBatch {
    fn default() -> Self {
        Self::with_capacity(0)
    }
}

impl WriteBatch {
    /// An empty batch.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty batch with room for `bytes` of records.
    #[must_use]
    pub fn with_capacity(bytes: usize) -> Self {
        let mut batch = Vec::with_capacity(HEADER_BYTES + bytes);
        batch.resize(HEADER_BYTES, 0);
        Self {
            bytes: batch,
            database: None,
            is_mixed: false,
            first: FamilyId(0),
            is_plain: true,
        }
    }

    /// Sets `key` to `value` in `family` when the batch is written.
    ///
    /// Limits on lengths are checked when the batch is written, all at once.
    pub fn put(
        &mut self,
        family: impl Into<FamilyRef>,
        key: impl AsRef<[u8]>,
        value: impl AsRef<[u8]>,
    ) {
        let value = value.as_ref();
        self.append(ValueKind::Put, family.into(), key.as_ref());
        self.is_plain &= value.len() <= MAX_VALUE_BYTES;
        varint::append_bytes(&mut self.bytes, value);
    }

    /// Removes `key` from `family` when the batch is written. It is no error if the key does not exist.
    pub fn delete(&mut self, family: impl Into<FamilyRef>, key: impl AsRef<[u8]>) {
        self.append(ValueKind::Delete, family.into(), key.as_ref());
    }

    /// Removes all keys from `start` up to, not including, `end` from `family` when the batch is written.
    ///
    /// The family's comparator decides which keys lie between. If `start` equals `end`, nothing is removed.
    /// If `end` comes before `start`, the batch is refused when it is written: it is most often a range
    /// meant for another order. Treating it as empty would leave rows that the caller believes are gone.
    ///
    /// What it costs, and when to prefer deletes: `docs/range-deletes.md`.
    pub fn delete_range(
        &mut self,
        family: impl Into<FamilyRef>,
        start: impl AsRef<[u8]>,
        end: impl AsRef<[u8]>,
    ) {
        self.append(ValueKind::RangeDelete, family.into(), start.as_ref());
        varint::append_bytes(&mut self.bytes, end.as_ref());
    }

    fn append(&mut self, kind: ValueKind, family: FamilyRef, key: &[u8]) {
        if family.database.is_some() && family.database != self.database {
            self.is_mixed |= self.database.is_some();
            self.database = family.database;
        }
        let count = self.len() as u32;
        if count == 0 {
            self.first = family.id;
        }
        self.is_plain &= family.id == self.first
            && kind != ValueKind::RangeDelete
            && key.len() <= MAX_USER_KEY_BYTES;
        self.bytes.reserve(key.len() + 2 + 2 * varint::MAX_BYTES);
        self.bytes[COUNT_AT..HEADER_BYTES].copy_from_slice(&(count + 1).to_le_bytes());
        self.bytes.push(kind as u8);
        varint::append(&mut self.bytes, u64::from(family.id.0));
        varint::append_bytes(&mut self.bytes, key);
    }

    /// Number of changes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.view().count as usize
    }

    /// Whether there are no changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Encoded length, header included.
    #[must_use]
    pub fn encoded_len(&self) -> usize {
        self.bytes.len()
    }

    /// Removes all changes and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.truncate(HEADER_BYTES);
        self.bytes.fill(0);
        self.database = None;
        self.is_mixed = false;
        self.is_plain = true;
    }

    /// The changes, in the order in which they were added.
    pub fn records(&self) -> impl Iterator<Item = Record<'_>> {
        // A batch built here always decodes; if one did not, the check before writing would refuse it.
        self.view().records().map_while(Result::ok)
    }

    /// Refuses what must never reach a log: a batch or an item that is too long, a family of
    /// another database, a family that is not open, or a range whose end comes before its start.
    ///
    /// # Errors
    /// `InvalidArgument`, which says what is wrong with which record.
    pub(crate) fn check<'c>(
        &self,
        database: DatabaseId,
        order_of: impl Fn(FamilyId) -> Option<&'c Comparator>,
    ) -> Result<()> {
        if self.bytes.len() > MAX_BATCH_BYTES {
            let len = self.bytes.len();
            return Err(Error::invalid(format!(
                "the batch takes {len} bytes, more than {MAX_BATCH_BYTES}; write it in parts"
            )));
        }
        if self.is_mixed || self.database.is_some_and(|named| named != database) {
            return Err(Error::invalid(
                "the batch names a column family of another open database; take the handles from the one it is \
                 written to",
            ));
        }
        if self.is_plain && (self.is_empty() || order_of(self.first).is_some()) {
            return Ok(());
        }
        for (at, record) in self.view().records().enumerate() {
            let record = record.map_err(|why| Error::invalid(format!("record {at}: {why}")))?;
            let Some(order) = order_of(record.family) else {
                return Err(Error::invalid(format!(
                    "record {at} of the batch is for column family {}, which is not open here: it was \
                     dropped, or belongs to another database",
                    record.family.0
                )));
            };
            if record.kind == ValueKind::RangeDelete
                && order.compare(record.key, record.value).is_gt()
            {
                return Err(Error::invalid(format!(
                    "record {at} deletes the range from \"{}\" to \"{}\", which ends before it begins under the \
                     comparator {:?} of its column family",
                    record.key.escape_ascii(),
                    record.value.escape_ascii(),
                    order.name()
                )));
            }
        }
        Ok(())
    }

    /// Sets the sequence number of the first record; the following records take the following numbers.
    pub(crate) fn set_sequence(&mut self, sequence: u64) {
        self.bytes[..COUNT_AT].copy_from_slice(&sequence.to_le_bytes());
    }

    /// What the log stores.
    pub(crate) fn encoded(&self) -> &[u8] {
        &self.bytes
    }

    /// The batch as a reader of the log sees it.
    pub(crate) fn view(&self) -> BatchView<'_> {
        BatchView::of(&self.bytes)
    }
}

impl std::fmt::Debug for WriteBatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.records()).finish()
    }
}

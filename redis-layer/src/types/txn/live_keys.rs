//! How many keys a database has while a transaction changes it: what `DBSIZE` and `INFO` answer.
//!
//! A script may ask after each of its changes. So the changes that one question has counted are kept as a sum, and the
//! next question counts only those that came since.

use crate::store::{Direction, Space};
use crate::types::databases::KeyCount;
use crate::types::rows::{database_of_metadata_key, decode_expiry_key, metadata_key};
use crate::types::txn::changes::{Changes, UndoRecord};
use crate::types::txn::commit::count_change;
use crate::types::txn::{Stored, Txn};
use crate::types::{DbNumber, Result};

/// How many keys of a database exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LiveKeys {
    pub(crate) keys: u64,
    /// How many of them have an expiry.
    pub(crate) expiring: u64,
    /// How long these have to live, on average. 0 without any.
    pub(crate) ttl_mean_ms: u64,
}

/// What the first changes of metadata rows amount to.
#[derive(Debug)]
pub(super) struct Counted {
    /// The time of the transaction, at which keys have expired or not.
    now_ms: i64,
    /// How many of the changes are counted.
    changes: usize,
    /// What they add to the keys that exist, by the number that the rows carry.
    sums: Vec<(DbNumber, KeyCount)>,
}

impl Counted {
    /// Nothing, in a transaction whose time is `now_ms`.
    pub(super) const fn new(now_ms: i64) -> Self {
        Self {
            now_ms,
            changes: 0,
            sums: Vec::new(),
        }
    }

    /// Begins anew: changes were undone.
    pub(super) fn forget(&mut self) {
        *self = Self::new(self.now_ms);
    }

    /// A metadata row that was changed before has got another change.
    #[inline]
    pub(super) fn follow(&mut self, changes: &Changes, before: &UndoRecord) {
        if let UndoRecord::Replaced(at, old) = before
            && *at < self.changes
        {
            let (row, new) = changes.at(*at);
            let [old, new] = [old.as_deref(), new].map(|value| Stored::of(value).live(self.now_ms));
            count_change(&mut self.sums, database_of_metadata_key(row), (old, new));
        }
    }

    fn sum_of(&self, rows: DbNumber) -> KeyCount {
        let sum = self.sums.iter().find(|(of, _)| *of == rows);
        sum.map_or_else(KeyCount::default, |(_, sum)| *sum)
    }
}

impl Stored {
    /// The key as [`LiveKeys`] count it: one that has expired is none.
    fn live(self, now_ms: i64) -> KeyCount {
        if self.is_live(now_ms) {
            self.count()
        } else {
            KeyCount::default()
        }
    }
}

impl Txn<'_> {
    /// The keys of a database that exist, including the changes so far. Exact.
    ///
    /// Cost: O(1), and a step for each key that has expired and is not removed yet, or that was changed for the first time
    /// since the last question.
    ///
    /// # Errors
    /// A damaged row; those of the store.
    pub(crate) fn live_keys(&self, db: DbNumber) -> Result<LiveKeys> {
        let changes = self.pending.of(Space::Metadata);
        let (databases, floor) = (self.shared.databases(), self.shared.expiry_floor());
        // The counts are those of now, so the rows must be those of now too. Nobody else has changed what this
        // transaction has changed: it holds the locks.
        let look = || -> Result<_> {
            let (snapshot, now) = databases.snapshot(self.store)?;
            let is_remapped = self.began != self.mapping;
            let mapping = if is_remapped { self.mapping } else { now };
            let rows = mapping.rows_of(db);
            let expired = floor.expired_rows(rows, self.now_ms);
            let count = now.database_of(rows).map(|now| databases.count(now));
            Ok((snapshot, rows, expired, count.unwrap_or_default()))
        };
        let (snapshot, rows, expired, mut count) = floor.between_writes(look)?;
        let mut cursor = snapshot.scan(Space::Expiry, &expired, Direction::Forward)?;
        while let Some((row, _)) = cursor.row() {
            let (_, expires_ms, key) = decode_expiry_key(row)?;
            // Keys that were changed are counted below.
            if changes.get(&metadata_key(rows, &key)).is_none() {
                count -= KeyCount::one(Some(expires_ms));
            }
            cursor.advance()?;
        }
        count += self.count_changes(rows)?;
        let natural = |number: i64| u64::try_from(number).unwrap_or(0);
        let ttl_sum_ms = count.expiries_ms - i128::from(count.expiring) * i128::from(self.now_ms);
        let ttl_mean_ms = ttl_sum_ms.checked_div(count.expiring.into()).unwrap_or(0);
        Ok(LiveKeys {
            keys: natural(count.keys),
            expiring: natural(count.expiring),
            ttl_mean_ms: u64::try_from(ttl_mean_ms).unwrap_or(0),
        })
    }

    /// What the changes so far add to the keys of a database, of which those in the snapshot are counted even if they
    /// have expired.
    fn count_changes(&self, rows: DbNumber) -> Result<KeyCount> {
        let mut counted = self.pending.counted();
        let changes = self.pending.of(Space::Metadata);
        for (row, value) in changes.since(counted.changes) {
            let old = self.stored(row)?.count();
            let new = Stored::of(value.as_deref()).live(self.now_ms);
            count_change(&mut counted.sums, database_of_metadata_key(row), (old, new));
            counted.changes += 1;
        }
        Ok(counted.sum_of(rows))
    }
}

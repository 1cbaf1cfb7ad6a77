//! What all transactions of one server share in memory.
//!
//! Nothing here is data: it can be rebuilt from the store, or is gone with the connections anyway.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use bytes::Bytes;

use crate::store::{KeyRange, Space, Store};
use crate::types::Accesses;
use crate::types::databases::{Databases, NUMBERED};
use crate::types::expiry::Floor;
use crate::types::losses::Losses;
use crate::types::rows::rows_of_database;
use crate::types::scan::Cursors;
use crate::types::txn::{LONG_MOST, Unseen};
use crate::types::zset::indexes::RankIndexes;
use crate::types::{DbNumber, Lookups, Result, Sharded};

/// What transactions share. One for each server.
#[derive(Debug, Default)]
pub struct Shared {
    /// One bit for each [`Class`] that somebody wants to be notified of.
    wanted: AtomicU32,
    /// How many clients watch keys or are blocked on them.
    observers: AtomicUsize,
    rank_indexes: RankIndexes,
    databases: Databases,
    accesses: Accesses,
    expiry_floor: Floor,
    losses: Losses,
    /// Whether the removal of expired keys in the background is off: see [`Shared::set_active_expiry`].
    keeps_expired: AtomicBool,
    /// Where walks over keys stopped.
    pub(crate) cursors: Cursors,
    /// Keys that were removed because they had expired.
    expired: AtomicU64,
    /// How many keys reading commands found, and how many they did not find.
    lookups: Sharded<[AtomicU64; 2]>,
    /// What to do when a transaction takes long.
    when_long: OnceLock<fn()>,
    /// How to wait for another transaction without keeping the thread from other clients.
    when_waiting: OnceLock<fn(&mut dyn FnMut())>,
    /// How many transactions take long.
    long: AtomicUsize,
    /// How many write a large batch at this moment.
    large_writes: AtomicUsize,
    unseen: Unseen,
}

/// A large batch is being written, until this is dropped.
pub(crate) struct LargeWrite<'s>(&'s Shared);

impl Drop for LargeWrite<'_> {
    fn drop(&mut self) {
        self.0.large_writes.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Shared {
    /// The indexes that answer questions about ranks without a walk.
    #[must_use]
    pub const fn rank_indexes(&self) -> &RankIndexes {
        &self.rank_indexes
    }

    /// The databases, and how many keys they have.
    pub(crate) const fn databases(&self) -> &Databases {
        &self.databases
    }

    /// From when on keys expire.
    pub(crate) const fn expiry_floor(&self) -> &Floor {
        &self.expiry_floor
    }

    /// How many rows collections have lost.
    pub(crate) const fn losses(&self) -> &Losses {
        &self.losses
    }

    /// The collections that no key holds yet.
    pub(crate) const fn unseen(&self) -> &Unseen {
        &self.unseen
    }

    /// When keys were last used.
    #[must_use]
    pub const fn accesses(&self) -> &Accesses {
        &self.accesses
    }

    /// The ranges of all rows of the large databases that were emptied since the last call. They are worth a call of
    /// [`Store::reclaim`].
    pub fn emptied(&self) -> Vec<(Space, KeyRange)> {
        let given_up = self.databases.take_given_up().into_iter();
        let ranges = |rows| NUMBERED.map(|space| (space, rows_of_database(rows)));
        given_up.flat_map(ranges).collect()
    }

    /// Sets what a transaction does that takes long, on its thread. Only the first call counts.
    pub(crate) fn when_work_is_long(&self, act: fn()) {
        let _ = self.when_long.set(act);
    }

    /// A transaction begins to take long. Returns whether it may go on beside the others: see `txn::pace`.
    pub(crate) fn begin_long(&self) -> bool {
        let one_more = |long| (long < LONG_MOST).then_some(long + 1);
        let (set, get) = (Ordering::Relaxed, Ordering::Relaxed);
        self.long.fetch_update(set, get, one_more).is_ok()
    }

    /// It has ended.
    pub(crate) fn end_long(&self) {
        self.long.fetch_sub(1, Ordering::Relaxed);
    }

    /// A transaction takes long.
    pub(crate) fn work_is_long(&self) {
        if let Some(act) = self.when_long.get() {
            act();
        }
    }

    /// Sets how a transaction waits for another one: by calling what it is given. Only the first call counts.
    pub(crate) fn when_work_waits(&self, run: fn(&mut dyn FnMut())) {
        let _ = self.when_waiting.set(run);
    }

    /// Runs what may have to wait for a large batch of another transaction.
    #[cold]
    pub(crate) fn wait<R>(&self, work: impl FnOnce() -> R) -> R {
        let Some(run) = self.when_waiting.get() else {
            return work();
        };
        let (mut work, mut done) = (Some(work), None);
        run(&mut || done = work.take().map(|work| work()));
        done.expect("it calls what it is given")
    }

    /// Says that a large batch is about to be written.
    pub(crate) fn begin_large_write(&self) -> LargeWrite<'_> {
        self.large_writes.fetch_add(1, Ordering::Relaxed);
        LargeWrite(self)
    }

    /// Whether a large batch is being written. A store writes one batch after the other, so whoever writes now may have to
    /// wait for all of it.
    #[inline]
    #[must_use]
    pub(crate) fn is_large_write(&self) -> bool {
        self.large_writes.load(Ordering::Relaxed) > 0
    }

    /// Stores what the next opening would otherwise have to count. Nothing may be written after this.
    ///
    /// # Errors
    /// Those of the store.
    pub fn close(&self, store: &dyn Store) -> Result<()> {
        self.databases.close(store)
    }

    /// Sets whether expired keys are removed in the background: `DEBUG SET-ACTIVE-EXPIRE`.
    pub fn set_active_expiry(&self, on: bool) {
        self.keeps_expired.store(!on, Ordering::Relaxed);
    }

    /// Whether expired keys are removed in the background.
    #[must_use]
    pub fn has_active_expiry(&self) -> bool {
        !self.keeps_expired.load(Ordering::Relaxed)
    }

    /// Counts keys that were removed because they had expired.
    pub fn count_expired(&self, keys: u64) {
        self.expired.fetch_add(keys, Ordering::Relaxed);
    }

    /// How many keys were removed because they had expired.
    #[must_use]
    pub fn expired_keys(&self) -> u64 {
        self.expired.load(Ordering::Relaxed)
    }

    /// Counts what reading commands looked up.
    pub(crate) fn count_lookups(&self, Lookups { hits, misses }: Lookups) {
        for (counter, more) in self.lookups.here().iter().zip([hits, misses]) {
            if more > 0 {
                counter.fetch_add(more, Ordering::Relaxed);
            }
        }
    }

    /// What reading commands looked up.
    #[must_use]
    pub fn lookups(&self) -> Lookups {
        let sum = |of: usize| {
            self.lookups
                .sum(|counters| counters[of].load(Ordering::Relaxed))
        };
        Lookups {
            hits: sum(0),
            misses: sum(1),
        }
    }

    /// Sets the counts of expired keys and of lookups back to 0.
    pub fn reset_counters(&self) {
        for counter in self.lookups.all().flatten().chain([&self.expired]) {
            counter.store(0, Ordering::Relaxed);
        }
    }

    /// Whether somebody wants to be notified of events of a class.
    #[must_use]
    pub fn wants(&self, class: Class) -> bool {
        self.wanted.load(Ordering::Relaxed) & class.bit() != 0
    }

    /// Chooses the classes of events that transactions note, as bits ([`Class::bit`]).
    pub fn set_wanted(&self, bits: u32) {
        self.wanted.store(bits, Ordering::Relaxed);
    }

    /// Whether anybody watches a key or is blocked on one.
    ///
    /// An observer begins while it holds the lock of its key, and a transaction asks while it holds the lock: so
    /// neither misses the other.
    #[must_use]
    pub fn is_observed(&self) -> bool {
        self.observers.load(Ordering::SeqCst) > 0
    }

    /// Adds one observer of keys.
    pub fn observe(&self) {
        self.observers.fetch_add(1, Ordering::SeqCst);
    }

    /// Removes one observer of keys.
    pub fn unobserve(&self) {
        self.observers.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The kind of an event on a key. The letters are those of `notify-keyspace-events`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// `g`: a command on keys of any type.
    Generic,
    /// `$`: a command on a string.
    String,
    /// `l`: a command on a list.
    List,
    /// `s`: a command on a set.
    Set,
    /// `h`: a command on a hash.
    Hash,
    /// `z`: a command on a sorted set.
    SortedSet,
    /// `x`: a key expired.
    Expired,
    /// `m`: a key was looked up and not found. Not part of `A`.
    Miss,
    /// `n`: a key was created. Not part of `A`.
    New,
}

impl Class {
    /// Its bit among those of all classes.
    #[must_use]
    pub const fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// Something that happened to a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Its kind.
    pub class: Class,
    /// Redis's name for it.
    pub name: &'static str,
    /// The database of the key.
    pub db: DbNumber,
    /// The key.
    pub key: Bytes,
}

impl Event {
    /// That a key has expired.
    pub(crate) const fn expired(db: DbNumber, key: Bytes) -> Self {
        Self {
            class: Class::Expired,
            name: "expired",
            db,
            key,
        }
    }
}

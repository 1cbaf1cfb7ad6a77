//! What all transactions of one server share in memory.
//!
//! Nothing here is data: it can be made anew from the store, or dies with the connections.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use bytes::Bytes;

use crate::store::Store;
use crate::types::Accesses;
use crate::types::databases::Databases;
use crate::types::scan::Cursors;
use crate::types::zset::indexes::RankIndexes;
use crate::types::{DbNumber, Result, Sharded};

/// What transactions share. One for each server.
#[derive(Debug, Default)]
pub struct Shared {
    /// One bit for each [`Class`] that somebody wants to hear of.
    wanted: AtomicU32,
    /// How many watch keys, or wait for them.
    observers: AtomicUsize,
    rank_indexes: RankIndexes,
    databases: Databases,
    accesses: Accesses,
    /// Whether nobody removes expired keys: see [`Shared::set_active_expiry`].
    keeps_expired: AtomicBool,
    /// Where walks over keys stopped.
    pub(crate) cursors: Cursors,
    /// Keys that were removed because they had expired.
    expired: AtomicU64,
    /// Keys that a reading command found, and those that it did not.
    lookups: Sharded<[AtomicU64; 2]>,
}

impl Shared {
    /// What answers questions about ranks without a walk.
    #[must_use]
    pub const fn rank_indexes(&self) -> &RankIndexes {
        &self.rank_indexes
    }

    /// The databases, and how many keys they have.
    pub(crate) const fn databases(&self) -> &Databases {
        &self.databases
    }

    /// When keys were last used.
    #[must_use]
    pub const fn accesses(&self) -> &Accesses {
        &self.accesses
    }

    /// Leaves in the store what the next opening would else have to count. Nothing may be written after this.
    ///
    /// # Errors
    /// Those of the store.
    pub fn close(&self, store: &dyn Store) -> Result<()> {
        self.databases.close(store)
    }

    /// Whether expired keys are removed without being asked for: `DEBUG SET-ACTIVE-EXPIRE`.
    pub fn set_active_expiry(&self, on: bool) {
        self.keeps_expired.store(!on, Ordering::Relaxed);
    }

    /// Whether expired keys are removed without being asked for.
    #[must_use]
    pub fn has_active_expiry(&self) -> bool {
        !self.keeps_expired.load(Ordering::Relaxed)
    }

    /// So many keys were removed because they had expired.
    pub fn count_expired(&self, keys: u64) {
        self.expired.fetch_add(keys, Ordering::Relaxed);
    }

    /// How many keys were removed because they had expired.
    #[must_use]
    pub fn expired_keys(&self) -> u64 {
        self.expired.load(Ordering::Relaxed)
    }

    /// Reading commands found so many keys, and so many not.
    pub(crate) fn count_lookups(&self, hits: u64, misses: u64) {
        for (counter, more) in self.lookups.here().iter().zip([hits, misses]) {
            if more > 0 {
                counter.fetch_add(more, Ordering::Relaxed);
            }
        }
    }

    /// How many keys reading commands found, and how many they did not.
    #[must_use]
    pub fn lookups(&self) -> (u64, u64) {
        let sum = |of: usize| {
            self.lookups
                .sum(|counters| counters[of].load(Ordering::Relaxed))
        };
        (sum(0), sum(1))
    }

    /// Counts expired keys and lookups from 0 again.
    pub fn reset_counters(&self) {
        for counter in self.lookups.all().flatten().chain([&self.expired]) {
            counter.store(0, Ordering::Relaxed);
        }
    }

    /// Whether somebody wants to hear of events of a class.
    #[must_use]
    pub fn wants(&self, class: Class) -> bool {
        self.wanted.load(Ordering::Relaxed) & class.bit() != 0
    }

    /// Chooses the classes that transactions note, by [`Class::bit`].
    pub fn set_wanted(&self, bits: u32) {
        self.wanted.store(bits, Ordering::Relaxed);
    }

    /// Whether anybody watches a key, or waits for one.
    ///
    /// Who observes a key begins while holding its lock, and a transaction asks while holding it:
    /// so none of them misses the other.
    #[must_use]
    pub fn is_observed(&self) -> bool {
        self.observers.load(Ordering::SeqCst) > 0
    }

    /// One more observes keys.
    pub fn observe(&self) {
        self.observers.fetch_add(1, Ordering::SeqCst);
    }

    /// One who observed keys does so no more.
    pub fn unobserve(&self) {
        self.observers.fetch_sub(1, Ordering::SeqCst);
    }
}

/// What kind of thing happened to a key. The letter is the one of `notify-keyspace-events`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// `g`: to keys of any type.
    Generic,
    /// `$`: to a string.
    String,
    /// `l`: to a list.
    List,
    /// `s`: to a set.
    Set,
    /// `h`: to a hash.
    Hash,
    /// `z`: to a sorted set.
    SortedSet,
    /// `x`: a key expired.
    Expired,
    /// `m`: a key was asked for and was not there. Not part of `A`.
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
    /// What kind of thing.
    pub class: Class,
    /// Redis's word for it.
    pub name: &'static str,
    /// The database of the key.
    pub db: DbNumber,
    /// The key.
    pub key: Bytes,
}

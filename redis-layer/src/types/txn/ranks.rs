//! A transaction and the rank indexes: which locks it may rely on, and what it changed in them.

use std::time::Duration;

use crate::store::{Scope, Space};
use crate::types::Result;
use crate::types::txn::{Locks, Txn};
use crate::types::zset::indexes::{Journal, RankIndex, RankIndexes};

/// How long a reader waits for the lock of a key. Most holders are done after some microseconds. One that is not may be
/// a script that never ends, and the threads that wait for it would be missing to all other clients.
const PATIENCE: Duration = Duration::from_millis(10);

impl<'s> Txn<'s> {
    /// Whether nobody else can change the key, as far as is known.
    pub(crate) fn holds_lock_of(&self, key: &[u8]) -> bool {
        match &self.locks {
            Locks::Unknown | Locks::OfCaller(None) => false,
            Locks::OfCaller(Some(Scope::Everything)) => true,
            Locks::OfCaller(Some(Scope::Keys(keys))) => keys.contains(&key),
            Locks::OfMany(keys, set) => set
                .get_or_init(|| keys.iter().copied().collect())
                .contains(key),
            Locks::Own(held, _) => held == key,
        }
    }

    /// Takes the lock of a key, if no lock is held yet, and a new snapshot under it. Returns whether it did: then
    /// everything that was read before is out of date. It does not if somebody else keeps the lock for long: then a
    /// walk has to answer. For readers of one key.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn lock_to_read(&mut self, key: &[u8]) -> Result<bool> {
        if !matches!(self.locks, Locks::OfCaller(None)) {
            return Ok(false);
        }
        let Some(guard) = self.store.lock_for(Scope::Keys(&[key]), PATIENCE)? else {
            return Ok(false);
        };
        self.locks = Locks::Own(key.to_vec(), guard);
        self.ranks_noted = self.shared.rank_indexes().now();
        let (snapshot, mapping) = self.shared.databases().snapshot(self.store)?;
        (self.snapshot, self.began, self.mapping) = (snapshot, mapping, mapping);
        self.reads.begins_anew();
        Ok(true)
    }

    /// Releases the lock that [`Txn::lock_to_read`] took, if it took one. The snapshot stays.
    pub(crate) fn unlock(&mut self) {
        if matches!(self.locks, Locks::Own(..)) {
            self.locks = Locks::OfCaller(None);
        }
    }

    /// The rank indexes of the server.
    pub(crate) const fn rank_indexes(&self) -> &'s RankIndexes {
        self.shared.rank_indexes()
    }

    /// The journal in which changes to rank indexes are noted.
    pub(crate) fn rank_journal(&mut self) -> &mut Journal<'s> {
        self.ranks.get_mut()
    }

    /// The last commit whose changes of rank indexes the snapshot includes.
    pub(crate) const fn ranks_noted(&self) -> u64 {
        self.ranks_noted
    }

    /// Says that an index was built from what this transaction sees, under the lock of the key.
    pub(crate) fn built_rank_index(&self, index: &RankIndex) {
        let changed = |space: Space| !self.pending.of(space).is_empty();
        if changed(Space::Score) || changed(Space::Data) {
            self.ranks.borrow_mut().built(index);
        } else {
            self.rank_indexes().settle(index);
        }
    }
}

//! The keys that a transaction found expired.
//!
//! One that comes from the snapshot is removed by whoever ends the transaction. One that the transaction itself has
//! written leaves at the end of the command that found it.
//!
//! Invariants
//! 1. The keys are in the order in which they were found. `first_own` is the index of the first one that the
//!    transaction itself has written. One from the snapshot is noted only once, however often it is found.
//! 2. Only those that the command that runs now has found, which are the last ones, still have their `misses`.
//! 3. Unless `has_written`, no change of a metadata row holds a key that has expired.
//! 4. That a key had expired remains true after a return to a savepoint. That it was discarded does not.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;

use bytes::Bytes;

use crate::types::DbNumber;
use crate::types::txn::this_command::KeyName;

/// A key that a transaction looked up and that had expired.
#[derive(Debug)]
pub struct FoundExpired {
    /// The database.
    pub db: DbNumber,
    /// The key.
    pub key: Bytes,
    /// How many events the transaction had when it found the key.
    pub(super) events: usize,
    /// How many keys the command had missed by then, until it is known whether these misses become events.
    pub(super) misses: Option<usize>,
    /// Whether the transaction itself had written the key.
    pub(super) is_own: bool,
}

impl FoundExpired {
    fn name(&self) -> KeyName {
        KeyName {
            db: self.db,
            key: self.key.clone(),
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Expired {
    found: RefCell<Vec<FoundExpired>>,
    /// Those of them that come from the snapshot.
    of_snapshot: RefCell<HashSet<KeyName>>,
    first_own: Cell<Option<usize>>,
    /// Whether a key was written whose time had passed already.
    pub(super) has_written: bool,
    /// How many such keys were found and removed.
    pub(super) own_removed: u64,
    /// Metadata rows of keys that had expired and were removed for another reason: see
    /// [`Txn::discard_key`](super::Txn::discard_key).
    discarded: Vec<Vec<u8>>,
}

impl Expired {
    /// Notes a key that was found.
    pub(super) fn note(&self, key: FoundExpired) {
        let mut found = self.found.borrow_mut();
        if key.is_own {
            let first = self.first_own.get().unwrap_or(found.len());
            self.first_own.set(Some(first));
        } else if !self.of_snapshot.borrow_mut().insert(key.name()) {
            return;
        }
        found.push(key);
    }

    /// Whether a key from the snapshot was found.
    pub(super) fn contains(&self, db: DbNumber, key: &[u8]) -> bool {
        let key = Bytes::copy_from_slice(key);
        self.of_snapshot.borrow().contains(&KeyName { db, key })
    }

    /// Takes out the keys from the first one on that the transaction itself has written. The caller gives back the
    /// others among them.
    #[inline]
    pub(super) fn take_from_first_own(&mut self) -> Vec<FoundExpired> {
        match self.first_own.take() {
            Some(first) => self.found.get_mut().split_off(first),
            None => Vec::new(),
        }
    }

    /// Gives back a key that the transaction has not written.
    pub(super) fn give_back(&mut self, found: FoundExpired) {
        self.found.get_mut().push(found);
    }

    /// Ends a command. If it only reads, its misses become events, and come before what it found afterwards.
    #[inline]
    pub(super) fn end_command(&mut self, only_reads: bool) {
        for found in self.found.get_mut().iter_mut().rev() {
            // Those in front of it were found by earlier commands.
            let Some(misses) = found.misses.take() else {
                break;
            };
            if only_reads {
                found.events += misses;
            }
        }
    }

    /// Notes that a key that had expired is removed for another reason.
    pub(super) fn discard(&mut self, row: Vec<u8>) {
        self.discarded.push(row);
    }

    /// The metadata rows of the keys that were discarded.
    pub(super) fn discarded(&self) -> HashSet<&Vec<u8>> {
        self.discarded.iter().collect()
    }

    /// How many keys were discarded so far.
    pub(super) const fn mark(&self) -> usize {
        self.discarded.len()
    }

    /// Returns to an earlier [`mark`](Self::mark).
    pub(super) fn go_back(&mut self, to: usize) {
        self.discarded.truncate(to);
    }

    /// The keys that were found.
    pub(super) fn found(&mut self) -> &mut [FoundExpired] {
        self.found.get_mut()
    }

    /// The keys that were found, which are given away.
    pub(super) fn take(&self) -> Vec<FoundExpired> {
        self.of_snapshot.take();
        self.found.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_the_snapshot_is_noted_once_however_often_it_is_found() {
        let mut expired = Expired::default();
        for _ in 0..1000 {
            expired.note(FoundExpired {
                db: 0,
                key: "k".into(),
                events: 0,
                misses: None,
                is_own: false,
            });
        }
        assert!(expired.contains(0, b"k") && !expired.contains(1, b"k"));
        assert_eq!(expired.found().len(), 1);
    }
}

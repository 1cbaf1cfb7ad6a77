//! Which keys a transaction found and which not: for the counters of `INFO`, and for subscribers.

use bytes::Bytes;

use crate::types::txn::{FoundExpired, Txn};
use crate::types::{Class, Committed, Event};

impl Txn<'_> {
    /// Notes whether a key was found.
    pub(crate) fn note_lookup(&self, key: &[u8], is_hit: bool) {
        if !is_hit && self.shared.wants(Class::Miss) {
            let miss = (self.db, Bytes::copy_from_slice(key));
            self.misses.borrow_mut().push(miss);
        }
        let (hits, misses) = self.lookups.get();
        self.lookups
            .set((hits + u64::from(is_hit), misses + u64::from(!is_hit)));
    }

    /// Notes that a key has expired. Whoever ends the transaction removes it.
    pub(crate) fn note_expired(&self, key: &[u8]) {
        self.expired.borrow_mut().push(FoundExpired {
            db: self.db,
            key: Bytes::copy_from_slice(key),
            events: self.events.len(),
            misses: Some(self.misses.borrow().len()),
        });
    }

    /// Whether the key was looked up and had expired. As Redis would have removed it then, a command that comes later
    /// must not see it, even if it takes expired keys for ordinary ones.
    pub(crate) fn has_found_expired(&self, key: &[u8]) -> bool {
        let expired = self.expired.borrow();
        let mut expired = expired.iter();
        expired.any(|found| found.db == self.db && found.key == key)
    }

    /// Notes that a key that had expired is removed for another reason.
    pub(crate) fn note_discarded(&mut self, row: Vec<u8>) {
        self.discarded.push(row);
    }

    /// Ends a transaction without its changes. Returns what is left to do: to remove the keys that were found
    /// expired, and to tell subscribers which keys were not found.
    pub(crate) fn abandon(mut self) -> Committed {
        self.events.retain(|event| event.class == Class::Miss);
        Committed {
            events: self.events,
            expired: self.expired.take(),
            ..Committed::default()
        }
    }

    /// Adds the lookups of a command to those of the server if the command only reads, and notes the keys that it did
    /// not find. The lookups of other commands are forgotten.
    pub(crate) fn count_lookups(&mut self, only_reads: bool) {
        let (hits, misses) = self.end_lookups(only_reads);
        self.shared.count_lookups(hits, misses);
    }

    /// As [`count_lookups`](Self::count_lookups), but returns what is to be counted: how many keys were found, and how
    /// many were not.
    pub(crate) fn end_lookups(&mut self, only_reads: bool) -> (u64, u64) {
        self.put_together.take();
        let lookups = self.lookups.take();
        let missed = self.misses.take();
        for found in self.expired.get_mut().iter_mut().rev() {
            // Those in front of it were found by earlier commands.
            let Some(misses) = found.misses.take() else {
                break;
            };
            if only_reads {
                found.events += misses;
            }
        }
        if only_reads {
            self.events
                .extend(missed.into_iter().map(|(db, key)| Event {
                    class: Class::Miss,
                    name: "keymiss",
                    db,
                    key,
                }));
            lookups
        } else {
            (0, 0)
        }
    }

    /// Counts the lookups of a command so far although the command writes: they were of the keys that it reads from.
    pub(crate) fn count_reads(&mut self) {
        self.count_lookups(true);
    }

    /// How many keys were found so far, and how many were not.
    pub(crate) const fn lookups(&self) -> (u64, u64) {
        self.lookups.get()
    }

    /// Restores an earlier [`lookups`](Self::lookups): what was looked up since then was not asked by the client.
    pub(crate) fn set_lookups(&self, lookups: (u64, u64)) {
        self.lookups.set(lookups);
    }

    /// Forgets the keys that were not found: the command only asks about keys, and Redis sends no event for that.
    pub(crate) fn forget_misses(&self) {
        self.misses.take();
    }
}

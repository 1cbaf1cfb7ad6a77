//! What a transaction found and what it did not: for the sums of `INFO`, and for subscribers.

use bytes::Bytes;

use crate::types::txn::Txn;
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

    /// Notes that a key has expired: who ends the transaction removes it.
    pub(crate) fn note_expired(&self, key: &[u8]) {
        let expired = (self.db, Bytes::copy_from_slice(key));
        self.expired.borrow_mut().push(expired);
    }

    /// Ends a transaction without its changes. Answers what it leaves to do: the keys that it has found expired.
    pub(crate) fn abandon(self) -> Committed {
        Committed {
            expired: self.expired.take(),
            ..Committed::default()
        }
    }

    /// Adds the lookups of a command to those of the server, if it only reads, and notes what it looked for in vain.
    /// Those of others are forgotten.
    pub(crate) fn count_lookups(&mut self, only_reads: bool) {
        let (hits, misses) = self.lookups.get();
        if only_reads {
            self.shared.count_lookups(hits, misses);
        }
        self.end_lookups(only_reads);
    }

    /// As [`count_lookups`](Self::count_lookups), of a command that was counted already.
    pub(crate) fn end_lookups(&mut self, only_reads: bool) {
        self.put_together.take();
        self.lookups.take();
        let missed = self.misses.take();
        if only_reads {
            self.events
                .extend(missed.into_iter().map(|(db, key)| Event {
                    class: Class::Miss,
                    name: "keymiss",
                    db,
                    key,
                }));
        }
    }

    /// Counts what a command has looked up so far as read, though it writes: these were its sources.
    pub(crate) fn count_reads(&mut self) {
        self.count_lookups(true);
    }

    /// How many keys were found so far, and how many not.
    pub(crate) const fn lookups(&self) -> (u64, u64) {
        self.lookups.get()
    }

    /// Goes back to an earlier [`lookups`](Self::lookups): what was looked up since then was no question of the client.
    pub(crate) fn set_lookups(&self, lookups: (u64, u64)) {
        self.lookups.set(lookups);
    }

    /// Forgets what was looked for in vain: the command asks about keys, and nobody is told of that.
    pub(crate) fn forget_misses(&self) {
        self.misses.take();
    }
}

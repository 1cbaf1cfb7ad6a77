//! Which keys a transaction found and which not: for the counters of `INFO`, and for subscribers.

use std::collections::HashSet;

use bytes::Bytes;

use crate::store::Space;
use crate::types::rows::metadata_key;
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

    /// Notes that a key has expired. Whoever ends the transaction removes it. If it `is_own`, that is if the transaction
    /// itself has written it, the end of the command does.
    pub(crate) fn note_expired(&self, key: &[u8], is_own: bool) {
        self.note_expired_at(self.events.len(), key, is_own);
    }

    /// As [`note_expired`](Self::note_expired), with the number of events that come before.
    fn note_expired_at(&self, events: usize, key: &[u8], is_own: bool) {
        let mut expired = self.expired.borrow_mut();
        if is_own {
            self.first_own
                .set(self.first_own.get().or(Some(expired.len())));
        }
        expired.push(FoundExpired {
            db: self.db,
            key: Bytes::copy_from_slice(key),
            events,
            misses: Some(self.misses.borrow().len()),
            is_own,
        });
    }

    /// Notes that a key is about to be written, whether or not it was looked up. If the transaction itself has written
    /// it before and it expired at once, that is over now.
    pub(crate) fn note_written(&mut self, key: &[u8], row: &[u8], value: &[u8]) {
        if self.holds_expired(row) {
            let at = self.place_in_front(key);
            self.note_expired_at(at, key, true);
            self.remove_own_expired();
        }
        self.wrote_expired |= !self.is_live_row(value);
    }

    /// Whether the transaction itself has written a metadata row whose key has expired.
    fn holds_expired(&self, row: &[u8]) -> bool {
        let written = || self.changed(Space::Metadata, row);
        self.wrote_expired && written().is_some_and(|value| !self.is_live_row(value))
    }

    /// Removes the keys that the command has found expired and that the transaction itself has written, and tells of
    /// each where it was found first.
    fn remove_own_expired(&mut self) {
        let Some(first) = self.first_own.take() else {
            return;
        };
        let mut told = 0;
        let mut done = HashSet::new();
        for mut found in self.expired.get_mut().split_off(first) {
            found.events += told;
            if !found.is_own {
                self.expired.get_mut().push(found);
                continue;
            }
            if !done.insert((found.db, found.key.clone())) {
                continue;
            }
            let row = metadata_key(self.mapping.rows_of(found.db), &found.key);
            if self.holds_expired(&row) {
                self.delete(Space::Metadata, row);
            }
            self.own_expired += 1;
            if self.shared.wants(Class::Expired) {
                let at = found.events.min(self.events.len());
                self.insert_event(at, Event::expired(found.db, found.key));
                told += 1;
            }
        }
    }

    /// Whether the key was looked up in the snapshot and had expired. As Redis would have removed it then, a command that
    /// comes later must not see it, even if it takes expired keys for ordinary ones.
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
        }
        self.remove_own_expired();
        if only_reads { lookups } else { (0, 0) }
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

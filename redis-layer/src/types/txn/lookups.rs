//! Which keys a transaction found and which not: for the counters of `INFO`, and for subscribers.

use std::collections::HashSet;
use std::ops::AddAssign;

use bytes::Bytes;

use crate::store::Space;
use crate::types::rows::metadata_key;
use crate::types::txn::{FoundExpired, Txn};
use crate::types::{Class, Committed, Event};

/// How many keys were looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Lookups {
    /// How many of them were found.
    pub hits: u64,
    /// How many were not.
    pub misses: u64,
}

impl AddAssign for Lookups {
    fn add_assign(&mut self, more: Self) {
        self.hits += more.hits;
        self.misses += more.misses;
    }
}

impl Txn<'_> {
    /// Notes whether a key was found.
    pub(crate) fn note_lookup(&self, key: &[u8], is_hit: bool) {
        if !is_hit && self.shared.wants(Class::Miss) {
            self.news.missed(self.db, key);
        }
        let mut lookups = self.lookups.get();
        lookups += Lookups {
            hits: u64::from(is_hit),
            misses: u64::from(!is_hit),
        };
        self.lookups.set(lookups);
    }

    /// Notes that a key has expired. Whoever ends the transaction removes it. If it `is_own`, that is if the transaction
    /// itself has written it, the end of the command does.
    pub(crate) fn note_expired(&self, key: &[u8], is_own: bool) {
        self.note_expired_at(self.news.events.len(), key, is_own);
    }

    /// As [`note_expired`](Self::note_expired), with the number of events that come before.
    fn note_expired_at(&self, events: usize, key: &[u8], is_own: bool) {
        self.expired.note(FoundExpired {
            db: self.db,
            key: Bytes::copy_from_slice(key),
            events,
            misses: Some(self.news.miss_count()),
            is_own,
        });
    }

    /// Notes that a key is about to be written, whether or not it was looked up. If the transaction itself has written
    /// it before and it expired at once, that is over now.
    pub(crate) fn note_written(&mut self, key: &[u8], row: &[u8], value: &[u8]) {
        if self.holds_expired(row) {
            let name = Bytes::copy_from_slice(key);
            let at = self.news.place_in_front(self.db, name);
            self.note_expired_at(at, key, true);
            self.remove_own_expired();
        }
        self.expired.has_written |= !self.is_live_row(value);
    }

    /// Whether the transaction itself has written a metadata row whose key has expired.
    fn holds_expired(&self, row: &[u8]) -> bool {
        let written = || self.changed(Space::Metadata, row);
        self.expired.has_written && written().is_some_and(|value| !self.is_live_row(value))
    }

    /// Removes the keys that the command has found expired and that the transaction itself has written, and tells of
    /// each where it was found first.
    fn remove_own_expired(&mut self) {
        let found = self.expired.take_from_first_own();
        if found.is_empty() {
            return;
        }
        let mut told = 0;
        let mut done = HashSet::new();
        for mut found in found {
            found.events += told;
            if !found.is_own {
                self.expired.give_back(found);
                continue;
            }
            if !done.insert((found.db, found.key.clone())) {
                continue;
            }
            let row = metadata_key(self.mapping.rows_of(found.db), &found.key);
            if self.holds_expired(&row) {
                self.delete(Space::Metadata, row);
            }
            self.expired.own_removed += 1;
            if self.shared.wants(Class::Expired) {
                let at = found.events.min(self.news.events.len());
                self.news.insert(at, Event::expired(found.db, found.key));
                told += 1;
            }
        }
    }

    /// Whether the key was looked up in the snapshot and had expired. As Redis would have removed it then, a command that
    /// comes later must not see it, even if it takes expired keys for ordinary ones.
    pub(crate) fn has_found_expired(&self, key: &[u8]) -> bool {
        self.expired.contains(self.db, key)
    }

    /// Notes that a key that had expired is removed for another reason.
    pub(crate) fn note_discarded(&mut self, row: Vec<u8>) {
        self.expired.discard(row);
    }

    /// Ends a transaction without its changes. Returns what is left to do: to remove the keys that were found
    /// expired, and to tell subscribers which keys were not found.
    pub(crate) fn abandon(self) -> Committed {
        Committed {
            expired: self.expired.take(),
            events: self.news.into_misses(),
            ..Committed::default()
        }
    }

    /// Adds the lookups of a command to those of the server if the command only reads, and notes the keys that it did
    /// not find. The lookups of other commands are forgotten.
    pub(crate) fn count_lookups(&mut self, only_reads: bool) {
        let lookups = self.end_lookups(only_reads);
        self.shared.count_lookups(lookups);
    }

    /// As [`count_lookups`](Self::count_lookups), but returns what is to be counted.
    pub(crate) fn end_lookups(&mut self, only_reads: bool) -> Lookups {
        self.put_together.take();
        let lookups = self.lookups.take();
        self.expired.end_command(only_reads);
        self.news.end_command(only_reads);
        self.remove_own_expired();
        if only_reads {
            lookups
        } else {
            Lookups::default()
        }
    }

    /// Counts the lookups of a command so far although the command writes: they were of the keys that it reads from.
    pub(crate) fn count_reads(&mut self) {
        self.count_lookups(true);
    }

    /// The lookups of the command so far.
    pub(crate) const fn lookups(&self) -> Lookups {
        self.lookups.get()
    }

    /// Restores an earlier [`lookups`](Self::lookups): what was looked up since then was not asked by the client.
    pub(crate) fn set_lookups(&self, lookups: Lookups) {
        self.lookups.set(lookups);
    }

    /// Forgets the keys that were not found: the command only asks about keys, and Redis sends no event for that.
    pub(crate) fn forget_misses(&self) {
        self.news.forget_misses();
    }
}

//! The end of a transaction: what follows from the changed metadata rows, and the write of the batch that shows it all.
//!
//! A command that writes a metadata row does not update the expire-time index or the number of keys. Both follow here
//! from the old row and the new one. The old row is known if the command looked the key up; otherwise it costs a
//! point read.

use std::collections::{HashMap, HashSet};

use bytes::Bytes;

use crate::store::{self, Batch, Space, Store};
use crate::types::databases::{KeyCount, NUMBERED};
use crate::types::rows::{decode_metadata_key, expiry_key, rows_of_database, stored_expiry};
use crate::types::txn::pending::change_bytes;
use crate::types::txn::this_command::KeyName;
use crate::types::txn::unseen::write_unseen;
use crate::types::txn::{FoundExpired, Stored, Txn};
use crate::types::{Class, Committed, DATABASES, DbNumber, Event, Result, Shared};

/// From this many bytes of changes on, a batch takes so long to write that others should know.
const LARGE_BYTES: usize = 1 << 20;

impl Stored {
    /// What the value of a row says.
    pub(super) fn of(value: Option<&[u8]>) -> Self {
        value.map_or(Self::Absent, |value| Self::Present {
            expires_ms: stored_expiry(value),
        })
    }

    pub(super) fn count(self) -> KeyCount {
        match self {
            Self::Absent => KeyCount::default(),
            Self::Present { expires_ms } => KeyCount::one(expires_ms),
        }
    }

    const fn expires_ms(self) -> Option<i64> {
        match self {
            Self::Absent => None,
            Self::Present { expires_ms } => expires_ms,
        }
    }

    pub(super) fn is_live(self, now_ms: i64) -> bool {
        match self {
            Self::Absent => false,
            Self::Present { expires_ms } => {
                expires_ms.is_none_or(|expires_ms| now_ms <= expires_ms)
            }
        }
    }
}

impl Committed {
    /// Adds the events of keys that the transaction has found expired.
    pub(crate) fn happened_before(&mut self, events: Vec<Event>, found: &mut [FoundExpired]) {
        put_in_front(&mut self.events, events, found);
    }
}

/// Where an event goes that a key has expired: how many events come before it, and its rank among those that go to the
/// same place. One without a place goes to the very front.
type Place = Option<(usize, usize)>;

/// Puts each event that a key has expired where the key was found expired, but before all other events for the key. If
/// the key was not looked up and has no other events, its event goes to the very front. The places of all keys in
/// `found` are then places among all events, so that the events of the others can be added later.
fn put_in_front(events: &mut Vec<Event>, new: Vec<Event>, found: &mut [FoundExpired]) {
    if new.is_empty() {
        return;
    }
    let mut places: HashMap<KeyName, (usize, usize)> = HashMap::new();
    let noted = events.iter().enumerate();
    let noted = noted.map(|(at, event)| ((at, usize::MAX), event.db, &event.key));
    let order = found.iter().enumerate();
    let order = order.map(|(rank, found)| {
        let at = found.events.min(events.len());
        ((at, rank), found.db, &found.key)
    });
    for (place, db, key) in noted.chain(order) {
        let key = key.clone();
        let first = places.entry(KeyName { db, key }).or_insert(place);
        *first = place.min(*first);
    }
    let place = |event: &Event| -> Place { places.get(&KeyName::of(event)).copied() };
    let mut new: Vec<(Place, Event)> = new
        .into_iter()
        .map(|event| (place(&event), event))
        .collect();
    new.sort_by_key(|(place, _)| *place);
    for (rank, found) in found.iter_mut().enumerate() {
        let own = Some((found.events.min(events.len()), rank));
        found.events += new.partition_point(|(place, _)| *place < own);
    }
    let mut new = new.into_iter().peekable();
    let others = std::mem::take(events);
    for (at, other) in others.into_iter().enumerate() {
        while let Some((_, event)) = new.next_if(|(place, _)| *place < Some((at + 1, 0))) {
            events.push(event);
        }
        events.push(other);
    }
    events.extend(new.map(|(_, event)| event));
}

/// What follows from the changed metadata rows.
#[derive(Debug, Default)]
pub(super) struct Followed {
    /// How the counts of keys change, by the number that the rows carry.
    counts: Vec<(DbNumber, KeyCount)>,
    expired_keys: u64,
    /// Whether the expire-time index changes.
    changes_expiry: bool,
    /// The earliest time of the rows that it gets.
    earliest_ms: Option<i64>,
}

/// Writes how the expire-time index follows a key's row, from the old one to the new one. Returns the time of the row
/// that it gets.
fn follow_expiry(
    batch: &mut Batch,
    rows: DbNumber,
    key: &[u8],
    (old, new): (Stored, Stored),
) -> Option<i64> {
    if old.expires_ms() == new.expires_ms() {
        return None;
    }
    if let Some(expires_ms) = old.expires_ms() {
        batch.delete(Space::Expiry, expiry_key(rows, expires_ms, key));
    }
    let expires_ms = new.expires_ms()?;
    batch.put(
        Space::Expiry,
        expiry_key(rows, expires_ms, key),
        Bytes::new(),
    );
    Some(expires_ms)
}

/// Adds the difference that a key makes to the sum of its database. Few databases change in one transaction.
pub(super) fn count_change(
    counts: &mut Vec<(DbNumber, KeyCount)>,
    rows: DbNumber,
    (was, is): (KeyCount, KeyCount),
) {
    let change = is - was;
    match counts.iter_mut().find(|(of, _)| *of == rows) {
        Some((_, sum)) => *sum += change,
        None => counts.push((rows, change)),
    }
}

/// Writes a batch. If that may take long, because it is large or has to wait for a large one, the thread serves readers
/// meanwhile.
fn write_beside_readers(
    shared: &Shared,
    store: &dyn Store,
    batch: Batch,
    is_large: bool,
) -> store::Result<()> {
    if !is_large && !shared.is_large_write() {
        return store.write(batch);
    }
    let _large = is_large.then(|| shared.begin_large_write());
    shared.wait(|| store.write(batch))
}

impl Txn<'_> {
    /// What the snapshot holds under the key of a metadata row.
    pub(super) fn stored(&self, row: &[u8]) -> Result<Stored> {
        if let Some(stored) = self.reads.seen.borrow().stored(row) {
            return Ok(stored);
        }
        let value = self.read(Space::Metadata, row)?;
        Ok(Stored::of(value.as_ref().map(|value| &***value)))
    }

    /// Makes all changes at once. Returns what they were.
    ///
    /// # Errors
    /// Those of the store. Then nothing is changed.
    pub fn commit(mut self) -> Result<Committed> {
        if self.changes_nothing() {
            self.ranks.get_mut().keep();
            return Ok(Committed {
                events: self.news.events,
                expired: self.expired.take(),
                ..Committed::default()
            });
        }
        let mut batch = Batch::default();
        let followed = self.follow_metadata(&mut batch)?;
        let (touched, absent) = self.touched_rows();
        let remapped = self.remap(&mut batch);
        let mut left_bytes = self.pending.bytes();
        let (mut changes, mut cleared) = self.pending.into_parts();
        // A store may have to copy what a snapshot still holds, so the snapshot goes first.
        drop(self.snapshot);
        let moves_databases = self.began != self.mapping;
        let created = match left_bytes >= LARGE_BYTES && !moves_databases {
            true => self.reads.take_created(),
            false => Vec::new(),
        };
        let _unseen = if created.is_empty() {
            None
        } else {
            let to = (self.store, self.shared.unseen());
            let noted = (self.shared).wait(|| write_unseen(to, created, &mut changes))?;
            noted.retain_seen(&mut cleared)?;
            left_bytes = changes.iter().flatten().map(change_bytes).sum();
            Some(noted)
        };
        for (space, range) in cleared {
            batch.clear(space, range);
        }
        for (space, changes) in Space::ALL.into_iter().zip(changes) {
            batch.append(space, changes);
        }
        let floor = self.shared.expiry_floor();
        let announce = || floor.lower(followed.earliest_ms);
        let changes_expiry = followed.changes_expiry || moves_databases;
        let _announced = changes_expiry.then(announce);
        let wrote = !batch.is_empty();
        let is_large = left_bytes >= LARGE_BYTES;
        let (store, databases) = (self.store, self.shared.databases());
        let write = || write_beside_readers(self.shared, store, batch, is_large);
        if moves_databases {
            databases.change(&self.began, &self.mapping, || Ok(write()?))?;
        } else if wrote {
            write()?;
        }
        for (rows, change) in followed.counts {
            if let Some(db) = self.mapping.database_of(rows) {
                databases.add(db, change);
            }
        }
        self.shared
            .count_expired(followed.expired_keys + self.expired.own_removed);
        self.ranks.get_mut().keep();
        Ok(Committed {
            wrote,
            touched,
            absent,
            remapped,
            events: self.news.events,
            expired: self.expired.take(),
        })
    }

    fn changes_nothing(&self) -> bool {
        self.pending.is_empty() && self.news.touched.len() == 0 && self.began == self.mapping
    }

    /// Keeps the expire-time index in step with the metadata rows, and notes which keys had expired.
    pub(super) fn follow_metadata(&mut self, batch: &mut Batch) -> Result<Followed> {
        let mut followed = Followed::default();
        let mut expired = Vec::new();
        let discarded = self.expired.discarded();
        self.reads.metadata.rewind();
        for (row, value) in self.pending.of(Space::Metadata).iter() {
            let old = self.stored(row)?;
            let new = Stored::of(value.as_deref());
            let (was, is) = (old.count(), new.count());
            let has_expired = was.keys > 0 && !old.is_live(self.now_ms);
            if was == is && !has_expired {
                continue;
            }
            let (rows, key) = decode_metadata_key(row)?;
            followed.changes_expiry |= old.expires_ms() != new.expires_ms();
            let expires_ms = follow_expiry(batch, rows, &key, (old, new));
            followed.earliest_ms = followed.earliest_ms.into_iter().chain(expires_ms).min();
            if has_expired && !discarded.contains(row) {
                followed.expired_keys += 1;
                if self.shared.wants(Class::Expired) {
                    expired.push((rows, key));
                }
            }
            count_change(&mut followed.counts, rows, (was, is));
        }
        let events = expired
            .into_iter()
            .filter_map(|(rows, key)| self.expired_event(rows, key));
        let events = events.collect();
        put_in_front(&mut self.news.events, events, self.expired.found());
        Ok(followed)
    }

    /// The event that a key has expired; `None` if its database is gone.
    fn expired_event(&self, rows: DbNumber, key: Vec<u8>) -> Option<Event> {
        let db = self.began.database_of(rows)?;
        Some(Event::expired(db, key.into()))
    }

    /// The keys that were changed, by database and name, if anybody observes keys. They are in the order of their
    /// first changes, because clients that wait for keys are served in this order. Also those of them that hold
    /// nothing now and held nothing in between: a client that saw no key there before sees no change.
    fn touched_rows(&mut self) -> (Vec<Vec<u8>>, HashSet<Vec<u8>>) {
        let mut absent = HashSet::new();
        if !self.shared.is_observed() {
            return (Vec::new(), absent);
        }
        let mut touched = std::mem::take(&mut self.news.touched);
        let held = std::mem::take(&mut self.news.held);
        let written = self.pending.of(Space::Metadata);
        // Rows that were written before the first observer came were not noted. That observer cannot wait for these
        // keys, because their locks are held, so their order does not matter.
        for (row, _) in written.iter() {
            touched.note(row.as_slice());
        }
        let by_name = |mut row: Vec<u8>| {
            let new = written.get(&row).map(|value| Stored::of(value.as_deref()));
            let is_gone = new.is_some_and(|new| !new.is_live(self.now_ms)) && !held.contains(&row);
            let (head, _) = row.split_first_chunk_mut::<4>()?;
            let rows = u32::from_be_bytes(*head);
            let db = self.mapping.database_of(rows);
            let db = db.or_else(|| self.began.database_of(rows))?;
            *head = db.to_be_bytes();
            if is_gone {
                absent.insert(row.clone());
            }
            Some(row)
        };
        let touched = touched.into_order().into_iter().filter_map(by_name);
        let touched = touched.collect();
        (touched, absent)
    }

    /// Writes the new mapping, and removes all rows of the numbers that no database has any more. Returns which
    /// databases were swapped.
    fn remap(&self, batch: &mut Batch) -> Vec<DbNumber> {
        let (old, new) = (self.began, self.mapping);
        if old == new {
            return Vec::new();
        }
        new.write_to(batch);
        for rows in old.given_up(&new) {
            for space in NUMBERED {
                batch.clear(space, rows_of_database(rows));
            }
        }
        let databases = 0..DATABASES;
        // A database that was only emptied has nothing that a client could wait for.
        let is_other = |db: &DbNumber| {
            let rows = new.rows_of(*db);
            rows != old.rows_of(*db) && old.database_of(rows).is_some()
        };
        databases.filter(is_other).collect()
    }

    /// Exchanges the keys of two databases. The caller holds the lock of everything.
    pub fn swap_databases(&mut self, a: DbNumber, b: DbNumber) {
        self.mapping.swap(a, b);
    }

    /// Empties a database at once, whatever it holds. The caller holds the lock of everything.
    pub fn renew_database(&mut self, db: DbNumber) {
        let rows = self.mapping.renew(db);
        // Changes to the old rows are pointless now, and the batch would apply them after the range deletion.
        let range = rows_of_database(rows);
        for space in [Space::Metadata, Space::Data, Space::Score] {
            let changes = self.pending.of(space).range(&range);
            let stale: Vec<Vec<u8>> = changes.map(|(key, _)| key.to_vec()).collect();
            for key in stale {
                self.delete(space, key);
            }
        }
    }
}

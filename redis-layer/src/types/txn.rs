//! A transaction: a command's snapshot, what the command has changed so far, and one batch at the end.
//!
//! Most of what it keeps is in four groups: the changes that are `pending`, the `news` for others, the keys that it found
//! `expired`, and what it remembers of its `reads`. Beside them are its locks, the mapping of the databases and the journal of the rank indexes.
//!
//! Reads look at the changes first, then at the snapshot, so a command sees its own writes. For example, a member that
//! is named twice in one `ZADD` is found the second time, and the number of elements and both indexes stay right.
//!
//! Invariants
//! 1. Nothing reaches the store before [`Txn::commit`], and then all that others can see at once: see `unseen` for the rest.
//! 2. The caller holds the locks of the keys that it changes from before [`Txn::begin`] until
//!    after `commit`, so the snapshot is current for them.
//! 3. A command that changes a key writes its metadata row, or calls [`Txn::touch`]. One that changes nothing does
//!    neither. `WATCH` and blocked clients depend on that.
//! 4. A rank index is asked only under the lock of its key, and is told of changes at once. If there is no `commit`,
//!    those changes are taken back.

mod changes;
mod cleared;
mod commit;
mod expired;
mod live_keys;
mod lookups;
mod merged;
mod news;
mod pace;
mod pending;
mod prefetched;
mod ranks;
mod reads;
mod seen;
mod this_command;
mod unseen;

use std::borrow::Cow;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashSet;

use bytes::Bytes;

use crate::store::{Cursor, Direction, Guard, KeyRange, Scope, Snapshot, Space, Store};
use crate::types::databases::Mapping;
use crate::types::rows::{RowPrefix, metadata_key};
use crate::types::zset::Ahead;
use crate::types::zset::indexes::Journal;
use crate::types::{Class, DbNumber, Error, Event, Result, Shared};
use expired::Expired;
use merged::Merged;
use news::News;
pub(in crate::types) use pace::LONG_MOST;
use pace::{Pace, Paced};
use pending::Pending;
use reads::Reads;

pub use expired::FoundExpired;
pub use lookups::Lookups;
pub(in crate::types) use unseen::Unseen;

/// Among up to this many locked keys, one is found by looking at each.
const KEYS_FEW: usize = 128;

/// The transaction of a command, or of several that run together.
pub struct Txn<'s> {
    store: &'s dyn Store,
    shared: &'s Shared,
    snapshot: Box<dyn Snapshot>,
    /// What it would write.
    pending: Pending,
    /// What others are told of after the commit.
    news: News,
    /// The keys that were found expired.
    expired: Expired,
    /// What was read, and may be wanted again.
    reads: Reads,
    /// How much was read and changed.
    pace: Pace<'s>,
    /// How many bytes of strings this command has put together from pieces.
    pub(in crate::types) put_together: Cell<usize>,
    /// The lookups of the command.
    lookups: Cell<Lookups>,
    ranks: RefCell<Journal<'s>>,
    /// Which changes of rank indexes the snapshot includes: see `indexes`.
    ranks_noted: u64,
    locks: Locks<'s>,
    /// The mapping of the databases at the beginning, and as this transaction wants it.
    began: Mapping,
    mapping: Mapping,
    db: DbNumber,
    now_ms: i64,
}

/// What a metadata row says about the existence of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stored {
    Absent,
    Present { expires_ms: Option<i64> },
}

/// Which locks a transaction may rely on.
enum Locks<'s> {
    /// The caller did not say which it holds.
    Unknown,
    /// The caller holds these, or none at all.
    OfCaller(Option<Scope<'s>>),
    /// The caller holds those of these keys, which are many. The first question puts them in a set.
    OfMany(&'s [&'s [u8]], OnceCell<HashSet<&'s [u8]>>),
    /// The transaction itself has taken the lock of this key, in order to read under it.
    Own(
        Vec<u8>,
        #[expect(dead_code, reason = "it is held")] Box<dyn Guard + 's>,
    ),
}

/// A point that a transaction can go back to.
#[derive(Debug)]
#[must_use]
pub struct Savepoint {
    pending: pending::Mark,
    news: news::Mark,
    discarded: usize,
    ranks: usize,
    mapping: Mapping,
}

/// What a transaction did.
#[derive(Debug, Default)]
pub struct Committed {
    /// Whether the store was changed.
    pub wrote: bool,
    /// The metadata rows of the keys that were changed, in the order of their first changes. Empty if nobody observes
    /// keys.
    pub touched: Vec<Vec<u8>>,
    /// Those of `touched` that hold nothing now and held nothing in between.
    pub absent: HashSet<Vec<u8>>,
    /// The databases whose keys were exchanged or replaced as a whole.
    pub remapped: Vec<DbNumber>,
    /// The events that subscribers may want, oldest first.
    pub events: Vec<Event>,
    /// Keys that were found expired. Some may not be removed yet.
    pub expired: Vec<FoundExpired>,
}

impl<'s> Txn<'s> {
    /// Begins with a snapshot of the store as it is now.
    ///
    /// # Errors
    /// Those of the store.
    pub fn begin(
        store: &'s dyn Store,
        shared: &'s Shared,
        db: DbNumber,
        now_ms: i64,
    ) -> Result<Self> {
        let ranks_noted = shared.rank_indexes().now();
        let (snapshot, mapping) = shared.databases().snapshot(store)?;
        Ok(Self {
            store,
            shared,
            snapshot,
            began: mapping,
            mapping,
            pending: Pending::new(now_ms),
            news: News::default(),
            expired: Expired::default(),
            reads: Reads::default(),
            pace: Pace::of(shared),
            put_together: Cell::default(),
            lookups: Cell::default(),
            ranks: RefCell::new(Journal::new(shared.rank_indexes())),
            ranks_noted,
            locks: Locks::Unknown,
            db,
            now_ms,
        })
    }

    /// Says which locks the caller holds; `None` for a reader that holds none. Without this call, questions about
    /// ranks are answered correctly but slowly.
    #[must_use]
    pub fn under(mut self, held: Option<Scope<'s>>) -> Self {
        self.locks = match held {
            Some(Scope::Keys(keys)) if keys.len() > KEYS_FEW => {
                Locks::OfMany(keys, OnceCell::new())
            }
            held => Locks::OfCaller(held),
        };
        self
    }

    /// What all transactions of the server share in memory.
    #[must_use]
    pub const fn shared(&self) -> &'s Shared {
        self.shared
    }

    /// Chooses the database of the keys in later calls.
    pub const fn set_db(&mut self, db: DbNumber) {
        self.db = db;
    }

    /// Says that a key was changed although its metadata row was not.
    pub fn touch(&mut self, key: &[u8]) {
        self.news.touched.note(metadata_key(self.db(), key));
    }

    /// Notes an event on a key, by Redis's name for it. Does nothing if nobody wants to be notified.
    pub fn event(&mut self, class: Class, name: &'static str, key: &[u8]) {
        if self.shared.wants(class) {
            self.pending.add_bytes(size_of::<Event>() + key.len());
            self.news.events.push(Event {
                class,
                name,
                db: self.db,
                key: Bytes::copy_from_slice(key),
            });
        }
    }

    /// Notes that a command created a key. The event goes before the command's other events for this key.
    pub(crate) fn note_created(&mut self, row: &[u8], key: &[u8]) {
        self.news.created(row, self.db, key);
    }

    /// Notes that a command removed a key.
    pub(crate) fn note_removed(&mut self, row: Vec<u8>) {
        self.news.removed(row);
    }

    /// Forgets which keys the command removed, so that what it puts in their place counts as new.
    pub(crate) fn forget_removed(&mut self) {
        self.news.forget_removed();
    }

    /// A point to return to with [`Txn::roll_back`]. From the first one on, changes cost a little more.
    pub fn savepoint(&mut self) -> Savepoint {
        Savepoint {
            pending: self.pending.mark(),
            news: self.news.mark(),
            discarded: self.expired.mark(),
            ranks: self.ranks.get_mut().mark(),
            mapping: self.mapping,
        }
    }

    /// Gives up all savepoints: nothing so far will be undone alone. Otherwise a script that changes one large value again
    /// and again would hold each value that it ever had.
    pub fn keep(&mut self) {
        self.pending.keep();
        self.ranks.get_mut().keep_together();
    }

    /// About how much memory the changes take.
    #[must_use]
    pub const fn changed_bytes(&self) -> usize {
        self.pending.bytes()
    }

    /// Undoes everything since a savepoint.
    pub fn roll_back(&mut self, savepoint: &Savepoint) {
        self.pending.go_back(&savepoint.pending);
        self.reads.goes_back();
        self.news.go_back(&savepoint.news);
        self.expired.go_back(savepoint.discarded);
        self.ranks.get_mut().undo_to(savepoint.ranks);
        self.mapping = savepoint.mapping;
    }

    /// The number that the rows of the chosen database carry. It may differ from the number given to `SELECT`: see
    /// `databases`.
    #[must_use]
    pub fn db(&self) -> DbNumber {
        self.mapping.rows_of(self.db)
    }

    /// The number of the chosen database, as clients name it.
    #[must_use]
    pub const fn selected_db(&self) -> DbNumber {
        self.db
    }

    /// The value of a metadata row, and whether it is the one in the snapshot.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn get_metadata(&self, row: &[u8]) -> Result<(Option<Cow<'_, Bytes>>, bool)> {
        match self.pending.of(Space::Metadata).get(row) {
            Some(changed) => Ok((changed.as_ref().map(Cow::Borrowed), false)),
            None => Ok((self.read(Space::Metadata, row)?, true)),
        }
    }

    /// The time of the whole command, in milliseconds since 1970.
    #[must_use]
    pub const fn now_ms(&self) -> i64 {
        self.now_ms
    }

    /// A number that nobody ever got before. On one server, later ones are greater.
    ///
    /// # Errors
    /// [`Error::NotWritten`]: the store writes down which numbers are taken.
    pub fn new_number(&self) -> Result<u64> {
        self.store.unique().map_err(Error::NotWritten)
    }

    /// A version that no collection has ever had, for one that is created.
    ///
    /// # Errors
    /// Those of [`new_number`](Self::new_number).
    pub fn new_version(&self) -> Result<u64> {
        let version = self.new_number()?;
        self.reads.creates(version);
        Ok(version)
    }

    /// The value of a row.
    ///
    /// # Errors
    /// Those of the store.
    pub fn get(&self, space: Space, key: &[u8]) -> Result<Option<Bytes>> {
        match self.pending.of(space).get(key) {
            Some(changed) => Ok(changed.clone()),
            None => Ok(self.read(space, key)?.map(Cow::into_owned)),
        }
    }

    /// What the rows of a collection begin with. The last one is kept, because commands that run together often use
    /// the same collection.
    pub(crate) fn row_prefix(&self, key: &[u8], version: u64) -> RowPrefix {
        let make = || RowPrefix::new(self.db(), key, version);
        self.reads.prefix_of(version, make)
    }

    /// The value of a data row of a collection. The one that this transaction has created last has no rows in the
    /// snapshot, so nothing is read.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn get_element(&self, version: u64, row: &[u8]) -> Result<Option<Bytes>> {
        if self.reads.has_created(version) {
            return Ok(self.changed(Space::Data, row).cloned());
        }
        self.get(Space::Data, row)
    }

    /// As [`get`](Self::get), for a row that several commands that run together ask for in a row: the snapshot is
    /// read only the first time.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn get_again(&self, space: Space, key: &[u8]) -> Result<Option<Bytes>> {
        if let Some(changed) = self.pending.of(space).get(key) {
            return Ok(changed.clone());
        }
        self.reads.again(space, key, || self.read(space, key))
    }

    /// Members that pops have read ahead.
    pub(in crate::types) const fn ahead(&mut self) -> &mut Option<Ahead> {
        &mut self.reads.ahead
    }

    /// Whether any row of a space has been changed.
    pub(crate) const fn has_changed(&self, space: Space) -> bool {
        !self.pending.of(space).is_empty()
    }

    /// What this transaction has written to a row, if anything.
    pub(crate) fn changed(&self, space: Space, key: &[u8]) -> Option<&Bytes> {
        self.pending.of(space).get(key)?.as_ref()
    }

    /// The value of a row in the snapshot.
    fn read(&self, space: Space, key: &[u8]) -> Result<Option<Cow<'_, Bytes>>> {
        if self.pending.cleared().contains(space, key) {
            return Ok(None);
        }
        match self.reads.fetched(space, key) {
            Some(value) => Ok(value.as_ref().map(Cow::Borrowed)),
            None => {
                let value = self.snapshot.get(space, key)?;
                let bytes = value.as_ref().map_or(0, Bytes::len);
                self.pace.step(bytes);
                Ok(value.map(Cow::Owned))
            }
        }
    }

    /// Makes room for this many changes in a space, so that what holds them does not grow step by step.
    pub(crate) fn make_room(&mut self, space: Space, changes: usize) {
        self.pending.reserve(space, changes);
    }

    /// Stores a row.
    pub fn put(&mut self, space: Space, key: Vec<u8>, value: Bytes) {
        self.change(space, key, Some(value));
    }

    /// Removes a row.
    pub fn delete(&mut self, space: Space, key: Vec<u8>) {
        self.change(space, key, None);
    }

    /// Removes all rows of a range, which must have an end. For many rows: it costs as much as a few of them would.
    pub(crate) fn clear(&mut self, space: Space, range: KeyRange) {
        if range.is_empty() {
            return;
        }
        let changes = self.pending.of(space).range(&range);
        let written = changes.filter_map(|(key, value)| value.map(|_| key.to_vec()));
        for key in written.collect::<Vec<_>>() {
            self.delete(space, key);
        }
        self.reads.clears();
        self.pending.clear(space, range);
    }

    /// Notes a change. Returns its index among the changes of its space.
    fn change(&mut self, space: Space, key: Vec<u8>, value: Option<Bytes>) -> usize {
        if self.pending.of(space).is_empty() {
            self.pending
                .reserve(space, self.reads.changes_expected(space));
        }
        self.reads.changes(space, &key);
        if space == Space::Metadata && self.shared.is_observed() {
            let before = self.pending.of(space).get(&key);
            self.news.row_changes(&key, before, value.as_ref());
        }
        self.pace.step(value.as_ref().map_or(0, Bytes::len));
        self.pending.change(space, key, value)
    }

    /// The rows of a range, in order, including this transaction's own changes.
    ///
    /// # Errors
    /// Those of the store.
    pub fn scan<'a>(
        &'a self,
        space: Space,
        range: &KeyRange,
        direction: Direction,
    ) -> Result<Box<dyn Cursor + 'a>> {
        let cleared = self.pending.cleared();
        let rows = if cleared.is_empty() {
            self.snapshot.scan(space, range, direction)?
        } else {
            cleared.scan(&*self.snapshot, space, range, direction)?
        };
        let rows = Box::new(Paced::over(rows, &self.pace));
        let changes = self.pending.of(space);
        if changes.is_empty() || range.is_empty() {
            return Ok(rows);
        }
        Ok(Box::new(Merged::over(rows, changes, range, direction)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{BTreeStore, Batch};

    #[test]
    fn a_row_that_was_read_is_read_anew_under_a_lock() {
        let store = BTreeStore::new();
        let shared = Shared::default();
        let write = |value: &'static str| {
            let mut batch = Batch::default();
            batch.put(Space::Data, b"row".to_vec(), value.into());
            store.write(batch).unwrap();
        };
        write("1");
        let txn = Txn::begin(&store, &shared, 0, 0).unwrap();
        let mut txn = txn.under(None);
        let read = |txn: &Txn<'_>| txn.get_again(Space::Data, b"row").unwrap();
        assert_eq!(read(&txn), Some("1".into()));
        write("2");
        assert_eq!(read(&txn), Some("1".into()), "the snapshot is what it was");
        assert!(txn.lock_to_read(b"key").unwrap());
        assert_eq!(read(&txn), Some("2".into()));
        txn.put(Space::Data, b"row".to_vec(), "3".into());
        assert_eq!(read(&txn), Some("3".into()));
    }

    #[test]
    fn what_a_command_does_again_and_again_takes_memory_once_or_is_counted() {
        let store = BTreeStore::new();
        let shared = Shared::default();
        let mut txn = Txn::begin(&store, &shared, 0, 0).unwrap();
        for _ in 0..1000 {
            txn.touch(b"a");
            txn.touch(b"b");
        }
        assert_eq!(txn.news.touched.len(), 2);
        let before = txn.changed_bytes();
        shared.set_wanted(u32::MAX);
        for _ in 0..1000 {
            txn.event(Class::String, "set", b"key");
        }
        let counted = txn.changed_bytes() - before;
        assert!(counted >= 1000 * size_of::<Event>(), "{counted}");
    }

    #[test]
    fn going_back_leaves_what_was_there_before_the_savepoint() {
        let store = BTreeStore::new();
        let shared = Shared::default();
        shared.set_wanted(u32::MAX);
        let mut txn = Txn::begin(&store, &shared, 0, 0).unwrap();
        txn.put(Space::Data, b"a".to_vec(), "1".into());
        txn.delete(Space::Data, b"b".to_vec());
        let outer = txn.savepoint();
        txn.put(Space::Data, b"a".to_vec(), "2".into());
        let inner = txn.savepoint();
        txn.put(Space::Data, b"a".to_vec(), "3".into());
        txn.put(Space::Data, b"b".to_vec(), "3".into());
        txn.put(Space::Data, b"c".to_vec(), "3".into());
        txn.event(Class::String, "set", b"c");
        txn.touch(b"c");
        let value = |txn: &Txn<'_>, key: &[u8]| txn.get(Space::Data, key).unwrap();
        txn.roll_back(&inner);
        assert_eq!(value(&txn, b"a"), Some("2".into()));
        assert_eq!(value(&txn, b"b"), None);
        assert_eq!(value(&txn, b"c"), None);
        txn.roll_back(&outer);
        assert_eq!(value(&txn, b"a"), Some("1".into()));
        let committed = txn.commit().unwrap();
        assert!(committed.events.is_empty() && committed.touched.is_empty());
    }
}

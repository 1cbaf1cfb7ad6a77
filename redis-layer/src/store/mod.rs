//! The ordered store under the Redis model: the least that the layers above need.
//!
//! A store holds rows, byte key to byte value, in a few named [`Space`]s. It gives
//!
//! - **snapshots** ([`Snapshot`]): point reads and ordered scans, both ways, of one moment;
//! - **atomic batches** ([`Batch`]) over all spaces: all of it is seen, or nothing;
//! - **locks on keys** ([`Store::lock`]), so that a command can read, decide and write;
//! - **numbers that were never handed out before** ([`Store::unique`]).
//!
//! Nothing here assumes one process. That is why locks and unique numbers belong to the store and not to the layers
//! above: a store that several processes share grants leases and hands out numbers in its own way, and nothing above
//! it changes.
//!
//! ```text
//! engine_store       on the engine
//! btree              in memory, for tests and for teaching
//! locks, lock_queue  locks for a store that lives in one process
//! range, error       what the traits speak of
//! ```
//!
//! Invariants that every implementation keeps, and `tests/behaviour/store_conformance.rs` checks
//! 1. Keys sort by their bytes, a shorter key before its continuations.
//! 2. A snapshot never changes. It sees every batch whose `write` had returned before it was
//!    taken.
//! 3. In a batch the later entry for one key wins.
//! 4. If a batch survives a power cut, so does every batch whose `write` had returned before that of this one began.
//! 5. `unique` never answers the same number twice, not even after a crash, as long as a row that
//!    was written with the number has survived it.
//!
//! Left out: optimistic transactions that may fail with a conflict. A command knows its keys before it starts, so it locks
//! them; the snapshot that it takes afterwards is then current for those keys.

mod btree;
mod engine_store;
mod error;
mod lock_queue;
mod locks;
mod range;

use std::task::Waker;
use std::time::Duration;

use bytes::Bytes;

pub use btree::BTreeStore;
pub use engine_store::EngineStore;
pub use error::{Error, Result};
pub use lock_queue::Waiter;
pub use locks::StripedLocks;
pub use range::{KeyRange, next_key};

/// A named space: an ordered map of its own. The engine keeps each in a column family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    /// What the store and the server keep for their own use.
    System,
    /// One row for each Redis key: its type, its expiry, and the value of a string.
    Metadata,
    /// The elements of collections by name: a member and its score, a field and its value.
    Data,
    /// The elements of sorted sets by score.
    Score,
    /// The keys that expire, by time.
    Expiry,
}

impl Space {
    /// Every space, in the order of its number.
    pub const ALL: [Self; 5] = [
        Self::System,
        Self::Metadata,
        Self::Data,
        Self::Score,
        Self::Expiry,
    ];

    /// The name that a store keeps the space under.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Metadata => "metadata",
            Self::Data => "data",
            Self::Score => "score",
            Self::Expiry => "expiry",
        }
    }

    /// The position in [`Space::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// Which way a scan goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the least key upwards.
    Forward,
    /// From the greatest key downwards.
    Backward,
}

/// Changes that happen together. The later entry for one key wins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Batch {
    /// Indexed by [`Space::index`].
    changes: [Vec<Change>; Space::ALL.len()],
    cleared: Vec<(Space, KeyRange)>,
}

/// One entry of a [`Batch`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The key of the row.
    pub key: Vec<u8>,
    /// The new value, or `None` to remove the row.
    pub value: Option<Bytes>,
}

impl Batch {
    /// Stores `value` under `key`.
    pub fn put(&mut self, space: Space, key: Vec<u8>, value: Bytes) {
        let value = Some(value);
        self.changes[space.index()].push(Change { key, value });
    }

    /// Removes the row under `key`, if there is one.
    pub fn delete(&mut self, space: Space, key: Vec<u8>) {
        let value = None;
        self.changes[space.index()].push(Change { key, value });
    }

    /// Adds changes of one space. They are taken as they are if there are none of that space yet.
    pub fn append(&mut self, space: Space, mut changes: Vec<Change>) {
        let of_space = &mut self.changes[space.index()];
        if of_space.is_empty() {
            *of_space = changes;
        } else {
            of_space.append(&mut changes);
        }
    }

    /// Removes all rows of a range before any other change of the batch is applied.
    pub fn clear(&mut self, space: Space, range: KeyRange) {
        self.cleared.push((space, range));
    }

    /// The ranges that are emptied before the changes are applied.
    #[must_use]
    pub fn cleared(&self) -> &[(Space, KeyRange)] {
        &self.cleared
    }

    /// The entries, space by space, the oldest of each first.
    pub fn changes(&self) -> impl Iterator<Item = (Space, &Change)> {
        let spaces = Space::ALL.into_iter().zip(&self.changes);
        spaces.flat_map(|(space, changes)| changes.iter().map(move |change| (space, change)))
    }

    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.iter().all(Vec::is_empty) && self.cleared.is_empty()
    }
}

/// What [`Store::lock`] holds against other writers.
#[derive(Debug, Clone, Copy)]
pub enum Scope<'k> {
    /// These keys, in any order, repeated or not.
    Keys(&'k [&'k [u8]]),
    /// Every key there is.
    Everything,
}

/// Holds locks until it is dropped.
pub trait Guard {}

/// An ordered store.
///
/// All methods may be called from any thread. A thread that holds locks must not
/// ask for more, or it may wait for itself: take all locks of a command in one call.
pub trait Store: Send + Sync {
    /// The rows as they are now.
    ///
    /// # Errors
    /// Those of the medium.
    fn snapshot(&self) -> Result<Box<dyn Snapshot>>;

    /// Applies the whole batch at once. It may still be lost by a power cut until [`Store::sync`].
    ///
    /// # Errors
    /// Those of the medium. Then nothing of the batch is seen.
    fn write(&self, batch: Batch) -> Result<()>;

    /// Keeps other callers of `lock` off these keys until the guard is dropped. Readers need no
    /// lock. Waits as long as it takes; it cannot deadlock, because nobody waits for a lock while
    /// holding others.
    ///
    /// # Errors
    /// A shared store may fail to reach the others.
    fn lock<'a>(&'a self, scope: Scope<'_>) -> Result<Box<dyn Guard + 'a>>;

    /// The locks that [`Store::lock`] takes, if they are of this process. The next four methods then work without more.
    fn stripes(&self) -> Option<&StripedLocks> {
        None
    }

    /// As [`Store::lock`], but answers `None` if it would have to wait. A store that cannot tell waits.
    ///
    /// # Errors
    /// As [`Store::lock`].
    fn try_lock<'a>(&'a self, scope: Scope<'_>) -> Result<Option<Box<dyn Guard + 'a>>> {
        match self.stripes() {
            Some(stripes) => Ok(stripes.try_lock(scope)),
            None => self.lock(scope).map(Some),
        }
    }

    /// As [`Store::lock`], but gives up after about `timeout`, and then holds nothing. A store that cannot give up
    /// waits.
    ///
    /// # Errors
    /// As [`Store::lock`].
    fn lock_for<'a>(
        &'a self,
        scope: Scope<'_>,
        timeout: Duration,
    ) -> Result<Option<Box<dyn Guard + 'a>>> {
        match self.stripes() {
            Some(stripes) => Ok(stripes.lock_for(scope, timeout)),
            None => self.lock(scope).map(Some),
        }
    }

    /// As [`Store::lock`], but gives up, and then holds nothing, when `patience` says so. It is asked before each wait, and
    /// answers how long to wait until it is asked again. A store that cannot give up waits.
    ///
    /// # Errors
    /// As [`Store::lock`].
    fn lock_while<'a>(
        &'a self,
        scope: Scope<'_>,
        patience: &mut dyn FnMut() -> Option<Duration>,
    ) -> Result<Option<Box<dyn Guard + 'a>>> {
        match self.stripes() {
            Some(stripes) => Ok(stripes.lock_while(scope, patience)),
            None => self.lock(scope).map(Some),
        }
    }

    /// As [`Store::try_lock`], for a task that waits without blocking a thread. If somebody else holds one of the
    /// locks, the task joins a queue, and `waker` is called when it is worth trying again, with the same `waiter`. A
    /// task that was woken but does not want the locks any more drops the waiter or [leaves](Waiter::leave) the queue,
    /// so that the next task is woken. A store that cannot wake tasks waits itself. If the waiter
    /// [is not in a queue](Waiter::is_queued) after a refusal, nobody will wake the task.
    ///
    /// # Errors
    /// As [`Store::lock`].
    fn lock_or_queue<'a>(
        &'a self,
        scope: Scope<'_>,
        waker: &Waker,
        waiter: &mut Waiter,
    ) -> Result<Option<Box<dyn Guard + 'a>>> {
        match self.stripes() {
            Some(stripes) => Ok(stripes.lock_or_queue(scope, waker, waiter)),
            None => self.lock(scope).map(Some),
        }
    }

    /// A number greater than zero that no caller ever got before.
    ///
    /// # Errors
    /// Those of the medium.
    fn unique(&self) -> Result<u64>;

    /// Returns when every batch written before the call would survive a power cut.
    ///
    /// # Errors
    /// Those of the medium. The caller must not acknowledge its writes.
    fn sync(&self) -> Result<()>;

    /// Makes a copy of the store as it is now, which can be taken away as a backup. It replaces the previous copy, also
    /// one of an earlier run. A store without files has nothing to copy.
    ///
    /// # Errors
    /// Those of the medium. Then the previous copy is still there.
    fn checkpoint(&self) -> Result<()> {
        self.sync()
    }

    /// Frees the space of rows that were removed from a range, which a store otherwise does when it has time. It may
    /// take long; reads and writes go on meanwhile.
    ///
    /// # Errors
    /// Those of the medium.
    fn reclaim(&self, space: Space, range: &KeyRange) -> Result<()> {
        let _ = (space, range);
        Ok(())
    }

    /// Gives back memory that only makes reads quicker. It is called when hardly anybody asks anything, on a thread that
    /// serves nobody; reads and writes go on meanwhile.
    fn rest(&self) {}

    /// Syncs and releases what the store holds. Later calls may fail.
    ///
    /// # Errors
    /// Those of the medium.
    fn close(&self) -> Result<()> {
        self.sync()
    }
}

/// The rows of one moment.
pub trait Snapshot {
    /// The value under `key`.
    ///
    /// # Errors
    /// Those of the medium.
    fn get(&self, space: Space, key: &[u8]) -> Result<Option<Bytes>>;

    /// The values under several keys, in the order of the keys. A store may find them faster together than one by
    /// one.
    ///
    /// # Errors
    /// Those of the medium.
    fn get_many(&self, space: Space, keys: &[Vec<u8>]) -> Result<Vec<Option<Bytes>>> {
        keys.iter().map(|key| self.get(space, key)).collect()
    }

    /// The rows of `range` in the order of `direction`. The cursor starts at the first of them.
    ///
    /// # Errors
    /// Those of the medium.
    fn scan<'a>(
        &'a self,
        space: Space,
        range: &KeyRange,
        direction: Direction,
    ) -> Result<Box<dyn Cursor + 'a>>;
}

/// A position in a scan.
pub trait Cursor {
    /// The row at the cursor, or `None` after the last one.
    fn row(&self) -> Option<(&[u8], &[u8])>;

    /// Moves to the next row in the direction of the scan. After the last row it does nothing.
    ///
    /// # Errors
    /// Those of the medium. The cursor is then after the last row.
    fn advance(&mut self) -> Result<()>;

    /// Passes the row at the cursor and those after it to `visit`, until that returns `false` or there are no more.
    /// The cursor is then at the last row that was passed, or after the last one of the range. A store may do that
    /// faster than row by row.
    ///
    /// # Errors
    /// As [`Cursor::advance`].
    fn visit(&mut self, visit: &mut dyn FnMut(&[u8], &[u8]) -> bool) -> Result<()> {
        visit_row_by_row(self, visit)
    }
}

/// What [`Cursor::visit`] does unless a store has a faster way.
fn visit_row_by_row(
    cursor: &mut (impl Cursor + ?Sized),
    visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
) -> Result<()> {
    while let Some((key, value)) = cursor.row() {
        if !visit(key, value) {
            break;
        }
        cursor.advance()?;
    }
    Ok(())
}

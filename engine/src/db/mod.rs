//! The database: open, write, read, flush, compact, close.
//!
//! ```text
//! Db, Family, Snapshot      handles for users; options: what they choose; value, multi_get: what they read
//!   handle                  keeps it open, owns the threads
//!     core                  what all share, and in which order its locks are taken
//!       open, read_only     from the files to a core; directory: what may be opened
//!       stored, recovery    what the manifest and the logs say; recovery_order: sorts a log's entries
//!       family_set          families come and go
//!       commit, writer      a write: queue, group, log; memtable_set: into the memtables
//!       checkpoint          a copy made of links
//!       flush, compact      the work behind the scenes, one piece at a time; jobs: what they share
//!       read_compaction     when there is work for the sake of readers
//!       events, statistics  what is told, what is counted
//!       signals             who waits for whom
//!
//! overview, verify, repair  what is done to the files of a database that nobody opens; survey: what they begin with
//! ```
//!
//! A write is in the log before it is in a memtable, and in a memtable before anyone sees it. A full
//! memtable becomes a table of level 0, and compactions move tables down. What is in force at a moment is in
//! the manifest; readers hold on to what they began with.

mod checkpoint;
mod commit;
mod compact;
mod core;
mod directory;
mod events;
mod family;
mod family_set;
mod flush;
mod handle;
mod jobs;
mod memtable_set;
mod multi_get;
mod open;
mod options;
mod overview;
mod read_compaction;
mod read_only;
mod recovery;
mod recovery_order;
mod repair;
mod signals;
mod snapshot;
mod statistics;
mod stored;
mod survey;
mod value;
mod verify;
mod visible;
mod writer;

use std::ops::RangeBounds;
use std::path::Path;
use std::sync::Arc;

use self::core::Core;
use self::family::{FamilyCore, bounds_of};
use self::handle::Handle;
use self::signals::{Piece, Work};
use crate::batch::WriteBatch;
use crate::error::{Error, Result};
use crate::vfs::Vfs;

pub use self::events::{
    EntryCounts, Event, EventListener, MemtableInfo, Outcome, Stall, TableInfo,
};
pub use self::family::Family;
pub use self::family_set::ListedFamily;
pub use self::options::{Background, FamilyOptions, Options, TableReads, Unlisted, WriteOptions};
pub use self::overview::{FamilyOverview, Overview, TableOverview, overview};
pub use self::repair::{RepairReport, repair};
pub use self::snapshot::Snapshot;
pub use self::statistics::{
    FamilyStatistics, LevelStatistics, StallStatistics, Statistics, WriteStatistics,
};
pub use self::survey::{Finding, Severity};
pub use self::value::Value;
pub use self::verify::{VerifyReport, verify};
pub use crate::compaction::{CompactionFilter, Decision, Dropped, Reason, Strategy};
pub use crate::iter::{Cursor, Range};
pub use crate::log::RecoveryMode;
pub use crate::sstable::Compression;

/// The family that is always there.
pub const DEFAULT_FAMILY: &str = "default";

/// An open database. A clone is another handle on the same one; all are usable from any thread.
///
/// It closes when the last handle goes, those within [`Family`] and [`Snapshot`] included.
#[derive(Debug, Clone)]
pub struct Db {
    handle: Arc<Handle>,
    default: Arc<FamilyCore>,
}

impl Db {
    /// Opens the database in `dir`, or creates one there.
    ///
    /// # Errors
    /// Nothing is changed by any of these: `Locked` if it is open elsewhere; `NotADatabase` if the directory is
    /// somebody else's; `ComparatorMismatch` if a family was created under another order;
    /// `UnsupportedVersion` if a later release wrote it; `Corruption` if it is damaged;
    /// `InvalidArgument` if the options contradict themselves or what is there; `Io`.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "options are made for one opening"
    )]
    pub fn open(dir: impl AsRef<Path>, options: Options) -> Result<Self> {
        open::open(dir.as_ref(), &options)
    }

    /// Opens the database in `dir` for reading only. Not a byte in the directory changes: not by the opening, nor by what is read, nor
    /// by the close. So it may lie on a medium that cannot be written.
    ///
    /// All that reads works as ever: gets, cursors, snapshots, statistics. What would write fails with `ReadOnly`:
    /// writes, flushes, compactions, checkpoints, the creation of a family. No threads are started. See `docs/read-only.md`.
    ///
    /// Any number of readers may have it open, and no writer meanwhile: they share a lock. Where there is no lock file, none is made, and nobody
    /// is kept out.
    ///
    /// Cost: what the logs hold is in memory until the database is closed, since nothing flushes it, and each opening replays it again. After a
    /// close in order that is little; after a kill, what the writer had in memory.
    ///
    /// ```
    /// # fn main() -> engine::Result<()> {
    /// # let vfs = std::sync::Arc::new(engine::vfs::MemoryVfs::new());
    /// # let options = engine::Options { vfs, ..engine::Options::default() };
    /// # let again = options.clone();
    /// let db = engine::Db::open("db", options)?;
    /// db.put("price", "40")?;
    /// db.close()?;
    /// let db = engine::Db::open_read_only("db", again)?;
    /// assert_eq!(db.get("price")?.as_deref(), Some(&b"40"[..]));
    /// let error = db.put("price", "35").unwrap_err();
    /// assert!(matches!(error, engine::Error::ReadOnly { .. }));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of [`open`](Self::open); `Locked` if somebody has it open for writing, `NotADatabase` also if there is nothing, whatever
    /// `create_if_missing` says; `InvalidArgument` also if the options name a family that is not there.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "options are made for one opening"
    )]
    pub fn open_read_only(dir: impl AsRef<Path>, options: Options) -> Result<Self> {
        read_only::open(dir.as_ref(), &options)
    }

    /// The families of the database in `dir`, in the order of their creation, without opening it.
    ///
    /// Nothing is locked, created or changed, and another process may have the database open: the list is then
    /// one that was true during the call.
    ///
    /// # Errors
    /// `Io`, which [`is_not_found`](Error::is_not_found) if there is no database; `NotADatabase`, `Corruption` or
    /// `UnsupportedVersion` if the manifest is not one that this release reads.
    pub fn list_families(dir: impl AsRef<Path>, vfs: &dyn Vfs) -> Result<Vec<ListedFamily>> {
        family_set::list_families(dir.as_ref(), vfs)
    }

    fn from_core(core: Arc<Core>) -> Result<Self> {
        let families = core.families.load_full();
        let default = families.iter().find(|family| family.name == DEFAULT_FAMILY);
        let default = Arc::clone(default.expect("opening creates the default family"));
        Ok(Self {
            handle: Handle::new(core)?,
            default,
        })
    }

    fn of_core(&self, core: &Arc<FamilyCore>) -> Family {
        Family {
            handle: Arc::clone(&self.handle),
            core: Arc::clone(core),
        }
    }

    /// An open family.
    ///
    /// # Errors
    /// `InvalidArgument`, which lists the families that there are, if there is none of this name.
    pub fn family(&self, name: &str) -> Result<Family> {
        let families = self.handle.core.families.load();
        match families.iter().find(|family| family.name == name) {
            Some(core) => Ok(self.of_core(core)),
            None => Err(Error::invalid(format!(
                "there is no column family {name:?}; there are {:?}",
                self.families()
            ))),
        }
    }

    /// The family `default`.
    #[must_use]
    pub fn default_family(&self) -> Family {
        self.of_core(&self.default)
    }

    /// The names of the open families, in the order of their creation.
    #[must_use]
    pub fn families(&self) -> Vec<String> {
        self.handle
            .core
            .families
            .load()
            .iter()
            .map(|family| family.name.clone())
            .collect()
    }

    /// Creates a family. It is durable on return.
    ///
    /// # Errors
    /// `InvalidArgument` if there is one of this name; otherwise as for [`write`](Self::write).
    pub fn create_family(&self, name: &str, options: FamilyOptions) -> Result<Family> {
        Ok(self.of_core(&self.handle.core.create_family(name, options)?))
    }

    /// Drops a family. It is gone for good on return; its files go when the last cursor on it does.
    ///
    /// # Errors
    /// `InvalidArgument` if there is none of this name, or it is `default`; otherwise as for [`write`](Self::write).
    pub fn drop_family(&self, name: &str) -> Result<()> {
        self.handle.core.drop_family(name)
    }

    /// Sets `key` to `value` in the family `default`.
    ///
    /// # Errors
    /// As for [`write`](Self::write).
    pub fn put(&self, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Result<()> {
        self.handle
            .core
            .put(self.default.id, key.as_ref(), value.as_ref())
    }

    /// Removes `key` from the family `default`.
    ///
    /// # Errors
    /// As for [`write`](Self::write).
    pub fn delete(&self, key: impl AsRef<[u8]>) -> Result<()> {
        self.handle.core.delete(self.default.id, key.as_ref())
    }

    /// Removes all keys of a range from the family `default`. See [`Family::delete_range`].
    ///
    /// # Errors
    /// As for [`Family::delete_range`].
    pub fn delete_range<K: AsRef<[u8]>>(&self, range: std::ops::Range<K>) -> Result<()> {
        let (start, end) = (range.start.as_ref(), range.end.as_ref());
        self.handle.core.delete_range(self.default.id, start, end)
    }

    /// The value of `key` in the family `default`. See [`Family::get`].
    ///
    /// # Errors
    /// `Io` or `Corruption` from a table.
    pub fn get(&self, key: impl AsRef<[u8]>) -> Result<Option<Value>> {
        let view = self.default.view.load();
        let sequence = self.handle.core.visible_sequence();
        self.default.get(&view, key.as_ref(), sequence)
    }

    /// Makes all changes of a batch, or none: for readers at once, and after a crash too.
    ///
    /// With `sync`, it and every earlier write survive a power cut from the moment of return. Without, they
    /// survive the end of the process, and a power cut may take the last of them, in order.
    ///
    /// # Errors
    /// `InvalidArgument` if the batch is too large, names a family that is not open or deletes a range that ends before it
    /// begins: nothing was written. `Io` if
    /// log or manifest cannot be written: whether the batch is there after reopening is then unknown, and
    /// every later write fails with `Poisoned`. `Io` also if level 0 or the memtables are full and
    /// cannot be relieved, as on a full disk: nothing was written then, and a later write may succeed.
    ///
    /// ```
    /// # use engine::{Db, Error, Result, WriteBatch, WriteOptions};
    /// fn write(db: &Db, batch: &WriteBatch) -> Result<()> {
    ///     match db.write(batch.clone(), WriteOptions { sync: true }) {
    ///         // Nothing was written. Free some space, or wait for it, then try again.
    ///         Err(error) if error.is_out_of_space() => Err(error),
    ///         // It reads on. Close it and open it again: that finds out what the log holds.
    ///         Err(error @ Error::Poisoned { .. }) => Err(error),
    ///         other => other,
    ///     }
    /// }
    /// ```
    pub fn write(&self, batch: WriteBatch, options: WriteOptions) -> Result<()> {
        self.handle.core.write(batch, options)
    }

    /// Makes every write that has returned survive a power cut. Others read and write meanwhile, unlike during a write
    /// with `sync`: for who answers many writers after one sync.
    ///
    /// Cost: a flush of the device.
    ///
    /// # Errors
    /// `Io` if the log cannot be synced; every later write fails with `Poisoned`, and so does this.
    pub fn sync(&self) -> Result<()> {
        let core = &self.handle.core;
        core.check_writable()?;
        let synced = core.sync_logs();
        core.deliver_events();
        synced
    }

    /// Holds the present moment for reading.
    ///
    /// ```
    /// # fn main() -> engine::Result<()> {
    /// # let vfs = std::sync::Arc::new(engine::vfs::MemoryVfs::new());
    /// # let options = engine::Options { vfs, ..engine::Options::default() };
    /// let db = engine::Db::open("db", options)?;
    /// db.put("price", "40")?;
    /// let before = db.snapshot();
    /// db.put("price", "35")?;
    /// let items = db.default_family();
    /// assert_eq!(before.get(&items, "price")?.as_deref(), Some(&b"40"[..]));
    /// assert_eq!(db.get("price")?.as_deref(), Some(&b"35"[..]));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::take(Arc::clone(&self.handle))
    }

    /// Writes what is in memory to tables, and waits until they are in force.
    ///
    /// # Errors
    /// `Io`; after a failed table nothing is lost, and another try may succeed.
    pub fn flush(&self) -> Result<()> {
        let core = &self.handle.core;
        let last = {
            let mut writer = core.writer.lock();
            core.check_writable()?;
            if !writer.memtables.is_empty() {
                core.rotate(&mut writer)?;
            }
            writer.log_number()
        };
        let flushed = || {
            core.frozen
                .lock()
                .front()
                .is_none_or(|set| set.log_number >= last)
        };
        if core.background == Background::Manual {
            while !flushed() {
                core.flush_oldest()?;
            }
            return Ok(());
        }
        core.signals.request(Work::Flush);
        core.signals.wait_until(
            |piece| piece == Piece::Flush,
            || flushed() || core.poison.get().is_some(),
        )?;
        core.check_writable()
    }

    /// Flushes, then rewrites each family into one sorted level: without snapshots, what is left is the
    /// live rows and nothing else, and every row has been shown to its compaction filter.
    ///
    /// Tables that are such a level already, in a family without a filter, stay as they are, or go down as they are. So
    /// it does not bring other options, such as compression, to tables that were written before.
    ///
    /// Meanwhile it needs as much space again as the largest family takes, and no other compaction runs.
    ///
    /// # Errors
    /// As for [`flush`](Self::flush), and `Corruption` from a table. The other families have been rewritten all the same.
    pub fn compact(&self) -> Result<()> {
        self.flush()?;
        let families = self.handle.core.families.load_full();
        let compacted = families
            .iter()
            .map(|family| self.handle.core.compact_everything(family));
        compacted.fold(Ok(()), Result::and)
    }

    /// Flushes, then rewrites the tables that may hold a key of `range`, and those that they overlap below, into one
    /// sorted level: without snapshots, every live row of the range has been shown to the compaction filter, and what was
    /// overwritten or deleted takes no space.
    ///
    /// Meanwhile it needs as much space again as those tables take, and no other compaction runs. Closing the
    /// database, or dropping the family, ends it early; nothing has changed then.
    ///
    /// # Errors
    /// As for [`compact`](Self::compact), and `InvalidArgument` if the family is of another database or was dropped,
    /// or the database was closed.
    pub fn compact_range<K: AsRef<[u8]>>(
        &self,
        family: &Family,
        range: impl RangeBounds<K>,
    ) -> Result<()> {
        family.check_is_of(&self.handle)?;
        let range = bounds_of(&range);
        self.flush()?;
        self.handle.core.compact_range(&family.core, &range)
    }

    /// What the database has done since it was opened, and what it holds.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.handle.core.statistics()
    }

    /// With [`Background::Manual`]: does one piece of the work that waits, a flush before a
    /// compaction; `false` if there is none.
    ///
    /// # Errors
    /// As for [`flush`](Self::flush).
    pub fn step(&self) -> Result<bool> {
        let core = &self.handle.core;
        core.check_writable()?;
        Ok(core.flush_oldest()? || core.compact_next()?)
    }

    /// Ends background work, makes every write durable and unlocks the directory. Later writes fail; readers go on.
    ///
    /// Cost: what is in memory is written to tables, as [`flush`](Self::flush) does, so that the next opening need not
    /// replay it; if it is little, its log is synced.
    ///
    /// Closing again, at the same time or later, changes nothing: it returns when the first has ended, with its outcome.
    /// Only within a compaction filter it does not wait.
    ///
    /// # Errors
    /// `Io` or `Poisoned` if the last writes could not be made durable.
    pub fn close(&self) -> Result<()> {
        self.handle.close()
    }
}

//! The database: open, write, read, flush, compact, close.
//!
//! ```text
//! Db, family, snapshot         handles for users; options: what users choose; value, multi_get: what they read
//!   handle                     keeps the database open, owns its threads
//!     core                     what all handles and threads share, and the order of its locks
//!       visible                the last write that readers see
//!       open, read_only        from the files to a core; directory: what may be opened
//!       stored, recovery       what the manifest and the logs say; recovery_order: sorts a log's entries
//!       family_set             creates and drops families
//!       commit, writer         a write: queue, group, log; memtable_set: into the memtables
//!       checkpoint             a copy made of hard links
//!       flush, compact         background work, one piece at a time; jobs: what both share
//!       read_compaction        when a compaction is due because of reads
//!       leftovers              when one is, because snapshots are gone
//!       events, statistics     what is reported, what is counted
//!       signals                how threads wait for each other
//!
//! overview, verify, repair     work on the files of a database that is not open; survey: what they share
//!                              version_order: whether upper tables hold the newer versions of a key
//!                              reopening_vfs: tables without descriptors and mappings
//! ```
//!
//! A write is in the log before it is in a memtable, and in a memtable before any reader sees it. A
//! full memtable becomes a table of level 0, and compactions move tables down. The manifest says
//! which tables are in force; readers keep those that they began with.

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
mod leftovers;
mod memtable_set;
mod multi_get;
mod open;
mod options;
mod overview;
mod read_compaction;
mod read_only;
mod recovery;
mod recovery_order;
mod reopening_vfs;
mod repair;
mod signals;
mod snapshot;
mod statistics;
mod stored;
mod survey;
mod value;
mod verify;
mod version_order;
mod visible;
mod writer;

use std::ops::RangeBounds;
use std::path::Path;
use std::sync::Arc;

use self::core::Core;
use self::family::{FamilyCore, bounds_of};
use self::handle::Handle;
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
pub use self::recovery::TornLog;
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

/// The family that every database has.
pub const DEFAULT_FAMILY: &str = "default";

/// How many families a message lists. With thousands of them, all would be a page.
const FAMILIES_LISTED_MAX: usize = 20;

/// An open database. A clone is another handle on the same one; all are usable from any thread.
///
/// The database closes when the last handle is dropped, including those within [`Family`] and [`Snapshot`].
#[derive(Debug, Clone)]
pub struct Db {
    handle: Arc<Handle>,
    default: Arc<FamilyCore>,
}

impl Db {
    /// Opens the database in `dir`, or creates one there.
    ///
    /// # Errors
    /// None of these changes anything: `Locked` if it is open elsewhere; `NotADatabase` if the
    /// directory holds something else; `ComparatorMismatch` if a family was created under another
    /// order; `UnsupportedVersion` if a later release wrote it; `Corruption` if it is damaged;
    /// `InvalidArgument` if the options contradict themselves or the database; `Io`.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "options are made for one opening"
    )]
    pub fn open(dir: impl AsRef<Path>, options: Options) -> Result<Self> {
        open::open(dir.as_ref(), &options)
    }

    /// Opens the database in `dir` for reading only. Opening, reading and closing change no byte in
    /// the directory, so it may be on a medium that cannot be written.
    ///
    /// Everything that reads works as usual: gets, cursors, snapshots, statistics. Everything that
    /// writes fails with `ReadOnly`: writes, flushes, compactions, checkpoints, the creation of a
    /// family. No threads are started. See `docs/read-only.md`.
    ///
    /// Any number of readers may have the database open at once, but no writer, because they share
    /// a lock. If there is no lock file, none is made, and writers are not kept out.
    ///
    /// Cost: the contents of the logs stay in memory until the database is closed, since nothing
    /// flushes them, and each opening replays them again. After a proper close that is little;
    /// after a kill, it is what the writer had in memory.
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
    /// Those of [`open`](Self::open); `Locked` if it is open for writing elsewhere; `NotADatabase`
    /// also if there is no database, whatever `create_if_missing` says; `InvalidArgument` also if
    /// the options name a family that does not exist.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "options are made for one opening"
    )]
    pub fn open_read_only(dir: impl AsRef<Path>, options: Options) -> Result<Self> {
        read_only::open(dir.as_ref(), &options)
    }

    /// The families of the database in `dir`, in the order of their creation, without opening it.
    ///
    /// Nothing is locked, created or changed, and another process may have the database open. The
    /// list is then one that was correct at some moment during the call.
    ///
    /// # Errors
    /// `Io`, which [`is_not_found`](Error::is_not_found) if there is no database; `NotADatabase`,
    /// `Corruption` or `UnsupportedVersion` if this release cannot read the manifest.
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
    /// `InvalidArgument` if there is none of this name; the message lists some of those that exist.
    pub fn family(&self, name: &str) -> Result<Family> {
        let families = self.handle.core.families.load();
        match families.iter().find(|family| family.name == name) {
            Some(core) => Ok(self.of_core(core)),
            None => Err(self.no_family(name)),
        }
    }

    fn no_family(&self, name: &str) -> Error {
        let names = self.families();
        let (listed, rest) = names.split_at(names.len().min(FAMILIES_LISTED_MAX));
        let more = match rest.len() {
            0 => String::new(),
            more => format!(" and {more} more: see Db::families"),
        };
        Error::invalid(format!(
            "there is no column family {name:?}; there are {listed:?}{more}"
        ))
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

    /// Creates a family. On return it is durable.
    ///
    /// # Errors
    /// `InvalidArgument` if a family of this name exists, if the name is empty or longer than 255 bytes, or if an option is
    /// out of its limits; otherwise as for [`write`](Self::write).
    pub fn create_family(&self, name: &str, options: FamilyOptions) -> Result<Family> {
        Ok(self.of_core(&self.handle.core.create_family(name, options)?))
    }

    /// Drops a family. On return it is gone for good; its files are removed when the last handle and
    /// the last cursor on it are dropped, or at the next opening.
    ///
    /// # Errors
    /// `InvalidArgument` if there is none of this name or it is `default`; otherwise as for
    /// [`write`](Self::write).
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

    /// Makes all changes of a batch or none, both for readers and after a crash.
    ///
    /// With `sync`, this write and every earlier one survive a power cut once it returns. Without,
    /// they survive the end of the process, but a power cut may lose the last of them, in order.
    ///
    /// It does not check that what the program read before is still so. To read, change and write one row from
    /// several threads, hold a lock of your own over all three, for example one for each range of keys.
    ///
    /// # Errors
    /// Nothing was written with these: `InvalidArgument` if the batch is too large, names a family that is not open or
    /// deletes a range that ends before it begins, if the database was closed, or if an event listener or a compaction
    /// filter calls this; `ReadOnly` if the database was opened for reading only; `Io` or `Corruption` if level 0 or the
    /// memtables are full and no room can be made, as on a full disk or where a table is damaged. After the last two, a
    /// later write may succeed.
    ///
    /// `Io` if log or manifest cannot be written: it is then unknown whether the batch is there after reopening, and
    /// every later write fails with `Poisoned`. So does one that was under way, and of that it is unknown too.
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

    /// Makes every write that has returned survive a power cut. Unlike during a write with `sync`, others
    /// read and write meanwhile. It is meant for programs that acknowledge many writes after one sync.
    ///
    /// Cost: a flush of the device's cache.
    ///
    /// # Errors
    /// `Io` if the log cannot be synced; after that every later write fails with `Poisoned`, and so does this. As for
    /// [`write`](Self::write) where no batch would be taken.
    pub fn sync(&self) -> Result<()> {
        let core = &self.handle.core;
        core.check_writable()?;
        let synced = core.sync_logs();
        core.deliver_events();
        synced
    }

    /// Keeps the current state readable while writes continue.
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

    /// Writes what is in memory to tables, and waits until the tables are part of the database.
    ///
    /// # Errors
    /// `Io`; if a table could not be written, nothing is lost. If an earlier try failed and was not yet repeated,
    /// this returns its error at once and requests another try, so a later call may succeed. `Memory` if the rows are out
    /// of order, as under a comparator that contradicts itself. As for [`write`](Self::write) where no batch would be taken.
    pub fn flush(&self) -> Result<()> {
        let core = &self.handle.core;
        let last = {
            let mut writer = core.take_lead()?;
            if !writer.memtables.is_empty() {
                core.rotate(&mut writer)?;
            }
            writer.log_number()
        };
        core.flush_before(last)
    }

    /// Flushes, then rewrites each family into one sorted level. Without snapshots, only the live
    /// rows are left, and each of them has been shown to its family's compaction filter.
    ///
    /// Tables that already form such a level, in a family without a filter, are not rewritten, at most moved
    /// down. So this does not apply changed options, such as compression, to tables that were written before.
    ///
    /// It temporarily needs as much space again as the largest family takes, and no other
    /// compaction runs meanwhile.
    ///
    /// # Errors
    /// As for [`flush`](Self::flush), and `Corruption` from a table. The other families are
    /// rewritten nevertheless.
    pub fn compact(&self) -> Result<()> {
        self.flush()?;
        let families = self.handle.core.families.load_full();
        let compacted = families
            .iter()
            .map(|family| self.handle.core.compact_everything(family));
        compacted.fold(Ok(()), Result::and)
    }

    /// Flushes, then rewrites the tables that may hold a key of `range`, and those that they
    /// overlap below, into one sorted level. Without snapshots, every live row of the range has
    /// been shown to the compaction filter, and overwritten or deleted rows take no space.
    ///
    /// It temporarily needs as much space again as those tables take, and no other compaction runs
    /// meanwhile. Closing the database or dropping the family ends it early; then nothing has changed.
    ///
    /// ```
    /// # fn main() -> engine::Result<()> {
    /// # let vfs = std::sync::Arc::new(engine::vfs::MemoryVfs::new());
    /// # let options = engine::Options { vfs, ..engine::Options::default() };
    /// let db = engine::Db::open("db", options)?;
    /// let family = db.default_family();
    /// db.compact_range(&family, "a".."b")?;
    /// // One family as a whole. A range without ends does not say of which type its keys would be.
    /// db.compact_range::<&[u8]>(&family, ..)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As for [`compact`](Self::compact), and `InvalidArgument` if the family belongs to another
    /// database or was dropped, or the database was closed.
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

    /// The logs that had lost their end when this database was opened, the oldest first. A power cut leaves such a log,
    /// and then what is lost never was durable. Where the power did not fail, the file was cut or damaged, and what is
    /// lost may have been durable: a program should tell its users.
    #[must_use]
    pub fn torn_logs(&self) -> &[TornLog] {
        &self.handle.core.torn_logs
    }

    /// What the database has done since it was opened, and what it holds.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.handle.core.statistics()
    }

    /// Takes the pages of mapped tables out of this process's memory. The system keeps the files in its own as long as
    /// nothing else needs it, and later reads map their pages again. It is for a program that nobody asks anything
    /// at the moment; otherwise what has been read once stays in its memory until the system is short of it.
    ///
    /// Cost: a call of the system for each open table, about a microsecond, and 0.3 more for each page that is mapped.
    /// Reads on other threads go on meanwhile.
    pub fn leave_tables_to_system(&self) {
        for family in self.handle.core.families.load().iter() {
            for (_, table) in family.view.load().version.tables() {
                table.leave_to_system();
            }
        }
    }

    /// With [`Background::Manual`]: does one piece of pending work, a flush before a compaction.
    /// Returns `false` if there is none.
    ///
    /// # Errors
    /// As for [`flush`](Self::flush).
    pub fn step(&self) -> Result<bool> {
        let core = &self.handle.core;
        core.check_writable()?;
        Ok(core.flush_oldest()? || core.compact_next()?)
    }

    /// Ends background work, makes every write durable and unlocks the directory. Later writes
    /// fail; reads continue to work.
    ///
    /// Cost: what is in memory is written to tables, as by [`flush`](Self::flush), so that the next
    /// opening need not replay it; if it is little, its log is synced instead.
    ///
    /// Closing again, at the same time or later, changes nothing: it returns when the first call
    /// has ended, with the same result. Only within a compaction filter it does not wait.
    ///
    /// # Errors
    /// `Io` or `Poisoned` if the last writes could not be made durable. `InvalidArgument` if the event listener calls it.
    pub fn close(&self) -> Result<()> {
        self.handle.core.check_caller()?;
        self.handle.close()
    }
}

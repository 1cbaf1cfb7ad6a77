//! A store on the engine: each space is a column family of one database.
//!
//! One batch of the engine is atomic across families, so a batch here is one batch there. Writes
//! are not synced; [`Store::sync`] makes everything before it durable, because all families share
//! one log.
//!
//! Numbers for [`Store::unique`] are reserved in blocks: a row in the system space holds the end of the block that is
//! in use. The row is written before the first number of the block is handed out, so in the log it precedes every row
//! that uses the number. If such a row survives a power cut, so does the reservation.
//!
//! A checkpoint is a directory beside the data, `<dir>.save-` and a number. When a new one is complete, the others are
//! removed, whichever run made them, except those that somebody has open, or that hold anything but the engine's files.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use engine::keys::{decode_u64, encode_u64};
use engine::version::FileName;
use engine::version::file_name::LOCK;
use engine::vfs::{Vfs, parent_dir};
use engine::{Db, Family, FamilyOptions, Options, WriteBatch, WriteOptions};
use parking_lot::Mutex;

use crate::store::{
    Batch, Change, Cursor, Direction, Error, Guard, KeyRange, Result, Scope, Snapshot, Space,
    Store, StripedLocks, visit_row_by_row,
};

/// The system row that holds the end of the reserved block of numbers.
const RESERVED_ROW: &[u8] = b"reserved-numbers";
/// What comes between the name of the directory and the number in the name of a checkpoint.
const SAVE: &str = ".save-";
/// How many numbers one reservation takes. An unclean stop wastes at most this many.
const BLOCK: u64 = 1 << 16;
/// Room for what the engine's batch stores for each row besides key and value.
const ROW_BYTES: usize = 16;

/// How much all spaces together keep in memory before it is written to tables, unless the engine's options say
/// otherwise. It is more than the engine's own default: what was written lately is read most, and one lookup finds it
/// in memory, where tables take several. While writes come faster than the disk takes them, up to three times as much
/// is in memory.
const WRITE_BUFFER_BYTES: usize = 512 << 20;
/// One space gets only this part of it, so that the log stays short enough to be read quickly even when a single space
/// takes all writes.
const SPACES_TO_FILL_IT: usize = 2;

/// The space whose rows are scanned more than they are looked up. Huge pages make that faster, and writes slower where
/// the system takes long to find and clear them, so only this space has them.
const SCANNED_SPACE: Space = Space::Score;

/// A store on the engine.
pub struct EngineStore {
    vfs: Arc<dyn Vfs>,
    dir: PathBuf,
    /// The number of the checkpoint that this store made last; 0 for none. The lock lets one be made at a time.
    last_checkpoint: Mutex<u64>,
    db: Db,
    /// Indexed by [`Space::index`]. Snapshots share them.
    families: Arc<[Family; Space::ALL.len()]>,
    locks: StripedLocks,
    numbers: Mutex<Numbers>,
}

/// The block of reserved numbers that is being handed out.
#[derive(Debug)]
struct Numbers {
    last: u64,
    reserved: u64,
}

impl EngineStore {
    /// Opens the database in a directory, and creates it if there is none.
    ///
    /// # Errors
    /// Those of the engine: the directory is locked, is something else, cannot be read, or holds
    /// damaged files.
    pub fn open(dir: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(dir, Options::default())
    }

    /// Opens a database with the engine's options. Adds the column families to them, and a bound on what these hold
    /// in memory together, if the options have none.
    ///
    /// # Errors
    /// As [`EngineStore::open`]; a damaged reservation of numbers.
    pub fn open_with(dir: impl AsRef<Path>, options: Options) -> Result<Self> {
        let dir = dir.as_ref().to_path_buf();
        let options = with_spaces(options);
        let vfs = Arc::clone(&options.vfs);
        let db = Db::open(&dir, options).map_err(Error::new)?;
        warn_of_torn_logs(&db);
        let family = |space: Space| db.family(space.name()).map_err(Error::new);
        let families = [
            family(Space::System)?,
            family(Space::Metadata)?,
            family(Space::Data)?,
            family(Space::Score)?,
            family(Space::Expiry)?,
        ];
        let reserved = reserved_numbers(&families[Space::System.index()])?;
        let numbers = Numbers {
            last: reserved,
            reserved,
        };
        Ok(Self {
            vfs,
            dir,
            last_checkpoint: Mutex::new(0),
            db,
            families: Arc::new(families),
            locks: StripedLocks::default(),
            numbers: Mutex::new(numbers),
        })
    }

    fn family(&self, space: Space) -> &Family {
        &self.families[space.index()]
    }

    fn checkpoint_dir(&self, number: u64) -> PathBuf {
        // Without a slash at its end, behind which the name would be one in the directory.
        let dir: PathBuf = self.dir.components().collect();
        let mut name = dir.into_os_string();
        name.push(format!("{SAVE}{number:06}"));
        PathBuf::from(name)
    }

    /// The numbers for which there is something beside the data that has the name of a checkpoint.
    fn checkpoints(&self) -> engine::Result<Vec<u64>> {
        let any = self.checkpoint_dir(0);
        let names = self.vfs.list(&parent_dir(&any))?;
        let numbers = names.iter().filter_map(|name| {
            let number = checkpoint_number(name)?;
            (self.checkpoint_dir(number).file_name() == Some(name)).then_some(number)
        });
        Ok(numbers.collect())
    }
}

/// The options with a column family for each space, and a bound on what these hold in memory together.
fn with_spaces(mut options: Options) -> Options {
    let together = &mut options.total_write_buffer_bytes;
    let together = *together.get_or_insert(WRITE_BUFFER_BYTES);
    Space::ALL.into_iter().fold(options, |options, space| {
        let of_space = FamilyOptions {
            write_buffer_bytes: together / SPACES_TO_FILL_IT,
            memtable_huge_pages: space == SCANNED_SPACE,
            ..FamilyOptions::default()
        };
        options.family(space.name(), of_space)
    })
}

fn warn_of_torn_logs(db: &Db) {
    for log in db.torn_logs() {
        tracing::warn!(
            "the log {} ends in the middle of a write, at byte {}: that write and what came after it are lost. \
             A power cut takes only what had not reached the disk. If the power did not fail, the file was cut or \
             damaged: a backup or a checkpoint may have more",
            log.path.display(),
            log.at
        );
    }
}

/// The end of the block of numbers that was reserved last.
fn reserved_numbers(system: &Family) -> Result<u64> {
    let Some(stored) = system.get(RESERVED_ROW).map_err(Error::new)? else {
        return Ok(0);
    };
    let end = <[u8; 8]>::try_from(&*stored);
    end.map(decode_u64)
        .map_err(|_| Error::new(damaged_reservation(stored.len())))
}

/// The number at the end of a name, if it is the name of a checkpoint.
fn checkpoint_number(name: &OsStr) -> Option<u64> {
    // Every name is looked at, also one that is no text.
    let name = name.to_string_lossy();
    let (_, number) = name.rsplit_once(SAVE)?;
    number.parse().ok()
}

/// Removes a checkpoint, unless it holds something that is not the engine's.
///
/// # Errors
/// `Locked` if somebody has it open; `Io`. Then the rest of it is found the next time: the lock file is removed last.
fn remove_checkpoint(vfs: &dyn Vfs, dir: &Path) -> engine::Result<()> {
    let lock_file = dir.join(LOCK);
    let is_known = |name: &OsString| FileName::parse(name).is_some();
    if !vfs.exists(&lock_file)? || !vfs.list(dir)?.iter().all(is_known) {
        return Ok(());
    }
    let lock = vfs.lock(&lock_file)?;
    for name in vfs.list(dir)? {
        if name != LOCK {
            vfs.remove(&dir.join(name))?;
        }
    }
    vfs.sync_dir(dir)?;
    vfs.remove(&lock_file)?;
    drop(lock);
    vfs.remove_dir(dir)
}

impl Store for EngineStore {
    fn snapshot(&self) -> Result<Box<dyn Snapshot>> {
        Ok(Box::new(EngineSnapshot {
            snapshot: self.db.snapshot(),
            families: Arc::clone(&self.families),
        }))
    }

    fn write(&self, batch: Batch) -> Result<()> {
        let bytes = |(_, change): (_, &Change)| {
            let value = change.value.as_ref().map_or(0, Bytes::len);
            change.key.len() + value + ROW_BYTES
        };
        let bytes = batch.changes().map(bytes).sum();
        let mut changes = WriteBatch::with_capacity(bytes);
        for (space, range) in batch.cleared() {
            let Some(end) = &range.end else {
                return Err(Error::new(
                    "only a range with an end can be emptied at once; delete the rows of another one by one",
                ));
            };
            if !range.is_empty() {
                changes.delete_range(self.family(*space), &range.start, end);
            }
        }
        for (space, change) in batch.changes() {
            let family = self.family(space);
            match &change.value {
                Some(value) => changes.put(family, &change.key, value),
                None => changes.delete(family, &change.key),
            }
        }
        self.db
            .write(changes, WriteOptions { sync: false })
            .map_err(Error::new)
    }

    fn lock<'a>(&'a self, scope: Scope<'_>) -> Result<Box<dyn Guard + 'a>> {
        Ok(self.locks.lock(scope))
    }

    fn stripes(&self) -> Option<&StripedLocks> {
        Some(&self.locks)
    }

    fn unique(&self) -> Result<u64> {
        let mut numbers = self.numbers.lock();
        if numbers.last == numbers.reserved {
            let reserved = numbers.reserved.checked_add(BLOCK);
            let reserved = reserved.ok_or_else(|| {
                Error::new(
                    "all numbers for new collections are used up; copy the keys into a new server",
                )
            })?;
            let family = self.family(Space::System);
            family
                .put(RESERVED_ROW, encode_u64(reserved))
                .map_err(Error::new)?;
            numbers.reserved = reserved;
        }
        numbers.last += 1;
        Ok(numbers.last)
    }

    fn sync(&self) -> Result<()> {
        self.db.sync().map_err(Error::new)
    }

    fn checkpoint(&self) -> Result<()> {
        let mut last = self.last_checkpoint.lock();
        let before = self.checkpoints().map_err(Error::new)?;
        let greatest = before.iter().copied().fold(*last, u64::max);
        let next = greatest.saturating_add(1);
        let made = self.db.checkpoint(self.checkpoint_dir(next));
        made.map_err(Error::new)?;
        *last = next;
        for number in before {
            let dir = self.checkpoint_dir(number);
            if let Err(error) = remove_checkpoint(&*self.vfs, &dir) {
                tracing::warn!(%error, "an older checkpoint stays, and takes room: {}", dir.display());
            }
        }
        Ok(())
    }

    fn reclaim(&self, space: Space, range: &KeyRange) -> Result<()> {
        let family = self.family(space);
        let start = range.start.as_slice();
        match range.end.as_deref() {
            Some(end) => self.db.compact_range(family, start..end),
            None => self.db.compact_range(family, start..),
        }
        .map_err(Error::new)
    }

    fn rest(&self) {
        self.db.leave_tables_to_system();
    }

    fn close(&self) -> Result<()> {
        self.sync()?;
        self.db.close().map_err(Error::new)
    }
}

/// What is wrong if the row of reserved numbers has so many bytes.
fn damaged_reservation(len: usize) -> String {
    format!(
        "the row of reserved numbers is damaged: it has {len} bytes, and a number has {}. Restore the data from a backup, \
         because without this row a number could be used twice",
        size_of::<u64>()
    )
}

struct EngineSnapshot {
    snapshot: engine::Snapshot,
    families: Arc<[Family; Space::ALL.len()]>,
}

/// A value of the engine, borrowed where it lies instead of copied.
struct Pinned(engine::Value);

impl Pinned {
    #[inline]
    fn share(value: engine::Value) -> Bytes {
        // Rows without a value are common (members of sets, score rows), and need no owner.
        if value.is_empty() {
            Bytes::new()
        } else {
            Bytes::from_owner(Self(value))
        }
    }
}

impl AsRef<[u8]> for Pinned {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Snapshot for EngineSnapshot {
    fn get(&self, space: Space, key: &[u8]) -> Result<Option<Bytes>> {
        let value = self
            .snapshot
            .get(&self.families[space.index()], key)
            .map_err(Error::new)?;
        Ok(value.map(Pinned::share))
    }

    fn get_many(&self, space: Space, keys: &[Vec<u8>]) -> Result<Vec<Option<Bytes>>> {
        let family = &self.families[space.index()];
        let values = self.snapshot.get_many(family, keys).map_err(Error::new)?;
        let share = |value: Option<engine::Value>| value.map(Pinned::share);
        Ok(values.into_iter().map(share).collect())
    }

    fn scan<'a>(
        &'a self,
        space: Space,
        range: &KeyRange,
        direction: Direction,
    ) -> Result<Box<dyn Cursor + 'a>> {
        let family = &self.families[space.index()];
        // The engine refuses a range that ends before it starts.
        let end = range
            .end
            .as_ref()
            .map(|end| end.max(&range.start).as_slice());
        let start = range.start.as_slice();
        let cursor = match end {
            Some(end) => self.snapshot.cursor_in(family, start..end),
            None => self.snapshot.cursor_in(family, start..),
        };
        let mut cursor = cursor.map_err(Error::new)?;
        match direction {
            Direction::Forward => cursor.seek_to_first(),
            Direction::Backward => cursor.seek_to_last(),
        }
        .map_err(Error::new)?;
        Ok(Box::new(EngineCursor { cursor, direction }))
    }
}

struct EngineCursor {
    cursor: engine::Cursor,
    direction: Direction,
}

impl Cursor for EngineCursor {
    fn row(&self) -> Option<(&[u8], &[u8])> {
        self.cursor
            .valid()
            .then(|| (self.cursor.key(), self.cursor.value()))
    }

    fn advance(&mut self) -> Result<()> {
        if !self.cursor.valid() {
            return Ok(());
        }
        match self.direction {
            Direction::Forward => self.cursor.next(),
            Direction::Backward => self.cursor.prev(),
        }
        .map_err(Error::new)
    }

    fn visit(&mut self, visit: &mut dyn FnMut(&[u8], &[u8]) -> bool) -> Result<()> {
        match self.direction {
            Direction::Forward => self.cursor.visit(visit).map_err(Error::new),
            Direction::Backward => visit_row_by_row(self, visit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A store whose row of reserved numbers has this value.
    fn open_with_reserved(dir: &Path, value: &[u8]) -> Result<EngineStore> {
        let store = EngineStore::open(dir)?;
        let mut batch = Batch::default();
        let value = Bytes::copy_from_slice(value);
        batch.put(Space::System, RESERVED_ROW.to_vec(), value);
        store.write(batch)?;
        store.close()?;
        drop(store);
        EngineStore::open(dir)
    }

    #[test]
    fn a_number_is_not_handed_out_again_when_all_are_used_up() {
        let dir = tempfile::tempdir().unwrap();
        let store = open_with_reserved(dir.path(), &encode_u64(u64::MAX - 1)).unwrap();
        for _ in 0..2 {
            let refused = store.unique().unwrap_err().to_string();
            assert!(refused.contains("used up"), "{refused}");
        }
    }

    #[test]
    fn a_damaged_reservation_is_refused_with_what_to_do() {
        let dir = tempfile::tempdir().unwrap();
        let refused = open_with_reserved(dir.path(), b"abc").err().unwrap();
        let refused = refused.to_string();
        let says = ["3 bytes", "backup"].map(|what| refused.contains(what));
        assert_eq!(says, [true, true], "{refused}");
    }
}

//! A file system in memory that knows what a power cut would leave.
//!
//! Three uses:
//! 1. Tests that are fast and leave nothing behind.
//! 2. [`MemoryVfs::crash`]: the disk as it might look after a power cut now. A seed decides what
//!    becomes of everything that was not synced: data, directory entries, the last sector written.
//! 3. [`MemoryVfs::recording`] and [`MemoryVfs::state_after`]: run a script once, then look at the
//!    disk after each of its operations, and crash it there.
//!
//! The model is harsher than most file systems, on purpose: see [`power_cut`].
//!
//! Left out: permissions, symbolic links, a limit on space ([`FaultVfs`](super::FaultVfs) simulates
//! the full disk).

mod disk;
mod power_cut;

use self::disk::{Change, Disk};
use super::std_vfs::MappedFile;
use super::{FileSlice, LockGuard, RandomFile, Syncer, Vfs, WritableFile};
use crate::error::{Error, Result};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// A file system in memory. A clone is another handle on the same files.
#[derive(Debug, Clone, Default)]
pub struct MemoryVfs {
    shared: Arc<Mutex<Shared>>,
}

#[derive(Debug, Default)]
struct Shared {
    disk: Disk,
    operations: u64,
    recording: Option<Recording>,
    locks: BTreeMap<PathBuf, Held>,
}

/// How a lock is held.
#[derive(Debug, PartialEq, Eq)]
enum Held {
    Alone,
    /// By this many holders.
    Together(usize),
}

#[derive(Debug)]
struct Recording {
    start: Disk,
    changes: Vec<Change>,
}

impl MemoryVfs {
    /// An empty file system. The directories `/` and `.` exist and are durable.
    pub fn new() -> MemoryVfs {
        MemoryVfs::default()
    }

    /// An independent copy of the current state, which records every operation from now on.
    #[must_use]
    pub fn recording(&self) -> MemoryVfs {
        let disk = self.shared.lock().disk.clone();
        let recording = Some(Recording {
            start: disk.clone(),
            changes: Vec::new(),
        });
        MemoryVfs::with(Shared {
            disk,
            recording,
            ..Shared::default()
        })
    }

    /// How many operations have changed or synced something. Reads do not count.
    pub fn operations(&self) -> u64 {
        self.shared.lock().operations
    }

    /// The state after the first `n` operations of the recording, as an independent file system.
    ///
    /// # Panics
    /// If this is not a recording, or has fewer operations.
    #[must_use]
    pub fn state_after(&self, n: u64) -> MemoryVfs {
        let shared = self.shared.lock();
        let recording = shared
            .recording
            .as_ref()
            .expect("only a recording can be replayed");
        assert!(
            n <= shared.operations,
            "operation {n} of {}",
            shared.operations
        );
        let mut disk = recording.start.clone();
        for change in recording.changes.iter().take(n as usize) {
            disk.apply(change)
                .expect("an operation that succeeded once succeeds again");
        }
        MemoryVfs::with(Shared {
            disk,
            operations: n,
            ..Shared::default()
        })
    }

    /// The file system as it might be found after a power cut at this moment, as an independent one.
    ///
    /// Seed 0 loses everything that was not synced, seed 1 keeps everything (a `kill -9`), any
    /// other one decides at random. In the result nothing is locked.
    #[must_use]
    pub fn crash(&self, seed: u64) -> MemoryVfs {
        let disk = self.shared.lock().disk.after_power_cut(seed);
        MemoryVfs::with(Shared {
            disk,
            ..Shared::default()
        })
    }

    /// Replaces the bytes of a file without the engine's knowledge, as a bad disk or a foreign program would.
    ///
    /// # Errors
    /// `Io` if the file is missing.
    pub fn damage(&self, path: impl AsRef<Path>, contents: Vec<u8>) -> Result<()> {
        let path = path.as_ref();
        let key = normal(path)?;
        let damaged = self.shared.lock().disk.damage(&key, contents);
        damaged.map_err(|error| Error::io("damage", path, error))
    }

    /// All names, one on each line, with their lengths and how much is durable: for a person, or a golden file.
    pub fn tree(&self) -> String {
        self.shared.lock().disk.tree()
    }

    fn with(shared: Shared) -> MemoryVfs {
        MemoryVfs {
            shared: Arc::new(Mutex::new(shared)),
        }
    }

    fn change(&self, op: &'static str, path: &Path, change: Change) -> Result<()> {
        let mut shared = self.shared.lock();
        shared
            .disk
            .apply(&change)
            .map_err(|error| Error::io(op, path, error))?;
        shared.operations += 1;
        if let Some(recording) = &mut shared.recording {
            recording.changes.push(change);
        }
        Ok(())
    }

    fn contents(&self, op: &'static str, path: &Path) -> Result<Arc<Vec<u8>>> {
        let key = normal(path)?;
        let contents = self.shared.lock().disk.contents(&key);
        contents.map_err(|error| Error::io(op, path, error))
    }

    fn writable(&self, path: &Path, key: &Path) -> Result<Box<dyn WritableFile>> {
        let opened = self.shared.lock().disk.open(key);
        let (file, len) = opened.map_err(|error| Error::io("open for appending", path, error))?;
        Ok(Box::new(MemoryFile {
            vfs: self.clone(),
            file,
            len,
            reserved_end: len,
            path: path.to_path_buf(),
        }))
    }
}

impl Vfs for MemoryVfs {
    fn create(&self, path: &Path) -> Result<Box<dyn WritableFile>> {
        let key = normal(path)?;
        self.change("create", path, Change::Create { path: key.clone() })?;
        self.writable(path, &key)
    }

    fn open_append(&self, path: &Path) -> Result<Box<dyn WritableFile>> {
        self.writable(path, &normal(path)?)
    }

    fn open_random(&self, path: &Path) -> Result<Arc<dyn RandomFile>> {
        let contents = FileSlice::from(self.contents("open", path)?);
        Ok(Arc::new(MemoryRandomFile(MappedFile {
            contents,
            path: path.to_path_buf(),
        })))
    }

    fn open_mapped(&self, path: &Path) -> Result<Arc<dyn RandomFile>> {
        let contents = FileSlice::from(self.contents("open", path)?);
        Ok(Arc::new(MappedFile {
            contents,
            path: path.to_path_buf(),
        }))
    }

    fn read(&self, path: &Path) -> Result<Vec<u8>> {
        Ok(self.contents("read", path)?.to_vec())
    }

    fn exists(&self, path: &Path) -> Result<bool> {
        let key = normal(path)?;
        let exists = self.shared.lock().disk.exists(&key);
        exists.map_err(|error| Error::io("look for", path, error))
    }

    fn len(&self, path: &Path) -> Result<u64> {
        Ok(self.contents("measure", path)?.len() as u64)
    }

    fn list(&self, dir: &Path) -> Result<Vec<OsString>> {
        let key = normal(dir)?;
        let names = self.shared.lock().disk.list(&key);
        names.map_err(|error| Error::io("list", dir, error))
    }

    fn create_dir_all(&self, dir: &Path) -> Result<()> {
        self.change(
            "create the directory",
            dir,
            Change::CreateDirAll { dir: normal(dir)? },
        )
    }

    fn remove(&self, path: &Path) -> Result<()> {
        self.change(
            "remove",
            path,
            Change::Remove {
                path: normal(path)?,
            },
        )
    }

    fn remove_dir(&self, dir: &Path) -> Result<()> {
        let change = Change::RemoveDir { dir: normal(dir)? };
        self.change("remove the directory", dir, change)
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        self.change(
            "rename",
            from,
            Change::Rename {
                from: normal(from)?,
                to: normal(to)?,
            },
        )
    }

    fn hard_link(&self, from: &Path, to: &Path) -> Result<()> {
        let change = Change::HardLink {
            from: normal(from)?,
            to: normal(to)?,
        };
        self.change("make a second name for", from, change)
    }

    fn sync_dir(&self, dir: &Path) -> Result<()> {
        self.change(
            "sync the directory",
            dir,
            Change::SyncDir { dir: normal(dir)? },
        )
    }

    fn lock(&self, path: &Path) -> Result<Box<dyn LockGuard>> {
        let key = normal(path)?;
        if !self.exists(path)? {
            self.change(
                "open the lock file",
                path,
                Change::Create { path: key.clone() },
            )?;
        }
        match self.shared.lock().locks.entry(key.clone()) {
            Entry::Occupied(_) => return Err(locked(path)),
            Entry::Vacant(free) => free.insert(Held::Alone),
        };
        Ok(Box::new(MemoryLock {
            vfs: self.clone(),
            key,
        }))
    }

    fn lock_shared(&self, path: &Path) -> Result<Box<dyn LockGuard>> {
        let key = normal(path)?;
        let mut shared = self.shared.lock();
        let there = shared.disk.open(&key);
        there.map_err(|error| Error::io("open the lock file", path, error))?;
        let free = || Held::Together(0);
        match shared.locks.entry(key.clone()).or_insert_with(free) {
            Held::Alone => return Err(locked(path)),
            Held::Together(holders) => *holders += 1,
        }
        drop(shared);
        Ok(Box::new(MemoryLock {
            vfs: self.clone(),
            key,
        }))
    }
}

fn locked(path: &Path) -> Error {
    Error::Locked {
        path: path.to_path_buf(),
    }
}

/// A unique spelling for every path: without `.`, and `..` is refused because resolving it would
/// need the directories.
fn normal(path: &Path) -> Result<PathBuf> {
    let mut key = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                return Err(Error::io(
                    "resolve",
                    path,
                    io::Error::from(io::ErrorKind::InvalidInput),
                ));
            }
            other => key.push(other),
        }
    }
    Ok(key)
}

#[derive(Debug)]
struct MemoryFile {
    vfs: MemoryVfs,
    file: disk::FileId,
    len: u64,
    reserved_end: u64,
    path: PathBuf,
}

impl WritableFile for MemoryFile {
    fn append(&mut self, data: &[u8]) -> Result<()> {
        let change = Change::Append {
            file: self.file,
            at: self.len as usize,
            data: data.into(),
        };
        self.vfs.change("append to", &self.path, change)?;
        self.len += data.len() as u64;
        self.reserved_end = self.reserved_end.max(self.len);
        Ok(())
    }

    fn reserve(&mut self, bytes: u64) -> Result<()> {
        if bytes <= self.room() {
            return Ok(());
        }
        let end = self.len + bytes;
        let change = Change::Reserve {
            file: self.file,
            end: end as usize,
        };
        self.vfs.change("reserve space for", &self.path, change)?;
        self.reserved_end = end;
        Ok(())
    }

    fn room(&self) -> u64 {
        self.reserved_end - self.len
    }

    fn trim(&mut self) -> Result<()> {
        if self.room() == 0 {
            return Ok(());
        }
        let change = Change::Trim {
            file: self.file,
            len: self.len as usize,
        };
        self.vfs.change("trim", &self.path, change)?;
        self.reserved_end = self.len;
        Ok(())
    }

    fn syncer(&self) -> Arc<dyn Syncer> {
        Arc::new(MemorySyncer {
            vfs: self.vfs.clone(),
            file: self.file,
            path: self.path.clone(),
        })
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

#[derive(Debug)]
struct MemorySyncer {
    vfs: MemoryVfs,
    file: disk::FileId,
    path: PathBuf,
}

impl Syncer for MemorySyncer {
    fn sync(&self) -> Result<()> {
        self.vfs
            .change("sync", &self.path, Change::Sync { file: self.file })
    }
}

/// Hides that the contents are in memory, so that the engine reads as it would through `pread`.
#[derive(Debug)]
struct MemoryRandomFile(MappedFile);

impl RandomFile for MemoryRandomFile {
    fn len(&self) -> u64 {
        self.0.len()
    }

    fn read_at(&self, offset: u64, len: usize) -> Result<FileSlice> {
        self.0.read_at(offset, len)
    }

    fn contents(&self) -> Option<FileSlice> {
        None
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

#[derive(Debug)]
struct MemoryLock {
    vfs: MemoryVfs,
    key: PathBuf,
}

impl LockGuard for MemoryLock {}

impl Drop for MemoryLock {
    fn drop(&mut self) {
        let locks = &mut self.vfs.shared.lock().locks;
        match locks.get_mut(&self.key) {
            Some(Held::Together(holders)) if *holders > 1 => *holders -= 1,
            _ => drop(locks.remove(&self.key)),
        }
    }
}

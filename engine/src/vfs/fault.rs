//! A file system whose n-th operation fails.
//!
//! It counts every operation, including reads, and lets a test choose which one fails and how. A
//! script is run once to count its operations, then once for each n.
//!
//! A failing sync is simulated as on Linux: what was appended since the last successful sync never reaches
//! the medium, although later syncs of the file report success. Over a [`MemoryVfs`](super::MemoryVfs), a
//! power cut afterwards reveals code that relied on a second try. The same holds for a directory and the
//! names in it, until it is locked again, which counts as another run of the program.
//!
//! A rename or another change of names that fails may or may not have been done: some file systems report
//! an error after the fact, and over a network the answer may be lost. See [`FaultVfs::do_what_fails`].
//!
//! Left out: faults of mapped reads. In reality the operating system kills the process for them.

use super::{FileSlice, LockGuard, RandomFile, Syncer, Vfs, WritableFile};
use crate::error::{Error, Result};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// How an operation fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The device reports an error; nothing was done.
    Io,
    /// The disk is full from this operation on, until [`FaultVfs::heal`]: what needs space fails
    /// and does nothing, the rest succeeds, including appends into reserved space.
    NoSpace,
    /// An append writes the first half of its data, then reports an error. Other operations fail as with `Io`.
    ShortWrite,
    /// This operation and all later ones fail and do nothing: the power is gone, as seen by a
    /// process that still runs.
    PowerGone,
}

impl Fault {
    /// Whether the fault hits the `n`-th operation, given the operation at which it begins.
    fn is_due(self, n: u64, begins_at: u64, space: Space) -> bool {
        match self {
            Fault::PowerGone => n >= begins_at,
            Fault::NoSpace => n >= begins_at && space == Space::Needed,
            Fault::Io | Fault::ShortWrite => n == begins_at,
        }
    }
}

/// A file system that fails as planned, and otherwise passes everything on.
#[derive(Debug, Clone)]
pub struct FaultVfs {
    inner: Arc<dyn Vfs>,
    plan: Arc<Mutex<Plan>>,
}

#[derive(Debug, Default)]
struct Plan {
    operations: u64,
    fault: Option<(u64, Fault)>,
    budget: Option<Budget>,
    /// Files that cannot be used as others can.
    broken: BTreeMap<PathBuf, Broken>,
    /// The seed that decides which failing changes of names are done nevertheless: see
    /// [`FaultVfs::do_what_fails`].
    done: u64,
    /// Directories in which a lock was taken, and whether a sync of each has failed since.
    locked: BTreeMap<PathBuf, bool>,
    failed: Vec<String>,
}

/// What is wrong with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Broken {
    /// Every operation fails.
    Whole,
    /// Reads of this byte fail.
    Byte(u64),
    /// This user may do nothing with it.
    Denied,
}

/// The space that is left for one kind of file.
#[derive(Debug)]
struct Budget {
    ending: &'static str,
    bytes_left: usize,
}

/// Whether an operation needs space on the disk.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Space {
    Needed,
    NotNeeded,
}

impl FaultVfs {
    /// Passes everything on to `inner` until a fault is planned.
    pub fn new(inner: Arc<dyn Vfs>) -> FaultVfs {
        FaultVfs {
            inner,
            plan: Arc::default(),
        }
    }

    /// Makes the `n`-th operation from now on fail; the next one has number 1. Replaces an earlier plan.
    pub fn fail_nth(&self, n: u64, fault: Fault) {
        let mut plan = self.plan.lock();
        plan.fault = Some((plan.operations + n, fault));
    }

    /// Limits the further bytes of all files whose names end in `ending`. The append that does not
    /// fit writes what fits and fails, as on a disk that fills up, and so does every later one.
    pub fn limit_bytes(&self, ending: &'static str, bytes: usize) {
        self.plan.lock().budget = Some(Budget {
            ending,
            bytes_left: bytes,
        });
    }

    /// Decides whether changes of names that fail from now on are done nevertheless: creations,
    /// renames, links and removals. With seed 0, the default, none are; with seed 1 all are; any
    /// other seed decides at random. When the power is gone, nothing is done.
    pub fn do_what_fails(&self, seed: u64) {
        self.plan.lock().done = seed;
    }

    /// Makes every operation on this file fail, as on a bad part of a disk.
    pub fn break_file(&self, path: impl Into<PathBuf>) {
        self.plan.lock().broken.insert(path.into(), Broken::Whole);
    }

    /// Makes every read of this byte fail, as on a bad sector of a disk. The other bytes of the file can be read.
    pub fn break_byte(&self, path: impl Into<PathBuf>, at: u64) {
        self.plan
            .lock()
            .broken
            .insert(path.into(), Broken::Byte(at));
    }

    /// Makes every operation on this file fail for want of permission.
    pub fn deny(&self, path: impl Into<PathBuf>) {
        self.plan.lock().broken.insert(path.into(), Broken::Denied);
    }

    /// Makes everything succeed from now on. What a failed sync lost stays lost.
    pub fn heal(&self) {
        let mut plan = self.plan.lock();
        plan.fault = None;
        plan.budget = None;
        plan.broken.clear();
    }

    /// How many operations were requested, including those that failed.
    pub fn operations(&self) -> u64 {
        self.plan.lock().operations
    }

    /// Descriptions of the operations that were made to fail.
    pub fn failed(&self) -> Vec<String> {
        self.plan.lock().failed.clone()
    }

    /// Counts an operation and returns its fault, if it must fail.
    fn fault(&self, op: &'static str, path: &Path, space: Space) -> Option<(Fault, Error)> {
        let mut plan = self.plan.lock();
        plan.operations += 1;
        let broken = plan.broken.get(path).copied();
        let fault = match plan.fault {
            _ if matches!(broken, Some(Broken::Whole | Broken::Denied)) => Fault::Io,
            Some((at, fault)) if fault.is_due(plan.operations, at, space) => fault,
            _ => return None,
        };
        plan.failed.push(format!("{op} {}", path.display()));
        let source = match fault {
            Fault::NoSpace => io::Error::from(io::ErrorKind::StorageFull),
            Fault::Io if broken == Some(Broken::Denied) => {
                io::Error::from(io::ErrorKind::PermissionDenied)
            }
            Fault::Io | Fault::ShortWrite => io::Error::other("injected fault"),
            Fault::PowerGone => io::Error::other("injected fault: the power is gone"),
        };
        Some((fault, Error::io(op, path, source)))
    }

    /// How much of an append of `bytes` fits into the rest of the budget.
    fn spend(&self, path: &Path, bytes: usize) -> usize {
        let mut plan = self.plan.lock();
        let Some(budget) = &mut plan.budget else {
            return bytes;
        };
        if !path.to_string_lossy().ends_with(budget.ending) {
            return bytes;
        }
        let fits = bytes.min(budget.bytes_left);
        budget.bytes_left -= fits;
        if fits < bytes {
            plan.failed.push(format!("append to {}", path.display()));
        }
        fits
    }

    fn check(&self, op: &'static str, path: &Path, space: Space) -> Result<()> {
        match self.fault(op, path, space) {
            Some((_, error)) => Err(error),
            None => Ok(()),
        }
    }

    /// Like [`check`](Self::check), for a read of these bytes.
    fn check_read(&self, path: &Path, bytes: Range<u64>) -> Result<()> {
        self.check("read", path, Space::NotNeeded)?;
        let mut plan = self.plan.lock();
        match plan.broken.get(path) {
            Some(Broken::Byte(at)) if bytes.contains(at) => {}
            _ => return Ok(()),
        }
        plan.failed.push(format!("read {}", path.display()));
        let source = io::Error::other("injected fault");
        Err(Error::io("read", path, source))
    }

    /// Performs a change of names, or fails it, in which case it may be done nevertheless.
    fn change<T>(
        &self,
        op: &'static str,
        path: &Path,
        space: Space,
        change: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        let Some((fault, error)) = self.fault(op, path, space) else {
            return change();
        };
        let plan = self.plan.lock();
        let is_done = match plan.done {
            0 | 1 => plan.done == 1,
            seed => (seed ^ plan.operations).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63 == 1,
        };
        drop(plan);
        if is_done && fault != Fault::PowerGone {
            let _ = change();
        }
        Err(error)
    }

    fn random(&self, inner: Arc<dyn RandomFile>) -> Arc<dyn RandomFile> {
        Arc::new(FaultyRandomFile {
            vfs: self.clone(),
            inner,
        })
    }

    fn writable(&self, inner: Box<dyn WritableFile>) -> Box<dyn WritableFile> {
        let syncer = FaultySyncer {
            vfs: self.clone(),
            path: inner.path().to_path_buf(),
            inner: inner.syncer(),
            sync_failed: AtomicBool::new(false),
            grown: AtomicBool::new(false),
        };
        Box::new(FaultyFile {
            vfs: self.clone(),
            inner,
            syncer: Arc::new(syncer),
        })
    }
}

impl Vfs for FaultVfs {
    fn absolute(&self, path: &Path) -> Result<PathBuf> {
        self.inner.absolute(path)
    }

    fn create(&self, path: &Path) -> Result<Box<dyn WritableFile>> {
        let create = || self.inner.create(path);
        let created = self.change("create", path, Space::Needed, create)?;
        Ok(self.writable(created))
    }

    fn open_append(&self, path: &Path) -> Result<Box<dyn WritableFile>> {
        self.check("open for appending", path, Space::NotNeeded)?;
        Ok(self.writable(self.inner.open_append(path)?))
    }

    fn open_random(&self, path: &Path) -> Result<Arc<dyn RandomFile>> {
        self.check("open", path, Space::NotNeeded)?;
        Ok(self.random(self.inner.open_random(path)?))
    }

    fn open_mapped(&self, path: &Path) -> Result<Arc<dyn RandomFile>> {
        self.check("open", path, Space::NotNeeded)?;
        Ok(self.random(self.inner.open_mapped(path)?))
    }

    fn read(&self, path: &Path) -> Result<Vec<u8>> {
        self.check_read(path, 0..u64::MAX)?;
        self.inner.read(path)
    }

    fn exists(&self, path: &Path) -> Result<bool> {
        self.check("look for", path, Space::NotNeeded)?;
        self.inner.exists(path)
    }

    fn is_link(&self, path: &Path) -> Result<bool> {
        self.check("look for", path, Space::NotNeeded)?;
        self.inner.is_link(path)
    }

    fn len(&self, path: &Path) -> Result<u64> {
        self.check("measure", path, Space::NotNeeded)?;
        self.inner.len(path)
    }

    fn list(&self, dir: &Path) -> Result<Vec<OsString>> {
        self.check("list", dir, Space::NotNeeded)?;
        self.inner.list(dir)
    }

    fn create_dir_all(&self, dir: &Path) -> Result<()> {
        let create = || self.inner.create_dir_all(dir);
        self.change("create the directory", dir, Space::Needed, create)
    }

    fn remove(&self, path: &Path) -> Result<()> {
        let remove = || self.inner.remove(path);
        self.change("remove", path, Space::NotNeeded, remove)
    }

    fn remove_dir(&self, dir: &Path) -> Result<()> {
        let remove = || self.inner.remove_dir(dir);
        self.change("remove the directory", dir, Space::NotNeeded, remove)
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        let rename = || self.inner.rename(from, to);
        self.change("rename", from, Space::Needed, rename)
    }

    fn hard_link(&self, from: &Path, to: &Path) -> Result<()> {
        let link = || self.inner.hard_link(from, to);
        self.change("make a second name for", from, Space::Needed, link)
    }

    fn sync_dir(&self, dir: &Path) -> Result<()> {
        // The space for a name was taken when it was created.
        let synced = self.check("sync the directory", dir, Space::NotNeeded);
        if let Some(has_failed) = self.plan.lock().locked.get_mut(dir) {
            *has_failed |= synced.is_err();
            if *has_failed {
                return synced;
            }
        }
        synced.and_then(|()| self.inner.sync_dir(dir))
    }

    fn lock(&self, path: &Path) -> Result<Box<dyn LockGuard>> {
        self.check("lock", path, Space::Needed)?;
        let lock = self.inner.lock(path)?;
        let dir = path.parent().unwrap_or(path).to_path_buf();
        self.plan.lock().locked.insert(dir, false);
        Ok(lock)
    }

    fn lock_shared(&self, path: &Path) -> Result<Box<dyn LockGuard>> {
        self.check("lock", path, Space::NotNeeded)?;
        self.inner.lock_shared(path)
    }
}

#[derive(Debug)]
struct FaultyFile {
    vfs: FaultVfs,
    inner: Box<dyn WritableFile>,
    syncer: Arc<FaultySyncer>,
}

#[derive(Debug)]
struct FaultySyncer {
    vfs: FaultVfs,
    path: PathBuf,
    inner: Arc<dyn Syncer>,
    sync_failed: AtomicBool,
    /// Whether the next sync needs space, because an append did not fit into reserved space.
    grown: AtomicBool,
}

impl Syncer for FaultySyncer {
    fn sync(&self) -> Result<()> {
        let space = match self.grown.load(Relaxed) {
            true => Space::Needed,
            false => Space::NotNeeded,
        };
        if let Some((_, error)) = self.vfs.fault("sync", &self.path, space) {
            self.sync_failed.store(true, Relaxed);
            return Err(error);
        }
        self.grown.store(false, Relaxed);
        if self.sync_failed.load(Relaxed) {
            return Ok(()); // The lie that Linux tells: the pages are marked clean.
        }
        self.inner.sync()
    }
}

impl FaultyFile {
    /// Checks that this much space can be reserved.
    fn check_space(&self, bytes: u64) -> Result<()> {
        let op = "reserve space for";
        self.vfs.check(op, self.path(), Space::Needed)?;
        let more = bytes.saturating_sub(self.inner.room()) as usize;
        if self.vfs.spend(self.path(), more) < more {
            let source = io::Error::from(io::ErrorKind::StorageFull);
            return Err(Error::io(op, self.path(), source));
        }
        Ok(())
    }
}

impl WritableFile for FaultyFile {
    fn append(&mut self, data: &[u8]) -> Result<()> {
        let fits_room = data.len() as u64 <= self.inner.room();
        let space = match fits_room {
            true => Space::NotNeeded,
            false => Space::Needed,
        };
        self.syncer.grown.fetch_or(!fits_room, Relaxed);
        match self.vfs.fault("append to", self.path(), space) {
            None if fits_room => self.inner.append(data),
            None => {
                let fits = self.vfs.spend(self.path(), data.len());
                self.inner.append(&data[..fits])?;
                if fits < data.len() {
                    let source = io::Error::from(io::ErrorKind::StorageFull);
                    return Err(Error::io("append to", self.path(), source));
                }
                Ok(())
            }
            Some((Fault::ShortWrite, error)) => {
                self.inner.append(&data[..data.len() / 2])?;
                Err(error)
            }
            Some((_, error)) => Err(error),
        }
    }

    fn syncer(&self) -> Arc<dyn Syncer> {
        Arc::<FaultySyncer>::clone(&self.syncer)
    }

    fn reserve(&mut self, bytes: u64) -> Result<()> {
        self.check_space(bytes)?;
        self.inner.reserve(bytes)
    }

    fn reserve_blocks(&mut self, bytes: u64) -> Result<()> {
        self.check_space(bytes)?;
        self.inner.reserve_blocks(bytes)
    }

    fn room(&self) -> u64 {
        self.inner.room()
    }

    fn trim(&mut self) -> Result<()> {
        self.vfs.check("trim", self.path(), Space::NotNeeded)?;
        self.inner.trim()
    }

    fn len(&self) -> u64 {
        self.inner.len()
    }

    fn path(&self) -> &Path {
        self.inner.path()
    }
}

#[derive(Debug)]
struct FaultyRandomFile {
    vfs: FaultVfs,
    inner: Arc<dyn RandomFile>,
}

impl RandomFile for FaultyRandomFile {
    fn len(&self) -> u64 {
        self.inner.len()
    }

    fn read_at(&self, offset: u64, len: usize) -> Result<FileSlice> {
        let end = offset.saturating_add(len as u64);
        self.vfs.check_read(self.inner.path(), offset..end)?;
        self.inner.read_at(offset, len)
    }

    fn contents(&self) -> Option<FileSlice> {
        self.inner.contents()
    }

    fn leave_to_system(&self) {
        self.inner.leave_to_system();
    }

    fn path(&self) -> &Path {
        self.inner.path()
    }
}

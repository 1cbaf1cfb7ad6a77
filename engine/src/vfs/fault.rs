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
//!
//! ```text
//! plan    which operations fail, and how
//! files   open files, each operation of which may be planned to fail
//! ```

mod files;
mod plan;

use self::files::{FaultyFile, FaultyRandomFile};
pub use self::plan::Fault;
use self::plan::{Broken, Budget, Plan, Space};
use super::{LockGuard, RandomFile, Vfs, WritableFile};
use crate::error::{Error, Result};
use parking_lot::Mutex;
use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file system that fails as planned, and otherwise passes everything on.
#[derive(Debug, Clone)]
pub struct FaultVfs {
    inner: Arc<dyn Vfs>,
    plan: Arc<Mutex<Plan>>,
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

    fn fault(&self, op: &'static str, path: &Path, space: Space) -> Option<(Fault, Error)> {
        self.plan.lock().fault(op, path, space)
    }

    fn spend(&self, path: &Path, bytes: usize) -> usize {
        self.plan.lock().spend(path, bytes)
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
        self.plan.lock().check_bytes(path, &bytes)
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
        if fault != Fault::PowerGone && self.plan.lock().does_what_failed() {
            let _ = change();
        }
        Err(error)
    }
}

impl Vfs for FaultVfs {
    fn absolute(&self, path: &Path) -> Result<PathBuf> {
        self.inner.absolute(path)
    }

    fn create(&self, path: &Path) -> Result<Box<dyn WritableFile>> {
        let create = || self.inner.create(path);
        let created = self.change("create", path, Space::Needed, create)?;
        Ok(FaultyFile::boxed(self, created))
    }

    fn open_append(&self, path: &Path) -> Result<Box<dyn WritableFile>> {
        self.check("open for appending", path, Space::NotNeeded)?;
        Ok(FaultyFile::boxed(self, self.inner.open_append(path)?))
    }

    fn open_random(&self, path: &Path) -> Result<Arc<dyn RandomFile>> {
        self.check("open", path, Space::NotNeeded)?;
        Ok(FaultyRandomFile::shared(
            self,
            self.inner.open_random(path)?,
        ))
    }

    fn open_mapped(&self, path: &Path) -> Result<Arc<dyn RandomFile>> {
        self.check("open", path, Space::NotNeeded)?;
        Ok(FaultyRandomFile::shared(
            self,
            self.inner.open_mapped(path)?,
        ))
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

//! A file system that calls back before each of its operations, so that a test can wait, count or interfere there.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::vfs::{LockGuard, MemoryVfs, RandomFile, Syncer, Vfs, WritableFile};
use engine::{Error, Result};

type Hook = dyn Fn(&str, &Path) + Send + Sync;

/// Passes everything on to another file system, after `before(operation, path)`. After a failed
/// sync it calls back once more, with "failed sync", before it returns the error.
#[derive(Clone)]
pub(crate) struct Hooked {
    inner: Arc<dyn Vfs>,
    before: Arc<Hook>,
    /// Whether two paths lie on different disks, so that no link leads from one to the other.
    are_apart: fn(&Path, &Path) -> bool,
}

impl Hooked {
    pub(crate) fn new(
        inner: &MemoryVfs,
        before: impl Fn(&str, &Path) + Send + Sync + 'static,
    ) -> Self {
        Self::over(Arc::new(inner.clone()), before)
    }

    pub(crate) fn over(
        inner: Arc<dyn Vfs>,
        before: impl Fn(&str, &Path) + Send + Sync + 'static,
    ) -> Self {
        Self {
            inner,
            before: Arc::new(before),
            are_apart: |_, _| false,
        }
    }

    /// The same, but paths for which `are_apart` says so lie on different disks.
    pub(crate) fn apart(self, are_apart: fn(&Path, &Path) -> bool) -> Self {
        Self { are_apart, ..self }
    }

    fn file(&self, inner: Box<dyn WritableFile>) -> Box<dyn WritableFile> {
        Box::new(HookedFile {
            inner,
            before: Arc::clone(&self.before),
        })
    }
}

impl fmt::Debug for Hooked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooked").finish_non_exhaustive()
    }
}

impl Vfs for Hooked {
    fn create(&self, path: &Path) -> Result<Box<dyn WritableFile>> {
        (self.before)("create", path);
        Ok(self.file(self.inner.create(path)?))
    }
    fn open_append(&self, path: &Path) -> Result<Box<dyn WritableFile>> {
        (self.before)("open_append", path);
        Ok(self.file(self.inner.open_append(path)?))
    }
    fn open_random(&self, path: &Path) -> Result<Arc<dyn RandomFile>> {
        (self.before)("open_random", path);
        self.inner.open_random(path)
    }
    fn open_mapped(&self, path: &Path) -> Result<Arc<dyn RandomFile>> {
        (self.before)("open_mapped", path);
        self.inner.open_mapped(path)
    }
    fn read(&self, path: &Path) -> Result<Vec<u8>> {
        (self.before)("read", path);
        self.inner.read(path)
    }
    fn exists(&self, path: &Path) -> Result<bool> {
        (self.before)("exists", path);
        self.inner.exists(path)
    }
    fn is_link(&self, path: &Path) -> Result<bool> {
        (self.before)("is_link", path);
        self.inner.is_link(path)
    }
    fn len(&self, path: &Path) -> Result<u64> {
        (self.before)("len", path);
        self.inner.len(path)
    }
    fn list(&self, dir: &Path) -> Result<Vec<OsString>> {
        (self.before)("list", dir);
        self.inner.list(dir)
    }
    fn create_dir_all(&self, dir: &Path) -> Result<()> {
        (self.before)("create_dir_all", dir);
        self.inner.create_dir_all(dir)
    }
    fn remove(&self, path: &Path) -> Result<()> {
        (self.before)("remove", path);
        self.inner.remove(path)
    }
    fn remove_dir(&self, dir: &Path) -> Result<()> {
        (self.before)("remove_dir", dir);
        self.inner.remove_dir(dir)
    }
    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        (self.before)("rename", from);
        self.inner.rename(from, to)
    }
    fn hard_link(&self, from: &Path, to: &Path) -> Result<()> {
        (self.before)("hard_link", from);
        if (self.are_apart)(from, to) {
            let source = io::Error::from(io::ErrorKind::CrossesDevices);
            return Err(Error::io("make a second name for", from, source));
        }
        self.inner.hard_link(from, to)
    }
    fn sync_dir(&self, dir: &Path) -> Result<()> {
        (self.before)("sync_dir", dir);
        self.inner.sync_dir(dir)
    }
    fn lock(&self, path: &Path) -> Result<Box<dyn LockGuard>> {
        (self.before)("lock", path);
        Ok(Box::new(HookedLock {
            inner: self.inner.lock(path)?,
            path: path.to_path_buf(),
            before: Arc::clone(&self.before),
        }))
    }
    fn lock_shared(&self, path: &Path) -> Result<Box<dyn LockGuard>> {
        (self.before)("lock_shared", path);
        self.inner.lock_shared(path)
    }
}

struct HookedFile {
    inner: Box<dyn WritableFile>,
    before: Arc<Hook>,
}

impl fmt::Debug for HookedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("HookedFile").field(&self.inner).finish()
    }
}

impl WritableFile for HookedFile {
    fn append(&mut self, data: &[u8]) -> Result<()> {
        (self.before)("append", self.inner.path());
        self.inner.append(data)
    }
    fn syncer(&self) -> Arc<dyn Syncer> {
        Arc::new(HookedSyncer {
            inner: self.inner.syncer(),
            path: self.inner.path().to_path_buf(),
            before: Arc::clone(&self.before),
        })
    }
    fn len(&self) -> u64 {
        self.inner.len()
    }
    fn path(&self) -> &Path {
        self.inner.path()
    }
}

struct HookedLock {
    inner: Box<dyn LockGuard>,
    path: PathBuf,
    before: Arc<Hook>,
}

impl fmt::Debug for HookedLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("HookedLock").field(&self.inner).finish()
    }
}

impl LockGuard for HookedLock {
    fn check(&self) -> Result<()> {
        (self.before)("check the lock", &self.path);
        self.inner.check()
    }
}

struct HookedSyncer {
    inner: Arc<dyn Syncer>,
    path: PathBuf,
    before: Arc<Hook>,
}

impl fmt::Debug for HookedSyncer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("HookedSyncer").field(&self.inner).finish()
    }
}

impl Syncer for HookedSyncer {
    fn sync(&self) -> Result<()> {
        (self.before)("sync", &self.path);
        let synced = self.inner.sync();
        if synced.is_err() {
            (self.before)("failed sync", &self.path);
        }
        synced
    }
}

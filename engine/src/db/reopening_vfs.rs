//! A file system that opens a file again for each read, so that no table holds a descriptor or a mapping.
//!
//! `verify` and `repair` have all tables of a family open, and a process may open few files. If they were mapped, a disk
//! that fails just then would end the process with a signal, instead of being one finding more.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::Result;
use crate::vfs::{FileSlice, LockGuard, RandomFile, Vfs, WritableFile};

/// Passes everything on, except that files for reading are opened for each read.
#[derive(Debug)]
pub(super) struct ReopeningVfs(pub(super) Arc<dyn Vfs>);

impl Vfs for ReopeningVfs {
    fn open_random(&self, path: &Path) -> Result<Arc<dyn RandomFile>> {
        let len = self.0.open_random(path)?.len();
        Ok(Arc::new(ReopenedFile {
            vfs: Arc::clone(&self.0),
            path: path.to_path_buf(),
            len,
        }))
    }

    fn open_mapped(&self, path: &Path) -> Result<Arc<dyn RandomFile>> {
        self.open_random(path)
    }

    fn absolute(&self, path: &Path) -> Result<PathBuf> {
        self.0.absolute(path)
    }

    fn create(&self, path: &Path) -> Result<Box<dyn WritableFile>> {
        self.0.create(path)
    }

    fn open_append(&self, path: &Path) -> Result<Box<dyn WritableFile>> {
        self.0.open_append(path)
    }

    fn read(&self, path: &Path) -> Result<Vec<u8>> {
        self.0.read(path)
    }

    fn exists(&self, path: &Path) -> Result<bool> {
        self.0.exists(path)
    }

    fn is_link(&self, path: &Path) -> Result<bool> {
        self.0.is_link(path)
    }

    fn len(&self, path: &Path) -> Result<u64> {
        self.0.len(path)
    }

    fn list(&self, dir: &Path) -> Result<Vec<OsString>> {
        self.0.list(dir)
    }

    fn create_dir_all(&self, dir: &Path) -> Result<()> {
        self.0.create_dir_all(dir)
    }

    fn remove(&self, path: &Path) -> Result<()> {
        self.0.remove(path)
    }

    fn remove_dir(&self, dir: &Path) -> Result<()> {
        self.0.remove_dir(dir)
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        self.0.rename(from, to)
    }

    fn hard_link(&self, from: &Path, to: &Path) -> Result<()> {
        self.0.hard_link(from, to)
    }

    fn sync_dir(&self, dir: &Path) -> Result<()> {
        self.0.sync_dir(dir)
    }

    fn lock(&self, path: &Path) -> Result<Box<dyn LockGuard>> {
        self.0.lock(path)
    }

    fn lock_shared(&self, path: &Path) -> Result<Box<dyn LockGuard>> {
        self.0.lock_shared(path)
    }
}

#[derive(Debug)]
struct ReopenedFile {
    vfs: Arc<dyn Vfs>,
    path: PathBuf,
    /// As it was when the file was opened first.
    len: u64,
}

impl RandomFile for ReopenedFile {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, len: usize) -> Result<FileSlice> {
        self.vfs.open_random(&self.path)?.read_at(offset, len)
    }

    fn contents(&self) -> Option<FileSlice> {
        None
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

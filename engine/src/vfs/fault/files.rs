//! Open files that fail as planned: one being written, its syncer, and one being read.

use super::FaultVfs;
use super::plan::{Fault, Space};
use crate::error::{Error, Result};
use crate::vfs::{FileSlice, RandomFile, Syncer, WritableFile};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// A file that is written.
#[derive(Debug)]
pub(super) struct FaultyFile {
    vfs: FaultVfs,
    inner: Box<dyn WritableFile>,
    syncer: Arc<FaultySyncer>,
}

/// Syncs a file that is written, also while its writer is elsewhere.
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
    pub(super) fn boxed(vfs: &FaultVfs, inner: Box<dyn WritableFile>) -> Box<dyn WritableFile> {
        let syncer = FaultySyncer {
            vfs: vfs.clone(),
            path: inner.path().to_path_buf(),
            inner: inner.syncer(),
            sync_failed: AtomicBool::new(false),
            grown: AtomicBool::new(false),
        };
        Box::new(Self {
            vfs: vfs.clone(),
            inner,
            syncer: Arc::new(syncer),
        })
    }

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

/// A file that is read.
#[derive(Debug)]
pub(super) struct FaultyRandomFile {
    vfs: FaultVfs,
    inner: Arc<dyn RandomFile>,
}

impl FaultyRandomFile {
    pub(super) fn shared(vfs: &FaultVfs, inner: Arc<dyn RandomFile>) -> Arc<dyn RandomFile> {
        Arc::new(Self {
            vfs: vfs.clone(),
            inner,
        })
    }
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

    fn will_read(&self, offset: u64, len: u64) {
        self.inner.will_read(offset, len);
    }

    fn leave_to_system(&self) {
        self.inner.leave_to_system();
    }

    fn path(&self) -> &Path {
        self.inner.path()
    }
}

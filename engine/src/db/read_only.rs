//! Opening for reading only: the steps of an opening that change nothing.
//!
//! The contents of the logs are replayed into memtables, as in any opening, and stay there, because
//! nothing flushes them. No thread is started. The database refuses writes in the same place where
//! a poisoned one does, but from the beginning: `Core::check_takes_writes`.
//!
//! Readers share a lock, which keeps writers out while there are readers: a writer removes tables that a
//! reader has not opened yet, and logs that it has not read. RocksDB takes no lock here, so its readers may
//! fail later. If there is no lock file, as in a copy on a read-only medium, nothing is locked, since
//! nobody has the database open. If somebody opens it for writing later, a read may fail with `Io`, because
//! its table is gone. But no read gives a wrong row, because the number of a table that a manifest has named is not used
//! again.
//!
//! Left out: a checkpoint. It would need a flush, and a hard link changes the metadata of the file.
//! While nobody writes, a plain copy of the directory is a checkpoint.

use std::path::Path;
use std::sync::Arc;

use crate::db::core::Core;
use crate::db::directory::{admit, list, lock_for_reading};
use crate::db::options::Options;
use crate::db::stored::Stored;
use crate::db::{Background, Db};
use crate::error::{Error, Result};
use crate::sstable::SharedReads;
use crate::version::State;
use crate::version::file_name::{self, FileName};
use crate::vfs::LockGuard;

pub(super) fn open(dir: &Path, options: &Options) -> Result<Db> {
    options.check()?;
    let vfs = &*options.vfs;
    // Tables are opened when they are first read, and the process may change its working directory meanwhile.
    let dir = &*vfs.absolute(dir)?;
    if !vfs.exists(dir)? {
        return Err(nothing_to_read(dir, "there is nothing"));
    }
    let lock: Option<Arc<dyn LockGuard>> = lock_for_reading(vfs, dir)?.map(Arc::from);
    let opened = read(dir, options, lock.clone());
    let lock_file = dir.join(file_name::LOCK);
    if lock.is_none() && vfs.exists(&lock_file)? {
        // Another process has opened it for writing, and may have changed what was being read.
        return Err(Error::Locked { path: lock_file });
    }
    let core = opened?;
    core.tell_opened();
    Db::from_core(Arc::new(core))
}

fn read(dir: &Path, options: &Options, lock: Option<Arc<dyn LockGuard>>) -> Result<Core> {
    let listing = list(&*options.vfs, dir)?;
    admit(dir, options, &listing)?;
    if !listing.files.contains(&FileName::Current) {
        return Err(nothing_to_read(dir, "there is no CURRENT in it"));
    }
    // There is no background work, and reads must not request any.
    let options = &Options {
        background: Background::Manual,
        read_compaction: false,
        ..options.clone()
    };
    let stored = Stored {
        dir,
        options,
        listed: options.listed(),
        lock: None,
        reads: Arc::new(SharedReads::new(options.block_cache_bytes)),
    };
    let (mut state, recovered) = stored.read(&listing)?;
    refuse_missing_families(dir, options, &state)?;
    // These can only be families that every database has.
    stored.add_missing_families(&mut state)?;
    Ok(Core::new(&stored, state, recovered, None, lock))
}

fn nothing_to_read(dir: &Path, found: &str) -> Error {
    Error::NotADatabase {
        path: dir.to_path_buf(),
        found: format!("{found}, and an opening for reading only creates nothing"),
    }
}

fn refuse_missing_families(dir: &Path, options: &Options, state: &State) -> Result<()> {
    let mut listed = options.families.iter().map(|(name, _)| name);
    let Some(name) = listed.find(|name| !state.has_family(name)) else {
        return Ok(());
    };
    let there: Vec<&str> = state.families.values().map(|known| &*known.name).collect();
    Err(Error::invalid(format!(
        "the database in {} has no column family {name:?}, and an opening for reading only creates none; it has {there:?}",
        dir.display()
    )))
}

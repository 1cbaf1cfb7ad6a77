//! Opening for reading only: the first steps of an opening, and none that changes anything.
//!
//! What is in the logs is replayed into memtables, as in any opening, and stays there: nothing flushes them. No thread is
//! started. The database takes no writes from the beginning, as a poisoned one does from its failure on, so what
//! refuses the writes of the one refuses those of the other: `Core::check_takes_writes`.
//!
//! Readers share a lock, which keeps writers out as long as there are readers: a writer removes tables that a reader has not opened
//! yet, and logs that it has not read. RocksDB takes no lock here, and its readers may fail in the middle. Where there is no lock file,
//! as in a copy on a medium that takes none, nothing is locked, since nobody has the database open. If somebody opens it for
//! writing later, a read may fail with `Io`, because its table is gone. No read gives a wrong row: a number of a file is never
//! used twice.
//!
//! Left out: a checkpoint. It would need a flush, and a link changes the file that it leads to. While nobody writes, a copy of the
//! directory is one.

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
    // Tables are opened when they are read, and the process may go elsewhere meanwhile.
    let dir = &*vfs.absolute(dir)?;
    if !vfs.exists(dir)? {
        return Err(nothing_to_read(dir, "there is nothing"));
    }
    let lock: Option<Arc<dyn LockGuard>> = lock_for_reading(vfs, dir)?.map(Arc::from);
    let opened = read(dir, options, lock.clone());
    let lock_file = dir.join(file_name::LOCK);
    if lock.is_none() && vfs.exists(&lock_file)? {
        // Somebody has begun to write, and may have changed what was being read.
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
    let stored = Stored {
        dir,
        // There is no work to be done behind the scenes, and none to be asked for.
        options: &Options {
            background: Background::Manual,
            read_compaction: false,
            ..options.clone()
        },
        lock: None,
        reads: Arc::new(SharedReads::new(options.block_cache_bytes)),
    };
    let (mut state, recovered) = stored.read(&listing)?;
    refuse_missing_families(dir, options, &state)?;
    // Of those that are always there.
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
    let there: Vec<&str> = state.families.values().map(|known| &*known.name).collect();
    let listed = options.families.iter().map(|(name, _)| &**name);
    match listed.into_iter().find(|name| !there.contains(name)) {
        None => Ok(()),
        Some(name) => Err(Error::invalid(format!(
            "the database in {} has no column family {name:?}, and an opening for reading only creates none; it has {there:?}",
            dir.display()
        ))),
    }
}

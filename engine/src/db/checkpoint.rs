//! A checkpoint: a second database in another directory, made of hard links to the tables of the first one.
//!
//! It contains every write that was acknowledged before the call, and a prefix of those made meanwhile, as
//! whole batches over all families. The memtables are flushed first, so it consists of tables and a manifest
//! only; no log is shared or copied. A table never changes, so one file may belong to both databases.
//!
//! Order, and why
//! 1. Flush, then take the state in force. It refers only to tables, and holding it keeps their
//!    files, whatever compactions do meanwhile. Nothing is locked from here on; writers continue.
//! 2. Create `NAME.partial` beside the target, and in it the file `CHECKPOINT`. Its name is made
//!    durable before anything else is there, because it marks the contents as safe to remove.
//! 3. Link the tables into it. Where a link is impossible, as on another file system, copy and sync.
//! 4. Write the manifest, then `CURRENT`. Both are synced with the directory, so the names of the
//!    links are durable too.
//! 5. Rename the directory to the target, sync its parent. Only now does the target exist.
//! 6. Remove `CHECKPOINT`, sync the directory. From now on it is a database like any other, whatever its name.
//!
//! An interrupted checkpoint leaves nothing under the target's name. It may leave `NAME.partial`, which either
//! has no `CURRENT` or is complete; the next checkpoint to the same target removes it. If that directory was
//! not left by a checkpoint, or has been opened since, it belongs to somebody, and the checkpoint is refused.
//!
//! A lock file in it prevents two checkpoints to one target at once. It is held until the target
//! has its name, or until everything is removed, including the lock file itself.
//!
//! Left out: a checkpoint of a poisoned database, whose memtables cannot be flushed. It must be
//! closed and opened again first.

use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::db::Db;
use crate::db::directory::create_directory;
use crate::db::signals::closed;
use crate::error::{Error, Result};
use crate::version::{FileName, Manifest, State, file_name};
use crate::vfs::{Vfs, parent_dir};

/// What is appended to the target's name while the checkpoint is made.
const PARTIAL: &str = ".partial";
/// Bytes copied at a time where linking is impossible.
const COPY_BYTES: usize = 1 << 20;

impl Db {
    /// Makes a database in `dir` with the present contents of this one, at the cost of a flush and
    /// a link for each table.
    ///
    /// Writes, reads and compactions continue meanwhile. It contains everything that was acknowledged
    /// before the call. The two databases share the files of tables until each compacts them away; on
    /// another file system they are copied. Open it like any database, with the same options.
    ///
    /// To restore one, move the damaged database away and put the checkpoint in its place. Do not copy
    /// it over the old directory: it would be among logs of a later time, and opening refuses those.
    ///
    /// ```
    /// # fn main() -> engine::Result<()> {
    /// # let vfs = std::sync::Arc::new(engine::vfs::MemoryVfs::new());
    /// # let options = engine::Options { vfs, ..engine::Options::default() };
    /// # let again = options.clone();
    /// let db = engine::Db::open("db", options)?;
    /// db.put("key", "monday")?;
    /// db.checkpoint("monday")?;
    /// db.put("key", "tuesday")?;
    /// let monday = engine::Db::open("monday", again)?;
    /// assert_eq!(monday.get("key")?.as_deref(), Some(&b"monday"[..]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` if `dir` exists, if there is something with `.partial` appended to its name that
    /// no checkpoint left, or after closing; `Locked` if another checkpoint to `dir` is running; otherwise
    /// as for [`flush`](Self::flush). After an error `dir` does not exist, with one exception: if one of
    /// the last steps failed, which make that name durable, it may exist, and is then complete.
    pub fn checkpoint(&self, dir: impl AsRef<Path>) -> Result<()> {
        let (core, dir) = (&self.handle.core, dir.as_ref());
        core.check_takes_writes()?;
        let vfs = &core.vfs;
        // Held to the end, so that nobody else can open the database meanwhile and remove files
        // that the state still names.
        let _directory = core.lock.lock().clone().ok_or_else(closed)?;
        refuse_existing(&**vfs, dir)?;
        let partial = partial_name(dir)?;
        refuse_foreign(&**vfs, &partial)?;
        self.flush()?;
        let state = core.manifest.lock().state.clone();
        create_directory(&**vfs, &partial)?;
        let _lock = vfs.lock(&partial.join(file_name::LOCK))?;
        // Check again, now that no other checkpoint can change it.
        refuse_foreign(&**vfs, &partial)?;
        let made = mark(&**vfs, &partial)
            .and_then(|()| clear(&**vfs, &partial))
            .and_then(|()| fill(vfs, &core.dir, &partial, state))
            .and_then(|()| refuse_existing(&**vfs, dir))
            .inspect_err(|_| remove_partial(&**vfs, &partial));
        made?;
        take_name(&**vfs, &partial, dir)?;
        vfs.sync_dir(&parent_dir(dir))?;
        vfs.remove(&dir.join(file_name::CHECKPOINT))?;
        vfs.sync_dir(dir)
    }
}

/// Renames the finished directory to the target. A rename that reports an error may have been done
/// all the same: then the directory has the target's name, and no longer its own.
fn take_name(vfs: &dyn Vfs, partial: &Path, dir: &Path) -> Result<()> {
    let Err(error) = vfs.rename(partial, dir) else {
        return Ok(());
    };
    match vfs.exists(partial) {
        Ok(false) if matches!(vfs.exists(dir), Ok(true)) => return Ok(()),
        // Only after this sync can no power cut show it under the target's name, so only then is it removed.
        Ok(true) if vfs.sync_dir(&parent_dir(dir)).is_ok() => remove_partial(vfs, partial),
        // The next checkpoint to the same target removes it, or finds it complete.
        _ => {}
    }
    Err(error)
}

fn refuse_existing(vfs: &dyn Vfs, dir: &Path) -> Result<()> {
    if vfs.exists(dir)? || vfs.is_link(dir)? {
        return Err(Error::invalid(format!(
            "{} exists, and a checkpoint takes a name that is free",
            dir.display()
        )));
    }
    Ok(())
}

fn partial_name(dir: &Path) -> Result<PathBuf> {
    let Some(name) = dir.file_name() else {
        let what = format!("{:?} is no name for a checkpoint", dir.display());
        return Err(Error::invalid(what));
    };
    let mut partial = name.to_os_string();
    partial.push(PARTIAL);
    Ok(dir.with_file_name(partial))
}

/// Refuses a directory that is in the way and was not left by a checkpoint, because its contents
/// would be removed.
fn refuse_foreign(vfs: &dyn Vfs, partial: &Path) -> Result<()> {
    let found = if vfs.is_link(partial)? {
        "is a symbolic link"
    } else if vfs.exists(partial)? && !is_left_over(&vfs.list(partial)?) {
        "holds what no checkpoint left"
    } else {
        return Ok(());
    };
    Err(Error::invalid(format!(
        "{} {found}, and the checkpoint would be made there; move it elsewhere, or choose another name for the checkpoint",
        partial.display()
    )))
}

/// Whether these are the names that an interrupted checkpoint leaves. A database that was opened
/// would have a log.
fn is_left_over(names: &[OsString]) -> bool {
    let is_mark = |name: &OsString| name == file_name::CHECKPOINT;
    let is_lock = |name: &OsString| name == file_name::LOCK;
    let is_of_checkpoint = |name: &OsString| {
        let file = FileName::parse(name);
        is_mark(name) || file.is_some_and(|file| !matches!(file, FileName::Log(_)))
    };
    names.iter().all(is_lock) || (names.iter().any(is_mark) && names.iter().all(is_of_checkpoint))
}

/// Marks, durably, that everything in this directory may be removed.
fn mark(vfs: &dyn Vfs, partial: &Path) -> Result<()> {
    vfs.create(&partial.join(file_name::CHECKPOINT))?;
    vfs.sync_dir(partial)
}

/// Removes what an earlier checkpoint to this target left, except the lock and the mark.
fn clear(vfs: &dyn Vfs, partial: &Path) -> Result<()> {
    let is_left = |name: &OsStr| FileName::parse(name).is_some_and(|file| file != FileName::Lock);
    let mut names: Vec<OsString> = vfs.list(partial)?;
    names.retain(|name| is_left(name));
    // CURRENT first: a half-removed database must not look complete.
    names.sort_by_key(|name| name.as_os_str() != file_name::CURRENT);
    for name in names {
        vfs.remove(&partial.join(&name))?;
        if name == file_name::CURRENT {
            vfs.sync_dir(partial)?;
        }
    }
    Ok(())
}

/// Makes the database that `state` describes; its tables are in `from`.
fn fill(vfs: &Arc<dyn Vfs>, from: &Path, partial: &Path, mut state: State) -> Result<()> {
    for family in state.families.values() {
        for (_, table) in family.version.tables() {
            let target = file_name::table(partial, table.number);
            link_or_copy(&**vfs, &file_name::table(from, table.number), &target)?;
        }
    }
    let manifest_number = state.next_file;
    state.next_file = manifest_number + 1;
    // Everything is in tables.
    state.oldest_log = 0;
    Manifest::create(Arc::clone(vfs), partial, manifest_number, &state).map(drop)
}

/// Gives a finished file a second name, or makes a synced copy if the file system cannot.
pub(super) fn link_or_copy(vfs: &dyn Vfs, from: &Path, to: &Path) -> Result<()> {
    match vfs.hard_link(from, to) {
        Err(Error::Io { source, .. }) if is_impossible(source.kind()) => copy(vfs, from, to),
        linked => linked,
    }
}

/// Whether the error means that no link is possible between these places, while a copy may be.
fn is_impossible(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::CrossesDevices
            | ErrorKind::Unsupported
            | ErrorKind::TooManyLinks
            | ErrorKind::PermissionDenied
    )
}

fn copy(vfs: &dyn Vfs, from: &Path, to: &Path) -> Result<()> {
    let source = vfs.open_random(from)?;
    let mut target = vfs.create(to)?;
    let mut offset = 0;
    while offset < source.len() {
        let len = COPY_BYTES.min(usize::try_from(source.len() - offset).unwrap_or(COPY_BYTES));
        target.append(&source.read_at(offset, len)?)?;
        offset += len as u64;
    }
    target.sync()
}

/// Removes what this checkpoint made, its lock last. The next checkpoint to the same target removes
/// what cannot be removed now.
fn remove_partial(vfs: &dyn Vfs, partial: &Path) {
    let _ = clear(vfs, partial)
        // Files that remained without the mark would block the target for good.
        .and_then(|()| vfs.sync_dir(partial))
        .and_then(|()| vfs.remove(&partial.join(file_name::CHECKPOINT)))
        .and_then(|()| vfs.remove(&partial.join(file_name::LOCK)))
        .and_then(|()| vfs.remove_dir(partial));
}

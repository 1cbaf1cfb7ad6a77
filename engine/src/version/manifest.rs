//! The manifest: the log of version edits, and `CURRENT`, which says which manifest is in force.
//!
//! A manifest begins with one edit that makes the whole state, and goes on with the edits since. Each opening
//! starts a new one, because nothing is ever appended behind a torn end; so does one that grew long.
//!
//! Order of durability (the reasons are in `engine/docs/durability.md`)
//! 1. New manifest: write, sync, sync the directory. Only then may `CURRENT` name it.
//! 2. `CURRENT`: write the temporary file, sync, rename, sync the directory.
//! 3. Only then is the old manifest removed, and only then do edits count that were written to the new one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::log::{LogReader, LogWriter, RecoveryMode};
use crate::version::edit::{MANIFEST_FORMAT, MANIFEST_MAGIC, VersionEdit};
use crate::version::file_name::{self, CURRENT, CURRENT_TEMPORARY, FileName};
use crate::version::state::State;
use crate::vfs::Vfs;

/// A manifest shorter than this is never replaced while the database is open.
const REWRITE_BYTES_MIN: u64 = 1 << 20;
/// A manifest is replaced when it is this many times longer than it was when it began.
const REWRITE_FACTOR: u64 = 8;
/// Space is taken ahead of edits, so that a full disk is noticed before one is torn.
const RESERVED_BYTES: u64 = 4 << 10;
/// How far into a file the magic stands at most: behind a log header, a tag and a length.
const MAGIC_WITHIN_BYTES: usize = 64;

/// The manifest in force, open for appending.
#[derive(Debug)]
pub struct Manifest {
    vfs: Arc<dyn Vfs>,
    dir: PathBuf,
    number: u64,
    log: LogWriter,
    bytes_at_start: u64,
}

impl Manifest {
    /// Writes `state` as manifest `number` and puts it in force.
    ///
    /// # Errors
    /// `Io`. The old manifest is then still in force, or the new one is: both say the same.
    pub fn create(vfs: Arc<dyn Vfs>, dir: &Path, number: u64, state: &State) -> Result<Self> {
        let file = vfs.create(&file_name::manifest(dir, number))?;
        let mut log = LogWriter::new(file, number).reserving(RESERVED_BYTES);
        log.add_record(&state.as_edit().encode())?;
        log.sync()?;
        vfs.sync_dir(dir)?;
        set_current(&*vfs, dir, number)?;
        let bytes_at_start = log.len();
        Ok(Self {
            vfs,
            dir: dir.to_path_buf(),
            number,
            log,
            bytes_at_start,
        })
    }

    /// Gives back the space that was taken ahead of edits.
    ///
    /// # Errors
    /// `Io`. Zeros may then follow the last edit, which mean nothing.
    pub fn finish(&mut self) -> Result<()> {
        self.log.finish()
    }

    /// Whether a write or sync has failed, so that nothing more can be written.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.log.has_failed()
    }

    /// Appends an edit. It is durable on return.
    ///
    /// # Errors
    /// `Io`. If it [`has_failed`](Self::has_failed), whether the edit will be there after reopening is then unknown, so nothing that
    /// depends on the answer may be done: no file removed, no later edit written. If not, the disk is full, nothing was
    /// written, and another try may succeed.
    pub fn append(&mut self, edit: &VersionEdit) -> Result<()> {
        self.log.add_record(&edit.encode())?;
        self.log.sync()
    }

    /// Whether it has grown so long that starting a new one pays.
    #[must_use]
    pub fn is_long(&self) -> bool {
        self.log.len() > REWRITE_BYTES_MIN.max(self.bytes_at_start * REWRITE_FACTOR)
    }

    /// Puts a new manifest `number` with `state` in force and removes this one.
    ///
    /// # Errors
    /// As for [`Manifest::create`].
    pub fn replace(&mut self, number: u64, state: &State) -> Result<()> {
        let next = Self::create(Arc::clone(&self.vfs), &self.dir, number, state)?;
        let old = std::mem::replace(self, next);
        // If it stays, the next open removes it.
        let _ = self.vfs.remove(&file_name::manifest(&self.dir, old.number));
        Ok(())
    }

    /// Its number.
    #[must_use]
    pub const fn number(&self) -> u64 {
        self.number
    }
}

fn set_current(vfs: &dyn Vfs, dir: &Path, number: u64) -> Result<()> {
    let temporary = dir.join(CURRENT_TEMPORARY);
    let mut file = vfs.create(&temporary)?;
    file.append(format!("{}\n", file_name::manifest_name(number)).as_bytes())?;
    file.sync()?;
    drop(file);
    vfs.rename(&temporary, &dir.join(CURRENT))?;
    vfs.sync_dir(dir)
}

/// The number of the manifest that `CURRENT` names.
///
/// # Errors
/// `Io` (`is_not_found` if there is no `CURRENT`), or `NotADatabase` if it names no manifest.
pub fn current_manifest(vfs: &dyn Vfs, dir: &Path) -> Result<u64> {
    let contents = vfs.read(&dir.join(CURRENT))?;
    let name = contents
        .strip_suffix(b"\n")
        .and_then(|name| std::str::from_utf8(name).ok());
    match name.map(|name| FileName::parse(name.as_ref())) {
        Some(Some(FileName::Manifest(number))) => Ok(number),
        _ => Err(Error::NotADatabase {
            path: dir.to_path_buf(),
            found: format!(
                "its CURRENT should name a manifest and holds \"{}\"",
                contents[..contents.len().min(MAGIC_WITHIN_BYTES)].escape_ascii()
            ),
        }),
    }
}

/// The number of the manifest in force, and what `read` makes of it. Whoever has the database open may replace the manifest
/// while it is read; then the new one is read.
///
/// # Errors
/// As for [`current_manifest`], and those of `read`.
pub fn read_in_force<T>(
    vfs: &dyn Vfs,
    dir: &Path,
    read: impl Fn(u64) -> Result<T>,
) -> Result<(u64, T)> {
    let mut number = current_manifest(vfs, dir)?;
    loop {
        let outcome = read(number);
        let newer = current_manifest(vfs, dir)?;
        if newer == number {
            return Ok((number, outcome?));
        }
        number = newer;
    }
}

/// The edits of a manifest in order, each with the offset of its record. An edit torn by a power cut at the end was never in force.
///
/// # Errors
/// `Corruption` if it is damaged, `UnsupportedVersion` if a later release wrote it, `NotADatabase` if
/// another program did, else `Io`.
pub fn read_manifest(vfs: &dyn Vfs, dir: &Path, number: u64) -> Result<Vec<(u64, VersionEdit)>> {
    let path = file_name::manifest(dir, number);
    let contents = vfs.read(&path)?;
    let foreign = || Error::NotADatabase {
        path: dir.to_path_buf(),
        found: format!(
            "{} does not begin as a manifest of this engine does",
            path.display()
        ),
    };
    let start = &contents[..contents.len().min(MAGIC_WITHIN_BYTES)];
    if !start
        .windows(MANIFEST_MAGIC.len())
        .any(|window| window == MANIFEST_MAGIC)
    {
        return Err(foreign());
    }
    let mut reader = LogReader::new(&contents, &path, number, RecoveryMode::PointInTime);
    let mut edits = Vec::new();
    while let Some(record) = reader.next_kept()? {
        let at = reader.record_at();
        let edit = VersionEdit::decode(&record).map_err(|what| {
            let record = edits.len();
            Error::corruption(&path, at, format!("record {record}: {what}"))
        })?;
        if edits.is_empty() {
            check_format(&edit, &path)?;
        }
        edits.push((at, edit));
    }
    if edits.is_empty() {
        let what = "the first record, which holds the whole state, is not whole";
        return Err(Error::corruption(&path, 0, what));
    }
    Ok(edits)
}

fn check_format(first: &VersionEdit, path: &Path) -> Result<()> {
    match first.format {
        Some(MANIFEST_FORMAT) => Ok(()),
        Some(found) if found > MANIFEST_FORMAT => Err(Error::UnsupportedVersion {
            file: path.to_path_buf(),
            found,
            newest: MANIFEST_FORMAT,
        }),
        found => {
            let what = format!("the first record states the format {found:?}, which never existed");
            Err(Error::corruption(path, 0, what))
        }
    }
}

//! The manifest: the log of version edits, and `CURRENT`, which names the manifest in force.
//!
//! A manifest begins with one edit that makes the whole state, followed by the edits since. Each
//! opening starts a new one, because nothing is ever appended after a torn end; so does the growth
//! of a manifest beyond a limit.
//!
//! Order of durability (the reasons are in `engine/docs/durability.md`)
//! 1. The new manifest and `CURRENT.tmp`: write, sync. All that takes space comes before anything changes.
//! 2. Sync the directory. Only then may `CURRENT` name the new manifest.
//! 3. Rename `CURRENT.tmp` to `CURRENT`, sync the directory.
//! 4. Only then is the old manifest removed, and only then do edits in the new one count.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::log::{LogReader, LogWriter, RecoveryMode, may_be_log};
use crate::version::edit::{MANIFEST_FORMAT, MANIFEST_MAGIC, VersionEdit};
use crate::version::file_name::{self, CURRENT, CURRENT_TEMPORARY, FileName};
use crate::version::state::State;
use crate::version::traces::holds_files_of_ours;
use crate::vfs::{SealedFile, Vfs};

/// A manifest shorter than this is never replaced while the database is open.
const REWRITE_BYTES_MIN: u64 = 1 << 20;
/// A manifest is replaced when it is this many times longer than it was when it began.
const REWRITE_FACTOR: u64 = 8;
/// Space is reserved ahead of edits, so that a full disk is noticed before an edit is torn.
const RESERVED_BYTES: u64 = 4 << 10;
/// The magic ends within this many bytes from the start of a file, after a log header, a tag and a length.
const MAGIC_WITHIN_BYTES: usize = 64;

/// The manifest in force, open for appending.
#[derive(Debug)]
pub struct Manifest {
    vfs: Arc<dyn Vfs>,
    dir: PathBuf,
    number: u64,
    log: LogWriter,
    bytes_at_start: u64,
    /// Below this length it is not replaced, because there was no space for another one.
    no_space_below: u64,
}

impl Manifest {
    /// Writes `state` as manifest `number` and puts it in force.
    ///
    /// # Errors
    /// `Io`. The old manifest is then still in force, or the new one is: both say the same.
    pub fn create(vfs: Arc<dyn Vfs>, dir: &Path, number: u64, state: &State) -> Result<Self> {
        let manifest = Self::prepare(vfs, dir, number, state)?;
        manifest.vfs.sync_dir(dir)?;
        manifest.name_in_current()?;
        manifest.vfs.sync_dir(dir)?;
        Ok(manifest)
    }

    /// Writes `state` as manifest `number`, and the next `CURRENT` that will name it. Those in
    /// force stay as they are.
    fn prepare(vfs: Arc<dyn Vfs>, dir: &Path, number: u64, state: &State) -> Result<Self> {
        let file = vfs.create(&file_name::manifest(dir, number))?;
        let mut log = LogWriter::new(file, number).reserving(RESERVED_BYTES);
        log.add_record(&state.as_edit().encode())?;
        log.sync()?;
        let mut current = vfs.create(&dir.join(CURRENT_TEMPORARY))?;
        current.append(format!("{}\n", file_name::manifest_name(number)).as_bytes())?;
        current.sync()?;
        let bytes_at_start = log.len();
        Ok(Self {
            vfs,
            dir: dir.to_path_buf(),
            number,
            log,
            bytes_at_start,
            no_space_below: 0,
        })
    }

    /// The switch: makes `CURRENT` name this manifest. A rename that reports an error may have been
    /// done all the same, so `CURRENT` is read again.
    fn name_in_current(&self) -> Result<()> {
        let (from, to) = (self.dir.join(CURRENT_TEMPORARY), self.dir.join(CURRENT));
        let renamed = self.vfs.rename(&from, &to);
        renamed.or_else(|error| match current_manifest(&*self.vfs, &self.dir) {
            Ok(number) if number == self.number => Ok(()),
            _ => Err(error),
        })
    }

    /// Frees the space that was reserved ahead of edits.
    ///
    /// # Errors
    /// `Io`. Zeros may then follow the last edit; they mean nothing.
    pub fn finish(&mut self) -> Result<()> {
        self.log.finish()
    }

    /// Whether a write or sync has failed, so that nothing more can be written.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.log.has_failed()
    }

    /// Appends an edit. On return it is durable.
    ///
    /// # Errors
    /// `Io`. If the manifest then [`has_failed`](Self::has_failed), it is unknown whether the edit will be
    /// there after reopening. So nothing that depends on it may be done: no file removed, no later edit
    /// written. If it has not failed, the disk is full, nothing was written, and another try may succeed.
    pub fn append(&mut self, edit: &VersionEdit) -> Result<()> {
        self.log.add_record(&edit.encode())?;
        self.log.sync()
    }

    /// Whether the manifest has grown so long that starting a new one pays.
    #[must_use]
    pub fn is_long(&self) -> bool {
        let long = REWRITE_BYTES_MIN.max(self.bytes_at_start * REWRITE_FACTOR);
        self.log.len() > long.max(self.no_space_below)
    }

    /// Puts a new manifest `number` with `state` in force and removes this one. If the disk is full, this
    /// one stays in force and continues to grow for a while, because nothing needs the new one yet.
    ///
    /// # Errors
    /// As for [`Manifest::create`].
    pub fn replace(&mut self, number: u64, state: &State) -> Result<()> {
        let next = match Self::prepare(Arc::clone(&self.vfs), &self.dir, number, state) {
            Err(error) if error.is_out_of_space() => {
                self.stay(number);
                return Ok(());
            }
            prepared => prepared?,
        };
        // After a failed sync it is unknown what of the directory is durable, so this error is
        // final even if space is missing.
        self.vfs.sync_dir(&self.dir)?;
        match next.name_in_current() {
            Err(error) if error.is_out_of_space() => {
                if current_manifest(&*self.vfs, &self.dir)? != self.number {
                    return Err(error);
                }
                // Only after this sync can no power cut show a `CURRENT` that names the new
                // manifest, so only then is that removed.
                self.vfs.sync_dir(&self.dir)?;
                self.stay(number);
                return Ok(());
            }
            named => named?,
        }
        self.vfs.sync_dir(&self.dir)?;
        let old = std::mem::replace(self, next);
        // If this fails, the next open removes it.
        let _ = self.vfs.remove(&file_name::manifest(&self.dir, old.number));
        Ok(())
    }

    /// Gives up replacing this manifest, for want of space, until it is longer. Removes the files
    /// made for manifest `number`.
    fn stay(&mut self, number: u64) {
        self.no_space_below = self.log.len() + REWRITE_BYTES_MIN;
        let unneeded = [
            file_name::manifest(&self.dir, number),
            self.dir.join(CURRENT_TEMPORARY),
        ];
        for path in unneeded {
            // If this fails, the next open removes it.
            let _ = self.vfs.remove(&path);
        }
    }

    /// The number of the manifest.
    #[must_use]
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// A manifest that takes no edits, for a database that was opened for reading only.
    #[must_use]
    pub fn sealed(vfs: Arc<dyn Vfs>, dir: &Path) -> Self {
        Self {
            vfs,
            dir: dir.to_path_buf(),
            number: 0,
            log: LogWriter::new(Box::new(SealedFile::of(dir)), 0),
            bytes_at_start: 0,
            no_space_below: 0,
        }
    }
}

/// The number of the manifest that `CURRENT` names.
///
/// # Errors
/// `Io` (`is_not_found` if there is no `CURRENT`). If it names no manifest: `Corruption` if files of a database
/// are beside it, otherwise `NotADatabase`.
pub fn current_manifest(vfs: &dyn Vfs, dir: &Path) -> Result<u64> {
    // Reads no more than a name can take: the file may be anybody's, and of any length.
    let path = dir.join(CURRENT);
    let file = vfs.open_random(&path)?;
    let len = file.len().min(MAGIC_WITHIN_BYTES as u64);
    let contents = file.read_at(0, len as usize)?;
    if let Some(number) = named_manifest(&contents) {
        return Ok(number);
    }
    let found = contents.escape_ascii();
    if holds_files_of_ours(vfs, dir)? {
        let what = format!(
            "it should name a manifest, as in \"MANIFEST-000005\" and a newline, and holds \"{found}\""
        );
        let at = where_no_current(&contents) as u64;
        return Err(Error::corruption(path, at, what));
    }
    Err(Error::NotADatabase {
        path: dir.to_path_buf(),
        found: format!("its CURRENT should name a manifest and holds \"{found}\""),
    })
}

/// The number of the manifest that a `CURRENT` with these contents names.
#[must_use]
pub fn named_manifest(contents: &[u8]) -> Option<u64> {
    let name = std::str::from_utf8(contents.strip_suffix(b"\n")?).ok()?;
    match FileName::parse(name.as_ref()) {
        Some(FileName::Manifest(number)) => Some(number),
        _ => None,
    }
}

/// Where a `CURRENT` that names no manifest first differs from one that does, which may be its end.
#[must_use]
pub fn where_no_current(contents: &[u8]) -> usize {
    let prefix = file_name::MANIFEST_PREFIX.as_bytes();
    let fits = contents.iter().zip(prefix).take_while(|(a, b)| a == b);
    let fits = fits.count();
    if fits < prefix.len() {
        return fits;
    }
    let digits = contents[fits..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    match &contents[fits + digits..] {
        // The digits are wrong: too few, or not as numbers are written.
        b"\n" => fits,
        _ => fits + digits,
    }
}

/// The number of the manifest in force, and what `read` returns for it. Another process that has
/// the database open may replace the manifest meanwhile; then the new one is read.
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

/// The edits of a manifest in order, each with the offset of its record. An edit at the end that a
/// power cut tore was never in force and is left out.
///
/// # Errors
/// `Corruption` if it is damaged or missing, `UnsupportedVersion` if a later release wrote it, `NotADatabase`
/// if another program did, otherwise `Io`.
pub fn read_manifest(vfs: &dyn Vfs, dir: &Path, number: u64) -> Result<Vec<(u64, VersionEdit)>> {
    let path = file_name::manifest(dir, number);
    let contents = read_contents(vfs, dir, number)?;
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

/// The bytes of manifest `number`, which may be damaged.
///
/// # Errors
/// `Corruption` if it is missing, `NotADatabase` if another program wrote it and no file beside it is the engine's, `Io`.
pub fn read_contents(vfs: &dyn Vfs, dir: &Path, number: u64) -> Result<Vec<u8>> {
    let path = file_name::manifest(dir, number);
    let contents = match vfs.read(&path) {
        Err(_) if matches!(vfs.exists(&path), Ok(false)) => {
            let what = "the file is missing, and CURRENT names it";
            return Err(Error::corruption(&path, 0, what));
        }
        read => read?,
    };
    let may_be_ours = begins_as_manifest(&contents) || may_be_log(&contents, number);
    if may_be_ours || holds_files_of_ours(vfs, dir)? {
        return Ok(contents);
    }
    Err(Error::NotADatabase {
        path: dir.to_path_buf(),
        found: format!(
            "{} does not begin as a manifest of this engine does",
            path.display()
        ),
    })
}

/// Whether a file begins with the magic of a manifest.
#[must_use]
pub fn begins_as_manifest(contents: &[u8]) -> bool {
    let start = &contents[..contents.len().min(MAGIC_WITHIN_BYTES)];
    let mut windows = start.windows(MANIFEST_MAGIC.len());
    windows.any(|window| window == MANIFEST_MAGIC)
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

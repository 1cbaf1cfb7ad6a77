//! The directory of a database: what is in it, whether it may be opened or created, and its creation.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::db::options::Options;
use crate::error::{Error, Result};
use crate::version::file_name::{self, FileName};
use crate::version::{current_manifest, holds_files_of_ours, read_manifest};
use crate::vfs::{LockGuard, Vfs, parent_dir};

/// The contents of a directory.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) files: Vec<FileName>,
    /// The first name that is not the engine's.
    foreign: Option<String>,
    /// Whether a checkpoint that has not ended is here.
    is_partial: bool,
}

/// Refuses directories that must not be touched.
pub(super) fn look(dir: &Path, options: &Options) -> Result<()> {
    let vfs = &*options.vfs;
    if !vfs.exists(dir)? {
        return check_may_create(dir, options, "there is nothing");
    }
    let listing = list(vfs, dir)?;
    admit(dir, options, &listing)?;
    let is_database = listing.files.contains(&FileName::Current);
    if is_database && !listing.files.contains(&FileName::Lock) {
        // Check before locking, because that would create a file in what may be somebody else's directory.
        read_manifest(vfs, dir, current_manifest(vfs, dir)?)?;
    }
    Ok(())
}

/// Checks that a directory holds what the options expect.
pub(super) fn admit(dir: &Path, options: &Options, listing: &Listing) -> Result<()> {
    if !listing.files.contains(&FileName::Current) {
        listing.check_is_new(&*options.vfs, dir)?;
        return check_may_create(dir, options, "there is no CURRENT in it");
    }
    if options.error_if_exists {
        return Err(Error::invalid(format!(
            "{} already holds a database, and error_if_exists is on",
            dir.display()
        )));
    }
    Ok(())
}

fn check_may_create(dir: &Path, options: &Options, found: &str) -> Result<()> {
    if options.create_if_missing {
        return Ok(());
    }
    Err(Error::NotADatabase {
        path: dir.to_path_buf(),
        found: format!("{found}, and create_if_missing is off"),
    })
}

/// Creates the directory and makes its name durable.
///
/// The parent is synced even if the directory existed without a database in it: an earlier creation
/// may have failed before its sync.
pub(super) fn create_directory(vfs: &dyn Vfs, dir: &Path) -> Result<()> {
    if vfs.exists(&dir.join(file_name::CURRENT))? {
        return Ok(());
    }
    let mut missing = Vec::new();
    for ancestor in dir
        .ancestors()
        .take_while(|ancestor| !ancestor.as_os_str().is_empty())
    {
        if vfs.exists(ancestor)? {
            break;
        }
        missing.push(ancestor);
    }
    vfs.create_dir_all(dir)?;
    for created in missing.iter().rev() {
        vfs.sync_dir(&parent_dir(created))?;
    }
    if missing.is_empty() {
        // If this user may not read the parent, somebody else created the directory, and must have
        // made it durable.
        return vfs
            .sync_dir(&parent_dir(dir))
            .or_else(|error| match &error {
                Error::Io { source, .. } if source.kind() == ErrorKind::PermissionDenied => Ok(()),
                _ => Err(error),
            });
    }
    Ok(())
}

/// Keeps writers out while the directory is read; other readers may read too. If there is no lock
/// file, no process has the database open, and none is made, because the directory may be a copy on
/// a medium that cannot be written.
pub(super) fn lock_for_reading(vfs: &dyn Vfs, dir: &Path) -> Result<Option<Box<dyn LockGuard>>> {
    match vfs.lock_shared(&dir.join(file_name::LOCK)) {
        Err(error) if error.is_not_found() => Ok(None),
        locked => locked.map(Some),
    }
}

pub(super) fn list(vfs: &dyn Vfs, dir: &Path) -> Result<Listing> {
    let mut listing = Listing::default();
    for name in vfs.list(dir)? {
        listing.is_partial |= name == file_name::CHECKPOINT;
        match FileName::parse(&name) {
            Some(file) => listing.files.push(file),
            None if listing.foreign.is_none() => {
                listing.foreign = Some(name.to_string_lossy().into_owned());
            }
            None => {}
        }
    }
    Ok(listing)
}

impl Listing {
    /// The numbers of the logs, ascending.
    pub(super) fn logs(&self) -> BTreeSet<u64> {
        self.files
            .iter()
            .filter_map(|file| match file {
                FileName::Log(number) => Some(*number),
                _ => None,
            })
            .collect()
    }

    /// For a directory without `CURRENT`: checks that it holds nothing but what a creation leaves
    /// behind if a power cut interrupts it.
    ///
    /// # Errors
    /// `Corruption` if a database has lost its `CURRENT`, `NotADatabase` if something else is there, `Io`.
    pub(super) fn check_is_new(&self, vfs: &dyn Vfs, dir: &Path) -> Result<()> {
        let data = self.data(vfs, dir)?;
        if let Some(foreign) = &self.foreign {
            let unfinished = self.is_partial || data.is_none() || !holds_files_of_ours(vfs, dir)?;
            if unfinished {
                return Err(Error::NotADatabase {
                    path: dir.to_path_buf(),
                    found: format!("it holds {foreign:?} and no CURRENT"),
                });
            }
        }
        data.map_or(Ok(()), |path| Err(without_current(dir, &path)))
    }

    /// The first file that holds rows.
    fn data(&self, vfs: &dyn Vfs, dir: &Path) -> Result<Option<PathBuf>> {
        for file in &self.files {
            let path = match file {
                FileName::Table(number) => file_name::table(dir, *number),
                FileName::Log(number) => file_name::log(dir, *number),
                _ => continue,
            };
            if matches!(file, FileName::Table(_)) || vfs.len(&path)? > 0 {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }
}

/// The error that `CURRENT` is missing although `beside` is there.
pub(super) fn without_current(dir: &Path, beside: &Path) -> Error {
    let what = format!(
        "the file is missing, and {} beside it holds data",
        beside.display()
    );
    Error::corruption(dir.join(file_name::CURRENT), 0, what)
}

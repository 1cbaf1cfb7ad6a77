//! Moves files aside, into the folder `lost`. Nothing is deleted.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::Repair;
use crate::error::Result;
use crate::version::FileName;
use crate::version::file_name;

/// The folder for files that are moved aside.
pub(super) const LOST: &str = "lost";
const NO_FILE: &str = "it is no file, and the name is needed for one";

impl Repair<'_> {
    /// Sets aside what has the name of `CURRENT` or of the next one and is no file, so that a new file can
    /// get that name.
    pub(super) fn clear_the_way(&mut self) {
        let in_the_way = [
            (self.names.current, file_name::CURRENT),
            (self.names.current_temporary, file_name::CURRENT_TEMPORARY),
        ];
        for (is_there, name) in in_the_way {
            let path = self.dir.join(name);
            let opened = self.vfs.open_random(&path);
            if is_there && opened.is_err_and(|error| error.is_no_file()) {
                self.set_aside(path, NO_FILE);
            }
        }
    }

    pub(super) fn set_aside(&mut self, path: PathBuf, why: impl Into<String>) {
        self.report.aside.push((path, why.into()));
    }

    pub(super) fn move_aside(&mut self) -> Result<()> {
        if self.report.aside.is_empty() && self.names.manifests.is_empty() {
            return Ok(());
        }
        self.vfs.create_dir_all(&self.dir.join(LOST))?;
        self.vfs.sync_dir(self.dir)?;
        let listed = self.survey.table_numbers();
        for are_named in [false, true] {
            let paths = self.report.aside.iter().map(|(path, _)| path);
            for path in paths.filter(|path| self.is_named(path, &listed) == are_named) {
                self.move_to_lost(path)?;
            }
            self.vfs.sync_dir(&self.dir.join(LOST))?;
            self.vfs.sync_dir(self.dir)?;
        }
        Ok(())
    }

    /// Whether the manifest, as far as it could be read, needs this file. `listed` are the tables that it names.
    fn is_named(&self, path: &Path, listed: &BTreeSet<u64>) -> bool {
        match path.file_name().and_then(FileName::parse) {
            Some(FileName::Table(number)) => listed.contains(&number),
            Some(FileName::Log(number)) => number >= self.survey.oldest_log,
            _ => false,
        }
    }

    pub(super) fn move_to_lost(&self, path: &Path) -> Result<()> {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let mut target = self.dir.join(LOST).join(&name);
        for again in 1.. {
            if !self.vfs.exists(&target)? {
                break;
            }
            target = self.dir.join(LOST).join(format!("{name}.{again}"));
        }
        self.vfs.rename(path, &target)
    }
}

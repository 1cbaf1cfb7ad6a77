//! A file that accepts no writes: the log and the manifest of a database that was opened for reading only.
//!
//! Every write is refused before it gets here. If one were not, it would fail here with the same error.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Syncer, WritableFile};
use crate::error::{Error, Result};

/// Not a file; its name is the database's directory.
#[derive(Debug, Clone)]
pub(crate) struct SealedFile {
    dir: PathBuf,
}

impl SealedFile {
    pub(crate) fn of(dir: &Path) -> Self {
        Self {
            dir: dir.to_path_buf(),
        }
    }

    fn refuse(&self) -> Result<()> {
        Err(Error::ReadOnly {
            dir: self.dir.clone(),
        })
    }
}

impl WritableFile for SealedFile {
    fn append(&mut self, _data: &[u8]) -> Result<()> {
        self.refuse()
    }

    fn syncer(&self) -> Arc<dyn Syncer> {
        Arc::new(self.clone())
    }

    fn len(&self) -> u64 {
        0
    }

    fn path(&self) -> &Path {
        &self.dir
    }
}

impl Syncer for SealedFile {
    fn sync(&self) -> Result<()> {
        self.refuse()
    }
}

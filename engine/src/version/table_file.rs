//! A table of a version: what the manifest says about it, and the open file once it has been read.
//!
//! Invariants
//! 1. A table is opened at its first use and stays open: its index and filter are read once.
//! 2. The file is removed when it is no longer part of the durable manifest *and* nothing holds
//!    this value: no version, so no cursor and no snapshot.
//! 3. It is removed only while the directory is locked. A cursor may outlive the database, and by
//!    then the directory may hold another database that has a table of the same number.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use crate::annotate::count;
use crate::batch::FamilyId;
use crate::comparator::Comparator;
use crate::error::{Error, Result};
use crate::internal_key;
use crate::sstable::{Properties, SharedReads, Table};
use crate::version::ReadCharge;
use crate::version::edit::FileMeta;
use crate::version::file_name;
use crate::vfs::{LockGuard, Vfs};

/// How tables are opened: what all tables of a family share.
#[derive(Debug, Clone)]
pub struct TableAccess {
    /// The file system.
    pub vfs: Arc<dyn Vfs>,
    /// The database's directory.
    pub dir: PathBuf,
    /// The order of the keys.
    pub comparator: Comparator,
    /// Whether files are mapped; otherwise each read is a system call.
    pub mapped: bool,
    /// What the tables of the database share for reading.
    pub reads: Arc<SharedReads>,
    /// The family that the tables must belong to; `None` if they may belong to any.
    pub family: Option<FamilyId>,
    /// The lock of the directory, which lives as long as the database holds it. Without it nothing is removed.
    pub lock: Option<Weak<dyn LockGuard>>,
}

impl TableAccess {
    /// For opening tables only to read them.
    #[must_use]
    pub fn new(vfs: Arc<dyn Vfs>, dir: &Path, comparator: Comparator, mapped: bool) -> Self {
        Self {
            vfs,
            dir: dir.to_path_buf(),
            comparator,
            mapped,
            reads: Arc::new(SharedReads::new(0)),
            family: None,
            lock: None,
        }
    }

    /// With a cache and counters that are shared with other tables.
    #[must_use]
    pub fn sharing(self, reads: &Arc<SharedReads>) -> Self {
        Self {
            reads: Arc::clone(reads),
            ..self
        }
    }

    /// For the tables of this family only; those of others are refused.
    #[must_use]
    pub fn of_family(self, family: FamilyId) -> Self {
        Self {
            family: Some(family),
            ..self
        }
    }

    /// The same for the tables of another family of the database.
    #[must_use]
    pub fn for_sibling(&self, family: FamilyId, comparator: Comparator) -> Self {
        Self {
            comparator,
            ..self.clone().of_family(family)
        }
    }

    /// Allows tables to be removed as long as `lock` is held.
    #[must_use]
    pub fn under(self, lock: &Arc<dyn LockGuard>) -> Self {
        Self {
            lock: Some(Arc::downgrade(lock)),
            ..self
        }
    }
}

/// A table of a version.
#[derive(Debug)]
pub struct TableFile {
    meta: FileMeta,
    access: Arc<TableAccess>,
    /// Whether the last user key is excluded, because it is the end of the last range tombstone.
    end_excluded: bool,
    table: OnceLock<Arc<Table>>,
    obsolete: AtomicBool,
    charge: ReadCharge,
}

impl TableFile {
    /// A table that the manifest names. Nothing is opened yet.
    #[must_use]
    pub fn new(meta: FileMeta, access: Arc<TableAccess>) -> Self {
        Self {
            end_excluded: internal_key::is_range_end(&meta.largest),
            meta,
            access,
            table: OnceLock::new(),
            obsolete: AtomicBool::new(false),
            charge: ReadCharge::default(),
        }
    }

    /// What cursors lost on its tombstones, as long as it was in a deeper level.
    #[must_use]
    pub const fn charge(&self) -> &ReadCharge {
        &self.charge
    }

    /// The open table.
    ///
    /// # Errors
    /// `Io` or `Corruption` if it cannot be opened or is not the table that the manifest means.
    pub fn table(&self) -> Result<&Arc<Table>> {
        match self.table.get() {
            Some(table) => Ok(table),
            None => self.open(),
        }
    }

    #[cold]
    fn open(&self) -> Result<&Arc<Table>> {
        let path = self.path();
        let vfs = &self.access.vfs;
        let file = if self.access.mapped {
            vfs.open_mapped(&path)
        } else {
            vfs.open_random(&path)
        }?;
        if file.len() != self.meta.bytes {
            let what = format!(
                "the manifest says {} and the file has {}",
                count(self.meta.bytes, "byte"),
                file.len()
            );
            return Err(Error::corruption(
                path,
                file.len().min(self.meta.bytes),
                what,
            ));
        }
        let table = Table::open_sharing(
            file,
            self.access.comparator.clone(),
            Arc::clone(&self.access.reads),
        )?;
        match self.contradiction(table.properties()) {
            // If two threads open it at once, one wins, and both use the winner's.
            None => Ok(self.table.get_or_init(|| Arc::new(table))),
            Some(what) => Err(Error::corruption(path, 0, what)),
        }
    }

    /// Why a table cannot be the one that the manifest means, if another was put under its name.
    fn contradiction(&self, stated: &Properties) -> Option<String> {
        if let Some(FamilyId(family)) = self.access.family.filter(|of| of.0 != stated.family) {
            return Some(format!(
                "the manifest lists it in family {family}, and it belongs to family {}",
                stated.family
            ));
        }
        if stated.range_deletes != self.meta.range_deletes {
            return Some(format!(
                "the manifest says {} range tombstones and the table {}",
                self.meta.range_deletes, stated.range_deletes
            ));
        }
        self.meta.other_ends(stated).next()
    }

    /// The path of its file.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        file_name::table(&self.access.dir, self.meta.number)
    }

    /// The first user key.
    #[inline]
    #[must_use]
    pub fn smallest_user_key(&self) -> &[u8] {
        internal_key::user_key(&self.meta.smallest)
    }

    /// The last user key, or the first one after the table if a range tombstone ends it.
    #[inline]
    #[must_use]
    pub fn largest_user_key(&self) -> &[u8] {
        internal_key::user_key(&self.meta.largest)
    }

    /// Whether all its keys, including those that its range tombstones delete, come before `user_key`.
    #[inline]
    #[must_use]
    pub fn ends_before(&self, comparator: &Comparator, user_key: &[u8]) -> bool {
        match comparator.compare(self.largest_user_key(), user_key) {
            std::cmp::Ordering::Less => true,
            std::cmp::Ordering::Equal => self.end_excluded,
            std::cmp::Ordering::Greater => false,
        }
    }

    /// Tells the system that the table is hardly read for now: the current version no longer names it, or nobody reads at
    /// all.
    pub fn leave_to_system(&self) {
        if let Some(table) = self.table.get() {
            table.leave_to_system();
        }
    }

    /// Has the file removed when the last holder is dropped. Only for a table whose removal is
    /// durable in the manifest.
    pub fn mark_obsolete(&self) {
        self.obsolete.store(true, Ordering::Release);
    }
}

impl Deref for TableFile {
    type Target = FileMeta;

    fn deref(&self) -> &FileMeta {
        &self.meta
    }
}

impl Drop for TableFile {
    fn drop(&mut self) {
        if !self.obsolete.load(Ordering::Acquire) {
            return;
        }
        // Held until the file is gone, so that nobody else can open the directory meanwhile.
        let lock = self.access.lock.as_ref().and_then(Weak::upgrade);
        if lock.is_some_and(|lock| lock.check().is_ok()) {
            let _ = self.access.vfs.remove(&self.path());
        }
        // If it was not removed now, the next open finds that no version names it, and removes it.
    }
}

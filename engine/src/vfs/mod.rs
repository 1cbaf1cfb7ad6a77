//! The only way to the disk: a small file system interface that states what each operation makes durable.
//!
//! Every file operation of the engine goes through [`Vfs`], so that a test can replace the file
//! system: by [`MemoryVfs`], which knows what would survive a power cut, or by [`FaultVfs`], which
//! makes any operation fail.
//!
//! What each operation promises. *Process* means that the effect outlives the end of the process,
//! `kill -9` included; *power* means that it outlives a power cut.
//!
//! | operation | process | power |
//! |---|---|---|
//! | `create`, `hard_link`, `rename`, `remove`, `create_dir_all`, `remove_dir` | on return | after `sync_dir` of the directory that holds the name |
//! | `append` | on return | after `sync` of the file, if its name is durable too |
//! | `reserve`, `reserve_blocks`, `trim` | on return | it does not matter: readers recognize zeros after the contents |
//! | `sync` | - | all that was appended before, on return |
//! | `sync_dir` | - | all names in that directory, on return |
//!
//! Invariants
//! 1. `rename` is atomic: after a power cut, the name refers to the old file or the new one, in full.
//! 2. Without a sync, any part may survive: data of a file whose name is lost, a name whose data is
//!    lost, the second of two operations without the first.
//! 3. A failed `sync` means that what was appended since the last one may be gone for good, even if
//!    a later `sync` succeeds, because Linux drops the dirty pages. Callers must not retry; the
//!    database poisons itself.
//! 4. Contents only grow. No operation changes a byte that was appended, so a mapping of a finished
//!    file is constant. While a file is being written, zeros may follow its contents: space that
//!    [`WritableFile::reserve`] took and [`WritableFile::trim`] frees.
//! 5. Writes are not buffered here. A caller with small pieces should gather them first.
//!
//! Assumption about the medium: a sector, once synced, keeps its bytes or returns an error. If it
//! returns other bytes, the checksums of log and tables detect it.

mod fault;
mod file_slice;
mod memory;
mod sealed;
mod std_vfs;
mod writable;

use crate::error::{Error, Result};
use std::ffi::OsString;
use std::fmt::Debug;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use fault::{Fault, FaultVfs};
pub use file_slice::FileSlice;
pub use memory::MemoryVfs;
pub(crate) use sealed::SealedFile;
pub use std_vfs::StdVfs;

/// A file system. See the module's table for what each operation promises.
///
/// Every method fails with `Io`, which names the operation and the path, except where another
/// error is mentioned.
pub trait Vfs: Send + Sync + Debug {
    /// A path that stays valid if the process changes its working directory. In a file system
    /// without a working directory, the path itself.
    ///
    /// # Errors
    /// `Io`, if the working directory cannot be determined.
    fn absolute(&self, path: &Path) -> Result<PathBuf> {
        Ok(path.to_path_buf())
    }

    /// Creates an empty file and opens it for appending. A file of that name is replaced.
    ///
    /// # Errors
    /// `Io`, for instance when the directory is missing.
    fn create(&self, path: &Path) -> Result<Box<dyn WritableFile>>;

    /// Opens an existing file for appending at its end.
    ///
    /// # Errors
    /// `Io`, for instance when the file is missing.
    fn open_append(&self, path: &Path) -> Result<Box<dyn WritableFile>>;

    /// Opens a file for reads at any offset, each of which is a system call.
    ///
    /// # Errors
    /// `Io`, for instance when the file is missing.
    fn open_random(&self, path: &Path) -> Result<Arc<dyn RandomFile>>;

    /// Opens a finished file for reading without copies: [`RandomFile::contents`] is then available. Where the
    /// system allows no more mappings, it is not, and the file is as [`open_random`](Self::open_random) opens it.
    /// The file must not be appended to or replaced in place while it is open.
    ///
    /// # Errors
    /// `Io`, for instance when the file is missing.
    fn open_mapped(&self, path: &Path) -> Result<Arc<dyn RandomFile>>;

    /// The whole file, as it was when the call began.
    ///
    /// # Errors
    /// `Io`, for instance when the file is missing.
    fn read(&self, path: &Path) -> Result<Vec<u8>>;

    /// Whether a file or directory of this name exists.
    ///
    /// # Errors
    /// `Io` if it cannot be determined, for instance because a parent directory may not be read.
    fn exists(&self, path: &Path) -> Result<bool>;

    /// Whether this name is a symbolic link, even if its target is missing. A file system without
    /// links has none.
    ///
    /// # Errors
    /// As for [`exists`](Self::exists).
    fn is_link(&self, _path: &Path) -> Result<bool> {
        Ok(false)
    }

    /// The length of a file in bytes.
    ///
    /// # Errors
    /// `Io`, for instance when the file is missing.
    fn len(&self, path: &Path) -> Result<u64>;

    /// The names in a directory, sorted. They are as the file system has them; one that is not
    /// UTF-8, for which `to_str` fails, is not the engine's.
    ///
    /// # Errors
    /// `Io`, for instance when the directory is missing.
    fn list(&self, dir: &Path) -> Result<Vec<OsString>>;

    /// Creates a directory and its missing parents. Does nothing if it exists.
    ///
    /// # Errors
    /// `Io`, for instance when a file of that name exists.
    fn create_dir_all(&self, dir: &Path) -> Result<()>;

    /// Removes a file. Handles that are open can still read it.
    ///
    /// # Errors
    /// `Io`, for instance when the file is missing.
    fn remove(&self, path: &Path) -> Result<()>;

    /// Removes an empty directory.
    ///
    /// # Errors
    /// `Io`, for instance when something is in it.
    fn remove_dir(&self, dir: &Path) -> Result<()>;

    /// Gives a file another name in one step, replacing a file of that name.
    ///
    /// A directory with all its contents may be renamed too, to an unused name in the same parent
    /// directory. The names in it must be durable before: [`MemoryVfs`] insists on that.
    ///
    /// # Errors
    /// `Io`, for instance when the file is missing.
    fn rename(&self, from: &Path, to: &Path) -> Result<()>;

    /// Gives a file a second name.
    ///
    /// # Errors
    /// `Io`, for instance when the second name is taken.
    fn hard_link(&self, from: &Path, to: &Path) -> Result<()>;

    /// Makes the names in a directory durable, both creations and removals. See [`parent_dir`].
    ///
    /// # Errors
    /// `Io`. What was not durable before may then be lost for good.
    fn sync_dir(&self, dir: &Path) -> Result<()>;

    /// Locks `path`, creating the file if necessary, until the guard is dropped or the process
    /// ends. The file stays; only the lock on it matters. The holder of the lock may remove the
    /// file: a lock on a file without a name protects nothing.
    ///
    /// # Errors
    /// `Locked` if another process or another guard in this one holds the lock, or held it when it
    /// removed the file just now; otherwise `Io`.
    fn lock(&self, path: &Path) -> Result<Box<dyn LockGuard>>;

    /// Locks `path`, which must exist, for shared use: any number of callers of this method may
    /// hold it at once, but not together with an exclusive [lock](Self::lock). Nothing is created,
    /// and only permission to read the file is needed.
    ///
    /// A file system without shared locks may take an exclusive one, which is what the default
    /// implementation does.
    ///
    /// # Errors
    /// `Locked` if an exclusive lock is held, or its holder removed the file just now; otherwise
    /// `Io`, which [`is_not_found`](Error::is_not_found) if the file does not exist.
    fn lock_shared(&self, path: &Path) -> Result<Box<dyn LockGuard>> {
        if self.exists(path)? {
            return self.lock(path);
        }
        let missing = io::Error::from(io::ErrorKind::NotFound);
        Err(Error::io("open the lock file", path, missing))
    }
}

/// A file open for appending.
#[expect(
    clippy::len_without_is_empty,
    reason = "a length in bytes, not a collection"
)]
pub trait WritableFile: Send + Debug {
    /// Appends all of `data` in one operation. After an error, an unknown part of it may be in the
    /// file. What fits into [`room`](Self::room) cannot fail for lack of space.
    ///
    /// # Errors
    /// `Io`.
    fn append(&mut self, data: &[u8]) -> Result<()>;

    /// A handle that makes the file durable while others append to it.
    fn syncer(&self) -> Arc<dyn Syncer>;

    /// Makes everything appended so far durable.
    ///
    /// # Errors
    /// As for [`Syncer::sync`].
    fn sync(&mut self) -> Result<()> {
        self.syncer().sync()
    }

    /// Reserves space, so that there is room for at least `bytes` more. The file is then longer
    /// than its contents and ends in zeros. Appends into the room are cheaper, and so are syncs
    /// after them, because no metadata changes.
    ///
    /// # Errors
    /// `Io`, of kind `Unsupported` if reserving cannot guarantee space here. The contents are
    /// unchanged, and there is no less room than before.
    fn reserve(&mut self, _bytes: u64) -> Result<()> {
        let source = io::Error::from(io::ErrorKind::Unsupported);
        Err(Error::io("reserve space for", self.path(), source))
    }

    /// The same for one large append that follows immediately: no zeros are written, so its bytes are written
    /// only once. Small appends into such space, and their syncs, cost as much as without any reservation.
    ///
    /// # Errors
    /// As for [`reserve`](Self::reserve).
    fn reserve_blocks(&mut self, bytes: u64) -> Result<()> {
        self.reserve(bytes)
    }

    /// How many bytes of reserved space are left to append into.
    fn room(&self) -> u64 {
        0
    }

    /// Frees reserved space that was not used: the file is then as long as its contents.
    ///
    /// # Errors
    /// `Io`. The contents are unchanged, and zeros may still follow them.
    fn trim(&mut self) -> Result<()> {
        Ok(())
    }

    /// The length of the contents, including what is not yet durable.
    fn len(&self) -> u64;

    /// The name by which it was opened.
    fn path(&self) -> &Path;
}

/// Syncs a file. Another thread may append to it meanwhile, or may have closed it.
pub trait Syncer: Send + Sync + Debug {
    /// Makes everything durable that was appended before the call.
    ///
    /// # Errors
    /// `Io`. What was not durable before must then be considered lost; do not try again.
    fn sync(&self) -> Result<()>;
}

/// A file open for reading at any offset.
#[expect(
    clippy::len_without_is_empty,
    reason = "a length in bytes, not a collection"
)]
pub trait RandomFile: Send + Sync + Debug {
    /// The length of the file when it was opened.
    fn len(&self) -> u64;

    /// The `len` bytes from `offset` on. Nothing is allocated before the range is known to be within the file.
    ///
    /// # Errors
    /// `Io` of kind `UnexpectedEof` if the range is not within the file, or any error of the system.
    fn read_at(&self, offset: u64, len: usize) -> Result<FileSlice>;

    /// The whole file without a copy, if it is mapped or held in memory.
    fn contents(&self) -> Option<FileSlice>;

    /// Tells the system that a part of the file is about to be read, so that it gets all of it from the disk in one
    /// piece, and meanwhile returns. Only a hint: what lies beyond the file's end is passed over.
    fn will_read(&self, _offset: u64, _len: u64) {}

    /// Tells the system that the file will hardly be read any more. The memory that a mapping holds
    /// is freed; later reads still work, but are slower.
    fn leave_to_system(&self) {}

    /// The name by which it was opened.
    fn path(&self) -> &Path;
}

/// A lock, held until this is dropped.
pub trait LockGuard: Send + Sync + Debug {
    /// Checks that the locked file is still the one with its name. If it is not, somebody has removed or replaced the
    /// directory, and others may lock what is there now. The default implementation is for file systems where nobody
    /// can do that.
    ///
    /// # Errors
    /// `LockLost` if the name leads to no file or to another one; `Io` if that cannot be determined.
    fn check(&self) -> Result<()> {
        Ok(())
    }
}

/// What a disk reads as a whole or not at all.
const SECTOR_BYTES: u64 = 512;

/// The bytes of a file up to the first sector that cannot be read, and the error there; or all bytes. If it cannot even be
/// opened, there are none.
///
/// # Errors
/// `Io` if this process is what cannot read it: see [`Error::is_of_process`].
pub(crate) fn read_to_failure(vfs: &dyn Vfs, path: &Path) -> Result<(Vec<u8>, Option<Error>)> {
    match vfs.read(path) {
        Err(error) if error.is_of_process() => return Err(error),
        Ok(whole) => return Ok((whole, None)),
        Err(_) => {}
    }
    let mut contents = Vec::new();
    let mut read_sectors = || -> Result<()> {
        let file = vfs.open_random(path)?;
        let mut at = 0;
        while at < file.len() {
            let len = SECTOR_BYTES.min(file.len() - at);
            contents.extend_from_slice(&file.read_at(at, len as usize)?);
            at += len;
        }
        Ok(())
    };
    match read_sectors() {
        Err(error) if error.is_of_process() => Err(error),
        read => Ok((contents, read.err())),
    }
}

/// The directory that holds the name `path`: what to pass to [`Vfs::sync_dir`] after creating it.
pub fn parent_dir(path: &Path) -> PathBuf {
    match path.parent() {
        None => path.to_path_buf(),
        Some(parent) if parent.as_os_str().is_empty() => PathBuf::from("."),
        Some(parent) => parent.to_path_buf(),
    }
}

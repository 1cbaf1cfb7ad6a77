//! The real file system.

use super::writable::StdWritableFile;
use super::{FileSlice, LockGuard, RandomFile, Vfs, WritableFile};
use crate::error::{Error, Result};
use memmap2::Mmap;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files of the operating system.
///
/// Left out: direct input and output.
#[derive(Debug, Clone, Copy, Default)]
pub struct StdVfs;

impl Vfs for StdVfs {
    fn absolute(&self, path: &Path) -> Result<PathBuf> {
        std::path::absolute(path).map_err(|error| Error::io("make absolute", path, error))
    }

    fn create(&self, path: &Path) -> Result<Box<dyn WritableFile>> {
        // Create a new file under the name instead of truncating the old one, because a mapping of
        // the old one must keep its bytes.
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(Error::io("replace", path, error));
            }
            _ => {}
        }
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(path)
            .map_err(|error| Error::io("create", path, error))?;
        Ok(Box::new(StdWritableFile::new(file, 0, path)))
    }

    fn open_append(&self, path: &Path) -> Result<Box<dyn WritableFile>> {
        let file = refuse_special(path)
            .and_then(|()| OpenOptions::new().read(true).write(true).open(path))
            .map_err(|error| Error::io("open for appending", path, error))?;
        let len = file_len(&file, path)?;
        Ok(Box::new(StdWritableFile::new(file, len, path)))
    }

    fn open_random(&self, path: &Path) -> Result<Arc<dyn RandomFile>> {
        let file = open(path)?;
        let len = file_len(&file, path)?;
        Ok(Arc::new(StdRandomFile {
            file,
            len,
            path: path.to_path_buf(),
        }))
    }

    fn open_mapped(&self, path: &Path) -> Result<Arc<dyn RandomFile>> {
        let file = open(path)?;
        let (len, path) = (file_len(&file, path)?, path.to_path_buf());
        let contents = match len {
            // An empty file cannot be mapped on some systems.
            0 => FileSlice::from(Vec::new()),
            _ => match map(&file) {
                Ok(map) => FileSlice::from_map(map),
                // The system allows a process only so many mappings, or so much address space.
                Err(error) if error.kind() == io::ErrorKind::OutOfMemory => {
                    return Ok(Arc::new(StdRandomFile { file, len, path }));
                }
                Err(error) => return Err(Error::io("map", &path, error)),
            },
        };
        Ok(Arc::new(MappedFile { contents, path }))
    }

    fn read(&self, path: &Path) -> Result<Vec<u8>> {
        let file = open(path)?;
        let len = file_len(&file, path)?;
        let mut contents = room_for(usize::try_from(len).unwrap_or(usize::MAX), path)?;
        // The limit matters for a file that grows meanwhile, or a device that never ends.
        file.take(len)
            .read_to_end(&mut contents)
            .map_err(|error| Error::io("read", path, error))?;
        Ok(contents)
    }

    fn exists(&self, path: &Path) -> Result<bool> {
        path.try_exists()
            .map_err(|error| Error::io("look for", path, error))
    }

    fn is_link(&self, path: &Path) -> Result<bool> {
        match fs::symlink_metadata(path) {
            Ok(metadata) => Ok(metadata.is_symlink()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(Error::io("look for", path, error)),
        }
    }

    fn len(&self, path: &Path) -> Result<u64> {
        let metadata = fs::metadata(path).map_err(|error| Error::io("measure", path, error))?;
        Ok(metadata.len())
    }

    fn list(&self, dir: &Path) -> Result<Vec<OsString>> {
        let names = fs::read_dir(dir)
            .and_then(|entries| entries.map(|entry| Ok(entry?.file_name())).collect());
        let mut names: Vec<OsString> = names.map_err(|error| Error::io("list", dir, error))?;
        names.sort_unstable();
        Ok(names)
    }

    fn create_dir_all(&self, dir: &Path) -> Result<()> {
        fs::create_dir_all(dir).map_err(|error| Error::io("create the directory", dir, error))
    }

    fn remove(&self, path: &Path) -> Result<()> {
        fs::remove_file(path).map_err(|error| Error::io("remove", path, error))
    }

    fn remove_dir(&self, dir: &Path) -> Result<()> {
        fs::remove_dir(dir).map_err(|error| Error::io("remove the directory", dir, error))
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        fs::rename(from, to).map_err(|error| Error::io("rename", from, error))
    }

    fn hard_link(&self, from: &Path, to: &Path) -> Result<()> {
        fs::hard_link(from, to).map_err(|error| Error::io("make a second name for", from, error))
    }

    #[cfg(unix)]
    fn sync_dir(&self, dir: &Path) -> Result<()> {
        let sync = || {
            let dir = File::open(dir)?;
            if !dir.metadata()?.is_dir() {
                return Err(io::Error::from(io::ErrorKind::NotADirectory));
            }
            dir.sync_all()
        };
        sync().map_err(|error| Error::io("sync the directory", dir, error))
    }

    /// Windows has no handle to flush for a directory; its file system journals names.
    #[cfg(not(unix))]
    fn sync_dir(&self, _dir: &Path) -> Result<()> {
        Ok(())
    }

    fn lock(&self, path: &Path) -> Result<Box<dyn LockGuard>> {
        let mut created = OpenOptions::new();
        created.write(true).create(true).truncate(false);
        lock_by(path, &created, File::try_lock)
    }

    fn lock_shared(&self, path: &Path) -> Result<Box<dyn LockGuard>> {
        lock_by(path, OpenOptions::new().read(true), File::try_lock_shared)
    }
}

fn lock_by(
    path: &Path,
    options: &OpenOptions,
    try_lock: impl Fn(&File) -> Result<(), TryLockError>,
) -> Result<Box<dyn LockGuard>> {
    let file = refuse_special(path)
        .and_then(|()| options.open(path))
        .map_err(|error| Error::io("open the lock file", path, error))?;
    match try_lock(&file) {
        Ok(()) if is_named(&file, path)? => Ok(Box::new(StdLock {
            file,
            path: path.to_path_buf(),
        })),
        Ok(()) | Err(TryLockError::WouldBlock) => Err(Error::Locked {
            path: path.to_path_buf(),
        }),
        Err(TryLockError::Error(error)) => Err(Error::io("lock", path, error)),
    }
}

/// Whether `path` is still the name of this open file. A holder of the lock may have removed the file, and anybody may
/// have removed its directory.
#[cfg(unix)]
fn is_named(file: &File, path: &Path) -> Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    let named = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        named => named,
    };
    let same = named.and_then(|named| Ok(identity(named) == identity(file.metadata()?)));
    same.map_err(|error| Error::io("look for", path, error))
}

/// On other systems an open file keeps its name.
#[cfg(not(unix))]
#[expect(
    clippy::unnecessary_wraps,
    reason = "the same signature on every system"
)]
fn is_named(_file: &File, _path: &Path) -> Result<bool> {
    Ok(true)
}

fn open(path: &Path) -> Result<File> {
    refuse_special(path)
        .and_then(|()| File::open(path))
        .map_err(|error| Error::io("open", path, error))
}

/// Refuses anything but a plain file before it is opened, because opening a pipe waits for another
/// process to open its other end. A missing file is left for the open call to report.
fn refuse_special(path: &Path) -> io::Result<()> {
    let refused = match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => io::Error::from(io::ErrorKind::IsADirectory),
        Ok(metadata) if !metadata.is_file() => io::Error::new(
            io::ErrorKind::Unsupported,
            "it is a pipe, a socket or a device, and no file",
        ),
        _ => return Ok(()),
    };
    Err(refused)
}

/// Memory for `len` bytes of a file. There may be too little: a file with a hole can have any length.
fn room_for(len: usize, path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let reserved = bytes.try_reserve_exact(len);
    reserved.map_err(|error| Error::io("read", path, error.into()))?;
    Ok(bytes)
}

fn file_len(file: &File, path: &Path) -> Result<u64> {
    let metadata = file.metadata();
    let metadata = metadata.map_err(|error| Error::io("measure", path, error))?;
    Ok(metadata.len())
}

#[expect(
    unsafe_code,
    reason = "mapping a file is unsafe, because another process may change it"
)]
fn map(file: &File) -> io::Result<Arc<Mmap>> {
    // SAFETY: the bytes must not change, nor the file shrink, while the map lives. The engine maps only
    // finished files (invariant 4 of this module: none of its operations changes a written byte or
    // shortens a file; `create` over an old name makes a new file and `remove` leaves open ones alone),
    // and the lock on the database's directory keeps other processes of the engine out. A foreign
    // program that writes into the directory breaks this, as it would break any reader.
    let map = unsafe { Mmap::map(file) }?;
    // Otherwise the system reads what lies around each page that is not in memory: on some machines 8 MiB for a value of
    // ten bytes, which drives out of memory what others need. Readers say what they are about to read, but only where
    // they know that they wait: see `disk_waits`.
    #[cfg(target_os = "linux")]
    let _ = map.advise(memmap2::Advice::Random);
    Ok(Arc::new(map))
}

#[derive(Debug)]
struct StdRandomFile {
    file: File,
    len: u64,
    path: PathBuf,
}

impl RandomFile for StdRandomFile {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, len: usize) -> Result<FileSlice> {
        let fits = offset
            .checked_add(len as u64)
            .is_some_and(|end| end <= self.len);
        if !fits {
            return Err(Error::io(
                "read",
                &self.path,
                io::Error::from(io::ErrorKind::UnexpectedEof),
            ));
        }
        let mut bytes = room_for(len, &self.path)?;
        bytes.resize(len, 0);
        read_exact_at(&self.file, &mut bytes, offset)
            .map_err(|error| Error::io("read", &self.path, error))?;
        Ok(FileSlice::from(bytes))
    }

    fn contents(&self) -> Option<FileSlice> {
        None
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, buffer, offset)? {
            0 => return Err(io::Error::from(io::ErrorKind::UnexpectedEof)),
            read => {
                buffer = &mut buffer[read..];
                offset += read as u64;
            }
        }
    }
    Ok(())
}

/// A file that is available as a slice: mapped here, in memory in [`MemoryVfs`](super::MemoryVfs).
#[derive(Debug)]
pub(super) struct MappedFile {
    pub(super) contents: FileSlice,
    pub(super) path: PathBuf,
}

impl RandomFile for MappedFile {
    fn len(&self) -> u64 {
        self.contents.len() as u64
    }

    fn read_at(&self, offset: u64, len: usize) -> Result<FileSlice> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        match start.checked_add(len) {
            Some(end) if end <= self.contents.len() => Ok(self.contents.slice(start..end)),
            _ => Err(Error::io(
                "read",
                &self.path,
                io::Error::from(io::ErrorKind::UnexpectedEof),
            )),
        }
    }

    fn contents(&self) -> Option<FileSlice> {
        Some(self.contents.clone())
    }

    fn will_read(&self, offset: u64, len: u64) {
        self.contents.will_read(offset, len);
    }

    fn leave_to_system(&self) {
        self.contents.leave_to_system();
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

/// A lock by the system on an open file.
#[derive(Debug)]
struct StdLock {
    file: File,
    path: PathBuf,
}

impl LockGuard for StdLock {
    fn check(&self) -> Result<()> {
        if is_named(&self.file, &self.path)? {
            return Ok(());
        }
        Err(Error::LockLost {
            path: self.path.clone(),
        })
    }
}

impl Drop for StdLock {
    /// Closing the file is not enough: a child process that is being started has it open too, until
    /// it runs its program.
    fn drop(&mut self) {
        // If this fails, the lock ends when the file is closed everywhere.
        let _ = self.file.unlock();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_lock_on_a_file_that_lost_its_name_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("LOCK");
        let file = File::create(&path).unwrap();
        assert!(is_named(&file, &path).unwrap());
        fs::remove_file(&path).unwrap();
        assert!(!is_named(&file, &path).unwrap());
        File::create(&path).unwrap();
        assert!(!is_named(&file, &path).unwrap());
    }
}

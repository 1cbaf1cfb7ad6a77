//! Writing a file of the operating system: by system calls, or through a mapping of space that was
//! reserved before.
//!
//! A log takes many small appends. A system call costs several times as much as copying a hundred
//! bytes, and a sync of a file that has grown must write its length too. So a log reserves space:
//! zeros are written after its contents and mapped. An append is then a copy into the page cache,
//! which outlives the process just like a written byte.
//!
//! Zeros are written, instead of using `fallocate`, because the first sync of space that was only allocated
//! changes metadata again. They are written in pieces, each of which the page cache keeps as one unit: larger
//! ones cause fewer page faults, smaller ones leave less to write if every few bytes are synced. For one large
//! append the opposite is true: writing zeros first would write its bytes twice, and one system call is cheap
//! in comparison. So `reserve_blocks` only allocates. `engine/docs/performance.md` has the figures.
//!
//! Invariants
//! 1. The window maps bytes of the file that were written (as zeros) and that no other handle cuts
//!    off, so a store into it neither needs space nor falls after the end. Blocks that were only
//!    allocated are written by system calls.
//! 2. Space is reserved only where the file system overwrites in place: ext2 to 4, XFS, tmpfs. On a file
//!    system that copies, or over a network, an overwrite may need space too, and a mapping could only
//!    report that by `SIGBUS`. There, `reserve` is `Unsupported` and every append is a system call.
//! 3. What is copied into the window is stored front to back ([`copy_forward`]).
//!
//! A mapping cannot report one error: a page of the window was written back and evicted, and cannot
//! be read again. It is the page written last, so the kernel has little reason to evict it; mapped
//! reads of tables have the same limit.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering, compiler_fence};

use memmap2::{MmapMut, MmapOptions};

use super::{Syncer, WritableFile};
use crate::error::{Error, Result};

/// Zeros are written in pieces of this length.
const PIECE_BYTES: u64 = 64 << 10;
/// The length of pieces where syncs are frequent: a page, so that a sync after a few bytes does not write more.
const PIECE_BYTES_SYNCED: u64 = 4 << 10;

static ZEROS: [u8; PIECE_BYTES as usize] = [0; PIECE_BYTES as usize];

#[derive(Debug)]
pub(super) struct StdWritableFile {
    shared: Arc<Shared>,
    /// Where the contents end.
    len: u64,
    /// Where the zeros after them end; `len` if there are none.
    reserved_end: u64,
    /// Whether the file may be longer than its contents.
    longer: bool,
    window: Option<Window>,
}

/// What the file shares with its syncers.
#[derive(Debug)]
struct Shared {
    file: File,
    path: PathBuf,
    /// Whether a sync happened since space was last reserved; true at first.
    syncs_often: AtomicBool,
}

impl Syncer for Shared {
    fn sync(&self) -> Result<()> {
        self.syncs_often.store(true, Ordering::Relaxed);
        // Syncs the data and the length, which is all that a reader needs, but not the times.
        self.file
            .sync_data()
            .map_err(|error| Error::io("sync", &self.path, error))
    }
}

impl StdWritableFile {
    /// A file whose contents are `len` bytes long.
    pub(super) fn new(file: File, len: u64, path: &Path) -> Self {
        Self {
            shared: Arc::new(Shared {
                file,
                path: path.to_path_buf(),
                syncs_often: AtomicBool::new(true),
            }),
            len,
            reserved_end: len,
            longer: false,
            window: None,
        }
    }

    /// The end of the page in which `bytes` further bytes would end.
    fn page_end(&self, bytes: u64) -> io::Result<u64> {
        let end = self.len.checked_add(bytes);
        let end = end.and_then(|end| end.checked_next_multiple_of(PIECE_BYTES_SYNCED));
        end.ok_or_else(|| io::ErrorKind::FileTooLarge.into())
    }

    fn write_zeros(&mut self, end: u64) -> io::Result<()> {
        let piece = match self.shared.syncs_often.load(Ordering::Relaxed) {
            true => PIECE_BYTES_SYNCED,
            false => PIECE_BYTES,
        };
        self.longer = true;
        while self.reserved_end < end {
            // Up to the next multiple of a piece, so that pieces are aligned as the page cache needs them.
            let at = self.reserved_end;
            let bytes = (piece - at % piece).min(end - at);
            write_all_at(&self.shared.file, &ZEROS[..bytes as usize], at)?;
            self.reserved_end = at + bytes;
        }
        Ok(())
    }
}

impl WritableFile for StdWritableFile {
    fn append(&mut self, data: &[u8]) -> Result<()> {
        let copied = self
            .window
            .as_mut()
            .is_some_and(|window| window.copy_in(self.len, data));
        if !copied {
            write_all_at(&self.shared.file, data, self.len)
                .map_err(|error| Error::io("append to", &self.shared.path, error))?;
        }
        self.len += data.len() as u64;
        self.reserved_end = self.reserved_end.max(self.len);
        Ok(())
    }

    fn syncer(&self) -> Arc<dyn Syncer> {
        Arc::<Shared>::clone(&self.shared)
    }

    fn reserve(&mut self, bytes: u64) -> Result<()> {
        if bytes <= self.room() {
            return Ok(());
        }
        let mut reserve = || -> io::Result<()> {
            check_overwrites_in_place(&self.shared.file)?;
            self.write_zeros(self.page_end(bytes)?)?;
            self.shared.syncs_often.store(false, Ordering::Relaxed);
            // Without a window, appends into the same room are system calls.
            self.window = Window::map(&self.shared.file, self.len, self.reserved_end).ok();
            Ok(())
        };
        reserve().map_err(|error| Error::io("reserve space for", &self.shared.path, error))
    }

    fn reserve_blocks(&mut self, bytes: u64) -> Result<()> {
        if bytes <= self.room() {
            return Ok(());
        }
        let mut allocate = || -> io::Result<()> {
            check_overwrites_in_place(&self.shared.file)?;
            let end = self.page_end(bytes)?;
            // Even a call that fails may have made the file longer.
            self.longer = true;
            allocate(&self.shared.file, self.reserved_end, end)?;
            self.reserved_end = end;
            self.window = None;
            Ok(())
        };
        match allocate() {
            Err(error) if must_be_written(&error) => self.reserve(bytes),
            allocated => {
                allocated.map_err(|error| Error::io("reserve space for", &self.shared.path, error))
            }
        }
    }

    fn room(&self) -> u64 {
        self.reserved_end - self.len
    }

    fn trim(&mut self) -> Result<()> {
        self.window = None;
        self.reserved_end = self.len;
        if self.longer {
            self.shared
                .file
                .set_len(self.len)
                .map_err(|error| Error::io("trim", &self.shared.path, error))?;
            self.longer = false;
        }
        Ok(())
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn path(&self) -> &Path {
        &self.shared.path
    }
}

/// A part of a file, mapped for writing.
#[derive(Debug)]
struct Window {
    map: MmapMut,
    /// Where the part begins in the file.
    start: u64,
}

impl Window {
    /// Maps the bytes from `start` to `end`, which must have been written.
    #[expect(
        unsafe_code,
        reason = "mapping a file is unsafe, because another process may change it"
    )]
    fn map(file: &File, start: u64, end: u64) -> io::Result<Self> {
        let len = usize::try_from(end - start).map_err(|_| io::ErrorKind::FileTooLarge)?;
        let mut options = MmapOptions::new();
        options.offset(start).len(len);
        // SAFETY: while the map lives, the file must not become shorter, and nothing else may change the mapped
        // bytes while they are borrowed. `StdWritableFile` owns the file and the map, drops the map before it
        // shortens the file (`trim`), and writes every byte once, through the map or after it. The engine opens
        // a file for writing once, and the lock on the database's directory keeps its other processes out; a
        // reader of the file copies it through a system call. Space for every mapped byte is taken:
        // `write_zeros` has written it, and `check_overwrites_in_place` has refused file systems where that is
        // no guarantee. A foreign program that shortens the file breaks this, as it would break mapped reads.
        let map = unsafe { options.map_mut(file)? };
        Ok(Self { map, start })
    }

    /// Copies `data` to the offset `at` of the file, if that range is within the window.
    fn copy_in(&mut self, at: u64, data: &[u8]) -> bool {
        let from = at
            .checked_sub(self.start)
            .and_then(|from| usize::try_from(from).ok());
        let into = from.and_then(|from| self.map.get_mut(from..from.checked_add(data.len())?));
        let Some(into) = into else {
            return false;
        };
        copy_forward(into, data);
        true
    }
}

/// Copies front to back, as `write` does, so that a killed process leaves a prefix. A plain copy may store
/// the first bytes last, and a reader of the log would then find a damaged record before intact ones.
fn copy_forward(into: &mut [u8], data: &[u8]) {
    const STEP: usize = size_of::<u64>();
    let (whole, rest) = data.as_chunks::<STEP>();
    let (into_whole, into_rest) = into.split_at_mut(data.len() - rest.len());
    for (into, piece) in into_whole.chunks_exact_mut(STEP).zip(whole) {
        into.copy_from_slice(piece);
        // The compiler must not merge a store with the next one or move it after that.
        compiler_fence(Ordering::SeqCst);
    }
    into_rest.copy_from_slice(rest);
}

/// Returns `Unsupported` where overwriting bytes that were written may need space.
#[cfg(target_os = "linux")]
fn check_overwrites_in_place(file: &File) -> io::Result<()> {
    /// The magic numbers in `statfs` of ext2 to 4, XFS and tmpfs.
    const IN_PLACE: [u32; 3] = [0xef53, 0x5846_5342, 0x0102_1994];
    let kind = rustix::io::retry_on_intr(|| rustix::fs::fstatfs(file))?.f_type as u32;
    match IN_PLACE.contains(&kind) {
        true => Ok(()),
        false => Err(io::ErrorKind::Unsupported.into()),
    }
}

/// Whether space that could not be allocated may be had by writing zeros: where nothing is allocated ahead, or a signal
/// came meanwhile. Many kernels give up an allocation on tmpfs for any signal, so trying again might never succeed.
fn must_be_written(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::Unsupported | io::ErrorKind::Interrupted
    )
}

/// Allocates blocks for the bytes from `from` to `to`, which then read as zeros.
#[cfg(target_os = "linux")]
fn allocate(file: &File, from: u64, to: u64) -> io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    Ok(fallocate(file, FallocateFlags::empty(), from, to - from)?)
}

#[cfg(not(target_os = "linux"))]
fn allocate(_file: &File, _from: u64, _to: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Other systems have not been tried; APFS copies on write.
#[cfg(not(target_os = "linux"))]
fn check_overwrites_in_place(_file: &File) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(unix)]
fn write_all_at(file: &File, data: &[u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, data, offset)
}

#[cfg(windows)]
fn write_all_at(file: &File, mut data: &[u8], mut offset: u64) -> io::Result<()> {
    while !data.is_empty() {
        match std::os::windows::fs::FileExt::seek_write(file, data, offset)? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            written => {
                data = &data[written..];
                offset += written as u64;
            }
        }
    }
    Ok(())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::Command;

    use super::*;

    const PAGE: usize = 4096;
    const PATH: &str = "ENGINE_KILLED_COPY";

    fn data(len: usize) -> Vec<u8> {
        (0..len).map(|at| (at % 251) as u8 + 1).collect()
    }

    #[test]
    fn every_length_is_copied_whole() {
        for len in 0..100 {
            let mut into = vec![0; len];
            copy_forward(&mut into, &data(len));
            assert_eq!(into, data(len));
        }
    }

    /// Seen with `strace -e inject=fallocate:error=EINTR`: the error poisoned the database.
    #[test]
    fn space_is_written_where_a_signal_ends_its_allocation_and_not_on_a_full_disk() {
        let kinds = [io::ErrorKind::Interrupted, io::ErrorKind::StorageFull];
        assert_eq!(
            kinds.map(|kind| must_be_written(&kind.into())),
            [true, false]
        );
    }

    /// Copies past the end of the file, which kills the process there.
    #[test]
    #[ignore = "started by the other test, to be killed"]
    fn copy_until_killed() {
        let Some(path) = std::env::var_os(PATH) else {
            return;
        };
        let file = File::options().read(true).write(true).open(path).unwrap();
        let len: usize = std::env::var("LEN").unwrap().parse().unwrap();
        let mut window = Window::map(&file, 0, 2 * PAGE as u64).unwrap();
        window.copy_in((PAGE - len / 2) as u64, &data(len));
    }

    #[test]
    fn who_is_killed_in_the_middle_of_a_copy_leaves_a_prefix() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for len in [32, 100, 200, 300, 1_000, 3_000, 8_000] {
            file.as_file().set_len(0).unwrap();
            file.as_file().set_len(PAGE as u64).unwrap();
            let mut copier = Command::new(std::env::current_exe().unwrap());
            let name = "vfs::writable::tests::copy_until_killed";
            copier.args(["--exact", name, "--ignored"]);
            copier.env(PATH, file.path()).env("LEN", len.to_string());
            assert!(!copier.output().unwrap().status.success());
            let found = std::fs::read(file.path()).unwrap();
            let found = &found[PAGE - len / 2..];
            let stored = found.iter().take_while(|&&byte| byte != 0).count();
            assert!(stored + size_of::<u64>() > len / 2, "{len}: {stored}");
            assert_eq!(found[..stored], data(len)[..stored], "{len}");
        }
    }
}

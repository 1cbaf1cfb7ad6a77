//! The plan: which operations fail, and how.

use crate::error::{Error, Result};
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// How an operation fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The device reports an error; nothing was done.
    Io,
    /// The disk is full from this operation on, until [`FaultVfs::heal`](super::FaultVfs::heal): what needs space fails
    /// and does nothing, the rest succeeds, including appends into reserved space.
    NoSpace,
    /// An append writes the first half of its data, then reports an error. Other operations fail as with `Io`.
    ShortWrite,
    /// This operation and all later ones fail and do nothing: the power is gone, as seen by a
    /// process that still runs.
    PowerGone,
}

impl Fault {
    /// Whether the fault hits the `n`-th operation, given the operation at which it begins.
    fn is_due(self, n: u64, begins_at: u64, space: Space) -> bool {
        match self {
            Fault::PowerGone => n >= begins_at,
            Fault::NoSpace => n >= begins_at && space == Space::Needed,
            Fault::Io | Fault::ShortWrite => n == begins_at,
        }
    }
}

/// What is to fail, and what has.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) operations: u64,
    pub(super) fault: Option<(u64, Fault)>,
    pub(super) budget: Option<Budget>,
    /// Files that cannot be used as others can.
    pub(super) broken: BTreeMap<PathBuf, Broken>,
    /// The seed that decides which failing changes of names are done nevertheless: see
    /// [`FaultVfs::do_what_fails`](super::FaultVfs::do_what_fails).
    pub(super) done: u64,
    /// Directories in which a lock was taken, and whether a sync of each has failed since.
    pub(super) locked: BTreeMap<PathBuf, bool>,
    pub(super) failed: Vec<String>,
}

/// What is wrong with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Broken {
    /// Every operation fails.
    Whole,
    /// Reads of this byte fail.
    Byte(u64),
    /// This user may do nothing with it.
    Denied,
}

/// The space that is left for one kind of file.
#[derive(Debug)]
pub(super) struct Budget {
    pub(super) ending: &'static str,
    pub(super) bytes_left: usize,
}

/// Whether an operation needs space on the disk.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Space {
    Needed,
    NotNeeded,
}

impl Plan {
    /// Counts an operation and returns its fault, if it must fail.
    pub(super) fn fault(
        &mut self,
        op: &'static str,
        path: &Path,
        space: Space,
    ) -> Option<(Fault, Error)> {
        self.operations += 1;
        let broken = self.broken.get(path).copied();
        let fault = match self.fault {
            _ if matches!(broken, Some(Broken::Whole | Broken::Denied)) => Fault::Io,
            Some((at, fault)) if fault.is_due(self.operations, at, space) => fault,
            _ => return None,
        };
        self.failed.push(format!("{op} {}", path.display()));
        let source = match fault {
            Fault::NoSpace => io::Error::from(io::ErrorKind::StorageFull),
            Fault::Io if broken == Some(Broken::Denied) => {
                io::Error::from(io::ErrorKind::PermissionDenied)
            }
            Fault::Io | Fault::ShortWrite => io::Error::other("injected fault"),
            Fault::PowerGone => io::Error::other("injected fault: the power is gone"),
        };
        Some((fault, Error::io(op, path, source)))
    }

    /// Fails a read of these bytes if one of them is bad.
    pub(super) fn check_bytes(&mut self, path: &Path, bytes: &Range<u64>) -> Result<()> {
        match self.broken.get(path) {
            Some(Broken::Byte(at)) if bytes.contains(at) => {}
            _ => return Ok(()),
        }
        self.failed.push(format!("read {}", path.display()));
        let source = io::Error::other("injected fault");
        Err(Error::io("read", path, source))
    }

    /// How much of an append of `bytes` fits into the rest of the budget.
    pub(super) fn spend(&mut self, path: &Path, bytes: usize) -> usize {
        let Some(budget) = &mut self.budget else {
            return bytes;
        };
        if !path.to_string_lossy().ends_with(budget.ending) {
            return bytes;
        }
        let fits = bytes.min(budget.bytes_left);
        budget.bytes_left -= fits;
        if fits < bytes {
            self.failed.push(format!("append to {}", path.display()));
        }
        fits
    }

    /// Whether the change of names that was just failed is done nevertheless.
    pub(super) fn does_what_failed(&self) -> bool {
        match self.done {
            0 | 1 => self.done == 1,
            seed => (seed ^ self.operations).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63 == 1,
        }
    }
}

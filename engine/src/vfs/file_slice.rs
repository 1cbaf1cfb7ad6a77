//! Bytes of a file in place: a range of a mapping or of memory, kept alive by a counted reference.
//!
//! Pinned values are made of it. Cloning or narrowing one copies no bytes.
//!
//! It stores the address of its bytes beside their owner. Getting it from the owner each time would
//! take a branch, two loads and a bounds check, and readers need it several times for each entry.

#![expect(
    unsafe_code,
    reason = "bytes are read by an address that their owner keeps valid, and a mapping is given back"
)]

use crate::prefetch::prefetch;
use memmap2::Mmap;
use std::fmt;
use std::ops::{Deref, Range};
use std::ptr::NonNull;
use std::sync::Arc;

/// A range of a file's bytes.
///
/// Invariant: `bytes` are part of what `owner` owns, or empty. They stay where they are, unchanged,
/// for as long as the owner lives: a mapping and the buffer of a vector do not move with their
/// handle, and behind an `Arc` nothing changes them.
#[derive(Clone)]
pub struct FileSlice {
    bytes: NonNull<[u8]>,
    owner: Owner,
}

#[derive(Clone)]
enum Owner {
    Mapped(#[cfg_attr(not(unix), expect(dead_code, reason = "held for its bytes"))] Arc<Mmap>),
    Heap(#[expect(dead_code, reason = "held for its bytes")] Arc<Vec<u8>>),
    Nobody,
}

// SAFETY: it is a shared reference to bytes that never change, with an owner that any thread may hold and drop.
unsafe impl Send for FileSlice {}
// SAFETY: as above; through a shared `FileSlice` bytes are only read.
unsafe impl Sync for FileSlice {}

impl FileSlice {
    /// A slice of a whole mapping.
    pub(super) fn from_map(map: Arc<Mmap>) -> FileSlice {
        FileSlice {
            bytes: NonNull::from(&map[..]),
            owner: Owner::Mapped(map),
        }
    }

    /// A slice without bytes.
    pub const fn empty() -> FileSlice {
        let nothing: &[u8] = &[];
        FileSlice {
            bytes: NonNull::from_ref(nothing),
            owner: Owner::Nobody,
        }
    }

    /// Prefetches the bytes from `start` up to `end`, as far as they are part of this slice.
    #[inline]
    pub fn prefetch(&self, start: usize, end: usize) {
        prefetch(self.get(start..end.min(self.len())).unwrap_or_default());
    }

    /// Asks the system to get a part of the mapping that the bytes are in from the disk, if they are in one; `offset` is counted
    /// from the start of the mapping.
    pub(super) fn will_read(&self, offset: u64, len: u64) {
        #[cfg(unix)]
        if let Owner::Mapped(map) = &self.owner {
            let end = offset.saturating_add(len).min(map.len() as u64);
            if offset < end {
                let (offset, len) = (offset as usize, (end - offset) as usize);
                let _ = map.advise_range(memmap2::Advice::WillNeed, offset, len);
            }
        }
        #[cfg(not(unix))]
        let _ = (offset, len);
    }

    /// Removes the mapping that the bytes are in, if they are in one, from this process's memory.
    /// Later reads get them from the system again, page by page.
    pub(super) fn leave_to_system(&self) {
        #[cfg(unix)]
        if let Owner::Mapped(map) = &self.owner {
            // SAFETY: the advice must not change bytes that are borrowed. `vfs::std_vfs` maps files shared and
            // for reading, so the pages have no contents but the file's, and nothing writes to the file.
            let _ = unsafe { map.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) };
        }
    }

    /// The part of this slice in `range`, still in place.
    ///
    /// # Panics
    /// If the range is not within the slice.
    pub fn slice(&self, range: Range<usize>) -> FileSlice {
        let part = self.get(range.clone());
        let part = part.unwrap_or_else(|| panic!("{range:?} of a slice of {} bytes", self.len()));
        FileSlice {
            bytes: NonNull::from(part),
            owner: self.owner.clone(),
        }
    }
}

impl From<Arc<Vec<u8>>> for FileSlice {
    fn from(bytes: Arc<Vec<u8>>) -> FileSlice {
        FileSlice {
            bytes: NonNull::from(&bytes[..]),
            owner: Owner::Heap(bytes),
        }
    }
}

impl From<Vec<u8>> for FileSlice {
    fn from(bytes: Vec<u8>) -> FileSlice {
        FileSlice::from(Arc::new(bytes))
    }
}

impl Deref for FileSlice {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        // SAFETY: by the invariant; and the reference lives no longer than `self`, which holds the owner.
        unsafe { self.bytes.as_ref() }
    }
}

impl AsRef<[u8]> for FileSlice {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl fmt::Debug for FileSlice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FileSlice({} bytes)", self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_of_a_slice_is_counted_from_its_start() {
        let whole = FileSlice::from(b"0123456789".to_vec());
        let middle = whole.slice(2..8);
        drop(whole);
        assert_eq!(&*middle, b"234567");
        assert_eq!(&*middle.slice(1..3), b"34");
        assert_eq!(&*middle.slice(6..6), b"");
    }

    #[test]
    #[should_panic(expected = "2..7 of a slice of 6 bytes")]
    fn a_range_beyond_the_slice_is_refused_although_the_file_goes_on() {
        let whole = FileSlice::from(b"0123456789".to_vec());
        let _ = whole.slice(2..8).slice(2..7);
    }
}

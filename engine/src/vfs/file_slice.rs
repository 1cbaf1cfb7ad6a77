//! Bytes of a file, held in place: a range of a mapping or of memory, kept alive by a counted reference.
//!
//! This is what a pinned value is made of. Cloning or narrowing one copies no bytes.

#![cfg_attr(
    target_arch = "x86_64",
    expect(
        unsafe_code,
        reason = "to ask for memory ahead is an instruction of the processor"
    )
)]

use memmap2::Mmap;
use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// Bytes that come from memory together.
const LINE_BYTES: usize = 64;

/// A range of a file's bytes.
#[derive(Clone)]
pub struct FileSlice {
    owner: Owner,
    start: usize,
    len: usize,
}

#[derive(Clone)]
enum Owner {
    Mapped(Arc<Mmap>),
    Heap(Arc<Vec<u8>>),
    Nobody,
}

impl FileSlice {
    /// A whole mapping.
    pub(super) fn from_map(map: Arc<Mmap>) -> FileSlice {
        let len = map.len();
        FileSlice {
            owner: Owner::Mapped(map),
            start: 0,
            len,
        }
    }

    /// No bytes.
    pub const fn empty() -> FileSlice {
        FileSlice {
            owner: Owner::Nobody,
            start: 0,
            len: 0,
        }
    }

    /// Asks for the memory of the bytes from `start` up to `end`, as far as they are of this slice, so that it is on its
    /// way when they are read. A hint, which changes nothing that a program can see but its speed.
    #[inline]
    pub fn prefetch(&self, start: usize, end: usize) {
        let part = self.get(start..end.min(self.len)).unwrap_or_default();
        for line in part.chunks(LINE_BYTES) {
            prefetch(line);
        }
    }

    /// The part of this slice in `range`, still in place.
    ///
    /// # Panics
    /// If the range does not lie in the slice.
    pub fn slice(&self, range: Range<usize>) -> FileSlice {
        assert!(
            range.start <= range.end && range.end <= self.len,
            "{range:?} of a slice of {} bytes",
            self.len
        );
        FileSlice {
            owner: self.owner.clone(),
            start: self.start + range.start,
            len: range.end - range.start,
        }
    }
}

impl From<Arc<Vec<u8>>> for FileSlice {
    fn from(bytes: Arc<Vec<u8>>) -> FileSlice {
        let len = bytes.len();
        FileSlice {
            owner: Owner::Heap(bytes),
            start: 0,
            len,
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
        let whole: &[u8] = match &self.owner {
            Owner::Mapped(map) => map,
            Owner::Heap(bytes) => bytes,
            Owner::Nobody => &[],
        };
        &whole[self.start..self.start + self.len]
    }
}

impl AsRef<[u8]> for FileSlice {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl fmt::Debug for FileSlice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FileSlice({} bytes)", self.len)
    }
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn prefetch(line: &[u8]) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: a prefetch reads nothing that the program could see, and faults on no address.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
}

#[cfg(not(target_arch = "x86_64"))]
fn prefetch(_line: &[u8]) {}

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

//! An arena: memory handed out in order, given back all at once.
//!
//! A memtable is filled, frozen, written to a table and dropped whole. So its nodes need no
//! allocator of their own: a pointer moves forward through chunks, and dropping the arena frees the chunks.
//!
//! Invariants
//! 1. A chunk is neither moved nor freed before the arena is dropped; pointers into it stay good until then.
//! 2. Two allocations never overlap, and each starts at a multiple of [`ALIGN`].

#![expect(
    unsafe_code,
    reason = "raw chunks that readers look at while a writer fills them"
)]

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

/// Every allocation starts at a multiple of this: the alignment of a pointer to the next node.
pub(super) const ALIGN: usize = align_of::<usize>();

/// An allocation larger than this part of a chunk gets a chunk of its own, so that little is wasted.
const LARGE_PART: usize = 4;

/// The chunks of one memtable, shared by its writer and its readers.
#[derive(Debug)]
pub(super) struct Arena {
    chunks: Mutex<Vec<Chunk>>,
    chunk_bytes: usize,
    reserved: AtomicUsize,
}

/// The free rest of the newest chunk. Held by the one writer, not by the arena, so that handing
/// out memory needs no lock.
#[derive(Debug)]
pub(super) struct Bump {
    at: NonNull<u8>,
    left: usize,
    used: usize,
}

#[derive(Debug)]
struct Chunk {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: a chunk is plain memory, owned by whoever owns the `Chunk`.
unsafe impl Send for Chunk {}

// SAFETY: a bump points into memory that nobody else writes (invariant 2).
unsafe impl Send for Bump {}

// SAFETY: through `&Bump` only the counters can be read.
unsafe impl Sync for Bump {}

impl Arena {
    /// An arena that grows by `chunk_bytes` at a time.
    pub(super) fn new(chunk_bytes: usize) -> Self {
        Self {
            chunks: Mutex::default(),
            chunk_bytes,
            reserved: AtomicUsize::new(0),
        }
    }

    /// Bytes taken from the system so far.
    pub(super) fn reserved(&self) -> usize {
        self.reserved.load(Ordering::Relaxed)
    }

    /// Takes `bytes` (at least one) of uninitialised memory, aligned to [`ALIGN`], good until the arena is
    /// dropped. `bump` must have been used with this arena only.
    pub(super) fn allocate(&self, bump: &mut Bump, bytes: usize) -> NonNull<u8> {
        assert!(bytes > 0, "an empty allocation has no address");
        let bytes = bytes.next_multiple_of(ALIGN);
        bump.used += bytes;
        if bytes > bump.left {
            if bytes > self.chunk_bytes / LARGE_PART {
                return self.new_chunk(bytes);
            }
            bump.at = self.new_chunk(self.chunk_bytes);
            bump.left = self.chunk_bytes;
        }
        let start = bump.at;
        bump.left -= bytes;
        // SAFETY: `bytes <= left` before the subtraction, so this stays within the chunk or one past it.
        bump.at = unsafe { start.add(bytes) };
        start
    }

    fn new_chunk(&self, bytes: usize) -> NonNull<u8> {
        let layout =
            Layout::from_size_align(bytes, ALIGN).expect("a chunk is far below isize::MAX");
        // SAFETY: `bytes` is not zero: `allocate` asserts it, and `chunk_bytes` exceeds an accepted `bytes`.
        let start = unsafe { alloc(layout) };
        let Some(start) = NonNull::new(start) else {
            handle_alloc_error(layout)
        };
        self.chunks.lock().push(Chunk { start, layout });
        self.reserved.fetch_add(bytes, Ordering::Relaxed);
        start
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        for chunk in self.chunks.get_mut() {
            // SAFETY: allocated in `new_chunk` with this layout, and freed nowhere else.
            unsafe { dealloc(chunk.start.as_ptr(), chunk.layout) };
        }
    }
}

impl Bump {
    pub(super) const fn new() -> Self {
        Self {
            at: NonNull::dangling(),
            left: 0,
            used: 0,
        }
    }

    /// Bytes handed out so far.
    pub(super) const fn used(&self) -> usize {
        self.used
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocations_are_aligned_and_apart() {
        let arena = Arena::new(256);
        let mut bump = Bump::new();
        let mut taken: Vec<(usize, usize)> = Vec::new();
        for bytes in [1, 8, 63, 64, 65, 300, 7, 250, 1, 16].repeat(4) {
            let start = arena.allocate(&mut bump, bytes).as_ptr();
            // SAFETY: just allocated with this many bytes.
            unsafe { std::ptr::write_bytes(start, 0xaa, bytes) };
            assert_eq!(start as usize % ALIGN, 0);
            taken.push((start as usize, bytes));
        }
        taken.sort_unstable();
        for pair in taken.windows(2) {
            assert!(pair[0].0 + pair[0].1 <= pair[1].0, "{pair:?} overlap");
        }
        assert!(bump.used() <= arena.reserved());
        assert!(bump.used() >= taken.iter().map(|(_, bytes)| bytes).sum());
    }
}

//! An arena: memory handed out in order, given back all at once.
//!
//! A memtable is filled, frozen, written to a table and dropped as a whole. So its nodes need no allocator
//! of their own: a pointer moves forward through chunks, and dropping the arena frees the chunks.
//!
//! The writer holds a [`Bump`] for each kind of pages that it wants. Each chunk is as large as all
//! chunks of its kind before it together, up to a bound. So a small arena takes little memory, and
//! a large one consists of few chunks. A chunk of [`MAPPED_BYTES_MIN`] or more is a memory mapping
//! of its own, which takes memory only as it is touched.
//!
//! Nodes that are searched get huge pages, unless the family's options refuse them: a search of a
//! large list touches one page at each step, and with pages of 4 KiB a quarter of its time went into
//! address translation. Values that are only copied in and out get small pages: getting a huge page
//! that was not in use for long may take as long as writing all its contents
//! (`docs/performance.md`). Small pages are asked for [`AHEAD_BYTES`] at a time, just before they are
//! written: one by one, at the first write to each, they cost an interruption each.
//!
//! Invariants
//! 1. A chunk is neither moved nor freed before the arena is dropped; pointers into it stay valid until then.
//! 2. Two allocations never overlap, and each starts at a multiple of [`ALIGN`].

#![expect(
    unsafe_code,
    reason = "raw chunks that readers look at while a writer fills them"
)]

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ptr::NonNull;

use memmap2::MmapMut;
use parking_lot::Mutex;

use crate::sync::{AtomicUsize, Ordering};

/// Every allocation starts at a multiple of this: the alignment of a pointer to the next node.
pub(super) const ALIGN: usize = align_of::<usize>();

/// The first chunk has this length.
const CHUNK_BYTES_MIN: usize = 1 << 10;

/// The size of a huge page on x86-64 and most other processors: a chunk that would fill one is mapped.
const MAPPED_BYTES_MIN: usize = 2 << 20;

/// How much memory is asked for ahead where pages are small: the most that a memtable takes and does not use.
const AHEAD_BYTES: usize = 128 << 10;

/// An allocation larger than this fraction of a chunk gets a chunk of its own, so that little is wasted.
const LARGE_PART: usize = 4;

/// The chunks of one memtable, shared by its writer and its readers.
#[derive(Debug)]
pub(super) struct Arena {
    chunks: Mutex<Vec<Chunk>>,
    chunk_bytes_max: usize,
    reserved: AtomicUsize,
}

/// The free rest of the newest chunk with pages of one kind. The one writer holds it, not the
/// arena, so that allocating needs no lock.
#[derive(Debug)]
pub(super) struct Bump {
    pages: Pages,
    at: NonNull<u8>,
    left: usize,
    /// So many bytes at the chunk's end have no memory yet, and are to get it before they are handed out.
    absent: usize,
    used: usize,
    /// The bytes of all chunks of this kind.
    reserved: usize,
}

/// Which pages a large chunk uses, where the system offers both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pages {
    Small,
    Huge,
}

/// A piece of memory that the arena owns.
#[derive(Debug)]
pub(super) enum Chunk {
    Heap { start: NonNull<u8>, layout: Layout },
    Mapped(MmapMut),
}

// SAFETY: a chunk is plain memory, owned by the `Chunk`.
unsafe impl Send for Chunk {}

// SAFETY: a `&Chunk` gives no access to the memory.
unsafe impl Sync for Chunk {}

// SAFETY: a bump points into memory that nobody else writes (invariant 2).
unsafe impl Send for Bump {}

// SAFETY: through `&Bump` only the counters can be read.
unsafe impl Sync for Bump {}

impl Arena {
    /// An arena that grows by at most `chunk_bytes_max` at a time.
    pub(super) fn new(chunk_bytes_max: usize) -> Self {
        Self {
            chunks: Mutex::default(),
            chunk_bytes_max: chunk_bytes_max.max(CHUNK_BYTES_MIN).next_multiple_of(ALIGN),
            reserved: AtomicUsize::new(0),
        }
    }

    /// Bytes taken from the system so far. The system backs a large chunk with memory only where it is touched.
    pub(super) fn reserved(&self) -> usize {
        self.reserved.load(Ordering::Relaxed)
    }

    /// Allocates `bytes` (at least one) of uninitialised memory, aligned to [`ALIGN`] and valid
    /// until the arena is dropped. `bump` must only ever be used with this arena.
    #[inline]
    pub(super) fn allocate(&self, bump: &mut Bump, bytes: usize) -> NonNull<u8> {
        assert!(bytes > 0, "an empty allocation has no address");
        let bytes = bytes.next_multiple_of(ALIGN);
        bump.used += bytes;
        if bytes > bump.left {
            return self.allocate_elsewhere(bump, bytes);
        }
        self.take(bump, bytes)
    }

    /// `bytes` of the chunk, of which as many must be left.
    #[inline]
    fn take(&self, bump: &mut Bump, bytes: usize) -> NonNull<u8> {
        let start = bump.at;
        bump.left -= bytes;
        // SAFETY: `bytes <= left` before the subtraction, so this stays within the chunk or one past it.
        bump.at = unsafe { start.add(bytes) };
        if bump.left < bump.absent {
            self.populate_ahead(bump);
        }
        start
    }

    /// Like [`allocate`](Self::allocate), when the rest of the chunk is too small.
    #[cold]
    fn allocate_elsewhere(&self, bump: &mut Bump, bytes: usize) -> NonNull<u8> {
        let chunk_bytes = bump.reserved.clamp(CHUNK_BYTES_MIN, self.chunk_bytes_max);
        if bytes > chunk_bytes / LARGE_PART {
            let (start, absent) = self.new_chunk(bump, bytes);
            self.populate(start, absent);
            return start;
        }
        (bump.at, bump.absent) = self.new_chunk(bump, chunk_bytes);
        bump.left = chunk_bytes;
        // The chunk is at least `LARGE_PART` times as long.
        self.take(bump, bytes)
    }

    /// A chunk, and how many of its bytes are still to get memory. `bytes` must be a multiple of [`ALIGN`] and not zero.
    fn new_chunk(&self, bump: &mut Bump, bytes: usize) -> (NonNull<u8>, usize) {
        let (chunk, start) = match map(bytes, bump.pages) {
            Some(mapped) => mapped,
            None => Self::take_from_heap(bytes),
        };
        let absent = match (&chunk, bump.pages) {
            (Chunk::Mapped(_), Pages::Small) => bytes,
            _ => 0,
        };
        self.chunks.lock().push(chunk);
        bump.reserved += bytes;
        self.reserved.fetch_add(bytes, Ordering::Relaxed);
        (start, absent)
    }

    /// Gets memory for what was handed out, and for [`AHEAD_BYTES`] after it.
    #[cold]
    fn populate_ahead(&self, bump: &mut Bump) {
        let absent = bump.left.saturating_sub(AHEAD_BYTES);
        // SAFETY: what is absent is the end of the chunk, which begins before `at` and ends `left` bytes after it.
        let from = unsafe { bump.at.add(bump.left).sub(bump.absent) };
        self.populate(from, bump.absent - absent);
        bump.absent = absent;
    }

    /// Gets memory for `bytes` from `start` on, which are in one mapped chunk.
    fn populate(&self, start: NonNull<u8>, bytes: usize) {
        if bytes == 0 {
            return;
        }
        let address = start.as_ptr() as usize;
        for chunk in self.chunks.lock().iter().rev() {
            if let Chunk::Mapped(map) = chunk
                && let Some(offset) = address.checked_sub(map.as_ptr() as usize)
                && offset < map.len()
            {
                return get_memory(map, offset, bytes);
            }
        }
    }

    fn take_from_heap(bytes: usize) -> (Chunk, NonNull<u8>) {
        let layout =
            Layout::from_size_align(bytes, ALIGN).expect("a chunk is far below isize::MAX");
        // SAFETY: `bytes` is not zero, as `new_chunk` requires.
        let start = unsafe { alloc(layout) };
        let Some(start) = NonNull::new(start) else {
            handle_alloc_error(layout)
        };
        (Chunk::Heap { start, layout }, start)
    }
}

/// A memory mapping, if it is large enough and the system lets its pages be chosen.
fn map(bytes: usize, pages: Pages) -> Option<(Chunk, NonNull<u8>)> {
    if bytes < MAPPED_BYTES_MIN || cfg!(not(target_os = "linux")) {
        return None;
    }
    let mut map = MmapMut::map_anon(bytes).ok()?;
    choose(&map, pages);
    let start = NonNull::new(map.as_mut_ptr())?;
    Some((Chunk::Mapped(map), start))
}

/// This is only advice. If the system ignores it, other pages are used and everything works.
#[cfg(target_os = "linux")]
fn choose(map: &MmapMut, pages: Pages) {
    let _ = map.advise(match pages {
        Pages::Small => memmap2::Advice::NoHugePage,
        Pages::Huge => memmap2::Advice::HugePage,
    });
}

#[cfg(not(target_os = "linux"))]
fn choose(_map: &MmapMut, _pages: Pages) {}

/// This is only advice too: an older kernel refuses, and gets each page when it is first written.
#[cfg(target_os = "linux")]
fn get_memory(map: &MmapMut, offset: usize, bytes: usize) {
    let _ = map.advise_range(memmap2::Advice::PopulateWrite, offset, bytes);
}

#[cfg(not(target_os = "linux"))]
fn get_memory(_map: &MmapMut, _offset: usize, _bytes: usize) {}

#[cfg(not(loom))]
impl Chunk {
    /// Zeroed memory for a long array. `layout` must not be empty nor ask for more than a page's alignment.
    ///
    /// A large one is a mapping, because the allocator would keep freed memory of such lengths
    /// instead of returning it to the system.
    pub(super) fn zeroed(layout: Layout) -> (Self, NonNull<u8>) {
        assert!(layout.size() > 0 && layout.align() <= 4096);
        if let Some(mapped) = map(layout.size(), Pages::Huge) {
            return mapped;
        }
        // SAFETY: the layout is not empty.
        let start = unsafe { std::alloc::alloc_zeroed(layout) };
        let Some(start) = NonNull::new(start) else {
            handle_alloc_error(layout)
        };
        (Self::Heap { start, layout }, start)
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        if let Self::Heap { start, layout } = self {
            // SAFETY: allocated in `take_from_heap` or `zeroed` with this layout, and freed nowhere else.
            unsafe { dealloc(start.as_ptr(), *layout) };
        }
    }
}

impl Bump {
    pub(super) const fn new(pages: Pages) -> Self {
        Self {
            pages,
            at: NonNull::dangling(),
            left: 0,
            absent: 0,
            used: 0,
            reserved: 0,
        }
    }

    /// Chooses the pages of the next chunks.
    pub(super) const fn use_pages(&mut self, pages: Pages) {
        self.pages = pages;
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
        let mut bumps = [Pages::Huge, Pages::Small].map(Bump::new);
        let mut taken: Vec<(usize, usize)> = Vec::new();
        for (n, bytes) in (0..).zip([1, 8, 63, 64, 65, 300, 7, 250, 1, 16, 3 << 20].repeat(4)) {
            let start = arena.allocate(&mut bumps[n % 2], bytes).as_ptr();
            // SAFETY: just allocated with this many bytes.
            unsafe { std::ptr::write_bytes(start, 0xaa, bytes) };
            assert_eq!(start as usize % ALIGN, 0);
            taken.push((start as usize, bytes));
        }
        taken.sort_unstable();
        for pair in taken.windows(2) {
            assert!(pair[0].0 + pair[0].1 <= pair[1].0, "{pair:?} overlap");
        }
        let used = bumps.iter().map(Bump::used).sum();
        assert!(used <= arena.reserved());
        assert_eq!(
            bumps.iter().map(|bump| bump.reserved).sum::<usize>(),
            arena.reserved()
        );
        assert!(taken.iter().map(|(_, bytes)| bytes).sum::<usize>() <= used);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn pages_are_chosen_for_the_chunks_to_come() {
        let arena = Arena::new(8 << 20);
        let mut bump = Bump::new(Pages::Huge);
        let has_small_pages = |bump: &mut Bump| {
            let taken = 0..16 << 10;
            let absent = taken.map(|_| {
                arena.allocate(bump, 1 << 10);
                bump.absent
            });
            absent.max() > Some(0)
        };
        assert!(!has_small_pages(&mut bump));
        bump.use_pages(Pages::Small);
        assert!(has_small_pages(&mut bump));
    }

    #[test]
    fn small_pages_get_their_memory_before_they_are_handed_out() {
        let arena = Arena::new(8 << 20);
        let mut bump = Bump::new(Pages::Small);
        let (mut seen, mut pages) = (0, presence());
        for bytes in [1 << 10, 100_000, 3 << 20, 1 << 20, 4_000].repeat(40) {
            let start = arena.allocate(&mut bump, bytes).as_ptr();
            let mapped = bump.absent > 0 || bytes >= MAPPED_BYTES_MIN;
            if let Some(pages) = pages.as_mut().filter(|_| mapped) {
                for at in [start as usize, start as usize + bytes - 1] {
                    assert!(
                        is_present(pages, at),
                        "{at:#x} of {bytes} bytes at {start:?}"
                    );
                    seen += 1;
                }
            }
            // SAFETY: just allocated with this many bytes.
            unsafe { std::ptr::write_bytes(start, 0xaa, bytes) };
            assert!(bump.absent == 0 || bump.left - bump.absent <= AHEAD_BYTES);
        }
        assert!(
            pages.is_none() || seen > 100,
            "{seen} addresses were in mapped chunks"
        );
    }

    /// Where the kernel shows which pages have memory; `None` where it does not, or cannot get memory ahead.
    fn presence() -> Option<std::fs::File> {
        // Others have pages of several lengths.
        if !cfg!(target_arch = "x86_64") {
            return None;
        }
        #[cfg(target_os = "linux")]
        MmapMut::map_anon(1)
            .and_then(|map| map.advise(memmap2::Advice::PopulateWrite))
            .ok()?;
        std::fs::File::open("/proc/self/pagemap").ok()
    }

    fn is_present(pages: &mut std::fs::File, address: usize) -> bool {
        use std::io::{Read, Seek, SeekFrom};
        const PAGE_BYTES: u64 = 4096;
        let mut entry = [0; 8];
        pages
            .seek(SeekFrom::Start(address as u64 / PAGE_BYTES * 8))
            .unwrap();
        pages.read_exact(&mut entry).unwrap();
        // The highest bit says that the page is in memory, the next one that it was swapped out.
        u64::from_ne_bytes(entry) >> 62 != 0
    }
}

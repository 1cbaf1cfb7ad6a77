//! mimalloc as the allocator of the program.
//!
//! Asking mimalloc for an alignment takes a separate path, which costs more than twice as much as the plain one.
//! Every block is aligned to a machine word anyway, and few allocations need more, so only those few take that path.
//!
//! mimalloc does not ask for huge pages here (its feature `no_thp`): one small block would keep 2 MiB.

#![expect(unsafe_code, reason = "an allocator is made of pointers")]

use std::alloc::{GlobalAlloc, Layout};

use libmimalloc_sys::{
    mi_collect, mi_free, mi_malloc, mi_malloc_aligned, mi_realloc, mi_realloc_aligned, mi_zalloc,
    mi_zalloc_aligned,
};

/// The alignment that every block has.
const ALIGNED_BYTES: usize = size_of::<usize>();

/// The allocator of the program.
#[derive(Debug)]
pub struct Mimalloc;

/// Gives memory that is free back to the system, as far as this thread has allocated it. mimalloc does so by itself only
/// while it allocates and frees. Takes some milliseconds if there is much.
pub fn give_back() {
    // SAFETY: it may be called at any time.
    unsafe { mi_collect(true) }
}

// SAFETY: each function passes on the size, and also the alignment if it is more than every block has. mimalloc
// allows a block that was allocated by the plain path to be freed or resized by the aligned one, and the reverse.
unsafe impl GlobalAlloc for Mimalloc {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let (size, align) = (layout.size(), layout.align());
        // SAFETY: mimalloc takes any size, and any alignment that is a power of two.
        unsafe {
            match align <= ALIGNED_BYTES {
                true => mi_malloc(size).cast(),
                false => mi_malloc_aligned(size, align).cast(),
            }
        }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let (size, align) = (layout.size(), layout.align());
        // SAFETY: as above.
        unsafe {
            match align <= ALIGNED_BYTES {
                true => mi_zalloc(size).cast(),
                false => mi_zalloc_aligned(size, align).cast(),
            }
        }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, _: Layout) {
        // SAFETY: the caller got the block from this allocator.
        unsafe { mi_free(block.cast()) }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let align = layout.align();
        // SAFETY: the caller got the block from this allocator, with this alignment.
        unsafe {
            match align <= ALIGNED_BYTES {
                true => mi_realloc(block.cast(), size).cast(),
                false => mi_realloc_aligned(block.cast(), size, align).cast(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_aligned_and_keep_what_they_hold() {
        for align in [1, 4, 8, 16, 64, 4096] {
            for size in (1..100).chain([1000, 100_000]) {
                let layout = Layout::from_size_align(size, align).unwrap();
                // SAFETY: all accesses are within `size`, and each block is given back once.
                unsafe {
                    let is_aligned = |block: *mut u8| (block as usize).is_multiple_of(align);
                    let zeroed = Mimalloc.alloc_zeroed(layout);
                    assert!(is_aligned(zeroed) && *zeroed == 0);
                    Mimalloc.dealloc(zeroed, layout);
                    let block = Mimalloc.alloc(layout);
                    assert!(is_aligned(block));
                    block.add(size - 1).write(7);
                    let longer = Mimalloc.realloc(block, layout, 3 * size);
                    assert!(is_aligned(longer) && *longer.add(size - 1) == 7);
                    Mimalloc.dealloc(longer, layout);
                }
            }
        }
    }
}

//! The memory of the program comes from mimalloc.
//!
//! Whoever asks it for an alignment takes a way of its own, which costs more than twice as much as the plain one, and each
//! block is aligned to a word of the machine anyway. Few ask for more.

#![expect(unsafe_code, reason = "an allocator is made of pointers")]

use std::alloc::{GlobalAlloc, Layout};

use libmimalloc_sys::{
    mi_free, mi_malloc, mi_malloc_aligned, mi_realloc, mi_realloc_aligned, mi_zalloc,
    mi_zalloc_aligned,
};

/// What everything is aligned to.
const ALIGNED_BYTES: usize = size_of::<usize>();

/// The allocator.
pub(crate) struct Mimalloc;

// SAFETY: each function hands the size on, and the alignment if it is more than what every block has. A block that was
// asked for in one way may be freed, and grow, in the other.
unsafe impl GlobalAlloc for Mimalloc {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let (size, align) = (layout.size(), layout.align());
        // SAFETY: mimalloc takes any size, and any power of two.
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
        // SAFETY: the caller has it from here.
        unsafe { mi_free(block.cast()) }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let align = layout.align();
        // SAFETY: the caller has it from here, and of this alignment.
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
                // SAFETY: within `size`, and given back once.
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

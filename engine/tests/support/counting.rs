//! An allocator that counts what each thread allocates. A test binary installs it:
//!
//! ```text
//! #[global_allocator]
//! static COUNTING: Counting = Counting;
//! ```

#![expect(
    unsafe_code,
    reason = "counting allocations takes an allocator, and that trait is unsafe"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// What a piece of work allocated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Taken {
    /// How many allocations.
    pub(crate) count: usize,
    /// Their bytes, including those freed in between.
    pub(crate) bytes: usize,
    /// The bytes of the largest.
    pub(crate) largest: usize,
}

thread_local! {
    static TAKEN: Cell<Taken> = const {
        Cell::new(Taken { count: 0, bytes: 0, largest: 0 })
    };
}

pub(crate) struct Counting;

impl Counting {
    fn count(bytes: usize) {
        TAKEN.with(|cell| {
            let taken = cell.get();
            cell.set(Taken {
                count: taken.count + 1,
                bytes: taken.bytes + bytes,
                largest: taken.largest.max(bytes),
            });
        });
    }
}

// SAFETY: every call is passed on unchanged to the system's allocator; counting touches only a
// thread-local number, which needs no allocation.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Counting::count(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`, which is the system's too.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above; the pointer came from the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// What `work` allocates on this thread.
pub(crate) fn taken_by<T>(work: impl FnOnce() -> T) -> (T, Taken) {
    let before = TAKEN.with(|cell| cell.replace(Taken::default()));
    let outcome = work();
    let taken = TAKEN.with(|cell| cell.replace(before));
    (outcome, taken)
}

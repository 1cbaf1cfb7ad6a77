//! Prefetching: asks the processor to get memory into its caches, so that it is on its way when it is read.
//!
//! This is only a hint, with no visible effect but speed. On processors other than x86-64 it does nothing.

#![cfg_attr(
    target_arch = "x86_64",
    expect(
        unsafe_code,
        reason = "the standard library marks a prefetch as unsafe"
    )
)]

/// The number of bytes that are fetched from memory together.
const LINE_BYTES: usize = 64;

/// Prefetches the cache line of an address, whatever is there.
#[inline]
pub(crate) fn prefetch_line(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing that the program could see, and faults on no address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Prefetches all cache lines of `bytes`.
#[inline]
pub(crate) fn prefetch(bytes: &[u8]) {
    let (start, end) = (bytes.as_ptr(), bytes.as_ptr_range().end);
    let mut line = start.map_addr(|address| address & !(LINE_BYTES - 1));
    while line < end {
        prefetch_line(line);
        line = line.wrapping_add(LINE_BYTES);
    }
}

//! The buckets of an index: cache lines that begin as zeros, and how their slots are read and changed.

#![expect(
    unsafe_code,
    reason = "an array whose memory the system hands out as zeros"
)]

use crate::memtable::skiplist::Node;
use crate::prefetch::prefetch_line;
use crate::sync::{AtomicPtr, AtomicU64, Ordering};

/// Slots in a bucket: with their tags, a cache line.
pub(super) const SLOTS: usize = 7;

const _: () = assert!(cfg!(loom) || size_of::<Bucket>() == 64);

/// One cache line.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct Bucket {
    tags: AtomicU64,
    nodes: [AtomicPtr<u8>; SLOTS],
}

impl Bucket {
    #[inline]
    pub(super) fn tags(&self) -> [u8; SLOTS] {
        let [tags @ .., _] = self.tags.load(Ordering::Acquire).to_le_bytes();
        tags
    }

    #[inline]
    pub(super) fn node(&self, at: usize) -> Option<Node> {
        Node::at(self.nodes[at].load(Ordering::Acquire))
    }

    pub(super) fn lead_to(&self, at: usize, node: Node) {
        self.nodes[at].store(node.address(), Ordering::Release);
    }

    /// Sets the tag of a slot that has none. Only the writer calls this.
    pub(super) fn add_tag(&self, at: usize, tag: u8) {
        let tags = self.tags.load(Ordering::Relaxed);
        let tag = u64::from(tag) << (8 * at);
        self.tags.store(tags | tag, Ordering::Release);
    }

    /// Makes the system get memory for an empty bucket that only the writer sees, and for what is in the same page.
    pub(super) fn touch(&self) {
        self.tags.store(0, Ordering::Relaxed);
    }

    /// Prefetches the bucket.
    #[inline]
    pub(super) fn prefetch(&self) {
        prefetch_line(std::ptr::from_ref(self).cast());
    }
}

#[cfg(not(loom))]
pub(super) use self::in_zeros::Buckets;

#[cfg(not(loom))]
mod in_zeros {
    use std::alloc::Layout;
    use std::ops::Deref;
    use std::ptr::NonNull;

    use super::Bucket;
    use crate::memtable::arena::Chunk;

    /// The buckets of a table, all empty at first. Only those that are touched take memory.
    #[derive(Debug)]
    pub(in crate::memtable::index) struct Buckets {
        buckets: NonNull<[Bucket]>,
        _memory: Chunk,
    }

    // SAFETY: it owns the memory it points at, whose fields are atomic.
    unsafe impl Send for Buckets {}
    // SAFETY: as above.
    unsafe impl Sync for Buckets {}

    impl Buckets {
        /// `count` must be at least one.
        pub(in crate::memtable::index) fn new(count: usize) -> Self {
            let layout = Layout::array::<Bucket>(count).expect("far below isize::MAX");
            let (memory, start) = Chunk::zeroed(layout);
            Self {
                buckets: NonNull::slice_from_raw_parts(start.cast(), count),
                _memory: memory,
            }
        }
    }

    impl Deref for Buckets {
        type Target = [Bucket];

        #[inline]
        fn deref(&self) -> &[Bucket] {
            // SAFETY: the memory has this length and alignment, and lives as long as `self`. Zeros are a
            // valid bucket: no tags and null pointers. Buckets are only changed through their atomics.
            unsafe { self.buckets.as_ref() }
        }
    }
}

/// The same for loom's models, whose atomics cannot be made from zeroed memory.
#[cfg(loom)]
#[derive(Debug)]
pub(super) struct Buckets(Box<[Bucket]>);

#[cfg(loom)]
impl Buckets {
    pub(super) fn new(count: usize) -> Self {
        let empty = || Bucket {
            tags: AtomicU64::new(0),
            nodes: std::array::from_fn(|_| AtomicPtr::default()),
        };
        Self((0..count).map(|_| empty()).collect())
    }
}

#[cfg(loom)]
impl std::ops::Deref for Buckets {
    type Target = [Bucket];

    fn deref(&self) -> &[Bucket] {
        &self.0
    }
}

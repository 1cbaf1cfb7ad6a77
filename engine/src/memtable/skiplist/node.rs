//! A node: its layout in the arena, and the only code that reads or writes one.

#![expect(
    unsafe_code,
    reason = "nodes of differing length, read while the list grows"
)]

use std::ptr::{self, NonNull};
use std::slice;

use super::Target;
use crate::internal_key::{MAX_USER_KEY_BYTES, TRAILER_BYTES};
use crate::memtable::arena::{ALIGN, Arena, Bump, Pages};
use crate::prefetch::prefetch_line;
use crate::sync::{AtomicPtr, Ordering, Witness};

/// Enough for 2.5^20 nodes, more than any memory holds, before the top level grows long.
pub(super) const HEIGHT_MAX: usize = 20;

const LINK_BYTES: usize = size_of::<AtomicPtr<u8>>();
const BEFORE_AT: usize = LINK_BYTES;
const KEY_LEN_AT: usize = BEFORE_AT + LINK_BYTES;
const VALUE_LEN_AT: usize = KEY_LEN_AT + 4;
const WITNESS_AT: usize = VALUE_LEN_AT + 4;
const KEY_AT: usize = WITNESS_AT + size_of::<Witness>();
/// A value of at least this many bytes is stored apart, and the node holds its address. Searches read the
/// nodes, so values that are only copied would spread the nodes over more pages; values need no huge pages.
const APART_BYTES_MIN: usize = 512;
/// The bits of a key's length. Above them is the run.
const KEY_LEN_BITS: u32 = 27;
const KEY_LEN_MASK: u32 = (1 << KEY_LEN_BITS) - 1;
/// The longest run that a node counts.
pub(super) const RUN_MAX: u32 = u32::MAX >> KEY_LEN_BITS;
const ADDRESS_BYTES: usize = size_of::<*const u8>();
/// A short key and its lengths end about here, often on the second cache line of the node.
const PREFETCH_AHEAD: usize = KEY_AT + 24;

const _: () = assert!(align_of::<AtomicPtr<u8>>() <= ALIGN && LINK_BYTES.is_multiple_of(ALIGN));
const _: () = assert!(MAX_USER_KEY_BYTES + TRAILER_BYTES <= KEY_LEN_MASK as usize);
const _: () = assert!(align_of::<Witness>() <= ALIGN && WITNESS_AT.is_multiple_of(ALIGN));

/// A node of a list, or its head. Valid for as long as the list's arena.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::memtable) struct Node(NonNull<u8>);

// SAFETY: once published, what a node points at is immutable except for its links, which are atomic.
unsafe impl Send for Node {}
// SAFETY: as above.
unsafe impl Sync for Node {}

/// Where nodes and values stored apart are allocated.
#[derive(Debug)]
pub(super) struct Room {
    nodes: Bump,
    values: Bump,
}

impl Room {
    pub(super) const fn new() -> Self {
        Self {
            nodes: Bump::new(Pages::Huge),
            values: Bump::new(Pages::Small),
        }
    }

    /// The nodes get small pages too, from the next chunk on.
    pub(super) const fn use_small_pages(&mut self) {
        self.nodes.use_pages(Pages::Small);
    }

    /// Bytes handed out so far.
    pub(super) const fn used(&self) -> usize {
        self.nodes.used() + self.values.used()
    }
}

impl Node {
    /// A node with `height` null links forward, one null link back, and room for `entry_bytes`; its
    /// lengths are zero.
    fn empty(arena: &Arena, bump: &mut Bump, height: usize, entry_bytes: usize) -> Self {
        assert!((1..=HEIGHT_MAX).contains(&height));
        let upper_bytes = (height - 1) * LINK_BYTES;
        let start = arena.allocate(bump, upper_bytes + KEY_AT + entry_bytes);
        // SAFETY: the allocation holds `height` links from its start, aligned for them, then the link back, two
        // lengths and the witness.
        unsafe {
            for level in 0..height {
                let link = start.add(level * LINK_BYTES).cast::<AtomicPtr<u8>>();
                link.write(AtomicPtr::default());
            }
            let node = start.add(upper_bytes);
            let before = node.add(BEFORE_AT).cast::<AtomicPtr<u8>>();
            before.write(AtomicPtr::default());
            node.add(KEY_LEN_AT).cast::<u32>().write(0);
            node.add(VALUE_LEN_AT).cast::<u32>().write(0);
            node.add(WITNESS_AT).cast::<Witness>().write(Witness::new());
            Self(node)
        }
    }

    /// The node before all others: of the greatest height, and without an entry.
    pub(super) fn head(arena: &Arena, room: &mut Room) -> Self {
        Self::empty(arena, &mut room.nodes, HEIGHT_MAX, 0)
    }

    /// A node with its entry written and its links null, not yet published. `run` is at most [`RUN_MAX`].
    pub(super) fn entry(
        arena: &Arena,
        room: &mut Room,
        (height, run): (usize, u32),
        target: Target<'_>,
        value: &[u8],
    ) -> Self {
        let user_key_len = target.user_key.len();
        let key_len = user_key_len + TRAILER_BYTES;
        let key_len_stored = u32::try_from(key_len).expect("a batch bounds its keys");
        let value_len_stored = u32::try_from(value.len()).expect("a batch bounds its values");
        let apart = (value.len() >= APART_BYTES_MIN).then(|| {
            let apart = arena.allocate(&mut room.values, value.len());
            // SAFETY: just allocated with this length, and no other thread knows of it.
            unsafe { ptr::copy_nonoverlapping(value.as_ptr(), apart.as_ptr(), value.len()) };
            apart.as_ptr().cast_const()
        });
        let value_bytes = apart.map_or(value.len(), |_| ADDRESS_BYTES);
        let node = Self::empty(arena, &mut room.nodes, height, key_len + value_bytes);
        node.witness().write();
        let at = node.0.as_ptr();
        // SAFETY: `empty` took room for the lengths and `key_len + value_bytes` bytes after them,
        // no other thread knows the node, and the sources are other memory.
        unsafe {
            let key_len_and_run = key_len_stored | run << KEY_LEN_BITS;
            at.add(KEY_LEN_AT).cast::<u32>().write(key_len_and_run);
            at.add(VALUE_LEN_AT).cast::<u32>().write(value_len_stored);
            let key = at.add(KEY_AT);
            ptr::copy_nonoverlapping(target.user_key.as_ptr(), key, user_key_len);
            let trailer = target.trailer.to_be_bytes();
            ptr::copy_nonoverlapping(trailer.as_ptr(), key.add(user_key_len), TRAILER_BYTES);
            let behind = key.add(key_len);
            match apart {
                Some(apart) => behind.cast::<*const u8>().write_unaligned(apart),
                None => ptr::copy_nonoverlapping(value.as_ptr(), behind, value.len()),
            }
        }
        node
    }

    fn witness(&self) -> &Witness {
        // SAFETY: `empty` wrote it, and the arena is alive wherever a node's contents are read.
        unsafe { &*self.0.as_ptr().add(WITNESS_AT).cast::<Witness>() }
    }

    /// # Safety
    /// The arena that holds the node is alive and `level` is below the node's height.
    unsafe fn link(&self, level: usize) -> &AtomicPtr<u8> {
        // SAFETY: a node's allocation starts `height - 1` links before the pointer, each initialised before
        // the node was published, and aligned because the allocation and the offset are.
        unsafe {
            let at = self.0.as_ptr().sub(level * LINK_BYTES);
            &*at.cast::<AtomicPtr<u8>>()
        }
    }

    /// # Safety
    /// As for [`Node::link`].
    #[inline]
    pub(super) unsafe fn next(self, level: usize) -> Option<Self> {
        // SAFETY: the caller's promise.
        Self::at(unsafe { self.link(level) }.load(Ordering::Acquire))
    }

    /// The link back on level 0.
    ///
    /// # Safety
    /// The arena that holds the node is alive.
    unsafe fn link_back(&self) -> &AtomicPtr<u8> {
        // SAFETY: every node has one at this place, written by `empty`, and aligned because `BEFORE_AT` is.
        unsafe { &*self.0.as_ptr().add(BEFORE_AT).cast::<AtomicPtr<u8>>() }
    }

    /// The node that was last linked before this one; `None` for the head.
    ///
    /// # Safety
    /// As for [`Node::link_back`].
    #[inline]
    pub(super) unsafe fn before(self) -> Option<Self> {
        // SAFETY: the caller's promise.
        Self::at(unsafe { self.link_back() }.load(Ordering::Acquire))
    }

    /// Points this node back at `before`.
    ///
    /// # Safety
    /// As for [`Node::link_back`].
    pub(super) unsafe fn set_before(self, before: Self) {
        // SAFETY: the caller's promise. A reader that follows the link sees all of `before`.
        unsafe { self.link_back() }.store(before.0.as_ptr(), Ordering::Release);
    }

    /// The address, to store in a place that [`Node::at`] reads.
    pub(in crate::memtable) const fn address(self) -> *mut u8 {
        self.0.as_ptr()
    }

    /// The node of an address from [`Node::address`]; `None` for null.
    #[inline]
    pub(in crate::memtable) const fn at(address: *mut u8) -> Option<Self> {
        match NonNull::new(address) {
            Some(node) => Some(Self(node)),
            None => None,
        }
    }

    /// Points this node, which no reader sees on `level` yet, at `next`.
    ///
    /// # Safety
    /// As for [`Node::link`].
    pub(super) unsafe fn prepare_next(self, level: usize, next: Option<Self>) {
        let next = next.map_or(ptr::null_mut(), |next| next.0.as_ptr());
        // SAFETY: the caller's promise. Relaxed, because `publish` comes after it.
        unsafe { self.link(level) }.store(next, Ordering::Relaxed);
    }

    /// Lets readers on `level` see `node` after this one, with everything that was written into it.
    ///
    /// # Safety
    /// As for [`Node::link`].
    pub(super) unsafe fn publish(self, level: usize, node: Self) {
        // SAFETY: the caller's promise.
        unsafe { self.link(level) }.store(node.0.as_ptr(), Ordering::Release);
    }

    /// Prefetches the node's first cache lines, so that they are on their way when it is compared.
    #[inline]
    pub(in crate::memtable) fn prefetch(self) {
        prefetch_line(self.0.as_ptr());
        prefetch_line(self.0.as_ptr().wrapping_add(PREFETCH_AHEAD));
    }

    /// Prefetches the end of a short value or the beginning of a long one. The node's own first
    /// cache lines should have arrived already.
    ///
    /// # Safety
    /// As for [`Node::key`].
    #[inline]
    pub(in crate::memtable) unsafe fn prefetch_value(self) {
        // SAFETY: the caller's promise.
        let value = unsafe { self.value() };
        prefetch_line(match value.len() >= APART_BYTES_MIN {
            true => value.as_ptr(),
            false => value.as_ptr_range().end,
        });
    }

    /// # Safety
    /// The arena is alive, and this is not the head (which has no key).
    #[inline]
    unsafe fn key_parts(&self) -> (*const u8, usize, usize) {
        self.witness().read();
        let at = self.0.as_ptr();
        // SAFETY: both lengths were written before the node was published (invariant 1).
        unsafe {
            let key_len = at.add(KEY_LEN_AT).cast::<u32>().read() & KEY_LEN_MASK;
            let value_len = at.add(VALUE_LEN_AT).cast::<u32>().read();
            (at.add(KEY_AT), key_len as usize, value_len as usize)
        }
    }

    /// How many of the low versions of its key that follow the node were counted; at most [`RUN_MAX`].
    ///
    /// # Safety
    /// The arena is alive.
    #[inline]
    pub(super) unsafe fn run(self) -> u32 {
        self.witness().read();
        // SAFETY: written before the node was published, and never again.
        unsafe { self.0.as_ptr().add(KEY_LEN_AT).cast::<u32>().read() >> KEY_LEN_BITS }
    }

    /// The internal key.
    ///
    /// # Safety
    /// This is not the head, and the arena outlives `'a`.
    #[inline]
    pub(in crate::memtable) unsafe fn key<'a>(self) -> &'a [u8] {
        // SAFETY: the caller's promise; the bytes are written before publication and never again.
        unsafe {
            let (key, key_len, _) = self.key_parts();
            slice::from_raw_parts(key, key_len)
        }
    }

    /// # Safety
    /// As for [`Node::key`].
    #[inline]
    pub(in crate::memtable) unsafe fn value<'a>(self) -> &'a [u8] {
        // SAFETY: the value follows the key in the same allocation, or its address does, and then
        // the value is in the same arena.
        unsafe {
            let (key, key_len, value_len) = self.key_parts();
            let behind = key.add(key_len);
            let value = match value_len >= APART_BYTES_MIN {
                true => behind.cast::<*const u8>().read_unaligned(),
                false => behind,
            };
            slice::from_raw_parts(value, value_len)
        }
    }
}

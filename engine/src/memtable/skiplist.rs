//! A skip list (Pugh, 1990) with its keys inside the nodes: one writer, readers without locks.
//!
//! A node is one allocation. The pointer to it points at `next[0]`; the upper links lie before it, so that the
//! link most often followed and the key it is followed for share a cache line (the layout is RocksDB's):
//!
//! ```text
//! -8 * (height - 1)   next[height - 1] ... next[1]      only as many as the node is high
//! 0                   next[0]
//! 8                   key_len: u32 | value_len: u32
//! 16                  user key | trailer: 8 bytes big-endian | value
//! ```
//!
//! Order: by user key under the family's comparator, then by trailer ascending, which is newest
//! first. No two nodes are equal, because a sequence number is used once.
//!
//! Invariants
//! 1. Everything but the links is written before a node is published and never after.
//! 2. A node is published from the bottom up by release stores; a reader follows links by acquire
//!    loads. So whoever sees a node sees all of it.
//! 3. A node is never unlinked. A pointer once seen is good for as long as the arena.
//! 4. The list at level `n + 1` is a subsequence of the list at level `n`.
//! 5. There is one [`Writer`] to a list, and it is needed (`&mut`) to insert.
//!
//! Left out: backward links. A step back is a search from the top, O(log n). The cursor that merges
//! sources steps back mostly in tables, where it is cheap.

#![expect(
    unsafe_code,
    reason = "nodes of differing length, read while the list grows"
)]

use std::cmp::Ordering as Order;
use std::ptr::{self, NonNull};
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use super::arena::{ALIGN, Arena, Bump};
use crate::comparator::Comparator;
use crate::internal_key::TRAILER_BYTES;

/// With one node in four rising a level, enough for 4^12 nodes before the top level grows long.
const HEIGHT_MAX: usize = 12;
const LINK_BYTES: usize = size_of::<AtomicPtr<u8>>();
const KEY_LEN_AT: usize = LINK_BYTES;
const VALUE_LEN_AT: usize = KEY_LEN_AT + 4;
const KEY_AT: usize = VALUE_LEN_AT + 4;
/// A short key and its lengths end about here, often on the cache line after the node's first.
#[cfg(target_arch = "x86_64")]
const PREFETCH_AHEAD: usize = KEY_AT + 24;

const _: () = assert!(ALIGN == LINK_BYTES && align_of::<AtomicPtr<u8>>() <= ALIGN);

/// The list as readers share it.
#[derive(Debug)]
pub(super) struct SkipList {
    arena: Arena,
    head: Node,
    comparator: Comparator,
    /// How many levels are in use. A hint only: a reader that sees an old value starts a level lower.
    height: AtomicUsize,
    len: AtomicUsize,
}

/// The right to insert. There is one for each list.
#[derive(Debug)]
pub(super) struct Writer {
    list: Arc<SkipList>,
    bump: Bump,
    /// Where the last insertion happened: at each level the last node before or at it.
    ///
    /// Nested: `before[n + 1]` stands at or before `before[n]`. So if a new key belongs directly
    /// after `before[0]`, it belongs after every one of them, and the search can be left out.
    before: [Node; HEIGHT_MAX],
    random: u64,
}

/// A node of a list, or the head. Good for as long as the list's arena.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Node(NonNull<u8>);

// SAFETY: what a node points at is immutable once published, but for its links, which are atomic.
unsafe impl Send for Node {}
// SAFETY: as above.
unsafe impl Sync for Node {}

/// A key to look for: what an internal key is made of, not yet laid side by side.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target<'a> {
    pub(super) user_key: &'a [u8],
    /// The last eight bytes of an internal key, read as a big-endian number.
    pub(super) trailer: u64,
}

impl Node {
    /// # Safety
    /// The arena that holds the node is alive and `level` is below the node's height.
    unsafe fn link(&self, level: usize) -> &AtomicPtr<u8> {
        // SAFETY: a node's allocation starts `height - 1` links before the pointer, each initialised before
        // the node was published, and aligned because the allocation and the offset are.
        unsafe {
            &*self
                .0
                .as_ptr()
                .sub(level * LINK_BYTES)
                .cast::<AtomicPtr<u8>>()
        }
    }

    /// # Safety
    /// As for [`Node::link`].
    #[inline]
    unsafe fn next(self, level: usize) -> Option<Self> {
        // SAFETY: the caller's promise.
        NonNull::new(unsafe { self.link(level) }.load(Ordering::Acquire)).map(Self)
    }

    /// Asks for the node's first cache lines, so that they are on their way when it is compared.
    ///
    /// A search is a chain of cache misses. While one level's next node is compared, the level below's,
    /// which comes next if the first is too great, is fetched: a fifth off a random insert into 64 MiB.
    #[inline]
    fn prefetch(self) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let start = self.0.as_ptr().cast::<i8>();
            // SAFETY: a prefetch reads nothing that the program could see, and faults on no address.
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(start);
                _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(PREFETCH_AHEAD));
            }
        }
    }

    /// # Safety
    /// The arena is alive, and this is not the head (which has no key).
    #[inline]
    unsafe fn key_parts(&self) -> (*const u8, usize, usize) {
        let at = self.0.as_ptr();
        // SAFETY: both lengths were written before the node was published (invariant 1).
        unsafe {
            let key_len = at.add(KEY_LEN_AT).cast::<u32>().read();
            let value_len = at.add(VALUE_LEN_AT).cast::<u32>().read();
            (at.add(KEY_AT), key_len as usize, value_len as usize)
        }
    }

    /// The internal key.
    ///
    /// # Safety
    /// This is not the head, and the arena outlives `'a`.
    #[inline]
    pub(super) unsafe fn key<'a>(self) -> &'a [u8] {
        // SAFETY: the caller's promise; the bytes are written before publication and never again.
        unsafe {
            let (key, key_len, _) = self.key_parts();
            slice::from_raw_parts(key, key_len)
        }
    }

    /// # Safety
    /// As for [`Node::key`].
    #[inline]
    pub(super) unsafe fn value<'a>(self) -> &'a [u8] {
        // SAFETY: the value follows the key in the same allocation.
        unsafe {
            let (key, key_len, value_len) = self.key_parts();
            slice::from_raw_parts(key.add(key_len), value_len)
        }
    }
}

impl SkipList {
    pub(super) fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed)
    }

    pub(super) fn reserved(&self) -> usize {
        self.arena.reserved()
    }

    pub(super) const fn comparator(&self) -> &Comparator {
        &self.comparator
    }

    /// The link from `node` at `level`. `node` is of this list and higher than `level`.
    #[inline]
    fn after(&self, node: Node, level: usize) -> Option<Node> {
        // SAFETY: nodes are only made by this module, and `&self` keeps the arena alive. A node is reached at
        // `level` through a link of that level or as the head, so it is high enough.
        unsafe { node.next(level) }
    }

    pub(super) fn first(&self) -> Option<Node> {
        self.after(self.head, 0)
    }

    pub(super) fn next(&self, node: Node) -> Option<Node> {
        self.after(node, 0)
    }

    /// `node` is of this list and not its head.
    #[inline]
    fn compare(&self, node: Node, target: Target<'_>) -> Order {
        // SAFETY: not the head by contract, and the arena lives as long as `&self`.
        let key = unsafe { node.key() };
        let (user_key, trailer) = key
            .split_last_chunk::<TRAILER_BYTES>()
            .expect("every node's key ends in a trailer");
        self.comparator
            .compare(user_key, target.user_key)
            .then_with(|| u64::from_be_bytes(*trailer).cmp(&target.trailer))
    }

    /// Whether `node`, of this list and not its head, holds exactly this key.
    pub(super) fn is(&self, node: Node, target: Target<'_>) -> bool {
        self.compare(node, target).is_eq()
    }

    /// The first node at or after `target`.
    pub(super) fn seek(&self, target: Target<'_>) -> Option<Node> {
        self.around(target).1
    }

    /// The last node before `target`, or `None` if there is none.
    pub(super) fn seek_before(&self, target: Target<'_>) -> Option<Node> {
        let (before, _) = self.around(target);
        (before != self.head).then_some(before)
    }

    pub(super) fn last(&self) -> Option<Node> {
        let mut at = self.head;
        for level in (0..self.height.load(Ordering::Relaxed)).rev() {
            while let Some(next) = self.after(at, level) {
                at = next;
            }
        }
        (at != self.head).then_some(at)
    }

    /// The last node before `target`, and the first one at or after it, which was its successor when looked at.
    ///
    /// The successor is not to be read again from the link: the writer may meanwhile have put a node between
    /// the two, and that one may stand before `target`.
    fn around(&self, target: Target<'_>) -> (Node, Option<Node>) {
        let mut found = (self.head, None);
        for level in (0..self.height.load(Ordering::Relaxed)).rev() {
            found = self.descend(found.0, level, target, found.1);
        }
        found
    }

    /// As [`around`](Self::around), among the nodes on `level` from `at` on.
    ///
    /// `at_or_after` was compared on the level above. It is often the next here, and not compared twice.
    #[inline]
    fn descend(
        &self,
        mut at: Node,
        level: usize,
        target: Target<'_>,
        at_or_after: Option<Node>,
    ) -> (Node, Option<Node>) {
        loop {
            let next = self.after(at, level);
            if level > 0
                && let Some(below) = self.after(at, level - 1)
            {
                below.prefetch();
            }
            match next {
                Some(node) if next != at_or_after && self.compare(node, target).is_lt() => {
                    at = node;
                }
                _ => return (at, next),
            }
        }
    }
}

impl Writer {
    /// An empty list and the right to fill it.
    pub(super) fn new(comparator: Comparator, chunk_bytes: usize) -> Self {
        let arena = Arena::new(chunk_bytes);
        let mut bump = Bump::new();
        let head = new_node(&arena, &mut bump, HEIGHT_MAX, 0);
        let list = Arc::new(SkipList {
            arena,
            head,
            comparator,
            height: AtomicUsize::new(1),
            len: AtomicUsize::new(0),
        });
        Self {
            list,
            bump,
            before: [head; HEIGHT_MAX],
            random: 0x9e37_79b9_7f4a_7c15,
        }
    }

    pub(super) const fn list(&self) -> &Arc<SkipList> {
        &self.list
    }

    /// Bytes of nodes so far.
    pub(super) const fn used(&self) -> usize {
        self.bump.used()
    }

    /// Inserts a key that the list does not hold.
    ///
    /// Cost: O(log n) comparisons; two if the key belongs right after the last one inserted.
    pub(super) fn insert(&mut self, target: Target<'_>, value: &[u8]) {
        if !self.follows_last(target) {
            self.search(target);
        }
        let height = self.random_height();
        let node = self.new_entry(height, target, value);
        let in_use = self.list.height.load(Ordering::Relaxed);
        if height > in_use {
            // A reader may see the new height before the node: it then finds no link there, and descends.
            self.list.height.store(height, Ordering::Relaxed);
        }
        for level in 0..height {
            let before = self.before[level];
            let next = self.list.after(before, level);
            // SAFETY: `node` was made `height` levels high, and is not yet seen by anyone at this level.
            let own = unsafe { node.link(level) };
            own.store(
                next.map_or(ptr::null_mut(), |next| next.0.as_ptr()),
                Ordering::Relaxed,
            );
            // SAFETY: `before[level]` was reached at this level, or is the head.
            let published = unsafe { before.link(level) };
            published.store(node.0.as_ptr(), Ordering::Release);
            self.before[level] = node;
        }
        self.list.len.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether `target` belongs between the last inserted node and its successor.
    fn follows_last(&self, target: Target<'_>) -> bool {
        let list = &*self.list;
        let last = self.before[0];
        if last != list.head && list.compare(last, target).is_ge() {
            return false;
        }
        list.after(last, 0)
            .is_none_or(|next| list.compare(next, target) == Order::Greater)
    }

    fn search(&mut self, target: Target<'_>) {
        let list = &*self.list;
        let in_use = list.height.load(Ordering::Relaxed);
        self.before[in_use..].fill(list.head);
        let mut found = (list.head, None);
        for level in (0..in_use).rev() {
            found = list.descend(found.0, level, target, found.1);
            self.before[level] = found.0;
        }
        debug_assert!(
            found
                .1
                .is_none_or(|next| list.compare(next, target).is_gt()),
            "a sequence number is used once"
        );
    }

    /// One in four rises a level (xorshift64*).
    fn random_height(&mut self) -> usize {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        let bits = self.random.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        let rises = bits.trailing_zeros() as usize / 2;
        (1 + rises).min(HEIGHT_MAX)
    }

    /// A node with its entry written and its links null, not yet published.
    fn new_entry(&mut self, height: usize, target: Target<'_>, value: &[u8]) -> Node {
        let key_len = target.user_key.len() + TRAILER_BYTES;
        let key_len_stored = u32::try_from(key_len).expect("a batch bounds its keys");
        let value_len_stored = u32::try_from(value.len()).expect("a batch bounds its values");
        let node = new_node(
            &self.list.arena,
            &mut self.bump,
            height,
            key_len + value.len(),
        );
        let at = node.0.as_ptr();
        // SAFETY: `new_node` took room for the lengths and `key_len + value.len()` bytes after them,
        // nobody else knows the node, and the sources are other memory.
        unsafe {
            at.add(KEY_LEN_AT).cast::<u32>().write(key_len_stored);
            at.add(VALUE_LEN_AT).cast::<u32>().write(value_len_stored);
            let key = at.add(KEY_AT);
            ptr::copy_nonoverlapping(target.user_key.as_ptr(), key, target.user_key.len());
            let trailer = target.trailer.to_be_bytes();
            ptr::copy_nonoverlapping(
                trailer.as_ptr(),
                key.add(target.user_key.len()),
                TRAILER_BYTES,
            );
            ptr::copy_nonoverlapping(value.as_ptr(), key.add(key_len), value.len());
        }
        node
    }
}

/// A node of `height` null links and room for `entry_bytes`; its lengths are zero.
fn new_node(arena: &Arena, bump: &mut Bump, height: usize, entry_bytes: usize) -> Node {
    debug_assert!((1..=HEIGHT_MAX).contains(&height));
    let upper_bytes = (height - 1) * LINK_BYTES;
    let start = arena.allocate(bump, upper_bytes + KEY_AT + entry_bytes);
    // SAFETY: the allocation holds `height` links from its start, aligned for them, then two lengths.
    unsafe {
        for level in 0..height {
            start
                .add(level * LINK_BYTES)
                .cast::<AtomicPtr<u8>>()
                .write(AtomicPtr::default());
        }
        let node = start.add(upper_bytes);
        node.add(KEY_LEN_AT).cast::<u32>().write(0);
        node.add(VALUE_LEN_AT).cast::<u32>().write(0);
        Node(node)
    }
}

//! The writer of a skip list: finds places, chooses heights, publishes nodes.
//!
//! A search is a chain of cache misses, because each address comes out of the cache line before.
//! Three things shorten it:
//!
//! - The *hint*. The place of the last insertion is kept, level by level. A key that belongs right
//!   before or after it needs no search, as in descending and ascending writes.
//! - *Searching together*. The places of up to [`TOGETHER`] entries are searched for in turns, a
//!   step each. While one search waits for its cache line, the others' lines are on their way.
//! - *No search*. If the newest version of a key is known from the [index](crate::memtable), the next one
//!   is inserted right before it. Such a node is low, so nothing on the upper levels has to be found.

#![expect(
    unsafe_code,
    reason = "nodes of differing length, read while the list grows"
)]

use std::cmp::Ordering as Order;
use std::sync::Arc;

use super::node::RUN_MAX;
use super::{Found, HEIGHT_MAX, Node, Room, SkipList, Target};
use crate::comparator::Comparator;
use crate::memtable::arena::Arena;
use crate::sync::{AtomicUsize, Ordering};

/// This many searches take turns. A core handles about a dozen misses at once, but more searches
/// were still faster (`docs/performance.md`).
pub(in crate::memtable) const TOGETHER: usize = 20;

/// A node rises above a level if at least this many steps on that level led to it.
const STEPS_MAX: usize = 3;

/// Versions of a known key are inserted low, without a search. But a key with thousands of versions would be one run
/// that every search for its neighbours has to walk, so one version in some 256 is searched for and made taller. A node
/// counts the low ones behind it: one in this many, by chance, because it has few bits for that. After [`RUN_MAX`] a
/// tall one is due.
const VERSIONS_A_COUNT: u64 = 8;

/// The right to insert. Each list has exactly one.
#[derive(Debug)]
pub(in crate::memtable) struct Writer {
    list: Arc<SkipList>,
    room: Room,
    /// Where the last insertion happened: the nodes before the new node.
    ///
    /// Nested: the place on level `n + 1` is at or before that on level `n`. So if a new key belongs
    /// directly after the place on level 0, it belongs after every one of them, and no search is needed.
    /// Nodes inserted there since then have height one, and are found through the links of level 0.
    last: Place,
    /// The last node inserted at a searched place, and its height.
    inserted: Option<(Node, usize)>,
    /// Reused between groups: a search takes half a KiB, and creating [`TOGETHER`] of them would
    /// cost a small group more than it needs.
    searches: Vec<Search>,
    random: u64,
}

/// Where a key belongs, level by level.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// The last node before it.
    before: [Node; HEIGHT_MAX],
    /// The steps on each level that led to `before`.
    steps: [usize; HEIGHT_MAX],
}

/// A search under way.
#[derive(Debug, Clone, Copy)]
struct Search {
    place: Place,
    /// The first node after the place on each level, as the search found it.
    after: [Option<Node>; HEIGHT_MAX],
    at: Node,
    level: usize,
    done: bool,
}

impl Writer {
    /// An empty list and the right to fill it.
    pub(in crate::memtable) fn new(comparator: Comparator, chunk_bytes_max: usize) -> Self {
        let arena = Arena::new(chunk_bytes_max);
        let mut room = Room::new();
        let head = Node::head(&arena, &mut room);
        let list = Arc::new(SkipList {
            arena,
            head,
            comparator,
            height: AtomicUsize::new(1),
            len: AtomicUsize::new(0),
        });
        Self {
            list,
            room,
            last: Place::start(head),
            inserted: None,
            searches: Vec::new(),
            random: 0x9e37_79b9_7f4a_7c15,
        }
    }

    /// Gets small pages for nodes too, from the next chunk on.
    pub(in crate::memtable) const fn use_small_pages(&mut self) {
        self.room.use_small_pages();
    }

    pub(in crate::memtable) const fn list(&self) -> &Arc<SkipList> {
        &self.list
    }

    /// Bytes of nodes and values so far.
    pub(in crate::memtable) const fn used(&self) -> usize {
        self.room.used()
    }

    /// Inserts a key that the list does not hold.
    ///
    /// Cost: O(log n) comparisons; two if the key belongs right before or after the last one inserted.
    pub(in crate::memtable) fn insert(&mut self, target: Target<'_>, value: &[u8]) -> Node {
        if !self.find_beside_last(target) {
            self.find(target);
        }
        let height = self.choose_height();
        self.insert_here(height, target, value)
    }

    /// Inserts a version of the key of `newest`, which must be its newest version so far and older
    /// than `target`.
    ///
    /// Cost: no comparison; that of [`insert`](Self::insert) seldom, for a key that has many versions.
    pub(in crate::memtable) fn insert_newer(
        &mut self,
        newest: Node,
        target: Target<'_>,
        value: &[u8],
    ) -> Node {
        // SAFETY: the list keeps the arena.
        let run = unsafe { newest.run() };
        let is_counted = self.next_random().is_multiple_of(VERSIONS_A_COUNT);
        if is_counted && run == RUN_MAX {
            self.find(target);
            let height = self.choose_height().max(2);
            return self.insert_here(height, target, value);
        }
        let list = &*self.list;
        debug_assert!(
            list.compare(newest, target).is_gt(),
            "a key equals itself{}",
            list.comparator().suspicion()
        );
        // SAFETY: the list keeps the arena.
        let before = unsafe { newest.before() }.expect("only the head has none before it");
        let shape = (1, run + u32::from(is_counted));
        let node = Node::entry(&list.arena, &mut self.room, shape, target, value);
        list.link(before, node, 0);
        list.len.fetch_add(1, Ordering::Relaxed);
        node
    }

    /// Moves `last` to where `target` belongs.
    pub(in crate::memtable) fn find(&mut self, target: Target<'_>) {
        let list = &*self.list;
        let in_use = list.height.load(Ordering::Relaxed);
        self.last.before[in_use..].fill(list.head);
        self.last.steps[in_use..].fill(0);
        let mut found = Found::start(list.head);
        for level in (0..in_use).rev() {
            found = list.descend(found, level, target);
            self.last.before[level] = found.before;
            self.last.steps[level] = found.steps;
        }
        let other = |node| list.compare(node, target).is_gt();
        debug_assert!(
            found.after.is_none_or(other),
            "a sequence number is used once{}",
            list.comparator().suspicion()
        );
    }

    /// Inserts at most [`TOGETHER`] keys, all different and none of them in the list yet. Their
    /// nodes are stored in `nodes`.
    ///
    /// Cost: that of [`insert`](Self::insert) for each, but the waits for memory overlap.
    pub(in crate::memtable) fn insert_all(
        &mut self,
        entries: &[(Target<'_>, &[u8])],
        nodes: &mut [Option<Node>],
    ) {
        for (at, (target, value)) in entries.iter().enumerate() {
            if !self.find_beside_last(*target) {
                if at + 1 < entries.len() {
                    return self.insert_together(&entries[at..], &mut nodes[at..]);
                }
                self.find(*target);
            }
            let height = self.choose_height();
            nodes[at] = Some(self.insert_here(height, *target, value));
        }
    }

    fn insert_together(&mut self, entries: &[(Target<'_>, &[u8])], nodes: &mut [Option<Node>]) {
        let in_use = self.list.height.load(Ordering::Relaxed);
        let mut searches = std::mem::take(&mut self.searches);
        searches.resize(entries.len(), self.begin(in_use));
        let mut under_way = entries.len();
        while under_way > 0 {
            for (search, (target, _)) in searches.iter_mut().zip(entries) {
                if !search.done {
                    search.step(&self.list, *target);
                    under_way -= usize::from(search.done);
                }
            }
        }
        let places = searches.iter_mut().zip(entries).zip(nodes);
        for ((search, (target, value)), inserted) in places {
            let in_use = self.list.height.load(Ordering::Relaxed);
            search.catch_up(&self.list, *target, in_use);
            self.last = search.place;
            let height = self.choose_height();
            *inserted = Some(self.insert_here(height, *target, value));
        }
        searches.clear();
        self.searches = searches;
    }

    /// Inserts a node of this height at the place in `last`, which must be right for `target`.
    pub(in crate::memtable) fn insert_here(
        &mut self,
        height: usize,
        target: Target<'_>,
        value: &[u8],
    ) -> Node {
        let list = &*self.list;
        let node = Node::entry(&list.arena, &mut self.room, (height, 0), target, value);
        if height > list.height.load(Ordering::Relaxed) {
            // A reader may see the new height before the node: it then finds no link there and goes
            // a level down.
            list.height.store(height, Ordering::Relaxed);
        }
        for level in 0..height {
            list.link(self.last.before[level], node, level);
        }
        self.inserted = Some((node, height));
        list.len.fetch_add(1, Ordering::Relaxed);
        node
    }

    /// Whether `target` belongs between the last inserted node and its successor.
    pub(in crate::memtable) fn follows_last(&self, target: Target<'_>) -> bool {
        self.inserted.is_some_and(|(last, _)| {
            self.list.compare(last, target).is_lt() && self.list.is_next(last, target)
        })
    }

    /// Moves `last` to where `target` belongs if that is beside the last inserted node. Returns whether it did.
    fn find_beside_last(&mut self, target: Target<'_>) -> bool {
        let list = &*self.list;
        let Some((node, height)) = self.inserted else {
            return list.first().is_none();
        };
        if list.compare(node, target).is_lt() {
            let is_next = list.is_next(node, target);
            if is_next {
                self.last.pass(node, height);
            }
            return is_next;
        }
        // SAFETY: `node` is of the list, which keeps the arena.
        let before = unsafe { node.before() }.expect("only the head has none before it");
        let is_between = before == list.head || list.compare(before, target).is_lt();
        if is_between {
            self.last.before[0] = before;
            // The way here is no longer than before, and the node after this place already broke it
            // if it was long.
            self.last.steps.fill(0);
        }
        is_between
    }

    /// A search at its start, in a list of `in_use` levels.
    fn begin(&self, in_use: usize) -> Search {
        Search {
            place: Place::start(self.list.head),
            after: [None; HEIGHT_MAX],
            at: self.list.head,
            level: in_use - 1,
            done: false,
        }
    }

    /// How high to make a node at the place in `last`.
    ///
    /// By chance, one in four rises a level: that alone makes a skip list. But chance leaves long runs without
    /// a taller node, and a search, which more likely ends in a long run than in a short one, takes three steps
    /// a level. So a node also rises where the way to it was long, which breaks the run for later searches.
    fn choose_height(&mut self) -> usize {
        let chance = self.next_random();
        let by_chance = 1 + chance.trailing_zeros() as usize / 2;
        let mut height = by_chance.min(HEIGHT_MAX);
        while height < HEIGHT_MAX && self.last.steps[height - 1] >= STEPS_MAX {
            height += 1;
        }
        height
    }

    /// xorshift64*
    fn next_random(&mut self) -> u64 {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        self.random.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32
    }
}

impl SkipList {
    /// Whether no node lies between `node` and `target`. `node` must be before `target`.
    fn is_next(&self, node: Node, target: Target<'_>) -> bool {
        self.after(node, 0)
            .is_none_or(|next| self.compare(next, target) == Order::Greater)
    }

    /// Publishes a node after another one on a level. Only the writer may call this, with a node
    /// higher than `level`.
    fn link(&self, before: Node, node: Node, level: usize) {
        let next = self.after(before, level);
        // SAFETY: `node` is high enough by contract; `before` was reached on this level, or is the head; `next`
        // is of this list. The list keeps their arena.
        unsafe {
            node.prepare_next(level, next);
            if level == 0 {
                node.set_before(before);
            }
            before.publish(level, node);
            if level == 0
                && let Some(next) = next
            {
                next.set_before(node);
            }
        }
    }
}

impl Place {
    /// Before everything.
    const fn start(head: Node) -> Self {
        Self {
            before: [head; HEIGHT_MAX],
            steps: [0; HEIGHT_MAX],
        }
    }

    /// Moves after the node that was just inserted here.
    fn pass(&mut self, node: Node, height: usize) {
        self.before[..height].fill(node);
        // One more step leads to it on its highest level, and none on the levels below.
        self.steps[..height - 1].fill(0);
        self.steps[height - 1] += 1;
    }
}

impl Search {
    /// Compares one node, moves onto it or a level down, and prefetches the node to compare next.
    #[inline]
    fn step(&mut self, list: &SkipList, target: Target<'_>) {
        let level = self.level;
        let next = list.after(self.at, level);
        // A node that was too great on the level above is too great here.
        let known = self.after.get(level + 1).copied().flatten();
        match next {
            Some(node) if next != known && list.compare(node, target).is_lt() => {
                self.at = node;
                self.place.steps[level] += 1;
            }
            _ => {
                self.place.before[level] = self.at;
                self.after[level] = next;
                self.done = level == 0;
                self.level = level.saturating_sub(1);
            }
        }
        if let Some(next) = list.after(self.at, self.level) {
            next.prefetch();
        }
    }

    /// Moves past nodes that were inserted before `target` since the search.
    fn catch_up(&mut self, list: &SkipList, target: Target<'_>, in_use: usize) {
        for level in 0..in_use {
            let place = &mut self.place;
            let mut next = list.after(place.before[level], level);
            while let Some(node) = next
                && next != self.after[level]
                && list.compare(node, target).is_lt()
            {
                place.before[level] = node;
                place.steps[level] += 1;
                next = list.after(node, level);
            }
        }
    }
}

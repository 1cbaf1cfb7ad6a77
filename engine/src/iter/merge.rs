//! Merges sorted sources into one sequence, in either direction.
//!
//! The sources that are at an entry form a binary heap by their current key: the least on top when
//! moving forward, the greatest when moving back. A step moves the source on top and lets it sink to
//! its place, which costs two comparisons as long as it stays on top, and none if it is the only one.
//!
//! Invariants
//! 1. Going forward, every source is at its first entry at or after the merge's; going back, at its
//!    last entry at or before it. A change of direction seeks all sources but the current one.
//! 2. The heap holds exactly the sources that are at an entry.
//! 3. No two sources hold the same internal key, because a sequence number is used only once.
//!
//! Left out: a loser tree, which saves one of the two comparisons. With the usual one to ten
//! sources it was not worth a second structure.

use std::cmp::Ordering;

use crate::comparator::Comparator;
use crate::cursor::{Direction, InternalCursor, RowRun};
use crate::error::{Error, Result};
use crate::internal_key;
use crate::memtable::MemtableCursor;
use crate::sstable::TableCursor;
use crate::version::{LevelCursor, TableFile};

/// A sorted source to merge. It is an enum and not a trait object so that the compiler can inline each step.
#[derive(Debug)]
pub enum Source {
    /// A memtable.
    Memtable(MemtableCursor),
    /// One table, usually of level 0.
    Table(TableCursor),
    /// A deeper level.
    Level(LevelCursor),
}

macro_rules! each {
    ($source:expr, $cursor:ident => $call:expr) => {
        match $source {
            Source::Memtable($cursor) => $call,
            Source::Table($cursor) => $call,
            Source::Level($cursor) => $call,
        }
    };
}

impl InternalCursor for Source {
    #[inline(always)]
    fn valid(&self) -> bool {
        each!(self, cursor => cursor.valid())
    }
    #[inline(always)]
    fn key(&self) -> &[u8] {
        each!(self, cursor => cursor.key())
    }
    #[inline(always)]
    fn value(&self) -> &[u8] {
        each!(self, cursor => cursor.value())
    }
    fn corruption(&self, what: String) -> Error {
        each!(self, cursor => cursor.corruption(what))
    }
    fn seek_to_first(&mut self) -> Result<()> {
        each!(self, cursor => cursor.seek_to_first())
    }
    fn seek_to_last(&mut self) -> Result<()> {
        each!(self, cursor => cursor.seek_to_last())
    }
    fn seek(&mut self, target: &[u8]) -> Result<()> {
        each!(self, cursor => cursor.seek(target))
    }
    fn seek_for_prev(&mut self, target: &[u8]) -> Result<()> {
        each!(self, cursor => cursor.seek_for_prev(target))
    }
    #[inline]
    fn next(&mut self) -> Result<()> {
        each!(self, cursor => cursor.next())
    }
    #[inline]
    fn prev(&mut self) -> Result<()> {
        each!(self, cursor => cursor.prev())
    }
}

impl Source {
    /// Whether it is known without a step that the current entry is a put that a reader of `sequence` sees, and
    /// no newer version of its key comes before it.
    #[inline]
    fn is_newest_row(&mut self, sequence: u64) -> Result<bool> {
        match self {
            Self::Memtable(cursor) => Ok(cursor.is_newest_row(sequence)),
            Self::Table(cursor) => cursor.is_newest_row(sequence),
            Self::Level(cursor) => cursor.in_table().is_newest_row(sequence),
        }
    }

    /// Steps in `direction`, if the entry there is a row of another key that a reader of `sequence` sees, and in memory.
    /// Returns whether it did.
    #[inline]
    fn step_to_row(&mut self, direction: Direction, sequence: u64) -> bool {
        let in_table = match self {
            Self::Memtable(cursor) => {
                return match direction {
                    Direction::Forward => cursor.next_row(sequence),
                    Direction::Backward => cursor.prev_row(sequence),
                };
            }
            Self::Table(cursor) => cursor,
            Self::Level(cursor) => cursor.in_table(),
        };
        match direction {
            Direction::Forward => {
                let rows = RowRun {
                    end: None,
                    sequence,
                };
                !in_table.run(&rows, |_, _| false)
            }
            Direction::Backward => in_table.prev_row(sequence),
        }
    }

    /// First step of a seek: goes as far as possible without waiting for much memory, and
    /// prefetches what comes next. A memtable is searched completely.
    fn approach(&mut self, target: &[u8], direction: Direction) -> Result<()> {
        match self {
            Self::Memtable(cursor) => match direction {
                Direction::Forward => cursor.seek(target),
                Direction::Backward => cursor.seek_for_prev(target),
            },
            Self::Table(cursor) => cursor.approach(target),
            Self::Level(cursor) => cursor.approach(target, direction),
        }
    }

    /// The second step of a seek.
    fn narrow(&mut self, target: &[u8], direction: Direction) -> Result<()> {
        match self {
            Self::Memtable(_) => Ok(()),
            Self::Table(cursor) => cursor.narrow(target, direction),
            Self::Level(cursor) => cursor.narrow(target, direction),
        }
    }

    /// The last step of a seek.
    fn arrive(&mut self, target: &[u8], direction: Direction) -> Result<()> {
        match self {
            Self::Memtable(_) => Ok(()),
            Self::Table(cursor) => cursor.arrive(target, direction),
            Self::Level(cursor) => cursor.arrive(target, direction),
        }
    }
}

/// All entries of several sources, in internal order.
#[derive(Debug)]
pub struct MergeCursor {
    comparator: Comparator,
    sources: Vec<Source>,
    /// Indices of the sources that are at an entry; the current one first.
    heap: Vec<usize>,
    direction: Direction,
    /// Reused: the key to seek when the direction changes.
    turn_key: Vec<u8>,
}

impl MergeCursor {
    /// A cursor over `sources` that is nowhere.
    #[must_use]
    pub fn new(comparator: Comparator, sources: Vec<Source>) -> Self {
        let heap = Vec::with_capacity(sources.len());
        Self {
            comparator,
            sources,
            heap,
            direction: Direction::Forward,
            turn_key: Vec::new(),
        }
    }

    #[inline]
    fn top(&self) -> &Source {
        &self.sources[self.source()]
    }

    /// Whether source `a` comes before source `b` in the current direction.
    #[inline]
    fn before(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.sources[a], &self.sources[b]);
        let order = internal_key::compare(&self.comparator, a.key(), b.key());
        match self.direction {
            Direction::Forward => order == Ordering::Less,
            Direction::Backward => order == Ordering::Greater,
        }
    }

    /// Positions every source and rebuilds the heap. After an error the cursor is nowhere.
    fn position(
        &mut self,
        direction: Direction,
        mut seek: impl FnMut(&mut Source) -> Result<()>,
    ) -> Result<()> {
        self.direction = direction;
        self.heap.clear();
        for source in &mut self.sources {
            seek(source)?;
        }
        self.build_heap();
        Ok(())
    }

    /// Seeks in all sources, one step in each of them in turn, so that the waits for memory
    /// overlap. The memtables are the first sources, but are searched last, while the blocks of the
    /// tables are being fetched.
    fn seek_towards(&mut self, target: &[u8], direction: Direction) -> Result<()> {
        self.direction = direction;
        self.heap.clear();
        for source in self.sources.iter_mut().rev() {
            source.approach(target, direction)?;
        }
        for source in &mut self.sources {
            source.narrow(target, direction)?;
        }
        for source in &mut self.sources {
            source.arrive(target, direction)?;
        }
        self.build_heap();
        Ok(())
    }

    fn build_heap(&mut self) {
        self.heap.clear();
        let sources = &self.sources;
        self.heap
            .extend((0..sources.len()).filter(|&at| sources[at].valid()));
        for at in (0..self.heap.len() / 2).rev() {
            self.sink(at);
        }
    }

    /// Moves an element of the heap down until none below comes before it.
    fn sink(&mut self, mut at: usize) {
        loop {
            let left = 2 * at + 1;
            let Some(&left_source) = self.heap.get(left) else {
                return;
            };
            let right = left + 1;
            let child = match self.heap.get(right) {
                Some(&right_source) if self.before(right_source, left_source) => right,
                _ => left,
            };
            if !self.before(self.heap[child], self.heap[at]) {
                return;
            }
            self.heap.swap(at, child);
            at = child;
        }
    }

    #[inline]
    fn step(&mut self, direction: Direction) -> Result<()> {
        if self.direction != direction {
            return self.turn(direction);
        }
        self.move_top(|source| match direction {
            Direction::Forward => source.next(),
            Direction::Backward => source.prev(),
        })
    }

    /// Moves the source on top, then lets it sink to its place.
    #[inline]
    fn move_top(&mut self, step: impl FnOnce(&mut Source) -> Result<()>) -> Result<()> {
        let top = self.source();
        let source = &mut self.sources[top];
        if let Err(error) = step(source) {
            self.heap.clear();
            return Err(error);
        }
        if !source.valid() {
            self.heap.swap_remove(0);
        }
        if self.heap.len() > 1 {
            self.sink(0);
        }
        Ok(())
    }

    /// Whether it is known without a step that the current entry is a put that a reader of
    /// `sequence` sees, and no newer version of its key comes before it. Only for going backward.
    ///
    /// # Errors
    /// `Corruption` from the source.
    ///
    /// # Panics
    /// If the cursor is nowhere.
    #[inline]
    pub fn is_newest_row(&mut self, sequence: u64) -> Result<bool> {
        let top = self.source();
        let is_row = self.sources[top].is_newest_row(sequence);
        let in_source = is_row.inspect_err(|_| self.heap.clear())?;
        // The greatest of the others is one of the two below the top of the heap.
        let mut others = self.heap.iter().skip(1).take(2);
        Ok(in_source
            && others.all(|&other| {
                let [other, top] =
                    [other, top].map(|at| internal_key::user_key(self.sources[at].key()));
                !internal_key::is_same(other, top)
            }))
    }

    /// The number of the current source.
    ///
    /// # Panics
    /// If the cursor is nowhere.
    pub fn source(&self) -> usize {
        *self.heap.first().expect("the cursor is on an entry")
    }

    /// The table of a deeper level that the current entry is from; `None` if it is from another source.
    ///
    /// # Panics
    /// If the cursor is nowhere.
    pub(crate) fn table_of_level(&self) -> Option<&TableFile> {
        match &self.sources[self.source()] {
            Source::Level(level) => Some(level.table()),
            Source::Memtable(_) | Source::Table(_) => None,
        }
    }

    /// How many sources there are.
    pub(crate) const fn sources(&self) -> usize {
        self.sources.len()
    }

    /// Moves only the current source, to `target`, which must lie ahead in the current direction.
    /// For callers that need no entry of this source before `target`.
    ///
    /// # Errors
    /// As for [`seek_to_first`](InternalCursor::seek_to_first); and `Corruption` if the source does not get
    /// there because its keys are not in order. Otherwise the caller would skip the same entries for ever.
    ///
    /// # Panics
    /// If the cursor is nowhere.
    pub fn skip_to(&mut self, target: &[u8]) -> Result<()> {
        let (direction, comparator) = (self.direction, self.comparator.clone());
        self.move_top(|source| {
            let wrong_side = match direction {
                Direction::Forward => {
                    source.seek(target)?;
                    Ordering::Less
                }
                Direction::Backward => {
                    source.seek_for_prev(target)?;
                    Ordering::Greater
                }
            };
            let is_there = !source.valid()
                || internal_key::compare(&comparator, source.key(), target) != wrong_side;
            if is_there {
                Ok(())
            } else {
                let suspicion = comparator.suspicion();
                Err(source.corruption(format!("its keys are not in order{suspicion}")))
            }
        })
    }

    /// Passes the rows among the entries that follow the current one to `visit`, as long as they
    /// are in the current source, come before `upper` and before every other source's entry, and
    /// `visit` returns `true`. Afterwards the cursor is at the last row that was passed, or where
    /// it was. Returns what `visit` returned last.
    ///
    /// More rows may follow that were not passed. Only for the bytewise order, and going forward.
    ///
    /// # Panics
    /// If the cursor is nowhere.
    pub fn run(
        &mut self,
        upper: Option<&[u8]>,
        sequence: u64,
        visit: impl FnMut(&[u8], &[u8]) -> bool,
    ) -> bool {
        if !self.comparator.is_bytewise() || self.direction == Direction::Backward {
            return true;
        }
        // The least of the others is one of the two below the top of the heap.
        let others = self.heap.get(1..3.min(self.heap.len())).unwrap_or_default();
        let others = others
            .iter()
            .map(|&at| internal_key::user_key(self.sources[at].key()));
        let end = others.chain(upper).min();
        // The key is copied, because it borrows from the other sources while the one on top is moved.
        let end = end.map(|end| {
            self.turn_key.clear();
            self.turn_key.extend_from_slice(end);
        });
        let rows = RowRun {
            end: end.map(|()| self.turn_key.as_slice()),
            sequence,
        };
        let top = self.source();
        match &mut self.sources[top] {
            Source::Memtable(cursor) => cursor.run(&rows, visit),
            Source::Table(cursor) => cursor.run(&rows, visit),
            Source::Level(cursor) => cursor.in_table().run(&rows, visit),
        }
    }

    /// Steps in `direction` if only one source is left, the entry there is a row of another key
    /// that a reader of `sequence` sees, and the source has it in memory. Returns whether it did.
    /// Where it can be used, such a step is cheap.
    ///
    /// # Panics
    /// If the cursor is nowhere.
    #[inline]
    pub fn step_to_row(&mut self, direction: Direction, sequence: u64) -> bool {
        if self.heap.len() > 1 || self.direction != direction {
            return false;
        }
        let top = self.source();
        self.sources[top].step_to_row(direction, sequence)
    }

    /// Steps against the previous direction, in which the other sources are on the far side of the current key.
    fn turn(&mut self, direction: Direction) -> Result<()> {
        let top = self.source();
        let mut key = std::mem::take(&mut self.turn_key);
        key.clear();
        key.extend_from_slice(self.sources[top].key());
        let mut at = 0;
        let turned = self.position(direction, |source| {
            let current = at == top;
            at += 1;
            match (direction, current) {
                (Direction::Forward, true) => source.next(),
                (Direction::Forward, false) => source.seek(&key),
                (Direction::Backward, true) => source.prev(),
                (Direction::Backward, false) => source.seek_for_prev(&key),
            }
        });
        self.turn_key = key;
        turned
    }
}

impl InternalCursor for MergeCursor {
    #[inline(always)]
    fn valid(&self) -> bool {
        !self.heap.is_empty()
    }

    #[inline(always)]
    fn key(&self) -> &[u8] {
        self.top().key()
    }

    #[inline(always)]
    fn value(&self) -> &[u8] {
        self.top().value()
    }

    fn corruption(&self, what: String) -> Error {
        self.top().corruption(what)
    }

    fn seek_to_first(&mut self) -> Result<()> {
        self.position(Direction::Forward, Source::seek_to_first)
    }

    fn seek_to_last(&mut self) -> Result<()> {
        self.position(Direction::Backward, Source::seek_to_last)
    }

    fn seek(&mut self, target: &[u8]) -> Result<()> {
        self.seek_towards(target, Direction::Forward)
    }

    fn seek_for_prev(&mut self, target: &[u8]) -> Result<()> {
        self.seek_towards(target, Direction::Backward)
    }

    #[inline]
    fn next(&mut self) -> Result<()> {
        self.step(Direction::Forward)
    }

    #[inline]
    fn prev(&mut self) -> Result<()> {
        self.step(Direction::Backward)
    }
}

//! The user's cursor: of all versions of all keys, one row for each key that exists for its reader.
//!
//! A reader of sequence number `s` sees, of each user key, the newest version at or below `s`, and no row if
//! that one is a tombstone, or older than a range tombstone at or below `s` over the key.
//!
//! Invariants
//! 1. Forward, the merge is at the row's entry, and key and value are read from there.
//! 2. Backward, versions come oldest first, so the row is known only when the merge has left its key:
//!    the row is then in `key` and `value`, and the merge is before the first version of the key. But
//!    if the merge knows in advance that another key comes next, it stays at the row's entry.
//! 3. A valid cursor is within its bounds.
//!
//! A key may have any number of versions that are not shown. After some steps over them, in either direction, one seek passes
//! the rest.
//!
//! ```text
//! find    from the merge's entry to the row to show, in either direction
//! jumps   seeks past what is not shown
//! ```

use std::ops::Bound;
use std::sync::Arc;

use crate::comparator::Comparator;
use crate::cursor::{Direction, InternalCursor, KEY_BYTES_USUAL, STEPS_BEFORE_SEEK};
use crate::error::Result;
use crate::internal_key::{self, ParsedKey, ValueKind};
use crate::iter::{Bounds, Coverage, MergeCursor};
use crate::version::read_charge::{PASSES_A_SAMPLE, passes_before_first};
use crate::version::{CursorLoss, Version};

mod find;
mod jumps;

/// After runs that found no row, the next one is tried at most this many rows later.
const RUN_PAUSE_MAX: u32 = 15;

/// Where the cursor is, and in which direction it moved there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Nowhere,
    /// At the merge's entry.
    Forward,
    /// At the merge's entry; the entry before it belongs to another key.
    BackwardHere,
    /// At `key` and `value`; the merge is before every version of `key`.
    Backward,
}

/// A position among the rows of a family, as they were when the cursor was made.
///
/// A new cursor is nowhere. `key`, `value`, `next` and `prev` require [`valid`](Self::valid), and
/// panic without it. Moving off either end leaves the cursor nowhere; a seek brings it back.
///
/// It owns what it reads: memtables and files stay for as long as it lives, and later writes do not
/// show. It may outlive the database, but the next opening removes obsolete files; if the cursor
/// then reaches one that it has not read yet, that is an `Io` error. Cost of a step: a few
/// comparisons; no allocation once its buffers have grown.
///
/// ```
/// # fn main() -> engine::Result<()> {
/// # let vfs = std::sync::Arc::new(engine::vfs::MemoryVfs::new());
/// # let options = engine::Options { vfs, ..engine::Options::default() };
/// let db = engine::Db::open("db", options)?;
/// for (key, value) in [("a", "1"), ("c", "3"), ("d", "4")] {
///     db.put(key, value)?;
/// }
/// let mut cursor = db.default_family().cursor()?;
/// cursor.seek("b")?; // the first row at or after
/// assert_eq!((cursor.key(), cursor.value()), (&b"c"[..], &b"3"[..]));
/// cursor.prev()?;
/// assert_eq!(cursor.key(), b"a");
/// cursor.prev()?;
/// assert!(!cursor.valid(), "before the first row there is nothing");
///
/// // A long walk is faster with `visit`.
/// let mut bytes = 0;
/// cursor.seek_to_first()?;
/// cursor.visit(|key, value| {
///     bytes += key.len() + value.len();
///     true // go on
/// })?;
/// assert_eq!(bytes, 6);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Cursor {
    comparator: Comparator,
    merge: MergeCursor,
    /// Keeps the files of the tables from being removed.
    version: Arc<Version>,
    /// What merging the upper runs could save; `None` if there are none.
    loss: Option<CursorLoss>,
    /// How many entries were passed because they do not show, and how far into a sample that began.
    passes: u64,
    sequence: u64,
    /// `None` if there are no range tombstones.
    coverage: Option<Box<Coverage>>,
    bounds: Bounds,
    place: Place,
    /// Forward: the user key whose remaining versions are hidden. Backward: the row's key.
    key: Vec<u8>,
    /// Backward: the row's value.
    value: Vec<u8>,
    /// Reused: an internal key to seek.
    seek_key: Vec<u8>,
}

impl Cursor {
    /// The rows that a reader of `sequence` sees in `merge`, under `coverage` and within `bounds`;
    /// `version` keeps its tables.
    pub(crate) fn new(
        comparator: Comparator,
        merge: MergeCursor,
        version: Arc<Version>,
        sequence: u64,
        coverage: Option<Coverage>,
        bounds: Bounds,
    ) -> Self {
        Self {
            comparator,
            merge,
            version,
            loss: None,
            passes: passes_before_first(),
            sequence,
            coverage: coverage.map(Box::new),
            bounds,
            place: Place::Nowhere,
            key: Vec::with_capacity(KEY_BYTES_USUAL),
            value: Vec::new(),
            seek_key: Vec::with_capacity(KEY_BYTES_USUAL),
        }
    }

    /// The same, but what it loses is charged.
    pub(crate) fn losing(self, loss: Option<CursorLoss>) -> Self {
        Self { loss, ..self }
    }

    #[inline]
    fn count_seek(&mut self) {
        if let Some(loss) = &mut self.loss {
            loss.seek();
        }
    }

    #[inline]
    fn count_step(&mut self) {
        if let Some(loss) = &mut self.loss {
            loss.step();
        }
    }

    /// Counts the merge's entry, which is passed because it does not show.
    #[inline]
    fn count_pass(&mut self) {
        self.passes += 1;
        if self.passes.is_multiple_of(PASSES_A_SAMPLE) {
            self.charge_passes();
        }
    }

    /// Charges all entries that were passed since the last sample to what holds the merge's entry: to the upper runs, or to a table
    /// of a deeper level, if it is a tombstone.
    #[cold]
    #[inline(never)]
    fn charge_passes(&mut self) {
        let Some(table) = self.merge.table_of_level() else {
            if let Some(loss) = &mut self.loss {
                loss.passes();
            }
            return;
        };
        let is_tombstone = parse(&self.merge).is_ok_and(|entry| entry.kind == ValueKind::Delete);
        if is_tombstone && table.charge().add_sample() {
            self.version.charge().ask_for_table();
        }
    }

    /// Counts a seek past entries that do not show, of which the merge's is one.
    #[inline]
    fn count_jump(&mut self) {
        if let Some(loss) = &mut self.loss {
            loss.jump(self.merge.source());
        }
    }

    /// Whether the cursor is at a row.
    #[inline]
    #[must_use]
    pub fn valid(&self) -> bool {
        self.place != Place::Nowhere
    }

    /// The row's key, until the cursor moves.
    ///
    /// # Panics
    /// If the cursor is nowhere.
    #[inline]
    #[must_use]
    pub fn key(&self) -> &[u8] {
        match self.place {
            Place::Forward | Place::BackwardHere => user_key(&self.merge),
            Place::Backward => &self.key,
            Place::Nowhere => panic!("the cursor is on no row"),
        }
    }

    /// The row's value, until the cursor moves.
    ///
    /// # Panics
    /// If the cursor is nowhere.
    #[inline]
    #[must_use]
    pub fn value(&self) -> &[u8] {
        match self.place {
            Place::Forward | Place::BackwardHere => self.merge.value(),
            Place::Backward => &self.value,
            Place::Nowhere => panic!("the cursor is on no row"),
        }
    }

    /// Positions on the first row.
    ///
    /// # Errors
    /// `Io` or `Corruption` from a file, `Memory` if rows that are not in a file yet are out of order, as under a comparator
    /// that contradicts itself. The cursor is then nowhere.
    pub fn seek_to_first(&mut self) -> Result<()> {
        self.place = Place::Nowhere;
        self.count_seek();
        self.seek_key.clear();
        match &self.bounds.lower {
            Bound::Unbounded => self.merge.seek_to_first()?,
            Bound::Included(lower) => {
                internal_key::append_first(&mut self.seek_key, lower);
                self.merge.seek(&self.seek_key)?;
            }
            Bound::Excluded(lower) => {
                internal_key::append_last(&mut self.seek_key, lower);
                self.merge.seek(&self.seek_key)?;
                // The seek key equals that of the oldest possible version. If that exists, it
                // belongs to the excluded key.
                if self.merge.valid() && user_key(&self.merge) == lower {
                    self.merge.next()?;
                }
            }
        }
        self.find_forward(false)
    }

    /// Positions on the last row.
    ///
    /// # Errors
    /// As for [`seek_to_first`](Self::seek_to_first).
    pub fn seek_to_last(&mut self) -> Result<()> {
        self.place = Place::Nowhere;
        self.count_seek();
        self.seek_key.clear();
        match &self.bounds.upper {
            Bound::Unbounded => self.merge.seek_to_last()?,
            Bound::Included(upper) => {
                internal_key::append_last(&mut self.seek_key, upper);
                self.merge.seek_for_prev(&self.seek_key)?;
            }
            Bound::Excluded(upper) => {
                internal_key::append_first(&mut self.seek_key, upper);
                self.merge.seek_for_prev(&self.seek_key)?;
                if self.merge.valid() && user_key(&self.merge) == upper {
                    self.merge.prev()?;
                }
            }
        }
        self.find_backward()
    }

    /// Positions on the first row at or after `key`.
    ///
    /// # Errors
    /// As for [`seek_to_first`](Self::seek_to_first).
    pub fn seek(&mut self, key: impl AsRef<[u8]>) -> Result<()> {
        let key = key.as_ref();
        if self.bounds.before_lower(&self.comparator, key) {
            return self.seek_to_first();
        }
        self.place = Place::Nowhere;
        self.count_seek();
        self.seek_key.clear();
        internal_key::append_seek(&mut self.seek_key, key, self.sequence);
        self.merge.seek(&self.seek_key)?;
        self.find_forward(false)
    }

    /// Positions on the last row at or before `key`.
    ///
    /// # Errors
    /// As for [`seek_to_first`](Self::seek_to_first).
    pub fn seek_for_prev(&mut self, key: impl AsRef<[u8]>) -> Result<()> {
        let key = key.as_ref();
        if self.bounds.past_upper(&self.comparator, key) {
            return self.seek_to_last();
        }
        self.place = Place::Nowhere;
        self.count_seek();
        self.seek_key.clear();
        internal_key::append_last(&mut self.seek_key, key);
        self.merge.seek_for_prev(&self.seek_key)?;
        self.find_backward()
    }

    /// Moves to the following row.
    ///
    /// # Errors
    /// As for [`seek_to_first`](Self::seek_to_first).
    ///
    /// # Panics
    /// If the cursor is nowhere.
    #[expect(
        clippy::should_implement_trait,
        reason = "a cursor lends its row, an iterator cannot"
    )]
    pub fn next(&mut self) -> Result<()> {
        self.count_step();
        match std::mem::replace(&mut self.place, Place::Nowhere) {
            Place::Nowhere => panic!("the cursor is on no row"),
            Place::Forward if self.step_to_row(Direction::Forward) => {
                self.stand_within_bounds(Place::Forward);
                return Ok(());
            }
            Place::Forward | Place::BackwardHere => {
                self.key.clear();
                self.key.extend_from_slice(user_key(&self.merge));
                self.merge.next()?;
            }
            Place::Backward => {
                // The merge is before the row's versions, or nowhere: move past all of them.
                self.seek_key.clear();
                internal_key::append_last(&mut self.seek_key, &self.key);
                self.merge.seek(&self.seek_key)?;
            }
        }
        self.find_forward(true)
    }

    /// Passes the current row and those that follow to `visit`, until it returns `false` or there
    /// are no more. The cursor is then at the last row that was passed, or nowhere.
    ///
    /// The result is the same as calling `next` in between, but it is faster: as long as the rows
    /// come from one source, they are read one after another without looking at the other sources.
    ///
    /// # Errors
    /// As for [`seek_to_first`](Self::seek_to_first).
    pub fn visit(&mut self, mut visit: impl FnMut(&[u8], &[u8]) -> bool) -> Result<()> {
        // Where rows alternate between sources, runs find nothing, so they are tried more rarely.
        let (mut pause, mut rows_until_run) = (0, 0);
        while self.valid() {
            if !visit(self.key(), self.value()) {
                return Ok(());
            }
            if rows_until_run > 0 {
                rows_until_run -= 1;
            } else if self.place == Place::Forward
                && self.coverage.is_none()
                && let Some(upper) = self.bounds.upper_of_runs()
            {
                let mut shown = 0;
                let goes_on = self.merge.run(upper, self.sequence, |key, value| {
                    shown += 1;
                    visit(key, value)
                });
                if let Some(loss) = &mut self.loss {
                    loss.steps(shown);
                }
                if !goes_on {
                    return Ok(());
                }
                pause = if shown == 0 {
                    RUN_PAUSE_MAX.min(2 * pause + 1)
                } else {
                    0
                };
                rows_until_run = pause;
            }
            self.next()?;
        }
        Ok(())
    }

    /// Moves to the preceding row.
    ///
    /// # Errors
    /// As for [`seek_to_first`](Self::seek_to_first).
    ///
    /// # Panics
    /// If the cursor is nowhere.
    pub fn prev(&mut self) -> Result<()> {
        self.count_step();
        match std::mem::replace(&mut self.place, Place::Nowhere) {
            Place::Nowhere => panic!("the cursor is on no row"),
            Place::Forward => {
                // Newer versions of the row's key, which this reader does not see, may come before it.
                self.key.clear();
                self.key.extend_from_slice(user_key(&self.merge));
                let mut hidden = 0;
                while self.merge.valid() && user_key(&self.merge) == self.key {
                    hidden += 1;
                    if hidden > STEPS_BEFORE_SEEK {
                        self.leave_key_backward()?;
                        break;
                    }
                    self.merge.prev()?;
                }
            }
            Place::BackwardHere if self.step_to_row(Direction::Backward) => {
                self.stand_within_bounds(Place::BackwardHere);
                return Ok(());
            }
            Place::BackwardHere => self.merge.prev()?,
            Place::Backward => {}
        }
        self.find_backward()
    }

    /// Sets the place to `place`, at the merge's entry, unless that is beyond the bound on this side.
    #[inline]
    fn stand_within_bounds(&mut self, place: Place) {
        let (bounds, comparator) = (&self.bounds, &self.comparator);
        let is_beyond = if place == Place::Forward {
            bounds.has_upper() && bounds.past_upper(comparator, user_key(&self.merge))
        } else {
            bounds.has_lower() && bounds.before_lower(comparator, user_key(&self.merge))
        };
        if !is_beyond {
            self.place = place;
        }
    }

    #[inline]
    fn step_to_row(&mut self, direction: Direction) -> bool {
        self.coverage.is_none() && self.merge.step_to_row(direction, self.sequence)
    }
}

/// Whether a range tombstone hides an entry.
#[inline(always)]
fn is_covered(coverage: &mut Option<Box<Coverage>>, entry: &ParsedKey<'_>) -> bool {
    match coverage {
        None => false,
        Some(coverage) => coverage.newest_over(entry.user_key) > entry.sequence,
    }
}

/// The user key of the merge's entry.
#[inline(always)]
fn user_key(merge: &MergeCursor) -> &[u8] {
    internal_key::user_key(merge.key())
}

#[inline(always)]
fn parse(merge: &MergeCursor) -> Result<ParsedKey<'_>> {
    internal_key::parse(merge.key()).map_err(|what| merge.corruption(what))
}

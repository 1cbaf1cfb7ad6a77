//! Charges: the time that readers lost, which a compaction could have saved them.
//!
//! That of a version is what they lost because the family's rows are in several
//! sorted runs instead of one, and because the upper ones hold what no longer shows.
//!
//! Each memtable and each table of level 0 is a run of its own, which a compaction could remove. A
//! get loses time on each run that it searches in vain, a cursor on each run that it merges besides
//! the first, and on each entry there that it passes: a tombstone, a deleted row, an old version.
//! When the charge outweighs the cost of merging the runs, they should be merged;
//! `db::read_compaction` compares the two, and explains how and why.
//!
//! That of a table in a deeper level is what cursors lost on its tombstones, each of which they pass with the row below
//! that it hides. When it outweighs the cost of merging the table with what lies below it, that should be done.
//!
//! Counting must not make all reads write to one cache line. So each thread gathers what its reads
//! lost, and once it has gathered enough, charges all of it to the version of the current read. How
//! much is enough is drawn at random each time: otherwise, if two families are read in turn, one
//! might always be charged for both. LevelDB samples its cursors in the same way.
//!
//! Invariants
//! 1. The charge belongs to a version. A flush or a compaction makes another version, which begins
//!    with none: so nothing is paid for twice, and readers that still hold the old version cannot
//!    request work that is already done. That of a table ends with the table.
//! 2. One request at a time: until the worker has compared charge and cost, further readers only
//!    add to the charge.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What a get loses on a run that it searches in vain: 1,412 - 1,163 ns with 1.26 of them on average.
pub const GET_NANOS: u64 = 200;
/// What a seek loses for each run besides the first: 3,920 - 1,860 ns with two of them.
const SEEK_NANOS: u64 = 1_000;
/// What a step loses for each run besides the first: 76 - 50 ns with two of them.
const STEP_NANOS: u64 = 12;
/// What a cursor loses on an entry that it passes: 35 ns for a deleted row and its tombstone, side by side in a memtable.
const PASS_NANOS: u64 = 18;
/// What a cursor loses on a tombstone of a deeper level and the row that it hides, which it merges with it.
const TOMBSTONE_NANOS: u64 = 60;
/// A cursor looks at one of so many entries that it passes, and takes all of them for entries like that one. The number is odd, because
/// tombstones and the rows that they hide come in turn.
pub const PASSES_A_SAMPLE: u64 = 61;

/// The least charge that is worth acting on, and the charge at which it is first weighed.
const WORTH_NANOS: u64 = 1_000_000;
/// A thread charges its losses once they have reached this amount, or up to twice as much.
const GATHERED_NANOS: u64 = 32_000;

/// No write has this sequence number.
const NEVER: u64 = u64::MAX;

/// What readers lost so far on the upper runs of a version, or on the tombstones of a table.
#[derive(Debug)]
pub struct ReadCharge {
    lost_nanos: AtomicU64,
    /// The charge at which it is weighed next.
    due_at: AtomicU64,
    /// Whether a reader has requested that.
    asked: AtomicBool,
    /// The last sequence number at the last weighing; `NEVER` before the first.
    weighed_at: AtomicU64,
    /// Of a version: whether the charge of one of its tables is to be weighed.
    of_table: AtomicBool,
}

impl Default for ReadCharge {
    fn default() -> Self {
        Self {
            lost_nanos: AtomicU64::new(0),
            due_at: AtomicU64::new(WORTH_NANOS),
            asked: AtomicBool::new(false),
            weighed_at: AtomicU64::new(NEVER),
            of_table: AtomicBool::new(false),
        }
    }
}

impl ReadCharge {
    /// Charges what readers lost.
    pub fn add(&self, nanos: u64) {
        self.lost_nanos.fetch_add(nanos, Ordering::Relaxed);
    }

    /// Whether the charge should be weighed.
    #[inline]
    pub fn is_due(&self) -> bool {
        self.lost_nanos.load(Ordering::Relaxed) >= self.due_at.load(Ordering::Relaxed)
    }

    /// Whether the caller should request the weighing: it is due, and no other reader has requested it.
    #[inline]
    pub fn is_to_be_asked(&self) -> bool {
        self.is_due()
            && !self.asked.load(Ordering::Relaxed)
            && !self.asked.swap(true, Ordering::Relaxed)
    }

    /// Of a table: charges what a cursor lost on a sample of its tombstones, once it is enough. Returns whether the charge should be
    /// weighed, as for [`is_to_be_asked`](Self::is_to_be_asked).
    pub fn add_sample(&self) -> bool {
        let Some(nanos) = gather(PASSES_A_SAMPLE * TOMBSTONE_NANOS) else {
            return false;
        };
        self.add(nanos);
        self.is_to_be_asked()
    }

    /// Notes that the charge of a table of this version should be weighed.
    pub fn ask_for_table(&self) {
        self.of_table.store(true, Ordering::Relaxed);
    }

    /// Whether that was noted since the last call.
    #[inline]
    pub fn takes_table_asked(&self) -> bool {
        self.of_table.load(Ordering::Relaxed) && self.of_table.swap(false, Ordering::Relaxed)
    }

    /// Whether the charge outweighs `price` when the last write is `sequence`, after each write
    /// since the last weighing has reduced it by `write_nanos`. If so, the charge is spent. If not,
    /// it is weighed again when it reaches that price.
    ///
    /// The first weighing only sets the charge to zero: it is not known how many writes the version
    /// has seen, so counting begins there.
    pub fn outweighs(&self, price: u64, sequence: u64, write_nanos: u64) -> bool {
        let before = self.weighed_at.swap(sequence, Ordering::Relaxed);
        let taken_back = match before {
            NEVER => u64::MAX,
            _ => sequence.saturating_sub(before).saturating_mul(write_nanos),
        };
        let lost = self.lost_nanos.load(Ordering::Relaxed);
        // What readers add between the load and the store is lost, which is not much.
        let left = lost.saturating_sub(taken_back);
        let price = price.max(WORTH_NANOS);
        let outweighs = left >= price;
        let left = if outweighs { 0 } else { left };
        self.lost_nanos.store(left, Ordering::Relaxed);
        self.due_at.store(price, Ordering::Relaxed);
        self.asked.store(false, Ordering::Relaxed);
        outweighs
    }
}

/// What one cursor loses. It is charged when the cursor is dropped.
#[derive(Debug)]
pub struct CursorLoss {
    charge: Arc<ReadCharge>,
    /// The runs besides the first that a compaction could remove.
    runs: u64,
    /// The memtables and tables of level 0. They come first among the sources of the merge.
    upper_runs: usize,
    nanos: u64,
}

impl CursorLoss {
    /// For a cursor that merges `runs` runs, of which the first `upper_runs` are memtables and tables of level 0; `None` if
    /// there are none of these. One run always remains, whatever is compacted.
    #[must_use]
    pub fn of(charge: &Arc<ReadCharge>, upper_runs: usize, runs: usize) -> Option<Self> {
        (upper_runs > 0).then(|| Self {
            charge: Arc::clone(charge),
            runs: upper_runs.min(runs.saturating_sub(1)) as u64,
            upper_runs,
            nanos: 0,
        })
    }

    /// Counts a seek.
    #[inline]
    pub const fn seek(&mut self) {
        self.nanos += SEEK_NANOS * self.runs;
    }

    /// Counts a step.
    #[inline]
    pub const fn step(&mut self) {
        self.steps(1);
    }

    /// Counts a sample of entries of memtables and level 0 that were passed because they do not show.
    pub const fn passes(&mut self) {
        self.nanos += PASSES_A_SAMPLE * PASS_NANOS;
    }

    /// Counts a seek past such entries, in the run `source`. In a deeper level nothing is lost that the version is charged for.
    #[inline]
    pub const fn jump(&mut self, source: usize) {
        if source < self.upper_runs {
            self.nanos += SEEK_NANOS;
        }
    }

    /// Counts several steps.
    #[inline]
    pub const fn steps(&mut self, steps: u64) {
        self.nanos += STEP_NANOS * self.runs * steps;
    }
}

impl Drop for CursorLoss {
    fn drop(&mut self) {
        if let Some(nanos) = gather(self.nanos) {
            self.charge.add(nanos);
        }
    }
}

/// Where in a sample a new cursor begins: elsewhere than the last one of this thread, so that cursors that pass a few entries each are
/// charged for all of them in the end.
#[inline]
pub fn passes_before_first() -> u64 {
    thread_local! {
        static LAST: Cell<u64> = const { Cell::new(0) };
    }
    // About the golden section of a sample: each begins in the widest gap that those before left.
    const STEP: u64 = 38;
    LAST.with(|last| {
        last.set((last.get() + STEP) % PASSES_A_SAMPLE);
        last.get()
    })
}

/// What one thread has lost and not charged yet.
struct Gathered {
    nanos: Cell<u64>,
    /// The amount at which it is charged.
    enough: Cell<u64>,
    dice: Cell<u32>,
}

/// Adds to what this thread has gathered. If it is enough to be charged now, returns all of it.
#[inline]
pub fn gather(nanos: u64) -> Option<u64> {
    thread_local! {
        static OWN: Gathered = const {
            Gathered {
                nanos: Cell::new(0),
                enough: Cell::new(GATHERED_NANOS),
                dice: Cell::new(1),
            }
        };
    }
    OWN.with(|own| {
        let sum = own.nanos.get() + nanos;
        let is_enough = sum >= own.enough.get();
        own.nanos.set(if is_enough { 0 } else { sum });
        is_enough.then(|| {
            own.throw();
            sum
        })
    })
}

impl Gathered {
    /// Draws the next amount with Lehmer's generator, whose upper bits are good enough for this.
    #[cold]
    fn throw(&self) {
        const MODULUS: u64 = (1 << 31) - 1;
        let next = u64::from(self.dice.get()) * 48_271 % MODULUS;
        self.dice.set(next as u32);
        self.enough
            .set(GATHERED_NANOS + GATHERED_NANOS * next / MODULUS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_gathered_is_charged_whole() {
        // No other thread's losses are mixed in, because each gathers its own.
        let mut charged = 0;
        let mut steps = Vec::new();
        let mut last = 0;
        for at in 1..=100_000 {
            if let Some(nanos) = gather(GET_NANOS) {
                charged += nanos;
                steps.push(at - last);
                last = at;
            }
        }
        assert!(charged > 100_000 * GET_NANOS - 2 * GATHERED_NANOS);
        assert!(charged <= 100_000 * GET_NANOS);
        steps.sort_unstable();
        assert!(steps[0] >= GATHERED_NANOS / GET_NANOS);
        steps.dedup();
        assert!(steps.len() > 50, "a beat: {steps:?}");
    }

    #[test]
    fn a_long_scan_is_charged_at_once() {
        let charge = Arc::new(ReadCharge::default());
        assert!(CursorLoss::of(&charge, 0, 3).is_none());
        let mut loss = CursorLoss::of(&charge, 2, 3).unwrap();
        loss.seek();
        (0..50_000).for_each(|_| loss.step());
        drop(loss);
        let lost = charge.lost_nanos.load(Ordering::Relaxed);
        assert!(lost >= 2 * (SEEK_NANOS + 50_000 * STEP_NANOS), "{lost}");
        assert!(charge.is_due());
        assert!(charge.is_to_be_asked());
        assert!(!charge.is_to_be_asked(), "one asks");
    }

    #[test]
    fn writes_take_back_what_reads_were_charged() {
        let charge = ReadCharge::default();
        let price = 5 * WORTH_NANOS;
        charge.add(100 * price);
        assert!(!charge.outweighs(price, 7, 1_000), "it counts from here");
        charge.add(price - 1);
        assert!(!charge.is_due());
        charge.add(1);
        assert!(charge.is_due());
        assert!(!charge.outweighs(price, 8, 1_000), "a write came between");
        charge.add(1_000);
        assert!(charge.is_due());
        assert!(charge.outweighs(price, 8, 1_000));
        assert!(!charge.is_due(), "it is spent");
        assert!(
            !ReadCharge::default().outweighs(0, 0, 1),
            "nothing is too little"
        );
    }
}

//! The charge of a version: what readers lost because the family's rows lie in several sorted runs instead of one.
//!
//! Each memtable and each table of level 0 is a run of its own, which a compaction could take away. A get loses by each that
//! it looks into in vain, a cursor by each that it merges beside the first. When the charge outweighs the price of
//! merging them, the merging is due; `db::read_compaction` weighs, and says how and why.
//!
//! Reads must not meet in one cache line to be counted. So each thread gathers what its reads lost, and charges all of
//! it to the version of whichever read comes when enough has gathered. How much is enough is drawn anew each time: else
//! two families that are read in turn could keep a beat in which one pays for both. LevelDB samples its cursors
//! so too.
//!
//! Invariants
//! 1. The charge belongs to a version. A flush or a compaction makes another version, which begins with none: so nothing
//!    is paid twice, and readers that still hold the old version cannot ask for what is done.
//! 2. One asker at a time: until the worker has weighed, further readers only add.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What a get loses by a run that it looked into in vain: 1,412 - 1,163 ns with 1.26 of them on average.
pub const GET_NANOS: u64 = 200;
/// What a seek loses by each run beside the first: 3,920 - 1,860 ns with two of them.
const SEEK_NANOS: u64 = 1_000;
/// What a step loses by each run beside the first: 76 - 50 ns with two of them.
const STEP_NANOS: u64 = 12;

/// The least charge that is worth a thought, and what is charged before the first one.
const WORTH_NANOS: u64 = 1_000_000;
/// A thread charges when it has gathered so much, or up to twice as much.
const GATHERED_NANOS: u64 = 32_000;

/// No write has this sequence number.
const NEVER: u64 = u64::MAX;

/// What readers of a version lost so far.
#[derive(Debug)]
pub struct ReadCharge {
    lost_nanos: AtomicU64,
    /// From here on it is to be weighed.
    due_at: AtomicU64,
    /// Whether somebody has asked for that.
    asked: AtomicBool,
    /// The last write at the last weighing; `NEVER` before the first.
    weighed_at: AtomicU64,
}

impl Default for ReadCharge {
    fn default() -> Self {
        Self {
            lost_nanos: AtomicU64::new(0),
            due_at: AtomicU64::new(WORTH_NANOS),
            asked: AtomicBool::new(false),
            weighed_at: AtomicU64::new(NEVER),
        }
    }
}

impl ReadCharge {
    /// Charges what readers lost.
    pub fn add(&self, nanos: u64) {
        self.lost_nanos.fetch_add(nanos, Ordering::Relaxed);
    }

    /// Whether it is to be weighed.
    #[inline]
    pub fn is_due(&self) -> bool {
        self.lost_nanos.load(Ordering::Relaxed) >= self.due_at.load(Ordering::Relaxed)
    }

    /// Whether the caller is to ask for the weighing: it is due, and nobody has asked.
    #[inline]
    pub fn is_to_be_asked(&self) -> bool {
        self.is_due()
            && !self.asked.load(Ordering::Relaxed)
            && !self.asked.swap(true, Ordering::Relaxed)
    }

    /// Whether the charge outweighs `price`, now that the last write is `sequence`, if each write since the last weighing takes
    /// back `write_nanos`. If so, it is spent. If not, it is weighed again when it has come to that price.
    ///
    /// The first weighing takes everything back: when the version began is not known, so it counts from there.
    pub fn outweighs(&self, price: u64, sequence: u64, write_nanos: u64) -> bool {
        let before = self.weighed_at.swap(sequence, Ordering::Relaxed);
        let taken_back = match before {
            NEVER => u64::MAX,
            _ => sequence.saturating_sub(before).saturating_mul(write_nanos),
        };
        let lost = self.lost_nanos.load(Ordering::Relaxed);
        // What readers add between the two is lost, which is not much.
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

/// What one cursor loses; charged when it is dropped.
#[derive(Debug)]
pub struct CursorLoss {
    charge: Arc<ReadCharge>,
    /// The runs beside the first that a compaction could take away.
    runs: u64,
    nanos: u64,
}

impl CursorLoss {
    /// Of a cursor that merges so many runs beside the first; `None` if there are none.
    #[must_use]
    pub fn of(charge: &Arc<ReadCharge>, runs: usize) -> Option<Self> {
        (runs > 0).then(|| Self {
            charge: Arc::clone(charge),
            runs: runs as u64,
            nanos: 0,
        })
    }

    /// A seek was made.
    #[inline]
    pub const fn seek(&mut self) {
        self.nanos += SEEK_NANOS * self.runs;
    }

    /// A step was made.
    #[inline]
    pub const fn step(&mut self) {
        self.steps(1);
    }

    /// So many steps were made.
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

/// What one thread lost and has not charged yet.
struct Gathered {
    nanos: Cell<u64>,
    /// When it is to be charged.
    enough: Cell<u64>,
    dice: Cell<u32>,
}

/// Adds to what this thread has gathered; all of it, if that is now to be charged.
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
    /// Draws the next measure: Lehmer's generator, of which the upper bits are good enough for this.
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
        // Another thread's would not be mixed in: each has its own.
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
        assert!(CursorLoss::of(&charge, 0).is_none());
        let mut loss = CursorLoss::of(&charge, 2).unwrap();
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

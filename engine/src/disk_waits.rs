//! Notices that a thread waits for the disk when it reads mapped files.
//!
//! A page of a mapping that is not in memory is read like any other, only that its first byte takes a hundred
//! microseconds. A reader that expects this can ask the system for all that it is about to read: then one wait
//! takes the place of several. But to ask takes a microsecond, as long as a whole lookup in memory, so only a
//! thread that waited lately should do it.
//!
//! The system counts for each thread what it had read from disks. A look at that count takes half a microsecond. It
//! is taken after eight reads, and as long as nothing comes from a disk, after twice as many each time. So a thread
//! whose tables are in memory hardly ever looks, and one that waits knows it soon.
//!
//! Only a hint, with no visible effect but speed. On systems other than Linux no thread is ever said to wait, and what is
//! read around a page is left to them.

use std::cell::Cell;
use std::ffi::c_long;

/// How many reads lie between two looks while the thread waits.
const LOOK_AFTER: u32 = 8;
/// How many at most lie between two looks.
const LOOK_AFTER_AT_MOST: u32 = 128;

/// How much a thread had read from disks since it began, in the width in which the system counts. Only a difference between two of
/// them means anything.
type ReadSoFar = c_long;

thread_local! {
    static WATCH: Watch = const { Watch::new() };
}

/// What a thread knows about its reads.
struct Watch {
    /// Reads until the next look.
    left: Cell<u32>,
    /// Reads between the last look and the next one.
    interval: Cell<u32>,
    /// What the last look saw.
    seen: Cell<ReadSoFar>,
    /// Whether something was read from a disk between the last two looks.
    waits: Cell<bool>,
}

impl Watch {
    const fn new() -> Watch {
        Watch {
            left: Cell::new(LOOK_AFTER),
            interval: Cell::new(LOOK_AFTER),
            seen: Cell::new(0),
            waits: Cell::new(false),
        }
    }

    /// Counts a read.
    #[inline]
    fn count(&self, read_from_disk: fn() -> ReadSoFar) -> bool {
        match self.left.get().checked_sub(1) {
            Some(left) => self.left.set(left),
            None => self.look(read_from_disk()),
        }
        self.waits.get()
    }

    #[cold]
    fn look(&self, seen: ReadSoFar) {
        let waits = self.seen.replace(seen) != seen;
        let interval = if waits {
            LOOK_AFTER
        } else {
            LOOK_AFTER_AT_MOST.min(self.interval.get() * 2)
        };
        self.waits.set(waits);
        self.interval.set(interval);
        self.left.set(interval);
    }
}

/// Whether the next read of this thread may have to wait for the disk. To be asked once for each block that is read.
#[inline]
pub(crate) fn likely() -> bool {
    WATCH.with(|watch| watch.count(read_from_disk))
}

/// Whether anything was read from a disk for this thread during `work`.
pub(crate) fn reads_during(work: impl FnOnce()) -> bool {
    let before = read_from_disk();
    work();
    read_from_disk() != before
}

/// The blocks that were read from disks for this thread, for its page faults and by its system calls.
///
/// Systems that do not count blocks count the faults.
#[cfg(target_os = "linux")]
fn read_from_disk() -> ReadSoFar {
    use nix::sys::resource::{UsageWho, getrusage};
    getrusage(UsageWho::RUSAGE_THREAD).map_or(0, |usage| {
        usage.block_reads().wrapping_add(usage.major_page_faults())
    })
}

#[cfg(not(target_os = "linux"))]
fn read_from_disk() -> ReadSoFar {
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many reads a thread makes until it looks. The last of them sees what was read.
    fn reads_to_a_look(watch: &Watch, seen: fn() -> ReadSoFar) -> u32 {
        let reads = watch.left.get() + 1;
        for _ in 0..reads {
            watch.count(seen);
        }
        assert_eq!(watch.seen.get(), seen());
        reads
    }

    #[test]
    fn looks_become_rare_as_long_as_nothing_comes_from_the_disk() {
        let watch = Watch::new();
        let looks: Vec<u32> = (0..9).map(|_| reads_to_a_look(&watch, || 0)).collect();
        assert_eq!(looks, [9, 17, 33, 65, 129, 129, 129, 129, 129]);
        assert!(!watch.waits.get());
    }

    #[test]
    fn a_thread_waits_from_the_look_that_sees_a_read_to_the_one_that_sees_none() {
        let watch = Watch::new();
        for _ in 0..5 {
            reads_to_a_look(&watch, || 0);
        }
        reads_to_a_look(&watch, || 16);
        assert!(watch.count(|| 16), "sixteen blocks were read");
        assert_eq!(reads_to_a_look(&watch, || 24), 8, "one was counted above");
        assert!(watch.count(|| 24), "eight more");
        reads_to_a_look(&watch, || 24);
        assert!(!watch.count(|| 24), "none since");
    }
}

//! How tests wait for other threads: for a condition, not for a time, and never for ever. On a busy machine a thread may
//! get no processor for seconds, and a thread that fails never brings about what the others wait for.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use engine::{CompactionFilter, Db, Decision};
use parking_lot::{Condvar, Mutex};

/// Longer than anything takes that a test waits for, however busy the machine is.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// Waits until `is_so`, which other threads bring about, and fails if they never do.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let since = Instant::now();
    while !is_so() {
        assert!(since.elapsed() < PATIENCE, "waited in vain until {what}");
        // Not a busy loop: the others may need this processor.
        thread::sleep(Duration::from_millis(1));
    }
}

/// Waits until another thread has begun to close the database.
#[track_caller]
pub(crate) fn wait_until_closing(db: &Db) {
    wait_until("the database closes", || db.sync().is_err());
}

/// The name by which the system knows this thread, if it does, for [`wait_until_asleep`].
pub(crate) fn this_thread() -> Option<std::path::PathBuf> {
    fs::read_link("/proc/thread-self").ok()
}

/// Waits until a thread sleeps, as the system says, and goes on to sleep. Where the system does not say it, for a while: on
/// a busy machine a thread may be late for longer.
#[track_caller]
pub(crate) fn wait_until_asleep(thread: Option<&Path>) {
    let sleeps = |thread: &Path| {
        // The state comes behind the name, which may hold anything.
        let stat = fs::read_to_string(Path::new("/proc").join(thread).join("stat"));
        stat.is_ok_and(|stat| {
            stat.rsplit_once(") ")
                .is_some_and(|(_, of)| of.starts_with('S'))
        })
    };
    let mut seen_asleep = 0;
    wait_until("a thread sleeps", || {
        let is_asleep = thread.is_none_or(sleeps);
        seen_asleep = if is_asleep { seen_asleep + 1 } else { 0 };
        seen_asleep == 100
    });
}

/// Sets a flag when it is dropped. A scope waits for the threads that run until then, also if the test has failed.
pub(crate) struct SetAtEnd<'f>(pub(crate) &'f AtomicBool);

impl Drop for SetAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Holds up all who come until it is opened: as a compaction filter every compaction, elsewhere whoever calls
/// [`pass`](Self::pass).
#[derive(Default)]
pub(crate) struct Gate {
    is_open: Mutex<bool>,
    opened: Condvar,
    reached: AtomicBool,
}

impl Gate {
    pub(crate) fn open(&self) {
        *self.is_open.lock() = true;
        self.opened.notify_all();
    }

    /// Whether somebody has come to the gate.
    pub(crate) fn is_reached(&self) -> bool {
        self.reached.load(Ordering::SeqCst)
    }

    #[track_caller]
    pub(crate) fn wait_until_reached(&self) {
        wait_until("somebody is at the gate", || self.is_reached());
    }

    /// Waits until the gate is open. Not for ever: a test that has failed opens none.
    pub(crate) fn pass(&self) {
        self.reached.store(true, Ordering::SeqCst);
        let mut is_open = self.is_open.lock();
        let waited = self
            .opened
            .wait_while_for(&mut is_open, |is_open| !*is_open, PATIENCE);
        assert!(!waited.timed_out(), "nobody opens the gate");
    }
}

impl CompactionFilter for Gate {
    fn decide(&self, _key: &[u8], _value: &[u8]) -> Decision {
        self.pass();
        Decision::Keep
    }
}

//! Scripts that take long: they are noticed, other clients are refused meanwhile, and they can be killed.
//!
//! Every [`HOOK_INSTRUCTIONS`] instructions Lua calls [`Run::tick`]. A script that ends before the first call is
//! never registered here, so a short script only pays for reading the clock once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// How many instructions are executed between two readings of the clock: about a millisecond.
pub(super) const HOOK_INSTRUCTIONS: u32 = 100_000;
/// The default of Redis's `busy-reply-threshold`.
const BUSY_AFTER_MS: u64 = 5000;

/// The scripts that take long.
pub(super) struct Registry {
    running: Mutex<Vec<Arc<Run>>>,
    /// How many of them have run for so long that other clients are refused.
    busy: AtomicUsize,
    busy_after_ms: AtomicU64,
    is_stopped: AtomicBool,
    yield_thread: fn(),
}

/// Whether a script may be killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Killed {
    /// It may; after `SCRIPT KILL` it will end soon.
    Yes,
    /// No script runs.
    NoneRuns,
    /// The script has already changed something.
    HasWritten,
}

impl Registry {
    /// `yield_thread` is called by each script that takes long, on that script's thread.
    pub(super) fn new(yield_thread: fn()) -> Self {
        Self {
            running: Mutex::default(),
            busy: AtomicUsize::new(0),
            busy_after_ms: AtomicU64::new(BUSY_AFTER_MS),
            is_stopped: AtomicBool::new(false),
            yield_thread,
        }
    }

    pub(super) fn is_busy(&self) -> bool {
        self.busy.load(Ordering::Relaxed) > 0
    }

    pub(super) fn set_busy_after(&self, limit: Duration) {
        let limit = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
        self.busy_after_ms.store(limit, Ordering::Relaxed);
    }

    pub(super) fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Ends all scripts that have not written.
    pub(super) fn kill(&self) -> Killed {
        self.for_killable(|run| run.killed.store(true, Ordering::Relaxed))
    }

    /// What [`kill`](Self::kill) would do.
    pub(super) fn can_kill(&self) -> Killed {
        self.for_killable(|_| ())
    }

    fn for_killable(&self, act: impl Fn(&Run)) -> Killed {
        let running = self.running.lock();
        if running.is_empty() {
            return Killed::NoneRuns;
        }
        let mut killed = Killed::HasWritten;
        for run in &*running {
            if !run.wrote.load(Ordering::Relaxed) {
                act(run);
                killed = Killed::Yes;
            }
        }
        killed
    }
}

/// One running script. It is in the registry from its first [`Run::tick`] until [`Run::end`].
pub(super) struct Run {
    started: Instant,
    is_registered: AtomicBool,
    is_busy: AtomicBool,
    killed: AtomicBool,
    wrote: AtomicBool,
}

impl Run {
    pub(super) fn begin() -> Arc<Self> {
        Arc::new(Self {
            started: Instant::now(),
            is_registered: AtomicBool::new(false),
            is_busy: AtomicBool::new(false),
            killed: AtomicBool::new(false),
            wrote: AtomicBool::new(false),
        })
    }

    /// Says that the script must not be killed from now on.
    pub(super) fn mark_written(&self) {
        self.wrote.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_killed(&self) -> bool {
        self.killed.load(Ordering::Relaxed)
    }

    /// Returns whether the script has to end.
    pub(super) fn tick(self: &Arc<Self>, registry: &Registry) -> bool {
        if !self.is_registered.swap(true, Ordering::Relaxed) {
            registry.running.lock().push(Arc::clone(self));
        }
        (registry.yield_thread)();
        let limit = Duration::from_millis(registry.busy_after_ms.load(Ordering::Relaxed));
        // 0 means no limit, as in Redis.
        let is_late = !limit.is_zero() && self.started.elapsed() >= limit;
        if is_late && !self.is_busy.swap(true, Ordering::Relaxed) {
            registry.busy.fetch_add(1, Ordering::Relaxed);
            tracing::warn!(
                ms = limit.as_millis(),
                "a script takes long: others are refused until it ends or SCRIPT KILL ends it"
            );
        }
        if registry.is_stopped.load(Ordering::Relaxed) {
            self.killed.store(true, Ordering::Relaxed);
        }
        self.is_killed()
    }

    /// Says that the script has ended.
    pub(super) fn end(self: &Arc<Self>, registry: &Registry) {
        if self.is_registered.load(Ordering::Relaxed) {
            let mut running = registry.running.lock();
            running.retain(|run| !Arc::ptr_eq(run, self));
        }
        if self.is_busy.load(Ordering::Relaxed) {
            registry.busy.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_script_keeps_others_away_until_it_ends_and_only_a_stop_kills_one_that_has_written() {
        let registry = Registry::new(|| {});
        assert_eq!(registry.kill(), Killed::NoneRuns);
        let run = Run::begin();
        assert!(!run.tick(&registry));
        assert!(!registry.is_busy());
        registry.set_busy_after(Duration::from_nanos(1_000_000));
        std::thread::sleep(Duration::from_millis(2));
        assert!(!run.tick(&registry));
        assert!(registry.is_busy());
        let writer = Run::begin();
        writer.mark_written();
        writer.tick(&registry);
        assert_eq!(registry.kill(), Killed::Yes);
        assert!(run.tick(&registry));
        assert!(!writer.tick(&registry));
        run.end(&registry);
        assert_eq!(registry.kill(), Killed::HasWritten);
        registry.stop();
        assert!(writer.tick(&registry));
        writer.end(&registry);
        assert!(!registry.is_busy());
        assert_eq!(registry.kill(), Killed::NoneRuns);
    }
}

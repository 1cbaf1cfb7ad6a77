//! Scripts that take long: they are noticed, other clients are refused meanwhile, and they can be killed.
//!
//! Every [`HOOK_INSTRUCTIONS`] instructions of a coroutine Lua calls [`Run::tick`]. A script that ends before the first call is
//! never registered here, so a short script only pays for reading the clock once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::scripting::Stop;

/// How many instructions are executed between two readings of the clock: about a millisecond.
pub(super) const HOOK_INSTRUCTIONS: u32 = 100_000;
/// How long a script is not looked at that makes coroutines, in microseconds.
const TICK_MICROS: u64 = 1000;
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
        self.for_killable(|fate| *fate = Fate::Killed)
    }

    /// What [`kill`](Self::kill) would do.
    pub(super) fn can_kill(&self) -> Killed {
        self.for_killable(|_| ())
    }

    fn for_killable(&self, act: impl Fn(&mut Fate)) -> Killed {
        let running = self.running.lock();
        if running.is_empty() {
            return Killed::NoneRuns;
        }
        let mut killed = Killed::HasWritten;
        for run in &*running {
            let mut fate = run.fate.lock();
            if *fate != Fate::HasWritten {
                act(&mut fate);
                killed = Killed::Yes;
            }
        }
        killed
    }
}

/// One running script. It is in the registry from its first [`Run::tick`] until [`Run::end`].
pub(super) struct Run {
    started: Instant,
    /// When it was looked at last, in microseconds after it began.
    ticked_micros: AtomicU64,
    is_registered: AtomicBool,
    is_busy: AtomicBool,
    fate: Mutex<Fate>,
}

/// What a script has done, or what was done to it. A script that has written is not killed, and one that was killed does
/// not write any more, although some of its instructions may still run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    HasReadOnly,
    HasWritten,
    Killed,
}

impl Run {
    pub(super) fn begin() -> Arc<Self> {
        Arc::new(Self {
            started: Instant::now(),
            ticked_micros: AtomicU64::new(0),
            is_registered: AtomicBool::new(false),
            is_busy: AtomicBool::new(false),
            fate: Mutex::new(Fate::HasReadOnly),
        })
    }

    /// Says that the script writes, so that it must not be killed from now on.
    ///
    /// # Errors
    /// [`Stop`] if it was killed before.
    pub(super) fn begin_write(&self) -> Result<(), Stop> {
        let mut fate = self.fate.lock();
        if *fate == Fate::Killed {
            return Err(Stop);
        }
        *fate = Fate::HasWritten;
        Ok(())
    }

    pub(super) fn is_killed(&self) -> bool {
        *self.fate.lock() == Fate::Killed
    }

    fn elapsed_micros(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    /// Called when the script makes a coroutine: as [`tick`](Self::tick), but only now and then. Each coroutine counts its
    /// own instructions, so a script of many short ones would never be looked at.
    pub(super) fn made_coroutine(self: &Arc<Self>, registry: &Registry) -> bool {
        let unseen = self.elapsed_micros() - self.ticked_micros.load(Ordering::Relaxed);
        unseen >= TICK_MICROS && self.tick(registry)
    }

    /// Returns whether the script has to end.
    pub(super) fn tick(self: &Arc<Self>, registry: &Registry) -> bool {
        if !self.is_registered.swap(true, Ordering::Relaxed) {
            registry.running.lock().push(Arc::clone(self));
        }
        (registry.yield_thread)();
        self.ticked_micros
            .store(self.elapsed_micros(), Ordering::Relaxed);
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
            *self.fate.lock() = Fate::Killed;
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
        assert_eq!(writer.begin_write(), Ok(()));
        writer.tick(&registry);
        assert_eq!(registry.kill(), Killed::Yes);
        // Until it notices, it may come to a command that writes.
        assert_eq!(run.begin_write(), Err(Stop));
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

//! Connections that are woken together run in the order in which they were woken.
//!
//! If one thread serves two clients, their commands run in the order in which they arrived, as in Redis. The runtime
//! does not promise that: of the tasks that are ready when a thread looks, it runs the one that was woken last first,
//! and the others in their order. So the wakeups of tasks are numbered. If the task with the last number runs
//! while others still wait, it lets these run first. A task that yields comes back when the others have run, or when
//! the runtime checks for new events, which it does now and then; in that case the task may have to yield again.
//!
//! Left out: runtimes with several threads, which have no such order, and tasks that wait for something other than
//! bytes, a key or the end of a pause.
//!
//! Invariants
//! 1. Each wakeup is handled exactly once: when its task runs, or when the task is gone. A task that is gone is not
//!    woken any more.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Wake, Waker};

use tokio::task::yield_now;

use crate::server::turns::takes_turns;

/// How often a task yields at most. The runtime runs 61 tasks between two checks for events.
const YIELDS_MAX: usize = 8;

/// How often the connections of a server were woken, and how many of these wakeups were handled.
#[derive(Debug, Default)]
pub(super) struct WakeCounts {
    wakes: AtomicU64,
    handled: AtomicU64,
}

/// Wakes the task of a connection, and counts how often.
struct CountedWake {
    counts: Arc<WakeCounts>,
    task: Waker,
    /// Whether the task was woken and has not run since, or is gone.
    is_pending: AtomicBool,
    /// The number of the last wakeup.
    number: AtomicU64,
}

impl CountedWake {
    /// Says that the task runs. Returns whether others should run first.
    fn handle(&self) -> bool {
        if !self.is_pending.swap(false, Ordering::Relaxed) {
            return false;
        }
        let handled = self.counts.handled.fetch_add(1, Ordering::Relaxed) + 1;
        let wakes = self.counts.wakes.load(Ordering::Relaxed);
        self.number.load(Ordering::Relaxed) == wakes && handled < wakes
    }

    /// Whether wakeups from before the last one of this task are not handled yet. Only counts are compared, so a
    /// later wakeup that was handled counts like an earlier one.
    fn is_early(&self) -> bool {
        self.counts.handled.load(Ordering::Relaxed) < self.number.load(Ordering::Relaxed)
    }
}

impl Wake for CountedWake {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.is_pending.swap(true, Ordering::Relaxed) {
            let number = self.counts.wakes.fetch_add(1, Ordering::Relaxed) + 1;
            self.number.store(number, Ordering::Relaxed);
        }
        self.task.wake_by_ref();
    }
}

/// Whether a connection was woken before others, and whether it has to let them run first.
pub(super) struct WakeOrder {
    counts: Arc<WakeCounts>,
    registered: Option<Registered>,
    /// Whether others were woken before the connection and have not run yet, since it last let earlier ones run.
    is_early: bool,
}

struct Registered {
    wake: Arc<CountedWake>,
    waker: Waker,
}

impl WakeOrder {
    pub(super) fn new(counts: &Arc<WakeCounts>) -> Self {
        Self {
            counts: Arc::clone(counts),
            registered: None,
            is_early: false,
        }
    }

    /// Waits, and if the thread takes turns counts the wakeups meanwhile.
    pub(super) async fn count_wakes<W: Future>(&mut self, wait: W) -> W::Output {
        let mut wait = pin!(wait);
        poll_fn(|cx| {
            if !takes_turns() {
                return wait.as_mut().poll(cx);
            }
            let Registered { wake, waker } =
                Registered::of(&mut self.registered, &self.counts, cx.waker());
            // The wait may end at the first wakeup, or go on after it.
            self.is_early |= wake.handle();
            wait.as_mut().poll(&mut Context::from_waker(waker))
        })
        .await
    }

    /// Lets the connections run that were woken before this one, if there are any.
    pub(super) async fn let_earlier_run(&mut self) {
        if !std::mem::take(&mut self.is_early) {
            return;
        }
        for _ in 0..YIELDS_MAX {
            // It may have been early at a wakeup that led to nothing, and all earlier ones have run since.
            let registered = self.registered.as_ref();
            if !registered.is_some_and(|registered| registered.wake.is_early()) {
                return;
            }
            yield_now().await;
        }
    }
}

impl Registered {
    /// The existing one, if it wakes this task; otherwise a new one.
    fn of<'c>(
        registered: &'c mut Option<Self>,
        counts: &Arc<WakeCounts>,
        task: &Waker,
    ) -> &'c Self {
        if registered
            .as_ref()
            .is_some_and(|old| !old.wake.task.will_wake(task))
        {
            *registered = None;
        }
        registered.get_or_insert_with(|| {
            let wake = Arc::new(CountedWake {
                counts: Arc::clone(counts),
                task: task.clone(),
                is_pending: AtomicBool::new(false),
                number: AtomicU64::new(0),
            });
            let waker = Waker::from(Arc::clone(&wake));
            Self { wake, waker }
        })
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        // It stays marked as woken, so later wakeups are not counted.
        if self.wake.is_pending.swap(true, Ordering::Relaxed) {
            self.wake.counts.handled.fetch_add(1, Ordering::Relaxed);
        }
    }
}

//! Connections that are woken together run in the order in which they were woken.
//!
//! If one thread serves two clients, their commands run in the order in which they arrived, as in Redis. The runtime
//! does not promise that: of the tasks that are ready when a thread looks, it runs the one that was woken last first,
//! and the others in their order. So each call that wakes a task has a number. If a task runs with the last number
//! while others still wait, it lets these run first. A task that yields comes back when the others have run, or when
//! the runtime checks for new events, which it does now and then; in that case the task may have to yield again.
//!
//! Left out: runtimes with several threads, which have no such order, and tasks that wait for something other than
//! bytes or a key.
//!
//! Invariants
//! 1. Each call is followed exactly once: when its task runs, or when the task is gone. A task that is gone is not
//!    called any more.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Wake, Waker};

use tokio::task::yield_now;

use crate::server::turns::takes_turns;

/// How often a task yields at most. The runtime runs 61 tasks between two checks for events.
const YIELDS_MAX: usize = 8;

/// The counts of calls for all connections of a server.
#[derive(Debug, Default)]
pub(super) struct Calls {
    made: AtomicU64,
    followed: AtomicU64,
}

/// Wakes the task of a connection, and counts these calls.
struct Call {
    calls: Arc<Calls>,
    task: Waker,
    /// Whether the task was woken and has not run since, or is gone.
    is_made: AtomicBool,
    /// The number of the last call.
    number: AtomicU64,
}

impl Call {
    /// Says that the task runs. Returns whether others should run first.
    fn follow(&self) -> bool {
        if !self.is_made.swap(false, Ordering::Relaxed) {
            return false;
        }
        let followed = self.calls.followed.fetch_add(1, Ordering::Relaxed) + 1;
        let made = self.calls.made.load(Ordering::Relaxed);
        self.number.load(Ordering::Relaxed) == made && followed < made
    }

    /// Whether calls from before the last call of this task are not followed yet. Only counts are compared, so a
    /// later call that was followed counts like an earlier one.
    fn is_early(&self) -> bool {
        self.calls.followed.load(Ordering::Relaxed) < self.number.load(Ordering::Relaxed)
    }
}

impl Wake for Call {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.is_made.swap(true, Ordering::Relaxed) {
            let number = self.calls.made.fetch_add(1, Ordering::Relaxed) + 1;
            self.number.store(number, Ordering::Relaxed);
        }
        self.task.wake_by_ref();
    }
}

/// Wakes a connection, and counts how often.
pub(super) struct Caller {
    calls: Arc<Calls>,
    counted: Option<Counted>,
    /// Whether others were woken before the connection and have not run yet.
    is_early: bool,
}

struct Counted {
    call: Arc<Call>,
    waker: Waker,
}

impl Caller {
    pub(super) fn new(calls: &Arc<Calls>) -> Self {
        Self {
            calls: Arc::clone(calls),
            counted: None,
            is_early: false,
        }
    }

    /// Waits, and if the thread takes turns counts the calls meanwhile.
    pub(super) async fn count<W: Future>(&mut self, wait: W) -> W::Output {
        let mut wait = pin!(wait);
        self.is_early = false;
        poll_fn(|cx| {
            if !takes_turns() {
                return wait.as_mut().poll(cx);
            }
            let Counted { call, waker } = Counted::of(&mut self.counted, &self.calls, cx.waker());
            // The wait may end at the first call, or go on after it.
            self.is_early |= call.follow();
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
            yield_now().await;
            let counted = self.counted.as_ref();
            if !counted.is_some_and(|counted| counted.call.is_early()) {
                return;
            }
        }
    }
}

impl Counted {
    /// The existing one, if it wakes this task; otherwise a new one.
    fn of<'c>(counted: &'c mut Option<Self>, calls: &Arc<Calls>, task: &Waker) -> &'c Self {
        if counted
            .as_ref()
            .is_some_and(|old| !old.call.task.will_wake(task))
        {
            *counted = None;
        }
        counted.get_or_insert_with(|| {
            let call = Arc::new(Call {
                calls: Arc::clone(calls),
                task: task.clone(),
                is_made: AtomicBool::new(false),
                number: AtomicU64::new(0),
            });
            let waker = Waker::from(Arc::clone(&call));
            Self { call, waker }
        })
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        // It stays marked as woken, so later calls are not counted.
        if self.call.is_made.swap(true, Ordering::Relaxed) {
            self.call.calls.followed.fetch_add(1, Ordering::Relaxed);
        }
    }
}

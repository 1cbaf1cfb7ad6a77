//! Connections that are called together run in the order in which they were called.
//!
//! Where one thread serves two clients, what they send runs in the order in which it arrived, as in Redis. The runtime does
//! not promise that: of the tasks that are ready when a thread looks, it runs the last one first, and the others in their
//! order. So each call of a task has a number, and who runs with the last of them while others wait lets these run first. A task that
//! yields comes back when the others have run, or when the runtime looks for what is new, which it does now and then: so it may have to yield
//! once more.
//!
//! Left out: runtimes of several threads, where there is no such order, and calls of who waits neither for bytes nor for a key.
//!
//! Invariants
//! 1. A call is followed once: when its task runs, or is gone. A task that is gone is not called any more.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Wake, Waker};

use tokio::task::yield_now;

use crate::server::turns::takes_turns;

/// How often a task yields at most. Between two looks of the runtime 61 tasks run.
const YIELDS_MAX: usize = 8;

/// The calls of all connections of a server.
#[derive(Debug, Default)]
pub(super) struct Calls {
    made: AtomicU64,
    followed: AtomicU64,
}

/// How the task of a connection is called.
struct Call {
    calls: Arc<Calls>,
    task: Waker,
    /// Whether it was called and did not run since, or is gone.
    is_made: AtomicBool,
    /// The number of the last call.
    number: AtomicU64,
}

impl Call {
    /// The task runs. Answers whether others should run first.
    fn follow(&self) -> bool {
        if !self.is_made.swap(false, Ordering::Relaxed) {
            return false;
        }
        let followed = self.calls.followed.fetch_add(1, Ordering::Relaxed) + 1;
        let made = self.calls.made.load(Ordering::Relaxed);
        self.number.load(Ordering::Relaxed) == made && followed < made
    }

    /// Whether calls from before the last one of this task are not followed, as far as the counts say: later ones that were followed
    /// count for them.
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

/// Who calls a connection, and counts how often.
pub(super) struct Caller {
    calls: Arc<Calls>,
    counted: Option<Counted>,
    /// Others were called before the connection, and did not run yet.
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

    /// Waits, and counts the calls meanwhile, if the thread takes turns.
    pub(super) async fn count<W: Future>(&mut self, wait: W) -> W::Output {
        let mut wait = pin!(wait);
        self.is_early = false;
        poll_fn(|cx| {
            if !takes_turns() {
                return wait.as_mut().poll(cx);
            }
            let Counted { call, waker } = Counted::of(&mut self.counted, &self.calls, cx.waker());
            // What it waited for may be there at the first call, and more to wait for after that.
            self.is_early |= call.follow();
            wait.as_mut().poll(&mut Context::from_waker(waker))
        })
        .await
    }

    /// Lets the connections run that were called before this one, if there are any.
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
    /// The one that is there, if it calls this task.
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
        // It stays made: nobody counts it any more.
        if self.call.is_made.swap(true, Ordering::Relaxed) {
            self.call.calls.followed.fetch_add(1, Ordering::Relaxed);
        }
    }
}

//! Running long work that blocks its thread, without keeping other connections from being served.
//!
//! A connection is a task, and a task that computes keeps its thread from all other tasks. Two scripts that never end
//! would be enough to silence a server with two threads, including `SCRIPT KILL`. So long work is announced to the
//! runtime, which gets another thread for the tasks meanwhile.
//!
//! The runtime has a limited number of other threads. Once all of them have work that takes long, or wait for its locks,
//! nobody is served any more: no `SCRIPT KILL` is read, and no signal either. So the threads are counted, and while many are
//! taken, no command begins that might take one more ([`Session::waits_for_thread`]). Their clients stand in line.
//!
//! Invariants
//! 1. A thread counts from when it first gives up its place until the end of its [`Turn`], and only once: a task that has
//!    given up its place goes on without one until it waits.
//! 2. A client goes on only when there are threads for all that stand before it in line.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::runtime::{Handle, RuntimeFlavor};

use crate::commands::Session;
use crate::commands::dispatch::pipeline::runs_plainly;
use crate::commands::dispatch::resolve;
use crate::commands::table::{Flag, Handler, Spec};

/// How many threads may be taken when one more command begins that might take one. The runtime has twice as many: others are
/// for work in the background, and for commands that seldom take long.
const TAKEN_MOST: usize = 256;

/// How many threads have given up their places in this process.
static TAKEN: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// What this thread's turn is to [`TAKEN`].
    static PLACE: Cell<Place> = const { Cell::new(Place::Outside) };
}

/// Whether a thread is in a turn, and has given up its place in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In no turn: what it does does not count.
    Outside,
    /// In a turn.
    Kept,
    /// In a turn, without a place.
    GivenUp,
}

/// The time in which a thread runs commands of a connection.
#[derive(Debug)]
pub struct Turn(());

impl Turn {
    /// Begins on this thread. It must end there.
    #[must_use]
    pub fn begin() -> Self {
        PLACE.set(Place::Kept);
        Self(())
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if PLACE.replace(Place::Outside) == Place::GivenUp {
            TAKEN.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Counts this thread as taken.
fn give_up_place() {
    if PLACE.get() == Place::Kept {
        PLACE.set(Place::GivenUp);
        TAKEN.fetch_add(1, Ordering::Relaxed);
    }
}

/// The clients that wait until they may take a thread, by the numbers that they drew.
static LINE: Mutex<BTreeSet<u64>> = Mutex::new(BTreeSet::new());

/// How many of them there are: read without a lock.
static IN_LINE: AtomicUsize = AtomicUsize::new(0);

/// A client that waits until it may take a thread. Dropping it ends that.
#[derive(Debug)]
pub(crate) struct InLine(u64);

impl InLine {
    /// Behind all others.
    fn join() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let mut line = LINE.lock();
        let number = LAST.fetch_add(1, Ordering::Relaxed);
        line.insert(number);
        IN_LINE.fetch_add(1, Ordering::Relaxed);
        Self(number)
    }

    /// Whether there are threads for this client and all before it.
    fn is_next(&self) -> bool {
        let free = TAKEN_MOST.saturating_sub(TAKEN.load(Ordering::Relaxed));
        LINE.lock()
            .iter()
            .take(free)
            .any(|number| *number == self.0)
    }
}

impl Drop for InLine {
    fn drop(&mut self) {
        LINE.lock().remove(&self.0);
        IN_LINE.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Whether so many threads are taken, or about to be, that no command may take one more.
pub(crate) fn is_crowded() -> bool {
    TAKEN.load(Ordering::Relaxed) + IN_LINE.load(Ordering::Relaxed) >= TAKEN_MOST
}

impl Session {
    /// Whether a command has to wait until fewer threads are taken, because it might take one more. While a script takes
    /// too long none has to: it is refused.
    #[must_use]
    pub fn waits_for_thread(&mut self, args: &[Bytes]) -> bool {
        let waits = match &self.in_line {
            None => is_crowded() && self.has_to_wait(args),
            Some(place) => !place.is_next() && self.has_to_wait(args),
        };
        if !waits {
            self.in_line = None;
        } else if self.in_line.is_none() {
            self.in_line = Some(InLine::join());
        }
        waits
    }

    fn has_to_wait(&self, args: &[Bytes]) -> bool {
        !self.server.scripts.is_busy()
            && !runs_plainly(self, args)
            && resolve(args).is_ok_and(|spec| self.might_take_thread(spec))
    }

    /// Whether a command waits for locks on its thread, or runs for as long as its client likes.
    fn might_take_thread(&self, spec: &Spec) -> bool {
        match spec.handler {
            Handler::Exec => true,
            _ if self.queue.is_some() => false,
            Handler::Script(_) => true,
            Handler::Keys(_) | Handler::Both(_) => spec.has(Flag::Write),
            Handler::Session(_) | Handler::Container => {
                matches!(spec.full_name, "watch" | "debug" | "save")
            }
        }
    }
}

/// Runs something that takes long. Meanwhile another thread serves the other connections. Outside of the runtime it
/// just runs.
pub(crate) fn run_blocking<R>(work: impl FnOnce() -> R) -> R {
    give_up_place();
    tokio::task::block_in_place(work)
}

/// Runs something that may take microseconds or hours. As long as another thread is free for the other connections it
/// just runs, because getting another thread costs some microseconds.
pub(crate) fn run_maybe_blocking<R>(work: impl FnOnce() -> R) -> R {
    /// How many such calls are running.
    static RUNNING: AtomicUsize = AtomicUsize::new(0);
    struct Ended;
    impl Drop for Ended {
        fn drop(&mut self) {
            RUNNING.fetch_sub(1, Ordering::SeqCst);
        }
    }

    let before = RUNNING.fetch_add(1, Ordering::SeqCst);
    let _ended = Ended;
    let threads = Handle::try_current().map_or(1, |runtime| runtime.metrics().num_workers());
    if before == 0 && threads > 1 {
        work()
    } else {
        run_blocking(work)
    }
}

/// Runs something that waits for what another client does. Meanwhile another thread serves the other connections.
pub(crate) fn run_waiting(work: &mut dyn FnMut()) {
    match runtime_with_threads() {
        Some(_) => run_blocking(work),
        None => work(),
    }
}

/// The runtime of this thread, if it can give the other connections another thread.
fn runtime_with_threads() -> Option<Handle> {
    let runtime = Handle::try_current().ok();
    runtime.filter(|runtime| runtime.runtime_flavor() == RuntimeFlavor::MultiThread)
}

/// How long to wait until another thread has taken the place: far longer than it takes unless the machine is overloaded.
const TAKEN_WITHIN: Duration = Duration::from_millis(100);

/// Gives up this thread's place among the server's few threads, so that another one serves the other clients while what
/// it does goes on. For a script or a transaction that has turned out to be long: it costs too much for a short one.
pub(crate) fn yield_thread() {
    let Some(runtime) = runtime_with_threads() else {
        return;
    };
    run_blocking(|| {
        // Until another thread has taken the place, the runtime would give it back to this one. A task that runs says that
        // it has one.
        let (taken, is_taken) = mpsc::channel();
        runtime.spawn(async move { taken.send(()) });
        let _ = is_taken.recv_timeout(TAKEN_WITHIN);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_came_first_goes_on_first() {
        let mut line: Vec<InLine> = (0..TAKEN_MOST + 2).map(|_| InLine::join()).collect();
        assert!(is_crowded());
        let go_on = |line: &[InLine]| line.iter().filter(|place| place.is_next()).count();
        assert_eq!(go_on(&line), TAKEN_MOST);
        assert!(line[0].is_next());
        // Somebody leaves from the middle.
        line.remove(5);
        assert!(line[TAKEN_MOST - 1].is_next());
        assert!(!line[TAKEN_MOST].is_next());
        drop(line);
        assert!(!is_crowded());
    }
}

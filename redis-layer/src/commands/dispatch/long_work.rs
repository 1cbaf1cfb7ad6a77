//! Running long work that blocks its thread, without keeping other connections from being served.
//!
//! A connection is a task, and a task that computes keeps its thread from all other tasks. Two scripts that never end
//! would be enough to silence a server with two threads, including `SCRIPT KILL`. So long work is announced to the
//! runtime, which gets another thread for the tasks meanwhile.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use tokio::runtime::{Handle, RuntimeFlavor};

/// Runs something that takes long. Meanwhile another thread serves the other connections. Outside of the runtime it
/// just runs.
pub(crate) fn run_blocking<R>(work: impl FnOnce() -> R) -> R {
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

//! Work that takes long, beside the threads that serve connections.
//!
//! A connection is a task, and a task that computes keeps its thread from all others. Two scripts
//! that never end would be enough to silence a server with two threads, `SCRIPT KILL` included. So
//! long work tells the runtime, which gets another thread for the tasks meanwhile.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::runtime::Handle;

/// Runs something that takes long. Other connections are served by another thread meanwhile.
/// Outside of the runtime it just runs.
pub(crate) fn slowly<R>(work: impl FnOnce() -> R) -> R {
    tokio::task::block_in_place(work)
}

/// Runs something that takes microseconds or hours, nobody knows. As long as another thread is
/// free for the others it just runs, because another thread costs some microseconds.
pub(crate) fn perhaps_slowly<R>(work: impl FnOnce() -> R) -> R {
    /// How many run just now.
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
        slowly(work)
    }
}

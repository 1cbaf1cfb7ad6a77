//! The thread that gives back the space of removed collections.
//!
//! It walks over the rows in small steps with pauses between them, so that commands hardly notice.
//! A walk begins when the server starts, and after that when something was written since the last
//! one began; it rests for long if that walk was long. An idle server does nothing. Of a large collection, the
//! files that held its rows are then made anew without them; the space of smaller ones comes back with the compactions that the store makes anyway.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::server::Durability;
use crate::store::Store;
use crate::types::Sweeper;

/// How many orphans or collections a step looks at.
const STEP_ROWS: usize = 1024;
/// How long to wait between two steps: at most 10,000 rows a second are removed.
const STEP_PAUSE: Duration = Duration::from_millis(100);
/// How long to wait between two walks at least.
const WALK_PAUSE: Duration = Duration::from_secs(2);
/// And so many times as long as the last one worked, up to a bound: a walk passes over the tombstones of millions of rows in a
/// part of a second, which is much if it happens every two.
const REST: u32 = 30;
const REST_MAX: Duration = Duration::from_secs(60);

/// Removes orphans until it is dropped.
pub(super) struct Reclaimer {
    /// Nothing is ever sent: the thread ends when this is gone.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Reclaimer {
    /// Starts the thread.
    ///
    /// # Errors
    /// The operating system gives no thread.
    pub(super) fn start(store: Arc<dyn Store>, durability: Arc<Durability>) -> io::Result<Self> {
        let (stop, stopped) = channel();
        let thread = thread::Builder::new()
            .name("reclaim".to_owned())
            .spawn(move || walk_until_stopped(&*store, &durability, &stopped))?;
        Ok(Self {
            stop: Some(stop),
            thread: Some(thread),
        })
    }
}

impl Drop for Reclaimer {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // The thread never panics by itself, and a panic was printed already.
            let _ = thread.join();
        }
    }
}

/// How long to wait behind a walk that worked for so long.
fn pause_after(worked: Duration) -> Duration {
    worked.saturating_mul(REST).clamp(WALK_PAUSE, REST_MAX)
}

fn walk_until_stopped(store: &dyn Store, durability: &Durability, stopped: &Receiver<()>) {
    let is_stopped_after = |pause| stopped.recv_timeout(pause) != Err(RecvTimeoutError::Timeout);
    let mut walked_at = None;
    let mut worked = Duration::ZERO;
    while !is_stopped_after(pause_after(std::mem::take(&mut worked))) {
        let written = durability.written();
        if walked_at == Some(written) {
            continue;
        }
        let mut sweeper = Sweeper::default();
        let mut large = Vec::new();
        loop {
            let begun = Instant::now();
            let step = sweeper.step(store, STEP_ROWS);
            worked += begun.elapsed();
            match step {
                Ok(step) => {
                    large.extend(step.large);
                    if step.is_last {
                        break;
                    }
                }
                Err(error) => {
                    tracing::error!(%error, "the space of removed keys is not given back any more");
                    return;
                }
            }
            if is_stopped_after(STEP_PAUSE) {
                return;
            }
        }
        for (space, range) in large {
            if let Err(error) = store.reclaim(space, &range) {
                tracing::error!(%error, "the space of a removed key stays taken for now");
            }
            if is_stopped_after(STEP_PAUSE) {
                return;
            }
        }
        walked_at = Some(written);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_walk_is_followed_by_a_long_rest() {
        let pauses = [0, 10, 400, 3_600_000].map(|ms| pause_after(Duration::from_millis(ms)));
        assert_eq!(pauses.map(|pause| pause.as_secs()), [2, 2, 12, 60]);
        assert_eq!(pause_after(Duration::MAX), REST_MAX);
    }
}

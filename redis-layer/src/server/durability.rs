//! When written data is safe, and who waits for it.
//!
//! Commands write without syncing. One thread syncs, as often as the policy says:
//!
//! - `always`: whenever an answer waits. One sync covers everything that was written before it
//!   began, so all connections that wait share it;
//! - `everysec`: once a second, if something was written. A power cut loses a second at most;
//! - `no`: never. The operating system writes when it likes.
//!
//! # Sharing a sync
//!
//! Clients that were answered together send their next commands together, a moment later. A thread that syncs for the
//! first of them makes all others wait for a second sync, and then the store, which writes nothing during
//! a sync, stands still most of the time. So the thread waits until as many answers wait as the last time, for at
//! most as long as a sync took. Who is alone waits for nobody.
//!
//! Invariants
//! 1. Whoever waits was queued after its batch was committed. A sync that begins later covers it.
//! 2. After a failed sync `always` acknowledges nothing any more: what the disk holds is unknown,
//!    and asking it again would not tell.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};
use tokio::sync::oneshot;

use crate::store::Store;

/// How often writes reach the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum SyncPolicy {
    /// Before each answer to a write.
    Always,
    /// Once a second.
    #[default]
    #[value(name = "everysec")]
    EverySecond,
    /// When the operating system likes.
    No,
}

impl SyncPolicy {
    /// The policy by its number in [`Live::sync`](crate::commands::config::Live::sync).
    #[must_use]
    pub const fn numbered(number: u64) -> Self {
        match number {
            1 => Self::Always,
            2 => Self::No,
            _ => Self::EverySecond,
        }
    }

    /// The name that Redis gives it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::EverySecond => "everysec",
            Self::No => "no",
        }
    }
}

/// The last sync failed, so an answer must not be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the last sync failed, so it is unknown what the disk holds")]
pub struct SyncFailed;

/// Syncs a store by a policy.
pub struct Durability {
    shared: Arc<Shared>,
    thread: Mutex<Option<thread::JoinHandle<()>>>,
}

struct Shared {
    /// May change while the server runs.
    policy: Box<dyn Fn() -> SyncPolicy + Send + Sync>,
    store: Arc<dyn Store>,
    /// How many writes there were.
    written: AtomicU64,
    queue: Mutex<Queue>,
    wake: Condvar,
}

/// Who waits for a sync.
#[derive(Debug, Default)]
struct Queue {
    waiting: Vec<oneshot::Sender<()>>,
    /// The thread wants to be woken when so many wait.
    enough: usize,
    /// Nobody is acknowledged any more: a sync failed, or there is no thread.
    closed: bool,
    stop: bool,
}

impl Durability {
    /// Starts the thread that syncs. `policy` is asked again and again.
    ///
    /// # Errors
    /// The operating system gives no thread.
    pub fn start(
        store: Arc<dyn Store>,
        policy: impl Fn() -> SyncPolicy + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            policy: Box::new(policy),
            store,
            written: AtomicU64::new(0),
            queue: Mutex::new(Queue {
                enough: 1,
                ..Queue::default()
            }),
            wake: Condvar::new(),
        });
        let syncing = Arc::clone(&shared);
        let builder = thread::Builder::new().name("sync".to_owned());
        let thread = builder.spawn(move || {
            syncing.sync_until_stopped();
            // Whoever waits learns by this that nobody will answer.
            let mut queue = syncing.queue.lock();
            queue.closed = true;
            queue.waiting.clear();
        })?;
        Ok(Self {
            shared,
            thread: Mutex::new(Some(thread)),
        })
    }

    /// Notes that a batch was committed.
    pub fn mark_written(&self) {
        self.shared.written.fetch_add(1, Ordering::AcqRel);
    }

    /// How many batches were committed.
    pub(super) fn written(&self) -> u64 {
        self.shared.written.load(Ordering::Acquire)
    }

    /// Waits until everything that this caller has written may be acknowledged.
    ///
    /// # Errors
    /// A sync failed.
    pub async fn acknowledge(&self) -> Result<(), SyncFailed> {
        if (self.shared.policy)() != SyncPolicy::Always {
            return Ok(());
        }
        let synced = {
            let mut queue = self.shared.queue.lock();
            if queue.closed {
                return Err(SyncFailed);
            }
            let (sender, synced) = oneshot::channel();
            queue.waiting.push(sender);
            if queue.waiting.len() == queue.enough {
                self.shared.wake.notify_one();
            }
            synced
        };
        synced.await.map_err(|_| SyncFailed)
    }

    /// Ends the thread. Writes after this are not synced any more.
    pub fn stop(&self) {
        self.shared.queue.lock().stop = true;
        self.shared.wake.notify_one();
        if let Some(thread) = self.thread.lock().take() {
            // The thread never panics by itself, and a panic was printed already.
            let _ = thread.join();
        }
    }
}

impl Drop for Durability {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Shared {
    fn sync_until_stopped(&self) {
        let mut synced = 0;
        // How many to wait for, and how long.
        let mut expected = 1;
        let mut patience = Duration::ZERO;
        while let Some(waiting) = self.wait_for_work(expected, patience) {
            let written = self.written.load(Ordering::Acquire);
            if written != synced {
                let begun = Instant::now();
                if let Err(error) = self.store.sync() {
                    tracing::error!(%error, "a sync failed, writes are not acknowledged any more");
                    return;
                }
                synced = written;
                patience = begun.elapsed();
            }
            // Who is answered now comes back, and joins those who came meanwhile.
            expected = waiting.len() + self.queue.lock().waiting.len();
            for waiter in waiting {
                // A client that has left needs no answer.
                let _ = waiter.send(());
            }
        }
    }

    /// Waits as the policy says, and takes those who wait for the sync. Answers `None` when it is time to stop.
    /// A change of the policy is noticed after a second at the latest, or when somebody waits.
    fn wait_for_work(
        &self,
        expected: usize,
        patience: Duration,
    ) -> Option<Vec<oneshot::Sender<()>>> {
        let mut queue = self.queue.lock();
        loop {
            let timed_out = self.wait_for(&mut queue, 1, Duration::from_secs(1));
            if !queue.waiting.is_empty() && expected > 1 {
                self.wait_for(&mut queue, expected, patience);
            }
            if queue.stop {
                return None;
            }
            let is_time = timed_out && (self.policy)() == SyncPolicy::EverySecond;
            if !queue.waiting.is_empty() || is_time {
                return Some(std::mem::take(&mut queue.waiting));
            }
        }
    }

    /// Waits until so many are in the queue, or the time is over. Answers whether it is.
    fn wait_for(&self, queue: &mut MutexGuard<'_, Queue>, enough: usize, most: Duration) -> bool {
        queue.enough = enough;
        let too_few = |queue: &mut Queue| queue.waiting.len() < enough && !queue.stop;
        self.wake.wait_while_for(queue, too_few, most).timed_out()
    }
}

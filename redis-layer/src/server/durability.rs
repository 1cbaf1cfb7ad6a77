//! When written data is durable, and how answers wait for that.
//!
//! Commands write without syncing, and every batch gets a number when it is committed. A sync covers all numbers that
//! were given before it began. The policy says how often there is one:
//!
//! - `always`: whenever an answer waits for it. All connections that wait share the sync;
//! - `everysec`: once a second, if something was written. A power cut loses a second at most;
//! - `no`: never. The operating system chooses when to write.
//!
//! # Who syncs
//!
//! *A thread that takes turns* ([`turns`](super::turns)) syncs by itself, as Redis does: it runs the commands of all
//! connections that are ready, then syncs once, then sends all answers. Meanwhile it serves nobody, not even readers:
//! they wait for at most one sync. In return no other thread has to be woken. Clients that have just been answered
//! are about to write again, so the first task that needs a sync lets others run as long as they write; then it
//! syncs. Tasks that come meanwhile sleep until that sync has ended: waking each of them at every turn took a tenth
//! of the time of a command.
//!
//! *Where several threads serve*, a separate thread syncs, and the others read and write meanwhile. Clients that were
//! answered together send their next commands together, a moment later. If the thread synced for the first of them at
//! once, all others would wait for a second sync, and most of the time the store would do nothing. So it waits until
//! as many answers wait as the last time, but at most as long as a sync took. A client that is alone does not wait
//! for others. The same thread does the syncs of `everysec`.
//!
//! Invariants
//! 1. A batch is committed before it gets its number, and a sync reads the last number before it begins. So it covers
//!    all numbers up to that one.
//! 2. After a failed sync `always` acknowledges nothing any more, whichever thread made the sync: what the disk holds
//!    is unknown, and another sync could not tell.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};
use tokio::sync::{Notify, oneshot};
use tokio::task::yield_now;

use crate::commands::config::SyncPolicy;
use crate::server::turns::takes_turns;
use crate::store;

/// How often a task lets others run before it syncs, as long as they write. Measured with 50 clients: with one turn,
/// 23 commands share a sync; with up to three, 33; with up to eight, 45; more turns gain nothing.
const TURNS: usize = 8;
/// How many turns without a write it goes on nevertheless: clients that run together need one turn to gather and one to
/// run (`batching`). Syncs for 30,000 writes of 50 clients: 1,505 without such turns, 1,200 with one, 1,040 with two.
const IDLE_TURNS: usize = 2;

/// The last sync failed, so an answer must not be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the last sync failed, so it is unknown what the disk holds. Mend the disk, then start the server again: that finds \
     out what the log holds"
)]
pub struct SyncFailed;

/// Syncs a store by a policy.
pub struct Durability {
    shared: Arc<Shared>,
    thread: Mutex<Option<thread::JoinHandle<()>>>,
}

struct Shared {
    /// Returns the policy, which may change while the server runs.
    policy: Box<dyn Fn() -> SyncPolicy + Send + Sync>,
    /// Syncs the store.
    sync: Box<dyn Fn() -> store::Result<()> + Send + Sync>,
    /// How many batches were committed, which is the number of the last one.
    written: AtomicU64,
    /// How many of them are durable, or an error if nothing is acknowledged any more. Locked during a sync.
    covered: Mutex<Result<u64, SyncFailed>>,
    queue: Mutex<Queue>,
    wake: Condvar,
    /// Whether a task on a thread that takes turns is about to sync.
    is_gathering: AtomicBool,
    /// Notified when that task has synced or was cancelled.
    gathered: Notify,
}

/// The tasks that wait for the thread that syncs.
#[derive(Debug, Default)]
struct Queue {
    waiting: Vec<oneshot::Sender<()>>,
    /// How many tasks must wait before the thread is woken.
    enough: usize,
    /// Whether the thread has ended.
    closed: bool,
    stop: bool,
}

impl Durability {
    /// Starts the thread that syncs, by calling `sync`. It calls `policy` again and again.
    ///
    /// # Errors
    /// The operating system cannot start a thread.
    pub fn start(
        sync: impl Fn() -> store::Result<()> + Send + Sync + 'static,
        policy: impl Fn() -> SyncPolicy + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            policy: Box::new(policy),
            sync: Box::new(sync),
            written: AtomicU64::new(0),
            covered: Mutex::new(Ok(0)),
            queue: Mutex::new(Queue {
                enough: 1,
                ..Queue::default()
            }),
            wake: Condvar::new(),
            is_gathering: AtomicBool::new(false),
            gathered: Notify::new(),
        });
        let syncing = Arc::clone(&shared);
        let builder = thread::Builder::new().name("sync".to_owned());
        let thread = builder.spawn(move || {
            // Whether it was stopped or a sync failed, this is the end for all waiting tasks.
            let _ = syncing.sync_until_stopped();
            *syncing.covered.lock() = Err(SyncFailed);
            // Dropping the senders tells the waiting tasks that no answer will come.
            let mut queue = syncing.queue.lock();
            queue.closed = true;
            queue.waiting.clear();
        })?;
        Ok(Self {
            shared,
            thread: Mutex::new(Some(thread)),
        })
    }

    /// Notes that a batch was committed, and returns its number.
    pub fn mark_written(&self) -> u64 {
        self.shared.written.fetch_add(1, Ordering::AcqRel) + 1
    }

    /// How many batches were committed.
    pub(super) fn written(&self) -> u64 {
        self.shared.written.load(Ordering::Acquire)
    }

    /// Whether each batch has to be synced before it is acknowledged.
    pub(super) fn must_sync(&self) -> bool {
        (self.shared.policy)() == SyncPolicy::Always
    }

    /// Waits until the batches up to this number may be acknowledged.
    ///
    /// Cost with `always`: on a thread that takes turns, a sync that blocks the thread, for the first of the tasks
    /// that wait together; elsewhere a hand-over to the thread that syncs, and back.
    ///
    /// # Errors
    /// A sync failed.
    pub async fn acknowledge(&self, written: u64) -> Result<(), SyncFailed> {
        if !self.must_sync() {
            return Ok(());
        }
        if takes_turns() {
            self.shared.synced_in_turn(written).await
        } else {
            self.shared.synced_by_thread().await
        }
    }

    /// Ends the thread. Writes after this are not synced any more.
    pub fn stop(&self) {
        self.shared.queue.lock().stop = true;
        self.shared.wake.notify_one();
        if let Some(thread) = self.thread.lock().take() {
            // The thread does not panic by itself; if it did, the panic was printed already.
            let _ = thread.join();
        }
    }
}

/// A task that is about to sync. However it ends, the tasks that wait for it go on.
struct Gathering<'s>(&'s Shared);

impl Drop for Gathering<'_> {
    fn drop(&mut self) {
        self.0.is_gathering.store(false, Ordering::Release);
        self.0.gathered.notify_waiters();
    }
}

impl Drop for Durability {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Shared {
    fn is_covered(&self, written: u64) -> Result<bool, SyncFailed> {
        (*self.covered.lock()).map(|covered| covered >= written)
    }

    /// Syncs, unless an earlier sync has covered the batches up to this number.
    fn cover(&self, written: u64) -> Result<(), SyncFailed> {
        let mut covered = self.covered.lock();
        if (*covered)? < written {
            let last = self.written.load(Ordering::Acquire);
            *covered = (self.sync)().map(|()| last).map_err(|error| {
                tracing::error!(
                    %error,
                    "a sync failed, writes are not acknowledged any more: mend the disk, then start the server again"
                );
                SyncFailed
            });
        }
        (*covered).map(|_| ())
    }

    /// Waits until a task on a thread that takes turns has synced the batches up to this number. If no such task is
    /// about to sync, this one does.
    async fn synced_in_turn(&self, written: u64) -> Result<(), SyncFailed> {
        loop {
            // Created before the check, so that no notification after the check is missed.
            let gathered = self.gathered.notified();
            if self.is_covered(written)? {
                return Ok(());
            }
            if !self.is_gathering.swap(true, Ordering::AcqRel) {
                break;
            }
            gathered.await;
        }
        let _gathering = Gathering(self);
        let mut idle_turns = 0;
        for _ in 0..TURNS {
            let before = self.written.load(Ordering::Acquire);
            yield_now().await;
            if before != self.written.load(Ordering::Acquire) {
                idle_turns = 0;
            } else if idle_turns < IDLE_TURNS {
                idle_turns += 1;
            } else {
                break;
            }
        }
        self.cover(written)
    }

    /// Waits for the thread that syncs: for a sync that begins after this call.
    async fn synced_by_thread(&self) -> Result<(), SyncFailed> {
        let synced = {
            let mut queue = self.queue.lock();
            if queue.closed {
                return Err(SyncFailed);
            }
            let (sender, synced) = oneshot::channel();
            queue.waiting.push(sender);
            if queue.waiting.len() == queue.enough {
                self.wake.notify_one();
            }
            synced
        };
        synced.await.map_err(|_| SyncFailed)
    }

    fn sync_until_stopped(&self) -> Result<(), SyncFailed> {
        // How many tasks to wait for, and how long.
        let mut expected = 1;
        let mut patience = Duration::ZERO;
        while let Some(waiting) = self.wait_for_work(expected, patience) {
            let written = self.written.load(Ordering::Acquire);
            if !self.is_covered(written)? {
                let begun = Instant::now();
                self.cover(written)?;
                patience = begun.elapsed();
            }
            // Clients that are answered now will soon be back, and join those that came meanwhile.
            expected = waiting.len() + self.queue.lock().waiting.len();
            for waiter in waiting {
                // A client that has left needs no answer.
                let _ = waiter.send(());
            }
        }
        Ok(())
    }

    /// Waits as the policy says, and takes the tasks that wait for the sync. Returns `None` when it is time to stop.
    /// A change of the policy is noticed after a second at the latest, or when a task waits.
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

    /// Waits until `enough` tasks are in the queue, or the time is over. Returns whether it is over.
    fn wait_for(&self, queue: &mut MutexGuard<'_, Queue>, enough: usize, most: Duration) -> bool {
        queue.enough = enough;
        let too_few = |queue: &mut Queue| queue.waiting.len() < enough && !queue.stop;
        self.wake.wait_while_for(queue, too_few, most).timed_out()
    }
}

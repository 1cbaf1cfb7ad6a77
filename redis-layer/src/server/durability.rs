//! When written data is safe, and who waits for it.
//!
//! Commands write without syncing. One thread syncs, as often as the policy says:
//!
//! - `always`: whenever an answer waits. One sync covers everything that was written before it
//!   began, so all connections that wait share it;
//! - `everysec`: once a second, if something was written. A power cut loses a second at most;
//! - `no`: never. The operating system writes when it likes.
//!
//! Invariants
//! 1. `synced <= written`. A batch that was committed before `mark_written` answered `n` is safe
//!    once `synced >= n`.
//! 2. After a failed sync `always` acknowledges nothing any more: what the disk holds is unknown,
//!    and asking it again would not tell.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use tokio::sync::watch;

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

/// How far syncing has come.
#[derive(Debug, Clone, Copy)]
enum Progress {
    Synced(u64),
    Failed,
}

/// Syncs a store by a policy.
pub struct Durability {
    shared: Arc<Shared>,
    progress: watch::Receiver<Progress>,
    thread: Mutex<Option<thread::JoinHandle<()>>>,
}

struct Shared {
    /// May change while the server runs.
    policy: Box<dyn Fn() -> SyncPolicy + Send + Sync>,
    store: Arc<dyn Store>,
    /// How many writes there were.
    written: AtomicU64,
    requests: Mutex<Requests>,
    wake: Condvar,
}

#[derive(Debug, Default)]
struct Requests {
    /// Somebody waits for a sync.
    sync: bool,
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
            requests: Mutex::default(),
            wake: Condvar::new(),
        });
        let (report, progress) = watch::channel(Progress::Synced(0));
        let syncing = Arc::clone(&shared);
        let builder = thread::Builder::new().name("sync".to_owned());
        let thread = builder.spawn(move || syncing.sync_until_stopped(&report))?;
        Ok(Self {
            shared,
            progress,
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
        let upto = self.shared.written.load(Ordering::Acquire);
        self.shared.requests.lock().sync = true;
        self.shared.wake.notify_one();
        let mut progress = self.progress.clone();
        let enough = |progress: &Progress| match progress {
            Progress::Synced(synced) => *synced >= upto,
            Progress::Failed => true,
        };
        let reached = progress.wait_for(enough).await.map(|progress| *progress);
        match reached {
            Ok(Progress::Synced(_)) => Ok(()),
            // The thread is gone only after a stop; nobody may be told then either.
            Ok(Progress::Failed) | Err(_) => Err(SyncFailed),
        }
    }

    /// Ends the thread. Writes after this are not synced any more.
    pub fn stop(&self) {
        self.shared.requests.lock().stop = true;
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
    fn sync_until_stopped(&self, report: &watch::Sender<Progress>) {
        let mut synced = 0;
        while self.wait_for_work() {
            let written = self.written.load(Ordering::Acquire);
            if written == synced {
                continue;
            }
            if let Err(error) = self.store.sync() {
                tracing::error!(%error, "a sync failed, writes are not acknowledged any more");
                report.send_replace(Progress::Failed);
                return;
            }
            synced = written;
            report.send_replace(Progress::Synced(synced));
        }
    }

    /// Waits as the policy says. Answers false when it is time to stop. A change of the policy is
    /// noticed after a second at the latest, or when somebody waits for a sync.
    fn wait_for_work(&self) -> bool {
        let second = Duration::from_secs(1);
        let mut requests = self.requests.lock();
        loop {
            let waits = |requests: &mut Requests| !requests.sync && !requests.stop;
            let waited = self.wake.wait_while_for(&mut requests, waits, second);
            let is_asked = std::mem::take(&mut requests.sync);
            if requests.stop {
                return false;
            }
            let is_time = waited.timed_out() && (self.policy)() == SyncPolicy::EverySecond;
            if is_asked || is_time {
                return true;
            }
        }
    }
}

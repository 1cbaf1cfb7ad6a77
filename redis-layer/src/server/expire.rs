//! The thread that removes expired keys even if nobody reads them.
//!
//! It checks the expire-time index ten times a second. Keys that are due are removed in small batches, in the order
//! of time. Each batch holds the locks of its own keys only, so that commands on other keys do not wait.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::commands::{Server, remove_expired};
use crate::server::Durability;
use crate::server::background::{BackgroundThread, Stopped};
use crate::server::outage::Outage;
use crate::types::expiry::DueKeys;

/// How many keys of a database are removed in one batch.
const BATCH: usize = 64;
/// How long to wait when nothing is due.
const PAUSE: Duration = Duration::from_millis(100);
/// How often it looks at the beginning of the index again. A key that was written with a time that had passed waits so
/// long at most.
const RESTART_AFTER: Duration = Duration::from_secs(1);
/// How long to wait after an error. A full disk ends when there is space again.
const RETRY_PAUSE: Duration = Duration::from_secs(1);

/// Starts the thread.
///
/// # Errors
/// The operating system cannot start a thread.
pub(super) fn start_expirer(
    server: Arc<Server>,
    durability: Arc<Durability>,
) -> io::Result<BackgroundThread> {
    BackgroundThread::start("expire", move |stopped| {
        remove_until_stopped(&server, &durability, stopped);
    })
}

fn remove_until_stopped(server: &Server, durability: &Durability, stopped: &Stopped) {
    let mut pause = PAUSE;
    let mut outage = Outage::default();
    let mut due = DueKeys::default();
    let mut started = Instant::now();
    while !stopped.after(pause) {
        pause = PAUSE;
        if !server.shared.has_active_expiry() || server.is_paused() {
            continue;
        }
        if started.elapsed() >= RESTART_AFTER {
            due.restart();
            started = Instant::now();
        }
        match remove_expired(server, &mut due, BATCH) {
            Ok(removed) => {
                if outage.ends() {
                    tracing::info!("expired keys are removed again");
                }
                if removed > 0 {
                    durability.mark_written();
                }
                if removed >= BATCH as u64 {
                    // There may be more.
                    pause = Duration::ZERO;
                }
            }
            Err(error) => {
                if outage.begins() {
                    tracing::error!(%error, "expired keys are not removed until this is mended");
                }
                due.restart();
                pause = RETRY_PAUSE;
            }
        }
    }
}

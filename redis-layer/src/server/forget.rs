//! The task that gives back memory which only helps those who ask again soon: the heads of rank indexes, what of tables is
//! mapped, and what the allocator keeps to hand out again.

use std::sync::Arc;
use std::time::Duration;

use crate::allocator::give_back;
use crate::commands::Server;

/// Heads of a sorted set that nobody uses are forgotten after one to two such pauses. The rest goes after each in which
/// hardly anything arrived: flushes and compactions free memory long after the commands that caused them.
const PAUSE: Duration = Duration::from_secs(1);
/// So many bytes in a pause are hardly anything. Who watches the server with `INFO` moves some thousands.
const QUIET_BYTES: u64 = 256 << 10;

/// Looks every second until the task is aborted.
pub(super) async fn forget_unused(server: Arc<Server>) {
    let mut seen = 0;
    loop {
        tokio::time::sleep(PAUSE).await;
        server.shared.rank_indexes().forget_unused_heads();
        let traffic = server.counters.traffic();
        let moved = traffic.net_input + traffic.net_output;
        // `CONFIG RESETSTAT` sets it back.
        let is_quiet = moved.abs_diff(seen) < QUIET_BYTES;
        seen = moved;
        if is_quiet {
            // Many tables, or many mapped pages, take milliseconds, and commands that come now do not wait for that.
            let store = Arc::clone(&server.store);
            let rested = tokio::task::spawn_blocking(move || store.rest()).await;
            if let Err(error) = rested {
                tracing::warn!(%error, "memory of tables was not given back");
            }
            // What this thread has freed. Some ten microseconds if there is nothing.
            give_back();
        }
    }
}

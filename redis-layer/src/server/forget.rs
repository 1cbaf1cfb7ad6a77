//! The task that gives back memory which only helps those who ask again soon: the heads of rank indexes, and what the
//! allocator keeps to hand out again.

use std::sync::Arc;
use std::time::Duration;

use crate::allocator::give_back;
use crate::commands::Server;

/// Heads of a sorted set that nobody uses are forgotten after one to two such pauses, and what the allocator keeps goes
/// after the first one in which hardly anything arrived.
const PAUSE: Duration = Duration::from_secs(1);
/// So many bytes in a pause are hardly anything. Who watches the server with `INFO` moves some thousands.
const QUIET_BYTES: u64 = 256 << 10;

/// Looks every second until the task is aborted.
pub(super) async fn forget_unused(server: Arc<Server>) {
    let mut seen = 0;
    let mut keeps_memory = true;
    loop {
        tokio::time::sleep(PAUSE).await;
        keeps_memory |= server.shared.rank_indexes().forget_unused_heads();
        let traffic = server.counters.traffic();
        let moved = traffic.net_input + traffic.net_output;
        // `CONFIG RESETSTAT` sets it back.
        let is_quiet = moved.abs_diff(seen) < QUIET_BYTES;
        seen = moved;
        if is_quiet && keeps_memory {
            give_back();
        }
        keeps_memory = !is_quiet;
    }
}

//! The task that gives back memory which only helps those who ask again soon: the heads of rank indexes.

use std::sync::Arc;
use std::time::Duration;

use crate::commands::Server;

/// Heads of a sorted set that nobody uses are forgotten after one to two such pauses.
const PAUSE: Duration = Duration::from_secs(3);

/// Looks every few seconds until the task is aborted.
pub(super) async fn forget_unused(server: Arc<Server>) {
    loop {
        tokio::time::sleep(PAUSE).await;
        server.shared.rank_indexes().forget_unused_heads();
    }
}

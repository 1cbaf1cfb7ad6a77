//! The task that checks all connections now and then: which have been idle for too long, which do not take what is sent
//! to them, and whether all of them together hold more memory than they may.
//!
//! A check costs a few loads for each connection. While nothing arrives and nothing is sent, memory cannot grow, and
//! only times are checked, once a second.

use std::sync::Arc;
use std::time::Duration;

use crate::commands::{Peer, Server};

/// How often memory is checked while there is traffic.
const STEP: Duration = Duration::from_millis(100);
/// How many steps there are between two checks of times.
const STEPS_A_SECOND: u32 = 10;

/// Checks until the task is aborted.
pub(super) async fn check_clients(server: Arc<Server>) {
    let mut ticks = tokio::time::interval(STEP);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut traffic = 0;
    let mut step = 0_u32;
    loop {
        ticks.tick().await;
        step = step.wrapping_add(1);
        let moved = server.counters.traffic();
        let seen = moved.net_input + moved.net_output;
        if seen != traffic {
            traffic = seen;
            server.sample_rates();
            evict_clients(&server);
        }
        if step.is_multiple_of(STEPS_A_SECOND) {
            close_idle(&server);
            close_overfull(&server);
        }
    }
}

/// Ends the connections that have more to be sent than their limits allow, or for longer. What is added to it is
/// checked at once; here time has passed, or the limits are new.
fn close_overfull(server: &Server) {
    for peer in server.peers() {
        if peer.exceeds_output_limit(&server.config.live) {
            tracing::warn!(
                client = peer.address(),
                "closed: more waits for it than client-output-buffer-limit allows"
            );
            peer.outbox.close();
        }
    }
}

/// Ends the connections that have been idle for longer than `timeout`.
fn close_idle(server: &Server) {
    let timeout_s = server.config.live.timeout_s();
    if timeout_s == 0 {
        return;
    }
    let now_ms = server.clock.now_ms();
    for peer in server.peers() {
        if peer.may_be_idle() {
            continue;
        }
        let idle_ms = now_ms.saturating_sub(peer.active_ms());
        if u64::try_from(idle_ms).is_ok_and(|idle_ms| idle_ms / 1000 > timeout_s) {
            tracing::debug!(client = peer.address(), "closed: idle for too long");
            peer.outbox.close();
        }
    }
}

/// Ends connections, those that hold most memory first, until all together hold no more than `maxmemory-clients`.
fn evict_clients(server: &Server) {
    let most = server.config.live.all_clients_bytes();
    if most == 0 {
        return;
    }
    let mut peers = server.peers();
    let mut held: usize = peers.iter().map(|peer| peer.memory_bytes()).sum();
    if held <= most {
        return;
    }
    let by_size = |peer: &Arc<Peer>| std::cmp::Reverse(peer.memory_bytes());
    peers.sort_by_cached_key(by_size);
    for peer in peers {
        if held <= most {
            break;
        }
        if peer.may_be_evicted() {
            let bytes = peer.memory_bytes();
            tracing::warn!(
                client = peer.address(),
                bytes,
                "closed: clients hold more than maxmemory-clients"
            );
            server.evict(&peer);
            held -= bytes.min(held);
        }
    }
}

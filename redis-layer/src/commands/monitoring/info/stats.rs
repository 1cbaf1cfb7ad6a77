//! The section of counters: connections, keys, channels, errors.

use std::sync::atomic::Ordering::Relaxed;

use crate::commands::Server;
use crate::commands::monitoring::info::{line, lines};
use crate::commands::pubsub::Topic;
use crate::types::Lookups;

pub(super) fn section(server: &Server, text: &mut String) {
    traffic_stats(server, text);
    refusal_stats(server, text);
    expiry_stats(server, text);
    keyspace_stats(server, text);
    tracking_stats(server, text);
    reply_stats(server, text);
}

/// Connections, commands and bytes: how many, and how many a second.
fn traffic_stats(server: &Server, text: &mut String) {
    let traffic = server.counters.traffic();
    let (ops, input, output) = server.rates.now(server);
    #[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
    let kilobytes = |bytes: u64| format!("{:.2}", bytes as f64 / 1024.0);
    let connections = server.counters.connections.load(Relaxed);
    lines(
        text,
        &[
            ("total_connections_received", connections),
            ("total_commands_processed", server.statistics.commands()),
            ("instantaneous_ops_per_sec", ops),
            ("total_net_input_bytes", traffic.net_input),
            ("total_net_output_bytes", traffic.net_output),
            ("total_net_repl_input_bytes", 0),
            ("total_net_repl_output_bytes", 0),
        ],
    );
    line(text, "instantaneous_input_kbps", kilobytes(input));
    line(text, "instantaneous_output_kbps", kilobytes(output));
    line(text, "instantaneous_input_repl_kbps", "0.00");
    line(text, "instantaneous_output_repl_kbps", "0.00");
}

/// Connections that were refused. There are no replicas, so none was ever synchronised.
fn refusal_stats(server: &Server, text: &mut String) {
    let rejected = server.counters.rejected.load(Relaxed);
    line(text, "rejected_connections", rejected);
    let none = [
        ("sync_full", 0),
        ("sync_partial_ok", 0),
        ("sync_partial_err", 0),
    ];
    lines(text, &none);
}

/// Keys that expired, and clients that were evicted. Keys are never evicted.
fn expiry_stats(server: &Server, text: &mut String) {
    let cleaning_ms = server.counters.cleaning_micros.load(Relaxed) / 1000;
    let evicted_clients = server.counters.evicted_clients.load(Relaxed);
    line(text, "expired_keys", server.shared.expired_keys());
    // The background removal finds all keys that have expired, and no others.
    line(text, "expired_stale_perc", "0.00");
    lines(
        text,
        &[
            ("expired_time_cap_reached_count", 0),
            ("expire_cycle_cpu_milliseconds", cleaning_ms),
            ("evicted_keys", 0),
            ("evicted_clients", evicted_clients),
            ("total_eviction_exceeded_time", 0),
            ("current_eviction_exceeded_time", 0),
        ],
    );
}

/// Lookups and channels. The process never forks, and memory is never defragmented.
fn keyspace_stats(server: &Server, text: &mut String) {
    let Lookups { hits, misses } = server.shared.lookups();
    lines(
        text,
        &[
            ("keyspace_hits", hits),
            ("keyspace_misses", misses),
            ("pubsub_channels", server.pubsub.count(Topic::Channel)),
            ("pubsub_patterns", server.pubsub.count(Topic::Pattern)),
            ("pubsubshard_channels", server.pubsub.count(Topic::Shard)),
            ("latest_fork_usec", 0),
            ("total_forks", 0),
            ("migrate_cached_sockets", 0),
            ("slave_expires_tracked_keys", 0),
            ("active_defrag_hits", 0),
            ("active_defrag_misses", 0),
            ("active_defrag_key_hits", 0),
            ("active_defrag_key_misses", 0),
            ("total_active_defrag_time", 0),
            ("current_active_defrag_time", 0),
        ],
    );
}

/// Keys that clients cache.
fn tracking_stats(server: &Server, text: &mut String) {
    let (keys, items, prefixes) = server.tracking.counts();
    line(text, "tracking_total_keys", keys);
    line(text, "tracking_total_items", items);
    line(text, "tracking_total_prefixes", prefixes);
}

/// Errors, reads and writes. Answers are not sent by threads of their own.
fn reply_stats(server: &Server, text: &mut String) {
    let traffic = server.counters.traffic();
    lines(
        text,
        &[
            ("unexpected_error_replies", 0),
            ("total_error_replies", server.counters.errors.load(Relaxed)),
            ("dump_payload_sanitizations", 0),
            ("total_reads_processed", traffic.reads),
            ("total_writes_processed", traffic.writes),
            ("io_threaded_reads_processed", 0),
            ("io_threaded_writes_processed", 0),
            ("reply_buffer_shrinks", 0),
            ("reply_buffer_expands", 0),
        ],
    );
}

//! `INFO`: what monitoring programs read, in sections.
//!
//! Names and order are those of Redis. Fields about things that do not exist here, such as replicas or the eviction
//! of keys, have the value that a Redis without them shows.

use std::fmt::{Display, Write as _};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::commands::config::total_memory;
use crate::commands::monitoring::process;
use crate::commands::monitoring::statistics::CommandSums;
use crate::commands::pubsub::Topic;
use crate::commands::{
    Args, CommandError, DATABASES, Outcome, Peer, REDIS_VERSION, Reply, Server, Session,
};

/// A section, and the function that writes it.
struct Section {
    name: &'static str,
    /// Whether it is shown when no section is asked for by name.
    by_default: bool,
    source: Source,
}

/// Where the lines of a section come from.
enum Source {
    /// What the server keeps in memory.
    Memory(fn(&Server, &mut String)),
    /// The store, which may fail.
    Store(fn(&Server, &mut String) -> Result<(), CommandError>),
}
use Source::{Memory, Store};

const fn section(name: &'static str, by_default: bool, source: Source) -> Section {
    Section {
        name,
        by_default,
        source,
    }
}

/// The system call that tells which connections are ready.
const MULTIPLEXING: &str = if cfg!(any(target_os = "linux", target_os = "android")) {
    "epoll"
} else {
    "kqueue"
};

/// The sections in their order.
const SECTIONS: [Section; 13] = [
    section("Server", true, Memory(server_section)),
    section("Clients", true, Memory(clients_section)),
    section("Memory", true, Memory(memory_section)),
    section("Persistence", true, Memory(persistence_section)),
    section("Stats", true, Memory(stats_section)),
    section("Replication", true, Memory(replication_section)),
    section("CPU", true, Memory(cpu_section)),
    section("Modules", true, Memory(|_, _| {})),
    section("Commandstats", false, Memory(commandstats_section)),
    section("Errorstats", true, Memory(errorstats_section)),
    section("Latencystats", false, Memory(latencystats_section)),
    section("Cluster", true, Memory(cluster_section)),
    section("Keyspace", true, Store(keyspace_section)),
];

/// `INFO [section ...]`
pub(crate) fn info(session: &mut Session, args: Args<'_>) -> Outcome {
    let asks_for = |word: &str| (1..args.len()).any(|position| args.is(position, word));
    let all = asks_for("all") || asks_for("everything");
    let default = args.len() == 1 || asks_for("default");
    let mut text = String::new();
    for section in &SECTIONS {
        let Section {
            name,
            by_default,
            source,
        } = section;
        if all || (default && *by_default) || asks_for(name) {
            if !text.is_empty() {
                text.push_str("\r\n");
            }
            // Writing to a `String` cannot fail.
            let _ = write!(text, "# {name}\r\n");
            match source {
                Memory(write) => write(&session.server, &mut text),
                Store(write) => write(&session.server, &mut text)?,
            }
        }
    }
    Ok(Reply::Text(text))
}

/// Adds a line. Writing to a `String` cannot fail.
fn line(text: &mut String, name: &str, value: impl Display) {
    let _ = write!(text, "{name}:{value}\r\n");
}

/// Adds lines whose values are always the same.
fn constants(text: &mut String, lines: &[(&str, &str)]) {
    for (name, value) in lines {
        line(text, name, value);
    }
}

fn server_section(server: &Server, text: &mut String) {
    let now_ms = server.clock.now_ms();
    line(text, "redis_version", REDIS_VERSION);
    constants(
        text,
        &[
            ("redis_git_sha1", "00000000"),
            ("redis_git_dirty", "0"),
            ("redis_build_id", "0"),
            ("redis_mode", "standalone"),
        ],
    );
    line(text, "os", process::system());
    line(text, "arch_bits", usize::BITS);
    line(text, "monotonic_clock", "POSIX clock_gettime");
    line(text, "multiplexing_api", MULTIPLEXING);
    line(text, "keys_in_order_version", env!("CARGO_PKG_VERSION"));
    line(text, "process_id", std::process::id());
    line(text, "process_supervised", "no");
    line(text, "run_id", &server.run_id);
    line(text, "tcp_port", server.port);
    line(text, "server_time_usec", now_ms.saturating_mul(1000));
    line(text, "uptime_in_seconds", server.uptime_s());
    line(text, "uptime_in_days", server.uptime_s() / 86_400);
    line(text, "hz", server.config.live.hz());
    line(text, "configured_hz", server.config.live.hz());
    line(text, "lru_clock", (now_ms / 1000) & 0xff_ffff);
    let executable = std::env::current_exe().unwrap_or_default();
    line(text, "executable", executable.display());
    line(text, "config_file", "");
    line(text, "io_threads_active", 0);
}

fn clients_section(server: &Server, text: &mut String) {
    let peers = server.peers();
    let most = |bytes: fn(&Peer) -> usize| peers.iter().map(|peer| bytes(peer)).max().unwrap_or(0);
    let blocked = peers.iter().filter(|peer| peer.is_blocked.load(Relaxed));
    line(text, "connected_clients", peers.len());
    line(text, "cluster_connections", 0);
    line(text, "maxclients", server.config.live.max_clients());
    line(
        text,
        "client_recent_max_input_buffer",
        most(Peer::query_bytes),
    );
    line(
        text,
        "client_recent_max_output_buffer",
        most(Peer::answer_bytes),
    );
    line(text, "blocked_clients", blocked.count());
    line(text, "tracking_clients", server.tracking.client_count());
    line(text, "clients_in_timeout_table", 0);
}

/// A size in a form for people: `1.50M`.
pub(crate) fn human(bytes: u64) -> String {
    let units = [("T", 40), ("G", 30), ("M", 20), ("K", 10)];
    #[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
    let shown = units
        .iter()
        .find(|(_, shift)| bytes >> shift > 0)
        .map(|(unit, shift)| format!("{:.2}{unit}", bytes as f64 / (1_u64 << shift) as f64));
    shown.unwrap_or_else(|| format!("{bytes}B"))
}

fn memory_section(server: &Server, text: &mut String) {
    static PEAK: AtomicU64 = AtomicU64::new(0);
    let used = process::resident_bytes();
    let peak = PEAK.fetch_max(used, Relaxed).max(used);
    let clients: usize = server.peers().iter().map(|peer| peer.memory_bytes()).sum();
    let maxmemory = u64::try_from(server.config.number("maxmemory")).unwrap_or(0);
    let dataset = used.saturating_sub(clients as u64);
    #[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
    let percent = |part: u64, whole: u64| {
        let share = 100.0 * part as f64 / whole.max(1) as f64;
        format!("{share:.2}%")
    };
    line(text, "used_memory", used);
    line(text, "used_memory_human", human(used));
    line(text, "used_memory_rss", used);
    line(text, "used_memory_rss_human", human(used));
    line(text, "used_memory_peak", peak);
    line(text, "used_memory_peak_human", human(peak));
    line(text, "used_memory_peak_perc", percent(used, peak));
    line(text, "used_memory_overhead", clients);
    line(text, "used_memory_startup", 0);
    line(text, "used_memory_dataset", dataset);
    line(text, "used_memory_dataset_perc", percent(dataset, used));
    line(text, "total_system_memory", total_memory());
    line(text, "total_system_memory_human", human(total_memory()));
    script_memory(server, text);
    line(text, "maxmemory", maxmemory);
    line(text, "maxmemory_human", human(maxmemory));
    line(
        text,
        "maxmemory_policy",
        server.config.get("maxmemory-policy"),
    );
    constants(
        text,
        &[
            ("mem_fragmentation_ratio", "1.00"),
            ("mem_fragmentation_bytes", "0"),
            ("mem_not_counted_for_evict", "0"),
            ("mem_replication_backlog", "0"),
            ("mem_total_replication_buffers", "0"),
            ("mem_clients_slaves", "0"),
        ],
    );
    line(text, "mem_clients_normal", clients);
    line(text, "mem_cluster_links", 0);
    line(text, "mem_aof_buffer", 0);
    line(text, "mem_allocator", "mimalloc");
    constants(
        text,
        &[
            ("active_defrag_running", "0"),
            ("lazyfree_pending_objects", "0"),
            ("lazyfreed_objects", "0"),
        ],
    );
}

/// The memory of scripts. There are no functions and no libraries.
fn script_memory(server: &Server, text: &mut String) {
    let (scripts, script_bytes) = server.scripts.kept();
    line(text, "used_memory_scripts_eval", script_bytes);
    line(text, "number_of_cached_scripts", scripts);
    line(text, "number_of_functions", 0);
    line(text, "number_of_libraries", 0);
    line(text, "used_memory_functions", 0);
    line(text, "used_memory_scripts", script_bytes);
    line(
        text,
        "used_memory_scripts_human",
        human(script_bytes as u64),
    );
}

fn persistence_section(server: &Server, text: &mut String) {
    let view = server.persistence.view();
    let status = |failed| if failed { "err" } else { "ok" };
    constants(
        text,
        &[
            ("loading", "0"),
            ("async_loading", "0"),
            // Saving copies no memory: a snapshot exists next to later writes.
            ("current_cow_peak", "0"),
            ("current_cow_size", "0"),
            ("current_cow_size_age", "0"),
            ("current_fork_perc", "0.00"),
            ("current_save_keys_processed", "0"),
            ("current_save_keys_total", "0"),
        ],
    );
    line(text, "rdb_changes_since_last_save", view.changes);
    line(text, "rdb_bgsave_in_progress", u8::from(view.is_saving));
    line(text, "rdb_last_save_time", view.last_save_s);
    line(text, "rdb_last_bgsave_status", status(view.last_failed));
    line(text, "rdb_last_bgsave_time_sec", view.last_took_s);
    line(text, "rdb_current_bgsave_time_sec", -1);
    line(text, "rdb_saves", view.saves);
    constants(
        text,
        &[
            ("rdb_last_cow_size", "0"),
            ("rdb_last_load_keys_expired", "0"),
            ("rdb_last_load_keys_loaded", "0"),
            ("aof_enabled", "1"),
            ("aof_rewrite_in_progress", "0"),
            ("aof_rewrite_scheduled", "0"),
            ("aof_last_rewrite_time_sec", "-1"),
            ("aof_current_rewrite_time_sec", "-1"),
            ("aof_last_bgrewrite_status", "ok"),
            ("aof_rewrites", "0"),
            ("aof_rewrites_consecutive_failures", "0"),
        ],
    );
    line(text, "aof_last_write_status", status(view.write_failed));
    constants(
        text,
        &[
            ("aof_last_cow_size", "0"),
            ("module_fork_in_progress", "0"),
            ("module_fork_last_cow_size", "0"),
        ],
    );
}

fn stats_section(server: &Server, text: &mut String) {
    traffic_stats(server, text);
    refusal_stats(server, text);
    expiry_stats(server, text);
    keyspace_stats(server, text);
    tracking_stats(server, text);
    reply_stats(server, text);
}

/// Adds lines whose values are counters.
fn counters(text: &mut String, lines: &[(&str, u64)]) {
    for (name, value) in lines {
        line(text, name, value);
    }
}

/// Connections, commands and bytes: how many, and how many a second.
fn traffic_stats(server: &Server, text: &mut String) {
    let traffic = server.counters.traffic();
    let (ops, input, output) = server.rates.now(server);
    #[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
    let kilobytes = |bytes: u64| format!("{:.2}", bytes as f64 / 1024.0);
    let connections = server.counters.connections.load(Relaxed);
    counters(
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
    counters(text, &none);
}

/// Keys that expired, and clients that were evicted. Keys are never evicted.
fn expiry_stats(server: &Server, text: &mut String) {
    let cleaning_ms = server.counters.cleaning_micros.load(Relaxed) / 1000;
    let evicted_clients = server.counters.evicted_clients.load(Relaxed);
    line(text, "expired_keys", server.shared.expired_keys());
    // The background removal finds all keys that have expired, and no others.
    line(text, "expired_stale_perc", "0.00");
    counters(
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
    let (hits, misses) = server.shared.lookups();
    counters(
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
    counters(
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

fn replication_section(server: &Server, text: &mut String) {
    line(text, "role", "master");
    line(text, "connected_slaves", 0);
    line(text, "master_failover_state", "no-failover");
    line(text, "master_replid", &server.run_id);
    line(text, "master_replid2", "0".repeat(40));
    constants(
        text,
        &[
            ("master_repl_offset", "0"),
            ("second_repl_offset", "-1"),
            ("repl_backlog_active", "0"),
            ("repl_backlog_size", "1048576"),
            ("repl_backlog_first_byte_offset", "0"),
            ("repl_backlog_histlen", "0"),
        ],
    );
}

fn cpu_section(_server: &Server, text: &mut String) {
    let (user, system) = process::processor_seconds();
    line(text, "used_cpu_sys", format_args!("{system:.6}"));
    line(text, "used_cpu_user", format_args!("{user:.6}"));
    line(text, "used_cpu_sys_children", "0.000000");
    line(text, "used_cpu_user_children", "0.000000");
    let (user, system) = process::main_thread_seconds();
    line(
        text,
        "used_cpu_sys_main_thread",
        format_args!("{system:.6}"),
    );
    line(text, "used_cpu_user_main_thread", format_args!("{user:.6}"));
}

fn commandstats_section(server: &Server, text: &mut String) {
    for (spec, sums) in server.statistics.seen() {
        let CommandSums {
            calls,
            nanos,
            rejected,
            failed,
        } = sums;
        let micros = nanos / 1000;
        #[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
        let per_call = micros as f64 / calls.max(1) as f64;
        line(
            text,
            &format!("cmdstat_{}", spec.full_name),
            format_args!(
                "calls={calls},usec={micros},usec_per_call={per_call:.2},\
                 rejected_calls={rejected},failed_calls={failed}"
            ),
        );
    }
}

fn errorstats_section(server: &Server, text: &mut String) {
    for (error, count) in server.statistics.errors() {
        // These characters have a meaning in the text of `INFO`.
        let error = error.replace([':', '#', '\r', '\n'], "_");
        line(
            text,
            &format!("errorstat_{error}"),
            format_args!("count={count}"),
        );
    }
}

fn latencystats_section(server: &Server, text: &mut String) {
    let percentiles = server.config.get("latency-tracking-info-percentiles");
    for (spec, _) in server.statistics.seen() {
        let Some(histogram) = server.statistics.histogram(spec) else {
            continue;
        };
        let shown = percentiles.split(' ').filter_map(|percentile| {
            let nanos = histogram.percentile(percentile.parse().ok()?);
            let micros = nanos / 1000;
            Some(format!("p{percentile}={micros}.{:03}", nanos % 1000))
        });
        let shown: Vec<String> = shown.collect();
        let name = format!("latency_percentiles_usec_{}", spec.full_name);
        line(text, &name, shown.join(","));
    }
}

fn cluster_section(_server: &Server, text: &mut String) {
    line(text, "cluster_enabled", 0);
}

fn keyspace_section(server: &Server, text: &mut String) -> Result<(), CommandError> {
    let txn = server.begin(0)?;
    for db in 0..DATABASES {
        let (keys, expiring) = txn.live_keys(db)?;
        if keys > 0 {
            line(
                text,
                &format!("db{db}"),
                format_args!("keys={keys},expires={expiring},avg_ttl=0"),
            );
        }
    }
    Ok(())
}

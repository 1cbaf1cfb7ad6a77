//! `INFO`: what monitoring programs read, in sections.
//!
//! Names and order are those of Redis. Fields about things that do not exist here, such as replicas or the eviction
//! of keys, have the value that a Redis without them shows.
//!
//! ```text
//! memory         what the process holds
//! persistence    checkpoints and the log
//! stats          counters of the whole server
//! commands       calls, errors and latencies, command by command
//! ```
//!
//! The short sections are here.

mod commands;
mod memory;
mod persistence;
mod stats;

use std::fmt::{Display, Write as _};
use std::sync::atomic::Ordering::Relaxed;

use crate::commands::monitoring::process;
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
    section("Memory", true, Memory(memory::section)),
    section("Persistence", true, Memory(persistence::section)),
    section("Stats", true, Memory(stats::section)),
    section("Replication", true, Memory(replication_section)),
    section("CPU", true, Memory(cpu_section)),
    section("Modules", true, Memory(|_, _| {})),
    section("Commandstats", false, Memory(commands::calls)),
    section("Errorstats", true, Memory(commands::errors)),
    section("Latencystats", false, Memory(commands::latencies)),
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

/// Adds several lines.
fn lines<V: Display>(text: &mut String, lines: &[(&str, V)]) {
    for (name, value) in lines {
        line(text, name, value);
    }
}

fn server_section(server: &Server, text: &mut String) {
    let now_us = server.clock.now_us();
    line(text, "redis_version", REDIS_VERSION);
    lines(
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
    line(text, "server_time_usec", now_us);
    line(text, "uptime_in_seconds", server.uptime_s());
    line(text, "uptime_in_days", server.uptime_s() / 86_400);
    line(text, "hz", server.config.live.hz());
    line(text, "configured_hz", server.config.live.hz());
    line(text, "lru_clock", (now_us / 1_000_000) & 0xff_ffff);
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

fn replication_section(server: &Server, text: &mut String) {
    line(text, "role", "master");
    line(text, "connected_slaves", 0);
    line(text, "master_failover_state", "no-failover");
    line(text, "master_replid", &server.run_id);
    line(text, "master_replid2", "0".repeat(40));
    lines(
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

fn cluster_section(_server: &Server, text: &mut String) {
    line(text, "cluster_enabled", 0);
}

fn keyspace_section(server: &Server, text: &mut String) -> Result<(), CommandError> {
    let txn = server.begin(0)?;
    for db in 0..DATABASES {
        let live = txn.live_keys(db)?;
        if live.keys > 0 {
            line(
                text,
                &format!("db{db}"),
                format_args!(
                    "keys={},expires={},avg_ttl={}",
                    live.keys, live.expiring, live.ttl_mean_ms
                ),
            );
        }
    }
    Ok(())
}

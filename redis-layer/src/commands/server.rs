//! Commands about the server: `INFO`, `CONFIG`.

use std::fmt::Write as _;
use std::sync::atomic::Ordering;

use crate::commands::introspection::help_lines;
use crate::commands::{
    Args, CommandError, DATABASES, Outcome, REDIS_VERSION, Reply, Session, glob,
};

/// The sections of `INFO`, in their order, and who writes them.
type Section = fn(&Session, &mut String) -> Result<(), CommandError>;
const SECTIONS: [(&str, Section); 6] = [
    ("Server", server_section),
    ("Clients", clients_section),
    ("Persistence", persistence_section),
    ("Stats", stats_section),
    ("Replication", replication_section),
    ("Keyspace", keyspace_section),
];

/// `INFO [section ...]`
pub(crate) fn info(session: &mut Session, args: Args<'_>) -> Outcome {
    let wants = |section: &str| {
        args.len() == 1
            || (1..args.len()).any(|position| {
                let all = ["all", "default", "everything"];
                args.is(position, section) || all.iter().any(|word| args.is(position, word))
            })
    };
    let mut text = String::new();
    for (name, write_section) in SECTIONS {
        if wants(name) {
            if !text.is_empty() {
                text.push_str("\r\n");
            }
            text.push_str(&format!("# {name}\r\n"));
            write_section(session, &mut text)?;
        }
    }
    Ok(Reply::Text(text))
}

/// Adds a line. Writing to a `String` cannot fail.
fn line(text: &mut String, name: &str, value: impl std::fmt::Display) {
    let _ = write!(text, "{name}:{value}\r\n");
}

fn server_section(session: &Session, text: &mut String) -> Result<(), CommandError> {
    line(text, "redis_version", REDIS_VERSION);
    line(text, "redis_mode", "standalone");
    line(text, "os", std::env::consts::OS);
    line(text, "arch_bits", usize::BITS);
    line(text, "process_id", std::process::id());
    line(text, "tcp_port", session.server.settings.port);
    line(text, "uptime_in_seconds", session.server.uptime_s());
    line(text, "uptime_in_days", session.server.uptime_s() / 86_400);
    line(text, "keys_in_order_version", env!("CARGO_PKG_VERSION"));
    Ok(())
}

fn clients_section(session: &Session, text: &mut String) -> Result<(), CommandError> {
    line(text, "connected_clients", session.server.client_count());
    line(text, "blocked_clients", 0);
    Ok(())
}

fn persistence_section(_session: &Session, text: &mut String) -> Result<(), CommandError> {
    line(text, "loading", 0);
    line(text, "rdb_bgsave_in_progress", 0);
    line(text, "aof_rewrite_in_progress", 0);
    Ok(())
}

fn stats_section(session: &Session, text: &mut String) -> Result<(), CommandError> {
    let counters = &session.server.counters;
    let connections = counters.connections.load(Ordering::Relaxed);
    line(text, "total_connections_received", connections);
    let commands = counters.commands.load(Ordering::Relaxed);
    line(text, "total_commands_processed", commands);
    line(
        text,
        "rejected_connections",
        counters.rejected.load(Ordering::Relaxed),
    );
    Ok(())
}

fn replication_section(_session: &Session, text: &mut String) -> Result<(), CommandError> {
    line(text, "role", "master");
    line(text, "connected_slaves", 0);
    Ok(())
}

fn keyspace_section(session: &Session, text: &mut String) -> Result<(), CommandError> {
    let txn = session.server.begin(session.db)?;
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

/// `CONFIG GET pattern [pattern ...]`
pub(crate) fn config_get(session: &mut Session, args: Args<'_>) -> Outcome {
    let config = &session.server.settings.config;
    let wanted = config.iter().filter(|(name, _)| {
        let mut patterns = args.from(2).iter();
        patterns.any(|pattern| glob::matches(pattern, name.as_bytes(), glob::Case::Any))
    });
    let pairs = wanted.map(|(name, value)| {
        let value = Reply::Bulk(value.clone().into());
        (Reply::text(name), value)
    });
    Ok(Reply::Map(pairs.collect()))
}

/// `CONFIG SET name value [name value ...]`: everything is fixed when the server starts.
pub(crate) fn config_set(session: &mut Session, args: Args<'_>) -> Outcome {
    if !args.len().is_multiple_of(2) {
        return Err(CommandError::arity(args.spec.full_name));
    }
    let config = &session.server.settings.config;
    for name in args.from(2).iter().step_by(2) {
        if !config
            .iter()
            .any(|(known, _)| name.eq_ignore_ascii_case(known.as_bytes()))
        {
            return Err(CommandError::quoting(&[
                b"ERR Unknown option or number of arguments for CONFIG SET - '",
                name,
                b"'",
            ]));
        }
    }
    Err(CommandError::quoting(&[
        b"ERR CONFIG SET failed (possibly related to argument '",
        args.get(2),
        b"') - can't set immutable config",
    ]))
}

/// `CONFIG RESETSTAT`
pub(crate) fn config_resetstat(session: &mut Session, _args: Args<'_>) -> Outcome {
    let counters = &session.server.counters;
    for counter in [
        &counters.connections,
        &counters.rejected,
        &counters.commands,
    ] {
        counter.store(0, Ordering::Relaxed);
    }
    Ok(Reply::OK)
}

/// `CONFIG HELP`
pub(crate) fn config_help(_session: &mut Session, _args: Args<'_>) -> Outcome {
    Ok(help_lines("config"))
}

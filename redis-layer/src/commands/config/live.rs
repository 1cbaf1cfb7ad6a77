//! The settings that are needed for every command or every connection, as numbers.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering::Relaxed};

use crate::commands::config::value::{OutputLimit, parse_output_limits};

/// Settings as numbers, read without a lock.
#[derive(Debug, Default)]
pub struct Live {
    max_clients: AtomicU64,
    timeout_s: AtomicU64,
    keepalive_s: AtomicU64,
    query_bytes: AtomicU64,
    bulk_bytes: AtomicU64,
    all_clients_bytes: AtomicU64,
    slow_us: AtomicI64,
    slowlog_length: AtomicU64,
    latency_ms: AtomicU64,
    tracks_latency: AtomicU64,
    busy_reply_ms: AtomicU64,
    /// The position in [`SyncPolicy::ALL`].
    sync_policy: AtomicUsize,
    hz: AtomicU64,
    tracked_keys: AtomicU64,
    /// The hard limit, the soft limit and the seconds for each class of clients.
    output: [[AtomicU64; 3]; 3],
}

/// How often writes reach the disk: the setting `appendfsync`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum SyncPolicy {
    /// Before each answer to a write.
    Always,
    /// Once a second.
    #[default]
    #[value(name = "everysec")]
    EverySecond,
    /// When the operating system chooses.
    No,
}

impl SyncPolicy {
    /// All policies, each at the position that [`Live`] keeps.
    const ALL: [Self; 3] = [Self::EverySecond, Self::Always, Self::No];
    /// Their names, in the order in which Redis lists them.
    pub(super) const NAMES: [&'static str; 3] = {
        let [a, b, c] = Self::ALL;
        [a.name(), b.name(), c.name()]
    };

    /// Redis's name for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::EverySecond => "everysec",
            Self::Always => "always",
            Self::No => "no",
        }
    }
}

/// The class of a connection, which selects the limits for its output buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutputClass {
    /// One that sends commands and reads replies.
    Normal = 0,
    /// One that monitors. Redis counts it among the replicas.
    Replica = 1,
    /// One that is subscribed to something.
    PubSub = 2,
}

impl Live {
    /// Updates all numbers from the texts.
    pub(super) fn update<'v>(&self, value: impl Fn(&str) -> &'v str) {
        let number = |name: &str| value(name).parse::<u64>().unwrap_or(0);
        let flag = |name: &str| u64::from(value(name) == "yes");
        for (field, number) in [
            (&self.max_clients, number("maxclients")),
            (&self.timeout_s, number("timeout")),
            (&self.keepalive_s, number("tcp-keepalive")),
            (&self.query_bytes, number("client-query-buffer-limit")),
            (&self.bulk_bytes, number("proto-max-bulk-len")),
            (&self.all_clients_bytes, bytes(value("maxmemory-clients"))),
            (&self.slowlog_length, number("slowlog-max-len")),
            (&self.latency_ms, number("latency-monitor-threshold")),
            (&self.tracks_latency, flag("latency-tracking")),
            (&self.busy_reply_ms, number("busy-reply-threshold")),
            (&self.hz, number("hz")),
            (&self.tracked_keys, number("tracking-table-max-keys")),
        ] {
            field.store(number, Relaxed);
        }
        let slow_us = value("slowlog-log-slower-than").parse().unwrap_or(-1);
        self.slow_us.store(slow_us, Relaxed);
        let policy = value("appendfsync");
        let position = SyncPolicy::NAMES.iter().position(|name| *name == policy);
        self.sync_policy.store(position.unwrap_or(0), Relaxed);
        let limits = parse_output_limits(value("client-output-buffer-limit"));
        for (fields, limit) in self.output.iter().zip(limits) {
            fields[0].store(limit.hard, Relaxed);
            fields[1].store(limit.soft, Relaxed);
            fields[2].store(limit.soft_s, Relaxed);
        }
    }

    /// How many connections there may be.
    #[must_use]
    pub fn max_clients(&self) -> usize {
        size(&self.max_clients)
    }

    /// After how many idle seconds a connection is closed; 0 for never.
    #[must_use]
    pub fn timeout_s(&self) -> u64 {
        self.timeout_s.load(Relaxed)
    }

    /// After how many idle seconds the system checks whether the other side still exists; 0 for never.
    #[must_use]
    pub fn keepalive_s(&self) -> u64 {
        self.keepalive_s.load(Relaxed)
    }

    /// The most memory that the arguments of one command may take.
    #[must_use]
    pub fn query_bytes(&self) -> usize {
        size(&self.query_bytes)
    }

    /// The length of the longest argument.
    #[must_use]
    pub fn bulk_bytes(&self) -> usize {
        size(&self.bulk_bytes)
    }

    /// The most memory that all connections together may hold; 0 for no limit.
    #[must_use]
    pub fn all_clients_bytes(&self) -> usize {
        size(&self.all_clients_bytes)
    }

    /// How many microseconds a command must take to be slow; negative for never.
    #[must_use]
    pub fn slow_us(&self) -> i64 {
        self.slow_us.load(Relaxed)
    }

    /// How many slow commands are kept.
    #[must_use]
    pub fn slowlog_length(&self) -> usize {
        size(&self.slowlog_length)
    }

    /// How many milliseconds a delay must take to be a latency event; 0 for never.
    #[must_use]
    pub fn latency_ms(&self) -> u64 {
        self.latency_ms.load(Relaxed)
    }

    /// Whether the slow log or the latency monitor may record a command that took this many microseconds.
    #[must_use]
    pub fn notes_times_from(&self, micros: u64) -> bool {
        let is_slow = u64::try_from(self.slow_us()).is_ok_and(|limit| micros >= limit);
        is_slow || (self.latency_ms() > 0 && micros / 1000 >= self.latency_ms())
    }

    /// Whether the times of commands are kept as histograms.
    #[must_use]
    pub fn tracks_latency(&self) -> bool {
        self.tracks_latency.load(Relaxed) != 0
    }

    /// After how many milliseconds a script counts as busy, so that other clients get an error.
    #[must_use]
    pub fn busy_reply_ms(&self) -> u64 {
        self.busy_reply_ms.load(Relaxed)
    }

    /// How often writes reach the disk.
    #[must_use]
    pub fn sync_policy(&self) -> SyncPolicy {
        let policy = SyncPolicy::ALL.get(self.sync_policy.load(Relaxed));
        policy.copied().unwrap_or_default()
    }

    /// How often a second the background work runs.
    #[must_use]
    pub fn hz(&self) -> u64 {
        self.hz.load(Relaxed).max(1)
    }

    /// How many keys the table of tracked keys may hold; 0 for no limit.
    #[must_use]
    pub fn tracked_keys(&self) -> usize {
        size(&self.tracked_keys)
    }

    /// How much output may wait for a client of this class.
    pub(crate) fn output_limit(&self, class: OutputClass) -> OutputLimit {
        let fields = &self.output[class as usize];
        OutputLimit {
            hard: fields[0].load(Relaxed),
            soft: fields[1].load(Relaxed),
            soft_s: fields[2].load(Relaxed),
        }
    }
}

fn size(number: &AtomicU64) -> usize {
    usize::try_from(number.load(Relaxed)).unwrap_or(usize::MAX)
}

/// A number of bytes, which may be given as a share of the machine's memory.
fn bytes(value: &str) -> u64 {
    match value.strip_suffix('%') {
        Some(share) => share.parse().unwrap_or(0) * (total_memory() / 100),
        None => value.parse().unwrap_or(0),
    }
}

/// The memory of the machine in bytes; 0 if the system does not tell.
pub(crate) fn total_memory() -> u64 {
    static TOTAL: LazyLock<u64> = LazyLock::new(|| {
        let info = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let line = info.lines().find(|line| line.starts_with("MemTotal:"));
        let kilobytes = line.and_then(|line| line.split_ascii_whitespace().nth(1)?.parse().ok());
        kilobytes.unwrap_or(0_u64) * 1024
    });
    *TOTAL
}

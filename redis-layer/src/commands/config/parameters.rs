//! The names that `CONFIG` knows: those of Redis 7.0 without clusters, TLS and processor lists.
//!
//! A row: name, older name, kind, default, and what a change does. Bounds and defaults are those
//! of Redis, except for the two limits on what clients may hold in memory: here each client may send
//! 256 MB and all of them together 1 GB. `docs/server.md` explains them.

use crate::commands::config::live::SyncPolicy;
use crate::commands::config::value::Kind::{
    self, Bytes, BytesFrom, BytesOrShare, Choice, Events, Flag, Integer, OomScores, OutputLimits,
    Percentiles, SavePoints, ShutdownFlags, Text, TitleTemplate,
};
use crate::commands::config::value::{MAX, MAX_BYTES};

/// What `CONFIG SET` does with a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    /// Takes effect at once.
    Live,
    /// Is kept and shown but has no effect: programs set it for Redis's sake.
    Kept,
    /// Is refused: the value is decided when the server starts.
    Fixed,
    /// May only be set to its present value. Redis can change it at run time, this server cannot.
    Same,
    /// Is refused, as Redis does for paths by default.
    Protected,
}
use Change::{Fixed, Kept, Live, Protected, Same};

/// One setting.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    /// An older name for it, or empty.
    pub(crate) alias: &'static str,
    pub(crate) kind: Kind,
    pub(crate) default: &'static str,
    pub(crate) change: Change,
}

const fn row(
    name: &'static str,
    alias: &'static str,
    kind: Kind,
    default: &'static str,
    change: Change,
) -> Parameter {
    Parameter {
        name,
        alias,
        kind,
        default,
        change,
    }
}

/// The largest 32-bit integer, for bounds.
const MAX_32: i64 = i32::MAX as i64;
const MIN_32: i64 = i32::MIN as i64;

/// Every setting, by name.
#[rustfmt::skip]
pub(crate) static PARAMETERS: &[Parameter] = &[
    row("acl-pubsub-default", "", Choice(&["allchannels", "resetchannels"]), "resetchannels", Live),
    row("aclfile", "", Text, "", Fixed),
    row("acllog-max-len", "", Integer(0, MAX), "128", Live),
    row("active-defrag-cycle-max", "", Integer(1, 99), "25", Kept),
    row("active-defrag-cycle-min", "", Integer(1, 99), "1", Kept),
    row("active-defrag-ignore-bytes", "", Bytes(1, MAX_BYTES), "104857600", Kept),
    row("active-defrag-max-scan-fields", "", Integer(1, MAX), "1000", Kept),
    row("active-defrag-threshold-lower", "", Integer(0, 1000), "10", Kept),
    row("active-defrag-threshold-upper", "", Integer(0, 1000), "100", Kept),
    row("active-expire-effort", "", Integer(1, 10), "1", Kept),
    row("activedefrag", "", Flag, "no", Kept),
    row("activerehashing", "", Flag, "yes", Kept),
    row("always-show-logo", "", Flag, "no", Fixed),
    row("aof-disable-auto-gc", "", Flag, "no", Kept),
    row("aof-load-truncated", "", Flag, "yes", Kept),
    row("aof-rewrite-incremental-fsync", "", Flag, "yes", Kept),
    row("aof-timestamp-enabled", "", Flag, "no", Kept),
    row("aof-use-rdb-preamble", "", Flag, "yes", Kept),
    row("appenddirname", "", Text, "appendonlydir", Fixed),
    row("appendfilename", "", Text, "appendonly.aof", Fixed),
    row("appendfsync", "", Choice(&SyncPolicy::NAMES), "everysec", Live),
    row("appendonly", "", Flag, "yes", Kept),
    row("auto-aof-rewrite-min-size", "", Bytes(0, MAX_BYTES), "67108864", Kept),
    row("auto-aof-rewrite-percentage", "", Integer(0, MAX_32), "100", Kept),
    row("bind", "", Text, "", Same),
    row("bind-source-addr", "", Text, "", Kept),
    row("busy-reply-threshold", "lua-time-limit", Integer(0, MAX), "5000", Live),
    row("client-output-buffer-limit", "", OutputLimits, "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60", Live),
    row("client-query-buffer-limit", "", Bytes(1 << 20, MAX_BYTES), "268435456", Live),
    row("cluster-enabled", "", Flag, "no", Fixed),
    row("crash-log-enabled", "", Flag, "yes", Kept),
    row("crash-memcheck-enabled", "", Flag, "yes", Kept),
    row("daemonize", "", Flag, "no", Fixed),
    row("databases", "", Integer(1, MAX_32), "16", Fixed),
    row("dbfilename", "", Text, "dump.rdb", Protected),
    row("dir", "", Text, "", Protected),
    row("disable-thp", "", Flag, "yes", Fixed),
    row("dynamic-hz", "", Flag, "yes", Kept),
    row("enable-debug-command", "", Choice(&["no", "yes", "local"]), "local", Fixed),
    row("enable-module-command", "", Choice(&["no", "yes", "local"]), "no", Fixed),
    row("enable-protected-configs", "", Choice(&["no", "yes", "local"]), "no", Fixed),
    row("hash-max-listpack-entries", "hash-max-ziplist-entries", Integer(0, MAX), "512", Live),
    row("hash-max-listpack-value", "hash-max-ziplist-value", Bytes(0, MAX_BYTES), "64", Live),
    row("hll-sparse-max-bytes", "", Bytes(0, MAX_BYTES), "3000", Kept),
    row("hz", "", Integer(0, MAX_32), "10", Live),
    row("ignore-warnings", "", Text, "", Kept),
    row("io-threads", "", Integer(1, 128), "1", Fixed),
    row("io-threads-do-reads", "", Flag, "no", Fixed),
    row("jemalloc-bg-thread", "", Flag, "yes", Kept),
    row("latency-monitor-threshold", "", Integer(0, MAX), "0", Live),
    row("latency-tracking", "", Flag, "yes", Live),
    row("latency-tracking-info-percentiles", "", Percentiles, "50 99 99.9", Live),
    row("lazyfree-lazy-eviction", "", Flag, "no", Kept),
    row("lazyfree-lazy-expire", "", Flag, "no", Kept),
    row("lazyfree-lazy-server-del", "", Flag, "no", Kept),
    row("lazyfree-lazy-user-del", "", Flag, "no", Kept),
    row("lazyfree-lazy-user-flush", "", Flag, "no", Kept),
    row("lfu-decay-time", "", Integer(0, MAX_32), "1", Kept),
    row("lfu-log-factor", "", Integer(0, MAX_32), "10", Kept),
    row("list-compress-depth", "", Integer(0, MAX_32), "0", Kept),
    row("list-max-listpack-size", "list-max-ziplist-size", Integer(MIN_32, MAX_32), "-2", Live),
    row("logfile", "", Text, "", Fixed),
    row("loglevel", "", Choice(&["debug", "verbose", "notice", "warning"]), "notice", Kept),
    row("masterauth", "", Text, "", Kept),
    row("masteruser", "", Text, "", Kept),
    row("maxclients", "", Integer(1, 4_294_967_295), "10000", Live),
    row("maxmemory", "", Bytes(0, u64::MAX), "0", Kept),
    row("maxmemory-clients", "", BytesOrShare, "1073741824", Live),
    row("maxmemory-eviction-tenacity", "", Integer(0, 100), "10", Kept),
    row("maxmemory-policy", "", Choice(&["volatile-lru", "volatile-lfu", "volatile-random", "volatile-ttl", "allkeys-lru", "allkeys-lfu", "allkeys-random", "noeviction"]), "noeviction", Kept),
    row("maxmemory-samples", "", Integer(1, MAX_32), "5", Kept),
    row("min-replicas-max-lag", "min-slaves-max-lag", Integer(0, MAX_32), "10", Kept),
    row("min-replicas-to-write", "min-slaves-to-write", Integer(0, MAX_32), "0", Kept),
    row("no-appendfsync-on-rewrite", "", Flag, "no", Kept),
    row("notify-keyspace-events", "", Events, "", Live),
    row("oom-score-adj", "", Choice(&["no", "yes", "relative", "absolute"]), "no", Kept),
    row("oom-score-adj-values", "", OomScores, "0 200 800", Kept),
    row("pidfile", "", Text, "", Fixed),
    row("port", "", Integer(0, 65535), "0", Same),
    row("proc-title-template", "", TitleTemplate, "{title} {listen-addr} {server-mode}", Kept),
    row("propagation-error-behavior", "", Choice(&["ignore", "panic", "panic-on-replicas"]), "ignore", Kept),
    row("protected-mode", "", Flag, "yes", Same),
    row("proto-max-bulk-len", "", Bytes(1 << 20, MAX_BYTES), "536870912", Live),
    row("rdb-del-sync-files", "", Flag, "no", Kept),
    row("rdb-save-incremental-fsync", "", Flag, "yes", Kept),
    row("rdbchecksum", "", Flag, "yes", Fixed),
    row("rdbcompression", "", Flag, "yes", Kept),
    row("repl-backlog-size", "", BytesFrom(16 << 10), "1048576", Kept),
    row("repl-backlog-ttl", "", Integer(0, MAX), "3600", Kept),
    row("repl-disable-tcp-nodelay", "", Flag, "no", Kept),
    row("repl-diskless-load", "", Choice(&["disabled", "on-empty-db", "swapdb"]), "disabled", Kept),
    row("repl-diskless-sync", "", Flag, "yes", Kept),
    row("repl-diskless-sync-delay", "", Integer(0, MAX_32), "5", Kept),
    row("repl-diskless-sync-max-replicas", "", Integer(0, MAX_32), "0", Kept),
    row("repl-ping-replica-period", "repl-ping-slave-period", Integer(1, MAX_32), "10", Kept),
    row("repl-timeout", "", Integer(1, MAX_32), "60", Kept),
    row("replica-announce-ip", "slave-announce-ip", Text, "", Kept),
    row("replica-announce-port", "slave-announce-port", Integer(0, 65535), "0", Kept),
    row("replica-announced", "", Flag, "yes", Kept),
    row("replica-ignore-disk-write-errors", "", Flag, "no", Kept),
    row("replica-ignore-maxmemory", "slave-ignore-maxmemory", Flag, "yes", Kept),
    row("replica-lazy-flush", "slave-lazy-flush", Flag, "no", Kept),
    row("replica-priority", "slave-priority", Integer(0, MAX_32), "100", Kept),
    row("replica-read-only", "slave-read-only", Flag, "yes", Kept),
    row("replica-serve-stale-data", "slave-serve-stale-data", Flag, "yes", Kept),
    row("replicaof", "slaveof", Text, "", Fixed),
    row("requirepass", "", Text, "", Live),
    row("sanitize-dump-payload", "", Choice(&["no", "yes", "clients"]), "no", Kept),
    row("save", "", SavePoints, "", Kept),
    row("set-max-intset-entries", "", Integer(0, MAX), "512", Live),
    row("set-proc-title", "", Flag, "yes", Fixed),
    row("shutdown-on-sigint", "", ShutdownFlags, "default", Kept),
    row("shutdown-on-sigterm", "", ShutdownFlags, "default", Kept),
    row("shutdown-timeout", "", Integer(0, MAX_32), "10", Live),
    row("slowlog-log-slower-than", "", Integer(-1, MAX), "10000", Live),
    row("slowlog-max-len", "", Integer(0, MAX), "128", Live),
    row("socket-mark-id", "", Integer(0, 4_294_967_295), "0", Fixed),
    row("stop-writes-on-bgsave-error", "", Flag, "yes", Kept),
    row("stream-node-max-bytes", "", Bytes(0, MAX_BYTES), "4096", Kept),
    row("stream-node-max-entries", "", Integer(0, MAX), "100", Kept),
    row("supervised", "", Choice(&["upstart", "systemd", "auto", "no"]), "no", Fixed),
    row("syslog-enabled", "", Flag, "no", Fixed),
    row("syslog-facility", "", Text, "local0", Fixed),
    row("syslog-ident", "", Text, "redis", Fixed),
    row("tcp-backlog", "", Integer(0, MAX_32), "511", Fixed),
    row("tcp-keepalive", "", Integer(0, MAX_32), "300", Live),
    row("timeout", "", Integer(0, MAX_32), "0", Live),
    row("tracking-table-max-keys", "", Integer(0, MAX), "1000000", Live),
    row("unixsocket", "", Text, "", Fixed),
    row("unixsocketperm", "", Text, "0", Fixed),
    row("zset-max-listpack-entries", "zset-max-ziplist-entries", Integer(0, MAX), "128", Live),
    row("zset-max-listpack-value", "zset-max-ziplist-value", Bytes(0, MAX_BYTES), "64", Live),
];

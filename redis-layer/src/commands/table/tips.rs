//! Command tips: hints of Redis for clients that talk to many servers, or that compare replies.
//!
//! A tip is a word in the reply of `COMMAND INFO`. Nothing in this server acts on it.

use super::Spec;

/// Each tip, with the full names of the commands that have it. A command lists its tips in this order, which is
/// Redis's.
const TIPS: &[(&str, &[&str])] = &[
    (
        "nondeterministic_output",
        &[
            "dump",
            "object|encoding",
            "object|freq",
            "object|idletime",
            "object|refcount",
            "pttl",
            "scan",
            "ttl",
            "hrandfield",
            "hscan",
            "spop",
            "srandmember",
            "sscan",
            "zrandmember",
            "zscan",
            "function|stats",
            "client|info",
            "client|list",
            "info",
            "lastsave",
            "latency|doctor",
            "latency|graph",
            "latency|histogram",
            "latency|history",
            "latency|latest",
            "memory|doctor",
            "memory|malloc-stats",
            "memory|stats",
            "time",
        ],
    ),
    (
        "request_policy:multi_shard",
        &["mget", "mset", "msetnx", "del", "exists", "touch", "unlink"],
    ),
    (
        "request_policy:all_shards",
        &[
            "keys",
            "randomkey",
            "wait",
            "function|delete",
            "function|flush",
            "function|kill",
            "function|stats",
            "script|exists",
            "script|kill",
            "ping",
            "dbsize",
            "flushall",
            "flushdb",
            "info",
            "memory|doctor",
            "memory|malloc-stats",
            "memory|purge",
            "memory|stats",
        ],
    ),
    ("request_policy:special", &["scan"]),
    (
        "request_policy:all_nodes",
        &[
            "script|flush",
            "script|load",
            "config|set",
            "latency|doctor",
            "latency|graph",
            "latency|histogram",
            "latency|history",
            "latency|latest",
            "latency|reset",
            "slowlog|get",
            "slowlog|len",
            "slowlog|reset",
        ],
    ),
    (
        "response_policy:all_succeeded",
        &[
            "mset",
            "function|delete",
            "function|flush",
            "script|flush",
            "script|load",
            "ping",
            "config|set",
            "flushall",
            "flushdb",
            "latency|reset",
            "memory|purge",
            "slowlog|reset",
        ],
    ),
    ("response_policy:agg_min", &["msetnx", "wait"]),
    (
        "response_policy:agg_sum",
        &["del", "exists", "touch", "unlink", "dbsize", "slowlog|len"],
    ),
    (
        "response_policy:one_succeeded",
        &["function|kill", "script|kill"],
    ),
    (
        "response_policy:special",
        &[
            "function|stats",
            "info",
            "latency|doctor",
            "latency|graph",
            "latency|histogram",
            "latency|history",
            "latency|latest",
            "memory|doctor",
            "memory|malloc-stats",
            "memory|stats",
        ],
    ),
    ("response_policy:agg_logical_and", &["script|exists"]),
    (
        "nondeterministic_output",
        &["randomkey", "slowlog|get", "slowlog|len"],
    ),
    (
        "nondeterministic_output_order",
        &[
            "keys",
            "hgetall",
            "hkeys",
            "hvals",
            "sdiff",
            "sinter",
            "smembers",
            "sunion",
            "function|list",
            "command",
            "command|docs",
            "command|info",
            "command|list",
            "module|list",
        ],
    ),
];

/// The tips of a command.
pub fn tips(spec: &Spec) -> impl Iterator<Item = &'static str> {
    let given = TIPS
        .iter()
        .filter(|(_, names)| names.contains(&spec.full_name));
    given.map(|(tip, _)| *tip)
}

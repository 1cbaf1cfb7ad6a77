//! What a client in RESP3 hears of its own commands, if it subscribed to the events of the keyspace: some come before the
//! reply and some behind it.
//!
//! Redis tells of an event at some point of its code, and each command has its own order there. Clients take what comes in any
//! order; their tests are less patient. Left out: the events that Redis sends in the middle of a reply, as `zpopmin`. They come before it.

use crate::commands::Args;

/// The events of a command that come behind its reply: from the first of these on.
pub(crate) fn events_behind(args: Args<'_>) -> &'static [&'static str] {
    match args.spec.full_name {
        "lpop" | "rpop" | "lmpop" | "blpop" | "brpop" | "blmpop" | "lmove" | "rpoplpush"
        | "blmove" | "brpoplpush" => &["lpop", "rpop"],
        "spop" | "zpopmin" | "zpopmax" | "zmpop" | "bzpopmin" | "bzpopmax" | "bzmpop"
        | "getdel" | "sdiffstore" | "zrangestore" => &["del", "sdiffstore", "zrangestore"],
        "sunionstore" | "sinterstore" => &["sunionstore", "sinterstore"],
        "zunionstore" | "zinterstore" | "zdiffstore" => {
            &["zunionstore", "zinterstore", "zdiffstore", "del"]
        }
        "getex" => &["expire", "persist", "del"],
        "getset" => &["new", "set"],
        "set" if gets(args) => &["new", "set"],
        "expire" | "pexpire" | "expireat" | "pexpireat" => &["expire"],
        "lpush" | "rpush" | "lpushx" | "rpushx" => &["lpush", "rpush"],
        "lset" => &["lset"],
        "zadd" | "zincrby" | "geoadd" => &["zadd", "zincr"],
        "hset" | "hmset" | "hsetnx" | "hincrby" | "hincrbyfloat" => {
            &["hset", "hincrby", "hincrbyfloat"]
        }
        _ => &[],
    }
}

/// Whether a `SET` answers what was there.
fn gets(args: Args<'_>) -> bool {
    (3..args.len()).any(|position| args.is(position, "GET"))
}

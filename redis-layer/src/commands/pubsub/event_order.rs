//! The order of a command's reply and of the keyspace events that it causes, for a RESP3 client that is subscribed to
//! them: some come before the reply and some after it.
//!
//! Redis sends an event at some point in the code of a command, and this point differs from command to command.
//! Clients accept any order; their tests do not. Left out: the events that Redis sends in the middle of a reply, as
//! with `zpopmin`. They come before the reply here.

use crate::commands::Args;

/// The events of a command that come after its reply. From the first of them on, all later events do too.
pub(crate) fn events_after_reply(args: Args<'_>) -> &'static [&'static str] {
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
        "bitfield" => &["setbit"],
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

/// Whether a `SET` answers the old value.
fn gets(args: Args<'_>) -> bool {
    (3..args.len()).any(|position| args.is(position, "GET"))
}

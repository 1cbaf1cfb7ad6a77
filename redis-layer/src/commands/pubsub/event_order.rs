//! The order of a command's reply and of the keyspace events that it causes, for a RESP3 client that is subscribed to
//! them: some come before the reply and some after it.
//!
//! Redis sends an event at some point in the code of a command, and this point differs from command to command.
//! Clients accept any order; their tests do not. Left out: the events that Redis sends in the middle of a reply, as
//! with `zpopmin`. They come before the reply here.

use crate::commands::Args;
use crate::types::{Result, Txn};

/// The events of a command that come after its reply. From the first of them on, all later events do too. `txn` is the
/// transaction in which it ran.
///
/// # Errors
/// A damaged row; those of the store.
pub(crate) fn events_after_reply(txn: &Txn<'_>, args: Args<'_>) -> Result<&'static [&'static str]> {
    let events: &[&str] = match args.spec.full_name {
        "lpop" | "rpop" | "lmpop" | "blpop" | "brpop" | "blmpop" | "lmove" | "rpoplpush"
        | "blmove" | "brpoplpush" => &["lpop", "rpop"],
        "spop" | "zpopmin" | "zpopmax" | "zmpop" | "bzpopmin" | "bzpopmax" | "bzmpop"
        | "getdel" | "sdiffstore" | "sunionstore" | "zrangestore" => {
            &["del", "sdiffstore", "sunionstore", "zrangestore"]
        }
        "sinterstore" if misses_a_set(txn, args)? => &[],
        "sinterstore" => &["del", "sinterstore"],
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
    };
    Ok(events)
}

/// Whether one of the sets of a `SINTERSTORE` does not exist. The destination may be one of them and be gone by now; if
/// there is an event for it, it existed.
fn misses_a_set(txn: &Txn<'_>, args: Args<'_>) -> Result<bool> {
    let others = args.from(2).iter().filter(|key| *key != &args.from(1)[0]);
    for key in others {
        if txn.peek(key)?.is_none() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a `SET` answers the old value.
fn gets(args: Args<'_>) -> bool {
    (3..args.len()).any(|position| args.is(position, "GET"))
}

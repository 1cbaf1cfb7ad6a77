//! The rows of the command table, by chapter of Redis's manual. `COMMAND` lists them in this order.
//!
//! A row: name, arity, flags, keys, group, since, handler; then a line for people. A row with
//! subcommands names their list behind the handler.

use crate::commands::table::Flag::{
    Admin, AllowBusy, DenyOom, Fast, Loading, NoAuth, NoScript, ReadOnly, Stale, Write,
};
use crate::commands::table::Handler::{Container, Keys, Session};
use crate::commands::table::{Group, Keys as At, Spec};
use crate::commands::{
    client, connection, generic, introspection, server, strings, zset_range, zset_read, zset_write,
};

/// One entry for each row. `$prefix` is what stands before the name in the full name.
macro_rules! table {
    ($prefix:literal: $(
        $name:literal, $arity:literal, [$($flag:ident),*], $keys:ident, $group:ident,
        $since:literal, $handler:expr $(=> $subcommands:ident)?; $summary:literal
    )*) => {
        &[$(Spec {
            name: $name,
            full_name: concat!($prefix, $name),
            arity: $arity,
            flags: &[$($flag),*],
            keys: At::$keys,
            group: Group::$group,
            since: $since,
            summary: $summary,
            handler: $handler,
            subcommands: first_of(&[$($subcommands,)? &[]]),
        }),*]
    };
}

/// The list of a row's subcommands, or the empty one behind it.
const fn first_of(lists: &[&'static [Spec]]) -> &'static [Spec] {
    lists[0]
}

/// Every command.
pub static COMMANDS: &[Spec] = table! { "":
    // Strings.
    "get", 2, [ReadOnly, Fast], FIRST, String, "1.0.0", Keys(strings::get);
        "Returns the string under a key."
    "set", -3, [Write, DenyOom], FIRST, String, "1.0.0", Keys(strings::set);
        "Stores a string, with conditions and an expiry if wanted."
    // Keys of any type.
    "del", -2, [Write], ALL, Generic, "1.0.0", Keys(generic::del);
        "Removes keys."
    "exists", -2, [ReadOnly, Fast], ALL, Generic, "1.0.0", Keys(generic::exists);
        "Counts the named keys that exist."
    "expire", -3, [Write, Fast], FIRST, Generic, "1.0.0", Keys(generic::expire);
        "Lets a key expire some seconds from now."
    "expireat", -3, [Write, Fast], FIRST, Generic, "1.2.0", Keys(generic::expireat);
        "Lets a key expire at a time in seconds since 1970."
    "persist", 2, [Write, Fast], FIRST, Generic, "2.2.0", Keys(generic::persist);
        "Takes the expiry from a key."
    "pexpire", -3, [Write, Fast], FIRST, Generic, "2.6.0", Keys(generic::pexpire);
        "Lets a key expire some milliseconds from now."
    "pexpireat", -3, [Write, Fast], FIRST, Generic, "2.6.0", Keys(generic::pexpireat);
        "Lets a key expire at a time in milliseconds since 1970."
    "pttl", 2, [ReadOnly, Fast], FIRST, Generic, "2.6.0", Keys(generic::pttl);
        "Returns the milliseconds until a key expires."
    "ttl", 2, [ReadOnly, Fast], FIRST, Generic, "1.0.0", Keys(generic::ttl);
        "Returns the seconds until a key expires."
    "type", 2, [ReadOnly, Fast], FIRST, Generic, "1.0.0", Keys(generic::type_of);
        "Names the type of a key."
    // Sorted sets.
    "zadd", -4, [Write, DenyOom, Fast], FIRST, SortedSet, "1.2.0", Keys(zset_write::zadd);
        "Adds members, or gives members new scores."
    "zcard", 2, [ReadOnly, Fast], FIRST, SortedSet, "1.2.0", Keys(zset_read::zcard);
        "Counts the members."
    "zcount", 4, [ReadOnly, Fast], FIRST, SortedSet, "2.0.0", Keys(zset_read::zcount);
        "Counts the members in a range of scores."
    "zincrby", 4, [Write, DenyOom, Fast], FIRST, SortedSet, "1.2.0", Keys(zset_write::zincrby);
        "Adds to the score of a member."
    "zlexcount", 4, [ReadOnly, Fast], FIRST, SortedSet, "2.8.9", Keys(zset_read::zlexcount);
        "Counts the members in a range of members."
    "zmscore", -3, [ReadOnly, Fast], FIRST, SortedSet, "6.2.0", Keys(zset_read::zmscore);
        "Returns the scores of several members."
    "zpopmax", -2, [Write, Fast], FIRST, SortedSet, "5.0.0", Keys(zset_write::zpopmax);
        "Removes and returns the members with the greatest scores."
    "zpopmin", -2, [Write, Fast], FIRST, SortedSet, "5.0.0", Keys(zset_write::zpopmin);
        "Removes and returns the members with the least scores."
    "zrange", -4, [ReadOnly], FIRST, SortedSet, "1.2.0", Keys(zset_range::zrange);
        "Returns a range by rank, by score or by member."
    "zrangebylex", -4, [ReadOnly], FIRST, SortedSet, "2.8.9", Keys(zset_range::zrangebylex);
        "Returns a range of members."
    "zrangebyscore", -4, [ReadOnly], FIRST, SortedSet, "1.0.5", Keys(zset_range::zrangebyscore);
        "Returns a range of scores."
    "zrank", 3, [ReadOnly, Fast], FIRST, SortedSet, "2.0.0", Keys(zset_read::zrank);
        "Returns how many members stand before one."
    "zrem", -3, [Write, Fast], FIRST, SortedSet, "1.2.0", Keys(zset_write::zrem);
        "Removes members."
    "zrevrange", -4, [ReadOnly], FIRST, SortedSet, "1.2.0", Keys(zset_range::zrevrange);
        "Returns a range by rank, greatest scores first."
    "zrevrangebylex", -4, [ReadOnly], FIRST, SortedSet, "2.8.9", Keys(zset_range::zrevrangebylex);
        "Returns a range of members, greatest first."
    "zrevrangebyscore", -4, [ReadOnly], FIRST, SortedSet, "2.2.0", Keys(zset_range::zrevrangebyscore);
        "Returns a range of scores, greatest first."
    "zrevrank", 3, [ReadOnly, Fast], FIRST, SortedSet, "2.0.0", Keys(zset_read::zrevrank);
        "Returns how many members stand behind one."
    "zscore", 3, [ReadOnly, Fast], FIRST, SortedSet, "1.2.0", Keys(zset_read::zscore);
        "Returns the score of a member."
    // The connection.
    "auth", -2, [NoScript, Loading, Stale, Fast, NoAuth, AllowBusy], NONE, Connection, "1.0.0", Session(connection::auth);
        "Says who the client is. The one user, default, has no password."
    "client", -2, [], NONE, Connection, "2.4.0", Container => CLIENT;
        "Commands about connections."
    "echo", 2, [Loading, Stale, Fast], NONE, Connection, "1.0.0", Session(connection::echo);
        "Returns its argument."
    "hello", -1, [NoScript, Loading, Stale, Fast, NoAuth, AllowBusy], NONE, Connection, "6.0.0", Session(connection::hello);
        "Chooses the protocol and describes the server."
    "ping", -1, [Fast], NONE, Connection, "1.0.0", Session(connection::ping);
        "Answers PONG, or its argument."
    "quit", -1, [NoScript, Loading, Stale, Fast, NoAuth, AllowBusy], NONE, Connection, "1.0.0", Session(connection::quit);
        "Answers, then closes the connection."
    "select", 2, [Loading, Stale, Fast], NONE, Connection, "1.0.0", Session(connection::select);
        "Chooses the database, 0 to 15."
    // The server.
    "command", -1, [Loading, Stale], NONE, Server, "2.8.13", Session(introspection::command) => COMMAND;
        "Describes all commands."
    "config", -2, [], NONE, Server, "2.0.0", Container => CONFIG;
        "Commands about the configuration."
    "dbsize", 1, [ReadOnly, Fast], NONE, Server, "1.0.0", Keys(generic::dbsize);
        "Counts the keys of the database, by a walk over them."
    "flushall", -1, [Write], NONE, Server, "1.0.0", Keys(generic::flushall);
        "Removes all keys of all databases."
    "flushdb", -1, [Write], NONE, Server, "1.0.0", Keys(generic::flushdb);
        "Removes all keys of the database."
    "info", -1, [Loading, Stale], NONE, Server, "1.0.0", Session(server::info);
        "Describes the server."
};

const CLIENT: &[Spec] = table! { "client|":
    "getname", 2, [NoScript, Loading, Stale], NONE, Connection, "2.6.9", Session(client::getname);
        "Returns the name of this connection."
    "help", 2, [Loading, Stale], NONE, Connection, "5.0.0", Session(client::help);
        "Lists the subcommands."
    "id", 2, [NoScript, Loading, Stale], NONE, Connection, "5.0.0", Session(client::id);
        "Returns the number of this connection."
    "info", 2, [NoScript, Loading, Stale], NONE, Connection, "6.2.0", Session(client::info);
        "Describes this connection."
    "list", -2, [Admin, NoScript, Loading, Stale], NONE, Connection, "2.4.0", Session(client::list);
        "Describes all connections."
    "no-evict", 3, [Admin, NoScript, Loading, Stale], NONE, Connection, "7.0.0", Session(client::no_evict);
        "Accepted, and without effect: no client is ever evicted."
    "reply", 3, [NoScript, Loading, Stale], NONE, Connection, "3.2.0", Session(client::reply);
        "Turns replies on or off, or skips the next one."
    "setname", 3, [NoScript, Loading, Stale], NONE, Connection, "2.6.9", Session(client::setname);
        "Names this connection."
};

const COMMAND: &[Spec] = table! { "command|":
    "count", 2, [Loading, Stale], NONE, Server, "2.8.13", Session(introspection::count);
        "Counts the commands."
    "docs", -2, [Loading, Stale], NONE, Server, "7.0.0", Session(introspection::docs);
        "Returns a line of text, the group and the age of commands."
    "getkeys", -4, [Loading, Stale], NONE, Server, "2.8.13", Session(introspection::getkeys);
        "Returns the keys in a command."
    "help", 2, [Loading, Stale], NONE, Server, "5.0.0", Session(introspection::help);
        "Lists the subcommands."
    "info", -2, [Loading, Stale], NONE, Server, "2.8.13", Session(introspection::info);
        "Describes some commands."
    "list", -2, [Loading, Stale], NONE, Server, "7.0.0", Session(introspection::list);
        "Names the commands."
};

const CONFIG: &[Spec] = table! { "config|":
    "get", -3, [Admin, NoScript, Loading, Stale], NONE, Server, "2.0.0", Session(server::config_get);
        "Returns the settings whose names match patterns."
    "help", 2, [Loading, Stale], NONE, Server, "5.0.0", Session(server::config_help);
        "Lists the subcommands."
    "resetstat", 2, [Admin, NoScript, Loading, Stale], NONE, Server, "2.0.0", Session(server::config_resetstat);
        "Sets the counters of INFO to 0."
    "set", -4, [Admin, NoScript, Loading, Stale], NONE, Server, "2.0.0", Session(server::config_set);
        "Refused: settings are fixed when the server starts."
};

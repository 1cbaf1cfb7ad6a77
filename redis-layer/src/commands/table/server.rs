//! Commands about the server.

use crate::commands::table::Flag::{
    Admin, AllowBusy, Fast, Loading, NoAsyncLoading, NoMulti, NoScript, ReadOnly, Stale, Write,
};
use crate::commands::table::Handler::{Container, Keys, Session};
use crate::commands::table::{Group, Spec, table};
use crate::commands::{
    acl, config, debug, generic, info, introspection, latency, memory, monitor, persistence,
    server, slowlog,
};

/// The rows of the table.
pub(super) static ROWS: &[Spec] = table! { "":
    "acl", -2, [], [], Server, "6.0.0", Container => ACL;
        "Commands about users, of whom there is one."
    "bgrewriteaof", 1, [Admin, NoScript, NoAsyncLoading], [], Server, "1.0.0", Session(persistence::bgrewriteaof);
        "Accepted, and without effect: the log keeps itself short."
    "bgsave", -1, [Admin, NoScript, NoAsyncLoading], [], Server, "1.0.0", Session(persistence::bgsave);
        "Makes a checkpoint beside the data, in the background."
    "command", -1, [Loading, Stale], [], Server, "2.8.13", Session(introspection::command) => COMMAND;
        "Describes all commands."
    "config", -2, [], [], Server, "2.0.0", Container => CONFIG;
        "Commands about the configuration."
    "dbsize", 1, [ReadOnly, Fast], [], Server, "1.0.0", Keys(generic::dbsize);
        "Counts the keys of the database."
    "debug", -2, [Admin, NoScript, Loading, Stale], [], Server, "1.0.0", Session(debug::debug);
        "Commands for tests and for the search for faults."
    "failover", -1, [Admin, NoScript, Stale], [], Server, "6.2.0", Session(server::failover);
        "Refused: there are no replicas."
    "flushall", -1, [Write], [], Server, "1.0.0", Keys(generic::flushall);
        "Removes all keys of all databases."
    "flushdb", -1, [Write], [], Server, "1.0.0", Keys(generic::flushdb);
        "Removes all keys of the database."
    "info", -1, [Loading, Stale], [], Server, "1.0.0", Session(info::info);
        "Describes the server."
    "lastsave", 1, [Loading, Stale, Fast], [], Server, "1.0.0", Session(persistence::lastsave);
        "Says when the last checkpoint was made."
    "latency", -2, [], [], Server, "2.8.13", Container => LATENCY;
        "Commands about delays."
    "lolwut", -1, [ReadOnly, Fast], [], Server, "5.0.0", Session(server::lolwut);
        "Draws keys in order."
    "memory", -2, [], [], Server, "4.0.0", Container => MEMORY;
        "Commands about memory."
    "module", -2, [], [], Server, "4.0.0", Container => MODULE;
        "Commands about modules, of which there are none."
    "monitor", 1, [Admin, NoScript, Loading, Stale], [], Server, "1.0.0", Session(monitor::monitor);
        "Shows every command that is run."
    "replicaof", 3, [Admin, NoScript, Stale, NoAsyncLoading], [], Server, "5.0.0", Session(server::replicaof);
        "Accepts NO ONE: this server is nobody's replica."
    "role", 1, [NoScript, Loading, Stale, Fast], [], Server, "2.8.12", Session(server::role);
        "Says that the server is a master without replicas."
    "save", 1, [Admin, NoScript, NoAsyncLoading, NoMulti], [], Server, "1.0.0", Session(persistence::save);
        "Makes a checkpoint beside the data."
    "shutdown", -1, [Admin, NoScript, Loading, Stale, NoMulti, AllowBusy], [], Server, "1.0.0", Session(persistence::shutdown);
        "Stops the server."
    "slaveof", 3, [Admin, NoScript, Stale, NoAsyncLoading], [], Server, "1.0.0", Session(server::replicaof);
        "As REPLICAOF."
    "slowlog", -2, [], [], Server, "2.2.12", Container => SLOWLOG;
        "Commands about slow commands."
    "time", 1, [Loading, Stale, Fast], [], Server, "2.6.0", Session(server::time);
        "Returns the time."
};

const ACL: &[Spec] = table! { "acl|":
    "cat", -2, [NoScript, Loading, Stale], [], Server, "6.0.0", Session(acl::cat);
        "Names the categories, or the commands of one."
    "deluser", -3, [Admin, NoScript, Loading, Stale], [], Server, "6.0.0", Session(acl::deluser);
        "Removes users; there are none that could be."
    "dryrun", -4, [Admin, NoScript, Loading, Stale], [], Server, "7.0.0", Session(acl::dryrun);
        "Says whether a user may run a command."
    "genpass", -2, [NoScript, Loading, Stale], [], Server, "6.0.0", Session(acl::genpass);
        "Makes a password."
    "getuser", 3, [Admin, NoScript, Loading, Stale], [], Server, "6.0.0", Session(acl::getuser);
        "Describes a user."
    "help", 2, [Loading, Stale], [], Server, "6.0.0", Session(acl::help);
        "Lists the subcommands."
    "list", 2, [Admin, NoScript, Loading, Stale], [], Server, "6.0.0", Session(acl::list);
        "Describes all users."
    "load", 2, [Admin, NoScript, Loading, Stale], [], Server, "6.0.0", Session(acl::load);
        "Refused: there is no file of users."
    "log", -2, [Admin, NoScript, Loading, Stale], [], Server, "6.0.0", Session(acl::log);
        "Returns what was refused, which is nothing."
    "save", 2, [Admin, NoScript, Loading, Stale], [], Server, "6.0.0", Session(acl::save);
        "Refused: there is no file of users."
    "setuser", -3, [Admin, NoScript, Loading, Stale], [], Server, "6.0.0", Session(acl::setuser);
        "Sets the password of the user default."
    "users", 2, [Admin, NoScript, Loading, Stale], [], Server, "6.0.0", Session(acl::users);
        "Names all users."
    "whoami", 2, [NoScript, Loading, Stale], [], Server, "6.0.0", Session(acl::whoami);
        "Names the user of this connection."
};

const COMMAND: &[Spec] = table! { "command|":
    "count", 2, [Loading, Stale], [], Server, "2.8.13", Session(introspection::count);
        "Counts the commands."
    "docs", -2, [Loading, Stale], [], Server, "7.0.0", Session(introspection::docs);
        "Returns a line of text, the group and the age of commands."
    "getkeys", -4, [Loading, Stale], [], Server, "2.8.13", Session(introspection::getkeys);
        "Returns the keys in a command."
    "getkeysandflags", -4, [Loading, Stale], [], Server, "7.0.0", Session(introspection::getkeysandflags);
        "Returns the keys in a command, and what it does with them."
    "help", 2, [Loading, Stale], [], Server, "5.0.0", Session(introspection::help);
        "Lists the subcommands."
    "info", -2, [Loading, Stale], [], Server, "2.8.13", Session(introspection::info);
        "Describes some commands."
    "list", -2, [Loading, Stale], [], Server, "7.0.0", Session(introspection::list);
        "Names the commands."
};

const CONFIG: &[Spec] = table! { "config|":
    "get", -3, [Admin, NoScript, Loading, Stale], [], Server, "2.0.0", Session(config::get);
        "Returns the settings whose names match patterns."
    "help", 2, [Loading, Stale], [], Server, "5.0.0", Session(config::help);
        "Lists the subcommands."
    "resetstat", 2, [Admin, NoScript, Loading, Stale], [], Server, "2.0.0", Session(config::resetstat);
        "Sets the counters of INFO to 0."
    "rewrite", 2, [Admin, NoScript, Loading, Stale], [], Server, "2.8.0", Session(config::rewrite);
        "Refused: there is no file of settings."
    "set", -4, [Admin, NoScript, Loading, Stale], [], Server, "2.0.0", Session(config::set);
        "Changes settings, all that are named or none."
};

const LATENCY: &[Spec] = table! { "latency|":
    "doctor", 2, [Admin, NoScript, Loading, Stale], [], Server, "2.8.13", Session(latency::doctor);
        "Says in words what was slow."
    "graph", 3, [Admin, NoScript, Loading, Stale], [], Server, "2.8.13", Session(latency::graph);
        "Draws the delays of one kind."
    "help", 2, [Loading, Stale], [], Server, "2.8.13", Session(latency::help);
        "Lists the subcommands."
    "histogram", -2, [Admin, NoScript, Loading, Stale], [], Server, "7.0.0", Session(latency::histogram);
        "Counts calls of commands by how long they took."
    "history", 3, [Admin, NoScript, Loading, Stale], [], Server, "2.8.13", Session(latency::history);
        "Returns the delays of one kind."
    "latest", 2, [Admin, NoScript, Loading, Stale], [], Server, "2.8.13", Session(latency::latest);
        "Returns the last delay of each kind."
    "reset", -2, [Admin, NoScript, Loading, Stale], [], Server, "2.8.13", Session(latency::reset);
        "Forgets delays."
};

const MEMORY: &[Spec] = table! { "memory|":
    "doctor", 2, [], [], Server, "4.0.0", Session(memory::doctor);
        "Says in words where memory goes."
    "help", 2, [Loading, Stale], [], Server, "4.0.0", Session(memory::help);
        "Lists the subcommands."
    "malloc-stats", 2, [], [], Server, "4.0.0", Session(memory::malloc_stats);
        "Describes the allocator, which keeps no numbers."
    "purge", 2, [], [], Server, "4.0.0", Session(memory::purge);
        "Accepted, and without effect."
    "stats", 2, [], [], Server, "4.0.0", Session(memory::stats);
        "Returns numbers about memory."
    "usage", -3, [ReadOnly], [Ask: SECOND], Server, "4.0.0", Keys(memory::usage);
        "Returns how many bytes a key and its value take."
};

const MODULE: &[Spec] = table! { "module|":
    "help", 2, [Loading, Stale], [], Server, "5.0.0", Session(server::module_help);
        "Lists the subcommands."
    "list", 2, [Admin, NoScript], [], Server, "4.0.0", Session(server::module_list);
        "Names the modules, of which there are none."
};

const SLOWLOG: &[Spec] = table! { "slowlog|":
    "get", -2, [Admin, Loading, Stale], [], Server, "2.2.12", Session(slowlog::get);
        "Returns the last slow commands."
    "help", 2, [Loading, Stale], [], Server, "6.2.0", Session(slowlog::help);
        "Lists the subcommands."
    "len", 2, [Admin, Loading, Stale], [], Server, "2.2.12", Session(slowlog::len);
        "Counts the slow commands that are kept."
    "reset", 2, [Admin, Loading, Stale], [], Server, "2.2.12", Session(slowlog::reset);
        "Forgets the slow commands."
};

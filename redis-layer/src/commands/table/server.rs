//! Commands about the server.

use crate::commands::administration::{
    debug, lolwut, modules, persistence, replication, shutdown, time,
};
use crate::commands::keys::databases;
use crate::commands::manual::{command, docs};
use crate::commands::monitoring::{info, latency, memory, monitor, slowlog};
use crate::commands::table::Flag::{
    Admin, AllowBusy, Fast, Loading, NoAsyncLoading, NoMulti, NoScript, ReadOnly, Stale, Write,
};
use crate::commands::table::Handler::{Container, Keys, Session};
use crate::commands::table::{Group, Spec, table};
use crate::commands::{acl, config};

/// The rows of the table.
pub(super) static ROWS: &[Spec] = table! { "":
    "acl", -2, [], [], Server, "6.0.0", Container => ACL;
        "Commands about users and what they may do.", "Depends on the subcommand."
    "bgrewriteaof", 1, [Admin, NoScript, NoAsyncLoading], [], Server, "1.0.0", Session(persistence::bgrewriteaof);
        "Accepted, and without effect: the log keeps itself short.", "O(1)"
    "bgsave", -1, [Admin, NoScript, NoAsyncLoading], [], Server, "1.0.0", Session(persistence::bgsave);
        "Makes a checkpoint beside the data, in the background.", "O(n) for n files of the store",
        "[SCHEDULE]@3.2.2";
        since "3.2.2" "The option SCHEDULE."
    "command", -1, [Loading, Stale], [], Server, "2.8.13", Session(command::command) => COMMAND;
        "Describes all commands.", "O(n) for n commands"
    "config", -2, [], [], Server, "2.0.0", Container => CONFIG;
        "Commands about the configuration.", "Depends on the subcommand."
    "dbsize", 1, [ReadOnly, Fast], [], Server, "1.0.0", Keys(databases::dbsize);
        "Counts the keys of the database.", "O(1)"
    "debug", -2, [Admin, NoScript, Loading, Stale], [], Server, "1.0.0", Session(debug::debug);
        "Commands for tests and for the search for faults.", "Depends on the subcommand."
    "failover", -1, [Admin, NoScript, Stale], [], Server, "6.2.0", Session(replication::failover);
        "Refused: there are no replicas.", "O(1)",
        "[TO target: host port:integer [FORCE]] [ABORT] [TIMEOUT milliseconds:integer]"
    "flushall", -1, [Write], [], Server, "1.0.0", Keys(databases::flushall);
        "Removes all keys of all databases.",
        "O(n) for n keys of all databases; O(1) for each with more than a thousand",
        "[async: ASYNC@4.0.0 | SYNC@6.2.0]";
        since "4.0.0" "The option ASYNC.";
        since "6.2.0" "The option SYNC."
    "flushdb", -1, [Write], [], Server, "1.0.0", Keys(databases::flushdb);
        "Removes all keys of the database.", "O(n) for n keys; O(1) if there are more than a thousand",
        "[async: ASYNC@4.0.0 | SYNC@6.2.0]";
        since "4.0.0" "The option ASYNC.";
        since "6.2.0" "The option SYNC."
    "info", -1, [Loading, Stale], [], Server, "1.0.0", Session(info::info);
        "Describes the server.", "O(1)",
        "[section...]";
        since "7.0.0" "Several sections."
    "lastsave", 1, [Loading, Stale, Fast], [], Server, "1.0.0", Session(persistence::lastsave);
        "Says when the last checkpoint was made.", "O(1)"
    "latency", -2, [], [], Server, "2.8.13", Container => LATENCY;
        "Commands about delays.", "Depends on the subcommand."
    "lolwut", -1, [ReadOnly, Fast], [], Server, "5.0.0", Session(lolwut::lolwut);
        "Draws keys in order.", "",
        "[VERSION version:integer]"
    "memory", -2, [], [], Server, "4.0.0", Container => MEMORY;
        "Commands about memory.", "Depends on the subcommand."
    "module", -2, [], [], Server, "4.0.0", Container => MODULE;
        "Commands about modules, of which there are none.", "Depends on the subcommand."
    "monitor", 1, [Admin, NoScript, Loading, Stale], [], Server, "1.0.0", Session(monitor::monitor);
        "Shows every command that is run.", ""
    "replconf", -1, [Admin, NoScript, Loading, Stale, AllowBusy], [], Server, "3.0.0", Session(replication::replconf);
        "Checks what a replica says of itself, and forgets it: there are no replicas.", "O(1)"
    "replicaof", 3, [Admin, NoScript, Stale, NoAsyncLoading], [], Server, "5.0.0", Session(replication::replicaof);
        "Accepts NO ONE: this server is nobody's replica.", "O(1)",
        "(args: (host-port: host port:integer) | (no-one: NO ONE))"
    "role", 1, [NoScript, Loading, Stale, Fast], [], Server, "2.8.12", Session(replication::role);
        "Says that the server is a master without replicas.", "O(1)"
    "save", 1, [Admin, NoScript, NoAsyncLoading, NoMulti], [], Server, "1.0.0", Session(persistence::save);
        "Makes a checkpoint beside the data.", "O(n) for n files of the store"
    "shutdown", -1, [Admin, NoScript, Loading, Stale, NoMulti, AllowBusy], [], Server, "1.0.0", Session(shutdown::shutdown);
        "Stops the server.", "O(n) for n files of the store",
        "[nosave_save: NOSAVE | SAVE] [NOW]@7.0.0 [FORCE]@7.0.0 [ABORT]@7.0.0";
        since "7.0.0" "The options NOW, FORCE and ABORT."
    "slaveof", 3, [Admin, NoScript, Stale, NoAsyncLoading], [], Server, "1.0.0", Session(replication::replicaof);
        "As REPLICAOF.", "O(1)",
        "(args: (host-port: host port:integer) | (no-one: NO ONE))";
        replaced "5.0.0" "`REPLICAOF`"
    "slowlog", -2, [], [], Server, "2.2.12", Container => SLOWLOG;
        "Commands about slow commands.", "Depends on the subcommand."
    "time", 1, [Loading, Stale, Fast], [], Server, "2.6.0", Session(time::time);
        "Returns the time.", "O(1)"
};

const ACL: &[Spec] = table! { "acl|":
    "cat", -2, [NoScript, Loading, Stale], [], Server, "6.0.0", Session(acl::cat);
        "Names the categories, or the commands of one.", "O(1)",
        "[categoryname]"
    "deluser", -3, [Admin, NoScript, Loading, Stale], [], Server, "6.0.0", Session(acl::deluser);
        "Removes users, and ends their connections.", "O(n) for n users and connections",
        "username..."
    "dryrun", -4, [Admin, NoScript, Loading, Stale], [], Server, "7.0.0", Session(acl::dryrun);
        "Says whether a user may run a command.", "O(1)",
        "username command [arg...]"
    "genpass", -2, [NoScript, Loading, Stale], [], Server, "6.0.0", Session(acl::genpass);
        "Makes a password.", "O(1)",
        "[bits:integer]"
    "getuser", 3, [Admin, NoScript, Loading, Stale], [], Server, "6.0.0", Session(acl::getuser);
        "Describes a user.", "O(n) for n rules and commands",
        "username";
        since "6.2.0" "Patterns of channels.";
        since "7.0.0" "Selectors, and patterns in the form of rules."
    "help", 2, [Loading, Stale], [], Server, "6.0.0", Session(acl::help);
        "Lists the subcommands.", "O(1)"
    "list", 2, [Admin, NoScript, Loading, Stale], [], Server, "6.0.0", Session(acl::list);
        "Describes all users.", "O(n) for n users, times the commands"
    "load", 2, [Admin, NoScript, Loading, Stale], [], Server, "6.0.0", Session(acl::load);
        "Refused: there is no file of users.", "O(1)"
    "log", -2, [Admin, NoScript, Loading, Stale], [], Server, "6.0.0", Session(acl::log);
        "Returns what was refused to users: passwords, commands, keys and channels.", "O(n) for n entries",
        "[operation: count:integer | RESET]"
    "save", 2, [Admin, NoScript, Loading, Stale], [], Server, "6.0.0", Session(acl::save);
        "Refused: there is no file of users.", "O(1)"
    "setuser", -3, [Admin, NoScript, Loading, Stale], [], Server, "6.0.0", Session(acl::setuser);
        "Makes a user, or changes what one may do.", "O(n) for n rules",
        "username [rule...]";
        since "6.2.0" "Patterns of channels.";
        since "7.0.0" "Selectors, and rights on keys."
    "users", 2, [Admin, NoScript, Loading, Stale], [], Server, "6.0.0", Session(acl::users);
        "Names all users.", "O(n) for n users"
    "whoami", 2, [NoScript, Loading, Stale], [], Server, "6.0.0", Session(acl::whoami);
        "Names the user of this connection.", "O(1)"
};

const COMMAND: &[Spec] = table! { "command|":
    "count", 2, [Loading, Stale], [], Server, "2.8.13", Session(command::count);
        "Counts the commands.", "O(1)"
    "docs", -2, [Loading, Stale], [], Server, "7.0.0", Session(docs::docs);
        "Says what commands do, take and cost, and since when.", "O(n) for n commands that are named",
        "[command-name...]"
    "getkeys", -4, [Loading, Stale], [], Server, "2.8.13", Session(command::getkeys);
        "Returns the keys in a command.", "O(n) for n arguments"
    "getkeysandflags", -4, [Loading, Stale], [], Server, "7.0.0", Session(command::getkeysandflags);
        "Returns the keys in a command, and what it does with them.", "O(n) for n arguments"
    "help", 2, [Loading, Stale], [], Server, "5.0.0", Session(command::help);
        "Lists the subcommands.", "O(1)"
    "info", -2, [Loading, Stale], [], Server, "2.8.13", Session(command::info);
        "Describes some commands.", "O(n) for n commands that are named",
        "[command-name...]";
        since "7.0.0" "Without a name it answers for all commands."
    "list", -2, [Loading, Stale], [], Server, "7.0.0", Session(command::list);
        "Names the commands.", "O(n) for n commands",
        "[FILTERBY filterby: MODULE module-name | ACLCAT category | PATTERN pattern:pattern]"
};

const CONFIG: &[Spec] = table! { "config|":
    "get", -3, [Admin, NoScript, Loading, Stale], [], Server, "2.0.0", Session(config::get);
        "Returns the settings whose names match patterns.", "O(n) for n settings",
        "(parameter: parameter)...";
        since "7.0.0" "Several patterns."
    "help", 2, [Loading, Stale], [], Server, "5.0.0", Session(config::help);
        "Lists the subcommands.", "O(1)"
    "resetstat", 2, [Admin, NoScript, Loading, Stale], [], Server, "2.0.0", Session(config::resetstat);
        "Sets the counters of INFO to 0.", "O(1)"
    "rewrite", 2, [Admin, NoScript, Loading, Stale], [], Server, "2.8.0", Session(config::rewrite);
        "Refused: there is no file of settings.", "O(1)"
    "set", -4, [Admin, NoScript, Loading, Stale], [], Server, "2.0.0", Session(config::set);
        "Changes settings, all that are named or none.", "O(n) for n settings",
        "(parameter_value: parameter value)...";
        since "7.0.0" "Several settings."
};

const LATENCY: &[Spec] = table! { "latency|":
    "doctor", 2, [Admin, NoScript, Loading, Stale], [], Server, "2.8.13", Session(latency::doctor);
        "Says in words what was slow.", "O(1)"
    "graph", 3, [Admin, NoScript, Loading, Stale], [], Server, "2.8.13", Session(latency::graph);
        "Draws the delays of one kind.", "O(1)",
        "event"
    "help", 2, [Loading, Stale], [], Server, "2.8.13", Session(latency::help);
        "Lists the subcommands.", "O(1)"
    "histogram", -2, [Admin, NoScript, Loading, Stale], [], Server, "7.0.0", Session(latency::histogram);
        "Counts calls of commands by how long they took.", "O(n) for n commands that are named",
        "[command...]"
    "history", 3, [Admin, NoScript, Loading, Stale], [], Server, "2.8.13", Session(latency::history);
        "Returns the delays of one kind.", "O(1)",
        "event"
    "latest", 2, [Admin, NoScript, Loading, Stale], [], Server, "2.8.13", Session(latency::latest);
        "Returns the last delay of each kind.", "O(1)"
    "reset", -2, [Admin, NoScript, Loading, Stale], [], Server, "2.8.13", Session(latency::reset);
        "Forgets delays.", "O(n) for n kinds of delays",
        "[event...]"
};

const MEMORY: &[Spec] = table! { "memory|":
    "doctor", 2, [], [], Server, "4.0.0", Session(memory::doctor);
        "Says in words where memory goes.", "O(1)"
    "help", 2, [Loading, Stale], [], Server, "4.0.0", Session(memory::help);
        "Lists the subcommands.", "O(1)"
    "malloc-stats", 2, [], [], Server, "4.0.0", Session(memory::malloc_stats);
        "Describes the allocator, which keeps no numbers.", "O(1)"
    "purge", 2, [], [], Server, "4.0.0", Session(memory::purge);
        "Accepted, and without effect.", "O(1)"
    "stats", 2, [], [], Server, "4.0.0", Session(memory::stats);
        "Returns numbers about memory.", "O(1)"
    "usage", -3, [ReadOnly], [Ask: SECOND], Server, "4.0.0", Keys(memory::usage);
        "Returns how many bytes a key and its value take.", "O(n) for n elements that are weighed",
        "key [SAMPLES count:integer]"
};

const MODULE: &[Spec] = table! { "module|":
    "help", 2, [Loading, Stale], [], Server, "5.0.0", Session(modules::help);
        "Lists the subcommands.", "O(1)"
    "list", 2, [Admin, NoScript], [], Server, "4.0.0", Session(modules::list);
        "Names the modules, of which there are none.", "O(1)"
};

const SLOWLOG: &[Spec] = table! { "slowlog|":
    "get", -2, [Admin, Loading, Stale], [], Server, "2.2.12", Session(slowlog::get);
        "Returns the last slow commands.", "O(n) for n entries",
        "[count:integer]";
        since "4.0.0" "The address and the name of the client."
    "help", 2, [Loading, Stale], [], Server, "6.2.0", Session(slowlog::help);
        "Lists the subcommands.", "O(1)"
    "len", 2, [Admin, Loading, Stale], [], Server, "2.2.12", Session(slowlog::len);
        "Counts the slow commands that are kept.", "O(1)"
    "reset", 2, [Admin, Loading, Stale], [], Server, "2.2.12", Session(slowlog::reset);
        "Forgets the slow commands.", "O(n) for n entries"
};

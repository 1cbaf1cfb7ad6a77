//! Commands about the server.

use crate::commands::table::Flag::{Admin, Fast, Loading, NoScript, ReadOnly, Stale, Write};
use crate::commands::table::Handler::{Container, Keys, Session};
use crate::commands::table::{Group, Spec, table};
use crate::commands::{generic, introspection, server};

/// The rows of the table.
pub(super) static ROWS: &[Spec] = table! { "":
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

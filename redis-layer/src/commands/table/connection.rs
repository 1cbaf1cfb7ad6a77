//! Commands about connections.

use crate::commands::table::Flag::{Admin, AllowBusy, Fast, Loading, NoAuth, NoScript, Stale};
use crate::commands::table::Handler::{Container, Session};
use crate::commands::table::{Group, Spec, table};
use crate::commands::{client, connection};

/// The rows of the table.
pub(super) static ROWS: &[Spec] = table! { "":
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

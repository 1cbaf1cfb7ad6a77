//! Commands about connections.

use crate::commands::table::Flag::{Admin, AllowBusy, Fast, Loading, NoAuth, NoScript, Stale};
use crate::commands::table::Handler::{Container, Session};
use crate::commands::table::{Group, Spec, table};
use crate::commands::{client, connection};

/// The rows of the table.
pub(super) static ROWS: &[Spec] = table! { "":
    "auth", -2, [NoScript, Loading, Stale, Fast, NoAuth, AllowBusy], [], Connection, "1.0.0", Session(connection::auth);
        "Says who the client is, with the password."
    "client", -2, [], [], Connection, "2.4.0", Container => CLIENT;
        "Commands about connections."
    "echo", 2, [Loading, Stale, Fast], [], Connection, "1.0.0", Session(connection::echo);
        "Returns its argument."
    "hello", -1, [NoScript, Loading, Stale, Fast, NoAuth, AllowBusy], [], Connection, "6.0.0", Session(connection::hello);
        "Chooses the protocol and describes the server."
    "ping", -1, [Fast], [], Connection, "1.0.0", Session(connection::ping);
        "Answers PONG, or its argument."
    "quit", -1, [NoScript, Loading, Stale, Fast, NoAuth, AllowBusy], [], Connection, "1.0.0", Session(connection::quit);
        "Answers, then closes the connection."
    "reset", 1, [NoScript, Loading, Stale, Fast, NoAuth, AllowBusy], [], Connection, "6.2.0", Session(connection::reset);
        "Makes the connection as it was when it began."
    "select", 2, [Loading, Stale, Fast], [], Connection, "1.0.0", Session(connection::select);
        "Chooses the database, 0 to 15."
};

const CLIENT: &[Spec] = table! { "client|":
    "caching", 3, [NoScript, Loading, Stale], [], Connection, "6.0.0", Session(client::tracking::caching);
        "Says whether the keys of the next command are tracked."
    "getname", 2, [NoScript, Loading, Stale], [], Connection, "2.6.9", Session(client::getname);
        "Returns the name of this connection."
    "getredir", 2, [NoScript, Loading, Stale], [], Connection, "6.0.0", Session(client::tracking::getredir);
        "Names the connection that gets the messages about tracked keys."
    "help", 2, [Loading, Stale], [], Connection, "5.0.0", Session(client::help);
        "Lists the subcommands."
    "id", 2, [NoScript, Loading, Stale], [], Connection, "5.0.0", Session(client::id);
        "Returns the number of this connection."
    "info", 2, [NoScript, Loading, Stale], [], Connection, "6.2.0", Session(client::info);
        "Describes this connection."
    "kill", -3, [Admin, NoScript, Loading, Stale], [], Connection, "2.4.0", Session(client::kill);
        "Ends connections."
    "list", -2, [Admin, NoScript, Loading, Stale], [], Connection, "2.4.0", Session(client::list);
        "Describes all connections, or some."
    "no-evict", 3, [Admin, NoScript, Loading, Stale], [], Connection, "7.0.0", Session(client::no_evict);
        "Protects this connection when clients hold too much memory."
    "pause", -3, [Admin, NoScript, Loading, Stale], [], Connection, "2.9.50", Session(client::pause);
        "Holds commands back for a while, all or those that write."
    "reply", 3, [NoScript, Loading, Stale], [], Connection, "3.2.0", Session(client::reply);
        "Turns replies on or off, or skips the next one."
    "setname", 3, [NoScript, Loading, Stale], [], Connection, "2.6.9", Session(client::setname);
        "Names this connection."
    "tracking", -3, [NoScript, Loading, Stale], [], Connection, "6.0.0", Session(client::tracking::tracking);
        "Tells this client when keys change that it may have kept."
    "trackinginfo", 2, [NoScript, Loading, Stale], [], Connection, "6.2.0", Session(client::tracking::trackinginfo);
        "Says how this connection tracks keys."
    "unblock", -3, [Admin, NoScript, Loading, Stale], [], Connection, "5.0.0", Session(client::unblock);
        "Ends the wait of another connection."
    "unpause", 2, [Admin, NoScript, Loading, Stale], [], Connection, "6.2.0", Session(client::unpause);
        "Ends a pause."
};

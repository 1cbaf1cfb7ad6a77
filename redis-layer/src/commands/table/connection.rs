//! Commands about connections.

use crate::commands::connection::{client, hello};
use crate::commands::table::Flag::{Admin, AllowBusy, Fast, Loading, NoAuth, NoScript, Stale};
use crate::commands::table::Handler::{Container, Session};
use crate::commands::table::{Group, Spec, table};

/// The rows of the table.
pub(super) static ROWS: &[Spec] = table! { "":
    "auth", -2, [NoScript, Loading, Stale, Fast, NoAuth, AllowBusy], [], Connection, "1.0.0", Session(hello::auth);
        "Says who the client is, with the password.", "O(1)",
        "[username]@6.0.0 password";
        since "6.0.0" "The name of a user."
    "client", -2, [], [], Connection, "2.4.0", Container => CLIENT;
        "Commands about connections.", "Depends on the subcommand."
    "echo", 2, [Loading, Stale, Fast], [], Connection, "1.0.0", Session(hello::echo);
        "Returns its argument.", "O(1)",
        "message"
    "hello", -1, [NoScript, Loading, Stale, Fast, NoAuth, AllowBusy], [], Connection, "6.0.0", Session(hello::hello);
        "Chooses the protocol and describes the server.", "O(1)",
        "[arguments: protover:integer [AUTH username_password: username password] [SETNAME clientname]]";
        since "6.2.0" "Without a version it describes the connection as it is."
    "ping", -1, [Fast], [], Connection, "1.0.0", Session(hello::ping);
        "Answers PONG, or its argument.", "O(1)",
        "[message]"
    "quit", -1, [NoScript, Loading, Stale, Fast, NoAuth, AllowBusy], [], Connection, "1.0.0", Session(hello::quit);
        "Answers, then closes the connection.", "O(1)"
    "reset", 1, [NoScript, Loading, Stale, Fast, NoAuth, AllowBusy], [], Connection, "6.2.0", Session(hello::reset);
        "Makes the connection as it was when it began.", "O(1)"
    "select", 2, [Loading, Stale, Fast], [], Connection, "1.0.0", Session(hello::select);
        "Chooses the database, 0 to 15.", "O(1)",
        "index:integer"
};

const CLIENT: &[Spec] = table! { "client|":
    "caching", 3, [NoScript, Loading, Stale], [], Connection, "6.0.0", Session(client::tracking::caching);
        "Says whether the keys of the next command are tracked.", "O(1)",
        "(mode: YES | NO)"
    "getname", 2, [NoScript, Loading, Stale], [], Connection, "2.6.9", Session(client::getname);
        "Returns the name of this connection.", "O(1)"
    "getredir", 2, [NoScript, Loading, Stale], [], Connection, "6.0.0", Session(client::tracking::getredir);
        "Names the connection that gets the messages about tracked keys.", "O(1)"
    "help", 2, [Loading, Stale], [], Connection, "5.0.0", Session(client::help);
        "Lists the subcommands.", "O(1)"
    "id", 2, [NoScript, Loading, Stale], [], Connection, "5.0.0", Session(client::id);
        "Returns the number of this connection.", "O(1)"
    "info", 2, [NoScript, Loading, Stale], [], Connection, "6.2.0", Session(client::info);
        "Describes this connection.", "O(1)"
    "kill", -3, [Admin, NoScript, Loading, Stale], [], Connection, "2.4.0", Session(client::kill);
        "Ends connections.", "O(n) for n connections",
        "(filter: ip:port:string~2.8.12 | (new-format: [ID client-id:integer]@2.8.12 |
                [TYPE normal_master_slave_pubsub: NORMAL | MASTER@3.2.0 | SLAVE | REPLICA@5.0.0 | PUBSUB]@2.8.12 |
                [USER username] | [ADDR ip:port:string] | [LADDR ip:port:string]@6.2.0 | [SKIPME yes/no])...)";
        since "2.8.12" "The form with filters.";
        since "2.8.12" "The filter ID.";
        since "3.2.0" "The type master.";
        since "5.0.0" "The type replica, which is also called slave.";
        since "6.2.0" "The filter LADDR."
    "list", -2, [Admin, NoScript, Loading, Stale], [], Connection, "2.4.0", Session(client::list);
        "Describes all connections, or some.", "O(n) for n connections",
        "[TYPE normal_master_replica_pubsub: NORMAL | MASTER | REPLICA | PUBSUB]@5.0.0
            [ID id: client-id:integer...]@6.2.0";
        since "2.8.12" "The field id.";
        since "5.0.0" "The filter TYPE.";
        since "6.0.0" "The field user.";
        since "6.2.0" "The fields argv-mem, tot-mem, laddr and redir, and the filter ID.";
        since "7.0.0" "The fields resp, multi-mem, rbs and rbp.";
        since "7.0.3" "The field ssub."
    "no-evict", 3, [Admin, NoScript, Loading, Stale], [], Connection, "7.0.0", Session(client::no_evict);
        "Protects this connection when clients hold too much memory.", "O(1)",
        "(enabled: ON | OFF)"
    "pause", -3, [Admin, NoScript, Loading, Stale], [], Connection, "2.9.50", Session(client::pause);
        "Holds commands back for a while, all or those that write.", "O(1)",
        "timeout:integer [mode: WRITE | ALL]@6.2.0";
        since "6.2.0" "The options WRITE and ALL."
    "reply", 3, [NoScript, Loading, Stale], [], Connection, "3.2.0", Session(client::reply);
        "Turns replies on or off, or skips the next one.", "O(1)",
        "(on_off_skip: ON | OFF | SKIP)"
    "setname", 3, [NoScript, Loading, Stale], [], Connection, "2.6.9", Session(client::setname);
        "Names this connection.", "O(1)",
        "connection-name"
    "tracking", -3, [NoScript, Loading, Stale], [], Connection, "6.0.0", Session(client::tracking::tracking);
        "Tells this client when keys change that it may have kept.", "O(1)",
        "(status: ON | OFF) [REDIRECT client-id:integer] [PREFIX prefix]... [BCAST] [OPTIN] [OPTOUT] [NOLOOP]"
    "trackinginfo", 2, [NoScript, Loading, Stale], [], Connection, "6.2.0", Session(client::tracking::trackinginfo);
        "Says how this connection tracks keys.", "O(1)"
    "unblock", -3, [Admin, NoScript, Loading, Stale], [], Connection, "5.0.0", Session(client::unblock);
        "Ends the wait of another connection.", "O(1)",
        "client-id:integer [timeout_error: TIMEOUT | ERROR]"
    "unpause", 2, [Admin, NoScript, Loading, Stale], [], Connection, "6.2.0", Session(client::unpause);
        "Ends a pause.", "O(n) for n connections that are held back"
};

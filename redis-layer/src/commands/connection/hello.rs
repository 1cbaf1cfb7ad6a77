//! Commands about the connection: greeting, authentication, the database, leaving.

use crate::commands::args::is_word;
use crate::commands::connection::client::set_name;
use crate::commands::context::replies::Replies;
use crate::commands::keys::databases::database;
use crate::commands::{Args, CommandError, Outcome, Protocol, REDIS_VERSION, Reply, Session};
use crate::types::number::{c_text, parse_integer};

const WRONG_PASSWORD: CommandError =
    CommandError::fixed("WRONGPASS invalid username-password pair or user is disabled.");

/// `PING [message]`: for a subscriber that speaks RESP2, the answer looks like a message.
pub(crate) fn ping(session: &mut Session, args: Args<'_>) -> Outcome {
    if args.len() > 2 {
        return Err(CommandError::arity(args.spec.full_name));
    }
    // A script is no subscriber, and has a protocol of its own.
    let hears_messages = session.is_subscriber() && !session.in_script;
    if hears_messages && session.protocol == Protocol::Resp2 {
        return Ok(Reply::Array(vec![
            Reply::text("pong"),
            Reply::Bulk(args.bytes(1)),
        ]));
    }
    match args.len() {
        1 => Ok(Reply::Status("PONG")),
        _ => Ok(Reply::Bulk(args.bytes(1))),
    }
}

/// `ECHO message`
pub(crate) fn echo(_session: &mut Session, args: Args<'_>) -> Outcome {
    Ok(Reply::Bulk(args.bytes(1)))
}

/// `SELECT index`
pub(crate) fn select(session: &mut Session, args: Args<'_>) -> Outcome {
    session.set_db(database(args, 1)?);
    Ok(Reply::OK)
}

/// `QUIT`
pub(crate) fn quit(session: &mut Session, _args: Args<'_>) -> Outcome {
    session.closing = true;
    Ok(Reply::OK)
}

/// `RESET`: puts the connection back into the state in which it began.
pub(crate) fn reset(session: &mut Session, _args: Args<'_>) -> Outcome {
    session.queue = None;
    session.unwatch();
    session.unsubscribe_all();
    session.stop_tracking();
    session.server.monitors.remove(session.id);
    session.is_monitor = false;
    session.set_db(0);
    session.set_protocol(Protocol::Resp2);
    // Where this very reply is to be skipped, it still is.
    if session.replies != Replies::Skip {
        session.replies = Replies::On;
    }
    session.set_account(session.server.users.default_account());
    session.is_authenticated = session.server.users.is_open();
    let mut view = session.peer.view.lock();
    let name = std::mem::take(&mut view.name);
    session.peer.keeps_no_more(name.len());
    view.is_monitor = false;
    Ok(Reply::Status("RESET"))
}

/// `AUTH [username] password`
pub(crate) fn auth(session: &mut Session, args: Args<'_>) -> Outcome {
    match args.len() {
        2 if session.server.users.default_account().needs_no_password() => {
            Err(CommandError::fixed(
                "ERR AUTH <password> called without any password configured for the default user. \
             Are you sure your configuration is correct?",
            ))
        }
        2 => authenticate(session, args, b"default", args.get(1)).map(|()| Reply::OK),
        3 => authenticate(session, args, args.get(1), args.get(2)).map(|()| Reply::OK),
        _ => Err(CommandError::SYNTAX),
    }
}

/// Checks a user and a password, and makes the connection one of that user. A refusal is noted for `ACL LOG`.
fn authenticate(
    session: &mut Session,
    args: Args<'_>,
    user: &[u8],
    password: &[u8],
) -> Result<(), CommandError> {
    let Some(account) = session.server.users.log_in(user, password) else {
        session.server.acl_log.refused(session, args, user);
        return Err(WRONG_PASSWORD);
    };
    session.set_account(account);
    session.is_authenticated = true;
    Ok(())
}

/// `HELLO [version [AUTH username password] [SETNAME name]]`
pub(crate) fn hello(session: &mut Session, args: Args<'_>) -> Outcome {
    let protocol = match args.len() {
        1 => session.protocol,
        _ => match parse_integer(args.get(1)) {
            Some(2) => Protocol::Resp2,
            Some(3) => Protocol::Resp3,
            Some(_) => {
                return Err(CommandError::fixed("NOPROTO unsupported protocol version"));
            }
            None => {
                return Err(CommandError::fixed(
                    "ERR Protocol version is not an integer or out of range",
                ));
            }
        },
    };
    apply_hello_options(session, args)?;
    if !session.is_trusted() {
        return Err(CommandError::fixed(
            "NOAUTH HELLO must be called with the client already authenticated, otherwise the \
             HELLO AUTH <user> <pass> option can be used to authenticate the client and \
             select the RESP protocol version at the same time",
        ));
    }
    session.set_protocol(protocol);
    let entry = |name, value| (Reply::text(name), value);
    Ok(Reply::Map(vec![
        entry("server", Reply::text("redis")),
        entry("version", Reply::text(REDIS_VERSION)),
        entry("proto", Reply::Integer(protocol.number())),
        entry("id", Reply::count(session.id)),
        entry("mode", Reply::text("standalone")),
        entry("role", Reply::text("master")),
        entry("modules", Reply::Array(Vec::new())),
    ]))
}

/// Applies the options one after the other: the credentials, and the name of the connection. If one is refused, those
/// before it stay in effect.
fn apply_hello_options(session: &mut Session, args: Args<'_>) -> Result<(), CommandError> {
    let mut options = args.from(2);
    while let [option, values @ ..] = options {
        options = match values {
            [user, password, rest @ ..] if is_word(option, "AUTH") => {
                authenticate(session, args, user, password)?;
                rest
            }
            [name, rest @ ..] if is_word(option, "SETNAME") => {
                set_name(session, name)?;
                rest
            }
            _ => {
                return Err(CommandError::quoting(&[
                    b"ERR Syntax error in HELLO option '",
                    c_text(option),
                    b"'",
                ]));
            }
        };
    }
    Ok(())
}

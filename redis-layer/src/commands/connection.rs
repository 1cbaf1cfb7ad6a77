//! Commands about the connection: greeting, databases, authentication.

use bytes::Bytes;

use crate::commands::args::is_word;
use crate::commands::client::set_name;
use crate::commands::{
    Args, CommandError, DATABASES, Outcome, Protocol, REDIS_VERSION, Reply, Session,
};
use crate::types::number::{c_text, parse_integer};

const WRONG_PASSWORD: CommandError =
    CommandError::fixed("WRONGPASS invalid username-password pair or user is disabled.");

/// `PING [message]`
pub(crate) fn ping(_session: &mut Session, args: Args<'_>) -> Outcome {
    match args.len() {
        1 => Ok(Reply::Status("PONG")),
        2 => Ok(Reply::Bulk(args.bytes(1))),
        _ => Err(CommandError::arity(args.spec.full_name)),
    }
}

/// `ECHO message`
pub(crate) fn echo(_session: &mut Session, args: Args<'_>) -> Outcome {
    Ok(Reply::Bulk(args.bytes(1)))
}

/// `SELECT index`
pub(crate) fn select(session: &mut Session, args: Args<'_>) -> Outcome {
    let index = args.integer(1)?;
    if i32::try_from(index).is_err() {
        return Err(CommandError::fixed(
            "ERR value is out of range, value must between -2147483648 and 2147483647",
        ));
    }
    let db = u32::try_from(index).ok().filter(|&index| index < DATABASES);
    session.set_db(db.ok_or(CommandError::fixed("ERR DB index is out of range"))?);
    Ok(Reply::OK)
}

/// `QUIT`
pub(crate) fn quit(session: &mut Session, _args: Args<'_>) -> Outcome {
    session.closing = true;
    Ok(Reply::OK)
}

/// `AUTH [username] password`: the one user is `default`, without a password.
pub(crate) fn auth(_session: &mut Session, args: Args<'_>) -> Outcome {
    match args.len() {
        2 => Err(CommandError::fixed(
            "ERR AUTH <password> called without any password configured for the default user. \
             Are you sure your configuration is correct?",
        )),
        3 => authenticate(args.get(1)).map(|()| Reply::OK),
        _ => Err(CommandError::SYNTAX),
    }
}

/// A user without a password takes any password.
fn authenticate(user: &[u8]) -> Result<(), CommandError> {
    if user == b"default" {
        Ok(())
    } else {
        Err(WRONG_PASSWORD)
    }
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
    hello_options(session, args.from(2))?;
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

fn hello_options(session: &Session, mut options: &[Bytes]) -> Result<(), CommandError> {
    while let [option, values @ ..] = options {
        options = match values {
            [user, _password, rest @ ..] if is_word(option, "AUTH") => {
                authenticate(user)?;
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

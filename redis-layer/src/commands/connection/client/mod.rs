//! `CLIENT`: the list of connections, and their state.
//!
//! ```text
//! list        CLIENT LIST and INFO
//! kill        ends connections of others
//! pause       delays the commands of all
//! tracking    tells clients that keep copies of values when these are out of date
//! ```

mod kill;
mod list;
mod pause;
pub(crate) mod tracking;

pub(crate) use kill::kill;
pub(crate) use list::{describe, info, list};
pub(crate) use pause::{Pause, pause, unpause};

use std::sync::atomic::Ordering;

use crate::commands::manual::help_lines;
use crate::commands::{Args, CommandError, Outcome, Reply, Session};
use crate::types::number::c_text;

/// `CLIENT ID`
pub(crate) fn id(session: &mut Session, _args: Args<'_>) -> Outcome {
    Ok(Reply::count(session.id))
}

/// `CLIENT GETNAME`
pub(crate) fn getname(session: &mut Session, _args: Args<'_>) -> Outcome {
    let name = session.peer.view.lock().name.clone();
    Ok(Reply::bulk_or_null((!name.is_empty()).then(|| name.into())))
}

/// `CLIENT SETNAME name`
pub(crate) fn setname(session: &mut Session, args: Args<'_>) -> Outcome {
    set_name(session, args.get(2)).map(|()| Reply::OK)
}

/// Names a connection; an empty name removes the name.
pub(crate) fn set_name(session: &Session, name: &[u8]) -> Result<(), CommandError> {
    // `CLIENT LIST` separates fields by spaces and lines by line breaks, so a name may contain neither.
    if !name.iter().all(u8::is_ascii_graphic) {
        return Err(CommandError::fixed(
            "ERR Client names cannot contain spaces, newlines or special characters.",
        ));
    }
    let before = std::mem::replace(&mut session.peer.view.lock().name, name.to_vec());
    session.peer.keeps(name.len());
    session.peer.keeps_no_more(before.len());
    Ok(())
}

/// `CLIENT NO-EVICT ON | OFF`
pub(crate) fn no_evict(session: &mut Session, args: Args<'_>) -> Outcome {
    let is_on = if args.is(2, "ON") {
        true
    } else if args.is(2, "OFF") {
        false
    } else {
        return Err(CommandError::SYNTAX);
    };
    session.peer.no_evict.store(is_on, Ordering::Relaxed);
    Ok(Reply::OK)
}

/// `CLIENT REPLY ON | OFF | SKIP`
pub(crate) fn reply(session: &mut Session, args: Args<'_>) -> Outcome {
    let replies = session.replies;
    if args.is(2, "ON") {
        session.replies = replies.on();
        return Ok(Reply::OK);
    }
    session.replies = if args.is(2, "OFF") {
        replies.off()
    } else if args.is(2, "SKIP") {
        replies.skip()
    } else {
        return Err(CommandError::SYNTAX);
    };
    Ok(Reply::Silence)
}

/// `CLIENT UNBLOCK id [TIMEOUT | ERROR]`
pub(crate) fn unblock(session: &mut Session, args: Args<'_>) -> Outcome {
    let error = match args.len() {
        3 => None,
        4 if args.is(3, "TIMEOUT") => None,
        4 if args.is(3, "ERROR") => Some(CommandError::fixed(
            "UNBLOCKED client unblocked via CLIENT UNBLOCK",
        )),
        4 => {
            return Err(CommandError::fixed(
                "ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR",
            ));
        }
        _ => return Err(CommandError::unknown_subcommand(args.spec, args.get(1))),
    };
    let id = u64::try_from(args.integer(2)?).unwrap_or(0);
    let server = &session.server;
    let waited = server.peer(id).is_some() && server.blocked.unblock(server, id, error);
    Ok(Reply::yes_or_no(waited))
}

/// `CLIENT HELP`
pub(crate) fn help(_session: &mut Session, _args: Args<'_>) -> Outcome {
    Ok(help_lines("client"))
}

/// The kind of a client, for `LIST` and `KILL`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClientType {
    Normal,
    PubSub,
    /// There is no replication, so there are no such clients.
    Replication,
}

impl ClientType {
    fn parse(args: Args<'_>, position: usize) -> Result<Self, CommandError> {
        if args.is(position, "normal") {
            Ok(Self::Normal)
        } else if args.is(position, "pubsub") {
            Ok(Self::PubSub)
        } else if ["slave", "replica", "master"]
            .iter()
            .any(|word| args.is(position, word))
        {
            Ok(Self::Replication)
        } else {
            let name = c_text(args.get(position));
            let parts = [b"ERR Unknown client type '", name, b"'"];
            Err(CommandError::quoting(&parts))
        }
    }
}

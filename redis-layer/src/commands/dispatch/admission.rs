//! Whether a command may run now, decided before its arguments are looked at. The refusals come in Redis's order.

use crate::commands::acl::{Context, Denied};
use crate::commands::table::Flag;
use crate::commands::{Args, CommandError, Protocol, Session, scripting};

/// Why a client may not send a command now.
enum Refusal {
    /// Its user may not. That is logged.
    Denied(Denied),
    Other(CommandError),
}

impl From<CommandError> for Refusal {
    fn from(error: CommandError) -> Self {
        Self::Other(error)
    }
}

/// Refuses a command that this client may not send now.
///
/// # Errors
/// Redis's text for the first reason that applies.
pub(crate) fn admit(session: &Session, args: Args<'_>) -> Result<(), CommandError> {
    check(session, args).map_err(|refusal| match refusal {
        Refusal::Denied(denied) => {
            let log = &session.server.acl_log;
            log.denied(session, args, denied, Context::Client);
            denied.refusal(args.spec)
        }
        Refusal::Other(error) => error,
    })
}

/// Whether [`admit`] would refuse a command.
pub(crate) fn would_refuse(session: &Session, args: Args<'_>) -> bool {
    check(session, args).is_err()
}

fn check(session: &Session, args: Args<'_>) -> Result<(), Refusal> {
    let spec = args.spec;
    if !session.is_trusted() && !spec.has(Flag::NoAuth) {
        return Err(CommandError::fixed("NOAUTH Authentication required.").into());
    }
    if session.queue.is_some() && spec.has(Flag::NoMulti) {
        return Err(CommandError::fixed("ERR Command not allowed inside a transaction").into());
    }
    session.account.check(args).map_err(Refusal::Denied)?;
    if session.is_subscriber()
        && session.protocol == Protocol::Resp2
        && !is_for_subscribers(spec.full_name)
    {
        let parts = [
            b"ERR Can't execute '",
            spec.full_name.as_bytes(),
            b"': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this \
              context",
        ];
        return Err(CommandError::quoting(&parts).into());
    }
    if session.server.scripts.is_busy() && !spec.has(Flag::AllowBusy) {
        return Err(scripting::BUSY.into());
    }
    if session.is_monitor
        && (spec.has(Flag::ReadOnly) || session.server.may_write(spec, args.from(0)))
    {
        return Err(CommandError::fixed("ERR Replica can't interact with the keyspace").into());
    }
    Ok(())
}

impl Session {
    /// Whether no command with keys is refused or held back now, and none changes the state of the connection. A
    /// client that tracks keys is excluded: its reads are noted command by command, before the snapshot is taken.
    pub(crate) fn may_run_plainly(&self) -> bool {
        self.is_trusted()
            && self.account.is_unrestricted()
            && !self.is_subscriber()
            && !self.is_monitor
            && self.tracking.mode.is_none()
            && !self.server.pause.may_be_on()
    }
}

/// In RESP2 a message looks like a reply, so a subscriber may only send commands that change its subscriptions, and a
/// few others.
fn is_for_subscribers(name: &str) -> bool {
    matches!(
        name,
        "ping"
            | "subscribe"
            | "ssubscribe"
            | "psubscribe"
            | "unsubscribe"
            | "sunsubscribe"
            | "punsubscribe"
            | "quit"
            | "reset"
    )
}

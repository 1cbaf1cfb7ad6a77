//! `ACL LOG`: what was refused to users: passwords, commands, keys and channels.
//!
//! Refusals that are alike and follow each other within a minute share one entry, which counts them. Newest first.

use std::collections::VecDeque;

use bytes::Bytes;
use parking_lot::Mutex;

use super::Denied;
use crate::commands::connection::client::describe;
use crate::commands::{Args, CommandError, Outcome, Reply, Session};

/// How long after the last refusal a similar one is counted with it.
const TOGETHER_MS: i64 = 60_000;
/// How many of the newest entries are searched for a similar one.
const LOOKED_AT: usize = 10;

/// The refusals, newest first.
#[derive(Debug, Default)]
pub(crate) struct AclLog {
    newest_first: Mutex<VecDeque<Entry>>,
}

/// Refusals that are alike.
#[derive(Debug, Clone)]
struct Entry {
    what: What,
    count: i64,
    last_ms: i64,
    client: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct What {
    reason: &'static str,
    context: &'static str,
    object: Bytes,
    user: Bytes,
}

/// How many bytes of a name are kept: a client can send a name of any length.
const KEPT_BYTES: usize = 128;

/// How many bytes of the line about a client are kept.
const LINE_BYTES: usize = 4096;

/// The start of a name that a client sent, copied into its own memory.
fn kept(name: &[u8]) -> Bytes {
    Bytes::copy_from_slice(&name[..name.len().min(KEPT_BYTES)])
}

/// The start of what `CLIENT INFO` says of a client: the name in it may be of any length.
fn described(session: &Session, args: Args<'_>) -> String {
    let mut line = describe(session, args);
    if line.len() > LINE_BYTES {
        line.truncate(line.floor_char_boundary(LINE_BYTES));
        line.shrink_to_fit();
    }
    line
}

/// Where a command comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Context {
    /// From a client, perhaps in a transaction.
    Client,
    /// From a transaction that is run.
    Transaction,
    /// From a script.
    Script,
}

impl Context {
    const fn word(self, session: &Session) -> &'static str {
        match self {
            Self::Script => "lua",
            Self::Transaction => "multi",
            Self::Client if session.in_transaction || session.queue.is_some() => "multi",
            Self::Client => "toplevel",
        }
    }
}

impl AclLog {
    /// Notes that a user's password was refused.
    pub(crate) fn refused(&self, session: &Session, args: Args<'_>, user: &[u8]) {
        let what = What {
            reason: "auth",
            context: Context::Client.word(session),
            object: kept(args.get(0)),
            user: kept(user),
        };
        self.note(session, args, what);
    }

    /// Notes that a client was refused what its user may not do.
    pub(crate) fn denied(&self, session: &Session, args: Args<'_>, denied: Denied, from: Context) {
        let what = What {
            reason: denied.reason(),
            context: from.word(session),
            object: kept(denied.object(args)),
            user: kept(&session.account.name),
        };
        self.note(session, args, what);
    }

    fn note(&self, session: &Session, args: Args<'_>, what: What) {
        let most = session.server.config.get("acllog-max-len");
        let most = most.parse().unwrap_or(0);
        let now_ms = session.server.clock.now_ms();
        let mut entries = self.newest_first.lock();
        let like_it = entries.iter().take(LOOKED_AT).position(|entry| {
            entry.what == what && now_ms.saturating_sub(entry.last_ms) <= TOGETHER_MS
        });
        let before = like_it.and_then(|at| entries.remove(at));
        let count = before.map_or(0, |entry| entry.count) + 1;
        entries.push_front(Entry {
            what,
            count,
            last_ms: now_ms,
            client: described(session, args),
        });
        if count == 1 {
            entries.truncate(most);
        }
    }
}

/// `ACL LOG [count | RESET]`
pub(crate) fn log(session: &mut Session, args: Args<'_>) -> Outcome {
    let entries = &session.server.acl_log.newest_first;
    if args.len() > 3 {
        return Err(CommandError::unknown_subcommand(args.spec, args.get(1)));
    }
    if args.len() == 3 && args.is(2, "RESET") {
        entries.lock().clear();
        return Ok(Reply::OK);
    }
    let count = if args.len() == 3 {
        args.integer(2)?
    } else {
        10
    };
    let count = usize::try_from(count).unwrap_or(0);
    let now_ms = session.server.clock.now_ms();
    let entries = entries.lock();
    let shown = entries.iter().take(count).map(|entry| show(entry, now_ms));
    Ok(Reply::Array(shown.collect()))
}

fn show(entry: &Entry, now_ms: i64) -> Reply {
    let age_ms = now_ms.saturating_sub(entry.last_ms);
    #[expect(
        clippy::cast_precision_loss,
        reason = "an age in milliseconds is small"
    )]
    let age_s = age_ms as f64 / 1000.0;
    let fields = [
        ("count", Reply::Integer(entry.count)),
        ("reason", Reply::text(entry.what.reason)),
        ("context", Reply::text(entry.what.context)),
        ("object", Reply::Bulk(entry.what.object.clone())),
        ("username", Reply::Bulk(entry.what.user.clone())),
        ("age-seconds", Reply::Double(age_s)),
        ("client-info", Reply::Bulk(entry.client.clone().into())),
    ];
    Reply::Map(
        fields
            .map(|(name, value)| (Reply::text(name), value))
            .into(),
    )
}

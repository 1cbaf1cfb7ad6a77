//! From arguments to a reply: find the command, check it, lock its keys, run it, commit.
//!
//! The order of the refusals is the one of Redis: unknown command, wrong number of arguments,
//! then what the command itself finds. A refused command changes nothing: its transaction is
//! dropped.

use std::sync::atomic::Ordering;

use bytes::Bytes;

use crate::commands::session::Replies;
use crate::commands::table::{Flag, Handler, Spec, find};
use crate::commands::{Args, CommandError, Outcome, Reply, Session};
use crate::store::Scope;
use crate::types::number::c_text;
use crate::types::rows::metadata_key;
use crate::types::{self, Txn};

/// How many bytes of an argument an error text quotes.
const QUOTED_BYTES: usize = 128;

/// A command that has run.
#[derive(Debug)]
pub struct Executed {
    /// What to answer.
    pub reply: Reply,
    /// Whether the store was changed, so that a sync may be due before the answer.
    pub wrote: bool,
}

/// Runs one command. `args` holds its name and its arguments. Nothing at all gets no answer.
pub fn execute(session: &mut Session, args: &[Bytes]) -> Executed {
    if args.is_empty() {
        let reply = Reply::Silence;
        return Executed {
            reply,
            wrote: false,
        };
    }
    if session.replies == Replies::SkipNext {
        session.replies = Replies::Skip;
    }
    session
        .server
        .counters
        .commands
        .fetch_add(1, Ordering::Relaxed);
    let mut wrote = false;
    let outcome = resolve(args).and_then(|spec| {
        let now_ms = session.server.clock.now_ms();
        session.publish(spec.full_name, now_ms);
        run(session, Args::new(args, spec), now_ms, &mut wrote)
    });
    let reply = match session.replies {
        Replies::Off | Replies::Skip => Reply::Silence,
        Replies::On | Replies::SkipNext => outcome.unwrap_or_else(Reply::Error),
    };
    if session.replies == Replies::Skip {
        session.replies = Replies::On;
    }
    Executed { reply, wrote }
}

/// The table entry for a command, if its name is known and the number of arguments right.
fn resolve(args: &[Bytes]) -> Result<&'static Spec, CommandError> {
    let spec = find(&args[0]).ok_or_else(|| unknown_command(args))?;
    let spec = match args.get(1) {
        Some(name) if !spec.subcommands.is_empty() => spec
            .subcommand(name)
            .ok_or_else(|| unknown_subcommand(spec, name))?,
        _ => spec,
    };
    if !spec.accepts(args.len()) {
        return Err(CommandError::arity(spec.full_name));
    }
    Ok(spec)
}

fn run(session: &mut Session, args: Args<'_>, now_ms: i64, wrote: &mut bool) -> Outcome {
    let work = match args.spec.handler {
        Handler::Session(work) => return work(session, args),
        Handler::Keys(work) => work,
        Handler::Container => return Err(CommandError::arity(args.spec.full_name)),
    };
    let store = &*session.server.store;
    let _guard = if args.spec.has(Flag::Write) {
        let keys: Vec<Vec<u8>> = args
            .spec
            .keys
            .of(args.from(0))
            .map(|key| metadata_key(session.db, key))
            .collect();
        let scope = if args.spec.keys.is_none() {
            Scope::Everything
        } else {
            Scope::Keys(&keys)
        };
        Some(store.lock(scope).map_err(types::Error::from)?)
    } else {
        None
    };
    let mut txn = Txn::begin(store, session.db, now_ms)?;
    let reply = work(&mut txn, args)?;
    *wrote = txn.commit()?;
    Ok(reply)
}

/// The first bytes of C text.
fn quoted(text: &[u8], limit: usize) -> &[u8] {
    let text = c_text(text);
    &text[..text.len().min(limit)]
}

fn unknown_command(args: &[Bytes]) -> CommandError {
    let mut list = Vec::new();
    for arg in &args[1..] {
        if list.len() >= QUOTED_BYTES {
            break;
        }
        let shown = quoted(arg, QUOTED_BYTES - list.len());
        list.extend_from_slice(&[b"'", shown, b"' "].concat());
    }
    CommandError::quoting(&[
        b"ERR unknown command '",
        quoted(&args[0], QUOTED_BYTES),
        b"', with args beginning with: ",
        &list,
    ])
}

fn unknown_subcommand(spec: &Spec, name: &[u8]) -> CommandError {
    CommandError::quoting(&[
        b"ERR unknown subcommand '",
        quoted(name, QUOTED_BYTES),
        b"'. Try ",
        spec.name.to_ascii_uppercase().as_bytes(),
        b" HELP.",
    ])
}

//! `MULTI` and `WATCH`: several commands as one, and only if no other client interfered.
//!
//! After `MULTI`, commands are checked and queued. `EXEC` locks the keys of all of them, runs them in one [`Txn`],
//! each with its own savepoint, and commits once: other clients see all of it or nothing. If a command fails, its own
//! changes are undone and the others stay, as in Redis.
//!
//! `WATCH` leaves a flag at each key: see `watch`. `EXEC` checks the flag while it holds the locks of the watched keys, so
//! no change comes between the check and the commit.

mod watch;

use std::sync::Arc;

use bytes::Bytes;

use crate::commands::acl::{Context, Denied};
use crate::commands::args::own_copies;
use crate::commands::dispatch::key_locks::Locks;
use crate::commands::dispatch::{Executed, call, finish};
use crate::commands::table::{Flag, Handler, Spec};
use crate::commands::{Args, CommandError, Outcome, Reply, Session};
use crate::types::Txn;

pub(crate) use watch::{Watched, Watchers, unwatch, watch};

/// The commands queued since `MULTI`.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    commands: Vec<(&'static Spec, Vec<Bytes>)>,
    /// About how much memory they take.
    bytes: usize,
    /// Whether one of them was refused, which makes `EXEC` fail.
    pub(crate) refused: bool,
}

impl Queue {
    pub(crate) fn push(&mut self, spec: &'static Spec, args: &[Bytes]) {
        let args = own_copies(args);
        self.bytes += size_of_val(&args)
            + args
                .iter()
                .map(|arg| size_of_val(arg) + arg.len())
                .sum::<usize>();
        self.commands.push((spec, args));
    }

    /// About how much memory the commands take.
    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// The commands so far.
    pub(crate) fn commands(&self) -> &[(&'static Spec, Vec<Bytes>)] {
        &self.commands
    }

    /// How many commands there are.
    pub(crate) const fn len(&self) -> usize {
        self.commands.len()
    }
}

/// `MULTI`
pub(crate) fn multi(session: &mut Session, _args: Args<'_>) -> Outcome {
    if session.queue.is_some() {
        return Err(CommandError::fixed("ERR MULTI calls can not be nested"));
    }
    session.queue = Some(Queue::default());
    Ok(Reply::OK)
}

/// `DISCARD`
pub(crate) fn discard(session: &mut Session, _args: Args<'_>) -> Outcome {
    if session.queue.take().is_none() {
        return Err(CommandError::fixed("ERR DISCARD without MULTI"));
    }
    session.unwatch();
    Ok(Reply::OK)
}

/// `EXEC`
pub(crate) fn exec(session: &mut Session, now_ms: i64, executed: &mut Executed) -> Outcome {
    let Some(queue) = session.queue.take() else {
        return Err(CommandError::fixed("ERR EXEC without MULTI"));
    };
    let outcome = if queue.refused {
        Err(CommandError::fixed(
            "EXECABORT Transaction discarded because of previous errors.",
        ))
    } else {
        run(session, &queue, now_ms, executed)
    };
    session.unwatch();
    outcome
}

fn run(session: &mut Session, queue: &Queue, now_ms: i64, executed: &mut Executed) -> Outcome {
    let server = Arc::clone(&session.server);
    let watched = Arc::clone(session.watched.keys());
    server.begin_work_on(watched.len());
    let locks = locks(watched.iter().map(|(_, key)| key), queue);
    let guard = locks.take_or_refuse(&server)?;
    let txn = Txn::begin(&*server.store, &server.shared, session.db, now_ms)?;
    let mut txn = txn.under(locks.scope());
    if session.watched.is_changed() || session.watched.has_expired(now_ms) {
        return Ok(Reply::NullArray);
    }
    let mut replies = Vec::with_capacity(queue.len());
    let mut bytes = 0;
    let mut commands = queue.commands.iter();
    let changes_protocol = commands.any(|(spec, _)| spec.full_name == "hello");
    for (spec, args) in &queue.commands {
        // An earlier command of the transaction may have been a SELECT.
        txn.set_db(session.db);
        let args = Args::new(args, spec);
        let outcome = match session.account.check(args) {
            Ok(()) => call(session, &mut txn, args),
            Err(denied) => Err(refuse(session, args, denied)),
        };
        let reply = outcome.unwrap_or_else(Reply::Error);
        bytes += reply.memory_bytes();
        if session.holds_too_much(bytes) {
            // The remaining commands still run, but their answers are not kept.
            replies.clear();
            continue;
        }
        replies.push(if changes_protocol {
            Reply::Earlier(session.protocol, Box::new(reply))
        } else {
            reply
        });
    }
    let scheduled = session.save_scheduled.take();
    executed.wrote |= finish(&server, session, txn, guard)?;
    if let Some(saving) = scheduled {
        // Its failure is in the log, and the transaction has succeeded.
        let _ = saving.save_in_background();
    }
    // Messages that the client published to itself come after all the replies: between them, the client would take
    // one for a reply.
    session.reply_first = true;
    Ok(Reply::Array(replies))
}

/// Refuses a command that was allowed when it was queued.
fn refuse(session: &Session, args: Args<'_>, denied: Denied) -> CommandError {
    let server = &session.server;
    let log = &server.acl_log;
    log.denied(session, args, denied, Context::Transaction);
    let error = denied.in_exec();
    server.statistics.refused(args.spec);
    server.statistics.error(&server.counters, &error);
    error
}

/// The locks of the watched keys and of all keys that the commands name.
fn locks<'k>(watched: impl Iterator<Item = &'k Bytes>, queue: &'k Queue) -> Locks<'k> {
    let mut keys: Vec<&Bytes> = watched.collect();
    for (spec, args) in &queue.commands {
        let works_on_keys = matches!(spec.handler, Handler::Keys(_) | Handler::Both(_));
        let is_script = matches!(spec.handler, Handler::Script(_));
        if is_script || (works_on_keys && spec.has(Flag::Write) && spec.keys.is_none()) {
            return Locks::Everything;
        }
        keys.extend(spec.keys.of(args));
    }
    Locks::of(keys.into_iter())
}

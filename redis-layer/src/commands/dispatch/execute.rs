//! Runs one command, from its words to its answer: admitted, then queued by `MULTI`, or run.
//!
//! The order of the refusals is the one of Redis: unknown command, wrong number of arguments, then what the command
//! itself finds. A refused command changes nothing: its transaction is dropped.

use std::sync::Arc;

use bytes::Bytes;

use crate::commands::context::replies::Replies;
use crate::commands::dispatch::admission::admit;
use crate::commands::dispatch::commit::{abandon, finish};
use crate::commands::dispatch::inside::{counts_lookups, flushes, work};
use crate::commands::dispatch::key_locks::Locks;
use crate::commands::dispatch::{named, resolve};
use crate::commands::monitoring::recording::{Ending, Recording};
use crate::commands::pubsub::events_after_reply;
use crate::commands::table::{Flag, Group, Handler, Spec, find};
use crate::commands::{
    Args, CommandError, Outcome, Reply, Server, Session, Waiting, run_maybe_blocking, scripting,
    transactions,
};
use crate::types::Txn;

/// A command that runs alone has up to this many of its keys looked up together; the rest one by one.
pub(crate) const KEYS_AHEAD_MAX: usize = 1024;
/// One that names more elements of its key than this has them looked up together too.
const ELEMENTS_AHEAD_MIN: usize = 8;
/// The most of them that are; the rest one by one.
const ELEMENTS_AHEAD_MAX: usize = 1 << 16;

/// A command that has run.
#[derive(Debug)]
pub struct Executed {
    /// What to answer.
    pub reply: Reply,
    /// Whether the store was changed, so that a sync may be due before the answer.
    pub wrote: bool,
    /// The wait from which the answer comes later. Then `reply` is [`Reply::Silence`].
    pub waiting: Option<Waiting>,
}

impl Executed {
    /// An answer without any other effect.
    #[must_use]
    pub const fn reply(reply: Reply) -> Self {
        Self {
            reply,
            wrote: false,
            waiting: None,
        }
    }
}

/// Runs one command. `args` holds its name and its arguments. If it is empty, there is no answer.
pub fn execute(session: &mut Session, args: &[Bytes]) -> Executed {
    let server = Arc::clone(&session.server);
    execute_at(&server, session, args)
}

/// As [`execute`], for callers that have the session's server at hand. Cloning the shared pointer for each command
/// would pass its reference count from processor to processor.
pub(crate) fn execute_at(server: &Server, session: &mut Session, args: &[Bytes]) -> Executed {
    let mut executed = Executed::reply(Reply::Silence);
    if args.is_empty() {
        return executed;
    }
    session.replies = session.replies.next();
    // A client that monitors sees its own command after the reply.
    session.reply_first = session.is_monitor;
    let outcome = match resolve(args) {
        Ok(spec) => {
            let now_ms = server.clock.now_ms();
            session.show_command(spec.full_name, now_ms);
            let queued = session.queue.is_some();
            let args = Args::new(args, spec);
            let outcome = run_or_queue(server, session, args, now_ms, &mut executed);
            session.end_caching(Some(spec));
            if queued || session.queue.is_some() {
                session.show_queue();
            }
            outcome
        }
        Err(error) => {
            let spec = named(args);
            // For a command that does not exist, Redis shows NULL.
            session.show_command(
                spec.map_or("NULL", |spec| spec.full_name),
                server.clock.now_ms(),
            );
            if let Some(spec) = spec {
                server.statistics.refused(spec);
            }
            session.end_caching(None);
            let known = find(&args[0]).map(|spec| Args::new(args, spec));
            Err(refuse(session, known, error))
        }
    };
    if let Err(error) = &outcome {
        server.statistics.error(&server.counters, error);
    }
    executed.reply = match session.replies {
        Replies::Off { .. } | Replies::Skip => {
            if let Some(waiting) = &mut executed.waiting {
                waiting.silence();
            }
            let pushed = outcome.ok().filter(Reply::is_push);
            pushed.unwrap_or(Reply::Silence)
        }
        Replies::On | Replies::SkipNext => outcome.unwrap_or_else(Reply::Error),
    };
    if session.replies == Replies::Skip {
        session.replies = Replies::On;
    }
    executed
}

/// Notes that a command is refused before it runs. It makes the `EXEC` of its transaction fail. If the refused
/// command is the `EXEC` itself, the transaction ends at once and the watched keys are forgotten; clients that monitor
/// are shown it, as they were shown the `MULTI`; the error text differs, even if no transaction had begun.
fn refuse(session: &mut Session, args: Option<Args<'_>>, refusal: CommandError) -> CommandError {
    if let Some(args) = args.filter(|args| matches!(args.spec.handler, Handler::Exec)) {
        session.queue = None;
        session.unwatch();
        session.server.monitors.show(session, args);
        let (cause, text): (&[u8], _) = (
            b"EXECABORT Transaction discarded because of: ",
            refusal.as_bytes(),
        );
        return CommandError::quoting(&[cause, text.strip_prefix(b"ERR ").unwrap_or(text)]);
    }
    if let Some(queue) = &mut session.queue {
        queue.refused = true;
    }
    refusal
}

/// Whether a command runs at once even after `MULTI`.
fn ends_or_guards_a_transaction(spec: &Spec) -> bool {
    matches!(
        spec.full_name,
        "exec" | "discard" | "multi" | "watch" | "quit" | "reset"
    )
}

fn run_or_queue(
    server: &Server,
    session: &mut Session,
    args: Args<'_>,
    now_ms: i64,
    executed: &mut Executed,
) -> Outcome {
    let spec = args.spec;
    if let Err(refusal) = admit(session, args) {
        server.statistics.refused(spec);
        return Err(refuse(session, Some(args), refusal));
    }
    if let Some(queue) = &mut session.queue
        && !ends_or_guards_a_transaction(spec)
    {
        // A transaction that will fail anyway need not keep its commands.
        if !queue.refused && !session.watched.is_changed() {
            queue.push(spec, args.from(0));
        }
        return Ok(Reply::Status("QUEUED"));
    }
    if spec.group == Group::Scripting && spec.has(Flag::SkipMonitor) {
        // A script is shown to monitors before the commands that it runs, and those before its answer.
        server.monitors.show(session, args);
        session.reply_first = false;
    }
    let recording = Recording::begin(session);
    let outcome = match spec.handler {
        Handler::Container => Err(CommandError::arity(spec.full_name)),
        Handler::Script(form) => scripting::run_script(session, args, form, now_ms, executed),
        Handler::Exec => transactions::exec(session, now_ms, executed),
        Handler::Session(work) => work(session, args),
        Handler::Keys(_) | Handler::Both(_) => run_alone(server, session, args, now_ms, executed),
    };
    let ending = if executed.waiting.is_some() {
        Ending::Waits
    } else {
        Ending::of(&outcome)
    };
    recording.end(session, args, ending);
    outcome
}

/// Runs a command in a transaction of its own. Several keys, or elements, are looked up together before it begins.
fn run_alone(
    server: &Server,
    session: &mut Session,
    args: Args<'_>,
    now_ms: i64,
    executed: &mut Executed,
) -> Outcome {
    let spec = args.spec;
    let locks = locks_of(args);
    let guard = locks.take_or_refuse(server)?;
    // This comes before the snapshot, so a client that changes a key afterwards finds the reader noted.
    if spec.has(Flag::ReadOnly) {
        session.track_reads(args);
    }
    let txn = Txn::begin(&*server.store, &server.shared, session.db, now_ms)?;
    let mut txn = txn.under(locks.scope());
    let keys = || spec.keys.of(args.from(0));
    let elements = || spec.named_elements(args.from(0));
    if keys().nth(1).is_some() {
        txn.prefetch(keys().take(KEYS_AHEAD_MAX))?;
    } else if elements().nth(ELEMENTS_AHEAD_MIN).is_some() {
        txn.prefetch(keys())?;
        txn.prefetch_elements(elements().take(ELEMENTS_AHEAD_MAX))?;
    }
    match work_alone(session, &mut txn, args) {
        Ok(Reply::Wait {
            timeout_ms,
            on_timeout,
        }) => {
            // The locks are still held, so a client that writes a key afterwards finds this one waiting.
            executed.waiting = Some(begin_waiting(session, args, timeout_ms, *on_timeout));
            abandon(server, session, txn, guard);
            Ok(Reply::Silence)
        }
        Ok(reply) => {
            if session.is_subscriber() {
                session.events_after_reply = events_after_reply(&txn, args)?;
            }
            session.tracking.flushed = flushes(spec);
            executed.wrote = finish(server, session, txn, guard)?;
            Ok(reply)
        }
        Err(error) => {
            abandon(server, session, txn, guard);
            Err(error)
        }
    }
}

/// What a command locks when it runs alone. One that only reads has a snapshot, and needs no locks.
fn locks_of(args: Args<'_>) -> Locks<'_> {
    let spec = args.spec;
    if !spec.has(Flag::Write) {
        Locks::Nothing
    } else if spec.keys.is_none() {
        Locks::Everything
    } else {
        Locks::of(spec.keys.of(args.from(0)))
    }
}

/// The work of a command that runs alone.
fn work_alone(session: &mut Session, txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let spec = args.spec;
    let outcome = if may_take_long(spec) {
        run_maybe_blocking(|| work(session, txn, args))
    } else {
        work(session, txn, args)
    };
    if !matches!(outcome, Ok(Reply::Wait { .. })) {
        txn.count_lookups(counts_lookups(spec, &outcome));
    }
    outcome
}

/// Registers a client whose command found nothing. One that waits for an element in vain gets a null array, even where
/// the same command in a transaction gets null.
fn begin_waiting(session: &Session, args: Args<'_>, timeout_ms: u64, on_timeout: Reply) -> Waiting {
    let on_timeout = match on_timeout {
        Reply::Null => Reply::NullArray,
        other => other,
    };
    Waiting::begin(session, args, timeout_ms, on_timeout)
}

/// Whether a command may take longer than others should wait: a script, or a walk over all keys. A single step of
/// such a walk is not one.
fn may_take_long(spec: &Spec) -> bool {
    let is_step = spec.has(Flag::Fast) || matches!(spec.full_name, "scan" | "randomkey");
    spec.group == Group::Scripting || (spec.keys.is_none() && !is_step)
}

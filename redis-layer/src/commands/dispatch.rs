//! From arguments to a reply: find the command, check it, lock its keys, run it, commit.
//!
//! The order of the refusals is the one of Redis: unknown command, wrong number of arguments,
//! then what the command itself finds. A refused command changes nothing: its transaction is
//! dropped.
//!
//! A command runs in one of two ways, and does not know in which: alone ([`execute`]), or by [`call`] in the
//! transaction of an `EXEC` or of a script. Commands that arrive together may share one transaction, too: see
//! [`pipeline`](super::pipeline).
//!
//! A commit is followed by, in this order: raising the flags of clients that watch a key ([`flag_watchers`], with the locks
//! still held), then sending events, then serving the clients that wait for a key ([`notify`]).

use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;

use crate::commands::admission::admit;
use crate::commands::expire::remove_found;
use crate::commands::key_locks::Locks;
use crate::commands::pubsub::{events_after_reply, publish_events, send_publications};
use crate::commands::recording::{Ending, Recording};
use crate::commands::session::Replies;
use crate::commands::table::{Flag, Group, Handler, Spec, find};
use crate::commands::{
    Args, CommandError, Outcome, Reply, Server, Session, Waiting, blocking, run_maybe_blocking,
    scripting, transactions,
};
use crate::store::Guard;
use crate::types::number::c_text;
use crate::types::rows::decode_metadata_key;
use crate::types::{Committed, Txn};

/// How many bytes of an argument are quoted in an error text.
const QUOTED_BYTES: usize = 128;
/// A command that runs alone has up to this many of its keys looked up together; the rest one by one.
pub(crate) const KEYS_AHEAD_MAX: usize = 1024;

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
            session.publish(spec.full_name, now_ms);
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
            session.publish(
                spec.map_or("NULL", |spec| spec.full_name),
                server.clock.now_ms(),
            );
            if let Some(spec) = spec {
                server.statistics.refused(spec);
            }
            session.end_caching(None);
            Err(refuse(session, find(&args[0]), error))
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

/// The table entry of a command or of its subcommand, if the name is known.
pub(crate) fn named(args: &[Bytes]) -> Option<&'static Spec> {
    let spec = find(&args[0])?;
    match args.get(1) {
        Some(name) if !spec.subcommands.is_empty() => spec.subcommand(name),
        _ => Some(spec),
    }
}

/// The table entry of a command, if the name is known and the number of arguments is right.
pub(crate) fn resolve(args: &[Bytes]) -> Result<&'static Spec, CommandError> {
    let spec = named(args).ok_or_else(|| match find(&args[0]) {
        Some(spec) => unknown_subcommand(spec, &args[1]),
        None => unknown_command(args),
    })?;
    if !spec.accepts(args.len()) {
        return Err(CommandError::arity(spec.full_name));
    }
    Ok(spec)
}

/// Notes that a command is refused before it runs. It makes the `EXEC` of its transaction fail. If the refused
/// command is the `EXEC` itself, the transaction ends at once and the watched keys are forgotten; the error text
/// differs, even if no transaction had begun.
fn refuse(session: &mut Session, spec: Option<&Spec>, refusal: CommandError) -> CommandError {
    if spec.is_some_and(|spec| matches!(spec.handler, Handler::Exec)) {
        session.queue = None;
        session.unwatch();
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
        return Err(refuse(session, Some(spec), refusal));
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
        Handler::Script(form) => scripting::run_alone(session, args, form, now_ms, executed),
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

/// Runs a command in a transaction of its own. Several keys are looked up together before it begins.
fn run_alone(
    server: &Server,
    session: &mut Session,
    args: Args<'_>,
    now_ms: i64,
    executed: &mut Executed,
) -> Outcome {
    let spec = args.spec;
    let locks = if !spec.has(Flag::Write) {
        Locks::Nothing
    } else if spec.keys.is_none() {
        Locks::Everything
    } else {
        Locks::of(spec.keys.of(args.from(0)))
    };
    let guard = locks.take_or_refuse(server)?;
    // This comes before the snapshot, so a client that changes a key afterwards finds the reader noted.
    if spec.has(Flag::ReadOnly) {
        session.track_reads(args);
    }
    let txn = Txn::begin(&*server.store, &server.shared, session.db, now_ms)?;
    let mut txn = txn.under(locks.scope());
    let keys = || spec.keys.of(args.from(0));
    if keys().nth(1).is_some() {
        txn.prefetch(keys().take(KEYS_AHEAD_MAX))?;
    }
    let outcome = if may_take_long(spec) {
        run_maybe_blocking(|| work(session, &mut txn, args))
    } else {
        work(session, &mut txn, args)
    };
    if !matches!(outcome, Ok(Reply::Wait { .. })) {
        txn.count_lookups(spec.has(Flag::ReadOnly));
    }
    let reply = match outcome {
        Ok(reply) => reply,
        Err(error) => {
            abandon(server, session, txn, guard);
            return Err(error);
        }
    };
    if let Reply::Wait {
        timeout_ms,
        on_timeout,
    } = reply
    {
        // The locks are still held, so a client that writes a key afterwards finds this one waiting. A client that
        // waits for an element in vain gets a null array, even where the same command in a transaction gets null.
        let on_timeout = match *on_timeout {
            Reply::Null => Reply::NullArray,
            other => other,
        };
        executed.waiting = Some(Waiting::begin(session, args, timeout_ms, on_timeout));
        abandon(server, session, txn, guard);
        return Ok(Reply::Silence);
    }
    if session.is_subscriber() {
        session.events_after_reply = events_after_reply(args);
    }
    session.tracking.flushed = flushes(spec);
    executed.wrote = finish(server, session, txn, guard)?;
    Ok(reply)
}

/// Commits a transaction of a client, unless the server has stopped meanwhile: then it may be half of a script.
pub(crate) fn commit(server: &Server, txn: Txn<'_>) -> Result<Committed, CommandError> {
    if server.shutdown.is_over.load(Ordering::Acquire) {
        return Err(CommandError::fixed("ERR the server stops"));
    }
    let committed = server.persistence.commit(txn);
    committed.map_err(CommandError::not_written)
}

/// Ends a transaction that ran for a client: commits it, releases the locks in `guard`, and tells everybody
/// concerned. Returns whether the store was changed.
pub(crate) fn finish<'s>(
    server: &Server,
    session: &mut Session,
    txn: Txn<'s>,
    guard: Option<Box<dyn Guard + 's>>,
) -> Result<bool, CommandError> {
    let mut committed = commit(server, txn).inspect_err(|_| {
        session.publications.clear();
        session.tracking.known.clear();
        session.tracking.fresh.clear();
    })?;
    flag_watchers(server, &committed);
    drop(guard);
    let fresh = std::mem::take(&mut session.tracking.fresh);
    let found = remove_found_by(server, session.id, &fresh, &mut committed);
    let wrote = committed.wrote;
    let flushes = std::mem::take(&mut session.tracking.flushed);
    if wrote || flushes || found {
        session.confirm_change();
    }
    let known = std::mem::take(&mut session.tracking.known);
    let writer = Writer {
        client: Some(session.id),
        flushes,
        knows: &known,
        fresh: &fresh,
        reader: None,
    };
    let behind = std::mem::take(&mut session.events_after_reply);
    let mut events = committed.events.iter();
    if let Some(at) = events.position(|event| behind.contains(&event.name)) {
        let later = committed.events.split_off(at);
        publish_events(server, &committed.events);
        committed.events = later;
        session.peer.outbox.reply_here();
    }
    notify(server, committed, writer);
    send_publications(session);
    Ok(wrote)
}

/// Ends a transaction that changes nothing, because its command failed or waits: releases the locks in `guard`, and
/// removes the keys that the transaction found expired.
fn abandon<'s>(
    server: &Server,
    session: &mut Session,
    txn: Txn<'s>,
    guard: Option<Box<dyn Guard + 's>>,
) {
    let mut committed = txn.abandon();
    drop(guard);
    let fresh = std::mem::take(&mut session.tracking.fresh);
    if remove_found_by(server, session.id, &fresh, &mut committed) {
        session.confirm_change();
    }
    publish_events(server, &committed.events);
}

/// Removes the keys that a client's transaction found expired; `fresh` are those that the client had not read before.
/// Returns whether there were any to remove.
fn remove_found_by(
    server: &Server,
    client: u64,
    fresh: &[Bytes],
    committed: &mut Committed,
) -> bool {
    let by = Writer {
        fresh,
        reader: Some(client),
        ..Writer::default()
    };
    remove_found(server, committed, by)
}

/// As [`finish`], for a transaction that ran for several clients. None of them tracks keys, and none has published a
/// message or emptied a database in it.
pub(crate) fn finish_for_many<'s>(
    server: &Server,
    txn: Txn<'s>,
    guard: Option<Box<dyn Guard + 's>>,
) -> Result<bool, CommandError> {
    let mut committed = commit(server, txn)?;
    flag_watchers(server, &committed);
    drop(guard);
    remove_found(server, &mut committed, Writer::default());
    let wrote = committed.wrote;
    notify(server, committed, Writer::default());
    Ok(wrote)
}

/// Whether a command removes or exchanges whole databases.
fn flushes(spec: &Spec) -> bool {
    matches!(spec.full_name, "flushall" | "flushdb" | "swapdb")
}

/// Whether a command may take longer than others should wait: a script, or a walk over all keys. A single step of
/// such a walk is not one.
fn may_take_long(spec: &Spec) -> bool {
    let is_step = spec.has(Flag::Fast) || matches!(spec.full_name, "scan" | "randomkey");
    spec.group == Group::Scripting || (spec.keys.is_none() && !is_step)
}

/// Runs one of several commands inside a transaction. If it fails, its changes are undone.
pub(crate) fn call(session: &mut Session, txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let recording = Recording::begin(session);
    let outcome = attempt(session, txn, args);
    txn.count_lookups(args.spec.has(Flag::ReadOnly));
    if let Err(error) = &outcome {
        let server = &session.server;
        server.statistics.error(&server.counters, error);
    }
    recording.end(session, args, Ending::of(&outcome));
    outcome
}

/// As [`call`], but without counting the command. The caller ends its lookups.
#[inline]
pub(crate) fn attempt(session: &mut Session, txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let only_reads = args.spec.has(Flag::ReadOnly);
    // A command that only reads has nothing to undo.
    let savepoint = (!only_reads).then(|| txn.savepoint());
    let was_inside = std::mem::replace(&mut session.in_transaction, true);
    if args.spec.has(Flag::Write) {
        session.forget_known(args);
        session.tracking.flushed |= flushes(args.spec);
    }
    if only_reads {
        session.track_reads(args);
    }
    let outcome = match work(session, txn, args) {
        // A command in the middle of a transaction cannot wait.
        Ok(Reply::Wait { on_timeout, .. }) => Ok(*on_timeout),
        outcome => outcome,
    };
    session.in_transaction = was_inside;
    if let (Err(_), Some(savepoint)) = (&outcome, savepoint) {
        txn.roll_back(&savepoint);
    }
    outcome
}

fn work(session: &mut Session, txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    match args.spec.handler {
        Handler::Keys(work) => work(txn, args),
        Handler::Both(work) => work(session, txn, args),
        Handler::Session(work) => work(session, args),
        Handler::Script(form) => scripting::run_inside(session, txn, args, form),
        Handler::Exec | Handler::Container => Err(CommandError::arity(args.spec.full_name)),
    }
}

/// The first step after a commit, while the locks are still held: clients that watch the keys have their flags
/// raised.
pub(crate) fn flag_watchers(server: &Server, committed: &Committed) {
    if committed.wrote {
        server.persistence.changed();
    }
    if !committed.touched.is_empty() {
        server.watchers.raise(committed);
    }
    if !committed.remapped.is_empty() {
        server.watchers.raise_swapped(server, &committed.remapped);
    }
}

/// The client that changed something.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Writer<'k> {
    /// The number of the connection, if a connection made the change.
    pub(crate) client: Option<u64>,
    /// Whether whole databases were removed: then clients that cache keys are told so once, instead of once for every
    /// key.
    pub(crate) flushes: bool,
    /// Keys that the client read after it had changed them: it continues to be told of their changes.
    pub(crate) knows: &'k [Bytes],
    /// Those that the client had not read before. It has no older copy of them, so it is not told that they are out
    /// of date.
    pub(crate) fresh: &'k [Bytes],
    /// The client that found the keys expired and gone: it continues to be told of their changes.
    pub(crate) reader: Option<u64>,
}

/// The steps that need no locks: events are sent, and clients that wait for the keys are served.
pub(crate) fn notify(server: &Server, mut committed: Committed, writer: Writer<'_>) {
    publish(server, &committed, writer);
    if !committed.remapped.is_empty() {
        let waited_for = server.waiters.rows_in(&committed.remapped);
        committed.touched.extend(waited_for);
    }
    if !committed.touched.is_empty() {
        blocking::serve(server, committed.touched);
    }
}

/// Tells subscribers what happened to keys, and clients with caches which keys are out of date.
pub(crate) fn publish(server: &Server, committed: &Committed, writer: Writer<'_>) {
    publish_events(server, &committed.events);
    let tracking = &server.tracking;
    if !tracking.is_on() {
        return;
    }
    if writer.flushes || !committed.remapped.is_empty() {
        tracking.invalidate_all(server);
        return;
    }
    let rows = committed.touched.iter();
    let keys: Vec<Bytes> = rows
        .filter_map(|row| Some(Bytes::from(decode_metadata_key(row).ok()?.1)))
        .collect();
    tracking.invalidate(server, &keys, writer);
}

/// The first bytes of a C text, at most `limit`.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::Settings;
    use crate::store::{BTreeStore, Space};
    use crate::types::ManualClock;

    #[test]
    fn a_command_that_fails_halfway_leaves_nothing_in_the_transaction_of_others() {
        let set = find(b"set").unwrap();
        let failing: &'static Spec = Box::leak(Box::new(Spec {
            handler: Handler::Keys(|txn, _| {
                txn.put(Space::Data, b"half".to_vec(), Bytes::new());
                Err(CommandError::SYNTAX)
            }),
            ..*set
        }));
        let store = Arc::new(BTreeStore::new());
        let settings = Settings {
            config: Vec::new(),
            port: 0,
        };
        let clock = Arc::new(ManualClock::new(0));
        let server = Arc::new(Server::new(store, clock, settings));
        let mut session = server.connect(String::new(), String::new());
        let mut txn = server.begin(0).unwrap();
        let words = |words: &[&'static str]| -> Vec<Bytes> {
            words.iter().map(|&word| Bytes::from(word)).collect()
        };
        let whole = words(&["set", "k", "1"]);
        call(&mut session, &mut txn, Args::new(&whole, set)).unwrap();
        call(&mut session, &mut txn, Args::new(&whole, failing)).unwrap_err();
        assert_eq!(txn.get(Space::Data, b"half").unwrap(), None);
        assert_eq!(txn.get_string(b"k").unwrap(), Some("1".into()));
    }
}

//! Runs commands together that arrived together.
//!
//! A client that sends sixteen commands at once does not need sixteen snapshots, locks and batches. Neither do
//! sixteen clients that send one command each while the thread that serves them is busy. So consecutive plain
//! commands of a pipeline, and plain commands of several clients that are ready together, run in one transaction.
//! Each command has its own savepoint, as in an `EXEC`, so that one that fails is undone alone. The work around a
//! command is then done once for all of them, and the store gets one batch.
//!
//! No client can tell the difference. All of these commands had arrived before the first of them ran, and none was
//! answered before the last one ran, so they may all take effect at one moment. If one of them writes, the locks of
//! all keys, including those that are only read, are held from before the snapshot until after the commit. If none
//! writes, one snapshot serves all, and no lock is needed.
//!
//! Consecutive quick commands share two readings of the clock, and each is recorded with an equal part of the time. A
//! command whose cost has no bound is timed alone, so that the slow log names the right one.
//!
//! If the transaction cannot be committed, as on a full disk, nothing has happened. Then each of its commands runs again
//! alone, because what only reads must not fail with a write, and a small write may fit where a large one does not. So
//! a pipeline costs at most twice as much as its commands one by one. What is counted and shown of a command, in `INFO`
//! and to clients that monitor, is that of the run that is answered.
//!
//! Left out: commands that may block, that lock everything, or that work on the connection or the server. They run
//! alone. So does every command while any client watches a key or is blocked on one, because a `LPUSH` must serve the
//! blocked clients before the next `LPOP` runs. Clients that share a transaction must use the same database, and none
//! do while any client tracks keys, or while a large batch is written. A command that writes what other keys hold, such
//! as `SUNIONSTORE`, runs with commands of its own client only: others would be answered after it, however large the keys
//! are.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use bytes::Bytes;

use crate::commands::context::replies::Replies;
use crate::commands::dispatch::key_locks::{Acquired, Locks, Wait};
use crate::commands::dispatch::long_work::is_crowded;
use crate::commands::dispatch::{
    Executed, attempt, counts_lookups, execute_at, finish, finish_for_many, resolve,
};
use crate::commands::monitoring::recording::{Ending, Recording};
use crate::commands::table::{Flag, Handler, Spec};
use crate::commands::{Args, CommandError, Outcome, Reply, Server, Session};
use crate::types::{Lookups, Txn};

/// The most commands that run together. They hold their locks until the last one is done.
pub const COMMANDS_MAX: usize = 512;
/// For how many commands one counts whose cost its arguments do not bound, so that other clients do not wait long.
const UNBOUNDED: usize = 8;
/// The most bytes that their arguments have together, and about the most that their answers have, so that other
/// clients do not wait long.
const BYTES_MAX: usize = 64 * 1024;

/// The result of an attempt to run commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Progress {
    /// Some have run.
    Ran,
    /// Somebody else holds their locks, so nothing has happened. A client that waits to be woken is woken when it is
    /// worth trying again.
    Queued,
}

/// The commands of a client that have arrived but not run yet.
pub struct Arrived<'a> {
    /// The client.
    pub session: &'a mut Session,
    /// What it sent.
    pub commands: &'a mut VecDeque<Vec<Bytes>>,
    /// The results of its commands that have run, in their order.
    pub executed: &'a mut Vec<Executed>,
}

/// Runs the first of a client's commands, or the first few together. `server` is the server of the session. `wait`
/// says how commands that run together wait for locks. While many threads are taken, a plain command that is the only one
/// waits in the same way, and takes no thread.
pub fn execute_next(server: &Server, arrived: Arrived<'_>, mut wait: Wait<'_>) -> Progress {
    let most = arrived.commands.len();
    let mut one = [arrived];
    let least = if is_crowded() { 1 } else { 2 };
    if most >= least
        && let Some(progress) = run_plain_ones(server, &mut one, least, wait.again())
    {
        return progress;
    }
    // A command that runs alone waits on its thread. What the task was woken for, or has reserved, is for others, or even
    // for that command.
    wait.leave_queue();
    let [arrived] = one;
    if let Some(args) = arrived.commands.pop_front() {
        arrived.session.alone = arrived.session.alone.saturating_sub(1);
        let executed = execute_at(server, arrived.session, &args);
        arrived.executed.push(executed);
    }
    Progress::Ran
}

/// Runs the first plain commands of several clients of one server together. A client that has commands left
/// afterwards has to run them by [`execute_next`]. They are left because they are not plain or too many, because
/// somebody else holds their locks, for which the other clients should not have to wait, or because one of them
/// panicked or could not be written. A command that panics again, run alone, ends only its own connection, and not
/// that of the task that ran it here.
pub fn execute_together(server: &Server, clients: &mut [Arrived<'_>]) {
    // Who shares a transaction with a writer waits with it, and a writer waits for a large batch.
    if server.tracking.is_on() || server.shared.is_large_write() {
        return;
    }
    // What each client did last may be long ago.
    for client in &mut *clients {
        client.session.begin_turn();
    }
    // The results are stored with each client, so the return value is not needed.
    let run = AssertUnwindSafe(|| run_plain_ones(server, clients, 2, Wait::Never));
    if catch_unwind(run).is_err() {
        recover(clients);
    }
}

/// Recovers from a panic. Before the commit nothing has happened, so the commands can run again. Once the commit has
/// begun it is unknown whether it happened: then all the clients are disconnected, so that no command runs twice.
fn recover(clients: &mut [Arrived<'_>]) {
    let is_unsure = clients.iter().any(|client| client.session.is_committing);
    for Arrived { session, .. } in clients {
        session.in_transaction = false;
        session.is_committing = false;
        if is_unsure {
            session.peer.outbox.close();
        }
    }
}

/// Whether the first of a client's commands may run together with those of others.
#[must_use]
pub fn may_join_batch(session: &Session, commands: &VecDeque<Vec<Bytes>>) -> bool {
    let first = commands.front().and_then(|args| is_plain(args));
    first.is_some_and(|spec| !spec.copies_keys()) && may_run_plainly(session)
}

/// Whether the first of a client's commands runs in a transaction that waits for its locks without a thread.
pub(crate) fn runs_plainly(session: &Session, args: &[Bytes]) -> bool {
    is_plain(args).is_some() && may_run_plainly(session)
}

/// Runs the plain commands at the front of each client's queue, all together, if there are at least so many.
fn run_plain_ones(
    server: &Server,
    clients: &mut [Arrived<'_>],
    least: usize,
    wait: Wait<'_>,
) -> Option<Progress> {
    let split = clients
        .iter_mut()
        .map(|client| (&mut *client.session, &*client.commands));
    let (mut sessions, queues): (Vec<&mut Session>, Vec<_>) = split.unzip();
    let commands = plain_ones(&sessions, &queues);
    if commands.len() < least {
        return None;
    }
    let Some(mut executed) = run(server, &mut sessions, Together(&commands), wait) else {
        for command in &commands {
            sessions[command.owner].alone += 1;
        }
        return None;
    };
    if executed.is_empty() {
        return Some(Progress::Queued);
    }
    let mut ran = vec![0; sessions.len()];
    for command in &commands[..executed.len()] {
        ran[command.owner] += 1;
    }
    // The results are in the order of the clients, as their commands were. Those at the end can be taken without moving
    // the others.
    for (client, ran) in clients.iter_mut().zip(ran).rev() {
        client.executed.reserve(client.commands.len());
        client
            .executed
            .extend(executed.drain(executed.len() - ran..));
        client.commands.drain(..ran);
    }
    Some(Progress::Ran)
}

/// The commands at the front of each client's queue that may run together. Only clients that use the database of the
/// first one take part.
fn plain_ones<'c>(
    sessions: &[&mut Session],
    queues: &[&'c VecDeque<Vec<Bytes>>],
) -> Vec<Command<'c>> {
    let all = queues.iter().map(|queue| queue.len()).sum::<usize>();
    let mut plain = Vec::with_capacity(all.min(COMMANDS_MAX));
    let (mut bytes, mut count) = (0, 0);
    let is_one_client = sessions.len() == 1;
    let clients = sessions.iter().zip(queues).enumerate();
    let alike = clients
        .filter(|(_, (session, _))| session.db == sessions[0].db && may_run_plainly(session));
    for (owner, (_, queue)) in alike {
        for args in *queue {
            bytes += args.iter().map(Bytes::len).sum::<usize>();
            if count >= COMMANDS_MAX || bytes > BYTES_MAX {
                return plain;
            }
            let before = plain.last().filter(|before| before.args.is_alike(args));
            let Some(spec) = before
                .map(|before| before.args.spec)
                .or_else(|| is_plain(args).filter(|spec| is_one_client || !spec.copies_keys()))
            else {
                break;
            };
            count += if is_quick(spec) { 1 } else { UNBOUNDED };
            let args = Args::new(args, spec);
            plain.push(Command { owner, args });
        }
    }
    plain
}

/// Whether a client's plain commands may run in a transaction with others.
fn may_run_plainly(session: &Session) -> bool {
    session.alone == 0
        && session.queue.is_none()
        && session.replies == Replies::On
        && session.may_run_plainly()
        && !session.server.shared.is_observed()
        && !session.server.scripts.is_busy()
}

/// The table entry of a command, if it may run in a transaction with others.
fn is_plain(args: &[Bytes]) -> Option<&'static Spec> {
    if args.is_empty() {
        return None;
    }
    resolve(args).ok().filter(|spec| {
        matches!(spec.handler, Handler::Keys(_))
            && !spec.has(Flag::Blocking)
            && !spec.keys.is_none()
    })
}

/// Whether the arguments bound what a command costs. Redis does not mark these commands on strings as fast, because
/// there it may take long to free the old value.
fn is_quick(spec: &Spec) -> bool {
    spec.has(Flag::Fast) || matches!(spec.full_name, "set" | "setex" | "psetex")
}

/// A command that runs together with others.
#[derive(Clone, Copy)]
struct Command<'c> {
    /// The client that sent it: an index into the list of sessions.
    owner: usize,
    args: Args<'c>,
}

/// Commands that run together.
#[derive(Clone, Copy)]
struct Together<'c>(&'c [Command<'c>]);

impl<'c> Together<'c> {
    /// Their keys. Often several commands in a row use one key; it is listed once for all of them.
    fn keys(self) -> Vec<&'c Bytes> {
        let mut keys: Vec<&Bytes> = Vec::with_capacity(self.0.len());
        let mut add = |key| {
            if keys.last() != Some(&key) {
                keys.push(key);
            }
        };
        for Command { args, .. } in self.0 {
            let words = args.from(0);
            match args.spec.keys.only(words) {
                Some(key) => add(key),
                None => args.spec.keys.of(words).for_each(&mut add),
            }
        }
        keys
    }

    /// The elements that they will ask for by name, with their keys.
    fn elements(self) -> impl Iterator<Item = (&'c Bytes, &'c Bytes)> {
        let commands = self.0.iter();
        commands.flat_map(|Command { args, .. }| args.spec.named_elements(args.from(0)))
    }

    /// The locks that they need: none if no command writes.
    fn locks(self, keys: &[&'c Bytes]) -> Locks<'c> {
        let mut commands = self.0.iter();
        if commands.any(|command| command.args.spec.has(Flag::Write)) {
            Locks::of(keys.iter().copied())
        } else {
            Locks::Nothing
        }
    }
}

/// How long the commands take, and which keys they find.
struct Record<'c> {
    together: Together<'c>,
    recording: Recording,
    /// The commands in stretches that are timed together: how many have run at the end of each, and when that was.
    stretches: Vec<(usize, Instant)>,
    lookups: Lookups,
}

impl<'c> Record<'c> {
    fn begin(sessions: &mut [&mut Session], together: Together<'c>) -> Self {
        Self {
            together,
            recording: Recording::begin(sessions[0]),
            stretches: Vec::new(),
            lookups: Lookups::default(),
        }
    }

    /// Ends a stretch, unless nothing has run since the last one.
    fn end_stretch(&mut self, ran: usize) {
        if ran > self.stretches.last().map_or(0, |(ran, _)| *ran) {
            self.stretches.push((ran, Instant::now()));
        }
    }

    /// Notes what a command has looked up.
    fn add_lookups(&mut self, txn: &mut Txn<'_>, spec: &Spec, outcome: &Outcome) {
        self.lookups += txn.end_lookups(counts_lookups(spec, outcome));
    }

    /// Shows everything to others, once the commands are committed.
    fn end(self, server: &Server, sessions: &mut [&mut Session], ran: &[Executed]) {
        server.shared.count_lookups(self.lookups);
        let mut recording = self.recording;
        let mut begin = 0;
        for (end, ended) in self.stretches {
            let commands = self.together.0[begin..end].iter().zip(&ran[begin..end]);
            let endings = commands.map(|(command, executed)| {
                let ending = match &executed.reply {
                    Reply::Error(_) => Ending::Failed,
                    _ => Ending::Done,
                };
                (&*sessions[command.owner], command.args, ending)
            });
            recording.end_all(ended, endings);
            recording = Recording::since(ended);
            sessions[0].last_end = Some(ended);
            begin = end;
        }
        for executed in ran {
            if let Reply::Error(error) = &executed.reply {
                server.statistics.error(&server.counters, error);
            }
        }
    }
}

/// Runs commands in one transaction. Returns their results: fewer than there are commands if the answers grow large,
/// and none if the locks are taken. `None` if the transaction failed: then nothing was changed.
fn run(
    server: &Server,
    sessions: &mut [&mut Session],
    together: Together<'_>,
    wait: Wait<'_>,
) -> Option<Vec<Executed>> {
    for session in &mut *sessions {
        session.reply_first = false;
    }
    run_in_one(server, sessions, together, wait).ok()
}

fn run_in_one(
    server: &Server,
    sessions: &mut [&mut Session],
    together: Together<'_>,
    wait: Wait<'_>,
) -> Result<Vec<Executed>, CommandError> {
    let mut record = Record::begin(sessions, together);
    let keys = together.keys();
    let locks = together.locks(&keys);
    let Acquired::Locked(guard) = locks.acquire(server, wait)? else {
        return Ok(Vec::new());
    };
    let mut executed: Vec<Executed> = Vec::with_capacity(together.0.len());
    let now_ms = server.clock.now_ms();
    let txn = Txn::begin(&*server.store, &server.shared, sessions[0].db, now_ms)?;
    let mut txn = txn.under(locks.scope());
    txn.prefetch(keys.into_iter())?;
    txn.prefetch_elements(together.elements())?;
    let mut bytes = 0;
    for &Command { owner, args } in together.0 {
        let is_quick = is_quick(args.spec);
        if !is_quick {
            record.end_stretch(executed.len());
        }
        let session = &mut *sessions[owner];
        session.show_command(args.spec.full_name, now_ms);
        let outcome = attempt(session, &mut txn, args);
        record.add_lookups(&mut txn, args.spec, &outcome);
        txn.unlock();
        let reply = outcome.unwrap_or_else(Reply::Error);
        bytes += reply.size();
        executed.push(Executed::reply(reply));
        if !is_quick {
            record.end_stretch(executed.len());
        }
        if bytes > BYTES_MAX {
            break;
        }
    }
    let wrote = match sessions {
        [session] => finish(server, session, txn, guard)?,
        _ => {
            sessions[0].is_committing = true;
            let wrote = finish_for_many(server, txn, guard);
            sessions[0].is_committing = false;
            wrote?
        }
    };
    record.end_stretch(executed.len());
    record.end(server, sessions, &executed);
    // Each answer has to wait for the sync that makes the whole transaction durable.
    for executed in &mut executed {
        executed.wrote = wrote;
    }
    Ok(executed)
}

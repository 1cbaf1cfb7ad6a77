//! Commands that arrived together, run together.
//!
//! A client that sends sixteen commands at once needs no sixteen snapshots, locks and batches; nor do sixteen clients that
//! send one each while the thread that serves them is at work. Plain commands that stand side by side in a pipeline, and
//! those of several clients that are ready together, run in one transaction, as those of an `EXEC` do, each behind a
//! savepoint. The work around a command is then done once for all of them, and the store gets one batch.
//!
//! Nobody can tell the difference. All of these commands had arrived before the first of them ran, and none was answered
//! before the last: so they may all take effect at one moment. If one of them writes, the locks of all keys are held
//! from before the snapshot until after the commit, those of the keys that are only read too. If none writes, one
//! snapshot serves all, and no lock is needed.
//!
//! Quick commands that stand side by side share two looks at the clock, and each is noted with an equal part of the time.
//! A command whose cost has no bound has its own time, so that the slow log names the right one.
//!
//! Left out: commands that wait, that lock everything, or that work on the connection or the server. They run
//! alone. So does everything while somebody watches or waits for a key: a `LPUSH` must serve who waits before the
//! `LPOP` behind it. And clients that share a transaction use one database, and nobody has asked to be told what changes.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;

use crate::commands::dispatch::{
    Executed, call_unobserved, execute_at, finish, finish_for_many, resolve,
};
use crate::commands::key_locks::{Asked, Locks, Wait};
use crate::commands::observed::{Ending, Observed};
use crate::commands::session::Replies;
use crate::commands::table::{Flag, Group, Handler, Spec};
use crate::commands::{Args, CommandError, Reply, Server, Session};
use crate::types::Txn;

/// How many commands run together at most. They hold their locks until the last one is done.
const COMMANDS_MAX: usize = 64;
/// Together they have no more bytes of arguments, and of answers hardly more: nobody else waits for long.
const BYTES_MAX: usize = 64 * 1024;

/// What came of an attempt to run commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Progress {
    /// Some have run.
    Ran,
    /// Others hold their locks, and nothing has happened. Who waits to be called is called when it is worth to try again.
    Queued,
}

/// What has arrived from a client and did not run yet.
pub struct Arrived<'a> {
    /// The client.
    pub session: &'a mut Session,
    /// What it sent.
    pub commands: &'a mut VecDeque<Vec<Bytes>>,
    /// What came of its commands that did run, in their order.
    pub executed: &'a mut Vec<Executed>,
}

/// Runs the first of a client's commands, or the first few of them together. `server` is the one of the session, and `wait`
/// how they wait for locks if they run together.
pub fn execute_next(server: &Server, arrived: Arrived<'_>, wait: Wait<'_>) -> Progress {
    let most = arrived.commands.len();
    let mut one = [arrived];
    if most > 1
        && let Some(progress) = run_plain_ones(server, &mut one, wait)
    {
        return progress;
    }
    let [arrived] = one;
    if let Some(args) = arrived.commands.pop_front() {
        let executed = execute_at(server, arrived.session, &args);
        arrived.executed.push(executed);
    }
    Progress::Ran
}

/// Runs the first commands of several clients of one server together, if they are plain. Who has commands left has to run
/// them by [`execute_next`]: they are not plain, or too many, or somebody else holds locks, for whom it is not for all to wait;
/// or one of them panics, and ends its own connection then, not that of who runs them here.
pub fn execute_together(server: &Server, clients: &mut [Arrived<'_>]) {
    if server.tracking.is_on() {
        return;
    }
    // What each did last may be long ago.
    for client in &mut *clients {
        client.session.begin_turn();
    }
    // Whatever came of it, it is with the clients.
    let run = AssertUnwindSafe(|| run_plain_ones(server, clients, Wait::Never));
    if catch_unwind(run).is_err() {
        recover(clients);
    }
}

/// After a panic. Before the commit nothing has happened. Behind it nobody can say what has: then all have to end, so that
/// nothing is done twice.
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
pub fn is_sociable(session: &Session, commands: &VecDeque<Vec<Bytes>>) -> bool {
    commands
        .front()
        .is_some_and(|args| is_plain(args).is_some())
        && may_run_plainly(session)
}

/// Runs the plain commands in front of each client's, all together, if there are at least two.
fn run_plain_ones(
    server: &Server,
    clients: &mut [Arrived<'_>],
    wait: Wait<'_>,
) -> Option<Progress> {
    let split = clients
        .iter_mut()
        .map(|client| (&mut *client.session, &*client.commands));
    let (mut sessions, queues): (Vec<&mut Session>, Vec<_>) = split.unzip();
    let commands = plain_ones(&sessions, &queues);
    if commands.len() < 2 {
        return None;
    }
    let executed = run(server, &mut sessions, Together(&commands), wait);
    if executed.is_empty() {
        return Some(Progress::Queued);
    }
    let owners: Vec<usize> = commands.iter().map(|command| command.owner).collect();
    for (owner, executed) in owners.into_iter().zip(executed) {
        let client = &mut clients[owner];
        if client.executed.capacity() == 0 {
            client.executed.reserve(client.commands.len());
        }
        client.commands.pop_front();
        client.executed.push(executed);
    }
    Some(Progress::Ran)
}

/// The commands in front of each client's that may run together: of those clients that use the database of the first.
fn plain_ones<'c>(
    sessions: &[&mut Session],
    queues: &[&'c VecDeque<Vec<Bytes>>],
) -> Vec<Command<'c>> {
    let all = queues.iter().map(|queue| queue.len()).sum::<usize>();
    let mut plain = Vec::with_capacity(all.min(COMMANDS_MAX));
    let mut bytes = 0;
    let clients = sessions.iter().zip(queues).enumerate();
    let alike = clients
        .filter(|(_, (session, _))| session.db == sessions[0].db && may_run_plainly(session));
    for (owner, (_, queue)) in alike {
        for args in *queue {
            bytes += args.iter().map(Bytes::len).sum::<usize>();
            if plain.len() == COMMANDS_MAX || bytes > BYTES_MAX {
                return plain;
            }
            let before = plain.last().filter(|before| before.args.is_alike(args));
            let Some(spec) = before
                .map(|before| before.args.spec)
                .or_else(|| is_plain(args))
            else {
                break;
            };
            let args = Args::new(args, spec);
            plain.push(Command { owner, args });
        }
    }
    plain
}

/// Whether a client's plain commands may run in a transaction with others.
fn may_run_plainly(session: &Session) -> bool {
    session.queue.is_none()
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

/// Whether the arguments bound what a command costs. Redis does not call these strings fast, because there it may take long
/// to free what they replace.
fn is_quick(spec: &Spec) -> bool {
    spec.has(Flag::Fast) || matches!(spec.full_name, "set" | "setex" | "psetex")
}

/// The key of a quick command, and the first element that it names.
fn element<'c>(spec: &Spec, words: &'c [Bytes]) -> Option<(&'c Bytes, &'c Bytes)> {
    let (key, behind) = words.get(1..)?.split_first()?;
    let name = match spec.group {
        _ if !spec.has(Flag::Fast) => None,
        Group::Hash | Group::Set => behind.first(),
        // Bounds are no names.
        Group::SortedSet if spec.full_name == "zcount" => None,
        // A score may stand before it.
        Group::SortedSet => behind.last(),
        _ => None,
    };
    Some((key, name?))
}

/// A command that runs together with others.
#[derive(Clone, Copy)]
struct Command<'c> {
    /// Whose it is: a place in the list of sessions.
    owner: usize,
    args: Args<'c>,
}

/// Commands that run together.
#[derive(Clone, Copy)]
struct Together<'c>(&'c [Command<'c>]);

impl<'c> Together<'c> {
    /// Their keys. Many commands in a row for one key are common, and name it once.
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

    /// Elements that they will ask for by name, with their keys.
    fn elements(self) -> impl Iterator<Item = (&'c Bytes, &'c Bytes)> {
        let commands = self.0.iter();
        commands.filter_map(|Command { args, .. }| element(args.spec, args.from(0)))
    }

    /// The locks that they need: none if none of them writes.
    fn locks(self, keys: &[&Bytes]) -> Locks {
        let mut commands = self.0.iter();
        if commands.any(|command| command.args.spec.has(Flag::Write)) {
            Locks::of(keys.iter().copied())
        } else {
            Locks::Nothing
        }
    }
}

/// Notes how long commands take.
struct Times<'c> {
    together: Together<'c>,
    observed: Observed,
    /// How many of the commands are noted.
    noted: usize,
}

impl<'c> Times<'c> {
    fn begin(sessions: &mut [&mut Session], together: Together<'c>) -> Self {
        let observed = Observed::begin(sessions[0]);
        let noted = 0;
        Self {
            together,
            observed,
            noted,
        }
    }

    /// Notes those of the commands that have run and are not noted yet.
    fn note(&mut self, sessions: &mut [&mut Session], ran: &[Executed]) {
        if ran.len() == self.noted {
            return;
        }
        let commands = self.together.0.iter().zip(ran).skip(self.noted);
        let endings = commands.map(|(command, executed)| {
            let ending = match executed.reply {
                Reply::Error(_) => Ending::Failed,
                _ => Ending::Done,
            };
            (&*sessions[command.owner], command.args, ending)
        });
        let (ended, _) = self.observed.end_all(endings);
        self.observed = Observed::since(ended);
        self.noted = ran.len();
        sessions[0].last_end = Some(ended);
    }
}

/// Runs commands in one transaction. Answers what came of them: of fewer than there are if the answers grow large, and of
/// none if they wait for their locks.
fn run(
    server: &Server,
    sessions: &mut [&mut Session],
    together: Together<'_>,
    wait: Wait<'_>,
) -> Vec<Executed> {
    for session in &mut *sessions {
        session.confirming = false;
    }
    run_in_one(server, sessions, together, wait).unwrap_or_else(|error| {
        // Nothing was changed, and nothing that was read may be told.
        let refused = |_| Executed::reply(Reply::Error(error.clone()));
        together.0.iter().map(refused).collect()
    })
}

fn run_in_one(
    server: &Server,
    sessions: &mut [&mut Session],
    together: Together<'_>,
    wait: Wait<'_>,
) -> Result<Vec<Executed>, CommandError> {
    let mut times = Times::begin(sessions, together);
    let keys = together.keys();
    let locks = together.locks(&keys);
    let Asked::Got(guard) = locks.ask(server, wait)? else {
        return Ok(Vec::new());
    };
    let mut executed: Vec<Executed> = Vec::with_capacity(together.0.len());
    let now_ms = server.clock.now_ms();
    let txn = Txn::begin(&*server.store, &server.shared, sessions[0].db, now_ms)?;
    let mut txn = txn.under(locks.scope());
    txn.fetch(keys.into_iter())?;
    txn.fetch_elements(together.elements())?;
    let mut bytes = 0;
    for &Command { owner, args } in together.0 {
        let is_quick = is_quick(args.spec);
        if !is_quick {
            times.note(sessions, &executed);
        }
        let session = &mut *sessions[owner];
        session.publish(args.spec.full_name, now_ms);
        let outcome = call_unobserved(session, &mut txn, args);
        txn.unlock();
        let reply = outcome.unwrap_or_else(Reply::Error);
        bytes += reply.size();
        executed.push(Executed::reply(reply));
        if !is_quick {
            times.note(sessions, &executed);
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
    times.note(sessions, &executed);
    // Each answer waits for the sync that makes all of them durable.
    for executed in &mut executed {
        executed.wrote = wrote;
    }
    Ok(executed)
}

//! Commands that arrived together, run together.
//!
//! A client that sends sixteen commands at once needs no sixteen snapshots, locks and batches. Plain commands
//! that stand side by side in its pipeline run in one transaction, as those of an `EXEC` do, each behind a
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
//! `LPOP` behind it.

use std::collections::VecDeque;

use bytes::Bytes;

use crate::commands::dispatch::{Executed, call_unobserved, execute_at, finish, resolve};
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
    /// Others hold their locks, and nothing has happened. The task is called when it is worth to try again.
    Queued,
}

/// Runs the first of the commands, or the first few of them together. Takes them away, and appends what they did in
/// their order. `server` is the one of the session, and `wait` how they wait for locks if they run together.
pub fn execute_next(
    server: &Server,
    session: &mut Session,
    commands: &mut VecDeque<Vec<Bytes>>,
    executed: &mut Vec<Executed>,
    wait: Wait<'_>,
) -> Progress {
    let specs = plain_ones(session, commands);
    if specs.len() > 1 {
        let specs = &specs;
        let together = Together { specs, commands };
        let done = run(server, session, together, executed, wait);
        if done == 0 {
            return Progress::Queued;
        }
        commands.drain(..done);
    } else if let Some(args) = commands.pop_front() {
        executed.push(execute_at(server, session, &args));
    }
    Progress::Ran
}

/// The table entries of the commands in front that may run together.
fn plain_ones(session: &Session, commands: &VecDeque<Vec<Bytes>>) -> Vec<&'static Spec> {
    let mut specs = Vec::new();
    let is_plain = session.queue.is_none()
        && session.replies == Replies::On
        && session.may_run_plainly()
        && commands.len() > 1
        && !session.server.shared.is_observed()
        && !session.server.scripts.is_busy();
    if !is_plain {
        return specs;
    }
    specs.reserve(commands.len().min(COMMANDS_MAX));
    let mut bytes = 0;
    for args in commands.iter().take(COMMANDS_MAX) {
        bytes += args.iter().map(Bytes::len).sum::<usize>();
        if bytes > BYTES_MAX || args.is_empty() {
            break;
        }
        match resolve(args) {
            Ok(spec) if is_plain_spec(spec) => specs.push(spec),
            _ => break,
        }
    }
    specs
}

fn is_plain_spec(spec: &Spec) -> bool {
    matches!(spec.handler, Handler::Keys(_)) && !spec.has(Flag::Blocking) && !spec.keys.is_none()
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

/// Commands that run together.
#[derive(Clone, Copy)]
struct Together<'c> {
    specs: &'c [&'static Spec],
    commands: &'c VecDeque<Vec<Bytes>>,
}

impl<'c> Together<'c> {
    fn args(self) -> impl ExactSizeIterator<Item = Args<'c>> + Clone {
        let both = self.specs.iter().zip(self.commands);
        both.map(|(spec, args)| Args::new(args, spec))
    }

    /// Their keys. Many commands in a row for one key are common, and name it once.
    fn keys(self) -> Vec<&'c Bytes> {
        let mut keys: Vec<&Bytes> = Vec::with_capacity(self.specs.len());
        for args in self.args() {
            for key in args.spec.keys.of(args.from(0)) {
                if keys.last() != Some(&key) {
                    keys.push(key);
                }
            }
        }
        keys
    }

    /// Elements that they will ask for by name, with their keys.
    fn elements(self) -> impl Iterator<Item = (&'c Bytes, &'c Bytes)> {
        self.args()
            .filter_map(|args| element(args.spec, args.from(0)))
    }

    /// The locks that they need: none if none of them writes.
    fn locks(self, keys: &[&Bytes]) -> Locks {
        if self.specs.iter().any(|spec| spec.has(Flag::Write)) {
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
    fn begin(session: &mut Session, together: Together<'c>) -> Self {
        let observed = Observed::begin(session);
        let noted = 0;
        Self {
            together,
            observed,
            noted,
        }
    }

    /// Notes those of the commands that have run and are not noted yet.
    fn note(&mut self, session: &mut Session, ran: &[Executed]) {
        if ran.len() > self.noted {
            let commands = self.together.args().zip(ran).skip(self.noted);
            let endings = commands.map(|(args, executed)| match executed.reply {
                Reply::Error(_) => (args, Ending::Failed),
                _ => (args, Ending::Done),
            });
            self.observed.end_all(session, endings);
            self.observed = Observed::begin(session);
            self.noted = ran.len();
        }
    }
}

/// Runs commands in one transaction. Answers how many: fewer than there are if the answers grow large, and none if they
/// wait for their locks.
fn run(
    server: &Server,
    session: &mut Session,
    together: Together<'_>,
    executed: &mut Vec<Executed>,
    wait: Wait<'_>,
) -> usize {
    let before = executed.len();
    session.confirming = false;
    if let Err(error) = run_in_one(server, session, together, executed, wait) {
        // Nothing was changed, and nothing that was read may be told.
        executed.truncate(before);
        let refused = || Executed::reply(Reply::Error(error.clone()));
        executed.extend(together.specs.iter().map(|_| refused()));
    }
    executed.len() - before
}

fn run_in_one(
    server: &Server,
    session: &mut Session,
    together: Together<'_>,
    executed: &mut Vec<Executed>,
    wait: Wait<'_>,
) -> Result<(), CommandError> {
    let before = executed.len();
    let mut times = Times::begin(session, together);
    let keys = together.keys();
    let locks = together.locks(&keys);
    let Asked::Got(guard) = locks.ask(server, wait)? else {
        return Ok(());
    };
    executed.reserve(together.specs.len());
    let now_ms = server.clock.now_ms();
    let txn = Txn::begin(&*server.store, &server.shared, session.db, now_ms)?;
    let mut txn = txn.under(locks.scope());
    txn.fetch(keys.into_iter())?;
    txn.fetch_elements(together.elements())?;
    let mut bytes = 0;
    for args in together.args() {
        let is_quick = is_quick(args.spec);
        if !is_quick {
            times.note(session, &executed[before..]);
        }
        session.publish(args.spec.full_name, now_ms);
        let outcome = call_unobserved(session, &mut txn, args);
        txn.unlock();
        let reply = outcome.unwrap_or_else(Reply::Error);
        bytes += reply.size();
        executed.push(Executed::reply(reply));
        if !is_quick {
            times.note(session, &executed[before..]);
        }
        if bytes > BYTES_MAX {
            break;
        }
    }
    let wrote = finish(server, session, txn, guard)?;
    times.note(session, &executed[before..]);
    // Each answer waits for the sync that makes all of them durable.
    for executed in &mut executed[before..] {
        executed.wrote = wrote;
    }
    Ok(())
}

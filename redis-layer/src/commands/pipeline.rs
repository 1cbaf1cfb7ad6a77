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
//! Left out: commands that wait, that lock everything, or that work on the connection or the server. They run
//! alone. So does everything while somebody watches or waits for a key: a `LPUSH` must serve who waits before the
//! `LPOP` behind it.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;

use crate::commands::dispatch::{Executed, call, execute, finish, resolve};
use crate::commands::key_locks::Locks;
use crate::commands::session::Replies;
use crate::commands::table::{Flag, Handler, Spec};
use crate::commands::{Args, CommandError, Reply, Session};
use crate::types::Txn;

/// How many commands run together at most. They hold their locks until the last one is done.
const COMMANDS_MAX: usize = 64;
/// Together they have no more bytes of arguments, and of answers hardly more: nobody else waits for long.
const BYTES_MAX: usize = 64 * 1024;

/// Runs the first of the commands, or the first few of them together. Takes them away, and appends what they did in
/// their order.
pub fn execute_next(
    session: &mut Session,
    commands: &mut VecDeque<Vec<Bytes>>,
    executed: &mut Vec<Executed>,
) {
    let specs = plain_ones(session, commands);
    if specs.len() > 1 {
        let done = run(session, &specs, commands, executed);
        commands.drain(..done);
    } else if let Some(args) = commands.pop_front() {
        executed.push(execute(session, &args));
    }
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

/// Runs commands in one transaction. Answers how many: fewer than there are if the answers grow large.
fn run(
    session: &mut Session,
    specs: &[&'static Spec],
    commands: &VecDeque<Vec<Bytes>>,
    executed: &mut Vec<Executed>,
) -> usize {
    let before = executed.len();
    session.confirming = false;
    let outcome = run_in_one(session, specs, commands, executed);
    if let Err(error) = outcome {
        // Nothing was changed, and nothing that was read may be told.
        executed.truncate(before);
        executed.extend(
            specs
                .iter()
                .map(|_| Executed::reply(Reply::Error(error.clone()))),
        );
    }
    executed.len() - before
}

fn run_in_one(
    session: &mut Session,
    specs: &[&'static Spec],
    commands: &VecDeque<Vec<Bytes>>,
    executed: &mut Vec<Executed>,
) -> Result<(), CommandError> {
    let before = executed.len();
    let server = Arc::clone(&session.server);
    let now_ms = server.clock.now_ms();
    let together = || specs.iter().copied().zip(commands);
    let locks = if specs.iter().any(|spec| spec.has(Flag::Write)) {
        Locks::of(together().flat_map(|(spec, args)| spec.keys.of(args)))
    } else {
        Locks::Nothing
    };
    let guard = locks.take_or_refuse(&server)?;
    let txn = Txn::begin(&*server.store, &server.shared, session.db, now_ms)?;
    let mut txn = txn.under(locks.scope());
    txn.fetch(together().flat_map(|(spec, args)| spec.keys.of(args)))?;
    let mut bytes = 0;
    for (spec, args) in together() {
        session.publish(spec.full_name, now_ms);
        let outcome = call(session, &mut txn, Args::new(args, spec));
        txn.unlock();
        let reply = outcome.unwrap_or_else(Reply::Error);
        bytes += reply.size();
        executed.push(Executed::reply(reply));
        if bytes > BYTES_MAX {
            break;
        }
    }
    let wrote = finish(session, txn, guard)?;
    // Each answer waits for the sync that makes all of them durable.
    for executed in &mut executed[before..] {
        executed.wrote = wrote;
    }
    Ok(())
}

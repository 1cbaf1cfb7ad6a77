//! `EVAL` and its family: scripts, their keys, and their isolation from other clients.
//!
//! A script runs in one [`Txn`], under the locks of the keys that it names. Other clients see its changes when it
//! ends, all at once; if it fails halfway, its earlier changes stay, as in Redis. A script may use keys that it did
//! not name. Redis forbids that only in clusters, so it has to work, and has to be isolated too:
//!
//! - as long as a script only reads, everything comes from the one snapshot of its transaction,
//!   and no lock is needed;
//! - a script that writes, and has read or is about to write a key outside its locks, is run again from the start in
//!   a new transaction, under the lock of everything. Nothing of the first run is left: it was not committed, and its
//!   log lines and events wait for the commit. The commands of the first run were counted and shown to monitors
//!   already; they are not counted and shown again. The server remembers the script, so that it begins with that lock
//!   the next time.
//!
//! In a transaction, `EXEC` holds the lock of everything if a script is among the commands.
//!
//! ```text
//! host       runs the commands of a script, and keeps it isolated
//! convert    replies as values of scripts, and results of scripts as replies
//! manage     SCRIPT and FUNCTION
//! ```

mod convert;
mod host;
mod manage;

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use crate::commands::dispatch::key_locks::Locks;
use crate::commands::dispatch::{Executed, KEYS_AHEAD_MAX, finish};
use crate::commands::table::Spec;
use crate::commands::{Args, CommandError, Outcome, Reply, Server, Session};
use crate::scripting::{Script, Stop, Writes};
use crate::types::Txn;

use convert::{Errors, into_reply};
pub(crate) use host::is_command;
use host::{IsolatedKeys, TxnHost};
pub(crate) use manage::*;

/// How a command names its script, and whether the script may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form {
    /// The script is named by its digest.
    pub by_sha: bool,
    /// The script may not change anything.
    pub read_only: bool,
}

pub(crate) const BUSY: CommandError = CommandError::fixed(
    "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
);
const NO_SCRIPT: CommandError =
    CommandError::fixed("NOSCRIPT No matching script. Please use EVAL.");

/// A script with its keys and arguments.
struct Request<'a> {
    script: Arc<Script>,
    keys: &'a [Bytes],
    args: &'a [Bytes],
    read_only: bool,
    /// The command that runs it.
    spec: &'static Spec,
    /// How many of its commands have been run or refused, over all runs of it: these were counted and shown.
    counted: Cell<usize>,
}

impl<'a> Request<'a> {
    /// Reads the arguments, with the checks in Redis's order.
    fn new(session: &Session, args: Args<'a>, form: Form) -> Result<Self, CommandError> {
        const DIGITS: usize = 40;
        if form.by_sha && args.get(1).len() != DIGITS {
            return Err(NO_SCRIPT);
        }
        let count = args.integer(2)?;
        let rest = args.from(3);
        if count > i64::try_from(rest.len()).unwrap_or(i64::MAX) {
            return Err(CommandError::fixed(
                "ERR Number of keys can't be greater than number of args",
            ));
        }
        let count = usize::try_from(count)
            .map_err(|_| CommandError::fixed("ERR Number of keys can't be negative"))?;
        let scripts = &session.server.scripts;
        let script = if form.by_sha {
            scripts.find(args.get(1)).ok_or(NO_SCRIPT)?
        } else {
            let loaded = scripts.load(&args.bytes(1));
            loaded.map_err(|problem| CommandError::quoting(&[&problem]))?
        };
        if form.read_only && script.writes() == Writes::Perhaps {
            return Err(CommandError::fixed(
                "ERR Can not execute a script with write flag using *_ro command.",
            ));
        }
        let spec = args.spec;
        let (keys, args) = rest.split_at(count);
        Ok(Self {
            read_only: form.read_only || script.writes() == Writes::Never,
            script,
            keys,
            args,
            spec,
            counted: Cell::new(0),
        })
    }

    /// Runs the script once. An error is an answer too, and the changes before it stay.
    fn run(
        &self,
        session: &mut Session,
        txn: &mut Txn<'_>,
        isolated: IsolatedKeys<'_>,
    ) -> Result<Reply, Stop> {
        let server = Arc::clone(&session.server);
        let (db, protocol) = (session.db, session.protocol);
        let limit = Duration::from_millis(server.config.live.busy_reply_ms());
        server.scripts.set_busy_after(limit);
        session.in_script = true;
        if session.tracking.mode.is_some() {
            session.script_keys = self.keys.to_vec();
        }
        let mut host = TxnHost::new(session, txn, isolated, self);
        let answer = server
            .scripts
            .run(&self.script, self.keys, self.args, &mut host);
        // A database that the script selects applies only inside the script.
        session.in_script = false;
        if session.db != db {
            session.set_db(db);
        }
        session.protocol = protocol;
        txn.set_db(db);
        let mut errors = Errors::default();
        let reply = into_reply(answer?, &mut errors);
        self.count(&server, &errors);
        Ok(reply)
    }

    /// Counts the errors of an answer, and the script as failed: once for each error that was counted before, and
    /// once for all others together.
    fn count(&self, server: &Server, errors: &Errors) {
        let statistics = &server.statistics;
        for error in &errors.others {
            statistics.error(&server.counters, error);
        }
        let failures = errors.counted + u64::from(!errors.others.is_empty());
        if failures > 0 {
            statistics.failed(self.spec, failures);
        }
    }
}

/// Runs a script in a transaction of its own.
pub(crate) fn run_script(
    session: &mut Session,
    args: Args<'_>,
    form: Form,
    now_ms: i64,
    executed: &mut Executed,
) -> Outcome {
    let request = Request::new(session, args, form)?;
    let server = Arc::clone(&session.server);
    let mut locks = if request.read_only {
        Locks::Nothing
    } else if request.script.uses_undeclared_keys() {
        Locks::Everything
    } else {
        Locks::of(request.keys.iter())
    };
    loop {
        let guard = locks.take_or_refuse(&server)?;
        let txn = Txn::begin(&*server.store, &server.shared, session.db, now_ms)?;
        // Without locks nothing is said about them: for a question about ranks, a reader of one key takes a lock and a
        // later snapshot, and a script must see one moment.
        let mut txn = match locks.scope() {
            None => txn,
            held => txn.under(held),
        };
        // A script usually asks for each of its keys, and often more than once.
        txn.prefetch(request.keys.iter().take(KEYS_AHEAD_MAX))?;
        let isolated = match locks {
            Locks::Keys(_) => IsolatedKeys::Keys(request.keys),
            Locks::Nothing | Locks::Everything => IsolatedKeys::Everything,
        };
        let Ok(reply) = request.run(session, &mut txn, isolated) else {
            request.script.mark_undeclared_keys();
            session.publications.clear();
            session.tracking.known.clear();
            drop(txn);
            drop(guard);
            locks = Locks::Everything;
            continue;
        };
        executed.wrote = finish(&server, session, txn, guard)?;
        return Ok(reply);
    }
}

/// Runs a script in the transaction of an `EXEC`, which holds the lock of everything.
pub(crate) fn run_inside(
    session: &mut Session,
    txn: &mut Txn<'_>,
    args: Args<'_>,
    form: Form,
) -> Outcome {
    // The script is shown before the commands that it runs.
    session.server.monitors.show(session, args);
    let request = Request::new(session, args, form)?;
    let answer = request.run(session, txn, IsolatedKeys::Everything);
    // Nothing is outside the lock of everything, so nothing stops the script.
    answer.map_err(|Stop| CommandError::fixed("ERR the script was stopped"))
}

//! Runs one of several commands inside a transaction: of an `EXEC`, of a script, or of commands that arrived together.

use crate::commands::monitoring::recording::{Ending, Recording};
use crate::commands::table::{Flag, Handler, Spec};
use crate::commands::{Args, CommandError, Outcome, Reply, Session, scripting};
use crate::types::Txn;

/// Runs one of several commands inside a transaction. If it fails, its changes are undone.
pub(crate) fn call(session: &mut Session, txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    let recording = Recording::begin(session);
    let outcome = if args.spec.has(Flag::Write) {
        let may_change_more = session.may_hold_changes(txn.changed_bytes());
        may_change_more.and_then(|()| attempt(session, txn, args))
    } else {
        attempt(session, txn, args)
    };
    txn.count_lookups(counts_lookups(args.spec, &outcome));
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
    if let Some(savepoint) = savepoint {
        // What the commands of a script have changed stays, and a script that did not run has changed nothing.
        if outcome.is_err() && !matches!(args.spec.handler, Handler::Script(_)) {
            txn.roll_back(&savepoint);
        }
        txn.keep();
    }
    outcome
}

/// Whether what a command has looked up counts as read. Of those that write, some read a key before they can be refused;
/// what they look up otherwise, they count themselves.
pub(crate) fn counts_lookups(spec: &Spec, outcome: &Outcome) -> bool {
    let reads_first = || {
        matches!(
            spec.full_name,
            "georadius"
                | "georadiusbymember"
                | "geosearchstore"
                | "getdel"
                | "getex"
                | "getset"
                | "set"
                | "sort"
        )
    };
    spec.has(Flag::ReadOnly) || (outcome.is_err() && reads_first())
}

/// Calls the function of a command.
pub(super) fn work(session: &mut Session, txn: &mut Txn<'_>, args: Args<'_>) -> Outcome {
    match args.spec.handler {
        Handler::Keys(work) => work(txn, args),
        Handler::Both(work) => work(session, txn, args),
        Handler::Session(work) => work(session, args),
        Handler::Script(form) => scripting::run_inside(session, txn, args, form),
        Handler::Exec | Handler::Container => Err(CommandError::arity(args.spec.full_name)),
    }
}

/// Whether a command removes or exchanges whole databases.
pub(super) fn flushes(spec: &Spec) -> bool {
    matches!(spec.full_name, "flushall" | "flushdb" | "swapdb")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bytes::Bytes;

    use super::*;
    use crate::commands::table::find;
    use crate::commands::{Server, Settings};
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

//! The commands of one script.

use std::sync::atomic::Ordering;

use bytes::Bytes;

use super::Request;
use super::convert::for_script;
use crate::commands::args::is_word;
use crate::commands::dispatch::{attempt, call};
use crate::commands::table::{Flag, Handler, Place, Spec, find};
use crate::commands::{Args, Outcome, Protocol, Session};
use crate::scripting::{Host, Stop, Value};
use crate::types::Txn;

/// Which keys a script may touch without anybody coming in between.
#[derive(Debug, Clone, Copy)]
pub(super) enum Coverage<'a> {
    /// The keys that it named.
    Keys(&'a [Bytes]),
    /// All keys.
    Everything,
}

/// Runs the commands of one script in its transaction.
pub(super) struct TxnHost<'a, 't> {
    session: &'a mut Session,
    txn: &'a mut Txn<'t>,
    coverage: Coverage<'a>,
    request: &'a Request<'a>,
    /// How many commands have run.
    ran: usize,
    has_written: bool,
    /// A key outside the coverage was read.
    has_read_outside: bool,
}

impl<'a, 't> TxnHost<'a, 't> {
    pub(super) const fn new(
        session: &'a mut Session,
        txn: &'a mut Txn<'t>,
        coverage: Coverage<'a>,
        request: &'a Request<'a>,
    ) -> Self {
        Self {
            session,
            txn,
            coverage,
            request,
            ran: 0,
            has_written: false,
            has_read_outside: false,
        }
    }

    /// Whether the command is a `DEBUG` that somebody allowed to scripts. What writes takes locks, which the script has.
    fn may_debug(&self, spec: &Spec, args: &[Bytes]) -> bool {
        let server = &self.session.server;
        spec.full_name == "debug"
            && server.debugs_in_scripts.load(Ordering::Relaxed)
            && args.get(1).is_some_and(|word| !is_word(word, "populate"))
    }

    /// Whether the script stays isolated if it runs this command too.
    fn stays_isolated(&mut self, spec: &Spec, args: &[Bytes]) -> bool {
        let Coverage::Keys(named) = self.coverage else {
            return true;
        };
        if !matches!(spec.handler, Handler::Keys(_) | Handler::Both(_)) {
            return true;
        }
        // SORT reads keys that its patterns make, which no table knows.
        let makes_names = spec.keys.0.iter().any(|key| key.place == Place::Unknown);
        let is_outside = spec.keys.is_none()
            || makes_names
            || spec.keys.of(args).any(|key| !named.contains(key));
        if !spec.has(Flag::Write) {
            self.has_read_outside |= is_outside;
            return !(is_outside && self.has_written);
        }
        !is_outside && !self.has_read_outside
    }
}

impl TxnHost<'_, '_> {
    /// Runs a command. It is counted and shown if that was not done in an earlier run of the script.
    fn run(&mut self, args: Args<'_>) -> Outcome {
        let (session, txn) = (&mut *self.session, &mut *self.txn);
        let is_told = self.ran < self.request.told.get();
        self.ran += 1;
        if is_told {
            let outcome = attempt(session, txn, args);
            txn.end_lookups(args.spec.has(Flag::ReadOnly));
            return outcome;
        }
        self.request.told.set(self.ran);
        call(session, txn, args)
    }
}

impl Host for TxnHost<'_, '_> {
    fn call(&mut self, args: &[Bytes], resp3: bool) -> Result<Value, Stop> {
        let refuse = |text: &'static str| Ok(Value::Error(Bytes::from_static(text.as_bytes())));
        let Some(spec) = resolve(args) else {
            return refuse("ERR Unknown Redis command called from script");
        };
        if !spec.accepts(args.len()) {
            return refuse("ERR Wrong number of args calling Redis command from script");
        }
        if spec.has(Flag::NoScript) && !self.may_debug(spec, args) {
            return refuse("ERR This Redis command is not allowed from script");
        }
        if self.request.read_only && spec.may_write() {
            return refuse("ERR Write commands are not allowed from read-only scripts.");
        }
        if !self.stays_isolated(spec, args) {
            return Err(Stop);
        }
        self.has_written |= spec.has(Flag::Write);
        self.session.protocol = if resp3 {
            Protocol::Resp3
        } else {
            Protocol::Resp2
        };
        self.txn.set_db(self.session.db);
        Ok(match self.run(Args::new(args, spec)) {
            Ok(reply) => for_script(reply, resp3),
            Err(error) => Value::Error(Bytes::copy_from_slice(error.as_bytes())),
        })
    }

    fn has_written(&self) -> bool {
        self.has_written
    }
}

/// The command that these arguments name.
fn resolve(args: &[Bytes]) -> Option<&'static Spec> {
    let spec = find(args.first()?)?;
    match args.get(1) {
        Some(name) if !spec.subcommands.is_empty() => spec.subcommand(name),
        // A container alone has too few arguments, which is what it is refused for.
        _ => Some(spec),
    }
}

/// Whether there is a command that takes these arguments.
pub(crate) fn is_command(args: &[Bytes]) -> bool {
    resolve(args).is_some()
}

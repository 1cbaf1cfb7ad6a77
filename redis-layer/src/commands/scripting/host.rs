//! Runs the commands of one script, and keeps the script isolated.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;

use super::Request;
use super::convert::{for_script, refusal};
use crate::commands::acl::{Account, Context, Denied};
use crate::commands::args::is_word;
use crate::commands::dispatch::{attempt, call, counts_lookups};
use crate::commands::table::{Flag, Handler, Place, Spec, find};
use crate::commands::{Args, CommandError, Outcome, Protocol, Session};
use crate::scripting::{Host, Rights, Stop, Value};
use crate::types::Txn;

/// Which keys a script may touch without losing its isolation from other clients.
#[derive(Debug, Clone, Copy)]
pub(super) enum IsolatedKeys<'a> {
    /// The keys that it named.
    Keys(&'a [Bytes]),
    /// All keys.
    Everything,
}

/// Runs the commands of one script in its transaction.
pub(super) struct TxnHost<'a, 't> {
    session: &'a mut Session,
    txn: &'a mut Txn<'t>,
    isolated: IsolatedKeys<'a>,
    request: &'a Request<'a>,
    /// How many commands have been run or refused.
    called: usize,
    has_written: bool,
    /// Whether a key outside of `isolated` was read.
    has_read_outside: bool,
}

/// Why a script may not run a command.
struct Inadmissible {
    /// The command; `None` if there is none with that name.
    spec: Option<&'static Spec>,
    problem: &'static str,
    /// What the user who runs the script may not do, if that is why.
    denied: Option<Denied>,
}

impl<'a, 't> TxnHost<'a, 't> {
    pub(super) const fn new(
        session: &'a mut Session,
        txn: &'a mut Txn<'t>,
        isolated: IsolatedKeys<'a>,
        request: &'a Request<'a>,
    ) -> Self {
        Self {
            session,
            txn,
            isolated,
            request,
            called: 0,
            has_written: false,
            has_read_outside: false,
        }
    }

    /// The command that these arguments name if the script may run it, otherwise why it may not.
    fn admit(&self, args: &[Bytes]) -> Result<&'static Spec, Inadmissible> {
        let Some(spec) = resolve(args) else {
            return Err(Inadmissible {
                spec: None,
                problem: "ERR Unknown Redis command called from script",
                denied: None,
            });
        };
        let problem = if !spec.accepts(args.len()) {
            "ERR Wrong number of args calling Redis command from script"
        } else if spec.has(Flag::NoScript) && !self.may_debug(spec, args) {
            "ERR This Redis command is not allowed from script"
        } else if let Err(denied) = self.session.account.check(Args::new(args, spec)) {
            return Err(Inadmissible {
                spec: Some(spec),
                problem: denied.in_script(),
                denied: Some(denied),
            });
        } else if self.request.read_only && spec.may_write() {
            "ERR Write commands are not allowed from read-only scripts."
        } else {
            return Ok(spec);
        };
        Err(Inadmissible {
            spec: Some(spec),
            problem,
            denied: None,
        })
    }

    /// Whether the command is a `DEBUG` that scripts were allowed to use. One that writes is excluded: it would take
    /// locks that the script already holds.
    fn may_debug(&self, spec: &Spec, args: &[Bytes]) -> bool {
        let server = &self.session.server;
        spec.full_name == "debug"
            && server.debugs_in_scripts.load(Ordering::Relaxed)
            && args.get(1).is_some_and(|word| !is_word(word, "populate"))
    }

    /// Whether the script stays isolated if it runs this command too.
    fn stays_isolated(&mut self, spec: &Spec, args: &[Bytes]) -> bool {
        let IsolatedKeys::Keys(named) = self.isolated else {
            return true;
        };
        if !matches!(spec.handler, Handler::Keys(_) | Handler::Both(_)) {
            return true;
        }
        // SORT reads keys whose names come from its patterns, which the table cannot list.
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
    /// Whether the next command was already counted and shown in an earlier run of the script. From now on it is.
    fn is_counted_already(&mut self) -> bool {
        let counted = &self.request.counted;
        let is_counted_already = self.called < counted.get();
        self.called += 1;
        counted.set(counted.get().max(self.called));
        is_counted_already
    }

    /// Runs a command. It is counted and shown unless an earlier run of the script did that.
    fn run(&mut self, args: Args<'_>) -> Outcome {
        let is_counted_already = self.is_counted_already();
        let (session, txn) = (&mut *self.session, &mut *self.txn);
        if is_counted_already {
            let outcome = attempt(session, txn, args);
            txn.end_lookups(counts_lookups(args.spec, &outcome));
            return outcome;
        }
        call(session, txn, args)
    }

    /// Refuses a command. The refusal is counted and logged unless an earlier run of the script did that.
    fn refuse(&mut self, args: &[Bytes], why: &Inadmissible) -> Value {
        let error = CommandError::fixed(why.problem);
        if !self.is_counted_already() {
            let server = &self.session.server;
            server.statistics.error(&server.counters, &error);
            if let Some(spec) = why.spec {
                server.statistics.refused(spec);
                if let Some(denied) = why.denied {
                    let (log, args) = (&server.acl_log, Args::new(args, spec));
                    log.denied(self.session, args, denied, Context::Script);
                }
            }
        }
        refusal(&error)
    }
}

impl Host for TxnHost<'_, '_> {
    fn call(
        &mut self,
        args: &[Bytes],
        resp3: bool,
        begin_write: &dyn Fn() -> Result<(), Stop>,
    ) -> Result<Value, Stop> {
        let spec = match self.admit(args) {
            Ok(spec) => spec,
            Err(why) => return Ok(self.refuse(args, &why)),
        };
        if !self.stays_isolated(spec, args) {
            return Err(Stop);
        }
        if spec.has(Flag::Write) {
            begin_write()?;
            self.has_written = true;
        }
        self.session.protocol = if resp3 {
            Protocol::Resp3
        } else {
            Protocol::Resp2
        };
        self.txn.set_db(self.session.db);
        Ok(match self.run(Args::new(args, spec)) {
            Ok(reply) => for_script(reply, resp3),
            Err(error) => refusal(&error),
        })
    }

    fn rights(&self) -> Option<Arc<dyn Rights>> {
        let account = &self.session.account;
        let is_restricted = !account.is_unrestricted();
        is_restricted.then(|| Arc::clone(account) as Arc<dyn Rights>)
    }
}

impl Rights for Account {
    fn allow(&self, args: &[Bytes]) -> bool {
        resolve(args).is_some_and(|spec| self.check(Args::new(args, spec)).is_ok())
    }
}

/// The command that these arguments name.
fn resolve(args: &[Bytes]) -> Option<&'static Spec> {
    let spec = find(args.first()?)?;
    match args.get(1) {
        Some(name) if !spec.subcommands.is_empty() => spec.subcommand(name),
        // A container without a subcommand has too few arguments, and is refused for that.
        _ => Some(spec),
    }
}

/// Whether there is a command that takes these arguments.
pub(crate) fn is_command(args: &[Bytes]) -> bool {
    resolve(args).is_some()
}

//! `CLIENT PAUSE`: delays commands for a while, all of them or those that write.
//!
//! A delayed command has not begun: its connection keeps it, and checks again when the pause ends.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::sync::futures::Notified;

use crate::commands::dispatch::admission::would_refuse;
use crate::commands::dispatch::{named, resolve};
use crate::commands::table::{Handler, Spec};
use crate::commands::{Args, CommandError, Outcome, Reply, Server, Session};
use crate::scripting::Writes;
use crate::types::number::parse_integer;

/// A pause, if there is one.
#[derive(Debug, Default)]
pub(crate) struct Pause {
    /// Whether there may be a pause, which commands check without a lock.
    is_on: AtomicBool,
    state: Mutex<State>,
    pub(crate) ended: Notify,
}

/// Until when commands are delayed, and which.
#[derive(Debug, Clone, Copy, Default)]
struct State {
    until: Option<Instant>,
    /// Those that only read, too.
    holds_reads: bool,
}

impl Pause {
    /// Whether there may be a pause.
    pub(crate) fn may_be_on(&self) -> bool {
        self.is_on.load(Ordering::Relaxed)
    }

    /// Until when a command is delayed, depending on whether it writes.
    fn holds_until(&self, writes: bool) -> Option<Instant> {
        if !self.is_on.load(Ordering::Acquire) {
            return None;
        }
        let State { until, holds_reads } = *self.state.lock();
        let until = until.filter(|_| writes || holds_reads);
        until.filter(|&until| until > Instant::now())
    }
}

impl Server {
    /// Whether commands that write are delayed. Then nothing else writes either, such as the removal of expired keys.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.pause.holds_until(true).is_some()
    }

    /// Whether a command may write. The first line of a script may say that the script does not.
    pub(crate) fn may_write(&self, spec: &Spec, args: &[Bytes]) -> bool {
        let says = match (spec.handler, args.get(1)) {
            (Handler::Script(form), Some(sha)) if form.by_sha => {
                self.scripts.find(sha).map(|script| script.writes())
            }
            (Handler::Script(_), Some(source)) => Writes::said_by(source),
            _ => None,
        };
        spec.may_write() && says != Some(Writes::Never)
    }
}

impl Session {
    /// Until when this command is delayed, if it is. One that is refused anyway is not. A client that monitors may not
    /// run commands that a pause would delay.
    #[must_use]
    pub fn paused_until(&self, args: &[Bytes]) -> Option<Instant> {
        let pause = &self.server.pause;
        if !pause.is_on.load(Ordering::Relaxed) || self.is_monitor {
            return None;
        }
        let spec = resolve(args).ok()?;
        if would_refuse(self, Args::new(args, spec)) {
            return None;
        }
        pause.holds_until(self.may_write(spec, args))
    }

    /// Completes when a pause ends early, counted from this call and not from the first time that it is awaited.
    pub fn pause_ended(&self) -> Notified<'_> {
        self.server.pause.ended.notified()
    }

    /// Shows other clients the command that is delayed.
    pub fn show_delayed(&mut self, args: &[Bytes]) {
        if let Some(spec) = named(args) {
            let now_ms = self.server.clock.now_ms();
            self.show_command(spec.full_name, now_ms);
        }
    }

    /// Whether a command may change something that Redis would send to replicas.
    fn may_write(&self, spec: &Spec, args: &[Bytes]) -> bool {
        match &self.queue {
            Some(queue) if matches!(spec.handler, Handler::Exec) => {
                let mut commands = queue.commands().iter();
                commands.any(|(spec, args)| self.server.may_write(spec, args))
            }
            _ => self.server.may_write(spec, args),
        }
    }
}

/// `CLIENT PAUSE milliseconds [WRITE | ALL]`
pub(crate) fn pause(session: &mut Session, args: Args<'_>) -> Outcome {
    let only_writes = match args.len() {
        3 => false,
        4 if args.is(3, "WRITE") => true,
        4 if args.is(3, "ALL") => false,
        4 => {
            return Err(CommandError::fixed(
                "ERR CLIENT PAUSE mode must be WRITE or ALL",
            ));
        }
        _ => return Err(CommandError::unknown_subcommand(args.spec, args.get(1))),
    };
    let millis = parse_integer(args.get(2)).ok_or(CommandError::fixed(
        "ERR timeout is not an integer or out of range",
    ))?;
    let millis =
        u64::try_from(millis).map_err(|_| CommandError::fixed("ERR timeout is negative"))?;
    // Redis adds this to its clock. If the sum overflows, it is a moment long ago and delays nothing.
    let now_ms = session.server.clock.now_ms();
    if now_ms.checked_add_unsigned(millis).is_none() {
        return Ok(Reply::OK);
    }
    let far = Duration::from_secs(365 * 24 * 3600);
    let until = Instant::now() + Duration::from_millis(millis).min(far);
    let pause = &session.server.pause;
    let mut state = pause.state.lock();
    // As in Redis, two pauses are one: it lasts as long as the longer, and holds back what either does.
    let running = state.until.filter(|&until| until > Instant::now());
    let holds_reads = running.is_some() && state.holds_reads;
    *state = State {
        until: running.max(Some(until)),
        holds_reads: holds_reads || !only_writes,
    };
    pause.is_on.store(true, Ordering::Release);
    Ok(Reply::OK)
}

/// `CLIENT UNPAUSE`
pub(crate) fn unpause(session: &mut Session, _args: Args<'_>) -> Outcome {
    let pause = &session.server.pause;
    *pause.state.lock() = State::default();
    pause.is_on.store(false, Ordering::Release);
    pause.ended.notify_waiters();
    Ok(Reply::OK)
}

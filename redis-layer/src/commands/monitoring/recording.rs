//! What is recorded about every command that runs: how often and how long it ran, whether it was slow, and what
//! clients that monitor are shown.

use std::time::Instant;

use crate::commands::monitoring::statistics::Runs;
use crate::commands::table::Flag;
use crate::commands::{Args, Outcome, Session};

/// The recording of a command that is running.
#[derive(Debug)]
pub(crate) struct Recording {
    started: Instant,
}

/// How the run of a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// With an answer.
    Done,
    /// With an error.
    Failed,
    /// Not yet: the client waits for a key.
    Waits,
}

impl Ending {
    /// The ending that an outcome means.
    pub(crate) const fn of(outcome: &Outcome) -> Self {
        if outcome.is_err() {
            Self::Failed
        } else {
            Self::Done
        }
    }
}

impl Recording {
    /// Begins to record a command. If it follows another one, it begins where that one ended, so that the clock is
    /// read only once for each.
    pub(crate) fn begin(session: &mut Session) -> Self {
        let started = session.last_end.take();
        Self {
            started: started.unwrap_or_else(Instant::now),
        }
    }

    /// Begins to record a command that follows what ended at `started`.
    pub(crate) const fn since(started: Instant) -> Self {
        Self { started }
    }

    /// Records a command that has run.
    pub(crate) fn end(self, session: &mut Session, args: Args<'_>, ending: Ending) {
        let ended = Instant::now();
        session.worked_micros = self.end_all(ended, std::iter::once((&*session, args, ending)));
        session.last_end = Some(ended);
    }

    /// Records several commands of one server's sessions that ran one after the other until `ended`. Each is recorded
    /// with an equal part of the time, and neighbours that are alike are counted together. Returns how many
    /// microseconds each took.
    pub(crate) fn end_all<'a>(
        self,
        ended: Instant,
        commands: impl ExactSizeIterator<Item = (&'a Session, Args<'a>, Ending)> + Clone,
    ) -> u64 {
        let took = ended.duration_since(self.started).as_nanos();
        let nanos = u64::try_from(took).unwrap_or(u64::MAX) / (commands.len() as u64).max(1);
        let micros = nanos / 1000;
        let mut left = commands.clone().peekable();
        let mut is_shown = false;
        while let Some((session, args, ending)) = left.next() {
            let server = &session.server;
            let live = &server.config.live;
            let is_alike = |(_, next, other): &(&Session, Args<'_>, Ending)| {
                std::ptr::eq(next.spec, args.spec) && *other == ending
            };
            let alike = std::iter::from_fn(|| left.next_if(is_alike));
            let runs = Runs {
                calls: 1 + alike.count() as u64,
                nanos,
                failed: ending == Ending::Failed,
            };
            server
                .statistics
                .ran(args.spec, runs, live.tracks_latency());
            is_shown |= live.notes_times_from(micros) || server.monitors.are_any();
        }
        if is_shown {
            commands.for_each(|(session, args, ending)| show(session, args, ending, micros));
        }
        micros
    }
}

/// Records a command in the slow log and the latency monitor, and shows it to clients that monitor.
fn show(session: &Session, args: Args<'_>, ending: Ending, micros: u64) {
    let server = &session.server;
    let spec = args.spec;
    // A command that waits has not ended yet.
    if ending != Ending::Waits {
        server.slowlog.consider(session, args, micros);
    }
    let latency_ms = server.config.live.latency_ms();
    let millis = micros / 1000;
    if latency_ms > 0 && millis >= latency_ms {
        let event = if spec.has(Flag::Fast) {
            "fast-command"
        } else {
            "command"
        };
        server.latency.add(event, server.clock.now_ms(), millis);
    }
    if !spec.has(Flag::SkipMonitor) && !spec.has(Flag::Admin) {
        server.monitors.show(session, args);
    }
}

//! What is noted about every command that runs: how often and how long, whether it was slow, and
//! what those see who monitor.

use std::time::Instant;

use crate::commands::table::Flag;
use crate::commands::{Args, Outcome, Session};

/// A command that runs.
#[derive(Debug)]
pub(crate) struct Observed {
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
    /// Of a command that has its outcome.
    pub(crate) const fn of(outcome: &Outcome) -> Self {
        if outcome.is_err() {
            Self::Failed
        } else {
            Self::Done
        }
    }
}

impl Observed {
    /// A command that follows another begins where that one ended, so that the clock is asked once
    /// for each.
    pub(crate) fn begin(session: &mut Session) -> Self {
        let started = session.last_end.take();
        Self {
            started: started.unwrap_or_else(Instant::now),
        }
    }

    /// The command has run.
    pub(crate) fn end(self, session: &mut Session, args: Args<'_>, ending: Ending) {
        let ended = Instant::now();
        session.last_end = Some(ended);
        let server = &session.server;
        let spec = args.spec;
        let took = ended.duration_since(self.started);
        let nanos = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        let live = &server.config.live;
        let statistics = &server.statistics;
        statistics.ran(spec, nanos, ending == Ending::Failed, live.tracks_latency());
        let micros = nanos / 1000;
        // A command that waits has not ended yet.
        if ending != Ending::Waits {
            server.slowlog.consider(session, args, micros);
        }
        let millis = micros / 1000;
        if live.latency_ms() > 0 && millis >= live.latency_ms() {
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
}

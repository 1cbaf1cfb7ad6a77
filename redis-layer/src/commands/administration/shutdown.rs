//! `SHUTDOWN`: a client asks the server to stop.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

use crate::commands::administration::persistence::Saving;
use crate::commands::scripting::BUSY;
use crate::commands::{Args, CommandError, Outcome, Reply, Session, run_blocking};

/// A request of `SHUTDOWN` that the server stop.
#[derive(Debug, Default)]
pub struct Shutdown {
    pub(crate) is_asked: AtomicBool,
    /// Whether no client changes anything any more.
    pub(crate) is_over: AtomicBool,
    pub(crate) notify: Notify,
}

impl Shutdown {
    /// Completes when a client asks the server to stop.
    pub async fn asked(&self) {
        while !self.is_asked.load(Ordering::Acquire) {
            self.notify.notified().await;
        }
    }
}

/// `SHUTDOWN [NOSAVE | SAVE] [NOW] [FORCE] [ABORT]`
pub(crate) fn shutdown(session: &mut Session, args: Args<'_>) -> Outcome {
    let (mut saves, mut spares, mut aborts, mut other) = (false, false, false, false);
    for position in 1..args.len() {
        match () {
            () if args.is(position, "SAVE") => saves = true,
            () if args.is(position, "NOSAVE") => spares = true,
            () if args.is(position, "ABORT") => aborts = true,
            () if args.is(position, "NOW") || args.is(position, "FORCE") => other = true,
            () => return Err(CommandError::SYNTAX),
        }
    }
    if (saves && spares) || (aborts && (saves || spares || other)) {
        return Err(CommandError::SYNTAX);
    }
    let server = &session.server;
    if aborts {
        // A stop is never delayed, so there is never one that could be aborted.
        return Err(CommandError::fixed("ERR No shutdown in progress."));
    }
    // What a late script has changed would be lost.
    if !spares && server.scripts.is_busy() {
        return Err(BUSY);
    }
    if saves {
        let saving = Saving::begin(server)?;
        run_blocking(|| saving.save())
            .map_err(|_| CommandError::fixed("ERR Errors trying to SHUTDOWN. Check logs."))?;
    }
    server.shutdown.is_asked.store(true, Ordering::Release);
    server.shutdown.notify.notify_one();
    session.closing = true;
    Ok(Reply::Silence)
}

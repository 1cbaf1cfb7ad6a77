//! The thread that frees the space of removed collections.
//!
//! It walks over the rows in small steps with pauses between them, so that commands hardly notice. A walk begins when
//! the server starts, and later whenever something was written since the last walk began. After a long walk it pauses
//! for long. An idle server does nothing. For a large collection, the files that held its rows are then rewritten
//! without them; the space of smaller ones is freed by the compactions that the store makes anyway.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::server::Durability;
use crate::server::background::{BackgroundThread, Stopped};
use crate::server::outage::Outage;
use crate::store::Store;
use crate::types::{self, Sweeper};

/// How many orphans or collections a step looks at.
const STEP_ROWS: usize = 1024;
/// How long to wait between two steps: at most 10,000 rows a second are removed.
const STEP_PAUSE: Duration = Duration::from_millis(100);
/// The least pause between two walks.
const WALK_PAUSE: Duration = Duration::from_secs(2);
/// The pause is also at least this many times as long as the last walk worked, up to a bound: a walk passes over the
/// tombstones of millions of rows in a fraction of a second, which is much if it happens every two seconds.
const REST: u32 = 30;
const REST_MAX: Duration = Duration::from_secs(60);

/// Starts the thread.
///
/// # Errors
/// The operating system cannot start a thread.
pub(super) fn start_reclaimer(
    store: Arc<dyn Store>,
    durability: Arc<Durability>,
) -> io::Result<BackgroundThread> {
    BackgroundThread::start("reclaim", move |stopped| {
        walk_until_stopped(&*store, &durability, stopped);
    })
}

/// How long to wait after a walk that worked for this long.
fn pause_after(worked: Duration) -> Duration {
    worked.saturating_mul(REST).clamp(WALK_PAUSE, REST_MAX)
}

fn walk_until_stopped(store: &dyn Store, durability: &Durability, stopped: &Stopped) {
    let mut walked_at = None;
    let mut pause = WALK_PAUSE;
    let mut outage = Outage::default();
    while !stopped.after(pause) {
        pause = WALK_PAUSE;
        let written = durability.written();
        if walked_at == Some(written) {
            continue;
        }
        match walk(store, stopped) {
            Ok(Walk::Ended { worked }) => {
                pause = pause_after(worked);
                walked_at = Some(written);
                if outage.ends() {
                    tracing::info!("the space of removed keys is given back again");
                }
            }
            Ok(Walk::Stopped) => return,
            Err(error) => {
                if outage.begins() {
                    tracing::error!(%error, "the space of removed keys is not given back until this is mended");
                }
                pause = REST_MAX;
            }
        }
    }
}

/// How a walk over all rows came to its end.
enum Walk {
    Ended { worked: Duration },
    Stopped,
}

fn walk(store: &dyn Store, stopped: &Stopped) -> types::Result<Walk> {
    let mut sweeper = Sweeper::default();
    let mut worked = Duration::ZERO;
    let mut large = Vec::new();
    loop {
        let begun = Instant::now();
        let step = sweeper.step(store, STEP_ROWS)?;
        worked += begun.elapsed();
        large.extend(step.large);
        if step.is_last {
            break;
        }
        if stopped.after(STEP_PAUSE) {
            return Ok(Walk::Stopped);
        }
    }
    for (space, range) in large {
        if let Err(error) = store.reclaim(space, &range) {
            tracing::error!(%error, "the space of a removed key stays taken for now");
        }
        if stopped.after(STEP_PAUSE) {
            return Ok(Walk::Stopped);
        }
    }
    Ok(Walk::Ended { worked })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_walk_is_followed_by_a_long_rest() {
        let pauses = [0, 10, 400, 3_600_000].map(|ms| pause_after(Duration::from_millis(ms)));
        assert_eq!(pauses.map(|pause| pause.as_secs()), [2, 2, 12, 60]);
        assert_eq!(pause_after(Duration::MAX), REST_MAX);
    }
}

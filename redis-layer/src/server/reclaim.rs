//! The thread that frees the space of removed collections.
//!
//! It walks over the rows in small steps with pauses between them, so that commands hardly notice. A walk begins when
//! the server starts, and later whenever something was written since the last walk began. An idle server does nothing.
//!
//! How long a pause is depends on what a step was good for. Where most of the rows were to be removed, it is short:
//! removing has to keep up with commands that leave rows behind all the time, or the disk would fill. The longer such
//! steps follow each other, the shorter it is. Where most were to stay, it is long, and so is the pause after the whole walk.
//!
//! For a large collection the files that held its rows are then rewritten without them; the space of smaller ones is
//! freed by the compactions that the store makes anyway. So is that of a database that was emptied, unless nothing is
//! written any more: then its files are rewritten, too. Beside writers that would only take the disk from them.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::commands::Server;
use crate::server::Durability;
use crate::server::background::{BackgroundThread, Stopped};
use crate::server::outage::Outage;
use crate::store::{KeyRange, Space, Store};
use crate::types::{self, Sweeper};

/// How many orphans or collections a step looks at.
const STEP_ROWS: usize = 4096;
/// How long to wait between two steps.
const STEP_PAUSE: Duration = Duration::from_millis(100);
/// After a step that mostly removed, the pause is so many times as long as the step worked, and no longer than after
/// others. So removing takes about a fifth of a core, and more if a step takes longer than a fortieth of a second, or if
/// there is a backlog.
const STEP_REST: u32 = 4;
const STEP_PAUSE_LEAST: Duration = Duration::from_millis(1);
/// After so many such steps in a row, about a quarter of a million rows, the pause is as long as the work; after twice as
/// many it is half as long, and so on. Commands can leave rows behind faster than a fifth of a core removes them.
const BACKLOG_STEPS: u32 = 64;
/// The least pause between two walks.
const WALK_PAUSE: Duration = Duration::from_secs(2);
/// The pause is also at least this many times as long as the last walk searched, up to a bound: a walk passes over the
/// tombstones of millions of rows in a fraction of a second, which is much if it happens every two seconds.
const REST: u32 = 30;
const REST_MAX: Duration = Duration::from_secs(60);

/// Starts the thread.
///
/// # Errors
/// The operating system cannot start a thread.
pub(super) fn start_reclaimer(
    server: Arc<Server>,
    durability: Arc<Durability>,
) -> io::Result<BackgroundThread> {
    BackgroundThread::start("reclaim", move |stopped| {
        walk_until_stopped(&server, &durability, stopped);
    })
}

/// How long to wait after a walk that searched for this long.
fn pause_after(searched: Duration) -> Duration {
    searched.saturating_mul(REST).clamp(WALK_PAUSE, REST_MAX)
}

/// How long to wait after a step that worked for this long and mostly removed. `in_a_row` counts such steps without
/// another kind between them, this one included.
fn pause_after_removing(worked: Duration, in_a_row: u32) -> Duration {
    let rest = worked.saturating_mul(STEP_REST);
    let hurried = worked.saturating_mul(BACKLOG_STEPS) / in_a_row.max(1);
    rest.min(hurried).clamp(STEP_PAUSE_LEAST, STEP_PAUSE)
}

/// Whether at least half of what a step looked at was removed.
fn has_mostly_removed(removed: u64) -> bool {
    removed >= STEP_ROWS as u64 / 2
}

fn walk_until_stopped(server: &Server, durability: &Durability, stopped: &Stopped) {
    let mut walked_at = None;
    let mut pause = WALK_PAUSE;
    let mut outage = Outage::default();
    while !stopped.after(pause) {
        pause = WALK_PAUSE;
        let written = durability.written();
        if walked_at == Some(written) {
            if !reclaim(&*server.store, server.shared.emptied(), stopped) {
                return;
            }
            continue;
        }
        match walk(server, stopped) {
            Ok(Walk::Ended { searched }) => {
                pause = pause_after(searched);
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
    /// It worked for this long in steps that removed little.
    Ended {
        searched: Duration,
    },
    Stopped,
}

fn walk(server: &Server, stopped: &Stopped) -> types::Result<Walk> {
    let store = &*server.store;
    let mut sweeper = Sweeper::default();
    let mut searched = Duration::ZERO;
    let mut large = Vec::new();
    let mut in_a_row = 0;
    loop {
        let begun = Instant::now();
        let step = sweeper.step(store, &server.shared, STEP_ROWS)?;
        let worked = begun.elapsed();
        let pause = if has_mostly_removed(step.removed) {
            in_a_row += 1;
            pause_after_removing(worked, in_a_row)
        } else {
            in_a_row = 0;
            searched += worked;
            STEP_PAUSE
        };
        large.extend(step.large);
        if step.is_last {
            break;
        }
        if stopped.after(pause) {
            return Ok(Walk::Stopped);
        }
    }
    Ok(if reclaim(store, large, stopped) {
        Walk::Ended { searched }
    } else {
        Walk::Stopped
    })
}

/// Frees the space of some ranges. Returns `false` if the thread is to stop.
fn reclaim(store: &dyn Store, ranges: Vec<(Space, KeyRange)>, stopped: &Stopped) -> bool {
    ranges.into_iter().all(|(space, range)| {
        if let Err(error) = store.reclaim(space, &range) {
            tracing::error!(%error, "the space of what was removed stays taken for now");
        }
        !stopped.after(STEP_PAUSE)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_search_is_followed_by_a_long_rest() {
        let pauses = [0, 10, 400, 3_600_000].map(|ms| pause_after(Duration::from_millis(ms)));
        assert_eq!(pauses.map(|pause| pause.as_secs()), [2, 2, 12, 60]);
        assert_eq!(pause_after(Duration::MAX), REST_MAX);
    }

    #[test]
    fn removing_takes_about_a_fifth_of_a_core() {
        let pauses =
            [0, 5, 20, 3_600_000].map(|ms| pause_after_removing(Duration::from_millis(ms), 1));
        assert_eq!(pauses.map(|pause| pause.as_millis()), [1, 20, 80, 100]);
        let rows = STEP_ROWS as u64;
        assert_eq!(
            [0, rows / 2 - 1, rows / 2, rows].map(has_mostly_removed),
            [false, false, true, true]
        );
    }

    #[test]
    fn a_long_backlog_shortens_the_pauses() {
        let worked = Duration::from_millis(16);
        let pauses = [1, 16, 64, 128, 256, u32::MAX].map(|row| pause_after_removing(worked, row));
        assert_eq!(pauses.map(|pause| pause.as_millis()), [64, 64, 16, 8, 4, 1]);
        assert_eq!(pause_after_removing(Duration::MAX, 1000), STEP_PAUSE);
    }
}

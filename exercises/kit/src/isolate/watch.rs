//! Watches a child, and kills it when it stops making progress.
//!
//! Progress is the length of the file of answers. What is counted without it is what the child spends: processor time, and
//! the time in which it sleeps or waits. Not the time by the clock, because a machine that is busy with other things must
//! not turn a right answer into an endless loop.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use super::cannot;
use crate::answer::Death;

/// How much processor time one call may take.
const CALL_LIMIT: Duration = Duration::from_millis(1000);
/// How long one call may sleep or wait. On a system that does not tell us what another process does: how long it may take.
const CALL_LIMIT_AT_REST: Duration = Duration::from_secs(4);
/// Who used no more processor time than this in [`CALL_LIMIT_AT_REST`] was waiting.
const WAITING_MAX: Duration = Duration::from_millis(100);
/// How much processor time all calls together may take.
pub(super) const RUN_LIMIT: Duration = Duration::from_secs(8);
/// How long they may sleep or wait together, unless somebody has less patience.
pub(super) const RUN_LIMIT_AT_REST: Duration = Duration::from_secs(32);
/// The parent's rhythm while it waits.
const POLL: Duration = Duration::from_millis(4);
/// A child that was seen at rest rested at most this long before: the parent too may have got no processor.
const REST_SEEN_MAX: Duration = Duration::from_millis(40);

/// How a child ended.
pub(super) enum Ended {
    /// The parent killed it, and says what it died of.
    Killed(Death),
    /// By itself, in whatever way.
    Itself(ExitStatus),
}

/// Waits for the child, and kills it when it stops making progress, or when all its calls together have slept or waited for longer
/// than `rest_max`.
pub(super) fn wait(child: &mut Child, answers: &Path, rest_max: Duration) -> io::Result<Ended> {
    let mut looked = Instant::now();
    let mut progress = Progress::new(rest_max);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Ended::Itself(status));
        }
        let before = length(answers)?;
        let activity = activity(child.id());
        let lengths = [before, length(answers)?];
        let now = Instant::now();
        let passed = now - std::mem::replace(&mut looked, now);
        if let Some(death) = progress.look(lengths, passed, activity) {
            child.kill()?;
            child.wait()?;
            return Ok(Ended::Killed(death));
        }
        thread::sleep(POLL);
    }
}

fn length(answers: &Path) -> io::Result<u64> {
    let metadata = fs::metadata(answers).map_err(cannot("look at", answers))?;
    Ok(metadata.len())
}

/// What the system says of a process.
#[derive(Clone, Copy)]
struct Activity {
    /// The processor time that it has used.
    used: Duration,
    /// Whether one of its threads has a processor, or would take one, or waits for a disk.
    is_busy: bool,
}

/// How far a child has come, and what it has spent.
struct Progress {
    length: u64,
    /// What it had used when it came so far, where the system tells it.
    used_then: Option<Duration>,
    /// How long it has been at rest since then.
    rested: Duration,
    /// And in all.
    rested_in_all: Duration,
    /// Which may not be longer than this.
    rest_max: Duration,
}

impl Progress {
    fn new(rest_max: Duration) -> Self {
        Self {
            length: 0,
            used_then: None,
            rested: Duration::ZERO,
            rested_in_all: Duration::ZERO,
            rest_max,
        }
    }

    /// What the child died of, if it has come no further for too long, or takes too long in all. `passed` since the last look.
    ///
    /// `lengths` before and after its activity was seen. Where they differ, we got no processor in between, and part of what
    /// it has spent is that of a later call.
    fn look(
        &mut self,
        lengths: [u64; 2],
        passed: Duration,
        activity: Option<Activity>,
    ) -> Option<Death> {
        let [length, after] = lengths;
        // A child that has not begun is waiting for the machine, not looping.
        if length == 0 {
            return None;
        }
        // And one that could run and gets no processor does not rest.
        let rested = match activity {
            None => passed,
            Some(Activity { is_busy: true, .. }) => Duration::ZERO,
            Some(_) => passed.min(REST_SEEN_MAX),
        };
        let used = activity.map(|activity| activity.used);
        self.rested_in_all += rested;
        if self.length == length && after == length {
            self.rested += rested;
        } else {
            self.length = length;
            self.used_then = used;
            self.rested = Duration::ZERO;
        }
        self.stuck(used)
            .or_else(|| too_slow(self.rested_in_all, used, self.rest_max))
    }

    fn stuck(&self, used: Option<Duration>) -> Option<Death> {
        let worked = used
            .zip(self.used_then)
            .map(|(now, then)| now.saturating_sub(then));
        if worked > Some(CALL_LIMIT) {
            let limit_ms = milliseconds(CALL_LIMIT);
            return Some(Death::EndlessLoop { limit_ms });
        }
        let limit_ms = milliseconds(CALL_LIMIT_AT_REST);
        (self.rested > CALL_LIMIT_AT_REST).then_some(match worked {
            Some(worked) if worked <= WAITING_MAX => Death::Waits { limit_ms },
            _ => Death::EndlessLoop { limit_ms },
        })
    }
}

/// What a child died of whose calls came back, if all of them together took too long.
fn too_slow(rested: Duration, used: Option<Duration>, rest_max: Duration) -> Option<Death> {
    let limit = if used.unwrap_or(rested) > RUN_LIMIT {
        RUN_LIMIT
    } else if rested > rest_max {
        rest_max
    } else {
        return None;
    };
    Some(Death::TooSlow {
        limit_ms: milliseconds(limit),
        waits: used.is_some_and(|used| used < rested / 10),
    })
}

/// What a process does, where the system shows it in `/proc`.
fn activity(process: u32) -> Option<Activity> {
    /// Linux counts in hundredths of a second, whatever its own clock does.
    const TICK: Duration = Duration::from_millis(10);
    let process = format!("/proc/{process}");
    // User and system time are the twelfth and thirteenth field after the name.
    let stat = stat_after_name(Path::new(&process))?;
    let mut fields = stat.split_whitespace().skip(11);
    let user: u32 = fields.next()?.parse().ok()?;
    let system: u32 = fields.next()?.parse().ok()?;
    let threads = fs::read_dir(format!("{process}/task")).ok()?;
    let is_busy = threads
        .flatten()
        .filter_map(|thread| stat_after_name(&thread.path()))
        .any(|stat| stat.starts_with(['R', 'D']));
    Some(Activity {
        used: TICK * user.checked_add(system)?,
        is_busy,
    })
}

/// What stands in a `stat` after the program's name, which is in parentheses and may hold spaces: first the state.
fn stat_after_name(folder: &Path) -> Option<String> {
    let stat = fs::read_to_string(folder.join("stat")).ok()?;
    Some(stat.rsplit_once(") ")?.1.to_owned())
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn activity_of(ms: u64, is_busy: bool) -> Option<Activity> {
        let used = Duration::from_millis(ms);
        Some(Activity { used, is_busy })
    }

    #[test]
    fn a_call_without_end_is_told_by_its_work_before_the_clock() {
        let mut progress = Progress::new(RUN_LIMIT_AT_REST);
        let mut look = |length, ms: Option<u64>| {
            let activity = ms.and_then(|ms| activity_of(ms, true));
            progress.look([length; 2], POLL, activity)
        };
        assert_eq!(look(0, Some(0)), None);
        assert_eq!(look(0, Some(5000)), None, "it has not begun");
        assert_eq!(look(1, Some(5000)), None);
        assert_eq!(look(1, Some(6000)), None, "just the limit");
        let endless = Death::EndlessLoop { limit_ms: 1000 };
        assert_eq!(look(1, Some(6010)), Some(endless));
        assert_eq!(look(2, Some(6020)), None, "an answer came");
        assert_eq!(look(2, None), None, "nobody knows");
    }

    #[test]
    fn a_call_that_gets_no_processor_neither_waits_nor_loops() {
        let mut progress = Progress::new(RUN_LIMIT_AT_REST);
        let (second, limit_ms) = (Duration::from_secs(1), 4000);
        assert_eq!(progress.look([1; 2], second, activity_of(0, true)), None);
        for _ in 0..60 {
            assert_eq!(progress.look([1; 2], second, activity_of(50, true)), None);
        }
        // The parent was late: nobody knows how long the child has slept.
        let mut looks = 0;
        let death = loop {
            looks += 1;
            if let Some(death) = progress.look([1; 2], second, activity_of(50, false)) {
                break death;
            }
        };
        assert_eq!((looks, death), (101, Death::Waits { limit_ms }));
        let death = progress.look([1; 2], second, activity_of(500, false));
        assert_eq!(death, Some(Death::EndlessLoop { limit_ms }));
        // Where nothing is known, only the clock is left.
        let mut progress = Progress::new(RUN_LIMIT_AT_REST);
        assert_eq!(progress.look([1; 2], second, None), None);
        assert_eq!(progress.look([1; 2], 4 * second, None), None);
        let endless = Death::EndlessLoop { limit_ms };
        assert_eq!(progress.look([1; 2], second, None), Some(endless));
    }

    #[test]
    fn a_parent_that_gets_no_processor_takes_many_calls_for_one_no_more() {
        let mut progress = Progress::new(RUN_LIMIT_AT_REST);
        let mut look = |lengths, ms| progress.look(lengths, POLL, activity_of(ms, true));
        assert_eq!(look([1, 1], 0), None);
        assert_eq!(look([1, 1], 500), None);
        // It stops between two looks while the child comes on, before its activity is seen or after that.
        assert_eq!(look([1, 9], 1600), None);
        assert_eq!(look([9, 9], 2700), None);
        assert_eq!(look([9, 20], 2800), None);
        assert_eq!(look([20, 20], 3900), None);
        assert_eq!(look([20, 20], 4800), None);
        assert!(look([20, 20], 4910).is_some());
    }

    #[test]
    fn what_is_too_slow_is_told_by_the_limit_that_it_broke() {
        let seconds = Duration::from_secs;
        let died = |rested, used: Option<u64>| {
            too_slow(seconds(rested), used.map(seconds), RUN_LIMIT_AT_REST)
        };
        let of = |limit_ms, waits| Some(Death::TooSlow { limit_ms, waits });
        assert_eq!(died(32, Some(8)), None, "just the limits");
        assert_eq!(died(10, Some(9)), of(8000, false));
        assert_eq!(died(33, Some(1)), of(32_000, true), "it sleeps");
        assert_eq!(died(33, Some(7)), of(32_000, false));
        assert_eq!(died(9, None), of(8000, false), "nobody knows");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_a_process_does_is_seen() {
        let own = std::process::id();
        // This thread runs.
        assert!(activity(own).is_some_and(|activity| activity.is_busy));
        let mut sleeping = Command::new("sleep").arg("60").spawn().unwrap();
        while activity(sleeping.id()).is_some_and(|activity| activity.is_busy) {
            thread::sleep(POLL);
        }
        assert!(activity(sleeping.id()).is_some());
        sleeping.kill().unwrap();
        sleeping.wait().unwrap();
    }
}

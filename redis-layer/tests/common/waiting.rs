//! How tests wait: for what they wait for, and never for ever.

use std::panic::resume_unwind;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long anything may take that must come. Generous: the machine may be busy with other things.
pub(crate) const DEADLINE: Duration = Duration::from_secs(120);
/// How long one rest is of which a longer one is made: where others are let wait, each of them takes longer too.
pub(crate) const TICK: Duration = Duration::from_millis(10);

/// Waits until a condition holds, and fails if it never does.
#[track_caller]
pub(crate) fn eventually(mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < DEADLINE, "it never came true");
        thread::sleep(Duration::from_millis(1));
    }
}

/// Waits for the end of a thread.
#[track_caller]
pub(crate) fn joined<T>(thread: JoinHandle<T>) -> T {
    eventually(|| thread.is_finished());
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}

/// Rests for so long, or on a busy machine for longer.
pub(crate) fn rest_for(patience: Duration) {
    for _ in 0..patience.as_millis() / TICK.as_millis() {
        thread::sleep(TICK);
    }
}

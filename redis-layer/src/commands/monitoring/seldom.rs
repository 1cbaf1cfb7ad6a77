//! What goes wrong for every command or connection alike, such as a full disk, is logged once in a while: a line for each
//! would say no more, and would fill the disk that the log is on.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// How long after a line the next one is written, as long as Redis waits with errors of its log.
const PAUSE: Duration = Duration::from_secs(30);

/// Decides about the lines of one kind.
pub(crate) struct Seldom(Mutex<State>);

struct State {
    said: Option<Instant>,
    unsaid: u64,
}

impl Seldom {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(State {
            said: None,
            unsaid: 0,
        }))
    }

    /// How many lines were left out since the last one, if another one is due now.
    pub(crate) fn is_due(&self) -> Option<u64> {
        self.is_due_at(Instant::now())
    }

    fn is_due_at(&self, now: Instant) -> Option<u64> {
        let mut state = self.0.lock();
        if state.said.is_some_and(|said| now < said + PAUSE) {
            state.unsaid += 1;
            return None;
        }
        state.said = Some(now);
        Some(std::mem::take(&mut state.unsaid))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_written_at_once_and_then_one_that_counts_those_between() {
        let seldom = Seldom::new();
        let start = Instant::now();
        let due: Vec<_> = [0, 1, 29, 30, 31, 59, 60]
            .map(|seconds| seldom.is_due_at(start + Duration::from_secs(seconds)))
            .into();
        assert_eq!(due, [Some(0), None, None, Some(2), None, None, Some(2)]);
    }
}

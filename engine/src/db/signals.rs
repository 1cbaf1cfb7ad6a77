//! How threads tell each other that there is work, and that some was done.

use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::error::{Error, Result};

/// How long a worker waits after a failure before it tries again by itself.
const RETRY_AFTER: Duration = Duration::from_secs(1);
/// How long it waits even if writers ask for another try: each of them would else make one, on a disk that is full.
const RETRY_NOT_BEFORE: Duration = Duration::from_millis(50);

/// A kind of background work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    Flush,
    Compact,
}

#[derive(Debug, Default)]
pub(super) struct Signals {
    state: Mutex<SignalState>,
    /// Workers wait here for work.
    wake: Condvar,
    /// Writers wait here for work to be done.
    progress: Condvar,
}

#[derive(Debug, Default)]
struct SignalState {
    flush: WorkState,
    compact: WorkState,
    stop: bool,
}

#[derive(Debug, Default)]
struct WorkState {
    requested: bool,
    /// What the last piece of this work failed with; cleared by the next success.
    failed: Option<Error>,
    /// When it failed.
    failed_at: Option<Instant>,
}

impl WorkState {
    /// How long a worker is still to wait; `None` for as long as nobody asks.
    fn pause(&self) -> Option<Duration> {
        let least = if self.requested {
            RETRY_NOT_BEFORE
        } else {
            RETRY_AFTER
        };
        match self.failed_at {
            Some(failed_at) => Some(least.saturating_sub(failed_at.elapsed())),
            None => self.requested.then_some(Duration::ZERO),
        }
    }
}

impl SignalState {
    fn of(&mut self, work: Work) -> &mut WorkState {
        match work {
            Work::Flush => &mut self.flush,
            Work::Compact => &mut self.compact,
        }
    }
}

impl Signals {
    /// Says that there is work.
    pub(super) fn request(&self, work: Work) {
        self.state.lock().of(work).requested = true;
        self.wake.notify_all();
    }

    /// Says that something has changed that a writer may wait for.
    pub(super) fn progress(&self) {
        // Taken and given back, so that nobody is between looking and waiting.
        drop(self.state.lock());
        self.progress.notify_all();
    }

    /// Records how a piece of work ended.
    pub(super) fn ended(&self, work: Work, outcome: &Result<()>) {
        let mut state = self.state.lock();
        let of_work = state.of(work);
        of_work.failed = outcome.as_ref().err().map(copy_of);
        of_work.failed_at = outcome.is_err().then(Instant::now);
        drop(state);
        self.progress.notify_all();
    }

    /// Workers are to end.
    pub(super) fn stop(&self) {
        self.state.lock().stop = true;
        self.wake.notify_all();
        self.progress.notify_all();
    }

    /// Waits until there is work; `false` if the worker is to end. After a failure it does not wait for long.
    pub(super) fn wait_for(&self, work: Work) -> bool {
        let mut state = self.state.lock();
        while !state.stop {
            match state.of(work).pause() {
                Some(Duration::ZERO) => break,
                Some(pause) => _ = self.wake.wait_for(&mut state, pause),
                None => self.wake.wait(&mut state),
            }
        }
        state.of(work).requested = false;
        !state.stop
    }

    /// Waits until `ready`, while workers do their work.
    ///
    /// # Errors
    /// What background work of this kind failed with: it is then asked for another try, and the caller's
    /// next attempt may find that it succeeded.
    pub(super) fn wait_until(&self, work: Work, mut ready: impl FnMut() -> bool) -> Result<()> {
        let mut state = self.state.lock();
        while !ready() {
            let of_work = state.of(work);
            if let Some(error) = of_work.failed.as_ref().map(copy_of) {
                of_work.requested = true;
                self.wake.notify_all();
                return Err(error);
            }
            if state.stop {
                return Err(closed());
            }
            self.progress.wait(&mut state);
        }
        Ok(())
    }

    /// Waits for progress, but not longer than `time`.
    pub(super) fn wait_at_most(&self, time: Duration) {
        let mut state = self.state.lock();
        if !state.stop {
            let _ = self.progress.wait_for(&mut state, time);
        }
    }
}

pub(super) fn closed() -> Error {
    Error::invalid("the database is closed; open it again")
}

/// The same error once more, for another who waits for it. The operating system's own is not `Clone`.
pub(super) fn copy_of(error: &Error) -> Error {
    match error {
        Error::Io { op, path, source } => Error::io(
            op,
            path,
            std::io::Error::new(source.kind(), source.to_string()),
        ),
        Error::Corruption { file, offset, what } => Error::corruption(file, *offset, what),
        Error::InvalidArgument { what } => Error::invalid(what),
        Error::Poisoned { first } => Error::Poisoned {
            first: first.clone(),
        },
        other => Error::Poisoned {
            first: other.to_string(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, mpsc};

    /// A full disk fails both at once. If one failure hid the other, the first worker would not try again and
    /// the writers who wait for it would wait for ever.
    #[test]
    fn a_failure_of_one_kind_does_not_hide_that_of_the_other() {
        for (first, second) in [(Work::Flush, Work::Compact), (Work::Compact, Work::Flush)] {
            let signals = Arc::new(Signals::default());
            signals.ended(first, &Err(Error::invalid("the first failed")));
            signals.ended(second, &Err(Error::invalid("the second failed")));
            let (done, outcome) = mpsc::channel();
            std::thread::spawn({
                let signals = Arc::clone(&signals);
                move || done.send(signals.wait_until(first, || false))
            });
            let outcome = outcome.recv_timeout(Duration::from_secs(10));
            let error = outcome.expect("the writer is told").unwrap_err();
            assert!(error.to_string().contains("the first failed"), "{error}");
            signals.ended(second, &Ok(()));
            assert!(signals.wait_for(first), "the worker is to try again");
        }
    }

    /// Writers on a full disk ask again and again; the worker tries now and then.
    #[test]
    fn a_worker_that_failed_pauses_however_often_it_is_asked() {
        let signals = Signals::default();
        let since = Instant::now();
        const TRIES: u32 = 4;
        for _ in 0..TRIES {
            signals.ended(Work::Flush, &Err(Error::invalid("the disk is full")));
            signals.request(Work::Flush);
            assert!(signals.wait_for(Work::Flush));
        }
        assert!(since.elapsed() >= TRIES * RETRY_NOT_BEFORE);
        assert!(
            since.elapsed() < RETRY_AFTER,
            "it does not wait without need"
        );
        // Without anybody who asks, it tries by itself.
        signals.ended(Work::Flush, &Err(Error::invalid("the disk is full")));
        assert!(signals.wait_for(Work::Flush));
        assert!(since.elapsed() >= RETRY_AFTER);
        // After a success it does not wait.
        signals.ended(Work::Flush, &Ok(()));
        let since = Instant::now();
        signals.request(Work::Flush);
        assert!(signals.wait_for(Work::Flush));
        assert!(since.elapsed() < RETRY_NOT_BEFORE);
    }
}

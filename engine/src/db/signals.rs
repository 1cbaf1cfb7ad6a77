//! How threads tell each other that there is work, or that some was done.
//!
//! A piece of work that fails is tried again after a pause: a flush, which is of all families, or
//! the compactions of one family. Meanwhile the worker does what other families need.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::batch::FamilyId;
use crate::error::{Error, Result};

/// How long a worker waits after a failure before it tries again by itself.
const RETRY_AFTER: Duration = Duration::from_secs(1);
/// How long it waits even if writers ask for another try. Otherwise each of them would cause one,
/// on a full disk for example.
const RETRY_NOT_BEFORE: Duration = Duration::from_millis(50);

/// A kind of background work. Each has a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    Flush,
    Compact,
}

/// A piece of work that is retried by itself when it fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Piece {
    /// All families are flushed together, because they share a log.
    Flush,
    /// The compactions that the shape of a family needs.
    Compaction(FamilyId),
}

#[derive(Debug, Default)]
pub(super) struct Signals {
    state: Mutex<SignalState>,
    /// Workers wait here for work.
    wake: Condvar,
    /// Writers wait here until work has been done.
    progress: Condvar,
}

#[derive(Debug, Default)]
struct SignalState {
    flush_requested: bool,
    compact_requested: bool,
    /// The pieces whose last try failed.
    setbacks: BTreeMap<Piece, Setback>,
    stop: bool,
}

/// A failure, kept until the next success.
#[derive(Debug)]
struct Setback {
    error: Error,
    at: Instant,
    /// How long the try took. The pause is at least as long, so that a piece that keeps failing
    /// takes at most half of the worker's time.
    took: Duration,
    /// Whether a writer waits for another try.
    is_awaited: bool,
}

impl Setback {
    /// How long to wait until the next try.
    fn pause(&self, is_awaited: bool) -> Duration {
        let least = match is_awaited || self.is_awaited {
            true => RETRY_NOT_BEFORE,
            false => RETRY_AFTER,
        };
        least.max(self.took).saturating_sub(self.at.elapsed())
    }
}

impl SignalState {
    const fn requested(&mut self, work: Work) -> &mut bool {
        match work {
            Work::Flush => &mut self.flush_requested,
            Work::Compact => &mut self.compact_requested,
        }
    }

    /// How long a worker must wait; `None` means until it is asked.
    fn pause(&self, work: Work) -> Option<Duration> {
        let idle = |requested: bool| requested.then_some(Duration::ZERO);
        match work {
            Work::Flush => match self.setbacks.get(&Piece::Flush) {
                Some(setback) => Some(setback.pause(self.flush_requested)),
                None => idle(self.flush_requested),
            },
            // The request may be for another family than the one that failed.
            Work::Compact => idle(self.compact_requested).or_else(|| {
                let setbacks = self.setbacks.iter();
                let of_compactions = setbacks.filter(|(piece, _)| **piece != Piece::Flush);
                of_compactions
                    .map(|(_, setback)| setback.pause(false))
                    .min()
            }),
        }
    }
}

impl Signals {
    /// Announces that there is work.
    pub(super) fn request(&self, work: Work) {
        *self.state.lock().requested(work) = true;
        self.wake.notify_all();
    }

    /// Announces a change that a writer may be waiting for.
    pub(super) fn progress(&self) {
        // Take and release the lock, so that no thread is between checking and waiting.
        drop(self.state.lock());
        self.progress.notify_all();
    }

    /// Records how a piece of work ended, and how long it took.
    pub(super) fn ended<T>(&self, piece: Piece, outcome: &Result<T>, took: Duration) {
        let mut state = self.state.lock();
        match outcome {
            Ok(_) => _ = state.setbacks.remove(&piece),
            Err(error) => {
                let setback = Setback {
                    error: copy_of(error),
                    at: Instant::now(),
                    took,
                    is_awaited: false,
                };
                state.setbacks.insert(piece, setback);
            }
        }
        drop(state);
        self.progress.notify_all();
    }

    /// The error of a piece of work when it was last tried; `None` if it succeeded or was never tried.
    pub(super) fn failure(&self, piece: Piece) -> Option<Error> {
        let state = self.state.lock();
        let setback = state.setbacks.get(&piece)?;
        Some(copy_of(&setback.error))
    }

    /// How long ago the compactions of a family failed, and how long they must still pause.
    pub(super) fn rest_of(&self, family: FamilyId) -> Option<(Duration, Duration)> {
        let state = self.state.lock();
        let setback = state.setbacks.get(&Piece::Compaction(family))?;
        Some((setback.at.elapsed(), setback.pause(false)))
    }

    /// Forgets the failures of compactions that are not needed any more.
    pub(super) fn retain_compactions(&self, is_needed: impl Fn(FamilyId) -> bool) {
        let mut state = self.state.lock();
        state.setbacks.retain(|piece, _| match piece {
            Piece::Flush => true,
            Piece::Compaction(family) => is_needed(*family),
        });
    }

    /// Tells the workers to end.
    pub(super) fn stop(&self) {
        self.state.lock().stop = true;
        self.wake.notify_all();
        self.progress.notify_all();
    }

    /// Waits until there is work; returns `false` if the worker must end. After a failure it does
    /// not wait for long.
    pub(super) fn wait_for(&self, work: Work) -> bool {
        let mut state = self.state.lock();
        while !state.stop {
            match state.pause(work) {
                Some(Duration::ZERO) => break,
                Some(pause) => _ = self.wake.wait_for(&mut state, pause),
                None => self.wake.wait(&mut state),
            }
        }
        *state.requested(work) = false;
        !state.stop
    }

    /// Waits until `ready` returns true, while workers do the pieces of work for which `waits_for` is true.
    ///
    /// # Errors
    /// The error of such a piece that failed. Another try of it is then requested, so the caller's
    /// next attempt may succeed.
    pub(super) fn wait_until(
        &self,
        waits_for: impl Fn(Piece) -> bool,
        mut ready: impl FnMut() -> bool,
    ) -> Result<()> {
        let mut state = self.state.lock();
        while !ready() {
            let mut setbacks = state.setbacks.iter_mut();
            if let Some((_, setback)) = setbacks.find(|(piece, _)| waits_for(**piece)) {
                setback.is_awaited = true;
                let error = copy_of(&setback.error);
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

    /// Waits for progress, but at most for `time`.
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

/// A copy of an error, for another thread that waits for it. The operating system's errors are not `Clone`.
pub(super) fn copy_of(error: &Error) -> Error {
    match error {
        Error::Io { op, path, source } => {
            let source = match source.raw_os_error() {
                Some(number) => std::io::Error::from_raw_os_error(number),
                None => std::io::Error::new(source.kind(), source.to_string()),
            };
            Error::io(op, path, source)
        }
        Error::Corruption { file, offset, what } => Error::corruption(file, *offset, what),
        Error::Memory { what } => Error::Memory { what: what.clone() },
        Error::InvalidArgument { what } => Error::invalid(what),
        Error::Poisoned { first } => Error::Poisoned {
            first: first.clone(),
        },
        Error::LockLost { path } => Error::LockLost { path: path.clone() },
        Error::Locked { path } => Error::Locked { path: path.clone() },
        Error::ReadOnly { dir } => Error::ReadOnly { dir: dir.clone() },
        Error::NotADatabase { path, found } => Error::NotADatabase {
            path: path.clone(),
            found: found.clone(),
        },
        Error::UnknownFile { path, found } => Error::UnknownFile {
            path: path.clone(),
            found: found.clone(),
        },
        Error::UnsupportedVersion {
            file,
            found,
            newest,
        } => Error::UnsupportedVersion {
            file: file.clone(),
            found: *found,
            newest: *newest,
        },
        Error::ComparatorMismatch {
            family,
            stored,
            given,
            listed,
        } => Error::ComparatorMismatch {
            family: family.clone(),
            stored: stored.clone(),
            given: given.clone(),
            listed: *listed,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, mpsc};

    const FIRST: Piece = Piece::Compaction(FamilyId(1));
    const SECOND: Piece = Piece::Compaction(FamilyId(2));
    /// Whoever waits as long waits for ever.
    const A_MINUTE: Duration = Duration::from_secs(60);
    /// A try that took so long is followed by as long a pause.
    const AN_HOUR: Duration = Duration::from_secs(3600);

    fn failed(what: &str) -> Result<()> {
        Err(Error::invalid(what))
    }

    #[test]
    fn a_copy_of_an_error_gives_the_same_advice() {
        const TOO_MANY_OPEN_FILES: i32 = 24;
        let source = std::io::Error::from_raw_os_error(TOO_MANY_OPEN_FILES);
        let error = Error::io("create", "000005.log", source);
        assert_eq!(copy_of(&error).to_string(), error.to_string());
        let refused = Error::io("open", "x", std::io::ErrorKind::PermissionDenied.into());
        assert_eq!(copy_of(&refused).to_string(), refused.to_string());
        let what = "out of order".to_owned();
        let disorder = Error::Memory { what };
        assert_eq!(copy_of(&disorder).to_string(), disorder.to_string());
        // A compaction may meet a table of a later release. That poisons nothing.
        let later = Error::UnsupportedVersion {
            file: "000007.sst".into(),
            found: 9,
            newest: 1,
        };
        assert_eq!(copy_of(&later).to_string(), later.to_string());
    }

    /// A full disk fails both pieces at once. If one failure hid the other, the first worker would
    /// not try again, and the writers that wait for it would wait for ever.
    #[test]
    fn a_failure_of_one_piece_does_not_hide_that_of_another() {
        for (first, second) in [
            (Piece::Flush, FIRST),
            (FIRST, Piece::Flush),
            (FIRST, SECOND),
            (SECOND, FIRST),
        ] {
            let signals = Arc::new(Signals::default());
            signals.ended(first, &failed("the first failed"), Duration::ZERO);
            signals.ended(second, &failed("the second failed"), Duration::ZERO);
            let (done, outcome) = mpsc::channel();
            std::thread::spawn({
                let signals = Arc::clone(&signals);
                move || done.send(signals.wait_until(|piece| piece == first, || false))
            });
            let outcome = outcome.recv_timeout(A_MINUTE);
            let error = outcome.expect("the writer is told").unwrap_err();
            assert!(error.to_string().contains("the first failed"), "{error}");
            signals.ended(second, &Ok(()), Duration::ZERO);
            let work = match first {
                Piece::Flush => Work::Flush,
                Piece::Compaction(_) => Work::Compact,
            };
            assert!(signals.wait_for(work), "the worker is to try again");
        }
    }

    /// Whether a worker is given work. A wait for the end of a long pause fails the test.
    fn is_called(signals: &Arc<Signals>, work: Work) -> bool {
        let (done, outcome) = mpsc::channel();
        std::thread::spawn({
            let signals = Arc::clone(signals);
            move || done.send(signals.wait_for(work))
        });
        outcome
            .recv_timeout(A_MINUTE)
            .expect("the worker is called")
    }

    /// Whether it ever ends before a worker would try again by itself: on a busy machine one try may take any time.
    fn is_sooner_than_by_itself(waits: impl Fn() -> Duration) -> bool {
        (0..20).any(|_| waits() < RETRY_AFTER)
    }

    #[test]
    fn a_compaction_that_failed_rests_and_work_for_others_does_not_wait() {
        let signals = Arc::new(Signals::default());
        signals.ended(FIRST, &failed("damaged"), AN_HOUR);
        signals.request(Work::Compact);
        assert!(is_called(&signals, Work::Compact));
        assert!(signals.rest_of(FamilyId(2)).is_none());
        let (_, pause) = signals.rest_of(FamilyId(1)).unwrap();
        assert!(pause > A_MINUTE, "{pause:?}");
        // A writer waits for it.
        assert!(is_sooner_than_by_itself(|| {
            let since = Instant::now();
            signals.ended(FIRST, &failed("damaged"), Duration::ZERO);
            signals
                .wait_until(|piece| piece == FIRST, || false)
                .unwrap_err();
            assert!(signals.wait_for(Work::Compact));
            let (_, pause) = signals.rest_of(FamilyId(1)).unwrap();
            assert_eq!(pause, Duration::ZERO);
            assert!(since.elapsed() >= RETRY_NOT_BEFORE);
            since.elapsed()
        }));
    }

    /// Half of the worker's time is for the other families.
    #[test]
    fn a_try_that_took_long_is_followed_by_as_long_a_pause() {
        let signals = Signals::default();
        signals.ended(FIRST, &failed("damaged at its end"), AN_HOUR);
        let _ = signals.wait_until(|piece| piece == FIRST, || false);
        let (_, pause) = signals.rest_of(FamilyId(1)).unwrap();
        assert!(pause > AN_HOUR / 2, "{pause:?}");
    }

    /// Otherwise the worker would try again and again to do what is not needed.
    #[test]
    fn the_failure_of_a_compaction_that_is_not_needed_any_more_wakes_nobody() {
        let signals = Signals::default();
        signals.ended(FIRST, &failed("damaged"), Duration::ZERO);
        signals.ended(Piece::Flush, &failed("full"), Duration::ZERO);
        signals.retain_compactions(|family| family != FamilyId(1));
        assert!(signals.state.lock().pause(Work::Compact).is_none());
        assert!(signals.state.lock().pause(Work::Flush).is_some());
    }

    /// Writers on a full disk ask again and again, but the worker only tries now and then.
    #[test]
    fn a_worker_that_failed_pauses_however_often_it_is_asked() {
        let signals = Arc::new(Signals::default());
        let full = || failed("the disk is full");
        const TRIES: u32 = 4;
        let is_sooner = is_sooner_than_by_itself(|| {
            let since = Instant::now();
            for _ in 0..TRIES {
                signals.ended(Piece::Flush, &full(), Duration::ZERO);
                signals.request(Work::Flush);
                assert!(signals.wait_for(Work::Flush));
            }
            assert!(since.elapsed() >= TRIES * RETRY_NOT_BEFORE);
            since.elapsed()
        });
        assert!(is_sooner, "it does not wait without need");
        // If nobody asks, it tries by itself.
        let since = Instant::now();
        signals.ended(Piece::Flush, &full(), Duration::ZERO);
        assert!(signals.wait_for(Work::Flush));
        assert!(since.elapsed() >= RETRY_AFTER);
        // After a success it does not wait.
        signals.ended(Piece::Flush, &full(), AN_HOUR);
        signals.ended(Piece::Flush, &Ok(()), Duration::ZERO);
        signals.request(Work::Flush);
        assert!(is_called(&signals, Work::Flush));
    }
}

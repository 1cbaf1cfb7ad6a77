//! A thread that works in the background until it is told to stop.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// A thread that is told to stop when this is dropped, which then waits for its end.
pub(super) struct BackgroundThread {
    /// Nothing is ever sent: the thread learns that it has to stop when the sender is dropped.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Where the thread learns that it has to stop.
pub(super) struct Stopped(Receiver<()>);

impl BackgroundThread {
    /// Starts a thread that runs `work`.
    ///
    /// # Errors
    /// The operating system cannot start a thread.
    pub(super) fn start(
        name: &str,
        work: impl FnOnce(&Stopped) + Send + 'static,
    ) -> io::Result<Self> {
        let (stop, stopped) = channel();
        let builder = thread::Builder::new().name(name.to_owned());
        let thread = builder.spawn(move || work(&Stopped(stopped)))?;
        Ok(Self {
            stop: Some(stop),
            thread: Some(thread),
        })
    }
}

impl Drop for BackgroundThread {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // The thread does not panic by itself; if it did, the panic was printed already.
            let _ = thread.join();
        }
    }
}

impl Stopped {
    /// Waits for this long, or until the thread has to stop. Returns whether it has to.
    pub(super) fn after(&self, pause: Duration) -> bool {
        self.0.recv_timeout(pause) != Err(RecvTimeoutError::Timeout)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_thread_that_is_dropped_has_ended_and_did_not_wait_for_its_pause() {
        const PAUSE: Duration = Duration::from_secs(60);
        let has_ended = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&has_ended);
        let (runs, has_run) = channel();
        let thread = BackgroundThread::start("test", move |stopped| {
            let mut pause = Duration::ZERO;
            while !stopped.after(pause) {
                runs.send(()).unwrap();
                pause = PAUSE;
            }
            thread::sleep(Duration::from_millis(20));
            ended.store(true, Ordering::Release);
        });
        has_run.recv().unwrap();
        let since = Instant::now();
        drop(thread.unwrap());
        assert!(has_ended.load(Ordering::Acquire));
        assert!(since.elapsed() < PAUSE);
    }
}

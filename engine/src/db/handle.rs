//! The handle keeps a database open: the shared core and its threads, until the last handle is dropped.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{self, JoinHandle, ThreadId};

use parking_lot::{Condvar, Mutex};

use crate::db::Background;
use crate::db::core::Core;
use crate::db::signals::{Work, copy_of};
use crate::error::{Error, Result};

/// Owned by every `Db`, `Family` and `Snapshot`. The threads only own the core, so they do not keep
/// the database open.
#[derive(Debug)]
pub(super) struct Handle {
    pub(super) core: Arc<Core>,
    workers: Mutex<Vec<JoinHandle<()>>>,
    worker_ids: Mutex<Vec<ThreadId>>,
    /// The result of closing, once it has ended.
    closed: Mutex<Option<Result<()>>>,
    closing_ended: Condvar,
}

impl Handle {
    /// Starts the threads, unless background work is manual.
    pub(super) fn new(core: Arc<Core>) -> Result<Arc<Self>> {
        let handle = Self {
            core,
            workers: Mutex::default(),
            worker_ids: Mutex::default(),
            closed: Mutex::default(),
            closing_ended: Condvar::new(),
        };
        if handle.core.background == Background::Threads {
            for (work, name) in [
                (Work::Flush, "engine-flush"),
                (Work::Compact, "engine-compact"),
            ] {
                let core = Arc::clone(&handle.core);
                let started = thread::Builder::new()
                    .name(name.to_owned())
                    .spawn(move || core.work(work));
                let worker = started
                    .map_err(|error| Error::io("start a thread for", &handle.core.dir, error))?;
                handle.worker_ids.lock().push(worker.thread().id());
                handle.workers.lock().push(worker);
                handle.core.signals.request(work);
            }
        }
        Ok(Arc::new(handle))
    }

    /// Ends background work, makes everything durable and releases the lock. Closing again changes
    /// nothing: it waits for the first call to end, and returns its result.
    pub(super) fn close(&self) -> Result<()> {
        if self.core.closing.swap(true, Ordering::AcqRel) {
            return self.wait_until_closed();
        }
        let outcome = self.close_once();
        *self.closed.lock() = Some(outcome.as_ref().copied().map_err(copy_of));
        self.closing_ended.notify_all();
        outcome
    }

    fn wait_until_closed(&self) -> Result<()> {
        let core = &self.core;
        let is_worker = self.worker_ids.lock().contains(&thread::current().id());
        let works = core.compacting.is_owned_by_current_thread()
            || core.flushing.is_owned_by_current_thread();
        let mut closed = self.closed.lock();
        loop {
            match closed.as_ref() {
                Some(outcome) => return outcome.as_ref().copied().map_err(copy_of),
                // For example a compaction filter: the closing thread is waiting for it in turn.
                None if is_worker || works => return Ok(()),
                None => self.closing_ended.wait(&mut closed),
            }
        }
    }

    fn close_once(&self) -> Result<()> {
        let core = &self.core;
        core.signals.stop();
        let workers = std::mem::take(&mut *self.workers.lock());
        for worker in workers {
            // A compaction filter may own the last handle; then this is the worker itself.
            if worker.thread().id() != thread::current().id() {
                let _ = worker.join();
            }
        }
        // Work in callers' threads stops too. If this is called from within such work, as in a
        // compaction filter, it does not wait.
        drop(core.compacting.lock());
        drop(core.flushing.lock());
        core.let_go_of_flushed_logs();
        // A panic, of a comparator for instance, is a flush that failed. Otherwise the lock would stay, and whoever
        // closes again would wait for ever.
        let flushed = panic::catch_unwind(AssertUnwindSafe(|| core.flush_at_close()));
        let durable = match flushed {
            // A database that was opened for reading only has nothing to make durable.
            Ok(Ok(true) | Err(Error::ReadOnly { .. })) => Ok(()),
            // What is not in tables is in the logs. If the flush poisoned the database, this reports it.
            Ok(Ok(false) | Err(_)) | Err(_) => core.sync_at_close(),
        };
        if durable.is_ok() {
            core.finish_logs();
        }
        core.lock.lock().take();
        core.deliver_events();
        durable
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // A caller that needs to know whether the last writes are durable calls `Db::close`.
        let _ = self.close();
    }
}

impl Core {
    /// The main loop of a background thread.
    ///
    /// Without catching it, nobody would see a panic, of a compaction filter for instance, and
    /// writers would wait for ever for work that no thread does.
    fn work(&self, work: Work) {
        // What a panic leaves half done is not in the manifest, so no reader sees it.
        let lived = panic::catch_unwind(AssertUnwindSafe(|| self.work_until_stopped(work)));
        if let Err(payload) = lived {
            let what = payload
                .downcast_ref::<&str>()
                .copied()
                .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
                .unwrap_or("no message");
            self.poison(&format!("a background thread panicked: {what}"));
            self.deliver_events();
        }
    }

    fn work_until_stopped(&self, work: Work) {
        // A poisoned database writes nothing any more.
        while self.signals.wait_for(work) && self.poison.get().is_none() {
            // A failure is recorded for the writers that wait, and `wait_for` pauses before the next try.
            while !self.is_closing() && self.poison.get().is_none() {
                let goes_on = match work {
                    Work::Flush => {
                        let flushed = self.flush_oldest();
                        let flushed = flushed.inspect(|_| self.let_go_of_flushed_logs());
                        matches!(flushed, Ok(true))
                    }
                    // A family whose compaction failed pauses, or its readers must request it
                    // again; meanwhile another family is next.
                    Work::Compact => !matches!(self.compact_next(), Ok(false)),
                };
                if !goes_on {
                    break;
                }
            }
        }
    }
}

//! The locks of a command's keys: which ones, and how a client waits for them.

use std::task::Waker;
use std::time::Duration;

use bytes::Bytes;

use crate::commands::{CommandError, Server, run_blocking, scripting};
use crate::store::{Guard, Scope, Store, Waiter};
use crate::types;

/// The keys that a command locks. A lock is by name, whatever the database: `MOVE`, and a `SELECT` in a transaction,
/// reach other databases.
#[derive(Debug)]
pub(crate) enum Locks<'k> {
    Nothing,
    Keys(Vec<&'k [u8]>),
    Everything,
}

/// How a client waits for locks that somebody else holds.
#[derive(Debug)]
pub enum Wait<'w> {
    /// Its task joins a queue and is woken when it is worth trying again. Meanwhile its thread serves other clients.
    Queue {
        /// Wakes the task.
        waker: &'w Waker,
        /// The task in the queue.
        waiter: &'w mut Waiter,
    },
    /// It blocks its thread until it has them.
    Block,
    /// It does not wait.
    Never,
}

impl Wait<'_> {
    /// The same, for one of several attempts.
    pub(crate) fn again(&mut self) -> Wait<'_> {
        match self {
            Self::Queue { waker, waiter } => Wait::Queue { waker, waiter },
            Self::Block => Wait::Block,
            Self::Never => Wait::Never,
        }
    }

    /// Ends the task's place in a queue, if it has one.
    pub(crate) fn leave_queue(&mut self) {
        if let Self::Queue { waiter, .. } = self {
            waiter.leave();
        }
    }
}

/// The result of an attempt to take locks.
pub(crate) enum Acquired<'s> {
    /// The locks, or none if it needs none.
    Locked(Option<Box<dyn Guard + 's>>),
    /// No locks, because somebody else holds one of them. The client is in a queue if it waits to be woken.
    Contended,
}

impl<'k> Locks<'k> {
    /// The locks of these keys.
    pub(crate) fn of(keys: impl Iterator<Item = &'k Bytes>) -> Self {
        let mut keys: Vec<&[u8]> = keys.map(|key| &**key).collect();
        // Several commands in a row often name the same key.
        keys.dedup();
        Self::Keys(keys)
    }

    /// Waits until nobody else holds them. Most holders are done after some microseconds. For the others the runtime
    /// gets another thread, so that a long script delays only the clients that need its keys.
    pub(crate) fn take<'s>(
        &self,
        store: &'s dyn Store,
    ) -> types::Result<Option<Box<dyn Guard + 's>>> {
        let Some(scope) = self.scope() else {
            return Ok(None);
        };
        match take_soon(store, scope)? {
            Some(guard) => Ok(Some(guard)),
            None => Ok(Some(run_blocking(|| store.lock(scope))?)),
        }
    }

    /// As [`Locks::take`], but refuses a client that would have to wait for a script that takes too long.
    pub(crate) fn take_or_refuse<'s>(
        &self,
        server: &'s Server,
    ) -> Result<Option<Box<dyn Guard + 's>>, CommandError> {
        /// How long to wait before checking for such a script.
        const TIMEOUT: Duration = Duration::from_millis(50);
        let store = &*server.store;
        let Some(scope) = self.scope() else {
            return Ok(None);
        };
        if let Some(guard) = take_soon(store, scope)? {
            return Ok(Some(guard));
        }
        let mut has_waited = false;
        let mut patience = || {
            let is_late = std::mem::replace(&mut has_waited, true) && server.scripts.is_busy();
            (!is_late).then_some(TIMEOUT)
        };
        let guard = run_blocking(|| store.lock_while(scope, &mut patience));
        let guard = guard.map_err(types::Error::from)?;
        guard.ok_or(scripting::BUSY).map(Some)
    }

    /// As [`Locks::take_or_refuse`], but returns at once if the client can be woken later, or does not wait.
    pub(crate) fn acquire<'s>(
        &self,
        server: &'s Server,
        wait: Wait<'_>,
    ) -> Result<Acquired<'s>, CommandError> {
        let Some(scope) = self.scope() else {
            return Ok(Acquired::Locked(None));
        };
        let guard = match wait {
            Wait::Block => return self.take_or_refuse(server).map(Acquired::Locked),
            Wait::Never => server.store.try_lock(scope),
            Wait::Queue { waker, waiter } => {
                let guard = server.store.lock_or_queue(scope, waker, waiter);
                if let Ok(None) = guard
                    && !waiter.is_queued()
                {
                    return self.take_or_refuse(server).map(Acquired::Locked);
                }
                guard
            }
        };
        let guard = guard.map_err(types::Error::from)?;
        Ok(guard.map_or(Acquired::Contended, |guard| Acquired::Locked(Some(guard))))
    }

    /// What they lock.
    pub(crate) fn scope(&self) -> Option<Scope<'_>> {
        match self {
            Self::Nothing => None,
            Self::Keys(keys) => Some(Scope::Keys(keys)),
            Self::Everything => Some(Scope::Everything),
        }
    }
}

/// Takes locks that are free soon. Their holder is usually a few microseconds from its end; a pipeline takes a
/// hundred. Sleeping that long leaves the processor to the holder and to other clients.
fn take_soon<'s>(
    store: &'s dyn Store,
    scope: Scope<'_>,
) -> types::Result<Option<Box<dyn Guard + 's>>> {
    const TRIES: usize = 4;
    const SPINS: usize = 32;
    const TIMEOUT: Duration = Duration::from_micros(300);
    for _ in 0..TRIES {
        if let Some(guard) = store.try_lock(scope)? {
            return Ok(Some(guard));
        }
        (0..SPINS).for_each(|_| std::hint::spin_loop());
    }
    Ok(store.lock_for(scope, TIMEOUT)?)
}

//! The locks of a command's keys: which ones, and how a client waits for them.

use std::task::Waker;
use std::time::Duration;

use bytes::Bytes;

use crate::commands::{CommandError, Server, scripting, slowly};
use crate::store::{Guard, Place, Scope, Store};
use crate::types;

/// The keys that a command locks. A lock is by name, whatever the database: `MOVE`, and a `SELECT` in a transaction,
/// reach other databases.
#[derive(Debug)]
pub(crate) enum Locks {
    Nothing,
    Keys(Vec<Bytes>),
    Everything,
}

/// How a client waits for locks that somebody else holds.
#[derive(Debug)]
pub enum Wait<'w> {
    /// Its task is woken when it is worth trying again. Meanwhile its thread serves other clients.
    Called {
        /// Wakes the task.
        waker: &'w Waker,
        /// Its place in the queue.
        place: &'w mut Place,
    },
    /// It blocks its thread until it has them.
    There,
    /// It does not wait.
    Never,
}

/// What a client got when it asked for locks.
pub(crate) enum Asked<'s> {
    /// The locks, or none if it needs none.
    Got(Option<Box<dyn Guard + 's>>),
    /// No locks; and a place in the queue, if the client waits to be woken.
    Nothing,
}

impl Locks {
    /// The locks of these keys.
    pub(crate) fn of<'a>(keys: impl Iterator<Item = &'a Bytes>) -> Self {
        let mut keys: Vec<Bytes> = keys.cloned().collect();
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
            None => Ok(Some(slowly(|| store.lock(scope))?)),
        }
    }

    /// As [`Locks::take`], but refuses a client that would have to wait for a script that takes too long.
    pub(crate) fn take_or_refuse<'s>(
        &self,
        server: &'s Server,
    ) -> Result<Option<Box<dyn Guard + 's>>, CommandError> {
        /// How long to wait before checking for such a script.
        const PATIENCE: Duration = Duration::from_millis(50);
        let store = &*server.store;
        let Some(scope) = self.scope() else {
            return Ok(None);
        };
        if let Some(guard) = take_soon(store, scope)? {
            return Ok(Some(guard));
        }
        slowly(|| {
            loop {
                let guard = store.lock_for(scope, PATIENCE);
                if let Some(guard) = guard.map_err(types::Error::from)? {
                    return Ok(Some(guard));
                }
                if server.scripts.is_busy() {
                    return Err(scripting::BUSY);
                }
            }
        })
    }

    /// As [`Locks::take_or_refuse`], but returns at once if the client can be woken later, or does not wait.
    pub(crate) fn ask<'s>(
        &self,
        server: &'s Server,
        wait: Wait<'_>,
    ) -> Result<Asked<'s>, CommandError> {
        let Some(scope) = self.scope() else {
            return Ok(Asked::Got(None));
        };
        let guard = match wait {
            Wait::There => return self.take_or_refuse(server).map(Asked::Got),
            Wait::Never => server.store.try_lock(scope),
            Wait::Called { waker, place } => {
                let guard = server.store.lock_or_queue(scope, waker, place);
                if let Ok(None) = guard
                    && !place.is_taken()
                {
                    return self.take_or_refuse(server).map(Asked::Got);
                }
                guard
            }
        };
        let guard = guard.map_err(types::Error::from)?;
        Ok(guard.map_or(Asked::Nothing, |guard| Asked::Got(Some(guard))))
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
    const PATIENCE: Duration = Duration::from_micros(300);
    for _ in 0..TRIES {
        if let Some(guard) = store.try_lock(scope)? {
            return Ok(Some(guard));
        }
        (0..SPINS).for_each(|_| std::hint::spin_loop());
    }
    Ok(store.lock_for(scope, PATIENCE)?)
}

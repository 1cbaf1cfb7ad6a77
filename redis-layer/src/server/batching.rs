//! Runs commands of several connections together if the connections are ready at the same time.
//!
//! With one command at a time from each of fifty clients, a thread that has served one finds twenty others ready. Run
//! alone, each command needs a snapshot, locks, a batch and a write to the log. So a connection whose next commands
//! are plain *joins* the batcher. The first one to join leads: it yields, so that other ready connections can do the
//! same. Then it runs the commands of all of them in one transaction ([`execute_together`]), and sends their answers.
//! It is the idea of a group commit, applied to whole commands.
//!
//! The others wait for their clients meanwhile, as idle connections do. So the task of a connection runs once for each
//! command: it reads, and joins. It is woken only if the leader could not answer for it: commands are left, the client
//! does not take the answer at once, or a sync has failed.
//!
//! If a sync has to come before an answer, the leader waits for it, and then answers those who have not left their
//! slots meanwhile. Who has sent more leaves, and waits for the sync by itself.
//!
//! A connection that is alone does not wait for others, for the same reason as with answers
//! ([`turns`](super::turns)). And only threads that know when they become idle take part.
//!
//! Invariants
//! 1. A connection is in its slot from when it joins until its own task takes it out again. The leader holds the locks
//!    of all slots meanwhile. It waits for nothing while it holds them: it takes only locks of keys that are free. But a
//!    command may take long, and the thread may be needed for others: so a task does not wait for a slot that a
//!    leader holds. It leaves a waker, and is woken when the slots are free.
//! 2. A slot is in `joined` as long as its commands were not tried yet.
//! 3. A leader answers after a sync only what ran in its own batch: a connection may have left its slot, and be in it again
//!    with a later one.
//! 4. The first slot in `joined` is that of a leader, which has yielded or is about to. So each batch is run.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use parking_lot::Mutex;
use tokio::task::yield_now;

use crate::commands::execute_together;
use crate::server::Durability;
use crate::server::connection::Connection;
use crate::server::wake_order::WakeOrder;

/// The connections whose commands are about to run together.
pub(super) struct Batcher {
    joined: Mutex<Vec<Arc<Slot>>>,
    waiting: Arc<Waiting>,
    durability: Arc<Durability>,
}

/// Where a connection is while its commands run with those of others. Empty otherwise.
#[derive(Default)]
pub(super) struct Slot(Mutex<Option<Joined>>);

/// A connection that has joined.
struct Joined {
    connection: Box<Connection>,
    /// The result for the connection, once its commands were tried.
    result: Option<BatchResult>,
    /// The number of the batch that has to be durable before the connection is answered.
    unsynced: Option<u64>,
}

/// The connections of a batch that are answered once it is durable. Whoever still waits when this is dropped is woken.
struct Unsynced {
    batch: u64,
    slots: Vec<Arc<Slot>>,
    waiting: Arc<Waiting>,
}

/// Tasks that found their slots held. Whoever has held slots wakes them, see [`WokenAtEnd`].
#[derive(Default)]
struct Waiting(Mutex<Vec<Waker>>);

/// Wakes all of them when it is dropped.
struct WokenAtEnd<'a>(&'a Waiting);

impl Drop for WokenAtEnd<'_> {
    fn drop(&mut self) {
        let waiting = std::mem::take(&mut *self.0.0.lock());
        waiting.into_iter().for_each(Waker::wake);
    }
}

/// What has become of the commands of a connection in a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BatchResult {
    /// All that had arrived have run, and the answers are sent.
    Answered,
    /// All commands of all connections in the batch have run.
    AllRan,
    /// At least one of the connections has commands left.
    SomeLeft,
}

impl Batcher {
    pub(super) fn new(durability: Arc<Durability>) -> Self {
        Self {
            joined: Mutex::default(),
            waiting: Arc::default(),
            durability,
        }
    }

    /// Joins the other ready connections, and completes when the first commands of all of them were tried, and there
    /// is something to do: some commands may be left, or even all. Of a connection that was answered the client may have
    /// sent more. `slot` is that of the connection.
    pub(super) async fn join(
        &self,
        slot: &Arc<Slot>,
        connection: Box<Connection>,
        order: &mut WakeOrder,
    ) -> (Box<Connection>, BatchResult) {
        *slot.0.lock() = Some(Joined {
            connection,
            result: None,
            unsynced: None,
        });
        let mut leads = self.add(slot);
        loop {
            if leads {
                // One pass is enough: by invariant 1 the connection is in its slot.
                yield_now().await;
                if !slot.is_tried()
                    && let Some(unsynced) = self.run_batch()
                    && self.durability.acknowledge(unsynced.batch).await.is_ok()
                {
                    unsynced.answer();
                }
            }
            let woken = poll_fn(|cx| self.poll_woken(slot, cx));
            if let Some(done) = order.count_wakes(woken).await {
                return done;
            }
            leads = true;
        }
    }

    /// Adds a connection, and returns whether it is the first one.
    fn add(&self, slot: &Arc<Slot>) -> bool {
        let mut joined = self.joined.lock();
        joined.push(Arc::clone(slot));
        joined.len() == 1
    }

    /// Waits for bytes or a message. Afterwards takes the connection out, unless its commands were not tried yet.
    fn poll_woken(
        &self,
        slot: &Slot,
        cx: &mut Context<'_>,
    ) -> Poll<Option<(Box<Connection>, BatchResult)>> {
        let held = slot.0.try_lock().or_else(|| {
            self.waiting.0.lock().push(cx.waker().clone());
            // Whoever held it may have woken the others before.
            slot.0.try_lock()
        });
        let Some(mut held) = held else {
            return Poll::Pending;
        };
        let is_tried = |joined: &mut Joined| joined.result.is_some();
        if let Some(Joined {
            connection,
            result: Some(result),
            ..
        }) = held.take_if(is_tried)
        {
            return Poll::Ready(Some((connection, result)));
        }
        let joined = held.as_ref();
        if joined.is_some_and(|joined| joined.connection.poll_woken(cx).is_pending()) {
            return Poll::Pending;
        }
        Poll::Ready(None)
    }

    /// Runs the first commands of all connections that have joined, and answers those that have none left. Returns those
    /// that have none left but need a sync.
    fn run_batch(&self) -> Option<Unsynced> {
        // Dropped after the locks.
        let _woken = WokenAtEnd(&self.waiting);
        let joined = std::mem::take(&mut *self.joined.lock());
        let mut slots: Vec<_> = joined.iter().map(|slot| slot.0.lock()).collect();
        let mut server = None;
        let mut clients = Vec::with_capacity(slots.len());
        for Joined { connection, .. } in slots.iter_mut().filter_map(|slot| slot.as_mut()) {
            server.get_or_insert_with(|| connection.server());
            clients.extend(connection.waiting_commands());
        }
        if let Some(server) = server {
            execute_together(&server, &mut clients);
        }
        let all_ran = clients.iter().all(|client| client.commands.is_empty());
        drop(clients);
        let mut unsynced = None;
        for (slot, joined) in joined.iter().zip(&mut slots) {
            let Some(joined) = joined.as_mut() else {
                continue;
            };
            if !all_ran {
                // The first answer waits for the last batch, as everywhere (`turns`).
                joined.result = Some(BatchResult::SomeLeft);
                joined.connection.wake();
                continue;
            }
            joined.result = Some(BatchResult::AllRan);
            if joined.connection.needs_sync() {
                let unsynced = unsynced.get_or_insert_with(|| Unsynced {
                    batch: self.durability.mark_written(),
                    slots: Vec::new(),
                    waiting: Arc::clone(&self.waiting),
                });
                joined.unsynced = Some(unsynced.batch);
                unsynced.slots.push(Arc::clone(slot));
            } else {
                joined.answer_or_wake();
            }
        }
        unsynced
    }
}

impl Joined {
    /// Answers the connection, or wakes its task to do so.
    fn answer_or_wake(&mut self) {
        if self.connection.answer_at_once() {
            self.result = Some(BatchResult::Answered);
        } else {
            self.connection.wake();
        }
    }
}

impl Unsynced {
    /// Answers those that still wait, now that the batch is durable.
    fn answer(self) {
        self.for_each(|joined| {
            joined.connection.batch_is_durable();
            joined.unsynced = None;
            joined.answer_or_wake();
        });
    }

    fn for_each(&self, mut run: impl FnMut(&mut Joined)) {
        let _woken = WokenAtEnd(&self.waiting);
        for slot in &self.slots {
            let mut slot = slot.0.lock();
            let waits = |joined: &&mut Joined| joined.unsynced == Some(self.batch);
            if let Some(joined) = slot.as_mut().filter(waits) {
                run(joined);
            }
        }
    }
}

impl Drop for Unsynced {
    fn drop(&mut self) {
        self.for_each(|joined| joined.connection.wake());
    }
}

impl Slot {
    /// Whether the commands of the connection were tried, or a leader is about to: it holds the slot.
    fn is_tried(&self) -> bool {
        let has_result = |joined: &Joined| joined.result.is_some();
        let slot = self.0.try_lock();
        slot.is_none_or(|slot| slot.as_ref().is_some_and(has_result))
    }
}

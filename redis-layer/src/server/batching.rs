//! Runs commands of several connections together if the connections are ready at the same time.
//!
//! With one command at a time from each of fifty clients, a thread that has served one finds twenty others ready. Run
//! alone, each command needs a snapshot, locks, a batch and a write to the log. So a connection whose next commands
//! are plain *joins* the batcher and yields, so that other ready connections can do the same. The first of them to
//! continue is the leader: it runs the commands of all of them in one transaction ([`execute_together`]). The others
//! then find their results. It is the idea of a group commit, applied to whole commands.
//!
//! A connection that is alone does not wait for others, for the same reason as with answers
//! ([`turns`](super::turns)). And only threads that know when they become idle take part.
//!
//! Invariants
//! 1. A connection is in its slot from when it joins until its own task takes it out again. The leader holds the locks
//!    of all slots meanwhile. It waits for nothing while it holds them: it takes only locks of keys that are free.
//! 2. A slot is in `joined` as long as its commands were not tried yet.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::task::yield_now;

use crate::commands::execute_together;
use crate::server::connection::Connection;

/// The connections whose commands are about to run together.
#[derive(Default)]
pub(super) struct Batcher {
    joined: Mutex<Vec<Arc<Mutex<Slot>>>>,
}

/// A connection that has joined.
struct Slot {
    connection: Option<Box<Connection>>,
    /// The result for all connections of the batch, once their commands were tried.
    result: Option<BatchResult>,
}

/// What has become of the commands of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BatchResult {
    /// All commands that had arrived have run.
    AllRan,
    /// At least one of the connections has commands left.
    SomeLeft,
}

impl Batcher {
    /// Lets other ready connections join, and runs the first commands of all of them. Afterwards some commands may be
    /// left, or even all.
    pub(super) async fn join(&self, connection: Box<Connection>) -> (Box<Connection>, BatchResult) {
        let slot = Arc::new(Mutex::new(Slot {
            connection: Some(connection),
            result: None,
        }));
        self.joined.lock().push(Arc::clone(&slot));
        // One pass is enough: by invariant 1 the connection is in its slot.
        loop {
            yield_now().await;
            if slot.lock().result.is_none() {
                self.run_batch();
            }
            let mut slot = slot.lock();
            if let Some(connection) = slot.connection.take() {
                // Another thread may have taken the slot from `joined` but not have tried its commands yet.
                return (connection, slot.result.unwrap_or(BatchResult::SomeLeft));
            }
        }
    }

    /// Runs the first commands of all connections that have joined.
    fn run_batch(&self) {
        let joined = std::mem::take(&mut *self.joined.lock());
        let mut slots: Vec<_> = joined.iter().map(|slot| slot.lock()).collect();
        let connections = slots
            .iter_mut()
            .filter_map(|slot| slot.connection.as_deref_mut());
        let mut server = None;
        let mut clients = Vec::with_capacity(joined.len());
        for connection in connections {
            server.get_or_insert_with(|| connection.server());
            clients.extend(connection.waiting_commands());
        }
        if let Some(server) = server {
            execute_together(&server, &mut clients);
        }
        let result = match clients.iter().all(|client| client.commands.is_empty()) {
            true => BatchResult::AllRan,
            false => BatchResult::SomeLeft,
        };
        drop(clients);
        slots.iter_mut().for_each(|slot| slot.result = Some(result));
    }
}

//! Runs commands of several connections together if the connections are ready at the same time.
//!
//! With one command at a time from each of fifty clients, a thread that has served one finds twenty others ready. Run
//! alone, each command needs a snapshot, locks, a batch and a write to the log. So a connection whose next commands
//! are plain takes a *seat* and yields, so that other ready connections can do the same. The first of them to
//! continue runs the commands of all of them in one transaction ([`execute_together`]); the others then find their
//! results.
//!
//! A connection that is alone does not wait for others, for the same reason as with answers
//! ([`turns`](super::turns)). And only threads that know when they become idle take part.
//!
//! Invariants
//! 1. A connection is in its seat from when it sits down until its own task takes it out again. The task that runs
//!    the commands of all holds the locks of their seats meanwhile. It waits for nothing while it holds them: it
//!    takes only locks of keys that are free.
//! 2. A seat is in `seated` as long as its commands were not tried yet.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::task::yield_now;

use crate::commands::execute_together;
use crate::server::connection::Connection;

/// The connections whose commands are about to run together.
#[derive(Default)]
pub(super) struct Company {
    seated: Mutex<Vec<Arc<Mutex<Seat>>>>,
}

struct Seat {
    connection: Option<Box<Connection>>,
    /// The result for all that sat together, once their commands were tried.
    served: Option<Served>,
}

/// The result for the connections that sat together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Served {
    /// All commands that had arrived have run.
    All,
    /// At least one of them has commands left.
    Some,
}

impl Company {
    /// Lets other ready connections join, and runs the first commands of all of them. Afterwards some commands may be
    /// left, or even all.
    pub(super) async fn join(&self, connection: Box<Connection>) -> (Box<Connection>, Served) {
        let seat = Arc::new(Mutex::new(Seat {
            connection: Some(connection),
            served: None,
        }));
        self.seated.lock().push(Arc::clone(&seat));
        // One pass is enough: by invariant 1 the connection is in its seat.
        loop {
            yield_now().await;
            if seat.lock().served.is_none() {
                self.serve();
            }
            let mut seat = seat.lock();
            if let Some(connection) = seat.connection.take() {
                // Another thread may have taken the seat from `seated` but not have tried its commands yet.
                return (connection, seat.served.unwrap_or(Served::Some));
            }
        }
    }

    /// Runs the first commands of all seated connections.
    fn serve(&self) {
        let seated = std::mem::take(&mut *self.seated.lock());
        let mut seats: Vec<_> = seated.iter().map(|seat| seat.lock()).collect();
        let connections = seats
            .iter_mut()
            .filter_map(|seat| seat.connection.as_deref_mut());
        let mut server = None;
        let mut clients = Vec::with_capacity(seated.len());
        for connection in connections {
            server.get_or_insert_with(|| connection.server());
            clients.extend(connection.waiting_commands());
        }
        if let Some(server) = server {
            execute_together(&server, &mut clients);
        }
        let served = match clients.iter().all(|client| client.commands.is_empty()) {
            true => Served::All,
            false => Served::Some,
        };
        drop(clients);
        seats.iter_mut().for_each(|seat| seat.served = Some(served));
    }
}

//! Commands of connections that are ready together run together.
//!
//! With one command at a time from each of fifty clients, a thread that has served one finds twenty others ready. Each
//! command alone needs a snapshot, locks, a batch and a write to the log. So a connection whose next commands are plain
//! sits down and lets the others come that are ready. Who gets up first runs the commands of all in one transaction
//! ([`execute_together`]); the others find what came of theirs.
//!
//! Who is alone waits for nobody, as with answers ([`turns`](super::turns)), and for the same reason only threads that
//! tell when they have nothing to do take part.
//!
//! Invariants
//! 1. A connection is at its seat from when it sits down until its own task gets up with it. Who runs the commands of all holds
//!    the locks of their seats meanwhile, and waits for nobody with them: it takes no lock of a key that is not free.
//! 2. A seat is in `seated` as long as its commands did not have their chance.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::task::yield_now;

use crate::commands::execute_together;
use crate::server::connection::Connection;

/// Connections whose commands are about to run together.
#[derive(Default)]
pub(super) struct Company {
    seated: Mutex<Vec<Arc<Mutex<Seat>>>>,
}

struct Seat {
    connection: Option<Box<Connection>>,
    /// What came of all who sat down with it, once they had their chance.
    served: Option<Served>,
}

/// What came of those who sat down together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Served {
    /// All commands that had arrived have run.
    All,
    /// Some are left, of one of them at least.
    Some,
}

impl Company {
    /// Lets other connections come that are ready, and runs the first commands of all of them. Some may be left, or all.
    pub(super) async fn join(&self, connection: Box<Connection>) -> (Box<Connection>, Served) {
        let seat = Arc::new(Mutex::new(Seat {
            connection: Some(connection),
            served: None,
        }));
        self.seated.lock().push(Arc::clone(&seat));
        // Once, by invariant 1.
        loop {
            yield_now().await;
            if seat.lock().served.is_none() {
                self.serve();
            }
            let mut seat = seat.lock();
            if let Some(connection) = seat.connection.take() {
                // Another thread may have taken the seat along and not come to it yet.
                return (connection, seat.served.unwrap_or(Served::Some));
            }
        }
    }

    /// Runs the first commands of all who have sat down.
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

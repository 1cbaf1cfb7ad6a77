//! What a command finds around it: the server that all connections share, and its own connection.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::commands::Protocol;
use crate::commands::blocking::Waiters;
use crate::commands::transactions::{Queue, Watched, Watchers};
use crate::store::Store;
use crate::types::{Clock, DbNumber, Result, Shared, Txn};

/// What the server was started with, as far as commands report it.
#[derive(Debug, Clone)]
pub struct Settings {
    /// `CONFIG GET` answers from this list: names in alphabetical order, and their values.
    pub config: Vec<(&'static str, String)>,
    /// The port that clients reach the server at.
    pub port: u16,
}

/// Sums since the start.
#[derive(Debug, Default)]
pub struct Counters {
    /// Connections that were accepted.
    pub connections: AtomicU64,
    /// Connections that were refused because there were too many.
    pub rejected: AtomicU64,
    /// Commands that were run, refused ones included.
    pub commands: AtomicU64,
}

/// What all connections share.
pub struct Server {
    /// Where the keys are.
    pub store: Arc<dyn Store>,
    /// What transactions share in memory.
    pub shared: Shared,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// What the server was started with.
    pub settings: Settings,
    /// Sums since the start.
    pub counters: Counters,
    /// Who watches which keys.
    pub(crate) watchers: Watchers,
    /// Who waits for which keys.
    pub(crate) waiters: Waiters,
    started_ms: i64,
    clients: Mutex<BTreeMap<u64, Arc<Mutex<ClientView>>>>,
    last_client_id: AtomicU64,
}

impl Server {
    /// A server without connections.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, settings: Settings) -> Self {
        Self {
            started_ms: clock.now_ms(),
            store,
            clock,
            settings,
            counters: Counters::default(),
            shared: Shared::default(),
            watchers: Watchers::default(),
            waiters: Waiters::default(),
            clients: Mutex::default(),
            last_client_id: AtomicU64::new(0),
        }
    }

    /// A new connection between two addresses.
    #[must_use]
    pub fn connect(self: &Arc<Self>, address: String, local_address: String) -> Session {
        self.counters.connections.fetch_add(1, Ordering::Relaxed);
        let id = self.last_client_id.fetch_add(1, Ordering::Relaxed) + 1;
        let now_ms = self.clock.now_ms();
        let view = Arc::new(Mutex::new(ClientView {
            id,
            address,
            local_address,
            name: Vec::new(),
            connected_ms: now_ms,
            active_ms: now_ms,
            db: 0,
            last_command: "NULL",
            protocol: Protocol::Resp2,
        }));
        self.clients.lock().insert(id, Arc::clone(&view));
        Session {
            server: Arc::clone(self),
            view,
            id,
            db: 0,
            protocol: Protocol::Resp2,
            replies: Replies::On,
            queue: None,
            watched: Watched::default(),
            closing: false,
        }
    }

    /// How many connections there are.
    #[must_use]
    pub fn client_count(&self) -> usize {
        self.clients.lock().len()
    }

    /// What `CLIENT LIST` says about each connection, oldest first.
    pub(crate) fn client_views(&self) -> Vec<ClientView> {
        let clients = self.clients.lock();
        clients.values().map(|view| view.lock().clone()).collect()
    }

    /// How long the server runs, in whole seconds.
    pub(crate) fn uptime_s(&self) -> i64 {
        self.clock.now_ms().saturating_sub(self.started_ms) / 1000
    }

    /// Starts a transaction for reading, now.
    pub(crate) fn begin(&self, db: DbNumber) -> Result<Txn<'_>> {
        Txn::begin(&*self.store, &self.shared, db, self.clock.now_ms())
    }
}

/// What others may see of a connection.
#[derive(Debug, Clone)]
pub(crate) struct ClientView {
    pub(crate) id: u64,
    pub(crate) address: String,
    pub(crate) local_address: String,
    pub(crate) name: Vec<u8>,
    pub(crate) connected_ms: i64,
    pub(crate) active_ms: i64,
    pub(crate) db: DbNumber,
    pub(crate) last_command: &'static str,
    pub(crate) protocol: Protocol,
}

/// Whether a client wants replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Replies {
    On,
    Off,
    /// Not to the command that runs.
    Skip,
    /// Not to the command after the one that runs.
    SkipNext,
}

/// One connection. Leaves the server's list when it is dropped.
pub struct Session {
    pub(crate) server: Arc<Server>,
    pub(crate) view: Arc<Mutex<ClientView>>,
    pub(crate) id: u64,
    pub(crate) db: DbNumber,
    pub(crate) protocol: Protocol,
    pub(crate) replies: Replies,
    /// The commands since `MULTI`.
    pub(crate) queue: Option<Queue>,
    /// The keys since `WATCH`.
    pub(crate) watched: Watched,
    pub(crate) closing: bool,
}

impl Session {
    /// The protocol that replies are written in from now on.
    #[must_use]
    pub const fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// Whether the client asked to be disconnected after this reply.
    #[must_use]
    pub const fn is_closing(&self) -> bool {
        self.closing
    }

    /// Chooses the database of the commands that follow.
    pub(crate) fn set_db(&mut self, db: DbNumber) {
        self.db = db;
        self.view.lock().db = db;
    }

    /// Chooses the protocol of this reply and of those that follow.
    pub(crate) fn set_protocol(&mut self, protocol: Protocol) {
        self.protocol = protocol;
        self.view.lock().protocol = protocol;
    }

    /// Lets others see what the client does.
    pub(crate) fn publish(&self, command: &'static str, now_ms: i64) {
        let mut view = self.view.lock();
        view.last_command = command;
        view.active_ms = now_ms;
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.unwatch();
        self.server.clients.lock().remove(&self.id);
    }
}

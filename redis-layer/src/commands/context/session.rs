//! The context of a command: the server that all connections share, and the command's own connection.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use bytes::Bytes;
use parking_lot::Mutex;

use crate::commands::Protocol;
use crate::commands::REDIS_VERSION;
use crate::commands::acl::{Account, AclLog, Users};
use crate::commands::administration::persistence::Persistence;
use crate::commands::administration::shutdown::Shutdown;
use crate::commands::config::{Config, OutputClass};
use crate::commands::connection::client::Pause;
use crate::commands::connection::client::tracking::{Tracking, TrackingState};
use crate::commands::context::peer::Peer;
use crate::commands::dispatch::blocking::Waiters;
use crate::commands::monitoring::latency::LatencyMonitor;
use crate::commands::monitoring::monitor::Monitors;
use crate::commands::monitoring::rates::Rates;
use crate::commands::monitoring::slowlog::SlowLog;
use crate::commands::monitoring::statistics::{Counters, Statistics};
use crate::commands::pubsub::{Publication, Registry, Subscriptions, wanted_classes};
use crate::commands::scripting::{is_command, yield_thread};
use crate::commands::transactions::{Queue, Watched, Watchers};
use crate::scripting::{Scripts, Setup};
use crate::store::{self, Store};
use crate::types::{Clock, DbNumber, Result, Shared, Txn};

/// How the server was started, as far as commands report it.
#[derive(Debug, Clone)]
pub struct Settings {
    /// `CONFIG GET` answers from this list: names in alphabetical order, and their values.
    pub config: Vec<(&'static str, String)>,
    /// The port that clients reach the server at.
    pub port: u16,
}

/// What all connections share.
pub struct Server {
    /// The store that holds the keys.
    pub store: Arc<dyn Store>,
    /// What transactions share in memory.
    pub shared: Shared,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The port that clients reach the server at.
    pub port: u16,
    /// The settings, which may change.
    pub config: Config,
    /// Counters since the start.
    pub counters: Counters,
    /// Whether a client asked the server to stop, and which.
    pub shutdown: Shutdown,
    pub(crate) statistics: Statistics,
    pub(crate) slowlog: SlowLog,
    /// Who may do what.
    pub(crate) users: Users,
    /// What was refused to users.
    pub(crate) acl_log: AclLog,
    pub(crate) latency: LatencyMonitor,
    pub(crate) monitors: Monitors,
    pub(crate) rates: Rates,
    pub(crate) persistence: Persistence,
    /// Which clients are subscribed to what.
    pub(crate) pubsub: Registry,
    /// Which clients keep copies of which keys.
    pub(crate) tracking: Tracking,
    pub(crate) pause: Pause,
    /// Which clients watch which keys.
    pub(crate) watchers: Watchers,
    /// Which clients wait for which keys.
    pub(crate) waiters: Waiters,
    /// The scripts that clients have sent.
    pub scripts: Scripts,
    /// Whether scripts may send `DEBUG`.
    pub(crate) debugs_in_scripts: AtomicBool,
    pub(crate) started_ms: i64,
    /// A name for this run of the server.
    pub(crate) run_id: String,
    clients: Mutex<BTreeMap<u64, Arc<Peer>>>,
    last_client_id: AtomicU64,
}

impl Server {
    /// A server without connections.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, settings: Settings) -> Self {
        let Settings { config, port } = settings;
        let config = Config::new(&config);
        let server = Self {
            started_ms: clock.now_ms(),
            run_id: run_id(clock.now_ms()),
            persistence: Persistence::new(clock.now_ms()),
            store,
            clock,
            port,
            config,
            counters: Counters::default(),
            shutdown: Shutdown::default(),
            statistics: Statistics::default(),
            slowlog: SlowLog::default(),
            users: Users::default(),
            acl_log: AclLog::default(),
            latency: LatencyMonitor::default(),
            monitors: Monitors::default(),
            rates: Rates::default(),
            pubsub: Registry::default(),
            tracking: Tracking::default(),
            pause: Pause::default(),
            shared: Shared::default(),
            watchers: Watchers::default(),
            waiters: Waiters::default(),
            scripts: Scripts::new(Setup {
                version: REDIS_VERSION,
                is_command,
                yield_thread,
            }),
            debugs_in_scripts: AtomicBool::new(false),
            clients: Mutex::default(),
            last_client_id: AtomicU64::new(0),
        };
        server.shared.accesses().begin(server.started_ms);
        server.configured();
        server
    }

    /// Passes changed settings on to the parts of the server that keep copies of them.
    pub(crate) fn configured(&self) {
        self.users.require(self.config.get("requirepass"));
        self.shared.set_wanted(wanted_classes(&self.config));
        self.slowlog.shorten(self.config.live.slowlog_length());
    }

    /// Samples the counters, from which the current rates are computed.
    pub fn sample_rates(&self) {
        self.rates.sample(self);
    }

    /// Sets all counters back to 0.
    pub(crate) fn reset_statistics(&self) {
        self.statistics.reset(&self.counters);
        self.shared.reset_counters();
    }

    /// A new connection between two addresses.
    #[must_use]
    pub fn connect(self: &Arc<Self>, address: String, local_address: String) -> Session {
        self.counters.connections.fetch_add(1, Ordering::Relaxed);
        let id = self.last_client_id.fetch_add(1, Ordering::Relaxed) + 1;
        let now_ms = self.clock.now_ms();
        let account = self.users.default_account();
        let peer = Peer::new(id, address, local_address, Arc::clone(&account), now_ms);
        let peer = Arc::new(peer);
        self.clients.lock().insert(id, Arc::clone(&peer));
        Session {
            server: Arc::clone(self),
            peer,
            id,
            account,
            is_authenticated: self.users.is_open(),
            is_monitor: false,
            reply_first: false,
            subscriptions: Subscriptions::default(),
            tracking: TrackingState::default(),
            db: 0,
            protocol: Protocol::Resp2,
            replies: Replies::On,
            queue: None,
            watched: Watched::default(),
            closing: false,
            in_script: false,
            script_keys: Vec::new(),
            in_transaction: false,
            alone: 0,
            is_committing: false,
            publications: Vec::new(),
            events_after_reply: &[],
            shown_command: "",
            last_end: None,
            worked_micros: 0,
        }
    }

    /// How many connections there are.
    #[must_use]
    pub fn client_count(&self) -> usize {
        self.clients.lock().len()
    }

    /// All connections, oldest first, except those that were told to end: other clients no longer see them.
    #[must_use]
    pub fn peers(&self) -> Vec<Arc<Peer>> {
        let clients = self.clients.lock();
        let staying = clients.values().filter(|peer| !peer.outbox.is_closed());
        staying.map(Arc::clone).collect()
    }

    /// Ends a connection that holds more memory than it may, and counts it.
    pub fn evict(&self, peer: &Peer) {
        peer.outbox.close();
        let evicted = &self.counters.evicted_clients;
        evicted.fetch_add(1, Ordering::Relaxed);
    }

    /// The connection with this number, if it is one of [`peers`](Self::peers).
    pub(crate) fn peer(&self, id: u64) -> Option<Arc<Peer>> {
        let clients = self.clients.lock();
        let staying = clients.get(&id).filter(|peer| !peer.outbox.is_closed());
        staying.map(Arc::clone)
    }

    /// Ends what clients still run, when they have had time to end by themselves. Nothing of it is committed.
    pub fn cut_off(&self) {
        self.shutdown.is_over.store(true, Ordering::Release);
        self.scripts.stop();
    }

    /// Makes everything durable that was written before, and notes whether that failed.
    ///
    /// # Errors
    /// As [`Store::sync`].
    pub fn sync(&self) -> store::Result<()> {
        self.persistence.sync(&*self.store)
    }

    /// For how many whole seconds the server has been running.
    pub(crate) fn uptime_s(&self) -> i64 {
        self.clock.now_ms().saturating_sub(self.started_ms) / 1000
    }

    /// Starts a transaction for reading, with a snapshot of this moment.
    pub(crate) fn begin(&self, db: DbNumber) -> Result<Txn<'_>> {
        Txn::begin(&*self.store, &self.shared, db, self.clock.now_ms())
    }
}

/// A number of 40 hexadecimal digits that no other start of the server will have.
fn run_id(now_ms: i64) -> String {
    use std::hash::{BuildHasher, RandomState};
    let part = |n: u8| RandomState::new().hash_one((now_ms, std::process::id(), n));
    let digits = format!("{:016x}{:016x}{:016x}", part(0), part(1), part(2));
    digits[..40].to_owned()
}

/// Whether a client wants replies: to the command that is running, and to later ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Replies {
    On,
    Off {
        /// If this command turns replies on again, the command after it still gets none.
        skips_next: bool,
    },
    /// No reply to the command that is running.
    Skip,
    /// No reply to the command after the one that is running.
    SkipNext,
}

impl Replies {
    /// The state when the next command begins.
    pub(crate) const fn next(self) -> Self {
        match self {
            Self::SkipNext => Self::Skip,
            Self::Off { .. } => Self::Off { skips_next: false },
            Self::On | Self::Skip => self,
        }
    }

    /// The state after `CLIENT REPLY ON`. If a `SKIP` came before it in one transaction, that now applies to the
    /// command after the transaction.
    pub(crate) const fn on(self) -> Self {
        match self {
            Self::SkipNext | Self::Off { skips_next: true } => Self::SkipNext,
            _ => Self::On,
        }
    }

    /// The state after `CLIENT REPLY OFF`.
    pub(crate) const fn off(self) -> Self {
        let skips_next = matches!(self, Self::SkipNext | Self::Off { skips_next: true });
        Self::Off { skips_next }
    }

    /// The state after `CLIENT REPLY SKIP`.
    pub(crate) const fn skip(self) -> Self {
        match self {
            Self::Off { .. } => self,
            _ => Self::SkipNext,
        }
    }
}

/// One connection. Dropping it removes it from the server's list.
pub struct Session {
    pub(crate) server: Arc<Server>,
    pub(crate) peer: Arc<Peer>,
    pub(crate) id: u64,
    /// The user that it logged in as.
    pub(crate) account: Arc<Account>,
    /// Whether the client gave the password, or none was required when it connected.
    pub(crate) is_authenticated: bool,
    /// Whether every command is shown to the client, including its own.
    pub(crate) is_monitor: bool,
    /// Whether the reply is sent before the messages that wait; otherwise they are sent first.
    pub(crate) reply_first: bool,
    pub(crate) subscriptions: Subscriptions,
    pub(crate) tracking: TrackingState,
    pub(crate) db: DbNumber,
    pub(crate) protocol: Protocol,
    pub(crate) replies: Replies,
    /// The commands queued since `MULTI`.
    pub(crate) queue: Option<Queue>,
    /// The keys watched since `WATCH`.
    pub(crate) watched: Watched,
    pub(crate) closing: bool,
    /// Whether the command comes from a script of this client.
    pub(crate) in_script: bool,
    /// The keys that the script was given, if the client tracks keys: it then caches those.
    pub(crate) script_keys: Vec<Bytes>,
    /// Whether the command is one of a transaction: then what it publishes is sent after the commit.
    pub(crate) in_transaction: bool,
    /// How many of its next commands run alone, because they could not be committed together.
    pub(crate) alone: usize,
    /// Whether changes that it made in one transaction with other clients are being committed.
    pub(crate) is_committing: bool,
    /// The messages that the transaction has published so far.
    pub(crate) publications: Vec<Publication>,
    /// Events of the command that are sent after its reply, if the client is subscribed to them.
    pub(crate) events_after_reply: &'static [&'static str],
    /// The command that other clients see in the list.
    shown_command: &'static str,
    /// When the last command ended, if the next one follows at once.
    pub(crate) last_end: Option<Instant>,
    /// How long the last command worked before it began to wait, if it waits.
    pub(crate) worked_micros: u64,
}

impl Session {
    /// The protocol of the replies from now on.
    #[must_use]
    pub const fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// Whether the client asked to be disconnected after this reply.
    #[must_use]
    pub const fn is_closing(&self) -> bool {
        self.closing
    }

    /// Says that the next commands have just arrived, so that the last one ended long ago.
    pub const fn begin_turn(&mut self) {
        self.last_end = None;
    }

    /// Chooses the database for later commands.
    pub(crate) fn set_db(&mut self, db: DbNumber) {
        self.db = db;
        self.peer.view.lock().db = db;
    }

    /// Makes it a connection of a user.
    pub(crate) fn set_account(&mut self, account: Arc<Account>) {
        self.peer.view.lock().account = Arc::clone(&account);
        self.account = account;
    }

    /// Chooses the protocol of this reply and of later ones.
    pub(crate) fn set_protocol(&mut self, protocol: Protocol) {
        self.protocol = protocol;
        self.peer.view.lock().protocol = protocol;
    }

    /// Shows other clients what the client is doing.
    pub(crate) fn publish(&mut self, command: &'static str, now_ms: i64) {
        self.peer.active_ms.store(now_ms, Ordering::Relaxed);
        // Most commands are the same as the one before.
        if !std::ptr::eq(self.shown_command, command) {
            self.shown_command = command;
            self.peer.view.lock().last_command = command;
        }
    }

    /// Shows other clients how many commands are in the transaction, and how much memory they take.
    pub(crate) fn show_queue(&self) {
        let queue = self.queue.as_ref();
        self.peer.view.lock().queued = queue.map(Queue::len);
        self.peer.queues(queue.map_or(0, Queue::bytes));
    }

    /// The server that the session belongs to.
    #[must_use]
    pub const fn server(&self) -> &Arc<Server> {
        &self.server
    }

    /// The connection as others see it.
    #[must_use]
    pub const fn peer(&self) -> &Arc<Peer> {
        &self.peer
    }

    /// Whether the reply has to be sent before the messages that wait.
    #[must_use]
    pub const fn replies_first(&self) -> bool {
        self.reply_first
    }

    /// Makes messages about a change come after the reply that reports the change.
    pub const fn confirm_change(&mut self) {
        self.reply_first |= self.tracking.mode.is_some();
    }

    /// Whether the client wants no replies. It still gets pushed messages.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        matches!(self.replies, Replies::Off { .. })
    }

    /// Whether the next request gets no reply, not even one that says what is wrong with it.
    #[must_use]
    pub fn silences_next(&self) -> bool {
        matches!(self.replies.next(), Replies::Off { .. } | Replies::Skip)
    }

    /// Whether answers of `bytes` bytes are more than all clients together may hold: an answer may repeat many times
    /// what is stored once. Then the connection has to end, before room for the answers is allocated.
    pub(crate) fn holds_too_much(&self, bytes: usize) -> bool {
        let most = self.server.config.live.all_clients_bytes();
        let is_too_much = most > 0 && bytes > most && self.peer.may_be_evicted();
        if is_too_much && !self.peer.outbox.is_closed() {
            tracing::warn!(
                client = self.address(),
                bytes,
                "closed: its answers are larger than maxmemory-clients"
            );
            self.server.evict(&self.peer);
        }
        is_too_much
    }

    /// Whether the client may run commands: it gave the password, or none is required.
    #[must_use]
    pub fn is_trusted(&self) -> bool {
        self.is_authenticated || self.server.users.is_open()
    }

    /// The address of the client.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.peer.address
    }

    /// The most bytes of answers that may wait for this client; 0 for no limit.
    #[must_use]
    pub fn hard_output_limit(&self) -> u64 {
        let class = if self.subscriptions.is_empty() {
            OutputClass::Normal
        } else {
            OutputClass::PubSub
        };
        self.server.config.live.output_limit(class).hard
    }

    /// Whether the client is subscribed to channels, which in RESP2 allows few other commands.
    #[must_use]
    pub fn is_subscriber(&self) -> bool {
        !self.subscriptions.is_empty()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.unwatch();
        self.unsubscribe_all();
        self.stop_tracking();
        self.server.monitors.remove(self.id);
        self.server.clients.lock().remove(&self.id);
    }
}

//! The server: what all connections share.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::commands::REDIS_VERSION;
use crate::commands::acl::{AclLog, Users};
use crate::commands::administration::persistence::Persistence;
use crate::commands::administration::shutdown::Shutdown;
use crate::commands::config::Config;
use crate::commands::connection::client::Pause;
use crate::commands::connection::client::tracking::Tracking;
use crate::commands::context::peer::Peer;
use crate::commands::context::session::Session;
use crate::commands::dispatch::blocking::BlockedCommands;
use crate::commands::dispatch::long_work::{run_waiting, yield_thread};
use crate::commands::monitoring::latency::LatencyMonitor;
use crate::commands::monitoring::monitor::Monitors;
use crate::commands::monitoring::rates::Rates;
use crate::commands::monitoring::slowlog::SlowLog;
use crate::commands::monitoring::statistics::{Counters, Statistics};
use crate::commands::pubsub::{Registry, wanted_classes};
use crate::commands::scripting::is_command;
use crate::commands::transactions::Watchers;
use crate::scripting::{Scripts, Setup};
use crate::store::{self, Store};
use crate::types::{Clock, DbNumber, Result, Shared, Txn};

/// How the server was started, as far as commands report it.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Settings that differ from the defaults: names and values in any order. The last of several with one name counts.
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
    /// Which commands wait for which keys.
    pub(crate) blocked: BlockedCommands,
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
            blocked: BlockedCommands::default(),
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
        server.shared.when_work_is_long(yield_thread);
        server.shared.when_work_waits(run_waiting);
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
        Session::new(Arc::clone(self), peer, account)
    }

    /// Takes a connection that has ended from the list.
    pub(super) fn disconnected(&self, id: u64) {
        self.clients.lock().remove(&id);
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

    /// A client begins to watch so many keys, to wait for them, to subscribe to so many channels, or to stop one of these.
    /// That takes some milliseconds for many. So the thread is given up, and another one serves the other clients.
    pub(crate) fn begin_work_on(&self, names: usize) {
        const MANY: usize = 8192;
        if names >= MANY {
            self.shared.work_is_long();
        }
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

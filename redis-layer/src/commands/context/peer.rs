//! A connection as other connections see it: in `CLIENT LIST`, and as a receiver of messages.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicI64, AtomicUsize, Ordering::Relaxed};

use parking_lot::Mutex;

use crate::commands::Protocol;
use crate::commands::acl::Account;
use crate::commands::config::{Live, OutputClass};
use crate::commands::context::outbox::Outbox;
use crate::types::DbNumber;

/// About how many bytes an idle connection takes: its task, its session, its entries in the lists.
const IDLE_BYTES: usize = 2048;

/// About how many bytes a name costs that is kept for a connection, besides itself: its entries in two tables.
pub(crate) const ENTRY_BYTES: usize = 128;

/// A connection as other connections see it.
#[derive(Debug)]
pub struct Peer {
    pub(crate) id: u64,
    pub(crate) address: String,
    pub(crate) local_address: String,
    pub(crate) connected_ms: i64,
    /// When it last sent something, or took some of its answers.
    pub(crate) active_ms: AtomicI64,
    pub(crate) view: Mutex<View>,
    /// Messages for it.
    pub outbox: Outbox,
    /// The number of its socket.
    pub socket: AtomicI32,
    pub(crate) no_evict: AtomicBool,
    /// Whether it is blocked: on a key, or until a pause ends.
    pub(crate) is_blocked: AtomicBool,
    query_bytes: AtomicUsize,
    answer_bytes: AtomicUsize,
    buffer_bytes: AtomicUsize,
    queue_bytes: AtomicUsize,
    kept_bytes: AtomicUsize,
}

/// The state of a connection that changes from command to command.
#[derive(Debug, Clone)]
pub(crate) struct View {
    pub(crate) name: Vec<u8>,
    pub(crate) db: DbNumber,
    pub(crate) last_command: &'static str,
    pub(crate) protocol: Protocol,
    /// The numbers of channels, patterns and shard channels.
    pub(crate) subscriptions: [usize; 3],
    /// How many commands are in its transaction, if there is one.
    pub(crate) queued: Option<usize>,
    /// Raised when a key that it watches has changed.
    pub(crate) watched: Option<Arc<AtomicBool>>,
    pub(crate) is_monitor: bool,
    pub(crate) tracking: TrackingView,
    pub(crate) account: Arc<Account>,
}

impl View {
    /// Whether the client is subscribed to anything.
    pub(crate) fn is_subscriber(&self) -> bool {
        self.subscriptions.iter().any(|&count| count > 0)
    }

    fn class(&self) -> OutputClass {
        match () {
            () if self.is_monitor => OutputClass::Replica,
            () if self.is_subscriber() => OutputClass::PubSub,
            () => OutputClass::Normal,
        }
    }
}

/// What `CLIENT LIST` shows about tracking.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TrackingView {
    pub(crate) is_on: bool,
    pub(crate) is_broadcast: bool,
    pub(crate) is_broken: bool,
    /// The connection that gets the messages instead; 0 for none.
    pub(crate) redirect: u64,
}

impl Peer {
    pub(crate) fn new(
        id: u64,
        address: String,
        local_address: String,
        account: Arc<Account>,
        now_ms: i64,
    ) -> Self {
        let view = View {
            name: Vec::new(),
            db: 0,
            last_command: "NULL",
            protocol: Protocol::Resp2,
            subscriptions: [0; 3],
            queued: None,
            watched: None,
            is_monitor: false,
            tracking: TrackingView::default(),
            account,
        };
        Self {
            id,
            address,
            local_address,
            connected_ms: now_ms,
            active_ms: AtomicI64::new(now_ms),
            view: Mutex::new(view),
            outbox: Outbox::default(),
            socket: AtomicI32::new(-1),
            no_evict: AtomicBool::new(false),
            is_blocked: AtomicBool::new(false),
            query_bytes: AtomicUsize::new(0),
            answer_bytes: AtomicUsize::new(0),
            buffer_bytes: AtomicUsize::new(0),
            queue_bytes: AtomicUsize::new(0),
            kept_bytes: AtomicUsize::new(0),
        }
    }

    /// Records how many bytes the connection holds: what arrived, what is to be sent, and the buffer for that.
    pub fn holds(&self, query_bytes: usize, answer_bytes: usize, buffer_bytes: usize) {
        self.query_bytes.store(query_bytes, Relaxed);
        self.answer_bytes.store(answer_bytes, Relaxed);
        self.buffer_bytes.store(buffer_bytes, Relaxed);
    }

    /// Records how many bytes the queued commands of its transaction take.
    pub(crate) fn queues(&self, bytes: usize) {
        self.queue_bytes.store(bytes, Relaxed);
    }

    /// Records what is kept for the connection until it says otherwise or leaves: its name, what it listens to, keys that it
    /// watches, prefixes that it tracks, and the command with which it waits.
    pub(crate) fn keeps(&self, bytes: usize) {
        self.kept_bytes.fetch_add(bytes, Relaxed);
    }

    /// Records that so much is kept no more.
    pub(crate) fn keeps_no_more(&self, bytes: usize) {
        self.kept_bytes.fetch_sub(bytes, Relaxed);
    }

    /// Shows the connection as blocked, until the returned guard is dropped.
    pub fn block(&self) -> Blocked<'_> {
        self.is_blocked.store(true, Relaxed);
        Blocked(self)
    }

    pub(crate) fn query_bytes(&self) -> usize {
        self.query_bytes.load(Relaxed)
    }

    pub(crate) fn answer_bytes(&self) -> usize {
        self.answer_bytes.load(Relaxed)
    }

    pub(crate) fn buffer_bytes(&self) -> usize {
        self.buffer_bytes.load(Relaxed)
    }

    pub(crate) fn queue_bytes(&self) -> usize {
        self.queue_bytes.load(Relaxed)
    }

    /// Whether more waits to be sent than its class allows.
    #[must_use]
    pub fn exceeds_output_limit(&self, live: &Live) -> bool {
        let answers = self.answer_bytes();
        if answers + self.outbox.waiting_bytes() == 0 {
            return false;
        }
        let class = self.view.lock().class();
        self.outbox.exceeds(answers, live.output_limit(class))
    }

    /// About how much memory the connection takes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let buffers = self.query_bytes() + self.buffer_bytes();
        let kept = self.kept_bytes.load(Relaxed);
        IDLE_BYTES + buffers + kept + self.queue_bytes() + self.outbox.waiting_bytes()
    }

    /// The address of the client.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The path of the Unix socket that it connected through, if it did: no other client has the port 0.
    pub(crate) fn unix_path(&self) -> Option<&str> {
        self.address.strip_suffix(":0")
    }

    /// When it last sent something, or took some of its answers, in milliseconds since 1970.
    #[must_use]
    pub fn active_ms(&self) -> i64 {
        self.active_ms.load(Relaxed)
    }

    /// Notes that it sends or takes something. A command that begins notes it anyway.
    pub fn mark_active(&self, now_ms: i64) {
        self.active_ms.store(now_ms, Relaxed);
    }

    /// Whether it is silent for a reason: it is blocked, or subscribed.
    #[must_use]
    pub fn may_be_idle(&self) -> bool {
        let view = self.view.lock();
        view.is_subscriber() || view.is_monitor || self.is_blocked.load(Relaxed)
    }

    /// Whether the server may end the connection to free memory.
    #[must_use]
    pub fn may_be_evicted(&self) -> bool {
        !self.no_evict.load(Relaxed)
    }
}

/// Marks a connection as blocked while it exists.
#[derive(Debug)]
pub struct Blocked<'p>(&'p Peer);

impl Drop for Blocked<'_> {
    fn drop(&mut self) {
        self.0.is_blocked.store(false, Relaxed);
    }
}

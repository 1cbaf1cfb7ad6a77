//! The session: one connection, as its own commands see it.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;

use crate::commands::acl::Account;
use crate::commands::administration::persistence::Saving;
use crate::commands::config::OutputClass;
use crate::commands::connection::client::tracking::TrackingState;
use crate::commands::context::peer::Peer;
use crate::commands::context::replies::Replies;
use crate::commands::context::server::Server;
use crate::commands::dispatch::long_work::InLine;
use crate::commands::pubsub::{Publications, Subscriptions};
use crate::commands::transactions::{Queue, Watched};
use crate::commands::{CommandError, Protocol};
use crate::types::DbNumber;

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
    /// Where it waits until it may take a thread.
    pub(crate) in_line: Option<InLine>,
    /// Whether changes that it made in one transaction with other clients are being committed.
    pub(crate) is_committing: bool,
    /// The messages that the transaction has published so far.
    pub(crate) publications: Publications,
    /// The checkpoint that the transaction asked for. It is made after the commit.
    pub(crate) save_scheduled: Option<Saving>,
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
    /// A connection that has just begun. The server has it in its list.
    pub(super) fn new(server: Arc<Server>, peer: Arc<Peer>, account: Arc<Account>) -> Self {
        Self {
            is_authenticated: server.users.is_open(),
            server,
            id: peer.id,
            peer,
            account,
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
            in_line: None,
            is_committing: false,
            publications: Publications::default(),
            save_scheduled: None,
            events_after_reply: &[],
            shown_command: "",
            last_end: None,
            worked_micros: 0,
        }
    }

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

    /// Shows other clients which command the client runs.
    pub(crate) fn show_command(&mut self, command: &'static str, now_ms: i64) {
        self.peer.mark_active(now_ms);
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

    /// Refuses a change if what the transaction has changed takes more memory than all clients together may hold.
    pub(crate) fn may_hold_changes(&self, bytes: usize) -> Result<(), CommandError> {
        let most = self.server.config.live.all_clients_bytes();
        if most == 0 || bytes <= most || !self.peer.may_be_evicted() {
            return Ok(());
        }
        Err(CommandError::fixed(
            "ERR the changes of this transaction take more memory than maxmemory-clients allows",
        ))
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
        self.server.disconnected(self.id);
    }
}

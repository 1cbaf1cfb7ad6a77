//! `CLIENT TRACKING`: clients that keep copies of values are told when these are out of date.
//!
//! In the default mode the server remembers which keys a client has read, and tells it once when such a key changes;
//! to be told again the client has to read the key again. In broadcast mode it remembers prefixes instead, and tells
//! of every change under them: at the end of a turn, in one message for each prefix, as Redis does before it sleeps.
//! A key is remembered *before* it is read, so a change between the two is told too. As in Redis, the table knows
//! keys without their database.
//!
//! ```text
//! commands   the commands and their options
//! table      which client is to be told of which key or prefix, and the messages
//! ```
//!
//! This file has what a session remembers, and when the table is asked.
//!
//! Invariant: whoever ends a turn in which keys changed calls [`Tracking::send_invalidations`] before the answers are
//! sent.

mod commands;
mod table;

pub(crate) use commands::{caching, getredir, tracking, trackinginfo};

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use bytes::Bytes;
use parking_lot::Mutex;

use self::table::{Table, Tracker};
use crate::commands::context::peer::{ENTRY_BYTES, TrackingView};
use crate::commands::dispatch::Writer;
use crate::commands::table::Spec;
use crate::commands::{Args, Server, Session};

/// Which clients want to know about which keys.
#[derive(Debug, Default)]
pub(crate) struct Tracking {
    table: Mutex<Table>,
    clients: AtomicUsize,
    /// Whether changes under prefixes are to be told at the end of the turn.
    has_pending: AtomicBool,
    /// Whether keys are to be removed from the table, at the end of the turn of a client.
    is_over: AtomicBool,
}

/// The options with which a client tracks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Mode {
    is_broadcast: bool,
    prefixes: BTreeSet<Bytes>,
    choice: Choice,
    no_loop: bool,
    redirect: u64,
}

impl Mode {
    /// About how much memory the prefixes take.
    fn bytes(&self) -> usize {
        let prefixes = self.prefixes.iter();
        prefixes.map(|prefix| prefix.len() + ENTRY_BYTES).sum()
    }
}

/// Which reads are remembered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Choice {
    #[default]
    All,
    OptIn,
    OptOut,
}

/// What a session remembers for tracking.
#[derive(Debug, Default)]
pub(crate) struct TrackingState {
    pub(crate) mode: Option<Mode>,
    /// Whether `CLIENT CACHING` said that the next command is an exception from the mode.
    caching: bool,
    /// Keys that the running transaction has read, and has not changed since.
    pub(crate) known: HashSet<Bytes>,
    /// Those of which the client has no older copy: it has read them in this transaction for the first time since
    /// they changed.
    pub(crate) fresh: HashSet<Bytes>,
    /// Whether the running transaction has emptied or exchanged databases.
    pub(crate) flushed: bool,
}

impl Tracking {
    /// Whether any client tracks.
    pub(crate) fn is_on(&self) -> bool {
        self.clients.load(Ordering::Relaxed) > 0
    }

    /// The numbers of keys, of items (a key for one client) and of prefixes, for `INFO`.
    pub(crate) fn counts(&self) -> (usize, usize, usize) {
        self.table.lock().counts()
    }

    /// How many clients track. A client that was told to end does not count any more.
    pub(crate) fn client_count(&self) -> usize {
        self.table.lock().client_count()
    }

    /// Remembers that a client is about to read keys, and returns those that it had not read since they changed. If
    /// the table exceeds its limit, keys are removed at the end of the turn and not here: a client that is told
    /// before its answer that a key is out of date would take the answer for a newer value, and keep it.
    fn remember<'k>(
        &self,
        server: &Server,
        client: u64,
        keys: impl Iterator<Item = &'k Bytes>,
    ) -> Vec<Bytes> {
        let mut table = self.table.lock();
        let mut fresh = Vec::new();
        for key in keys {
            let key = Bytes::copy_from_slice(key);
            if table.add_reader(&key, client) {
                fresh.push(key);
            }
        }
        if table.exceeds(server.config.live.tracked_keys()) {
            self.is_over.store(true, Ordering::Release);
        }
        fresh
    }

    /// Brings the table within its limit, which may have changed.
    pub(crate) fn limit(&self, server: &Server) {
        if self.is_on() {
            let most = server.config.live.tracked_keys();
            self.table.lock().keep_within(server, most);
        }
    }

    /// Tells all clients concerned that keys have changed. `writer` is told about its own changes too, unless it
    /// opted out of that.
    pub(crate) fn invalidate(&self, server: &Server, keys: &[Bytes], writer: Writer<'_>) {
        if !self.is_on() || keys.is_empty() {
            return;
        }
        let mut table = self.table.lock();
        for key in keys {
            table.invalidate(server, key, writer);
        }
        if table.note_changes(keys, writer) {
            self.has_pending.store(true, Ordering::Release);
        }
    }

    /// Called at the end of a turn: tells clients that track prefixes what has changed.
    pub(crate) fn send_invalidations(&self, server: &Server) {
        if self.has_pending.load(Ordering::Acquire) {
            let mut table = self.table.lock();
            self.has_pending.store(false, Ordering::Relaxed);
            table.send_invalidations(server);
        }
    }

    /// Tells all clients that track that all keys are out of date.
    pub(crate) fn invalidate_all(&self, server: &Server) {
        if self.is_on() {
            self.table.lock().invalidate_all(server);
        }
    }
}

impl Session {
    /// Ends tracking for this client.
    pub(crate) fn stop_tracking(&mut self) {
        if self.tracking.mode.is_none() {
            return;
        }
        let before = std::mem::take(&mut self.tracking);
        self.peer
            .keeps_no_more(before.mode.map_or(0, |mode| mode.bytes()));
        let tracking = &self.server.tracking;
        let mut table = tracking.table.lock();
        if table.remove(self.id).is_some() {
            tracking.clients.fetch_sub(1, Ordering::SeqCst);
            self.server.shared.unobserve();
        }
        drop(table);
        self.peer.view.lock().tracking = TrackingView::default();
    }

    fn start_tracking(&mut self, mode: Mode) {
        let tracking = &self.server.tracking;
        let tracker = Tracker {
            peer: Arc::clone(&self.peer),
            mode: mode.clone(),
        };
        let mut table = tracking.table.lock();
        if table.add(self.id, tracker).is_none() {
            tracking.clients.fetch_add(1, Ordering::SeqCst);
            self.server.shared.observe();
        }
        drop(table);
        self.peer.view.lock().tracking = TrackingView {
            is_on: true,
            is_broadcast: mode.is_broadcast,
            is_broken: false,
            redirect: mode.redirect,
        };
        self.peer.keeps(mode.bytes());
        let before = self.tracking.mode.replace(mode);
        self.peer
            .keeps_no_more(before.map_or(0, |mode| mode.bytes()));
    }

    /// Remembers the keys that a command is about to read, if this client tracks them. For a script that reads, these
    /// are the keys that it was given: the client knows no others.
    pub(crate) fn track_reads(&mut self, args: Args<'_>) {
        let Some(mode) = &self.tracking.mode else {
            return;
        };
        let counts = match mode.choice {
            Choice::All => true,
            Choice::OptIn => self.tracking.caching,
            Choice::OptOut => !self.tracking.caching,
        };
        if counts && !mode.is_broadcast {
            let keys: Vec<Bytes> = if self.in_script {
                self.script_keys.clone()
            } else {
                args.spec.keys.of(args.from(0)).cloned().collect()
            };
            let tracking = &self.server.tracking;
            let fresh = tracking.remember(&self.server, self.id, keys.iter());
            self.tracking.fresh.extend(fresh);
            if self.in_transaction {
                self.tracking.known.extend(keys);
            }
        }
    }

    /// Notes that a command of a transaction is about to change keys: what was read of them before becomes out of
    /// date.
    pub(crate) fn forget_known(&mut self, args: Args<'_>) {
        let TrackingState { known, fresh, .. } = &mut self.tracking;
        for read in [known, fresh] {
            if args.spec.keys.is_none() {
                read.clear();
            } else if !read.is_empty() {
                for key in args.spec.keys.of(args.from(0)) {
                    read.remove(key);
                }
            }
        }
    }

    /// Called after commands that arrived together have run: tells clients that track prefixes what changed.
    pub fn send_invalidations(&self) {
        let tracking = &self.server.tracking;
        tracking.send_invalidations(&self.server);
        // Not at the end of other turns, such as that of the cleaning: a client whose long command has just read too many keys
        // would be told before its answer.
        let is_over = || tracking.is_over.swap(false, Ordering::AcqRel);
        if tracking.is_over.load(Ordering::Acquire) && is_over() {
            tracking.limit(&self.server);
        }
    }

    /// Called after a command, even an unknown one: `CLIENT CACHING` applies to one command or one transaction.
    /// Commands about the client itself do not count, as in Redis.
    pub(crate) fn end_caching(&mut self, spec: Option<&Spec>) {
        let is_over = self.tracking.caching && self.queue.is_none();
        if is_over && !spec.is_some_and(|spec| spec.full_name.starts_with("client|")) {
            self.tracking.caching = false;
        }
    }
}

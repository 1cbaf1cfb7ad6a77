//! `CLIENT TRACKING`: clients that keep copies of values are told when these are out of date.
//!
//! In the default mode the server remembers which keys a client has read, and tells it once when such a key changes;
//! to be told again the client has to read the key again. In broadcast mode it remembers prefixes instead, and tells
//! of every change under them: at the end of a turn, in one message for each prefix, as Redis does before it sleeps.
//! A key is remembered *before* it is read, so a change between the two is told too. As in Redis, the table knows
//! keys without their database.
//!
//! This file has the table, the messages and what a session remembers. The commands and their options are in
//! `tracking/commands.rs`.
//!
//! Invariants
//! 1. A client is in `clients` exactly while it tracks. Keys may name clients that are gone; these are skipped.
//! 2. A prefix has clients, and these are in `clients`. Whoever ends a turn in which keys changed calls
//!    [`Tracking::send_invalidations`] before the answers are sent.
//! 3. While no client tracks, the table has no keys. Changes are not looked up then, so keys left in it would go out
//!    of date, count as tracked, and push out the keys of the next client.

mod commands;

pub(crate) use commands::{caching, getredir, tracking, trackinginfo};

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use bytes::Bytes;
use parking_lot::Mutex;

use crate::commands::config::OutputClass;
use crate::commands::context::outbox::Message;
use crate::commands::context::peer::{ENTRY_BYTES, Peer, TrackingView};
use crate::commands::dispatch::Writer;
use crate::commands::table::Spec;
use crate::commands::{Args, Protocol, Reply, Server, Session};

/// The channel on which a RESP2 client receives these messages for another client.
const INVALIDATE_CHANNEL: &[u8] = b"__redis__:invalidate";

/// How many bytes the keys may have that clients have read.
const READERS_BYTES_MAX: usize = 256 << 20;

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

#[derive(Debug, Default)]
struct Table {
    /// The clients that have read a key since it last changed. In order, so that any one of them is found quickly.
    readers: BTreeMap<Bytes, BTreeSet<u64>>,
    /// How many bytes the keys of `readers` have.
    readers_bytes: usize,
    clients: HashMap<u64, Tracker>,
    prefixes: BTreeMap<Bytes, Prefix>,
    /// The prefixes under which keys have changed in this turn.
    changed: BTreeSet<Bytes>,
}

/// A prefix of keys, with the clients that track it.
#[derive(Debug, Default)]
struct Prefix {
    clients: BTreeSet<u64>,
    /// Keys that have changed in this turn, each with the client that changed it last.
    changed: BTreeMap<Bytes, Option<u64>>,
}

/// A client that tracks.
#[derive(Debug)]
struct Tracker {
    peer: Arc<Peer>,
    mode: Mode,
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
        let table = self.table.lock();
        let items = table.readers.values().map(BTreeSet::len).sum();
        (table.readers.len(), items, table.prefixes.len())
    }

    /// How many clients track. A client that was told to end does not count any more.
    pub(crate) fn client_count(&self) -> usize {
        let table = self.table.lock();
        let trackers = table.clients.values();
        trackers
            .filter(|tracker| !tracker.peer.outbox.is_closed())
            .count()
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
        if !self.is_on() {
            return;
        }
        let mut table = self.table.lock();
        table.forget_readers();
        for tracker in table.clients.values() {
            tracker.send(server, &Reply::Null);
        }
    }
}

impl Table {
    /// Removes keys until at most `most` are left, and tells their readers that they are out of date. 0 means no
    /// limit.
    fn keep_within(&mut self, server: &Server, most: usize) {
        while self.exceeds(most) {
            let Some((key, _)) = self.readers.first_key_value() else {
                break;
            };
            let key = key.clone();
            self.invalidate(server, &key, Writer::default());
        }
    }

    /// Whether there are more keys than `most`, or keys of too many bytes: a single one may have half a gigabyte.
    fn exceeds(&self, most: usize) -> bool {
        (most > 0 && self.readers.len() > most) || self.readers_bytes > READERS_BYTES_MAX
    }

    /// Notes that a client has read a key. Returns whether that is new.
    fn add_reader(&mut self, key: &Bytes, client: u64) -> bool {
        let readers = self.readers.entry(key.clone()).or_insert_with(|| {
            self.readers_bytes += key.len();
            BTreeSet::new()
        });
        readers.insert(client)
    }

    fn forget_readers(&mut self) {
        self.readers = BTreeMap::new();
        self.readers_bytes = 0;
    }

    /// Tells the readers of a key that it is out of date.
    fn invalidate(&mut self, server: &Server, key: &Bytes, writer: Writer<'_>) {
        let Some(readers) = self.readers.remove(key) else {
            return;
        };
        self.readers_bytes -= key.len();
        for client in readers {
            let is_reader = writer.reader == Some(client);
            let is_own = is_reader || writer.client == Some(client);
            if is_reader || (is_own && writer.knows(key)) {
                self.add_reader(key, client);
            }
            if is_own && writer.has_no_older(key) {
                continue;
            }
            if let Some(tracker) = self.clients.get(&client)
                && !tracker.mode.is_broadcast
                && tracker.hears_of(writer.client)
            {
                tracker.send(server, &Reply::Array(vec![Reply::Bulk(key.clone())]));
            }
        }
    }

    /// Notes which keys have changed under which prefixes. Returns whether any did.
    fn note_changes(&mut self, keys: &[Bytes], writer: Writer<'_>) -> bool {
        for key in keys {
            // From the longest to the shortest, so that a client with many prefixes does not make changes slow. The
            // greatest prefix that is not greater than what is left of the key begins it, or shares with it as many
            // bytes as any that does.
            let mut beginning = &key[..];
            loop {
                let not_greater = (Bound::Unbounded, Bound::Included(beginning));
                let mut before = self.prefixes.range_mut::<[u8], _>(not_greater);
                let Some((prefix, noted)) = before.next_back() else {
                    break;
                };
                let mut same = common_length(prefix, beginning);
                if same == prefix.len() {
                    noted.changed.insert(key.clone(), writer.client);
                    self.changed.insert(prefix.clone());
                    let Some(shorter) = same.checked_sub(1) else {
                        break;
                    };
                    same = shorter;
                }
                beginning = &key[..same];
            }
        }
        !self.changed.is_empty()
    }

    fn send_invalidations(&mut self, server: &Server) {
        let clients = &self.clients;
        for name in std::mem::take(&mut self.changed) {
            // Everybody may have left it meanwhile.
            let Some(prefix) = self.prefixes.get_mut(&name) else {
                continue;
            };
            let changed = std::mem::take(&mut prefix.changed);
            let trackers = prefix.clients.iter();
            for tracker in trackers.filter_map(|client| clients.get(client)) {
                let old = changed
                    .iter()
                    .filter(|(_, writer)| tracker.hears_of(**writer));
                let keys: Vec<Reply> = old.map(|(key, _)| Reply::Bulk(key.clone())).collect();
                if !keys.is_empty() {
                    tracker.send(server, &Reply::Array(keys));
                }
            }
        }
    }

    fn add(&mut self, client: u64, tracker: Tracker) -> Option<Tracker> {
        for prefix in &tracker.mode.prefixes {
            let prefix = self.prefixes.entry(prefix.clone()).or_default();
            prefix.clients.insert(client);
        }
        self.clients.insert(client, tracker)
    }

    fn remove(&mut self, client: u64) -> Option<Tracker> {
        let tracker = self.clients.remove(&client)?;
        if tracker.mode.is_broadcast {
            self.prefixes.retain(|_, prefix| {
                prefix.clients.remove(&client);
                !prefix.clients.is_empty()
            });
        }
        if self.clients.is_empty() {
            self.forget_readers();
        }
        Some(tracker)
    }
}

impl Tracker {
    /// Whether the client wants to be told of changes by this writer.
    fn hears_of(&self, writer: Option<u64>) -> bool {
        !(self.mode.no_loop && writer == Some(self.peer.id))
    }

    /// Sends keys that are out of date to the client, or to the one that it named instead.
    fn send(&self, server: &Server, keys: &Reply) {
        let redirect = self.mode.redirect;
        let target = match redirect {
            0 => Some(Arc::clone(&self.peer)),
            id => server.peer(id),
        };
        let Some(target) = target else {
            self.report_broken_redirect(server);
            return;
        };
        let view = target.view.lock();
        let (protocol, is_subscriber) = (view.protocol, view.is_subscriber());
        drop(view);
        let message = if protocol == Protocol::Resp3 {
            Message::new(Reply::Push(vec![Reply::text("invalidate"), keys.clone()]))
        } else if redirect != 0 && is_subscriber {
            // To whatever it is subscribed, as in Redis.
            Message::new(Reply::Push(vec![
                Reply::text("message"),
                Reply::Bulk(Bytes::from_static(INVALIDATE_CHANNEL)),
                keys.clone(),
            ]))
        } else {
            // RESP2 has no other form for this message.
            return;
        };
        let limit = server.config.live.output_limit(OutputClass::PubSub);
        target.outbox.add(message, limit);
    }

    fn report_broken_redirect(&self, server: &Server) {
        let mut view = self.peer.view.lock();
        view.tracking.is_broken = true;
        if view.protocol == Protocol::Resp3 {
            drop(view);
            let id = Reply::count(self.mode.redirect);
            let message = Message::new(Reply::Push(vec![Reply::text("tracking-redir-broken"), id]));
            let limit = server.config.live.output_limit(OutputClass::PubSub);
            self.peer.outbox.add(message, limit);
        }
    }
}

/// For how many bytes two texts are the same.
fn common_length(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
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

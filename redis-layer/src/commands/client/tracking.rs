//! `CLIENT TRACKING`: clients that keep copies of values are told when these are old.
//!
//! In the default mode the server remembers which keys a client read, and sends each of them once
//! when it changes; to hear of it again the client has to read it again. In broadcast mode it
//! remembers prefixes instead, and sends every change under them. A key is remembered *before* it
//! is read, so a change between the two is told too. As in Redis, the table knows keys without
//! their database.
//!
//! Here stand the table, the messages and what a session remembers. The commands and their options:
//! `tracking/commands.rs`.
//!
//! Invariants
//! 1. A client is in `clients` exactly while it tracks. Keys may name clients that are gone; they are passed over.
//! 2. While nobody tracks, no key is known: changes are not looked up then, so what stayed would be old, would count as
//!    tracked and would push out the keys of the next client.

mod commands;

pub(crate) use commands::{caching, getredir, tracking, trackinginfo};

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use parking_lot::Mutex;

use crate::commands::config::OutputClass;
use crate::commands::dispatch::Writer;
use crate::commands::outbox::Message;
use crate::commands::peer::{Peer, TrackingView};
use crate::commands::pubsub::Registry;
use crate::commands::table::Spec;
use crate::commands::{Args, Protocol, Reply, Server, Session};

/// The channel that a RESP2 client listens to for another one.
const INVALIDATE_CHANNEL: &[u8] = b"__redis__:invalidate";

/// Who wants to know about which keys.
#[derive(Debug, Default)]
pub(crate) struct Tracking {
    table: Mutex<Table>,
    clients: AtomicUsize,
}

#[derive(Debug, Default)]
struct Table {
    /// Who read a key since it changed.
    readers: HashMap<Bytes, BTreeSet<u64>>,
    clients: HashMap<u64, Tracker>,
}

/// A client that tracks.
#[derive(Debug)]
struct Tracker {
    peer: Arc<Peer>,
    mode: Mode,
}

/// How a client tracks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Mode {
    is_broadcast: bool,
    prefixes: BTreeSet<Bytes>,
    choice: Choice,
    no_loop: bool,
    redirect: u64,
}

/// Which reads count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Choice {
    #[default]
    All,
    OptIn,
    OptOut,
}

/// A session's side of tracking.
#[derive(Debug, Default)]
pub(crate) struct Tracks {
    pub(crate) mode: Option<Mode>,
    /// What `CLIENT CACHING` said about the next command.
    caching: Option<bool>,
    /// Keys that the transaction which runs has read, and has not changed since.
    pub(crate) known: Vec<Bytes>,
    /// The transaction which runs has emptied or exchanged databases.
    pub(crate) flushed: bool,
}

impl Tracking {
    /// Whether anybody tracks.
    pub(crate) fn is_on(&self) -> bool {
        self.clients.load(Ordering::Relaxed) > 0
    }

    /// Keys, items (a key for a client) and prefixes, for `INFO`.
    pub(crate) fn counts(&self) -> (usize, usize, usize) {
        let table = self.table.lock();
        let items = table.readers.values().map(BTreeSet::len).sum();
        let prefixes: BTreeSet<&Bytes> = table
            .clients
            .values()
            .flat_map(|tracker| &tracker.mode.prefixes)
            .collect();
        (table.readers.len(), items, prefixes.len())
    }

    /// How many clients track.
    pub(crate) fn client_count(&self) -> usize {
        self.clients.load(Ordering::Relaxed)
    }

    /// Remembers that a client is about to read keys. Beyond the limit of the table other keys
    /// are forgotten, and their readers told that they are old.
    fn remember<'k>(&self, server: &Server, client: u64, keys: impl Iterator<Item = &'k Bytes>) {
        let mut table = self.table.lock();
        for key in keys {
            let key = Bytes::copy_from_slice(key);
            table.readers.entry(key).or_default().insert(client);
        }
        table.keep_within(server, server.config.live.tracked_keys());
    }

    /// Keeps the table within its limit, which may have changed.
    pub(crate) fn limit(&self, server: &Server) {
        if self.is_on() {
            let most = server.config.live.tracked_keys();
            self.table.lock().keep_within(server, most);
        }
    }

    /// Tells everybody concerned that keys have changed, `writer`'s own caches included unless it
    /// wants no echo.
    pub(crate) fn invalidate(&self, server: &Server, keys: &[Bytes], writer: Writer<'_>) {
        if self.is_on() && !keys.is_empty() {
            self.table.lock().invalidate(server, keys, writer);
        }
    }

    /// Tells everybody that all keys are gone.
    pub(crate) fn invalidate_all(&self, server: &Server) {
        if !self.is_on() {
            return;
        }
        let mut table = self.table.lock();
        table.readers.clear();
        for tracker in table.clients.values() {
            tracker.send(server, &Reply::Null);
        }
    }
}

impl Table {
    /// Forgets keys beyond so many, and tells their readers that they are old. 0 is no limit.
    fn keep_within(&mut self, server: &Server, most: usize) {
        while most > 0 && self.readers.len() > most {
            let Some(key) = self.readers.keys().next().cloned() else {
                break;
            };
            self.invalidate(server, &[key], Writer::default());
        }
    }

    fn invalidate(&mut self, server: &Server, keys: &[Bytes], writer: Writer<'_>) {
        let concerns =
            |tracker: &Tracker| !(tracker.mode.no_loop && writer.client == Some(tracker.peer.id));
        for key in keys {
            for client in self.readers.remove(key).unwrap_or_default() {
                if writer.client == Some(client) && writer.knows.contains(key) {
                    let readers = self.readers.entry(key.clone()).or_default();
                    readers.insert(client);
                    continue;
                }
                if let Some(tracker) = self.clients.get(&client)
                    && !tracker.mode.is_broadcast
                    && concerns(tracker)
                {
                    tracker.send(server, &Reply::Array(vec![Reply::Bulk(key.clone())]));
                }
            }
        }
        let broadcast = self.clients.values().filter(|t| t.mode.is_broadcast);
        for tracker in broadcast.filter(|tracker| concerns(tracker)) {
            // One message a prefix, so that who caches by prefix need not sort the keys.
            for prefix in &tracker.mode.prefixes {
                let under: BTreeSet<&Bytes> =
                    keys.iter().filter(|key| key.starts_with(prefix)).collect();
                if !under.is_empty() {
                    let keys = under.into_iter().cloned().map(Reply::Bulk);
                    tracker.send(server, &Reply::Array(keys.collect()));
                }
            }
        }
    }
}

impl Tracker {
    /// Sends old keys to the client, or to the one that it named instead.
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
        let protocol = target.view.lock().protocol;
        let message = if protocol == Protocol::Resp3 {
            Message::new(Reply::Push(vec![Reply::text("invalidate"), keys.clone()]))
        } else if redirect != 0 && is_listening(&server.pubsub, &target) {
            Message::new(Reply::Push(vec![
                Reply::text("message"),
                Reply::Bulk(Bytes::from_static(INVALIDATE_CHANNEL)),
                keys.clone(),
            ]))
        } else {
            // RESP2 has no form for it.
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

fn is_listening(registry: &Registry, target: &Peer) -> bool {
    registry.is_subscribed(INVALIDATE_CHANNEL, target.id)
}

impl Session {
    /// Ends tracking.
    pub(crate) fn stop_tracking(&mut self) {
        if self.tracks.mode.is_none() {
            return;
        }
        self.tracks = Tracks::default();
        let tracking = &self.server.tracking;
        let mut table = tracking.table.lock();
        if table.clients.remove(&self.id).is_some() {
            if table.clients.is_empty() {
                table.readers = HashMap::new();
            }
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
        if table.clients.insert(self.id, tracker).is_none() {
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
        self.tracks.mode = Some(mode);
    }

    /// Remembers the keys that a command is about to read, if this client wants to know. Of a script that reads, those
    /// that it was given: the client knows no others.
    pub(crate) fn track_reads(&mut self, args: Args<'_>) {
        let Some(mode) = &self.tracks.mode else {
            return;
        };
        let counts = match mode.choice {
            Choice::All => true,
            Choice::OptIn => self.tracks.caching == Some(true),
            Choice::OptOut => self.tracks.caching != Some(false),
        };
        if counts && !mode.is_broadcast {
            let keys: Vec<Bytes> = if self.in_script {
                self.script_keys.clone()
            } else {
                args.spec.keys.of(args.from(0)).cloned().collect()
            };
            let tracking = &self.server.tracking;
            tracking.remember(&self.server, self.id, keys.iter());
            if self.in_transaction {
                self.tracks.known.extend(keys);
            }
        }
    }

    /// A command of a transaction is about to change keys: what was read of them before is old then.
    pub(crate) fn forget_known(&mut self, args: Args<'_>) {
        let known = &mut self.tracks.known;
        if args.spec.keys.is_none() {
            known.clear();
        } else if !known.is_empty() {
            known.retain(|known| args.spec.keys.of(args.from(0)).all(|key| key != known));
        }
    }

    /// After a command, or after one that does not exist: what `CLIENT CACHING` said holds for one command or for a
    /// transaction. Commands about the client itself do not count, as in Redis.
    pub(crate) fn end_caching(&mut self, spec: Option<&Spec>) {
        let is_over = self.tracks.caching.is_some() && self.queue.is_none();
        if is_over && !spec.is_some_and(|spec| spec.full_name.starts_with("client|")) {
            self.tracks.caching = None;
        }
    }
}

//! The table of tracking: which client is to be told of which key or prefix, and the messages.
//!
//! Invariants
//! 1. A client is in `clients` exactly while it tracks. Keys may name clients that are gone; these are skipped.
//! 2. A prefix has clients, and these are in `clients`.
//! 3. While no client tracks, the table has no keys. Changes are not looked up then, so keys left in it would go out
//!    of date, count as tracked, and push out the keys of the next client.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;

use super::Mode;
use crate::commands::config::OutputClass;
use crate::commands::context::outbox::Message;
use crate::commands::context::peer::Peer;
use crate::commands::dispatch::Writer;
use crate::commands::{Protocol, Reply, Server};

/// The channel on which a RESP2 client receives these messages for another client.
const INVALIDATE_CHANNEL: &[u8] = b"__redis__:invalidate";

/// How many bytes the keys may have that clients have read.
const READERS_BYTES_MAX: usize = 256 << 20;

/// Who has read which keys since they changed, and who tracks which prefixes.
#[derive(Debug, Default)]
pub(super) struct Table {
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
pub(super) struct Tracker {
    pub(super) peer: Arc<Peer>,
    pub(super) mode: Mode,
}

impl Table {
    /// The numbers of keys, of items (a key for one client) and of prefixes.
    pub(super) fn counts(&self) -> (usize, usize, usize) {
        let items = self.readers.values().map(BTreeSet::len).sum();
        (self.readers.len(), items, self.prefixes.len())
    }

    /// How many clients track, without those that were told to end.
    pub(super) fn client_count(&self) -> usize {
        let trackers = self.clients.values();
        trackers
            .filter(|tracker| !tracker.peer.outbox.is_closed())
            .count()
    }

    /// Removes keys until at most `most` are left, and tells their readers that they are out of date. 0 means no
    /// limit.
    pub(super) fn keep_within(&mut self, server: &Server, most: usize) {
        while self.exceeds(most) {
            let Some((key, _)) = self.readers.first_key_value() else {
                break;
            };
            let key = key.clone();
            self.invalidate(server, &key, Writer::default());
        }
    }

    /// Whether there are more keys than `most`, or keys of too many bytes: a single one may have half a gigabyte.
    pub(super) fn exceeds(&self, most: usize) -> bool {
        (most > 0 && self.readers.len() > most) || self.readers_bytes > READERS_BYTES_MAX
    }

    /// Notes that a client has read a key. Returns whether that is new.
    pub(super) fn add_reader(&mut self, key: &Bytes, client: u64) -> bool {
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
    pub(super) fn invalidate(&mut self, server: &Server, key: &Bytes, writer: Writer<'_>) {
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

    /// Tells all clients that track that all keys are out of date.
    pub(super) fn invalidate_all(&mut self, server: &Server) {
        self.forget_readers();
        for tracker in self.clients.values() {
            tracker.send(server, &Reply::Null);
        }
    }

    /// Notes which keys have changed under which prefixes. Returns whether any did.
    pub(super) fn note_changes(&mut self, keys: &[Bytes], writer: Writer<'_>) -> bool {
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

    /// Tells clients that track prefixes what has changed since the last call.
    pub(super) fn send_invalidations(&mut self, server: &Server) {
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

    /// Begins to track for a client, or changes how it tracks. Returns how it did before.
    pub(super) fn add(&mut self, client: u64, tracker: Tracker) -> Option<Tracker> {
        for prefix in &tracker.mode.prefixes {
            let prefix = self.prefixes.entry(prefix.clone()).or_default();
            prefix.clients.insert(client);
        }
        self.clients.insert(client, tracker)
    }

    /// Ends tracking for a client.
    pub(super) fn remove(&mut self, client: u64) -> Option<Tracker> {
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

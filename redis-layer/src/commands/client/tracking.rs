//! `CLIENT TRACKING`: clients that keep copies of values are told when these are old.
//!
//! In the default mode the server remembers which keys a client read, and sends each of them once
//! when it changes; to hear of it again the client has to read it again. In broadcast mode it
//! remembers prefixes instead, and sends every change under them. A key is remembered *before* it
//! is read, so a change between the two is told too. As in Redis, the table knows keys without
//! their database.
//!
//! Invariant: a client is in `clients` exactly while it tracks. Keys may name clients that are
//! gone; they are passed over.

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
use crate::commands::{Args, CommandError, Outcome, Protocol, Reply, Server, Session};

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
    /// The command that runs is the one after `CLIENT CACHING`.
    caching_ends: bool,
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

    /// After a command: what `CLIENT CACHING` said holds for one command, or for a transaction.
    pub(crate) fn end_caching(&mut self) {
        if self.tracks.caching.is_none() || self.queue.is_some() {
            return;
        }
        if self.tracks.caching_ends {
            self.tracks.caching = None;
        }
        self.tracks.caching_ends = true;
    }
}

/// `CLIENT TRACKING ON | OFF [REDIRECT id] [PREFIX prefix ...] [BCAST] [OPTIN] [OPTOUT] [NOLOOP]`
pub(crate) fn tracking(session: &mut Session, args: Args<'_>) -> Outcome {
    let mode = parse_mode(session, args)?;
    if args.is(2, "OFF") {
        session.stop_tracking();
        return Ok(Reply::OK);
    }
    if !args.is(2, "ON") {
        return Err(CommandError::SYNTAX);
    }
    let mut mode = check_mode(session, mode)?;
    if mode.is_broadcast {
        if mode.prefixes.is_empty() {
            mode.prefixes.insert(Bytes::new());
        }
        if let Some(current) = &session.tracks.mode {
            mode.prefixes.extend(current.prefixes.iter().cloned());
        }
    }
    session.start_tracking(mode);
    Ok(Reply::OK)
}

/// What the options say, before they are held against one another.
#[derive(Debug, Default)]
struct Asked {
    mode: Mode,
    opts_in: bool,
    opts_out: bool,
    /// As they were given.
    prefixes: Vec<Bytes>,
}

fn parse_mode(session: &Session, args: Args<'_>) -> Result<Asked, CommandError> {
    let mut asked = Asked::default();
    let mut position = 3;
    while position < args.len() {
        let has_value = position + 1 < args.len();
        if args.is(position, "REDIRECT") && has_value {
            position += 1;
            if asked.mode.redirect != 0 {
                return Err(CommandError::fixed(
                    "ERR A client can only redirect to a single other client",
                ));
            }
            let id = u64::try_from(args.integer(position)?).unwrap_or(0);
            if session.server.peer(id).is_none() {
                return Err(CommandError::fixed(
                    "ERR The client ID you want redirect to does not exist",
                ));
            }
            asked.mode.redirect = id;
        } else if args.is(position, "PREFIX") && has_value {
            position += 1;
            asked.prefixes.push(args.bytes(position));
        } else if args.is(position, "BCAST") {
            asked.mode.is_broadcast = true;
        } else if args.is(position, "OPTIN") {
            asked.opts_in = true;
        } else if args.is(position, "OPTOUT") {
            asked.opts_out = true;
        } else if args.is(position, "NOLOOP") {
            asked.mode.no_loop = true;
        } else {
            return Err(CommandError::SYNTAX);
        }
        position += 1;
    }
    Ok(asked)
}

/// Holds the options against one another and against the mode so far.
fn check_mode(session: &Session, asked: Asked) -> Result<Mode, CommandError> {
    let Asked {
        mut mode,
        opts_in,
        opts_out,
        prefixes,
    } = asked;
    let current = session.tracks.mode.as_ref();
    let refusal = if !mode.is_broadcast && !prefixes.is_empty() {
        Some("ERR PREFIX option requires BCAST mode to be enabled")
    } else if current.is_some_and(|current| current.is_broadcast != mode.is_broadcast) {
        Some(
            "ERR You can't switch BCAST mode on/off before disabling tracking for this client, \
             and then re-enabling it with a different mode.",
        )
    } else if mode.is_broadcast && (opts_in || opts_out) {
        Some("ERR OPTIN and OPTOUT are not compatible with BCAST")
    } else if opts_in && opts_out {
        Some("ERR You can't specify both OPTIN mode and OPTOUT mode")
    } else if current.is_some_and(|current| {
        (opts_in && current.choice == Choice::OptOut)
            || (opts_out && current.choice == Choice::OptIn)
    }) {
        Some(
            "ERR You can't switch OPTIN/OPTOUT mode before disabling tracking for this client, \
             and then re-enabling it with a different mode.",
        )
    } else {
        None
    };
    if let Some(refusal) = refusal {
        return Err(CommandError::fixed(refusal));
    }
    let existing = current.map(|current| &current.prefixes);
    check_prefixes(existing.into_iter().flatten(), &prefixes)?;
    mode.prefixes = prefixes
        .iter()
        .map(|prefix| Bytes::copy_from_slice(prefix))
        .collect();
    mode.choice = match (opts_in, opts_out) {
        (true, _) => Choice::OptIn,
        (_, true) => Choice::OptOut,
        _ => Choice::All,
    };
    Ok(mode)
}

/// Prefixes of one client must not overlap, or it would hear of a key twice.
fn check_prefixes<'a>(
    existing: impl Iterator<Item = &'a Bytes>,
    added: &[Bytes],
) -> Result<(), CommandError> {
    let overlap = |a: &Bytes, b: &Bytes| a.starts_with(b) || b.starts_with(a);
    let refuse = |added: &Bytes, with: &[u8], other: &Bytes| {
        Err(CommandError::quoting(&[
            b"ERR Prefix '",
            added,
            b"' overlaps with ",
            with,
            b" prefix '",
            other,
            b"'. Prefixes for a single client must not overlap.",
        ]))
    };
    for other in existing {
        if let Some(prefix) = added.iter().find(|prefix| overlap(prefix, other)) {
            return refuse(prefix, b"an existing", other);
        }
    }
    for (position, prefix) in added.iter().enumerate() {
        let mut later = added[position + 1..].iter();
        if let Some(other) = later.find(|other| overlap(prefix, other)) {
            return refuse(prefix, b"another provided", other);
        }
    }
    Ok(())
}

/// `CLIENT CACHING YES | NO`
pub(crate) fn caching(session: &mut Session, args: Args<'_>) -> Outcome {
    let choice = session.tracks.mode.as_ref().map(|mode| mode.choice);
    if !matches!(choice, Some(Choice::OptIn | Choice::OptOut)) {
        return Err(CommandError::fixed(
            "ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN \
             or OPTOUT mode enabled",
        ));
    }
    let (caching, needed, refusal) = if args.is(2, "YES") {
        let refusal =
            "ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode.";
        (true, Choice::OptIn, refusal)
    } else if args.is(2, "NO") {
        let refusal =
            "ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode.";
        (false, Choice::OptOut, refusal)
    } else {
        return Err(CommandError::SYNTAX);
    };
    if choice != Some(needed) {
        return Err(CommandError::fixed(refusal));
    }
    session.tracks.caching = Some(caching);
    session.tracks.caching_ends = false;
    Ok(Reply::OK)
}

/// `CLIENT GETREDIR`
pub(crate) fn getredir(session: &mut Session, _args: Args<'_>) -> Outcome {
    Ok(redirect(session))
}

/// Who gets the messages instead: -1 without tracking, 0 for nobody else.
fn redirect(session: &Session) -> Reply {
    let mode = session.tracks.mode.as_ref();
    mode.map_or(Reply::Integer(-1), |mode| Reply::count(mode.redirect))
}

/// `CLIENT TRACKINGINFO`
pub(crate) fn trackinginfo(session: &mut Session, _args: Args<'_>) -> Outcome {
    let mode = session.tracks.mode.clone();
    let is_on = mode.is_some();
    let mode = mode.unwrap_or_default();
    let caching = session.tracks.caching;
    let is_broken = session.peer.view.lock().tracking.is_broken;
    let flags: Vec<Reply> = [
        (!is_on, "off"),
        (is_on, "on"),
        (mode.is_broadcast, "bcast"),
        (mode.choice == Choice::OptIn, "optin"),
        (caching == Some(true), "caching-yes"),
        (mode.choice == Choice::OptOut, "optout"),
        (caching == Some(false), "caching-no"),
        (mode.no_loop, "noloop"),
        (is_broken, "broken_redirect"),
    ]
    .into_iter()
    .filter_map(|(applies, name)| applies.then_some(Reply::text(name)))
    .collect();
    let prefixes = mode.prefixes.into_iter().map(Reply::Bulk).collect();
    Ok(Reply::Map(vec![
        (Reply::text("flags"), Reply::Set(flags)),
        (Reply::text("redirect"), redirect(session)),
        (Reply::text("prefixes"), Reply::Array(prefixes)),
    ]))
}

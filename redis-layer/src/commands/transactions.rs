//! `MULTI` and `WATCH`: several commands as one, and only if no other client interfered.
//!
//! After `MULTI`, commands are checked and queued. `EXEC` locks the keys of all of them, runs them in one [`Txn`],
//! each with its own savepoint, and commits once: other clients see all of it or nothing. If a command fails, its own
//! changes are undone and the others stay, as in Redis.
//!
//! `WATCH` leaves a flag at each key. A client that changes the key raises the flag before it releases the key's
//! lock. `EXEC` checks the flag while it holds the locks of the watched keys, so no change comes between the check
//! and the commit. A key that existed and has expired meanwhile counts as changed.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use parking_lot::Mutex;

use crate::commands::acl::{Context, Denied};
use crate::commands::args::own_copies;
use crate::commands::context::peer::ENTRY_BYTES;
use crate::commands::dispatch::key_locks::Locks;
use crate::commands::dispatch::{Executed, call, finish};
use crate::commands::table::{Flag, Handler, Spec};
use crate::commands::{Args, CommandError, Outcome, Reply, Server, Session};
use crate::types::rows::{decode_metadata_key, metadata_key};
use crate::types::{self, Committed, DbNumber, Txn};

/// The commands queued since `MULTI`.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    commands: Vec<(&'static Spec, Vec<Bytes>)>,
    /// About how much memory they take.
    bytes: usize,
    /// Whether one of them was refused, which makes `EXEC` fail.
    pub(crate) refused: bool,
}

impl Queue {
    pub(crate) fn push(&mut self, spec: &'static Spec, args: &[Bytes]) {
        let args = own_copies(args);
        self.bytes += size_of_val(&args)
            + args
                .iter()
                .map(|arg| size_of_val(arg) + arg.len())
                .sum::<usize>();
        self.commands.push((spec, args));
    }

    /// About how much memory the commands take.
    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// The commands so far.
    pub(crate) fn commands(&self) -> &[(&'static Spec, Vec<Bytes>)] {
        &self.commands
    }

    /// How many commands there are.
    pub(crate) const fn len(&self) -> usize {
        self.commands.len()
    }
}

/// The keys watched since `WATCH`.
#[derive(Debug, Default)]
pub(crate) struct Watched {
    /// Each with whether it existed when it was watched.
    keys: HashMap<(DbNumber, Bytes), bool>,
    /// Raised when one of them is changed.
    changed: Arc<AtomicBool>,
}

impl Watched {
    /// Whether one of them is known to have changed. A key that has only expired does not raise the flag.
    pub(crate) fn is_changed(&self) -> bool {
        self.changed.load(Ordering::SeqCst)
    }
}

/// Which clients watch which keys, by metadata row.
#[derive(Debug, Default)]
pub(crate) struct Watchers {
    flags: Mutex<HashMap<Vec<u8>, Vec<Flagged>>>,
}

/// A client that watches a key.
#[derive(Debug)]
struct Flagged {
    changed: Arc<AtomicBool>,
    /// Whether the key existed when it was watched.
    was_live: bool,
}

impl Flagged {
    /// Raises the flag, unless the client saw no key there and there is still none: then only an expired key was
    /// removed, which is no change for it.
    fn raise(&self, was_made: bool) {
        if was_made || self.was_live {
            self.changed.store(true, Ordering::SeqCst);
        }
    }
}

impl Watchers {
    /// Raises the flags of clients that watch a key that was changed. The caller still holds the locks.
    pub(crate) fn raise(&self, committed: &Committed) {
        let flags = self.flags.lock();
        for row in &committed.touched {
            for flag in flags.get(row).into_iter().flatten() {
                flag.raise(!committed.absent.contains(row));
            }
        }
    }

    /// Raises the flags of clients that watch a key in databases that were swapped, if any of these databases has the
    /// key. The caller still holds the locks.
    ///
    /// The keys are read between two holds of the mutex, which every command that changes a key takes. No flag comes in
    /// between: `WATCH` waits for the locks. One that is gone by then belongs to a client that watches no more.
    pub(crate) fn raise_swapped(&self, server: &Server, databases: &[DbNumber]) {
        let watched = |row: &Vec<u8>| {
            let (db, key) = decode_metadata_key(row).ok()?;
            databases.contains(&db).then(|| (row.clone(), key))
        };
        let watched: Vec<_> = self.flags.lock().keys().filter_map(watched).collect();
        if watched.is_empty() {
            return;
        }
        let mut txn = server.begin(0).ok();
        // If a key cannot be read, it may have been changed.
        let mut is_live = |key: &[u8]| {
            txn.as_mut()
                .is_none_or(|txn| is_in_any(txn, databases, key).unwrap_or(true))
        };
        let live = watched.into_iter().map(|(row, key)| (row, is_live(&key)));
        let live: Vec<_> = live.collect();
        let flags = self.flags.lock();
        for (row, is_live) in live {
            let flags = flags.get(&row).into_iter().flatten();
            flags.for_each(|flag| flag.raise(is_live));
        }
    }
}

/// Whether a key exists in one of these databases.
fn is_in_any(txn: &mut Txn<'_>, databases: &[DbNumber], key: &[u8]) -> types::Result<bool> {
    for &db in databases {
        txn.set_db(db);
        if txn.peek(key)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

impl Session {
    /// Stops watching all keys.
    pub(crate) fn unwatch(&mut self) {
        if self.watched.keys.is_empty() {
            return;
        }
        let Watched { keys, changed } = std::mem::take(&mut self.watched);
        self.peer.view.lock().watched = None;
        let mut flags = self.server.watchers.flags.lock();
        let bytes = keys.keys().map(|(_, key)| watched_bytes(key)).sum();
        self.peer.keeps_no_more(bytes);
        for (db, key) in keys.into_keys() {
            let row = metadata_key(db, &key);
            if let Some(of_key) = flags.get_mut(&row) {
                of_key.retain(|flag| !Arc::ptr_eq(&flag.changed, &changed));
                if of_key.is_empty() {
                    flags.remove(&row);
                }
            }
            self.server.shared.unobserve();
        }
    }
}

/// About how much memory a key takes that is watched: it is in the list of its client, and in that of all.
fn watched_bytes(key: &Bytes) -> usize {
    2 * key.len() + ENTRY_BYTES
}

/// `MULTI`
pub(crate) fn multi(session: &mut Session, _args: Args<'_>) -> Outcome {
    if session.queue.is_some() {
        return Err(CommandError::fixed("ERR MULTI calls can not be nested"));
    }
    session.queue = Some(Queue::default());
    Ok(Reply::OK)
}

/// `DISCARD`
pub(crate) fn discard(session: &mut Session, _args: Args<'_>) -> Outcome {
    if session.queue.take().is_none() {
        return Err(CommandError::fixed("ERR DISCARD without MULTI"));
    }
    session.unwatch();
    Ok(Reply::OK)
}

/// `UNWATCH`
pub(crate) fn unwatch(session: &mut Session, _args: Args<'_>) -> Outcome {
    session.unwatch();
    Ok(Reply::OK)
}

/// `WATCH key [key ...]`
pub(crate) fn watch(session: &mut Session, args: Args<'_>) -> Outcome {
    if session.queue.is_some() {
        return Err(CommandError::fixed("ERR WATCH inside MULTI is not allowed"));
    }
    if session.watched.is_changed() {
        // The transaction will fail anyway.
        return Ok(Reply::OK);
    }
    let server = Arc::clone(&session.server);
    let db = session.db;
    let _guard = Locks::of(args.from(1).iter()).take_or_refuse(&server)?;
    let txn = server.begin(db)?;
    for key in args.from(1) {
        // A copy, so that the key does not keep the whole query in memory.
        let own = Bytes::copy_from_slice(key);
        let Entry::Vacant(place) = session.watched.keys.entry((db, own)) else {
            continue;
        };
        let was_live = txn.peek(key)?.is_some();
        let changed = Arc::clone(&session.watched.changed);
        let mut flags = server.watchers.flags.lock();
        flags
            .entry(metadata_key(db, key))
            .or_default()
            .push(Flagged { changed, was_live });
        server.shared.observe();
        place.insert(was_live);
        session.peer.keeps(watched_bytes(key));
    }
    session.peer.view.lock().watched = Some(Arc::clone(&session.watched.changed));
    Ok(Reply::OK)
}

/// `EXEC`
pub(crate) fn exec(session: &mut Session, now_ms: i64, executed: &mut Executed) -> Outcome {
    let Some(queue) = session.queue.take() else {
        return Err(CommandError::fixed("ERR EXEC without MULTI"));
    };
    let outcome = if queue.refused {
        Err(CommandError::fixed(
            "EXECABORT Transaction discarded because of previous errors.",
        ))
    } else {
        run(session, &queue, now_ms, executed)
    };
    session.unwatch();
    outcome
}

fn run(session: &mut Session, queue: &Queue, now_ms: i64, executed: &mut Executed) -> Outcome {
    let server = Arc::clone(&session.server);
    let watched = session.watched.keys.keys();
    let watched: Vec<Bytes> = watched.map(|(_, key)| key.clone()).collect();
    let locks = locks(&watched, queue);
    let guard = locks.take_or_refuse(&server)?;
    let txn = Txn::begin(&*server.store, &server.shared, session.db, now_ms)?;
    let mut txn = txn.under(locks.scope());
    if is_changed(&session.watched, &mut txn)? {
        return Ok(Reply::NullArray);
    }
    let mut replies = Vec::with_capacity(queue.len());
    let mut bytes = 0;
    let mut commands = queue.commands.iter();
    let changes_protocol = commands.any(|(spec, _)| spec.full_name == "hello");
    for (spec, args) in &queue.commands {
        // An earlier command of the transaction may have been a SELECT.
        txn.set_db(session.db);
        let args = Args::new(args, spec);
        let outcome = match session.account.check(args) {
            Ok(()) => call(session, &mut txn, args),
            Err(denied) => Err(refuse(session, args, denied)),
        };
        let reply = outcome.unwrap_or_else(Reply::Error);
        bytes += reply.memory_bytes();
        if session.holds_too_much(bytes) {
            // The remaining commands still run, but their answers are not kept.
            replies.clear();
            continue;
        }
        replies.push(if changes_protocol {
            Reply::Earlier(session.protocol, Box::new(reply))
        } else {
            reply
        });
    }
    let scheduled = session.save_scheduled.take();
    executed.wrote |= finish(&server, session, txn, guard)?;
    if let Some(saving) = scheduled {
        // Its failure is in the log, and the transaction has succeeded.
        let _ = saving.save_in_background();
    }
    // Messages that the client published to itself come after all the replies: between them, the client would take
    // one for a reply.
    session.reply_first = true;
    Ok(Reply::Array(replies))
}

/// Refuses a command that was allowed when it was queued.
fn refuse(session: &Session, args: Args<'_>, denied: Denied) -> CommandError {
    let server = &session.server;
    let log = &server.acl_log;
    log.denied(session, args, denied, Context::Transaction);
    let error = denied.in_exec();
    server.statistics.refused(args.spec);
    server.statistics.error(&server.counters, &error);
    error
}

/// Whether a watched key has changed.
fn is_changed(watched: &Watched, txn: &mut Txn<'_>) -> types::Result<bool> {
    if watched.is_changed() {
        return Ok(true);
    }
    for ((db, key), was_live) in &watched.keys {
        if *was_live {
            txn.set_db(*db);
            if txn.peek(key)?.is_none() {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// The locks of the watched keys and of all keys that the commands name.
fn locks<'k>(watched: &'k [Bytes], queue: &'k Queue) -> Locks<'k> {
    let mut keys: Vec<&Bytes> = watched.iter().collect();
    for (spec, args) in &queue.commands {
        let works_on_keys = matches!(spec.handler, Handler::Keys(_) | Handler::Both(_));
        let is_script = matches!(spec.handler, Handler::Script(_));
        if is_script || (works_on_keys && spec.has(Flag::Write) && spec.keys.is_none()) {
            return Locks::Everything;
        }
        keys.extend(spec.keys.of(args));
    }
    Locks::of(keys.into_iter())
}

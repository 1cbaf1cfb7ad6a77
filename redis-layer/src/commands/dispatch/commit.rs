//! Ends the transaction of a client, and tells everybody concerned.
//!
//! A commit is followed by, in this order: raising the flags of clients that watch a key ([`flag_watchers`], with the
//! locks still held), then sending events, then serving the clients that wait for a key ([`notify`]).

use std::collections::HashSet;
use std::sync::atomic::Ordering;

use bytes::Bytes;

use crate::commands::dispatch::blocking;
use crate::commands::dispatch::expired_keys::remove_found;
use crate::commands::pubsub::{send_events, send_publications};
use crate::commands::{CommandError, Server, Session};
use crate::store::Guard;
use crate::types::rows::decode_metadata_key;
use crate::types::{Committed, Txn};

/// Commits a transaction of a client, unless the server has stopped meanwhile: then it may be half of a script.
pub(crate) fn commit(server: &Server, txn: Txn<'_>) -> Result<Committed, CommandError> {
    if server.shutdown.is_over.load(Ordering::Acquire) {
        return Err(CommandError::fixed("ERR the server stops"));
    }
    let committed = server.persistence.commit(txn);
    committed.map_err(CommandError::not_written)
}

/// Ends a transaction that ran for a client: commits it, releases the locks in `guard`, and tells everybody
/// concerned. Returns whether the store was changed.
pub(crate) fn finish<'s>(
    server: &Server,
    session: &mut Session,
    txn: Txn<'s>,
    guard: Option<Box<dyn Guard + 's>>,
) -> Result<bool, CommandError> {
    let mut committed = commit(server, txn).inspect_err(|_| {
        session.publications.clear();
        session.tracking.known.clear();
        session.tracking.fresh.clear();
    })?;
    flag_watchers(server, &committed);
    drop(guard);
    let fresh = std::mem::take(&mut session.tracking.fresh);
    let found = remove_found_by(server, session.id, &fresh, &mut committed);
    let wrote = committed.wrote;
    let flushes = std::mem::take(&mut session.tracking.flushed);
    if flushes || found {
        session.confirm_change();
    }
    let known = std::mem::take(&mut session.tracking.known);
    let writer = Writer {
        client: Some(session.id),
        flushes,
        knows: Some(&known),
        fresh: Some(&fresh),
        reader: None,
    };
    let behind = std::mem::take(&mut session.events_after_reply);
    let mut events = committed.events.iter();
    let first_behind = events.position(|event| behind.contains(&event.name));
    // Keys that are out of date are named behind the reply too.
    let tracks = session.tracking.mode.is_some() && !session.reply_first;
    let is_told = tracks && !committed.touched.is_empty();
    if let Some(at) = first_behind.or(is_told.then_some(committed.events.len())) {
        let later = committed.events.split_off(at);
        send_events(server, &committed.events);
        committed.events = later;
        session.peer.outbox.reply_here();
    }
    notify(server, committed, writer);
    send_publications(session);
    Ok(wrote)
}

/// Ends a transaction that changes nothing, because its command failed or waits: releases the locks in `guard`, and
/// removes the keys that the transaction found expired.
pub(super) fn abandon<'s>(
    server: &Server,
    session: &mut Session,
    txn: Txn<'s>,
    guard: Option<Box<dyn Guard + 's>>,
) {
    let mut committed = txn.abandon();
    drop(guard);
    let fresh = std::mem::take(&mut session.tracking.fresh);
    if remove_found_by(server, session.id, &fresh, &mut committed) {
        session.confirm_change();
    }
    send_events(server, &committed.events);
}

/// Removes the keys that a client's transaction found expired; `fresh` are those that the client had not read before.
/// Returns whether there were any to remove.
fn remove_found_by(
    server: &Server,
    client: u64,
    fresh: &HashSet<Bytes>,
    committed: &mut Committed,
) -> bool {
    let by = Writer {
        fresh: Some(fresh),
        reader: Some(client),
        ..Writer::default()
    };
    remove_found(server, committed, by)
}

/// As [`finish`], for a transaction that ran for several clients. None of them tracks keys, and none has published a
/// message or emptied a database in it.
pub(crate) fn finish_for_many<'s>(
    server: &Server,
    txn: Txn<'s>,
    guard: Option<Box<dyn Guard + 's>>,
) -> Result<bool, CommandError> {
    let mut committed = commit(server, txn)?;
    flag_watchers(server, &committed);
    drop(guard);
    remove_found(server, &mut committed, Writer::default());
    let wrote = committed.wrote;
    notify(server, committed, Writer::default());
    Ok(wrote)
}

/// The first step after a commit, while the locks are still held: clients that watch the keys have their flags
/// raised.
pub(crate) fn flag_watchers(server: &Server, committed: &Committed) {
    if committed.wrote {
        server.persistence.changed();
    }
    if !committed.touched.is_empty() {
        server.watchers.raise(committed);
    }
    if !committed.remapped.is_empty() {
        server.watchers.raise_swapped(server, &committed.remapped);
    }
}

/// The client that changed something.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Writer<'k> {
    /// The number of the connection, if a connection made the change.
    pub(crate) client: Option<u64>,
    /// Whether whole databases were removed: then clients that cache keys are told so once, instead of once for every
    /// key.
    pub(crate) flushes: bool,
    /// Keys that the client read after it had changed them: it continues to be told of their changes.
    knows: Option<&'k HashSet<Bytes>>,
    /// Those that the client had not read before. It has no older copy of them, so it is not told that they are out
    /// of date.
    fresh: Option<&'k HashSet<Bytes>>,
    /// The client that found the keys expired and gone: it continues to be told of their changes.
    pub(crate) reader: Option<u64>,
}

impl Writer<'_> {
    /// Whether the client has read a key after it had changed it.
    pub(crate) fn knows(&self, key: &Bytes) -> bool {
        self.knows.is_some_and(|keys| keys.contains(key))
    }

    /// Whether the client has no copy of a key that is older than the change.
    pub(crate) fn has_no_older(&self, key: &Bytes) -> bool {
        self.fresh.is_some_and(|keys| keys.contains(key))
    }
}

/// The steps that need no locks: events are sent, and clients that wait for the keys are served.
pub(crate) fn notify(server: &Server, mut committed: Committed, writer: Writer<'_>) {
    tell(server, &committed, writer);
    if !committed.remapped.is_empty() {
        let waited_for = server.blocked.rows_in(&committed.remapped);
        committed.touched.extend(waited_for);
    }
    if !committed.touched.is_empty() {
        blocking::serve(server, committed.touched);
    }
}

/// Tells subscribers what happened to keys, and clients with caches which keys are out of date.
pub(crate) fn tell(server: &Server, committed: &Committed, writer: Writer<'_>) {
    send_events(server, &committed.events);
    let tracking = &server.tracking;
    if !tracking.is_on() {
        return;
    }
    if writer.flushes || !committed.remapped.is_empty() {
        tracking.invalidate_all(server);
        return;
    }
    let rows = committed.touched.iter();
    let keys: Vec<Bytes> = rows
        .filter_map(|row| Some(Bytes::from(decode_metadata_key(row).ok()?.1)))
        .collect();
    tracking.invalidate(server, &keys, writer);
}

//! `WATCH`: a flag at each key that a client watches.
//!
//! A client that changes the key raises the flag before it releases the key's lock. A key that existed and has expired
//! meanwhile counts as changed. Every change of the time at which it expires raises the flag as well, so the time that was
//! read with the key is enough to tell: no key is read a second time.
//!
//! A client may watch a million keys, and every command that changes a key asks who watches it. So the list of all is in
//! [`Parts`].

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;

use crate::commands::context::parts::Parts;
use crate::commands::context::peer::ENTRY_BYTES;
use crate::commands::dispatch::key_locks::Locks;
use crate::commands::{Args, CommandError, Outcome, Reply, Server, Session};
use crate::types::rows::{decode_metadata_key, metadata_key};
use crate::types::{self, Committed, DbNumber, Txn};

/// The keys watched since `WATCH`.
#[derive(Debug, Default)]
pub(crate) struct Watched {
    /// A tree, because at a million keys a table takes long to grow. `EXEC` shares it while commands run.
    keys: Arc<BTreeSet<WatchedKey>>,
    /// When the first of them expires, in milliseconds since 1970.
    expires_ms: Option<i64>,
    /// Raised when one of them is changed.
    changed: Arc<AtomicBool>,
}

/// A key and its database.
type WatchedKey = (DbNumber, Bytes);

impl Watched {
    pub(super) const fn keys(&self) -> &Arc<BTreeSet<WatchedKey>> {
        &self.keys
    }

    /// Whether one of them is known to have changed. A key that has only expired does not raise the flag.
    pub(crate) fn is_changed(&self) -> bool {
        self.changed.load(Ordering::SeqCst)
    }

    /// Whether one of them has expired, if none was changed.
    pub(super) fn has_expired(&self, now_ms: i64) -> bool {
        self.expires_ms
            .is_some_and(|expires_ms| expires_ms < now_ms)
    }
}

/// Which clients watch which keys.
#[derive(Debug, Default)]
pub(crate) struct Watchers(Parts<Vec<Flagged>>);

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
    /// Adds a client that watches a key.
    fn add(&self, row: Vec<u8>, flag: Flagged) {
        self.0.part(&row).entry(row).or_default().push(flag);
    }

    /// Removes the client with this flag from those that watch a key.
    fn remove(&self, row: &[u8], changed: &Arc<AtomicBool>) {
        let end = |of_key: &mut Vec<Flagged>| {
            of_key.retain(|flag| !Arc::ptr_eq(&flag.changed, changed));
        };
        self.0.reduce(row, end, Vec::is_empty);
    }

    /// Raises the flags of clients that watch a key that was changed. The caller still holds the locks.
    pub(crate) fn raise(&self, committed: &Committed) {
        for row in &committed.touched {
            for flag in self.0.part(row).get(row).into_iter().flatten() {
                flag.raise(!committed.absent.contains(row));
            }
        }
    }

    /// Raises the flags of clients that watch a key in databases that were swapped, if any of these databases has the
    /// key. The caller still holds the locks.
    ///
    /// The keys are read between two holds of the mutexes, which every command that changes a key takes. No flag comes in
    /// between: `WATCH` waits for the locks. One that is gone by then belongs to a client that watches no more.
    pub(crate) fn raise_swapped(&self, server: &Server, databases: &[DbNumber]) {
        let of_swapped = |row: &Vec<u8>| {
            let (db, key) = decode_metadata_key(row).ok()?;
            databases.contains(&db).then(|| (row.clone(), key))
        };
        let mut watched = Vec::new();
        for part in self.0.all() {
            watched.extend(part.keys().filter_map(of_swapped));
        }
        if watched.is_empty() {
            return;
        }
        let mut txn = server.begin(0).ok();
        for (row, key) in watched {
            // If a key cannot be read, it may have been changed.
            let is_live = txn
                .as_mut()
                .is_none_or(|txn| is_in_any(txn, databases, &key).unwrap_or(true));
            for flag in self.0.part(&row).get(&row).into_iter().flatten() {
                flag.raise(is_live);
            }
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
        let Watched { keys, changed, .. } = std::mem::take(&mut self.watched);
        self.peer.view.lock().watched = None;
        let bytes = keys.iter().map(|(_, key)| watched_bytes(key)).sum();
        self.peer.keeps_no_more(bytes);
        let server = &self.server;
        server.begin_work_on(keys.len());
        for (db, key) in &*keys {
            server.watchers.remove(&metadata_key(*db, key), &changed);
            server.shared.unobserve();
        }
    }
}

/// About how much memory a key takes that is watched: it is in the list of its client, and in that of all.
fn watched_bytes(key: &Bytes) -> usize {
    2 * key.len() + ENTRY_BYTES
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
    server.begin_work_on(args.len());
    let db = session.db;
    let _guard = Locks::of(args.from(1).iter()).take_or_refuse(&server)?;
    let txn = server.begin(db)?;
    for key in args.from(1) {
        let watched = &mut session.watched;
        // A copy, so that the key does not keep the whole query in memory.
        let own = (db, Bytes::copy_from_slice(key));
        if watched.keys.contains(&own) {
            continue;
        }
        let found = txn.peek(key)?;
        let expires_ms = found.as_ref().and_then(|found| found.expires_ms);
        watched.expires_ms = [watched.expires_ms, expires_ms].into_iter().flatten().min();
        let changed = Arc::clone(&watched.changed);
        let was_live = found.is_some();
        let flag = Flagged { changed, was_live };
        server.watchers.add(metadata_key(db, key), flag);
        server.shared.observe();
        Arc::make_mut(&mut watched.keys).insert(own);
        session.peer.keeps(watched_bytes(key));
    }
    session.peer.view.lock().watched = Some(Arc::clone(&session.watched.changed));
    Ok(Reply::OK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::context::parts::PARTS;
    use crate::commands::context::room::ROOM_LEAST;

    fn rows(count: u32) -> impl Iterator<Item = Vec<u8>> {
        (0..count).map(|n| n.to_be_bytes().to_vec())
    }

    fn watch_all(watchers: &Watchers, count: u32) -> Arc<AtomicBool> {
        let changed = Arc::<AtomicBool>::default();
        for row in rows(count) {
            let (changed, was_live) = (Arc::clone(&changed), true);
            watchers.add(row, Flagged { changed, was_live });
        }
        changed
    }

    fn change(watchers: &Watchers, row: Vec<u8>) {
        let touched = vec![row];
        watchers.raise(&Committed {
            touched,
            ..Committed::default()
        });
    }

    /// Also while somebody else watches a few.
    #[test]
    fn who_stops_watching_leaves_nothing_behind() {
        const COUNT: u32 = 100_000;
        let watchers = Watchers::default();
        let other = watch_all(&watchers, 10);
        let changed = watch_all(&watchers, COUNT);
        for row in rows(COUNT) {
            watchers.remove(&row, &changed);
        }
        let room: usize = watchers.0.all().map(|part| part.capacity()).sum();
        assert!(room <= PARTS * ROOM_LEAST, "room for {room} keys is kept");
        rows(COUNT).for_each(|row| change(&watchers, row));
        assert!(!changed.load(Ordering::SeqCst));
        assert!(other.load(Ordering::SeqCst));
    }

    /// A million keys are in many parts, and who works on one of them keeps nobody from the others.
    #[test]
    fn a_key_is_changed_while_another_one_is_held() {
        let watchers = Watchers::default();
        let changed = watch_all(&watchers, 1000);
        let held = watchers.0.part(&[0; 4]);
        let is_free = |row: &Vec<u8>| !watchers.0.part_of(row).is_locked();
        let row = rows(1000).find(is_free).expect("all keys are in one part");
        change(&watchers, row);
        assert!(changed.load(Ordering::SeqCst));
        drop(held);
    }
}

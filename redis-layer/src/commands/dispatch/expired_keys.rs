//! Removing expired keys: in the background, and when a command has found them.

use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::commands::Server;
use crate::commands::dispatch::key_locks::Locks;
use crate::commands::dispatch::{Writer, tell};
use crate::commands::monitoring::seldom::Seldom;
use crate::store::Scope;
use crate::types::expiry::DueKeys;
use crate::types::{Class, Committed, Result, Txn};

/// Removes the next keys that have expired, at most `most` of each database, those that expired first before others.
/// Returns how many. Each database is one batch, under the locks of its keys.
///
/// Clients that watch a key are not flagged: `EXEC` notices by itself that the key has expired.
///
/// # Errors
/// A damaged row; those of the store.
pub fn remove_expired(server: &Server, due: &mut DueKeys, most: usize) -> Result<u64> {
    let (store, shared) = (&*server.store, &server.shared);
    let now_ms = server.clock.now_ms();
    let mut removed = 0;
    let started = Instant::now();
    for due in due.next(store, shared, now_ms, most)? {
        let keys: Vec<&[u8]> = due.keys.iter().map(|(_, key)| key.as_slice()).collect();
        let locks = Locks::Keys(keys.clone());
        let guard = locks.take(store)?;
        let txn = Txn::begin(store, shared, due.db, now_ms)?;
        let mut txn = txn.under(locks.scope());
        for key in keys {
            removed += u64::from(txn.remove_expired(key)?);
        }
        let committed = server.persistence.commit(txn)?;
        drop(guard);
        tell(server, &committed, Writer::default());
    }
    // Otherwise the turns of others go on.
    if removed > 0 {
        server.tracking.send_invalidations(server);
    }
    let limit_ms = server.config.live.latency_ms();
    let micros = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
    let sum = &server.counters.cleaning_micros;
    sum.fetch_add(micros, Ordering::Relaxed);
    let millis = micros / 1000;
    if limit_ms > 0 && millis >= limit_ms {
        server.latency.add("expire-cycle", now_ms, millis);
    }
    Ok(removed)
}

/// Removes keys that a transaction has found expired, as Redis does. Subscribers are told so before they are told
/// that the transaction missed the keys. A key is left for the cleaner if the transaction did more with it, if
/// somebody else holds its lock, or if nobody may write now. Returns whether any key was removed.
pub(crate) fn remove_found(server: &Server, committed: &mut Committed, by: Writer<'_>) -> bool {
    if committed.expired.is_empty() || server.is_paused() {
        return false;
    }
    try_remove_found(server, committed, by).unwrap_or_else(|error| {
        // The transaction itself has succeeded, and its client must get the answer.
        static FAILURES: Seldom = Seldom::new();
        if let Some(unsaid) = FAILURES.is_due() {
            tracing::warn!(%error, unsaid, "expired keys are not removed");
        }
        false
    })
}

fn try_remove_found(server: &Server, committed: &mut Committed, by: Writer<'_>) -> Result<bool> {
    let mut expired = std::mem::take(&mut committed.expired);
    // A key that the transaction has written since is left out: if it has expired meanwhile, that was after the other
    // events of the transaction.
    let events = committed.events.iter();
    let done = events.filter(|event| event.class != Class::Miss);
    let done: HashSet<_> = done.map(|event| (event.db, &event.key)).collect();
    expired.retain(|found| !done.contains(&(found.db, &found.key)));
    let keys: Vec<&[u8]> = expired.iter().map(|found| &*found.key).collect();
    let scope = Scope::Keys(&keys);
    let Some(guard) = server.store.try_lock(scope)? else {
        return Ok(false);
    };
    let now_ms = server.clock.now_ms();
    let txn = Txn::begin(&*server.store, &server.shared, 0, now_ms)?;
    let mut txn = txn.under(Some(scope));
    for found in &expired {
        txn.set_db(found.db);
        txn.remove_expired(&found.key)?;
    }
    let mut gone = server.persistence.commit(txn)?;
    drop(guard);
    committed.happened_before(std::mem::take(&mut gone.events), &mut expired);
    tell(server, &gone, by);
    Ok(gone.wrote)
}

//! Removing what has expired without being asked for.

use std::time::Instant;

use crate::commands::Server;
use crate::commands::dispatch::{Writer, publish};
use crate::commands::key_locks::Locks;
use crate::types::{Result, Txn, expiry};

/// Removes keys that have expired, at most `most` of each database, those that expired first in front. Answers how many.
/// Each database is one batch, under the locks of its keys.
///
/// Nobody who watches a key is told: that the key is gone, `EXEC` sees by itself.
///
/// # Errors
/// A damaged row; those of the store.
pub fn remove_expired(server: &Server, most: usize) -> Result<u64> {
    let (store, shared) = (&*server.store, &server.shared);
    let now_ms = server.clock.now_ms();
    let mut removed = 0;
    let started = Instant::now();
    for due in expiry::due(store, shared, now_ms, most)? {
        let keys = due.keys.into_iter().map(|(_, key)| key.into()).collect();
        let locks = Locks::Keys(keys);
        let Locks::Keys(keys) = &locks else {
            continue;
        };
        let guard = locks.take(store)?;
        let txn = Txn::begin(store, shared, due.db, now_ms)?;
        let mut txn = txn.under(locks.scope());
        for key in keys {
            removed += u64::from(txn.remove_expired(key)?);
        }
        let committed = txn.commit()?;
        drop(guard);
        publish(server, &committed, Writer::default());
    }
    server.tracking.tell_changes(server);
    shared.count_expired(removed);
    let limit_ms = server.config.live.latency_ms();
    let millis = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    if limit_ms > 0 && millis >= limit_ms {
        server.latency.add("expire-cycle", now_ms, millis);
    }
    Ok(removed)
}

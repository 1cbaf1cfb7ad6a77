//! Locks on keys for a store that lives in one process.
//!
//! A key hashes to one of a fixed number of stripes, so memory does not grow with the keys. Two
//! keys may share a stripe: then their writers wait for one another without need, which is slow
//! and never wrong.
//!
//! Invariants
//! 1. The stripes of one call are taken in ascending order, each once, behind the lock that all
//!    share. Two calls can therefore not wait for each other in a circle.
//! 2. A caller holds all the stripes of its keys, or is still waiting.

use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, Instant};

use bytes::Bytes;
use parking_lot::{Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::store::{Guard, Scope};

/// How many locks there are, a byte each. A pipeline may lock a hundred keys at once: two of them share a
/// stripe once in six times.
const STRIPES: usize = 1 << 16;

/// A fixed set of locks that all keys share.
#[derive(Debug)]
pub struct StripedLocks {
    stripes: Vec<Mutex<()>>,
    /// Shared by all who hold some keys; alone with it is who holds everything.
    everything: RwLock<()>,
    seed: u64,
}

impl Default for StripedLocks {
    fn default() -> Self {
        Self {
            stripes: (0..STRIPES).map(|_| Mutex::new(())).collect(),
            everything: RwLock::default(),
            // By chance, so that nobody can easily choose keys that all share a stripe. Who could would make
            // writers wait, no more: so the hash is one for speed, and not the slower one of the standard library.
            seed: RandomState::new().hash_one(STRIPES),
        }
    }
}

impl StripedLocks {
    /// Takes the locks of `scope` and holds them until the guard is dropped.
    #[must_use]
    pub fn lock(&self, scope: Scope<'_>) -> Box<dyn Guard + '_> {
        Box::new(match scope {
            Scope::Everything => Held::Everything(self.everything.write()),
            Scope::Keys([key]) => {
                let shared = self.everything.read();
                Held::One(self.stripe(key).lock(), shared)
            }
            Scope::Keys(keys) => {
                let shared = self.everything.read();
                let stripes = self.stripes_of(keys).map(Mutex::lock);
                Held::Some(stripes.collect(), shared)
            }
        })
    }

    /// Takes the locks of `scope` if nobody else holds any of them.
    #[must_use]
    pub fn try_lock(&self, scope: Scope<'_>) -> Option<Box<dyn Guard + '_>> {
        Some(Box::new(match scope {
            Scope::Everything => Held::Everything(self.everything.try_write()?),
            Scope::Keys([key]) => {
                let shared = self.everything.try_read()?;
                Held::One(self.stripe(key).try_lock()?, shared)
            }
            Scope::Keys(keys) => {
                let shared = self.everything.try_read()?;
                let stripes = self.stripes_of(keys).map(Mutex::try_lock);
                Held::Some(stripes.collect::<Option<_>>()?, shared)
            }
        }))
    }

    /// Takes the locks of `scope`, or none of them if others hold one for longer than that.
    #[must_use]
    pub fn lock_for(&self, scope: Scope<'_>, patience: Duration) -> Option<Box<dyn Guard + '_>> {
        let deadline = Instant::now() + patience;
        let held = match scope {
            Scope::Everything => Held::Everything(self.everything.try_write_until(deadline)?),
            Scope::Keys(keys) => {
                let shared = self.everything.try_read_until(deadline)?;
                let stripes = self.stripes_of(keys);
                let held = stripes.map(|stripe| stripe.try_lock_until(deadline));
                Held::Some(held.collect::<Option<_>>()?, shared)
            }
        };
        Some(Box::new(held))
    }

    fn stripe(&self, key: &[u8]) -> &Mutex<()> {
        &self.stripes[usize::from(self.number(key))]
    }

    /// The stripes of several keys, in ascending order, each once.
    fn stripes_of(&self, keys: &[Bytes]) -> impl Iterator<Item = &Mutex<()>> {
        let mut numbers: Vec<u16> = keys.iter().map(|key| self.number(key)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let stripe = |number| &self.stripes[usize::from(number)];
        numbers.into_iter().map(stripe)
    }

    /// The number of a key's stripe: the two lowest bytes of its hash.
    fn number(&self, key: &[u8]) -> u16 {
        let [low, high, ..] = xxh3_64_with_seed(key, self.seed).to_le_bytes();
        u16::from_le_bytes([low, high])
    }
}

/// The locks of one call, which are given back in this order.
#[expect(dead_code, reason = "they are held")]
enum Held<'a> {
    One(MutexGuard<'a, ()>, RwLockReadGuard<'a, ()>),
    Some(Vec<MutexGuard<'a, ()>>, RwLockReadGuard<'a, ()>),
    Everything(RwLockWriteGuard<'a, ()>),
}

impl Guard for Held<'_> {}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn opposite_orders_and_repeated_keys_neither_deadlock_nor_overlap() {
        let locks = StripedLocks::default();
        let counter = AtomicU64::new(0);
        let keys = ["a", "b", "c", "a"].map(Bytes::from).to_vec();
        let reversed: Vec<Bytes> = keys.iter().rev().cloned().collect();
        thread::scope(|scope| {
            for keys in [&keys, &reversed, &keys, &reversed] {
                let (locks, counter) = (&locks, &counter);
                scope.spawn(move || {
                    for _ in 0..500 {
                        let _guard = locks.lock(Scope::Keys(keys));
                        // Not one atomic step on purpose: only the lock makes it one.
                        let seen = counter.load(Ordering::Relaxed);
                        thread::yield_now();
                        counter.store(seen + 1, Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(counter.into_inner(), 2000);
    }

    #[test]
    fn who_gives_up_waiting_holds_nothing() {
        let locks = StripedLocks::default();
        let patience = Duration::from_millis(1);
        let keys = ["a", "b"].map(Bytes::from);
        let key = Scope::Keys(&keys[..1]);
        let guard = locks.lock(key);
        assert!(locks.lock_for(key, patience).is_none());
        assert!(locks.lock_for(Scope::Keys(&keys), patience).is_none());
        assert!(locks.lock_for(Scope::Everything, patience).is_none());
        drop(guard);
        let all = locks.lock_for(Scope::Everything, patience);
        assert!(all.is_some());
        assert!(locks.lock_for(key, patience).is_none());
    }

    #[test]
    fn everything_waits_for_each_key_and_each_key_for_everything() {
        let locks = StripedLocks::default();
        let key = [Bytes::from("k")];
        let guard = locks.lock(Scope::Keys(&key));
        let others: Vec<Bytes> = (0..9).map(|n: u8| vec![n].into()).collect();
        assert!(locks.try_lock(Scope::Keys(&key)).is_none());
        assert!(locks.try_lock(Scope::Everything).is_none());
        assert!(locks.try_lock(Scope::Keys(&others)).is_some());
        let held = locks.stripes.iter().filter(|stripe| stripe.is_locked());
        assert_eq!(held.count(), 1);
        assert!(locks.everything.try_write().is_none());
        drop(guard);
        let _all = locks.lock(Scope::Everything);
        assert!(locks.everything.try_read().is_none());
    }
}
